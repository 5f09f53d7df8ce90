//! The register page of the switch.

use super::account::CREDIT_BITS;
use super::age::LIFE_BITS;
use super::counts::{SwitchCounts, FIRST_WORD, LAST_WORD, WORD_ADDRESS_BITS};
use super::routes::ENTRY_BITS;
use crate::config::ConfigError;
use crate::prim::ram::Ram;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::COUNTER_BITS;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::register::{RegisterValue, Reset, BYTES};
use flitforge_protocol::switch::route_entry;
use flitforge_protocol::switch_registers::{self as page, adapt, cap, id, life, route_data};

/// Registers that are answered at once: ID, CAP, LIFE, ROUTE_IDX, ROUTE_DATA, ADAPT.
const PLAIN: usize = 6;
const OFFSETS: [u32; PLAIN] =
    [page::ID, page::CAP, page::LIFE, page::ROUTE_IDX, page::ROUTE_DATA, page::ADAPT];

/// The page of section 5 from its description ([`flitforge_protocol::switch_registers`]), for `Q` inputs, the internal one first, `N` lanes and
/// 2^`A` routes.
///
/// Bus: a request is `re` or `we` (both: a write) with `addr`, a word of the page (byte offset / 8), and `wdata`; it is taken in its first
/// clock, may be held until `ack`, and none is taken until then. `rdata` is 0 but with `ack` of a read. An unknown word reads 0.
///
/// - `ack` comes 4 clocks behind a request, with a counter when the sweep is there: at most 40 clocks.
/// - What is written stands on its port from 3 clocks behind the request on.
/// - A counter has every event up to 5 clocks before `ack`; writing 0 clears these, other values do nothing.
/// - `clear` forgets a request in work, without `ack`; registers, table and counters stay.
#[derive(LogicBlock)]
pub struct SwitchPage<const N: usize, const Q: usize, const A: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word of the page.
    pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Asks for a write.
    pub we: Signal<In, Bit>,
    /// Asks for a read.
    pub re: Signal<In, Bit>,
    /// With `ack` of a read: the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// Register LIFE.
    pub life: Signal<Out, Bits<LIFE_BITS>>,
    /// ADAPT_VL.
    pub adapt_vl: Signal<Out, Bits<MAX_VLS>>,
    /// MARK_AU.
    pub mark: Signal<Out, Bits<CREDIT_BITS>>,
    /// Writes a route.
    pub route_write: Signal<Out, Bit>,
    /// Its number.
    pub route_index: Signal<Out, Bits<A>>,
    /// The route.
    pub route_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// Events by lane and input.
    pub no_route: [Signal<In, Bits<Q>>; N],
    /// See `no_route`.
    pub life_drop: [Signal<In, Bits<Q>>; N],
    /// See `no_route`.
    pub alt_taken: [Signal<In, Bits<Q>>; N],
    /// See `no_route`.
    pub fecn_set: [Signal<In, Bits<Q>>; N],

    counts: SwitchCounts<N, Q>,
    /// What ROUTE_DATA reads.
    routes: Ram<Bits<ENTRY_BITS>, A>,
    /// Clocks 1 to 3 of a request.
    step: [DFF<Bit>; 3],
    busy: DFF<Bit>,
    waits: DFF<Bit>,
    acknowledged: DFF<Bit>,
    answer: DFF<Bits<64>>,
    word: Register<Bits<WORD_ADDRESS_BITS>>,
    data: Register<Bits<64>>,
    data_zero: Register<Bit>,
    writes: Register<Bit>,
    /// Which register `word` names, one clock behind it.
    is_plain: DFF<Bits<PLAIN>>,
    is_counter: DFF<Bit>,
    life_clocks: Register<Bits<LIFE_BITS>>,
    adapt_word: Register<Bits<32>>,
    index: DFF<Bits<A>>,
    storing: DFF<Bit>,

    entry: Signal<Local, Bits<ENTRY_BITS>>,
    takes: Signal<Local, Bit>,
    commits: Signal<Local, Bit>,
    plain_match: Signal<Local, Bits<PLAIN>>,
    visits: Signal<Local, Bit>,
    live: [Signal<Local, Bits<64>>; PLAIN],
    part: Signal<Local, Bits<64>>,
    found: Signal<Local, Bits<64>>,
    words: [Constant<Bits<WORD_ADDRESS_BITS>>; PLAIN],
    first_counter: Constant<Bits<WORD_ADDRESS_BITS>>,
    last_counter: Constant<Bits<WORD_ADDRESS_BITS>>,
    magic: Constant<Bits<64>>,
    built: Constant<Bits<64>>,
    one: Constant<Bits<A>>,
    /// Bits of a route that name something.
    fields: Constant<Bits<ENTRY_BITS>>,
    nothing: Constant<Bits<64>>,
}

