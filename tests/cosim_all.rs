//! Every block of the library with every preset: graph, rust-hdl itself and emitted Verilog behave alike under
//! random traffic that obeys the stream rules, and the block's own streams obey them too.
//!
//! `FLITFORGE_BLOCK=name` runs one block only; `FLITFORGE_COSIM=full` runs all descriptions for 100 000 clocks.
#![allow(clippy::expect_used)] // helpers of a test

use flitforge_hdl::registry::{registry, BlockEntry, Settings, StreamRole};
use flitforge_sim::cosim::{standard, CosimPlan, Depth, StandardInterface};
use flitforge_sim::kit::seed;
use flitforge_sim::SimError;

/// Streams, or arrays of them, whose rules hold only under conditions that random inputs break; the blocks' own tests check them.
const CONDITIONAL: &[(&str, &str, &str)] = &[
    ("async_fifo", "words_out", "both clears must be up together"),
    (
        "link_ltp_rx",
        "retry_req",
        "`reset_exchange` takes it back; its payload is NxtRx as of the moment of sending",
    ),
    ("eth_cbfc", "frame", "own address, profile and opcode in it are settings, which hold still"),
    ("eth_pfc", "frame", "own address and quanta in it are settings, which hold still"),
    ("sue_failover", "management", "class and partition in it are settings, which hold still"),
    ("sue_lite_writer", "begun", "`drops` turns what waits into what failed; who is told counts it then"),
    ("sue_lite_writer", "frame", "`port_off` takes it back, as the port that it goes to is cleared then"),
    ("sue_traffic", "commands", "`on` = 0 takes it back, as the instance that it goes to is cleared then"),
    ("link_gearbox_tx", "rows", "`wide` and `last_lane` change only while cleared"),
    ("time_gen", "time_out", "its payload is of the clock in which it stands, and GEN_EN = 0 takes it back"),
    ("time_inject", "time_out", "its payload is of the clock in which it stands, and Lows are removed"),
    (
        "time_port",
        "time_in",
        "its payload is of the clock in which it stands, and goes only where the tx lag is known",
    ),
    (
        "time_switch",
        "time_in",
        "its payload is of the clock in which it stands, and goes only where the tx lag is known",
    ),
    (
        "time_hfi",
        "time_in",
        "its payload is of the clock in which it stands, and goes only where the tx lag is known",
    ),
    (
        "link_delay",
        "response",
        "its payload is of the clock in which it stands, and a newer request replaces it",
    ),
    (
        "time_endpoint",
        "time_out",
        "its payload is of the clock in which it stands, and GEN_EN = 0 takes it back",
    ),
    (
        "time_device",
        "time_out",
        "its payload is of the clock in which it stands, and GEN_EN = 0 takes it back",
    ),
    (
        "time_page",
        "source_write",
        "only a window that was asked answers: else the next request replaces what waits",
    ),
    ("link_ltp_tx", "wire_out", "`drain` takes what waits off the wire"),
    ("fab_credit_rx", "beats_out", "`restart` takes back the CrdtRet of before the start"),
    ("link_bond", "shares_out[0]", "a port that goes Down takes back what waits for all of them"),
    ("link_bond", "shares_out[1]", "a port that goes Down takes back what waits for all of them"),
    ("link_bond", "shares_out[2]", "a port that goes Down takes back what waits for all of them"),
    ("link_bond", "shares_out[3]", "a port that goes Down takes back what waits for all of them"),
    (
        "fab_bonded_port",
        "tx",
        "`link_lane_tx` is cleared a clock after `clear`, and takes back what waits when the link goes Down",
    ),
    (
        "link_port",
        "tx",
        "a link that goes Down takes back what waits for the lanes; only preset `compact` comes up here",
    ),
    ("link_retry_tx", "wire_out", "`run` low takes what waits off the wire"),
    ("fab_switch", "beats_out[0]", "`up` low takes what waits off the output"),
    ("fab_switch", "beats_out[1]", "`up` low takes what waits off the output"),
    ("fab_switch", "beats_out[2]", "`up` low takes what waits off the output"),
    ("fab_switch", "beats_out[3]", "`up` low takes what waits off the output"),
];

