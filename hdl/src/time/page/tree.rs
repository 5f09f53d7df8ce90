//! `time_tree_page`: the window of a tree that is followed.

use super::counters::{PageCounters, COUNTER_BITS};
use crate::config::ConfigError;
use crate::prim::stream::FlowOut;
use crate::prim::Register;
use crate::registry::StreamRole::FlowSource;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use crate::time::slave::{LEVEL_BITS, SAMPLE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers as page;

/// Bits that address a word of a tree's window.
pub const TREE_WORD_BITS: usize = 4;
/// Counters of a tree.
const TREE_COUNTERS: usize = page::TREE_COUNTERS.names.len();
/// Registers of a tree: they are the first words.
const REGISTERS: usize = FIRST_PLACE as usize;
/// Word of the first counter.
const FIRST_PLACE: u64 = ((page::TREE_COUNTERS.offset - page::TREE) / BYTES) as u64;

/// The registers and counters of one tree of a slave (chapter 20, 5).
///
/// - A read of SMP_POP pops the slave's FIFO; the other sample registers show its shadow, which holds until the next pop, so
///   samples are read whole, whatever comes meanwhile.
/// - SMP_STAT.overflow says that a sample was discarded since 0 was written there.
/// - `pop` is a gate behind `request`; a register's port shows a write 2 clocks behind `request`.
/// - `answer` 3 clocks behind `request`, of a counter 5 to 20; status is that of the clock before `answer`.
/// - `clear` forgets a request; what was written and counted stays.
#[derive(LogicBlock)]
pub struct TimeTreePage {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A request for this tree; none other until `answer`.
    pub request: Signal<In, Bit>,
    /// Word of the window, until `answer`.
    pub word: Signal<In, Bits<TREE_WORD_BITS>>,
    /// It is a write, until `answer`.
    pub write: Signal<In, Bit>,
    /// Its value, until `answer`.
    pub data: Signal<In, Bits<64>>,
    /// Done; the value of a read, else 0.
    pub answer: FlowOut<Bits<64>>,
    /// SMP_POP is read.
    pub pop: Signal<Out, Bit>,
    /// The last sample popped, 2 clocks behind `pop`.
    pub shadow: Signal<In, Bits<SAMPLE_BITS>>,
    /// The last pop found a sample, 2 clocks behind `pop`.
    pub popped: Signal<In, Bit>,
    /// Samples in the FIFO.
    pub level: Signal<In, Bits<LEVEL_BITS>>,
    /// ERA_CUR.
    pub era: Signal<In, Bits<2>>,
    /// ERA_CUR is known.
    pub era_known: Signal<In, Bit>,
    /// Events of the slave, as `time_follower` gives them.
    pub slave_events: Signal<In, Bits<8>>,
    /// CLOCK_OFFSET of both banks, 1/256 ns.
    pub offset: [Signal<Out, Bits<48>>; 2],
    /// Banks that are valid.
    pub offset_valid: Signal<Out, Bits<2>>,
    counters: PageCounters<TREE_COUNTERS, 5, 1>,
    offsets: [Register<Bits<48>>; 2],
    valid: Register<Bits<2>>,
    overflow: DFF<Bit>,
    step_1: DFF<Bit>,
    step_2: DFF<Bit>,
    is_word: DFF<Bits<REGISTERS>>,
    is_counter: DFF<Bit>,
    zeroes: DFF<Bit>,
    answered: DFF<Bit>,
    value: DFF<Bits<64>>,
    writes: Signal<Local, Bit>,
    matches: Signal<Local, Bits<REGISTERS>>,
    parts: [Signal<Local, Bits<64>>; REGISTERS],
    part: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
    sample: Signal<Local, Bits<SAMPLE_BITS>>,
    upper: Signal<Local, Bits<24>>,
    happened: Signal<Local, Bits<8>>,
    words: [Constant<Bits<TREE_WORD_BITS>>; REGISTERS],
    first_counter: Constant<Bits<TREE_WORD_BITS>>,
    after_counters: Constant<Bits<TREE_WORD_BITS>>,
    one: Constant<Bits<24>>,
    nothing: Constant<Bits<64>>,
}

impl TimeTreePage {
    /// With counters at `started`: 0 but in tests of what happens at the end; `None`: none are built, they
    /// read 0.
    pub fn new(started: Option<u32>) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            request: Default::default(),
            word: Default::default(),
            write: Default::default(),
            data: Default::default(),
            answer: Default::default(),
            pop: Default::default(),
            shadow: Default::default(),
            popped: Default::default(),
            level: Default::default(),
            era: Default::default(),
            era_known: Default::default(),
            slave_events: Default::default(),
            offset: Default::default(),
            offset_valid: Default::default(),
            counters: PageCounters::new(FIRST_PLACE, started)?,
            offsets: Default::default(),
            valid: Default::default(),
            overflow: Default::default(),
            step_1: Default::default(),
            step_2: Default::default(),
            is_word: Default::default(),
            is_counter: Default::default(),
            zeroes: Default::default(),
            answered: Default::default(),
            value: Default::default(),
            writes: Default::default(),
            matches: Default::default(),
            parts: Default::default(),
            part: Default::default(),
            sum: Default::default(),
            sample: Default::default(),
            upper: Default::default(),
            happened: Default::default(),
            words: std::array::from_fn(|index| Constant::new((index as u64).into())),
            first_counter: Constant::new(FIRST_PLACE.into()),
            after_counters: Constant::new((FIRST_PLACE + TREE_COUNTERS as u64).into()),
            one: Constant::new(1.into()),
            nothing: Constant::new(0.into()),
        })
    }
}

