//! The combinational part of a module as text.

use super::expression::{Expressions, Place};
use super::plan::{Piece, Plan};
use super::statement::{assigned_in, prune, reduce};
use super::table::{Net, BITS};
use crate::graph::{CompareOp, Expr, ExprKind, Shape, SignalId, SignalKind, Statement};
use crate::value::Value;
use std::collections::BTreeSet;

/// Indentation of one level.
const STEP: &str = "    ";

/// Writes every piece of the plan; what only copies becomes an alias.
pub fn write<'a>(out: &mut Expressions<'a>, plan: &Plan<'a>) {
    let mut pieces = plan.pieces(&mut out.table);
    loop {
        for piece in &mut pieces {
            let program = std::mem::take(&mut piece.program);
            piece.program = reduce(program, piece.target, &|expr| out.simple(expr));
            drop_copies(out, piece);
        }
        if !learn_constants(out, &pieces) {
            break;
        }
    }
    drop_versions(out, &mut pieces);
    let read = pieces.iter().flat_map(|piece| read_in(&piece.program)).collect();
    pieces.retain(|piece| !make_alias(out, piece, &read));
    for piece in pieces {
        write_piece(out, piece);
    }
}

/// Notes the signals that turned out to be constant; true if there is a new one.
fn learn_constants(out: &mut Expressions, pieces: &[Piece]) -> bool {
    let mut learned = false;
    for piece in pieces {
        let [Statement::Assign { value, .. }] = piece.program.as_slice() else { continue };
        let value = match &value.kind {
            ExprKind::Const(value) => Some(value.clone()),
            ExprKind::Read(id) => out.table.constant(*id),
            _ => None,
        };
        if let Some(value) = value {
            learned |= out.table.learn(piece.target, value);
        }
    }
    learned
}

/// Versions that nothing reads any more are not declared.
fn drop_versions(out: &mut Expressions, pieces: &mut Vec<Piece>) {
    loop {
        let read: BTreeSet<SignalId> = pieces.iter().flat_map(|piece| read_in(&piece.program)).collect();
        let before = pieces.len();
        pieces.retain(|piece| {
            let dead = !out.table.is_own(piece.target) && !read.contains(&piece.target);
            if dead {
                out.table.entry_mut(piece.target).net = Net::Alias;
                piece.owned.iter().for_each(|id| out.table.entry_mut(*id).net = Net::Alias);
            }
            !dead
        });
        if pieces.len() == before {
            return;
        }
    }
}

/// Private copies that nothing reads any more, now that literals are folded, are not declared.
fn drop_copies(out: &mut Expressions, piece: &mut Piece) {
    let copies: BTreeSet<SignalId> = piece.owned.iter().copied().filter(|id| *id != piece.target).collect();
    if copies.is_empty() {
        return;
    }
    let program = prune(std::mem::take(&mut piece.program), &copies);
    piece.program = reduce(program, piece.target, &|expr| out.simple(expr));
    let mut kept = read_in(&piece.program);
    kept.extend(piece.program.iter().flat_map(assigned_in));
    for id in copies.difference(&kept) {
        out.table.entry_mut(*id).net = Net::Alias;
        piece.owned.remove(id);
    }
}

/// A block that reads nothing but literals would never run; a literal behind a name starts it.
fn name_first_literal(out: &mut Expressions, program: &mut [Statement], stem: &str) {
    for statement in program {
        let (Statement::Assign { value, .. } | Statement::AssignSlice { value, .. }) = statement else {
            continue;
        };
        if matches!(value.kind, ExprKind::Const(_)) {
            let none = BTreeSet::new();
            let id = out.name(value, &mut Place::new(stem, &none));
            *value = Expr::read(id, value.width);
            return;
        }
    }
}

