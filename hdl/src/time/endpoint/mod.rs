//! `time_endpoint`: the time of a device that is a master, a slave, or both (chapter 20, 4.1, 4.6, 4.7 and 4.9):
//! counters, generator, and a follower of the trees 0 to `TREES` - 1.
//!
//! `low` and `high` come `behind` clocks behind the clock that their R edge ends: 0, or what the blocks in front take, by which LocalTime
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
use super::servo::STATE_BITS;
use super::slave::{LEVEL_BITS, SAMPLE_BITS, TIME_WORD_BITS};
use super::source::{TimeSource, WRITE_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, StreamIn, StreamOut};
use crate::prim::Delay;
use crate::registry::StreamRole::{FlowSink, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{FIFO_DEPTH, LAG_BITS, MAX_TREES};
use flitforge_protocol::time_servo::{
    ERROR_BITS, F_ACC_BITS, GAIN_BITS, INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS, SLEW_CNT_BITS, SLEW_P_BITS,
    SYNC_EPOCH_BITS,
};

/// A device's time, 1 to 4 trees; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeEndpoint<const TREES: usize> {
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
    /// GEN_EN.
    pub generate: Signal<In, Bit>,
    /// Generation begins with this era.
    pub start: FlowIn<Bits<2>>,
    /// The next step of SyncTime raises the era: SET_CMD, in the clock of `stepped`.
    pub new_era: Signal<In, Bit>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// GEN_PERIOD, 2^20 ns; 0 = off.
    pub period: Signal<In, Bits<12>>,
    /// GEN_PHASE, 2^12 ns.
    pub phase: Signal<In, Bits<16>>,
    /// HIGH_EVERY, Lows.
    pub high_every: Signal<In, Bits<8>>,
    /// HIGH_MODE: a High has a beat of its own, before its Low.
    pub separate: Signal<In, Bit>,
    /// Master id.
    pub tree: Signal<In, Bits<2>>,
    /// Master index.
    pub index: Signal<In, Bits<8>>,
    /// Quality.
    pub quality: Signal<In, Bits<4>>,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
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
    /// A write to the registers of `time_source`.
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// SLEW_N, core clocks.
    pub slew_n: Signal<In, Bits<SLEW_CNT_BITS>>,
    /// LOCAL_TIME is read: the shadow set is loaded.
    pub read: Signal<In, Bit>,
    /// Beats for the link: slot 0 a Low or a High, slot 1 the Low's High.
    pub time_out: StreamOut<Bits<BEAT_BITS>>,
    /// LocalTime, 64.32 ns.
    pub local: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    pub sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    pub epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
    /// WPER, 6.20 ns.
    pub wper: Signal<Out, Bits<PERIOD_BITS>>,
    /// Shadow set: LocalTime.
    pub shadow_local: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// Shadow set: SyncTime.
    pub shadow_sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// Shadow set: SYNC_EPOCH.
    pub shadow_epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
    /// INC_NOM.
    pub inc_nom: Signal<Out, Bits<INC_BITS>>,
    /// LIMITS.
    pub limits: Signal<Out, Bits<64>>,
    /// F_ACC.
    pub f_acc: Signal<Out, Bits<F_ACC_BITS>>,
    /// SLEW_P.
    pub slew_p: Signal<Out, Bits<SLEW_P_BITS>>,
    /// SLEW_CNT: clocks left.
    pub slew_left: Signal<Out, Bits<SLEW_CNT_BITS>>,
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
    /// Event: GEN_LOW.
    pub sent_low: Signal<Out, Bit>,
    /// Event: GEN_HIGH.
    pub sent_high: Signal<Out, Bit>,
    /// Event: STEPS.
    pub stepped: Signal<Out, Bit>,
    /// Event: CLAMPS.
    pub clamped: Signal<Out, Bit>,
    /// Event: REFUSED.
    pub refused: Signal<Out, Bit>,
    source: TimeSource,
    generator: TimeGen,
    follower: TimeFollower<TREES>,
    late: [Delay<Bits<TIME_WORD_BITS>>; 2],
    follows: Constant<Bit>,
    /// The same as a signal, since what hangs on constants alone has no value in simulators of Verilog before something changes.
    following: Signal<Local, Bit>,
    generates: Constant<Bit>,
    generating: Signal<Local, Bit>,
}

impl<const TREES: usize> TimeEndpoint<TREES> {
    /// With this INC_NOM at power-on (2^-32 ns per clock) and a FIFO of `fifo_depth` samples, 4 to 64, `low` and `high` of this clock's
    /// R edge.
    pub fn new(inc_nom: u64, fifo_depth: usize) -> Result<Self, ConfigError> {
        Self::behind(inc_nom, fifo_depth, 0)
    }

