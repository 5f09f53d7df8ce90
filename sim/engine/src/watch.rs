//! Signals that are read together on every clock, for waveforms and recordings.

use crate::bench::Bench;
use crate::error::SimError;
use flitforge_elaborate::value::words_for;

/// A list of signals looked up once by [`Bench::watch`]. Their values lie in a row, each in whole words of 64
/// bits, least significant first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    signals: Vec<WatchedSignal>,
    words: usize,
    /// For the back end that made it.
    pub(crate) number: usize,
}

/// One signal of a [`Watch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedSignal {
    /// Hierarchical Rust path.
    pub path: String,
    /// Width in bits.
    pub width: u32,
    /// Its first word in the row.
    pub at: usize,
}

impl Watch {
    /// Lays out signals of these widths in a row.
    pub(crate) fn new(signals: impl IntoIterator<Item = (String, u32)>, number: usize) -> Self {
        let mut words = 0;
        let signals = signals.into_iter().map(|(path, width)| {
            let at = words;
            words += words_for(width);
            WatchedSignal { path, width, at }
        });
        Self { signals: signals.collect(), words, number }
    }

    /// The signals of `bench` at these paths, found by looking at each.
    pub(crate) fn by_peeking(bench: &(impl Bench + ?Sized), paths: &[&str]) -> Result<Self, SimError> {
        let found = paths.iter().map(|path| {
            let value = bench.peek(path).ok_or_else(|| no_such_signal(bench, path))?;
            Ok((path.to_string(), value.width()))
        });
        Ok(Self::new(found.collect::<Result<Vec<_>, SimError>>()?, 0))
    }

    /// The signals, in the order asked for.
    pub fn signals(&self) -> &[WatchedSignal] {
        &self.signals
    }

    /// Words of the whole row.
    pub fn words(&self) -> usize {
        self.words
    }
}

/// The error for a path that `bench` cannot see.
pub(crate) fn no_such_signal(bench: &(impl Bench + ?Sized), path: &str) -> SimError {
    SimError::PortMisuse {
        block: bench.ports().block().into(),
        path: path.into(),
        problem: format!("no such signal on the {} back end", bench.back_end().name()),
    }
}
