//! Slicing of a module's program into one piece per driven signal.
//!
//! rust-hdl runs a block's body in program order, so a `Local` or `Out` may be read before its last
//! assignment. Verilog nets have one value. The plan resolves every read to an identifier with one value:
//! - a signal that is read between two top-level statements that assign it gets a *version* (`acc_1`) that
//!   holds its value at that point;
//! - a read after the last assignment in its statement is a read of the version at the statement's end;
//! - a read between two assignments inside one statement makes the reader's block compute a private copy.
//!
//! Versions follow program order and copies are private, so no dependency is added that the Rust text does
//! not have: what was free of combinational loops stays so.

use super::expression::visit_reads;
use super::statement::{assigned_in, needs_start, prune, Sliced, SlicedExpr, SlicedStatement};
use super::table::{Net, Table};
use crate::graph::{Expr, Module, SignalId, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// A statement with the signals assigned in it.
struct Node<'m> {
    assigned: BTreeSet<SignalId>,
    statement: &'m Statement,
    branches: Vec<Vec<Node<'m>>>,
}

fn annotate(list: &[Statement]) -> Vec<Node<'_>> {
    list.iter()
        .map(|statement| {
            let branches: Vec<Vec<Node>> = match statement {
                Statement::Assign { .. } | Statement::AssignSlice { .. } => vec![],
                Statement::If { then, otherwise, .. } => vec![annotate(then), annotate(otherwise)],
                Statement::Case { arms, default, .. } => arms
                    .iter()
                    .map(|(_, list)| annotate(list))
                    .chain(std::iter::once(annotate(default)))
                    .collect(),
            };
            Node { assigned: assigned_in(statement), statement, branches }
        })
        .collect()
}

/// Where in a top-level statement a read stands: the enclosing lists, innermost first.
struct Path<'p, 'm> {
    list: &'p [Node<'m>],
    index: usize,
    /// The read is in the statement's own condition or value, so its assignments come after it.
    own: bool,
    parent: Option<&'p Path<'p, 'm>>,
}

impl Path<'_, '_> {
    fn assigned_before(&self, id: SignalId) -> bool {
        self.list[..self.index].iter().any(|node| node.assigned.contains(&id))
            || self.parent.is_some_and(|parent| parent.assigned_before(id))
    }

    fn assigned_after(&self, id: SignalId) -> bool {
        let from = if self.own { self.index } else { self.index + 1 };
        self.list[from..].iter().any(|node| node.assigned.contains(&id))
            || self.parent.is_some_and(|parent| parent.assigned_after(id))
    }
}

/// A piece of the program that drives one identifier.
pub struct Piece {
    /// The identifier it drives.
    pub target: SignalId,
    /// All variables of the piece: the target and private copies.
    pub owned: BTreeSet<SignalId>,
    /// Its program; reads are resolved.
    pub program: Vec<Statement>,
}

/// The plan of one module.
pub struct Plan<'m> {
    module: &'m Module,
    body: Vec<Node<'m>>,
    /// Top-level statements that assign a signal, in order.
    writes: BTreeMap<SignalId, Vec<usize>>,
    /// Driven signals in order of their first assignment.
    order: Vec<SignalId>,
    /// Signals read in program order.
    in_order: BTreeSet<SignalId>,
    /// Per top-level statement, the signals that read each other in a circle inside it.
    circles: Vec<BTreeMap<SignalId, usize>>,
    versions: BTreeMap<(SignalId, usize), SignalId>,
}

impl<'m> Plan<'m> {
    /// Plans the body of `module`; versions become identifiers of `table`.
    pub fn new(module: &'m Module, table: &mut Table<'m>) -> Self {
        let body = annotate(&module.body);
        let mut writes: BTreeMap<SignalId, Vec<usize>> = BTreeMap::new();
        let mut order = vec![];
        for (index, node) in body.iter().enumerate() {
            for id in first_assignments(node) {
                let list = writes.entry(id).or_default();
                if list.is_empty() {
                    order.push(id);
                }
                list.push(index);
            }
        }
        let in_order =
            writes.keys().copied().filter(|id| module.signal(*id).kind.is_read_in_order()).collect();
        let mut plan =
            Self { module, body, writes, order, in_order, circles: vec![], versions: BTreeMap::new() };
        plan.circles = plan.body.iter().map(|node| plan.circles_in(node)).collect();
        plan.make_versions(table);
        plan
    }

