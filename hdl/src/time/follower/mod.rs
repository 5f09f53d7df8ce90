//! `time_follower`: slave and servo of one tree (chapter 20, 4.7 and 4.9), everything of an endpoint that follows a master
//! but its counters.
//!
//! - Latency from `low`: to the sample 8 clocks, to `step` 43, to the first `adjust` 77 + log2(n) in ACQ or 93 in TRACK, to
//!   the second 128. Exact.
//! - Throughput: one Low in 121 clocks feeds the servo, one in 8 makes a sample; Lows are 2^20 ns apart.
//! - Outputs are registers. `clear`: as the two parts.

use super::servo::{TimeServo, STATE_BITS};
use super::slave::{TimeSlave, LEVEL_BITS, SAMPLE_BITS, TIME_WORD_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut};
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::FIFO_DEPTH;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS, GAIN_BITS};
use rust_hdl::prelude::*;

/// Slave and servo; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeFollower {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// EN: samples are used.
    pub enable: Signal<In, Bit>,
    /// STEP_EN: SyncTime may be stepped.
    pub step_enable: Signal<In, Bit>,
    /// FREEZE: software is the servo.
    pub freeze: Signal<In, Bit>,
    /// KP.
    pub kp: Signal<In, Bits<GAIN_BITS>>,
    /// KI.
    pub ki: Signal<In, Bits<GAIN_BITS>>,
    /// KACQ.
    pub kacq: Signal<In, Bits<GAIN_BITS>>,
    /// NCLK, core clocks.
    pub nclk: Signal<In, Bits<32>>,
    /// STEP_THR, 1/256 ns.
    pub step_thr: Signal<In, Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    pub outlier_thr: Signal<In, Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    pub lock_thr: Signal<In, Bits<16>>,
    /// LOCK_N.
    pub lock_n: Signal<In, Bits<8>>,
    /// OUTLIER_N.
    pub outlier_n: Signal<In, Bits<8>>,
    /// HOLD_N, periods.
    pub hold_n: Signal<In, Bits<8>>,
    /// HOLD_MAX, periods.
    pub hold_max: Signal<In, Bits<24>>,
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
    /// The last sample popped.
    pub shadow: Signal<Out, Bits<SAMPLE_BITS>>,
    /// The last pop found a sample.
    pub popped: Signal<Out, Bit>,
    /// Samples in the FIFO.
    pub level: Signal<Out, Bits<LEVEL_BITS>>,
    /// ERA_CUR.
    pub era: Signal<Out, Bits<2>>,
    /// ERA_CUR is known.
    pub era_known: Signal<Out, Bit>,
    /// Servo state, coded as in SERVO_STAT.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// Last phase error, signed, 1/256 ns.
    pub error: Signal<Out, Bits<ERROR_BITS>>,
    /// Events of the slave: new era, SMP_OVER, NO_HIGH, OVERLAP_BAD, OLD_ERA, BAD_ERA, a Low that came too soon, SMP_OK.
    pub slave_events: Signal<Out, Bits<8>>,
    /// Events of the servo: lock, hold-over, invalid, run of outliers, outlier, a sample that came too soon.
    pub servo_events: Signal<Out, Bits<6>>,
    /// SyncTime is to be stepped by this, signed, 1/256 ns.
    pub step: FlowOut<Bits<DIFFERENCE_BITS>>,
    /// Change of the rate, as `time_source` takes it.
    pub adjust: FlowOut<Bits<64>>,
    /// `adjust` is a slew.
    pub adjust_slew: Signal<Out, Bit>,
    slave: TimeSlave,
    servo: TimeServo,
}

impl TimeFollower {
    /// With a FIFO of `fifo_depth` samples, 4 to 64.
    pub fn new(fifo_depth: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            step_enable: Default::default(),
            freeze: Default::default(),
            kp: Default::default(),
            ki: Default::default(),
            kacq: Default::default(),
            nclk: Default::default(),
            step_thr: Default::default(),
            outlier_thr: Default::default(),
            lock_thr: Default::default(),
            lock_n: Default::default(),
            outlier_n: Default::default(),
            hold_n: Default::default(),
            hold_max: Default::default(),
            low: Default::default(),
            high: Default::default(),
            local: Default::default(),
            sync: Default::default(),
            offset: Default::default(),
            offset_valid: Default::default(),
            pop: Default::default(),
            shadow: Default::default(),
            popped: Default::default(),
            level: Default::default(),
            era: Default::default(),
            era_known: Default::default(),
            state: Default::default(),
            error: Default::default(),
            slave_events: Default::default(),
            servo_events: Default::default(),
            step: Default::default(),
            adjust: Default::default(),
            adjust_slew: Default::default(),
            slave: TimeSlave::new(fifo_depth)?,
            servo: TimeServo::default(),
        })
    }

    /// Samples the FIFO holds.
    pub fn fifo_depth(&self) -> usize {
        self.slave.fifo_depth()
    }
}

