//! Random programs of assignments, slices, branches and accumulators: the emitted text in Icarus against the
//! tests' own evaluator, which runs them in program order.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support;
use crate::support::build::{assign, bits, clock, constant, design, module};
use crate::support::generate::{self, Generator};
use flitforge_elaborate::graph::*;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Writes random programs that never read before they write and never leave a latch.
struct Program<'g> {
    random: &'g mut ChaCha8Rng,
    settled: Vec<(SignalId, u32)>,
    targets: Vec<(SignalId, u32)>,
    /// Of the targets, those that may be read.
    in_order: BTreeSet<SignalId>,
    literals: bool,
}

impl Program<'_> {
    fn value(&mut self, width: u32, assigned: &BTreeSet<SignalId>, depth: u32) -> Expr {
        let known = |(id, _): &(SignalId, u32)| assigned.contains(id) && self.in_order.contains(id);
        let mut readable: Vec<(SignalId, u32)> = self.targets.iter().copied().filter(known).collect();
        // What was assigned before is read often: that is what the test is about.
        if readable.is_empty() || self.random.random_bool(0.5) {
            readable.extend(self.settled.iter().copied());
        }
        let literals = self.literals;
        Generator { random: self.random, readable, literals }.expression(width, depth)
    }

    fn list(&mut self, assigned: &mut BTreeSet<SignalId>, depth: u32, length: usize) -> Vec<Statement> {
        (0..length).map(|_| self.statement(assigned, depth)).collect()
    }

    fn statement(&mut self, assigned: &mut BTreeSet<SignalId>, depth: u32) -> Statement {
        let choice = if depth == 0 { 0 } else { self.random.random_range(0..8) };
        match choice {
            0..=3 => self.assignment(assigned),
            4..=6 => {
                let condition = self.value(1, assigned, 1);
                let (mut one, mut two) = (assigned.clone(), assigned.clone());
                let length = self.random.random_range(0..5);
                let then = self.list(&mut one, depth - 1, length);
                let length = self.random.random_range(0..4);
                let otherwise = self.list(&mut two, depth - 1, length);
                assigned.extend(one.intersection(&two).copied());
                Statement::If { condition, then, otherwise }
            }
            _ => {
                let width = self.random.random_range(1..=3);
                let selector = self.value(width, assigned, 1);
                let mut after: Option<BTreeSet<SignalId>> = None;
                let mut branch = |this: &mut Self, assigned: &BTreeSet<SignalId>| {
                    let mut own = assigned.clone();
                    let length = this.random.random_range(0..4);
                    let list = this.list(&mut own, depth - 1, length);
                    after = Some(after.take().map_or(own.clone(), |all| &all & &own));
                    list
                };
                let arms = (0..self.random.random_range(1..=(1u64 << width)))
                    .map(|code| (flitforge_elaborate::Value::from_u64(width, code), branch(self, assigned)))
                    .collect();
                let default = branch(self, assigned);
                assigned.extend(after.into_iter().flatten());
                Statement::Case { selector, arms, default }
            }
        }
    }

    fn assignment(&mut self, assigned: &mut BTreeSet<SignalId>) -> Statement {
        let (target, width) = self.targets[self.random.random_range(0..self.targets.len())];
        if assigned.contains(&target) && self.random.random_bool(0.3) {
            let part = self.random.random_range(1..=width);
            let offset = self.random.random_range(0..=width - part);
            return Statement::AssignSlice { target, offset, value: self.value(part, assigned, 1) };
        }
        let statement = assign(target, self.value(width, assigned, 2));
        assigned.insert(target);
        statement
    }
}

