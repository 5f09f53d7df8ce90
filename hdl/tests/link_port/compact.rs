//! `LinkPortCompact` beside a port with registers: clock for clock the same, whatever the line does.

use crate::link_port::pair::{FAR_GUID, NEAR_GUID};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{CrcModes, LinkPort1, LinkPortCompact, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowIn, StreamIn, StreamOut};
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::register::BYTES;
use flitforge_sim::compiled::Compiled;
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{compiled, depth, Clocked, CompiledBlock, Pins};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::array;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// Clocks from a write of CTRL to the port that obeys it.
const ENABLE_CLOCKS: u64 = 2;
/// Bits of a beat.
const BEAT: usize = 65;
/// What is compared, by the bits of `differs`.
const COMPARED: [&str; 23] = [
    "flits_in.ready",
    "time_in.ready",
    "tx_open",
    "ltp_start",
    "tx_seq",
    "flits_out",
    "spc_out",
    "undefined",
    "beat_late",
    "beat_index",
    "beat_state",
    "side_out",
    "side_place",
    "restart",
    "state",
    "tx_mode",
    "tx_lanes and rx_lanes",
    "tx_idle",
    "tx_position",
    "tx_words",
    "rx_position",
    "rx_words",
    "tx",
];

/// End 0 has registers; end 1 is one port with registers, which talks, and one without beside it, which gets the same and is compared. With
/// `swap` the port without registers talks.
#[derive(LogicBlock)]
pub struct LockStep {
    pub clock: Signal<In, Clock>,
    pub clear: [Signal<In, Bit>; 2],
    pub phy_clear: Signal<In, Bit>,
    /// The port without registers talks, and the other one listens.
    pub swap: Signal<In, Bit>,
    pub addr: [Signal<In, Bits<WORD_ADDRESS_BITS>>; 2],
    pub wdata: Signal<In, Bits<64>>,
    pub we: [Signal<In, Bit>; 2],
    pub enable: Signal<In, Bit>,
    pub flits_in: [StreamIn<Bits<BEAT>>; 2],
    pub time_in: [StreamIn<Bits<BEAT>>; 2],
    pub time_mode: Signal<In, Bit>,
    pub side_in: FlowIn<Bits<2>>,
    pub signal_ok: Signal<In, Bit>,
    pub elastic_error: Signal<In, Bit>,
    pub error_enable: [Signal<In, Bit>; 2],
    pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 2],
    pub delay: Signal<In, Bits<4>>,
    pub state: [Signal<Out, Bits<3>>; 2],
    pub compact_state: Signal<Out, Bits<3>>,
    pub mode: Signal<Out, Bits<2>>,
    /// Beats of packet flits and time flits that came to end 1.
    pub came: [Signal<Out, Bit>; 2],
    pub ltp_bad: Signal<Out, Bit>,
    pub differs: Signal<Out, Bits<23>>,
    near: LinkPort1<1, 4, 8>,
    far: LinkPort1<1, 4, 8>,
    compact: LinkPortCompact<4, 8>,
    there: PhyLoop<1>,
    back: PhyLoop<1>,
    word: Signal<Local, Bits<23>>,
    places: [Constant<Bits<23>>; 23],
}

impl LockStep {
    pub fn new(compact_guid: u64, modes: CrcModes) -> Self {
        let config = |guid| PortConfig { guid, modes, ..PortConfig::short(1, 1, 16) };
        Self {
            clock: Default::default(),
            clear: Default::default(),
            phy_clear: Default::default(),
            swap: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            enable: Default::default(),
            flits_in: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            side_in: Default::default(),
            signal_ok: Default::default(),
            elastic_error: Default::default(),
            error_enable: Default::default(),
            error_mask: Default::default(),
            delay: Default::default(),
            state: Default::default(),
            compact_state: Default::default(),
            mode: Default::default(),
            came: Default::default(),
            ltp_bad: Default::default(),
            differs: Default::default(),
            near: LinkPort1::new(&config(NEAR_GUID)).expect("valid"),
            far: LinkPort1::new(&config(FAR_GUID)).expect("valid"),
            compact: LinkPortCompact::new(&config(compact_guid)).expect("valid"),
            there: PhyLoop::new().expect("valid"),
            back: PhyLoop::new().expect("valid"),
            word: Default::default(),
            places: array::from_fn(|bit| Constant::new((1u64 << bit).into())),
        }
    }
}

