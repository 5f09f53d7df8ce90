//! The page's memory: kept values, counters, write masks; and the sweep that carries the tallies into it.

use super::config::{LinkRegsConfig, IMAGE_WORDS, RAM_ADDRESS_BITS, RAM_BITS};
use super::tallies::{MANY_BITS, SINGLE_BITS};
use super::WORD_ADDRESS_BITS;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{Ram, RamConfig};
use flitforge_protocol::counter::COUNTER_MAX;
use flitforge_protocol::link_registers::{lane, COUNTERS, LANE};
use flitforge_protocol::register::BYTES;

/// Bits of a word that are kept: a register and two flags.
const KEPT_BITS: usize = 66;

/// Visits a word of the page on every clock: the one the bus asks for, else the next counter in turn.
///
/// | clock | a visit |
/// |---|---|
/// | 0 | `visit` goes to the memory and to the tallies |
/// | 1 | the memory's output register loads, the tally is taken |
/// | 2 | sum of both |
/// | 3 | it stands on `value` and is written back |
///
/// A sum that overflows keeps a flag in the memory and is read as all ones: bit 64 of a counter, 32 of LANE_ERR, 65 of a
/// lane's code errors. Nothing but a clear takes the flag away.
///
/// A word visited one to three clocks before is not in the memory's answer yet: its sum is taken from here (`near`, `far`).
/// A bus write reads the word's mask instead, from the second half of the memory, and writes what the mask lets through.
/// To clear all counters, the sweep starts anew and drops what it finds; what it has not reached reads as its tally only.
#[block("regs_store", new)]
pub struct RegsStore {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The bus asks in this clock; at most every fifth clock.
    request: In<Bit>,
    /// Word asked for.
    word: In<Bits<WORD_ADDRESS_BITS>>,
    /// With `request`: a write.
    write: In<Bit>,
    /// From `request` to 1 clock after it: the value to write.
    wdata: In<Bits<64>>,
    /// From `request` to 2 clocks after it: `wdata` is 0.
    wdata_zero: In<Bit>,
    /// The link is Down.
    down: In<Bit>,
    /// All counters become 0.
    clear_all: In<Bit>,
    /// Sums of the tallies, 2 clocks after the visit of their word; 0 behind one that was `silent`.
    low: In<Bits<MANY_BITS>>,
    /// See `low`.
    high: In<Bits<SINGLE_BITS>>,
    /// The tallies of the word visited are taken.
    takes: Out<Bit>,
    /// They are those of a write, to which nothing is added.
    silent: Out<Bit>,
    /// 3 clocks after `request`: the word read.
    value: Out<Bits<64>>,
    /// 2 clocks after `request`: a write that is allowed.
    commits: Out<Bit>,
    /// `commits` of the clock before.
    committed: Out<Bit>,

    #[wire(read_clock = clock, read_enable = true, output_enable = true, write_clock = clock)]
    memory: Ram<Bits<RAM_BITS>, RAM_ADDRESS_BITS>,
    #[wire(clear = clear_all)]
    sweep: Register<Bits<WORD_ADDRESS_BITS>>,
    clearing: Reg<Bit>,
    word_1: Reg<Bits<WORD_ADDRESS_BITS>>,
    write_1: Reg<Bit>,
    keep_1: Reg<Bit>,
    empty_1: Reg<Bit>,
    word_2: Reg<Bits<WORD_ADDRESS_BITS>>,
    write_2: Reg<Bit>,
    keep_2: Reg<Bit>,
    /// Bits of the memory's answer that count: all, none, or in a write those that are written as 1.
    gate: Reg<Bits<KEPT_BITS>>,
    near: Reg<Bit>,
    /// Not `near`, for the upper bits: a register for each half of them.
    apart: Reg<Bit>,
    /// The word's value of two or three clocks before, if that is its last; else 0.
    far: Reg<Bits<KEPT_BITS>>,
    word_3: Reg<Bits<WORD_ADDRESS_BITS>>,
    kept_3: Reg<Bit>,
    sum_3: Reg<Bits<KEPT_BITS>>,
    // `word_1` is that of the clock before, of two and of three clocks before.
    same_near: Reg<Bit>,
    same_far: Reg<Bit>,
    same_farther: Reg<Bit>,
    kept_4: Reg<Bit>,
    sum_4: Reg<Bits<KEPT_BITS>>,
    commit: Reg<Bit>,

