//! `fab_packet_tx`: whatever its sources do, its beats are the model's.

use crate::fabric::encode::{random_request, random_words, request_value, word_of, word_value};
use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::packet::{Header, PacketRules, PacketSender, Request, Sent, Word};
use flitforge_protocol::packet::{head, request};
use flitforge_sim::kit::{
    rng, seed, ClearDriver, FlowMonitor, Pace, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::flits::beat_value;
use flitforge_testkit::{depth, Compare, OnBit, Seen};
use rand::Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The model at work: what the block took, and what it must make of it.
struct Reference {
    rules: PacketRules,
    sender: PacketSender,
    headers: VecDeque<Request>,
    words: Vec<Word>,
    beats: Compare<Value>,
    refusals: Compare<u64>,
    seen: Seen,
}

impl Reference {
    fn new(rules: PacketRules, seen: Seen) -> Self {
        let sender = PacketSender::new(rules).expect("rules");
        let (beats, refusals) = (Compare::new("beat"), Compare::new("refusal"));
        Reference { rules, sender, headers: VecDeque::new(), words: vec![], beats, refusals, seen }
    }

    fn header(&mut self, value: &Value) {
        let word = value.words().iter().rev().fold(0_u128, |word, part| word << 64 | u128::from(*part));
        let bits = request::header::FIELD.get(word);
        let flit = flitforge_model::Flit::other(bits | 1 << 63);
        self.headers.push_back(Request {
            header: Header::decode(flit).expect("a head"),
            len: head::len::FIELD.get(bits.into()) as usize,
            tag: request::tag::FIELD.get(word) as u16,
        });
    }

    /// Packets that are complete.
    fn advance(&mut self, clock: u64) -> Result<(), SimError> {
        while let Some(packet) = self.headers.front().copied() {
            let count = match (packet.len, self.words.iter().position(|word| word.last)) {
                (0, _) => 0,
                (_, Some(last)) => last + 1,
                (_, None) => break,
            };
            self.headers.pop_front();
            let words: Vec<Word> = self.words.drain(..count).collect();
            match self.sender.send(&packet, &words).expect("legal sizes") {
                Sent::Refused(refusal) => {
                    self.seen.count(refusal.name());
                    self.refusals.expect(refusal.code().into());
                }
                Sent::Beats(beats) => {
                    let last = beats.last().expect("beats").iter().rfind(|flit| !flit.is_idle());
                    let reason = last.and_then(|flit| flit.opcode().map(|_| flit.data() & 0xFF));
                    self.seen.count(&reason.map_or("sent".into(), |reason| format!("bad, reason {reason}")));
                    beats.iter().for_each(|beat| self.beats.expect(beat_value(beat)));
                }
            }
        }
        self.beats.check(clock)?;
        self.refusals.check(clock)
    }

    fn clear(&mut self) {
        self.headers.clear();
        self.words.clear();
        self.beats.clear();
        self.refusals.clear();
        self.seen.count("cleared");
    }
}

fn stimulus(
    reference: &Rc<RefCell<Reference>>,
    clocks: u64,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let rules = reference.borrow().rules;
    let queue: Rc<RefCell<VecDeque<Word>>> = Rc::default();
    let now = Rc::new(std::cell::Cell::new(0));
    // Nothing new near the end, so that all that is under way arrives.
    let (time, late) = (now.clone(), clocks - (clocks / 2).min(6_000));
    testbench.add(StimulusFn(move |clock, _: &mut dyn Bench| {
        time.set(clock);
        Ok(())
    }));
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));

    let mut random = rng(seed, "payload");
    let (taken, words) = (reference.clone(), queue.clone());
    let header_time = now.clone();
    let headers = StreamSource::new(testbench.bench(), "header_in", seed)?
        .items(move |random, _| {
            (header_time.get() < late).then(|| request_value(&random_request(random, &rules)))
        })
        .on_transfer(move |_, value| {
            let mut reference = taken.borrow_mut();
            reference.header(value);
            let len = reference.headers.back().expect("just put there").len;
            let broken = random.random_bool(0.1);
            words.borrow_mut().extend(random_words(&mut random, &rules, len, broken));
            Ok(())
        });
    testbench.add(headers);
    let (taken, words) = (reference.clone(), queue.clone());
    let payload = StreamSource::new(testbench.bench(), "words_in", seed)?
        .items(move |_, _| words.borrow_mut().pop_front().map(|word| word_value(&word, rules.flits)))
        .on_transfer(move |clock, value| {
            let mut reference = taken.borrow_mut();
            reference.words.push(word_of(value, rules.flits));
            reference.advance(clock)
        });
    testbench.add(payload);
    let came = reference.clone();
    let sink = StreamSink::new(testbench.bench(), "beats_out", seed)?;
    testbench.add(sink.on_transfer(move |_, value| {
        came.borrow_mut().beats.came(value.clone());
        Ok(())
    }));
    let came = reference.clone();
    let refusals = FlowMonitor::new(testbench.bench(), "refused")?;
    testbench.add(refusals.on_transfer(move |_, value| {
        came.borrow_mut().refusals.came(value.low_u64());
        Ok(())
    }));
    for stream in ["header_in", "words_in", "beats_out"] {
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
    }
    let cleared = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        cleared.borrow_mut().clear();
        queue.borrow_mut().clear();
        Ok(())
    })?);
    let reference = reference.clone();
    testbench.add(EveryClock(move |clock| reference.borrow_mut().advance(clock)));
    Ok(())
}

