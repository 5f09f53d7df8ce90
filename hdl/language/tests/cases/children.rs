//! # Children
//!
//! A field of any other type is a child. `child.port` reads and drives its ports; `child = In { a, b: c }` drives several, `a`
//! standing for `a: a`, and `Out { a, b: c } = child` takes several: `a` is driven by the child's `a`, `c` by its `b`.
//!
//! `#[wire(clock, clear, enable = true)]` wires ports before the body, for an array those of all its elements. `child.port[i]` is
//! an element if the port is an array and a bit if it is a value: the compiler knows. A field of a child's packed port is read
//! through a `let`. `#[init(value)]` makes a child that has no `Default`.

use flitforge_base::prelude::*;

/// Adds to what it holds.
#[block("adder")]
pub struct Adder {
    clock: In<Clock>,
    clear: In<Bit>,
    by: In<Bits<4>>,
    flags: Out<Bits<4>>,
    parts: [Out<Bits<2>>; 2],
    held: Reg<Bits<4>>,
}

#[logic]
impl Adder {
    fn update(&mut self) {
        held = held + by;
        if clear {
            held = 0;
        }
        flags = held;
        parts[0] = held[0..2];
        parts[1] = held[2..4];
    }
}

/// Three adders in a row.
#[block]
pub struct Case {
    clock: In<Clock>,
    clear: In<Bit>,
    first: In<Bits<4>>,
    flag: Out<Bit>,
    part: Out<Bits<2>>,
    out: Out<Bits<4>>,
    flags: Out<Bits<4>>,
    again: Out<Bits<4>>,
    head: Adder,
    #[wire(clock, clear)]
    tail: [Adder; 2],
}

#[logic]
impl Case {
    fn update(&mut self) {
        head = In { clock, clear, by: first };
        tail[0].by = head.flags;
        for i in 0..1 {
            tail[i + 1] = In { by: tail[i].flags };
        }
        flag = head.flags[2] ^ tail[1].flags[0];
        part = head.parts[1];
        out = tail[1].flags;
        Out { flags } = tail[0];
        Out { flags: again } = head;
    }
}
