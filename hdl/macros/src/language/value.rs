//! Expressions.

use super::body::{Body, Local};
use super::path::is_constant_path;
use super::place::{Place, What};
use super::structure::Kind;
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Member, Path, Result, UnOp};

/// What can be done with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number that takes its type from where it goes.
    Literal,
    /// A signal or a field of one: bits of it can be named.
    Signal,
    /// Bits or a field of a signal.
    Part,
    /// Anything else.
    Other,
}

/// A value as Rust and as words.
pub struct Value {
    /// Rust.
    pub rust: TokenStream,
    /// Words of the description.
    pub words: String,
    /// What can be done with it.
    pub form: Form,
}

impl Value {
    /// A value that is no literal and no signal.
    pub fn other(rust: TokenStream, words: String) -> Self {
        Self { rust, words, form: Form::Other }
    }
    /// Bits or a field of a signal.
    pub fn part(rust: TokenStream, words: String) -> Self {
        Self { rust, words, form: Form::Part }
    }
    fn signal(rust: TokenStream, words: String) -> Self {
        Self { rust, words, form: Form::Signal }
    }
}

impl Body<'_> {
    /// True for a named constant or const generic, and for arithmetic with them.
    pub fn is_constant(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Path(path) => {
                is_constant_path(&path.path)
                    && path.path.get_ident().is_none_or(|name| {
                        let name = name.to_string();
                        self.local(&name).is_none() && self.structure.field(&name).is_none()
                    })
            }
            Expr::Paren(inner) => self.is_constant(&inner.expr),
            Expr::Binary(two) => {
                let number = |side: &Expr| is_number(side) || self.is_constant(side);
                let operator = matches!(
                    two.op,
                    BinOp::Add(_)
                        | BinOp::Sub(_)
                        | BinOp::Mul(_)
                        | BinOp::Div(_)
                        | BinOp::Rem(_)
                        | BinOp::Shl(_)
                        | BinOp::Shr(_)
                );
                operator && number(&two.left) && number(&two.right)
            }
            _ => false,
        }
    }

    /// A value that goes to a place with a type: a literal takes this type.
    pub fn assigned(&mut self, expression: &Expr) -> Result<Value> {
        let value = self.value(expression)?;
        if value.form != Form::Literal {
            return Ok(value);
        }
        let rust = value.rust;
        Ok(Value::other(quote_spanned!(expression.span()=> (#rust).into()), value.words))
    }

    /// A value.
    pub fn value(&mut self, expression: &Expr) -> Result<Value> {
        if self.is_constant(expression) {
            let rust = quote_spanned!(expression.span()=> ::flitforge_base::language::literal(#expression));
            let word = self.number(quote!((#rust as usize)));
            return Ok(Value { rust, words: format!("usize {word}"), form: Form::Literal });
        }
        if let Some(place) = self.place(expression)? {
            return self.read(place, expression);
        }
        match expression {
            Expr::Path(path) => self.named(path),
            Expr::Lit(literal) => self.literal(literal),
            Expr::Paren(inner) => {
                let value = self.value(&inner.expr)?;
                if value.form == Form::Literal {
                    return Ok(value);
                }
                let rust = value.rust;
                Ok(Value::other(quote_spanned!(inner.span()=> (#rust)), format!("p {}", value.words)))
            }
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Binary(two) => self.binary(two),
            Expr::Unary(one) => {
                let UnOp::Not(not) = one.op else { return refuse(one, "the operator of one value is `!`") };
                let value = self.value(&one.expr)?;
                let rust = value.rust;
                Ok(Value::other(quote!(#not #rust), format!("! {}", value.words)))
            }
            Expr::Index(index) => self.select(index),
            Expr::Field(field) => self.field(field),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Struct(_) => refuse(
                expression,
                "only a `let` and what is driven can have such a value: bind it to a `let` first",
            ),
            Expr::Cast(cast) => refuse(cast.as_token, "a block has no `as`: use `bit_cast::<TO, FROM>(x)`"),
            other => refuse(other, "this expression is no hardware"),
        }
    }

    fn read(&mut self, place: Place, at: &Expr) -> Result<Value> {
        let Place { rust, name, what } = place;
        let val = |rust: TokenStream| quote_spanned!(at.span()=> #rust.val());
        match what {
            What::Field(Kind::Reg | Kind::Register) => {
                Ok(Value::signal(val(quote!(#rust.q)), format!("s {name}$q")))
            }
            What::Field(Kind::Interface | Kind::Child) => {
                refuse(at, "this is a child or an interface: name one of its ports, `x.port`")
            }
            What::Field(_) | What::Member => Ok(Value::signal(val(rust), format!("s {name}"))),
            What::Array(_) => refuse(at, "this is an array: say which element, `x[0]`"),
            What::MemberAt => self.element_or_bit(name, at),
        }
    }

    /// `child.port[i]`: the compiler knows whether `port` is an array or a value.
    fn element_or_bit(&mut self, name: String, at: &Expr) -> Result<Value> {
        let index = match at {
            Expr::Index(index) => index,
            other => return refuse(other, "write this without parentheses"),
        };
        let Some(base) = self.place(&index.expr)? else { return refuse(at, "this is no port") };
        let rust = base.rust;
        let is_array = self.is_array(&quote_spanned!(at.span()=> &#rust), at.span());
        let (place, words) = self.index(&index.index)?;
        let rust = quote_spanned!(at.span()=> ::flitforge_base::language::Indexed::at(&#rust, #place));
        Ok(Value::signal(rust, format!("E {is_array} {name} s {} {words}", base.name)))
    }

    /// A `let`, an argument, a loop variable, or a variant of an enum.
    fn named(&mut self, path: &syn::ExprPath) -> Result<Value> {
        if let Some(name) = path.path.get_ident() {
            return match self.local(&name.to_string()) {
                Some(Local::Let { signal, .. }) => {
                    let words = format!("s {signal}");
                    Ok(Value::signal(quote!(#path), words))
                }
                Some(Local::Argument(words)) => {
                    let words = words.clone();
                    Ok(Value::signal(quote!(#path), words))
                }
                Some(Local::Loop) => {
                    let rust =
                        quote_spanned!(path.span()=> (#path as ::flitforge_base::language::hdl::LiteralType));
                    Ok(Value { rust, words: format!("s {name}"), form: Form::Literal })
                }
                None => refuse(path, format_args!("the block has no field, `let` or constant `{name}`")),
            };
        }
        let plain = path.path.segments.iter().all(|segment| segment.arguments.is_none());
        let variant = path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase()));
        if !plain || !variant {
            return refuse(path, "this is no variant of an enum and no constant");
        }
        Ok(Value::other(quote!(#path), format!("s {}", variant_name(&path.path))))
    }

    fn literal(&mut self, literal: &syn::ExprLit) -> Result<Value> {
        match &literal.lit {
            Lit::Bool(bit) => {
                Ok(Value::other(quote!(#literal), if bit.value { "t".into() } else { "f".into() }))
            }
            Lit::Int(number) => {
                let value: u64 = match (number.suffix(), number.base10_parse()) {
                    ("" | "u64" | "usize", Ok(value)) => value,
                    ("", Err(_)) => {
                        return refuse(number, "a literal has 64 bits: build a larger one with `cat`")
                    }
                    (_, _) => {
                        return refuse(number, "a literal has no type of its own: write the number alone")
                    }
                };
                let kind = if i32::try_from(value).is_ok() { "i32" } else { "u64" };
                Ok(Value { rust: quote!(#literal), words: format!("{kind} {value}"), form: Form::Literal })
            }
            other => refuse(other, "only numbers, `true` and `false` are hardware"),
        }
    }

    fn binary(&mut self, two: &syn::ExprBinary) -> Result<Value> {
        let word = crate::expressions::binary(&two.op)?;
        let (left, right) = (self.operand(two, &two.left)?, self.operand(two, &two.right)?);
        let numbers = left.form == Form::Literal && right.form == Form::Literal;
        if numbers && is_number(&two.left) && is_number(&two.right) {
            return refuse(two, "both sides are numbers without a width: use a named constant");
        }
        // Of loop variables and constants arithmetic makes a number, and a comparison a bit.
        let form = if numbers && !compares(&two.op) { Form::Literal } else { Form::Other };
        let (op, a, b) = (&two.op, left.rust, right.rust);
        let rust = match form {
            Form::Literal => quote!((#a #op #b)),
            _ => quote!(#a #op #b),
        };
        Ok(Value { rust, words: format!("{word} {} {}", left.words, right.words), form })
    }

    /// An operand. Rust binds `&`, `^` and `|` more tightly than a comparison, Verilog less: parentheses make them equal.
    fn operand(&mut self, two: &syn::ExprBinary, side: &Expr) -> Result<Value> {
        let mut value = self.value(side)?;
        let inner = match side {
            Expr::Binary(inner) => Some(inner.op),
            _ => None,
        };
        if compares(&two.op) && matches!(inner, Some(BinOp::BitAnd(_) | BinOp::BitXor(_) | BinOp::BitOr(_))) {
            value.words = format!("p {}", value.words);
        }
        Ok(value)
    }

    /// An index as a `usize` of Rust and as words.
    pub fn index(&mut self, index: &Expr) -> Result<(TokenStream, String)> {
        if self.is_static(index) && !self.has_division(index) {
            return self.static_words(index);
        }
        let value = self.value(index)?;
        if value.form != Form::Signal {
            return refuse(
                index,
                "an index is made of numbers, constants and loop variables, or is one signal: \
                 bind it to a `let` first",
            );
        }
        let rust = value.rust;
        Ok((quote_spanned!(index.span()=> #rust.index()), value.words))
    }

    fn has_division(&self, index: &Expr) -> bool {
        match index {
            Expr::Paren(inner) => self.has_division(&inner.expr),
            Expr::Binary(two) => {
                (matches!(two.op, BinOp::Div(_) | BinOp::Rem(_)) && !self.is_constant(index))
                    || self.has_division(&two.left)
                    || self.has_division(&two.right)
            }
            _ => false,
        }
    }

    fn static_words(&mut self, index: &Expr) -> Result<(TokenStream, String)> {
        match index {
            Expr::Binary(two) if !self.is_constant(index) => {
                let word = crate::expressions::binary(&two.op)?;
                let (a, left) = self.static_words(&two.left)?;
                let (b, right) = self.static_words(&two.right)?;
                let op = &two.op;
                Ok((quote!(#a #op #b), format!("{word} {left} {right}")))
            }
            Expr::Paren(inner) if !self.is_constant(index) => {
                let (rust, words) = self.static_words(&inner.expr)?;
                Ok((quote!((#rust)), format!("p {words}")))
            }
            other => {
                let (rust, name) = self.static_index(other)?;
                let words = match name.chars().next() {
                    Some('#') => format!("usize {name}"),
                    Some(digit) if digit.is_ascii_digit() => format!("i32 {name}"),
                    _ => format!("s {name}"),
                };
                Ok((rust, words))
            }
        }
    }

    /// A field of a packed struct, `x.field` or `x.field.inner`.
    fn field(&mut self, field: &syn::ExprField) -> Result<Value> {
        let (base, path) = self.field_path(field)?;
        let value = self.value(base)?;
        if value.form != Form::Signal {
            return refuse(field, "only a signal or a `let` has fields: bind the value to a `let` first");
        }
        let (width, low) = self.field_bits(&value.rust, &path);
        let rust = value.rust;
        Ok(Value::part(
            quote_spanned!(field.span()=> #rust #(.#path)*),
            format!("F {width} {low} {}", value.words),
        ))
    }

    /// The signal that `x.a.b` is a field of, and the names of the fields.
    fn field_path<'e>(&mut self, field: &'e syn::ExprField) -> Result<(&'e Expr, Vec<syn::Ident>)> {
        let Member::Named(name) = &field.member else { return refuse(&field.member, "name the field") };
        if let Expr::Field(outer) = &*field.base {
            if self.place(&field.base)?.is_none() {
                let (base, mut path) = self.field_path(outer)?;
                path.push(name.clone());
                return Ok((base, path));
            }
        }
        Ok((&field.base, vec![name.clone()]))
    }

    /// The words for width and lowest bit of a field of `value`.
    pub fn field_bits(&mut self, value: &TokenStream, path: &[syn::Ident]) -> (String, String) {
        let field = match path {
            [.., last] => quote_spanned!(last.span()=> #value #(.#path)*),
            [] => value.clone(),
        };
        (self.width(&field), self.low(value, path))
    }
}

fn compares(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

fn is_number(expression: &Expr) -> bool {
    matches!(expression, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)))
}

/// `State$Idle` of `State::Idle`; modules before the enum are of no account.
pub fn variant_name(path: &Path) -> String {
    let mut names: Vec<String> = path.segments.iter().rev().take(2).map(|s| s.ident.to_string()).collect();
    names.reverse();
    names.join("$")
}
