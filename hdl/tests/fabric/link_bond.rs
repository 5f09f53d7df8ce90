//! `link_bond` between ports that stall, retrain and fail on their own: wide beats come whole, once and in order.

use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::bond::{deal, BondReceiver, BondSender};
use flitforge_model::Flit;
use flitforge_protocol::beat::{beats_per_ltp, flit_beat_bits};
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::link::LinkState;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, FlowMonitor, Pace, Rng as KitRng, SharedScoreboard, StreamMonitor,
    StreamPorts, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, failed, Seen};
use rand::Rng;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// What is built: ports, flits per beat, replay slots.
#[derive(Clone, Copy)]
pub struct Shape {
    pub links: usize,
    pub flits: usize,
    pub slots: usize,
}

/// One port, and the cable from it.
struct Port {
    tx: StreamPorts,
    tx_ready: PortHandle,
    rx: StreamPorts,
    side: StreamPorts,
    side_place: PortHandle,
    state_port: PortHandle,
    index_port: PortHandle,
    state: LinkState,
    /// Clocks that the state lasts.
    lasts: u32,
    /// Clocks in which nothing comes over it.
    stalled: u32,
    /// Shares on the cable from this port.
    cable: VecDeque<Value>,
    delivered: u64,
    /// LTPs since the start, and clocks to the next one.
    ltps: u64,
    next_ltp: u32,
    message: u64,
    messages: VecDeque<u64>,
}

/// The model of the ingress.
type SharedSender = Rc<RefCell<BondSender>>;

/// All ports: what the bond sends over port i comes in over port `from`, (i + 1) mod B being that of port i.
struct Ports {
    shape: Shape,
    ports: Vec<Port>,
    random: KitRng,
    renew: PortHandle,
    clear: PortHandle,
    restart: PortHandle,
    lost: PortHandle,
    sender: SharedSender,
    side_out: StreamPorts,
    side_out_place: PortHandle,
    collected: u64,
    board: SharedScoreboard,
    quiet_from: u64,
    seen: Seen,
}

impl Ports {
    fn new(
        shape: Shape,
        bench: &dyn Bench,
        (seed, seen): (u64, Seen),
        (board, sender): (&SharedScoreboard, SharedSender),
        quiet_from: u64,
    ) -> Result<Self, SimError> {
        let port = |index: usize| -> Result<Port, SimError> {
            let path = |name: &str| format!("{name}[{index}]");
            Ok(Port {
                tx: StreamPorts::find(bench, &path("shares_out"))?,
                tx_ready: bench.port(&format!("{}.ready", path("shares_out")))?,
                rx: StreamPorts::find(bench, &path("shares_in"))?,
                side: StreamPorts::find(bench, &path("side_in"))?,
                side_place: bench.port(&path("side_in_place"))?,
                state_port: bench.port(&path("state"))?,
                index_port: bench.port(&path("bond_index"))?,
                state: LinkState::Down,
                lasts: 5,
                stalled: 0,
                cable: VecDeque::new(),
                delivered: 0,
                ltps: 0,
                next_ltp: 0,
                message: 0,
                messages: VecDeque::new(),
            })
        };
        Ok(Ports {
            shape,
            ports: (0..shape.links).map(port).collect::<Result<_, _>>()?,
            random: rng(seed, "ports"),
            renew: bench.port("renew")?,
            clear: bench.port("clear")?,
            restart: bench.port("restart")?,
            lost: bench.port("lost")?,
            sender,
            side_out: StreamPorts::find(bench, "side_out")?,
            side_out_place: bench.port("side_place")?,
            collected: 0,
            board: board.clone(),
            quiet_from,
            seen,
        })
    }

    fn go_down(&mut self, index: usize) {
        let lasts = self.random.random_range(2..12);
        let port = &mut self.ports[index];
        (port.state, port.lasts) = (LinkState::Down, lasts);
        port.cable.clear();
        (port.ltps, port.message) = (0, 0);
    }

