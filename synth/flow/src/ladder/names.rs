//! From cells of the flat netlist back to the source: instance path and signal.
//!
//! Flattening keeps a signal's name in every module it passes (`value`, `inner.count`), and Yosys names a cell after
//! any one of them. The source line of a register says in which module it is written; the instance whose module
//! contains that line, and where the signal has a name, is the register's own.

use crate::error::{FlowError, FlowResult};
use crate::report::PathPoint;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The file name the block's text has in the work directory.
pub const BLOCK_FILE: &str = "block.v";

/// A cell of the netlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCell {
    /// The cell's type.
    pub kind: String,
    /// Where it belongs, and the signal it drives or is named after.
    pub point: PathPoint,
}

/// The cells of one module of a netlist, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Cell name to origin.
    pub cells: BTreeMap<String, NamedCell>,
}

#[derive(Deserialize)]
struct Netlist {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
    #[serde(default)]
    cells: BTreeMap<String, Cell>,
    #[serde(default)]
    netnames: BTreeMap<String, Net>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
    #[serde(default)]
    port_directions: BTreeMap<String, String>,
    #[serde(default)]
    connections: BTreeMap<String, Vec<Value>>,
}

#[derive(Deserialize)]
struct Net {
    bits: Vec<Value>,
}

/// First and last line of a module in the block's text.
type Lines = (usize, usize);

impl Names {
    /// Reads the cells of `module` from Yosys' JSON netlist.
    pub fn of_netlist(text: &str, module: &str) -> FlowResult<Names> {
        let netlist: Netlist = serde_json::from_str(text).map_err(|e| FlowError::ToolOutput {
            tool: "yosys".into(),
            file: "netlist.json".into(),
            message: e.to_string(),
        })?;
        let Some(module) = netlist.modules.get(module) else { return Ok(Names::default()) };
        let scopes = scopes(module);
        let aliases = aliases(module);
        let mut cells: BTreeMap<String, NamedCell> = BTreeMap::new();
        for (name, cell) in module.cells.iter().filter(|(_, c)| c.kind != "$scopeinfo") {
            if let Some(point) = own_line(cell).and_then(|line| by_line(cell, line, &scopes, &aliases)) {
                cells.insert(name.clone(), NamedCell { kind: cell.kind.clone(), point });
            }
        }
        let mut rest = BTreeMap::new();
        for (name, cell) in
            module.cells.iter().filter(|(n, c)| c.kind != "$scopeinfo" && !cells.contains_key(*n))
        {
            let point = by_prefix(name, &cells).unwrap_or_else(|| PathPoint::of_name(name));
            rest.insert(name.clone(), NamedCell { kind: cell.kind.clone(), point });
        }
        cells.append(&mut rest);
        Ok(Names { cells })
    }

