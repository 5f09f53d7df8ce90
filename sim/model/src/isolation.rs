//! Which lane broke an LTP (chapter 10, 4.4).

use crate::crc::Crc;
use crate::stripe::Stripe;
use flitforge_protocol::crc::{Polynomial, LANE_ISOLATION};

/// The isolation CRC of each transfer group of one LTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolation {
    groups: Stripe,
    crcs: Vec<u32>,
}

/// What the comparison of a bad and its replayed LTP says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// One group differs.
    Lane {
        /// The transfer group.
        group: usize,
        /// The logical lane it rode on in the bad LTP.
        logical_lane: usize,
    },
    /// Two or more groups differ, but not all: no lane is charged.
    MultiLane,
    /// All groups differ, or there is only one lane: nothing can be said.
    Unknown,
    /// No group differs: a code error without a bit change.
    None,
}

impl Isolation {
    /// The group CRCs over all words of an LTP, its CRC bits included.
    #[must_use]
    pub fn new(words: &[u32], groups: Stripe) -> Self {
        Isolation::with_polynomial(words, groups, LANE_ISOLATION)
    }

    /// The same with another polynomial.
    #[must_use]
    pub fn with_polynomial(words: &[u32], groups: Stripe, polynomial: Polynomial) -> Self {
        let mut registers = vec![Crc::new(polynomial); groups.lanes()];
        for (index, &word) in words.iter().enumerate() {
            registers[groups.lane(index)].push_word(word);
        }
        Isolation { groups, crcs: registers.iter().map(Crc::value).collect() }
    }

    /// The CRC of each group.
    #[must_use]
    pub fn crcs(&self) -> &[u32] {
        &self.crcs
    }

    /// The verdict for the bad LTP `self`, received in sequence state `bad_state`, against its good replay.
    ///
    /// The state of the replay plays no part: the same group may come back on another lane. LTPs of different
    /// lane counts cannot be compared and give [`Verdict::Unknown`].
    #[must_use]
    pub fn compare(&self, replayed: &Isolation, bad_state: usize) -> Verdict {
        let lanes = self.groups.lanes();
        if lanes == 1 || replayed.crcs.len() != lanes {
            return Verdict::Unknown;
        }
        let differing: Vec<usize> =
            (0..lanes).filter(|&group| self.crcs[group] != replayed.crcs[group]).collect();
        match differing[..] {
            [] => Verdict::None,
            [group] => Verdict::Lane { group, logical_lane: self.groups.in_state(bad_state).lane(group) },
            _ if differing.len() == lanes => Verdict::Unknown,
            _ => Verdict::MultiLane,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(lanes: usize, damaged: &[usize], state: usize) -> Verdict {
        let groups = Stripe::groups(lanes).expect("lanes");
        let good = vec![0x0123_4567; 33];
        let mut bad = good.clone();
        damaged.iter().for_each(|&word| bad[word] ^= 0x10);
        Isolation::new(&bad, groups).compare(&Isolation::new(&good, groups), state)
    }

    #[test]
    fn the_state_of_the_bad_ltp_turns_the_group_into_a_lane() {
        for state in 0..4 {
            assert_eq!(verdict(4, &[6], state), Verdict::Lane { group: 2, logical_lane: (2 + state) % 4 });
        }
    }

    #[test]
    fn other_cases_charge_no_lane() {
        assert_eq!(verdict(4, &[], 0), Verdict::None);
        assert_eq!(verdict(4, &[0, 1], 0), Verdict::MultiLane);
        assert_eq!(verdict(4, &[0, 1, 2, 3], 0), Verdict::Unknown);
        assert_eq!(verdict(2, &[0, 1], 0), Verdict::Unknown);
        assert_eq!(verdict(1, &[5], 0), Verdict::Unknown);
    }
}
