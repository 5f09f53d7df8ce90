//! Whether a clock runs.

use super::LvdsConfig;
use crate::config::ConfigError;
use crate::prim::synchronizer::Synchronizer;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of the timer.
pub(super) const TIMER_BITS: usize = 10;

/// Says whether another clock runs: it must rise 8 times within `stopped_clocks` of the own clock. A clock that begins counts
/// within 16 of its own clocks. Powers on with `runs` low.
#[derive(LogicBlock)]
pub struct ClockWatch {
    /// Own clock.
    pub clock: Signal<In, Clock>,
    /// Clock that is watched.
    pub other: Signal<In, Clock>,
    /// It runs.
    pub runs: Signal<Out, Bit>,
    count: DFF<Bits<4>>,
    level: Synchronizer<2>,
    seen: DFF<Bit>,
    timer: Register<Bits<TIMER_BITS>>,
    limit: Constant<Bits<TIMER_BITS>>,
    one: Constant<Bits<TIMER_BITS>>,
    over: Signal<Local, Bit>,
}

impl ClockWatch {
    /// With the patience of `config`.
    pub fn new(config: &LvdsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let limit = Bits::from(config.stopped_clocks);
        Ok(Self {
            clock: Default::default(),
            other: Default::default(),
            runs: Default::default(),
            count: Default::default(),
            level: Synchronizer::new(false)?,
            seen: Default::default(),
            timer: Register::default(),
            limit: Constant::new(limit),
            one: Constant::new(1.into()),
            over: Default::default(),
        })
    }
}

impl Logic for ClockWatch {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.clock.next = self.other.val();
        self.count.d.next = self.count.q.val() + 1;
        clock!(self, clock, level, seen, timer);
        self.level.d.next = self.count.q.val().get_bit(3);
        self.seen.d.next = self.level.q.val();
        // The timer counts down to 0, where it stays: stopped.
        self.over.next = !self.timer.q.val().any();
        self.timer.clear.next = false;
        self.timer.enable.next = (self.level.q.val() != self.seen.q.val()) | !self.over.val();
        self.timer.d.next = self.timer.q.val() - self.one.val();
        if self.level.q.val() != self.seen.q.val() {
            self.timer.d.next = self.limit.val();
        }
        self.runs.next = !self.over.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("clock_watch", &[])
    }
}

drive_ports!(impl[] ClockWatch { clock, other, runs });
