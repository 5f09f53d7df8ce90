//! What the registers say to the packer (chapter 50, 5: PACK).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say to the packer, at the packer.
#[interface(join = PackRegisters)]
pub struct PackSettings {
    /// PACK_MAX: most octets of a body, even, 320 to 4096.
    pack_max: In<Bits<13>>,
    /// Bodies per round of virtual channel 0, 1 to 255.
    weight_0: In<Bits<8>>,
    /// The same of 1.
    weight_1: In<Bits<8>>,
    /// The same of 2.
    weight_2: In<Bits<8>>,
    /// The same of 3.
    weight_3: In<Bits<8>>,
}

/// The same at the registers.
#[interface(join = PackSettings)]
pub struct PackRegisters {
    /// PACK_MAX: most octets of a body, even, 320 to 4096.
    pack_max: Out<Bits<13>>,
    /// Bodies per round of virtual channel 0, 1 to 255.
    weight_0: Out<Bits<8>>,
    /// The same of 1.
    weight_1: Out<Bits<8>>,
    /// The same of 2.
    weight_2: Out<Bits<8>>,
    /// The same of 3.
    weight_3: Out<Bits<8>>,
}
