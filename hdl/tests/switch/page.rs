//! The register page: against its description and the model, counters against events, routes against packets.

use crate::switch::directed::packet;
use crate::switch::rig::{Rig, DEFAULT, SMALL};
use crate::switch::traffic::rules;
use flitforge_hdl::fabric::switch::SwitchCounts;
use flitforge_model::switch::{RouteEntry, Switch};
use flitforge_protocol::counter::COUNTER_MAX;
use flitforge_protocol::register::{Reset, BYTES};
use flitforge_protocol::switch_registers::{
    ADAPT, ALT_TAKEN, CAP, FECN_SET, LIFE, LIFE_DROP, NO_ROUTE, PAGE, ROUTE_DATA, ROUTE_IDX,
};
use flitforge_sim::kit::{rng, seed};
use flitforge_sim::Bench;
use flitforge_testkit::Clocked;
use rand::Rng as _;
use std::collections::BTreeMap;

#[test]
fn every_register_powers_on_as_described() {
    for preset in [SMALL, DEFAULT] {
        let mut rig = Rig::new(preset, seed(30));
        let model = Switch::new(rules(preset)).expect("rules").read_register(CAP);
        for register in PAGE.registers {
            let expected = match register.reset {
                Reset::Value(value) => value,
                _ => model,
            };
            // The rig has written routes.
            let expected = if register.offset == ROUTE_IDX { preset.ports as u64 } else { expected };
            for index in 0..register.count {
                let offset = register.offset_of(index);
                assert_eq!(rig.read(offset), expected, "{} {offset:#x}", register.name);
            }
        }
    }
}

/// Any access at any place, written with ones as often as with noise.
#[test]
fn accesses_are_those_of_the_model() {
    let mut rig = Rig::new(SMALL, seed(31));
    let mut model = Switch::new(rules(SMALL)).expect("rules");
    for p in 0..SMALL.ports {
        model.write_register(ROUTE_IDX, p as u64);
        model.write_register(ROUTE_DATA, RouteEntry::to(p).encode().into());
    }
    let mut random = rng(seed(31), "accesses");
    let kept = [LIFE, ROUTE_IDX, ROUTE_DATA, ROUTE_DATA, ROUTE_DATA, ADAPT];
    for access in 0..600 {
        let offset = match random.random_bool(0.7) {
            true => kept[random.random_range(0..kept.len())],
            false => BYTES * random.random_range(0..PAGE.bytes / BYTES),
        };
        if random.random_bool(0.5) {
            let word: u64 = if random.random_bool(0.2) { u64::MAX } else { random.random() };
            rig.write(offset, word);
            model.write_register(offset, word);
        } else {
            assert_eq!(rig.read(offset), model.read_register(offset), "access {access}, {offset:#x}");
        }
    }
}

/// Packets without a route, too old, by the other way, marked: the page counts what the events say, and clears one counter at a time.
#[test]
fn counters_count_the_events_and_are_cleared_by_0_alone() {
    let mut rig = Rig::new(DEFAULT, seed(32));
    rig.write(ADAPT, 3 << 16 | 1);
    rig.route(9, RouteEntry { alt: 3, adapt: true, ..RouteEntry::to(2) });
    for tag in 0..40 {
        for port in 0..4 {
            rig.send(port, 0, &packet(9, 0, 200, tag), 0);
            rig.send(port, 1, &packet(50 + port as u16, 1, 20, tag), 0);
        }
        rig.send(4, 2, &packet(0, 2, 40, tag), 6);
    }
    rig.drain();
    rig.write(LIFE, 320);
    (rig.sinks[1].available[3], rig.sinks[1].held[3], rig.sinks[1].reads) = (3, 253, 0.0);
    rig.send(0, 3, &packet(1, 3, 200, 1), 0);
    rig.run(500);
    let [no_route, life_drop, alt_taken, fecn_set] = rig.counts.clone();
    assert!(
        no_route.iter().all(|count| *count == 40) && life_drop == [1, 0, 0, 0, 0],
        "{no_route:?} {life_drop:?}"
    );
    let (turned, marked): (u64, u64) = (alt_taken.iter().sum(), fecn_set.iter().sum());
    assert!(turned > 10 && marked > 10, "{turned} {marked}");
    let mut expected: BTreeMap<u32, u64> = BTreeMap::from([(ALT_TAKEN, turned), (FECN_SET, marked)]);
    for index in 0..17 {
        let of = |counts: &[u64]| counts.get(index as usize).copied().unwrap_or(0);
        expected.insert(NO_ROUTE + BYTES * index, of(&no_route));
        expected.insert(LIFE_DROP + BYTES * index, of(&life_drop));
    }
    let shown = |rig: &mut Rig, expected: &BTreeMap<u32, u64>| {
        for (offset, count) in expected {
            assert_eq!(rig.read(*offset), *count, "{offset:#x}");
        }
    };
    shown(&mut rig, &expected);
    for offset in [NO_ROUTE + BYTES, LIFE_DROP, ALT_TAKEN] {
        rig.write(offset, 1);
        assert_ne!(rig.read(offset), 0, "{offset:#x}: another value clears nothing");
        rig.write(offset, 0);
        expected.insert(offset, 0);
    }
    shown(&mut rig, &expected);
}

