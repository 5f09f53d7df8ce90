//! The body of a block while it is read: names that are known, and what has been written so far.

use super::structure::{check_name, Structure};
use crate::encoder::refuse;
use proc_macro2::{Span, TokenStream};
use quote::{quote, ToTokens};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::{Ident, ItemFn, Result};

/// A piece of the body twice: as Rust for `update()` and as words of the description.
#[derive(Default)]
pub struct Code {
    /// Rust.
    pub rust: TokenStream,
    /// Words, as `flitforge_base::description` reads them.
    pub words: String,
}

impl Code {
    /// Both forms.
    pub fn new(rust: TokenStream, words: impl Into<String>) -> Self {
        Self { rust, words: words.into() }
    }
    /// Adds what comes after it.
    pub fn push(&mut self, next: Code) {
        self.rust.extend(next.rust);
        self.say(&next.words);
    }
    /// Adds words.
    pub fn say(&mut self, words: &str) {
        if !self.words.is_empty() && !words.is_empty() {
            self.words.push(' ');
        }
        self.words.push_str(words);
    }
}

/// A local name.
#[derive(Clone)]
pub enum Local {
    /// A `let`.
    Let {
        /// `let mut`.
        mutable: bool,
        /// Its signal.
        signal: String,
    },
    /// The parameter of an inlined function: the words of its argument.
    Argument(String),
    /// The variable of a loop.
    Loop,
}

/// The body while it is read.
pub struct Body<'a> {
    /// The struct.
    pub structure: &'a Structure,
    /// The functions of the impl, by name.
    pub functions: BTreeMap<String, ItemFn>,
    /// Names that are visible, by scope, innermost last.
    pub scopes: Vec<HashMap<String, Local>>,
    /// Statements that describe the body to the compiler; see `flitforge_base::language::Described`.
    pub describe: TokenStream,
    /// The statements of `connect()`, and those of every open loop.
    pub connects: Vec<(TokenStream, BTreeSet<String>)>,
    /// Words of statements that go before the one that is being read.
    pub before: String,
    /// Words that go before all others.
    pub first: String,
    /// Conditions and loops around what is being read.
    pub conditions: usize,
    /// Functions that are being inlined, outermost first.
    pub inlining: Vec<String>,
    /// The Rust of the functions that were inlined.
    pub inlined: BTreeMap<String, TokenStream>,
    /// Where `self` of `update` stands: every other `self` is the same.
    receiver: Span,
    signals: BTreeSet<String>,
    numbers: usize,
    links: usize,
}

impl<'a> Body<'a> {
    /// Nothing read yet.
    pub fn new(structure: &'a Structure, functions: BTreeMap<String, ItemFn>, receiver: Span) -> Self {
        Self {
            structure,
            functions,
            scopes: vec![HashMap::new()],
            describe: TokenStream::new(),
            connects: vec![Default::default()],
            before: String::new(),
            first: String::new(),
            conditions: 0,
            inlining: vec![],
            inlined: BTreeMap::new(),
            signals: structure.fields.iter().map(|field| field.ident.to_string()).collect(),
            receiver,
            numbers: 0,
            links: 0,
        }
    }

    /// `self` at the place of `span`.
    pub fn me(&self, span: Span) -> Ident {
        Ident::new("self", span.resolved_at(self.receiver))
    }

    /// What a name means, if it is a local one.
    pub fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// True for the variable of a loop.
    pub fn is_loop(&self, name: &str) -> bool {
        matches!(self.local(name), Some(Local::Loop))
    }

    /// Makes a name known.
    pub fn declare(&mut self, name: &Ident, local: Local) -> Result<()> {
        check_name(name)?;
        let text = name.to_string();
        if self.structure.field(&text).is_some() {
            return refuse(name, format_args!("`{text}` is a field of the block: use another name"));
        }
        if self.local(&text).is_some() {
            return refuse(name, format_args!("`{text}` is there already: a signal has one meaning"));
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(text, local);
        }
        Ok(())
    }

    /// A name for a signal that no other signal has: `wanted`, or `wanted_2`, `wanted_3`, ...
    pub fn signal(&mut self, wanted: &str) -> String {
        let names = std::iter::once(wanted.to_string()).chain((2..).map(|n: u32| format!("{wanted}_{n}")));
        let name = names.into_iter().find(|name| !self.signals.contains(name)).unwrap_or_default();
        self.signals.insert(name.clone());
        name
    }

    /// Gives a signal that is made under a condition a value where the condition does not hold: nobody reads it there, but not
    /// every tool sees that it is no latch.
    pub fn has_a_value(&mut self, signal: &str) {
        if self.conditions > 0 {
            self.first.push_str(&format!(" A s {signal} i32 0"));
        }
    }

    /// A number of type `usize` that the compiler knows: a word that stands for it.
    pub fn number(&mut self, number: impl ToTokens) -> String {
        let place = self.next_number();
        self.describe.extend(quote!(__described.number(#place, #number);));
        format!("#{place}")
    }

    /// The width of a value: a word that stands for it.
    pub fn width(&mut self, value: &TokenStream) -> String {
        let place = self.next_number();
        let value = only_typed(value);
        self.describe.extend(quote!(__described.width(#place, #value);));
        format!("#{place}")
    }

    /// The lowest bit of a field of a packed value: a word that stands for it.
    pub fn low(&mut self, value: &TokenStream, path: &[Ident]) -> String {
        let place = self.next_number();
        let path = path.iter().map(ToString::to_string);
        let value = only_typed(value);
        self.describe.extend(quote!(__described.low(#place, #value, &[#(#path),*]);));
        format!("#{place}")
    }

    /// Whether a port is an array: a word that stands for it.
    pub fn is_array(&mut self, port: &TokenStream, at: Span) -> String {
        let place = self.next_number();
        let is_array = Ident::new("is_array", at);
        self.describe.extend(quote!(__described.#is_array(#place, || #port);));
        format!("#{place}")
    }

    fn next_number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers - 1
    }

    /// The place of the next link.
    pub fn link(&mut self) -> usize {
        self.links += 1;
        self.links - 1
    }

    /// Notes that the body drives `what`; connecting it once is as good as twice.
    pub fn connect(&mut self, code: TokenStream) {
        if let Some((all, seen)) = self.connects.last_mut() {
            if seen.insert(code.to_string()) {
                all.extend(code);
            }
        }
    }

    /// Reads something in a scope of its own. What it describes stays visible to nobody else.
    pub fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push(HashMap::new());
        let outer = std::mem::take(&mut self.describe);
        let result = read(self);
        let inner = std::mem::replace(&mut self.describe, outer);
        if !inner.is_empty() {
            self.describe.extend(quote!({ #inner }));
        }
        self.scopes.pop();
        result
    }
}

/// No value, of the type of `value`, which is never computed. A closure would do the same, but each closure is a type of its own,
/// and what takes it would be compiled for each.
pub fn only_typed(value: &TokenStream) -> TokenStream {
    let option = quote!(::core::option::Option);
    quote!({ let mut __none = #option::None; if false { __none = #option::Some(#value); } __none })
}