/// Calls a closure on every clock, after all others.
struct EveryClock<A>(A);

impl<A: FnMut(u64) -> Result<(), SimError>> flitforge_sim::kit::Agent for EveryClock<A> {
    fn observe(&mut self, clock: u64, _: &mut dyn Bench) -> Result<(), SimError> {
        (self.0)(clock)
    }
}

/// How the block is built in these tests.
pub const CASES: [PacketRules; 4] = [
    PacketRules { flits: 2, mtu: 10_240, lanes: 4, management: false },
    PacketRules { flits: 1, mtu: 256, lanes: 16, management: true },
    PacketRules { flits: 4, mtu: 1_024, lanes: 1, management: false },
    PacketRules { flits: 4, mtu: 300, lanes: 3, management: true },
];

/// A co-simulation under random traffic, and the check that nothing is left at its end.
pub fn plan(name: &str, rules: PacketRules, clocks: u64, seen: &Seen) -> (CosimPlan<'static>, impl FnOnce()) {
    let make = move || {
        let settings = [
            ("f", rules.flits as u64),
            ("mtu", rules.mtu as u64),
            ("lanes", rules.lanes as u64),
            ("management", rules.management.into()),
        ];
        build("fab_packet_tx", &settings).block
    };
    let reference = Rc::new(RefCell::new(Reference::new(rules, seen.clone())));
    let at_end = reference.clone();
    let plan = CosimPlan::new(name, seed(0xFAB1), make, move |testbench, seed| {
        stimulus(&reference, clocks, testbench, seed)
    });
    let finish = move || {
        let reference = at_end.borrow();
        reference.beats.finish();
        reference.refusals.finish();
    };
    (plan.clocks(clocks).stock_limit(100, "a quick run: rust-hdl itself is slow"), finish)
}

#[test]
fn beats_are_those_of_the_model_whatever_the_sources_do() {
    let depth = depth();
    let seen = Seen::default();
    for (index, rules) in CASES.into_iter().enumerate() {
        let (plan, finish) = plan(&format!("fab_packet_tx_{index}"), rules, depth.clocks(10_000), &seen);
        plan.to_depth(depth).run().expect("equal");
        finish();
    }
    let wanted = ["too long", "no such lane", "not management", "bad, reason 4", "bad, reason 7", "cleared"];
    seen.require(&wanted.map(|what| (what, 20)));
    seen.require(&[("sent", 500)]);
}

/// Packets of one beat, back to back: one beat per clock.
#[test]
fn full_rate_with_packets_of_one_beat_and_with_long_ones() {
    for (flits, bytes, least) in
        [(2, 0, 0.99), (4, 16, 0.99), (2, 512, 0.99), (4, 10_240, 0.99), (1, 64, 0.9)]
    {
        let rules = PacketRules { flits, mtu: 10_240, lanes: 4, management: false };
        let mut testbench = Testbench::new(
            flitforge_sim::open("tx", build("fab_packet_tx", &[("f", flits as u64)]).block).expect("opens"),
        );
        let packet = Request { len: bytes, ..Request::default() };
        let words = random_words(&mut rng(1, "words"), &rules, bytes, false);
        let headers = StreamSource::new(testbench.bench(), "header_in", 1).expect("port");
        testbench.add(headers.pace(Pace::Always).items(move |_, _| Some(request_value(&packet))));
        let payload = StreamSource::new(testbench.bench(), "words_in", 1).expect("port").pace(Pace::Always);
        if !words.is_empty() {
            testbench.add(
                payload
                    .items(move |_, number| Some(word_value(&words[number as usize % words.len()], flits))),
            );
        }
        let sink = StreamSink::new(testbench.bench(), "beats_out", 1).expect("port").pace(Pace::Always);
        let rate = sink.throughput();
        testbench.add(sink);
        testbench.run(5_000).expect("runs");
        println!("F = {flits}, {bytes} bytes: {:.3} beats per clock", rate.per_clock());
        assert!(rate.per_clock() > least, "F = {flits}, {bytes} bytes: {:.3}", rate.per_clock());
    }
}
