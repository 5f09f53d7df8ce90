//! Statements of a slice: resolving their reads, and what can be left out of them.

use super::expression::visit_reads;
use crate::graph::{CompareOp, Expr, ExprKind, SignalId, Statement};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What a name in a slice stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sliced {
    /// The slice's target.
    Target,
    /// The slice's private copy of a signal.
    Copy(SignalId),
    /// Something driven elsewhere.
    Outer(SignalId),
}

/// An expression with the meaning of its reads.
pub struct SlicedExpr(pub Expr, pub BTreeMap<SignalId, Sliced>);

/// A statement whose names are still to be resolved; [`Statement`]'s two assignments are one here.
pub enum SlicedStatement {
    /// Assignment, to a slice if there is an offset.
    Assign {
        /// Driven variable.
        target: Sliced,
        /// Lowest bit.
        offset: Option<u32>,
        /// New value.
        value: SlicedExpr,
    },
    /// See [`Statement::If`].
    If {
        /// Condition.
        condition: SlicedExpr,
        /// Taken when 1.
        then: Vec<SlicedStatement>,
        /// Taken when 0.
        otherwise: Vec<SlicedStatement>,
    },
    /// See [`Statement::Case`].
    Case {
        /// Selector.
        selector: SlicedExpr,
        /// Arms.
        arms: Vec<(Value, Vec<SlicedStatement>)>,
        /// Taken when no arm matches.
        default: Vec<SlicedStatement>,
    },
}

impl SlicedExpr {
    fn resolve(self, own: &dyn Fn(Sliced) -> SignalId) -> Expr {
        let Self(expr, reads) = self;
        renamed(&expr, &|id| reads.get(&id).map_or(id, |sliced| own(*sliced)))
    }
}

impl SlicedStatement {
    /// The statement on identifiers.
    pub fn resolve(self, own: &dyn Fn(Sliced) -> SignalId) -> Statement {
        let all = |list: Vec<Self>| list.into_iter().map(|inner| inner.resolve(own)).collect();
        match self {
            Self::Assign { target, offset: None, value } => {
                Statement::Assign { target: own(target), value: value.resolve(own) }
            }
            Self::Assign { target, offset: Some(offset), value } => {
                Statement::AssignSlice { target: own(target), offset, value: value.resolve(own) }
            }
            Self::If { condition, then, otherwise } => Statement::If {
                condition: condition.resolve(own),
                then: all(then),
                otherwise: all(otherwise),
            },
            Self::Case { selector, arms, default } => Statement::Case {
                selector: selector.resolve(own),
                arms: arms.into_iter().map(|(value, list)| (value, all(list))).collect(),
                default: all(default),
            },
        }
    }
}

/// `expr` with other names.
fn renamed(expr: &Expr, name: &dyn Fn(SignalId) -> SignalId) -> Expr {
    let go = |inner: &Expr| Box::new(renamed(inner, name));
    let kind = match &expr.kind {
        ExprKind::Const(value) => ExprKind::Const(value.clone()),
        ExprKind::Read(id) => ExprKind::Read(name(*id)),
        ExprKind::Not(a) => ExprKind::Not(go(a)),
        ExprKind::Negate(a) => ExprKind::Negate(go(a)),
        ExprKind::Reduce(op, a) => ExprKind::Reduce(*op, go(a)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, go(a), go(b)),
        ExprKind::Compare { op, signed, left, right } => {
            ExprKind::Compare { op: *op, signed: *signed, left: go(left), right: go(right) }
        }
        ExprKind::Shift(op, value, amount) => ExprKind::Shift(*op, go(value), go(amount)),
        ExprKind::Resize { signed, value } => ExprKind::Resize { signed: *signed, value: go(value) },
        ExprKind::Slice { value, offset } => ExprKind::Slice { value: go(value), offset: *offset },
        ExprKind::SelectDynamic { value, offset } => {
            ExprKind::SelectDynamic { value: go(value), offset: go(offset) }
        }
        ExprKind::ReplaceBit { value, index, bit } => {
            ExprKind::ReplaceBit { value: go(value), index: go(index), bit: go(bit) }
        }
        ExprKind::Concat(parts) => ExprKind::Concat(parts.iter().map(|part| renamed(part, name)).collect()),
        ExprKind::Mux(a, b, c) => ExprKind::Mux(go(a), go(b), go(c)),
    };
    Expr { width: expr.width, kind }
}

