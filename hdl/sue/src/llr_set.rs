//! Ordered sets of link-layer retry, as the blocks hand them to each other (chapter 50, 3.7).

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::{OrderedSetType, SEQUENCE_BITS};

/// Type of LLR_ACK on the wire.
pub const ACK_TYPE: u8 = OrderedSetType::LlrAck.code();
/// Type of LLR_NACK on the wire.
pub const NACK_TYPE: u8 = OrderedSetType::LlrNack.code();
/// Type of LLR_INIT on the wire.
pub const INIT_TYPE: u8 = OrderedSetType::LlrInit.code();
/// Type of LLR_INIT_ECHO on the wire.
pub const ECHO_TYPE: u8 = OrderedSetType::LlrInitEcho.code();
/// Type of CF_Update on the wire.
pub const CREDITS_TYPE: u8 = OrderedSetType::CfUpdate.code();

/// What an ordered set of link-layer retry is.
#[packed]
pub enum LlrSetKind {
    /// LLR_ACK.
    Ack,
    /// LLR_NACK.
    Nack,
    /// LLR_INIT.
    Init,
    /// LLR_INIT_ECHO.
    Echo,
}

/// An ordered set of link-layer retry.
#[packed]
pub struct LlrSet {
    /// What it is.
    kind: LlrSetKind,
    /// The sequence number that it names.
    sequence: Bits<SEQUENCE_BITS>,
    /// Nonce of LLR_INIT and its echo.
    data: Bits<16>,
}
