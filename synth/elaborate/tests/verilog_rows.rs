//! The rows that rust-hdl's own text gets wrong: our text in Icarus against the stock `update_all`.

mod rows;
mod support;

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::{elaborate, Value};
use rows::*;
use rust_hdl::prelude::*;

/// Stock rust-hdl and the emitted text give the same outputs on random inputs; the text lints clean.
fn same<B: DriveBlock>(mut block: B, name: &str) {
    let mut random = support::random(name, 7);
    block.connect_all();
    let design = elaborate(&block, name).expect("elaborates");
    let mut ports = vec![];
    block.list("", &mut ports);
    let (widths, _) = support::port_widths(&design);
    let vectors = support::generate::vectors(&mut random, &widths, 1000);
    let expected: Vec<Vec<Value>> = vectors
        .iter()
        .map(|vector| {
            let inputs = ports.iter().filter(|(_, _, input)| *input);
            for ((path, _, _), value) in inputs.zip(vector) {
                assert!(block.drive(path, value), "{path}");
            }
            while block.has_changed() {
                block.update_all();
            }
            (0..8).for_each(|_| block.update_all());
            let outputs = ports.iter().filter(|(_, _, input)| !input);
            outputs.map(|(path, _, _)| block.sample(path).expect("an output")).collect()
        })
        .collect();
    support::lint(&design, &[]);
    let Some(actual) = support::icarus(&design, &vectors) else { return };
    for (at, (wanted, got)) in expected.iter().zip(&actual).enumerate() {
        assert_eq!(got, wanted, "{name}, vector {at}: {:?}", vectors[at]);
    }
}

#[test]
fn silent_rows() {
    same(SumCompared::default(), "sum_compared");
    same(DifferenceShifted::default(), "difference_shifted");
    same(ComplementCompared::default(), "complement_compared");
    same(AndCompared::default(), "and_compared");
    same(SumWidened::default(), "sum_widened");
}

#[test]
fn rows_that_broke_loudly() {
    same(NestedArrays::default(), "nested_arrays");
    same(KeywordFields::default(), "keyword_fields");
    same(SelectOfExpression::default(), "select_of_expression");
    same(NestedStruct::default(), "nested_struct");
    same(HexadecimalArms::default(), "hexadecimal_arms");
}
