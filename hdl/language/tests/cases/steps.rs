//! # Steps
//!
//! A method of the impl that `update` calls is a part of its body under a name, a step: its statements stand where it is called. So a body
//! of several screens is a list of what it does. The Verilog is that of the body written in one piece.
//!
//! A step sees all fields. A `let` of its own is seen by nobody else; those that it takes and gives have the same names on
//! both sides. A step may be called inside a condition, a loop or another step, and once in all: what is used twice is a
//! function.

use flitforge_base::prelude::*;

/// Follows what is loudest, and counts how often it was another.
#[block]
pub struct Case {
    clock: In<Clock>,
    clear: In<Bit>,
    a: In<Bits<8>>,
    b: In<Bits<8>>,
    loudest: Out<Bits<8>>,
    changes: Out<Bits<4>>,
    was_a: Reg<Bit>,
    changed: Reg<Bits<4>>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        let (is_a, level) = self.compare();
        if is_a != was_a {
            self.count();
        }
        self.follow(is_a, level);
        if clear {
            changed = 0;
        }
        changes = changed;
    }

    /// Which of them is louder, and how loud.
    fn compare(&mut self) -> (Bit, Bits<8>) {
        let is_a = a > b;
        let level = if is_a { a } else { b };
        (is_a, level)
    }

    fn count(&mut self) {
        let more = changed + 1;
        changed = more;
    }

    fn follow(&mut self, is_a: Bit, level: Bits<8>) {
        was_a = is_a;
        loudest = level;
    }
}
