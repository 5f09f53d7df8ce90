//! `ring_stop` and `time_ring` against the model, rust-hdl itself and the emitted Verilog; every pair of stops.

#![allow(clippy::expect_used)] // tests

use crate::support::build;
use flitforge_elaborate::Value;
use flitforge_hdl::registry::{find, Settings};
use flitforge_hdl::time::ring::{FLIT_BITS, STOPS, VALUE_BITS};
use flitforge_model::ring_stop::{Arrival, Insertion, Origin, RingModel, RingSlot, StopConfig, StopModel};
use flitforge_protocol::time_ring::{SlotKind, SLOW_WAIT_MAX};
use flitforge_sim::kit::{rng, seed, StimulusFn, StreamSource};
use flitforge_sim::{open, Bench, CosimPlan, PortHandle, PortValues, SimError};
use flitforge_testkit::wide::wide;
use flitforge_testkit::{depth, drive_all};
use rand::Rng;

fn bench(block: &str, settings: &[(&str, u64)]) -> Box<dyn Bench> {
    open(block, build(block, settings).block).expect("bench")
}

/// {data, parity, tree, kind} as a port's value.
fn insertion_value(insertion: &Insertion, bits: u32) -> Value {
    let low = u64::from(insertion.kind) | u64::from(insertion.tree) << 2 | u64::from(insertion.parity) << 4;
    let word = insertion.data << 5 | u128::from(low);
    Value::from_words(bits, &[word as u64, (word >> 64) as u64])
}

fn insertion_of(value: &Value) -> Insertion {
    let word = wide(value);
    Insertion {
        kind: (word & 3) as u8,
        tree: (word >> 2 & 3) as u8,
        parity: word >> 4 & 1 == 1,
        data: word >> 5,
    }
}

/// With the parity that belongs to it.
fn insertion(kind: SlotKind, tree: u8, data: u128) -> Insertion {
    let ones = data.count_ones() + tree.count_ones() + kind.code().count_ones();
    Insertion { kind: kind.code(), tree, parity: ones % 2 == 1, data }
}

#[test]
fn rings_that_cannot_work_are_refused() {
    let entry = find("time_ring").expect("registered");
    for (name, value) in [
        ("stops", 5),
        ("wait_max", 0),
        ("wait_max", 16),
        ("flit", 2),
        ("hop_registers", 0),
        ("hop_registers", 3),
        ("core_edges", 2),
    ] {
        let error = Settings::new(entry, None, &[(name.into(), value)]).expect_err(name).to_string();
        assert!(error.contains(name) && error.contains("time_ring"), "{error}");
    }
}

/// Number of the stop that stands alone.
const STOP: u8 = 5;

/// What the stop before tells of a slot with these control bits.
fn told_of(config: StopConfig, control: u64) -> u64 {
    let [next, second, _] = config.next;
    let Some(slot) = RingSlot::from_control(control, 0) else { return 0 };
    let leaves = slot.source == next;
    let forwards = !(leaves || config.next_is_monitor[0] && slot.monitored);
    let halves = [slot.source & 7 == second & 7, slot.source >> 3 == second >> 3];
    let bits = [halves[0], halves[1], leaves, forwards, slot.is_time()];
    bits.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit))
}

