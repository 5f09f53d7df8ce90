//! From nextpnr's netlist (its JSON output) to one that can be simulated with `synth/cells/ecp5_placed.v`.
//!
//! nextpnr leaves inputs open where the device has a defined level: look-up table inputs are pulled up, all others
//! are low. Verilog has no such levels, so they are written into the netlist.

use serde_json::{json, Value};

/// Behaviour of the cells such a netlist is made of.
pub const CELLS: &str = include_str!("../../cells/ecp5_placed.v");

/// Level of open inputs by cell type.
const OPEN_INPUTS: &[(&str, &str, &[&str])] = &[
    ("TRELLIS_COMB", "1", &["A", "B", "C", "D"]),
    (
        "TRELLIS_COMB",
        "0",
        &["M", "FCI", "F1", "FXA", "FXB", "WD", "WAD0", "WAD1", "WAD2", "WAD3", "WRE", "WCK"],
    ),
    ("TRELLIS_RAMW", "1", &["A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1"]),
    ("TRELLIS_FF", "0", &["CLK", "LSR", "CE", "DI", "M"]),
    ("TRELLIS_IO", "0", &["I", "T"]),
];

/// Ties the open inputs of every cell and marks the look-up tables whose multiplexer joins two others. Returns how many
/// inputs were tied.
pub fn tie_open_inputs(netlist: &mut Value) -> usize {
    let mut tied = 0;
    let modules = netlist["modules"].as_object_mut().into_iter().flat_map(|modules| modules.values_mut());
    for cell in
        modules.filter_map(|module| module["cells"].as_object_mut()).flat_map(|cells| cells.values_mut())
    {
        let kind = cell["type"].as_str().unwrap_or_default().to_owned();
        let is_open =
            |cell: &Value, port: &str| cell["connections"][port].as_array().is_none_or(Vec::is_empty);
        if kind == "TRELLIS_COMB" && !is_open(cell, "FXA") {
            cell["parameters"]["IS_Z1"] = json!("1");
        }
        for (_, level, ports) in OPEN_INPUTS.iter().filter(|entry| entry.0 == kind) {
            for port in ports.iter().filter(|port| is_open(cell, port)).collect::<Vec<_>>() {
                cell["connections"][*port] = json!([level]);
                cell["port_directions"][*port] = json!("input");
                tied += 1;
            }
        }
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_inputs_get_the_level_of_the_device() {
        let mut netlist = json!({"modules": {"top": {"cells": {
            "lut": {
                "type": "TRELLIS_COMB", "parameters": {"INITVAL": "10"},
                "port_directions": {}, "connections": {"A": [], "B": [7], "F": [8], "FXA": [9], "FXB": [8]},
            },
            "pll": {"type": "EHXPLLL", "parameters": {}, "port_directions": {}, "connections": {"RST": []}},
        }}}});
        let tied = tie_open_inputs(&mut netlist);
        let lut = &netlist["modules"]["top"]["cells"]["lut"];
        assert_eq!(lut["connections"]["A"], json!(["1"]));
        assert_eq!(lut["connections"]["B"], json!([7]));
        assert_eq!(lut["connections"]["M"], json!(["0"]));
        assert_eq!(lut["connections"]["FXA"], json!([9]));
        assert_eq!(lut["parameters"]["IS_Z1"], "1");
        assert_eq!(lut["port_directions"]["A"], "input");
        assert_eq!(tied, 3 + 10);
        assert_eq!(netlist["modules"]["top"]["cells"]["pll"]["connections"]["RST"], json!([]));
    }
}
