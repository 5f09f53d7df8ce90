//! The `flitforge` command line: one file per verb in [`verbs`]; each parses, calls a library and prints.

mod blocks;
mod campaign;
mod exit;
mod metrics;
mod output;
mod progress;
mod scenarios;
mod simulators;
mod targets;
mod verbs;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Open FPGA IP for scale-up and HPC fabrics: simulate, emit, time and build it.
#[derive(Parser)]
#[command(version, about, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(verbs::list::List),
    Verilog(verbs::verilog::Verilog),
    Check(verbs::check::Check),
    Synth(verbs::synth::Synth),
    Timing(verbs::timing::Timing),
    Build(verbs::build::Build),
    Sim(verbs::sim::Sim),
    Bench(verbs::bench::Bench),
    ClockTree(verbs::clock_tree::ClockTree),
    Doctor(verbs::doctor::Doctor),
}

/// Blocks are built by value, and a whole node takes some megabytes of stack for that: more than the first thread may have.
const STACK_BYTES: usize = 128 << 20;

fn main() -> ExitCode {
    // `flitforge ... | head` ends quietly, as other programs do.
    sigpipe::reset();
    let worker = std::thread::Builder::new().name("flitforge".into()).stack_size(STACK_BYTES).spawn(run);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // It has said on standard error what is wrong.
        Ok(Err(_)) => ExitCode::from(exit::PANIC),
        Err(error) => {
            eprintln!("error: no thread with {STACK_BYTES} bytes of stack: {error}");
            ExitCode::from(exit::PANIC)
        }
    }
}

fn run() -> ExitCode {
    let arguments = verbs::sim::spell_out(std::env::args_os().collect());
    let result = match Cli::parse_from(arguments).verb {
        Verb::List(verb) => verb.run(),
        Verb::Verilog(verb) => verb.run(),
        Verb::Check(verb) => verb.run(),
        Verb::Synth(verb) => verb.run(),
        Verb::Timing(verb) => verb.run(),
        Verb::Build(verb) => verb.run(),
        Verb::Sim(verb) => verb.run(),
        Verb::Bench(verb) => verb.run(),
        Verb::ClockTree(verb) => verb.run(),
        Verb::Doctor(verb) => verb.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(exit::code(&error))
        }
    }
}
