//! `ltp_crc`: the CRC of one LTP, one beat per clock, in two stages.
//!
//! Chapter 10, 3.5: polynomial division in sending order, highest coefficient first, register starts all ones, no final XOR.
//! Stage 1 sums each flit's bits of a beat ahead (three XOR levels; up to six with one flit per beat, where the CRC's bits share
//! sums); stage 2 adds these sums to the advanced register (two levels).
//!
//! `following` is the CRC with the beat that was loaded one clock before, so the CRC of an LTP is there one clock after its last
//! beat.
//!
//! Bit 0 is the highest coefficient, so `following` can be put on the wire as it stands, bit 0 first.
//!
//! With [`LtpCrcConfig::appended`] bits after the last beat (the credit sideband of mode 1), the register runs
//! that many zero bits ahead; as the CRC is linear, their contribution is then added by `appended` alone.
//!
//! `clear` and `restart` load the start value. Nothing is promised about `following` before the first beat.

use super::crc::matrix::Matrix;
use super::crc::XorMatrix;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::crc::Polynomial;
use flitforge_protocol::ltp::SIDEBAND_BITS;

/// Bits that may follow the last beat of an LTP ahead of the CRC: the sideband of mode 1.
pub const APPENDED_BITS: usize = SIDEBAND_BITS;

/// What an [`LtpCrc`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LtpCrcConfig {
    /// Bits per beat, `W`.
    pub beat_bits: usize,
    /// CRC width, `R`.
    pub crc_bits: usize,
    /// Sums per CRC bit taken ahead; `PARTS` = `parts * crc_bits`.
    pub parts: usize,
    /// `PARTS`.
    pub partial_bits: usize,
    /// Generator.
    pub polynomial: Polynomial,
    /// Bits after the last beat, 0 to [`APPENDED_BITS`].
    pub appended: usize,
}

impl LtpCrcConfig {
    /// Refuses what cannot work: a generator of another degree, derived widths that
    /// do not fit, beats that do not split into equal parts.
    pub fn check(&self) -> Result<(), ConfigError> {
        let name = "ltp_crc";
        check_range(name, "crc_bits", self.crc_bits as u64, 3, 16)?;
        check_range(name, "appended", self.appended as u64, 0, APPENDED_BITS as u64)?;
        check_range(name, "parts", self.parts as u64, 1, self.beat_bits as u64)?;
        let derived = (self.parts * self.crc_bits) as u64;
        check_derived(name, "partial_bits", self.partial_bits as u64, "parts * crc_bits", derived)?;
        if self.beat_bits % self.parts != 0 {
            return Err(ConfigError::new(
                name,
                "beat_bits",
                self.beat_bits,
                format!("a multiple of parts = {}", self.parts),
                "choose one part per flit",
            ));
        }
        let width = self.polynomial.width() as u64;
        check_derived(name, "crc_bits", self.crc_bits as u64, "degree of the generator", width)?;
        Ok(())
    }

    /// Coefficients of x^n modulo the generator, the highest in bit 0.
    fn power(&self, n: usize) -> Vec<bool> {
        let carry = |i| if i + 1 == self.crc_bits { self.polynomial.mask() } else { 1u32 << (i + 1) };
        let step = Matrix::from_columns((0..self.crc_bits).map(carry).collect());
        let state = step.power(n).apply(1);
        (0..self.crc_bits).rev().map(|bit| state >> bit & 1 == 1).collect()
    }
}

/// The CRC of an LTP; see the [module](self). `W` bits per beat, `R` CRC bits, `PARTS` sums.
#[block("ltp_crc", new, w = W, r = R)]
pub struct LtpCrc<const W: usize, const R: usize, const PARTS: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Loads the start value.
    clear: In<Bit>,
    /// Takes `beat` into stage 1.
    load: In<Bit>,
    /// Bits of the beat, bit 0 sent first.
    beat: In<Bits<W>>,
    /// Takes the beat of stage 1 into the register.
    step: In<Bit>,
    /// With `step`: the beat of stage 1 is the LTP's last; the register starts anew.
    restart: In<Bit>,
    /// Bits after the last beat; must be 0 for all beats but the last, and without such bits.
    appended: In<Bits<APPENDED_BITS>>,
    /// The CRC up to and with the beat of stage 1, combinational; bit 0 is the highest coefficient.
    following: Out<Bits<R>>,
    partial: Reg<Bits<PARTS>>,
    #[wire(enable = step)]
    state: Register<Bits<R>>,
    sums: XorMatrix<W, PARTS>,
    state_rows: Vec<Constant<Bits<R>>>,
    partial_rows: Vec<Constant<Bits<PARTS>>>,
    appended_rows: Vec<Constant<Bits<APPENDED_BITS>>>,
}

fn rows<const N: usize>(count: usize, bit: impl Fn(usize, usize) -> bool) -> Vec<Constant<Bits<N>>> {
    let row =
        |row| (0..N).fold(Bits::<N>::default(), |bits, column| bits.replace_bit(column, bit(row, column)));
    (0..count).map(|index| Constant::new(row(index))).collect()
}

#[logic]
impl<const W: usize, const R: usize, const PARTS: usize> LtpCrc<W, R, PARTS> {
    /// One sum per part of the beat and CRC bit, `appended` bits (0 to 2) after the last beat.
    pub fn new(polynomial: Polynomial, appended: usize) -> Result<Self, ConfigError> {
        let config = LtpCrcConfig {
            beat_bits: W,
            crc_bits: R,
            parts: PARTS / R,
            partial_bits: PARTS,
            polynomial,
            appended,
        };
        config.check()?;
        Self::checked(&config)
    }

    fn checked(config: &LtpCrcConfig) -> Result<Self, ConfigError> {
        let part_bits = W / config.parts;
        let beat: Vec<Vec<bool>> = (0..W).map(|i| config.power(R + W - 1 - i + config.appended)).collect();
        let beat_row =
            |row: usize| (0..W).filter(|i| i / part_bits == row / R && beat[*i][row % R]).collect();
        let sums = XorMatrix::new((0..PARTS).map(beat_row).collect())?;
        let state: Vec<Vec<bool>> = (0..R).map(|i| config.power(R - 1 - i + W)).collect();
        let tail: Vec<Vec<bool>> =
            (0..config.appended).map(|i| config.power(R + config.appended - 1 - i)).collect();
        let ahead: Vec<Vec<bool>> = (0..R).map(|i| config.power(R - 1 - i + config.appended)).collect();
        let start = (0..R).fold(Bits::<R>::default(), |bits, row| {
            bits.replace_bit(row, ahead.iter().fold(false, |sum, column| sum ^ column[row]))
        });
        Ok(Self {
            state: Register::new(start),
            // With one flit per beat size counts, and there is time.
            sums: if config.parts == 1 { sums.shared() } else { sums.parities() },
            state_rows: rows(R, |row, i| state[i][row]),
            partial_rows: rows(R, |row, i| i % R == row),
            appended_rows: rows(R, |row, i| i < config.appended && tail[i][row]),
            ..
        })
    }

    fn update(&mut self) {
        sums.data = beat;
        if load {
            partial = sums.sum;
        }
        let mut advanced: Bits<R> = 0;
        for i in 0..R {
            advanced = advanced.with(
                i,
                (state & state_rows[i]).xor()
                    ^ (partial & partial_rows[i]).xor()
                    ^ (appended & appended_rows[i]).xor(),
            );
        }
        following = advanced;
        state = advanced;
        state.clear = clear | (step & restart);
    }
}
