//! The PDU writer against the golden codec, on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::{FrameWord, PduHead};
use flitforge_hdl_sue::pdu_writer::{SuePduWriter, LATENCY};
use flitforge_hdl_sue::reliability::{PduContent, PduOperation, PduRequest};
use flitforge_model::sue::format::{CmRecord, Pdu, ReliabilityHeader, TypeTable};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::reliability::{CmCode, Operation};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Rng, StimulusFn, StreamMonitor, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{depth, Clocked, Pins, StockBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const OWN: u16 = 5;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type RequestBits = Bits<{ <PduRequest as Synth>::BITS }>;
type HeadBits = Bits<{ <PduHead as Synth>::BITS }>;

/// A body on its way in.
#[derive(Clone, Debug, Default)]
struct Body {
    octets: Vec<u8>,
    partition: u16,
    error: bool,
}

/// What is asked, and what has to come of it.
#[derive(Clone, Debug)]
struct Asked {
    request: PduRequest,
    body: Option<Body>,
    pdu: Vec<u8>,
}

fn padded(mut body: Vec<u8>, least: u8) -> Vec<u8> {
    body.resize(body.len().max(least.into()), 0);
    body
}

fn request(operation: Operation, content: PduContent, psn: u16, acknowledged: u16) -> PduRequest {
    PduRequest {
        operation: match operation {
            Operation::Ack => PduOperation::Ack,
            Operation::Nack => PduOperation::Nack,
            Operation::None => PduOperation::None,
            Operation::ConnectionManagement => PduOperation::ConnectionManagement,
        },
        content,
        destination: 7_u64.into(),
        vc: 0_u64.into(),
        port: 0_u64.into(),
        class: 0_u64.into(),
        psn: u64::from(psn).into(),
        acknowledged: u64::from(acknowledged).into(),
        partition: 1_u64.into(),
        record: 0_u64.into(),
    }
}

/// The octets of the golden codec; `wrong` inverts the R-CRC.
fn golden(header: ReliabilityHeader, body: Vec<u8>, wrong: bool) -> Vec<u8> {
    let mut pdu = Pdu { header, body }.encode().expect("in range");
    let start = pdu.len() - CRC_BYTES;
    pdu[start..].iter_mut().for_each(|octet| *octet ^= if wrong { 0xFF } else { 0 });
    pdu
}

fn random_request(random: &mut Rng, least: u8) -> Asked {
    let operation = Operation::ALL[random.random_range(0..4)];
    let (psn, acknowledged, vc) = (random.random(), random.random(), random.random_range(0..4));
    let content = if random.random_bool(0.7) { PduContent::Body } else { PduContent::Empty };
    let mut request = request(operation, content, psn, acknowledged);
    (request.vc, request.port) = (u64::from(vc).into(), random.random_range(0..4_u64).into());
    (request.destination, request.class) =
        (random.random_range(0..1024_u64).into(), random.random_range(0..6_u64).into());
    let partition = random.random_range(0..1024);
    request.partition = u64::from(partition).into();
    let mut header = ReliabilityHeader { operation, source: OWN, psn, vc, partition, acknowledged };
    if operation == Operation::ConnectionManagement {
        let code = CmCode::ALL[random.random_range(0..CmCode::ALL.len())];
        let record = CmRecord { code, port: random.random_range(0..4), vc, psn: random.random() };
        let octets = record.command().expect("in range").encode(&TypeTable::default()).expect("in range");
        let control = octets[2..].iter().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
        request.record = control.into();
        return Asked { request, body: None, pdu: golden(header, padded(octets, least), false) };
    }
    if content == PduContent::Empty {
        return Asked { request, body: None, pdu: golden(header, padded(vec![], least), false) };
    }
    let most = if random.random_bool(0.1) { 300 } else { 40 };
    let octets: Vec<u8> = (0..2 * random.random_range(1..=most / 2)).map(|_| random.random()).collect();
    let body = Body { octets, partition: random.random_range(0..1024), error: random.random_bool(0.05) };
    header.partition = body.partition;
    let pdu = golden(header, padded(body.octets.clone(), least), body.error);
    Asked { request, body: Some(body), pdu }
}

/// The words of a body; octets after its end are noise.
fn words_of(body: &Body) -> Vec<FrameWord> {
    let count = body.octets.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        let mut eight = [0xA5; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = index + 1 == count;
        FrameWord {
            data: u64::from_le_bytes(eight).into(),
            bytes: (octets.len() as u64).into(),
            last,
            error: last && body.error,
        }
    };
    body.octets.chunks(8).enumerate().map(word).collect()
}

#[derive(Default)]
struct Reference {
    least: u8,
    bodies: VecDeque<(FrameWord, Body)>,
    expected: VecDeque<Asked>,
    octets: Vec<u8>,
    seen: Coverage,
}

impl Reference {
    fn ask(&mut self, random: &mut Rng) -> Asked {
        let asked = random_request(random, self.least);
        self.seen.hit(format!("{:?}", asked.request.operation));
        if let Some(body) = &asked.body {
            self.bodies.extend(words_of(body).into_iter().map(|word| (word, body.clone())));
        }
        asked
    }

    fn take(&mut self, clock: u64, word: FrameWord, head: PduHead) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let asked = self.expected.front().ok_or_else(|| wrong("a word of no request".into()))?;
        let bytes = u64::from(word.bytes) as usize;
        let data = u64::from(word.data).to_le_bytes();
        if !(1..=8).contains(&bytes) || !word.last && bytes != 8 || word.error {
            return Err(wrong(format!("{bytes} octets, last {}, error {}", word.last, word.error)));
        }
        self.octets.extend(&data[..bytes]);
        let given = asked.request;
        let same = u64::from(head.bytes) as usize == asked.pdu.len()
            && (head.destination, head.vc, head.port, head.class)
                == (given.destination, given.vc, given.port, given.class);
        if !same {
            return Err(wrong(format!("head {head:?} of {} octets for {given:?}", asked.pdu.len())));
        }
        if !word.last {
            return Ok(());
        }
        if self.octets != asked.pdu {
            return Err(wrong(format!("{:02X?}, expected {:02X?}", self.octets, asked.pdu)));
        }
        let text = asked.body.as_ref().map_or(0, |body| body.octets.len());
        self.seen.hit(if text < self.least.into() { "padded" } else { "not padded" });
        self.seen.hit(format!("ends with {bytes}"));
        if asked.body.as_ref().is_some_and(|body| body.error) {
            self.seen.hit("inverted");
        }
        (self.octets, _) = (vec![], self.expected.pop_front());
        Ok(())
    }
}

