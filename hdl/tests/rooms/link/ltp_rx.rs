use crate::rooms::link::vectors::{beat, nulls, originals, LtpVector};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRx, LtpRx1, LtpRx2, LtpRx4};
use flitforge_protocol::crc::STANDARD;
use flitforge_protocol::retry::IsolateAction;
use flitforge_testkit::{Clocked, StockBlock};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Everything the receiver gave.
#[derive(Clone, Debug, Default, PartialEq)]
struct Came {
    /// `flits_out`: beat index, beat.
    flits: Vec<(u64, Value)>,
    /// `spc_out`: beat index, beat.
    spc: Vec<(u64, Value)>,
    nulls: Vec<u64>,
    sides: Vec<u64>,
    good: u64,
    bad: u64,
    accepted: u64,
    tossed: u64,
    duplicates: u64,
    gaps: u64,
    double_bad: u64,
    framing_lost: u64,
    request_limit: u64,
    discards: u64,
    illegal_null: u64,
    illegal_flits: u32,
    late_beats: u64,
    time_stale: u32,
}

struct Rx<B: DriveBlock> {
    bench: StockBlock<B>,
    f: u32,
    seen: Came,
}

impl<B: DriveBlock> Rx<B> {
    fn new(uut: B, f: u32) -> Self {
        let mut rx = Self { bench: StockBlock::new(uut), f, seen: Came::default() };
        rx.bench.set("lanes", 3);
        rx.sync();
        rx
    }

    fn sync(&mut self) {
        self.bench.set("frame_start", 1);
        self.clock();
        self.bench.set("frame_start", 0);
    }

    fn clock(&mut self) {
        let (bench, seen) = (&mut self.bench, &mut self.seen);
        let index = bench.get("beat_index");
        if bench.get("flits_out.valid") == 1 {
            seen.flits.push((index, bench.get_value("flits_out.data")));
        }
        if bench.get("spc_out.valid") == 1 {
            seen.spc.push((index, bench.get_value("spc_out.data")));
        }
        if bench.get("null_out.valid") == 1 {
            seen.nulls.push(bench.get("null_out.data"));
        }
        if bench.get("side_out.valid") == 1 {
            seen.sides.push(bench.get("side_out.data"));
        }
        seen.good += bench.get("rx_good");
        seen.bad += bench.get("rx_bad");
        seen.accepted += bench.get("rx_accepted");
        seen.tossed += bench.get("rx_tossed");
        seen.duplicates += bench.get("rx_dup");
        seen.gaps += bench.get("rx_gap");
        seen.double_bad += bench.get("double_bad");
        seen.framing_lost += bench.get("framing_lost");
        seen.request_limit += bench.get("request_limit");
        let discards = bench.get("iso.valid") == 1
            && bench.get("iso.data") >> 2 == u64::from(IsolateAction::Discard.code());
        seen.discards += u64::from(discards);
        seen.illegal_null += bench.get("illegal_null");
        seen.illegal_flits += bench.get("illegal_flit").count_ones();
        seen.late_beats += bench.get("late_beats");
        seen.time_stale += bench.get("time_stale").count_ones();
        bench.clock();
    }

    fn beats_per_ltp(&self) -> u32 {
        16 / self.f
    }

    fn wire_beat(&mut self, bits: &Value, k: u32, code_err: bool) {
        let data = bits.slice(66 * self.f * k, 66 * self.f).resize(68 * self.f);
        self.bench
            .set_value("wire_in.data", &data)
            .set("wire_in.valid", 1)
            .set("code_err", u64::from(code_err));
        self.clock();
        self.bench.set("wire_in.valid", 0);
    }

    fn ltp(&mut self, bits: &Value, mode: u64) {
        self.bench.set("mode", mode);
        (0..self.beats_per_ltp()).for_each(|k| self.wire_beat(bits, k, false));
    }

    /// Lets everything leave; what was seen since the last call.
    fn drain(&mut self) -> Came {
        (0..self.beats_per_ltp() + 6).for_each(|_| self.clock());
        std::mem::take(&mut self.seen)
    }
}

