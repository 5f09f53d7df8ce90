//! From the polynomials to the matrices of [`WideCrc`](super::WideCrc).
//!
//! Each of the CRCs has a register, a polynomial modulo its generator. With every beat a register is multiplied by as
//! many powers of x as its CRC has bits in a window, and each bit of the beat adds the power of x that its place stands
//! for. As places count from the window's start, the powers are the same for every beat.
//!
//! In mode 3 registers are named by the place of their words in the window, *slots*: slot s has words s, s + L ... of it.
//! Where a window is no multiple of L words, a slot goes on with the register of another slot of the beat before.
//!
//! Powers are counted from a word after the window's last one (mode 2: from two), so that none is negative; a CRC that
//! ends before is multiplied by the missing negative power at the exit.

use super::{window, BEYOND_BITS, CRC_BITS, LAST_DATA_BITS};
use crate::crc::matrix::Matrix;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::crc::Polynomial;
use flitforge_protocol::ltp::{CrcMode, WORD_BITS};

/// Matrices of one set of CRCs. Rows are lists of input bits; register bit `s R + i` is coefficient i of slot s.
pub struct CrcPlan {
    /// Bits of the beat that add to each register bit.
    pub sums: Vec<Vec<usize>>,
    /// What the first beat of an LTP adds: the registers all ones, a beat on.
    pub first: u64,
    /// Each register bit a beat later, from {registers, sums}.
    pub next: Vec<Vec<usize>>,
    /// The CRCs in their order, each in sending order, from {registers, sums} of the last beat.
    pub crcs: Vec<Vec<usize>>,
}

/// One register.
struct Slot {
    powers: Powers,
    /// Slot of the beat before that it goes on with.
    from: usize,
    /// Bits of its CRC in a window.
    advance: usize,
    /// Which CRC it has with the last beat.
    crc: usize,
    /// Power of x that it has too much then.
    excess: usize,
}

/// What a bit of the beat adds to: slot, power of x.
type Share = (usize, usize);

impl CrcPlan {
    /// Mode 2 at so many flits per beat.
    pub fn overlapping(flits: usize) -> Result<Self, ConfigError> {
        let polynomials = CrcMode::Overlapping48.polynomials(1);
        let width = polynomials[0].width();
        let (advance, excess) = (window(flits), (polynomials.len() - 1) * width);
        let slot =
            |crc: usize| Ok(Slot { powers: Powers::new(polynomials[crc])?, from: crc, advance, crc, excess });
        let slots = (0..polynomials.len()).map(slot).collect::<Result<Vec<_>, _>>()?;
        let top = window(flits) + BEYOND_BITS - 1;
        let mut shares: Vec<Vec<Share>> =
            (0..=top).map(|bit| (0..polynomials.len()).map(|slot| (slot, top - bit)).collect()).collect();
        // The CRCs themselves, each as if it came directly after the data.
        let after_data = BEYOND_BITS - LAST_DATA_BITS - 1;
        shares.extend((0..CRC_BITS).map(|bit| vec![(bit / width, after_data - bit % width)]));
        Ok(Self::of(&slots, &shares, BEYOND_BITS - 1))
    }

    /// Mode 3 on 3 or 4 lanes.
    pub fn per_lane(flits: usize, lanes: usize) -> Result<Self, ConfigError> {
        let polynomial = CrcMode::PerLane.polynomials(lanes)[0];
        let words = window(flits) / WORD_BITS;
        let words_of = |slot: usize| (words + lanes - 1 - slot) / lanes;
        let last_window = words * (beats_per_ltp(flits) - 1);
        let slot = |slot: usize| {
            let ends_in_window = slot < lanes && !(0..2).any(|word| (words + word) % lanes == slot);
            Ok(Slot {
                powers: Powers::new(polynomial)?,
                from: (slot + words) % lanes,
                advance: WORD_BITS * words_of(slot),
                crc: (last_window + slot) % lanes,
                excess: if ends_in_window { WORD_BITS } else { 0 },
            })
        };
        let slots = (0..lanes).map(slot).collect::<Result<Vec<_>, _>>()?;
        let share = |bit: usize| {
            let (word, below) = (bit / WORD_BITS, WORD_BITS - 1 - bit % WORD_BITS);
            let slot = word % lanes;
            let words_after = if word < words { words_of(slot) - word / lanes } else { 0 };
            vec![(slot, WORD_BITS * words_after + below)]
        };
        let shares: Vec<Vec<Share>> = (0..window(flits) + BEYOND_BITS).map(share).collect();
        Ok(Self::of(&slots, &shares, WORD_BITS - 1))
    }

    /// `start`: the power of x that the first bit of an LTP would have a beat earlier.
    fn of(slots: &[Slot], shares: &[Vec<Share>], start: usize) -> Self {
        let width = CRC_BITS / slots.len();
        let mut plan =
            Self { sums: vec![vec![]; CRC_BITS], first: 0, next: vec![], crcs: vec![vec![]; CRC_BITS] };
        for (bit, shares) in shares.iter().enumerate() {
            for &(slot, power) in shares {
                let vector = slots[slot].powers.of(power);
                (0..width)
                    .filter(|i| vector >> i & 1 == 1)
                    .for_each(|i| plan.sums[slot * width + i].push(bit));
            }
        }
        for (index, slot) in slots.iter().enumerate() {
            let base = index * width;
            let ones = (0..width).fold(0, |sum, bit| sum ^ slot.powers.of(start - bit + slot.advance));
            plan.first |= u64::from(ones) << base;
            let advance = slot.powers.times(slot.advance);
            let before = |column: usize| CRC_BITS + slot.from * width + column;
            for i in 0..width {
                let row = advance.row(i).into_iter().map(before);
                plan.next.push(std::iter::once(base + i).chain(row).collect());
            }
            let exit = slot.powers.divided_by(slot.excess);
            let exit_before = exit.times(&advance);
            for i in 0..width {
                let coefficient = width - 1 - i;
                let now = exit.row(coefficient).into_iter().map(|column| base + column);
                let earlier = exit_before.row(coefficient).into_iter().map(before);
                plan.crcs[slot.crc * width + i] = now.chain(earlier).collect();
            }
        }
        plan
    }
}

/// Powers of x modulo a generator.
struct Powers {
    step: Matrix,
    back: Matrix,
}

impl Powers {
    fn new(polynomial: Polynomial) -> Result<Self, ConfigError> {
        let (width, mask) = (polynomial.width(), polynomial.mask());
        let column = |i| if i + 1 == width { mask } else { 1u32 << (i + 1) };
        let step = Matrix::from_columns((0..width).map(column).collect());
        let refuse = || {
            let given = format!("{:#x}", polynomial.coefficients());
            let fix = "choose a polynomial with constant term";
            ConfigError::new("wide_crc", "polynomial", given, "an invertible step", fix)
        };
        let back = step.inverse().ok_or_else(refuse)?;
        Ok(Self { step, back })
    }

    /// x to the power of `exponent`.
    fn of(&self, exponent: usize) -> u32 {
        self.times(exponent).apply(1)
    }

    /// Multiplies by x to the power of `exponent`.
    fn times(&self, exponent: usize) -> Matrix {
        self.step.power(exponent)
    }

    /// Divides by x to the power of `exponent`.
    fn divided_by(&self, exponent: usize) -> Matrix {
        self.back.power(exponent)
    }
}
