//! The packer: what may be seen of it from outside on all simulators, and the golden model at quiet moments.

mod aligner;
mod ledger;
mod rig;

use flitforge_hdl_sue::pack::{SuePack, LATENCY};
use flitforge_model::sue::{Command, Flush, Gate, Packer, PackerConfig, QueueKey, QueueLevels};
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{rng, seed, Coverage, FlowMonitor, Pace, StimulusFn, StreamMonitor, Testbench};
use flitforge_sim::{open, Bench, CosimPlan};
use flitforge_testkit::depth;
use rand::Rng as _;
use rig::{Given, Habits, Registers, Rig, Shared};
use std::cell::RefCell;
use std::rc::Rc;

/// 4 XPUs, 64 cells.
type Small = SuePack<2, 6, 4, 5, 9>;

const REGISTERS: Registers =
    Registers { pack_max: 512, weights: [1, 2, 3, 1], cells: 64, thresholds: [7, 3] };

/// Clocks without a word between bodies of queues that wait.
const BETWEEN_BODIES: u64 = 11;
/// Clocks from a virtual channel that gets ready to the first word of a body of a queue that waits.
const FROM_READY: u64 = 19;

fn habits() -> Habits {
    Habits {
        commands: Pace::mixed(),
        takes: Pace::mixed(),
        flush: 0.05,
        wrong: 0.03,
        closed: 0.3,
        readiness: true,
        clears: 0.000_2,
        ..Habits::quiet(30)
    }
}

fn plan(
    name: &str,
    registers: Registers,
    habits: Habits,
    seen: &Rc<RefCell<Coverage>>,
) -> CosimPlan<'static> {
    let make = || Box::new(Small::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9ac), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rig::shared(testbench.bench(), registers, habits.clone(), seed)?;
        let shared = rig.clone();
        testbench.add(rig);
        for name in ["commands", "body"] {
            testbench.add(StreamMonitor::new(testbench.bench(), name)?);
        }
        for name in ["turns", "cells_freed", "queue_xoff"] {
            testbench.add(FlowMonitor::new(testbench.bench(), name)?);
        }
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = shared.0.borrow().ledger.seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn bodies_are_as_the_rules_say() {
    let crowded = Habits { credits: false, clears: 0.000_2, ..habits() };
    let calm = Habits { flush: 0.0, most_octets: 64, clears: 0.0, ..habits() };
    for (name, habits) in [("sue_pack", habits()), ("sue_pack_crowded", crowded), ("sue_pack_calm", calm)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, REGISTERS, habits, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        println!("{name}: {:?}", seen.borrow().counters().collect::<Vec<_>>());
    }
}

/// A packer at which nothing happens by itself, ready to take commands.
struct Quiet {
    testbench: Testbench<'static>,
    rig: Shared,
}

impl Quiet {
    fn new(registers: Registers, answers: u64) -> Self {
        let block = Box::new(Small::new().expect("valid"));
        let mut testbench = Testbench::new(open("sue_pack", block).expect("opens"));
        let habits = Habits { credits: false, ..Habits::quiet(answers) };
        let rig = Rig::shared(testbench.bench(), registers, habits, 1).expect("its ports");
        testbench.add(rig.clone());
        let mut quiet = Self { testbench, rig };
        quiet.run(200);
        quiet
    }

    fn run(&mut self, clocks: u64) {
        self.testbench.run(clocks).expect("as the rules say");
    }

    fn ready(&self, mask: u64) {
        self.rig.0.borrow_mut().ready = mask;
    }

    fn give(&mut self, key: (u64, u64), partition: u64, flush: bool, octets: usize) {
        let octets = (0..octets).map(|place| place as u8).collect();
        let given = Given { key, partition, flush, wrong: false, octets };
        self.rig.0.borrow_mut().script.push_back(given);
    }

