//! `link_retry_tx` on a bench: its ports by name, its steps, its wire as LTPs, its events counted.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::retry_tx::{LinkRetryTx2, LinkRetryTx2Small};
use flitforge_model::wire::LtpBits;
use flitforge_model::Flit;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::retry::GUARD_LTPS;
use flitforge_sim::Watch;
use flitforge_testkit::flits::beat_value;
use flitforge_testkit::{BenchBlock, Clocked, Pins};
use std::collections::BTreeMap;

/// Bits of a wire beat of two flits in modes 0 and 1.
const WIRE: u32 = 132;
/// Beats of an LTP.
const BEATS: usize = 8;

/// The steps of the sequencer that are picked in a clock.
const STEPS: [&str; 4] = [
    "replay.sequencer.pick_start",
    "replay.sequencer.pick_activate",
    "replay.sequencer.pick_decide",
    "replay.sequencer.pick_now",
];

/// Events and the counters that they feed.
const EVENTS: [(&str, LinkCounter); 8] = [
    ("tx_ltp", LinkCounter::TxLtp),
    ("null_tx", LinkCounter::NullTx),
    ("replayed", LinkCounter::Replayed),
    ("retry_tx", LinkCounter::RetryTx),
    ("retry_rx", LinkCounter::RetryRx),
    ("frozen", LinkCounter::Freeze),
    ("bad_pointer", LinkCounter::BadPointer),
    ("replay_parity", LinkCounter::ReplayParity),
];

/// What is picked in a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Picks {
    pub start: bool,
    pub activate: bool,
    pub decide: bool,
    pub event: bool,
}

pub struct Hardware {
    pub bench: BenchBlock,
    watch: Watch,
    row: Vec<u64>,
    beats: Vec<Value>,
    counts: BTreeMap<u8, u64>,
}

impl Clocked for Hardware {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.step();
    }
}

impl Hardware {
    pub fn new(slots: usize) -> Self {
        let block: Box<dyn DriveBlock> = match slots {
            16 => Box::new(LinkRetryTx2Small::new(GUARD_LTPS).expect("valid")),
            128 => Box::new(LinkRetryTx2::new(GUARD_LTPS).expect("valid")),
            _ => panic!("no such block: {slots} slots"),
        };
        let mut bench = BenchBlock::boxed("link_retry_tx", block);
        let watch = bench.0.watch(&STEPS).expect("the sequencer's steps");
        Self { bench, watch, row: vec![], beats: vec![], counts: BTreeMap::new() }
    }

    pub fn set_beat(&mut self, name: &'static str, flits: [Flit; 2]) {
        self.set_value(name, &beat_value(&flits));
    }

    /// What is picked in this clock; settled.
    pub fn picks(&mut self) -> Picks {
        let mut row = std::mem::take(&mut self.row);
        self.bench.0.read_watch(&self.watch, &mut row);
        let picked = |index: usize| row[index] == 1;
        let picks = Picks { start: picked(0), activate: picked(1), decide: picked(2), event: picked(3) };
        self.row = row;
        picks
    }

    /// Counts what came of the clock before, takes the wire beat that moves on this edge, and steps. An LTP, if that
    /// was its last beat.
    pub fn step(&mut self) -> Option<LtpBits> {
        for (name, counter) in EVENTS {
            *self.counts.entry(counter.code()).or_default() += self.get(name);
        }
        if self.get("lost.valid") == 1 {
            *self.counts.entry(LinkCounter::LostOnReset.code()).or_default() += self.get("lost.data");
        }
        if self.get("wire_out.valid") == 1 && self.get("wire_out.ready") == 1 {
            let beat = self.get_value("wire_out.data");
            self.beats.push(beat);
        }
        self.bench.clock();
        if self.beats.len() < BEATS {
            return None;
        }
        let beats = std::mem::take(&mut self.beats);
        Some(LtpBits::from_words(&words_of(&beats)).expect("an LTP"))
    }

    /// Forgets the beats of an LTP that will not be finished.
    pub fn cut(&mut self) {
        self.beats.clear();
    }

    pub fn count(&self, counter: LinkCounter) -> u64 {
        self.counts.get(&counter.code()).copied().unwrap_or_default()
    }

    pub fn counters() -> impl Iterator<Item = LinkCounter> {
        EVENTS.into_iter().map(|(_, counter)| counter).chain([LinkCounter::LostOnReset])
    }
}

fn words_of(beats: &[Value]) -> Vec<u32> {
    let bits: Vec<bool> =
        beats.iter().flat_map(|beat| (0..WIRE).map(|bit| beat.bit(bit)).collect::<Vec<_>>()).collect();
    bits.chunks(32).map(|word| word.iter().rev().fold(0, |word, bit| word << 1 | u32::from(*bit))).collect()
}