/// A port of the bench by name.
fn port(bench: &dyn Bench, name: &str) -> PortHandle {
    bench.port(name).expect(name)
}

/// Offers requests and the bodies that belong to them; a clear withdraws all.
struct Supply {
    reference: Rc<RefCell<Reference>>,
    random: Rng,
    request: Option<Asked>,
    word: Option<(FrameWord, Body)>,
}

impl Agent for Supply {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut reference = self.reference.borrow_mut();
        if self.request.is_none() && self.random.random_bool(0.7) {
            self.request = Some(reference.ask(&mut self.random));
        }
        if self.word.is_none() && self.random.random_bool(0.9) {
            self.word = reference.bodies.pop_front();
        }
        let request: RequestBits =
            self.request.as_ref().map(|asked| asked.request).unwrap_or_default().into();
        let (word, body) = self.word.clone().unwrap_or_default();
        let word: WordBits = word.into();
        for (name, value) in [
            ("requests.valid", Value::from_u64(1, self.request.is_some().into())),
            ("requests.data", request.to_value()),
            ("body.valid", Value::from_u64(1, self.word.is_some().into())),
            ("body.data", word.to_value()),
            ("body_bytes", Value::from_u64(13, body.octets.len() as u64)),
            ("body_partition", Value::from_u64(10, body.partition.into())),
            ("own", Value::from_u64(10, OWN.into())),
            ("least", Value::from_u64(6, reference.least.into())),
        ] {
            bench.set(port(bench, name), &value);
        }
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let on = |name: &str| bench.get_bit(port(bench, name));
        if on("clear") {
            (self.request, self.word) = (None, None);
            return Ok(());
        }
        if on("requests.ready") {
            self.reference.borrow_mut().expected.extend(self.request.take());
        }
        if on("body.ready") {
            self.word = None;
        }
        Ok(())
    }
}

