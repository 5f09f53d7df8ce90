//! A looped bonded port behaves alike everywhere: compiled engine, evaluator, rust-hdl itself and the emitted Verilog in Icarus; and wrong wires
//! in that Verilog are found by it.

use crate::fab_port::bonded_loop::BondedFabLoop;
use crate::fab_port::equal::request;
use crate::fabric::encode::word_value;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_model::packet::Word;
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, Pace, Rng, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::depth;
use rand::Rng as _;

/// Virtual lanes, links.
const VLS: usize = 4;
const LINKS: usize = 2;
/// Clocks of the commands in between: link 1 Down, and up again.
const DISABLED: u64 = 1_409;
const BACK: u64 = 1_441;

/// Packets of one word each, so that headers and words stay in step.
fn word(rng: &mut Rng) -> Value {
    word_value(&Word { data: (0..16).map(|_| rng.random()).collect(), bytes: 16, last: true }, 2)
}

/// Both links enabled, registers read, wrong bits on the lines.
fn commands(bench: &dyn Bench, seed: u64) -> Result<impl Agent, SimError> {
    let names = ["addr", "wdata", "we", "re"].map(String::from);
    let by_link = ["signal_ok", "error_enable", "error_mask"]
        .iter()
        .flat_map(|name| (0..LINKS).map(move |link| format!("{name}[{link}]")));
    let ports =
        names.into_iter().chain(by_link).map(|name| bench.port(&name)).collect::<Result<Vec<_>, _>>()?;
    let (mut rng, mut clock) = (rng(seed, "commands"), 0u64);
    Ok(StimulusFn(move |_, bench: &mut dyn Bench| {
        let second = CTRL + PAGE_BYTES;
        let command = match clock {
            1 => Some((CTRL, 1 << ctrl::enable::LOW)),
            9 | BACK => Some((second, 1 << ctrl::enable::LOW)),
            DISABLED => Some((second, 1 << ctrl::disable::LOW)),
            _ => None,
        };
        let reads = command.is_none() && clock % 8 == 1;
        let (address, data) = command.unwrap_or((rng.random_range(0..3 * PAGE_BYTES), 0));
        let mut values = vec![u64::from(address / 8), data, command.is_some().into(), reads.into(), 0xF, 0xF];
        let rate = if clock < DISABLED { 0.0 } else { 0.005 };
        values.extend((0..LINKS).map(|_| u64::from(rng.random_bool(rate))));
        values.extend((0..LINKS).map(|_| 1 << rng.random_range(0..32)));
        for (port, value) in ports.iter().zip(values) {
            bench.set_u64(*port, value);
        }
        clock += 1;
        Ok(())
    }))
}

fn plan(name: &str) -> CosimPlan<'static> {
    let make = || -> Box<dyn DriveBlock> { Box::new(BondedFabLoop::new()) };
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let agent = commands(testbench.bench(), seed)?;
        testbench.add(agent);
        for vl in 0..VLS {
            let bench = testbench.bench();
            let headers = StreamSource::new(bench, &format!("header_in[{vl}]"), seed)?
                .pace(Pace::Random(0.7))
                .items(|rng, _| Some(request(rng, 16)));
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
    CosimPlan::new(name, seed(0x10_D1), make, stimulus).simulators(&[Simulator::Icarus])
}

#[test]
fn a_looped_bonded_port_is_equal_everywhere() {
    let depth = depth();
    let plan = plan("fab_bonded_loop")
        .clocks(2_100)
        .stock_limit(10, "a quick run: two whole ports in rust-hdl itself");
    let plan = plan.cover(&["header_out[0].transfers", "words_out[3].transfers", "end_out[0].transfers"]);
    plan.to_depth(depth).run().expect("equal");
}

#[test]
fn wrong_wires_are_found() {
    let module = "fab_bonded_link_f2_links2_r16_vls4";
    let faults = [
        Fault::replace(
            "credits begin with falls of the bond alone",
            module,
            ".restart(port_begins)",
            ".restart(port_restart)",
        ),
        Fault::replace(
            "messages go out while the bond is not up",
            module,
            "credit_rx_ltp_start = port_ltp_start & port_up",
            "credit_rx_ltp_start = port_ltp_start & ~port_up",
        ),
        Fault::replace("messages are of another LTP", module, "port_tx_seq[1:0]", "port_tx_seq[2:1]"),
        Fault::replace(
            "page 1 is page 0",
            "link_bonded_port_f1_r16",
            "link_1_we = we & (page == places_1)",
            "link_1_we = we & (page == places_0)",
        ),
    ];
    let plan = || plan("fault_fab_bonded_port").clocks(1_400).stock_limit(1, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
