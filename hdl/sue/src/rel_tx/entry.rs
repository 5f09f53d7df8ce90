//! What waits to be sent.

use flitforge_hdl_prim::prelude::*;

/// A PDU of connection management that the control plane wants to be sent.
#[packed]
pub struct ManagementRequest {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Port that it leaves from.
    port: Bits<2>,
    /// Class of its frame.
    class: Bits<3>,
    /// PSN of its header.
    psn: Bits<16>,
    /// Partition of its header.
    partition: Bits<10>,
    /// The record, its first octet on top.
    record: Bits<48>,
}

/// Kinds of PDUs.
#[packed]
pub enum PduKind {
    /// A record of connection management.
    Management,
    /// It only acknowledges.
    Acknowledgment,
    /// A body that goes for the first time.
    New,
    /// A body that was sent before.
    Replay,
}

/// A PDU that was chosen.
#[packed]
pub struct PduJob {
    /// What it is.
    kind: PduKind,
    /// XPU and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// Slot of its body.
    slot: Bits<8>,
    /// PSN of its header.
    psn: Bits<16>,
    /// With `Management`: port that it leaves from.
    port: Bits<2>,
    /// With `Management`: class of its frame.
    class: Bits<3>,
    /// With `Management`: partition of its header.
    partition: Bits<10>,
    /// With `Management`: the record.
    record: Bits<48>,
}
