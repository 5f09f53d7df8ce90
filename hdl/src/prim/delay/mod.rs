//! `delay`: a value some clocks later; the number of clocks is chosen when the block is built.
//!
//! Latency 0 to [`Delay::MAX`] clocks, one value per clock, no enable. [`Delay`] has no clear: values in flight
//! come out; [`ClearedDelay`] has one. [`Delay::compact`] keeps them in LUT RAM, whose output is combinational. Powers on with the type's default in every stage. Latency 0 is a wire.

mod cleared;
mod ring;

pub use cleared::ClearedDelay;
pub use ring::RingDelay;

use super::ast::{assign, read};
use crate::config::{check_range, ConfigError};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use ring::RING_CLOCKS;
use rust_hdl::prelude::*;

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

    /// A register if `registered`, else a wire.
    pub fn register_if(registered: bool) -> Self {
        Self { stage: (0..usize::from(registered)).map(|_| DFF::default()).collect(), ..Default::default() }
    }

    /// The delay in clocks.
    pub fn clocks(&self) -> usize {
        self.ring.first().map_or(self.stage.len(), RingDelay::clocks)
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
    }

    fn hdl(&self) -> Verilog {
        if !self.ring.is_empty() {
            return Verilog::Combinatorial(vec![
                assign("ring[0]$clock", read("clock")),
                assign("ring[0]$d", read("d")),
                assign("q", read("ring[0]$q")),
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
        let name = if self.ring.is_empty() { "delay" } else { "compact_delay" };
        block_label(name, &[("width", T::BITS.to_string()), ("clocks", self.clocks().to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue] Delay<T> { clock, d, q });
