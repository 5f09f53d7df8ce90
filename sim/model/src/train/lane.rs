//! The receiving end of one lane in training: polarity, identity, lock (chapter 10, 4.6, state 1 and rules 1 and 2).

use crate::training::{polarity, Polarity, TrainingSet};
use flitforge_protocol::lane_word::{COMMA, TRAINING_SET_WORDS};
use flitforge_protocol::training::{DESKEW_WORDS, SKEW_WORDS};

/// Words after which the count of training sets repeats.
const COUNT_WORDS: u64 = 256 * TRAINING_SET_WORDS as u64;

/// A training set as a lane receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrivedSet {
    /// Its content, polarity put right.
    pub set: TrainingSet,
    /// Whether the lane had to be inverted.
    pub polarity: Polarity,
    /// Word time at which word 0 arrived.
    pub arrival: u64,
}

impl ArrivedSet {
    /// Reads eight words that came in from word time `arrival`; `None` if they are no good training set. Byte 1 of
    /// word 0 tells an inverted lane.
    #[must_use]
    pub fn read(words: [u32; TRAINING_SET_WORDS], arrival: u64) -> Option<Self> {
        let (polarity, words) = match polarity(words[0])? {
            Polarity::Normal => (Polarity::Normal, words),
            Polarity::Inverted => (Polarity::Inverted, inverted(words)),
        };
        let set = TrainingSet::decode(&words).ok()?;
        Some(ArrivedSet { set, polarity, arrival })
    }

    /// Words by which this lane is late against the count in the set, modulo the count's period.
    const fn lateness(&self) -> u64 {
        (self.arrival + COUNT_WORDS - self.set.count as u64 * TRAINING_SET_WORDS as u64) % COUNT_WORDS
    }
}

/// The words of a lane whose two wires are swapped: every bit turned over. The comma of a coded lane decodes to the
/// same in either polarity, so that it may already be right.
#[must_use]
pub fn inverted(words: [u32; TRAINING_SET_WORDS]) -> [u32; TRAINING_SET_WORDS] {
    let comma = u32::from(COMMA);
    let mut turned = words.map(|word| !word);
    if words[0] & 0xFF == comma {
        turned[0] = turned[0] & !0xFF | comma;
    }
    turned
}

/// Delay in words that lines each of these lanes up with the latest; `None` if they are further apart than +-7 words.
#[must_use]
pub fn deskew(sets: &[ArrivedSet]) -> Option<Vec<u64>> {
    let reference = sets.first()?.lateness();
    // against the first lane, centred so that early lanes do not wrap
    let half = COUNT_WORDS / 2;
    let offset = |set: &ArrivedSet| (set.lateness() + COUNT_WORDS + half - reference) % COUNT_WORDS;
    let latest = sets.iter().map(offset).max()?;
    let delays: Vec<u64> = sets.iter().map(|set| latest - offset(set)).collect();
    delays.iter().all(|&delay| delay <= MAX_SPREAD).then_some(delays)
}

/// The lane to leave out if lanes are further apart than that (chapter 10, 4.6 rule 2): the one too far from most others, of several
/// the one that comes in on the receiver's highest. `sets` are in the order of the receiver's lanes; the result is the sender's number.
#[must_use]
pub fn outlier(sets: &[ArrivedSet]) -> Option<u8> {
    let is_far = |one: &ArrivedSet, other: &ArrivedSet| deskew(&[*one, *other]).is_none();
    let far_from = |set: &ArrivedSet| sets.iter().filter(|other| is_far(set, other)).count();
    let most = sets.iter().map(far_from).max().filter(|most| *most > 0)?;
    sets.iter().rev().find(|set| far_from(set) == most).map(|set| set.set.lane)
}

/// From 7 words early to 7 words late.
const MAX_SPREAD: u64 = 2 * SKEW_WORDS as u64;
const _: () = assert!(MAX_SPREAD < DESKEW_WORDS as u64, "the FIFO holds the spread");

/// Lock of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LaneLock {
    good: u32,
    identity: u8,
}

impl LaneLock {
    /// A training-set time went by on this lane, with the sender's lane number if a good set came. `needed` good sets in a row
    /// lock it. Then it may lose up to `hold` sets more than come good: a noisy lane stays locked, one that died does not.
    pub fn step(&mut self, identity: Option<u8>, needed: u32, hold: u32) {
        *self = match identity {
            None if self.good > needed => LaneLock { good: self.good - 1, ..*self },
            None => LaneLock::default(),
            Some(identity) if identity != self.identity => {
                LaneLock { good: 1, identity }.or_full(needed, hold)
            }
            Some(identity) => LaneLock { good: self.good + 1, identity }.or_full(needed, hold),
        };
    }

    const fn or_full(self, needed: u32, hold: u32) -> Self {
        let full = needed + hold;
        let good = if self.good == needed || self.good > full { full } else { self.good };
        LaneLock { good, ..self }
    }

