//! The device part of a switch that has no time of its own.

use crate::page::{PageBus, TimePageConfig, PAGE_WORD_BITS, PORT_BITS, WORD_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers as page;
use flitforge_protocol::time_servo::INC_BITS;

/// Registers that are there.
const WORDS: usize = 6;
/// Their offsets: what `update` names by number.
const OFFSETS: [u32; WORDS] =
    [page::TIME_ID, page::INC_NOM, page::EVENT, page::EVENT_MASK, page::PORT_SEL, REFUSED];
/// Offset of the counter REFUSED: after GEN_LOW, GEN_HIGH, STEPS and CLAMPS.
const REFUSED: u32 = page::CORE_COUNTERS.offset + 4 * BYTES;

/// Register bus, TIME_ID, INC_NOM, EVENT, EVENT_MASK, PORT_SEL and the counter REFUSED; every other register of the device reads 0
/// (chapter 20, 5).
///
/// - `ack` 6 clocks after a request, 4 after that of `time_page` for a counter; windows as at `time_page`.
/// - INC_NOM takes every value. REFUSED stops at 2^32 - 1; an event in the clock in which it is set to 0 counts.
/// - Outputs are registers, or parts of them; `rdata` is a gate after them.
/// - `clear` keeps configuration, events and the counter. A request of that clock is not taken; one on its way gets no `ack`.
#[block(new)]
pub struct SwitchPage {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register bus: word of the page.
    addr: In<Bits<PAGE_WORD_BITS>>,
    /// Register bus: value of a write.
    wdata: In<Bits<64>>,
    /// Register bus: asks for a write.
    we: In<Bit>,
    /// Register bus: asks for a read.
    re: In<Bit>,
    /// Register bus: with `ack` of a read, the value.
    rdata: Out<Bits<64>>,
    /// Register bus: the request is done.
    ack: Out<Bit>,
    /// Some event of EVENT_MASK has happened.
    interrupt: Out<Bit>,
    /// Windows: word of the window, see [`TimePage`](crate::page::TimePage).
    word: Out<Bits<WORD_BITS>>,
    /// Windows: value of a write.
    data: Out<Bits<64>>,
    /// Windows: it is a write.
    write: Out<Bit>,
    /// Windows: a request for the rings.
    to_ring: Out<Bit>,
    /// Windows: a request for the port `port`.
    to_port: Out<Bit>,
    /// PORT_SEL.
    port: Out<Bits<PORT_BITS>>,
    /// Answer of the rings' window, 0 but with `valid`.
    pub ring_answer: FlowIn<Bits<64>>,
    /// Answers of the ports' windows, 0 but with `valid`.
    pub port_answer: FlowIn<Bits<64>>,
    /// Event: a port refused a write.
    port_refused: In<Bit>,
    /// Event: the link of a port has changed.
    epoch_changed: In<Bit>,
    /// Event: a link delay measurement ended.
    ldm_done: In<Bit>,
    /// INC_NOM, 2^-32 ns per clock.
    inc_nom: Out<Bits<INC_BITS>>,
    #[wire(clock, clear)]
    bus: PageBus,
    #[wire(clear = false)]
    nominal: Register<Bits<INC_BITS>>,
    #[wire(clear = false)]
    mask: Register<Bits<8>>,
    #[wire(clear = false)]
    chosen: Register<Bits<PORT_BITS>>,
    event_bits: Reg<Bits<8>>,
    interrupts: Reg<Bit>,
    refusals: Reg<Bits<32>>,
    step_1: Reg<Bit>,
    step_2: Reg<Bit>,
    is_word: Reg<Bits<WORDS>>,
    zeroes: Reg<Bit>,
    answered: Reg<Bit>,
    value: Reg<Bits<64>>,
    matches: Local<Bits<WORDS>>,
    page_word: Local<Bits<PAGE_WORD_BITS>>,
    given: Local<Bits<64>>,
    writing: Local<Bit>,
    written: Local<Bits<WORDS>>,
    cleared: Local<Bits<8>>,
    happened: Local<Bits<8>>,
    counted: Local<Bits<32>>,
    parts: [Local<Bits<64>>; WORDS],
    part: Local<Bits<64>>,
    words: [Constant<Bits<PAGE_WORD_BITS>>; WORDS],
    time_id: Constant<Bits<64>>,
    #[init(0)]
    nothing: Constant<Bits<64>>,
    #[init(1)]
    one: Constant<Bits<32>>,
    _config: TimePageConfig,
}

#[logic]
impl SwitchPage {
    /// With the windows of `config`, whose trees do not count: there is none.
    pub fn new(config: &TimePageConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let config = TimePageConfig { trees: 0, ..config.clone() };
        Ok(Self {
            bus: PageBus::new(&config),
            nominal: Register::new(config.inc_nom.into()),
            words: OFFSETS.map(|offset| Constant::new(u64::from(offset / BYTES).into())),
            time_id: Constant::new(config.reset(page::TIME_ID).into()),
            _config: config,
            ..
        })
    }

    fn update(&mut self) {
        // The bus.
        bus.bus = In { request: we | re, address: addr, write: we, wdata };
        Out { rdata, ack } = bus.bus;
        bus = In { port: chosen, answered: answered | ring_answer.valid | port_answer.valid };
        bus.value = value | ring_answer.data | port_answer.data;
        Out { word: page_word, data: given, write: writing } = bus;
        word = page_word.bits::<WORD_BITS>(0);
        data = given;
        write = writing;
        Out { to_ring, to_port } = bus;
        port = chosen;

        // Which register it is, two clocks after the request.
        step_1 = bus.to_device & !clear;
        step_2 = step_1 & !clear;
        matches = 0;
        for i in 0..6 {
            matches = matches.with(i, page_word == words[i]);
        }
        is_word = matches;
        zeroes = !given.any();

        // A write, three clocks after the request.
        written = 0;
        if step_1 & writing {
            written = is_word;
        }
        nominal.enable = written[1];
        nominal = given.bits::<INC_BITS>(0);
        mask.enable = written[3];
        mask = given.bits::<8>(0);
        chosen.enable = written[4];
        chosen = given.bits::<PORT_BITS>(0);
        inc_nom = nominal;
        cleared = 0;
        if written[2] {
            cleared = given.bits::<8>(0);
        }
        happened = 0;
        happened = happened.with(6, epoch_changed).with(7, ldm_done);
        event_bits = (event_bits & !cleared) | happened;
        interrupts = (event_bits & mask).any();
        interrupt = interrupts;
        counted = refusals;
        if written[5] & zeroes {
            counted = 0;
        }
        refusals = counted;
        if port_refused & !counted.all() {
            refusals = counted + one;
        }

        // A read, four clocks after the request.
        parts[0] = time_id;
        parts[1] = bit_cast::<64, INC_BITS>(nominal);
        parts[2] = bit_cast::<64, 8>(event_bits);
        parts[3] = bit_cast::<64, 8>(mask);
        parts[4] = bit_cast::<64, PORT_BITS>(chosen);
        parts[5] = bit_cast::<64, 32>(refusals);
        let mut sum = nothing;
        for i in 0..6 {
            part = nothing;
            if is_word[i] {
                part = parts[i];
            }
            sum = sum | part;
        }
        value = nothing;
        if step_2 & !writing & !clear {
            value = sum;
        }
        answered = step_2 & !clear;
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

const _: () = assert!(page::event::epoch::LOW == 6 && page::event::ldm_done::LOW == 7);
