//! The toss rule: what happens to each LTP (the table of chapter 10, 4.3).

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::retry::IsolateAction;

/// States NORMAL and TOSS, NxtRx, and how far cur and the end of a replay are from where they lead. There are at least
/// 4 clocks from one verdict to the next; `accepting` and `late` are ready for it.
///
/// Sequence numbers are kept as distances: NxtRx - cur, which only a marker and a duplicate change, and the number of
/// replayed LTPs that are still to come.
#[derive(LogicBlock)]
pub struct LtpRxToss {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// TOSS, and nothing is awaited or kept; NxtRx stays.
    pub clear: Signal<In, Bit>,
    /// With `clear`: NxtRx is 0.
    pub fresh: Signal<In, Bit>,
    /// Every good reliable LTP is accepted from the next clock on.
    pub open: Signal<In, Bit>,
    /// No LTP is accepted in the next clock.
    pub blocked: Signal<In, Bit>,
    /// Verdict: a good LTP.
    pub good: Signal<In, Bit>,
    /// Verdict: a bad LTP.
    pub bad: Signal<In, Bit>,
    /// With `good`: a Null LTP.
    pub null_ltp: Signal<In, Bit>,
    /// With `null_ltp`: a RetryMrkr.
    pub marker: Signal<In, Bit>,
    /// With `marker`: the .1.
    pub second: Signal<In, Bit>,
    /// With `null_ltp`: a RetrainRetryReq that was not just read.
    pub retrain: Signal<In, Bit>,
    /// From the clock behind a marker's verdict on: its first replayed LTP.
    pub marker_first: Signal<In, Bits<16>>,
    /// As `marker_first`: its NxtWr.
    pub marker_write: Signal<In, Bits<16>>,
    /// With a verdict: sequence state of the LTP.
    pub state: Signal<In, Bits<2>>,
    /// A good reliable LTP is delivered.
    pub accepting: Signal<Out, Bit>,
    /// In the clock before the verdict: if it is accepted, it is a replayed one.
    pub late: Signal<Out, Bit>,
    /// With the verdict: the LTP is taken for a RetryMrkr.1, whatever it is.
    pub second_half: Signal<Out, Bit>,
    /// TOSS, not NORMAL.
    pub tossing: Signal<Out, Bit>,
    /// NxtRx.
    pub next_rx: Signal<Out, Bits<16>>,
    /// With the verdict: NxtRx moves on.
    pub delivers: Signal<Out, Bit>,
    /// With the verdict: a good Null LTP that stands for itself.
    pub alone: Signal<Out, Bit>,
    /// With the verdict: it asks for a replay.
    pub asks: Signal<Out, Bit>,
    /// With the verdict: bad in TOSS; it asks if it is the second of two.
    pub bad_in_toss: Signal<Out, Bit>,
    /// Event: a reliable or bad LTP was tossed in TOSS.
    pub tossed: Signal<Out, Bit>,
    /// Event: a good LTP behind NxtRx was tossed.
    pub duplicate: Signal<Out, Bit>,
    /// Event: a good LTP ahead of NxtRx.
    pub gap: Signal<Out, Bit>,
    /// Event: a RetryMrkr in NORMAL.
    pub unexpected: Signal<Out, Bit>,
    /// Event: what the isolation has to do.
    pub iso_valid: Signal<Out, Bit>,
    /// With `iso_valid`: code of the action.
    pub iso_action: Signal<Out, Bits<2>>,
    /// With `iso_valid`: sequence state of the LTP to latch or compare, else 0.
    pub iso_state: Signal<Out, Bits<2>>,

    normal: DFF<Bit>,
    next_number: DFF<Bits<16>>,
    /// NxtRx - cur.
    distance: DFF<Bits<16>>,
    at_next: DFF<Bit>,
    behind: DFF<Bit>,
    late_left: DFF<Bits<16>>,
    any_late: DFF<Bit>,
    marker_open: DFF<Bit>,
    obeyed: DFF<Bit>,
    latched: DFF<Bit>,
    accepts: DFF<Bit>,
    event_tossed: DFF<Bit>,
    event_duplicate: DFF<Bit>,
    event_gap: DFF<Bit>,
    event_unexpected: DFF<Bit>,
    event_iso: DFF<Bit>,
    action: DFF<Bits<2>>,
    action_state: DFF<Bits<2>>,