/// Clocks of a quick run, and those of it that rust-hdl itself runs.
const CLOCKS: u64 = 600;
const STOCK_CLOCKS: u64 = 100;
/// Those of blocks with a whole port, which are the slowest for rust-hdl itself.
const LARGE_STOCK_CLOCKS: u64 = 20;
const LARGE: &[&str] = &[
    "fab_bonded_port",
    "fab_port",
    "fab_switch",
    "link_port",
    "port_loopback",
    "port_loopback_panel",
    "switch_node",
];

fn cosimulate(entry: &'static BlockEntry, preset: &str, (depth, seed): (Depth, u64)) -> Result<(), SimError> {
    let settings = Settings::new(entry, Some(preset), &[]).expect("presets are valid");
    let build = move || (entry.build)(&settings).expect("presets build");
    let interface = build().interface;
    let one_clock = interface.clocks.len() < 2;
    let streams = interface.streams.iter();
    let plan = StandardInterface {
        clears: interface.clears.clone(),
        stream_clocks: match one_clock {
            true => vec![],
            false => streams.map(|stream| (stream.name.clone(), stream.clock.clone())).collect(),
        },
        multiples: interface
            .multiples
            .iter()
            .map(|multiple| (multiple.clock.clone(), multiple.of.clone(), multiple.ratio))
            .collect(),
        unchecked: CONDITIONAL
            .iter()
            .filter(|(block, _, _)| *block == entry.name)
            .flat_map(|(_, stream, _)| {
                let of_array = format!("{stream}[");
                let streams = interface.streams.iter().map(|stream| stream.name.clone());
                let streams = streams.filter(move |name| name.starts_with(&of_array));
                streams.chain([(*stream).to_owned()])
            })
            .collect(),
    };
    let must_move: Vec<String> = interface
        .streams
        .iter()
        .map(|stream| match stream.role {
            StreamRole::StreamSink | StreamRole::StreamSource => format!("{}.transfers", stream.name),
            StreamRole::FlowSink => format!("{}.items", stream.name),
            // What leaves a block need not come from random traffic: that is its own test's business.
            StreamRole::FlowSource => String::new(),
        })
        .filter(|counter| !counter.is_empty())
        .collect();
    let name = format!("{}_{preset}", entry.name);
    let report = CosimPlan::new(
        name,
        seed,
        move || build().block,
        move |testbench, seed| standard(&plan, testbench, seed),
    )
    .clocks(CLOCKS)
    .stock_limit(
        if LARGE.contains(&entry.name) { LARGE_STOCK_CLOCKS } else { STOCK_CLOCKS },
        "a quick run: rust-hdl itself is slow",
    )
    .to_depth(depth)
    .run()?;
    for counter in must_move.iter().filter(|counter| report.coverage.count(counter) == 0) {
        println!("  note: {counter} stayed 0 under random traffic");
    }
    Ok(())
}

#[test]
fn every_block_behaves_alike_everywhere() {
    let seed = seed(0xc051_a110);
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    let only = std::env::var("FLITFORGE_BLOCK").ok();
    let mut failures = vec![];
    let mut runs = 0;
    for entry in registry().iter().filter(|entry| only.as_deref().is_none_or(|name| name == entry.name)) {
        for preset in entry.presets {
            runs += 1;
            if let Err(error) = cosimulate(entry, preset.name, (depth, seed)) {
                failures.push(format!("{} {}: {error}", entry.name, preset.name));
            }
        }
    }
    assert!(runs > 0, "no block is called {only:?}");
    assert!(failures.is_empty(), "{} of {runs} differ:\n{}", failures.len(), failures.join("\n"));
}
