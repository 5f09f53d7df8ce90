//! The vectors of chapter 10, section 8, typed in from the chapter, and the checks that compare a model with them.
//!
//! Checks take the model's parameters (format, stripe, scrambler), so that a test can hand in a wrong one and see
//! the check fail.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::ltp::Sideband;
use flitforge_model::{Flit, Isolation, Ltp, LtpBits, LtpFormat, Scrambler, Stripe};
use flitforge_protocol::crc::Polynomial;
use flitforge_protocol::ltp::CrcMode;

/// What differs between the model and a vector.
#[derive(Debug, PartialEq, Eq)]
pub struct Mismatch(pub String);

/// Compares a value of the model with the chapter's.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, model: T, chapter: T) -> Result<(), Mismatch> {
    if model == chapter {
        Ok(())
    } else {
        Err(Mismatch(format!("{what}: model has {model:X?}, chapter has {chapter:X?}")))
    }
}

/// The first eight flits of the sample LTP: packet, CrdtRet, time; Idle follows.
pub const SAMPLE_FLITS: [&str; 8] = [
    "0_8000014201020304",
    "1_1716151413121110",
    "1_1F1E1D1C1B1A1918",
    "1_0000000023222120",
    "0_4014BEEFAD3B93F6",
    "0_05000000000000C1",
    "0_0601006789ABCDEF",
    "0_0602000001234567",
];

/// Words 0 to 16 of the sample LTP in mode 0; words 17 to 31 are zero.
pub const SAMPLE_WORDS: [u32; 17] = [
    0x01020304, 0x80000142, 0x26242220, 0x2E2C2A28, 0x6C686462, 0x7C787470, 0x19110904, 0x00000001,
    0xD3B93F68, 0x014BEEFA, 0x00001824, 0xA0000000, 0x6AF37BC0, 0x804019E2, 0x91A2B381, 0x01000000,
    0x00000003,
];

/// A row of the table of the sample LTP: mode, lanes, sideband, CRCs, last words.
pub struct FormatVector {
    pub name: &'static str,
    pub mode: CrcMode,
    pub lanes: usize,
    pub sideband: Sideband,
    pub crcs: &'static [u32],
    pub last_words: &'static [u32],
}

const NO_SIDEBAND: Sideband = Sideband { c0: false, c1: false };

pub const STANDARD: FormatVector = FormatVector {
    name: "mode 0",
    mode: CrcMode::Standard,
    lanes: 4,
    sideband: NO_SIDEBAND,
    crcs: &[0x9EFC],
    last_words: &[0x3F790000],
};
pub const BITS14: FormatVector = FormatVector {
    name: "mode 1",
    mode: CrcMode::Bits14,
    lanes: 4,
    sideband: Sideband { c0: false, c1: true },
    crcs: &[0x189E],
    last_words: &[0x791A0000],
};
pub const OVERLAPPING48: FormatVector = FormatVector {
    name: "mode 2",
    mode: CrcMode::Overlapping48,
    lanes: 4,
    sideband: NO_SIDEBAND,
    crcs: &[0x504, 0xFA4, 0x0F4, 0x218],
    last_words: &[0xF20A0000, 0x1842F025],
};
pub const PER_LANE_4: FormatVector = FormatVector {
    name: "mode 3, four lanes",
    mode: CrcMode::PerLane,
    lanes: 4,
    sideband: NO_SIDEBAND,
    crcs: &[0xF6F, 0x7AF, 0x354, 0x378],
    last_words: &[0x2AC00000, 0x1EC00000, 0xF6F00000, 0xF5E00000],
};
pub const PER_LANE_3: FormatVector = FormatVector {
    name: "mode 3, three lanes",
    mode: CrcMode::PerLane,
    lanes: 3,
    sideband: NO_SIDEBAND,
    crcs: &[0x22C7, 0x6203, 0x3FDE],
    last_words: &[0xC0460000, 0x7BFC0000, 0xE3440000],
};

impl FormatVector {
    /// The format with default polynomials.
    pub fn format(&self) -> LtpFormat {
        LtpFormat::new(self.mode, self.lanes).expect("a format of the chapter")
    }

    /// All words of the sample LTP in this mode.
    pub fn words(&self) -> Vec<u32> {
        let total = if matches!(self.mode, CrcMode::Standard | CrcMode::Bits14) { 33 } else { 34 };
        let mut words = SAMPLE_WORDS.to_vec();
        words.resize(total - self.last_words.len(), 0);
        words.extend(self.last_words);
        words
    }

    /// Encode and decode of the sample LTP through `format`, its CRC values, and F = 1, 2, 4 wire beats.
    pub fn check(&self, format: &LtpFormat) -> Result<(), Mismatch> {
        let ltp = Ltp { sideband: self.sideband, ..sample_ltp() };
        let wire = format.encode(&ltp);
        same("words", wire.words(), &self.words()[..])?;
        same("CRC", format.crcs(&wire).expect("an LTP"), self.crcs.to_vec())?;
        let received = LtpBits::from_words(&self.words()).expect("33 or 34 words");
        for f in [1, 2, 4] {
            let beats = received.wire_beats(f).expect("F is allowed");
            let again = LtpBits::from_wire_beats(&beats).expect("the beats of an LTP");
            let decoded = format.decode(&again).expect("an LTP");
            same("residues", decoded.residues.clone(), vec![0; self.crcs.len()])?;
            same("content", decoded.ltp, ltp)?;
        }
        Ok(())
    }
}

pub fn flit(text: &str) -> Flit {
    text.parse().expect("a flit of the chapter")
}

/// The sample LTP: one packet, a credit return, a time, Idle.
pub fn sample_ltp() -> Ltp {
    Ltp::filled(&SAMPLE_FLITS.map(flit))
}

/// Group CRCs of the sample LTP in mode 0, good and with three bits of word 5 wrong, on four lanes.
pub fn check_isolation(groups: Stripe, polynomial: Polynomial) -> Result<(), Mismatch> {
    let good = STANDARD.words();
    let mut bad = good.clone();
    bad[5] = 0x7C687071;
    let crcs = |words: &[u32]| Isolation::with_polynomial(words, groups, polynomial).crcs().to_vec();
    same("good groups", crcs(&good), vec![0x3018, 0x2C98, 0xCF2A, 0x2BDD])?;
    same("bad groups", crcs(&bad), vec![0x3018, 0xF659, 0xCF2A, 0x2BDD])
}

/// Scrambler words 0 to 3 of physical lanes 0 to 3.
pub const SCRAMBLER_WORDS: [[u32; 4]; 4] = [
    [0x2E1EFEDC, 0x7518AC71, 0x1D85EED5, 0xED4E71E5],
    [0xC6EEF030, 0x87A1BA71, 0x673E8106, 0xFC76DD14],
    [0xE70371BC, 0x2D2458A9, 0xFE8A9617, 0x30BBA4C5],
    [0x21ED818C, 0xAA85E2D8, 0x99B41711, 0xCCCD79D1],
];

/// The words of one lane's scrambler.
pub fn check_scrambler(lane: usize, mut scrambler: Scrambler) -> Result<(), Mismatch> {
    let words: [u32; 4] = std::array::from_fn(|_| scrambler.next_word());
    same("scrambler words", words, SCRAMBLER_WORDS[lane])
}
