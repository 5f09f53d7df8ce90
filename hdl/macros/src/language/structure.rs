//! The struct of a block: what each field is, and the fields that rust-hdl gets.

use super::groups::ungrouped;
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, GenericArgument, Ident, ItemStruct, PathArguments, Result, Token, Type};

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `In<T>`.
    Input,
    /// `Out<T>`.
    Output,
    /// `InOut<T>`.
    InOut,
    /// `Local<T>`.
    Local,
    /// `Reg<T>`: a flip-flop.
    Reg,
    /// `Register<T>`: a register with pins for clear and enable.
    Register,
    /// `Constant<T>`.
    Constant,
    /// `pub` and of another type: an interface.
    Interface,
    /// Of another type: a child.
    Child,
    /// A name that begins with `_`: no hardware.
    Plain,
}

/// A field of a block.
pub struct Field {
    /// Name.
    pub ident: Ident,
    /// What it is.
    pub kind: Kind,
    /// An array or a `Vec` of these.
    pub array: bool,
    /// A `Vec` of these.
    pub vector: bool,
    /// The type inside is `Bits`.
    pub of_bits: bool,
    /// The type that rust-hdl gets.
    pub real: TokenStream,
    /// The field is `pub` whether it is written or not.
    pub port: bool,
    /// `#[init(..)]`.
    pub init: Option<Expr>,
    /// `#[wire(..)]`: ports of a register or child and what they get.
    pub wire: Vec<(Ident, Expr)>,
    attributes: Vec<Attribute>,
    visibility: syn::Visibility,
}

impl Field {
    fn new(field: &syn::Field) -> Result<Self> {
        let Some(ident) = field.ident.clone() else { return refuse(field, "a block has named fields") };
        let (array, element) = element(&field.ty)?;
        if !array {
            // The signals of an array have a number after the name.
            check_name(&ident)?;
        }
        let mut kind = kind(element, &field.vis)?;
        if ident.to_string().starts_with('_') {
            kind = Kind::Plain;
        }
        let mut out = Self {
            kind,
            array,
            vector: last_name(&field.ty) == "Vec",
            of_bits: argument(element).is_ok_and(|inner| last_name(inner) == "Bits"),
            real: real(&field.ty, kind),
            port: matches!(kind, Kind::Input | Kind::Output | Kind::InOut | Kind::Interface),
            init: None,
            wire: vec![],
            attributes: vec![],
            visibility: field.vis.clone(),
            ident,
        };
        for attribute in &field.attrs {
            out.attribute(attribute)?;
        }
        Ok(out)
    }

    fn attribute(&mut self, attribute: &Attribute) -> Result<()> {
        if attribute.path().is_ident("init") {
            let allowed = matches!(self.kind, Kind::Register | Kind::Constant | Kind::Child | Kind::Plain);
            if !allowed {
                return refuse(attribute, self.no_init());
            }
            self.init = Some(ungrouped(attribute.parse_args()?));
        } else if attribute.path().is_ident("wire") {
            if !matches!(self.kind, Kind::Reg | Kind::Register | Kind::Child) {
                return refuse(attribute, "`#[wire(..)]` is for registers and children");
            }
            let wires = attribute.parse_args_with(Punctuated::<Wire, Token![,]>::parse_terminated)?;
            self.wire.extend(wires.into_iter().map(|wire| (wire.port, ungrouped(wire.value))));
        } else if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            return refuse(
                attribute,
                "a field of a block is there or not: use a const generic for the length of an array",
            );
        } else {
            self.attributes.push(attribute.clone());
        }
        Ok(())
    }

    fn no_init(&self) -> &'static str {
        match self.kind {
            Kind::Reg => "a `Reg` starts at zero: use a `Register` for another initial value",
            _ => "`#[init(..)]` is for registers, constants, children and fields that are no hardware",
        }
    }

    /// The value of the field in a constructor that says nothing about it.
    pub fn default(&self) -> TokenStream {
        let ident = &self.ident;
        match (&self.init, self.array && !self.vector) {
            (Some(_), _) => {
                let function = initial_function(ident);
                quote!(Self::#function())
            }
            (None, true) => quote!(::flitforge_base::defaults()),
            (None, false) => quote!(::core::default::Default::default()),
        }
    }
}

/// The function that makes the initial value of a field.
fn initial_function(field: &Ident) -> Ident {
    quote::format_ident!("__initial_{}", field)
}

/// `port` or `port = value`.
struct Wire {
    port: Ident,
    value: Expr,
}

impl Parse for Wire {
    fn parse(input: ParseStream) -> Result<Self> {
        let port: Ident = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => input.parse()?,
            None => syn::parse_quote!(#port),
        };
        Ok(Self { port, value })
    }
}

/// Names that rust-hdl or Verilog would misread.
pub fn check_name(name: &Ident) -> Result<()> {
    const TAKEN: [&str; 9] =
        ["config", "wire", "reg", "module", "edge", "disable", "input", "output", "next"];
    let text = name.to_string();
    if TAKEN.contains(&text.as_str()) || text.starts_with("r#") {
        return refuse(
            name,
            format_args!("`{text}` is a word of Rust, Verilog or rust-hdl: use another name"),
        );
    }
    Ok(())
}

