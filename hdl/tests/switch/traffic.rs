//! Random packets, good and bad, through hardware and model: what comes out where, by input and lane, and what is counted.

use crate::switch::rig::{Preset, Rig, DEFAULT, SIXTEEN, SMALL, SMALL_F1};
use flitforge_model::control::Control;
use flitforge_model::credit::CreditReceiver;
use flitforge_model::packet::{Header, PacketRules};
use flitforge_model::switch::{beat_of, RouteEntry, Shape, Switch, SwitchRules, Transmit};
use flitforge_model::{Flit, Packet};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::Clocked;
use rand::Rng as _;
use std::collections::{BTreeMap, VecDeque};

/// A packet at an input: lane, flits, and the agent's output.
type Sent = (usize, Vec<Flit>, usize);
/// Beats of a lane, each with the agent's output.
type Queue = VecDeque<(Vec<Flit>, usize)>;
/// Packets by (input, lane, output), in order.
type Came = BTreeMap<(usize, usize, usize), Vec<Vec<Flit>>>;

pub fn rules(preset: Preset) -> SwitchRules {
    let (mtu, address_bits) = if preset.units == 8 { (256, 6) } else { (10_240, 10) };
    let packets = PacketRules { flits: preset.flits, mtu, lanes: preset.lanes, management: false };
    SwitchRules {
        address_bits,
        buffer_bytes: 64 * preset.units as usize,
        ..SwitchRules::new(preset.ports, packets)
    }
}

/// The route of an address: its port, or none.
fn entry(address: usize, ports: usize) -> RouteEntry {
    match address % 8 {
        7 => RouteEntry::default(),
        // No such port.
        6 => RouteEntry { port: 30, ..RouteEntry::to(0) },
        5 => RouteEntry::to(ports),
        place => RouteEntry::to((address / 8 * 5 + place) % ports),
    }
}

fn random_packet(random: &mut Rng, rules: &SwitchRules, input: usize, number: u16) -> Sent {
    let (ports, vl) = (rules.ports, random.random_range(0..rules.packets.lanes));
    let longest = if random.random_bool(0.2) { 256 } else { 60 };
    let len = random.random_range(0..=longest);
    // Now and then above ADDR_W.
    let addresses = if random.random_bool(0.05) { 4_096 } else { 32 };
    let header = Header {
        dst: random.random_range(0..addresses),
        src: input as u16,
        vl: vl as u8,
        ptype: if random.random_bool(0.05) { 2 } else { 0 },
        fecn: random.random_bool(0.1),
        ..Header::default()
    };
    let payload = (0..len).map(|_| random.random()).collect();
    let mut flits = Packet { header, payload, tag: number }.encode().expect("a packet");
    match random.random_range(0..30) {
        0 => {
            flits[0] = Control::HeadBad {
                dst: header.dst,
                src: input as u16,
                vl: vl as u8,
                ptype: header.ptype,
                reason: 2,
            }
            .encode()
            .expect("a flit")
        }
        1 if flits.len() > 2 => flits[1] = Control::BodyBad { reason: 3 }.encode().expect("a flit"),
        2 => {
            // Given up by its source.
            flits.truncate(random.random_range(1..flits.len()));
            flits.push(Control::TailBad { reason: 7, vl: vl as u8 }.encode().expect("a flit"));
        }
        3 => flits[0] = header.encode(rules.packets.mtu + 1).expect("a head"),
        _ => {}
    }
    (vl, flits, random.random_range(0..=ports + 1))
}

