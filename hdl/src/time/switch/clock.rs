//! The switch with a clock stop.

use super::core::{FastRingCore16, FastRingCore4, FastRingCore8, SwitchCore16, SwitchCore4, SwitchCore8};
use super::entry::INSERT_BITS;
use super::stop::{ClockStop, STOP_CLOCKS};
use super::TimeSwitchConfig;
use crate::config::ConfigError;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::time::device::TimeDevice;
use crate::time::generator::BEAT_BITS;
use crate::time::page::PAGE_WORD_BITS;
use crate::time::port::FILL_BITS;
use crate::time::ring::VALUE_BITS;
use crate::time::servo::STATE_BITS;
use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::FIFO_DEPTH;
use flitforge_protocol::time_servo::SYNC_EPOCH_BITS;

macro_rules! clock_switch {
    ($name:ident, $core:ident, $stops:literal, [$($ring_clock:ident)?]) => {
        /// `PORTS` ports and the clock stop at rings of this many stops: a switch that is a master, follows one of the trees 0 to
        /// `TREES` - 1, or both, of different trees; other parameters as of [`SwitchCore4`]. See the [module](super).
        #[derive(LogicBlock)]
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
            pub clock: Signal<In, Clock>,
            $(
                /// Ring clock, M times the core clock; every core edge is a ring edge.
                pub $ring_clock: Signal<In, Clock>,
            )?
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
            /// LocalTime of the edge that ends this clock, 64.32 ns.
            pub local: Signal<Out, Bits<TIME_WORD_BITS>>,
            /// SyncTime of the edge that ends this clock, 64.32 ns.
            pub sync: Signal<Out, Bits<TIME_WORD_BITS>>,
            /// SYNC_EPOCH.
            pub sync_epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
            /// Servo state, coded as in SERVO_STAT.
            pub servo: Signal<Out, Bits<STATE_BITS>>,
            /// The servo is in TRACK.
            pub locked: Signal<Out, Bit>,
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
            core: $core<PORTS, F, FLITS_W, BEAT, PHY, TREES, 0, $stops, DDMTD>,
            device: TimeDevice<TREES>,
            stop: ClockStop<TREES>,
        }

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
                    clock: Default::default(),
                    $($ring_clock: Default::default(),)?
                    clear: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    interrupt: Default::default(),
                    local: Default::default(),
                    sync: Default::default(),
                    sync_epoch: Default::default(),
                    servo: Default::default(),
                    locked: Default::default(),
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
                    core: $core::new(config)?,
                    device: TimeDevice::behind(&config.page(), FIFO_DEPTH.1, STOP_CLOCKS)?,
                    stop: ClockStop::new(config.stops),
                })
            }
        }

        impl<
                const PORTS: usize,
                const F: usize,
                const FLITS_W: usize,
                const BEAT: usize,
                const PHY: usize,
                const TREES: usize,
                const DDMTD: usize,
            > Logic for $name<PORTS, F, FLITS_W, BEAT, PHY, TREES, DDMTD>
        {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, device, core, stop);
                $(self.core.$ring_clock.next = self.$ring_clock.val();)?
                self.device.clear.next = self.clear.val();
                self.core.clear.next = self.clear.val();
                self.stop.clear.next = self.clear.val();

                // Registers.
                self.device.addr.next = self.addr.val();
                self.device.wdata.next = self.wdata.val();
                self.device.we.next = self.we.val();
                self.device.re.next = self.re.val();
                self.rdata.next = self.device.rdata.val();
                self.ack.next = self.device.ack.val();
                self.interrupt.next = self.device.interrupt.val();
                self.core.word.next = self.device.word.val();
                self.core.data.next = self.device.data.val();
                self.core.write.next = self.device.write.val();
                self.core.to_ring.next = self.device.to_ring.val();
                self.core.to_port.next = self.device.to_port.val();
                self.core.port.next = self.device.port.val();
                FlowOut::<Bits<64>>::join(&mut self.core.ring_answer, &mut self.device.ring_answer);
                FlowOut::<Bits<64>>::join(&mut self.core.port_answer, &mut self.device.port_answer);
                self.device.port_refused.next = self.core.port_refused.val();
                self.device.epoch_changed.next = self.core.epoch_changed.val();
                self.device.ldm_done.next = self.core.ldm_done.val();
                self.core.inc_f.next = self.device.inc_f.val();
                self.core.wper.next = self.device.wper.val();
                self.core.locked.next = self.device.locked.val();
                self.local.next = self.device.local.val();
                self.sync.next = self.device.sync.val();
                self.sync_epoch.next = self.device.sync_epoch.val();
                self.servo.next = self.device.state.val();
                self.locked.next = self.device.locked.val();

                // The clock stop.
                self.stop.inc_f.next = self.device.inc_f.val();
                self.stop.rper.next = self.core.rper.val();
                for i in 0..TREES {
                    self.stop.source[i].next = self.core.source[i].val();
                }
                self.stop.slave_en.next = self.device.slave_en.val();
                self.device.lag.next = self.stop.lag.val();
                StreamOut::<Bits<BEAT_BITS>>::join(&mut self.device.time_out, &mut self.stop.beats);
                FlowOut::<Bits<48>>::join(&mut self.stop.low, &mut self.device.low);
                FlowOut::<Bits<48>>::join(&mut self.stop.high, &mut self.device.high);
                self.core.dropped.next = self.stop.dropped.val();
                self.core.odd.next = self.stop.ring_parity.val();
                for i in 0..2 {
                    StreamOut::<Bits<INSERT_BITS>>::join(&mut self.stop.insert[i], &mut self.core.insert[i]);
                    self.core.trees[i].next = self.stop.trees[i].val();
                    FlowOut::<Bits<VALUE_BITS>>::join(&mut self.core.copy[i], &mut self.stop.copy[i]);
                    self.stop.copy_control[i].next = self.core.copy_control[i].val();
                }

                // Links.
                for i in 0..DDMTD {
                    self.core.helper_clock[i].next = self.helper_clock[i].val();
                }
                for i in 0..PORTS {
                    self.core.tx_clock[i].next = self.tx_clock[i].val();
                    self.core.rx_clock[i].next = self.rx_clock[i].val();
                    FlowIn::<Bits<8>>::link(&mut self.tx_phase[i], &mut self.core.tx_phase[i]);
                    FlowIn::<Bits<8>>::link(&mut self.rx_phase[i], &mut self.core.rx_phase[i]);
                    self.core.tx_fill[i].next = self.tx_fill[i].val();
                    self.core.rx_fill[i].next = self.rx_fill[i].val();
                    self.core.state[i].next = self.state[i].val();
                    self.core.tx_mode[i].next = self.tx_mode[i].val();
                    self.core.tx_lanes[i].next = self.tx_lanes[i].val();
                    self.core.rx_lanes[i].next = self.rx_lanes[i].val();
                    self.core.tx_last_lane[i].next = self.tx_last_lane[i].val();
                    self.core.tx_idle[i].next = self.tx_idle[i].val();
                    self.core.tx_position[i].next = self.tx_position[i].val();
                    self.core.tx_words[i].next = self.tx_words[i].val();
                    self.core.rx_position[i].next = self.rx_position[i].val();
                    self.core.rx_words[i].next = self.rx_words[i].val();
                    FlowIn::<Bits<FLITS_W>>::link(&mut self.spc_out[i], &mut self.core.spc_out[i]);
                    self.core.tx_open[i].next = self.tx_open[i].val();
                    StreamOut::<Bits<FLITS_W>>::link(&mut self.time_in[i], &mut self.core.time_in[i]);
                    self.time_mode[i].next = self.core.time_mode[i].val();
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let source = crate::time::port::source_label(BEAT, PHY, DDMTD);
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

        drive_ports!(impl[const PORTS: usize, const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const TREES: usize, const DDMTD: usize] $name<PORTS, F, FLITS_W, BEAT, PHY, TREES, DDMTD> {
            clock, $($ring_clock,)? clear, addr, wdata, we, re, rdata, ack, interrupt, local, sync, sync_epoch, servo, locked, tx_clock, rx_clock, helper_clock, tx_phase, rx_phase, tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, time_in, time_mode,
        });
    };
}

clock_switch!(TimeClockSwitch4, SwitchCore4, 4, []);
clock_switch!(TimeClockSwitch8, SwitchCore8, 8, []);
clock_switch!(TimeClockSwitch16, SwitchCore16, 16, []);
clock_switch!(FastRingClockSwitch4, FastRingCore4, 4, [ring_clock]);
clock_switch!(FastRingClockSwitch8, FastRingCore8, 8, [ring_clock]);
clock_switch!(FastRingClockSwitch16, FastRingCore16, 16, [ring_clock]);