    /// All commands are in their queues.
    fn settle(&mut self) {
        while !self.rig.0.borrow().has_sent() {
            self.run(1);
        }
        self.run(40);
    }

    /// Commands of the bodies, in their order.
    fn bodies(&self) -> Vec<Vec<u64>> {
        self.rig.0.borrow().ledger.bodies.iter().map(|body| body.commands.clone()).collect()
    }
}

#[test]
fn worked_example_13() {
    let mut quiet = Quiet::new(REGISTERS, 1);
    quiet.ready(0);
    for destination in [0, 1, 2, 3, 2] {
        quiet.give((destination, 0), 7, false, 48);
    }
    quiet.settle();
    quiet.ready(15);
    quiet.run(200);
    assert_eq!(quiet.bodies(), [vec![1], vec![2], vec![3, 5], vec![4]], "A, B, C with E, D");
    assert!(quiet.rig.0.borrow().ledger.is_empty(), "all cells are back");
}

/// Commands, answers and turns one after the other, so that there is one order of what happens.
#[test]
fn turns_and_bodies_are_those_of_the_model() {
    let config = PackerConfig { pack_max: REGISTERS.pack_max as u32, weights: vec![1, 2, 3, 1], peers: 4 };
    let mut seen = Coverage::default();
    let mut random = rng(seed(0x13), "steps");
    let mut quiet = Quiet::new(REGISTERS, 0);
    quiet.ready(0);
    let mut model = Packer::new(config).expect("valid");
    let mut levels = QueueLevels::new(REGISTERS.thresholds[0] as u32, REGISTERS.thresholds[1] as u32);
    let mut crossings: Vec<((u64, u64), bool)> = Vec::new();
    let (mut number, mut unanswered, mut flushes) = (0, Vec::new(), [None; 4]);
    for _ in 0..400 {
        for _ in 0..random.random_range(0..6) {
            let mut given = quiet.rig.0.borrow_mut().random_command();
            if !quiet.rig.0.borrow().ledger.has_credits(given.key.1, given.octets.len()) {
                continue;
            }
            number += 1;
            let (destination, vc) = (given.key.0 as u16, given.key.1 as u8);
            let key = QueueKey { destination, vc };
            // Two flushed queues of a virtual channel go in the order of their flushes here, the other way round in the model.
            let alone = flushes[usize::from(vc)].is_none();
            let out = model.queue_bytes(key) == 0 || unanswered.contains(&key);
            given.flush = alone && out && random.random_bool(0.2);
            if given.flush {
                flushes[usize::from(vc)] = Some(number);
                seen.hit(if unanswered.contains(&key) { "flush to a parked queue" } else { "flush" });
            }
            let flush = if given.flush { Flush::Yes } else { Flush::No };
            let (partition, bytes) = (given.partition as u16, given.octets.len() as u32);
            let command = Command { destination, vc, partition, bytes, flush, id: number };
            model.arrive(command).expect("valid");
            let cells = bytes.div_ceil(COMMAND_CELL_BYTES as u32);
            crossings.extend(levels.arrive(key, cells).map(|on| (given.key, on)));
            quiet.rig.0.borrow_mut().script.push_back(given);
            quiet.settle();
        }
        let mut closed = Vec::new();
        for key in unanswered.drain(..) {
            if random.random_bool(0.5) {
                let open = random.random_bool(0.6);
                let address = (u64::from(key.destination), u64::from(key.vc));
                quiet.rig.0.borrow_mut().answers.push_back((0, address, open));
                quiet.run(40);
                if open {
                    model.window_opened(key);
                    continue;
                }
            }
            closed.push(key);
        }
        unanswered = closed;
        let mask = random.random_range(0..16u64);
        let before = model.clone();
        let gate = |key: QueueKey, _| {
            if mask >> key.vc & 1 == 1 {
                Gate::Open { port: 0 }
            } else {
                Gate::NoSlot
            }
        };
        let Some(key) = model.start(gate) else {
            model = before;
            quiet.ready(mask);
            let turns = quiet.rig.0.borrow().ledger.turns.len();
            quiet.run(60);
            assert_eq!(quiet.rig.0.borrow().ledger.turns.len(), turns, "nobody has a turn");
            quiet.ready(0);
            seen.hit("no turn");
            continue;
        };
        let bodies = quiet.rig.0.borrow().ledger.bodies.len();
        // Long enough for one choice.
        quiet.ready(mask);
        quiet.run(6);
        quiet.ready(0);
        while quiet.rig.0.borrow().ledger.turns.len() == bodies {
            quiet.run(1);
        }
        quiet.run(200);
        let expected = model.close_and_park().expect("it was started");
        let came = quiet.rig.0.borrow().ledger.bodies[bodies].clone();
        assert_eq!(came.key, (u64::from(key.destination), u64::from(key.vc)));
        for command in &expected.commands {
            for _ in 0..command.bytes.div_ceil(COMMAND_CELL_BYTES as u32) {
                crossings.extend(levels.leave(key).map(|on| (came.key, on)));
            }
        }
        assert_eq!(quiet.rig.0.borrow().ledger.crossings, crossings);
        let commands: Vec<u64> = expected.commands.iter().map(|command| command.id).collect();
        assert_eq!((came.commands, came.octets as u32), (commands, expected.bytes));
        let gone = |flushed: &mut Option<u64>| {
            if flushed.is_some_and(|id| expected.commands.iter().any(|command| command.id == id)) {
                *flushed = None;
            }
        };
        flushes.iter_mut().for_each(gone);
        seen.hit(if expected.commands.len() > 1 { "several" } else { "one" });
        unanswered.push(key);
    }
    assert!(crossings.len() > 20, "{} thresholds crossed", crossings.len());
    seen.require("steps", &["flush", "flush to a parked queue", "no turn", "several", "one"])
        .expect("all happened");
}

