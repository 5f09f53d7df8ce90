//! Settings, events and counters of the sender of `eth_llr` (chapter 50, 4.7 and 0).

use super::super::format::Sequence;

/// MAX: replays without progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayLimit {
    /// After so many, the next cause of a replay leads to FLUSH.
    Max(u8),
    /// No limit.
    Unlimited,
}

impl ReplayLimit {
    /// The limit in the register; 255 is unlimited.
    #[must_use]
    pub const fn from_register(max: u8) -> Self {
        match max {
            u8::MAX => ReplayLimit::Unlimited,
            max => ReplayLimit::Max(max),
        }
    }
}

/// What becomes of frames that wait while the sender is in INIT or FLUSH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitingFrames {
    /// They are dropped and counted.
    Discard,
    /// They wait.
    Block,
    /// They are sent with the standard preamble.
    BestEffort,
}

/// What ends FLUSH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reinit {
    /// The sender goes to INIT by itself as soon as the PCS is up.
    Automatic,
    /// The host does, by [`super::LlrTx::reinit`].
    ByHost,
}

/// Settings of the sender. Times are MAC clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LlrTxConfig {
    /// First sequence number.
    pub first: Sequence,
    /// INIT_T.
    pub init_interval: u64,
    /// Replay timer.
    pub replay_timer: u64,
    /// MAX.
    pub replay_limit: ReplayLimit,
    /// PCS_LOST_T; `None`: never.
    pub pcs_lost: Option<u64>,
    /// AGE_T; `None`: never.
    pub age: Option<u64>,
    /// Most outstanding frames, LLR_FRAMES.
    pub frames_max: usize,
    /// Most outstanding octets, FCS included, LLR_BYTES.
    pub bytes_max: usize,
    /// Frames that wait in INIT and FLUSH.
    pub waiting: WaitingFrames,
    /// What ends FLUSH.
    pub reinit: Reinit,
}

impl Default for LlrTxConfig {
    fn default() -> Self {
        LlrTxConfig {
            first: Sequence::default(),
            init_interval: 4096,
            replay_timer: 1600,
            replay_limit: ReplayLimit::Max(3),
            pcs_lost: None,
            age: None,
            frames_max: 64,
            bytes_max: 16 * 1024,
            waiting: WaitingFrames::Block,
            reinit: Reinit::ByHost,
        }
    }
}

/// States of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LlrTxState {
    /// Not enabled: frames have the standard preamble.
    Off,
    /// LLR_INIT is sent until its echo comes.
    Init,
    /// Frames are sent and stored.
    Advance,
    /// Stored frames are sent again.
    Replay,
    /// The buffer was dropped.
    Flush,
}

/// What a replay answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayCause {
    /// LLR_NACK.
    Nack,
    /// The replay timer.
    Timer,
}

/// What a flush answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlushCause {
    /// MAX replays without progress.
    Replays,
    /// The oldest frame was older than AGE_T.
    Age,
    /// The PCS was down for PCS_LOST_T.
    PcsLost,
    /// The host has switched link-layer retry off or started it anew.
    Host,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LlrTxEvent {
    /// The echo came: frames flow.
    Started,
    /// So many frames are acknowledged.
    Acknowledged(usize),
    /// A replay begins.
    Replaying {
        /// Its first frame.
        from: Sequence,
        /// Why.
        cause: ReplayCause,
    },
    /// Link failure: the buffer was dropped.
    Flushed(Abandoned),
}

/// What a flush has dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Abandoned {
    /// Frames; some of them may have arrived.
    pub frames: usize,
    /// Why.
    pub cause: FlushCause,
}

/// What becomes of a frame that is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Offered {
    /// It is sent now, stored under this number.
    Stored(Sequence),
    /// It is sent now with the standard preamble.
    Unprotected,
    /// It is dropped.
    Discarded,
}

/// Why a frame has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// INIT or FLUSH with [`WaitingFrames::Block`].
    #[error("link-layer retry is not running; the frame waits")]
    NotRunning,
    /// A replay comes first.
    #[error("a replay is under way; the frame waits")]
    Replaying,
    /// The buffer is full: stall.
    #[error("the replay buffer is full; the frame waits for LLR_ACK")]
    Full,
    /// The frame is larger than the buffer.
    #[error("a frame of {bytes} octets never fits in a replay buffer of {bytes_max}")]
    TooLong {
        /// Octets of the frame.
        bytes: usize,
        /// Octets of the buffer.
        bytes_max: usize,
    },
}

/// Whether the physical coding sublayer has a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pcs {
    /// Up.
    Up,
    /// Down since this clock.
    Down {
        /// MAC clock.
        since: u64,
    },
}

/// Whether an ordered set made sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AckCheck {
    /// It lies in the window.
    Taken,
    /// It does not: ignored, CTLOS_BAD.
    Ignored,
}

/// Counters of the sender, by the names of the chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LlrTxCounters {
    /// Frames sent the first time.
    pub frames_tx: u64,
    /// Frames sent again.
    pub frames_replayed: u64,
    /// LLR_REPLAY: replays.
    pub llr_replay: u64,
    /// LLR_FLUSH: frames dropped by FLUSH.
    pub llr_flush: u64,
    /// Frames dropped while they waited in INIT or FLUSH.
    pub discarded: u64,
    /// LLR init, tx.
    pub llr_init_tx: u64,
    /// LLR_INIT_ECHO, rx.
    pub llr_echo_rx: u64,
    /// LLR ack, rx.
    pub llr_ack_rx: u64,
    /// LLR nack, rx.
    pub llr_nack_rx: u64,
    /// CTLOS_BAD: acknowledgments outside the window, echoes that do not match.
    pub ctlos_bad: u64,
}
