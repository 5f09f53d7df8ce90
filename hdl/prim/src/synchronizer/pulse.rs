//! A pulse from one clock to another.

use super::Synchronizer;
use crate::prelude::*;

/// `pulse_synchronizer`: one pulse of `clock_out` for each pulse of `clock_in`.
///
/// A level changes with every pulse and crosses through a synchronizer: 2 to 3 clocks of `clock_out`. Pulses must be at
/// least three clocks of `clock_out` apart; of two that are nearer to each other both may be lost. No clear: a level
/// that is cleared on one side alone would be a pulse on the other.
#[block("pulse_synchronizer", new)]
#[derive(Clone, Debug)]
pub struct PulseSynchronizer {
    /// Clock of `pulse`.
    clock_in: In<Clock>,
    /// High for one clock of `clock_in`.
    pulse: In<Bit>,
    /// Clock of `pulse_out`.
    clock_out: In<Clock>,
    /// High for one clock of `clock_out`.
    pulse_out: Out<Bit>,
    #[wire(clock = clock_in)]
    level: Reg<Bit>,
    #[wire(clock = clock_out)]
    synchronizer: Synchronizer<2>,
    #[wire(clock = clock_out)]
    seen: Reg<Bit>,
}

#[logic]
impl PulseSynchronizer {
    /// A pulse synchronizer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { synchronizer: Synchronizer::new(false)?, .. })
    }

    fn update(&mut self) {
        level = level ^ pulse;
        synchronizer.d = level;
        seen = synchronizer.q;
        pulse_out = synchronizer.q ^ seen;
    }
}

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
