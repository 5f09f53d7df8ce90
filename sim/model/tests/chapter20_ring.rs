//! Chapter 20, section 9: T3, T4 and the ring rows of section 6 on the golden ring.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::random;
use flitforge_model::time::delay::{ring_cycles_of_token, RingShape};
use flitforge_model::time::ring::StopPath;
use flitforge_model::time::{DualRing, RingContent, TimeConfig, TimeLow, TimeValue};
use flitforge_protocol::time::{EXTRACT_CLOCKS, INJECT_CLOCKS};
use flitforge_protocol::time_ring::{Embed, RingDirection};
use rand::Rng;
use std::collections::BTreeMap;

const CHAPTER_STOPS: [u32; 7] = [4, 8, 12, 16, 24, 32, 48];

fn config(stops: u32, hop_registers: u32, ratio: u32, embed: Embed) -> TimeConfig {
    TimeConfig { stops, hop_registers, ring_ratio: (ratio, 1), embed, ..TimeConfig::default() }
}

fn low(tree: u8, nanoseconds: u64) -> RingContent {
    RingContent::Low(TimeLow { value: TimeValue::new(nanoseconds, 0), tree, era: 0 })
}

/// Stops, pairs, mean hops on two rings and on one in thousandths, largest delays on two rings and on one for
/// M = 1, 2, 3.
type Row = (u32, u32, [u64; 2], [u64; 3], [u64; 3]);

/// The table of 4.4, typed from the chapter.
const CHAPTER_TABLE: [Row; 7] = [
    (4, 12, [1333, 2000], [9, 7, 7], [10, 8, 7]),
    (8, 56, [2286, 4000], [11, 8, 7], [14, 10, 8]),
    (12, 132, [3273, 6000], [13, 9, 8], [18, 12, 10]),
    (16, 240, [4267, 8000], [15, 10, 9], [22, 14, 11]),
    (24, 552, [6261, 12000], [19, 12, 10], [30, 18, 14]),
    (32, 992, [8258, 16000], [23, 14, 11], [38, 22, 16]),
    (48, 2256, [12255, 24000], [31, 18, 14], [54, 30, 22]),
];

#[test]
fn the_table_of_the_chapter_comes_out_again() {
    for (stops, pairs, hops, dual, single) in CHAPTER_TABLE {
        let summaries = [1, 2, 3].map(|ratio| RingShape { stops, hop_registers: 1, ratio }.summary());
        assert_eq!(summaries.each_ref().map(|summary| summary.max_dual), dual, "N = {stops}");
        assert_eq!(summaries.each_ref().map(|summary| summary.max_single), single, "N = {stops}");
        let [summary, ..] = summaries;
        let thousandths = |hops: u64| (hops * 1000 + u64::from(pairs) / 2) / u64::from(pairs);
        assert_eq!(summary.pairs, pairs);
        assert_eq!([summary.hops_dual, summary.hops_single].map(thousandths), hops, "N = {stops}");
    }
}

/// Inserts one Low at `source` and gives the core clock at which each stop's core register loads it, per ring.
fn crossing(config: &TimeConfig, source: u8) -> BTreeMap<(u8, bool), u64> {
    let mut found = BTreeMap::new();
    for ring in RingDirection::ALL {
        let mut rings = DualRing::new(config).expect("a good configuration");
        for stop in 0..config.stops as u8 {
            rings.set_path(stop, 1, StopPath { enabled: stop != source, source, ring });
        }
        let ratio = u64::from(config.ratio().expect("M"));
        rings.offer(source, low(1, 99));
        let length = u64::from(config.stops * config.hop_registers);
        for edge in 0..length + 4 * ratio {
            for copy in rings.ring_edge() {
                assert_eq!(copy.slot.content, low(1, 99));
                let before = found.insert((copy.stop, ring == RingDirection::Clockwise), edge / ratio);
                assert_eq!(before, None, "stop {} copied twice", copy.stop);
            }
        }
        assert!(rings.is_empty(), "ring empty after one revolution");
        assert_eq!(rings.counters, Default::default());
    }
    found
}