impl<const N: usize, const Q: usize, const A: usize> SwitchPage<N, Q, A> {
    /// A page whose counters are 0.
    pub fn new() -> Result<Self, ConfigError> {
        let reset = |register: &flitforge_protocol::register::Register| match register.reset {
            Reset::Value(value) => value,
            _ => 0,
        };
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
        let word = |offset: u32| Constant::new(u64::from(offset / BYTES).into());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            life: Default::default(),
            adapt_vl: Default::default(),
            mark: Default::default(),
            route_write: Default::default(),
            route_index: Default::default(),
            route_entry: Default::default(),
            no_route: defaults(),
            life_drop: defaults(),
            alt_taken: defaults(),
            fecn_set: defaults(),
            counts: SwitchCounts::new(0)?,
            routes: Default::default(),
            step: Default::default(),
            busy: Default::default(),
            waits: Default::default(),
            acknowledged: Default::default(),
            answer: Default::default(),
            word: Default::default(),
            data: Default::default(),
            data_zero: Default::default(),
            writes: Default::default(),
            is_plain: Default::default(),
            is_counter: Default::default(),
            life_clocks: Register::new(reset(&life::Value::REGISTER).into()),
            adapt_word: Register::new(reset(&adapt::Value::REGISTER).into()),
            index: Default::default(),
            storing: Default::default(),
            entry: Default::default(),
            takes: Default::default(),
            commits: Default::default(),
            plain_match: Default::default(),
            visits: Default::default(),
            live: Default::default(),
            part: Default::default(),
            found: Default::default(),
            words: OFFSETS.map(word),
            first_counter: Constant::new(u64::from(FIRST_WORD).into()),
            last_counter: Constant::new(u64::from(LAST_WORD).into()),
            magic: Constant::new(reset(&id::Value::REGISTER).into()),
            // A number of ports and an ADDR_W that a switch is built for always fit.
            built: Constant::new(built.encode().unwrap_or_default().into()),
            one: Constant::new(1.into()),
            fields: Constant::new((fields as u64).into()),
            nothing: Constant::new(0.into()),
        })
    }
}

