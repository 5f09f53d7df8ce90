//! The waveform of a case: both ends and their cables, each end's values with the times of its own core clock.

use crate::cable::Cable;
use crate::end::End;
use crate::probe::{around, Probe};
use crate::setup::Setup;
use flitforge_sim::kit::line::PICOSECOND;
use flitforge_sim::waves::{SignalTable, ValueWaves, WaveRequest};
use flitforge_sim::SimError;
use std::collections::VecDeque;
use std::path::PathBuf;

/// What stood at an end between two edges of its core clock.
struct Stand {
    /// Time of the first of them, in femtoseconds.
    time: u64,
    /// There was an edge at this time: not so at the beginning.
    rises: bool,
    values: Vec<Vec<u64>>,
}

/// A waveform being written. Values are known at the edge that ends them, so they wait until both ends are as far.
pub struct LineWaves {
    waves: ValueWaves,
    /// Place of the first signal of each end in the table.
    first: [usize; 2],
    edges: [Option<u64>; 2],
    waiting: [VecDeque<Stand>; 2],
    /// What the file refused.
    error: Option<SimError>,
}

impl LineWaves {
    /// The waveform asked for, if one is, of two ends with these probes.
    pub fn new(request: &WaveRequest, setup: &Setup, probes: &[Probe; 2]) -> Result<Option<Self>, SimError> {
        let of_end = |end: usize| probes[end].shown(end, setup.shape.links, setup.shape.lanes);
        let mut signals = of_end(0);
        let first = [0, signals.len()];
        signals.extend(of_end(1));
        let table = SignalTable::of_values("line", &["end0.core", "end1.core"], signals);
        let waves = ValueWaves::requested(request, table)?;
        Ok(waves.map(|waves| Self {
            waves,
            first,
            edges: [None; 2],
            waiting: [VecDeque::new(), VecDeque::new()],
            error: None,
        }))
    }

    /// The core clock of an end has risen, and what its probe saw is over.
    pub fn edge(&mut self, which: usize, end: &End, cables: &[Cable], now: u64) {
        let (Some(probe), None) = (&end.probe, &self.error) else { return };
        let mut values = probe.values.clone();
        values.extend(around(end.powered, cables).map(|value| vec![value]));
        let before = self.edges[which].replace(now);
        self.waiting[which].push_back(Stand { time: before.unwrap_or(0), rises: before.is_some(), values });
        while self.error.is_none() && self.waiting.iter().all(|waiting| !waiting.is_empty()) {
            self.error = self.row().err();
        }
    }

    /// Writes the earliest of what waits.
    fn row(&mut self) -> Result<(), SimError> {
        let time = |end: usize| self.waiting[end].front().map_or(u64::MAX, |stand| stand.time);
        let end = usize::from(time(1) < time(0));
        let Some(Stand { time, rises, values }) = self.waiting[end].pop_front() else { return Ok(()) };
        for (place, value) in values.iter().enumerate() {
            self.waves.set(self.first[end] + place, value);
        }
        self.waves.row(time / PICOSECOND, u64::from(rises) << end)
    }

    /// Writes what is left.
    pub fn finish(mut self) -> Result<PathBuf, SimError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        while self.waiting.iter().any(|waiting| !waiting.is_empty()) {
            self.row()?;
        }
        self.waves.finish()
    }
}
