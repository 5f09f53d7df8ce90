//! What all descriptions but the emitted Verilog agree on, and the comparison of Verilog with it.

use super::failure::Failure;
use super::{model_covers, CosimPlan, CosimReport};
use crate::bench::BackEnd;
use crate::design::design_of;
use crate::error::SimError;
use crate::kit::Testbench;
use crate::model;
use crate::port::Ports;
use crate::replay::{Simulator, VerilogSource};
use crate::tools;
use crate::trace::{Difference, Trace};
use crate::waves::SignalTable;
use flitforge_elaborate::{verilog, Design};
use std::time::Instant;

/// The recorded run of a plan.
pub(super) struct Reference {
    name: String,
    seed: u64,
    /// Who made the trace.
    main: BackEnd,
    design: Design,
    signals: SignalTable,
    trace: Trace,
    verilog_limit: Option<u64>,
    simulators: Vec<Simulator>,
}

impl Reference {
    /// Runs the stimulus and compares model, graph and rust-hdl itself. The report has no Verilog yet.
    pub fn record(plan: CosimPlan<'_>) -> Result<(Self, CosimReport), SimError> {
        let CosimPlan { name, make_block, clocks, stock_limit, seed, stimulus, model, .. } = plan;
        let design = design_of(&name, make_block().as_ref())?;
        let main = BackEnd::from_environment()?;
        let mut report = CosimReport::new(&name, seed, clocks, main.name());
        let ports = Ports::of_design(&name, &design);
        let signals = SignalTable::of_design(&ports, &design);
        let failure = Failure { test: &name, seed, main: main.name(), signals: &signals };

        let mut testbench = Testbench::new(main.open(&name, make_block())?);
        testbench.record_as(Trace::new(&ports))?;
        stimulus(&mut testbench, seed)?;
        let ran = testbench.run(clocks);
        report.coverage = testbench.coverage();
        let trace = testbench.finish()?.unwrap_or_else(|| Trace::new(&ports));
        if let Err(error) = ran {
            return Err(failure.stimulus(&trace, error));
        }

        if let Some(mut model) = model {
            let begun = Instant::now();
            let (outputs, set) = model::replay(&trace, model.as_mut())?;
            failure.compare(&trace, &outputs, "the model", true)?;
            model_covers(&name, &trace, &set, &plan.model_ignores)?;
            report.compared("model", trace.len(), begun);
        }
        for other in BackEnd::BUILT_IN.into_iter().filter(|back_end| *back_end != main) {
            let part = match &stock_limit {
                Some((limit, reason)) if other == BackEnd::Stock && *limit < clocks => {
                    report.shortened(other.name(), *limit, reason);
                    trace.prefix(*limit as usize)
                }
                _ => trace.clone(),
            };
            let begun = Instant::now();
            let outputs = part.replay_on(other.open(&name, make_block())?.as_mut())?;
            failure.compare(&part, &outputs, other.name(), other == BackEnd::Stock)?;
            report.compared(other.name(), part.len(), begun);
        }
        let cover: Vec<&str> = plan.cover.iter().map(String::as_str).collect();
        report.coverage.require(&name, &cover)?;
        let verilog_limit = plan.verilog_limit.filter(|limit| *limit < clocks);
        let simulators = plan.simulators;
        Ok((Self { name, seed, main, design, signals, trace, verilog_limit, simulators }, report))
    }

    /// The simulator and the output that show first how a text differs from what was recorded, without a waveform. A simulator
    /// that is not installed is noted in the report.
    pub fn difference(
        &self,
        text: String,
        report: &mut CosimReport,
    ) -> Result<Option<(Simulator, Difference)>, SimError> {
        let source = VerilogSource { top: self.design.top_module().name.clone(), text };
        for simulator in &self.simulators {
            let result = simulator.replay(&self.trace, &source, self.seed);
            let what = format!("{}: Verilog in {}", self.name, simulator.name());
            match tools::skip_if_missing(result, &what)? {
                Some(outputs) => {
                    if let Some(found) = self.trace.difference(&outputs) {
                        return Ok(Some((*simulator, found)));
                    }
                }
                None => report.skipped(simulator.name()),
            }
        }
        Ok(None)
    }

    /// Who made the trace.
    pub fn made_by(&self) -> &'static str {
        self.main.name()
    }

    /// Clocks recorded.
    pub fn clocks(&self) -> usize {
        self.trace.len()
    }

    /// The emitted Verilog.
    pub fn verilog(&self) -> String {
        verilog::write(&self.design, &verilog::Options::default())
    }

    /// Compares a text with what was recorded, for as many clocks as a run of this depth gives Verilog and for
    /// `most` at most.
    pub fn compare(&self, text: String, most: usize, report: &mut CosimReport) -> Result<(), SimError> {
        let source = VerilogSource { top: self.design.top_module().name.clone(), text };
        let limit = self.verilog_limit.map_or(self.trace.len(), |limit| limit as usize);
        let part = match limit.min(most) {
            clocks if clocks < self.trace.len() => self.trace.prefix(clocks),
            _ => self.trace.clone(),
        };
        let failure =
            Failure { test: &self.name, seed: self.seed, main: self.main.name(), signals: &self.signals };
        for simulator in &self.simulators {
            if let Some(limit) = self.verilog_limit {
                report.shortened(simulator.name(), limit, "a quick run");
            }
            let begun = Instant::now();
            let result = simulator.replay(&part, &source, self.seed);
            let what = format!("{}: Verilog in {}", self.name, simulator.name());
            match tools::skip_if_missing(result, &what)? {
                Some(outputs) => {
                    failure.compare(&part, &outputs, &format!("Verilog in {}", simulator.name()), false)?;
                    report.compared(simulator.name(), outputs.len(), begun);
                }
                None => report.skipped(simulator.name()),
            }
        }
        Ok(())
    }
}
