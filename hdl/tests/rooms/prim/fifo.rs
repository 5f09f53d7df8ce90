use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::prim::{Fifo, SmallFifo};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// One clock of a FIFO under test: what is offered and taken, and what came of it.
struct Run<B: DriveBlock> {
    bench: StockBlock<B>,
    held: VecDeque<u64>,
    next: u64,
    waiting: Option<u64>,
}

impl<B: DriveBlock> Run<B> {
    fn new(uut: B) -> Self {
        Self { bench: StockBlock::new(uut), held: VecDeque::new(), next: 1, waiting: None }
    }

    /// Offers a word if `offer`, takes one if `take`; returns whether a word went in and one came out.
    fn clock(&mut self, offer: bool, take: bool) -> (bool, bool) {
        let bench = &mut self.bench;
        bench.set("words_in.valid", offer.into()).set("words_in.data", self.next);
        bench.set("words_out.ready", take.into());
        let went = offer && bench.get("words_in.ready") == 1;
        let valid = bench.get("words_out.valid") == 1;
        let word = bench.get("words_out.data");
        if let Some(before) = self.waiting.take() {
            assert!(valid && word == before, "a waiting word changed");
        }
        if valid {
            assert_eq!(Some(&word), self.held.front(), "order");
            if take {
                self.held.pop_front();
            } else {
                self.waiting = Some(word);
            }
        }
        if went {
            self.held.push_back(self.next);
            self.next += 1;
        }
        bench.clock();
        (went, valid && take)
    }

    fn clear(&mut self) {
        self.bench.set("clear", 1).set("words_in.valid", 1).set("words_out.ready", 0);
        assert_eq!(self.bench.get("words_in.ready"), 0, "ready while cleared");
        self.bench.clock();
        assert_eq!(self.bench.get("words_in.ready"), 0, "ready while cleared");
        self.bench.set("clear", 0);
        assert_eq!(self.bench.get("words_out.valid"), 0, "a word after the clear");
        self.held.clear();
        self.waiting = None;
    }
}

pub fn fill_and_drain<B: DriveBlock>(uut: B, least: usize, most: usize, latency: usize) {
    let mut run = Run::new(uut);
    assert!(run.clock(true, false).0, "an empty FIFO takes a word");
    let wait = (1..20).find(|_| run.bench.get("words_out.valid") == 1 || (run.clock(false, false), false).1);
    assert_eq!(wait, Some(latency), "latency");
    let taken = 1 + (0..2 * most).filter(|_| run.clock(true, false).0).count();
    assert!((least..=most).contains(&taken), "took {taken} words");
    assert!(!run.clock(true, false).0, "overflow");
    let out = (0..3 * most).filter(|_| run.clock(false, true).1).count();
    assert_eq!(out, taken, "all words came out");
    assert!(!run.clock(false, true).1, "underflow");
    // Full rate: after the start, a word in and a word out on every clock.
    for _ in 0..latency + 4 {
        run.clock(true, true);
    }
    for _ in 0..3 * most {
        assert_eq!(run.clock(true, true), (true, true), "a gap at full rate");
    }
    run.clear();
    assert!(run.clock(true, true).0, "after the clear");
}

pub fn random_traffic<B: DriveBlock>(uut: B, clocks: usize) {
    let mut rng = random();
    let mut run = Run::new(uut);
    let (mut offer, mut take) = (0.5, 0.5);
    for clock in 0..clocks {
        if clock % 100 == 0 {
            (offer, take) = (rng.random_range(0..=4) as f64 / 4.0, rng.random_range(0..=4) as f64 / 4.0);
        }
        if rng.random_bool(0.002) {
            run.clear();
        }
        run.clock(rng.random_bool(offer), rng.random_bool(take));
    }
    assert!(run.next > clocks as u64 / 10, "only {} words went through", run.next);
}

#[test]
fn wrong_parameters_are_refused() {
    assert!(Fifo::<Bits<8>, 5, 5>::new().is_err_and(|error| error.parameter == "C"));
    assert!(Fifo::<Bits<8>, 3, 4>::new().is_err_and(|error| error.parameter == "A"));
    assert!(SmallFifo::<Bits<8>, 6, 7>::new().is_err_and(|error| error.parameter == "A"));
}

#[test]
fn the_fifo_fills_drains_and_runs_at_full_rate() {
    fill_and_drain(Fifo::<Bits<32>, 5, 6>::new().unwrap(), 32, 34, 4);
    fill_and_drain(Fifo::<Bits<32>, 4, 5>::new().unwrap(), 16, 18, 4);
}

#[test]
fn the_small_fifo_fills_drains_and_runs_at_full_rate() {
    fill_and_drain(SmallFifo::<Bits<32>, 4, 5>::new().unwrap(), 17, 17, 2);
    fill_and_drain(SmallFifo::<Bits<32>, 2, 3>::new().unwrap(), 5, 5, 2);
}

#[test]
fn random_words_keep_their_order() {
    random_traffic(Fifo::<Bits<32>, 4, 5>::new().unwrap(), 20_000);
    random_traffic(SmallFifo::<Bits<32>, 2, 3>::new().unwrap(), 20_000);
}
