//! A look-up table of four inputs as a short Verilog expression.

use std::collections::HashMap;
use std::rc::Rc;

/// The tables of the inputs A, B, C, D themselves.
const INPUTS: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// An expression of the inputs A (0) to D (3).
#[derive(Debug, PartialEq, Eq)]
enum Expression {
    Constant(bool),
    Input(usize),
    Not(Rc<Expression>),
    Both(&'static str, Rc<Expression>, Rc<Expression>),
    /// Input, value where it is 1, value where it is 0.
    Select(usize, Rc<Expression>, Rc<Expression>),
}

/// An expression with its number of operators.
type Costed = (u32, Rc<Expression>);

/// Finds expressions and remembers them: a netlist has few different tables.
#[derive(Debug, Default)]
pub struct Tables {
    known: HashMap<u16, Costed>,
}

impl Tables {
    /// The value of `table` (bit `{D, C, B, A}`) for inputs given as Verilog operands; `1'b0` and `1'b1` are folded.
    pub fn expression(&mut self, table: u16, inputs: &[String; 4]) -> String {
        let folded = inputs.iter().enumerate().fold(table, |table, (at, input)| match input.as_str() {
            "1'b0" => cofactors(table, at).0,
            "1'b1" => cofactors(table, at).1,
            _ => table,
        });
        render(&self.best(folded).1, inputs)
    }

    /// The cheapest way found to split the table at one of its inputs.
    fn best(&mut self, table: u16) -> Costed {
        if let Some(known) = self.known.get(&table) {
            return known.clone();
        }
        let best = match leaf(table) {
            Some(leaf) => leaf,
            None => {
                let splits = (0..4).filter(|at| depends(table, *at)).map(|at| self.split(table, at));
                // A table without leaf depends on an input.
                splits
                    .min_by_key(|(cost, _)| *cost)
                    .unwrap_or((0, Rc::new(Expression::Constant(table & 1 == 1))))
            }
        };
        self.known.insert(table, best.clone());
        best
    }

    fn split(&mut self, table: u16, at: usize) -> Costed {
        let (low, high) = cofactors(table, at);
        let input = || (0, Rc::new(Expression::Input(at)));
        match (low, high) {
            (0, _) => both("&", input(), self.best(high)),
            (_, 0) => both("&", not(input()), self.best(low)),
            (0xffff, _) => both("|", not(input()), self.best(high)),
            (_, 0xffff) => both("|", input(), self.best(low)),
            _ if low == !high => both("^", input(), self.best(low)),
            // Where one implies the other the multiplexer needs one of its halves only.
            _ if low & !high == 0 => both("|", self.best(low), both("&", input(), self.best(high))),
            _ if high & !low == 0 => both("|", self.best(high), both("&", not(input()), self.best(low))),
            _ => {
                let (low, high) = (self.best(low), self.best(high));
                (3 + low.0 + high.0, Rc::new(Expression::Select(at, high.1, low.1)))
            }
        }
    }
}

/// Constants and single inputs, also inverted.
fn leaf(table: u16) -> Option<Costed> {
    let input = |wanted: u16| INPUTS.iter().position(|of| *of == wanted);
    match table {
        0 | 0xffff => Some((0, Rc::new(Expression::Constant(table == 0xffff)))),
        _ => match (input(table), input(!table)) {
            (Some(at), _) => Some((0, Rc::new(Expression::Input(at)))),
            (_, Some(at)) => Some(not((0, Rc::new(Expression::Input(at))))),
            _ => None,
        },
    }
}

fn not((cost, of): Costed) -> Costed {
    (cost + 1, Rc::new(Expression::Not(of)))
}

fn both(operator: &'static str, left: Costed, right: Costed) -> Costed {
    (left.0 + right.0 + 1, Rc::new(Expression::Both(operator, left.1, right.1)))
}

/// The table where the input is 0 and where it is 1, each for both values of it.
fn cofactors(table: u16, at: usize) -> (u16, u16) {
    let (mask, shift) = (INPUTS[at], 1 << at);
    let (low, high) = (table & !mask, table & mask);
    (low | low << shift, high | high >> shift)
}

fn depends(table: u16, at: usize) -> bool {
    let (low, high) = cofactors(table, at);
    low != high
}

fn render(expression: &Expression, inputs: &[String; 4]) -> String {
    let inner = |of: &Expression| render(of, inputs);
    match expression {
        Expression::Constant(value) => format!("1'b{}", u8::from(*value)),
        Expression::Input(at) => inputs[*at].clone(),
        Expression::Not(of) => format!("(~{})", inner(of)),
        Expression::Both(operator, left, right) => format!("({} {operator} {})", inner(left), inner(right)),
        Expression::Select(at, high, low) => format!("({} ? {} : {})", inputs[*at], inner(high), inner(low)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &Expression, inputs: usize) -> bool {
        let inner = |of: &Expression| value(of, inputs);
        match expression {
            Expression::Constant(constant) => *constant,
            Expression::Input(at) => inputs >> at & 1 == 1,
            Expression::Not(of) => !inner(of),
            Expression::Both("&", left, right) => inner(left) & inner(right),
            Expression::Both("|", left, right) => inner(left) | inner(right),
            Expression::Both(_, left, right) => inner(left) ^ inner(right),
            Expression::Select(at, high, low) => inner(if inputs >> at & 1 == 1 { high } else { low }),
        }
    }

    #[test]
    fn every_table_keeps_its_value_for_all_inputs() {
        let mut tables = Tables::default();
        let mut worst = 0;
        for table in 0..=u16::MAX {
            let (cost, expression) = tables.best(table);
            worst = worst.max(cost);
            for inputs in 0..16 {
                assert_eq!(value(&expression, inputs), table >> inputs & 1 == 1, "{table:04x} {inputs}");
            }
        }
        println!("at most {worst} operators");
    }

    #[test]
    fn constants_are_folded_and_common_tables_are_short() {
        let mut tables = Tables::default();
        let names = |of: [&str; 4]| of.map(String::from);
        let all = names(["a", "b", "c", "d"]);
        assert_eq!(tables.expression(0x8000, &all), "(a & (b & (c & d)))");
        assert_eq!(tables.expression(0x6996, &all), "(a ^ (b ^ (c ^ d)))");
        assert_eq!(tables.expression(0xcaca, &all), "(c ? b : a)");
        assert_eq!(tables.expression(0x8000, &names(["a", "1'b1", "1'b1", "d"])), "(a & d)");
        assert_eq!(tables.expression(0x8000, &names(["a", "1'b0", "c", "d"])), "1'b0");
    }
}
