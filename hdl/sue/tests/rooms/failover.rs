//! Connection management against the golden rules: senders are stopped, asked for, handed over or given up and opened again, and peers are answered, as the golden
//! sender, receivers and failover would; no body is delivered twice or lost.

mod joined;
mod network;
mod order;
mod rig;
mod world;

use super::mac_control::shared;
use flitforge_hdl_sue::failover::{SueFailover, LATENCY};
use flitforge_model::sue::format::CmRecord;
use flitforge_protocol::sue::reliability::CmCode;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{rng, seed, ClearDriver, Coverage, StreamMonitor, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock};
use order::Watch;
use rig::{octets_of, record_value, Rig};
use rust_hdl::prelude::Block as _;
use std::cell::RefCell;
use std::rc::Rc;
use world::World;

const TOP: &str = "sue_failover";

const ASKER: &str = "sue_failover_asker_peers4";
const INBOX: &str = "sue_failover_inbox";
const RESPONDER: &str = "sue_failover_responder";
const DRAIN: &str = "sue_failover_drain";
const HOLD: &str = "sue_failover_hold";

type Small = SueFailover<2, 4, 6>;

fn plan(fails_over: bool, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(Small::new().expect("allowed")) as _;
    CosimPlan::new(TOP, seed(0xf0), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_2, 1..=3));
        for stream in ["failures", "commands", "orders", "routes", "receiver_changes", "management"] {
            testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
        }
        let world = World::new(rng(seed, "world"), fails_over, seen.clone());
        testbench.add(Rig::new(testbench.bench(), world)?);
        Ok(())
    })
}

#[test]
fn connections_fail_over_and_open_again() {
    let seen = shared(Coverage::default());
    deep(plan(true, &seen), FULL_CLOCKS, 2_000).cover(&["clear.pulses"]).run().expect("equal");
    let all = [
        "a port goes down",
        "a clear in a question",
        "told to fail",
        "fails with its port",
        "holds nothing",
        "FREEZE_REQ",
        "handed over",
        "nobody answers",
        "OPEN_REQ",
        "opened",
        "asked again from where the peer wants",
        "the host takes a peer away",
        "a peer freezes",
        "a peer opens",
        "a record is lost",
        "all is settled",
    ];
    seen.borrow().require(TOP, &all).expect("everything happened");
}

#[test]
fn without_failover_bodies_are_given_up() {
    let seen = shared(Coverage::default());
    deep(plan(false, &seen), FULL_CLOCKS / 4, 1_000).run().expect("equal");
    seen.borrow().require(TOP, &["no failover", "opened", "holds nothing"]).expect("everything happened");
}

/// MODE strict with STRICT_FO.
fn plan_of_order(seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(Small::new().expect("allowed")) as _;
    CosimPlan::new(TOP, seed(0xf1), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_02, 1..=3));
        for stream in ["failures", "commands", "orders", "routes", "receiver_changes", "management"] {
            testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
        }
        testbench.add(Watch::new(testbench.bench(), rng(seed, "watch"), seen.clone())?);
        Ok(())
    })
}

#[test]
fn order_is_kept() {
    let seen = shared(Coverage::default());
    deep(plan_of_order(&seen), 2 * FULL_CLOCKS, 2_000).run().expect("equal");
    let all = [
        "STRICT_MAP changes",
        "handed over",
        "opened",
        "another virtual channel follows",
        "not at home, and holds nothing",
        "an empty connection is asked for",
        "nobody answers",
        "a peer has its answer",
        "a peer opens",
        "the XPU takes its time",
        "an answer is left out",
        "held until nothing moves",
    ];
    seen.borrow().require(TOP, &all).expect("everything happened");
}

/// A block on its own: all ports up, nothing that waits.
fn block() -> CompiledBlock {
    let mut made = Small::new().expect("allowed");
    made.connect_all();
    let mut block = CompiledBlock::new(&compiled(TOP, &made));
    block.set("up", 0xF).set("settings.ports", 0xF).set("settings.fails_over", 1);
    block.set("settings.cm_rto", 50).set("settings.cm_tries", 3).set("settings.rest", 10_000);
    for stream in ["orders", "routes", "management"] {
        block.set(&format!("{stream}.ready"), 1);
    }
    (0..100).for_each(|_| block.step());
    block
}

fn wait(block: &mut CompiledBlock, port: &str) -> u64 {
    for clock in 0..1_000 {
        if block.get(port) == 1 {
            return clock;
        }
        block.step();
    }
    panic!("{port} never comes");
}

