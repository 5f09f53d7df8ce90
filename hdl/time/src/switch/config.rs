//! Parameters and registry entry of `time_switch`.

use super::{FastRingClockSwitch4, FastRingSwitch16, FastRingSwitch4, FastRingSwitch8};
use super::{TimeClockSwitch4, TimeClockSwitch8, TimeSwitch16, TimeSwitch4, TimeSwitch8, TimeSwitchCompact4};
use crate::page::{TimePageConfig, WindowBuild};
use crate::port::{time_port_config, TimePortConfig, PARAMETERS as PORT_PARAMETERS};
use crate::ring::RingConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_registry::ClockMultiple;
use flitforge_protocol::time::{PhaseSource, MAX_TREES};
use flitforge_protocol::time_ring::{CROSSING_CLOCKS, MAX_RING_RATIO};
use flitforge_protocol::time_servo::{INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS};

const NAME: &str = "time_switch";
/// Numbers of stops that are built.
const STOPS: &[u64] = &[4, 8, 16];
/// Numbers of ports that the registry builds.
const PORTS: &[u64] = &[2, 3, 4, 7, 8, 16];

/// Build-time choice of the time side of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSwitchConfig {
    /// Ports; port i stands at stop i.
    pub ports: u64,
    /// Stops of each ring, one for each port or more.
    pub stops: u64,
    /// The time side of each port.
    pub port: TimePortConfig,
    /// INC_NOM at power-on, 2^-32 ns per core clock; RPER follows from it.
    pub inc_nom: u64,
    /// RING_WAIT_MAX, ring clocks.
    pub wait_max: u64,
    /// M: ring edges per core clock. With 1 the rings run on the core clock, else they have one of their own.
    pub ring_ratio: u64,
    /// The last stop is a clock stop.
    pub clock_stop: bool,
    /// Trees that the clock stop can follow, from tree 0 on: 1 to 4.
    pub trees: u64,
    /// Built with counters; else they read 0.
    pub counters: bool,
}

impl TimeSwitchConfig {
    /// Of one oscillator with its lanes, so many flits per beat, for a core clock of `inc_nom`, 2^-32 ns.
    pub fn one_clock(ports: u64, stops: u64, flits: usize, core_fs: u64, inc_nom: u64) -> Self {
        let port = TimePortConfig::one_clock(flits, core_fs);
        let wait_max = RingConfig::DEFAULT_WAIT_MAX;
        Self {
            ports,
            stops,
            port,
            inc_nom,
            wait_max,
            ring_ratio: 1,
            clock_stop: false,
            trees: 1,
            counters: true,
        }
    }

