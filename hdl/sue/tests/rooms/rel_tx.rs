//! The whole sender in a loop with golden receivers over a network that loses, doubles and delays: every event does what the golden sender does, every PDU is
//! the one that the golden sender sends, every body arrives once and in order. On all simulators.

mod orders;
mod released;
mod rig;
mod world;

use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::failover::{OrderKind, PortConnection, SenderOrder};
use flitforge_hdl_sue::frame::{BodyHead, FrameWord};
use flitforge_hdl_sue::pack::QueueWindow;
use flitforge_hdl_sue::receive_table::AcknowledgmentKind;
use flitforge_hdl_sue::rel_tx::{ManagementRequest, SueRelTx, LATENCY};
use flitforge_hdl_sue::reliability::Acknowledgment;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, Coverage, FlowMonitor, StimulusFn, StreamMonitor, Testbench};
use flitforge_sim::{Bench, CosimPlan};
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock};
use rig::{bits_of, Rig};
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use world::{config, World};

type Sender = SueRelTx<4, 4, 4, 5, 2, 3, 5, 6, 10, 7>;

fn plan(
    name: &str,
    window: u16,
    [clears, orders]: [f64; 2],
    seen: &Rc<RefCell<Coverage>>,
) -> CosimPlan<'static> {
    let make = || Box::new(Sender::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x4e1), make, move |testbench: &mut Testbench<'_>, seed| {
        let world = Rc::new(RefCell::new(World::new(config(window), seed)));
        world.borrow_mut().orders = orders;
        testbench.add(Rig::new(testbench.bench(), world.clone(), rng(seed, "rig"), clears)?);
        let clear = testbench.bench().port("clear")?;
        for stream in ["body", "answers", "orders", "moved", "due", "asks", "management", "pdu"] {
            testbench.add(StreamMonitor::new(testbench.bench(), stream)?.cleared_by(clear));
        }
        for flow in ["windows", "completions", "results"] {
            testbench.add(FlowMonitor::new(testbench.bench(), flow)?);
        }
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = world.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn every_pdu_is_that_of_the_golden_sender() {
    for (name, window) in [("sue_rel_tx", 3), ("sue_rel_tx_wide", 32_767)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, window, [0.000_3, 0.0], &seen), 40_000, 300).run().expect("equal");
        let all = [
            "new",
            "replay",
            "only acknowledges",
            "voided",
            "management",
            "a record is forgotten",
            "inverted",
            "nop",
            "failed",
            "delivered",
            "frame lost",
            "frame doubled",
            "ack",
            "nack",
            "expired",
            "discarded",
            "too long",
            "no slot",
            "cleared",
            "cleared in a body",
            "cleared in a pdu",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
        if window < 16 {
            seen.borrow().require(name, &["window closed", "window opens"]).expect("and this");
        }
    }
}

