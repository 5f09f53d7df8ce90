//! The `flitforge` command line: one file per verb in [`verbs`]; each parses, calls a library and prints.

mod blocks;
mod campaign;
mod dry;
mod exit;
mod metrics;
mod on_demand;
mod output;
mod package;
mod progress;
mod say;
mod scenarios;
mod simulators;
mod targets;
mod verbs;

use clap::{CommandFactory, Parser, Subcommand};
use flitforge_hdl::registry::shapes;
use std::process::ExitCode;

// For what is compiled on demand: a program has this crate and nothing else.
pub use flitforge_hdl;
pub use flitforge_hdl::registry::shapes::Extra;
pub use on_demand::Program;

/// Open FPGA IP for scale-up and HPC fabrics: simulate, emit, time and build it.
#[derive(Parser)]
#[command(version, about, after_help = exit::HELP)]
struct Cli {
    /// Check names, values and options, and do nothing.
    #[arg(long, global = true)]
    dry_run: bool,
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
    Sue(verbs::sue::Sue),
    Bench(verbs::bench::Bench),
    ClockTree(verbs::clock_tree::ClockTree),
    Doctor(verbs::doctor::Doctor),
    Completions(verbs::completions::Completions),
}

/// Blocks are built by value, and a whole node takes some megabytes of stack for that: more than the first thread may have.
const STACK_BYTES: usize = 128 << 20;

/// Runs the command line of this process; `program` says what this executable has beside the library's own blocks.
pub fn run(program: &'static Program) -> ExitCode {
    // `flitforge ... | head` ends quietly, as other programs do.
    sigpipe::reset();
    let begin = move || begin(program);
    let worker = std::thread::Builder::new().name("flitforge".into()).stack_size(STACK_BYTES).spawn(begin);
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

fn begin(program: &'static Program) -> ExitCode {
    if shapes::add(program.extras).is_err() {
        eprintln!("error: shapes are added twice");
        return ExitCode::from(exit::PANIC);
    }
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(help) = verbs::sim::help(&arguments) {
        return ended(say::text(format_args!("{help}")).map_err(Into::into));
    }
    let arguments = verbs::sim::spell_out(arguments);
    let cli = Cli::parse_from(arguments);
    if cli.dry_run {
        dry::set();
    }
    let result = match cli.verb {
        Verb::List(verb) => verb.run(),
        Verb::Verilog(verb) => verb.run(),
        Verb::Check(verb) => verb.run(),
        Verb::Synth(verb) => verb.run(),
        Verb::Timing(verb) => verb.run(),
        Verb::Build(verb) => verb.run(),
        Verb::Sim(verb) => verb.run(),
        Verb::Sue(verb) => verb.run(),
        Verb::Bench(verb) => verb.run(),
        Verb::ClockTree(verb) => verb.run(),
        Verb::Doctor(verb) => verb.run(),
        Verb::Completions(verb) => verb.run(&mut Cli::command()),
    };
    match result {
        Err(error) => ended(on_demand::carry_on(program, error)),
        done => ended(done),
    }
}

fn ended(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", exit::text(&error));
            ExitCode::from(exit::code(&error))
        }
    }
}
