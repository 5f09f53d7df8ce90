//! The campaign: every bit error rate on one to four lanes under every policy.

use super::bench::{goodput, GoodputError, GoodputParameters, GoodputReport};
use super::undetected::{rate_limits, RateLimit};
use crate::degrade::DegradeConfig;
use crate::pair::BitErrorRate;
use crate::retry::RetryConfig;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::CrcMode;
use serde::Serialize;

/// All lanes, bit l = lane l.
const ALL_LANES: u8 = (1 << MAX_LANES) - 1;

/// Who removes lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum GoodputPolicy {
    /// Register DEGRADE as it comes up.
    Default,
    /// DEGRADE.enable = 0.
    Off,
    /// LANES.allowed without the noisy lanes.
    ByHand,
    /// The safe setting of register DEGRADE.
    Safe,
}

impl GoodputPolicy {
    /// Every policy.
    pub const ALL: [GoodputPolicy; 4] =
        [GoodputPolicy::Default, GoodputPolicy::Off, GoodputPolicy::ByHand, GoodputPolicy::Safe];

    /// DEGRADE and LANES.allowed with noise on the lanes `noisy`; `None` if no lane would be left.
    #[must_use]
    pub fn settings(self, noisy: u8) -> Option<(DegradeConfig, u8)> {
        let default = DegradeConfig::default();
        Some(match self {
            GoodputPolicy::Default => (default, ALL_LANES),
            GoodputPolicy::Off => (DegradeConfig { enabled: false, ..default }, ALL_LANES),
            GoodputPolicy::ByHand if noisy == ALL_LANES => return None,
            GoodputPolicy::ByHand => (DegradeConfig { enabled: false, ..default }, ALL_LANES & !noisy),
            GoodputPolicy::Safe => (DegradeConfig::safe_setting(), ALL_LANES),
        })
    }
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridBounds {
    /// Bit error rates that the worst ratio is taken over, per 10^9 bits, ascending.
    pub rates_per_1e9: Vec<u32>,
    /// Bit error rates beyond, for information.
    pub beyond_per_1e9: Vec<u32>,
    /// CRC mode.
    pub mode: CrcMode,
    /// Numbers of noisy lanes.
    pub lanes: Vec<usize>,
    /// Clocks before each measurement.
    pub settle: u64,
    /// Clocks of each measurement.
    pub clocks: u64,
}

impl Default for GridBounds {
    fn default() -> Self {
        GridBounds {
            rates_per_1e9: vec![
                0, 10, 100, 300, 1_000, 3_000, 5_000, 10_000, 30_000, 50_000, 70_000, 100_000,
            ],
            beyond_per_1e9: vec![200_000, 300_000, 1_000_000],
            mode: CrcMode::Bits14,
            lanes: (1..=MAX_LANES).collect(),
            settle: 1_000_000,
            clocks: 4_000_000,
        }
    }
}

/// One rate on so many lanes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoodputPoint {
    /// Bit error rate, per 10^9 bits.
    pub rate_per_1e9: u32,
    /// Noisy lanes, both ways: the first so many.
    pub noisy_lanes: usize,
    /// Goodput with the default as a share of the better of `Off` and `ByHand`.
    pub ratio: f64,
    /// What each policy came to.
    pub policies: Vec<(GoodputPolicy, GoodputReport)>,
}

impl GoodputPoint {
    /// What a policy came to.
    #[must_use]
    pub fn report(&self, policy: GoodputPolicy) -> Option<&GoodputReport> {
        self.policies.iter().find(|(found, _)| *found == policy).map(|(_, report)| report)
    }
}

/// A point in figures: goodput with each policy, and undetected LTPs in 10^4 years of the two settings of DEGRADE.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoodputRow {
    rate_per_1e9: u32,
    noisy_lanes: usize,
    default: f64,
    off: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_hand: Option<f64>,
    safe: f64,
    ratio: f64,
    undetected_default: f64,
    undetected_safe: f64,
}

