//! Which links can be built (chapter 10, 2, 4 and 7), and how large a replay buffer a cable needs.

use crate::retry::{RetryConfig, RetryConfigError};
use flitforge_protocol::beat::{is_flits_per_beat, WIRE_BITS_PER_FLIT_1056};
use flitforge_protocol::crc::{self, Polynomial};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::{allocation_unit_bytes, REPLAY_LTPS};
use flitforge_protocol::ltp::{BITS_1056, WORD_BITS};
use flitforge_protocol::retry::{pad_ltps, GUARD_LTPS};
use thiserror::Error;

/// Bytes of a flit.
const FLIT_BYTES: u64 = 8;
/// Flits of a packet besides its body: head and tail.
const HEAD_AND_TAIL: u64 = 2;
/// The clock rule's margin, in thousandths (chapter 10, 2: 1.005).
const CLOCK_MARGIN: u64 = 1005;
/// Clocks from flit in to flit out of a link (chapter 10, 4.12, table).
const LINK_CLOCKS: u64 = 23;
/// Flits per beat for which [`LINK_CLOCKS`] is given.
const LINK_CLOCKS_FLITS_PER_BEAT: usize = 2;
/// Delay of a cable in nanoseconds per metre (chapter 10, 7).
const CABLE_NS_PER_M: u64 = 5;

/// Build parameters of a port. Polynomials are plain numbers here, so that bad ones can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkConfig {
    /// Flits per beat, F: 1, 2 or 4.
    pub flits_per_beat: usize,
    /// Lanes, 1 to 4.
    pub lanes: usize,
    /// Virtual lanes, 1 to 16.
    pub num_vls: usize,
    /// Largest payload of a packet in bytes, 256 to 10240.
    pub mtu: u64,
    /// vAU, 0 to 7: an allocation unit is 8 * 2^vAU bytes.
    pub v_au: u32,
    /// Bytes of buffer of each virtual lane.
    pub vl_buffer: u64,
    /// Part of an 8x, 12x or 16x port.
    pub bonded: bool,
    /// CRC modes built in besides mode 0: bit 0 mode 1, bit 1 mode 2, bit 2 mode 3.
    pub crc_capabilities: u8,
    /// Polynomial of mode 0.
    pub standard: u32,
    /// Polynomial of mode 1.
    pub bits14: u32,
    /// Polynomials of mode 2.
    pub overlapping48: [u32; 4],
    /// Polynomials of mode 3 on four and on three lanes.
    pub per_lane: [u32; 2],
    /// Core clock in Hz.
    pub core_hz: u64,
    /// Word clock of a lane in Hz.
    pub word_hz: u64,
    /// Retry.
    pub retry: RetryConfig,
}

/// Why a link cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LinkConfigError {
    /// A parameter out of its range.
    #[error("link, {parameter} = {value}: expected {expected}")]
    Range {
        /// Name.
        parameter: &'static str,
        /// Value.
        value: u64,
        /// What is allowed.
        expected: &'static str,
    },
    /// A generator without its highest or constant term.
    #[error("link, polynomial {coefficients:#x} of CRC mode {mode}: expected {width} bits, with x^{width} and constant term")]
    Polynomial {
        /// CRC mode.
        mode: u8,
        /// The number given.
        coefficients: u32,
        /// Width of the mode's CRC.
        width: usize,
    },
    /// Two polynomials of mode 2 are the same.
    #[error("link, polynomial {coefficients:#x} stands twice in CRC mode 2: equal ones give HD 4 only, use four distinct")]
    EqualPolynomials {
        /// The polynomial.
        coefficients: u32,
    },
    /// The core clock is too slow to drain the lanes.
    #[error(
        "link, core clock {core_hz} Hz: {lanes} lanes at {word_hz} words/s need at least {needed_hz} Hz"
    )]
    Clock {
        /// Core clock.
        core_hz: u64,
        /// Lanes.
        lanes: usize,
        /// Word clock.
        word_hz: u64,
        /// Slowest core clock that works.
        needed_hz: u64,
    },
    /// An allocation unit smaller than a beat.
    #[error(
        "link, vAU {v_au}: an allocation unit of {unit} bytes is smaller than a beat of {beat}; raise vAU"
    )]
    AllocationUnit {
        /// vAU.
        v_au: u32,
        /// Bytes of an allocation unit.
        unit: u64,
        /// Bytes of a beat.
        beat: u64,
    },
    /// A bond whose links cannot run mode 1.
    #[error("link, bonded without CRC mode 1 (capabilities {capabilities:#05b}): build mode 1 in, its sideband carries the credits")]
    BondWithoutMode1 {
        /// The capabilities.
        capabilities: u8,
    },
    /// A buffer in which no packet of the largest size fits.
    #[error("link, {buffer} bytes for each virtual lane: a packet of {mtu} bytes payload takes {packet}")]
    Buffer {
        /// Bytes of the buffer.
        buffer: u64,
        /// MTU.
        mtu: u64,
        /// Bytes of the packet.
        packet: u64,
    },
    /// A parameter of retry.
    #[error(transparent)]
    Retry(#[from] RetryConfigError),
}

