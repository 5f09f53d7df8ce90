//! Random typed expressions: the emitted text in Icarus against the tests' own evaluator.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support;
use crate::support::build::{assign, bits, design, module};
use crate::support::generate::{self, Generator};
use flitforge_elaborate::graph::*;
use rand_chacha::ChaCha8Rng;

/// A module with some inputs and one output per random expression.
fn random_design(random: &mut ChaCha8Rng, outputs: usize, literals: bool) -> Design {
    let mut module = module("expressions");
    let mut readable = vec![];
    for at in 0..14 {
        let width = if at < 3 { 1 } else { generate::width(random) };
        readable.push((bits(&mut module, &format!("i[{at}]"), width, SignalKind::Input), width));
    }
    for at in 0..if literals { 2 } else { 0 } {
        let width = generate::width(random);
        let kind = SignalKind::Constant(generate::value(random, width));
        readable.push((bits(&mut module, &format!("k[{at}]"), width, kind), width));
    }
    let mut generator = Generator { random, readable, literals };
    for at in 0..outputs {
        let width = generate::width(generator.random);
        let value = generator.expression(width, 1 + at as u32 % 5);
        let target = bits(&mut module, &format!("o[{at}]"), width, SignalKind::Output);
        module.body.push(assign(target, value));
    }
    design(module)
}

#[test]
fn random_expressions_mean_in_verilog_what_the_graph_says() {
    let mut random = support::random("random expressions", 1);
    for round in 0..40 {
        let design = random_design(&mut random, 40, true);
        let (widths, _) = support::port_widths(&design);
        let vectors = generate::vectors(&mut random, &widths, 60);
        let expected = support::oracle::run(&design, &vectors);
        let Some(actual) = support::icarus(&design, &vectors) else { return };
        let top = design.top_module();
        for (at, (expected, actual)) in expected.iter().zip(&actual).enumerate() {
            for (output, (wanted, got)) in expected.iter().zip(actual).enumerate() {
                assert_eq!(
                    got,
                    wanted,
                    "round {round}, vector {at}, output {output}: {:#?}\n{}",
                    top.body[output],
                    flitforge_elaborate::verilog::write(&design, &Default::default())
                );
            }
        }
    }
}

// Without literal operands: a linter folds those, and then finds selects that are constant and bits unused.
#[test]
fn random_expressions_lint_clean() {
    let mut random = support::random("lint of random expressions", 2);
    for _ in 0..4 {
        support::lint(&random_design(&mut random, 40, true), &[]);
    }
}
