//! Expressions of a body, in prefix order.

use crate::encoder::{name, refuse, Encoder};
use syn::{BinOp, Expr, ExprCall, ExprField, ExprMethodCall, GenericArgument, PathArguments, Result, UnOp};

impl Encoder {
    /// Adds an expression.
    pub fn expression(&mut self, expression: &Expr) -> Result<()> {
        match expression {
            Expr::Path(path) => self.readable(path),
            Expr::Index(index) => self.signal(index),
            Expr::Field(field) => self.field_value(field),
            Expr::Paren(inner) => {
                self.put("p");
                self.expression(&inner.expr)
            }
            Expr::Binary(two) => {
                self.put(binary(&two.op)?);
                self.expression(&two.left)?;
                self.expression(&two.right)
            }
            Expr::Unary(one) => {
                self.put(match one.op {
                    UnOp::Not(_) => "!",
                    UnOp::Neg(_) => "-",
                    _ => return refuse(one, "this operator has no description"),
                });
                self.expression(&one.expr)
            }
            Expr::Lit(literal) => self.literal(literal),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            other => refuse(other, "this expression has no description"),
        }
    }

    /// A signal that is read.
    fn readable(&mut self, tokens: impl quote::ToTokens) -> Result<()> {
        let tokens = tokens.to_token_stream();
        if name(&tokens)?.ends_with("$next") {
            return refuse(tokens, "`.next` is written only: read `.val()`");
        }
        self.signal(tokens)
    }

    /// A signal by its path, or `x.val().field` of a `LogicStruct`.
    fn field_value(&mut self, field: &ExprField) -> Result<()> {
        if !name(&field.base)?.ends_with("val()") {
            return self.readable(field);
        }
        // Width, value, first bit.
        self.put("F");
        self.field(field)?;
        self.expression(&field.base)
    }

    /// A function of rust-hdl by its whole name.
    fn call(&mut self, call: &ExprCall) -> Result<()> {
        let segment = match &*call.func {
            Expr::Path(path) if path.path.segments.len() == 1 => path.path.segments.first(),
            _ => None,
        };
        let function = segment.map(|segment| segment.ident.to_string()).unwrap_or_default();
        let Some(argument) = call.args.first().filter(|_| call.args.len() == 1) else {
            return refuse(call, "a function of a block has one argument");
        };
        match function.as_str() {
            "bit_cast" | "bits" => {
                let width = match segment.map(|segment| &segment.arguments) {
                    Some(PathArguments::AngleBracketed(arguments)) => arguments.args.first(),
                    _ => None,
                };
                let Some(width) = width else {
                    return refuse(&call.func, format_args!("say the width: `{function}::<WIDTH>`"));
                };
                self.put("c");
                self.width(width)?;
            }
            "unsigned_cast" => self.put("us"),
            "signed_cast" | "signed_bit_cast" => self.put("sg"),
            _ => {
                return refuse(
                    &call.func,
                    "this function has no description: only `bit_cast`, `bits`, `unsigned_cast`, `signed_cast` and `signed_bit_cast` have one",
                )
            }
        }
        self.expression(argument)
    }

    /// The width in a turbofish.
    fn width(&mut self, argument: &GenericArgument) -> Result<()> {
        match argument {
            GenericArgument::Const(expression) => self.number(expression),
            GenericArgument::Type(width) if !matches!(width, syn::Type::Infer(_)) => self.number(width),
            other => return refuse(other, "say the width as a number or constant"),
        }
        Ok(())
    }

    fn method(&mut self, call: &ExprMethodCall) -> Result<()> {
        let method = call.method.to_string();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match (method.as_str(), &arguments[..]) {
            ("get_bits", [offset]) => {
                let width = call.turbofish.as_ref().and_then(|turbofish| turbofish.args.first());
                let Some(width) = width else {
                    return refuse(call, "say the width: `get_bits::<WIDTH>(first)`");
                };
                self.put("w");
                self.width(width)?;
                self.expression(&call.receiver)?;
                self.expression(offset)
            }
            ("get_bit", [index]) => {
                self.put("i");
                self.expression(&call.receiver)?;
                self.expression(index)
            }
            ("replace_bit", [index, value]) => {
                self.put("r");
                self.expression(&call.receiver)?;
                self.expression(index)?;
                self.expression(value)
            }
            ("all" | "any" | "xor", []) => {
                self.put(&method);
                self.expression(&call.receiver)
            }
            ("to_signed_bits", []) => {
                self.put("sg");
                self.expression(&call.receiver)
            }
            ("val" | "into" | "index" | "to_bits", []) => self.expression(&call.receiver),
            _ => refuse(
                &call.method,
                format_args!("`{method}` with {} arguments has no description", arguments.len()),
            ),
        }
    }
}

/// The word of an operator.
pub fn binary(operator: &BinOp) -> Result<&'static str> {
    Ok(match operator {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "b-",
        BinOp::Mul(_) => "*",
        BinOp::And(_) => "&&",
        BinOp::Or(_) => "||",
        BinOp::BitXor(_) => "^",
        BinOp::BitAnd(_) => "&",
        BinOp::BitOr(_) => "|",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        BinOp::Eq(_) => "==",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Ne(_) => "!=",
        BinOp::Ge(_) => ">=",
        BinOp::Gt(_) => ">",
        _ => return refuse(operator, "this operator has no description"),
    })
}
