//! Frames, settings, events and counters of a port (chapter 50, 4.7 and 5).

use super::super::format::classes::ClassTable;
use super::super::format::Profile;
use super::cbfc::{CreditConfigError, CreditSettings, Healing};
use super::filter::CtlTwice;
use super::llr_config::{LlrTxConfig, LlrTxEvent};
use super::llr_rx::{FrameCheck, LlrRxConfig};
use super::pfc::{PauseConfig, PauseConfigError};
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use flitforge_protocol::sue::link_control::PREAMBLE_BYTES;
use thiserror::Error;

/// A data frame: what the link needs to know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkFrame {
    /// Number that the user of the model gives.
    pub number: u64,
    /// Class.
    pub class: ClassUse,
    /// Octets with FCS, without preamble.
    pub bytes: usize,
    /// [`FrameCheck::Poisoned`] if its sender has marked it bad.
    pub check: FrameCheck,
}

/// What crosses the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireItem {
    /// An ordered set.
    Set([u8; PREAMBLE_BYTES]),
    /// A MAC control frame without FCS, with the standard preamble, and what its FCS says.
    Control(Vec<u8>, FrameCheck),
    /// A data frame and its preamble.
    Data([u8; PREAMBLE_BYTES], LinkFrame),
}

/// Whether a class goes through link-layer retry (section 0, eligibility).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Eligibility {
    /// It does.
    Llr,
    /// It has the standard preamble.
    Standard,
}

/// P_CTRL, flow control: one of these per port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowControl {
    /// None.
    None,
    /// PFC.
    Pfc(PauseConfig),
    /// CBFC.
    Cbfc(CreditSettings),
}

/// Link-layer retry of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlrSetting {
    /// Sender.
    pub tx: LlrTxConfig,
    /// Receiver.
    pub rx: LlrRxConfig,
    /// Nonce before that of the first LLR_INIT.
    pub nonce: u16,
}

/// Settings of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortConfig {
    /// PROFILE.
    pub profile: Profile,
    /// Classes.
    pub classes: ClassTable,
    /// Link-layer retry, started with the port.
    pub llr: Option<LlrSetting>,
    /// By class, whether link-layer retry covers it.
    pub eligible: [Eligibility; CLASSES],
    /// Flow control.
    pub flow: FlowControl,
    /// CTL_TWICE.
    pub twice: CtlTwice,
    /// RX buffer by class, octets; a frame that does not fit is dropped.
    pub rx_capacity: [usize; CLASSES],
    /// Own MAC address, 48 bits.
    pub source: u64,
}

/// Settings that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PortConfigError {
    /// Of CBFC.
    #[error(transparent)]
    Credit(#[from] CreditConfigError),
    /// Of PFC.
    #[error(transparent)]
    Pause(#[from] PauseConfigError),
}

/// What happened at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortEvent {
    /// A frame is in the RX buffer.
    Delivered(LinkFrame),
    /// A poisoned frame was accepted and dropped.
    Poisoned(LinkFrame),
    /// No room in the RX buffer: dropped.
    RxFull(LinkFrame),
    /// A frame was dropped while it waited for link-layer retry.
    Discarded(LinkFrame),
    /// Of the sender of link-layer retry.
    Llr(LlrTxEvent),
    /// PFC_WD of a class.
    Watchdog(ClassUse),
    /// CC_Update gave credits back.
    Healed(Healing),
}

/// Counters of a port outside of its parts, by the names of the chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PortCounters {
    /// Frames tx, replays included.
    pub frames_tx: u64,
    /// Frames rx: delivered.
    pub frames_rx: u64,
    /// FCS, of frames outside of link-layer retry.
    pub fcs: u64,
    /// CTLOS_BAD: ordered sets that cannot be read or do not fit the state.
    pub ctlos_bad: u64,
    /// MAC control frames that cannot be read.
    pub control_bad: u64,
    /// RX_FULL: frames dropped for want of room.
    pub rx_full: u64,
}