/// A record comes through port 0 when it is its turn: LATENCY clocks later the receiver is told, 1 after its answer the peer.
#[test]
fn latency_is_as_stated() {
    let latency = |phase: u64| {
        let mut block = block();
        (0..phase).for_each(|_| {
            block.step();
        });
        let record = CmRecord { code: CmCode::OpenRequest, port: 2, vc: 1, psn: 0x1234 };
        let value = record_value(3, octets_of(record));
        let wide = u128::from(value.words()[0]) | u128::from(value.words()[1]) << 64;
        block.set("records[0].valid", 1);
        block.set_wide("records[0].data", wide);
        block.step();
        block.set("records[0].valid", 0);
        let told = 1 + wait(&mut block, "receiver_changes.valid");
        block.set("receiver_changes.ready", 1);
        block.step();
        block.set("changed.valid", 1).set("changed.data", 0);
        block.step();
        block.set("changed.valid", 0);
        let answered = 1 + wait(&mut block, "management.valid");
        assert_eq!(answered, 2);
        told
    };
    let mut all: Vec<u64> = (0..4).map(latency).collect();
    all.sort_unstable();
    let least = u64::from(LATENCY);
    assert_eq!(all, [least, least + 1, least + 2, least + 3]);
}

/// FREEZE_REQ that nobody answers: three through each of the other ports, CM_RTO and 3 clocks apart, one more with another port; then the peer is lost.
#[test]
fn requests_are_repeated_as_stated() {
    let mut block = block();
    block.set("failures.valid", 1).set("failures.data", 3 << 2 | 1 << 12);
    wait(&mut block, "failures.ready");
    block.step();
    block.set("failures.valid", 0);
    wait(&mut block, "orders.valid");
    block.step();
    block.set("answered.valid", 1).set("answered.data", 5 << 16 | 2);
    block.step();
    block.set("answered.valid", 0);
    let mut requests = vec![];
    let mut clock = 0;
    while block.get("orders.valid") == 0 {
        if block.get("management.valid") == 1 {
            requests.push((clock, block.get_wide("management.data") as u64 >> 12 & 3));
        }
        block.step();
        clock += 1;
    }
    assert_eq!(block.get("orders.data") & 3, 2, "Abandon");
    let ports: Vec<u64> = requests.iter().map(|(_, port)| *port).collect();
    assert_eq!(ports, [0, 0, 0, 2, 2, 2, 3, 3, 3]);
    let apart: Vec<u64> = requests.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert_eq!(apart, [53, 53, 54, 53, 53, 54, 53, 53]);
}

/// Faults as they might be made by hand, in the Verilog.
#[test]
fn faults_are_found() {
    let faults = [
        Fault::replace(
            "an answer outside of the window counts",
            ASKER,
            "distance_q <= held_q",
            "distance_q <= 16'hffff",
        ),
        Fault::replace(
            "a connection is opened too soon",
            ASKER,
            "rested_q >= settings_rest",
            "rested_q >= 24'h000010",
        ),
        Fault::replace(
            "a port that was asked is asked again",
            ASKER,
            "settings_ports & ~asked_q",
            "settings_ports",
        ),
        Fault::replace(
            "answers of peers are not heard",
            INBOX,
            "answer_valid_d = leaves",
            "answer_valid_d = 1'b0",
        ),
    ];
    let plan = || plan(true, &Rc::default()).clocks(40_000).stock_limit(100, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// The same of what keeps the order.
#[test]
fn faults_of_the_order_are_found() {
    let faults = [
        Fault::replace("STRICT_MAP stays", ASKER, "keeps_it & ~opens_q & ~away_q", "1'b0"),
        Fault::replace("nobody is told of STRICT_MAP", ASKER, "is_told | is_home |", "is_told |"),
        Fault::replace("an empty connection is not asked for", ASKER, "keeps_it & of_home", "1'b0"),
        Fault::replace(
            "one virtual channel fails over alone",
            ASKER,
            "siblings_q) & failing_q",
            "siblings_q) & 1'b0",
        ),
        Fault::replace("bodies that move are not waited for", DRAIN, "others_move_q | ~waits", "~waits"),
        Fault::replace(
            "a port is asked that does not reach the peer",
            ASKER,
            "reached[4] & ~(",
            "reached[4] | ~(",
        ),
        Fault::replace(
            "an answer does not wait for the XPU",
            RESPONDER,
            "is_given_q & timer_q[2]",
            "timer_q[2]",
        ),
        Fault::replace("each request marks anew", RESPONDER, "known & ~again_q", "known"),
        Fault::replace("bodies are held no longer than the failover", HOLD, "holds_q & ~(&calm_q)", "1'b0"),
    ];
    let plan =
        || plan_of_order(&Rc::default()).clocks(120_000).stock_limit(100, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