/// What the model makes of these packets, over links without delay, and NO_ROUTE by input.
fn by_model(rules: &SwitchRules, packets: &[Vec<Sent>]) -> (Came, Vec<u64>) {
    let (ports, size, lanes) = (rules.ports, rules.packets.flits, rules.packets.lanes);
    let mut switch = Switch::new(rules.clone()).expect("rules");
    for port in 0..ports {
        switch.set_link(port, true).expect("a port");
    }
    (0..64).for_each(|address| switch.routes_mut().set(address, entry(address, ports)).expect("an entry"));
    let mut transmit: Vec<Transmit> =
        (0..ports).map(|_| Transmit::new(rules, false).expect("rules")).collect();
    let mut credit: Vec<CreditReceiver> =
        (0..ports).map(|_| CreditReceiver::new(rules.credits(), size).expect("rules")).collect();
    let mut queues: Vec<Vec<Queue>> = vec![vec![Queue::new(); lanes]; ports + 1];
    for (input, sent) in packets.iter().enumerate() {
        for (vl, flits, output) in sent {
            let mut flits = flits.clone();
            flits.resize(flits.len().next_multiple_of(size), Flit::IDLE);
            queues[input][*vl].extend(flits.chunks(size).map(|beat| (beat.to_vec(), *output)));
        }
    }
    let mut came = Came::new();
    let mut parts: BTreeMap<(usize, usize), (usize, Vec<Flit>)> = BTreeMap::new();
    let mut quiet = 0;
    while quiet < 500 {
        let mut moved = false;
        for port in 0..ports {
            credit[port].clock();
            let shapes: Vec<Option<Shape>> =
                queues[port].iter().map(|queue| queue.front().map(|beat| Shape::of(&beat.0))).collect();
            let turn = transmit[port].step(&shapes, Some(&mut credit[port])).expect("a turn");
            let beat = beat_of(&turn, size, |vl| queues[port][vl].pop_front().map(|beat| beat.0));
            if let Some(beat) = beat {
                switch.arrive(port, &beat).expect("a beat");
                moved = true;
            }
        }
        for (vl, queue) in queues[ports].iter_mut().enumerate() {
            let Some((beat, output)) = queue.front() else { continue };
            if switch.inject(vl, beat, *output).expect("a beat") {
                queue.pop_front();
                moved = true;
                break;
            }
        }
        switch.clock().expect("a clock");
        for output in 0..=ports {
            let Some(sent) = switch.send(output).expect("a turn") else { continue };
            for flit in &sent.flits {
                if let (true, Ok(Control::CrdtRet { codes })) = (output < ports, Control::decode(*flit)) {
                    transmit[output].give(&codes).expect("fits");
                }
            }
            let Some(vl) = sent.vl else { continue };
            moved = true;
            let shape = Shape::of(&sent.flits);
            if output < ports {
                let units = credit[output].arrive(vl, shape.flits, shape.tail).expect("no overrun");
                credit[output].release(vl, units).expect("occupied");
            }
            let part = parts.entry((output, vl)).or_default();
            part.0 = sent.from.expect("of an input");
            part.1.extend(&sent.flits[..shape.flits]);
            if shape.tail {
                came.entry((part.0, vl, output)).or_default().push(std::mem::take(&mut part.1));
            }
        }
        quiet = if moved { 0 } else { quiet + 1 };
    }
    assert!(switch.is_empty() && queues.iter().flatten().all(VecDeque::is_empty));
    (came, switch.counters().no_route.clone())
}

