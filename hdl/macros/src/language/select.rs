//! Bits of values, functions and methods.

use super::body::Body;
use super::path::is_layout_field;
use super::value::{Form, Value};
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprIndex, ExprMethodCall, GenericArgument, PathArguments, Result};

impl Body<'_> {
    /// `x[3]`, `x[i]`, `x[low..high]`, `x[layout::field]`.
    pub fn select(&mut self, index: &ExprIndex) -> Result<Value> {
        let value = self.selectable(&index.expr)?;
        let (rust, words) = (value.rust, value.words);
        match &*index.index {
            Expr::Range(range) => self.range(range, rust, words),
            field if is_layout_field(field) => {
                let base = quote!(::flitforge_base::language);
                let (width, low) = (self.number(quote!(#field::WIDTH)), self.number(quote!(#field::LOW)));
                let rust = quote_spanned! {field.span()=>
                    <#base::Width<{ #field::WIDTH }> as #base::FieldOf>::cut(#rust, #field::LOW)
                };
                Ok(Value::part(rust, format!("F {width} {low} {words}")))
            }
            at => {
                let (at_rust, at_words) = self.index(at)?;
                let rust = quote_spanned!(index.span()=> #rust.get_bit(#at_rust));
                Ok(Value::part(rust, format!("i {words} {at_words}")))
            }
        }
    }

    /// A value whose bits can be named.
    fn selectable(&mut self, expression: &Expr) -> Result<Value> {
        let value = self.value(expression)?;
        match value.form {
            Form::Signal => Ok(value),
            _ => refuse(expression, "only a signal or a `let` has bits: bind the value to a `let` first"),
        }
    }

    fn range(&mut self, range: &syn::ExprRange, rust: TokenStream, words: String) -> Result<Value> {
        let (Some(low), Some(high), syn::RangeLimits::HalfOpen(_)) =
            (&range.start, &range.end, &range.limits)
        else {
            return refuse(range, "bits are named by both ends: `x[low..high]`, without `high`");
        };
        for end in [low, high] {
            let fixed = matches!(&**end, Expr::Lit(_)) || self.is_constant(end);
            if !fixed {
                return refuse(
                    end,
                    "the ends of a range are numbers and constants: use `x.bits::<WIDTH>(low)` for others",
                );
            }
        }
        let literal = quote!(::flitforge_base::language::literal);
        let width = self.number(quote!((#literal(#high) - #literal(#low)) as usize));
        let (low_rust, low_words) = self.index(low)?;
        let rust = quote_spanned!(range.span()=> #rust.get_bits::<{ (#high) - (#low) }>(#low_rust));
        Ok(Value::part(rust, format!("w {width} {words} {low_words}")))
    }

    /// Methods.
    pub fn method(&mut self, call: &ExprMethodCall) -> Result<Value> {
        let method = call.method.to_string();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        if is_cat(&call.receiver) {
            return refuse(
                &call.receiver,
                "a method does not say how wide `cat` is: `let x: Bits<8> = cat(..)` first",
            );
        }
        if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            return refuse(
                &call.method,
                format_args!("what a step gives has a name first: `let x = self.{method}(..);`"),
            );
        }
        match (method.as_str(), &arguments[..]) {
            ("all" | "any" | "xor", []) => {
                let value = self.value(&call.receiver)?;
                let (rust, name) = (value.rust, &call.method);
                Ok(Value::other(
                    quote_spanned!(name.span()=> #rust.#name()),
                    format!("{method} {}", value.words),
                ))
            }
            ("into", []) => {
                let value = self.value(&call.receiver)?;
                let rust = value.rust;
                Ok(Value::other(quote_spanned!(call.method.span()=> (#rust).into()), value.words))
            }
            ("bits", [low]) => self.bits(call, low),
            ("with", [at, bit]) => self.with(call, at, bit),
            (old, _) => {
                let instead = match old {
                    "get_bit" => "write `x[i]`",
                    "get_bits" => "write `x[low..high]` or `x.bits::<WIDTH>(low)`",
                    "replace_bit" => "write `x.with(i, bit)`",
                    "val" => "a signal's name is its value: leave `.val()` away",
                    "index" => "a signal is an index as it is: leave `.index()` away",
                    _ => "a value has `all`, `any`, `xor`, `bits`, `with` and `into`",
                };
                refuse(&call.method, format_args!("`{old}` is no method of a block: {instead}"))
            }
        }
    }

    fn bits(&mut self, call: &ExprMethodCall, low: &Expr) -> Result<Value> {
        let Some(width) = call.turbofish.as_ref().and_then(|turbofish| turbofish.args.first()) else {
            return refuse(&call.method, "say the width: `x.bits::<WIDTH>(low)`");
        };
        let value = self.selectable(&call.receiver)?;
        let word = self.generic(width)?;
        let (at, low) = self.index(low)?;
        let rust = value.rust;
        Ok(Value::part(
            quote_spanned!(call.method.span()=> #rust.get_bits::<#width>(#at)),
            format!("w {word} {} {low}", value.words),
        ))
    }

    /// `x.with(i, bit)` and `x.with(layout::field, bit)`.
    fn with(&mut self, call: &ExprMethodCall, at: &Expr, bit: &Expr) -> Result<Value> {
        let value = self.value(&call.receiver)?;
        let (at_rust, at_words) = match at {
            field if is_layout_field(field) => {
                let low = self.number(quote!(#field::LOW));
                let one = quote_spanned! {field.span()=> {
                    const _: () = assert!(#field::WIDTH == 1, "`with` replaces one bit: this field has several");
                    #field::LOW
                }};
                (one, format!("usize {low}"))
            }
            other => self.index(other)?,
        };
        let bit = self.value(bit)?;
        let (rust, bit_rust) = (value.rust, bit.rust);
        Ok(Value::other(
            quote_spanned!(call.method.span()=> #rust.replace_bit(#at_rust, #bit_rust)),
            format!("r {} {at_words} {}", value.words, bit.words),
        ))
    }

    /// The word for a number in a turbofish.
    fn generic(&mut self, argument: &GenericArgument) -> Result<String> {
        match argument {
            GenericArgument::Const(number) => Ok(self.number(quote!((#number) as usize))),
            GenericArgument::Type(name) if !matches!(name, syn::Type::Infer(_)) => Ok(self.number(name)),
            other => refuse(other, "say the width as a number or constant"),
        }
    }

    /// Functions of the language, and functions of the impl.
    pub fn call(&mut self, call: &ExprCall) -> Result<Value> {
        let Expr::Path(path) = &*call.func else {
            return refuse(&call.func, "this is no function of a block");
        };
        if path.path.segments.len() == 2
            && path.path.segments.first().is_some_and(|first| first.ident == "Self")
        {
            return self.inline(call);
        }
        let Some(segment) = path.path.segments.last().filter(|_| path.path.segments.len() == 1) else {
            return refuse(path, "a block calls functions of its own impl: `Self::function(..)`");
        };
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match (segment.ident.to_string().as_str(), &arguments[..]) {
            ("cat", parts @ [_, ..]) => self.cat(parts),
            ("bit_cast", [value]) => self.bit_cast(path, segment, value),
            ("bits", [value]) => self.sized(path, segment, value),
            ("signed_cast", [value]) => {
                let value = self.value(value)?;
                let rust = value.rust;
                Ok(Value::other(quote!(#path(#rust)), format!("sg {}", value.words)))
            }
            ("unsigned_cast", [value]) => {
                let value = self.value(value)?;
                let rust = value.rust;
                Ok(Value::other(quote!(#path(#rust)), format!("us {}", value.words)))
            }
            (name, _) if self.functions.contains_key(name) => {
                refuse(path, format_args!("write `Self::{name}(..)`"))
            }
            _ => refuse(
                path,
                "a block calls `cat(low, .., high)`, `bit_cast::<TO, FROM>(x)`, `bits::<WIDTH>(n)`, `signed_cast(x)`, \
                 `unsigned_cast(x)` and functions of its own impl, `Self::function(..)`",
            ),
        }
    }

    fn cat(&mut self, parts: &[&Expr]) -> Result<Value> {
        let mut rust = quote!(::flitforge_base::language::Cat::default());
        let mut words = format!("cat {}", parts.len());
        for part in parts {
            let value = self.value(part)?;
            if value.form == Form::Literal {
                return refuse(part, "a number has no width in `cat`: write `bits::<WIDTH>(n)`");
            }
            let part_rust = value.rust;
            let width = self.width(&part_rust);
            words.push_str(&format!(" {width} {}", value.words));
            rust.extend(quote_spanned!(part.span()=> .push(#part_rust)));
        }
        Ok(Value::other(quote!(#rust.done()), words))
    }

    fn bit_cast(&mut self, path: &syn::ExprPath, segment: &syn::PathSegment, value: &Expr) -> Result<Value> {
        let [to, _] = generics(segment)[..] else {
            return refuse(path, "say both widths: `bit_cast::<TO, FROM>(x)`");
        };
        let to = self.generic(to)?;
        let inner = self.value(without_into(value))?;
        if inner.form == Form::Literal {
            return refuse(value, "a number has no width to be cast from: write `bits::<WIDTH>(n)`");
        }
        let rust = inner.rust;
        Ok(Value::other(
            quote_spanned!(path.span()=> #path((#rust).into())),
            format!("c {to} {}", inner.words),
        ))
    }

    fn sized(&mut self, path: &syn::ExprPath, segment: &syn::PathSegment, value: &Expr) -> Result<Value> {
        let [width] = generics(segment)[..] else {
            return refuse(path, "say the width: `bits::<WIDTH>(n)`");
        };
        let width = self.generic(width)?;
        let inner = self.value(value)?;
        if inner.form != Form::Literal {
            return refuse(
                value,
                "`bits` gives a number its width: use `bit_cast::<TO, FROM>(x)` for a value",
            );
        }
        let rust = inner.rust;
        Ok(Value::other(quote_spanned!(path.span()=> #path(#rust)), format!("c {width} {}", inner.words)))
    }
}

/// True for a concatenation, whose width comes from where it goes.
fn is_cat(value: &Expr) -> bool {
    match value {
        Expr::Paren(inner) => is_cat(&inner.expr),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if path.path.is_ident("cat")),
        _ => false,
    }
}

/// `x` of `x.into()`: a cast takes a `Bit` as it takes `Bits<1>`.
fn without_into(value: &Expr) -> &Expr {
    match value {
        Expr::MethodCall(call) if call.method == "into" && call.args.is_empty() => &call.receiver,
        other => other,
    }
}

/// The arguments of a turbofish.
fn generics(segment: &syn::PathSegment) -> Vec<&GenericArgument> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => vec![],
    }
}
