//! A small accumulator of events.

use crate::prelude::*;

/// Adds up `count` until it is taken; events of the clock in which it is taken are the first of the next sum.
///
/// It wraps: whoever takes must come before `W` bits are full.
#[block("tally", bits = W, count = C)]
pub struct Tally<const W: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Events of this clock.
    count: In<Bits<C>>,
    /// The sum is taken.
    take: In<Bit>,
    /// Events since the sum was taken, up to the clock before.
    value: Out<Bits<W>>,
    sum: Reg<Bits<W>>,
}

#[logic]
impl<const W: usize, const C: usize> Tally<W, C> {
    fn update(&mut self) {
        let mut kept = sum;
        if take {
            kept = 0;
        }
        sum = kept + bit_cast::<W, C>(count);
        value = sum;
    }
}
