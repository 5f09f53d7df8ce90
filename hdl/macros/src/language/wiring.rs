//! What is wired without being written: clocks, clears, enables, and that a register keeps its value.

use super::body::{Body, Code, Local};
use super::structure::{Field, Kind};
use crate::encoder::refuse;
use quote::{format_ident, quote};
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, Ident, Member, Result};

/// The pins of fields that a body drives itself: `x.clear = ..`, `x[i].clear = ..`, `x = In { clear, .. }`.
#[derive(Default)]
pub struct Driven(HashSet<(String, String)>);

impl Driven {
    /// Looks for them.
    pub fn by(body: &syn::Block) -> Self {
        let mut driven = Self::default();
        driven.visit_block(body);
        driven
    }

    fn has(&self, field: &Ident, pin: &str) -> bool {
        self.0.contains(&(field.to_string(), pin.to_string()))
    }
}

impl Visit<'_> for Driven {
    fn visit_expr_assign(&mut self, assignment: &ExprAssign) {
        if let (Expr::Struct(ports), Some(field)) = (&*assignment.right, name(&assignment.left)) {
            for port in &ports.fields {
                if let Member::Named(pin) = &port.member {
                    self.0.insert((field.clone(), pin.to_string()));
                }
            }
        }
        if let Expr::Field(member) = &*assignment.left {
            if let (Member::Named(pin), Some(field)) = (&member.member, name(&member.base)) {
                self.0.insert((field, pin.to_string()));
            }
        }
        visit::visit_expr_assign(self, assignment);
    }
}

/// `x` of `x` and `x[i]`.
fn name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Index(index) => name(&index.expr),
        Expr::Paren(inner) => name(&inner.expr),
        _ => None,
    }
}

impl Body<'_> {
    /// The statements that come before the body.
    pub fn wiring(&mut self, body: &syn::Block) -> Result<Code> {
        let driven = Driven::by(body);
        let structure = self.structure;
        let mut out = Code::default();
        for field in &structure.fields {
            let mut pins = self.pins(field, &driven)?;
            let wired = pins.iter().position(|(pin, _)| pin == "d");
            match wired {
                // `#[wire(d = _)]`: the body gives it a value on every path.
                Some(place) if matches!(pins[place].1, Expr::Infer(_)) => drop(pins.remove(place)),
                Some(_) => {}
                None if field.kind == Kind::Reg => {
                    let ident = &field.ident;
                    pins.push((format_ident!("d", span = ident.span()), syn::parse_quote!(#ident)));
                }
                None => {}
            }
            if !pins.is_empty() {
                out.push(self.wire(field, &pins)?);
            }
        }
        Ok(out)
    }

    /// The pins of a field that are wired, and what each gets.
    fn pins(&self, field: &Field, driven: &Driven) -> Result<Vec<(Ident, Expr)>> {
        let mut pins = vec![];
        let usual: &[&str] = match field.kind {
            Kind::Reg => &["clock"],
            Kind::Register => &["clock", "clear", "enable"],
            _ => &[],
        };
        let with_d = field.kind == Kind::Reg;
        for (pin, _) in &field.wire {
            if pin != "d" && driven.has(&field.ident, &pin.to_string()) {
                return refuse(pin, format_args!("the body drives `{}.{pin}`, too", field.ident));
            }
            let known =
                field.kind == Kind::Child || usual.iter().any(|usual| pin == usual) || with_d && pin == "d";
            if !known {
                return refuse(pin, format_args!("this register has {}", usual.join(", ")));
            }
        }
        for usual in usual.iter().filter(|pin| !driven.has(&field.ident, pin)) {
            if field.wire.iter().any(|(pin, _)| pin == usual) {
                continue;
            }
            let pin = Ident::new(usual, field.ident.span());
            match self.structure.common(usual) {
                _ if *usual == "enable" => pins.push((pin, syn::parse_quote!(true))),
                Some(common) => pins.push((pin, syn::parse_quote!(#common))),
                None => {
                    return refuse(
                        &field.ident,
                        format_args!(
                            "which {usual}? The block has no input `{usual}`: `#[wire({usual} = ..)]`, or \
                             `#[block({usual} = ..)]` for all registers"
                        ),
                    )
                }
            }
        }
        pins.extend(field.wire.iter().cloned());
        Ok(pins)
    }

    fn wire(&mut self, field: &Field, pins: &[(Ident, Expr)]) -> Result<Code> {
        let name = &field.ident;
        let mut out = Code::default();
        if !field.array {
            for (pin, value) in pins {
                out.push(self.drive(&syn::parse_quote!(#name.#pin), value)?);
            }
            return Ok(out);
        }
        let index = Ident::new(&self.signal("element"), name.span());
        let me = self.me(name.span());
        let count = self.number(quote!(#me.#name.len()));
        self.connects.push(Default::default());
        let code = self.scoped(|body| {
            body.declare(&index, Local::Loop)?;
            body.describe.extend(quote!(let #index = 0usize;));
            for (pin, value) in pins {
                let own = matches!(value, Expr::Path(path) if path.path.is_ident(name));
                let value: Expr = if own { syn::parse_quote!(#name[#index]) } else { value.clone() };
                out.push(body.drive(&syn::parse_quote!(#name[#index].#pin), &value)?);
            }
            Ok(out)
        });
        let connects = self.connects.pop().map(|(connects, _)| connects).unwrap_or_default();
        if let Some((all, _)) = self.connects.last_mut() {
            all.extend(quote!(for #index in 0..#me.#name.len() { #connects }));
        }
        let code = code?;
        let rust = code.rust;
        Ok(Code::new(
            quote!(for #index in 0..#me.#name.len() { #rust }),
            format!("L {index} i32 0 usize {count} {} }}", code.words),
        ))
    }
}
