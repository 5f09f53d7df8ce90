//! A stimulus for any block that follows the conventions of chapter 00: found from the names of its ports.

use crate::bench::Bench;
use crate::error::SimError;
use crate::kit::{
    random_value, rng, Agent, ClearDriver, FlowMonitor, FlowSource, Pace, Pacer, Rng, StreamMonitor,
    StreamPorts, StreamSink, StreamSource, Testbench,
};
use crate::port::{PortHandle, PortKind};
use crate::schedule::ClockSchedule;
use rand::Rng as _;
use std::collections::BTreeSet;

/// What the names of a block's ports do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandardInterface {
    /// Synchronous, active-high clear inputs.
    pub clears: Vec<String>,
    /// Streams and the clock each belongs to; a stream that is not listed belongs to the only clock.
    pub stream_clocks: Vec<(String, String)>,
    /// Clocks with a whole number of edges per edge of another one, all edges of which are theirs, too: fast, slow, how many.
    pub multiples: Vec<(String, String, u64)>,
    /// Streams whose rules are not checked, for instance because their payload may change while it waits.
    pub unchecked: Vec<String>,
}

/// Adds agents to `testbench`: a source or sink and a rule monitor for every stream, a source or monitor for
/// every flow, random clears (often in mid-transfer), and random values on every other input. Several clocks
/// get unrelated random periods, but those that are multiples.
pub fn standard(
    interface: &StandardInterface,
    testbench: &mut Testbench<'_>,
    seed: u64,
) -> Result<(), SimError> {
    let streams = streams(testbench.bench())?;
    for clear in &interface.clears {
        let mut driver = ClearDriver::new(testbench.bench(), clear, seed)?.at_random(0.002, 1..=3);
        for stream in streams.iter().filter(|stream| stream.ready.is_some()) {
            driver = driver.in_mid_transfer(testbench.bench(), &stream.name, 0.004)?;
        }
        testbench.add(driver);
    }
    let driven: BTreeSet<&str> = interface.clears.iter().map(String::as_str).collect();
    let others = RandomInputs::new(testbench.bench(), &streams, &driven, seed);
    testbench.add(others);
    for stream in &streams {
        let clock = interface.stream_clocks.iter().find(|(name, _)| *name == stream.name);
        let clock = clock.map(|(_, clock)| clock.as_str());
        let checked = !interface.unchecked.contains(&stream.name);
        add_stream(testbench, stream, clock, checked, seed)?;
    }
    let clocks = testbench.bench().ports().of_kind(PortKind::Clock);
    if clocks.len() > 1 {
        let mut rng = rng(seed, "clocks");
        let mut periods: Vec<_> = clocks
            .iter()
            .map(|clock| (*clock, rng.random_range(3000..9000), rng.random_range(0..3000)))
            .collect();
        for (fast, slow, ratio) in &interface.multiples {
            let [fast, slow] = [fast, slow].map(|path| testbench.bench().port(path));
            let (fast, slow) = (fast?, slow?);
            let timing =
                periods.iter().find(|(clock, ..)| *clock == fast).map(|(_, period, phase)| (*period, *phase));
            let place = periods.iter_mut().find(|(clock, ..)| *clock == slow);
            if let (Some((period, phase)), Some(place)) = (timing, place) {
                *place = (slow, period * ratio, phase);
            }
        }
        testbench.set_schedule(ClockSchedule::new(&periods));
    }
    Ok(())
}

/// Every stream and flow: a `valid` of one bit with a `data` beside it.
fn streams(bench: &dyn Bench) -> Result<Vec<StreamPorts>, SimError> {
    let ports = bench.ports();
    let names = ports.list().iter().filter_map(|port| port.path.strip_suffix(".valid"));
    names
        .filter(|name| ports.get(&format!("{name}.data")).is_some())
        .map(|name| StreamPorts::find(bench, name))
        .collect()
}

fn add_stream(
    testbench: &mut Testbench<'_>,
    stream: &StreamPorts,
    clock: Option<&str>,
    checked: bool,
    seed: u64,
) -> Result<(), SimError> {
    let name = &stream.name;
    match (stream.block_is_source, stream.ready.is_some()) {
        (false, true) => add(testbench, clock, StreamSource::new(testbench.bench(), name, seed)?)?,
        (true, true) => add(testbench, clock, StreamSink::new(testbench.bench(), name, seed)?)?,
        (false, false) => add(testbench, clock, FlowSource::new(testbench.bench(), name, seed)?)?,
        (true, false) => add(testbench, clock, FlowMonitor::new(testbench.bench(), name)?)?,
    }
    if checked && stream.ready.is_some() {
        add(testbench, clock, StreamMonitor::new(testbench.bench(), name)?)?;
    }
    Ok(())
}

fn add<'a>(
    testbench: &mut Testbench<'a>,
    clock: Option<&str>,
    agent: impl Agent + 'a,
) -> Result<(), SimError> {
    match clock {
        Some(clock) => testbench.add_on(clock, agent).map(|_| ()),
        None => {
            testbench.add(agent);
            Ok(())
        }
    }
}

/// Random values on inputs, each changing at its own changing pace.
struct RandomInputs {
    inputs: Vec<(PortHandle, Pacer)>,
    rng: Rng,
    changes: u64,
}

impl RandomInputs {
    fn new(bench: &dyn Bench, streams: &[StreamPorts], driven: &BTreeSet<&str>, seed: u64) -> Self {
        let of_streams = |port: PortHandle| {
            streams
                .iter()
                .any(|stream| [Some(stream.data), Some(stream.valid), stream.ready].contains(&Some(port)))
        };
        let inputs = bench
            .ports()
            .iter()
            .filter(|(handle, port)| {
                port.kind == PortKind::Input && !of_streams(*handle) && !driven.contains(port.path.as_str())
            })
            .map(|(handle, _)| (handle, Pacer::new(Pace::mixed())));
        Self { inputs: inputs.collect(), rng: rng(seed, "inputs"), changes: 0 }
    }
}

impl Agent for RandomInputs {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        for (port, pacer) in &mut self.inputs {
            if pacer.next(&mut self.rng) {
                let value = random_value(&mut self.rng, bench.width(*port));
                bench.set(*port, &value);
                self.changes += 1;
            }
        }
        Ok(())
    }

    fn coverage(&self, into: &mut crate::kit::Coverage) {
        into.add("other_inputs.changes", self.changes);
    }
}
