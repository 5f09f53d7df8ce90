//! `#[init(..)]`: what registers, constants and children begin with.

use super::path::is_constant_path;
use super::structure::{Field, Kind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprClosure, Ident, Lit, Pat};

impl Field {
    /// The value of `#[init(..)]` as a value of the field.
    pub fn initial(&self) -> Option<TokenStream> {
        let init = self.init.as_ref()?;
        if self.vector {
            return Some(quote!(#init));
        }
        Some(match init {
            Expr::Closure(each) if self.array => {
                let (each, value) = (self.of_each(each), self.wrapped(quote!(value)));
                quote!(::flitforge_base::language::each(#each).map(|value| #value))
            }
            Expr::Array(values) if self.array => {
                let values = values.elems.iter().map(|value| self.wrapped(self.converted(value, None)));
                quote!([#(#values),*])
            }
            value if self.array => {
                let value = self.wrapped(self.converted(value, None));
                quote!(::std::array::from_fn(|_| #value))
            }
            value => self.wrapped(self.converted(value, None)),
        })
    }

    /// True if the value is that of a signal, and its type the one inside the field's.
    fn holds_a_value(&self) -> bool {
        matches!(self.kind, Kind::Register | Kind::Constant)
    }

    fn wrapped(&self, value: TokenStream) -> TokenStream {
        match self.kind {
            Kind::Register => quote!(Register::new(#value)),
            Kind::Constant => quote!(::flitforge_base::language::hdl::Constant::new(#value)),
            _ => value,
        }
    }

    /// `|place| value`, the value being converted.
    fn of_each(&self, each: &ExprClosure) -> TokenStream {
        let parameter = match each.inputs.first() {
            Some(Pat::Ident(parameter)) if each.inputs.len() == 1 => &parameter.ident,
            _ => return quote!(#each),
        };
        let value = self.converted(&each.body, Some(parameter));
        quote_spanned!(each.span()=> |#parameter| #value)
    }

    /// Numbers and codes become a value of the type that is wanted; what else there is has it already.
    fn converted(&self, value: &Expr, place: Option<&Ident>) -> TokenStream {
        match value {
            _ if !self.holds_a_value() => quote!(#value),
            Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)) => {
                quote_spanned!(value.span()=> (#value).into())
            }
            number if is_number(number, place) => {
                quote_spanned!(number.span()=> ::flitforge_base::language::literal(#number).into())
            }
            Expr::Path(variant) if self.of_bits && is_variant(&variant.path) => {
                quote_spanned!(variant.span()=> ::core::primitive::u64::from(#variant.code()).into())
            }
            other => quote!(#other),
        }
    }
}

/// True for numbers, named constants, the place in an array and what the operators of an index make of them.
fn is_number(value: &Expr, place: Option<&Ident>) -> bool {
    match value {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Path(path) => {
            is_constant_path(&path.path) || place.is_some_and(|place| path.path.is_ident(place))
        }
        Expr::Paren(inner) => is_number(&inner.expr, place),
        Expr::Binary(two) => {
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
            operator && is_number(&two.left, place) && is_number(&two.right, place)
        }
        _ => false,
    }
}

/// True for the path of a variant: `State::Idle`.
fn is_variant(path: &syn::Path) -> bool {
    path.segments.len() > 1
        && path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.starts_with(|first: char| first.is_ascii_uppercase()) && !is_constant_path(path)
        })
}