/// One stop with anything coming in, upsets included.
fn stop_cosim(flit: u64, core_edges: u64, wait_max: u8, monitor: bool) {
    let data_bits = [VALUE_BITS, FLIT_BITS][flit as usize] as u32;
    let name = format!("ring_stop_{data_bits}_{core_edges}_{wait_max}_{monitor}");
    let mut random = rng(seed(0x5709), &name);
    let config = StopConfig {
        id: STOP,
        next: [STOP + 1, STOP + 2, STOP + 3],
        monitor,
        next_is_monitor: if monitor { [false; 2] } else { [wait_max > 8, wait_max == 8] },
        wait_max,
    };
    let stimulus = move |_: u64, bench: &mut dyn Bench| {
        drive_all(bench, &[("clear", u64::from(random.random_bool(0.01)))])?;
        let fixed = [
            ("own_id", config.id.into()),
            ("second_id", config.next[1].into()),
            ("third_id", config.next[2].into()),
            ("monitor", u64::from(monitor)),
            ("second_is_monitor", config.next_is_monitor[1].into()),
            ("wait_max", wait_max.into()),
        ];
        drive_all(bench, &fixed)?;
        if core_edges == 1 {
            drive_all(bench, &[("core_edge[0]", u64::from(random.random_bool(0.4)))])?;
        }
        let (own_parity, own_is_next) = (random.random_range(0..2), random.random_range(0..2));
        drive_all(
            bench,
            &[("own_parity", own_parity), ("own_is_next", own_is_next), ("copy_trees", random.random())],
        )?;
        // Mostly occupied, so that insertions wait, and often from a stop near by.
        let sources = if random.random_bool(0.5) { 64 } else { 16 };
        let source = random.random_range(0..sources);
        let control = random.random::<u64>() & !63 | source | u64::from(random.random_bool(0.8)) << 12;
        drive_all(bench, &[("control_in", control), ("look_ahead_in", told_of(config, control))])?;
        drive_all(bench, &[("own_in", u64::from(random.random_bool(0.1)))])?;
        let forwards = u64::from(random.random_bool(0.7));
        [("forwards_in", forwards), ("forward_copies_in", 7 * forwards)]
            .into_iter()
            .try_for_each(|(path, value)| drive_all(bench, &[(path, value)]))?;
        let data = bench.port("data_in")?;
        bench.set(data, &Value::from_words(data_bits, &[random.random(), random.random()]));
        Ok(())
    };
    let model = stop_model(config, core_edges == 1);
    let make = move || build("ring_stop", &[("flit", flit), ("core_edges", core_edges)]).block;
    let plan = CosimPlan::new(name, seed(0x5709), make, move |testbench, seed| {
        let source = StreamSource::new(testbench.bench(), "insert", seed)?;
        testbench.add(StimulusFn(stimulus)).add(source);
        Ok(())
    });
    let depth = depth();
    let plan = plan.clocks(100_000).stock_limit(2_000, "a quick run: rust-hdl itself is slow");
    let report = plan.to_depth(depth).model(model).run().expect("equal");
    println!("{report}");
}

fn stop_model(
    config: StopConfig,
    core_edges: bool,
) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut stop = StopModel::new(config);
    move |inputs, outputs| {
        let clear = inputs.bit("clear")?;
        let incoming = RingSlot::from_control(inputs.u64("control_in")?, wide(&inputs.get("data_in")?));
        let own = inputs.bit("own_in")? && incoming.is_some();
        let arrival = Arrival { slot: incoming, own, forwards: inputs.bit("forwards_in")? };
        let insertion = match inputs.bit("insert.valid")? {
            true => Some(insertion_of(&inputs.get("insert.data")?)),
            false => None,
        };
        let core_edge = !core_edges || inputs.bit("core_edge[0]")?;
        let tried = stop.tries(insertion_of(&inputs.get("insert.data")?).kind, core_edge);
        let forwards = arrival.forwards || !tried;
        outputs.set_bit("insert.ready", !clear && stop.ready(Arrival { forwards, ..arrival }))?;
        outputs.set_bit("copy.valid", stop.copy.is_some())?;
        if let Some(copy) = stop.copy {
            outputs.set_u64("copy_control", copy.control())?;
            set_data(outputs, "copy.data", copy.data)?;
        }
        if let Some(slot) = stop.slot {
            outputs.set_u64("control_out", slot.control())?;
            set_data(outputs, "data_out", slot.data)?;
            outputs.set_u64("look_ahead_out", stop.look_ahead().unwrap_or_default())?;
        }
        outputs.set_bit("own_out", stop.next_owns)?;
        outputs.set_bit("forwards_out", stop.forwards)?;
        outputs.set_u64("forward_copies_out", 7 * u64::from(stop.forwards))?;
        outputs.set_bit("busy", stop.busy)?;
        outputs.set_bit("wait_over", stop.wait_over)?;
        outputs.set_bit("orphan", stop.orphan)?;
        let origin =
            Origin { id: config.id, parity: inputs.bit("own_parity")?, is_next: inputs.bit("own_is_next")? };
        let from = insertion.map(|insertion| (insertion, origin));
        stop.clock_at(arrival, from, inputs.u64("copy_trees")? as u8, core_edge);
        if clear {
            stop.clear();
        }
        Ok(())
    }
}

