//! The text made for simulation against the models of the cells: every kind of cell in every form, every input value,
//! and for storage every change from one input value to another.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::placed_support::{run, seed, tools};
use flitforge_flow::placed::{instances_verilog, simulation_verilog, NETLIST_TOP};
use flitforge_flow::tools::Toolbox;
use flitforge_flow::WorkDirectory;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Input bits that the cells share. Bit 0 is every clock, and changes after the others.
const INPUTS: usize = 11;
/// Net number of input bit 0.
const FIRST_NET: usize = 2;

/// Pins by input bit. `LSR` may act without a clock.
const COMB: &[&str] = &["A", "B", "C", "D", "M", "FCI", "F1"];
const WIDE: &[&str] = &["A", "B", "C", "D", "M", "FXA", "FXB"];
const RAM: &[&str] = &["WCK", "WRE", "WD", "WAD0", "WAD1", "WAD2", "WAD3", "A", "B", "C", "D"];
const WRITE_PORT: &[&str] = &["A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1"];
const FLIP_FLOP: &[&str] = &["CLK", "LSR", "CE", "DI", "M"];
const PAD: &[&str] = &["I", "T"];

/// A netlist being made: cells on shared inputs, an output bit for each of their outputs.
struct Cells {
    cells: Map<String, Value>,
    outputs: Vec<usize>,
    /// Each cell's output bits.
    bits: BTreeMap<String, Range<usize>>,
    next: usize,
}

impl Cells {
    fn new() -> Cells {
        Cells { cells: Map::new(), outputs: vec![], bits: BTreeMap::new(), next: FIRST_NET + INPUTS }
    }

    fn add(&mut self, kind: &str, parameters: &[(&str, &str)], inputs: &[&str], outputs: &[&str]) {
        let mut connections = Map::new();
        let mut directions = Map::new();
        let first = self.outputs.len();
        for (bit, pin) in inputs.iter().enumerate() {
            connections.insert((*pin).into(), json!([FIRST_NET + bit]));
            directions.insert((*pin).into(), json!("input"));
        }
        for pin in outputs {
            connections.insert((*pin).into(), json!([self.next]));
            directions.insert((*pin).into(), json!(if *pin == "B" { "inout" } else { "output" }));
            self.outputs.push(self.next);
            self.next += 1;
        }
        let parameters: Map<String, Value> =
            parameters.iter().map(|(name, value)| ((*name).into(), json!(value))).collect();
        let cell = json!({"hide_name": 0, "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": directions, "connections": connections});
        let name = format!("cell{}", self.cells.len());
        self.bits.insert(name.clone(), first..self.outputs.len());
        self.cells.insert(name, cell);
    }

    /// The cell that drives an output bit, with its parameters.
    fn cell_of(&self, bit: usize) -> String {
        let (name, _) = self.bits.iter().find(|(_, bits)| bits.contains(&bit)).unwrap();
        format!("{name} {} {}", self.cells[name]["type"], self.cells[name]["parameters"])
    }

    /// Leaves pins open or ties them, at random: a table's inputs are often so.
    fn thin_out(&mut self, random: &mut ChaCha8Rng) {
        for cell in self.cells.values_mut().filter(|cell| cell["type"] == "TRELLIS_COMB") {
            for pin in ["A", "B", "C", "D"] {
                match random.random_range(0..8) {
                    0 => cell["connections"][pin] = json!([]),
                    1 => cell["connections"][pin] = json!(["0"]),
                    2 => cell["connections"][pin] = json!(["1"]),
                    _ => {}
                }
            }
        }
    }

    fn tree(&self) -> Value {
        let inputs: Vec<usize> = (FIRST_NET..FIRST_NET + INPUTS).collect();
        let mut ports = json!({"inputs": {"direction": "input", "bits": inputs}});
        for (name, bits) in &self.bits {
            ports[format!("of_{name}")] = json!({"direction": "output", "bits": self.outputs[bits.clone()]});
        }
        json!({"creator": "test", "modules": {NETLIST_TOP: {
            "attributes": {}, "cells": self.cells, "netnames": {}, "ports": ports,
        }}})
    }
}

