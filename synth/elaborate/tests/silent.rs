//! The rows where rust-hdl's own text silently differs: each computes what Rust computes, or is refused.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::rows::*;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::selfcheck::{against_stock, Mismatch};
use flitforge_elaborate::{elaborate, Evaluator, Value};

const VECTORS: u64 = 10_000;

fn exact<B: DriveBlock + 'static>(make: impl Fn() -> B) {
    against_stock(make, VECTORS, 1).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

/// The value of `y` for these inputs.
fn y(block: &dyn rust_hdl::prelude::Block, inputs: &[(&str, u64)]) -> u64 {
    let mut evaluator = Evaluator::new(&elaborate(block, "top").expect("elaborates")).expect("evaluates");
    for (path, value) in inputs {
        let handle = evaluator.handle(path).expect("an input");
        assert!(evaluator.set_u64(handle, *value));
    }
    evaluator.get("y").expect("an output").low_u64()
}

#[test]
fn sum_compared() {
    assert_eq!(y(&SumCompared::default(), &[("a", 15), ("b", 0)]), 1);
    exact(SumCompared::default);
}

#[test]
fn difference_shifted() {
    assert_eq!(y(&DifferenceShifted::default(), &[("a", 0)]), 7);
    exact(DifferenceShifted::default);
}

#[test]
fn complement_compared() {
    assert_eq!(y(&ComplementCompared::default(), &[("a", 15)]), 1);
    exact(ComplementCompared::default);
}

#[test]
fn and_compared() {
    assert_eq!(y(&AndCompared::default(), &[("a", 12), ("b", 6), ("c", 4)]), 1);
    exact(AndCompared::default);
}

#[test]
fn sum_widened() {
    assert_eq!(y(&SumWidened::default(), &[("a", 255)]), 254);
    exact(SumWidened::default);
}

#[test]
fn select_beyond_end() {
    let design = elaborate(&SelectBeyondEnd::default(), "top").expect("elaborates");
    let mut evaluator = Evaluator::new(&design).expect("evaluates");
    assert!(evaluator.set("a", &Value::ones(132)));
    assert!(evaluator.set("index", &Value::from_u64(7, 124)));
    assert_eq!(evaluator.get("y"), Some(Value::from_u64(12, 15)), "zero beyond the end");
    exact(SelectBeyondEnd::default);
}

/// The syntax tree does not contain the function, so the walker can only warn; the comparison finds it, and
/// the source lint refuses it (see `lint.rs`).
#[test]
fn reversed_by_function() {
    use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind};
    let design = elaborate(&ReversedByFunction::default(), "top").expect("elaborates");
    let problems = structure(&design, &CrossingCatalogue::default());
    let casts = problems.iter().filter(|problem| problem.kind == Kind::CastToOwnWidth).count();
    assert_eq!(casts, 1, "{problems:?}");
    let found = against_stock(ReversedByFunction::default, VECTORS, 1);
    assert!(matches!(found, Err(Mismatch::Output { .. })), "{found:?}");
}

/// As above: `.index()` is not in the syntax tree.
#[test]
fn index_arithmetic() {
    let found = against_stock(IndexArithmetic::default, VECTORS, 1);
    assert!(matches!(found, Err(Mismatch::Output { .. })), "{found:?}");
}
