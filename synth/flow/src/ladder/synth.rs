//! Synthesis with Yosys: netlist for the placer and area, of the block alone and by its parts.

use super::area::{cells_by_module, Area};
use super::cache::{Finished, WorkDirectory};
use super::effort::Effort;
use super::names::Names;
use crate::device::{Device, Family};
use crate::error::{FlowError, FlowResult};
use crate::harness::{fold_pins, HARNESS_TOP};
use crate::process::ToolRun;
use crate::source::Source;
use crate::tools::Toolbox;
use std::collections::BTreeMap;
use std::path::Path;

/// What surrounds the block in the netlist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// The measuring harness: the block is timed register to register.
    Harness,
    /// Nothing: the source's top is the board's top.
    Board,
}

/// The result of synthesis.
#[derive(Clone, Debug)]
pub struct Synthesis {
    /// Files: `netlist.json`, `stat.json`, `yosys.log`.
    pub files: Finished,
    /// Area of the block alone.
    pub area: Area,
    /// Area by instance path below the block (each with everything below it); "" is the block itself.
    pub area_by_instance: BTreeMap<String, Area>,
    /// Where each cell of the block comes from.
    pub names: Names,
    /// Warnings of the log, each once.
    pub warnings: Vec<String>,
}

/// Synthesises a source for a device.
pub fn synthesise(
    source: &Source,
    surroundings: Surroundings,
    device: &Device,
    effort: Effort,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<Synthesis> {
    source.check()?;
    if device.family() != Family::Ecp5 && effort != Effort::Standard {
        return Err(FlowError::Interface {
            block: source.top.clone(),
            message: format!(
                "effort {} is for ECP5; use effort standard for {}",
                effort.name(),
                device.name()
            ),
        });
    }
    let (harness, top) = match surroundings {
        Surroundings::Harness => (fold_pins(source)?.verilog, HARNESS_TOP),
        Surroundings::Board => (String::new(), source.top.as_str()),
    };
    let script = script(source, top, device, effort);
    let version = &toolbox.tool("yosys")?.version;
    let inputs = [source.verilog.as_bytes(), harness.as_bytes(), script.as_bytes(), version.as_bytes()];
    let files = work.run("synth", &inputs, |directory| {
        write(directory, "block.v", &source.verilog)?;
        write(directory, "harness.v", &harness)?;
        write(directory, "synth.ys", &script)?;
        let run = ToolRun {
            tool: "yosys",
            program: toolbox.path("yosys")?,
            arguments: ["-q", "-l", "yosys.log", "-s", "synth.ys"].map(String::from).to_vec(),
            directory,
            subject: &source.top,
            log: "console.log",
            path_front: toolbox.path_front(),
        };
        run.run().map(|_| ())
    })?;
    read_results(files, source, device)
}

/// The Yosys script. The block keeps its border, so that its area can be told from the harness'; inside it is flat.
fn script(source: &Source, top: &str, device: &Device, effort: Effort) -> String {
    let pass = match device.family() {
        Family::Ecp5 => effort.ecp5_commands(top),
        Family::Xilinx7 => format!("synth_xilinx -flatten -abc9 -arch xc7 -top {top}"),
    };
    let keep = match top == source.top {
        true => String::new(),
        false => format!("setattr -mod -set keep_hierarchy 1 {}\n", source.top),
    };
    format!(
        "read_verilog block.v harness.v\nhierarchy -check -top {top}\n{keep}{pass}\n\
         tee -q -o stat.json stat -json\nwrite_json netlist.json\n"
    )
}

fn write(directory: &Path, name: &str, text: &str) -> FlowResult<()> {
    let path = directory.join(name);
    std::fs::write(&path, text).map_err(FlowError::file("write", path))
}

fn read_results(files: Finished, source: &Source, device: &Device) -> FlowResult<Synthesis> {
    let modules = cells_by_module(&files.read("stat.json")?)?;
    let cells = modules.get(&source.top).ok_or_else(|| FlowError::ToolOutput {
        tool: "yosys".into(),
        file: files.path.join("stat.json").display().to_string(),
        message: format!("no module `{}`; is it the top module's name?", source.top),
    })?;
    let area = Area::count(device.family(), cells);
    let names = Names::of_netlist(&files.read("netlist.json")?, &source.top)?;
    let area_by_instance = area_by_instance(&names, device.family());
    let warnings = warnings(&files.read("yosys.log")?);
    Ok(Synthesis { files, area, area_by_instance, names, warnings })
}

/// The warnings of a Yosys log, each once, in order.
pub(super) fn warnings(log: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for line in log.lines() {
        if let Some(text) = line.strip_prefix("Warning: ") {
            if !list.iter().any(|known| known == text) {
                list.push(text.to_string());
            }
        }
    }
    list
}

/// Area by instance, each with everything below it. A table that merges logic of two instances counts where Yosys
/// named it.
fn area_by_instance(names: &Names, family: Family) -> BTreeMap<String, Area> {
    let mut cells: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for cell in names.cells.values() {
        let mut path = cell.point.module_path.as_str();
        loop {
            *cells.entry(path.to_string()).or_default().entry(cell.kind.clone()).or_default() += 1;
            if path.is_empty() {
                break;
            }
            path = path.rsplit_once('.').map_or("", |(above, _)| above);
        }
    }
    cells.into_iter().map(|(path, kinds)| (path, Area::count(family, &kinds))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_count_in_their_instance_and_all_above() {
        let netlist = r#"{"modules": {"top": {"cells": {
            "q_TRELLIS_FF_Q": {"type": "TRELLIS_FF"},
            "a.q_TRELLIS_FF_Q": {"type": "TRELLIS_FF"},
            "a.b.x_LUT4_Z": {"type": "LUT4"},
            "a": {"type": "$scopeinfo"}}}}}"#;
        let areas = area_by_instance(&Names::of_netlist(netlist, "top").unwrap(), Family::Ecp5);
        assert_eq!((areas[""].ff, areas[""].lut4), (2, 1));
        assert_eq!((areas["a"].ff, areas["a"].lut4), (1, 1));
        assert_eq!((areas["a.b"].ff, areas["a.b"].lut4), (0, 1));
    }

    #[test]
    fn warnings_come_once() {
        assert_eq!(warnings("x\nWarning: a\nWarning: b\nWarning: a\n"), ["a", "b"]);
    }
}
