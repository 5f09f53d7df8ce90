//! # Functions
//!
//! A function of the impl without `self` is called as `Self::function(..)` and stands inlined in the Verilog. It has `let`s and
//! ends with its value. What it reads is passed to it: it sees no field.
//!
//! An argument that is a signal or a `let` stands in the function's place as it is; any other becomes a signal
//! `function_argument`, a `let` becomes `function_let`, and a value that is an `if`, `match`, block or struct becomes a signal
//! `function`. A second use has `_2` after these names. A function has no parameters in `<>` of its own and does not call itself.
//!
//! Functions that no body calls are plain Rust.

use flitforge_base::prelude::*;

/// The distance of two numbers, twice.
#[block]
pub struct Case {
    a: In<Bits<8>>,
    b: In<Bits<8>>,
    c: In<Bits<8>>,
    apart: Out<Bits<8>>,
    parities: Out<Bits<2>>,
    limited: Out<Bits<8>>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        apart = Self::distance(a, b) + Self::distance(b, c);
        parities = cat(Self::even(a), Self::even(a ^ b));
        limited = Self::at_most(c, 9);
        if Self::even(c) {
            limited = Self::at_most(a ^ c, 3);
        }
    }

    fn even(x: Bits<8>) -> Bit {
        !x.xor()
    }

    fn at_most(x: Bits<8>, most: Bits<8>) -> Bits<8> {
        if x > most { most } else { x }
    }

    /// Without a sign.
    fn distance(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let less = x < y;
        let high = if less { y } else { x };
        let low = Self::at_most(x, y);
        high - low
    }
}
