//! `link_ltp_tx` and `link_ltp_rx` with all CRC modes built: the worked examples of chapter 10, section 8 in modes 2 and 3,
//! and what a bad input, a cut and a clear do there.

use crate::rooms::link::vectors::{beat, originals, FLITS, WORDS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRx, LtpRxAll1, LtpRxAll2, LtpRxAll4};
use flitforge_hdl::link::ltp_tx::{LtpTx, LtpTxAll1, LtpTxAll2, LtpTxAll4};
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, OVERLAPPING48_CRC_LOW};
use flitforge_testkit::{random, BenchBlock, Clocked};
use rand::Rng as _;

/// One LTP of section 8.
struct Vector {
    name: &'static str,
    mode: u64,
    lanes: u64,
    flits: Vec<u128>,
    bits: Value,
}

fn bits_of(words: &[u32; 34]) -> Value {
    let pairs: Vec<u64> = words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
    Value::from_words(BITS_1088 as u32, &pairs)
}

/// The packet with its last words from `first` on.
fn packet(name: &'static str, mode: u64, lanes: u64, first: usize, last: &[u32]) -> Vector {
    let mut words = [0; 34];
    words[..WORDS.len()].copy_from_slice(&WORDS);
    words[first..first + last.len()].copy_from_slice(last);
    Vector { name, mode, lanes, flits: FLITS.into(), bits: bits_of(&words) }
}

/// Reliable LTPs of modes 2 and 3.
fn packets() -> Vec<Vector> {
    vec![
        packet("mode 2", 2, 4, 32, &[0xF20A_0000, 0x1842_F025]),
        packet("mode 3, L = 4", 3, 4, 30, &[0x2AC0_0000, 0x1EC0_0000, 0xF6F0_0000, 0xF5E0_0000]),
        packet("mode 3, L = 3", 3, 3, 31, &[0xC046_0000, 0x7BFC_0000, 0xE344_0000]),
        packet("mode 3 on two lanes is mode 2", 3, 2, 32, &[0xF20A_0000, 0x1842_F025]),
    ]
}

/// The filler of mode 2.
fn filler() -> Vector {
    let mut bits = Value::zero(BITS_1088 as u32);
    let flit = 0x28u128 << 56;
    (0..65).for_each(|bit| bits.set_bit(bit, flit >> bit & 1 == 1));
    for (low, crc) in OVERLAPPING48_CRC_LOW.into_iter().zip([0xBCA, 0x8DC, 0x50F, 0x82A]) {
        (0..12).for_each(|i| bits.set_bit((low + i) as u32, crc >> (11 - i) & 1 == 1));
    }
    Vector { name: "filler, mode 2", mode: 2, lanes: 4, flits: vec![flit], bits }
}

/// A transmitter of all modes whose wire beats are collected.
struct Tx {
    bench: BenchBlock,
    f: u32,
    wire: Vec<Value>,
    /// The wire stands still for so many clocks after each one in which it moves.
    stall: u32,
    clocks: u32,
}

impl Tx {
    fn new(uut: Box<dyn DriveBlock>, f: u32) -> Self {
        let mut bench = BenchBlock::boxed("ltp_wide", uut);
        bench.set("active", 1).set("wire_out.ready", 1);
        Self { bench, f, wire: vec![], stall: 0, clocks: 0 }
    }

    fn clock(&mut self) {
        self.clocks += 1;
        self.bench.set("wire_out.ready", u64::from(self.clocks % (self.stall + 1) == 0));
        if self.bench.get("wire_out.valid") & self.bench.get("wire_out.ready") == 1 {
            self.wire.push(self.bench.get_value("wire_out.data"));
        }
        self.bench.clock();
    }

    /// Another mode: what is under way is lost.
    fn mode(&mut self, mode: u64, lanes: u64) {
        self.bench.set("clear", 1).set("mode", mode).set("lanes[0]", lanes - 1);
        self.clock();
        self.bench.set("clear", 0);
        self.wire.clear();
    }

