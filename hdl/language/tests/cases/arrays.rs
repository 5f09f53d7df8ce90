//! # Loops and arrays
//!
//! `for i in from..to` is unrolled; its ends are numbers and constants. `[In<T>; N]`, `[Reg<T>; N]`, `[Constant<T>; N]` and so on
//! are arrays, also as `Vec`. `#[init(|i| ..)]` gives each element its value, `#[init([a, b])]` lists them, `#[init(n)]` gives
//! all the same.
//!
//! An element is chosen by numbers, constants and loop variables and what `+ - * / % << >>` make of them: `x[(i + 1) % N]`. There
//! are no arrays of arrays. A loop variable is also a number: `i < N - 1` decides at once, `x > i` compares. A `let` in a loop is
//! one signal that gets a new value in every round.

use flitforge_base::prelude::*;

/// A ring of small shift registers.
#[block]
pub struct Case<const N: usize = 3> {
    clock: In<Clock>,
    enter: In<Bits<4>>,
    masks: [In<Bits<4>>; N],
    taken: [Out<Bit>; N],
    first: [Out<Bit>; N],
    sum: Out<Bits<4>>,
    stage: [Reg<Bits<4>>; N],
    #[init(|place| place + 1)]
    weight: [Constant<Bits<4>>; N],
}

#[logic]
impl<const N: usize> Case<N> {
    fn update(&mut self) {
        let mut total: Bits<4> = 0;
        for i in 0..N {
            let masked = stage[i] & masks[i];
            stage[(i + 1) % N] = masked + weight[i];
            taken[i] = masked.any() & enter[i];
            first[i] = (i == 0) & (enter > i);
            total = total + masked;
            if i < N - 1 {
                total = total ^ (2 * i + 1);
            }
        }
        stage[0] = enter ^ stage[N - 1];
        sum = total;
    }
}
