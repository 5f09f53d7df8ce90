//! A switch's ports, rings and registers, wired.

use super::entry::INSERT_BITS;
use super::page::SwitchPage;
use super::port::SwitchPort;
use super::TimeSwitchConfig;
use crate::config::ConfigError;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::time::page::{TimeRingPage, PAGE_WORD_BITS, PORT_BITS, RING_EVENT_BITS, WORD_BITS};
use crate::time::port::FILL_BITS;
use crate::time::ring::VALUE_BITS;
use crate::time::token::{TokenRing4, COMMAND_BITS};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};
use rust_hdl::prelude::*;
use std::array;

macro_rules! time_switch {
    ($name:ident, $rings:ident, $stops:literal, $events:literal) => {
        /// `PORTS` ports of `F` flits per beat, `FLITS_W` = 65 F, at rings of this many stops; `BEAT` and `PHY` as PHASE_SRC says. Arrays
        /// have an element for each port. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<
            const PORTS: usize,
            const F: usize,
            const FLITS_W: usize,
            const BEAT: usize,
            const PHY: usize,
        > {
            /// Core clock; the rings' clock is the same.
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
            /// Word clock sent with: BEAT.
            pub tx_clock: [Signal<In, Clock>; PORTS],
            /// Word clock received with: BEAT.
            pub rx_clock: [Signal<In, Clock>; PORTS],
            /// Fraction of a word sent, 1/256: PHY.
            pub tx_phase: [FlowIn<Bits<8>>; PORTS],
            /// Fraction of a word received, 1/256: PHY.
            pub rx_phase: [FlowIn<Bits<8>>; PORTS],
            /// Words in the PHY's FIFO of the first lane, sender.
            pub tx_fill: [Signal<In, Bits<FILL_BITS>>; PORTS],
            /// Words in the PHY's FIFO of the first lane, receiver.
            pub rx_fill: [Signal<In, Bits<FILL_BITS>>; PORTS],
            /// State of the link, as STATUS has it.
            pub state: [Signal<In, Bits<3>>; PORTS],
            /// CRC mode sent in.
            pub tx_mode: [Signal<In, Bits<2>>; PORTS],
            /// Lanes sent on.
            pub tx_lanes: [Signal<In, Bits<4>>; PORTS],
            /// Lanes received on.
            pub rx_lanes: [Signal<In, Bits<4>>; PORTS],
            /// L - 1 sent on.
            pub tx_last_lane: [Signal<In, Bits<2>>; PORTS],
            /// No beat goes to the lanes.
            pub tx_idle: [Signal<In, Bit>; PORTS],
            /// Position of the beat that X takes in this clock.
            pub tx_position: [Signal<In, Bits<POSITION_BITS>>; PORTS],
            /// Words sent.
            pub tx_words: [Signal<In, Bits<WORD_COUNT_BITS>>; PORTS],
            /// Position of the beat on `spc_out`.
            pub rx_position: [Signal<In, Bits<POSITION_BITS>>; PORTS],
            /// Words received.
            pub rx_words: [Signal<In, Bits<WORD_COUNT_BITS>>; PORTS],
            /// Special flits received.
            pub spc_out: [FlowIn<Bits<FLITS_W>>; PORTS],
            /// `tx_open` of the link.
            pub tx_open: [Signal<In, Bit>; PORTS],
            /// Beats of time flits, for `time_in` of the link.
            pub time_in: [StreamOut<Bits<FLITS_W>>; PORTS],
            /// What becomes of `time_in` while `tx_open` is low, for the link.
            pub time_mode: [Signal<Out, Bit>; PORTS],

            page: SwitchPage,
            ring_page: TimeRingPage,
            ports: Vec<SwitchPort<F, FLITS_W, BEAT, PHY>>,
            rings: $rings<VALUE_BITS, INSERT_BITS>,
            busy: DFF<Bits<$events>>,
            busy_before: DFF<Bits<$events>>,
            asks: Signal<Local, Bit>,
            selected: Signal<Local, Bits<PORT_BITS>>,
            word: Signal<Local, Bits<WORD_BITS>>,
            data: Signal<Local, Bits<64>>,
            write: Signal<Local, Bit>,
            answers: Signal<Local, Bit>,
            answer: Signal<Local, Bits<64>>,
            refused: Signal<Local, Bit>,
            changed: Signal<Local, Bit>,
            finished: Signal<Local, Bit>,
            waits: Signal<Local, Bits<$events>>,
            overs: Signal<Local, Bits<$events>>,
            begun: Signal<Local, Bits<$events>>,
            drops: Signal<Local, Bits<4>>,
            odd: Signal<Local, Bits<2>>,
            busy_count: Signal<Local, Bits<RING_EVENT_BITS>>,
            over_count: Signal<Local, Bits<RING_EVENT_BITS>>,
            parity_count: Signal<Local, Bits<RING_EVENT_BITS>>,
            one: Signal<Local, Bits<1>>,
            period: Signal<Local, Bits<PERIOD_BITS>>,
            increment: Signal<Local, Bits<INC_BITS>>,
            number: [Constant<Bits<PORT_BITS>>; PORTS],
            nothing: Constant<Bits<INSERT_BITS>>,
        }

        impl<
                const PORTS: usize,
                const F: usize,
                const FLITS_W: usize,
                const BEAT: usize,
                const PHY: usize,
            > $name<PORTS, F, FLITS_W, BEAT, PHY>
        {
            /// As `config` says, or the reason why not.
            pub fn new(config: &TimeSwitchConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type(PORTS, $stops)?;
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
                    tx_clock: array::from_fn(|_| Default::default()),
                    rx_clock: array::from_fn(|_| Default::default()),
                    tx_phase: array::from_fn(|_| Default::default()),
                    rx_phase: array::from_fn(|_| Default::default()),
                    tx_fill: array::from_fn(|_| Default::default()),
                    rx_fill: array::from_fn(|_| Default::default()),
                    state: array::from_fn(|_| Default::default()),
                    tx_mode: array::from_fn(|_| Default::default()),
                    tx_lanes: array::from_fn(|_| Default::default()),
                    rx_lanes: array::from_fn(|_| Default::default()),
                    tx_last_lane: array::from_fn(|_| Default::default()),
                    tx_idle: array::from_fn(|_| Default::default()),
                    tx_position: array::from_fn(|_| Default::default()),
                    tx_words: array::from_fn(|_| Default::default()),
                    rx_position: array::from_fn(|_| Default::default()),
                    rx_words: array::from_fn(|_| Default::default()),
                    spc_out: array::from_fn(|_| Default::default()),
                    tx_open: array::from_fn(|_| Default::default()),
                    time_in: array::from_fn(|_| Default::default()),
                    time_mode: array::from_fn(|_| Default::default()),
                    page: SwitchPage::new(&config.page())?,
                    ring_page: TimeRingPage::new(config.rper(), 0, 0)?,
                    ports: (0..PORTS).map(|_| SwitchPort::new(&config.port)).collect::<Result<_, _>>()?,
                    rings: $rings::new(config.rings())?,
                    busy: Default::default(),
                    busy_before: Default::default(),
                    asks: Default::default(),
                    selected: Default::default(),
                    word: Default::default(),
                    data: Default::default(),
                    write: Default::default(),
                    answers: Default::default(),
                    answer: Default::default(),
                    refused: Default::default(),
                    changed: Default::default(),
                    finished: Default::default(),
                    waits: Default::default(),
                    overs: Default::default(),
                    begun: Default::default(),
                    drops: Default::default(),
                    odd: Default::default(),
                    busy_count: Default::default(),
                    over_count: Default::default(),
                    parity_count: Default::default(),
                    one: Default::default(),
                    period: Default::default(),
                    increment: Default::default(),
                    number: array::from_fn(|port| Constant::new((port as u64).into())),
                    nothing: Constant::new(0.into()),
                })
            }
        }

        impl<
                const PORTS: usize,
                const F: usize,
                const FLITS_W: usize,
                const BEAT: usize,
                const PHY: usize,
            > Logic for $name<PORTS, F, FLITS_W, BEAT, PHY>
        {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, busy, busy_before);
                clock!(self, clock, page, ring_page, rings);
                self.page.clear.next = self.clear.val();
                self.ring_page.clear.next = self.clear.val();
                self.rings.clear.next = self.clear.val();

                // Registers.
                self.page.addr.next = self.addr.val();
                self.page.wdata.next = self.wdata.val();
                self.page.we.next = self.we.val();
                self.page.re.next = self.re.val();
                self.rdata.next = self.page.rdata.val();
                self.ack.next = self.page.ack.val();
                self.interrupt.next = self.page.interrupt.val();
                self.asks.next = self.page.to_port.val();
                self.selected.next = self.page.port.val();
                self.word.next = self.page.word.val();
                self.data.next = self.page.data.val();
                self.write.next = self.page.write.val();
                self.ring_page.request.next = self.page.to_ring.val();
                self.ring_page.word.next = self.word.val();
                self.ring_page.write.next = self.write.val();
                self.ring_page.data.next = self.data.val();
                FlowOut::<Bits<64>>::join(&mut self.ring_page.answer, &mut self.page.ring_answer);
                self.increment.next = self.page.inc_nom.val();
                self.period.next = self.increment.val().get_bits::<PERIOD_BITS>(12);

                // Ports.
                self.answers.next = false;
                self.answer.next = 0.into();
                self.refused.next = false;
                self.changed.next = false;
                self.finished.next = false;
                self.over_count.next = 0.into();
                self.parity_count.next = 0.into();
                for i in 0..PORTS {
                    self.ports[i].clock.next = self.clock.val();
                    self.ports[i].clear.next = self.clear.val();
                    self.ports[i].tx_clock.next = self.tx_clock[i].val();
                    self.ports[i].rx_clock.next = self.rx_clock[i].val();
                    FlowIn::<Bits<8>>::link(&mut self.tx_phase[i], &mut self.ports[i].tx_phase);
                    FlowIn::<Bits<8>>::link(&mut self.rx_phase[i], &mut self.ports[i].rx_phase);
                    self.ports[i].tx_fill.next = self.tx_fill[i].val();
                    self.ports[i].rx_fill.next = self.rx_fill[i].val();
                    self.ports[i].state.next = self.state[i].val();
                    self.ports[i].tx_mode.next = self.tx_mode[i].val();
                    self.ports[i].tx_lanes.next = self.tx_lanes[i].val();
                    self.ports[i].rx_lanes.next = self.rx_lanes[i].val();
                    self.ports[i].tx_last_lane.next = self.tx_last_lane[i].val();
                    self.ports[i].tx_idle.next = self.tx_idle[i].val();
                    self.ports[i].tx_position.next = self.tx_position[i].val();
                    self.ports[i].tx_words.next = self.tx_words[i].val();
                    self.ports[i].rx_position.next = self.rx_position[i].val();
                    self.ports[i].rx_words.next = self.rx_words[i].val();
                    FlowIn::<Bits<FLITS_W>>::link(&mut self.spc_out[i], &mut self.ports[i].spc_out);
                    self.ports[i].tx_open.next = self.tx_open[i].val();
                    StreamOut::<Bits<FLITS_W>>::link(&mut self.time_in[i], &mut self.ports[i].time_in);
                    self.time_mode[i].next = self.ports[i].time_mode.val();
                    self.ports[i].request.next =
                        self.asks.val() & (self.selected.val() == self.number[i].val());
                    self.ports[i].word.next = self.word.val();
                    self.ports[i].write.next = self.write.val();
                    self.ports[i].data.next = self.data.val();
                    self.answers.next = self.answers.val() | self.ports[i].answer.valid.val();
                    self.answer.next = self.answer.val() | self.ports[i].answer.data.val();
                    self.refused.next = self.refused.val() | self.ports[i].refused.val();
                    self.changed.next = self.changed.val() | self.ports[i].changed.val();
                    self.finished.next = self.finished.val() | self.ports[i].finished.val();
                    self.ports[i].locked.next = false;
                    self.ports[i].inc_f.next = self.increment.val();
                    self.ports[i].wper.next = self.period.val();
                    self.ports[i].rper.next = self.ring_page.rper.val();

                    self.rings.insert_cw[i].valid.next = self.ports[i].insert[0].valid.val();
                    self.rings.insert_cw[i].data.next = self.ports[i].insert[0].data.val();
                    self.ports[i].insert[0].ready.next = self.rings.insert_cw[i].ready.val();
                    self.rings.insert_ccw[i].valid.next = self.ports[i].insert[1].valid.val();
                    self.rings.insert_ccw[i].data.next = self.ports[i].insert[1].data.val();
                    self.ports[i].insert[1].ready.next = self.rings.insert_ccw[i].ready.val();
                    self.rings.trees_cw[i].next = self.ports[i].trees[0].val();
                    self.rings.trees_ccw[i].next = self.ports[i].trees[1].val();
                    self.ports[i].copy[0].valid.next = self.rings.copy_cw[i].valid.val();
                    self.ports[i].copy[0].data.next = self.rings.copy_cw[i].data.val();
                    self.ports[i].copy_control[0].next = self.rings.control_cw[i].val();
                    self.ports[i].copy[1].valid.next = self.rings.copy_ccw[i].valid.val();
                    self.ports[i].copy[1].data.next = self.rings.copy_ccw[i].data.val();
                    self.ports[i].copy_control[1].next = self.rings.control_ccw[i].val();

                    self.drops.next = self.ports[i].dropped.val();
                    self.over_count.next = self.over_count.val()
                        + bit_cast::<RING_EVENT_BITS, 1>(self.drops.val().get_bits::<1>(0))
                        + bit_cast::<RING_EVENT_BITS, 1>(self.drops.val().get_bits::<1>(1))
                        + bit_cast::<RING_EVENT_BITS, 1>(self.drops.val().get_bits::<1>(2))
                        + bit_cast::<RING_EVENT_BITS, 1>(self.drops.val().get_bits::<1>(3));
                    self.odd.next = self.ports[i].ring_parity.val();
                    self.parity_count.next = self.parity_count.val()
                        + bit_cast::<RING_EVENT_BITS, 1>(self.odd.val().get_bits::<1>(0))
                        + bit_cast::<RING_EVENT_BITS, 1>(self.odd.val().get_bits::<1>(1));
                }
                self.page.port_answer.valid.next = self.answers.val();
                self.page.port_answer.data.next = self.answer.val();
                self.page.port_refused.next = self.refused.val();
                self.page.epoch_changed.next = self.changed.val();
                self.page.ldm_done.next = self.finished.val();

                // Stops without a port.
                for i in PORTS..$stops {
                    self.rings.insert_cw[i].valid.next = false;
                    self.rings.insert_cw[i].data.next = self.nothing.val();
                    self.rings.insert_ccw[i].valid.next = false;
                    self.rings.insert_ccw[i].data.next = self.nothing.val();
                    self.rings.trees_cw[i].next = 0.into();
                    self.rings.trees_ccw[i].next = 0.into();
                }

                // What happened on the rings.
                self.waits.next = 0.into();
                self.overs.next = 0.into();
                for i in 0..$stops {
                    self.waits.next = self
                        .waits
                        .val()
                        .replace_bit(2 * i, self.rings.busy_cw[i].val())
                        .replace_bit(2 * i + 1, self.rings.busy_ccw[i].val());
                    self.overs.next = self
                        .overs
                        .val()
                        .replace_bit(2 * i, self.rings.wait_over_cw[i].val())
                        .replace_bit(2 * i + 1, self.rings.wait_over_ccw[i].val());
                }
                self.busy.d.next = self.waits.val();
                self.busy_before.d.next = self.busy.q.val();
                self.begun.next = self.busy.q.val() & !self.busy_before.q.val();
                self.busy_count.next = 0.into();
                for i in 0..$events {
                    self.one.next = self.begun.val().get_bits::<1>(i);
                    self.busy_count.next =
                        self.busy_count.val() + bit_cast::<RING_EVENT_BITS, 1>(self.one.val());
                    self.one.next = self.overs.val().get_bits::<1>(i);
                    self.over_count.next =
                        self.over_count.val() + bit_cast::<RING_EVENT_BITS, 1>(self.one.val());
                }
                self.ring_page.events[0].next =
                    bit_cast::<RING_EVENT_BITS, 1>(self.rings.orphan_cw.val().into())
                        + bit_cast::<RING_EVENT_BITS, 1>(self.rings.orphan_ccw.val().into());
                self.ring_page.events[1].next = self.busy_count.val();
                self.ring_page.events[2].next = self.over_count.val();
                self.ring_page.events[3].next = self.parity_count.val();
                self.ring_page.events[4].next =
                    bit_cast::<RING_EVENT_BITS, 1>(self.rings.token_lost.val().into());
                FlowOut::<Bits<COMMAND_BITS>>::join(&mut self.ring_page.command, &mut self.rings.command);
                self.ring_page.cycles.next = self.rings.cycles.val();
                self.ring_page.waited.next = self.rings.waited.val();
                self.ring_page.tag.next = self.rings.tag.val();
                self.ring_page.done.next = self.rings.done.val();
                self.ring_page.lost.next = self.rings.lost.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let source = ["none", "beat", "phy"][BEAT + 2 * PHY];
                block_label(
                    "time_switch",
                    &[
                        ("ports", PORTS.to_string()),
                        ("stops", $stops.to_string()),
                        ("f", F.to_string()),
                        ("source", source.into()),
                    ],
                )
            }
        }

        drive_ports!(impl[const PORTS: usize, const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize] $name<PORTS, F, FLITS_W, BEAT, PHY> {
            clock, clear, addr, wdata, we, re, rdata, ack, interrupt, tx_clock, rx_clock, tx_phase, rx_phase, tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, time_in, time_mode,
        });
    };
}

time_switch!(TimeSwitch4, TokenRing4, 4, 8);