    fn send(&mut self, name: &str, data: &Value) {
        self.bench.set_value(&format!("{name}.data"), data).set(&format!("{name}.valid"), 1);
        let ready = (0..100).any(|_| {
            let taken = self.bench.get(&format!("{name}.ready")) == 1;
            self.clock();
            taken
        });
        assert!(ready, "{name} is never ready");
        self.bench.set(&format!("{name}.valid"), 0);
    }

    fn send_ltp(&mut self, flits: &[u128]) {
        (0..16 / self.f).for_each(|k| self.send("flits_in", &beat(flits, self.f, k)));
    }

    /// Runs until the wire has given `count` LTPs of `bits` bits.
    fn ltps(&mut self, count: usize, bits: usize) -> Vec<Value> {
        let per_ltp = (16 / self.f) as usize;
        while self.wire.len() < count * per_ltp {
            self.clock();
        }
        let width = bits as u32 / (16 / self.f);
        let join = |beats: &[Value]| {
            let mut ltp = Value::zero(bits as u32);
            for (k, beat) in (0..).zip(beats) {
                assert!(beat.slice(width, beat.width() - width).is_zero(), "bits above the beat");
                (0..width).for_each(|bit| ltp.set_bit(k * width + bit, beat.bit(bit)));
            }
            ltp
        };
        self.wire.drain(..count * per_ltp).collect::<Vec<_>>().chunks_exact(per_ltp).map(join).collect()
    }
}

macro_rules! at_every_width {
    ($bench:ident, $one:ident, $two:ident, $four:ident, $test:ident) => {{
        $test($bench::new(Box::new($one::new().unwrap()), 1));
        $test($bench::new(Box::new($two::new().unwrap()), 2));
        $test($bench::new(Box::new($four::new().unwrap()), 4));
    }};
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    let error = LtpTx::<2, 130, 132, 136, 3, 32, 28, 241, 1>::new().err().unwrap();
    assert_eq!(error.parameter, "window_bits");
    let error = LtpTx::<2, 130, 132, 136, 3, 32, 28, 240, 2>::new().err().unwrap();
    assert_eq!(error.parameter, "wide");
    let error = LtpRx::<2, 130, 132, 136, 148, 3, 4, 8, 176, 1>::new().err().unwrap();
    assert_eq!(error.parameter, "window_bits");
}

#[test]
fn every_vector_of_section_8_is_sent() {
    fn run(mut tx: Tx) {
        for vector in packets() {
            tx.mode(vector.mode, vector.lanes);
            assert_eq!(tx.bench.get("wire_wide"), 1);
            // Twice, so that the CRCs start again; with another LTP between them.
            tx.send_ltp(&vector.flits);
            tx.send_ltp(&[1 << 64 | 0x1234; 16]);
            tx.send_ltp(&vector.flits);
            let ltps = tx.ltps(3, BITS_1088);
            assert_eq!(ltps[0], vector.bits, "F = {}: {}", tx.f, vector.name);
            assert_eq!(ltps[2], vector.bits, "F = {}: {}", tx.f, vector.name);
        }
        tx.mode(2, 4);
        tx.bench.set("active", 0);
        assert_eq!(tx.ltps(1, BITS_1088)[0], filler().bits, "F = {}: filler", tx.f);
        tx.bench.set("active", 1);
        for vector in originals() {
            tx.mode(vector.mode, 4);
            assert_eq!(tx.bench.get("wire_wide"), 0);
            tx.bench.set("side_in.data", vector.side).set("side_in.valid", 1);
            tx.send_ltp(&vector.flits);
            assert_eq!(tx.ltps(1, BITS_1056)[0], vector.bits(), "F = {}: {}", tx.f, vector.name);
        }
    }
    at_every_width!(Tx, LtpTxAll1, LtpTxAll2, LtpTxAll4, run);
}

