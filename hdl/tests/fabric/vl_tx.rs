//! `fab_vl_tx` is the model's interleaver, clock by clock.

use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_model::packet::{PacketRules, PacketSender, Request, Sent, Word};
use flitforge_model::vl::{Grant, InterleaveRules, Offer, VlRules, VlSender};
use flitforge_model::Flit;
use flitforge_protocol::flit::{vl_mrkr, FlitKind, Opcode};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Pace, Rng as KitRng, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, PortValues, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, Seen};
use rand::Rng;
use std::collections::VecDeque;

/// How a run is set up.
#[derive(Clone)]
pub struct Case {
    pub flits: usize,
    pub rules: InterleaveRules,
}

/// Random settings for `lanes` lanes; few different PRIO, so that equal ones and 15 meet.
pub fn case(flits: usize, lanes: usize, number: u64) -> Case {
    let mut random = rng(number, "settings");
    let lanes = (0..lanes).map(|_| VlRules {
        priority: [0, 0, 3, 7, 15][random.random_range(0..5)],
        preempt: random.random(),
        bubble: random.random_bool(0.7),
    });
    let lanes = lanes.collect();
    let (min_run, age) = (random.random_range(0..6), [0, 1, 7, 40][random.random_range(0..4)]);
    Case { flits, rules: InterleaveRules { lanes, min_run, age } }
}

/// Beats of one lane's packet.
pub fn packet(random: &mut KitRng, flits: usize, vl: usize) -> VecDeque<Vec<Flit>> {
    let rules = PacketRules { flits, mtu: 10_240, lanes: 16, management: false };
    let len = random.random_range(0..12 * rules.word_bytes());
    let count = len.div_ceil(rules.word_bytes());
    let word = |index: usize| Word {
        data: vec![vl as u8; rules.word_bytes()],
        bytes: rules.word_bytes().min(len - index * rules.word_bytes()),
        last: index + 1 == count,
    };
    let words: Vec<Word> = (0..count).map(word).collect();
    let mut request = Request { len, tag: random.random(), ..Request::default() };
    request.header.vl = vl as u8;
    match PacketSender::new(rules).expect("rules").send(&request, &words).expect("legal") {
        Sent::Beats(beats) => beats.into(),
        Sent::Refused(refusal) => panic!("refused: {refusal:?}"),
    }
}

/// Offers packets on all lanes at changing rates, and credit by chance; begins anew after a clear.
struct Lanes {
    flits: usize,
    ports: Vec<[PortHandle; 3]>,
    credit: PortHandle,
    ends: PortHandle,
    clear: PortHandle,
    beats: Vec<VecDeque<Vec<Flit>>>,
    offered: Vec<bool>,
    random: KitRng,
}

impl Lanes {
    fn new(bench: &dyn Bench, flits: usize, lanes: usize, seed: u64) -> Result<Self, SimError> {
        let port = |lane, part| bench.port(&format!("lanes_in[{lane}].{part}"));
        let ports = (0..lanes)
            .map(|lane| Ok([port(lane, "data")?, port(lane, "valid")?, port(lane, "ready")?]))
            .collect::<Result<_, SimError>>()?;
        Ok(Lanes {
            flits,
            ports,
            credit: bench.port("credit")?,
            ends: bench.port("ends")?,
            clear: bench.port("clear")?,
            beats: vec![VecDeque::new(); lanes],
            offered: vec![false; lanes],
            random: rng(seed, "lanes"),
        })
    }
}

impl Agent for Lanes {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        // Busy, quiet and starved times.
        let (begin, go_on, credit) = [(0.05, 0.9, 0.95), (0.5, 1.0, 1.0), (0.2, 0.4, 1.0), (0.3, 0.9, 0.5)]
            [(clock / 300 % 4) as usize];
        let (mut credits, mut ends) = (0, 0);
        for (vl, [data, valid, _]) in self.ports.iter().enumerate() {
            let beats = &mut self.beats[vl];
            if beats.is_empty() && self.random.random_bool(begin) {
                *beats = packet(&mut self.random, self.flits, vl);
            }
            self.offered[vl] = !beats.is_empty() && (self.offered[vl] || self.random.random_bool(go_on));
            bench.set_u64(*valid, self.offered[vl].into());
            if let Some(beat) = beats.front() {
                bench.set(*data, &beat_value(beat));
                ends |= u64::from(offer(&beat_value(beat)).tail) << vl;
            }
            credits |= u64::from(self.random.random_bool(credit)) << vl;
        }
        bench.set_u64(self.credit, credits);
        bench.set_u64(self.ends, ends);
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let cleared = bench.get_bit(self.clear);
        for (vl, [_, _, ready]) in self.ports.iter().enumerate() {
            if self.offered[vl] && bench.get_bit(*ready) {
                self.beats[vl].pop_front();
                self.offered[vl] = false;
            }
            if cleared {
                self.beats[vl].clear();
                self.offered[vl] = false;
            }
        }
        Ok(())
    }
}

