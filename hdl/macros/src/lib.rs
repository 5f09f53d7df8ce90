//! `#[hdl_gen]` whose description of a block is data; see `flitforge_base::description` for what reads it.

mod connects;
mod encoder;
mod expressions;
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