fn every_form(random: &mut ChaCha8Rng) -> Cells {
    let mut cells = Cells::new();
    let mut tables: Vec<u16> = (0..14).map(|_| random.random()).collect();
    tables.extend([0, 0xffff, 0xaaaa, 0x5555, 0xff00, 0x6996, 0x8000, 0xfffe, 0xcaca, 0x96aa]);
    for table in tables {
        let initial = format!("{table:016b}");
        let table = ("INITVAL", initial.as_str());
        cells.add("TRELLIS_COMB", &[table], COMB, &["F", "OFX"]);
        cells.add("TRELLIS_COMB", &[table, ("MODE", "LOGIC")], COMB, &["OFX"]);
        cells.add("TRELLIS_COMB", &[table], WIDE, &["F", "OFX"]);
        for inject in ["YES", "NO"] {
            let carry = [table, ("MODE", "CCU2"), ("CCU2_INJECT1", inject)];
            cells.add("TRELLIS_COMB", &carry, COMB, &["F", "FCO"]);
        }
    }
    cells.thin_out(random);
    for clock in ["WCK", "INV"] {
        for enable in ["WRE", "INV", "1 ", "0 "] {
            let initial = format!("{:016b}", random.random::<u16>());
            let parameters =
                [("INITVAL", initial.as_str()), ("MODE", "DPRAM"), ("WCKMUX", clock), ("WREMUX", enable)];
            cells.add("TRELLIS_COMB", &parameters, RAM, &["F"]);
        }
    }
    let wires = ["WDO0", "WDO1", "WDO2", "WDO3", "WADO0", "WADO1", "WADO2", "WADO3"];
    cells.add("TRELLIS_RAMW", &[], WRITE_PORT, &wires);
    for enable in ["CE", "INV", "1 ", "0 "] {
        for (clock, set) in [("CLK", "RESET"), ("INV", "RESET"), ("CLK", "SET"), ("INV", "SET")] {
            for reset in ["LSR", "INV"] {
                for mode in ["LSR_OVER_CE", "CE_OVER_LSR", "ASYNC"] {
                    for data in ["0 ", "1 "] {
                        let parameters = [
                            ("CEMUX", enable),
                            ("CLKMUX", clock),
                            ("LSRMUX", reset),
                            ("REGSET", set),
                            ("SRMODE", mode),
                            ("SD", data),
                            ("GSR", "DISABLED"),
                        ];
                        cells.add("TRELLIS_FF", &parameters, FLIP_FLOP, &["Q"]);
                    }
                }
            }
        }
    }
    cells.add("TRELLIS_IO", &[("DIR", "OUTPUT")], PAD, &["B"]);
    cells.add("TRELLIS_IO", &[("DIR", "BIDIR")], PAD, &["B", "O"]);
    cells.add("TRELLIS_IO", &[("DIR", "INPUT")], &["B"], &["O"]);
    cells.add("DCCA", &[], &["CLKI"], &["CLKO"]);
    cells
}

/// Vectors before the first that is compared. At time 0 unknown inputs become known, which one form takes for an edge and
/// the other does not; these write every flip-flop and every word of memory.
const PREPARATION: u32 = 1 << WRITE_PORT.len();

/// Preparation, all input values of the cells without memory, all changes between two input values of a flip-flop, and
/// random ones.
fn vectors(random: &mut ChaCha8Rng) -> Vec<u32> {
    let low = |value: u32, random: &mut ChaCha8Rng| value | random.random_range(0..1 << (INPUTS - 5)) << 5;
    let mut vectors: Vec<u32> = (0..PREPARATION).chain(0..PREPARATION).collect();
    for from in 0..32 {
        for to in 0..32 {
            vectors.extend([low(from, random), low(to, random)]);
        }
    }
    vectors.extend((0..1500).map(|_| random.random_range(0..1 << INPUTS)));
    vectors
}

