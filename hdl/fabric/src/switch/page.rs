//! The register page of the switch.

use super::age::LIFE_BITS;
use super::counts::{SwitchCounts, WORD_ADDRESS_BITS};
use super::occupancy::CREDIT_BITS;
use super::routes::ENTRY_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::Ram;
use flitforge_hdl_prim::registers::{described, PageBuild, RegisterBus, RegisterPort};
use flitforge_protocol::counter::COUNTER_BITS;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::register::{Register as Described, RegisterValue, BYTES};
use flitforge_protocol::switch::{route_entry, MAX_ADDRESS_BITS};
use flitforge_protocol::switch_registers::{self as page, cap};

/// The registers of section 5; routes and their number are in [`SwitchPage`], counters in [`SwitchCounts`].
#[register_page(
    flitforge_protocol::switch_registers,
    "switch_registers",
    address = 7,
    constant(ID, CAP),
    given(ROUTE_IDX, ROUTE_DATA),
    read(ROUTE_DATA),
    elsewhere(NO_ROUTE, LIFE_DROP, ALT_TAKEN, FECN_SET)
)]
pub struct SwitchRegisters;

/// The page of section 5 from its description ([`flitforge_protocol::switch_registers`]), for `Q` inputs, the internal one first, `N` lanes and
/// 2^`A` routes.
///
/// Bus: a request, with `write`, `address` (byte offset / 8) and `wdata`, is taken in its first
/// clock, may be held until `ack`, and none is taken until then. `rdata` is 0 but with `ack` of a read. An unknown word reads 0.
///
/// - `ack` comes 4 clocks after a request, with a counter when the sweep is there: at most 40 clocks.
/// - What is written stands on its port from 3 clocks after the request on.
/// - A counter has every event up to 5 clocks before `ack`; writing 0 clears these, other values do nothing.
/// - `clear` forgets a request in work, without `ack`; registers, table and counters stay. A write of 2 clocks before is carried out.
#[block(new)]
pub struct SwitchPage<const N: usize, const Q: usize, const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<WORD_ADDRESS_BITS>,
    /// Register LIFE.
    life: Out<Bits<LIFE_BITS>>,
    /// ADAPT_VL.
    adapt_vl: Out<Bits<MAX_VLS>>,
    /// MARK_AU.
    mark: Out<Bits<CREDIT_BITS>>,
    /// Writes a route.
    route_write: Out<Bit>,
    /// Its number.
    route_index: Out<Bits<A>>,
    /// The route.
    route_entry: Out<Bits<ENTRY_BITS>>,
    /// Events by lane and input.
    no_route: [In<Bits<Q>>; N],
    /// See `no_route`.
    life_drop: [In<Bits<Q>>; N],
    /// See `no_route`.
    alt_taken: [In<Bits<Q>>; N],
    /// See `no_route`.
    fecn_set: [In<Bits<Q>>; N],

    #[wire(clock, clear)]
    port: RegisterPort<WORD_ADDRESS_BITS>,
    #[wire(clock, clear)]
    registers: SwitchRegisters,
    #[wire(clock)]
    counts: SwitchCounts<N, Q>,
    /// What ROUTE_DATA reads.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    routes: Ram<Bits<ENTRY_BITS>, A>,
    index: Reg<Bits<A>>,
    storing: Reg<Bit>,
    /// ROUTE_DATA was read or written.
    accessed: Reg<Bit>,
    /// A counter is wanted.
    waits: Reg<Bit>,
    /// The request writes 0.
    zeroes: Reg<Bit>,
    one: Constant<Bits<A>>,
    /// Bits of a route that name something.
    fields: Constant<Bits<ENTRY_BITS>>,
}

/// What CAP shows.
struct Built(cap::Value);

impl PageBuild for Built {
    fn power_on(&self, register: &Described) -> u64 {
        match register.offset {
            // A number of ports and an ADDR_W that a switch is built for always fit.
            page::CAP => self.0.encode().unwrap_or_default(),
            _ => described(register),
        }
    }
}

#[logic]
impl<const N: usize, const Q: usize, const A: usize> SwitchPage<N, Q, A> {
    /// A page whose counters are 0.
    pub fn new() -> Result<Self, ConfigError> {
        let built = cap::Value { ports: Q as u64 - 2, address_bits: A as u64 };
        let fields = [
            route_entry::port::FIELD,
            route_entry::alt::FIELD,
            route_entry::use_alt::FIELD,
            route_entry::adapt::FIELD,
            route_entry::valid::FIELD,
        ]
        .iter()
        .fold(0, |word, field| field.set(word, u64::MAX));
        Ok(Self {
            registers: SwitchRegisters::new(&Built(built))?,
            counts: SwitchCounts::new(0)?,
            one: Constant::new(1.into()),
            fields: Constant::new((fields as u64).into()),
            ..
        })
    }

    fn update(&mut self) {
        link(bus, port.bus);
        join(port.page, registers.bus);
        Out { life_clocks: life, adapt_lanes: adapt_vl, adapt_mark: mark } = registers;

        // ROUTE_IDX goes on after every access of ROUTE_DATA.
        accessed = registers.route_data_write | registers.route_data_read;
        if registers.route_index_write {
            index = registers.route_index_new.bits::<A>(0);
        }
        if accessed {
            index = index + one;
        }
        registers.route_index = bit_cast::<MAX_ADDRESS_BITS, A>(index);

        // The table.
        storing = registers.route_data_write;
        let entry = registers.route_data_entry_new & fields;
        routes = In { write_enable: storing, write_address: index, write_data: entry, read_address: index };
        registers.route_data_entry = routes.read_data;
        route_write = storing;
        route_index = index;
        route_entry = entry;

        // A counter waits for the sweep.
        for v in 0..N {
            counts.no_route[v] = no_route[v];
            counts.life_drop[v] = life_drop[v];
            counts.alt_taken[v] = alt_taken[v];
            counts.fecn_set[v] = fecn_set[v];
        }
        zeroes = port.page.write & !port.page.wdata.any();
        let visits = waits & (counts.word == port.page.address);
        counts.zero = visits & zeroes;
        waits = (waits | registers.elsewhere) & !visits & !clear;
        registers.elsewhere_done = visits;
        registers.elsewhere_value = bit_cast::<64, COUNTER_BITS>(counts.value);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let numbers = [("lanes", N), ("ports", Q - 1), ("addr_w", A)];
        block_label("switch_page", &numbers.map(|(name, value)| (name, value.to_string())))
    }
}

const _: () = assert!(page::PAGE.bytes / BYTES == 1 << WORD_ADDRESS_BITS);
