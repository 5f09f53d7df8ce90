//! The behavioural models of the placed cells against the text the netlist was made from.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::placed_support::{assert_equal, compare, netlist_outputs, seed, source_outputs, stimuli, tools};
use flitforge_flow::{Port, Source};

const CLOCKS: usize = 2500;

fn cells() -> Source {
    let inputs = [
        ("clear", 1),
        ("write", 1),
        ("enable", 1),
        ("write_address", 6),
        ("read_address", 6),
        ("data", 36),
        ("a", 8),
        ("b", 8),
    ];
    let outputs = [
        ("pseudo_dual", 36),
        ("own_write", 9),
        ("two_bytes", 18),
        ("narrow", 4),
        ("logic_ram", 8),
        ("sum", 16),
        ("difference", 16),
        ("less", 1),
        ("constant", 2),
        ("selected", 1),
        ("wide_or", 1),
        ("falling", 1),
        ("asynchronous", 1),
        ("shifted", 8),
        ("held", 4),
    ];
    let mut ports = vec![Port::clock("clock")];
    ports.extend(inputs.map(|(name, width)| Port::input(name, width)));
    ports.extend(outputs.map(|(name, width)| Port::output(name, width)));
    Source { verilog: include_str!("cells.v").into(), top: "cells".into(), ports }
}

#[test]
fn every_kind_of_cell_behaves_as_the_text_it_came_from() {
    let Some(toolbox) = tools() else { return };
    let seed = seed(0x91ace);
    let source = cells();
    let (few, netlist) = assert_equal(&source, &source.verilog, CLOCKS, 25.0, seed, &toolbox);
    let instances = &netlist[..netlist.find("module TRELLIS_COMB").unwrap()];
    let forms = [
        ".MODE(\"CCU2\")",
        ".MODE(\"DPRAM\")",
        ".IS_Z1(",
        ".CLKMUX(\"INV\")",
        ".CEMUX(\"INV\")",
        ".SRMODE(\"ASYNC\")",
        ".REGSET(\"SET\")",
        ".SD(",
        "DP16KD #",
        ".DATA_WIDTH_A(32'd36)",
        ".DATA_WIDTH_A(32'd18)",
        ".DATA_WIDTH_A(32'd9)",
        ".DATA_WIDTH_A(32'd4)",
        ".WRITEMODE_A(\"WRITETHROUGH\")",
        ".WRITEMODE_A(\"READBEFOREWRITE\")",
        ".RESETMODE(\"SYNC\")",
    ];
    let missing: Vec<&&str> = forms.iter().filter(|form| !instances.contains(**form)).collect();
    assert!(missing.is_empty(), "the netlist has none of {missing:?}");

    // A netlist with one wrong cell is told from the text.
    let vectors = stimuli(&few, CLOCKS, seed);
    let right = source_outputs(&few, &vectors, &toolbox);
    for (form, wrong) in
        [(".CLKMUX(\"INV\")", ".CLKMUX(\"CLK\")"), (".REGSET(\"SET\")", ".REGSET(\"RESET\")")]
    {
        let broken = netlist.replacen(form, wrong, 1);
        assert!(compare(&right, &netlist_outputs(&few, &broken, &vectors, &toolbox)).0.is_some(), "{form}");
    }
}
