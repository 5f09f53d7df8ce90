//! `#[packed]`: structs and enums that are bits, checked against the layouts and enums of a protocol.

use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Fields, Item, ItemEnum, ItemStruct, Path, Result};

/// A struct or an enum that is the bits of a layout or the codes of an enum.
pub fn packed(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let layout: Option<Path> = if arguments.is_empty() { None } else { Some(syn::parse2(arguments)?) };
    let mut item = syn::parse2(item)?;
    super::groups::Ungroup.visit_item_mut(&mut item);
    match item {
        Item::Struct(item) => structure(layout.as_ref(), item),
        Item::Enum(item) => choice(layout.as_ref(), &item),
        other => refuse(other, "`#[packed]` goes on a struct or an enum"),
    }
}

fn no_generics(generics: &syn::Generics) -> Result<()> {
    match generics.params.is_empty() && generics.where_clause.is_none() {
        true => Ok(()),
        false => refuse(generics, "what is packed has no parameters"),
    }
}

fn structure(layout: Option<&Path>, mut item: ItemStruct) -> Result<TokenStream> {
    no_generics(&item.generics)?;
    if !matches!(item.fields, Fields::Named(_)) {
        return refuse(&item.ident, "a packed struct has named fields");
    }
    let mut reserved = vec![];
    for field in &mut item.fields {
        let before = field.attrs.len();
        field.attrs.retain(|attribute| !attribute.path().is_ident("reserved"));
        reserved.push(field.attrs.len() < before);
        if !matches!(field.vis, syn::Visibility::Public(_)) {
            field.vis = syn::parse_quote_spanned!(field.span()=> pub);
        }
    }
    let fields: Vec<_> = item.fields.iter().collect();
    let (names, types): (Vec<_>, Vec<_>) =
        fields.iter().filter_map(|f| Some((f.ident.as_ref()?, &f.ty))).unzip();
    if names.is_empty() {
        return refuse(&item.ident, "a packed struct has fields");
    }
    let hdl = quote!(::flitforge_base::language::hdl);
    let name = &item.ident;
    let lows: Vec<TokenStream> = (0..names.len())
        .map(|count| {
            let below = &types[..count];
            quote!(0usize #(+ <#below as #hdl::Synth>::BITS)*)
        })
        .collect();
    let checks = layout.map(|layout| checks(layout, &names, &types, &lows, &reserved)).unwrap_or_default();
    let values = packed_values(name, &names, &types, &lows);
    Ok(quote! {
        #[derive(Copy, Clone, Debug, Default, PartialEq)]
        #item
        #values
        #checks
    })
}

/// The struct has the fields of its layout, all of them and where they are.
fn checks(
    layout: &Path,
    names: &[&syn::Ident],
    types: &[&syn::Type],
    lows: &[TokenStream],
    reserved: &[bool],
) -> TokenStream {
    let hdl = quote!(::flitforge_base::language::hdl);
    let listed = names.iter().zip(types).zip(lows).zip(reserved).filter(|(_, reserved)| !**reserved);
    let each = listed.map(|(((name, ty), low), _)| {
        let place = format!(
            "field `{name}` is not where its layout has it: reserved bits are fields with `#[reserved]`"
        );
        let width = format!("field `{name}` has another width in its layout");
        quote_spanned! {name.span()=>
            assert!(#layout::#name::LOW == #low, #place);
            assert!(#layout::#name::WIDTH == <#ty as #hdl::Synth>::BITS, #width);
        }
    });
    let count = reserved.iter().filter(|reserved| !**reserved).count();
    quote_spanned! {layout.span()=>
        #[allow(clippy::identity_op)]
        const _: () = {
            #(#each)*
            assert!(#layout::LAYOUT.fields.len() == #count, "the layout has other fields");
            assert!(
                #layout::WIDTH == 0usize #(+ <#types as #hdl::Synth>::BITS)*,
                "the layout has another width: reserved bits are fields with `#[reserved]`"
            );
        };
    }
}

fn packed_values(
    name: &syn::Ident,
    names: &[&syn::Ident],
    types: &[&syn::Type],
    lows: &[TokenStream],
) -> TokenStream {
    let hdl = quote!(::flitforge_base::language::hdl);
    let drive = quote!(::flitforge_elaborate::drive::FromValue);
    let texts = names.iter().map(ToString::to_string);
    let bits = quote!({ <#name as #hdl::Synth>::BITS });
    quote! {
        #[automatically_derived]
        impl #hdl::Synth for #name {
            const BITS: usize = 0usize #(+ <#types as #hdl::Synth>::BITS)*;
            fn descriptor() -> #hdl::TypeDescriptor {
                let fields = ::std::vec![#(::std::boxed::Box::new(#hdl::TypeField {
                    fieldname: #texts.into(),
                    kind: <#types as #hdl::Synth>::descriptor(),
                })),*];
                #hdl::TypeDescriptor {
                    name: ::core::stringify!(#name).into(),
                    kind: #hdl::TypeKind::Composite(fields),
                }
            }
            fn vcd(self) -> #hdl::VCDValue {
                #hdl::VCDValue::Composite(::std::vec![#(::std::boxed::Box::new(#hdl::Synth::vcd(self.#names))),*])
            }
            fn verilog(self) -> #hdl::VerilogLiteral {
                #hdl::Bits::<#bits>::from(self).into()
            }
        }
        #[automatically_derived]
        impl #drive for #name {
            fn from_value(value: &::flitforge_elaborate::Value) -> Self {
                Self { #(#names: #drive::from_value(&value.slice((#lows) as u32, <#types as #hdl::Synth>::BITS as u32))),* }
            }
            fn to_value(&self) -> ::flitforge_elaborate::Value {
                let mut value = ::flitforge_elaborate::Value::zero(<Self as #hdl::Synth>::BITS as u32);
                #(value.put((#lows) as u32, &#drive::to_value(&self.#names));)*
                value
            }
        }
        #[automatically_derived]
        impl ::core::convert::From<#name> for #hdl::Bits<#bits> {
            fn from(value: #name) -> Self {
                #drive::from_value(&#drive::to_value(&value))
            }
        }
        #[automatically_derived]
        impl ::core::convert::From<#hdl::Bits<#bits>> for #name {
            fn from(value: #hdl::Bits<#bits>) -> Self {
                #drive::from_value(&#drive::to_value(&value))
            }
        }
    }
}

