//! Takes a stream that leaves the block.

use super::pace::{Pace, Pacer};
use super::random::{rng, Rng};
use super::scoreboard::SharedScoreboard;
use super::source::OnTransfer;
use super::testbench::Agent;
use super::{Coverage, StreamPorts};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use std::cell::Cell;
use std::rc::Rc;

/// Transfers of a stream over time, readable while the simulation runs.
#[derive(Clone, Debug, Default)]
pub struct Throughput {
    counts: Rc<Cell<Counts>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    transfers: u64,
    first: u64,
    last: u64,
}

impl Throughput {
    /// Counts a transfer on edge `clock`.
    pub fn add(&self, clock: u64) {
        let mut counts = self.counts.get();
        if counts.transfers == 0 {
            counts.first = clock;
        }
        counts.last = clock;
        counts.transfers += 1;
        self.counts.set(counts);
    }

    /// Transfers so far.
    pub fn transfers(&self) -> u64 {
        self.counts.get().transfers
    }

    /// Edge of the first transfer, if there was one.
    pub fn first(&self) -> Option<u64> {
        let counts = self.counts.get();
        (counts.transfers > 0).then_some(counts.first)
    }

    /// Transfers per clock from the first to the last transfer, both included; 0 without transfers.
    pub fn per_clock(&self) -> f64 {
        let counts = self.counts.get();
        if counts.transfers == 0 {
            0.0
        } else {
            counts.transfers as f64 / (counts.last - counts.first + 1) as f64
        }
    }
}

/// Takes items from a stream output. Its `ready` comes and goes regardless of `valid`.
pub struct StreamSink<'a> {
    ports: StreamPorts,
    ready: PortHandle,
    rng: Rng,
    pacer: Pacer,
    on_transfer: Vec<OnTransfer<'a>>,
    throughput: Throughput,
    stalls: u64,
    idle: u64,
}

impl<'a> StreamSink<'a> {
    /// A sink at a mixed pace for the stream called `name`.
    pub fn new(bench: &dyn Bench, name: &str, seed: u64) -> Result<Self, SimError> {
        let (ports, ready) = StreamPorts::stream(bench, name, true)?;
        Ok(Self {
            rng: rng(seed, name),
            ports,
            ready,
            pacer: Pacer::new(Pace::mixed()),
            on_transfer: vec![],
            throughput: Throughput::default(),
            stalls: 0,
            idle: 0,
        })
    }

    /// Sets how often the sink is ready.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pacer = Pacer::new(pace);
        self
    }

    /// Checks every transferred item against a scoreboard.
    pub fn checking(self, board: &SharedScoreboard) -> Self {
        let board = board.clone();
        self.on_transfer(move |clock, value| board.with(|board| board.check(clock, value)))
    }

    /// Calls `action` on every transfer.
    pub fn on_transfer(
        mut self,
        action: impl FnMut(u64, &flitforge_elaborate::Value) -> Result<(), SimError> + 'a,
    ) -> Self {
        self.on_transfer.push(Box::new(action));
        self
    }

    /// The sink's transfer counter.
    pub fn throughput(&self) -> Throughput {
        self.throughput.clone()
    }
}

impl Agent for StreamSink<'_> {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let ready = self.pacer.next(&mut self.rng);
        bench.set_u64(self.ready, u64::from(ready));
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        match (bench.get_bit(self.ports.valid), bench.get_bit(self.ready)) {
            (true, true) => {
                self.throughput.add(clock);
                if self.on_transfer.is_empty() {
                    return Ok(());
                }
                let item = bench.get(self.ports.data);
                self.on_transfer.iter_mut().try_for_each(|action| action(clock, &item))?;
            }
            (true, false) => self.stalls += 1,
            (false, _) => self.idle += 1,
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.transfers", self.ports.name), self.throughput.transfers());
        into.add(format!("{}.stalls", self.ports.name), self.stalls);
        into.add(format!("{}.idle", self.ports.name), self.idle);
    }
}
