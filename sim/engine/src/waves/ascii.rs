//! Waveforms as text, for documents and snapshot tests.

use super::log::WaveLog;
use flitforge_elaborate::graph::Shape;
use flitforge_elaborate::Value;

/// Least characters of a column.
const LEAST: usize = 4;

/// The rows of a log as text: a line of clock numbers, a line per clock, a line per signal. A bit is `_` or `~`
/// with its edges, anything wider its value (hexadecimal, or the state's name) where it changes.
/// Columns are as wide as the widest value needs; lines end without blanks.
///
/// ```text
///            0   1   2   3
/// clock      ____/~\_/~\_/~\_
/// enable     ____/~~~\___/~~~
/// count      |0      |1
/// ```
pub fn render(log: &WaveLog) -> String {
    let sampler = &log.sampler;
    let values = |signal: usize| -> Vec<Cell> {
        let shown = &sampler.signals[signal];
        let row = |words: &Vec<u64>| Value::from_words(shown.width, &words[sampler.range(signal)]);
        log.rows.iter().map(|(_, words)| cell(&row(words), &shown.shape)).collect()
    };
    let signals: Vec<(&str, Vec<Cell>)> =
        sampler.signals.iter().enumerate().map(|(i, signal)| (signal.path.as_str(), values(i))).collect();
    let names = sampler.table.clocks().iter().map(String::len);
    let margin = names.chain(signals.iter().map(|(name, _)| name.len())).max().unwrap_or(0) + 2;
    let widest = signals.iter().flat_map(|(_, cells)| cells).map(Cell::width).max().unwrap_or(0);
    let last = log.rows.back().map_or(0, |(stamp, _)| stamp.edge.to_string().len());
    let column = LEAST.max(widest + 2).max(last + 1);

    let mut text = String::new();
    let mut line = |name: &str, body: String| {
        let whole = format!("{name:<margin$}{body}");
        text.push_str(whole.trim_end());
        text.push('\n');
    };
    let numbers = log.rows.iter().map(|(stamp, _)| format!("{:<column$}", stamp.edge));
    line("", numbers.collect());
    for (index, name) in sampler.table.clocks().iter().enumerate() {
        line(name, log.rows.iter().map(|(stamp, _)| pulse(stamp.risen >> index & 1 == 1, column)).collect());
    }
    for (name, cells) in &signals {
        line(name, trace(cells, column));
    }
    text
}

/// A value in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    Bit(bool),
    Text(String),
}

impl Cell {
    fn width(&self) -> usize {
        match self {
            Self::Bit(_) => 1,
            Self::Text(text) => text.chars().count(),
        }
    }
}

fn cell(value: &Value, shape: &Shape) -> Cell {
    match shape {
        Shape::Enum(_, variants) => {
            let name = value.to_u64().and_then(|number| variants.get(number as usize));
            Cell::Text(name.cloned().unwrap_or_else(|| format!("?{value:x}")))
        }
        Shape::Struct(fields) => {
            let field = |field: &flitforge_elaborate::graph::Field| match cell(
                &value.slice(field.offset, field.width),
                &field.shape,
            ) {
                Cell::Bit(bit) => u8::from(bit).to_string(),
                Cell::Text(text) => text,
            };
            Cell::Text(fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        _ if value.width() == 1 => Cell::Bit(value.bit(0)),
        _ => Cell::Text(format!("{value:x}")),
    }
}

/// A clock's column: high for the first half where it rose.
fn pulse(rose: bool, column: usize) -> String {
    if !rose {
        return "_".repeat(column);
    }
    let high = column / 2 - 1;
    format!("/{}\\{}", "~".repeat(high), "_".repeat(column - high - 2))
}

fn trace(cells: &[Cell], column: usize) -> String {
    let mut body = String::new();
    let mut before: Option<&Cell> = None;
    for cell in cells {
        let changed = before.is_some_and(|before| before != cell);
        match cell {
            Cell::Bit(bit) => {
                let level = if *bit { "~" } else { "_" };
                let edge = if *bit { "/" } else { "\\" };
                body.push_str(if changed { edge } else { level });
                body.push_str(&level.repeat(column - 1));
            }
            Cell::Text(text) if changed || before.is_none() => {
                body.push_str(&format!("|{text:<width$}", width = column - 1));
            }
            Cell::Text(_) => body.push_str(&" ".repeat(column)),
        }
        before = Some(cell);
    }
    body
}
