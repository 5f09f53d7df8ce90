//! A field that is kept, wherever it stands.

use super::plan::{picks_of, Kept, PLACES, WORD_BITS};
use crate::network::KINDS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::XorMatrix;

/// Most bits of words where one field stands.
const PICKS: usize = 5;
/// Most places at which it comes.
const COMES: usize = 6;
/// Bits of a field.
const BITS: usize = 16;
/// Bits of all of them.
const PICK_WIRES: usize = PICKS * BITS;

/// A field of the header, when its word comes.
#[block(new)]
pub struct FieldPicker {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Format, one bit of many.
    kinds: In<Bits<KINDS>>,
    /// Places of the words.
    places: In<Bits<PLACES>>,
    /// The words.
    words: In<Bits<WORD_BITS>>,
    /// Its word is here.
    comes: Out<Bit>,
    /// The field.
    field: Out<Bits<BITS>>,

    wires: XorMatrix<WORD_BITS, PICK_WIRES>,
    formats: XorMatrix<KINDS, PICKS>,
    #[wire(d = _)]
    chosen: Reg<Bits<PICKS>>,
    place_formats: XorMatrix<KINDS, COMES>,
    #[wire(d = _)]
    wanted: Reg<Bits<COMES>>,
    places_wanted: XorMatrix<PLACES, COMES>,
    _kept: Kept,
}

#[logic]
impl FieldPicker {
    /// For one of the fields.
    pub fn new(kept: Kept) -> Result<Self, ConfigError> {
        let picks = picks_of(kept);
        check_range("sue_decap", "picks", picks.len() as u64, 1, PICKS as u64)?;
        let places: Vec<_> = picks.iter().flat_map(|pick| pick.places.clone()).collect();
        check_range("sue_decap", "places of a field", places.len() as u64, 1, COMES as u64)?;
        let padded = |wires: &[usize]| {
            (0..BITS).map(|bit| wires.get(bit).copied().into_iter().collect()).collect::<Vec<_>>()
        };
        Ok(Self {
            wires: XorMatrix::new(picks.iter().flat_map(|pick| padded(&pick.wires)).collect())?,
            formats: XorMatrix::new(picks.iter().map(|pick| pick.kinds.clone()).collect())?,
            place_formats: XorMatrix::new(places.iter().map(|(_, kinds)| kinds.clone()).collect())?,
            places_wanted: XorMatrix::new(places.iter().map(|(place, _)| vec![*place]).collect())?,
            _kept: kept,
            ..
        })
    }

    fn update(&mut self) {
        formats.data = kinds;
        chosen = formats.sum;
        place_formats.data = kinds;
        wanted = place_formats.sum;
        places_wanted.data = places;
        let at = places_wanted.sum & wanted;
        comes = at.any();
        wires.data = words;
        let units = wires.sum;
        let mut sum: Bits<BITS> = 0;
        for i in 0..PICKS {
            if chosen[i] {
                sum = sum | units.bits::<BITS>(BITS * i);
            }
        }
        field = sum;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("sue_field_picker", &[("field", format!("{:?}", self._kept).to_lowercase())])
    }
}
