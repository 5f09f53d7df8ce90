//! Snapshots, forks, campaigns, watched signals and refusals of the compiled engine.
#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Bug, Counter, Oscillator, StreamRegister};
use crate::designs::build::{assign, bits, clock, design, expr, module};
use crate::designs::{value, Builder};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::flat::FlattenError;
use flitforge_elaborate::graph::{self, *};
use flitforge_elaborate::Value;
use flitforge_sim::compiled::{campaign, CompileError, Compiled, CompiledBench, Instance, Options};
use flitforge_sim::design_of;
use flitforge_sim::{kit, BackEnd, PortKind, Ports, SimError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Random inputs and clock sets on an instance; everything its outputs showed.
fn drive(instance: &mut Instance, ports: &Ports, seed: u64, clocks: u64) -> Vec<u64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let program = instance.program().clone();
    let mut seen = vec![];
    for _ in 0..clocks {
        for port in ports.list() {
            let handle = || program.handle(&port.path).expect("port");
            match port.kind {
                PortKind::Input => {
                    assert!(instance.set_words(handle(), value(&mut random, port.width).words()));
                }
                PortKind::Output => seen.extend_from_slice(instance.words(handle())),
                PortKind::Clock => {}
            }
        }
        let all = program.clock_paths();
        let rising: Vec<&str> = all.iter().map(String::as_str).filter(|_| random.random_bool(0.7)).collect();
        instance.step(program.clocks(&rising).expect("clocks"));
    }
    seen
}

#[test]
fn snapshots_and_forks_go_on_as_the_original_did() {
    let mut random = ChaCha8Rng::seed_from_u64(kit::seed(0x5a9));
    for number in 0..60 {
        let design = Builder::design(&mut random);
        let ports = Ports::of_design("random", &design);
        let options = Options { interpret: number % 4 == 0, ..Options::default() };
        let program = Compiled::with_options(&design, options).expect("compiles");
        let mut instance = program.instance();
        drive(&mut instance, &ports, random.random(), 40);
        let (snapshot, mut fork) = (instance.snapshot(), instance.fork());
        let seed = random.random();
        let first = drive(&mut instance, &ports, seed, 40);
        assert_eq!(drive(&mut fork, &ports, seed, 40), first, "fork of design {number}");
        assert!(instance.restore(&snapshot));
        assert_eq!(instance.snapshot(), snapshot);
        assert_eq!(drive(&mut instance, &ports, seed, 40), first, "restored design {number}");
        assert_eq!(fork.snapshot(), instance.snapshot(), "state of design {number}");
        let mut fresh = program.instance();
        assert!(fresh.restore(&snapshot));
        assert_eq!(drive(&mut fresh, &ports, seed, 40), first, "another instance of design {number}");
    }
}

#[test]
fn a_snapshot_of_another_design_is_refused() {
    let program = |block: Box<dyn DriveBlock>| {
        Compiled::new(&design_of("top", block.as_ref()).expect("elaborates")).expect("compiles")
    };
    let small = program(Counter::<8>::boxed()).instance();
    let mut large = program(StreamRegister::<130>::boxed(Bug::None)).instance();
    let before = large.snapshot();
    assert!(!large.restore(&small.snapshot()));
    assert_eq!(large.snapshot(), before);
}

#[test]
fn a_campaign_gives_results_in_the_order_of_its_seeds() {
    fn is_send<T: Send>(_: &T) {}
    let design = design_of("top", StreamRegister::<130>::boxed(Bug::None).as_ref()).expect("elaborates");
    let ports = Ports::of_design("top", &design);
    let program = Compiled::new(&design).expect("compiles");
    is_send(&program.instance());
    let seeds: Vec<u64> = (0..32).rev().collect();
    // long runs first and last, so that they end in another order than they start
    let work = |seed: u64, instance: &mut Instance| drive(instance, &ports, seed, 20 + 100 * (seed % 5));
    let together = campaign(&program, &seeds, work);
    let alone: Vec<_> = seeds.iter().map(|seed| work(*seed, &mut program.instance())).collect();
    assert_eq!(together, alone);
    assert_ne!(together[0], together[5], "the seed makes a difference");
}

