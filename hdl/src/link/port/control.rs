//! What the state of the link means for retry, and what retry, lanes and software ask of the state.

use super::limits::PortLimits;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::retry::{
    toss_ltps, INIT_SILENCE_LTPS, LONG_SILENCE_LTPS, SILENCE_LTPS, STALL_CLOCKS,
};

/// Counters behind the bits of [`PortControl::events`].
pub const CONTROL_COUNTERS: [LinkCounter; CONTROL_EVENTS] =
    [LinkCounter::Reinit, LinkCounter::ElasticErr, LinkCounter::DeskewLost];
/// Number of events of the state.
pub const CONTROL_EVENTS: usize = 3;
/// Changes of the state, as `changes` has them: Active, Down, Retraining entered, RETRY_LIMIT reached.
pub const CHANGES: usize = 4;
/// Bits that count the LTP times without a row, the top one for "too many" in Init.
const SILENT_BITS: usize = 11;
/// Bits that count the clocks without an LTP of its own, the top one for "too many".
const STALL_BITS: usize = 12;
const _: () =
    assert!(1 << (SILENT_BITS - 1) == INIT_SILENCE_LTPS, "the top bit says that Init has been silent");
const _: () = assert!(1 << 6 == LONG_SILENCE_LTPS, "bit 6 says that Active has been silent for long");
const _: () = assert!(SILENCE_LTPS == 3, "silence is told by the bits below the third and those from it on");
const _: () = assert!(1 << (STALL_BITS - 1) == STALL_CLOCKS, "the top bit says that nothing is sent");

/// The state of `link_train` on one side, retry, lanes and registers on the other.
///
/// | from | to |
/// |---|---|
/// | Init, Active, Degraded | `run`: retry, gearbox and receiver work |
/// | Bist | `in_test`: the lanes belong to the lane test, retry is OFF |
/// | end of the exchange of Init | `init_done`, one clock |
/// | CTRL.retrain, gap, lost framing, a limit, a FIFO of the PHY in Init, Active or Degraded; no row in INIT_SILENCE_LTPS (Init) or LONG_SILENCE_LTPS (Active, Degraded); no LTP of its own in STALL_CLOCKS | `retrain`, one clock |
/// | Active, Degraded: no row in SILENCE_LTPS | `silence`, with each LTP time |
/// | REINIT_LIMIT, of the transmit side or of the receiver | `give_up`, one clock |
/// | CTRL.disable | `enable_link` is low until Down, even if CTRL.enable is set again at once |
///
/// `run` hangs on the state alone; `in_test`, `is_down` and `enter` on that of the clock before: they are part of long paths. `retrain` and `give_up`
/// come 1 to 3 clocks behind their cause.
#[derive(LogicBlock)]
pub struct PortControl {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// State of `link_train`.
    pub state: Signal<In, Bits<3>>,
    /// CTRL.enable.
    pub enable: Signal<In, Bit>,
    /// Pulse: CTRL.disable.
    pub go_down: Signal<In, Bit>,
    /// Pulse: CTRL.retrain.
    pub ctrl_retrain: Signal<In, Bit>,
    /// Register RETRY_CFG.
    pub retry_cfg: Signal<In, Bits<56>>,
    /// Transmit side: the exchange of Init is over.
    pub tx_done: Signal<In, Bit>,
    /// Transmit side: Retraining is asked for.
    pub tx_retrain: Signal<In, Bit>,
    /// With `tx_retrain`: REINIT_LIMIT is reached.
    pub tx_down: Signal<In, Bit>,
    /// Transmit side, event BAD_POINTER.
    pub bad_pointer: Signal<In, Bit>,
    /// RTT_LTP.
    pub round_trip: Signal<In, Bits<16>>,
    /// Receiver: a good LTP ahead of NxtRx.
    pub gap: Signal<In, Bit>,
    /// Receiver: BAD_RUN bad LTPs.
    pub framing_lost: Signal<In, Bit>,
    /// Receiver: a request beyond RETRY_LIMIT.
    pub request_limit: Signal<In, Bit>,
    /// Receiver: NxtRx.
    pub next_rx: Signal<In, Bits<16>>,
    /// Receiver: the gearbox lost a beat.
    pub overrun: Signal<In, Bit>,
    /// Lanes: a row comes.
    pub row: Signal<In, Bit>,
    /// Transmit side: an LTP of its own is decided.
    pub ltp_time: Signal<In, Bit>,
    /// PHY: a lane FIFO ran over or empty.
    pub elastic_error: Signal<In, Bit>,
    /// Lanes: event DESKEW_LOST.
    pub deskew_lost: Signal<In, Bit>,
    /// To `link_train`: CTRL.enable in force.
    pub enable_link: Signal<Out, Bit>,
    /// Init, Active or Degraded.
    pub run: Signal<Out, Bit>,
    /// Bist.
    pub in_test: Signal<Out, Bit>,
    /// Event: no row for SILENCE_LTPS; to the transmit side, as two bad LTPs are.
    pub silence: Signal<Out, Bit>,
    /// Down.
    pub is_down: Signal<Out, Bit>,
    /// Active or Degraded is entered, the first clock of it.
    pub enter: Signal<Out, Bit>,
    /// To `link_train`, pulse.
    pub init_done: Signal<Out, Bit>,
    /// To `link_train`, pulse.
    pub retrain: Signal<Out, Bit>,
    /// To `link_train`, pulse.
    pub give_up: Signal<Out, Bit>,
    /// TOSS_LTPS in force: RETRY_CFG, or 2 RTT_LTP + R/4 + 16 if that is 0; 65535 at most.
    pub toss_ltps: Signal<Out, Bits<16>>,
    /// Events: see [`CHANGES`].
    pub changes: Signal<Out, Bits<CHANGES>>,
    /// Events of [`CONTROL_COUNTERS`].
    pub events: Signal<Out, Bits<CONTROL_EVENTS>>,

