//! `time_slave` clock by clock.

use crate::time::slave::{Sample, SampleVerdict};
use crate::time::source::Time96;
use crate::time::{TimeConfigError, TimeHigh, TimeLow, TreeSlave};
use flitforge_protocol::time_servo::SLAVE_CLOCKS;

/// Clock after a Low's in which it is joined: the High of its beat comes in the clock between.
const JOIN_CLOCK: u64 = 2;

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlaveInputs {
    /// `clear`.
    pub clear: bool,
    /// A Low, corrected by the rx lag.
    pub low: Option<TimeLow>,
    /// A High.
    pub high: Option<TimeHigh>,
    /// LocalTime of this edge.
    pub local: Time96,
    /// SyncTime of this edge.
    pub sync: Time96,
    /// CLOCK_OFFSET of both banks, `None` if not valid.
    pub offsets: [Option<u64>; 2],
    /// SMP_POP.
    pub pop: bool,
}

/// Outputs before an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlaveOutputs {
    /// A sample is stored.
    pub sample: Option<Sample>,
    /// It may feed the servo: the whole difference, 1/256 ns.
    pub used: Option<i128>,
    /// ERA_CUR.
    pub era: Option<u8>,
    /// ERA_CUR moved on.
    pub new_era: bool,
    /// NO_HIGH.
    pub no_high: bool,
    /// OVERLAP_BAD.
    pub overlap_bad: bool,
    /// OLD_ERA.
    pub old_era: bool,
    /// BAD_ERA.
    pub bad_era: bool,
    /// A Low came while one was worked on, and is lost.
    pub late: bool,
    /// SMP_OVER.
    pub over: bool,
    /// Samples in the FIFO.
    pub level: usize,
    /// The shadow registers and whether the last pop found a sample.
    pub shadow: Option<Sample>,
    /// See `shadow`.
    pub popped: bool,
}

/// The block: one tree.
#[derive(Debug, Clone)]
pub struct ClockedSlave {
    slave: TreeSlave,
    /// Clocks since the Low that is worked on, the Low, and its LocalTime and SyncTime.
    job: Option<(u64, TimeLow, Time96, Time96)>,
    /// What the Low led to, until it shows.
    result: SlaveOutputs,
    local_before: Time96,
    /// A pop on its way to the shadow registers: what it found.
    popping: Option<Option<Sample>>,
    outputs: SlaveOutputs,
}

impl ClockedSlave {
    /// With a FIFO of `depth` samples, 4 to 64.
    pub fn new(depth: usize) -> Result<Self, TimeConfigError> {
        Ok(Self {
            slave: TreeSlave::new(depth)?,
            job: None,
            result: SlaveOutputs::default(),
            local_before: 0,
            popping: None,
            outputs: SlaveOutputs::default(),
        })
    }

    /// The registers.
    #[must_use]
    pub const fn outputs(&self) -> SlaveOutputs {
        self.outputs
    }

    /// An edge.
    pub fn clock(&mut self, inputs: SlaveInputs) {
        let before = self.outputs;
        self.outputs = SlaveOutputs { shadow: before.shadow, popped: before.popped, ..Default::default() };
        self.fifo(inputs.pop, before.sample);
        self.low(&inputs);
        if let Some(high) = inputs.high {
            self.slave.receive_high(high, self.local_before);
        }
        self.local_before = inputs.local;
        if inputs.clear {
            self.slave.clear();
            (self.job, self.popping) = (None, None);
            self.outputs = SlaveOutputs { shadow: self.outputs.shadow, ..Default::default() };
        }
        self.outputs.era = self.slave.era();
        self.outputs.level = self.slave.level();
    }

    fn fifo(&mut self, pop: bool, sample: Option<Sample>) {
        if let Some(found) = self.popping.take() {
            self.outputs.shadow = found.or(self.outputs.shadow);
            self.outputs.popped = found.is_some();
        }
        self.popping = pop.then(|| self.slave.pop());
        self.outputs.over = sample.is_some_and(|sample| self.slave.store(sample));
    }

    fn low(&mut self, inputs: &SlaveInputs) {
        let Some((age, low, local, sync)) = &mut self.job else {
            self.job = inputs.low.map(|low| (1, low, inputs.local, inputs.sync));
            return;
        };
        self.outputs.late = inputs.low.is_some();
        if *age == JOIN_CLOCK {
            for (bank, offset) in inputs.offsets.iter().enumerate() {
                self.slave.set_offset(bank, offset.map(|offset| offset as i64));
            }
            self.result = judged(&mut self.slave, *low, *local, *sync);
        }
        *age += 1;
        if *age == SLAVE_CLOCKS {
            let late = self.outputs.late;
            let kept = (self.outputs.over, self.outputs.shadow, self.outputs.popped);
            self.outputs = self.result;
            (self.outputs.over, self.outputs.shadow, self.outputs.popped) = kept;
            self.outputs.late = late;
            self.job = None;
        }
    }
}

fn judged(slave: &mut TreeSlave, low: TimeLow, local: Time96, sync: Time96) -> SlaveOutputs {
    let (before, era) = (slave.counters, slave.era());
    let (verdict, sample) = slave.judge(low, local, sync);
    let after = slave.counters;
    let used = match verdict {
        SampleVerdict::Use { difference, .. } => Some(difference),
        _ => None,
    };
    let new_era = era.is_some() && era != slave.era();
    SlaveOutputs {
        sample,
        used,
        new_era,
        no_high: after.no_high != before.no_high,
        overlap_bad: after.overlap_bad != before.overlap_bad,
        old_era: after.old_era != before.old_era,
        bad_era: after.bad_era != before.bad_era,
        ..SlaveOutputs::default()
    }
}
