//! From nextpnr's netlist (its JSON output) to Verilog that simulates, by the cell models in `synth/cells`.
//!
//! nextpnr leaves inputs open where the device has a defined level: look-up table inputs are pulled up, all others
//! are low, those of a block RAM have a level by pin. Verilog has no such levels, so they are written into the netlist.

mod behaviour;
mod netlist;
mod table;

use crate::error::{FlowError, FlowResult};
use crate::ladder::cache::WorkDirectory;
use crate::process::ToolRun;
use crate::tools::Toolbox;
use behaviour::behaviour;
use netlist::Netlist;
use serde_json::{json, Value};
use std::path::Path;

/// Behaviour of the cells such a netlist is made of.
pub const CELLS: &str = concat!(
    include_str!("../../../cells/ecp5_placed.v"),
    include_str!("../../../cells/ecp5_pll.v"),
    include_str!("../../../elaborate/src/verilog/dp16kd.v")
);

/// The top module's name: nextpnr calls every design so.
pub const NETLIST_TOP: &str = "top";

/// The file of instances.
const NETLIST_VERILOG: &str = "netlist.v";

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

/// A block RAM's control pins by the level they have while open: nextpnr says otherwise with a `MUX` parameter,
/// whose value is the pin's name for 1 and `INV` for 0.
const OPEN_RAM_CONTROLS: &[(&str, &[&str])] = &[
    ("1", &["CEA", "CEB", "OCEA", "OCEB"]),
    ("0", &["CLKA", "CLKB", "WEA", "WEB", "RSTA", "RSTB", "CSA0", "CSA1", "CSA2", "CSB0", "CSB1", "CSB2"]),
];
/// A block RAM's data and address pins: 0 while open, or what their `MUX` parameter says.
const OPEN_RAM_BUSES: &[(&str, usize)] = &[("ADA", 14), ("ADB", 14), ("DIA", 18), ("DIB", 18)];

/// Ties the open inputs of every cell and marks the look-up tables whose multiplexer joins two others. Returns how many
/// inputs were tied.
pub fn tie_open_inputs(netlist: &mut Value) -> usize {
    let mut tied = 0;
    let modules = netlist["modules"].as_object_mut().into_iter().flat_map(|modules| modules.values_mut());
    for cell in
        modules.filter_map(|module| module["cells"].as_object_mut()).flat_map(|cells| cells.values_mut())
    {
        let kind = cell["type"].as_str().unwrap_or_default().to_owned();
        if kind == "TRELLIS_COMB" && !is_open(cell, "FXA") {
            cell["parameters"]["IS_Z1"] = json!("1");
        }
        for (_, level, ports) in OPEN_INPUTS.iter().filter(|entry| entry.0 == kind) {
            for port in ports.iter().filter(|port| is_open(cell, port)).collect::<Vec<_>>() {
                tie(cell, port, level);
                tied += 1;
            }
        }
        if kind == "DP16KD" {
            tied += tie_ram(cell);
        }
    }
    tied
}

fn is_open(cell: &Value, port: &str) -> bool {
    cell["connections"][port].as_array().is_none_or(Vec::is_empty)
}

fn tie(cell: &mut Value, port: &str, level: &str) {
    cell["connections"][port] = json!([level]);
    cell["port_directions"][port] = json!("input");
}

/// Ties a block RAM's open inputs. A `MUX` parameter that says what the open level is goes with it; one on a connected
/// pin stays, so that a simulator refuses what the model does not know.
fn tie_ram(cell: &mut Value) -> usize {
    let controls = OPEN_RAM_CONTROLS
        .iter()
        .flat_map(|(level, pins)| pins.iter().map(|pin| ((*pin).to_string(), *level, true)));
    let buses = OPEN_RAM_BUSES
        .iter()
        .flat_map(|(bus, width)| (0..*width).map(move |bit| (format!("{bus}{bit}"), "0", false)));
    let mut tied = 0;
    for (pin, default, is_control) in controls.chain(buses) {
        if !is_open(cell, &pin) {
            continue;
        }
        let parameter = format!("{pin}MUX");
        let given = cell["parameters"][&parameter].as_str().map(str::trim).map(str::to_owned);
        let level = match (given.as_deref(), is_control) {
            (None, _) => default,
            (Some("INV"), true) | (Some("0"), false) => "0",
            (Some(_), _) => "1",
        };
        tie(cell, &pin, level);
        if let Some(parameters) = cell["parameters"].as_object_mut() {
            parameters.remove(&parameter);
        }
        tied += 1;
    }
    tied
}

