//! Counters in block RAM, each with a small accumulator before it.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::registers::Tally;
use flitforge_protocol::sue_registers;

/// Bits of a counter.
pub const COUNTER_BITS: usize = sue_registers::COUNTER_BITS;
/// Turns after which the order of turns repeats: the last of them is a guest's.
pub const TURNS: usize = 8;
/// Turn of the guests.
const GUEST: usize = TURNS - 1;
/// Clocks from a turn to what it answers.
pub const TURN_CLOCKS: u64 = 5;
/// Bits of the lower half of a sum.
const HALF: usize = COUNTER_BITS / 2;

/// Clocks in which each of so many accumulators has its turn.
#[must_use]
pub const fn round_clocks(accumulators: usize) -> usize {
    accumulators.div_ceil(GUEST) * TURNS
}

/// `N` counters of up to 2^`E` - 1 events per clock, `K` counters of amounts below 2^`X` per clock, and bins behind them, in words of
/// 48 bits that stop at their largest value.
///
/// Events go into an accumulator of `W` bits, amounts into one of `V` bits. Seven turns of eight belong to these, in the order of their words; a turn
/// carries an accumulator into the RAM. So each is emptied once in [`round_clocks`], and holds that many clocks of its most: nothing is lost, which
/// [`CounterRam::new`] checks. The eighth turn is for a bin, or for a request of a bin if none waits.
///
/// - `bins`: the word counts one. They are at least 8 clocks apart.
/// - A request waits for the turn of its word. `answer` comes 5 clocks after it, with every event up to the clock of the turn; `zero` takes these away.
/// - `clear` forgets a request: it has no answer and does nothing. Counters stay.
#[block("sue_counter_ram", new, counters = N, amounts = K)]
pub struct CounterRam<
    const N: usize,
    const E: usize,
    const W: usize,
    const K: usize,
    const X: usize,
    const V: usize,
    const A: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A word is wanted; none other until its answer.
    request: In<Bit>,
    /// It, until the answer.
    address: In<Bits<A>>,
    /// It becomes 0, until the answer.
    zero: In<Bit>,
    /// Events of this clock.
    events: [In<Bits<E>>; N],
    /// Amounts of this clock.
    amounts: [In<Bits<X>>; K],
    /// A bin counts one: its word.
    pub bins: FlowIn<Bits<A>>,
    /// The word; its data counts with `valid` only.
    pub answer: FlowOut<Bits<COUNTER_BITS>>,

    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    memory: Ram<Bits<COUNTER_BITS>, A>,
    #[wire(clock)]
    few: [Tally<W, E>; N],
    #[wire(clock)]
    many: [Tally<V, X>; K],
    turn: Reg<Bits<3>>,
    place: Reg<Bits<A>>,
    waits: Reg<Bit>,
    // What waits: a clock after the request, like `waits`.
    wanted: Reg<Bits<A>>,
    is_bin: Reg<Bit>,
    clears_it: Reg<Bit>,
    bin_waits: Reg<Bit>,
    bin: Reg<Bits<A>>,
    // Clock 1: the accumulator is taken.
    few_turn: Reg<Bits<N>>,
    many_turn: Reg<Bits<K>>,
    adds_one: Reg<Bit>,
    // Clocks 1 to 5.
    word: [Reg<Bits<A>>; 5],
    lives: [Reg<Bit>; 5],
    hits: [Reg<Bit>; 5],
    zeroes: [Reg<Bit>; 5],
    // Clocks 2 and 3.
    counted: [Reg<Bits<V>>; 2],
    // Clock 4.
    low: Reg<Bits<{ HALF + 1 }>>,
    high: Reg<Bits<HALF>>,
    // Clock 5.
    sum: Reg<Bits<COUNTER_BITS>>,
    over: Reg<Bit>,
    few_words: [Constant<Bits<A>>; N],
    many_words: [Constant<Bits<A>>; K],
    last: Constant<Bits<A>>,
    most: Constant<Bits<COUNTER_BITS>>,
}

