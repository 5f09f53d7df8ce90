//! The lag of a flit (chapter 20, 4.2 rule 1), from exact positions.

use flitforge_protocol::lane_word::LINE_POSITION_FRACTION_BITS;
use flitforge_protocol::time::{FINE_BITS, LAG_BITS};
use flitforge_protocol::time_lag::{COUNT_FRACTION_BITS, LINE_WORD_BITS};

/// The lag of a flit in 1/256 ns, or that it does not fit (LAG_SAT).
///
/// `words` is how far the line is in words of 12 fraction bits, `position` that of the beat's first bit (8 fraction bits), both modulo
/// 2^16 words; `word_fs` a word's nominal duration, `nominal_ns` NOM. rx if `received`, else tx.
#[must_use]
pub fn lag(received: bool, words: u32, position: u32, word_fs: u64, nominal_ns: u64) -> (i32, bool) {
    let bits = LINE_WORD_BITS + COUNT_FRACTION_BITS;
    let place = position << (COUNT_FRACTION_BITS - LINE_POSITION_FRACTION_BITS);
    let difference = if received { words.wrapping_sub(place) } else { place.wrapping_sub(words) };
    let unused = 32 - bits as u32;
    let difference = i128::from((difference << unused) as i32 >> unused);
    // 2^-12 words to 1/256 ns: half up.
    let scale = 1_000_000_i128 << (COUNT_FRACTION_BITS - FINE_BITS);
    let fine = (difference * i128::from(word_fs) + scale / 2).div_euclid(scale)
        - (i128::from(nominal_ns) << FINE_BITS);
    let most = 1_i128 << (LAG_BITS - 1);
    (fine.clamp(-most, most - 1) as i32, !(-most..most).contains(&fine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lags_are_line_time_less_the_nominal_one() {
        // 3.5 words of 6.4 ns are 22.4 ns; less 20 ns 2.4 ns = 614.4/256.
        assert_eq!(lag(true, 0x0100_3800, 0x10_0000, 6_400_000, 20), (614, false));
        assert_eq!(lag(false, 0x0100_0000, 0x10_0380, 6_400_000, 20), (614, false));
        // Over the wrap of the count.
        assert_eq!(lag(true, 0x0000_0800, 0xFF_FD00, 6_400_000, 20), (614, false));
        assert_eq!(lag(true, 0, 0x10_0000, 6_400_000, 0), (-(1 << 19), true));
    }
}