#[test]
fn t3_all_pairs_on_both_rings_take_exactly_d_of_h() {
    let mut pairs = 0u32;
    for (stops, hop_registers, ratio) in CHAPTER_STOPS
        .into_iter()
        .flat_map(|stops| (1..=2).flat_map(move |s| (1..=4).map(move |m| (stops, s, m))))
    {
        let config = config(stops, hop_registers, ratio, Embed::Value);
        let shape = RingShape::new(&config).expect("a good configuration");
        for source in 0..stops as u8 {
            let found = crossing(&config, source);
            assert_eq!(found.len() as u32, 2 * (stops - 1), "every enabled stop saw it once per ring");
            for ((stop, clockwise), clock) in found {
                let ring = if clockwise { RingDirection::Clockwise } else { RingDirection::CounterClockwise };
                let path = shape.path_on(ring, source.into(), stop.into());
                // tval is valid at clock 0, L_EXT after R; X is L_INJ after the core register.
                assert_eq!(EXTRACT_CLOCKS + clock + INJECT_CLOCKS, path.clocks, "{path:?}");
                pairs += 1;
            }
        }
    }
    println!("T3: {pairs} ways");
    assert_eq!(pairs, CHAPTER_STOPS.map(|stops| stops * (stops - 1)).iter().sum::<u32>() * 2 * 8);
}

#[test]
fn tokens_count_all_pairs_of_every_ring() {
    for (stops, hop_registers) in CHAPTER_STOPS.into_iter().flat_map(|stops| [(stops, 1), (stops, 2)]) {
        let config = config(stops, hop_registers, 1, Embed::Value);
        let shape = RingShape::new(&config).expect("a good configuration");
        for (source, target) in (0..stops).flat_map(|source| (0..stops).map(move |target| (source, target))) {
            for ring in RingDirection::ALL {
                let mut rings = DualRing::new(&config).expect("a good configuration");
                rings.send_token(source as u8, target as u8, ring, 0x5A);
                let result = (0..5 * stops * hop_registers).find_map(|_| {
                    rings.ring_edge();
                    rings.token_result()
                });
                let result = result.expect("the token came back");
                let hops = ring.hops(stops, source, target);
                let cycles = result.cycles.expect("not lost");
                if source == target {
                    assert_eq!(cycles, shape.token_loop_cycles());
                } else {
                    assert_eq!(cycles, shape.token_cycles(hops, 0));
                    assert_eq!(
                        ring_cycles_of_token(cycles, result.waited.into()),
                        Some(hops * hop_registers)
                    );
                }
                assert_eq!((result.waited, result.tag), (0, 0x5A));
            }
        }
    }
}

#[test]
fn a_token_without_a_target_is_lost_and_counted() {
    let mut rings = DualRing::new(&config(4, 1, 1, Embed::Value)).expect("a good configuration");
    rings.send_token(1, 63, RingDirection::Clockwise, 1);
    for _ in 0..4 * 4 + 512 {
        assert_eq!(rings.token_result(), None);
        rings.ring_edge();
    }
    rings.ring_edge();
    assert_eq!(rings.token_result().expect("given up").cycles, None);
    assert_eq!(rings.counters.token_lost, 1);
}

/// T4: four trees at random on one ring, for every M.
#[test]
fn t4_waits_correct_the_time_of_a_million_values_on_crowded_rings() {
    (1..=4).for_each(|ratio| crowd(ratio, 250_000));
}

/// Core clock of the crowded ring in ns: a multiple of every M, so that ring cycles are whole nanoseconds.
const CROWD_CLOCK_NS: u64 = 12;

