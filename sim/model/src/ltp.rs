//! LTPs in the four CRC modes, and Null LTPs (chapter 10, 3.5).

use crate::control::Control;
use crate::crc::Crc;
use crate::flit::{Flit, FlitError};
use crate::stripe::{LaneCountError, Stripe};
use crate::wire::{LtpBits, WireError};
use flitforge_protocol::crc::Polynomial;
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::ltp::{
    covered_bits, ltp_bits, ltp_words, CrcMode, BITS14_CRC_LOW, DATA_BITS, FLITS_PER_LTP,
    OVERLAPPING48_CRC_LOW, SIDEBAND_BITS, SIDEBAND_LOW, STANDARD_CRC_LOW, WORD_BITS,
};
use thiserror::Error;

/// The two credit sideband bits of mode 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sideband {
    /// Sent first, bit 1040.
    pub c0: bool,
    /// Bit 1041.
    pub c1: bool,
}

/// What an LTP carries: sixteen flits and, in mode 1, two sideband bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ltp {
    /// The flits, flit 0 sent first.
    pub flits: [Flit; FLITS_PER_LTP],
    /// The sideband bits; sent in mode 1 only, read as zero in the others.
    pub sideband: Sideband,
}

/// A Null LTP: an LT control flit and 975 reserved zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NullLtp(Flit);

/// How a direction puts LTPs on the wire: mode, lanes and polynomials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LtpFormat {
    mode: CrcMode,
    groups: Stripe,
    polynomials: Vec<Polynomial>,
    /// LTP positions of D\[0\] to D\[1039\].
    data: Vec<usize>,
    checks: Vec<Check>,
}

/// A received LTP and what its CRCs say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The content, whether good or not.
    pub ltp: Ltp,
    /// The residues: one in modes 0 and 1, A to D in mode 2, one per transfer group in mode 3. 0 is good.
    pub residues: Vec<u32>,
}

/// Why a format, an LTP or a Null LTP is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LtpError {
    /// A number of lanes outside 1 to 4.
    #[error(transparent)]
    Lanes(#[from] LaneCountError),
    /// A mode that cannot run on so few lanes.
    #[error("CRC mode {} (per lane) on {lanes} lanes: needs 3 or 4; use mode 2 below that", CrcMode::PerLane.code())]
    PerLane {
        /// Lanes asked for.
        lanes: usize,
    },
    /// Wrong number or widths of polynomials.
    #[error("polynomials of CRC mode {mode:?} on {lanes} lanes: widths {found:?}, expected {expected:?}")]
    Widths {
        /// The mode.
        mode: CrcMode,
        /// The lanes.
        lanes: usize,
        /// Widths given.
        found: Vec<usize>,
        /// Widths of the mode.
        expected: Vec<usize>,
    },
    /// Two equal polynomials in mode 2.
    #[error("polynomial {coefficients:#x} stands twice in CRC mode 2: equal ones give HD 4 only, use four distinct")]
    EqualPolynomials {
        /// The polynomial.
        coefficients: u32,
    },
    /// Bits of another length.
    #[error("LTP of {found} bits: CRC mode {mode:?} has {expected}")]
    Length {
        /// The mode.
        mode: CrcMode,
        /// Bits given.
        found: usize,
        /// Bits of the mode.
        expected: usize,
    },
    /// A Null LTP with a flit 0 that is no link-transfer flit.
    #[error("Null LTP with flit 0 = {flit}: expected a link-transfer opcode, 0x22 to 0x28")]
    NotLinkTransfer {
        /// The flit.
        flit: Flit,
    },
    /// A field of the Null LTP's flit does not fit.
    #[error(transparent)]
    Flit(#[from] FlitError),
    /// Bits that are no LTP at all.
    #[error(transparent)]
    Wire(#[from] WireError),
}

impl Ltp {
    /// Sixteen Idle flits.
    #[must_use]
    pub const fn idle() -> Self {
        Ltp { flits: [Flit::IDLE; FLITS_PER_LTP], sideband: Sideband { c0: false, c1: false } }
    }

    /// The given flits, filled up with Idle; flits after the sixteenth are left out.
    #[must_use]
    pub fn filled(flits: &[Flit]) -> Self {
        let mut ltp = Ltp::idle();
        ltp.flits.iter_mut().zip(flits).for_each(|(slot, &flit)| *slot = flit);
        ltp
    }

    /// The flit of a Null LTP; `None` for a reliable LTP. A receiver tells them apart by flit 0 alone.
    #[must_use]
    pub fn null(&self) -> Option<NullLtp> {
        self.flits[0].is_link_transfer().then_some(NullLtp(self.flits[0]))
    }

    /// The bits in a mode with default polynomials.
    pub fn encode(&self, mode: CrcMode, lanes: usize) -> Result<LtpBits, LtpError> {
        Ok(LtpFormat::new(mode, lanes)?.encode(self))
    }

    /// Reads bits in a mode with default polynomials.
    pub fn decode(bits: &LtpBits, mode: CrcMode, lanes: usize) -> Result<Received, LtpError> {
        LtpFormat::new(mode, lanes)?.decode(bits)
    }
}

impl NullLtp {
    /// A Null LTP with this flit 0.
    pub fn new(flit: Flit) -> Result<Self, LtpError> {
        if flit.is_link_transfer() {
            Ok(NullLtp(flit))
        } else {
            Err(LtpError::NotLinkTransfer { flit })
        }
    }

    /// A Null LTP with this content.
    pub fn of(content: Control) -> Result<Self, LtpError> {
        NullLtp::new(content.encode()?)
    }

    /// Flit 0.
    #[must_use]
    pub const fn flit(self) -> Flit {
        self.0
    }

    /// The LTP: flit 0 and zeros.
    #[must_use]
    pub fn ltp(self) -> Ltp {
        Ltp::filled(&[self.0])
    }
}

impl Received {
    /// True if every residue is 0.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.residues.iter().all(|&residue| residue == 0)
    }

    /// Numbers of the CRCs (in mode 3: of the transfer groups) that failed.
    pub fn failed(&self) -> impl Iterator<Item = usize> + '_ {
        self.residues.iter().enumerate().filter(|(_, &residue)| residue != 0).map(|(index, _)| index)
    }
}