/// What a receiver of `f` flits per beat must give for `vector`: SPC flits apart, no all-Idle beats.
fn expected(vector: &LtpVector, f: u32) -> Came {
    let mut seen = Came { good: 1, accepted: 1, ..Default::default() };
    let is_spc = |flit: &u128| flit >> 56 == 6;
    let pick = |spc: bool| -> Vec<u128> {
        vector.flits.iter().map(|flit| if is_spc(flit) == spc { *flit } else { 0 }).collect()
    };
    for (spc, into) in [(false, &mut seen.flits), (true, &mut seen.spc)] {
        for k in 0..16 / f {
            let value = beat(&pick(spc), f, k);
            if !value.is_zero() {
                into.push((u64::from(k), value));
            }
        }
    }
    if vector.mode == 1 {
        seen.sides.push(vector.side);
    }
    seen
}

macro_rules! at_every_width {
    ($test:ident) => {{
        $test(Rx::new(LtpRx1::new().unwrap(), 1));
        $test(Rx::new(LtpRx2::new().unwrap(), 2));
        $test(Rx::new(LtpRx4::new().unwrap(), 4));
    }};
}

/// An LTP of `flits`, its CRC made by division as the chapter words it.
fn encode(flits: &[u128]) -> Value {
    let mut bits = Value::zero(1056);
    for i in 0..16 {
        let flit = beat(flits, 1, i);
        (0..65).for_each(|j| bits.set_bit(65 * i + j, flit.bit(j)));
    }
    let mut crc = 0xFFFFu32;
    for b in 0..1040 {
        let feedback = (crc >> 15 & 1 == 1) != bits.bit(b);
        crc = (crc << 1 & 0xFFFF) ^ if feedback { STANDARD.mask() } else { 0 };
    }
    (0..16).for_each(|i| bits.set_bit(1040 + i, crc >> (15 - i) & 1 == 1));
    bits
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    let error = LtpRx::<3, 195, 198, 204, 214, 3, 4, 12>::new().err().unwrap();
    assert_eq!(error.parameter, "flits");
    let error = LtpRx::<2, 130, 132, 136, 148, 3, 3, 8>::new().err().unwrap();
    assert_eq!(error.parameter, "address_bits");
}

#[test]
fn one_to_three_flipped_bits_anywhere_make_an_ltp_bad_and_nothing_of_it_leaves() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let mut random = ChaCha8Rng::seed_from_u64(0x10_43);
        let vectors = originals();
        let bad = Came { bad: 1, ..Default::default() };
        for round in 0..120 {
            let vector = &vectors[round % 3];
            let mut bits = vector.bits();
            for _ in 0..1 + round % 3 {
                let flip = random.random_range(0..1056);
                bits.set_bit(flip, !vector.bits().bit(flip));
            }
            rx.ltp(&bits, vector.mode);
            assert_eq!(rx.drain(), bad, "F = {} round {round}", rx.f);
        }
        rx.ltp(&Value::zero(1056), 0);
        assert_eq!(rx.drain(), bad, "all zeros");
        rx.ltp(&Value::ones(1056), 1);
        assert_eq!(rx.drain(), bad, "all ones");
        rx.ltp(&vectors[0].bits(), 0);
        assert_eq!(rx.drain(), expected(&vectors[0], rx.f));
    }
    at_every_width!(run);
}

#[test]
fn a_code_error_in_any_beat_makes_just_that_ltp_bad() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let vector = originals().remove(0);
        let bits = vector.bits();
        for at in 0..rx.beats_per_ltp() {
            rx.ltp(&bits, 0);
            (0..rx.beats_per_ltp()).for_each(|k| rx.wire_beat(&bits, k, k == at));
            rx.ltp(&bits, 0);
            let (seen, mut once) = (rx.drain(), expected(&vector, rx.f));
            once.flits.extend(once.flits.clone());
            once.spc.extend(once.spc.clone());
            assert_eq!(seen, Came { good: 2, accepted: 2, bad: 1, ..once }, "at {at}");
        }
    }
    at_every_width!(run);
}

