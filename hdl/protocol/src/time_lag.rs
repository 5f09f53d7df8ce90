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
/// Clocks of the first window after a restart, as a power of 2; each later one is twice as long at least, up to the next.
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
/// Clocks over which the port's whole words are compared with a line whose phase is known, as a power of 2.
pub const COUNT_MEAN_LOG2: u32 = 16;
/// Word clock and core clock must not be this near to a ratio of small numbers for BEAT, in parts of 1000 (chapter 20, 4.2 rule 2).
pub const BEAT_RATIO_PER_MILLE: u128 = 1;
/// Largest number of such a ratio.
pub const BEAT_RATIO_MAX: u128 = 4;

/// DDMTD_K: the helper clock has 2^K/(2^K+1) of the word clock's frequency (chapter 20, 4.2). Least, default, most.
pub const DDMTD_K: (u32, u32, u32) = (6, 7, 10);
/// Bounds of the core clock's phase meet if they are nearer than this, 2^-13 core clock: each of two trackers has half of what BEAT has.
pub const DDMTD_GAP: u64 = 1 << (BOUND_FRACTION_BITS - 9);
/// In DDMTD a line outside its bounds by more than the gap over this is a tag before they meet.
pub const DDMTD_EDGE_PART: u64 = 2;
/// Core clocks between two pairs of lines, as a power of 2 (DDMTD).
pub const PAIR_CLOCKS_LOG2: u32 = 6;
/// Core clocks by which a pair is taken to be after its request at first; it may be this much earlier and as much later.
pub const PAIR_DELAY: u64 = 8;
/// Bits of how far a pair is behind its request, core clocks with 12 fraction bits.
pub const PAIR_DELAY_BITS: usize = COUNT_FRACTION_BITS + 4;
/// Fraction bits of the nominal rate that this is multiplied by.
pub const PAIR_RATE_FRACTION_BITS: usize = 14;
/// A pair moves the rate by its error over 2^3 times the clocks between two pairs.
pub const PAIR_RATE_LOG2: u32 = 3;
/// A pair moves the rate within this error, 2^-12 word.
pub const PAIR_RATE_BOUND: u64 = 1 << (COUNT_FRACTION_BITS - 4);
/// A pair is good within this error, 2^-12 word.
pub const PAIR_GOOD_BOUND: u64 = 1 << (COUNT_FRACTION_BITS - 6);
/// Good pairs in a row until the line is valid.
pub const PAIRS_UNTIL_OK: u8 = 31;
/// Helper clock and core clock must not be this near to a ratio of small numbers for DDMTD, in parts of 10000: both may be off by 200 ppm.
pub const HELPER_RATIO_PER_10000: u128 = 5;

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
    ratio_within(core_fs, word_fs, 10 * BEAT_RATIO_PER_MILLE)
}

/// The same of helper clock to core clock period, for DDMTD.
#[must_use]
pub fn helper_without_beat(helper_fs: u64, core_fs: u64) -> Option<(u128, u128)> {
    ratio_within(helper_fs, core_fs, HELPER_RATIO_PER_10000)
}

fn ratio_within(sampling_fs: u64, sampled_fs: u64, per_10000: u128) -> Option<(u128, u128)> {
    let (sampling, sampled) = (u128::from(sampling_fs), u128::from(sampled_fs));
    let ratios = (1..=BEAT_RATIO_MAX).flat_map(|p| (1..=BEAT_RATIO_MAX).map(move |q| (p, q)));
    ratios.into_iter().find(|(p, q)| (sampling * q).abs_diff(sampled * p) * 10_000 < sampled * p * per_10000)
}

/// Nominal period of the helper clock of DDMTD, fs.
#[must_use]
pub const fn helper_period(word_fs: u64, ddmtd_k: u32) -> u64 {
    word_fs + ((word_fs + (1 << ddmtd_k) / 2) >> ddmtd_k)
}

/// Bounds of the word clock's phase meet if they are nearer than this in DDMTD, 2^-13 word.
#[must_use]
pub const fn word_gap(core_fs: u64, word_fs: u64) -> u64 {
    let gap = meeting_gap(core_fs, word_fs);
    if gap < DDMTD_GAP {
        gap
    } else {
        DDMTD_GAP
    }
}

/// Words per core clock in 2^-14, rounded: what pairs of lines are brought to a core clock by.
#[must_use]
pub const fn pair_rate(core_fs: u64, word_fs: u64) -> u64 {
    let shift = LINE_FRACTION_BITS - PAIR_RATE_FRACTION_BITS;
    (nominal_rate(core_fs, word_fs) + (1 << (shift - 1))) >> shift
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
