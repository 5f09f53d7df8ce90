//! `phy_ecp5` looped onto itself: two lanes with clocks and bit offsets of their own.

use flitforge_hdl::link::phy_ecp5::{PhyEcp5, SerdesStart};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_sim::port::PortHandle;
use flitforge_sim::{Bench, CompiledBench};
use flitforge_testkit::{BenchBlock, Clocked, Pins};
use rand::Rng as _;
use std::collections::VecDeque;

const LANES: usize = 2;
/// Bits per clock and lane.
const BITS: usize = 20;
/// Core and symbol clock in picoseconds: 100 and 125 MHz.
const CORE: u64 = 10_000;
const PAIR: u64 = 8_000;
/// A D21.5 and a K28.5 in the second place, where no word has its comma.
const STRAY: u64 = 0b10_1010_1010 | COMMA << 10;
/// K28.5 at negative running disparity, bit 0 first.
const COMMA: u64 = 0b01_0111_1100;

struct Loop {
    bench: BenchBlock,
    core: PortHandle,
    tx_clock: PortHandle,
    rx_clocks: Vec<PortHandle>,
    lines: [VecDeque<bool>; LANES],
    /// Next edge of core, sender, and the lanes' receivers.
    next: [u64; 2 + LANES],
    sent: [Vec<u64>; LANES],
    got: [Vec<u64>; LANES],
    offered: [Option<u64>; LANES],
    good: u64,
    /// Lanes with a signal.
    heard: u64,
    elastic_errors: u64,
    cores: u64,
    paused: bool,
    /// Data words alone.
    plain: bool,
    turned: bool,
    /// The next symbol pair of lane 0 is two commas.
    stray: bool,
    /// Share of wrong bits on lane 0.
    wrong: f64,
    random: Rng,
}

impl Clocked for Loop {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.core_edge();
    }
}

impl Loop {
    fn new(offsets: [usize; LANES]) -> Self {
        let block = PhyEcp5::<LANES>::new().expect("valid");
        let bench = BenchBlock::new("phy_ecp5_loop", block);
        let port = |path: &str| bench.port(path);
        let mut new = Self {
            core: port("clock"),
            tx_clock: port("tx_clock"),
            rx_clocks: (0..LANES).map(|lane| port(&format!("rx_clock[{lane}]"))).collect(),
            lines: offsets.map(|bits| VecDeque::from(vec![false; bits])),
            next: [1, 700, 3_100, 5_300],
            sent: Default::default(),
            got: Default::default(),
            offered: Default::default(),
            good: 0,
            heard: 0,
            elastic_errors: 0,
            cores: 0,
            paused: false,
            plain: false,
            turned: false,
            stray: false,
            wrong: 0.0,
            random: rng(seed(0xecb5), "loop"),
            bench,
        };
        new.set("line_ok", 3);
        new
    }

    /// A data word, or one in eight a control word, that holds its number.
    fn word(&mut self, lane: usize) -> u64 {
        let number = self.sent[lane].len() as u64;
        match !self.plain && self.random.random_bool(0.125) {
            true => 1 << 32 | (lane as u64) << 24 | number << 8 | 0xBC,
            false => number.wrapping_mul(0x9E37_79B1) & 0xFFFF_FFFF,
        }
    }

    fn core_edge(&mut self) {
        for lane in 0..LANES {
            if self.offered[lane].is_none() && !self.paused {
                self.offered[lane] = Some(self.word(lane));
            }
            self.set(&format!("tx[{lane}].valid"), u64::from(self.offered[lane].is_some()));
            self.set(&format!("tx[{lane}].data"), self.offered[lane].unwrap_or(0));
        }
        self.bench.settle();
        for lane in 0..LANES {
            if self.get(&format!("tx[{lane}].ready")) == 1 {
                self.sent[lane].extend(self.offered[lane].take());
            }
            if self.get(&format!("rx[{lane}].valid")) == 1 {
                let word = self.get(&format!("rx[{lane}].data"));
                self.got[lane].push(word);
            }
        }
        self.good = self.get("lane_lock");
        self.heard = self.get("signal_ok");
        assert_eq!(self.heard & !self.good, 0, "a signal without lock");
        self.elastic_errors += self.get("elastic_error");
        self.cores += 1;
        self.bench.0.step_clocks(&[self.core]).expect("steps");
    }

    fn step(&mut self) {
        let which = (0..2 + LANES).min_by_key(|clock| self.next[*clock]).unwrap_or(0);
        self.next[which] += if which == 0 { CORE } else { PAIR };
        match which {
            0 => self.core_edge(),
            1 => {
                for lane in 0..LANES {
                    let mut pair = self.get(&format!("tx_symbols[{lane}]"));
                    if lane == 0 && std::mem::take(&mut self.stray) {
                        pair = STRAY;
                    }
                    for bit in 0..BITS {
                        let wrong = lane == 0 && self.wrong > 0.0 && self.random.random_bool(self.wrong);
                        self.lines[lane].push_back((pair >> bit & 1 == 1) ^ self.turned ^ wrong);
                    }
                }
                self.bench.0.step_clocks(&[self.tx_clock]).expect("steps");
            }
            _ => {
                let lane = which - 2;
                let mut pair = 0;
                for bit in 0..BITS {
                    pair |= u64::from(self.lines[lane].pop_front().unwrap_or(false)) << bit;
                }
                self.set(&format!("rx_symbols[{lane}]"), pair);
                self.bench.0.step_clocks(&[self.rx_clocks[lane]]).expect("steps");
            }
        }
    }

