//! Signals that are read together on every clock, for waveforms and recordings.

use flitforge_elaborate::value::words_for;

/// A list of signals looked up once by [`Bench::watch`](crate::Bench::watch). Their values lie in a row, each in whole words of 64
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

    /// The signals, in the order asked for.
    pub fn signals(&self) -> &[WatchedSignal] {
        &self.signals
    }

    /// Words of the whole row.
    pub fn words(&self) -> usize {
        self.words
    }
}
