//! One placement of a ring: the slowest path of every hop, and of everything else in the ring's clock domain.

use crate::floorplan::{fix_rows, Floorplan};
use crate::unshare::{owners, register_of_lines, unshare};
use crate::{next_stop, ring_name};
use flitforge_flow::ladder::area::Area;
use flitforge_flow::ladder::effort::Effort;
use flitforge_flow::ladder::names::Names;
use flitforge_flow::ladder::place::{
    place_netlist, ClockConstraint, PlaceRequest, RawPath, RawSegment, DELAYS,
};
use flitforge_flow::ladder::synth::{synthesise, Surroundings, Synthesis};
use flitforge_flow::measure::PUSH_MHZ;
use flitforge_flow::report::PathPoint;
use flitforge_flow::tools::Toolbox;
use flitforge_flow::{Delays, Device, FlowError, FlowResult, Source, WorkDirectory};
use flitforge_protocol::time_ring::{Embed, RingDirection};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The placer's own slowest path and the one found from its delays may differ by this share, not more.
const AGREEMENT: f64 = 0.01;

/// What rings are synthesised and placed with: a hop is one look-up table and a wire, and is to stay so.
pub const EFFORT: Effort = Effort::Shallow;

/// A ring to be placed.
#[derive(Clone, Copy, Debug)]
pub struct RingSource<'a> {
    /// Stops of each ring.
    pub stops: u32,
    /// Registers per hop.
    pub hop_registers: u32,
    /// What slots carry.
    pub embed: Embed,
    /// The emitted `time_ring`.
    pub source: &'a Source,
    /// The device.
    pub device: &'a Device,
    /// The ring clock that is wanted, MHz.
    pub target_mhz: f64,
    /// Who chooses the places of ring registers.
    pub floorplan: Floorplan,
}

/// What a placement follows from: another key is another placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedKey {
    /// Stops of each ring.
    pub stops: u32,
    /// Registers per hop; a record that does not say has one.
    #[serde(default = "one")]
    pub hop_registers: u32,
    /// What slots carry: VALUE or FLIT.
    pub embed: String,
    /// SHA-256 of the emitted Verilog.
    pub verilog: String,
    /// The device.
    pub device: String,
    /// The ring clock that is wanted, MHz.
    pub target_mhz: f64,
    /// What the tools worked for.
    #[serde(default)]
    pub effort: Effort,
    /// Who chooses the places of ring registers.
    #[serde(default)]
    pub floorplan: Floorplan,
    /// The placer's seed.
    pub seed: u64,
}

/// One cell or wire of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// `clk-to-q`, `logic`, `routing`, `setup`.
    pub kind: String,
    /// Nanoseconds.
    pub ns: f64,
    /// Where it ends.
    pub to: String,
}

/// A path from register to register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathRow {
    /// The register it starts at.
    pub start: String,
    /// The register it ends at.
    pub end: String,
    /// Nanoseconds, clock-to-output and set-up included.
    pub delay_ns: f64,
    /// Look-up tables passed.
    pub levels: usize,
    /// Its parts, in order.
    pub segments: Vec<Segment>,
}

impl PathRow {
    /// The clock it allows, MHz.
    #[must_use]
    pub fn mhz(&self) -> f64 {
        1000.0 / self.delay_ns
    }

    /// With the names of the source instead of cells'.
    fn of_raw(raw: &RawPath, origins: &Origins<'_>) -> Option<Self> {
        let (first, last) = (raw.path.first()?, raw.path.last()?);
        let segment = |segment: &RawSegment| Segment {
            kind: segment.kind.clone(),
            ns: picoseconds(segment.delay),
            to: origins.text(&segment.to.cell),
        };
        Some(Self {
            start: origins.text(&first.from.cell),
            end: origins.text(&last.to.cell),
            delay_ns: picoseconds(delay_ns(raw)),
            levels: raw.path.iter().filter(|segment| segment.kind == "logic").count(),
            segments: raw.path.iter().map(segment).collect(),
        })
    }
}

/// Where cells come from.
struct Origins<'a> {
    names: &'a Names,
    /// The text that was synthesised.
    lines: Vec<&'a str>,
}

impl Origins<'_> {
    /// Instance and signal. A register whose signal lost its name has that of its line.
    fn text(&self, cell: &str) -> String {
        let mut point = self.names.origin(cell).cloned().unwrap_or_else(|| PathPoint::of_name(cell));
        let number = point.signal.strip_prefix("(line ").and_then(|rest| rest.strip_suffix(')'));
        let line = number.and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        let register = line.and_then(|line| register_of_lines(&self.lines, line));
        if let Some(register) = register {
            point.signal = register.to_string();
        }
        point.text()
    }
}

/// Nanoseconds in whole picoseconds.
fn picoseconds(ns: f64) -> f64 {
    (ns * 1000.0).round() / 1000.0
}

const fn one() -> u32 {
    1
}

