//! R-CRC and frame check sequence (FCS) (chapter 50, 3.3). Both are reflected, and sent least significant octet first, so
//! that a receiver whose register runs on over the CRC ends at a constant.

/// R-CRC: CRC-32C over reliability header and body.
pub mod r_crc {
    pub use crate::crc::packet::{CHECK, FINAL_XOR, INITIAL, POLYNOMIAL, REFLECTED, WIDTH};
    /// The register, before the final XOR, after data and their CRC.
    pub const RESIDUE: u32 = 0xB798_B438;
}

/// FCS: CRC-32 over the frame; with LLR_FCS_SEQ over the lower half of the LLR preamble
/// and the frame.
pub mod fcs {
    /// Width in bits.
    pub const WIDTH: usize = 32;
    /// Coefficients below x^32, highest coefficient first.
    pub const POLYNOMIAL: u32 = 0x04C1_1DB7;
    /// The same mirrored, for an implementation that shifts towards bit 0.
    pub const REFLECTED: u32 = POLYNOMIAL.reverse_bits();
    /// Start value of the register.
    pub const INITIAL: u32 = 0xFFFF_FFFF;
    /// XORed into the result.
    pub const FINAL_XOR: u32 = 0xFFFF_FFFF;
    /// CRC of the nine bytes `123456789`.
    pub const CHECK: u32 = 0xCBF4_3926;
    /// The register, before the final XOR, after data and their FCS.
    pub const RESIDUE: u32 = 0xDEBB_20E3;
    /// The same after an inverted FCS: a frame that its sender has marked bad (chapter 50, 0).
    pub const POISON_RESIDUE: u32 = 0;
}

/// Which of the two: they differ in the polynomial only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteCrc {
    /// CRC-32: the FCS.
    Ethernet,
    /// CRC-32C: the R-CRC.
    Castagnoli,
}

impl ByteCrc {
    /// Both.
    pub const ALL: [ByteCrc; 2] = [ByteCrc::Ethernet, ByteCrc::Castagnoli];
    /// Width in bits.
    pub const WIDTH: usize = fcs::WIDTH;
    /// Start value of the register.
    pub const INITIAL: u32 = fcs::INITIAL;
    /// XORed into the result.
    pub const FINAL_XOR: u32 = fcs::FINAL_XOR;

    /// The polynomial, mirrored, for an implementation that shifts towards bit 0.
    #[must_use]
    pub const fn reflected(self) -> u32 {
        match self {
            ByteCrc::Ethernet => fcs::REFLECTED,
            ByteCrc::Castagnoli => r_crc::REFLECTED,
        }
    }

    /// The register, before the final XOR, after any frame with its CRC.
    #[must_use]
    pub const fn residue(self) -> u32 {
        match self {
            ByteCrc::Ethernet => fcs::RESIDUE,
            ByteCrc::Castagnoli => r_crc::RESIDUE,
        }
    }
}

/// Octets of either CRC.
pub const CRC_BYTES: usize = r_crc::WIDTH / 8;
const _: () = assert!(
    r_crc::WIDTH == fcs::WIDTH && r_crc::INITIAL == fcs::INITIAL && r_crc::FINAL_XOR == fcs::FINAL_XOR
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The register after these octets, bit by bit.
    fn register(reflected: u32, octets: &[u8]) -> u32 {
        octets.iter().fold(u32::MAX, |start, octet| {
            (0..8).fold(start ^ u32::from(*octet), |register, _| {
                register >> 1 ^ if register & 1 == 1 { reflected } else { 0 }
            })
        })
    }

    #[test]
    fn check_values_and_residues() {
        for (reflected, check, residue) in
            [(r_crc::REFLECTED, r_crc::CHECK, r_crc::RESIDUE), (fcs::REFLECTED, fcs::CHECK, fcs::RESIDUE)]
        {
            let mut octets = b"123456789".to_vec();
            assert_eq!(!register(reflected, &octets), check);
            octets.extend(check.to_le_bytes());
            assert_eq!(register(reflected, &octets), residue);
            octets.truncate(9);
            octets.extend((!check).to_le_bytes());
            assert_eq!(register(reflected, &octets), fcs::POISON_RESIDUE);
        }
        assert_eq!(r_crc::REFLECTED, 0x82F6_3B78);
    }
}
