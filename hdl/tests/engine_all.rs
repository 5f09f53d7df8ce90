//! The compiled engine against the evaluator on every block and preset: equal outputs on every clock, whether native
//! code keeps the words it loads or loads them again at every use.

#![allow(clippy::expect_used)] // tests

use flitforge_elaborate::{elaborate, Design};
use flitforge_hdl::registry::{registry, BlockEntry, InterfaceInfo, Settings, COMPOSITES};
use flitforge_sim::compiled::{Compiled, CompiledBench, Options};
use flitforge_sim::equality::{segment, SEGMENT};
use flitforge_sim::kit::{rng, seed};
use flitforge_sim::{GraphBench, Ports};

/// Segments per block and preset: 1 000 clocks, or 100 000 and 1 000 000 on request.
fn segments() -> u64 {
    match std::env::var("FLITFORGE_COSIM").as_deref() {
        Ok("full") => 400,
        Ok("campaign") => 4_000,
        _ => 4,
    }
}

/// Runs one block; the hashes of all outputs must be equal after every segment.
fn equal(name: &str, design: &Design, info: &InterfaceInfo) {
    let ports = Ports::of_design(name, design);
    let streams = info.stream_inputs();
    let mut programs = [0, Options::default().reload].map(|reload| {
        let options = Options { reload, ..Options::default() };
        let program = Compiled::with_options(design, options).expect("compiles");
        assert!(program.notice().is_none(), "{:?}", program.notice());
        (reload, CompiledBench::of_program(ports.clone(), &program).expect("bench"))
    });
    let mut graph = GraphBench::of_design(name, design).expect("bench");
    let mut random = rng(seed(0xe9), name);
    for number in 0..segments() {
        let exercise = segment(&ports, &streams, &mut random).expect("ports");
        let theirs = exercise.clone().run(&mut graph, SEGMENT).expect("runs");
        for (reload, compiled) in &mut programs {
            let ours = compiled.exercise(&mut exercise.clone(), SEGMENT).expect("runs");
            assert_eq!(ours, theirs, "{name}, reload {reload}, clocks from {}", number * SEGMENT);
        }
    }
}

/// Builds one preset and compares it.
fn preset_is_equal(entry: &'static BlockEntry, preset: &str) {
    let settings = Settings::new(entry, Some(preset), &[]).expect("settings");
    let built = (entry.build)(&settings).expect("builds");
    let design = elaborate(built.block.as_ref(), entry.name).expect("elaborates");
    equal(&format!("{}_{preset}", entry.name), &design, &built.interface);
}

#[test]
fn every_block_and_preset_is_equal_to_the_evaluator() {
    for entry in registry() {
        for preset in entry.presets {
            preset_is_equal(entry, preset.name);
        }
    }
}

/// The largest design the benchmark has; it is no block of the registry.
#[test]
fn a_rack_of_links_is_equal_to_the_evaluator() {
    let rack = COMPOSITES.iter().find(|entry| entry.name == "link_rack").expect("listed");
    preset_is_equal(rack, "default");
}
