//! Long runs of XPUs over a wire with faults: the scenario `sue-soak` (chapter 50, 9, points 2 and 3).
//!
//! Commands are packed into bodies, sent by go-back-N in real frames (AFH Gen 2, FCS and R-CRC), damaged on the way, checked and taken apart. Every command has
//! a number of its own for its {source, destination, VC}; the receiver wants them in order, each once, unaltered.

mod traffic;
mod wire;
mod xpu;

pub use traffic::{Offered, Traffic};
pub use wire::{Damage, Injected, WireFaults};
pub use xpu::Xpu;

use super::format;
use super::format::network::Framing;
use super::packer::CommandError;
use super::{ConfigError, Counters, Refusal};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeMap;
use thiserror::Error;
use wire::Wire;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoakParameters {
    /// XPUs, 2 to 64; each sends to all others.
    pub xpus: u16,
    /// Header format.
    pub framing: Framing,
    /// Virtual channels, 1 to 4.
    pub vcs: u8,
    /// Commands to deliver, all XPUs together.
    pub commands: u64,
    /// Most data octets of a command, up to 256.
    pub data_bytes: u16,
    /// Chance per million that a command ends its body.
    pub flush: u32,
    /// WIN.
    pub window: u16,
    /// RTO, clocks.
    pub rto: u64,
    /// One way, clocks.
    pub delay: u64,
    /// What the wire does to frames.
    pub faults: WireFaults,
    /// Chance per million frames that the receive buffer has no room for a while.
    pub stalls: u32,
    /// Clocks after which a run that has not delivered them is given up.
    pub time_limit: u64,
    /// Frames to keep, the first that arrive.
    pub capture: usize,
}

/// What came of it. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SoakReport {
    /// Commands delivered: each once, in order, unaltered.
    pub commands: u64,
    /// Clocks simulated.
    pub clocks: u64,
    /// Frames sent.
    pub frames: u64,
    /// What was done to frames on the way.
    pub injected: Injected,
    /// Frames damaged inside a device where nothing looks: their PDUs are whole and count as others.
    pub harmless: u64,
    /// What became of the frames that arrived, by counter.
    pub arrived: BTreeMap<String, u64>,
    /// Counters of all XPUs together, those that are not zero.
    pub counters: BTreeMap<String, u64>,
    /// Most bodies that one connection took: the PSN starts again after 65,536.
    pub most_bodies: u64,
    /// The frames that were kept.
    #[serde(skip)]
    pub captured: Vec<Captured>,
}

