//! A switch's ports and rings with their windows, wired.

use super::entry::INSERT_BITS;
use super::port::SwitchPort;
use super::stop::STOP_DROPS;
use super::TimeSwitchConfig;
use crate::config::ConfigError;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::time::page::{TimeRingPage, PORT_BITS, RING_EVENT_BITS, WORD_BITS};
use crate::time::port::FILL_BITS;
use crate::time::ring::{CONTROL_BITS, ID_BITS, TREES, VALUE_BITS};
use crate::time::ring_gate::{GatedRing16, GatedRing4, GatedRing8};
use crate::time::token::{TokenRing16, TokenRing4, TokenRing8, COMMAND_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::MAX_RING_RATIO;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};
use std::array;

macro_rules! switch_core {
    (
        $name:ident, $rings:ident, $label:literal, $stops:literal, $last:literal, $events:literal, $edges:literal,
        [$($orphan_cw:ident, $orphan_ccw:ident)?], [$($ring_clock:ident, $ratio:ident, $orphans:ident, $gates:ident)?]
    ) => {
        /// `PORTS` ports of `F` flits per beat, `FLITS_W` = 65 F, at rings of this many stops; `BEAT`, `PHY` and `DDMTD` as PHASE_SRC says; `CLOCK` the
        /// trees that the last stop follows as a clock stop, 0 without one; `SINGLE` 1 for tree 0 alone; `TOKENS` the number of stops, or 0 for rings without tokens. Arrays have an element for each port. See the [module](super).
        ///
        /// - What the clock stop offers in a clock stands in its ring register behind it, as a port's `tval` does.
        /// - Windows answer as those of their blocks; outputs are registers or gates behind them.
        #[derive(LogicBlock)]
        pub struct $name<
            const PORTS: usize,
            const F: usize,
            const FLITS_W: usize,
            const BEAT: usize,
            const PHY: usize,
            const CLOCK: usize,
            const SINGLE: usize = 0,
            const TOKENS: usize = $stops,
            const DDMTD: usize = 0,
        > {
            /// Core clock; that of the rings, too, where they have none of their own.
            pub clock: Signal<In, Clock>,
            $(
                /// Ring clock, M times the core clock; every core edge is a ring edge.
                pub $ring_clock: Signal<In, Clock>,
            )?
            /// Synchronous clear.
            pub clear: Signal<In, Bit>,
            /// Windows: word of the window, see [`TimePage`](crate::time::page::TimePage).
            pub word: Signal<In, Bits<WORD_BITS>>,
            /// Windows: value of a write.
            pub data: Signal<In, Bits<64>>,
            /// Windows: it is a write.
            pub write: Signal<In, Bit>,
            /// Windows: a request for the rings.
            pub to_ring: Signal<In, Bit>,
            /// Windows: a request for the port `port`.
            pub to_port: Signal<In, Bit>,
            /// PORT_SEL.
            pub port: Signal<In, Bits<PORT_BITS>>,
            /// Answer of the rings' window, 0 but with `valid`.
            pub ring_answer: FlowOut<Bits<64>>,
            /// Answers of the ports' windows, 0 but with `valid`.
            pub port_answer: FlowOut<Bits<64>>,
            /// Event: a port refused a write.
            pub port_refused: Signal<Out, Bit>,
            /// Event: the link of a port has changed.
            pub epoch_changed: Signal<Out, Bit>,
            /// Event: a link delay measurement ended.
            pub ldm_done: Signal<Out, Bit>,
            /// SyncTime of the device is locked.
            pub locked: Signal<In, Bit>,
            /// INC_F, 2^-32 ns per clock.
            pub inc_f: Signal<In, Bits<INC_BITS>>,
            /// WPER, 6.20 ns.
            pub wper: Signal<In, Bits<PERIOD_BITS>>,
            /// RPER, 6.20 ns.
            pub rper: Signal<Out, Bits<PERIOD_BITS>>,
            /// Clock stop: stop of the port that is upstream for each of its trees.
            pub source: [Signal<Out, Bits<ID_BITS>>; CLOCK],
            /// Clock stop: insertions, clockwise and counter-clockwise.
            pub insert: [StreamIn<Bits<INSERT_BITS>>; 2],
            /// Clock stop: trees copied from each ring.
            pub trees: [Signal<In, Bits<TREES>>; 2],
            /// Clock stop: data of copies.
            pub copy: [FlowOut<Bits<VALUE_BITS>>; 2],
            /// Clock stop: their control bits.
            pub copy_control: [Signal<Out, Bits<CONTROL_BITS>>; 2],
            /// Clock stop, event: a Low, a High was dropped, see [`ClockStop`](super::ClockStop).
            pub dropped: Signal<In, Bits<STOP_DROPS>>,
            /// Clock stop, event by ring: RING_PARITY.
            pub odd: Signal<In, Bits<2>>,
            /// Word clock sent with: BEAT, DDMTD.
            pub tx_clock: [Signal<In, Clock>; PORTS],
            /// Word clock received with: BEAT, DDMTD.
            pub rx_clock: [Signal<In, Clock>; PORTS],
            /// Helper clock of all meters: there with DDMTD.
            pub helper_clock: [Signal<In, Clock>; DDMTD],
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

            ring_page: TimeRingPage,
            ports: Vec<SwitchPort<F, FLITS_W, BEAT, PHY, SINGLE, DDMTD>>,
            rings: $rings<VALUE_BITS, INSERT_BITS, TOKENS>,
            busy: DFF<Bits<$events>>,
            busy_before: DFF<Bits<$events>>,
            answers: Signal<Local, Bit>,
            answered: Signal<Local, Bits<64>>,
            refused: Signal<Local, Bit>,
            changed: Signal<Local, Bit>,
            finished: Signal<Local, Bit>,
            upstream: [Signal<Local, Bits<ID_BITS>>; CLOCK],
            stop_drops: Signal<Local, Bits<STOP_DROPS>>,
            waits: Signal<Local, Bits<$events>>,
            overs: Signal<Local, Bits<$events>>,
            begun: Signal<Local, Bits<$events>>,
            drops: Signal<Local, Bits<4>>,
            parity: Signal<Local, Bits<2>>,
            busy_count: Signal<Local, Bits<RING_EVENT_BITS>>,
            over_count: Signal<Local, Bits<RING_EVENT_BITS>>,
            parity_count: Signal<Local, Bits<RING_EVENT_BITS>>,
            one: Signal<Local, Bits<1>>,
            number: [Constant<Bits<PORT_BITS>>; PORTS],
            nothing: Constant<Bits<INSERT_BITS>>,
        }

        impl<
                const PORTS: usize,
                const F: usize,
                const FLITS_W: usize,
                const BEAT: usize,
                const PHY: usize,
                const CLOCK: usize,
                const SINGLE: usize,
                const TOKENS: usize,
                const DDMTD: usize,
            > $name<PORTS, F, FLITS_W, BEAT, PHY, CLOCK, SINGLE, TOKENS, DDMTD>
        {
            /// As `config` says, or the reason why not.
            pub fn new(config: &TimeSwitchConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type(PORTS, $stops, CLOCK, $edges)?;
                Ok(Self {
                    clock: Default::default(),
                    $($ring_clock: Default::default(),)?
                    clear: Default::default(),
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
                    locked: Default::default(),
                    inc_f: Default::default(),
                    wper: Default::default(),
                    rper: Default::default(),
                    source: defaults(),
                    insert: Default::default(),
                    trees: Default::default(),
                    copy: Default::default(),
                    copy_control: Default::default(),
                    dropped: Default::default(),
                    odd: Default::default(),
                    tx_clock: defaults(),
                    rx_clock: defaults(),
                    helper_clock: defaults(),
                    tx_phase: defaults(),
                    rx_phase: defaults(),
                    tx_fill: defaults(),
                    rx_fill: defaults(),
                    state: defaults(),
                    tx_mode: defaults(),
                    tx_lanes: defaults(),
                    rx_lanes: defaults(),
                    tx_last_lane: defaults(),
                    tx_idle: defaults(),
                    tx_position: defaults(),
                    tx_words: defaults(),
                    rx_position: defaults(),
                    rx_words: defaults(),
                    spc_out: defaults(),
                    tx_open: defaults(),
                    time_in: defaults(),
                    time_mode: defaults(),
                    ring_page: TimeRingPage::new(config.rper(), config.own_stop(), config.page().started)?,
                    ports: (0..PORTS).map(|_| SwitchPort::new(&config.port, config.page().started)).collect::<Result<_, _>>()?,
                    rings: $rings::new(config.rings() $(, config.$ratio)?)?,
                    busy: Default::default(),
                    busy_before: Default::default(),
                    answers: Default::default(),
                    answered: Default::default(),
                    refused: Default::default(),
                    changed: Default::default(),
                    finished: Default::default(),
                    upstream: defaults(),
                    stop_drops: Default::default(),
                    waits: Default::default(),
                    overs: Default::default(),
                    begun: Default::default(),
                    drops: Default::default(),
                    parity: Default::default(),
                    busy_count: Default::default(),
                    over_count: Default::default(),
                    parity_count: Default::default(),
                    one: Default::default(),
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
                const CLOCK: usize,
                const SINGLE: usize,
                const TOKENS: usize,
                const DDMTD: usize,
            > Logic for $name<PORTS, F, FLITS_W, BEAT, PHY, CLOCK, SINGLE, TOKENS, DDMTD>
        {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, busy, busy_before);
                clock!(self, clock, ring_page, rings);
                $(self.rings.$ring_clock.next = self.$ring_clock.val();)?
                self.ring_page.clear.next = self.clear.val();
                self.rings.clear.next = self.clear.val();
                self.ring_page.request.next = self.to_ring.val();
                self.ring_page.word.next = self.word.val();
                self.ring_page.write.next = self.write.val();
                self.ring_page.data.next = self.data.val();
                FlowOut::<Bits<64>>::link(&mut self.ring_answer, &mut self.ring_page.answer);
                self.rper.next = self.ring_page.rper.val();

                // The clock stop: its events first.
                self.stop_drops.next = self.dropped.val();
                self.over_count.next = 0.into();
                for i in 0..6 {
                    self.one.next = self.stop_drops.val().get_bits::<1>(i);
                    self.over_count.next = self.over_count.val() + bit_cast::<RING_EVENT_BITS, 1>(self.one.val());
                }
                self.parity.next = self.odd.val();
                self.parity_count.next = bit_cast::<RING_EVENT_BITS, 1>(self.parity.val().get_bits::<1>(0))
                    + bit_cast::<RING_EVENT_BITS, 1>(self.parity.val().get_bits::<1>(1));

                // Ports.
                self.answers.next = false;
                self.answered.next = 0.into();
                self.refused.next = false;
                self.changed.next = false;
                self.finished.next = false;
                for j in 0..CLOCK {
                    self.upstream[j].next = 0.into();
                }
                for i in 0..PORTS {
                    self.ports[i].clock.next = self.clock.val();
                    self.ports[i].clear.next = self.clear.val();
                    self.ports[i].tx_clock.next = self.tx_clock[i].val();
                    self.ports[i].rx_clock.next = self.rx_clock[i].val();
                    for j in 0..DDMTD {
                        self.ports[i].helper_clock[j].next = self.helper_clock[j].val();
                    }
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
                        self.to_port.val() & (self.port.val() == self.number[i].val());
                    self.ports[i].word.next = self.word.val();
                    self.ports[i].write.next = self.write.val();
                    self.ports[i].data.next = self.data.val();
                    self.answers.next = self.answers.val() | self.ports[i].answer.valid.val();
                    self.answered.next = self.answered.val() | self.ports[i].answer.data.val();
                    self.refused.next = self.refused.val() | self.ports[i].refused.val();
                    self.changed.next = self.changed.val() | self.ports[i].changed.val();
                    self.finished.next = self.finished.val() | self.ports[i].finished.val();
                    for j in 0..CLOCK {
                        if self.ports[i].upstream.val().get_bit(j) {
                            self.upstream[j].next = self.number[i].val();
                        }
                    }
                    self.ports[i].locked.next = self.locked.val();
                    self.ports[i].inc_f.next = self.inc_f.val();
                    self.ports[i].wper.next = self.wper.val();
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
                    self.parity.next = self.ports[i].ring_parity.val();
                    self.parity_count.next = self.parity_count.val()
                        + bit_cast::<RING_EVENT_BITS, 1>(self.parity.val().get_bits::<1>(0))
                        + bit_cast::<RING_EVENT_BITS, 1>(self.parity.val().get_bits::<1>(1));
                }
                self.port_answer.valid.next = self.answers.val();
                self.port_answer.data.next = self.answered.val();
                self.port_refused.next = self.refused.val();
                self.epoch_changed.next = self.changed.val();
                self.ldm_done.next = self.finished.val();
                for j in 0..CLOCK {
                    self.source[j].next = self.upstream[j].val();
                }

                // Stops without a port.
                for i in PORTS..$stops {
                    self.rings.insert_cw[i].valid.next = false;
                    self.rings.insert_cw[i].data.next = self.nothing.val();
                    self.rings.insert_ccw[i].valid.next = false;
                    self.rings.insert_ccw[i].data.next = self.nothing.val();
                    self.rings.trees_cw[i].next = 0.into();
                    self.rings.trees_ccw[i].next = 0.into();
                }

                for i in 0..2 {
                    self.insert[i].ready.next = false;
                    self.copy[i].valid.next = false;
                    self.copy[i].data.next = 0.into();
                    self.copy_control[i].next = 0.into();
                }
                for _i in 0..CLOCK {
                    self.rings.insert_cw[$last].valid.next = self.insert[0].valid.val();
                    self.rings.insert_cw[$last].data.next = self.insert[0].data.val();
                    self.insert[0].ready.next = self.rings.insert_cw[$last].ready.val();
                    self.rings.insert_ccw[$last].valid.next = self.insert[1].valid.val();
                    self.rings.insert_ccw[$last].data.next = self.insert[1].data.val();
                    self.insert[1].ready.next = self.rings.insert_ccw[$last].ready.val();
                    self.rings.trees_cw[$last].next = self.trees[0].val();
                    self.rings.trees_ccw[$last].next = self.trees[1].val();
                    self.copy[0].valid.next = self.rings.copy_cw[$last].valid.val();
                    self.copy[0].data.next = self.rings.copy_cw[$last].data.val();
                    self.copy_control[0].next = self.rings.control_cw[$last].val();
                    self.copy[1].valid.next = self.rings.copy_ccw[$last].valid.val();
                    self.copy[1].data.next = self.rings.copy_ccw[$last].data.val();
                    self.copy_control[1].next = self.rings.control_ccw[$last].val();
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
                $(
                    self.ring_page.events[0].next =
                        bit_cast::<RING_EVENT_BITS, 1>(self.rings.$orphan_cw.val().into())
                            + bit_cast::<RING_EVENT_BITS, 1>(self.rings.$orphan_ccw.val().into());
                )?
                $(
                    self.ring_page.events[0].next = self.rings.$orphans.val();
                    self.over_count.next = self.over_count.val() + self.rings.$gates.val();
                )?
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
                let source = crate::time::port::source_label(BEAT, PHY, DDMTD);
                block_label(
                    $label,
                    &[
                        ("ports", PORTS.to_string()),
                        ("stops", $stops.to_string()),
                        ("f", F.to_string()),
                        ("source", source.into()),
                        ("clock", CLOCK.to_string()),
                        ("single", SINGLE.to_string()),
                        ("tokens", TOKENS.to_string()),
                    ],
                )
            }
        }

        // What can happen in a clock: a wait over and Lows and Highs dropped at each stop, and with M > 1 copies at both gates.
        const _: () = assert!($stops * (2 + 4 + $edges * 2 * MAX_RING_RATIO as usize) < 1 << RING_EVENT_BITS);

        drive_ports!(impl[const PORTS: usize, const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const CLOCK: usize, const SINGLE: usize, const TOKENS: usize, const DDMTD: usize] $name<PORTS, F, FLITS_W, BEAT, PHY, CLOCK, SINGLE, TOKENS, DDMTD> {
            clock, $($ring_clock,)? clear, word, data, write, to_ring, to_port, port, ring_answer, port_answer, port_refused, epoch_changed, ldm_done, locked, inc_f, wper, rper, source, insert, trees, copy, copy_control, dropped, odd, tx_clock, rx_clock, helper_clock, tx_phase, rx_phase, tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, time_in, time_mode,
        });
    };
}

switch_core!(SwitchCore4, TokenRing4, "switch_core", 4, 3, 8, 0, [orphan_cw, orphan_ccw], []);
switch_core!(SwitchCore8, TokenRing8, "switch_core", 8, 7, 16, 0, [orphan_cw, orphan_ccw], []);
switch_core!(SwitchCore16, TokenRing16, "switch_core", 16, 15, 32, 0, [orphan_cw, orphan_ccw], []);

macro_rules! fast_ring_core {
    ($name:ident, $rings:ident, $stops:literal, $last:literal, $events:literal) => {
        switch_core!(
            $name,
            $rings,
            "fast_ring_core",
            $stops,
            $last,
            $events,
            1,
            [],
            [ring_clock, ring_ratio, orphans, dropped]
        );
    };
}

fast_ring_core!(FastRingCore4, GatedRing4, 4, 3, 8);
fast_ring_core!(FastRingCore8, GatedRing8, 8, 7, 16);
fast_ring_core!(FastRingCore16, GatedRing16, 16, 15, 32);
