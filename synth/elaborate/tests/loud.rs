//! The rows where rust-hdl's own text breaks: each computes what Rust computes, or is refused with a reason.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::rows::*;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind, Severity};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::error::Reason;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::{elaborate, verilog, Evaluator};
use rust_hdl::prelude::Block;

fn exact<B: DriveBlock + 'static>(make: impl Fn() -> B) {
    against_stock(make, 10_000, 2).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

fn refused(block: &dyn Block) -> Reason {
    elaborate(block, "top").expect_err("is refused").reason
}

#[test]
fn index_by_generic() {
    let reason = refused(&IndexByGeneric::<3>::default());
    assert!(matches!(&reason, Reason::Index { index, .. } if index == "N-1"), "{reason}");
}

#[test]
fn nested_arrays() {
    exact(NestedArrays::default);
}

#[test]
fn constant_as_value() {
    let reason = refused(&ConstantAsValue::default());
    assert!(matches!(&reason, Reason::ConstantAsValue { name } if name == "OFFSET"), "{reason}");
}

#[test]
fn generic_as_offset() {
    let reason = refused(&GenericAsOffset::<4>::default());
    assert!(matches!(&reason, Reason::ConstantAsValue { name } if name == "N"), "{reason}");
}

#[test]
fn keyword_fields() {
    let design = elaborate(&KeywordFields::default(), "top").expect("elaborates");
    let names: Vec<&str> = design.top_module().signals.iter().map(|signal| signal.name.as_str()).collect();
    assert_eq!(names, ["event_in", "table_in", "packed_out", "logic_signal"]);
    exact(KeywordFields::default);
}

#[test]
fn select_of_expression() {
    exact(SelectOfExpression::default);
}

#[test]
fn nested_struct() {
    exact(NestedStruct::default);
}

#[test]
fn hexadecimal_arms() {
    exact(HexadecimalArms::default);
}

#[test]
fn single_variant() {
    let reason = refused(&SingleVariant::default());
    assert!(matches!(&reason, Reason::ZeroWidth { name } if name == "y"), "{reason}");
}

#[test]
fn hidden_field() {
    let reason = refused(&HiddenField::default());
    assert!(matches!(&reason, Reason::Unresolved { name, .. } if name.contains("_hidden")), "{reason}");
}

#[test]
fn two_wrappers() {
    let design = elaborate(&TwoWrappers::default(), "top").expect("elaborates");
    let text = verilog::write(&design, &verilog::Options::default());
    assert_eq!(text.matches("module CELL_BUF").count(), 1, "{text}");
    assert_eq!(text.matches("CELL_BUF buf_i(.I(i), .O(o));").count(), 1, "{text}");
    assert!(text.contains(" first (") && text.contains(" second ("), "{text}");
}

#[test]
fn drives_child_output() {
    let reason = refused(&DrivesChildOutput::default());
    assert!(matches!(&reason, Reason::NotDrivable { name, .. } if name == "child.y"), "{reason}");
}

#[test]
fn loop_across_hierarchy() {
    let design = elaborate(&LoopAcrossHierarchy::default(), "top").expect("elaborates");
    let problems = structure(&design, &CrossingCatalogue::default());
    let found = problems.iter().find(|problem| problem.kind == Kind::CombinationalLoop).expect("a loop");
    assert_eq!(found.severity, Severity::Error);
    for signal in ["first.a", "first.y", "second.a", "second.y"] {
        assert!(found.reason.contains(signal), "{signal} in {}", found.reason);
    }
    assert!(Evaluator::new(&design).is_err());
}

#[test]
fn a_vector_that_only_looks_like_a_loop() {
    exact(FalseLoop::default);
}
