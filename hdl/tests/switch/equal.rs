//! The switch behaves alike everywhere: compiled engine, evaluator, rust-hdl itself and the emitted Verilog; wrong wires in the
//! Verilog are found.

use crate::support::build_preset;
use crate::switch::directed::packet;
use flitforge_elaborate::Value;
use flitforge_model::switch::{RouteEntry, Shape};
use flitforge_model::Flit;
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::packet::lane_beat;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::switch_registers as page;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, Pace, Rng, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError, Simulator};
use flitforge_testkit::depth;
use rand::Rng as _;

/// Sorted beats of random packets on two lanes, in the width of `lanes_in` or `agent_in`.
fn beats(random: &mut Rng, flits: usize, width: usize) -> Vec<Value> {
    let mut open: Vec<Vec<Vec<Flit>>> = vec![vec![], vec![]];
    let mut values = vec![];
    while values.len() < 3_000 {
        let vl = random.random_range(0..2);
        if open[vl].is_empty() {
            let bytes = if random.random_bool(0.1) { 257 } else { random.random_range(0..120) };
            let mut all = packet(random.random_range(0..8), vl as u8, bytes, random.random());
            all.resize(all.len().next_multiple_of(flits), Flit::IDLE);
            open[vl] = all.chunks(flits).map(<[Flit]>::to_vec).collect();
        }
        let beat = open[vl].remove(0);
        let shape = Shape::of(&beat);
        let mut value = Value::zero(width as u32);
        let mut put = |low: usize, count: usize, bits: u128| {
            (0..count).for_each(|bit| value.set_bit((low + bit) as u32, bits >> bit & 1 == 1));
        };
        beat.iter().enumerate().for_each(|(slot, flit)| put(slot * FLIT_BITS, FLIT_BITS, flit.bits()));
        let said = vl as u128
            | (shape.flits as u128) << 4
            | u128::from(shape.tail) << 7
            | u128::from(shape.head) << 8;
        let above = flits * FLIT_BITS;
        put(above, lane_beat::WIDTH, said);
        put(above + lane_beat::WIDTH, width - above - lane_beat::WIDTH, random.random_range(0..4));
        values.push(value);
    }
    values
}

/// Everything that is no stream.
fn settings(bench: &dyn Bench, seed: u64) -> Result<impl Agent, SimError> {
    let names = ["bus.address", "bus.wdata", "bus.write", "bus.request", "up", "lost"];
    let ports: Vec<PortHandle> = names.iter().map(|name| bench.port(name)).collect::<Result<_, _>>()?;
    let by_port =
        |name: &str| (0..2).map(|port| bench.port(&format!("{name}[{port}]"))).collect::<Result<Vec<_>, _>>();
    let (credit, may_send, bubble) = (by_port("credit")?, by_port("may_send")?, by_port("bubble")?);
    let (mut random, mut clock) = (rng(seed, "settings"), 0_u64);
    Ok(StimulusFn(move |_, bench: &mut dyn Bench| {
        let down = random.random_bool(0.002);
        let entry = RouteEntry {
            port: random.random_range(0..4),
            alt: random.random_range(0..4),
            use_alt: random.random(),
            adapt: random.random(),
            valid: random.random_bool(0.9),
        };
        // LIFE and ADAPT, all routes; then anything, now and then while the page is busy.
        let (offset, value, writes) = match clock / 8 {
            0 => (page::LIFE, 400, true),
            1 => (page::ADAPT, 4 << 16 | 1, true),
            2 => (page::ROUTE_IDX, 0, true),
            3..11 => (page::ROUTE_DATA, entry.encode().into(), true),
            _ if random.random_bool(0.2) => (page::ROUTE_IDX, random.random_range(0..8), true),
            _ if random.random_bool(0.2) => (page::ROUTE_DATA, entry.encode().into(), random.random()),
            _ if random.random_bool(0.1) => (page::LIFE, 400, random.random()),
            _ if random.random_bool(0.1) => (page::ADAPT, 4 << 16 | 1, random.random()),
            _ if random.random_bool(0.5) => {
                (page::NO_ROUTE + 8 * random.random_range(0..2), 1, random.random())
            }
            _ => (8 * random.random_range(8..48), random.random_range(0..2), random.random_bool(0.1)),
        };
        let asks = if clock < 88 { clock % 8 == 0 } else { random.random_bool(0.1) };
        let values = [
            u64::from(offset / BYTES),
            value,
            u64::from(asks && writes),
            u64::from(asks),
            if down { 1 } else { 3 },
            if down { 2 } else { 0 },
        ];
        ports.iter().zip(values).for_each(|(port, value)| bench.set_u64(*port, value));
        for port in 0..2 {
            // Plenty, little, none.
            let units = [200, 5, 20, 0][(clock / 500 % 4) as usize];
            bench.set_u64(credit[port], units << 16 | units);
            bench.set_u64(may_send[port], 3);
            bench.set_u64(bubble[port], 3);
        }
        clock += 1;
        Ok(())
    }))
}

