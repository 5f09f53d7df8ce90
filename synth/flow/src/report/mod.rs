//! The report of a block or board: area, Fmax per seed, critical paths, utilisation; as JSON, Markdown and HTML.

mod html;
pub mod markdown;
mod path;

pub use path::{CriticalPath, PathPoint};

use crate::ladder::area::Area;
use crate::ladder::effort::Effort;
use crate::ladder::place::{Placement, Use};
use crate::ladder::Level;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Median, lowest and highest of the seeds' figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Median; of an even number of seeds the lower of the middle two, so that it is a figure that was reached.
    pub median: f64,
    /// Lowest.
    pub min: f64,
    /// Highest.
    pub max: f64,
}

impl Spread {
    /// Of at least one figure; `None` without any.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        Some(Spread { median: sorted[(sorted.len() - 1) / 2], min, max })
    }
}

/// One seed's Fmax of one clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedFigure {
    /// The placer's seed.
    pub seed: u64,
    /// MHz.
    pub mhz: f64,
}

/// One clock over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockReport {
    /// The clock's name.
    pub name: String,
    /// Over the seeds.
    pub fmax_mhz: Spread,
    /// Seed by seed.
    pub seeds: Vec<SeedFigure>,
    /// What the placer was asked to reach.
    pub constraint_mhz: f64,
    /// What the block has to reach, if anything is asked of it.
    pub target_mhz: Option<f64>,
}

/// What was built, for which board, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The design's name.
    pub design: String,
    /// The board's name.
    pub board: String,
    /// Date and time, UTC.
    pub date: String,
    /// The placer's seed that the bitstream is of.
    pub seed: u64,
}

/// A block's or board's report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SynthReport {
    /// The block's top module.
    pub block: String,
    /// The device's name.
    pub device: String,
    /// The board it was built for, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// How far it was taken.
    pub level: Level,
    /// What the tools worked for.
    #[serde(default)]
    pub effort: Effort,
    /// Area of the block alone.
    #[serde(flatten)]
    pub area: Area,
    /// Fmax of the clock that is farthest from its target (without targets: the slowest).
    pub fmax_mhz: Option<Spread>,
    /// Every clock.
    pub clocks: Vec<ClockReport>,
    /// Area by instance path; "" is the whole block.
    pub area_by_instance: BTreeMap<String, Area>,
    /// Worst paths of the median seed, slowest first.
    pub critical_paths: Vec<CriticalPath>,
    /// Cells of the device the design uses, harness included.
    pub utilisation: BTreeMap<String, Use>,
    /// Tool names and versions.
    pub tools: BTreeMap<String, String>,
    /// What a reader must know about the figures.
    pub notes: Vec<String>,
}

impl SynthReport {
    /// Clocks that miss their target: one line each.
    pub fn misses(&self) -> Vec<String> {
        let missed = |c: &&ClockReport| c.target_mhz.is_some_and(|t| c.fmax_mhz.median < t);
        self.clocks
            .iter()
            .filter(missed)
            .map(|c| {
                let target = c.target_mhz.unwrap_or_default();
                format!(
                    "clock {} reaches {:.1} MHz (median), target {target:.1} MHz",
                    c.name, c.fmax_mhz.median
                )
            })
            .collect()
    }

    /// The error for a missed target, if one is missed.
    pub fn check_timing(&self) -> crate::FlowResult<()> {
        match self.misses() {
            misses if misses.is_empty() => Ok(()),
            misses => Err(crate::FlowError::MissedTiming { block: self.block.clone(), misses }),
        }
    }
}

/// The clocks of several placements of one design.
pub fn clocks_of(placements: &[Placement], target: impl Fn(&str) -> Option<f64>) -> Vec<ClockReport> {
    let mut clocks: BTreeMap<&str, (Vec<SeedFigure>, f64)> = BTreeMap::new();
    for placement in placements {
        for (name, figure) in &placement.report.fmax {
            let entry = clocks.entry(name).or_insert((Vec::new(), figure.constraint));
            entry.0.push(SeedFigure { seed: placement.seed, mhz: figure.achieved });
        }
    }
    let report = |(name, (seeds, constraint_mhz)): (&str, (Vec<SeedFigure>, f64))| {
        let fmax_mhz = Spread::of(seeds.iter().map(|s| s.mhz))?;
        Some(ClockReport {
            name: name.to_string(),
            fmax_mhz,
            seeds,
            constraint_mhz,
            target_mhz: target(name),
        })
    };
    clocks.into_iter().filter_map(report).collect()
}

