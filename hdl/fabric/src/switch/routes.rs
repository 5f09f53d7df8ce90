//! The route table of one input.

use super::head::ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::Ram;
use flitforge_protocol::switch::{route_entry, PORT_BITS};

/// Bits of an entry.
pub const ENTRY_BITS: usize = route_entry::WIDTH;

/// Looks up one head per clock for `N` lanes, 2^`A` entries, `Q` ports of which the first is the internal one. The answer comes 2
/// clocks later. Every input has a copy of the table.
#[block("switch_routes", new, entries = 1usize << A, ports = Q)]
pub struct SwitchRoutes<const N: usize, const A: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is asked.
    clear: In<Bit>,
    /// Writes an entry.
    write: In<Bit>,
    /// Its number.
    index: In<Bits<A>>,
    /// The entry.
    entry: In<Bits<ENTRY_BITS>>,
    /// Lane whose head arrives, one at most, and its destination: goes first.
    arrives: In<Bits<N>>,
    /// See `arrives`.
    arriving: In<Bits<ADDRESS_BITS>>,
    /// Lanes whose head is at the front, and its destination.
    asks: In<Bits<N>>,
    /// See `asks`.
    dst: [In<Bits<ADDRESS_BITS>>; N],
    /// The lane that is looked up with this clock.
    asked: Out<Bits<N>>,
    /// The lane whose entry is there.
    found: Out<Bits<N>>,
    /// Its port, one bit or none.
    port: Out<Bits<Q>>,
    /// Its other port, one bit or none.
    alt: Out<Bits<Q>>,
    /// Flags of the entry.
    use_alt: Out<Bit>,
    /// See `use_alt`.
    adapt: Out<Bit>,
    /// The entry holds and names a port there is.
    valid: Out<Bit>,

    #[wire(write_clock = clock, read_clock = clock, write_enable = write, read_enable = true, output_enable = true)]
    entries: Ram<Bits<ENTRY_BITS>, A>,
    looking: Reg<Bits<N>>,
    looked: Reg<Bits<N>>,
    chosen: Local<Bits<N>>,
    seen: Local<Bit>,
    address: Local<Bits<ADDRESS_BITS>>,
    read: Local<Bits<ENTRY_BITS>>,
    ports: Local<Bits<Q>>,
    alts: Local<Bits<Q>>,
    number: Vec<Constant<Bits<PORT_BITS>>>,
}

#[logic]
impl<const N: usize, const A: usize, const Q: usize> SwitchRoutes<N, A, Q> {
    /// A table without valid entries.
    pub fn new() -> Result<Self, ConfigError> {
        let port_number = |index: usize| if index == 0 { Q - 1 } else { index - 1 };
        Ok(Self {
            number: (0..Q).map(|index| Constant::new((port_number(index) as u64).into())).collect(),
            ..
        })
    }

    fn update(&mut self) {
        entries = In { write_address: index, write_data: entry };

        chosen = 0;
        address = arriving;
        seen = arrives.any();
        for v in 0..N {
            if asks[v] & !seen {
                address = dst[v];
            }
            chosen = chosen.with(v, arrives[v] | (asks[v] & !seen));
            seen = seen | asks[v];
        }
        asked = chosen;
        entries.read_address = address.bits::<A>(0);
        looking = chosen;
        looked = looking;
        if clear {
            looking = 0;
            looked = 0;
        }

        read = entries.read_data;
        let port_field = read.bits::<PORT_BITS>(0);
        let alt_field = read.bits::<PORT_BITS>(5);
        ports = 0;
        alts = 0;
        for o in 0..Q {
            ports = ports.with(o, port_field == number[o]);
            alts = alts.with(o, alt_field == number[o]);
        }
        found = looked;
        port = ports;
        alt = alts;
        use_alt = read[10];
        adapt = read[11];
        valid = read[15] & ports.any();
    }
}

const _: () =
    assert!(route_entry::port::LOW == 0 && route_entry::alt::LOW == 5 && route_entry::use_alt::LOW == 10);
const _: () = assert!(route_entry::adapt::LOW == 11 && route_entry::valid::LOW == 15);
