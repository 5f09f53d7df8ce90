//! The six parts of the report, from placements and columns.

use crate::columns::{Columns, Way};
use crate::seed::{PathRow, SeedRow, StopArea};
use flitforge_flow::ladder::area::Area;
use flitforge_flow::report::Spread;
use flitforge_flow::Device;
use flitforge_model::time::delay::RingShape;
use flitforge_protocol::time_ring::{Embed, RingDirection, MAX_RING_RATIO};
use serde::Serialize;
use std::collections::BTreeMap;

/// The goal for a hop at speed 8 (chapter 20, section 9), MHz; at lower speeds [`GOAL_MHZ`].
pub const STRETCH_MHZ: f64 = 400.0;
/// The goal for a hop, MHz.
pub const GOAL_MHZ: f64 = 300.0;

/// The ring clock a device is asked for where nothing else is said, MHz.
#[must_use]
pub fn goal_of(device: &Device) -> f64 {
    if device.speed() >= 8 {
        STRETCH_MHZ
    } else {
        GOAL_MHZ
    }
}

/// What a report is of.
#[derive(Clone, Debug)]
pub struct RingRequest<'a> {
    /// The device.
    pub device: &'a Device,
    /// Stops of each ring.
    pub stops: u32,
    /// Registers per hop.
    pub hop_registers: u32,
    /// What slots carry.
    pub embed: Embed,
    /// The ring clock that is wanted, MHz.
    pub target_mhz: f64,
    /// The switch's core clock, MHz; M times that are the ring clocks that are supported.
    pub core_mhz: f64,
}

/// Part 1: what was measured, and with what.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Header {
    /// The block.
    pub design: String,
    /// SHA-256 of its Verilog.
    pub verilog: String,
    /// Part and speed.
    pub device: String,
    /// Speed.
    pub speed: u8,
    /// The placer's seeds.
    pub seeds: Vec<u64>,
    /// Tool names and versions.
    pub tools: BTreeMap<String, String>,
    /// What the tools worked for.
    pub effort: String,
    /// Who chose the places of ring registers.
    pub floorplan: String,
    /// The ring clock that is wanted, MHz.
    pub target_mhz: f64,
    /// N.
    pub stops: u32,
    /// S.
    pub hop_registers: u32,
    /// EMBED.
    pub embed: String,
    /// The switch's core clock, MHz.
    pub core_mhz: f64,
}

/// Part 2: one hop, or a part of it, over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HopReport {
    /// `cw` or `ccw`.
    pub ring: String,
    /// Stop it begins at.
    pub from: u32,
    /// Stop it ends at.
    pub to: u32,
    /// Which part of the hop, from 1: there are as many as registers per hop.
    pub part: u32,
    /// The clock it allows, MHz.
    pub mhz: Spread,
    /// Room at the wanted clock, nanoseconds, median seed.
    pub slack_ns: f64,
    /// The slowest path, median seed.
    pub path: PathRow,
}

/// What limits a placement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedLimit {
    /// The placer's seed.
    pub seed: u64,
    /// The clock all paths of the ring allow, MHz.
    pub mhz: f64,
    /// The clock its hops allow, MHz.
    pub hops_mhz: f64,
    /// What the placer says of the whole, harness included, MHz.
    pub tool_mhz: f64,
    /// What the slowest path is.
    pub limit: String,
}

/// The slowest path of a kind that is no hop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherReport {
    /// Which kind.
    pub kind: String,
    /// The clock it allows, MHz.
    pub mhz: Spread,
    /// The path, median seed.
    pub path: PathRow,
}

/// Part 3: the clock of the ring.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RingClock {
    /// Over all paths of the ring's domain, MHz.
    pub mhz: Spread,
    /// Over all hops, MHz.
    pub hops_mhz: Spread,
    /// Seed by seed.
    pub seeds: Vec<SeedLimit>,
    /// Paths that are no hops.
    pub others: Vec<OtherReport>,
}

/// A ring clock that is supported: a multiple of the core clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SupportedClock {
    /// M.
    pub ratio: u32,
    /// M times the core clock, MHz.
    pub mhz: f64,
    /// The placed ring reaches it.
    pub met: bool,
}

/// The delay of a pair at one supported clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairDelay {
    /// M.
    pub ratio: u32,
    /// D(h), core clocks.
    pub clocks: u64,
    /// D(h), nanoseconds.
    pub ns: f64,
    /// The placed ring reaches the clock.
    pub met: bool,
}

