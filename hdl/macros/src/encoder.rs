//! The text of a body, and what only the compiled block knows: numbers and links.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, Result};

/// What a body becomes.
#[derive(Default)]
pub struct Encoder {
    /// Words with one blank between them; the words are those of `flitforge_base::description`.
    pub text: String,
    /// Expressions of type `usize` that `hdl()` evaluates; the text names them `#0`, `#1`, ...
    pub numbers: Vec<TokenStream>,
    /// Calls of `link_hdl` and `join_hdl`; the text names them by their place.
    pub links: Vec<TokenStream>,
}

/// An error at `at`.
pub fn refuse<T>(at: impl ToTokens, why: impl std::fmt::Display) -> Result<T> {
    Err(syn::Error::new_spanned(at, why))
}

impl Encoder {
    /// Adds a word.
    pub fn put(&mut self, word: &str) {
        debug_assert!(!word.is_empty() && !word.contains(char::is_whitespace), "one word: {word:?}");
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    /// Adds the name of a signal.
    pub fn signal(&mut self, tokens: impl ToTokens) -> Result<()> {
        let name = name(tokens)?;
        self.put("s");
        self.put(&name);
        Ok(())
    }

    /// Adds a number of type `usize`: digits into the text, anything else as an expression that `hdl()` evaluates.
    pub fn number(&mut self, expression: impl ToTokens) {
        let tokens = expression.to_token_stream();
        let literal = syn::parse2::<syn::LitInt>(tokens.clone()).ok();
        match literal.and_then(|literal| literal.base10_parse::<usize>().ok()) {
            Some(value) => self.put(&value.to_string()),
            None => {
                self.put(&format!("#{}", self.numbers.len()));
                self.numbers.push(tokens);
            }
        }
    }

    /// Adds a literal with the type that Rust gives it where rust-hdl's macro writes `literal.into()`.
    pub fn literal(&mut self, literal: &ExprLit) -> Result<()> {
        match &literal.lit {
            Lit::Bool(bit) => self.put(if bit.value { "t" } else { "f" }),
            Lit::Int(number) => {
                let kind = match number.suffix() {
                    "" => "i32",
                    kind @ ("i32" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize") => kind,
                    other => {
                        return refuse(number, format_args!("a literal of type `{other}` has no description"))
                    }
                };
                let value: u128 = number.base10_parse()?;
                let most = match kind {
                    "i32" => i32::MAX as u128,
                    "u8" => u8::MAX.into(),
                    "u16" => u16::MAX.into(),
                    "u32" => u32::MAX.into(),
                    "u64" | "usize" => u64::MAX.into(),
                    _ => u128::MAX,
                };
                if value > most {
                    return refuse(
                        number,
                        format_args!("{value} does not fit `{kind}`: add a suffix such as `_u64`"),
                    );
                }
                self.put(kind);
                self.put(&value.to_string());
            }
            other => return refuse(other, "only numbers, `true` and `false` have a description"),
        }
        Ok(())
    }

    /// Adds the bound of a loop: a literal keeps its type, anything else is a `usize`.
    pub fn bound(&mut self, bound: &Expr) -> Result<()> {
        match bound {
            Expr::Lit(literal) => self.literal(literal),
            other => {
                self.put("usize");
                self.number(other);
                Ok(())
            }
        }
    }
}

/// The name that rust-hdl gives a path of fields: `self.a[i].b` is `a[i]$b`.
pub fn name(tokens: impl ToTokens) -> Result<String> {
    let tokens = tokens.to_token_stream();
    let text: String = tokens.to_string().split_whitespace().collect();
    let name = text.replace("self.", "").replace('.', "$").replace("::", "$").replace("&mut", "");
    match name.as_str() {
        "config" | "input" | "output" => {
            refuse(tokens, format_args!("`{name}` is a word of Verilog: use another name"))
        }
        _ => Ok(name),
    }
}
