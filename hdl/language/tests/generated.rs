//! Blocks that a `macro_rules!` writes: its arguments are types, numbers, names, expressions and statements of a body.

use crate::support::{same_everywhere, verilog_of};
use flitforge_base::prelude::*;

macro_rules! adder {
    ($name:ident, $port:ty, $width:literal, $times:expr, $place:expr, $bits:expr, { $($more:tt)* }) => {
        #[block]
        #[derive(Clone, Debug)]
        pub struct $name<const W: usize> {
            clock: In<Clock>,
            a: In<Bits<W>>,
            flag: $port,
            y: Out<Bits<$width>>,
            row: [Reg<Bits<$width>>; $times],
        }

        #[logic]
        impl<const W: usize> $name<W> {
            fn update(&mut self) {
                let part = a.bits::<$width>($place);
                for i in 0..$times {
                    row[i] = row[i] + part;
                }
                y = row[$times - 1] ^ $bits;
                flag = part[$width - 1];
                $($more)*
            }
        }
    };
}

adder!(Two, Out<Bit>, 4, 2, 1 + 1, a[0..4] | 8, {});
adder!(Three, Out<Bit>, 5, 3, 0, a[0..5], {
    if a == 3 {
        y = 0;
    }
});

/// What is written for [`Three`].
#[block]
#[derive(Clone, Debug)]
pub struct Plain<const W: usize> {
    clock: In<Clock>,
    a: In<Bits<W>>,
    flag: Out<Bit>,
    y: Out<Bits<5>>,
    row: [Reg<Bits<5>>; 3],
}

#[logic]
impl<const W: usize> Plain<W> {
    fn update(&mut self) {
        let part = a.bits::<5>(0);
        for i in 0..3 {
            row[i] = row[i] + part;
        }
        y = row[2] ^ a[0..5];
        flag = part[4];
        if a == 3 {
            y = 0;
        }
    }
}

#[test]
fn blocks_from_macros() {
    same_everywhere("Two", Two::<8>::default, 500);
    same_everywhere("Three", Three::<8>::default, 500);
    assert_eq!(verilog_of(Three::<8>::default(), "top"), verilog_of(Plain::<8>::default(), "top"));
}