impl Logic for LockStep {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, near, far, compact, there, back);
        self.near.clear.next = self.clear[0].val();
        self.near.time_mode.next = self.time_mode.val();
        self.near.side_in.valid.next = self.side_in.valid.val();
        self.near.side_in.data.next = self.side_in.data.val();
        self.near.elastic_error.next = self.elastic_error.val();
        self.near.flits_in.valid.next = self.flits_in[0].valid.val();
        self.near.flits_in.data.next = self.flits_in[0].data.val();
        self.near.time_in.valid.next = self.time_in[0].valid.val();
        self.near.time_in.data.next = self.time_in[0].data.val();
        self.near.addr.next = self.addr[0].val();
        self.near.wdata.next = self.wdata.val();
        self.near.we.next = self.we[0].val();
        self.near.re.next = false;
        self.near.bist_start.next = false;
        self.near.bist_end.next = false;
        self.near.damage.next = false;
        self.near.renew.next = false;
        self.near.bond_skew.next = 0.into();
        self.near.fabric_events.next = 0.into();
        self.near.credit_word.next = 0.into();
        self.near.elastic_fill.next = 0.into();
        self.near.test_rows_in.valid.next = false;
        self.near.test_rows_in.data.next = 0.into();
        self.near.signal_ok.next = bit_cast::<4, 1>(self.signal_ok.val().into());
        self.near.lane_lock.next = bit_cast::<4, 1>(self.signal_ok.val().into());
        self.far.clear.next = self.clear[1].val();
        self.far.time_mode.next = self.time_mode.val();
        self.far.side_in.valid.next = self.side_in.valid.val();
        self.far.side_in.data.next = self.side_in.data.val();
        self.far.elastic_error.next = self.elastic_error.val();
        self.far.flits_in.valid.next = self.flits_in[1].valid.val();
        self.far.flits_in.data.next = self.flits_in[1].data.val();
        self.far.time_in.valid.next = self.time_in[1].valid.val();
        self.far.time_in.data.next = self.time_in[1].data.val();
        self.far.addr.next = self.addr[1].val();
        self.far.wdata.next = self.wdata.val();
        self.far.we.next = self.we[1].val();
        self.far.re.next = false;
        self.far.bist_start.next = false;
        self.far.bist_end.next = false;
        self.far.damage.next = false;
        self.far.renew.next = false;
        self.far.bond_skew.next = 0.into();
        self.far.fabric_events.next = 0.into();
        self.far.credit_word.next = 0.into();
        self.far.elastic_fill.next = 0.into();
        self.far.test_rows_in.valid.next = false;
        self.far.test_rows_in.data.next = 0.into();
        self.far.signal_ok.next = bit_cast::<4, 1>(self.signal_ok.val().into());
        self.far.lane_lock.next = bit_cast::<4, 1>(self.signal_ok.val().into());
        self.compact.clear.next = self.clear[1].val();
        self.compact.time_mode.next = self.time_mode.val();
        self.compact.side_in.valid.next = self.side_in.valid.val();
        self.compact.side_in.data.next = self.side_in.data.val();
        self.compact.elastic_error.next = self.elastic_error.val();
        self.compact.flits_in.valid.next = self.flits_in[1].valid.val();
        self.compact.flits_in.data.next = self.flits_in[1].data.val();
        self.compact.time_in.valid.next = self.time_in[1].valid.val();
        self.compact.time_in.data.next = self.time_in[1].data.val();
        self.compact.enable.next = self.enable.val();
        self.compact.signal_ok.next = self.signal_ok.val();
        self.compact.lane_lock.next = self.signal_ok.val();
        self.flits_in[0].ready.next = self.near.flits_in.ready.val();
        self.time_in[0].ready.next = self.near.time_in.ready.val();
        self.flits_in[1].ready.next = self.far.flits_in.ready.val();
        self.time_in[1].ready.next = self.far.time_in.ready.val();

        // The line.
        self.there.clear.next = self.phy_clear.val();
        self.back.clear.next = self.phy_clear.val();
        self.there.delay[0].next = self.delay.val();
        self.back.delay[0].next = self.delay.val();
        self.there.error_enable.next = self.error_enable[0].val();
        self.back.error_enable.next = self.error_enable[1].val();
        self.there.error_lanes.next = 1.into();
        self.back.error_lanes.next = 1.into();
        self.there.error_mask.next = self.error_mask[0].val();
        self.back.error_mask.next = self.error_mask[1].val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.near.tx[0], &mut self.there.tx[0]);
        self.back.tx[0].valid.next = self.far.tx[0].valid.val();
        self.back.tx[0].data.next = self.far.tx[0].data.val();
        if self.swap.val() {
            self.back.tx[0].valid.next = self.compact.tx[0].valid.val();
            self.back.tx[0].data.next = self.compact.tx[0].data.val();
        }
        self.far.tx[0].ready.next = self.back.tx[0].ready.val();
        self.compact.tx[0].ready.next = self.back.tx[0].ready.val();
        self.near.rx[0].valid.next = self.back.rx[0].valid.val();
        self.near.rx[0].data.next = self.back.rx[0].data.val();
        self.far.rx[0].valid.next = self.there.rx[0].valid.val();
        self.far.rx[0].data.next = self.there.rx[0].data.val();
        self.compact.rx[0].valid.next = self.there.rx[0].valid.val();
        self.compact.rx[0].data.next = self.there.rx[0].data.val();

        self.state[0].next = self.near.state.val();
        self.state[1].next = self.far.state.val();
        self.compact_state.next = self.compact.state.val();
        self.mode.next = self.compact.tx_mode.val();
        self.came[0].next = self.far.flits_out.valid.val();
        self.came[1].next = self.far.spc_out.valid.val();
        self.ltp_bad.next = self.compact.ltp_bad.val();
        self.word.next = 0.into();
        if self.far.flits_in.ready.val() != self.compact.flits_in.ready.val() {
            self.word.next = self.word.val() | self.places[0].val();
        }
        if self.far.time_in.ready.val() != self.compact.time_in.ready.val() {
            self.word.next = self.word.val() | self.places[1].val();
        }
        if self.far.tx_open.val() != self.compact.tx_open.val() {
            self.word.next = self.word.val() | self.places[2].val();
        }
        if self.far.ltp_start.val() != self.compact.ltp_start.val() {
            self.word.next = self.word.val() | self.places[3].val();
        }
        if self.far.tx_seq.val() != self.compact.tx_seq.val() {
            self.word.next = self.word.val() | self.places[4].val();
        }
        if (self.far.flits_out.valid.val() != self.compact.flits_out.valid.val())
            | (self.far.flits_out.valid.val()
                & (self.far.flits_out.data.val() != self.compact.flits_out.data.val()))
        {
            self.word.next = self.word.val() | self.places[5].val();
        }
        if (self.far.spc_out.valid.val() != self.compact.spc_out.valid.val())
            | (self.far.spc_out.valid.val()
                & (self.far.spc_out.data.val() != self.compact.spc_out.data.val()))
        {
            self.word.next = self.word.val() | self.places[6].val();
        }
        if self.far.undefined.val() != self.compact.undefined.val() {
            self.word.next = self.word.val() | self.places[7].val();
        }
        if (self.far.flits_out.valid.val() | self.far.spc_out.valid.val())
            & (self.far.beat_late.val() != self.compact.beat_late.val())
        {
            self.word.next = self.word.val() | self.places[8].val();
        }
        if (self.far.flits_out.valid.val() | self.far.spc_out.valid.val())
            & (self.far.beat_index.val() != self.compact.beat_index.val())
        {
            self.word.next = self.word.val() | self.places[9].val();
        }
        if (self.far.flits_out.valid.val() | self.far.spc_out.valid.val())
            & (self.far.beat_state.val() != self.compact.beat_state.val())
        {
            self.word.next = self.word.val() | self.places[10].val();
        }
        if (self.far.side_out.valid.val() != self.compact.side_out.valid.val())
            | (self.far.side_out.valid.val()
                & (self.far.side_out.data.val() != self.compact.side_out.data.val()))
        {
            self.word.next = self.word.val() | self.places[11].val();
        }
        if self.far.side_place.val() != self.compact.side_place.val() {
            self.word.next = self.word.val() | self.places[12].val();
        }
        if self.far.restart.val() != self.compact.restart.val() {
            self.word.next = self.word.val() | self.places[13].val();
        }
        if self.far.state.val() != self.compact.state.val() {
            self.word.next = self.word.val() | self.places[14].val();
        }
        if self.far.tx_mode.val() != self.compact.tx_mode.val() {
            self.word.next = self.word.val() | self.places[15].val();
        }
        if (self.far.tx_lanes.val() != self.compact.tx_lanes.val())
            | (self.far.rx_lanes.val() != self.compact.rx_lanes.val())
        {
            self.word.next = self.word.val() | self.places[16].val();
        }
        if self.far.tx_idle.val() != self.compact.tx_idle.val() {
            self.word.next = self.word.val() | self.places[17].val();
        }
        if self.far.tx_position.val() != self.compact.tx_position.val() {
            self.word.next = self.word.val() | self.places[18].val();
        }
        if self.far.tx_words.val() != self.compact.tx_words.val() {
            self.word.next = self.word.val() | self.places[19].val();
        }
        if self.far.rx_position.val() != self.compact.rx_position.val() {
            self.word.next = self.word.val() | self.places[20].val();
        }
        if self.far.rx_words.val() != self.compact.rx_words.val() {
            self.word.next = self.word.val() | self.places[21].val();
        }
        if (self.far.tx[0].valid.val() != self.compact.tx[0].valid.val())
            | (self.far.tx[0].valid.val() & (self.far.tx[0].data.val() != self.compact.tx[0].data.val()))
        {
            self.word.next = self.word.val() | self.places[22].val();
        }
        self.differs.next = self.word.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_port_lock_step", &[])
    }
}