    /// The sender's lane number, once `needed` consecutive good sets have named it.
    #[must_use]
    pub fn locked(&self, needed: u32) -> Option<u8> {
        (self.good >= needed).then_some(self.identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::TrainingKind;

    fn set(lane: u8, count: u8) -> TrainingSet {
        TrainingSet {
            kind: TrainingKind::Ts1,
            lane,
            bond: 0,
            count,
            capabilities: 7,
            preferred: 1,
            bonded: false,
            log2_flits_per_beat: 1,
            log2_replay_slots: 7,
            v_au: 3,
            vls_minus_1: 3,
            fresh: true,
            tx_mask: 0xF,
            rx_ok: 0,
            request: 0,
            answer: 0,
            epoch: 1,
            next_rx_ltp: 0,
            guid: 5,
        }
    }

    #[test]
    fn either_polarity_reads_the_same_and_a_wrong_bit_nothing() {
        let words = set(2, 9).encode().expect("a set");
        let normal = ArrivedSet::read(words, 0).expect("good");
        assert_eq!((normal.set, normal.polarity), (set(2, 9), Polarity::Normal));
        // uncoded, the comma is turned over too; 8b10b keeps it
        for swapped in [words.map(|word| !word), inverted(words)] {
            let swapped = ArrivedSet::read(swapped, 0).expect("good");
            assert_eq!((swapped.set, swapped.polarity), (set(2, 9), Polarity::Inverted));
        }
        for bit in 0..256 {
            let mut bad = words;
            bad[bit / 32] ^= 1 << (bit % 32);
            assert_eq!(ArrivedSet::read(bad, 0), None, "bit {bit}");
        }
    }

    #[test]
    fn lanes_line_up_within_seven_words_either_way() {
        let at = |count: u8, arrival| ArrivedSet { set: set(0, count), polarity: Polarity::Normal, arrival };
        // lane 1 is 7 words early, lane 2 is 7 late; the count is just wrapping
        assert_eq!(deskew(&[at(0, 2055), at(255, 2040), at(255, 2054)]), Some(vec![7, 14, 0]));
        assert_eq!(deskew(&[at(3, 100), at(3, 115)]), None);
        assert_eq!(deskew(&[]), None);
    }

    #[test]
    fn the_lane_that_stands_apart_is_left_out() {
        let at = |lane: u8, arrival| ArrivedSet { set: set(lane, 9), polarity: Polarity::Normal, arrival };
        // in the order of the receiver's lanes: which comes in where plays no part but for ties
        assert_eq!(outlier(&[at(3, 100), at(0, 115), at(1, 100), at(2, 101)]), Some(0), "far from all");
        assert_eq!(outlier(&[at(0, 100), at(1, 110), at(2, 120)]), Some(2), "the one between may stay");
        assert_eq!(outlier(&[at(0, 100), at(3, 100), at(1, 120), at(2, 120)]), Some(2), "two and two");
        assert_eq!(
            outlier(&[at(0, 100), at(1, 110), at(2, 117), at(3, 100)]),
            Some(2),
            "far from most, not from all"
        );
        assert_eq!(outlier(&[at(1, 120), at(0, 100)]), Some(0), "one and one");
        assert_eq!(outlier(&[at(0, 100), at(1, 114), at(2, 107)]), None, "they line up");
    }

    #[test]
    fn a_lane_locks_after_eight_good_sets_in_a_row() {
        let mut lock = LaneLock::default();
        let step = |lock: &mut LaneLock, identity, times| (0..times).for_each(|_| lock.step(identity, 8, 7));
        step(&mut lock, Some(3), 7);
        assert_eq!(lock.locked(8), None);
        step(&mut lock, None, 1);
        step(&mut lock, Some(3), 7);
        assert_eq!(lock.locked(8), None, "the bad one starts the count again");
        step(&mut lock, Some(3), 1);
        assert_eq!(lock.locked(8), Some(3));
        step(&mut lock, Some(1), 1);
        assert_eq!(lock.locked(8), None, "another identity");
    }

    #[test]
    fn a_locked_lane_stays_so_until_it_has_lost_eight_sets_more_than_came() {
        let mut lock = LaneLock::default();
        let step = |lock: &mut LaneLock, identity, times| (0..times).for_each(|_| lock.step(identity, 8, 7));
        step(&mut lock, Some(2), 8);
        step(&mut lock, None, 7);
        assert_eq!(lock.locked(8), Some(2), "seven lost");
        step(&mut lock, Some(2), 1);
        step(&mut lock, None, 1);
        assert_eq!(lock.locked(8), Some(2), "one came, one lost");
        step(&mut lock, None, 1);
        assert_eq!(lock.locked(8), None, "eight more than came");
        step(&mut lock, Some(2), 7);
        assert_eq!(lock.locked(8), None, "eight in a row again");
    }
}
