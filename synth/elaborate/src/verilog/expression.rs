//! Expressions as text.
//!
//! The graph types every node; Verilog widens the operands of an operator to the widest of its context. The
//! two agree because every operand in a context-determined position has the context's width: literals are
//! sized, and everything that changes a width is written as a concatenation or a part select, whose operands
//! are self-determined. A part select needs a name, so operands without one are given one.

use super::node::index_width;
use super::simplify::{simplify, slice};
use super::table::{literal, Net, Table, BITS};
use crate::graph::{BinaryOp, CompareOp, Expr, ExprKind, ReduceOp, Shape, ShiftOp, SignalId};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A line is broken where it would grow beyond this many characters.
const LINE: usize = 96;

/// Verilator refuses shift amounts of more bits.
const WIDEST_AMOUNT: u32 = 32;

/// How tightly a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binding {
    /// Name, literal, concatenation, call, parenthesised.
    Primary,
    /// Complement of a primary.
    Complement,
    /// A chain of one associative operator.
    Chain(&'static str),
    /// Anything else.
    Loose,
}

/// An expression's text.
struct Text {
    text: String,
    binding: Binding,
}

impl Text {
    fn primary(text: String) -> Self {
        Self { text, binding: Binding::Primary }
    }

    fn loose(text: String) -> Self {
        Self { text, binding: Binding::Loose }
    }

    /// As an operand of a binary operator.
    fn operand(self) -> String {
        match self.binding {
            Binding::Primary | Binding::Complement => self.text,
            _ => format!("({})", self.text),
        }
    }

    /// As the operand of a unary operator.
    fn tight(self) -> String {
        match self.binding {
            Binding::Primary => self.text,
            _ => format!("({})", self.text),
        }
    }
}

/// Where an expression stands.
pub struct Place<'p> {
    /// Names of sub-expressions derive from this.
    pub stem: &'p str,
    /// Variables of the surrounding `always` block; what reads them must be computed in the block.
    pub owned: &'p BTreeSet<SignalId>,
    /// Assignments to be made in the block in front of the statement.
    pub before: Vec<String>,
    /// Variables those assignments drive.
    pub variables: Vec<SignalId>,
}

impl<'p> Place<'p> {
    /// A place with the given name stem.
    pub fn new(stem: &'p str, owned: &'p BTreeSet<SignalId>) -> Self {
        Self { stem, owned, before: vec![], variables: vec![] }
    }
}

/// Writes expressions; keeps the names given to sub-expressions.
pub struct Expressions<'a> {
    /// Identifiers.
    pub table: Table<'a>,
    /// Lines of the combinational part written so far.
    pub lines: Vec<String>,
    named: BTreeMap<String, SignalId>,
}

impl<'a> Expressions<'a> {
    /// A writer for the identifiers of `table`.
    pub fn new(table: Table<'a>) -> Self {
        Self { table, lines: vec![], named: BTreeMap::new() }
    }

    /// The text of `expr`; `shape` is what the value is for.
    pub fn write(&mut self, expr: &Expr, shape: &Shape, place: &mut Place) -> String {
        let simple = self.simple(expr);
        self.text(&simple, shape, place).text
    }

    /// `expr` in its simplest form.
    pub fn simple(&self, expr: &Expr) -> Expr {
        simplify(expr, &|id| self.table.constant(id))
    }