drive_ports!(impl[] LockStep {
    clock, clear, phy_clear, swap, addr, wdata, we, enable, flits_in, time_in, time_mode, side_in, signal_ok, elastic_error, error_enable, error_mask, delay, state, compact_state, mode, came, ltp_bad, differs,
});

fn compile(compact_guid: u64, modes: CrcModes) -> Arc<Compiled> {
    let mut block = LockStep::new(compact_guid, modes);
    block.connect_all();
    compiled("link_port_lock_step", &block)
}

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compile(FAR_GUID, CrcModes::Narrow))
}

fn standard() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compile(FAR_GUID, CrcModes::Standard))
}

struct Rig {
    block: CompiledBlock,
    rng: Rng,
    clock: u64,
    came: [u64; 2],
    bad: u64,
    states: u64,
    /// Streams whose beat is taken in this clock.
    taken: HashSet<String>,
    /// The ports may be compared.
    compares: bool,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        self.step();
    }
}

impl Rig {
    fn new(program: &'static Arc<Compiled>, seed: u64, swap: bool) -> Self {
        let mut rig = Self {
            block: CompiledBlock::new(program),
            rng: rng(seed, "compact"),
            clock: 0,
            came: [0; 2],
            bad: 0,
            states: 0,
            taken: HashSet::new(),
            compares: true,
        };
        rig.set("signal_ok", 1);
        rig.set("swap", swap.into());
        rig.set("wdata", 1 << ctrl::enable::LOW);
        for end in 0..2 {
            rig.set(&format!("addr[{end}]"), u64::from(CTRL / BYTES));
        }
        rig
    }

