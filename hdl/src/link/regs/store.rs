//! The page's memory: kept values, counters, write masks; and the sweep that carries the tallies into it.

use super::config::{LinkRegsConfig, IMAGE_WORDS, RAM_ADDRESS_BITS, RAM_BITS};
use super::tallies::{MANY_BITS, SINGLE_BITS};
use super::WORD_ADDRESS_BITS;
use crate::config::ConfigError;
use crate::prim::{Ram, RamConfig, Register};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct RegsStore {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The bus asks in this clock; at most every fifth clock.
    pub request: Signal<In, Bit>,
    /// Word asked for.
    pub word: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// With `request`: a write.
    pub write: Signal<In, Bit>,
    /// From `request` to 1 clock behind it: the value to write.
    pub wdata: Signal<In, Bits<64>>,
    /// From `request` to 2 clocks behind it: `wdata` is 0.
    pub wdata_zero: Signal<In, Bit>,
    /// The link is Down.
    pub down: Signal<In, Bit>,
    /// All counters become 0.
    pub clear_all: Signal<In, Bit>,
    /// Sums of the tallies, 2 clocks behind the visit of their word; 0 behind one that was `silent`.
    pub low: Signal<In, Bits<MANY_BITS>>,
    /// See `low`.
    pub high: Signal<In, Bits<SINGLE_BITS>>,
    /// The tallies of the word visited are taken.
    pub takes: Signal<Out, Bit>,
    /// They are those of a write, to which nothing is added.
    pub silent: Signal<Out, Bit>,
    /// 3 clocks behind `request`: the word read.
    pub value: Signal<Out, Bits<64>>,
    /// 2 clocks behind `request`: a write that is allowed.
    pub commits: Signal<Out, Bit>,
    /// `commits` of the clock before.
    pub committed: Signal<Out, Bit>,

    memory: Ram<Bits<RAM_BITS>, RAM_ADDRESS_BITS>,
    sweep: Register<Bits<WORD_ADDRESS_BITS>>,
    clearing: DFF<Bit>,
    word_1: DFF<Bits<WORD_ADDRESS_BITS>>,
    write_1: DFF<Bit>,
    keep_1: DFF<Bit>,
    empty_1: DFF<Bit>,
    word_2: DFF<Bits<WORD_ADDRESS_BITS>>,
    write_2: DFF<Bit>,
    keep_2: DFF<Bit>,
    /// Bits of the memory's answer that count: all, none, or in a write those that are written as 1.
    gate: DFF<Bits<KEPT_BITS>>,
    near: DFF<Bit>,
    /// Not `near`, for the upper bits: a register for each half of them.
    apart: DFF<Bit>,
    /// The word's value of two or three clocks before, if that is its last; else 0.
    far: DFF<Bits<KEPT_BITS>>,
    word_3: DFF<Bits<WORD_ADDRESS_BITS>>,
    kept_3: DFF<Bit>,
    sum_3: DFF<Bits<KEPT_BITS>>,
    // `word_1` is that of the clock before, of two and of three clocks before.
    same_near: DFF<Bit>,
    same_far: DFF<Bit>,
    same_farther: DFF<Bit>,
    kept_4: DFF<Bit>,
    sum_4: DFF<Bits<KEPT_BITS>>,
    commit: DFF<Bit>,

    visited: Signal<Local, Bits<WORD_ADDRESS_BITS>>,
    stale: Signal<Local, Bit>,
    following: Signal<Local, Bits<WORD_ADDRESS_BITS>>,
    last_lane_now: Signal<Local, Bit>,
    answer: Signal<Local, Bits<RAM_BITS>>,
    is_near: Signal<Local, Bit>,
    far_now: Signal<Local, Bits<KEPT_BITS>>,
    is_far: Signal<Local, Bit>,
    is_farther: Signal<Local, Bit>,
    takes_near: Signal<Local, Bit>,
    older: Signal<Local, Bits<KEPT_BITS>>,
    lower: Signal<Local, Bits<24>>,
    upper: Signal<Local, Bits<42>>,
    found: Signal<Local, Bits<KEPT_BITS>>,
    here: Signal<Local, Bits<KEPT_BITS>>,
    sum: Signal<Local, Bits<49>>,
    sum_low: Signal<Local, Bits<25>>,
    sum_up: Signal<Local, Bits<25>>,
    high_sum: Signal<Local, Bits<25>>,
    is_lane: Signal<Local, Bit>,
    middle: Signal<Local, Bits<8>>,
    result: Signal<Local, Bits<KEPT_BITS>>,
    was_lane: Signal<Local, Bit>,
    last: Signal<Local, Bits<KEPT_BITS>>,
    full: Signal<Local, Bits<64>>,
    permitted: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    one: Constant<Bits<WORD_ADDRESS_BITS>>,
    first_counter: Constant<Bits<WORD_ADDRESS_BITS>>,
    last_counter: Constant<Bits<WORD_ADDRESS_BITS>>,
    first_lane: Constant<Bits<WORD_ADDRESS_BITS>>,
    last_lane: Constant<Bits<WORD_ADDRESS_BITS>>,
    masks: Constant<Bits<RAM_ADDRESS_BITS>>,
    none: Constant<Bits<KEPT_BITS>>,
    every: Constant<Bits<KEPT_BITS>>,
    no_value: Constant<Bits<64>>,
    high_place: Constant<Bits<16>>,
    middle_place: Constant<Bits<16>>,
    /// Bits that an overflow fills: of a counter, of LANE_ERR, of a lane's code errors.
    counter_bits: Constant<Bits<64>>,
    error_bits: Constant<Bits<64>>,
    code_bits: Constant<Bits<64>>,
}

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
            clock: Default::default(),
            request: Default::default(),
            word: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            wdata_zero: Default::default(),
            down: Default::default(),
            clear_all: Default::default(),
            low: Default::default(),
            high: Default::default(),
            takes: Default::default(),
            silent: Default::default(),
            value: Default::default(),
            commits: Default::default(),
            committed: Default::default(),
            memory: Ram::new(ram)?,
            sweep: Register::new(first_counter),
            clearing: Default::default(),
            word_1: Default::default(),
            write_1: Default::default(),
            keep_1: Default::default(),
            empty_1: Default::default(),
            word_2: Default::default(),
            write_2: Default::default(),
            keep_2: Default::default(),
            gate: Default::default(),
            near: Default::default(),
            apart: Default::default(),
            far: Default::default(),
            word_3: Default::default(),
            kept_3: Default::default(),
            sum_3: Default::default(),
            same_near: Default::default(),
            same_far: Default::default(),
            same_farther: Default::default(),
            kept_4: Default::default(),
            sum_4: Default::default(),
            commit: Default::default(),
            visited: Default::default(),
            stale: Default::default(),
            following: Default::default(),
            last_lane_now: Default::default(),
            answer: Default::default(),
            is_near: Default::default(),
            far_now: Default::default(),
            is_far: Default::default(),
            is_farther: Default::default(),
            takes_near: Default::default(),
            older: Default::default(),
            lower: Default::default(),
            upper: Default::default(),
            found: Default::default(),
            here: Default::default(),
            sum: Default::default(),
            sum_low: Default::default(),
            sum_up: Default::default(),
            high_sum: Default::default(),
            is_lane: Default::default(),
            middle: Default::default(),
            result: Default::default(),
            was_lane: Default::default(),
            last: Default::default(),
            full: Default::default(),
            permitted: Default::default(),
            stores: Default::default(),
            one: Constant::new(1.into()),
            first_counter: Constant::new(first_counter),
            last_counter: Constant::new(last_counter),
            first_lane: Constant::new(word(LANE)),
            last_lane: Constant::new(word(LANE + 3 * BYTES)),
            masks: Constant::new(u64::from(IMAGE_WORDS / 2).into()),
            none: Constant::new(Bits::default()),
            every: Constant::new(!Bits::default()),
            no_value: Constant::new(0.into()),
            high_place: Constant::new(48.into()),
            middle_place: Constant::new(40.into()),
            counter_bits: Constant::new(COUNTER_MAX.into()),
            error_bits: Constant::new((lane::errors::FIELD.mask() as u64).into()),
            code_bits: Constant::new((lane::code_errors::FIELD.mask() as u64).into()),
        })
    }
}