#[test]
fn a_frame_start_in_mid_ltp_drops_it_without_verdict() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let vector = originals().remove(1);
        let bits = vector.bits();
        for beats in 1..rx.beats_per_ltp() {
            rx.ltp(&bits, 1);
            (0..beats).for_each(|k| rx.wire_beat(&bits, k, true));
            rx.bench.set("frame_start", 1);
            rx.wire_beat(&bits, 0, false);
            rx.bench.set("frame_start", 0);
            (1..rx.beats_per_ltp()).for_each(|k| rx.wire_beat(&bits, k, false));
            let (seen, mut once) = (rx.drain(), expected(&vector, rx.f));
            once.flits.extend(once.flits.clone());
            once.spc.extend(once.spc.clone());
            once.sides.extend(once.sides.clone());
            assert_eq!(seen, Came { good: 2, accepted: 2, ..once }, "cut after {beats}");
        }
    }
    at_every_width!(run);
}

#[test]
fn nothing_counts_before_frame_start_and_clear_forgets_it() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let vector = originals().remove(0);
        for cleared_after in 1..=rx.beats_per_ltp() + 8 {
            let mut sent = 0;
            for k in 0..cleared_after {
                if sent < rx.beats_per_ltp() {
                    rx.wire_beat(&vector.bits(), k, false);
                    sent += 1;
                } else {
                    rx.clock();
                }
            }
            rx.bench.set("clear", 1);
            rx.clock();
            rx.bench.set("clear", 0);
            rx.seen = Came::default();
            rx.ltp(&vector.bits(), 0);
            assert_eq!(rx.drain(), Came::default(), "cleared after {cleared_after}");
            rx.sync();
            rx.ltp(&vector.bits(), 0);
            assert_eq!(rx.drain(), expected(&vector, rx.f), "cleared after {cleared_after}");
        }
    }
    at_every_width!(run);
}

#[test]
fn illegal_flits_become_idle_and_are_counted_and_force_idle_stays() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let legal = [0x00, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A];
        for base in (0..64u128).step_by(15) {
            let opcodes: Vec<u128> =
                std::iter::once(2).chain((base..base + 15).map(|code| code % 64)).collect();
            let flits: Vec<u128> = opcodes.iter().map(|opcode| opcode << 56 | 0x55).collect();
            rx.ltp(&encode(&flits), 0);
            let kept = flits.iter().zip(&opcodes);
            let kept = kept.map(|(flit, code)| if *code != 0 && legal.contains(code) { *flit } else { 0 });
            let vector = LtpVector { name: "", mode: 0, side: 0, flits: kept.collect(), words: [0; 33] };
            let illegal = opcodes.iter().filter(|code| !legal.contains(code)).count() as u32;
            let seen = rx.drain();
            assert_eq!(seen, Came { illegal_flits: illegal, ..expected(&vector, rx.f) }, "from {base:#x}");
        }
    }
    at_every_width!(run);
}

#[test]
fn good_nulls_are_given_and_unknown_kinds_are_only_counted() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        for vector in nulls() {
            rx.ltp(&vector.bits(), vector.mode);
            let flit = vector.flits[0] as u64;
            let request = flit & 0xFFFF_FFFF_FFFF | (flit >> 56) << 48;
            assert_eq!(
                rx.drain(),
                Came { good: 1, nulls: vec![request], ..Default::default() },
                "{}",
                vector.name
            );
        }
        for kind in 0..16u128 {
            rx.ltp(&encode(&[0x28 << 56 | kind << 40]), 0);
            let seen = rx.drain();
            assert_eq!(
                (seen.nulls.len(), seen.illegal_null),
                if kind < 4 { (1, 0) } else { (0, 1) },
                "{kind}"
            );
            assert_eq!((seen.good, seen.accepted, seen.flits.len()), (1, 0, 0));
        }
        let mut reserved = vec![0x22 << 56];
        reserved.extend([1u128 << 64 | 77; 15]);
        rx.ltp(&encode(&reserved), 0);
        assert_eq!(
            rx.drain(),
            Came { good: 1, nulls: vec![0x22 << 48], ..Default::default() },
            "reserved bits"
        );
    }
    at_every_width!(run);
}