impl LtpFormat {
    /// The format of a mode with its default polynomials.
    pub fn new(mode: CrcMode, lanes: usize) -> Result<Self, LtpError> {
        let groups = Stripe::groups(lanes)?;
        if !mode.allows_lanes(lanes) {
            return Err(LtpError::PerLane { lanes });
        }
        let polynomials = mode.polynomials(lanes).to_vec();
        Ok(LtpFormat { mode, groups, polynomials, data: Vec::new(), checks: Vec::new() }.laid_out())
    }

    /// The same format with other polynomials of the same widths; mode 2 refuses equal ones.
    pub fn with_polynomials(mut self, polynomials: &[Polynomial]) -> Result<Self, LtpError> {
        let widths =
            |list: &[Polynomial]| list.iter().map(|polynomial| polynomial.width()).collect::<Vec<_>>();
        let (found, expected) = (widths(polynomials), widths(&self.polynomials));
        if found != expected {
            return Err(LtpError::Widths { mode: self.mode, lanes: self.groups.lanes(), found, expected });
        }
        let twice = (1..polynomials.len()).find(|&index| polynomials[..index].contains(&polynomials[index]));
        if let Some(index) = twice {
            return Err(LtpError::EqualPolynomials { coefficients: polynomials[index].coefficients() });
        }
        self.polynomials = polynomials.to_vec();
        Ok(self.laid_out())
    }

    /// The same format with its transfer groups numbered from another lane, to study other stripes.
    #[must_use]
    pub fn with_groups_from(mut self, lane: usize) -> Self {
        self.groups = self.groups.in_state(lane);
        self.laid_out()
    }

    /// Fills in the positions that follow from mode, groups and polynomials.
    fn laid_out(mut self) -> Self {
        self.data = self.data_positions().collect();
        self.checks = self.all_checks();
        self
    }

    /// The CRC mode.
    #[must_use]
    pub const fn mode(&self) -> CrcMode {
        self.mode
    }

    /// The polynomials.
    #[must_use]
    pub fn polynomials(&self) -> &[Polynomial] {
        &self.polynomials
    }

    /// The bits of an LTP, in sending order.
    #[must_use]
    pub fn encode(&self, ltp: &Ltp) -> LtpBits {
        let mut bits = vec![false; ltp_bits(self.mode)];
        let data =
            ltp.flits.iter().flat_map(|flit| (0..FLIT_BITS).map(move |bit| flit.bits() >> bit & 1 == 1));
        self.data.iter().zip(data).for_each(|(&position, value)| bits[position] = value);
        if self.mode == CrcMode::Bits14 {
            bits[SIDEBAND_LOW] = ltp.sideband.c0;
            bits[SIDEBAND_LOW + 1] = ltp.sideband.c1;
        }
        for check in &self.checks {
            let value = Crc::of(check.polynomial, check.data.iter().map(|&position| bits[position]));
            let crc = Crc::sending_order(check.polynomial, value);
            check.crc.iter().zip(crc).for_each(|(&position, value)| bits[position] = value);
        }
        LtpBits::of_mode_length(bits.into_iter().collect())
    }

