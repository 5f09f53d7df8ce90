//! Where the stops of the rings are put on the device.
//!
//! Left to itself the placer puts each bit of all stops together, since bit and bit have nothing to do with each other but for
//! the few registers that choose for all of them; these then have the longest wires. With [`Floorplan::Rows`] the ring registers
//! of a stop, and the look-up table in front of each, have fixed places in a box of their own, and stops that are neighbours in
//! the ring are neighbours on the device: a ring is a loop through the rows. All else is the placer's business.

use crate::unshare::register_of_lines;
use flitforge_flow::{Device, FlowError, FlowResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Who chooses the places of ring registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Floorplan {
    /// The placer.
    #[default]
    Free,
    /// This plan: rows of stops. The number in data is that of the plan, since with another plan it is another placement.
    #[serde(rename = "rows-1")]
    Rows,
}

/// Columns of tiles from a stop to the next one.
const STOP_COLUMNS: u32 = 8;
/// Rows of logic between two rows of block RAM, with one of these.
const BAND_ROWS: u32 = 12;
/// Rows of tiles from a row of stops to the next one in the same band.
const STOP_ROWS: u32 = BAND_ROWS / 2;
/// The first column that has stops.
const FIRST_COLUMN: u32 = 15;
/// The first row: that of a band in the middle of the device.
const FIRST_ROW: u32 = 35;
/// Most stops of a ring in two rows; more are in four.
const TWO_ROWS: u32 = 24;
/// Registers that a hop ends at, but for those of the data and the copies of `forwards`.
const RING_REGISTERS: [&str; 6] =
    ["forwards_q", "idle_q", "low_waits_q", "own_q", "look_ahead_q", "control_q"];
/// Tiles of a box with data, by the copy of `forwards` that decides about them: a row for each.
const DATA_COLUMNS: [u32; 6] = [1, 4, 0, 5, 6, 7];
/// The column of the copies of `forwards`, and of what else is cleared: a tile has nothing but such registers, or none.
const CLEARED_COLUMN: u32 = 3;
/// Tiles of other ring registers: column and row.
const OTHER_TILES: [(u32, u32); 7] = [(2, 1), (2, 2), (2, 0), (3, 3), (2, 3), (1, 3), (4, 3)];
/// Slices of a tile.
const SLICES: [char; 4] = ['A', 'B', 'C', 'D'];

impl Floorplan {
    /// Its name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Floorplan::Free => "free",
            Floorplan::Rows => "rows",
        }
    }

    /// What the report says.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Floorplan::Free => "free: the placer chooses all places",
            Floorplan::Rows => "rows: ring registers have fixed places, neighbours side by side",
        }
    }

    /// [`Rows`](Self::Rows) where there is a plan: on the 85k devices.
    #[must_use]
    pub fn of_device(device: &Device) -> Self {
        if device.name().contains("85f") {
            Floorplan::Rows
        } else {
            Floorplan::Free
        }
    }
}

/// Row and column of every stop of a ring: neighbours are side by side, the last one and stop 0, too.
fn loop_of(stops: u32) -> Vec<(u32, u32)> {
    let rows = if stops > TWO_ROWS { 4 } else { 2 };
    let columns = stops / rows;
    let mut places: Vec<(u32, u32)> = (0..columns).map(|column| (0, column)).collect();
    for (turn, column) in (0..columns).rev().enumerate() {
        let down = (1..rows).map(|row| (row, column));
        match turn % 2 {
            0 => places.extend(down),
            _ => places.extend(down.rev()),
        }
    }
    places
}

/// The first tile of a stop's box: column and row.
fn box_of(ring: u8, stop: u32, stops: u32) -> Option<(u32, u32)> {
    let places = loop_of(stops);
    let &(row, column) = places.get(stop as usize)?;
    let rows = places.iter().map(|(row, _)| row + 1).max()?;
    let line = row + u32::from(ring) * rows;
    Some((FIRST_COLUMN + STOP_COLUMNS * column, FIRST_ROW + BAND_ROWS * (line / 2) + STOP_ROWS * (line % 2)))
}

/// A register of a stop in the netlist.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    cell: String,
    /// The look-up table in front of it, if that is in front of no other register.
    table: Option<String>,
    /// Cleared by a wire.
    cleared: bool,
}

