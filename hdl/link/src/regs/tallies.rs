//! Accumulators of all counters of the page.

use super::WORD_ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::Tally;
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
#[block("regs_tallies", new)]
pub struct RegsTallies {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Bit i: counter i counts one.
    events: In<Bits<LINK_COUNTERS>>,
    /// Events of the counters of `SEVERAL` but CODE_ERR.
    several: [In<Bits<3>>; 4],
    /// Events of LOST_ON_RESET.
    many: In<Bits<9>>,
    /// Lanes charged.
    lane_errors: In<Bits<4>>,
    /// Lanes with a code error; all count in CODE_ERR.
    code_errors: In<Bits<4>>,
    /// The bus wants the sum of `word`; else it is the sweep's turn, which moves on.
    request: In<Bit>,
    /// Word of the page that the bus asks for.
    word: In<Bits<WORD_ADDRESS_BITS>>,
    /// The sweep starts anew, at the first counter.
    restart: In<Bit>,
    /// The wanted sum is taken, not only looked at.
    takes: In<Bit>,
    /// The wanted sum is not shown, as a write is under way.
    silent: In<Bit>,
    /// All sums become 0.
    forget: In<Bit>,
    /// The sum of the word of two clocks before.
    low: Out<Bits<MANY_BITS>>,
    /// Its second sum.
    high: Out<Bits<SINGLE_BITS>>,

    single: [Tally<SINGLE_BITS, 1>; SINGLE],
    lane: [Tally<SINGLE_BITS, 1>; MAX_LANES],
    code: [Tally<SINGLE_BITS, 1>; MAX_LANES],
    #[wire(clock)]
    few: [Tally<SEVERAL_BITS, 3>; 5],
    #[wire(clock)]
    lots: Tally<MANY_BITS, 9>,
    /// The accumulator whose turn it is in the sweep, a bit each: the counters, then the lanes.
    #[wire(clear = restart)]
    #[init(1)]
    sweep: Register<Bits<SWEPT>>,
    single_selected: Reg<Bits<SINGLE>>,
    lane_selected: Reg<Bits<4>>,
    few_selected: Reg<Bits<5>>,
    lots_selected: Reg<Bit>,
    taking: Reg<Bit>,
    silence: Reg<Bit>,
    low_out: Reg<Bits<MANY_BITS>>,
    high_out: Reg<Bits<SINGLE_BITS>>,

    swept: Local<Bits<LINK_COUNTERS>>,
    wanted: Local<Bit>,
    single_match: Local<Bits<SINGLE>>,
    lane_match: Local<Bits<4>>,
    few_match: Local<Bits<5>>,
    one_event: Local<Bits<1>>,
    lanes_in_error: Local<Bits<3>>,
    single_now: Local<Bits<SINGLE_BITS>>,
    few_now: Local<Bits<SEVERAL_BITS>>,
    part: Local<Bits<MANY_BITS>>,
    high_part: Local<Bits<SINGLE_BITS>>,
    single_event: Vec<Constant<Bits<LINK_COUNTERS>>>,
    single_word: Vec<Constant<Bits<WORD_ADDRESS_BITS>>>,
    first_place: Constant<Bits<SWEPT>>,
    lane_place: Vec<Constant<Bits<SWEPT>>>,
    lane_word: Vec<Constant<Bits<WORD_ADDRESS_BITS>>>,
    few_event: Vec<Constant<Bits<LINK_COUNTERS>>>,
    few_word: Vec<Constant<Bits<WORD_ADDRESS_BITS>>>,
    lots_event: Constant<Bits<LINK_COUNTERS>>,
    lots_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    #[init(1)]
    yes: Constant<Bits<1>>,
}

fn word_of(counter: LinkCounter) -> Constant<Bits<WORD_ADDRESS_BITS>> {
    Constant::new(u64::from(counter_offset(counter) / BYTES).into())
}

#[logic]
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
            ..
        })
    }

    fn update(&mut self) {
        self.choose();
        self.sum();
    }

    /// Whose sum is wanted.
    fn choose(&mut self) {
        sweep.enable = !request;
        sweep = sweep << 1;
        if (sweep & lane_place[3]).any() {
            sweep = first_place;
        }
        swept = sweep.bits::<LINK_COUNTERS>(0);
        single_match = 0;
        for i in 0..33 {
            wanted = (swept & single_event[i]).any();
            if request {
                wanted = word == single_word[i];
            }
            single_match = single_match.with(i, wanted);
        }
        lane_match = 0;
        for i in 0..4 {
            wanted = (sweep & lane_place[i]).any();
            if request {
                wanted = word == lane_word[i];
            }
            lane_match = lane_match.with(i, wanted);
        }
        few_match = 0;
        for i in 0..5 {
            wanted = (swept & few_event[i]).any();
            if request {
                wanted = word == few_word[i];
            }
            few_match = few_match.with(i, wanted);
        }
        wanted = (swept & lots_event).any();
        if request {
            wanted = word == lots_word;
        }
        single_selected = single_match;
        lane_selected = lane_match;
        few_selected = few_match;
        lots_selected = wanted;
        taking = takes;
        silence = silent;
    }

    /// Events in, the wanted sum out.
    fn sum(&mut self) {
        let mut low_sum: Bits<MANY_BITS> = 0;
        let mut high_sum: Bits<SINGLE_BITS> = 0;
        for i in 0..33 {
            one_event = 0;
            if (events & single_event[i]).any() {
                one_event = yes;
            }
            single[i] = In { clock, count: one_event, take: (single_selected[i] & taking) | forget };
            part = 0;
            single_now = single[i].value;
            if single_selected[i] {
                part = bit_cast::<MANY_BITS, SINGLE_BITS>(single_now);
            }
            low_sum = low_sum | part;
        }
        for i in 0..4 {
            lane[i] = In { clock, count: lane_errors.bits::<1>(i) };
            lane[i].take = (lane_selected[i] & taking) | forget;
            code[i] = In { clock, count: code_errors.bits::<1>(i) };
            code[i].take = (lane_selected[i] & taking) | forget;
            part = 0;
            high_part = 0;
            single_now = lane[i].value;
            if lane_selected[i] {
                part = bit_cast::<MANY_BITS, SINGLE_BITS>(single_now);
                high_part = code[i].value;
            }
            low_sum = low_sum | part;
            high_sum = high_sum | high_part;
        }
        lanes_in_error = bit_cast::<3, 1>(code_errors.bits::<1>(0))
            + bit_cast::<3, 1>(code_errors.bits::<1>(1))
            + bit_cast::<3, 1>(code_errors.bits::<1>(2))
            + bit_cast::<3, 1>(code_errors.bits::<1>(3));
        few[0].count = several[0];
        few[1].count = several[1];
        few[2].count = several[2];
        few[3].count = lanes_in_error;
        few[4].count = several[3];
        for i in 0..5 {
            few[i].take = (few_selected[i] & taking) | forget;
            part = 0;
            few_now = few[i].value;
            if few_selected[i] {
                part = bit_cast::<MANY_BITS, SEVERAL_BITS>(few_now);
            }
            low_sum = low_sum | part;
        }
        lots = In { count: many, take: (lots_selected & taking) | forget };
        part = 0;
        if lots_selected {
            part = lots.value;
        }
        // Silent here and not in front of the sum, which is long.
        low_out = low_sum | part;
        high_out = high_sum;
        if silence {
            low_out = 0;
            high_out = 0;
        }
        low = low_out;
        high = high_out;
    }
}
