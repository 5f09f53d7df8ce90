use flitforge_hdl::prim::{ClearedDelay, Delay};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

#[test]
fn too_long_a_delay_is_refused() {
    assert!(Delay::<Bits<8>>::new(65).is_err_and(|error| error.value == "65"));
}

#[test]
fn values_come_out_after_the_clocks_asked_for() {
    let mut rng = random();
    for clocks in [0, 1, 2, 5] {
        let mut bench = StockBlock::new(Delay::<Bits<40>>::new(clocks).unwrap());
        let mut line = VecDeque::from(vec![0u64; clocks]);
        for _ in 0..50 {
            let value = rng.random_range(0..1 << 40);
            bench.set("d", value);
            line.push_back(value);
            assert_eq!(Some(bench.get("q")), line.pop_front(), "{clocks} clocks");
            bench.clock();
        }
    }
}

/// In LUT RAM or not, a delay is a delay, from power-on.
#[test]
fn a_compact_delay_is_the_same() {
    let mut rng = random();
    for clocks in [0, 2, 3, 4, 15, 16] {
        let delay = Delay::<Bits<96>>::compact(clocks).unwrap();
        assert_eq!(delay.clocks(), clocks);
        let mut bench = StockBlock::new(delay);
        let mut line = VecDeque::from(vec![0u64; clocks]);
        for _ in 0..100 {
            let value = rng.random();
            bench.set("d", value);
            line.push_back(value);
            assert_eq!(Some(bench.get("q")), line.pop_front(), "{clocks} clocks");
            bench.clock();
        }
    }
}

/// In block RAM, too; 1 clock and 17 are refused.
#[test]
fn a_delay_in_block_ram_is_the_same() {
    let mut rng = random();
    for clocks in [2, 3, 6, 15, 16] {
        let delay = Delay::<Bits<65>>::in_block_ram(clocks).unwrap();
        assert_eq!(delay.clocks(), clocks);
        let mut bench = StockBlock::new(delay);
        let mut line = VecDeque::from(vec![0u64; clocks]);
        for _ in 0..100 {
            let value = rng.random();
            bench.set("d", value);
            line.push_back(value);
            assert_eq!(Some(bench.get("q")), line.pop_front(), "{clocks} clocks");
            bench.clock();
        }
    }
    for clocks in [1, 17] {
        assert_eq!(Delay::<Bits<65>>::in_block_ram(clocks).unwrap_err().parameter, "clocks in block RAM");
    }
}

#[test]
fn a_clear_empties_the_line() {
    let mut bench = StockBlock::new(ClearedDelay::<Bits<8>>::new(3).unwrap());
    for value in [1, 2, 3] {
        bench.set("d", value);
        bench.clock();
    }
    assert_eq!(bench.get("q"), 1);
    bench.set("d", 4).set("clear", 1);
    bench.clock();
    bench.set("d", 5).set("clear", 0);
    assert_eq!(bench.get("q"), 0);
    let seen: Vec<u64> = (0..4)
        .map(|_| {
            bench.clock();
            bench.get("q")
        })
        .collect();
    assert_eq!(seen, [0, 0, 5, 5], "2, 3 and 4 are gone");
}
