//! What the state of the link means for retry, and what retry, lanes and software ask of the state.

use super::limits::PortLimits;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::retry::{
    toss_ltps, INIT_SILENCE_LTPS, LONG_SILENCE_LTPS, SILENCE_LTPS, STALL_CLOCKS,
};

/// Counters after the bits of [`PortControl::events`].
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
/// come 1 to 3 clocks after their cause.
#[block(new)]
pub struct PortControl {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// State of `link_train`.
    state: In<Bits<3>>,
    /// CTRL.enable.
    enable: In<Bit>,
    /// Pulse: CTRL.disable.
    go_down: In<Bit>,
    /// Pulse: CTRL.retrain.
    ctrl_retrain: In<Bit>,
    /// Register RETRY_CFG.
    retry_cfg: In<Bits<56>>,
    /// Transmit side: the exchange of Init is over.
    tx_done: In<Bit>,
    /// Transmit side: Retraining is asked for.
    tx_retrain: In<Bit>,
    /// With `tx_retrain`: REINIT_LIMIT is reached.
    tx_down: In<Bit>,
    /// Transmit side, event BAD_POINTER.
    bad_pointer: In<Bit>,
    /// RTT_LTP.
    round_trip: In<Bits<16>>,
    /// Receiver: a good LTP ahead of NxtRx.
    gap: In<Bit>,
    /// Receiver: BAD_RUN bad LTPs.
    framing_lost: In<Bit>,
    /// Receiver: a request beyond RETRY_LIMIT.
    request_limit: In<Bit>,
    /// Receiver: NxtRx.
    next_rx: In<Bits<16>>,
    /// Receiver: the gearbox lost a beat.
    overrun: In<Bit>,
    /// Lanes: a row comes.
    row: In<Bit>,
    /// Transmit side: an LTP of its own is decided.
    ltp_time: In<Bit>,
    /// PHY: a lane FIFO ran over or empty.
    elastic_error: In<Bit>,
    /// Lanes: event DESKEW_LOST.
    deskew_lost: In<Bit>,
    /// To `link_train`: CTRL.enable in force.
    enable_link: Out<Bit>,
    /// Init, Active or Degraded.
    run: Out<Bit>,
    /// Bist.
    in_test: Out<Bit>,
    /// Event: no row for SILENCE_LTPS; to the transmit side, as two bad LTPs are.
    silence: Out<Bit>,
    /// Down.
    is_down: Out<Bit>,
    /// Active or Degraded is entered, the first clock of it.
    enter: Out<Bit>,
    /// To `link_train`, pulse.
    init_done: Out<Bit>,
    /// To `link_train`, pulse.
    retrain: Out<Bit>,
    /// To `link_train`, pulse.
    give_up: Out<Bit>,
    /// TOSS_LTPS in force: RETRY_CFG, or 2 RTT_LTP + R/4 + 16 if that is 0; 65535 at most.
    toss_ltps: Out<Bits<16>>,
    /// Events: see [`CHANGES`].
    changes: Out<Bits<CHANGES>>,
    /// Events of [`CONTROL_COUNTERS`].
    events: Out<Bits<CONTROL_EVENTS>>,

    #[wire(clock)]
    limits: PortLimits,
    going_down: Reg<Bit>,
    was_up: Reg<Bit>,
    was_elsewhere: Reg<Bit>,
    was_retraining: Reg<Bit>,
    was_done: Reg<Bit>,
    downs: Reg<Bit>,
    enters: Reg<Bit>,
    had_retrain: Reg<Bit>,
    /// The request to retrain that the transmit side makes is for a pointer.
    pointer_seen: Reg<Bit>,
    asks: Reg<Bit>,
    toss: Reg<Bits<16>>,
    /// LTP times since the last row; what says "too many" is up for one clock.
    silent: Reg<Bits<SILENT_BITS>>,
    /// Clocks since the last LTP of its own; the top bit is up for one clock.
    stalled: Reg<Bits<STALL_BITS>>,
    too_silent: Local<Bit>,
    tests: Reg<Bit>,
    up: Local<Bit>,
    in_init: Local<Bit>,
    runs: Local<Bit>,
    down_now: Local<Bit>,
    retraining_now: Local<Bit>,
    fifo_error: Local<Bit>,
    init: Constant<Bits<3>>,
    active: Constant<Bits<3>>,
    degraded: Constant<Bits<3>>,
    retraining: Constant<Bits<3>>,
    bist: Constant<Bits<3>>,
    toss_base: Constant<Bits<18>>,
    #[init(0xFFFF)]
    toss_most: Constant<Bits<16>>,
}