fn set_data(outputs: &mut PortValues, path: &str, data: u128) -> Result<(), SimError> {
    let width = outputs.get(path)?.width();
    outputs.set(path, Value::from_words(width, &[data as u64, (data >> 64) as u64]))
}

#[test]
fn a_stop_with_anything_coming_in() {
    stop_cosim(0, 0, 8, false);
    stop_cosim(0, 0, 1, true);
    stop_cosim(1, 0, 15, true);
    stop_cosim(1, 0, 15, false);
}

/// 4.4 rule 2 with M > 1, core edges coming as they like.
#[test]
fn a_stop_that_tries_at_core_edges_with_anything_coming_in() {
    stop_cosim(0, 1, 8, false);
    stop_cosim(0, 1, 1, true);
    stop_cosim(1, 1, 15, false);
}

/// 4.4 rule 6: an empty slot of which any of the bits says that it stays is free again soon, in all of them. Stop after stop is
/// played by one, whose slot out is its next slot in.
#[test]
fn an_empty_slot_that_seems_to_stay_is_free_again_soon() {
    const STOPS: u32 = 5;
    for upset in 1..16u64 {
        let mut bench = bench("ring_stop", &[]);
        let inputs = [("wait_max", 8), ("own_id", STOP.into()), ("second_id", 7), ("third_id", 8)];
        drive_all(bench.as_mut(), &inputs).expect("ports");
        let out = |bench: &dyn Bench, path: &str| bench.get_u64(bench.port(path).expect("port"));
        // Nothing is known of the slot yet but that the second stop lets it go on.
        let mut slot =
            [("forwards", upset & 1), ("forward_copies", upset >> 1), ("look_ahead", 8), ("control", 0)];
        for _ in 0..STOPS {
            slot.into_iter().for_each(|(name, value)| {
                drive_all(bench.as_mut(), &[(&format!("{name}_in"), value)]).expect("port");
            });
            bench.step().expect("steps");
            slot = slot.map(|(name, _)| (name, out(bench.as_ref(), &format!("{name}_out"))));
            assert_eq!(slot[3].1 >> 12 & 1, 0, "the slot stays empty");
        }
        assert_eq!((slot[0].1, slot[1].1), (0, 0), "upset {upset:04b}");
    }
}

/// The copies of `forwards` say what it says, stop after stop, as long as nothing is upset: over a ring full of traffic.
#[test]
fn copies_of_what_decides_are_alike_in_every_stop() {
    let mut bench = bench("ring_stop", &[]);
    let mut random = rng(seed(0x401d), "copies");
    let out = |bench: &dyn Bench, path: &str| bench.get_u64(bench.port(path).expect("port"));
    let mut both = [0; 2];
    for _ in 0..20_000 {
        let forwards = random.random_range(0..2u64);
        let values = [
            ("forwards_in", forwards),
            ("forward_copies_in", 7 * forwards),
            ("look_ahead_in", random.random_range(0..32)),
            ("control_in", random.random_range(0..1 << 17)),
            ("own_is_next", random.random_range(0..2)),
            ("insert.valid", random.random_range(0..2)),
            ("insert.data", random.random_range(0..32)),
            ("wait_max", 8),
        ];
        drive_all(bench.as_mut(), &values).expect("ports");
        bench.step().expect("steps");
        let forwards = out(bench.as_ref(), "forwards_out");
        assert_eq!(out(bench.as_ref(), "forward_copies_out"), 7 * forwards);
        both[forwards as usize] += 1;
    }
    assert!(both.iter().all(|times| *times > 2000), "{both:?}");
}

/// Ports of one direction of a ring.
struct Ring {
    insert: Vec<[PortHandle; 3]>,
    copy: Vec<[PortHandle; 3]>,
    trees: Vec<PortHandle>,
}

