//! The block language: `#[block]` on the struct of a block, `#[logic]` on its impl.
//!
//! The body of `update` is valid Rust that rustfmt formats, in which a field is named without `self` and its name is its
//! value. One pass over it makes two things that say the same: the `update()` that rust-hdl simulates, and the description that
//! the elaborator and rust-hdl's own writer read, as the static text of `flitforge_base::description`.
//!
//! # The struct
//! | written | becomes | in the description |
//! |---|---|---|
//! | `x: In<T>`, `Out<T>`, `InOut<T>` | `pub x: Signal<In, T>`, .. | port |
//! | `x: Local<T>` | `Signal<Local, T>` | signal |
//! | `x: Reg<T>` | `DFF<T>`; its clock is wired and it keeps its value | register |
//! | `x: Register<T>` | the same; its clock, clear and enable are wired | register with clear and enable |
//! | `x: Constant<T>` with `#[init(n)]` | `Constant::new(n)` | `localparam` |
//! | `pub x: Other` | interface port | ports |
//! | `x: Other` | child | instance |
//! | `_x: Other` | no hardware | nothing |
//!
//! The struct becomes one of rust-hdl with `Default` (or, with `#[block(new)]`, constructors of its own in which
//! `Self { x, .. }` fills in the rest) and with `Drive` for its ports. `#[block("label", width = W)]` gives it its label.
//!
//! # The body
//! | written | `update()` | description |
//! |---|---|---|
//! | `x` | `self.x.val()`, `self.x.q.val()` of a register | `s x`, `s x$q` |
//! | `x = e;` | `self.x.next = e`, `self.x.d.next = e` | `A s x$next e` |
//! | `let x = e;` | the same | a local signal `x` of the type that Rust infers |
//! | `x = if c { a } else { b }` | the same | `I c A s x$next a } E A s x$next b }` |
//! | `x[i]`, `x[a..b]`, `x[layout::f]`, `x.f` | `get_bit`, `get_bits`, `FieldOf::cut`, the field | bit or slice |
//! | `cat(low, high)` | `Cat` | shifted and joined |
//! | `child = In { a, b: c };` | one assignment each | one assignment each |
//! | `link(a, b)`, `join(a, b)` | `LogicLink::link`, `a.join` | the links of their types |
//! | `Self::f(a)` | the call | the value of `f`, with the argument in its place |
//! | `self.f(a);` | the statements of `f` | the same |
//!
//! A block is read in this order: `steps` are put where they are called; what is wired by itself (`wiring`), then the statements (`statement`, `assign`), their places (`place`) and
//! values (`value`, `select`, `inline`). Each gives a `Code` or `Value`: Rust and words of the same meaning. `structure` reads the struct,
//! which `#[block]` hands on to `#[logic]` by a macro of the struct's name.
//!
//! What only the compiler knows, the types of `let`s and numbers of const generics, a hidden function of the block computes
//! from values that are checked and never computed: `flitforge_base::language::Described`.
//!
//! What cannot be decided here is an error at the token.

mod assign;
mod body;
mod groups;
mod initial;
mod inline;
mod interface;
mod packed;
mod path;
mod place;
mod select;
mod statement;
mod steps;
mod structure;
mod value;
mod wiring;

pub use interface::interface;
pub use packed::packed;

use crate::encoder::refuse;
use body::{Body, Code};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, ToTokens};
use std::collections::BTreeMap;
use structure::{Field, Kind, Structure};
use syn::parse::{Parse, ParseStream};
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{braced, Expr, ExprStruct, ImplItem, ImplItemFn, ItemFn, ItemImpl, ItemStruct, Result, Type};

