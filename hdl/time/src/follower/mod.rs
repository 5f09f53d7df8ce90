//! `time_follower`: slave and servo (chapter 20, 4.7 and 4.9), everything of an endpoint that follows a master but its counters. Of several trees
//! there is a slave each, and the servo gets the samples of the one that `tree_selector` says.
//!
//! - Latency from `low`: to the sample 8 clocks, to `step` 43, to the first `adjust` 77 + log2(n) in ACQ or 93 in TRACK, to
//!   the second 128. Exact.
//! - Throughput: one Low in 121 clocks feeds the servo, one in 8 makes a sample; Lows are 2^20 ns apart.
//! - With one tree, Lows and Highs are taken as that tree's, whatever id they have.
//! - Outputs are registers; of several trees the event "tree change" is a gate after them. `clear`: as the parts.

use super::selector::{TreeSelector, PRIORITY_BITS, TREE_BITS};
use super::servo::{ServoConfig, TimeServo, STATE_BITS};
use super::slave::{TimeSlave, LEVEL_BITS, SAMPLE_BITS, TIME_WORD_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{master_time_low, FIFO_DEPTH, MAX_TREES};
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS};

/// Bits of the events of the servo.
pub const SERVO_EVENTS: usize = 7;
/// Bits of the events of a tree.
pub const SLAVE_EVENTS: usize = 8;

/// The events of a tree.
#[packed]
pub struct SlaveEvents {
    /// ERA_CUR moved on.
    new_era: Bit,
    /// SMP_OVER.
    over: Bit,
    /// NO_HIGH.
    no_high: Bit,
    /// OVERLAP_BAD.
    overlap_bad: Bit,
    /// OLD_ERA.
    old_era: Bit,
    /// BAD_ERA.
    bad_era: Bit,
    /// A Low came too soon.
    late: Bit,
    /// SMP_OK.
    ok: Bit,
}

/// Slaves of the trees 0 to `TREES` - 1 (1 to 4 trees), and a servo; see the [module](self).
#[block(new)]
pub struct TimeFollower<const TREES: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Registers of the servo.
    pub settings: ServoConfig,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of the R edge of what comes in this clock, 64.32 ns.
    local: In<Bits<TIME_WORD_BITS>>,
    /// SyncTime of that edge, 64.32 ns.
    sync: In<Bits<TIME_WORD_BITS>>,
    /// TREE_PRIO: four trees, highest priority first. Of no effect with one tree.
    priority: In<Bits<PRIORITY_BITS>>,
    /// SLAVE_EN by tree. Of no effect with one tree.
    enabled: In<Bits<MAX_TREES>>,
    /// By tree: CLOCK_OFFSET of bank 0, even eras, 1/256 ns.
    offset_even: [In<Bits<48>>; TREES],
    /// By tree: CLOCK_OFFSET of bank 1, odd eras, 1/256 ns.
    offset_odd: [In<Bits<48>>; TREES],
    /// By tree: banks that are valid.
    offset_valid: [In<Bits<2>>; TREES],
    /// By tree: SMP_POP is read.
    pop: [In<Bit>; TREES],
    /// By tree: the last sample popped.
    shadow: [Out<Bits<SAMPLE_BITS>>; TREES],
    /// By tree: the last pop found a sample.
    popped: [Out<Bit>; TREES],
    /// By tree: samples in the FIFO.
    level: [Out<Bits<LEVEL_BITS>>; TREES],
    /// By tree: ERA_CUR.
    era: [Out<Bits<2>>; TREES],
    /// By tree: ERA_CUR is known.
    era_known: [Out<Bit>; TREES],
    /// The tree that the servo had its last sample of.
    followed: Out<Bits<TREE_BITS>>,
    /// Servo state, coded as in SERVO_STAT.
    state: Out<Bits<STATE_BITS>>,
    /// Last phase error, signed, 1/256 ns.
    error: Out<Bits<ERROR_BITS>>,
    /// By tree, events of the slave: new era, SMP_OVER, NO_HIGH, OVERLAP_BAD, OLD_ERA, BAD_ERA, a Low that came too soon, SMP_OK.
    slave_events: [Out<Bits<SLAVE_EVENTS>>; TREES],
    /// Events of the servo: lock, hold-over, invalid, run of outliers, outlier, a sample that came too soon, tree change.
    servo_events: Out<Bits<SERVO_EVENTS>>,
    /// SyncTime is to be stepped by this, signed, 1/256 ns.
    pub step: FlowOut<Bits<DIFFERENCE_BITS>>,
    /// Change of the rate, as `time_source` takes it.
    pub adjust: FlowOut<Bits<64>>,
    /// `adjust` is a slew.
    adjust_slew: Out<Bit>,
    #[wire(clock, clear)]
    slaves: [TimeSlave; TREES],
    #[wire(clock, clear)]
    selector: TreeSelector<TREES>,
    #[wire(clock, clear)]
    servo: TimeServo,
    #[init(|tree| tree)]
    numbers: [Constant<Bits<TREE_BITS>>; TREES],
    /// One tree alone.
    single: Constant<Bit>,
}

