//! The rules of the wires.

use super::I2cLevels;
use crate::kit::Coverage;

/// Times in clocks of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct I2cLimits {
    /// Least time that the clock is low.
    pub low: u64,
    /// Least time that the clock is high.
    pub high: u64,
    /// Longest time that the clock is low within a transfer, stretching included.
    pub stretch: u64,
}

impl Default for I2cLimits {
    fn default() -> Self {
        Self { low: 2, high: 2, stretch: 10_000 }
    }
}

/// Watches the wires: data are stable while the clock is high, octets have nine bits, the clock keeps its times, a
/// transfer begins with a start and its address is followed by an answer.
#[derive(Clone, Debug)]
pub struct I2cMonitor {
    limits: I2cLimits,
    last: I2cLevels,
    /// Clocks since the last edge of the clock wire.
    since: u64,
    busy: bool,
    /// Rising edges of this octet.
    rises: u32,
    counts: [u64; 4],
}

impl I2cMonitor {
    /// A monitor that expects idle wires.
    pub fn new(limits: I2cLimits) -> Self {
        let last = I2cLevels { scl: true, sda: true };
        Self { limits, last, since: u64::MAX, busy: false, rises: 0, counts: [0; 4] }
    }

    /// One clock; the broken rule and what was seen, if any.
    pub fn look(&mut self, levels: I2cLevels) -> Result<(), (&'static str, String)> {
        let last = std::mem::replace(&mut self.last, levels);
        self.since = self.since.saturating_add(1);
        if last.scl && levels.scl && last.sda != levels.sda {
            return self.condition(levels.sda);
        }
        if last.scl != levels.scl {
            self.edge(levels)?;
        }
        if self.busy && !levels.scl && self.since > self.limits.stretch {
            let detail = format!("low for {} clocks", self.since);
            return Err(("the clock is not stretched for ever", detail));
        }
        Ok(())
    }

    /// Data changed while the clock was high: start or stop.
    fn condition(&mut self, stop: bool) -> Result<(), (&'static str, String)> {
        // The clock rises once before a stop or a repeated start.
        if self.busy && self.rises > 1 {
            let detail = format!("it changed in bit {}", self.rises);
            return Err(("data are stable while the clock is high", detail));
        }
        if stop && !self.busy {
            return Err(("a stop ends a transfer", "stop on an idle bus".into()));
        }
        self.counts[usize::from(stop)] += 1;
        self.busy = !stop;
        self.rises = 0;
        Ok(())
    }

    fn edge(&mut self, levels: I2cLevels) -> Result<(), (&'static str, String)> {
        let time = std::mem::replace(&mut self.since, 0);
        if !self.busy {
            return Err(("a transfer begins with a start", "the clock moves on an idle bus".into()));
        }
        let (least, level) = if levels.scl { (self.limits.low, "low") } else { (self.limits.high, "high") };
        if time < least {
            return Err((
                "the clock keeps its times",
                format!("{level} for {time} clocks, at least {least}"),
            ));
        }
        if levels.scl {
            self.rises += 1;
            if self.rises == 9 {
                self.counts[2] += 1;
                self.counts[3] += u64::from(levels.sda);
            }
        } else if self.rises == 9 {
            self.rises = 0;
        }
        Ok(())
    }

    pub(super) fn coverage(&self, name: &str, into: &mut Coverage) {
        let names = ["starts", "stops", "octets", "not_acknowledged"];
        for (what, count) in names.into_iter().zip(self.counts) {
            into.add(format!("{name}.{what}"), count);
        }
    }
}
