//! `time_source` clock by clock.

use super::Adjust;
use crate::time::source::{Time96, TimeSource};
use crate::time::TimeConfigError;
use flitforge_protocol::time_servo::{
    FINE_STEP_SHIFT, F_ACC_BITS, INC_FRAC, KP_SHIFT, LOOK_AHEAD_CLOCKS, SLEW_P_BITS, SOURCE_CHANGE_CLOCKS,
    SOURCE_CLOCKS,
};
use std::collections::VecDeque;

/// A change by a register write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceWrite {
    /// INC_NOM.
    IncNom(u64),
    /// LIMITS: F_LIMIT and SLEW_LIMIT.
    Limits(u32, u32),
    /// F_ACC: bits of the register.
    FAcc(u64),
    /// SLEW_P: bits of the register.
    SlewP(u64),
    /// SLEW_CNT: clocks left.
    SlewCnt(u32),
    /// SET_CMD set: SyncTime in ns.
    Set(u64),
    /// SET_CMD add: signed ns.
    Add(i64),
    /// A code without meaning.
    Nothing,
}

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceInputs {
    /// `clear`.
    pub clear: bool,
    /// A register write that is offered.
    pub write: Option<SourceWrite>,
    /// The servo steps by this many 1/256 ns.
    pub step: Option<i128>,
    /// The servo changes the rate.
    pub adjust: Option<Adjust>,
    /// SLEW_N.
    pub slew_n: u32,
    /// LOCAL_TIME is read: the shadow set is loaded.
    pub read: bool,
}

/// Outputs before an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceOutputs {
    /// A write that is offered is taken (not while `clear`).
    pub ready: bool,
    /// LocalTime.
    pub local: Time96,
    /// SyncTime.
    pub sync: Time96,
    /// SyncTime of the edge [`LOOK_AHEAD_CLOCKS`] later.
    pub look_ahead: Time96,
    /// SYNC_EPOCH.
    pub epoch: u8,
    /// `sync` is the first after a step.
    pub stepped: bool,
    /// WPER of the registers [`RATE_CLOCKS`] before.
    pub wper: u32,
    /// A value was clamped.
    pub clamped: bool,
    /// A write was refused.
    pub refused: bool,
    /// Shadow set: LocalTime, SyncTime, SYNC_EPOCH.
    pub shadow: (Time96, Time96, u8),
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Write(SourceWrite),
    Step(i128),
    Adjust(Adjust),
    ClampFrequency,
    ClampSlew,
}

/// The block.
#[derive(Debug, Clone)]
pub struct ClockedSource {
    source: TimeSource,
    /// The change that is worked on and the clocks since its start.
    change: Option<(Change, u64)>,
    step: Option<i128>,
    adjust: Option<Adjust>,
    /// LocalTime, SyncTime and SYNC_EPOCH, newest first.
    history: VecDeque<(Time96, Time96, u8)>,
    /// WPER on its way to the output.
    wper: VecDeque<u32>,
    outputs: SourceOutputs,
}

/// Clocks from the registers to the rate that is added.
const RATE_CLOCKS: usize = 2;
/// Clock of a change whose edge writes the registers.
const WRITE_CLOCK: u64 = SOURCE_CHANGE_CLOCKS - 2;

impl ClockedSource {
    /// At power-on, with the default limits.
    pub fn new(inc_nom: u64) -> Result<Self, TimeConfigError> {
        Ok(Self {
            source: TimeSource::new(inc_nom)?,
            change: None,
            step: None,
            adjust: None,
            history: VecDeque::from(vec![(0, 0, 0); SOURCE_CLOCKS]),
            wper: VecDeque::from(vec![0; RATE_CLOCKS - 1]),
            outputs: SourceOutputs {
                ready: true,
                local: 0,
                sync: 0,
                look_ahead: 0,
                epoch: 0,
                stepped: false,
                wper: 0,
                clamped: false,
                refused: false,
                shadow: (0, 0, 0),
            },
        })
    }

    /// The registers.
    #[must_use]
    pub const fn outputs(&self) -> SourceOutputs {
        self.outputs
    }

    /// The model behind it: INC_NOM, limits, F_ACC, SLEW_P and SLEW_CNT show at once.
    #[must_use]
    pub const fn source(&self) -> &TimeSource {
        &self.source
    }

