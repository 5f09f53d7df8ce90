//! The table of registers, as `registers!` of flitforge-protocol hands it on.

use crate::encoder::refuse;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{braced, bracketed, parenthesized, Attribute, Expr, Ident, LitInt, LitStr, Result, Token};

/// How a field is used; the names of `flitforge_protocol::register::Access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    Read,
    /// Read and write.
    ReadWrite,
    /// A written value is a command.
    Write,
    /// Ones that are written clear their bits.
    WriteOneClears,
    /// Writing 0 clears.
    Counter,
    /// Read and write, while the link is Down.
    ReadWriteDown,
    /// A written 1 is a command; reads 0.
    SelfClearing,
}

impl Parse for Access {
    fn parse(input: ParseStream) -> Result<Self> {
        let name: Ident = input.parse()?;
        Ok(match name.to_string().as_str() {
            "Read" => Self::Read,
            "ReadWrite" => Self::ReadWrite,
            "Write" => Self::Write,
            "WriteOneClears" => Self::WriteOneClears,
            "Counter" => Self::Counter,
            "ReadWriteDown" => Self::ReadWriteDown,
            "SelfClearing" => Self::SelfClearing,
            _ => return Err(syn::Error::new(name.span(), "no access of a register")),
        })
    }
}

/// `field [low +: width] "meaning";`
#[derive(Clone)]
pub struct Field {
    /// Name.
    pub name: Ident,
    /// Number of its lowest bit.
    pub low: usize,
    /// Bits.
    pub width: usize,
    /// Meaning.
    pub meaning: String,
    /// Access, that of the register or an exception.
    pub access: Access,
    /// Fields that share this port, in a register that is a `whole(..)`.
    pub members: Vec<Field>,
}

/// A row of the table.
#[derive(Clone)]
pub struct Row {
    /// Name, in capitals: the constant with its offset.
    pub name: Ident,
    /// It stands for several registers.
    pub several: bool,
    /// Module with its layout.
    pub module: Ident,
    /// Access of its fields but the exceptions.
    pub access: Access,
    /// Fields, lowest first.
    pub fields: Vec<Field>,
}

impl Parse for Row {
    fn parse(input: ParseStream) -> Result<Self> {
        input.call(Attribute::parse_outer)?;
        let name: Ident = input.parse()?;
        let several = input.peek(syn::token::Bracket);
        if several {
            let count;
            bracketed!(count in input);
            count.parse::<LitInt>()?;
        }
        input.parse::<Token![=]>()?;
        input.parse::<Expr>()?;
        input.parse::<Token![,]>()?;
        let access = input.parse()?;
        let mut exceptions: Vec<(Ident, Access)> = vec![];
        let module = loop {
            if input.parse::<Option<Token![,]>>()?.is_some() {
                break input.parse()?;
            }
            let word = input.call(Ident::parse_any)?;
            let inside;
            if word == "except" {
                braced!(inside in input);
                let listed = Punctuated::<Exception, Token![,]>::parse_terminated(&inside)?;
                exceptions.extend(listed.into_iter().map(|Exception(name, access)| (name, access)));
            } else {
                parenthesized!(inside in input);
                inside.parse::<TokenStream>()?;
            }
        };
        input.parse::<Token![,]>()?;
        let body;
        braced!(body in input);
        let mut fields = vec![];
        while !body.is_empty() {
            let mut field = field(&body, access)?;
            if let Some((_, other)) = exceptions.iter().find(|(name, _)| *name == field.name) {
                field.access = *other;
            }
            fields.push(field);
        }
        fields.sort_by_key(|field| field.low);
        Ok(Self { name, several, module, access, fields })
    }
}

/// `field: access`
struct Exception(Ident, Access);

impl Parse for Exception {
    fn parse(input: ParseStream) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self(name, input.parse()?))
    }
}

fn field(input: ParseStream, access: Access) -> Result<Field> {
    let name: Ident = input.parse()?;
    let place;
    bracketed!(place in input);
    let low = place.parse::<LitInt>()?.base10_parse()?;
    place.parse::<Token![+]>()?;
    place.parse::<Token![:]>()?;
    let width = place.parse::<LitInt>()?.base10_parse()?;
    let meaning = input.parse::<LitStr>()?.value();
    input.parse::<Token![;]>()?;
    Ok(Field { name, low, width, meaning, access, members: vec![] })
}

impl Row {
    /// The register with one field for all that have its own access: from bit 0 to the highest of them.
    pub fn whole(&self) -> Result<Self> {
        let known = [Access::Read, Access::ReadWrite, Access::ReadWriteDown, Access::WriteOneClears];
        if !known.contains(&self.access) {
            return refuse(&self.name, "fields of this access have ports of their own");
        }
        let (members, mut fields): (Vec<Field>, Vec<Field>) =
            self.fields.iter().cloned().partition(|field| field.access == self.access);
        let width = members.iter().map(|field| field.low + field.width).max().unwrap_or(0);
        if let Some(field) = fields.iter().find(|field| field.low < width) {
            return refuse(&field.name, "a field of another access stands among those of the whole");
        }
        let name = match self.access {
            Access::WriteOneClears => "happened",
            _ => "value",
        };
        let name = Ident::new(name, self.name.span());
        let meaning = "the register, bit by bit".to_owned();
        fields.insert(0, Field { name, low: 0, width, meaning, access: self.access, members });
        Ok(Self { fields, ..self.clone() })
    }
}

/// A group of counters: `GROUP = offset, bits, { NAMES }`.
pub struct Group {
    /// Name: the constant that describes it.
    pub name: Ident,
    /// Names of the counters in their order.
    pub counters: Vec<Ident>,
}

impl Parse for Group {
    fn parse(input: ParseStream) -> Result<Self> {
        input.call(Attribute::parse_outer)?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        input.parse::<Expr>()?;
        input.parse::<Token![,]>()?;
        input.parse::<Expr>()?;
        input.parse::<Token![,]>()?;
        let inside;
        braced!(inside in input);
        let counters = Punctuated::<Ident, Token![,]>::parse_terminated(&inside)?.into_iter().collect();
        Ok(Self { name, counters })
    }
}

/// The whole table.
pub struct Table {
    /// Registers.
    pub rows: Vec<Row>,
    /// Counters.
    pub groups: Vec<Group>,
}

impl Parse for Table {
    fn parse(input: ParseStream) -> Result<Self> {
        let (mut rows, mut groups) = (vec![], vec![]);
        while !input.is_empty() && !input.peek(Token![;]) {
            rows.push(input.parse()?);
        }
        input.parse::<Option<Token![;]>>()?;
        while !input.is_empty() {
            groups.push(input.parse()?);
        }
        Ok(Self { rows, groups })
    }
}

impl Table {
    /// The register of this name.
    pub fn row(&self, name: &Ident) -> Result<&Row> {
        let found = self.rows.iter().find(|row| row.name == *name);
        found.ok_or_else(|| syn::Error::new(name.span(), "the table has no such register"))
    }

    /// The group of this name.
    pub fn group(&self, name: &Ident) -> Result<&Group> {
        let found = self.groups.iter().find(|group| group.name == *name);
        found.ok_or_else(|| syn::Error::new(name.span(), "the table has no such group of counters"))
    }
}

/// Names and positions, for tests of the reader.
impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.module)?;
        self.fields.iter().try_for_each(|field| {
            write!(f, " {}[{}+:{}]{:?}", field.name.to_token_stream(), field.low, field.width, field.access)
        })
    }
}
