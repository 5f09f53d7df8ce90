//! `time_ring_page`: the window of a switch's rings.

use super::counters::{PageCounters, COUNTER_BITS, PLACE_BITS};
use super::{kept_mask, WORD_BITS};
use crate::config::{check_range, ConfigError};
use crate::prim::stream::FlowOut;
use crate::prim::Register;
use crate::registry::StreamRole::FlowSource;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use crate::time::token::{COMMAND_BITS, CYCLES_BITS, TAG_BITS, WAITED_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_registers::{self as page, ring_cfg};
use flitforge_protocol::time_ring::token_command;
use flitforge_protocol::time_servo::{INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS};

/// Counters of the rings.
pub const RING_COUNTERS: usize = page::RING_COUNTERS.names.len();
/// Bits of the number of events of a counter in a clock.
pub const RING_EVENT_BITS: usize = 8;
/// Registers of the rings: they are the first words.
const REGISTERS: usize = 3;

/// The registers and counters of a switch's rings (chapter 20, 5), in the ring's clock.
///
/// - `command` comes 2 clocks behind the `request` that writes TOKEN_CMD with `go`, which reads 0; a register's port shows a
///   write 2 clocks behind `request`.
/// - `answer` 3 clocks behind `request`, of a counter 5 to 20; status is that of the clock before `answer`.
/// - Outputs are registers. `clear` forgets a request; what was written and counted stays.
#[derive(LogicBlock)]
pub struct TimeRingPage {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A request for the ring; none other until `answer`.
    pub request: Signal<In, Bit>,
    /// Word of the window, until `answer`.
    pub word: Signal<In, Bits<WORD_BITS>>,
    /// It is a write, until `answer`.
    pub write: Signal<In, Bit>,
    /// Its value, until `answer`.
    pub data: Signal<In, Bits<64>>,
    /// Done; the value of a read, else 0.
    pub answer: FlowOut<Bits<64>>,
    /// Own clock stop.
    pub own_stop: Signal<Out, Bits<6>>,
    /// RPER, ring clock period, 6.20 ns.
    pub rper: Signal<Out, Bits<PERIOD_BITS>>,
    /// A token is to be sent, as `ring_token` takes it.
    pub command: FlowOut<Bits<COMMAND_BITS>>,
    /// Ring cycles of the last token.
    pub cycles: Signal<In, Bits<CYCLES_BITS>>,
    /// Cycles it waited at its target.
    pub waited: Signal<In, Bits<WAITED_BITS>>,
    /// Its tag.
    pub tag: Signal<In, Bits<TAG_BITS>>,
    /// It is home.
    pub done: Signal<In, Bit>,
    /// It is lost.
    pub lost: Signal<In, Bit>,
    /// Events of the counters in their order, up to 128 in a clock.
    pub events: [Signal<In, Bits<RING_EVENT_BITS>>; RING_COUNTERS],
    counters: PageCounters<RING_COUNTERS, 12, RING_EVENT_BITS>,
    ring_config: Register<Bits<64>>,
    token: Register<Bits<64>>,
    step_1: DFF<Bit>,
    step_2: DFF<Bit>,
    is_word: DFF<Bits<REGISTERS>>,
    is_counter: DFF<Bit>,
    zeroes: DFF<Bit>,
    sends: DFF<Bit>,
    answered: DFF<Bit>,
    value: DFF<Bits<64>>,
    writes: Signal<Local, Bit>,
    matches: Signal<Local, Bits<REGISTERS>>,
    parts: [Signal<Local, Bits<64>>; REGISTERS],
    part: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
    words: [Constant<Bits<WORD_BITS>>; REGISTERS],
    config_mask: Constant<Bits<64>>,
    token_mask: Constant<Bits<64>>,
    nothing: Constant<Bits<64>>,
}

impl TimeRingPage {
    /// With this RPER (6.20 ns) and own stop at power-on, and counters at `started`: 0 but in tests of what happens at
    /// the end.
    pub fn new(rper: u64, own_stop: u64, started: Option<u32>) -> Result<Self, ConfigError> {
        check_range("time_ring_page", "rper", rper, 1, (1 << PERIOD_BITS) - 1)?;
        check_range("time_ring_page", "own_stop", own_stop, 0, 63)?;
        let config = own_stop << ring_cfg::stop::LOW | rper << ring_cfg::rper::LOW;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            request: Default::default(),
            word: Default::default(),
            write: Default::default(),
            data: Default::default(),
            answer: Default::default(),
            own_stop: Default::default(),
            rper: Default::default(),
            command: Default::default(),
            cycles: Default::default(),
            waited: Default::default(),
            tag: Default::default(),
            done: Default::default(),
            lost: Default::default(),
            events: Default::default(),
            counters: PageCounters::new(0, started)?,
            ring_config: Register::new(config.into()),
            token: Default::default(),
            step_1: Default::default(),
            step_2: Default::default(),
            is_word: Default::default(),
            is_counter: Default::default(),
            zeroes: Default::default(),
            sends: Default::default(),
            answered: Default::default(),
            value: Default::default(),
            writes: Default::default(),
            matches: Default::default(),
            parts: Default::default(),
            part: Default::default(),
            sum: Default::default(),
            words: std::array::from_fn(|index| Constant::new((index as u64).into())),
            config_mask: Constant::new(kept_mask(page::RING_CFG).into()),
            token_mask: Constant::new(kept_mask(page::TOKEN_CMD).into()),
            nothing: Constant::new(0.into()),
        })
    }
}