/// The signals assigned in `statement`.
pub fn assigned_in(statement: &Statement) -> BTreeSet<SignalId> {
    match statement {
        Statement::Assign { target, .. } | Statement::AssignSlice { target, .. } => [*target].into(),
        Statement::If { then, otherwise, .. } => then.iter().chain(otherwise).flat_map(assigned_in).collect(),
        Statement::Case { arms, default, .. } => {
            arms.iter().flat_map(|(_, list)| list).chain(default).flat_map(assigned_in).collect()
        }
    }
}

/// The program without assignments to private `copies` that nothing reads afterwards.
pub fn prune(program: Vec<Statement>, copies: &BTreeSet<SignalId>) -> Vec<Statement> {
    let mut live = BTreeSet::new();
    prune_list(program, copies, &mut live)
}

fn prune_list(
    list: Vec<Statement>,
    copies: &BTreeSet<SignalId>,
    live: &mut BTreeSet<SignalId>,
) -> Vec<Statement> {
    let mut kept: Vec<Statement> =
        list.into_iter().rev().filter_map(|statement| prune_one(statement, copies, live)).collect();
    kept.reverse();
    kept
}

fn prune_one(
    statement: Statement,
    copies: &BTreeSet<SignalId>,
    live: &mut BTreeSet<SignalId>,
) -> Option<Statement> {
    let read = |expr: &Expr, live: &mut BTreeSet<SignalId>| {
        visit_reads(expr, &mut |id| {
            if copies.contains(&id) {
                live.insert(id);
            }
        });
    };
    match statement {
        Statement::Assign { target, value } => {
            if copies.contains(&target) && !live.remove(&target) {
                return None;
            }
            read(&value, live);
            Some(Statement::Assign { target, value })
        }
        Statement::AssignSlice { target, offset, value } => {
            if copies.contains(&target) && !live.contains(&target) {
                return None;
            }
            read(&value, live);
            Some(Statement::AssignSlice { target, offset, value })
        }
        Statement::If { condition, then, otherwise } => {
            let mut other = live.clone();
            let then = prune_list(then, copies, live);
            let otherwise = prune_list(otherwise, copies, &mut other);
            live.append(&mut other);
            if then.is_empty() && otherwise.is_empty() {
                return None;
            }
            read(&condition, live);
            Some(Statement::If { condition, then, otherwise })
        }
        Statement::Case { selector, arms, default } => {
            let after = live.clone();
            let default = prune_list(default, copies, live);
            let arms: Vec<(Value, Vec<Statement>)> = arms
                .into_iter()
                .map(|(value, list)| {
                    let mut own = after.clone();
                    let list = prune_list(list, copies, &mut own);
                    live.append(&mut own);
                    (value, list)
                })
                .collect();
            if default.is_empty() && arms.iter().all(|(_, list)| list.is_empty()) {
                return None;
            }
            read(&selector, live);
            Some(Statement::Case { selector, arms, default })
        }
    }
}

/// True if `program` reads `target` before it assigns all of it, or may leave some of it unassigned.
pub fn needs_start(program: &[Statement], target: SignalId) -> bool {
    let mut reads_early = false;
    let assigned = surely_assigned(program, target, false, &mut reads_early);
    reads_early || !assigned
}

fn surely_assigned(list: &[Statement], target: SignalId, start: bool, early: &mut bool) -> bool {
    let mut assigned = start;
    for statement in list {
        let mut look = |expr: &Expr| visit_reads(expr, &mut |id| *early |= id == target && !assigned);
        match statement {
            Statement::Assign { target: to, value } => {
                look(value);
                assigned |= *to == target;
            }
            Statement::AssignSlice { target: to, value, .. } => {
                look(value);
                *early |= *to == target && !assigned;
            }
            Statement::If { condition, then, otherwise } => {
                look(condition);
                let one = surely_assigned(then, target, assigned, early);
                let two = surely_assigned(otherwise, target, assigned, early);
                assigned = one && two;
            }
            Statement::Case { selector, arms, default } => {
                look(selector);
                let mut all = surely_assigned(default, target, assigned, early);
                for (_, list) in arms {
                    all &= surely_assigned(list, target, assigned, early);
                }
                assigned = all;
            }
        }
    }
    assigned
}

