//! What `sue_encap` and `sue_decap` share: settings, header formats as numbers, and words that are shifted by whole 16-bit units.

mod format;
mod kind;
mod settings;
mod shift;

pub use format::FormatChoice;
pub use kind::{kind_of, shape_of, KINDS, KIND_BITS};
pub use settings::{ClassSettings, NetworkSettings, NetworkSource};
pub use shift::WordShift;

use crate::frame::WORD_BYTES;
use flitforge_protocol::sue::header::HeaderShape;

/// Bits of a unit: all parts of headers are whole units, so that nothing is ever shifted by less.
pub const UNIT_BITS: usize = 16;
/// Units of a word.
pub const LANES: usize = 4;

/// Units of a header.
#[must_use]
pub fn units_of(shape: HeaderShape) -> usize {
    shape.bytes() * 8 / UNIT_BITS
}

/// Words of a header if the PDU begins a word of its own.
#[must_use]
pub fn words_of(shape: HeaderShape) -> usize {
    units_of(shape).div_ceil(LANES)
}

/// By how many units less one a word is shifted to put a PDU after its header, or to take it away: see [`WordShift`].
#[must_use]
pub fn shift_behind(shape: HeaderShape) -> usize {
    LANES - 1 - units_of(shape) % LANES
}

/// The same at the receiver, where the header goes.
#[must_use]
pub fn shift_away(shape: HeaderShape) -> usize {
    (units_of(shape) + LANES - 1) % LANES
}

/// The bit of a word in which a header's bit stands; header bits are counted in sending order, the top bit of octet 0 first.
#[must_use]
pub const fn word_bit(header_bit: usize) -> usize {
    let octet = header_bit / 8 % WORD_BYTES;
    8 * octet + 7 - header_bit % 8
}
