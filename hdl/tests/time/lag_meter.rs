//! `lag_meter` beside a line whose phase is known exactly (chapter 20, 4.2; T11 of section 9).

use crate::support::build;
use flitforge_hdl::time::lag_meter::{LagMeter, LagMeterConfig, RX_CLOCKS, TX_LOOK_AHEAD};
use flitforge_model::{line_position, time::lag};
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::lane_word::ALN_INTERVAL_ROWS;
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::time::{PhaseSource, LAG_BITS};
use flitforge_protocol::time_lag::{helper_period, COUNT_MEAN_LOG2, DDMTD_K};
use flitforge_sim::kit::{rng, seed};
use flitforge_testkit::{is_full, BenchBlock, Clocked, Pins};
use rand::Rng;
use std::collections::VecDeque;

const CORE_FS: u64 = 6_400_000;
/// Words in the PHY's FIFO.
const FILL: u64 = 3;

/// Clocks that a count begins with.
const MEAN_CLOCKS: u64 = 1 << COUNT_MEAN_LOG2;

/// A helper clock, 37 ppm slow; 10^-3 fs.
struct Helper {
    period: i128,
    next: i128,
}

/// A meter and the line it stands at.
struct Rig {
    bench: BenchBlock,
    helper: Option<Helper>,
    /// Duration of a word and time of the first one's end, 10^-3 fs.
    word: i128,
    first: i128,
    clocks: i128,
    words: i128,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.bench.edge(&["clock"]);
    }
}

impl Rig {
    /// Word clock off by so many 10^-9.
    fn new(settings: &[(&str, u64)], word_fs: u64, ppb: i64) -> Self {
        let mut all = vec![("word_fs", word_fs)];
        all.extend_from_slice(settings);
        let bench = BenchBlock::boxed("lag_meter", build("lag_meter", &all).block);
        let word = i128::from(word_fs) * 1000 * 1_000_000_000 / (1_000_000_000 + i128::from(ppb));
        let k = settings.iter().find(|(name, _)| *name == "ddmtd_k").map_or(DDMTD_K.1, |(_, k)| *k as u32);
        let period = i128::from(helper_period(word_fs, k)) * 1000;
        let period = period + period * 37 / 1_000_000;
        let helper = bench.0.port("helper_clock[0]").ok().map(|_| Helper { period, next: 345_678 });
        Self { bench, helper, word, first: 1_234_567_891, clocks: 0, words: 0 }
    }

    /// The next core clock edge comes; word clock edges before it happen.
    fn approach(&mut self) {
        self.clocks += 1;
        let now = self.time();
        loop {
            let word = self.first + self.words * self.word;
            let first = self.helper.as_mut().filter(|helper| helper.next < word && helper.next <= now);
            if let Some(helper) = first {
                self.bench.edge(&["helper_clock[0]"]);
                helper.next += helper.period;
            } else if word <= now {
                self.bench.edge(&["word_clock"]);
                self.words += 1;
            } else {
                break;
            }
        }
    }

    fn time(&self) -> i128 {
        self.clocks * i128::from(CORE_FS) * 1000
    }

    /// Words sent or received at this edge, 12 fraction bits.
    fn line(&self) -> u64 {
        (((self.time() - self.first + 100 * self.word) << 12) / self.word) as u64
    }

    fn lag(&mut self) -> i32 {
        let unused = 32 - LAG_BITS as u32;
        ((self.get("lag") as i32) << unused) >> unused
    }
}

/// Largest and smallest difference from the exact lag.
#[derive(Clone, Copy)]
struct Spread(i32, i32);

impl Spread {
    const NONE: Self = Self(i32::MAX, i32::MIN);

    fn add(&mut self, difference: i32) {
        *self = Self(self.0.min(difference), self.1.max(difference));
    }