/// A board build's netlist ([`BoardBuild::netlist`](crate::BoardBuild)) as Verilog that simulates fast: what every cell
/// does is written out, with its parameters. The top module is [`NETLIST_TOP`]; ports and nets keep their names.
/// Refuses cells and settings whose behaviour is not known.
pub fn simulation_verilog(netlist: &Path) -> FlowResult<String> {
    let mut tree = read(netlist)?;
    tie_open_inputs(&mut tree);
    let top = serde_json::from_value::<Netlist>(tree["modules"][NETLIST_TOP].take());
    let top = top.map_err(|error| unexpected(netlist, error.to_string()))?;
    behaviour(&top).map_err(|refused| unexpected(netlist, refused))
}

/// The same netlist as instances, with [the models of its cells](CELLS): what [`simulation_verilog`] is checked
/// against. Slow to compile where there are thousands. Takes `yosys` from the toolbox.
pub fn instances_verilog(netlist: &Path, toolbox: &Toolbox, work: &WorkDirectory) -> FlowResult<String> {
    let mut tree = read(netlist)?;
    tie_open_inputs(&mut tree);
    let tied = tree.to_string();
    let version = &toolbox.tool("yosys")?.version;
    let files = work.run("netlist", &[tied.as_bytes(), version.as_bytes()], |directory| {
        let path = directory.join("tied.json");
        std::fs::write(&path, &tied).map_err(FlowError::file("write", &path))?;
        let script = format!("read_json tied.json; write_verilog -noattr {NETLIST_VERILOG}");
        let run = ToolRun {
            tool: "yosys",
            program: toolbox.path("yosys")?,
            arguments: vec!["-q".into(), "-p".into(), script],
            directory,
            subject: &netlist.display().to_string(),
            log: "yosys.log",
            path_front: toolbox.path_front(),
        };
        run.run()?;
        std::fs::remove_file(&path).map_err(FlowError::file("remove", &path))
    })?;
    Ok(files.read(NETLIST_VERILOG)? + CELLS)
}

fn read(netlist: &Path) -> FlowResult<Value> {
    let text = std::fs::read_to_string(netlist).map_err(FlowError::file("read", netlist))?;
    serde_json::from_str(&text).map_err(|error| unexpected(netlist, error.to_string()))
}

fn unexpected(netlist: &Path, message: String) -> FlowError {
    FlowError::ToolOutput { tool: "nextpnr-ecp5".into(), file: netlist.display().to_string(), message }
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

    #[test]
    fn open_pins_of_a_block_ram_get_what_their_mux_says() {
        let mut netlist = json!({"modules": {"top": {"cells": {"ram": {
            "type": "DP16KD", "port_directions": {},
            "parameters": {
                "CEAMUX": "INV", "WEAMUX": "WEA", "ADA0MUX": "1 ", "ADA1MUX": "0 ", "CLKAMUX": "INV", "RSTBMUX": "INV",
            },
            "connections": {"CLKA": [5], "CEA": [], "WEA": [], "ADA0": []},
        }}}}});
        // Sixteen control pins less the clock, and 64 address and data pins.
        assert_eq!(tie_open_inputs(&mut netlist), 15 + 64);
        let ram = &netlist["modules"]["top"]["cells"]["ram"];
        let level = |pin: &str| ram["connections"][pin][0].as_str().unwrap();
        assert_eq!(
            (level("CEA"), level("CEB"), level("WEA"), level("WEB"), level("RSTB")),
            ("0", "1", "1", "0", "0")
        );
        assert_eq!((level("ADA0"), level("ADA1"), level("DIB17")), ("1", "0", "0"));
        // A connected clock's inversion is left to the model.
        assert_eq!(ram["parameters"], json!({"CLKAMUX": "INV"}));
    }
}