fn read_in(program: &[Statement]) -> BTreeSet<SignalId> {
    let mut read = BTreeSet::new();
    let mut open: Vec<&Statement> = program.iter().collect();
    while let Some(statement) = open.pop() {
        let mut look = |expr: &Expr| {
            super::expression::visit_reads(expr, &mut |id| {
                read.insert(id);
            });
        };
        match statement {
            Statement::Assign { value, .. } | Statement::AssignSlice { value, .. } => look(value),
            Statement::If { condition, then, otherwise } => {
                look(condition);
                open.extend(then.iter().chain(otherwise));
            }
            Statement::Case { selector, arms, default } => {
                look(selector);
                open.extend(arms.iter().flat_map(|(_, list)| list).chain(default));
            }
        }
    }
    read
}

/// An input of an instance, register or memory that is a plain copy is connected to what it copies.
fn make_alias(out: &mut Expressions, piece: &Piece, read: &BTreeSet<SignalId>) -> bool {
    let Some(signal) = out.table.module.signals.get(piece.target.0 as usize) else { return false };
    if !matches!(signal.kind, SignalKind::InstanceInput | SignalKind::ElementInput) {
        return false;
    }
    // A literal has no bits to select from, so addresses of memories keep their wire.
    let literal_fits = signal.kind == SignalKind::InstanceInput || signal.width == 1;
    let [Statement::Assign { value, .. }] = piece.program.as_slice() else { return false };
    let (alias_of, text) = match &value.kind {
        ExprKind::Read(id) if out.table.resolve(*id) != piece.target => (Some(*id), String::new()),
        ExprKind::Const(value) if literal_fits && !read.contains(&piece.target) => {
            (None, out.table.literal(value, &signal.shape))
        }
        _ => return false,
    };
    let entry = out.table.entry_mut(piece.target);
    entry.net = Net::Alias;
    entry.alias_of = alias_of;
    if alias_of.is_none() {
        entry.name = text;
    }
    true
}

fn write_piece(out: &mut Expressions, piece: Piece) {
    let Piece { target, owned, program } = piece;
    let (name, shape) = (out.table.entry(target).name.clone(), out.table.entry(target).shape);
    let width = out.table.entry(target).width;
    if let Some(value) = as_expression(&program, target, width, shape) {
        let none = BTreeSet::new();
        let mut place = Place::new(&name, &none);
        let text = out.write(&value, shape, &mut place);
        out.lines.push(format!("assign {name} = {text};"));
        return;
    }
    if let Some(slices) = as_slices(&program, target, width) {
        for (offset, value) in slices {
            let none = BTreeSet::new();
            let mut place = Place::new(&name, &none);
            let text = out.write(value, &BITS, &mut place);
            let select = select(shape, offset, value.width);
            out.lines.push(format!("assign {name}{} = {text};{}", select.0, select.1));
        }
        return;
    }
    out.table.entry_mut(target).net = Net::Reg;
    let mut program = program;
    if read_in(&program).iter().all(|id| owned.contains(id) || out.table.constant(*id).is_some()) {
        name_first_literal(out, &mut program, &name);
    }
    let mut block = Block { out, owned: &owned, stem: &name, lines: vec![], variables: vec![] };
    block.list(&program, 1);
    let Block { lines, variables, .. } = block;
    out.lines.push("always @(*) begin".into());
    for id in variables.into_iter().chain(owned.iter().copied().filter(|id| *id != target)) {
        let entry = out.table.entry(id);
        let zero = super::table::literal(&Value::zero(entry.width));
        let line = format!("{STEP}{} = {zero};", entry.name);
        out.lines.push(line);
    }
    out.lines.extend(lines);
    out.lines.push("end".into());
}

