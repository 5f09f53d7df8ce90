//! `time_device`: the time of a device with its register page (chapter 20, 5): `time_endpoint`, `time_page` and a window for each tree
//! that it can follow, from tree 0 on.
//!
//! What a manager reads and writes is all here but for the ports and the rings, whose windows (`time_port_page`,
//! `time_ring_page`) answer over the window bus that goes out. A device with `time_extract` in front of `low` and `high`, fed with `slave_en`,
//! is a slave of these trees; one whose `time_out` goes to a link is a master of any tree.
//!
//! - Latency of its parts: `ack` 6 clocks behind a request and more (`time_page`), from `low` to the step of `sync` 52. Exact.
//! - The FIFO's shadow and the shadow set are each of one sample and one edge, whatever comes while they are read.
//! - `inc_f` is INC_NOM + F_ACC, 1 clock behind the registers.
//! - A device is master or slave of a tree: while GEN_EN is set, `slave_en` of the tree it generates is 0.
//! - [`TimeDevice::new`] takes `low` and `high` in the clock that their R edge ends; [`TimeDevice::at_link`] as late as `time_extract` at
//!   plane R gives them, and with one flit per beat HIGH_MODE counts as 1.
//! - Outputs as those of the parts. `clear` clears all of them; configuration and counters stay.

use crate::config::{check_derived, ConfigError};
use crate::prim::stream::{FlowIn, StreamOut};
use crate::registry::StreamRole::{FlowSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use crate::time::endpoint::TimeEndpoint;
use crate::time::follower::{SERVO_EVENTS, SLAVE_EVENTS};
use crate::time::generator::BEAT_BITS;
use crate::time::page::{
    TimePage, TimePageConfig, TimeTreePage, MAX_PORTS, PAGE_WORD_BITS, PORT_BITS, TREE_WORD_BITS, WORD_BITS,
};
use crate::time::servo::STATE_BITS;
use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{EXTRACT_CLOCKS, FIFO_DEPTH, GEN_PERIOD_DEFAULT, LAG_BITS, MAX_TREES};
use flitforge_protocol::time_registers::gen_cfg;
use flitforge_protocol::time_servo::{ServoState, INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS, SYNC_EPOCH_BITS};

/// Clocks that a Low comes behind the clock that its R edge ends: an R edge begins the clock in which the flit stands at plane R.
pub const BEHIND_CLOCKS: usize = EXTRACT_CLOCKS as usize + 1;

/// A device's time and its page, 1 to 4 trees; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeDevice<const TREES: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Register bus: word of the page.
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// Register bus: value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Register bus: asks for a write.
    pub we: Signal<In, Bit>,
    /// Register bus: asks for a read.
    pub re: Signal<In, Bit>,
    /// Register bus: with `ack` of a read, the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// Register bus: the request is done.
    pub ack: Signal<Out, Bit>,
    /// Some event of EVENT_MASK has happened.
    pub interrupt: Signal<Out, Bit>,
    /// Windows: word of the window, see `time_page`.
    pub word: Signal<Out, Bits<WORD_BITS>>,
    /// Windows: value of a write.
    pub data: Signal<Out, Bits<64>>,
    /// Windows: it is a write.
    pub write: Signal<Out, Bit>,
    /// Windows: a request for the rings.
    pub to_ring: Signal<Out, Bit>,
    /// Windows: a request for the port `port`.
    pub to_port: Signal<Out, Bit>,
    /// PORT_SEL.
    pub port: Signal<Out, Bits<PORT_BITS>>,
    /// Answer of the rings' window, 0 but with `valid`.
    pub ring_answer: FlowIn<Bits<64>>,
    /// Answers of the ports' windows, 0 but with `valid`.
    pub port_answer: FlowIn<Bits<64>>,
    /// Event: a port refused a write.
    pub port_refused: Signal<In, Bit>,
    /// Event: the link of a port has changed.
    pub epoch_changed: Signal<In, Bit>,
    /// Event: a link delay measurement ended.
    pub ldm_done: Signal<In, Bit>,
    /// Payload of a MasterTimeLow, corrected by the rx lag; LocalTime and SyncTime of its clock count.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// Beats for the link: slot 0 a Low or a High, slot 1 the Low's High.
    pub time_out: StreamOut<Bits<BEAT_BITS>>,
    /// LocalTime, 64.32 ns.
    pub local: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    pub sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    pub sync_epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
    /// Servo state, coded as in SERVO_STAT.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// The servo is in TRACK.
    pub locked: Signal<Out, Bit>,
    /// WPER, 6.20 ns.
    pub wper: Signal<Out, Bits<PERIOD_BITS>>,
    /// INC_F, 2^-32 ns per clock; moves with the servo.
    pub inc_f: Signal<Out, Bits<INC_BITS>>,
    /// SLAVE_EN by tree, 0 for the tree that is generated.
    pub slave_en: Signal<Out, Bits<4>>,
    page: TimePage,
    tree: [TimeTreePage; TREES],
    endpoint: TimeEndpoint<TREES>,
    frequency: DFF<Bits<INC_BITS>>,
    moved: Signal<Local, Bits<INC_BITS>>,
    slave_now: Signal<Local, Bits<SLAVE_EVENTS>>,
    new_era: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    answer: Signal<Local, Bits<64>>,
    servo_now: Signal<Local, Bits<SERVO_EVENTS>>,
    happened: Signal<Local, Bits<8>>,
    counted: Signal<Local, Bits<6>>,
    trees: Signal<Local, Bits<4>>,
    words: Signal<Local, Bits<WORD_BITS>>,
    servo: Signal<Local, Bits<3>>,
    gain: Signal<Local, Bits<64>>,
    gain_acq: Signal<Local, Bits<64>>,
    thr: Signal<Local, Bits<64>>,
    lock: Signal<Local, Bits<64>>,
    generated: Signal<Local, Bits<4>>,
    track: Constant<Bits<STATE_BITS>>,
    first_tree: Constant<Bits<4>>,
    single: Constant<Bit>,
    follows: Constant<Bit>,
    /// The same as a signal, since what hangs on constants alone has no value in simulators of Verilog before something changes.
    following: Signal<Local, Bit>,
}

