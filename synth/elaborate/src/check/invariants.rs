//! The rules of `graph`: widths, ranges, names.

use super::{Kind, Problem};
use crate::graph::{Design, Expr, ExprKind, Module, Shape, Statement};
use crate::identifier::is_keyword;
use std::collections::HashSet;

pub(super) fn check(design: &Design) -> Vec<Problem> {
    let mut problems = vec![];
    for module in &design.modules {
        let mut checker = Checker { module, problems: &mut problems };
        checker.names();
        checker.body(&module.body);
    }
    problems
}

struct Checker<'a> {
    module: &'a Module,
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn error(&mut self, kind: Kind, item: &str, reason: impl Into<String>) {
        self.problems.push(Problem::error(kind, format!("{}.{item}", self.module.name), reason));
    }

    fn names(&mut self) {
        let mut seen = HashSet::new();
        let signals = self.module.signals.iter().map(|signal| (&signal.path, &signal.name));
        let instances = self.module.instances.iter().map(|instance| (&instance.path, &instance.name));
        let memories = self.module.memories.iter().map(|memory| (&memory.path, &memory.name));
        let names: Vec<_> = signals.chain(instances).chain(memories).collect();
        for (path, name) in names {
            if is_keyword(name) {
                self.error(Kind::Name, path, format!("its Verilog name `{name}` is a keyword"));
            }
            if !seen.insert(name) {
                self.error(Kind::Name, path, format!("its Verilog name `{name}` is taken"));
            }
        }
        for signal in self.module.signals.iter().filter(|signal| signal.width == 0) {
            self.error(Kind::Width, &signal.path, "has no bits");
        }
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Assign { target, value } => {
                    let target = self.module.signal(*target);
                    if target.width != value.width {
                        let reason = format!("{} bits get {}", target.width, value.width);
                        self.error(Kind::Width, &target.path, reason);
                    }
                    let copy = matches!(value.kind, ExprKind::Read(_));
                    self.expr(value, &target.path, copy && target.shape == Shape::Clock);
                }
                Statement::AssignSlice { target, offset, value } => {
                    let target = self.module.signal(*target);
                    if offset + value.width > target.width {
                        let reason = format!("bits {offset}.. of {} do not exist", target.width);
                        self.error(Kind::OutOfRange, &target.path, reason);
                    }
                    self.expr(value, &target.path, false);
                }
                Statement::If { condition, then, otherwise } => {
                    self.expr(condition, "a condition", false);
                    self.body(then);
                    self.body(otherwise);
                }
                Statement::Case { selector, arms, default } => {
                    self.expr(selector, "a selector", false);
                    for (value, body) in arms {
                        if value.width() != selector.width {
                            self.error(Kind::Width, "a case", "arm and selector differ in width");
                        }
                        self.body(body);
                    }
                    self.body(default);
                }
            }
        }
    }

    /// Checks an expression that is part of what drives `target`.
    fn expr(&mut self, expr: &Expr, target: &str, clock_copy: bool) {
        let wrong = |ok: bool, what: &'static str| (!ok).then_some(what);
        let mut parts: Vec<&Expr> = vec![];
        let fault = match &expr.kind {
            ExprKind::Const(value) => wrong(value.width() == expr.width, "a literal of another width"),
            ExprKind::Read(id) => {
                let signal = self.module.signal(*id);
                if signal.shape == Shape::Clock && !clock_copy {
                    let reason = format!("the clock `{}` is used as data; copy clocks only", signal.path);
                    self.error(Kind::ClockAsData, target, reason);
                }
                wrong(signal.width == expr.width, "a read of another width")
            }
            ExprKind::Not(a) | ExprKind::Negate(a) => {
                parts.push(a);
                wrong(a.width == expr.width, "an operand of another width")
            }
            ExprKind::Reduce(_, a) => {
                parts.push(a);
                wrong(expr.width == 1, "a reduction to several bits")
            }
            ExprKind::Binary(_, a, b) => {
                parts.extend([a.as_ref(), b]);
                wrong(a.width == expr.width && b.width == expr.width, "operands of different widths")
            }
            ExprKind::Compare { left, right, .. } => {
                parts.extend([left.as_ref(), right]);
                wrong(left.width == right.width && expr.width == 1, "a comparison of different widths")
            }
            ExprKind::Shift(_, a, b) => {
                parts.extend([a.as_ref(), b]);
                wrong(a.width == expr.width, "a shift of another width")
            }
            ExprKind::Resize { value, .. } => {
                parts.push(value);
                if value.width == expr.width {
                    let reason = "a cast to the operand's own width: remove it, or, if it is a function of yours \
                                  whose name begins with `bits` or `bit_cast`, rename it, since rust-hdl drops it";
                    let path = format!("{}.{target}", self.module.name);
                    self.problems.push(Problem::warning(Kind::CastToOwnWidth, path, reason));
                }
                None
            }
            ExprKind::Slice { value, offset } => {
                parts.push(value);
                wrong(offset + expr.width <= value.width, "a select beyond the operand's end")
            }
            ExprKind::SelectDynamic { value, offset } => {
                parts.extend([value.as_ref(), offset]);
                None
            }
            ExprKind::ReplaceBit { value, index, bit } => {
                parts.extend([value.as_ref(), index, bit]);
                wrong(value.width == expr.width && bit.width == 1, "a bit replacement of another width")
            }
            ExprKind::Concat(inner) => {
                parts.extend(inner);
                let sum: u32 = inner.iter().map(|part| part.width).sum();
                wrong(sum == expr.width, "parts that do not add up")
            }
            ExprKind::Mux(c, a, b) => {
                parts.extend([c.as_ref(), a, b]);
                wrong(
                    c.width == 1 && a.width == expr.width && b.width == expr.width,
                    "a choice of different widths",
                )
            }
        };
        if let Some(fault) = fault {
            self.error(Kind::Width, target, format!("contains {fault}"));
        }
        parts.into_iter().for_each(|part| self.expr(part, target, false));
    }
}