/// The netlist (Yosys' JSON) of the rings in module `top` with places of all ring registers. `text` is the Verilog, `part` says which
/// ring and stop a line of it belongs to.
pub fn fix_rows(
    netlist: &str,
    top: &str,
    stops: u32,
    text: &str,
    part: impl Fn(usize) -> Option<(u8, u32)>,
) -> FlowResult<String> {
    let wrong = |message: String| FlowError::ToolOutput {
        tool: "yosys".into(),
        file: "netlist.json".into(),
        message,
    };
    let mut netlist: Value = serde_json::from_str(netlist).map_err(|error| wrong(error.to_string()))?;
    let cells = netlist.pointer_mut(&format!("/modules/{top}/cells")).and_then(Value::as_object_mut);
    let cells = cells.ok_or_else(|| wrong(format!("no cells of module `{top}`")))?;
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for ((ring, stop), registers) in registers(cells, &text.lines().collect::<Vec<_>>(), part) {
        let (column, row) =
            box_of(ring, stop, stops).ok_or_else(|| wrong(format!("there is no stop {stop} of {stops}")))?;
        for (found, (x, y), slice) in tiles(&registers) {
            let site = format!("X{}/Y{}/SLICE{slice}", column + x, row + y);
            places.insert(found.cell.clone(), format!("{site}.FF0"));
            places.extend(found.table.iter().map(|table| (table.clone(), format!("{site}.K0"))));
        }
    }
    for (cell, place) in places {
        if let Some(attributes) = cells.get_mut(&cell).and_then(|cell| cell.get_mut("attributes")) {
            attributes["BEL"] = place.into();
        }
    }
    Ok(netlist.to_string())
}

type Cells = serde_json::Map<String, Value>;
type Registers = BTreeMap<String, Vec<Found>>;

fn net(cell: &Value, port: &str) -> Option<u64> {
    cell["connections"][port][0].as_u64()
}

/// The line of the block's text that a cell comes from, from 0.
fn line_of(cell: &Value) -> Option<usize> {
    let place = cell["attributes"]["src"].as_str()?.split('|').find_map(|s| s.strip_prefix("block.v:"))?;
    place.split('.').next()?.parse::<usize>().ok()?.checked_sub(1)
}

/// The registers of every stop by name, bits in the order of their cells' names.
fn registers(
    cells: &Cells,
    lines: &[&str],
    part: impl Fn(usize) -> Option<(u8, u32)>,
) -> BTreeMap<(u8, u32), Registers> {
    let of_kind = |kind: &'static str| cells.iter().filter(move |(_, cell)| cell["type"] == kind);
    let tables: BTreeMap<u64, &String> =
        of_kind("LUT4").filter_map(|(name, cell)| Some((net(cell, "Z")?, name))).collect();
    let mut loads: BTreeMap<u64, usize> = BTreeMap::new();
    for input in of_kind("TRELLIS_FF").filter_map(|(_, cell)| net(cell, "DI")) {
        *loads.entry(input).or_default() += 1;
    }
    let mut all: BTreeMap<(u8, u32), Registers> = BTreeMap::new();
    for (name, cell) in of_kind("TRELLIS_FF") {
        let Some(line) = line_of(cell) else { continue };
        let (Some(stop), Some(register)) = (part(line), register_of_lines(lines, line)) else { continue };
        let input = net(cell, "DI").filter(|input| loads[input] == 1);
        let table = input.and_then(|input| tables.get(&input)).map(|table| table.to_string());
        let found = Found { cell: name.clone(), table, cleared: net(cell, "LSR").is_some() };
        all.entry(stop).or_default().entry(register.to_string()).or_default().push(found);
    }
    for found in all.values_mut().flat_map(Registers::values_mut) {
        // Yosys numbers the bits from the highest one on: `x_TRELLIS_FF_Q`, `x_TRELLIS_FF_Q_1` and so on.
        found.sort_by_key(|found| std::cmp::Reverse(number(&found.cell)));
    }
    all
}

/// The number after a cell's name, 0 without one.
fn number(cell: &str) -> u32 {
    cell.rsplit_once("_Q_").and_then(|(_, number)| number.parse().ok()).unwrap_or(0)
}

