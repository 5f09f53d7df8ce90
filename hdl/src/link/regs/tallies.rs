//! Accumulators of all counters of the page.

use super::tally::Tally;
use super::WORD_ADDRESS_BITS;
use crate::config::ConfigError;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::{LinkCounter, LINK_COUNTERS};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{counter_offset, LANE};
use flitforge_protocol::register::BYTES;

/// Counters with at most one event per clock.
const SINGLE: usize = 33;
/// Counters with at most [`SEVERAL_MOST`] events per clock.
const SEVERAL: [LinkCounter; 5] = [
    LinkCounter::IllegalFlit,
    LinkCounter::TxIllegal,
    LinkCounter::TimeStale,
    LinkCounter::CodeErr,
    LinkCounter::TimeDropped,
];
/// The counter with up to 257 events in a clock: the LTPs of a start, and one for a bond.
const MANY: LinkCounter = LinkCounter::LostOnReset;
/// Places of the sweep.
const SWEPT: usize = LINK_COUNTERS + MAX_LANES;
/// Bits of an accumulator of one event per clock: it holds 63 clocks.
pub const SINGLE_BITS: usize = 6;
/// Bits of an accumulator of up to four events per clock: 63 clocks.
pub const SEVERAL_BITS: usize = 8;
/// Bits of the accumulator of up to 257 events per clock: 63 clocks.
pub const MANY_BITS: usize = 14;
/// Most events per clock of a counter that takes several.
pub const SEVERAL_MOST: u64 = 4;

/// Every event goes into its accumulator; one is wanted in every clock, by the bus or by a sweep over all of them in the
/// order of the page, as `RegsStore` does it. Two clocks later its sum stands on `low` (counters, LANE_ERR) and `high` (code
/// errors of a lane), or 0 if it was `silent`.
#[derive(LogicBlock)]
pub struct RegsTallies {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Bit i: counter i counts one.
    pub events: Signal<In, Bits<LINK_COUNTERS>>,
    /// Events of the counters of `SEVERAL` but CODE_ERR.
    pub several: [Signal<In, Bits<3>>; 4],
    /// Events of LOST_ON_RESET.
    pub many: Signal<In, Bits<9>>,
    /// Lanes charged.
    pub lane_errors: Signal<In, Bits<4>>,
    /// Lanes with a code error; all count in CODE_ERR.
    pub code_errors: Signal<In, Bits<4>>,
    /// The bus wants the sum of `word`; else it is the sweep's turn, which moves on.
    pub request: Signal<In, Bit>,
    /// Word of the page that the bus asks for.
    pub word: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// The sweep starts anew, at the first counter.
    pub restart: Signal<In, Bit>,
    /// The wanted sum is taken, not only looked at.
    pub takes: Signal<In, Bit>,
    /// The wanted sum is not shown, as a write is under way.
    pub silent: Signal<In, Bit>,
    /// All sums become 0.
    pub forget: Signal<In, Bit>,
    /// The sum of the word of two clocks before.
    pub low: Signal<Out, Bits<MANY_BITS>>,
    /// Its second sum.
    pub high: Signal<Out, Bits<SINGLE_BITS>>,

    single: [Tally<SINGLE_BITS, 1>; SINGLE],
    lane: [Tally<SINGLE_BITS, 1>; MAX_LANES],
    code: [Tally<SINGLE_BITS, 1>; MAX_LANES],
    few: [Tally<SEVERAL_BITS, 3>; 5],
    lots: Tally<MANY_BITS, 9>,
    /// The accumulator whose turn it is in the sweep, a bit each: the counters, then the lanes.
    sweep: Register<Bits<SWEPT>>,
    single_selected: DFF<Bits<SINGLE>>,
    lane_selected: DFF<Bits<4>>,
    few_selected: DFF<Bits<5>>,
    lots_selected: DFF<Bit>,
    taking: DFF<Bit>,
    silence: DFF<Bit>,
    low_out: DFF<Bits<MANY_BITS>>,
    high_out: DFF<Bits<SINGLE_BITS>>,

    swept: Signal<Local, Bits<LINK_COUNTERS>>,
    wanted: Signal<Local, Bit>,
    single_match: Signal<Local, Bits<SINGLE>>,
    lane_match: Signal<Local, Bits<4>>,
    few_match: Signal<Local, Bits<5>>,
    one_event: Signal<Local, Bits<1>>,
    lanes_in_error: Signal<Local, Bits<3>>,
    single_now: Signal<Local, Bits<SINGLE_BITS>>,
    few_now: Signal<Local, Bits<SEVERAL_BITS>>,
    part: Signal<Local, Bits<MANY_BITS>>,
    high_part: Signal<Local, Bits<SINGLE_BITS>>,
    low_sum: Signal<Local, Bits<MANY_BITS>>,
    high_sum: Signal<Local, Bits<SINGLE_BITS>>,
    single_event: Vec<Constant<Bits<LINK_COUNTERS>>>,
    single_word: Vec<Constant<Bits<WORD_ADDRESS_BITS>>>,
    first_place: Constant<Bits<SWEPT>>,
    lane_place: Vec<Constant<Bits<SWEPT>>>,
    lane_word: Vec<Constant<Bits<WORD_ADDRESS_BITS>>>,
    few_event: Vec<Constant<Bits<LINK_COUNTERS>>>,
    few_word: Vec<Constant<Bits<WORD_ADDRESS_BITS>>>,
    lots_event: Constant<Bits<LINK_COUNTERS>>,
    lots_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    yes: Constant<Bits<1>>,
}