/// The slowest path of a hop, or of a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HopRow {
    /// `cw` or `ccw`.
    pub ring: String,
    /// Stop it begins at.
    pub from: u32,
    /// Stop it ends at.
    pub to: u32,
    /// Which part of the hop, from 1: with two registers per hop the first one ends at the second register, where the other begins.
    #[serde(default = "one")]
    pub part: u32,
    /// From any register where the part begins to any where it ends.
    pub path: PathRow,
}

/// The slowest path of a kind that is no hop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherRow {
    /// Which kind.
    pub kind: String,
    /// The path.
    pub path: PathRow,
}

/// Area of a stop of one ring, with the second register of the hop to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopArea {
    /// `cw` or `ccw`.
    pub ring: String,
    /// The stop.
    pub stop: u32,
    /// Look-up tables.
    pub lut4: u64,
    /// Flip-flops.
    pub ff: u64,
}

/// What one placement gives: a line of the campaign's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedRow {
    /// What it follows from.
    #[serde(flatten)]
    pub key: SeedKey,
    /// Tool names and versions.
    pub tools: BTreeMap<String, String>,
    /// What the placer itself says of the whole, its harness included, MHz.
    pub tool_mhz: f64,
    /// Every hop of both rings.
    pub hops: Vec<HopRow>,
    /// The slowest of all other paths of the ring domain, by kind.
    pub others: Vec<OtherRow>,
    /// Area of both rings together.
    pub area: Area,
    /// Area by ring and stop.
    pub stop_areas: Vec<StopArea>,
}

/// Where a register belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The measuring harness.
    Harness,
    /// The block, but none of its stops.
    Block,
    /// A stop of one ring.
    Stop(u8, u32),
    /// The second register of the hop to a stop of one ring.
    Hop(u8, u32),
}

impl Part {
    /// By the cell's instance.
    fn of(cell: &str, names: &Names) -> Part {
        let inside = cell.starts_with(&format!("{}.", flitforge_flow::harness::HARNESS_INSTANCE));
        let Some(point) = names.origin(cell).filter(|_| inside) else { return Part::Harness };
        Part::of_instance(point.module_path.split('.').next().unwrap_or_default()).unwrap_or(Part::Block)
    }

    /// `cw_7` is stop 7 of the clockwise ring, `cw_hop_7` the second register in front of it; `None` for what is neither.
    fn of_instance(instance: &str) -> Option<Part> {
        RingDirection::ALL.into_iter().find_map(|ring| {
            let rest = instance.strip_prefix(ring_name(ring))?.strip_prefix('_')?;
            match rest.strip_prefix("hop_") {
                Some(number) => Some(Part::Hop(ring as u8, number.parse().ok()?)),
                None => Some(Part::Stop(ring as u8, rest.parse().ok()?)),
            }
        })
    }

    /// From where to where the parts of a hop go. What the second register of a hop has of a slot may be the same as what the copy
    /// register of the stop before it has; then the tools make one register of both, which may have the stop's name.
    fn of_hop(ring: &RingSource<'_>, direction: RingDirection, from: u32) -> Vec<Vec<(Part, Part)>> {
        let (code, to) = (direction as u8, next_stop(direction, ring.stops, from));
        let [start, second, end] = [Part::Stop(code, from), Part::Hop(code, to), Part::Stop(code, to)];
        match ring.hop_registers {
            1 => vec![vec![(start, end)]],
            _ => vec![vec![(start, second)], vec![(second, end), (start, end)]],
        }
    }
}

/// The kind of a path that is no hop; `None` within the harness, which is not measured.
fn kind(from: Part, to: Part) -> Option<&'static str> {
    match (from, to) {
        (Part::Harness, Part::Harness) => None,
        (Part::Harness, _) => Some("into a stop"),
        (_, Part::Harness) => Some("out of a stop"),
        (from, to) if from == to => Some("within a stop"),
        _ => Some("between parts that are no neighbours"),
    }
}

