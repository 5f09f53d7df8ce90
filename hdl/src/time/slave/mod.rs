//! `time_slave`: samples of one tree's master time (chapter 20, 4.7 rules 1 to 5).
//!
//! Lows and Highs come from `time_extract`, corrected by the rx lag, with LocalTime and SyncTime of their R edge. A Low
//! and the last High make 64 bits, the era chooses the offset bank, and the phase error goes to the servo and, as part of a
//! sample, to the FIFO that software reads.
//!
//! - Latency: `low` to `used` and `error` 8 clocks, `pop` to `shadow` 2. Exact.
//! - Throughput: one Low in 8 clocks, one High and one pop per clock. A Low that comes sooner is lost (`late`); Lows of
//!   a tree are 2^20 ns apart.
//! - Outputs are registers.
//! - `clear`: no Low in work, no High, no samples, era not known. Shadow registers stay.
//!
//! | file | does |
//! |---|---|
//! | `era` | rule 3 |
//! | `overlap` | rule 2: the last High, its age, the overlap byte |
//! | `difference` | rule 4 |
//! | `join` | the three, clock by clock |
//! | `fifo` | rule 5 |

mod difference;
mod era;
mod fifo;
mod join;
mod overlap;

pub use difference::PhaseDifference;
pub use era::EraCheck;
pub use fifo::{SampleFifo, LEVEL_BITS};
pub use join::TimeJoin;
pub use overlap::OverlapCheck;

use crate::config::ConfigError;
use crate::prim::stream::FlowIn;
use crate::registry::StreamRole::FlowSink;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::FIFO_DEPTH;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS, INC_FRAC, SLAVE_CLOCKS, TIME_BITS};

/// Bits of LocalTime and SyncTime with their fractions.
pub const TIME_WORD_BITS: usize = TIME_BITS + INC_FRAC;
/// Bits of a sample: [31:0] phase error, [127:32] LocalTime of the R edge, [173:128] MASTER_HIGH, [219:174]
/// MASTER_LOW, [220] full, [221] time\[63:40\] is High's plus one.
pub const SAMPLE_BITS: usize = 222;

/// One tree of a slave; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeSlave {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of the R edge of what comes in this clock, 64.32 ns.
    pub local: Signal<In, Bits<TIME_WORD_BITS>>,
    /// SyncTime of that edge, 64.32 ns.
    pub sync: Signal<In, Bits<TIME_WORD_BITS>>,
    /// CLOCK_OFFSET of both banks, 1/256 ns.
    pub offset: [Signal<In, Bits<48>>; 2],
    /// Banks that are valid.
    pub offset_valid: Signal<In, Bits<2>>,
    /// SMP_POP is read.
    pub pop: Signal<In, Bit>,
    /// A sample may feed the servo.
    pub used: Signal<Out, Bit>,
    /// With `used`: phase error, signed, 1/256 ns.
    pub error: Signal<Out, Bits<ERROR_BITS>>,
    /// With `used`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    pub difference: Signal<Out, Bits<DIFFERENCE_BITS>>,
    /// The last sample popped, see [`SAMPLE_BITS`].
    pub shadow: Signal<Out, Bits<SAMPLE_BITS>>,
    /// The last pop found a sample.
    pub popped: Signal<Out, Bit>,
    /// Samples in the FIFO.
    pub level: Signal<Out, Bits<LEVEL_BITS>>,
    /// ERA_CUR.
    pub era: Signal<Out, Bits<2>>,
    /// ERA_CUR is known.
    pub era_known: Signal<Out, Bit>,
    /// Event: ERA_CUR moved on.
    pub new_era: Signal<Out, Bit>,
    /// Event: SMP_OVER.
    pub over: Signal<Out, Bit>,
    /// Event: NO_HIGH.
    pub no_high: Signal<Out, Bit>,
    /// Event: OVERLAP_BAD.
    pub overlap_bad: Signal<Out, Bit>,
    /// Event: OLD_ERA.
    pub old_era: Signal<Out, Bit>,
    /// Event: BAD_ERA.
    pub bad_era: Signal<Out, Bit>,
    /// Event: a Low came too soon and is lost.
    pub late: Signal<Out, Bit>,
    join: TimeJoin,
    fifo: SampleFifo,
}

