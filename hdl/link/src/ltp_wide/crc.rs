//! The CRCs of modes 2 and 3, one beat per clock.

use super::plan::CrcPlan;
use super::CRC_BITS;
use crate::crc::XorMatrix;
use flitforge_hdl_prim::prelude::*;

/// Bits of the registers and of the beat's share in them.
const BOTH_BITS: usize = 2 * CRC_BITS;

/// All CRCs of an LTP in the mode chosen; see [`plan`](super::plan) for how.
///
/// `beat` stands at its place after the window's start (see the [module](super)); bits it does not have are 0. In mode 2
/// the last beat of a received LTP has its CRCs not at their place but in the top 48 bits. A sender's last beat has
/// zeros for the CRCs.
///
/// `load` takes a beat, `step`, at the latest with the next `load`, what it adds to the CRCs; between them `crcs` are
/// those of the LTP up to and with that beat: a sender's CRCs, or a receiver's residues. A `first` beat starts anew.
#[block("wide_crc", new, w = WINDOW_W)]
pub struct WideCrc<const WINDOW_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Mode 3. It and `three` change only between two LTPs.
    per_lane: In<Bit>,
    /// With `per_lane`: on three lanes, else on four.
    three: In<Bit>,
    /// The beat.
    beat: In<Bits<WINDOW_W>>,
    /// Takes the beat.
    load: In<Bit>,
    /// With `load`: it is the first of its LTP.
    first: In<Bit>,
    /// Takes the beat's share.
    step: In<Bit>,
    /// The CRCs of 12 bits, on three lanes of 16 bits, in their order, each in sending order; combinational.
    crcs: Out<Bits<CRC_BITS>>,

    overlapping_sums: XorMatrix<WINDOW_W, CRC_BITS>,
    four_sums: XorMatrix<WINDOW_W, CRC_BITS>,
    three_sums: XorMatrix<WINDOW_W, CRC_BITS>,
    overlapping_next: XorMatrix<BOTH_BITS, CRC_BITS>,
    four_next: XorMatrix<BOTH_BITS, CRC_BITS>,
    three_next: XorMatrix<BOTH_BITS, CRC_BITS>,
    overlapping_crcs: XorMatrix<BOTH_BITS, CRC_BITS>,
    four_crcs: XorMatrix<BOTH_BITS, CRC_BITS>,
    three_crcs: XorMatrix<BOTH_BITS, CRC_BITS>,
    overlapping_first: Constant<Bits<CRC_BITS>>,
    four_first: Constant<Bits<CRC_BITS>>,
    three_first: Constant<Bits<CRC_BITS>>,
    share: Reg<Bits<CRC_BITS>>,
    #[wire(enable = step)]
    state: Register<Bits<CRC_BITS>>,
}

#[logic]
impl<const WINDOW_W: usize> WideCrc<WINDOW_W> {
    /// The CRCs at so many flits per beat; `WINDOW_W` is [`window_bits`](super::window_bits) of it.
    pub fn new(flits: usize) -> Result<Self, ConfigError> {
        let overlapping = CrcPlan::overlapping(flits)?;
        let four = CrcPlan::per_lane(flits, 4)?;
        let three = CrcPlan::per_lane(flits, 3)?;
        Ok(Self {
            overlapping_sums: XorMatrix::new(overlapping.sums)?,
            four_sums: XorMatrix::new(four.sums)?,
            three_sums: XorMatrix::new(three.sums)?,
            overlapping_next: XorMatrix::new(overlapping.next)?,
            four_next: XorMatrix::new(four.next)?,
            three_next: XorMatrix::new(three.next)?,
            overlapping_crcs: XorMatrix::new(overlapping.crcs)?,
            four_crcs: XorMatrix::new(four.crcs)?,
            three_crcs: XorMatrix::new(three.crcs)?,
            overlapping_first: Constant::new(overlapping.first.into()),
            four_first: Constant::new(four.first.into()),
            three_first: Constant::new(three.first.into()),
            ..
        })
    }

    fn update(&mut self) {
        // The beat's share.
        overlapping_sums.data = beat;
        four_sums.data = beat;
        three_sums.data = beat;
        let mut sums = overlapping_sums.sum;
        let mut start = overlapping_first;
        if per_lane {
            sums = four_sums.sum;
            start = four_first;
            if three {
                sums = three_sums.sum;
                start = three_first;
            }
        }
        if load {
            share = sums;
            if first {
                share = sums ^ start;
            }
        }

        // The registers, and the CRCs if that was the last beat.
        let both = bit_cast::<BOTH_BITS, CRC_BITS>(share) | (bit_cast::<BOTH_BITS, CRC_BITS>(state) << 48);
        overlapping_next.data = both;
        four_next.data = both;
        three_next.data = both;
        overlapping_crcs.data = both;
        four_crcs.data = both;
        three_crcs.data = both;
        state = overlapping_next.sum;
        crcs = overlapping_crcs.sum;
        if per_lane {
            state = four_next.sum;
            crcs = four_crcs.sum;
            if three {
                state = three_next.sum;
                crcs = three_crcs.sum;
            }
        }
        state.clear = load & first;
    }
}