/// Takes the PDUs, with pauses.
struct Drain {
    reference: Rc<RefCell<Reference>>,
    random: Rng,
}

impl Agent for Drain {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let share = if clock / 512 % 2 == 0 { 1.0 } else { 0.6 };
        let ready = self.random.random_bool(share);
        bench.set(port(bench, "pdu.ready"), &Value::from_u64(1, ready.into()));
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut reference = self.reference.borrow_mut();
        let on = |name: &str| bench.get_bit(port(bench, name));
        if on("pdu.valid") && on("pdu.ready") && !on("clear") {
            let word = WordBits::from_value(&bench.get(port(bench, "pdu.data")));
            let head = HeadBits::from_value(&bench.get(port(bench, "head")));
            reference.take(clock, word.into(), head.into())?;
        }
        if on("clear") {
            let (least, mut seen) = (reference.least, std::mem::take(&mut reference.seen));
            seen.hit(if reference.octets.is_empty() { "cleared" } else { "cleared in a PDU" });
            *reference = Reference { least, seen, ..Default::default() };
        }
        Ok(())
    }
}

fn stimulus(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let random = rng(seed, "requests");
    testbench.add(Supply { reference: reference.clone(), random, request: None, word: None });
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
    testbench.add(Drain { reference: reference.clone(), random: rng(seed, "drain") });
    for stream in ["requests", "body", "pdu"] {
        testbench
            .add(StreamMonitor::new(testbench.bench(), stream)?.cleared_by(port(testbench.bench(), "clear")));
    }
    Ok(())
}

