//! Block RAM as explicit ECP5 instances.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support::{self, generate};
use flitforge_elaborate::verilog::{self, Options, Technology};
use flitforge_elaborate::{Design, Value};
use rand::Rng;
use std::process::Command;

const ECP5: Options = Options { technology: Technology::Ecp5 };

/// The text with the model of the RAM in place of its declaration.
fn with_model(design: &Design) -> String {
    let parts = verilog::parts(design, &ECP5);
    let [ram] = parts.primitives.as_slice() else { panic!("one primitive: {:?}", parts.primitives) };
    let model = ram.model.expect("a model");
    model.to_owned() + &verilog::file(parts.modules.iter().map(|(_, text)| text.as_str()))
}

#[test]
fn instances_behave_as_the_array_unless_a_read_meets_a_write() {
    let mut random = support::random("ram", 6);
    const SHAPES: [(u32, u32); 9] =
        [(512, 64), (512, 36), (300, 40), (1024, 18), (700, 20), (2048, 9), (4096, 5), (5000, 3), (16384, 1)];
    for ((depth, width), register) in SHAPES.iter().flat_map(|shape| [(*shape, true), (*shape, false)]) {
        let initial: Vec<Value> = (0..depth.min(90)).map(|_| generate::value(&mut random, width)).collect();
        let design = support::ram::memory(register, depth, width, initial);
        let (widths, _) = support::port_widths(&design);
        let vectors: Vec<Vec<Value>> = (0..1500)
            .map(|_| {
                let mut vector: Vec<Value> = generate::vectors(&mut random, &widths, 1).remove(0);
                // Addresses from a small set, spread over the depth, never equal on one clock.
                let slot = random.random_range(0..8u64);
                let other = (slot + random.random_range(1..8u64)) % 8;
                let place = |slot: u64| slot % 4 + slot / 4 * (u64::from(depth) - 4);
                vector[1] = Value::from_u64(widths[1], place(slot));
                vector[5] = Value::from_u64(widths[5], place(other));
                vector
            })
            .collect();
        let Some(array) = support::icarus(&design, &vectors) else { return };
        let text = with_model(&design);
        let Some(instances) = support::icarus_text(&design, &text, &vectors) else { return };
        assert!(array.iter().any(|outputs| !outputs[0].is_zero()));
        let at = (0..vectors.len()).find(|at| array[*at] != instances[*at]);
        assert_eq!(at, None, "{depth} x {width}: {array:?} {instances:?}");
    }
}

#[test]
fn placed_read_path_uses_the_output_registers_and_passes_250_mhz() {
    let (Some(yosys), Some(nextpnr)) = (support::tool("yosys"), support::tool("nextpnr-ecp5")) else {
        return;
    };
    let text = verilog::write(&support::ram::registered(512, 64, vec![]), &ECP5);
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("ram.v"), &text).expect("written");
    let script = "read_verilog ram.v; synth_ecp5 -top ram -json ram.json";
    support::run(Command::new(yosys).current_dir(folder.path()).args(["-q", "-p", script]), &text);
    let mut place = Command::new(nextpnr);
    place.current_dir(folder.path()).args(["--85k", "--speed", "6", "--package", "CABGA381", "--seed", "1"]);
    place.args(["--json", "ram.json", "--textcfg", "ram.config", "--report", "report.json", "--freq", "250"]);
    support::run(place.args(["--lpf-allow-unconstrained", "--timing-allow-fail", "-q"]), &text);
    let config = std::fs::read_to_string(folder.path().join("ram.config")).expect("a configuration");
    let count = |what: &str| config.lines().filter(|line| line.contains(what)).count();
    assert_eq!((count("REGMODE_A OUTREG"), count("REGMODE_B OUTREG")), (2, 2));
    let report = std::fs::read_to_string(folder.path().join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("valid");
    let fmax =
        report["fmax"].as_object().expect("clocks").values().next().expect("one clock")["achieved"].as_f64();
    let fmax = fmax.expect("a number");
    println!("64 x 512: {fmax:.1} MHz, {}", report["utilization"]["DP16KD"]);
    assert!(fmax > 250.0, "{fmax} MHz");
}