    /// One clock; both ports of end 1 must show the same in it. Returns what differs.
    fn step(&mut self) -> Vec<&'static str> {
        self.block.step();
        self.clock += 1;
        let differs = self.get("differs");
        let names: Vec<_> =
            (0..COMPARED.len()).filter(|bit| differs >> bit & 1 == 1).map(|bit| COMPARED[bit]).collect();
        assert!(names.is_empty() || !self.compares, "clock {}: {names:?} differ", self.clock);
        for kind in 0..2 {
            self.came[kind] += self.get(&format!("came[{kind}]"));
        }
        self.bad += self.get("ltp_bad");
        self.states |= 1 << self.get("state[1]");
        names
    }

    /// Both ends enabled; the register takes `ENABLE_CLOCKS` clocks to act.
    fn enable(&mut self) {
        self.set("we[0]", 1);
        self.set("we[1]", 1);
        self.step();
        self.set("we[0]", 0);
        self.set("we[1]", 0);
        for _ in 1..ENABLE_CLOCKS {
            self.step();
        }
        self.set("enable", 1);
    }

    /// Random traffic; of `every` words one is wrong on average, 0 for none; with `clears` rarely a FIFO error, and `clear` of end 1.
    fn traffic(&mut self, clocks: u64, every: u32, clears: bool) {
        for _ in 0..clocks {
            for end in 0..2 {
                self.offer("flits_in", end, 0.7);
                self.offer("time_in", end, 0.03);
                let hit = every > 0 && self.rng.random_ratio(1, every);
                self.set(&format!("error_enable[{end}]"), hit.into());
                let mask = 1 << self.rng.random_range(0..34);
                self.set(&format!("error_mask[{end}]"), mask);
            }
            let (side, mode) = (self.rng.random_range(0..4), self.rng.random_ratio(1, 2));
            self.set("side_in.data", side);
            self.set("side_in.valid", 1);
            self.set("time_mode", mode.into());
            let broken = clears && self.rng.random_ratio(1, 9_000);
            self.set("elastic_error", broken.into());
            let clear = clears && self.rng.random_ratio(1, 15_000);
            self.set("clear[1]", clear.into());
            self.step();
        }
    }

    /// A new beat behind one that was taken, at this pace.
    fn offer(&mut self, stream: &str, end: usize, pace: f64) {
        let [valid, ready] = ["valid", "ready"].map(|part| format!("{stream}[{end}].{part}"));
        // What stood there in the last clock is taken at its end if `ready` was up.
        if self.get(&valid) == 1 && !self.taken.contains(&valid) {
            if self.get(&ready) == 1 {
                self.taken.insert(valid);
            }
            return;
        }
        let offered = self.rng.random_bool(pace);
        self.set(&valid, offered.into());
        let (kind, mask) = match stream {
            "flits_in" => (1u128 << 64, u64::MAX),
            _ => (u128::from(Opcode::Spc.code()) << 56 | 1 << 48, (1 << 48) - 1),
        };
        let value = kind | u128::from(self.rng.random::<u64>() & mask);
        self.set_wide(&format!("{stream}[{end}].data"), value);
        self.taken.remove(&valid);
        if offered && self.get(&ready) == 1 {
            self.taken.insert(valid);
        }
    }
}

