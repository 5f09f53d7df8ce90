//! Reads recordings; every error names file and line.

use super::{Edge, Recording, RecordingHeader, VERSION};
use crate::error::SimError;
use flitforge_elaborate::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

impl Recording {
    /// Reads a `.jsonl` file. A line that is no object of the format, names an unknown port, holds a value
    /// that does not fit or stands in the wrong place is an error with file and line.
    pub fn read(path: &Path) -> Result<Self, SimError> {
        let file = File::open(path).map_err(SimError::io(path))?;
        let at = |line: usize| {
            let what = format!("{} line {line}", path.display());
            move |problem: String| SimError::Format { what, problem }
        };
        let mut lines = BufReader::new(file).lines();
        let first = lines.next().ok_or_else(|| at(1)("the file is empty; a header is expected".into()))?;
        let first = first.map_err(SimError::io(path))?;
        let header = header(&first).map_err(at(1))?;
        let mut edges = vec![];
        for (index, line) in lines.enumerate() {
            let line = line.map_err(SimError::io(path))?;
            edges.push(edge(&line, index as u64, &header).map_err(at(index + 2))?);
        }
        if let Some(all) = header.edges.filter(|all| *all != edges.len() as u64) {
            let problem =
                format!("the header says {all} edges and there are {}: the file is not whole", edges.len());
            return Err(at(edges.len() + 1)(problem));
        }
        Ok(Self { header, edges, source: path.display().to_string() })
    }
}

fn header(line: &str) -> Result<RecordingHeader, String> {
    let header: RecordingHeader =
        serde_json::from_str(line).map_err(|error| format!("no header of a recording: {error}"))?;
    if header.recording != VERSION {
        return Err(format!("version {} of the format; this program reads {VERSION}", header.recording));
    }
    if seed(&header.seed).is_none() {
        return Err(format!("seed `{}` is no number", header.seed));
    }
    Ok(header)
}

fn edge(line: &str, clock: u64, header: &RecordingHeader) -> Result<Edge, String> {
    let edge: Edge =
        serde_json::from_str(line).map_err(|error| format!("no clock of a recording: {error}"))?;
    if edge.clock != clock {
        return Err(format!("clock {} stands where clock {clock} is expected", edge.clock));
    }
    if let Some(path) = edge.rise.iter().flatten().find(|path| !header.clocks.contains(path)) {
        return Err(format!("the header has no clock `{path}`; it has: {}", header.clocks.join(", ")));
    }
    check(&edge.inputs, &header.inputs, "input")?;
    check(&edge.outputs, &header.outputs, "output")?;
    Ok(edge)
}

fn check(values: &BTreeMap<String, String>, ports: &BTreeMap<String, u32>, kind: &str) -> Result<(), String> {
    for (path, text) in values {
        let known = || ports.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let width = ports
            .get(path)
            .ok_or_else(|| format!("the header has no {kind} `{path}`; it has: {}", known()))?;
        value(*width, text).map_err(|problem| format!("{kind} `{path}`: {problem}"))?;
    }
    Ok(())
}

/// A value from hexadecimal digits.
pub(super) fn value(width: u32, text: &str) -> Result<Value, String> {
    let mut value = Value::zero(width);
    let digits: Option<Vec<u32>> = text.chars().rev().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| !digits.is_empty());
    let digits = digits.ok_or_else(|| format!("`{text}` is no hexadecimal number"))?;
    for (position, digit) in digits.into_iter().enumerate() {
        for bit in (0..4).filter(|bit| digit >> bit & 1 == 1) {
            let index = 4 * position as u32 + bit;
            if index >= width {
                return Err(format!("`{text}` does not fit {width} bits"));
            }
            value.set_bit(index, true);
        }
    }
    Ok(value)
}

/// A seed, decimal or `0x` hexadecimal.
pub(super) fn seed(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
