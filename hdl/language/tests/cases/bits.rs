//! # Bits and operators
//!
//! | written | gives |
//! |---|---|
//! | `x[3]`, `x[i]`, `x[N]` | a bit; the index is made of numbers, constants and loop variables, or is one signal |
//! | `x[low..high]` | bits `low` to `high - 1`; the ends are numbers and constants |
//! | `x.bits::<WIDTH>(low)` | `WIDTH` bits from `low` on, which may be what an index may be |
//! | `x[layout::field]` | a field of a layout of the protocol: a `Bit` if it has one bit, else `Bits` |
//! | `x.with(i, bit)`, `x.with(layout::field, bit)` | `x` with one bit replaced |
//! | `cat(low, .., high)` | the parts side by side, the first in the lowest bits; its width comes from where it goes |
//! | `bit_cast::<TO, FROM>(x)` | cut off, or extended with zeros |
//! | `bits::<WIDTH>(n)` | a number of this width |
//! | `signed_cast(x)`, `unsigned_cast(x)` | the same bits as `Signed` or `Bits` |
//! | `x.any()`, `x.all()`, `x.xor()` | a bit of all bits |
//! | `x.into()` | `Bit` as `Bits<1>`, a packed struct as `Bits`, and back |
//!
//! Operators are those of rust-hdl: `+ - * & | ^ ! << >> == != < <= > >= && ||`, with Rust's precedence. Only a signal or a
//! `let` has bits that can be named: `(a ^ b)[0]` is refused. An index that is a signal must stay inside the value.

use flitforge_base::prelude::*;
use flitforge_protocol::time_ring::slot_control as slot;

const TOP: usize = 16;

/// Takes a slot apart and puts it together.
#[block]
pub struct Case {
    control: In<Bits<17>>,
    place: In<Bits<4>>,
    tree: Out<Bits<2>>,
    occupied: Out<Bit>,
    one: Out<Bit>,
    middle: Out<Bits<5>>,
    nibble: Out<Bits<4>>,
    marked: Out<Bits<17>>,
    turned: Out<Bits<17>>,
    flags: Out<Bits<4>>,
    wide: Out<Bits<8>>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        tree = control[slot::tree];
        occupied = control[slot::v];
        one = control[place] ^ control[TOP];
        middle = control[2..7];
        nibble = control.bits::<4>(slot::kind::LOW);
        marked = control.with(slot::mon, true).with(0, !control[0]);
        let low = control[0..8];
        turned = cat(control[8..TOP], low, control[TOP]);
        flags = cat(low.any(), low.all(), low.xor(), low == 7);
        wide = bit_cast::<8, 4>(place) << 2 | bits::<8>(1) | bit_cast::<8, 6>(cat(place, control[slot::tree]));
    }
}
