//! A delay whose stages can be cleared.
//!
//! Not in the block language: see [`Delay`].

use super::Delay;
use crate::ast::{assign, number, read};
use crate::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;

/// As [`Delay`], but `clear` puts the type's default into every stage: nothing in flight comes out after it.
#[derive(LogicBlock, Clone, Debug, Default)]
pub struct ClearedDelay<T: Synth> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Empties every stage.
    pub clear: Signal<In, Bit>,
    /// Value.
    pub d: Signal<In, T>,
    /// The value some clocks ago.
    pub q: Signal<Out, T>,
    stage: Vec<Register<T>>,
}

impl<T: Synth> ClearedDelay<T> {
    /// A delay of `clocks`.
    pub fn new(clocks: usize) -> Result<Self, ConfigError> {
        check_range("cleared_delay", "clocks", clocks as u64, 0, Delay::<T>::MAX)?;
        Ok(Self { stage: (0..clocks).map(|_| Register::default()).collect(), ..Default::default() })
    }
}

impl<T: Synth> Logic for ClearedDelay<T> {
    fn update(&mut self) {
        let mut value = self.d.val();
        for stage in &mut self.stage {
            stage.clock.next = self.clock.val();
            stage.clear.next = self.clear.val();
            stage.enable.next = true;
            stage.d.next = value;
            value = stage.q.val();
        }
        self.q.next = value;
    }

    fn connect(&mut self) {
        self.q.connect();
        for stage in &mut self.stage {
            stage.clock.connect();
            stage.clear.connect();
            stage.enable.connect();
            stage.d.connect();
        }
    }

    fn hdl(&self) -> Verilog {
        let mut source = "d".to_string();
        let mut statements = vec![];
        for index in 0..self.stage.len() {
            statements.push(assign(&format!("stage[{index}]$clock"), read("clock")));
            statements.push(assign(&format!("stage[{index}]$clear"), read("clear")));
            statements.push(assign(&format!("stage[{index}]$enable"), number(1)));
            statements.push(assign(&format!("stage[{index}]$d"), read(&source)));
            source = format!("stage[{index}]$q");
        }
        statements.push(assign("q", read(&source)));
        Verilog::Combinatorial(statements)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let clocks = self.stage.len().to_string();
        block_label("cleared_delay", &[("width", T::BITS.to_string()), ("clocks", clocks)])
    }
}

drive_ports!(impl[T: Synth + FromValue] ClearedDelay<T> { clock, clear, d, q });