/// Connections are stopped, handed over or given up, and opened again: bodies that go elsewhere come out as they came in.
#[test]
fn bodies_are_handed_over_as_they_came() {
    for (name, window) in [("sue_rel_tx_orders", 8), ("sue_rel_tx_orders_few", 3)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, window, [0.000_1, 0.01], &seen), 60_000, 300).run().expect("equal");
        let all = [
            "new",
            "replay",
            "management",
            "stopped",
            "stopped empty",
            "handed over",
            "given up",
            "opened",
            "moved",
            "a late body",
            "a body that was wrong fails",
            "empty",
            "no slot",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_rel_tx";
    const WINDOWS: &str = "sue_rel_tx_windows_connections16";
    let faults = [
        Fault::replace(
            "acknowledgments go though they are held",
            "sue_rel_tx_order",
            "due_ripe_q & ~acknowledgments_held",
            "due_ripe_q",
        ),
        Fault::replace(
            "a void PDU is sent",
            "sue_rel_tx_finish",
            "is_void = is_due & ~answer[18]",
            "is_void = 1'b0",
        ),
        Fault::replace(
            "the packer is answered before the table has the body",
            WINDOWS,
            "(is_body | (was_parked & result_q[57]))",
            "(is_body | result_q[57])",
        ),
        Fault::replace(
            "the next PSN is that of the connection before",
            "sue_rel_tx_order",
            "due_ripe_d = stage_q[2]",
            "due_ripe_d = stage_q[0]",
        ),
        Fault::replace(
            "a failed body is told as delivered",
            TOP,
            ".damaged_valid(store_damaged_valid),",
            ".damaged_valid(1'b0),",
        ),
    ];
    let plan = || {
        plan(TOP, 3, [0.0, 0.01], &Rc::default())
            .clocks(15_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// A sender whose asks are answered 10 clocks later, clocked by hand.
struct Quiet {
    bench: CompiledBlock,
    asks: Vec<bool>,
}

const ANSWER: u64 = 10;

impl Quiet {
    fn new() -> Self {
        let mut bench = CompiledBlock::new(&compiled("rel_tx", &Sender::new().expect("valid")));
        bench.set("settings.window", 8).set("settings.retry_max", 7).set("rto", 100_000).set("slot_min", 2);
        bench
            .set("ready", 15)
            .set("pdus.own", 5)
            .set("pdus.least", 34)
            .set("asks.ready", 1)
            .set("pdu.ready", 1);
        let answer = Acknowledgment { kind: AcknowledgmentKind::Ack, psn: 9u64.into(), was_due: true };
        bench.set_value("acknowledgments.data", &bits_of::<Acknowledgment, 19>(answer));
        bench.run(100);
        Self { bench, asks: vec![false; ANSWER as usize] }
    }

    /// One clock; the word of the PDU, if one is taken in it.
    fn clock(&mut self) -> Option<FrameWord> {
        self.bench.set("acknowledgments.valid", self.asks.remove(0).into());
        self.asks.push(self.bench.get("asks.valid") == 1);
        let word: FrameWord = Bits::<70>::from_value(&self.bench.get_value("pdu.data")).into();
        let came = self.bench.get("pdu.valid") == 1;
        self.bench.clock();
        came.then_some(word)
    }

    fn offer(&mut self, vc: u64, words: u64, place: u64) {
        let head = BodyHead { destination: 2u64.into(), vc: vc.into(), partition: 1u64.into() };
        let last = place + 1 == words;
        let word = FrameWord { data: 0x1234u64.into(), bytes: 8u64.into(), last, error: false };
        self.bench.set_value("head", &bits_of::<BodyHead, 22>(head));
        self.bench.set_value("body.data", &bits_of::<FrameWord, 70>(word)).set("body.valid", 1);
    }
}

/// From the last word of a body to the first word of its PDU, nothing waiting.
#[test]
fn a_pdu_comes_soon_after_its_body() {
    for words in [1, 5, 64] {
        let mut quiet = Quiet::new();
        let mut place = 0;
        while place < words {
            quiet.offer(0, words, place);
            place += quiet.bench.get("body.ready");
            assert!(quiet.clock().is_none());
        }
        quiet.bench.set("body.valid", 0);
        let more = (0..200).find(|_| quiet.clock().is_some()).expect("a PDU");
        assert_eq!(more + 1, u64::from(LATENCY) + ANSWER, "{words} words");
    }
}

/// Words that come in a clock each, from the first PDU on: bodies of so many words, on four virtual channels.
fn gaps(words: u64, pdus: u64) -> u64 {
    let mut quiet = Quiet::new();
    let (mut place, mut body, mut first, mut last, mut count) = (0, 0, None, 0, 0);
    for clock in 0..20_000 {
        if body < pdus {
            quiet.offer(body % 4, words, place);
            if quiet.bench.get("body.ready") == 1 {
                (place, body) = if place + 1 == words { (0, body + 1) } else { (place + 1, body) };
            }
        } else {
            quiet.bench.set("body.valid", 0);
        }
        if quiet.clock().is_some() {
            first.get_or_insert(clock);
            (last, count) = (clock, count + 1);
        }
    }
    let least = words.max(5) + 1;
    assert!(count >= pdus * least, "{count} words of {pdus} PDUs");
    last + 1 - first.expect("a PDU") - count
}

/// The next PDU is asked for while one is written. Short ones wait for the table of connections, and for answers.
#[test]
fn long_pdus_have_no_gap() {
    const PDUS: u64 = 12;
    for words in [64, 40, 24, 16, 12] {
        assert_eq!(gaps(words, PDUS), 0, "bodies of {words} words");
    }
    for words in [8, 5] {
        let clocks = gaps(words, PDUS);
        assert!(clocks <= 3 * (PDUS - 1), "{clocks} clocks between bodies of {words} words");
    }
}

/// The packer has built a body for a connection that was stopped: it has an answer when the connection is opened again.
#[test]
fn a_body_of_a_stopped_connection_is_answered_when_it_opens() {
    let mut quiet = Quiet::new();
    let change = |quiet: &mut Quiet, psn: u64, opens: bool| {
        let kind = if opens { OrderKind::Open } else { OrderKind::Stop };
        let of = PortConnection { connection: 8u64.into(), port: 0u64.into() };
        let order = SenderOrder { kind, of, psn: psn.into() };
        quiet.bench.set_value("orders.data", &bits_of::<SenderOrder, 32>(order)).set("orders.valid", 1);
        while quiet.bench.get("orders.ready") == 0 {
            quiet.clock();
        }
        quiet.clock();
        quiet.bench.set("orders.valid", 0);
        while quiet.bench.get("answered.valid") == 0 {
            quiet.clock();
        }
        quiet.clock();
    };
    let body = |quiet: &mut Quiet| {
        quiet.offer(0, 1, 0);
        while quiet.bench.get("body.ready") == 0 {
            quiet.clock();
        }
        quiet.clock();
        quiet.bench.set("body.valid", 0);
    };
    // answers to the packer and first words in so many clocks
    let watch = |quiet: &mut Quiet| {
        let (mut answers, mut psns, mut is_first) = (vec![], vec![], true);
        for _ in 0..200 {
            if quiet.bench.get("windows.valid") == 1 {
                let bits = Bits::<13>::from_value(&quiet.bench.get_value("windows.data"));
                let told: QueueWindow = bits.into();
                assert_eq!((u64::from(told.destination), u64::from(told.vc)), (2, 0));
                answers.push(told.open);
            }
            if let Some(word) = quiet.clock() {
                if is_first {
                    psns.push((u64::from(word.data) >> 16 & 0xFFFF).swap_bytes() >> 48);
                }
                is_first = word.last;
            }
        }
        (answers, psns)
    };
    change(&mut quiet, 0, false);
    body(&mut quiet);
    assert_eq!(watch(&mut quiet), (vec![false], vec![]), "stopped");
    change(&mut quiet, 0x77, true);
    assert_eq!(watch(&mut quiet), (vec![true], vec![]), "open again, and empty");
    body(&mut quiet);
    assert_eq!(watch(&mut quiet), (vec![true], vec![0x77]), "a body");
    quiet.bench.set("due.data", 8).set("due.valid", 1);
    quiet.clock();
    quiet.bench.set("due.valid", 0);
    assert_eq!(watch(&mut quiet), (vec![], vec![0x78]), "the next PSN is told");
}

/// All three kinds wait all the time: they take turns.
#[test]
fn kinds_take_turns() {
    let mut quiet = Quiet::new();
    let record = ManagementRequest {
        destination: 3u64.into(),
        record: 0x0100_0000_0000u64.into(),
        ..Default::default()
    };
    quiet
        .bench
        .set_value("management.data", &bits_of::<ManagementRequest, 91>(record))
        .set("management.valid", 1);
    quiet.bench.set("due.data", 4).set("due.valid", 1);
    let (mut kinds, mut place, mut body) = (String::new(), 0, 0);
    for _ in 0..1_000 {
        quiet.offer(body % 4, 1, 0);
        body += quiet.bench.get("body.ready");
        let Some(word) = quiet.clock() else { continue };
        let data = u64::from(word.data);
        if place == 0 {
            let is_record = data >> 4 & 3 == Operation::ConnectionManagement as u64;
            kinds.push(if is_record { 'm' } else { 'b' });
        } else if place == 1 && data & 0xFFFF == 0 {
            kinds.pop();
            kinds.push('a');
        }
        place = if word.last { 0 } else { place + 1 };
    }
    // 16 slots take 16 bodies; nobody frees them
    assert_eq!(kinds.matches('b').count(), 16, "{kinds}");
    assert!(kinds.contains(&"mab".repeat(15)), "{kinds}");
    assert!(kinds.ends_with("mamama") || kinds.ends_with("amamam"), "{kinds}");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let error = SueRelTx::<4, 4, 4, 5, 2, 3, 5, 6, 11, 7>::new().err().expect("R").to_string();
    assert!(error.contains("S + W"), "{error}");
}
