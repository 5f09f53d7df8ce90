//! `hdl/prim/src/counter`.

use crate::config::{check_derived, check_range, ConfigError};
use crate::prim::Register;
use flitforge_base::prelude::*;

/// A saturating counter of `N` = 4 `S` bits; see the [module](self).
#[block("counter", new, bits = N)]
#[derive(Clone, Debug)]
pub struct Counter<const N: usize, const S: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Sets the counter to 0.
    clear: In<Bit>,
    /// Sets the counter to 0: an operator wrote 0.
    zero: In<Bit>,
    /// Counts one event.
    up: In<Bit>,
    /// Events counted.
    value: Out<Bits<N>>,
    segment: [Register<Bits<S>>; 4],
    ones: [Register<Bit>; 4],
    #[init(|place| Bits::from((place * S) as LiteralType))]
    shift: [Constant<Bits<6>>; 4],
    #[init(1)]
    one: Constant<Bits<S>>,
    #[init(Bits::from((1 << S) - 2))]
    last_but_one: Constant<Bits<S>>,
    #[init(0)]
    none: Constant<Bits<N>>,
    step: Local<Bit>,
    carry: Local<Bit>,
    part: Local<Bits<S>>,
    sum: Local<Bits<N>>,
}

#[logic]
impl<const N: usize, const S: usize> Counter<N, S> {
    /// A counter at 0.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("counter", "S", S as u64, 2, 15)?;
        check_derived("counter", "N", N as u64, "4 S", 4 * S as u64)?;
        Ok(Self { .. })
    }

    fn update(&mut self) {
        for i in 0..4 {
            segment[i].clear = clear | zero;
            segment[i] = segment[i] + one;
            ones[i].clear = clear | zero;
            ones[i].enable = true;
            ones[i] = segment[i].all();
        }
        step = up & !(ones[0] & ones[1] & ones[2] & ones[3]);
        // The lowest flag has no time to be late.
        ones[0].enable = step;
        ones[0] = segment[0] == last_but_one;
        carry = step;
        for i in 0..4 {
            segment[i].enable = carry;
            carry = carry & ones[i];
        }
        sum = none;
        for i in 0..4 {
            part = segment[i];
            sum = sum | (bit_cast::<N, S>(part) << shift[i]);
        }
        value = sum;
    }
}
