//! Start-up time, size and speed of the compiled engine on every block of the registry (default preset), or on
//! those named; the outputs of the first clocks are compared with the evaluator's.
//!
//! `cargo run --release -p flitforge-hdl --example engine_blocks [BLOCK]...`
//!
//! Times are processor time of this thread where the system tells it (Linux), so that other load counts little.
#![allow(clippy::expect_used)] // an example that cannot run should say so at once

use flitforge_elaborate::flat::Flat;
use flitforge_elaborate::{elaborate, Design, Evaluator, Value};
use flitforge_hdl::registry::{registry, BlockEntry, Settings};
use flitforge_sim::compiled::{Compiled, Handle, Instance};
use flitforge_sim::{PortKind, Ports};
use std::sync::Arc;
use std::time::Instant;

/// Clocks compared with the evaluator.
const COMPARED: u64 = 300;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("block | elaborate, flatten, compile ms | nodes | operations outputs + step | branches, shadows, pieces | code bytes | state words | clocks/s step | step + outputs");
    for entry in registry() {
        if wanted.is_empty() || wanted.iter().any(|name| name == entry.name) {
            measure(entry);
        }
    }
}

fn measure(entry: &BlockEntry) {
    let preset = entry.presets.first().map(|preset| preset.name);
    let settings = Settings::new(entry, preset, &[]).expect("valid preset");
    let built = (entry.build)(&settings).expect("builds");
    let start = seconds();
    let design = elaborate(built.block.as_ref(), entry.name).expect("elaborates");
    let elaborated = seconds();
    let flat = Flat::new(&design).expect("flattens");
    let flattened = seconds();
    drop(flat);
    let again = seconds();
    let program = Compiled::new(&design).expect("compiles");
    let (settle, step) = (program.settle_report(), program.step_report(program.all_clocks()));
    let compiled = seconds() - again;
    let times = [elaborated - start, flattened - elaborated, compiled].map(|time| time * 1e3);
    let ports = Ports::of_design(entry.name, &design);
    compare(&design, &program, &ports);
    let rates = [false, true].map(|look| rate(&program, &ports, look) / 1e6);
    println!(
        "{} | {:.1}, {:.1}, {:.1} | {} | {} + {} | {}, {}, {} | {} | {} | {:.3} M | {:.3} M",
        entry.name,
        times[0],
        times[1],
        times[2],
        program.nodes(),
        settle.operations,
        step.operations,
        step.branches,
        step.shadows,
        step.pieces + settle.pieces,
        step.code + settle.code,
        program.state_words(),
        rates[0],
        rates[1],
    );
}

/// Processor time of this thread, or time of day where there is no such thing.
fn seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |time| time / 1e9)
}

fn rate(program: &Arc<Compiled>, ports: &Ports, look: bool) -> f64 {
    let mut clocks = 1000;
    loop {
        let mut run = Run::new(program, ports);
        let start = seconds();
        let sum = run.run(clocks, look);
        let time = seconds() - start;
        assert_ne!(sum, u64::MAX, "the sum is used, so that nothing is optimised away");
        if time >= 0.2 {
            return clocks as f64 / time;
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

/// Words for an input: random, but clears are rare.
fn stimulus(path: &str, width: u32, state: &mut u64) -> Vec<u64> {
    let word = next(state);
    let quiet = path.ends_with("clear") && word % 64 != 0;
    (0..width.div_ceil(64)).map(|index| if quiet { 0 } else { word.rotate_left(7 * index) }).collect()
}

struct Run {
    instance: Instance,
    inputs: Vec<(String, Handle)>,
    outputs: Vec<Handle>,
}

impl Run {
    fn new(program: &Arc<Compiled>, ports: &Ports) -> Self {
        let of = |kind: PortKind| ports.list().iter().filter(move |port| port.kind == kind);
        let handle = |path: &str| program.handle(path).expect("port");
        Self {
            instance: program.instance(),
            inputs: of(PortKind::Input).map(|port| (port.path.clone(), handle(&port.path))).collect(),
            outputs: of(PortKind::Output).map(|port| handle(&port.path)).collect(),
        }
    }

    /// Inputs prepared before, one set of 16 after the other; reads every output if `look`.
    fn run(&mut self, clocks: u64, look: bool) -> u64 {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let rows: Vec<Vec<Vec<u64>>> = (0..16)
            .map(|_| {
                let words = |(path, handle): &(String, Handle)| stimulus(path, handle.width(), &mut state);
                self.inputs.iter().map(words).collect()
            })
            .collect();
        let set = self.instance.program().all_clocks();
        let mut sum = 0u64;
        for clock in 0..clocks {
            for ((_, input), words) in self.inputs.iter().zip(&rows[clock as usize % 16]) {
                self.instance.set_words(*input, words);
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

fn compare(design: &Design, program: &Arc<Compiled>, ports: &Ports) {
    let mut oracle = Evaluator::new(design).expect("evaluates");
    let mut instance = program.instance();
    let mut state = 0x1234_5678_9abc_def0;
    let clocks: Vec<String> = oracle.clocks().to_vec();
    let clocks: Vec<&str> = clocks.iter().map(String::as_str).collect();
    for clock in 0..COMPARED {
        for port in ports.list().iter().filter(|port| port.kind == PortKind::Input) {
            let words = stimulus(&port.path, port.width, &mut state);
            instance.set_words(program.handle(&port.path).expect("port"), &words);
            assert!(oracle.set(&port.path, &Value::from_words(port.width, &words)));
        }
        for port in ports.list().iter().filter(|port| port.kind == PortKind::Output) {
            let handle = program.handle(&port.path).expect("port");
            let found = Value::from_words(port.width, instance.words(handle));
            assert_eq!(Some(found), oracle.get(&port.path), "clock {clock}, {}", port.path);
        }
        oracle.clock(&clocks);
        instance.step(program.all_clocks());
    }
}
