//! The check of a lane in probation (chapter 10, 4.5): is each word the one that follows the word before it?

use crate::scrambler::Scrambler;

/// Finds its place in the sequence by itself: the last 23 bits of a word say all of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrbsCheck {
    following: Option<u32>,
}

impl PrbsCheck {
    /// True if this word follows the one before it in the sequence of the scramblers. Never so for the first.
    pub fn word(&mut self, word: u32) -> bool {
        let expected = self.following;
        self.following = Scrambler::after(word).map(|mut sequence| sequence.next_word());
        expected == Some(word)
    }

    /// A word was missed, or was a control word: the next one is the first.
    pub fn restart(&mut self) {
        *self = PrbsCheck::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::lane_word::MAX_LANES;

    #[test]
    fn every_lane_is_followed_from_its_second_word_on() {
        for lane in 0..MAX_LANES {
            let (mut sequence, mut check) = (Scrambler::new(lane).expect("a lane"), PrbsCheck::default());
            assert!(!check.word(sequence.next_word()));
            assert!((0..100_000).all(|_| check.word(sequence.next_word())), "lane {lane}");
        }
    }

    #[test]
    fn every_wrong_bit_is_seen_and_two_words_later_all_is_well() {
        for bit in 0..32 {
            let (mut sequence, mut check) = (Scrambler::new(1).expect("a lane"), PrbsCheck::default());
            check.word(sequence.next_word());
            assert!(!check.word(sequence.next_word() ^ 1 << bit), "bit {bit}");
            let next = check.word(sequence.next_word());
            assert_eq!(
                next,
                bit < 9,
                "a wrong one of the last 23 bits makes the next word bad, too: bit {bit}"
            );
            assert!(check.word(sequence.next_word()), "bit {bit}");
        }
    }

    #[test]
    fn a_line_that_stands_still_and_training_sets_are_never_good() {
        for stuck in [0, u32::MAX, 0x0F1E_2D3C, 0xAAAA_AAAA, 0x5555_5555] {
            let mut check = PrbsCheck::default();
            assert!((0..100).all(|_| !check.word(stuck)), "{stuck:#x}");
        }
        let mut sequence = Scrambler::new(2).expect("a lane");
        let mut check = PrbsCheck::default();
        check.word(sequence.next_word());
        check.restart();
        assert!(!check.word(sequence.next_word()), "after a word that was missed");
    }
}
