//! `link_ltp_tx` and `link_ltp_rx` against the model's LTPs: what the sender puts on the wire decodes to, and is
//! again encoded from, what the model's assembler makes of the same beats; with bits turned over on the way the
//! receiver's verdicts, its wrong CRCs and its beats are those of the model's decoder. Chapter 10, section 9, point 2: every F
//! in every mode; `FLITFORGE_COSIM=full` runs the 10^5 LTPs of each. The number of lanes counts only in mode 3; otherwise it
//! comes in with the gearbox and the lanes (`rooms/link/lane/loops.rs`).

#![allow(clippy::expect_used)] // tests

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRx1, LtpRx2, LtpRx4, LtpRxAll1, LtpRxAll2, LtpRxAll4};
use flitforge_hdl::link::ltp_tx::{LtpTx1, LtpTx2, LtpTx4, LtpTxAll1, LtpTxAll2, LtpTxAll4};
use flitforge_model::ltp::Sideband;
use flitforge_model::{Flit, Ltp, LtpAssembler, LtpBits, LtpFormat, NullLtp};
use flitforge_protocol::beat::{
    beats_per_ltp, wire_beat_bits, wire_bits_per_flit, FLITS_PER_BEAT, MAX_WIRE_BITS_PER_FLIT,
};
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::ltp::{ltp_bits, CrcMode, BITS_1088};
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::flits::beat_value;
use flitforge_testkit::{depth, BenchBlock, Clocked};
use rand::Rng as _;
use std::collections::VecDeque;

fn random_flit(rng: &mut Rng) -> Flit {
    match rng.random_range(0..8) {
        0 => Flit::IDLE,
        // Not a sender's to send: arrives as the Idle without it.
        1 => Flit::control(Opcode::Idle, rng.random()),
        2 => Flit::other(rng.random::<u64>() >> 8 | rng.random_range(0..64) << 56),
        3 => Flit::control(Opcode::Spc, rng.random_range(0..8) << 48 | rng.random_range(0..1 << 48)),
        4 => Flit::control(Opcode::ForceIdle, 0),
        _ => Flit::body(rng.random()),
    }
}

fn words_of(beats: &[Value], mode: CrcMode) -> Vec<u32> {
    let used = |beat: &Value| beat.width() as usize / MAX_WIRE_BITS_PER_FLIT * wire_bits_per_flit(mode);
    let bits: Vec<bool> = beats
        .iter()
        .flat_map(|beat| (0..used(beat)).map(|bit| beat.bit(bit as u32)).collect::<Vec<_>>())
        .collect();
    bits.chunks(32).map(|word| word.iter().rev().fold(0, |word, bit| word << 1 | u32::from(*bit))).collect()
}

/// What the receiver must still say, from the model's decoder.
#[derive(Default)]
struct Expected {
    verdicts: VecDeque<bool>,
    /// In modes 2 and 3, of bad LTPs: the CRCs that failed.
    failed: VecDeque<u64>,
    flits: VecDeque<Value>,
    specials: VecDeque<Value>,
    nulls: VecDeque<u64>,
    sides: VecDeque<u64>,
}

impl Expected {
    fn ltp(&mut self, bits: &LtpBits, format: &LtpFormat, f: usize, bits14: bool) {
        let received = format.decode(bits).expect("an LTP");
        self.verdicts.push_back(received.is_good());
        if !received.is_good() {
            if is_wide(format.mode()) {
                self.failed.push_back(received.failed().fold(0, |failed, crc| failed | 1 << crc));
            }
            return;
        }
        if let Some(null) = received.ltp.null() {
            let data = null.flit().data();
            self.nulls.push_back(data >> 56 << 48 | data & 0xFFFF_FFFF_FFFF);
            return;
        }
        for beat in received.ltp.flits.chunks(f) {
            let special = |flit: Flit| flit.opcode() == Some(Opcode::Spc);
            let of_kind = |wanted: bool| -> Vec<Flit> {
                beat.iter().map(|&flit| if special(flit) == wanted { flit } else { Flit::IDLE }).collect()
            };
            let (rest, specials) = (of_kind(false), of_kind(true));
            for (flits, queue) in [(rest, &mut self.flits), (specials, &mut self.specials)] {
                if flits.iter().any(|flit| !flit.is_idle()) {
                    queue.push_back(beat_value(&flits));
                }
            }
        }
        if bits14 {
            let side = received.ltp.sideband;
            self.sides.push_back(u64::from(side.c0) | u64::from(side.c1) << 1);
        }
    }

