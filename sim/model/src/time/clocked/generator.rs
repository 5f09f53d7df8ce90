//! `time_gen` clock by clock.

use crate::time::generator::{Generator, GeneratorBeat, GeneratorConfig};
use crate::time::source::Time96;
use crate::time::TimeConfigError;
use flitforge_protocol::time_servo::{GEN_CLOCKS, LAG_LOOK_AHEAD_CLOCKS, LOOK_AHEAD_CLOCKS};
use std::collections::VecDeque;

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GeneratorInputs {
    /// `clear`.
    pub clear: bool,
    /// GEN_EN.
    pub enable: bool,
    /// MSTR_CTL was written with GEN_EN = 1: the era to start with.
    pub start: Option<u8>,
    /// SET_CMD stepped SyncTime: the era rises.
    pub new_era: bool,
    /// SyncTime of this edge is the first after a step.
    pub stepped: bool,
    /// SyncTime of this edge.
    pub sync: Time96,
    /// SyncTime of the edge [`LOOK_AHEAD_CLOCKS`] later.
    pub look_ahead: Time96,
    /// tx lag of a flit taken [`LAG_LOOK_AHEAD_CLOCKS`] later, 1/256 ns.
    pub lag: i32,
    /// The link takes what is offered.
    pub ready: bool,
}

/// The block.
#[derive(Debug, Clone)]
pub struct ClockedGenerator {
    generator: Generator,
    /// Inputs on their way to the comparison, oldest first.
    due: VecDeque<GeneratorInputs>,
    look_ahead: VecDeque<Time96>,
    lags: VecDeque<i32>,
    /// `clear` was set at the edge before: SyncTime starts anew.
    cleared: bool,
}

impl ClockedGenerator {
    /// Disabled. An impossible configuration is refused.
    pub fn new(config: GeneratorConfig) -> Result<Self, TimeConfigError> {
        Ok(Self {
            generator: Generator::new(config)?,
            due: VecDeque::from(vec![GeneratorInputs::default(); GEN_CLOCKS - 1]),
            look_ahead: VecDeque::from(vec![0; LOOK_AHEAD_CLOCKS]),
            lags: VecDeque::from(vec![0; LAG_LOOK_AHEAD_CLOCKS]),
            cleared: false,
        })
    }

    /// The beat offered in this clock.
    #[must_use]
    pub fn outputs(&self) -> Option<GeneratorBeat> {
        let (sync, lag) = self.now();
        self.generator.clone().offer(sync, lag, false)
    }

    /// SyncTime and lag of plane X in this clock.
    fn now(&self) -> (Time96, i32) {
        (self.look_ahead.front().copied().unwrap_or(0), self.lags.front().copied().unwrap_or(0))
    }

    /// An edge.
    pub fn clock(&mut self, inputs: GeneratorInputs) {
        let (sync, lag) = self.now();
        self.generator.offer(sync, lag, inputs.ready);
        self.look_ahead.pop_front();
        self.look_ahead.push_back(inputs.look_ahead);
        self.lags.pop_front();
        self.lags.push_back(inputs.lag);
        let due = self.due.pop_front().unwrap_or_default();
        self.due.push_back(GeneratorInputs { stepped: inputs.stepped || self.cleared, ..inputs });
        if inputs.enable {
            self.follow(&due);
        } else {
            self.generator.stop();
            self.due.iter_mut().for_each(|due| {
                (due.start, due.new_era, due.stepped) = (None, false, false);
            });
        }
        if inputs.clear {
            self.generator.drop_pending();
        }
        self.cleared = inputs.clear;
    }

    fn follow(&mut self, due: &GeneratorInputs) {
        if due.stepped {
            self.generator.rearm();
        }
        if due.new_era {
            self.generator.stepped();
        }
        if let Some(era) = due.start {
            self.generator.start(era);
        }
        self.generator.trigger(due.sync);
    }
}