    /// An edge.
    pub fn clock(&mut self, inputs: SourceInputs) {
        if inputs.read {
            self.outputs.shadow = (self.outputs.local, self.outputs.sync, self.outputs.epoch);
        }
        let write = inputs.write.filter(|_| self.outputs.ready && !inputs.clear);
        if self.change.is_none() {
            self.change = self.next(write).map(|change| (change, 0));
        }
        self.begin();
        self.wper.push_back(self.source.wper());
        self.outputs.wper = self.wper.pop_front().unwrap_or(0);
        self.source.clock();
        self.write(inputs.slew_n);
        self.step = inputs.step.or(self.step);
        self.adjust = inputs.adjust.or(self.adjust);
        if inputs.clear {
            self.source.clear();
            (self.change, self.step, self.adjust) = (None, None, None);
            self.history.iter_mut().for_each(|entry| *entry = (0, 0, 0));
            self.wper.iter_mut().for_each(|entry| *entry = 0);
            self.outputs.wper = 0;
            (self.outputs.clamped, self.outputs.refused) = (false, false);
        }
        self.show(inputs.clear);
    }

    /// A step of the servo goes before its change of the rate, that before a write.
    fn next(&mut self, write: Option<SourceWrite>) -> Option<Change> {
        if let Some(step) = self.step.take() {
            return Some(Change::Step(step));
        }
        if let Some(adjust) = self.adjust.take() {
            return Some(Change::Adjust(adjust));
        }
        write.map(Change::Write)
    }

    /// Steps happen with the edge that starts them; `history` delays what is seen.
    fn begin(&mut self) {
        let Some((change, 0)) = self.change else { return };
        match change {
            Change::Step(difference) => self.source.step(difference << FINE_STEP_SHIFT),
            Change::Write(SourceWrite::Set(nanoseconds)) => self.source.set(nanoseconds),
            Change::Write(SourceWrite::Add(nanoseconds)) => {
                self.source.step(i128::from(nanoseconds) << INC_FRAC);
            }
            _ => {}
        }
    }

    fn write(&mut self, slew_n: u32) {
        let counters = self.source.counters();
        if let Some((change, age)) = &mut self.change {
            let (change, now) = (*change, *age);
            *age += 1;
            if now == WRITE_CLOCK {
                let refused = !apply(&mut self.source, change, slew_n);
                if refused {
                    self.change = self.change.map(|(_, age)| (Change::Write(SourceWrite::Nothing), age));
                }
            }
            if now == WRITE_CLOCK + 1 {
                self.change = following(change).map(|change| (change, 1));
            }
        }
        let after = self.source.counters();
        (self.outputs.clamped, self.outputs.refused) = (after.1 != counters.1, after.2 != counters.2);
    }

    fn show(&mut self, cleared: bool) {
        self.history.push_front((self.source.local(), self.source.sync(), self.source.epoch()));
        self.history.truncate(SOURCE_CLOCKS + 1);
        let at = |clocks: usize| self.history.get(clocks).copied().unwrap_or_default();
        let epoch = self.outputs.epoch;
        (self.outputs.local, self.outputs.sync, self.outputs.epoch) = at(SOURCE_CLOCKS);
        self.outputs.look_ahead = at(SOURCE_CLOCKS - LOOK_AHEAD_CLOCKS).1;
        self.outputs.stepped = !cleared && self.outputs.epoch == epoch.wrapping_add(1);
        self.outputs.ready = self.change.is_none() && self.step.is_none() && self.adjust.is_none();
    }
}

/// New limits clamp what is there, one after the other.
const fn following(change: Change) -> Option<Change> {
    match change {
        Change::Write(SourceWrite::Limits(..)) => Some(Change::ClampFrequency),
        Change::ClampFrequency => Some(Change::ClampSlew),
        _ => None,
    }
}

/// False if it was refused.
fn apply(source: &mut TimeSource, change: Change, slew_n: u32) -> bool {
    let (_, left) = source.slew();
    match change {
        Change::Write(SourceWrite::IncNom(value)) => return source.write_inc_nom(value).is_ok(),
        Change::Write(SourceWrite::Limits(f, slew)) => {
            return source.accept_limits(f.into(), slew.into()).is_ok()
        }
        Change::Write(SourceWrite::FAcc(bits)) => source.write_f_acc(signed(bits, F_ACC_BITS)),
        Change::Write(SourceWrite::SlewP(bits)) => source.write_slew(signed(bits, SLEW_P_BITS), left),
        Change::Write(SourceWrite::SlewCnt(clocks)) => source.write_slew(source.slew().0, clocks),
        Change::Adjust(Adjust::Frequency(moved)) => {
            source.write_f_acc(source.f_acc().saturating_add(moved));
        }
        Change::Adjust(Adjust::Slew(slew)) => {
            source.write_slew(signed(slew as u64, u64::BITS as usize - KP_SHIFT as usize), slew_n);
        }
        Change::ClampFrequency => source.clamp_f_acc(),
        Change::ClampSlew => source.clamp_slew(),
        _ => {}
    }
    true
}

const fn signed(bits: u64, width: usize) -> i64 {
    let unused = 64 - width as u32;
    ((bits << unused) as i64) >> unused
}