    /// Within +-T/128 of the middle, and no word off in all.
    fn check(self, what: &str, word_fs: u64) {
        let spread = f64::from(self.1 - self.0) / 256.0;
        let allowed = 2.0 * CORE_FS as f64 / 1e6 / 128.0;
        println!("{what}: error +-{:.1} ps of +-{:.1} ps", spread * 500.0, allowed * 500.0);
        assert!(spread <= allowed, "{what}: {self:?}");
        // The constant part: the clocks of the count, and a word for where it began.
        let constant = f64::from(self.0) / 256.0;
        assert!(constant.abs() < 2.0 * word_fs as f64 / 1e6 + 5.0 * CORE_FS as f64 / 1e6, "{what}: {self:?}");
    }
}

impl std::fmt::Debug for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {} units of 1/256 ns", self.0, self.1)
    }
}

/// rx: whatever beat stands at plane R, its lag comes RX_CLOCKS later.
fn receive(what: &str, settings: &[(&str, u64)], word_fs: u64, ppb: i64, clocks: u64, from: u64) {
    let mut random = rng(seed(0x1A61), what);
    let mut rig = Rig::new(settings, word_fs, ppb);
    let nominal = settings.iter().find(|(name, _)| *name == "nom").map_or(0, |(_, value)| *value);
    let (mut expected, mut spread) = (VecDeque::new(), Spread::NONE);
    let mut first_ok = None;
    for clock in 0..clocks {
        rig.approach();
        let line = rig.line();
        let words = line >> 12;
        let position =
            ((words - 10 + random.random_range(0..5)) << 8 | random.random_range(0..16) << 4) & 0xFF_FFFF;
        rig.set_all(&[
            ("run", (clock > 20).into()),
            ("words", (words - FILL) & 0xFFFF),
            ("fill", FILL),
            ("phase", line >> 4 & 0xFF),
            ("phase_valid", 1),
            ("position", position),
        ]);
        expected.push_back(lag(true, line as u32 & 0x0FFF_FFFF, position as u32, word_fs, nominal).0);
        if expected.len() > RX_CLOCKS {
            let exact = expected.pop_front().expect("there");
            if rig.get("phase_ok") == 1 {
                first_ok.get_or_insert(clock);
                spread.add(rig.lag() - exact);
            } else {
                assert!(first_ok.is_none(), "{what}: not valid any more at {clock}");
            }
        }
        assert_eq!(
            (rig.get("slipped"), rig.get("saturated"), rig.get("exact")),
            (0, 0, 1),
            "{what}: {clock}"
        );
        rig.clock();
    }
    println!("{what}: valid after {first_ok:?}, {} wraps", rig.words);
    assert!(first_ok.is_some_and(|clock| clock < from + MEAN_CLOCKS), "{what}: {first_ok:?}");
    assert!(first_ok.is_some_and(|clock| clock > MEAN_CLOCKS), "{what}: {first_ok:?}");
    spread.check(what, word_fs);
}

#[test]
fn received_lags_are_exact_to_a_128th_of_a_clock() {
    let clocks = if is_full() { 1_300_000 } else { 150_000 };
    receive("beat, 200 ppm", &[], 6_241_000, 200_000, clocks, 20_000);
    receive("beat, -200 ppm, NOM 90", &[("nom", 90)], 6_241_000, -200_000, clocks, 20_000);
    receive("beat, 25/26 and 20 ppm", &[], 6_656_000, 20_000, clocks, 60_000);
    receive("beat, 2.2 words per clock", &[("nom", 30)], 2_909_091, -150_000, clocks, 60_000);
    receive("ddmtd, 1/1 and 200 ppm", &[("source", 2)], 6_400_000, 200_000, clocks, 40_000);
    let settings = [("source", 2), ("ddmtd_k", 10), ("nom", 90)];
    receive("ddmtd, K = 10, 3 words in 2 clocks", &settings, 4_266_667, -200_000, clocks, 40_000);
    let short = clocks * 2 / 3;
    receive("phy, 1 to 1 and 50 ppm", &[("source", 3)], 6_400_000, 50_000, short, 60);
    receive("phy, 3 words in 2 clocks", &[("source", 3), ("nom", 40)], 4_266_667, -200_000, short, 60);
}