#[test]
fn watched_signals_are_what_peek_shows_on_every_back_end() {
    for back_end in BackEnd::BUILT_IN {
        let mut bench = back_end.open("top", StreamRegister::<130>::boxed(Bug::None)).expect("bench");
        let paths = ["item.q", "full.d", "words_in.data", "room"];
        let watch = bench.watch(&paths).expect("signals");
        let (valid, data) = (bench.port("words_in.valid").expect("port"), bench.port("words_in.data"));
        let data = data.expect("port");
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut row = vec![];
        for _ in 0..200 {
            bench.set_u64(valid, random.random());
            bench.set(data, &value(&mut random, 130));
            bench.settle().expect("settles");
            bench.read_watch(&watch, &mut row);
            assert_eq!(row.len(), watch.words());
            for signal in watch.signals() {
                let found = Value::from_words(signal.width, &row[signal.at..]);
                assert_eq!(Some(found), bench.peek(&signal.path), "{} on {back_end:?}", signal.path);
            }
            bench.step().expect("steps");
        }
        let error = bench.watch(&["item.q", "item.r"]).expect_err("no such signal");
        assert!(error.to_string().contains("`item.r`"), "{error}");
    }
}

#[test]
fn the_compiled_bench_lists_the_signals_that_the_graph_has() {
    let open = |back_end: BackEnd| back_end.open("top", Counter::<8>::boxed()).expect("bench");
    let signals = open(BackEnd::Compiled).signals();
    assert_eq!(signals, open(BackEnd::Graph).signals());
    assert!(signals.iter().any(|path| path == "value.q"), "{signals:?}");
}

#[test]
fn unknown_paths_are_refused_with_what_is_close() {
    let design = design_of("top", StreamRegister::<8>::boxed(Bug::None).as_ref()).expect("elaborates");
    let program = Compiled::new(&design).expect("compiles");
    let error = program.handle("words_in.dat").expect_err("no such port");
    assert_eq!(error.to_string(), "no signal `words_in.dat`; the closest is `words_in.data`");
    let error = program.watch(&["item.x"]).expect_err("no such signal");
    assert!(matches!(&error, CompileError::UnknownSignal { closest, .. } if closest.starts_with("item.")));
    let error = program.clocks(&["clok"]).expect_err("no such clock");
    assert_eq!(error.to_string(), "no clock `clok`; the clocks are: clock");
    assert_eq!(program.instance().peek("nowhere"), None);
    let mut instance = program.instance();
    let output = program.handle("words_out.data").expect("port");
    assert!(!instance.set(output, 1), "an output cannot be set");
}

