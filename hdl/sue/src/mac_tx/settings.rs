//! What the registers say to the sending MAC (chapter 50, 5: P_CTRL).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say to the sending MAC, at the MAC. They hold still while there are frames.
#[interface(join = MacTransmitRegisters)]
pub struct MacTransmitSettings {
    /// MINF: shorter frames are padded with zeros to this many octets, without FCS, 8 to 60.
    minimum: In<Bits<6>>,
    /// IPG: octets between frames on the average, at least 8.
    gap: In<Bits<6>>,
    /// LLR_FCS_SEQ: the FCS of a numbered frame runs over its sequence number, too.
    fcs_over_sequence: In<Bit>,
    /// CTL_IN_FRAME: ordered sets may go inside long frames.
    control_in_frame: In<Bit>,
}

/// The same at the registers.
#[interface(join = MacTransmitSettings)]
pub struct MacTransmitRegisters {
    /// MINF: shorter frames are padded with zeros to this many octets, without FCS, 8 to 60.
    minimum: Out<Bits<6>>,
    /// IPG: octets between frames on the average, at least 8.
    gap: Out<Bits<6>>,
    /// LLR_FCS_SEQ: the FCS of a numbered frame runs over its sequence number, too.
    fcs_over_sequence: Out<Bit>,
    /// CTL_IN_FRAME: ordered sets may go inside long frames.
    control_in_frame: Out<Bit>,
}
