//! Emitted Verilog beside models of other projects: cocotbext-eth on XGMII, cocotbext-axi on AXI-Stream and AXI4. The benches are in `tests/cocotb`.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::Toolbox;
use flitforge_sim::kit::seed;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools, or a visible skip; under CI a missing tool fails.
fn tools() -> Option<Toolbox> {
    match Toolbox::locate(&["cocotb-config", "iverilog", "vvp"]) {
        Ok(toolbox) => Some(toolbox),
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED: Verilog beside cocotb: {error}");
            None
        }
    }
}

fn output(command: &Command) -> String {
    let output = flitforge_process::output(command).expect("started");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}", &text[text.len().saturating_sub(4000)..]);
    text
}

/// What cocotb says of its installation: one line.
fn ask(toolbox: &Toolbox, question: &str) -> String {
    let mut command = Command::new(toolbox.path("cocotb-config").expect("located"));
    output(command.arg(question)).trim().to_string()
}

/// Runs the bench of that name on the block of that name: so many tests pass, and none fails.
fn run(block: &str, tests: usize) {
    run_in(block, block, tests);
}

/// Runs the bench of that name: on the block itself, or on the module of the bench's name that stands beside it and has the block in it.
fn run_in(bench_name: &str, block: &str, tests: usize) {
    let Some(toolbox) = tools() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let place = |name: &str| folder.path().join(name);
    let source = crate::board_bench::block(block, "default", &[], Technology::Generic);
    std::fs::write(place("block.v"), &source.verilog).expect("written");
    // The emitted text has no time unit, cocotb's clock wants one.
    std::fs::write(place("time.f"), "+timescale+1ns/1ps\n").expect("written");
    let mut compile = Command::new(toolbox.path("iverilog").expect("located"));
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cocotb");
    let arguments = ["-g2005-sv", "-f", "time.f", "-s", bench_name, "-o", "bench.vvp", "block.v"];
    compile.args(arguments).current_dir(folder.path());
    if bench_name != block {
        compile.arg(benches.join(bench_name).with_extension("v"));
    }
    output(&compile);

    let libpython = ask(&toolbox, "--libpython");
    assert!(
        Path::new(&libpython).is_file(),
        "no library of Python ({libpython}): apt install libpython3-dev"
    );
    let site = PathBuf::from(ask(&toolbox, "--prefix"));
    let mut bench = Command::new(toolbox.path("vvp").expect("located"));
    bench.args(["-M", &ask(&toolbox, "--lib-dir"), "-m", "libcocotbvpi_icarus", "bench.vvp"]);
    bench.env("PYTHONPATH", std::env::join_paths([site, benches]).expect("a path"));
    bench.envs([("MODULE", bench_name), ("TOPLEVEL", bench_name), ("TOPLEVEL_LANG", "verilog")]);
    bench.env("PYTHONDONTWRITEBYTECODE", "1").env("LIBPYTHON_LOC", libpython);
    bench.env("RANDOM_SEED", seed(0xC0C0).to_string());
    let text = output(bench.current_dir(folder.path()));
    let wanted = format!("TESTS={tests} PASS={tests} FAIL=0 SKIP=0");
    let summary: Vec<&str> = text.lines().filter(|line| line.contains("** ")).collect();
    println!("{}", summary.join("\n"));
    assert!(text.contains(&wanted), "{wanted} is wanted: {}", &text[text.len().saturating_sub(6000)..]);
}

#[test]
fn eth_mac_axi_tx_sends_what_other_models_read() {
    run("eth_mac_axi_tx", 4);
}

#[test]
fn eth_mac_axi_rx_reads_what_other_models_send() {
    run("eth_mac_axi_rx", 3);
}

#[test]
fn sue_axi_carries_what_other_models_ask() {
    run_in("sue_axi_loop", "sue_axi", 8);
}
