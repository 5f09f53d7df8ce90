//! The event simulation: time flits through a fabric of devices.
//!
//! An event is the arrival of a time flit at plane R, or a generator's due time; its time is an integer number of
//! picoseconds. What a device does with the flit is done by the golden models. One Low and its High share a beat on
//! every link. Masters are HFIs. Only the time flits are simulated, not the packets beside them: what packets and
//! retries do to a time flit is in [`crate::line`].

mod measure;
mod node;
mod registers;
mod wave;

pub(crate) use node::path_fields;
pub use node::NodeHistory;

use crate::line::{Direction, Line, LineConfig, LineError};
use crate::oscillator::{Oscillator, OscillatorError, RateError};
use crate::record::Recorder;
use crate::statistics::ErrorStatistics;
use crate::topology::{DeviceId, DeviceKind, LinkId, Topology};
use flitforge_model::time::config::increment;
use flitforge_model::time::{Servo, ServoConfig, TimeConfigError, TimeHigh, TimeLow, TimeSource, TreeSlave};
use flitforge_protocol::time::{FIFO_DEPTH, GEN_PERIOD_SHIFT, HIGH_EVERY_DEFAULT, MAX_TREES};
use flitforge_protocol::time_servo::ServoState;
use node::{signed, Node};
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use thiserror::Error;

/// A network that cannot be simulated.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NetworkError {
    /// A line.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A clock.
    #[error(transparent)]
    Oscillator(#[from] OscillatorError),
    /// A device.
    #[error(transparent)]
    Time(#[from] TimeConfigError),
    /// A range without values.
    #[error("{parameter}: {low} to {high} ps is no range of delays")]
    Range {
        /// Parameter.
        parameter: &'static str,
        /// From.
        low: i64,
        /// To.
        high: i64,
    },
}

/// What a network is made with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NetworkConfig {
    /// Links.
    pub line: LineConfig,
    /// GEN_PERIOD the servos are set for, 2^20 ns.
    pub gen_period: u64,
    /// HIGH_EVERY; masters use less where a High would come too rarely.
    pub high_every: u64,
    /// Every oscillator's rate is drawn from plus or minus this, parts per 10^9.
    pub max_ppb: i64,
    /// Every oscillator's rate changes by plus or minus this, parts per 10^12 per second.
    pub ramp_ppt_per_s: i64,
    /// Line delays are drawn from this range, ps.
    pub delay_ps: (i64, i64),
    /// Probability that a Low waits on a switch's ring, for whole core clocks up to RING_WAIT_MAX cycles.
    pub ring_busy: f64,
    /// Switches have a synchronised clock of their own.
    pub switch_clocks: bool,
    /// FIFO_DEPTH of every slave.
    pub fifo_depth: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for NetworkConfig {
    /// 1.05 ms, clocks to 200 ppm, links of 5 to 800 ns, no ramp, quiet rings, synchronised switches.
    fn default() -> Self {
        Self {
            line: LineConfig::default(),
            gen_period: 1,
            high_every: HIGH_EVERY_DEFAULT,
            max_ppb: 200_000,
            ramp_ppt_per_s: 0,
            delay_ps: (5_000, 800_000),
            ring_busy: 0.0,
            switch_clocks: true,
            fifo_depth: FIFO_DEPTH.1,
            seed: 1,
        }
    }
}

/// A time flit on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arrival {
    device: DeviceId,
    port: u8,
    link: LinkId,
    /// Core edge of plane R.
    edge: u64,
    rx_lag: i32,
    low: TimeLow,
    high: Option<TimeHigh>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Generate(DeviceId),
    Arrive(Arrival),
}

/// An event in the queue, ordered by time, then by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Queued {
    time: i64,
    number: u64,
    event: Event,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.number).cmp(&(other.time, other.number))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Flits lost, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Losses {
    /// Flits offered to links.
    pub offered: u64,
    /// In a bad or tossed LTP.
    pub stale: u64,
    /// Discarded by a closed transmitter.
    pub dropped: u64,
    /// Waited too long for a closed transmitter.
    pub waited_too_long: u64,
    /// On a link or at a device that is gone.
    pub gone: u64,
}

/// A fabric in operation.
#[derive(Debug, Clone)]
pub struct Network {
    topology: Topology,
    config: NetworkConfig,
    line: Line,
    directions: Vec<[Direction; 2]>,
    link_alive: Vec<bool>,
    nodes: Vec<Node>,
    queue: BinaryHeap<Reverse<Queued>>,
    number: u64,
    now: i64,
    rng: ChaCha8Rng,
    reference: DeviceId,
    losses: Losses,
    /// What is recorded of the slaves' errors.
    pub recorder: Recorder,
    /// By tree: error of the time a sample delivered, V + ClockOffset against the reference, whether it was followed or
    /// not; `None` records nothing.
    pub delivered: Option<Box<[ErrorStatistics; MAX_TREES]>>,
}

