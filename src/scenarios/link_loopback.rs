//! `link-loopback`: the node on the elaborated graph, with errors injected at random times.

use flitforge_elaborate::Design;
use flitforge_hdl::node::link_loopback::LinkLoopback;
use flitforge_hdl::ConfigError;
use flitforge_sim::bench::{open, Bench};
use flitforge_sim::cosim::design_of;
use flitforge_sim::kit;
use flitforge_sim::port::PortHandle;
use flitforge_sim::scenario::{Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::{SignalTable, WaveRequest, Waves};
use flitforge_sim::{Recording, SimError, Trace};
use rand::Rng;

/// Clocks of clear at the start.
const CLEAR_CLOCKS: u64 = 4;
/// Clocks at the end without a new error, so that the last one is counted.
const QUIET_CLOCKS: u64 = 500;
/// Words of an LTP in modes 0 and 1.
const WORDS_PER_LTP: u64 = 33;
/// Clocks between two calls of the progress function.
const PROGRESS_CLOCKS: u64 = 1000;

/// The scenario.
pub struct LinkLoopbackScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter { name: "lanes", default: 4, min: 1, max: 4, doc: "lanes in use" },
    ScenarioParameter { name: "mode", default: 0, min: 0, max: 1, doc: "CRC mode: 0 standard, 1 14-bit" },
    ScenarioParameter { name: "clocks", default: 20_000, min: 1_000, max: 1_000_000_000, doc: "core clocks" },
    ScenarioParameter {
        name: "errors",
        default: 3,
        min: 0,
        max: 1_000_000,
        doc: "errors injected, each in a time slot of its own",
    },
];

/// Ports of the node.
struct Node {
    bench: Box<dyn Bench>,
    inject: PortHandle,
    pulses: [PortHandle; 5],
    design: Design,
    /// All clocks so far, if they are recorded.
    trace: Option<Trace>,
}

/// Names of the counted pulses: metric, port.
const PULSES: [(&str, &str); 5] = [
    ("ltps_good", "ltp_good"),
    ("ltps_bad", "ltp_bad"),
    ("beats_good", "beat_good"),
    ("beats_wrong", "beat_wrong"),
    ("gaps", "beat_gap"),
];

impl Scenario for LinkLoopbackScenario {
    fn name(&self) -> &str {
        "link-loopback"
    }

    fn summary(&self) -> &str {
        "test traffic over one to four lanes and back, with bit errors at random times"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
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
        let (clocks, errors) = (values.get("clocks")?, values.get("errors")?);
        let mut node = start(lanes, mode, request.record.is_some())?;
        let table = SignalTable::of_design(node.bench.ports(), &node.design);
        let mut waves = Waves::requested(request, self.name(), node.bench.as_mut(), table)?;
        let counted = match node.count(clocks, &error_times(clocks, errors, seed)?, &mut waves, progress) {
            Ok(counts) => verdict(&counts, errors).map(|()| counts),
            Err(error) => Err(error),
        };
        if let (Some(path), Some(trace)) = (&request.record, &node.trace) {
            Recording::of_trace(trace, "default", seed, true).write(path)?;
        }
        let counts = match counted {
            Ok(counts) => counts,
            Err(error) => return Err(waves.failed(error)),
        };
        waves.finish()?;
        let mut metrics = Metrics::new();
        let given = [
            ("lanes", lanes),
            ("mode", mode),
            ("clocks", clocks),
            ("errors_injected", errors),
            ("seed", seed),
        ];
        let counted = PULSES.iter().map(|(name, _)| *name).zip(counts);
        metrics
            .extend(given.into_iter().chain(counted).map(|(name, value)| (name.to_string(), value.into())));
        let words = counts[0] * WORDS_PER_LTP;
        metrics.insert(
            "lane_words_used_percent".into(),
            (words as f64 * 100.0 / (clocks * lanes) as f64).into(),
        );
        Ok(metrics)
    }
}

impl Node {
    /// Runs `clocks` clocks with an error before each of `times`, and counts pulses.
    fn count(
        &mut self,
        clocks: u64,
        times: &[u64],
        waves: &mut Waves<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<[u64; PULSES.len()], SimError> {
        let mut next = times.iter().peekable();
        let mut counts = [0u64; PULSES.len()];
        for clock in 0..clocks {
            let inject = next.next_if_eq(&&clock).is_some();
            self.bench.set_u64(self.inject, u64::from(inject));
            self.bench.settle()?;
            for (count, port) in counts.iter_mut().zip(self.pulses) {
                *count += self.bench.get_u64(port);
            }
            waves.record(self.bench.as_ref())?;
            self.step()?;
            if clock % PROGRESS_CLOCKS == 0 {
                progress(clock, clocks);
            }
        }
        Ok(counts)
    }

    fn step(&mut self) -> Result<(), SimError> {
        if let Some(trace) = &mut self.trace {
            self.bench.settle()?;
            trace.record(self.bench.as_ref());
        }
        self.bench.step()
    }
}

fn start(lanes: u64, mode: u64, record: bool) -> Result<Node, SimError> {
    let build =
        |error: ConfigError| SimError::Format { what: "link_loopback".into(), problem: error.to_string() };
    let block = LinkLoopback::new().map_err(build)?;
    let design = design_of("link_loopback", &block)?;
    let mut bench = open("link_loopback", Box::new(block))?;
    let port = |path: &str| bench.port(path);
    let (lanes_port, mode_port, clear, inject) =
        (port("lanes")?, port("mode")?, port("clear")?, port("inject")?);
    let [a, b, c, d, e] = PULSES.map(|(_, path)| bench.port(path));
    let pulses = [a?, b?, c?, d?, e?];
    bench.set_u64(lanes_port, lanes - 1);
    bench.set_u64(mode_port, mode);
    bench.set_u64(clear, 1);
    let trace = record.then(|| Trace::new(bench.ports()));
    let mut node = Node { bench, inject, pulses, design, trace };
    for _ in 0..CLEAR_CLOCKS {
        node.step()?;
    }
    node.bench.set_u64(clear, 0);
    Ok(node)
}

/// One random clock in each of `errors` equal slots, early enough in its slot that errors hit different LTPs.
fn error_times(clocks: u64, errors: u64, seed: u64) -> Result<Vec<u64>, SimError> {
    if errors == 0 {
        return Ok(vec![]);
    }
    let slot = clocks.saturating_sub(QUIET_CLOCKS) / errors;
    if slot < 2 * QUIET_CLOCKS {
        return Err(SimError::Format {
            what: "scenario `link-loopback`, parameter `errors`".into(),
            problem: format!("{errors} errors need at least {} clocks", (errors * 2 + 1) * QUIET_CLOCKS),
        });
    }
    let mut rng = kit::rng(seed, "errors");
    Ok((0..errors)
        .map(|index| index * slot + QUIET_CLOCKS + rng.random_range(0..slot - QUIET_CLOCKS))
        .collect())
}

/// Every error makes one bad LTP (or none, if it hits an alignment word) and nothing else goes wrong.
fn verdict(counts: &[u64; PULSES.len()], errors: u64) -> Result<(), SimError> {
    let [good, bad, _, wrong, gaps] = *counts;
    let alignment_words = errors / 100 + 1;
    let as_expected =
        good > 0 && wrong == 0 && bad <= errors && bad + alignment_words >= errors && gaps <= bad;
    if as_expected {
        return Ok(());
    }
    Err(SimError::Format {
        what: "scenario `link-loopback`".into(),
        problem: format!(
            "{errors} errors gave {bad} bad and {good} good LTPs, {gaps} gaps and {wrong} wrong beats"
        ),
    })
}
