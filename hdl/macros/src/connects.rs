//! What a body drives: the statements of `connect()`.

use crate::encoder::refuse;
use crate::statements::{wiring, Clocking};
use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use std::collections::BTreeSet;
use syn::{Block, Expr, Macro, Member, Result, Stmt};

/// Code that connects everything that `block` drives, each signal once.
pub fn of_block(block: &Block) -> Result<TokenStream> {
    let mut connects = Connects::default();
    connects.block(block)?;
    Ok(connects.code)
}

#[derive(Default)]
struct Connects {
    code: TokenStream,
    seen: BTreeSet<String>,
}

impl Connects {
    fn block(&mut self, block: &Block) -> Result<()> {
        for statement in &block.stmts {
            match statement {
                Stmt::Expr(expression, _) => self.statement(expression)?,
                Stmt::Macro(call) => self.macro_call(&call.mac)?,
                other => return refuse(other, "a body has statements only"),
            }
        }
        Ok(())
    }

    /// Connecting marks a signal as driven, so once is as good as twice.
    fn once(&mut self, code: TokenStream) {
        if self.seen.insert(code.to_string()) {
            self.code.extend(code);
        }
    }

    fn statement(&mut self, expression: &Expr) -> Result<()> {
        match expression {
            Expr::Assign(assignment) => {
                if let Some(target) = target(&assignment.left) {
                    self.once(quote!(logic::logic_connect_fn(&mut #target);));
                }
            }
            Expr::If(conditional) => {
                self.block(&conditional.then_branch)?;
                match conditional.else_branch.as_ref().map(|(_, branch)| &**branch) {
                    Some(Expr::Block(block)) => self.block(&block.block)?,
                    Some(other) => self.statement(other)?,
                    None => {}
                }
            }
            Expr::Match(choice) => {
                for arm in &choice.arms {
                    match &*arm.body {
                        Expr::Block(block) => self.block(&block.block)?,
                        other => self.statement(other)?,
                    }
                }
            }
            // Signals of a loop are other ones in every round, and in every loop.
            Expr::ForLoop(repeat) => {
                let (index, range, body) = (&repeat.pat, &repeat.expr, of_block(&repeat.body)?);
                self.code.extend(quote!(for #index in #range { #body }));
            }
            Expr::Call(call) => {
                let wiring = wiring(call)?;
                let (this, that) = (wiring.this, wiring.that);
                self.once(match wiring.joins {
                    true => quote!(logic::logic_connect_join_fn(#this, #that);),
                    false => quote!(logic::logic_connect_link_fn(#this, #that);),
                });
            }
            Expr::Macro(call) => self.macro_call(&call.mac)?,
            _ => {}
        }
        Ok(())
    }

    fn macro_call(&mut self, call: &Macro) -> Result<()> {
        let which = call.path.to_token_stream().to_string();
        if which != "clock" && which != "dff_setup" {
            return Ok(());
        }
        let Clocking { me, items, .. } = call.parse_body()?;
        for item in &items {
            self.once(quote!(logic::logic_connect_fn(&mut #me.#item.clock);));
            if which == "dff_setup" {
                self.once(quote!(logic::logic_connect_fn(&mut #me.#item.d);));
            }
        }
        Ok(())
    }
}

/// The signal of `signal.next` and `signal.next.field`.
fn target(left: &Expr) -> Option<&Expr> {
    let Expr::Field(field) = left else { return None };
    match &field.member {
        Member::Named(name) if name == "next" => Some(&field.base),
        _ => target(&field.base),
    }
}
