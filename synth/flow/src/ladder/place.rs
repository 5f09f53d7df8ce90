//! Placement and routing with nextpnr-ecp5: several seeds, the JSON report the only thing read.

use super::cache::{Finished, WorkDirectory};
use super::effort::Effort;
use crate::device::{Device, Family};
use crate::error::{FlowError, FlowResult};
use crate::process::ToolRun;
use crate::tools::Toolbox;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The frequency given for clocks that nobody constrained, in MHz: a figure nobody asks for, so that a defaulted
/// clock is recognised in the report.
pub const DEFAULTED_MHZ: f64 = 1.2345;

/// The placed and routed netlist among the files of a board's placement.
pub const PLACED_NETLIST: &str = "placed.json";

/// The delays of cells and wires among the files of a placement that was asked for them.
pub const DELAYS: &str = "delays.sdf";

/// A clock's wanted frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockConstraint {
    /// The clock port's name.
    pub port: String,
    /// MHz.
    pub mhz: f64,
}

/// What is asked of the placer besides the netlist.
#[derive(Clone, Debug)]
pub struct PlaceRequest<'a> {
    /// The block or board, for messages.
    pub subject: &'a str,
    /// The device.
    pub device: &'a Device,
    /// Clock constraints.
    pub clocks: &'a [ClockConstraint],
    /// The board's pin constraints (LPF); `None` lets the placer choose pins (harness).
    pub pins: Option<&'a str>,
    /// Seeds to try.
    pub seeds: &'a [u64],
    /// What the placer works for.
    pub effort: Effort,
    /// Write the delays of all cells and wires, too ([`DELAYS`]).
    pub delays: bool,
}

/// One seed's result.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The seed.
    pub seed: u64,
    /// Files: `report.json`, `placed.config`, `place.log`; for a board also `placed.json`; [`DELAYS`] if asked for.
    pub files: Finished,
    /// What the report says.
    pub report: PlaceReport,
}

/// nextpnr's report.
#[derive(Clone, Debug, Deserialize)]
pub struct PlaceReport {
    /// Per clock net: reached and wanted.
    pub fmax: BTreeMap<String, ClockFigure>,
    /// Per cell type: used and available.
    pub utilization: BTreeMap<String, Use>,
    /// The worst path of each pair of clocks.
    #[serde(default)]
    pub critical_paths: Vec<RawPath>,
}

/// One clock's figures in MHz.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ClockFigure {
    /// Reached.
    pub achieved: f64,
    /// Wanted.
    pub constraint: f64,
}

/// Used and available cells of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
pub struct Use {
    /// In the device.
    pub available: u64,
    /// By the design.
    pub used: u64,
}

/// A path between two clock edges.
#[derive(Clone, Debug, Deserialize)]
pub struct RawPath {
    /// Such as `posedge clock`.
    pub from: String,
    /// Such as `posedge clock`.
    pub to: String,
    /// Its segments.
    pub path: Vec<RawSegment>,
}

/// A segment of a path.
#[derive(Clone, Debug, Deserialize)]
pub struct RawSegment {
    /// Nanoseconds.
    pub delay: f64,
    /// `clk-to-q`, `source`, `logic`, `routing`, `setup`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it begins.
    pub from: RawPoint,
    /// Where it ends.
    pub to: RawPoint,
    /// The net, for routing.
    pub net: Option<String>,
    /// Lines of the source, for routing.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// A pin of a cell.
#[derive(Clone, Debug, Deserialize)]
pub struct RawPoint {
    /// The cell's name.
    pub cell: String,
    /// Its port.
    pub port: String,
}

impl PlaceReport {
    /// Reads a report; every clock name is the port's or net's own.
    pub fn parse(file: &str, text: &str) -> FlowResult<PlaceReport> {
        let mut report: PlaceReport = serde_json::from_str(text).map_err(|e| FlowError::ToolOutput {
            tool: "nextpnr-ecp5".into(),
            file: file.into(),
            message: e.to_string(),
        })?;
        report.fmax = report.fmax.into_iter().map(|(name, figure)| (plain_net(&name), figure)).collect();
        Ok(report)
    }

    /// Clocks that run on the default because nobody constrained them.
    pub fn defaulted_clocks(&self) -> Vec<String> {
        let defaulted = |figure: &ClockFigure| (figure.constraint - DEFAULTED_MHZ).abs() < 0.001;
        self.fmax.iter().filter(|(_, f)| defaulted(f)).map(|(name, _)| name.clone()).collect()
    }