#[test]
fn a_beat_is_on_the_wire_after_five_clocks_and_one_goes_each_clock() {
    fn run(mut tx: Tx) {
        for (mode, latency) in [(3, 5), (2, 5), (1, 3), (0, 3)] {
            tx.mode(mode, 4);
            for clock in 0..40 {
                assert_eq!(tx.bench.get("flits_in.ready"), 1);
                assert_eq!(
                    tx.bench.get("wire_out.valid"),
                    u64::from(clock >= latency),
                    "mode {mode} {clock}"
                );
                tx.clock();
            }
        }
    }
    at_every_width!(Tx, LtpTxAll1, LtpTxAll2, LtpTxAll4, run);
}

#[test]
fn stalls_lose_nothing_and_a_clear_in_mid_ltp_starts_anew() {
    fn run(mut tx: Tx) {
        for vector in packets() {
            for cut in 1..=16 / tx.f + 4 {
                tx.mode(vector.mode, vector.lanes);
                for k in 0..cut {
                    tx.send("flits_in", &beat(&[1 << 64 | 0x55; 16], tx.f, k % (16 / tx.f)));
                }
                tx.mode(vector.mode, vector.lanes);
                assert_eq!((tx.bench.get("wire_out.valid"), tx.bench.get("tx_seq")), (0, 0));
                tx.stall = cut % 5;
                tx.send_ltp(&vector.flits);
                assert_eq!(tx.ltps(1, BITS_1088)[0], vector.bits, "{} cut at {cut}", vector.name);
                tx.stall = 0;
            }
        }
    }
    at_every_width!(Tx, LtpTxAll1, LtpTxAll2, LtpTxAll4, run);
}

#[test]
fn the_crcs_of_a_corrupted_replay_are_all_wrong() {
    fn run(mut tx: Tx) {
        for vector in packets().into_iter().take(3) {
            tx.mode(vector.mode, vector.lanes);
            tx.bench.set("replay_next", 1).set("replay_corrupt", 1);
            for k in 0..16 / tx.f {
                tx.bench.set_value("replay_beat", &beat(&vector.flits, tx.f, k));
                tx.clock();
            }
            tx.bench.set("replay_next", 0);
            tx.clock();
            tx.bench.set("replay_corrupt", 0);
            let sent = tx.ltps(1, BITS_1088).remove(0);
            let wrong = (0..BITS_1088 as u32).filter(|&bit| sent.bit(bit) != vector.bits.bit(bit)).count();
            assert_eq!(wrong, 48, "{}", vector.name);
        }
    }
    at_every_width!(Tx, LtpTxAll1, LtpTxAll2, LtpTxAll4, run);
}

/// A receiver of all modes.
struct Rx {
    bench: BenchBlock,
    f: u32,
    seen: Came,
}

/// What it gave; `failed` of each verdict.
#[derive(Clone, Debug, Default, PartialEq)]
struct Came {
    good: u64,
    bad: u64,
    failed: Vec<u64>,
    states: Vec<u64>,
    /// Flits and SPC flits together, by place.
    beats: Vec<(u64, Value)>,
    nulls: Vec<u64>,
    sides: u64,
}

impl Rx {
    fn new(uut: Box<dyn DriveBlock>, f: u32) -> Self {
        Self { bench: BenchBlock::boxed("ltp_wide", uut), f, seen: Came::default() }
    }

    fn clock(&mut self) {
        let (bench, seen) = (&mut self.bench, &mut self.seen);
        let either = Value::zero(65 * self.f);
        let of = |bench: &mut BenchBlock, name: &str| match bench.get(&format!("{name}.valid")) {
            1 => bench.get_value(&format!("{name}.data")),
            _ => either.clone(),
        };
        let (flits, spc) = (of(bench, "flits_out"), of(bench, "spc_out"));
        let mut both = flits.clone();
        (0..65 * self.f).filter(|&bit| spc.bit(bit)).for_each(|bit| both.set_bit(bit, true));
        if !both.is_zero() {
            seen.beats.push((bench.get("beat_index"), both));
        }
        if bench.get("null_out.valid") == 1 {
            seen.nulls.push(bench.get("null_out.data"));
        }
        let (good, bad) = (bench.get("rx_good"), bench.get("rx_bad"));
        if good + bad > 0 {
            seen.failed.push(bench.get("failed[0]"));
            seen.states.push(bench.get("ltp_state"));
        }
        seen.good += good;
        seen.bad += bad;
        seen.sides += bench.get("side_out.valid");
        bench.clock();
    }