    fn check(&mut self, rx: &mut BenchBlock) {
        let (good, bad) = (rx.get("rx_good") == 1, rx.get("rx_bad") == 1);
        if good || bad {
            assert!(good != bad, "both verdicts");
            assert_eq!(self.verdicts.pop_front(), Some(good), "verdict");
            if let Some(failed) = bad.then(|| self.failed.pop_front()).flatten() {
                assert_eq!(rx.get("failed[0]"), failed, "CRCs that failed");
            }
        }
        for (name, queue) in [("flits_out", &mut self.flits), ("spc_out", &mut self.specials)] {
            if rx.get(&format!("{name}.valid")) == 1 {
                let found = rx.get_value(&format!("{name}.data"));
                assert_eq!(queue.pop_front(), Some(found), "{name}");
            }
        }
        for (name, queue) in [("null_out", &mut self.nulls), ("side_out", &mut self.sides)] {
            if rx.get(&format!("{name}.valid")) == 1 {
                assert_eq!(queue.pop_front(), Some(rx.get(&format!("{name}.data"))), "{name}");
            }
        }
    }

    fn nothing_left(&self) {
        let lengths = [self.verdicts.len(), self.flits.len(), self.specials.len(), self.nulls.len()];
        assert_eq!(self.failed.len(), 0, "failed CRCs");
        assert_eq!((lengths, self.sides.len()), ([0; 4], 0), "verdicts, flits, SPC, Null LTPs; sidebands");
    }
}

/// What went into the sender and is not on the wire yet.
struct Sent {
    f: usize,
    assembler: LtpAssembler,
    beats: VecDeque<Vec<Flit>>,
    nulls: VecDeque<Flit>,
    sides: VecDeque<u64>,
}

impl Sent {
    /// Checks an LTP on the wire; tells whether it is a Null LTP.
    fn check(&mut self, bits: &LtpBits, format: &LtpFormat, bits14: bool) -> bool {
        let received = format.decode(bits).expect("an LTP");
        assert!(received.is_good(), "an LTP with a bad CRC: {bits:?}");
        if let Some(null) = received.ltp.null() {
            let expected = NullLtp::new(self.nulls.pop_front().expect("asked for")).expect("a Null LTP");
            assert_eq!((null, &format.encode(&expected.ltp())), (expected, bits));
            return true;
        }
        let mut assembled = None;
        for beat in received.ltp.flits.chunks(self.f) {
            assembled = if beat.iter().all(|flit| flit.is_idle()) {
                self.assembler.idle_beat()
            } else {
                self.next_kept()
            };
        }
        let mut expected = assembled.expect("16/F beats fill an LTP");
        if bits14 {
            let side = self.sides.pop_front().expect("one per LTP");
            expected.sideband = Sideband { c0: side & 1 == 1, c1: side >> 1 == 1 };
        }
        assert_eq!(received.ltp, expected);
        assert_eq!(&format.encode(&expected), bits);
        false
    }

    /// Enters the next beat that is not dropped.
    fn next_kept(&mut self) -> Option<Ltp> {
        loop {
            let beat = self.beats.pop_front().expect("a beat on the wire was offered");
            let kept = beat.iter().any(|flit| flit.is_reliable() && !flit.is_idle());
            let ltp = self.assembler.push(&beat).expect("F flits");
            if kept {
                return ltp;
            }
            assert_eq!(ltp, None, "a dropped beat");
        }
    }
}

/// LTPs of each run: few, or as many as the chapter asks for.
fn ltps(all: bool) -> u64 {
    match depth() {
        Depth::Quick if all => 2_000,
        Depth::Quick => 5_000,
        Depth::Full | Depth::Campaign => 100_000,
    }
}

fn is_wide(mode: CrcMode) -> bool {
    ltp_bits(mode) == BITS_1088
}

/// `link_ltp_tx` and `link_ltp_rx` of so many flits per beat, for all modes or for 0 and 1 alone.
fn blocks(f: usize, all: bool) -> [Box<dyn DriveBlock>; 2] {
    match (f, all) {
        (1, false) => [Box::new(LtpTx1::new().expect("valid")), Box::new(LtpRx1::new().expect("valid"))],
        (2, false) => [Box::new(LtpTx2::new().expect("valid")), Box::new(LtpRx2::new().expect("valid"))],
        (4, false) => [Box::new(LtpTx4::new().expect("valid")), Box::new(LtpRx4::new().expect("valid"))],
        (1, true) => [Box::new(LtpTxAll1::new().expect("valid")), Box::new(LtpRxAll1::new().expect("valid"))],
        (2, true) => [Box::new(LtpTxAll2::new().expect("valid")), Box::new(LtpRxAll2::new().expect("valid"))],
        _ => [Box::new(LtpTxAll4::new().expect("valid")), Box::new(LtpRxAll4::new().expect("valid"))],
    }
}

/// As [`run_on`] on four lanes.
fn run(mode: CrcMode, f: usize) {
    run_on(mode, 4, f, is_wide(mode));
}

