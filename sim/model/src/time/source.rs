//! The counters LocalTime and SyncTime (chapter 20, 4.1).

use super::config::check_limits;
use super::TimeConfigError;
use flitforge_protocol::time_servo::{
    F_ACC_FRAC, INC_FRAC, LIMIT_SHIFT, PERIOD_BITS, PERIOD_FRAC, TIME_BITS,
};

/// A time of 64.32 bits in 2^-32 ns, modulo 2^96.
pub type Time96 = u128;

const MASK: u128 = (1 << (TIME_BITS + INC_FRAC)) - 1;
const F_ACC_SHIFT: usize = F_ACC_FRAC - INC_FRAC;

/// `time_source`: two 96-bit counters of one core clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeSource {
    inc_nom: u64,
    limits: (u64, u64),
    f_acc: i64,
    slew_p: i64,
    slew_cnt: u32,
    local: Time96,
    sync: Time96,
    epoch: u8,
    steps: u32,
    clamps: u32,
    refused: u32,
}

impl TimeSource {
    /// At power-on, with the default limits of INC_NOM / 2^11.
    pub fn new(inc_nom: u64) -> Result<Self, TimeConfigError> {
        let limit = inc_nom >> LIMIT_SHIFT;
        check_limits(inc_nom, limit, limit)?;
        Ok(Self {
            inc_nom,
            limits: (limit, limit),
            f_acc: 0,
            slew_p: 0,
            slew_cnt: 0,
            local: 0,
            sync: 0,
            epoch: 0,
            steps: 0,
            clamps: 0,
            refused: 0,
        })
    }

    /// `clear`: counters of time, F_ACC and epoch to 0; configuration and event counters stay.
    pub fn clear(&mut self) {
        (self.local, self.sync, self.f_acc, self.slew_p, self.slew_cnt, self.epoch) = (0, 0, 0, 0, 0, 0);
    }

    /// INC_NOM + F_ACC as 6.32: the rate without slew. Link delays are measured with it (4.8 rule 1).
    #[must_use]
    pub const fn inc_f(&self) -> u64 {
        (self.inc_nom as i64 + (self.f_acc >> F_ACC_SHIFT)) as u64
    }

    /// INC_EFF of the coming clock.
    #[must_use]
    pub const fn inc_eff(&self) -> u64 {
        let slew = if self.slew_cnt > 0 { self.slew_p } else { 0 };
        (self.inc_f() as i64 + slew) as u64
    }

    /// WPER: INC_EFF\[37:12\], 6.20 ns.
    #[must_use]
    pub const fn wper(&self) -> u32 {
        (self.inc_eff() >> (INC_FRAC - PERIOD_FRAC) & ((1 << PERIOD_BITS) - 1)) as u32
    }

    /// One core clock.
    pub fn clock(&mut self) {
        self.local = (self.local + u128::from(self.inc_nom)) & MASK;
        self.sync = (self.sync + u128::from(self.inc_eff())) & MASK;
        self.slew_cnt = self.slew_cnt.saturating_sub(1);
    }

    /// `clocks` core clocks at once: the same as so many calls of [`TimeSource::clock`].
    pub fn advance(&mut self, clocks: u64) {
        let slewed = clocks.min(self.slew_cnt.into());
        self.local = (self.local + u128::from(clocks) * u128::from(self.inc_nom)) & MASK;
        self.sync = self.sync_after(clocks);
        self.slew_cnt -= slewed as u32;
    }

    /// SyncTime `clocks` core clocks ahead if nothing is written until then.
    #[must_use]
    pub fn sync_after(&self, clocks: u64) -> Time96 {
        let slewed = i128::from(clocks.min(self.slew_cnt.into()));
        let gained = i128::from(clocks) * i128::from(self.inc_f()) + slewed * i128::from(self.slew_p);
        self.sync.wrapping_add(gained as u128) & MASK
    }

    /// LocalTime.
    #[must_use]
    pub const fn local(&self) -> Time96 {
        self.local
    }

    /// SyncTime.
    #[must_use]
    pub const fn sync(&self) -> Time96 {
        self.sync
    }