    /// Refuses what cannot work.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_one_of(NAME, "stops", self.stops, STOPS)?;
        check_range(NAME, "ports", self.ports, 2, self.stops - u64::from(self.clock_stop))?;
        check_range(NAME, "inc_nom", self.inc_nom, 1, (1 << INC_BITS) - 1)?;
        check_range(NAME, "trees", self.trees, 1, if self.clock_stop { MAX_TREES as u64 } else { 1 })?;
        check_range(NAME, "wait_max", self.wait_max, 1, RingConfig::MOST_WAIT_MAX)?;
        check_range(NAME, "ring_ratio", self.ring_ratio, 1, MAX_RING_RATIO.into())?;
        self.port.check()?;
        self.page().check()
    }

    /// Refuses a type that was made for something else.
    pub(super) fn check_type(
        &self,
        ports: usize,
        stops: u64,
        clock: usize,
        fast: u64,
    ) -> Result<(), ConfigError> {
        let own_clock = u64::from(self.ring_ratio > 1);
        check_derived(NAME, "ring clocks of the type", fast, "1 with ring_ratio above 1", own_clock)?;
        let followed = u64::from(self.clock_stop) * self.trees;
        check_derived(NAME, "CLOCK", clock as u64, "trees of the clock stop", followed)?;
        check_derived(NAME, "PORTS", ports as u64, "ports", self.ports)?;
        check_derived(NAME, "stops of the type", stops, "stops", self.stops)
    }

    /// What the register page shows.
    pub(super) fn page(&self) -> TimePageConfig {
        TimePageConfig {
            inc_nom: self.inc_nom,
            ports: self.ports,
            stops: self.stops,
            trees: self.trees,
            ring_ratio: self.ring_ratio,
            phase_source: PhaseSource::code(self.port.phase_source).into(),
            started: self.counters.then_some(0),
            ..TimePageConfig::default()
        }
    }

    /// The rings.
    pub(super) fn rings(&self) -> RingConfig {
        RingConfig { wait_max: self.wait_max, ..RingConfig::of_stops(self.stops) }
    }

    /// The rings' window.
    pub(super) fn ring_page(&self) -> WindowBuild {
        WindowBuild { rper: self.rper(), own_stop: self.own_stop(), started: self.page().started }
    }

    /// Own clock stop at power-on; 0 where there is none.
    pub(super) fn own_stop(&self) -> u64 {
        u64::from(self.clock_stop) * (self.stops - 1)
    }

    /// RPER at power-on, 2^-20 ns: INC_NOM / M.
    pub(super) fn rper(&self) -> u64 {
        (self.inc_nom / self.ring_ratio) >> (INC_BITS - PERIOD_BITS)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_switch",
    chapter: "20-time",
    summary: "time side of a switch: ports, rings, registers, with or without a clock stop",
    parameters: &[
        ParameterInfo::new("ports", 3, Allowed::OneOf(PORTS), "ports"),
        ParameterInfo::new(
            "stops",
            4,
            Allowed::OneOf(STOPS),
            "stops of each ring, one for each port or more",
        ),
        ParameterInfo::new(
            "inc_nom",
            INC_NOM_DEFAULT,
            Allowed::Range(1, (1 << INC_BITS) - 1),
            "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
        ),
        ParameterInfo::new(
            "wait_max",
            RingConfig::DEFAULT_WAIT_MAX,
            Allowed::Range(1, RingConfig::MOST_WAIT_MAX),
            "RING_WAIT_MAX, ring clocks",
        ),
        ParameterInfo::new(
            "ring_ratio",
            1,
            Allowed::Range(1, MAX_RING_RATIO as u64),
            "M: ring edges per core clock; above 1 the rings have a clock of their own, `ring_clock`",
        ),
        ParameterInfo::new("clock", 0, Allowed::Range(0, 1), "1: the last stop is a clock stop"),
        ParameterInfo::new(
            "trees",
            1,
            Allowed::OneOf(&[1, 2]),
            "trees that the clock stop can follow, from tree 0 on",
        ),
        ParameterInfo::new("compact", 0, Allowed::Range(0, 1), "1: tree 0 alone (N_TREES = 1), no tokens"),
        ParameterInfo::new("counters", 1, Allowed::Range(0, 1), "0: without counters, they read 0"),
        PORT_PARAMETERS[0],
        PORT_PARAMETERS[1],
        PORT_PARAMETERS[2],
        PORT_PARAMETERS[3],
        PORT_PARAMETERS[4],
        PORT_PARAMETERS[5],
        PORT_PARAMETERS[6],
        PORT_PARAMETERS[7],
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "ports_4", values: &[("ports", 4)] },
        Preset { name: "clock", values: &[("clock", 1)] },
        Preset { name: "clock_2_trees", values: &[("clock", 1), ("trees", 2)] },
        Preset { name: "ports_8", values: &[("stops", 8), ("ports", 8)] },
        Preset { name: "ports_7_clock", values: &[("stops", 8), ("ports", 7), ("clock", 1)] },
        Preset { name: "ports_16", values: &[("stops", 16), ("ports", 16)] },
        Preset { name: "ring_2", values: &[("ring_ratio", 2)] },
        Preset { name: "ring_2_clock", values: &[("ring_ratio", 2), ("clock", 1)] },
        Preset { name: "compact", values: &[("compact", 1), ("counters", 0), ("block_ram", 1)] },
        Preset {
            name: "compact_2",
            values: &[("compact", 1), ("counters", 0), ("block_ram", 1), ("ports", 2)],
        },
        Preset { name: "beat", values: &[("f", 2), ("source", 1), ("word_fs", 6_241_000)] },
        Preset {
            name: "beat_8",
            values: &[("stops", 8), ("ports", 8), ("f", 2), ("source", 1), ("word_fs", 6_241_000)],
        },
        Preset { name: "ddmtd", values: &[("source", 2)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = TimeSwitchConfig {
        ports: settings.get("ports")?,
        stops: settings.get("stops")?,
        port: time_port_config(settings)?,
        inc_nom: settings.get("inc_nom")?,
        wait_max: settings.get("wait_max")?,
        ring_ratio: settings.get("ring_ratio")?,
        clock_stop: settings.get("clock")? == 1,
        trees: settings.get("trees")?,
        counters: settings.get("counters")? == 1,
    };
    config.check()?;
    let interface = interface(&config);
    if settings.get("compact")? == 1 {
        let one_clock = config.ring_ratio == 1 && !config.clock_stop && config.stops == 4;
        let built = (one_clock, config.ports, config.port.flits, config.port.phase_source);
        return Ok(match built {
            (true, 2, 1, PhaseSource::None) => {
                BuiltBlock::new(TimeSwitchCompact4::<2>::new(&config)?, interface)
            }
            (true, 3, 1, PhaseSource::None) => {
                BuiltBlock::new(TimeSwitchCompact4::<3>::new(&config)?, interface)
            }
            (true, 4, 1, PhaseSource::None) => {
                BuiltBlock::new(TimeSwitchCompact4::<4>::new(&config)?, interface)
            }
            _ => {
                let expected = "0, or 1 with stops = 4, f = 1, ring_ratio = 1, no source and no clock";
                return Err(settings.unsupported("compact", expected));
            }
        });
    }
    let clock = u64::from(config.clock_stop) * config.trees;
    let size = (config.stops, config.ports, config.port.flits, config.port.phase_source, clock);
    let built = match config.ring_ratio {
        1 => build_one_clock(size, &config, interface)?,
        _ => build_fast(size, &config, interface)?,
    };
    built.ok_or_else(|| settings.unsupported("ports", BUILT))
}

/// What the registry builds; a design that needs another one names its type.
const BUILT: &str = "stops, ports with f 1 and no source: 4, 3 and 4, 4 and 8, 8 and 16, 16; with a clock stop 4, 3, and with \
    ring_ratio 1 8, 7, or 4, 3 with trees 2; with ring_ratio 1 and BEAT 4, 3 and 8, 8 of f 2; with ring_ratio 1 and DDMTD 4, 3 of f 1";

/// Stops, ports, flits per beat, source, trees of the clock stop.
type Size = (u64, u64, usize, PhaseSource, u64);

/// Rings on the core clock; none where the registry has no such type.
fn build_one_clock(
    size: Size,
    config: &TimeSwitchConfig,
    interface: InterfaceInfo,
) -> Result<Option<BuiltBlock>, ConfigError> {
    Ok(Some(match size {
        (4, 3, 1, PhaseSource::None, 1) => {
            BuiltBlock::new(TimeClockSwitch4::<3, 1, 65, 0, 0>::new(config)?, interface)
        }
        (4, 3, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(TimeSwitch4::<3, 1, 65, 0, 0>::new(config)?, interface)
        }
        (4, 4, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(TimeSwitch4::<4, 1, 65, 0, 0>::new(config)?, interface)
        }
        (4, 3, 2, PhaseSource::Beat, 0) => {
            BuiltBlock::new(TimeSwitch4::<3, 2, 130, 1, 0>::new(config)?, interface)
        }
        (4, 3, 1, PhaseSource::Ddmtd, 0) => {
            BuiltBlock::new(TimeSwitch4::<3, 1, 65, 0, 0, 0, 4, 1>::new(config)?, interface)
        }
        (4, 3, 1, PhaseSource::None, 2) => {
            BuiltBlock::new(TimeClockSwitch4::<3, 1, 65, 0, 0, 2>::new(config)?, interface)
        }
        (8, 7, 1, PhaseSource::None, 1) => {
            BuiltBlock::new(TimeClockSwitch8::<7, 1, 65, 0, 0>::new(config)?, interface)
        }
        (8, 8, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(TimeSwitch8::<8, 1, 65, 0, 0>::new(config)?, interface)
        }
        (8, 8, 2, PhaseSource::Beat, 0) => {
            BuiltBlock::new(TimeSwitch8::<8, 2, 130, 1, 0>::new(config)?, interface)
        }
        (16, 16, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(TimeSwitch16::<16, 1, 65, 0, 0>::new(config)?, interface)
        }
        _ => return Ok(None),
    }))
}

/// Rings with a clock of their own; none where the registry has no such type.
fn build_fast(
    size: Size,
    config: &TimeSwitchConfig,
    interface: InterfaceInfo,
) -> Result<Option<BuiltBlock>, ConfigError> {
    Ok(Some(match size {
        (4, 3, 1, PhaseSource::None, 1) => {
            BuiltBlock::new(FastRingClockSwitch4::<3, 1, 65, 0, 0>::new(config)?, interface)
        }
        (4, 3, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(FastRingSwitch4::<3, 1, 65, 0, 0>::new(config)?, interface)
        }
        (4, 4, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(FastRingSwitch4::<4, 1, 65, 0, 0>::new(config)?, interface)
        }
        (8, 8, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(FastRingSwitch8::<8, 1, 65, 0, 0>::new(config)?, interface)
        }
        (16, 16, 1, PhaseSource::None, 0) => {
            BuiltBlock::new(FastRingSwitch16::<16, 1, 65, 0, 0>::new(config)?, interface)
        }
        _ => return Ok(None),
    }))
}

fn interface(config: &TimeSwitchConfig) -> InterfaceInfo {
    // Of one core clock M ring clocks are hops and the copy register.
    let (clocks, note) = match config.ring_ratio {
        1 => (CROSSING_CLOCKS + 1, "R to X, less the hops"),
        _ => (CROSSING_CLOCKS, "R to X, less floor((hops + 1) / ring_ratio)"),
    };
    let mut info = InterfaceInfo::clocked(&[], Some(clocks as u32), note);
    for (name, role) in
        [("tx_phase", FlowSink), ("rx_phase", FlowSink), ("spc_out", FlowSink), ("time_in", StreamSource)]
    {
        info.streams.extend((0..config.ports).map(|port| StreamInfo {
            name: format!("{name}[{port}]"),
            role,
            clock: "clock".into(),
        }));
    }
    for clock in ["tx_clock", "rx_clock"] {
        info.clocks.extend((0..config.ports).map(|port| format!("{clock}[{port}]")));
    }
    if config.port.phase_source == PhaseSource::Ddmtd {
        info.clocks.push("helper_clock[0]".into());
    }
    if config.ring_ratio > 1 {
        let ratio = config.ring_ratio;
        info.clocks.push("ring_clock".into());
        info.multiples.push(ClockMultiple { clock: "ring_clock".into(), of: "clock".into(), ratio });
    }
    info
}
