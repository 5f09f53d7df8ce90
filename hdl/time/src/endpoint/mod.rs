//! `time_endpoint`: the time of a device that is a master, a slave, or both (chapter 20, 4.1, 4.6, 4.7 and 4.9):
//! counters, generator, and a follower of the trees 0 to `TREES` - 1.
//!
//! `low` and `high` come `delayed` clocks after the clock that their R edge ends: 0, or what the blocks in front take, by which LocalTime
//! and SyncTime go to the slave late. Registers come as inputs and writes; what a device does with them is the business of
//! the block around it.
//!
//! A build without a follower or without a generator ([`TimeEndpoint::parts`]) holds those outputs at 0, so synthesis leaves the part out.
//!
//! - Latency of its parts; from `low` to the step of `sync` 52 clocks. Exact.
//! - Outputs as those of the parts. `clear` clears all of them.

use super::follower::{TimeFollower, SERVO_EVENTS, SLAVE_EVENTS};
use super::generator::{TimeGen, BEAT_BITS};
use super::selector::{PRIORITY_BITS, TREE_BITS};
use super::servo::{ServoConfig, STATE_BITS};
use super::slave::{LEVEL_BITS, SAMPLE_BITS, TIME_WORD_BITS};
use super::source::{TimeSource, WRITE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Delay;
use flitforge_protocol::time::{FIFO_DEPTH, LAG_BITS, MAX_TREES};
use flitforge_protocol::time_servo::{
    ERROR_BITS, F_ACC_BITS, INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS, SLEW_CNT_BITS, SLEW_P_BITS,
    SYNC_EPOCH_BITS,
};

/// A device's time, 1 to 4 trees; see the [module](self).
#[block(new)]
pub struct TimeEndpoint<const TREES: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Registers of the servo.
    pub settings: ServoConfig,
    /// GEN_EN.
    generate: In<Bit>,
    /// Generation begins with this era.
    pub start: FlowIn<Bits<2>>,
    /// The next step of SyncTime raises the era: SET_CMD, in the clock of `stepped`.
    new_era: In<Bit>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// GEN_PERIOD, 2^20 ns; 0 = off.
    period: In<Bits<12>>,
    /// GEN_PHASE, 2^12 ns.
    phase: In<Bits<16>>,
    /// HIGH_EVERY, Lows.
    high_every: In<Bits<8>>,
    /// HIGH_MODE: a High has a beat of its own, before its Low.
    separate: In<Bit>,
    /// Master id.
    tree: In<Bits<2>>,
    /// Master index.
    index: In<Bits<8>>,
    /// Quality.
    quality: In<Bits<4>>,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
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
    /// A write to the registers of `time_source`.
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// SLEW_N, core clocks.
    slew_n: In<Bits<SLEW_CNT_BITS>>,
    /// LOCAL_TIME is read: the shadow set is loaded.
    read: In<Bit>,
    /// Beats for the link: slot 0 a Low or a High, slot 1 the Low's High.
    pub time_out: StreamOut<Bits<BEAT_BITS>>,
    /// LocalTime, 64.32 ns.
    local: Out<Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    sync: Out<Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    epoch: Out<Bits<SYNC_EPOCH_BITS>>,
    /// WPER, 6.20 ns.
    wper: Out<Bits<PERIOD_BITS>>,
    /// Shadow set: LocalTime.
    shadow_local: Out<Bits<TIME_WORD_BITS>>,
    /// Shadow set: SyncTime.
    shadow_sync: Out<Bits<TIME_WORD_BITS>>,
    /// Shadow set: SYNC_EPOCH.
    shadow_epoch: Out<Bits<SYNC_EPOCH_BITS>>,
    /// INC_NOM.
    inc_nom: Out<Bits<INC_BITS>>,
    /// LIMITS.
    limits: Out<Bits<64>>,
    /// F_ACC.
    f_acc: Out<Bits<F_ACC_BITS>>,
    /// SLEW_P.
    slew_p: Out<Bits<SLEW_P_BITS>>,
    /// SLEW_CNT: clocks left.
    slew_left: Out<Bits<SLEW_CNT_BITS>>,
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
    /// Event: GEN_LOW.
    sent_low: Out<Bit>,
    /// Event: GEN_HIGH.
    sent_high: Out<Bit>,
    /// Event: STEPS.
    stepped: Out<Bit>,
    /// Event: CLAMPS.
    clamped: Out<Bit>,
    /// Event: REFUSED.
    refused: Out<Bit>,
    #[wire(clock, clear)]
    source: TimeSource,
    #[wire(clock, clear)]
    generator: TimeGen,
    #[wire(clock, clear)]
    follower: TimeFollower<TREES>,
    late: [Delay<Bits<TIME_WORD_BITS>>; 2],
    #[init(true)]
    follows: Constant<Bit>,
    #[init(true)]
    generates: Constant<Bit>,
}

#[logic]
impl<const TREES: usize> TimeEndpoint<TREES> {
    /// With this INC_NOM at power-on (2^-32 ns per clock) and a FIFO of `fifo_depth` samples, 4 to 64, `low` and `high` of this clock's
    /// R edge.
    pub fn new(inc_nom: u64, fifo_depth: usize) -> Result<Self, ConfigError> {
        Self::delayed(inc_nom, fifo_depth, 0)
    }

