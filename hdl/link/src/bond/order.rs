//! Which port carries which share.

use super::receive::INDEX_BITS;
use flitforge_hdl_prim::prelude::*;

/// The ports of the indices 0 to `B` - 1. Outputs are 1 clock after the indices.
#[block("bond_order", links = B)]
pub struct BondOrder<const B: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Index of what comes over each port.
    bond_index: [In<Bits<INDEX_BITS>>; B],
    /// Bit p of entry i: port p has the shares of index i.
    select: [Out<Bits<B>>; B],
    /// Every index has a port.
    ordered: Out<Bit>,
    chosen: [Reg<Bits<B>>; B],
    #[init(|link| link)]
    number: [Constant<Bits<INDEX_BITS>>; B],
    equal: Local<Bits<B>>,
}

#[logic]
impl<const B: usize> BondOrder<B> {
    fn update(&mut self) {
        let mut known: Bits<B> = 0;
        for i in 0..B {
            equal = 0;
            for p in 0..B {
                equal = equal.with(p, bond_index[p] == number[i]);
            }
            chosen[i] = equal;
            select[i] = chosen[i];
            known = known.with(i, chosen[i].any());
        }
        ordered = known.all();
    }
}
