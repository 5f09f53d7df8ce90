//! `time_device`: the time of a device with its register page (chapter 20, 5): `time_endpoint`, `time_page` and a window for each tree
//! that it can follow, from tree 0 on.
//!
//! What a manager reads and writes is all here but for the ports and the rings, whose windows (`time_port_page`,
//! `time_ring_page`) answer over the window bus that goes out. A device with `time_extract` in front of `low` and `high`, fed with `slave_en`,
//! is a slave of these trees; one whose `time_out` goes to a link is a master of any tree.
//!
//! - Latency of its parts: `ack` 6 clocks after a request and more (`time_page`), from `low` to the step of `sync` 52. Exact.
//! - The FIFO's shadow and the shadow set are each of one sample and one edge, whatever comes while they are read.
//! - `inc_f` is INC_NOM + F_ACC, 1 clock after the registers.
//! - A device is master or slave of a tree: while GEN_EN is set, `slave_en` of the tree it generates is 0.
//! - [`TimeDevice::new`] takes `low` and `high` in the clock that their R edge ends; [`TimeDevice::at_link`] as late as `time_extract` at
//!   plane R gives them, and with one flit per beat HIGH_MODE counts as 1.
//! - Outputs as those of the parts. `clear` clears all of them; configuration and counters stay.

use crate::endpoint::TimeEndpoint;
use crate::follower::{SlaveEvents, SERVO_EVENTS};
use crate::generator::BEAT_BITS;
use crate::page::{
    TimePage, TimePageConfig, TimeTreePage, WindowBuild, MAX_PORTS, PAGE_WORD_BITS, PORT_BITS,
    TREE_WORD_BITS, WORD_BITS,
};
use crate::servo::STATE_BITS;
use crate::slave::{Sample, TIME_WORD_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{EXTRACT_CLOCKS, FIFO_DEPTH, GEN_PERIOD_DEFAULT, LAG_BITS, MAX_TREES};
use flitforge_protocol::time_registers::gen_cfg;
use flitforge_protocol::time_servo::{ServoState, INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS, SYNC_EPOCH_BITS};

/// Clocks that a Low comes after the clock that its R edge ends: an R edge begins the clock in which the flit stands at plane R.
pub const DELAYED_CLOCKS: usize = EXTRACT_CLOCKS as usize + 1;

/// A device's time and its page, 1 to 4 trees; see the [module](self).
#[block(new)]
pub struct TimeDevice<const TREES: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register bus: word of the page.
    addr: In<Bits<PAGE_WORD_BITS>>,
    /// Register bus: value of a write.
    wdata: In<Bits<64>>,
    /// Register bus: asks for a write.
    we: In<Bit>,
    /// Register bus: asks for a read.
    re: In<Bit>,
    /// Register bus: with `ack` of a read, the value.
    rdata: Out<Bits<64>>,
    /// Register bus: the request is done.
    ack: Out<Bit>,
    /// Some event of EVENT_MASK has happened.
    interrupt: Out<Bit>,
    /// Windows: word of the window, see `time_page`.
    word: Out<Bits<WORD_BITS>>,
    /// Windows: value of a write.
    data: Out<Bits<64>>,
    /// Windows: it is a write.
    write: Out<Bit>,
    /// Windows: a request for the rings.
    to_ring: Out<Bit>,
    /// Windows: a request for the port `port`.
    to_port: Out<Bit>,
    /// PORT_SEL.
    port: Out<Bits<PORT_BITS>>,
    /// Answer of the rings' window, 0 but with `valid`.
    pub ring_answer: FlowIn<Bits<64>>,
    /// Answers of the ports' windows, 0 but with `valid`.
    pub port_answer: FlowIn<Bits<64>>,
    /// Event: a port refused a write.
    port_refused: In<Bit>,
    /// Event: the link of a port has changed.
    epoch_changed: In<Bit>,
    /// Event: a link delay measurement ended.
    ldm_done: In<Bit>,
    /// Payload of a MasterTimeLow, corrected by the rx lag; LocalTime and SyncTime of its clock count.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh; that of a Low's beat comes one clock after the Low.
    pub high: FlowIn<Bits<48>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// Beats for the link: slot 0 a Low or a High, slot 1 the Low's High.
    pub time_out: StreamOut<Bits<BEAT_BITS>>,
    /// LocalTime, 64.32 ns.
    local: Out<Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    sync: Out<Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    sync_epoch: Out<Bits<SYNC_EPOCH_BITS>>,
    /// Servo state, coded as in SERVO_STAT.
    state: Out<Bits<STATE_BITS>>,
    /// The servo is in TRACK.
    locked: Out<Bit>,
    /// WPER, 6.20 ns.
    wper: Out<Bits<PERIOD_BITS>>,
    /// INC_F, 2^-32 ns per clock; moves with the servo.
    inc_f: Out<Bits<INC_BITS>>,
    /// SLAVE_EN by tree, 0 for the tree that is generated.
    slave_en: Out<Bits<4>>,
    #[wire(clock, clear)]
    page: TimePage,
    #[wire(clock, clear)]
    tree: [TimeTreePage; TREES],
    #[wire(clock, clear)]
    endpoint: TimeEndpoint<TREES>,
    frequency: Reg<Bits<INC_BITS>>,
    moved: Local<Bits<INC_BITS>>,
    new_era: Local<Bit>,
    answers: Local<Bit>,
    answer: Local<Bits<64>>,
    servo_now: Local<Bits<SERVO_EVENTS>>,
    happened: Local<Bits<8>>,
    counted: Local<Bits<6>>,
    trees: Local<Bits<4>>,
    words: Local<Bits<WORD_BITS>>,
    generated: Local<Bits<4>>,
    #[init(ServoState::Track)]
    track: Constant<Bits<STATE_BITS>>,
    #[init(1)]
    first_tree: Constant<Bits<4>>,
    single: Constant<Bit>,
    follows: Constant<Bit>,
}

