//! `goodput` with `hardware=1`: two ports as hardware beside the model, point by point.

use flitforge_line::goodput::{run_all, GoodputFound, GoodputRun, COUNTERS};
use flitforge_model::goodput::{
    standard_error, GoodputGrid, GoodputPoint, GoodputPolicy, GoodputReport, GridBounds,
};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::ALN_INTERVAL_ROWS;
use flitforge_sim::scenario::Progress;
use flitforge_sim::SimError;
use serde::Serialize;
use std::time::Instant;

/// Rates that the hardware is measured at, per 10^9 bits, and numbers of noisy lanes.
pub const RATES: [u32; 5] = [0, 100, 1_000, 10_000, 100_000];
/// Numbers of noisy lanes.
pub const LANES: [usize; 3] = [1, 2, 4];
/// What the hardware is measured with.
const POLICIES: [GoodputPolicy; 3] = [GoodputPolicy::Default, GoodputPolicy::Off, GoodputPolicy::ByHand];
/// Parts of a measurement.
const PARTS: usize = 16;
/// Standard errors of the difference within which hardware and model agree. Chance has more once in some 10,000 points.
const ERRORS: f64 = 5.0;
/// A measurement counts an LTP more or less in each direction, by where it begins and ends: 1,024 of its data bits of the 128
/// bits that four lanes carry in a clock.
const LTP_CLOCKS: f64 = 8.0;

/// How to run the hardware.
pub struct HardwareBounds {
    /// Clocks of each measurement.
    pub clocks: u64,
    /// Runs at a time.
    pub jobs: usize,
}

/// One point with one policy.
#[derive(Serialize)]
pub struct HardwarePoint {
    rate_per_1e9: u32,
    noisy_lanes: usize,
    policy: GoodputPolicy,
    /// Goodput of the model, less the ALN rows, which it has not.
    model: f64,
    hardware: f64,
    /// Standard errors of both.
    model_error: f64,
    hardware_error: f64,
    difference: f64,
    /// What the difference may be.
    bound: f64,
    agrees: bool,
    /// Lanes left in both directions.
    lanes: String,
    rx_bad: u64,
    retry_tx: u64,
    reinit: u64,
    deskew_lost: u64,
    lost_on_reset: u64,
}

/// The default beside the better of the others.
#[derive(Serialize)]
pub struct HardwareRatio {
    rate_per_1e9: u32,
    noisy_lanes: usize,
    default: f64,
    best: f64,
    ratio: f64,
}

/// What came of it. Serialises to `hardware` of the metrics.
#[derive(Serialize)]
pub struct HardwareGrid {
    runs: usize,
    clocks_per_run: u64,
    clocks_per_second: f64,
    /// Least ratio of a point.
    worst_ratio: f64,
    worst_point: (u32, usize),
    /// Points at which hardware and model are further apart than the bound.
    disagreements: usize,
    /// Beats that never came, of all runs.
    lost_beats: u64,
    ratios: Vec<HardwareRatio>,
    points: Vec<HardwarePoint>,
}

/// Runs the hardware at all points of the model's grid.
pub fn hardware_grid(
    model: &GoodputGrid,
    bounds: &GridBounds,
    hardware: &HardwareBounds,
    seed: u64,
    progress: &mut Progress<'_>,
) -> Result<HardwareGrid, SimError> {
    let chosen: Vec<_> = model.points.iter().flat_map(reports_of).collect();
    let runs: Vec<_> =
        chosen.iter().filter_map(|(point, policy, _)| run_of(point, *policy, bounds, hardware)).collect();
    let (begin, all) = (Instant::now(), runs.len() as u64);
    let mut done = 0;
    let outcomes = run_all(&runs, seed, hardware.jobs, &mut || {
        done += 1;
        progress(done, all);
    });
    let seconds = begin.elapsed().as_secs_f64();
    let found = outcomes.into_iter().collect::<Result<Vec<_>, _>>().map_err(|failure| SimError::Format {
        what: "scenario `goodput`, hardware".into(),
        problem: format!("{failure}, seed {seed}"),
    })?;
    let points: Vec<_> = chosen
        .iter()
        .zip(&found)
        .map(|((point, policy, report), found)| compared(point, *policy, report, bounds, found))
        .collect();
    let ratios: Vec<_> = model.points.iter().map(|point| ratio_of(point, &points)).collect();
    let worst = ratios.iter().min_by(|one, other| one.ratio.total_cmp(&other.ratio));
    Ok(HardwareGrid {
        runs: runs.len(),
        clocks_per_run: bounds.settle + hardware.clocks,
        clocks_per_second: found.iter().map(|found| found.clocks).sum::<u64>() as f64 / seconds,
        worst_ratio: worst.map_or(f64::INFINITY, |worst| worst.ratio),
        worst_point: worst.map_or((0, 0), |worst| (worst.rate_per_1e9, worst.noisy_lanes)),
        disagreements: points.iter().filter(|point| !point.agrees).count(),
        lost_beats: found.iter().map(|found| found.lost_beats).sum(),
        ratios,
        points,
    })
}

