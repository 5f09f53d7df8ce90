//! The rounds of a run.

use super::{COUNT_BITS, DELAY_BITS, ROUNDS_LOG2_BITS, SUM_BITS};
use crate::prim::ram::Ram;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct DelayRounds {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A run begins.
    pub begin: Signal<In, Bit>,
    /// K, with `begin`; above 8 counts as 8.
    pub rounds_log2: Signal<In, Bits<ROUNDS_LOG2_BITS>>,
    /// T, 1/256 ns.
    pub period: Signal<In, Bits<PERIOD_FINE_BITS>>,
    /// A delay, its highest bit inverted; only while `ready`.
    pub delay: FlowIn<Bits<DELAY_BITS>>,
    /// A round without a delay; only while `ready`.
    pub voided: Signal<In, Bit>,
    /// The next round may go.
    pub ready: Signal<Out, Bit>,
    /// A run is going on.
    pub running: Signal<Out, Bit>,
    /// The last run has a result.
    pub done: Signal<Out, Bit>,
    /// The last run had 16 void rounds.
    pub failed: Signal<Out, Bit>,
    /// Event: a run ended.
    pub finished: Signal<Out, Bit>,
    /// Event: a round is void (LDM_RETRY).
    pub retry: Signal<Out, Bit>,
    /// Rounds of the result.
    pub rounds: Signal<Out, Bits<COUNT_BITS>>,
    /// Mean of the result, rounded, signed, 1/256 ns.
    pub mean: Signal<Out, Bits<DELAY_BITS>>,
    /// Smallest of the result, signed, 1/256 ns.
    pub min: Signal<Out, Bits<DELAY_BITS>>,
    /// Largest of the result, signed, 1/256 ns.
    pub max: Signal<Out, Bits<DELAY_BITS>>,

    memory: Ram<Bits<DELAY_BITS>, ADDRESS_BITS>,
    is_running: DFF<Bit>,
    is_done: DFF<Bit>,
    is_failed: DFF<Bit>,
    finished_now: DFF<Bit>,
    retry_now: DFF<Bit>,
    log2: DFF<Bits<ROUNDS_LOG2_BITS>>,
    // A delay: read from the memory in two clocks, compared, decided on.
    reading: DFF<Bit>,
    read: DFF<Bit>,
    loading: DFF<Bit>,
    comparing: DFF<Bit>,
    deciding: DFF<Bit>,
    /// It has just come.
    fresh: DFF<Bit>,
    /// All stored ones were looked at, or there is nothing to look at.
    closing: DFF<Bit>,
    dividing: DFF<Bit>,
    value: DFF<Bits<DELAY_BITS>>,
    above: DFF<Bit>,
    higher: DFF<Bit>,
    lower: DFF<Bit>,
    index: DFF<Bits<COUNT_BITS>>,
    following: DFF<Bits<COUNT_BITS>>,
    last: DFF<Bit>,
    count: DFF<Bits<COUNT_BITS>>,
    kept: DFF<Bits<COUNT_BITS>>,
    lowest: DFF<Bits<DELAY_BITS>>,
    highest: DFF<Bits<DELAY_BITS>>,
    limit: DFF<Bits<LIMIT_BITS>>,
    sum: DFF<Bits<SUM_BITS>>,
    voids: DFF<Bits<VOID_BITS>>,
    left: DFF<Bits<ROUNDS_LOG2_BITS>>,

    stores: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    enough: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    rounding: Signal<Local, Bits<COUNT_BITS>>,
    one: Constant<Bits<COUNT_BITS>>,
    one_void: Constant<Bits<VOID_BITS>>,
    one_shift: Constant<Bits<ROUNDS_LOG2_BITS>>,
    most_log2: Constant<Bits<ROUNDS_LOG2_BITS>>,
    smallest: Constant<Bits<DELAY_BITS>>,
    largest: Constant<Bits<DELAY_BITS>>,
}

