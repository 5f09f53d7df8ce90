//! The counters of the switch page.

use crate::config::ConfigError;
use crate::link::regs::Tally;
use crate::prim::ram::LutRam;
use crate::prim::RamConfig;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::COUNTER_BITS;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::switch::MAX_PORTS;
use flitforge_protocol::switch_registers as page;

/// Bits that address a word of the page.
pub const WORD_ADDRESS_BITS: usize = 7;
/// Bits that number a counter.
const PLACE_BITS: usize = 6;
/// Bits of events of one input per clock, one for each lane at most.
const EVENT_BITS: usize = 5;
/// Bits of the sum of these over a round of the sweep.
const SUM_BITS: usize = 10;
/// Bits of events of all inputs per clock, and of their sum over a round.
const ALL_BITS: usize = 9;
/// See `ALL_BITS`.
const ALL_SUM_BITS: usize = 14;
/// Counters, one behind the other: NO_ROUTE, LIFE_DROP, ALT_TAKEN, FECN_SET.
const COUNTERS: u32 = 2 * (MAX_PORTS as u32 + 1) + 2;
/// Word of the first.
pub(super) const FIRST_WORD: u32 = page::NO_ROUTE / BYTES;
/// Word of the last.
pub(super) const LAST_WORD: u32 = FIRST_WORD + COUNTERS - 1;

/// All counters of a switch of `Q` inputs, the internal one first, and `N` lanes. Every event goes into an accumulator; a sweep carries one
/// accumulator per clock into the counter it belongs to, and shows it. A counter that is full stays so.
#[derive(LogicBlock)]
pub struct SwitchCounts<const N: usize, const Q: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Events by lane and input.
    pub no_route: [Signal<In, Bits<Q>>; N],
    /// See `no_route`.
    pub life_drop: [Signal<In, Bits<Q>>; N],
    /// See `no_route`.
    pub alt_taken: [Signal<In, Bits<Q>>; N],
    /// See `no_route`.
    pub fecn_set: [Signal<In, Bits<Q>>; N],
    /// Word of the page whose counter is shown.
    pub word: Signal<Out, Bits<WORD_ADDRESS_BITS>>,
    /// Its value, with all events up to 4 clocks ago.
    pub value: Signal<Out, Bits<COUNTER_BITS>>,
    /// It becomes 0, and these events are forgotten.
    pub zero: Signal<In, Bit>,

    counters: LutRam<Bits<COUNTER_BITS>, PLACE_BITS>,
    missed: [Tally<SUM_BITS, EVENT_BITS>; Q],
    dropped: [Tally<SUM_BITS, EVENT_BITS>; Q],
    turned: Tally<ALL_SUM_BITS, ALL_BITS>,
    marked: Tally<ALL_SUM_BITS, ALL_BITS>,
    /// Events of the clock before.
    misses: [DFF<Bits<EVENT_BITS>>; Q],
    drops: [DFF<Bits<EVENT_BITS>>; Q],
    turns: DFF<Bits<ALL_BITS>>,
    marks: DFF<Bits<ALL_BITS>>,
    place: DFF<Bits<PLACE_BITS>>,
    /// Clocks 1 to 3 have a visit, from the first one on.
    visited: [DFF<Bit>; 3],
    /// Accumulators of `place`.
    takes_missed: DFF<Bits<Q>>,
    takes_dropped: DFF<Bits<Q>>,
    takes_turned: DFF<Bit>,
    takes_marked: DFF<Bit>,
    place_1: DFF<Bits<PLACE_BITS>>,
    place_2: DFF<Bits<PLACE_BITS>>,
    old_2: DFF<Bits<COUNTER_BITS>>,
    more_2: DFF<Bits<ALL_SUM_BITS>>,
    place_3: DFF<Bits<PLACE_BITS>>,
    word_3: DFF<Bits<WORD_ADDRESS_BITS>>,
    sum_3: DFF<Bits<COUNTER_BITS>>,

    event: Signal<Local, Bits<1>>,
    missing: Signal<Local, Bits<EVENT_BITS>>,
    dropping: Signal<Local, Bits<EVENT_BITS>>,
    turning: Signal<Local, Bits<ALL_BITS>>,
    marking: Signal<Local, Bits<ALL_BITS>>,
    of_missed: Signal<Local, Bits<Q>>,
    of_dropped: Signal<Local, Bits<Q>>,
    more: Signal<Local, Bits<ALL_SUM_BITS>>,
    part: Signal<Local, Bits<SUM_BITS>>,
    sum: Signal<Local, Bits<49>>,
    stored: Signal<Local, Bits<COUNTER_BITS>>,
    one: Constant<Bits<PLACE_BITS>>,
    last: Constant<Bits<PLACE_BITS>>,
    first_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    full: Constant<Bits<COUNTER_BITS>>,
    place_missed: Vec<Constant<Bits<PLACE_BITS>>>,
    place_dropped: Vec<Constant<Bits<PLACE_BITS>>>,
    place_turned: Constant<Bits<PLACE_BITS>>,
    place_marked: Constant<Bits<PLACE_BITS>>,
}

