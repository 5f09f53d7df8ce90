use flitforge_elaborate::graph::MemoryStyle;
use flitforge_hdl::config::ConfigError;
use flitforge_hdl::prim::{RamConfig, Rom};
use flitforge_testkit::{Clocked, StockBlock};
use rust_hdl::prelude::*;

fn rom(depth: u32, output_register: bool) -> Result<Rom<Bits<40>, 3>, ConfigError> {
    let initial = vec![Bits::from(11), Bits::from(22), Bits::from(33)];
    Rom::new(RamConfig { depth, style: MemoryStyle::Auto, output_register, initial })
}

#[test]
fn more_contents_than_words_are_refused() {
    assert!(rom(2, false).is_err_and(|error| error.value == "3"));
}

#[test]
fn words_follow_the_address_by_one_clock_under_enable() {
    let mut bench = StockBlock::new(rom(6, false).unwrap());
    bench.set("enable", 1);
    for (address, word) in [(0, 11), (2, 33), (1, 22), (5, 0), (7, 0)] {
        bench.set("address", address);
        bench.clock();
        assert_eq!(bench.get("data"), word, "address {address}");
    }
    bench.set("address", 1).set("enable", 0);
    bench.clock();
    assert_eq!(bench.get("data"), 0, "not enabled");
}

#[test]
fn the_output_register_adds_a_clock_and_holds() {
    let mut bench = StockBlock::new(rom(6, true).unwrap());
    bench.set("enable", 1).set("output_enable", 1).set("address", 1);
    bench.clock();
    assert_eq!(bench.get("data"), 0, "only in the array's register");
    bench.set("address", 2);
    bench.clock();
    assert_eq!(bench.get("data"), 22);
    bench.set("output_enable", 0);
    bench.clock();
    assert_eq!(bench.get("data"), 22, "held");
}
