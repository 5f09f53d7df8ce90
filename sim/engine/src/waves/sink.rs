//! What a format of waveform files does.

use crate::mismatch::FourState;
use std::io;

/// A file format.
pub(super) trait Sink {
    /// Moves to a later time; the first call may be with time 0.
    fn time(&mut self, picoseconds: u64) -> io::Result<()>;
    /// A variable has a new value.
    fn change(&mut self, variable: usize, value: &FourState) -> io::Result<()>;
    /// Writes what is left.
    fn finish(self: Box<Self>, picoseconds: u64) -> io::Result<()>;
}

/// The bits of a value, the highest first: `0`, `1`, `x`.
pub(super) fn bits(value: &FourState) -> Vec<u8> {
    let one = |words: &[u64], index: u32| {
        words.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 == 1)
    };
    let bit = |index| match (one(&value.unknown, index), one(&value.value, index)) {
        (true, _) => b'x',
        (false, true) => b'1',
        (false, false) => b'0',
    };
    (0..value.width).rev().map(bit).collect()
}