/// Number of a counter.
fn place(offset: u32, index: u32) -> Constant<Bits<PLACE_BITS>> {
    Constant::new(u64::from(offset / BYTES + index - FIRST_WORD).into())
}

impl<const N: usize, const Q: usize> SwitchCounts<N, Q> {
    /// Counters that stand at `started` behind power-on, for tests of saturation.
    pub fn new(started: u64) -> Result<Self, ConfigError> {
        let initial = vec![started.into(); COUNTERS as usize];
        let port = |index: usize| if index == 0 { Q as u32 - 1 } else { index as u32 - 1 };
        Ok(Self {
            clock: Default::default(),
            no_route: defaults(),
            life_drop: defaults(),
            alt_taken: defaults(),
            fecn_set: defaults(),
            word: Default::default(),
            value: Default::default(),
            zero: Default::default(),
            counters: LutRam::new(RamConfig { initial, ..RamConfig::distributed(1 << PLACE_BITS) })?,
            missed: defaults(),
            dropped: defaults(),
            turned: Default::default(),
            marked: Default::default(),
            misses: defaults(),
            drops: defaults(),
            turns: Default::default(),
            marks: Default::default(),
            place: Default::default(),
            visited: Default::default(),
            takes_missed: Default::default(),
            takes_dropped: Default::default(),
            takes_turned: Default::default(),
            takes_marked: Default::default(),
            place_1: Default::default(),
            place_2: Default::default(),
            old_2: Default::default(),
            more_2: Default::default(),
            place_3: Default::default(),
            word_3: Default::default(),
            sum_3: Default::default(),
            event: Default::default(),
            missing: Default::default(),
            dropping: Default::default(),
            turning: Default::default(),
            marking: Default::default(),
            of_missed: Default::default(),
            of_dropped: Default::default(),
            more: Default::default(),
            part: Default::default(),
            sum: Default::default(),
            stored: Default::default(),
            one: Constant::new(1.into()),
            last: Constant::new(u64::from(COUNTERS - 1).into()),
            first_word: Constant::new(u64::from(FIRST_WORD).into()),
            full: Constant::new(!Bits::<COUNTER_BITS>::default()),
            place_missed: (0..Q).map(|index| place(page::NO_ROUTE, port(index))).collect(),
            place_dropped: (0..Q).map(|index| place(page::LIFE_DROP, port(index))).collect(),
            place_turned: place(page::ALT_TAKEN, 0),
            place_marked: place(page::FECN_SET, 0),
        })
    }
}

