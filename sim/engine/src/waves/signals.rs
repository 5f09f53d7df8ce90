//! Which signals there are, how their bits are read, and their values on a bench.

use super::pattern::matches;
use crate::bench::no_such_signal;
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind, Ports};
use crate::watch::Watch;
use flitforge_elaborate::graph::{ModuleId, Shape, SignalKind};
use flitforge_elaborate::value::words_for;
use flitforge_elaborate::Design;
use std::collections::{BTreeSet, HashSet};

/// Names that an error about an unknown signal suggests.
const SUGGESTIONS: usize = 5;

/// A signal that a waveform can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaveSignal {
    /// Rust path from the top.
    pub(crate) path: String,
    /// Width in bits.
    pub(crate) width: u32,
    /// How its bits are to be read.
    pub(crate) shape: Shape,
}

/// All signals of a block that waveforms can show.
#[derive(Clone, Debug)]
pub struct SignalTable {
    block: String,
    clocks: Vec<String>,
    signals: Vec<WaveSignal>,
    /// Names of the ports among the signals.
    ports: HashSet<String>,
    /// Paths of instances; every other scope is a bundle of signals.
    instances: BTreeSet<String>,
}

impl SignalTable {
    /// The ports of a block, as plain bits: for a bench whose design is not at hand.
    pub fn of_ports(ports: &Ports) -> Self {
        let (clocks, others): (Vec<_>, Vec<_>) =
            ports.list().iter().partition(|port| port.kind == PortKind::Clock);
        let signal = |port: &&crate::Port| WaveSignal {
            path: port.path.clone(),
            width: port.width,
            shape: Shape::Bits,
        };
        Self {
            block: ports.block().into(),
            clocks: clocks.iter().map(|port| port.path.clone()).collect(),
            signals: others.iter().map(signal).collect(),
            ports: others.iter().map(|port| port.path.clone()).collect(),
            instances: BTreeSet::new(),
        }
    }

    /// Signals of a bench with several blocks: paths of its clocks; path, width and shape of the others.
    pub fn of_values(block: &str, clocks: &[&str], signals: Vec<(String, u32, Shape)>) -> Self {
        Self {
            block: block.into(),
            clocks: clocks.iter().map(|path| (*path).into()).collect(),
            ports: signals.iter().map(|(path, ..)| path.clone()).collect(),
            signals: signals
                .into_iter()
                .map(|(path, width, shape)| WaveSignal { path, width, shape })
                .collect(),
            instances: BTreeSet::new(),
        }
    }

    /// Every signal of an elaborated design, with its enumerations and structs.
    pub fn of_design(ports: &Ports, design: &Design) -> Self {
        let mut table = Self::of_ports(ports);
        table.signals.clear();
        let mut seen = HashSet::new();
        table.add_module(design, design.top, "", &mut seen);
        table
    }

    fn add_module(&mut self, design: &Design, id: ModuleId, prefix: &str, seen: &mut HashSet<String>) {
        let module = design.module(id);
        for signal in &module.signals {
            let hidden = matches!(signal.kind, SignalKind::Constant(_) | SignalKind::InOut)
                || signal.shape == Shape::Clock;
            let path = format!("{prefix}{}", signal.path);
            // A child's port is a signal of its parent too.
            if !hidden && seen.insert(path.clone()) {
                self.signals.push(WaveSignal { path, width: signal.width, shape: signal.shape.clone() });
            }
        }
        for instance in &module.instances {
            let path = format!("{prefix}{}", instance.path);
            self.add_module(design, instance.module, &format!("{path}."), seen);
            self.instances.insert(path);
        }
    }

    /// Adds internal signals of which only the path is known; a path that the bench cannot see is an error.
    pub fn with_internal(mut self, bench: &dyn Bench, paths: &[String]) -> Result<Self, SimError> {
        for path in paths {
            let value = bench.peek(path).ok_or_else(|| no_such_signal(bench, path))?;
            self.signals.push(WaveSignal { path: path.clone(), width: value.width(), shape: Shape::Bits });
            self.ports.insert(path.clone());
        }
        Ok(self)
    }

    /// Name of the block.
    pub fn block(&self) -> &str {
        &self.block
    }

    /// Paths of the clocks.
    pub fn clocks(&self) -> &[String] {
        &self.clocks
    }

