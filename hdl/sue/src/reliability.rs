//! The reliability header (chapter 50, 3.2 and 3.4).

use crate::receive_table::AcknowledgmentKind;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::reliability;

/// Operation of a reliability header.
#[packed(reliability::Operation)]
pub enum PduOperation {
    /// `apsn` is the last PSN received in order.
    Ack,
    /// `apsn` is the PSN expected next.
    Nack,
    /// Nothing was received yet.
    None,
    /// The body is a record of connection management.
    ConnectionManagement,
}

/// Reliability header. Its top octet is the first on the wire.
#[packed(reliability::header)]
pub struct ReliabilityHeader {
    /// PSN that is acknowledged, or expected.
    apsn: Bits<16>,
    /// Partition of every command in the body.
    partition: Bits<10>,
    /// Sent 0, ignored.
    reserved_low: Bits<4>,
    /// Virtual channel of both PSNs.
    vc: Bits<2>,
    /// PSN of this PDU.
    npsn: Bits<16>,
    /// Source XPU.
    xpuid: Bits<10>,
    /// Sent 0, ignored.
    reserved_high: Bits<2>,
    /// Operation.
    op: PduOperation,
    /// Version.
    ver: Bits<2>,
}

/// What a PDU has after its header.
#[packed]
pub enum PduContent {
    /// The body of a slot; with `ConnectionManagement` the record.
    Body,
    /// Nothing: it only acknowledges.
    Empty,
}

/// A PDU to be sent.
#[packed]
pub struct PduRequest {
    /// Operation of its header.
    operation: PduOperation,
    /// What comes after the header.
    content: PduContent,
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Port that it leaves from.
    port: Bits<2>,
    /// Class of its frame.
    class: Bits<3>,
    /// Its PSN; without a body the next to be used.
    psn: Bits<16>,
    /// The PSN that it acknowledges or expects; 0 with `None`.
    acknowledged: Bits<16>,
    /// Partition of a PDU without a body of commands.
    partition: Bits<10>,
    /// With `ConnectionManagement`: the record, its first octet on top.
    record: Bits<48>,
}

/// Whether a PDU counts (chapter 50, 4.6: order of checks).
#[packed]
pub enum PduVerdict {
    /// It does.
    Good,
    /// Its frame is bad.
    FrameBad,
    /// It is too short, or of another version: RH_BAD.
    HeaderBad,
    /// Its R-CRC is wrong: RCRC.
    CrcBad,
}

/// A PDU that has come.
#[packed]
pub struct ReceivedPdu {
    /// Its header; it says nothing if the PDU does not count.
    header: ReliabilityHeader,
    /// Whether it counts.
    verdict: PduVerdict,
}

/// What the next PDU of a connection acknowledges.
#[packed]
pub struct Acknowledgment {
    /// Its operation.
    kind: AcknowledgmentKind,
    /// The PSN that it acknowledges or expects.
    psn: Bits<16>,
    /// An acknowledgment was due.
    was_due: Bit,
}