    fn start(&mut self, mode: u64, lanes: u64) {
        self.drain();
        self.bench.set("mode", mode).set("lanes", lanes - 1).set("frame_start", 1);
        self.clock();
        self.bench.set("frame_start", 0);
    }

    fn wire_beat(&mut self, bits: &Value, k: u32, code_err: bool) {
        let width = bits.width() / (16 / self.f);
        let data = bits.slice(width * k, width).resize(68 * self.f);
        self.bench
            .set_value("wire_in.data", &data)
            .set("wire_in.valid", 1)
            .set("code_err", u64::from(code_err));
        self.clock();
        self.bench.set("wire_in.valid", 0);
    }

    fn ltp(&mut self, bits: &Value) {
        (0..16 / self.f).for_each(|k| self.wire_beat(bits, k, false));
    }

    fn drain(&mut self) -> Came {
        (0..16 / self.f + 8).for_each(|_| self.clock());
        std::mem::take(&mut self.seen)
    }

    /// What the beats of `flits` must be.
    fn beats(&self, flits: &[u128]) -> Vec<(u64, Value)> {
        let all = (0..16 / self.f).map(|k| (u64::from(k), beat(flits, self.f, k)));
        all.filter(|(_, value)| !value.is_zero()).collect()
    }
}

#[test]
fn every_vector_of_section_8_is_received_with_and_without_gaps() {
    fn run(mut rx: Rx) {
        for gap in [0, 1, 3] {
            for vector in packets() {
                rx.start(vector.mode, vector.lanes);
                for k in 0..16 / rx.f {
                    rx.wire_beat(&vector.bits, k, false);
                    (0..gap).for_each(|_| rx.clock());
                }
                let beats = rx.beats(&vector.flits);
                let good = Came { good: 1, beats, failed: vec![0], states: vec![0], ..Default::default() };
                assert_eq!(rx.drain(), good, "F = {}: {}", rx.f, vector.name);
            }
            rx.start(2, 4);
            rx.ltp(&filler().bits);
            let null = Came {
                good: 1,
                nulls: vec![0x28 << 48],
                failed: vec![0],
                states: vec![0],
                ..Default::default()
            };
            assert_eq!(rx.drain(), null);
            for vector in originals() {
                rx.start(vector.mode, 4);
                rx.ltp(&vector.bits());
                let seen = rx.drain();
                assert_eq!((seen.good, seen.sides), (1, vector.mode), "{}", vector.name);
                assert_eq!(seen.beats, rx.beats(&vector.flits), "{}", vector.name);
            }
        }
    }
    at_every_width!(Rx, LtpRxAll1, LtpRxAll2, LtpRxAll4, run);
}

#[test]
fn the_sequence_state_is_that_of_34_words_and_plane_r_one_clock_later() {
    fn run(mut rx: Rx) {
        let bits = packets().remove(0).bits;
        for (lanes, states) in [(1, [0; 5]), (2, [0; 5]), (3, [0, 1, 2, 0, 1]), (4, [0, 2, 0, 2, 0])] {
            rx.start(2, lanes);
            (0..5).for_each(|_| rx.ltp(&bits));
            assert_eq!(rx.drain().states, states, "{lanes} lanes");
        }
        rx.start(2, 4);
        let mut clocks = 0;
        while rx.bench.get("flits_out.valid") == 0 {
            rx.wire_beat(&bits, clocks % (16 / rx.f), false);
            clocks += 1;
        }
        assert_eq!(clocks, 16 / rx.f + 4);
    }
    at_every_width!(Rx, LtpRxAll1, LtpRxAll2, LtpRxAll4, run);
}

