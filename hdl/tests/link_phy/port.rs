//! A whole port over `phy_lvds` and a line back to itself: training, traffic, a lost clock, a lane that dies.

use crate::link_phy::line::Line;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_lvds::{LvdsConfig, PhyLvds};
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::node::port_line::PortLine;
use flitforge_hdl::prim::stream::{FlowOut, StreamOut};
use flitforge_protocol::link::LinkState;
use flitforge_sim::port::PortHandle;
use flitforge_sim::{Bench, CompiledBench};
use rust_hdl::prelude::*;

const LANES: usize = 4;
/// Periods of core and bit clock in picoseconds: those of the design for the board.
const CORE: u64 = 16_000;
const BIT: u64 = 8_000;
/// Core clocks in which the link must be up.
const UP: u64 = 30_000;

/// The port with its PHY, up to the bits.
#[derive(LogicBlock)]
struct LvdsPort {
    clock: Signal<In, Clock>,
    clear: Signal<In, Bit>,
    tx_clock: Signal<In, Clock>,
    rx_clock: Signal<In, Clock>,
    kill: Signal<In, Bit>,
    status: Signal<Out, Bits<16>>,
    rx_lanes: Signal<Out, Bits<4>>,
    beat_good: Signal<Out, Bit>,
    beat_wrong: Signal<Out, Bit>,
    beat_gap: Signal<Out, Bit>,
    elastic_error: Signal<Out, Bit>,
    pairs: [Signal<Out, Bits<2>>; LANES],
    frame: Signal<Out, Bits<2>>,
    received: [Signal<In, Bits<2>>; LANES],
    received_frame: Signal<In, Bits<2>>,
    line: PortLine,
    phy: PhyLvds<LANES>,
}

impl LvdsPort {
    fn new() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_clock: Default::default(),
            rx_clock: Default::default(),
            kill: Default::default(),
            status: Default::default(),
            rx_lanes: Default::default(),
            beat_good: Default::default(),
            beat_wrong: Default::default(),
            beat_gap: Default::default(),
            elastic_error: Default::default(),
            pairs: Default::default(),
            frame: Default::default(),
            received: Default::default(),
            received_frame: Default::default(),
            line: PortLine::new(&PortConfig::short(2, LANES, 128)).expect("valid"),
            phy: PhyLvds::new(&LvdsConfig::new(LANES)).expect("valid"),
        }
    }
}

impl Logic for LvdsPort {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, line, phy);
        self.line.clear.next = self.clear.val();
        self.phy.clear.next = self.clear.val();
        self.phy.tx_clock.next = self.tx_clock.val();
        self.phy.rx_clock.next = self.rx_clock.val();
        self.line.restart.next = false;
        self.line.lanes.next = 3.into();
        self.line.mode.next = 1.into();
        self.line.inject.next = false;
        self.line.kill.next = self.kill.val();
        self.line.restore.next = false;
        self.line.zero.next = false;
        self.status.next = self.line.status.val();
        self.rx_lanes.next = self.line.rx_lanes.val();
        self.beat_good.next = self.line.beat_good.val();
        self.beat_wrong.next = self.line.beat_wrong.val();
        self.beat_gap.next = self.line.beat_gap.val();
        self.elastic_error.next = self.phy.elastic_error.val();
        self.phy.active.next = self.line.tx_lanes.val();
        self.phy.invert.next = self.line.invert.val();
        self.phy.slip.next = self.line.slip.val();
        self.line.signal_ok.next = self.phy.signal_ok.val();
        self.line.lane_lock.next = self.phy.lane_lock.val();
        self.line.elastic_error.next = self.phy.elastic_error.val();
        self.frame.next = self.phy.tx_frame.val();
        self.phy.rx_frame.next = self.received_frame.val();
        for i in 0..4 {
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.line.tx[i], &mut self.phy.tx[i]);
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.line.rx[i]);
            self.pairs[i].next = self.phy.tx_pairs[i].val();
            self.phy.rx_pairs[i].next = self.received[i].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lvds_port", &[])
    }
}

drive_ports!(impl[] LvdsPort {
    clock, clear, tx_clock, rx_clock, kill, status, rx_lanes, beat_good, beat_wrong, beat_gap, elastic_error, pairs, frame, received,
    received_frame,
});

