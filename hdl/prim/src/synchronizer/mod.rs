//! `synchronizer`: brings one bit into a clock domain through 2 to 4 flip-flops.
//!
//! Latency N to N + 1 clocks of the receiving clock. The bit must come from a flip-flop and hold for more than
//! one receiving clock to be seen for sure. There is no clear; powers on as given. The stages carry `ASYNC_REG`.
//! [`ResetSynchronizer`] makes a clear of an asynchronous reset, [`PulseSynchronizer`] brings pulses across.

mod pulse;
mod reset;

pub use pulse::{PulseSynchronizer, PULSE_ENTRY};
pub use reset::{ResetSynchronizer, RESET_ENTRY};

use super::Register;
use crate::prelude::*;

/// One bit through `N` flip-flops of the receiving clock; see the [module](self).
#[block("synchronizer", new, stages = N)]
#[derive(Clone, Debug)]
pub struct Synchronizer<const N: usize> {
    /// Receiving clock.
    clock: In<Clock>,
    /// The bit, of any clock or none.
    d: In<Bit>,
    /// The bit in the receiving domain.
    q: Out<Bit>,
    stage: [Register<Bit>; N],
}

#[logic]
impl<const N: usize> Synchronizer<N> {
    /// A synchronizer that powers on with `initial`.
    pub fn new(initial: bool) -> Result<Self, ConfigError> {
        check_range("synchronizer", "N", N as u64, 2, 4)?;
        Ok(Self { stage: std::array::from_fn(|_| Register::synchronizing(initial)), .. })
    }

    fn update(&mut self) {
        for i in 0..N {
            stage[i].clear = false;
        }
        stage[0] = d;
        for i in 1..N {
            stage[i] = stage[i - 1];
        }
        // The last one stays.
        for i in 0..N {
            q = stage[i];
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "synchronizer",
    chapter: "00-overview",
    summary: "one bit into a clock domain",
    parameters: &[ParameterInfo::new("stages", 2, Allowed::Range(2, 4), "flip-flops")],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (stages) => build_as [stages];
        presets { (2) }
    }
}

/// Builds the block with `N` flip-flops.
pub fn build_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let mut interface = InterfaceInfo::clocked(&[], None, "stages to stages + 1 clocks");
    interface.clears.clear();
    Ok(BuiltBlock::new(Synchronizer::<N>::new(false)?, interface))
}