    /// Finds every read of an intermediate value and gives it a version.
    fn make_versions(&mut self, table: &mut Table<'m>) {
        let mut wanted = BTreeSet::new();
        for id in &self.order {
            let mut rewriter = Rewriter::new(self, *id, None);
            rewriter.statements(&self.writes[id]);
            wanted.append(&mut rewriter.wanted);
        }
        for (id, at) in wanted {
            let entry = table.entry(id);
            let (stem, width, shape) = (entry.name.clone(), entry.width, entry.shape);
            let name = table.names.numbered(&stem, 1);
            self.versions.insert((id, at), table.add(name, width, Net::Wire, shape));
        }
    }

    /// The pieces of the module, in order of first assignment.
    pub fn pieces(&self, table: &mut Table<'m>) -> Vec<Piece> {
        let mut pieces = vec![];
        for id in &self.order {
            let (mut previous, mut start) = (None, 0);
            let writes = &self.writes[id];
            for (position, at) in writes.iter().enumerate() {
                let version = self.version(*id, *at);
                if version.is_none() && position + 1 < writes.len() {
                    continue;
                }
                let target = version.unwrap_or(*id);
                pieces.push(self.piece(*id, target, previous, &writes[start..=position], table));
                (previous, start) = (Some(target), position + 1);
            }
        }
        pieces
    }

    fn version(&self, id: SignalId, at: usize) -> Option<SignalId> {
        self.versions.get(&(id, at)).copied()
    }

    fn piece(
        &self,
        signal: SignalId,
        target: SignalId,
        previous: Option<SignalId>,
        indices: &[usize],
        table: &mut Table<'m>,
    ) -> Piece {
        let mut rewriter = Rewriter::new(self, signal, previous);
        let mut program = rewriter.statements(indices);
        let mut copies: BTreeMap<SignalId, SignalId> = BTreeMap::new();
        let copied: BTreeSet<SignalId> = rewriter.copies.iter().map(|(_, id)| *id).collect();
        for copied in copied {
            let (of, by) = (table.entry(copied), table.entry(target));
            let (stem, width, shape) = (format!("{}_in_{}", of.name, by.name), of.width, of.shape);
            let name = table.names.exact(&stem);
            copies.insert(copied, table.add(name, width, Net::Reg, shape));
        }
        let own = |local: Sliced| match local {
            Sliced::Target => target,
            Sliced::Copy(id) => copies[&id],
            Sliced::Outer(id) => id,
        };
        let mut resolved: Vec<Statement> =
            program.drain(..).map(|statement| statement.resolve(&own)).collect();
        let mut owned: BTreeSet<SignalId> = copies.values().copied().collect();
        if !owned.is_empty() {
            resolved = prune(resolved, &owned);
        }
        owned.insert(target);
        if let Some(previous) = previous {
            if needs_start(&resolved, target) {
                let value = Expr::read(previous, table.entry(previous).width);
                resolved.insert(0, Statement::Assign { target, value });
            }
        }
        Piece { target, owned, program: resolved }
    }

    /// Groups of signals that depend on one another inside one top-level statement.
    fn circles_in(&self, node: &Node) -> BTreeMap<SignalId, usize> {
        let mut edges: BTreeMap<SignalId, BTreeSet<SignalId>> = BTreeMap::new();
        let list = std::slice::from_ref(node);
        let top = Path { list, index: 0, own: false, parent: None };
        self.collect_edges(&top, &mut edges);
        let reach: BTreeMap<SignalId, BTreeSet<SignalId>> =
            edges.keys().map(|id| (*id, reachable(*id, &edges))).collect();
        let mut groups: BTreeMap<SignalId, usize> = BTreeMap::new();
        for (id, reached) in &reach {
            let partner = reached
                .iter()
                .find(|other| *other != id && reach.get(other).is_some_and(|back| back.contains(id)));
            if partner.is_some() && reached.contains(id) {
                let number = reached
                    .iter()
                    .filter(|other| reach.get(other).is_some_and(|back| back.contains(id)))
                    .find_map(|other| groups.get(other).copied())
                    .unwrap_or(groups.len());
                groups.insert(*id, number);
            }
        }
        groups
    }

