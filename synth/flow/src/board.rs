//! A board build: the source's top is the board's top, every port has a pin, the best seed becomes the bitstream.

use crate::device::{Device, Family};
use crate::error::{FlowError, FlowResult};
use crate::ladder::cache::{Finished, WorkDirectory};
use crate::ladder::effort::Effort;
use crate::ladder::pack::pack;
use crate::ladder::place::{place, PlaceRequest, Placement, PLACED_NETLIST};
use crate::ladder::synth::{synthesise, Surroundings};
use crate::ladder::Level;
use crate::measure::clock_tree_notes;
use crate::report::{clocks_of, deciding_clock, CriticalPath, SynthReport};
use crate::source::Source;
use crate::tools::{Event, Progress, Toolbox};
use std::path::PathBuf;

/// The tools a board build needs.
pub const BOARD_TOOLS: &[&str] = &["yosys", "nextpnr-ecp5", "ecppack", "ecpunpack"];

/// One board build.
#[derive(Clone, Debug)]
pub struct BoardRequest<'a> {
    /// The design; its top's ports are the board's.
    pub source: &'a Source,
    /// The device, in the board's package.
    pub device: &'a Device,
    /// The board's pin and clock constraints (LPF).
    pub constraints: &'a str,
    /// What the tools work for.
    pub effort: Effort,
    /// Seeds to try.
    pub seeds: &'a [u64],
}

/// A finished board build.
#[derive(Clone, Debug)]
pub struct BoardBuild {
    /// Area, Fmax, paths.
    pub report: SynthReport,
    /// The seed whose placement was packed.
    pub seed: u64,
    /// Files: `design.bit`, `design.svf`, `placed.config`.
    pub files: Finished,
    /// nextpnr's netlist of that placement, for [`simulation_verilog`](crate::placed::simulation_verilog).
    pub netlist: PathBuf,
}

/// Builds the bitstream. Fails on a port without pin, a clock without constraint, timing that no seed meets.
pub fn build_board(
    request: &BoardRequest<'_>,
    toolbox: &Toolbox,
    work: &WorkDirectory,
    progress: &dyn Progress,
) -> FlowResult<BoardBuild> {
    let step = |step: usize, what: &str| progress.event(Event::Step { step, steps: 3, what });
    request.source.check()?;
    let open = ports_without_pin(request.source, request.constraints);
    if !open.is_empty() && request.device.family() == Family::Ecp5 {
        return Err(FlowError::UnconstrainedIo { block: request.source.top.clone(), ports: open });
    }
    step(1, "synthesis");
    let synthesis =
        synthesise(request.source, Surroundings::Board, request.device, request.effort, toolbox, work)?;
    step(2, &format!("placing {} seeds", request.seeds.len()));
    let place_request = PlaceRequest {
        subject: &request.source.top,
        device: request.device,
        clocks: &[],
        pins: Some(request.constraints),
        seeds: request.seeds,
        effort: request.effort,
        delays: false,
    };
    let placements = place(&synthesis.files, &place_request, toolbox, work)?;
    let best = best_placement(&request.source.top, &placements)?;
    step(3, "packing the bitstream and reading it back");
    let configuration = best.files.read("placed.config")?;
    let files = pack(&configuration, &request.source.top, toolbox, work)?;
    let clocks = clocks_of(&placements, |clock| best.report.fmax.get(clock).map(|f| f.constraint));
    let mut paths: Vec<CriticalPath> = best
        .report
        .critical_paths
        .iter()
        .filter_map(|raw| CriticalPath::of_raw(raw, &synthesis.names))
        .collect();
    paths.sort_by(|a, b| b.delay_ns.total_cmp(&a.delay_ns));
    let report = SynthReport {
        block: request.source.top.clone(),
        device: request.device.name().to_string(),
        made: None,
        level: Level::Place,
        effort: request.effort,
        area: synthesis.area,
        fmax_mhz: deciding_clock(&clocks).map(|c| c.fmax_mhz),
        notes: clock_tree_notes(&clocks, request.device),
        clocks,
        area_by_instance: synthesis.area_by_instance,
        critical_paths: paths,
        utilisation: best.report.utilization.clone().into_iter().filter(|(_, u)| u.used > 0).collect(),
        tools: toolbox.versions(),
    };
    let netlist = best.files.path.join(PLACED_NETLIST);
    Ok(BoardBuild { report, seed: best.seed, files, netlist })
}

/// Port bits that no `LOCATE COMP` line names.
fn ports_without_pin(source: &Source, constraints: &str) -> Vec<String> {
    let located: Vec<&str> = constraints
        .lines()
        .filter_map(|l| l.trim().strip_prefix("LOCATE COMP \""))
        .filter_map(|l| l.split('"').next())
        .collect();
    let bits = source.ports.iter().flat_map(|port| {
        (0..port.width)
            .map(move |bit| if port.width == 1 { port.name.clone() } else { format!("{}[{bit}]", port.name) })
    });
    bits.filter(|bit| !located.contains(&bit.as_str())).collect()
}

/// The placement with the most room over its constraints; an error when even that misses one.
fn best_placement<'a>(block: &str, placements: &'a [Placement]) -> FlowResult<&'a Placement> {
    let room = |p: &Placement| {
        p.report
            .fmax
            .values()
            .map(|f| f.achieved / f.constraint)
            .min_by(f64::total_cmp)
            .unwrap_or(f64::INFINITY)
    };
    let best = placements
        .iter()
        .max_by(|a, b| room(a).total_cmp(&room(b)))
        .ok_or_else(|| FlowError::Interface { block: block.into(), message: "no seed given".into() })?;
    let line = |(clock, reached, wanted): (String, f64, f64)| {
        format!(
            "clock {clock} reaches {reached:.1} MHz of {wanted:.1} MHz with the best seed ({})",
            best.seed
        )
    };
    let misses: Vec<String> = best.report.misses().into_iter().map(line).collect();
    match misses.is_empty() {
        true => Ok(best),
        false => Err(FlowError::MissedTiming { block: block.into(), misses }),
    }
}
