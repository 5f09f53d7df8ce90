//! Rows kept in memory: all, or the last ones.

use super::file::{Row, WaveFile};
use super::signals::{Sampler, SignalTable};
use super::PERIOD;
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// When a row shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// Number of its edge; the first is 0.
    pub(super) edge: u64,
    /// Time of the edge before, in picoseconds.
    pub(super) time: u64,
    /// Clocks that rose on that edge.
    pub(super) risen: u64,
}

/// Numbers edges and gives each row its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeCounter {
    edges: u64,
    time: u64,
    risen: u64,
}

impl EdgeCounter {
    /// The stamp of the row before the coming edge; `at` is that edge's time, if the bench has a schedule.
    pub(super) fn next(&mut self, rising: u64, at: Option<u64>) -> Stamp {
        let stamp = Stamp { edge: self.edges, time: self.time, risen: self.risen };
        let next = at.map_or(self.time, |at| at) + PERIOD;
        self.time = next.max(self.time + 1);
        self.risen = rising;
        self.edges += 1;
        stamp
    }

    /// Rows so far.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }
}

/// Values of some signals, row after row.
#[derive(Clone, Debug)]
pub struct WaveLog {
    pub(super) sampler: Sampler,
    pub(super) rows: VecDeque<(Stamp, Vec<u64>)>,
    limit: usize,
    counter: EdgeCounter,
}

impl WaveLog {
    /// Keeps the last `limit` rows of the signals that fit `patterns` (all ports without patterns).
    pub fn new(
        bench: &mut dyn Bench,
        table: SignalTable,
        patterns: &[String],
        limit: usize,
    ) -> Result<Self, SimError> {
        let sampler = Sampler::new(bench, table, patterns)?;
        Ok(Self::of(sampler, limit))
    }

    pub(super) fn of(sampler: Sampler, limit: usize) -> Self {
        Self { sampler, rows: VecDeque::new(), limit: limit.max(1), counter: EdgeCounter::default() }
    }

    /// Adds the settled values before an edge of all clocks.
    pub fn record(&mut self, bench: &dyn Bench) {
        let all = self.sampler.clocks().to_vec();
        self.record_edge(bench, &all, None);
    }

    /// Adds the settled values before an edge of these clocks, at `time` picoseconds if there is a schedule.
    pub fn record_edge(&mut self, bench: &dyn Bench, rising: &[PortHandle], time: Option<u64>) {
        let stamp = self.counter.next(self.sampler.mask(rising), time);
        self.push(bench, stamp);
    }

    pub(super) fn push(&mut self, bench: &dyn Bench, stamp: Stamp) {
        let full = self.rows.len() >= self.limit;
        let reused = if full { self.rows.pop_front() } else { None };
        let mut words = reused.map_or_else(|| vec![0; self.sampler.stride()], |(_, words)| words);
        self.sampler.sample(bench, &mut words);
        self.rows.push_back((stamp, words));
    }

    /// Rows kept.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes what is kept to a `.fst` or `.vcd`.
    pub fn write(&self, path: &Path) -> Result<PathBuf, SimError> {
        let mut file = WaveFile::create(path, &self.sampler.table, &self.sampler.signals)?;
        for (stamp, words) in &self.rows {
            file.row(&Row { time: stamp.time, risen: stamp.risen, words, unknown: &[] })?;
        }
        file.finish()
    }
}
