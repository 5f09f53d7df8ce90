//! Runs agents on a bench.

use super::coverage::Coverage;
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind};
use crate::schedule::ClockSchedule;
use crate::trace::Trace;
use crate::waves::{SignalTable, Waves};
use std::path::Path;

/// Something that takes part in a simulation.
pub trait Agent {
    /// Sets inputs for the coming edge. Outputs still show the state after the edge before.
    fn drive(&mut self, _clock: u64, _bench: &mut dyn Bench) -> Result<(), SimError> {
        Ok(())
    }

    /// Looks at the settled state before the coming edge. An agent that changes inputs here restores them
    /// and settles again.
    fn observe(&mut self, _clock: u64, _bench: &mut dyn Bench) -> Result<(), SimError> {
        Ok(())
    }

    /// Adds the agent's counters.
    fn coverage(&self, _into: &mut Coverage) {}
}

/// A closure that sets inputs.
pub struct StimulusFn<F>(pub F);

impl<F: FnMut(u64, &mut dyn Bench) -> Result<(), SimError>> Agent for StimulusFn<F> {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        (self.0)(clock, bench)
    }
}

/// A bench with its agents.
///
/// Agents drive and observe in the order in which they were added: sources before sinks, so that a
/// scoreboard knows an item before it can come out.
pub struct Testbench<'a> {
    bench: Box<dyn Bench + 'a>,
    agents: Vec<(Option<PortHandle>, Box<dyn Agent + 'a>)>,
    schedule: ClockSchedule,
    clock: u64,
    trace: Option<Trace>,
    waves: Option<Waves<'a>>,
    /// The schedule has times, so that a waveform can show them.
    timed: bool,
}

impl<'a> Testbench<'a> {
    /// A bench without agents; all clocks rise together.
    pub fn new(bench: Box<dyn Bench + 'a>) -> Self {
        let clocks = bench.ports().of_kind(PortKind::Clock);
        let schedule = ClockSchedule::together(&clocks);
        Self { bench, agents: vec![], schedule, clock: 0, trace: None, waves: None, timed: false }
    }

    /// Changes when which clock rises.
    pub fn with_schedule(mut self, schedule: ClockSchedule) -> Self {
        self.set_schedule(schedule);
        self
    }

    /// As [`with_schedule`](Self::with_schedule), for a stimulus.
    pub fn set_schedule(&mut self, schedule: ClockSchedule) {
        self.schedule = schedule;
        self.timed = true;
    }

    /// Adds an agent that acts on every edge.
    pub fn add(&mut self, agent: impl Agent + 'a) -> &mut Self {
        self.agents.push((None, Box::new(agent)));
        self
    }

    /// Adds an agent that acts only on the edges of one clock.
    pub fn add_on(&mut self, clock: &str, agent: impl Agent + 'a) -> Result<&mut Self, SimError> {
        let clock = self.bench.port(clock)?;
        self.agents.push((Some(clock), Box::new(agent)));
        Ok(self)
    }

    /// Records a trace from now on.
    pub fn record(&mut self) -> &mut Self {
        self.trace = Some(Trace::new(self.bench.ports()));
        self
    }

    /// Records into this trace from now on; an error if it is not for the ports of the bench.
    pub fn record_as(&mut self, trace: Trace) -> Result<&mut Self, SimError> {
        trace.check_ports(self.bench.ports())?;
        self.trace = Some(trace);
        Ok(self)
    }

    /// Writes a waveform from now on: all ports, and the internal signals at these paths.
    pub fn wave(&mut self, path: &Path, internal: &[String]) -> Result<&mut Self, SimError> {
        let table = SignalTable::of_ports(self.bench.ports()).with_internal(self.bench(), internal)?;
        let waves = Waves::create(path, self.bench.as_mut(), table, &[])?;
        Ok(self.with_waves(waves))
    }

    /// Records this waveform from now on; its file is named by the error of a failing run.
    pub fn with_waves(&mut self, waves: Waves<'a>) -> &mut Self {
        self.waves = Some(waves);
        self
    }

    /// Keeps the ports of the last `clocks` edges. A failing run writes them to `NAME.fst` in `FLITFORGE_WAVES`
    /// (else `target/waves`), and its error names the file.
    pub fn keep_last(&mut self, name: &str, clocks: usize) -> Result<&mut Self, SimError> {
        let table = SignalTable::of_ports(self.bench.ports());
        let waves = Waves::of_failure(name, self.bench.as_mut(), table, clocks)?;
        Ok(self.with_waves(waves))
    }

    /// The bench.
    pub fn bench(&self) -> &dyn Bench {
        self.bench.as_ref()
    }

    /// The bench, to be changed between runs.
    pub fn bench_mut(&mut self) -> &mut (dyn Bench + 'a) {
        self.bench.as_mut()
    }

    /// Edges so far.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Runs one edge.
    pub fn step(&mut self) -> Result<(), SimError> {
        self.edge().map_err(|error| self.failed(error))
    }

    fn failed(&mut self, error: SimError) -> SimError {
        match self.waves.take() {
            Some(waves) => waves.failed(error),
            None => error,
        }
    }

    fn edge(&mut self) -> Result<(), SimError> {
        let rising = self.schedule.next_edge();
        let active = |clock: &Option<PortHandle>| clock.is_none_or(|clock| rising.contains(&clock));
        for (_, agent) in self.agents.iter_mut().filter(|(clock, _)| active(clock)) {
            agent.drive(self.clock, self.bench.as_mut())?;
        }
        self.bench.settle()?;
        // Recorded first, so that a failing observation is in the trace and the waveform.
        if let Some(trace) = &mut self.trace {
            trace.record_edge(self.bench.as_ref(), &rising);
        }
        if let Some(waves) = &mut self.waves {
            let time = self.timed.then(|| self.schedule.time());
            waves.record_edge(self.bench.as_ref(), &rising, time)?;
        }
        for (_, agent) in self.agents.iter_mut().filter(|(clock, _)| active(clock)) {
            agent.observe(self.clock, self.bench.as_mut())?;
        }
        self.clock += 1;
        self.bench.step_clocks(&rising)
    }

    /// Runs a number of edges.
    pub fn run(&mut self, edges: u64) -> Result<(), SimError> {
        self.run_with_progress(edges, &mut |_, _| {})
    }

    /// As [`run`](Self::run); `progress` gets the edges done and the edges asked for, now and then.
    pub fn run_with_progress(
        &mut self,
        edges: u64,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), SimError> {
        for edge in 0..edges {
            if edge % 1024 == 0 {
                progress(edge, edges);
            }
            self.step()?;
        }
        progress(edges, edges);
        Ok(())
    }

    /// Runs until `done` says so after an edge; an error after `limit` edges.
    pub fn run_until(
        &mut self,
        limit: u64,
        what: &str,
        mut done: impl FnMut(&dyn Bench) -> bool,
    ) -> Result<(), SimError> {
        for _ in 0..limit {
            self.step()?;
            if done(self.bench.as_ref()) {
                return Ok(());
            }
        }
        let problem = format!("{what}: not reached within {limit} clocks");
        Err(self.failed(SimError::Check { clock: self.clock, problem }))
    }

    /// The counters of all agents.
    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        for (_, agent) in &self.agents {
            agent.coverage(&mut coverage);
        }
        coverage
    }

    /// Ends the waveform and hands out the recorded trace, if any.
    pub fn finish(&mut self) -> Result<Option<Trace>, SimError> {
        if let Some(waves) = self.waves.take() {
            waves.finish()?;
        }
        Ok(self.trace.take())
    }
}