#[logic]
impl<const TREES: usize> TimeDevice<TREES> {
    /// With FIFOs of `fifo_depth` samples, 4 to 64. `config` has these trees, or none: then there is no slave and no servo.
    pub fn new(config: &TimePageConfig, fifo_depth: usize) -> Result<Self, ConfigError> {
        let endpoint = TimeEndpoint::new(config.inc_nom, fifo_depth)?;
        Self::with(config, endpoint, false)
    }

    /// The same with `low` and `high` so many clocks late, at most 64.
    pub fn delayed(config: &TimePageConfig, fifo_depth: usize, clocks: usize) -> Result<Self, ConfigError> {
        let endpoint = TimeEndpoint::delayed(config.inc_nom, fifo_depth, clocks)?;
        Self::with(config, endpoint, false)
    }

    /// The same after `time_extract`, at a link of `flits` flits per beat.
    pub fn at_link(config: &TimePageConfig, fifo_depth: usize, flits: usize) -> Result<Self, ConfigError> {
        let endpoint = TimeEndpoint::delayed(config.inc_nom, fifo_depth, DELAYED_CLOCKS)?;
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
        let built = WindowBuild::counting(Some(config.started.unwrap_or(0)));
        let page = |_| TimeTreePage::new(&built);
        let windows = (0..TREES).map(page).collect::<Result<Vec<_>, _>>()?;
        let refused = |_| ConfigError::new("time_device", "trees", TREES, "1 to 4", "choose 1 to 4");
        Ok(Self {
            page: TimePage::new(config)?,
            tree: windows.try_into().map_err(refused)?,
            endpoint: endpoint.parts(config.trees > 0, config.generates),
            single: Constant::new(single),
            follows: Constant::new(config.trees > 0),
            ..
        })
    }

    fn update(&mut self) {
        self.wire_page();
        self.wire_servo();

        // Counters of time.
        endpoint.write = In { valid: page.source_write.valid, data: page.source_write.data };
        page.source_write.ready = endpoint.write.ready;
        endpoint = In { slew_n: page.slew_n, read: page.read_shadow };
        page = In { inc_nom: endpoint.inc_nom, limits: endpoint.limits, f_acc: endpoint.f_acc };
        page = In { slew_p: endpoint.slew_p, slew_left: endpoint.slew_left };
        page = In { shadow_local: endpoint.shadow_local, shadow_sync: endpoint.shadow_sync };
        page = In { shadow_epoch: endpoint.shadow_epoch, stepped: endpoint.stepped };

        // Generator.
        endpoint.generate = page.generate;
        endpoint.start = In { valid: page.start.valid, data: page.start.data };
        endpoint = In { new_era: page.new_era, lag, period: page.period, phase: page.phase };
        endpoint = In { high_every: page.high_every, separate: page.separate | single, tree: page.tree };
        endpoint = In { index: page.index, quality: page.quality };
        link(time_out, endpoint.time_out);

        self.count_events();

        // Out.
        moved = endpoint.f_acc.bits::<INC_BITS>(16);
        frequency = endpoint.inc_nom + moved;
        inc_f = frequency;
        Out { local, sync, epoch: sync_epoch, state } = endpoint;
        locked = endpoint.state == track;
        wper = endpoint.wper;
        generated = 0;
        if page.generate {
            generated = first_tree << page.tree;
        }
        slave_en = page.slave_en & !generated;
        endpoint.enabled = page.slave_en & !generated;
    }

