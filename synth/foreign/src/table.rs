//! The table of all blocks, as docs/reference/foreign.md has it.

use crate::measure::{Outcome, Verdict, CLOCKS};
use crate::Entry;
use std::collections::BTreeMap;

/// The words of a verdict in the table.
pub fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Equal => "equal".into(),
        Verdict::StockDiffers(reason) => format!("equal, but rust-hdl's own simulation: {reason}"),
        Verdict::Emitted(reason) => format!("emitted, not simulated: {reason}"),
        Verdict::Refused(reason) => format!("refused: {reason}"),
        Verdict::Differs(reason) => format!("**differs**: {reason}"),
    }
}

/// A block's row without what the linter says.
pub fn row(entry: &Entry, verdict: &Verdict) -> String {
    let inputs: Vec<String> =
        entry.limits.iter().map(|(input, least, most)| format!("`{input}` from {least} to {most}")).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" ({})", inputs.join(", ")) };
    format!("| `{}`{inputs} | {} |", entry.name, words(verdict).replace('|', "\\|").replace('\n', " "))
}

/// The whole document.
pub fn document(results: &[(Entry, Outcome)]) -> String {
    let mut text = format!("# The blocks of rust-hdl's own crates\n\n{INTRODUCTION}");
    let of_crates = results.iter().filter(|(entry, _)| entry.from != VENDOR);
    let all = of_crates.clone().count();
    let equal = of_crates.filter(|(_, outcome)| outcome.verdict == Verdict::Equal).count();
    text += &format!(
        "\nOf the {all} blocks of rust-hdl-widgets, rust-hdl-hls and rust-hdl-sim, {equal} ({:.1} %) are equal in all five simulations \
         on all {CLOCKS} clocks.\n",
        100.0 * equal as f64 / all.max(1) as f64
    );
    for from in ["rust-hdl-widgets", "rust-hdl-hls", "rust-hdl-sim", VENDOR] {
        text += &format!("\n## {from} 0.46.0\n\n| block | result | lint |\n|---|---|---|\n");
        for (entry, outcome) in results.iter().filter(|(entry, _)| entry.from == from) {
            let lint = match &outcome.findings {
                None => "-".into(),
                Some(findings) if findings.is_empty() => "clean".into(),
                Some(findings) => rules(findings),
            };
            text += &format!("{} {lint} |\n", row(entry, &outcome.verdict));
        }
    }
    text
}

/// The linter's rules, each with the number of its findings.
fn rules(findings: &[String]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let rule = finding.strip_prefix("warning ").and_then(|rest| rest.split(':').next());
        *counts.entry(rule.unwrap_or(finding)).or_default() += 1;
    }
    let rules: Vec<String> = counts.iter().map(|(rule, count)| format!("{rule} {count}x")).collect();
    rules.join(", ").replace('|', "\\|").replace('\n', " ")
}

const VENDOR: &str = "rust-hdl-fpga-support";

const INTRODUCTION: &str = "\
<!-- Written by `cargo run --release -p flitforge-foreign`; do not edit. -->

Every public block of rust-hdl's own crates, as they are on crates.io, with generics that make sense: elaborated, checked, linted
(`verilator --lint-only -Wall`, yosys `check`) and simulated with random inputs in rust-hdl itself, the graph evaluator, the compiled
engine, Icarus and Verilator. `synth/foreign/tests` holds the results against this table; Verilator and the linter run only when it
is written and with `FLITFORGE_COSIM=full`.

Inputs in brackets are kept in a range, because rust-hdl's simulation panics outside.
What the linter says of vendor cells is about the text and the black boxes that their authors wrote.

A bidirectional port is three ports in simulation, see [elaboration](../elaboration.md#blocks-of-other-crates). Interfaces are no
blocks and stand in no row.
";
