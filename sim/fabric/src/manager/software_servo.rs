//! The servo in software, over the registers of a slave (chapter 20, 7 rule 9): the same states and arithmetic as the
//! hardware's, with FREEZE set.

use super::{ManagerError, RegisterAccess};
use crate::topology::DeviceId;
use flitforge_model::time::delay::drift;
use flitforge_model::time::{Servo, ServoConfig, TimeSource};
use flitforge_protocol::time::FINE_BITS;
use flitforge_protocol::time_registers::{self as regs, master_low, servo_ctl, set_cmd, smp_err, smp_pop};
use flitforge_protocol::time_servo::{ServoState, F_ACC_BITS, INC_FRAC, SLEW_P_BITS};
use std::collections::VecDeque;

/// Fewest and most samples of a least-squares fit.
pub const FIT_SAMPLES: (usize, usize) = (2, 64);

/// A sample read from a slave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadSample {
    /// Joined master time, ns.
    pub master_ns: u64,
    /// LocalTime, ns.
    pub local_ns: u64,
    /// Phase error, 1/256 ns.
    pub error: i32,
}

/// Takes the oldest sample of a tree; `None` if there is none or it is not full.
pub fn read_sample(
    access: &mut impl RegisterAccess,
    device: DeviceId,
    tree: u8,
) -> Result<Option<ReadSample>, ManagerError> {
    let base = regs::tree(tree.into()) - regs::TREE;
    let mut read = |register: u32| access.read(device, base + register).map(u128::from);
    if smp_pop::valid::FIELD.get(read(regs::SMP_POP)?) == 0 {
        return Ok(None);
    }
    if master_low::full::FIELD.get(read(regs::MASTER_LOW)?) == 0 {
        return Ok(None);
    }
    let error = smp_err::error::FIELD.get(read(regs::SMP_ERR)?) as u32 as i32;
    let (master_ns, local_ns) = (read(regs::MASTER_FULL)? as u64, read(regs::SMP_LOCAL)? as u64);
    Ok(Some(ReadSample { master_ns, local_ns, error }))
}

/// The servo of one slave.
#[derive(Debug, Clone)]
pub struct SoftwareServo {
    device: DeviceId,
    tree: u8,
    servo: Servo,
    /// Carries F_ACC and the slew with the hardware's limits; its time is of no account.
    shadow: TimeSource,
    history: VecDeque<ReadSample>,
}

impl SoftwareServo {
    /// Takes a slave over: FREEZE is set.
    pub fn new(
        access: &mut impl RegisterAccess,
        device: DeviceId,
        tree: u8,
        config: ServoConfig,
    ) -> Result<Self, ManagerError> {
        let control = access.read(device, regs::SERVO_CTL)?;
        access.write(device, regs::SERVO_CTL, servo_ctl::freeze::FIELD.set(control.into(), 1) as u64)?;
        let increment = access.read(device, regs::INC_NOM)?;
        let refused =
            |_| ManagerError::Refused { device, offset: regs::INC_NOM, written: 0, read: increment };
        let mut shadow = TimeSource::new(increment).map_err(refused)?;
        let f_acc = access.read(device, regs::F_ACC)?;
        shadow.write_f_acc((f_acc << (64 - F_ACC_BITS)) as i64 >> (64 - F_ACC_BITS));
        Ok(Self { device, tree, servo: Servo::new(config), shadow, history: VecDeque::new() })
    }

    /// State.
    #[must_use]
    pub const fn state(&self) -> ServoState {
        self.servo.state()
    }

    /// Works off the samples that are there; gives their number.
    pub fn poll(&mut self, access: &mut impl RegisterAccess) -> Result<usize, ManagerError> {
        let mut used = 0;
        while let Some(sample) = read_sample(access, self.device, self.tree)? {
            self.apply(access, sample)?;
            used += 1;
        }
        Ok(used)
    }

    fn apply(&mut self, access: &mut impl RegisterAccess, sample: ReadSample) -> Result<(), ManagerError> {
        if let Some(last) = self.history.back() {
            let elapsed = u128::from(sample.local_ns.wrapping_sub(last.local_ns)) << INC_FRAC;
            self.servo.elapse((elapsed / u128::from(self.shadow.inc_nom())) as u64);
        }
        if self.history.len() == FIT_SAMPLES.1 {
            self.history.pop_front();
        }
        self.history.push_back(sample);
        if sample.error == i32::MAX || sample.error == i32::MIN {
            return self.set_time(access, sample);
        }
        let (before, slew, rate) = (self.shadow.sync(), self.shadow.slew(), self.shadow.inc_f());
        self.servo.sample(&mut self.shadow, sample.error.into(), false);
        let stepped = self.shadow.sync().wrapping_sub(before) << INC_FRAC; // 96 bits, signed
        if stepped != 0 {
            // The new frequency counts from the sample on, so a step makes up for the time it was not there.
            let late =
                (u128::from(self.since_ns(access, &sample)?) << INC_FRAC) / u128::from(self.shadow.inc_nom());
            let missed = (self.shadow.inc_f() as i128 - rate as i128) * late as i128;
            let nanoseconds = (((stepped as i128) >> INC_FRAC) + missed + (1 << (INC_FRAC - 1))) >> INC_FRAC;
            access.write(self.device, regs::SET_TIME, nanoseconds as i64 as u64)?;
            access.write(self.device, regs::SET_CMD, set_cmd::add::FIELD.mask() as u64)?;
        }
        access.write(self.device, regs::F_ACC, field(self.shadow.f_acc(), F_ACC_BITS))?;
        if self.shadow.slew() != slew {
            let (per_clock, clocks) = self.shadow.slew();
            access.write(self.device, regs::SLEW_P, field(per_clock, SLEW_P_BITS))?;
            let length = u64::from(self.servo.config().slew_n);
            access.write(self.device, regs::SLEW_CNT, u64::from(clocks) | length << 32)?;
        }
        Ok(())
    }

