//! Many XPUs over one switch, or in a mesh of direct links: the scenario `sue-incast` (chapter 50, 9, points 18 and 19).
//!
//! | part | is |
//! |---|---|
//! | [`Pattern`] | who sends to whom |
//! | `xpu` | commands, packer, go-back-N: the golden models, a body when the port is free |
//! | `line` | a direction of a link: octets in time, credits or pauses of both ends, of [`super::link`] |
//! | `output` | a port of the switch: a queue per class, the room of a frame held at the port that it came in through |
//! | `network` | events |
//! | [`campaign`] | the runs of the chapter |
//!
//! Time is counted in octets of the line, 40 ps at 200 Gb/s.

mod line;
mod network;
mod output;
mod plan;
mod shapes;
mod traffic;
mod xpu;

pub use plan::{campaign, PlannedRun, Size};
pub use shapes::{SueSimShapes, DIFFERENCES, PUBLISHED};
pub use traffic::Pattern;

use super::link::{CreditConfigError, CreditRefusal, PauseConfigError};
use super::packer::CommandError;
use super::{ConfigError, HISTOGRAM_BINS};
use serde::Serialize;
use thiserror::Error;

/// What the model leaves out, for reports.
pub const SIMPLIFIED: &str = "Frames are stored and forwarded, octets are not simulated: a frame is there when its last octet is. The switch takes any \
    number of frames at a time through its middle, after a fixed time. Links lose nothing and have no link-layer retry. Credits and pauses go \
    between frames; CC_Update is not needed and not sent. XPUs take what arrives at once, and always have commands waiting.";
/// Nanoseconds of a clock, for timers that are set in clocks: 200 MHz.
const CLOCK_NS: u64 = 5;
/// Least fairness (chapter 50, 9, point 18).
pub const LEAST_JAIN: f64 = 0.95;

/// How the links are kept lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FlowKind {
    /// Not at all: what finds no room is dropped, and go-back-N sends it again.
    None,
    /// Priority flow control.
    Pfc,
    /// Credit-based flow control.
    Cbfc,
}

/// What a frame costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CreditUnit {
    /// Cells of 256 octets.
    Cells,
    /// One credit each, whatever its length, as in SUE-Sim.
    Frames,
}

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct IncastParameters {
    /// Who sends to whom.
    pub pattern: Pattern,
    /// How the links are kept lossless.
    pub flow: FlowKind,
    /// XPUs, 2 to 1,024; a mesh has 4.
    pub xpus: u16,
    /// Virtual channels, 1 to 4.
    pub vcs: u8,
    /// WIN, PDUs.
    pub window: u16,
    /// SLOTS of each XPU.
    pub slots: usize,
    /// Data octets of a command, beside 16 of header and control.
    pub data: u32,
    /// PACK_MAX, octets.
    pub pack_max: u32,
    /// Commands to one destination and VC in a row.
    pub burst: u32,
    /// Commands that wait in the packer of an XPU.
    pub pool: usize,
    /// LIMIT of each virtual channel, in credits.
    pub limit: u16,
    /// What a frame costs.
    pub credit_unit: CreditUnit,
    /// CELL_BATCH.
    pub cell_batch: u16,
    /// XOFF of each class and port of the switch, octets; XON is half of it.
    pub xoff: u32,
    /// RTO, nanoseconds.
    pub rto: u64,
    /// Time in which XPUs offer commands, nanoseconds. Goodput counts from a quarter of it on.
    pub time: u64,
    /// Propagation of a link, nanoseconds.
    pub link: u64,
    /// Through the switch, nanoseconds.
    pub switch: u64,
    /// Rate of a link, Gb/s; a multiple of 8.
    pub gigabits: u64,
    /// Time between two samples, nanoseconds.
    pub sample: u64,
}