impl Logic for RegsStore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, clearing, word_1, write_1, keep_1, empty_1, word_2, write_2, keep_2);
        dff_setup!(self, clock, same_near, same_far, same_farther);
        dff_setup!(self, clock, gate, near, apart, far, word_3, kept_3, sum_3, kept_4, sum_4, commit);
        clock!(self, clock, sweep);

        // Clock 0: the bus, else the sweep.
        self.visited.next = self.sweep.q.val();
        if self.request.val() {
            self.visited.next = self.word.val();
        }
        self.stale.next = self.clearing.q.val() & (self.word.val() >= self.sweep.q.val());
        self.last_lane_now.next = self.sweep.q.val() == self.last_lane.val();
        self.following.next = self.sweep.q.val() + self.one.val();
        if self.sweep.q.val() == self.last_counter.val() {
            self.following.next = self.first_lane.val();
        }
        if self.last_lane_now.val() {
            self.following.next = self.first_counter.val();
        }
        self.sweep.clear.next = self.clear_all.val();
        self.sweep.enable.next = !self.request.val();
        self.sweep.d.next = self.following.val();
        if !self.request.val() & self.last_lane_now.val() {
            self.clearing.d.next = false;
        }
        if self.clear_all.val() {
            self.clearing.d.next = true;
        }
        self.takes.next = !self.clear_all.val();
        self.keep_1.d.next = !self.clear_all.val();
        self.empty_1.d.next = self.clearing.q.val();
        if self.request.val() {
            self.takes.next = !self.stale.val();
            self.keep_1.d.next = !self.stale.val() & !self.write.val();
            self.empty_1.d.next = self.stale.val();
            if self.write.val() {
                self.takes.next = self.wdata_zero.val();
            }
        }
        self.silent.next = self.request.val() & self.write.val();
        self.write_1.d.next = self.request.val() & self.write.val();
        self.word_1.d.next = self.visited.val();
        // Of clock 1, known before it.
        self.same_near.d.next = self.visited.val() == self.word_1.q.val();
        self.same_far.d.next = self.visited.val() == self.word_2.q.val();
        self.same_farther.d.next = self.visited.val() == self.word_3.q.val();
        self.memory.read_clock.next = self.clock.val();
        self.memory.read_enable.next = true;
        self.memory.output_enable.next = true;
        self.memory.read_address.next = bit_cast::<RAM_ADDRESS_BITS, WORD_ADDRESS_BITS>(self.visited.val());
        if self.request.val() & self.write.val() {
            self.memory.read_address.next =
                bit_cast::<RAM_ADDRESS_BITS, WORD_ADDRESS_BITS>(self.visited.val()) | self.masks.val();
        }

        // Clock 2: whether it is written.
        self.answer.next = self.memory.read_data.val();
        self.permitted.next = self.write_2.q.val()
            & (self.answer.val().get_bit(64) | (self.answer.val().get_bit(65) & self.down.val()));
        self.stores.next = self.keep_2.q.val()
            | self.permitted.val()
            | (self.write_2.q.val() & self.answer.val().get_bit(66) & self.wdata_zero.val());

        // Clock 1: where the word's last value is.
        self.word_2.d.next = self.word_1.q.val();
        self.write_2.d.next = self.write_1.q.val();
        self.keep_2.d.next = self.keep_1.q.val();
        self.is_near.next = self.same_near.q.val() & self.stores.val();
        self.is_far.next = self.same_far.q.val() & self.kept_3.q.val() & !self.is_near.val();
        self.is_farther.next =
            self.same_farther.q.val() & self.kept_4.q.val() & !self.is_near.val() & !self.is_far.val();
        self.takes_near.next = self.is_near.val() & !self.empty_1.q.val() & !self.write_1.q.val();
        self.near.d.next = self.takes_near.val();
        self.apart.d.next = !self.takes_near.val();
        self.far_now.next = self.none.val();
        if self.is_far.val() & !self.empty_1.q.val() & !self.write_1.q.val() {
            self.far_now.next = self.sum_3.q.val();
        }
        self.older.next = self.none.val();
        if self.is_farther.val() & !self.empty_1.q.val() & !self.write_1.q.val() {
            self.older.next = self.sum_4.q.val();
        }
        self.far.d.next = self.far_now.val() | self.older.val();
        self.gate.d.next = self.none.val();
        if !self.is_near.val() & !self.is_far.val() & !self.is_farther.val() & !self.empty_1.q.val() {
            self.gate.d.next = self.every.val();
        }
        if self.write_1.q.val() {
            self.gate.d.next = bit_cast::<KEPT_BITS, 64>(self.wdata.val());
        }

        // Clock 2: the sum.
        self.found.next = self.answer.val().get_bits::<KEPT_BITS>(0) & self.gate.q.val();
        self.lower.next = 0.into();
        if self.near.q.val() {
            self.lower.next = self.sum_3.q.val().get_bits::<24>(0);
        }
        self.upper.next = 0.into();
        if !self.apart.q.val() {
            self.upper.next = self.sum_3.q.val().get_bits::<42>(24);
        }
        self.here.next =
            (bit_cast::<KEPT_BITS, 42>(self.upper.val()) << 24) | bit_cast::<KEPT_BITS, 24>(self.lower.val());
        self.found.next = self.found.val() | self.here.val() | self.far.q.val();
        self.is_lane.next = self.word_2.q.val().get_bit(6) & self.word_2.q.val().get_bit(5);
        // In two halves at once: the upper one is ready for either carry.
        self.sum_low.next = bit_cast::<25, 24>(self.found.val().get_bits::<24>(0))
            + bit_cast::<25, MANY_BITS>(self.low.val());
        self.sum_up.next = bit_cast::<25, 24>(self.found.val().get_bits::<24>(24));
        if self.sum_low.val().get_bit(24) {
            self.sum_up.next = bit_cast::<25, 24>(self.found.val().get_bits::<24>(24)) + 1;
        }
        self.sum.next = (bit_cast::<49, 25>(self.sum_up.val()) << 24)
            | bit_cast::<49, 24>(self.sum_low.val().get_bits::<24>(0));
        self.high_sum.next = bit_cast::<25, 24>(self.found.val().get_bits::<24>(40))
            + bit_cast::<25, SINGLE_BITS>(self.high.val());
        self.middle.next = self.sum.val().get_bits::<8>(40);
        if self.is_lane.val() {
            self.middle.next = self.high_sum.val().get_bits::<8>(0);
        }
        self.result.next = bit_cast::<KEPT_BITS, 40>(self.sum.val().get_bits::<40>(0))
            | (bit_cast::<KEPT_BITS, 8>(self.middle.val()) << self.middle_place.val())
            | (bit_cast::<KEPT_BITS, 16>(self.high_sum.val().get_bits::<16>(8)) << self.high_place.val());
        self.result.next = self
            .result
            .val()
            .replace_bit(32, self.sum.val().get_bit(32) | (self.found.val().get_bit(32) & self.is_lane.val()))
            .replace_bit(
                64,
                (self.sum.val().get_bit(48) | self.found.val().get_bit(64)) & !self.is_lane.val(),
            )
            .replace_bit(65, self.high_sum.val().get_bit(24) | self.found.val().get_bit(65));
        self.word_3.d.next = self.word_2.q.val();
        self.kept_3.d.next = self.stores.val();
        self.sum_3.d.next = self.result.val();
        self.commit.d.next = self.permitted.val();
        self.commits.next = self.permitted.val();
        self.memory.write_clock.next = self.clock.val();
        self.kept_4.d.next = self.kept_3.q.val();
        self.sum_4.d.next = self.sum_3.q.val();
        self.memory.write_enable.next = self.kept_3.q.val();
        self.memory.write_address.next = bit_cast::<RAM_ADDRESS_BITS, WORD_ADDRESS_BITS>(self.word_3.q.val());
        self.memory.write_data.next = bit_cast::<RAM_BITS, KEPT_BITS>(self.sum_3.q.val());

        // Clock 3: a word whose sum has overflowed reads as all ones.
        self.last.next = self.sum_3.q.val();
        self.was_lane.next = self.word_3.q.val().get_bit(6) & self.word_3.q.val().get_bit(5);
        self.full.next = self.no_value.val();
        if self.was_lane.val() {
            if self.last.val().get_bit(32) {
                self.full.next = self.error_bits.val();
            }
            if self.last.val().get_bit(65) {
                self.full.next = self.full.val() | self.code_bits.val();
            }
            self.value.next = (self.last.val().get_bits::<64>(0)
                & (self.error_bits.val() | self.code_bits.val()))
                | self.full.val();
        } else {
            if self.last.val().get_bit(64) {
                self.full.next = self.counter_bits.val();
            }
            self.value.next = self.last.val().get_bits::<64>(0) | self.full.val();
        }
        self.committed.next = self.commit.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("regs_store", &[])
    }
}

drive_ports!(impl[] RegsStore { clock, request, word, write, wdata, wdata_zero, down, clear_all, low, high, takes, silent, value, commits, committed });
