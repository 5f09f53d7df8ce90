//! What is to be known of a format as a whole.

use super::plan::received_kinds;
use crate::network::{shape_of, shift_away, words_of, KINDS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::header::{HeaderCheck, HeaderPart, HeaderShape, HeaderValue};
use flitforge_protocol::sue::network::HeaderFormat;

/// Of a format without a tag.
#[packed]
pub struct Measures {
    /// Words of the header after the first.
    words: Bits<4>,
    /// A tag makes it a word more.
    grows: Bit,
    /// How far words are shifted.
    shift: Bits<2>,
    /// Frames may have a tag.
    taggable: Bit,
    /// AFH Gen 2: the shape of the header is judged first.
    shape_first: Bit,
    /// There is an IPv4 header.
    ipv4: Bit,
    /// There is a length of IP or in a shim.
    outer: Bit,
    /// It is in the shim.
    shim: Bit,
    /// There is a length of UDP.
    inner: Bit,
    /// Octets ahead of what the outer length counts, less one.
    outer_ahead: Bits<6>,
    /// Octets ahead of what the inner length counts, less one.
    inner_ahead: Bits<6>,
}

/// Bits of [`Measures`].
pub const MEASURE_BITS: usize = 25;

impl Measures {
    fn of(shape: HeaderShape) -> Self {
        let parts = shape.parts();
        let has = |part: HeaderPart| parts.contains(&part);
        let tagged = HeaderShape { tagged: true, ..shape };
        let ahead = |value: HeaderValue| (octets_ahead(shape, value) as u64 - 1).into();
        let outer = shape
            .fields()
            .into_iter()
            .find(|placed| placed.field.check == HeaderCheck::Length && placed.part != HeaderPart::Udp);
        let is_gen2 = matches!(shape.format, HeaderFormat::AfhGen2 | HeaderFormat::AfhGen2Compressed);
        Measures {
            words: (words_of(shape) as u64 - 1).into(),
            grows: words_of(tagged) > words_of(shape),
            shift: (shift_away(shape) as u64).into(),
            taggable: shape.is_taggable(),
            shape_first: is_gen2,
            ipv4: has(HeaderPart::Ipv4),
            outer: outer.is_some(),
            shim: has(HeaderPart::Shim),
            inner: has(HeaderPart::Udp),
            outer_ahead: outer.map_or(0u64.into(), |placed| ahead(placed.field.sent)),
            inner_ahead: if has(HeaderPart::Udp) { ahead(HeaderValue::UdpLength) } else { 0u64.into() },
        }
    }

    /// For each bit the formats in which it is one.
    pub fn rows() -> Vec<Vec<usize>> {
        let mut rows = vec![vec![]; MEASURE_BITS];
        for kind in 0..KINDS {
            let Some(shape) = shape_of(kind) else { continue };
            let bits: Bits<MEASURE_BITS> = Measures::of(HeaderShape { tagged: false, ..shape }).into();
            for (bit, row) in rows.iter_mut().enumerate() {
                if bits.get_bit(bit) && received_kinds(shape).contains(&kind) {
                    row.push(kind);
                }
            }
        }
        rows
    }
}

/// Octets of a header ahead of those that a length counts.
fn octets_ahead(shape: HeaderShape, length: HeaderValue) -> usize {
    let first = match length {
        HeaderValue::Ipv4Length => HeaderPart::Ipv4,
        HeaderValue::UdpLength => HeaderPart::Udp,
        _ => return shape.bytes(),
    };
    shape.parts().iter().take_while(|part| **part != first).map(|part| part.layout().width / 8).sum()
}
