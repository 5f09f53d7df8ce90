//! How long the way to the peer and back takes (chapter 10, 4.2 rule 6).

use super::TOKEN_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::retry::ROUND_TRIP_TIMEOUT_LTPS;

/// Measures the round trip in core clocks and in LTP times.
///
/// The clocks are counted from the last beat of the RndTripMrkr.0 to its answer. RTT_LTP, their number over the clocks
/// of an LTP, rounded up, needs no division: an LTP time is what the own LTPs take, and those decided since the marker
/// are counted. As an LTP is decided a few beats before it is opened, the result may be one more, never less.
#[block("replay_round_trip")]
pub struct ReplayRoundTrip {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is known or under way.
    reset: In<Bit>,
    /// In INIT, the exchange not yet over.
    in_init: In<Bit>,
    /// The peer's InitReq or InitAck has come: it answers.
    heard: In<Bit>,
    /// Strobe: an LTP is decided.
    decide: In<Bit>,
    /// With `decide`: it is a pair of INIT.
    init_pair: In<Bit>,
    /// A decided LTP is opened.
    opened: In<Bit>,
    /// Strobe: the events count.
    event: In<Bit>,
    /// With `event`: an answer.
    is_reply: In<Bit>,
    /// Token of the answer.
    reply_token: In<Bits<TOKEN_BITS>>,
    /// A pair of INIT is a RndTripMrkr.
    measures: Out<Bit>,
    /// Its token.
    token: Out<Bits<TOKEN_BITS>>,
    /// The round trip is known.
    known: Out<Bit>,
    /// RTT_LTP; 0 before it is known.
    ltps: Out<Bits<16>>,
    /// Core clocks.
    clocks: Out<Bits<32>>,

    is_known: Reg<Bit>,
    result: Reg<Bits<16>>,
    under_way: Reg<Bit>,
    sent_token: Reg<Bits<TOKEN_BITS>>,
    next_token: Reg<Bits<TOKEN_BITS>>,
    same_token: Reg<Bit>,
    count: Reg<Bits<16>>,
    late: Reg<Bit>,
    marker_decided: Reg<Bit>,
    marker_open: Reg<Bit>,
    /// The LTP after the marker's .0 was opened in the clock before.
    begun: Reg<Bit>,
    running: Reg<Bit>,
    clock_count: Reg<Bits<32>>,
    #[init(u64::from(ROUND_TRIP_TIMEOUT_LTPS).into())]
    timeout: Constant<Bits<16>>,
}

#[logic]
impl ReplayRoundTrip {
    fn update(&mut self) {
        let starts = (!is_known & heard) & (!under_way | late);
        let begins = decide & init_pair & starts;
        same_token = under_way & (sent_token == reply_token);
        // Decisions since the marker's; one more than that is the LTP being decided.
        late = count > timeout;

        if decide {
            count = count + 1;
            marker_decided = begins;
        }
        if begins {
            count = 0;
            under_way = true;
            sent_token = next_token;
            next_token = next_token + 1;
        }

        // The clocks, from the opening of the LTP after the marker's .0.
        if opened {
            marker_open = marker_decided;
        }
        if running {
            clock_count = clock_count + 1;
        }
        begun = opened & marker_open;
        if begun {
            running = true;
            clock_count = 1;
        }
        if event & is_reply & in_init & same_token & !is_known {
            is_known = true;
            result = count;
            under_way = false;
            running = false;
        }
        if reset {
            is_known = false;
            result = 0;
            under_way = false;
            next_token = 0;
            marker_decided = false;
            marker_open = false;
            begun = false;
            running = false;
        }
        measures = starts;
        token = next_token;
        known = is_known;
        ltps = result;
        clocks = clock_count;
    }
}
