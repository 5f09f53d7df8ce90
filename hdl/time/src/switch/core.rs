//! A switch's ports and rings with their windows, wired.

use super::entry::INSERT_BITS;
use super::port::SwitchPort;
use super::stop::STOP_DROPS;
use super::TimeSwitchConfig;
use crate::page::{TimeRingPage, PORT_BITS, RING_EVENT_BITS, WORD_BITS};
use crate::port::FILL_BITS;
use crate::ring::{CONTROL_BITS, ID_BITS, TREES, VALUE_BITS};
use crate::ring_gate::{GatedRing16, GatedRing4, GatedRing8};
use crate::token::{TokenRing16, TokenRing4, TokenRing8};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::MAX_RING_RATIO;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

macro_rules! switch_core {
    (
        $name:ident, $rings:ident, $label:literal, $stops:literal, $last:literal, $events:literal, $edges:literal,
        [$($orphan_cw:ident, $orphan_ccw:ident)?], [$($ring_clock:ident, $ratio:ident, $orphans:ident, $gates:ident)?]
    ) => {
        /// `PORTS` ports of `F` flits per beat, `FLITS_W` = 65 F, at rings of this many stops; `BEAT`, `PHY` and `DDMTD` as PHASE_SRC says; `CLOCK` the
        /// trees that the last stop follows as a clock stop, 0 without one; `SINGLE` 1 for tree 0 alone; `TOKENS` the number of stops, or 0 for rings without tokens. Arrays have an element for each port. See the [module](super).
        ///
        /// - What the clock stop offers in a clock stands in its ring register after it, as a port's `tval` does.
        /// - Windows answer as those of their blocks; outputs are registers or gates after them.
        #[block(new)]
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
            clock: In<Clock>,
            $(
                /// Ring clock, M times the core clock; every core edge is a ring edge.
                $ring_clock: In<Clock>,
            )?
            /// Synchronous clear.
            clear: In<Bit>,
            /// Windows: word of the window, see [`TimePage`](crate::page::TimePage).
            word: In<Bits<WORD_BITS>>,
            /// Windows: value of a write.
            data: In<Bits<64>>,
            /// Windows: it is a write.
            write: In<Bit>,
            /// Windows: a request for the rings.
            to_ring: In<Bit>,
            /// Windows: a request for the port `port`.
            to_port: In<Bit>,
            /// PORT_SEL.
            port: In<Bits<PORT_BITS>>,
            /// Answer of the rings' window, 0 but with `valid`.
            pub ring_answer: FlowOut<Bits<64>>,
            /// Answers of the ports' windows, 0 but with `valid`.
            pub port_answer: FlowOut<Bits<64>>,
            /// Event: a port refused a write.
            port_refused: Out<Bit>,
            /// Event: the link of a port has changed.
            epoch_changed: Out<Bit>,
            /// Event: a link delay measurement ended.
            ldm_done: Out<Bit>,
            /// SyncTime of the device is locked.
            locked: In<Bit>,
            /// INC_F, 2^-32 ns per clock.
            inc_f: In<Bits<INC_BITS>>,
            /// WPER, 6.20 ns.
            wper: In<Bits<PERIOD_BITS>>,
            /// RPER, 6.20 ns.
            rper: Out<Bits<PERIOD_BITS>>,
            /// Clock stop: stop of the port that is upstream for each of its trees.
            source: [Out<Bits<ID_BITS>>; CLOCK],
            /// Clock stop: insertions, clockwise and counter-clockwise.
            pub insert: [StreamIn<Bits<INSERT_BITS>>; 2],
            /// Clock stop: trees copied from each ring.
            trees: [In<Bits<TREES>>; 2],
            /// Clock stop: data of copies.
            pub copy: [FlowOut<Bits<VALUE_BITS>>; 2],
            /// Clock stop: their control bits.
            copy_control: [Out<Bits<CONTROL_BITS>>; 2],
            /// Clock stop, event: a Low, a High was dropped, see [`ClockStop`](super::ClockStop).
            dropped: In<Bits<STOP_DROPS>>,
            /// Clock stop, event by ring: RING_PARITY.
            odd: In<Bits<2>>,
            /// Word clock sent with: BEAT, DDMTD.
            tx_clock: [In<Clock>; PORTS],
            /// Word clock received with: BEAT, DDMTD.
            rx_clock: [In<Clock>; PORTS],
            /// Helper clock of all meters: there with DDMTD.
            helper_clock: [In<Clock>; DDMTD],
            /// Fraction of a word sent, 1/256: PHY.
            pub tx_phase: [FlowIn<Bits<8>>; PORTS],
            /// Fraction of a word received, 1/256: PHY.
            pub rx_phase: [FlowIn<Bits<8>>; PORTS],
            /// Words in the PHY's FIFO of the first lane, sender.
            tx_fill: [In<Bits<FILL_BITS>>; PORTS],
            /// Words in the PHY's FIFO of the first lane, receiver.
            rx_fill: [In<Bits<FILL_BITS>>; PORTS],
            /// State of the link, as STATUS has it.
            state: [In<Bits<3>>; PORTS],
            /// CRC mode sent in.
            tx_mode: [In<Bits<2>>; PORTS],
            /// Lanes sent on.
            tx_lanes: [In<Bits<4>>; PORTS],
            /// Lanes received on.
            rx_lanes: [In<Bits<4>>; PORTS],
            /// L - 1 sent on.
            tx_last_lane: [In<Bits<2>>; PORTS],
            /// No beat goes to the lanes.
            tx_idle: [In<Bit>; PORTS],
            /// Position of the beat that X takes in this clock.
            tx_position: [In<Bits<POSITION_BITS>>; PORTS],
            /// Words sent.
            tx_words: [In<Bits<WORD_COUNT_BITS>>; PORTS],
            /// Position of the beat on `spc_out`.
            rx_position: [In<Bits<POSITION_BITS>>; PORTS],
            /// Words received.
            rx_words: [In<Bits<WORD_COUNT_BITS>>; PORTS],
            /// Special flits received.
            pub spc_out: [FlowIn<Bits<FLITS_W>>; PORTS],
            /// `tx_open` of the link.
            tx_open: [In<Bit>; PORTS],
            /// Beats of time flits, for `time_in` of the link.
            pub time_in: [StreamOut<Bits<FLITS_W>>; PORTS],
            /// What becomes of `time_in` while `tx_open` is low, for the link.
            time_mode: [Out<Bit>; PORTS],

            #[wire(clock, clear)]
            ring_page: TimeRingPage,
            #[wire(clock, clear)]
            ports: Vec<SwitchPort<F, FLITS_W, BEAT, PHY, SINGLE, DDMTD>>,
            #[wire(clock, clear)]
            rings: $rings<VALUE_BITS, INSERT_BITS, TOKENS>,
            busy: Reg<Bits<$events>>,
            busy_before: Reg<Bits<$events>>,
            answers: Local<Bit>,
            answered: Local<Bits<64>>,
            refused: Local<Bit>,
            changed: Local<Bit>,
            finished: Local<Bit>,
            upstream: [Local<Bits<ID_BITS>>; CLOCK],
            stop_drops: Local<Bits<STOP_DROPS>>,
            waits: Local<Bits<$events>>,
            overs: Local<Bits<$events>>,
            begun: Local<Bits<$events>>,
            drops: Local<Bits<4>>,
            parity: Local<Bits<2>>,
            busy_count: Local<Bits<RING_EVENT_BITS>>,
            over_count: Local<Bits<RING_EVENT_BITS>>,
            parity_count: Local<Bits<RING_EVENT_BITS>>,
            one: Local<Bits<1>>,
            #[init(|port| port)]
            number: [Constant<Bits<PORT_BITS>>; PORTS],
            #[init(0)]
            nothing: Constant<Bits<INSERT_BITS>>,
        }

        #[logic]
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
                    ring_page: TimeRingPage::new(&config.ring_page())?,
                    ports: (0..PORTS).map(|_| SwitchPort::new(&config.port, config.page().started)).collect::<Result<_, _>>()?,
                    rings: $rings::new(config.rings() $(, config.$ratio)?)?,
                    ..
                })
            }

            fn update(&mut self) {
                $(rings.$ring_clock = $ring_clock;)?
                ring_page.bus = In { request: to_ring, address: word, write, wdata: data };
                ring_answer = In { valid: ring_page.bus.ack, data: ring_page.bus.rdata };
                rper = ring_page.ring_cfg_rper;

                self.count_clock_stop();
                self.wire_ports();
                self.wire_other_stops();
                self.count_events();
            }

            /// The clock stop: its events first.
            fn count_clock_stop(&mut self) {
                stop_drops = dropped;
                over_count = 0;
                for i in 0..6 {
                    one = stop_drops.bits::<1>(i);
                    over_count = over_count + bit_cast::<RING_EVENT_BITS, 1>(one);
                }
                parity = odd;
                parity_count = bit_cast::<RING_EVENT_BITS, 1>(parity.bits::<1>(0))
                    + bit_cast::<RING_EVENT_BITS, 1>(parity.bits::<1>(1));
            }

            /// Ports.
            fn wire_ports(&mut self) {
                answers = false;
                answered = 0;
                refused = false;
                changed = false;
                finished = false;
                for j in 0..CLOCK {
                    upstream[j] = 0;
                }
                for i in 0..PORTS {
                    ports[i] = In { tx_clock: tx_clock[i], rx_clock: rx_clock[i] };
                    for j in 0..DDMTD {
                        ports[i].helper_clock[j] = helper_clock[j];
                    }
                    link(tx_phase[i], ports[i].tx_phase);
                    link(rx_phase[i], ports[i].rx_phase);
                    ports[i] = In { tx_fill: tx_fill[i], rx_fill: rx_fill[i], state: state[i] };
                    ports[i] = In { tx_mode: tx_mode[i], tx_lanes: tx_lanes[i], rx_lanes: rx_lanes[i] };
                    ports[i] = In { tx_last_lane: tx_last_lane[i], tx_idle: tx_idle[i] };
                    ports[i] = In { tx_position: tx_position[i], tx_words: tx_words[i] };
                    ports[i] = In { rx_position: rx_position[i], rx_words: rx_words[i] };
                    link(spc_out[i], ports[i].spc_out);
                    ports[i].tx_open = tx_open[i];
                    link(time_in[i], ports[i].time_in);
                    time_mode[i] = ports[i].time_mode;
                    ports[i] = In { request: to_port & (port == number[i]), word, write, data };
                    answers = answers | ports[i].answer.valid;
                    answered = answered | ports[i].answer.data;
                    refused = refused | ports[i].refused;
                    changed = changed | ports[i].changed;
                    finished = finished | ports[i].finished;
                    for j in 0..CLOCK {
                        if ports[i].upstream[j] {
                            upstream[j] = number[i];
                        }
                    }
                    ports[i] = In { locked, inc_f, wper, rper: ring_page.ring_cfg_rper };

                    rings.insert_cw[i].valid = ports[i].insert[0].valid;
                    rings.insert_cw[i].data = ports[i].insert[0].data;
                    ports[i].insert[0].ready = rings.insert_cw[i].ready;
                    rings.insert_ccw[i].valid = ports[i].insert[1].valid;
                    rings.insert_ccw[i].data = ports[i].insert[1].data;
                    ports[i].insert[1].ready = rings.insert_ccw[i].ready;
                    rings.trees_cw[i] = ports[i].trees[0];
                    rings.trees_ccw[i] = ports[i].trees[1];
                    ports[i].copy[0] = In { valid: rings.copy_cw[i].valid, data: rings.copy_cw[i].data };
                    ports[i].copy_control[0] = rings.control_cw[i];
                    ports[i].copy[1] = In { valid: rings.copy_ccw[i].valid, data: rings.copy_ccw[i].data };
                    ports[i].copy_control[1] = rings.control_ccw[i];

                    drops = ports[i].dropped;
                    over_count = over_count
                        + bit_cast::<RING_EVENT_BITS, 1>(drops.bits::<1>(0))
                        + bit_cast::<RING_EVENT_BITS, 1>(drops.bits::<1>(1))
                        + bit_cast::<RING_EVENT_BITS, 1>(drops.bits::<1>(2))
                        + bit_cast::<RING_EVENT_BITS, 1>(drops.bits::<1>(3));
                    parity = ports[i].ring_parity;
                    parity_count = parity_count
                        + bit_cast::<RING_EVENT_BITS, 1>(parity.bits::<1>(0))
                        + bit_cast::<RING_EVENT_BITS, 1>(parity.bits::<1>(1));
                }
                port_answer = In { valid: answers, data: answered };
                port_refused = refused;
                epoch_changed = changed;
                ldm_done = finished;
                for j in 0..CLOCK {
                    source[j] = upstream[j];
                }
            }

            /// Stops without a port.
            fn wire_other_stops(&mut self) {
                for i in PORTS..$stops {
                    rings.insert_cw[i] = In { valid: false, data: nothing };
                    rings.insert_ccw[i] = In { valid: false, data: nothing };
                    rings.trees_cw[i] = 0;
                    rings.trees_ccw[i] = 0;
                }

                for i in 0..2 {
                    insert[i].ready = false;
                    copy[i] = In { valid: false, data: 0 };
                    copy_control[i] = 0;
                }
                for _i in 0..CLOCK {
                    rings.insert_cw[$last] = In { valid: insert[0].valid, data: insert[0].data };
                    insert[0].ready = rings.insert_cw[$last].ready;
                    rings.insert_ccw[$last] = In { valid: insert[1].valid, data: insert[1].data };
                    insert[1].ready = rings.insert_ccw[$last].ready;
                    rings.trees_cw[$last] = trees[0];
                    rings.trees_ccw[$last] = trees[1];
                    copy[0] = In { valid: rings.copy_cw[$last].valid, data: rings.copy_cw[$last].data };
                    copy_control[0] = rings.control_cw[$last];
                    copy[1] = In { valid: rings.copy_ccw[$last].valid, data: rings.copy_ccw[$last].data };
                    copy_control[1] = rings.control_ccw[$last];
                }
            }

            /// What happened on the rings.
            fn count_events(&mut self) {
                waits = 0;
                overs = 0;
                for i in 0..$stops {
                    waits = waits.with(2 * i, rings.busy_cw[i]).with(2 * i + 1, rings.busy_ccw[i]);
                    overs = overs.with(2 * i, rings.wait_over_cw[i]).with(2 * i + 1, rings.wait_over_ccw[i]);
                }
                busy = waits;
                busy_before = busy;
                begun = busy & !busy_before;
                busy_count = 0;
                for i in 0..$events {
                    one = begun.bits::<1>(i);
                    busy_count = busy_count + bit_cast::<RING_EVENT_BITS, 1>(one);
                    one = overs.bits::<1>(i);
                    over_count = over_count + bit_cast::<RING_EVENT_BITS, 1>(one);
                }
                $(
                    ring_page.orphan = bit_cast::<RING_EVENT_BITS, 1>(rings.$orphan_cw.into())
                        + bit_cast::<RING_EVENT_BITS, 1>(rings.$orphan_ccw.into());
                )?
                $(
                    ring_page.orphan = rings.$orphans;
                    over_count = over_count + rings.$gates;
                )?
                ring_page = In { ring_busy: busy_count, ring_wait_over: over_count };
                ring_page = In { ring_parity: parity_count, token_lost: rings.token_lost };
                rings.command.valid = ring_page.token_cmd_go;
                rings.command.data =
                    cat(ring_page.token_cmd_src, ring_page.token_cmd_target, ring_page.token_cmd_ring, ring_page.token_cmd_tag);
                ring_page = In { token_res_cycles: rings.cycles, token_res_waited: rings.waited };
                ring_page = In { token_res_tag: rings.tag, token_res_done: rings.done };
                ring_page.token_res_lost = rings.lost;
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let source = crate::port::source_label(BEAT, PHY, DDMTD);
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
