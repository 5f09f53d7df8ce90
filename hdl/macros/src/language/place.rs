//! What a path of fields leads to: a signal, a register, a child, or one of their elements.

use super::body::Body;
use super::path::is_layout_field;
use super::structure::Kind;
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Member, Result};

/// A place in the block.
pub struct Place {
    /// Rust that leads to it.
    pub rust: TokenStream,
    /// Its name in the description.
    pub name: String,
    /// What it is.
    pub what: What,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A field of the struct.
    Field(Kind),
    /// An array of these.
    Array(Kind),
    /// Something inside a child or an interface, whose type only the compiler knows.
    Member,
    /// `x[i]` of a member: an element or a bit.
    MemberAt,
}

impl Body<'_> {
    /// The place that an expression names; `None` if it names none.
    pub fn place(&mut self, expression: &Expr) -> Result<Option<Place>> {
        match expression {
            Expr::Path(path) => {
                let Some(ident) = path.path.get_ident() else { return Ok(None) };
                if ident == "self" {
                    return refuse(ident, "fields are named without `self`: write `x`, not `self.x`");
                }
                if self.local(&ident.to_string()).is_some() {
                    return Ok(None);
                }
                let Some(field) = self.structure.field(&ident.to_string()) else { return Ok(None) };
                if let Some(function) = self.inlining.last() {
                    return refuse(
                        ident,
                        format_args!("`{function}` sees its arguments only: pass it `{ident}`"),
                    );
                }
                if field.kind == Kind::Plain {
                    return refuse(ident, "a field whose name begins with `_` is no hardware");
                }
                let me = self.me(ident.span());
                let what = if field.array { What::Array(field.kind) } else { What::Field(field.kind) };
                Ok(Some(Place {
                    rust: quote_spanned!(ident.span()=> #me.#ident),
                    name: ident.to_string(),
                    what,
                }))
            }
            Expr::Field(field) => self.member(field),
            Expr::Index(index) => self.element(index),
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Group(inner) => self.place(&inner.expr),
            _ => Ok(None),
        }
    }

    fn member(&mut self, field: &syn::ExprField) -> Result<Option<Place>> {
        if matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) {
            return refuse(&field.base, "fields are named without `self`: write `x`, not `self.x`");
        }
        let Some(base) = self.place(&field.base)? else { return Ok(None) };
        let Member::Named(name) = &field.member else { return refuse(&field.member, "name the field") };
        let pins: &[&str] = match base.what {
            What::Field(Kind::Reg) => &["clock", "d", "q"],
            What::Field(Kind::Register) => &["clock", "clear", "enable", "d", "q"],
            What::Field(Kind::Interface | Kind::Child) | What::Member | What::MemberAt => {
                let rust = base.rust;
                let rust = quote_spanned!(name.span()=> #rust.#name);
                return Ok(Some(Place { rust, name: format!("{}${name}", base.name), what: What::Member }));
            }
            What::Array(_) => return refuse(&field.base, "this is an array: say which element, `x[0]`"),
            What::Field(_) => return Ok(None),
        };
        if !pins.iter().any(|pin| name == pin) {
            return Ok(None);
        }
        let rust = base.rust;
        Ok(Some(Place {
            rust: quote!(#rust.#name),
            name: format!("{}${name}", base.name),
            what: What::Member,
        }))
    }

    fn element(&mut self, index: &syn::ExprIndex) -> Result<Option<Place>> {
        let Some(base) = self.place(&index.expr)? else { return Ok(None) };
        let what = match base.what {
            What::Array(kind) => What::Field(kind),
            // A range or a field of a layout can only be bits.
            What::Member if !matches!(&*index.index, Expr::Range(_)) && !is_layout_field(&index.index) => {
                match self.is_static(&index.index) {
                    true => What::MemberAt,
                    false => return Ok(None),
                }
            }
            What::MemberAt => return Ok(None),
            _ => return Ok(None),
        };
        let (at, name) = self.static_index(&index.index)?;
        let rust = base.rust;
        let rust = quote_spanned!(index.span()=> #rust[#at]);
        Ok(Some(Place { rust, name: format!("{}[{name}]", base.name), what }))
    }

    /// True for an index made of numbers, constants and loop variables.
    pub fn is_static(&self, index: &Expr) -> bool {
        match index {
            Expr::Lit(_) => true,
            Expr::Paren(inner) => self.is_static(&inner.expr),
            Expr::Binary(two) => self.is_static(&two.left) && self.is_static(&two.right),
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.is_loop(&name.to_string()))
                    || self.is_constant(index)
            }
            other => self.is_constant(other),
        }
    }

    /// An index of an array as Rust and as it stands in a name.
    pub fn static_index(&mut self, index: &Expr) -> Result<(TokenStream, String)> {
        if self.is_constant(index) && !matches!(index, Expr::Lit(_)) {
            let rust = quote_spanned!(index.span()=> (::flitforge_base::language::literal(#index) as usize));
            let name = self.number(&rust);
            return Ok((rust, name));
        }
        match index {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Int(number) => {
                    let number: usize = number.base10_parse()?;
                    Ok((quote_spanned!(index.span()=> #number), number.to_string()))
                }
                other => refuse(other, "an index is a number"),
            },
            Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.is_loop(&name.to_string())) => {
                Ok((quote!(#path), quote!(#path).to_string()))
            }
            Expr::Paren(inner) => {
                let (rust, name) = self.static_index(&inner.expr)?;
                Ok((quote!((#rust)), format!("({name})")))
            }
            Expr::Binary(two) => {
                let operator = match two.op {
                    BinOp::Add(_) => "+",
                    BinOp::Sub(_) => "-",
                    BinOp::Mul(_) => "*",
                    BinOp::Div(_) => "/",
                    BinOp::Rem(_) => "%",
                    BinOp::Shl(_) => "<<",
                    BinOp::Shr(_) => ">>",
                    _ => return refuse(two.op, "an index is made with `+ - * / % << >>`"),
                };
                let (left, left_name) = self.static_index(&two.left)?;
                let (right, right_name) = self.static_index(&two.right)?;
                let op = &two.op;
                Ok((quote!(#left #op #right), format!("{left_name}{operator}{right_name}")))
            }
            other => refuse(
                other,
                "an element of an array is chosen by numbers, constants and loop variables; \
                 choose by a signal with `if` or `match`",
            ),
        }
    }
}
