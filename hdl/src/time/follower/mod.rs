//! `time_follower`: slave and servo (chapter 20, 4.7 and 4.9), everything of an endpoint that follows a master but its counters. Of several trees
//! there is a slave each, and the servo gets the samples of the one that `tree_selector` says.
//!
//! - Latency from `low`: to the sample 8 clocks, to `step` 43, to the first `adjust` 77 + log2(n) in ACQ or 93 in TRACK, to
//!   the second 128. Exact.
//! - Throughput: one Low in 121 clocks feeds the servo, one in 8 makes a sample; Lows are 2^20 ns apart.
//! - With one tree, Lows and Highs are taken as that tree's, whatever id they have.
//! - Outputs are registers; of several trees the event "tree change" is a gate behind them. `clear`: as the parts.

use super::selector::{TreeSelector, PRIORITY_BITS, TREE_BITS};
use super::servo::{TimeServo, STATE_BITS};
use super::slave::{TimeSlave, LEVEL_BITS, SAMPLE_BITS, TIME_WORD_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut};
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{master_time_low, FIFO_DEPTH, MAX_TREES};
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS, GAIN_BITS};
use std::array;

/// Bits of the events of the servo.
pub const SERVO_EVENTS: usize = 7;
/// Bits of the events of a tree.
pub const SLAVE_EVENTS: usize = 8;

/// Slaves of the trees 0 to `TREES` - 1 (1 to 4 trees), and a servo; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeFollower<const TREES: usize> {
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
    /// TREE_PRIO: four trees, highest priority first. Of no effect with one tree.
    pub priority: Signal<In, Bits<PRIORITY_BITS>>,
    /// SLAVE_EN by tree. Of no effect with one tree.
    pub enabled: Signal<In, Bits<MAX_TREES>>,
    /// By tree: CLOCK_OFFSET of bank 0, even eras, 1/256 ns.
    pub offset_even: [Signal<In, Bits<48>>; TREES],
    /// By tree: CLOCK_OFFSET of bank 1, odd eras, 1/256 ns.
    pub offset_odd: [Signal<In, Bits<48>>; TREES],
    /// By tree: banks that are valid.
    pub offset_valid: [Signal<In, Bits<2>>; TREES],
    /// By tree: SMP_POP is read.
    pub pop: [Signal<In, Bit>; TREES],
    /// By tree: the last sample popped.
    pub shadow: [Signal<Out, Bits<SAMPLE_BITS>>; TREES],
    /// By tree: the last pop found a sample.
    pub popped: [Signal<Out, Bit>; TREES],
    /// By tree: samples in the FIFO.
    pub level: [Signal<Out, Bits<LEVEL_BITS>>; TREES],
    /// By tree: ERA_CUR.
    pub era: [Signal<Out, Bits<2>>; TREES],
    /// By tree: ERA_CUR is known.
    pub era_known: [Signal<Out, Bit>; TREES],
    /// The tree that the servo had its last sample of.
    pub followed: Signal<Out, Bits<TREE_BITS>>,
    /// Servo state, coded as in SERVO_STAT.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// Last phase error, signed, 1/256 ns.
    pub error: Signal<Out, Bits<ERROR_BITS>>,
    /// By tree, events of the slave: new era, SMP_OVER, NO_HIGH, OVERLAP_BAD, OLD_ERA, BAD_ERA, a Low that came too soon, SMP_OK.
    pub slave_events: [Signal<Out, Bits<SLAVE_EVENTS>>; TREES],
    /// Events of the servo: lock, hold-over, invalid, run of outliers, outlier, a sample that came too soon, tree change.
    pub servo_events: Signal<Out, Bits<SERVO_EVENTS>>,
    /// SyncTime is to be stepped by this, signed, 1/256 ns.
    pub step: FlowOut<Bits<DIFFERENCE_BITS>>,
    /// Change of the rate, as `time_source` takes it.
    pub adjust: FlowOut<Bits<64>>,
    /// `adjust` is a slew.
    pub adjust_slew: Signal<Out, Bit>,
    slaves: [TimeSlave; TREES],
    selector: TreeSelector<TREES>,
    servo: TimeServo,
    low_tree: Signal<Local, Bits<TREE_BITS>>,
    high_tree: Signal<Local, Bits<TREE_BITS>>,
    numbers: [Constant<Bits<TREE_BITS>>; TREES],
    /// One tree alone.
    single: Constant<Bit>,
}

impl<const TREES: usize> TimeFollower<TREES> {
    /// With FIFOs of `fifo_depth` samples, 4 to 64.
    pub fn new(fifo_depth: usize) -> Result<Self, ConfigError> {
        let selector = TreeSelector::new()?;
        let slaves = (0..TREES).map(|_| TimeSlave::new(fifo_depth)).collect::<Result<Vec<_>, _>>()?;
        let trees = |_| ConfigError::new("time_follower", "trees", TREES, "1 to 4", "choose 1 to 4");
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
            priority: Default::default(),
            enabled: Default::default(),
            offset_even: defaults(),
            offset_odd: defaults(),
            offset_valid: defaults(),
            pop: defaults(),
            shadow: defaults(),
            popped: defaults(),
            level: defaults(),
            era: defaults(),
            era_known: defaults(),
            followed: Default::default(),
            state: Default::default(),
            error: Default::default(),
            slave_events: defaults(),
            servo_events: Default::default(),
            step: Default::default(),
            adjust: Default::default(),
            adjust_slew: Default::default(),
            slaves: slaves.try_into().map_err(trees)?,
            selector,
            servo: TimeServo::default(),
            low_tree: Default::default(),
            high_tree: Default::default(),
            numbers: array::from_fn(|tree| Constant::new((tree as u64).into())),
            single: Constant::new(TREES == 1),
        })
    }

    /// Samples that a tree's FIFO holds.
    pub fn fifo_depth(&self) -> usize {
        self.slaves.first().map_or(0, TimeSlave::fifo_depth)
    }
}

