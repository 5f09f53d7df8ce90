//! Transmitter and receiver back to back: everything arrives, in order, once; and how fast.

use crate::link_ltp::encode;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRx1, LtpRx2, LtpRx4};
use flitforge_hdl::link::ltp_tx::{LtpTx1, LtpTx2, LtpTx4};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{BenchBlock, Clocked};
use rand::Rng as _;
use std::collections::VecDeque;

struct Pair {
    tx: BenchBlock,
    rx: BenchBlock,
    first: bool,
}

impl Pair {
    fn new(tx: Box<dyn DriveBlock>, rx: Box<dyn DriveBlock>) -> Self {
        let mut pair = Self {
            tx: BenchBlock::boxed("link_ltp_tx", tx),
            rx: BenchBlock::boxed("link_ltp_rx", rx),
            first: true,
        };
        pair.tx.set("active", 1);
        pair.rx.set("lanes", 3);
        pair
    }

    fn offer(&mut self, name: &str, data: &Option<Value>) {
        self.tx.set(&format!("{name}.valid"), u64::from(data.is_some()));
        if let Some(data) = data {
            self.tx.set_value(&format!("{name}.data"), data);
        }
    }

    /// Carries the wire over with `ready` and lets both settle.
    fn settle(&mut self, ready: bool) {
        self.tx.set("wire_out.ready", u64::from(ready));
        self.tx.settle();
        let moves = ready && self.tx.get("wire_out.valid") == 1;
        let data = self.tx.get_value("wire_out.data");
        self.rx.set_value("wire_in.data", &data);
        self.rx.set("wire_in.valid", u64::from(moves));
        self.rx.set("frame_start", u64::from(self.first));
        self.first &= !moves;
        self.rx.settle();
    }

    fn clock(&mut self) {
        self.tx.clock();
        self.rx.clock();
    }
}

fn random_item(rng: &mut Rng, chance: f64, make: impl Fn(&mut Rng) -> Value) -> Option<Value> {
    rng.random_bool(chance).then(|| make(rng))
}

/// Random traffic over `ltps` LTPs. A link changes to or from mode 1 only through Down, so the mode is fixed.
fn traffic(mut pair: Pair, flits: u32, bits14: u64, ltps: u64) {
    let mut rng = rng(seed(0x10_44 + bits14), "joined");
    pair.tx.set("mode", bits14);
    pair.rx.set("mode", bits14);
    let (mut flits_in, mut null_in) = (None, None);
    let (mut beats, mut specials, mut nulls, mut sides) =
        (VecDeque::new(), VecDeque::new(), VecDeque::new(), VecDeque::new());
    let (mut good, mut delivered, mut idle_for) = (0, 0u64, 0);
    while good < ltps || idle_for < 100 {
        let draining = good >= ltps;
        flits_in = flits_in.or_else(|| {
            random_item(&mut rng, if draining { 0.0 } else { 0.8 }, |rng| encode::random_beat(rng, flits))
        });
        null_in =
            null_in.or_else(|| random_item(&mut rng, if draining { 0.0 } else { 0.01 }, encode::random_null));
        pair.offer("flits_in", &flits_in);
        pair.offer("null_in", &null_in);
        let side = rng.random_range(0..4);
        pair.tx.set("side_in.data", side);
        pair.tx.set("side_in.valid", 1);
        pair.settle(rng.random_bool(0.9));

        if pair.tx.get("ltp_start") == 1 && bits14 == 1 {
            sides.push_back(side);
        }
        if pair.tx.get("flits_in.ready") == 1 {
            if let Some(beat) = flits_in.take() {
                let is_flit = |flit: &Value| encode::is_carried(flit) && !encode::is_special(flit);
                let sort = [encode::sift(&beat, is_flit), encode::sift(&beat, encode::is_special)];
                let [flit_beat, special_beat] = sort;
                if encode::mask(&beat, is_flit) > 0 {
                    beats.push_back(flit_beat);
                }
                if encode::mask(&beat, encode::is_special) > 0 {
                    specials.push_back(special_beat);
                }
            }
        }
        if pair.tx.get("null_in.ready") == 1 {
            nulls.extend(null_in.take());
        }
        for (name, queue) in [("flits_out", &mut beats), ("spc_out", &mut specials)] {
            if pair.rx.get(&format!("{name}.valid")) == 1 {
                assert_eq!(queue.pop_front(), Some(pair.rx.get_value(&format!("{name}.data"))), "{name}");
                delivered += 1;
            }
        }
        if pair.rx.get("null_out.valid") == 1 {
            assert_eq!(nulls.pop_front(), Some(pair.rx.get_value("null_out.data")));
        }
        if pair.rx.get("side_out.valid") == 1 {
            assert_eq!(sides.pop_front(), Some(pair.rx.get("side_out.data")));
        }
        assert_eq!(pair.rx.get("rx_bad"), 0);
        good += pair.rx.get("rx_good");
        idle_for = if draining { idle_for + 1 } else { 0 };
        pair.clock();
    }
    assert!(beats.is_empty() && specials.is_empty() && nulls.is_empty(), "something is still under way");
    assert!(delivered > ltps, "{delivered} beats over {ltps} LTPs");
    println!("F = {flits}, mode {bits14}: {good} LTPs, {delivered} beats and SPC beats delivered");
}

#[test]
fn two_flits_per_beat_arrive_in_mode_0() {
    let pair = Pair::new(Box::new(LtpTx2::new().expect("valid")), Box::new(LtpRx2::new().expect("valid")));
    traffic(pair, 2, 0, 10_000);
}

#[test]
fn two_flits_per_beat_arrive_in_mode_1() {
    let pair = Pair::new(Box::new(LtpTx2::new().expect("valid")), Box::new(LtpRx2::new().expect("valid")));
    traffic(pair, 2, 1, 3_000);
}

#[test]
fn one_and_four_flits_per_beat_arrive() {
    let pair = Pair::new(Box::new(LtpTx1::new().expect("valid")), Box::new(LtpRx1::new().expect("valid")));
    traffic(pair, 1, 1, 1_000);
    let pair = Pair::new(Box::new(LtpTx4::new().expect("valid")), Box::new(LtpRx4::new().expect("valid")));
    traffic(pair, 4, 0, 1_000);
}

/// The first beat of an LTP is on `flits_out` 14 clocks after the clock that offered it: 3 to the wire, 8 for
/// the LTP, 3 to plane R. Then one beat per clock.
#[test]
fn latency_is_14_clocks_and_every_clock_carries_a_beat() {
    let mut pair =
        Pair::new(Box::new(LtpTx2::new().expect("valid")), Box::new(LtpRx2::new().expect("valid")));
    let (mut given, mut came) = (0u64, 0u64);
    for clock in 0..500u64 {
        let mut beat = Value::from_u64(130, clock + 1);
        beat.set_bit(64, true);
        pair.offer("flits_in", &Some(beat));
        pair.settle(true);
        given += pair.tx.get("flits_in.ready");
        let valid = pair.rx.get("flits_out.valid") == 1;
        assert_eq!(valid, clock >= 14, "clock {clock}");
        if valid {
            assert_eq!(pair.rx.get("flits_out.data"), clock + 1 - 14);
            came += 1;
        }
        pair.clock();
    }
    assert_eq!((given, came), (500, 486));
}
