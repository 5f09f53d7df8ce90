//! Two `phy_lvds` back to back: each with a core clock and a bit clock of its own, its peer's bit clock as it comes over the line.

use crate::link_phy::line::Line;
use flitforge_hdl::link::phy_lvds::{LvdsConfig, PhyLvds};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_sim::port::PortHandle;
use flitforge_testkit::{BenchBlock, Clocked, Pins};
use rand::Rng as _;
use std::collections::VecDeque;

/// Lanes of both ends.
const LANES: usize = 2;
/// Core clocks in which a stopped clock must be noticed.
const NOTICED: u64 = 70;

/// One end, what it was given to send and what it got, row by row.
struct End {
    bench: BenchBlock,
    core: PortHandle,
    tx_clock: PortHandle,
    rx_clock: PortHandle,
    offered: Option<Vec<u64>>,
    sent: Vec<Vec<u64>>,
    got: [Vec<u64>; LANES],
    elastic_errors: u64,
    good: bool,
    cores: u64,
    paused: bool,
    random: Rng,
}

impl Clocked for End {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.core_edge();
    }
}

impl End {
    fn new(name: &str) -> Self {
        let block = PhyLvds::<LANES>::new(&LvdsConfig::new(LANES)).expect("valid");
        let bench = BenchBlock::new(name, block);
        let port = |path| bench.port(path);
        let (core, tx_clock, rx_clock) = (port("clock"), port("tx_clock"), port("rx_clock"));
        Self {
            core,
            tx_clock,
            rx_clock,
            offered: None,
            sent: vec![],
            got: Default::default(),
            elastic_errors: 0,
            good: false,
            cores: 0,
            paused: false,
            random: rng(seed(0x1_7d7), name),
            bench,
        }
    }

    /// A core clock: offers a row that holds its own number, takes what came.
    fn core_edge(&mut self) {
        if self.offered.is_none() && !self.paused {
            let control = u64::from(self.random.random_bool(0.2)) << 32;
            let number = self.sent.len() as u64;
            self.offered = Some((0..LANES as u64).map(|lane| control | lane << 24 | number).collect());
        }
        for lane in 0..LANES {
            let word = self.offered.as_ref().map(|row| row[lane]);
            self.set(&format!("tx[{lane}].valid"), u64::from(word.is_some()));
            self.set(&format!("tx[{lane}].data"), word.unwrap_or(0));
        }
        self.bench.settle();
        let ready = self.get("tx[0].ready");
        assert_eq!(ready, self.get("tx[1].ready"), "lanes go together");
        if ready == 1 {
            self.sent.extend(self.offered.take());
        }
        self.good = self.get("signal_ok") == 3;
        assert_eq!(self.get("signal_ok"), self.get("lane_lock"));
        for lane in 0..LANES {
            if self.get(&format!("rx[{lane}].valid")) == 1 {
                let word = self.get(&format!("rx[{lane}].data"));
                self.got[lane].push(word);
            }
        }
        self.elastic_errors += self.get("elastic_error");
        self.cores += 1;
        self.bench.0.step_clocks(&[self.core]).expect("steps");
    }

    /// A bit clock of its own: what stands on the pairs goes onto the line.
    fn tx_edge(&mut self, line: &mut Line) {
        let mut pairs: Vec<u8> =
            (0..LANES).map(|lane| self.get(&format!("tx_pairs[{lane}]")) as u8).collect();
        pairs.push(self.get("tx_frame") as u8);
        line.push(&pairs);
        self.bench.0.step_clocks(&[self.tx_clock]).expect("steps");
    }

    /// A bit clock of the peer.
    fn rx_edge(&mut self, line: &mut Line, frame_error: u8) {
        let pairs = line.pop();
        for (lane, pair) in pairs[..LANES].iter().enumerate() {
            self.set(&format!("rx_pairs[{lane}]"), (*pair).into());
        }
        self.set("rx_frame", (pairs[LANES] ^ frame_error).into());
        self.bench.0.step_clocks(&[self.rx_clock]).expect("steps");
    }
}

/// Periods of one end in picoseconds.
#[derive(Clone, Copy)]
struct Clocks {
    core: u64,
    bit: u64,
}

/// Two ends and the lines between them.
struct Pair {
    ends: [End; 2],
    lines: [Line; 2],
    clocks: [Clocks; 2],
    /// Time of the next edge of each core and bit clock.
    next: [[u64; 2]; 2],
    /// Edges of the peer's clock that are on their way to each end.
    arriving: [VecDeque<u64>; 2],
    /// The clock pair towards this end is cut.
    cut: [bool; 2],
    /// What the next edge of the line towards each end does to the frame pair.
    frame_error: [u8; 2],
    phase: u64,
}

