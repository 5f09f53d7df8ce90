//! The wrong bits of a bad LTP, found by XOR with its replay (chapter 10, 4.4 and 9).

use crate::ltp::{BITS_1088, WORD_BITS};

/// Most words of an LTP.
pub const MAX_WORDS: usize = BITS_1088 / WORD_BITS;
/// Wrong bits at which `bit_report::wrong_bits` stays.
pub const WRONG_BITS_MAX: u64 = (1 << bit_report::wrong_bits::WIDTH) - 1;

layout! {
    /// What is known of a bad LTP once its replay is there. Places are 0 if no bit is wrong.
    bit_report, "Wrong bits of an LTP", 56 bits, "chapter 10, 4.4", {
        wrong_bits [0 +: 8] "number of wrong bits; stays at 255";
        first_bit [8 +: 11] "LTP bit of the first: word n of the LTP in [10:5], bit of the word in [4:0]";
        first_line_bit [19 +: 11] "bits of the LTP before it on its lane";
        first_lane [30 +: 2] "its lane, by the sender's numbers";
        last_bit [32 +: 11] "LTP bit of the last";
        last_line_bit [43 +: 11] "bits of the LTP before it on its lane";
        last_lane [54 +: 2] "its lane";
    }
}
layout! {
    /// The wrong bits of a word of the LTP.
    bit_mask, "Wrong bits of a word", 38 bits, "chapter 10, 4.4", {
        mask [0 +: 32] "1: received other than sent";
        word [32 +: 6] "word n of the LTP";
    }
}

const _: () =
    assert!(MAX_WORDS <= 1 << bit_mask::word::WIDTH && BITS_1088 <= 1 << bit_report::first_bit::WIDTH);
