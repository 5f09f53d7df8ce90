//! Parameters and registry entry of `link_ltp_tx`.

use super::{LtpTx1, LtpTx2, LtpTx4, LtpTxAll1, LtpTxAll2, LtpTxAll4};
use crate::ltp_wide::{check_wide, CrcModes, ALL_CAPS, CRC_MODES};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{beats_per_ltp, FLITS_PER_BEAT};

/// Parameters of a [`LtpTx`](super::LtpTx); all but `flits` follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LtpTxConfig {
    /// Flits per beat, `F`.
    pub flits: usize,
    /// Bits of a data beat, `FLITS_W`.
    pub flits_bits: usize,
    /// Bits of a wire beat in modes 0 and 1, `BEAT_W`.
    pub beat_bits: usize,
    /// Bits of the wire port, `WIRE_W`.
    pub wire_bits: usize,
    /// Bits that count an LTP's beats, `INDEX_W`.
    pub index_bits: usize,
    /// Sums of the 16-bit and of the 14-bit CRC, `PARTS16` and `PARTS14`.
    pub parts: [usize; 2],
    /// Bits of a beat at its place for the CRCs of modes 2 and 3, `WINDOW_W`.
    pub window_bits: usize,
    /// 1 if modes 2 and 3 are built, `WIDE`.
    pub wide: usize,
}

impl LtpTxConfig {
    /// Refuses what chapter 10 does not know, and derived widths that do not fit.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (name, flits) = ("link_ltp_tx", self.flits as u64);
        check_one_of(name, "flits", flits, &FLITS_PER_BEAT.map(|f| f as u64))?;
        let derived = |parameter, value: usize, formula, derived| {
            check_derived(name, parameter, value as u64, formula, derived)
        };
        derived("flits_bits", self.flits_bits, "65 * flits", 65 * flits)?;
        derived("beat_bits", self.beat_bits, "66 * flits", 66 * flits)?;
        derived("wire_bits", self.wire_bits, "68 * flits", 68 * flits)?;
        derived(
            "index_bits",
            self.index_bits,
            "log2(16 / flits)",
            u64::from(beats_per_ltp(self.flits).ilog2()),
        )?;
        derived("parts16", self.parts[0], "16 * flits", 16 * flits)?;
        derived("parts14", self.parts[1], "14 * flits", 14 * flits)?;
        check_wide(name, self.flits, self.window_bits, self.wide)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_ltp_tx",
    chapter: "10-link",
    summary: "beats in, LTPs with CRC out, Null LTPs between them",
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
    let streams = [
        ("flits_in", StreamRole::StreamSink),
        ("time_in", StreamRole::StreamSink),
        ("null_in", StreamRole::StreamSink),
        ("side_in", StreamRole::FlowSink),
        ("wire_out", StreamRole::StreamSource),
    ];
    let modes = CrcModes::from_caps(ENTRY.name, settings.get("crc_modes")?)?;
    let (latency, note) = match modes {
        CrcModes::Standard | CrcModes::Narrow => (3, "beat taken to its wire beat transferred"),
        CrcModes::All => {
            (5, "beat taken to its wire beat transferred, in modes 2 and 3; in modes 0 and 1 3 clocks")
        }
    };
    let interface = InterfaceInfo::clocked(&streams, Some(latency), note);
    Ok(match (modes, settings.get("f")?) {
        (CrcModes::Narrow, 1) => BuiltBlock::new(LtpTx1::new()?, interface),
        (CrcModes::Narrow, 2) => BuiltBlock::new(LtpTx2::new()?, interface),
        (CrcModes::Narrow, 4) => BuiltBlock::new(LtpTx4::new()?, interface),
        (CrcModes::All, 1) => BuiltBlock::new(LtpTxAll1::new()?, interface),
        (CrcModes::All, 2) => BuiltBlock::new(LtpTxAll2::new()?, interface),
        (CrcModes::All, 4) => BuiltBlock::new(LtpTxAll4::new()?, interface),
        _ => return Err(settings.unsupported("f", "1, 2 or 4")),
    })
}
