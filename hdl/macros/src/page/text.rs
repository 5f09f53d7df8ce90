//! The block as far as it is written.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// What is written of the block so far.
#[derive(Default)]
pub struct Page {
    pub(super) ports: Vec<TokenStream>,
    pub(super) items: Vec<TokenStream>,
    pub(super) body: Vec<TokenStream>,
    pub(super) starts: Vec<TokenStream>,
    pub(super) constants: Vec<TokenStream>,
    pub(super) shown: Vec<Ident>,
    pub(super) slow: Vec<Ident>,
    pub(super) list: Vec<TokenStream>,
    pub(super) path: Option<syn::Path>,
    /// Registers that obey in Down only.
    pub down: bool,
    /// Bits that events set: register, bit, and where it stands.
    pub held: Vec<(Ident, usize, TokenStream)>,
}

impl Page {
    /// A port with its comment.
    pub fn field(&mut self, doc: &str, port: TokenStream) {
        self.ports.push(quote!(#[doc = #doc] #port));
    }

    /// A register, child or constant.
    pub fn item(&mut self, item: TokenStream) {
        self.items.push(item);
    }

    /// A statement.
    pub fn say(&mut self, statement: TokenStream) {
        self.body.push(statement);
    }

    /// The value of a field in the constructor.
    pub fn start(&mut self, start: TokenStream) {
        self.starts.push(start);
    }

    pub(super) fn out(&mut self, doc: &str, name: &Ident, value: TokenStream) {
        self.field(doc, quote!(#name: Out<::flitforge_base::prelude::Bit>));
        self.say(quote!(#name = #value;));
    }

    /// A clocked output.
    pub(super) fn later(&mut self, doc: &str, name: &Ident, value: TokenStream) {
        let held = format_ident!("{name}_now");
        self.item(quote!(#[wire(d = _)] #held: Reg<::flitforge_base::prelude::Bit>));
        self.say(quote!(#held = #value;));
        self.out(doc, name, quote!(#held));
    }
}
