//! Models to compare a block with.

use crate::error::SimError;
use crate::trace::{Columns, Outputs, Trace};
use flitforge_elaborate::Value;
use rustc_hash::FxHashMap;

/// A golden model with the ports of a block.
pub trait ClockedModel {
    /// One edge: from the settled inputs before it, sets the outputs before that edge, then moves on to the
    /// state after it. An output that is not set is not compared on this edge. With one clock every edge is
    /// that clock's; with several ask [`PortValues::rises`].
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError>;
}

impl<F: FnMut(&PortValues, &mut PortValues) -> Result<(), SimError>> ClockedModel for F {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        self(inputs, outputs)
    }
}

/// Values of some ports by path.
#[derive(Clone, Debug)]
pub struct PortValues {
    columns: Columns,
    /// The column of each path.
    places: FxHashMap<String, usize>,
    values: Vec<Option<Value>>,
    clocks: Vec<(String, bool)>,
}

impl PortValues {
    fn new(columns: &Columns) -> Self {
        let ports = columns.ports();
        let places = ports.iter().enumerate().map(|(column, port)| (port.path.clone(), column)).collect();
        Self { columns: columns.clone(), places, values: vec![None; ports.len()], clocks: vec![] }
    }

    /// Whether a clock of the block rises on this edge.
    pub fn rises(&self, clock: &str) -> Result<bool, SimError> {
        let found = self.clocks.iter().find(|(path, _)| path == clock);
        found.map(|(_, rises)| *rises).ok_or_else(|| SimError::NoSuchPort {
            block: "model".into(),
            path: clock.into(),
            available: self.clocks.iter().map(|(path, _)| path.clone()).collect(),
        })
    }

    fn column(&self, path: &str) -> Result<usize, SimError> {
        self.places.get(path).copied().ok_or_else(|| SimError::NoSuchPort {
            block: "model".into(),
            path: path.into(),
            available: self.columns.ports().iter().map(|port| port.path.clone()).collect(),
        })
    }

    /// The value of a port.
    pub fn get(&self, path: &str) -> Result<Value, SimError> {
        let column = self.column(path)?;
        Ok(self.values[column].clone().unwrap_or_else(|| Value::zero(self.columns.ports()[column].width)))
    }

    /// The low 64 bits of a port.
    pub fn u64(&self, path: &str) -> Result<u64, SimError> {
        Ok(self.values[self.column(path)?].as_ref().map_or(0, Value::low_u64))
    }

    /// Bit 0 of a port.
    pub fn bit(&self, path: &str) -> Result<bool, SimError> {
        Ok(self.u64(path)? & 1 == 1)
    }

    /// Sets a port; the width must be the port's.
    pub fn set(&mut self, path: &str, value: Value) -> Result<(), SimError> {
        let column = self.column(path)?;
        let width = self.columns.ports()[column].width;
        if value.width() != width {
            return Err(SimError::PortMisuse {
                block: "model".into(),
                path: path.into(),
                problem: format!("{} bits given for {width}", value.width()),
            });
        }
        self.values[column] = Some(value);
        Ok(())
    }

    /// Sets a port from its low 64 bits.
    pub fn set_u64(&mut self, path: &str, value: u64) -> Result<(), SimError> {
        let column = self.column(path)?;
        self.values[column] = Some(Value::from_u64(self.columns.ports()[column].width, value));
        Ok(())
    }

    /// Sets a one-bit port.
    pub fn set_bit(&mut self, path: &str, bit: bool) -> Result<(), SimError> {
        self.set_u64(path, u64::from(bit))
    }
}

/// Runs a model over the inputs of a trace. Also returns, per output, on how many clocks the model set it.
pub(crate) fn replay(trace: &Trace, model: &mut dyn ClockedModel) -> Result<(Outputs, Vec<u64>), SimError> {
    let mut result = Outputs::default();
    let mut inputs = PortValues::new(trace.inputs());
    inputs.clocks = trace.clocks().iter().map(|clock| (clock.path.clone(), false)).collect();
    let mut outputs = PortValues::new(trace.outputs());
    let mut set = vec![0; trace.outputs().ports().len()];
    for row in 0..trace.len() {
        let words = trace.input_row(row);
        for (column, port) in trace.inputs().ports().iter().enumerate() {
            let value = Value::from_words(port.width, &words[trace.inputs().range(column)]);
            inputs.values[column] = Some(value);
        }
        for (index, (_, rises)) in inputs.clocks.iter_mut().enumerate() {
            *rises = trace.edges(row) >> index & 1 == 1;
        }
        outputs.values.fill(None);
        model.step(&inputs, &mut outputs)?;
        let mut row_words = vec![0; trace.outputs().stride()];
        let mut ignored = vec![u64::MAX; trace.outputs().stride()];
        for (column, value) in outputs.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let range = trace.outputs().range(column);
            row_words[range.clone()].copy_from_slice(value.words());
            ignored[range].fill(0);
            set[column] += 1;
        }
        result.push_masked(&row_words, None, Some(&ignored));
    }
    Ok((result, set))
}
