//! The additive scrambler of one lane, 32 bits per clock.

use crate::crc::XorMatrix;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::{scrambler, MAX_LANES};

/// Bits of a scrambler word.
const WORD: usize = 32;

/// Gives the word to XOR with the next data word; `advance` goes on to the word after it (latency 1 clock).
///
/// The state is the output word itself. 32 bits hold 9 more than the 23 of the sequence need, so each bit of the
/// following word can be written in 512 ways; the shortest has 6 to 9 terms, where the 23-bit register
/// alone needs 9 to 15.
#[block("lane_scrambler", new)]
pub struct LaneScrambler {
    /// Clock.
    clock: In<Clock>,
    /// Starts over with word 0; wins over `advance`.
    restart: In<Bit>,
    /// The word is used.
    advance: In<Bit>,
    /// Scrambler word, bit 0 for the bit sent first.
    word: Out<Bits<WORD>>,
    #[wire(clear = restart, enable = advance)]
    state: Register<Bits<WORD>>,
    following: XorMatrix<WORD, WORD>,
}

/// The first 32 bits of the sequence from `seed`.
fn first_word(seed: u32) -> u32 {
    (0..WORD).fold(0, |word, bit| word | ((sequence_bit(bit) & seed).count_ones() % 2) << bit)
}

/// Output bit `index` of the sequence as a mask of the register's start value.
fn sequence_bit(index: usize) -> u32 {
    let mut register: Vec<u32> = (0..scrambler::WIDTH).map(|bit| 1 << bit).collect();
    for _ in 0..index {
        let new = scrambler::TAPS.iter().fold(0, |sum, tap| sum ^ register[*tap]);
        register.rotate_right(1);
        register[0] = new;
    }
    register[scrambler::OUTPUT_BIT]
}

/// For each bit of the following word the bits of the present word whose sum it is, as few as possible.
fn rows() -> Vec<Vec<usize>> {
    // Sums of bits of one word that are always 0.
    let mut zeros = vec![0u32];
    for bit in scrambler::WIDTH..WORD {
        let relation = 1 << bit | in_first_bits(sequence_bit(bit));
        zeros.extend(zeros.clone().iter().map(|zero| zero ^ relation));
    }
    (WORD..2 * WORD)
        .map(|bit| {
            let sum = in_first_bits(sequence_bit(bit));
            let best = zeros.iter().map(|zero| zero ^ sum).min_by_key(|mask| (mask.count_ones(), *mask));
            let mask = best.unwrap_or(sum);
            (0..WORD).filter(|index| mask >> index & 1 == 1).collect()
        })
        .collect()
}

/// A mask of register bits as one of the first output bits: bit k of the sequence is register bit 22 - k.
fn in_first_bits(mask: u32) -> u32 {
    let top = scrambler::OUTPUT_BIT;
    (0..=top).filter(|bit| mask >> bit & 1 == 1).fold(0, |sum, bit| sum | 1 << (top - bit))
}

#[logic]
impl LaneScrambler {
    /// The scrambler of physical lane `lane`, 0 to 3.
    pub fn new(lane: usize) -> Result<Self, ConfigError> {
        let Some(seed) = scrambler::SEEDS.get(lane) else {
            let expected = format!("0 to {}", MAX_LANES - 1);
            return Err(ConfigError::new("lane_scrambler", "lane", lane, expected, "seeds exist for these"));
        };
        Ok(Self {
            state: Register::new(u64::from(first_word(*seed)).into()),
            following: XorMatrix::new(rows())?,
            ..
        })
    }

    fn update(&mut self) {
        following.data = state;
        state = following.sum;
        word = state;
    }
}
