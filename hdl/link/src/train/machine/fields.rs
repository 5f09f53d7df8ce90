//! States, reasons, and bits of the state machine that belong together.

use super::REQUEST_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::training::TrainReason;

/// State of the link, chapter 10, 4.6.
#[packed(LinkState)]
pub enum State {
    /// Lanes quiet.
    Down,
    /// TS1 on all lanes.
    Polling,
    /// Lanes chosen, TS2.
    Training,
    /// Null LTPs.
    Init,
    /// Traffic on all lanes.
    Active,
    /// As Training, state and buffers kept.
    Retraining,
    /// Traffic on fewer lanes.
    Degraded,
    /// Lane test.
    Bist,
}

/// Why the state changed last.
#[packed(TrainReason)]
pub enum Reason {
    /// Power-on or clear.
    Cleared,
    /// Down to Polling.
    Enabled,
    /// Polling to Training.
    LanesFound,
    /// To Init.
    Agreed,
    /// To Active or Degraded.
    InitDone,
    /// By software.
    Disabled,
    /// REINIT_LIMIT.
    GivenUp,
    /// In time, or no lane left.
    NoAgreement,
    /// To or from mode 1.
    SidebandChange,
    /// By software or for a fault.
    Asked,
    /// Removed lanes are tried again.
    Restored,
    /// A lane costs more than it carries.
    LaneRemoved,
    /// Sets on lanes in use.
    PeerTrains,
    /// The start row names something else.
    StartMismatch,
    /// The lane test takes the lanes.
    BistStarted,
    /// It is over.
    BistEnded,
}

/// What the sets of all lanes say together; stands in phases 8 to 14.
#[packed]
pub struct PeerView {
    /// The sets agree.
    agreed: Bit,
    /// All of them are TS2.
    all_ts2: Bit,
    /// They answer this end's request.
    answered: Bit,
    /// They say what they said before.
    same: Bit,
    /// The lanes line up.
    lined_up: Bit,
    /// Both ends have a CRC mode in common.
    mode_possible: Bit,
    /// Request that the peer made last.
    request: Bits<REQUEST_BITS>,
    /// If lanes are too far apart: the one to leave out.
    late: Bits<4>,
    /// What both would agree on.
    offer: Agreement,
}

/// What both ends agree on.
#[packed]
pub struct Agreement {
    /// Lanes to send on.
    tx_lanes: Bits<4>,
    /// Lanes to receive on, by the sender's numbers.
    rx_lanes: Bits<4>,
    /// CRC mode to send in.
    tx_mode: Bits<2>,
    /// CRC mode to receive in.
    rx_mode: Bits<2>,
}

/// What the state is, one bit each.
#[packed]
pub struct StateIs {
    /// Not Down.
    up: Bit,
    /// Polling.
    polling: Bit,
    /// Training or Retraining.
    training: Bit,
    /// Init.
    init: Bit,
    /// Active or Degraded.
    active: Bit,
    /// Bist.
    bist: Bit,
    /// Init, Active or Degraded.
    linked: Bit,
}

/// How far the counts are, known before phase 8.
#[packed]
pub struct Near {
    /// Training or Retraining took too long.
    timer_over: Bit,
    /// No lane is asked for.
    no_lane: Bit,
    /// POLL_WAIT is over.
    waited: Bit,
    /// One more set, and the masks are stable.
    stable: Bit,
    /// One more TS2 is enough.
    seen: Bit,
    /// TS2 enough are seen.
    all_seen: Bit,
    /// One more TS2 sent is enough.
    sent: Bit,
    /// No try is left.
    last_try: Bit,
    /// Every lane asked for is locked.
    found_all: Bit,
}

/// What is judged in phase 8.
#[packed]
pub struct Judged {
    /// Training or Retraining, and they may go on.
    in_time: Bit,
    /// They may not.
    too_late: Bit,
    /// There is a common view of the peer.
    viewed: Bit,
    /// There is none.
    no_view: Bit,
    /// The peer says something new.
    changed: Bit,
    /// There are a CRC mode and lanes to send on.
    directed: Bit,
    /// The CRC mode would change to or from mode 1.
    sideband: Bit,
    /// Lanes are found, and no others are waited for.
    lanes_found: Bit,
    /// The masks are stable with this set.
    stable: Bit,
    /// TS2 enough are seen with this set.
    seen: Bit,
}

/// What phase 9 decides and phase 10 does.
#[packed]
pub struct Decision {
    /// Down to Polling.
    go_up: Bit,
    /// To Down.
    go_down: Bit,
    /// Training to Polling.
    poll_again: Bit,
    /// Polling to Training.
    train: Bit,
    /// Init to Training.
    train_again: Bit,
    /// To Retraining.
    retrain: Bit,
    /// To Init.
    begin_init: Bit,
    /// Lanes are found in Training or Retraining.
    settle: Bit,
    /// The peer says something new: TS1 again.
    fall_back: Bit,
    /// Both want the same: TS2.
    confirm: Bit,
    /// All lanes are locked anew.
    relock: Bit,
    /// `late_lane` is left out.
    leave_out: Bit,
    /// One of those that begin anew.
    renews: Bit,
}
