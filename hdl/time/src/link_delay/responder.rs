//! Answers to DelayReq.

use super::{ELAPSED_BITS, TURN_BITS};
use crate::inject::{REQUEST_BITS, RESPONSE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{delay_resp, LAG_BITS};
use flitforge_protocol::time_servo::{FINE_STEP_SHIFT, INC_BITS, LAG_LOOK_AHEAD_CLOCKS};

/// The responder of a link delay measurement (chapter 20, 4.8 rule 1): the turn-around from the R edge of a DelayReq to the
/// X edge of its answer, anew for every clock.
///
/// - `request` comes 1 clock after its R edge, `rx_lag` with the R edge.
/// - `response` is offered from 3 clocks after `request` on; its data in a clock is that of a flit taken in the next clock, as
///   `time_inject` wants it. An answer whose turn-around does not fit 32 bits is not offered, and from 2^32 on forgotten.
/// - A newer request replaces an older one. `clear` forgets it.
#[block("delay_responder")]
pub struct DelayResponder {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Tag of a DelayReq.
    pub request: FlowIn<Bits<REQUEST_BITS>>,
    /// rx lag at plane R of this clock, signed, 1/256 ns.
    rx_lag: In<Bits<LAG_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    tx_lag: In<Bits<LAG_BITS>>,
    /// Both lag meters are valid.
    phase_ok: In<Bit>,
    /// SyncTime is locked.
    locked: In<Bit>,
    /// INC_F, 2^-32 ns per clock; holds still while an answer waits.
    inc_f: In<Bits<INC_BITS>>,
    /// Payload of a DelayResp.
    pub response: StreamOut<Bits<RESPONSE_BITS>>,
    /// A request comes or waits for its answer to be taken. INC_F holds still.
    busy: Out<Bit>,
    rx_late: Reg<Bits<LAG_BITS>>,
    tx_late: Reg<Bits<LAG_BITS>>,
    /// Time since the R edge with the rx lag, 2^-32 ns, half a unit of 1/256 ns above.
    elapsed: Reg<Bits<ELAPSED_BITS>>,
    received: Reg<Bit>,
    second: Reg<Bit>,
    /// An answer is due, unless it was taken a clock ago.
    waits: Reg<Bit>,
    answered: Reg<Bit>,
    due: Local<Bit>,
    tag: Reg<Bits<REQUEST_BITS>>,
    phase_was_ok: Reg<Bit>,
    turn: Reg<Bits<TURN_BITS>>,
    offered: Local<Bit>,
    fits: Local<Bits<2>>,
    phase: Local<Bit>,
    start: Local<Bits<ELAPSED_BITS>>,
    step: Local<Bits<ELAPSED_BITS>>,
    #[init(1_u64 << (FINE_STEP_SHIFT - 1))]
    half: Constant<Bits<ELAPSED_BITS>>,
    #[init((1_u64 << TURN_BITS) - 1)]
    ones: Constant<Bits<TURN_BITS>>,
    #[init(0)]
    in_range: Constant<Bits<2>>,
    #[init(1)]
    too_long: Constant<Bits<2>>,
}

#[logic]
impl DelayResponder {
    fn update(&mut self) {
        rx_late = rx_lag;
        tx_late = tx_lag;
        let mut wide_rx = bit_cast::<TURN_BITS, LAG_BITS>(rx_late);
        if rx_late[19] {
            wide_rx = bit_cast::<TURN_BITS, LAG_BITS>(rx_late) | (ones << 20);
        }
        let mut wide_tx = bit_cast::<TURN_BITS, LAG_BITS>(tx_late);
        if tx_late[19] {
            wide_tx = bit_cast::<TURN_BITS, LAG_BITS>(tx_late) | (ones << 20);
        }

        // In the clock c, m being that of `request`, `elapsed` counts c + 4 - m clocks: 2 are loaded, 4 added next, then 1
        // each. What is made of it stands in c + 1 and is sent at the end of c + 2; R was at the beginning of m - 1.
        start = elapsed;
        step = bit_cast::<ELAPSED_BITS, INC_BITS>(inc_f);
        if received {
            step = bit_cast::<ELAPSED_BITS, INC_BITS>(inc_f) << 2;
        }
        if request.valid {
            start = (bit_cast::<ELAPSED_BITS, TURN_BITS>(wide_rx) << 24) | half;
            step = bit_cast::<ELAPSED_BITS, INC_BITS>(inc_f) << 1;
            tag = request.data;
            phase_was_ok = phase_ok;
        }
        elapsed = start + step;
        turn = elapsed.bits::<TURN_BITS>(24) + wide_tx;

        fits = turn.bits::<2>(32);
        due = waits & !answered;
        offered = due & (fits == in_range);
        answered = offered & response.ready;
        received = request.valid & !clear;
        second = received & !request.valid & !clear;
        if second {
            waits = true;
        }
        if answered | (waits & (fits == too_long)) | request.valid | clear {
            waits = false;
        }
        busy = request.valid | received | second | due;
        phase = phase_was_ok & phase_ok;
        response.valid = offered;
        response.data = bit_cast::<RESPONSE_BITS, 32>(turn.bits::<32>(0))
            | (bit_cast::<RESPONSE_BITS, REQUEST_BITS>(tag) << 32)
            | (bit_cast::<RESPONSE_BITS, 1>(phase.into()) << 40)
            | (bit_cast::<RESPONSE_BITS, 1>(locked.into()) << 41);
    }
}

const _: () = assert!(LAG_BITS == 20 && FINE_STEP_SHIFT == 24 && LAG_LOOK_AHEAD_CLOCKS == 3);
const _: () = assert!(ELAPSED_BITS == TURN_BITS + FINE_STEP_SHIFT && TURN_BITS == 34);
const _: () = assert!(
    delay_resp::tag::LOW == 32 && delay_resp::phase_valid::LOW == 40 && delay_resp::locked::LOW == 41
);