/// The outputs after every change of the inputs from the end of the preparation on: those that are no clock first, then the clock.
fn outputs(cells: &Cells, netlist: &str, vectors: &[u32], folder: &Path, toolbox: &Toolbox) -> Vec<String> {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let text: String = vectors.iter().map(|vector| format!("{vector:x}\n")).collect();
    let width = cells.outputs.len();
    // One port per cell, the first in the low bits of a line.
    let mut ports: Vec<_> = cells.bits.iter().collect();
    ports.sort_by_key(|(_, bits)| std::cmp::Reverse(bits.start));
    let of = |each: fn((&String, &Range<usize>)) -> String| {
        ports.iter().map(|port| each(*port)).collect::<Vec<_>>()
    };
    let wires = of(|(name, bits)| format!("wire [{}:0] of_{name};\n", bits.len().max(1) - 1)).concat();
    let connections = of(|(name, _)| format!(", .of_{name}(of_{name})")).concat();
    let shown = of(|(name, _)| format!("of_{name}")).join(", ");
    let bench = format!(
        "`timescale 1ns / 1ps\nmodule bench;\nreg [{0}:0] now = 0;\nreg [{0}:0] vectors [0:{1}];\n\
         {wires}integer at;\n{NETLIST_TOP} dut (.inputs(now){connections});\n\
         initial begin\n$readmemh(\"vectors.hex\", vectors);\nfor (at = 0; at <= {1}; at = at + 1) begin\n\
         #1 now[{0}:1] = vectors[at][{0}:1]; #1 $display(\"%b\", {{{shown}}});\n\
         #1 now[0] = vectors[at][0]; #1 $display(\"%b\", {{{shown}}});\nend\n$finish(0);\nend\nendmodule\n",
        INPUTS - 1,
        vectors.len() - 1,
    );
    for (name, text) in [("bench.v", bench.as_str()), ("dut.v", netlist), ("vectors.hex", &text)] {
        write(name, text);
    }
    let arguments = ["-g2012", "-o", "sim.vvp", "-s", "bench", "bench.v", "dut.v"];
    run(toolbox.path("iverilog").unwrap(), &arguments, folder);
    let text = run(toolbox.path("vvp").unwrap(), &["-n", "sim.vvp"], folder);
    let lines: Vec<String> = text.lines().filter(|line| line.len() == width).map(str::to_owned).collect();
    assert_eq!(lines.len(), 2 * vectors.len(), "two lines per vector");
    lines[2 * PREPARATION as usize..].to_vec()
}

fn written(tree: &Value, folder: &Path) -> PathBuf {
    let path = folder.join("placed.json");
    std::fs::write(&path, tree.to_string()).unwrap();
    path
}

#[test]
fn every_form_of_every_cell_behaves_as_its_model() {
    let Some(toolbox) = tools() else { return };
    let mut random = ChaCha8Rng::seed_from_u64(seed(0xce11));
    let room = tempfile::tempdir().unwrap();
    let folder = room.path();
    let cells = every_form(&mut random);
    let width = cells.outputs.len();
    let vectors = vectors(&mut random);
    let path = written(&cells.tree(), folder);
    let instances = instances_verilog(&path, &toolbox, &WorkDirectory::new(folder)).unwrap();
    let models = outputs(&cells, &instances, &vectors, folder, &toolbox);
    let texts = outputs(&cells, &simulation_verilog(&path).unwrap(), &vectors, folder, &toolbox);
    println!("{} cells, {width} outputs, {} input vectors", cells.cells.len(), vectors.len());
    for (at, (model, text)) in models.iter().zip(&texts).enumerate() {
        if let Some(bit) = first_difference(model, text) {
            let at = at / 2 + PREPARATION as usize;
            panic!("vector {at} ({:x}): {}", vectors[at], cells.cell_of(bit));
        }
    }
    // All outputs have a value, most change, and one wrong parameter is seen.
    assert!(!models.iter().any(|line| line.contains('x')));
    let still =
        (0..width).filter(|bit| models.iter().all(|line| line[*bit..=*bit] == models[0][*bit..=*bit]));
    assert!(still.count() * 4 < width, "too many outputs stand still");
    let (tree, spoilt) = spoil(&cells);
    let texts =
        outputs(&cells, &simulation_verilog(&written(&tree, folder)).unwrap(), &vectors, folder, &toolbox);
    for (what, bits) in spoilt {
        let seen = models.iter().zip(&texts).any(|(model, text)| {
            bits.clone().any(|bit| model.as_bytes()[width - 1 - bit] != text.as_bytes()[width - 1 - bit])
        });
        assert!(seen, "{what} makes no difference");
    }
}

