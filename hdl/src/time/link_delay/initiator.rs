//! DelayReq and what comes back.

use super::{DELAY_BITS, ELAPSED_BITS, TIMEOUT_BITS, TURN_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::time::inject::REQUEST_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{delay_resp, LAG_BITS};
use flitforge_protocol::time_servo::{FINE_STEP_SHIFT, INC_BITS, LAG_AHEAD_CLOCKS};

/// One round after the other (chapter 20, 4.8 rules 1 to 3): a DelayReq, the time until its answer, the delay to the peer.
///
/// - `request.ready` is the clock of plane X; `answer` comes 1 clock after its plane R, `rx_lag` with it.
/// - `delay` or `voided` ends a round: 2 clocks after the answer, or 1 clock after the last in which it was in time.
/// - An answer counts from 2 clocks after `request.ready` on; others are ignored. One with another tag voids the round, which
///   nevertheless waits for its own, so that a late answer does not void one round after the other.
/// - `forget`: the round that is out gives neither `delay` nor `voided`; one that is not sent yet belongs to the new run.
/// - `clear` forgets the round, its tag included.
#[derive(LogicBlock)]
pub struct DelayInitiator {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A round is wanted.
    pub go: Signal<In, Bit>,
    /// The round that is out does not count any more.
    pub forget: Signal<In, Bit>,
    /// Tag of a DelayReq.
    pub request: StreamOut<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp.
    pub answer: FlowIn<Bits<48>>,
    /// rx lag at plane R of this clock, signed, 1/256 ns.
    pub rx_lag: Signal<In, Bits<LAG_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub tx_lag: Signal<In, Bits<LAG_BITS>>,
    /// Both lag meters are valid.
    pub phase_ok: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// LDM_TIMEOUT less 1, clocks.
    pub timeout: Signal<In, Bits<TIMEOUT_BITS>>,
    /// ASYM, signed, 1/256 ns.
    pub asymmetry: Signal<In, Bits<DELAY_BITS>>,
    /// Delay to the peer, signed, 1/256 ns, with its highest bit inverted, so that it compares as an unsigned number.
    pub delay: FlowOut<Bits<DELAY_BITS>>,
    /// Event: the round is void.
    pub voided: Signal<Out, Bit>,
    /// A round is out: from the clock behind plane X of its request to its end. INC_F holds still.
    pub out: Signal<Out, Bit>,

    // Where a round is: offered, taken, out, answered, calculated, or given up.
    offering: DFF<Bit>,
    sent: DFF<Bit>,
    waiting: DFF<Bit>,
    came: DFF<Bit>,
    solved: DFF<Bit>,
    gone: DFF<Bit>,
    spoiled: DFF<Bit>,
    forgotten: DFF<Bit>,
    tag: DFF<Bits<REQUEST_BITS>>,
    timer: DFF<Bits<TIMEOUT_BITS>>,
    hit: DFF<Bit>,
    tx_late: [DFF<Bits<LAG_BITS>>; LAG_AHEAD_CLOCKS],
    minus_tx: DFF<Bits<TURN_BITS>>,
    rx_late: DFF<Bits<LAG_BITS>>,
    /// ASYM less the rx lag.
    correction: DFF<Bits<TURN_BITS>>,
    /// Time since the X edge less the tx lag, 2^-32 ns, half a unit of 1/256 ns above.
    elapsed: DFF<Bits<ELAPSED_BITS>>,
    difference: DFF<Bits<TURN_BITS>>,

    away: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    tag_fits: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    wide_tx: Signal<Local, Bits<TURN_BITS>>,
    wide_rx: Signal<Local, Bits<TURN_BITS>>,
    wide_asymmetry: Signal<Local, Bits<TURN_BITS>>,
    half: Constant<Bits<ELAPSED_BITS>>,
    ones: Constant<Bits<TURN_BITS>>,
    nothing: Constant<Bits<TURN_BITS>>,
}

impl Default for DelayInitiator {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            go: Default::default(),
            forget: Default::default(),
            request: Default::default(),
            answer: Default::default(),
            rx_lag: Default::default(),
            tx_lag: Default::default(),
            phase_ok: Default::default(),
            inc_f: Default::default(),
            timeout: Default::default(),
            asymmetry: Default::default(),
            delay: Default::default(),
            voided: Default::default(),
            out: Default::default(),
            offering: Default::default(),
            sent: Default::default(),
            waiting: Default::default(),
            came: Default::default(),
            solved: Default::default(),
            gone: Default::default(),
            spoiled: Default::default(),
            forgotten: Default::default(),
            tag: Default::default(),
            timer: Default::default(),
            hit: Default::default(),
            tx_late: Default::default(),
            minus_tx: Default::default(),
            rx_late: Default::default(),
            correction: Default::default(),
            elapsed: Default::default(),
            difference: Default::default(),
            away: Default::default(),
            busy: Default::default(),
            starts: Default::default(),
            taken: Default::default(),
            tag_fits: Default::default(),
            right: Default::default(),
            over: Default::default(),
            fits: Default::default(),
            wide_tx: Default::default(),
            wide_rx: Default::default(),
            wide_asymmetry: Default::default(),
            half: Constant::new((1_u64 << (FINE_STEP_SHIFT - 1)).into()),
            ones: Constant::new(((1_u64 << TURN_BITS) - 1).into()),
            nothing: Constant::new(0.into()),
        }
    }
}

