//! What can be built and what is refused, with the reason (chapter 20, 4.1 to 4.8).

use flitforge_protocol::time::{
    PhaseSource, FIFO_DEPTH, GEN_PERIOD_MAX, GEN_PERIOD_SHIFT, HIGH_SPACING_MAX_NS, LDM_ROUNDS_LOG2,
    MAX_TREES,
};
use flitforge_protocol::time_lag::ratio_without_beat;
use flitforge_protocol::time_ring::{Embed, MAX_HOP_REGISTERS, MAX_RING_RATIO, RING_WAIT_MAX, STOPS};
use flitforge_protocol::time_servo::{INC_BITS, LIMIT_SHIFT};
use thiserror::Error;

/// A parameter that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("fabric time, parameter {parameter} = {value}: expected {expected}")]
pub struct TimeConfigError {
    /// Name of the parameter as in the chapter.
    pub parameter: &'static str,
    /// Value that was given.
    pub value: String,
    /// What is allowed, and why.
    pub expected: String,
}

impl TimeConfigError {
    pub(crate) fn new(parameter: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self { parameter, value: value.to_string(), expected: expected.into() }
    }
}

/// The parameters of a switch's or an HFI's fabric time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeConfig {
    /// N_STOPS, 4 to 64.
    pub stops: u32,
    /// S, registers per hop, 1 or 2.
    pub hop_registers: u32,
    /// Ring clock in units of the core clock as a fraction; it must be a whole number M of 1 to 4.
    pub ring_ratio: (u32, u32),
    /// What a ring slot carries.
    pub embed: Embed,
    /// N_TREES, 1 to 4.
    pub trees: u32,
    /// RING_WAIT_MAX, 1 to 15 ring cycles.
    pub ring_wait_max: u32,
    /// PHASE_SRC of the lag meters.
    pub phase_source: PhaseSource,
    /// Nominal core clock period in femtoseconds.
    pub core_period_fs: u64,
    /// Nominal word clock period of a lane in femtoseconds.
    pub word_period_fs: u64,
    /// INC_NOM in 2^-32 ns per core clock.
    pub inc_nom: u64,
    /// F_LIMIT and SLEW_LIMIT in 2^-32 ns per core clock.
    pub limits: (u64, u64),
    /// Samples the slave's FIFO holds, 4 to 64.
    pub fifo_depth: usize,
    /// GEN_PERIOD in 2^20 ns, 0 (off) to 4095.
    pub gen_period: u64,
    /// HIGH_EVERY, at least 1.
    pub high_every: u64,
    /// K of the 2^K rounds of a link delay measurement, 0 to 8.
    pub ldm_rounds_log2: u32,
}

pub use flitforge_protocol::time_servo::increment;

impl Default for TimeConfig {
    /// Twelve stops, 156.25 MHz, BEAT, everything else as the chapter's defaults.
    fn default() -> Self {
        let inc_nom = increment(6_400_000);
        Self {
            stops: 12,
            hop_registers: 1,
            ring_ratio: (2, 1),
            embed: Embed::Value,
            trees: 4,
            ring_wait_max: RING_WAIT_MAX.0,
            phase_source: PhaseSource::Beat,
            core_period_fs: 6_400_000,
            word_period_fs: 6_241_000,
            inc_nom,
            limits: (inc_nom >> LIMIT_SHIFT, inc_nom >> LIMIT_SHIFT),
            fifo_depth: FIFO_DEPTH.1,
            gen_period: flitforge_protocol::time::GEN_PERIOD_DEFAULT,
            high_every: flitforge_protocol::time::HIGH_EVERY_DEFAULT,
            ldm_rounds_log2: LDM_ROUNDS_LOG2.0,
        }
    }
}

/// Refuses a value outside `low..=high`.
fn range(parameter: &'static str, value: u64, low: u64, high: u64) -> Result<(), TimeConfigError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(TimeConfigError::new(parameter, value, format!("{low} to {high}")))
    }
}