    /// Local time since a sample in whole nanoseconds.
    fn since_ns(&self, access: &mut impl RegisterAccess, sample: &ReadSample) -> Result<u64, ManagerError> {
        let now = access.read(self.device, regs::LOCAL_TIME)?;
        Ok(now.wrapping_sub(sample.local_ns))
    }

    /// A phase error beyond the register's range: SyncTime is set to the sample's time and what has passed since.
    fn set_time(&mut self, access: &mut impl RegisterAccess, sample: ReadSample) -> Result<(), ManagerError> {
        let base = regs::tree(self.tree.into()) - regs::TREE;
        let era = master_low::era::FIELD.get(access.read(self.device, base + regs::MASTER_LOW)?.into());
        let bank = [regs::CLOCK_OFFSET0, regs::CLOCK_OFFSET1][(era & 1) as usize];
        let offset_ns = access.read(self.device, base + bank)? >> FINE_BITS;
        let passed_ns = self.since_ns(access, &sample)?;
        let now = sample.master_ns.wrapping_add(offset_ns).wrapping_add(passed_ns);
        access.write(self.device, regs::SET_TIME, now)?;
        access.write(self.device, regs::SET_CMD, set_cmd::set::FIELD.mask() as u64)?;
        self.servo.sample(&mut self.shadow, 0, false);
        Ok(())
    }

    /// Drift (dMaster - dLocal) / dLocal between the last two samples, in 2^-32 (clause 13).
    #[must_use]
    pub fn drift(&self) -> Option<i64> {
        let mut newest = self.history.iter().rev();
        let (last, first) = (newest.next()?, newest.next()?);
        drift(
            last.master_ns.wrapping_sub(first.master_ns) as i64,
            last.local_ns.wrapping_sub(first.local_ns) as i64,
        )
    }

    /// Drift by least squares over the samples kept, at most 64, in 2^-32.
    #[must_use]
    pub fn fitted_drift(&self) -> Option<i64> {
        fit(self.history.iter().copied())
    }
}

/// A signed value in the low bits of a register.
const fn field(value: i64, bits: usize) -> u64 {
    value as u64 & ((1 << bits) - 1)
}

/// Slope of master less local time over local time, in 2^-32, by least squares in integers; `None` below two samples.
#[must_use]
pub fn fit(samples: impl ExactSizeIterator<Item = ReadSample> + Clone) -> Option<i64> {
    let first = samples.clone().next().filter(|_| samples.len() >= FIT_SAMPLES.0)?;
    let count = samples.len() as i128;
    let points = samples.map(|sample| {
        let local = i128::from(sample.local_ns.wrapping_sub(first.local_ns));
        let master = i128::from(sample.master_ns.wrapping_sub(first.master_ns));
        (local, master - local)
    });
    let (mut x, mut y, mut xx, mut xy) = (0i128, 0i128, 0i128, 0i128);
    for (local, ahead) in points {
        x += local;
        y += ahead;
        xx += local * local;
        xy += local * ahead;
    }
    let below = count * xx - x * x;
    // Products stay below 2^96 for 64 samples within 500 s, so 24 places fit before the division and 8 after.
    let scaled = (count * xy - x * y).checked_mul(1 << 24)?;
    (below > 0).then(|| (scaled / (below >> 8).max(1)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drift_of_the_chapters_example_is_fitted() {
        let sample = |n: u64| ReadSample { master_ns: n * 99_614_720, local_ns: n * 99_604_759, error: 0 };
        let samples: Vec<_> = (0..64).map(sample).collect();
        let slope = fit(samples.iter().copied()).expect("64 samples");
        assert!((slope - 429_519).abs() <= 1, "{slope}");
        assert_eq!((fit(samples[..1].iter().copied()), fit([].into_iter())), (None, None));
        assert_eq!(fit([samples[0], samples[0]].into_iter()), None, "no local time went by");
    }
}