impl Default for DelayRounds {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            begin: Default::default(),
            rounds_log2: Default::default(),
            period: Default::default(),
            delay: Default::default(),
            voided: Default::default(),
            ready: Default::default(),
            running: Default::default(),
            done: Default::default(),
            failed: Default::default(),
            finished: Default::default(),
            retry: Default::default(),
            rounds: Default::default(),
            mean: Default::default(),
            min: Default::default(),
            max: Default::default(),
            memory: Default::default(),
            is_running: Default::default(),
            is_done: Default::default(),
            is_failed: Default::default(),
            finished_now: Default::default(),
            retry_now: Default::default(),
            log2: Default::default(),
            reading: Default::default(),
            read: Default::default(),
            loading: Default::default(),
            comparing: Default::default(),
            deciding: Default::default(),
            fresh: Default::default(),
            closing: Default::default(),
            dividing: Default::default(),
            value: Default::default(),
            above: Default::default(),
            higher: Default::default(),
            lower: Default::default(),
            index: Default::default(),
            following: Default::default(),
            last: Default::default(),
            count: Default::default(),
            kept: Default::default(),
            lowest: Default::default(),
            highest: Default::default(),
            limit: Default::default(),
            sum: Default::default(),
            voids: Default::default(),
            left: Default::default(),
            stores: Default::default(),
            keeps: Default::default(),
            drops: Default::default(),
            enough: Default::default(),
            busy: Default::default(),
            rounding: Default::default(),
            one: Constant::new(1.into()),
            one_void: Constant::new(1.into()),
            one_shift: Constant::new(1.into()),
            most_log2: Constant::new(u64::from(LDM_ROUNDS_LOG2.1).into()),
            smallest: Constant::new(0.into()),
            largest: Constant::new(u64::from(u32::MAX).into()),
        }
    }
}

