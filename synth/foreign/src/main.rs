//! Measures every block and writes docs/reference/foreign.md.

use flitforge_foreign::measure::{measure, Linter, Tools};
use flitforge_foreign::{entries, table, DOCUMENT};
use flitforge_sim::Simulator;
use std::process::ExitCode;

fn main() -> ExitCode {
    // rust-hdl's large blocks are large values on the stack
    let worker = std::thread::Builder::new().stack_size(1 << 28).spawn(write);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(error))) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::FAILURE,
    }
}

fn write() -> Result<(), String> {
    let linter =
        Linter::new().map_err(|error| format!("{error}; `flitforge doctor --fix` sets the tools up"))?;
    let tools = Tools { simulators: vec![Simulator::Icarus, Simulator::Verilator], linter: Some(linter) };
    let mut results = vec![];
    for entry in entries() {
        let outcome = measure(&entry, &tools);
        println!("{} {}: {}", entry.from, entry.name, table::words(&outcome.verdict));
        results.push((entry, outcome));
    }
    std::fs::write(DOCUMENT, table::document(&results)).map_err(|error| format!("{DOCUMENT}: {error}"))
}
