//! The counters of the switch page.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_hdl_prim::registers::Tally;
use flitforge_hdl_prim::RamConfig;
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
/// Counters, one after the other: NO_ROUTE, LIFE_DROP, ALT_TAKEN, FECN_SET.
const COUNTERS: u32 = 2 * (MAX_PORTS as u32 + 1) + 2;
/// Word of the first.
const FIRST_WORD: u32 = page::NO_ROUTE / BYTES;
/// Word of the last.
const LAST_WORD: u32 = FIRST_WORD + COUNTERS - 1;

/// All counters of a switch of `Q` inputs, the internal one first, and `N` lanes. Every event goes into an accumulator; a sweep carries one
/// accumulator per clock into the counter it belongs to, and shows it. A counter that is full stays so.
#[block("switch_counts", new, lanes = N, ports = Q)]
pub struct SwitchCounts<const N: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Events by lane and input.
    no_route: [In<Bits<Q>>; N],
    /// See `no_route`.
    life_drop: [In<Bits<Q>>; N],
    /// See `no_route`.
    alt_taken: [In<Bits<Q>>; N],
    /// See `no_route`.
    fecn_set: [In<Bits<Q>>; N],
    /// Word of the page whose counter is shown.
    word: Out<Bits<WORD_ADDRESS_BITS>>,
    /// Its value, with all events up to 4 clocks ago.
    value: Out<Bits<COUNTER_BITS>>,
    /// It becomes 0, and these events are forgotten.
    zero: In<Bit>,

    #[wire(clock)]
    counters: LutRam<Bits<COUNTER_BITS>, PLACE_BITS>,
    #[wire(clock)]
    missed: [Tally<SUM_BITS, EVENT_BITS>; Q],
    #[wire(clock)]
    dropped: [Tally<SUM_BITS, EVENT_BITS>; Q],
    #[wire(clock)]
    turned: Tally<ALL_SUM_BITS, ALL_BITS>,
    #[wire(clock)]
    marked: Tally<ALL_SUM_BITS, ALL_BITS>,
    /// Events of the clock before.
    misses: [Reg<Bits<EVENT_BITS>>; Q],
    drops: [Reg<Bits<EVENT_BITS>>; Q],
    turns: Reg<Bits<ALL_BITS>>,
    marks: Reg<Bits<ALL_BITS>>,
    place: Reg<Bits<PLACE_BITS>>,
    /// Clocks 1 to 3 have a visit, from the first one on.
    visited: [Reg<Bit>; 3],
    /// Accumulators of `place`.
    takes_missed: Reg<Bits<Q>>,
    takes_dropped: Reg<Bits<Q>>,
    takes_turned: Reg<Bit>,
    takes_marked: Reg<Bit>,
    place_1: Reg<Bits<PLACE_BITS>>,
    place_2: Reg<Bits<PLACE_BITS>>,
    old_2: Reg<Bits<COUNTER_BITS>>,
    more_2: Reg<Bits<ALL_SUM_BITS>>,
    place_3: Reg<Bits<PLACE_BITS>>,
    word_3: Reg<Bits<WORD_ADDRESS_BITS>>,
    sum_3: Reg<Bits<COUNTER_BITS>>,

    event: Local<Bits<1>>,
    missing: Local<Bits<EVENT_BITS>>,
    dropping: Local<Bits<EVENT_BITS>>,
    turning: Local<Bits<ALL_BITS>>,
    marking: Local<Bits<ALL_BITS>>,
    of_missed: Local<Bits<Q>>,
    of_dropped: Local<Bits<Q>>,
    more: Local<Bits<ALL_SUM_BITS>>,
    part: Local<Bits<SUM_BITS>>,
    #[init(1)]
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

#[logic]
impl<const N: usize, const Q: usize> SwitchCounts<N, Q> {
    /// Counters that stand at `started` after power-on, for tests of saturation.
    pub fn new(started: u64) -> Result<Self, ConfigError> {
        let initial = vec![started.into(); COUNTERS as usize];
        let port = |index: usize| if index == 0 { Q as u32 - 1 } else { index as u32 - 1 };
        Ok(Self {
            counters: LutRam::new(RamConfig { initial, ..RamConfig::distributed(1 << PLACE_BITS) })?,
            last: Constant::new(u64::from(COUNTERS - 1).into()),
            first_word: Constant::new(u64::from(FIRST_WORD).into()),
            full: Constant::new(!Bits::<COUNTER_BITS>::default()),
            place_missed: (0..Q).map(|index| place(page::NO_ROUTE, port(index))).collect(),
            place_dropped: (0..Q).map(|index| place(page::LIFE_DROP, port(index))).collect(),
            place_turned: place(page::ALT_TAKEN, 0),
            place_marked: place(page::FECN_SET, 0),
            ..
        })
    }

