//! Values put together and taken apart.

use rust_hdl::prelude::{Bits, LiteralType, Synth};

/// A number that is a literal in a body: what named constants and const generics can be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of a block",
    label = "a named constant of a block is a `usize`, `u64`, `u32`, `u16`, `u8` or a positive `i32`"
)]
pub trait Number {
    /// The number.
    fn number(self) -> LiteralType;
}

macro_rules! numbers {
    ($($kind:ty)*) => {
        $(impl Number for $kind {
            fn number(self) -> LiteralType {
                LiteralType::from(self)
            }
        })*
    };
}
numbers!(u8 u16 u32 u64);

impl Number for usize {
    fn number(self) -> LiteralType {
        self as LiteralType
    }
}

impl Number for i32 {
    fn number(self) -> LiteralType {
        assert!(self >= 0, "{self} is no number of a block: it is negative");
        self.unsigned_abs().into()
    }
}

/// The value of a named constant.
pub fn literal(number: impl Number) -> LiteralType {
    number.number()
}

/// An array of what `make` gives for each place.
pub fn each<T, const N: usize>(make: impl FnMut(usize) -> T) -> [T; N] {
    std::array::from_fn(make)
}

/// What can be put into a concatenation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no width of its own, so it cannot be put into `cat`",
    label = "bind it to a `let` with a type first"
)]
pub trait Part: Synth {
    /// One bit of it.
    fn bit(&self, index: usize) -> bool;
}

impl Part for bool {
    fn bit(&self, _: usize) -> bool {
        *self
    }
}

impl<const N: usize> Part for Bits<N> {
    fn bit(&self, index: usize) -> bool {
        self.get_bit(index)
    }
}

/// A concatenation in the making, lowest bits first. `N` comes from where it is used.
#[derive(Default)]
pub struct Cat<const N: usize> {
    bits: Bits<N>,
    first: usize,
}

impl<const N: usize> Cat<N> {
    /// Adds a part above those that are there.
    #[must_use]
    pub fn push<T: Part>(mut self, part: T) -> Self {
        for index in (0..T::BITS).filter(|index| part.bit(*index)) {
            self.bits = self.bits.replace_bit(self.first + index, true);
        }
        self.first += T::BITS;
        self
    }
    /// The whole.
    ///
    /// # Panics
    /// If the parts have not `N` bits together.
    pub fn done(self) -> Bits<N> {
        assert!(self.first == N, "`cat` has {} bits where {N} are wanted", self.first);
        self.bits
    }
}

/// The width of a layout's field, as a type.
pub struct Width<const N: usize>;

/// The type of a layout's field: `Bit` for one bit, else `Bits`.
#[diagnostic::on_unimplemented(message = "no field of a layout has this width")]
pub trait FieldOf {
    /// The type.
    type Type: Synth;
    /// The bits from `low` on.
    fn cut<const M: usize>(from: Bits<M>, low: usize) -> Self::Type;
}

impl FieldOf for Width<1> {
    type Type = bool;
    fn cut<const M: usize>(from: Bits<M>, low: usize) -> bool {
        from.get_bit(low)
    }
}

macro_rules! widths {
    ($($width:literal)*) => {
        $(impl FieldOf for Width<$width> {
            type Type = Bits<$width>;
            fn cut<const M: usize>(from: Bits<M>, low: usize) -> Bits<$width> {
                from.get_bits::<$width>(low)
            }
        })*
    };
}
widths!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
widths!(33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64);