#[test]
fn wrong_bits_fail_the_crcs_they_belong_to_and_nothing_leaves() {
    fn run(mut rx: Rx) {
        let mut random = random();
        for round in 0..60u32 {
            let vector = packets().remove(round as usize % 3);
            let mut bits = vector.bits.clone();
            let bit = random.random_range(0..BITS_1088 as u32);
            bits.set_bit(bit, !bits.bit(bit));
            rx.start(vector.mode, vector.lanes);
            rx.ltp(&vector.bits);
            rx.ltp(&bits);
            rx.ltp(&vector.bits);
            let seen = rx.drain();
            let failed = match (vector.mode, OVERLAPPING48_CRC_LOW.iter().rposition(|&low| low as u32 <= bit))
            {
                (2, Some(crc)) => 1 << crc,
                (2, None) => 15,
                _ => 1 << (u64::from(bit) / 32 % vector.lanes),
            };
            assert_eq!((seen.good, seen.bad), (2, 1), "{} bit {bit}", vector.name);
            assert_eq!(seen.failed, [0, failed, 0], "{} bit {bit}", vector.name);
            let beats = rx.beats(&vector.flits);
            assert_eq!(seen.beats, [beats.clone(), beats].concat(), "{} bit {bit}", vector.name);
        }
        for (mode, lanes) in [(2, 4), (3, 4), (3, 3)] {
            for bits in [Value::zero(BITS_1088 as u32), Value::ones(BITS_1088 as u32)] {
                rx.start(mode, lanes);
                rx.ltp(&bits);
                let seen = rx.drain();
                assert_eq!((seen.good, seen.bad, seen.beats.len()), (0, 1, 0), "all alike, mode {mode}");
            }
        }
    }
    at_every_width!(Rx, LtpRxAll1, LtpRxAll2, LtpRxAll4, run);
}

#[test]
fn a_code_error_fails_no_crc_and_a_cut_ltp_has_no_verdict() {
    fn run(mut rx: Rx) {
        for vector in packets().into_iter().take(3) {
            for at in 1..16 / rx.f {
                rx.start(vector.mode, vector.lanes);
                (0..16 / rx.f).for_each(|k| rx.wire_beat(&vector.bits, k, k == at));
                let seen = rx.drain();
                assert_eq!(
                    (seen.bad, seen.failed, seen.beats.len()),
                    (1, vec![0], 0),
                    "{} at {at}",
                    vector.name
                );
                rx.start(vector.mode, vector.lanes);
                (0..at).for_each(|k| rx.wire_beat(&vector.bits, k, true));
                rx.bench.set("frame_start", 1);
                rx.wire_beat(&vector.bits, 0, false);
                rx.bench.set("frame_start", 0);
                (1..16 / rx.f).for_each(|k| rx.wire_beat(&vector.bits, k, false));
                let seen = rx.drain();
                assert_eq!((seen.good, seen.bad), (1, 0), "{} cut after {at}", vector.name);
                assert_eq!(seen.beats, rx.beats(&vector.flits));
            }
            for cleared_after in 1..16 / rx.f + 6 {
                rx.start(vector.mode, vector.lanes);
                for k in 0..cleared_after {
                    match k < 16 / rx.f {
                        true => rx.wire_beat(&vector.bits, k, false),
                        false => rx.clock(),
                    }
                }
                rx.bench.set("clear", 1);
                rx.clock();
                rx.bench.set("clear", 0);
                rx.seen = Came::default();
                rx.ltp(&vector.bits);
                assert_eq!(rx.drain(), Came::default(), "cleared after {cleared_after}");
            }
        }
    }
    at_every_width!(Rx, LtpRxAll1, LtpRxAll2, LtpRxAll4, run);
}