    fn update(&mut self) {
        // Events of a clock.
        turning = 0;
        marking = 0;
        for i in 0..Q {
            missing = 0;
            dropping = 0;
            for v in 0..N {
                event = no_route[v].bits::<1>(i);
                missing = missing + bit_cast::<EVENT_BITS, 1>(event);
                event = life_drop[v].bits::<1>(i);
                dropping = dropping + bit_cast::<EVENT_BITS, 1>(event);
                event = alt_taken[v].bits::<1>(i);
                turning = turning + bit_cast::<ALL_BITS, 1>(event);
                event = fecn_set[v].bits::<1>(i);
                marking = marking + bit_cast::<ALL_BITS, 1>(event);
            }
            misses[i] = missing;
            drops[i] = dropping;
        }
        turns = turning;
        marks = marking;

        visited[0] = true;
        visited[1] = visited[0];
        visited[2] = visited[1];

        // Clock 0 of a visit: which counter, and its accumulator.
        place = place + one;
        if place == last {
            place = 0;
        }
        of_missed = 0;
        of_dropped = 0;
        for i in 0..Q {
            of_missed = of_missed.with(i, place == place_missed[i]);
            of_dropped = of_dropped.with(i, place == place_dropped[i]);
        }
        takes_missed = of_missed;
        takes_dropped = of_dropped;
        takes_turned = place == place_turned;
        takes_marked = place == place_marked;
        place_1 = place;

        self.read_counters();

        // Clock 2: the sum.
        let sum = bit_cast::<49, COUNTER_BITS>(old_2) + bit_cast::<49, ALL_SUM_BITS>(more_2);
        sum_3 = sum.bits::<COUNTER_BITS>(0);
        if sum[48] {
            sum_3 = full;
        }
        place_3 = place_2;
        word_3 = bit_cast::<WORD_ADDRESS_BITS, PLACE_BITS>(place_2) + first_word;

        // Clock 3: it is shown and stored.
        word = word_3;
        value = sum_3;
        let mut stored = sum_3;
        if zero {
            stored = 0;
        }
        counters = In { write_enable: visited[2], write_address: place_3, write_data: stored };
    }

    /// Clock 1: both are read.
    fn read_counters(&mut self) {
        more = 0;
        for i in 0..Q {
            missed[i].count = misses[i];
            dropped[i].count = drops[i];
            missed[i].take = takes_missed[i];
            dropped[i].take = takes_dropped[i];
            part = 0;
            if takes_missed[i] {
                part = missed[i].value;
            }
            if takes_dropped[i] {
                part = dropped[i].value;
            }
            more = more | bit_cast::<ALL_SUM_BITS, SUM_BITS>(part);
        }
        turned = In { count: turns, take: takes_turned };
        marked = In { count: marks, take: takes_marked };
        if takes_turned {
            more = turned.value;
        }
        if takes_marked {
            more = marked.value;
        }
        counters.read_address = place_1;
        old_2 = counters.read_data;
        more_2 = more;
        place_2 = place_1;
    }
}

const _: () = assert!(page::LIFE_DROP / BYTES == FIRST_WORD + MAX_PORTS as u32 + 1);
const _: () = assert!(page::ALT_TAKEN / BYTES + 1 == LAST_WORD && page::FECN_SET / BYTES == LAST_WORD);
const _: () = assert!(COUNTER_BITS == 48 && COUNTERS as usize <= 1 << PLACE_BITS);
// A round has COUNTERS clocks, with an event in each for every lane of an input.
const _: () = assert!(MAX_PORTS * COUNTERS as usize <= 1 << SUM_BITS && MAX_PORTS < 1 << EVENT_BITS);
const _: () = assert!(MAX_PORTS * (MAX_PORTS + 1) * (COUNTERS as usize) < 1 << ALL_SUM_BITS);
