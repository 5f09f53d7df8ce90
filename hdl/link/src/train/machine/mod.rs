//! The state machine of one end: its ports, registers and constants; what it does is in `logic`.

mod logic;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::training_set_2;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::training::{TrainReason, APART_SETS, LAST_REQUEST, NO_VIEW_SETS};

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
const _: () = assert!(1 << UNSEEN_BITS == NO_VIEW_SETS, "lanes are locked anew when the count is full");
const _: () = assert!(1 << APART_BITS == APART_SETS, "a lane is left out when the count is full");
/// Bits of the reason.
pub(super) const REASON_BITS: usize = 4;

/// Number of reasons.
const REASONS: usize = TrainReason::ALL.len();

/// The state machine of chapter 10, 4.6, one step per training-set time.
///
/// A step goes over several clocks, the phases of [`TrainView`](super::TrainView): an event is taken in phase 4, locks
/// and timer move on in phase 5; what the sets say is judged in phase 8 and 9, and the state changes in phase 10.
#[block(new)]
pub struct TrainMachine<const PROBATION: usize = 0> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear: Down, epoch 0.
    clear: In<Bit>,
    /// Phase of the view.
    phase: In<Bits<4>>,
    /// CTRL.ENABLE; 0 is CTRL.DISABLE.
    enable: In<Bit>,
    /// LANES.allowed.
    allowed: In<Bits<4>>,
    /// The event of this step, in phase 4, if it is one of `event_enable`; bits as [`TrainEvents`](super::TrainEvents) has them.
    event: In<Bits<7>>,
    /// With `event`: it leads to Retraining.
    event_retrains: In<Bit>,
    /// Lane of event RemoveLane.
    event_lane: In<Bits<2>>,
    /// Lanes (sender's numbers) that are locked.
    locked: In<Bits<4>>,
    /// A lane of `rx_lanes` has a set; in phases 6 to 9.
    called: In<Bit>,
    /// It is a TS1.
    called_by_ts1: In<Bit>,
    /// Pulse: the peer's start row has come.
    row_start: In<Bit>,
    /// Pulse: it is not as agreed.
    start_mismatch: In<Bit>,
    /// The sets agree.
    agreed: In<Bit>,
    /// All of them are TS2.
    all_ts2: In<Bit>,
    /// They answer `request`.
    answered: In<Bit>,
    /// Request that the peer made last.
    peer_request: In<Bits<4>>,
    /// They say what they said before.
    same: In<Bit>,
    /// The lanes line up.
    lined_up: In<Bit>,
    /// Lanes to receive on.
    used: In<Bits<4>>,
    /// Lanes to send on.
    to_send: In<Bits<4>>,
    /// Both ends have a CRC mode in common.
    mode_possible: In<Bit>,
    /// CRC mode to send in.
    mode_to_send: In<Bits<2>>,
    /// CRC mode to receive in.
    mode_to_receive: In<Bits<2>>,
    /// If lanes are too far apart: the one to leave out; in phases 8 to 14.
    late: In<Bits<4>>,
    /// The lanes have the last word of a set.
    at_set_end: In<Bit>,
    /// A row waits to be sent.
    row_waits: In<Bit>,
    /// If lanes come back from probation, with event Retrain: these do, by the sender's numbers.
    returned: [In<Bits<4>>; PROBATION],

    /// State, as register STATUS shows it.
    state: Out<Bits<3>>,
    /// Why it changed last.
    reason: Out<Bits<REASON_BITS>>,
    /// Init, Active, Degraded or Bist: rows may move.
    running: Out<Bit>,
    /// Events that mean something in this state.
    event_enable: Out<Bits<7>>,
    /// Polling, Training or Retraining.
    training: Out<Bit>,
    /// Training or Retraining, TS2.
    confirming: Out<Bit>,
    /// TS2 is to be sent: while the end confirms, and on from there until a row waits.
    announces: Out<Bit>,
    /// Nothing is known from before.
    fresh: Out<Bit>,
    /// Epoch.
    epoch: Out<Bits<16>>,
    /// Lanes, by the peer's numbers, that the peer is asked to use.
    rx_ok: Out<Bits<4>>,
    /// The same as told in the sets.
    sent_rx_ok: Out<Bits<4>>,
    /// Number of what the peer is asked for (rule 9).
    request: Out<Bits<REQUEST_BITS>>,
    /// The peer's request that was seen last, as told in the sets; 0 = none.
    sent_answer: Out<Bits<REQUEST_BITS>>,
    /// Lanes that send sets.
    send: Out<Bits<4>>,
    /// Lanes sent on.
    tx_lanes: Out<Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    rx_lanes: Out<Bits<4>>,
    /// CRC mode sent in.
    tx_mode: Out<Bits<2>>,
    /// CRC mode received in.
    rx_mode: Out<Bits<2>>,
    /// The start row goes out after the word that the lanes have now.
    start: Out<Bit>,
    /// Pulse: what was seen becomes what the peer says.
    keep: Out<Bit>,
    /// Pulse: masks and modes change now.
    agree: Out<Bit>,
    /// Pulse: all lanes are to lock again.
    unlock: Out<Bit>,

    state_now: Reg<Bits<3>>,
    // What `state_now` is.
    is_up: Reg<Bit>,
    is_polling: Reg<Bit>,
    trains: Reg<Bit>,
    is_init: Reg<Bit>,
    is_active: Reg<Bit>,
    is_bist: Reg<Bit>,
    linked: Reg<Bit>,
    /// `is_init` of the clock before, as the sets show it.
    was_init: Reg<Bit>,
    phase_4: Reg<Bit>,
    reason_now: Reg<Bits<REASON_BITS>>,
    is_locking: Reg<Bit>,
    is_confirming: Reg<Bit>,
    is_known: Register<Bit>,
    epoch_now: Reg<Bits<16>>,
    asked: Reg<Bits<4>>,
    request_now: Reg<Bits<REQUEST_BITS>>,
    answer_now: Reg<Bits<REQUEST_BITS>>,
    peer_known: Reg<Bit>,
    has_agreed: Reg<Bit>,
    lanes_out: Reg<Bits<4>>,
    lanes_in: Reg<Bits<4>>,
    mode_out: Reg<Bits<2>>,
    mode_in: Reg<Bits<2>>,
    begun: Reg<Bit>,
    start_due: Reg<Bit>,
    /// `start` of the clock before.
    was_starting: Reg<Bit>,
    row_waited: Reg<Bit>,
    apart: Reg<Bits<APART_BITS>>,
    unseen: Reg<Bits<UNSEEN_BITS>>,
    stable: Reg<Bits<STABLE_BITS>>,
    seen: Reg<Bits<SEEN_BITS>>,
    sent: Reg<Bits<SEEN_BITS>>,
    is_lined_up: Reg<Bit>,
    called_once: Reg<Bit>,
    started: Reg<Bit>,
    mismatched: Reg<Bit>,
    row_received: Reg<Bit>,
    row_was_wrong: Reg<Bit>,
    timer: Reg<Bits<TIMER_BITS>>,
    tries: Reg<Bits<TRIES_BITS>>,
    enabled: Reg<Bit>,
    // What phase 8 needs, from clocks before it.
    timer_over: Reg<Bit>,
    no_lane: Reg<Bit>,
    waited: Reg<Bit>,
    nearly_stable: Reg<Bit>,
    nearly_seen: Reg<Bit>,
    all_seen: Reg<Bit>,
    nearly_sent: Reg<Bit>,
    last_try: Reg<Bit>,
    found: Reg<Bits<4>>,
    found_all: Reg<Bit>,
    // Judged in phase 8.
    phase_9: Reg<Bit>,
    in_time: Reg<Bit>,
    too_late: Reg<Bit>,
    viewed: Reg<Bit>,
    no_view: Reg<Bit>,
    changed: Reg<Bit>,
    directed: Reg<Bit>,
    sideband: Reg<Bit>,
    lanes_found: Reg<Bit>,
    stable_now: Reg<Bit>,
    seen_with_this: Reg<Bit>,
    // Done in phase 10.
    leave_out: Reg<Bit>,
    relock: Reg<Bit>,
    late_lane: Reg<Bits<4>>,
    go_down: Reg<Bit>,
    for_sideband: Reg<Bit>,
    go_up: Reg<Bit>,
    poll_again: Reg<Bit>,
    train: Reg<Bit>,
    train_again: Reg<Bit>,
    retrain: Reg<Bit>,
    settle: Reg<Bit>,
    fall_back: Reg<Bit>,
    confirm: Reg<Bit>,
    begin_init: Reg<Bit>,
    /// One of those that begin anew.
    renews: Reg<Bit>,

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

    waits_for_row: Local<Bit>,
    too_far: Local<Bit>,
    kept: Local<Bits<4>>,
    narrows: Local<Bit>,
    goes_to_init: Local<Bit>,
    /// All lanes built are in use both ways; stands long before anybody asks.
    is_full: Reg<Bit>,
}

fn number<const N: usize>(value: u32) -> Constant<Bits<N>> {
    Constant::new(u64::from(value).into())
}

fn state(state: LinkState) -> Constant<Bits<3>> {
    number(state.code().into())
}