#[logic]
impl<const TREES: usize> TimeFollower<TREES> {
    /// With FIFOs of `fifo_depth` samples, 4 to 64.
    pub fn new(fifo_depth: usize) -> Result<Self, ConfigError> {
        let selector = TreeSelector::new()?;
        let slaves = (0..TREES).map(|_| TimeSlave::new(fifo_depth)).collect::<Result<Vec<_>, _>>()?;
        let trees = |_| ConfigError::new("time_follower", "trees", TREES, "1 to 4", "choose 1 to 4");
        Ok(Self {
            slaves: slaves.try_into().map_err(trees)?,
            selector,
            single: Constant::new(TREES == 1),
            ..
        })
    }

    /// Samples that a tree's FIFO holds.
    pub fn fifo_depth(&self) -> usize {
        self.slaves.first().map_or(0, TimeSlave::fifo_depth)
    }

    fn update(&mut self) {
        // To each tree what is its.
        let low_tree = low.data.bits::<TREE_BITS>(40);
        let high_tree = high.data.bits::<TREE_BITS>(40);
        for i in 0..TREES {
            slaves[i].low = In { valid: low.valid & (single | (low_tree == numbers[i])), data: low.data };
            slaves[i].high = In { valid: high.valid & (single | (high_tree == numbers[i])), data: high.data };
            slaves[i] = In { local, sync };
            slaves[i].offset[0] = offset_even[i];
            slaves[i].offset[1] = offset_odd[i];
            slaves[i] = In { offset_valid: offset_valid[i], pop: pop[i] };
            shadow[i] = slaves[i].shadow;
            popped[i] = slaves[i].popped;
            level[i] = slaves[i].level;
            era[i] = slaves[i].era;
            era_known[i] = slaves[i].era_known;
            slave_events[i] = 0;
            slave_events[i] = slave_events[i]
                .with(0, slaves[i].new_era)
                .with(1, slaves[i].over)
                .with(2, slaves[i].no_high)
                .with(3, slaves[i].overlap_bad)
                .with(4, slaves[i].old_era)
                .with(5, slaves[i].bad_era)
                .with(6, slaves[i].late)
                .with(7, slaves[i].used);
            selector.used[i] = slaves[i].used;
            selector.error[i] = slaves[i].error;
            selector.whole[i] = slaves[i].difference;
        }

        // The tree that is followed.
        selector = In { priority, enabled, hold_n: settings.hold_n, nclk: settings.nclk };
        servo.sample = In { valid: selector.sample.valid, data: selector.sample.data };
        servo = In { changed_tree: selector.changed_tree, difference: selector.difference };
        followed = selector.followed;

        link(settings, servo.settings);
        link(step, servo.step);
        link(adjust, servo.adjust);
        Out { adjust_slew, state, error } = servo;
        servo_events = 0;
        servo_events = servo_events
            .with(0, servo.lock)
            .with(1, servo.holdover)
            .with(2, servo.invalid)
            .with(3, servo.outlier_run)
            .with(4, servo.outlier)
            .with(5, servo.late)
            .with(6, selector.changed_tree);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "time_follower",
            &[("fifo_depth", self.fifo_depth().to_string()), ("trees", TREES.to_string())],
        )
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_follower",
    chapter: "20-time",
    summary: "slave of one tree or several, and servo",
    parameters: &[
        ParameterInfo::new(
            "fifo_depth",
            FIFO_DEPTH.1 as u64,
            Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
            "samples that wait for software",
        ),
        ParameterInfo::new("trees", 1, Allowed::Range(1, MAX_TREES as u64), "trees that can be followed"),
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "four", values: &[("trees", 4)] }],
    build: |settings| {
        shapes! {
            settings: (trees) => build_as [trees];
            presets { (1) (4) }
        }
    },
};

/// Builds the block for so many trees.
pub fn build_as<const TREES: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("low", FlowSink), ("high", FlowSink), ("step", FlowSource), ("adjust", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(43), "low to step");
    Ok(BuiltBlock::new(TimeFollower::<TREES>::new(settings.size("fifo_depth")?)?, interface))
}

const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_low::tree::WIDTH == TREE_BITS);
