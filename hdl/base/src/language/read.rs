//! `x[i]` where the body does not say whether `x` is an array or a value: a port of a child.

use rust_hdl::prelude::{Bits, Direction, In, Out, Signal, Synth};

/// A signal that can be read.
pub trait Element {
    /// Its type.
    type Value: Synth;
    /// Its value.
    fn read(&self) -> Self::Value;
}

impl<T: Synth> Element for Signal<In, T> {
    type Value = T;
    fn read(&self) -> T {
        self.val()
    }
}

impl<T: Synth> Element for Signal<Out, T> {
    type Value = T;
    fn read(&self) -> T {
        self.val()
    }
}

/// An array of signals, or a signal of bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no elements and no bits",
    label = "`[..]` is for arrays of signals and for signals of type `Bits`"
)]
pub trait Indexed {
    /// What an index gives.
    type Value: Synth;
    /// True for an array.
    const IS_ARRAY: bool;
    /// The element or bit.
    fn at(&self, index: usize) -> Self::Value;
}

impl<S: Element, const N: usize> Indexed for [S; N] {
    type Value = S::Value;
    const IS_ARRAY: bool = true;
    fn at(&self, index: usize) -> S::Value {
        self[index].read()
    }
}

impl<S: Element> Indexed for Vec<S> {
    type Value = S::Value;
    const IS_ARRAY: bool = true;
    fn at(&self, index: usize) -> S::Value {
        self[index].read()
    }
}

impl<D: Direction, const N: usize> Indexed for Signal<D, Bits<N>>
where
    Signal<D, Bits<N>>: Element<Value = Bits<N>>,
{
    type Value = bool;
    const IS_ARRAY: bool = false;
    fn at(&self, index: usize) -> bool {
        self.read().get_bit(index)
    }
}
