//! What the registers say of PDUs, and what the sender tells the counters (chapter 50, 5).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say of PDUs, at the sender. They hold still while there are PDUs.
#[interface(join = RelTxRegisters)]
pub struct RelTxSettings {
    /// Number of this XPU.
    own: In<Bits<10>>,
    /// Least octets of a body, even, 2 to 62.
    least: In<Bits<6>>,
    /// Port that PDUs of the connections leave from.
    port: In<Bits<2>>,
    /// Class of data, by virtual channel: that of 0 in bits 2:0.
    classes: In<Bits<12>>,
    /// Class of PDUs that only acknowledge.
    acknowledgment_class: In<Bits<3>>,
    /// Partition of PDUs that only acknowledge.
    acknowledgment_partition: In<Bits<10>>,
}

/// The same at the registers.
#[interface(join = RelTxSettings)]
pub struct RelTxRegisters {
    /// Number of this XPU.
    own: Out<Bits<10>>,
    /// Least octets of a body, even, 2 to 62.
    least: Out<Bits<6>>,
    /// Port that PDUs of the connections leave from.
    port: Out<Bits<2>>,
    /// Class of data, by virtual channel: that of 0 in bits 2:0.
    classes: Out<Bits<12>>,
    /// Class of PDUs that only acknowledge.
    acknowledgment_class: Out<Bits<3>>,
    /// Partition of PDUs that only acknowledge.
    acknowledgment_partition: Out<Bits<10>>,
}

/// What happened at the sender; each is high for one clock.
#[interface(join = RelTxEventsIn)]
pub struct RelTxEvents {
    /// A PDU with a body is written, for the first time (BODY_TX).
    sent: Out<Bit>,
    /// A PDU with a body is written again (REPLAY).
    sent_again: Out<Bit>,
    /// A PDU is written that only acknowledges.
    acknowledgment_only: Out<Bit>,
    /// One was not written: its acknowledgment had gone with another PDU.
    voided: Out<Bit>,
    /// A PDU of connection management is written.
    management_sent: Out<Bit>,
    /// A PDU with an ACK is written (ACK_TX).
    ack_sent: Out<Bit>,
    /// A PDU with a NACK is written (NACK_TX).
    nack_sent: Out<Bit>,
    /// An ACK was looked at (ACK_RX).
    ack_received: Out<Bit>,
    /// A NACK was looked at (NACK_RX).
    nack_received: Out<Bit>,
    /// A timer has run out (RTO_CNT).
    timed_out: Out<Bit>,
    /// An acknowledgment was from before the window (ACK_STALE).
    stale: Out<Bit>,
    /// An acknowledgment was of what was never sent (ACK_WILD).
    wild: Out<Bit>,
    /// A PDU was refused NACK_MAX times (STUCK).
    stuck: Out<Bit>,
    /// A connection has failed (CONN_FAIL).
    failed: Out<Bit>,
    /// A body in a slot had a wrong parity bit (PARITY).
    parity: Out<Bit>,
    /// A body came with an error and was forgotten.
    discarded: Out<Bit>,
    /// A body was longer than a slot and was forgotten.
    too_long: Out<Bit>,
    /// A connection waits without a timer.
    no_timer: Out<Bit>,
}

/// The same at the counters.
#[interface(join = RelTxEvents)]
pub struct RelTxEventsIn {
    /// A PDU with a body is written, for the first time (BODY_TX).
    sent: In<Bit>,
    /// A PDU with a body is written again (REPLAY).
    sent_again: In<Bit>,
    /// A PDU is written that only acknowledges.
    acknowledgment_only: In<Bit>,
    /// One was not written: its acknowledgment had gone with another PDU.
    voided: In<Bit>,
    /// A PDU of connection management is written.
    management_sent: In<Bit>,
    /// A PDU with an ACK is written (ACK_TX).
    ack_sent: In<Bit>,
    /// A PDU with a NACK is written (NACK_TX).
    nack_sent: In<Bit>,
    /// An ACK was looked at (ACK_RX).
    ack_received: In<Bit>,
    /// A NACK was looked at (NACK_RX).
    nack_received: In<Bit>,
    /// A timer has run out (RTO_CNT).
    timed_out: In<Bit>,
    /// An acknowledgment was from before the window (ACK_STALE).
    stale: In<Bit>,
    /// An acknowledgment was of what was never sent (ACK_WILD).
    wild: In<Bit>,
    /// A PDU was refused NACK_MAX times (STUCK).
    stuck: In<Bit>,
    /// A connection has failed (CONN_FAIL).
    failed: In<Bit>,
    /// A body in a slot had a wrong parity bit (PARITY).
    parity: In<Bit>,
    /// A body came with an error and was forgotten.
    discarded: In<Bit>,
    /// A body was longer than a slot and was forgotten.
    too_long: In<Bit>,
    /// A connection waits without a timer.
    no_timer: In<Bit>,
}