    visited: Local<Bits<WORD_ADDRESS_BITS>>,
    stale: Local<Bit>,
    following: Local<Bits<WORD_ADDRESS_BITS>>,
    last_lane_now: Local<Bit>,
    answer: Local<Bits<RAM_BITS>>,
    is_near: Local<Bit>,
    far_now: Local<Bits<KEPT_BITS>>,
    is_far: Local<Bit>,
    is_farther: Local<Bit>,
    takes_near: Local<Bit>,
    older: Local<Bits<KEPT_BITS>>,
    lower: Local<Bits<24>>,
    upper: Local<Bits<42>>,
    found: Local<Bits<KEPT_BITS>>,
    here: Local<Bits<KEPT_BITS>>,
    sum: Local<Bits<49>>,
    sum_low: Local<Bits<25>>,
    sum_up: Local<Bits<25>>,
    high_sum: Local<Bits<25>>,
    is_lane: Local<Bit>,
    middle: Local<Bits<8>>,
    result: Local<Bits<KEPT_BITS>>,
    was_lane: Local<Bit>,
    last: Local<Bits<KEPT_BITS>>,
    full: Local<Bits<64>>,
    #[init(1)]
    one: Constant<Bits<WORD_ADDRESS_BITS>>,
    first_counter: Constant<Bits<WORD_ADDRESS_BITS>>,
    last_counter: Constant<Bits<WORD_ADDRESS_BITS>>,
    first_lane: Constant<Bits<WORD_ADDRESS_BITS>>,
    last_lane: Constant<Bits<WORD_ADDRESS_BITS>>,
    masks: Constant<Bits<RAM_ADDRESS_BITS>>,
    #[init(0)]
    none: Constant<Bits<KEPT_BITS>>,
    every: Constant<Bits<KEPT_BITS>>,
    #[init(0)]
    no_value: Constant<Bits<64>>,
    #[init(48)]
    high_place: Constant<Bits<16>>,
    #[init(40)]
    middle_place: Constant<Bits<16>>,
    /// Bits that an overflow fills: of a counter, of LANE_ERR, of a lane's code errors.
    #[init(COUNTER_MAX)]
    counter_bits: Constant<Bits<64>>,
    error_bits: Constant<Bits<64>>,
    code_bits: Constant<Bits<64>>,
}

#[logic]
impl RegsStore {
    /// The memory as the description has it.
    pub fn new(config: &LinkRegsConfig) -> Result<Self, ConfigError> {
        let ram = RamConfig {
            depth: IMAGE_WORDS,
            style: MemoryStyle::Block,
            output_register: true,
            initial: config.image(),
        };
        let word = |offset: u32| -> Bits<WORD_ADDRESS_BITS> { u64::from(offset / BYTES).into() };
        let first_counter = word(COUNTERS.offset);
        let last_counter = word(COUNTERS.offset + BYTES * (COUNTERS.names.len() as u32 - 1));
        Ok(Self {
            memory: Ram::new(ram)?,
            sweep: Register::new(first_counter),
            first_counter: Constant::new(first_counter),
            last_counter: Constant::new(last_counter),
            first_lane: Constant::new(word(LANE)),
            last_lane: Constant::new(word(LANE + 3 * BYTES)),
            masks: Constant::new(u64::from(IMAGE_WORDS / 2).into()),
            every: Constant::new(!Bits::default()),
            error_bits: Constant::new((lane::errors::FIELD.mask() as u64).into()),
            code_bits: Constant::new((lane::code_errors::FIELD.mask() as u64).into()),
            ..
        })
    }

    fn update(&mut self) {
        self.visit();

        // Clock 2: whether it is written.
        answer = memory.read_data;
        let permitted = write_2 & (answer[64] | (answer[65] & down));
        let stores = keep_2 | permitted | (write_2 & answer[66] & wdata_zero);

        self.find_value(stores);
        self.add(permitted, stores);

        // Clock 3: a word whose sum has overflowed reads as all ones.
        last = sum_3;
        was_lane = word_3[6] & word_3[5];
        full = no_value;
        if was_lane {
            if last[32] {
                full = error_bits;
            }
            if last[65] {
                full = full | code_bits;
            }
            value = (last.bits::<64>(0) & (error_bits | code_bits)) | full;
        } else {
            if last[64] {
                full = counter_bits;
            }
            value = last.bits::<64>(0) | full;
        }
        committed = commit;
    }

