//! Answers to DelayReq.

use super::{ELAPSED_BITS, TURN_BITS};
use crate::prim::stream::{FlowIn, StreamOut};
use crate::time::inject::{REQUEST_BITS, RESPONSE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{delay_resp, LAG_BITS};
use flitforge_protocol::time_servo::{FINE_STEP_SHIFT, INC_BITS, LAG_AHEAD_CLOCKS};

/// The responder of a link delay measurement (chapter 20, 4.8 rule 1): the turn-around from the R edge of a DelayReq to the
/// X edge of its answer, anew for every clock.
///
/// - `request` comes 1 clock after its R edge, `rx_lag` with the R edge.
/// - `response` is offered from 3 clocks after `request` on; its data in a clock is that of a flit taken in the next clock, as
///   `time_inject` wants it. An answer whose turn-around does not fit 32 bits is not offered, and from 2^32 on forgotten.
/// - A newer request replaces an older one. `clear` forgets it.
#[derive(LogicBlock)]
pub struct DelayResponder {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Tag of a DelayReq.
    pub request: FlowIn<Bits<REQUEST_BITS>>,
    /// rx lag at plane R of this clock, signed, 1/256 ns.
    pub rx_lag: Signal<In, Bits<LAG_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub tx_lag: Signal<In, Bits<LAG_BITS>>,
    /// Both lag meters are valid.
    pub phase_ok: Signal<In, Bit>,
    /// SyncTime is locked.
    pub locked: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock; holds still while an answer waits.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// Payload of a DelayResp.
    pub response: StreamOut<Bits<RESPONSE_BITS>>,
    /// A request comes or waits for its answer to be taken. INC_F holds still.
    pub busy: Signal<Out, Bit>,
    rx_late: DFF<Bits<LAG_BITS>>,
    tx_late: DFF<Bits<LAG_BITS>>,
    /// Time since the R edge with the rx lag, 2^-32 ns, half a unit of 1/256 ns above.
    elapsed: DFF<Bits<ELAPSED_BITS>>,
    came: DFF<Bit>,
    second: DFF<Bit>,
    /// An answer is due, unless it was taken a clock ago.
    waits: DFF<Bit>,
    answered: DFF<Bit>,
    due: Signal<Local, Bit>,
    tag: DFF<Bits<REQUEST_BITS>>,
    phase_was_ok: DFF<Bit>,
    turn: DFF<Bits<TURN_BITS>>,
    offered: Signal<Local, Bit>,
    fits: Signal<Local, Bits<2>>,
    phase: Signal<Local, Bit>,
    start: Signal<Local, Bits<ELAPSED_BITS>>,
    step: Signal<Local, Bits<ELAPSED_BITS>>,
    wide_rx: Signal<Local, Bits<TURN_BITS>>,
    wide_tx: Signal<Local, Bits<TURN_BITS>>,
    half: Constant<Bits<ELAPSED_BITS>>,
    ones: Constant<Bits<TURN_BITS>>,
    in_range: Constant<Bits<2>>,
    too_long: Constant<Bits<2>>,
}

impl Default for DelayResponder {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            request: Default::default(),
            rx_lag: Default::default(),
            tx_lag: Default::default(),
            phase_ok: Default::default(),
            locked: Default::default(),
            inc_f: Default::default(),
            response: Default::default(),
            busy: Default::default(),
            rx_late: Default::default(),
            tx_late: Default::default(),
            elapsed: Default::default(),
            came: Default::default(),
            second: Default::default(),
            waits: Default::default(),
            answered: Default::default(),
            due: Default::default(),
            tag: Default::default(),
            phase_was_ok: Default::default(),
            turn: Default::default(),
            offered: Default::default(),
            fits: Default::default(),
            phase: Default::default(),
            start: Default::default(),
            step: Default::default(),
            wide_rx: Default::default(),
            wide_tx: Default::default(),
            half: Constant::new((1_u64 << (FINE_STEP_SHIFT - 1)).into()),
            ones: Constant::new(((1_u64 << TURN_BITS) - 1).into()),
            in_range: Constant::new(0.into()),
            too_long: Constant::new(1.into()),
        }
    }
}

