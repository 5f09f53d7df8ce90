//! Shared by the writer's tests: an Icarus runner, linters, a seed.
#![allow(clippy::expect_used)] // helpers of tests may panic

#[allow(dead_code)] // the engine's tests use the rest
pub mod build;
pub mod generate;
pub mod oracle;
pub mod ram;
pub mod stock;
pub mod stores;

use flitforge_elaborate::graph::{Design, Shape, SignalKind};
use flitforge_elaborate::verilog::{self, Options};
use flitforge_elaborate::Value;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The test's random numbers; the seed is printed and can be given by `FLITFORGE_SEED`.
pub fn random(name: &str, seed: u64) -> ChaCha8Rng {
    let seed = std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    println!("{name}: FLITFORGE_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// A tool from `$FLITFORGE_TOOLS` or PATH; `None` prints why the test is skipped, or fails it in CI.
pub fn tool(name: &str) -> Option<PathBuf> {
    let own = std::env::var_os("FLITFORGE_TOOLS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = own
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{name} is missing");
        println!("SKIPPED: {name} missing");
    }
    found
}

/// Runs a command; a failure shows its output and `text`.
pub fn run(command: &mut Command, text: &str) -> Output {
    let output = command.output().expect("the tool starts");
    assert!(
        output.status.success(),
        "{command:?}\n{}{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        numbered(text)
    );
    output
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(at, line)| format!("{:5} {line}\n", at + 1)).collect()
}

/// Widths of the inputs that are not clocks, and of the outputs, in port order.
pub fn port_widths(design: &Design) -> (Vec<u32>, Vec<u32>) {
    let top = design.top_module();
    let inputs = top
        .ports()
        .filter(|(_, port)| port.kind == SignalKind::Input && port.shape != Shape::Clock)
        .map(|(_, port)| port.width)
        .collect();
    let outputs =
        top.ports().filter(|(_, port)| port.kind == SignalKind::Output).map(|(_, port)| port.width).collect();
    (inputs, outputs)
}

fn joined(values: &[Value]) -> Value {
    let width = values.iter().map(Value::width).sum::<u32>().max(1);
    let mut all = Value::zero(width);
    let mut at = 0;
    for value in values {
        (0..value.width()).for_each(|bit| all.set_bit(at + bit, value.bit(bit)));
        at += value.width();
    }
    all
}

/// Runs the design's text in Icarus. Each vector holds the inputs that are not clocks, in port order; after
/// it settles the outputs are taken, then every clock rises.
pub fn icarus(design: &Design, vectors: &[Vec<Value>]) -> Option<Vec<Vec<Value>>> {
    icarus_text(design, &verilog::write(design, &Options::default()), vectors)
}

/// [`icarus`] on a given text.
pub fn icarus_text(design: &Design, text: &str, vectors: &[Vec<Value>]) -> Option<Vec<Vec<Value>>> {
    let all = Value::ones(clocks(design).max(1));
    icarus_edges(design, text, vectors, &vec![all; vectors.len()])
}

/// Number of clock inputs.
pub fn clocks(design: &Design) -> u32 {
    let top = design.top_module();
    top.ports().filter(|(_, port)| port.kind == SignalKind::Input && port.shape == Shape::Clock).count()
        as u32
}

/// [`icarus_text`] where only the clocks whose bit is set in `edges` rise, in port order.
pub fn icarus_edges(
    design: &Design,
    text: &str,
    vectors: &[Vec<Value>],
    edges: &[Value],
) -> Option<Vec<Vec<Value>>> {
    let (iverilog, vvp) = (tool("iverilog")?, tool("vvp")?);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("design.v"), text).expect("written");
    std::fs::write(file("bench.v"), bench(design, vectors.len())).expect("written");
    let with_edges = |(vector, edges): (&Vec<Value>, &Value)| {
        let all: Vec<Value> = vector.iter().chain([edges]).cloned().collect();
        format!("{:x}\n", joined(&all))
    };
    let stimuli: String = vectors.iter().zip(edges).map(with_edges).collect();
    std::fs::write(file("stimuli.hex"), stimuli).expect("written");
    let mut compile = Command::new(iverilog);
    compile.current_dir(folder.path()).args([
        "-g2005",
        "-s",
        "bench",
        "-o",
        "bench.vvp",
        "bench.v",
        "design.v",
    ]);
    run(&mut compile, text);
    // A text that oscillates would never end.
    run(Command::new("timeout").current_dir(folder.path()).arg("60").arg(vvp).arg("bench.vvp"), text);
    let (_, widths) = port_widths(design);
    let lines = std::fs::read_to_string(file("outputs.hex")).expect("outputs were written");
    let outputs: Vec<Vec<Value>> = lines.lines().map(|line| split(line, &widths, text)).collect();
    assert_eq!(outputs.len(), vectors.len());
    Some(outputs)
}

