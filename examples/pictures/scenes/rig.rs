//! A block on a bench, and the values of some of its signals clock by clock.

use anyhow::Context;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_sim::{BackEnd, Bench};

/// What a row shows in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sample {
    /// The level of a single bit.
    Bit(bool),
    /// Anything wider.
    Text(String),
    /// A payload that does not count.
    Nothing,
}

/// A signal's values, a column each.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub samples: Vec<Sample>,
}

/// How a signal is shown.
#[derive(Clone, Copy)]
pub enum Show {
    /// A bit as a level, anything wider in hexadecimal.
    Plain,
    /// In hexadecimal while this other signal is 1.
    With(&'static str),
    /// As a level: whether any bit is 1.
    Any,
    /// By the name of the code.
    Code(fn(u64) -> Option<&'static str>),
}

/// Without zeros in front.
fn hexadecimal(value: &Value) -> String {
    let text = format!("{value:x}");
    match text.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    }
}

/// Path of a signal, what it is called in the picture, and how it is shown.
pub type Shown = (&'static str, &'static str, Show);

/// The bench of one block.
pub struct Rig {
    bench: Box<dyn Bench>,
    shown: &'static [Shown],
    rows: Vec<Row>,
}

impl Rig {
    /// A block at power-on; names of rows begin with `prefix`.
    pub fn new(
        name: &str,
        block: impl DriveBlock + 'static,
        prefix: &str,
        shown: &'static [Shown],
    ) -> anyhow::Result<Self> {
        let bench = BackEnd::Graph.open(name, Box::new(block))?;
        let row = |(_, name, _): &Shown| Row { name: format!("{prefix}{name}"), samples: vec![] };
        Ok(Self { bench, shown, rows: shown.iter().map(row).collect() })
    }

    /// Sets an input.
    pub fn set(&mut self, port: &str, value: u64) -> anyhow::Result<()> {
        self.set_words(port, &[value])
    }

    /// Sets a wide input, least significant word first.
    pub fn set_words(&mut self, port: &str, words: &[u64]) -> anyhow::Result<()> {
        let port = self.bench.port(port)?;
        self.bench.set_words(port, words);
        Ok(())
    }

    /// The settled value of any signal.
    pub fn get(&self, path: &str) -> anyhow::Result<u64> {
        self.value(path)?.to_u64().with_context(|| format!("{path} has more than 64 bits"))
    }

    fn value(&self, path: &str) -> anyhow::Result<Value> {
        self.bench.peek(path).with_context(|| format!("no signal {path}"))
    }

    /// Brings outputs up to date with the inputs.
    pub fn settle(&mut self) -> anyhow::Result<()> {
        Ok(self.bench.settle()?)
    }

    /// One clock that is not shown.
    pub fn step(&mut self) -> anyhow::Result<()> {
        Ok(self.bench.step()?)
    }

    /// Adds a column: the settled values before the coming edge.
    pub fn record(&mut self) -> anyhow::Result<()> {
        for (index, (path, _, show)) in self.shown.iter().enumerate() {
            let sample = self.sample(path, *show)?;
            self.rows[index].samples.push(sample);
        }
        Ok(())
    }

    /// One clock that is shown.
    pub fn clock(&mut self) -> anyhow::Result<()> {
        self.settle()?;
        self.record()?;
        self.step()
    }

    fn sample(&self, path: &str, show: Show) -> anyhow::Result<Sample> {
        let value = self.value(path)?;
        Ok(match show {
            Show::With(valid) if self.get(valid)? == 0 => Sample::Nothing,
            Show::Code(name) => {
                let name = value.to_u64().and_then(name);
                Sample::Text(name.with_context(|| format!("{path} has no code {value:x}"))?.to_owned())
            }
            Show::Any => Sample::Bit((0..value.width()).any(|bit| value.bit(bit))),
            Show::Plain if value.width() == 1 => Sample::Bit(value.bit(0)),
            _ => Sample::Text(hexadecimal(&value)),
        })
    }

    /// What was shown.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}