/// A program of assignments only, none of which looks back, as one expression. A struct keeps its
/// assignments by field, which read better.
fn as_expression(program: &[Statement], target: SignalId, width: u32, shape: &Shape) -> Option<Expr> {
    let only = |expr: &Expr| !super::expression::reads_any(expr, &[target].into());
    let mut pieces: Vec<(u32, Expr)> = vec![];
    let mut whole = false;
    for statement in program {
        match statement {
            Statement::Assign { target: to, value } if *to == target && only(value) => {
                pieces = vec![(0, value.clone())];
                whole = true;
            }
            Statement::AssignSlice { target: to, offset, value } if *to == target && only(value) => {
                pieces = overlaid(pieces, *offset, value);
            }
            _ => return None,
        }
    }
    if pieces.len() > 1 && !whole && matches!(shape, Shape::Struct(_)) {
        return None;
    }
    pieces.sort_by_key(|(offset, _)| *offset);
    let mut end = 0;
    for (offset, value) in &pieces {
        if *offset != end {
            return None;
        }
        end += value.width;
    }
    if end != width {
        return None;
    }
    let parts: Vec<Expr> = pieces.into_iter().map(|(_, value)| value).collect();
    Some(super::simplify::concat(parts))
}

/// `pieces` with `value` laid over them at `offset`.
fn overlaid(pieces: Vec<(u32, Expr)>, offset: u32, value: &Expr) -> Vec<(u32, Expr)> {
    let end = offset + value.width;
    let mut out = vec![(offset, value.clone())];
    for (start, piece) in pieces {
        let stop = start + piece.width;
        let part = |from: u32, to: u32| {
            let kind = ExprKind::Slice { value: Box::new(piece.clone()), offset: from - start };
            (from, Expr { width: to - from, kind })
        };
        if stop <= offset || start >= end {
            out.push((start, piece));
            continue;
        }
        if start < offset {
            out.push(part(start, offset));
        }
        if stop > end {
            out.push(part(end, stop));
        }
    }
    out
}

/// A program of slice assignments that cover the target once and do not look back.
fn as_slices(program: &[Statement], target: SignalId, width: u32) -> Option<Vec<(u32, &Expr)>> {
    let mut slices = vec![];
    for statement in program {
        match statement {
            Statement::AssignSlice { target: to, offset, value }
                if *to == target && !super::expression::reads_any(value, &[target].into()) =>
            {
                slices.push((*offset, value));
            }
            _ => return None,
        }
    }
    let mut sorted: Vec<(u32, u32)> = slices.iter().map(|(offset, value)| (*offset, value.width)).collect();
    sorted.sort_unstable();
    let end = sorted.iter().try_fold(0, |end, (offset, width)| (*offset == end).then_some(end + width));
    (end == Some(width)).then_some(slices)
}

/// The part select for a slice, and a comment if it is a field.
fn select(shape: &Shape, offset: u32, width: u32) -> (String, String) {
    let select = match width {
        1 => format!("[{offset}]"),
        _ => format!("[{}:{offset}]", offset + width - 1),
    };
    let Shape::Struct(fields) = shape else { return (select, String::new()) };
    let field = fields.iter().find(|field| field.offset == offset && field.width == width);
    (select, field.map(|field| format!("  // {}", field.name)).unwrap_or_default())
}

/// One `always` block at work.
struct Block<'b, 'a> {
    out: &'b mut Expressions<'a>,
    owned: &'b BTreeSet<SignalId>,
    stem: &'b str,
    lines: Vec<String>,
    variables: Vec<SignalId>,
}

impl Block<'_, '_> {
    fn push(&mut self, level: usize, text: &str) {
        self.lines.push(format!("{}{text}", STEP.repeat(level)));
    }

    /// The text of `expr`; what must be computed in front of it is written at `level`.
    fn expr(&mut self, expr: &Expr, shape: &Shape, level: usize) -> String {
        let mut place = Place::new(self.stem, self.owned);
        let text = self.out.write(expr, shape, &mut place);
        let Place { before, variables, .. } = place;
        self.variables.extend(variables);
        before.iter().for_each(|line| self.push(level, line));
        text
    }

    fn list(&mut self, list: &[Statement], level: usize) {
        for statement in list {
            match statement {
                Statement::Assign { target, value } => {
                    let shape = self.out.table.entry(*target).shape;
                    let text = self.expr(value, shape, level);
                    let line = format!("{} = {text};", self.out.table.entry(*target).name);
                    self.push(level, &line);
                }
                Statement::AssignSlice { target, offset, value } => {
                    self.assign_slice(*target, *offset, value, level);
                }
                Statement::If { condition, then, otherwise } => {
                    self.branch(condition, then, otherwise, level, "");
                }
                Statement::Case { selector, arms, default } => self.case(selector, arms, default, level),
            }
        }
    }

