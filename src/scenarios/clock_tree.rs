//! `clock-tree`: a chain of switches with a slave at every one, with and without line phase (chapter 20, T12).

use flitforge_fabric::chain::{run_seeds, ChainConfig, ChainResult};
use flitforge_fabric::fabric::ExperimentError;
use flitforge_fabric::line::LineConfig;
use flitforge_fabric::network::NetworkConfig;
use flitforge_fabric::report::{chain_html, chain_json, NamedChain};
use flitforge_protocol::time::{PhaseSource, GEN_PERIOD_MAX, HIGH_EVERY_DEFAULT};
use flitforge_sim::scenario::{
    figure, Metrics, Progress, Scenario, ScenarioFile, ScenarioParameter, ScenarioValues,
};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use serde_json::Value;

/// Periods of which every error is drawn.
const DRAWN_PERIODS: u64 = 2_000;

/// The scenario.
pub struct ClockTreeScenario;

const fn parameter(
    name: &'static str,
    (default, min, max): (u64, u64, u64),
    doc: &'static str,
) -> ScenarioParameter {
    ScenarioParameter { name, default, min, max, doc }
}

/// Parameters of the network, shared by the scenarios of clock trees.
const PERIOD: ScenarioParameter =
    parameter("period", (1, 1, GEN_PERIOD_MAX), "time between two updates in units of 2^20 ns");
const LOAD: ScenarioParameter = parameter("load", (0, 0, 100), "load by packets in percent");
const BER: ScenarioParameter =
    parameter("ber", (0, 0, 1_000_000_000), "bit error rate in units of 10^-12; 1000000 is 10^-6");
const ADVANCE: ScenarioParameter =
    parameter("advance", (0, 0, 1), "1: a late time flit is corrected and sent; 0: it is dropped");
const HIGH_EVERY: ScenarioParameter =
    parameter("high_every", (HIGH_EVERY_DEFAULT, 1, 255), "one High for so many Lows");
const RATE: ScenarioParameter = parameter("rate", (200, 0, 1000), "oscillators are off by up to so many ppm");
const RAMP: ScenarioParameter =
    parameter("ramp", (0, 0, 100_000), "change of every oscillator's rate in ppb per second");
const DELAY: ScenarioParameter = parameter("delay", (800, 5, 10_000), "longest line delay in ns");

/// Parameters of a network.
pub const NETWORK: [ScenarioParameter; 8] = [PERIOD, LOAD, BER, ADVANCE, HIGH_EVERY, RATE, RAMP, DELAY];

const PARAMETERS: &[ScenarioParameter] = &[
    parameter("switches", (16, 1, 256), "switches in the chain"),
    parameter("ratio", (2, 1, 4), "ring edges per core clock, M"),
    parameter("runs", (20, 1, 10_000), "runs with different clocks and links"),
    parameter("periods", (200, 1, 100_000), "update periods that are recorded in each run"),
    NETWORK[0],
    NETWORK[1],
    NETWORK[2],
    NETWORK[3],
    NETWORK[4],
    NETWORK[5],
    NETWORK[6],
    NETWORK[7],
];

/// A network from the values of [`NETWORK`].
pub fn network(values: &ScenarioValues, seed: u64) -> Result<NetworkConfig, SimError> {
    let signed = |name: &str| values.get(name).map(|value| i64::try_from(value).unwrap_or(i64::MAX));
    let line = LineConfig {
        ber: values.get(BER.name)? as f64 * 1e-12,
        advance: values.get(ADVANCE.name)? == 1,
        load_percent: values.get(LOAD.name)? as u32,
        ..LineConfig::default()
    };
    let base = NetworkConfig::default();
    Ok(NetworkConfig {
        line,
        gen_period: values.get(PERIOD.name)?,
        high_every: values.get(HIGH_EVERY.name)?,
        max_ppb: signed(RATE.name)? * 1000,
        ramp_ppt_per_s: signed(RAMP.name)? * 1000,
        delay_ps: (base.delay_ps.0, signed(DELAY.name)? * 1000),
        seed,
        ..base
    })
}

/// An experiment that failed, as an error of its scenario.
pub fn failed(scenario: &str) -> impl Fn(ExperimentError) -> SimError + '_ {
    move |error| SimError::Format { what: format!("scenario `{scenario}`"), problem: error.to_string() }
}

/// Metrics from a JSON object; anything else gives none.
pub fn metrics_of(value: Value) -> Metrics {
    match value {
        Value::Object(metrics) => metrics,
        _ => Metrics::new(),
    }
}

impl Scenario for ClockTreeScenario {
    fn name(&self) -> &str {
        "clock-tree"
    }

    fn summary(&self) -> &str {
        "fabric time over a chain of switches: error of every slave, with line phase and without"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "20 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        // The worst error has its sign.
        let size = |path: &str| of(path).trim_start_matches('-').to_owned();
        format!(
            "a chain of {} switches in {} runs: no slave off by more than {} ps with line phase and {} ps without, {} and {} steps after \
             lock, {} and {} readings backward",
            of("results.0.config.switches"),
            of("results.0.runs"),
            size("results.0.worst_ps"),
            size("results.1.worst_ps"),
            of("results.0.steps_after_lock"),
            of("results.1.steps_after_lock"),
            of("results.0.backward"),
            of("results.1.backward")
        )
    }

    fn run(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        waves: &WaveRequest,
    ) -> Result<Metrics, SimError> {
        Ok(self.run_with_files(values, seed, progress, waves)?.0)
    }

    fn run_with_files(
        &self,
        values: &ScenarioValues,
        seed: u64,
        progress: &mut Progress<'_>,
        _waves: &WaveRequest,
    ) -> Result<(Metrics, Vec<ScenarioFile>), SimError> {
        let runs = values.get("runs")? as u32;
        let config = ChainConfig {
            switches: values.get("switches")? as u32,
            ring_ratio: values.get("ratio")? as u32,
            network: network(values, seed)?,
            periods: values.get("periods")?,
            // What is drawn is the first run's last slave.
            series_every: values.get("periods")?.div_ceil(DRAWN_PERIODS)
                * values.get("switches")?.div_ceil(16),
        };
        let line = LineConfig { phase_source: PhaseSource::None, ..config.network.line };
        let bare = ChainConfig { network: NetworkConfig { line, ..config.network }, ..config };
        let half = u64::from(runs);
        let corrected = measure(&config, seed, runs, &mut |done, _| progress(done, 2 * half))?;
        let uncorrected = measure(&bare, seed, runs, &mut |done, _| progress(half + done, 2 * half))?;
        let named = [
            NamedChain { name: "PHASE_SRC BEAT", config: &config, result: &corrected },
            NamedChain { name: "PHASE_SRC NONE, uncorrected", config: &bare, result: &uncorrected },
        ];
        let json = chain_json(&named);
        let table = serde_json::to_string_pretty(&json)
            .map_err(|error| SimError::Format { what: "report".into(), problem: error.to_string() })?;
        let files = vec![
            ScenarioFile { name: "report.html", content: chain_html(&named).into() },
            ScenarioFile { name: "report.json", content: (table + "\n").into() },
        ];
        Ok((metrics_of(json), files))
    }
}

fn measure(
    config: &ChainConfig,
    seed: u64,
    runs: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<ChainResult, SimError> {
    run_seeds(config, seed, runs, progress).map_err(failed("clock-tree"))
}