impl Pair {
    fn new(name: &str, clocks: [Clocks; 2], late: [&[usize]; 2], phase: u64) -> Self {
        Self {
            ends: [End::new(&format!("{name}_near")), End::new(&format!("{name}_far"))],
            lines: late.map(Line::new),
            clocks,
            next: [[1, 300], [77, 555]],
            arriving: Default::default(),
            cut: [false; 2],
            frame_error: [0; 2],
            phase,
        }
    }

    /// The next edge anywhere.
    fn step(&mut self) {
        let own = (0..2).flat_map(|end| (0..2).map(move |clock| (end, clock)));
        let own = own.map(|(end, clock)| (self.next[end][clock], end, clock));
        let arriving = (0..2).filter_map(|end| self.arriving[end].front().map(|time| (*time, end, 2)));
        let Some((time, end, clock)) = own.chain(arriving).min() else { return };
        match clock {
            0 => self.ends[end].core_edge(),
            1 => {
                // What end `end` sends arrives at the other.
                self.ends[end].tx_edge(&mut self.lines[1 - end]);
                self.arriving[1 - end].push_back(time + self.phase);
            }
            _ => {
                self.arriving[end].pop_front();
                if self.cut[end] {
                    self.lines[end].pop();
                } else {
                    let error = std::mem::take(&mut self.frame_error[end]);
                    self.ends[end].rx_edge(&mut self.lines[end], error);
                }
                return;
            }
        }
        let periods = [self.clocks[end].core, self.clocks[end].bit];
        self.next[end][clock] = time + periods[clock];
    }

    /// Until the end has had so many more core clocks.
    fn run(&mut self, end: usize, cores: u64) {
        let until = self.ends[end].cores + cores;
        while self.ends[end].cores < until {
            self.step();
        }
    }

    /// Numbers of the rows that the end received whole since it had `from`, which must be rows that were sent, as they were sent,
    /// in their order; and how many came with a code error.
    fn received(&self, end: usize, from: usize) -> (Vec<u64>, usize) {
        let [first, second] = &self.ends[end].got;
        let mut numbers: Vec<u64> = vec![];
        let mut errors = 0;
        for (a, b) in first.iter().zip(second).skip(from) {
            if (a | b) >> 33 & 1 == 1 {
                errors += 1;
                continue;
            }
            let number = a & 0xFF_FFFF;
            assert_eq!(
                Some(&vec![*a, *b]),
                self.ends[1 - end].sent.get(number as usize),
                "not what was sent"
            );
            assert!(numbers.last().is_none_or(|last| *last < number), "row {number} out of order");
            numbers.push(number);
        }
        (numbers, errors)
    }

    fn rows(&self, end: usize) -> usize {
        self.ends[end].got[0].len().min(self.ends[end].got[1].len())
    }
}

/// Clocks from a word taken to its first bit, and to the word at the peer; least and most.
const DOCUMENTED: [[u64; 2]; 2] = [[5, 20], [39, 54]];

const ALIKE: Clocks = Clocks { core: 8_000, bit: 4_000 };

fn whole(numbers: &[u64]) -> bool {
    numbers.windows(2).all(|two| two[1] == two[0] + 1)
}

#[test]
fn every_row_arrives_after_the_lock_at_every_bit_offset_and_phase() {
    for bits in 0..34 {
        let late = [vec![bits; LANES + 1], vec![33 - bits; LANES + 1]];
        let mut pair = Pair::new("offset", [ALIKE; 2], [&late[0], &late[1]], 117 * bits as u64 + 1);
        pair.run(0, 700);
        for end in 0..2 {
            let (numbers, errors) = pair.received(end, 0);
            assert!(
                errors == 0 && numbers.len() > 50 && whole(&numbers),
                "{bits} bits, end {end}: {numbers:?}"
            );
            assert!(numbers[0] <= 6, "{bits} bits: the first row is {}", numbers[0]);
            assert_eq!(pair.ends[end].elastic_errors, 0);
        }
    }
}

