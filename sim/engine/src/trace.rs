//! What went into and came out of a block, clock by clock, and the comparison of two such records.

use crate::bench::Bench;
use crate::error::SimError;
use crate::mismatch::FourState;
use crate::port::{Port, PortHandle, PortKind, Ports};

/// A group of ports laid out side by side in one row of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    ports: Vec<Port>,
    offsets: Vec<usize>,
    stride: usize,
}

impl Columns {
    /// The layout of these ports, in this order.
    pub fn new(ports: Vec<Port>) -> Self {
        let mut stride = 0;
        let offsets = ports
            .iter()
            .map(|port| {
                stride += port.words();
                stride - port.words()
            })
            .collect();
        Self { ports, offsets, stride }
    }

    /// The ports, in column order.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Words of a row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The words of one column in a row.
    pub fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.offsets[column]..self.offsets[column] + self.ports[column].words()
    }
}

/// The inputs and outputs of a block for a number of clocks. Row `n` holds the settled values just before
/// rising edge `n`, and which clocks rise on that edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    block: String,
    clocks: Vec<Port>,
    inputs: Columns,
    outputs: Columns,
    input_handles: Vec<PortHandle>,
    output_handles: Vec<PortHandle>,
    clock_handles: Vec<PortHandle>,
    input_words: Vec<u64>,
    output_words: Vec<u64>,
    edges: Vec<u64>,
}

impl Trace {
    /// An empty trace for a block with these ports (at most 64 clocks).
    pub fn new(ports: &Ports) -> Self {
        let columns = |kind| {
            let handles = ports.of_kind(kind);
            let list = handles.iter().map(|handle| ports.port(*handle).clone()).collect();
            (handles, list)
        };
        let (input_handles, inputs) = columns(PortKind::Input);
        let (output_handles, outputs) = columns(PortKind::Output);
        let (clock_handles, clocks) = columns(PortKind::Clock);
        Self {
            block: ports.block().into(),
            clocks,
            inputs: Columns::new(inputs),
            outputs: Columns::new(outputs),
            input_handles,
            output_handles,
            clock_handles,
            input_words: vec![],
            output_words: vec![],
            edges: vec![],
        }
    }

    /// Appends the settled state of `bench`, before an edge on which all its clocks rise.
    pub fn record(&mut self, bench: &dyn Bench) {
        let clocks = self.clock_handles.clone();
        self.record_edge(bench, &clocks);
    }

    /// Appends the settled state of `bench`, before an edge on which these clocks rise.
    pub fn record_edge(&mut self, bench: &dyn Bench, clocks: &[PortHandle]) {
        let append = |words: &mut Vec<u64>, columns: &Columns, handles: &[PortHandle]| {
            let start = words.len();
            words.resize(start + columns.stride(), 0);
            for (column, handle) in handles.iter().enumerate() {
                bench.read_words(*handle, &mut words[start..][columns.range(column)]);
            }
        };
        append(&mut self.input_words, &self.inputs, &self.input_handles);
        append(&mut self.output_words, &self.outputs, &self.output_handles);
        let rises = self.clock_handles.iter().enumerate().filter(|(_, clock)| clocks.contains(clock));
        self.edges.push(rises.fold(0, |mask, (index, _)| mask | 1 << index));
    }

    /// Name of the block.
    pub fn block(&self) -> &str {
        &self.block
    }

    /// Number of rows, which is the number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The clock ports.
    pub fn clocks(&self) -> &[Port] {
        &self.clocks
    }

    /// Layout of the input rows.
    pub fn inputs(&self) -> &Columns {
        &self.inputs
    }

    /// Layout of the output rows.
    pub fn outputs(&self) -> &Columns {
        &self.outputs
    }

    /// Inputs of a row, laid out as [`inputs`](Self::inputs) says.
    pub fn input_row(&self, row: usize) -> &[u64] {
        &self.input_words[row * self.inputs.stride()..][..self.inputs.stride()]
    }

    /// Outputs of a row, laid out as [`outputs`](Self::outputs) says.
    pub fn output_row(&self, row: usize) -> &[u64] {
        &self.output_words[row * self.outputs.stride()..][..self.outputs.stride()]
    }

    /// Which clocks rise at the end of a row: bit `n` stands for `clocks()[n]`.
    pub fn edges(&self, row: usize) -> u64 {
        self.edges[row]
    }

    /// The first `rows` rows.
    pub fn prefix(&self, rows: usize) -> Self {
        let rows = rows.min(self.len());
        let mut prefix = self.clone();
        prefix.edges.truncate(rows);
        prefix.input_words.truncate(rows * self.inputs.stride());
        prefix.output_words.truncate(rows * self.outputs.stride());
        prefix
    }