/// Flit 0 of a RetryMrkr.
fn marker(second: u128, first_replayed: u128, next_write: u128) -> Value {
    encode(&[(0x24 + second) << 56 | next_write << 16 | first_replayed])
}

#[test]
fn tossed_ltps_give_nothing_and_late_ones_lose_their_time_flits() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let subtypes = [0x00u128, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x4F];
        let flits: Vec<u128> = subtypes.iter().map(|subtype| 6 << 56 | subtype << 48 | 9).collect();
        rx.bench.set("retry", 1);
        rx.ltp(&encode(&flits), 0);
        assert_eq!(rx.drain(), Came { good: 1, tossed: 1, ..Default::default() });
        rx.ltp(&marker(0, 0, 1), 0);
        rx.ltp(&marker(1, 0, 1), 0);
        rx.ltp(&encode(&flits), 0);
        let seen = rx.drain();
        let kept = flits.iter().enumerate().map(|(i, flit)| if (1..5).contains(&i) { 0 } else { *flit });
        let vector = LtpVector { name: "", mode: 0, side: 0, flits: kept.collect(), words: [0; 33] };
        let replay = Came { late_beats: u64::from(8 / rx.f), time_stale: 4, ..expected(&vector, rx.f) };
        let nulls = vec![0x24 << 48 | 1 << 16, 0x25 << 48 | 1 << 16];
        assert_eq!(seen, Came { good: 3, nulls, ..replay });
        rx.ltp(&encode(&flits), 0);
        let vector = LtpVector { name: "", mode: 0, side: 0, flits, words: [0; 33] };
        assert_eq!(rx.drain(), expected(&vector, rx.f), "behind the replay nothing is late");
        assert_eq!(rx.bench.get("next_rx"), 2);
    }
    at_every_width!(run);
}

#[test]
fn a_bad_ltp_is_asked_for_once_active_and_its_duplicate_is_tossed() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let good = encode(&[1 << 64 | 7]);
        rx.bench.set("retry", 1).set("retry_limit", 8).set("bad_run", 8).set("toss_ltps", 100);
        rx.ltp(&marker(1, 0, 0), 0);
        rx.ltp(&good, 0);
        rx.ltp(&Value::zero(1056), 0);
        let seen = rx.drain();
        assert_eq!((seen.accepted, seen.bad, rx.bench.get("retry_req.valid")), (1, 1, 0), "not Active yet");
        rx.bench.set("activate", 1);
        rx.clock();
        rx.bench.set("activate", 0);
        assert_eq!((rx.bench.get("retry_req.valid"), rx.bench.get("retry_req.data")), (1, 1));
        rx.bench.set("retry_req.ready", 1);
        rx.clock();
        assert_eq!(rx.bench.get("retry_req.valid"), 0, "one pair");
        rx.ltp(&marker(0, 0, 2), 0);
        rx.ltp(&Value::zero(1056), 0);
        rx.ltp(&good, 0);
        rx.ltp(&good, 0);
        let seen = rx.drain();
        assert_eq!((seen.accepted, seen.duplicates, seen.late_beats, seen.bad), (1, 1, 1, 1));
        assert_eq!(rx.bench.get("next_rx"), 2);
    }
    at_every_width!(run);
}

#[test]
fn limits_end_in_their_faults() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        rx.bench.set("retry", 1).set("retry_limit", 2).set("bad_run", 7).set("toss_ltps", 100);
        rx.bench.set("activate", 1).set("retry_req.ready", 1);
        // Bad LTPs number 2 and 4 ask, number 6 is one request too many, number 7 is the run.
        for bad in 1..=8u64 {
            rx.ltp(&Value::zero(1056), 0);
            let seen = rx.drain();
            let faults = (seen.framing_lost, seen.request_limit, seen.double_bad);
            let expected = (u64::from(bad == 7), u64::from(bad == 6 || bad == 8), u64::from(bad > 1));
            assert_eq!(faults, expected, "bad LTP {bad}");
        }
        // A gap: NxtRx is 0, the replay is to begin with 1.
        rx.ltp(&marker(1, 1, 2), 0);
        rx.ltp(&encode(&[1 << 64]), 0);
        let seen = rx.drain();
        assert_eq!((seen.gaps, seen.accepted, seen.flits.len()), (1, 0, 0));
    }
    at_every_width!(run);
}

