//! A looped port behaves alike everywhere: compiled engine, evaluator, rust-hdl itself and the emitted Verilog in Icarus.

use crate::fab_port::looped::FabLoop;
use crate::fabric::encode::{request_value, word_value};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_model::packet::{Header, Request, Word};
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_sim::kit::{
    rng, seed, Agent, Pace, Rng, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::depth;
use rand::Rng as _;

/// Virtual lanes.
const VLS: usize = 2;
/// Clocks of the commands in between.
const DISABLED: u64 = 1_409;
const BACK: u64 = 1_441;

pub fn request(rng: &mut Rng, len: usize) -> Value {
    let header =
        Header { dst: rng.random(), src: rng.random(), vl: rng.random_range(0..16), ..Header::default() };
    request_value(&Request { header, len, tag: rng.random() })
}

/// Packets of one word each, so that headers and words stay in step.
fn word(rng: &mut Rng) -> Value {
    word_value(&Word { data: (0..8).map(|_| rng.random()).collect(), bytes: 8, last: true }, 1)
}

/// Enabled at first, Down and up again once; registers read; wrong bits on the line.
fn commands(bench: &dyn Bench, seed: u64) -> Result<impl Agent, SimError> {
    let names = ["addr", "wdata", "we", "re", "signal_ok", "error_enable", "error_mask"];
    let ports = names.iter().map(|name| bench.port(name)).collect::<Result<Vec<_>, _>>()?;
    let (mut rng, mut clock) = (rng(seed, "commands"), 0u64);
    Ok(StimulusFn(move |_, bench: &mut dyn Bench| {
        let command = match clock {
            1 | BACK => Some(1 << ctrl::enable::LOW),
            DISABLED => Some(1 << ctrl::disable::LOW),
            _ => None,
        };
        let reads = command.is_none() && clock % 8 == 1;
        let address = if command.is_some() { CTRL } else { rng.random_range(0..PAGE_BYTES) };
        let error = rng.random_bool(if clock < DISABLED { 0.0 } else { 0.005 });
        let mask = 1 << rng.random_range(0..32);
        let values = [
            u64::from(address / 8),
            command.unwrap_or(0),
            command.is_some().into(),
            reads.into(),
            0xF,
            error.into(),
            mask,
        ];
        for (port, value) in ports.iter().zip(values) {
            bench.set_u64(*port, value);
        }
        clock += 1;
        Ok(())
    }))
}

pub fn plan(name: &str) -> CosimPlan<'static> {
    let make = || -> Box<dyn DriveBlock> { Box::new(FabLoop::new()) };
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let agent = commands(testbench.bench(), seed)?;
        testbench.add(agent);
        for vl in 0..VLS {
            let bench = testbench.bench();
            let headers = StreamSource::new(bench, &format!("header_in[{vl}]"), seed)?
                .pace(Pace::Random(0.7))
                .items(|rng, _| Some(request(rng, 8)));
            let words = StreamSource::new(bench, &format!("words_in[{vl}]"), seed)?
                .pace(Pace::Random(0.7))
                .items(|rng, _| Some(word(rng)));
            testbench.add(headers).add(words);
            for name in ["header_out", "words_out", "end_out"] {
                let name = format!("{name}[{vl}]");
                let sink = StreamSink::new(testbench.bench(), &name, seed)?.pace(Pace::mixed());
                let monitor = StreamMonitor::new(testbench.bench(), &name)?;
                testbench.add(sink).add(monitor);
            }
        }
        Ok(())
    };
    CosimPlan::new(name, seed(0x10_C6), make, stimulus).simulators(&[Simulator::Icarus])
}

#[test]
fn a_looped_port_is_equal_everywhere() {
    let depth = depth();
    let plan =
        plan("fab_port_loop").clocks(2_100).stock_limit(20, "a quick run: a whole port in rust-hdl itself");
    let plan = plan.cover(&["header_out[0].transfers", "words_out[0].transfers", "end_out[0].transfers"]);
    plan.to_depth(depth).run().expect("equal");
}
