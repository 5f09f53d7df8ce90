//! The device part of a switch that has no time of its own.

use crate::config::ConfigError;
use crate::prim::stream::FlowIn;
use crate::prim::Register;
use crate::time::page::{PageBus, TimePageConfig, PAGE_WORD_BITS, PORT_BITS, WORD_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers as page;
use flitforge_protocol::time_servo::INC_BITS;

/// Registers that are there.
const WORDS: usize = 6;
/// Their offsets: what `update` names by number.
const OFFSETS: [u32; WORDS] =
    [page::TIME_ID, page::INC_NOM, page::EVENT, page::EVENT_MASK, page::PORT_SEL, REFUSED];
/// Offset of the counter REFUSED: behind GEN_LOW, GEN_HIGH, STEPS and CLAMPS.
const REFUSED: u32 = page::CORE_COUNTERS.offset + 4 * BYTES;

/// Register bus, TIME_ID, INC_NOM, EVENT, EVENT_MASK, PORT_SEL and the counter REFUSED; every other register of the device reads 0
/// (chapter 20, 5).
///
/// - `ack` 6 clocks behind a request, 4 behind that of `time_page` for a counter; windows as at `time_page`.
/// - INC_NOM takes every value. REFUSED stops at 2^32 - 1; an event in the clock in which it is set to 0 counts.
/// - Outputs are registers, or parts of them; `rdata` is a gate behind them.
/// - `clear` keeps configuration, events and the counter. A request of that clock is not taken; one on its way gets no `ack`.
#[derive(LogicBlock)]
pub struct SwitchPage {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Register bus: word of the page.
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// Register bus: value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Register bus: asks for a write.
    pub we: Signal<In, Bit>,
    /// Register bus: asks for a read.
    pub re: Signal<In, Bit>,
    /// Register bus: with `ack` of a read, the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// Register bus: the request is done.
    pub ack: Signal<Out, Bit>,
    /// Some event of EVENT_MASK has happened.
    pub interrupt: Signal<Out, Bit>,
    /// Windows: word of the window, see [`TimePage`](crate::time::page::TimePage).
    pub word: Signal<Out, Bits<WORD_BITS>>,
    /// Windows: value of a write.
    pub data: Signal<Out, Bits<64>>,
    /// Windows: it is a write.
    pub write: Signal<Out, Bit>,
    /// Windows: a request for the rings.
    pub to_ring: Signal<Out, Bit>,
    /// Windows: a request for the port `port`.
    pub to_port: Signal<Out, Bit>,
    /// PORT_SEL.
    pub port: Signal<Out, Bits<PORT_BITS>>,
    /// Answer of the rings' window, 0 but with `valid`.
    pub ring_answer: FlowIn<Bits<64>>,
    /// Answers of the ports' windows, 0 but with `valid`.
    pub port_answer: FlowIn<Bits<64>>,
    /// Event: a port refused a write.
    pub port_refused: Signal<In, Bit>,
    /// Event: the link of a port has changed.
    pub epoch_changed: Signal<In, Bit>,
    /// Event: a link delay measurement ended.
    pub ldm_done: Signal<In, Bit>,
    /// INC_NOM, 2^-32 ns per clock.
    pub inc_nom: Signal<Out, Bits<INC_BITS>>,
    bus: PageBus,
    nominal: Register<Bits<INC_BITS>>,
    mask: Register<Bits<8>>,
    chosen: Register<Bits<PORT_BITS>>,
    event_bits: DFF<Bits<8>>,
    interrupts: DFF<Bit>,
    refusals: DFF<Bits<32>>,
    step_1: DFF<Bit>,
    step_2: DFF<Bit>,
    is_word: DFF<Bits<WORDS>>,
    zeroes: DFF<Bit>,
    answered: DFF<Bit>,
    value: DFF<Bits<64>>,
    matches: Signal<Local, Bits<WORDS>>,
    page_word: Signal<Local, Bits<PAGE_WORD_BITS>>,
    given: Signal<Local, Bits<64>>,
    writing: Signal<Local, Bit>,
    written: Signal<Local, Bits<WORDS>>,
    cleared: Signal<Local, Bits<8>>,
    happened: Signal<Local, Bits<8>>,
    counted: Signal<Local, Bits<32>>,
    parts: [Signal<Local, Bits<64>>; WORDS],
    part: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
    words: [Constant<Bits<PAGE_WORD_BITS>>; WORDS],
    time_id: Constant<Bits<64>>,
    nothing: Constant<Bits<64>>,
    one: Constant<Bits<32>>,
    _config: TimePageConfig,
}

impl SwitchPage {
    /// With the windows of `config`, whose trees do not count: there is none.
    pub fn new(config: &TimePageConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let config = TimePageConfig { trees: 0, ..config.clone() };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            interrupt: Default::default(),
            word: Default::default(),
            data: Default::default(),
            write: Default::default(),
            to_ring: Default::default(),
            to_port: Default::default(),
            port: Default::default(),
            ring_answer: Default::default(),
            port_answer: Default::default(),
            port_refused: Default::default(),
            epoch_changed: Default::default(),
            ldm_done: Default::default(),
            inc_nom: Default::default(),
            bus: PageBus::new(&config),
            nominal: Register::new(config.inc_nom.into()),
            mask: Register::default(),
            chosen: Register::default(),
            event_bits: Default::default(),
            interrupts: Default::default(),
            refusals: Default::default(),
            step_1: Default::default(),
            step_2: Default::default(),
            is_word: Default::default(),
            zeroes: Default::default(),
            answered: Default::default(),
            value: Default::default(),
            matches: Default::default(),
            page_word: Default::default(),
            given: Default::default(),
            writing: Default::default(),
            written: Default::default(),
            cleared: Default::default(),
            happened: Default::default(),
            counted: Default::default(),
            parts: Default::default(),
            part: Default::default(),
            sum: Default::default(),
            words: OFFSETS.map(|offset| Constant::new(u64::from(offset / BYTES).into())),
            time_id: Constant::new(config.reset(page::TIME_ID).into()),
            nothing: Constant::new(0.into()),
            one: Constant::new(1.into()),
            _config: config,
        })
    }
}

