//! Counters that share a RAM.

use super::Tally;
use crate::prelude::*;
use crate::ram::{LutRam, RamConfig};
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
/// nothing is lost. A request waits for the turn of its place: `answer` comes 3 to 18 clocks after `request`, 2 after the
/// turn, with every event before the turn. `zero` takes these away. A place without a counter reads 0.
///
/// `clear` forgets a request that still waits for its turn, and the answer to one that does not; counters stay.
///
/// Built without counting, all is as above but that counters stay 0: what counts is then constant, and synthesis leaves it out.
#[block(new)]
pub struct PageCounters<const N: usize, const W: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A counter is wanted; none other until its answer.
    request: In<Bit>,
    /// Its place, until the answer.
    place: In<Bits<PLACE_BITS>>,
    /// It becomes 0, until the answer.
    zero: In<Bit>,
    /// Events of this clock.
    events: [In<Bits<C>>; N],
    /// The counter; its data counts with `valid` only.
    pub answer: FlowOut<Bits<COUNTER_BITS>>,
    #[wire(clock, write_enable = true)]
    memory: LutRam<Bits<COUNTER_BITS>, PLACE_BITS>,
    #[wire(clock)]
    tallies: [Tally<W, C>; N],
    waits: Reg<Bit>,
    turn: Reg<Bits<PLACE_BITS>>,
    turn_1: Reg<Bits<PLACE_BITS>>,
    hit_1: Reg<Bit>,
    zero_1: Reg<Bit>,
    stored: Reg<Bits<COUNTER_BITS>>,
    counted: Reg<Bits<W>>,
    turn_2: Reg<Bits<PLACE_BITS>>,
    hit_2: Reg<Bit>,
    sum: Reg<Bits<COUNTER_BITS>>,
    now: Local<Bit>,
    mine: Local<Bit>,
    part: Local<Bits<W>>,
    places: [Constant<Bits<PLACE_BITS>>; N],
    #[init(1)]
    one: Constant<Bits<PLACE_BITS>>,
    counts: Constant<Bit>,
    most: Constant<Bits<COUNTER_BITS>>,
}

#[logic]
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
            memory: LutRam::new(ram)?,
            places: std::array::from_fn(|index| Constant::new((first + index as u64).into())),
            counts: Constant::new(started.is_some()),
            most: Constant::new(u64::from(u32::MAX).into()),
            ..
        })
    }

    fn update(&mut self) {
        // A turn.
        turn = turn + one;
        now = waits & (turn == place);
        waits = (waits | request) & !now & !clear;
        memory.read_address = turn;
        let mut all: Bits<W> = 0;
        for i in 0..N {
            mine = turn == places[i];
            tallies[i] = In { count: events[i], take: mine };
            part = 0;
            if mine {
                part = tallies[i].value;
            }
            all = all | part;
        }
        turn_1 = turn;
        hit_1 = now & !clear;
        zero_1 = now & zero;
        stored = memory.read_data;
        counted = all;

        // The sum, which stops at its largest value.
        let total = bit_cast::<33, COUNTER_BITS>(stored) + bit_cast::<33, W>(counted);
        sum = total.bits::<COUNTER_BITS>(0);
        if total[32] {
            sum = most;
        }
        let built = counts;
        if zero_1 | !built {
            sum = 0;
        }
        turn_2 = turn_1;
        hit_2 = hit_1 & !clear;
        memory = In { write_address: turn_2, write_data: sum };
        answer = In { valid: hit_2, data: sum };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let first = self.places.first().map_or(0, |place| place.val().index());
        block_label(
            "page_counters",
            &[("counters", N.to_string()), ("first", first.to_string()), ("bits", W.to_string())],
        )
    }
}

const _: () = assert!(COUNTER_BITS == 32);
