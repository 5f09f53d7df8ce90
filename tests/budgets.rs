//! What blocks cost, against the `figures.toml` beside each block: a figure above its tolerance fails, one that is better is printed.
//! Small blocks by default, all of them with `FLITFORGE_FULL=1`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench::block;
use crate::kept::{unless_kept, Kept};
use crate::placed_support::tools;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::targets::{drift, Budget, Budgets, DriftKind, Target, Targets};
use flitforge_flow::tools::{Home, Silent, Toolbox};
use flitforge_flow::{measure, Device, Family, Level, MeasureRequest, Source, SynthReport, WorkDirectory};
use std::collections::{BTreeMap, BTreeSet};

/// Largest blocks, in look-up tables, that are synthesised and that are placed without `FLITFORGE_FULL`.
const SYNTHESISED: u64 = 2000;
const PLACED: u64 = 500;
/// Seeds of a clock's median, as `flitforge synth` takes.
const SEEDS: [u64; 3] = [1, 2, 3];

/// The budgets of blocks of up to so many look-up tables, or all, with their targets.
fn budgets(most: u64) -> Vec<(Budget, Target)> {
    let targets =
        Targets::parse("targets.toml", include_str!(concat!(env!("OUT_DIR"), "/targets.toml"))).unwrap();
    let text = include_str!(concat!(env!("OUT_DIR"), "/budgets.toml"));
    let budgets = Budgets::parse("budgets.toml", text, &targets).unwrap();
    let full = std::env::var_os("FLITFORGE_FULL").is_some();
    let wanted = budgets.budgets.into_iter().filter(|budget| full || budget.lut4 <= most);
    wanted.map(|budget| (budget.clone(), targets.find(&budget.target).unwrap().clone())).collect()
}

fn source_of_target(target: &Target) -> Source {
    let device: Device = target.device.parse().unwrap();
    let is_ecp5 = device.family() == Family::Ecp5;
    let technology = if is_ecp5 { Technology::Ecp5 } else { Technology::Xilinx };
    block(&target.block, &target.preset, &[], technology)
}

fn report(target: &Target, level: Level, toolbox: &Toolbox) -> SynthReport {
    let device: Device = target.device.parse().unwrap();
    let source = source_of_target(target);
    let request = MeasureRequest {
        source: &source,
        device: &device,
        level,
        effort: target.effort,
        target_mhz: target.mhz,
        clock_targets: &BTreeMap::new(),
        seeds: &SEEDS,
    };
    let work = WorkDirectory::of_home(&Home::from_environment().unwrap());
    measure(&request, toolbox, &work, &Silent).unwrap()
}

/// Prints what has drifted and gives what is worse.
fn worse(report: &SynthReport, budget: &Budget) -> Vec<String> {
    let area = &report.area;
    let clock = report.fmax_mhz.map_or_else(String::new, |fmax| format!(", {:.1} MHz", fmax.median));
    println!("{}: {} LUT4, {} FF, {} EBR{clock}", budget.target, area.lut4, area.ff, area.ebr);
    let drifts = drift(report, budget);
    drifts.iter().for_each(|drift| println!("{}: {}", budget.target, drift.text()));
    let worse = drifts.iter().filter(|drift| drift.kind == DriftKind::Worse);
    worse.map(|drift| format!("{}: {}", budget.target, drift.text())).collect()
}

/// Targets with their budgets, each area once: speed grades differ in clocks only.
fn different_areas() -> Vec<(Budget, Target)> {
    let mut seen = BTreeSet::new();
    let mut all = budgets(SYNTHESISED);
    all.retain(|(_, target)| {
        let family = target.device.parse::<Device>().unwrap().family();
        seen.insert(format!("{}:{} {:?} {family:?}", target.block, target.preset, target.effort))
    });
    all
}

#[test]
fn areas_are_within_their_budgets() {
    let Some(toolbox) = tools() else { return };
    let areas = different_areas();
    assert!(areas.len() > 10, "only {} blocks have a budget", areas.len());
    let texts = areas
        .iter()
        .map(|(budget, target)| format!("{target:?} {budget:?} {}", source_of_target(target).verilog));
    let texts: Vec<String> = texts.collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let kept = Kept::new("budgets.areas", "tests/budgets.rs", &texts, &toolbox);
    unless_kept(&kept, || {
        let found: Vec<String> = areas
            .iter()
            .flat_map(|(budget, target)| {
                let report = report(target, Level::Synth, &toolbox);
                worse(&report, &Budget { fmax_mhz: None, ..budget.clone() })
            })
            .collect();
        assert!(found.is_empty(), "worse than their budgets allow:\n{}", found.join("\n"));
    });
}

fn clock_is_within_its_budget(target: &Target, budget: &Budget, toolbox: &Toolbox) {
    let report = report(target, Level::Place, toolbox);
    let found = worse(&report, budget);
    assert!(found.is_empty(), "worse than its budget allows:\n{}", found.join("\n"));
    report.check_timing().unwrap_or_else(|error| panic!("{}: {error}", budget.target));
}

#[test]
fn clocks_are_within_their_budgets() {
    let Some(toolbox) = tools() else { return };
    let mut placed = 0;
    for (budget, target) in budgets(PLACED).into_iter().filter(|(budget, _)| budget.fmax_mhz.is_some()) {
        let wanted = format!("{target:?} {budget:?}");
        let texts = [&*source_of_target(&target).verilog, &wanted];
        let kept = Kept::new(&format!("budgets.{}", target.name), "tests/budgets.rs", &texts, &toolbox);
        unless_kept(&kept, || clock_is_within_its_budget(&target, &budget, &toolbox));
        placed += 1;
    }
    assert!(placed > 3, "only {placed} blocks have a budget for their clock");
}
