//! `#[register_page]`: a block with a port for every field of a table of registers.
//!
//! The attribute hands itself and the struct to the macro of the table, which `registers!` of flitforge-protocol defines; that gives
//! both and its rows to [`expand`]. What comes of it is a block of the block language: [`fields`] has what becomes of a field by its
//! access, [`emit`] what all registers of the page share.

mod emit;
mod fields;
mod options;
mod table;
#[cfg(test)]
mod tests;
mod text;

use crate::encoder::refuse;
use options::{Given, Options};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemStruct, Result};

/// `#[register_page(path::of_table, "label", ..)] pub struct Page;`
pub fn register_page(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut table = syn::parse2::<Options>(arguments.clone())?.table;
    if let Some(last) = table.segments.last_mut() {
        last.ident = quote::format_ident!("{}_table", last.ident);
    }
    let item: ItemStruct = syn::parse2(item)?;
    if !matches!(item.fields, syn::Fields::Unit) || !item.generics.params.is_empty() {
        return refuse(&item, "the table gives the page its fields: `pub struct Page;`");
    }
    Ok(quote!(#table! { [::flitforge_base::__register_page] { #arguments } { #item } }))
}

/// The block.
pub fn expand(tokens: TokenStream) -> Result<TokenStream> {
    let given: Given = syn::parse2(tokens)?;
    check(&given)?;
    Ok(emit::page(&given)?.block(&given))
}

/// Every list names registers and fields of the table.
fn check(given: &Given) -> Result<()> {
    for (_, item) in given.options.all() {
        let row = given.table.row(&item.name)?;
        if let Some(field) = &item.field {
            if row.fields.iter().all(|known| known.name != *field) {
                return refuse(field, "the register has no such field");
            }
        }
    }
    let Some((group, items)) = &given.options.counters else { return Ok(()) };
    let group = given.table.group(group)?;
    match items.iter().find(|item| item.name != "ones" && !group.counters.contains(&item.name)) {
        Some(item) => refuse(&item.name, "the group has no such counter"),
        None => Ok(()),
    }
}