impl Network {
    /// All devices at power-on, nothing measured or programmed. `reference` is the device whose SyncTime is the truth.
    pub fn new(topology: Topology, reference: DeviceId, config: NetworkConfig) -> Result<Self, NetworkError> {
        let line = Line::new(config.line)?;
        TreeSlave::new(config.fifo_depth)?;
        let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
        let (low, high) = config.delay_ps;
        if low < 0 || high < low {
            return Err(NetworkError::Range { parameter: "link delay", low, high });
        }
        let word = config.line.word_period_fs as i64;
        let directions = topology.links().iter().map(|_| {
            let delay_ps = rng.random_range(low..=high);
            [(); 2].map(|()| Direction { delay_ps, word_phase_fs: rng.random_range(0..word) })
        });
        let directions: Vec<_> = directions.collect();
        let mut nodes = Vec::with_capacity(topology.devices().len());
        for kind in topology.devices() {
            nodes.push(make_node(*kind, &config, &mut rng)?);
        }
        if let Some(node) = nodes.get_mut(reference as usize) {
            node.source.set(rng.random());
        }
        Ok(Self {
            link_alive: vec![true; directions.len()],
            directions,
            topology,
            config,
            line,
            nodes,
            queue: BinaryHeap::new(),
            number: 0,
            now: 0,
            rng,
            reference,
            losses: Losses::default(),
            recorder: Recorder::default(),
            delivered: None,
        })
    }

    /// The fabric.
    #[must_use]
    pub const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Configuration.
    #[must_use]
    pub const fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// Simulated time, ps.
    #[must_use]
    pub const fn now(&self) -> i64 {
        self.now
    }

    /// Flits lost so far.
    #[must_use]
    pub const fn losses(&self) -> Losses {
        self.losses
    }

    /// How a device's time behaved.
    #[must_use]
    pub fn history(&self, device: DeviceId) -> NodeHistory {
        self.nodes.get(device as usize).map_or_else(NodeHistory::default, |node| node.history)
    }

    /// State of a device's servo; `None` for a device without.
    #[must_use]
    pub fn state(&self, device: DeviceId) -> Option<ServoState> {
        self.nodes.get(device as usize)?.servo.as_ref().map(Servo::state)
    }

    /// The device whose SyncTime counts as true from now on.
    pub fn set_reference(&mut self, device: DeviceId) {
        self.reference = device;
    }

    /// A link fails or comes back. It comes back with another latency, which raises LINK_EPOCH of both ports.
    pub fn set_link(&mut self, link: LinkId, alive: bool) {
        let Some(entry) = self.link_alive.get_mut(link as usize) else { return };
        *entry = alive;
        if alive {
            let shift = self.rng.random_range(0..self.config.line.word_period_fs as i64 / 1000);
            self.directions[link as usize].iter_mut().for_each(|direction| direction.delay_ps += shift);
            for end in self.topology.links()[link as usize] {
                let port = &mut self.nodes[end.device as usize].ports[usize::from(end.port)];
                port.link_epoch = port.link_epoch.wrapping_add(1);
            }
        }
    }

    /// A device fails: it takes and sends nothing any more.
    pub fn set_device(&mut self, device: DeviceId, alive: bool) {
        if let Some(node) = self.nodes.get_mut(device as usize) {
            node.alive = alive;
        }
    }

    /// A device's error against the reference now, in femtoseconds.
    #[must_use]
    pub fn error_fs(&self, device: DeviceId) -> i64 {
        self.error_at(device, self.now)
    }

    fn error_at(&self, device: DeviceId, t_ps: i64) -> i64 {
        let (slave, truth) = (&self.nodes[device as usize], &self.nodes[self.reference as usize]);
        let difference = signed(slave.time_at(t_ps).wrapping_sub(truth.time_at(t_ps)));
        ((difference * 1_000_000) >> 32).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Records the error of every recorded device now, if it is locked.
    pub fn probe(&mut self) {
        for device in self.recorder.devices() {
            if self.nodes[device as usize].is_locked() {
                let error = self.error_fs(device);
                self.recorder.add(device, self.now, error, false);
            }
        }
    }

    fn push(&mut self, time: i64, event: Event) {
        self.number += 1;
        self.queue.push(Reverse(Queued { time, number: self.number, event }));
    }

    /// Runs to a time in ps.
    pub fn run_until(&mut self, end: i64) {
        while let Some(Reverse(queued)) =
            self.queue.peek().copied().filter(|Reverse(queued)| queued.time <= end)
        {
            self.queue.pop();
            self.now = queued.time;
            match queued.event {
                Event::Generate(device) => self.generate(device),
                Event::Arrive(arrival) => self.arrive(&arrival),
            }
        }
        self.now = self.now.max(end);
    }

    /// Runs for so many generation periods.
    pub fn run_periods(&mut self, periods: u64) {
        let period_ns = (self.config.gen_period as i64) << GEN_PERIOD_SHIFT;
        self.run_until(self.now + periods as i64 * period_ns * 1000);
    }
}

fn make_node(kind: DeviceKind, config: &NetworkConfig, rng: &mut ChaCha8Rng) -> Result<Node, NetworkError> {
    let ppb = rng.random_range(-config.max_ppb.abs()..=config.max_ppb.abs());
    let ramp = config.ramp_ppt_per_s * if rng.random() { 1 } else { -1 };
    let period = config.line.core_period_fs;
    let error = RateError { ppb, ramp_ppt_per_s: ramp };
    let oscillator = Oscillator::new(period, rng.random_range(0..period), error)?;
    let inc_nom = increment(period);
    let source = TimeSource::new(inc_nom)?;
    let with_servo = matches!(kind, DeviceKind::Hfi) || config.switch_clocks;
    let servo =
        if with_servo { Some(Servo::new(ServoConfig::new(config.gen_period, inc_nom)?)) } else { None };
    let ports = match kind {
        DeviceKind::Hfi => 1,
        DeviceKind::Switch(shape) => shape.stops as usize,
    };
    Ok(Node::new(oscillator, source, servo, ports))
}