#[test]
fn clocks_of_any_ratio_lose_nothing() {
    let ratios = [(8_000, 4_000), (8_000, 6_667), (13_333, 6_666), (4_001, 9_000), (20_000, 4_000)];
    for (core, bit) in ratios {
        let clocks = [Clocks { core, bit }, Clocks { core: core + 3, bit: bit - 1 }];
        let mut pair = Pair::new("ratio", clocks, [&[5; 3], &[40; 3]], 2_345);
        pair.run(0, 3_000);
        for end in 0..2 {
            let (numbers, errors) = pair.received(end, 0);
            assert!(errors == 0 && numbers.len() > 60 && whole(&numbers), "{core} {bit}, end {end}");
            assert_eq!(pair.ends[end].elastic_errors, 0, "{core} {bit}");
        }
    }
}

#[test]
fn a_lost_clock_is_noticed_and_nothing_is_invented() {
    let mut random = rng(seed(0x1_7d8), "cuts");
    let mut pair = Pair::new("cut", [ALIKE; 2], [&[7; 3], &[12; 3]], 2_000);
    pair.run(0, 1_000);
    for round in 0..12 {
        let before = pair.received(1, 0).0.len();
        pair.run(0, random.random_range(300..330));
        assert!(pair.ends[1].good, "round {round}");
        pair.cut[1] = true;
        pair.run(1, NOTICED);
        assert!(!pair.ends[1].good, "round {round}: not noticed");
        let rows = pair.rows(1);
        pair.run(1, random.random_range(1..300));
        assert_eq!(pair.rows(1), rows, "round {round}: rows without a clock");
        pair.cut[1] = false;
        pair.run(1, 400);
        assert!(pair.ends[1].good, "round {round}: not back");
        assert!(pair.received(1, 0).0.len() > before + 40);
    }
    let (numbers, errors) = pair.received(1, 0);
    assert!(errors == 0 && !whole(&numbers), "{errors} errors");
    assert!(whole(&pair.received(0, 0).0), "the other direction");
}

#[test]
fn a_clear_in_mid_transfer_gives_no_wrong_row() {
    let mut random = rng(seed(0x1_7d9), "clears");
    let mut pair = Pair::new("clear", [ALIKE; 2], [&[7; 3], &[12; 3]], 2_000);
    for round in 0..15 {
        pair.run(0, random.random_range(400..450));
        assert!(pair.ends[0].good && pair.ends[1].good, "round {round}");
        pair.ends[0].set("clear", 1);
        pair.ends[0].bench.settle();
        assert_eq!(pair.ends[0].get("tx[0].ready"), 0, "ready while cleared");
        pair.run(0, random.random_range(1..40));
        pair.ends[0].set("clear", 0);
    }
    for end in 0..2 {
        let (numbers, _) = pair.received(end, 0);
        assert!(numbers.len() > 350 && !whole(&numbers), "end {end}: {}", numbers.len());
    }
}

#[test]
fn a_bad_frame_word_marks_its_row_and_no_other() {
    let mut random = rng(seed(0x1_7da), "errors");
    let mut pair = Pair::new("errors", [ALIKE; 2], [&[7; 3], &[12; 3]], 2_000);
    pair.run(0, 500);
    let from = pair.rows(1);
    for _ in 0..100 {
        pair.frame_error[1] = random.random_range(1..4);
        pair.run(1, random.random_range(20..60));
    }
    pair.run(1, 60);
    let (numbers, errors) = pair.received(1, from);
    // Two errors may hit the same word.
    assert!((80..=100).contains(&errors), "{errors} of 100");
    let missing = numbers[numbers.len() - 1] - numbers[0] + 1 - numbers.len() as u64;
    assert!(missing.abs_diff(errors as u64) <= 1, "{missing} rows are missing, {errors} are marked");
    assert!(pair.ends[1].good);
}

#[test]
fn lanes_that_are_late_early_or_exchanged_are_set_right() {
    // Lane 0 is 3 bits after the frame pair and turned over, lane 1 is 2 bits before it.
    let mut pair = Pair::new("slips", [ALIKE; 2], [&[7; 3], &[11, 6, 8]], 2_000);
    pair.run(0, 600);
    let sent: Vec<u64> = pair.ends[0].sent.iter().map(|row| row[0]).collect();
    let wrong = pair.ends[1].got[0][20..].iter().filter(|word| !sent.contains(word)).count();
    assert!(wrong > 5, "a lane that is 3 bits late must come wrong");
    for (lane, slips) in [(0, 3), (1, 30)] {
        for _ in 0..slips {
            pair.ends[1].set("slip", 1 << lane);
            pair.run(1, 1);
            pair.ends[1].set("slip", 0);
            pair.run(1, 16);
        }
    }
    pair.run(1, 100);
    let from = pair.rows(1);
    pair.run(1, 400);
    let (numbers, errors) = pair.received(1, from);
    assert!(errors == 0 && numbers.len() > 30 && whole(&numbers));
    pair.ends[1].set("invert", 1);
    pair.run(1, 100);
    let from = pair.rows(1);
    pair.run(1, 100);
    let [first, second] = &pair.ends[1].got;
    for (turned, straight) in first[from..].iter().zip(&second[from..]) {
        assert_eq!(turned & 0xFF_FFFF, !straight & 0xFF_FFFF, "lane 0 is inverted");
    }
}

