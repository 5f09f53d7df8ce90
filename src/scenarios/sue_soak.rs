//! `sue-soak`: XPUs over a wire that loses, doubles, damages and reorders frames, on the models of scale-up Ethernet
//! (chapter 50, 9, points 2 and 3).

use super::clock_tree::metrics_of;
use flitforge_model::sue::format::Framing;
use flitforge_model::sue::pcapng::{Capture, CaptureError};
use flitforge_model::sue::soak::{soak, Captured, Damage, SoakParameters, SoakReport, WireFaults};
use flitforge_sim::scenario::{
    figure, Metrics, Progress, Scenario, ScenarioFile, ScenarioParameter, ScenarioValues,
};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use std::time::Duration;

/// The scenario.
pub struct SueSoakScenario;

const PARAMETERS: &[ScenarioParameter] = &[
    ScenarioParameter {
        name: "commands",
        default: 200_000,
        min: 100,
        max: 1_000_000_000,
        doc: "commands to deliver, all XPUs together",
    },
    ScenarioParameter { name: "xpus", default: 3, min: 2, max: 64, doc: "XPUs; each sends to all others" },
    ScenarioParameter { name: "vcs", default: 4, min: 1, max: 4, doc: "virtual channels" },
    ScenarioParameter { name: "data", default: 64, min: 0, max: 256, doc: "most data bytes of a command" },
    rate("flush", 20_000, "commands that end their body, per million"),
    rate("loss", 1_000, "frames lost, per million"),
    rate("duplication", 1_000, "frames doubled, per million"),
    rate("corruption", 1_000, "frames with a bit turned on the wire, per million"),
    rate(
        "device_errors",
        1_000,
        "frames with a bit turned inside a device, which makes a new FCS, per million",
    ),
    rate(
        "swaps",
        1_000,
        "frames that change places with the one before of their virtual channel, per million",
    ),
    rate(
        "stalls",
        1_000,
        "frames after which the receive buffer has no room for up to 1,000 clocks, per million",
    ),
    ScenarioParameter {
        name: "spread",
        default: 200,
        min: 0,
        max: 100_000,
        doc: "most clocks that a frame takes longer than another: virtual channels overtake each other",
    },
    ScenarioParameter { name: "delay", default: 100, min: 1, max: 100_000, doc: "one way, clocks" },
    ScenarioParameter { name: "window", default: 16, min: 1, max: 32_767, doc: "WIN, PDUs" },
    ScenarioParameter {
        name: "capture",
        default: 1_000,
        min: 0,
        max: 1_000_000,
        doc: "frames in the file of --out, the first that arrive",
    },
    ScenarioParameter { name: "rto", default: 3_200, min: 100, max: 10_000_000, doc: "RTO, clocks" },
];

/// A chance per million.
const fn rate(name: &'static str, default: u64, doc: &'static str) -> ScenarioParameter {
    ScenarioParameter { name, default, min: 0, max: 1_000_000, doc }
}

/// The file of frames.
const CAPTURE: &str = "sue-soak.pcapng";
/// Nanoseconds of a clock.
const CLOCK_NS: u64 = 5;
/// Clocks for one command, beyond which a run is given up.
const PATIENCE: u64 = 10_000;

impl Scenario for SueSoakScenario {
    fn name(&self) -> &str {
        "sue-soak"
    }

    fn summary(&self) -> &str {
        "scale-up Ethernet over a wire with faults: every command once and in order, every fault accounted for"
    }

    fn parameters(&self) -> &[ScenarioParameter] {
        PARAMETERS
    }

    fn takes(&self) -> &str {
        "2 s"
    }

    fn sentence(&self, metrics: &Metrics) -> String {
        let of = |path: &str| figure(metrics, path);
        format!(
            "{} commands in {} frames over {} clocks: none lost, none altered, none twice, every fault accounted for; {} bodies sent again",
            of("commands"),
            of("frames"),
            of("clocks"),
            of("counters.REPLAY")
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
        let report = run(values, seed, progress)?;
        let content = capture(&report.captured).map_err(|error| failed(seed, &error))?;
        let metrics = metrics_of(serde_json::to_value(&report).unwrap_or_default());
        Ok((metrics, vec![ScenarioFile { name: CAPTURE, content }]))
    }
}

fn failed(seed: u64, error: &dyn std::error::Error) -> SimError {
    SimError::Format { what: "scenario `sue-soak`".into(), problem: format!("seed {seed:#x}: {error}") }
}

fn run(values: &ScenarioValues, seed: u64, progress: &mut Progress<'_>) -> Result<SoakReport, SimError> {
    let commands = values.get("commands")?;
    let rate = |name: &str| values.get(name).map(|rate| rate as u32);
    let parameters = SoakParameters {
        xpus: values.get("xpus")? as u16,
        framing: Framing::AfhGen2,
        vcs: values.get("vcs")? as u8,
        commands,
        data_bytes: values.get("data")? as u16,
        flush: rate("flush")?,
        window: values.get("window")? as u16,
        rto: values.get("rto")?,
        delay: values.get("delay")?,
        faults: WireFaults {
            loss: rate("loss")?,
            duplication: rate("duplication")?,
            corruption: rate("corruption")?,
            device_error: rate("device_errors")?,
            swap: rate("swaps")?,
            spread: values.get("spread")?,
        },
        stalls: rate("stalls")?,
        time_limit: commands.saturating_mul(PATIENCE),
        capture: values.get("capture")? as usize,
    };
    soak(&parameters, seed, progress).map_err(|error| failed(seed, &error))
}

/// The frames as a file for Wireshark; clocks of 200 MHz.
fn capture(frames: &[Captured]) -> Result<Vec<u8>, CaptureError> {
    let mut capture = Capture::new(Vec::new(), CAPTURE)?;
    for frame in frames {
        let comment = match frame.damage {
            Damage::None => None,
            Damage::Wire => Some("a bit was turned on the wire"),
            Damage::Device => Some("a bit was turned inside a device, the FCS is new"),
        };
        capture.frame(Duration::from_nanos(frame.clock * CLOCK_NS), &frame.octets, comment)?;
    }
    capture.finish()
}
