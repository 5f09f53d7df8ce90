//! Recordings of a bench as `.jsonl`: made on one back end, replayed on any.
//!
//! The first line says what was recorded, every other line is one edge:
//!
//! ```text
//! {"recording":1,"block":"counter","preset":"default","seed":"0x1","edges":2,"clocks":["clock"],"inputs":{"enable":1},"outputs":{"count":8}}
//! {"clock":0,"in":{"enable":"0"},"out":{"count":"00"}}
//! {"clock":1,"in":{"enable":"1"}}
//! ```
//!
//! `inputs` and `outputs` give widths in bits. A line holds the inputs set before its edge and the outputs expected
//! there, as hexadecimal digits, and only those that differ from the line before. `rise` names the clocks
//! of the edge where not all rise. Without `outputs` nothing is compared.

mod read;

use crate::bench::Bench;
use crate::error::SimError;
use crate::mismatch::{FourState, Mismatch};
use crate::port::{Port, PortHandle};
use crate::trace::{Columns, Trace};
use flitforge_elaborate::Value;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Version of the format.
const VERSION: u32 = 1;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingHeader {
    /// Version of the format.
    recording: u32,
    /// Block that was recorded.
    pub block: String,
    /// Its preset or parameters, for the reader.
    pub preset: String,
    /// Seed of the stimulus, for the reader.
    pub seed: String,
    /// Number of edges, that a file cut short is seen to be; not checked if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<u64>,
    /// Paths of the clocks.
    pub clocks: Vec<String>,
    /// Paths and widths of the inputs.
    pub inputs: BTreeMap<String, u32>,
    /// Paths and widths of the compared outputs.
    #[serde(default)]
    pub outputs: BTreeMap<String, u32>,
}

/// One edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edge {
    clock: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rise: Option<Vec<String>>,
    #[serde(default, rename = "in", skip_serializing_if = "BTreeMap::is_empty")]
    inputs: BTreeMap<String, String>,
    #[serde(default, rename = "out", skip_serializing_if = "BTreeMap::is_empty")]
    outputs: BTreeMap<String, String>,
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    header: RecordingHeader,
    edges: Vec<Edge>,
    /// Where it comes from, for messages.
    source: String,
}

impl Recording {
    /// A recording of a trace, with its outputs as the expected ones if `outputs` is set.
    pub fn of_trace(trace: &Trace, preset: &str, seed: u64, outputs: bool) -> Self {
        let widths = |columns: &Columns| columns.ports().iter().map(|p| (p.path.clone(), p.width)).collect();
        let clocks: Vec<String> = trace.clocks().iter().map(|port| port.path.clone()).collect();
        let header = RecordingHeader {
            recording: VERSION,
            block: trace.block().into(),
            preset: preset.into(),
            seed: format!("{seed:#x}"),
            edges: Some(trace.len() as u64),
            inputs: widths(trace.inputs()),
            outputs: if outputs { widths(trace.outputs()) } else { BTreeMap::new() },
            clocks,
        };
        let edges = (0..trace.len()).map(|row| edge(trace, row, outputs, &header.clocks)).collect();
        Self { header, edges, source: format!("recording of `{}`", trace.block()) }
    }