/// The cells with one wrong parameter in some of them: what was changed, and the outputs of that cell.
fn spoil(cells: &Cells) -> (Value, Vec<(String, Range<usize>)>) {
    let mut tree = cells.tree();
    let all = tree["modules"][NETLIST_TOP]["cells"].as_object_mut().unwrap();
    let mut spoilt: BTreeMap<String, String> = BTreeMap::new();
    for (parameter, right, wrong) in [
        ("CCU2_INJECT1", "YES", "NO"),
        ("MODE", "CCU2", "LOGIC"),
        ("WCKMUX", "INV", "WCK"),
        ("WREMUX", "INV", "WRE"),
        ("CEMUX", "INV", "CE"),
        ("CLKMUX", "INV", "CLK"),
        ("LSRMUX", "INV", "LSR"),
        ("REGSET", "SET", "RESET"),
        ("SRMODE", "CE_OVER_LSR", "LSR_OVER_CE"),
        ("SRMODE", "ASYNC", "LSR_OVER_CE"),
        ("SD", "0 ", "1 "),
    ] {
        // Not one whose clock enable is a constant: there an order of enable and reset may make no difference.
        let (name, cell) = all
            .iter_mut()
            .filter(|(name, _)| !spoilt.contains_key(*name))
            .find(|(_, cell)| cell["parameters"][parameter] == right && cell["parameters"]["CEMUX"] != "0 ")
            .unwrap();
        cell["parameters"][parameter] = json!(wrong);
        spoilt.insert(name.clone(), format!("{parameter} {wrong} in {name}"));
    }
    let bits = spoilt.into_iter().map(|(name, what)| (what, cells.bits[&name].clone())).collect();
    (tree, bits)
}

/// The output bit that differs first.
fn first_difference(model: &str, text: &str) -> Option<usize> {
    model.bytes().zip(text.bytes()).rev().position(|(a, b)| a != b)
}

#[test]
fn what_has_no_known_behaviour_is_refused() {
    let room = tempfile::tempdir().unwrap();
    let refuse = |kind: &str, parameters: &[(&str, &str)], inputs: &[&str]| {
        let mut cells = Cells::new();
        cells.add(kind, parameters, inputs, &[]);
        let error = simulation_verilog(&written(&cells.tree(), room.path())).unwrap_err().to_string();
        assert!(error.contains("cell0") && error.contains(kind), "{error}");
        error
    };
    assert!(refuse("DCUA", &[], &[]).contains("no behaviour is known"));
    assert!(refuse("DCCA", &[], &["CLKI", "CE"]).contains("enable"));
    assert!(refuse("TRELLIS_COMB", &[("MODE", "SHIFT")], COMB).contains("MODE SHIFT"));
    assert!(refuse("TRELLIS_COMB", &[("INITVAL", "z")], COMB).contains("INITVAL z"));
    assert!(refuse("TRELLIS_IO", &[("DATAMUX_ODDR", "IOLDO")], PAD).contains("DATAMUX_ODDR IOLDO"));
    assert!(refuse("TRELLIS_IO", &[("DIR", "OUTPUT"), ("DATAMUX_MDDR", "IOLDO")], PAD).contains("IOLDO"));
    let path = room.path().join("placed.json");
    std::fs::write(&path, "{}").unwrap();
    assert!(simulation_verilog(&path).unwrap_err().to_string().contains("placed.json"));
    std::fs::write(&path, "{").unwrap();
    assert!(simulation_verilog(&path).unwrap_err().to_string().contains("placed.json"));
}
