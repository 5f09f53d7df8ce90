//! The CRC of a training set, word by word.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::xor_matrix::XorMatrix;
use flitforge_protocol::crc::TRAINING_SET;
use flitforge_protocol::lane_word::TRAINING_SET_WORDS;
use flitforge_protocol::ltp::WORD_BITS;

/// Bits of the CRC.
pub(super) const CRC_BITS: usize = TRAINING_SET.width();
/// A word and the register.
const JOINT: usize = WORD_BITS + CRC_BITS;

/// Runs the CRC16 of a training set over its words, one per clock. Latency 1 clock.
#[block("train_set_crc", new)]
pub struct SetCrc {
    /// Clock.
    clock: In<Clock>,
    /// Takes `word`.
    enable: In<Bit>,
    /// `word` is word 0: what was there before is forgotten.
    first: In<Bit>,
    /// A word, bit 0 first.
    word: In<Bits<WORD_BITS>>,
    /// CRC of the words since the last word 0.
    value: Out<Bits<CRC_BITS>>,
    #[wire(clear = false, enable)]
    state: Register<Bits<CRC_BITS>>,
    matrix: XorMatrix<JOINT, CRC_BITS>,
    start: Constant<Bits<CRC_BITS>>,
}

/// For each bit of the next register the bits of {register, word} whose sum it is.
fn rows() -> Vec<Vec<usize>> {
    let mut register: Vec<u64> = (WORD_BITS..JOINT).map(|bit| 1 << bit).collect();
    for bit in 0..WORD_BITS {
        let out = register[CRC_BITS - 1] ^ 1 << bit;
        register.rotate_right(1);
        register[0] = 0;
        for (place, sum) in register.iter_mut().enumerate() {
            *sum ^= if TRAINING_SET.mask() >> place & 1 == 1 { out } else { 0 };
        }
    }
    register.iter().map(|sum| (0..JOINT).filter(|bit| sum >> bit & 1 == 1).collect()).collect()
}

/// By what the CRC of a training set changes when these bits of word 0 do: the CRC is linear in its words.
pub(super) fn change_by_word_0(bits: u32) -> u64 {
    let rows = rows();
    let step = |register: u64, word: u32| -> u64 {
        let joint = register << WORD_BITS | u64::from(word);
        let parity = |row: &Vec<usize>| row.iter().filter(|bit| joint >> **bit & 1 == 1).count() % 2;
        rows.iter().enumerate().map(|(place, row)| (parity(row) as u64) << place).sum()
    };
    (1..TRAINING_SET_WORDS - 1).fold(step(0, bits), |register, _| step(register, 0))
}

#[logic]
impl SetCrc {
    /// The CRC of training sets.
    pub fn new() -> Result<Self, ConfigError> {
        let start = u64::from(TRAINING_SET.initial());
        Ok(Self {
            state: Register::new(start.into()),
            matrix: XorMatrix::new(rows())?.shared(),
            start: Constant::new(start.into()),
            ..
        })
    }

    fn update(&mut self) {
        let mut held = state;
        if first {
            held = start;
        }
        matrix.data = (bit_cast::<JOINT, CRC_BITS>(held) << 32) | bit_cast::<JOINT, WORD_BITS>(word);
        state = matrix.sum;
        value = state;
    }
}
