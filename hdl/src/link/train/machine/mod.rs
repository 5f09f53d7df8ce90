//! The state machine of one end: its ports, registers and constants; what it does is in `logic`.

mod logic;

use super::LinkTrainConfig;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_protocol::lane_word::training_set_2;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::training::{TrainReason, APART_SETS, BLIND_SETS, LAST_REQUEST};
use std::array;

/// Bits of the counter of sets in a row, which also counts POLL_WAIT.
pub(super) const STABLE_BITS: usize = 14;
/// Bits of the counters of TS2 seen and sent.
pub(super) const SEEN_BITS: usize = 5;
/// Bits of the timer of Training and Retraining.
pub(super) const TIMER_BITS: usize = 18;
/// Bits of the counter of tries.
pub(super) const TRIES_BITS: usize = 4;
/// Bits of the number of a request.
pub(super) const REQUEST_BITS: usize = training_set_2::request::WIDTH;
const _: () = assert!((1 << REQUEST_BITS) - 1 == LAST_REQUEST, "after a request of ones comes 1");
/// Bits of the count of sets with lanes too far apart.
const APART_BITS: usize = 3;
/// Bits of the count of sets without a common view of the peer.
const UNSEEN_BITS: usize = 4;
const _: () = assert!(1 << UNSEEN_BITS == BLIND_SETS, "lanes are locked anew when the count is full");
const _: () = assert!(1 << APART_BITS == APART_SETS, "a lane is left out when the count is full");
/// Bits of the reason.
pub(super) const REASON_BITS: usize = 4;

/// Number of reasons.
const REASONS: usize = TrainReason::ALL.len();

