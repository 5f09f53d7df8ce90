//! Statements of a body.

use crate::encoder::{name, refuse, Encoder};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Block, Expr, ExprAssign, ExprCall, ExprField, ExprForLoop, ExprIf, ExprMatch, Macro, Member, Pat, Result,
};
use syn::{PathSegment, Stmt, Token};

impl Encoder {
    /// Adds the statements of a block.
    pub fn statements(&mut self, block: &Block) -> Result<()> {
        for statement in &block.stmts {
            match statement {
                Stmt::Expr(expression, _) => self.statement(expression)?,
                Stmt::Macro(call) => self.macro_call(&call.mac)?,
                Stmt::Local(local) => return refuse(local, "a body has no `let`: use a `Signal<Local, _>`"),
                Stmt::Item(item) => return refuse(item, "a body has no items"),
            }
        }
        Ok(())
    }

    /// Adds statements and what ends them.
    fn braced(&mut self, block: &Block) -> Result<()> {
        self.statements(block)?;
        self.put("}");
        Ok(())
    }

    fn statement(&mut self, expression: &Expr) -> Result<()> {
        match expression {
            Expr::Assign(assignment) => self.assignment(assignment),
            Expr::If(conditional) => self.conditional(conditional),
            Expr::Match(choice) => self.choice(choice),
            Expr::ForLoop(repeat) => self.repeat(repeat),
            Expr::Call(call) => self.wiring(call),
            Expr::Macro(call) => self.macro_call(&call.mac),
            other => refuse(
                other,
                "this is no statement of a block: assign to `.next`, or use `if`, `match`, `for`",
            ),
        }
    }

    /// `self.x.next = e` and `self.x.next.field = e`.
    fn assignment(&mut self, assignment: &ExprAssign) -> Result<()> {
        let Expr::Field(left) = &*assignment.left else {
            return refuse(&assignment.left, "assign to `.next`");
        };
        if name(left)?.ends_with("$next") {
            self.put("A");
            self.signal(left)?;
            return self.expression(&assignment.right);
        }
        match &*left.base {
            Expr::Field(next) if matches!(&next.member, Member::Named(member) if member == "next") => {
                self.put("S");
                self.expression(&next.base)?;
                self.field(left)?;
                self.expression(&assignment.right)
            }
            _ => refuse(left, "assign to `.next` or to `.next.field`"),
        }
    }

