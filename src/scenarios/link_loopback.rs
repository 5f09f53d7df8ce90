//! `link-loopback`: the port that design `link-loopback` puts on a board, with errors injected and lanes killed at random times.

use super::loopback::{random_times, Event, Loopback, Window, QUIET_CLOCKS};
use flitforge_hdl::registry::{self, Settings};
use flitforge_hdl::ConfigError;
use flitforge_sim::bench::Bench;
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// Name of the scenario.
const NAME: &str = "link-loopback";
/// The block it runs.
const BLOCK: &str = "port_loopback";
/// Clocks in which the port comes up and traffic begins.
const START_CLOCKS: u64 = 2_000;
/// Clocks in which a lane that died is found and left out: training waits 2^16 clocks for it.
const REMOVAL_CLOCKS: u64 = 80_000;

/// The scenario.
pub struct LinkLoopbackScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter { name: "lanes", default: 4, min: 1, max: 4, doc: "lanes that may be used" },
    ScenarioParameter { name: "mode", default: 0, min: 0, max: 1, doc: "CRC mode: 0 standard, 1 14-bit" },
    ScenarioParameter {
        name: "clocks",
        default: 200_000,
        min: 4_000,
        max: 1_000_000_000,
        doc: "core clocks",
    },
    ScenarioParameter {
        name: "errors",
        default: 3,
        min: 0,
        max: 1_000_000,
        doc: "errors injected, each in a time slot of its own; retry mends them",
    },
    ScenarioParameter {
        name: "kills",
        default: 1,
        min: 0,
        max: 3,
        doc: "lanes that die, each in a time slot of its own; the port goes on with the others",
    },
];

/// Counted pulses: metric, port.
const PULSES: [(&str, &str); 3] =
    [("beats_delivered", "beat_good"), ("beats_wrong", "beat_wrong"), ("gaps", "beat_gap")];
/// Registers read at the end: metric, port.
const REGISTERS: [(&str, &str); 3] =
    [("RX_GOOD", "ltp_good"), ("RX_BAD", "ltp_bad"), ("REPLAYED", "replayed")];

impl Scenario for LinkLoopbackScenario {
    fn name(&self) -> &str {
        NAME
    }

    fn summary(&self) -> &str {
        "one whole port, looped onto itself, with bit errors and dying lanes: every beat arrives once and in order"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "1 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "one port looped onto itself for {} clocks: {} bit errors and {} dead lanes, {} beats delivered, none lost, none altered, \
             none twice, {} of {} lanes in use",
            of("clocks"),
            of("errors_injected"),
            of("lanes_killed"),
            of("beats_delivered"),
            of("lanes_in_use"),
            of("lanes")
        )
    }

    fn has_bench(&self) -> bool {
        true
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        request: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        let (lanes, mode) = (values.get("lanes")?, values.get("mode")?);
        let (clocks, errors, kills) = (values.get("clocks")?, values.get("errors")?, values.get("kills")?);
        if kills >= lanes {
            let problem = format!("{kills} of {lanes} lanes would leave none; give fewer");
            return Err(SimError::Format { what: format!("scenario `{NAME}`, parameter `kills`"), problem });
        }
        let window = |quiet| Window { first: START_CLOCKS, clocks, quiet };
        let times = |parameter, count, quiet| random_times((NAME, parameter), &window(quiet), count, seed);
        let events = [
            Event { port: "inject", times: times("errors", errors, QUIET_CLOCKS)? },
            Event { port: "kill", times: times("kills", kills, REMOVAL_CLOCKS)? },
        ];
        let built = |error: ConfigError| SimError::Format { what: BLOCK.into(), problem: error.to_string() };
        let entry = registry::find(BLOCK).map_err(built)?;
        let built = (entry.build)(&Settings::new(entry, None, &[]).map_err(built)?).map_err(built)?;
        let inputs = [("lanes", lanes - 1), ("mode", mode)];
        let counted = PULSES.map(|(_, port)| port);
        let mut loopback = Loopback::start(BLOCK, built.block, &inputs, &counted, request.record.is_some())?;
        let found = loopback.run((NAME, seed), clocks, &events, (request, progress), |bench, counts| {
            verdict(bench, counts, (errors, lanes - kills))
        })?;
        let mut metrics = Metrics::new();
        let given = [
            ("lanes", lanes),
            ("mode", mode),
            ("clocks", clocks),
            ("errors_injected", errors),
            ("lanes_killed", kills),
            ("seed", seed),
        ];
        metrics.extend(given.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        metrics.extend(found);
        Ok(metrics)
    }
}

/// What was counted and what the port's registers say in the end; an error if a beat was lost, altered or doubled, if the errors were
/// not found and mended, or if the port is not on the lanes that live.
fn verdict(bench: &dyn Bench, counts: &[u64], (errors, living): (u64, u64)) -> Result<Metrics, SimError> {
    let mut metrics = Metrics::new();
    for ((name, _), count) in PULSES.iter().zip(counts) {
        metrics.insert((*name).into(), (*count).into());
    }
    let mut registers = vec![];
    for (name, path) in REGISTERS {
        let value = bench.get_u64(bench.port(path)?);
        registers.push(value);
        metrics.insert(name.into(), value.into());
    }
    let lanes = u64::from(bench.get_u64(bench.port("rx_lanes")?).count_ones());
    metrics.insert("lanes_in_use".into(), lanes.into());
    let [delivered, wrong, gaps] = *counts else { return Ok(metrics) };
    let [_, bad, replayed] = registers[..] else { return Ok(metrics) };
    let mended = bad >= errors && (errors == 0 || replayed > 0);
    if delivered > 0 && wrong == 0 && gaps == 0 && mended && lanes == living {
        return Ok(metrics);
    }
    Err(SimError::Format {
        what: format!("scenario `{NAME}`"),
        problem: format!(
            "{delivered} beats delivered, {wrong} wrong, {gaps} gaps; {errors} errors gave {bad} bad LTPs and {replayed} sent again; \
             {lanes} lanes in use, {living} alive"
        ),
    })
}
