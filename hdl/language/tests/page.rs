//! `docs/block-language.md`: every construct with its Verilog, and every refusal. `FLITFORGE_BLESS=1 cargo test -p
//! flitforge-language` writes it, after `TRYBUILD=overwrite` if refusals are new.

use crate::cases::{self, CASES};
use crate::support::verilog_of;
use flitforge_elaborate::drive::DriveBlock;
use std::fmt::Write;
use std::path::PathBuf;

const HEAD: &str = include_str!("page_head.md");

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The Verilog of a case.
struct Texts;

impl cases::Each for Texts {
    type Result = String;
    fn case<B: DriveBlock + 'static>(&mut self, _: &str, make: &dyn Fn() -> B) -> String {
        verilog_of(make(), "top")
    }
}

/// A case: what its `//!` say, its code, and the Verilog of its top.
fn case(source: &str, verilog: &str) -> String {
    let says: Vec<&str> = source.lines().take_while(|line| line.starts_with("//!")).collect();
    let mut text = String::new();
    for line in &says {
        let line = line.trim_start_matches("//!");
        let _ = writeln!(text, "{}", line.strip_prefix(' ').unwrap_or(line).replacen("# ", "## ", 1));
    }
    let code = source.lines().skip(says.len()).filter(|line| !line.starts_with("use "));
    let code = code.collect::<Vec<_>>().join("\n");
    let verilog = verilog.lines().skip_while(|line| !line.starts_with("module top "));
    let mut module = vec![];
    for line in verilog {
        module.push(line);
        if line == "endmodule" {
            break;
        }
    }
    let _ = writeln!(text, "\n```rust\n{}\n```\n\n```verilog\n{}\n```\n", code.trim(), module.join("\n"));
    text
}

/// The refusals of one file of `ui`: what the compiler says, and the line that it says it of.
fn refusals(name: &str) -> String {
    let path = root().join("refusals/tests/ui").join(name);
    let source = std::fs::read_to_string(path.with_extension("rs")).expect("a file of `ui`");
    let says = std::fs::read_to_string(path.with_extension("stderr")).expect("what the compiler says");
    let title = source.lines().next().unwrap_or_default().trim_start_matches("//! ").trim_end_matches('.');
    let mut text = format!("### {title}\n\n| written | error |\n|---|---|\n");
    let mut lines = says.lines();
    while let Some(line) = lines.next() {
        let Some((_, error)) = line.strip_prefix("error").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let Some(place) = lines.next().and_then(|place| place.split(".rs:").nth(1)) else { continue };
        let number: usize = place.split(':').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let written = source.lines().nth(number.saturating_sub(1)).unwrap_or_default().trim();
        let _ =
            writeln!(text, "| `{}` | {} |", written.replace('|', "\\|"), error.replace('|', "\\|").trim());
    }
    text.push('\n');
    text
}

fn page() -> String {
    let mut text = HEAD.to_string();
    text.push('\n');
    for ((_, source), verilog) in CASES.iter().zip(cases::each(&mut Texts)) {
        text.push_str(&case(source, &verilog));
    }
    text.push_str("## Refusals\n\nEvery error points at the token.\n\n");
    for name in
        ["structs", "logic", "drives", "flow", "values", "types", "functions", "steps", "children", "packed"]
    {
        text.push_str(&refusals(name));
    }
    text.trim_end().to_string() + "\n"
}

#[test]
fn the_page_is_current() {
    let path = root().join("../../docs/block-language.md");
    if std::env::var_os("FLITFORGE_BLESS").is_some() {
        std::fs::write(&path, page()).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page(),
        "docs/block-language.md is not current: FLITFORGE_BLESS=1 cargo test -p flitforge-language"
    );
}
