//! What beats and packets carry: numbers, and bits that follow from these.

/// Words of the widest beat: four flits.
pub const BEAT_WORDS: usize = 5;
/// Bits of a beat's number.
pub(crate) const NUMBER_BITS: u32 = 48;

/// A beat's words.
pub type Beat = [u64; BEAT_WORDS];

/// Bits that follow from end, number and flit, alike for no two of them.
pub(crate) fn mixed(end: usize, number: u64, flit: usize) -> u64 {
    let mut value = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ ((flit as u64) << 57) ^ end as u64;
    for _ in 0..2 {
        value = (value ^ value >> 31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    value ^ value >> 32
}
