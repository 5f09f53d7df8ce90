//! The whole receiver with its bodies against the golden model: PDUs with loss, gaps, duplicates and all that can be wrong with them; every decision, every
//! pulse, every acknowledgment, and commands once and in order. On all simulators. This is the test of `sue_rel_rx`.

mod reference;
mod rig;
mod world;

use super::body_check::{types_value, word_value};
use flitforge_hdl_sue::body_check::BodyVerdict;
use flitforge_hdl_sue::network::NetworkSource;
use flitforge_hdl_sue::receive_path::{SueReceivePath, LATENCY};
use flitforge_hdl_sue::rel_rx::{self, SueRelRx};
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::format::{Pdu, ReliabilityHeader, TypeTable};
use flitforge_model::sue::Renack;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, Coverage, FlowMonitor, StreamMonitor, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, deep, random, Clocked, CompiledBlock};
use rig::Rig;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use world::{bits_of, config, message, words};

type Path = SueReceivePath<5, 3, 6, 9, 7, 5, 6>;

fn plan(name: &str, renack: Renack, clears: f64, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Path::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x4e7), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rig::new(testbench.bench(), config(renack), rng(seed, "rig"), clears, seen.clone())?;
        testbench.add(rig);
        let clear = testbench.bench().port("clear")?;
        for stream in ["answers", "asks", "due", "changes", "commands"] {
            testbench.add(StreamMonitor::new(testbench.bench(), stream)?.cleared_by(clear));
        }
        for flow in ["committed", "acknowledgments", "changed", "management"] {
            testbench.add(FlowMonitor::new(testbench.bench(), flow)?);
        }
        Ok(())
    })
}

#[test]
fn every_pdu_is_judged_as_the_golden_receiver_does() {
    for (name, renack) in [("sue_receive_path", Renack::Answer), ("sue_receive_path_silent", Renack::Silent)]
    {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, renack, 0.000_3, &seen), 40_000, 300).run().expect("equal");
        let all = [
            "frame_bad",
            "header_bad",
            "crc_bad",
            "busy",
            "source_bad",
            "unknown",
            "management",
            "record_bad",
            "empty",
            "Accepted",
            "PartitionViolation",
            "Malformed",
            "RxFull",
            "Gap",
            "Duplicate",
            "Frozen",
            "answer",
            "None",
            "Ack",
            "Nack",
            "due",
            "due by its timer",
            "asked when nothing is due",
            "opened",
            "not opened",
            "frozen",
            "command",
            "cleared in a pdu",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_receive_path";
    const JUDGE: &str = "sue_rel_rx_judge_sources8";
    let faults = [
        Fault::replace(
            "after a clear a body has no beginning",
            "sue_rel_rx_gather",
            "begins_q <= 1'b1;",
            "begins_q <= 1'b0;",
        ),
        Fault::replace("all partitions are members", JUDGE, "~partition_check", "1'b1"),
        Fault::replace(
            "a change is taken together with an ask",
            "sue_rel_rx_turns",
            "may_ask & ~asks_valid",
            "may_ask",
        ),
    ];
    let plan = || {
        plan(TOP, Renack::Answer, 0.001, &Rc::default())
            .clocks(15_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// From the last word of a PDU to the first word of its command, nothing else waiting.
#[test]
fn a_command_comes_soon_after_its_pdu() {
    let (mut random, mut most) = (random(), 0);
    for length in [16, 18, 20, 22, 24, 64, 200] {
        let mut bench = CompiledBlock::new(&compiled("receive_path", &Path::new().expect("valid")));
        bench.set_value("types", &types_value(&TypeTable::default())).set("settings.coalesce", 4);
        bench.set("commands.ready", 1);
        bench.run(60);
        for vc in 0..4u64 {
            let credit = OutCredit { vc: vc.into(), count: 12u64.into() };
            bench.set_value("credits.data", &bits_of::<OutCredit, { <OutCredit as Synth>::BITS }>(credit));
            bench.set("credits.valid", 1).run(1);
        }
        bench.set("credits.valid", 0);
        let header = ReliabilityHeader {
            operation: Operation::None,
            source: 2,
            psn: 0,
            vc: 1,
            partition: 7,
            acknowledged: 0,
        };
        let mut body = message(&mut random);
        body.resize(length.max(body.len()), 0);
        let octets = Pdu { header, body }.encode().expect("in range");
        let from = NetworkSource { xpu: 2u64.into(), ..Default::default() };
        bench.set_value("source", &bits_of::<NetworkSource, { <NetworkSource as Synth>::BITS }>(from));
        for word in words(&octets, false) {
            bench.set_value("pdu.data", &word_value(word)).set("pdu.valid", 1).run(1);
        }
        bench.set("pdu.valid", 0);
        let mut clocks = 1_u32;
        while bench.get("commands.valid") == 0 {
            assert!(clocks < 100, "no command");
            bench.run(1);
            clocks += 1;
        }
        println!("{length} octets: {clocks} clocks");
        most = most.max(clocks);
    }
    assert_eq!(most, LATENCY);
}

/// From `rooms` to the decision, and from an ask to its acknowledgment.
#[test]
fn decisions_and_acknowledgments_come_soon() {
    let mut bench = CompiledBlock::new(&compiled("rel_rx", &SueRelRx::<4, 2, 5>::new().expect("valid")));
    bench.set("settings.coalesce", 4).run(60);
    let header = ReliabilityHeader {
        operation: Operation::None,
        source: 0,
        psn: 0,
        vc: 0,
        partition: 0,
        acknowledged: 0,
    };
    let octets = Pdu { header, body: message(&mut random()) }.encode().expect("in range");
    for word in words(&octets, false) {
        bench.set_value("pdu.data", &word_value(word)).set("pdu.valid", 1).run(1);
    }
    bench.set("pdu.valid", 0).run(40);
    let verdict = BodyVerdict { well_formed: true, empty: false, commands: 1u64.into() };
    bench.set_value("verdicts.data", &bits_of::<BodyVerdict, { <BodyVerdict as Synth>::BITS }>(verdict));
    bench.set("verdicts.valid", 1).run(1);
    bench.set("verdicts.valid", 0).set("rooms.valid", 1).set("rooms.data", 1).run(1);
    bench.set("rooms.valid", 0);
    let decided = (1..100).find(|_| {
        let comes = bench.get("decisions.valid") == 1;
        bench.run(1);
        comes
    });
    assert_eq!(decided, Some(rel_rx::LATENCY));
    assert_eq!(bench.get("asks.ready"), 1);
    bench.set("asks.valid", 1).run(1);
    bench.set("asks.valid", 0);
    let answered = (1..100).find(|_| {
        let comes = bench.get("acknowledgments.valid") == 1;
        bench.run(1);
        comes
    });
    assert_eq!(answered, Some(rel_rx::ANSWER_LATENCY));
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let error = SueRelRx::<4, 3, 5>::new().err().expect("M").to_string();
    assert!(error.contains("A - 2"), "{error}");
}