fn word_of(counter: LinkCounter) -> Constant<Bits<WORD_ADDRESS_BITS>> {
    Constant::new(u64::from(counter_offset(counter) / BYTES).into())
}

impl RegsTallies {
    /// All sums 0.
    pub fn new() -> Result<Self, ConfigError> {
        let single: Vec<LinkCounter> =
            LinkCounter::ALL.iter().copied().filter(|c| !SEVERAL.contains(c) && *c != MANY).collect();
        if single.len() != SINGLE {
            let fix = "say in tallies.rs how many events a new counter takes per clock";
            return Err(ConfigError::new("link_regs", "counters", single.len(), SINGLE.to_string(), fix));
        }
        let event = |counter: &LinkCounter| {
            Constant::new(Bits::<LINK_COUNTERS>::default().replace_bit(counter.code().into(), true))
        };
        let place = |index| Constant::new(Bits::<SWEPT>::default().replace_bit(index, true));
        Ok(Self {
            clock: Default::default(),
            events: Default::default(),
            several: Default::default(),
            many: Default::default(),
            lane_errors: Default::default(),
            code_errors: Default::default(),
            request: Default::default(),
            word: Default::default(),
            restart: Default::default(),
            takes: Default::default(),
            silent: Default::default(),
            forget: Default::default(),
            low: Default::default(),
            high: Default::default(),
            single: defaults(),
            lane: Default::default(),
            code: Default::default(),
            few: Default::default(),
            lots: Default::default(),
            sweep: Register::new(1.into()),
            single_selected: Default::default(),
            lane_selected: Default::default(),
            few_selected: Default::default(),
            lots_selected: Default::default(),
            taking: Default::default(),
            silence: Default::default(),
            low_out: Default::default(),
            high_out: Default::default(),
            swept: Default::default(),
            wanted: Default::default(),
            single_match: Default::default(),
            lane_match: Default::default(),
            few_match: Default::default(),
            one_event: Default::default(),
            lanes_in_error: Default::default(),
            single_now: Default::default(),
            few_now: Default::default(),
            part: Default::default(),
            high_part: Default::default(),
            low_sum: Default::default(),
            high_sum: Default::default(),
            single_event: single.iter().map(event).collect(),
            single_word: single.into_iter().map(word_of).collect(),
            first_place: place(0),
            lane_place: (LINK_COUNTERS..SWEPT).map(place).collect(),
            lane_word: (0..MAX_LANES as u64)
                .map(|lane| Constant::new((u64::from(LANE / BYTES) + lane).into()))
                .collect(),
            few_event: SEVERAL.iter().map(event).collect(),
            few_word: SEVERAL.into_iter().map(word_of).collect(),
            lots_event: event(&MANY),
            lots_word: word_of(MANY),
            yes: Constant::new(1.into()),
        })
    }
}

