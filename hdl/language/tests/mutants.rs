//! Evidence that the comparisons see a wrong description: every case is described wrongly in every place, and simulated.

use crate::cases;
use crate::support::{ready, seed};
use flitforge_elaborate::drive::{Drive, DriveBlock};
use flitforge_elaborate::{selfcheck, Value};
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogConditional, VerilogExpression as Ast,
    VerilogOp as Op, VerilogOpUnary as Unary, VerilogStatement as Statement,
};
use rust_hdl::prelude::{Atom, Block, Logic, Probe, Verilog};

/// Changes the place number `at` of a description; each place that can be changed takes one from it.
struct Mutator {
    at: usize,
    done: Option<&'static str>,
}

impl Mutator {
    fn here(&mut self, what: &'static str) -> bool {
        let here = self.done.is_none() && self.at == 0;
        if here {
            self.done = Some(what);
        }
        self.at = self.at.wrapping_sub(1);
        here
    }

    fn block(&mut self, block: &mut VerilogBlock) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Assignment(_, value) | Statement::SliceAssignment { replacement: value, .. } => {
                self.expression(value);
                if self.here("an assignment left out") {
                    *statement = Statement::Comment(String::new());
                }
            }
            Statement::If(conditional) => self.conditional(conditional),
            Statement::Match(choice) => {
                self.expression(&mut choice.test);
                for case in &mut choice.cases {
                    self.block(&mut case.block);
                }
                if choice.cases.len() > 1 && self.here("two arms exchanged") {
                    let (first, rest) = choice.cases.split_at_mut(1);
                    std::mem::swap(&mut first[0].block, &mut rest[0].block);
                }
            }
            Statement::Loop(repeat) => self.block(&mut repeat.block),
            Statement::Link(links) => {
                if self.here("a link left out") {
                    links.clear();
                }
            }
            Statement::Macro(block) => self.block(block),
            Statement::Comment(_) => {}
        }
    }

    fn conditional(&mut self, conditional: &mut VerilogConditional) {
        self.expression(&mut conditional.test);
        self.block(&mut conditional.then);
        match &mut conditional.otherwise {
            Otherwise::Block(block) => self.block(block),
            Otherwise::Conditional(next) => self.statement(next),
            Otherwise::None => {}
        }
        if self.here("a condition turned") {
            let test = std::mem::replace(&mut conditional.test, Ast::Literal(false.into()));
            conditional.test = Ast::Unary(Unary::Not, Box::new(Ast::Paren(Box::new(test))));
        }
    }

    fn expression(&mut self, expression: &mut Ast) {
        match expression {
            Ast::Binary(left, operator, right) => {
                self.expression(left);
                self.expression(right);
                if let Some(other) = other(operator).filter(|_| self.here("another operator")) {
                    *operator = other;
                }
            }
            Ast::Unary(operator, inner) => {
                self.expression(inner);
                if matches!(operator, Unary::Not) && self.here("a `!` left out") {
                    *expression = std::mem::replace(inner, Ast::Literal(false.into()));
                }
            }
            Ast::Index(value, place) => {
                self.expression(value);
                if matches!(**place, Ast::Literal(_)) && self.here("another bit") {
                    **place = Ast::Binary(place.clone(), Op::BitXor, Box::new(Ast::Literal(1i32.into())));
                }
            }
            Ast::Slice(value, _, first) => {
                self.expression(value);
                if self.here("other bits") {
                    **first = Ast::Binary(first.clone(), Op::BitXor, Box::new(Ast::Literal(1i32.into())));
                }
            }
            Ast::IndexReplace(value, _, bit) => {
                self.expression(value);
                self.expression(bit);
                if self.here("nothing replaced") {
                    *expression = std::mem::replace(value, Ast::Literal(false.into()));
                }
            }
            Ast::Cast(inner, _) | Ast::Paren(inner) | Ast::Signed(inner) | Ast::Unsigned(inner) => {
                self.expression(inner);
            }
            Ast::Signal(_) | Ast::Literal(_) => {}
        }
    }
}

