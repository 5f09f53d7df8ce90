//! Words out of cells into words of bodies, with parity errors.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::pack::{PackAligner, Passage};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, Rng, SharedScoreboard, StreamMonitor, StreamSink,
    Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::depth;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type PassageBits = Bits<{ <Passage as Synth>::BITS }>;

/// Reads cells: passages, and 2 clocks later the octets, both only while everything moves on.
struct Reader {
    clear: PortHandle,
    run: PortHandle,
    passage: PortHandle,
    octets: PortHandle,
    random: Rng,
    board: SharedScoreboard,
    /// Passages to come: units, octets with parity, and whether the body ends; nothing is a clock without one.
    coming: VecDeque<Option<(u64, u128, bool)>>,
    under_way: [u128; 2],
    cleared: bool,
    seen: Rc<RefCell<Coverage>>,
}

impl Reader {
    fn new(
        bench: &dyn Bench,
        board: SharedScoreboard,
        seed: u64,
        seen: Rc<RefCell<Coverage>>,
    ) -> Result<Self, SimError> {
        Ok(Self {
            clear: bench.port("clear")?,
            run: bench.port("run")?,
            passage: bench.port("passage")?,
            octets: bench.port("octets")?,
            random: rng(seed, "cells"),
            board,
            coming: VecDeque::new(),
            under_way: [0; 2],
            cleared: false,
            seen,
        })
    }

    /// A word of the memory with its parity, perhaps a wrong one.
    fn stored(&mut self, octets: &[u8], wrong: &mut bool) -> u128 {
        let mut data: [u8; 8] = self.random.random();
        data[..octets.len()].copy_from_slice(octets);
        let parity =
            data.iter().enumerate().map(|(place, octet)| (octet.count_ones() & 1) << place).sum::<u32>();
        let mut word = u128::from(u64::from_le_bytes(data)) | u128::from(parity) << 64;
        if self.random.random_bool(0.01) {
            word ^= 1 << self.random.random_range(0..72);
            *wrong = true;
        }
        word
    }

    fn body(&mut self, clock: u64) {
        let mut body: Vec<u8> = vec![];
        let mut wrong = false;
        let commands = self.random.random_range(1..6);
        for command in 0..commands {
            let units: usize = self.random.random_range(1..20);
            let octets: Vec<u8> = (0..2 * units).map(|_| self.random.random()).collect();
            let words = octets.len().div_ceil(8);
            for (place, chunk) in octets.chunks(8).enumerate() {
                let before = wrong;
                let word = self.stored(chunk, &mut wrong);
                if wrong && !before {
                    // It may be one that is not of the command: all octets of a word are checked.
                    self.seen.borrow_mut().hit("parity");
                }
                // A wrong octet goes on as it is.
                body.extend(&(word as u64).to_le_bytes()[..chunk.len()]);
                let ends = command + 1 == commands && place + 1 == words;
                self.coming.push_back(Some((chunk.len() as u64 / 2 - 1, word, ends)));
                while self.random.random_bool(0.2) {
                    self.coming.push_back(None);
                }
            }
        }
        self.coming.push_back(None);
        let whole = body.chunks(8).count();
        for (place, chunk) in body.chunks(8).enumerate() {
            let mut data = [0; 8];
            data[..chunk.len()].copy_from_slice(chunk);
            let last = place + 1 == whole;
            self.seen.borrow_mut().hit(format!("{} octets", chunk.len()));
            let word = FrameWord {
                data: u64::from_le_bytes(data).into(),
                bytes: (chunk.len() as u64).into(),
                last,
                error: last && wrong,
            };
            let bits: WordBits = word.into();
            self.board.with(|board| board.push(clock, bits.to_value()));
        }
    }
}

impl Agent for Reader {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if std::mem::take(&mut self.cleared) {
            self.board.with(|board| board.flush());
        }
        if self.coming.is_empty() {
            self.body(clock);
        }
        let now = self.coming.front().copied().flatten();
        let (units, _, ends) = now.unwrap_or((self.random.random_range(0..4), 0, self.random.random()));
        let passage: PassageBits = Passage { valid: now.is_some(), units: units.into(), ends }.into();
        bench.set(self.passage, &passage.to_value());
        let word = self.under_way[1];
        bench.set(self.octets, &Value::from_words(72, &[word as u64, (word >> 64) as u64]));
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.clear) {
            self.coming.clear();
            self.cleared = true;
        } else if bench.get_bit(self.run) {
            let read = self.coming.pop_front().flatten().map_or(0, |(_, word, _)| word);
            self.under_way = [read, self.under_way[0]];
        }
        Ok(())
    }
}

#[test]
fn octets_follow_each_other_and_a_wrong_one_is_told() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    let shared = seen.clone();
    let make = || Box::new(PackAligner::default()) as _;
    CosimPlan::new("sue_pack_aligner", seed(0xa11), make, move |testbench: &mut Testbench<'_>, seed| {
        let board = SharedScoreboard::new("body");
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
        testbench.add(Reader::new(testbench.bench(), board.clone(), seed, shared.clone())?);
        testbench.add(StreamMonitor::new(testbench.bench(), "body")?);
        // What a word has beyond its octets says nothing.
        let sink = StreamSink::new(testbench.bench(), "body", seed)?.pace(Pace::mixed());
        testbench.add(sink.on_transfer(move |clock, value| {
            let word: FrameWord = WordBits::from_value(value).into();
            let count = u64::from(word.bytes);
            let mask = if count >= 8 { u64::MAX } else { (1 << (8 * count)) - 1 };
            let data = u64::from(word.data) & mask;
            let cut: WordBits = FrameWord { data: data.into(), ..word }.into();
            board.with(|board| board.check(clock, &cut.to_value()))
        }));
        Ok(())
    })
    .clocks(FULL_CLOCKS)
    .stock_limit(5_000, "a quick run: rust-hdl itself is slow")
    .to_depth(depth())
    .run()
    .expect("equal");
    seen.borrow()
        .require("aligner", &["2 octets", "4 octets", "6 octets", "8 octets", "parity"])
        .expect("everything happened");
}