fn plan(name: &str, least: u8, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SuePduWriter::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9d0), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference = Rc::new(RefCell::new(Reference { least, ..Default::default() }));
        stimulus(&reference, testbench, seed)?;
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = reference.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn pdus_are_those_of_the_golden_codec() {
    for (name, least) in [("sue_pdu_writer", 34), ("sue_pdu_writer_short", 2), ("sue_pdu_writer_long", 62)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, least, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .cover(&["clear.pulses"])
            .run()
            .expect("equal");
        let ends = ["ends with 2", "ends with 4", "ends with 6", "ends with 8"];
        let all =
            ["Ack", "Nack", "None", "ConnectionManagement", "not padded", "inverted", "cleared in a PDU"];
        seen.borrow().require(name, &[&ends[..], &all[..]].concat()).expect("everything happened");
        assert!(least == 2 || seen.borrow().count("padded") > 50);
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_pdu_writer";
    let faults = [
        Fault::replace(
            "a word leaves before the R-CRC of its PDU",
            TOP,
            "if (clear) ripe_q <= 6'h1f;",
            "if (clear) ripe_q <= 6'h20;",
        ),
        Fault::replace("octets after the end of a body", TOP, "fill_bytes >= 4'h4", "fill_bytes >= 4'h0"),
        Fault::replace("padding is one word short", TOP, "(owed_q > 6'h08)", "(owed_q > 6'h10)"),
    ];
    let plan =
        || plan(TOP, 34, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// Clocks the block by hand, `pdu.ready` always high.
fn quiet() -> StockBlock<SuePduWriter> {
    let mut bench = StockBlock::new(SuePduWriter::new().expect("valid"));
    bench.set("least", 34).set("own", OWN.into()).set("pdu.ready", 1).set("clear", 1).clock();
    bench.set("clear", 0).clock();
    bench
}

fn offer(
    bench: &mut StockBlock<SuePduWriter>,
    request: Option<PduRequest>,
    word: Option<(FrameWord, usize)>,
) {
    let bits: RequestBits = request.unwrap_or_default().into();
    bench.set("requests.valid", request.is_some().into());
    bench.drive("requests.data", bits.to_value().words());
    let (word_now, octets) = word.unwrap_or_default();
    let bits: WordBits = word_now.into();
    bench.set("body.valid", word.is_some().into());
    bench.drive("body.data", bits.to_value().words());
    bench.set("body_bytes", octets as u64);
}

fn came(bench: &mut StockBlock<SuePduWriter>) -> Option<FrameWord> {
    let word = WordBits::from_value(&bench.sample("pdu.data")).into();
    (bench.get("pdu.valid") == 1).then_some(word)
}

#[test]
fn the_first_word_comes_after_the_latency_and_pdus_have_no_gaps() {
    let body = Body { octets: (0..48).collect(), partition: 1, error: false };
    let words = words_of(&body);
    let request = request(Operation::Ack, PduContent::Body, 0x10, 0x0F);
    let mut bench = quiet();
    let mut came_at = vec![];
    let mut next = 0;
    for clock in 0..400 {
        offer(&mut bench, Some(request), Some((words[next % words.len()], body.octets.len())));
        if came(&mut bench).is_some() {
            came_at.push(clock);
        }
        next += bench.get("body.ready") as usize;
        bench.clock();
    }
    assert_eq!(came_at[0], LATENCY, "the first word");
    assert_eq!(came_at.len() as u32, 400 - LATENCY, "a word in every clock, 7 and the trailer of each PDU");
}

/// The octets of one PDU.
fn written(request: PduRequest, body: Option<Body>) -> Vec<u8> {
    let mut bench = quiet();
    bench.set("body_partition", body.as_ref().map_or(0, |body| body.partition.into()));
    let words = body.as_ref().map_or(vec![], words_of);
    let (mut asked, mut next, mut octets) = (Some(request), 0, vec![]);
    for _ in 0..200 {
        let word = words.get(next).map(|word| (*word, body.as_ref().map_or(0, |body| body.octets.len())));
        offer(&mut bench, asked, word);
        if let Some(word) = came(&mut bench) {
            octets.extend(&u64::from(word.data).to_le_bytes()[..u64::from(word.bytes) as usize]);
            if word.last {
                return octets;
            }
        }
        next += (bench.get("body.ready") == 1 && word.is_some()) as usize;
        if bench.get("requests.ready") == 1 {
            asked = None;
        }
        bench.clock();
    }
    panic!("no end after 200 clocks");
}

/// Examples E2, E5 and E9 of chapter 50, section 8.
#[test]
fn the_examples_of_the_chapter_come_out_bit_for_bit() {
    let mut command = vec![0x87, 0x1F, 0, 0, 0, 1, 0x23, 0x45, 0x67, 0x80, 0, 0x2A, 0, 0, 0, 0];
    command.extend(0..32);
    let body = Body { octets: command.clone(), partition: 1, error: false };
    let data = written(request(Operation::Ack, PduContent::Body, 0x10, 0x0F), Some(body));
    let header = [0x00, 0x05, 0x00, 0x10, 0x00, 0x01, 0x00, 0x0F];
    assert_eq!(data, [&header[..], &command, &[0x04, 0x01, 0x8E, 0x5B]].concat());

    // E5 is of XPU 7, E9 of XPU 5.
    let refusal = written(request(Operation::Nack, PduContent::Empty, 0x123, 0x11), None);
    assert_eq!(refusal[..8], [0x10, 0x05, 0x01, 0x23, 0x00, 0x01, 0x00, 0x11]);
    assert_eq!((refusal.len(), refusal[8..42].iter().all(|octet| *octet == 0)), (46, true));
    let mut asked = request(Operation::ConnectionManagement, PduContent::Empty, 0, 0);
    asked.record = 0x0100_0000_0000_u64.into();
    let freeze = written(asked, None);
    assert_eq!(freeze[..8], [0x30, 0x05, 0, 0, 0, 0x01, 0, 0]);
    assert_eq!(freeze[8..16], [0x23, 0, 0x01, 0, 0, 0, 0, 0], "FREEZE_REQ");
    assert_eq!(freeze[42..], 0x8C0F_4296_u32.to_le_bytes());
}
