//! From a polynomial to the matrices of the parallel CRC.
//!
//! The register after W bits is `A^W s + B d`. Three things make it fast and small:
//!
//! 1. The state is kept in another basis, z = K^-1 s, in which the step matrix has at most two entries per row
//!    ([`chain_basis`]): the feedback is one LUT per bit. A linear map at the exit gives s back; zero is zero in any basis.
//! 2. `K^-1 B d` needs no state, so it is summed in as many pipeline stages as wanted.
//! 3. Rows of it are taken four at a time: which of the four an input bit belongs to is one of 15 classes; each
//!    class is summed once and each row adds 8 class sums (the "four Russians"). That takes about half the
//!    LUTs of separate rows. The basis with the cheapest classes among [`CANDIDATES`] is taken.

use super::CrcConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::xor_matrix::matrix::{chain_basis, Matrix};

/// Class sums: 15 for each of at most four groups of four rows.
pub const CLASSES: usize = 60;
/// Parts a class sum is divided into for the first pipeline stage, unless said otherwise.
pub const SLOTS: usize = 4;
/// Parts a row is divided into for the third pipeline stage.
pub const PARTS: usize = 3;
/// Bases that are tried.
const CANDIDATES: u32 = 256;

/// The matrices of one parallel CRC. Rows are lists of input bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Data bits of each class.
    pub classes: Vec<Vec<usize>>,
    /// Class sums of each state bit, in [`PARTS`] parts.
    pub parts: [Vec<Vec<usize>>; PARTS],
    /// What a first beat adds: the state all ones, one beat on.
    pub first: u32,
    /// State bits that make up each state bit one beat later.
    pub feedback: Vec<Vec<usize>>,
    /// State bits that make up each CRC bit, in sending order, four state bits per part.
    pub exit: [Vec<Vec<usize>>; 4],
}

impl Plan {
    /// The plan for `w` bits per beat.
    pub fn new(config: &CrcConfig, w: usize) -> Result<Self, ConfigError> {
        config.check(w)?;
        let r = config.polynomial.width();
        let bit_step = bit_step(config);
        let step = bit_step.power(w);
        let vectors = data_vectors(config, w);
        let refuse = || {
            ConfigError::new(
                "link_crc",
                "polynomial",
                format!("{:#x}", config.polynomial.coefficients()),
                "an invertible step",
                "choose a polynomial with constant term",
            )
        };
        let mut best: Option<(usize, Matrix, Matrix)> = None;
        for start in 1..=CANDIDATES.min((1 << r) - 1) {
            let basis = chain_basis(&step, start);
            let into = basis.inverse().ok_or_else(refuse)?;
            let cost = classes_of(&into, &vectors).iter().map(|class| luts(class.len())).sum();
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, basis, into));
            }
        }
        let (_, basis, into) = best.ok_or_else(refuse)?;
        // The last beat is summed as if the bits it lacks were zeros after the data; the exit map takes them back.
        let back = bit_step.inverse().ok_or_else(refuse)?.power(w - config.last_bits);
        let exit = back.times(&basis);
        Ok(Self {
            classes: classes_of(&into, &vectors),
            parts: parts(r),
            first: into.apply(step.apply(config.polynomial.initial())),
            feedback: into.times(&step).times(&basis).rows(),
            exit: std::array::from_fn(|part| exit_part(&exit, part)),
        })
    }

    /// Data bits of each class in `S` parts of 4, 7, 10 ... bits, the sizes that fill LUT4s.
    pub fn slots<const S: usize>(&self) -> [Vec<Vec<usize>>; S] {
        let part = |class: &Vec<usize>, slot: usize| {
            let size = (4..).step_by(3).find(|size| size * S >= class.len()).unwrap_or(class.len());
            class.chunks(size).nth(slot).map(<[usize]>::to_vec).unwrap_or_default()
        };
        std::array::from_fn(|slot| self.classes.iter().map(|class| part(class, slot)).collect())
    }
}

/// The share of state bits 4 `part` to 4 `part` + 3 in each CRC bit, in sending order.
fn exit_part(exit: &Matrix, part: usize) -> Vec<Vec<usize>> {
    let row = |i: usize| exit.row(i).into_iter().filter(|from| from / 4 == part).collect();
    (0..exit.size()).rev().map(row).collect()
}

/// LUT4s of an exclusive or of `inputs`.
fn luts(inputs: usize) -> usize {
    inputs.saturating_sub(1).div_ceil(3)
}

/// The register one zero bit later.
fn bit_step(config: &CrcConfig) -> Matrix {
    let (r, mask) = (config.polynomial.width(), config.polynomial.mask());
    Matrix::from_columns((0..r).map(|i| if i + 1 == r { mask } else { 1 << (i + 1) }).collect())
}

/// What each bit of a beat adds to the register at the beat's end; bit 0 is sent first.
fn data_vectors(config: &CrcConfig, w: usize) -> Vec<u32> {
    let step = bit_step(config);
    let mut vectors = vec![config.polynomial.mask()];
    for i in 1..w {
        vectors.push(step.apply(vectors[i - 1]));
    }
    vectors.reverse();
    vectors
}

/// Data bits of each class: class 15g + c - 1 has those that rows 4g to 4g+3 use in pattern c.
fn classes_of(into: &Matrix, vectors: &[u32]) -> Vec<Vec<usize>> {
    let mut classes = vec![vec![]; CLASSES];
    for (index, vector) in vectors.iter().enumerate() {
        let image = into.apply(*vector);
        for group in 0..4 {
            let pattern = (image >> (4 * group) & 15) as usize;
            if pattern != 0 {
                classes[15 * group + pattern - 1].push(index);
            }
        }
    }
    classes
}

/// The eight class sums of each of `r` rows, in parts of three, three and two.
fn parts(r: usize) -> [Vec<Vec<usize>>; PARTS] {
    let sums =
        |row: usize| (1..16).filter(move |c| c >> (row % 4) & 1 == 1).map(move |c| 15 * (row / 4) + c - 1);
    std::array::from_fn(|part| (0..r).map(|row| sums(row).skip(3 * part).take(3).collect()).collect())
}

/// Refuses beats the plan is not made for.
pub(super) fn check(config: &CrcConfig, w: usize) -> Result<(), ConfigError> {
    check_range("link_crc", "r", config.polynomial.width() as u64, 8, 16)?;
    check_range("link_crc", "w", w as u64, 32, 1024)?;
    check_range("link_crc", "last_bits", config.last_bits as u64, 1, w as u64)
}