impl<const TREES: usize> TimeDevice<TREES> {
    /// With FIFOs of `fifo_depth` samples, 4 to 64. `config` has these trees, or none: then there is no slave and no servo.
    pub fn new(config: &TimePageConfig, fifo_depth: usize) -> Result<Self, ConfigError> {
        let endpoint = TimeEndpoint::new(config.inc_nom, fifo_depth)?;
        Self::with(config, endpoint, false)
    }

    /// The same with `low` and `high` so many clocks late, at most 64.
    pub fn behind(config: &TimePageConfig, fifo_depth: usize, clocks: usize) -> Result<Self, ConfigError> {
        let endpoint = TimeEndpoint::behind(config.inc_nom, fifo_depth, clocks)?;
        Self::with(config, endpoint, false)
    }

    /// The same behind `time_extract`, at a link of `flits` flits per beat.
    pub fn at_link(config: &TimePageConfig, fifo_depth: usize, flits: usize) -> Result<Self, ConfigError> {
        let endpoint = TimeEndpoint::behind(config.inc_nom, fifo_depth, BEHIND_CLOCKS)?;
        Self::with(config, endpoint, flits == 1)
    }

    fn with(
        config: &TimePageConfig,
        endpoint: TimeEndpoint<TREES>,
        single: bool,
    ) -> Result<Self, ConfigError> {
        if config.trees > 0 {
            check_derived("time_device", "trees", config.trees, "trees that are built", TREES as u64)?;
        }
        let page = |_| TimeTreePage::new(Some(config.started.unwrap_or(0)));
        let windows = (0..TREES).map(page).collect::<Result<Vec<_>, _>>()?;
        let refused = |_| ConfigError::new("time_device", "trees", TREES, "1 to 4", "choose 1 to 4");
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            interrupt: Default::default(),
            word: Default::default(),
            data: Default::default(),
            write: Default::default(),
            to_ring: Default::default(),
            to_port: Default::default(),
            port: Default::default(),
            ring_answer: Default::default(),
            port_answer: Default::default(),
            port_refused: Default::default(),
            epoch_changed: Default::default(),
            ldm_done: Default::default(),
            low: Default::default(),
            high: Default::default(),
            lag: Default::default(),
            time_out: Default::default(),
            local: Default::default(),
            sync: Default::default(),
            sync_epoch: Default::default(),
            state: Default::default(),
            locked: Default::default(),
            wper: Default::default(),
            inc_f: Default::default(),
            slave_en: Default::default(),
            page: TimePage::new(config)?,
            tree: windows.try_into().map_err(refused)?,
            endpoint: endpoint.parts(config.trees > 0, config.generates),
            frequency: Default::default(),
            moved: Default::default(),
            slave_now: Default::default(),
            new_era: Default::default(),
            answers: Default::default(),
            answer: Default::default(),
            servo_now: Default::default(),
            happened: Default::default(),
            counted: Default::default(),
            trees: Default::default(),
            words: Default::default(),
            servo: Default::default(),
            gain: Default::default(),
            gain_acq: Default::default(),
            thr: Default::default(),
            lock: Default::default(),
            generated: Default::default(),
            track: Constant::new(u64::from(ServoState::Track.code()).into()),
            first_tree: Constant::new(1.into()),
            single: Constant::new(single),
            follows: Constant::new(config.trees > 0),
            following: Default::default(),
        })
    }
}