/// NONE: the port's words are what counts, to the word.
#[test]
fn without_a_phase_whole_words_count() {
    let mut random = rng(seed(0x1A62), "none");
    let mut rig = Rig::new(&[("source", 0), ("nom", 90)], 6_241_000, 100_000);
    let mut expected = VecDeque::new();
    for clock in 0..20_000_u64 {
        rig.approach();
        let (words, position): (u64, u64) =
            (random.random_range(0..1 << 16), random.random_range(0..256_u64));
        let position = (words << 8).wrapping_sub(position << 4) & 0xFF_FFFF;
        rig.set_all(&[("run", 1), ("words", words), ("position", position), ("fill", 200)]);
        // The words are a clock after the position they are held against.
        expected.push_back((words << 12, position));
        if expected.len() > RX_CLOCKS + 1 {
            let (words, _) = expected.pop_front().expect("there");
            let position = expected[0].1;
            let (exact, over) = lag(true, words as u32, position as u32, 6_241_000, 90);
            assert_eq!(rig.get("phase_ok"), u64::from(!over), "{clock}");
            // Sixteen bits of a word's duration.
            assert!(
                over || (rig.lag() - exact).abs() <= 2 + (exact.abs() >> 16),
                "{clock}: {} is not {exact}",
                rig.lag()
            );
        }
        rig.clock();
    }
}

/// How a transmitter takes beats: those for which the line has room.
struct Transmitter {
    mode: CrcMode,
    lanes: usize,
    flits: usize,
    beat: u64,
}

impl Transmitter {
    fn position(&self) -> u64 {
        let beats = beats_per_ltp(self.flits) as u64;
        let (ltp, beat) = (self.beat / beats, (self.beat % beats) as usize);
        line_position::of_beat(self.mode, self.lanes, self.flits, ltp, beat)
    }
}

/// tx: a beat that X takes while `exact` has the lag that stood three clocks before.
fn transmit(
    what: &str,
    transmitter: (CrcMode, usize, usize),
    source: u64,
    word_fs: u64,
    alignment_rows: u64,
) {
    let (mode, lanes, flits) = transmitter;
    let settings = [("rx", 0), ("source", source), ("f", flits as u64), ("nom", 40)];
    let mut rig = Rig::new(&settings, word_fs, 123_000);
    let mut random = rng(seed(0x1A63), what);
    let mut tx = Transmitter { mode, lanes, flits, beat: 0 };
    let (mut begin, mut lags, mut spread) = (0, VecDeque::new(), Spread::NONE);
    let (mut taken, mut offered_exactly) = (0_u64, 0_u64);
    let mut fill = 2 << 12;
    let rows = alignment_rows * (ALN_INTERVAL_ROWS as u64 + 1);
    let mut clock = 0_u64;
    while tx.position() >> 8 < rows {
        rig.approach();
        if clock == 400 {
            begin = rig.line() >> 12 << 12;
        }
        let line = if clock < 400 { 0 } else { rig.line() - begin };
        // The gearbox is more or less full.
        if random.random_bool(0.0005) {
            fill = random.random_range(1 << 12..4 << 12);
        }
        let takes = clock > 400 && (tx.position() << 4) < line + fill;
        let position = tx.position() & 0xFF_FFFF;
        rig.set_all(&[
            ("run", (clock > 410).into()),
            ("words", ((line >> 12) + FILL) & 0xFFFF),
            ("fill", FILL),
            ("phase", line >> 4 & 0xFF),
            ("phase_valid", 1),
            ("position", position),
            ("wide", (mode == CrcMode::Overlapping48).into()),
            ("last_lane", lanes as u64 - 1),
        ]);
        let (ok, now) = (rig.get("phase_ok") == 1, rig.lag());
        lags.push_back(now);
        if lags.len() > TX_LOOK_AHEAD {
            let given = lags.pop_front().expect("there");
            if takes && ok {
                taken += 1;
                if rig.get("exact") == 1 {
                    offered_exactly += 1;
                    let (exact, _) = lag(false, line as u32 & 0x0FFF_FFFF, position as u32, word_fs, 40);
                    spread.add(given - exact);
                }
            }
        }
        rig.clock();
        tx.beat += u64::from(takes);
        clock += 1;
    }
    let share = offered_exactly * 100 / taken.max(1);
    println!("{what}: {alignment_rows} alignment rows, {clock} clocks, {taken} beats, {share} % foreseen");
    assert!(taken > 1000 && share > 30, "{what}: {taken} {share}");
    spread.check(what, word_fs);
}

