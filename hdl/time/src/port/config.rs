//! Parameters and registry entry of `time_port`.

use super::TimePort;
use crate::lag_meter::{LagMeterConfig, DDMTD_K as DDMTD_K_PARAMETER, RX_CLOCKS};
use crate::ring::VALUE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::flit_beat_bits;
use flitforge_protocol::time::{PhaseSource, EXTRACT_CLOCKS};
use flitforge_protocol::time_lag::{DDMTD_K, STATIC_LOG2};

/// PHASE_SRC of a type's parameters, as labels have it.
pub const fn source_label(beat: usize, phy: usize, ddmtd: usize) -> &'static str {
    ["none", "beat", "phy", "ddmtd"][beat + 2 * phy + 3 * ddmtd]
}

/// Build-time choice of the time side of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePortConfig {
    /// Flits per beat.
    pub flits: usize,
    /// PHASE_SRC of both meters.
    pub phase_source: PhaseSource,
    /// Nominal core clock period, fs.
    pub core_fs: u64,
    /// Nominal word clock period of a lane, fs.
    pub word_fs: u64,
    /// DDMTD_K: the helper clock has 2^K/(2^K+1) of the word clock's frequency.
    pub ddmtd_k: u32,
    /// NOM of tx and rx, ns.
    pub nominal_ns: [u64; 2],
    /// Clocks without a tag that make the phase static, as a power of 2.
    pub static_log2: u32,
    /// Flits wait in block RAM for what is computed of them, and not in registers: for a full device and a slow clock.
    pub block_ram: bool,
}

impl TimePortConfig {
    /// One oscillator for core and lanes: whole words, no phase source.
    pub fn one_clock(flits: usize, core_fs: u64) -> Self {
        Self {
            flits,
            phase_source: PhaseSource::None,
            core_fs,
            word_fs: core_fs,
            ddmtd_k: DDMTD_K.1,
            nominal_ns: [0; 2],
            static_log2: STATIC_LOG2,
            block_ram: false,
        }
    }

    /// Refuses what the meters refuse.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.meter(false).check()?;
        self.meter(true).check()
    }

    /// Clocks beside the core clock.
    pub fn clocks(&self) -> Vec<String> {
        let helper = (self.phase_source == PhaseSource::Ddmtd).then_some("helper_clock[0]");
        ["tx_clock", "rx_clock"].into_iter().chain(helper).map(String::from).collect()
    }

    /// That of one direction's meter.
    pub(super) fn meter(&self, receive: bool) -> LagMeterConfig {
        LagMeterConfig {
            receive,
            phase_source: self.phase_source,
            core_fs: self.core_fs,
            word_fs: self.word_fs,
            ddmtd_k: self.ddmtd_k,
            nominal_ns: self.nominal_ns[usize::from(receive)],
            flits: self.flits,
            static_log2: self.static_log2,
        }
    }
}

/// Parameters that every block with the time side of ports has.
pub const PARAMETERS: [ParameterInfo; 8] = [
    ParameterInfo::new("f", 1, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
    ParameterInfo::new(
        "source",
        0,
        Allowed::OneOf(&[0, 1, 2, 3]),
        "PHASE_SRC: 0 NONE, 1 BEAT, 2 DDMTD, 3 PHY",
    ),
    ParameterInfo::new(
        "core_fs",
        6_400_000,
        Allowed::Range(1_000_000, 200_000_000),
        "nominal core clock period, fs",
    ),
    ParameterInfo::new(
        "word_fs",
        6_400_000,
        Allowed::Range(1_000_000, 200_000_000),
        "nominal word clock period of a lane, fs",
    ),
    ParameterInfo::new("nom_tx", 0, Allowed::Range(0, 1023), "NOM of tx, ns"),
    ParameterInfo::new("nom_rx", 0, Allowed::Range(0, 1023), "NOM of rx, ns"),
    ParameterInfo::new(
        "block_ram",
        0,
        Allowed::Range(0, 1),
        "1: flits wait in block RAM for what is computed of them",
    ),
    DDMTD_K_PARAMETER,
];

/// The choice that settings say.
pub fn time_port_config(settings: &Settings) -> Result<TimePortConfig, ConfigError> {
    Ok(TimePortConfig {
        flits: settings.size("f")?,
        phase_source: match settings.get("source")? {
            0 => PhaseSource::None,
            1 => PhaseSource::Beat,
            2 => PhaseSource::Ddmtd,
            _ => PhaseSource::Phy,
        },
        core_fs: settings.get("core_fs")?,
        word_fs: settings.get("word_fs")?,
        ddmtd_k: settings.get("ddmtd_k")? as u32,
        nominal_ns: [settings.get("nom_tx")?, settings.get("nom_rx")?],
        static_log2: STATIC_LOG2,
        block_ram: settings.get("block_ram")? == 1,
    })
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_port",
    chapter: "20-time",
    summary: "time side of a switch's port: meters, extraction, injection, link delay",
    parameters: &PARAMETERS,
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "beat", values: &[("f", 2), ("source", 1), ("word_fs", 6_241_000)] },
        Preset { name: "phy", values: &[("f", 4), ("source", 3)] },
        Preset { name: "ddmtd", values: &[("source", 2)] },
    ],
    build,
};

/// Numbers of the phase sources, as the parameter has them.
pub(crate) const BEAT: usize = PhaseSource::Beat as usize;
pub(crate) const DDMTD: usize = PhaseSource::Ddmtd as usize;
pub(crate) const PHY: usize = PhaseSource::Phy as usize;

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, source) => build_as of time::port [
            f,
            flit_beat_bits(f),
            VALUE_BITS,
            (source == BEAT) as usize,
            (source == PHY) as usize,
            0,
            (source == DDMTD) as usize
        ];
        presets { (1, 0) (2, 1) (4, 3) (1, 2) }
    }
}

/// Builds the block with these const parameters; see [`TimePort`].
pub fn build_as<
    const F: usize,
    const FLITS_W: usize,
    const W: usize,
    const BEAT: usize,
    const PHY: usize,
    const SINGLE: usize,
    const DDMTD: usize,
>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let config = time_port_config(settings)?;
    let streams = [
        ("tx_phase", FlowSink),
        ("rx_phase", FlowSink),
        ("spc_out", FlowSink),
        ("copy[0]", FlowSink),
        ("copy[1]", FlowSink),
        ("epoch_write", FlowSink),
        ("time_in", StreamSource),
        ("low", FlowSource),
        ("high", FlowSource),
        ("rx_corr_new", FlowSource),
    ];
    let latency = RX_CLOCKS as u32 + EXTRACT_CLOCKS as u32;
    let mut interface = InterfaceInfo::clocked(&streams, Some(latency), "spc_out to low");
    interface.clocks.extend(config.clocks());
    Ok(BuiltBlock::new(TimePort::<F, FLITS_W, W, BEAT, PHY, SINGLE, DDMTD>::new(&config)?, interface))
}
