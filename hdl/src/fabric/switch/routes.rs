//! The route table of one input.

use super::head::ADDRESS_BITS;
use crate::config::ConfigError;
use crate::prim::ram::Ram;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::switch::{route_entry, PORT_BITS};

/// Bits of an entry.
pub const ENTRY_BITS: usize = route_entry::WIDTH;

/// Looks up one head per clock for `N` lanes, 2^`A` entries, `Q` ports of which the first is the internal one. The answer comes 2
/// clocks later. Every input has a copy of the table.
#[derive(LogicBlock)]
pub struct SwitchRoutes<const N: usize, const A: usize, const Q: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is asked.
    pub clear: Signal<In, Bit>,
    /// Writes an entry.
    pub write: Signal<In, Bit>,
    /// Its number.
    pub index: Signal<In, Bits<A>>,
    /// The entry.
    pub entry: Signal<In, Bits<ENTRY_BITS>>,
    /// Lane whose head arrives, one at most, and its destination: goes first.
    pub arrives: Signal<In, Bits<N>>,
    /// See `arrives`.
    pub arriving: Signal<In, Bits<ADDRESS_BITS>>,
    /// Lanes whose head is at the front, and its destination.
    pub asks: Signal<In, Bits<N>>,
    /// See `asks`.
    pub dst: [Signal<In, Bits<ADDRESS_BITS>>; N],
    /// The lane that is looked up with this clock.
    pub asked: Signal<Out, Bits<N>>,
    /// The lane whose entry is there.
    pub found: Signal<Out, Bits<N>>,
    /// Its port, one bit or none.
    pub port: Signal<Out, Bits<Q>>,
    /// Its other port, one bit or none.
    pub alt: Signal<Out, Bits<Q>>,
    /// Flags of the entry.
    pub use_alt: Signal<Out, Bit>,
    /// See `use_alt`.
    pub adapt: Signal<Out, Bit>,
    /// The entry holds and names a port there is.
    pub valid: Signal<Out, Bit>,

    entries: Ram<Bits<ENTRY_BITS>, A>,
    looking: DFF<Bits<N>>,
    looked: DFF<Bits<N>>,
    chosen: Signal<Local, Bits<N>>,
    seen: Signal<Local, Bit>,
    address: Signal<Local, Bits<ADDRESS_BITS>>,
    read: Signal<Local, Bits<ENTRY_BITS>>,
    ports: Signal<Local, Bits<Q>>,
    alts: Signal<Local, Bits<Q>>,
    port_field: Signal<Local, Bits<PORT_BITS>>,
    alt_field: Signal<Local, Bits<PORT_BITS>>,
    number: Vec<Constant<Bits<PORT_BITS>>>,
}

impl<const N: usize, const A: usize, const Q: usize> SwitchRoutes<N, A, Q> {
    /// A table without valid entries.
    pub fn new() -> Result<Self, ConfigError> {
        let port_number = |index: usize| if index == 0 { Q - 1 } else { index - 1 };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            write: Default::default(),
            index: Default::default(),
            entry: Default::default(),
            arrives: Default::default(),
            arriving: Default::default(),
            asks: Default::default(),
            dst: defaults(),
            asked: Default::default(),
            found: Default::default(),
            port: Default::default(),
            alt: Default::default(),
            use_alt: Default::default(),
            adapt: Default::default(),
            valid: Default::default(),
            entries: Default::default(),
            looking: Default::default(),
            looked: Default::default(),
            chosen: Default::default(),
            seen: Default::default(),
            address: Default::default(),
            read: Default::default(),
            ports: Default::default(),
            alts: Default::default(),
            port_field: Default::default(),
            alt_field: Default::default(),
            number: (0..Q).map(|index| Constant::new((port_number(index) as u64).into())).collect(),
        })
    }
}

impl<const N: usize, const A: usize, const Q: usize> Logic for SwitchRoutes<N, A, Q> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, looking, looked);
        self.entries.write_clock.next = self.clock.val();
        self.entries.read_clock.next = self.clock.val();
        self.entries.write_enable.next = self.write.val();
        self.entries.write_address.next = self.index.val();
        self.entries.write_data.next = self.entry.val();
        self.entries.read_enable.next = true;
        self.entries.output_enable.next = true;

        self.chosen.next = 0.into();
        self.address.next = self.arriving.val();
        self.seen.next = self.arrives.val().any();
        for v in 0..N {
            if self.asks.val().get_bit(v) & !self.seen.val() {
                self.address.next = self.dst[v].val();
            }
            self.chosen.next = self.chosen.val().replace_bit(
                v,
                self.arrives.val().get_bit(v) | (self.asks.val().get_bit(v) & !self.seen.val()),
            );
            self.seen.next = self.seen.val() | self.asks.val().get_bit(v);
        }
        self.asked.next = self.chosen.val();
        self.entries.read_address.next = self.address.val().get_bits::<A>(0);
        self.looking.d.next = self.chosen.val();
        self.looked.d.next = self.looking.q.val();
        if self.clear.val() {
            self.looking.d.next = 0.into();
            self.looked.d.next = 0.into();
        }

        self.read.next = self.entries.read_data.val();
        self.port_field.next = self.read.val().get_bits::<PORT_BITS>(0);
        self.alt_field.next = self.read.val().get_bits::<PORT_BITS>(5);
        self.ports.next = 0.into();
        self.alts.next = 0.into();
        for o in 0..Q {
            self.ports.next = self.ports.val().replace_bit(o, self.port_field.val() == self.number[o].val());
            self.alts.next = self.alts.val().replace_bit(o, self.alt_field.val() == self.number[o].val());
        }
        self.found.next = self.looked.q.val();
        self.port.next = self.ports.val();
        self.alt.next = self.alts.val();
        self.use_alt.next = self.read.val().get_bit(10);
        self.adapt.next = self.read.val().get_bit(11);
        self.valid.next = self.read.val().get_bit(15) & self.ports.val().any();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_routes", &[("entries", (1usize << A).to_string()), ("ports", Q.to_string())])
    }
}

drive_ports!(impl[const N: usize, const A: usize, const Q: usize] SwitchRoutes<N, A, Q> {
    clock, clear, write, index, entry, arrives, arriving, asks, dst, asked, found, port, alt, use_alt, adapt, valid,
});

const _: () =
    assert!(route_entry::port::LOW == 0 && route_entry::alt::LOW == 5 && route_entry::use_alt::LOW == 10);
const _: () = assert!(route_entry::adapt::LOW == 11 && route_entry::valid::LOW == 15);