fn random_design(random: &mut ChaCha8Rng, literals: bool) -> Design {
    let mut module = module("slices");
    let clock = clock(&mut module, "clock");
    let mut settled = vec![];
    for at in 0..8 {
        let width = if at < 3 { at + 1 } else { generate::width(random).min(70) };
        settled.push((bits(&mut module, &format!("i[{at}]"), width, SignalKind::Input), width));
    }
    let (mut targets, mut in_order) = (vec![], BTreeSet::new());
    for at in 0..8 {
        let width = if at < 2 { 1 } else { generate::width(random).min(70) };
        let (path, kind) = match at % 2 {
            0 => (format!("o[{at}]"), SignalKind::Output),
            _ => (format!("l[{at}]"), SignalKind::Local),
        };
        let id = bits(&mut module, &path, width, kind);
        targets.push((id, width));
        in_order.insert(id);
    }
    for at in 0..3 {
        let width = generate::width(random).min(40);
        let port = |module: &mut Module, name: &str, width, kind| {
            bits(module, &format!("r[{at}].{name}"), width, kind)
        };
        let d = port(&mut module, "d", width, SignalKind::ElementInput);
        let q = port(&mut module, "q", width, SignalKind::ElementOutput);
        let enable = (at > 0).then(|| port(&mut module, "enable", 1, SignalKind::ElementInput));
        let clear = (at > 1).then(|| port(&mut module, "clear", 1, SignalKind::ElementInput));
        settled.push((q, width));
        targets
            .extend([(d, width)].into_iter().chain(enable.map(|id| (id, 1))).chain(clear.map(|id| (id, 1))));
        let initial = generate::value(random, width);
        let path = format!("r[{at}]");
        module.registers.push(Register { path, clock, d, q, enable, clear, initial, attributes: vec![] });
    }
    let length = random.random_range(6..30);
    let mut program = Program { random, settled, targets, in_order, literals };
    let mut assigned = BTreeSet::new();
    let mut body = vec![];
    // Everything gets a default, but some of it late, so that branches before it assign on all paths or not.
    let defaults = program.targets.clone();
    let early = program.random.random_range(0..=defaults.len());
    for (target, width) in &defaults[..early] {
        body.push(assign(*target, constant(*width, 1)));
        assigned.insert(*target);
    }
    for (target, width) in &defaults[early..] {
        let value = program.value(*width, &assigned, 1);
        body.push(assign(*target, value));
        assigned.insert(*target);
    }
    body.extend(program.list(&mut assigned, 3, length));
    let outputs: Vec<(SignalId, u32)> = program.targets.clone();
    module.body = body;
    // Locals show at the end through outputs of their own.
    for (at, (id, width)) in outputs.into_iter().enumerate().filter(|(at, _)| at % 2 == 1 && *at < 8) {
        let out = bits(&mut module, &format!("end[{at}]"), width, SignalKind::Output);
        module.body.push(assign(out, Expr::read(id, width)));
    }
    design(module)
}

#[test]
fn random_programs_mean_in_verilog_what_they_mean_in_order() {
    let mut random = support::random("random programs", 3);
    for round in 0..50 {
        let design = random_design(&mut random, true);
        let (widths, _) = support::port_widths(&design);
        let vectors = generate::vectors(&mut random, &widths, 60);
        let expected = support::oracle::run(&design, &vectors);
        let Some(actual) = support::icarus(&design, &vectors) else { return };
        let at = (0..vectors.len()).find(|at| expected[*at] != actual[*at]);
        if let Some(at) = at {
            let output = (0..expected[at].len()).find(|o| expected[at][*o] != actual[at][*o]).expect("one");
            panic!(
                "round {round}, vector {at}, output {output}: {:x} expected, {:x} found\n{:#?}\n{}",
                expected[at][output],
                actual[at][output],
                design.top_module().body,
                flitforge_elaborate::verilog::write(&design, &Default::default())
            );
        }
    }
}

#[test]
fn random_programs_have_no_loops_and_no_latches() {
    let mut random = support::random("lint of random programs", 4);
    for _ in 0..12 {
        support::lint(&random_design(&mut random, true), &[]);
    }
}

#[test]
fn equal_designs_give_equal_bytes() {
    let text = || {
        let mut random = support::random("bytes", 5);
        let design = random_design(&mut random, true);
        flitforge_elaborate::verilog::write(&design, &Default::default())
    };
    let first = text();
    assert!(first.len() > 1000);
    assert_eq!(first, text());
}
