//! What the registers say of connection management, and what is counted (chapter 50, 5).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say. They hold still while there are connections.
#[interface(join = FailoverRegisters)]
pub struct FailoverSettings {
    /// Ports that the instance has.
    ports: In<Bits<4>>,
    /// MODE = unordered or STRICT_FO: what a failed connection holds goes on through another port.
    fails_over: In<Bit>,
    /// MODE = strict and STRICT_FO: order is kept.
    keeps_order: In<Bit>,
    /// CM_RTO, in clocks.
    cm_rto: In<Bits<16>>,
    /// CM_TRIES, 1 at least.
    cm_tries: In<Bits<4>>,
    /// Clocks longer than anything lives in the network.
    rest: In<Bits<24>>,
    /// Class of records.
    class: In<Bits<3>>,
    /// Partition of records.
    partition: In<Bits<10>>,
}

/// The same at the registers.
#[interface(join = FailoverSettings)]
pub struct FailoverRegisters {
    /// Ports that the instance has.
    ports: Out<Bits<4>>,
    /// MODE = unordered or STRICT_FO: what a failed connection holds goes on through another port.
    fails_over: Out<Bit>,
    /// MODE = strict and STRICT_FO: order is kept.
    keeps_order: Out<Bit>,
    /// CM_RTO, in clocks.
    cm_rto: Out<Bits<16>>,
    /// CM_TRIES, 1 at least.
    cm_tries: Out<Bits<4>>,
    /// Clocks longer than anything lives in the network.
    rest: Out<Bits<24>>,
    /// Class of records.
    class: Out<Bits<3>>,
    /// Partition of records.
    partition: Out<Bits<10>>,
}

/// What happened; each is high for one clock.
#[interface(join = FailoverEventsIn)]
pub struct FailoverEvents {
    /// What a connection held went on through another port (FAILOVER).
    failed_over: Out<Bit>,
    /// No port had an answer, or there is no failover (PEER_LOST).
    peer_lost: Out<Bit>,
    /// A connection was opened again.
    opened: Out<Bit>,
    /// A record came that makes no sense.
    record_bad: Out<Bit>,
    /// A record came while there was no place for it.
    record_lost: Out<Bit>,
}

/// The same at the counters.
#[interface(join = FailoverEvents)]
pub struct FailoverEventsIn {
    /// What a connection held went on through another port (FAILOVER).
    failed_over: In<Bit>,
    /// No port had an answer, or there is no failover (PEER_LOST).
    peer_lost: In<Bit>,
    /// A connection was opened again.
    opened: In<Bit>,
    /// A record came that makes no sense.
    record_bad: In<Bit>,
    /// A record came while there was no place for it.
    record_lost: In<Bit>,
}