    /// Clock 0: the bus, else the sweep.
    fn visit(&mut self) {
        visited = sweep;
        if request {
            visited = word;
        }
        stale = clearing & (word >= sweep);
        last_lane_now = sweep == last_lane;
        following = sweep + one;
        if sweep == last_counter {
            following = first_lane;
        }
        if last_lane_now {
            following = first_counter;
        }
        sweep.enable = !request;
        sweep = following;
        if !request & last_lane_now {
            clearing = false;
        }
        if clear_all {
            clearing = true;
        }
        takes = !clear_all;
        keep_1 = !clear_all;
        empty_1 = clearing;
        if request {
            takes = !stale;
            keep_1 = !stale & !write;
            empty_1 = stale;
            if write {
                takes = wdata_zero;
            }
        }
        silent = request & write;
        write_1 = request & write;
        word_1 = visited;
        // Of clock 1, known before it.
        same_near = visited == word_1;
        same_far = visited == word_2;
        same_farther = visited == word_3;
        memory.read_address = bit_cast::<RAM_ADDRESS_BITS, WORD_ADDRESS_BITS>(visited);
        if request & write {
            memory.read_address = bit_cast::<RAM_ADDRESS_BITS, WORD_ADDRESS_BITS>(visited) | masks;
        }
    }

    /// Clock 1: where the word's last value is.
    fn find_value(&mut self, stores: Bit) {
        word_2 = word_1;
        write_2 = write_1;
        keep_2 = keep_1;
        is_near = same_near & stores;
        is_far = same_far & kept_3 & !is_near;
        is_farther = same_farther & kept_4 & !is_near & !is_far;
        takes_near = is_near & !empty_1 & !write_1;
        near = takes_near;
        apart = !takes_near;
        far_now = none;
        if is_far & !empty_1 & !write_1 {
            far_now = sum_3;
        }
        older = none;
        if is_farther & !empty_1 & !write_1 {
            older = sum_4;
        }
        far = far_now | older;
        gate = none;
        if !is_near & !is_far & !is_farther & !empty_1 {
            gate = every;
        }
        if write_1 {
            gate = bit_cast::<KEPT_BITS, 64>(wdata);
        }
    }

    /// Clock 2: the sum.
    fn add(&mut self, permitted: Bit, stores: Bit) {
        found = answer.bits::<KEPT_BITS>(0) & gate;
        lower = 0;
        if near {
            lower = sum_3.bits::<24>(0);
        }
        upper = 0;
        if !apart {
            upper = sum_3.bits::<42>(24);
        }
        here = (bit_cast::<KEPT_BITS, 42>(upper) << 24) | bit_cast::<KEPT_BITS, 24>(lower);
        found = found | here | far;
        is_lane = word_2[6] & word_2[5];
        // In two halves at once: the upper one is ready for either carry.
        sum_low = bit_cast::<25, 24>(found.bits::<24>(0)) + bit_cast::<25, MANY_BITS>(low);
        sum_up = bit_cast::<25, 24>(found.bits::<24>(24));
        if sum_low[24] {
            sum_up = bit_cast::<25, 24>(found.bits::<24>(24)) + 1;
        }
        sum = (bit_cast::<49, 25>(sum_up) << 24) | bit_cast::<49, 24>(sum_low.bits::<24>(0));
        high_sum = bit_cast::<25, 24>(found.bits::<24>(40)) + bit_cast::<25, SINGLE_BITS>(high);
        middle = sum.bits::<8>(40);
        if is_lane {
            middle = high_sum.bits::<8>(0);
        }
        result = bit_cast::<KEPT_BITS, 40>(sum.bits::<40>(0))
            | (bit_cast::<KEPT_BITS, 8>(middle) << middle_place)
            | (bit_cast::<KEPT_BITS, 16>(high_sum.bits::<16>(8)) << high_place);
        result = result
            .with(32, sum[32] | (found[32] & is_lane))
            .with(64, (sum[48] | found[64]) & !is_lane)
            .with(65, high_sum[24] | found[65]);
        word_3 = word_2;
        kept_3 = stores;
        sum_3 = result;
        commit = permitted;
        commits = permitted;
        kept_4 = kept_3;
        sum_4 = sum_3;
        memory.write_enable = kept_3;
        memory.write_address = bit_cast::<RAM_ADDRESS_BITS, WORD_ADDRESS_BITS>(word_3);
        memory.write_data = bit_cast::<RAM_BITS, KEPT_BITS>(sum_3);
    }
}