    /// `fabric_time`: SyncTime in whole nanoseconds.
    #[must_use]
    pub const fn fabric_time(&self) -> u64 {
        (self.sync >> INC_FRAC) as u64
    }

    /// SYNC_EPOCH.
    #[must_use]
    pub const fn epoch(&self) -> u8 {
        self.epoch
    }

    /// INC_NOM.
    #[must_use]
    pub const fn inc_nom(&self) -> u64 {
        self.inc_nom
    }

    /// F_ACC, signed 6.48.
    #[must_use]
    pub const fn f_acc(&self) -> i64 {
        self.f_acc
    }

    /// SLEW_P and SLEW_CNT.
    #[must_use]
    pub const fn slew(&self) -> (i64, u32) {
        (self.slew_p, self.slew_cnt)
    }

    /// F_LIMIT and SLEW_LIMIT.
    #[must_use]
    pub const fn limits(&self) -> (u64, u64) {
        self.limits
    }

    /// STEPS, CLAMPS and REFUSED.
    #[must_use]
    pub const fn counters(&self) -> (u32, u32, u32) {
        (self.steps, self.clamps, self.refused)
    }

    /// Writes F_ACC, clamped to F_LIMIT.
    pub fn write_f_acc(&mut self, value: i64) {
        let limit = (self.limits.0 << F_ACC_SHIFT) as i64;
        self.f_acc = self.clamped(value, limit);
    }

    /// Writes SLEW_P, clamped to SLEW_LIMIT, and the clocks it lasts.
    pub fn write_slew(&mut self, value: i64, clocks: u32) {
        self.slew_p = self.clamped(value, self.limits.1 as i64);
        self.slew_cnt = clocks;
    }

    fn clamped(&mut self, value: i64, limit: i64) -> i64 {
        let inside = value.clamp(-limit, limit);
        if inside != value {
            self.clamps = self.clamps.saturating_add(1);
        }
        inside
    }

    /// Writes INC_NOM. A value the limits forbid is refused and counted, and the old one stays.
    pub fn write_inc_nom(&mut self, value: u64) -> Result<(), TimeConfigError> {
        self.accept(value, self.limits)
    }

    /// Writes F_LIMIT and SLEW_LIMIT in 2^-32 ns. A sum that reaches INC_NOM is refused and counted; smaller limits
    /// clamp what is there.
    pub fn write_limits(&mut self, f_limit: u64, slew_limit: u64) -> Result<(), TimeConfigError> {
        self.accept_limits(f_limit, slew_limit)?;
        self.clamp_f_acc();
        self.clamp_slew();
        Ok(())
    }

    /// The first part of [`TimeSource::write_limits`]: F_ACC and SLEW_P are still as they were.
    pub fn accept_limits(&mut self, f_limit: u64, slew_limit: u64) -> Result<(), TimeConfigError> {
        self.accept(self.inc_nom, (f_limit, slew_limit))
    }

    /// Clamps F_ACC to F_LIMIT.
    pub fn clamp_f_acc(&mut self) {
        self.write_f_acc(self.f_acc);
    }

    /// Clamps SLEW_P to SLEW_LIMIT.
    pub fn clamp_slew(&mut self) {
        self.write_slew(self.slew_p, self.slew_cnt);
    }

    fn accept(&mut self, inc_nom: u64, limits: (u64, u64)) -> Result<(), TimeConfigError> {
        if let Err(refusal) = check_limits(inc_nom, limits.0, limits.1) {
            self.refused = self.refused.saturating_add(1);
            return Err(refusal);
        }
        (self.inc_nom, self.limits) = (inc_nom, limits);
        Ok(())
    }

    /// SET_CMD set: SyncTime becomes `nanoseconds`, fraction 0.
    pub fn set(&mut self, nanoseconds: u64) {
        self.sync = u128::from(nanoseconds) << INC_FRAC;
        self.count_step();
    }

    /// SET_CMD add, or a step of the servo: a signed number of 2^-32 ns is added to SyncTime.
    pub fn step(&mut self, by: i128) {
        self.sync = self.sync.wrapping_add(by as u128) & MASK;
        self.count_step();
    }

    fn count_step(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        self.steps = self.steps.saturating_add(1);
    }
}