    behind_first: Signal<Local, Bit>,
    single: Signal<Local, Bit>,
    reliable: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    repeated: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    restarts: Signal<Local, Bit>,
    obeys: Signal<Local, Bit>,
    latch: Constant<Bits<2>>,
    compare: Constant<Bits<2>>,
    unknown: Constant<Bits<2>>,
    discard: Constant<Bits<2>>,
}

impl Default for LtpRxToss {
    fn default() -> Self {
        let code = |action: IsolateAction| Constant::new(u64::from(action.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            fresh: Default::default(),
            open: Default::default(),
            blocked: Default::default(),
            good: Default::default(),
            bad: Default::default(),
            null_ltp: Default::default(),
            marker: Default::default(),
            second: Default::default(),
            retrain: Default::default(),
            marker_first: Default::default(),
            marker_write: Default::default(),
            state: Default::default(),
            accepting: Default::default(),
            late: Default::default(),
            second_half: Default::default(),
            tossing: Default::default(),
            next_rx: Default::default(),
            delivers: Default::default(),
            alone: Default::default(),
            asks: Default::default(),
            bad_in_toss: Default::default(),
            tossed: Default::default(),
            duplicate: Default::default(),
            gap: Default::default(),
            unexpected: Default::default(),
            iso_valid: Default::default(),
            iso_action: Default::default(),
            iso_state: Default::default(),
            normal: Default::default(),
            next_number: Default::default(),
            distance: Default::default(),
            at_next: Default::default(),
            behind: Default::default(),
            late_left: Default::default(),
            any_late: Default::default(),
            marker_open: Default::default(),
            obeyed: Default::default(),
            latched: Default::default(),
            accepts: Default::default(),
            event_tossed: Default::default(),
            event_duplicate: Default::default(),
            event_gap: Default::default(),
            event_unexpected: Default::default(),
            event_iso: Default::default(),
            action: Default::default(),
            action_state: Default::default(),
            behind_first: Default::default(),
            single: Default::default(),
            reliable: Default::default(),
            taken: Default::default(),
            repeated: Default::default(),
            breaks: Default::default(),
            restarts: Default::default(),
            obeys: Default::default(),
            latch: code(IsolateAction::Latch),
            compare: code(IsolateAction::Compare),
            unknown: code(IsolateAction::Unknown),
            discard: code(IsolateAction::Discard),
        }
    }
}

impl Logic for LtpRxToss {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, normal, next_number, distance, at_next, behind, late_left, any_late);
        dff_setup!(self, clock, marker_open, obeyed, latched, accepts);
        dff_setup!(self, clock, event_tossed, event_duplicate, event_gap, event_unexpected);
        dff_setup!(self, clock, event_iso, action, action_state);

        // Which row of the table it is. `clear` undoes it at the end: it comes late.
        self.behind_first.next = (self.good.val() | self.bad.val()) & self.marker_open.q.val();
        self.single.next = self.good.val() & self.null_ltp.val() & !self.marker_open.q.val();
        self.reliable.next = self.good.val() & !self.null_ltp.val() & !self.marker_open.q.val();
        self.taken.next = self.reliable.val() & self.accepts.q.val();
        self.repeated.next = self.reliable.val() & self.normal.q.val() & self.behind.q.val();
        self.breaks.next = self.bad.val() & self.normal.q.val() & !self.marker_open.q.val();
        self.bad_in_toss.next = self.bad.val() & !self.normal.q.val() & !self.marker_open.q.val();
        self.restarts.next = self.single.val() & self.retrain.val();
        self.obeys.next =
            self.behind_first.val() | (self.single.val() & self.marker.val() & self.second.val());
        self.event_tossed.d.next = (self.reliable.val() & !self.normal.q.val())
            | (self.bad.val() & !self.normal.q.val() & !self.marker_open.q.val());
        self.event_duplicate.d.next = self.repeated.val();
        self.event_gap.d.next =
            self.reliable.val() & self.normal.q.val() & !self.behind.q.val() & !self.at_next.q.val();
        self.event_unexpected.d.next = self.obeys.val() & self.normal.q.val();
        self.event_iso.d.next = false;
        self.action_state.d.next = 0.into();

