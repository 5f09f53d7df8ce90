//! `fab_packet_rx`: whatever beats come, its packets are the model's.

use crate::fabric::encode::{end_value, header_value, random_request, random_words, word_value};
use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::packet::{PacketReceiver, PacketRules, PacketSender, Request, Sent};
use flitforge_model::Flit;
use flitforge_protocol::flit::{Opcode, FLIT_BITS};
use flitforge_protocol::packet::HEADER_BITS;
use flitforge_sim::kit::{
    rng, seed, ClearDriver, Pace, Rng as KitRng, SharedScoreboard, StimulusFn, StreamMonitor, StreamSink,
    StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, failed, OnBit, Seen};
use rand::Rng;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Beats that a sender makes, and now and then beats that none makes.
struct Traffic {
    rules: PacketRules,
    sender: PacketSender,
    beats: VecDeque<Vec<Flit>>,
}

impl Traffic {
    fn new(rules: PacketRules) -> Self {
        // The sender has no smaller MTU, so that the receiver meets packets that are too long for it.
        let open = PacketRules { mtu: 10_240, lanes: 16, management: false, ..rules };
        Traffic { rules, sender: PacketSender::new(open).expect("rules"), beats: VecDeque::new() }
    }

    fn next(&mut self, random: &mut KitRng) -> Vec<Flit> {
        while self.beats.is_empty() {
            self.packet(random);
        }
        let mut beat = self.beats.pop_front().expect("not empty");
        match random.random_range(0..60) {
            0 => self.beats.push_front(beat.clone()),
            1 => beat = self.beats.pop_front().unwrap_or(beat),
            2 => {
                let slot = random.random_range(0..beat.len());
                beat[slot] = any_flit(random);
            }
            3 => {
                self.beats.push_front(beat);
                beat = vec![Flit::IDLE; self.rules.flits];
            }
            _ => {}
        }
        beat
    }

    fn packet(&mut self, random: &mut KitRng) {
        let packet = random_request(random, &self.rules);
        let broken = random.random_bool(0.1);
        let words = random_words(random, &self.rules, packet.len, broken);
        let Sent::Beats(mut beats) = self.sender.send(&packet, &words).expect("legal sizes") else { return };
        if random.random_bool(0.2) {
            self.damage(&mut beats, random);
        }
        self.beats.extend(beats);
    }

    /// One flit is not what it was.
    fn damage(&mut self, beats: &mut [Vec<Flit>], random: &mut KitRng) {
        let beat = random.random_range(0..beats.len());
        let slot = random.random_range(0..self.rules.flits);
        let flit = &mut beats[beat][slot];
        let reason = random.random_range(0..256);
        *flit = match random.random_range(0..4) {
            0 => Flit::from_bits(flit.bits() ^ 1 << random.random_range(0..FLIT_BITS)).expect("65 bits"),
            1 if (beat, slot) == (0, 0) => Flit::control(Opcode::HeadBad, random.random::<u64>() >> 8),
            1 => Flit::control(Opcode::BodyBad, reason),
            2 => Flit::control(Opcode::TailBad, reason),
            _ => any_flit(random),
        };
    }
}

/// A flit of any kind.
pub fn any_flit(random: &mut KitRng) -> Flit {
    let data = random.random::<u64>();
    match random.random_range(0..6) {
        0 => Flit::other(data | 1 << 63),
        1 => Flit::body(data),
        2 => Flit::tail(data >> 2),
        3 => Flit::IDLE,
        _ => Flit::control(Opcode::ALL[random.random_range(0..Opcode::ALL.len())], data >> 8),
    }
}

/// The model at work, and what it says must come.
struct Reference {
    rules: PacketRules,
    receiver: PacketReceiver,
    headers: SharedScoreboard,
    words: SharedScoreboard,
    ends: SharedScoreboard,
    strays: u64,
    seen: Seen,
}

impl Reference {
    fn beat(&mut self, clock: u64, value: &Value) {
        let received = self.receiver.step(&flits_of(value)).expect("F flits");
        let push = |board: &SharedScoreboard, value| board.with(|board| board.push(clock, value));
        if let Some((header, len)) = received.header {
            push(&self.headers, Value::from_u64(HEADER_BITS as u32, header_value(&header, len)));
        }
        for word in &received.words {
            push(&self.words, word_value(word, self.rules.flits));
        }
        if let Some(end) = received.end {
            push(&self.ends, Value::from_u64(25, end_value(&end)));
            match end.bad {
                None => self.seen.count("good"),
                Some(reason @ (2 | 4 | 7)) => self.seen.count(&format!("bad, reason {reason}")),
                Some(_) => self.seen.count("bad, other reason"),
            }
        }
        if received.stray {
            self.strays += 1;
            self.seen.count("stray");
        }
    }
}

