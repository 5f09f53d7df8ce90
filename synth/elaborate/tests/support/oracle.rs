//! A small evaluator of graphs, written for the tests alone: bits as `Vec<bool>`, statements in program order.

use flitforge_elaborate::graph::*;
use flitforge_elaborate::Value;
use std::collections::BTreeMap;

type Bits = Vec<bool>;

fn bits(value: &Value) -> Bits {
    (0..value.width()).map(|at| value.bit(at)).collect()
}

fn value(bits: &Bits) -> Value {
    let mut value = Value::zero(bits.len() as u32);
    bits.iter().enumerate().for_each(|(at, bit)| value.set_bit(at as u32, *bit));
    value
}

fn number(bits: &Bits) -> usize {
    let big = bits.iter().skip(20).any(|bit| *bit);
    let low = bits.iter().take(20).enumerate().map(|(at, bit)| usize::from(*bit) << at).sum();
    if big {
        usize::MAX / 4
    } else {
        low
    }
}

fn add(a: &Bits, b: &Bits, carry: bool) -> Bits {
    let mut carry = carry;
    a.iter()
        .zip(b)
        .map(|(x, y)| {
            let sum = *x as u8 + *y as u8 + carry as u8;
            carry = sum > 1;
            sum & 1 == 1
        })
        .collect()
}

fn not(a: &Bits) -> Bits {
    a.iter().map(|bit| !bit).collect()
}

fn less(a: &Bits, b: &Bits) -> bool {
    a.iter().rev().cmp(b.iter().rev()).is_lt()
}

fn shifted(a: &Bits, by: usize) -> Bits {
    (0..a.len()).map(|at| at >= by && a[at - by]).collect()
}

fn binary(op: BinaryOp, a: &Bits, b: &Bits) -> Bits {
    let bitwise = |f: fn(bool, bool) -> bool| a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect();
    match op {
        BinaryOp::Add => add(a, b, false),
        BinaryOp::Sub => add(a, &not(b), true),
        BinaryOp::And => bitwise(|x, y| x & y),
        BinaryOp::Or => bitwise(|x, y| x | y),
        BinaryOp::Xor => bitwise(|x, y| x ^ y),
        BinaryOp::Mul => {
            let mut sum = vec![false; a.len()];
            for (at, bit) in b.iter().enumerate() {
                if *bit {
                    sum = add(&sum, &shifted(a, at), false);
                }
            }
            sum
        }
    }
}

fn compare(op: CompareOp, signed: bool, a: &Bits, b: &Bits) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    if signed {
        for side in [&mut a, &mut b] {
            let top = side.last_mut().expect("width 1 or more");
            *top = !*top;
        }
    }
    match op {
        CompareOp::Equal => a == b,
        CompareOp::NotEqual => a != b,
        CompareOp::Less => less(&a, &b),
        CompareOp::LessEqual => !less(&b, &a),
        CompareOp::Greater => less(&b, &a),
        CompareOp::GreaterEqual => !less(&a, &b),
    }
}

/// Values of signals.
pub type Environment = BTreeMap<SignalId, Value>;