    fn assign_slice(&mut self, target: SignalId, offset: u32, value: &Expr, level: usize) {
        let shape = self.out.table.entry(target).shape;
        let (mut select, comment) = select(shape, offset, value.width);
        if self.out.table.entry(target).width == value.width {
            select.clear();
        }
        let text = self.expr(value, &BITS, level);
        let line = format!("{}{select} = {text};{comment}", self.out.table.entry(target).name);
        self.push(level, &line);
    }

    /// An `if`, or with `lead` an `end else if`; the block it opens is closed by the outermost call.
    fn branch(&mut self, test: &Expr, then: &[Statement], other: &[Statement], level: usize, lead: &str) {
        let (test, then, other) = match then.is_empty() {
            true => (negated(test), other, then),
            false => (test.clone(), then, other),
        };
        let text = self.expr(&test, &BITS, level);
        let text = match text.starts_with('(') && text.ends_with(')') && closes_at_end(&text) {
            true => text,
            false => format!("({text})"),
        };
        self.push(level, &format!("{lead}if {text} begin"));
        self.list(then, level + 1);
        match other {
            [] => self.push(level, "end"),
            [Statement::If { condition, then, otherwise }] if !self.needs_lines(condition) => {
                self.branch(condition, then, otherwise, level, "end else ");
            }
            _ => {
                self.push(level, "end else begin");
                self.list(other, level + 1);
                self.push(level, "end");
            }
        }
    }

    /// True if `expr` may need assignments in front of it.
    fn needs_lines(&self, expr: &Expr) -> bool {
        super::expression::reads_any(expr, self.owned)
    }

    fn case(
        &mut self,
        selector: &Expr,
        arms: &[(Value, Vec<Statement>)],
        default: &[Statement],
        level: usize,
    ) {
        let shape = match &selector.kind {
            ExprKind::Read(id) => self.out.table.entry(*id).shape,
            _ => &BITS,
        };
        let selector = self.expr(selector, &BITS, level);
        self.push(level, &format!("case ({selector})"));
        let mut written = vec![false; arms.len()];
        for (at, (_, list)) in arms.iter().enumerate() {
            if written[at] {
                continue;
            }
            let mut labels = vec![];
            for (other, (value, same)) in arms.iter().enumerate().skip(at) {
                if same == list {
                    labels.push(self.out.table.literal(value, shape));
                    written[other] = true;
                }
            }
            self.arm(&labels.join(", "), list, level + 1);
        }
        self.arm("default", default, level + 1);
        self.push(level, "endcase");
    }

    fn arm(&mut self, label: &str, list: &[Statement], level: usize) {
        let start = self.lines.len();
        self.push(level, &format!("{label}: begin"));
        self.list(list, level + 1);
        match self.lines.len() - start {
            1 => self.lines[start] = format!("{}{label}: ;", STEP.repeat(level)),
            2 if !self.lines[start + 1].contains("  //") => {
                let only = self.lines[start + 1].trim_start().to_owned();
                self.lines.truncate(start);
                self.push(level, &format!("{label}: {only}"));
            }
            _ => self.push(level, "end"),
        }
    }
}

/// True if the parenthesis that opens `text` closes at its end.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// The complement of a condition.
fn negated(test: &Expr) -> Expr {
    let kind = match &test.kind {
        ExprKind::Not(inner) => return (**inner).clone(),
        ExprKind::Compare { op: CompareOp::Equal, signed, left, right } => ExprKind::Compare {
            op: CompareOp::NotEqual,
            signed: *signed,
            left: left.clone(),
            right: right.clone(),
        },
        _ => ExprKind::Not(Box::new(test.clone())),
    };
    Expr { width: 1, kind }
}