fn crowd(ratio: u32, values: u64) {
    let mut rng = random("T4");
    let config = TimeConfig { ring_wait_max: 15, ..config(12, 1, ratio, Embed::Value) };
    let shape = RingShape::new(&config).expect("a good configuration");
    let mut rings = DualRing::new(&config).expect("a good configuration");
    // Distances of 3, 4 and 8 hops: slots of one source pass others at core edges, for every M.
    let sources = [0u8, 3, 4, 8];
    let stops = (0..12u8).filter(|stop| !sources.contains(stop));
    for (stop, (tree, &source)) in stops.flat_map(|stop| sources.iter().enumerate().map(move |s| (stop, s))) {
        let ring = shape.path(source.into(), stop.into()).ring;
        rings.set_path(stop, tree as u8, StopPath { enabled: true, source, ring });
    }
    let (mut offered, mut copies, mut waited) = (0u64, 0u64, 0u64);
    let mut clock = 0u64;
    let rper = (CROWD_CLOCK_NS as u32) << 20;
    while offered < values || !rings.is_empty() {
        for (tree, &source) in sources.iter().enumerate() {
            if offered < values && rng.random_range(0..3) > 0 {
                // The time is the clock it was valid at.
                rings.offer(source, low(tree as u8, clock * CROWD_CLOCK_NS));
                offered += 1;
            }
        }
        let loaded: Vec<_> = (0..ratio).flat_map(|_| rings.ring_edge()).collect();
        for copy in loaded {
            let RingContent::Low(low) = copy.slot.content else { panic!("only Lows were sent") };
            let value = low.value.waited_on_ring(copy.slot.wait.into(), rper / ratio);
            let constant = shape.path(copy.slot.src.into(), copy.stop.into()).clocks * CROWD_CLOCK_NS;
            let true_time = (clock + EXTRACT_CLOCKS + INJECT_CLOCKS) * CROWD_CLOCK_NS;
            assert_eq!(
                (value.nanoseconds() + constant, value.frac()),
                (true_time, 0),
                "M {ratio}, clock {clock}"
            );
            copies += 1;
            waited += u64::from(copy.slot.wait > 0);
        }
        clock += 1;
    }
    let counters = rings.counters;
    println!("T4, M = {ratio}: {offered} values, {copies} copies, {waited} after a wait, {counters:?}");
    assert_eq!((counters.orphan, counters.parity, counters.wrong_src), (0, 0, 0));
    // Each value enters both rings or is given up; each ring serves its part of the eight stops.
    assert!(copies <= offered * 8 && copies + u64::from(counters.wait_over) * 8 >= offered * 8);
    assert!(waited > values / 100 && counters.busy > 0, "the ring was crowded");
}

#[test]
fn a_low_that_waits_too_long_is_dropped_and_later_ones_are_not() {
    let config = TimeConfig { ring_wait_max: 1, ..config(4, 1, 1, Embed::Value) };
    let mut rings = DualRing::new(&config).expect("a good configuration");
    rings.set_path(2, 0, StopPath { enabled: true, source: 0, ring: RingDirection::Clockwise });
    (0..4).for_each(|number| rings.offer(0, low(0, number)));
    let copies: Vec<_> = (0..20).flat_map(|_| rings.ring_edge()).collect();
    assert_eq!(copies.iter().map(|copy| copy.slot.wait).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((rings.counters.wait_over, rings.counters.busy), (4, 2), "two of four, on both rings");
}

#[test]
fn damage_orphans_and_second_sources_are_caught() {
    let mut rings = DualRing::new(&config(8, 1, 1, Embed::Value)).expect("a good configuration");
    for stop in 1..8 {
        rings.set_path(stop, 0, StopPath { enabled: true, source: 0, ring: RingDirection::Clockwise });
    }
    rings.offer(0, low(0, 1));
    (0..3).for_each(|_| assert!(rings.ring_edge().is_empty()));
    assert!(rings.damage(1, RingDirection::Clockwise));
    let copies: Vec<_> = (0..20).flat_map(|_| rings.ring_edge()).map(|copy| copy.stop).collect();
    assert!(copies.is_empty() && rings.counters.parity == 7, "{copies:?} {:?}", rings.counters);

    // A second upstream port of the same tree.
    rings.offer(5, low(0, 2));
    let copies: Vec<_> = (0..20).flat_map(|_| rings.ring_edge()).collect();
    assert!(copies.is_empty() && rings.counters.wrong_src == 6 + 1, "{copies:?} {:?}", rings.counters);

    // A slot whose source does not know it any more goes round once more and is removed by stop 0.
    rings.offer(3, low(1, 3));
    (0..3).for_each(|_| drop(rings.ring_edge()));
    assert!(rings.orphan(4, RingDirection::Clockwise, 63));
    (0..40).for_each(|_| drop(rings.ring_edge()));
    assert!(rings.is_empty() && rings.counters.orphan == 1, "{:?}", rings.counters);
}

#[test]
fn clear_in_mid_transfer_empties_everything() {
    let mut rings = DualRing::new(&config(8, 2, 2, Embed::Value)).expect("a good configuration");
    rings.set_path(4, 0, StopPath { enabled: true, source: 0, ring: RingDirection::Clockwise });
    for cut in 0..20 {
        rings.offer(0, low(0, 7));
        rings.send_token(1, 5, RingDirection::Clockwise, 0);
        (0..cut).for_each(|_| drop(rings.ring_edge()));
        rings.clear();
        assert!(rings.is_empty());
        let later: Vec<_> = (0..60).flat_map(|_| rings.ring_edge()).collect();
        assert!(later.is_empty(), "cut at edge {cut}: {later:?}");
    }
}
