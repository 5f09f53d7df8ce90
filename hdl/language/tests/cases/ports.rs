//! # Ports, local signals and constants
//!
//! A field is a port by its type: `In<T>`, `Out<T>` and `InOut<T>`; it is public whether `pub` is written or not.
//! `Local<T>` is a signal inside the block that has a name of its own in the struct; most such signals are better a `let`.
//! `Constant<T>` is a `localparam`; `#[init(..)]` says its value. A field whose name begins with `_` is no hardware.
//!
//! `#[block("label", name = value, ..)]` gives the block its label and its parameters; both stand above the module and in its name.
//!
//! In the body of `update` a field is named without `self`, and its name is its value. An assignment drives it. Later assignments
//! win over earlier ones.
//!
//! What a body reads of a `let` or a `Local` is the value so far; of an output it is the one that the output has in the end, and
//! of a register the one that it holds. `T` is a type of rust-hdl: `Bit`, `Bits<N>`, `Signed<N>`, `Clock`, a packed struct or an
//! enum.

use flitforge_base::prelude::*;

/// Adds, with a limit.
#[block("ports", width = W)]
pub struct Case<const W: usize = 8> {
    a: In<Bits<W>>,
    b: In<Bits<W>>,
    sum: Out<Bits<W>>,
    at_limit: Out<Bit>,
    added: Local<Bits<W>>,
    #[init(200)]
    limit: Constant<Bits<W>>,
    _remark: u8,
}

#[logic]
impl<const W: usize> Case<W> {
    fn update(&mut self) {
        added = a + b;
        sum = added;
        at_limit = false;
        if (added >= limit) | !(a & b == 0) {
            sum = limit;
            at_limit = true;
        }
    }
}
