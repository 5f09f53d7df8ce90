//! What is known of PDUs that have come, and what is said of them.

use crate::receive_table::{ReceiveChange, ReceiveVerdict};
use crate::reliability::{PduVerdict, ReliabilityHeader};
use flitforge_hdl_prim::prelude::*;

/// A connection is to be opened or frozen.
#[packed]
pub struct ConnectionChange {
    /// To what.
    change: ReceiveChange,
    /// XPU and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// With `Open`: the PSN to start from.
    psn: Bits<16>,
}

/// A connection was opened or frozen.
#[packed]
pub struct ConnectionState {
    /// XPU and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// The PSN that it expects next: what the answer to the peer names.
    psn: Bits<16>,
    /// It was frozen before.
    was_frozen: Bit,
}

/// A record of connection management that has come.
#[packed]
pub struct ManagementRecord {
    /// XPU that sent it.
    source: Bits<10>,
    /// Virtual channel of its header.
    vc: Bits<2>,
    /// PSN of its header.
    psn: Bits<16>,
    /// The record, its first octet on top.
    record: Bits<48>,
}

/// An entry of the table of partitions.
#[packed]
pub struct PartitionEntry {
    /// The partition.
    partition: Bits<10>,
    /// Its commands are delivered.
    member: Bit,
}

/// All that is known of a PDU before its connection is looked at.
#[packed]
pub struct Arrival {
    /// Its header.
    header: ReliabilityHeader,
    /// Whether it counts.
    verdict: PduVerdict,
    /// XPU that it comes from by the address of its frame.
    address: Bits<12>,
    /// What stands in its body after two octets: a record, if it is one.
    record: Bits<48>,
    /// Its body begins as that of connection management.
    is_record: Bit,
    /// Nothing is wrong with its body.
    well_formed: Bit,
    /// Its body begins with END.
    empty: Bit,
    /// Its body is one command.
    single: Bit,
    /// All of its body is stored.
    room: Bit,
}

/// What the checks before the table find.
#[packed]
pub struct Judged {
    /// The header of the PDU.
    header: ReliabilityHeader,
    /// With `management`: the record.
    record: Bits<48>,
    /// The frame is bad.
    frame_bad: Bit,
    /// Too short, or of another version.
    header_bad: Bit,
    /// The R-CRC is wrong.
    crc_bad: Bit,
    /// The table of connections is being cleared.
    busy: Bit,
    /// Its source is another one than that of its frame.
    source_bad: Bit,
    /// There is no connection for its source.
    unknown: Bit,
    /// A record of connection management.
    management: Bit,
    /// Connection management without a record.
    record_bad: Bit,
    /// It acknowledges.
    answers: Bit,
    /// It has no body.
    empty: Bit,
    /// Its body waits for the table.
    body: Bit,
    /// Nothing is wrong with its body.
    well_formed: Bit,
    /// All of its body is stored.
    room: Bit,
}

/// A PDU with a body, for the table.
#[packed]
pub struct PduEvent {
    /// XPU and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// Its PSN.
    psn: Bits<16>,
    /// All of its body is stored.
    room: Bit,
}

/// A PDU whose body is to be decided.
#[packed]
pub struct Pending {
    /// Its header.
    header: ReliabilityHeader,
    /// The table has a say.
    asks: Bit,
    /// Nothing is wrong with its body.
    well_formed: Bit,
    /// Its partition is in the table of partitions, or is not looked at.
    member: Bit,
}

/// What was decided of a body.
#[packed]
pub struct Decided {
    /// Header of its PDU.
    header: ReliabilityHeader,
    /// What the table says.
    verdict: ReceiveVerdict,
    /// Nothing is wrong with it.
    well_formed: Bit,
    /// Its partition is a member.
    member: Bit,
    /// It is committed.
    commits: Bit,
}
