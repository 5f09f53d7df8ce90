//! `time_servo`, a digital phase-locked loop in integers (chapter 20, 4.9).

use super::slave::saturate;
use super::source::TimeSource;
use super::TimeConfigError;
use flitforge_protocol::time::{FINE_BITS, GEN_PERIOD_SHIFT};
use flitforge_protocol::time_servo::{
    ServoState, GAIN_SHIFT, HOLD_MAX_DEFAULT, HOLD_N_DEFAULT, INC_FRAC, KI, KP, KP_SHIFT,
    LEAST_PERIOD_CLOCKS, LOCK_N_DEFAULT, LOCK_THR_DEFAULT, MAX_INTEGRATED_PERIODS, OUTLIER_N_DEFAULT,
    THRESHOLD_DEFAULT,
};

/// Gains, thresholds and switches: GAIN, GAIN_ACQ, THR, LOCK_CFG, SERVO_CTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServoConfig {
    /// KP.
    pub kp: u32,
    /// KI.
    pub ki: u32,
    /// KACQ.
    pub kacq: u32,
    /// NCLK: core clocks of a generation period.
    pub nclk: u32,
    /// SLEW_N: core clocks a correction of phase takes, at most NCLK.
    pub slew_n: u32,
    /// STEP_THR, 1/256 ns.
    pub step_thr: u32,
    /// OUTLIER_THR, 1/256 ns.
    pub outlier_thr: u32,
    /// LOCK_THR, ns.
    pub lock_thr: u16,
    /// LOCK_N.
    pub lock_n: u8,
    /// OUTLIER_N.
    pub outlier_n: u8,
    /// HOLD_N, periods.
    pub hold_n: u8,
    /// HOLD_MAX, periods.
    pub hold_max: u32,
    /// EN.
    pub enabled: bool,
    /// STEP_EN.
    pub step_en: bool,
    /// FREEZE: software sets F_ACC and slew.
    pub freeze: bool,
}

/// `round(gain * 2^40 / clocks)`.
const fn gain(fraction: (u64, u64), clocks: u64) -> u64 {
    let (above, below) = (fraction.0 << GAIN_SHIFT, fraction.1 * clocks);
    (above + below / 2) / below
}

impl ServoConfig {
    /// The chapter's defaults for a period of `gen_period` units of 2^20 ns and a core clock of `inc_nom` 2^-32 ns.
    /// A period without clocks, or too short for the gains, is refused.
    pub fn new(gen_period: u64, inc_nom: u64) -> Result<Self, TimeConfigError> {
        let period = u128::from(gen_period) << (GEN_PERIOD_SHIFT as usize + INC_FRAC);
        let nclk = period.checked_div(inc_nom.into()).and_then(|clocks| u32::try_from(clocks).ok());
        let nclk = nclk.filter(|clocks| gain((1, 1), u64::from(*clocks).max(1) / 2 + 1) <= u32::MAX.into());
        let Some(nclk) = nclk.filter(|clocks| *clocks >= 2) else {
            let expected = "a period of 512 to 2^32-1 core clocks, so that clocks and gains fit 32 bits";
            return Err(TimeConfigError::new("GEN_PERIOD", gen_period, expected));
        };
        let slew_n = nclk / 2;
        Ok(Self {
            kp: gain(KP, slew_n.into()) as u32,
            ki: gain(KI, nclk.into()) as u32,
            kacq: gain((1, 1), nclk.into()) as u32,
            nclk,
            slew_n,
            step_thr: THRESHOLD_DEFAULT,
            outlier_thr: THRESHOLD_DEFAULT,
            lock_thr: LOCK_THR_DEFAULT,
            lock_n: LOCK_N_DEFAULT,
            outlier_n: OUTLIER_N_DEFAULT,
            hold_n: HOLD_N_DEFAULT,
            hold_max: HOLD_MAX_DEFAULT,
            enabled: true,
            step_en: true,
            freeze: false,
        })
    }
}