    fn run(&mut self, cores: u64) {
        let until = self.cores + cores;
        while self.cores < until {
            self.step();
        }
    }

    /// Until both lanes are locked.
    fn up(&mut self, limit: u64) {
        let until = self.cores + limit;
        while self.good != 3 {
            assert!(self.cores < until, "locked are {}", self.good);
            self.step();
        }
    }

    /// Checks that what the lane got, from `from` on, is what was sent, without a gap; gives the number of words.
    fn whole(&self, lane: usize, from: usize) -> usize {
        let got = &self.got[lane][from..];
        let Some(first) = got.first() else { return 0 };
        let start = self.sent[lane].iter().position(|word| word == first).expect("a word that was sent");
        assert_eq!(got, &self.sent[lane][start..start + got.len()], "lane {lane}");
        got.len()
    }
}

#[test]
fn words_arrive_whole_at_every_bit_offset() {
    for bits in 0..21 {
        let mut link = Loop::new([bits, 40 - bits]);
        link.up(3_000);
        let before = link.cores;
        link.run(400);
        for lane in 0..LANES {
            // A word takes 16 ns.
            let words = (link.cores - before) * CORE / (2 * PAIR);
            assert!(link.whole(lane, 0) as u64 + 5 >= words, "{bits}: {} of {words}", link.got[lane].len());
        }
        assert_eq!(link.elastic_errors, 0);
    }
}

#[test]
fn pauses_leave_no_trace_but_the_elastic_error() {
    let mut link = Loop::new([3, 12]);
    link.up(3_000);
    for round in 1..20 {
        link.paused = true;
        link.run(60);
        assert_eq!((link.good, link.heard), (3, 3), "idle words keep the lock, and a short pause the signal");
        link.paused = false;
        link.run(60 + round);
    }
    assert!((19..=38).contains(&link.elastic_errors), "{} errors", link.elastic_errors);
    for lane in 0..LANES {
        assert!(link.whole(lane, 0) > 500);
    }
}

/// A sender that goes Down sends idle words alone: that is no signal (4.13, 10), whatever wrong bits come among them.
#[test]
fn a_sender_that_falls_silent_is_noticed_and_one_that_begins_again_is_heard() {
    let mut link = Loop::new([3, 12]);
    link.up(3_000);
    for wrong in [0.0, 0.001] {
        link.run(100);
        assert_eq!(link.heard, 3);
        link.wrong = wrong;
        link.paused = true;
        // 64 idle words of two symbol clocks, and the way in.
        link.run((64 * 2 * PAIR) / CORE / 2);
        assert_eq!(link.heard, 3, "half of it");
        link.run(4 * (64 * 2 * PAIR) / CORE);
        assert_eq!(link.heard, 0);
        link.run(2_000);
        assert_eq!(link.heard, 0, "it stays so");
        link.wrong = 0.0;
        link.run(500);
        assert_eq!(link.good, 3, "locked all the time");
        link.paused = false;
        link.run(40);
        assert_eq!(link.heard, 3);
    }
}

/// Single commas out of their place, one in 100 words, are forgotten; four close together unlock.
#[test]
fn stray_commas_unlock_only_close_together() {
    let mut link = Loop::new([0, 0]);
    link.up(3_000);
    let mut locked = |between: u64| {
        link.plain = false;
        link.up(3_000);
        link.plain = true;
        link.run(100);
        let mut fell = false;
        for _ in 0..20 {
            link.stray = true;
            for _ in 0..between {
                link.run(1);
                fell |= link.good & 1 == 0;
            }
        }
        !fell
    };
    // A word takes 1.6 core clocks.
    assert!(locked(160), "one in 100 words");
    assert!(!locked(32), "one in 20 words");
}

#[test]
fn wrong_bits_are_flagged_and_shift_nothing() {
    let mut link = Loop::new([7, 1]);
    link.up(3_000);
    link.run(200);
    let from = link.got[0].len();
    link.wrong = 0.0005;
    link.run(6_000);
    link.wrong = 0.0;
    link.run(200);
    let got = &link.got[0][from..];
    let flagged = got.iter().filter(|word| **word >> 33 & 1 == 1).count();
    assert!(flagged > 30, "{flagged} flagged");
    let start = link.sent[0].iter().position(|word| *word == got[0]).expect("sent");
    let mut wrong = 0;
    for (place, word) in got.iter().enumerate() {
        if *word == link.sent[0][start + place] {
            continue;
        }
        wrong += 1;
        // A wrong bit may show only in a later symbol's disparity.
        let near = &got[place..(place + 6).min(got.len())];
        assert!(near.iter().any(|word| word >> 33 & 1 == 1), "word {place} is wrong and nothing is flagged");
    }
    assert!(wrong >= flagged && link.whole(1, 0) > 500, "{wrong} wrong, {flagged} flagged");
}