impl Logic for SwitchPage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, event_bits, interrupts, refusals, step_1, step_2, is_word, zeroes, answered, value
        );
        clock!(self, clock, bus, nominal, mask, chosen);

        // The bus.
        self.bus.clear.next = self.clear.val();
        self.bus.addr.next = self.addr.val();
        self.bus.wdata.next = self.wdata.val();
        self.bus.we.next = self.we.val();
        self.bus.re.next = self.re.val();
        self.rdata.next = self.bus.rdata.val();
        self.ack.next = self.bus.ack.val();
        self.bus.port.next = self.chosen.q.val();
        self.bus.answered.next =
            self.answered.q.val() | self.ring_answer.valid.val() | self.port_answer.valid.val();
        self.bus.value.next = self.value.q.val() | self.ring_answer.data.val() | self.port_answer.data.val();
        self.page_word.next = self.bus.word.val();
        self.given.next = self.bus.data.val();
        self.writing.next = self.bus.write.val();
        self.word.next = self.page_word.val().get_bits::<WORD_BITS>(0);
        self.data.next = self.given.val();
        self.write.next = self.writing.val();
        self.to_ring.next = self.bus.to_ring.val();
        self.to_port.next = self.bus.to_port.val();
        self.port.next = self.chosen.q.val();

        // Which register it is, two clocks behind the request.
        self.step_1.d.next = self.bus.to_device.val() & !self.clear.val();
        self.step_2.d.next = self.step_1.q.val() & !self.clear.val();
        self.matches.next = 0.into();
        for i in 0..6 {
            self.matches.next =
                self.matches.val().replace_bit(i, self.page_word.val() == self.words[i].val());
        }
        self.is_word.d.next = self.matches.val();
        self.zeroes.d.next = !self.given.val().any();

        // A write, three clocks behind the request.
        self.written.next = 0.into();
        if self.step_1.q.val() & self.writing.val() {
            self.written.next = self.is_word.q.val();
        }
        self.nominal.clear.next = false;
        self.nominal.enable.next = self.written.val().get_bit(1);
        self.nominal.d.next = self.given.val().get_bits::<INC_BITS>(0);
        self.mask.clear.next = false;
        self.mask.enable.next = self.written.val().get_bit(3);
        self.mask.d.next = self.given.val().get_bits::<8>(0);
        self.chosen.clear.next = false;
        self.chosen.enable.next = self.written.val().get_bit(4);
        self.chosen.d.next = self.given.val().get_bits::<PORT_BITS>(0);
        self.inc_nom.next = self.nominal.q.val();
        self.cleared.next = 0.into();
        if self.written.val().get_bit(2) {
            self.cleared.next = self.given.val().get_bits::<8>(0);
        }
        self.happened.next = 0.into();
        self.happened.next =
            self.happened.val().replace_bit(6, self.epoch_changed.val()).replace_bit(7, self.ldm_done.val());
        self.event_bits.d.next = (self.event_bits.q.val() & !self.cleared.val()) | self.happened.val();
        self.interrupts.d.next = (self.event_bits.q.val() & self.mask.q.val()).any();
        self.interrupt.next = self.interrupts.q.val();
        self.counted.next = self.refusals.q.val();
        if self.written.val().get_bit(5) & self.zeroes.q.val() {
            self.counted.next = 0.into();
        }
        self.refusals.d.next = self.counted.val();
        if self.port_refused.val() & !self.counted.val().all() {
            self.refusals.d.next = self.counted.val() + self.one.val();
        }

        // A read, four clocks behind the request.
        self.parts[0].next = self.time_id.val();
        self.parts[1].next = bit_cast::<64, INC_BITS>(self.nominal.q.val());
        self.parts[2].next = bit_cast::<64, 8>(self.event_bits.q.val());
        self.parts[3].next = bit_cast::<64, 8>(self.mask.q.val());
        self.parts[4].next = bit_cast::<64, PORT_BITS>(self.chosen.q.val());
        self.parts[5].next = bit_cast::<64, 32>(self.refusals.q.val());
        self.sum.next = self.nothing.val();
        for i in 0..6 {
            self.part.next = self.nothing.val();
            if self.is_word.q.val().get_bit(i) {
                self.part.next = self.parts[i].val();
            }
            self.sum.next = self.sum.val() | self.part.val();
        }
        self.value.d.next = self.nothing.val();
        if self.step_2.q.val() & !self.writing.val() & !self.clear.val() {
            self.value.d.next = self.sum.val();
        }
        self.answered.d.next = self.step_2.q.val() & !self.clear.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let built = &self._config;
        block_label(
            "switch_page",
            &[
                ("inc_nom", format!("0x{:x}", built.inc_nom)),
                ("ports", built.ports.to_string()),
                ("stops", built.stops.to_string()),
                ("phase", built.phase_source.to_string()),
            ],
        )
    }
}

drive_ports!(impl[] SwitchPage {
    clock, clear, addr, wdata, we, re, rdata, ack, interrupt, word, data, write, to_ring, to_port, port, ring_answer, port_answer, port_refused, epoch_changed, ldm_done, inc_nom,
});

const _: () = assert!(page::event::epoch::LOW == 6 && page::event::ldm_done::LOW == 7);
