//! `fab_vl_rx`: whatever beats come, lanes get what the model gives them.

use crate::fabric::encode::{lane_beat_value, lane_flits_value};
use crate::fabric::packet_rx::any_flit;
use crate::fabric::vl_tx::{marker, packet};
use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::vl::{Grant, InterleaveRules, LaneBeat, Offer, VlBeatReceiver, VlRules, VlSender};
use flitforge_model::Flit;
use flitforge_protocol::flit::{FlitKind, Opcode};
use flitforge_protocol::packet::lane_flits;
use flitforge_sim::kit::{
    seed, ClearDriver, FlowMonitor, Pace, Rng as KitRng, SharedScoreboard, StimulusFn, StreamMonitor,
    StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, failed, OnBit, Seen};
use rand::Rng;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Beats of a sender with all lanes busy, and now and then beats that none makes.
struct Traffic {
    flits: usize,
    lanes: usize,
    sender: VlSender,
    queues: Vec<VecDeque<Vec<Flit>>>,
    again: Option<Vec<Flit>>,
    errors: bool,
}

impl Traffic {
    fn new(flits: usize, lanes: usize, errors: bool) -> Self {
        let rules = |vl| VlRules { priority: [0, 3, 3, 9][vl % 4], preempt: true, bubble: true };
        let rules = InterleaveRules { lanes: (0..lanes).map(rules).collect(), min_run: 2, age: 9 };
        let sender = VlSender::new(rules).expect("rules");
        Traffic { flits, lanes, sender, queues: vec![VecDeque::new(); lanes], again: None, errors }
    }

    /// The next beat of the sender.
    fn sent(&mut self, random: &mut KitRng) -> Vec<Flit> {
        loop {
            for (vl, queue) in self.queues.iter_mut().enumerate() {
                if queue.is_empty() && random.random_bool(0.3) {
                    *queue = packet(random, self.flits, vl);
                }
            }
            let offers: Vec<Option<Offer>> = self
                .queues
                .iter()
                .map(|queue| queue.front().filter(|_| random.random_bool(0.6)).map(|beat| offer(beat)))
                .collect();
            match self.sender.step(&offers).expect("legal offers") {
                None => {}
                Some(Grant::Marker(vl)) => return marker(vl, self.flits),
                Some(Grant::Beat(vl)) => return self.queues[vl].pop_front().expect("offered"),
            }
        }
    }

    fn next(&mut self, random: &mut KitRng) -> Vec<Flit> {
        let mut beat = match self.again.take() {
            Some(beat) => beat,
            None => self.sent(random),
        };
        let slot = random.random_range(0..self.flits);
        match random.random_range(0..if self.errors { 150 } else { 20 }) {
            // Nothing wrong: an Idle beat, a credit return where there is room, a bad flit in place of a good one.
            0 => {
                self.again = Some(beat);
                return vec![Flit::IDLE; self.flits];
            }
            1 if beat[slot] == Flit::IDLE => {
                beat[slot] = Flit::control(Opcode::CrdtRet, random.random::<u64>() >> 16)
            }
            2 => beat[slot] = bad(beat[slot], random),
            20 => self.again = Some(beat.clone()),
            21 => beat = self.sent(random),
            22 => beat[slot] = any_flit(random),
            23 => beat[slot] = Flit::IDLE,
            24 => {
                self.again = Some(beat);
                return marker(random.random_range(0..(self.lanes + 2).min(32)), self.flits);
            }
            25 => {
                self.again = Some(beat);
                let vl = random.random_range(0..(self.lanes + 2).min(16));
                beat = packet(random, self.flits, vl).pop_front().expect("a beat");
            }
            26 => beat.rotate_right(slot),
            _ => {}
        }
        beat
    }
}

fn offer(beat: &[Flit]) -> Offer {
    let has = |kind| beat.iter().any(|flit| flit.kind() == kind);
    let has_bad = |bad| beat.iter().any(|flit| flit.opcode() == Some(bad));
    Offer {
        head: has(FlitKind::Head) || has_bad(Opcode::HeadBad),
        tail: has(FlitKind::Tail) || has_bad(Opcode::TailBad),
    }
}

/// The bad flit that stands for a good one.
fn bad(flit: Flit, random: &mut KitRng) -> Flit {
    match flit.kind() {
        FlitKind::Head => Flit::control(Opcode::HeadBad, 2 << 40 | flit.data() & 0xF_FFFF_FFFF),
        FlitKind::Body => Flit::control(Opcode::BodyBad, random.random_range(1..8)),
        FlitKind::Tail => Flit::control(Opcode::TailBad, random.random_range(1..8)),
        FlitKind::Control => flit,
    }
}

/// The model at work, and what it says must come.
struct Reference {
    receiver: VlBeatReceiver,
    beats: SharedScoreboard,
    arrived: SharedScoreboard,
    errors: u64,
    seen: Seen,
}

