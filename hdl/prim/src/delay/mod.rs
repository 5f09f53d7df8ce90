//! `delay`: a value some clocks later; the number of clocks is chosen when the block is built.
//!
//! Latency 0 to [`Delay::MAX`] clocks, one value per clock, no enable. [`Delay`] has no clear: values in flight
//! come out; [`ClearedDelay`] has one. [`Delay::compact`] keeps them in LUT RAM, whose output is combinational,
//! [`Delay::in_block_ram`] in block RAM, from which they come later than from a register. Powers on with the type's default in every stage. Latency 0 is a wire.
//!
//! Not in the block language: how many stages there are is known when the block is built, and loops of the language have
//! constant ends. So the block makes its description itself.

mod block_ram;
mod cleared;
mod ring;

pub use cleared::ClearedDelay;
pub use ring::RingDelay;

use super::ast::{assign, read};
use crate::prelude::*;
use block_ram::BlockDelay;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use ring::RING_CLOCKS;

/// A value some clocks later; see the [module](self).
#[derive(LogicBlock, Clone, Debug, Default)]
pub struct Delay<T: Synth> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Value.
    pub d: Signal<In, T>,
    /// The value some clocks ago.
    pub q: Signal<Out, T>,
    stage: Vec<DFF<T>>,
    ring: Vec<RingDelay<T>>,
    block: Vec<BlockDelay<T>>,
}

impl<T: Synth> Delay<T> {
    /// Most clocks a delay can have.
    pub const MAX: u64 = 64;

    /// A delay of `clocks`.
    pub fn new(clocks: usize) -> Result<Self, ConfigError> {
        check_range("delay", "clocks", clocks as u64, 0, Self::MAX)?;
        Ok(Self { stage: (0..clocks).map(|_| DFF::default()).collect(), ..Default::default() })
    }

    /// The same in LUT RAM where that is smaller: from 3 clocks to 15. As [`Delay::new`] else.
    pub fn compact(clocks: usize) -> Result<Self, ConfigError> {
        if (3..=RING_CLOCKS).contains(&clocks) {
            return Ok(Self { ring: vec![RingDelay::new(clocks)?], ..Default::default() });
        }
        Self::new(clocks)
    }

    /// The same in block RAM: 2 to 16 clocks.
    pub fn in_block_ram(clocks: usize) -> Result<Self, ConfigError> {
        Ok(Self { block: vec![BlockDelay::new(clocks)?], ..Default::default() })
    }

    /// A register if `registered`, else a wire.
    pub fn register_if(registered: bool) -> Self {
        Self { stage: (0..usize::from(registered)).map(|_| DFF::default()).collect(), ..Default::default() }
    }

    /// The delay in clocks.
    pub fn clocks(&self) -> usize {
        let ring = self.ring.first().map(RingDelay::clocks);
        ring.or(self.block.first().map(BlockDelay::clocks)).unwrap_or(self.stage.len())
    }
}

impl<T: Synth> Logic for Delay<T> {
    fn update(&mut self) {
        if let Some(ring) = self.ring.first_mut() {
            ring.clock.next = self.clock.val();
            ring.d.next = self.d.val();
            self.q.next = ring.q.val();
            return;
        }
        if let Some(block) = self.block.first_mut() {
            block.clock.next = self.clock.val();
            block.d.next = self.d.val();
            self.q.next = block.q.val();
            return;
        }
        let mut value = self.d.val();
        for stage in &mut self.stage {
            stage.clock.next = self.clock.val();
            stage.d.next = value;
            value = stage.q.val();
        }
        self.q.next = value;
    }

    fn connect(&mut self) {
        self.q.connect();
        for stage in &mut self.stage {
            stage.clock.connect();
            stage.d.connect();
        }
        for ring in &mut self.ring {
            ring.clock.connect();
            ring.d.connect();
        }
        for block in &mut self.block {
            block.clock.connect();
            block.d.connect();
        }
    }

    fn hdl(&self) -> Verilog {
        let memory = [("ring[0]", self.ring.len()), ("block[0]", self.block.len())];
        if let Some((name, _)) = memory.into_iter().find(|(_, there)| *there > 0) {
            return Verilog::Combinatorial(vec![
                assign(&format!("{name}$clock"), read("clock")),
                assign(&format!("{name}$d"), read("d")),
                assign("q", read(&format!("{name}$q"))),
            ]);
        }
        let mut source = "d".to_string();
        let mut statements = vec![];
        for index in 0..self.stage.len() {
            statements.push(assign(&format!("stage[{index}]$clock"), read("clock")));
            statements.push(assign(&format!("stage[{index}]$d"), read(&source)));
            source = format!("stage[{index}]$q");
        }
        statements.push(assign("q", read(&source)));
        Verilog::Combinatorial(statements)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let name = match (self.ring.len(), self.block.len()) {
            (0, 0) => "delay",
            (_, 0) => "compact_delay",
            _ => "delay_in_block_ram",
        };
        block_label(name, &[("width", T::BITS.to_string()), ("clocks", self.clocks().to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue] Delay<T> { clock, d, q });