    limits: PortLimits,
    going_down: DFF<Bit>,
    was_up: DFF<Bit>,
    was_elsewhere: DFF<Bit>,
    was_retraining: DFF<Bit>,
    was_done: DFF<Bit>,
    downs: DFF<Bit>,
    enters: DFF<Bit>,
    had_retrain: DFF<Bit>,
    /// The request to retrain that the transmit side makes is for a pointer.
    pointer_seen: DFF<Bit>,
    asks: DFF<Bit>,
    toss: DFF<Bits<16>>,
    /// LTP times since the last row; what says "too many" is up for one clock.
    silent: DFF<Bits<SILENT_BITS>>,
    /// Clocks since the last LTP of its own; the top bit is up for one clock.
    stalled: DFF<Bits<STALL_BITS>>,
    too_silent: Signal<Local, Bit>,
    tests: DFF<Bit>,
    up: Signal<Local, Bit>,
    in_init: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    down_now: Signal<Local, Bit>,
    retraining_now: Signal<Local, Bit>,
    fifo_error: Signal<Local, Bit>,
    tx_asks: Signal<Local, Bit>,
    tx_limit: Signal<Local, Bit>,
    by_formula: Signal<Local, Bits<18>>,
    init: Constant<Bits<3>>,
    active: Constant<Bits<3>>,
    degraded: Constant<Bits<3>>,
    retraining: Constant<Bits<3>>,
    bist: Constant<Bits<3>>,
    toss_base: Constant<Bits<18>>,
    toss_most: Constant<Bits<16>>,
}