impl Default for LinkConfig {
    /// The defaults of chapter 10, with lanes at 5 Gb/s in 8b10b.
    fn default() -> Self {
        LinkConfig {
            flits_per_beat: 2,
            lanes: MAX_LANES,
            num_vls: 4,
            mtu: 10_240,
            v_au: 3,
            vl_buffer: 16_384,
            bonded: false,
            crc_capabilities: 7,
            standard: crc::STANDARD.coefficients(),
            bits14: crc::BITS14.coefficients(),
            overlapping48: crc::OVERLAPPING48.map(Polynomial::coefficients),
            per_lane: [crc::PER_LANE_4.coefficients(), crc::PER_LANE_3.coefficients()],
            core_hz: 125_000_000,
            word_hz: 125_000_000,
            retry: RetryConfig::default(),
        }
    }
}

impl LinkConfig {
    /// Refuses what cannot work, with the reason.
    pub fn check(&self) -> Result<(), LinkConfigError> {
        self.check_ranges()?;
        self.check_polynomials()?;
        self.check_clock()?;
        self.check_buffers()?;
        let retry = RetryConfig { flits_per_beat: self.flits_per_beat, ..self.retry };
        Ok(retry.check()?)
    }

    fn check_ranges(&self) -> Result<(), LinkConfigError> {
        let refuse = |parameter, value, expected| Err(LinkConfigError::Range { parameter, value, expected });
        if !is_flits_per_beat(self.flits_per_beat) {
            return refuse("FLITS_PER_BEAT", self.flits_per_beat as u64, "1, 2 or 4");
        }
        if !(1..=MAX_LANES).contains(&self.lanes) {
            return refuse("LANES", self.lanes as u64, "1 to 4");
        }
        if !(1..=16).contains(&self.num_vls) {
            return refuse("NUM_VLS", self.num_vls as u64, "1 to 16");
        }
        if !(256..=10_240).contains(&self.mtu) {
            return refuse("MTU", self.mtu, "256 to 10240");
        }
        if self.v_au > 7 {
            return refuse("vAU", self.v_au.into(), "0 to 7");
        }
        if self.crc_capabilities > 7 {
            return refuse("CRC capabilities", self.crc_capabilities.into(), "three bits");
        }
        if self.bonded && self.crc_capabilities & 1 == 0 {
            return Err(LinkConfigError::BondWithoutMode1 { capabilities: self.crc_capabilities });
        }
        Ok(())
    }

    fn check_polynomials(&self) -> Result<(), LinkConfigError> {
        let one = |mode, coefficients, like: Polynomial| {
            let polynomial = Polynomial::new(coefficients).filter(|found| found.width() == like.width());
            let error = LinkConfigError::Polynomial { mode, coefficients, width: like.width() };
            polynomial.map(|_| ()).ok_or(error)
        };
        one(0, self.standard, crc::STANDARD)?;
        one(1, self.bits14, crc::BITS14)?;
        one(3, self.per_lane[0], crc::PER_LANE_4)?;
        one(3, self.per_lane[1], crc::PER_LANE_3)?;
        for (index, &coefficients) in self.overlapping48.iter().enumerate() {
            one(2, coefficients, crc::OVERLAPPING48[0])?;
            if self.overlapping48[..index].contains(&coefficients) {
                return Err(LinkConfigError::EqualPolynomials { coefficients });
            }
        }
        Ok(())
    }

