//! From the table of headers to comparisons, and to where the fields stand that are kept.

use crate::network::{kind_of, shape_of, units_of, word_bit, words_of, KINDS, LANES, UNIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::header::{HeaderCheck, HeaderPart, HeaderShape, HeaderValue, PlacedField};
use flitforge_protocol::sue::network::{tag, HeaderFormat};

/// What header bits are compared with: the values in this order, the first in the lowest bits, each with its width. Bit 0 is a one.
const VALUES: &[(HeaderValue, usize)] = &[
    (HeaderValue::Constant(1), 1),
    (HeaderValue::Ethertype, 16),
    (HeaderValue::SecondEthertype, 16),
    (HeaderValue::Vid, 12),
    (HeaderValue::MachinePartition, 16),
    (HeaderValue::UdpPort, 16),
    (HeaderValue::OwnXpu, 12),
    (HeaderValue::OwnAddress, 32),
    (HeaderValue::AddressMiddle, 32),
    (HeaderValue::AddressHigh, 64),
    (HeaderValue::Generation, 8),
    (HeaderValue::Port, 4),
];
/// Bits of all values.
pub const VALUE_BITS: usize = 229;
/// Bits of the two words that fields are in: the word as it came, and above it the word as it is after the shift.
pub const WORD_BITS: usize = 2 * LANES * UNIT_BITS;
/// Bits that differences are made of: values, then words.
pub const BOTH_BITS: usize = VALUE_BITS + WORD_BITS;
/// Most comparisons, each of a unit.
pub const CHECKS: usize = 40;
/// Bits of all differences.
pub const DIFFERENCE_BITS: usize = CHECKS * UNIT_BITS;
/// Most places at which comparisons count.
pub const TERMS: usize = 48;
/// First words of a frame that have places, each for any frame, for one without and for one with a tag.
const START_PLACES: usize = 3;
/// Last words of a header that have places.
const END_PLACES: usize = 8;
/// Places a word may have.
pub const PLACES: usize = 3 * START_PLACES + END_PLACES;

/// What a difference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A foreign header.
    Foreign,
    /// The key of AFH Gen 2.
    Key,
    /// The rest of the shape of an AFH header.
    Shape,
    /// The sender's port.
    SourcePort,
    /// The generation.
    Generation,
}

/// Fields that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// XPU and port of the sender.
    Source,
    /// Class.
    Class,
    /// gg.
    Generation,
    /// Length of IP or of the shim.
    OuterLength,
    /// Length of UDP.
    InnerLength,
}

/// A place at which something counts in some formats.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    place: usize,
    kinds: Vec<usize>,
}

/// A comparison of one unit: for each of its bits the [`BOTH_BITS`] that are summed.
#[derive(Debug, Clone)]
struct Comparison {
    fault: Fault,
    rows: Vec<Vec<usize>>,
    terms: Vec<Term>,
}

/// Where a kept field stands: which bits of the words, lowest first, in which formats, and at which places in which of them.
#[derive(Debug, Clone)]
pub struct Pick {
    pub wires: Vec<usize>,
    pub kinds: Vec<usize>,
    pub places: Vec<(usize, Vec<usize>)>,
}

/// The place of a word from the start of a frame: in any frame, or only in one without or with a tag.
const fn start_place(word: usize, tagged: Option<bool>) -> usize {
    3 * word
        + match tagged {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        }
}

/// The place of the word that ends `words` words after its start at the PDU: 1 is the last of the header.
pub const fn end_place(words: usize) -> usize {
    3 * START_PLACES + words - 1
}

/// Comparisons of all formats.
pub struct CheckPlan(Vec<Comparison>);

impl CheckPlan {
    /// The plan of the table.
    pub fn new() -> Result<Self, ConfigError> {
        let mut plan = Self(vec![]);
        for shape in received_shapes() {
            for (comparison, place) in comparisons_of(shape)? {
                plan.add(comparison, Term { place, kinds: received_kinds(shape) });
            }
        }
        plan.0.iter_mut().for_each(|comparison| merge_tags(&mut comparison.terms));
        check_range("sue_decap", "comparisons", plan.0.len() as u64, 1, CHECKS as u64)?;
        check_range("sue_decap", "terms", plan.terms().count() as u64, 1, TERMS as u64)?;
        Ok(plan)
    }

