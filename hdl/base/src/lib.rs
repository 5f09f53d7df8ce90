//! What every block is written with.
//!
//! Blocks are rust-hdl blocks. They take everything from [`prelude`], which is rust-hdl's with two differences: its
//! [`hdl_gen`] makes the same syntax tree as rust-hdl's out of data instead of code (see [`description`]), and
//! [`defaults`] makes arrays. Both are there because blocks are generic: code that describes is compiled once per
//! instance, data is not.

pub mod description;
#[doc(hidden)]
pub mod language;

#[doc(hidden)]
pub use flitforge_macros::{__logic, __register_page};
pub use flitforge_macros::{block, hdl_gen, interface, logic, packed, register_page};

/// `use flitforge_base::prelude::*;` is the first line of a block.
pub mod prelude {
    // Named, so they win over rust-hdl's of the same name.
    pub use crate::{bits_where, defaults, hdl_gen};
    pub use flitforge_macros::{block, interface, logic, packed, register_page};
    pub use rust_hdl::prelude::*;
}

/// An array of default values.
///
/// `std::array::from_fn(|_| Default::default())` is compiled anew at every place that writes it, since each closure is
/// a type of its own; this is compiled once per type of array.
pub fn defaults<T: Default, const N: usize>() -> [T; N] {
    std::array::from_fn(|_| T::default())
}

/// The bits for whose numbers `member` is true.
pub fn bits_where<const N: usize>(member: impl Fn(usize) -> bool) -> rust_hdl::prelude::Bits<N> {
    (0..N)
        .fold(Default::default(), |bits: rust_hdl::prelude::Bits<N>, bit| bits.replace_bit(bit, member(bit)))
}