impl<const TREES: usize> Logic for TimeFollower<TREES> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, selector, servo);
        self.selector.clear.next = self.clear.val();
        self.servo.clear.next = self.clear.val();

        // To each tree what is its.
        self.low_tree.next = self.low.data.val().get_bits::<TREE_BITS>(40);
        self.high_tree.next = self.high.data.val().get_bits::<TREE_BITS>(40);
        for i in 0..TREES {
            self.slaves[i].clock.next = self.clock.val();
            self.slaves[i].clear.next = self.clear.val();
            self.slaves[i].low.valid.next =
                self.low.valid.val() & (self.single.val() | (self.low_tree.val() == self.numbers[i].val()));
            self.slaves[i].low.data.next = self.low.data.val();
            self.slaves[i].high.valid.next =
                self.high.valid.val() & (self.single.val() | (self.high_tree.val() == self.numbers[i].val()));
            self.slaves[i].high.data.next = self.high.data.val();
            self.slaves[i].local.next = self.local.val();
            self.slaves[i].sync.next = self.sync.val();
            self.slaves[i].offset[0].next = self.offset_even[i].val();
            self.slaves[i].offset[1].next = self.offset_odd[i].val();
            self.slaves[i].offset_valid.next = self.offset_valid[i].val();
            self.slaves[i].pop.next = self.pop[i].val();
            self.shadow[i].next = self.slaves[i].shadow.val();
            self.popped[i].next = self.slaves[i].popped.val();
            self.level[i].next = self.slaves[i].level.val();
            self.era[i].next = self.slaves[i].era.val();
            self.era_known[i].next = self.slaves[i].era_known.val();
            self.slave_events[i].next = 0.into();
            self.slave_events[i].next = self.slave_events[i]
                .val()
                .replace_bit(0, self.slaves[i].new_era.val())
                .replace_bit(1, self.slaves[i].over.val())
                .replace_bit(2, self.slaves[i].no_high.val())
                .replace_bit(3, self.slaves[i].overlap_bad.val())
                .replace_bit(4, self.slaves[i].old_era.val())
                .replace_bit(5, self.slaves[i].bad_era.val())
                .replace_bit(6, self.slaves[i].late.val())
                .replace_bit(7, self.slaves[i].used.val());
            self.selector.used[i].next = self.slaves[i].used.val();
            self.selector.error[i].next = self.slaves[i].error.val();
            self.selector.whole[i].next = self.slaves[i].difference.val();
        }

        // The tree that is followed.
        self.selector.priority.next = self.priority.val();
        self.selector.enabled.next = self.enabled.val();
        self.selector.hold_n.next = self.hold_n.val();
        self.selector.nclk.next = self.nclk.val();
        self.servo.sample.valid.next = self.selector.sample.valid.val();
        self.servo.sample.data.next = self.selector.sample.data.val();
        self.servo.changed_tree.next = self.selector.changed_tree.val();
        self.servo.difference.next = self.selector.difference.val();
        self.followed.next = self.selector.followed.val();

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
            .replace_bit(5, self.servo.late.val())
            .replace_bit(6, self.selector.changed_tree.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "time_follower",
            &[("fifo_depth", self.fifo_depth().to_string()), ("trees", TREES.to_string())],
        )
    }
}

drive_ports!(impl[const TREES: usize] TimeFollower<TREES> {
    clock, clear, enable, step_enable, freeze, kp, ki, kacq, nclk, step_thr, outlier_thr, lock_thr, lock_n, outlier_n, hold_n, hold_max, low, high, local, sync, priority, enabled, offset_even, offset_odd, offset_valid, pop, shadow, popped, level, era, era_known, followed, state, error, slave_events, servo_events, step, adjust, adjust_slew,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_follower",
    chapter: "20-time",
    summary: "slave of one tree or several, and servo",
    parameters: &[
        ParameterInfo {
            name: "fifo_depth",
            default: FIFO_DEPTH.1 as u64,
            allowed: Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
            doc: "samples that wait for software",
        },
        ParameterInfo {
            name: "trees",
            default: 1,
            allowed: Allowed::Range(1, MAX_TREES as u64),
            doc: "trees that can be followed",
        },
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "four", values: &[("trees", 4)] }],
    build: |settings| {
        let streams = [("low", FlowSink), ("high", FlowSink), ("step", FlowSource), ("adjust", FlowSource)];
        let interface = InterfaceInfo::clocked(&streams, Some(43), "low to step");
        let depth = settings.get("fifo_depth")? as usize;
        Ok(match settings.get("trees")? {
            1 => BuiltBlock::new(TimeFollower::<1>::new(depth)?, interface),
            2 => BuiltBlock::new(TimeFollower::<2>::new(depth)?, interface),
            3 => BuiltBlock::new(TimeFollower::<3>::new(depth)?, interface),
            _ => BuiltBlock::new(TimeFollower::<4>::new(depth)?, interface),
        })
    },
};

const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_low::tree::WIDTH == TREE_BITS);
