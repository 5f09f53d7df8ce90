//! Golden models of the link: retry, credits and pause (chapter 50, 0, 3.7 and 4.7). Time is a count of MAC clocks.
//!
//! | part | is |
//! |---|---|
//! | [`LlrTx`], [`LlrRx`] | `eth_llr`: the two state machines of link-layer retry |
//! | [`CreditSender`], [`CreditReceiver`] | `eth_fc`: credit-based flow control (CBFC) |
//! | [`PauseTimers`], [`PauseSource`] | `eth_fc`: priority flow control (PFC) |
//! | [`OrderedSetFilter`] | CTL_TWICE |
//! | [`class_of_frame`] | which class, and so which virtual channel, a frame has |
//! | [`Port`], [`Link`] | one port; two of them and a wire with faults |
//! | [`xgmii`] | `eth_mac`: frames and ordered sets as columns of XGMII, and back |
//!
//! Ordered sets, preambles and MAC control frames cross the wire as the octets of [`super::format`]; data frames are
//! numbers with a class and a size.

mod cbfc;
mod classify;
mod filter;
mod llr_config;
mod llr_rx;
mod llr_tx;
mod pfc;
mod port;
mod port_config;
mod serial;
mod wire;
pub mod xgmii;

pub use cbfc::{
    CreditConfigError, CreditCounters, CreditLimit, CreditReceiver, CreditRefusal, CreditSender,
    CreditSettings, Healing, LIMIT_MAX,
};
pub use classify::class_of_frame;
pub use filter::{CtlTwice, OrderedSetFilter};
pub use llr_config::Refusal as LlrRefusal;
pub use llr_config::{
    Abandoned, AckCheck, FlushCause, LlrTxConfig, LlrTxCounters, LlrTxEvent, LlrTxState, Offered, Pcs,
    Reinit, ReplayCause, ReplayLimit, WaitingFrames,
};
pub use llr_rx::{FrameCheck, LlrRx, LlrRxConfig, LlrRxCounters, LlrRxState, LlrVerdict, PoisonRule};
pub use llr_tx::LlrTx;
pub use pfc::{
    headroom, PauseConfig, PauseConfigError, PauseCounters, PauseSource, PauseThreshold, PauseTimers,
};
pub use port::Port;
pub use port_config::{
    Eligibility, FlowControl, LinkFrame, LlrSetting, PortConfig, PortConfigError, PortCounters, PortEvent,
    WireItem,
};
pub use wire::{line_octets, Fault, Link, LINE_OCTETS_PER_CLOCK};
