//! A pulse from one clock to another.

use super::Synchronizer;
use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `pulse_synchronizer`: one pulse of `clock_out` for each pulse of `clock_in`.
///
/// A level changes with every pulse and crosses through a synchronizer: 2 to 3 clocks of `clock_out`. Pulses must be at
/// least three clocks of `clock_out` apart; of two that are nearer to each other both may be lost. No clear: a level
/// that is cleared on one side alone would be a pulse on the other.
#[derive(LogicBlock, Clone, Debug)]
pub struct PulseSynchronizer {
    /// Clock of `pulse`.
    pub clock_in: Signal<In, Clock>,
    /// High for one clock of `clock_in`.
    pub pulse: Signal<In, Bit>,
    /// Clock of `pulse_out`.
    pub clock_out: Signal<In, Clock>,
    /// High for one clock of `clock_out`.
    pub pulse_out: Signal<Out, Bit>,
    level: DFF<Bit>,
    synchronizer: Synchronizer<2>,
    seen: DFF<Bit>,
}

impl PulseSynchronizer {
    /// A pulse synchronizer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock_in: Signal::default(),
            pulse: Signal::default(),
            clock_out: Signal::default(),
            pulse_out: Signal::default(),
            level: DFF::default(),
            synchronizer: Synchronizer::new(false)?,
            seen: DFF::default(),
        })
    }
}

impl Logic for PulseSynchronizer {
    #[hdl_gen]
    fn update(&mut self) {
        self.level.clock.next = self.clock_in.val();
        self.level.d.next = self.level.q.val() ^ self.pulse.val();
        self.synchronizer.clock.next = self.clock_out.val();
        self.synchronizer.d.next = self.level.q.val();
        self.seen.clock.next = self.clock_out.val();
        self.seen.d.next = self.synchronizer.q.val();
        self.pulse_out.next = self.synchronizer.q.val() ^ self.seen.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pulse_synchronizer", &[])
    }
}

drive_ports!(impl[] PulseSynchronizer { clock_in, pulse, clock_out, pulse_out });

/// Registry entry.
pub const PULSE_ENTRY: BlockEntry = BlockEntry {
    name: "pulse_synchronizer",
    chapter: "00-overview",
    summary: "pulses of one clock as pulses of another",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo {
        clocks: vec!["clock_in".into(), "clock_out".into()],
        latency_note: "2 to 3 clocks of `clock_out`".into(),
        ..Default::default()
    };
    Ok(BuiltBlock::new(PulseSynchronizer::new()?, interface))
}
