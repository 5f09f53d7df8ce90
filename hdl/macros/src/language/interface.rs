//! `#[interface]`: a struct of ports that several blocks share.

use super::groups::Ungroup;
use super::structure::{port_kind, real, with_drive};
use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::VisitMut;
use syn::{Ident, ItemStruct, Result, Token};

/// `join = Other`.
struct Join(Option<Ident>);

impl Parse for Join {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.is_empty() {
            return Ok(Self(None));
        }
        let name: Ident = input.parse()?;
        if name != "join" {
            return refuse(name, "`#[interface]` takes the interface of the other direction: `join = Other`");
        }
        input.parse::<Token![=]>()?;
        Ok(Self(Some(input.parse()?)))
    }
}

/// The struct for rust-hdl, with its derives and with `Drive`.
pub fn interface(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let Join(join) = syn::parse2(arguments)?;
    let mut item: ItemStruct = syn::parse2(item)?;
    Ungroup.visit_item_struct_mut(&mut item);
    let syn::Fields::Named(named) = &item.fields else {
        return refuse(&item.ident, "an interface has named fields");
    };
    let mut fields = vec![];
    for field in &named.named {
        let kind = port_kind(&field.ty)?;
        let (attributes, name, real) = (&field.attrs, &field.ident, real(&field.ty, kind));
        fields.push(quote!(#(#attributes)* pub #name: #real));
    }
    let names = named.named.iter().filter_map(|field| Some((field.ident.as_ref()?, field.attrs.as_slice())));
    let drive = with_drive(&item.ident, &item.generics, names);
    let ItemStruct { attrs, vis, ident, generics, .. } = &item;
    let join = join.map(|join| {
        let name = join.to_string();
        quote!(#[join = #name])
    });
    let join = join.to_token_stream();
    Ok(quote! {
        #(#attrs)*
        #[derive(LogicInterface, Clone, Debug, Default)]
        #join
        #vis struct #ident #generics { #(#fields),* }
        #drive
    })
}