fn split(line: &str, widths: &[u32], text: &str) -> Vec<Value> {
    let total: u32 = widths.iter().sum();
    let mut all = Value::zero(total);
    for (at, digit) in line.trim().chars().rev().enumerate() {
        let digit = digit.to_digit(16).unwrap_or_else(|| panic!("unknown bits {line}\n{}", numbered(text)));
        (0..4).for_each(|bit| all.set_bit(4 * at as u32 + bit, digit >> bit & 1 == 1));
    }
    let mut at = 0;
    let mut values = vec![];
    for width in widths {
        values.push(all.slice(at, *width));
        at += width;
    }
    values
}

fn bench(design: &Design, count: usize) -> String {
    let top = design.top_module();
    let (inputs, outputs) = port_widths(design);
    let (data, clocks) = (inputs.iter().sum::<u32>(), clocks(design).max(1));
    let mut connections = vec![];
    let mut wires = String::new();
    let mut results = vec![];
    let (mut at, mut clock) = (0, 0);
    for (_, port) in top.ports() {
        let name = &port.name;
        match port.kind {
            SignalKind::Input if port.shape == Shape::Clock => {
                connections.push(format!(".{name}(clk[{clock}])"));
                clock += 1;
            }
            SignalKind::Input => {
                connections.push(format!(".{name}(now[{}:{at}])", at + port.width - 1));
                at += port.width;
            }
            _ => {
                wires += &format!("wire [{}:0] o_{name};\n", port.width - 1);
                connections.push(format!(".{name}(o_{name})"));
                results.push(format!("o_{name}"));
            }
        }
    }
    results.reverse();
    assert!(!outputs.is_empty());
    let (top_bit, last, edges) = (data + clocks - 1, count - 1, clocks - 1);
    format!(
        "module bench;\nreg [{top_bit}:0] stimuli [0:{last}];\nreg [{top_bit}:0] now;\n\
         reg [{edges}:0] clk = 0;\ninteger i, f;\n{wires}\
         {} dut ({});\ninitial begin\n$readmemh(\"stimuli.hex\", stimuli);\nf = $fopen(\"outputs.hex\", \"w\");\n\
         for (i = 0; i < {count}; i = i + 1) begin\nnow = stimuli[i]; #1;\n$fdisplay(f, \"%h\", {{{}}});\n\
         clk = now[{top_bit}:{data}]; #1; clk = 0; #1;\nend\n$fclose(f);\n$finish;\nend\nendmodule\n",
        top.name,
        connections.join(", "),
        results.join(", ")
    )
}

/// Verilator `-Wall` and Yosys find nothing to complain about, but for warnings that the test itself makes (`also`).
pub fn lint(design: &Design, also: &[&str]) {
    let text = verilog::write(design, &Options::default());
    lint_text(&design.top_module().name, &text, also);
}

/// [`lint`] on a text.
pub fn lint_text(top: &str, text: &str, also: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("design.v"), text).expect("written");
    if let Some(verilator) = tool("verilator") {
        let mut command = Command::new(verilator);
        command.current_dir(folder.path()).args(["--lint-only", "-Wall", "--top-module", top]);
        command.args(accepted().iter().map(|code| format!("-Wno-{code}")));
        command.args(also.iter().map(|code| format!("-Wno-{code}"))).arg("design.v");
        run(&mut command, text);
    }
    if let Some(yosys) = tool("yosys") {
        let script = format!("read_verilog design.v; hierarchy -check -top {top}; proc; check -assert");
        run(Command::new(yosys).current_dir(folder.path()).args(["-q", "-p", &script]), text);
    }
}

/// Warning codes that `synth/lint.toml` accepts.
fn accepted() -> Vec<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../lint.toml");
    let text = std::fs::read_to_string(file).expect("synth/lint.toml");
    text.lines()
        .filter_map(|line| line.strip_prefix("code = \"")?.strip_suffix('"').map(str::to_owned))
        .collect()
}