    fn add(&mut self, new: Comparison, term: Term) {
        let same = |known: &&mut Comparison| known.fault == new.fault && known.rows == new.rows;
        let terms = match self.0.iter_mut().find(same) {
            Some(known) => &mut known.terms,
            None => {
                self.0.push(new);
                let place = self.0.len() - 1;
                &mut self.0[place].terms
            }
        };
        match terms.iter_mut().find(|known| known.place == term.place) {
            Some(known) => {
                known.kinds.extend(term.kinds);
                known.kinds.sort_unstable();
                known.kinds.dedup();
            }
            None => terms.push(term),
        }
    }

    fn terms(&self) -> impl Iterator<Item = (usize, &Term)> {
        let of = |(number, comparison): (usize, &'_ Comparison)| (number, comparison.terms.len());
        let counts: Vec<_> = self.0.iter().enumerate().map(of).collect();
        counts
            .into_iter()
            .flat_map(|(number, count)| (0..count).map(move |term| (number, term)))
            .map(|(number, term)| (number, &self.0[number].terms[term]))
    }

    /// For each bit of the differences what is summed.
    pub fn differences(&self) -> Vec<Vec<usize>> {
        self.0.iter().flat_map(|comparison| comparison.rows.clone()).collect()
    }

    /// For each term the formats.
    pub fn term_kinds(&self) -> Vec<Vec<usize>> {
        self.terms().map(|(_, term)| term.kinds.clone()).collect()
    }

    /// For each term the place.
    pub fn term_places(&self) -> Vec<Vec<usize>> {
        self.terms().map(|(_, term)| vec![term.place]).collect()
    }

    /// For each comparison the terms: one at most is true at a time.
    pub fn check_terms(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![vec![]; self.0.len()];
        for (place, (number, _)) in self.terms().enumerate() {
            rows[number].push(place);
        }
        rows
    }

    /// The comparisons of a fault as a mask.
    pub fn mask(&self, fault: Fault) -> u64 {
        let bit = |(number, comparison): (usize, &Comparison)| u64::from(comparison.fault == fault) << number;
        self.0.iter().enumerate().map(bit).sum()
    }
}

/// Formats as a receiver sees them: those that may have a tag without and with it.
fn received_shapes() -> Vec<HeaderShape> {
    let mut shapes: Vec<HeaderShape> = vec![];
    for shape in (0..KINDS).filter_map(shape_of) {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

/// The formats that frames of this shape are received in: whether frames are sent with a tag does not matter.
pub fn received_kinds(shape: HeaderShape) -> Vec<usize> {
    let mut kinds = kind_of(HeaderShape { tagged: false, ..shape });
    if shape.is_taggable() {
        kinds.extend(kind_of(HeaderShape { tagged: true, ..shape }));
    }
    kinds.sort_unstable();
    kinds
}

/// The bit of the words in which a header bit is found, and the place of its word.
fn found_at(shape: HeaderShape, part: HeaderPart, header_bit: usize) -> (usize, usize) {
    let unit = header_bit / UNIT_BITS;
    if part.is_at_start() {
        let tagged = shape.is_taggable().then_some(shape.tagged);
        return (word_bit(header_bit), start_place(unit / LANES, tagged));
    }
    let from_end = LANES * words_of(shape) - units_of(shape) + unit;
    let bit = UNIT_BITS * (from_end % LANES) + word_bit(header_bit) % UNIT_BITS;
    (WORD_BITS / 2 + bit, end_place(words_of(shape) - from_end / LANES))
}

/// The comparisons of a shape, each with its place.
fn comparisons_of(shape: HeaderShape) -> Result<Vec<(Comparison, usize)>, ConfigError> {
    let mut found: Vec<(usize, Comparison, usize)> = vec![];
    for placed in shape.fields() {
        let Some((fault, value)) = fault_of(placed) else { continue };
        let width = placed.field.field.width;
        for bit in 0..width {
            let (at, place) = found_at(shape, placed.part, placed.first + width - 1 - bit);
            let unit = at / UNIT_BITS;
            let same = |known: &(usize, Comparison, usize)| {
                known.0 == unit && known.1.fault == fault && known.2 == place
            };
            let number = found.iter().position(same).unwrap_or_else(|| {
                let rows = vec![vec![]; UNIT_BITS];
                found.push((unit, Comparison { fault, rows, terms: vec![] }, place));
                found.len() - 1
            });
            found[number].1.rows[at % UNIT_BITS] =
                wire(value, bit)?.into_iter().chain([VALUE_BITS + at]).collect();
        }
    }
    Ok(found.into_iter().map(|(_, comparison, place)| (comparison, place)).collect())
}

/// What a field is compared with, and what a difference means.
fn fault_of(placed: PlacedField) -> Option<(Fault, HeaderValue)> {
    let sent = placed.field.sent;
    // A tag is known by its TPID.
    if placed.part == HeaderPart::Tag && placed.field.field == tag::tpid::FIELD {
        return None;
    }
    match placed.field.check {
        HeaderCheck::AsSent => Some((Fault::Foreign, sent)),
        HeaderCheck::Equal(value) => Some((Fault::Foreign, value)),
        HeaderCheck::Key => Some((Fault::Key, sent)),
        HeaderCheck::Shape => Some((Fault::Shape, sent)),
        HeaderCheck::SourcePort => Some((Fault::SourcePort, sent)),
        HeaderCheck::Generation => Some((Fault::Generation, sent)),
        HeaderCheck::Ignored
        | HeaderCheck::SourceXpu
        | HeaderCheck::Class
        | HeaderCheck::Length
        | HeaderCheck::Checksum => None,
    }
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
    Err(ConfigError::new("sue_decap", "value", format!("{value:?}"), "a known value", "add it to the values"))
}

/// What counts without and with a tag counts in any frame.
fn merge_tags(terms: &mut Vec<Term>) {
    for word in 0..START_PLACES {
        let kinds_at = |tagged: bool| {
            let at = |term: &&Term| term.place == start_place(word, Some(tagged));
            terms.iter().find(at).map_or(vec![], |term| term.kinds.clone())
        };
        let (without, with) = (kinds_at(false), kinds_at(true));
        let both: Vec<usize> = without.into_iter().filter(|kind| with.contains(kind)).collect();
        for term in terms.iter_mut().filter(|term| term.place / 3 == word) {
            term.kinds.retain(|kind| !both.contains(kind));
        }
        match terms.iter_mut().find(|term| term.place == start_place(word, None)) {
            Some(any) => any.kinds.extend(both),
            None => terms.push(Term { place: start_place(word, None), kinds: both }),
        }
    }
    terms.retain(|term| !term.kinds.is_empty());
}

/// Where a field that is kept stands.
pub fn picks_of(kept: Kept) -> Vec<Pick> {
    let mut picks: Vec<Pick> = vec![];
    for shape in received_shapes().into_iter().filter(|shape| !shape.tagged) {
        for placed in shape.fields().into_iter().filter(|placed| kept_of(shape, placed) == Some(kept)) {
            // XPU and port are side by side.
            let width = if kept == Kept::Source { UNIT_BITS } else { placed.field.field.width };
            let bit = |bit: usize| found_at(shape, placed.part, placed.first + width - 1 - bit);
            let wires: Vec<usize> = (0..width).map(|number| bit(number).0).collect();
            // What is kept from the start of a frame stands before a tag.
            let place = match bit(0).1 {
                place if place < end_place(1) => place / 3 * 3,
                place => place,
            };
            let kinds = received_kinds(shape);
            let number = picks.iter().position(|known| known.wires == wires).unwrap_or_else(|| {
                picks.push(Pick { wires, kinds: vec![], places: vec![] });
                picks.len() - 1
            });
            let pick = &mut picks[number];
            pick.kinds.extend(&kinds);
            match pick.places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, known)) => known.extend(kinds),
                None => pick.places.push((place, kinds)),
            }
        }
    }
    picks
}

/// What is kept of a field. In ESUN the class is that of its own header, also if IP follows.
fn kept_of(shape: HeaderShape, placed: &PlacedField) -> Option<Kept> {
    let is_class = placed.part == HeaderPart::Esun || shape.format != HeaderFormat::Esun;
    match placed.field.check {
        HeaderCheck::SourceXpu => Some(Kept::Source),
        HeaderCheck::Class if is_class => Some(Kept::Class),
        HeaderCheck::Generation => Some(Kept::Generation),
        HeaderCheck::Length if placed.part == HeaderPart::Udp => Some(Kept::InnerLength),
        HeaderCheck::Length => Some(Kept::OuterLength),
        _ => None,
    }
}
