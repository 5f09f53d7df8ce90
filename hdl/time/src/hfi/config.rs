//! Parameters and registry entry of `time_hfi`.

use super::{TimeHfi, MAX_PULSE_CLOCKS};
use crate::lag_meter::RX_CLOCKS;
use crate::page::TimePageConfig;
use crate::port::{time_port_config, TimePortConfig, BEAT, DDMTD, PARAMETERS as PORT, PHY};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::flit_beat_bits;
use flitforge_protocol::time::{PhaseSource, EXTRACT_CLOCKS, FIFO_DEPTH, GEN_PERIOD_DEFAULT, MAX_TREES};
use flitforge_protocol::time_registers::gen_cfg;
use flitforge_protocol::time_servo::{increment, SLAVE_CLOCKS};

/// What an HFI is built for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeRole {
    /// Master, slave, or both, as its registers say.
    #[default]
    Both,
    /// Master: without slave and servo, their registers and the window of the tree, which read 0.
    Master,
    /// Slave: without generator; MSTR_CTL and GEN_CFG read 0.
    Slave,
}

/// Build-time choice of an HFI's time side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeHfiConfig {
    /// Its port; INC_NOM at power-on is that of its core clock.
    pub port: TimePortConfig,
    /// GEN_PERIOD for which GAIN, GAIN_ACQ and SLEW_N are made, 2^20 ns.
    pub period: u64,
    /// Trees that can be followed, from tree 0 on: 1 to 4. A master alone has none of them.
    pub trees: usize,
    /// Samples of a tree that wait for software, 4 to 64.
    pub fifo_depth: usize,
    /// Core clocks of a pulse of `pps`, 1 to [`MAX_PULSE_CLOCKS`].
    pub pulse_clocks: u64,
    /// What it is built for.
    pub role: TimeRole,
    /// Built with the counters of device and port; else they read 0. Those of the tree are there in any case.
    pub counters: bool,
}

impl TimeHfiConfig {
    /// One oscillator for core and lanes, one flit per beat, one tree, the smallest FIFO.
    pub fn small(core_fs: u64, period: u64) -> Self {
        Self {
            port: TimePortConfig::one_clock(1, core_fs),
            period,
            trees: 1,
            fifo_depth: FIFO_DEPTH.0,
            pulse_clocks: MAX_PULSE_CLOCKS,
            role: TimeRole::Both,
            counters: true,
        }
    }

    /// Refuses what one of the parts refuses: meters, registers, FIFO, pulse.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.port.check()?;
        self.page().check()?;
        let (least, _, most) = FIFO_DEPTH;
        check_range("time_hfi", "trees", self.trees as u64, 1, MAX_TREES as u64)?;
        check_range("time_hfi", "fifo_depth", self.fifo_depth as u64, least as u64, most as u64)?;
        check_range("time_hfi", "pps", self.pulse_clocks, 1, MAX_PULSE_CLOCKS)
    }

    /// What the registers say and begin with.
    pub fn page(&self) -> TimePageConfig {
        TimePageConfig {
            inc_nom: increment(self.port.core_fs),
            period: self.period,
            phase_source: PhaseSource::code(self.port.phase_source).into(),
            trees: if self.role == TimeRole::Master { 0 } else { self.trees as u64 },
            generates: self.role != TimeRole::Slave,
            started: self.counters.then_some(0),
            ..TimePageConfig::default()
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_hfi",
    chapter: "20-time",
    summary: "time side of an HFI beside a link: master, slave of one tree or several, or both, with registers and a pulse per second",
    parameters: &[
        PORT[0],
        PORT[1],
        PORT[2],
        PORT[3],
        PORT[4],
        PORT[5],
        PORT[6],
        PORT[7],
        ParameterInfo::new("period", GEN_PERIOD_DEFAULT, Allowed::Range(1, (1 << gen_cfg::period::WIDTH) - 1), "GEN_PERIOD for which the gains are made, 2^20 ns"),
        ParameterInfo::new("trees", 1, Allowed::Range(1, MAX_TREES as u64), "trees that can be followed, from tree 0 on"),
        ParameterInfo::new("fifo_depth", FIFO_DEPTH.1 as u64, Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64), "samples that wait for software"),
        ParameterInfo::new("pps", MAX_PULSE_CLOCKS, Allowed::Range(1, MAX_PULSE_CLOCKS), "core clocks of a pulse per second"),
        ParameterInfo::new("role", 0, Allowed::OneOf(&[0, 1, 2]), "built for: 0 master and slave, 1 master only, 2 slave only"),
        ParameterInfo::new("counters", 1, Allowed::Range(0, 1), "0: without counters of device and port, they read 0"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "standby", values: &[("trees", 2)] },
        Preset { name: "small", values: &[("fifo_depth", FIFO_DEPTH.0 as u64)] },
        Preset { name: "master", values: &[("fifo_depth", FIFO_DEPTH.0 as u64), ("role", 1), ("counters", 0), ("block_ram", 1)] },
        Preset { name: "slave", values: &[("fifo_depth", FIFO_DEPTH.0 as u64), ("role", 2), ("counters", 0), ("block_ram", 1)] },
        Preset { name: "beat", values: &[("f", 2), ("source", 1), ("word_fs", 6_241_000)] },
        Preset { name: "phy", values: &[("f", 4), ("source", 3)] },
        Preset { name: "ddmtd", values: &[("source", 2), ("fifo_depth", FIFO_DEPTH.0 as u64)] },
    ],
    build,
};

fn config(settings: &Settings) -> Result<TimeHfiConfig, ConfigError> {
    Ok(TimeHfiConfig {
        port: time_port_config(settings)?,
        period: settings.get("period")?,
        trees: settings.get("trees")? as usize,
        fifo_depth: settings.get("fifo_depth")? as usize,
        pulse_clocks: settings.get("pps")?,
        role: match settings.get("role")? {
            1 => TimeRole::Master,
            2 => TimeRole::Slave,
            _ => TimeRole::Both,
        },
        counters: settings.get("counters")? == 1,
    })
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    config(settings)?.check()?;
    shapes! {
        settings: (f, source, trees) => build_as of time::hfi [
            f,
            flit_beat_bits(f),
            (source == BEAT) as usize,
            (source == PHY) as usize,
            trees,
            (source == DDMTD) as usize
        ];
        presets { (1, 0, 1) (1, 0, 2) (2, 1, 1) (4, 3, 1) (1, 2, 1) }
    }
}

/// Builds the block with these const parameters; see [`TimeHfi`].
pub fn build_as<
    const F: usize,
    const FLITS_W: usize,
    const BEAT: usize,
    const PHY: usize,
    const TREES: usize,
    const DDMTD: usize,
>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let config = config(settings)?;
    let streams =
        [("tx_phase", FlowSink), ("rx_phase", FlowSink), ("spc_out", FlowSink), ("time_in", StreamSource)];
    let latency = RX_CLOCKS as u32 + (EXTRACT_CLOCKS + SLAVE_CLOCKS) as u32;
    let mut interface = InterfaceInfo::clocked(&streams, Some(latency), "spc_out to a sample");
    interface.clocks.extend(config.port.clocks());
    Ok(BuiltBlock::new(TimeHfi::<F, FLITS_W, BEAT, PHY, TREES, DDMTD>::new(&config)?, interface))
}