    /// Width and first bit of a field of a `LogicStruct`.
    pub fn field(&mut self, field: &ExprField) -> Result<()> {
        let Member::Named(member) = &field.member else { return refuse(field, "name the field") };
        let (base, width, offset) =
            (&field.base, format_ident!("get_my_width_{member}"), format_ident!("get_my_offset_{member}"));
        self.number(quote!(#base.#width()));
        self.number(quote!(#base.#offset()));
        Ok(())
    }

    fn conditional(&mut self, conditional: &ExprIf) -> Result<()> {
        self.put("I");
        self.expression(&conditional.cond)?;
        self.braced(&conditional.then_branch)?;
        match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
            None => self.put("N"),
            Some(Expr::Block(block)) => {
                self.put("E");
                self.braced(&block.block)?;
            }
            Some(Expr::If(next)) => {
                self.put("J");
                self.conditional(next)?;
            }
            Some(other) => return refuse(other, "`else` is followed by a block or by `if`"),
        }
        Ok(())
    }

    fn choice(&mut self, choice: &ExprMatch) -> Result<()> {
        self.put("M");
        self.expression(&choice.expr)?;
        for arm in &choice.arms {
            if let Some((_, guard)) = &arm.guard {
                return refuse(guard, "an arm of a block has no guard");
            }
            let condition = match &arm.pat {
                Pat::Ident(ident) if ident.subpat.is_none() => ident.ident.to_string(),
                Pat::Lit(literal) => literal.to_token_stream().to_string(),
                Pat::Path(path) => name(path)?,
                Pat::Wild(_) => "default".into(),
                other => return refuse(other, "an arm is a path, a decimal number or `_`"),
            };
            self.put(&condition);
            match &*arm.body {
                Expr::Block(block) => self.statements(&block.block)?,
                other => self.statement(other)?,
            }
            self.put("}");
        }
        self.put("}");
        Ok(())
    }

    fn repeat(&mut self, repeat: &ExprForLoop) -> Result<()> {
        let bounds = match (&*repeat.pat, &*repeat.expr) {
            (Pat::Ident(index), Expr::Range(range)) => Some((index, range)),
            _ => None,
        };
        match bounds {
            Some((
                index,
                syn::ExprRange {
                    start: Some(start),
                    limits: syn::RangeLimits::HalfOpen(_),
                    end: Some(end),
                    ..
                },
            )) => {
                self.put("L");
                self.put(&index.ident.to_string());
                self.bound(start)?;
                self.bound(end)?;
                self.braced(&repeat.body)
            }
            _ => refuse(&repeat.expr, "a loop is `for i in from..to` with constant bounds"),
        }
    }

    /// `Type::link(&mut a, &mut b)` and `Type::join(&mut a, &mut b)`.
    fn wiring(&mut self, call: &ExprCall) -> Result<()> {
        let wiring = wiring(call)?;
        let (this, that) = (name(wiring.this)?, name(wiring.that)?);
        self.put("K");
        self.put(&self.links.len().to_string());
        let function = &wiring.description;
        self.links.push(quote!(#function("", #this, #that)));
        Ok(())
    }

    fn macro_call(&mut self, call: &Macro) -> Result<()> {
        let which = call.path.to_token_stream().to_string();
        match which.as_str() {
            "clock" | "dff_setup" => self.clocking(call, which == "dff_setup"),
            "assert" | "comment" | "println" => {
                // As rust-hdl's macro shows it.
                let text = call.to_token_stream().to_string();
                let text = text.replace(&format!("{which} ! (\""), "").replace("\")", "");
                self.put("C");
                self.put(&text.bytes().fold(String::from("x"), |hex, byte| format!("{hex}{byte:02x}")));
                Ok(())
            }
            _ => refuse(
                &call.path,
                "only `clock!`, `dff_setup!`, `comment!`, `println!` and `assert!` have a description",
            ),
        }
    }

    fn clocking(&mut self, call: &Macro, holds: bool) -> Result<()> {
        let Clocking { clock, items, .. } = call.parse_body()?;
        self.put("X");
        for item in &items {
            self.put("A");
            self.signal(quote!(#item.clock.next))?;
            self.signal(&clock)?;
        }
        if holds {
            for item in &items {
                self.put("A");
                self.signal(quote!(#item.d.next))?;
                self.signal(quote!(#item.q))?;
            }
        }
        self.put("}");
        Ok(())
    }
}

/// The arguments of `clock!` and `dff_setup!`.
pub struct Clocking {
    /// `self`.
    pub me: Expr,
    /// The clock that is given to all of `items`.
    pub clock: Expr,
    /// What gets it.
    pub items: Punctuated<Expr, Token![,]>,
}

impl Parse for Clocking {
    fn parse(input: ParseStream) -> Result<Self> {
        let me = input.parse()?;
        input.parse::<Token![,]>()?;
        let clock = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Self { me, clock, items: Punctuated::parse_terminated(input)? })
    }
}

/// A call of `link` or `join`.
pub struct Wiring<'a> {
    /// True for `join`.
    pub joins: bool,
    /// `Type::link_hdl` or `Type::join_hdl`.
    pub description: TokenStream,
    /// The first argument.
    pub this: &'a Expr,
    /// The second argument.
    pub that: &'a Expr,
}

/// Recognises a call of `link` or `join` by its last word alone.
pub fn wiring(call: &ExprCall) -> Result<Wiring<'_>> {
    let Expr::Path(function) = &*call.func else {
        return refuse(&call.func, "only `Type::link` and `Type::join` are called");
    };
    let mut path = function.path.clone();
    let last = path.segments.pop().map(|pair| pair.into_value());
    let kind = last.filter(|last| last.arguments.is_none() && !path.segments.is_empty());
    let joins = match kind.map(|last| last.ident.to_string()).as_deref() {
        Some("link") => false,
        Some("join") => true,
        _ => {
            return refuse(
                &call.func,
                "this function has no description: only `Type::link` and `Type::join` are statements",
            )
        }
    };
    let [this, that] = &call.args.iter().collect::<Vec<_>>()[..] else {
        return refuse(&call.args, "two arguments: `&mut self.a, &mut self.b`");
    };
    path.segments.push(PathSegment::from(syn::Ident::new(
        if joins { "join_hdl" } else { "link_hdl" },
        Span::call_site(),
    )));
    Ok(Wiring { joins, description: path.to_token_stream(), this, that })
}