impl<const N: usize, const Q: usize, const A: usize> Logic for SwitchPage<N, Q, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, waits, acknowledged, answer, is_plain, is_counter, index, storing);
        clock!(self, clock, counts, word, data, data_zero, writes, life_clocks, adapt_word);
        for i in 0..3 {
            self.step[i].clock.next = self.clock.val();
        }

        // A request, and which register it names.
        self.takes.next = (self.we.val() | self.re.val()) & !self.busy.q.val() & !self.clear.val();
        self.word.clear.next = false;
        self.word.enable.next = self.takes.val();
        self.word.d.next = self.addr.val();
        self.data.clear.next = false;
        self.data.enable.next = self.takes.val();
        self.data.d.next = self.wdata.val();
        self.data_zero.clear.next = false;
        self.data_zero.enable.next = self.takes.val();
        self.data_zero.d.next = !self.wdata.val().any();
        self.writes.clear.next = false;
        self.writes.enable.next = self.takes.val();
        self.writes.d.next = self.we.val();
        self.step[0].d.next = self.takes.val();
        self.step[1].d.next = self.step[0].q.val() & !self.clear.val();
        self.step[2].d.next = self.step[1].q.val() & !self.clear.val();
        self.plain_match.next = 0.into();
        for i in 0..6 {
            self.plain_match.next =
                self.plain_match.val().replace_bit(i, self.word.q.val() == self.words[i].val());
        }
        self.is_plain.d.next = self.plain_match.val();
        self.is_counter.d.next =
            (self.word.q.val() >= self.first_counter.val()) & (self.word.q.val() <= self.last_counter.val());

        // Clock 2: what is written.
        self.commits.next = self.step[1].q.val() & self.writes.q.val() & !self.clear.val();
        self.life_clocks.clear.next = false;
        self.life_clocks.enable.next = self.commits.val() & self.is_plain.q.val().get_bit(2);
        self.life_clocks.d.next = self.data.q.val().get_bits::<LIFE_BITS>(0);
        self.adapt_word.clear.next = false;
        self.adapt_word.enable.next = self.commits.val() & self.is_plain.q.val().get_bit(5);
        self.adapt_word.d.next = self.data.q.val().get_bits::<32>(0);
        if self.commits.val() & self.is_plain.q.val().get_bit(3) {
            self.index.d.next = self.data.q.val().get_bits::<A>(0);
        }
        self.storing.d.next = self.commits.val() & self.is_plain.q.val().get_bit(4);

        // Clock 3: the table, and what is read. The index goes on.
        self.routes.write_clock.next = self.clock.val();
        self.routes.read_clock.next = self.clock.val();
        self.routes.write_enable.next = self.storing.q.val();
        self.routes.write_address.next = self.index.q.val();
        self.entry.next = self.data.q.val().get_bits::<ENTRY_BITS>(0) & self.fields.val();
        self.routes.write_data.next = self.entry.val();
        self.routes.read_enable.next = true;
        self.routes.output_enable.next = true;
        self.routes.read_address.next = self.index.q.val();
        self.route_write.next = self.storing.q.val();
        self.route_index.next = self.index.q.val();
        self.route_entry.next = self.entry.val();
        if self.step[2].q.val() & self.is_plain.q.val().get_bit(4) {
            self.index.d.next = self.index.q.val() + self.one.val();
        }
        self.live[0].next = self.magic.val();
        self.live[1].next = self.built.val();
        self.live[2].next = bit_cast::<64, LIFE_BITS>(self.life_clocks.q.val());
        self.live[3].next = bit_cast::<64, A>(self.index.q.val());
        self.live[4].next = bit_cast::<64, ENTRY_BITS>(self.routes.read_data.val());
        self.live[5].next = bit_cast::<64, 32>(self.adapt_word.q.val());
        self.found.next = self.nothing.val();
        for i in 0..6 {
            self.part.next = self.nothing.val();
            if self.is_plain.q.val().get_bit(i) {
                self.part.next = self.live[i].val();
            }
            self.found.next = self.found.val() | self.part.val();
        }

        // A counter waits for the sweep.
        for v in 0..N {
            self.counts.no_route[v].next = self.no_route[v].val();
            self.counts.life_drop[v].next = self.life_drop[v].val();
            self.counts.alt_taken[v].next = self.alt_taken[v].val();
            self.counts.fecn_set[v].next = self.fecn_set[v].val();
        }
        self.visits.next = self.waits.q.val() & (self.counts.word.val() == self.word.q.val());
        self.counts.zero.next = self.visits.val() & self.writes.q.val() & self.data_zero.q.val();
        if self.step[2].q.val() & self.is_counter.q.val() {
            self.waits.d.next = true;
        }
        if self.visits.val() {
            self.waits.d.next = false;
            self.found.next = bit_cast::<64, COUNTER_BITS>(self.counts.value.val());
        }
        self.acknowledged.d.next =
            (self.visits.val() | (self.step[2].q.val() & !self.is_counter.q.val())) & !self.clear.val();
        self.answer.d.next = self.nothing.val();
        if !self.writes.q.val() {
            self.answer.d.next = self.found.val();
        }
        if self.takes.val() {
            self.busy.d.next = true;
        }
        if self.acknowledged.q.val() | self.clear.val() {
            self.busy.d.next = false;
        }
        if self.clear.val() {
            self.waits.d.next = false;
        }

        // Out.
        self.ack.next = self.acknowledged.q.val();
        self.rdata.next = self.nothing.val();
        if self.acknowledged.q.val() {
            self.rdata.next = self.answer.q.val();
        }
        self.life.next = self.life_clocks.q.val();
        self.adapt_vl.next = self.adapt_word.q.val().get_bits::<MAX_VLS>(0);
        self.mark.next = self.adapt_word.q.val().get_bits::<CREDIT_BITS>(16);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let numbers = [("lanes", N), ("ports", Q - 1), ("addr_w", A)];
        block_label("switch_page", &numbers.map(|(name, value)| (name, value.to_string())))
    }
}

drive_ports!(impl[const N: usize, const Q: usize, const A: usize] SwitchPage<N, Q, A> {
    clock, clear, addr, wdata, we, re, rdata, ack, life, adapt_vl, mark, route_write, route_index, route_entry, no_route,
    life_drop, alt_taken, fecn_set,
});

const _: () = assert!(life::clocks::LOW == 0 && life::clocks::WIDTH == LIFE_BITS);
const _: () = assert!(adapt::lanes::LOW == 0 && adapt::lanes::WIDTH == MAX_VLS);
const _: () = assert!(adapt::mark::LOW == 16 && adapt::mark::WIDTH == CREDIT_BITS);
const _: () = assert!(route_data::entry::LOW == 0 && route_data::entry::WIDTH == ENTRY_BITS);
const _: () = assert!(page::PAGE.bytes / BYTES == 1 << WORD_ADDRESS_BITS);
