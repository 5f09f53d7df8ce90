//! # Numbers
//!
//! A number takes its width from its place: the other operand, or what is driven. It must fit. A name in capitals is a named constant or a const
//! generic: `LIMIT`, `N`, `Self::STEP`, `slot::v::LOW`, also with `+ - * / % << >>` among numbers and constants. It is a `usize`, `u64`, `u32`,
//! `u16`, `u8` or a positive `i32`. It stands in the Verilog as a number; a `Constant` field stands there by its name.

use flitforge_base::prelude::*;

const LIMIT: u64 = 20;

/// A counter that wraps at a number.
#[block]
pub struct Case<const N: usize = 5, const W: usize = 6> {
    clock: In<Clock>,
    value: Out<Bits<W>>,
    close: Out<Bit>,
    topmost: Out<Bit>,
    count: Reg<Bits<W>>,
}

#[logic]
impl<const N: usize, const W: usize> Case<N, W> {
    const STEP: usize = 3;

    fn update(&mut self) {
        count = count + Self::STEP;
        if count > LIMIT {
            count = N;
        }
        close = count == LIMIT + 1;
        topmost = count[W - 1] | count[N];
        value = count;
    }
}
