//! AXI4 over commands against the golden model, on all simulators.

pub mod node;
pub mod requester;

mod bodies;
mod broken;
mod channels;
mod common;
mod full;
mod loopback;
mod manager;
mod memory;
mod protocol;
mod subordinate;
mod transfers;

use channels::MANAGER as MANAGER_SIDE;
use channels::SUBORDINATE as SUBORDINATE_SIDE;
use common::words_of;
use flitforge_elaborate::drive::{DriveBlock, FromValue};
use flitforge_hdl_sue::axi::{SueAxiManager, SueAxiSubordinate, REQUEST_LATENCY, RESPONSE_LATENCY};
use flitforge_hdl_sue::command_in::CommandWord;
use flitforge_model::sue::axi::{AxiRequest, ReadResponse, SubordinateConfig, WriteResponse};
use flitforge_model::sue::format::{Command, Payload};
use flitforge_protocol::sue::command::CommandType;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{seed, ClearDriver, Coverage, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, deep, random, Clocked, CompiledBlock};
use protocol::{Checker, Rule, Watch, WatchAgent};
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use transfers::{INCREMENTING, WORD};

const SUBORDINATE: &str = "sue_axi_subordinate";
const EARLY: &str = "sue_axi_subordinate_early";
const MANAGER: &str = "sue_axi_manager";

/// What AXI4 does not allow in requests: bad input that the adapter passes on, or answers SLVERR.
const BAD_REQUESTS: [Rule; 7] = [
    Rule::Length,
    Rule::Aligned,
    Rule::Page,
    Rule::Exclusive,
    Rule::Cache,
    Rule::Strobes,
    Rule::ExclusiveOkay,
];

/// The subordinate in its modes.
const MODES: [(&str, SubordinateConfig); 4] = [
    (SUBORDINATE, SubordinateConfig { unordered: false, early_responses: false }),
    ("sue_axi_subordinate_unordered", SubordinateConfig { unordered: true, early_responses: false }),
    (EARLY, SubordinateConfig { unordered: false, early_responses: true }),
    ("sue_axi_subordinate_early_unordered", SubordinateConfig { unordered: true, early_responses: true }),
];

fn subordinate_plan(
    name: &str,
    config: SubordinateConfig,
    seen: &Rc<RefCell<Coverage>>,
) -> CosimPlan<'static> {
    let make = || Box::new(SueAxiSubordinate::<4, 5>::new().expect("valid")) as _;
    let seen = seen.clone();
    // With `BRESP_MODE` 1 there is no room for 1,024 clocks after a clear.
    let often = if config.early_responses { 0.0003 } else { 0.0004 };
    CosimPlan::new(name, seed(0xA41), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(often, 1..=3));
        // In MODE unordered all requests are as AXI4 allows them, else there is bad input among them.
        let legal = config.unordered;
        let rig = subordinate::Surroundings::new(seed, config, legal, seen.clone());
        testbench.add(subordinate::Around(rig));
        let checker = Checker::new(SUBORDINATE_SIDE);
        let mut bad = checker.except(&BAD_REQUESTS).except(&[Rule::WriteLast]);
        if config.early_responses {
            // PDUs to one XPU are at several ports here, and end in any order. In MODE ordered `sue_top` has them at one.
            bad = bad.except(&[Rule::Order]);
        }
        testbench.add(WatchAgent::new(if legal { Checker::new(SUBORDINATE_SIDE) } else { bad }));
        Ok(())
    })
}

#[test]
fn the_subordinate_makes_commands_of_bursts_as_the_model_does() {
    for (name, config) in MODES {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        let plan = subordinate_plan(name, config, &seen);
        deep(plan, FULL_CLOCKS / 2, 3_000).cover(&["clear.pulses"]).run().expect("equal");
        let all = [
            "READ",
            "WRITE",
            "WRITE_S",
            "long",
            "five cells",
            "B",
            "R",
            "refused",
            "both wait",
            "a clear in mid-transfer",
            "a PDU",
            "moved",
            "no port took it",
            "another channel",
            "SLVERR",
            "delivered",
            "failed",
            "flushed",
            "unknown",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

fn manager_plan(name: &str, many: bool, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueAxiManager::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xA42), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.0004, 1..=3));
        testbench.add(manager::Around(manager::Surroundings::new(seed, many, seen.clone())));
        // With many tags all is as AXI4 allows it, else there is bad input, also stray B.
        let checker = Checker::new(MANAGER_SIDE);
        let bad = checker.except(&BAD_REQUESTS).except(&[Rule::WriteKnown]);
        testbench.add(WatchAgent::new(if many { Checker::new(MANAGER_SIDE) } else { bad }));
        Ok(())
    })
}