fn expression(expr: &Expr, env: &Environment) -> Bits {
    let go = |inner: &Expr| expression(inner, env);
    let width = expr.width as usize;
    let out = match &expr.kind {
        ExprKind::Const(constant) => bits(constant),
        ExprKind::Read(id) => bits(env.get(id).unwrap_or_else(|| panic!("{id:?} read before it is written"))),
        ExprKind::Not(a) => not(&go(a)),
        ExprKind::Negate(a) => add(&not(&go(a)), &vec![false; width], true),
        ExprKind::Reduce(ReduceOp::And, a) => vec![go(a).iter().all(|bit| *bit)],
        ExprKind::Reduce(ReduceOp::Or, a) => vec![go(a).iter().any(|bit| *bit)],
        ExprKind::Reduce(ReduceOp::Xor, a) => vec![go(a).iter().filter(|bit| **bit).count() % 2 == 1],
        ExprKind::Binary(op, a, b) => binary(*op, &go(a), &go(b)),
        ExprKind::Compare { op, signed, left, right } => vec![compare(*op, *signed, &go(left), &go(right))],
        ExprKind::Shift(op, value, amount) => {
            let (value, by) = (go(value), number(&go(amount)));
            let fill = *op == ShiftOp::ArithmeticRight && value[width - 1];
            match op {
                ShiftOp::Left => shifted(&value, by),
                _ => (0..width).map(|at| value.get(at + by).copied().unwrap_or(fill)).collect(),
            }
        }
        ExprKind::Resize { signed, value } => {
            let value = go(value);
            let fill = *signed && value[value.len() - 1];
            (0..width).map(|at| value.get(at).copied().unwrap_or(fill)).collect()
        }
        ExprKind::Slice { value, offset } => go(value)[*offset as usize..*offset as usize + width].to_vec(),
        ExprKind::SelectDynamic { value, offset } => {
            let (value, from) = (go(value), number(&go(offset)));
            (0..width).map(|at| value.get(at + from).copied().unwrap_or(false)).collect()
        }
        ExprKind::ReplaceBit { value, index, bit } => {
            let (mut value, at, bit) = (go(value), number(&go(index)), go(bit)[0]);
            if let Some(place) = value.get_mut(at) {
                *place = bit;
            }
            value
        }
        ExprKind::Concat(parts) => parts.iter().flat_map(go).collect(),
        ExprKind::Mux(condition, a, b) => go(if go(condition)[0] { a } else { b }),
    };
    assert_eq!(out.len(), width, "{expr:?}");
    out
}

/// The value of an expression.
pub fn evaluate(expr: &Expr, env: &Environment) -> Value {
    value(&expression(expr, env))
}

fn statements(list: &[Statement], env: &mut Environment, module: &Module) {
    for statement in list {
        match statement {
            Statement::Assign { target, value } => {
                env.insert(*target, evaluate(value, env));
            }
            Statement::AssignSlice { target, offset, value } => {
                let part = evaluate(value, env);
                let width = module.signal(*target).width;
                let old = env.entry(*target).or_insert_with(|| Value::zero(width));
                (0..part.width()).for_each(|bit| old.set_bit(offset + bit, part.bit(bit)));
            }
            Statement::If { condition, then, otherwise } => {
                let taken = if evaluate(condition, env).bit(0) { then } else { otherwise };
                statements(taken, env, module);
            }
            Statement::Case { selector, arms, default } => {
                let selector = evaluate(selector, env);
                let taken =
                    arms.iter().find(|(value, _)| *value == selector).map_or(default, |(_, list)| list);
                statements(taken, env, module);
            }
        }
    }
}

/// Runs a single module without instances and memories on `vectors` (inputs that are not clocks, in port
/// order): outputs before each rising edge.
pub fn run(design: &Design, vectors: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let module = design.top_module();
    let mut state: Environment =
        module.registers.iter().map(|register| (register.q, register.initial.clone())).collect();
    let inputs: Vec<SignalId> = module
        .ports()
        .filter(|(_, port)| port.kind == SignalKind::Input && port.shape != Shape::Clock)
        .map(|(id, _)| id)
        .collect();
    let outputs: Vec<SignalId> =
        module.ports().filter(|(_, port)| port.kind == SignalKind::Output).map(|(id, _)| id).collect();
    vectors
        .iter()
        .map(|vector| {
            let mut env = state.clone();
            env.extend(inputs.iter().copied().zip(vector.iter().cloned()));
            for (id, signal) in (0u32..).map(SignalId).zip(&module.signals) {
                match &signal.kind {
                    SignalKind::Constant(value) => drop(env.insert(id, value.clone())),
                    SignalKind::Input if signal.shape == Shape::Clock => drop(env.insert(id, Value::zero(1))),
                    _ => {}
                }
            }
            statements(&module.body, &mut env, module);
            for register in &module.registers {
                if register.clear.is_some_and(|id| env[&id].bit(0)) {
                    state.insert(register.q, register.initial.clone());
                } else if register.enable.is_none_or(|id| env[&id].bit(0)) {
                    state.insert(register.q, env[&register.d].clone());
                }
            }
            outputs.iter().map(|id| env[id].clone()).collect()
        })
        .collect()
}
