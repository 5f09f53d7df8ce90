//! Targets and budgets: how far each block is taken, what it has to reach, and what it may cost.

use crate::data;
use crate::device::Device;
use crate::error::{FlowError, FlowResult};
use crate::ladder::effort::Effort;
use crate::ladder::Level;
use crate::report::SynthReport;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One target of a block's `figures.toml`: a block at a preset, and how far CI takes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The target's name; unique.
    pub name: String,
    /// The block in the registry.
    pub block: String,
    /// The preset.
    #[serde(default = "default_preset")]
    pub preset: String,
    /// How far CI takes it.
    pub level: Level,
    /// The device.
    pub device: String,
    /// What the tools work for.
    #[serde(default)]
    pub effort: Effort,
    /// What its clock has to reach, in MHz (median of the seeds).
    pub mhz: Option<f64>,
    /// Where the figure comes from.
    pub source: Option<String>,
}

fn default_preset() -> String {
    "default".into()
}

/// The targets file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    /// All targets.
    #[serde(rename = "target", default)]
    pub targets: Vec<Target>,
}

impl Targets {
    /// Reads a file.
    pub fn load(path: &Path) -> FlowResult<Targets> {
        let text = std::fs::read_to_string(path).map_err(FlowError::file("read", path))?;
        Targets::parse(&path.display().to_string(), &text)
    }

    /// From text; errors name file and line.
    pub fn parse(file: &str, text: &str) -> FlowResult<Targets> {
        let targets: Targets = data::parse(file, text)?;
        let lines = entry_lines(text, "[[target]]");
        for (index, target) in targets.targets.iter().enumerate() {
            let fail = |message: String| {
                let line = lines.get(index).copied().unwrap_or(1);
                Err(FlowError::Data {
                    file: file.into(),
                    line,
                    message: format!("target `{}`: {message}", target.name),
                })
            };
            if targets.targets[..index].iter().any(|t| t.name == target.name) {
                return fail("the name is taken; names are unique".into());
            }
            if let Err(error) = target.device.parse::<Device>() {
                return fail(error.to_string());
            }
            match target.mhz {
                Some(mhz) if !(1.0..=1000.0).contains(&mhz) => {
                    return fail(format!("mhz = {mhz} is no frequency; expected 1 to 1000"))
                }
                None if target.level == Level::Place => {
                    return fail("level \"place\" needs mhz, the frequency to reach".into())
                }
                _ => {}
            }
        }
        Ok(targets)
    }

    /// The target of this name, or an error with the names most like it.
    pub fn find(&self, name: &str) -> FlowResult<&Target> {
        let names = self.targets.iter().map(|target| target.name.as_str());
        self.targets.iter().find(|target| target.name == name).ok_or_else(|| FlowError::Interface {
            block: name.into(),
            message: "is no target; ".to_owned()
                + &flitforge_names::hint(name, names, "`flitforge list` has all of them"),
        })
    }
}

/// What a target may cost: figures as measured, and how far above them is still no drift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The target's name.
    pub target: String,
    /// Look-up tables.
    pub lut4: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs.
    #[serde(default)]
    pub ebr: u64,
    /// Median Fmax in MHz; absent for targets that are not placed.
    pub fmax_mhz: Option<f64>,
    /// Allowed change in percent of area (block RAM: none).
    #[serde(default = "default_area_tolerance")]
    pub area_tolerance_percent: f64,
    /// Allowed loss of Fmax in percent: seeds alone move it by several.
    #[serde(default = "default_fmax_tolerance")]
    pub fmax_tolerance_percent: f64,
}

fn default_area_tolerance() -> f64 {
    3.0
}

fn default_fmax_tolerance() -> f64 {
    8.0
}

/// The budgets file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budgets {
    /// All budgets.
    #[serde(rename = "budget", default)]
    pub budgets: Vec<Budget>,
}

impl Budgets {
    /// Reads a file; every budget must belong to a target.
    pub fn load(path: &Path, targets: &Targets) -> FlowResult<Budgets> {
        let text = std::fs::read_to_string(path).map_err(FlowError::file("read", path))?;
        Budgets::parse(&path.display().to_string(), &text, targets)
    }

