//! `ltp-loopback`: the node on the elaborated graph, with errors injected at random times.

use super::loopback::{random_times, Event, Loopback, Window, QUIET_CLOCKS};
use flitforge_hdl::node::ltp_loopback::LtpLoopback;
use flitforge_sim::scenario::{figure, Metrics, Progress, Scenario, ScenarioParameter, ScenarioValues};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// Words of an LTP in modes 0 and 1.
const WORDS_PER_LTP: u64 = 33;
/// Name of the scenario.
const NAME: &str = "ltp-loopback";

/// The scenario.
pub struct LtpLoopbackScenario;

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

/// Names of the counted pulses: metric, port.
const PULSES: [(&str, &str); 5] = [
    ("ltps_good", "ltp_good"),
    ("ltps_bad", "ltp_bad"),
    ("beats_good", "beat_good"),
    ("beats_wrong", "beat_wrong"),
    ("gaps", "beat_gap"),
];

impl Scenario for LtpLoopbackScenario {
    fn name(&self) -> &str {
        NAME
    }

    fn summary(&self) -> &str {
        "LTPs over one to four lanes and back without retry, with bit errors at random times: each is found, and costs its LTP"
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
            "LTPs without retry on {} lanes for {} clocks: {} bit errors, {} bad LTPs found, {} gaps, {} good LTPs, {} beats delivered, \
             none altered",
            of("lanes"),
            of("clocks"),
            of("errors_injected"),
            of("ltps_bad"),
            of("gaps"),
            of("ltps_good"),
            of("beats_good")
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
        let (clocks, errors) = (values.get("clocks")?, values.get("errors")?);
        let inject = Event {
            port: "inject",
            times: random_times(
                (NAME, "errors"),
                &Window { first: 0, clocks, quiet: QUIET_CLOCKS },
                errors,
                seed,
            )?,
        };
        let block = LtpLoopback::new()
            .map_err(|error| SimError::Format { what: "ltp_loopback".into(), problem: error.to_string() })?;
        let inputs = [("lanes", lanes - 1), ("mode", mode)];
        let counted = PULSES.map(|(_, port)| port);
        let record = request.record.is_some();
        let mut loopback = Loopback::start("ltp_loopback", Box::new(block), &inputs, &counted, record)?;
        let counts = loopback.run((NAME, seed), clocks, &[inject], (request, progress), |_, counts| {
            verdict(counts, errors).map(|()| counts.to_vec())
        })?;
        let mut metrics = Metrics::new();
        let given = [
            ("lanes", lanes),
            ("mode", mode),
            ("clocks", clocks),
            ("errors_injected", errors),
            ("seed", seed),
        ];
        let counted = PULSES.iter().map(|(name, _)| *name).zip(counts.iter().copied());
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

/// Every error makes one bad LTP (or none, if it hits an alignment word) and nothing else goes wrong.
fn verdict(counts: &[u64], errors: u64) -> Result<(), SimError> {
    let [good, bad, _, wrong, gaps] = *counts else { return Ok(()) };
    let alignment_words = errors / 100 + 1;
    let as_expected =
        good > 0 && wrong == 0 && bad <= errors && bad + alignment_words >= errors && gaps <= bad;
    if as_expected {
        return Ok(());
    }
    Err(SimError::Format {
        what: format!("scenario `{NAME}`"),
        problem: format!(
            "{errors} errors gave {bad} bad and {good} good LTPs, {gaps} gaps and {wrong} wrong beats"
        ),
    })
}
