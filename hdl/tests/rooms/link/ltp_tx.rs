use crate::rooms::link::vectors::{beat, nulls, originals, LtpVector};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_tx::{LtpTx, LtpTx1, LtpTx2, LtpTx4};
use flitforge_testkit::{Clocked, StockBlock};

/// A transmitter whose wire beats are collected.
struct Tx<B: DriveBlock> {
    bench: StockBlock<B>,
    f: u32,
    wire: Vec<Value>,
}

impl<B: DriveBlock> Tx<B> {
    fn new(uut: B, f: u32) -> Self {
        let mut bench = StockBlock::new(uut);
        bench.set("active", 1).set("wire_out.ready", 1);
        Self { bench, f, wire: vec![] }
    }

    /// One clock; what the wire transfers is kept.
    fn clock(&mut self) {
        if self.bench.get("wire_out.valid") & self.bench.get("wire_out.ready") == 1 {
            let data = self.bench.get_value("wire_out.data");
            assert!(data.slice(66 * self.f, 2 * self.f).is_zero(), "bits above 66F");
            self.wire.push(data.resize(66 * self.f));
        }
        self.bench.clock();
    }

    /// Offers `data` on the stream `name` until it is taken.
    fn send(&mut self, name: &str, data: &Value) {
        self.bench.set_value(&format!("{name}.data"), data).set(&format!("{name}.valid"), 1);
        for _ in 0..100 {
            let taken = self.bench.get(&format!("{name}.ready")) == 1;
            self.clock();
            if taken {
                self.bench.set(&format!("{name}.valid"), 0);
                return;
            }
        }
        panic!("{name} is never ready");
    }

    fn beats_per_ltp(&self) -> u32 {
        16 / self.f
    }

    /// Runs until the wire has given `count` LTPs; the bits of each.
    fn ltps(&mut self, count: usize) -> Vec<Value> {
        let per_ltp = self.beats_per_ltp() as usize;
        while self.wire.len() < count * per_ltp {
            self.clock();
        }
        self.wire.chunks_exact(per_ltp).map(join).collect()
    }

    /// Sends all beats of an original LTP that is to open now.
    fn send_ltp(&mut self, vector: &LtpVector) {
        self.bench.set("mode", vector.mode).set("side_in.data", vector.side).set("side_in.valid", 1);
        for k in 0..self.beats_per_ltp() {
            let data = vector.data_beat(self.f, k);
            self.send("flits_in", &data);
        }
        self.bench.set("side_in.valid", 0);
    }
}

fn join(beats: &[Value]) -> Value {
    let mut ltp = Value::zero(1056);
    for (k, beat) in (0..).zip(beats) {
        (0..beat.width()).for_each(|bit| ltp.set_bit(k * beat.width() + bit, beat.bit(bit)));
    }
    ltp
}

fn null_request(vector: &LtpVector) -> Value {
    let flit = vector.flits[0];
    Value::from_u64(56, flit as u64 & 0xFFFF_FFFF_FFFF | (flit as u64 >> 56) << 48)
}

/// Runs `test` at each number of flits per beat.
macro_rules! at_every_width {
    ($test:ident) => {{
        $test(Tx::new(LtpTx1::new().unwrap(), 1));
        $test(Tx::new(LtpTx2::new().unwrap(), 2));
        $test(Tx::new(LtpTx4::new().unwrap(), 4));
    }};
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    assert_eq!(LtpTx::<3, 195, 198, 204, 3, 48, 42>::new().err().unwrap().parameter, "flits");
    assert_eq!(LtpTx::<2, 130, 133, 136, 3, 32, 28>::new().err().unwrap().parameter, "beat_bits");
    assert_eq!(LtpTx::<2, 130, 132, 136, 4, 32, 28>::new().err().unwrap().parameter, "index_bits");
}

#[test]
fn illegal_and_link_transfer_flits_become_idle_and_are_counted() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let legal = [0x00, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A];
        let (mut expected, mut illegal) = (vec![], 0);
        for opcode in 0..64u128 {
            let flits = vec![opcode << 56 | 0x1234; tx.f as usize];
            tx.send("flits_in", &beat(&flits, tx.f, 0));
            let ok = legal.contains(&opcode);
            let mask = tx.bench.get("tx_illegal");
            assert_eq!(mask, if ok { 0 } else { (1 << tx.f) - 1 }, "opcode {opcode:#x}");
            illegal += mask.count_ones();
            let kept = ok && opcode != 0;
            expected.extend(vec![if kept { flits[0] } else { 0 }; tx.f as usize]);
        }
        assert_eq!(illegal, (64 - 8) * tx.f);
        let count = expected.len() / 16;
        for (ltp, flits) in tx.ltps(count).iter().zip(expected.chunks(16)) {
            for i in 0..16 {
                assert_eq!(ltp.slice(65 * i, 65), beat(flits, 1, i));
            }
        }
    }
    at_every_width!(run);
}