/// The state machine of chapter 10, 4.6, one step per training-set time.
///
/// A step goes over several clocks, the phases of [`TrainView`](super::TrainView): an event is taken in phase 4, locks
/// and timer move on in phase 5; what the sets say is judged in phase 8 and 9, and the state changes in phase 10.
#[derive(LogicBlock)]
pub struct TrainMachine<const PROBATION: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: Down, epoch 0.
    pub clear: Signal<In, Bit>,
    /// Phase of the view.
    pub phase: Signal<In, Bits<4>>,
    /// CTRL.ENABLE; 0 is CTRL.DISABLE.
    pub enable: Signal<In, Bit>,
    /// LANES.allowed.
    pub allowed: Signal<In, Bits<4>>,
    /// The event of this step, in phase 4, if it is one of `heeded`; bits as [`TrainEvents`](super::TrainEvents) has them.
    pub event: Signal<In, Bits<7>>,
    /// With `event`: it leads to Retraining.
    pub event_retrains: Signal<In, Bit>,
    /// Lane of event RemoveLane.
    pub event_lane: Signal<In, Bits<2>>,
    /// Lanes (sender's numbers) that are locked.
    pub locked: Signal<In, Bits<4>>,
    /// A lane of `rx_lanes` has a set; in phases 6 to 9.
    pub called: Signal<In, Bit>,
    /// It is a TS1.
    pub called_by_ts1: Signal<In, Bit>,
    /// Pulse: the peer's start row has come.
    pub row_start: Signal<In, Bit>,
    /// Pulse: it is not as agreed.
    pub start_mismatch: Signal<In, Bit>,
    /// The sets agree.
    pub agreed: Signal<In, Bit>,
    /// All of them are TS2.
    pub all_ts2: Signal<In, Bit>,
    /// They answer `request`.
    pub answered: Signal<In, Bit>,
    /// Request that the peer made last.
    pub peer_request: Signal<In, Bits<4>>,
    /// They say what they said before.
    pub same: Signal<In, Bit>,
    /// The lanes line up.
    pub lined_up: Signal<In, Bit>,
    /// Lanes to receive on.
    pub used: Signal<In, Bits<4>>,
    /// Lanes to send on.
    pub to_send: Signal<In, Bits<4>>,
    /// Both ends have a CRC mode in common.
    pub mode_possible: Signal<In, Bit>,
    /// CRC mode to send in.
    pub mode_to_send: Signal<In, Bits<2>>,
    /// CRC mode to receive in.
    pub mode_to_receive: Signal<In, Bits<2>>,
    /// If lanes are too far apart: the one to leave out; in phases 8 to 14.
    pub late: Signal<In, Bits<4>>,
    /// The lanes have the last word of a set.
    pub at_set_end: Signal<In, Bit>,
    /// A row waits to be sent.
    pub row_waits: Signal<In, Bit>,
    /// If lanes come back from probation, with event Retrain: these do, by the sender's numbers.
    pub returned: [Signal<In, Bits<4>>; PROBATION],

    /// State, as register STATUS shows it.
    pub state: Signal<Out, Bits<3>>,
    /// Why it changed last.
    pub reason: Signal<Out, Bits<REASON_BITS>>,
    /// Init, Active, Degraded or Bist: rows may move.
    pub running: Signal<Out, Bit>,
    /// Events that mean something in this state.
    pub heeded: Signal<Out, Bits<7>>,
    /// Polling, Training or Retraining.
    pub training: Signal<Out, Bit>,
    /// Training or Retraining, TS2.
    pub confirming: Signal<Out, Bit>,
    /// TS2 is to be sent: while the end confirms, and on from there until a row waits.
    pub announces: Signal<Out, Bit>,
    /// Nothing is known from before.
    pub fresh: Signal<Out, Bit>,
    /// Epoch.
    pub epoch: Signal<Out, Bits<16>>,
    /// Lanes, by the peer's numbers, that the peer is asked to use.
    pub rx_ok: Signal<Out, Bits<4>>,
    /// The same as told in the sets.
    pub told_rx_ok: Signal<Out, Bits<4>>,
    /// Number of what the peer is asked for (rule 9).
    pub request: Signal<Out, Bits<REQUEST_BITS>>,
    /// The peer's request that was seen last, as told in the sets; 0 = none.
    pub told_answer: Signal<Out, Bits<REQUEST_BITS>>,
    /// Lanes that send sets.
    pub send: Signal<Out, Bits<4>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<Out, Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    pub rx_lanes: Signal<Out, Bits<4>>,
    /// CRC mode sent in.
    pub tx_mode: Signal<Out, Bits<2>>,
    /// CRC mode received in.
    pub rx_mode: Signal<Out, Bits<2>>,
    /// The start row goes out after the word that the lanes have now.
    pub start: Signal<Out, Bit>,
    /// Pulse: what was seen becomes what the peer says.
    pub keep: Signal<Out, Bit>,
    /// Pulse: masks and modes change now.
    pub agree: Signal<Out, Bit>,
    /// Pulse: all lanes are to lock again.
    pub unlock: Signal<Out, Bit>,

    state_now: DFF<Bits<3>>,
    // What `state_now` is.
    is_up: DFF<Bit>,
    is_polling: DFF<Bit>,
    trains: DFF<Bit>,
    is_init: DFF<Bit>,
    is_active: DFF<Bit>,
    is_bist: DFF<Bit>,
    linked: DFF<Bit>,
    /// `is_init` of the clock before, as the sets show it.
    was_init: DFF<Bit>,
    phase_4: DFF<Bit>,
    reason_now: DFF<Bits<REASON_BITS>>,
    is_locking: DFF<Bit>,
    is_confirming: DFF<Bit>,
    is_known: Register<Bit>,
    epoch_now: DFF<Bits<16>>,
    asked: DFF<Bits<4>>,
    request_now: DFF<Bits<REQUEST_BITS>>,
    answer_now: DFF<Bits<REQUEST_BITS>>,
    peer_known: DFF<Bit>,
    has_agreed: DFF<Bit>,
    lanes_out: DFF<Bits<4>>,
    lanes_in: DFF<Bits<4>>,
    mode_out: DFF<Bits<2>>,
    mode_in: DFF<Bits<2>>,
    begun: DFF<Bit>,
    start_due: DFF<Bit>,
    /// `start` of the clock before.
    was_starting: DFF<Bit>,
    row_waited: DFF<Bit>,
    apart: DFF<Bits<APART_BITS>>,
    unseen: DFF<Bits<UNSEEN_BITS>>,
    stable: DFF<Bits<STABLE_BITS>>,
    seen: DFF<Bits<SEEN_BITS>>,
    sent: DFF<Bits<SEEN_BITS>>,
    is_lined_up: DFF<Bit>,
    called_once: DFF<Bit>,
    started: DFF<Bit>,
    mismatched: DFF<Bit>,
    row_came: DFF<Bit>,
    row_was_wrong: DFF<Bit>,
    timer: DFF<Bits<TIMER_BITS>>,
    tries: DFF<Bits<TRIES_BITS>>,
    enabled: DFF<Bit>,
    // What phase 8 needs, from clocks before it.
    timer_over: DFF<Bit>,
    no_lane: DFF<Bit>,
    waited: DFF<Bit>,
    nearly_stable: DFF<Bit>,
    nearly_seen: DFF<Bit>,
    all_seen: DFF<Bit>,
    nearly_sent: DFF<Bit>,
    last_try: DFF<Bit>,
    found: DFF<Bits<4>>,
    found_all: DFF<Bit>,
    // Judged in phase 8.
    phase_9: DFF<Bit>,
    in_time: DFF<Bit>,
    too_late: DFF<Bit>,
    viewed: DFF<Bit>,
    blind: DFF<Bit>,
    changed: DFF<Bit>,
    directed: DFF<Bit>,
    sideband: DFF<Bit>,
    lanes_found: DFF<Bit>,
    stable_now: DFF<Bit>,
    seen_with_this: DFF<Bit>,
    // Done in phase 10.
    leave_out: DFF<Bit>,
    relock: DFF<Bit>,
    late_lane: DFF<Bits<4>>,
    go_down: DFF<Bit>,
    for_sideband: DFF<Bit>,
    go_up: DFF<Bit>,
    poll_again: DFF<Bit>,
    train: DFF<Bit>,
    train_again: DFF<Bit>,
    retrain: DFF<Bit>,
    settle: DFF<Bit>,
    fall_back: DFF<Bit>,
    confirm: DFF<Bit>,
    begin_init: DFF<Bit>,
    /// One of those that begin anew.
    renews: DFF<Bit>,

    built: Constant<Bits<4>>,
    agree_limit: Constant<Bits<TIMER_BITS>>,
    poll_limit: Constant<Bits<STABLE_BITS>>,
    stable_limit: Constant<Bits<STABLE_BITS>>,
    stable_before: Constant<Bits<STABLE_BITS>>,
    one_is_stable: Constant<Bit>,
    seen_limit: Constant<Bits<SEEN_BITS>>,
    seen_before: Constant<Bits<SEEN_BITS>>,
    sent_limit: Constant<Bits<SEEN_BITS>>,
    sent_before: Constant<Bits<SEEN_BITS>>,
    tries_before: Constant<Bits<TRIES_BITS>>,
    down: Constant<Bits<3>>,
    polling: Constant<Bits<3>>,
    in_training: Constant<Bits<3>>,
    init: Constant<Bits<3>>,
    active: Constant<Bits<3>>,
    retraining: Constant<Bits<3>>,
    degraded: Constant<Bits<3>>,
    bist: Constant<Bits<3>>,
    sideband_mode: Constant<Bits<2>>,
    reasons: [Constant<Bits<REASON_BITS>>; REASONS],

    waits_for_row: Signal<Local, Bit>,
    too_far: Signal<Local, Bit>,
    kept: Signal<Local, Bits<4>>,
    narrows: Signal<Local, Bit>,
    goes_to_init: Signal<Local, Bit>,
    next_state: Signal<Local, Bits<3>>,
    wanted: Signal<Local, Bits<4>>,
    wanted_locked: Signal<Local, Bits<4>>,
    in_view: Signal<Local, Bit>,
    still: Signal<Local, Bit>,
    confirms: Signal<Local, Bit>,
    peer_began: Signal<Local, Bit>,
    wrong_start: Signal<Local, Bit>,
    /// All lanes built are in use both ways; stands long before anybody asks.
    is_full: DFF<Bit>,
    disabled: Signal<Local, Bit>,
    downs: Signal<Local, Bit>,
    retrains: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    gone: Signal<Local, Bits<4>>,
}