    /// f_core >= 1.005 x L x f_word x 32 / (66 F), rounded up to a whole Hz.
    #[must_use]
    pub fn needed_core_hz(&self) -> u64 {
        let wire =
            u128::from(CLOCK_MARGIN) * self.lanes as u128 * u128::from(self.word_hz) * WORD_BITS as u128;
        let beat = 1000 * WIRE_BITS_PER_FLIT_1056 as u128 * self.flits_per_beat as u128;
        u64::try_from(wire.div_ceil(beat)).unwrap_or(u64::MAX)
    }

    fn check_clock(&self) -> Result<(), LinkConfigError> {
        let needed_hz = self.needed_core_hz();
        if self.core_hz >= needed_hz {
            return Ok(());
        }
        let LinkConfig { core_hz, lanes, word_hz, .. } = *self;
        Err(LinkConfigError::Clock { core_hz, lanes, word_hz, needed_hz })
    }

    fn check_buffers(&self) -> Result<(), LinkConfigError> {
        let beat = FLIT_BYTES * self.flits_per_beat as u64;
        let unit = allocation_unit_bytes(self.v_au) as u64;
        if unit < beat {
            return Err(LinkConfigError::AllocationUnit { v_au: self.v_au, unit, beat });
        }
        let packet = FLIT_BYTES * (HEAD_AND_TAIL + self.mtu.div_ceil(FLIT_BYTES));
        if self.vl_buffer < packet {
            return Err(LinkConfigError::Buffer { buffer: self.vl_buffer, mtu: self.mtu, packet });
        }
        Ok(())
    }
}

/// What a cable needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplaySize {
    /// Replay slots, R.
    pub slots: usize,
    /// RTT_LTP expected.
    pub round_trip: u32,
    /// Filler LTPs of each pad: 0 unless the largest buffer is too small.
    pub pad_ltps: u32,
}