    /// What the first line says.
    pub fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// True without edges.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Writes a `.jsonl` file, and its folder.
    pub fn write(&self, path: &Path) -> Result<(), SimError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(SimError::io(folder))?;
        }
        let write = || -> std::io::Result<()> {
            let mut out = BufWriter::new(File::create(path)?);
            serde_json::to_writer(&mut out, &self.header)?;
            for edge in &self.edges {
                out.write_all(b"\n")?;
                serde_json::to_writer(&mut out, edge)?;
            }
            out.write_all(b"\n")?;
            out.flush()
        };
        write().map_err(SimError::io(path))
    }

    /// Replays the recording on a fresh bench of the same block. The first output that differs from the
    /// recorded one is an error with clock, both values and the inputs of that clock.
    pub fn replay_on(&self, bench: &mut dyn Bench) -> Result<(), SimError> {
        let inputs = self.handles(bench, &self.header.inputs)?;
        let outputs = self.handles(bench, &self.header.outputs)?;
        let clocks = self.header.clocks.iter().map(|path| bench.port(path)).collect::<Result<Vec<_>, _>>()?;
        let mut now: BTreeMap<&str, Value> = BTreeMap::new();
        let mut expected: BTreeMap<&str, Value> = BTreeMap::new();
        for edge in &self.edges {
            self.update(&mut now, &edge.inputs, &self.header.inputs)?;
            self.update(&mut expected, &edge.outputs, &self.header.outputs)?;
            for path in edge.inputs.keys() {
                bench.set(inputs[path.as_str()], &now[path.as_str()]);
            }
            bench.settle()?;
            for (path, value) in &expected {
                let got = bench.get(outputs[path]);
                if got != *value {
                    return Err(self.mismatch(edge.clock, path, value, &got, &now, bench));
                }
            }
            let rises = |path: &String| edge.rise.as_ref().is_none_or(|rise| rise.contains(path));
            let rising: Vec<PortHandle> = self
                .header
                .clocks
                .iter()
                .zip(&clocks)
                .filter(|(path, _)| rises(path))
                .map(|(_, clock)| *clock)
                .collect();
            bench.step_clocks(&rising)?;
        }
        Ok(())
    }

    fn handles<'a>(
        &self,
        bench: &dyn Bench,
        ports: &'a BTreeMap<String, u32>,
    ) -> Result<HashMap<&'a str, PortHandle>, SimError> {
        let find = |(path, width): (&'a String, &u32)| {
            let handle = bench.port(path)?;
            if bench.width(handle) == *width {
                return Ok((path.as_str(), handle));
            }
            let problem = format!(
                "`{path}` is recorded with {width} bits, the bench of `{}` has {}",
                bench.ports().block(),
                bench.width(handle)
            );
            Err(SimError::Format { what: self.source.clone(), problem })
        };
        ports.iter().map(find).collect()
    }

    fn update<'a>(
        &self,
        values: &mut BTreeMap<&'a str, Value>,
        changes: &'a BTreeMap<String, String>,
        widths: &BTreeMap<String, u32>,
    ) -> Result<(), SimError> {
        for (path, text) in changes {
            let width = widths.get(path).copied().unwrap_or(0);
            let value = read::value(width, text)
                .map_err(|problem| SimError::Format { what: self.source.clone(), problem })?;
            values.insert(path, value);
        }
        Ok(())
    }

    fn mismatch(
        &self,
        clock: u64,
        port: &str,
        expected: &Value,
        got: &Value,
        inputs: &BTreeMap<&str, Value>,
        bench: &dyn Bench,
    ) -> SimError {
        let known = |value: &Value| FourState::known(value.width(), value.words());
        SimError::Mismatch(Box::new(Mismatch {
            test: self.source.clone(),
            clock: clock as usize,
            port: port.into(),
            expected_by: "recording".into(),
            expected: known(expected),
            got_by: bench.back_end().name().into(),
            got: known(got),
            seed: read::seed(&self.header.seed).unwrap_or(0),
            inputs: inputs.iter().map(|(path, value)| ((*path).into(), value.clone())).collect(),
            wave: None,
        }))
    }
}

/// Row `row` of a trace as what changed since the row before.
fn edge(trace: &Trace, row: usize, outputs: bool, clocks: &[String]) -> Edge {
    let rises = trace.edges(row);
    let all = (0..clocks.len()).all(|clock| rises >> clock & 1 == 1);
    let risen = || {
        let rising = clocks.iter().enumerate().filter(|(clock, _)| rises >> clock & 1 == 1);
        rising.map(|(_, path)| path.clone()).collect()
    };
    let (ins, outs) = (trace.inputs(), trace.outputs());
    Edge {
        clock: row as u64,
        rise: (!all).then(risen),
        inputs: changes(ins, trace.input_row(row), row.checked_sub(1).map(|row| trace.input_row(row))),
        outputs: match outputs {
            true => changes(outs, trace.output_row(row), row.checked_sub(1).map(|row| trace.output_row(row))),
            false => BTreeMap::new(),
        },
    }
}

fn changes(columns: &Columns, row: &[u64], before: Option<&[u64]>) -> BTreeMap<String, String> {
    let differs = |column: usize| {
        let range = columns.range(column);
        before.is_none_or(|before| before[range.clone()] != row[range])
    };
    let text = |(column, port): (usize, &Port)| {
        let value = Value::from_words(port.width, &row[columns.range(column)]);
        differs(column).then(|| (port.path.clone(), format!("{value:x}")))
    };
    columns.ports().iter().enumerate().filter_map(text).collect()
}
