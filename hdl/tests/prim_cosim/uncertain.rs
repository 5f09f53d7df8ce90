//! Crossings whose first flip-flops take old or new values at random: the FIFO between clocks stays right, a
//! binary number through synchronizers does not.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::{drive_ports, verilog, Value};
use flitforge_hdl::prim::async_fifo::AsyncFifo;
use flitforge_hdl::prim::skid::Skid;
use flitforge_hdl::prim::synchronizer::Synchronizer;
use flitforge_sim::crossing::{CrossingNoise, UncertainDesign, LATE_PORT};
use flitforge_sim::design_of;
use flitforge_sim::kit::{
    power_on, seed, Pace, SharedScoreboard, StimulusFn, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::{Bench, CompiledBench, GraphBench, SimError};
use rust_hdl::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

type Fifo = AsyncFifo<Bits<32>, 5, 6>;

fn uncertain(name: &str, block: &dyn DriveBlock) -> UncertainDesign {
    UncertainDesign::new(name, &design_of(name, block).expect("elaborates")).expect("crosses")
}

/// Two clocks with these periods in picoseconds.
fn clocks(testbench: &mut Testbench<'_>, periods: [(&str, u64); 2]) -> Result<(), SimError> {
    let [a, b] = periods;
    let schedule = [(testbench.bench().port(a.0)?, a.1, 0), (testbench.bench().port(b.0)?, b.1, 1_234)];
    testbench.set_schedule(ClockSchedule::new(&schedule));
    Ok(())
}

#[test]
fn every_pointer_bit_of_the_fifo_is_found_once() {
    let found = uncertain("fifo", &Fifo::new().expect("valid"));
    assert_eq!(found.registers.len(), 12, "{:?}", found.registers);
    for (offset, register) in (0u32..).zip(&found.registers) {
        assert!(register.path.ends_with(".stage[0]"), "{}", register.path);
        let clock = if register.path.starts_with("read_gray_bit") { "write_clock" } else { "read_clock" };
        assert_eq!((register.clock.as_str(), register.width, register.offset), (clock, 1, offset));
    }
    let port = found.design.top_module().ports().find(|(_, port)| port.path == LATE_PORT);
    assert_eq!(port.map(|(_, port)| port.width), Some(12));
    // The changed design is a design like any other.
    let text = verilog::write(&found.design, &verilog::Options::default());
    assert!(text.contains(LATE_PORT));
}

#[test]
fn a_design_without_crossings_is_refused() {
    let design = design_of("skid", &Skid::<Bits<8>>::default()).expect("elaborates");
    let error = UncertainDesign::new("skid", &design).expect_err("refused").to_string();
    assert!(error.contains("skid") && error.contains("another clock"), "{error}");
}

/// Random traffic through the FIFO; returns the words that crossed and the bits that were late.
fn cross(bench: Box<dyn Bench>, found: &UncertainDesign, periods: [u64; 2], edges: u64) -> (u64, u64) {
    let seed = seed(0xc1055);
    let mut testbench = Testbench::new(bench);
    clocks(&mut testbench, [("write_clock", periods[0]), ("read_clock", periods[1])]).expect("clocks");
    let board = SharedScoreboard::new("words");
    let both = ["write_clear", "read_clear"];
    for clear in both {
        power_on(testbench.bench_mut(), clear, 4).expect("clear");
    }
    let source = StreamSource::new(testbench.bench(), "words_in", seed).expect("ports");
    let sink = StreamSink::new(testbench.bench(), "words_out", seed).expect("ports");
    testbench.add_on("write_clock", source.pace(Pace::mixed()).feeding(&board)).expect("clock");
    testbench.add_on("read_clock", sink.pace(Pace::mixed()).checking(&board)).expect("clock");
    let noise = CrossingNoise::new(testbench.bench_mut(), found, 0.5, seed).expect("port");
    noise.add_to(&mut testbench).expect("clocks");
    testbench.keep_last("async_fifo_uncertain", 500).expect("kept");
    testbench.run(edges).expect("nothing lost, nothing invented");
    let words = board.with(|board| board.checked());
    (words, testbench.coverage().count("crossings.delayed"))
}

#[test]
fn the_fifo_is_right_with_late_bits_over_a_million_clocks() {
    let found = uncertain("fifo", &Fifo::new().expect("valid"));
    // Write clock slower, about equal, and much faster.
    for periods in [[6_400, 4_003], [5_000, 5_001], [3_001, 9_973]] {
        let bench = CompiledBench::of_design("fifo", &found.design).expect("bench");
        let (words, delayed) = cross(Box::new(bench), &found, periods, 1_000_000);
        println!("{periods:?}: {words} words, {delayed} late bits");
        assert!(words > 50_000, "{words}");
        assert!(delayed > 50_000, "{delayed}");
    }
}

#[test]
fn graph_and_native_code_do_the_same() {
    let found = uncertain("fifo", &Fifo::new().expect("valid"));
    let graph = GraphBench::of_design("fifo", &found.design).expect("bench");
    let native = CompiledBench::of_design("fifo", &found.design).expect("bench");
    let periods = [6_400, 4_003];
    let on_graph = cross(Box::new(graph), &found, periods, 50_000);
    assert_eq!(on_graph, cross(Box::new(native), &found, periods, 50_000));
}

/// A counter of one clock, each bit through a synchronizer of the other: binary (wrong) or in Gray code.
#[derive(LogicBlock)]
struct Pointer {
    pub clock: Signal<In, Clock>,
    pub seen_clock: Signal<In, Clock>,
    pub seen: Signal<Out, Bits<6>>,
    count: DFF<Bits<6>>,
    sent: DFF<Bits<6>>,
    coming: Signal<Local, Bits<6>>,
    bits: [Synchronizer<2>; 6],
    one: Constant<Bits<6>>,
    none: Constant<Bits<6>>,
    gray: Constant<Bit>,
}

impl Pointer {
    fn new(gray: bool) -> Self {
        Self {
            clock: Default::default(),
            seen_clock: Default::default(),
            seen: Default::default(),
            count: Default::default(),
            sent: Default::default(),
            coming: Default::default(),
            bits: std::array::from_fn(|_| Synchronizer::new(false).expect("two stages")),
            one: Constant::new(Bits::from(1)),
            none: Constant::new(Bits::default()),
            gray: Constant::new(gray),
        }
    }
}

impl Logic for Pointer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, sent);
        self.coming.next = self.count.q.val() + self.one.val();
        self.count.d.next = self.coming.val();
        self.sent.d.next = self.coming.val();
        if self.gray.val() {
            self.sent.d.next = self.coming.val() ^ (self.coming.val() >> 1);
        }
        self.seen.next = self.none.val();
        for i in 0..6 {
            self.bits[i].clock.next = self.seen_clock.val();
            self.bits[i].d.next = self.sent.q.val().get_bit(i);
            self.seen.next = self.seen.val().replace_bit(i, self.bits[i].q.val());
        }
    }
}
drive_ports!(impl[] Pointer { clock, seen_clock, seen });

