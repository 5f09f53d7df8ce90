use flitforge_hdl::prim::{ResetSynchronizer, Synchronizer};
use flitforge_testkit::{Clocked, StockBlock};

#[test]
fn one_stage_is_refused() {
    assert!(Synchronizer::<1>::new(false).is_err());
    assert!(Synchronizer::<5>::new(false).is_err());
}

#[test]
fn the_bit_comes_after_all_stages() {
    let mut bench = StockBlock::new(Synchronizer::<3>::new(false).unwrap());
    bench.set("d", 1);
    let seen: Vec<u64> = (0..4)
        .map(|_| {
            bench.clock();
            bench.get("q")
        })
        .collect();
    assert_eq!(seen, [0, 0, 1, 1]);
}

#[test]
fn a_reset_clears_and_releases_after_a_while() {
    let mut bench = StockBlock::new(ResetSynchronizer::new().unwrap());
    assert_eq!(bench.get("clear"), 1, "from power-on");
    for _ in 0..30 {
        bench.clock();
    }
    assert_eq!(bench.get("clear"), 0);
    bench.set("reset", 1);
    for expected in [0, 0, 1] {
        bench.clock();
        assert_eq!(bench.get("clear"), expected);
    }
    bench.set("reset", 0);
    let up = (0..40)
        .take_while(|_| {
            bench.clock();
            bench.get("clear") == 1
        })
        .count();
    assert_eq!(up, 17);
}