impl Logic for TimeFollower {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave, servo);
        self.slave.clear.next = self.clear.val();
        self.servo.clear.next = self.clear.val();
        FlowIn::<Bits<48>>::link(&mut self.low, &mut self.slave.low);
        FlowIn::<Bits<48>>::link(&mut self.high, &mut self.slave.high);
        self.slave.local.next = self.local.val();
        self.slave.sync.next = self.sync.val();
        for i in 0..2 {
            self.slave.offset[i].next = self.offset[i].val();
        }
        self.slave.offset_valid.next = self.offset_valid.val();
        self.slave.pop.next = self.pop.val();
        self.shadow.next = self.slave.shadow.val();
        self.popped.next = self.slave.popped.val();
        self.level.next = self.slave.level.val();
        self.era.next = self.slave.era.val();
        self.era_known.next = self.slave.era_known.val();
        self.slave_events.next = 0.into();
        self.slave_events.next = self
            .slave_events
            .val()
            .replace_bit(0, self.slave.new_era.val())
            .replace_bit(1, self.slave.over.val())
            .replace_bit(2, self.slave.no_high.val())
            .replace_bit(3, self.slave.overlap_bad.val())
            .replace_bit(4, self.slave.old_era.val())
            .replace_bit(5, self.slave.bad_era.val())
            .replace_bit(6, self.slave.late.val())
            .replace_bit(7, self.slave.used.val());

        // One tree: it never changes.
        self.servo.enable.next = self.enable.val();
        self.servo.step_enable.next = self.step_enable.val();
        self.servo.freeze.next = self.freeze.val();
        self.servo.kp.next = self.kp.val();
        self.servo.ki.next = self.ki.val();
        self.servo.kacq.next = self.kacq.val();
        self.servo.nclk.next = self.nclk.val();
        self.servo.step_thr.next = self.step_thr.val();
        self.servo.outlier_thr.next = self.outlier_thr.val();
        self.servo.lock_thr.next = self.lock_thr.val();
        self.servo.lock_n.next = self.lock_n.val();
        self.servo.outlier_n.next = self.outlier_n.val();
        self.servo.hold_n.next = self.hold_n.val();
        self.servo.hold_max.next = self.hold_max.val();
        self.servo.sample.valid.next = self.slave.used.val();
        self.servo.sample.data.next = self.slave.error.val();
        self.servo.changed_tree.next = false;
        self.servo.difference.next = self.slave.difference.val();
        FlowOut::<Bits<DIFFERENCE_BITS>>::link(&mut self.step, &mut self.servo.step);
        FlowOut::<Bits<64>>::link(&mut self.adjust, &mut self.servo.adjust);
        self.adjust_slew.next = self.servo.adjust_slew.val();
        self.state.next = self.servo.state.val();
        self.error.next = self.servo.error.val();
        self.servo_events.next = 0.into();
        self.servo_events.next = self
            .servo_events
            .val()
            .replace_bit(0, self.servo.lock.val())
            .replace_bit(1, self.servo.holdover.val())
            .replace_bit(2, self.servo.invalid.val())
            .replace_bit(3, self.servo.outlier_run.val())
            .replace_bit(4, self.servo.outlier.val())
            .replace_bit(5, self.servo.late.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_follower", &[("fifo_depth", self.slave.fifo_depth().to_string())])
    }
}

drive_ports!(impl[] TimeFollower {
    clock, clear, enable, step_enable, freeze, kp, ki, kacq, nclk, step_thr, outlier_thr, lock_thr, lock_n, outlier_n, hold_n, hold_max, low, high, local, sync, offset, offset_valid, pop, shadow, popped, level, era, era_known, state, error, slave_events, servo_events, step, adjust, adjust_slew,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_follower",
    chapter: "20-time",
    summary: "slave and servo of one tree",
    parameters: &[ParameterInfo {
        name: "fifo_depth",
        default: FIFO_DEPTH.1 as u64,
        allowed: Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
        doc: "samples that wait for software",
    }],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        let streams = [("low", FlowSink), ("high", FlowSink), ("step", FlowSource), ("adjust", FlowSource)];
        let interface = InterfaceInfo::clocked(&streams, Some(43), "low to step");
        Ok(BuiltBlock::new(TimeFollower::new(settings.get("fifo_depth")? as usize)?, interface))
    },
};