/// How often the number that arrives goes back, or ahead by more than the sender can have counted meanwhile.
fn jumps(gray: bool, probability: f64) -> u64 {
    let found = uncertain("pointer", &Pointer::new(gray));
    let bench = GraphBench::of_design("pointer", &found.design).expect("bench");
    let mut testbench = Testbench::new(Box::new(bench));
    clocks(&mut testbench, [("clock", 5_000), ("seen_clock", 4_003)]).expect("clocks");
    let seen = testbench.bench().port("seen").expect("port");
    let jumps = Rc::new(Cell::new(0));
    let counter = jumps.clone();
    let mut last = 0;
    let watch = StimulusFn(move |_, bench: &mut dyn Bench| {
        let word = bench.get_u64(seen);
        let number = if gray { (0..6).fold(0, |number, shift| number ^ (word >> shift)) } else { word };
        // The sender is slower: one step at most between two looks, two with a late bit before.
        counter.set(counter.get() + u64::from((number.wrapping_sub(last) & 63) > 2));
        last = number;
        Ok(())
    });
    testbench.add_on("seen_clock", watch).expect("clock");
    let noise = CrossingNoise::new(testbench.bench_mut(), &found, probability, seed(0xc1056)).expect("port");
    noise.add_to(&mut testbench).expect("clocks");
    testbench.run(20_000).expect("runs");
    jumps.get()
}

#[test]
fn a_binary_number_through_synchronizers_is_caught() {
    assert_eq!(jumps(false, 0.0), 0, "without late bits the mistake does not show");
    assert!(jumps(false, 0.5) > 100, "{}", jumps(false, 0.5));
    assert_eq!(jumps(true, 0.5), 0, "Gray code is safe");
}

#[test]
fn with_the_input_at_zero_nothing_changes() {
    let (first, second) = (Fifo::new().expect("valid"), Fifo::new().expect("valid"));
    let found = uncertain("fifo", &first);
    let mut plain =
        GraphBench::of_design("fifo", &design_of("fifo", &second).expect("elaborates")).expect("bench");
    let mut changed = GraphBench::of_design("fifo", &found.design).expect("bench");
    let mut random = flitforge_sim::kit::rng(seed(0xc1057), "inputs");
    for _ in 0..5_000 {
        for bench in [&mut plain, &mut changed] {
            let ready = bench.port("words_out.ready").expect("port");
            bench.set_u64(ready, 1);
        }
        let word: Value = flitforge_sim::kit::random_value(&mut random, 32);
        for path in ["words_in.data", "words_in.valid"] {
            let (a, b) = (plain.port(path).expect("port"), changed.port(path).expect("port"));
            plain.set(a, &word.resize(plain.width(a)));
            changed.set(b, &word.resize(changed.width(b)));
        }
        for bench in [&mut plain, &mut changed] {
            bench.step().expect("steps");
        }
        for path in ["words_out.data", "words_out.valid", "words_in.ready"] {
            let (a, b) = (plain.port(path).expect("port"), changed.port(path).expect("port"));
            assert_eq!(plain.get(a), changed.get(b), "{path}");
        }
    }
}
