//! What a campaign found, in numbers.

use crate::case::Case;
use crate::failure::FailureKind;
use crate::known::known;
use crate::run::Outcome;
use flitforge_sim::scenario::Metrics;
use std::collections::BTreeMap;

/// Metric: failures that are not [known](crate::known::KNOWN).
pub const NEW_FAILURES: &str = "new_failures";
/// In place of the name of a failure that is not known.
const NO_NAME: &str = "none";

/// What all cases give together.
#[derive(Clone, Debug, Default)]
pub struct Report {
    cases: u64,
    clocks: u64,
    delivered: u64,
    lost: u64,
    retrainings: u64,
    kinds: BTreeMap<FailureKind, u64>,
    names: BTreeMap<&'static str, u64>,
    groups: BTreeMap<String, [u64; 2]>,
    told: Vec<serde_json::Value>,
    /// Failing cases that are told of.
    most: usize,
}

impl Report {
    /// Nothing yet; it will tell of so many failing cases.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Adds a case.
    pub fn add(&mut self, case: &Case, outcome: &Outcome) {
        self.cases += 1;
        self.clocks += outcome.clocks;
        self.delivered += outcome.delivered;
        self.lost += outcome.lost;
        self.retrainings += outcome.retrainings;
        let group = self.groups.entry(format!("{} {}", case.setup.phy, case.event)).or_default();
        group[0] += 1;
        let Some(failure) = &outcome.failure else { return };
        group[1] += 1;
        *self.kinds.entry(failure.kind).or_default() += 1;
        let name = known(case, failure).map_or(NO_NAME, |known| known.name);
        *self.names.entry(name).or_default() += 1;
        if self.told.len() < self.most {
            let lines: Vec<String> = case.to_string().lines().map(String::from).collect();
            self.told.push(serde_json::json!({
                "failure": failure.to_string(),
                "known": name,
                "clocks": outcome.clocks,
                "command": case.command(),
                "waveform": format!("{} --wave case.fst", case.command()),
                "case": lines,
                "history": outcome.history,
            }));
        }
    }

    /// The sums; [`NEW_FAILURES`] is 0 if all is well.
    #[must_use]
    pub fn metrics(self, seconds: f64) -> Metrics {
        let failures: u64 = self.kinds.values().sum();
        let kinds: Metrics =
            self.kinds.iter().map(|(kind, count)| (kind.name().into(), (*count).into())).collect();
        let groups: Metrics = self
            .groups
            .iter()
            .map(|(name, [cases, failed])| (name.clone(), format!("{failed} of {cases}").into()))
            .collect();
        let mut metrics = Metrics::new();
        let numbers = [
            ("cases", self.cases),
            ("failures", failures),
            (NEW_FAILURES, self.names.get(NO_NAME).copied().unwrap_or(0)),
            ("core_clocks", self.clocks),
            ("beats_delivered", self.delivered),
            ("beats_lost_and_told", self.lost),
            ("retrainings", self.retrainings),
        ];
        metrics.extend(numbers.map(|(name, value)| (name.to_string(), value.into())));
        metrics.insert("core_clocks_per_second".into(), ((self.clocks as f64 / seconds) as u64).into());
        metrics.insert("failures_by_kind".into(), kinds.into());
        let names: Metrics =
            self.names.iter().map(|(name, count)| ((*name).into(), (*count).into())).collect();
        metrics.insert("failures_by_known_name".into(), names.into());
        metrics.insert("failures_by_phy_and_event".into(), groups.into());
        metrics.insert("failing_cases".into(), self.told.into());
        metrics
    }
}
