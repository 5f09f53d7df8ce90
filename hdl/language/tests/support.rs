//! Emitted text, and the simulations against each other.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::{elaborate, selfcheck, verilog};
use flitforge_sim::equality::{compare, EqualityPlan};

/// The seed of all comparisons; each prints it, and `FLITFORGE_SEED` gives another one.
pub fn seed() -> u64 {
    std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(30)
}

/// The block, connected as the library connects it.
pub fn ready<B: DriveBlock>(mut block: B) -> B {
    block.connect_all();
    block
}

/// The Verilog of a block, with the checks of every block.
pub fn verilog_of<B: DriveBlock>(block: B, name: &str) -> String {
    let design = elaborate(&ready(block), name).expect("the block elaborates");
    verilog::write(&design, &Default::default())
}

/// `update()` in rust-hdl's own simulation against the elaborated graph, on random inputs and random sets of clocks.
#[track_caller]
pub fn same_in_both<B: DriveBlock + 'static>(name: &str, make: impl Fn() -> B, cycles: u64) {
    println!("{name}: FLITFORGE_SEED={}", seed());
    if let Err(difference) = selfcheck::against_stock(|| ready(make()), cycles, seed()) {
        panic!("{name}: {difference}");
    }
}

/// As [`same_in_both`], and the compiled engine and, where it is installed, Verilator on the emitted text.
#[track_caller]
pub fn same_everywhere<B: DriveBlock + 'static>(name: &str, make: impl Fn() -> B, cycles: u64) {
    same_in_both(name, &make, cycles);
    let mut ports = vec![];
    make().list("", &mut ports);
    let design = elaborate(&ready(make()), "top").expect("the block elaborates");
    let clock = |path: &String| {
        let port = design.top_module().ports().find(|(_, port)| port.path == *path);
        port.is_some_and(|(_, port)| port.shape == flitforge_elaborate::graph::Shape::Clock)
    };
    let streams = ports.into_iter().filter(|(path, _, input)| *input && !clock(path)).map(|(path, ..)| path);
    let plan = EqualityPlan {
        name: "top".into(),
        make_block: &|| Ok(Box::new(ready(make()))),
        streams: streams.collect(),
        clocks: cycles,
        seed: seed(),
    };
    if let Err(difference) = compare(&plan, &mut |_| {}) {
        panic!("{name}: {difference}");
    }
}
