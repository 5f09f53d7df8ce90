use flitforge_elaborate::graph::MemoryStyle;
use flitforge_hdl::config::ConfigError;
use flitforge_hdl::prim::{LutRam, Ram, RamConfig};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;
use rust_hdl::prelude::*;

fn config(depth: u32, output_register: bool) -> RamConfig<Bits<70>> {
    RamConfig {
        depth,
        style: MemoryStyle::Auto,
        output_register,
        initial: vec![Bits::from(7), Bits::from(9)],
    }
}

#[test]
fn impossible_memories_are_refused() {
    let refused = |result: Result<Ram<Bits<70>, 4>, ConfigError>, part: &str| {
        let text = result.expect_err("refused").to_string();
        assert!(text.contains(part), "{text}");
    };
    refused(Ram::new(config(17, false)), "depth = 17");
    refused(Ram::new(config(0, false)), "depth = 0");
    refused(Ram::new(config(1, false)), "initial words = 2");
    assert!(LutRam::<Bits<70>, 4>::new(config(16, true)).is_err());
}

#[test]
fn addresses_beyond_the_depth_read_zero_and_write_nothing() {
    let mut bench = StockBlock::new(Ram::<Bits<70>, 4>::new(config(10, false)).unwrap());
    bench.set("write_enable", 1).set("read_enable", 1);
    for address in 0..16 {
        bench.set("write_address", address).set("write_data", 100 + address);
        bench.edge(&["write_clock"]);
    }
    for address in 0..16 {
        bench.set("read_address", address);
        bench.edge(&["read_clock"]);
        let expected = if address < 10 { 100 + address } else { 0 };
        assert_eq!(bench.get("read_data"), expected, "address {address}");
    }
}

/// Random traffic on both ports against a plain array, enables and same-address meetings included.
fn random_traffic(output_register: bool) {
    let mut rng = random();
    let mut bench = StockBlock::new(Ram::<Bits<70>, 3>::new(config(8, output_register)).unwrap());
    let (mut words, mut array, mut data) = ([0u64; 8], 0, 0);
    (words[0], words[1]) = (7, 9);
    for clock in 0..4000 {
        let (write, read, output) = (rng.random_bool(0.5), rng.random_bool(0.7), rng.random_bool(0.7));
        let (to, from, value) = (rng.random_range(0..8), rng.random_range(0..8), rng.random::<u64>());
        bench.set("write_enable", write.into()).set("write_address", to as u64).set("write_data", value);
        bench.set("read_enable", read.into()).set("read_address", from as u64);
        bench.set("output_enable", output.into());
        bench.edge(&["write_clock", "read_clock"]);
        if output_register && output {
            data = array;
        }
        if read {
            array = words[from];
        }
        if !output_register {
            data = array;
        }
        if write {
            words[to] = value;
        }
        assert_eq!(bench.get("read_data"), data, "clock {clock}");
    }
}

#[test]
fn traffic_without_output_register() {
    random_traffic(false);
}

#[test]
fn traffic_with_output_register() {
    random_traffic(true);
}

#[test]
fn the_lut_ram_reads_without_a_clock() {
    let mut bench = StockBlock::new(LutRam::<Bits<70>, 4>::new(config(10, false)).unwrap());
    bench.set("read_address", 1);
    assert_eq!(bench.get("read_data"), 9, "power-on contents");
    bench.set("write_address", 1).set("write_data", 77);
    bench.clock();
    assert_eq!(bench.get("read_data"), 9, "not enabled");
    bench.set("write_enable", 1);
    bench.clock();
    assert_eq!(bench.get("read_data"), 77);
    bench.set("read_address", 12).set("write_address", 12);
    bench.clock();
    assert_eq!(bench.get("read_data"), 0, "beyond the depth");
}
