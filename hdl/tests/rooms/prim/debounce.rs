use flitforge_hdl::prim::debounce::{Debounce, MOST_PERIOD};
use flitforge_testkit::{Clocked, StockBlock};

/// Presses counted while the button follows `levels`.
fn presses(bench: &mut StockBlock<Debounce>, levels: impl Iterator<Item = bool>) -> u64 {
    levels
        .map(|level| {
            bench.set("button", u64::from(level));
            bench.clock();
            bench.get("pressed")
        })
        .sum()
}

#[test]
fn periods_that_cannot_work_are_refused() {
    assert!(Debounce::new(1).is_err());
    assert!(Debounce::new(MOST_PERIOD + 1).is_err());
}

#[test]
fn a_bouncing_press_counts_once() {
    let mut bench = StockBlock::new(Debounce::new(10).expect("valid"));
    let bounce = [true, false, false, true, false, true, true, false, true];
    let hold = std::iter::repeat_n(true, 50);
    let release = [false, true, false, true, true, false].into_iter();
    let press = bounce.into_iter().chain(hold).chain(release).chain(std::iter::repeat_n(false, 30));
    let once: Vec<bool> = press.collect();
    assert_eq!(presses(&mut bench, once.iter().copied()), 1);
    assert_eq!(presses(&mut bench, once.iter().copied()), 1);
    assert_eq!(bench.get("level"), 0);
}

#[test]
fn clear_forgets_the_press_and_a_held_button_counts_again() {
    let mut bench = StockBlock::new(Debounce::new(10).expect("valid"));
    assert_eq!(presses(&mut bench, std::iter::repeat_n(true, 30)), 1);
    bench.set("clear", 1);
    assert_eq!(presses(&mut bench, std::iter::repeat_n(true, 30)), 0);
    bench.set("clear", 0);
    assert_eq!(presses(&mut bench, std::iter::repeat_n(true, 30)), 1);
}