impl Default for IncastParameters {
    fn default() -> Self {
        IncastParameters {
            pattern: Pattern::Incast,
            flow: FlowKind::Cbfc,
            xpus: 64,
            vcs: 4,
            window: 16,
            slots: 256,
            data: 256,
            pack_max: 2048,
            burst: 7,
            pool: 200,
            limit: 320,
            credit_unit: CreditUnit::Cells,
            cell_batch: 4,
            xoff: 64 * 1024,
            rto: 4_000_000,
            time: 3_000_000,
            link: 10,
            switch: 130,
            gigabits: 200,
            sample: 30_000,
        }
    }
}

impl IncastParameters {
    /// Octets that pass in so many nanoseconds.
    const fn octets(&self, nanoseconds: u64) -> u64 {
        nanoseconds * self.gigabits / 8
    }

    /// Nanoseconds of so many octets.
    fn nanoseconds(&self, octets: u64) -> f64 {
        octets as f64 * 8.0 / self.gigabits as f64
    }

    /// Refuses numbers that cannot work.
    pub fn check(&self) -> Result<(), IncastError> {
        let ranges = [
            ("xpus", u64::from(self.xpus), 2, 1_024),
            ("vcs", self.vcs.into(), 1, 4),
            ("data", self.data.into(), 1, 256),
            ("burst", self.burst.into(), 1, 1_000),
            ("pool", self.pool as u64, 1, 100_000),
            ("limit", self.limit.into(), 1, super::link::LIMIT_MAX.into()),
            ("gigabits", self.gigabits, 8, 3_200),
            ("rto", self.rto, 100, 1_000_000_000),
            ("time", self.time, 100, 1_000_000_000),
            ("sample", self.sample, 10, self.time),
        ];
        for (name, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                return Err(IncastError::Range { name, value, least, most });
            }
        }
        match self.pattern {
            Pattern::Mesh if self.xpus != 4 => Err(IncastError::Mesh { xpus: self.xpus }),
            _ => Ok(()),
        }
    }
}