impl Ring {
    fn new(bench: &dyn Bench, direction: &str, stops: usize) -> Self {
        let port = |path: String| bench.port(&path).expect("port");
        let list = |name: &str, stop: usize, last: &str| {
            let name = format!("{name}_{direction}[{stop}]");
            [port(format!("{name}.valid")), port(format!("{name}.data")), port(last.replace("NAME", &name))]
        };
        Self {
            insert: (0..stops).map(|stop| list("insert", stop, "NAME.ready")).collect(),
            copy: (0..stops).map(|i| list("copy", i, &format!("control_{direction}[{i}]"))).collect(),
            trees: (0..stops).map(|stop| port(format!("trees_{direction}[{stop}]"))).collect(),
        }
    }

    fn offer(&self, bench: &mut dyn Bench, stop: usize, insertion: Option<Insertion>) {
        let [valid, data, _] = self.insert[stop];
        bench.set_u64(valid, u64::from(insertion.is_some()));
        if let Some(insertion) = insertion {
            let value = insertion_value(&insertion, bench.width(data));
            bench.set(data, &value);
        }
    }

    fn copied(&self, bench: &dyn Bench, stop: usize) -> Option<RingSlot> {
        let [valid, data, control] = self.copy[stop];
        let slot = RingSlot::from_control(bench.get_u64(control), wide(&bench.get(data)));
        bench.get_bit(valid).then(|| slot.expect("a copied slot is occupied"))
    }
}

/// Occupied slots of a ring, in the ring registers and in the second registers of hops.
fn occupied(bench: &dyn Bench, direction: &str, stops: usize, hop_registers: usize) -> usize {
    let registers = ["", "_hop"].into_iter().take(hop_registers);
    let paths =
        registers.flat_map(|part| (0..stops).map(move |stop| format!("{direction}{part}[{stop}].control.q")));
    let is_occupied = |path: &String| {
        let control = bench.peek(path).expect("a register").low_u64();
        RingSlot::from_control(control, 0).is_some()
    };
    paths.filter(is_occupied).count()
}

/// Chapter 20, 4.4 rule 7 and T3: a value inserted at `u` is copied h S + 2 clocks after it was taken at the stop h hops
/// on, once at every other stop, and is gone after one revolution of N S clocks.
fn every_pair(stops: usize, flit: u64, hop_registers: usize) {
    let settings = [("stops", stops as u64), ("flit", flit), ("hop_registers", hop_registers as u64)];
    let mut bench = bench("time_ring", &settings);
    let length = stops * hop_registers;
    for (direction, reverse) in [("cw", false), ("ccw", true)] {
        let ring = Ring::new(bench.as_ref(), direction, stops);
        ring.trees.iter().for_each(|trees| bench.set_u64(*trees, 0b0100));
        for from in 0..stops {
            let value = insertion(SlotKind::Low, 2, 0x1234_5600 + from as u128);
            ring.offer(bench.as_mut(), from, Some(value));
            bench.settle().expect("settles");
            assert!(bench.get_bit(ring.insert[from][2]), "an empty ring takes at once");
            bench.step().expect("steps");
            ring.offer(bench.as_mut(), from, None);
            let mut seen = vec![vec![]; stops];
            for clock in 1..=3 * length {
                let left = occupied(bench.as_ref(), direction, stops, hop_registers);
                assert_eq!(left, usize::from(clock <= length), "slots after {clock} clocks");
                for (stop, seen) in seen.iter_mut().enumerate() {
                    if let Some(slot) = ring.copied(bench.as_ref(), stop) {
                        assert!(slot.parity_is_right());
                        assert_eq!((slot.data, slot.source, slot.wait), (value.data, from as u8, 0));
                        seen.push(clock);
                    }
                }
                bench.step().expect("steps");
            }
            for (stop, seen) in seen.iter().enumerate() {
                let hops = if reverse { from + stops - stop } else { stop + stops - from } % stops;
                // A stop also copies what it inserted itself.
                assert_eq!(*seen, [hops * hop_registers + 2], "{stops} stops {direction}: {from} to {stop}");
            }
        }
    }
}

#[test]
fn every_pair_of_every_size_in_both_rings() {
    STOPS.iter().for_each(|stops| every_pair(*stops as usize, 0, 1));
    STOPS.iter().for_each(|stops| every_pair(*stops as usize, 1, 1));
}

