//! What a body reads of what it drives itself: of a `let` and a `Local` the value so far, of a port and a register what it has in the end.

use crate::support::same_everywhere;
use flitforge_base::prelude::*;

#[block]
pub struct OwnOutputs {
    clock: In<Clock>,
    go: In<Bit>,
    a: In<Bits<4>>,
    b: In<Bits<4>>,
    y: Out<Bits<4>>,
    z: Out<Bits<4>>,
    so_far: Out<Bits<4>>,
    from_local: Out<Bits<4>>,
    sum: Local<Bits<4>>,
    held: Reg<Bits<4>>,
    was: Out<Bits<4>>,
}

#[logic]
impl OwnOutputs {
    fn update(&mut self) {
        y = a;
        let early = y;
        if go {
            y = b;
        }
        z = early;
        sum = a;
        let one = sum;
        sum = sum + b;
        from_local = sum ^ one;
        let mut x = a;
        let first = x;
        x = x + 1;
        so_far = first ^ x;
        held = a;
        let before = held;
        held = held + before;
        was = held;
    }
}

#[test]
fn own_outputs() {
    same_everywhere("OwnOutputs", OwnOutputs::default, 1000);
}
