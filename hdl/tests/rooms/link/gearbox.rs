use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::gearbox::{
    GearboxConfig, LinkGearboxRx, LinkGearboxRx1, LinkGearboxRx4, LinkGearboxTx, LinkGearboxTx1,
    LinkGearboxTx4,
};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;
use std::collections::VecDeque;

/// The chapter's mode 0 LTP (section 8), words 0 to 32.
pub fn chapter_ltp() -> Vec<u32> {
    let mut words = vec![
        0x0102_0304,
        0x8000_0142,
        0x2624_2220,
        0x2E2C_2A28,
        0x6C68_6462,
        0x7C78_7470,
        0x1911_0904,
        0x0000_0001,
        0xD3B9_3F68,
        0x014B_EEFA,
        0x0000_1824,
        0xA000_0000,
        0x6AF3_7BC0,
        0x8040_19E2,
        0x91A2_B381,
        0x0100_0000,
        0x0000_0003,
    ];
    words.resize(32, 0);
    words.push(0x3F79_0000);
    words
}

/// Bits `low..low + width` of the stream of `words`.
pub fn cut(words: &[u32], low: usize, width: usize) -> Value {
    let mut value = Value::zero(width as u32);
    for bit in 0..width {
        let index = low + bit;
        value.set_bit(bit as u32, words[index / 32] >> (index % 32) & 1 == 1);
    }
    value
}

/// The beats of a stream of words, each in a port of 68F bits.
pub fn beats_of(words: &[u32], f: usize, wide: bool) -> Vec<Value> {
    let bits = f * if wide { 68 } else { 66 };
    (0..words.len() * 32 / bits).map(|beat| cut(words, beat * bits, bits).resize(68 * f as u32)).collect()
}

fn row_of(words: &[u32]) -> Value {
    let mut padded = words.to_vec();
    padded.resize(4, 0);
    cut(&padded, 0, 128)
}

/// What the sender's gearbox for F = 2 must do, clock by clock: at most one beat waits after the words rows are cut from.
struct TxModel {
    lanes: usize,
    wide: bool,
    loose: Vec<bool>,
    older: VecDeque<u32>,
    newer: VecDeque<u32>,
}

impl TxModel {
    fn row(&self) -> Option<Vec<u32>> {
        let enough = !self.newer.is_empty() || self.older.len() >= self.lanes;
        (!self.older.is_empty() && enough)
            .then(|| self.older.iter().chain(&self.newer).take(self.lanes).copied().collect())
    }

    fn refills(&self, ready: bool) -> bool {
        let rest =
            self.older.len() as i64 - if self.row().is_some() && ready { self.lanes as i64 } else { 0 };
        rest <= 0 && !self.newer.is_empty()
    }

    /// Ready for a beat, with the next block `ready` or not.
    fn ready(&self, ready: bool) -> bool {
        self.newer.is_empty() || self.refills(ready)
    }

    fn clock(&mut self, beat: Option<&Value>, ready: bool) {
        let take = beat.filter(|_| self.ready(ready));
        let refill = self.refills(ready);
        let mut over = 0;
        if self.row().is_some() && ready {
            over = self.lanes.saturating_sub(self.older.len());
            self.older.drain(..self.lanes.min(self.older.len()));
        }
        if refill {
            self.older = self.newer.drain(..).skip(over).collect();
        }
        if let Some(beat) = take {
            let bits = if self.wide { 136 } else { 132 };
            self.loose.extend((0..bits).map(|bit| beat.bit(bit)));
            while self.loose.len() >= 32 {
                let bits: Vec<bool> = self.loose.drain(..32).collect();
                self.newer.push_back(bits.iter().rev().fold(0, |word, bit| word << 1 | u32::from(*bit)));
            }
        }
    }
}

fn start<B: DriveBlock>(bench: &mut StockBlock<B>, lanes: usize, wide: bool) {
    bench.set("clear", 1).set("last_lane", lanes as u64 - 1).set("wide", u64::from(wide));
    bench.clock();
    bench.set("clear", 0);
}

