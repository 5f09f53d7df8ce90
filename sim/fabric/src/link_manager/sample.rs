//! Counters of a port as differences.

use super::PortStatus;
use flitforge_protocol::counter::{LinkCounter, COUNTER_MAX, LINK_COUNTERS};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{counter_offset, event, lane, lanes};
use flitforge_protocol::register::{AccessError, PageAccess, RegisterAccess};

/// What a lane did between two samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaneSample {
    /// Verdicts on it.
    pub verdicts: u64,
    /// Code errors.
    pub code_errors: u64,
    /// Its debt in 1,024 LTP times.
    pub debt: u64,
    /// Received on.
    pub active: bool,
    /// Removed by the port itself, though it is allowed.
    pub removed: bool,
    /// LANES.allowed.
    pub allowed: bool,
}

/// A sample of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortSample {
    /// State.
    pub status: PortStatus,
    /// Events since the sample before.
    pub events: event::Value,
    /// Lanes, by the sender's number.
    pub lanes: [LaneSample; MAX_LANES],
    /// Counters that have reached their end: what they count is at least the difference.
    pub saturated: Vec<LinkCounter>,
    counts: [u64; LINK_COUNTERS],
}

/// Counters as they were read last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    counters: [u64; LINK_COUNTERS],
    /// Verdicts and code errors.
    lanes: [[u64; 2]; MAX_LANES],
}

impl Default for Counted {
    fn default() -> Self {
        Counted { counters: [0; LINK_COUNTERS], lanes: Default::default() }
    }
}

impl Counted {
    pub(super) fn read<A: RegisterAccess + ?Sized>(
        registers: &mut PageAccess<'_, A>,
    ) -> Result<Self, AccessError> {
        let mut counted = Counted::default();
        for counter in LinkCounter::ALL {
            counted.counters[usize::from(counter.code())] = registers.counter(counter_offset(*counter))?;
        }
        for (index, lane) in counted.lanes.iter_mut().enumerate() {
            let now: lane::Value = registers.read_at(index as u32)?;
            *lane = [now.errors, now.code_errors];
        }
        Ok(counted)
    }
}

/// A counter that is smaller than before was cleared in between, and counts from 0.
fn difference(now: u64, before: u64) -> u64 {
    now.checked_sub(before).unwrap_or(now)
}

impl PortSample {
    pub(super) fn take<A: RegisterAccess + ?Sized>(
        registers: &mut PageAccess<'_, A>,
        status: PortStatus,
        before: &mut Counted,
    ) -> Result<Self, AccessError> {
        // Events that happen meanwhile stay for the next sample: only ones that were read are cleared.
        let events: event::Value = registers.read()?;
        registers.write(events)?;
        let at: lanes::Value = registers.read()?;
        let now = Counted::read(registers)?;
        let mut sample = PortSample {
            status,
            events,
            lanes: Default::default(),
            saturated: vec![],
            counts: [0; LINK_COUNTERS],
        };
        for (index, lane) in sample.lanes.iter_mut().enumerate() {
            let debt = registers.read_at::<lane::Value>(index as u32)?.debt;
            let [verdicts, code_errors] =
                [0, 1].map(|part| difference(now.lanes[index][part], before.lanes[index][part]));
            let is = |mask: u64| mask >> index & 1 == 1;
            let (active, removed, allowed) = (is(at.rx_active), is(at.removed), is(at.allowed));
            *lane = LaneSample { verdicts, code_errors, debt, active, removed, allowed };
        }
        for counter in LinkCounter::ALL {
            let index = usize::from(counter.code());
            sample.counts[index] = difference(now.counters[index], before.counters[index]);
            if now.counters[index] == COUNTER_MAX {
                sample.saturated.push(*counter);
            }
        }
        *before = now;
        Ok(sample)
    }

    /// Events of a counter since the sample before.
    #[must_use]
    pub fn count(&self, counter: LinkCounter) -> u64 {
        self.counts[usize::from(counter.code())]
    }

    /// LTPs received, good and bad.
    #[must_use]
    pub fn ltps(&self) -> u64 {
        self.count(LinkCounter::RxGood) + self.count(LinkCounter::RxBad)
    }

    /// LTPs not known to be delivered when the link started afresh.
    #[must_use]
    pub fn lost_on_reset(&self) -> u64 {
        self.count(LinkCounter::LostOnReset)
    }
}