/// True for an array or `Vec`, and the type of the element.
fn element(ty: &Type) -> Result<(bool, &Type)> {
    let inner = match ty {
        Type::Array(array) => &*array.elem,
        Type::Path(_) if last_name(ty) == "Vec" => argument(ty)?,
        _ => return Ok((false, ty)),
    };
    match inner {
        Type::Array(_) => refuse(inner, "an array of arrays cannot be told apart in Verilog: use one array"),
        inner => Ok((true, inner)),
    }
}

/// The last name of a path.
fn last_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The only argument of a type.
fn argument(ty: &Type) -> Result<&Type> {
    if let Type::Path(path) = ty {
        if let Some(PathArguments::AngleBracketed(arguments)) =
            path.path.segments.last().map(|last| &last.arguments)
        {
            if let (1, Some(GenericArgument::Type(inner))) = (arguments.args.len(), arguments.args.first()) {
                return Ok(inner);
            }
        }
    }
    refuse(ty, format_args!("`{0}` has one type: `{0}<T>`", last_name(ty)))
}

fn kind(ty: &Type, visibility: &syn::Visibility) -> Result<Kind> {
    let kind = match last_name(ty).as_str() {
        "In" => Kind::Input,
        "Out" => Kind::Output,
        "InOut" => Kind::InOut,
        "Local" => Kind::Local,
        "Reg" => Kind::Reg,
        "Register" => Kind::Register,
        "Constant" => Kind::Constant,
        "Signal" => {
            return refuse(ty, "write `In<T>`, `Out<T>`, `InOut<T>` or `Local<T>`");
        }
        "DFF" => return refuse(ty, "write `Reg<T>`"),
        _ if matches!(visibility, syn::Visibility::Public(_)) => return Ok(Kind::Interface),
        _ => return Ok(Kind::Child),
    };
    argument(ty)?;
    Ok(kind)
}

/// What a field of an interface is.
pub fn port_kind(ty: &Type) -> Result<Kind> {
    let (array, inner) = element(ty)?;
    if array {
        return refuse(ty, "rust-hdl has no arrays in interfaces: name the ports one by one");
    }
    match kind(inner, &syn::Visibility::Inherited)? {
        port @ (Kind::Input | Kind::Output | Kind::InOut) => Ok(port),
        _ => refuse(ty, "an interface has ports only: `In<T>`, `Out<T>`, `InOut<T>`"),
    }
}

