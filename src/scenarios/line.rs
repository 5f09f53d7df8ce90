//! `line`: two ports over a lane PHY, with clocks, cables and faults of their own.

use flitforge_line::{Campaign, Choice, Event, Phy, Report, KINDS};
use flitforge_sim::scenario::{Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use std::time::Instant;

/// Failing cases that are told of.
const TOLD: usize = 20;

/// The scenario.
pub struct LineScenario;

const fn parameter(name: &'static str, default: u64, max: u64, doc: &'static str) -> ScenarioParameter {
    ScenarioParameter { name, default, min: 0, max, doc }
}

const PARAMETERS: &[ScenarioParameter] = &[
    parameter("cases", 40, 100_000_000, "random cases"),
    parameter("first", 0, u64::MAX / 2, "number of the first case; a failing case names its own"),
    parameter("ports", 0, 5, "0 all, 1 link_port, 2 link_bonded_port, 3 compact, 4 compact with link_port, 5 fab_port"),
    parameter("phy", 0, 3, "0 all, 1 phy_loop, 2 phy_ecp5, 3 phy_lvds"),
    parameter(
        "event",
        0,
        Event::ALL.len() as u64,
        "0 all, 1 disable, 2 clear, 3 power, 4 lane, 5 allowed, 6 retrain, 7 stuck, 8 skew, 9 noise, 10 cable",
    ),
    parameter("lanes", 0, 4, "lanes of the ports; 0: drawn"),
    parameter("ratio", 0, 8_000_000, "core clocks per word in units of 10^-6; 0: drawn"),
    parameter("jobs", 0, 1_024, "cases at a time; 0: one per processor"),
    parameter("stop", 0, 1, "1: ends with the first failure"),
];

impl Scenario for LineScenario {
    fn name(&self) -> &str {
        "line"
    }

    fn summary(&self) -> &str {
        "two ports over a lane PHY with clocks of their own: resets, dying lanes, skew, noise; exactly-once and up again"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let campaign = campaign(values, seed)?;
        let begin = Instant::now();
        let mut report = Report::new(TOLD);
        let mut done = 0;
        campaign.run(&mut |case, outcome| {
            report.add(case, &outcome);
            done += 1;
            progress(done, campaign.cases);
        });
        Ok(report.metrics(begin.elapsed().as_secs_f64()))
    }
}

fn campaign(values: &ScenarioValues, seed: u64) -> Result<Campaign, SimError> {
    let chosen = |name: &str| values.get(name).map(|value| (value as usize).checked_sub(1));
    let given = |name: &str| values.get(name).map(|value| (value > 0).then_some(value));
    let ratio = given("ratio")?;
    if ratio.is_some_and(|ratio| ratio < 1_000_000) {
        return Err(SimError::Format {
            what: "scenario `line`, parameter `ratio`".into(),
            problem: "a lane takes a word per core clock at most; give 1000000 or more".into(),
        });
    }
    let jobs = match values.get("jobs")? {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs as usize,
    };
    Ok(Campaign {
        seed,
        first: values.get("first")?,
        cases: values.get("cases")?,
        jobs,
        choice: Choice {
            kinds: chosen("ports")?.map(|at| KINDS[at]),
            phy: chosen("phy")?.map(|at| Phy::ALL[at]),
            event: chosen("event")?.map(|at| Event::ALL[at]),
            lanes: given("lanes")?.map(|lanes| lanes as usize),
            ratio,
        },
        stop: values.get("stop")? == 1,
    })
}