/// The network at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sample {
    /// Nanoseconds from the start.
    pub time_ns: f64,
    /// Octets in the fullest output queue of the switch, all classes.
    pub queue_most: u64,
    /// Octets in all output queues.
    pub queue_all: u64,
    /// Credits of an XPU's virtual channel towards its neighbour, on the average; none without CBFC.
    pub credits_mean: Option<f64>,
    /// The least of them.
    pub credits_least: Option<u16>,
    /// Virtual channels of XPUs that are paused or short of credit.
    pub closed: u64,
    /// Data delivered since the sample before, Gb/s, all XPUs together.
    pub goodput: f64,
    /// Fairness among senders since the sample before.
    pub jain: Option<f64>,
    /// Fairness among senders since the start.
    pub jain_so_far: Option<f64>,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IncastReport {
    /// What was run.
    pub parameters: IncastParameters,
    /// Nanoseconds until every command was delivered and acknowledged.
    pub drained_ns: f64,
    /// Commands delivered: each once and in order.
    pub commands: u64,
    /// Frames with a body.
    pub frames: u64,
    /// Frames with an acknowledgment only.
    pub ack_frames: u64,
    /// Bodies sent again.
    pub replays: u64,
    /// RTO_CNT.
    pub timeouts: u64,
    /// Frames dropped in lossless classes.
    pub dropped: u64,
    /// CF_Update sent.
    pub cf_updates: u64,
    /// PFC frames sent.
    pub pfc_frames: u64,
    /// PFC_WD: classes that were paused too long.
    pub pfc_watchdog: u64,
    /// Most octets in one output queue.
    pub queue_most: u64,
    /// Least credits of a virtual channel, of XPUs and of the switch.
    pub credits_least: Option<u16>,
    /// Data delivered per second, Gb/s, all XPUs together.
    pub goodput: f64,
    /// The same of the sender that gets least, of the average one and of the one that gets most.
    pub goodput_of_senders: [f64; 3],
    /// Jain's index of the senders.
    pub jain: f64,
    /// Share of the bottleneck: goodput against what E14's frames would carry over the links that limit it.
    pub of_bottleneck: f64,
    /// Bodies by their commands: of one, of two and so on; the 33rd number are those of more than 32.
    pub bodies: Vec<u64>,
    /// Data delivered of each sender, Gb/s, by XPU.
    #[serde(skip)]
    pub by_sender: Vec<(u16, f64)>,
    /// The network over time.
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

impl IncastReport {
    /// Share of the bodies that hold so many commands.
    #[must_use]
    pub fn share_of(&self, commands: usize) -> f64 {
        let all: u64 = self.bodies.iter().sum();
        let those = commands.checked_sub(1).and_then(|bin| self.bodies.get(bin)).copied().unwrap_or(0);
        those as f64 / all.max(1) as f64
    }

    /// Most commands of a body, as far as they are counted apart.
    #[must_use]
    pub fn most_in_body(&self) -> usize {
        self.bodies.iter().rposition(|count| *count > 0).map_or(0, |bin| (bin + 1).min(HISTOGRAM_BINS))
    }

    /// Refuses a run that was unfair, or that dropped frames of lossless classes although they were to be kept.
    pub fn verdict(&self) -> Result<(), IncastError> {
        if self.dropped > 0 && self.parameters.flow != FlowKind::None {
            return Err(IncastError::Dropped { frames: self.dropped });
        }
        if self.jain < LEAST_JAIN && self.parameters.flow != FlowKind::None {
            return Err(IncastError::Unfair { jain: self.jain });
        }
        Ok(())
    }
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum IncastError {
    /// Settings that cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings of credits that cannot work.
    #[error(transparent)]
    Credits(#[from] CreditConfigError),
    /// Settings of pauses that cannot work.
    #[error(transparent)]
    Pauses(#[from] PauseConfigError),
    /// A command that the packer refuses.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A frame was sent without credits.
    #[error("a frame left without credits: {0}")]
    Overdrawn(#[from] CreditRefusal),
    /// A parameter out of range.
    #[error("{name} of {value}: has to be {least} to {most}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// A mesh of another size.
    #[error("a mesh of {xpus} XPUs: only 4 with three links each are modelled")]
    Mesh {
        /// XPUs.
        xpus: u16,
    },
    /// LIMIT below what the largest frame costs.
    #[error("LIMIT of {limit} credits: the largest frame costs {cells}")]
    Limit {
        /// LIMIT.
        limit: u16,
        /// Credits of the largest frame.
        cells: u16,
    },
    /// A body came twice, out of order, or after one that is missing.
    #[error("XPU {destination}, VC {vc}: command {expected} of XPU {source_xpu} was expected, {found} came")]
    Order {
        /// The sender.
        source_xpu: u16,
        /// The receiver.
        destination: u16,
        /// Virtual channel.
        vc: u8,
        /// Its number.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// A connection failed.
    #[error("connection of XPU {source_xpu} to {peer}, VC {vc}, failed: the peer was silent for RETRY_MAX replays")]
    Failed {
        /// The sender.
        source_xpu: u16,
        /// The receiver.
        peer: u16,
        /// Virtual channel.
        vc: u8,
    },
    /// Nothing moves any more.
    #[error("{delivered} of {offered} commands after {nanoseconds} ns: the network stands still")]
    Stuck {
        /// Commands delivered.
        delivered: u64,
        /// Commands offered.
        offered: u64,
        /// Time.
        nanoseconds: u64,
    },
    /// Frames of lossless classes were dropped.
    #[error("{frames} frames of lossless classes were dropped")]
    Dropped {
        /// Frames.
        frames: u64,
    },
    /// A run with SUE-Sim's values has other shapes.
    #[error("SUE-Sim's shapes: {0}")]
    Shapes(&'static str),
    /// Some senders get much less than others.
    #[error("Jain's index of the senders is {jain:.3}; at least {LEAST_JAIN} is promised")]
    Unfair {
        /// The index.
        jain: f64,
    },
}

/// Jain's index: 1 if all get the same, 1/n if one gets everything.
#[must_use]
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// Runs until the time is over and every command is delivered and acknowledged. `progress` gets nanoseconds done and to do.
pub fn incast(
    parameters: &IncastParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<IncastReport, IncastError> {
    parameters.check()?;
    network::Network::new(*parameters, seed)?.run(progress)
}