#[test]
fn a_slip_of_bits_or_symbols_is_found_and_mended() {
    let mut link = Loop::new([0, 0]);
    link.up(3_000);
    for bits in [1, 3, 10, 20, 30, 7] {
        link.run(200);
        link.lines[0].drain(..bits.min(link.lines[0].len()));
        for _ in 0..(20 * bits / 20) % 20 {
            link.lines[0].push_back(false);
        }
        link.run(4_000);
        link.up(3_000);
        let from = [link.got[0].len(), link.got[1].len()];
        link.run(300);
        for (lane, from) in from.into_iter().enumerate() {
            assert!(link.whole(lane, from) > 100, "{bits} bits, lane {lane}");
        }
    }
}

#[test]
fn an_exchanged_pair_locks_and_is_set_right_by_invert() {
    let mut link = Loop::new([5, 22]);
    link.turned = true;
    link.up(3_000);
    link.run(100);
    let bad = link.got[0].iter().filter(|word| **word >> 33 & 1 == 1).count();
    assert_eq!(bad, 0, "an inverted line has legal symbols only");
    link.set("invert", 3);
    link.run(200);
    let from = [link.got[0].len(), link.got[1].len()];
    link.run(300);
    for (lane, from) in from.into_iter().enumerate() {
        assert!(link.whole(lane, from) > 100, "lane {lane}");
    }
}

#[test]
fn a_lost_line_and_a_clear_in_mid_transfer_give_no_wrong_word() {
    let mut link = Loop::new([9, 31]);
    link.up(3_000);
    for round in 0..10 {
        link.run(100 + round);
        link.set("line_ok", 1);
        link.run(8);
        assert_eq!(link.good & 2, 0, "noticed");
        let words = link.got[1].len();
        link.run(50);
        assert_eq!(link.got[1].len(), words, "words without a line");
        link.set("line_ok", 3);
        link.up(1_000);
        link.run(100);
        link.set("clear", 1);
        link.bench.settle();
        assert_eq!((link.get("tx[0].ready"), link.get("rx[0].valid")), (0, 0), "cleared");
        link.run(1 + round % 7);
        link.set("clear", 0);
        link.up(1_000);
    }
    for lane in 0..LANES {
        // What came was sent, in that order.
        let mut sent = link.sent[lane].iter();
        assert!(link.got[lane].iter().all(|word| sent.any(|other| other == word)), "lane {lane}");
        assert!(link.got[lane].len() > 1_000);
    }
}

/// Clocks of each step, and of the patience, of the start sequence; and of the way in.
const STEP: u64 = 1024;
const PATIENCE: u64 = 65_536;
const WAY_IN: u64 = 4;

#[test]
fn resets_go_one_after_the_other_and_begin_anew() {
    let mut bench = CompiledBench::new("start", Box::new(SerdesStart::new().expect("valid"))).expect("bench");
    let port = |bench: &CompiledBench, path: &str| bench.port(path).expect("port");
    let clock = port(&bench, "clock");
    let [lock, signal] = ["lost_lock", "lost_signal"].map(|path| port(&bench, path));
    let outputs = ["reset", "pcs_reset", "ok"].map(|path| port(&bench, path));
    // Clocks until the outputs are these.
    let until = |bench: &mut CompiledBench, wanted: [u64; 3]| {
        for clocks in 0..2 * PATIENCE {
            bench.settle().expect("settles");
            if outputs.map(|port| bench.get_u64(port)) == wanted {
                return clocks;
            }
            bench.step_clocks(&[clock]).expect("steps");
        }
        panic!("{wanted:?} does not come");
    };
    bench.set_u64(lock, 1);
    assert_eq!(until(&mut bench, [1, 1, 0]), 0);
    assert_eq!(until(&mut bench, [0, 1, 0]), STEP);
    // Without lock it begins anew.
    assert!(until(&mut bench, [1, 1, 0]).abs_diff(PATIENCE) <= WAY_IN);
    bench.set_u64(lock, 0);
    assert!(until(&mut bench, [0, 1, 0]).abs_diff(STEP) <= WAY_IN);
    assert!(until(&mut bench, [0, 0, 1]).abs_diff(STEP) <= WAY_IN);
    for lost in [lock, signal] {
        bench.set_u64(lost, 1);
        assert!(until(&mut bench, [1, 1, 0]) <= WAY_IN);
        bench.set_u64(lost, 0);
        assert!(until(&mut bench, [0, 0, 1]).abs_diff(2 * STEP) <= WAY_IN);
    }
}