#[test]
fn a_pause_is_one_elastic_error() {
    let mut pair = Pair::new("pause", [ALIKE; 2], [&[7; 3], &[12; 3]], 2_000);
    pair.run(0, 400);
    for round in 1..10 {
        pair.ends[0].paused = true;
        pair.run(0, 200);
        assert_eq!((pair.ends[0].elastic_errors, pair.ends[1].elastic_errors), (round, 0));
        assert!(!pair.ends[1].good, "the line is quiet");
        pair.ends[0].paused = false;
        pair.run(0, 300);
        assert!(pair.ends[1].good, "and comes back");
    }
}

/// Lanes beside the active ones keep their bits; the kind of the row is that of the active ones, and only they are waited for.
#[test]
fn the_active_lanes_say_when_and_what() {
    let mut end = End::new("active");
    end.set("active", 2);
    let (core, tx_clock) = (end.core, end.tx_clock);
    let mut taken = vec![];
    for clock in 0..400u64 {
        let idle_word = 1 << 32 | 0x1234;
        end.set("tx[0].valid", 1);
        end.set("tx[0].data", idle_word);
        end.set("tx[1].valid", u64::from(clock % 100 >= 50));
        end.set("tx[1].data", 0xABCD);
        end.bench.settle();
        taken.push((clock % 100 >= 50, end.get("tx[0].ready") == 1));
        end.bench.0.step_clocks(&[core, tx_clock]).expect("steps");
        if clock % 100 > 60 && clock > 200 {
            assert_ne!(end.get("tx_frame"), 1, "both bits of a clock are alike");
        }
    }
    assert!(taken.iter().any(|(there, ready)| *there && *ready));
    let early = taken.iter().enumerate().any(|(clock, (there, ready))| !there && *ready && clock % 100 > 1);
    assert!(!early, "a row without the active lane's word");
}

/// The figures of the block's documentation, with all clocks alike: from a word taken to its first bit, and to the peer's word.
#[test]
fn latency_is_as_documented() {
    let clocks = Clocks { core: 4_000, bit: 4_000 };
    let (mut first_bit, mut through) = (vec![], vec![]);
    for phase in 0..16 {
        // One row every 16 clocks, so that none waits for another.
        let mut pair = Pair::new("latency", [clocks; 2], [&[0; 3], &[0; 3]], 1_000);
        pair.run(0, 20 + phase);
        pair.ends[0].paused = true;
        pair.run(0, 400);
        for row in 0..8 {
            let before = (pair.ends[0].sent.len(), pair.rows(1));
            pair.ends[0].paused = false;
            pair.run(0, 1);
            pair.ends[0].paused = true;
            let mut waited = 0;
            while pair.ends[0].sent.len() == before.0 {
                pair.run(0, 1);
                waited += 1;
            }
            let taken = pair.ends[0].cores;
            while pair.ends[0].get("tx_frame") == 0 && row == 0 {
                pair.run(0, 1);
            }
            if row == 0 {
                first_bit.push(pair.ends[0].cores - taken);
            }
            // Behind the first a word time passes without a row, as looking for its first bit takes up to 20 clocks.
            while pair.ends[0].cores + 1 + waited < taken + if row == 0 { 32 } else { 16 } {
                pair.run(0, 1);
            }
            if row == 7 {
                // The receiver is locked since row 4; row 7 is the last.
                let sent = pair.ends[0].sent.last().cloned().unwrap_or_default();
                while pair.ends[1].got[0].last() != sent.first() {
                    pair.run(0, 1);
                    assert!(pair.ends[0].cores < taken + 200, "row 7 does not come");
                }
                through.push(pair.ends[0].cores - taken);
            }
        }
    }
    let range = |clocks: &[u64]| {
        [clocks.iter().min().copied().unwrap_or(0), clocks.iter().max().copied().unwrap_or(0)]
    };
    println!("first bit {:?} through {:?}", range(&first_bit), range(&through));
    assert_eq!([range(&first_bit), range(&through)], DOCUMENTED);
}