impl Logic for TimeRingPage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step_1, step_2, is_word, is_counter, zeroes, sends, answered, value);
        clock!(self, clock, counters, ring_config, token);

        // Which register it is, one clock behind the request.
        self.step_1.d.next = self.request.val() & !self.clear.val();
        self.step_2.d.next = self.step_1.q.val() & !self.clear.val();
        self.matches.next = 0.into();
        for i in 0..3 {
            self.matches.next = self.matches.val().replace_bit(i, self.word.val() == self.words[i].val());
        }
        self.is_word.d.next = self.matches.val();
        self.is_counter.d.next = self.word.val().get_bit(4);
        self.zeroes.d.next = self.write.val() & !self.data.val().any();

        // A write, one clock behind the request.
        self.writes.next = self.step_1.q.val() & self.write.val();
        self.ring_config.clear.next = false;
        self.ring_config.enable.next = self.writes.val() & self.is_word.q.val().get_bit(0);
        self.ring_config.d.next = self.data.val() & self.config_mask.val();
        self.token.clear.next = false;
        self.token.enable.next = self.writes.val() & self.is_word.q.val().get_bit(1);
        self.token.d.next = self.data.val() & self.token_mask.val();
        self.sends.d.next = self.writes.val() & self.is_word.q.val().get_bit(1) & self.data.val().get_bit(17);

        // A read, two clocks behind the request.
        self.parts[0].next = self.ring_config.q.val();
        self.parts[1].next = self.token.q.val();
        self.parts[2].next = (bit_cast::<64, CYCLES_BITS>(self.cycles.val())
            | (bit_cast::<64, WAITED_BITS>(self.waited.val()) << 16)
            | (bit_cast::<64, TAG_BITS>(self.tag.val()) << 24))
            .replace_bit(32, self.done.val())
            .replace_bit(33, self.lost.val());
        self.sum.next = self.nothing.val();
        for i in 0..3 {
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

        // Counters.
        self.counters.clear.next = self.clear.val();
        self.counters.request.next = self.step_1.q.val() & self.is_counter.q.val();
        self.counters.place.next = self.word.val().get_bits::<PLACE_BITS>(0);
        self.counters.zero.next = self.zeroes.q.val();
        for i in 0..5 {
            self.counters.events[i].next = self.events[i].val();
        }

        // What follows from the registers.
        self.own_stop.next = self.ring_config.q.val().get_bits::<6>(0);
        self.rper.next = self.ring_config.q.val().get_bits::<PERIOD_BITS>(32);
        self.command.valid.next = self.sends.q.val();
        self.command.data.next = bit_cast::<COMMAND_BITS, 6>(self.token.q.val().get_bits::<6>(0))
            | (bit_cast::<COMMAND_BITS, 6>(self.token.q.val().get_bits::<6>(8)) << 6)
            | (bit_cast::<COMMAND_BITS, 1>(self.token.q.val().get_bits::<1>(16)) << 12)
            | (bit_cast::<COMMAND_BITS, TAG_BITS>(self.token.q.val().get_bits::<TAG_BITS>(24)) << 13);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let config = self.ring_config.q.val();
        block_label(
            "time_ring_page",
            &[
                ("rper", config.get_bits::<PERIOD_BITS>(ring_cfg::rper::LOW).index().to_string()),
                ("own_stop", config.get_bits::<6>(ring_cfg::stop::LOW).index().to_string()),
            ],
        )
    }
}

drive_ports!(impl[] TimeRingPage {
    clock, clear, request, word, write, data, answer, own_stop, rper, command, cycles, waited, tag, done, lost, events,
});

const _: () = assert!(ring_cfg::rper::LOW == 32 && page::token_cmd::go::LOW == 17);
const _: () = assert!(token_command::ring::LOW == 12 && token_command::tag::LOW == 13);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_ring_page",
    chapter: "20-time",
    summary: "registers and counters of a switch's rings",
    parameters: &[
        ParameterInfo {
            name: "rper",
            default: INC_NOM_DEFAULT >> (INC_BITS - PERIOD_BITS),
            allowed: Allowed::Range(1, (1 << PERIOD_BITS) - 1),
            doc: "RPER at power-on, 2^-20 ns per ring clock; the default is 156.25 MHz",
        },
        ParameterInfo {
            name: "own_stop",
            default: 0,
            allowed: Allowed::Range(0, 63),
            doc: "the switch's own clock stop",
        },
    ],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        let interface = InterfaceInfo::clocked(
            &[("answer", FlowSource), ("command", FlowSource)],
            Some(3),
            "request to answer",
        );
        Ok(BuiltBlock::new(
            TimeRingPage::new(settings.get("rper")?, settings.get("own_stop")?, Some(0))?,
            interface,
        ))
    },
};
