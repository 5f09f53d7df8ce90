//! Settings of the sender and the receiver (chapter 50, 4.5, 4.6, 5), and rules that a proof leaves out.

use thiserror::Error;

/// RETRY_MAX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryLimit {
    /// Replays by the timer without a sign of life, 0..15; the next expiry fails the connection.
    Max(u8),
    /// The timer never fails the connection; for proofs.
    Never,
}

/// STUCK_FAIL: what follows when a PDU was refused NACK_MAX times (section 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StuckAction {
    /// Event STUCK only.
    Report,
    /// The connection fails too.
    Fail,
}

/// CTRL.RENACK: the answer to a new attempt whose first PDU was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Renack {
    /// A NACK (the default).
    Answer,
    /// Nothing; the sender's timer recovers.
    Silent,
}

/// A rule left out or turned round, for proofs that it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// The receiver accepts d = 1 as if it were in order.
    AcceptAhead,
    /// The receiver accepts d = -1 as if it were in order.
    AcceptDuplicate,
    /// An ack-only PDU consumes a PSN at the receiver.
    AckOnlyConsumesPsn,
    /// The sender compares acknowledgments as plain numbers.
    PlainComparison,
    /// NACK a frees a too.
    NackFreesItself,
    /// The sender takes an acknowledgment from outside its window.
    NoWindowCheck,
    /// The sender has no timer.
    NoTimer,
    /// The receiver drops a duplicate without an ACK.
    SilentDuplicate,
    /// ACK names the PSN expected next, as NACK does.
    AckNamesNext,
}

/// Settings of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SenderConfig {
    /// WIN: PDUs in flight per connection, 1..32767 (1 to half of the numbers minus 1).
    pub window: u16,
    /// SLOTS: replay slots of all connections.
    pub slots: usize,
    /// SLOT_MIN: slots guaranteed to each VC.
    pub slot_min: usize,
    /// NVC: virtual channels, 1..4.
    pub vcs: u8,
    /// RTO, clocks.
    pub rto: u64,
    /// BACKOFF: largest exponent of the timer, 0..15.
    pub backoff: u8,
    /// RETRY_MAX.
    pub retry_limit: RetryLimit,
    /// NACK_MAX: NACKs without progress until STUCK; 0 is never.
    pub nack_max: u8,
    /// STUCK_FAIL.
    pub stuck_action: StuckAction,
    /// A rule left out.
    pub mutation: Option<Mutation>,
}

impl Default for SenderConfig {
    fn default() -> Self {
        SenderConfig {
            window: 16,
            slots: 32,
            slot_min: 2,
            vcs: 4,
            rto: 3200,
            backoff: 4,
            retry_limit: RetryLimit::Max(7),
            nack_max: 255,
            stuck_action: StuckAction::Report,
            mutation: None,
        }
    }
}

impl SenderConfig {
    /// True if this rule is left out.
    #[must_use]
    pub fn is(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// Checks the ranges; `window_max` is 32767 with 16-bit PSNs.
    pub fn check(&self, window_max: u16) -> Result<(), ConfigError> {
        let retry = match self.retry_limit {
            RetryLimit::Max(max) => max,
            RetryLimit::Never => 0,
        };
        if self.window == 0 || self.window > window_max {
            return Err(ConfigError::Window { window: self.window, max: window_max });
        }
        if !(1..=4).contains(&self.vcs) {
            return Err(ConfigError::Vcs { vcs: self.vcs });
        }
        if self.slots < self.slot_min.max(1).saturating_mul(self.vcs.into()) {
            return Err(ConfigError::Slots { slots: self.slots, slot_min: self.slot_min, vcs: self.vcs });
        }
        if self.backoff > 15 || retry > 15 {
            return Err(ConfigError::Timer { backoff: self.backoff, retry_max: retry });
        }
        Ok(())
    }
}

/// Settings of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReceiverConfig {
    /// ACK_COALESCE: PDUs accepted until an ACK is due, 1..255.
    pub ack_coalesce: u8,
    /// ACK_TIMER: clocks from the first of them until an ACK is due.
    pub ack_timer: u64,
    /// RENACK.
    pub renack: Renack,
    /// A rule left out.
    pub mutation: Option<Mutation>,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        ReceiverConfig { ack_coalesce: 4, ack_timer: 128, renack: Renack::Answer, mutation: None }
    }
}

impl ReceiverConfig {
    /// True if this rule is left out.
    #[must_use]
    pub fn is(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// Checks the ranges.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.ack_coalesce == 0 {
            return Err(ConfigError::Coalesce);
        }
        Ok(())
    }
}

/// Why a configuration is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// WIN outside its range.
    #[error("WIN is {window} PDUs; it must be 1 to {max}")]
    Window {
        /// WIN.
        window: u16,
        /// Largest.
        max: u16,
    },
    /// NVC outside its range.
    #[error("{vcs} virtual channels; there must be 1 to 4")]
    Vcs {
        /// NVC.
        vcs: u8,
    },
    /// The guarantees need more slots than there are.
    #[error("{slots} replay slots cannot guarantee {slot_min} to each of {vcs} virtual channels, nor one")]
    Slots {
        /// SLOTS.
        slots: usize,
        /// SLOT_MIN.
        slot_min: usize,
        /// NVC.
        vcs: u8,
    },
    /// BACKOFF or RETRY_MAX above 15.
    #[error("BACKOFF {backoff} and RETRY_MAX {retry_max} must be at most 15")]
    Timer {
        /// BACKOFF.
        backoff: u8,
        /// RETRY_MAX.
        retry_max: u8,
    },
    /// ACK_COALESCE is 0.
    #[error("ACK_COALESCE must be 1 to 255")]
    Coalesce,
    /// PACK_MAX outside its range.
    #[error("PACK_MAX is {pack_max} bytes; it must be {min} to {max}")]
    PackMax {
        /// PACK_MAX.
        pack_max: u32,
        /// CMD_MAX.
        min: u32,
        /// Largest.
        max: u32,
    },
    /// A weight of 0.
    #[error("the weight of a virtual channel must be 1 to 255")]
    Weight,
}
