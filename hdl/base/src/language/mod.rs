//! What `#[block]` and `#[logic]` expand to calls at run time; nobody else does.

mod lets;
mod parts;
mod read;

pub use lets::{Described, LetAtom};
pub use parts::{each, literal, Cat, FieldOf, Number, Part, Width};
pub use read::{Element, Indexed};
pub use rust_hdl::prelude as hdl;
