//! Speed, size and compile time of the compiled engine beside the interpreter of the same operations and the
//! evaluator.
//!
//! `cargo run --release -p flitforge-sim --example engine_speed`
#![allow(clippy::expect_used)] // an example that cannot run should say so at once

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Bug, Chain, Counter, StreamRegister, WideShuffle};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::{Design, Evaluator};
use flitforge_sim::compiled::{campaign, Compiled, Handle, Instance, Options};
use flitforge_sim::design_of;
use flitforge_sim::{PortKind, Ports};
use rust_hdl::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Seconds that a measurement lasts at least.
const LEAST: f64 = 0.3;

fn main() {
    println!("design | nodes | word operations step + outputs | shadows | code bytes | compile ms");
    println!(
        "       | clocks/s compiled: step, step + outputs | interpreted | evaluator | bytes per instance"
    );
    measure("counter 8", Counter::<8>::boxed());
    measure("stream register 130", StreamRegister::<130>::boxed(Bug::None));
    measure("wide shuffle", Box::<WideShuffle>::default());
    measure("chain of 8 stream registers 130", Box::<Chain<130>>::default());
    measure("16 such chains in a row", Box::<Bank<16>>::default());
    measure("64 such chains in a row", Box::<Bank<64>>::default());
}

/// Many chains in a row: does compile time grow with the design and not faster, and what does a design cost
/// that is larger than the first cache?
#[derive(LogicBlock)]
struct Bank<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, bool>,
    pub words_in: common::StreamIn<Bits<130>>,
    pub words_out: common::StreamOut<Bits<130>>,
    chains: [Chain<130>; N],
}

impl<const N: usize> Default for Bank<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            words_in: Default::default(),
            words_out: Default::default(),
            chains: std::array::from_fn(|_| Chain::default()),
        }
    }
}

impl<const N: usize> Logic for Bank<N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..N {
            self.chains[i].clock.next = self.clock.val();
            self.chains[i].clear.next = self.clear.val();
        }
        common::StreamIn::<Bits<130>>::link(&mut self.words_in, &mut self.chains[0].words_in);
        for i in 0..(N - 1) {
            common::StreamOut::<Bits<130>>::join(
                &mut self.chains[i].words_out,
                &mut self.chains[i + 1].words_in,
            );
        }
        for i in (N - 1)..N {
            common::StreamOut::<Bits<130>>::link(&mut self.words_out, &mut self.chains[i].words_out);
        }
    }
}
drive_ports!(impl[const N: usize] Bank<N> { clock, clear, words_in, words_out });

fn measure(name: &str, block: Box<dyn DriveBlock>) {
    let design = design_of("top", block.as_ref()).expect("elaborates");
    let start = Instant::now();
    let program = Compiled::new(&design).expect("compiles");
    let (settle, step) = (program.settle_report(), program.step_report(program.all_clocks()));
    let compile = start.elapsed().as_secs_f64() * 1e3;
    let (operations, shadows) = (step.operations + settle.operations, step.shadows);
    let code = step.code + settle.code;
    println!("{name} | {} | {operations} | {shadows} | {code} | {compile:.1}", program.nodes());

    let options = Options { interpret: true, ..Options::default() };
    let interpreted = Compiled::with_options(&design, options).expect("compiles");
    let ports = Ports::of_design("top", &design);
    let steps = rate(|clocks| Run::new(&program, &ports).run(clocks, false));
    let whole = rate(|clocks| Run::new(&program, &ports).run(clocks, true));
    let slow = rate(|clocks| Run::new(&interpreted, &ports).run(clocks, true));
    let oracle = rate(|clocks| evaluate(&design, &ports, clocks));
    let bytes = program.instance().bytes();
    println!("    {steps:.3e}, {whole:.3e} | {slow:.3e} | {oracle:.3e} | {bytes}");
    let all = parallel(&program, &ports);
    println!("    campaign of 16 instances on {} threads: {all:.3e} clocks/s", rayon::current_num_threads());
}

/// Clocks per second of `work`.
fn rate(work: impl Fn(u64) -> u64) -> f64 {
    let mut clocks = 1000;
    loop {
        let start = Instant::now();
        let sum = work(clocks);
        let seconds = start.elapsed().as_secs_f64();
        assert_ne!(sum, u64::MAX, "the sum is used, so that nothing is optimised away");
        if seconds >= LEAST {
            return clocks as f64 / seconds;
        }
        clocks *= 4;
    }
}

/// A cheap pseudo-random sequence (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// One instance with its ports.
struct Run {
    instance: Instance,
    inputs: Vec<Handle>,
    outputs: Vec<Handle>,
}

impl Run {
    fn new(program: &Arc<Compiled>, ports: &Ports) -> Self {
        Self::on(program.instance(), ports)
    }

    fn on(instance: Instance, ports: &Ports) -> Self {
        let program = instance.program().clone();
        let of = |kind: PortKind| {
            let ports = ports.list().iter().filter(|port| port.kind == kind && port.path != "clear");
            ports.map(|port| program.handle(&port.path).expect("port")).collect()
        };
        Self { inputs: of(PortKind::Input), outputs: of(PortKind::Output), instance }
    }

    /// New inputs on every clock; reads every output if `look`.
    fn run(&mut self, clocks: u64, look: bool) -> u64 {
        let set = self.instance.program().all_clocks();
        let (mut state, mut sum) = (0x9e37_79b9_7f4a_7c15, 0u64);
        for _ in 0..clocks {
            for input in &self.inputs {
                let word = next(&mut state);
                self.instance.set_words(*input, &[word, word.rotate_left(7), word >> 3]);
            }
            if look {
                for output in &self.outputs {
                    sum = sum.rotate_left(1) ^ self.instance.get(*output);
                }
            }
            self.instance.step(set);
        }
        sum >> 1
    }
}

fn evaluate(design: &Design, ports: &Ports, clocks: u64) -> u64 {
    let mut evaluator = Evaluator::new(design).expect("evaluates");
    let handles = |kind: PortKind| {
        let ports = ports.list().iter().filter(|port| port.kind == kind && port.path != "clear");
        ports.map(|port| evaluator.handle(&port.path).expect("port")).collect::<Vec<_>>()
    };
    let (inputs, outputs) = (handles(PortKind::Input), handles(PortKind::Output));
    let all: Vec<String> = evaluator.clocks().to_vec();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let set = evaluator.clock_set(&all).expect("clocks");
    let (mut state, mut sum) = (0x9e37_79b9_7f4a_7c15, 0u64);
    for _ in 0..clocks {
        for input in &inputs {
            let word = next(&mut state);
            let words = [word, word.rotate_left(7), word >> 3];
            evaluator.set_handle(*input, &flitforge_elaborate::Value::from_words(input.width(), &words));
        }
        for output in &outputs {
            sum = sum.rotate_left(1) ^ evaluator.get_u64(*output);
        }
        evaluator.clock_set_edge(set);
    }
    sum >> 1
}

/// Clocks per second of sixteen instances together.
fn parallel(program: &Arc<Compiled>, ports: &Ports) -> f64 {
    const CLOCKS: u64 = 200_000;
    let seeds: Vec<u64> = (0..16).collect();
    let start = Instant::now();
    let sums = campaign(program, &seeds, |_, instance| Run::on(instance.fork(), ports).run(CLOCKS, true));
    let seconds = start.elapsed().as_secs_f64();
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "the same stimulus gives the same outputs");
    (CLOCKS * seeds.len() as u64) as f64 / seconds
}