    /// From text; errors name file and line.
    pub fn parse(file: &str, text: &str, targets: &Targets) -> FlowResult<Budgets> {
        let budgets: Budgets = data::parse(file, text)?;
        let lines = entry_lines(text, "[[budget]]");
        for (index, budget) in budgets.budgets.iter().enumerate() {
            let fail = |message: String| {
                let line = lines.get(index).copied().unwrap_or(1);
                Err(FlowError::Data {
                    file: file.into(),
                    line,
                    message: format!("budget `{}`: {message}", budget.target),
                })
            };
            if budgets.budgets[..index].iter().any(|b| b.target == budget.target) {
                return fail("appears twice".into());
            }
            let Ok(target) = targets.find(&budget.target) else {
                return fail("is no target".into());
            };
            if target.level < Level::Synth {
                return fail("its target is not synthesised, so it has no cost to hold".into());
            }
            if (target.level == Level::Place) != budget.fmax_mhz.is_some() {
                return fail("fmax_mhz is given exactly when the target's level is \"place\"".into());
            }
            for percent in [budget.area_tolerance_percent, budget.fmax_tolerance_percent] {
                if !(0.0..=50.0).contains(&percent) {
                    return fail(format!("a tolerance of {percent} % holds nothing; expected 0 to 50"));
                }
            }
        }
        Ok(budgets)
    }

    /// The budget of a target.
    pub fn find(&self, target: &str) -> Option<&Budget> {
        self.budgets.iter().find(|b| b.target == target)
    }
}

/// Whether a drift is a loss or a gain that the budget should follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DriftKind {
    /// Larger or slower than allowed: a check fails.
    Worse,
    /// Smaller or faster by more than the tolerance: the budget should be tightened.
    Better,
}

/// One figure outside its budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// `lut4`, `ff`, `ebr` or `fmax_mhz`.
    pub figure: &'static str,
    /// The budget.
    pub budget: f64,
    /// Measured.
    pub measured: f64,
    /// Loss or gain.
    pub kind: DriftKind,
}

impl Drift {
    /// One line for a person.
    pub fn text(&self) -> String {
        let change = 100.0 * (self.measured - self.budget) / self.budget.max(1.0);
        let advice = match self.kind {
            DriftKind::Worse => "above what the budget allows",
            DriftKind::Better => "better than the budget: tighten it",
        };
        format!("{}: {:.1} against {:.1} ({change:+.1} %), {advice}", self.figure, self.measured, self.budget)
    }
}

/// The figures of a report that are outside their budget.
pub fn drift(report: &SynthReport, budget: &Budget) -> Vec<Drift> {
    let area = budget.area_tolerance_percent;
    let mut figures = vec![
        ("lut4", budget.lut4 as f64, report.area.lut4 as f64, area, 1.0),
        ("ff", budget.ff as f64, report.area.ff as f64, area, 1.0),
        ("ebr", budget.ebr as f64, report.area.ebr as f64, 0.0, 1.0),
    ];
    if let Some(wanted) = budget.fmax_mhz {
        // A placement that is missing counts as no speed at all, not as nothing to check.
        let measured = report.fmax_mhz.map_or(0.0, |f| f.median);
        figures.push(("fmax_mhz", wanted, measured, budget.fmax_tolerance_percent, -1.0));
    }
    let outside = figures.into_iter().filter_map(|(figure, budget, measured, tolerance, sign)| {
        let excess = sign * (measured - budget);
        let allowed = budget * tolerance / 100.0;
        let kind = match excess {
            e if e > allowed => DriftKind::Worse,
            e if e < -allowed => DriftKind::Better,
            _ => return None,
        };
        Some(Drift { figure, budget, measured, kind })
    });
    outside.collect()
}

/// The lines (from 1) on which a table array's entries begin.
fn entry_lines(text: &str, header: &str) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, l)| l.trim() == header).map(|(index, _)| index + 1).collect()
}

#[cfg(test)]
#[path = "targets_tests.rs"]
mod tests;
