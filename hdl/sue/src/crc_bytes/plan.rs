//! From a CRC to matrices.
//!
//! The register after a word is `A^B s + d`, where A is the step over one byte and B the bytes of a word. Words are always
//! taken whole: bytes that the last one lacks are zeros, and the register is run back over them afterwards.
//!
//! 1. The state is kept in the basis v, Av, A^2 v, ... ([`chain_basis`]). There A and its inverse have at most two entries per row, so that the
//!    steps over one, two and four bytes back stay sparse, and a word's step has at most eight entries per row where a word has eight bytes.
//! 2. A word's own share is summed without feedback: input bits four at a time, of which each row wants one of 15 sums; most rows want the same
//!    ones. The start vector v with the fewest different sums among [`CANDIDATES`] is taken.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::xor_matrix::matrix::{chain_basis, Matrix};
use flitforge_protocol::sue::crc::ByteCrc;

/// Bits of the register.
pub const WIDTH: usize = ByteCrc::WIDTH;
/// Bits that are taken together.
const GROUP: usize = 4;
/// Sums of one or more of them.
pub const GROUP_SUMS: usize = (1 << GROUP) - 1;
/// Sums for the way from the state to the register.
pub const EXIT_SUMS: usize = WIDTH / GROUP * GROUP_SUMS;
/// Bits of a byte.
const BYTE: usize = 8;
/// Start vectors that are tried.
const CANDIDATES: u32 = 400;

/// The matrices; rows are lists of input bits.
pub struct BytesPlan {
    /// Sums of bits of each group of the word.
    pub groups: Vec<Vec<usize>>,
    /// Sums of four groups each, for every bit of the register, one after the other.
    pub quarters: Vec<Vec<usize>>,
    /// The word's share of each bit of the register.
    pub sums: Vec<Vec<usize>>,
    /// What a first word adds: the start value, one word on.
    pub first: u32,
    /// State bits that make up each state bit one word later.
    pub feedback: Vec<Vec<usize>>,
    /// Runs the state back over 1, 2, 4, ... bytes of zeros.
    pub back: Vec<Vec<Vec<usize>>>,
    /// Sums of state bits of each group.
    pub exit_groups: Vec<Vec<usize>>,
    /// Those that make up each bit of the register.
    pub exit: Vec<Vec<usize>>,
    /// The state after a frame with its CRC and 0, 1, 2, ... bytes of zeros.
    pub good: Vec<u32>,
    /// From the register to the state.
    into: Matrix,
    /// The register one word of zeros later.
    word: Matrix,
}

impl BytesPlan {
    /// For words of `bits` bits.
    pub fn new(crc: ByteCrc, bits: usize) -> Result<Self, ConfigError> {
        let bytes = bits / BYTE;
        let bit_step = bit_step(crc);
        let step = bit_step.power(BYTE);
        let back = inverse(&step)?;
        let vectors = data_vectors(crc, &bit_step, bits);
        let mut best: Option<(usize, Matrix, Matrix)> = None;
        for start in 1..=CANDIDATES {
            let basis = chain_basis(&step, start);
            let into = inverse(&basis)?;
            let cost = wanted(&rows_of(&into, &vectors), bits).iter().filter(|row| row.len() > 1).count();
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, basis, into));
            }
        }
        let Some((_, basis, into)) = best else { return Err(no_inverse()) };
        let rows = rows_of(&into, &vectors);
        let in_basis = |matrix: &Matrix| into.times(matrix).times(&basis).rows();
        let word = step.power(bytes);
        Ok(Self {
            groups: wanted(&rows, bits),
            quarters: quarters(&rows, bits),
            sums: (0..WIDTH).map(|row| (0..bits / 16).map(|part| part * WIDTH + row).collect()).collect(),
            first: into.apply(word.apply(ByteCrc::INITIAL)),
            feedback: in_basis(&word),
            back: (0..bytes.ilog2()).map(|log| in_basis(&back.power(1 << log))).collect(),
            exit_groups: wanted(&basis.rows(), WIDTH),
            exit: basis.rows().iter().map(|row| group_sums(row, 0..WIDTH / GROUP)).collect(),
            good: (0..bytes).map(|zeros| into.apply(step.power(zeros).apply(crc.residue()))).collect(),
            into,
            word,
        })
    }

    /// The state of this register.
    pub fn state(&self, register: u32) -> u32 {
        self.into.apply(register)
    }

    /// What a first word adds to its share if the register stands here before it.
    pub fn addend(&self, register: u32) -> u32 {
        self.state(self.word.apply(register))
    }
}