    /// The same with `low` and `high` that come so many clocks behind the clock that their R edge ends, at most 64.
    pub fn behind(inc_nom: u64, fifo_depth: usize, clocks: usize) -> Result<Self, ConfigError> {
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
            generate: Default::default(),
            start: Default::default(),
            new_era: Default::default(),
            lag: Default::default(),
            period: Default::default(),
            phase: Default::default(),
            high_every: Default::default(),
            separate: Default::default(),
            tree: Default::default(),
            index: Default::default(),
            quality: Default::default(),
            low: Default::default(),
            high: Default::default(),
            priority: Default::default(),
            enabled: Default::default(),
            offset_even: defaults(),
            offset_odd: defaults(),
            offset_valid: defaults(),
            pop: defaults(),
            write: Default::default(),
            slew_n: Default::default(),
            read: Default::default(),
            time_out: Default::default(),
            local: Default::default(),
            sync: Default::default(),
            epoch: Default::default(),
            wper: Default::default(),
            shadow_local: Default::default(),
            shadow_sync: Default::default(),
            shadow_epoch: Default::default(),
            inc_nom: Default::default(),
            limits: Default::default(),
            f_acc: Default::default(),
            slew_p: Default::default(),
            slew_left: Default::default(),
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
            sent_low: Default::default(),
            sent_high: Default::default(),
            stepped: Default::default(),
            clamped: Default::default(),
            refused: Default::default(),
            source: TimeSource::new(inc_nom)?,
            generator: TimeGen::default(),
            follower: TimeFollower::new(fifo_depth)?,
            late: [Delay::compact(clocks)?, Delay::compact(clocks)?],
            follows: Constant::new(true),
            following: Default::default(),
            generates: Constant::new(true),
            generating: Default::default(),
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
    pub fn behind_clocks(&self) -> usize {
        self.late[0].clocks()
    }
}

impl<const TREES: usize> Logic for TimeEndpoint<TREES> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, source, generator, follower);
        self.source.clear.next = self.clear.val();
        self.generator.clear.next = self.clear.val();
        self.follower.clear.next = self.clear.val();

        self.following.next = self.follows.val();
        self.generating.next = self.generates.val();

        // The counters, moved by the servo and by writes.
        StreamIn::<Bits<WRITE_BITS>>::link(&mut self.write, &mut self.source.write);
        self.source.step.valid.next = self.follower.step.valid.val() & self.follows.val();
        self.source.step.data.next = 0.into();
        self.source.adjust.valid.next = self.follower.adjust.valid.val() & self.follows.val();
        self.source.adjust.data.next = 0.into();
        if self.following.val() {
            self.source.step.data.next = self.follower.step.data.val();
            self.source.adjust.data.next = self.follower.adjust.data.val();
        }
        self.source.adjust_slew.next = self.follower.adjust_slew.val() & self.follows.val();
        self.source.slew_n.next = self.slew_n.val();
        self.source.read.next = self.read.val();
        self.local.next = self.source.local.val();
        self.sync.next = self.source.sync.val();
        self.epoch.next = self.source.epoch.val();
        self.wper.next = self.source.wper.val();
        self.shadow_local.next = self.source.shadow_local.val();
        self.shadow_sync.next = self.source.shadow_sync.val();
        self.shadow_epoch.next = self.source.shadow_epoch.val();
        self.inc_nom.next = self.source.inc_nom.val();
        self.limits.next = self.source.limits.val();
        self.f_acc.next = self.source.f_acc.val();
        self.slew_p.next = self.source.slew_p.val();
        self.slew_left.next = self.source.slew_left.val();
        self.stepped.next = self.source.stepped.val();
        self.clamped.next = self.source.clamped.val();
        self.refused.next = self.source.refused.val();

        // The master.
        self.generator.enable.next = self.generate.val() & self.generates.val();
        FlowIn::<Bits<2>>::link(&mut self.start, &mut self.generator.start);
        self.generator.new_era.next = self.new_era.val() & self.source.stepped.val();
        self.generator.stepped.next = self.source.stepped.val();
        self.generator.sync.next = self.source.sync.val();
        self.generator.ahead.next = self.source.ahead.val();
        self.generator.lag.next = self.lag.val();
        self.generator.period.next = self.period.val();
        self.generator.phase.next = self.phase.val();
        self.generator.high_every.next = self.high_every.val();
        self.generator.separate.next = self.separate.val();
        self.generator.tree.next = self.tree.val();
        self.generator.index.next = self.index.val();
        self.generator.quality.next = self.quality.val();
        self.generator.time_out.ready.next = self.time_out.ready.val();
        self.time_out.valid.next = self.generator.time_out.valid.val() & self.generates.val();
        self.time_out.data.next = 0.into();
        if self.generating.val() {
            self.time_out.data.next = self.generator.time_out.data.val();
        }
        self.sent_low.next = self.generator.sent_low.val() & self.generates.val();
        self.sent_high.next = self.generator.sent_high.val() & self.generates.val();

        // The slave.
        self.follower.enable.next = self.enable.val();
        self.follower.step_enable.next = self.step_enable.val();
        self.follower.freeze.next = self.freeze.val();
        self.follower.kp.next = self.kp.val();
        self.follower.ki.next = self.ki.val();
        self.follower.kacq.next = self.kacq.val();
        self.follower.nclk.next = self.nclk.val();
        self.follower.step_thr.next = self.step_thr.val();
        self.follower.outlier_thr.next = self.outlier_thr.val();
        self.follower.lock_thr.next = self.lock_thr.val();
        self.follower.lock_n.next = self.lock_n.val();
        self.follower.outlier_n.next = self.outlier_n.val();
        self.follower.hold_n.next = self.hold_n.val();
        self.follower.hold_max.next = self.hold_max.val();
        FlowIn::<Bits<48>>::link(&mut self.low, &mut self.follower.low);
        FlowIn::<Bits<48>>::link(&mut self.high, &mut self.follower.high);
        self.late[0].clock.next = self.clock.val();
        self.late[1].clock.next = self.clock.val();
        self.late[0].d.next = self.source.local.val();
        self.late[1].d.next = self.source.sync.val();
        self.follower.local.next = self.late[0].q.val();
        self.follower.sync.next = self.late[1].q.val();
        self.follower.priority.next = self.priority.val();
        self.follower.enabled.next = self.enabled.val();
        // Without a follower they are 0.
        self.followed.next = 0.into();
        self.state.next = 0.into();
        self.error.next = 0.into();
        self.servo_events.next = 0.into();
        if self.following.val() {
            self.followed.next = self.follower.followed.val();
            self.state.next = self.follower.state.val();
            self.error.next = self.follower.error.val();
            self.servo_events.next = self.follower.servo_events.val();
        }
        for i in 0..TREES {
            self.follower.offset_even[i].next = self.offset_even[i].val();
            self.follower.offset_odd[i].next = self.offset_odd[i].val();
            self.follower.offset_valid[i].next = self.offset_valid[i].val();
            self.follower.pop[i].next = self.pop[i].val();
            self.shadow[i].next = 0.into();
            self.popped[i].next = false;
            self.level[i].next = 0.into();
            self.era[i].next = 0.into();
            self.era_known[i].next = false;
            self.slave_events[i].next = 0.into();
            if self.following.val() {
                self.shadow[i].next = self.follower.shadow[i].val();
                self.popped[i].next = self.follower.popped[i].val();
                self.level[i].next = self.follower.level[i].val();
                self.era[i].next = self.follower.era[i].val();
                self.era_known[i].next = self.follower.era_known[i].val();
                self.slave_events[i].next = self.follower.slave_events[i].val();
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
                ("behind", self.late[0].clocks().to_string()),
                ("follows", self.follows.val().to_string()),
                ("generates", self.generates.val().to_string()),
            ],
        )
    }
}