#[test]
fn a_combinational_loop_is_refused_with_its_signals() {
    let design = design_of("top", &Oscillator::default()).expect("elaborates");
    match Compiled::new(&design) {
        Err(CompileError::Flatten(FlattenError::Loop { path })) => {
            assert!(path.iter().any(|signal| signal.starts_with("inverter.")), "{path:?}");
        }
        other => panic!("a loop is no design: {:?}", other.map(|program| program.nodes())),
    }
    match CompiledBench::new("top", Box::<Oscillator>::default()) {
        Err(SimError::Elaborate { block, reason }) => {
            assert_eq!(block, "top");
            assert!(reason.starts_with("combinational loop through"), "{reason}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a loop is no bench"),
    }
}

#[test]
fn foreign_text_is_refused_by_name() {
    let mut cell = module("cell");
    bits(&mut cell, "o", 1, SignalKind::Output);
    cell.foreign = Some(Foreign { body: "VENDOR v(.o(o));".into(), ..Default::default() });
    let mut top = module("top");
    let out = bits(&mut top, "out", 1, SignalKind::Output);
    let port = bits(&mut top, "pll.o", 1, SignalKind::InstanceOutput);
    top.instances.push(graph::Instance {
        path: "pll".into(),
        name: "pll".into(),
        module: ModuleId(0),
        ports: vec![port],
    });
    top.body.push(assign(out, Expr::read(port, 1)));
    let design = Design { modules: vec![cell, top], top: ModuleId(1) };
    assert_eq!(refusal(&design), CompileError::Foreign { path: "pll".into() });
}

#[test]
fn more_than_sixty_four_clocks_are_refused() {
    let with_clocks = |count: usize| {
        let mut top = module("top");
        for number in 0..count {
            clock(&mut top, &format!("clock{number}"));
        }
        design(top)
    };
    assert_eq!(refusal(&with_clocks(65)), CompileError::Clocks { count: 65 });
    let program = Compiled::new(&with_clocks(64)).expect("64 clocks are possible");
    let mut instance = program.instance();
    instance.step(program.clocks(&["clock63"]).expect("clock"));
    instance.step(program.all_clocks());
}

#[test]
fn memories_beyond_what_can_be_addressed_are_refused() {
    let mut top = module("top");
    let clock = clock(&mut top, "clock");
    let address = bits(&mut top, "address", 32, SignalKind::Input);
    let data = bits(&mut top, "data", 640, SignalKind::Output);
    let read = ReadPort {
        clock: Some(clock),
        address,
        data,
        enable: None,
        output_register: false,
        output_enable: None,
    };
    top.memories.push(Memory {
        path: "memory".into(),
        name: "memory".into(),
        depth: u32::MAX,
        width: 640,
        initial: vec![],
        reads: vec![read],
        writes: vec![],
        style: MemoryStyle::Auto,
    });
    assert_eq!(refusal(&design(top)), CompileError::TooLarge);
}

#[test]
fn an_interpreted_program_says_so() {
    let design = design_of("top", Counter::<8>::boxed().as_ref()).expect("elaborates");
    let options = Options { interpret: true, ..Options::default() };
    let program = Compiled::with_options(&design, options).expect("compiles");
    assert_eq!(program.notice(), Some("interpreted because it was asked for"));
    assert_eq!(program.settle_report().code, 0);
    let native = Compiled::new(&design).expect("compiles");
    assert_eq!(native.notice(), None);
    assert!(native.step_report(native.all_clocks()).code > 0);
}

/// A parity over three words is three masks, two exclusive-ors and one count: not a chain of bits.
#[test]
fn a_wide_exclusive_or_of_bits_becomes_one_parity() {
    let mut top = module("top");
    let a = bits(&mut top, "a", 132, SignalKind::Input);
    let out = bits(&mut top, "out", 1, SignalKind::Output);
    let bit = |offset| expr(1, ExprKind::Slice { value: Expr::read(a, 132).into(), offset });
    let sum = (1..44).fold(bit(0), |sum, index| {
        expr(1, ExprKind::Binary(BinaryOp::Xor, sum.into(), bit(3 * index).into()))
    });
    top.body.push(assign(out, sum));
    let program = Compiled::new(&design(top)).expect("compiles");
    let operations = program.settle_report().operations;
    assert!(operations <= 6, "{operations} operations");
    let mut instance = program.instance();
    let (a, out) = (program.handle("a").expect("port"), program.handle("out").expect("port"));
    let mut random = ChaCha8Rng::seed_from_u64(kit::seed(7));
    for _ in 0..1000 {
        let value = value(&mut random, 132);
        instance.set_words(a, value.words());
        let expected = (0..44).filter(|index| value.bit(3 * index)).count() % 2;
        assert_eq!(instance.get(out), expected as u64);
    }
}

fn refusal(design: &Design) -> CompileError {
    let program: Result<Arc<Compiled>, CompileError> = Compiled::new(design);
    match program {
        Err(error) => error,
        Ok(_) => panic!("the design is taken"),
    }
}