/// The smallest replay buffer that needs no pad, or the largest there is and its pad (chapter 10, 7).
///
/// `cable_m` in metres, `lane_rate` in bits per second of one lane, `lanes` 1 to 4. The round trip is the cable both
/// ways at 5 ns/m and twice the 23 clocks of the link, at the slowest core clock of the clock rule with F = 2, in
/// LTPs of 1056 bits. All arithmetic is exact in integers, rounded up once.
pub fn size_replay(cable_m: u32, lane_rate: u64, lanes: usize) -> Result<ReplaySize, LinkConfigError> {
    if !(1..=MAX_LANES).contains(&lanes) {
        return Err(LinkConfigError::Range { parameter: "LANES", value: lanes as u64, expected: "1 to 4" });
    }
    if !(1..=1_000_000_000_000).contains(&lane_rate) {
        return Err(LinkConfigError::Range {
            parameter: "lane rate",
            value: lane_rate,
            expected: "1 bit/s to 1 Tb/s",
        });
    }
    // in bits of the link, times 1005 and 10^9 to stay exact
    let link_rate = u128::from(lane_rate) * lanes as u128;
    let cable = 2 * u128::from(CABLE_NS_PER_M) * u128::from(cable_m) * link_rate * u128::from(CLOCK_MARGIN);
    let beat_bits = (WIRE_BITS_PER_FLIT_1056 * LINK_CLOCKS_FLITS_PER_BEAT) as u128;
    let clocks = 2 * u128::from(LINK_CLOCKS) * beat_bits * 1000 * 1_000_000_000;
    let ltp = BITS_1056 as u128 * u128::from(CLOCK_MARGIN) * 1_000_000_000;
    let round_trip = u32::try_from((cable + clocks).div_ceil(ltp)).unwrap_or(u32::MAX - GUARD_LTPS);
    let fits = |slots: &&usize| pad_ltps(round_trip, GUARD_LTPS, **slots) == 0;
    let slots = *REPLAY_LTPS.iter().find(fits).unwrap_or(&REPLAY_LTPS[REPLAY_LTPS.len() - 1]);
    Ok(ReplaySize { slots, round_trip, pad_ltps: pad_ltps(round_trip, GUARD_LTPS, slots) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut LinkConfig)) -> LinkConfigError {
        let mut config = LinkConfig::default();
        change(&mut config);
        config.check().expect_err("refused")
    }

    #[test]
    fn everything_section_7_names_is_refused() {
        use LinkConfigError as E;
        assert_eq!(LinkConfig::default().check(), Ok(()));
        assert!(matches!(refused(|c| c.flits_per_beat = 3), E::Range { parameter: "FLITS_PER_BEAT", .. }));
        assert!(matches!(
            refused(|c| c.overlapping48[3] = 0x1053),
            E::EqualPolynomials { coefficients: 0x1053 }
        ));
        assert!(matches!(refused(|c| c.standard = 0x1752), E::Polynomial { mode: 0, .. }));
        assert!(matches!(refused(|c| c.standard = 0x1753), E::Polynomial { mode: 0, .. }), "no x^16");
        assert!(matches!(refused(|c| c.bits14 = 0x5852), E::Polynomial { mode: 1, .. }), "no constant term");
        assert!(matches!(refused(|c| c.retry.slots = 48), E::Retry(_)));
        assert!(matches!(refused(|c| c.retry.slots = 8), E::Retry(_)));
        assert!(matches!(refused(|c| c.core_hz = 121_000_000), E::Clock { .. }));
        assert!(matches!(
            refused(|c| {
                c.v_au = 0;
            }),
            E::AllocationUnit { unit: 8, beat: 16, .. }
        ));
        assert!(matches!(
            refused(|c| {
                c.bonded = true;
                c.crc_capabilities = 6
            }),
            E::BondWithoutMode1 { .. }
        ));
        assert!(matches!(refused(|c| c.vl_buffer = 10_255), E::Buffer { packet: 10_256, .. }));
        for range in [refused(|c| c.lanes = 5), refused(|c| c.num_vls = 17), refused(|c| c.mtu = 255)] {
            assert!(matches!(range, E::Range { .. }), "{range}");
        }
    }

    #[test]
    fn the_clock_rule_gives_the_clocks_of_4_7() {
        // 4 lanes: 121.2 MHz x 1.005 at 125 M words/s, 146.9 MHz x 1.005 at 5 Gb/s with 64b/66b
        let config = LinkConfig::default();
        assert_eq!(config.needed_core_hz(), 121_818_182);
        let coded = LinkConfig { word_hz: 5_000_000_000 * 64 / 66 / 32, ..config };
        assert_eq!(coded.needed_core_hz(), 147_658_402);
        assert_eq!(LinkConfig { core_hz: 121_818_182, ..config }.check(), Ok(()));
        assert!(LinkConfig { core_hz: 121_818_181, ..config }.check().is_err());
    }

    #[test]
    fn the_replay_buffer_grows_with_the_cable() {
        // no cable: 46 clocks of 8 to an LTP, at 1/1.005 of the clock: 5.72 LTPs
        assert_eq!(
            size_replay(0, 4_000_000_000, 4),
            Ok(ReplaySize { slots: 16, round_trip: 6, pad_ltps: 0 })
        );
        // 100 m, 16 Gb/s: 1 us is 16000 bits, 15.15 LTPs
        assert_eq!(
            size_replay(100, 4_000_000_000, 4),
            Ok(ReplaySize { slots: 32, round_trip: 21, pad_ltps: 0 })
        );
        // 5 km, 100 Gb/s: 50 us are 4734.8 LTPs
        let long = size_replay(5000, 25_000_000_000, 4).expect("a size");
        assert_eq!(long, ReplaySize { slots: 256, round_trip: 4741, pad_ltps: 4741 + 8 - 256 });
        assert!(size_replay(1, 0, 4).is_err() && size_replay(1, 1, 0).is_err());
    }
}