/// The register after these octets.
pub fn register_after(crc: ByteCrc, register: u32, octets: &[u8]) -> u32 {
    let step = bit_step(crc);
    octets.iter().fold(register, |register, octet| {
        (0..BYTE).fold(register ^ u32::from(*octet), |register, _| step.apply(register))
    })
}

fn inverse(matrix: &Matrix) -> Result<Matrix, ConfigError> {
    matrix.inverse().ok_or_else(no_inverse)
}

fn no_inverse() -> ConfigError {
    ConfigError::new("crc_bytes", "crc", "its step", "an invertible step", "report this")
}

/// The reflected register one zero bit later.
fn bit_step(crc: ByteCrc) -> Matrix {
    let column = |i: usize| if i == 0 { crc.reflected() } else { 1 << (i - 1) };
    Matrix::from_columns((0..WIDTH).map(column).collect())
}

/// What each bit of a word adds to the register at the word's end; bit 0 comes first.
fn data_vectors(crc: ByteCrc, bit_step: &Matrix, bits: usize) -> Vec<u32> {
    let mut vectors = vec![crc.reflected()];
    for i in 1..bits {
        vectors.push(bit_step.apply(vectors[i - 1]));
    }
    vectors.reverse();
    vectors
}

/// The bits of a word that each bit of the state adds.
fn rows_of(into: &Matrix, vectors: &[u32]) -> Vec<Vec<usize>> {
    let images: Vec<u32> = vectors.iter().map(|vector| into.apply(*vector)).collect();
    let row = |row: usize| (0..images.len()).filter(|bit| images[*bit] >> row & 1 == 1).collect();
    (0..WIDTH).map(row).collect()
}

/// Which of a group's bits a row adds, as a number.
fn pattern(row: &[usize], group: usize) -> usize {
    row.iter().filter(|bit| *bit / GROUP == group).map(|bit| 1 << (bit % GROUP)).sum()
}

/// By group and pattern, the bits of the sums that a row wants; the others have no bits.
fn wanted(rows: &[Vec<usize>], bits: usize) -> Vec<Vec<usize>> {
    let mut sums = vec![vec![]; bits / GROUP * GROUP_SUMS];
    for row in rows {
        for group in 0..bits / GROUP {
            let pattern = pattern(row, group);
            if pattern != 0 {
                let bit = |bit: &usize| pattern >> bit & 1 == 1;
                sums[GROUP_SUMS * group + pattern - 1] =
                    (0..GROUP).filter(bit).map(|bit| GROUP * group + bit).collect();
            }
        }
    }
    sums
}

/// The sums of the groups that a row adds.
fn group_sums(row: &[usize], mut groups: std::ops::Range<usize>) -> Vec<usize> {
    let sum = |group: usize| pattern(row, group).checked_sub(1).map(|place| GROUP_SUMS * group + place);
    groups.by_ref().filter_map(sum).collect()
}

/// Four groups at a time, all rows.
fn quarters(rows: &[Vec<usize>], bits: usize) -> Vec<Vec<usize>> {
    let part = |part: usize| rows.iter().map(move |row| group_sums(row, 4 * part..4 * part + 4));
    (0..bits / 16).flat_map(part).collect()
}