#[test]
fn clear_in_mid_ltp_starts_anew_at_bit_0_of_sequence_0() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let vectors = originals();
        for beats in 1..2 * tx.beats_per_ltp() + 3 {
            for k in 0..beats {
                tx.send("flits_in", &vectors[0].data_beat(tx.f, k % 4));
            }
            tx.bench.set("clear", 1).set("flits_in.valid", 1).set("time_in.valid", 1).set("null_in.valid", 1);
            for ready in ["flits_in.ready", "time_in.ready", "null_in.ready", "tx_open", "ltp_start"] {
                assert_eq!(tx.bench.get(ready), 0, "{ready}");
            }
            tx.bench.clock();
            tx.bench.set("clear", 0).set("flits_in.valid", 0).set("time_in.valid", 0).set("null_in.valid", 0);
            assert_eq!((tx.bench.get("wire_out.valid"), tx.bench.get("tx_seq")), (0, 0));
            tx.wire.clear();
            tx.send_ltp(&vectors[0]);
            assert_eq!(tx.ltps(1)[0], vectors[0].bits(), "after {beats} beats");
        }
    }
    at_every_width!(run);
}

#[test]
fn a_stall_at_any_beat_loses_nothing_and_holds_the_wire() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let vector = originals().remove(0);
        let per_ltp = tx.beats_per_ltp();
        for stall_at in 0..per_ltp {
            for k in 0..per_ltp {
                let next = vector.data_beat(tx.f, k);
                if k != stall_at || !stall(&mut tx, &next) {
                    tx.send("flits_in", &next);
                }
            }
        }
        for (stall_at, ltp) in tx.ltps(per_ltp as usize).iter().enumerate() {
            assert_eq!(*ltp, vector.bits(), "stall at {stall_at}");
        }
    }
    at_every_width!(run);
}

/// Three clocks of stall with `next` on offer: the first still takes it, into the skid buffer. Tells whether it did;
/// nothing stalls before there is a wire beat.
fn stall<B: DriveBlock>(tx: &mut Tx<B>, next: &Value) -> bool {
    let before = tx.wire.len();
    let held = tx.bench.get_value("wire_out.data");
    let stalls = tx.bench.get("wire_out.valid") == 1;
    tx.bench.set("wire_out.ready", 0).set_value("flits_in.data", next).set("flits_in.valid", 1);
    for clock in 0..if stalls { 3 } else { 0 } {
        let ready = u64::from(clock == 0);
        assert_eq!((tx.bench.get("flits_in.ready"), tx.bench.get("wire_out.valid")), (ready, 1));
        tx.clock();
        tx.bench.set("flits_in.valid", 0);
        assert_eq!(tx.bench.get_value("wire_out.data"), held);
    }
    assert_eq!(tx.wire.len(), before);
    tx.bench.set("wire_out.ready", 1);
    stalls
}

#[test]
fn the_mode_changes_only_between_ltps() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let vectors = originals();
        for vector in [&vectors[0], &vectors[1], &vectors[2], &vectors[0]] {
            tx.bench.set("mode", vector.mode).set("side_in.data", vector.side).set("side_in.valid", 1);
            for k in 0..tx.beats_per_ltp() {
                tx.send("flits_in", &vector.data_beat(tx.f, k));
                tx.bench.set("mode", 1 - vector.mode).set("side_in.data", 3 - vector.side);
            }
        }
        let ltps = tx.ltps(4);
        assert_eq!(ltps[0], vectors[0].bits());
        assert_eq!(ltps[1], vectors[1].bits());
        assert_eq!(ltps[2], vectors[2].bits());
        assert_eq!(ltps[3], vectors[0].bits());
    }
    at_every_width!(run);
}

#[test]
fn every_vector_of_section_8() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let mut expected = vec![];
        for vector in originals() {
            tx.send_ltp(&vector);
            expected.push(vector);
        }
        for vector in nulls() {
            tx.bench.set("mode", vector.mode);
            tx.send("null_in", &null_request(&vector));
            for _ in 1..tx.beats_per_ltp() {
                tx.clock();
            }
            expected.push(vector);
        }
        let ltps = tx.ltps(expected.len());
        for (ltp, vector) in ltps.iter().zip(&expected) {
            assert_eq!(*ltp, vector.bits(), "F = {}: {}", tx.f, vector.name);
        }
        for (k, wire) in (0..tx.beats_per_ltp()).zip(&tx.wire) {
            assert_eq!(*wire, expected[0].wire_beat(tx.f, k), "wire beat {k}");
        }
    }
    at_every_width!(run);
}