fn other(operator: &Op) -> Option<Op> {
    Some(match operator {
        Op::Add => Op::Sub,
        Op::Sub => Op::Add,
        Op::BitAnd => Op::BitOr,
        Op::BitOr => Op::BitAnd,
        Op::BitXor => Op::BitOr,
        Op::Eq => Op::Ne,
        Op::Ne => Op::Eq,
        Op::Lt => Op::Ge,
        Op::Gt => Op::Le,
        Op::Le => Op::Gt,
        Op::Ge => Op::Lt,
        Op::Shl => Op::Shr,
        Op::Shr => Op::Shl,
        _ => return None,
    })
}

/// A block whose description is changed; what it does is not.
struct Mutant<B> {
    block: B,
    at: usize,
}

impl<B: Logic> Mutant<B> {
    fn mutated(&self) -> (Verilog, Option<&'static str>) {
        let mut mutator = Mutator { at: self.at, done: None };
        let mut verilog = self.block.hdl();
        if let Verilog::Combinatorial(block) = &mut verilog {
            mutator.block(block);
        }
        (verilog, mutator.done)
    }
}

impl<B: Logic> Logic for Mutant<B> {
    fn update(&mut self) {
        self.block.update();
    }
    fn connect(&mut self) {
        self.block.connect();
    }
    fn hdl(&self) -> Verilog {
        self.mutated().0
    }
}

impl<B: Block> Block for Mutant<B> {
    fn connect_all(&mut self) {
        self.block.connect_all();
    }
    fn update_all(&mut self) {
        self.block.update_all();
    }
    fn has_changed(&self) -> bool {
        self.block.has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.block.accept(name, &mut Replace { top: Some(self), probe });
    }
}

impl<B: Drive> Drive for Mutant<B> {
    fn drive(&mut self, path: &str, value: &Value) -> bool {
        self.block.drive(path, value)
    }
    fn sample(&self, path: &str) -> Option<Value> {
        self.block.sample(path)
    }
    fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
        self.block.list(prefix, into);
    }
}

/// Shows a probe the mutant in the place of its block.
struct Replace<'a> {
    top: Option<&'a dyn Block>,
    probe: &'a mut dyn Probe,
}

impl Probe for Replace<'_> {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let node = self.top.take().unwrap_or(node);
        self.probe.visit_start_scope(name, node);
    }
    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.probe.visit_start_namespace(name, node);
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        self.probe.visit_atom(name, signal);
    }
    fn visit_end_namespace(&mut self, name: &str, node: &dyn Block) {
        self.probe.visit_end_namespace(name, node);
    }
    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        self.probe.visit_end_scope(name, node);
    }
}

/// How many mutants of a block there are, and those that no comparison sees.
fn survivors<B: DriveBlock + 'static>(name: &str, make: impl Fn() -> B) -> (usize, Vec<String>) {
    let (mut count, mut alive) = (0, vec![]);
    loop {
        let mutant = || Mutant { block: ready(make()), at: count };
        let Some(what) = mutant().mutated().1 else { return (count, alive) };
        if selfcheck::against_stock(mutant, 500, seed()).is_ok() {
            alive.push(format!("{name}: {what}, place {count}"));
        }
        count += 1;
    }
}

#[test]
fn wrong_descriptions_are_seen() {
    let (mut count, mut alive) = (0, vec![]);
    for (these, others) in cases::each(&mut Survivors) {
        count += these;
        alive.extend(others);
    }
    println!("{count} wrong descriptions, {} not seen:\n{}", alive.len(), alive.join("\n"));
    assert!(count > 150, "{count} wrong descriptions");
    // Where two descriptions mean the same: a bit of a number that is always 0, a default that is always overridden.
    assert!(alive.len() * 20 < count, "{} of {count}", alive.len());
}

/// Counts the survivors of each case.
struct Survivors;

impl cases::Each for Survivors {
    type Result = (usize, Vec<String>);
    fn case<B: DriveBlock + 'static>(&mut self, name: &str, make: &dyn Fn() -> B) -> Self::Result {
        survivors(name, make)
    }
}
