//! Statements of rust-hdl's syntax tree as statements of the module: loops unrolled, links turned into
//! assignments, matches into cases.

use super::literal::{literal_number, rust_number};
use super::names::{Bits, Entry, Names};
use super::typing::spell;
use crate::error::Reason;
use crate::flat::template::collect_targets;
use crate::graph::{Expr, ExprKind, Shape, SignalId, SignalKind, Statement};
use crate::value::Value;
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogCase, VerilogConditional,
    VerilogExpression as Ast, VerilogLink, VerilogLinkDetails, VerilogLoop, VerilogMatch, VerilogStatement,
};
use std::collections::BTreeSet;

/// Lowers the text of one block.
pub(crate) struct BodyLowering<'a> {
    pub names: &'a mut Names,
    /// Bidirectional child ports and the own port each is linked to.
    pub inout_links: Vec<(String, SignalId)>,
    depth: u32,
}

type Lowered = Result<Vec<Statement>, Reason>;

impl<'a> BodyLowering<'a> {
    pub fn new(names: &'a mut Names) -> Self {
        Self { names, inout_links: vec![], depth: 0 }
    }

    /// Lowers a whole body.
    pub fn body(&mut self, block: &VerilogBlock) -> Lowered {
        let mut out = vec![];
        for statement in block {
            self.statement(statement, &mut out)?;
        }
        Ok(out)
    }

    /// Lowers a block that runs only under a condition.
    fn branch(&mut self, block: &VerilogBlock) -> Lowered {
        self.depth += 1;
        let out = self.body(block);
        self.depth -= 1;
        out
    }

    fn statement(&mut self, statement: &VerilogStatement, out: &mut Vec<Statement>) -> Result<(), Reason> {
        match statement {
            VerilogStatement::Assignment(Ast::Signal(target), value) => self.assign(target, value, out),
            VerilogStatement::SliceAssignment { base: Ast::Signal(target), width, offset, replacement } => {
                let offset = self.names.fold(offset).and_then(|offset| u32::try_from(offset).ok());
                let offset = offset.ok_or_else(|| Reason::UndecidedWidth { at: target.clone() })?;
                let bits = self.target(target)?;
                let bits = Bits { offset: bits.offset + offset, width: *width as u32, ..bits };
                let value = self.names.lower(replacement, bits.width)?;
                out.push(self.assignment(bits, value));
                Ok(())
            }
            VerilogStatement::If(conditional) => self.conditional(conditional, out),
            VerilogStatement::Match(matching) => self.matching(matching, out),
            VerilogStatement::Loop(repeat) => self.unroll(repeat, out),
            VerilogStatement::Macro(block) => {
                out.extend(self.body(block)?);
                Ok(())
            }
            VerilogStatement::Link(links) => links.iter().try_for_each(|link| self.link(link, out)),
            VerilogStatement::Comment(_) => Ok(()),
            VerilogStatement::Assignment(target, _)
            | VerilogStatement::SliceAssignment { base: target, .. } => Err(Reason::Unsupported {
                what: format!("assignment to `{}`", spell(target)),
                hint: "assign to `self.signal.next`".into(),
            }),
        }
    }

    fn assign(&mut self, target: &str, value: &Ast, out: &mut Vec<Statement>) -> Result<(), Reason> {
        let path = self.names.reference(target)?.path;
        if matches!(self.names.entries.get(&path), Some(Entry::ClockSink)) {
            return self.assign_clock(path, value);
        }
        let bits = self.target(target)?;
        let value = self.names.lower(value, bits.width)?;
        out.push(self.assignment(bits, value));
        Ok(())
    }

    fn assign_clock(&mut self, path: String, value: &Ast) -> Result<(), Reason> {
        let derived = || Reason::DerivedClock { element: path.clone(), from: spell(value) };
        if self.depth > 0 {
            return Err(derived());
        }
        if let Ast::Signal(name) = value {
            let from = self.names.reference(name)?.path;
            if let Some(clock) = self.names.clocks.get(&from).copied() {
                self.names.clocks.insert(path, clock);
                return Ok(());
            }
        }
        match self.names.lower(value, 1)?.kind {
            ExprKind::Read(clock) => {
                self.names.clocks.insert(path, clock);
                Ok(())
            }
            _ => Err(derived()),
        }
    }

    fn assignment(&self, bits: Bits, value: Expr) -> Statement {
        if bits.width == self.names.signal(bits.signal).width {
            return Statement::Assign { target: bits.signal, value };
        }
        Statement::AssignSlice { target: bits.signal, offset: bits.offset, value }
    }

