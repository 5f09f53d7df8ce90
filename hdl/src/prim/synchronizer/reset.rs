//! A clear from an asynchronous reset.

use super::Synchronizer;
use crate::config::ConfigError;
use crate::prim::Register;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `reset_synchronizer`: a synchronous clear from a reset that comes at any time (button, PLL not locked).
///
/// `clear` rises 3 to 4 clocks after `reset` rises and falls 17 to 18 clocks after it fell; it is up from
/// power-on. Every clear of this library is synchronous, so the reset is taken with the clock too: it must last two clocks,
/// and while the clock stands still nothing moves that would need clearing.
#[derive(LogicBlock, Clone, Debug)]
pub struct ResetSynchronizer {
    /// Clock of the domain to clear.
    pub clock: Signal<In, Clock>,
    /// Asynchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Synchronous, active high.
    pub clear: Signal<Out, Bit>,
    synchronizer: Synchronizer<2>,
    wait: Register<Bits<4>>,
    held: Register<Bit>,
    one: Constant<Bits<4>>,
}

impl ResetSynchronizer {
    /// A reset synchronizer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Signal::default(),
            reset: Signal::default(),
            clear: Signal::default(),
            synchronizer: Synchronizer::new(true)?,
            wait: Register::default(),
            held: Register::new(true),
            one: Constant::new(Bits::from(1)),
        })
    }
}

impl Logic for ResetSynchronizer {
    #[hdl_gen]
    fn update(&mut self) {
        self.synchronizer.clock.next = self.clock.val();
        self.wait.clock.next = self.clock.val();
        self.held.clock.next = self.clock.val();
        self.synchronizer.d.next = self.reset.val();
        self.wait.clear.next = self.synchronizer.q.val();
        self.wait.enable.next = self.held.q.val();
        self.wait.d.next = self.wait.q.val() + self.one.val();
        self.held.clear.next = self.synchronizer.q.val();
        self.held.enable.next = self.wait.q.val().all();
        self.held.d.next = false;
        self.clear.next = self.held.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("reset_synchronizer", &[])
    }
}

drive_ports!(impl[] ResetSynchronizer { clock, reset, clear });

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