#[test]
fn lags_sent_are_those_of_the_beats_that_are_taken() {
    let rows = |full: u64, quick: u64| if is_full() { full } else { quick };
    let standard = CrcMode::Standard;
    transmit("tx, F = 2, 4 lanes", (standard, 4, 2), 1, 6_241_000, rows(10_000, 40));
    transmit("tx, ddmtd, 1/1", (standard, 4, 2), 2, 6_400_000, rows(1000, 40));
    transmit("tx, F = 2, 1 lane", (standard, 1, 2), 1, 6_241_000, rows(300, 20));
    transmit("tx, F = 4, 3 lanes", (standard, 3, 4), 1, 3_100_000, rows(300, 60));
    transmit("tx, F = 1, 2 lanes, wide", (CrcMode::Overlapping48, 2, 1), 1, 6_900_000, rows(300, 60));
    transmit("tx, phy, slow line", (standard, 4, 2), 3, 8_533_333, rows(300, 60));
}

/// Too far from the line: the nearest lag, an event, not valid; and valid again.
#[test]
fn a_lag_that_does_not_fit_is_told_once() {
    let mut rig = Rig::new(&[("source", 3)], 6_400_000, 0);
    let mut events = vec![];
    let delayed = MEAN_CLOCKS + 10;
    for step in 0..2 * delayed + 200 {
        // The times below are told without the clocks that the count takes at its beginning and after `clear`.
        let clock = match step {
            0..20 => step,
            step if step < 20 + delayed => 20,
            step if step < 178 + delayed => step - delayed,
            step if step < 178 + 2 * delayed => 178,
            step => step - 2 * delayed,
        };
        rig.approach();
        let line = rig.line();
        let words = line >> 12;
        // 400 words are 2560 ns; 20 bits hold 2048.
        let away: u64 = if (100..130).contains(&clock) { 400 } else { 4 };
        let position = (words.wrapping_sub(away) << 8) & 0xFF_FFFF;
        let (phase, run) = (line >> 4 & 0xFF, u64::from(clock > 10));
        rig.set_all(&[
            ("run", run),
            ("words", words & 0xFFFF),
            ("fill", 0),
            ("phase", phase),
            ("phase_valid", 1),
        ]);
        rig.set_all(&[("position", position), ("clear", (clock == 170).into())]);
        if rig.get("saturated") == 1 {
            events.push(clock);
        }
        let late = clock - (RX_CLOCKS as u64).min(clock);
        // A clock after `run` the count begins, and its first lag comes RX_CLOCKS + 2 later; as long it is not used after `clear`.
        let expected = clock > 20 && !(100..130).contains(&late) && !(171..179).contains(&clock);
        assert_eq!(rig.get("phase_ok") == 1, expected, "at {clock}");
        if (100..130).contains(&late) {
            assert_eq!(rig.lag(), (1 << 19) - 1);
        }
        rig.clock();
    }
    assert_eq!(events, [100 + RX_CLOCKS as u64 + 1]);
}