impl Reference {
    fn beat(&mut self, clock: u64, value: &Value, undefined: u64) {
        let flits = flits_of(value);
        let depth = self.receiver.stack().len();
        let slots: Vec<bool> = (0..flits.len()).map(|slot| undefined >> slot & 1 == 1).collect();
        let without = self.receiver.clone().step(&flits).expect("F flits");
        let received = self.receiver.step_with(&flits, &slots).expect("F flits");
        if received.came != without.came {
            self.seen.count("lost flit");
        }
        if let Some(beat) = &received.delivered {
            self.beats.with(|board| board.push(clock, lane_beat_value(beat)));
            self.seen.count(if received.error { "ended badly" } else { "delivered" });
        }
        if let Some(came) = &received.came {
            let value = Value::from_u64(lane_flits::WIDTH as u32, lane_flits_value(came));
            self.arrived.with(|board| board.push(clock, value));
            if came.tossed > 0 {
                self.seen.count("tossed");
            }
            if came.cut {
                self.seen.count("cut");
            }
        }
        if received.error {
            self.errors += 1;
            self.seen.count("error");
        }
        self.seen.count(&format!("stack of {}", depth.min(4)));
    }
}

/// Idles of a beat that came as something else, one bit each.
fn undefined_slots(beat: &[Flit], random: &mut KitRng) -> u64 {
    let idle = |slot: &usize| beat[*slot] == Flit::IDLE && random.random_bool(0.3);
    (0..beat.len()).filter(idle).fold(0, |slots, slot| slots | 1 << slot)
}

fn stimulus(
    shape: Shape,
    clocks: u64,
    testbench: &mut Testbench<'static>,
    (seed, seen): (u64, Seen),
) -> Result<Rc<RefCell<Reference>>, SimError> {
    let Shape { flits, lanes, errors } = shape;
    let board = |name| SharedScoreboard::new(name).flushed_by(testbench.bench(), "clear");
    let (beats, arrived) = (board("beats")?, board("arrived")?);
    let receiver = VlBeatReceiver::new(lanes, flits).expect("shape");
    let reference = Reference { receiver, beats: beats.clone(), arrived: arrived.clone(), errors: 0, seen };
    let reference = Rc::new(RefCell::new(reference));
    let (now, late) = (Rc::new(Cell::new(0)), clocks - (clocks / 2).min(1_000));
    let time = now.clone();
    testbench.add(StimulusFn(move |clock, _: &mut dyn Bench| {
        time.set(clock);
        Ok(())
    }));
    // A clear takes a beat that waits to come in away from its sender.
    let clear = ClearDriver::new(testbench.bench(), "clear", seed)?;
    testbench.add(if errors { clear.at_random(0.002, 1..=3) } else { clear.power_on(0) });
    let (taken, mut traffic) = (reference.clone(), Traffic::new(flits, lanes, errors));
    let undefined = Rc::new(Cell::new(0));
    let (slots, offered) = (undefined.clone(), undefined.clone());
    let source = StreamSource::new(testbench.bench(), "beats_in", seed)?
        .items(move |random, _| {
            (now.get() < late).then(|| {
                let beat = traffic.next(random);
                slots.set(if errors { undefined_slots(&beat, random) } else { 0 });
                beat_value(&beat)
            })
        })
        .on_transfer(move |clock, value| {
            taken.borrow_mut().beat(clock, value, undefined.get());
            Ok(())
        });
    testbench.add(source);
    let port = testbench.bench().port("undefined")?;
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        bench.set_u64(port, offered.get());
        Ok(())
    }));
    testbench.add(StreamSink::new(testbench.bench(), "beats_out", seed)?.checking(&beats));
    testbench.add(FlowMonitor::new(testbench.bench(), "arrived")?.checking(&arrived));
    testbench.add(StreamMonitor::new(testbench.bench(), "beats_out")?);
    testbench.add(StreamMonitor::new(testbench.bench(), "beats_in")?);
    testbench.add(beats).add(arrived);
    let errors = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "stack_error", move |clock| {
        let left = &mut errors.borrow_mut().errors;
        *left = left.checked_sub(1).ok_or_else(|| failed(clock, "an error nobody made".into()))?;
        Ok(())
    })?);
    let cleared = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        let mut reference = cleared.borrow_mut();
        reference.receiver = VlBeatReceiver::new(lanes, flits).expect("shape");
        reference.errors = 0;
        reference.seen.count("cleared");
        Ok(())
    })?);
    Ok(reference)
}

/// What is built, and whether beats come that no sender makes.
#[derive(Clone, Copy)]
pub struct Shape {
    pub flits: usize,
    pub lanes: usize,
    pub errors: bool,
}