    /// Edges from what is assigned to what it reads of the same statement's earlier assignments.
    fn collect_edges(&self, path: &Path, edges: &mut BTreeMap<SignalId, BTreeSet<SignalId>>) {
        let node = &path.list[path.index];
        let own = Path { list: path.list, index: path.index, own: true, parent: path.parent };
        if let Some(expr) = own_expression(node.statement) {
            visit_reads(expr, &mut |id| {
                if self.in_order.contains(&id) && own.assigned_before(id) {
                    for target in node.assigned.iter().filter(|target| **target != id) {
                        edges.entry(*target).or_default().insert(id);
                    }
                }
            });
        }
        for list in &node.branches {
            for index in 0..list.len() {
                self.collect_edges(&Path { list, index, own: false, parent: Some(path) }, edges);
            }
        }
    }
}

fn reachable(from: SignalId, edges: &BTreeMap<SignalId, BTreeSet<SignalId>>) -> BTreeSet<SignalId> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        for next in edges.get(&id).into_iter().flatten() {
            if found.insert(*next) {
                open.push(*next);
            }
        }
    }
    found
}

/// The signals assigned in `node`, in program order of the first assignment.
fn first_assignments(node: &Node) -> Vec<SignalId> {
    let mut found = vec![];
    let mut add = |id: SignalId| {
        if !found.contains(&id) {
            found.push(id);
        }
    };
    match node.statement {
        Statement::Assign { target, .. } | Statement::AssignSlice { target, .. } => add(*target),
        _ => node.branches.iter().flatten().flat_map(first_assignments).for_each(&mut add),
    }
    found
}

/// The condition, selector or value of a statement.
fn own_expression(statement: &Statement) -> Option<&Expr> {
    Some(match statement {
        Statement::Assign { value, .. } | Statement::AssignSlice { value, .. } => value,
        Statement::If { condition, .. } => condition,
        Statement::Case { selector, .. } => selector,
    })
}

/// Cuts the statements for one target out of the program and resolves their reads.
struct Rewriter<'p, 'm> {
    plan: &'p Plan<'m>,
    signal: SignalId,
    previous: Option<SignalId>,
    /// Signals the block needs private copies of, each with the top-level statement that needs it.
    copies: BTreeSet<(usize, SignalId)>,
    /// Versions that are read.
    wanted: BTreeSet<(SignalId, usize)>,
    /// Index of the top-level statement at work, and whether it is the piece's first.
    at: usize,
    first: bool,
}

impl<'p, 'm> Rewriter<'p, 'm> {
    fn new(plan: &'p Plan<'m>, signal: SignalId, previous: Option<SignalId>) -> Self {
        let (copies, wanted) = (BTreeSet::new(), BTreeSet::new());
        Self { plan, signal, previous, copies, wanted, at: 0, first: true }
    }

    /// The slice of the top-level statements `indices`.
    fn statements(&mut self, indices: &[usize]) -> Vec<SlicedStatement> {
        loop {
            let known = self.copies.len();
            let mut out = vec![];
            for (position, at) in indices.iter().enumerate() {
                (self.at, self.first) = (*at, position == 0);
                self.start_copies(&mut out);
                let list = std::slice::from_ref(&self.plan.body[*at]);
                let mut cut = self.list(list, None);
                out.append(&mut cut);
            }
            if self.copies.len() == known {
                return out;
            }
        }
    }

    /// Private copies start a statement with the value their signal has there.
    fn start_copies(&mut self, out: &mut Vec<SlicedStatement>) {
        for id in self.copies_here() {
            if let Some(entry) = self.entry_version(id) {
                let width = self.plan.module.signal(id).width;
                let value = SlicedExpr(Expr::read(id, width), BTreeMap::from([(id, Sliced::Outer(entry))]));
                out.push(SlicedStatement::Assign { target: Sliced::Copy(id), offset: None, value });
            }
        }
    }