impl Logic for DelayInitiator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, offering, sent, waiting, came, solved, gone, spoiled, forgotten, tag, timer);
        dff_setup!(self, clock, hit, minus_tx, rx_late, correction, elapsed, difference);

        // Where the round is.
        self.away.next = self.sent.q.val()
            | self.waiting.q.val()
            | self.came.q.val()
            | self.solved.q.val()
            | self.gone.q.val();
        self.out.next = self.away.val();
        self.busy.next = self.offering.q.val() | self.away.val();
        self.starts.next = self.go.val() & !self.busy.val();
        self.taken.next = self.offering.q.val() & self.request.ready.val();
        self.tag_fits.next = self.answer.data.val().get_bits::<REQUEST_BITS>(32) == self.tag.q.val();
        self.right.next = self.waiting.q.val() & self.answer.valid.val() & self.tag_fits.val();
        self.over.next = self.waiting.q.val() & self.hit.q.val() & !self.right.val();
        self.offering.d.next = self.starts.val() | (self.offering.q.val() & !self.taken.val());
        self.sent.d.next = self.taken.val();
        self.waiting.d.next =
            self.sent.q.val() | (self.waiting.q.val() & !self.right.val() & !self.over.val());
        self.came.d.next = self.right.val();
        self.solved.d.next = self.came.q.val();
        self.gone.d.next = self.over.val();
        if (self.sent.q.val() & !self.phase_ok.val())
            | (self.waiting.q.val() & self.answer.valid.val() & !self.tag_fits.val())
            | (self.right.val() & !(self.phase_ok.val() & self.answer.data.val().get_bit(40)))
        {
            self.spoiled.d.next = true;
        }
        if self.forget.val() & !self.offering.q.val() {
            self.forgotten.d.next = true;
        }
        if self.starts.val() {
            self.spoiled.d.next = false;
            self.forgotten.d.next = false;
        }
        if self.solved.q.val() | self.gone.q.val() | (self.clear.val() & self.busy.val()) {
            self.tag.d.next = self.tag.q.val() + 1;
        }

        // A clock after the request was taken the timer is 0; `hit` is one clock behind.
        self.timer.d.next = 0.into();
        self.hit.d.next = false;
        if self.sent.q.val() | self.waiting.q.val() {
            self.timer.d.next = self.timer.q.val() + 1;
            self.hit.d.next = self.timer.q.val() == self.timeout.val();
        }

        // X is the end of the clock j in which the request was taken, R the beginning of that before `answer`, m - 1: the
        // round trip is m - j - 2 clocks, so the clock j + 2 is the first that adds one.
        self.tx_late[0].clock.next = self.clock.val();
        self.tx_late[1].clock.next = self.clock.val();
        self.tx_late[2].clock.next = self.clock.val();
        self.tx_late[0].d.next = self.tx_lag.val();
        self.tx_late[1].d.next = self.tx_late[0].q.val();
        self.tx_late[2].d.next = self.tx_late[1].q.val();
        self.wide_tx.next = bit_cast::<TURN_BITS, LAG_BITS>(self.tx_late[2].q.val());
        if self.tx_late[2].q.val().get_bit(19) {
            self.wide_tx.next =
                bit_cast::<TURN_BITS, LAG_BITS>(self.tx_late[2].q.val()) | (self.ones.val() << 20);
        }
        self.minus_tx.d.next = self.nothing.val() - self.wide_tx.val();
        self.elapsed.d.next = self.elapsed.q.val() + bit_cast::<ELAPSED_BITS, INC_BITS>(self.inc_f.val());
        if self.sent.q.val() {
            self.elapsed.d.next =
                (bit_cast::<ELAPSED_BITS, TURN_BITS>(self.minus_tx.q.val()) << 24) | self.half.val();
        }

        // Less the turn-around, then with ASYM and less the rx lag.
        self.rx_late.d.next = self.rx_lag.val();
        self.wide_rx.next = bit_cast::<TURN_BITS, LAG_BITS>(self.rx_late.q.val());
        if self.rx_late.q.val().get_bit(19) {
            self.wide_rx.next =
                bit_cast::<TURN_BITS, LAG_BITS>(self.rx_late.q.val()) | (self.ones.val() << 20);
        }
        self.wide_asymmetry.next = bit_cast::<TURN_BITS, DELAY_BITS>(self.asymmetry.val());
        if self.asymmetry.val().get_bit(31) {
            self.wide_asymmetry.next =
                bit_cast::<TURN_BITS, DELAY_BITS>(self.asymmetry.val()) | (self.ones.val() << 32);
        }
        self.correction.d.next = self.wide_asymmetry.val() - self.wide_rx.val();
        self.difference.d.next = self.elapsed.q.val().get_bits::<TURN_BITS>(24)
            - bit_cast::<TURN_BITS, 32>(self.answer.data.val().get_bits::<32>(0));
        if self.came.q.val() {
            self.difference.d.next = self.difference.q.val() + self.correction.q.val();
        }
        self.fits.next = self.difference.q.val().get_bit(33) == self.difference.q.val().get_bit(32);

        if self.clear.val() {
            self.offering.d.next = false;
            self.sent.d.next = false;
            self.waiting.d.next = false;
            self.came.d.next = false;
            self.solved.d.next = false;
            self.gone.d.next = false;
        }

        self.request.valid.next = self.offering.q.val();
        self.request.data.next = self.tag.q.val();
        self.delay.valid.next =
            self.solved.q.val() & self.fits.val() & !self.spoiled.q.val() & !self.forgotten.q.val();
        self.delay.data.next = self
            .difference
            .q
            .val()
            .get_bits::<DELAY_BITS>(1)
            .replace_bit(31, !self.difference.q.val().get_bit(32));
        self.voided.next = (self.gone.q.val()
            | (self.solved.q.val() & (self.spoiled.q.val() | !self.fits.val())))
            & !self.forgotten.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("delay_initiator", &[])
    }
}

drive_ports!(impl[] DelayInitiator {
    clock, clear, go, forget, request, answer, rx_lag, tx_lag, phase_ok, inc_f, timeout, asymmetry, delay, voided, out,
});

const _: () = assert!(LAG_BITS == 20 && FINE_STEP_SHIFT == 24 && LAG_AHEAD_CLOCKS == 3);
const _: () = assert!(TURN_BITS == 34 && DELAY_BITS == 32 && delay_resp::turnaround::WIDTH == 32);
const _: () = assert!(delay_resp::tag::LOW == 32 && delay_resp::phase_valid::LOW == 40);