impl PortControl {
    /// Down, for `slots` replay slots of the peer's transmit side, which are taken to be as many as the own ones.
    pub fn new(slots: usize) -> Self {
        let code = |state: LinkState| Constant::new(u64::from(state.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            state: Default::default(),
            enable: Default::default(),
            go_down: Default::default(),
            ctrl_retrain: Default::default(),
            retry_cfg: Default::default(),
            tx_done: Default::default(),
            tx_retrain: Default::default(),
            tx_down: Default::default(),
            bad_pointer: Default::default(),
            round_trip: Default::default(),
            gap: Default::default(),
            framing_lost: Default::default(),
            request_limit: Default::default(),
            next_rx: Default::default(),
            overrun: Default::default(),
            row: Default::default(),
            ltp_time: Default::default(),
            elastic_error: Default::default(),
            deskew_lost: Default::default(),
            enable_link: Default::default(),
            run: Default::default(),
            in_test: Default::default(),
            silence: Default::default(),
            is_down: Default::default(),
            enter: Default::default(),
            init_done: Default::default(),
            retrain: Default::default(),
            give_up: Default::default(),
            toss_ltps: Default::default(),
            changes: Default::default(),
            events: Default::default(),
            limits: Default::default(),
            going_down: Default::default(),
            was_up: Default::default(),
            was_elsewhere: Default::default(),
            was_retraining: Default::default(),
            was_done: Default::default(),
            downs: Default::default(),
            enters: Default::default(),
            had_retrain: Default::default(),
            pointer_seen: Default::default(),
            asks: Default::default(),
            toss: Default::default(),
            silent: Default::default(),
            stalled: Default::default(),
            too_silent: Default::default(),
            tests: Default::default(),
            up: Default::default(),
            in_init: Default::default(),
            runs: Default::default(),
            down_now: Default::default(),
            retraining_now: Default::default(),
            fifo_error: Default::default(),
            tx_asks: Default::default(),
            tx_limit: Default::default(),
            by_formula: Default::default(),
            init: code(LinkState::Init),
            active: code(LinkState::Active),
            degraded: code(LinkState::Degraded),
            retraining: code(LinkState::Retraining),
            bist: code(LinkState::Bist),
            toss_base: Constant::new(u64::from(toss_ltps(0, slots)).into()),
            toss_most: Constant::new(0xFFFF.into()),
        }
    }
}

impl Logic for PortControl {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, going_down, was_up, was_elsewhere, was_retraining, was_done, had_retrain);
        dff_setup!(self, clock, pointer_seen, asks, toss, silent, stalled, tests, downs, enters);
        clock!(self, clock, limits);

        // The state.
        self.up.next = (self.state.val() == self.active.val()) | (self.state.val() == self.degraded.val());
        self.in_init.next = self.state.val() == self.init.val();
        self.runs.next = self.up.val() | self.in_init.val();
        self.down_now.next = !self.state.val().any();
        self.retraining_now.next = self.state.val() == self.retraining.val();
        self.was_up.d.next = self.up.val();
        self.was_elsewhere.d.next = !self.down_now.val();
        self.was_retraining.d.next = self.retraining_now.val();
        self.run.next = self.runs.val();
        self.tests.d.next = self.state.val() == self.bist.val();
        self.in_test.next = self.tests.q.val();
        self.downs.d.next = self.down_now.val();
        self.is_down.next = self.downs.q.val();
        self.enters.d.next = self.up.val() & !self.was_up.q.val();
        self.enter.next = self.enters.q.val();

        // CTRL.
        self.going_down.d.next = (self.going_down.q.val() & !self.down_now.val()) | self.go_down.val();
        self.enable_link.next = self.enable.val() & !self.going_down.q.val() & !self.go_down.val();

        // What the transmit side asks for, once.
        self.was_done.d.next = self.tx_done.val() & self.runs.val();
        self.init_done.next = self.tx_done.val() & self.runs.val() & !self.was_done.q.val();
        self.had_retrain.d.next = self.tx_retrain.val() & self.runs.val();
        self.tx_asks.next = self.tx_retrain.val() & self.runs.val() & !self.had_retrain.q.val();
        self.pointer_seen.d.next = (self.pointer_seen.q.val() | self.bad_pointer.val()) & self.runs.val();
        self.tx_limit.next = self.tx_asks.val() & self.tx_done.val() & !self.pointer_seen.q.val();