drive_ports!(impl[const TREES: usize] TimeEndpoint<TREES> {
    clock, clear, enable, step_enable, freeze, kp, ki, kacq, nclk, step_thr, outlier_thr, lock_thr, lock_n, outlier_n, hold_n, hold_max, generate, start, new_era, lag, period, phase, high_every, separate, tree, index, quality, low, high, priority, enabled, offset_even, offset_odd, offset_valid, pop, write, slew_n, read, time_out, local, sync, epoch, wper, shadow_local, shadow_sync, shadow_epoch, inc_nom, limits, f_acc, slew_p, slew_left, shadow, popped, level, era, era_known, followed, state, error, slave_events, servo_events, sent_low, sent_high, stepped, clamped, refused,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_endpoint",
    chapter: "20-time",
    summary: "time of a device that is a master, a slave, or both",
    parameters: &[
        ParameterInfo {
            name: "inc_nom",
            default: INC_NOM_DEFAULT,
            allowed: Allowed::Range(1, (1 << INC_BITS) - 1),
            doc: "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
        },
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
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "two", values: &[("trees", 2)] }],
    build: |settings| {
        let streams = [
            ("start", FlowSink),
            ("low", FlowSink),
            ("high", FlowSink),
            ("write", StreamSink),
            ("time_out", StreamSource),
        ];
        let interface = InterfaceInfo::clocked(&streams, Some(52), "low to the step of sync");
        let depth = settings.get("fifo_depth")? as usize;
        let inc_nom = settings.get("inc_nom")?;
        Ok(match settings.get("trees")? {
            1 => BuiltBlock::new(TimeEndpoint::<1>::new(inc_nom, depth)?, interface),
            2 => BuiltBlock::new(TimeEndpoint::<2>::new(inc_nom, depth)?, interface),
            3 => BuiltBlock::new(TimeEndpoint::<3>::new(inc_nom, depth)?, interface),
            _ => BuiltBlock::new(TimeEndpoint::<4>::new(inc_nom, depth)?, interface),
        })
    },
};
