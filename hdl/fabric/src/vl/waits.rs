//! How long lanes have waited.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::vl_en;

/// Bits of AGE.
pub const AGE_BITS: usize = vl_en::age::WIDTH;

/// Counts the beat times that each of `N` lanes has waited, up to AGE. A change of AGE counts for waits that begin later.
#[block("vl_waits", lanes = N)]
pub struct VlWaits<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nobody has waited.
    clear: In<Bit>,
    /// AGE; 0: nobody ages.
    age: In<Bits<AGE_BITS>>,
    /// A beat time ends on this edge.
    step: In<Bit>,
    /// Lanes that have a beat.
    offers: In<Bits<N>>,
    /// The lane whose beat goes.
    sent: In<Bits<N>>,
    /// Lanes that have waited AGE.
    aged: Out<Bits<N>>,
    #[wire(d = _)]
    waited: [Reg<Bits<AGE_BITS>>; N],
    /// Lanes whose beat went in the clock before: their count is 0, whatever `waited` says.
    went: Reg<Bits<N>>,
    aged_lanes: Reg<Bits<N>>,
    nearly: Reg<Bits<AGE_BITS>>,
    ages: Reg<Bit>,
    next_aged: Local<Bits<N>>,
    next_went: Local<Bits<N>>,
    count: Local<Bits<AGE_BITS>>,
    #[init(1)]
    one: Constant<Bits<AGE_BITS>>,
    #[init(0)]
    nobody: Constant<Bits<N>>,
}

#[logic]
impl<const N: usize> VlWaits<N> {
    fn update(&mut self) {
        nearly = age - one;
        ages = age.any();
        next_aged = aged_lanes;
        next_went = 0;
        for v in 0..N {
            count = waited[v];
            if went[v] {
                count = 0;
            }
            waited[v] = count;
            if step & offers[v] & !aged_lanes[v] {
                waited[v] = count + one;
                next_aged = next_aged.with(v, ages & (count >= nearly));
            }
            next_went = next_went.with(v, step & sent[v]);
            if clear | (step & sent[v]) {
                next_aged = next_aged.with(v, false);
            }
        }
        aged_lanes = next_aged;
        went = next_went;
        if clear {
            went = !nobody;
        }
        aged = aged_lanes;
    }
}
