//! Steps: methods of the impl that `update` calls, each a part of its body under a name.
//!
//! A call gives way to the statements of the method before anything else is read.

use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, ExprAssign, ExprMethodCall, ExprPath, FnArg, Ident, ImplItemFn, Pat};
use syn::{PatIdent, Result, ReturnType, Stmt, Type};

/// The macro by which a body says what it knows of the types of a step; users have no macros.
pub const TYPES: &str = "__step_types";

/// True for a method that can be a step.
pub fn is_step(method: &ImplItemFn) -> bool {
    method.sig.receiver().is_some_and(|me| me.reference.is_some() && me.mutability.is_some())
}

/// Puts the steps that `update` calls where it calls them. Gives their names.
pub fn include(update: &mut ImplItemFn, methods: &BTreeMap<String, ImplItemFn>) -> Result<BTreeSet<String>> {
    let mut steps = Steps { methods, texts: vec![Text::of(&update.block, &[])], called: BTreeSet::new() };
    steps.put_into(&mut update.block)?;
    steps.check_names()?;
    Ok(steps.called)
}

/// What a body or a step says by itself, its steps not counted.
#[derive(Default)]
struct Text {
    /// Its `let`s, loop variables and parameters.
    own: BTreeSet<String>,
    /// Other names that it uses.
    uses: Vec<Ident>,
}

impl Text {
    fn of(block: &Block, parameters: &[(Ident, Type)]) -> Self {
        let mut text = Self::default();
        text.visit_block(block);
        text.own.extend(parameters.iter().map(|(name, _)| name.to_string()));
        text
    }
}

impl Visit<'_> for Text {
    fn visit_pat_ident(&mut self, name: &PatIdent) {
        self.own.insert(name.ident.to_string());
        visit::visit_pat_ident(self, name);
    }
    fn visit_expr_path(&mut self, path: &ExprPath) {
        self.uses.extend(path.path.get_ident().cloned());
    }
}

struct Steps<'a> {
    methods: &'a BTreeMap<String, ImplItemFn>,
    /// `update` and the steps that it has, directly and through others.
    texts: Vec<Text>,
    called: BTreeSet<String>,
}

/// Finds calls in blocks that are inside of others.
struct Inner<'a, 'b> {
    steps: &'a mut Steps<'b>,
    result: Result<()>,
}

impl VisitMut for Inner<'_, '_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        if self.result.is_ok() {
            self.result = self.steps.put_into(block);
        }
    }
}

