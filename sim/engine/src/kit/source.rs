//! Drives a stream that enters the block.

use super::pace::{Pace, Pacer};
use super::random::{random_value, rng, Rng};
use super::scoreboard::SharedScoreboard;
use super::testbench::Agent;
use super::{Coverage, StreamPorts};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use flitforge_elaborate::Value;
use rand::Rng as _;

/// Makes the next item; `None` when there is none now.
pub(super) type Generator<'a> = Box<dyn FnMut(&mut Rng, u64) -> Option<Value> + 'a>;
/// Sees every transfer: the edge and the payload.
pub(super) type OnTransfer<'a> = Box<dyn FnMut(u64, &Value) -> Result<(), SimError> + 'a>;

/// Offers items to a stream input and holds each until it is taken. While it offers nothing, `data` is
/// random. On a clear it keeps or withdraws its offer, by chance.
pub struct StreamSource<'a> {
    ports: StreamPorts,
    ready: PortHandle,
    clear: Option<PortHandle>,
    rng: Rng,
    pacer: Pacer,
    generator: Generator<'a>,
    on_transfer: Vec<OnTransfer<'a>>,
    offered: Option<Value>,
    items: u64,
    transfers: u64,
    stalls: u64,
    withdrawn: u64,
}

impl<'a> StreamSource<'a> {
    /// Random items at a mixed pace for the stream called `name`. The input `clear`, if the block has one,
    /// is watched.
    pub fn new(bench: &dyn Bench, name: &str, seed: u64) -> Result<Self, SimError> {
        let (ports, ready) = StreamPorts::stream(bench, name, false)?;
        let width = ports.width;
        Ok(Self {
            rng: rng(seed, name),
            ports,
            ready,
            clear: bench.ports().get("clear"),
            pacer: Pacer::new(Pace::mixed()),
            generator: Box::new(move |rng, _| Some(random_value(rng, width))),
            on_transfer: vec![],
            offered: None,
            items: 0,
            transfers: 0,
            stalls: 0,
            withdrawn: 0,
        })
    }

    /// Sets how often items are offered.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pacer = Pacer::new(pace);
        self
    }

    /// Sets the items: called with the generator's random numbers and the number of items made so far.
    pub fn items(mut self, generator: impl FnMut(&mut Rng, u64) -> Option<Value> + 'a) -> Self {
        self.generator = Box::new(generator);
        self
    }

    /// Offers exactly these items.
    pub fn list(self, items: Vec<Value>) -> Self {
        self.items(move |_, number| items.get(number as usize).cloned())
    }

    /// Watches this clear input instead of `clear`.
    pub fn cleared_by(mut self, clear: PortHandle) -> Self {
        self.clear = Some(clear);
        self
    }

    /// Enters every transferred item into a scoreboard.
    pub fn feeding(self, board: &SharedScoreboard) -> Self {
        self.feeding_with(board, |value| Some(value.clone()))
    }

    /// Enters what the block is expected to make of every transferred item, if anything.
    pub fn feeding_with(
        self,
        board: &SharedScoreboard,
        mut expect: impl FnMut(&Value) -> Option<Value> + 'a,
    ) -> Self {
        let board = board.clone();
        self.on_transfer(move |clock, value| {
            if let Some(expected) = expect(value) {
                board.with(|board| board.push(clock, expected));
            }
            Ok(())
        })
    }

    /// Calls `action` on every transfer.
    pub fn on_transfer(mut self, action: impl FnMut(u64, &Value) -> Result<(), SimError> + 'a) -> Self {
        self.on_transfer.push(Box::new(action));
        self
    }
}

impl Agent for StreamSource<'_> {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.offered.is_none() && self.pacer.next(&mut self.rng) {
            self.offered = (self.generator)(&mut self.rng, self.items);
            self.items += u64::from(self.offered.is_some());
        }
        bench.set_u64(self.ports.valid, u64::from(self.offered.is_some()));
        match &self.offered {
            Some(item) => bench.set(self.ports.data, item),
            None => bench.set(self.ports.data, &random_value(&mut self.rng, self.ports.width)),
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let Some(item) = self.offered.take() else { return Ok(()) };
        if bench.get_bit(self.ready) {
            self.transfers += 1;
            for action in &mut self.on_transfer {
                action(clock, &item)?;
            }
            return Ok(());
        }
        self.stalls += 1;
        let cleared = self.clear.is_some_and(|clear| bench.get_bit(clear));
        if cleared && self.rng.random_bool(0.5) {
            self.withdrawn += 1;
        } else {
            self.offered = Some(item);
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.transfers", self.ports.name), self.transfers);
        into.add(format!("{}.stalls", self.ports.name), self.stalls);
        into.add(format!("{}.withdrawn_on_clear", self.ports.name), self.withdrawn);
    }
}
