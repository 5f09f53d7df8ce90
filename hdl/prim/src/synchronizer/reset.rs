//! A clear from an asynchronous reset.

use super::Synchronizer;
use crate::prelude::*;

/// `reset_synchronizer`: a synchronous clear from a reset that comes at any time (button, PLL not locked).
///
/// `clear` rises 3 to 4 clocks after `reset` rises and falls 17 to 18 clocks after it fell; it is up from
/// power-on. Every clear of this library is synchronous, so the reset is taken with the clock too: it must last two clocks,
/// and while the clock stands still nothing moves that would need clearing.
#[block("reset_synchronizer", new)]
#[derive(Clone, Debug)]
pub struct ResetSynchronizer {
    /// Clock of the domain to clear.
    clock: In<Clock>,
    /// Asynchronous, active high.
    reset: In<Bit>,
    /// Synchronous, active high.
    clear: Out<Bit>,
    #[wire(clock)]
    synchronizer: Synchronizer<2>,
    wait: Register<Bits<4>>,
    #[init(true)]
    held: Register<Bit>,
    #[init(1)]
    one: Constant<Bits<4>>,
}

#[logic]
impl ResetSynchronizer {
    /// A reset synchronizer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { synchronizer: Synchronizer::new(true)?, .. })
    }

    fn update(&mut self) {
        synchronizer.d = reset;
        wait = In { clear: synchronizer.q, enable: held };
        wait = wait + one;
        held = In { clear: synchronizer.q, enable: wait.all() };
        held = false;
        clear = held;
    }
}

/// Registry entry.
pub const RESET_ENTRY: BlockEntry = BlockEntry {
    name: "reset_synchronizer",
    chapter: "00-overview",
    summary: "synchronous clear from an asynchronous reset",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let mut interface = InterfaceInfo::clocked(&[], None, "3 to 4 clocks up, 17 to 18 down");
    interface.clears.clear();
    Ok(BuiltBlock::new(ResetSynchronizer::new()?, interface))
}
