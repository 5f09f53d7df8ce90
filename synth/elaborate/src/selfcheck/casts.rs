//! The casts of signed numbers in which rust-hdl recurses without end.
//!
//! `signed_bit_cast` of a negative number is computed as the cast of its negation, negated. The most negative number is its own
//! negation, so rust-hdl's simulation runs out of stack, which ends the process. The evaluator has no such trouble. So every
//! such cast gets a flag, a local of the module that is 1 where the cast runs with that number, and the flags are looked at
//! before rust-hdl's simulation sees the same inputs.

use crate::flat::Hierarchy;
use crate::graph::{
    BinaryOp, CompareOp, Design, Expr, ExprKind, Module, Shape, Signal, SignalId, SignalKind, Statement,
};
use crate::value::Value;
use crate::Evaluator;

/// The flags of a design's casts.
pub(super) struct Casts {
    /// Path of each flag, and where the cast stands.
    flags: Vec<(String, String)>,
}

impl Casts {
    /// Adds the flags to `design`.
    pub fn flag(design: &mut Design) -> Self {
        let places: Vec<Vec<(String, String)>> = design.modules.iter_mut().map(flag_module).collect();
        let mut flags = vec![];
        if places.iter().any(|places| !places.is_empty()) {
            let hierarchy = Hierarchy::new(design);
            for instance in 0..hierarchy.instances() {
                for (flag, place) in &places[hierarchy.module_id(instance).0 as usize] {
                    flags.push((hierarchy.inside(instance, flag), hierarchy.inside(instance, place)));
                }
            }
        }
        Self { flags }
    }

    /// Where a cast of the most negative number runs now.
    pub fn endless(&self, graph: &mut Evaluator) -> Option<String> {
        let runs = |(flag, _): &&(String, String)| graph.get(flag).is_some_and(|value| !value.is_zero());
        self.flags.iter().find(runs).map(|(_, place)| place.clone())
    }
}

/// Adds flags to a module; their paths, and where the casts stand.
fn flag_module(module: &mut Module) -> Vec<(String, String)> {
    let body = std::mem::take(&mut module.body);
    let mut flagger = Flagger { module, places: vec![], defaults: vec![] };
    let body = flagger.list(body);
    let Flagger { module, places, defaults } = flagger;
    module.body = defaults.into_iter().chain(body).collect();
    places
}

struct Flagger<'a> {
    module: &'a mut Module,
    places: Vec<(String, String)>,
    defaults: Vec<Statement>,
}

impl Flagger<'_> {
    fn list(&mut self, body: Vec<Statement>) -> Vec<Statement> {
        let mut out = vec![];
        for statement in body {
            let (expr, place) = match &statement {
                Statement::Assign { target, value } | Statement::AssignSlice { target, value, .. } => {
                    (value, self.module.signal(*target).path.clone())
                }
                Statement::If { condition, .. } => (condition, "a condition".into()),
                Statement::Case { selector, .. } => (selector, "the value of a match".into()),
            };
            let mut operands = vec![];
            casts_in(expr, false, &mut operands);
            for operand in operands {
                out.push(self.flag(operand, &place));
            }
            out.push(self.branches(statement));
        }
        out
    }

    fn branches(&mut self, statement: Statement) -> Statement {
        match statement {
            Statement::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.list(then), self.list(otherwise));
                Statement::If { condition, then, otherwise }
            }
            Statement::Case { selector, arms, default } => {
                let arms = arms.into_iter().map(|(value, body)| (value, self.list(body))).collect();
                Statement::Case { selector, arms, default: self.list(default) }
            }
            statement => statement,
        }
    }

    /// A new flag, set where `operand` is the most negative number.
    fn flag(&mut self, operand: Expr, place: &str) -> Statement {
        let flag = SignalId(self.module.signals.len() as u32);
        let path = format!("endless cast {}", self.places.len());
        self.module.signals.push(Signal {
            path: path.clone(),
            name: path.replace(' ', "_"),
            width: 1,
            kind: SignalKind::Local,
            shape: Shape::Bits,
        });
        self.places.push((path, place.into()));
        self.defaults.push(Statement::Assign { target: flag, value: Expr::constant(Value::zero(1)) });
        let mut least = Value::zero(operand.width);
        least.set_bit(operand.width - 1, true);
        let kind = ExprKind::Compare {
            op: CompareOp::Equal,
            signed: false,
            left: Box::new(operand),
            right: Box::new(Expr::constant(least)),
        };
        let value =
            ExprKind::Binary(BinaryOp::Or, Box::new(Expr::read(flag, 1)), Box::new(Expr { width: 1, kind }));
        Statement::Assign { target: flag, value: Expr { width: 1, kind: value } }
    }
}

/// The operands of the casts in `expr`. The extension of a product's factor is no cast.
fn casts_in(expr: &Expr, factor: bool, into: &mut Vec<Expr>) {
    let product = matches!(expr.kind, ExprKind::Binary(BinaryOp::Mul, ..));
    if let ExprKind::Resize { signed: true, value } = &expr.kind {
        if !factor {
            into.push(value.as_ref().clone());
        }
    }
    expr.parts().into_iter().for_each(|part| casts_in(part, product, into));
}