#[test]
fn other_widths_are_refused() {
    for f in [0, 3, 8] {
        assert!(GearboxConfig { flits_per_beat: f }.check().is_err());
    }
    assert!(GearboxConfig { flits_per_beat: 4 }.check().is_ok());
}

#[test]
fn clear_in_mid_transfer_forgets_the_beat_and_refuses_input() {
    let mut bench = StockBlock::new(LinkGearboxTx::default());
    let words: Vec<u32> = (0..33).map(|word| 0x0101_0101 * word).collect();
    let beats = beats_of(&words, 2, false);
    for lanes in [4, 3, 1] {
        start(&mut bench, lanes, false);
        bench.set("wire_in.valid", 1).set("rows.ready", 0);
        for beat in &beats[..2] {
            bench.set_value("wire_in.data", beat);
            bench.clock();
        }
        assert_eq!(bench.get("rows.valid"), 1);
        bench.set("clear", 1);
        assert_eq!(bench.get("wire_in.ready"), 0, "ready while cleared");
        bench.clock();
        assert_eq!(bench.get("rows.valid"), 0, "a row after clear");
        bench.set("clear", 0).set_value("wire_in.data", &beats[0]);
        bench.clock();
        bench.set("wire_in.valid", 0);
        bench.clock();
        assert_eq!(bench.get_value("rows.data"), row_of(&words[..lanes]), "beat 0 after clear");
    }
}

#[test]
fn the_sender_is_the_model_clock_by_clock() {
    let mut rng = random();
    let mut bench = StockBlock::new(LinkGearboxTx::default());
    for (lanes, wide) in
        [(4, false), (4, true), (3, false), (3, true), (2, false), (2, true), (1, false), (1, true)]
    {
        for (offer, accept) in [(1.0, 1.0), (0.6, 1.0), (1.0, 0.5), (0.7, 0.8)] {
            start(&mut bench, lanes, wide);
            let mut model =
                TxModel { lanes, wide, loose: vec![], older: VecDeque::new(), newer: VecDeque::new() };
            let mut words: Vec<u32> = (0..34 * 60).map(|_| rng.random()).collect();
            words.truncate(words.len() / 33 * 33 / 34 * 34);
            let mut beats = beats_of(&words, 2, wide).into_iter();
            let mut waiting: Option<Value> = None;
            for clock in 0..120 {
                if waiting.is_none() && rng.random_bool(offer) {
                    waiting = beats.next();
                }
                let ready = rng.random_bool(accept);
                bench.set("rows.ready", u64::from(ready)).set("wire_in.valid", u64::from(waiting.is_some()));
                if let Some(beat) = &waiting {
                    bench.set_value("wire_in.data", beat);
                }
                let place = format!("L={lanes} wide={wide} clock {clock}");
                assert_eq!(bench.get("wire_in.ready"), u64::from(model.ready(ready)), "ready, {place}");
                assert_eq!(bench.get("rows.valid"), u64::from(model.row().is_some()), "valid, {place}");
                if let Some(row) = model.row() {
                    assert_eq!(bench.get_value("rows.data"), row_of(&row), "{place}");
                }
                let taken = model.ready(ready);
                model.clock(waiting.as_ref(), ready);
                if taken {
                    waiting = None;
                }
                bench.clock();
            }
        }
    }
}

#[test]
fn latency_is_two_clocks_and_rows_leave_in_every_clock() {
    let mut bench = StockBlock::new(LinkGearboxTx::default());
    let words: Vec<u32> = (0..33 * 20).collect();
    for lanes in 1..=4 {
        start(&mut bench, lanes, false);
        let beats = beats_of(&words, 2, false);
        bench.set("rows.ready", 1).set("wire_in.valid", 1);
        let (mut next, mut rows, mut refused) = (0, 0, 0);
        for clock in 0..2 + 33 * 4 {
            bench.set_value("wire_in.data", &beats[next]);
            assert_eq!(bench.get("rows.valid"), u64::from(clock >= 2), "L={lanes} clock {clock}");
            rows += bench.get("rows.valid") as usize;
            let ready = bench.get("wire_in.ready") as usize;
            next += ready;
            refused += 1 - ready;
            bench.clock();
        }
        assert_eq!(rows, 33 * 4, "L={lanes}");
        assert!(lanes < 4 || refused <= 4, "L=4: {refused} refusals in 134 clocks");
    }
}

