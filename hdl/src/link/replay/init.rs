//! The exchange of state INIT (chapter 10, 4.6 rule 5).

use super::{INIT_BITS, POINTER_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::retry::INIT_LTPS;

/// Bits that count the LTPs of Init, the top one for "too many".
const COUNT_BITS: usize = 17;
const _: () = assert!(1 << (COUNT_BITS - 1) == INIT_LTPS, "the top bit says that Init has taken INIT_LTPS");

/// What InitReq and InitAck say: whether the peer is fresh, its NxtRx, and whether it has seen ours.
#[derive(LogicBlock, Default)]
pub struct ReplayInit {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Strobe: enter INIT.
    pub start: Signal<In, Bit>,
    /// Taken with `start`: this end keeps no state.
    pub fresh: Signal<In, Bit>,
    /// In INIT, the exchange not yet over.
    pub in_init: Signal<In, Bit>,
    /// Strobe: the events count.
    pub event: Signal<In, Bit>,
    /// With `event`: InitReq or InitAck.
    pub is_init: Signal<In, Bit>,
    /// With `event`: the peer is Active, which says as much as InitAck.
    pub is_peer_active: Signal<In, Bit>,
    /// Of InitReq and InitAck: {ack, fresh, NxtRx}.
    pub data: Signal<In, Bits<INIT_BITS>>,
    /// Strobe: an LTP is decided.
    pub decide: Signal<In, Bit>,
    /// The round trip is known.
    pub round_trip_known: Signal<In, Bit>,
    /// This end is fresh.
    pub is_fresh: Signal<Out, Bit>,
    /// InitReq or InitAck has been seen: InitAck is to be sent.
    pub acknowledges: Signal<Out, Bit>,
    /// Everything is known.
    pub over: Signal<Out, Bit>,
    /// Where to replay from.
    pub pointer: Signal<Out, Bits<POINTER_BITS>>,
    /// Both ends start at number 0, on this edge.
    pub restart: Signal<Out, Bit>,
    /// Init takes too long.
    pub timeout: Signal<Out, Bit>,

    own_fresh: DFF<Bit>,
    /// The peer has said nothing yet; a clock late, as no step follows on one within two clocks.
    unseen: DFF<Bit>,
    peer_seen: DFF<Bit>,
    peer_fresh: DFF<Bit>,
    peer_next: DFF<Bits<POINTER_BITS>>,
    acknowledged: DFF<Bit>,
    ltps: DFF<Bits<COUNT_BITS>>,
    takes: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    peer_says_fresh: Signal<Local, Bit>,
}

impl Logic for ReplayInit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, own_fresh, unseen, peer_seen, peer_fresh, peer_next, acknowledged, ltps);
        self.takes.next = self.event.val() & self.is_init.val() & self.in_init.val();
        self.peer_says_fresh.next = self.data.val().get_bit(16);
        self.unseen.d.next = self.in_init.val() & !self.peer_seen.q.val();
        self.begins.next = (self.event.val() & self.is_init.val())
            & (self.unseen.q.val() & (self.peer_says_fresh.val() | self.own_fresh.q.val()));
        if self.event.val() & self.is_peer_active.val() & self.in_init.val() & self.peer_seen.q.val() {
            self.acknowledged.d.next = true;
        }
        if self.takes.val() {
            self.peer_seen.d.next = true;
            self.peer_fresh.d.next = self.peer_says_fresh.val();
            self.peer_next.d.next = self.data.val().get_bits::<POINTER_BITS>(0);
            if self.data.val().get_bit(17) {
                self.acknowledged.d.next = true;
            }
        }
        self.timeout.next = self.decide.val() & self.in_init.val() & self.ltps.q.val().get_bit(16);
        if self.decide.val() & self.in_init.val() & !self.ltps.q.val().get_bit(16) {
            self.ltps.d.next = self.ltps.q.val() + 1;
        }
        if self.start.val() | self.clear.val() {
            self.own_fresh.d.next = self.fresh.val();
            self.peer_seen.d.next = false;
            self.peer_fresh.d.next = false;
            self.acknowledged.d.next = false;
            self.ltps.d.next = 0.into();
        }
        self.is_fresh.next = self.own_fresh.q.val();
        self.acknowledges.next = self.peer_seen.q.val();
        self.over.next = self.in_init.val()
            & self.peer_seen.q.val()
            & self.acknowledged.q.val()
            & self.round_trip_known.val();
        self.pointer.next = self.peer_next.q.val();
        if self.own_fresh.q.val() | self.peer_fresh.q.val() {
            self.pointer.next = 0.into();
        }
        self.restart.next = self.begins.val() | (self.start.val() & self.fresh.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_init", &[])
    }
}

drive_ports!(impl[] ReplayInit { clock, clear, start, fresh, in_init, event, is_init, is_peer_active, data, decide, round_trip_known, is_fresh, acknowledges, over, pointer, restart, timeout });
