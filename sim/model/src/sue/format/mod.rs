//! Scale-Up Ethernet in plain Rust (chapter 50): which octets go where, and which are refused. No clocks.
//!
//! | module | chapter 50 |
//! |---|---|
//! | [`command`], [`type_table`] | 3.1: commands, TYPE_CFG |
//! | [`body`] | 3.1, 3.3, 4.6 rule 5: whole bodies |
//! | [`reliability`], [`connection`] | 3.2 to 3.4: PDUs, connection management |
//! | [`network`] | 3.5, 0: encapsulation and its checks |
//! | [`classes`] | 3.6: class table |
//! | [`frame`] | 3.3, 3.5, 3.7, 0: FCS, poisoned frames, demultiplexing |
//! | [`link_control`], [`mac_control`] | 3.7, 0: ordered sets, preambles; CC_Update and PFC frames |
//! | [`overhead`] | 4.7, 8 E14: octets on the wire, cells |

pub mod body;
pub mod classes;
pub mod command;
pub mod connection;
pub mod frame;
pub mod link_control;
pub mod mac_control;
pub mod network;
pub mod octets;
pub mod overhead;
pub mod reliability;
pub mod type_table;

pub use body::{BodyError, BodyRules, Walked};
pub use classes::{Class, ClassError, ClassTable};
pub use command::{Command, CommandError, Payload};
pub use connection::{CmRecord, CmRecordError};
pub use flitforge_protocol::sue::Profile;
pub use frame::{demultiplex, FcsCover, FcsError, FrameFor};
pub use link_control::{LinkControlError, OrderedSet, Preamble, Sequence};
pub use mac_control::{CreditsConsumed, MacControlError, PriorityPause};
pub use network::{Fid, Framing, HeaderRefusal, Network, NetworkConfig, Received, Route};
pub use reliability::{Pdu, PduError, ReliabilityHeader};
pub use type_table::{TypeRule, TypeTable};

/// The counter in which a refused frame shows (chapter 50, 5, `COUNT`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropCounter {
    /// HDR_BAD: a header that is foreign or wrong.
    HeaderBad,
    /// AFH_BAD: an AI Fabric Header of a shape that is not allowed.
    AfhBad,
    /// GEN_DROP: a frame of another generation.
    GenerationDrop,
    /// RH_BAD: no reliability header of version 0.
    ReliabilityHeaderBad,
    /// RCRC: the R-CRC is wrong.
    RCrc,
    /// BODY_BAD: a malformed body.
    BodyBad,
}

impl DropCounter {
    /// The name the chapter uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DropCounter::HeaderBad => "HDR_BAD",
            DropCounter::AfhBad => "AFH_BAD",
            DropCounter::GenerationDrop => "GEN_DROP",
            DropCounter::ReliabilityHeaderBad => "RH_BAD",
            DropCounter::RCrc => "RCRC",
            DropCounter::BodyBad => "BODY_BAD",
        }
    }
}
