//! Two ports and a `phy_loop` for each direction between them, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::LANE_IN_BITS;
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{CrcModes, LinkPort1, LinkPort2, LinkPort4, PortConfig};
use flitforge_hdl::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamIn};
use rust_hdl::prelude::*;
use std::array;

macro_rules! port_pair {
    ($name:ident, $port:ident, $flits:literal, $bits:literal, $lanes:literal, $slots:literal, $slot_bits:literal, $address_bits:literal, $modes:expr, $wide:literal, [$near_probation:literal, $far_probation:literal]) => {
        /// End 0 and end 1. Element 0 of an array belongs to end 0, of a channel to the direction from it.
        #[derive(LogicBlock)]
        pub struct $name {
            pub clock: Signal<In, Clock>,
            pub clear: [Signal<In, Bit>; 2],
            pub phy_clear: Signal<In, Bit>,
            /// The lanes take no words in this clock, so that they may be slower than the core.
            pub hold: Signal<In, Bit>,
            pub addr: [Signal<In, Bits<WORD_ADDRESS_BITS>>; 2],
            pub wdata: [Signal<In, Bits<64>>; 2],
            pub we: [Signal<In, Bit>; 2],
            pub re: [Signal<In, Bit>; 2],
            pub rdata: [Signal<Out, Bits<64>>; 2],
            pub ack: [Signal<Out, Bit>; 2],
            pub interrupt: [Signal<Out, Bit>; 2],
            pub flits_in: [StreamIn<Bits<$bits>>; 2],
            pub time_in: [StreamIn<Bits<$bits>>; 2],
            pub time_mode: [Signal<In, Bit>; 2],
            pub side_in: [FlowIn<Bits<2>>; 2],
            pub tx_open: [Signal<Out, Bit>; 2],
            pub ltp_start: [Signal<Out, Bit>; 2],
            pub flits_out: [FlowOut<Bits<$bits>>; 2],
            pub spc_out: [FlowOut<Bits<$bits>>; 2],
            pub side_out: [FlowOut<Bits<2>>; 2],
            pub beat_late: [Signal<Out, Bit>; 2],
            pub beat_index: [Signal<Out, Bits<4>>; 2],
            pub beat_state: [Signal<Out, Bits<2>>; 2],
            pub restart: [Signal<Out, Bit>; 2],
            pub state: [Signal<Out, Bits<3>>; 2],
            pub tx_lanes: [Signal<Out, Bits<4>>; 2],
            pub rx_lanes: [Signal<Out, Bits<4>>; 2],
            pub tx_position: [Signal<Out, Bits<POSITION_BITS>>; 2],
            pub tx_words: [Signal<Out, Bits<WORD_COUNT_BITS>>; 2],
            pub rx_position: [Signal<Out, Bits<POSITION_BITS>>; 2],
            pub rx_words: [Signal<Out, Bits<WORD_COUNT_BITS>>; 2],
            pub bist_start: [Signal<In, Bit>; 2],
            pub bist_end: [Signal<In, Bit>; 2],
            pub test_rows_in: [StreamIn<Bits<128>>; 2],
            pub test_rows_out: [FlowOut<Bits<128>>; 2],
            pub damage: [Signal<In, Bit>; 2],
            pub signal_ok: [Signal<In, Bits<4>>; 2],
            pub elastic_error: [Signal<In, Bit>; 2],
            pub elastic_fill: [Signal<In, Bits<8>>; 2],
            /// Words taken in this clock get errors.
            pub error_enable: [Signal<In, Bit>; 2],
            pub error_lanes: [Signal<In, Bits<4>>; 2],
            pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 2],
            /// Words of delay, all lanes.
            pub delay: [Signal<In, Bits<4>>; 2],
            /// Lanes that carry words.
            pub alive: [Signal<In, Bits<4>>; 2],
            /// Lanes that the receiving PHY of the end is to invert.
            pub invert: [Signal<Out, Bits<4>>; 2],
            /// The words come from `relay_...`, not from the loop.
            pub relay: [Signal<In, Bit>; 2],
            pub line_there: [FlowOut<Bits<LANE_IN_BITS>>; $lanes],
            pub line_back: [FlowOut<Bits<LANE_IN_BITS>>; $lanes],
            pub relay_there: [FlowIn<Bits<LANE_IN_BITS>>; $lanes],
            pub relay_back: [FlowIn<Bits<LANE_IN_BITS>>; $lanes],
            near: $port<$lanes, $slot_bits, $address_bits, $wide, $near_probation>,
            far: $port<$lanes, $slot_bits, $address_bits, $wide, $far_probation>,
            there: PhyLoop<$lanes>,
            back: PhyLoop<$lanes>,
        }

        impl $name {
            pub fn new() -> Self {
                let config = |guid, probation| PortConfig {
                    guid,
                    modes: $modes,
                    probation: probation == 1,
                    ..PortConfig::short($flits, $lanes, $slots)
                };
                Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    phy_clear: Default::default(),
                    hold: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    interrupt: Default::default(),
                    flits_in: Default::default(),
                    time_in: Default::default(),
                    time_mode: Default::default(),
                    side_in: Default::default(),
                    tx_open: Default::default(),
                    ltp_start: Default::default(),
                    flits_out: Default::default(),
                    spc_out: Default::default(),
                    side_out: Default::default(),
                    beat_late: Default::default(),
                    beat_index: Default::default(),
                    beat_state: Default::default(),
                    restart: Default::default(),
                    state: Default::default(),
                    tx_lanes: Default::default(),
                    rx_lanes: Default::default(),
                    tx_position: Default::default(),
                    tx_words: Default::default(),
                    rx_position: Default::default(),
                    rx_words: Default::default(),
                    bist_start: Default::default(),
                    bist_end: Default::default(),
                    test_rows_in: Default::default(),
                    test_rows_out: Default::default(),
                    damage: Default::default(),
                    signal_ok: Default::default(),
                    elastic_error: Default::default(),
                    elastic_fill: Default::default(),
                    error_enable: Default::default(),
                    error_lanes: Default::default(),
                    error_mask: Default::default(),
                    delay: Default::default(),
                    alive: Default::default(),
                    invert: Default::default(),
                    relay: Default::default(),
                    line_there: array::from_fn(|_| Default::default()),
                    line_back: array::from_fn(|_| Default::default()),
                    relay_there: array::from_fn(|_| Default::default()),
                    relay_back: array::from_fn(|_| Default::default()),
                    near: $port::new(&config(NEAR_GUID, $near_probation)).expect("valid"),
                    far: $port::new(&config(FAR_GUID, $far_probation)).expect("valid"),
                    there: PhyLoop::new().expect("valid"),
                    back: PhyLoop::new().expect("valid"),
                }
            }
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, near, far, there, back);
                self.there.clear.next = self.phy_clear.val();
                self.back.clear.next = self.phy_clear.val();
                self.near.addr.next = self.addr[0].val();
                self.near.wdata.next = self.wdata[0].val();
                self.near.we.next = self.we[0].val();
                self.near.re.next = self.re[0].val();
                self.near.time_mode.next = self.time_mode[0].val();
                self.near.bist_start.next = self.bist_start[0].val();
                self.near.bist_end.next = self.bist_end[0].val();
                self.near.damage.next = self.damage[0].val();
                self.near.renew.next = false;
                self.near.bond_skew.next = 0.into();
                self.near.fabric_events.next = 0.into();
                self.near.credit_word.next = 0.into();
                self.near.signal_ok.next = self.signal_ok[0].val();
                self.near.elastic_error.next = self.elastic_error[0].val();
                self.near.elastic_fill.next = self.elastic_fill[0].val();
                self.near.clear.next = self.clear[0].val();
                self.near.lane_lock.next = self.signal_ok[0].val();
                self.rdata[0].next = self.near.rdata.val();
                self.ack[0].next = self.near.ack.val();
                self.interrupt[0].next = self.near.interrupt.val();
                self.tx_open[0].next = self.near.tx_open.val();
                self.ltp_start[0].next = self.near.ltp_start.val();
                self.beat_late[0].next = self.near.beat_late.val();
                self.beat_index[0].next = self.near.beat_index.val();
                self.beat_state[0].next = self.near.beat_state.val();
                self.invert[0].next = self.near.invert.val();
                self.restart[0].next = self.near.restart.val();
                self.state[0].next = self.near.state.val();
                self.tx_lanes[0].next = self.near.tx_lanes.val();
                self.rx_lanes[0].next = self.near.rx_lanes.val();
                self.tx_position[0].next = self.near.tx_position.val();
                self.tx_words[0].next = self.near.tx_words.val();
                self.rx_position[0].next = self.near.rx_position.val();
                self.rx_words[0].next = self.near.rx_words.val();
                StreamIn::<Bits<$bits>>::link(&mut self.flits_in[0], &mut self.near.flits_in);
                StreamIn::<Bits<$bits>>::link(&mut self.time_in[0], &mut self.near.time_in);
                FlowIn::<Bits<2>>::link(&mut self.side_in[0], &mut self.near.side_in);
                StreamIn::<Bits<128>>::link(&mut self.test_rows_in[0], &mut self.near.test_rows_in);
                FlowOut::<Bits<$bits>>::link(&mut self.flits_out[0], &mut self.near.flits_out);
                FlowOut::<Bits<$bits>>::link(&mut self.spc_out[0], &mut self.near.spc_out);
                FlowOut::<Bits<2>>::link(&mut self.side_out[0], &mut self.near.side_out);
                FlowOut::<Bits<128>>::link(&mut self.test_rows_out[0], &mut self.near.test_rows_out);
                self.there.error_enable.next = self.error_enable[0].val();
                self.there.error_lanes.next = self.error_lanes[0].val();
                self.there.error_mask.next = self.error_mask[0].val();
                self.far.addr.next = self.addr[1].val();
                self.far.wdata.next = self.wdata[1].val();
                self.far.we.next = self.we[1].val();
                self.far.re.next = self.re[1].val();
                self.far.time_mode.next = self.time_mode[1].val();
                self.far.bist_start.next = self.bist_start[1].val();
                self.far.bist_end.next = self.bist_end[1].val();
                self.far.damage.next = self.damage[1].val();
                self.far.renew.next = false;
                self.far.bond_skew.next = 0.into();
                self.far.fabric_events.next = 0.into();
                self.far.credit_word.next = 0.into();
                self.far.signal_ok.next = self.signal_ok[1].val();
                self.far.elastic_error.next = self.elastic_error[1].val();
                self.far.elastic_fill.next = self.elastic_fill[1].val();
                self.far.clear.next = self.clear[1].val();
                self.far.lane_lock.next = self.signal_ok[1].val();
                self.rdata[1].next = self.far.rdata.val();
                self.ack[1].next = self.far.ack.val();
                self.interrupt[1].next = self.far.interrupt.val();
                self.tx_open[1].next = self.far.tx_open.val();
                self.ltp_start[1].next = self.far.ltp_start.val();
                self.beat_late[1].next = self.far.beat_late.val();
                self.beat_index[1].next = self.far.beat_index.val();
                self.beat_state[1].next = self.far.beat_state.val();
                self.invert[1].next = self.far.invert.val();
                self.restart[1].next = self.far.restart.val();
                self.state[1].next = self.far.state.val();
                self.tx_lanes[1].next = self.far.tx_lanes.val();
                self.rx_lanes[1].next = self.far.rx_lanes.val();
                self.tx_position[1].next = self.far.tx_position.val();
                self.tx_words[1].next = self.far.tx_words.val();
                self.rx_position[1].next = self.far.rx_position.val();
                self.rx_words[1].next = self.far.rx_words.val();
                StreamIn::<Bits<$bits>>::link(&mut self.flits_in[1], &mut self.far.flits_in);
                StreamIn::<Bits<$bits>>::link(&mut self.time_in[1], &mut self.far.time_in);
                FlowIn::<Bits<2>>::link(&mut self.side_in[1], &mut self.far.side_in);
                StreamIn::<Bits<128>>::link(&mut self.test_rows_in[1], &mut self.far.test_rows_in);
                FlowOut::<Bits<$bits>>::link(&mut self.flits_out[1], &mut self.far.flits_out);
                FlowOut::<Bits<$bits>>::link(&mut self.spc_out[1], &mut self.far.spc_out);
                FlowOut::<Bits<2>>::link(&mut self.side_out[1], &mut self.far.side_out);
                FlowOut::<Bits<128>>::link(&mut self.test_rows_out[1], &mut self.far.test_rows_out);
                self.back.error_enable.next = self.error_enable[1].val();
                self.back.error_lanes.next = self.error_lanes[1].val();
                self.back.error_mask.next = self.error_mask[1].val();
                for i in 0..$lanes {
                    self.there.delay[i].next = self.delay[0].val();
                    self.back.delay[i].next = self.delay[1].val();
                    self.there.tx[i].data.next = self.near.tx[i].data.val();
                    self.there.tx[i].valid.next = self.near.tx[i].valid.val() & !self.hold.val();
                    self.near.tx[i].ready.next = self.there.tx[i].ready.val() & !self.hold.val();
                    self.back.tx[i].data.next = self.far.tx[i].data.val();
                    self.back.tx[i].valid.next = self.far.tx[i].valid.val() & !self.hold.val();
                    self.far.tx[i].ready.next = self.back.tx[i].ready.val() & !self.hold.val();
                    self.line_there[i].valid.next =
                        self.there.rx[i].valid.val() & self.alive[0].val().get_bit(i);
                    self.line_there[i].data.next = self.there.rx[i].data.val();
                    self.line_back[i].valid.next =
                        self.back.rx[i].valid.val() & self.alive[1].val().get_bit(i);
                    self.line_back[i].data.next = self.back.rx[i].data.val();
                    self.far.rx[i].valid.next = self.there.rx[i].valid.val() & self.alive[0].val().get_bit(i);
                    self.far.rx[i].data.next = self.there.rx[i].data.val();
                    if self.relay[0].val() {
                        self.far.rx[i].valid.next = self.relay_there[i].valid.val();
                        self.far.rx[i].data.next = self.relay_there[i].data.val();
                    }
                    self.near.rx[i].valid.next = self.back.rx[i].valid.val() & self.alive[1].val().get_bit(i);
                    self.near.rx[i].data.next = self.back.rx[i].data.val();
                    if self.relay[1].val() {
                        self.near.rx[i].valid.next = self.relay_back[i].valid.val();
                        self.near.rx[i].data.next = self.relay_back[i].data.val();
                    }
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("link_port_pair", &[])
            }
        }

        drive_ports!(impl[] $name {
            clock, clear, phy_clear, hold, addr, wdata, we, re, rdata, ack, interrupt, flits_in, time_in, time_mode, side_in, tx_open,
            ltp_start, flits_out, spc_out, side_out, beat_late, beat_index, beat_state, restart, state, tx_lanes, rx_lanes, tx_position, tx_words, rx_position, rx_words, bist_start, bist_end, test_rows_in,
            test_rows_out, damage, signal_ok, elastic_error, elastic_fill, error_enable, error_lanes, error_mask, delay, alive,
            invert, relay, line_there, line_back, relay_there, relay_back,
        });
    };
}