/// Parts 4 and 5: one pair of upstream and downstream stop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairReport {
    /// Stop of the upstream port.
    pub from: u32,
    /// Stop of the downstream port.
    pub to: u32,
    /// Hops clockwise.
    pub hops_cw: u32,
    /// Hops counter-clockwise.
    pub hops_ccw: u32,
    /// The chosen ring.
    pub ring: String,
    /// h S, as the chapter says.
    pub ring_cycles: u32,
    /// Registers of the design.
    pub static_cycles: u32,
    /// Simulated.
    pub simulated_cycles: u32,
    /// Counted by a token.
    pub token_cycles: u32,
    /// h S at the clock that the placed ring reaches (median), nanoseconds.
    pub achieved_ns: f64,
    /// D(h) at each supported clock.
    pub delays: Vec<PairDelay>,
    /// Ring cycles less than over one ring.
    pub gain_cycles: u32,
}

/// Part 6: area and goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RingArea {
    /// Both rings.
    pub total: Area,
    /// By ring and stop.
    pub stops: Vec<StopArea>,
}

/// The goal for every hop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// Wanted, MHz.
    pub mhz: f64,
    /// The slowest hop, median, MHz.
    pub slowest_hop_mhz: f64,
    /// It is reached.
    pub met: bool,
}

/// The report of one ring on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RingReport {
    /// Part 1.
    pub header: Header,
    /// Part 2.
    pub hops: Vec<HopReport>,
    /// Part 3.
    pub clock: RingClock,
    /// The clocks of part 4.
    pub supported: Vec<SupportedClock>,
    /// Parts 4 and 5.
    pub pairs: Vec<PairReport>,
    /// Part 6.
    pub area: RingArea,
    /// Part 6: the goal.
    pub goal: Goal,
    /// What a reader must know.
    pub notes: Vec<String>,
}

impl RingReport {
    /// From the placements of one ring and its columns; `None` without a placement.
    #[must_use]
    pub fn new(request: &RingRequest<'_>, rows: &[SeedRow], columns: &Columns) -> Option<Self> {
        let first = rows.first()?;
        let hops = hops(request, rows)?;
        let clock = clock(rows)?;
        let supported = supported(request.core_mhz, clock.mhz.median);
        let slowest_hop_mhz = hops.iter().map(|hop| hop.mhz.median).fold(f64::INFINITY, f64::min);
        let met = slowest_hop_mhz >= request.target_mhz;
        let goal = Goal { mhz: request.target_mhz, slowest_hop_mhz, met };
        let notes = notes(request, &clock, &goal);
        Some(Self {
            header: Header {
                design: "time_ring".into(),
                verilog: first.key.verilog.clone(),
                device: request.device.name().into(),
                speed: request.device.speed(),
                seeds: rows.iter().map(|row| row.key.seed).collect(),
                tools: first.tools.clone(),
                effort: first.key.effort.name().into(),
                floorplan: first.key.floorplan.text().into(),
                target_mhz: request.target_mhz,
                stops: request.stops,
                hop_registers: request.hop_registers,
                embed: request.embed.name().into(),
                core_mhz: request.core_mhz,
            },
            pairs: pairs(request, columns, clock.mhz.median, &supported),
            hops,
            clock,
            supported,
            area: RingArea { total: first.area, stops: first.stop_areas.clone() },
            goal,
            notes,
        })
    }
}

/// The figures of a path over all seeds, and the path of the median one.
fn over_seeds<'a>(paths: impl Iterator<Item = &'a PathRow> + Clone) -> Option<(Spread, &'a PathRow)> {
    let spread = Spread::of(paths.clone().map(PathRow::mhz))?;
    let median = paths.into_iter().find(|path| path.mhz() == spread.median)?;
    Some((spread, median))
}

fn hops(request: &RingRequest<'_>, rows: &[SeedRow]) -> Option<Vec<HopReport>> {
    let first = rows.first()?;
    let hop = |place: usize| {
        let (mhz, path) = over_seeds(rows.iter().filter_map(move |row| Some(&row.hops.get(place)?.path)))?;
        let hop = &first.hops[place];
        let slack_ns = 1000.0 / request.target_mhz - path.delay_ns;
        let (ring, path) = (hop.ring.clone(), path.clone());
        Some(HopReport { ring, from: hop.from, to: hop.to, part: hop.part, mhz, slack_ns, path })
    };
    (0..first.hops.len()).map(hop).collect()
}