/// The type that rust-hdl gets for the type that is written.
pub fn real(ty: &Type, kind: Kind) -> TokenStream {
    let hdl = quote!(::flitforge_base::language::hdl);
    match ty {
        Type::Array(array) => {
            let (inner, length) = (real(&array.elem, kind), &array.len);
            quote_spanned!(ty.span()=> [#inner; #length])
        }
        Type::Path(_) if last_name(ty) == "Vec" && kind != Kind::Plain => match argument(ty) {
            Ok(inner) => {
                let inner = real(inner, kind);
                quote_spanned!(ty.span()=> ::std::vec::Vec<#inner>)
            }
            Err(_) => quote!(#ty),
        },
        _ => {
            let inner = argument(ty).ok();
            match kind {
                Kind::Input => quote_spanned!(ty.span()=> #hdl::Signal<#hdl::In, #inner>),
                Kind::Output => quote_spanned!(ty.span()=> #hdl::Signal<#hdl::Out, #inner>),
                Kind::InOut => quote_spanned!(ty.span()=> #hdl::Signal<#hdl::InOut, #inner>),
                Kind::Local => quote_spanned!(ty.span()=> #hdl::Signal<#hdl::Local, #inner>),
                Kind::Reg => quote_spanned!(ty.span()=> #hdl::DFF<#inner>),
                Kind::Constant => quote_spanned!(ty.span()=> #hdl::Constant<#inner>),
                _ => quote!(#ty),
            }
        }
    }
}

/// The struct of a block with the arguments of `#[block(..)]`.
pub struct Structure {
    /// The struct as written.
    pub item: ItemStruct,
    /// Its fields.
    pub fields: Vec<Field>,
    /// What `#[block(..)]` says.
    pub options: Options,
}

/// The arguments of `#[block(..)]`: `"label", parameter = value, ..`, `new`, `clock = name`, `clear = name`.
#[derive(Default)]
pub struct Options {
    /// Label and its parameters.
    pub label: Option<(syn::LitStr, Vec<(Ident, Expr)>)>,
    /// No `Default`: the block has constructors of its own.
    pub constructed: bool,
    /// The clock of registers that name none.
    pub clock: Option<Ident>,
    /// The clear of registers that name none.
    pub clear: Option<Ident>,
}

impl Parse for Options {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut options = Self::default();
        if input.peek(syn::LitStr) {
            options.label = Some((input.parse()?, vec![]));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        while !input.is_empty() {
            let name: Ident = syn::ext::IdentExt::parse_any(input)?;
            if name == "new" {
                options.constructed = true;
            } else {
                input.parse::<Token![=]>()?;
                options.named(name, input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

impl Options {
    fn named(&mut self, name: Ident, input: ParseStream) -> Result<()> {
        match (name.to_string().as_str(), &mut self.label) {
            ("clock", _) => self.clock = Some(input.parse()?),
            ("clear", _) => self.clear = Some(input.parse()?),
            (_, Some((_, parameters))) => parameters.push((name, input.parse()?)),
            _ => {
                return refuse(
                    name,
                    "`#[block]` takes a label with its parameters, `new`, `clock = ..` and `clear = ..`: \
                     `#[block(\"name\", width = W)]`",
                )
            }
        }
        Ok(())
    }
}

impl Structure {
    /// Reads the struct.
    pub fn new(arguments: TokenStream, item: ItemStruct) -> Result<Self> {
        let options = syn::parse2(arguments)?;
        if let Some(where_clause) = &item.generics.where_clause {
            return refuse(
                where_clause,
                "write the bounds where the parameters are: rust-hdl drops a `where`",
            );
        }
        let syn::Fields::Named(named) = &item.fields else {
            return refuse(&item, "a block has named fields");
        };
        let fields = named.named.iter().map(Field::new).collect::<Result<_>>()?;
        let structure = Self { item, fields, options };
        for name in [&structure.options.clock, &structure.options.clear].into_iter().flatten() {
            if structure.field(&name.to_string()).is_none() {
                return refuse(name, "the block has no such input");
            }
        }
        Ok(structure)
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.ident == name)
    }

    /// The clock, or the clear, of registers that name none.
    pub fn common(&self, port: &str) -> Option<Ident> {
        let chosen = if port == "clock" { &self.options.clock } else { &self.options.clear };
        let usual = || self.field(port).filter(|field| field.kind == Kind::Input).map(|f| f.ident.clone());
        chosen.clone().or_else(usual)
    }

    /// The struct for rust-hdl, its constructors and its ports.
    pub fn expand(&self) -> TokenStream {
        let (declaration, constructor) = (self.declaration(), self.constructor());
        let (initials, drive) = (self.initials(), self.drive());
        quote!(#declaration #initials #constructor #drive)
    }

    fn declaration(&self) -> TokenStream {
        let ItemStruct { attrs, vis, ident, generics, .. } = &self.item;
        let fields = self.fields.iter().map(|field| {
            let Field { attributes, ident, real, .. } = field;
            let visibility = match field.port {
                true => quote!(pub),
                false => field.visibility.to_token_stream(),
            };
            quote!(#(#attributes)* #visibility #ident: #real)
        });
        quote!(#(#attrs)* #vis struct #ident #generics { #(#fields),* })
    }

    fn initials(&self) -> TokenStream {
        let (parameters, arguments, _) = self.item.generics.split_for_impl();
        let name = &self.item.ident;
        let functions = self.fields.iter().filter_map(|field| {
            let (function, real, value) = (initial_function(&field.ident), &field.real, field.initial()?);
            Some(quote!(fn #function() -> #real { #value }))
        });
        let functions: TokenStream = functions.collect();
        if functions.is_empty() {
            return functions;
        }
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic)]
            impl #parameters #name #arguments { #functions }
        }
    }

    fn constructor(&self) -> TokenStream {
        if self.options.constructed {
            return TokenStream::new();
        }
        let (parameters, arguments, _) = self.item.generics.split_for_impl();
        let name = &self.item.ident;
        let fields = self.fields.iter().map(|field| {
            let (ident, value) = (&field.ident, field.default());
            quote!(#ident: #value)
        });
        quote! {
            #[automatically_derived]
            impl #parameters ::core::default::Default for #name #arguments {
                fn default() -> Self { Self { #(#fields),* } }
            }
        }
    }

    fn drive(&self) -> TokenStream {
        let ports = self.fields.iter().filter(|field| field.port);
        let ports = ports.map(|field| (&field.ident, field.attributes.as_slice()));
        with_drive(&self.item.ident, &self.item.generics, ports)
    }
}

/// `Drive` for a struct with these ports and their attributes, of which the doc comments are what the ports mean.
pub fn with_drive<'a>(
    name: &Ident,
    generics: &syn::Generics,
    ports: impl Iterator<Item = (&'a Ident, &'a [Attribute])>,
) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    let mut bounds = generics.clone();
    for parameter in bounds.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(::flitforge_elaborate::drive::FromValue));
        parameter.default = None;
    }
    for parameter in bounds.const_params_mut() {
        parameter.default = None;
    }
    let parameters = &bounds.params;
    let ports = ports.map(|(name, attributes)| {
        let lines = attributes.iter().filter_map(doc_line);
        quote!(#name = ::core::concat!(#(#lines, "\n"),*))
    });
    quote!(::flitforge_elaborate::drive_ports!(impl[#parameters] #name #arguments { #(#ports),* });)
}

/// The text of a line of a doc comment.
fn doc_line(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        syn::Meta::NameValue(pair) if attribute.path().is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}