    /// Paths of all signals but the clocks.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.signals.iter().map(|signal| signal.path.as_str())
    }

    /// All signals but the clocks.
    pub(super) fn signals(&self) -> &[WaveSignal] {
        &self.signals
    }

    /// How a signal's bits are to be read.
    pub(crate) fn shape(&self, path: &str) -> Shape {
        let found = self.signals.iter().find(|signal| signal.path == path);
        found.map_or(Shape::Bits, |signal| signal.shape.clone())
    }

    pub(super) fn is_instance(&self, path: &str) -> bool {
        self.instances.contains(path)
    }

    /// The signals that fit any of the patterns (`*` part of a name, `**` anything, `?` one character; a plain
    /// name stands for all inside it); all ports without patterns. A pattern that fits nothing is an error
    /// with the nearest names.
    pub(crate) fn select(&self, patterns: &[String]) -> Result<Vec<WaveSignal>, SimError> {
        for pattern in patterns {
            if !self.paths().any(|path| matches(pattern, path)) {
                return Err(self.unknown(pattern));
            }
        }
        let wanted = |signal: &&WaveSignal| match patterns {
            [] => self.ports.contains(&signal.path),
            _ => patterns.iter().any(|pattern| matches(pattern, &signal.path)),
        };
        Ok(self.signals.iter().filter(wanted).cloned().collect())
    }

    fn unknown(&self, pattern: &str) -> SimError {
        let mut names: Vec<(f64, &str)> =
            self.paths().map(|path| (strsim::jaro_winkler(pattern, path), path)).collect();
        names.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let available = names.iter().take(SUGGESTIONS).map(|(_, path)| (*path).to_owned()).collect();
        SimError::Unknown { kind: "signal", name: pattern.into(), available }
    }
}

/// Reads the values of some signals of a bench, row by row.
#[derive(Clone, Debug)]
pub struct Sampler {
    pub(super) table: SignalTable,
    pub(super) signals: Vec<WaveSignal>,
    /// Handles of the ports; the others are watched, in this order.
    handles: Vec<Option<PortHandle>>,
    watch: Watch,
    watched: Vec<u64>,
    offsets: Vec<usize>,
    stride: usize,
    clocks: Vec<PortHandle>,
}

impl Sampler {
    /// For the signals of `table` that fit `patterns` (all ports without patterns). A signal that the bench
    /// cannot see is an error, and so are more than 64 clocks.
    pub fn new(bench: &mut dyn Bench, table: SignalTable, patterns: &[String]) -> Result<Self, SimError> {
        let signals = table.select(patterns)?;
        let handles: Vec<_> = signals.iter().map(|signal| bench.ports().get(&signal.path)).collect();
        let internal = signals.iter().zip(&handles).filter(|(_, handle)| handle.is_none());
        let internal: Vec<&str> = internal.map(|(signal, _)| signal.path.as_str()).collect();
        let watch = bench.watch(&internal)?;
        let clocks = table.clocks.iter().map(|path| bench.port(path)).collect::<Result<Vec<_>, _>>()?;
        if clocks.len() > 64 {
            let problem = format!("{} clocks; a waveform holds at most 64", clocks.len());
            return Err(SimError::Format { what: format!("block `{}`", table.block), problem });
        }
        let (offsets, stride) = offsets(&signals);
        Ok(Self { table, signals, handles, watch, watched: vec![], offsets, stride, clocks })
    }

    /// Words of a row.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// The words of one signal in a row.
    pub(super) fn range(&self, signal: usize) -> std::ops::Range<usize> {
        self.offsets[signal]..self.offsets[signal] + words_for(self.signals[signal].width)
    }

    /// Writes the settled values into a row.
    pub(super) fn sample(&mut self, bench: &dyn Bench, row: &mut [u64]) {
        if !self.watch.signals().is_empty() {
            bench.read_watch(&self.watch, &mut self.watched);
        }
        let mut watched = self.watch.signals().iter();
        for (index, handle) in self.handles.iter().enumerate() {
            let into = &mut row[self.range(index)];
            match (handle, handle.map_or_else(|| watched.next(), |_| None)) {
                (Some(handle), _) => bench.read_words(*handle, into),
                (None, Some(signal)) => into.copy_from_slice(&self.watched[signal.at..][..into.len()]),
                (None, None) => into.fill(0),
            }
        }
    }

    /// The clocks among `rising`: bit `n` stands for the `n`-th clock.
    pub(super) fn mask(&self, rising: &[PortHandle]) -> u64 {
        let rises = self.clocks.iter().enumerate().filter(|(_, clock)| rising.contains(clock));
        rises.fold(0, |mask, (index, _)| mask | 1 << index)
    }

    /// All clocks.
    pub(super) fn clocks(&self) -> &[PortHandle] {
        &self.clocks
    }
}

/// Where each signal's words begin in a row, and the words of a row.
pub(super) fn offsets(signals: &[WaveSignal]) -> (Vec<usize>, usize) {
    let mut stride = 0;
    let place = |signal: &WaveSignal| {
        stride += words_for(signal.width);
        stride - words_for(signal.width)
    };
    let offsets = signals.iter().map(place).collect();
    (offsets, stride)
}