/// A frame as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Clock.
    pub clock: u64,
    /// Octets, FCS included.
    pub octets: Vec<u8>,
    /// What was done to it.
    pub damage: Damage,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SoakError {
    /// Settings that cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings of the network header that cannot work.
    #[error(transparent)]
    Network(#[from] format::network::ConfigError),
    /// A command that the packer refuses.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A body that cannot be built, or one that was delivered and is malformed.
    #[error(transparent)]
    Body(#[from] format::body::BodyError),
    /// A field out of range.
    #[error(transparent)]
    Field(#[from] format::octets::FieldError),
    /// A PDU that cannot be sent.
    #[error(transparent)]
    Encapsulate(#[from] format::network::EncapsulateError),
    /// XPUs or virtual channels out of range.
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
    /// The sender refused a body that it had said it would take.
    #[error("a body was refused after the packer had asked: {reason}")]
    Refused {
        /// Why.
        reason: Refusal,
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
    /// A command came twice, out of order, or after one that is missing.
    #[error("XPU {destination}, VC {vc}: command {expected} of XPU {source_xpu} was expected, control {found:02x?} came")]
    Order {
        /// The sender.
        source_xpu: u16,
        /// The receiver.
        destination: u16,
        /// Virtual channel.
        vc: u8,
        /// Its number.
        expected: u64,
        /// Control octets of the command that came.
        found: Vec<u8>,
    },
    /// A command came with other data.
    #[error("XPU {destination}, VC {vc}: a command of XPU {source_xpu} was altered")]
    Altered {
        /// The sender.
        source_xpu: u16,
        /// The receiver.
        destination: u16,
        /// Virtual channel.
        vc: u8,
    },
    /// Frames do not add up.
    #[error("{what}: {left} against {right}")]
    Identity {
        /// What was added up.
        what: &'static str,
        /// One side.
        left: u64,
        /// The other one.
        right: u64,
    },
    /// Too little was delivered.
    #[error("{delivered} of {wanted} commands after {clocks} clocks")]
    Slow {
        /// Commands delivered.
        delivered: u64,
        /// Commands asked for.
        wanted: u64,
        /// Clocks simulated.
        clocks: u64,
    },
}

/// Clocks of one step.
const STEP: u64 = 4;
/// Steps between two calls of `progress`.
const PROGRESS: u64 = 4_096;

impl SoakParameters {
    /// Refuses numbers that cannot work.
    pub fn check(&self) -> Result<(), SoakError> {
        let ranges = [
            ("xpus", u64::from(self.xpus), 2, 64),
            ("vcs", u64::from(self.vcs), 1, 4),
            ("data_bytes", u64::from(self.data_bytes), 0, 256),
        ];
        ranges.into_iter().try_for_each(|(name, value, least, most)| {
            let fits = (least..=most).contains(&value);
            fits.then_some(()).ok_or(SoakError::Range { name, value, least, most })
        })
    }
}

/// Runs until all commands are delivered and all bodies acknowledged. `progress` gets commands delivered and asked for.
pub fn soak(
    parameters: &SoakParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SoakReport, SoakError> {
    parameters.check()?;
    let mut soak = Soak::new(*parameters, seed)?;
    for step in 0.. {
        if step % PROGRESS == 0 {
            progress(soak.delivered().min(parameters.commands), parameters.commands);
        }
        soak.step()?;
        if soak.is_done() {
            return soak.report();
        }
        if soak.clock >= parameters.time_limit {
            let (delivered, wanted, clocks) = (soak.delivered(), parameters.commands, soak.clock);
            return Err(SoakError::Slow { delivered, wanted, clocks });
        }
    }
    unreachable!("the loop ends by a return")
}

struct Soak {
    parameters: SoakParameters,
    clock: u64,
    xpus: Vec<Xpu>,
    wire: Wire,
    arrived: u64,
    harmless: u64,
    captured: Vec<Captured>,
}

impl Soak {
    fn new(parameters: SoakParameters, seed: u64) -> Result<Self, SoakError> {
        let random = |stream: u64| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream);
            random
        };
        let xpu = |number: u16| Xpu::new(number, &parameters, random(u64::from(number) + 1));
        let xpus = (0..parameters.xpus).map(xpu).collect::<Result<_, _>>()?;
        let wire = Wire::new(parameters.faults, parameters.delay, random(0));
        Ok(Soak { parameters, clock: 0, xpus, wire, arrived: 0, harmless: 0, captured: vec![] })
    }

    fn delivered(&self) -> u64 {
        self.xpus.iter().map(Xpu::delivered).sum()
    }

    /// Everything that was handed over is delivered and acknowledged.
    fn is_done(&self) -> bool {
        let offered: u64 = self.xpus.iter().map(Xpu::offered).sum();
        offered >= self.parameters.commands
            && self.delivered() == offered
            && self.wire.is_empty()
            && self.xpus.iter().all(Xpu::is_idle)
    }

    fn step(&mut self) -> Result<(), SoakError> {
        let mut offered: u64 = self.xpus.iter().map(Xpu::offered).sum();
        for xpu in &mut self.xpus {
            if offered < self.parameters.commands {
                let before = xpu.offered();
                xpu.offer(&self.parameters)?;
                offered += xpu.offered() - before;
            }
        }
        for number in 0..self.xpus.len() {
            if let Some((destination, vc, frame)) = self.xpus[number].transmit(self.clock)? {
                self.wire.send((number as u16, destination, vc), &frame, self.clock)?;
            }
        }
        while let Some(arrival) = self.wire.arrival(self.clock) {
            self.arrived += 1;
            if self.captured.len() < self.parameters.capture {
                let (octets, damage) = (arrival.frame.clone(), arrival.damage);
                self.captured.push(Captured { clock: self.clock, octets, damage });
            }
            let Some(xpu) = self.xpus.get_mut(usize::from(arrival.destination)) else { continue };
            let whole = xpu.receive(&arrival.frame, self.clock, &self.parameters)?;
            match arrival.damage {
                Damage::Wire if whole => {
                    return Err(identity("frames damaged on the wire that passed the FCS", 1, 0))
                }
                Damage::Device if whole => self.harmless += 1,
                _ => {}
            }
        }
        self.clock += STEP;
        Ok(())
    }

    /// Every frame and every injected fault is accounted for.
    fn report(self) -> Result<SoakReport, SoakError> {
        let sum = |of: &dyn Fn(&Xpu) -> u64| self.xpus.iter().map(of).sum::<u64>();
        let frames = sum(&|xpu| xpu.frames);
        let mut arrived: BTreeMap<String, u64> = BTreeMap::new();
        for (name, count) in self.xpus.iter().flat_map(|xpu| &xpu.fates) {
            *arrived.entry(name.clone()).or_default() += count;
        }
        let injected = *self.wire.injected();
        let of = |name: &str| arrived.get(name).copied().unwrap_or(0);
        let counters = self.counters();
        let (body_tx, body_rx) = (sum(&|xpu| xpu.endpoint().sender().counters().body_tx), of("accepted"));
        let replay = sum(&|xpu| xpu.endpoint().sender().counters().replay);
        let ack_only = sum(&|xpu| xpu.endpoint().receiver().counters().ack_only_tx);
        let seen = ["HDR_BAD", "AFH_BAD", "RH_BAD", "RCRC", "GEN_DROP"].map(of).iter().sum::<u64>();
        let identities = [
            ("frames arrived", self.arrived, frames + injected.duplicated - injected.lost),
            ("frames by what became of them", arrived.values().sum(), self.arrived),
            ("frames damaged on the wire, FCS", of("FCS"), injected.corrupted),
            ("frames damaged in a device", seen + self.harmless, injected.device_errors),
            ("frames sent", frames, body_tx + replay + ack_only),
            ("bodies delivered", body_rx, body_tx),
            ("bodies completed", sum(&|xpu| xpu.completed), body_tx),
            ("commands", self.delivered(), sum(&Xpu::offered)),
        ];
        for (what, left, right) in identities {
            if left != right {
                return Err(identity(what, left, right));
            }
        }
        let most_bodies = self.xpus.iter().map(Xpu::most_bodies).max().unwrap_or(0);
        let (commands, clocks, harmless) = (self.delivered(), self.clock, self.harmless);
        let captured = self.captured;
        Ok(SoakReport {
            commands,
            clocks,
            frames,
            injected,
            harmless,
            arrived,
            counters,
            most_bodies,
            captured,
        })
    }

    fn counters(&self) -> BTreeMap<String, u64> {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for xpu in &self.xpus {
            for counters in [xpu.endpoint().sender().counters(), xpu.endpoint().receiver().counters()] {
                for (name, count) in named(counters).into_iter().filter(|(_, count)| *count > 0) {
                    *sums.entry(name.into()).or_default() += count;
                }
            }
        }
        sums
    }
}

/// Counters by the chapter's names.
fn named(counters: &Counters) -> [(&'static str, u64); 14] {
    [
        ("BODY_TX", counters.body_tx),
        ("BODY_RX", counters.body_rx),
        ("REPLAY", counters.replay),
        ("RTO_CNT", counters.rto_cnt),
        ("ACK_TX", counters.ack_tx),
        ("NACK_TX", counters.nack_tx),
        ("ACK_RX", counters.ack_rx),
        ("NACK_RX", counters.nack_rx),
        ("ACK_STALE", counters.ack_stale),
        ("ACK_WILD", counters.ack_wild),
        ("DUP", counters.dup),
        ("GAP", counters.gap),
        ("RX_FULL", counters.rx_full),
        ("RCRC", counters.rcrc),
    ]
}

fn identity(what: &'static str, left: u64, right: u64) -> SoakError {
    SoakError::Identity { what, left, right }
}