impl Logic for DelayRounds {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_running, is_done, is_failed, finished_now, retry_now, log2, reading, read);
        dff_setup!(self, clock, loading, comparing, deciding, fresh, closing, dividing, value, above, higher);
        dff_setup!(self, clock, lower, index, following, last, count, kept, lowest, highest, limit, sum);
        dff_setup!(self, clock, voids, left);

        // A delay comes, or a stored one is read.
        self.value.d.next = self.delay.data.val();
        if self.loading.q.val() {
            self.value.d.next = self.memory.read_data.val();
        }
        if self.deciding.q.val() | self.comparing.q.val() {
            self.value.d.next = self.value.q.val();
        }
        self.read.d.next = self.reading.q.val();
        self.loading.d.next = self.read.q.val();
        self.comparing.d.next = self.delay.valid.val() | self.loading.q.val();
        self.deciding.d.next = self.comparing.q.val();
        if self.delay.valid.val() {
            self.fresh.d.next = true;
        }

        // Compared: T above the smallest is the limit.
        self.limit.d.next = bit_cast::<LIMIT_BITS, DELAY_BITS>(self.lowest.q.val())
            + bit_cast::<LIMIT_BITS, PERIOD_FINE_BITS>(self.period.val());
        self.above.d.next = bit_cast::<LIMIT_BITS, DELAY_BITS>(self.value.q.val()) > self.limit.q.val();
        self.lower.d.next = self.value.q.val() < self.lowest.q.val();
        self.higher.d.next = self.value.q.val() > self.highest.q.val();
        self.following.d.next = self.index.q.val() + self.one.val();
        self.last.d.next = self.following.q.val() == self.count.q.val();

        // Decided on. One that has just come is stored behind the others, one of those where the next that stays belongs.
        self.drops.next = self.deciding.q.val() & self.above.q.val();
        self.stores.next = self.deciding.q.val() & !self.above.q.val() & self.fresh.q.val();
        self.keeps.next = self.deciding.q.val() & !self.above.q.val() & !self.fresh.q.val();
        self.rounding.next = (self.one.val() << self.log2.q.val()) >> 1;
        self.reading.d.next = false;
        self.closing.d.next = self.voided.val();
        if self.deciding.q.val() {
            self.reading.d.next = !self.last.q.val();
            self.closing.d.next = self.last.q.val();
            self.index.d.next = self.following.q.val();
            if self.fresh.q.val() {
                self.reading.d.next = !self.above.q.val();
                self.closing.d.next = self.above.q.val();
                self.index.d.next = 0.into();
            }
            self.fresh.d.next = false;
        }
        if self.keeps.val() {
            self.kept.d.next = self.kept.q.val() + self.one.val();
            self.sum.d.next = self.sum.q.val() + bit_cast::<SUM_BITS, DELAY_BITS>(self.value.q.val());
            if self.higher.q.val() {
                self.highest.d.next = self.value.q.val();
            }
        }
        if self.stores.val() {
            self.count.d.next = self.count.q.val() + self.one.val();
            self.kept.d.next = 0.into();
            self.sum.d.next = bit_cast::<SUM_BITS, COUNT_BITS>(self.rounding.val());
            self.highest.d.next = self.smallest.val();
            if self.lower.q.val() {
                self.lowest.d.next = self.value.q.val();
            }
        }
        self.retry_now.d.next = self.drops.val() | self.voided.val();
        if (self.drops.val() | self.voided.val()) & !self.voids.q.val().get_bit(4) {
            self.voids.d.next = self.voids.q.val() + self.one_void.val();
        }

        // The round is over; the run perhaps, too.
        self.finished_now.d.next = false;
        self.enough.next = self.kept.q.val().get_bit(self.log2.q.val().index());
        self.left.d.next = self.log2.q.val();
        if self.closing.q.val() {
            self.count.d.next = self.kept.q.val();
            if self.voids.q.val().get_bit(4) {
                self.is_running.d.next = false;
                self.is_failed.d.next = true;
                self.finished_now.d.next = true;
            } else {
                self.dividing.d.next = self.enough.val();
            }
        }
        if self.dividing.q.val() {
            if self.left.q.val().any() {
                self.sum.d.next = self.sum.q.val() >> 1;
                self.left.d.next = self.left.q.val() - self.one_shift.val();
            } else {
                self.dividing.d.next = false;
                self.is_running.d.next = false;
                self.is_done.d.next = true;
                self.finished_now.d.next = true;
            }
        }

        self.memory.write_clock.next = self.clock.val();
        self.memory.read_clock.next = self.clock.val();
        self.memory.write_enable.next = self.stores.val() | self.keeps.val();
        self.memory.write_address.next = self.kept.q.val().get_bits::<ADDRESS_BITS>(0);
        if self.fresh.q.val() {
            self.memory.write_address.next = self.count.q.val().get_bits::<ADDRESS_BITS>(0);
        }
        self.memory.write_data.next = self.value.q.val();
        self.memory.read_enable.next = self.reading.q.val();
        self.memory.read_address.next = self.index.q.val().get_bits::<ADDRESS_BITS>(0);
        self.memory.output_enable.next = self.read.q.val();

        if self.begin.val() | self.clear.val() {
            self.reading.d.next = false;
            self.read.d.next = false;
            self.loading.d.next = false;
            self.comparing.d.next = false;
            self.deciding.d.next = false;
            self.closing.d.next = false;
            self.dividing.d.next = false;
            self.finished_now.d.next = false;
            self.is_running.d.next = false;
            self.is_done.d.next = self.is_done.q.val();
            self.is_failed.d.next = self.is_failed.q.val();
        }
        if self.begin.val() & !self.clear.val() {
            self.log2.d.next = self.rounds_log2.val();
            if self.rounds_log2.val().get_bit(3) {
                self.log2.d.next = self.most_log2.val();
            }
            self.is_running.d.next = true;
            self.is_done.d.next = false;
            self.is_failed.d.next = false;
            self.count.d.next = 0.into();
            self.kept.d.next = 0.into();
            self.voids.d.next = 0.into();
            self.lowest.d.next = self.largest.val();
        }

        self.busy.next = self.reading.q.val()
            | self.read.q.val()
            | self.loading.q.val()
            | self.comparing.q.val()
            | self.deciding.q.val()
            | self.closing.q.val()
            | self.dividing.q.val();
        self.ready.next = self.is_running.q.val() & !self.busy.val();
        self.running.next = self.is_running.q.val();
        self.done.next = self.is_done.q.val();
        self.failed.next = self.is_failed.q.val();
        self.finished.next = self.finished_now.q.val();
        self.retry.next = self.retry_now.q.val();
        self.rounds.next = self.count.q.val();
        self.mean.next =
            self.sum.q.val().get_bits::<DELAY_BITS>(0).replace_bit(31, !self.sum.q.val().get_bit(31));
        self.min.next = self.lowest.q.val().replace_bit(31, !self.lowest.q.val().get_bit(31));
        self.max.next = self.highest.q.val().replace_bit(31, !self.highest.q.val().get_bit(31));
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("delay_rounds", &[])
    }
}

drive_ports!(impl[] DelayRounds {
    clock, clear, begin, rounds_log2, period, delay, voided, ready, running, done, failed, finished, retry, rounds, mean, min, max,
});

const _: () = assert!(LDM_MAX_VOID == 16 && VOID_BITS == 5 && LDM_ROUNDS_LOG2.1 == 8);
const _: () =
    assert!(DELAY_BITS == 32 && COUNT_BITS == ADDRESS_BITS + 1 && SUM_BITS == DELAY_BITS + ADDRESS_BITS);