struct Looped {
    bench: CompiledBench,
    clocks: [PortHandle; 3],
    outputs: [PortHandle; 6],
    pairs: Vec<PortHandle>,
    received: Vec<PortHandle>,
    line: Line,
    /// Next edge of core, own bit clock and the bit clock that comes back.
    next: [u64; 3],
    cut: bool,
    /// Wires of lane 2 are exchanged.
    turned: bool,
    good: u64,
    bad: u64,
    state: u64,
    lanes: u64,
    elastic_errors: u64,
    cores: u64,
}

impl Looped {
    fn new(late: usize) -> Self {
        let bench = CompiledBench::new("lvds_port", Box::new(LvdsPort::new())).expect("bench");
        let port = |path: &str| bench.port(path).expect("port");
        let of = |name: &str, frame: &str| -> Vec<PortHandle> {
            (0..LANES).map(|lane| port(&format!("{name}[{lane}]"))).chain([port(frame)]).collect()
        };
        Self {
            clocks: ["clock", "tx_clock", "rx_clock"].map(port),
            outputs: ["status", "rx_lanes", "beat_good", "beat_wrong", "beat_gap", "elastic_error"].map(port),
            pairs: of("pairs", "frame"),
            received: of("received", "received_frame"),
            line: Line::new(&[late; LANES + 1]),
            next: [1, 300, 2_300],
            cut: false,
            turned: false,
            good: 0,
            bad: 0,
            state: 0,
            lanes: 0,
            elastic_errors: 0,
            cores: 0,
            bench,
        }
    }

    fn step(&mut self) {
        let which = (0..3).min_by_key(|clock| self.next[*clock]).unwrap_or(0);
        self.next[which] += [CORE, BIT, BIT][which];
        match which {
            0 => {
                let [state, lanes, good, wrong, gap, elastic] =
                    self.outputs.map(|port| self.bench.get_u64(port));
                (self.state, self.lanes) = (state & 7, lanes);
                self.good += good;
                self.bad += wrong + gap;
                self.elastic_errors += elastic;
                self.cores += 1;
            }
            1 => {
                let mut pairs: Vec<u8> =
                    self.pairs.iter().map(|port| self.bench.get_u64(*port) as u8).collect();
                pairs[2] ^= if self.turned { 3 } else { 0 };
                self.line.push(&pairs);
            }
            _ => {
                let pairs = self.line.pop();
                if self.cut {
                    return;
                }
                for (port, pair) in self.received.iter().zip(pairs) {
                    self.bench.set_u64(*port, pair.into());
                }
            }
        }
        self.bench.step_clocks(&[self.clocks[which]]).expect("steps");
    }

    fn run(&mut self, cores: u64) {
        let until = self.cores + cores;
        while self.cores < until {
            self.step();
        }
    }

    fn until(&mut self, state: LinkState, what: &str) {
        let limit = self.cores + UP;
        while self.state != state as u64 {
            assert!(self.cores < limit, "{what}: state {}", self.state);
            self.step();
        }
    }
}

#[test]
fn a_port_comes_up_over_the_line_and_loses_nothing() {
    let mut link = Looped::new(13);
    link.turned = true;
    link.until(LinkState::Active, "up");
    println!("Active after {} core clocks", link.cores);
    link.run(3_000);
    let good = link.good;
    let from = link.cores;
    link.run(6_000);
    // 16 flits in 33 words, a beat of two flits; a word per lane in 8 core clocks.
    let beats = (link.cores - from) as f64 * (BIT as f64).recip() * CORE as f64 / 16.0 * 4.0 / 33.0 * 8.0;
    assert!((link.good - good) as f64 > 0.98 * beats, "{} beats of {beats}", link.good - good);
    assert_eq!(link.bad, 0);

    // The clock pair is cut: Retraining by `signal_ok`; after it nothing is missing.
    for clocks in [70, 300] {
        link.cut = true;
        link.run(clocks);
        link.cut = false;
        link.until(LinkState::Retraining, "the cut");
        link.until(LinkState::Active, "up again");
        let good = link.good;
        link.run(3_000);
        assert!(link.good > good + 250 && link.bad == 0, "{} good, {} bad", link.good - good, link.bad);
    }

    // A lane dies: the link goes on with three.
    let kill = link.bench.port("kill").expect("port");
    link.bench.set_u64(kill, 1);
    link.run(1);
    link.bench.set_u64(kill, 0);
    link.until(LinkState::Degraded, "a lane less");
    let good = link.good;
    link.run(4_000);
    assert!(link.good > good + 250 && link.bad == 0, "{} good, {} bad", link.good - good, link.bad);
    assert_eq!(link.lanes, 0xE);
    assert_eq!(link.elastic_errors, 0, "the line never ran empty");
}