    /// The origin of a cell as the placer names it (below the harness' instance, with suffixes of its own).
    pub fn origin(&self, placed_name: &str) -> Option<&PathPoint> {
        let name = placed_name
            .strip_prefix(&format!("{}.", crate::harness::HARNESS_INSTANCE))
            .unwrap_or(placed_name);
        let name = name.split('$').next().filter(|n| !n.is_empty()).unwrap_or(name);
        self.cells.get(name).map(|cell| &cell.point)
    }
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

/// The lines of each instance's module; "" is the module itself.
fn scopes(module: &Module) -> BTreeMap<&str, Lines> {
    let below = module.cells.iter().filter(|(_, c)| c.kind == "$scopeinfo");
    let below =
        below.filter_map(|(n, c)| Some((n.as_str(), lines(text_of(c.attributes.get("module_src")))?)));
    let own = lines(text_of(module.attributes.get("src"))).map(|l| ("", l));
    own.into_iter().chain(below).collect()
}

/// `block.v:1.1-8.10` to lines 1 and 8; the first place of several in the block's own text.
fn lines(source: &str) -> Option<Lines> {
    let place = source.split('|').find_map(|s| s.strip_prefix(BLOCK_FILE)?.strip_prefix(':'))?;
    let (first, last) = place.split_once('-').unwrap_or((place, place));
    let line = |text: &str| text.split('.').next()?.parse::<usize>().ok();
    Some((line(first)?, line(last)?))
}

fn own_line(cell: &Cell) -> Option<usize> {
    lines(text_of(cell.attributes.get("src"))).map(|(first, _)| first)
}

/// The names of every bit: net, index, whether it has several bits.
fn aliases(module: &Module) -> BTreeMap<u64, Vec<(&str, usize, bool)>> {
    let mut aliases: BTreeMap<u64, Vec<(&str, usize, bool)>> = BTreeMap::new();
    for (name, net) in &module.netnames {
        for (index, bit) in net.bits.iter().enumerate() {
            if let Some(bit) = bit.as_u64() {
                aliases.entry(bit).or_default().push((name, index, net.bits.len() > 1));
            }
        }
    }
    aliases
}

/// The deepest instance whose module contains the line and where an output bit of the cell has a name; without such
/// a name the only instance with that line.
fn by_line(
    cell: &Cell,
    line: usize,
    scopes: &BTreeMap<&str, Lines>,
    aliases: &BTreeMap<u64, Vec<(&str, usize, bool)>>,
) -> Option<PathPoint> {
    let holds = |path: &str| scopes.get(path).is_some_and(|(first, last)| (*first..=*last).contains(&line));
    let outputs = cell.connections.iter().filter(|(port, _)| text_is_output(cell, port));
    let bits = outputs.flat_map(|(_, bits)| bits).filter_map(Value::as_u64);
    let names = bits.filter_map(|bit| aliases.get(&bit)).flatten();
    let named = names.filter_map(|(name, index, several)| {
        let (path, signal) = name.rsplit_once('.').unwrap_or(("", name));
        let bit = if *several { format!("[{index}]") } else { String::new() };
        holds(path).then(|| PathPoint { module_path: path.to_string(), signal: format!("{signal}{bit}") })
    });
    // Names of the tool's own making (they hold a cell type) come last.
    let made = |p: &PathPoint| PathPoint::of_name(&p.signal).signal != p.signal;
    let depth = |p: &PathPoint| p.module_path.split('.').count();
    let best = named.min_by_key(|p| (made(p), std::cmp::Reverse(depth(p)), p.signal.len()));
    // A register after an inverter (power-on value 1) or a merged one has no name of the source: its line says more.
    let signal = format!("(line {line})");
    match best {
        Some(point) if !made(&point) => Some(point),
        Some(point) => Some(PathPoint { module_path: point.module_path, signal }),
        None => {
            let mut holding = scopes.keys().filter(|path| holds(path));
            let only = holding.next().filter(|_| holding.next().is_none())?;
            Some(PathPoint { module_path: (*only).to_string(), signal })
        }
    }
}

fn text_is_output(cell: &Cell, port: &str) -> bool {
    cell.port_directions.get(port).is_some_and(|d| d == "output")
}

/// A cell without a line is named after another one, with more appended (`count_TRELLIS_FF_Q_DI_LUT4_Z`).
fn by_prefix(name: &str, known: &BTreeMap<String, NamedCell>) -> Option<PathPoint> {
    let mut prefix = name;
    while let Some((shorter, _)) = prefix.rsplit_once('_') {
        prefix = shorter;
        if let Some(cell) = known.get(prefix) {
            return Some(cell.point.clone());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two instances of one module, trimmed from Yosys 0.70's netlist of a small counter.
    const NETLIST: &str = r#"{"modules": {"counter": {
        "attributes": {"src": "block.v:10.1-14.10"},
        "cells": {
            "inner": {"type": "$scopeinfo", "attributes": {"module": "leaf", "module_src": "block.v:1.1-8.10"}},
            "other": {"type": "$scopeinfo", "attributes": {"module": "leaf", "module_src": "block.v:1.1-8.10"}},
            "value_TRELLIS_FF_Q": {"type": "TRELLIS_FF", "attributes": {"src": "block.v:4.3-6.32|/share/x.v:68.1-68.2"},
                "port_directions": {"Q": "output", "DI": "input"}, "connections": {"Q": [13], "DI": [20]}},
            "value_TRELLIS_FF_Q_DI_LUT4_Z": {"type": "LUT4", "attributes": {"src": "/share/x.v:1.1-1.2"},
                "port_directions": {"Z": "output"}, "connections": {"Z": [20]}},
            "odd_TRELLIS_FF_Q": {"type": "TRELLIS_FF", "attributes": {"src": "block.v:13.3-13.41"},
                "port_directions": {"Q": "output"}, "connections": {"Q": [30]}},
            "odd_TRELLIS_FF_Q_DI_TRELLIS_FF_Q": {"type": "TRELLIS_FF", "attributes": {"src": "block.v:12.3-12.4"},
                "port_directions": {"Q": "output"}, "connections": {"Q": [31]}}
        },
        "netnames": {
            "value": {"bits": [12, 13]}, "inner.count": {"bits": [12, 13]}, "other.count": {"bits": [30]},
            "odd": {"bits": [30]}, "odd_TRELLIS_FF_Q_DI": {"bits": [31]}
        }}}}"#;

    #[test]
    fn a_register_belongs_to_the_instance_that_writes_it() {
        let names = Names::of_netlist(NETLIST, "counter").unwrap();
        let text = |cell: &str| names.origin(cell).unwrap().text();
        assert_eq!(text("odd_TRELLIS_FF_Q"), "odd");
        // Line 4 is in `leaf`, of which there are two; only in `inner` has the bit a name.
        assert_eq!(text("dut.value_TRELLIS_FF_Q"), "inner/count[1]");
        assert_eq!(text("value_TRELLIS_FF_Q_DI_LUT4_Z"), text("value_TRELLIS_FF_Q"));
        assert_eq!(text("odd_TRELLIS_FF_Q_DI_TRELLIS_FF_Q"), "(line 12)");
        assert_eq!(names.cells.len(), 4);
    }

    #[test]
    fn places_in_other_files_are_not_the_blocks() {
        assert_eq!(lines("block.v:4.3-6.32|/share/lattice/cells.v:68.1-68.2"), Some((4, 6)));
        assert_eq!(lines("/share/cells.v:4.3-6.32"), None);
        assert_eq!(lines("harness.v:4.3-6.32"), None);
    }
}