/// The program without what cannot matter: branches on constants, empty branches, and everything in front of
/// an unconditional assignment that does not look back. `simple` simplifies an expression.
pub fn reduce(program: Vec<Statement>, target: SignalId, simple: &dyn Fn(&Expr) -> Expr) -> Vec<Statement> {
    let mut out: Vec<Statement> = vec![];
    for statement in program {
        for reduced in reduce_one(statement, target, simple) {
            let restarts = matches!(&reduced, Statement::Assign { target: to, value }
                if *to == target && !reads(value, target));
            // Private copies may be in use below, so only a slice without any restarts.
            if restarts && out.iter().all(|earlier| assigned_in(earlier).iter().all(|id| *id == target)) {
                out.clear();
            }
            out.push(reduced);
        }
    }
    out
}

fn reads(expr: &Expr, target: SignalId) -> bool {
    let mut found = false;
    visit_reads(expr, &mut |id| found |= id == target);
    found
}

fn reduce_one(statement: Statement, target: SignalId, simple: &dyn Fn(&Expr) -> Expr) -> Vec<Statement> {
    let all = |list: Vec<Statement>| reduce(list, target, simple);
    match statement {
        Statement::Assign { target, value } if value.kind == ExprKind::Read(target) => vec![],
        Statement::Assign { target, value } => vec![Statement::Assign { target, value: simple(&value) }],
        Statement::AssignSlice { target, offset, value } => {
            vec![Statement::AssignSlice { target, offset, value: simple(&value) }]
        }
        Statement::If { condition, then, otherwise } => {
            let condition = simple(&condition);
            let (then, otherwise) = (all(then), all(otherwise));
            match &condition.kind {
                ExprKind::Const(value) if value.bit(0) => then,
                ExprKind::Const(_) => otherwise,
                _ if then == otherwise => then,
                _ => vec![Statement::If { condition, then, otherwise }],
            }
        }
        Statement::Case { selector, arms, default } => {
            let selector = simple(&selector);
            let mut default = all(default);
            let mut arms: Vec<_> = arms.into_iter().map(|(value, list)| (value, all(list))).collect();
            if let ExprKind::Const(known) = &selector.kind {
                let taken = arms.into_iter().find(|(value, _)| value == known);
                return taken.map_or(default, |(_, list)| list);
            }
            arms.retain(|(value, _)| can_match(&selector, value, simple));
            if covers_all(&selector, arms.len(), simple) {
                default = arms.pop().map(|(_, list)| list).unwrap_or_default();
            }
            arms.retain(|(_, list)| *list != default);
            match arms.is_empty() {
                true => default,
                false => vec![Statement::Case { selector, arms, default }],
            }
        }
    }
}

/// False if known bits of the selector exclude `value`.
fn can_match(selector: &Expr, value: &Value, simple: &dyn Fn(&Expr) -> Expr) -> bool {
    let kind = ExprKind::Compare {
        op: CompareOp::Equal,
        signed: false,
        left: selector.clone().into(),
        right: Expr::constant(value.clone()).into(),
    };
    !matches!(simple(&Expr { width: 1, kind }).kind, ExprKind::Const(equal) if equal.is_zero())
}

/// True if `arms` different values are all that the selector can take, so that no default remains.
fn covers_all(selector: &Expr, arms: usize, simple: &dyn Fn(&Expr) -> Expr) -> bool {
    let is_open = |offset: &u32| {
        let kind = ExprKind::Slice { value: selector.clone().into(), offset: *offset };
        !matches!(simple(&Expr { width: 1, kind }).kind, ExprKind::Const(_))
    };
    let open = (0..selector.width).filter(is_open).count() as u32;
    1usize.checked_shl(open) == Some(arms)
}