#[test]
fn fresh_and_reset_exchange_void_the_exchange_and_only_fresh_the_number() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let good = encode(&[1 << 64 | 7]);
        rx.bench.set("retry", 1).set("retry_limit", 8).set("bad_run", 8).set("toss_ltps", 100);
        for (input, next_rx) in [("reset_exchange", 1), ("fresh", 0), ("clear", 0)] {
            let number = rx.bench.get("next_rx") as u128;
            rx.bench.set("activate", 1);
            rx.ltp(&marker(1, number, number), 0);
            rx.bench.set("activate", 0);
            if number == 0 {
                rx.ltp(&good, 0);
            }
            rx.ltp(&Value::zero(1056), 0);
            rx.drain();
            assert_eq!((rx.bench.get("next_rx"), rx.bench.get("retry_req.valid")), (1, 1), "{input}");
            rx.bench.set(input, 1);
            rx.clock();
            rx.bench.set(input, 0);
            rx.clock();
            let exchange =
                (rx.bench.get("next_rx"), rx.bench.get("retry_req.valid"), rx.bench.get("tossing"));
            assert_eq!(exchange, (next_rx, 0, 0), "{input}");
            rx.sync();
            rx.ltp(&good, 0);
            assert_eq!(rx.drain(), Came { good: 1, tossed: 1, discards: 1, ..Default::default() }, "{input}");
        }
    }
    at_every_width!(run);
}

#[test]
fn every_vector_of_section_8_with_and_without_gaps() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        for gap in [0, 1, 3] {
            for vector in originals() {
                rx.bench.set("mode", vector.mode);
                for k in 0..rx.beats_per_ltp() {
                    rx.wire_beat(&vector.bits(), k, false);
                    rx.bench.set("mode", 1 - vector.mode);
                    (0..gap).for_each(|_| rx.clock());
                }
                assert_eq!(rx.drain(), expected(&vector, rx.f), "F = {}: {}", rx.f, vector.name);
            }
        }
    }
    at_every_width!(run);
}

#[test]
fn the_sequence_state_follows_the_lanes() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let vector = originals().remove(0);
        for (lanes, states) in [(1, [0, 0, 0, 0, 0]), (2, [0, 1, 0, 1, 0]), (3, [0; 5]), (4, [0, 1, 2, 3, 0])]
        {
            rx.bench.set("lanes", lanes - 1);
            rx.sync();
            for state in states {
                rx.ltp(&vector.bits(), 0);
                while rx.bench.get("rx_good") == 0 {
                    rx.clock();
                }
                assert_eq!(rx.bench.get("ltp_state"), state, "{lanes} lanes");
                rx.clock();
                assert_eq!(rx.bench.get("beat_state"), state, "{lanes} lanes");
                rx.drain();
            }
        }
    }
    at_every_width!(run);
}

#[test]
fn plane_r_is_sixteen_over_f_plus_three_clocks_after_the_wire() {
    fn run<B: DriveBlock>(mut rx: Rx<B>) {
        let bits = originals().remove(0).bits();
        let latency = rx.beats_per_ltp() + 3;
        for clock in 0..4 * rx.beats_per_ltp() {
            let valid = rx.bench.get("flits_out.valid") == 1;
            let place = (clock + rx.beats_per_ltp() - latency % rx.beats_per_ltp()) % rx.beats_per_ltp();
            let packet = clock >= latency && place < (6 / rx.f).max(1) + u32::from(rx.f == 4);
            assert_eq!(valid, packet, "F = {} clock {clock}", rx.f);
            if valid {
                assert_eq!(rx.bench.get("beat_index"), u64::from(place));
            }
            rx.wire_beat(&bits, clock % rx.beats_per_ltp(), false);
        }
    }
    at_every_width!(run);
}