impl Logic for DelayResponder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            rx_late,
            tx_late,
            elapsed,
            came,
            second,
            waits,
            answered,
            tag,
            phase_was_ok,
            turn
        );
        self.rx_late.d.next = self.rx_lag.val();
        self.tx_late.d.next = self.tx_lag.val();
        self.wide_rx.next = bit_cast::<TURN_BITS, LAG_BITS>(self.rx_late.q.val());
        if self.rx_late.q.val().get_bit(19) {
            self.wide_rx.next =
                bit_cast::<TURN_BITS, LAG_BITS>(self.rx_late.q.val()) | (self.ones.val() << 20);
        }
        self.wide_tx.next = bit_cast::<TURN_BITS, LAG_BITS>(self.tx_late.q.val());
        if self.tx_late.q.val().get_bit(19) {
            self.wide_tx.next =
                bit_cast::<TURN_BITS, LAG_BITS>(self.tx_late.q.val()) | (self.ones.val() << 20);
        }

        // In the clock c, m being that of `request`, `elapsed` counts c + 4 - m clocks: 2 are loaded, 4 added next, then 1
        // each. What is made of it stands in c + 1 and is sent at the end of c + 2; R was at the beginning of m - 1.
        self.start.next = self.elapsed.q.val();
        self.step.next = bit_cast::<ELAPSED_BITS, INC_BITS>(self.inc_f.val());
        if self.came.q.val() {
            self.step.next = bit_cast::<ELAPSED_BITS, INC_BITS>(self.inc_f.val()) << 2;
        }
        if self.request.valid.val() {
            self.start.next =
                (bit_cast::<ELAPSED_BITS, TURN_BITS>(self.wide_rx.val()) << 24) | self.half.val();
            self.step.next = bit_cast::<ELAPSED_BITS, INC_BITS>(self.inc_f.val()) << 1;
            self.tag.d.next = self.request.data.val();
            self.phase_was_ok.d.next = self.phase_ok.val();
        }
        self.elapsed.d.next = self.start.val() + self.step.val();
        self.turn.d.next = self.elapsed.q.val().get_bits::<TURN_BITS>(24) + self.wide_tx.val();

        self.fits.next = self.turn.q.val().get_bits::<2>(32);
        self.due.next = self.waits.q.val() & !self.answered.q.val();
        self.offered.next = self.due.val() & (self.fits.val() == self.in_range.val());
        self.answered.d.next = self.offered.val() & self.response.ready.val();
        self.came.d.next = self.request.valid.val() & !self.clear.val();
        self.second.d.next = self.came.q.val() & !self.request.valid.val() & !self.clear.val();
        if self.second.q.val() {
            self.waits.d.next = true;
        }
        if self.answered.q.val()
            | (self.waits.q.val() & (self.fits.val() == self.too_long.val()))
            | self.request.valid.val()
            | self.clear.val()
        {
            self.waits.d.next = false;
        }
        self.busy.next = self.request.valid.val() | self.came.q.val() | self.second.q.val() | self.due.val();
        self.phase.next = self.phase_was_ok.q.val() & self.phase_ok.val();
        self.response.valid.next = self.offered.val();
        self.response.data.next = bit_cast::<RESPONSE_BITS, 32>(self.turn.q.val().get_bits::<32>(0))
            | (bit_cast::<RESPONSE_BITS, REQUEST_BITS>(self.tag.q.val()) << 32)
            | (bit_cast::<RESPONSE_BITS, 1>(self.phase.val().into()) << 40)
            | (bit_cast::<RESPONSE_BITS, 1>(self.locked.val().into()) << 41);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("delay_responder", &[])
    }
}

drive_ports!(impl[] DelayResponder {
    clock, clear, request, rx_lag, tx_lag, phase_ok, locked, inc_f, response, busy,
});

const _: () = assert!(LAG_BITS == 20 && FINE_STEP_SHIFT == 24 && LAG_AHEAD_CLOCKS == 3);
const _: () = assert!(ELAPSED_BITS == TURN_BITS + FINE_STEP_SHIFT && TURN_BITS == 34);
const _: () = assert!(
    delay_resp::tag::LOW == 32 && delay_resp::phase_valid::LOW == 40 && delay_resp::locked::LOW == 41
);