fn clock(rows: &[SeedRow]) -> Option<RingClock> {
    let seeds: Vec<SeedLimit> = rows.iter().filter_map(limit).collect();
    let kinds: Vec<&str> = rows.first()?.others.iter().map(|other| other.kind.as_str()).collect();
    let other = |kind: &str| {
        let of_kind = rows.iter().flat_map(|row| &row.others).filter(|other| other.kind == kind);
        let (mhz, path) = over_seeds(of_kind.map(|other| &other.path))?;
        Some(OtherReport { kind: kind.to_string(), mhz, path: path.clone() })
    };
    Some(RingClock {
        mhz: Spread::of(seeds.iter().map(|seed| seed.mhz))?,
        hops_mhz: Spread::of(seeds.iter().map(|seed| seed.hops_mhz))?,
        others: kinds.into_iter().filter_map(other).collect(),
        seeds,
    })
}

fn limit(row: &SeedRow) -> Option<SeedLimit> {
    let slower = |a: &f64, b: &f64| a.total_cmp(b);
    let hops = row.hops.iter().map(|hop| {
        let part = if hop.part > 1 { format!(", part {}", hop.part) } else { String::new() };
        (hop.path.delay_ns, format!("hop {} {} to {}{part}: {}", hop.ring, hop.from, hop.to, ends(&hop.path)))
    });
    let others = row.others.iter().map(|o| (o.path.delay_ns, format!("{}: {}", o.kind, ends(&o.path))));
    let (hop_ns, _) = hops.clone().max_by(|a, b| slower(&a.0, &b.0))?;
    let (ns, limit) = hops.chain(others).max_by(|a, b| slower(&a.0, &b.0))?;
    let (mhz, hops_mhz) = (1000.0 / ns, 1000.0 / hop_ns);
    Some(SeedLimit { seed: row.key.seed, mhz, hops_mhz, tool_mhz: row.tool_mhz, limit })
}

fn ends(path: &PathRow) -> String {
    format!("{} to {}", path.start, path.end)
}

fn supported(core_mhz: f64, reached: f64) -> Vec<SupportedClock> {
    let clock = |ratio: u32| {
        let mhz = core_mhz * f64::from(ratio);
        SupportedClock { ratio, mhz, met: mhz <= reached }
    };
    (1..=MAX_RING_RATIO).map(clock).collect()
}

fn pairs(
    request: &RingRequest<'_>,
    columns: &Columns,
    reached_mhz: f64,
    supported: &[SupportedClock],
) -> Vec<PairReport> {
    let shape = |ratio| RingShape { stops: request.stops, hop_registers: request.hop_registers, ratio };
    let pair = |path: flitforge_model::time::delay::RingPath| {
        let way = Way { ring: path.ring, from: path.from, to: path.to };
        let [hops_cw, hops_ccw] = RingDirection::ALL.map(|ring| ring.hops(request.stops, path.from, path.to));
        let delay = |clock: &SupportedClock| {
            let clocks = shape(clock.ratio).clocks(path.hops);
            let ns = clocks as f64 * 1000.0 / request.core_mhz;
            PairDelay { ratio: clock.ratio, clocks, ns, met: clock.met }
        };
        PairReport {
            from: path.from,
            to: path.to,
            hops_cw,
            hops_ccw,
            ring: crate::ring_name(path.ring).into(),
            ring_cycles: columns.rule.get(way),
            static_cycles: columns.statics.get(way),
            simulated_cycles: columns.simulated.get(way),
            token_cycles: columns.token.get(way),
            achieved_ns: f64::from(path.ring_cycles) * 1000.0 / reached_mhz,
            delays: supported.iter().map(delay).collect(),
            gain_cycles: (hops_cw - path.hops) * request.hop_registers,
        }
    };
    shape(1).table().map(pair).collect()
}

fn notes(request: &RingRequest<'_>, clock: &RingClock, goal: &Goal) -> Vec<String> {
    let mut notes = vec![];
    if !goal.met {
        notes.push(format!(
            "the slowest hop reaches {:.1} MHz (median), {:.0} MHz are wanted",
            goal.slowest_hop_mhz, goal.mhz
        ));
    }
    if let Some(limit) = request.device.clock_tree_limit_mhz().filter(|limit| clock.mhz.median > *limit) {
        notes.push(format!(
            "{:.1} MHz is a tool figure above the clock-tree limit ({limit:.0} MHz at speed {})",
            clock.mhz.median,
            request.device.speed()
        ));
    }
    notes
}
