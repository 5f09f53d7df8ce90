//! # Registers
//!
//! `Reg<T>` is a flip-flop of zero at power-on. Its clock is wired, and it keeps its value where the body gives it none.
//! `Register<T>` has pins for clear and enable, too: its clock and its clear are wired, and it is enabled.
//!
//! `#[init(n)]` is what it powers on with and is cleared to. The name of a register is its value when it is read, and what it
//! becomes with the next edge when it is driven; `x.enable`, `x.clear` and `x.clock` are its pins, and what the body drives is
//! not wired.
//!
//! The clock is the input `clock` and the clear is the input `clear`, or those that `#[block(clock = .., clear = ..)]` names, or those
//! of `#[wire(clock = .., clear = .., enable = ..)]` on the register. `#[wire(d = _)]` says of a `Reg` that the body gives it
//! a value on every path: nothing is said of keeping one.

use crate::prim::Register;
use flitforge_base::prelude::*;

/// Counts to seven and tells of it.
#[block]
pub struct Case {
    clock: In<Clock>,
    clear: In<Bit>,
    up: In<Bit>,
    hold: In<Bit>,
    count: Out<Bits<3>>,
    full: Out<Bit>,
    was_up: Out<Bit>,
    counted: Register<Bits<3>>,
    #[wire(clear = false, enable = !hold)]
    #[init(true)]
    quiet: Register<Bit>,
    seen: Reg<Bit>,
    #[wire(d = _)]
    before: Reg<Bit>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        counted.enable = up & !hold;
        counted = counted + 1;
        quiet = !up;
        if up {
            seen = true;
        }
        before = seen;
        count = counted;
        full = counted.all();
        was_up = before & !quiet;
    }
}
