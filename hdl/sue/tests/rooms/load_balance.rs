//! The load balance: every body whole at the port that the golden rules name, tables, octets that wait, refusals.

mod world;

use super::mac_control::shared;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::load_balance::{SueLb, LATENCY, PORTS};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    seed, ClearDriver, Coverage, Pace, Rng, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use world::{port_of, word_of, World, PEERS};

const TOP: &str = "sue_lb";
/// Peers of the block under test, in bits.
const PEER_BITS: usize = 3;

fn plan(seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(SueLb::<PEER_BITS>::new().expect("allowed")) as _;
    CosimPlan::new(TOP, seed(0x1b), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_3, 1..=3));
        let change = |random: &mut Rng, _| {
            let kind: u64 = [0, 0, 0, 0, 0, 1, 2, 3][random.random_range(0..8)];
            let peer = random.random_range(0..u64::from(PEERS));
            Some(Value::from_words(14, &[peer | kind << 10 | random.random_range(0..4) << 12]))
        };
        testbench.add(StreamSource::new(testbench.bench(), "changes", seed)?.items(change));
        testbench.add(World::new(testbench.bench(), seed, seen.clone())?);
        for index in 0..PORTS {
            let name = port_of(index, "bodies", "");
            testbench.add(StreamMonitor::new(testbench.bench(), &name)?);
            testbench.add(StreamSink::new(testbench.bench(), &name, seed)?.pace(Pace::mixed()));
        }
        Ok(())
    })
}

#[test]
fn bodies_go_where_the_rules_say() {
    let seen = shared(Coverage::default());
    deep(plan(&seen), FULL_CLOCKS, 3_000).cover(&["clear.pulses"]).run().expect("equal");
    let all = [
        "port 0",
        "port 1",
        "port 2",
        "port 3",
        "unordered",
        "strict",
        "a choice among equals",
        "a body waits for a port",
        "a body waits for a failover",
        "more is given back than waits",
        "an empty port",
        "a body is refused",
        "an error in a body of the packer",
        "a port goes down",
        "a port goes down in a body",
        "a port that is down is not opened",
        "a clear in a body",
        "one that moves",
        "one that moves goes before",
        "one that moves must not wait",
        "a body is held",
    ];
    seen.borrow().require(TOP, &all).expect("everything happened");
}

/// A block on its own: all ports up, reach peer 1, can send.
fn block() -> CompiledBlock {
    let mut made = SueLb::<PEER_BITS>::new().expect("allowed");
    made.connect_all();
    let mut block = CompiledBlock::new(&compiled(TOP, &made));
    block.set("up", 0xF).set("unordered", 1).set("head", 1);
    for port in 0..PORTS {
        block.set(&port_of(port, "ready", ""), 0xF).set(&port_of(port, "bodies", ".ready"), 1);
    }
    for port in 0..PORTS as u64 {
        block.set("changes.valid", 1).set("changes.data", 1 | port << 12);
        while block.get("changes.ready") == 0 {
            block.step();
        }
        block.step();
    }
    block.set("changes.valid", 0);
    (0..10).for_each(|_| block.step());
    block
}

/// Clocks of all words of `bodies` bodies of so many words, offered without gaps.
fn clocks_of(block: &mut CompiledBlock, bodies: u64, words: u64) -> Vec<u64> {
    let (mut clocks, mut number) = (vec![], 0);
    for clock in 0..bodies * (words + 20) {
        let offers = number < bodies * words;
        block.set("body.valid", offers.into());
        block.set_wide("body.data", word_of(number, 8, number % words == words - 1, false));
        let led = (0..PORTS).any(|port| block.get(&port_of(port, "bodies", ".valid")) == 1);
        assert_eq!(led, offers && block.get("body.ready") == 1);
        if led {
            clocks.push(clock);
            number += 1;
        }
        block.step();
    }
    clocks
}

#[test]
fn latency_and_throughput_are_as_stated() {
    for words in [1, 2, 5, 64] {
        let clocks = clocks_of(&mut block(), 5, words);
        let latency = u64::from(LATENCY);
        // the next body is seen the clock after the last word
        let wanted: Vec<u64> =
            (0..5 * words).map(|word| latency + word / words * (words + latency) + word % words).collect();
        assert_eq!(clocks, wanted, "{words} words");
    }
}