fn choice(protocol: Option<&Path>, item: &ItemEnum) -> Result<TokenStream> {
    no_generics(&item.generics)?;
    for variant in &item.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return refuse(&variant.fields, "a variant is a code: it has no fields");
        }
        if let Some((_, code)) = &variant.discriminant {
            return refuse(code, "the codes are 0, 1, 2, ... in the order of the variants");
        }
        let text = variant.ident.to_string();
        if !text.chars().any(|letter| letter.is_ascii_lowercase()) {
            return refuse(&variant.ident, "a name in capitals is a constant: write the variant as `Idle`");
        }
    }
    if item.variants.len() < 2 {
        return refuse(&item.ident, "an enum of one variant has no bits");
    }
    let (name, hdl) = (&item.ident, quote!(::flitforge_base::language::hdl));
    let variants: Vec<_> = item.variants.iter().map(|variant| &variant.ident).collect();
    let codes: Vec<u64> = (0..variants.len() as u64).collect();
    let checks = protocol.map(|protocol| {
        let count = variants.len();
        quote_spanned! {protocol.span()=>
            const _: () = {
                #(assert!(#protocol::#variants.code() as u64 == #codes, "the protocol has another code for this variant");)*
                assert!(#protocol::ALL.len() == #count, "the protocol has other variants");
            };
        }
    });
    let (first, count) = (variants.first(), variants.len());
    Ok(quote! {
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        #item
        const _: () = {
            use #hdl::{clog2, synth, type_descriptor, Bits, ToBits, TypeDescriptor, TypeKind, VCDValue, VerilogLiteral};
            #[automatically_derived]
            impl synth::Synth for #name {
                const BITS: usize = clog2(#count);
                fn descriptor() -> TypeDescriptor {
                    let name = ::core::stringify!(#name);
                    let variants = ::std::vec![#(::std::format!("{name}::{}", ::core::stringify!(#variants))),*];
                    TypeDescriptor { name: name.into(), kind: TypeKind::Enum(variants) }
                }
                fn vcd(self) -> VCDValue {
                    match self { #(Self::#variants => VCDValue::String(::core::stringify!(#variants).into()),)* }
                }
                fn verilog(self) -> VerilogLiteral {
                    (self as usize).into()
                }
            }
            #[automatically_derived]
            impl ::core::convert::From<#name> for Bits<{ <#name as synth::Synth>::BITS }> {
                fn from(value: #name) -> Self {
                    (value as usize).to_bits()
                }
            }
        };
        #[automatically_derived]
        impl ::core::default::Default for #name {
            fn default() -> Self { Self::#first }
        }
        ::flitforge_elaborate::value_enum!(#name { #(#variants),* });
        #checks
    })
}
