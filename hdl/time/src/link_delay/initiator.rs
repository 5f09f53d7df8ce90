//! DelayReq and what comes back.

use super::{DELAY_BITS, ELAPSED_BITS, TIMEOUT_BITS, TURN_BITS};
use crate::inject::REQUEST_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{delay_resp, LAG_BITS};
use flitforge_protocol::time_servo::{FINE_STEP_SHIFT, INC_BITS, LAG_LOOK_AHEAD_CLOCKS};

/// One round after the other (chapter 20, 4.8 rules 1 to 3): a DelayReq, the time until its answer, the delay to the peer.
///
/// - `request.ready` is the clock of plane X; `answer` comes 1 clock after its plane R, `rx_lag` with it.
/// - `delay` or `voided` ends a round: 2 clocks after the answer, or 1 clock after the last in which it was in time.
/// - An answer counts from 2 clocks after `request.ready` on; others are ignored. One with another tag voids the round, which
///   nevertheless waits for its own, so that a late answer does not void one round after the other.
/// - `forget`: the round that is out gives neither `delay` nor `voided`; one that is not sent yet belongs to the new run.
/// - `clear` forgets the round, its tag included.
#[block("delay_initiator")]
pub struct DelayInitiator {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A round is wanted.
    go: In<Bit>,
    /// The round that is out does not count any more.
    forget: In<Bit>,
    /// Tag of a DelayReq.
    pub request: StreamOut<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp.
    pub answer: FlowIn<Bits<48>>,
    /// rx lag at plane R of this clock, signed, 1/256 ns.
    rx_lag: In<Bits<LAG_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    tx_lag: In<Bits<LAG_BITS>>,
    /// Both lag meters are valid.
    phase_ok: In<Bit>,
    /// INC_F, 2^-32 ns per clock.
    inc_f: In<Bits<INC_BITS>>,
    /// LDM_TIMEOUT less 1, clocks.
    timeout: In<Bits<TIMEOUT_BITS>>,
    /// ASYM, signed, 1/256 ns.
    asymmetry: In<Bits<DELAY_BITS>>,
    /// Delay to the peer, signed, 1/256 ns, with its highest bit inverted, so that it compares as an unsigned number.
    pub delay: FlowOut<Bits<DELAY_BITS>>,
    /// Event: the round is void.
    voided: Out<Bit>,
    /// A round is out: from the clock after plane X of its request to its end. INC_F holds still.
    out: Out<Bit>,

    // Where a round is: offered, taken, out, answered, calculated, or given up.
    offering: Reg<Bit>,
    sent: Reg<Bit>,
    waiting: Reg<Bit>,
    received: Reg<Bit>,
    solved: Reg<Bit>,
    gone: Reg<Bit>,
    corrupted: Reg<Bit>,
    forgotten: Reg<Bit>,
    tag: Reg<Bits<REQUEST_BITS>>,
    timer: Reg<Bits<TIMEOUT_BITS>>,
    hit: Reg<Bit>,
    tx_late: [Reg<Bits<LAG_BITS>>; LAG_LOOK_AHEAD_CLOCKS],
    minus_tx: Reg<Bits<TURN_BITS>>,
    rx_late: Reg<Bits<LAG_BITS>>,
    /// ASYM less the rx lag.
    correction: Reg<Bits<TURN_BITS>>,
    /// Time since the X edge less the tx lag, 2^-32 ns, half a unit of 1/256 ns above.
    elapsed: Reg<Bits<ELAPSED_BITS>>,
    difference: Reg<Bits<TURN_BITS>>,

    away: Local<Bit>,
    busy: Local<Bit>,
    starts: Local<Bit>,
    taken: Local<Bit>,
    tag_fits: Local<Bit>,
    right: Local<Bit>,
    over: Local<Bit>,
    fits: Local<Bit>,
    #[init(1_u64 << (FINE_STEP_SHIFT - 1))]
    half: Constant<Bits<ELAPSED_BITS>>,
    #[init((1_u64 << TURN_BITS) - 1)]
    ones: Constant<Bits<TURN_BITS>>,
    #[init(0)]
    nothing: Constant<Bits<TURN_BITS>>,
}