fn number<const N: usize>(value: u32) -> Constant<Bits<N>> {
    Constant::new(u64::from(value).into())
}

fn state(state: LinkState) -> Constant<Bits<3>> {
    number(state.code().into())
}

impl<const PROBATION: usize> TrainMachine<PROBATION> {
    pub(super) fn new(config: &LinkTrainConfig) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            phase: Default::default(),
            enable: Default::default(),
            allowed: Default::default(),
            event: Default::default(),
            event_retrains: Default::default(),
            event_lane: Default::default(),
            locked: Default::default(),
            called: Default::default(),
            called_by_ts1: Default::default(),
            row_start: Default::default(),
            start_mismatch: Default::default(),
            agreed: Default::default(),
            all_ts2: Default::default(),
            answered: Default::default(),
            peer_request: Default::default(),
            same: Default::default(),
            lined_up: Default::default(),
            used: Default::default(),
            to_send: Default::default(),
            mode_possible: Default::default(),
            mode_to_send: Default::default(),
            mode_to_receive: Default::default(),
            late: Default::default(),
            at_set_end: Default::default(),
            row_waits: Default::default(),
            returned: defaults(),
            state: Default::default(),
            reason: Default::default(),
            running: Default::default(),
            heeded: Default::default(),
            training: Default::default(),
            confirming: Default::default(),
            announces: Default::default(),
            fresh: Default::default(),
            epoch: Default::default(),
            rx_ok: Default::default(),
            told_rx_ok: Default::default(),
            request: Default::default(),
            told_answer: Default::default(),
            send: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            tx_mode: Default::default(),
            rx_mode: Default::default(),
            start: Default::default(),
            keep: Default::default(),
            agree: Default::default(),
            unlock: Default::default(),
            state_now: Default::default(),
            is_up: Default::default(),
            was_init: Default::default(),
            reason_now: Default::default(),
            is_locking: Default::default(),
            is_confirming: Default::default(),
            is_known: Register::new(false),
            epoch_now: Default::default(),
            asked: Default::default(),
            request_now: Default::default(),
            answer_now: Default::default(),
            peer_known: Default::default(),
            has_agreed: Default::default(),
            lanes_out: Default::default(),
            lanes_in: Default::default(),
            mode_out: Default::default(),
            mode_in: Default::default(),
            begun: Default::default(),
            start_due: Default::default(),
            was_starting: Default::default(),
            row_waited: Default::default(),
            apart: Default::default(),
            waits_for_row: Default::default(),
            too_far: Default::default(),
            leave_out: Default::default(),
            relock: Default::default(),
            unseen: Default::default(),
            kept: Default::default(),
            narrows: Default::default(),
            goes_to_init: Default::default(),
            late_lane: Default::default(),
            stable: Default::default(),
            seen: Default::default(),
            sent: Default::default(),
            is_lined_up: Default::default(),
            called_once: Default::default(),
            started: Default::default(),
            mismatched: Default::default(),
            row_came: Default::default(),
            row_was_wrong: Default::default(),
            timer: Default::default(),
            tries: Default::default(),
            enabled: Default::default(),
            timer_over: Default::default(),
            no_lane: Default::default(),
            waited: Default::default(),
            nearly_stable: Default::default(),
            nearly_seen: Default::default(),
            all_seen: Default::default(),
            nearly_sent: Default::default(),
            last_try: Default::default(),
            found: Default::default(),
            found_all: Default::default(),
            phase_9: Default::default(),
            in_time: Default::default(),
            too_late: Default::default(),
            viewed: Default::default(),
            blind: Default::default(),
            changed: Default::default(),
            directed: Default::default(),
            sideband: Default::default(),
            lanes_found: Default::default(),
            stable_now: Default::default(),
            seen_with_this: Default::default(),
            go_down: Default::default(),
            for_sideband: Default::default(),
            go_up: Default::default(),
            poll_again: Default::default(),
            train: Default::default(),
            train_again: Default::default(),
            retrain: Default::default(),
            settle: Default::default(),
            fall_back: Default::default(),
            confirm: Default::default(),
            begin_init: Default::default(),
            renews: Default::default(),
            built: Constant::new(((1u64 << config.lanes) - 1).into()),
            agree_limit: number(config.agree_sets),
            poll_limit: number(config.poll_wait_sets),
            stable_limit: number(config.stable_sets),
            stable_before: number(config.stable_sets - 1),
            one_is_stable: Constant::new(config.stable_sets == 1),
            seen_limit: number(config.ts2_seen),
            seen_before: number(config.ts2_seen - 1),
            sent_limit: number(config.ts2_sent),
            sent_before: number(config.ts2_sent - 1),
            tries_before: number(config.tries - 1),
            down: state(LinkState::Down),
            polling: state(LinkState::Polling),
            in_training: state(LinkState::Training),
            init: state(LinkState::Init),
            active: state(LinkState::Active),
            retraining: state(LinkState::Retraining),
            degraded: state(LinkState::Degraded),
            bist: state(LinkState::Bist),
            sideband_mode: Constant::new(u64::from(CrcMode::Bits14.code()).into()),
            reasons: array::from_fn(|code| Constant::new((code as u64).into())),
            next_state: Default::default(),
            is_polling: Default::default(),
            trains: Default::default(),
            is_init: Default::default(),
            is_active: Default::default(),
            is_bist: Default::default(),
            linked: Default::default(),
            phase_4: Default::default(),
            wanted: Default::default(),
            wanted_locked: Default::default(),
            in_view: Default::default(),
            still: Default::default(),
            confirms: Default::default(),
            peer_began: Default::default(),
            wrong_start: Default::default(),
            is_full: Default::default(),
            disabled: Default::default(),
            downs: Default::default(),
            retrains: Default::default(),
            begins: Default::default(),
            gone: Default::default(),
        }
    }
}

drive_ports!(impl[const PROBATION: usize] TrainMachine<PROBATION> {
    clock, clear, phase, enable, allowed, event, event_retrains, event_lane, locked, called, called_by_ts1, row_start,
    start_mismatch, agreed, all_ts2, answered, peer_request, same, lined_up, late, used, to_send, mode_possible, mode_to_send,
    mode_to_receive, at_set_end, row_waits, returned, state, reason, running, heeded, training, confirming, announces, fresh, epoch, rx_ok, told_rx_ok,
    request, told_answer, send, tx_lanes, rx_lanes, tx_mode, rx_mode, start, keep, agree, unlock,
});
