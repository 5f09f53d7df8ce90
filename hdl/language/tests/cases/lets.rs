//! # `let`, and `if` and `match` as values
//!
//! A `let` is a signal of its name, of the type that Rust infers or that is written. `let mut` may get further values; each
//! reads the one before. A name has one meaning in a body: it is no field and no other `let` that can be seen there. A `let` inside a
//! condition is a signal of the whole module like any other; it has the value 0 where the condition does not hold.
//!
//! `if` with `else`, `match` and a block with `let`s are values of a `let` and of what is driven, but not of an operand. A
//! number has no width of its own: it takes that of its place, so a `let` of a number has its type written.
//!
//! rust-hdl's own wave files show a `let` as zero; its value is there in all others.

use flitforge_base::prelude::*;

/// The larger of two numbers, and what lies between.
#[block]
pub struct Case {
    a: In<Bits<6>>,
    b: In<Bits<6>>,
    mode: In<Bits<2>>,
    larger: Out<Bits<6>>,
    between: Out<Bits<6>>,
    chosen: Out<Bits<6>>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        let swap = a < b;
        let high = if swap { b } else { a };
        let low = if swap { a } else { b };
        larger = high;
        between = if high == low {
            0
        } else if mode[0] {
            let gap = high - low;
            gap - 1
        } else {
            high - low
        };
        let mut sum: Bits<6> = 1;
        sum = sum + high;
        if mode[1] {
            let twice = low << 1;
            sum = sum + twice;
        }
        chosen = match mode {
            0 => high,
            1 | 2 => sum,
            _ => 63,
        };
    }
}