/// `#[block]`: the struct, and a macro that hands it on to `#[logic]`.
pub fn block(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut item: ItemStruct = syn::parse2(item)?;
    groups::Ungroup.visit_item_struct_mut(&mut item);
    let structure = Structure::new(arguments.clone(), item.clone())?;
    let (code, carrier) = (structure.expand(), carrier(&item.ident));
    let plain = without_docs(item);
    Ok(quote! {
        #code
        #[allow(unused_macros)]
        macro_rules! #carrier {
            ($($logic:tt)*) => { ::flitforge_base::__logic! { { #arguments } { #plain } $($logic)* } };
        }
        #[allow(unused_imports)]
        pub(crate) use #carrier;
    })
}

/// The struct for the carrier: comments are of no use there, and a `$` in one would be one of `macro_rules!`.
fn without_docs(mut item: ItemStruct) -> ItemStruct {
    item.attrs.clear();
    for field in &mut item.fields {
        field
            .attrs
            .retain(|attribute| attribute.path().is_ident("wire") || attribute.path().is_ident("init"));
    }
    item
}

fn carrier(name: &syn::Ident) -> syn::Ident {
    format_ident!("__block_{}", name, span = name.span())
}

/// `#[logic]`: hands the impl to the macro of its struct, which `#[logic(super)]` finds in another module.
pub fn logic(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let module: Option<syn::Path> = if arguments.is_empty() { None } else { Some(syn::parse2(arguments)?) };
    let item: ItemImpl = syn::parse2(item)?;
    if let Some((_, path, _)) = &item.trait_ {
        return refuse(path, "`#[logic]` goes on `impl Block`, not on the impl of a trait");
    }
    if let Some(where_clause) = &item.generics.where_clause {
        return refuse(where_clause, "write the bounds where the parameters are");
    }
    let name = match &*item.self_ty {
        Type::Path(path) => {
            path.path.get_ident().cloned().or_else(|| path.path.segments.last().map(|s| s.ident.clone()))
        }
        _ => None,
    };
    let Some(name) = name else { return refuse(&item.self_ty, "`#[logic]` goes on the impl of a struct") };
    let carrier = carrier(&name);
    let module = module.map(|module| quote!(#module::));
    Ok(quote!(#module #carrier! { #item }))
}

/// What the carrier gives.
struct Input {
    structure: Structure,
    logic: ItemImpl,
}

impl Parse for Input {
    fn parse(input: ParseStream) -> Result<Self> {
        let (arguments, item);
        braced!(arguments in input);
        let arguments: TokenStream = arguments.parse()?;
        braced!(item in input);
        Ok(Self { structure: Structure::new(arguments, item.parse()?)?, logic: input.parse()? })
    }
}

/// The impls of a block. After an error they are there, too, without a body: one mistake gives one message.
pub fn expand(tokens: TokenStream) -> Result<TokenStream> {
    let Input { structure, mut logic } = syn::parse2(tokens)?;
    groups::Ungroup.visit_item_impl_mut(&mut logic);
    let mut parts = Parts::new(&logic)?;
    let included = parts.include();
    let receiver = parts.receiver();
    let mut body = Body::new(&structure, parts.functions.clone(), receiver);
    let impls = Impls { structure: &structure, logic: &logic, receiver };
    let result = included.and_then(|()| read(&mut body, &parts));
    let own = impls.own(&parts, &body);
    let (code, describe, error) = match result {
        Ok(code) => (code, std::mem::take(&mut body.describe), TokenStream::new()),
        Err(error) => (Code::default(), TokenStream::new(), error.to_compile_error()),
    };
    let connects = match error.is_empty() {
        true => body.connects.pop().map(|(connects, _)| connects).unwrap_or_default(),
        false => TokenStream::new(),
    };
    let hardware = impls.logic(&parts, code.rust, connects, &code.words);
    let (describe, block) = (impls.describe(&describe), impls.block());
    Ok(quote!(#error #own #describe #hardware #block))
}

/// The body and what is wired by itself.
fn read(body: &mut Body, parts: &Parts) -> Result<Code> {
    Attributes::refuse_in(&parts.update.block)?;
    let mut code = body.wiring(&parts.update.block)?;
    code.push(body.statements(&parts.update.block.stmts)?);
    let mut words = Code::new(TokenStream::new(), body.first.trim());
    words.say(&code.words);
    Ok(Code::new(code.rust, words.words))
}

/// The first attribute of a body: `#[cfg(..)]` would be dropped, and `///` is no comment of a statement.
#[derive(Default)]
pub struct Attributes(Option<syn::Attribute>);

impl Attributes {
    /// An error at the first attribute.
    pub fn refuse_in(block: &syn::Block) -> Result<()> {
        let mut attributes = Self::default();
        attributes.visit_block(block);
        match attributes.0 {
            Some(attribute) => refuse(attribute, "a body has no attributes, and its comments are `//`"),
            None => Ok(()),
        }
    }
}

impl Visit<'_> for Attributes {
    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        self.0.get_or_insert_with(|| attribute.clone());
    }
}

/// The parts of the impl.
struct Parts {
    update: ImplItemFn,
    timing: Option<ImplItemFn>,
    /// Functions without `self`, by name.
    functions: BTreeMap<String, ItemFn>,
    /// Methods that may be steps, by name.
    steps: BTreeMap<String, ImplItemFn>,
    others: Vec<ImplItem>,
}

impl Parts {
    fn new(logic: &ItemImpl) -> Result<Self> {
        let (mut update, mut timing, mut others) = (None, None, vec![]);
        let (mut functions, mut steps) = (BTreeMap::new(), BTreeMap::new());
        for item in &logic.items {
            match item {
                ImplItem::Fn(function) if function.sig.ident == "update" => update = Some(function.clone()),
                ImplItem::Fn(function) if function.sig.ident == "timing" => timing = Some(function.clone()),
                ImplItem::Fn(function) if function.sig.receiver().is_none() => {
                    let ImplItemFn { attrs, vis, sig, block, .. } = function.clone();
                    let item = ItemFn { attrs, vis, sig, block: Box::new(block) };
                    functions.insert(item.sig.ident.to_string(), item);
                }
                ImplItem::Fn(function) if steps::is_step(function) => {
                    steps.insert(function.sig.ident.to_string(), function.clone());
                }
                other => others.push(other.clone()),
            }
        }
        let Some(update) = update else {
            return refuse(&logic.self_ty, "the logic of a block is `fn update(&mut self)` in this impl");
        };
        let receiver =
            update.sig.receiver().is_some_and(|me| me.reference.is_some() && me.mutability.is_some());
        if !receiver || update.sig.inputs.len() != 1 {
            return refuse(&update.sig, "the logic of a block is `fn update(&mut self)`");
        }
        Ok(Self { update, timing, functions, steps, others })
    }

    /// Puts the steps where `update` calls them; what it does not call is plain Rust.
    fn include(&mut self) -> Result<()> {
        let called = steps::include(&mut self.update, &self.steps)?;
        let plain = self.steps.iter().filter(|(name, _)| !called.contains(*name));
        self.others.extend(plain.map(|(_, method)| ImplItem::Fn(method.clone())));
        Ok(())
    }
}

impl Parts {
    /// Where `self` of `update` stands.
    fn receiver(&self) -> Span {
        self.update.sig.receiver().map_or_else(Span::call_site, |receiver| receiver.self_token.span)
    }
}

/// What the impls need.
struct Impls<'a> {
    structure: &'a Structure,
    logic: &'a ItemImpl,
    receiver: Span,
}

impl Impls<'_> {
    /// `self`, as in `update`.
    fn me(&self) -> syn::Ident {
        syn::Ident::new("self", self.receiver)
    }

    fn hardware(&self) -> impl Iterator<Item = &Field> {
        self.structure.fields.iter().filter(|field| field.kind != Kind::Plain)
    }

    /// Functions that are no hardware, and those that were inlined.
    fn own(&self, parts: &Parts, body: &Body) -> TokenStream {
        let (generics, name) = (&self.logic.generics, &self.logic.self_ty);
        let mut others = parts.others.clone();
        for (function, item) in &parts.functions {
            if !body.inlined.contains_key(function) {
                others.push(syn::parse_quote!(#item));
            }
        }
        let mut complete = Complete { structure: self.structure };
        others.iter_mut().for_each(|item| complete.visit_impl_item_mut(item));
        let inlined = body.inlined.values();
        let attributes = &self.logic.attrs;
        quote! {
            #(#attributes)*
            impl #generics #name {
                #(#others)*
                #(#[allow(clippy::all, unused_parens)] #inlined)*
            }
        }
    }

    fn describe(&self, describe: &TokenStream) -> TokenStream {
        let (generics, name) = (&self.logic.generics, &self.logic.self_ty);
        let me = self.me();
        quote! {
            #[automatically_derived]
            #[allow(unused_variables, unused_mut, unused_parens, unused_assignments, dead_code, clippy::all, clippy::pedantic)]
            impl #generics #name {
                fn __describe(&#me) -> ::flitforge_base::language::Described {
                    let mut __described = ::flitforge_base::language::Described::default();
                    #describe
                    __described
                }
            }
        }
    }

    fn logic(&self, parts: &Parts, update: TokenStream, connects: TokenStream, words: &str) -> TokenStream {
        let (generics, name) = (&self.logic.generics, &self.logic.self_ty);
        let me = self.me();
        let timing = parts.timing.as_ref().map(ToTokens::to_token_stream).unwrap_or_else(|| self.label());
        quote! {
            #[automatically_derived]
            #[allow(unused_variables, unused_mut, unused_parens, unused_assignments, unused_imports)]
            #[allow(clippy::all, clippy::pedantic)]
            impl #generics ::flitforge_base::language::hdl::Logic for #name {
                fn update(&mut #me) {
                    use ::flitforge_base::language::hdl::{logic, LogicLink as _};
                    #update
                }
                fn connect(&mut #me) {
                    use ::flitforge_base::language::hdl::logic;
                    #connects
                }
                fn hdl(&#me) -> ::flitforge_base::language::hdl::Verilog {
                    let described = #me.__describe();
                    ::flitforge_base::description::decode(#words, &described.numbers, described.links)
                }
                #timing
            }
        }
    }

    /// `timing()` from the label.
    fn label(&self) -> TokenStream {
        let Some((name, parameters)) = &self.structure.options.label else { return TokenStream::new() };
        let pairs = parameters.iter().map(|(key, value)| {
            let key = key.to_string();
            quote!((#key, (#value).to_string()))
        });
        let me = self.me();
        quote! {
            fn timing(&#me) -> ::std::vec::Vec<::flitforge_base::language::hdl::TimingInfo> {
                ::flitforge_elaborate::marker::block_label(#name, &[#(#pairs),*])
            }
        }
    }

    fn block(&self) -> TokenStream {
        let (generics, name) = (&self.logic.generics, &self.logic.self_ty);
        let hdl = quote!(::flitforge_base::language::hdl);
        let fields: Vec<_> = self.hardware().map(|field| &field.ident).collect();
        let names = fields.iter().map(ToString::to_string);
        let me = self.me();
        let changed = match fields.is_empty() {
            true => quote!(false),
            false => quote!(#(#me.#fields.has_changed())||*),
        };
        quote! {
            #[automatically_derived]
            impl #generics #hdl::Block for #name {
                fn connect_all(&mut #me) {
                    #hdl::Logic::connect(#me);
                    #(#hdl::Block::connect_all(&mut #me.#fields);)*
                }
                fn update_all(&mut #me) {
                    #hdl::Logic::update(#me);
                    #(#hdl::Block::update_all(&mut #me.#fields);)*
                }
                fn has_changed(&#me) -> bool {
                    use #hdl::Block as _;
                    #changed
                }
                fn accept(&#me, name: &str, probe: &mut dyn #hdl::Probe) {
                    probe.visit_start_scope(name, #me);
                    #(#hdl::Block::accept(&#me.#fields, #names, probe);)*
                    for (name, atom) in #me.__describe().lets {
                        probe.visit_atom(name, &atom);
                    }
                    probe.visit_end_scope(name, #me);
                }
            }
        }
    }
}

/// Fills in the fields that `Self { x, .. }` does not name.
struct Complete<'a> {
    structure: &'a Structure,
}

impl VisitMut for Complete<'_> {
    fn visit_expr_struct_mut(&mut self, expression: &mut ExprStruct) {
        visit_mut::visit_expr_struct_mut(self, expression);
        if !expression.path.is_ident("Self") || expression.dot2_token.is_none() || expression.rest.is_some() {
            return;
        }
        for field in &self.structure.fields {
            let ident = &field.ident;
            let named = expression
                .fields
                .iter()
                .any(|given| matches!(&given.member, syn::Member::Named(name) if name == ident));
            if !named {
                let default = field.default();
                let value: Expr = Expr::Verbatim(default);
                expression.fields.push(syn::FieldValue {
                    attrs: vec![],
                    member: syn::Member::Named(ident.clone()),
                    colon_token: Some(Default::default()),
                    expr: value,
                });
            }
        }
        expression.dot2_token = None;
    }
}