impl Logic for TimeTreePage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, overflow, step_1, step_2, is_word, is_counter, zeroes, answered, value);
        clock!(self, clock, counters, valid);

        // Which register it is, one clock behind the request; a pop goes at once.
        self.step_1.d.next = self.request.val() & !self.clear.val();
        self.step_2.d.next = self.step_1.q.val() & !self.clear.val();
        self.matches.next = 0.into();
        for i in 0..9 {
            self.matches.next = self.matches.val().replace_bit(i, self.word.val() == self.words[i].val());
        }
        self.is_word.d.next = self.matches.val();
        self.is_counter.d.next =
            (self.word.val() >= self.first_counter.val()) & (self.word.val() < self.after_counters.val());
        self.zeroes.d.next = self.write.val() & !self.data.val().any();
        self.pop.next = self.request.val()
            & !self.clear.val()
            & !self.write.val()
            & (self.word.val() == self.words[1].val());

        // A write, one clock behind the request.
        self.writes.next = self.step_1.q.val() & self.write.val();
        self.valid.clear.next = false;
        self.valid.enable.next = self.writes.val() & self.is_word.q.val().get_bit(0);
        self.valid.d.next = self.data.val().get_bits::<2>(11);
        for i in 0..2 {
            self.offsets[i].clock.next = self.clock.val();
            self.offsets[i].clear.next = false;
            self.offsets[i].enable.next = self.writes.val() & self.is_word.q.val().get_bit(i + 7);
            self.offsets[i].d.next = self.data.val().get_bits::<48>(0);
        }
        self.happened.next = self.slave_events.val();
        if self.writes.val() & self.is_word.q.val().get_bit(0) & !self.data.val().get_bit(8) {
            self.overflow.d.next = false;
        }
        if self.happened.val().get_bit(1) {
            self.overflow.d.next = true;
        }

        // A read, two clocks behind the request.
        self.sample.next = self.shadow.val();
        self.parts[0].next = (bit_cast::<64, LEVEL_BITS>(self.level.val())
            | (bit_cast::<64, 2>(self.era.val()) << 9)
            | (bit_cast::<64, 2>(self.valid.q.val()) << 11))
            .replace_bit(8, self.overflow.q.val())
            .replace_bit(13, self.era_known.val());
        self.parts[1].next = self.nothing.val().replace_bit(0, self.popped.val());
        self.parts[2].next = bit_cast::<64, 46>(self.sample.val().get_bits::<46>(128));
        self.parts[3].next = bit_cast::<64, 46>(self.sample.val().get_bits::<46>(174))
            .replace_bit(47, self.sample.val().get_bit(220));
        self.upper.next = self.sample.val().get_bits::<24>(136);
        if self.sample.val().get_bit(221) {
            self.upper.next = self.sample.val().get_bits::<24>(136) + self.one.val();
        }
        self.parts[4].next = self.nothing.val();
        if self.sample.val().get_bit(220) {
            self.parts[4].next = bit_cast::<64, 40>(self.sample.val().get_bits::<40>(174))
                | (bit_cast::<64, 24>(self.upper.val()) << 40);
        }
        self.parts[5].next = self.sample.val().get_bits::<64>(64);
        self.parts[6].next = bit_cast::<64, 32>(self.sample.val().get_bits::<32>(32))
            | (bit_cast::<64, 32>(self.sample.val().get_bits::<32>(0)) << 32);
        self.parts[7].next = bit_cast::<64, 48>(self.offsets[0].q.val());
        self.parts[8].next = bit_cast::<64, 48>(self.offsets[1].q.val());
        self.sum.next = self.nothing.val();
        for i in 0..9 {
            self.part.next = self.nothing.val();
            if self.is_word.q.val().get_bit(i) {
                self.part.next = self.parts[i].val();
            }
            self.sum.next = self.sum.val() | self.part.val();
        }
        self.value.d.next = self.nothing.val();
        if self.step_2.q.val() & !self.write.val() & !self.clear.val() {
            self.value.d.next = self.sum.val();
        }
        if self.counters.answer.valid.val() & !self.write.val() & !self.clear.val() {
            self.value.d.next = bit_cast::<64, COUNTER_BITS>(self.counters.answer.data.val());
        }
        self.answered.d.next = ((self.step_2.q.val() & !self.is_counter.q.val())
            | self.counters.answer.valid.val())
            & !self.clear.val();
        self.answer.valid.next = self.answered.q.val();
        self.answer.data.next = self.value.q.val();

        // Counters: SMP_OK, SMP_OVER, OVERLAP_BAD, OLD_ERA, BAD_ERA, NO_HIGH.
        self.counters.clear.next = self.clear.val();
        self.counters.request.next = self.step_1.q.val() & self.is_counter.q.val();
        self.counters.place.next = self.word.val();
        self.counters.zero.next = self.zeroes.q.val();
        self.counters.events[0].next = self.happened.val().get_bits::<1>(7);
        self.counters.events[1].next = self.happened.val().get_bits::<1>(1);
        self.counters.events[2].next = self.happened.val().get_bits::<1>(3);
        self.counters.events[3].next = self.happened.val().get_bits::<1>(4);
        self.counters.events[4].next = self.happened.val().get_bits::<1>(5);
        self.counters.events[5].next = self.happened.val().get_bits::<1>(2);
        for i in 0..2 {
            self.offset[i].next = self.offsets[i].q.val();
        }
        self.offset_valid.next = self.valid.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_tree_page", &[])
    }
}

drive_ports!(impl[] TimeTreePage {
    clock, clear, request, word, write, data, answer, pop, shadow, popped, level, era, era_known, slave_events, offset, offset_valid,
});

const _: () = assert!(REGISTERS == 9 && page::CLOCK_OFFSET0 == page::TREE + 7 * BYTES && SAMPLE_BITS == 222);
const _: () = assert!(page::smp_stat::overflow::LOW == 8 && page::smp_stat::valid::LOW == 11);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_tree_page",
    chapter: "20-time",
    summary: "registers and counters of a tree that is followed",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[("answer", FlowSource)], Some(3), "request to answer");
        Ok(BuiltBlock::new(TimeTreePage::new(Some(0))?, interface))
    },
};
