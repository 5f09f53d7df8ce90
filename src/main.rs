//! The `flitforge` command line: one file per verb in [`verbs`]; each parses, calls a library and prints.

mod blocks;
mod campaign;
mod exit;
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
    Build(verbs::build::Build),
    Sim(verbs::sim::Sim),
    Bench(verbs::bench::Bench),
    Doctor(verbs::doctor::Doctor),
}

fn main() -> ExitCode {
    // `flitforge ... | head` ends quietly, as other programs do.
    sigpipe::reset();
    let result = match Cli::parse().verb {
        Verb::List(verb) => verb.run(),
        Verb::Verilog(verb) => verb.run(),
        Verb::Check(verb) => verb.run(),
        Verb::Synth(verb) => verb.run(),
        Verb::Build(verb) => verb.run(),
        Verb::Sim(verb) => verb.run(),
        Verb::Bench(verb) => verb.run(),
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
