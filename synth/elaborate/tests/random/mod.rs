//! Random blocks of the subset, written as Rust source from a seed, since only source goes through `#[hdl_gen]`: rust-hdl's own
//! simulation, the evaluator and the emitted Verilog in Icarus must agree on each.
//!
//! The blocks are committed in `corpus`. After a change of the generator, and to try another seed:
//!
//! ```text
//! FLITFORGE_CORPUS=1 cargo test -p flitforge-elaborate random::   # writes the blocks of seed 1
//! cargo test -p flitforge-elaborate random::                      # compiles and compares them
//! ```
//!
//! Should the blocks of a seed not compile, `git checkout` brings back the committed ones, and with them the generator.
#![allow(clippy::expect_used)] // helpers of tests may panic

mod block;
mod corpus;
mod expression;
mod statement;

use crate::support;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::graph::{Design, Shape, SignalKind};
use flitforge_elaborate::selfcheck::{against_stock_boxed_with, Stimulus};
use flitforge_elaborate::{elaborate, Value};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};

/// What blocks hold, the number of files of them, and of blocks in each.
const FILES: [(&str, usize, usize); 2] = [("expressions", 9, 4), ("machines", 6, 5)];
/// Clocks of the self-check of each block, and vectors in Icarus.
const CYCLES: u64 = 400;
const VECTORS: usize = 120;

/// A block of the corpus.
type Block = (&'static str, fn() -> Box<dyn DriveBlock>);

/// The text of one file: its blocks, and their list.
fn file(seed: u64, number: usize, kind: &str, count: usize) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1000) + number as u64);
    let mut blocks = String::new();
    let mut list = String::new();
    for at in 0..count {
        let name = format!("{}{}", kind[..1].to_uppercase(), number * count + at);
        blocks += &match kind {
            "expressions" => block::expressions(&mut random, &name),
            _ => block::machine(&mut random, &name),
        };
        list += &format!("    (\"{}\", || Box::new({name}::default())),\n", name.to_lowercase());
    }
    format!(
        "// Written by `random::file` from seed {seed}; see `random/mod.rs` for how.\n\n\
         use flitforge_elaborate::drive_ports;\nuse rust_hdl::prelude::*;\n\n\
         {blocks}pub const BLOCKS: &[super::super::Block] = &[\n{list}];\n"
    )
}

/// Every file of the corpus with its text.
fn corpus_of(seed: u64) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/random/corpus");
    let mut files = vec![];
    for (kind, numbers, count) in FILES {
        for number in 0..numbers {
            files.push((folder.join(format!("{kind}_{number}.rs")), file(seed, number, kind, count)));
        }
    }
    files
}

#[test]
fn the_corpus_is_that_of_its_seed() {
    let wanted = std::env::var("FLITFORGE_CORPUS").ok();
    let write = wanted.is_some();
    let seed = match wanted {
        Some(text) => text.parse().expect("FLITFORGE_CORPUS is a number, the seed"),
        None => corpus::SEED,
    };
    println!("FLITFORGE_CORPUS={seed}");
    for (path, text) in corpus_of(seed) {
        if write {
            std::fs::write(&path, &text).expect("written");
        } else {
            let found = std::fs::read_to_string(&path).expect("a file of the corpus");
            assert!(found == text, "{} is not what seed {seed} gives; see `random/mod.rs`", path.display());
        }
    }
    if write {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/random/corpus/seed.rs");
        std::fs::write(path, format!("// The seed of the corpus.\n{seed}\n")).expect("written");
    }
}

/// The signed inputs and their widths: rust-hdl cannot cast the most negative number, so they never have it.
fn signed_inputs(design: &Design) -> Vec<(usize, String, u32)> {
    let top = design.top_module();
    let inputs = top.ports().filter(|(_, port)| port.kind == SignalKind::Input && port.shape != Shape::Clock);
    let numbered = inputs.enumerate().filter(|(_, (_, port))| port.shape == Shape::Signed);
    numbered.map(|(at, (_, port))| (at, port.path.clone(), port.width)).collect()
}

fn least(width: u32) -> Value {
    let mut value = Value::zero(width);
    value.set_bit(width - 1, true);
    value
}

/// Stock rust-hdl, evaluator and Verilog agree on the block; returns how often its outputs changed.
fn agrees((name, make): &Block) -> Result<usize, String> {
    let design = elaborate(make().as_ref(), name).map_err(|error| error.to_string())?;
    let found = structure(&design, &CrossingCatalogue::default());
    if let Some(error) = found.iter().find(|problem| problem.severity == Severity::Error) {
        return Err(format!("{name}: {error}"));
    }
    let signed = signed_inputs(&design);
    let mut stimulus = Stimulus::default();
    for (_, path, width) in &signed {
        let most = (1i64 << (width - 1)) - 1;
        stimulus = stimulus.signed_range(path, -most..=most);
    }
    against_stock_boxed_with(make, CYCLES, corpus::SEED, stimulus)
        .map_err(|mismatch| format!("{name}: {mismatch}"))?;
    let adjust = move |vector: &mut Vec<Value>| {
        for (at, _, width) in &signed {
            if vector[*at] == least(*width) {
                vector[*at] = Value::zero(*width);
            }
        }
    };
    Ok(support::stock::same_boxed(make(), name, VECTORS, &adjust).1)
}

fn all_agree(files: &[&[Block]], least_blocks: usize) {
    let blocks: Vec<&Block> = files.iter().flat_map(|file| file.iter()).collect();
    assert!(blocks.len() >= least_blocks, "only {} blocks", blocks.len());
    println!("FLITFORGE_CORPUS={}: {} blocks", corpus::SEED, blocks.len());
    let found: Vec<Result<usize, String>> = blocks.iter().map(|block| agrees(block)).collect();
    let faults: Vec<&String> = found.iter().filter_map(|found| found.as_ref().err()).collect();
    assert!(faults.is_empty(), "corpus of seed {}: {} faults\n{faults:#?}", corpus::SEED, faults.len());
    let idle = found.iter().flatten().filter(|changes| **changes < VECTORS / 4).count();
    assert!(idle * 5 < blocks.len(), "{idle} of {} blocks hardly do anything", blocks.len());
}

#[test]
fn random_expressions_agree() {
    all_agree(corpus::EXPRESSIONS, 200 / block::OUTPUTS + 1);
}

#[test]
fn random_machines_agree() {
    all_agree(corpus::MACHINES, 30);
}
