//! A group of counters of the page.

use crate::config::ConfigError;
use crate::link::regs::Tally;
use crate::prim::ram::{LutRam, RamConfig};
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_registers::COUNTER_BITS as PAGE_COUNTER_BITS;

/// Bits of a counter.
pub const COUNTER_BITS: usize = PAGE_COUNTER_BITS as usize;
/// Bits of a counter's place in its group.
pub const PLACE_BITS: usize = 4;
/// Clocks of a round: every counter has its turn once in so many.
pub const ROUND_CLOCKS: u64 = 1 << PLACE_BITS;

/// `N` counters that stop at 2^32 - 1, at neighbouring places of one LUT RAM.
///
/// Events go into a tally of `W` bits for each counter, `C` bits of them per clock. Places have their turns one after the
/// other, sixteen of them in a round whatever `N`, and a turn carries the tally into the RAM; so a tally holds 16 clocks, and
/// nothing is lost. A request waits for the turn of its place: `answer` comes 3 to 18 clocks behind `request`, 2 behind the
/// turn, with every event before the turn. `zero` takes these away. A place without a counter reads 0.
///
/// `clear` forgets a request that still waits for its turn, and the answer to one that does not; counters stay.
///
/// Built without counting, all is as above but that counters stay 0: what counts is then constant, and synthesis leaves it out.
#[derive(LogicBlock)]
pub struct PageCounters<const N: usize, const W: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A counter is wanted; none other until its answer.
    pub request: Signal<In, Bit>,
    /// Its place, until the answer.
    pub place: Signal<In, Bits<PLACE_BITS>>,
    /// It becomes 0, until the answer.
    pub zero: Signal<In, Bit>,
    /// Events of this clock.
    pub events: [Signal<In, Bits<C>>; N],
    /// The counter; its data counts with `valid` only.
    pub answer: FlowOut<Bits<COUNTER_BITS>>,
    memory: LutRam<Bits<COUNTER_BITS>, PLACE_BITS>,
    tallies: [Tally<W, C>; N],
    waits: DFF<Bit>,
    turn: DFF<Bits<PLACE_BITS>>,
    turn_1: DFF<Bits<PLACE_BITS>>,
    hit_1: DFF<Bit>,
    zero_1: DFF<Bit>,
    stored: DFF<Bits<COUNTER_BITS>>,
    counted: DFF<Bits<W>>,
    turn_2: DFF<Bits<PLACE_BITS>>,
    hit_2: DFF<Bit>,
    sum: DFF<Bits<COUNTER_BITS>>,
    now: Signal<Local, Bit>,
    mine: Signal<Local, Bit>,
    part: Signal<Local, Bits<W>>,
    all: Signal<Local, Bits<W>>,
    total: Signal<Local, Bits<33>>,
    places: [Constant<Bits<PLACE_BITS>>; N],
    one: Constant<Bits<PLACE_BITS>>,
    counts: Constant<Bit>,
    built: Signal<Local, Bit>,
    most: Constant<Bits<COUNTER_BITS>>,
}

impl<const N: usize, const W: usize, const C: usize> PageCounters<N, W, C> {
    /// Counters from place `first` on, all at `started`: 0 but in tests of what happens at the end; `None`: they do not count.
    pub fn new(first: u64, started: Option<u32>) -> Result<Self, ConfigError> {
        let word =
            |place: u64| if (first..first + N as u64).contains(&place) { started.unwrap_or(0) } else { 0 };
        let ram = RamConfig {
            initial: (0..ROUND_CLOCKS).map(|place| u64::from(word(place)).into()).collect(),
            ..RamConfig::distributed(ROUND_CLOCKS as u32)
        };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            request: Default::default(),
            place: Default::default(),
            zero: Default::default(),
            events: defaults(),
            answer: Default::default(),
            memory: LutRam::new(ram)?,
            tallies: defaults(),
            waits: Default::default(),
            turn: Default::default(),
            turn_1: Default::default(),
            hit_1: Default::default(),
            zero_1: Default::default(),
            stored: Default::default(),
            counted: Default::default(),
            turn_2: Default::default(),
            hit_2: Default::default(),
            sum: Default::default(),
            now: Default::default(),
            mine: Default::default(),
            part: Default::default(),
            all: Default::default(),
            total: Default::default(),
            places: std::array::from_fn(|index| Constant::new((first + index as u64).into())),
            one: Constant::new(1.into()),
            counts: Constant::new(started.is_some()),
            built: Default::default(),
            most: Constant::new(u64::from(u32::MAX).into()),
        })
    }
}

impl<const N: usize, const W: usize, const C: usize> Logic for PageCounters<N, W, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, turn, turn_1, hit_1, zero_1, stored, counted, turn_2, hit_2, sum);
        self.memory.clock.next = self.clock.val();

        // A turn.
        self.turn.d.next = self.turn.q.val() + self.one.val();
        self.now.next = self.waits.q.val() & (self.turn.q.val() == self.place.val());
        self.waits.d.next = (self.waits.q.val() | self.request.val()) & !self.now.val() & !self.clear.val();
        self.memory.read_address.next = self.turn.q.val();
        self.all.next = 0.into();
        for i in 0..N {
            self.mine.next = self.turn.q.val() == self.places[i].val();
            self.tallies[i].clock.next = self.clock.val();
            self.tallies[i].count.next = self.events[i].val();
            self.tallies[i].take.next = self.mine.val();
            self.part.next = 0.into();
            if self.mine.val() {
                self.part.next = self.tallies[i].value.val();
            }
            self.all.next = self.all.val() | self.part.val();
        }
        self.turn_1.d.next = self.turn.q.val();
        self.hit_1.d.next = self.now.val() & !self.clear.val();
        self.zero_1.d.next = self.now.val() & self.zero.val();
        self.stored.d.next = self.memory.read_data.val();
        self.counted.d.next = self.all.val();

        // The sum, which stops at its largest value.
        self.total.next =
            bit_cast::<33, COUNTER_BITS>(self.stored.q.val()) + bit_cast::<33, W>(self.counted.q.val());
        self.sum.d.next = self.total.val().get_bits::<COUNTER_BITS>(0);
        if self.total.val().get_bit(32) {
            self.sum.d.next = self.most.val();
        }
        self.built.next = self.counts.val();
        if self.zero_1.q.val() | !self.built.val() {
            self.sum.d.next = 0.into();
        }
        self.turn_2.d.next = self.turn_1.q.val();
        self.hit_2.d.next = self.hit_1.q.val() & !self.clear.val();
        self.memory.write_enable.next = true;
        self.memory.write_address.next = self.turn_2.q.val();
        self.memory.write_data.next = self.sum.q.val();
        self.answer.valid.next = self.hit_2.q.val();
        self.answer.data.next = self.sum.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let first = self.places.first().map_or(0, |place| place.val().index());
        block_label(
            "page_counters",
            &[("counters", N.to_string()), ("first", first.to_string()), ("bits", W.to_string())],
        )
    }
}

drive_ports!(impl[const N: usize, const W: usize, const C: usize] PageCounters<N, W, C> {
    clock, clear, request, place, zero, events, answer,
});

const _: () = assert!(COUNTER_BITS == 32);