/// Feeds rows, `pace` clocks apart or more, with random pauses, and gives the beats, their flags, and the clock of each row and beat.
struct Received {
    beats: Vec<(Value, bool, bool)>,
    row_clocks: Vec<usize>,
    beat_clocks: Vec<usize>,
}

fn receive<B: DriveBlock>(
    bench: &mut StockBlock<B>,
    words: &[u32],
    lanes: usize,
    pace: (usize, f64),
    bad: impl Fn(usize) -> bool,
) -> Received {
    let mut rng = random();
    let mut received = Received { beats: vec![], row_clocks: vec![], beat_clocks: vec![] };
    bench.set("row_start", 1);
    bench.clock();
    bench.set("row_start", 0);
    let mut next = 0;
    let (mut clock, mut idle) = (0, 0);
    while idle < 12 {
        let due = received.row_clocks.last().is_none_or(|last| clock >= last + pace.0);
        let send = next < words.len() / lanes && due && rng.random_bool(pace.1);
        bench.set("rows.valid", u64::from(send));
        if send {
            let row = next * lanes..(next + 1) * lanes;
            let errors = (0..lanes).filter(|word| bad(row.start + word)).fold(0, |all, word| all | 1 << word);
            // Words beyond L must not matter.
            let mut padded = words[row].to_vec();
            padded.resize(4, 0xDEAD_BEEF);
            bench.set_value("rows.data", &row_of(&padded)).set("row_error", errors);
            received.row_clocks.push(clock);
            next += 1;
        }
        if bench.get("wire_out.valid") == 1 {
            let flags = (bench.get("code_err") == 1, bench.get("frame_start") == 1);
            received.beats.push((bench.get_value("wire_out.data"), flags.0, flags.1));
            received.beat_clocks.push(clock);
        }
        idle = if next < words.len() / lanes { 0 } else { idle + 1 };
        bench.clock();
        clock += 1;
    }
    received
}

fn receiver_gives_the_beats<B: DriveBlock>(mut bench: StockBlock<B>, f: usize, pace: (usize, f64)) {
    let mut rng = random();
    for (lanes, wide) in
        [(4, false), (4, true), (3, false), (3, true), (2, false), (2, true), (1, false), (1, true)]
    {
        start(&mut bench, lanes, wide);
        let ltp_words = if wide { 34 } else { 33 };
        let words: Vec<u32> = (0..ltp_words * 12).map(|_| rng.random()).collect();
        let bad_word = ltp_words * 3 + 7;
        let received = receive(&mut bench, &words, lanes, pace, |word| word == bad_word);
        let expected = beats_of(&words, f, wide);
        assert_eq!(received.beats.len(), expected.len(), "F={f} L={lanes} wide={wide}");
        for (index, (beat, expected)) in received.beats.iter().zip(&expected).enumerate() {
            assert_eq!(&beat.0, expected, "F={f} L={lanes} wide={wide} beat {index}");
            assert_eq!(beat.2, index == 0, "frame_start, beat {index}");
            let per_ltp = 16 / f;
            assert!(!beat.1 || index / per_ltp == 3, "code_err on beat {index}, not in LTP 3");
        }
        assert!(received.beats.iter().any(|beat| beat.1), "code_err lost");
    }
}

#[test]
fn the_receiver_gives_the_beats_of_two_flits() {
    receiver_gives_the_beats(StockBlock::new(LinkGearboxRx::default()), 2, (1, 1.0));
    receiver_gives_the_beats(StockBlock::new(LinkGearboxRx::default()), 2, (1, 0.6));
}

