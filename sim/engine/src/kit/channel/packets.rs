//! A network that loses, repeats, overtakes and delays packets.

use crate::kit::random::{rng, Rng};
use rand::Rng as _;
use std::ops::RangeInclusive;

/// What happens to packets; probabilities from 0.0 to 1.0.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketFaults {
    /// A packet vanishes.
    pub drop: f64,
    /// A packet arrives twice; both copies are delayed on their own.
    pub duplicate: f64,
    /// A packet may be overtaken: it waits [`late`](Self::late) longer. Others keep their order.
    pub reorder: f64,
    /// Extra steps of an overtaken packet.
    pub late: RangeInclusive<u64>,
    /// Steps from one end to the other.
    pub delay: RangeInclusive<u64>,
}

impl Default for PacketFaults {
    /// No fault, no delay.
    fn default() -> Self {
        Self { drop: 0.0, duplicate: 0.0, reorder: 0.0, late: 1..=16, delay: 0..=0 }
    }
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketCounts {
    /// Packets sent.
    pub sent: u64,
    /// Packets that vanished.
    pub dropped: u64,
    /// Packets that got a second copy.
    pub duplicated: u64,
    /// Packets that were held back.
    pub reordered: u64,
    /// Packets that arrived.
    pub arrived: u64,
}

/// A channel for packets of any kind. A step is whatever its user counts: clocks, words, events.
#[derive(Clone, Debug)]
pub struct PacketChannel<T> {
    faults: PacketFaults,
    rng: Rng,
    now: u64,
    /// Packets on the way: when they arrive, and the order among equals.
    flying: Vec<(u64, u64, T)>,
    order: u64,
    /// Latest arrival of a packet in order.
    latest: u64,
    counts: PacketCounts,
}

impl<T: Clone> PacketChannel<T> {
    /// An empty channel; `name` separates channels of one seed.
    pub fn new(faults: PacketFaults, seed: u64, name: &str) -> Self {
        let rng = rng(seed, name);
        Self { faults, rng, now: 0, flying: vec![], order: 0, latest: 0, counts: PacketCounts::default() }
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability.clamp(0.0, 1.0))
    }

    fn steps(&mut self, range: RangeInclusive<u64>) -> u64 {
        let (low, high) = range.into_inner();
        self.rng.random_range(low..=high.max(low))
    }

    /// Sends a packet.
    pub fn send(&mut self, packet: T) {
        self.counts.sent += 1;
        if self.chance(self.faults.drop) {
            self.counts.dropped += 1;
            return;
        }
        let twice = self.chance(self.faults.duplicate);
        self.counts.duplicated += u64::from(twice);
        if twice {
            self.launch(packet.clone());
        }
        self.launch(packet);
    }

    fn launch(&mut self, packet: T) {
        let delay = self.steps(self.faults.delay.clone());
        let arrival = if self.chance(self.faults.reorder) {
            self.counts.reordered += 1;
            self.latest.max(self.now + delay) + self.steps(self.faults.late.clone())
        } else {
            // In order: not before the one sent earlier.
            self.latest = self.latest.max(self.now + delay);
            self.latest
        };
        self.flying.push((arrival, self.order, packet));
        self.order += 1;
    }

    /// The packets that arrive in this step, in order; then the next step begins.
    pub fn step(&mut self) -> Vec<T> {
        let (mut here, flying): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.flying).into_iter().partition(|(arrival, _, _)| *arrival <= self.now);
        self.flying = flying;
        self.now += 1;
        self.counts.arrived += here.len() as u64;
        here.sort_by_key(|(arrival, order, _)| (*arrival, *order));
        here.into_iter().map(|(_, _, packet)| packet).collect()
    }

    /// Packets on the way.
    pub fn flying(&self) -> usize {
        self.flying.len()
    }

    /// What happened so far.
    pub fn counts(&self) -> PacketCounts {
        self.counts
    }
}