        // What becomes of the numbers.
        if self.good.val() | self.bad.val() {
            self.marker_open.d.next = self.single.val() & self.marker.val() & !self.second.val();
        }
        if (self.taken.val() | self.repeated.val()) & self.any_late.q.val() {
            self.late_left.d.next = self.late_left.q.val() - 1;
        }
        if self.taken.val() {
            self.next_number.d.next = self.next_number.q.val() + 1;
            self.event_iso.d.next = self.latched.q.val();
            self.action.d.next = self.compare.val();
            self.action_state.d.next = self.state.val();
            self.latched.d.next = false;
        }
        if self.repeated.val() {
            self.distance.d.next = self.distance.q.val() - 1;
        }
        if self.breaks.val() | self.restarts.val() {
            self.normal.d.next = false;
            self.late_left.d.next = 0.into();
        }
        if self.breaks.val() & self.at_next.q.val() {
            self.event_iso.d.next = true;
            self.action.d.next = self.latch.val();
            self.action_state.d.next = self.state.val();
            self.latched.d.next = true;
        }
        self.obeyed.d.next = self.obeys.val();
        if self.obeys.val() {
            self.normal.d.next = true;
        }
        if self.obeyed.q.val() {
            self.distance.d.next = self.next_number.q.val() - self.marker_first.val();
            self.late_left.d.next = self.marker_write.val() - self.marker_first.val();
            if self.latched.q.val() & (self.marker_write.val() == self.next_number.q.val()) {
                self.event_iso.d.next = true;
                self.action.d.next = self.unknown.val();
                self.latched.d.next = false;
            }
        }
        if self.clear.val() {
            self.normal.d.next = false;
            self.distance.d.next = 0.into();
            self.late_left.d.next = 0.into();
            self.marker_open.d.next = false;
            self.obeyed.d.next = false;
            self.event_iso.d.next = self.latched.q.val();
            self.action.d.next = self.discard.val();
            self.action_state.d.next = 0.into();
            self.latched.d.next = false;
            self.event_tossed.d.next = false;
            self.event_duplicate.d.next = false;
            self.event_gap.d.next = false;
            self.event_unexpected.d.next = false;
            self.next_number.d.next = self.next_number.q.val();
            if self.fresh.val() {
                self.next_number.d.next = 0.into();
            }
        }

        // Ready for the next verdict.
        self.at_next.d.next = !self.distance.q.val().any();
        self.behind.d.next = self.distance.q.val().any() & !self.distance.q.val().get_bit(15);
        self.any_late.d.next = self.late_left.q.val().any();
        self.accepts.d.next = self.open.val()
            | (self.normal.q.val()
                & self.at_next.q.val()
                & !self.marker_open.q.val()
                & !self.blocked.val()
                & !self.clear.val());

        self.accepting.next = self.accepts.q.val();
        self.late.next = self.any_late.q.val();
        self.second_half.next = self.behind_first.val();
        self.tossing.next = !self.normal.q.val();
        self.next_rx.next = self.next_number.q.val();
        self.delivers.next = self.taken.val();
        self.alone.next = self.single.val();
        self.asks.next = self.breaks.val() | self.restarts.val();
        self.tossed.next = self.event_tossed.q.val();
        self.duplicate.next = self.event_duplicate.q.val();
        self.gap.next = self.event_gap.q.val();
        self.unexpected.next = self.event_unexpected.q.val();
        self.iso_valid.next = self.event_iso.q.val();
        self.iso_action.next = self.action.q.val();
        self.iso_state.next = self.action_state.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_rx_toss", &[])
    }
}

drive_ports!(impl[] LtpRxToss { clock, clear, fresh, open, blocked, good, bad, null_ltp, marker, second, retrain, marker_first, marker_write, state, accepting, late, second_half, tossing, next_rx, delivers, alone, asks, bad_in_toss, tossed, duplicate, gap, unexpected, iso_valid, iso_action, iso_state });