impl Logic for RegsTallies {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, single_selected, lane_selected, few_selected, lots_selected, taking, silence);
        dff_setup!(self, clock, low_out, high_out);
        clock!(self, clock, lots, sweep);

        // Whose sum is wanted.
        self.sweep.clear.next = self.restart.val();
        self.sweep.enable.next = !self.request.val();
        self.sweep.d.next = self.sweep.q.val() << 1;
        if (self.sweep.q.val() & self.lane_place[3].val()).any() {
            self.sweep.d.next = self.first_place.val();
        }
        self.swept.next = self.sweep.q.val().get_bits::<LINK_COUNTERS>(0);
        self.single_match.next = 0.into();
        for i in 0..33 {
            self.wanted.next = (self.swept.val() & self.single_event[i].val()).any();
            if self.request.val() {
                self.wanted.next = self.word.val() == self.single_word[i].val();
            }
            self.single_match.next = self.single_match.val().replace_bit(i, self.wanted.val());
        }
        self.lane_match.next = 0.into();
        for i in 0..4 {
            self.wanted.next = (self.sweep.q.val() & self.lane_place[i].val()).any();
            if self.request.val() {
                self.wanted.next = self.word.val() == self.lane_word[i].val();
            }
            self.lane_match.next = self.lane_match.val().replace_bit(i, self.wanted.val());
        }
        self.few_match.next = 0.into();
        for i in 0..5 {
            self.wanted.next = (self.swept.val() & self.few_event[i].val()).any();
            if self.request.val() {
                self.wanted.next = self.word.val() == self.few_word[i].val();
            }
            self.few_match.next = self.few_match.val().replace_bit(i, self.wanted.val());
        }
        self.wanted.next = (self.swept.val() & self.lots_event.val()).any();
        if self.request.val() {
            self.wanted.next = self.word.val() == self.lots_word.val();
        }
        self.single_selected.d.next = self.single_match.val();
        self.lane_selected.d.next = self.lane_match.val();
        self.few_selected.d.next = self.few_match.val();
        self.lots_selected.d.next = self.wanted.val();
        self.taking.d.next = self.takes.val();
        self.silence.d.next = self.silent.val();

        // Events in, the wanted sum out.
        self.low_sum.next = 0.into();
        self.high_sum.next = 0.into();
        for i in 0..33 {
            self.one_event.next = 0.into();
            if (self.events.val() & self.single_event[i].val()).any() {
                self.one_event.next = self.yes.val();
            }
            self.single[i].clock.next = self.clock.val();
            self.single[i].count.next = self.one_event.val();
            self.single[i].take.next =
                (self.single_selected.q.val().get_bit(i) & self.taking.q.val()) | self.forget.val();
            self.part.next = 0.into();
            self.single_now.next = self.single[i].value.val();
            if self.single_selected.q.val().get_bit(i) {
                self.part.next = bit_cast::<MANY_BITS, SINGLE_BITS>(self.single_now.val());
            }
            self.low_sum.next = self.low_sum.val() | self.part.val();
        }
        for i in 0..4 {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].count.next = self.lane_errors.val().get_bits::<1>(i);
            self.lane[i].take.next =
                (self.lane_selected.q.val().get_bit(i) & self.taking.q.val()) | self.forget.val();
            self.code[i].clock.next = self.clock.val();
            self.code[i].count.next = self.code_errors.val().get_bits::<1>(i);
            self.code[i].take.next =
                (self.lane_selected.q.val().get_bit(i) & self.taking.q.val()) | self.forget.val();
            self.part.next = 0.into();
            self.high_part.next = 0.into();
            self.single_now.next = self.lane[i].value.val();
            if self.lane_selected.q.val().get_bit(i) {
                self.part.next = bit_cast::<MANY_BITS, SINGLE_BITS>(self.single_now.val());
                self.high_part.next = self.code[i].value.val();
            }
            self.low_sum.next = self.low_sum.val() | self.part.val();
            self.high_sum.next = self.high_sum.val() | self.high_part.val();
        }
        self.lanes_in_error.next = bit_cast::<3, 1>(self.code_errors.val().get_bits::<1>(0))
            + bit_cast::<3, 1>(self.code_errors.val().get_bits::<1>(1))
            + bit_cast::<3, 1>(self.code_errors.val().get_bits::<1>(2))
            + bit_cast::<3, 1>(self.code_errors.val().get_bits::<1>(3));
        self.few[0].count.next = self.several[0].val();
        self.few[1].count.next = self.several[1].val();
        self.few[2].count.next = self.several[2].val();
        self.few[3].count.next = self.lanes_in_error.val();
        self.few[4].count.next = self.several[3].val();
        for i in 0..5 {
            self.few[i].clock.next = self.clock.val();
            self.few[i].take.next =
                (self.few_selected.q.val().get_bit(i) & self.taking.q.val()) | self.forget.val();
            self.part.next = 0.into();
            self.few_now.next = self.few[i].value.val();
            if self.few_selected.q.val().get_bit(i) {
                self.part.next = bit_cast::<MANY_BITS, SEVERAL_BITS>(self.few_now.val());
            }
            self.low_sum.next = self.low_sum.val() | self.part.val();
        }
        self.lots.count.next = self.many.val();
        self.lots.take.next = (self.lots_selected.q.val() & self.taking.q.val()) | self.forget.val();
        self.part.next = 0.into();
        if self.lots_selected.q.val() {
            self.part.next = self.lots.value.val();
        }
        // Silent here and not in front of the sum, which is long.
        self.low_out.d.next = self.low_sum.val() | self.part.val();
        self.high_out.d.next = self.high_sum.val();
        if self.silence.q.val() {
            self.low_out.d.next = 0.into();
            self.high_out.d.next = 0.into();
        }
        self.low.next = self.low_out.q.val();
        self.high.next = self.high_out.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("regs_tallies", &[])
    }
}

drive_ports!(impl[] RegsTallies { clock, events, several, many, lane_errors, code_errors, request, word, restart, takes, silent, forget, low, high });