/// The clock that decides: farthest below (or least above) its target, without targets the slowest.
pub fn deciding_clock(clocks: &[ClockReport]) -> Option<&ClockReport> {
    let share = |c: &ClockReport| c.fmax_mhz.median / c.target_mhz.unwrap_or(1.0);
    let with_target: Vec<&ClockReport> = clocks.iter().filter(|c| c.target_mhz.is_some()).collect();
    let candidates = if with_target.is_empty() { clocks.iter().collect() } else { with_target };
    candidates.into_iter().min_by(|a, b| share(a).total_cmp(&share(b)))
}

/// The placement whose figure is the median of the deciding clock.
pub fn median_placement<'a>(placements: &'a [Placement], clock: &ClockReport) -> Option<&'a Placement> {
    let seed = clock.seeds.iter().find(|s| s.mhz == clock.fmax_mhz.median)?.seed;
    placements.iter().find(|p| p.seed == seed)
}

/// A report for the tests of this crate.
#[cfg(test)]
pub(crate) fn sample() -> SynthReport {
    let point = |path: &str, signal: &str| PathPoint { module_path: path.into(), signal: signal.into() };
    let figures = [(1, 200.0), (2, 210.0), (3, 220.0)];
    let fmax_mhz = Spread { median: 210.0, min: 200.0, max: 220.0 };
    let area = Area { lut4: 11, ff: 22, ebr: 1, ccu2c: 2, lut_ram: 0, dsp: 0 };
    SynthReport {
        block: "sample".into(),
        device: "lfe5u-85f-6".into(),
        made: None,
        level: Level::Place,
        effort: Effort::Standard,
        area,
        fmax_mhz: Some(fmax_mhz),
        clocks: vec![ClockReport {
            name: "clock".into(),
            fmax_mhz,
            seeds: figures.map(|(seed, mhz)| SeedFigure { seed, mhz }).to_vec(),
            constraint_mhz: 300.0,
            target_mhz: Some(250.0),
        }],
        area_by_instance: [
            (String::new(), area),
            ("inner".to_string(), Area { lut4: 7, ff: 8, ..Area::default() }),
        ]
        .into(),
        critical_paths: vec![CriticalPath {
            from_clock: "posedge clock".into(),
            to_clock: "posedge clock".into(),
            start: point("inner", "count"),
            end: point("", "odd"),
            delay_ns: 4.0,
            logic_ns: 1.5,
            routing_ns: 2.5,
            levels: 3,
            through: vec![point("inner", "count"), point("", "odd")],
            sources: vec!["block.v:3.1-3.9".into()],
        }],
        utilisation: [("TRELLIS_FF".to_string(), Use { available: 90, used: 9 })].into(),
        tools: [("yosys".to_string(), "0.70".to_string())].into(),
        notes: vec!["a note".into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_a_figure_that_was_reached() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).unwrap().median, 2.0);
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn json_carries_the_figures_at_the_top_and_reads_back() {
        let report = sample();
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!((&json["lut4"], &json["ff"], &json["ebr"]), (&11.into(), &22.into(), &1.into()));
        assert_eq!(json["fmax_mhz"], serde_json::json!({"median": 210.0, "min": 200.0, "max": 220.0}));
        assert_eq!(serde_json::from_value::<SynthReport>(json).unwrap(), report);
    }

    #[test]
    fn a_median_below_the_target_is_a_missed_timing() {
        let mut report = sample();
        let message = report.check_timing().unwrap_err().to_string();
        assert!(message.contains("clock clock reaches 210.0 MHz (median), target 250.0 MHz"), "{message}");
        report.clocks[0].target_mhz = Some(210.0);
        report.check_timing().unwrap();
    }

    fn clock(name: &str, median: f64, target_mhz: Option<f64>) -> ClockReport {
        let fmax_mhz = Spread { median, min: median, max: median };
        let seeds = vec![SeedFigure { seed: 1, mhz: median }];
        ClockReport { name: name.into(), fmax_mhz, seeds, constraint_mhz: 300.0, target_mhz }
    }

    #[test]
    fn the_clock_farthest_from_its_target_decides() {
        let clocks =
            [clock("a", 100.0, None), clock("b", 250.0, Some(200.0)), clock("c", 300.0, Some(299.0))];
        assert_eq!(deciding_clock(&clocks).unwrap().name, "c");
        assert_eq!(deciding_clock(&clocks[..1]).unwrap().name, "a");
    }
}
