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
use crate::config::{check_range, ConfigError};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// One bit through `N` flip-flops of the receiving clock; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Synchronizer<const N: usize> {
    /// Receiving clock.
    pub clock: Signal<In, Clock>,
    /// The bit, of any clock or none.
    pub d: Signal<In, Bit>,
    /// The bit in the receiving domain.
    pub q: Signal<Out, Bit>,
    stage: [Register<Bit>; N],
}

impl<const N: usize> Synchronizer<N> {
    /// A synchronizer that powers on with `initial`.
    pub fn new(initial: bool) -> Result<Self, ConfigError> {
        check_range("synchronizer", "N", N as u64, 2, 4)?;
        Ok(Self {
            clock: Signal::default(),
            d: Signal::default(),
            q: Signal::default(),
            stage: std::array::from_fn(|_| Register::synchronizing(initial)),
        })
    }
}

impl<const N: usize> Logic for Synchronizer<N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..N {
            self.stage[i].clock.next = self.clock.val();
            self.stage[i].clear.next = false;
            self.stage[i].enable.next = true;
        }
        self.stage[0].d.next = self.d.val();
        for i in 1..N {
            self.stage[i].d.next = self.stage[i - 1].q.val();
        }
        // The last one stays.
        for i in 0..N {
            self.q.next = self.stage[i].q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("synchronizer", &[("stages", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] Synchronizer<N> { clock, d, q });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "synchronizer",
    chapter: "00-overview",
    summary: "one bit into a clock domain",
    parameters: &[ParameterInfo {
        name: "stages",
        default: 2,
        allowed: Allowed::Range(2, 4),
        doc: "flip-flops",
    }],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let mut interface = InterfaceInfo::clocked(&[], None, "stages to stages + 1 clocks");
    interface.clears.clear();
    Ok(match settings.get("stages")? {
        2 => BuiltBlock::new(Synchronizer::<2>::new(false)?, interface),
        3 => BuiltBlock::new(Synchronizer::<3>::new(false)?, interface),
        4 => BuiltBlock::new(Synchronizer::<4>::new(false)?, interface),
        _ => return Err(settings.unsupported("stages", "2 to 4")),
    })
}
