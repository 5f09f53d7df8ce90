//! The synchronous, active-high `clear` of a block.

use super::random::{rng, Rng};
use super::testbench::Agent;
use super::{Coverage, StreamPorts};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use rand::Rng as _;
use std::ops::RangeInclusive;

/// The standard power-on protocol: `clear` is 1 for a number of clocks, then 0.
pub fn power_on(bench: &mut dyn Bench, clear: &str, clocks: u32) -> Result<(), SimError> {
    let clear = bench.port(clear)?;
    bench.set_u64(clear, 1);
    for _ in 0..clocks {
        bench.step()?;
    }
    bench.set_u64(clear, 0);
    bench.settle()
}

/// Drives `clear`: 1 for the first clocks, then now and then, and rather often while one of the watched
/// streams has an item waiting (a clear in mid-transfer).
pub struct ClearDriver {
    port: PortHandle,
    rng: Rng,
    power_on: u64,
    probability: f64,
    mid_transfer: f64,
    length: RangeInclusive<u32>,
    watched: Vec<StreamPorts>,
    waiting: Vec<bool>,
    left: u32,
    clears: u64,
    met_waiting: Vec<u64>,
}

impl ClearDriver {
    /// Clears the block for the first two clocks and never again.
    pub fn new(bench: &dyn Bench, clear: &str, seed: u64) -> Result<Self, SimError> {
        Ok(Self {
            port: bench.port(clear)?,
            rng: rng(seed, clear),
            power_on: 2,
            probability: 0.0,
            mid_transfer: 0.0,
            length: 1..=1,
            watched: vec![],
            waiting: vec![],
            left: 0,
            clears: 0,
            met_waiting: vec![],
        })
    }

    /// Clears for this many clocks at the start; 0 tests the power-on values.
    pub fn power_on(mut self, clocks: u64) -> Self {
        self.power_on = clocks;
        self
    }

    /// Clears at random, on each clock with this probability, for so many clocks.
    pub fn at_random(mut self, probability: f64, length: RangeInclusive<u32>) -> Self {
        self.probability = probability.clamp(0.0, 1.0);
        self.length = length;
        self
    }

    /// Clears with this probability on each clock while an item of the stream called `name` waits. May be
    /// given for several streams; the highest probability counts.
    pub fn in_mid_transfer(
        mut self,
        bench: &dyn Bench,
        name: &str,
        probability: f64,
    ) -> Result<Self, SimError> {
        self.watched.push(StreamPorts::find(bench, name)?);
        self.waiting.push(false);
        self.met_waiting.push(0);
        self.mid_transfer = self.mid_transfer.max(probability.clamp(0.0, 1.0));
        Ok(self)
    }
}

impl Agent for ClearDriver {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let waiting = self.waiting.contains(&true);
        let probability = if waiting { self.mid_transfer.max(self.probability) } else { self.probability };
        if self.left == 0 && probability > 0.0 && self.rng.random_bool(probability) {
            self.left = self.rng.random_range(self.length.clone()).max(1);
            self.clears += 1;
        }
        let clear = clock < self.power_on || self.left > 0;
        self.left = self.left.saturating_sub(1);
        bench.set_u64(self.port, u64::from(clear));
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let clear = bench.get_bit(self.port);
        for (index, stream) in self.watched.iter().enumerate() {
            let waits = bench.get_bit(stream.valid) && !stream.transfers(bench);
            self.met_waiting[index] += u64::from(waits && clear);
            self.waiting[index] = waits;
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add("clear.pulses", self.clears);
        for (stream, count) in self.watched.iter().zip(&self.met_waiting) {
            into.add(format!("clear.while_{}_waits", stream.name), *count);
        }
    }
}
