//! What the registers say to credit-based flow control (chapter 50, 5: P_CELL).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say, at flow control.
#[interface(join = CbfcRegisters)]
pub struct CbfcSettings {
    /// P_CELL: cells of 32·2^n octets, n from 0 to 6.
    cell: In<Bits<3>>,
    /// PKT_OVHD, signed, -16 to 127.
    overhead: In<Bits<8>>,
    /// CELL_BATCH: freed cells that make a CF_Update due.
    cell_batch: In<Bits<8>>,
    /// CF_TIMER in clocks.
    cf_timer: In<Bits<16>>,
    /// CC_TIMER in 64 clocks.
    cc_timer: In<Bits<16>>,
    /// All classes share the LIMIT of class 0.
    pool: In<Bit>,
    /// Octets without FCS of the largest frame that is sent.
    largest: In<Bits<14>>,
    /// PROFILE ue103: CC_Update goes in two messages with an organisation identifier.
    two_messages: In<Bit>,
    /// CC_OPC.
    opcode: In<Bits<16>>,
    /// Own address, its first octet in the highest bits.
    source: In<Bits<48>>,
}

/// The same at the registers.
#[interface(join = CbfcSettings)]
pub struct CbfcRegisters {
    /// P_CELL: cells of 32·2^n octets, n from 0 to 6.
    cell: Out<Bits<3>>,
    /// PKT_OVHD, signed, -16 to 127.
    overhead: Out<Bits<8>>,
    /// CELL_BATCH: freed cells that make a CF_Update due.
    cell_batch: Out<Bits<8>>,
    /// CF_TIMER in clocks.
    cf_timer: Out<Bits<16>>,
    /// CC_TIMER in 64 clocks.
    cc_timer: Out<Bits<16>>,
    /// All classes share the LIMIT of class 0.
    pool: Out<Bit>,
    /// Octets without FCS of the largest frame that is sent.
    largest: Out<Bits<14>>,
    /// PROFILE ue103: CC_Update goes in two messages with an organisation identifier.
    two_messages: Out<Bit>,
    /// CC_OPC.
    opcode: Out<Bits<16>>,
    /// Own address, its first octet in the highest bits.
    source: Out<Bits<48>>,
}
