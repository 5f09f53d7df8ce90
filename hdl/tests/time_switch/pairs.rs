//! T3 and T4 of chapter 20 on the compiled switch.

use crate::time_switch::model::{SwitchModel, PERIOD, TO_R};
use crate::time_switch::rig::{Build, Rig};
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::time_ring::{RingDirection, MAX_RING_RATIO};
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::{rng, seed, Rng as KitRng};
use flitforge_testkit::{depth, Clocked};
use rand::Rng;

const fn shape(stops: usize, ratio: u32) -> RingShape {
    RingShape { stops: stops as u32, hop_registers: 1, ratio }
}

fn random_low(random: &mut KitRng, tree: u8) -> TimeLow {
    let value = TimeValue::new(random.random_range(0..1 << 40), random.random_range(0..16));
    TimeLow { value, tree, era: random.random_range(0..4) }
}

fn random_high(random: &mut KitRng, tree: u8) -> TimeHigh {
    TimeHigh {
        time: random.random(),
        index: random.random(),
        tree,
        era: random.random_range(0..4),
        quality: random.random_range(0..16),
    }
}

/// 4.4 rule 7: R to X of every pair of ports takes D(h) = 6 + floor((h + 1) / M) clocks on either ring, and the Low is what the model says.
#[test]
fn t03_every_pair_takes_the_delay_of_the_chapter() {
    every_pair(Rig::new(), 4);
}

/// The same of a switch for one tree.
#[test]
fn t03_every_pair_of_a_compact_switch() {
    every_pair(Rig::of(Build::Compact), 1);
}

/// The same with rings of two to four edges per core clock.
#[test]
fn t03_every_pair_of_fast_rings() {
    (2..=MAX_RING_RATIO).for_each(|ratio| every_pair(Rig::of(Build::Fast(ratio)), 4));
}

/// The same of switches of eight and sixteen ports, with rings of the core clock and of two and three edges of their own.
#[test]
fn t03_every_pair_of_large_switches() {
    for build in [Build::Eight, Build::FastEight, Build::Sixteen, Build::FastSixteen] {
        every_pair(Rig::of(build), 4);
    }
}

fn every_pair(mut rig: Rig, trees: u8) {
    let mut random = rng(seed(0x5317), "pairs");
    let ports = rig.ports;
    for up in 0..ports {
        for down in (0..ports).filter(|down| *down != up) {
            for ring in RingDirection::ALL {
                let tree = random.random_range(0..trees);
                rig.role(up, tree.into(), true, None);
                rig.role(down, tree.into(), false, Some((up, ring)));
                let low = random_low(&mut random, tree);
                let sent = rig.clock;
                rig.send(up, TimeFlit::Low(low));
                while rig.offered[down].is_none() {
                    assert!(rig.clock < sent + 60, "nothing came from {up} to {down}");
                    rig.run(1);
                }
                let hops = ring.hops(ports as u32, up as u32, down as u32);
                // R begins the clock in which the flit stands there, X ends the one in which it is offered.
                let clocks = rig.clock - sent - TO_R as u64;
                let on_ring = u64::from((hops + 1) / rig.ratio);
                assert_eq!(clocks, 6 + on_ring, "{up} to {down}, {ring:?}, M = {}", rig.ratio);
                assert_eq!(clocks, shape(ports, rig.ratio).path_on(ring, up as u32, down as u32).clocks);
                let received = low.value.received(SwitchModel::rx_lag(up), 0);
                let value = received.offered(0, PERIOD, SwitchModel::tx_lag(down));
                assert_eq!(rig.offered[down], Some(TimeFlit::Low(TimeLow { value, ..low })));
                rig.run(2 * ports as u64);
                assert!(rig.model.is_empty(), "removed at its source");
                rig.role(up, tree.into(), false, None);
                rig.role(down, tree.into(), false, None);
            }
        }
    }
    let pairs = (2 * ports * (ports - 1)) as u64;
    assert_eq!(rig.taken.iter().sum::<u64>(), pairs, "each came once");
}

