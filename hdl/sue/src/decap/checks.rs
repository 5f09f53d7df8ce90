//! All comparisons of header fields with what they have to be.

use super::plan::{
    CheckPlan, Fault, BOTH_BITS, CHECKS, DIFFERENCE_BITS, PLACES, TERMS, VALUE_BITS, WORD_BITS,
};
use crate::network::{KINDS, UNIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::XorMatrix;

/// What is wrong with a header.
#[packed]
pub struct HeaderFaults {
    /// It is foreign.
    foreign: Bit,
    /// The key of AFH Gen 2 is wrong.
    key: Bit,
    /// The rest of the shape of an AFH header is.
    shape: Bit,
    /// It comes from another port.
    source_port: Bit,
    /// It is of another generation.
    generation: Bit,
}

/// Compares the fields of each word at its place; two clocks later `faults` has them all, from the first word of a frame on.
#[block("sue_header_checks", new)]
pub struct HeaderChecks {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Format, one bit of many.
    kinds: In<Bits<KINDS>>,
    /// Places of the words.
    places: In<Bits<PLACES>>,
    /// The words.
    words: In<Bits<WORD_BITS>>,
    /// What fields have to be.
    values: In<Bits<VALUE_BITS>>,
    /// The word that came is the first of a frame.
    opens: In<Bit>,
    /// What was found since the first word of the frame.
    faults: Out<HeaderFaults>,

    formats: XorMatrix<KINDS, TERMS>,
    #[wire(d = _)]
    wanted: Reg<Bits<TERMS>>,
    places_wanted: XorMatrix<PLACES, TERMS>,
    terms: XorMatrix<TERMS, CHECKS>,
    differences: XorMatrix<BOTH_BITS, DIFFERENCE_BITS>,
    #[wire(d = _)]
    wrong: Reg<Bits<CHECKS>>,
    #[wire(d = _)]
    wrong_opens: Reg<Bit>,
    #[wire(d = _)]
    found: Reg<HeaderFaults>,
    foreign: Constant<Bits<CHECKS>>,
    key: Constant<Bits<CHECKS>>,
    shape: Constant<Bits<CHECKS>>,
    source_port: Constant<Bits<CHECKS>>,
    generation: Constant<Bits<CHECKS>>,
}

#[logic]
impl HeaderChecks {
    /// The comparisons of the table of headers.
    pub fn new() -> Result<Self, ConfigError> {
        let plan = CheckPlan::new()?;
        let mask = |fault: Fault| Constant::new(plan.mask(fault).into());
        Ok(Self {
            formats: XorMatrix::new(plan.term_kinds())?,
            places_wanted: XorMatrix::new(plan.term_places())?,
            terms: XorMatrix::new(plan.check_terms())?,
            differences: XorMatrix::new(plan.differences())?,
            foreign: mask(Fault::Foreign),
            key: mask(Fault::Key),
            shape: mask(Fault::Shape),
            source_port: mask(Fault::SourcePort),
            generation: mask(Fault::Generation),
            ..
        })
    }

    fn update(&mut self) {
        formats.data = kinds;
        wanted = formats.sum;
        places_wanted.data = places;
        terms.data = places_wanted.sum & wanted;
        let counts = terms.sum;
        differences.data = cat(values, words);
        let different = differences.sum;
        let mut some: Bits<CHECKS> = 0;
        for i in 0..CHECKS {
            let unit = different.bits::<UNIT_BITS>(UNIT_BITS * i);
            some = some.with(i, unit.any() & counts[i]);
        }
        wrong = some;
        wrong_opens = opens;

        // What the frame had before, if it is the same frame.
        let before = !wrong_opens;
        found = HeaderFaults {
            foreign: (before & found.foreign) | Self::has(wrong, foreign),
            key: (before & found.key) | Self::has(wrong, key),
            shape: (before & found.shape) | Self::has(wrong, shape),
            source_port: (before & found.source_port) | Self::has(wrong, source_port),
            generation: (before & found.generation) | Self::has(wrong, generation),
        };
        faults = found;
    }

    fn has(wrong: Bits<CHECKS>, of: Bits<CHECKS>) -> Bit {
        let some = wrong & of;
        some.any()
    }
}