/// Tile in the box and slice of every ring register. What finds no place is left to the placer.
fn tiles(registers: &Registers) -> Vec<(&Found, (u32, u32), char)> {
    let named = |name: &str| registers.get(name).map_or(&[][..], Vec::as_slice);
    let (data, forward_copies) = (named("data_q"), named("forward_copies_q"));
    let copies = forward_copies.len().max(1);
    let slots = |tile: (u32, u32)| SLICES.map(|slice| (tile, slice));
    let (mut result, mut cleared) = (vec![], vec![]);
    for copy in 0..copies as u32 {
        let own = data.iter().enumerate().filter(|(bit, _)| bit * copies / data.len() == copy as usize);
        let places = DATA_COLUMNS.into_iter().flat_map(|column| slots((column, copy)));
        result.extend(own.map(|(_, found)| found).zip(places));
        let mut places = slots((CLEARED_COLUMN, copy)).into_iter();
        result.extend(forward_copies.get(copy as usize).into_iter().zip(places.by_ref()));
        cleared.extend(places);
    }
    // The middle row first.
    cleared.sort_by_key(|((_, row), _): &((u32, u32), char)| row.abs_diff(1));
    let others = || RING_REGISTERS.into_iter().flat_map(named);
    result.extend(others().filter(|found| found.cleared).zip(cleared));
    result.extend(others().filter(|found| !found.cleared).zip(OTHER_TILES.into_iter().flat_map(slots)));
    result.into_iter().map(|(found, (tile, slice))| (found, tile, slice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_in_a_ring_are_neighbours_on_the_device_and_no_box_is_taken_twice() {
        for stops in [4, 8, 12, 16, 24, 32, 48] {
            let boxes = |ring| (0..stops).map(move |stop| box_of(ring, stop, stops).unwrap());
            assert_eq!(boxes(0).chain(boxes(1)).collect::<BTreeSet<_>>().len() as u32, 2 * stops);
            for ring in 0..2 {
                let boxes: Vec<(u32, u32)> = boxes(ring).collect();
                for (at, &(x, y)) in boxes.iter().enumerate() {
                    let (next_x, next_y) = boxes[(at + 1) % boxes.len()];
                    let step = (x.abs_diff(next_x), y.abs_diff(next_y));
                    assert!(step == (STOP_COLUMNS, 0) || step == (0, STOP_ROWS), "{stops}: {at} {step:?}");
                    // An 85k device: columns to 125, logic in every row but 1, 10, 22, 34 and so on.
                    assert!(x + STOP_COLUMNS < 125 && y + 4 < 94);
                    assert!((y..y + 4).all(|row| row % BAND_ROWS != 10), "block RAM: {y}");
                }
            }
        }
        assert_eq!(box_of(0, 4, 4), None);
    }

    fn found(name: &str, count: u32, cleared: bool) -> (String, Vec<Found>) {
        let cell = |bit| Found { cell: format!("{name}{bit}"), table: None, cleared };
        (name.to_string(), (0..count).map(cell).collect())
    }

    #[test]
    fn every_register_has_a_slice_and_cleared_ones_share_no_tile_with_others() {
        for data in [46, 65] {
            let mut registers: Registers =
                [("forwards_q", 1), ("idle_q", 1), ("low_waits_q", 1), ("own_q", 1), ("forward_copies_q", 3)]
                    .map(|(name, count)| found(name, count, true))
                    .into();
            registers.extend(
                [("data_q", data), ("look_ahead_q", 5), ("control_q", 17)].map(|(n, c)| found(n, c, false)),
            );
            let tiles = tiles(&registers);
            assert_eq!(tiles.len() as u32, data + 5 + 17 + 7);
            let slices: BTreeSet<_> = tiles.iter().map(|(_, tile, slice)| (*tile, *slice)).collect();
            assert_eq!(slices.len(), tiles.len());
            let of = |cleared| {
                let tiles = tiles.iter().filter(move |(found, ..)| found.cleared == cleared);
                tiles.map(|(_, tile, _)| *tile).collect::<BTreeSet<_>>()
            };
            assert!(of(true).is_disjoint(&of(false)));
            assert!(slices.iter().all(|((x, y), _)| *x < STOP_COLUMNS && *y < 4));
        }
    }

    #[test]
    fn places_are_attributes_of_registers_and_of_the_tables_in_front_of_them() {
        let text = "module stop (\n    always @(posedge clock) begin\n        if (clear) forwards_q <= 1'h0;\n    end\n\
                    always @(posedge clock) data_q <= data_d;\nendmodule\n";
        let cell = |kind: &str, line: usize, pins: &str| {
            format!(
                r#"{{"type": "{kind}", "attributes": {{"src": "block.v:{line}.1-{line}.9|x.v:1.1"}}, "connections": {{{pins}}}}}"#
            )
        };
        let netlist = format!(
            r#"{{"modules": {{"time_ring": {{"cells": {{"s": {}, "d": {}, "t": {}, "other": {}}}}}}}}}"#,
            cell("TRELLIS_FF", 2, r#""DI": [5], "LSR": [3], "Q": [6]"#),
            cell("TRELLIS_FF", 5, r#""DI": [7], "LSR": ["0"], "Q": [8]"#),
            cell("LUT4", 5, r#""Z": [7]"#),
            cell("TRELLIS_FF", 1, r#""DI": [9], "Q": [10]"#),
        );
        let part = |line: usize| (line > 0).then_some((1, 3));
        let placed = fix_rows(&netlist, "time_ring", 4, text, part).unwrap();
        let placed: Value = serde_json::from_str(&placed).unwrap();
        let place = |cell: &str| placed["modules"]["time_ring"]["cells"][cell]["attributes"]["BEL"].clone();
        // Stop 3 of 4 is below stop 0; the second ring is a band below the first one.
        assert_eq!((place("d"), place("t")), ("X16/Y53/SLICEA.FF0".into(), "X16/Y53/SLICEA.K0".into()));
        assert_eq!((place("s"), place("other")), ("X18/Y53/SLICEA.FF0".into(), Value::Null));
        assert!(fix_rows("{}", "time_ring", 4, text, part).is_err());
        assert!(fix_rows(&netlist, "time_ring", 2, text, part).is_err());
    }
}
