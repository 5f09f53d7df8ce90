//! From the table of headers to wires and words of a ROM.

use crate::network::{shape_of, shift_behind, units_of, word_bit, words_of, KINDS, LANES, UNIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::header::{HeaderShape, HeaderValue};

/// What header bits are wired from: the values in this order, the first in the lowest bits, each with its width. Bit 0 is a one.
pub const VALUES: &[(HeaderValue, usize)] = &[
    (HeaderValue::Constant(1), 1),
    (HeaderValue::Ethertype, 16),
    (HeaderValue::SecondEthertype, 16),
    (HeaderValue::Vid, 12),
    (HeaderValue::Hop, 4),
    (HeaderValue::Ttl, 8),
    (HeaderValue::MachinePartition, 16),
    (HeaderValue::UdpPort, 16),
    (HeaderValue::OwnXpu, 12),
    (HeaderValue::OwnAddress, 32),
    (HeaderValue::AddressMiddle, 32),
    (HeaderValue::AddressHigh, 64),
    (HeaderValue::Generation, 8),
    (HeaderValue::Port, 2),
    (HeaderValue::PeerXpu, 10),
    (HeaderValue::PeerAddress, 32),
    (HeaderValue::TrafficClass, 8),
    (HeaderValue::Priority, 3),
    (HeaderValue::Entropy, 14),
    (HeaderValue::FoldedEntropy, 8),
    (HeaderValue::Ipv4Length, 16),
    (HeaderValue::UdpLength, 16),
    (HeaderValue::PduLength, 13),
    (HeaderValue::Ipv4Checksum, 16),
];
/// Bits of all values.
pub const VALUE_BITS: usize = 375;
/// Most units that one lane of a header word is chosen from.
pub const CHOICES: usize = 16;
/// Bits of the choice of a lane: 0 for none, else one more than the place of the unit.
pub const CHOICE_BITS: usize = 5;
/// Bits of a word of the ROM: the choices of all lanes, and whether it is the last word of a header.
pub const ROM_BITS: usize = LANES * CHOICE_BITS + 1;
/// Bits of the number of a header word.
pub const PLACE_BITS: usize = 4;
/// The word of the ROM that has the measures of a header in place of choices.
pub const MEASURES: usize = (1 << PLACE_BITS) - 1;

/// What a bit of a unit is wired from: a bit of the values; `None` is zero.
type Unit = [Option<usize>; UNIT_BITS];

/// The wires of each lane, and the ROM.
pub struct HeaderPlan {
    /// For each lane the units it is chosen from.
    pub units: [Vec<Unit>; LANES],
    /// Words of the ROM: number of the format, then number of the word.
    pub rom: Vec<u64>,
}

impl HeaderPlan {
    /// The plan for all formats.
    pub fn new() -> Result<Self, ConfigError> {
        let mut units: [Vec<Unit>; LANES] = Default::default();
        let mut rom = vec![0; KINDS << PLACE_BITS];
        for kind in 0..KINDS {
            let Some(shape) = shape_of(kind) else { continue };
            let words = &mut rom[kind << PLACE_BITS..][..1 << PLACE_BITS];
            words[MEASURES] = (words_of(shape) as u64 - 1) | (shift_behind(shape) as u64) << PLACE_BITS;
            words[words_of(shape) - 1] = 1 << (LANES * CHOICE_BITS);
            let ahead = LANES * words_of(shape) - units_of(shape);
            for (unit, wires) in units_in(shape)?.into_iter().enumerate() {
                let (word, lane) = ((ahead + unit) / LANES, (ahead + unit) % LANES);
                let place = place_in(&mut units[lane], wires);
                words[word] |= (place as u64 + 1) << (CHOICE_BITS * lane);
            }
        }
        let most = units.iter().map(Vec::len).max().unwrap_or(0);
        check_range("sue_encap", "units of a lane", most as u64, 1, CHOICES as u64)?;
        Ok(Self { units, rom })
    }

    /// The wires of a lane, for a matrix of the values.
    pub fn rows(&self, lane: usize) -> Vec<Vec<usize>> {
        self.units[lane].iter().flatten().map(|wire| wire.iter().copied().collect()).collect()
    }
}

fn place_in(units: &mut Vec<Unit>, unit: Unit) -> usize {
    units.iter().position(|known| *known == unit).unwrap_or_else(|| {
        units.push(unit);
        units.len() - 1
    })
}

/// The units of a header, each by the bits of the lane it goes to.
fn units_in(shape: HeaderShape) -> Result<Vec<Unit>, ConfigError> {
    let mut units = vec![[None; UNIT_BITS]; units_of(shape)];
    for placed in shape.fields() {
        let field = placed.field.field;
        for bit in 0..field.width {
            let header_bit = placed.first + field.width - 1 - bit;
            units[header_bit / UNIT_BITS][word_bit(header_bit) % UNIT_BITS] = wire(placed.field.sent, bit)?;
        }
    }
    Ok(units)
}

/// Where a bit of a value comes from. Bits above the width of a value are zeros.
fn wire(value: HeaderValue, bit: usize) -> Result<Option<usize>, ConfigError> {
    if let HeaderValue::Constant(number) = value {
        return Ok((number >> bit & 1 == 1).then_some(0));
    }
    let mut low = 0;
    for (known, width) in VALUES {
        if *known == value {
            return Ok((bit < *width).then_some(low + bit));
        }
        low += width;
    }
    Err(ConfigError::new("sue_encap", "value", format!("{value:?}"), "a known value", "add it to the values"))
}
