//! The rounds of a run.

use super::{COUNT_BITS, DELAY_BITS, ROUNDS_LOG2_BITS, SUM_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::Ram;
use flitforge_protocol::time::{LDM_MAX_VOID, LDM_ROUNDS_LOG2};

/// Bits of an address of a round.
const ADDRESS_BITS: usize = LDM_ROUNDS_LOG2.1 as usize;
/// Bits of the largest delay that is not void.
const LIMIT_BITS: usize = DELAY_BITS + 1;
/// Bits of T.
pub const PERIOD_FINE_BITS: usize = 14;
/// Bits of a count of voids.
const VOID_BITS: usize = LDM_MAX_VOID.trailing_zeros() as usize + 1;

/// Collects 2^K delays within a core clock of the smallest (chapter 20, 4.8 rule 3).
///
/// Every delay that is not void is stored, and all stored ones are looked at again, 5 clocks each: those more than T above the
/// smallest are void. What is left gives sum and largest.
///
/// - `ready` again 4 clocks after a void `delay`, 2 after `voided`, 4 + 5 n after one that makes n stored ones; the result K + 1
///   clocks after that. `retry` tells every void round.
/// - `begin` starts a run and forgets the one before; `clear` ends it without a result. Either way what happens in the same
///   clock is told by `retry` at most.
/// - Delays have their highest bit inverted inside, so that they compare as unsigned numbers.
#[block("delay_rounds")]
pub struct DelayRounds {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A run begins.
    begin: In<Bit>,
    /// K, with `begin`; above 8 counts as 8.
    rounds_log2: In<Bits<ROUNDS_LOG2_BITS>>,
    /// T, 1/256 ns.
    period: In<Bits<PERIOD_FINE_BITS>>,
    /// A delay, its highest bit inverted; only while `ready`.
    pub delay: FlowIn<Bits<DELAY_BITS>>,
    /// A round without a delay; only while `ready`.
    voided: In<Bit>,
    /// The next round may go.
    ready: Out<Bit>,
    /// A run is going on.
    running: Out<Bit>,
    /// The last run has a result.
    done: Out<Bit>,
    /// The last run had 16 void rounds.
    failed: Out<Bit>,
    /// Event: a run ended.
    finished: Out<Bit>,
    /// Event: a round is void (LDM_RETRY).
    retry: Out<Bit>,
    /// Rounds of the result.
    rounds: Out<Bits<COUNT_BITS>>,
    /// Mean of the result, rounded, signed, 1/256 ns.
    mean: Out<Bits<DELAY_BITS>>,
    /// Smallest of the result, signed, 1/256 ns.
    min: Out<Bits<DELAY_BITS>>,
    /// Largest of the result, signed, 1/256 ns.
    max: Out<Bits<DELAY_BITS>>,

    #[wire(write_clock = clock, read_clock = clock)]
    memory: Ram<Bits<DELAY_BITS>, ADDRESS_BITS>,
    is_running: Reg<Bit>,
    is_done: Reg<Bit>,
    is_failed: Reg<Bit>,
    finished_now: Reg<Bit>,
    retry_now: Reg<Bit>,
    log2: Reg<Bits<ROUNDS_LOG2_BITS>>,
    // A delay: read from the memory in two clocks, compared, decided on.
    reading: Reg<Bit>,
    read: Reg<Bit>,
    loading: Reg<Bit>,
    comparing: Reg<Bit>,
    deciding: Reg<Bit>,
    /// It has just come.
    fresh: Reg<Bit>,
    /// All stored ones were looked at, or there is nothing to look at.
    closing: Reg<Bit>,
    dividing: Reg<Bit>,
    value: Reg<Bits<DELAY_BITS>>,
    above: Reg<Bit>,
    higher: Reg<Bit>,
    lower: Reg<Bit>,
    index: Reg<Bits<COUNT_BITS>>,
    following: Reg<Bits<COUNT_BITS>>,
    last: Reg<Bit>,
    count: Reg<Bits<COUNT_BITS>>,
    kept: Reg<Bits<COUNT_BITS>>,
    lowest: Reg<Bits<DELAY_BITS>>,
    highest: Reg<Bits<DELAY_BITS>>,
    limit: Reg<Bits<LIMIT_BITS>>,
    sum: Reg<Bits<SUM_BITS>>,
    voids: Reg<Bits<VOID_BITS>>,
    left: Reg<Bits<ROUNDS_LOG2_BITS>>,

    stores: Local<Bit>,
    keeps: Local<Bit>,
    drops: Local<Bit>,
    enough: Local<Bit>,
    busy: Local<Bit>,
    #[init(1)]
    one: Constant<Bits<COUNT_BITS>>,
    #[init(1)]
    one_void: Constant<Bits<VOID_BITS>>,
    #[init(1)]
    one_shift: Constant<Bits<ROUNDS_LOG2_BITS>>,
    #[init(u64::from(LDM_ROUNDS_LOG2.1).into())]
    most_log2: Constant<Bits<ROUNDS_LOG2_BITS>>,
    #[init(0)]
    smallest: Constant<Bits<DELAY_BITS>>,
    #[init(u64::from(u32::MAX).into())]
    largest: Constant<Bits<DELAY_BITS>>,
}

#[logic]
impl DelayRounds {
    fn update(&mut self) {
        self.take_delay();
        self.compare();
        self.decide();
        self.end_round();

        memory = In { write_enable: stores | keeps, write_address: kept.bits::<ADDRESS_BITS>(0) };
        if fresh {
            memory.write_address = count.bits::<ADDRESS_BITS>(0);
        }
        memory = In { write_data: value, read_enable: reading, read_address: index.bits::<ADDRESS_BITS>(0) };
        memory.output_enable = read;

        if begin | clear {
            reading = false;
            read = false;
            loading = false;
            comparing = false;
            deciding = false;
            closing = false;
            dividing = false;
            finished_now = false;
            is_running = false;
            is_done = is_done;
            is_failed = is_failed;
        }
        if begin & !clear {
            log2 = rounds_log2;
            if rounds_log2[3] {
                log2 = most_log2;
            }
            is_running = true;
            is_done = false;
            is_failed = false;
            count = 0;
            kept = 0;
            voids = 0;
            lowest = largest;
        }

        busy = reading | read | loading | comparing | deciding | closing | dividing;
        ready = is_running & !busy;
        running = is_running;
        done = is_done;
        failed = is_failed;
        finished = finished_now;
        retry = retry_now;
        rounds = count;
        mean = sum.bits::<DELAY_BITS>(0).with(31, !sum[31]);
        min = lowest.with(31, !lowest[31]);
        max = highest.with(31, !highest[31]);
    }

    /// A delay comes, or a stored one is read.
    fn take_delay(&mut self) {
        value = delay.data;
        if loading {
            value = memory.read_data;
        }
        if deciding | comparing {
            value = value;
        }
        read = reading;
        loading = read;
        comparing = delay.valid | loading;
        deciding = comparing;
        if delay.valid {
            fresh = true;
        }
    }

    /// Compared: T above the smallest is the limit.
    fn compare(&mut self) {
        limit = bit_cast::<LIMIT_BITS, DELAY_BITS>(lowest) + bit_cast::<LIMIT_BITS, PERIOD_FINE_BITS>(period);
        above = bit_cast::<LIMIT_BITS, DELAY_BITS>(value) > limit;
        lower = value < lowest;
        higher = value > highest;
        following = index + one;
        last = following == count;
    }

    /// Decided on. One that has just come is stored after the others, one of those where the next that stays belongs.
    fn decide(&mut self) {
        drops = deciding & above;
        stores = deciding & !above & fresh;
        keeps = deciding & !above & !fresh;
        let rounding = (one << log2) >> 1;
        reading = false;
        closing = voided;
        if deciding {
            reading = !last;
            closing = last;
            index = following;
            if fresh {
                reading = !above;
                closing = above;
                index = 0;
            }
            fresh = false;
        }
        if keeps {
            kept = kept + one;
            sum = sum + bit_cast::<SUM_BITS, DELAY_BITS>(value);
            if higher {
                highest = value;
            }
        }
        if stores {
            count = count + one;
            kept = 0;
            sum = bit_cast::<SUM_BITS, COUNT_BITS>(rounding);
            highest = smallest;
            if lower {
                lowest = value;
            }
        }
        retry_now = drops | voided;
        if (drops | voided) & !voids[4] {
            voids = voids + one_void;
        }
    }

    /// The round is over; the run perhaps, too.
    fn end_round(&mut self) {
        finished_now = false;
        enough = kept[log2];
        left = log2;
        if closing {
            count = kept;
            if voids[4] {
                is_running = false;
                is_failed = true;
                finished_now = true;
            } else {
                dividing = enough;
            }
        }
        if dividing {
            if left.any() {
                sum = sum >> 1;
                left = left - one_shift;
            } else {
                dividing = false;
                is_running = false;
                is_done = true;
                finished_now = true;
            }
        }
    }
}

const _: () = assert!(LDM_MAX_VOID == 16 && VOID_BITS == 5 && LDM_ROUNDS_LOG2.1 == 8);
const _: () =
    assert!(DELAY_BITS == 32 && COUNT_BITS == ADDRESS_BITS + 1 && SUM_BITS == DELAY_BITS + ADDRESS_BITS);