/// With BEAT nothing is valid before two good tags of full windows, and not after `clear`, a new link, or its end.
#[test]
fn the_phase_is_not_valid_before_two_tags() {
    let mut rig = Rig::new(&[], 6_241_000, 20_000);
    let mut valid = vec![];
    let again = 40_001 + MEAN_CLOCKS;
    let cleared = again + 30_000 + MEAN_CLOCKS;
    for clock in 0..cleared + 25_000 + MEAN_CLOCKS {
        rig.approach();
        let words = rig.line() >> 12;
        let run = clock > 5 && !(again - 1..again + 999).contains(&clock);
        rig.set_all(&[
            ("run", run.into()),
            ("words", words & 0xFFFF),
            ("fill", 0),
            ("position", (words << 8) & 0xFF_FFFF),
        ]);
        rig.set_all(&[("clear", (clock == cleared - 1).into())]);
        valid.push(rig.get("phase_ok") == 1);
        rig.clock();
    }
    // 64, 128, 256, 512 and two windows of 1024 clocks, then the mean.
    for from in [0, again, cleared] {
        let [early, late] =
            [3000, 25_000 - 6000 * u64::from(from == cleared)].map(|clocks| from + MEAN_CLOCKS + clocks);
        assert!(!valid[from as usize + 1..early as usize].contains(&true), "valid too early behind {from}");
        assert!(valid[late as usize], "not valid behind {from}");
    }
}

#[test]
fn meters_that_cannot_work_are_refused() {
    let refused = |config: LagMeterConfig| config.check().expect_err("refused").to_string();
    let good = LagMeterConfig::default();
    good.check().expect("good");
    let same = LagMeterConfig { word_fs: 6_400_000, ..good };
    assert!(refused(same).contains("core to word clock period is 1/1"), "{}", refused(same));
    LagMeterConfig { phase_source: PhaseSource::Phy, ..same }.check().expect("a phase that is given");
    LagMeterConfig { phase_source: PhaseSource::None, ..same }.check().expect("no phase");
    assert!(refused(LagMeterConfig { word_fs: 8_530_000, ..good }).contains("3/4"));
    let helped = LagMeterConfig { phase_source: PhaseSource::Ddmtd, ..same };
    for ddmtd_k in 6..=10 {
        LagMeterConfig { ddmtd_k, ..helped }.check().expect("what DDMTD is for");
    }
    for ddmtd_k in [5, 11] {
        assert!(refused(LagMeterConfig { ddmtd_k, ..helped }).contains("6 to 10"));
    }
    // A core clock that is near the helper clock itself, or twice as slow.
    assert!(refused(LagMeterConfig { core_fs: 6_450_000, ..helped }).contains("another DDMTD_K"));
    assert!(refused(LagMeterConfig { core_fs: 12_905_000, ..helped }).contains("is 1/2"));
    LagMeterConfig { core_fs: 6_450_000, ddmtd_k: 8, ..helped }.check().expect("another K");
    assert!(refused(LagMeterConfig { core_fs: 1_610_000, ..helped }).contains("4 core clocks"));
    assert!(refused(LagMeterConfig { word_fs: 1_600_000, ..good }).contains("4 words"));
    assert!(refused(LagMeterConfig { flits: 3, ..good }).contains("f = 3"));
    assert!(refused(LagMeterConfig { static_log2: 25, ..good }).contains("static_log2"));
    assert!(refused(LagMeterConfig { nominal_ns: 2000, ..good }).contains("nom"));
    assert!(refused(LagMeterConfig { core_fs: 0, ..good }).contains("core_fs"));
    // A type of another direction or source.
    assert!(LagMeter::<1, 1, 0, 0>::new(&good).is_err());
    assert!(LagMeter::<0, 0, 1, 0>::new(&good).is_err());
    assert!(LagMeter::<0, 1, 0, 0>::new(&good).is_ok());
    assert!(LagMeter::<0, 1, 0, 1>::new(&good).is_err());
    assert!(LagMeter::<0, 0, 0, 0>::new(&helped).is_err());
    assert!(LagMeter::<0, 0, 0, 1>::new(&helped).is_ok());
}
