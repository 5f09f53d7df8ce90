//! Attributes that describe a block as data; see `flitforge_base::description` for what reads it.
//!
//! `#[hdl_gen]` takes the bodies that rust-hdl's own takes; the others are the block language.

mod connects;
mod encoder;
mod expressions;
mod language;
mod page;
mod statements;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use quote::quote;

/// rust-hdl's `#[hdl_gen]` with the same bodies and the same syntax tree, at a tenth of the code.
///
/// It goes on `fn update(&mut self)` of `impl Logic for ...`, keeps the function and adds `connect()` and `hdl()`.
/// rust-hdl's own macro writes code that builds the syntax tree node by node, once for every instance of a generic
/// block. This one writes the tree as a static text, which `flitforge_base::description::decode` reads.
///
/// What cannot be described exactly is a compile error at the token in question. That includes calls that rust-hdl's
/// macro takes for its own by the beginning of their names (`bits_rev` for `bits`) and then describes wrongly.
#[proc_macro_attribute]
pub fn hdl_gen(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match expand(arguments.into(), item.into()) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn expand(
    arguments: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> syn::Result<proc_macro2::TokenStream> {
    if !arguments.is_empty() {
        return encoder::refuse(arguments, "`#[hdl_gen]` takes no arguments");
    }
    let function: syn::ItemFn = syn::parse2(item)?;
    if function.sig.ident != "update" || function.sig.inputs.len() != 1 {
        return encoder::refuse(&function.sig, "`#[hdl_gen]` goes on `fn update(&mut self)`");
    }
    let mut encoder = encoder::Encoder::default();
    encoder.statements(&function.block)?;
    let connects = connects::of_block(&function.block)?;
    let encoder::Encoder { text, numbers, links } = encoder;
    Ok(quote! {
        #[allow(unreachable_patterns)]
        #function
        #[automatically_derived]
        #[allow(unused_variables)]
        fn connect(&mut self) {
            #connects
        }
        #[automatically_derived]
        fn hdl(&self) -> ast::Verilog {
            ::flitforge_base::description::decode(#text, &[#(#numbers),*], vec![#(#links),*])
        }
    })
}

/// The struct of a block; see the reference of the block language, `docs/block-language.md`.
#[proc_macro_attribute]
pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens(language::block(arguments.into(), item.into()))
}

/// The logic of a [`macro@block`]; `#[logic(super)]` where the struct is in another module.
#[proc_macro_attribute]
pub fn logic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens(language::logic(arguments.into(), item.into()))
}

/// A struct of ports that several blocks share; `#[interface(join = Other)]` names the one of the other direction.
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens(language::interface(arguments.into(), item.into()))
}

/// A struct or an enum that is the bits of a layout.
#[proc_macro_attribute]
pub fn packed(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens(language::packed(arguments.into(), item.into()))
}

/// A block with a port for every field of a table of registers; see `flitforge_hdl::registers`.
#[proc_macro_attribute]
pub fn register_page(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens(page::register_page(arguments.into(), item.into()))
}

#[doc(hidden)]
#[proc_macro]
pub fn __register_page(input: TokenStream) -> TokenStream {
    tokens(page::expand(input.into()))
}

#[doc(hidden)]
#[proc_macro]
pub fn __logic(input: TokenStream) -> TokenStream {
    tokens(language::expand(input.into()))
}

fn tokens(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.to_compile_error()).into()
}