    /// The buses.
    fn wire_page(&mut self) {
        page.bus = In { request: we | re, write: we, address: addr, wdata };
        Out { rdata, ack } = page.bus;
        Out { interrupt, word: words } = page;
        word = words;
        Out { data, write, to_ring, to_port, port } = page;
        link(ring_answer, page.ring_answer);
        link(port_answer, page.port_answer);
        page.port_refused = port_refused;
        trees = page.to_tree;
        answers = false;
        answer = 0;
        new_era = false;
        for i in 0..TREES {
            tree[i].bus = In { request: trees[i], address: words.bits::<TREE_WORD_BITS>(0) };
            tree[i].bus = In { write: page.write, wdata: page.data };
            answers = answers | tree[i].bus.ack;
            answer = answer | tree[i].bus.rdata;
            endpoint.offset_even[i] = tree[i].clock_offset0;
            endpoint.offset_odd[i] = tree[i].clock_offset1;
            endpoint.offset_valid[i] = tree[i].smp_stat_valid;

            // The sample of the last pop.
            endpoint.pop[i] = tree[i].smp_pop_asked;
            tree[i] = In { smp_pop_valid: endpoint.popped[i], smp_stat_level: endpoint.level[i] };
            tree[i] = In { smp_stat_era: endpoint.era[i], smp_stat_era_known: endpoint.era_known[i] };
            let sample: Sample = endpoint.shadow[i].into();
            let high_time = sample.high_time;
            let mut upper = high_time[8..32];
            if sample.carry {
                upper = upper + 1;
            }
            let whole: Bits<64> = cat(sample.low_time, upper);
            tree[i].master_full = if sample.full { whole } else { 0 };
            tree[i] = In { master_high_time: high_time, master_high_index: sample.high_index };
            tree[i] = In { master_high_quality: sample.high_quality, master_high_era: sample.high_era };
            tree[i] = In { master_low_time: sample.low_time, master_low_frac: sample.low_frac };
            tree[i] = In { master_low_era: sample.low_era, master_low_full: sample.full };
            tree[i] = In { smp_local: sample.local, smp_err_frac: sample.local_frac };
            tree[i].smp_err_error = sample.error;

            let of_slave: SlaveEvents = endpoint.slave_events[i].into();
            new_era = new_era | of_slave.new_era;
            tree[i] = In { smp_stat_overflow: of_slave.over, smp_ok: of_slave.ok, smp_over: of_slave.over };
            tree[i] = In { overlap_bad: of_slave.overlap_bad, old_era: of_slave.old_era };
            tree[i] = In { bad_era: of_slave.bad_era, no_high: of_slave.no_high };
        }
        page.tree_answer = In { valid: answers & follows, data: 0 };
        // The same as a signal, since what hangs on constants alone has no value in simulators of Verilog before something changes.
        let following = follows;
        if following {
            page.tree_answer.data = answer;
        }
        link(low, endpoint.low);
        link(high, endpoint.high);
        endpoint.priority = page.priority;
    }

    /// Servo.
    fn wire_servo(&mut self) {
        join(page.servo, endpoint.settings);
        page = In { state: endpoint.state, error: endpoint.error, followed: endpoint.followed };
    }

    /// Events.
    fn count_events(&mut self) {
        servo_now = endpoint.servo_events;
        happened = bit_cast::<8, 3>(servo_now.bits::<3>(0));
        happened = happened
            .with(3, new_era)
            .with(4, servo_now[6])
            .with(5, servo_now[3])
            .with(6, epoch_changed)
            .with(7, ldm_done);
        page.happened = happened;
        counted = 0;
        counted = counted
            .with(0, endpoint.sent_low)
            .with(1, endpoint.sent_high)
            .with(2, endpoint.stepped)
            .with(3, endpoint.clamped)
            .with(4, endpoint.refused)
            .with(5, servo_now[4]);
        page.counted = counted;
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
                ("delayed", self.endpoint.delayed_clocks().to_string()),
                ("single", self.single.val().to_string()),
            ],
        )
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_device",
    chapter: "20-time",
    summary: "time of a device with its registers: master, slave of one tree or several, or both",
    parameters: &[
        ParameterInfo::new(
            "inc_nom",
            INC_NOM_DEFAULT,
            Allowed::Range(1, (1 << INC_BITS) - 1),
            "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
        ),
        ParameterInfo::new(
            "period",
            GEN_PERIOD_DEFAULT,
            Allowed::Range(1, (1 << gen_cfg::period::WIDTH) - 1),
            "GEN_PERIOD for which the gains are made, 2^20 ns",
        ),
        ParameterInfo::new("trees", 1, Allowed::Range(1, MAX_TREES as u64), "trees that can be followed"),
        ParameterInfo::new("ports", 1, Allowed::Range(0, MAX_PORTS), "ports with a window"),
        ParameterInfo::new(
            "stops",
            0,
            Allowed::Range(0, MAX_PORTS),
            "stops of the rings; 0: no window for them",
        ),
        ParameterInfo::new(
            "fifo_depth",
            FIFO_DEPTH.1 as u64,
            Allowed::Range(FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64),
            "samples that wait for software",
        ),
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "two", values: &[("trees", 2)] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (trees) => build_as [trees];
        presets { (1) (2) }
    }
}

/// Builds the block for so many trees.
pub fn build_as<const TREES: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
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
    Ok(BuiltBlock::new(TimeDevice::<TREES>::new(&config, settings.size("fifo_depth")?)?, interface))
}