#[logic]
impl PortControl {
    /// Down, for `slots` replay slots of the peer's transmit side, which are taken to be as many as the own ones.
    pub fn new(slots: usize) -> Self {
        let code = |state: LinkState| Constant::new(u64::from(state.code()).into());
        Self {
            init: code(LinkState::Init),
            active: code(LinkState::Active),
            degraded: code(LinkState::Degraded),
            retraining: code(LinkState::Retraining),
            bist: code(LinkState::Bist),
            toss_base: Constant::new(u64::from(toss_ltps(0, slots)).into()),
            ..
        }
    }

    fn update(&mut self) {
        // The state.
        up = (state == active) | (state == degraded);
        in_init = state == init;
        runs = up | in_init;
        down_now = !state.any();
        retraining_now = state == retraining;
        was_up = up;
        was_elsewhere = !down_now;
        was_retraining = retraining_now;
        run = runs;
        tests = state == bist;
        in_test = tests;
        downs = down_now;
        is_down = downs;
        enters = up & !was_up;
        enter = enters;

        // CTRL.
        going_down = (going_down & !down_now) | go_down;
        enable_link = enable & !going_down & !go_down;

        // What the transmit side asks for, once.
        was_done = tx_done & runs;
        init_done = tx_done & runs & !was_done;
        had_retrain = tx_retrain & runs;
        let tx_asks = tx_retrain & runs & !had_retrain;
        pointer_seen = (pointer_seen | bad_pointer) & runs;
        let tx_limit = tx_asks & tx_done & !pointer_seen;

        self.watch_line();

        // A lane whose PHY takes no words holds up all: nothing is sent.
        stalled = stalled + 1;
        if ltp_time | !runs | stalled[11] {
            stalled = 0;
        }

        // What the receiver and the PHY ask for.
        limits = In { clear: clear | down_now, reinit_limit: retry_cfg.bits::<8>(8) };
        limits = In { request_limit: request_limit & runs, next_rx };
        fifo_error = (elastic_error | overrun) & runs;
        asks = (ctrl_retrain | gap)
            | (framing_lost | fifo_error)
            | (too_silent | stalled[11])
            | (tx_asks & !tx_down);
        retrain = asks | limits.retrain;
        give_up = (tx_asks & tx_down) | limits.give_up;

        // TOSS_LTPS.
        let by_formula = (bit_cast::<18, 16>(round_trip) << 1) + toss_base;
        toss = by_formula.bits::<16>(0);
        if by_formula.bits::<2>(16).any() {
            toss = toss_most;
        }
        if retry_cfg.bits::<16>(24).any() {
            toss = retry_cfg.bits::<16>(24);
        }
        toss_ltps = toss;

        // Events.
        changes = bit_cast::<CHANGES, 1>((up & !was_up).into())
            | (bit_cast::<CHANGES, 1>((down_now & was_elsewhere).into()) << 1)
            | (bit_cast::<CHANGES, 1>((retraining_now & !was_retraining).into()) << 2)
            | (bit_cast::<CHANGES, 1>((tx_limit | limits.reached).into()) << 3);
        events = bit_cast::<CONTROL_EVENTS, 1>((retraining_now & was_up).into())
            | (bit_cast::<CONTROL_EVENTS, 1>(fifo_error.into()) << 1)
            | (bit_cast::<CONTROL_EVENTS, 1>(deskew_lost.into()) << 2);
        if clear {
            going_down = false;
            asks = false;
            pointer_seen = false;
        }
    }

    /// A line on which no row comes.
    fn watch_line(&mut self) {
        if ltp_time {
            silent = silent + 1;
        }
        too_silent = (in_init & silent[10]) | (up & silent[6]);
        if row | !runs | too_silent {
            silent = 0;
        }
        // Of the clock before: `state` comes from far away, and this goes on to retry.
        silence = (was_up & ltp_time) & (silent.bits::<2>(0).all() | silent.bits::<9>(2).any());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_control", &[("toss", self.toss_base.val().index().to_string())])
    }
}