        // A line on which no row comes.
        if self.ltp_time.val() {
            self.silent.d.next = self.silent.q.val() + 1;
        }
        self.too_silent.next = (self.in_init.val() & self.silent.q.val().get_bit(10))
            | (self.up.val() & self.silent.q.val().get_bit(6));
        if self.row.val() | !self.runs.val() | self.too_silent.val() {
            self.silent.d.next = 0.into();
        }
        // Of the clock before: `state` comes from far away, and this goes on to retry.
        self.silence.next = (self.was_up.q.val() & self.ltp_time.val())
            & (self.silent.q.val().get_bits::<2>(0).all() | self.silent.q.val().get_bits::<9>(2).any());

        // A lane whose PHY takes no words holds up all: nothing is sent.
        self.stalled.d.next = self.stalled.q.val() + 1;
        if self.ltp_time.val() | !self.runs.val() | self.stalled.q.val().get_bit(11) {
            self.stalled.d.next = 0.into();
        }

        // What the receiver and the PHY ask for.
        self.limits.clear.next = self.clear.val() | self.down_now.val();
        self.limits.reinit_limit.next = self.retry_cfg.val().get_bits::<8>(8);
        self.limits.request_limit.next = self.request_limit.val() & self.runs.val();
        self.limits.next_rx.next = self.next_rx.val();
        self.fifo_error.next = (self.elastic_error.val() | self.overrun.val()) & self.runs.val();
        self.asks.d.next = (self.ctrl_retrain.val() | self.gap.val())
            | (self.framing_lost.val() | self.fifo_error.val())
            | (self.too_silent.val() | self.stalled.q.val().get_bit(11))
            | (self.tx_asks.val() & !self.tx_down.val());
        self.retrain.next = self.asks.q.val() | self.limits.retrain.val();
        self.give_up.next = (self.tx_asks.val() & self.tx_down.val()) | self.limits.give_up.val();

        // TOSS_LTPS.
        self.by_formula.next = (bit_cast::<18, 16>(self.round_trip.val()) << 1) + self.toss_base.val();
        self.toss.d.next = self.by_formula.val().get_bits::<16>(0);
        if self.by_formula.val().get_bits::<2>(16).any() {
            self.toss.d.next = self.toss_most.val();
        }
        if self.retry_cfg.val().get_bits::<16>(24).any() {
            self.toss.d.next = self.retry_cfg.val().get_bits::<16>(24);
        }
        self.toss_ltps.next = self.toss.q.val();

        // Events.
        self.changes.next = bit_cast::<CHANGES, 1>((self.up.val() & !self.was_up.q.val()).into())
            | (bit_cast::<CHANGES, 1>((self.down_now.val() & self.was_elsewhere.q.val()).into()) << 1)
            | (bit_cast::<CHANGES, 1>((self.retraining_now.val() & !self.was_retraining.q.val()).into())
                << 2)
            | (bit_cast::<CHANGES, 1>((self.tx_limit.val() | self.limits.reached.val()).into()) << 3);
        self.events.next =
            bit_cast::<CONTROL_EVENTS, 1>((self.retraining_now.val() & self.was_up.q.val()).into())
                | (bit_cast::<CONTROL_EVENTS, 1>(self.fifo_error.val().into()) << 1)
                | (bit_cast::<CONTROL_EVENTS, 1>(self.deskew_lost.val().into()) << 2);
        if self.clear.val() {
            self.going_down.d.next = false;
            self.asks.d.next = false;
            self.pointer_seen.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_control", &[("toss", self.toss_base.val().index().to_string())])
    }
}

drive_ports!(impl[] PortControl {
    clock, clear, state, enable, go_down, ctrl_retrain, retry_cfg, tx_done, tx_retrain, tx_down, bad_pointer, round_trip, gap,
    framing_lost, request_limit, next_rx, overrun, row, ltp_time, elastic_error, deskew_lost, enable_link, run, in_test, silence, is_down, enter,
    init_done, retrain, give_up, toss_ltps, changes, events,
});