    /// Replays the inputs on another bench of the same block, up to and including the first row whose
    /// outputs differ, and returns the outputs.
    pub fn replay_on(&self, bench: &mut dyn Bench) -> Result<Outputs, SimError> {
        self.check_ports(bench.ports())?;
        let mut outputs = Outputs::default();
        let mut row_words = vec![0; self.outputs.stride()];
        for row in 0..self.len() {
            let inputs = self.input_row(row);
            for (column, handle) in self.input_handles.iter().enumerate() {
                bench.set_words(*handle, &inputs[self.inputs.range(column)]);
            }
            bench.settle()?;
            for (column, handle) in self.output_handles.iter().enumerate() {
                bench.read_words(*handle, &mut row_words[self.outputs.range(column)]);
            }
            outputs.push(&row_words);
            if row_words != self.output_row(row) {
                break;
            }
            let edges = self.edges(row);
            let rising: Vec<PortHandle> = (0..self.clock_handles.len())
                .filter(|index| edges >> index & 1 == 1)
                .map(|index| self.clock_handles[index])
                .collect();
            bench.step_clocks(&rising)?;
        }
        Ok(outputs)
    }

    pub(crate) fn check_ports(&self, ports: &Ports) -> Result<(), SimError> {
        let own = self.inputs.ports.iter().zip(&self.input_handles);
        let own = own.chain(self.outputs.ports.iter().zip(&self.output_handles));
        for (port, handle) in own.chain(self.clocks.iter().zip(&self.clock_handles)) {
            let same = ports.list().get(handle.index()).is_some_and(|other| {
                (&other.path, other.width, other.kind) == (&port.path, port.width, port.kind)
            });
            if !same {
                return Err(SimError::Format {
                    what: format!("trace of `{}`", self.block),
                    problem: format!("the bench of `{}` has no equal port `{}`", ports.block(), port.path),
                });
            }
        }
        Ok(())
    }

    /// True if a row of `other` differs from this trace's outputs; both have that row.
    pub(crate) fn row_differs(&self, other: &Outputs, row: usize) -> bool {
        let words = row * self.outputs.stride()..(row + 1) * self.outputs.stride();
        let word = |all: &[u64], index: usize| all.get(index).copied().unwrap_or(0);
        words.into_iter().any(|index| {
            let differs = self.output_words[index] ^ other.words[index];
            (differs | word(&other.unknown, index)) & !word(&other.ignored, index) != 0
        })
    }

    /// The first place where `other` differs from this trace's outputs, over the rows that `other` has.
    pub fn difference(&self, other: &Outputs) -> Option<Difference> {
        let stride = self.outputs.stride();
        let words = |words: &[u64], row: usize, column: usize| -> Vec<u64> {
            match words.get(row * stride..(row + 1) * stride) {
                Some(row) => row[self.outputs.range(column)].to_vec(),
                None => vec![0; self.outputs.ports[column].words()],
            }
        };
        for row in (0..self.len().min(other.rows)).filter(|row| self.row_differs(other, *row)) {
            for column in 0..self.outputs.ports.len() {
                let traced = words(&self.output_words, row, column);
                let found = words(&other.words, row, column);
                let unknown = words(&other.unknown, row, column);
                let ignored = words(&other.ignored, row, column);
                let differs =
                    (0..traced.len()).any(|i| ((traced[i] ^ found[i]) | unknown[i]) & !ignored[i] != 0);
                if differs {
                    let port = &self.outputs.ports[column];
                    return Some(Difference {
                        row,
                        port: port.path.clone(),
                        traced: FourState::known(port.width, &traced),
                        found: FourState { width: port.width, value: found, unknown },
                        ignored,
                    });
                }
            }
        }
        None
    }
}

/// Outputs of a block for a number of clocks, laid out as the trace they belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    rows: usize,
    words: Vec<u64>,
    unknown: Vec<u64>,
    ignored: Vec<u64>,
}

impl Outputs {
    /// Appends a row of known values.
    pub fn push(&mut self, words: &[u64]) {
        self.push_masked(words, None, None);
    }

    /// Appends a row; `unknown` marks bits that are X or Z, `ignored` bits that are not to be compared.
    pub fn push_masked(&mut self, words: &[u64], unknown: Option<&[u64]>, ignored: Option<&[u64]>) {
        for (mask, all) in [(unknown, &mut self.unknown), (ignored, &mut self.ignored)] {
            if let Some(mask) = mask.filter(|mask| mask.iter().any(|word| *word != 0)) {
                all.resize(self.words.len(), 0);
                all.extend_from_slice(mask);
            }
        }
        self.words.extend_from_slice(words);
        self.rows += 1;
        for all in [&mut self.unknown, &mut self.ignored] {
            if !all.is_empty() {
                all.resize(self.words.len(), 0);
            }
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// One column of a row.
    pub fn value(&self, columns: &Columns, row: usize, column: usize) -> FourState {
        let range = columns.range(column);
        let start = row * columns.stride();
        let part = |words: &[u64]| {
            words.get(start + range.start..start + range.end).map_or(vec![0; range.len()], <[u64]>::to_vec)
        };
        FourState {
            width: columns.ports()[column].width,
            value: part(&self.words),
            unknown: part(&self.unknown),
        }
    }
}

/// The first place where two descriptions of a block differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Clock, the first is 0.
    pub row: usize,
    /// Path of the output.
    pub port: String,
    /// What the trace holds.
    pub traced: FourState,
    /// What the other description gives.
    pub found: FourState,
    /// Ones where the other description does not care.
    pub ignored: Vec<u64>,
}
