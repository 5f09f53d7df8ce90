//! Which physical lane is charged for a bad LTP (chapter 10, 4.4): the latch, the verdicts and their counters.
//!
//! [`Isolation`] has the arithmetic; this is the machine around it.

use crate::counters::Counters;
use crate::isolation::{Isolation, Verdict};
use crate::stripe::{LaneCountError, Stripe};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::CrcMode;

/// What a verdict says, lanes by the sender's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneVerdict {
    /// This physical lane is charged: `LANE_ERR`.
    Lane(usize),
    /// Several lanes, but not all: `MULTI_LANE`.
    MultiLane,
    /// All lanes, one lane only, or the bad LTP was a Null: `ISO_UNKNOWN`.
    Unknown,
    /// No group differs: `ISO_NONE`.
    None,
}

/// A rule left out on purpose, for tests that must notice it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IsolateMutation {
    /// The sequence state of the replay instead of that of the bad LTP maps the group to a lane.
    MapByReplayState,
}

/// What is kept of the first bad LTP of a retry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Latch {
    groups: Isolation,
    state: usize,
    /// Mode 3: the verdict of the CRCs, already charged.
    by_crc: Option<LaneVerdict>,
}

/// The isolation of one direction, at its receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolate {
    mode: CrcMode,
    groups: Stripe,
    /// Physical lane of each logical lane.
    physical: Vec<usize>,
    latch: Option<Latch>,
    counters: Counters,
    lane_errors: [u64; MAX_LANES],
    mutation: Option<IsolateMutation>,
}

impl Isolate {
    /// The isolation of a direction in this mode on these physical lanes (bit l = lane l).
    pub fn new(mode: CrcMode, lanes: u8) -> Result<Self, LaneCountError> {
        let physical = physical_lanes(lanes);
        Ok(Isolate {
            mode,
            groups: Stripe::groups(physical.len())?,
            physical,
            latch: None,
            counters: Counters::new(),
            lane_errors: [0; MAX_LANES],
            mutation: None,
        })
    }

    /// The same with a rule left out.
    #[must_use]
    pub fn with_mutation(mut self, mutation: IsolateMutation) -> Self {
        self.mutation = Some(mutation);
        self
    }

    /// The direction starts again, in this mode on these lanes. A latch is discarded, counters stay.
    pub fn restart(&mut self, mode: CrcMode, lanes: u8) -> Result<(), LaneCountError> {
        let Isolate { counters, lane_errors, mutation, .. } = Isolate::clone(self);
        *self = Isolate { counters, lane_errors, mutation, ..Isolate::new(mode, lanes)? };
        Ok(())
    }