impl TimeSlave {
    /// With a FIFO of `fifo_depth` samples, 4 to 64.
    pub fn new(fifo_depth: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            low: Default::default(),
            high: Default::default(),
            local: Default::default(),
            sync: Default::default(),
            offset: Default::default(),
            offset_valid: Default::default(),
            pop: Default::default(),
            used: Default::default(),
            error: Default::default(),
            difference: Default::default(),
            shadow: Default::default(),
            popped: Default::default(),
            level: Default::default(),
            era: Default::default(),
            era_known: Default::default(),
            new_era: Default::default(),
            over: Default::default(),
            no_high: Default::default(),
            overlap_bad: Default::default(),
            old_era: Default::default(),
            bad_era: Default::default(),
            late: Default::default(),
            join: TimeJoin::default(),
            fifo: SampleFifo::new(fifo_depth)?,
        })
    }

    /// Samples the FIFO holds.
    pub fn fifo_depth(&self) -> usize {
        self.fifo.depth()
    }
}

impl Logic for TimeSlave {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, join, fifo);
        self.join.clear.next = self.clear.val();
        FlowIn::<Bits<48>>::link(&mut self.low, &mut self.join.low);
        FlowIn::<Bits<48>>::link(&mut self.high, &mut self.join.high);
        self.join.local.next = self.local.val();
        self.join.sync.next = self.sync.val();
        for i in 0..2 {
            self.join.offset[i].next = self.offset[i].val();
        }
        self.join.offset_valid.next = self.offset_valid.val();
        self.fifo.clear.next = self.clear.val();
        self.fifo.sample.valid.next = self.join.sample.valid.val();
        self.fifo.sample.data.next = self.join.sample.data.val();
        self.fifo.pop.next = self.pop.val();
        self.used.next = self.join.used.val();
        self.error.next = self.join.error.val();
        self.difference.next = self.join.difference.val();
        self.shadow.next = self.fifo.shadow.val();
        self.popped.next = self.fifo.popped.val();
        self.level.next = self.fifo.level.val();
        self.era.next = self.join.era.val();
        self.era_known.next = self.join.era_known.val();
        self.new_era.next = self.join.new_era.val();
        self.over.next = self.fifo.over.val();
        self.no_high.next = self.join.no_high.val();
        self.overlap_bad.next = self.join.overlap_bad.val();
        self.old_era.next = self.join.old_era.val();
        self.bad_era.next = self.join.bad_era.val();
        self.late.next = self.join.late.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_slave", &[("fifo_depth", self.fifo_depth().to_string())])
    }
}

drive_ports!(impl[] TimeSlave {
    clock, clear, low, high, local, sync, offset, offset_valid, pop, used, error, difference, shadow, popped, level, era,
    era_known, new_era, over, no_high, overlap_bad, old_era, bad_era, late,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_slave",
    chapter: "20-time",
    summary: "samples of one tree's master time, joined and compared with SyncTime",
    parameters: &[ParameterInfo {
        name: "fifo_depth",
        default: FIFO_DEPTH.1 as u64,
        allowed: Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
        doc: "samples that wait for software",
    }],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "deep", values: &[("fifo_depth", 64)] },
    ],
    build: |settings| {
        let streams = [("low", FlowSink), ("high", FlowSink)];
        let interface = InterfaceInfo::clocked(&streams, Some(SLAVE_CLOCKS as u32), "low to used");
        Ok(BuiltBlock::new(TimeSlave::new(settings.get("fifo_depth")? as usize)?, interface))
    },
};
