//! The switch with a clock stop.

use super::core::{FastRingCore16, FastRingCore4, FastRingCore8, SwitchCore16, SwitchCore4, SwitchCore8};
use super::stop::{ClockStop, STOP_CLOCKS};
use super::TimeSwitchConfig;
use crate::device::TimeDevice;
use crate::page::PAGE_WORD_BITS;
use crate::port::FILL_BITS;
use crate::servo::STATE_BITS;
use crate::slave::TIME_WORD_BITS;
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::FIFO_DEPTH;
use flitforge_protocol::time_servo::SYNC_EPOCH_BITS;

macro_rules! clock_switch {
    ($name:ident, $core:ident, $stops:literal, [$($ring_clock:ident)?]) => {
        /// `PORTS` ports and the clock stop at rings of this many stops: a switch that is a master, follows one of the trees 0 to
        /// `TREES` - 1, or both, of different trees; other parameters as of [`SwitchCore4`]. See the [module](super).
        #[block(new)]
        pub struct $name<
            const PORTS: usize,
            const F: usize,
            const FLITS_W: usize,
            const BEAT: usize,
            const PHY: usize,
            const TREES: usize = 1,
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
            /// LocalTime of the edge that ends this clock, 64.32 ns.
            local: Out<Bits<TIME_WORD_BITS>>,
            /// SyncTime of the edge that ends this clock, 64.32 ns.
            sync: Out<Bits<TIME_WORD_BITS>>,
            /// SYNC_EPOCH.
            sync_epoch: Out<Bits<SYNC_EPOCH_BITS>>,
            /// Servo state, coded as in SERVO_STAT.
            servo: Out<Bits<STATE_BITS>>,
            /// The servo is in TRACK.
            locked: Out<Bit>,
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
            core: $core<PORTS, F, FLITS_W, BEAT, PHY, TREES, 0, $stops, DDMTD>,
            #[wire(clock, clear)]
            device: TimeDevice<TREES>,
            #[wire(clock, clear)]
            stop: ClockStop<TREES>,
        }

        #[logic]
        impl<
                const PORTS: usize,
                const F: usize,
                const FLITS_W: usize,
                const BEAT: usize,
                const PHY: usize,
                const TREES: usize,
                const DDMTD: usize,
            > $name<PORTS, F, FLITS_W, BEAT, PHY, TREES, DDMTD>
        {
            /// As `config` says, or the reason why not.
            pub fn new(config: &TimeSwitchConfig) -> Result<Self, ConfigError> {
                Ok(Self {
                    core: $core::new(config)?,
                    device: TimeDevice::delayed(&config.page(), FIFO_DEPTH.1, STOP_CLOCKS)?,
                    stop: ClockStop::new(config.stops),
                    ..
                })
            }

            fn update(&mut self) {
                $(core.$ring_clock = $ring_clock;)?

                // Registers.
                device = In { addr, wdata, we, re };
                Out { rdata, ack, interrupt } = device;
                core = In { word: device.word, data: device.data, write: device.write };
                core = In { to_ring: device.to_ring, to_port: device.to_port, port: device.port };
                join(core.ring_answer, device.ring_answer);
                join(core.port_answer, device.port_answer);
                device = In { port_refused: core.port_refused, epoch_changed: core.epoch_changed };
                device.ldm_done = core.ldm_done;
                core = In { inc_f: device.inc_f, wper: device.wper, locked: device.locked };
                Out { local, sync, sync_epoch, state: servo, locked } = device;

                // The clock stop.
                stop = In { inc_f: device.inc_f, rper: core.rper };
                for i in 0..TREES {
                    stop.source[i] = core.source[i];
                }
                stop.slave_en = device.slave_en;
                device.lag = stop.lag;
                join(device.time_out, stop.beats);
                join(stop.low, device.low);
                join(stop.high, device.high);
                core = In { dropped: stop.dropped, odd: stop.ring_parity };
                for i in 0..2 {
                    join(stop.insert[i], core.insert[i]);
                    core.trees[i] = stop.trees[i];
                    join(core.copy[i], stop.copy[i]);
                    stop.copy_control[i] = core.copy_control[i];
                }

                // Links.
                for i in 0..DDMTD {
                    core.helper_clock[i] = helper_clock[i];
                }
                for i in 0..PORTS {
                    core.tx_clock[i] = tx_clock[i];
                    core.rx_clock[i] = rx_clock[i];
                    link(tx_phase[i], core.tx_phase[i]);
                    link(rx_phase[i], core.rx_phase[i]);
                    core.tx_fill[i] = tx_fill[i];
                    core.rx_fill[i] = rx_fill[i];
                    core.state[i] = state[i];
                    core.tx_mode[i] = tx_mode[i];
                    core.tx_lanes[i] = tx_lanes[i];
                    core.rx_lanes[i] = rx_lanes[i];
                    core.tx_last_lane[i] = tx_last_lane[i];
                    core.tx_idle[i] = tx_idle[i];
                    core.tx_position[i] = tx_position[i];
                    core.tx_words[i] = tx_words[i];
                    core.rx_position[i] = rx_position[i];
                    core.rx_words[i] = rx_words[i];
                    link(spc_out[i], core.spc_out[i]);
                    core.tx_open[i] = tx_open[i];
                    link(time_in[i], core.time_in[i]);
                    time_mode[i] = core.time_mode[i];
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let source = crate::port::source_label(BEAT, PHY, DDMTD);
                block_label(
                    "time_switch",
                    &[
                        ("ports", PORTS.to_string()),
                        ("stops", $stops.to_string()),
                        ("f", F.to_string()),
                        ("source", source.into()),
                        ("clock", TREES.to_string()),
                        $((stringify!($ring_clock), "1".to_string()),)?
                    ],
                )
            }
        }
    };
}

clock_switch!(TimeClockSwitch4, SwitchCore4, 4, []);
clock_switch!(TimeClockSwitch8, SwitchCore8, 8, []);
clock_switch!(TimeClockSwitch16, SwitchCore16, 16, []);
clock_switch!(FastRingClockSwitch4, FastRingCore4, 4, [ring_clock]);
clock_switch!(FastRingClockSwitch8, FastRingCore8, 8, [ring_clock]);
clock_switch!(FastRingClockSwitch16, FastRingCore16, 16, [ring_clock]);
