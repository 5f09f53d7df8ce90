//! What `#[register_page(..)]` says of the registers of a table.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{parenthesized, Ident, LitInt, LitStr, Path, Result, Token};

/// `REGISTER`, `REGISTER.field` or `counter = 2`.
#[derive(Clone)]
pub struct Item {
    /// The register, group or counter.
    pub name: Ident,
    /// One of its fields.
    pub field: Option<Ident>,
    /// Bits.
    pub bits: Option<usize>,
}

impl Parse for Item {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        let (mut field, mut bits) = (None, None);
        if input.parse::<Option<Token![.]>>()?.is_some() {
            field = Some(input.parse()?);
        } else if input.parse::<Option<Token![=]>>()?.is_some() {
            bits = Some(input.parse::<LitInt>()?.base10_parse()?);
        }
        Ok(Self { name, field, bits })
    }
}

/// Names of the lists, each with its meaning in the page of the block language.
pub const LISTS: [&str; 15] = [
    "only",
    "constant",
    "given",
    "loads",
    "guarded",
    "masked",
    "read",
    "asked",
    "written",
    "slow",
    "elsewhere",
    "interrupt",
    "whole",
    "recalled",
    "prompt",
];

/// The arguments: the table, a label, lists.
pub struct Options {
    /// Path of the table: a module and its macro.
    pub table: Path,
    /// Label of the block.
    pub label: LitStr,
    /// Bits that address a word of the page or window.
    pub address: usize,
    /// First register of the window.
    pub base: Option<Path>,
    /// Group of counters, bits of their events, counters with more.
    pub counters: Option<(Ident, Vec<Item>)>,
    lists: Vec<(String, Vec<Item>)>,
}

impl Parse for Options {
    fn parse(input: ParseStream) -> Result<Self> {
        let table = input.parse()?;
        input.parse::<Token![,]>()?;
        let label = input.parse()?;
        let (mut address, mut base, mut counters, mut lists) = (None, None, None, vec![]);
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let name: Ident = input.parse()?;
            let text = name.to_string();
            match text.as_str() {
                "address" => {
                    input.parse::<Token![=]>()?;
                    address = Some(input.parse::<LitInt>()?.base10_parse()?);
                }
                "base" => {
                    input.parse::<Token![=]>()?;
                    base = Some(input.parse()?);
                }
                "counters" => {
                    let mut items = items(input)?;
                    if items.is_empty() {
                        return Err(syn::Error::new(name.span(), "which group? `counters(GROUP)`"));
                    }
                    let group = items.remove(0).name;
                    counters = Some((group, items));
                }
                known if LISTS.contains(&known) => lists.push((text, items(input)?)),
                _ => {
                    let known = LISTS.map(|list| format!("`{list}(..)`")).join(", ");
                    let message =
                        format!("a page takes `address = bits`, `base = OFFSET`, `counters(..)`, {known}");
                    return Err(syn::Error::new(name.span(), message));
                }
            }
        }
        let address =
            address.ok_or_else(|| syn::Error::new(input.span(), "how wide is the address? `address = 7`"))?;
        Ok(Self { table, label, address, base, counters, lists })
    }
}

fn items(input: ParseStream) -> Result<Vec<Item>> {
    let inside;
    parenthesized!(inside in input);
    Ok(Punctuated::<Item, Token![,]>::parse_terminated(&inside)?.into_iter().collect())
}

impl Options {
    /// What a list names.
    pub fn list(&self, list: &str) -> impl Iterator<Item = &Item> + '_ {
        let list = list.to_owned();
        self.lists.iter().filter(move |(name, _)| *name == list).flat_map(|(_, items)| items)
    }

    /// The list is there.
    pub fn has(&self, list: &str) -> bool {
        self.list(list).next().is_some()
    }

    /// The list names this register, or this field of it.
    pub fn says(&self, list: &str, register: &Ident, field: &Ident) -> bool {
        self.list(list)
            .any(|item| item.name == *register && item.field.as_ref().is_none_or(|known| known == field))
    }

    /// The list names this register.
    pub fn names(&self, list: &str, register: &Ident) -> bool {
        self.list(list).any(|item| item.name == *register)
    }

    /// Every item of every list.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Item)> + '_ {
        self.lists.iter().flat_map(|(list, items)| items.iter().map(move |item| (list.as_str(), item)))
    }
}

/// `{ arguments } { struct } { table }`, as the table's macro gives it.
pub struct Given {
    /// Arguments of the attribute.
    pub options: Options,
    /// The struct.
    pub item: syn::ItemStruct,
    /// The table.
    pub table: super::table::Table,
}

impl Parse for Given {
    fn parse(input: ParseStream) -> Result<Self> {
        let part = |input: ParseStream| -> Result<TokenStream> {
            let inside;
            syn::braced!(inside in input);
            inside.parse()
        };
        let (options, item, table) = (part(input)?, part(input)?, part(input)?);
        Ok(Self { options: syn::parse2(options)?, item: syn::parse2(item)?, table: syn::parse2(table)? })
    }
}