#[logic]
impl DelayInitiator {
    fn update(&mut self) {
        // Where the round is.
        away = sent | waiting | received | solved | gone;
        out = away;
        busy = offering | away;
        starts = go & !busy;
        taken = offering & request.ready;
        tag_fits = answer.data.bits::<REQUEST_BITS>(32) == tag;
        right = waiting & answer.valid & tag_fits;
        over = waiting & hit & !right;
        offering = starts | (offering & !taken);
        sent = taken;
        waiting = sent | (waiting & !right & !over);
        received = right;
        solved = received;
        gone = over;
        if (sent & !phase_ok) | (waiting & answer.valid & !tag_fits) | (right & !(phase_ok & answer.data[40]))
        {
            corrupted = true;
        }
        if forget & !offering {
            forgotten = true;
        }
        if starts {
            corrupted = false;
            forgotten = false;
        }
        if solved | gone | (clear & busy) {
            tag = tag + 1;
        }

        // A clock after the request was taken the timer is 0; `hit` is one clock later.
        timer = 0;
        hit = false;
        if sent | waiting {
            timer = timer + 1;
            hit = timer == timeout;
        }

        // X is the end of the clock j in which the request was taken, R the beginning of that before `answer`, m - 1: the
        // round trip is m - j - 2 clocks, so the clock j + 2 is the first that adds one.
        tx_late[0] = tx_lag;
        tx_late[1] = tx_late[0];
        tx_late[2] = tx_late[1];
        let mut wide_tx = bit_cast::<TURN_BITS, LAG_BITS>(tx_late[2]);
        if tx_late[2][19] {
            wide_tx = bit_cast::<TURN_BITS, LAG_BITS>(tx_late[2]) | (ones << 20);
        }
        minus_tx = nothing - wide_tx;
        elapsed = elapsed + bit_cast::<ELAPSED_BITS, INC_BITS>(inc_f);
        if sent {
            elapsed = (bit_cast::<ELAPSED_BITS, TURN_BITS>(minus_tx) << 24) | half;
        }

        self.solve();

        if clear {
            offering = false;
            sent = false;
            waiting = false;
            received = false;
            solved = false;
            gone = false;
        }

        request = In { valid: offering, data: tag };
        delay.valid = solved & fits & !corrupted & !forgotten;
        delay.data = difference.bits::<DELAY_BITS>(1).with(31, !difference[32]);
        voided = (gone | (solved & (corrupted | !fits))) & !forgotten;
    }

    /// Less the turn-around, then with ASYM and less the rx lag.
    fn solve(&mut self) {
        rx_late = rx_lag;
        let mut wide_rx = bit_cast::<TURN_BITS, LAG_BITS>(rx_late);
        if rx_late[19] {
            wide_rx = bit_cast::<TURN_BITS, LAG_BITS>(rx_late) | (ones << 20);
        }
        let mut wide_asymmetry = bit_cast::<TURN_BITS, DELAY_BITS>(asymmetry);
        if asymmetry[31] {
            wide_asymmetry = bit_cast::<TURN_BITS, DELAY_BITS>(asymmetry) | (ones << 32);
        }
        correction = wide_asymmetry - wide_rx;
        difference = elapsed.bits::<TURN_BITS>(24) - bit_cast::<TURN_BITS, 32>(answer.data.bits::<32>(0));
        if received {
            difference = difference + correction;
        }
        fits = difference[33] == difference[32];
    }
}

const _: () = assert!(LAG_BITS == 20 && FINE_STEP_SHIFT == 24 && LAG_LOOK_AHEAD_CLOCKS == 3);
const _: () = assert!(TURN_BITS == 34 && DELAY_BITS == 32 && delay_resp::turnaround::WIDTH == 32);
const _: () = assert!(delay_resp::tag::LOW == 32 && delay_resp::phase_valid::LOW == 40);
