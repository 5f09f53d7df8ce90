//! The PDU reader against the golden codec, on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::pdu_reader::{SuePduReader, LATENCY};
use flitforge_hdl_sue::reliability::{PduVerdict, ReceivedPdu, ReliabilityHeader as HeaderFields};
use flitforge_model::sue::format::{DropCounter, Pdu, PduError, ReliabilityHeader};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::reliability::{Operation, HEADER_BYTES};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{rng, seed, Agent, ClearDriver, Coverage, FlowMonitor, Rng, StimulusFn, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::depth;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type HeaderBits = Bits<{ <HeaderFields as Synth>::BITS }>;
type PduBits = Bits<{ <ReceivedPdu as Synth>::BITS }>;

/// What has to come of a PDU.
#[derive(Clone, Debug)]
struct Expected {
    body: Vec<u8>,
    error: bool,
    verdict: PduVerdict,
    header: Option<ReliabilityHeader>,
}

impl Expected {
    fn of(octets: &[u8], error: bool) -> Self {
        let decoded = Pdu::decode(octets);
        let verdict = match &decoded {
            _ if error => PduVerdict::FrameBad,
            Ok(_) => PduVerdict::Good,
            Err(wrong) => match PduError::counter(wrong) {
                DropCounter::RCrc => PduVerdict::CrcBad,
                _ => PduVerdict::HeaderBad,
            },
        };
        let end = octets.len().saturating_sub(CRC_BYTES);
        let body = octets.get(HEADER_BYTES..end).filter(|body| !body.is_empty()).unwrap_or(&[0, 0]).to_vec();
        Self { body, error, verdict, header: decoded.ok().map(|pdu| pdu.header) }
    }
}

/// A PDU, most of them good.
fn random_pdu(random: &mut Rng) -> (Vec<u8>, bool) {
    let header = ReliabilityHeader {
        operation: Operation::ALL[random.random_range(0..4)],
        source: random.random_range(0..1024),
        psn: random.random(),
        vc: random.random_range(0..4),
        partition: random.random_range(0..1024),
        acknowledged: random.random(),
    };
    let most = if random.random_bool(0.1) { 200 } else { 40 };
    let body = (0..random.random_range(0..=most)).map(|_| random.random()).collect();
    let mut octets = Pdu { header, body }.encode().expect("in range");
    match random.random_range(0..20) {
        0 => octets.truncate(random.random_range(1..=octets.len())),
        1 | 2 => {
            let bit = random.random_range(0..8 * octets.len());
            octets[bit / 8] ^= 1 << (bit % 8);
        }
        3 => octets.truncate(random.random_range(1..14).min(octets.len())),
        _ => {}
    }
    (octets, random.random_bool(0.05))
}

/// The words of a PDU; octets after its end are noise.
fn words_of(octets: &[u8], error: bool) -> Vec<FrameWord> {
    let count = octets.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        let mut eight = [0x5A; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = index + 1 == count;
        let (data, bytes) = (u64::from_le_bytes(eight).into(), (octets.len() as u64).into());
        FrameWord { data, bytes, last, error: last && error }
    };
    octets.chunks(8).enumerate().map(word).collect()
}

#[derive(Default)]
struct Reference {
    bodies: VecDeque<Expected>,
    pdus: VecDeque<(u64, Expected)>,
    octets: Vec<u8>,
    seen: Coverage,
}

impl Reference {
    fn body(&mut self, clock: u64, word: FrameWord, header: HeaderFields) -> Result<(), SimError> {
        let wrong = |problem: String| Err(SimError::Check { clock, problem });
        let data = u64::from(word.data).to_le_bytes();
        self.octets.extend(&data[..(u64::from(word.bytes) as usize).min(8)]);
        let Some(expected) = self.bodies.front() else { return wrong("a word of no body".into()) };
        if expected.header.is_some_and(|wanted| u64::from(header.npsn) != u64::from(wanted.psn)) {
            return wrong(format!("{header:?} with a body of {:?}", expected.header));
        }
        if word.last {
            if (&self.octets, word.error) != (&expected.body, expected.error) {
                return wrong(format!(
                    "{:02X?}, error {}; expected {expected:02X?}",
                    self.octets, word.error
                ));
            }
            self.seen.hit(format!("ends with {}", u64::from(word.bytes)));
            (self.octets, _) = (vec![], self.bodies.pop_front());
        }
        Ok(())
    }

    fn pdu(&mut self, clock: u64, told: ReceivedPdu) -> Result<(), SimError> {
        let wrong = |problem: String| Err(SimError::Check { clock, problem });
        let Some((due, expected)) = self.pdus.pop_front() else { return wrong("a PDU too many".into()) };
        if (clock, told.verdict) != (due, expected.verdict) {
            return wrong(format!("{told:?}, due in clock {due}: {expected:02X?}"));
        }
        self.seen.hit(format!("{:?}", told.verdict));
        let Some(header) = expected.header else { return Ok(()) };
        let came =
            (told.header.xpuid, told.header.npsn, told.header.vc, told.header.partition, told.header.apsn);
        let came =
            (u64::from(came.0), u64::from(came.1), u64::from(came.2), u64::from(came.3), u64::from(came.4));
        let wanted = (header.source, header.psn, header.vc, header.partition, header.acknowledged);
        let wanted = (wanted.0.into(), wanted.1.into(), wanted.2.into(), wanted.3.into(), wanted.4.into());
        if came != wanted || told.header.op as u8 != header.operation.code() {
            return wrong(format!("{told:?}, expected {header:?}"));
        }
        Ok(())
    }
}

fn port(bench: &dyn Bench, name: &str) -> PortHandle {
    bench.port(name).expect(name)
}

/// Sends PDUs, with and without gaps, and looks at what comes of them.
struct Line {
    reference: Rc<RefCell<Reference>>,
    random: Rng,
    words: VecDeque<FrameWord>,
    coming: Option<Expected>,
    valid: bool,
}

impl Agent for Line {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.words.is_empty() {
            let (octets, error) = random_pdu(&mut self.random);
            self.words = words_of(&octets, error).into();
            let expected = Expected::of(&octets, error);
            self.reference.borrow_mut().bodies.push_back(expected.clone());
            self.coming = Some(expected);
        }
        let share = if clock / 256 % 2 == 0 { 1.0 } else { 0.5 };
        self.valid = self.random.random_bool(share);
        let word: WordBits = self.words.front().copied().unwrap_or_default().into();
        bench.set(port(bench, "pdu.valid"), &Value::from_u64(1, self.valid.into()));
        bench.set(port(bench, "pdu.data"), &word.to_value());
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut reference = self.reference.borrow_mut();
        if bench.get_bit(port(bench, "clear")) {
            let mut seen = std::mem::take(&mut reference.seen);
            seen.hit(if self.words.len() > 1 { "cleared in a PDU" } else { "cleared" });
            *reference = Reference { seen, ..Default::default() };
            self.words.clear();
            return Ok(());
        }
        if bench.get_bit(port(bench, "body.valid")) {
            let word = WordBits::from_value(&bench.get(port(bench, "body.data")));
            let header = HeaderBits::from_value(&bench.get(port(bench, "header")));
            reference.body(clock, word.into(), header.into())?;
        }
        if bench.get_bit(port(bench, "pdus.valid")) {
            let told = PduBits::from_value(&bench.get(port(bench, "pdus.data")));
            reference.pdu(clock, told.into())?;
        }
        if self.valid && self.words.pop_front().is_some_and(|word| word.last) {
            let due = clock + u64::from(LATENCY);
            reference.pdus.extend(self.coming.take().map(|expected| (due, expected)));
        }
        Ok(())
    }
}

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SuePduReader::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9d1), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference: Rc<RefCell<Reference>> = Rc::default();
        let (words, coming, valid) = (VecDeque::new(), None, false);
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(Line { reference: reference.clone(), random: rng(seed, "line"), words, coming, valid });
        testbench.add(FlowMonitor::new(testbench.bench(), "body")?);
        testbench.add(FlowMonitor::new(testbench.bench(), "pdus")?);
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = reference.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn what_is_told_of_pdus_is_what_the_golden_codec_finds() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    plan("sue_pdu_reader", &seen)
        .clocks(FULL_CLOCKS)
        .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .cover(&["clear.pulses"])
        .run()
        .expect("equal");
    let ends = (1..=8).map(|octets| format!("ends with {octets}"));
    let verdicts = ["Good", "FrameBad", "HeaderBad", "CrcBad", "cleared in a PDU"].map(String::from);
    let all: Vec<String> = ends.chain(verdicts).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    seen.borrow().require("sue_pdu_reader", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_pdu_reader";
    let faults = [
        Fault::replace("a rest of the R-CRC of 4 octets is body", TOP, "<= 4'h4", "<= 4'h3"),
        Fault::replace("PDUs of eleven octets are read", TOP, " < 4'h4", " < 4'h3"),
        Fault::replace("every version is taken", TOP, "!= 2'h0", "!= 2'h3"),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
