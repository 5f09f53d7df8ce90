//! A trace on the emitted Verilog in Verilator.

use super::VerilogSource;
use crate::error::SimError;
use crate::trace::{Outputs, Trace};
use crate::verilator::{build, Interface, Model, Optimise};

pub(super) fn replay(trace: &Trace, source: &VerilogSource, seed: u64) -> Result<Outputs, SimError> {
    let interface = Interface {
        clocks: trace.clocks().to_vec(),
        inputs: trace.inputs().clone(),
        outputs: trace.outputs().clone(),
    };
    let library = build(source, &interface, Optimise::Quick)?;
    let mut model = Model::load(&library, &interface, seed)?;
    let mut result = Outputs::default();
    let mut outputs = vec![0; trace.outputs().stride()];
    for row in 0..trace.len() {
        model.settle(trace.input_row(row), &mut outputs);
        result.push(&outputs);
        model.rise(trace.edges(row));
    }
    Ok(result)
}