fn run_on(mode: CrcMode, lanes: usize, f: usize, all: bool) {
    let bits14 = mode == CrcMode::Bits14;
    let (ltps, wire) = (ltps(all), wire_beat_bits(mode, f) as u32);
    let mut rng = rng(seed(0x10_47 + u64::from(mode.code())), "model");
    let format = LtpFormat::new(mode, lanes).expect("lanes of the mode");
    let [tx, rx] = blocks(f, all);
    let mut tx = BenchBlock::boxed("link_ltp_tx", tx);
    let mut rx = BenchBlock::boxed("link_ltp_rx", rx);
    tx.set("active", 1);
    tx.set("mode", mode.code().into());
    rx.set("mode", mode.code().into());
    rx.set("lanes", lanes as u64 - 1);
    if all {
        tx.set("lanes[0]", lanes as u64 - 1);
    }
    let assembler = LtpAssembler::new(f).expect("F is allowed");
    let mut sent =
        Sent { f, assembler, beats: VecDeque::new(), nulls: VecDeque::new(), sides: VecDeque::new() };
    let mut expected = Expected::default();
    let (mut on_wire, mut arriving) = (vec![], vec![]);
    let (mut offer, mut null): (Option<Vec<Flit>>, Option<Flit>) = (None, None);
    let (mut count, mut null_count, mut bad, mut first, mut idle_for) = (0, 0, 0, true, 0);
    while idle_for < 40 {
        let done = count >= ltps;
        idle_for += u64::from(done);
        if offer.is_none() && rng.random_bool(0.8) {
            offer = Some((0..f).map(|_| random_flit(&mut rng)).collect());
        }
        if null.is_none() && rng.random_bool(0.02) {
            let code = rng.random_range(0x22..0x28u64);
            null = Some(Flit::other(code << 56 | rng.random_range(0..1 << 48)));
        }
        tx.set("flits_in.valid", u64::from(offer.is_some()));
        if let Some(beat) = &offer {
            tx.set_value("flits_in.data", &beat_value(beat));
        }
        tx.set("null_in.valid", u64::from(null.is_some()));
        if let Some(flit) = null {
            tx.set("null_in.data", flit.data() >> 56 << 48 | flit.data() & 0xFFFF_FFFF_FFFF);
        }
        let side = rng.random_range(0..4);
        tx.set("side_in.data", side);
        tx.set("side_in.valid", 1);
        // When enough LTPs have gone by, the wire stands still and the receiver finishes.
        let ready = !done && rng.random_bool(0.9);
        tx.set("wire_out.ready", u64::from(ready));
        tx.settle();
        let moves = ready && tx.get("wire_out.valid") == 1;
        let mut beat = tx.get_value("wire_out.data");
        if moves {
            on_wire.push(beat.clone());
            if rng.random_bool(0.01 * f as f64) {
                let bit = rng.random_range(0..wire);
                beat.set_bit(bit, !beat.bit(bit));
            }
            arriving.push(beat.clone());
        }
        if tx.get("ltp_start") == 1 && bits14 {
            sent.sides.push_back(side);
        }
        if tx.get("flits_in.ready") == 1 {
            sent.beats.extend(offer.take());
        }
        if tx.get("null_in.ready") == 1 {
            sent.nulls.extend(null.take());
        }
        rx.set_value("wire_in.data", &beat);
        rx.set("wire_in.valid", u64::from(moves));
        rx.set("frame_start", u64::from(first));
        first &= !moves;
        rx.settle();
        if on_wire.len() == beats_per_ltp(f) {
            let clean = LtpBits::from_words(&words_of(&on_wire, mode)).expect("an LTP");
            null_count += u64::from(sent.check(&clean, &format, bits14));
            let received = LtpBits::from_words(&words_of(&arriving, mode)).expect("an LTP");
            bad += u64::from(received != clean);
            expected.ltp(&received, &format, f, bits14);
            (on_wire, arriving) = (vec![], vec![]);
            count += 1;
        }
        expected.check(&mut rx);
        tx.clock();
        rx.clock();
    }
    expected.nothing_left();
    assert!(null_count > ltps / 100 && bad > ltps / 20, "{null_count} Null LTPs, {bad} with errors");
    println!("mode {mode:?}, {lanes} lanes, F = {f}: {count} LTPs, {null_count} of them Null LTPs, {bad} with errors");
}

#[test]
fn mode_0_is_the_model_s() {
    FLITS_PER_BEAT.into_iter().for_each(|f| run(CrcMode::Standard, f));
}

#[test]
fn mode_1_is_the_model_s() {
    FLITS_PER_BEAT.into_iter().for_each(|f| run(CrcMode::Bits14, f));
}

#[test]
fn mode_2_is_the_model_s() {
    FLITS_PER_BEAT.into_iter().for_each(|f| run(CrcMode::Overlapping48, f));
}

#[test]
fn mode_3_is_the_model_s_on_four_lanes_and_on_three() {
    for f in FLITS_PER_BEAT {
        [4, 3].into_iter().for_each(|lanes| run_on(CrcMode::PerLane, lanes, f, true));
    }
}

#[test]
fn modes_0_and_1_are_the_model_s_with_all_modes_built() {
    [CrcMode::Standard, CrcMode::Bits14].into_iter().for_each(|mode| run_on(mode, 4, 2, true));
}