/// Places a ring with one seed.
pub fn measure_seed(
    ring: &RingSource<'_>,
    key: &SeedKey,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<SeedRow> {
    let verilog = unshare(&ring.source.verilog, |instance| Part::of_instance(instance).is_some());
    let source = Source { verilog, ..ring.source.clone() };
    let synthesis = synthesise(&source, Surroundings::Harness, ring.device, key.effort, toolbox, work)?;
    let clock = ring.source.clocks().next().map_or(String::new(), |clock| clock.name.clone());
    let constraints = [ClockConstraint { port: clock.clone(), mhz: ring.target_mhz.max(PUSH_MHZ) }];
    let request = PlaceRequest {
        subject: &ring.source.top,
        device: ring.device,
        clocks: &constraints,
        pins: None,
        seeds: &[key.seed],
        effort: key.effort,
        delays: true,
    };
    let netlist = synthesis.files.read("netlist.json")?;
    let netlist = match key.floorplan {
        Floorplan::Free => netlist,
        Floorplan::Rows => with_rows(&netlist, ring, &source.verilog)?,
    };
    let placements = place_netlist(&netlist, &request, toolbox, work)?;
    let placement = placements.first().ok_or_else(|| unexpected("no placement"))?;
    let tool_mhz = placement.report.fmax.get(&clock).map_or(0.0, |figure| figure.achieved);
    let delays = Delays::parse(&placement.files.read(DELAYS)?)?;
    let paths = delays.slowest(&clock, |cell| Part::of(cell, &synthesis.names))?;
    check_agreement(&paths, tool_mhz)?;
    let origins = Origins { names: &synthesis.names, lines: source.verilog.lines().collect() };
    let (hops, stop_areas) = hops(ring, &synthesis, &paths, &origins)?;
    Ok(SeedRow {
        key: key.clone(),
        tools: toolbox.versions(),
        tool_mhz: picoseconds(tool_mhz),
        hops,
        others: others(ring, &paths, &origins),
        area: synthesis.area,
        stop_areas,
    })
}

/// The netlist with the ring registers of every stop in their places.
fn with_rows(netlist: &str, ring: &RingSource<'_>, text: &str) -> FlowResult<String> {
    let owners = owners(text);
    let part = |line: usize| match Part::of_instance((*owners.get(line)?)?)? {
        Part::Stop(ring, stop) => Some((ring, stop)),
        _ => None,
    };
    fix_rows(netlist, &ring.source.top, ring.stops, text, part)
}

fn unexpected(message: impl Into<String>) -> FlowError {
    FlowError::ToolOutput { tool: "nextpnr-ecp5".into(), file: DELAYS.into(), message: message.into() }
}

fn delay_ns(path: &RawPath) -> f64 {
    path.path.iter().map(|segment| segment.delay).sum()
}

/// The delays are understood if their slowest path is the placer's.
fn check_agreement(paths: &BTreeMap<(Part, Part), RawPath>, tool_mhz: f64) -> FlowResult<()> {
    let slowest = paths.values().map(delay_ns).fold(0.0, f64::max);
    let mhz = 1000.0 / slowest;
    if slowest > 0.0 && (mhz - tool_mhz).abs() <= AGREEMENT * tool_mhz {
        return Ok(());
    }
    Err(unexpected(format!(
        "its slowest path allows {mhz:.1} MHz, the placer's report says {tool_mhz:.1} MHz"
    )))
}

/// Every hop, and the area of the stop it starts at.
fn hops(
    ring: &RingSource<'_>,
    synthesis: &Synthesis,
    paths: &BTreeMap<(Part, Part), RawPath>,
    origins: &Origins<'_>,
) -> FlowResult<(Vec<HopRow>, Vec<StopArea>)> {
    let (mut hops, mut stop_areas) = (vec![], vec![]);
    for (direction, from) in
        RingDirection::ALL.into_iter().flat_map(|ring_of| (0..ring.stops).map(move |stop| (ring_of, stop)))
    {
        let (name, to) = (ring_name(direction), next_stop(direction, ring.stops, from));
        for (part, ends) in (1..).zip(Part::of_hop(ring, direction, from)) {
            let paths = ends.iter().filter_map(|ends| paths.get(ends));
            let slowest = paths.max_by(|a, b| delay_ns(a).total_cmp(&delay_ns(b)));
            let path = slowest.and_then(|raw| PathRow::of_raw(raw, origins));
            let missing = || unexpected(format!("no path from {name} stop {from} to stop {to}, part {part}"));
            hops.push(HopRow { ring: name.into(), from, to, part, path: path.ok_or_else(missing)? });
        }
        let instances = [format!("{name}_{from}"), format!("{name}_hop_{from}")];
        let areas = || instances.iter().filter_map(|instance| synthesis.area_by_instance.get(instance));
        let (lut4, ff) = (areas().map(|area| area.lut4).sum(), areas().map(|area| area.ff).sum());
        stop_areas.push(StopArea { ring: name.into(), stop: from, lut4, ff });
    }
    Ok((hops, stop_areas))
}

/// The slowest path of each kind that is no hop.
fn others(
    ring: &RingSource<'_>,
    paths: &BTreeMap<(Part, Part), RawPath>,
    origins: &Origins<'_>,
) -> Vec<OtherRow> {
    let hops: BTreeSet<(Part, Part)> = RingDirection::ALL
        .into_iter()
        .flat_map(|direction| (0..ring.stops).flat_map(move |from| Part::of_hop(ring, direction, from)))
        .flatten()
        .collect();
    let mut slowest: BTreeMap<&str, &RawPath> = BTreeMap::new();
    for (&(from, to), path) in paths.iter().filter(|(ends, _)| !hops.contains(ends)) {
        let Some(kind) = kind(from, to) else { continue };
        let entry = slowest.entry(kind).or_insert(path);
        if delay_ns(path) > delay_ns(entry) {
            *entry = path;
        }
    }
    let row = |(kind, raw): (&str, &RawPath)| {
        Some(OtherRow { kind: kind.into(), path: PathRow::of_raw(raw, origins)? })
    };
    slowest.into_iter().filter_map(row).collect()
}