impl<const TREES: usize> Logic for TimeDevice<TREES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frequency);
        clock!(self, clock, page, endpoint);
        self.page.clear.next = self.clear.val();
        self.endpoint.clear.next = self.clear.val();

        // The buses.
        self.page.addr.next = self.addr.val();
        self.page.wdata.next = self.wdata.val();
        self.page.we.next = self.we.val();
        self.page.re.next = self.re.val();
        self.rdata.next = self.page.rdata.val();
        self.ack.next = self.page.ack.val();
        self.interrupt.next = self.page.interrupt.val();
        self.words.next = self.page.word.val();
        self.word.next = self.words.val();
        self.data.next = self.page.data.val();
        self.write.next = self.page.write.val();
        self.to_ring.next = self.page.to_ring.val();
        self.to_port.next = self.page.to_port.val();
        self.port.next = self.page.port.val();
        FlowIn::<Bits<64>>::link(&mut self.ring_answer, &mut self.page.ring_answer);
        FlowIn::<Bits<64>>::link(&mut self.port_answer, &mut self.page.port_answer);
        self.page.port_refused.next = self.port_refused.val();
        self.trees.next = self.page.to_tree.val();
        self.answers.next = false;
        self.answer.next = 0.into();
        self.new_era.next = false;
        for i in 0..TREES {
            self.tree[i].clock.next = self.clock.val();
            self.tree[i].clear.next = self.clear.val();
            self.tree[i].request.next = self.trees.val().get_bit(i);
            self.tree[i].word.next = self.words.val().get_bits::<TREE_WORD_BITS>(0);
            self.tree[i].write.next = self.page.write.val();
            self.tree[i].data.next = self.page.data.val();
            self.answers.next = self.answers.val() | self.tree[i].answer.valid.val();
            self.answer.next = self.answer.val() | self.tree[i].answer.data.val();

            self.endpoint.pop[i].next = self.tree[i].pop.val();
            self.tree[i].shadow.next = self.endpoint.shadow[i].val();
            self.tree[i].popped.next = self.endpoint.popped[i].val();
            self.tree[i].level.next = self.endpoint.level[i].val();
            self.tree[i].era.next = self.endpoint.era[i].val();
            self.tree[i].era_known.next = self.endpoint.era_known[i].val();
            self.slave_now.next = self.endpoint.slave_events[i].val();
            self.tree[i].slave_events.next = self.slave_now.val();
            self.new_era.next = self.new_era.val() | self.slave_now.val().get_bit(0);
            self.endpoint.offset_even[i].next = self.tree[i].offset[0].val();
            self.endpoint.offset_odd[i].next = self.tree[i].offset[1].val();
            self.endpoint.offset_valid[i].next = self.tree[i].offset_valid.val();
        }
        self.page.tree_answer.valid.next = self.answers.val() & self.follows.val();
        self.page.tree_answer.data.next = 0.into();
        self.following.next = self.follows.val();
        if self.following.val() {
            self.page.tree_answer.data.next = self.answer.val();
        }
        FlowIn::<Bits<48>>::link(&mut self.low, &mut self.endpoint.low);
        FlowIn::<Bits<48>>::link(&mut self.high, &mut self.endpoint.high);
        self.endpoint.priority.next = self.page.priority.val();

        // Servo.
        self.servo.next = self.page.servo_ctl.val();
        self.endpoint.enable.next = self.servo.val().get_bit(0);
        self.endpoint.step_enable.next = self.servo.val().get_bit(1);
        self.endpoint.freeze.next = self.servo.val().get_bit(2);
        self.gain.next = self.page.gain.val();
        self.endpoint.kp.next = self.gain.val().get_bits::<32>(0);
        self.endpoint.ki.next = self.gain.val().get_bits::<32>(32);
        self.gain_acq.next = self.page.gain_acq.val();
        self.endpoint.kacq.next = self.gain_acq.val().get_bits::<32>(0);
        self.endpoint.nclk.next = self.gain_acq.val().get_bits::<32>(32);
        self.thr.next = self.page.thr.val();
        self.endpoint.step_thr.next = self.thr.val().get_bits::<32>(0);
        self.endpoint.outlier_thr.next = self.thr.val().get_bits::<32>(32);
        self.lock.next = self.page.lock_cfg.val();
        self.endpoint.lock_thr.next = self.lock.val().get_bits::<16>(0);
        self.endpoint.lock_n.next = self.lock.val().get_bits::<8>(16);
        self.endpoint.outlier_n.next = self.lock.val().get_bits::<8>(24);
        self.endpoint.hold_n.next = self.lock.val().get_bits::<8>(32);
        self.endpoint.hold_max.next = self.lock.val().get_bits::<24>(40);
        self.page.state.next = self.endpoint.state.val();
        self.page.error.next = self.endpoint.error.val();
        self.page.followed.next = self.endpoint.followed.val();

        // Counters of time.
        self.endpoint.write.valid.next = self.page.source_write.valid.val();
        self.endpoint.write.data.next = self.page.source_write.data.val();
        self.page.source_write.ready.next = self.endpoint.write.ready.val();
        self.endpoint.slew_n.next = self.page.slew_n.val();
        self.endpoint.read.next = self.page.read_shadow.val();
        self.page.inc_nom.next = self.endpoint.inc_nom.val();
        self.page.limits.next = self.endpoint.limits.val();
        self.page.f_acc.next = self.endpoint.f_acc.val();
        self.page.slew_p.next = self.endpoint.slew_p.val();
        self.page.slew_left.next = self.endpoint.slew_left.val();
        self.page.shadow_local.next = self.endpoint.shadow_local.val();
        self.page.shadow_sync.next = self.endpoint.shadow_sync.val();
        self.page.shadow_epoch.next = self.endpoint.shadow_epoch.val();
        self.page.stepped.next = self.endpoint.stepped.val();

        // Generator.
        self.endpoint.generate.next = self.page.generate.val();
        self.endpoint.start.valid.next = self.page.start.valid.val();
        self.endpoint.start.data.next = self.page.start.data.val();
        self.endpoint.new_era.next = self.page.new_era.val();
        self.endpoint.lag.next = self.lag.val();
        self.endpoint.period.next = self.page.period.val();
        self.endpoint.phase.next = self.page.phase.val();
        self.endpoint.high_every.next = self.page.high_every.val();
        self.endpoint.separate.next = self.page.separate.val() | self.single.val();
        self.endpoint.tree.next = self.page.tree.val();
        self.endpoint.index.next = self.page.index.val();
        self.endpoint.quality.next = self.page.quality.val();
        StreamOut::<Bits<BEAT_BITS>>::link(&mut self.time_out, &mut self.endpoint.time_out);

        // Events.
        self.servo_now.next = self.endpoint.servo_events.val();
        self.happened.next = bit_cast::<8, 3>(self.servo_now.val().get_bits::<3>(0));
        self.happened.next = self
            .happened
            .val()
            .replace_bit(3, self.new_era.val())
            .replace_bit(4, self.servo_now.val().get_bit(6))
            .replace_bit(5, self.servo_now.val().get_bit(3))
            .replace_bit(6, self.epoch_changed.val())
            .replace_bit(7, self.ldm_done.val());
        self.page.happened.next = self.happened.val();
        self.counted.next = 0.into();
        self.counted.next = self
            .counted
            .val()
            .replace_bit(0, self.endpoint.sent_low.val())
            .replace_bit(1, self.endpoint.sent_high.val())
            .replace_bit(2, self.endpoint.stepped.val())
            .replace_bit(3, self.endpoint.clamped.val())
            .replace_bit(4, self.endpoint.refused.val())
            .replace_bit(5, self.servo_now.val().get_bit(4));
        self.page.counted.next = self.counted.val();

        // Out.
        self.moved.next = self.endpoint.f_acc.val().get_bits::<INC_BITS>(16);
        self.frequency.d.next = self.endpoint.inc_nom.val() + self.moved.val();
        self.inc_f.next = self.frequency.q.val();
        self.local.next = self.endpoint.local.val();
        self.sync.next = self.endpoint.sync.val();
        self.sync_epoch.next = self.endpoint.epoch.val();
        self.state.next = self.endpoint.state.val();
        self.locked.next = self.endpoint.state.val() == self.track.val();
        self.wper.next = self.endpoint.wper.val();
        self.generated.next = 0.into();
        if self.page.generate.val() {
            self.generated.next = self.first_tree.val() << self.page.tree.val();
        }
        self.slave_en.next = self.page.slave_en.val() & !self.generated.val();
        self.endpoint.enabled.next = self.page.slave_en.val() & !self.generated.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let built = self.page.config();
        block_label(
            "time_device",
            &[
                ("inc_nom", format!("0x{:x}", built.inc_nom)),
                ("period", built.period.to_string()),
                ("trees", built.trees.to_string()),
                ("generates", built.generates.to_string()),
                ("ports", built.ports.to_string()),
                ("stops", built.stops.to_string()),
                ("behind", self.endpoint.behind_clocks().to_string()),
                ("single", self.single.val().to_string()),
            ],
        )
    }
}