/// Holds the settings.
struct Settings(Vec<(&'static str, u64)>);

impl Agent for Settings {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        for (path, value) in &self.0 {
            let port = bench.port(path)?;
            bench.set_u64(port, *value);
        }
        Ok(())
    }
}

fn settings(rules: &InterleaveRules) -> Settings {
    let by_lane = |bit: fn(&VlRules) -> u64, width: usize| {
        rules.lanes.iter().enumerate().fold(0, |word, (vl, lane)| word | bit(lane) << (width * vl))
    };
    Settings(vec![
        ("priorities", by_lane(|lane| lane.priority.into(), 4)),
        ("preempt", by_lane(|lane| lane.preempt.into(), 1)),
        ("bubble", by_lane(|lane| lane.bubble.into(), 1)),
        ("min_run", rules.min_run.into()),
        ("age", rules.age.into()),
    ])
}

/// A beat that brings a lane to the top.
pub fn marker(vl: usize, flits: usize) -> Vec<Flit> {
    let mut beat = vec![Flit::IDLE; flits];
    beat[0] = Flit::control(Opcode::VlMrkr, vl_mrkr::vl::FIELD.set(0, vl as u64) as u64);
    beat
}

/// The model behind two beats of room per lane, and before a register.
fn model(case: Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let (flits, lanes) = (case.flits, case.rules.lanes.len());
    let mut sender = VlSender::new(case.rules.clone()).expect("rules");
    let mut queues: Vec<VecDeque<Value>> = vec![VecDeque::new(); lanes];
    let mut output: Option<Value> = None;
    move |inputs, outputs| {
        outputs.set_bit("beats_out.valid", output.is_some())?;
        if let Some(beat) = &output {
            outputs.set("beats_out.data", beat.clone())?;
        }
        let (clear, credit) = (inputs.bit("clear")?, inputs.u64("credit")?);
        let waiting = queues.iter().enumerate().filter(|(_, queue)| !queue.is_empty());
        outputs.set_u64("waiting", waiting.fold(0, |bits, (vl, _)| bits | 1 << vl))?;

        // What is taken in.
        let (mut sent, mut ends, mut taken) = (0, 0, vec![]);
        for (vl, queue) in queues.iter().enumerate() {
            let ready = queue.len() < 2 && credit >> vl & 1 == 1 && !clear;
            outputs.set_bit(&format!("lanes_in[{vl}].ready"), ready)?;
            if ready && inputs.bit(&format!("lanes_in[{vl}].valid"))? {
                let beat = inputs.get(&format!("lanes_in[{vl}].data"))?;
                sent |= 1 << vl;
                ends |= u64::from(offer(&beat).tail) << vl;
                taken.push((vl, beat));
            }
            if queue.len() == 2 {
                seen.count("lane full");
            }
        }
        outputs.set_u64("sent", sent)?;
        outputs.set_u64("sent_ends", ends)?;
        if taken.len() > 1 {
            seen.count("two lanes taken");
        }

        // What goes.
        if (output.is_none() || inputs.bit("beats_out.ready")?) && !clear {
            let offers: Vec<Option<Offer>> = queues.iter().map(|queue| queue.front().map(offer)).collect();
            let depth = sender.stack().len();
            let grant = sender.step(&offers).expect("legal offers");
            match grant {
                Some(Grant::Marker(_)) => seen.count("marker"),
                Some(Grant::Beat(_)) => seen.count("beat"),
                None if offers.iter().any(Option::is_some) => seen.count("nobody may"),
                None => seen.count("nobody has"),
            }
            if depth == lanes {
                seen.count("full stack");
            }
            output = match grant {
                Some(Grant::Marker(vl)) => Some(beat_value(&marker(vl, flits))),
                Some(Grant::Beat(vl)) => queues[vl].pop_front(),
                None => None,
            };
        }
        taken.into_iter().for_each(|(vl, beat)| queues[vl].push_back(beat));
        if clear {
            sender = VlSender::new(case.rules.clone()).expect("rules");
            queues.iter_mut().for_each(VecDeque::clear);
            output = None;
            seen.count("clear");
        }
        Ok(())
    }
}

fn offer(beat: &Value) -> Offer {
    let flits = flits_of(beat);
    let has = |kind| flits.iter().any(|flit| flit.kind() == kind);
    Offer { head: has(FlitKind::Head), tail: has(FlitKind::Tail) }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: &Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let (flits, lanes) = (case.flits, case.rules.lanes.len());
    let make = move || build("fab_vl_tx", &[("f", flits as u64), ("lanes", lanes as u64)]).block;
    let settings = settings(&case.rules);
    let stimulus = move |testbench: &mut Testbench<'static>, seed| {
        testbench.add(settings);
        // PRIO is taken over by the first beat times.
        testbench
            .add(ClearDriver::new(testbench.bench(), "clear", seed)?.power_on(3).at_random(0.002, 1..=3));
        testbench.add(Lanes::new(testbench.bench(), flits, lanes, seed)?);
        testbench.add(StreamSink::new(testbench.bench(), "beats_out", seed)?.pace(Pace::mixed()));
        testbench.add(StreamMonitor::new(testbench.bench(), "beats_out")?);
        Ok(())
    };
    CosimPlan::new(name, seed(0xFAB3), make, stimulus)
        .clocks(clocks)
        .stock_limit(100, "a quick run: rust-hdl itself is slow")
        .model(model(case.clone(), seen.clone()))
}

#[test]
fn every_beat_time_goes_to_the_lane_the_model_chooses() {
    let depth = depth();
    let seen = Seen::default();
    let shapes =
        [(2, 4), (2, 4), (2, 4), (2, 4), (2, 4), (1, 4), (4, 4), (2, 1), (2, 2), (2, 8), (2, 16), (2, 16)];
    for (number, (flits, lanes)) in shapes.into_iter().enumerate() {
        let case = case(flits, lanes, number as u64);
        let plan = plan(&format!("fab_vl_tx_{number}"), &case, 6_000, &seen);
        plan.to_depth(depth).run().unwrap_or_else(|error| panic!("{:?}: {error}", case.rules));
    }
    seen.require(&[
        ("beat", 20_000),
        ("marker", 500),
        ("nobody may", 100),
        ("nobody has", 100),
        ("full stack", 100),
        ("two lanes taken", 1_000),
        ("lane full", 1_000),
        ("clear", 50),
    ]);
}