    /// Verdicts charged to a physical lane, register `LANE_ERR`.
    #[must_use]
    pub const fn lane_errors(&self) -> &[u64; MAX_LANES] {
        &self.lane_errors
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// True while a bad LTP waits for its replay.
    #[must_use]
    pub const fn is_latched(&self) -> bool {
        self.latch.is_some()
    }

    /// A bad LTP with these words and CRC residues in sequence state `state`; `latch` if it is the first of a retry
    /// ([`crate::retry::LatchAction::Latch`]). Mode 3 gives the verdict at once.
    pub fn bad(&mut self, words: &[u32], residues: &[u32], state: usize, latch: bool) -> Option<LaneVerdict> {
        let failed: Vec<usize> = (0..residues.len()).filter(|&index| residues[index] != 0).collect();
        if self.mode == CrcMode::Overlapping48 {
            self.count_failed_crcs(failed.len());
        }
        if !latch {
            return None;
        }
        let by_crc = (self.mode == CrcMode::PerLane).then(|| self.verdict_of(&failed, state));
        self.latch = Some(Latch { groups: Isolation::new(words, self.groups), state, by_crc });
        by_crc.inspect(|&verdict| self.charge(verdict))
    }

    /// Mode 2: how many of the four CRCs failed. Three are a near escape.
    fn count_failed_crcs(&mut self, failed: usize) {
        let counter = match failed {
            1 => LinkCounter::Crc48Bad1,
            2 => LinkCounter::Crc48Bad2,
            3 => LinkCounter::Crc48Bad3,
            4 => LinkCounter::Crc48Bad4,
            _ => return, // a code error only
        };
        self.counters.count(counter);
    }

    /// Mode 3: the groups whose CRC failed, in sequence state `state`.
    fn verdict_of(&self, failed: &[usize], state: usize) -> LaneVerdict {
        match *failed {
            [] => LaneVerdict::None,
            [group] => LaneVerdict::Lane(self.physical[self.groups.in_state(state).lane(group)]),
            _ if failed.len() == self.groups.lanes() => LaneVerdict::Unknown,
            _ => LaneVerdict::MultiLane,
        }
    }

    /// The good replay of the latched LTP, in sequence state `state`, which plays no part. A verdict is returned if it
    /// is charged: in every mode but 3, where the comparison only checks.
    pub fn replayed(&mut self, words: &[u32], state: usize) -> Option<LaneVerdict> {
        let latch = self.latch.take()?;
        let state = match self.mutation {
            Some(IsolateMutation::MapByReplayState) => state,
            _ => latch.state,
        };
        let verdict = match latch.groups.compare(&Isolation::new(words, self.groups), state) {
            Verdict::Lane { logical_lane, .. } => LaneVerdict::Lane(self.physical[logical_lane]),
            Verdict::MultiLane => LaneVerdict::MultiLane,
            Verdict::Unknown => LaneVerdict::Unknown,
            Verdict::None => LaneVerdict::None,
        };
        if let Some(by_crc) = latch.by_crc {
            if by_crc != verdict {
                self.counters.count(LinkCounter::IsoDisagree);
            }
            return None;
        }
        self.charge(verdict);
        Some(verdict)
    }

    /// There is no replay of the latched LTP: it was a Null ([`crate::retry::LatchAction::Unknown`]). In mode 3 the CRC
    /// has named the lane already.
    pub fn give_up(&mut self) {
        if self.latch.take().is_some_and(|latch| latch.by_crc.is_none()) {
            self.charge(LaneVerdict::Unknown);
        }
    }

    /// Retraining: the latch is discarded without a verdict.
    pub fn discard(&mut self) {
        self.latch = None;
    }

    fn charge(&mut self, verdict: LaneVerdict) {
        match verdict {
            LaneVerdict::Lane(lane) => self.lane_errors[lane] += 1,
            LaneVerdict::MultiLane => self.counters.count(LinkCounter::MultiLane),
            LaneVerdict::Unknown => self.counters.count(LinkCounter::IsoUnknown),
            LaneVerdict::None => self.counters.count(LinkCounter::IsoNone),
        }
    }
}

/// Logical lane -> physical lane: the rank of a lane among the active ones (chapter 10, 4.6 rule 3).
#[must_use]
pub fn physical_lanes(lanes: u8) -> Vec<usize> {
    (0..MAX_LANES).filter(|lane| lanes >> lane & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [u32; 33] = [0x0123_4567; 33];

    fn damaged(words: &[usize]) -> [u32; 33] {
        let mut ltp = GOOD;
        words.iter().for_each(|&word| ltp[word] ^= 0x100);
        ltp
    }

    /// Lanes 0, 2 and 3 are active, standard mode.
    fn verdict(words: &[usize], state: usize) -> (Option<LaneVerdict>, Isolate) {
        let mut isolate = Isolate::new(CrcMode::Standard, 0b1101).expect("three lanes");
        assert_eq!(isolate.bad(&damaged(words), &[1], state, true), None);
        let verdict = isolate.replayed(&GOOD, (state + 1) % 3);
        (verdict, isolate)
    }

    #[test]
    fn a_group_becomes_the_physical_lane_it_rode_on() {
        for state in 0..3 {
            let lane = [0, 2, 3][(1 + state) % 3];
            let (found, isolate) = verdict(&[4], state);
            assert_eq!(found, Some(LaneVerdict::Lane(lane)));
            assert_eq!(isolate.lane_errors()[lane], 1);
        }
    }

    #[test]
    fn other_verdicts_have_their_own_counters() {
        for (words, expected, counter) in [
            (&[0, 1][..], LaneVerdict::MultiLane, LinkCounter::MultiLane),
            (&[0, 1, 2], LaneVerdict::Unknown, LinkCounter::IsoUnknown),
            (&[], LaneVerdict::None, LinkCounter::IsoNone),
        ] {
            let (found, isolate) = verdict(words, 0);
            assert_eq!((found, isolate.counters().get(counter)), (Some(expected), 1));
            assert_eq!(isolate.lane_errors(), &[0; 4]);
        }
    }

    #[test]
    fn without_a_latch_there_is_no_verdict() {
        let mut isolate = Isolate::new(CrcMode::Standard, 0xF).expect("four lanes");
        assert_eq!((isolate.bad(&damaged(&[1]), &[1], 0, false), isolate.replayed(&GOOD, 0)), (None, None));
        isolate.bad(&damaged(&[1]), &[1], 0, true);
        isolate.discard();
        assert_eq!(isolate.replayed(&GOOD, 0), None);
        isolate.bad(&damaged(&[1]), &[1], 0, true);
        isolate.give_up();
        assert_eq!((isolate.counters().get(LinkCounter::IsoUnknown), isolate.is_latched()), (1, false));
    }

    #[test]
    fn mode_2_counts_how_many_crcs_failed_of_every_bad_ltp() {
        let mut isolate = Isolate::new(CrcMode::Overlapping48, 0xF).expect("four lanes");
        for residues in [[1, 0, 0, 0], [1, 0, 2, 0], [0, 1, 1, 1], [4, 3, 2, 1], [0; 4]] {
            isolate.bad(&[0; 34], &residues, 0, false);
        }
        let counts =
            [LinkCounter::Crc48Bad1, LinkCounter::Crc48Bad2, LinkCounter::Crc48Bad3, LinkCounter::Crc48Bad4];
        assert_eq!(counts.map(|counter| isolate.counters().get(counter)), [1; 4]);
    }

    #[test]
    fn in_mode_3_the_crc_names_the_lane_and_the_replay_only_checks() {
        let mut isolate = Isolate::new(CrcMode::PerLane, 0xF).expect("four lanes");
        let good = [7; 34];
        let mut bad = good;
        bad[5] ^= 2;
        assert_eq!(isolate.bad(&bad, &[0, 9, 0, 0], 2, true), Some(LaneVerdict::Lane(3)));
        assert_eq!((isolate.replayed(&good, 0), isolate.counters().get(LinkCounter::IsoDisagree)), (None, 0));
        isolate.bad(&bad, &[9, 0, 0, 0], 2, true);
        assert_eq!((isolate.replayed(&good, 0), isolate.counters().get(LinkCounter::IsoDisagree)), (None, 1));
        assert_eq!(isolate.lane_errors(), &[0, 0, 1, 1]);
        isolate.bad(&bad, &[9, 0, 0, 0], 0, true);
        isolate.give_up();
        assert_eq!((isolate.lane_errors()[0], isolate.counters().get(LinkCounter::IsoUnknown)), (1, 0));
    }
}