drive_ports!(impl[const TREES: usize] TimeDevice<TREES> {
    clock, clear, addr, wdata, we, re, rdata, ack, interrupt, word, data, write, to_ring, to_port, port, ring_answer, port_answer, port_refused, epoch_changed, ldm_done, low, high, lag, time_out, local, sync, sync_epoch, state, locked, wper, inc_f, slave_en,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_device",
    chapter: "20-time",
    summary: "time of a device with its registers: master, slave of one tree or several, or both",
    parameters: &[
        ParameterInfo {
            name: "inc_nom",
            default: INC_NOM_DEFAULT,
            allowed: Allowed::Range(1, (1 << INC_BITS) - 1),
            doc: "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
        },
        ParameterInfo {
            name: "period",
            default: GEN_PERIOD_DEFAULT,
            allowed: Allowed::Range(1, (1 << gen_cfg::period::WIDTH) - 1),
            doc: "GEN_PERIOD for which the gains are made, 2^20 ns",
        },
        ParameterInfo {
            name: "trees",
            default: 1,
            allowed: Allowed::Range(1, MAX_TREES as u64),
            doc: "trees that can be followed",
        },
        ParameterInfo {
            name: "ports",
            default: 1,
            allowed: Allowed::Range(0, MAX_PORTS),
            doc: "ports with a window",
        },
        ParameterInfo {
            name: "stops",
            default: 0,
            allowed: Allowed::Range(0, MAX_PORTS),
            doc: "stops of the rings; 0: no window for them",
        },
        ParameterInfo {
            name: "fifo_depth",
            default: FIFO_DEPTH.1 as u64,
            allowed: Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
            doc: "samples that wait for software",
        },
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "two", values: &[("trees", 2)] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = TimePageConfig {
        inc_nom: settings.get("inc_nom")?,
        period: settings.get("period")?,
        trees: settings.get("trees")?,
        ports: settings.get("ports")?,
        stops: settings.get("stops")?,
        ..TimePageConfig::default()
    };
    let streams = [
        ("ring_answer", FlowSink),
        ("port_answer", FlowSink),
        ("low", FlowSink),
        ("high", FlowSink),
        ("time_out", StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(6), "request to ack");
    let depth = settings.get("fifo_depth")? as usize;
    Ok(match config.trees {
        1 => BuiltBlock::new(TimeDevice::<1>::new(&config, depth)?, interface),
        2 => BuiltBlock::new(TimeDevice::<2>::new(&config, depth)?, interface),
        3 => BuiltBlock::new(TimeDevice::<3>::new(&config, depth)?, interface),
        _ => BuiltBlock::new(TimeDevice::<4>::new(&config, depth)?, interface),
    })
}