impl GoodputRow {
    fn of(point: &GoodputPoint) -> Self {
        let goodput = |policy| point.report(policy).map(|report| report.goodput);
        let undetected = |policy| point.report(policy).map_or(0.0, |report| report.undetected_1e4_years);
        GoodputRow {
            rate_per_1e9: point.rate_per_1e9,
            noisy_lanes: point.noisy_lanes,
            default: goodput(GoodputPolicy::Default).unwrap_or_default(),
            off: goodput(GoodputPolicy::Off).unwrap_or_default(),
            by_hand: goodput(GoodputPolicy::ByHand),
            safe: goodput(GoodputPolicy::Safe).unwrap_or_default(),
            ratio: point.ratio,
            undetected_default: undetected(GoodputPolicy::Default),
            undetected_safe: undetected(GoodputPolicy::Safe),
        }
    }
}

/// What came of a campaign. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoodputGrid {
    /// Runs.
    pub runs: usize,
    /// Least ratio of a point up to the last rate that counts.
    pub worst_ratio: f64,
    /// Its rate, per 10^9 bits, and number of noisy lanes.
    pub worst_point: (u32, usize),
    /// LTPs given up by any run up to that rate.
    pub lost_on_reset: u64,
    /// What rates the CRC modes are good for.
    pub rate_limits: [RateLimit; 4],
    /// The figures of all points.
    pub table: Vec<GoodputRow>,
    /// All points.
    pub points: Vec<GoodputPoint>,
}

/// Runs the campaign. `progress` is called with runs done and asked for.
pub fn goodput_grid(
    bounds: &GridBounds,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<GoodputGrid, GoodputError> {
    let rates: Vec<u32> = bounds.rates_per_1e9.iter().chain(&bounds.beyond_per_1e9).copied().collect();
    let runs_of = |lanes: &usize| GoodputPolicy::ALL.len() - usize::from(*lanes == MAX_LANES);
    let all = (rates.len() * bounds.lanes.iter().map(runs_of).sum::<usize>()) as u64;
    let mut grid = GoodputGrid {
        runs: 0,
        worst_ratio: f64::INFINITY,
        worst_point: (0, 0),
        lost_on_reset: 0,
        rate_limits: rate_limits(),
        table: Vec::new(),
        points: Vec::new(),
    };
    for (index, rate) in rates.into_iter().enumerate() {
        for &lanes in &bounds.lanes {
            let mut policies = Vec::new();
            for policy in GoodputPolicy::ALL {
                progress(grid.runs as u64, all);
                let noisy = (1 << lanes) - 1;
                let Some((degrade, allowed)) = policy.settings(noisy) else { continue };
                let report = goodput(&bounds.run(rate, noisy, degrade, allowed), seed)?;
                policies.push((policy, report));
                grid.runs += 1;
            }
            grid.add(rate, lanes, policies, index < bounds.rates_per_1e9.len());
        }
    }
    progress(all, all);
    Ok(grid)
}

impl GridBounds {
    fn run(&self, per_1e9: u32, noisy: u8, degrade: DegradeConfig, allowed: u8) -> GoodputParameters {
        let rate = |lane| BitErrorRate { per_1e9: if noisy >> lane & 1 == 1 { per_1e9 } else { 0 } };
        GoodputParameters {
            degrade,
            allowed,
            mode: self.mode,
            retry: RetryConfig::default(),
            rates: std::array::from_fn(rate),
            settle: self.settle,
            clocks: self.clocks,
        }
    }
}

impl GoodputGrid {
    fn add(
        &mut self,
        rate_per_1e9: u32,
        noisy_lanes: usize,
        policies: Vec<(GoodputPolicy, GoodputReport)>,
        counts: bool,
    ) {
        let mut point = GoodputPoint { rate_per_1e9, noisy_lanes, ratio: 0.0, policies };
        let of = |policy| point.report(policy).map_or(0.0, |report| report.goodput);
        point.ratio = of(GoodputPolicy::Default) / of(GoodputPolicy::Off).max(of(GoodputPolicy::ByHand));
        if counts {
            self.lost_on_reset += point.policies.iter().map(|(_, report)| report.lost_on_reset).sum::<u64>();
            if point.ratio < self.worst_ratio {
                self.worst_ratio = point.ratio;
                self.worst_point = (rate_per_1e9, noisy_lanes);
            }
        }
        self.table.push(GoodputRow::of(&point));
        self.points.push(point);
    }
}