impl TimeConfig {
    /// Refuses what cannot work.
    pub fn check(&self) -> Result<(), TimeConfigError> {
        range("N_STOPS", self.stops.into(), STOPS.0.into(), STOPS.1.into())?;
        range("S", self.hop_registers.into(), 1, MAX_HOP_REGISTERS.into())?;
        self.ratio()?;
        range("N_TREES", self.trees.into(), 1, MAX_TREES as u64)?;
        range("RING_WAIT_MAX", self.ring_wait_max.into(), 1, RING_WAIT_MAX.1.into())?;
        range("FIFO_DEPTH", self.fifo_depth as u64, FIFO_DEPTH.0 as u64, FIFO_DEPTH.2 as u64)?;
        range("K", self.ldm_rounds_log2.into(), 0, LDM_ROUNDS_LOG2.1.into())?;
        check_limits(self.inc_nom, self.limits.0, self.limits.1)?;
        check_generation(self.gen_period, self.high_every)?;
        self.check_phase_source()
    }

    /// M, ring edges per core clock.
    pub fn ratio(&self) -> Result<u32, TimeConfigError> {
        let (edges, clocks) = self.ring_ratio;
        let whole = clocks != 0 && edges % clocks == 0;
        match edges.checked_div(clocks) {
            Some(ratio) if whole && (1..=MAX_RING_RATIO).contains(&ratio) => Ok(ratio),
            _ => Err(TimeConfigError::new(
                "M",
                format!("{edges}/{clocks}"),
                "a ring clock of 1, 2, 3 or 4 times the core clock: any other crossing has no fixed delay",
            )),
        }
    }

    /// BEAT needs clocks that drift through each other (chapter 20, 4.2 rule 2).
    fn check_phase_source(&self) -> Result<(), TimeConfigError> {
        if self.core_period_fs == 0 || self.word_period_fs == 0 {
            return Err(TimeConfigError::new("core and word clock periods", 0, "more than 0 fs"));
        }
        if self.phase_source != PhaseSource::Beat {
            return Ok(());
        }
        if let Some((p, q)) = ratio_without_beat(self.core_period_fs, self.word_period_fs) {
            let expected = format!(
                "DDMTD or PHY: core and word clock are within 0.1 % of the ratio {p}/{q}, so BEAT would see no beat"
            );
            return Err(TimeConfigError::new("PHASE_SRC", "BEAT", expected));
        }
        Ok(())
    }
}

/// F_LIMIT + SLEW_LIMIT must stay below INC_NOM, so that SyncTime always rises (chapter 20, 4.1 rule 3).
pub(crate) fn check_limits(inc_nom: u64, f_limit: u64, slew_limit: u64) -> Result<(), TimeConfigError> {
    range("INC_NOM", inc_nom, 1, (1 << INC_BITS) - 1)?;
    range("F_LIMIT", f_limit, 0, u32::MAX.into())?;
    range("SLEW_LIMIT", slew_limit, 0, u32::MAX.into())?;
    if f_limit + slew_limit >= inc_nom {
        let expected = format!("less than INC_NOM = {inc_nom:#x}, or SyncTime could stand still");
        return Err(TimeConfigError::new(
            "F_LIMIT + SLEW_LIMIT",
            format!("{:#x}", f_limit + slew_limit),
            expected,
        ));
    }
    Ok(())
}

/// A High must come often enough to know time\[63:40\] (chapter 20, 4.6 rule 3).
pub(crate) fn check_generation(period: u64, high_every: u64) -> Result<(), TimeConfigError> {
    range("GEN_PERIOD", period, 0, GEN_PERIOD_MAX)?;
    range("HIGH_EVERY", high_every, 1, 255)?;
    let spacing = high_every * (period << GEN_PERIOD_SHIFT);
    if high_every > 1 && spacing > HIGH_SPACING_MAX_NS {
        let expected = format!(
            "at most {HIGH_SPACING_MAX_NS} ns between two Highs, not {spacing} ns: lower it, or GEN_PERIOD"
        );
        return Err(TimeConfigError::new("HIGH_EVERY", high_every, expected));
    }
    Ok(())
}