/// What the hardware makes of them.
fn by_hardware(rig: &mut Rig, packets: &[Vec<Sent>]) -> (Came, Vec<u64>) {
    let ports = rig.preset.ports;
    (0..64).for_each(|address| rig.route(address, entry(address, ports)));
    for (input, sent) in packets.iter().enumerate() {
        sent.iter().for_each(|(vl, flits, output)| rig.send(input, *vl, flits, *output));
    }
    // Full speed, stalls of the links, slow readers, gaps at the inputs.
    let paces = [(1.0, 1.0, 1.0), (1.0, 0.5, 1.0), (1.0, 1.0, 0.1), (0.3, 1.0, 1.0), (0.7, 0.7, 0.3)];
    for round in 0..60 {
        let (source, sink, reads) = paces[round % paces.len()];
        rig.sources.iter_mut().for_each(|port| port.pace = source);
        rig.sinks.iter_mut().for_each(|port| (port.pace, port.reads) = (sink, reads));
        rig.run(100);
    }
    rig.sources.iter_mut().for_each(|port| port.pace = 1.0);
    rig.sinks.iter_mut().for_each(|port| (port.pace, port.reads) = (1.0, 1.0));
    rig.drain();
    rig.audit();
    let mut came = Came::new();
    for (output, sink) in rig.sinks.iter_mut().enumerate() {
        for (vl, flits) in std::mem::take(&mut sink.packets) {
            came.entry((source_of(&flits), vl, output)).or_default().push(flits);
        }
    }
    let mut parts: BTreeMap<usize, Vec<Flit>> = BTreeMap::new();
    for (vl, from, beat) in std::mem::take(&mut rig.agent) {
        let shape = Shape::of(&beat);
        let part = parts.entry(vl).or_default();
        part.extend(&beat[..shape.flits]);
        if shape.tail {
            let flits = std::mem::take(part);
            assert_eq!(source_of(&flits), from, "the input beside a packet");
            came.entry((from, vl, ports)).or_default().push(flits);
        }
    }
    (came, rig.counts[0].clone())
}

/// The input that a packet names as its source.
fn source_of(flits: &[Flit]) -> usize {
    match Control::decode(flits[0]) {
        Ok(Control::HeadBad { src, .. }) => src.into(),
        _ => Header::decode(flits[0]).expect("a head").src.into(),
    }
}

fn compare(preset: Preset, count: u16, run: u64) -> (usize, u64) {
    let seed = seed(0xFAB5_0000 + run);
    let rules = rules(preset);
    let mut random = rng(seed, "packets");
    let packets: Vec<Vec<Sent>> = (0..=preset.ports)
        .map(|input| (0..count).map(|number| random_packet(&mut random, &rules, input, number)).collect())
        .collect();
    let (expected, no_route) = by_model(&rules, &packets);
    let mut rig = Rig::new(preset, seed);
    let (came, counted) = by_hardware(&mut rig, &packets);
    assert_eq!(
        came.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>(),
        "{} seed {seed}",
        preset.name
    );
    for (flow, packets) in &expected {
        let different = came[flow].iter().zip(packets).position(|(came, expected)| came != expected);
        let at = different.unwrap_or(packets.len().min(came[flow].len()));
        let two = (came[flow].get(at), packets.get(at));
        assert_eq!(two.0, two.1, "{} seed {seed}, (input, lane, output) {flow:?}, packet {at}", preset.name);
    }
    assert_eq!(counted, no_route, "{} seed {seed}", preset.name);
    assert_eq!(rig.counts[1].iter().sum::<u64>(), 0, "LIFE is off");
    (expected.values().map(Vec::len).sum(), no_route.iter().sum())
}

#[test]
fn every_packet_goes_where_the_model_sends_it() {
    let mut sums = (0, 0);
    for (run, preset) in [SMALL, SMALL, SMALL_F1, SMALL_F1, DEFAULT].into_iter().enumerate() {
        let (packets, no_route) = compare(preset, 250, run as u64);
        println!("{}: {packets} packets, {no_route} without a route", preset.name);
        sums = (sums.0 + packets, sums.1 + no_route);
    }
    assert!(sums.0 > 2_000 && sums.1 > 400, "{sums:?}");
}

/// Chapter 10, 9, point 15: 16 ports, in short. A block of this size is built on a larger stack than that of a test.
#[test]
fn sixteen_ports_are_as_the_model_has_them() {
    let run = || compare(SIXTEEN, 60, 16);
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run).expect("a thread");
    let (packets, no_route) = thread.join().expect("as the model");
    println!("16 ports: {packets} packets, {no_route} without a route");
    assert!(packets > 600 && no_route > 100, "{packets}, {no_route}");
}
