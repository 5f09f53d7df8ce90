//! `link_delay` (chapter 20, 4.8): the arithmetic of a link delay measurement.

use super::delay::round_to_fine;
use super::TimeConfigError;
use flitforge_protocol::time::{LDM_MAX_VOID, LDM_ROUNDS_LOG2};

/// Edge and lag of a marker: core clocks and 1/256 ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Core clock number of the X edge (sending) or R edge (receiving).
    pub clock: u64,
    /// tx lag of the X edge, rx lag of the R edge.
    pub lag: i32,
}

/// Time from sending at X edge `sent` to receiving at R edge `received`, in 1/256 ns, with INC_F in 2^-32 ns per clock.
/// A sent flit counts from its edge plus tx lag, a received one to its edge less rx lag (rule 1).
#[must_use]
pub fn sent_to_received(sent: Stamp, received: Stamp, inc_f: u64) -> i64 {
    elapsed(sent.clock, received.clock, inc_f) - i64::from(received.lag) - i64::from(sent.lag)
}

/// Turn-around of a responder from R edge `received` to X edge `sent`, in 1/256 ns; `None` if it does not fit the
/// 32 bits of DelayResp (rule 3).
#[must_use]
pub fn turnaround(received: Stamp, sent: Stamp, inc_f: u64) -> Option<u32> {
    let time = elapsed(received.clock, sent.clock, inc_f) + i64::from(received.lag) + i64::from(sent.lag);
    u32::try_from(time).ok()
}

fn elapsed(from: u64, to: u64, inc_f: u64) -> i64 {
    round_to_fine((i128::from(to) - i128::from(from)) * i128::from(inc_f))
}

/// Delay to the peer of one round, all in 1/256 ns (rule 2). `asymmetry` is the known forward less backward delay.
#[must_use]
pub const fn one_way(round_trip: i64, turnaround: u32, asymmetry: i32) -> i64 {
    (round_trip - turnaround as i64 + asymmetry as i64) >> 1
}

/// RX_CORR that keeps the offsets below right after the delay from the peer changed (rule 4): 1/16 ns.
#[must_use]
pub const fn rx_correction(delay_from_peer: i64, acknowledged: i64) -> i32 {
    ((delay_from_peer - acknowledged + 8) >> 4) as i32
}

/// A finished measurement, 1/256 ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkDelay {
    /// Mean, rounded half up.
    pub mean: i64,
    /// Smallest.
    pub min: i64,
    /// Largest.
    pub max: i64,
}

/// How far a measurement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// More rounds are needed.
    Running,
    /// Done.
    Done(LinkDelay),
    /// 16 rounds were void.
    Failed,
}

/// A measurement of 2^K rounds (rule 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDelayRun {
    rounds: Vec<i64>,
    wanted: usize,
    /// One core clock period in 1/256 ns.
    period: i64,
    voids: u32,
}

impl LinkDelayRun {
    /// A new run of 2^`log2` rounds; `period` is the core clock period in 1/256 ns.
    pub fn new(log2: u32, period: i64) -> Result<Self, TimeConfigError> {
        if log2 > LDM_ROUNDS_LOG2.1 {
            return Err(TimeConfigError::new("K", log2, format!("0 to {}", LDM_ROUNDS_LOG2.1)));
        }
        Ok(Self { rounds: Vec::with_capacity(1 << log2), wanted: 1 << log2, period, voids: 0 })
    }

    /// A round's one-way delay. A round more than a period above the smallest is void: its marker was caught in a
    /// replay. A round that far below the earlier ones makes those void. One that 32 bits do not hold is void, too.
    pub fn round(&mut self, delay: i64) -> RunStatus {
        if self.status() != RunStatus::Running {
            return self.status();
        }
        if i32::try_from(delay).is_err() {
            return self.void();
        }
        if self.rounds.iter().min().is_some_and(|min| delay > min + self.period) {
            return self.void();
        }
        let before = self.rounds.len();
        self.rounds.retain(|earlier| *earlier <= delay + self.period);
        self.voids += (before - self.rounds.len()) as u32;
        self.rounds.push(delay);
        self.status()
    }

    /// A round without result: wrong tag, no phase, no answer in time, or too long a turn-around (LDM_RETRY).
    pub fn void(&mut self) -> RunStatus {
        if self.status() == RunStatus::Running {
            self.voids += 1;
        }
        self.status()
    }

    /// Rounds that a result has.
    #[must_use]
    pub const fn wanted(&self) -> usize {
        self.wanted
    }

    /// Delays of the rounds that are not void so far, in their order.
    #[must_use]
    pub fn rounds(&self) -> &[i64] {
        &self.rounds
    }

    /// Void rounds so far.
    #[must_use]
    pub const fn voids(&self) -> u32 {
        self.voids
    }

    /// How far the run is.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        if self.voids >= LDM_MAX_VOID {
            return RunStatus::Failed;
        }
        if self.rounds.len() < self.wanted {
            return RunStatus::Running;
        }
        let (wanted, sum) = (self.wanted as i64, self.rounds.iter().sum::<i64>());
        let (min, max) =
            self.rounds.iter().fold((i64::MAX, i64::MIN), |(low, high), &r| (low.min(r), high.max(r)));
        RunStatus::Done(LinkDelay { mean: (sum + wanted / 2).div_euclid(wanted), min, max })
    }
}