    /// The bits an assignment drives.
    fn target(&mut self, name: &str) -> Result<Bits, Reason> {
        let bits = self.names.bits(name)?;
        let signal = self.names.signal(bits.signal);
        let what = match signal.kind {
            SignalKind::Input => "an input of this block",
            SignalKind::InstanceOutput | SignalKind::ElementOutput => "an output of a child",
            SignalKind::InOut => "a bidirectional port",
            SignalKind::Constant(_) => "a constant",
            _ => return Ok(bits),
        };
        Err(Reason::NotDrivable { name: signal.path.clone(), what })
    }

    fn conditional(&mut self, part: &VerilogConditional, out: &mut Vec<Statement>) -> Result<(), Reason> {
        let condition = self.names.lower(&part.test, 1)?;
        if let ExprKind::Const(value) = &condition.kind {
            return self.decided(part, value.bit(0), out);
        }
        let then = self.branch(&part.then)?;
        let mut otherwise = vec![];
        match &part.otherwise {
            Otherwise::Block(block) => otherwise = self.branch(block)?,
            Otherwise::Conditional(next) => {
                self.depth += 1;
                let result = self.statement(next, &mut otherwise);
                self.depth -= 1;
                result?;
            }
            Otherwise::None => {}
        }
        out.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// A condition on loop variables only: the branch not taken does not exist.
    fn decided(
        &mut self,
        part: &VerilogConditional,
        taken: bool,
        out: &mut Vec<Statement>,
    ) -> Result<(), Reason> {
        match &part.otherwise {
            _ if taken => out.extend(self.body(&part.then)?),
            Otherwise::Block(block) => out.extend(self.body(block)?),
            Otherwise::Conditional(next) => self.statement(next, out)?,
            Otherwise::None => {}
        }
        Ok(())
    }

    fn matching(&mut self, part: &VerilogMatch, out: &mut Vec<Statement>) -> Result<(), Reason> {
        let selector = self.selector(part)?;
        let mut arms: Vec<(Value, Vec<Statement>)> = vec![];
        let mut default = None;
        let mut listed = None;
        for case in &part.cases {
            if default.is_some() {
                break;
            }
            if case.condition == "default" {
                default = Some(self.branch(&case.block)?);
                continue;
            }
            listed = listed.or_else(|| self.names.variant_count(&case.condition));
            let value = self.pattern(case, selector.width)?;
            // Rust takes the first of two equal arms
            if arms.iter().all(|(known, _)| *known != value) {
                arms.push((value, self.branch(&case.block)?));
            }
        }
        let values = listed.or_else(|| 1usize.checked_shl(selector.width)).unwrap_or(usize::MAX);
        let default = match default {
            Some(default) if arms.len() >= values => never_taken(default, &mut arms),
            Some(default) => default,
            // a Rust match is exhaustive: without `_` the last arm is what remains
            None => arms.pop().map(|(_, block)| block).unwrap_or_default(),
        };
        if arms.is_empty() {
            out.extend(default);
        } else {
            out.push(Statement::Case { selector, arms, default });
        }
        Ok(())
    }

    fn selector(&mut self, part: &VerilogMatch) -> Result<Expr, Reason> {
        let integers = part.cases.iter().any(|case| rust_number(&case.condition).is_some());
        if !integers {
            return self.names.lower_any(&part.test, None);
        }
        // integer patterns only exist behind `.index()`, so an operator here may be done in `usize` or not
        if matches!(part.test, Ast::Binary(..) | Ast::Unary(..)) {
            return Err(Reason::AmbiguousIndexArithmetic { at: spell(&part.test) });
        }
        self.names.lower_index(&part.test)
    }

    fn pattern(&self, case: &VerilogCase, width: u32) -> Result<Value, Reason> {
        let pattern = case.condition.as_str();
        let wrong = |why: &str| Reason::Pattern { pattern: pattern.replace('$', "::"), why: why.into() };
        if let Some(full) = self.names.named_with_enum(pattern) {
            return Err(Reason::VariantWithoutEnum { name: pattern.into(), full });
        }
        if let Some(variant) = self.names.variant(pattern) {
            let (variant_width, value) = variant?;
            if variant_width != width {
                return Err(wrong("its type is not the one matched on"));
            }
            return Ok(Value::from_u64(width, value));
        }
        let number = match pattern {
            "false" => Some(0),
            "true" => Some(1),
            _ => rust_number(pattern),
        };
        let Some(number) = number.and_then(|number| u64::try_from(number).ok()) else {
            return Err(wrong(
                "only enum paths (`State::Idle`), integers, `true`, `false` and `_` can be told apart; \
                 a binding and a named constant look alike to rust-hdl",
            ));
        };
        if width < 64 && number >> width != 0 {
            return Err(wrong(&format!("does not fit the {width} bits matched on")));
        }
        Ok(Value::from_u64(width, number))
    }

    fn unroll(&mut self, repeat: &VerilogLoop, out: &mut Vec<Statement>) -> Result<(), Reason> {
        if self.names.entries.keys().any(|path| path.split(['.', '[']).next() == Some(&repeat.index)) {
            return Err(Reason::LoopVariableShadowsField { name: repeat.index.clone() });
        }
        let (from, to) = (literal_number(&repeat.from), literal_number(&repeat.to));
        for value in from.unwrap_or(0)..to.unwrap_or(0) {
            self.names.loops.push((repeat.index.clone(), value));
            let body = self.body(&repeat.block);
            self.names.loops.pop();
            out.extend(body?);
        }
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink, out: &mut Vec<Statement>) -> Result<(), Reason> {
        let ends = |details: &VerilogLinkDetails| {
            let inner = details.my_name.trim_start_matches('.').replace('.', "$");
            let join = |base: &str| match inner.as_str() {
                "" => base.to_string(),
                inner => format!("{base}${inner}"),
            };
            (join(&details.owner_name), join(&details.other_name))
        };
        match link {
            VerilogLink::Forward(details) => {
                let (owner, other) = ends(details);
                self.assign(&other, &Ast::Signal(owner), out)
            }
            VerilogLink::Backward(details) => {
                let (owner, other) = ends(details);
                self.assign(&owner, &Ast::Signal(other), out)
            }
            VerilogLink::Bidirectional(details) => {
                let (owner, other) = ends(details);
                self.link_inout(&owner, &other)
            }
        }
    }

    fn link_inout(&mut self, owner: &str, other: &str) -> Result<(), Reason> {
        let owner = self.names.reference(owner)?.path;
        let other = self.names.reference(other)?.path;
        let own = |names: &Names, path: &str| match names.entries.get(path) {
            Some(Entry::Signal(id)) if names.signal(*id).kind == SignalKind::InOut => Some(*id),
            _ => None,
        };
        let open = |names: &Names, path: &str| matches!(names.entries.get(path), Some(Entry::OpenInOut));
        for (near, far) in [(&owner, &other), (&other, &owner)] {
            if let (Some(id), true) = (own(self.names, near), open(self.names, far)) {
                self.inout_links.push((far.clone(), id));
                return Ok(());
            }
        }
        Err(Reason::InOutNotLinked { name: other })
    }
}

/// The rest of a case whose arms take every value there is, from the block of `_`, which Rust never runs. What that block
/// leaves unassigned must not become a latch, so the last arm comes before it.
fn never_taken(default: Vec<Statement>, arms: &mut Vec<(Value, Vec<Statement>)>) -> Vec<Statement> {
    let mut wanted = BTreeSet::new();
    arms.iter().for_each(|(_, block)| collect_targets(block, &mut wanted));
    let given = assigned(&default);
    if wanted.iter().all(|target| given.contains(target)) {
        return default;
    }
    if default.is_empty() {
        return arms.pop().map(|(_, block)| block).unwrap_or_default();
    }
    let last = arms.last().map(|(_, block)| block.clone()).unwrap_or_default();
    last.into_iter().chain(default).collect()
}

/// The signals that are assigned as a whole on every path.
fn assigned(body: &[Statement]) -> BTreeSet<SignalId> {
    let mut out = BTreeSet::new();
    for statement in body {
        match statement {
            Statement::Assign { target, .. } => {
                out.insert(*target);
            }
            Statement::AssignSlice { .. } => {}
            Statement::If { then, otherwise, .. } => {
                let other = assigned(otherwise);
                out.extend(assigned(then).into_iter().filter(|target| other.contains(target)));
            }
            Statement::Case { arms, default, .. } => {
                let every: Vec<_> = arms.iter().map(|(_, body)| assigned(body)).collect();
                let shared = |target: &SignalId| every.iter().all(|arm| arm.contains(target));
                out.extend(assigned(default).into_iter().filter(shared));
            }
        }
    }
    out
}

/// The source of every unconditional copy of one clock to another.
pub(crate) fn clock_copies(names: &Names, body: &[Statement]) -> Vec<(SignalId, SignalId)> {
    let is_clock = |id: SignalId| names.signal(id).shape == Shape::Clock;
    body.iter()
        .filter_map(|statement| match statement {
            Statement::Assign { target, value: Expr { kind: ExprKind::Read(source), .. } }
                if is_clock(*target) && is_clock(*source) =>
            {
                Some((*target, *source))
            }
            _ => None,
        })
        .collect()
}