/// What a sample or the time without one changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServoEvents {
    /// ACQ to TRACK.
    pub lock: bool,
    /// TRACK to HOLDOVER.
    pub holdover: bool,
    /// HOLDOVER to INVALID.
    pub invalid: bool,
    /// OUTLIER_N outliers of equal sign in a row.
    pub outlier_run: bool,
}

/// What a sample makes the servo do to its `time_source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServoActions {
    /// SyncTime is stepped by the whole difference.
    pub step: bool,
    /// To be added to F_ACC, 2^-48 ns per clock.
    pub f_move: Option<i64>,
    /// SLEW_P for SLEW_N clocks, before it is clamped.
    pub slew: Option<i64>,
}

/// The servo of one SyncTime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Servo {
    config: ServoConfig,
    state: ServoState,
    locked_samples: u8,
    outliers_in_row: i16,
    outliers: u32,
    last_error: i32,
    silent_clocks: u64,
}

impl Servo {
    /// In FREE.
    #[must_use]
    pub const fn new(config: ServoConfig) -> Self {
        Self {
            config,
            state: ServoState::Free,
            locked_samples: 0,
            outliers_in_row: 0,
            outliers: 0,
            last_error: 0,
            silent_clocks: 0,
        }
    }

    /// `clear`: FREE. Configuration and the counter stay.
    pub fn clear(&mut self) {
        let outliers = self.outliers;
        *self = Self { outliers, ..Self::new(self.config) };
    }

    /// State.
    #[must_use]
    pub const fn state(&self) -> ServoState {
        self.state
    }

    /// Configuration; FREEZE, EN and STEP_EN may change at run time.
    pub fn config_mut(&mut self) -> &mut ServoConfig {
        &mut self.config
    }

    /// Configuration.
    #[must_use]
    pub const fn config(&self) -> &ServoConfig {
        &self.config
    }

    /// OUTLIER.
    #[must_use]
    pub const fn outliers(&self) -> u32 {
        self.outliers
    }

    /// Last phase error, 1/256 ns.
    #[must_use]
    pub const fn last_error(&self) -> i32 {
        self.last_error
    }

    /// Core clocks since the last used sample.
    #[must_use]
    pub const fn silent_clocks(&self) -> u64 {
        self.silent_clocks
    }

    /// `clocks` core clocks went by without a sample.
    pub fn elapse(&mut self, clocks: u64) -> ServoEvents {
        self.wait(clocks);
        let first = self.expire();
        let second = self.expire();
        ServoEvents {
            holdover: first.holdover,
            invalid: first.invalid || second.invalid,
            ..ServoEvents::default()
        }
    }

    /// Counts clocks without a sample; no state changes.
    pub fn wait(&mut self, clocks: u64) {
        self.silent_clocks = self.silent_clocks.saturating_add(clocks);
    }

    /// True if HOLD_N or HOLD_MAX ran out in this state.
    #[must_use]
    pub fn expired(&self) -> bool {
        let periods = self.silent_clocks / (2 * self.half_period());
        let hold = u64::from(self.config.hold_n);
        match self.state {
            ServoState::Track => periods >= hold,
            ServoState::Holdover => periods >= hold + u64::from(self.config.hold_max),
            _ => false,
        }
    }

    /// The next state of TRACK or HOLDOVER, if its time ran out.
    pub fn expire(&mut self) -> ServoEvents {
        let mut events = ServoEvents::default();
        match self.state {
            _ if !self.expired() => {}
            ServoState::Track => (self.state, events.holdover) = (ServoState::Holdover, true),
            _ => (self.state, events.invalid) = (ServoState::Invalid, true),
        }
        events
    }

    /// A usable sample: V + ClockOffset - SyncTime in 1/256 ns. `changed_tree` is true for the first sample after another tree was
    /// followed (4.7 rule 6).
    pub fn sample(&mut self, source: &mut TimeSource, difference: i128, changed_tree: bool) -> ServoEvents {
        let error = saturate(difference);
        self.last_error = error;
        let (actions, events) = self.decide(error, changed_tree, self.periods());
        if let Some(slew) = actions.slew {
            source.write_slew(slew, self.config.slew_n);
        }
        if let Some(moved) = actions.f_move {
            source.write_f_acc(source.f_acc().saturating_add(moved));
        }
        if actions.step {
            source.step(difference << (INC_FRAC - FINE_BITS));
        }
        events
    }