    /// The private copies that the statement at work needs.
    fn copies_here(&self) -> Vec<SignalId> {
        let first = SignalId(0);
        let here = self.copies.range((self.at, first)..(self.at + 1, first));
        here.map(|(_, id)| *id).collect()
    }

    /// The version of `id` in front of the statement at work.
    fn entry_version(&mut self, id: SignalId) -> Option<SignalId> {
        let writes = &self.plan.writes[&id];
        let before = writes.partition_point(|write| *write < self.at);
        let at = *writes.get(before.checked_sub(1)?)?;
        Some(self.version_at(id, at))
    }

    fn version_at(&mut self, id: SignalId, at: usize) -> SignalId {
        if self.plan.writes[&id].last() == Some(&at) {
            return id;
        }
        self.wanted.insert((id, at));
        self.plan.version(id, at).unwrap_or(id)
    }

    fn list(&mut self, list: &[Node<'m>], parent: Option<&Path<'_, 'm>>) -> Vec<SlicedStatement> {
        let mut out = vec![];
        for (index, node) in list.iter().enumerate() {
            let relevant = node.assigned.contains(&self.signal)
                || self.copies_here().iter().any(|copy| node.assigned.contains(copy));
            if !relevant {
                continue;
            }
            let inside = Path { list, index, own: false, parent };
            let own = Path { list, index, own: true, parent };
            let statement = match node.statement {
                Statement::Assign { target, value } => SlicedStatement::Assign {
                    target: self.own_target(*target),
                    offset: None,
                    value: self.expr(value, &own),
                },
                Statement::AssignSlice { target, offset, value } => SlicedStatement::Assign {
                    target: self.own_target(*target),
                    offset: Some(*offset),
                    value: self.expr(value, &own),
                },
                Statement::If { condition, .. } => SlicedStatement::If {
                    condition: self.expr(condition, &own),
                    then: self.list(&node.branches[0], Some(&inside)),
                    otherwise: self.list(&node.branches[1], Some(&inside)),
                },
                Statement::Case { selector, arms, .. } => SlicedStatement::Case {
                    selector: self.expr(selector, &own),
                    arms: arms
                        .iter()
                        .zip(&node.branches)
                        .map(|((value, _), list)| (value.clone(), self.list(list, Some(&inside))))
                        .collect(),
                    default: node
                        .branches
                        .last()
                        .map(|list| self.list(list, Some(&inside)))
                        .unwrap_or_default(),
                },
            };
            out.push(statement);
        }
        out
    }

    fn own_target(&self, id: SignalId) -> Sliced {
        if id == self.signal {
            Sliced::Target
        } else {
            Sliced::Copy(id)
        }
    }

    fn expr(&mut self, expr: &Expr, path: &Path) -> SlicedExpr {
        let mut reads = BTreeMap::new();
        visit_reads(expr, &mut |id| {
            reads.insert(id, Sliced::Outer(id));
        });
        for (id, resolved) in &mut reads {
            if self.plan.in_order.contains(id) {
                *resolved = self.resolve(*id, path);
            }
        }
        SlicedExpr(expr.clone(), reads)
    }

    fn resolve(&mut self, id: SignalId, path: &Path) -> Sliced {
        let before = path.assigned_before(id);
        if id == self.signal {
            return match self.previous {
                Some(previous) if self.first && !before => Sliced::Outer(previous),
                _ => Sliced::Target,
            };
        }
        if !before {
            return Sliced::Outer(self.entry_version(id).unwrap_or(id));
        }
        if self.copies.contains(&(self.at, id)) {
            return Sliced::Copy(id);
        }
        let circles = &self.plan.circles[self.at];
        let circle = circles.get(&id).is_some_and(|number| circles.get(&self.signal) == Some(number));
        if circle || path.assigned_after(id) {
            self.copies.insert((self.at, id));
            return Sliced::Copy(id);
        }
        Sliced::Outer(self.version_at(id, self.at))
    }
}
