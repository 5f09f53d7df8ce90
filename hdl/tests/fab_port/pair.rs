//! Two ports with their fabric sublayer and a `phy_loop` for each direction between them, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::fabric::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl::fabric::port::{FabPort1, FabPort2, FabPortConfig};
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};
use rust_hdl::prelude::*;
use std::array;

/// Bytes of buffer of each virtual lane.
pub const BUFFER: usize = 1_024;
/// Largest packet, bytes.
pub const MTU: usize = 256;

macro_rules! fab_pair {
    ($name:ident, $port:ident, $flits:literal, $word:literal, $lanes:literal, $slots:literal, $vls:literal, $both:literal,
     [$($numbers:literal),*]) => {
        /// End 0 and end 1. Element 0 of an array belongs to end 0, of a channel to the direction from it; what there is of each virtual
        /// lane has those of end 0 first.
        #[derive(LogicBlock)]
        pub struct $name {
            pub clock: Signal<In, Clock>,
            pub clear: [Signal<In, Bit>; 2],
            pub addr: [Signal<In, Bits<WORD_ADDRESS_BITS>>; 2],
            pub wdata: [Signal<In, Bits<64>>; 2],
            pub we: [Signal<In, Bit>; 2],
            pub re: [Signal<In, Bit>; 2],
            pub rdata: [Signal<Out, Bits<64>>; 2],
            pub ack: [Signal<Out, Bit>; 2],
            pub interrupt: [Signal<Out, Bit>; 2],
            pub header_in: [StreamIn<Bits<REQUEST_BITS>>; $both],
            pub words_in: [StreamIn<Bits<$word>>; $both],
            pub refused: [FlowOut<Bits<REFUSAL_BITS>>; $both],
            pub header_out: [StreamOut<Bits<HEADER_BITS>>; $both],
            pub words_out: [StreamOut<Bits<$word>>; $both],
            pub end_out: [StreamOut<Bits<END_BITS>>; $both],
            pub restart: [Signal<Out, Bit>; 2],
            pub state: [Signal<Out, Bits<3>>; 2],
            pub damage: [Signal<In, Bit>; 2],
            pub signal_ok: [Signal<In, Bits<4>>; 2],
            pub elastic_error: [Signal<In, Bit>; 2],
            /// Words taken in this clock get errors.
            pub error_enable: [Signal<In, Bit>; 2],
            pub error_lanes: [Signal<In, Bits<4>>; 2],
            pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 2],
            /// The words come from `relay_...`, not from the loop.
            pub relay: [Signal<In, Bit>; 2],
            pub line_there: [FlowOut<Bits<LANE_IN_BITS>>; $lanes],
            pub line_back: [FlowOut<Bits<LANE_IN_BITS>>; $lanes],
            pub relay_there: [FlowIn<Bits<LANE_IN_BITS>>; $lanes],
            pub relay_back: [FlowIn<Bits<LANE_IN_BITS>>; $lanes],
            near: $port<$lanes, $($numbers),*>,
            far: $port<$lanes, $($numbers),*>,
            there: PhyLoop<$lanes>,
            back: PhyLoop<$lanes>,
        }

        impl $name {
            pub fn new() -> Self {
                let link = PortConfig::short($flits, $lanes, $slots);
                let config = FabPortConfig::new(link, $vls, BUFFER).with_mtu(MTU);
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
                    state: Default::default(),
                    damage: Default::default(),
                    signal_ok: Default::default(),
                    elastic_error: Default::default(),
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
                    there: PhyLoop::new().expect("valid"),
                    back: PhyLoop::new().expect("valid"),
                }
            }
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, near, far, there, back);
                self.there.clear.next = false;
                self.back.clear.next = false;
                self.near.addr.next = self.addr[0].val();
                self.near.wdata.next = self.wdata[0].val();
                self.near.we.next = self.we[0].val();
                self.near.re.next = self.re[0].val();
                self.near.damage.next = self.damage[0].val();
                self.near.signal_ok.next = self.signal_ok[0].val();
                self.near.elastic_error.next = self.elastic_error[0].val();
                self.near.clear.next = self.clear[0].val();
                self.near.lane_lock.next = self.signal_ok[0].val();
                self.near.time_in.valid.next = false;
                self.near.time_in.data.next = 0.into();
                self.near.time_mode.next = false;
                self.near.bist_start.next = false;
                self.near.bist_end.next = false;
                self.near.test_rows_in.valid.next = false;
                self.near.test_rows_in.data.next = 0.into();
                self.near.elastic_fill.next = 0.into();
                self.rdata[0].next = self.near.rdata.val();
                self.ack[0].next = self.near.ack.val();
                self.interrupt[0].next = self.near.interrupt.val();
                self.restart[0].next = self.near.restart.val();
                self.state[0].next = self.near.state.val();
                self.there.error_enable.next = self.error_enable[0].val();
                self.there.error_lanes.next = self.error_lanes[0].val();
                self.there.error_mask.next = self.error_mask[0].val();
                self.far.addr.next = self.addr[1].val();
                self.far.wdata.next = self.wdata[1].val();
                self.far.we.next = self.we[1].val();
                self.far.re.next = self.re[1].val();
                self.far.damage.next = self.damage[1].val();
                self.far.signal_ok.next = self.signal_ok[1].val();
                self.far.elastic_error.next = self.elastic_error[1].val();
                self.far.clear.next = self.clear[1].val();
                self.far.lane_lock.next = self.signal_ok[1].val();
                self.far.time_in.valid.next = false;
                self.far.time_in.data.next = 0.into();
                self.far.time_mode.next = false;
                self.far.bist_start.next = false;
                self.far.bist_end.next = false;
                self.far.test_rows_in.valid.next = false;
                self.far.test_rows_in.data.next = 0.into();
                self.far.elastic_fill.next = 0.into();
                self.rdata[1].next = self.far.rdata.val();
                self.ack[1].next = self.far.ack.val();
                self.interrupt[1].next = self.far.interrupt.val();
                self.restart[1].next = self.far.restart.val();
                self.state[1].next = self.far.state.val();
                self.back.error_enable.next = self.error_enable[1].val();
                self.back.error_lanes.next = self.error_lanes[1].val();
                self.back.error_mask.next = self.error_mask[1].val();
                for v in 0..$vls {
                    StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in[v], &mut self.near.header_in[v]);
                    StreamIn::<Bits<$word>>::link(&mut self.words_in[v], &mut self.near.words_in[v]);
                    FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v], &mut self.near.refused[v]);
                    StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out[v], &mut self.near.header_out[v]);
                    StreamOut::<Bits<$word>>::link(&mut self.words_out[v], &mut self.near.words_out[v]);
                    StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v], &mut self.near.end_out[v]);
                    StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in[v + $vls], &mut self.far.header_in[v]);
                    StreamIn::<Bits<$word>>::link(&mut self.words_in[v + $vls], &mut self.far.words_in[v]);
                    FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v + $vls], &mut self.far.refused[v]);
                    StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out[v + $vls], &mut self.far.header_out[v]);
                    StreamOut::<Bits<$word>>::link(&mut self.words_out[v + $vls], &mut self.far.words_out[v]);
                    StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v + $vls], &mut self.far.end_out[v]);
                }
                for i in 0..$lanes {
                    self.there.delay[i].next = 0.into();
                    self.back.delay[i].next = 0.into();
                    StreamOut::<Bits<LANE_BITS>>::join(&mut self.near.tx[i], &mut self.there.tx[i]);
                    StreamOut::<Bits<LANE_BITS>>::join(&mut self.far.tx[i], &mut self.back.tx[i]);
                    self.line_there[i].valid.next = self.there.rx[i].valid.val();
                    self.line_there[i].data.next = self.there.rx[i].data.val();
                    self.line_back[i].valid.next = self.back.rx[i].valid.val();
                    self.line_back[i].data.next = self.back.rx[i].data.val();
                    self.far.rx[i].valid.next = self.there.rx[i].valid.val();
                    self.far.rx[i].data.next = self.there.rx[i].data.val();
                    if self.relay[0].val() {
                        self.far.rx[i].valid.next = self.relay_there[i].valid.val();
                        self.far.rx[i].data.next = self.relay_there[i].data.val();
                    }
                    self.near.rx[i].valid.next = self.back.rx[i].valid.val();
                    self.near.rx[i].data.next = self.back.rx[i].data.val();
                    if self.relay[1].val() {
                        self.near.rx[i].valid.next = self.relay_back[i].valid.val();
                        self.near.rx[i].data.next = self.relay_back[i].data.val();
                    }
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("fab_port_pair", &[])
            }
        }

        drive_ports!(impl[] $name {
            clock, clear, addr, wdata, we, re, rdata, ack, interrupt, header_in, words_in, refused, header_out, words_out, end_out,
            restart, state, damage, signal_ok, elastic_error, error_enable, error_lanes, error_mask, relay, line_there, line_back,
            relay_there, relay_back,
        });
    };
}

// Lanes, log2 R, log2(16 R / F), virtual lanes, with one more, 16 bits each, log2 of the beats of a buffer, with one more.
fab_pair!(FabPair, FabPort2, 2, 134, 4, 16, 4, 8, [4, 7, 4, 5, 64, 6, 7]);
fab_pair!(FabPairNarrow, FabPort1, 1, 69, 1, 16, 2, 4, [4, 8, 2, 3, 32, 7, 8]);
