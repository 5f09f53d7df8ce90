//! What the latency of `serdes_rx` is, by where a word's first bit lands in the twenty bits that a SerDes gives per clock.
//!
//! The landing is chance: it comes from the SerDes' own divider after every start. Nothing reports it.

use flitforge_hdl::link::phy_ecp5::{SerdesRx, SerdesTx};
use flitforge_sim::{Bench, CompiledBench};
use std::collections::VecDeque;

/// Bits per clock.
const BITS: usize = 20;
/// Clocks until the boundary is found: ten bit boundaries of 128 clocks each, twice.
const SEARCH: u64 = 4_000;
const WORD: u64 = 0x1234_5678;
/// At 2.5 Gb/s.
const PS_PER_BIT: usize = 400;

struct Line {
    sender: CompiledBench,
    receiver: CompiledBench,
    bits: VecDeque<bool>,
    clock: u64,
}

impl Line {
    fn new(landing: usize) -> Self {
        let sender =
            CompiledBench::new("landing_tx", Box::new(SerdesTx::new().expect("valid"))).expect("bench");
        let receiver =
            CompiledBench::new("landing_rx", Box::new(SerdesRx::new().expect("valid"))).expect("bench");
        Self { sender, receiver, bits: vec![false; landing].into(), clock: 0 }
    }

    /// One clock of both ends; whether the word was taken, and whether it came.
    fn clock(&mut self, offered: bool) -> (bool, bool) {
        let set = |bench: &mut CompiledBench, path: &str, value| {
            let port = bench.port(path).expect("port");
            bench.set_u64(port, value);
        };
        let get = |bench: &CompiledBench, path: &str| bench.get_u64(bench.port(path).expect("port"));
        set(&mut self.sender, "words.valid", offered.into());
        set(&mut self.sender, "words.data", WORD);
        self.sender.settle().expect("settles");
        let taken = offered && get(&self.sender, "words.ready") == 1;
        let symbols = get(&self.sender, "symbols");
        self.bits.extend((0..BITS).map(|bit| symbols >> bit & 1 == 1));
        let pair =
            (0..BITS).fold(0, |pair, bit| pair | u64::from(self.bits.pop_front().expect("a bit")) << bit);
        set(&mut self.receiver, "symbols", pair);
        self.receiver.settle().expect("settles");
        let received = get(&self.receiver, "words.valid") == 1 && get(&self.receiver, "words.data") == WORD;
        self.sender.step().expect("steps");
        self.receiver.step().expect("steps");
        self.clock += 1;
        (taken, received)
    }

    /// Bit times from the clock in which `serdes_tx` takes a word to that in which `serdes_rx` gives it, without the line's own `landing`.
    fn latency(&mut self, landing: usize) -> usize {
        while self.clock < SEARCH {
            self.clock(false);
        }
        let mut taken_at = None;
        for _ in 0..100 {
            let now = self.clock;
            let (taken, received) = self.clock(taken_at.is_none());
            if taken {
                taken_at = Some(now);
            }
            if received {
                let clocks = now - taken_at.expect("taken before");
                return clocks as usize * BITS - landing;
            }
        }
        panic!("no word, landing {landing}")
    }
}

#[test]
fn the_latency_of_serdes_rx_depends_on_the_landing() {
    let latencies: Vec<usize> = (0..BITS).map(|landing| Line::new(landing).latency(landing)).collect();
    let (least, most) = (latencies.iter().min().expect("some"), latencies.iter().max().expect("some"));
    let spread = (most - least) * PS_PER_BIT;
    println!("bit times by landing: {latencies:?}");
    println!("{least} to {most} bit times; at 2.5 Gb/s they differ by {:.1} ns", spread as f64 / 1000.0);
    println!("a link whose directions differ by that has an error of +-{:.1} ns", spread as f64 / 2000.0);
    // A word waits for the end of the twenty bits that it ends in: one bit less for every bit that it lands later.
    assert_eq!(most - least, BITS - 1);
}