#[test]
fn the_manager_makes_bursts_of_commands_as_the_model_does() {
    for (name, many) in [(MANAGER, false), ("sue_axi_manager_many", true)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(manager_plan(name, many, &seen), FULL_CLOCKS / 2, 3_000)
            .cover(&["clear.pulses"])
            .run()
            .expect("equal");
        let mut all = vec![
            "AR",
            "AW",
            "WRITE",
            "WRITE_S",
            "WRESP",
            "RDATA",
            "refused",
            "interleaved",
            "32 transfers",
            "W before AW is taken",
            "the same tag",
            "a clear in mid-transfer",
        ];
        all.push(if many { "no free tag" } else { "stray" });
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

type WordBits = Bits<{ <CommandWord as Synth>::BITS }>;

/// Offers a command, and runs until `until` is high, at most 200 clocks; gives the clocks from its first word, and those in which `counted` was high.
fn offer(
    (block, watch): &mut (CompiledBlock, Watch),
    command: &Command,
    until: &str,
    counted: &str,
) -> (u64, Vec<u64>) {
    let words = words_of(&mut random(), command);
    let (mut left, mut seen) = (words.into_iter(), vec![]);
    let mut word = left.next();
    for clock in 0..200 {
        block.set("commands.valid", u64::from(word.is_some()));
        if let Some(word) = word {
            let bits: WordBits = word.into();
            block.set_value("commands.data", &bits.to_value());
        }
        if word.is_some() && block.get("commands.ready") == 1 {
            word = left.next();
        }
        if block.get(counted) == 1 {
            seen.push(clock);
        }
        if block.get(until) == 1 {
            return (clock, seen);
        }
        watch.clock(block);
        block.step();
    }
    panic!("`{until}` is never high");
}

/// The block in native code, with cells for commands and everything ready.
fn started(name: &str, made: &mut impl DriveBlock, vc: u64, ready: &[&str]) -> (CompiledBlock, Watch) {
    made.connect_all();
    let mut block = CompiledBlock::new(&compiled(name, made));
    block.set("clear", 1);
    block.run(2);
    block.set("clear", 0);
    block.run(40);
    block.set("credits.valid", 1);
    block.set("credits.data", 64 << 2 | vc);
    block.step();
    block.set("credits.valid", 0);
    for name in ready {
        block.set(name, 1);
    }
    let side = if name == MANAGER { MANAGER_SIDE } else { SUBORDINATE_SIDE };
    let watch = Watch::new(side, &block);
    (block, watch)
}

#[test]
fn latencies_are_as_stated() {
    // a read to the manager
    let ready = ["commands_out.ready"];
    let mut made = SueAxiManager::new().expect("valid");
    let mut manager = started(MANAGER, &mut made, 1, &ready);
    let burst = AxiRequest { size: WORD, burst: INCREMENTING, ..Default::default() };
    let control = AxiRequest { len: 3, ..burst }.encode().expect("fits");
    let read = Command { kind: CommandType::Read, control: control.clone(), payload: Payload::None };
    let (clocks, _) = offer(&mut manager, &read, "m_axi.arvalid", "m_axi.awvalid");
    assert_eq!(clocks, u64::from(REQUEST_LATENCY));
    // a write: its transfers come one per clock
    let mut manager =
        started(MANAGER, &mut made, 1, &["commands_out.ready", "m_axi.wready", "m_axi.awready"]);
    let control = AxiRequest { len: 31, ..burst }.encode().expect("fits");
    let write = Command { kind: CommandType::Write, control, payload: Payload::Data(vec![7; 256]) };
    let (_, beats) = offer(&mut manager, &write, "m_axi.wlast", "m_axi.wvalid");
    assert!(beats.windows(2).all(|pair| pair[1] == pair[0] + 1), "{beats:?}");
    assert_eq!(beats.len(), 32, "{beats:?}");

    // a write response to the subordinate
    let mut made = SueAxiSubordinate::<4, 5>::new().expect("valid");
    let mut subordinate = started(SUBORDINATE, &mut made, 0, &["commands_out.ready"]);
    for (name, value) in [
        ("awuser", 7),
        ("awid", 2),
        ("wlast", 1),
        ("wstrb", 0xFF),
        ("awsize", WORD.into()),
        ("awvalid", 1),
        ("wvalid", 1),
    ] {
        subordinate.0.set(&format!("s_axi.{name}"), value);
    }
    subordinate.1.clock(&mut subordinate.0);
    subordinate.0.step();
    subordinate.0.set("s_axi.awvalid", 0).set("s_axi.wvalid", 0);
    let mut words = 0;
    for _ in 0..60 {
        words += subordinate.0.get("commands_out.valid");
        subordinate.1.clock(&mut subordinate.0);
        subordinate.0.step();
    }
    assert_eq!(words, 4, "header and control in three words, one of data");
    subordinate.0.set("head", 1 << 10 | 7);
    let control = WriteResponse { id: 2, ..Default::default() }.encode().expect("fits");
    let written = Command { kind: CommandType::WriteResponse, control, payload: Payload::None };
    let (clocks, _) = offer(&mut subordinate, &written, "s_axi.bvalid", "s_axi.rvalid");
    assert_eq!((clocks, subordinate.0.get("s_axi.bid")), (u64::from(RESPONSE_LATENCY), 2));
    // a read response that nobody has asked for
    let control = ReadResponse { id: 2, ..Default::default() }.encode().expect("fits");
    let stray = Command { kind: CommandType::ReadData, control, payload: Payload::Data(vec![1; 8]) };
    subordinate.0.set("s_axi.bready", 1);
    let (_, beats) = offer(&mut subordinate, &stray, "refused", "s_axi.rvalid");
    assert!(beats.is_empty(), "{beats:?}");
}

/// Faults as they might be made by hand, in the Verilog of the subordinate.
#[test]
fn faults_of_the_subordinate_are_found() {
    let ids = "sue_axi_ids_id_bits4";
    let requests = "sue_axi_requests";
    let bursts = "sue_axi_bursts";
    let faults = [
        Fault::replace("an ID may be in flight to two XPUs", ids, "may_join = same &", "may_join = 1'b1 &"),
        Fault::replace("a long burst overtakes", ids, "~question[27]", "1'b1"),
        Fault::replace("nothing is ever answered", ids, "changes = ends_q & is_known", "changes = 1'b0"),
        Fault::replace("a stranger answers", ids, "is_known = same & ~free", "is_known = ~free"),
        Fault::replace("33 transfers are sent", requests, "(len >= 8'h20)", "(len > 8'h20)"),
        Fault::replace("other transfers than AWLEN says", requests, "(burst[4:0] != length)", "1'b0"),
        Fault::replace(
            "strobes are not sent",
            requests,
            "strobed_now = writes_q & ~burst[5]",
            "strobed_now = 1'b0",
        ),
        Fault::replace(
            "octets after the strobes are missing",
            requests,
            "partial = shown_q[2] & shown_q[9] & (|shift_q)",
            "partial = 1'b0",
        ),
        Fault::replace(
            "only the last strobes count",
            bursts,
            "full = now_full & (all_set_q | (place_q == 6'h0))",
            "full = now_full",
        ),
        Fault::replace("the 33rd transfer is kept", bursts, "keeps = takes & ~beyond", "keeps = takes"),
    ];
    let plan = || {
        subordinate_plan(SUBORDINATE, MODES[0].1, &Rc::default())
            .clocks(15_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// The same where B is made at the source.
#[test]
fn faults_of_early_responses_are_found() {
    let early = "sue_axi_early_responses";
    let responses = "sue_axi_responses_id_bits4";
    let faults = [
        Fault::replace("only a failed PDU is an error", early, "done[35:34] == 2'h0", "done[35:34] != 2'h1"),
        Fault::replace("other channels end PDUs", early, "(done[23:22] == 2'h0)", "1'b1"),
        Fault::replace("other channels have PDUs", early, "(told[13:12] == 2'h0)", "1'b1"),
        Fault::replace("one that moved is a new one", early, "~told[26]", "1'b1"),
        Fault::replace("one that no port took is a PDU", early, "~at[2]", "1'b0"),
        Fault::replace("it moves from the port it goes to", early, "told[25:24]", "told[1:0]"),
        Fault::replace(
            "all that waits is in the PDU",
            early,
            "is_whole = at_tail | (left_q == 10'h001)",
            "is_whole = at_tail",
        ),
        Fault::replace(
            "a list begins with its end",
            early,
            "assign is_first = (pdus[7:0] == 8'h0)",
            "assign is_first = 1'b1",
        ),
        Fault::replace("reads have B as well", early, "answers_now & ~known[0]", "1'b0"),
        Fault::replace("commands are used up", early, "free_d = command_q", "free_d = 8'h0"),
        Fault::replace("the dispatch is lost", early, "| (dispatch_waits_q & completion_waits_q)", ""),
        Fault::replace(
            "completions go after dispatches",
            early,
            "if (completion_waits_q)",
            "if (~dispatch_waits_q)",
        ),
        Fault::replace("the destination's B counts", responses, "& early_responses", "& 1'b0"),
    ];
    let plan = || {
        subordinate_plan(EARLY, MODES[2].1, &Rc::default())
            .clocks(30_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// The same of the manager.
#[test]
fn faults_of_the_manager_are_found() {
    let tags = "sue_axi_tags";
    let commands = "sue_axi_commands";
    let store = "sue_axi_read_store";
    let faults = [
        Fault::replace(
            "a tag is the source's whatever the ID",
            tags,
            "same = (entry[9:0] == owner[9:0]) & (entry[25:10] == owner[25:10])",
            "same = (entry[9:0] == owner[9:0])",
        ),
        Fault::replace(
            "the first answer frees a tag",
            tags,
            "stays = given_now_q | (count != 4'h1)",
            "stays = given_now_q",
        ),
        Fault::replace("more than 32 transfers pass", commands, "fits = (length < 8'h20) &", "fits = "),
        Fault::replace("data and transfers are not compared", commands, "& (user_q[21:14] == wanted)", ""),
        Fault::replace(
            "strobes of the wrong transfer",
            commands,
            "3'h5: own_strobes = eight[47:40]",
            "3'h5: own_strobes = eight[39:32]",
        ),
        Fault::replace("interleaved bursts share a place", store, "if (has_begun) begin", "if (1'b0) begin"),
    ];
    let plan = || {
        manager_plan(MANAGER, false, &Rc::default())
            .clocks(15_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