/// A queue that fills, one that stays below QHI, a clear while an XPU is to hold back, and thresholds that are equal.
#[test]
fn full_queues_hold_their_xpu_back() {
    for thresholds in [[7, 3], [4, 4], [1, 0]] {
        let [high, low] = thresholds;
        let mut quiet = Quiet::new(Registers { thresholds, ..REGISTERS }, 1);
        quiet.ready(0);
        // Cells one by one, two of them short commands.
        for cell in 1..=high + 2 {
            quiet.give((2, 1), 0, false, if cell % 2 == 0 { 64 } else { 8 });
            quiet.settle();
            let expected: &[_] = if cell >= high { &[((2, 1), true)] } else { &[] };
            assert_eq!(quiet.rig.0.borrow().ledger.crossings, expected, "{cell} of {thresholds:?}");
        }
        if high > 1 {
            quiet.give((3, 1), 0, false, 64 * (high as usize - 1).min(5));
            quiet.settle();
        }
        quiet.ready(15);
        quiet.run(400);
        assert_eq!(quiet.rig.0.borrow().ledger.crossings, [((2, 1), true), ((2, 1), false)], "{low}");
        assert!(quiet.rig.0.borrow().ledger.is_empty());
        quiet.ready(0);
        (0..=high).for_each(|_| quiet.give((0, 3), 0, false, 64));
        quiet.settle();
        assert_eq!(quiet.rig.0.borrow().ledger.crossings.len(), 3);
        quiet.rig.0.borrow_mut().habits.clears = 1.0;
        quiet.run(2);
        quiet.rig.0.borrow_mut().habits.clears = 0.0;
        quiet.run(200);
        // Nothing is left: one cell less than QHI says nothing, one more does.
        for cell in 1..=high {
            quiet.give((0, 3), 0, false, 64);
            quiet.settle();
            let expected: &[_] = if cell >= high { &[((0, 3), true)] } else { &[] };
            assert_eq!(quiet.rig.0.borrow().ledger.crossings, expected, "{cell} of {thresholds:?}");
        }
    }
}

