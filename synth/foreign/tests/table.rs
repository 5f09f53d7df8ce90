//! docs/reference/foreign.md says what becomes of each block, and at least 95 % of them are equal everywhere.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_foreign::measure::{measure, Linter, Tools};
use flitforge_foreign::{entries, table, DOCUMENT};
use flitforge_sim::Simulator;
use std::collections::BTreeSet;

fn document() -> String {
    std::fs::read_to_string(DOCUMENT)
        .expect("the table is there: `cargo run --release -p flitforge-foreign` writes it")
}

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with("| `"))
}

/// On a stack that is large enough for rust-hdl's largest blocks.
fn on_large_stack(test: impl FnOnce() + Send + 'static) {
    let worker = std::thread::Builder::new().stack_size(1 << 28).spawn(test).expect("a thread");
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn at_least_95_of_100_blocks_are_equal() {
    let text = document();
    let part = text.split("\n## rust-hdl-fpga-support").next().expect("a part");
    let all: Vec<&str> = rows(part).collect();
    let equal = all.iter().filter(|row| row.contains("| equal |")).count();
    assert!(all.len() >= 89, "{} rows", all.len());
    assert!(100 * equal >= 95 * all.len(), "{equal} of {} are equal", all.len());
    let others: Vec<&&str> = all.iter().filter(|row| row.contains("**differs**")).collect();
    assert!(others.is_empty(), "differences that are not explained: {others:?}");
}

#[test]
fn the_table_is_current() {
    on_large_stack(|| {
        let full = std::env::var("FLITFORGE_COSIM").is_ok_and(|depth| depth == "full");
        let mut tools = Tools { simulators: vec![Simulator::Icarus], linter: None };
        if full {
            tools.simulators.push(Simulator::Verilator);
            tools.linter = Some(Linter::new().expect("the linter's tools"));
        }
        let text = document();
        let written: BTreeSet<&str> = rows(&text).collect();
        let mut stale = vec![];
        let mut seen = 0;
        for entry in entries() {
            let outcome = measure(&entry, &tools);
            let row = table::row(&entry, &outcome.verdict);
            match written.iter().filter(|line| line.starts_with(&row)).count() {
                1 => seen += 1,
                _ => stale.push(row),
            }
        }
        assert!(stale.is_empty(), "not in the table, write it again:\n{}", stale.join("\n"));
        assert_eq!(seen, written.len(), "rows of blocks that are gone");
    });
}