fn reports_of(point: &GoodputPoint) -> impl Iterator<Item = (&GoodputPoint, GoodputPolicy, &GoodputReport)> {
    POLICIES.into_iter().filter_map(move |policy| Some((point, policy, point.report(policy)?)))
}

fn run_of(
    point: &GoodputPoint,
    policy: GoodputPolicy,
    bounds: &GridBounds,
    hardware: &HardwareBounds,
) -> Option<GoodputRun> {
    let (degrade, allowed) = policy.settings((1 << point.noisy_lanes) - 1)?;
    let rate = |lane| if lane < point.noisy_lanes { point.rate_per_1e9 } else { 0 };
    Some(GoodputRun {
        degrade: degrade.enabled,
        allowed,
        mode: bounds.mode,
        per_1e9: std::array::from_fn(rate),
        settle: bounds.settle,
        part_clocks: hardware.clocks / PARTS as u64,
        parts: PARTS,
    })
}

fn compared(
    point: &GoodputPoint,
    policy: GoodputPolicy,
    report: &GoodputReport,
    bounds: &GridBounds,
    found: &GoodputFound,
) -> HardwarePoint {
    let rows = ALN_INTERVAL_ROWS as f64;
    let (model, model_error) = (report.goodput * rows / (rows + 1.0), report.error);
    let parts = found.shares.len() as f64;
    let (hardware, hardware_error) =
        (found.shares.iter().sum::<f64>() / parts, standard_error(&found.shares));
    let measured = found.clocks.saturating_sub(bounds.settle) as f64;
    let border = LTP_CLOCKS / measured + LTP_CLOCKS / bounds.clocks as f64;
    let bound = ERRORS * model_error.hypot(hardware_error) + border;
    let difference = hardware - model;
    let counter = |counter| {
        COUNTERS.iter().position(|known| *known == counter).map_or(0, |place| found.counters[place])
    };
    HardwarePoint {
        rate_per_1e9: point.rate_per_1e9,
        noisy_lanes: point.noisy_lanes,
        policy,
        model,
        hardware,
        model_error,
        hardware_error,
        difference,
        bound,
        agrees: difference.abs() <= bound,
        lanes: format!("{:X} {:X}", found.lanes[0], found.lanes[1]),
        rx_bad: counter(LinkCounter::RxBad),
        retry_tx: counter(LinkCounter::RetryTx),
        reinit: counter(LinkCounter::Reinit),
        deskew_lost: counter(LinkCounter::DeskewLost),
        lost_on_reset: counter(LinkCounter::LostOnReset),
    }
}

fn ratio_of(point: &GoodputPoint, points: &[HardwarePoint]) -> HardwareRatio {
    let (rate_per_1e9, noisy_lanes) = (point.rate_per_1e9, point.noisy_lanes);
    let of = |policy| {
        let is_it = |point: &&HardwarePoint| {
            (point.rate_per_1e9, point.noisy_lanes, point.policy) == (rate_per_1e9, noisy_lanes, policy)
        };
        points.iter().find(is_it).map_or(0.0, |point| point.hardware)
    };
    let (default, best) = (of(GoodputPolicy::Default), of(GoodputPolicy::Off).max(of(GoodputPolicy::ByHand)));
    HardwareRatio { rate_per_1e9, noisy_lanes, default, best, ratio: default / best }
}
