//! The block of a page: decoder, reads, what all its registers share.

use super::fields::{bits, chosen, port, zeros, Place};
use super::options::{Given, Options};
use super::table::{Access, Field, Row};
use super::text::Page;
use crate::encoder::refuse;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Result;

impl Page {
    fn register(&self, row: &Row) -> TokenStream {
        let (path, module) = (&self.path, &row.module);
        quote!(<#path::#module::Value as ::flitforge_protocol::register::RegisterValue>::REGISTER)
    }

    /// What the configuration says of a field: `power_on` or `writable`.
    pub fn value_of(&self, place: &Place<'_>, method: TokenStream) -> TokenStream {
        let (path, module, field) = (&self.path, &place.row.module, &place.field.name);
        let register = self.register(place.row);
        if !place.field.members.is_empty() {
            let mask = place
                .field
                .members
                .iter()
                .fold(0, |mask, field| mask | u64::MAX >> (64 - field.width) << field.low);
            return quote!((built.#method(&#register) & #mask).into());
        }
        let value = quote!(#path::#module::#field::FIELD.get(built.#method(&#register).into()));
        match place.field.width {
            1 => quote!(#value != 0),
            _ => quote!(#value.into()),
        }
    }
}

/// The page of a table.
pub fn page(given: &Given) -> Result<Page> {
    let options = &given.options;
    let mut page = Page { path: Some(options.table.clone()), ..Page::default() };
    let wanted = |row: &&Row| !options.has("only") || options.names("only", &row.name);
    let (elsewhere, own): (Vec<&Row>, Vec<&Row>) =
        given.table.rows.iter().filter(wanted).partition(|row| options.names("elsewhere", &row.name));
    // What is only read, and read elsewhere, leaves nothing here.
    let gone = |row: &&Row| {
        row.fields
            .iter()
            .all(|field| field.access == Access::Read && options.says("recalled", &row.name, &field.name))
    };
    for row in own.into_iter().filter(|row| !gone(row)) {
        if row.several {
            return refuse(&row.name, "several registers of one name stand in an `elsewhere(..)`");
        }
        match options.names("whole", &row.name) {
            true => page.row(options, &row.whole()?)?,
            false => page.row(options, row)?,
        }
    }
    page.elsewhere(options, &elsewhere);
    page.interrupt(given)?;
    page.counters(given)?;
    page.answer(options);
    Ok(page)
}

impl Page {
    fn row(&mut self, options: &Options, row: &Row) -> Result<()> {
        let (is, word, name) = (chosen(row), format_ident!("{}_WORD", row.name), &row.name);
        let (path, base) = (&options.table, base(options));
        self.constants
            .push(quote!(const #word: u32 = (#path::#name - #base) / ::flitforge_protocol::register::BYTES;));
        self.item(quote!(#[wire(d = _)] #is: Reg<::flitforge_base::prelude::Bit>));
        self.say(quote!(#is = page_address == Self::#word;));
        self.strobes(options, row);
        let register = self.register(row);
        let mut parts = vec![];
        let (mut above, mut shows) = (0, false);
        for field in &row.fields {
            let place = Place { options, row, field };
            let constant = options.names("constant", name);
            let (shown, uses) = match constant {
                true => (TokenStream::new(), "Constant"),
                false => place.add(self)?,
            };
            let read = !options.says("recalled", name, &field.name);
            self.describe(&place, uses, read);
            let shown = if read { shown } else { zeros(field.width) };
            shows |= read;
            if field.low > above {
                parts.push(zeros(field.low - above));
            }
            parts.push(shown);
            above = field.low + field.width;
        }
        if above < 64 {
            parts.push(zeros(64 - above));
        }
        if !shows {
            return Ok(());
        }
        let (value, part) = (format_ident!("{}_word", row.module), format_ident!("{}_part", row.module));
        if options.names("constant", name) {
            self.item(quote!(#value: Constant<::flitforge_base::prelude::Bits<64>>));
            self.start(
                quote!(#value: ::flitforge_base::prelude::Constant::new(built.power_on(&#register).into())),
            );
        } else {
            let all = match &parts[..] {
                [one] => quote!(#one),
                parts => quote!(cat(#(#parts),*)),
            };
            self.say(quote!(let #value: ::flitforge_base::prelude::Bits<64> = #all;));
        }
        self.say(quote!(let #part: ::flitforge_base::prelude::Bits<64> = if #is { #value } else { 0 };));
        self.shown.push(part);
        Ok(())
    }

    /// A field in the list of all, or those that share its port.
    fn describe(&mut self, place: &Place<'_>, uses: &str, read: bool) {
        let Place { row, field, .. } = place;
        let (uses, port) = (format_ident!("{uses}"), port(row, field).to_string());
        let (register, path, module) = (self.register(row), &self.path, &row.module);
        let members = match &field.members[..] {
            [] => std::slice::from_ref(*field),
            members => members,
        };
        for member in members {
            let (name, at) = (&member.name, member.low - field.low);
            self.list.push(quote! {
                ::flitforge_hdl_prim::registers::PageField {
                    register: #register,
                    module: ::core::stringify!(#module),
                    field: #path::#module::#name::FIELD,
                    port: #port,
                    at: #at,
                    read: #read,
                    uses: ::flitforge_hdl_prim::registers::PortUse::#uses,
                }
            });
        }
    }

    /// What tells of reads and writes of a register.
    fn strobes(&mut self, options: &Options, row: &Row) {
        let (module, name, is) = (&row.module, &row.name, chosen(row));
        let at = |what: &str| format_ident!("{module}_{what}");
        let bit = quote!(::flitforge_base::prelude::Bit);
        let given = options.names("given", name) || options.names("slow", name);
        if given || row.fields.iter().any(|field| field.access == Access::Write) {
            self.out(&format!("{name} is written."), &at("write"), quote!(page_writes & #is));
        }
        if options.names("slow", name) {
            self.slow.push(is.clone());
            let store = at("store");
            let kept = |field: &Field| {
                matches!(field.access, Access::ReadWrite | Access::ReadWriteDown)
                    && !options.says("given", name, &field.name)
            };
            if row.fields.iter().any(kept) {
                self.field(
                    &format!("{name} becomes what is written, at most with `done`."),
                    quote!(#store: In<#bit>),
                );
            }
        }
        if options.names("guarded", name) {
            let permit = at("permit");
            self.field(
                &format!("{name} may be written so, 1 clock after the request."),
                quote!(#permit: In<#bit>),
            );
            let refused = quote!(page_writes & #is & !#permit);
            self.later(&format!("Pulse: a write of {name} was refused."), &at("refused"), refused);
        }
        if options.names("read", name) {
            self.out(&format!("{name} is read."), &at("read"), quote!(page_step_1 & !bus.write & #is));
        }
        if options.names("asked", name) {
            let word = format_ident!("{name}_WORD");
            let asked = quote!(bus.request & !clear & !bus.write & (page_address == Self::#word));
            self.out(&format!("{name} is read: a gate after the request."), &at("asked"), asked);
        }
        if options.names("written", name) {
            self.later(&format!("Pulse: {name} was written."), &at("written"), quote!(page_writes & #is));
        }
    }

    /// Registers that others answer for.
    fn elsewhere(&mut self, options: &Options, rows: &[&Row]) {
        if rows.is_empty() {
            return;
        }
        let (path, base) = (&options.table, base(options));
        let (registers, names): (Vec<_>, Vec<_>) =
            rows.iter().map(|row| (self.register(row), &row.name)).unzip();
        self.constants.push(quote! {
            /// Words that others answer for: the first and the last.
            pub const ELSEWHERE: (u32, u32) =
                ::flitforge_hdl_prim::registers::words(&[#((#path::#names, #registers.count)),*], #base);
            const ELSEWHERE_FIRST: u32 = Self::ELSEWHERE.0;
            const ELSEWHERE_LAST: u32 = Self::ELSEWHERE.1;
        });
        self.item(quote!(#[wire(d = _)] is_elsewhere: Reg<::flitforge_base::prelude::Bit>));
        self.say(quote! {
            is_elsewhere = (page_address >= Self::ELSEWHERE_FIRST) & (page_address <= Self::ELSEWHERE_LAST);
        });
        let bit = quote!(::flitforge_base::prelude::Bit);
        let word = quote!(::flitforge_base::prelude::Bits<64>);
        self.field(
            "Others have answered, 1 clock after `elsewhere` or later.",
            quote!(elsewhere_done: In<#bit>),
        );
        self.field("With `elsewhere_done`: the value.", quote!(elsewhere_value: In<#word>));
        self.out(
            "A request that others answer.",
            &format_ident!("elsewhere"),
            quote!(page_step_1 & is_elsewhere),
        );
    }

    /// `interrupt(EVENT, MASK)`.
    fn interrupt(&mut self, given: &Given) -> Result<()> {
        let items: Vec<_> = given.options.list("interrupt").collect();
        let [event, mask] = &items[..] else {
            let Some(first) = items.first() else { return Ok(()) };
            return refuse(&first.name, "an interrupt has two registers: `interrupt(EVENT, MASK)`");
        };
        let row = given.table.row(&mask.name)?;
        let Some(field) = row.fields.first() else { return Ok(()) };
        let mask = match given.options.names("whole", &mask.name) {
            true => format_ident!("{}_kept", row.module),
            false => format_ident!("{}_kept", port(row, field)),
        };
        let held: Vec<_> = self.held.iter().filter(|(name, ..)| *name == event.name).cloned().collect();
        let terms: Vec<_> = held.iter().map(|(_, low, held)| quote!((#held & #mask[#low]))).collect();
        self.later("Some event of the mask has happened.", &format_ident!("interrupt"), quote!(#(#terms)|*));
        Ok(())
    }

    /// `counters(GROUP, NAME = bits)`: they share a RAM.
    fn counters(&mut self, given: &Given) -> Result<()> {
        let options = &given.options;
        let Some((name, wider)) = &options.counters else { return Ok(()) };
        let group = given.table.group(name)?;
        let count = group.counters.len();
        let ones = wider.iter().find(|item| item.name == "ones").and_then(|item| item.bits);
        let most = match ones {
            Some(ones) => ones.ilog2() as usize + 1,
            None => wider.iter().filter_map(|item| item.bits).max().unwrap_or(1),
        };
        let tally = most + 4;
        let (path, base) = (&options.table, base(options));
        self.constants.push(quote! {
            const COUNTERS_WORDS: (u32, u32) = ::flitforge_hdl_prim::registers::counter_words(&#path::#name, #base);
            const COUNTERS_FIRST: u32 = Self::COUNTERS_WORDS.0;
            const COUNTERS_LAST: u32 = Self::COUNTERS_WORDS.1;
        });
        self.item(quote! {
            #[wire(clock, clear)]
            page_counters: ::flitforge_hdl_prim::registers::PageCounters<#count, #tally, #most>
        });
        self.start(quote! {
            page_counters: ::flitforge_hdl_prim::registers::PageCounters::new((Self::COUNTERS_FIRST % 16).into(), built.counters())?
        });
        for (i, counter) in group.counters.iter().enumerate() {
            let port = format_ident!("{}", counter.to_string().to_lowercase());
            let given = wider.iter().find(|item| item.name == *counter).and_then(|item| item.bits);
            let width = ones.or(given).unwrap_or(1);
            let value = self.events(counter, &port, width, most, ones.is_some());
            self.say(quote!(page_counters.events[#i] = #value;));
        }
        self.item(quote!(#[wire(d = _)] is_counter: Reg<::flitforge_base::prelude::Bit>));
        self.item(quote!(#[wire(d = _)] page_zeroes: Reg<::flitforge_base::prelude::Bit>));
        self.say(quote! {
            is_counter = (page_address >= Self::COUNTERS_FIRST) & (page_address <= Self::COUNTERS_LAST);
            page_zeroes = bus.write & !page_data.any();
            page_counters.request = page_step_1 & is_counter;
            page_counters.place = page_address.bits::<4>(0);
            page_counters.zero = page_zeroes;
        });
        Ok(())
    }

    /// The port of a counter, and its events as a number of `most` bits.
    fn events(
        &mut self,
        counter: &Ident,
        port: &Ident,
        width: usize,
        most: usize,
        ones: bool,
    ) -> TokenStream {
        let ty = bits(width);
        let what = if ones { "; every 1 is one" } else { "" };
        self.field(&format!("Events that {counter} counts{what}."), quote!(#port: In<#ty>));
        if ones {
            let mut every = vec![];
            for bit in 0..width {
                let one = format_ident!("{port}_{bit}");
                self.say(quote!(let #one = #port.bits::<1>(#bit);));
                every.push(quote!(bit_cast::<#most, 1>(#one)));
            }
            return quote!(#(#every)+*);
        }
        match (width, most) {
            (1, 1) => quote!(#port.into()),
            (1, _) => {
                let one = format_ident!("{port}_event");
                self.say(quote!(let #one: ::flitforge_base::prelude::Bits<1> = #port.into();));
                quote!(bit_cast::<#most, 1>(#one))
            }
            (width, most) if width == most => quote!(#port),
            _ => quote!(bit_cast::<#most, #width>(#port)),
        }
    }

    /// What a request is answered with, and when.
    fn answer(&mut self, options: &Options) {
        let bit = quote!(::flitforge_base::prelude::Bit);
        if self.down {
            self.field(
                "What is writable in Down only can be written, 1 clock after the request.",
                quote!(down: In<#bit>),
            );
        }
        let (mut waits, mut answers) = (vec![], vec![]);
        if options.counters.is_some() {
            waits.push(quote!(is_counter));
            answers.push(quote!(page_counters.answer.valid));
        }
        let elsewhere = options.has("elsewhere").then(|| {
            quote! {
                if elsewhere_done & !bus.write & !clear {
                    page_value = elsewhere_value;
                }
            }
        });
        if options.has("elsewhere") {
            waits.push(quote!(is_elsewhere));
            answers.push(quote!(elsewhere_done));
        }
        if !self.slow.is_empty() {
            let slow = &self.slow;
            self.say(quote!(let page_slow = bus.write & (#(#slow)|*);));
            self.field("A write that takes longer is done.", quote!(done: In<#bit>));
            waits.push(quote!(page_slow));
            answers.push(quote!(done));
        }
        let shown = &self.shown;
        let counted = options.counters.is_some().then(|| {
            quote! {
                if page_counters.answer.valid & !bus.write & !clear {
                    page_value = bit_cast::<64, 32>(page_counters.answer.data);
                }
            }
        });
        self.body.push(quote! {
            let page_found: ::flitforge_base::prelude::Bits<64> = #(#shown)|*;
            page_value = 0;
            if page_step_2 & !bus.write & !clear {
                page_value = page_found;
            }
            #counted
            #elsewhere
            page_answered = ((page_step_2 #(& !#waits)*) #(| #answers)*) & !clear;
            bus.ack = page_answered;
            bus.rdata = page_value;
        });
    }

    /// All of it.
    pub fn block(&self, given: &Given) -> TokenStream {
        let syn::ItemStruct { attrs, vis, ident, .. } = &given.item;
        let Options { label, address, .. } = &given.options;
        let Page { ports, items, body, starts, constants, list, .. } = self;
        quote! {
            #(#attrs)*
            #[::flitforge_base::prelude::block(#label, new)]
            #vis struct #ident {
                /// Rising edge counts.
                clock: In<::flitforge_base::prelude::Clock>,
                /// Synchronous clear: forgets a request.
                clear: In<::flitforge_base::prelude::Bit>,
                /// Requests of one clock; the rest stands until `ack`.
                pub bus: ::flitforge_hdl_prim::registers::RegisterBus<#address>,
                #(#ports,)*
                #[wire(d = _)]
                page_step_1: Reg<::flitforge_base::prelude::Bit>,
                #[wire(d = _)]
                page_step_2: Reg<::flitforge_base::prelude::Bit>,
                #[wire(d = _)]
                page_answered: Reg<::flitforge_base::prelude::Bit>,
                #[wire(d = _)]
                page_value: Reg<::flitforge_base::prelude::Bits<64>>,
                #(#items,)*
            }

            #[::flitforge_base::prelude::logic]
            impl #ident {
                #(#constants)*

                /// With what was built, or the reason why not.
                pub fn new(
                    built: &dyn ::flitforge_hdl_prim::registers::PageBuild,
                ) -> ::core::result::Result<Self, ::flitforge_hdl_prim::registers::ConfigError> {
                    Ok(Self { #(#starts,)* .. })
                }

                fn update(&mut self) {
                    let page_address = bus.address;
                    let page_data = bus.wdata;
                    page_step_1 = bus.request & !clear;
                    page_step_2 = page_step_1 & !clear;
                    let page_writes = page_step_1 & bus.write;
                    #(#body)*
                }
            }

            impl ::flitforge_hdl_prim::registers::RegisterPage for #ident {
                const FIELDS: &'static [::flitforge_hdl_prim::registers::PageField] = &[#(#list),*];
            }
        }
    }
}

/// Byte offset of the first register of the window.
fn base(options: &Options) -> TokenStream {
    match &options.base {
        Some(name) => {
            let path = &options.table;
            quote!(#path::#name)
        }
        None => quote!(0),
    }
}
