//! Two bonded ports with their fabric sublayer and a `phy_loop` for each direction of each of two links between them, as one block.

use crate::fab_port::pair::{BUFFER, MTU};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::fabric::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl::fabric::port::{FabBondedPort1, FabBondedPort2, FabPortConfig};
use flitforge_hdl::link::bonded::BUS_ADDRESS_BITS;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};
use rust_hdl::prelude::*;
use std::array;

/// Links of a bond.
pub const LINKS: usize = 2;

macro_rules! bonded_pair {
    ($name:ident, $port:ident, $flits:literal, $word:literal, $lanes:literal, $all:literal, [$($numbers:literal),*]) => {
        /// End 0 and end 1, four virtual lanes. Element 0 of an array belongs to end 0, and what there is of each link or virtual lane has those
        /// of end 0 first. Way 0 and 1 are the links from end 0, 2 and 3 those from end 1.
        #[derive(LogicBlock)]
        pub struct $name {
            pub clock: Signal<In, Clock>,
            pub clear: [Signal<In, Bit>; 2],
            pub addr: [Signal<In, Bits<BUS_ADDRESS_BITS>>; 2],
            pub wdata: [Signal<In, Bits<64>>; 2],
            pub we: [Signal<In, Bit>; 2],
            pub re: [Signal<In, Bit>; 2],
            pub rdata: [Signal<Out, Bits<64>>; 2],
            pub ack: [Signal<Out, Bit>; 2],
            pub interrupt: [Signal<Out, Bit>; 2],
            pub header_in: [StreamIn<Bits<REQUEST_BITS>>; 8],
            pub words_in: [StreamIn<Bits<$word>>; 8],
            pub refused: [FlowOut<Bits<REFUSAL_BITS>>; 8],
            pub header_out: [StreamOut<Bits<HEADER_BITS>>; 8],
            pub words_out: [StreamOut<Bits<$word>>; 8],
            pub end_out: [StreamOut<Bits<END_BITS>>; 8],
            pub restart: [Signal<Out, Bit>; 2],
            pub up: [Signal<Out, Bit>; 2],
            pub order_error: [Signal<Out, Bit>; 2],
            pub overflow: [Signal<Out, Bit>; 2],
            pub state: [Signal<Out, Bits<3>>; 4],
            /// At the port that receives, by end and link; 0 is a cable that is cut.
            pub signal_ok: [Signal<In, Bits<4>>; 4],
            /// Cable 0 of an end goes to link 1 of the other, and the other way round.
            pub crossed: Signal<In, Bit>,
            /// Words taken by this way in this clock get errors.
            pub error_enable: [Signal<In, Bit>; 4],
            pub error_lanes: [Signal<In, Bits<4>>; 4],
            pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 4],
            /// The words of this way come from `relay_...`, not from the loop.
            pub relay: [Signal<In, Bit>; 4],
            pub line_there: [FlowOut<Bits<LANE_IN_BITS>>; $all],
            pub line_back: [FlowOut<Bits<LANE_IN_BITS>>; $all],
            pub relay_there: [FlowIn<Bits<LANE_IN_BITS>>; $all],
            pub relay_back: [FlowIn<Bits<LANE_IN_BITS>>; $all],
            near: $port<$($numbers),*>,
            far: $port<$($numbers),*>,
            way: [PhyLoop<$lanes>; 4],
            there_valid: [Signal<Local, Bit>; $all],
            there: [Signal<Local, Bits<LANE_IN_BITS>>; $all],
            back_valid: [Signal<Local, Bit>; $all],
            back: [Signal<Local, Bits<LANE_IN_BITS>>; $all],
        }

        impl $name {
            pub fn new() -> Self {
                let link = PortConfig::short($flits, $lanes, 16);
                let config = FabPortConfig::new(link, 4, BUFFER).with_mtu(MTU).bonding(LINKS);
                Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    interrupt: Default::default(),
                    header_in: array::from_fn(|_| Default::default()),
                    words_in: array::from_fn(|_| Default::default()),
                    refused: array::from_fn(|_| Default::default()),
                    header_out: array::from_fn(|_| Default::default()),
                    words_out: array::from_fn(|_| Default::default()),
                    end_out: array::from_fn(|_| Default::default()),
                    restart: Default::default(),
                    up: Default::default(),
                    order_error: Default::default(),
                    overflow: Default::default(),
                    state: Default::default(),
                    signal_ok: Default::default(),
                    crossed: Default::default(),
                    error_enable: Default::default(),
                    error_lanes: Default::default(),
                    error_mask: Default::default(),
                    relay: Default::default(),
                    line_there: array::from_fn(|_| Default::default()),
                    line_back: array::from_fn(|_| Default::default()),
                    relay_there: array::from_fn(|_| Default::default()),
                    relay_back: array::from_fn(|_| Default::default()),
                    near: $port::new(&config).expect("valid"),
                    far: $port::new(&config).expect("valid"),
                    way: array::from_fn(|_| PhyLoop::new().expect("valid")),
                    there_valid: array::from_fn(|_| Default::default()),
                    there: array::from_fn(|_| Default::default()),
                    back_valid: array::from_fn(|_| Default::default()),
                    back: array::from_fn(|_| Default::default()),
                }
            }
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, near, far);
                self.near.clear.next = self.clear[0].val();
                self.near.clear_counters.next = false;
                self.near.time_mode.next = false;
                self.near.elastic_error.next = 0.into();
                self.near.addr.next = self.addr[0].val();
                self.near.wdata.next = self.wdata[0].val();
                self.near.we.next = self.we[0].val();
                self.near.re.next = self.re[0].val();
                self.rdata[0].next = self.near.rdata.val();
                self.ack[0].next = self.near.ack.val();
                self.interrupt[0].next = self.near.interrupt.val();
                self.restart[0].next = self.near.restart.val();
                self.up[0].next = self.near.up.val();
                self.order_error[0].next = self.near.order_error.val();
                self.overflow[0].next = self.near.bond_overflow.val();
                self.far.clear.next = self.clear[1].val();
                self.far.clear_counters.next = false;
                self.far.time_mode.next = false;
                self.far.elastic_error.next = 0.into();
                self.far.addr.next = self.addr[1].val();
                self.far.wdata.next = self.wdata[1].val();
                self.far.we.next = self.we[1].val();
                self.far.re.next = self.re[1].val();
                self.rdata[1].next = self.far.rdata.val();
                self.ack[1].next = self.far.ack.val();
                self.interrupt[1].next = self.far.interrupt.val();
                self.restart[1].next = self.far.restart.val();
                self.up[1].next = self.far.up.val();
                self.order_error[1].next = self.far.order_error.val();
                self.overflow[1].next = self.far.bond_overflow.val();
                for v in 0..4 {
                    StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in[v], &mut self.near.header_in[v]);
                    StreamIn::<Bits<$word>>::link(&mut self.words_in[v], &mut self.near.words_in[v]);
                    FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v], &mut self.near.refused[v]);
                    StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out[v], &mut self.near.header_out[v]);
                    StreamOut::<Bits<$word>>::link(&mut self.words_out[v], &mut self.near.words_out[v]);
                    StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v], &mut self.near.end_out[v]);
                    StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in[v + 4], &mut self.far.header_in[v]);
                    StreamIn::<Bits<$word>>::link(&mut self.words_in[v + 4], &mut self.far.words_in[v]);
                    FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v + 4], &mut self.far.refused[v]);
                    StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out[v + 4], &mut self.far.header_out[v]);
                    StreamOut::<Bits<$word>>::link(&mut self.words_out[v + 4], &mut self.far.words_out[v]);
                    StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v + 4], &mut self.far.end_out[v]);
                }

                // Lines, and somebody in the middle.
                for i in 0..2 {
                    self.near.time_in[i].valid.next = false;
                    self.near.time_in[i].data.next = 0.into();
                    self.near.elastic_fill[i].next = 0.into();
                    self.near.signal_ok[i].next = self.signal_ok[i].val();
                    self.near.lane_lock[i].next = self.signal_ok[i].val();
                    self.state[i].next = self.near.state[i].val();
                    self.far.time_in[i].valid.next = false;
                    self.far.time_in[i].data.next = 0.into();
                    self.far.elastic_fill[i].next = 0.into();
                    self.far.signal_ok[i].next = self.signal_ok[i + 2].val();
                    self.far.lane_lock[i].next = self.signal_ok[i + 2].val();
                    self.state[i + 2].next = self.far.state[i].val();
                    for j in 0..$lanes {
                        StreamOut::<Bits<LANE_BITS>>::join(
                            &mut self.near.tx[i * $lanes + j],
                            &mut self.way[i].tx[j],
                        );
                        StreamOut::<Bits<LANE_BITS>>::join(
                            &mut self.far.tx[i * $lanes + j],
                            &mut self.way[i + 2].tx[j],
                        );
                        self.line_there[i * $lanes + j].valid.next = self.way[i].rx[j].valid.val();
                        self.line_there[i * $lanes + j].data.next = self.way[i].rx[j].data.val();
                        self.line_back[i * $lanes + j].valid.next = self.way[i + 2].rx[j].valid.val();
                        self.line_back[i * $lanes + j].data.next = self.way[i + 2].rx[j].data.val();
                        self.there_valid[i * $lanes + j].next = self.way[i].rx[j].valid.val();
                        self.there[i * $lanes + j].next = self.way[i].rx[j].data.val();
                        if self.relay[i].val() {
                            self.there_valid[i * $lanes + j].next =
                                self.relay_there[i * $lanes + j].valid.val();
                            self.there[i * $lanes + j].next = self.relay_there[i * $lanes + j].data.val();
                        }
                        self.back_valid[i * $lanes + j].next = self.way[i + 2].rx[j].valid.val();
                        self.back[i * $lanes + j].next = self.way[i + 2].rx[j].data.val();
                        if self.relay[i + 2].val() {
                            self.back_valid[i * $lanes + j].next = self.relay_back[i * $lanes + j].valid.val();
                            self.back[i * $lanes + j].next = self.relay_back[i * $lanes + j].data.val();
                        }
                    }
                }
                for i in 0..4 {
                    self.way[i].clock.next = self.clock.val();
                    self.way[i].clear.next = false;
                    self.way[i].error_enable.next = self.error_enable[i].val();
                    self.way[i].error_lanes.next = self.error_lanes[i].val();
                    self.way[i].error_mask.next = self.error_mask[i].val();
                    for j in 0..$lanes {
                        self.way[i].delay[j].next = 0.into();
                    }
                }

                // Cables.
                for i in 0..2 {
                    for j in 0..$lanes {
                        self.far.rx[i * $lanes + j].valid.next =
                            self.there_valid[i * $lanes + j].val() & self.signal_ok[i + 2].val().any();
                        self.far.rx[i * $lanes + j].data.next = self.there[i * $lanes + j].val();
                        self.near.rx[i * $lanes + j].valid.next =
                            self.back_valid[i * $lanes + j].val() & self.signal_ok[i].val().any();
                        self.near.rx[i * $lanes + j].data.next = self.back[i * $lanes + j].val();
                        if self.crossed.val() {
                            self.far.rx[i * $lanes + j].valid.next =
                                self.there_valid[(1 - i) * $lanes + j].val() & self.signal_ok[i + 2].val().any();
                            self.far.rx[i * $lanes + j].data.next = self.there[(1 - i) * $lanes + j].val();
                            self.near.rx[i * $lanes + j].valid.next =
                                self.back_valid[(1 - i) * $lanes + j].val() & self.signal_ok[i].val().any();
                            self.near.rx[i * $lanes + j].data.next = self.back[(1 - i) * $lanes + j].val();
                        }
                    }
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("fab_bonded_pair", &[])
            }
        }

        drive_ports!(impl[] $name {
            clock, clear, addr, wdata, we, re, rdata, ack, interrupt, header_in, words_in, refused, header_out, words_out, end_out,
            restart, up, order_error, overflow, state, signal_ok, crossed, error_enable, error_lanes, error_mask, relay, line_there,
            line_back, relay_there, relay_back,
        });
    };
}

// log2 R, log2(16 R / F), with one more, virtual lanes, with one more, 16 bits each, log2 of the wide beats of a buffer, with one more.
bonded_pair!(BondedFabPair, FabBondedPort2, 2, 263, 4, 8, [4, 7, 8, 4, 5, 64, 5, 6]);
bonded_pair!(BondedFabPairNarrow, FabBondedPort1, 1, 134, 1, 2, [4, 8, 9, 4, 5, 64, 6, 7]);