fn stimulus(
    rules: PacketRules,
    clocks: u64,
    testbench: &mut Testbench<'static>,
    (seed, seen): (u64, Seen),
) -> Result<Rc<RefCell<Reference>>, SimError> {
    let board = |name| SharedScoreboard::new(name).flushed_by(testbench.bench(), "clear");
    let (headers, words, ends) = (board("headers")?, board("words")?, board("ends")?);
    let receiver = PacketReceiver::new(rules).expect("rules");
    let reference = Reference {
        rules,
        receiver,
        headers: headers.clone(),
        words: words.clone(),
        ends: ends.clone(),
        strays: 0,
        seen,
    };
    let reference = Rc::new(RefCell::new(reference));
    let (now, late) = (Rc::new(Cell::new(0)), clocks - (clocks / 2).min(3_000));
    let time = now.clone();
    testbench.add(StimulusFn(move |clock, _: &mut dyn Bench| {
        time.set(clock);
        Ok(())
    }));
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
    let (taken, mut traffic) = (reference.clone(), Traffic::new(rules));
    let source = StreamSource::new(testbench.bench(), "beats_in", seed)?
        .items(move |random, _| (now.get() < late).then(|| beat_value(&traffic.next(random))))
        .on_transfer(move |clock, value| {
            taken.borrow_mut().beat(clock, value);
            Ok(())
        });
    testbench.add(source);
    for (stream, board) in [("header_out", headers), ("words_out", words), ("end_out", ends)] {
        testbench.add(StreamSink::new(testbench.bench(), stream, seed)?.checking(&board));
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
        testbench.add(board);
    }
    testbench.add(StreamMonitor::new(testbench.bench(), "beats_in")?);
    let strays = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "stray", move |clock| {
        let left = &mut strays.borrow_mut().strays;
        *left = left.checked_sub(1).ok_or_else(|| failed(clock, "a stray nobody sent".into()))?;
        Ok(())
    })?);
    let cleared = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        let mut reference = cleared.borrow_mut();
        reference.receiver = PacketReceiver::new(rules).expect("rules");
        reference.strays = 0;
        reference.seen.count("cleared");
        Ok(())
    })?);
    Ok(reference)
}

/// How the block is built in these tests.
pub const CASES: [PacketRules; 4] = [
    PacketRules { flits: 2, mtu: 10_240, lanes: 4, management: false },
    PacketRules { flits: 1, mtu: 256, lanes: 4, management: false },
    PacketRules { flits: 4, mtu: 10_240, lanes: 4, management: false },
    PacketRules { flits: 4, mtu: 300, lanes: 4, management: false },
];

/// A co-simulation under random traffic, and the check that nothing is left at its end.
pub fn plan(name: &str, rules: PacketRules, clocks: u64, seen: &Seen) -> (CosimPlan<'static>, impl FnOnce()) {
    let settings = [("f", rules.flits as u64), ("mtu", rules.mtu as u64)];
    let make = move || build("fab_packet_rx", &settings).block;
    let (seen, left) = (seen.clone(), Rc::new(RefCell::new(None)));
    let at_end = left.clone();
    let plan = CosimPlan::new(name, seed(0xFAB2), make, move |testbench, seed| {
        *left.borrow_mut() = Some(stimulus(rules, clocks, testbench, (seed, seen))?);
        Ok(())
    });
    let finish = move || {
        let reference: Rc<RefCell<Reference>> = at_end.borrow().clone().expect("has run");
        let reference = reference.borrow();
        assert_eq!(reference.strays, 0, "strays without an event");
        for board in [&reference.headers, &reference.words, &reference.ends] {
            board.with(|board| board.expect_empty(clocks)).expect("nothing left");
        }
    };
    (plan.clocks(clocks).stock_limit(100, "a quick run: rust-hdl itself is slow"), finish)
}

#[test]
fn packets_are_those_of_the_model_whatever_beats_come() {
    let depth = depth();
    let seen = Seen::default();
    for (index, rules) in CASES.into_iter().enumerate() {
        let (plan, finish) = plan(&format!("fab_packet_rx_{index}"), rules, depth.clocks(10_000), &seen);
        plan.to_depth(depth).run().expect("equal");
        finish();
    }
    let wanted = ["bad, reason 2", "bad, reason 4", "bad, reason 7", "bad, other reason", "stray", "cleared"];
    seen.require(&wanted.map(|what| (what, 20)));
    seen.require(&[("good", 1_000)]);
}

/// Good packets at one beat per clock are taken without a pause.
#[test]
fn full_rate_with_packets_of_one_beat_and_with_long_ones() {
    for (flits, bytes) in [(1, 64), (2, 0), (2, 40), (4, 0), (4, 16), (4, 48), (4, 10_240)] {
        let rules = PacketRules { flits, mtu: 10_240, lanes: 4, management: false };
        let packet = Request { len: bytes, ..Request::default() };
        let words = random_words(&mut rng(1, "words"), &rules, bytes, false);
        let sender = PacketSender::new(rules).expect("rules");
        let Sent::Beats(beats) = sender.send(&packet, &words).expect("legal") else { panic!("refused") };
        let block = build("fab_packet_rx", &[("f", flits as u64)]).block;
        let mut testbench = Testbench::new(flitforge_sim::open("rx", block).expect("opens"));
        let seen = SharedScoreboard::new("beats");
        let source = StreamSource::new(testbench.bench(), "beats_in", 1)
            .expect("port")
            .pace(Pace::Always)
            .items(move |_, number| Some(beat_value(&beats[number as usize % beats.len()])))
            .feeding(&seen);
        testbench.add(source);
        for stream in ["header_out", "words_out", "end_out"] {
            testbench.add(StreamSink::new(testbench.bench(), stream, 1).expect("port").pace(Pace::Always));
        }
        testbench.run(3_000).expect("runs");
        assert_eq!(seen.with(|board| board.pushed()), 3_000, "F = {flits}, {bytes} bytes");
    }
}
