use flitforge_hdl::prim::Counter;
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;

#[test]
fn wrong_widths_are_refused() {
    assert!(Counter::<48, 11>::new().is_err_and(|error| error.parameter == "N"));
}

#[test]
fn it_counts_saturates_and_is_zeroed() {
    let mut rng = random();
    let mut bench = StockBlock::new(Counter::<8, 2>::new().unwrap());
    let mut count = 0u64;
    let mut saturated = 0;
    for clock in 0..6000 {
        // Now and then a zero or a clear; long runs in between reach the end.
        let (zero, clear) = (rng.random_bool(0.0005), rng.random_bool(0.0005));
        let up = rng.random_bool(if clock % 2000 < 1000 { 1.0 } else { 0.5 });
        bench.set("zero", zero.into()).set("clear", clear.into()).set("up", up.into());
        bench.clock();
        count = if zero || clear { 0 } else { (count + u64::from(up)).min(255) };
        saturated += u32::from(count == 255);
        assert_eq!(bench.get("value"), count, "clock {clock}");
    }
    assert!(saturated > 100, "never saturated");
}

#[test]
fn carries_reach_the_upper_segments() {
    let mut bench = StockBlock::new(Counter::<32, 8>::new().unwrap());
    bench.set("up", 1);
    for _ in 0..66_000 {
        bench.edge(&["clock"]);
    }
    assert_eq!(bench.get("value"), 66_000);
}
