//! `line`: two ports over a lane PHY, with clocks, cables and faults of their own.

use flitforge_line::{run_with_waves, Campaign, Choice, Event, Phy, Report, KINDS, NEW_FAILURES};
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use std::time::Instant;

/// Failing cases that are told of.
const TOLD: usize = 20;

/// Least ratio of core clocks to words, in units of 10^-6.
const LEAST_RATIO: u64 = 1_000_000;

/// The scenario.
pub struct LineScenario;

const fn parameter(name: &'static str, default: u64, max: u64, doc: &'static str) -> ScenarioParameter {
    ScenarioParameter { name, default, min: 0, max, doc }
}

const PARAMETERS: &[ScenarioParameter] = &[
    parameter("cases", 40, 100_000_000, "random cases"),
    parameter("first", 0, u64::MAX / 2, "number of the first case; a failing case names its own"),
    parameter(
        "ports",
        0,
        KINDS.len() as u64,
        "0 all, 1 link_port, 2 link_bonded_port, 3 compact, 4 compact with link_port, 5 fab_port, 6 fab_bonded_port",
    ),
    parameter("phy", 0, 3, "0 all, 1 phy_loop, 2 phy_ecp5, 3 phy_lvds"),
    parameter(
        "event",
        0,
        Event::ALL.len() as u64,
        "0 all, 1 disable, 2 clear, 3 power, 4 lane, 5 allowed, 6 retrain, 7 stuck, 8 skew, 9 noise, 10 cable",
    ),
    parameter("lanes", 0, 4, "lanes of the ports; 0: drawn"),
    parameter("ratio", 0, 8_000_000, "core clocks per word in units of 10^-6; 0: drawn"),
    parameter("flits", 0, 4, "flits per beat of link_port on four lanes, 2 or 4; 0: drawn"),
    parameter("straight", 0, 1, "1: lanes in order and upright in all cables; 0: drawn"),
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

    fn takes(&self) -> &str {
        "20 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "two ports over lanes in {} cases of {} core clocks: {} beats delivered, {} lost and told of, {} failures",
            of("cases"),
            of("core_clocks"),
            of("beats_delivered"),
            of("beats_lost_and_told"),
            of("failures")
        )
    }

    fn has_bench(&self) -> bool {
        true
    }

    fn has_recording(&self) -> bool {
        false
    }

    fn check(&self, values: &ScenarioValues, waves: &WaveRequest) -> Result<(), SimError> {
        let refused = |what: &str, problem: &str| {
            Err(SimError::Format { what: format!("scenario `line`, {what}"), problem: problem.into() })
        };
        let ratio = values.get("ratio")?;
        if ratio > 0 && ratio < LEAST_RATIO {
            return refused(
                "parameter `ratio`",
                "a lane takes a word per core clock at most; give 1000000 or more",
            );
        }
        if waves.file.is_some() && values.get("cases")? != 1 {
            return refused(
                "option --wave",
                "a waveform is of one case; give --cases 1 and its number with --first",
            );
        }
        Ok(())
    }

    fn verdict(&self, metrics: &Metrics) -> Result<(), String> {
        match metrics.get(NEW_FAILURES).and_then(serde_json::Value::as_u64) {
            Some(0) => Ok(()),
            Some(new) => Err(format!("failures that are not known: {new}; `failing_cases` has them")),
            None => Err(format!("the metrics lack `{NEW_FAILURES}`")),
        }
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let campaign = campaign(values, seed)?;
        let begin = Instant::now();
        let mut report = Report::new(TOLD);
        let mut done = 0;
        if waves.file.is_some() {
            one(&campaign, waves, &mut report)?;
            return Ok(report.metrics(begin.elapsed().as_secs_f64()));
        }
        campaign.run(&mut |case, outcome| {
            report.add(case, &outcome);
            done += 1;
            progress(done, campaign.cases);
        });
        Ok(report.metrics(begin.elapsed().as_secs_f64()))
    }
}

/// Runs the only case and writes its waveform.
fn one(campaign: &Campaign, waves: &WaveRequest, report: &mut Report) -> Result<(), SimError> {
    let case = campaign.case(0);
    report.add(&case, &run_with_waves(&case, waves)?);
    Ok(())
}

fn campaign(values: &ScenarioValues, seed: u64) -> Result<Campaign, SimError> {
    let chosen = |name: &str| values.get(name).map(|value| (value as usize).checked_sub(1));
    let given = |name: &str| values.get(name).map(|value| (value > 0).then_some(value));
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
            ratio: given("ratio")?,
            flits: given("flits")?.map(|flits| flits as usize),
            straight: values.get("straight")? == 1,
        },
        stop: values.get("stop")? == 1,
    })
}
