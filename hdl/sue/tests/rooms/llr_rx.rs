//! The receiver of link-layer retry against the golden model, on all simulators.

use crate::rooms::llr_rx_rig::{Rig, Setup};

use flitforge_hdl_sue::frame::VERDICTS;
use flitforge_hdl_sue::llr_rx::{EthLlrRx, LlrVerdict};

use flitforge_model::sue::format::{OrderedSet, Profile, Sequence};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{seed, ClearDriver, Coverage, FlowMonitor, StreamMonitor, StreamSink, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, depth, Clocked, CompiledBlock};
use std::cell::RefCell;
use std::rc::Rc;

fn plan(name: &str, setup: Setup, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(EthLlrRx::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x11f), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(Rig::new(setup, testbench.bench(), seed, seen)?);
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(StreamSink::new(testbench.bench(), "answers", seed)?);
        testbench.add(StreamMonitor::new(testbench.bench(), "answers")?);
        for flow in ["frames_out", "verdicts_out", "sets", "credits"] {
            testbench.add(FlowMonitor::new(testbench.bench(), flow)?);
        }
        Ok(())
    })
}

const SEEN: [&str; 18] = [
    "Off",
    "SendAcks",
    "SendNack",
    "NackSent",
    "Delivered",
    "Duplicate",
    "Ahead",
    "BadFcs",
    "unknown set",
    "CF_Update",
    "LLR_INIT",
    "LLR_INIT moves",
    "LLR_INIT ignored",
    "LlrAck",
    "LlrNack",
    "LlrInitEcho",
    "nothing",
    "clear",
];

#[test]
fn every_transition_is_that_of_the_model() {
    for (name, profile, twice, also) in [
        ("eth_llr_rx", Profile::Ue103, false, "Poisoned"),
        ("eth_llr_rx_twice", Profile::Sue1, true, "a single one"),
    ] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, Setup { profile, twice, host: 0.001 }, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(5_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        let wanted: Vec<&str> = SEEN.into_iter().chain([also]).collect();
        seen.borrow().require(name, &wanted).expect("everything happened");
    }
}

const GOOD: u64 = 1;

/// A receiver that expects frame 5, and the last answer of which is taken.
fn running() -> CompiledBlock {
    let mut rig = CompiledBlock::new(&compiled("eth_llr_rx", &EthLlrRx::new().expect("valid")));
    rig.set_all(&[("enable", 1), ("settings.nack_timer", 500), ("answers.ready", 1)]);
    init(&mut rig, 5, 9);
    rig.until("SEND_ACKS", 8, |rig| rig.get("state") == 1);
    rig.run(4);
    rig
}

fn init(rig: &mut CompiledBlock, sequence: u32, data: u16) {
    let set = OrderedSet::LlrInit { sequence: Sequence::new(sequence).expect("20 bits"), data };
    rig.set("control.data", set.encode().map_or(0, u64::from_le_bytes));
    rig.pulse("control.valid");
}

/// A frame of one word; its verdict is to follow.
fn frame(rig: &mut CompiledBlock, sequence: u64) {
    rig.set("preamble", 1 | sequence << 1);
    rig.set_wide("frames_in.data", 8 << 64 | 1 << 68);
    rig.pulse("frames_in.valid");
}

/// The verdict of the MAC, and ours.
fn verdict(rig: &mut CompiledBlock, found: u64) -> u64 {
    rig.set("verdicts_in.data", found);
    rig.pulse("verdicts_in.valid");
    assert_eq!(rig.get("verdicts_out.valid"), 1, "one clock later");
    rig.get("verdicts_out.data")
}

fn said(verdict: LlrVerdict) -> u64 {
    u64::from(verdict == LlrVerdict::Delivered) | (verdict as u64) << 1
}

/// A frame whose verdict meets an LLR_INIT: judged before it, dropped in its clock, judged by it.
#[test]
fn an_init_beside_a_verdict() {
    let mut seen = vec![];
    for wait in 0..8 {
        let mut rig = running();
        init(&mut rig, 5, 9);
        rig.run(10);
        // a start anew, by two that are equal
        init(&mut rig, 6, 10);
        rig.run(10);
        frame(&mut rig, 5);
        rig.run(4);
        init(&mut rig, 6, 10);
        rig.run(wait);
        let found = verdict(&mut rig, GOOD);
        rig.run(6);
        // the frame that was expected before the start, if it came in time, else nothing has moved
        frame(&mut rig, 6);
        rig.run(4);
        assert_eq!(verdict(&mut rig, GOOD), said(LlrVerdict::Delivered), "{wait}");
        seen.push(found);
    }
    let [before, within, after] = [LlrVerdict::Delivered, LlrVerdict::Off, LlrVerdict::Duplicate].map(said);
    seen.dedup();
    assert_eq!(seen, [before, within, after]);
}

/// As many frames as may wait for their verdicts, of one word each, and verdicts every other clock.
#[test]
fn frames_that_wait_for_their_verdicts() {
    let mut rig = running();
    for round in 0..20 {
        let first = 5 + round * VERDICTS as u64;
        for sequence in first..first + VERDICTS as u64 {
            frame(&mut rig, sequence);
        }
        rig.run(1);
        for place in 0..VERDICTS {
            let found = verdict(&mut rig, if place == 3 && round % 2 == 0 { 2 } else { GOOD });
            let good = if place == 3 && round % 2 == 0 { LlrVerdict::Bad } else { LlrVerdict::Delivered };
            assert_eq!(found, said(good), "{round} {place}");
            rig.clock();
        }
        if round % 2 == 0 {
            frame(&mut rig, first + 3);
            rig.run(2);
            assert_eq!(verdict(&mut rig, GOOD), said(LlrVerdict::Delivered));
        }
    }
    assert_eq!(rig.get("state"), 1);
}

/// A verdict without a frame, as after a clear in mid-frame, says nothing.
#[test]
fn a_verdict_of_a_frame_before_the_clear() {
    let mut rig = running();
    frame(&mut rig, 5);
    rig.pulse("clear");
    rig.set("verdicts_in.data", GOOD);
    rig.pulse("verdicts_in.valid");
    assert_eq!((rig.get("verdicts_out.valid"), rig.get("state")), (0, 0));
    init(&mut rig, 7, 3);
    rig.run(8);
    frame(&mut rig, 7);
    rig.run(3);
    assert_eq!(verdict(&mut rig, GOOD), said(LlrVerdict::Delivered));
}
