//! `goodput`: what the lane-removal policy leaves of the rate of a link with noisy lanes (chapter 10, 4.5 and 9, point 9).

use super::clock_tree::metrics_of;
use super::goodput_hardware::{hardware_grid, HardwareBounds, LANES, RATES};
use flitforge_fabric::svg::{Plot, Series, Style};
use flitforge_model::goodput::{goodput_grid, GoodputGrid, GoodputPolicy, GridBounds};
use flitforge_protocol::ltp::CrcMode;
use flitforge_sim::scenario::{
    figure, Metrics, Progress, Scenario, ScenarioFile, ScenarioParameter, ScenarioValues,
};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// The scenario.
pub struct GoodputScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "settle",
        default: 1_000_000,
        min: 1_000,
        max: 1_000_000_000,
        doc: "clocks before each measurement, in which lanes may go",
    },
    ScenarioParameter {
        name: "clocks",
        default: 4_000_000,
        min: 1_000,
        max: 1_000_000_000,
        doc: "clocks of each measurement",
    },
    ScenarioParameter { name: "mode", default: 1, min: 0, max: 3, doc: "CRC mode" },
    ScenarioParameter {
        name: "quick",
        default: 0,
        min: 0,
        max: 1,
        doc: "1: rates 0, 1e-7, 1e-6, 1e-5, 7e-5 and 1e-4 only",
    },
    ScenarioParameter {
        name: "rate",
        default: 0,
        min: 0,
        max: 1_000_000,
        doc: "this bit error rate only, per 10^9 bits; 0: all",
    },
    ScenarioParameter { name: "lanes", default: 0, min: 0, max: 4, doc: "so many noisy lanes only; 0: all" },
    ScenarioParameter {
        name: "hardware",
        default: 0,
        min: 0,
        max: 1,
        doc: "1: two ports as hardware, too; rates 0, 1e-7, 1e-6, 1e-5 and 1e-4 on one, two and four lanes",
    },
    ScenarioParameter {
        name: "hardware_clocks",
        default: 1_000_000,
        min: 1_000,
        max: 1_000_000_000,
        doc: "clocks of each measurement of the hardware",
    },
    ScenarioParameter {
        name: "jobs",
        default: 0,
        min: 0,
        max: 1_024,
        doc: "runs of the hardware at a time; 0: one per processor",
    },
];

/// Rates of the quick campaign, per 10^9 bits.
const QUICK_RATES: [u32; 6] = [0, 100, 1_000, 10_000, 70_000, 100_000];
/// Colours of one to four noisy lanes.
const COLOURS: [&str; 4] = ["#06c", "#080", "#c60", "#c00"];

impl GoodputScenario {
    /// The model's grid, and the metrics with what the hardware came to.
    fn grid(
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<(GoodputGrid, Metrics), SimError> {
        let bounds = bounds(values)?;
        let grid = goodput_grid(&bounds, seed, progress).map_err(|error| SimError::Format {
            what: "scenario `goodput`".into(),
            problem: error.to_string(),
        })?;
        let mut metrics = metrics_of(serde_json::to_value(&grid).unwrap_or_default());
        if values.get("hardware")? == 1 {
            let jobs = match values.get("jobs")? {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                jobs => jobs as usize,
            };
            let hardware = HardwareBounds { clocks: values.get("hardware_clocks")?, jobs };
            let found = hardware_grid(&grid, &bounds, &hardware, seed, progress)?;
            metrics.insert("hardware".into(), serde_json::to_value(&found).unwrap_or_default());
        }
        Ok((grid, metrics))
    }
}

fn bounds(values: &ScenarioValues) -> Result<GridBounds, SimError> {
    let mut bounds = GridBounds {
        settle: values.get("settle")?,
        clocks: values.get("clocks")?,
        mode: CrcMode::from_code(values.get("mode")? as u8).unwrap_or(CrcMode::Bits14),
        ..GridBounds::default()
    };
    if values.get("quick")? == 1 {
        (bounds.rates_per_1e9, bounds.beyond_per_1e9) = (QUICK_RATES.to_vec(), vec![]);
    }
    if values.get("hardware")? == 1 {
        (bounds.rates_per_1e9, bounds.beyond_per_1e9) = (RATES.to_vec(), vec![]);
        bounds.lanes = LANES.to_vec();
    }
    if let rate @ 1.. = values.get("rate")? {
        (bounds.rates_per_1e9, bounds.beyond_per_1e9) = (vec![rate as u32], vec![]);
    }
    if let lanes @ 1.. = values.get("lanes")? {
        bounds.lanes = vec![lanes as usize];
    }
    Ok(bounds)
}

/// Goodput over the logarithm of the rate: lines with the default, dots for the better of off and removed by hand.
fn plot(grid: &GoodputGrid) -> Plot {
    let mut series = Vec::new();
    for (index, colour) in COLOURS.into_iter().enumerate() {
        let lanes = index + 1;
        let noisy =
            || grid.points.iter().filter(move |point| point.noisy_lanes == lanes && point.rate_per_1e9 > 0);
        let rate = |per_1e9: u32| (f64::from(per_1e9) / 1e9).log10();
        let default = noisy().filter_map(|point| {
            Some((rate(point.rate_per_1e9), point.report(GoodputPolicy::Default)?.goodput))
        });
        series.push(Series {
            name: format!("{lanes} noisy, default"),
            colour,
            style: Style::Line,
            points: default.collect(),
        });
        let best = noisy().map(|point| {
            let of = |policy| point.report(policy).map_or(0.0, |report| report.goodput);
            (rate(point.rate_per_1e9), of(GoodputPolicy::Off).max(of(GoodputPolicy::ByHand)))
        });
        series.push(Series {
            name: format!("{lanes} noisy, best"),
            colour,
            style: Style::Dots,
            points: best.collect(),
        });
    }
    Plot {
        title: "Goodput of four lanes: the default of DEGRADE and the better of off and removed by hand"
            .into(),
        x_label: "log10 of the bit error rate of the noisy lanes".into(),
        y_label: "share of line bits".into(),
        series,
        limits: vec![],
    }
}

impl Scenario for GoodputScenario {
    fn name(&self) -> &str {
        "goodput"
    }

    fn summary(&self) -> &str {
        "goodput of four lanes, one to four of them noisy, with the lane-removal policy, without, and with the lanes removed by hand"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "100 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "goodput of four lanes in {} runs: with the default of DEGRADE at least {} of the better of off and removed by hand (bit error \
             rate, noisy lanes: {}), {} LTPs given up",
            of("runs"),
            of("worst_ratio"),
            of("worst_point"),
            of("lost_on_reset")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        Ok(Self::grid(values, seed, progress)?.1)
    }

    fn run_with_files(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<(Metrics, Vec<ScenarioFile>), SimError> {
        let (grid, metrics) = Self::grid(values, seed, progress)?;
        let table = serde_json::to_string_pretty(&metrics).unwrap_or_default();
        let files = vec![
            ScenarioFile { name: "goodput.svg", content: plot(&grid).svg().into() },
            ScenarioFile { name: "goodput.json", content: (table + "\n").into() },
        ];
        Ok((metrics, files))
    }
}
