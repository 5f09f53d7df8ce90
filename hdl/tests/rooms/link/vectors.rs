//! The worked examples of chapter 10, section 8, that are about flits and LTPs of modes 0 and 1.

use flitforge_elaborate::Value;

/// One LTP of section 8: its flits and its 33 words.
pub struct LtpVector {
    pub name: &'static str,
    /// 0 or 1.
    pub mode: u64,
    /// {c1, c0}.
    pub side: u64,
    /// Flits 0 ..; the rest are Idle (zero).
    pub flits: Vec<u128>,
    pub words: [u32; 33],
}

/// Flits of the packet, the credit return and the time of section 8.
pub const FLITS: [u128; 8] = [
    0x0_8000_0142_0102_0304,
    0x1_1716_1514_1312_1110,
    0x1_1F1E_1D1C_1B1A_1918,
    0x1_0000_0000_2322_2120,
    0x0_4014_BEEF_AD3B_93F6,
    0x0_0500_0000_0000_00C1,
    0x0_0601_0067_89AB_CDEF,
    0x0_0602_0000_0123_4567,
];

/// Words 0 to 16; the others up to 31 are 0.
pub const WORDS: [u32; 17] = [
    0x01020304, 0x80000142, 0x26242220, 0x2E2C2A28, 0x6C686462, 0x7C787470, 0x19110904, 0x00000001,
    0xD3B93F68, 0x014BEEFA, 0x00001824, 0xA0000000, 0x6AF37BC0, 0x804019E2, 0x91A2B381, 0x01000000,
    0x00000003,
];

fn packet(name: &'static str, mode: u64, side: u64, last: u32) -> LtpVector {
    let mut words = [0; 33];
    words[..17].copy_from_slice(&WORDS);
    words[32] = last;
    LtpVector { name, mode, side, flits: FLITS.into(), words }
}

/// A CRC of `width` bits at the end of an LTP, highest coefficient first, as the top bits of word 32.
fn crc_word(crc: u32, width: u32) -> u32 {
    crc.reverse_bits() >> (32 - width) << (32 - width)
}

/// Reliable LTPs.
pub fn originals() -> Vec<LtpVector> {
    let idle = |words: [u32; 33]| LtpVector { name: "idle", mode: 0, side: 0, flits: vec![], words };
    let mut words = [0; 33];
    words[32] = 0xD4BD_0000;
    vec![
        packet("mode 0", 0, 0, 0x3F79_0000),
        packet("mode 1, c0 = 0, c1 = 1", 1, 2, 0x791A_0000),
        packet("mode 1, c0 = c1 = 0", 1, 0, crc_word(0x00CD, 14)),
        idle(words),
    ]
}

/// Null LTPs.
pub fn nulls() -> Vec<LtpVector> {
    let null = |name, mode, flit: u128, crc, width| {
        let mut words = [0; 33];
        words[0] = flit as u32;
        words[1] = (flit >> 32) as u32;
        words[32] = crc_word(crc, width);
        LtpVector { name, mode, side: 0, flits: vec![flit], words }
    };
    vec![
        null("RetryReq.0", 0, 0x0_2200_0000_0000_002A, 0xC77E, 16),
        null("RetryMrkr.0", 0, 0x0_2400_0000_0031_002A, 0x5E6E, 16),
        null("RetrainRetryReq.0", 0, 0x0_2800_0100_0000_0000, 0xC65B, 16),
        null("RndTripMrkr.0", 0, 0x0_2600_005A_0000_0000, 0x0996, 16),
        null("filler", 0, 0x0_2800_0000_0000_0000, 0x6F0B, 16),
        null("filler, mode 1", 1, 0x0_2800_0000_0000_0000, 0x1828, 14),
    ]
}

impl LtpVector {
    /// The LTP's 1056 bits.
    pub fn bits(&self) -> Value {
        let words: Vec<u64> = self
            .words
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32)
            .collect();
        Value::from_words(1056, &words)
    }

    /// Wire beat `k` at `f` flits per beat, 66 f bits.
    pub fn wire_beat(&self, f: u32, k: u32) -> Value {
        self.bits().slice(66 * f * k, 66 * f)
    }

    /// Data beat `k` at `f` flits per beat.
    pub fn data_beat(&self, f: u32, k: u32) -> Value {
        beat(&self.flits, f, k)
    }
}

/// Beat `k` of `flits` at `f` flits per beat, Idle where there are none.
pub fn beat(flits: &[u128], f: u32, k: u32) -> Value {
    let mut value = Value::zero(65 * f);
    for slot in 0..f {
        let flit = flits.get((f * k + slot) as usize).copied().unwrap_or(0);
        (0..65).for_each(|bit| value.set_bit(65 * slot + bit, flit >> bit & 1 == 1));
    }
    value
}

#[test]
fn the_words_carry_the_flits_and_the_wire_beats_of_section_8() {
    for vector in originals().iter().chain(&nulls()) {
        let bits = vector.bits();
        for flit in 0..16 {
            let expected = beat(&vector.flits, 1, flit);
            assert_eq!(bits.slice(65 * flit, 65), expected, "{}: flit {flit}", vector.name);
        }
    }
    let vector = &originals()[0];
    assert_eq!(format!("{:x}", vector.wire_beat(2, 0)), "22e2c2a28262422208000014201020304");
    assert_eq!(format!("{:x}", vector.wire_beat(2, 7)), format!("3f79{}", "0".repeat(29)));
    assert_eq!(format!("{:x}", vector.wire_beat(1, 0)), "08000014201020304");
}
