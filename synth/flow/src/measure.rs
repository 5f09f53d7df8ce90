//! Measuring one block: emit is the caller's, lint, synthesis, placement in the harness and the report are here.

use crate::device::{Device, Family};
use crate::error::FlowResult;
use crate::harness::VIRTUAL_CLOCK;
use crate::ladder::cache::WorkDirectory;
use crate::ladder::effort::Effort;
use crate::ladder::lint::{lint, LintRules};
use crate::ladder::place::{place, ClockConstraint, PlaceRequest, Placement};
use crate::ladder::synth::{synthesise, Surroundings, Synthesis};
use crate::ladder::Level;
use crate::report::{clocks_of, deciding_clock, median_placement, ClockReport, CriticalPath, SynthReport};
use crate::source::Source;
use crate::tools::{Event, Progress, Toolbox};
use std::collections::BTreeMap;

/// What the placer is asked to reach when the target is lower, in MHz: the figure all peers were measured with.
pub const PUSH_MHZ: f64 = 300.0;

/// One block's measurement.
#[derive(Clone, Debug)]
pub struct MeasureRequest<'a> {
    /// The block.
    pub source: &'a Source,
    /// The device.
    pub device: &'a Device,
    /// How far to take it.
    pub level: Level,
    /// What the tools work for; for 7-series only [`Effort::Standard`].
    pub effort: Effort,
    /// What every clock has to reach, in MHz; `None` measures without a verdict.
    pub target_mhz: Option<f64>,
    /// What single clocks have to reach instead, by name.
    pub clock_targets: &'a BTreeMap<String, f64>,
    /// The placer's seeds.
    pub seeds: &'a [u64],
}

impl MeasureRequest<'_> {
    fn target_of(&self, clock: &str) -> Option<f64> {
        self.clock_targets.get(clock).copied().or(self.target_mhz)
    }

    fn constraints(&self) -> Vec<ClockConstraint> {
        let constraint = |port: &str| ClockConstraint {
            port: port.to_string(),
            mhz: self.target_of(port).unwrap_or(PUSH_MHZ).max(PUSH_MHZ),
        };
        let clocks: Vec<ClockConstraint> = self.source.clocks().map(|c| constraint(&c.name)).collect();
        if clocks.is_empty() {
            return vec![constraint(VIRTUAL_CLOCK)];
        }
        clocks
    }
}

/// Takes a block to its level; lint is part of it when the toolbox has `verilator`. A missed target is in the report ([`SynthReport::check_timing`]), not an error here.
pub fn measure(
    request: &MeasureRequest<'_>,
    toolbox: &Toolbox,
    work: &WorkDirectory,
    progress: &dyn Progress,
) -> FlowResult<SynthReport> {
    let is_placed_here = request.device.family() != Family::Xilinx7;
    let level = if is_placed_here { request.level } else { request.level.min(Level::Synth) };
    let lints = level >= Level::Lint && toolbox.tool("verilator").is_ok();
    // Those that are run: synthesis, placement, and lint before them if its tool is there.
    let others = [Level::Synth, Level::Place].into_iter().filter(|other| *other <= level).count();
    let steps = others + usize::from(lints);
    let mut number = 0;
    let mut step = |what: &str| {
        number += 1;
        progress.event(Event::Step { step: number, steps, what });
    };
    request.source.check()?;
    let mut report = empty_report(request, toolbox);
    report.level = level;
    if lints {
        step("lint");
        lint(request.source, &LintRules::embedded()?, toolbox, work)?;
    }
    if request.level < Level::Synth {
        return Ok(report);
    }
    step("synthesis");
    let synthesis =
        synthesise(request.source, Surroundings::Harness, request.device, request.effort, toolbox, work)?;
    add_area(&mut report, &synthesis);
    if !is_placed_here {
        report.notes.push(
            "not placed, so no clock figure: place and route for 7-series needs the openXC7 tools, which are in no \
             package registry"
                .into(),
        );
    }
    if level < Level::Place {
        return Ok(report);
    }
    step(&format!("placing {} seeds", request.seeds.len()));
    let constraints = request.constraints();
    let place_request = PlaceRequest {
        subject: &request.source.top,
        device: request.device,
        clocks: &constraints,
        pins: None,
        seeds: request.seeds,
        effort: request.effort,
        delays: false,
    };
    let placements = place(&synthesis.files, &place_request, toolbox, work)?;
    add_timing(&mut report, &placements, &synthesis, request);
    Ok(report)
}

fn empty_report(request: &MeasureRequest<'_>, toolbox: &Toolbox) -> SynthReport {
    SynthReport {
        block: request.source.top.clone(),
        device: request.device.name().to_string(),
        made: None,
        level: request.level,
        effort: request.effort,
        area: Default::default(),
        fmax_mhz: None,
        clocks: Vec::new(),
        area_by_instance: BTreeMap::new(),
        critical_paths: Vec::new(),
        utilisation: BTreeMap::new(),
        tools: toolbox.versions(),
        notes: Vec::new(),
    }
}

fn add_area(report: &mut SynthReport, synthesis: &Synthesis) {
    report.area = synthesis.area;
    report.area_by_instance = synthesis.area_by_instance.clone();
    report.notes.extend(synthesis.warnings.iter().map(|w| format!("synthesis warning: {w}")));
}

fn add_timing(
    report: &mut SynthReport,
    placements: &[Placement],
    synthesis: &Synthesis,
    request: &MeasureRequest<'_>,
) {
    report.clocks = clocks_of(placements, |clock| request.target_of(clock));
    report.notes.extend(clock_tree_notes(&report.clocks, request.device));
    let Some(deciding) = deciding_clock(&report.clocks) else { return };
    report.fmax_mhz = Some(deciding.fmax_mhz);
    let Some(median) = median_placement(placements, deciding) else { return };
    let mut paths: Vec<CriticalPath> = median
        .report
        .critical_paths
        .iter()
        .filter_map(|raw| CriticalPath::of_raw(raw, &synthesis.names))
        .filter(is_clocked)
        .collect();
    paths.sort_by(|a, b| b.delay_ns.total_cmp(&a.delay_ns));
    if paths.first().is_some_and(CriticalPath::is_in_harness) {
        report.notes.push("the slowest path is in the harness: the block itself is faster".into());
    }
    report.critical_paths = paths;
    report.utilisation =
        median.report.utilization.iter().filter(|(_, u)| u.used > 0).map(|(n, u)| (n.clone(), *u)).collect();
}

/// Paths from or to a pad say nothing about a block in a harness.
fn is_clocked(path: &CriticalPath) -> bool {
    !path.from_clock.contains("<async>") && !path.to_clock.contains("<async>")
}

/// One note per clock whose figure is above what the device's clock tree carries.
pub fn clock_tree_notes(clocks: &[ClockReport], device: &Device) -> Vec<String> {
    let Some(limit) = device.clock_tree_limit_mhz() else { return Vec::new() };
    let above = clocks.iter().filter(|c| c.fmax_mhz.median > limit);
    above
        .map(|c| {
            format!(
                "clock {}: {:.1} MHz is a tool figure above the clock-tree limit ({limit:.0} MHz at speed {})",
                c.name,
                c.fmax_mhz.median,
                device.speed()
            )
        })
        .collect()
}