/// T4: Lows and Highs of four trees, each with an upstream port of its own and the others downstream on either ring, wait for each other, and
/// what is offered is the model's in every clock. The accounting rules hold.
#[test]
fn t04_four_trees_at_random() {
    trees_at_random(Rig::new(), 4);
}

/// The same of a switch for one tree.
#[test]
fn t04_one_tree_of_a_compact_switch_at_random() {
    trees_at_random(Rig::of(Build::Compact), 1);
}

/// The same with rings of two to four edges per core clock: several copies come to a port in one core clock.
#[test]
fn t04_four_trees_on_fast_rings_at_random() {
    (2..=MAX_RING_RATIO).for_each(|ratio| trees_at_random(Rig::of(Build::Fast(ratio)), 4));
}

/// The same with eight ports.
#[test]
fn t04_four_trees_through_eight_ports_at_random() {
    [Build::Eight, Build::FastEight].into_iter().for_each(|build| trees_at_random(Rig::of(build), 4));
}

fn trees_at_random(mut rig: Rig, trees: usize) {
    let clocks = match depth() {
        Depth::Quick => 40_000,
        _ => 1_000_000,
    };
    let mut random = rng(seed(0x5317), "trees");
    let ports = rig.ports;
    for tree in 0..trees {
        let up = (tree + 1) % ports;
        rig.role(up, tree, true, None);
        for down in (0..ports).filter(|down| *down != up) {
            let ring = RingDirection::ALL[random.random_range(0..2)];
            rig.role(down, tree, false, Some((up, ring)));
        }
    }
    let mut sent = vec![0_u64; ports];
    let mut next = vec![0_u64; ports];
    for _ in 0..clocks {
        let mut flits = vec![None; ports];
        for port in 0..ports {
            // No Low finds the one before still waiting: that is another test. Now and then many ports begin together.
            let chance = if rig.clock % 64 < 6 { 0.4 } else { 0.02 };
            if rig.clock < next[port] || !random.random_bool(chance) {
                continue;
            }
            let tree = ((port + ports - 1) % ports) as u8;
            if usize::from(tree) >= trees {
                continue;
            }
            let flit = match random.random_bool(0.5) {
                true => TimeFlit::Low(random_low(&mut random, tree)),
                false => TimeFlit::High(random_high(&mut random, tree)),
            };
            flits[port] = Some(flit);
            sent[port] += 1;
            next[port] = rig.clock + 10;
        }
        rig.clock_with(&flits);
    }
    rig.run(100);
    let counters = rig.model.rings.counters;
    // One port alone never finds its slots taken; nor does any if a slot goes round in a core clock, and enters at core edges.
    let meets = trees > 1 && rig.ratio < ports as u32;
    assert!((counters.busy > 0) == meets && counters.wait_over == 0, "{counters:?}");
    assert!(rig.ring_counter("RING_BUSY") >= u64::from(counters.busy), "Highs that waited count, too");
    for name in ["ORPHAN", "RING_PARITY", "TOKEN_LOST"] {
        assert_eq!(rig.ring_counter(name), 0, "{name}");
    }
    let dropped: u64 = rig.model.dropped.iter().sum();
    assert_eq!(rig.ring_counter("RING_WAIT_OVER"), dropped);
    assert_eq!(rig.model.late > 0, rig.ratio > 1, "copies that waited for others to go");
    for port in 0..ports {
        assert_eq!(rig.port_counter(port, "EXTRACTED"), sent[port]);
        let copied: u64 = (0..ports).filter(|up| *up != port).map(|up| sent[up]).sum();
        let [injected, over] = ["INJECTED", "TX_WAIT_OVER"].map(|name| rig.port_counter(port, name));
        assert_eq!(injected, rig.taken[port]);
        let gone = over + rig.model.dropped[port] + rig.model.highs_replaced(port);
        assert_eq!(injected + gone, copied, "port {port}");
    }
    let replaced: u64 = (0..ports).map(|port| rig.model.highs_replaced(port)).sum();
    println!(
        "M = {}: {} Lows and Highs, {} Lows waited for a slot, {} copies for others to go, {dropped} dropped, {replaced} Highs replaced",
        rig.ratio,
        sent.iter().sum::<u64>(),
        counters.busy,
        rig.model.late
    );
}