    /// The next state of a port.
    fn step(&mut self, index: usize, renewed: bool, quiet: bool) {
        let random = &mut self.random;
        let (retrains, fails) = (random.random_bool(0.004), random.random_bool(0.000_6));
        let lasts = random.random_range(2..20);
        let port = &mut self.ports[index];
        port.lasts = port.lasts.saturating_sub(1);
        let next = match port.state {
            _ if renewed => LinkState::Down,
            LinkState::Active | LinkState::Degraded if fails && !quiet => LinkState::Down,
            LinkState::Active | LinkState::Degraded if retrains && !quiet => LinkState::Retraining,
            LinkState::Active | LinkState::Degraded => port.state,
            _ if port.lasts > 0 => port.state,
            LinkState::Down => LinkState::Polling,
            LinkState::Polling => LinkState::Training,
            LinkState::Training | LinkState::Retraining => LinkState::Init,
            _ if lasts % 4 == 0 => LinkState::Degraded,
            _ => LinkState::Active,
        };
        if next == port.state {
            return;
        }
        self.seen.count(next.name());
        (port.state, port.lasts) = (next, lasts);
        if next == LinkState::Down {
            self.go_down(index);
        }
    }

    /// What comes over a port: the shares of the port before it, unless that is too far ahead or stalls.
    fn receive(&mut self, index: usize, quiet: bool, bench: &mut dyn Bench) {
        let from = (index + self.shape.links - 1) % self.shape.links;
        let slowest = self.ports.iter().map(|port| port.delivered).min().unwrap_or_default();
        // Acknowledgements take longer than a wide beat takes after its last share.
        let room = (self.shape.slots * beats_per_ltp(self.shape.flits) - 8) as u64;
        let carries = |state| matches!(state, LinkState::Active | LinkState::Degraded);
        let (stall, moves) = (self.random.random_bool(0.002), self.random.random_bool(0.9));
        let stalled = self.random.random_range(1..400);
        let both = carries(self.ports[index].state) && carries(self.ports[from].state);
        let port = &mut self.ports[index];
        port.stalled = if stall && !quiet { stalled } else { port.stalled.saturating_sub(1) };
        let goes = both && moves && port.stalled == 0 && port.delivered - slowest < room;
        let (rx, width) = (port.rx.clone(), flit_beat_bits(self.shape.flits) as u32);
        let share = if goes { self.ports[from].cable.pop_front() } else { None };
        bench.set_u64(rx.valid, u64::from(share.is_some()));
        self.ports[index].delivered += u64::from(share.is_some());
        bench.set(rx.data, &share.unwrap_or_else(|| Value::zero(width)));
    }

    /// A sideband message of four LTPs now and then, its port in the top bits.
    fn side(&mut self, index: usize, bench: &mut dyn Bench) {
        let (spacing, pause) = (beats_per_ltp(self.shape.flits) as u32, self.random.random_range(0..3));
        let message = (index as u64) << 6 | self.random.random_range(0..64);
        let port = &mut self.ports[index];
        let carries = matches!(port.state, LinkState::Active | LinkState::Degraded);
        port.next_ltp = port.next_ltp.saturating_sub(1);
        let ltp = carries && port.next_ltp == 0;
        bench.set_u64(port.side.valid, u64::from(ltp));
        let place = port.ltps % 4;
        bench.set_u64(port.side_place, place);
        if ltp {
            port.next_ltp = spacing + pause;
            if place == 0 {
                port.message = if message % 5 == 0 { 0 } else { message };
            }
            bench.set_u64(port.side.data, port.message >> (2 * place) & 3);
            port.ltps += 1;
            if place == 3 && port.message != 0 {
                let message = port.message;
                port.messages.push_back(message);
            }
        }
    }

    fn side_out(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if !bench.get_bit(self.side_out.valid) {
            return Ok(());
        }
        let place = bench.get_u64(self.side_out_place);
        if place == 0 {
            self.collected = 0;
        }
        self.collected |= bench.get_u64(self.side_out.data) << (2 * place);
        if place == 3 {
            let port = (self.collected >> 6) as usize;
            let expected = self.ports.get_mut(port).and_then(|port| port.messages.pop_front());
            if expected != Some(self.collected) {
                let problem = format!("message {:02x}, expected {expected:02x?}", self.collected);
                return Err(failed(clock, problem));
            }
            self.seen.count("message");
        }
        Ok(())
    }