impl<const N: usize, const Q: usize> Logic for SwitchCounts<N, Q> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, turns, marks, place, takes_missed, takes_dropped, takes_turned, takes_marked);
        dff_setup!(self, clock, place_1, place_2, old_2, more_2, place_3, word_3, sum_3);
        clock!(self, clock, counters, turned, marked);

        // Events of a clock.
        self.turning.next = 0.into();
        self.marking.next = 0.into();
        for i in 0..Q {
            self.missing.next = 0.into();
            self.dropping.next = 0.into();
            for v in 0..N {
                self.event.next = self.no_route[v].val().get_bits::<1>(i);
                self.missing.next = self.missing.val() + bit_cast::<EVENT_BITS, 1>(self.event.val());
                self.event.next = self.life_drop[v].val().get_bits::<1>(i);
                self.dropping.next = self.dropping.val() + bit_cast::<EVENT_BITS, 1>(self.event.val());
                self.event.next = self.alt_taken[v].val().get_bits::<1>(i);
                self.turning.next = self.turning.val() + bit_cast::<ALL_BITS, 1>(self.event.val());
                self.event.next = self.fecn_set[v].val().get_bits::<1>(i);
                self.marking.next = self.marking.val() + bit_cast::<ALL_BITS, 1>(self.event.val());
            }
            self.misses[i].clock.next = self.clock.val();
            self.drops[i].clock.next = self.clock.val();
            self.misses[i].d.next = self.missing.val();
            self.drops[i].d.next = self.dropping.val();
        }
        self.turns.d.next = self.turning.val();
        self.marks.d.next = self.marking.val();

        for i in 0..3 {
            self.visited[i].clock.next = self.clock.val();
        }
        self.visited[0].d.next = true;
        self.visited[1].d.next = self.visited[0].q.val();
        self.visited[2].d.next = self.visited[1].q.val();

        // Clock 0 of a visit: which counter, and its accumulator.
        self.place.d.next = self.place.q.val() + self.one.val();
        if self.place.q.val() == self.last.val() {
            self.place.d.next = 0.into();
        }
        self.of_missed.next = 0.into();
        self.of_dropped.next = 0.into();
        for i in 0..Q {
            self.of_missed.next =
                self.of_missed.val().replace_bit(i, self.place.q.val() == self.place_missed[i].val());
            self.of_dropped.next =
                self.of_dropped.val().replace_bit(i, self.place.q.val() == self.place_dropped[i].val());
        }
        self.takes_missed.d.next = self.of_missed.val();
        self.takes_dropped.d.next = self.of_dropped.val();
        self.takes_turned.d.next = self.place.q.val() == self.place_turned.val();
        self.takes_marked.d.next = self.place.q.val() == self.place_marked.val();
        self.place_1.d.next = self.place.q.val();

        // Clock 1: both are read.
        self.more.next = 0.into();
        for i in 0..Q {
            self.missed[i].clock.next = self.clock.val();
            self.dropped[i].clock.next = self.clock.val();
            self.missed[i].count.next = self.misses[i].q.val();
            self.dropped[i].count.next = self.drops[i].q.val();
            self.missed[i].take.next = self.takes_missed.q.val().get_bit(i);
            self.dropped[i].take.next = self.takes_dropped.q.val().get_bit(i);
            self.part.next = 0.into();
            if self.takes_missed.q.val().get_bit(i) {
                self.part.next = self.missed[i].value.val();
            }
            if self.takes_dropped.q.val().get_bit(i) {
                self.part.next = self.dropped[i].value.val();
            }
            self.more.next = self.more.val() | bit_cast::<ALL_SUM_BITS, SUM_BITS>(self.part.val());
        }
        self.turned.count.next = self.turns.q.val();
        self.turned.take.next = self.takes_turned.q.val();
        self.marked.count.next = self.marks.q.val();
        self.marked.take.next = self.takes_marked.q.val();
        if self.takes_turned.q.val() {
            self.more.next = self.turned.value.val();
        }
        if self.takes_marked.q.val() {
            self.more.next = self.marked.value.val();
        }
        self.counters.read_address.next = self.place_1.q.val();
        self.old_2.d.next = self.counters.read_data.val();
        self.more_2.d.next = self.more.val();
        self.place_2.d.next = self.place_1.q.val();

        // Clock 2: the sum.
        self.sum.next = bit_cast::<49, COUNTER_BITS>(self.old_2.q.val())
            + bit_cast::<49, ALL_SUM_BITS>(self.more_2.q.val());
        self.sum_3.d.next = self.sum.val().get_bits::<COUNTER_BITS>(0);
        if self.sum.val().get_bit(48) {
            self.sum_3.d.next = self.full.val();
        }
        self.place_3.d.next = self.place_2.q.val();
        self.word_3.d.next =
            bit_cast::<WORD_ADDRESS_BITS, PLACE_BITS>(self.place_2.q.val()) + self.first_word.val();

        // Clock 3: it is shown and stored.
        self.word.next = self.word_3.q.val();
        self.value.next = self.sum_3.q.val();
        self.stored.next = self.sum_3.q.val();
        if self.zero.val() {
            self.stored.next = 0.into();
        }
        self.counters.write_enable.next = self.visited[2].q.val();
        self.counters.write_address.next = self.place_3.q.val();
        self.counters.write_data.next = self.stored.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_counts", &[("lanes", N.to_string()), ("ports", Q.to_string())])
    }
}

drive_ports!(impl[const N: usize, const Q: usize] SwitchCounts<N, Q> {
    clock, no_route, life_drop, alt_taken, fecn_set, word, value, zero,
});

const _: () = assert!(page::LIFE_DROP / BYTES == FIRST_WORD + MAX_PORTS as u32 + 1);
const _: () = assert!(page::ALT_TAKEN / BYTES + 1 == LAST_WORD && page::FECN_SET / BYTES == LAST_WORD);
const _: () = assert!(COUNTER_BITS == 48 && COUNTERS as usize <= 1 << PLACE_BITS);
// A round has COUNTERS clocks, with an event in each for every lane of an input.
const _: () = assert!(MAX_PORTS * COUNTERS as usize <= 1 << SUM_BITS && MAX_PORTS < 1 << EVENT_BITS);
const _: () = assert!(MAX_PORTS * (MAX_PORTS + 1) * (COUNTERS as usize) < 1 << ALL_SUM_BITS);
