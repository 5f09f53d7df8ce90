//! What the pages say to other blocks, and what these say to them.

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// A request for an entry of a table: TBL_DATA is read or written.
#[packed]
pub struct TableRequest {
    /// It is written.
    write: Bit,
    /// Which table, as `flitforge_protocol::sue_registers::Table`.
    table: Bits<3>,
    /// Which entry.
    index: Bits<16>,
    /// What is written.
    data: Bits<64>,
}

/// What it is answered with.
#[packed]
pub struct TableAnswer {
    /// There is no such entry, or it cannot be written.
    refused: Bit,
    /// The entry that is read.
    data: Bits<64>,
}

/// A connection that the host looks at.
#[packed]
pub struct ConnectionLook {
    /// At the receiver, not at the sender.
    receiver: Bit,
    /// Peer and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// Its port.
    port: Bits<2>,
}

/// What there is to say of the events of a clock.
#[packed]
pub struct EventDetails {
    /// There is a reliability header.
    has_header: Bit,
    /// Port.
    port: Bits<4>,
    /// Connection.
    connection: Bits<12>,
    /// PSN.
    psn: Bits<16>,
    /// Reliability header, its first octet in the top bits.
    header: Bits<64>,
}

/// A frame of the management.
#[packed]
pub struct ManagementFrame {
    /// Octets without FCS.
    octets: Bits<12>,
    /// Port that it leaves or came by.
    port: Bits<4>,
}

/// What the registers say to the blocks of an instance, beside the packer, the sender's table and the network headers.
#[interface(join = InstanceRegistersIn)]
pub struct InstanceRegisters {
    /// CTRL.enable.
    enable: Out<Bit>,
    /// MODE: any port may take a body.
    unordered: Out<Bit>,
    /// STRICT_FO.
    strict_failover: Out<Bit>,
    /// GEN_EN.
    generation_enable: Out<Bit>,
    /// BRESP_MODE.
    response_mode: Out<Bit>,
    /// Own XPU.
    own: Out<Bits<10>>,
    /// Least octets of a body: see [`LeastBody`](super::LeastBody).
    least: Out<Bits<6>>,
    /// Partition of PDUs that only acknowledge.
    acknowledgment_partition: Out<Bits<10>>,
    /// RTO, clocks.
    timeout: Out<Bits<24>>,
    /// SLOT_MIN.
    slot_min: Out<Bits<8>>,
    /// CM_RTO, clocks.
    management_timeout: Out<Bits<16>>,
    /// CM_TRIES.
    management_tries: Out<Bits<4>>,
    /// REST, clocks.
    rest: Out<Bits<24>>,
    /// ACK_COALESCE.
    coalesce: Out<Bits<8>>,
    /// ACK_TIMER, clocks.
    acknowledgment_timer: Out<Bits<16>>,
    /// RENACK.
    renack: Out<Bit>,
    /// Partitions are checked.
    partition_check: Out<Bit>,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: Out<Bits<128>>,
    /// Credits of each virtual channel after a clear.
    initial: Out<Bits<10>>,
    /// QHI, cells.
    queue_high: Out<Bits<16>>,
    /// QLO, cells.
    queue_low: Out<Bits<16>>,
}

/// The same at who reads them.
#[interface(join = InstanceRegisters)]
pub struct InstanceRegistersIn {
    /// CTRL.enable.
    enable: In<Bit>,
    /// MODE: any port may take a body.
    unordered: In<Bit>,
    /// STRICT_FO.
    strict_failover: In<Bit>,
    /// GEN_EN.
    generation_enable: In<Bit>,
    /// BRESP_MODE.
    response_mode: In<Bit>,
    /// Own XPU.
    own: In<Bits<10>>,
    /// Least octets of a body: see [`LeastBody`](super::LeastBody).
    least: In<Bits<6>>,
    /// Partition of PDUs that only acknowledge.
    acknowledgment_partition: In<Bits<10>>,
    /// RTO, clocks.
    timeout: In<Bits<24>>,
    /// SLOT_MIN.
    slot_min: In<Bits<8>>,
    /// CM_RTO, clocks.
    management_timeout: In<Bits<16>>,
    /// CM_TRIES.
    management_tries: In<Bits<4>>,
    /// REST, clocks.
    rest: In<Bits<24>>,
    /// ACK_COALESCE.
    coalesce: In<Bits<8>>,
    /// ACK_TIMER, clocks.
    acknowledgment_timer: In<Bits<16>>,
    /// RENACK.
    renack: In<Bit>,
    /// Partitions are checked.
    partition_check: In<Bit>,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: In<Bits<128>>,
    /// Credits of each virtual channel after a clear.
    initial: In<Bits<10>>,
    /// QHI, cells.
    queue_high: In<Bits<16>>,
    /// QLO, cells.
    queue_low: In<Bits<16>>,
}
