//! The exchange of state INIT (chapter 10, 4.6 rule 5).

use super::{INIT_BITS, POINTER_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::retry::INIT_LTPS;

/// Bits that count the LTPs of Init, the top one for "too many".
const COUNT_BITS: usize = 17;
const _: () = assert!(1 << (COUNT_BITS - 1) == INIT_LTPS, "the top bit says that Init has taken INIT_LTPS");

/// What InitReq and InitAck say: whether the peer is fresh, its NxtRx, and whether it has seen ours.
#[block("replay_init")]
pub struct ReplayInit {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Strobe: enter INIT.
    start: In<Bit>,
    /// Taken with `start`: this end keeps no state.
    fresh: In<Bit>,
    /// In INIT, the exchange not yet over.
    in_init: In<Bit>,
    /// Strobe: the events count.
    event: In<Bit>,
    /// With `event`: InitReq or InitAck.
    is_init: In<Bit>,
    /// With `event`: the peer is Active, which says as much as InitAck.
    is_peer_active: In<Bit>,
    /// Of InitReq and InitAck: {ack, fresh, NxtRx}.
    data: In<Bits<INIT_BITS>>,
    /// Strobe: an LTP is decided.
    decide: In<Bit>,
    /// The round trip is known.
    round_trip_known: In<Bit>,
    /// This end is fresh.
    is_fresh: Out<Bit>,
    /// InitReq or InitAck has been seen: InitAck is to be sent.
    acknowledges: Out<Bit>,
    /// Everything is known.
    over: Out<Bit>,
    /// Where to replay from.
    pointer: Out<Bits<POINTER_BITS>>,
    /// Both ends start at number 0, on this edge.
    restart: Out<Bit>,
    /// Init takes too long.
    timeout: Out<Bit>,

    own_fresh: Reg<Bit>,
    /// The peer has said nothing yet; a clock late, as no step follows on one within two clocks.
    unseen: Reg<Bit>,
    peer_seen: Reg<Bit>,
    peer_fresh: Reg<Bit>,
    peer_next: Reg<Bits<POINTER_BITS>>,
    acknowledged: Reg<Bit>,
    ltps: Reg<Bits<COUNT_BITS>>,
    takes: Local<Bit>,
    begins: Local<Bit>,
}

#[logic]
impl ReplayInit {
    fn update(&mut self) {
        takes = event & is_init & in_init;
        let peer_says_fresh = data[16];
        unseen = in_init & !peer_seen;
        begins = (event & is_init) & (unseen & (peer_says_fresh | own_fresh));
        if event & is_peer_active & in_init & peer_seen {
            acknowledged = true;
        }
        if takes {
            peer_seen = true;
            peer_fresh = peer_says_fresh;
            peer_next = data.bits::<POINTER_BITS>(0);
            if data[17] {
                acknowledged = true;
            }
        }
        timeout = decide & in_init & ltps[16];
        if decide & in_init & !ltps[16] {
            ltps = ltps + 1;
        }
        if start | clear {
            own_fresh = fresh;
            peer_seen = false;
            peer_fresh = false;
            acknowledged = false;
            ltps = 0;
        }
        is_fresh = own_fresh;
        acknowledges = peer_seen;
        over = in_init & peer_seen & acknowledged & round_trip_known;
        pointer = peer_next;
        if own_fresh | peer_fresh {
            pointer = 0;
        }
        restart = begins | (start & fresh);
    }
}