    /// The same with `low` and `high` that come so many clocks after the clock that their R edge ends, at most 64.
    pub fn delayed(inc_nom: u64, fifo_depth: usize, clocks: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            source: TimeSource::new(inc_nom)?,
            follower: TimeFollower::new(fifo_depth)?,
            late: [Delay::compact(clocks)?, Delay::compact(clocks)?],
            ..
        })
    }

    /// The same without what `follows` (slave and servo) or `generates` (the generator) being false leaves out: its outputs are 0.
    #[must_use]
    pub fn parts(mut self, follows: bool, generates: bool) -> Self {
        self.follows = Constant::new(follows);
        self.generates = Constant::new(generates);
        self
    }

    /// Clocks by which `low` and `high` may be late.
    pub fn delayed_clocks(&self) -> usize {
        self.late[0].clocks()
    }

    fn update(&mut self) {
        // The same as a signal, since what hangs on constants alone has no value in simulators of Verilog before something changes.
        let following = follows;
        let generating = generates;

        // The counters, moved by the servo and by writes.
        link(write, source.write);
        source.step = In { valid: follower.step.valid & follows, data: 0 };
        source.adjust = In { valid: follower.adjust.valid & follows, data: 0 };
        if following {
            source.step.data = follower.step.data;
            source.adjust.data = follower.adjust.data;
        }
        source = In { adjust_slew: follower.adjust_slew & follows, slew_n, read };
        Out { local, sync, epoch, wper, shadow_local, shadow_sync, shadow_epoch, inc_nom, limits } = source;
        Out { f_acc, slew_p, slew_left, stepped, clamped, refused } = source;

        // The master.
        generator.enable = generate & generates;
        link(start, generator.start);
        generator = In { new_era: new_era & source.stepped, stepped: source.stepped, sync: source.sync };
        generator =
            In { look_ahead: source.look_ahead, lag, period, phase, high_every, separate, tree, index };
        generator.quality = quality;
        generator.time_out.ready = time_out.ready;
        time_out = In { valid: generator.time_out.valid & generates, data: 0 };
        if generating {
            time_out.data = generator.time_out.data;
        }
        sent_low = generator.sent_low & generates;
        sent_high = generator.sent_high & generates;

        // The slave.
        link(settings, follower.settings);
        link(low, follower.low);
        link(high, follower.high);
        late[0].clock = clock;
        late[1].clock = clock;
        late[0].d = source.local;
        late[1].d = source.sync;
        follower = In { local: late[0].q, sync: late[1].q, priority, enabled };
        // Without a follower they are 0.
        followed = 0;
        state = 0;
        error = 0;
        servo_events = 0;
        if following {
            Out { followed, state, error, servo_events } = follower;
        }
        for i in 0..TREES {
            follower.offset_even[i] = offset_even[i];
            follower.offset_odd[i] = offset_odd[i];
            follower.offset_valid[i] = offset_valid[i];
            follower.pop[i] = pop[i];
            shadow[i] = 0;
            popped[i] = false;
            level[i] = 0;
            era[i] = 0;
            era_known[i] = false;
            slave_events[i] = 0;
            if following {
                shadow[i] = follower.shadow[i];
                popped[i] = follower.popped[i];
                level[i] = follower.level[i];
                era[i] = follower.era[i];
                era_known[i] = follower.era_known[i];
                slave_events[i] = follower.slave_events[i];
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "time_endpoint",
            &[
                ("inc_nom", format!("0x{:x}", self.source.power_on())),
                ("fifo_depth", self.follower.fifo_depth().to_string()),
                ("trees", TREES.to_string()),
                ("delayed", self.late[0].clocks().to_string()),
                ("follows", self.follows.val().to_string()),
                ("generates", self.generates.val().to_string()),
            ],
        )
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_endpoint",
    chapter: "20-time",
    summary: "time of a device that is a master, a slave, or both",
    parameters: &[
        ParameterInfo::new(
            "inc_nom",
            INC_NOM_DEFAULT,
            Allowed::Range(1, (1 << INC_BITS) - 1),
            "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
        ),
        ParameterInfo::new(
            "fifo_depth",
            FIFO_DEPTH.1 as u64,
            Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
            "samples that wait for software",
        ),
        ParameterInfo::new("trees", 1, Allowed::Range(1, MAX_TREES as u64), "trees that can be followed"),
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "two", values: &[("trees", 2)] }],
    build: |settings| {
        shapes! {
            settings: (trees) => build_as [trees];
            presets { (1) (2) }
        }
    },
};

/// Builds the block for so many trees.
pub fn build_as<const TREES: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("start", FlowSink),
        ("low", FlowSink),
        ("high", FlowSink),
        ("write", StreamSink),
        ("time_out", StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(52), "low to the step of sync");
    let (inc_nom, depth) = (settings.get("inc_nom")?, settings.size("fifo_depth")?);
    Ok(BuiltBlock::new(TimeEndpoint::<TREES>::new(inc_nom, depth)?, interface))
}