fn clocks(quick: u64) -> u64 {
    match depth() {
        Depth::Quick => quick,
        _ => 50 * quick,
    }
}

fn shown(seed: u64, what: &str, rig: &Rig) {
    println!(
        "seed {seed:#x}, {what}: {} clocks, {} packet beats and {} time beats to end 1, {} bad LTPs, states {:#b}: all the same",
        rig.clock, rig.came[0], rig.came[1], rig.bad, rig.states
    );
}

#[test]
fn without_registers_a_port_does_the_same_in_every_clock() {
    let seed = seed(0x10_C0);
    for (program, mode, swap) in
        [(program(), 1, false), (program(), 1, true), (standard(), 0, false), (standard(), 0, true)]
    {
        for (what, every, clears) in
            [("clean", 0, false), ("one wrong word in 2,000", 2_000, true), ("one in 120", 120, true)]
        {
            let mut rig = Rig::new(program, seed, swap);
            rig.enable();
            rig.traffic(clocks(30_000), every, clears);
            shown(seed, what, &rig);
            assert!(every > 0 || rig.get("mode") == mode, "CRC mode {}", rig.get("mode"));
            let active = 1 << LinkState::Active.code();
            assert!(rig.states & active != 0, "it was up");
            assert!(rig.came[0] > 50 && rig.came[1] > 0, "{:?}", rig.came);
            assert_eq!(rig.bad > 0, every > 0, "{} bad LTPs", rig.bad);
            let retraining = 1 << LinkState::Retraining.code();
            assert!(
                !clears || rig.states & (retraining | 1) == retraining | 1,
                "it went down and trained again: {:#b}",
                rig.states
            );
        }
    }
}

#[test]
fn enable_brings_the_port_down_and_up_again() {
    let seed = seed(0x10_C1);
    let mut rig = Rig::new(program(), seed, true);
    rig.enable();
    rig.traffic(10_000, 0, false);
    assert_eq!(rig.get("compact_state"), u64::from(LinkState::Active.code()));
    rig.compares = false;
    rig.set("enable", 0);
    rig.traffic(50, 0, false);
    assert_eq!(rig.get("compact_state"), u64::from(LinkState::Down.code()));
    rig.set("enable", 1);
    rig.traffic(20_000, 0, false);
    assert_eq!(rig.get("compact_state"), u64::from(LinkState::Active.code()));
}

#[test]
fn a_port_that_differs_is_seen() {
    static OTHER: OnceLock<Arc<Compiled>> = OnceLock::new();
    let seed = seed(0x10_C2);
    let mut rig = Rig::new(OTHER.get_or_init(|| compile(NEAR_GUID, CrcModes::Narrow)), seed, false);
    rig.compares = false;
    rig.enable();
    let differing = (0..10_000).map(|_| rig.step()).find(|names| !names.is_empty());
    // Its training sets name another GUID.
    assert_eq!(differing.expect("seen"), ["tx"]);
}