/// GUID of end 0.
pub const NEAR_GUID: u64 = 0x1122_3344_5566_7788;
/// GUID of end 1.
pub const FAR_GUID: u64 = 0x99AA_BBCC_DDEE_FF00;

port_pair!(PortPair, LinkPort2, 2, 130, 4, 128, 7, 10, CrcModes::Narrow, 0, [0, 0]);
port_pair!(PortPairSmall, LinkPort2, 2, 130, 4, 16, 4, 7, CrcModes::Narrow, 0, [0, 0]);
port_pair!(PortPairQuad, LinkPort4, 4, 260, 4, 16, 4, 6, CrcModes::Narrow, 0, [0, 0]);
port_pair!(PortPairNarrow, LinkPort1, 1, 65, 1, 16, 4, 8, CrcModes::Narrow, 0, [0, 0]);
port_pair!(PortPairAll, LinkPort2, 2, 130, 4, 16, 4, 7, CrcModes::All, 1, [0, 0]);
port_pair!(PortPairAllQuad, LinkPort4, 4, 260, 4, 16, 4, 6, CrcModes::All, 1, [0, 0]);
port_pair!(PortPairAllNarrow, LinkPort1, 1, 65, 4, 16, 4, 8, CrcModes::All, 1, [0, 0]);
port_pair!(PortPairProbation, LinkPort2, 2, 130, 4, 16, 4, 7, CrcModes::Narrow, 0, [1, 1]);
port_pair!(PortPairOneProbation, LinkPort2, 2, 130, 4, 16, 4, 7, CrcModes::Narrow, 0, [1, 0]);
