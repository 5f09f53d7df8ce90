//! From the packet CRC to matrices.
//!
//! As in [`link::crc`](flitforge_hdl_link::crc), whose algebra this is: the register is kept in a basis in which the step over a
//! beat has at most two entries per row, and the data's share is summed without feedback, its rows four at a time.
//! That CRC ends at 16 bits and has a fixed coverage of the last beat; here the last beat lacks 0 to F - 1 flits. They are
//! taken as zeros, and the register is run back over them after the loop.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::xor_matrix::matrix::{chain_basis, Matrix};
use flitforge_protocol::crc::packet::{INITIAL, REFLECTED, WIDTH};
use flitforge_protocol::flit::DATA_BITS;

/// Class sums: 15 for each of eight groups of four rows.
pub const CLASSES: usize = 15 * WIDTH / 4;
/// Bases that are tried.
const CANDIDATES: u32 = 64;

/// The matrices; rows are lists of input bits.
pub struct CrcPlan {
    /// Data bits of each class.
    pub classes: Vec<Vec<usize>>,
    /// Class sums of each state bit.
    pub sums: Vec<Vec<usize>>,
    /// What a first beat adds: the start value, one beat on.
    pub first: u32,
    /// State bits that make up each state bit one beat later.
    pub feedback: Vec<Vec<usize>>,
    /// State bits that make up each bit of the register.
    pub exit: Vec<Vec<usize>>,
    /// Runs the register back over 1, 2, ... flits of zeros.
    pub back: Vec<Vec<Vec<usize>>>,
}

impl CrcPlan {
    /// For beats of `flits` flits, a power of two.
    pub fn new(flits: usize) -> Result<Self, ConfigError> {
        let bits = DATA_BITS * flits;
        let bit_step = bit_step();
        let step = bit_step.power(bits);
        let vectors = data_vectors(&bit_step, bits);
        let mut best: Option<(usize, Matrix, Matrix)> = None;
        for start in 1..=CANDIDATES {
            let basis = chain_basis(&step, start);
            let into = inverse(&basis)?;
            let inputs = classes_of(&into, &vectors)
                .iter()
                .map(|class| class.len().saturating_sub(1).div_ceil(3))
                .sum();
            if best.as_ref().is_none_or(|(least, ..)| inputs < *least) {
                best = Some((inputs, basis, into));
            }
        }
        let Some((_, basis, into)) = best else { return Err(no_inverse()) };
        let flit_back = inverse(&bit_step)?.power(DATA_BITS);
        Ok(Self {
            classes: classes_of(&into, &vectors),
            sums: (0..WIDTH).map(class_sums).collect(),
            first: into.apply(step.apply(INITIAL)),
            feedback: into.times(&step).times(&basis).rows(),
            exit: basis.rows(),
            back: (0..flits.ilog2()).map(|log| flit_back.power(1 << log).rows()).collect(),
        })
    }
}

fn inverse(matrix: &Matrix) -> Result<Matrix, ConfigError> {
    matrix.inverse().ok_or_else(no_inverse)
}

fn no_inverse() -> ConfigError {
    ConfigError::new(
        "fab_packet",
        "packet CRC",
        format!("{REFLECTED:#x}"),
        "an invertible step",
        "report this",
    )
}

/// The reflected register one zero bit later.
fn bit_step() -> Matrix {
    Matrix::from_columns((0..WIDTH).map(|i| if i == 0 { REFLECTED } else { 1 << (i - 1) }).collect())
}

/// What each bit of a beat adds to the register at the beat's end; bit 0 comes first.
fn data_vectors(bit_step: &Matrix, bits: usize) -> Vec<u32> {
    let mut vectors = vec![REFLECTED];
    for i in 1..bits {
        vectors.push(bit_step.apply(vectors[i - 1]));
    }
    vectors.reverse();
    vectors
}

/// Data bits of each class: class 15g + c - 1 has those that rows 4g to 4g + 3 use in pattern c.
fn classes_of(into: &Matrix, vectors: &[u32]) -> Vec<Vec<usize>> {
    let mut classes = vec![vec![]; CLASSES];
    for (index, vector) in vectors.iter().enumerate() {
        let image = into.apply(*vector);
        for group in 0..WIDTH / 4 {
            let pattern = (image >> (4 * group) & 15) as usize;
            if pattern != 0 {
                classes[15 * group + pattern - 1].push(index);
            }
        }
    }
    classes
}

/// The eight classes a row adds.
fn class_sums(row: usize) -> Vec<usize> {
    (1..16)
        .filter(|pattern| pattern >> (row % 4) & 1 == 1)
        .map(|pattern| 15 * (row / 4) + pattern - 1)
        .collect()
}