impl Steps<'_> {
    fn put_into(&mut self, block: &mut Block) -> Result<()> {
        let mut statements = vec![];
        for mut statement in std::mem::take(&mut block.stmts) {
            if let Some((call, names)) = call(&statement)? {
                statements.extend(self.step(&call, names.as_deref())?);
                continue;
            }
            let mut inner = Inner { steps: self, result: Ok(()) };
            visit_mut::visit_stmt_mut(&mut inner, &mut statement);
            inner.result?;
            statements.push(statement);
        }
        block.stmts = statements;
        Ok(())
    }

    /// The statements in place of a call.
    fn step(&mut self, call: &ExprMethodCall, names: Option<&[Ident]>) -> Result<Vec<Stmt>> {
        let name = call.method.to_string();
        let Some(method) = self.methods.get(&name) else {
            return refuse(
                &call.method,
                format_args!("the impl has no step `{name}`: it is written `fn {name}(&mut self)`"),
            );
        };
        if !self.called.insert(name.clone()) {
            return refuse(
                &call.method,
                format_args!(
                    "`{name}` is there already: a step is a part of the body; what is used twice is a function"
                ),
            );
        }
        let parameters = parameters(method)?;
        check_arguments(call, &parameters)?;
        let mut block = method.block.clone();
        self.texts.push(Text::of(&block, &parameters));
        NotDriven { parameters: &parameters, result: Ok(()) }.check(&block)?;
        let given = given(method, &mut block, names, call)?;
        self.put_into(&mut block)?;
        let mut statements: Vec<Stmt> = types(&parameters).into_iter().collect();
        statements.append(&mut block.stmts);
        if names.is_none() {
            return Ok(vec![parse_quote!({ #(#statements)* })]);
        }
        statements.extend(types(&given));
        Ok(statements)
    }

    /// A text sees what is its own: every other `let` is passed to it.
    fn check_names(&self) -> Result<()> {
        for text in &self.texts {
            let others = || self.texts.iter().flat_map(|text| &text.own);
            for name in &text.uses {
                let word = name.to_string();
                if !text.own.contains(&word) && others().any(|other| *other == word) {
                    return refuse(
                        name,
                        format_args!("`{word}` is a `let` of another step: a step takes it, or gives it"),
                    );
                }
            }
        }
        Ok(())
    }
}

/// `self.step(..)`, and the names that its values get.
fn call(statement: &Stmt) -> Result<Option<(ExprMethodCall, Option<Vec<Ident>>)>> {
    let of_self = |expression: &Expr| match expression {
        Expr::MethodCall(call) if call.receiver.to_token_stream().to_string() == "self" => Some(call.clone()),
        _ => None,
    };
    match statement {
        Stmt::Expr(expression, _) => Ok(of_self(expression).map(|call| (call, None))),
        Stmt::Local(local) => {
            let Some(call) = local.init.as_ref().and_then(|init| of_self(&init.expr)) else {
                return Ok(None);
            };
            Ok(Some((call, Some(names(&local.pat)?))))
        }
        _ => Ok(None),
    }
}

/// `a` or `(a, b)`.
fn names(pattern: &Pat) -> Result<Vec<Ident>> {
    match pattern {
        Pat::Ident(PatIdent { by_ref: None, mutability: None, ident, subpat: None, .. }) => {
            Ok(vec![ident.clone()])
        }
        Pat::Tuple(tuple) => {
            Ok(tuple.elems.iter().map(names).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        }
        other => refuse(other, "what a step gives has a name each, and its types stand at the step"),
    }
}

fn parameters(method: &ImplItemFn) -> Result<Vec<(Ident, Type)>> {
    if !method.sig.generics.params.is_empty() {
        return refuse(&method.sig.generics, "a step has no parameters of its own: use those of the impl");
    }
    let typed = method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    typed
        .map(|typed| match &*typed.pat {
            Pat::Ident(PatIdent { mutability: None, ident, .. }) => Ok((ident.clone(), (*typed.ty).clone())),
            other => refuse(other, "what a step takes has one name, and is not changed by it"),
        })
        .collect()
}

/// The caller's `let`s are called in the step as they are called outside.
fn check_arguments(call: &ExprMethodCall, parameters: &[(Ident, Type)]) -> Result<()> {
    if parameters.len() != call.args.len() {
        let (name, wanted, given) = (&call.method, parameters.len(), call.args.len());
        return refuse(name, format_args!("`{name}` takes {wanted} values, not {given}"));
    }
    for ((parameter, _), argument) in parameters.iter().zip(&call.args) {
        if *parameter != argument.to_token_stream().to_string() {
            return refuse(
                argument,
                format_args!("a step takes `let`s under their own names: this is its `{parameter}`"),
            );
        }
    }
    Ok(())
}

/// Takes the value of a step from its end: names of `let`s, which its caller gives the same names.
fn given(
    method: &ImplItemFn,
    block: &mut Block,
    names: Option<&[Ident]>,
    call: &ExprMethodCall,
) -> Result<Vec<(Ident, Type)>> {
    let name = &method.sig.ident;
    let types: Vec<Type> = match &method.sig.output {
        ReturnType::Default => vec![],
        ReturnType::Type(_, ty) => match &**ty {
            Type::Tuple(tuple) => tuple.elems.iter().cloned().collect(),
            one => vec![one.clone()],
        },
    };
    let Some(names) = names else {
        return match types.is_empty() {
            true => Ok(vec![]),
            false => refuse(&call.method, format_args!("`{name}` gives a value: `let .. = self.{name}(..)`")),
        };
    };
    let end = match block.stmts.pop() {
        Some(Stmt::Expr(end, None)) if !types.is_empty() => end,
        _ => return refuse(name, "a step that gives a value ends with the names of `let`s: `(a, b)`"),
    };
    let ends: Vec<&Expr> = match &end {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        one => vec![one],
    };
    if ends.len() != types.len() || ends.len() != names.len() {
        return refuse(&end, format_args!("`{name}` gives {} values, and {} names", ends.len(), names.len()));
    }
    for (end, name) in ends.iter().zip(names) {
        if *name != end.to_token_stream().to_string() {
            return refuse(
                name,
                format_args!(
                    "a step gives `let`s under their own names: this is its `{}`",
                    end.to_token_stream()
                ),
            );
        }
    }
    Ok(names.iter().cloned().zip(types).collect())
}

/// What the compiler is to check: each of these has this type.
fn types(of: &[(Ident, Type)]) -> Option<Stmt> {
    let checks: TokenStream = of
        .iter()
        .map(|(name, ty)| {
            let shown = quote_spanned!(ty.span()=> &#name);
            quote!(let _: &#ty = #shown;)
        })
        .collect();
    let name = Ident::new(TYPES, proc_macro2::Span::call_site());
    (!of.is_empty()).then(|| parse_quote!(#name! { #checks }))
}

/// Refuses a step that drives what it was given.
struct NotDriven<'a> {
    parameters: &'a [(Ident, Type)],
    result: Result<()>,
}

impl NotDriven<'_> {
    fn check(mut self, block: &Block) -> Result<()> {
        self.visit_block(block);
        self.result
    }
}

impl Visit<'_> for NotDriven<'_> {
    fn visit_expr_assign(&mut self, assignment: &ExprAssign) {
        let mut place = &*assignment.left;
        loop {
            place = match place {
                Expr::Field(field) => &field.base,
                Expr::Index(index) => &index.expr,
                _ => break,
            };
        }
        if let Expr::Path(path) = place {
            if self.parameters.iter().any(|(name, _)| path.path.is_ident(name)) {
                self.result = refuse(path, "a step does not change what it takes");
            }
        }
        visit::visit_expr_assign(self, assignment);
    }
}