/// Ports that offer the same take turns, from the one after the last one chosen; those that are out of it are passed over.
#[test]
fn equals_take_turns() {
    let turns = |able: &[usize], bodies: usize| {
        let mut block = block();
        for port in 0..PORTS {
            block.set(&port_of(port, "credits", ""), 0);
            block.set(&port_of(port, "ready", ""), if able.contains(&port) { 0xF } else { 0 });
        }
        let mut came = vec![];
        while came.len() < bodies {
            block.set("body.valid", 1);
            block.set_wide("body.data", word_of(7, 8, true, false));
            let led = (0..PORTS).find(|port| block.get(&port_of(*port, "bodies", ".valid")) == 1);
            block.step();
            let Some(port) = led else { continue };
            came.push(port);
            // what was led there has left before the next choice
            block.set("body.valid", 0);
            block.set(&port_of(port, "sent", ".valid"), 1).set(&port_of(port, "sent", ".data"), 8);
            block.step();
            block.set(&port_of(port, "sent", ".valid"), 0);
            (0..4).for_each(|_| block.step());
        }
        came
    };
    assert_eq!(turns(&[0, 1, 2, 3], 9), [0, 1, 2, 3, 0, 1, 2, 3, 0]);
    assert_eq!(turns(&[1, 3], 4), [1, 3, 1, 3]);
    assert_eq!(turns(&[2], 3), [2, 2, 2]);
}

/// Chapter 50, 9, point 15: ports that drain at rates of 1, 2, 3 and 4 share the octets likewise.
#[test]
fn shares_are_those_of_the_rates() {
    const WORDS: u64 = 64;
    const ROOM: u64 = 8_192;
    let mut block = block();
    let (mut waits, mut taken, mut number) = ([0_u64; PORTS], [0_u64; PORTS], 0_u64);
    for clock in 0..100_000_u64 {
        for (port, waits) in waits.iter_mut().enumerate() {
            // a body of 512 octets per 1,200 clocks and rate
            let rate = port as u64 + 1;
            let sends = clock * rate / 1_200 != (clock + 1) * rate / 1_200 && *waits >= 512;
            *waits -= if sends { 512 } else { 0 };
            block
                .set(&port_of(port, "sent", ".valid"), sends.into())
                .set(&port_of(port, "sent", ".data"), 512);
            block.set(&port_of(port, "ready", ""), if *waits < ROOM { 0xF } else { 0 });
        }
        block.set("body.valid", 1);
        block.set_wide("body.data", word_of(number, 8, number % WORDS == WORDS - 1, false));
        for port in 0..PORTS {
            if block.get(&port_of(port, "bodies", ".valid")) == 1 {
                (waits[port], taken[port]) = (waits[port] + 8, taken[port] + 8);
                number += 1;
            }
        }
        block.step();
    }
    // what has just changed is told a few clocks later
    block.set("body.valid", 0);
    (0..PORTS).for_each(|port| {
        block.set(&port_of(port, "sent", ".valid"), 0);
    });
    (0..4).for_each(|_| block.step());
    let total: u64 = taken.iter().sum::<u64>() - waits.iter().sum::<u64>();
    for port in 0..PORTS {
        let share = (taken[port] - waits[port]) as f64 / total as f64;
        let wanted = (port + 1) as f64 / 10.0;
        assert!((share / wanted - 1.0).abs() < 0.05, "port {port}: {share}, expected {wanted}");
        let load = block.get(&port_of(port, "load", ""));
        assert_eq!(load, waits[port] / 256, "port {port}");
    }
}

/// Faults as they might be made by hand, in the Verilog.
#[test]
fn faults_are_found() {
    let faults = [
        Fault::replace("a port that went down keeps its peers", TOP, "up_before_q & ~up", "4'h0"),
        Fault::replace(
            "a body is dropped that could wait",
            TOP,
            "decides & ~some & ~waits",
            "decides & ~some",
        ),
        Fault::replace(
            "of equals the last one wins again",
            TOP,
            "pointer_d = winner + 2'h1",
            "pointer_d = winner",
        ),
        Fault::replace("a body of the packer is not held", TOP, "of_moved_q | ~held", "1'b1"),
        Fault::replace("one that waits is in the way of those that move", TOP, "decides & waits", "1'b0"),
    ];
    let plan = || plan(&Rc::default()).clocks(30_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
