//! What becomes of a field, by its access.

use super::options::Options;
use super::table::{Access, Field, Row};
use super::text::Page;
use crate::encoder::refuse;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Result;

/// The type of so many bits.
pub fn bits(width: usize) -> TokenStream {
    match width {
        1 => quote!(::flitforge_base::prelude::Bit),
        width => quote!(::flitforge_base::prelude::Bits<#width>),
    }
}

/// The port of a field. The only field of a register has its name if it is called `value` or as the register's name ends.
pub fn port(row: &Row, field: &Field) -> Ident {
    let alone = row.fields.len() == 1 && row.module.to_string().ends_with(&field.name.to_string());
    match alone || field.name == "value" {
        true => row.module.clone(),
        false => format_ident!("{}_{}", row.module, field.name),
    }
}

/// A field of a page.
pub struct Place<'a> {
    pub options: &'a Options,
    pub row: &'a Row,
    pub field: &'a Field,
}

impl Place<'_> {
    fn says(&self, list: &str) -> bool {
        self.options.says(list, &self.row.name, &self.field.name)
    }

    /// Its bits of what is written.
    fn written(&self) -> TokenStream {
        if !self.field.members.is_empty() {
            return self.written_whole();
        }
        let (low, high) = (self.field.low, self.field.low + self.field.width);
        match self.field.width {
            1 => quote!(page_data[#low]),
            64 => quote!(page_data),
            _ => quote!(page_data[#low..#high]),
        }
    }

    /// Fields that share a port, with 0 between them.
    fn written_whole(&self) -> TokenStream {
        let (mut parts, mut low, mut high) = (vec![], 0, 0);
        for field in &self.field.members {
            if field.low > high {
                parts.push(quote!(page_data[#low..#high]));
                parts.push(zeros(field.low - high));
                low = field.low;
            }
            high = field.low + field.width;
        }
        match (&parts[..], low, high) {
            ([], 0, 64) => quote!(page_data),
            ([], ..) => quote!(page_data[#low..#high]),
            _ => quote!(cat(#(#parts,)* page_data[#low..#high])),
        }
    }

    fn doc(&self, what: &str) -> String {
        let Field { name, meaning, .. } = self.field;
        match name == "value" {
            true => format!("{}: {what}{meaning}.", self.row.name),
            false => format!("{}.{name}: {what}{meaning}.", self.row.name),
        }
    }

    fn single(&self) -> Result<()> {
        match self.field.width {
            1 => Ok(()),
            _ => refuse(&self.field.name, "such a field has one bit, or is `given(..)`"),
        }
    }

    /// Adds the field to the page; what a read shows of it, and how its port is used.
    pub fn add(&self, page: &mut Page) -> Result<(TokenStream, &'static str)> {
        let name = port(self.row, self.field);
        match self.field.access {
            _ if self.says("given") => Ok((self.given(page, &name), "Given")),
            Access::Read => {
                let (ty, doc) = (bits(self.field.width), self.doc(""));
                page.field(&doc, quote!(#name: In<#ty>));
                Ok((quote!(#name), "Shown"))
            }
            Access::ReadWrite => Ok((self.kept(page, &name, quote!()), "Kept")),
            Access::ReadWriteDown => {
                page.down = true;
                Ok((self.kept(page, &name, quote!(&down)), "KeptDown"))
            }
            Access::Write => {
                let (ty, doc, value) = (bits(self.field.width), self.doc("with the write: "), self.written());
                page.field(&doc, quote!(#name: Out<#ty>));
                page.say(quote!(#name = #value;));
                Ok((zeros(self.field.width), "Strobe"))
            }
            Access::SelfClearing => self.pulse(page, &name).map(|shown| (shown, "Pulse")),
            Access::WriteOneClears if !self.field.members.is_empty() => {
                Ok((self.held_whole(page, &name), "Event"))
            }
            Access::WriteOneClears => self.held(page, &name, quote!()).map(|shown| (shown, "Event")),
            Access::Counter => self.held(page, &name, quote!(!)).map(|shown| (shown, "Sticky")),
        }
    }

    /// It stands elsewhere.
    fn given(&self, page: &mut Page, name: &Ident) -> TokenStream {
        let (ty, new, value) = (bits(self.field.width), format_ident!("{name}_new"), self.written());
        page.field(&self.doc("what it is: "), quote!(#name: In<#ty>));
        page.field(&self.doc("with the write: "), quote!(#new: Out<#ty>));
        page.say(quote!(#new = #value;));
        quote!(#name)
    }

    /// A register of the page.
    fn kept(&self, page: &mut Page, name: &Ident, more: TokenStream) -> TokenStream {
        let (ty, kept, chosen) = (bits(self.field.width), format_ident!("{name}_kept"), chosen(self.row));
        page.field(&self.doc(""), quote!(#name: Out<#ty>));
        page.item(quote!(#[wire(clear = false)] #kept: ::flitforge_hdl_prim::Register<#ty>));
        let power_on = page.value_of(self, quote!(power_on));
        page.start(quote!(#kept: ::flitforge_hdl_prim::Register::new(#power_on)));
        let value = self.written();
        let value = if self.says("masked") {
            let mask = format_ident!("{name}_mask");
            page.item(quote!(#mask: Constant<#ty>));
            let writable = page.value_of(self, quote!(writable));
            page.start(quote!(#mask: ::flitforge_base::prelude::Constant::new(#writable)));
            let bits = format_ident!("{name}_new");
            page.say(quote!(let #bits = #value;));
            quote!(#bits & #mask)
        } else {
            value
        };
        let (permit, store) =
            (format_ident!("{}_permit", self.row.module), format_ident!("{}_store", self.row.module));
        let (load, loaded) = (format_ident!("{name}_load"), format_ident!("{name}_loaded"));
        let loads = self.says("loads").then(|| quote!(| #load));
        if self.says("loads") {
            page.field(
                &self.doc("it becomes `.._loaded`: "),
                quote!(#load: In<::flitforge_base::prelude::Bit>),
            );
            page.field(&self.doc("with `.._load`: "), quote!(#loaded: In<#ty>));
        }
        let register = &self.row.name;
        let enable = match (self.options.names("slow", register), self.options.names("guarded", register)) {
            (true, _) => quote!((#store)),
            (_, true) => quote!((page_writes & #chosen & #permit #more)),
            _ => quote!((page_writes & #chosen #more)),
        };
        page.say(quote! {
            #kept.enable = #enable #loads;
            #kept = #value;
            #name = #kept;
        });
        if self.says("loads") {
            page.say(quote!(if #load { #kept = #loaded; }));
        }
        quote!(#kept)
    }

    /// A written 1 is a pulse with the clock in which a kept field would show the write.
    fn pulse(&self, page: &mut Page, name: &Ident) -> Result<TokenStream> {
        self.single()?;
        let (pulse, value, chosen) = (format_ident!("{name}_pulse"), self.written(), chosen(self.row));
        page.field(&self.doc("pulse: "), quote!(#name: Out<::flitforge_base::prelude::Bit>));
        page.item(quote!(#[wire(d = _)] #pulse: Reg<::flitforge_base::prelude::Bit>));
        let word = format_ident!("{}_WORD", self.row.name);
        let when = match self.says("prompt") {
            true => quote!(bus.request & bus.write & !clear & (page_address == Self::#word)),
            false => quote!(page_writes & #chosen),
        };
        page.say(quote! {
            #pulse = #when & #value;
            #name = #pulse;
        });
        Ok(zeros(1))
    }

    /// A bit that an event sets, and a written 1, or 0, clears.
    fn held(&self, page: &mut Page, name: &Ident, inverted: TokenStream) -> Result<TokenStream> {
        self.single()?;
        let (held, cleared, value) =
            (format_ident!("{name}_held"), format_ident!("{name}_cleared"), self.written());
        let chosen = chosen(self.row);
        page.field(&self.doc("event: "), quote!(#name: In<::flitforge_base::prelude::Bit>));
        page.item(quote!(#[wire(d = _)] #held: Reg<::flitforge_base::prelude::Bit>));
        page.say(quote! {
            let #cleared = page_writes & #chosen & #inverted #value;
            #held = (#held & !#cleared) | #name;
        });
        page.held.push((self.row.name.clone(), self.field.low, quote!(#held)));
        Ok(quote!(#held))
    }
}

impl Place<'_> {
    /// Such bits of a whole register.
    fn held_whole(&self, page: &mut Page, name: &Ident) -> TokenStream {
        let (held, cleared) = (format_ident!("{name}_held"), format_ident!("{name}_cleared"));
        let (ty, value, chosen) = (bits(self.field.width), self.written(), chosen(self.row));
        page.field(&self.doc("events: "), quote!(#name: In<#ty>));
        page.item(quote!(#[wire(d = _)] #held: Reg<#ty>));
        page.say(quote! {
            let #cleared: #ty = if page_writes & #chosen { #value } else { 0 };
            #held = (#held & !#cleared) | #name;
        });
        for field in &self.field.members {
            let low = field.low;
            page.held.push((self.row.name.clone(), low, quote!(#held[#low])));
        }
        quote!(#held)
    }
}

/// The register that tells, a clock after the request, whose word it is.
pub fn chosen(row: &Row) -> Ident {
    format_ident!("is_{}", row.module)
}

/// Bits that read 0.
pub fn zeros(width: usize) -> TokenStream {
    quote!(bits::<#width>(0))
}