    /// Reads an LTP and computes its residues.
    pub fn decode(&self, wire: &LtpBits) -> Result<Received, LtpError> {
        let bits: Vec<bool> = wire.bits().iter().by_vals().collect();
        if bits.len() != ltp_bits(self.mode) {
            return Err(LtpError::Length {
                mode: self.mode,
                found: bits.len(),
                expected: ltp_bits(self.mode),
            });
        }
        let mut ltp = Ltp::idle();
        let mut data = self.data.iter().map(|&position| bits[position]);
        for flit in &mut ltp.flits {
            let value = (0..FLIT_BITS)
                .zip(data.by_ref())
                .fold(0, |flit: u128, (bit, value)| flit | u128::from(value) << bit);
            *flit = Flit::from_bits(value)?;
        }
        if self.mode == CrcMode::Bits14 {
            ltp.sideband = Sideband { c0: bits[SIDEBAND_LOW], c1: bits[SIDEBAND_LOW + 1] };
        }
        let residues = self.checks.iter().map(|check| check.residue(&bits)).collect();
        Ok(Received { ltp, residues })
    }

    /// The CRC values an LTP carries, in the order of [`Received::residues`].
    pub fn crcs(&self, wire: &LtpBits) -> Result<Vec<u32>, LtpError> {
        self.decode(wire)?;
        let value = |check: &Check| {
            check.crc.iter().fold(0, |value, &position| value << 1 | u32::from(wire.bits()[position]))
        };
        Ok(self.checks.iter().map(value).collect())
    }

    /// Where the data stands: every bit before the CRC, in mode 3 every bit outside the groups' CRCs.
    fn data_positions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..ltp_bits(self.mode)).filter(|&bit| !self.is_group_crc_bit(bit)).take(DATA_BITS)
    }

    /// Mode 3: true if the bit belongs to a group's CRC, in the top bits of the last word of each group.
    fn is_group_crc_bit(&self, bit: usize) -> bool {
        self.mode == CrcMode::PerLane
            && bit / WORD_BITS + self.groups.lanes() >= ltp_words(self.mode)
            && bit % WORD_BITS >= WORD_BITS - self.polynomials[0].width()
    }

    /// Every CRC of the format with the positions it covers and those it stands in.
    fn all_checks(&self) -> Vec<Check> {
        let polynomial = |index: usize| self.polynomials[index];
        let block = |index: usize, low: usize| Check {
            polynomial: polynomial(index),
            data: (0..covered_bits(self.mode)).collect(),
            crc: (low..low + polynomial(index).width()).collect(),
        };
        match self.mode {
            CrcMode::Standard => vec![block(0, STANDARD_CRC_LOW)],
            CrcMode::Bits14 => vec![block(0, BITS14_CRC_LOW)],
            CrcMode::Overlapping48 => {
                OVERLAPPING48_CRC_LOW.iter().enumerate().map(|(index, &low)| block(index, low)).collect()
            }
            CrcMode::PerLane => (0..self.groups.lanes()).map(|group| self.group_check(group)).collect(),
        }
    }

    /// Mode 3: the CRC of one transfer group.
    fn group_check(&self, group: usize) -> Check {
        let of_group = (0..ltp_bits(self.mode)).filter(|bit| self.groups.lane(bit / WORD_BITS) == group);
        let (crc, data) = of_group.partition(|&bit| self.is_group_crc_bit(bit));
        Check { polynomial: self.polynomials[0], data, crc }
    }
}

/// One CRC: the positions it covers and its own, both in sending order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Check {
    polynomial: Polynomial,
    data: Vec<usize>,
    crc: Vec<usize>,
}

impl Check {
    fn residue(&self, bits: &[bool]) -> u32 {
        Crc::of(self.polynomial, self.data.iter().chain(&self.crc).map(|&position| bits[position]))
    }
}

const _: () = assert!(SIDEBAND_LOW + SIDEBAND_BITS == BITS14_CRC_LOW);

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::crc::OVERLAPPING48;

    #[test]
    fn formats_that_cannot_work_are_refused() {
        assert_eq!(LtpFormat::new(CrcMode::PerLane, 2), Err(LtpError::PerLane { lanes: 2 }));
        assert_eq!(LtpFormat::new(CrcMode::Standard, 5), Err(LtpError::Lanes(LaneCountError { lanes: 5 })));
        let mode_2 = LtpFormat::new(CrcMode::Overlapping48, 4).expect("mode 2");
        assert!(matches!(
            mode_2.clone().with_polynomials(&[OVERLAPPING48[0]; 4]),
            Err(LtpError::EqualPolynomials { coefficients: 0x1053 })
        ));
        assert!(matches!(mode_2.with_polynomials(&OVERLAPPING48[..3]), Err(LtpError::Widths { .. })));
    }

    #[test]
    fn a_null_ltp_needs_a_link_transfer_flit() {
        assert!(matches!(NullLtp::new(Flit::IDLE), Err(LtpError::NotLinkTransfer { .. })));
        assert!(NullLtp::new(Flit::body(0x22 << 56)).is_err());
    }

    #[test]
    fn the_other_length_is_refused() {
        let bits = Ltp::idle().encode(CrcMode::Standard, 4).expect("bits");
        assert!(matches!(Ltp::decode(&bits, CrcMode::PerLane, 4), Err(LtpError::Length { .. })));
    }
}
