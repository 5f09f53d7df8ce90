//! Latency and efficiency (chapter 10, 4.12).

use crate::link_port::rig::{Program, Rig};
use crate::link_port::{all_modes, wide};
use flitforge_protocol::link_registers::{lat, CRC_CFG, LAT};
use flitforge_protocol::ltp::CrcMode;
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;
use std::collections::{BTreeMap, VecDeque};

/// Flit in to flit out over `phy_loop`, four lanes, at most.
const MOST_CLOCKS: u64 = 24;
/// Clocks of a measurement, rows between two ALN rows, beats of the two LTPs that one may hold up by a clock.
const CLOCKS: u64 = 12_000;
const ALN_ROWS: u64 = 4096;
const ALN_BEATS: u64 = 16;
/// Payload bits delivered / (32 x lane words sent), at least, in modes 0 and 1.
const LEAST_EFFICIENCY: f64 = 0.9406;
/// The same in modes 2 and 3.
const LEAST_EFFICIENCY_1088: f64 = 0.9129;
/// Clocks that modes 2 and 3 take more: 2 in `link_ltp_tx`, 1 in `link_ltp_rx`.
const MORE_CLOCKS_1088: u64 = 3;
/// Flits of a packet of 1024 bytes, and those of them that are payload: Head, 128 Body, Tail.
const PACKET: (u64, u64) = (130, 128);

/// The budget of 4.12, and the clocks of the blocks that it names.
const BUDGET: [(&str, u64, &str); 10] = [
    ("ltp_tx", 1, "link_retry_tx: 3 with the CRC"),
    ("CRC + replay write", 2, ""),
    ("gearbox tx", 2, "link_gearbox_tx: 2"),
    ("lane tx", 1, "link_lane_tx: 2"),
    ("phy_loop", 1, "phy_loop: 1"),
    ("elastic + deskew", 2, "link_lane_rx: 2"),
    ("gearbox rx", 2, "link_gearbox_rx: 2"),
    ("LTP buffer 8 + check 2", 10, "link_ltp_rx: 11 with the register of plane R"),
    ("out", 1, ""),
    ("132/128 phase", 1, "0 or 1, and 1 behind an ALN row"),
];

fn link(program: &Program, mode: u64, pace: f64) -> Rig {
    let mut rig = Rig::new(program, seed(0x10_A0));
    for end in 0..2 {
        rig.write(end, CRC_CFG, 7 | mode << 3);
    }
    rig.pace(pace);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("measurement");
    rig.run(500);
    rig
}

/// Clocks from the one that takes a beat at end 0 to the one with it on `flits_out` of end 1, and how often.
fn latencies(rig: &mut Rig, clocks: u64) -> BTreeMap<u64, u64> {
    rig.drain("before");
    let (mut taken, mut found) = (VecDeque::new(), BTreeMap::new());
    let mut seen = (rig.ends[0].sent, rig.ends[1].received);
    for _ in 0..clocks {
        let clock = rig.clock;
        rig.clock();
        if rig.ends[0].sent > seen.0 {
            taken.push_back(clock);
        }
        if rig.ends[1].received > seen.1 {
            let since: u64 = taken.pop_front().expect("it was sent");
            *found.entry(clock - since).or_default() += 1;
        }
        seen = (rig.ends[0].sent, rig.ends[1].received);
    }
    found
}

#[test]
fn a_flit_is_out_after_24_clocks_at_most_and_25_next_to_an_aln_row() {
    println!("budget of chapter 10, 4.12, clocks        | what the port has");
    for (part, clocks, block) in BUDGET {
        println!("  {part:24} {clocks:2}              | {block}");
    }
    println!("  sum                      {}", BUDGET.iter().map(|(_, clocks, _)| clocks).sum::<u64>());
    for mode in 0..2 {
        let mut rig = link(wide(), mode, 0.0);
        for pace in [1.0, 0.2, 0.01] {
            rig.pace(pace);
            let found = latencies(&mut rig, CLOCKS);
            println!("mode {mode}, a beat in {} clocks: clocks: beats {found:?}", 1.0 / pace);
            assert!(found.values().sum::<u64>() > 80, "{found:?}");
            // An ALN row every 4096 rows holds the LTP up that it stands in, and what goes to the lanes just after it.
            let behind_aln = found.get(&(MOST_CLOCKS + 1)).copied().unwrap_or_default();
            assert!(behind_aln <= ALN_BEATS * (CLOCKS / ALN_ROWS + 1), "mode {mode}: {found:?}");
            let worst = found.keys().filter(|clocks| **clocks != MOST_CLOCKS + 1).max().expect("beats");
            assert!(*worst <= MOST_CLOCKS, "mode {mode}: {found:?}");
            let nominal = rig.read(0, LAT);
            let field = |low: usize| nominal >> low & 0xFF;
            let nominal = field(lat::to_lane::LOW) + 1 + field(lat::from_lane::LOW);
            assert_eq!(*found.keys().min().expect("beats"), nominal, "LAT and the loop's one clock");
        }
    }
}

#[test]
fn modes_2_and_3_take_three_clocks_more() {
    for mode in 2..4 {
        let mut rig = link(all_modes(), mode, 0.0);
        for pace in [1.0, 0.2, 0.01] {
            rig.pace(pace);
            let found = latencies(&mut rig, CLOCKS);
            println!("mode {mode}, a beat in {} clocks: clocks: beats {found:?}", 1.0 / pace);
            assert!(found.values().sum::<u64>() > 80, "{found:?}");
            let most = MOST_CLOCKS + MORE_CLOCKS_1088;
            assert!(found.keys().all(|clocks| *clocks <= most + 1), "mode {mode}: {found:?}");
            let behind_aln = found.get(&(most + 1)).copied().unwrap_or_default();
            assert!(behind_aln <= ALN_BEATS * (CLOCKS / ALN_ROWS + 1), "mode {mode}: {found:?}");
        }
    }
}

#[test]
fn the_lanes_carry_payload_as_the_chapter_asks() {
    let modes_1056 = [CrcMode::Standard, CrcMode::Bits14].map(|mode| (wide(), mode, LEAST_EFFICIENCY));
    let modes_1088 =
        [CrcMode::Overlapping48, CrcMode::PerLane].map(|mode| (all_modes(), mode, LEAST_EFFICIENCY_1088));
    for (program, mode, least) in modes_1056.into_iter().chain(modes_1088) {
        let mut rig = link(program, mode.code().into(), 1.0);
        let words: Vec<_> =
            (0..4).map(|lane| rig.block.handle(&format!("line_there[{lane}].valid"))).collect();
        let before = rig.ends[1].received;
        let mut sent = 0u64;
        for _ in 0..50_000 {
            sent += words.iter().map(|word| rig.block.instance.get(*word)).sum::<u64>();
            rig.clock();
        }
        let flits = 2 * (rig.ends[1].received - before);
        let payload = (flits * 64 * PACKET.1) as f64 / PACKET.0 as f64;
        let efficiency = payload / (32 * sent) as f64;
        println!(
            "mode {mode:?}: {flits} flits in {sent} lane words; payload of packets of 1024 bytes: {efficiency:.4} of the bits"
        );
        assert!(efficiency >= least, "{efficiency}");
    }
}
