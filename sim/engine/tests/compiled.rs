//! The compiled engine against the evaluator: on random designs, on blocks, with deliberate mistakes.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Bug, Chain, Counter, StreamRegister, TwoClocks, WideShuffle};
use crate::designs::{value, Builder};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::evaluate::Evaluator;
use flitforge_elaborate::{Design, Value};
use flitforge_sim::compiled::{CompileError, Compiled, Instance, Mutation, Options};
use flitforge_sim::design_of;
use flitforge_sim::kit;
use flitforge_sim::{PortKind, Ports};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The test's random numbers; the seed is printed.
fn random(default: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(kit::seed(default))
}

/// A design on the evaluator beside the compiled engine.
struct Pair {
    oracle: Evaluator,
    instance: Instance,
    ports: Ports,
    /// Clocks between two comparisons of all signals.
    everything_every: u64,
}

impl Pair {
    fn new(design: &Design, options: &Options) -> Result<Self, CompileError> {
        let program = Compiled::with_options(design, options.clone())?;
        let oracle = Evaluator::new(design).expect("the evaluator takes what the compiler takes");
        let ports = Ports::of_design("pair", design);
        Ok(Self { oracle, instance: program.instance(), ports, everything_every: 16 })
    }

    fn program(&self) -> Arc<Compiled> {
        self.instance.program().clone()
    }

    /// Random inputs, all outputs compared, an edge of a random set of clocks; the first difference.
    fn run(&mut self, random: &mut ChaCha8Rng, clocks: u64) -> Result<(), String> {
        let program = self.program();
        for clock in 0..clocks {
            for port in self.ports.list().iter().filter(|port| port.kind == PortKind::Input) {
                if random.random_bool(0.7) {
                    let value = value(random, port.width);
                    assert!(self.oracle.set(&port.path, &value));
                    let handle = program.handle(&port.path).expect("input");
                    assert!(self.instance.set_words(handle, value.words()));
                }
            }
            self.compare(clock, clock % self.everything_every == 0)?;
            let all = program.clock_paths();
            let rising: Vec<&str> =
                all.iter().map(String::as_str).filter(|_| random.random_bool(0.7)).collect();
            self.oracle.clock(&rising);
            self.instance.step(program.clocks(&rising).expect("clocks"));
        }
        self.compare(clocks, true)
    }

    /// Compares the outputs, or every signal; the error names all that differ.
    fn compare(&mut self, clock: u64, everything: bool) -> Result<(), String> {
        let program = self.program();
        let mut differences = vec![];
        let mut equal = |path: &str, expected: Option<Value>, found: Value| {
            let expected = expected.expect("signal");
            if expected != found {
                differences.push(format!("`{path}` {found:x} where the evaluator has {expected:x}"));
            }
        };
        for port in self.ports.list().iter().filter(|port| port.kind == PortKind::Output) {
            let handle = program.handle(&port.path).expect("output");
            let found = Value::from_words(port.width, self.instance.words(handle));
            equal(&port.path, self.oracle.get(&port.path), found);
        }
        for path in program.signals().filter(|_| everything) {
            equal(path, self.oracle.get(path), self.instance.peek(path).expect("signal"));
        }
        match differences.is_empty() {
            true => Ok(()),
            false => Err(format!("clock {clock}: {}", differences.join(", "))),
        }
    }
}

#[test]
fn random_designs_behave_as_in_the_evaluator() {
    let mut random = random(0xc0de);
    for number in 0..400 {
        let design = Builder::design(&mut random);
        let stimulus: u64 = random.random();
        let piece = [3, 40, 4000][number % 3];
        for interpret in [false, true] {
            // Loading at every use shows a store that came too early.
            let reload = if number % 2 == 0 { 0 } else { Options::default().reload };
            let branch = [1, 4, usize::MAX][number / 3 % 3];
            let options = Options { interpret, verify: true, piece, reload, branch, mutation: None };
            let mut pair = Pair::new(&design, &options).expect("compiles");
            let mut random = ChaCha8Rng::seed_from_u64(stimulus);
            if let Err(difference) = pair.run(&mut random, 150) {
                panic!(
                    "design {number}, interpret {interpret}, piece {piece}, branch {branch}: {difference}"
                );
            }
        }
    }
}

/// Blocks of the kit's tests, with the clocks to run them: a million together.
fn blocks() -> Vec<(&'static str, Design, u64)> {
    let design = |name, block: Box<dyn DriveBlock>| design_of(name, block.as_ref()).expect("elaborates");
    vec![
        ("counter", design("counter", Counter::<8>::boxed()), 300_000),
        ("counter200", design("counter", Counter::<200>::boxed()), 100_000),
        ("stream", design("stream", StreamRegister::<130>::boxed(Bug::None)), 250_000),
        ("shuffle", design("shuffle", Box::<WideShuffle>::default()), 200_000),
        ("clocks", design("clocks", Box::<TwoClocks>::default()), 130_000),
        ("chain", design("chain", Box::<Chain<130>>::default()), 20_000),
    ]
}

#[test]
fn a_million_clocks_of_blocks_behave_as_in_the_evaluator() {
    let mut random = random(0xb10c);
    let mut total = 0;
    for (name, design, clocks) in blocks() {
        let mut pair = Pair::new(&design, &Options::default()).expect("compiles");
        pair.everything_every = 1000;
        if let Err(difference) = pair.run(&mut random, clocks) {
            panic!("{name}: {difference}");
        }
        total += clocks;
    }
    assert!(total >= 1_000_000);
}

/// True if `mutation` makes a random design behave differently; a design that does not use the broken part
/// cannot tell.
fn is_caught(mutation: Mutation, interpret: bool, random: &mut ChaCha8Rng) -> bool {
    (0..400).any(|number| {
        let design = Builder::design(random);
        // Loading at every use shows a store that came too early.
        let reload = if number % 2 == 0 { 0 } else { Options::default().reload };
        let options =
            Options { interpret, reload, branch: 1, mutation: Some(mutation), ..Options::default() };
        let mut pair = Pair::new(&design, &options).expect("compiles");
        pair.run(random, 60).is_err()
    })
}

#[test]
fn every_deliberate_mistake_of_the_compiler_is_caught() {
    let mut random = random(0xbad);
    for mutation in Mutation::ALL {
        assert!(is_caught(mutation, false, &mut random), "{mutation:?} in native code is not noticed");
        if mutation != Mutation::EarlyStoreBeforeOpposite {
            assert!(is_caught(mutation, true, &mut random), "{mutation:?} interpreted is not noticed");
        }
    }
}
