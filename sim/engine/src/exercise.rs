//! One deterministic stimulus and one hash for every way of simulating: equal hashes say that the outputs were equal
//! on every clock, and the same work makes their speeds comparable.
//!
//! Both are light, so that a fast simulator is not slowed by them: one step of a 64-bit xorshift generator per clock, from
//! which each input word is drawn, and each output word enters the hash, without waiting for the word before it.
//! `verilator/harness.cpp` does the same in C++.

use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind, Ports};
use crate::trace::Columns;

/// Start of the generator unless another is chosen.
pub const SEED: u64 = 0x1234_5678_9abc_def1;

/// Odd, so that its odd multiples are all different and lose no bit.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Odd, with ones and zeros well mixed.
const SPREAD: u64 = 0xbf58_476d_1ce4_e5b9;

/// Which input bits are random, and what the others are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// Ones where an input bit is drawn anew on every clock, laid out as the input columns.
    pub random: Vec<u64>,
    /// Values at the start; bits that are not random keep them.
    pub inputs: Vec<u64>,
    /// Start of the generator in every run: any number but 0.
    pub seed: u64,
}

impl Exercise {
    /// All inputs random but those in `fixed`, by port path; an unknown path is an error.
    pub fn new(ports: &Ports, fixed: &[(&str, u64)]) -> Result<Self, SimError> {
        let handles = ports.of_kind(PortKind::Input);
        let columns = Columns::new(handles.iter().map(|handle| ports.port(*handle).clone()).collect());
        let words = vec![0; columns.stride()];
        let mut exercise = Self { random: words.clone(), inputs: words, seed: SEED };
        for (column, port) in columns.ports().iter().enumerate() {
            let ones = flitforge_elaborate::Value::ones(port.width);
            exercise.random[columns.range(column)].copy_from_slice(ones.words());
        }
        for (path, value) in fixed {
            let handle = ports.find(path)?;
            let Some(column) = handles.iter().position(|input| *input == handle) else {
                return Err(SimError::PortMisuse {
                    block: ports.block().into(),
                    path: (*path).into(),
                    problem: "cannot be fixed: it is no input".into(),
                });
            };
            exercise.random[columns.range(column)].fill(0);
            exercise.inputs[columns.range(column).start] = *value;
        }
        Ok(exercise)
    }

    /// Draws the inputs of the next clock.
    #[inline]
    pub fn draw(&mut self, seed: &mut u64) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        let mut place = STEP;
        for (word, random) in self.inputs.iter_mut().zip(&self.random) {
            let drawn = (*seed ^ place).wrapping_mul(SPREAD);
            *word = *word & !random | (drawn ^ drawn >> 32) & random;
            place = place.wrapping_add(STEP);
        }
    }

    /// `clocks` clocks of all clock inputs; returns the hash of all outputs on all clocks.
    pub fn run(&mut self, bench: &mut dyn Bench, clocks: u64) -> Result<u64, SimError> {
        let ports = |kind| -> Vec<(PortHandle, usize)> {
            let list = bench.ports();
            list.of_kind(kind).into_iter().map(|port| (port, list.port(port).words())).collect()
        };
        let (inputs, outputs) = (ports(PortKind::Input), ports(PortKind::Output));
        let all_clocks = bench.ports().of_kind(PortKind::Clock);
        let (mut seed, mut hash) = (self.seed, 0);
        let mut row = vec![0; outputs.iter().map(|(_, words)| *words).sum()];
        for _ in 0..clocks {
            self.draw(&mut seed);
            let mut at = 0;
            for (port, count) in &inputs {
                bench.set_words(*port, &self.inputs[at..at + count]);
                at += count;
            }
            bench.settle()?;
            let mut at = 0;
            for (port, count) in &outputs {
                bench.read_words(*port, &mut row[at..at + count]);
                at += count;
            }
            hash = mix(hash, row.iter().copied());
            bench.step_clocks(&all_clocks)?;
        }
        Ok(hash)
    }
}

/// The hash after one more clock: every word counts with a factor of its own.
#[inline]
pub fn mix(hash: u64, words: impl Iterator<Item = u64>) -> u64 {
    let (mut sum, mut factor) = (hash, STEP);
    for word in words {
        sum = sum.wrapping_add((word ^ factor).wrapping_mul(factor));
        factor = factor.wrapping_add(STEP << 1);
    }
    sum.wrapping_mul(SPREAD) ^ sum >> 29
}
