//! Functions of the impl, inlined where they are called.

use super::assign::Target;
use super::body::{Body, Code, Local};
use super::value::{Form, Value};
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, FnArg, Ident, ItemFn, Pat, Result, ReturnType, Stmt, Type};

/// A function that can be inlined.
struct Function {
    parameters: Vec<(Ident, Type)>,
    result: Type,
    item: ItemFn,
}

impl Function {
    fn new(item: ItemFn) -> Result<Self> {
        let generics = &item.sig.generics;
        if !generics.params.is_empty() {
            return refuse(
                generics,
                "a function of a block has no parameters of its own: use those of the impl",
            );
        }
        let mut parameters = vec![];
        for input in &item.sig.inputs {
            let FnArg::Typed(typed) = input else {
                return refuse(input, "a function of a block has no `self`: pass it what it reads");
            };
            let Pat::Ident(name) = &*typed.pat else { return refuse(&typed.pat, "an argument has one name") };
            parameters.push((name.ident.clone(), (*typed.ty).clone()));
        }
        let ReturnType::Type(_, result) = &item.sig.output else {
            return refuse(&item.sig.ident, "a function of a block has a value");
        };
        Ok(Self { parameters, result: (**result).clone(), item })
    }
}

impl Body<'_> {
    /// `Self::function(arguments)`.
    pub fn inline(&mut self, call: &ExprCall) -> Result<Value> {
        let Expr::Path(path) = &*call.func else { return refuse(&call.func, "this is no function") };
        let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let Some(item) = self.functions.get(&name).cloned() else {
            return refuse(path, format_args!("the impl has no function `{name}`"));
        };
        if self.inlining.contains(&name) {
            return refuse(path, format_args!("`{name}` calls itself: hardware has no recursion"));
        }
        let function = Function::new(item)?;
        if function.parameters.len() != call.args.len() {
            let (wanted, given) = (function.parameters.len(), call.args.len());
            return refuse(path, format_args!("`{name}` takes {wanted} values, not {given}"));
        }
        let mut scope = HashMap::new();
        let (mut rust_arguments, mut placeholders) = (vec![], TokenStream::new());
        for ((parameter, ty), argument) in function.parameters.iter().zip(&call.args) {
            let value = self.assigned(argument)?;
            let words = self.argument(&name, parameter, ty, &value);
            scope.insert(parameter.to_string(), Local::Argument(words));
            placeholders.extend(quote!(let #parameter: #ty = ::core::default::Default::default();));
            rust_arguments.push(value.rust);
        }
        let outer = (std::mem::replace(&mut self.scopes, vec![scope]), std::mem::take(&mut self.describe));
        self.inlining.push(name.clone());
        let result = self.function_body(&name, &function);
        self.inlining.pop();
        let inner = std::mem::replace(&mut self.describe, outer.1);
        self.scopes = outer.0;
        self.describe.extend(quote!({ #placeholders #inner }));
        let (rust_body, words) = result?;
        self.inlined.entry(name).or_insert_with(|| {
            let ItemFn { attrs, vis, sig, .. } = &function.item;
            quote!(#(#attrs)* #vis #sig { #rust_body })
        });
        Ok(Value {
            rust: quote_spanned!(call.span()=> #path(#(#rust_arguments),*)),
            form: if words.starts_with("s ") { Form::Signal } else { Form::Other },
            words,
        })
    }

    /// The words that stand for an argument: those of a signal, or those of a signal of its own.
    fn argument(&mut self, function: &str, parameter: &Ident, ty: &Type, value: &Value) -> String {
        if value.form == Form::Signal {
            return value.words.clone();
        }
        let signal = self.signal(&format!("{function}_{parameter}"));
        self.describe.extend(quote!(let _: #ty = __described.typed(#signal);));
        let statement = format!("A s {signal} {}", value.words);
        self.has_a_value(&signal);
        self.needs(&statement);
        format!("s {signal}")
    }

    /// Words of a statement that goes before the one that is being read.
    fn needs(&mut self, statement: &str) {
        let mut before = Code::new(TokenStream::new(), std::mem::take(&mut self.before));
        before.say(statement);
        self.before = before.words;
    }

    /// The Rust of a function's body, and the words of its value.
    fn function_body(&mut self, name: &str, function: &Function) -> Result<(TokenStream, String)> {
        super::Attributes::refuse_in(&function.item.block)?;
        let statements = &function.item.block.stmts;
        let Some((Stmt::Expr(last, None), lets)) = statements.split_last() else {
            return refuse(&function.item.block, "a function of a block ends with its value");
        };
        let mut rust = TokenStream::new();
        for statement in lets {
            match statement {
                Stmt::Local(_) => {
                    let code = self.statement(statement)?;
                    self.needs(&code.words);
                    rust.extend(code.rust);
                }
                other => return refuse(other, "a function of a block has `let`s and its value"),
            }
        }
        let composed = matches!(last, Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Struct(_));
        if !composed {
            let value = self.assigned(last)?;
            rust.extend(value.rust);
            let words = match value.form {
                Form::Signal => value.words,
                _ => format!("p {}", value.words),
            };
            return Ok((rust, words));
        }
        let signal = self.signal(name);
        self.has_a_value(&signal);
        let result = &function.result;
        let code = self.give(&Target::signal(&signal), last)?;
        self.describe.extend(quote!(let _: #result = __described.typed(#signal);));
        self.needs(&code.words);
        code.rust.to_tokens(&mut rust);
        Ok((rust, format!("s {signal}")))
    }
}