#[test]
fn the_receiver_gives_the_beats_of_one_and_of_four_flits() {
    receiver_gives_the_beats(StockBlock::new(LinkGearboxRx1::default()), 1, (2, 0.9));
    receiver_gives_the_beats(StockBlock::new(LinkGearboxRx4::default()), 4, (1, 1.0));
}

#[test]
fn rows_beyond_the_clock_rule_overrun_one_flit_per_beat() {
    let mut bench = StockBlock::new(LinkGearboxRx1::default());
    start(&mut bench, 4, false);
    bench.set("rows.valid", 1);
    let mut overruns = 0;
    for _ in 0..20 {
        overruns += bench.get("overrun");
        bench.clock();
    }
    assert!(overruns > 0);
}

#[test]
fn a_beat_comes_two_clocks_after_its_last_row() {
    let mut bench = StockBlock::new(LinkGearboxRx::default());
    let words: Vec<u32> = (0..33 * 4).collect();
    for lanes in 1..=4 {
        start(&mut bench, lanes, false);
        let received = receive(&mut bench, &words, lanes, (1, 0.5), |_| false);
        for (beat, clock) in received.beat_clocks.iter().enumerate() {
            let last_word = (132 * (beat + 1) - 1) / 32;
            assert_eq!(*clock, received.row_clocks[last_word / lanes] + 2, "L={lanes} beat {beat}");
        }
    }
}

#[test]
fn a_new_start_in_mid_ltp_begins_an_ltp() {
    let mut bench = StockBlock::new(LinkGearboxRx::default());
    for lanes in [4, 3] {
        start(&mut bench, lanes, false);
        let words = chapter_ltp();
        receive(&mut bench, &words[..12], lanes, (1, 1.0), |_| false);
        let again: Vec<u32> =
            words.iter().chain(&words).chain(&words).copied().take(33 * 3 / 4 * 4).collect();
        let received = receive(&mut bench, &again, lanes, (1, 1.0), |_| false);
        assert!(received.beats[0].2, "frame_start");
        assert_eq!(received.beats[0].0, cut(&words, 0, 132).resize(136));
    }
}

#[test]
fn the_beats_of_the_chapter_become_its_words() {
    let words = chapter_ltp();
    let beats = beats_of(&words, 2, false);
    assert_eq!(format!("{:x}", beats[0].resize(132)), "22e2c2a28262422208000014201020304");
    assert_eq!(format!("{:x}", beats[7].resize(132)), format!("3f79{}", "0".repeat(29)));
    assert_eq!(format!("{:x}", beats_of(&words, 1, false)[0].resize(68)), "08000014201020304");
    rows_are(StockBlock::new(LinkGearboxTx1::default()), 1);
    rows_are(StockBlock::new(LinkGearboxTx::default()), 2);
    rows_are(StockBlock::new(LinkGearboxTx4::default()), 4);
}

fn rows_are<B: DriveBlock>(mut bench: StockBlock<B>, f: usize) {
    let words: Vec<u32> = (0..12).flat_map(|_| chapter_ltp()).collect();
    for lanes in 1..=4 {
        start(&mut bench, lanes, false);
        let mut beats = beats_of(&words, f, false).into_iter().peekable();
        let mut got = vec![];
        bench.set("rows.ready", 1);
        for _ in 0..600 {
            bench.set("wire_in.valid", u64::from(beats.peek().is_some()));
            if let Some(beat) = beats.peek() {
                bench.set_value("wire_in.data", beat);
            }
            if bench.get("rows.valid") == 1 {
                let row = bench.get_value("rows.data");
                got.extend((0..lanes as u32).map(|lane| row.slice(32 * lane, 32).low_u64() as u32));
            }
            if bench.get("wire_in.ready") == 1 {
                beats.next();
            }
            bench.clock();
        }
        assert_eq!(got, words, "F={f} L={lanes}");
    }
}