    /// What waits at the ingress is told when the bond falls, and only then.
    fn fall(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let (clear, restart) = (bench.get_bit(self.clear), bench.get_bit(self.restart));
        let counts = if clear || restart { self.sender.borrow_mut().fall() } else { vec![] };
        let told =
            counts.iter().enumerate().fold(0, |told, (port, counts)| told | u64::from(*counts) << port);
        let (found, expected) = (bench.get_u64(self.lost), if restart { told } else { 0 });
        if found != expected {
            return Err(failed(clock, format!("lost is {found:04b}, expected {expected:04b}")));
        }
        if restart && told != 0 {
            self.seen.count("counted at an ingress");
        }
        if clear || restart {
            self.forget();
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.board.with(|board| board.flush());
        for port in &mut self.ports {
            port.cable.clear();
            port.messages.clear();
            (port.delivered, port.ltps, port.message) = (0, 0, 0);
        }
    }
}

impl Agent for Ports {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let renew = bench.get_u64(self.renew);
        let quiet = clock >= self.quiet_from;
        for index in 0..self.shape.links {
            self.step(index, renew >> index & 1 == 1, quiet);
            self.receive(index, quiet, bench);
            self.side(index, bench);
            let ready = self.random.random_bool(0.9);
            let port = &self.ports[index];
            let carries = matches!(port.state, LinkState::Active | LinkState::Degraded);
            bench.set_u64(port.tx_ready, u64::from(carries && ready));
            bench.set_u64(port.state_port, port.state.code().into());
            // The port that it comes from.
            let from = (index + self.shape.links - 1) % self.shape.links;
            bench.set_u64(port.index_port, from as u64);
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let is_falling = bench.get_bit(self.clear) || bench.get_bit(self.restart);
        for (index, port) in self.ports.iter_mut().enumerate().filter(|_| !is_falling) {
            if bench.get_bit(port.tx.valid) && bench.get_bit(port.tx_ready) {
                let share = bench.get(port.tx.data);
                let expected = self.sender.borrow_mut().give(index).map(|share| beat_value(&share));
                if expected.as_ref() != Some(&share) {
                    return Err(failed(clock, format!("port {index}: {share:?}, expected {expected:?}")));
                }
                port.cable.push_back(share);
            }
        }
        self.side_out(clock, bench)?;
        self.fall(clock, bench)
    }
}

/// A wide beat, with Idle and ForceIdle shares among others.
fn wide(random: &mut KitRng, shape: Shape) -> Vec<Flit> {
    let share = |random: &mut KitRng| -> Vec<Flit> {
        let kind = random.random_range(0..4);
        (0..shape.flits)
            .map(|_| match kind {
                0 => Flit::control(Opcode::Idle, random.random_range(0..3)),
                1 if random.random_bool(0.3) => Flit::control(Opcode::ForceIdle, 0),
                1 => Flit::IDLE,
                _ => Flit::body(random.random()),
            })
            .collect()
    };
    (0..shape.links).flat_map(|_| share(random)).collect()
}

/// The wide beat as it comes out at the other end.
fn expected(wide: &[Flit], shape: Shape) -> Option<Vec<Flit>> {
    let shares = deal(wide, shape.links, shape.flits).expect("legal")?;
    let indices: Vec<usize> = (0..shape.links).collect();
    let mut receiver = BondReceiver::new(&indices, 1).expect("ports");
    shares.iter().enumerate().for_each(|(port, share)| receiver.push(port, share).expect("room"));
    receiver.pop()
}

fn stimulus(
    shape: Shape,
    clocks: u64,
    testbench: &mut Testbench<'static>,
    (seed, seen): (u64, Seen),
) -> Result<SharedScoreboard, SimError> {
    let quiet_from = clocks - (clocks / 4).min(1_500);
    let board = SharedScoreboard::new("wide beats");
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
    let sender = Rc::new(RefCell::new(BondSender::new(shape.links, shape.flits).expect("ports")));
    let ingresses = sender.clone();
    let (taken, dealt) = (board.clone(), seen.clone());
    let now = Rc::new(Cell::new(0));
    let time = now.clone();
    let source = StreamSource::new(testbench.bench(), "flits_in", seed)?
        .pace(Pace::mixed())
        .items(move |random, _| (now.get() < quiet_from).then(|| beat_value(&wide(random, shape))))
        .on_transfer(move |clock, value| {
            time.set(clock);
            ingresses.borrow_mut().take(&flits_of(value)).expect("a wide beat");
            match expected(&flits_of(value), shape) {
                None => dealt.count("idle"),
                Some(wide) => {
                    dealt.count("dealt");
                    taken.with(|board| board.push(clock, beat_value(&wide)));
                }
            }
            Ok(())
        });
    testbench.add(source);
    let came = seen.clone();
    let monitor = FlowMonitor::new(testbench.bench(), "flits_out")?.checking(&board);
    testbench.add(monitor.on_transfer(move |_, _| {
        came.count("came");
        Ok(())
    }));
    testbench.add(StreamMonitor::new(testbench.bench(), "flits_in")?);
    testbench.add(Ports::new(shape, testbench.bench(), (seed, seen), (&board, sender), quiet_from)?);
    Ok(board)
}

/// A co-simulation between troubled ports, and the check that nothing is left at its end.
pub fn plan(
    name: &str,
    shape: Shape,
    clocks: u64,
    seen: &Seen,
) -> (CosimPlan<'static>, impl FnOnce() + use<>) {
    let sizes = [shape.links, shape.flits, shape.slots].map(|size| size as u64);
    let settings = [("links", sizes[0]), ("f", sizes[1]), ("slots", sizes[2])];
    let (seen, left) = (seen.clone(), Rc::new(RefCell::new(None)));
    let at_end = left.clone();
    let make = move || build("link_bond", &settings).block;
    let plan = CosimPlan::new(name, seed(0xB0D), make, move |testbench, seed| {
        *left.borrow_mut() = Some(stimulus(shape, clocks, testbench, (seed, seen))?);
        Ok(())
    });
    let finish = move || {
        let board: SharedScoreboard = at_end.borrow().clone().expect("has run");
        board.with(|board| board.expect_empty(clocks)).expect("nothing left");
    };
    (plan.clocks(clocks).stock_limit(100, "a quick run: rust-hdl itself is slow"), finish)
}

pub const SHAPES: [Shape; 3] = [
    Shape { links: 4, flits: 1, slots: 16 },
    Shape { links: 2, flits: 2, slots: 128 },
    Shape { links: 3, flits: 4, slots: 128 },
];

#[test]
fn wide_beats_come_whole_once_and_in_order() {
    let depth = depth();
    let seen = Seen::default();
    for shape in SHAPES {
        let name = format!("link_bond_{}x{}", shape.links, shape.flits);
        let (plan, finish) = plan(&name, shape, depth.clocks(6_000), &seen);
        plan.to_depth(depth).run().unwrap_or_else(|error| panic!("{name}: {error}"));
        finish();
    }
    seen.require(&[
        ("dealt", 3_000),
        ("came", 2_000),
        ("idle", 20),
        ("message", 300),
        ("Retraining", 50),
        ("Degraded", 20),
        ("Down", 10),
        ("counted at an ingress", 3),
    ]);
}

/// Without trouble every clock takes a wide beat, and none is missing at the end.
#[test]
fn one_wide_beat_per_clock() {
    for shape in SHAPES {
        let settings =
            [("links", shape.links as u64), ("f", shape.flits as u64), ("slots", shape.slots as u64)];
        let mut testbench =
            Testbench::new(flitforge_sim::open("bond", build("link_bond", &settings).block).expect("opens"));
        let bench = testbench.bench_mut();
        let mut ports = vec![];
        for link in 0..shape.links {
            let set = |bench: &mut dyn Bench, path: String, value| {
                let port = bench.port(&path).expect("port");
                bench.set_u64(port, value);
            };
            set(bench, format!("state[{link}]"), LinkState::Active.code().into());
            set(bench, format!("bond_index[{link}]"), link as u64);
            set(bench, format!("shares_out[{link}].ready"), 1);
            let tx = StreamPorts::find(bench, &format!("shares_out[{link}]")).expect("port");
            let rx = StreamPorts::find(bench, &format!("shares_in[{link}]")).expect("port");
            ports.push((tx, rx));
        }
        let board = SharedScoreboard::new("wide beats");
        let source = StreamSource::new(testbench.bench(), "flits_in", 1)
            .expect("port")
            .pace(Pace::Always)
            .items(move |random, count| {
                let busy =
                    (0..shape.links * shape.flits).map(|_| Flit::body(random.random())).collect::<Vec<_>>();
                (count < 2_000).then(|| beat_value(&busy))
            })
            .feeding(&board);
        testbench.add(source);
        testbench.add(FlowMonitor::new(testbench.bench(), "flits_out").expect("port").checking(&board));
        testbench.add(Wires(ports));
        testbench.run(2_000 + 20).expect("runs");
        assert_eq!(board.with(|board| (board.pushed(), board.waiting())), (2_000, 0));
        let skew = testbench.bench().port("skew").expect("port");
        assert!(testbench.bench().get_u64(skew) <= 6, "shares wait no longer than the FIFO's own latency");
    }
}

/// Ports that deliver each share on the clock after it.
struct Wires(Vec<(StreamPorts, StreamPorts)>);

impl Agent for Wires {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        for (tx, rx) in &self.0 {
            let (valid, data) = (bench.get_u64(tx.valid), bench.get(tx.data));
            bench.set_u64(rx.valid, valid);
            bench.set(rx.data, &data);
        }
        Ok(())
    }
}