#[test]
fn a_route_that_is_written_holds_for_the_next_packet() {
    let mut rig = Rig::new(DEFAULT, seed(33));
    for (tag, entry) in [RouteEntry::to(1), RouteEntry::to(3), RouteEntry::to(4), RouteEntry::default()]
        .into_iter()
        .enumerate()
    {
        rig.route(7, entry);
        rig.send(0, 1, &packet(7, 1, 64, tag as u16), 0);
        rig.run(60);
    }
    let tags = |port: usize| rig.good(port).iter().map(|packet| packet.tag).collect::<Vec<_>>();
    assert_eq!([0, 1, 2, 3].map(tags), [vec![], vec![0], vec![], vec![1]]);
    assert!(!rig.agent.is_empty() && rig.agent.iter().all(|(vl, from, _)| (*vl, *from) == (1, 0)));
    assert_eq!(rig.counts[0], [1, 0, 0, 0, 0]);
}

/// Registers, table and counters outlive a clear; a request of its clock is not taken.
#[test]
fn the_page_outlives_a_clear() {
    let mut rig = Rig::new(SMALL, seed(34));
    rig.write(LIFE, 0x1234_5678);
    rig.write(ADAPT, 0x0009_0002);
    rig.send(0, 0, &packet(40, 0, 20, 1), 0);
    rig.run(40);
    rig.set("clear", 1);
    rig.set("bus.request", 1);
    rig.forget(true);
    rig.run(2);
    rig.set("clear", 0);
    rig.set("bus.request", 0);
    rig.forget(false);
    for _ in 0..50 {
        assert_eq!(rig.get("bus.ack"), 0);
        rig.clock();
    }
    assert_eq!([LIFE, ADAPT, NO_ROUTE].map(|offset| rig.read(offset)), [0x1234_5678, 0x0009_0002, 1]);
    rig.write(ROUTE_IDX, 1);
    assert_eq!(rig.read(ROUTE_DATA), u64::from(RouteEntry::to(1).encode()));
}

/// The sweep on its own, with an event of every kind in every clock: sums are exact, and what is full stays full.
#[test]
fn no_event_is_lost_and_full_counters_stay_full() {
    const ROUND: usize = 36;
    const NEAR: u64 = 200;
    for started in [0, COUNTER_MAX - NEAR] {
        let block = Box::new(SwitchCounts::<4, 5>::new(started).expect("builds"));
        let mut bench = flitforge_sim::open("switch_counts", block).expect("a bench");
        let mut random = rng(seed(35), "events");
        let kinds = ["no_route", "life_drop", "alt_taken", "fecn_set"];
        let port = |bench: &dyn Bench, name: &str| bench.port(name).expect("a port");
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for clock in 0..2_000 {
            for (kind, name) in kinds.iter().enumerate() {
                for vl in 0..4 {
                    // Everything at once, then some, then nothing.
                    let bits: u64 = match clock / 600 {
                        0 => 31,
                        1 => random.random_range(0..32),
                        _ => 0,
                    };
                    let handle = port(bench.as_ref(), &format!("{name}[{vl}]"));
                    bench.set_u64(handle, bits);
                    for input in (0..5_u32).filter(|input| bits >> input & 1 == 1) {
                        // Bit 0 is the internal port, number 4.
                        let number = if input == 0 { 4 } else { input - 1 };
                        let offset =
                            [NO_ROUTE + BYTES * number, LIFE_DROP + BYTES * number, ALT_TAKEN, FECN_SET]
                                [kind];
                        *counts.entry(offset).or_default() += 1;
                    }
                }
            }
            bench.step().expect("steps");
        }
        for _ in 0..ROUND {
            bench.settle().expect("settles");
            let word = bench.get_u64(port(bench.as_ref(), "word")) as u32;
            let value = bench.get_u64(port(bench.as_ref(), "value"));
            let expected = (started + counts.get(&(word * BYTES)).copied().unwrap_or(0)).min(COUNTER_MAX);
            assert_eq!(value, expected, "word {word}, started at {started}");
            bench.step().expect("steps");
        }
        assert_eq!(counts.len(), 12);
    }
}
