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

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::FIFO_DEPTH;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS, INC_FRAC, SLAVE_CLOCKS, TIME_BITS};

/// Bits of LocalTime and SyncTime with their fractions.
pub const TIME_WORD_BITS: usize = TIME_BITS + INC_FRAC;
/// Bits of a sample: [31:0] phase error, [127:32] LocalTime of the R edge, [173:128] MASTER_HIGH, [219:174]
/// MASTER_LOW, [220] full, [221] time\[63:40\] is High's plus one.
pub const SAMPLE_BITS: usize = 222;

/// A sample as it lies in the FIFO.
#[packed]
pub struct Sample {
    /// Phase error, signed, 1/256 ns.
    error: Bits<32>,
    /// LocalTime of the R edge, 2^-32 ns.
    local_frac: Bits<32>,
    /// LocalTime of the R edge, ns.
    local: Bits<64>,
    /// Payload of the High: time\[63:32\].
    high_time: Bits<32>,
    /// Master index.
    high_index: Bits<8>,
    /// Quality.
    high_quality: Bits<4>,
    /// Era of the High.
    high_era: Bits<2>,
    /// Payload of the Low: time\[39:0\].
    low_time: Bits<40>,
    /// 1/16 ns.
    low_frac: Bits<4>,
    /// Era of the Low.
    low_era: Bits<2>,
    /// Joined with a High.
    full: Bit,
    /// time\[63:40\] is High's plus one.
    carry: Bit,
}

/// One tree of a slave; see the [module](self).
#[block(new)]
pub struct TimeSlave {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of the R edge of what comes in this clock, 64.32 ns.
    local: In<Bits<TIME_WORD_BITS>>,
    /// SyncTime of that edge, 64.32 ns.
    sync: In<Bits<TIME_WORD_BITS>>,
    /// CLOCK_OFFSET of both banks, 1/256 ns.
    offset: [In<Bits<48>>; 2],
    /// Banks that are valid.
    offset_valid: In<Bits<2>>,
    /// SMP_POP is read.
    pop: In<Bit>,
    /// A sample may feed the servo.
    used: Out<Bit>,
    /// With `used`: phase error, signed, 1/256 ns.
    error: Out<Bits<ERROR_BITS>>,
    /// With `used`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    difference: Out<Bits<DIFFERENCE_BITS>>,
    /// The last sample popped, see [`SAMPLE_BITS`].
    shadow: Out<Bits<SAMPLE_BITS>>,
    /// The last pop found a sample.
    popped: Out<Bit>,
    /// Samples in the FIFO.
    level: Out<Bits<LEVEL_BITS>>,
    /// ERA_CUR.
    era: Out<Bits<2>>,
    /// ERA_CUR is known.
    era_known: Out<Bit>,
    /// Event: ERA_CUR moved on.
    new_era: Out<Bit>,
    /// Event: SMP_OVER.
    over: Out<Bit>,
    /// Event: NO_HIGH.
    no_high: Out<Bit>,
    /// Event: OVERLAP_BAD.
    overlap_bad: Out<Bit>,
    /// Event: OLD_ERA.
    old_era: Out<Bit>,
    /// Event: BAD_ERA.
    bad_era: Out<Bit>,
    /// Event: a Low came too soon and is lost.
    late: Out<Bit>,
    #[wire(clock, clear)]
    join: TimeJoin,
    #[wire(clock, clear)]
    fifo: SampleFifo,
}

#[logic]
impl TimeSlave {
    /// With a FIFO of `fifo_depth` samples, 4 to 64.
    pub fn new(fifo_depth: usize) -> Result<Self, ConfigError> {
        Ok(Self { fifo: SampleFifo::new(fifo_depth)?, .. })
    }

    /// Samples the FIFO holds.
    pub fn fifo_depth(&self) -> usize {
        self.fifo.depth()
    }

    fn update(&mut self) {
        link(low, join.low);
        link(high, join.high);
        join = In { local, sync };
        for i in 0..2 {
            join.offset[i] = offset[i];
        }
        join.offset_valid = offset_valid;
        fifo.sample = In { valid: join.sample.valid, data: join.sample.data };
        fifo.pop = pop;
        Out { used, error, difference } = join;
        Out { shadow, popped, level } = fifo;
        Out { era, era_known, new_era } = join;
        over = fifo.over;
        Out { no_high, overlap_bad, old_era, bad_era, late } = join;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_slave", &[("fifo_depth", self.fifo_depth().to_string())])
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_slave",
    chapter: "20-time",
    summary: "samples of one tree's master time, joined and compared with SyncTime",
    parameters: &[ParameterInfo::new(
        "fifo_depth",
        FIFO_DEPTH.1 as u64,
        Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
        "samples that wait for software",
    )],
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
