//! Drives and watches flows: payload with `valid`, without back-pressure.

use super::pace::{Pace, Pacer};
use super::random::{random_value, rng, Rng};
use super::scoreboard::SharedScoreboard;
use super::source::{Generator, OnTransfer};
use super::testbench::Agent;
use super::{Coverage, StreamPorts};
use crate::bench::Bench;
use crate::error::SimError;
use flitforge_elaborate::Value;

/// Gives items to a flow input. While `valid` is 0, `data` is random.
pub struct FlowSource<'a> {
    ports: StreamPorts,
    rng: Rng,
    pacer: Pacer,
    generator: Generator<'a>,
    on_transfer: Vec<OnTransfer<'a>>,
    current: Option<Value>,
    items: u64,
}

impl<'a> FlowSource<'a> {
    /// Random items at a mixed pace for the flow called `name`.
    pub fn new(bench: &dyn Bench, name: &str, seed: u64) -> Result<Self, SimError> {
        let ports = StreamPorts::find(bench, name)?.directed(bench, false)?;
        let width = ports.width;
        Ok(Self {
            rng: rng(seed, name),
            ports,
            pacer: Pacer::new(Pace::mixed()),
            generator: Box::new(move |rng, _| Some(random_value(rng, width))),
            on_transfer: vec![],
            current: None,
            items: 0,
        })
    }

    /// Sets how often items are given.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pacer = Pacer::new(pace);
        self
    }

    /// Sets the items: called with the generator's random numbers and the number of items made so far.
    pub fn items(mut self, generator: impl FnMut(&mut Rng, u64) -> Option<Value> + 'a) -> Self {
        self.generator = Box::new(generator);
        self
    }

    /// Enters every item into a scoreboard.
    pub fn feeding(self, board: &SharedScoreboard) -> Self {
        let board = board.clone();
        self.on_transfer(move |clock, value| {
            board.with(|board| board.push(clock, value.clone()));
            Ok(())
        })
    }

    /// Calls `action` on every item.
    pub fn on_transfer(mut self, action: impl FnMut(u64, &Value) -> Result<(), SimError> + 'a) -> Self {
        self.on_transfer.push(Box::new(action));
        self
    }
}

impl Agent for FlowSource<'_> {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let active = self.pacer.next(&mut self.rng);
        self.current = if active { (self.generator)(&mut self.rng, self.items) } else { None };
        self.items += u64::from(self.current.is_some());
        bench.set_u64(self.ports.valid, u64::from(self.current.is_some()));
        match &self.current {
            Some(item) => bench.set(self.ports.data, item),
            None => bench.set(self.ports.data, &random_value(&mut self.rng, self.ports.width)),
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, _: &mut dyn Bench) -> Result<(), SimError> {
        match &self.current {
            Some(item) => self.on_transfer.iter_mut().try_for_each(|action| action(clock, item)),
            None => Ok(()),
        }
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.items", self.ports.name), self.items);
    }
}

/// Watches a flow that leaves the block.
pub struct FlowMonitor<'a> {
    ports: StreamPorts,
    on_transfer: Vec<OnTransfer<'a>>,
    throughput: super::Throughput,
}

impl<'a> FlowMonitor<'a> {
    /// A monitor of the flow called `name`.
    pub fn new(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let ports = StreamPorts::find(bench, name)?.directed(bench, true)?;
        Ok(Self { ports, on_transfer: vec![], throughput: super::Throughput::default() })
    }

    /// Checks every item against a scoreboard.
    pub fn checking(self, board: &SharedScoreboard) -> Self {
        let board = board.clone();
        self.on_transfer(move |clock, value| board.with(|board| board.check(clock, value)))
    }

    /// Calls `action` on every item.
    pub fn on_transfer(mut self, action: impl FnMut(u64, &Value) -> Result<(), SimError> + 'a) -> Self {
        self.on_transfer.push(Box::new(action));
        self
    }

    /// The monitor's item counter.
    pub fn throughput(&self) -> super::Throughput {
        self.throughput.clone()
    }
}

impl Agent for FlowMonitor<'_> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if !bench.get_bit(self.ports.valid) {
            return Ok(());
        }
        self.throughput.add(clock);
        let item = bench.get(self.ports.data);
        self.on_transfer.iter_mut().try_for_each(|action| action(clock, &item))
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.items", self.ports.name), self.throughput.transfers());
    }
}