#[test]
fn every_pair_of_every_size_with_two_registers_per_hop() {
    STOPS.iter().for_each(|stops| every_pair(*stops as usize, 0, 2));
    STOPS.iter().for_each(|stops| every_pair(*stops as usize, 1, 2));
}

fn inserts(stops: usize) -> impl Iterator<Item = (&'static str, usize)> {
    ["cw", "ccw"].into_iter().flat_map(move |direction| (0..stops).map(move |stop| (direction, stop)))
}

/// Random insertions of all kinds and trees at all stops of both rings.
fn ring_cosim(stops: usize, hop_registers: usize, clocks: u64, stock_clocks: u64) {
    let name = format!("time_ring_{stops}_{hop_registers}");
    let mut random = rng(seed(0x2146), &name);
    let stimulus = move |_: u64, bench: &mut dyn Bench| {
        let clear = bench.port("clear")?;
        bench.set_u64(clear, u64::from(random.random_bool(0.002)));
        for (direction, stop) in inserts(stops) {
            let trees = bench.port(&format!("trees_{direction}[{stop}]"))?;
            bench.set_u64(trees, random.random());
        }
        Ok(())
    };
    let settings = [("stops", stops as u64), ("hop_registers", hop_registers as u64)];
    let make = move || build("time_ring", &settings).block;
    let plan = CosimPlan::new(name, seed(0x2146), make, move |testbench, seed| {
        testbench.add(StimulusFn(stimulus));
        for (direction, stop) in inserts(stops) {
            let source = StreamSource::new(testbench.bench(), &format!("insert_{direction}[{stop}]"), seed)?;
            testbench.add(source);
        }
        Ok(())
    });
    let mut rings =
        [false, true].map(|reverse| RingModel::with_hop_registers(stops, reverse, 8, hop_registers));
    let model = move |inputs: &PortValues, outputs: &mut PortValues| {
        let clear = inputs.bit("clear")?;
        for (ring, direction) in rings.iter_mut().zip(["cw", "ccw"]) {
            clock_ring(ring, direction, clear, inputs, outputs)?;
        }
        Ok(())
    };
    let depth = depth();
    let report = plan
        .clocks(clocks)
        .stock_limit(stock_clocks, "a quick run: many wide values are slow in rust-hdl itself")
        .to_depth(depth)
        .model(model)
        .run()
        .expect("equal");
    println!("{report}");
}

fn clock_ring(
    ring: &mut RingModel,
    direction: &str,
    clear: bool,
    inputs: &PortValues,
    outputs: &mut PortValues,
) -> Result<(), SimError> {
    let (mut insertions, mut trees) = (vec![], vec![]);
    for (number, stop) in ring.stops.iter().enumerate() {
        let insert = format!("insert_{direction}[{number}]");
        insertions.push(match inputs.bit(&format!("{insert}.valid"))? {
            true => Some(insertion_of(&inputs.get(&format!("{insert}.data"))?)),
            false => None,
        });
        trees.push(inputs.u64(&format!("trees_{direction}[{number}]"))? as u8);
        outputs.set_bit(&format!("{insert}.ready"), !clear && ring.ready(number))?;
        outputs.set_bit(&format!("copy_{direction}[{number}].valid"), stop.copy.is_some())?;
        if let Some(copy) = stop.copy {
            outputs.set_u64(&format!("control_{direction}[{number}]"), copy.control())?;
            set_data(outputs, &format!("copy_{direction}[{number}].data"), copy.data)?;
        }
        outputs.set_bit(&format!("busy_{direction}[{number}]"), stop.busy)?;
        outputs.set_bit(&format!("wait_over_{direction}[{number}]"), stop.wait_over)?;
    }
    outputs.set_bit(&format!("orphan_{direction}"), ring.stops[0].orphan)?;
    ring.clock(&insertions, &trees);
    if clear {
        ring.clear();
    }
    Ok(())
}

#[test]
fn rings_under_any_load() {
    ring_cosim(4, 1, 20_000, 500);
    ring_cosim(12, 1, 5_000, 100);
}