    fn text(&mut self, expr: &Expr, shape: &Shape, place: &mut Place) -> Text {
        match &expr.kind {
            ExprKind::Const(value) => Text::primary(self.table.literal(value, shape)),
            ExprKind::Read(id) => Text::primary(self.table.read_all(*id)),
            ExprKind::Not(a) => {
                let operand = self.text(a, &BITS, place).tight();
                Text { text: format!("~{operand}"), binding: Binding::Complement }
            }
            ExprKind::Negate(a) => Text::loose(format!("-{}", self.text(a, &BITS, place).tight())),
            ExprKind::Reduce(op, a) => {
                let operand = self.text(a, &BITS, place).tight();
                Text::loose(format!("{}{operand}", reduction(*op)))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, place),
            ExprKind::Compare { op, signed, left, right } => self.compare(*op, *signed, left, right, place),
            ExprKind::Shift(op, value, amount) => self.shift(*op, value, amount, place),
            ExprKind::Resize { value, .. } => self.sign_extended(value, expr.width, place),
            ExprKind::Slice { value, offset } => self.slice(value, *offset, expr.width, place),
            ExprKind::SelectDynamic { value, offset } => self.select(value, offset, expr.width, place),
            ExprKind::ReplaceBit { value, index, bit } => self.replace_bit(value, index, bit, place),
            ExprKind::Concat(parts) => self.concat(parts, place),
            ExprKind::Mux(condition, then, otherwise) => {
                let condition = self.text(condition, &BITS, place).operand();
                let then = self.text(then, shape, place).operand();
                let otherwise = self.text(otherwise, shape, place).operand();
                Text::loose(wrapped(&[condition, format!("? {then}"), format!(": {otherwise}")], " "))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, place: &mut Place) -> Text {
        let sign = operator(op);
        let left = self.text(a, &BITS, place);
        let left = match left.binding {
            Binding::Chain(same) if same == sign => left.text,
            _ => left.operand(),
        };
        let right = self.text(b, &BITS, place).operand();
        let binding = if op == BinaryOp::Sub { Binding::Loose } else { Binding::Chain(sign) };
        let last_line = left.len() - left.rfind('\n').map_or(0, |at| at + 1);
        let gap = if last_line + right.len() > LINE { "\n        " } else { " " };
        Text { text: format!("{left}{gap}{sign} {right}"), binding }
    }

    fn compare(&mut self, op: CompareOp, signed: bool, a: &Expr, b: &Expr, place: &mut Place) -> Text {
        let shape = self.shape_of(a).or_else(|| self.shape_of(b)).unwrap_or(&BITS);
        let (left, right) = (self.text(a, shape, place), self.text(b, shape, place));
        let sign = comparison(op);
        let text = match signed {
            true => format!("$signed({}) {sign} $signed({})", left.text, right.text),
            false => format!("{} {sign} {}", left.operand(), right.operand()),
        };
        Text::primary(format!("({text})"))
    }

    fn shape_of(&self, expr: &Expr) -> Option<&'a Shape> {
        match &expr.kind {
            ExprKind::Read(id) => Some(self.table.entry(*id).shape),
            _ => None,
        }
    }

    fn shift(&mut self, op: ShiftOp, value: &Expr, amount: &Expr, place: &mut Place) -> Text {
        if amount.width > WIDEST_AMOUNT {
            return self.shift_by_wide(op, value, amount, place);
        }
        let moved = self.text(value, &BITS, place);
        let by = self.text(amount, &BITS, place).operand();
        match op {
            ShiftOp::Left => Text::loose(format!("{} << {by}", moved.operand())),
            ShiftOp::Right => Text::loose(format!("{} >> {by}", moved.operand())),
            // Signed only inside its own call, so that the context cannot make it unsigned.
            ShiftOp::ArithmeticRight => Text::primary(format!("$unsigned($signed({}) >>> {by})", moved.text)),
        }
    }

    /// A shift by an amount that tools refuse: its upper bits only say that nothing but the fill remains.
    fn shift_by_wide(&mut self, op: ShiftOp, value: &Expr, amount: &Expr, place: &mut Place) -> Text {
        let (width, amount) = (value.width, self.selectable(amount, place));
        let constants = |_| None;
        let low = slice(amount.clone(), 0, WIDEST_AMOUNT, &constants);
        let high = slice(amount.clone(), WIDEST_AMOUNT, amount.width - WIDEST_AMOUNT, &constants);
        let beyond = Expr { width: 1, kind: ExprKind::Reduce(ReduceOp::Or, high.into()) };
        let shifted = |by: Expr| Expr { width, kind: ExprKind::Shift(op, value.clone().into(), by.into()) };
        let all = shifted(Expr::constant(Value::from_u64(WIDEST_AMOUNT, width.into())));
        let kind = ExprKind::Mux(beyond.into(), all.into(), shifted(low).into());
        let whole = self.simple(&Expr { width, kind });
        self.text(&whole, &BITS, place)
    }

    fn sign_extended(&mut self, value: &Expr, width: u32, place: &mut Place) -> Text {
        let fill = width - value.width;
        let value = self.selectable(value, place);
        let top =
            Expr { width: 1, kind: ExprKind::Slice { value: value.clone().into(), offset: value.width - 1 } };
        let sign = if value.width == 1 { value.clone() } else { top };
        let sign = self.simple(&sign);
        let sign = self.text(&sign, &BITS, place).text;
        let low = self.text(&value, &BITS, place).text;
        Text::primary(format!("{{{{{fill}{{{sign}}}}}, {low}}}"))
    }

    /// An expression of the same value that bits can be selected from: a name or a selection.
    fn selectable(&mut self, expr: &Expr, place: &mut Place) -> Expr {
        match &expr.kind {
            ExprKind::Slice { value, .. } if matches!(value.kind, ExprKind::Read(_)) => expr.clone(),
            ExprKind::Read(id) if !self.table.is_parameter(*id) => expr.clone(),
            _ => Expr::read(self.name(expr, place), expr.width),
        }
    }

    fn slice(&mut self, value: &Expr, offset: u32, width: u32, place: &mut Place) -> Text {
        let id = self.name(value, place);
        if self.table.entry(id).width == 1 {
            return Text::primary(self.table.read_all(id));
        }
        let name = self.table.read(id, offset, width);
        Text::primary(match width {
            1 => format!("{name}[{offset}]"),
            _ => format!("{name}[{}:{offset}]", offset + width - 1),
        })
    }

    /// A select at a run-time offset: direct where the offset cannot leave the operand, else from the operand
    /// padded with zeros to everything the offset can reach.
    fn select(&mut self, value: &Expr, offset: &Expr, width: u32, place: &mut Place) -> Text {
        let offset = without_leading_zeros(offset);
        let reach = 1u64.checked_shl(offset.width).filter(|_| offset.width < 32).unwrap_or(u64::MAX);
        if value.width > 1 && reach.saturating_sub(1).saturating_add(width.into()) <= u64::from(value.width) {
            let value = self.selectable_name(value, place);
            return self.direct_select(value, &offset, width, place);
        }
        let bits = offset.width.min(index_width(value.width));
        let padded_width = (1 << bits) + width - 1;
        let padded = self.simple(&Expr {
            width: padded_width,
            kind: ExprKind::Resize { signed: false, value: value.clone().into() },
        });
        let padded = self.selectable_name(&padded, place);
        if offset.width == bits {
            return self.direct_select(padded, &offset, width, place);
        }
        let offset = self.selectable(&offset, place);
        let constants = |_| None;
        let low = slice(offset.clone(), 0, bits, &constants);
        let high = slice(offset.clone(), bits, offset.width - bits, &constants);
        let high = Expr { width: 1, kind: ExprKind::Reduce(ReduceOp::Or, high.into()) };
        let high = self.simple(&high);
        let beyond = self.text(&high, &BITS, place).operand();
        let inside = self.direct_select(padded, &low, width, place).text;
        Text::loose(format!("{beyond} ? {} : {inside}", literal(&Value::zero(width))))
    }

    fn direct_select(&mut self, from: SignalId, offset: &Expr, width: u32, place: &mut Place) -> Text {
        let name = self.table.read_all(from);
        // The index has exactly the width that the vector needs, neither more nor less.
        let needed = index_width(self.table.entry(from).width);
        let offset = self.simple(&Expr {
            width: needed,
            kind: ExprKind::Resize { signed: false, value: offset.clone().into() },
        });
        let index = self.text(&offset, &BITS, place).text;
        Text::primary(match width {
            1 => format!("{name}[{index}]"),
            _ => format!("{name}[{index} +: {width}]"),
        })
    }

    fn replace_bit(&mut self, value: &Expr, index: &Expr, bit: &Expr, place: &mut Place) -> Text {
        let width = value.width;
        let index = match is_plain(index) {
            true => index.clone(),
            false => Expr::read(self.name(index, place), index.width),
        };
        let index = self.text(&index, &BITS, place).operand();
        let value = self.text(value, &BITS, place).operand();
        let bit =
            self.simple(&Expr { width, kind: ExprKind::Resize { signed: false, value: bit.clone().into() } });
        let bit = self.text(&bit, &BITS, place).operand();
        let one = literal(&Value::from_u64(width, 1));
        Text::loose(format!("({value} & ~({one} << {index})) | ({bit} << {index})"))
    }

    fn concat(&mut self, parts: &[Expr], place: &mut Place) -> Text {
        let texts: Vec<String> = parts.iter().rev().map(|part| self.text(part, &BITS, place).text).collect();
        let last = texts.len().saturating_sub(1);
        let texts: Vec<String> = texts
            .into_iter()
            .enumerate()
            .map(|(at, text)| if at == last { text } else { text + "," })
            .collect();
        Text::primary(format!("{{{}}}", wrapped(&texts, " ")))
    }

    /// A name that bits can be selected from at run time.
    fn selectable_name(&mut self, expr: &Expr, place: &mut Place) -> SignalId {
        match &expr.kind {
            ExprKind::Read(id) if !self.table.is_parameter(*id) => *id,
            _ => self.name(expr, place),
        }
    }

    /// A name for the value of `expr`: its own, or that of a new wire or block variable.
    pub fn name(&mut self, expr: &Expr, place: &mut Place) -> SignalId {
        if let ExprKind::Read(id) = &expr.kind {
            if !self.table.is_parameter(*id) {
                return *id;
            }
        }
        let text = self.text(expr, &BITS, place).text;
        if reads_any(expr, place.owned) {
            let name = self.table.names.numbered(place.stem, 0);
            place.before.push(format!("{name} = {text};"));
            let id = self.table.add(name, expr.width, Net::Reg, &BITS);
            place.variables.push(id);
            return id;
        }
        if let Some(id) = self.named.get(&text) {
            return *id;
        }
        let name = self.table.names.numbered(place.stem, 0);
        self.lines.push(format!("wire {}{name} = {text};", super::table::range(expr.width)));
        let id = self.table.add(name, expr.width, Net::Inline, &BITS);
        self.named.insert(text, id);
        id
    }
}

/// True if `expr` reads one of `ids`.
pub fn reads_any(expr: &Expr, ids: &BTreeSet<SignalId>) -> bool {
    let mut found = false;
    visit_reads(expr, &mut |id| found |= ids.contains(&id));
    found
}

/// Calls `visit` for every signal read in `expr`.
pub fn visit_reads(expr: &Expr, visit: &mut dyn FnMut(SignalId)) {
    if let ExprKind::Read(id) = &expr.kind {
        visit(*id);
    }
    expr.parts().into_iter().for_each(|part| visit_reads(part, visit));
}

/// True for what is short and needs no parentheses: a name, a literal, a selection from a name.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(_) | ExprKind::Const(_) => true,
        ExprKind::Slice { value, .. } => matches!(value.kind, ExprKind::Read(_)),
        _ => false,
    }
}

/// The low part of a zero-extended expression.
fn without_leading_zeros(expr: &Expr) -> Expr {
    let ExprKind::Concat(parts) = &expr.kind else { return expr.clone() };
    match parts.split_last() {
        Some((top, low)) if matches!(&top.kind, ExprKind::Const(zero) if zero.is_zero()) => {
            super::simplify::concat(low.to_vec())
        }
        _ => expr.clone(),
    }
}

/// `parts` joined, with line ends where the lines would get long.
fn wrapped(parts: &[String], gap: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for part in parts {
        if column > 0 {
            let breaks = column + part.len() > LINE;
            out.push_str(if breaks { "\n        " } else { gap });
            column = if breaks { 0 } else { column };
        }
        out.push_str(part);
        column += part.len() + gap.len();
    }
    out
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

fn comparison(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "==",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::LessEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEqual => ">=",
    }
}

fn reduction(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::And => "&",
        ReduceOp::Or => "|",
        ReduceOp::Xor => "^",
    }
}