#[test]
fn a_null_pair_goes_ahead_of_originals_and_is_not_split() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let (vectors, nulls) = (originals(), nulls());
        tx.send("flits_in", &vectors[0].data_beat(tx.f, 0));
        tx.bench.set_value("flits_in.data", &beat(&[1 << 64 | 0x7777; 4], tx.f, 0)).set("flits_in.valid", 1);
        tx.bench.set_value("null_in.data", &null_request(&nulls[0])).set("null_in.valid", 1);
        let per_ltp = tx.beats_per_ltp();
        let mut events = (0, 0);
        for clock in 1..3 * per_ltp {
            let in_null = clock >= per_ltp;
            let last_of_pair = clock == 2 * per_ltp;
            assert_eq!(tx.bench.get("tx_open"), u64::from(!in_null), "clock {clock}");
            assert_eq!(tx.bench.get("flits_in.ready"), u64::from(!in_null), "clock {clock}");
            assert_eq!(tx.bench.get("null_in.ready"), u64::from(clock % per_ltp == 0), "clock {clock}");
            tx.clock();
            events.0 += tx.bench.get("tx_ltp");
            events.1 += tx.bench.get("null_tx");
            if clock == per_ltp {
                tx.bench.set_value("null_in.data", &null_request(&nulls[1]));
            }
            if last_of_pair {
                tx.bench.set("null_in.valid", 0);
            }
        }
        assert_eq!((tx.bench.get("tx_open"), tx.bench.get("ltp_start"), tx.bench.get("tx_seq")), (1, 1, 1));
        assert_eq!(events, (1, 2));
        let ltps = tx.ltps(4);
        assert_eq!(ltps[1], nulls[0].bits());
        assert_eq!(ltps[2], nulls[1].bits());
        assert_eq!(ltps[3].slice(0, 65), beat(&[1 << 64 | 0x7777], 1, 0));
    }
    at_every_width!(run);
}

#[test]
fn outside_active_only_fillers_go_out_and_time_is_dropped_or_waits() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let filler = nulls().remove(4);
        tx.bench.set("active", 0);
        tx.bench
            .set_value("time_in.data", &beat(&[0x0_0601_0000_0000_0001], tx.f, 0))
            .set("time_in.valid", 1);
        let mut dropped = 0;
        for _ in 0..tx.beats_per_ltp() {
            assert_eq!((tx.bench.get("tx_open"), tx.bench.get("flits_in.ready")), (0, 0));
            assert_eq!(tx.bench.get("time_in.ready"), 1);
            tx.clock();
            dropped += tx.bench.get("time_dropped");
        }
        assert_eq!(dropped, u64::from(tx.beats_per_ltp()));
        tx.bench.set("time_mode", 1);
        for _ in 0..tx.beats_per_ltp() {
            assert_eq!(tx.bench.get("time_in.ready"), 0);
            tx.clock();
            assert_eq!(tx.bench.get("time_dropped"), 0);
        }
        tx.bench.set("active", 1);
        let last = beat(&[0x0_0601_0000_0000_0BEE], tx.f, 0);
        tx.send("time_in", &last);
        let ltps = tx.ltps(3);
        assert_eq!(ltps[..2], [filler.bits(), filler.bits()]);
        assert_eq!(ltps[2].slice(0, 65 * tx.f), last);
    }
    at_every_width!(run);
}

#[test]
fn time_goes_ahead_of_flits_between_two_beats_of_a_packet() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        let flits: Vec<u128> = (0..16).map(|i| 1 << 64 | i).collect();
        let time = beat(&[0x0_0601_0000_0000_0001, 0x0_0602_0000_0000_0002], tx.f, 0);
        tx.send("flits_in", &beat(&flits, tx.f, 0));
        tx.bench.set_value("flits_in.data", &beat(&flits, tx.f, 1)).set("flits_in.valid", 1);
        tx.bench.set_value("time_in.data", &time).set("time_in.valid", 1);
        assert_eq!((tx.bench.get("time_in.ready"), tx.bench.get("flits_in.ready")), (1, 0));
        tx.clock();
        tx.bench.set("time_in.valid", 0);
        tx.send("flits_in", &beat(&flits, tx.f, 1));
        let ltp = tx.ltps(1).remove(0);
        let width = 65 * tx.f;
        assert_eq!(ltp.slice(0, width), beat(&flits, tx.f, 0));
        assert_eq!(ltp.slice(width, width), time);
        assert_eq!(ltp.slice(2 * width, width), beat(&flits, tx.f, 1));
    }
    at_every_width!(run);
}

#[test]
fn a_beat_reaches_the_wire_in_three_clocks_and_one_goes_each_clock() {
    fn run<B: DriveBlock>(mut tx: Tx<B>) {
        for clock in 0..40 {
            assert_eq!(tx.bench.get("flits_in.ready"), 1);
            assert_eq!(tx.bench.get("wire_out.valid"), u64::from(clock >= 3), "clock {clock}");
            tx.clock();
        }
    }
    at_every_width!(run);
}
