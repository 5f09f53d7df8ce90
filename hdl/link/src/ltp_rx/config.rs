//! Parameters and registry entry of `link_ltp_rx`.

use super::{LtpRx1, LtpRx2, LtpRx4, LtpRxAll1, LtpRxAll2, LtpRxAll4};
use crate::ltp_wide::{check_wide, CrcModes, ALL_CAPS, CRC_MODES};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{beats_per_ltp, FLITS_PER_BEAT};

/// Parameters of a [`LtpRx`](super::LtpRx); all but `flits` follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LtpRxConfig {
    /// Flits per beat, `F`.
    pub flits: usize,
    /// Bits of a data beat, `FLITS_W`.
    pub flits_bits: usize,
    /// Bits of a wire beat in modes 0 and 1, `BEAT_W`.
    pub beat_bits: usize,
    /// Bits of the wire port, `WIRE_W`.
    pub wire_bits: usize,
    /// A wire beat and the last 16 bits of the one before, `JOINT_W`.
    pub joint_bits: usize,
    /// Bits that count an LTP's beats, `INDEX_W`.
    pub index_bits: usize,
    /// Bits that address the beats of two LTPs, `ADDR_W`.
    pub address_bits: usize,
    /// Kind bits of a beat, `FLAGS_W`.
    pub flags_bits: usize,
    /// Bits of a beat at its place for the CRCs of modes 2 and 3, `WINDOW_W`.
    pub window_bits: usize,
    /// 1 if modes 2 and 3 are built, `WIDE`.
    pub wide: usize,
}

impl LtpRxConfig {
    /// Refuses what chapter 10 does not know, and derived widths that do not fit.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (name, flits) = ("link_ltp_rx", self.flits as u64);
        check_one_of(name, "flits", flits, &FLITS_PER_BEAT.map(|f| f as u64))?;
        let derived = |parameter, value: usize, formula, derived| {
            check_derived(name, parameter, value as u64, formula, derived)
        };
        let index_bits = u64::from(beats_per_ltp(self.flits).ilog2());
        derived("flits_bits", self.flits_bits, "65 * flits", 65 * flits)?;
        derived("beat_bits", self.beat_bits, "66 * flits", 66 * flits)?;
        derived("wire_bits", self.wire_bits, "68 * flits", 68 * flits)?;
        derived("joint_bits", self.joint_bits, "66 * flits + 16", 66 * flits + 16)?;
        derived("index_bits", self.index_bits, "log2(16 / flits)", index_bits)?;
        derived("address_bits", self.address_bits, "index_bits + 1", index_bits + 1)?;
        derived("flags_bits", self.flags_bits, "4 * flits", 4 * flits)?;
        check_wide(name, self.flits, self.window_bits, self.wide)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_ltp_rx",
    chapter: "10-link",
    summary: "LTPs in; checked beats, SPC flits and Null LTPs out; receive side of retry",
    parameters: &[ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"), CRC_MODES],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
        Preset { name: "all_modes", values: &[("crc_modes", ALL_CAPS)] },
        Preset { name: "all_modes_f1", values: &[("f", 1), ("crc_modes", ALL_CAPS)] },
        Preset { name: "all_modes_f4", values: &[("f", 4), ("crc_modes", ALL_CAPS)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let modes = CrcModes::from_caps(ENTRY.name, settings.get("crc_modes")?)?;
    match (modes, settings.get("f")?) {
        (CrcModes::Narrow, 1) => built(LtpRx1::new, modes, 19),
        (CrcModes::Narrow, 2) => built(LtpRx2::new, modes, 11),
        (CrcModes::Narrow, 4) => built(LtpRx4::new, modes, 7),
        (CrcModes::All, 1) => built(LtpRxAll1::new, modes, 20),
        (CrcModes::All, 2) => built(LtpRxAll2::new, modes, 12),
        (CrcModes::All, 4) => built(LtpRxAll4::new, modes, 8),
        _ => Err(settings.unsupported("f", "1, 2 or 4")),
    }
}

/// One width. Not inlined: the blocks are large, and the stack of `build` would hold all three.
#[inline(never)]
fn built<B: DriveBlock + 'static>(
    make: fn() -> Result<B, ConfigError>,
    modes: CrcModes,
    latency: u32,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("wire_in", StreamRole::FlowSink),
        ("flits_out", StreamRole::FlowSource),
        ("spc_out", StreamRole::FlowSource),
        ("side_out", StreamRole::FlowSource),
        ("null_out", StreamRole::FlowSource),
        ("retry_req", StreamRole::StreamSource),
        ("peer_request", StreamRole::FlowSource),
        ("round_trip", StreamRole::FlowSource),
        ("init", StreamRole::FlowSource),
        ("iso", StreamRole::FlowSource),
    ];
    let note = match modes {
        CrcModes::Standard | CrcModes::Narrow => "wire beat 0 to data beat 0 of the same LTP",
        CrcModes::All => {
            "wire beat 0 to data beat 0 of the same LTP, in modes 2 and 3; in modes 0 and 1 one clock less"
        }
    };
    let interface = InterfaceInfo::clocked(&streams, Some(latency), note);
    Ok(BuiltBlock::new(make()?, interface))
}
