//! A line of several pairs as a queue of bits each, with offsets and errors.

use flitforge_sim::kit::Rng;
use rand::Rng as _;
use std::collections::VecDeque;

/// The pairs of one direction; the last is the frame pair.
pub struct Line {
    pairs: Vec<VecDeque<bool>>,
}

impl Line {
    /// So many pairs, on which each bit is so many bits late.
    pub fn new(late: &[usize]) -> Self {
        Self { pairs: late.iter().map(|bits| VecDeque::from(vec![false; *bits])).collect() }
    }

    /// Two bits of each pair go in.
    pub fn push(&mut self, pairs: &[u8]) {
        for (line, pair) in self.pairs.iter_mut().zip(pairs) {
            line.extend([pair & 1 == 1, pair >> 1 & 1 == 1]);
        }
    }

    /// Two bits of each pair come out; 0 if none are there.
    pub fn pop(&mut self) -> Vec<u8> {
        let bit = |line: &mut VecDeque<bool>| u8::from(line.pop_front().unwrap_or(false));
        self.pairs.iter_mut().map(|line| bit(line) | bit(line) << 1).collect()
    }

    /// A bit too many or too few on all pairs, as when a clock pulse is doubled or lost.
    pub fn slide(&mut self, random: &mut Rng) {
        let more = random.random_bool(0.5);
        for line in &mut self.pairs {
            if more {
                line.push_front(false);
            } else {
                line.pop_front();
            }
        }
    }
}
