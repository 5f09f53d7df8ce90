//! How far ports are ahead of each other: BOND_SKEW.

use super::receive::{INDEX_BITS, SKEW_BITS};
use flitforge_hdl_prim::prelude::*;

/// The largest number of shares that waited for one of `B` ports, counted in `C` bits; `B` clocks after it at most.
#[block("bond_fill", links = B)]
pub struct BondFill<const B: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing waits; the largest number stays.
    clear: In<Bit>,
    /// The largest number is 0.
    clear_counters: In<Bit>,
    /// A share is taken from these ports.
    arrive: In<Bits<B>>,
    /// A share of every port leaves.
    leave: In<Bit>,
    /// The largest number.
    skew: Out<Bits<SKEW_BITS>>,
    /// Shares that have come and not left, by port.
    #[wire(d = _)]
    fill: [Reg<Bits<C>>; B],
    #[wire(d = _)]
    most: [Reg<Bits<C>>; B],
    #[init(|link| link)]
    number: [Constant<Bits<INDEX_BITS>>; B],
    received: Local<Bit>,
    /// The port whose largest number is looked at.
    turn: Reg<Bits<INDEX_BITS>>,
    largest: Reg<Bits<C>>,
}

#[logic]
impl<const B: usize, const C: usize> BondFill<B, C> {
    fn update(&mut self) {
        let mut looked: Bits<C> = 0;
        for i in 0..B {
            received = arrive[i];
            fill[i] = fill[i];
            if received & !leave {
                fill[i] = fill[i] + 1;
            }
            if !received & leave {
                fill[i] = fill[i] - 1;
            }
            if clear {
                fill[i] = 0;
            }
            most[i] = most[i];
            if fill[i] > most[i] {
                most[i] = fill[i];
            }
            if clear_counters {
                most[i] = 0;
            }
            if turn == number[i] {
                looked = most[i];
            }
        }
        turn = turn + 1;
        if looked > largest {
            largest = looked;
        }
        if clear_counters {
            largest = 0;
        }
        skew = bit_cast::<SKEW_BITS, C>(largest);
    }
}
