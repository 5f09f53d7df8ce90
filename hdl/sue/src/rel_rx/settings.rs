//! What the registers say, and what the receiver tells the counters (chapter 50, 5).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say. They hold still while there are PDUs.
#[interface(join = RelRxRegisters)]
pub struct RelRxSettings {
    /// Port that PDUs come by.
    port: In<Bits<2>>,
    /// PDUs after which an ACK is due (ACK_COALESCE), 1 to 255; 0 is as 256.
    coalesce: In<Bits<8>>,
    /// A replay that lost its first PDU is answered by a NACK (RENACK).
    renack: In<Bit>,
    /// Clocks until an ACK is due (ACK_TIMER).
    ack_timer: In<Bits<16>>,
    /// Bodies of partitions that are not in the table are not delivered.
    partition_check: In<Bit>,
}

/// The same at the registers.
#[interface(join = RelRxSettings)]
pub struct RelRxRegisters {
    /// Port that PDUs come by.
    port: Out<Bits<2>>,
    /// PDUs after which an ACK is due (ACK_COALESCE), 1 to 255; 0 is as 256.
    coalesce: Out<Bits<8>>,
    /// A replay that lost its first PDU is answered by a NACK (RENACK).
    renack: Out<Bit>,
    /// Clocks until an ACK is due (ACK_TIMER).
    ack_timer: Out<Bits<16>>,
    /// Bodies of partitions that are not in the table are not delivered.
    partition_check: Out<Bit>,
}

/// What happened at the receiver; each is high for one clock.
#[interface(join = RelRxEventsIn)]
pub struct RelRxEvents {
    /// A PDU was in a bad frame.
    frame_bad: Out<Bit>,
    /// A PDU was too short or of another version (RH_BAD).
    header_bad: Out<Bit>,
    /// The R-CRC of a PDU was wrong (RCRC).
    crc_bad: Out<Bit>,
    /// A PDU came while the table of connections was cleared (GEN_BUSY).
    busy: Out<Bit>,
    /// A PDU had another source than its frame (HDR_BAD).
    source_bad: Out<Bit>,
    /// There was no connection for the source of a PDU.
    unknown: Out<Bit>,
    /// A record of connection management has come.
    management: Out<Bit>,
    /// A PDU of connection management had no record (BODY_BAD).
    record_bad: Out<Bit>,
    /// A PDU without a body has come.
    empty: Out<Bit>,
    /// An acknowledgment was lost: nobody took those before it.
    answer_lost: Out<Bit>,
    /// A PDU was accepted (BODY_RX).
    accepted: Out<Bit>,
    /// An accepted PDU was of a wrong partition: its body is dropped (PART_VIOL).
    partition_violation: Out<Bit>,
    /// The body of an accepted PDU was malformed: it is dropped (BODY_BAD).
    body_bad: Out<Bit>,
    /// The PDU expected had no room (RX_FULL).
    no_room: Out<Bit>,
    /// A PDU before this one is missing (GAP).
    gap: Out<Bit>,
    /// A PDU was accepted before (DUP).
    duplicate: Out<Bit>,
    /// A PDU came on a frozen connection.
    frozen: Out<Bit>,
}

/// The same at the counters.
#[interface(join = RelRxEvents)]
pub struct RelRxEventsIn {
    /// A PDU was in a bad frame.
    frame_bad: In<Bit>,
    /// A PDU was too short or of another version (RH_BAD).
    header_bad: In<Bit>,
    /// The R-CRC of a PDU was wrong (RCRC).
    crc_bad: In<Bit>,
    /// A PDU came while the table of connections was cleared (GEN_BUSY).
    busy: In<Bit>,
    /// A PDU had another source than its frame (HDR_BAD).
    source_bad: In<Bit>,
    /// There was no connection for the source of a PDU.
    unknown: In<Bit>,
    /// A record of connection management has come.
    management: In<Bit>,
    /// A PDU of connection management had no record (BODY_BAD).
    record_bad: In<Bit>,
    /// A PDU without a body has come.
    empty: In<Bit>,
    /// An acknowledgment was lost: nobody took those before it.
    answer_lost: In<Bit>,
    /// A PDU was accepted (BODY_RX).
    accepted: In<Bit>,
    /// An accepted PDU was of a wrong partition: its body is dropped (PART_VIOL).
    partition_violation: In<Bit>,
    /// The body of an accepted PDU was malformed: it is dropped (BODY_BAD).
    body_bad: In<Bit>,
    /// The PDU expected had no room (RX_FULL).
    no_room: In<Bit>,
    /// A PDU before this one is missing (GAP).
    gap: In<Bit>,
    /// A PDU was accepted before (DUP).
    duplicate: In<Bit>,
    /// A PDU came on a frozen connection.
    frozen: In<Bit>,
}