fn plan(name: &str, preset: &'static str, flits: usize) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'static>, seed| {
        let mut random = rng(seed, "beats");
        let width = flits * FLIT_BITS + lane_beat::WIDTH;
        testbench.add(settings(testbench.bench(), seed)?);
        for (name, width) in [("lanes_in[0]", width), ("lanes_in[1]", width), ("agent_in", width + 5)] {
            let list = beats(&mut random, flits, width);
            let source = StreamSource::new(testbench.bench(), name, seed)?.list(list).pace(Pace::mixed());
            testbench.add(source);
        }
        for name in ["beats_out[0]", "beats_out[1]", "agent_out[0]", "agent_out[1]"] {
            testbench.add(StreamSink::new(testbench.bench(), name, seed)?.pace(Pace::mixed()));
        }
        testbench.add(StreamMonitor::new(testbench.bench(), "agent_out[0]")?);
        Ok(())
    };
    CosimPlan::new(name, seed(0xFAB6), move || build_preset("fab_switch", Some(preset), &[]).block, stimulus)
        .simulators(&[Simulator::Icarus])
        .cover(&["beats_out[0].transfers", "beats_out[1].transfers", "agent_out[0].transfers"])
}

#[test]
fn the_switch_is_equal_everywhere() {
    let depth = depth();
    for (name, preset, flits) in [("fab_switch_small", "small", 2), ("fab_switch_small_f1", "small_f1", 1)] {
        let plan =
            plan(name, preset, flits).clocks(4_000).stock_limit(60, "a quick run: rust-hdl itself is slow");
        plan.to_depth(depth).run().expect("equal");
    }
}

#[test]
fn wrong_wires_are_found() {
    const PAGE: &str = "switch_page_lanes2_ports2_addr_w6";
    let faults = [
        Fault::replace(
            "a grant does not wait for the end of a packet",
            "switch_grant_ports3",
            "assign is_free = ~(|owners_q) & ~is_ending_q;",
            "assign is_free = ~is_ending_q;",
        ),
        Fault::replace(
            "the turn stands still",
            "switch_grant_ports3",
            "if (passed) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "a head is granted without credit",
            "switch_lane_ports3",
            "wants = way & fits_q;",
            "wants = way;",
        ),
        Fault::replace(
            "the end of a packet whose link died frees an AU of its own",
            "switch_occupancy_beats4",
            "~(taking_free_q & ~(|read_q))",
            "1'b1",
        ),
        Fault::replace(
            "a word overtakes those in the RAM",
            "switch_buffer_width139_depth32",
            "assign passes = first_has_room & ~some_q;",
            "assign passes = first_has_room;",
        ),
        Fault::replace(
            "any value clears a counter",
            PAGE,
            "counts_zero = visits & zeroes_q;",
            "counts_zero = visits & port_page_write;",
        ),
        Fault::replace("ROUTE_IDX stands still", PAGE, "index_d = index_q + one;", "index_d = index_q;"),
        Fault::replace(
            "an event counts when there is none",
            "tally_bits10_count5",
            "sum_d = kept + ",
            "sum_d = 10'h001 + kept + ",
        ),
    ];
    let plan =
        || plan("fault_fab_switch", "small", 2).clocks(2_000).stock_limit(1, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