    /// Half a period in core clocks: NCLK / 2, at least 5. Periods are counted as two halves, so an odd NCLK counts as
    /// the even number below.
    const fn half_period(&self) -> u64 {
        let half = self.config.nclk as u64 / 2;
        if half < LEAST_PERIOD_CLOCKS / 2 {
            LEAST_PERIOD_CLOCKS / 2
        } else {
            half
        }
    }

    /// n: periods since the last used sample, rounded.
    #[must_use]
    pub const fn periods(&self) -> u64 {
        (self.silent_clocks / self.half_period()).div_ceil(2)
    }

    /// What a sample of this phase error leads to, `periods` periods after the last used one. SyncTime is not touched.
    pub fn decide(&mut self, error: i32, changed_tree: bool, periods: u64) -> (ServoActions, ServoEvents) {
        if !self.config.enabled || self.config.freeze {
            return Default::default();
        }
        match self.state {
            ServoState::Free => (self.first(), ServoEvents::default()),
            ServoState::Acquire => self.acquire(error, periods),
            ServoState::Track | ServoState::Holdover | ServoState::Invalid => {
                self.track(error, changed_tree, periods)
            }
        }
    }

    fn first(&mut self) -> ServoActions {
        (self.state, self.locked_samples, self.silent_clocks) = (ServoState::Acquire, 0, 0);
        ServoActions { step: self.config.step_en, ..ServoActions::default() }
    }

    fn acquire(&mut self, error: i32, periods: u64) -> (ServoActions, ServoEvents) {
        let moved = i64::from(error) * i64::from(self.config.kacq);
        let integrated = periods.is_power_of_two() && periods <= MAX_INTEGRATED_PERIODS;
        let f_move = integrated.then(|| moved >> periods.trailing_zeros());
        self.silent_clocks = 0;
        let inside = error.unsigned_abs() <= u32::from(self.config.lock_thr) << FINE_BITS;
        self.locked_samples = if inside { self.locked_samples.saturating_add(1) } else { 0 };
        let lock = inside && self.locked_samples >= self.config.lock_n;
        if lock {
            (self.state, self.outliers_in_row) = (ServoState::Track, 0);
        }
        let actions = ServoActions { step: self.config.step_en, f_move, slew: None };
        (actions, ServoEvents { lock, ..ServoEvents::default() })
    }

    fn track(&mut self, error: i32, changed_tree: bool, periods: u64) -> (ServoActions, ServoEvents) {
        if changed_tree && error.unsigned_abs() > self.config.step_thr && self.config.step_en {
            return (self.first(), ServoEvents::default());
        }
        if error.unsigned_abs() > self.config.outlier_thr {
            return (ServoActions::default(), self.outlier(error));
        }
        self.outliers_in_row = 0;
        let slew = (i64::from(error) * i64::from(self.config.kp)) >> KP_SHIFT;
        let integrated = periods <= MAX_INTEGRATED_PERIODS;
        let f_move = integrated.then(|| i64::from(error) * i64::from(self.config.ki));
        (self.state, self.silent_clocks) = (ServoState::Track, 0);
        (ServoActions { step: false, f_move, slew: Some(slew) }, ServoEvents::default())
    }

    fn outlier(&mut self, error: i32) -> ServoEvents {
        self.outliers = self.outliers.saturating_add(1);
        let sign = error.signum() as i16;
        let same = self.outliers_in_row.signum() == sign;
        self.outliers_in_row = if same { self.outliers_in_row + sign } else { sign };
        let run = self.outliers_in_row.unsigned_abs() >= u16::from(self.config.outlier_n);
        if run {
            self.outliers_in_row = 0;
            if self.config.step_en {
                (self.state, self.locked_samples) = (ServoState::Acquire, 0);
            }
        }
        ServoEvents { outlier_run: run, ..ServoEvents::default() }
    }
}
