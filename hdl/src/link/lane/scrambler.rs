//! The additive scrambler of one lane, 32 bits per clock.

use crate::config::ConfigError;
use crate::link::crc::XorMatrix;
use crate::prim::Register;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::{scrambler, MAX_LANES};
use rust_hdl::prelude::*;

/// Bits of a scrambler word.
const WORD: usize = 32;

/// Gives the word to XOR with the next data word; `advance` goes on to the word behind it (latency 1 clock).
///
/// The state is the output word itself. 32 bits hold 9 more than the 23 of the sequence need, so each bit of the
/// following word can be written in 512 ways; the shortest has 6 to 9 terms, where the 23-bit register
/// alone needs 9 to 15.
#[derive(LogicBlock)]
pub struct LaneScrambler {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Starts over with word 0; wins over `advance`.
    pub restart: Signal<In, Bit>,
    /// The word is used.
    pub advance: Signal<In, Bit>,
    /// Scrambler word, bit 0 for the bit sent first.
    pub word: Signal<Out, Bits<WORD>>,
    state: Register<Bits<WORD>>,
    following: XorMatrix<WORD, WORD>,
}

impl LaneScrambler {
    /// The scrambler of physical lane `lane`, 0 to 3.
    pub fn new(lane: usize) -> Result<Self, ConfigError> {
        let Some(seed) = scrambler::SEEDS.get(lane) else {
            let expected = format!("0 to {}", MAX_LANES - 1);
            return Err(ConfigError::new("lane_scrambler", "lane", lane, expected, "seeds exist for these"));
        };
        Ok(Self {
            clock: Default::default(),
            restart: Default::default(),
            advance: Default::default(),
            word: Default::default(),
            state: Register::new(u64::from(first_word(*seed)).into()),
            following: XorMatrix::new(rows())?,
        })
    }
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

impl Logic for LaneScrambler {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, state);
        self.following.data.next = self.state.q.val();
        self.state.d.next = self.following.sum.val();
        self.state.enable.next = self.advance.val();
        self.state.clear.next = self.restart.val();
        self.word.next = self.state.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lane_scrambler", &[])
    }
}

drive_ports!(impl[] LaneScrambler { clock, restart, advance, word });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    /// Chapter 10, section 8.
    const WORDS: [[u64; 4]; 4] = [
        [0x2E1E_FEDC, 0x7518_AC71, 0x1D85_EED5, 0xED4E_71E5],
        [0xC6EE_F030, 0x87A1_BA71, 0x673E_8106, 0xFC76_DD14],
        [0xE703_71BC, 0x2D24_58A9, 0xFE8A_9617, 0x30BB_A4C5],
        [0x21ED_818C, 0xAA85_E2D8, 0x99B4_1711, 0xCCCD_79D1],
    ];

    #[test]
    fn a_lane_without_a_seed_is_refused() {
        assert!(LaneScrambler::new(4).is_err());
    }

    #[test]
    fn the_words_are_those_of_the_chapter_and_of_the_bit_serial_register() {
        for (lane, words) in WORDS.iter().enumerate() {
            let mut bench = Bench::new(LaneScrambler::new(lane).unwrap());
            let mut register = scrambler::SEEDS[lane];
            for index in 0..300 {
                let mut expected = 0;
                for bit in 0..32 {
                    expected |= u64::from(register >> 22 & 1) << bit;
                    register = register << 1 & 0x7F_FFFF | (register & scrambler::TAP_MASK).count_ones() & 1;
                }
                bench.set("advance", 0);
                bench.clock();
                assert_eq!(bench.get("word"), expected, "lane {lane} word {index}");
                if let Some(word) = words.get(index) {
                    assert_eq!(bench.get("word"), *word, "lane {lane} word {index}");
                }
                bench.set("advance", 1);
                bench.clock();
            }
            bench.set("restart", 1);
            bench.clock();
            assert_eq!(bench.get("word"), words[0], "restart wins over advance");
        }
    }
}