    /// Clocks below what was wanted: name, reached, wanted.
    pub fn misses(&self) -> Vec<(String, f64, f64)> {
        let missed = |(_, f): &(&String, &ClockFigure)| f.achieved < f.constraint;
        self.fmax.iter().filter(missed).map(|(n, f)| (n.clone(), f.achieved, f.constraint)).collect()
    }
}

/// A net's name without what the placer adds for global nets and pads.
pub fn plain_net(name: &str) -> String {
    let name = name.strip_prefix("$glbnet$").unwrap_or(name);
    let name =
        name.strip_suffix("$TRELLIS_IO_IN").or_else(|| name.strip_suffix("$TRELLIS_IO_OUT")).unwrap_or(name);
    name.to_string()
}

/// Places a netlist with every seed, as many at a time as there are cores.
///
/// Fails when a clock carries no constraint; a missed frequency is in the result, not an error here.
pub fn place(
    netlist: &Finished,
    request: &PlaceRequest<'_>,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<Vec<Placement>> {
    place_netlist(&netlist.read("netlist.json")?, request, toolbox, work)
}

/// As [`place`], of a netlist (Yosys' JSON) that is not a file; a cell with an attribute `BEL` has that place.
pub fn place_netlist(
    netlist: &str,
    request: &PlaceRequest<'_>,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<Vec<Placement>> {
    if request.device.family() != Family::Ecp5 {
        return Err(FlowError::StopsHere {
            device: request.device.name().into(),
            message: "place and route for 7-series needs the openXC7 tools (nextpnr-xilinx, a chip database, \
                      fasm2frames, xc7frames2bit), which are in no package registry; the flow stops after synthesis"
                .into(),
        });
    }
    if request.seeds.is_empty() {
        return Err(FlowError::Interface {
            block: request.subject.into(),
            message: "no seed given; give at least one, better three".into(),
        });
    }
    let results: Mutex<Vec<Option<FlowResult<Placement>>>> =
        Mutex::new(request.seeds.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(request.seeds.len()) {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&seed) = request.seeds.get(index) else { break };
                let result = place_one(netlist, seed, request, toolbox, work);
                if let Ok(mut all) = results.lock() {
                    all[index] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let placements: Vec<Placement> = results.into_iter().flatten().collect::<FlowResult<_>>()?;
    let defaulted = placements.first().map(|p| p.report.defaulted_clocks()).unwrap_or_default();
    if !defaulted.is_empty() {
        return Err(FlowError::DefaultedClock { block: request.subject.into(), clocks: defaulted });
    }
    Ok(placements)
}

fn place_one(
    netlist: &str,
    seed: u64,
    request: &PlaceRequest<'_>,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<Placement> {
    let constraints = constraints(request);
    let arguments = arguments(request, seed);
    let version = &toolbox.tool("nextpnr-ecp5")?.version;
    let all_arguments = arguments.join("\n");
    let inputs = [netlist.as_bytes(), constraints.as_bytes(), all_arguments.as_bytes(), version.as_bytes()];
    let files = work.run("place", &inputs, |directory| {
        let write = |name: &str, text: &str| {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(FlowError::file("write", path))
        };
        write("netlist.json", netlist)?;
        write("constraints.lpf", &constraints)?;
        let run = ToolRun {
            tool: "nextpnr-ecp5",
            program: toolbox.path("nextpnr-ecp5")?,
            arguments: arguments.clone(),
            directory,
            subject: request.subject,
            log: "console.log",
            path_front: toolbox.path_front(),
        };
        run.run()?;
        // The netlist is as large as the rest together and lies in the synthesis' own directory.
        std::fs::remove_file(directory.join("netlist.json")).map_err(FlowError::file("remove", directory))
    })?;
    let file = files.path.join("report.json").display().to_string();
    let report = PlaceReport::parse(&file, &files.read("report.json")?)?;
    Ok(Placement { seed, files, report })
}

fn constraints(request: &PlaceRequest<'_>) -> String {
    let mut text = request.pins.unwrap_or("").to_string();
    for clock in request.clocks {
        text += &format!("\nFREQUENCY PORT \"{}\" {:.4} MHZ;", clock.port, clock.mhz);
    }
    text + "\n"
}

fn arguments(request: &PlaceRequest<'_>, seed: u64) -> Vec<String> {
    let mut arguments = request.device.place_arguments();
    let (seed, default) = (seed.to_string(), DEFAULTED_MHZ.to_string());
    let fixed = [
        "--json",
        "netlist.json",
        "--lpf",
        "constraints.lpf",
        "--report",
        "report.json",
        "--textcfg",
        "placed.config",
        "-q",
        "-l",
        "place.log",
        "--timing-allow-fail",
        "--freq",
        &default,
        "--seed",
        &seed,
    ];
    arguments.extend(fixed.map(String::from));
    match request.pins {
        Some(_) => arguments.extend(["--write", PLACED_NETLIST].map(String::from)),
        None => arguments.push("--lpf-allow-unconstrained".into()),
    }
    arguments.extend(request.effort.place_arguments());
    if request.delays {
        arguments.extend(["--sdf", DELAYS].map(String::from));
    }
    arguments
}