#[test]
fn each_virtual_channel_has_its_share_of_a_round() {
    let mut quiet = Quiet::new(REGISTERS, 1);
    quiet.ready(0);
    // Each command is a body of its own: the one before it is of another partition.
    for round in 0..14 {
        for vc in 0..4 {
            quiet.give((round % 4, vc), round / 4 % 2, false, 8);
        }
    }
    quiet.settle();
    quiet.ready(15);
    quiet.run(1_500);
    let turns: Vec<u64> = quiet.rig.0.borrow().ledger.turns.iter().map(|(_, key)| key.1).collect();
    assert_eq!(turns[..28], [0, 1, 1, 2, 2, 2, 3].repeat(4), "weights 1, 2, 3, 1");
    assert_eq!(turns.len(), 56);
    assert!(quiet.rig.0.borrow().ledger.is_empty(), "all cells are back");
}

/// Clocks of a body of `count` waiting commands of `octets` each, from its first word to its last.
fn clocks_of_body(count: usize, octets: usize) -> u64 {
    let mut quiet = Quiet::new(Registers { pack_max: 4096, ..REGISTERS }, 1);
    quiet.ready(0);
    for _ in 0..count {
        quiet.give((1, 2), 0, false, octets);
    }
    quiet.settle();
    quiet.ready(15);
    quiet.run(1_000);
    let bodies = &quiet.rig.0.borrow().ledger.bodies;
    assert_eq!((bodies.len(), bodies[0].octets), (1, count * octets));
    bodies[0].clocks[1] - bodies[0].clocks[0] + 1
}

#[test]
fn a_word_in_each_clock_for_commands_of_four_words() {
    // A body that begins with a command of four words waits a clock for the second one.
    for (count, octets, clocks) in [(30, 32, 121), (24, 64, 192), (12, 320, 480)] {
        assert_eq!(clocks_of_body(count, octets), clocks, "{count} commands of {octets} octets");
    }
}

#[test]
fn latencies() {
    for (octets, clocks) in [(64, u64::from(LATENCY)), (8, u64::from(LATENCY))] {
        let mut quiet = Quiet::new(REGISTERS, 1);
        quiet.give((2, 1), 0, false, octets);
        quiet.run(200);
        let body = quiet.rig.0.borrow().ledger.bodies[0].clone();
        assert_eq!(body.clocks[0] - body.arrived, clocks, "a lone command of {octets} octets");
    }
}

/// Clocks between bodies of queues that wait, and from a virtual channel that gets ready to the first word.
#[test]
fn bodies_follow_each_other_soon() {
    let mut quiet = Quiet::new(REGISTERS, 1);
    quiet.ready(0);
    for destination in 0..4 {
        quiet.give((destination, 3), 0, false, 320);
    }
    quiet.settle();
    let now = quiet.testbench.clock();
    quiet.ready(8);
    quiet.run(1_000);
    let bodies = quiet.rig.0.borrow().ledger.bodies.clone();
    assert_eq!(bodies[0].clocks[0] - now, FROM_READY);
    for pair in bodies.windows(2) {
        assert_eq!(pair[1].clocks[0] - pair[0].clocks[1] - 1, BETWEEN_BODIES);
    }
}

#[test]
fn commands_of_four_words_go_in_without_a_gap() {
    for (octets, spacing) in [(320, 40), (32, 4), (8, 4)] {
        let mut quiet = Quiet::new(REGISTERS, 1);
        quiet.ready(0);
        for command in 0..12 {
            quiet.give((command % 4, 0), 0, false, octets);
        }
        quiet.settle();
        let arrivals = quiet.rig.0.borrow().ledger.arrivals.clone();
        // The first two words find an empty packer.
        let spacings: Vec<u64> = arrivals[1..].windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(spacings, [spacing; 10], "commands of {octets} octets");
    }
}
