//! The state machine of one end: its ports, registers and constants; what it does is in `logic`.

mod fields;
mod logic;

use super::events::Events;
pub(super) use fields::{Agreement, PeerView};
use fields::{Decision, Judged, Near, Reason, State, StateIs};

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::training_set_2;
use flitforge_protocol::training::{APART_SETS, LAST_REQUEST, NO_VIEW_SETS};

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
    /// The event of this step, in phase 4, if it is one of `event_enable`.
    event: In<Events>,
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
    /// What the sets say.
    peer: In<PeerView>,
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
    event_enable: Out<Events>,
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
    /// Lanes and CRC modes in use.
    agreement: Out<Agreement>,
    /// The start row goes out after the word that the lanes have now.
    start: Out<Bit>,
    /// Pulse: what was seen becomes what the peer says.
    keep: Out<Bit>,
    /// Pulse: lanes and modes change now.
    agree: Out<Bit>,
    /// Pulse: all lanes are to lock again.
    unlock: Out<Bit>,

    // What stands between the steps.
    state_now: Reg<State>,
    state_next: Local<State>,
    is: Reg<StateIs>,
    reason_now: Reg<Reason>,
    enabled: Reg<Bit>,
    locking: Reg<Bit>,
    confirms: Reg<Bit>,
    known: Register<Bit>,
    epoch_now: Reg<Bits<16>>,
    asked: Reg<Bits<4>>,
    request_now: Reg<Bits<REQUEST_BITS>>,
    answer_now: Reg<Bits<REQUEST_BITS>>,
    peer_known: Reg<Bit>,
    has_agreed: Reg<Bit>,
    agreed: Reg<Agreement>,
    /// All lanes built are in use both ways; stands long before anybody asks.
    is_full: Reg<Bit>,
    // Counts.
    timer: Reg<Bits<TIMER_BITS>>,
    tries: Reg<Bits<TRIES_BITS>>,
    stable: Reg<Bits<STABLE_BITS>>,
    seen: Reg<Bits<SEEN_BITS>>,
    sent: Reg<Bits<SEEN_BITS>>,
    apart: Reg<Bits<APART_BITS>>,
    unseen: Reg<Bits<UNSEEN_BITS>>,
    in_line: Reg<Bit>,
    called_once: Reg<Bit>,
    late_lane: Reg<Bits<4>>,
    // A step.
    phase_4: Reg<Bit>,
    phase_9: Reg<Bit>,
    near: Reg<Near>,
    found: Reg<Bits<4>>,
    judged: Reg<Judged>,
    decision: Reg<Decision>,
    for_sideband: Reg<Bit>,
    // The peer's start row: since phase 6 of this step, and in the step before.
    row_received: Reg<Bit>,
    row_was_wrong: Reg<Bit>,
    started: Reg<Bit>,
    mismatched: Reg<Bit>,
    // This end's start row.
    begun: Reg<Bit>,
    start_due: Reg<Bit>,
    /// `start` of the clock before.
    was_starting: Reg<Bit>,
    row_waited: Reg<Bit>,
    /// `is.init` of the clock before, as the sets show it.
    was_init: Reg<Bit>,

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
    sideband_mode: Constant<Bits<2>>,
}
