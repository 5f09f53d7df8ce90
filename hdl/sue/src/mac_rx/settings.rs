//! What the registers say to the receiving MAC (chapter 50, 5: P_CTRL).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say to the receiving MAC, at the MAC. They hold still while there are frames.
#[interface(join = MacReceiveRegisters)]
pub struct MacReceiveSettings {
    /// MINF: octets of the shortest frame without FCS, 8 to 60.
    minimum: In<Bits<6>>,
    /// LLR_FCS_SEQ: the FCS of a numbered frame runs over its sequence number, too.
    fcs_over_sequence: In<Bit>,
}

/// The same at the registers.
#[interface(join = MacReceiveSettings)]
pub struct MacReceiveRegisters {
    /// MINF: octets of the shortest frame without FCS, 8 to 60.
    minimum: Out<Bits<6>>,
    /// LLR_FCS_SEQ: the FCS of a numbered frame runs over its sequence number, too.
    fcs_over_sequence: Out<Bit>,
}
