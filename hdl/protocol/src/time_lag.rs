//! Constants of the lag meters (chapter 20, 4.2), of model and hardware alike.
//!
//! A meter follows the phase of a word clock with a line in the sampling clock: phase = line + rate * clocks. Each sample of the halved
//! word clock says on which side of a word's edge the phase is, so it bounds the error of the line from one side. Bounds are
//! gathered over a *window*; where they meet is a *tag*, by which line and rate are corrected.

/// Bits of a count of words, modulo 2^16.
pub const LINE_WORD_BITS: usize = 16;
/// Fraction bits of the line that is followed.
pub const LINE_FRACTION_BITS: usize = 32;
/// Fraction bits of the line that a meter calculates with.
pub const COUNT_FRACTION_BITS: usize = 12;
/// Fraction bits of bounds; a tag has one more.
pub const BOUND_FRACTION_BITS: usize = 13;
/// Bits of the rate's deviation from nominal, signed, 2^-32 words per clock: +-977 ppm of a word.
pub const RATE_OFFSET_BITS: usize = 23;
/// Most words per clock.
pub const WORDS_PER_CLOCK_MAX: u64 = 4;
/// Clocks of the first window behind a restart, as a power of 2; each later one is twice as long at least, up to the next.
pub const WINDOW_FIRST_LOG2: u32 = 6;
/// Clocks of a window at least, as a power of 2.
pub const WINDOW_LEAST_LOG2: u32 = 10;
/// Clocks without a tag after which the phase is static, as a power of 2 (chapter 20, 4.2 rule 2).
pub const STATIC_LOG2: u32 = 24;
/// Clocks by which one unit of 2^-13 word is added to both bounds, as a power of 2: fewest, most. The rate is not known better.
pub const LEAK_LOG2: (u32, u32) = (5, 20);
/// Bounds that contradict each other by more than this, 2^-13 word, mean a slip.
pub const SLIP_BOUND: u64 = 1 << (BOUND_FRACTION_BITS - 2);
/// A line this far outside its bounds, 2^-13 word, is a tag before they meet.
pub const EDGE_BOUND: u64 = 1 << (BOUND_FRACTION_BITS - 8);
/// A tag is good within this, 2^-14 word.
pub const GOOD_TAG: u64 = 1 << (BOUND_FRACTION_BITS + 1 - 7);
/// A tag that is no meeting of bounds moves the rate within this, 2^-14 word.
pub const RATE_TAG: u64 = 1 << (BOUND_FRACTION_BITS + 1 - 4);
/// Good tags in a row until the phase is valid (chapter 20, 4.2 rule 5).
pub const TAGS_UNTIL_OK: u8 = 2;
/// Clocks from a tag to the first sample of the next window.
pub const TAG_FLUSH_CLOCKS: u32 = 8;
/// Word clock and core clock must not be this near to a ratio of small numbers for BEAT, in parts of 1000 (chapter 20, 4.2 rule 2).
pub const BEAT_RATIO_PER_MILLE: u128 = 1;
/// Largest number of such a ratio.
pub const BEAT_RATIO_MAX: u128 = 4;

/// Bounds meet if they are nearer than this, 2^-13 word: 1/256 of a core clock or finer.
#[must_use]
pub const fn meeting_gap(core_fs: u64, word_fs: u64) -> u64 {
    let mut gap = 1 << (BOUND_FRACTION_BITS - 8);
    let mut word = word_fs;
    while gap > 1 && word > core_fs + core_fs / 1024 {
        gap /= 2;
        word = word.div_ceil(2);
    }
    gap
}

/// Words per core clock in 2^-32, rounded.
#[must_use]
pub const fn nominal_rate(core_fs: u64, word_fs: u64) -> u64 {
    ((((core_fs as u128) << LINE_FRACTION_BITS) + word_fs as u128 / 2) / word_fs as u128) as u64
}

/// The ratio p/q of core clock period to word clock period that BEAT cannot tell phases at, if there is one.
#[must_use]
pub fn ratio_without_beat(core_fs: u64, word_fs: u64) -> Option<(u128, u128)> {
    let (core, word) = (u128::from(core_fs), u128::from(word_fs));
    let ratios = (1..=BEAT_RATIO_MAX).flat_map(|p| (1..=BEAT_RATIO_MAX).map(move |q| (p, q)));
    ratios.into_iter().find(|(p, q)| (core * q).abs_diff(word * p) * 1000 < word * p * BEAT_RATIO_PER_MILLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_clock_that_beats_is_told_from_one_that_does_not() {
        assert_eq!(ratio_without_beat(6_400_000, 6_241_000), None);
        assert_eq!(ratio_without_beat(6_400_000, 6_400_000), Some((1, 1)));
        assert_eq!(ratio_without_beat(6_400_000, 6_393_700), Some((1, 1)));
        assert_eq!(ratio_without_beat(6_400_000, 6_393_000), None);
        assert_eq!(ratio_without_beat(6_400_000, 8_533_333), Some((3, 4)));
    }

    #[test]
    fn the_gap_follows_the_core_clock() {
        assert_eq!(meeting_gap(6_400_000, 6_241_000), 32);
        assert_eq!(meeting_gap(6_400_000, 6_600_000), 16);
        assert_eq!(meeting_gap(6_400_000, 21_000_000), 8);
        assert_eq!(nominal_rate(6_400_000, 12_800_000), 1 << 31);
    }
}