#[test]
fn rings_of_two_registers_per_hop_under_any_load() {
    ring_cosim(4, 2, 20_000, 500);
    ring_cosim(12, 2, 5_000, 100);
}

/// `clear` at any clock of a slot's way leaves nothing of it, in the second registers of hops neither, and the ring takes the next value at once.
#[test]
fn clear_on_the_way_leaves_nothing() {
    const STOPS: usize = 4;
    let mut bench = bench("time_ring", &[("stops", STOPS as u64), ("hop_registers", 2)]);
    let (ring, clear) = (Ring::new(bench.as_ref(), "cw", STOPS), bench.port("clear").expect("port"));
    ring.trees.iter().for_each(|trees| bench.set_u64(*trees, 0b1111));
    for clocks in 0..2 * STOPS {
        ring.offer(bench.as_mut(), 1, Some(insertion(SlotKind::High, 3, 77)));
        bench.step().expect("steps");
        ring.offer(bench.as_mut(), 1, None);
        (0..clocks).for_each(|_| bench.step().expect("steps"));
        assert_eq!(occupied(bench.as_ref(), "cw", STOPS, 2), 1);
        bench.set_u64(clear, 1);
        bench.step().expect("steps");
        bench.set_u64(clear, 0);
        assert_eq!(occupied(bench.as_ref(), "cw", STOPS, 2), 0, "cleared after {clocks} clocks");
        for _ in 0..3 * STOPS {
            bench.settle().expect("settles");
            assert!((0..STOPS).all(|stop| ring.copied(bench.as_ref(), stop).is_none()));
            assert!((0..STOPS).all(|stop| bench.get_bit(ring.insert[stop][2])), "every slot is free");
            bench.step().expect("steps");
        }
    }
}

/// Stop 1 fills every slot: a Low at stop 2 is dropped after RING_WAIT_MAX clocks, a High after 2^16, and what enters
/// in time carries the clocks it waited.
#[test]
fn waits_are_counted_and_end() {
    let mut bench = bench("time_ring", &[("stops", 4), ("wait_max", 3)]);
    let ring = Ring::new(bench.as_ref(), "cw", 4);
    ring.trees.iter().for_each(|trees| bench.set_u64(*trees, 0b1111));
    let (ready, over) = (ring.insert[2][2], bench.port("wait_over_cw[2]").expect("port"));
    let noise = insertion(SlotKind::Token, 0, 7);
    ring.offer(bench.as_mut(), 1, Some(noise));
    (0..8).for_each(|_| bench.step().expect("steps"));
    for (kind, clocks) in [(SlotKind::Low, 4), (SlotKind::High, SLOW_WAIT_MAX)] {
        ring.offer(bench.as_mut(), 2, Some(insertion(kind, 1, 9)));
        bench.settle().expect("settles");
        let mut waited = 0;
        while !bench.get_bit(ready) {
            waited += 1;
            bench.step().expect("steps");
        }
        assert_eq!(waited, clocks, "{kind:?}");
        bench.step().expect("steps");
        assert!(bench.get_bit(over));
        ring.offer(bench.as_mut(), 2, None);
        bench.step().expect("steps");
    }
    // Stop 1 leaves one slot empty in the second clock of the offer: it comes to stop 2 in the third.
    let late = insertion(SlotKind::Low, 1, 9);
    ring.offer(bench.as_mut(), 2, Some(late));
    for gap in [false, true] {
        ring.offer(bench.as_mut(), 1, (!gap).then_some(noise));
        bench.settle().expect("settles");
        assert!(!bench.get_bit(ready), "every slot is occupied");
        bench.step().expect("steps");
    }
    ring.offer(bench.as_mut(), 1, Some(noise));
    bench.settle().expect("settles");
    assert!(bench.get_bit(ready), "the empty slot is here");
    bench.step().expect("steps");
    ring.offer(bench.as_mut(), 2, None);
    // One hop and the copy register.
    (0..2).for_each(|_| bench.step().expect("steps"));
    let copied = ring.copied(bench.as_ref(), 3).expect("copied at the next stop");
    assert_eq!((copied.data, copied.source, copied.wait), (late.data, 2, 2));
    assert!(copied.parity_is_right());
}