/// A co-simulation under random traffic, and the check that nothing is left at its end.
pub fn plan(name: &str, shape: Shape, clocks: u64, seen: &Seen) -> (CosimPlan<'static>, impl FnOnce()) {
    let settings = [("f", shape.flits as u64), ("lanes", shape.lanes as u64)];
    let make = move || build("fab_vl_rx", &settings).block;
    let (seen, left) = (seen.clone(), Rc::new(RefCell::new(None)));
    let at_end = left.clone();
    let plan = CosimPlan::new(name, seed(0xFAB4), make, move |testbench, seed| {
        *left.borrow_mut() = Some(stimulus(shape, clocks, testbench, (seed, seen))?);
        Ok(())
    });
    let finish = move || {
        let reference: Rc<RefCell<Reference>> = at_end.borrow().clone().expect("has run");
        let reference = reference.borrow();
        assert_eq!(reference.errors, 0, "errors without an event");
        for board in [&reference.beats, &reference.arrived] {
            board.with(|board| board.expect_empty(clocks)).expect("nothing left");
        }
    };
    (plan.clocks(clocks).stock_limit(100, "a quick run: rust-hdl itself is slow"), finish)
}

#[test]
fn lanes_get_what_the_model_gives_them_whatever_beats_come() {
    let depth = depth();
    let (seen, sound) = (Seen::default(), Seen::default());
    for (index, (flits, lanes)) in
        [(2, 4), (1, 4), (4, 4), (2, 1), (2, 2), (2, 8), (2, 16), (2, 4)].into_iter().enumerate()
    {
        let errors = index < 7;
        let shape = Shape { flits, lanes, errors };
        let seen = if errors { &seen } else { &sound };
        let (plan, finish) = plan(&format!("fab_vl_rx_{index}"), shape, depth.clocks(8_000), seen);
        plan.to_depth(depth).run().unwrap_or_else(|error| panic!("F = {flits}, {lanes} lanes: {error}"));
        finish();
    }
    seen.require(&[
        ("delivered", 5_000),
        ("ended badly", 200),
        ("tossed", 500),
        ("cut", 200),
        ("error", 500),
        ("lost flit", 50),
        ("stack of 4", 500),
        ("stack of 0", 500),
        ("cleared", 50),
    ]);
    sound.require(&[("delivered", 1_000), ("stack of 4", 100)]);
    assert_eq!((sound.of("error"), sound.of("tossed")), (0, 0), "a sender's beats are all right");
}

/// At one beat per clock nothing waits, from lane to lane and over packets of one beat.
#[test]
fn full_rate_over_all_lanes() {
    for (flits, lanes) in [(1, 4), (2, 4), (4, 4), (2, 16)] {
        let block = build("fab_vl_rx", &[("f", flits as u64), ("lanes", lanes as u64)]).block;
        let mut testbench = Testbench::new(flitforge_sim::open("rx", block).expect("opens"));
        let sent = SharedScoreboard::new("beats");
        let mut traffic = Traffic::new(flits, lanes, false);
        let source = StreamSource::new(testbench.bench(), "beats_in", 1)
            .expect("port")
            .pace(Pace::Always)
            .items(move |random, _| Some(beat_value(&traffic.sent(random))))
            .feeding(&sent);
        testbench.add(source);
        testbench.add(StreamSink::new(testbench.bench(), "beats_out", 1).expect("port").pace(Pace::Always));
        testbench.run(3_000).expect("runs");
        assert_eq!(sent.with(|board| board.pushed()), 3_000, "F = {flits}, {lanes} lanes");
    }
}

/// A packet that never ends is wrong however long it goes on, also where its Tail comes when a counter has gone round.
#[test]
fn a_packet_without_end_stays_wrong() {
    const ROUND: usize = 4096;
    for more in [0, 1, ROUND - 1, ROUND, ROUND + 1] {
        let mut receiver = VlBeatReceiver::new(4, 1).expect("shape");
        let good = flitforge_model::packet::Packet::default().encode().expect("a packet");
        let (head, tail) = (good[0], good[1]);
        let mut flits = vec![head];
        flits.extend(vec![Flit::body(7); more]);
        flits.push(tail);
        let mut expected: Vec<LaneBeat> = vec![];
        for flit in &flits {
            expected.extend(receiver.step(&[*flit]).expect("a beat").delivered);
        }
        let block = build("fab_vl_rx", &[("f", 1)]).block;
        let mut testbench = Testbench::new(flitforge_sim::open("rx", block).expect("opens"));
        let board = SharedScoreboard::new("beats");
        expected.iter().for_each(|beat| board.with(|board| board.push(0, lane_beat_value(beat))));
        let beats = flits.iter().map(|flit| beat_value(&[*flit])).collect();
        testbench.add(
            StreamSource::new(testbench.bench(), "beats_in", 1).expect("port").pace(Pace::Always).list(beats),
        );
        testbench.add(StreamSink::new(testbench.bench(), "beats_out", 1).expect("port").checking(&board));
        testbench.run(4 * flits.len() as u64 + 400).expect("as the model");
        board.with(|board| board.expect_empty(0)).expect("nothing left");
        let last = expected.last().expect("a tail");
        assert_eq!(last.beat[0] == tail, more == 0, "{more} flits too many");
    }
}