#[logic]
impl<
        const N: usize,
        const E: usize,
        const W: usize,
        const K: usize,
        const X: usize,
        const V: usize,
        const A: usize,
    > CounterRam<N, E, W, K, X, V, A>
{
    /// Counters from word 0 on, those of `amounts` in these words, all at `started`: 0 but in tests of what happens at the end.
    pub fn new(amounts: [usize; K], started: u64) -> Result<Self, ConfigError> {
        let round = round_clocks(N + K);
        let name = "sue_counter_ram";
        check_range(name, "W", ((1 << E) - 1) * round as u64, 0, (1 << W) - 1)?;
        check_range(name, "V", ((1 << X) - 1) * round as u64, 0, (1 << V) - 1)?;
        check_range(name, "V", V as u64, W as u64, HALF as u64)?;
        let others: Vec<usize> = (0..N + K).filter(|word| !amounts.contains(word)).collect();
        let word = |word: usize| Constant::new((word as u64).into());
        let initial = vec![started.into(); 1 << A];
        Ok(Self {
            memory: Ram::new(RamConfig { initial, ..RamConfig::block(1 << A) })?,
            few_words: std::array::from_fn(|index| word(others.get(index).copied().unwrap_or_default())),
            many_words: std::array::from_fn(|index| word(amounts[index])),
            last: word(N + K - 1),
            most: Constant::new(!Bits::<COUNTER_BITS>::default()),
            ..
        })
    }

    fn update(&mut self) {
        self.choose();
        self.accumulate();
        self.add();
    }

    /// Clock 0: whose turn it is.
    fn choose(&mut self) {
        turn = turn + 1;
        let guest = turn == GUEST;
        if !guest {
            place = place + 1;
            if place == last {
                place = 0;
            }
        }
        if bins.valid {
            bin = bins.data;
        }
        bin_waits = bins.valid | (bin_waits & !guest);
        wanted = address;
        is_bin = address > last;
        clears_it = zero;
        let bin_read = guest & is_bin & !bin_waits;
        let mine = waits & (bin_read | (!guest & !is_bin & (place == wanted)));
        waits = (waits | request) & !mine & !clear;

        word[0] = place;
        if guest {
            word[0] = wanted;
            if bin_waits {
                word[0] = bin;
            }
        }
        adds_one = guest & bin_waits;
        lives[0] = mine | bin_waits | !guest;
        hits[0] = mine & !clear;
        zeroes[0] = mine & clears_it & !clear;
        let mut of_few: Bits<N> = 0;
        for i in 0..N {
            of_few = of_few.with(i, !guest & (place == few_words[i]));
        }
        few_turn = of_few;
        let mut of_many: Bits<K> = 0;
        for i in 0..K {
            of_many = of_many.with(i, !guest & (place == many_words[i]));
        }
        many_turn = of_many;
    }

    /// Clock 1: its accumulator is taken, and the RAM is read.
    fn accumulate(&mut self) {
        memory.read_address = word[0];
        let mut sum_of_few: Bits<W> = 0;
        for i in 0..N {
            few[i] = In { count: events[i], take: few_turn[i] };
            let few_part: Bits<W> = if few_turn[i] { few[i].value } else { 0 };
            sum_of_few = sum_of_few | few_part;
        }
        let mut total: Bits<V> = bit_cast::<V, W>(sum_of_few);
        for i in 0..K {
            many[i] = In { count: amounts[i], take: many_turn[i] };
            let many_part: Bits<V> = if many_turn[i] { many[i].value } else { 0 };
            total = total | many_part;
        }
        if adds_one {
            total = 1;
        }
        counted[0] = total;
        counted[1] = counted[0];
        for i in 0..4 {
            word[i + 1] = word[i];
            lives[i + 1] = lives[i];
            hits[i + 1] = hits[i] & !clear;
            zeroes[i + 1] = zeroes[i] & !clear;
        }
    }

    /// Clocks 3 to 5: the sum, in two halves.
    fn add(&mut self) {
        let old = memory.read_data;
        low = bit_cast::<{ HALF + 1 }, HALF>(old[0..HALF]) + bit_cast::<{ HALF + 1 }, V>(counted[1]);
        high = old[HALF..COUNTER_BITS];
        let carry: Bits<1> = low[HALF].into();
        let upper = bit_cast::<{ HALF + 1 }, HALF>(high) + bit_cast::<{ HALF + 1 }, 1>(carry);
        sum = cat(low[0..HALF], upper[0..HALF]);
        over = upper[HALF];
        let shown = if over { most } else { sum };
        let stored: Bits<COUNTER_BITS> = if zeroes[4] { 0 } else { shown };
        memory = In { write_enable: lives[4], write_address: word[4], write_data: stored };
        answer = In { valid: hits[4], data: shown };
    }
}
