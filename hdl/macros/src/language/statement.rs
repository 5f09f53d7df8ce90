//! Statements.

use super::body::{Body, Code, Local};
use super::path::is_constant_path;
use super::steps;
use super::value::{variant_name, Form, Value};
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::{Arm, Block, Expr, ExprForLoop, ExprIf, ExprMatch, Lit, Pat, RangeLimits, Result, Stmt};

impl Body<'_> {
    /// The statements of a block, in its own scope.
    pub fn block(&mut self, block: &Block) -> Result<Code> {
        self.scoped(|body| body.statements(&block.stmts))
    }

    /// Statements in the scope that is open.
    pub fn statements(&mut self, statements: &[Stmt]) -> Result<Code> {
        let mut out = Code::default();
        for statement in statements {
            out.push(self.statement(statement)?);
        }
        Ok(out)
    }

    /// A statement, after those that it needs.
    pub fn statement(&mut self, statement: &Stmt) -> Result<Code> {
        self.with_before(|body| match statement {
            Stmt::Local(local) => body.let_local(local),
            Stmt::Expr(expression, _) => body.effect(expression),
            Stmt::Macro(call) if call.mac.path.is_ident(steps::TYPES) => {
                body.describe.extend(call.mac.tokens.clone());
                Ok(Code::default())
            }
            Stmt::Macro(call) => {
                refuse(&call.mac.path, "a body has no macros: registers are wired by themselves")
            }
            Stmt::Item(item) => refuse(item, "a body has no items"),
        })
    }

    /// What `read` reads, after the statements that it needs.
    pub fn with_before(&mut self, read: impl FnOnce(&mut Self) -> Result<Code>) -> Result<Code> {
        let outer = std::mem::take(&mut self.before);
        let code = read(self);
        let before = std::mem::replace(&mut self.before, outer);
        let code = code?;
        let mut out = Code::new(code.rust, before);
        out.say(&code.words);
        Ok(out)
    }

    fn effect(&mut self, expression: &Expr) -> Result<Code> {
        match expression {
            Expr::Assign(assignment) => self.assignment(assignment),
            Expr::If(conditional) => self.conditional(conditional),
            Expr::Match(choice) => self.choice(choice),
            Expr::ForLoop(repeat) => self.repeat(repeat),
            Expr::Call(call) => self.link_or_join(call),
            Expr::Binary(two) if two.op.to_token_stream().to_string().ends_with('=') => {
                refuse(two.op, "write `x = x + y`")
            }
            Expr::Block(block) => self.block(&block.block),
            other => refuse(
                other,
                "this is no statement of a block: drive a signal, or use `let`, `if`, `match`, `for`, `link`, `join`",
            ),
        }
    }

    /// The condition of an `if`.
    pub fn condition(&mut self, condition: &Expr) -> Result<Value> {
        match condition {
            Expr::Let(binding) => refuse(binding.let_token, "a block has no `if let`: use `match`"),
            other => self.value(other),
        }
    }

    fn conditional(&mut self, conditional: &ExprIf) -> Result<Code> {
        let test = self.condition(&conditional.cond)?;
        let then = self.branch_block(&conditional.then_branch)?;
        let (test_rust, then_rust) = (test.rust, then.rust);
        let mut words = format!("I {} {} }}", test.words, then.words);
        let mut rust = quote_spanned!(conditional.if_token.span=> if #test_rust { #then_rust });
        match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
            None => words.push_str(" N"),
            Some(Expr::If(next)) => {
                let next = self.conditional(next)?;
                let next_rust = next.rust;
                rust.extend(quote!(else #next_rust));
                words.push_str(&format!(" J {}", next.words));
            }
            Some(Expr::Block(block)) => {
                let block = self.branch_block(&block.block)?;
                let block_rust = block.rust;
                rust.extend(quote!(else { #block_rust }));
                words.push_str(&format!(" E {} }}", block.words));
            }
            Some(other) => return refuse(other, "`else` is followed by a block or by `if`"),
        }
        Ok(Code::new(rust, words))
    }

    fn branch_block(&mut self, block: &Block) -> Result<Code> {
        self.conditions += 1;
        let code = self.block(block);
        self.conditions -= 1;
        code
    }

    fn choice(&mut self, choice: &ExprMatch) -> Result<Code> {
        let (test, integers) = self.selector(choice)?;
        let (mut arms, mut words) = (TokenStream::new(), format!("M {}", test.words));
        for arm in &choice.arms {
            let cases = self.cases(arm, integers)?;
            self.conditions += 1;
            let code = match &*arm.body {
                Expr::Block(block) => self.block(&block.block),
                Expr::Tuple(nothing) if nothing.elems.is_empty() => Ok(Code::default()),
                other => self.scoped(|body| body.with_before(|body| body.effect(other))),
            };
            self.conditions -= 1;
            let code = code?;
            let (pattern, rust) = (cases.rust, code.rust);
            arms.extend(quote!(#pattern => { #rust }));
            for case in cases.words.split(' ') {
                words.push_str(&format!(" {case} {} }}", code.words));
            }
        }
        let test = test.rust;
        Ok(Code::new(quote_spanned!(choice.match_token.span=> match #test { #arms }), words + " }"))
    }

    /// What a `match` looks at; true if its arms are numbers.
    pub fn selector(&mut self, choice: &ExprMatch) -> Result<(Value, bool)> {
        let integers =
            choice.arms.iter().any(|arm| alternatives(&arm.pat).iter().any(|pattern| is_integer(pattern)));
        let mut value = self.value(&choice.expr)?;
        if !matches!(value.form, Form::Signal | Form::Part) {
            return refuse(
                &choice.expr,
                "a `match` looks at a signal, a `let` or a part of one: bind the value to a `let` first",
            );
        }
        if integers {
            let rust = value.rust;
            value.rust = quote_spanned!(choice.expr.span()=> #rust.index());
        }
        Ok((value, integers))
    }

    /// The pattern of an arm, and its words.
    pub fn cases(&mut self, arm: &Arm, integers: bool) -> Result<Code> {
        if let Some((token, _)) = &arm.guard {
            return refuse(token, "an arm of a block has no guard: use `if` inside it");
        }
        let mut words = vec![];
        let mut rust = TokenStream::new();
        for (place, pattern) in alternatives(&arm.pat).into_iter().enumerate() {
            if place > 0 {
                rust.extend(quote!(|));
            }
            let (code, word) = self.case(pattern, integers)?;
            rust.extend(code);
            words.push(word);
        }
        Ok(Code::new(rust, words.join(" ")))
    }

    fn case(&mut self, pattern: &Pat, integers: bool) -> Result<(TokenStream, String)> {
        Ok(match pattern {
            Pat::Lit(literal) => match &literal.lit {
                Lit::Int(number) => (quote!(#literal), number.base10_parse::<u64>()?.to_string()),
                other => return refuse(other, "an arm is a variant, a number or `_`: use `if` for one bit"),
            },
            Pat::Path(path) if is_constant_path(&path.path) => {
                let number = self.number(quote!((#path as usize)));
                (quote!(#path), number)
            }
            Pat::Ident(name) if is_constant_path(&syn::Path::from(name.ident.clone())) => {
                let number = self.number(quote!((#name as usize)));
                (quote!(#name), number)
            }
            Pat::Path(path) if path.path.segments.len() > 1 && !integers => {
                (quote!(#path), variant_name(&path.path))
            }
            Pat::Wild(_) => (quote!(#pattern), "default".into()),
            other => {
                return refuse(
                    other,
                    "an arm is a variant (`State::Idle`), a number, a named constant or `_`",
                )
            }
        })
    }

    /// `for i in from..to`.
    fn repeat(&mut self, repeat: &ExprForLoop) -> Result<Code> {
        if let Some(label) = &repeat.label {
            return refuse(label, "a loop of a block has no label");
        }
        let Pat::Ident(index) = &*repeat.pat else { return refuse(&repeat.pat, "a loop has one variable") };
        let range = match &*repeat.expr {
            Expr::Range(range) if matches!(range.limits, RangeLimits::HalfOpen(_)) => range,
            other => return refuse(other, "a loop is `for i in from..to` with constant ends"),
        };
        let (Some(from), Some(to)) = (&range.start, &range.end) else {
            return refuse(range, "a loop is `for i in from..to` with constant ends");
        };
        let ((from, from_words), (to, to_words)) = (self.bound(from)?, self.bound(to)?);
        self.connects.push(Default::default());
        let code = self.scoped(|body| {
            body.declare(&index.ident, Local::Loop)?;
            let name = &index.ident;
            body.describe.extend(quote!(let #name = 0usize;));
            body.statements(&repeat.body.stmts)
        });
        let connects = self.connects.pop().map(|(connects, _)| connects).unwrap_or_default();
        let code = code?;
        let (name, rust) = (&index.ident, code.rust);
        if let Some((all, _)) = self.connects.last_mut() {
            all.extend(quote!(for #name in #from..#to { #connects }));
        }
        Ok(Code::new(
            quote_spanned!(repeat.for_token.span=> for #name in #from..#to { #rust }),
            format!("L {name} {from_words} {to_words} {} }}", code.words),
        ))
    }

    fn bound(&mut self, bound: &Expr) -> Result<(TokenStream, String)> {
        if !matches!(bound, Expr::Lit(_)) && !self.is_constant(bound) {
            return refuse(bound, "the ends of a loop are numbers and constants");
        }
        let (rust, name) = self.static_index(bound)?;
        let kind = if name.starts_with('#') { "usize" } else { "i32" };
        Ok((rust, format!("{kind} {name}")))
    }

    /// `link(own, child.port)` and `join(child.out, other.in)`.
    fn link_or_join(&mut self, call: &syn::ExprCall) -> Result<Code> {
        let function = call.func.to_token_stream().to_string();
        if function != "link" && function != "join" {
            return refuse(
                &call.func,
                "the functions that are statements are `link(own, child.port)` and `join(a, b)`",
            );
        }
        let [this, that] = &call.args.iter().collect::<Vec<_>>()[..] else {
            return refuse(&call.args, format_args!("two interfaces: `{function}(a, b)`"));
        };
        let mut end = |side: &Expr| match self.place(side)? {
            Some(place) => Ok(place),
            None => refuse(side, "this is no interface of the block or of a child"),
        };
        let (this, that) = (end(this)?, end(that)?);
        let (a, b, a_name, b_name) = (this.rust, that.rust, this.name, that.name);
        let words = format!("K {}", self.link());
        let span = call.func.span();
        if function == "link" {
            self.describe.extend(quote!(__described.link(#a_name, #b_name, || &#a);));
            self.connect(quote!(logic::LogicLink::link_connect_source(&mut #a);));
            self.connect(quote!(logic::LogicLink::link_connect_dest(&mut #b);));
            return Ok(Code::new(quote_spanned!(span=> logic::LogicLink::link(&mut #a, &mut #b);), words));
        }
        self.describe.extend(quote!(__described.join(#a_name, #b_name, || &#a);));
        self.connect(quote!(logic::LogicJoin::join_connect(&mut #a);));
        self.connect(quote!(logic::LogicJoin::join_connect(&mut #b);));
        Ok(Code::new(quote_spanned!(span=> #a.join(&mut #b);), words))
    }
}

/// The patterns of `a | b`.
fn alternatives(pattern: &Pat) -> Vec<&Pat> {
    match pattern {
        Pat::Or(or) => or.cases.iter().flat_map(alternatives).collect(),
        Pat::Paren(inner) => alternatives(&inner.pat),
        other => vec![other],
    }
}

fn is_integer(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Pat::Path(path) => is_constant_path(&path.path),
        Pat::Ident(name) => is_constant_path(&syn::Path::from(name.ident.clone())),
        _ => false,
    }
}
