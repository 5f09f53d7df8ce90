//! One bonded port with its fabric sublayer whose links come back to themselves: half of a pair for simulators that are slow.

use crate::fab_port::pair::{BUFFER, MTU};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::fabric::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl::fabric::port::{FabBondedPort1, FabPortConfig};
use flitforge_hdl::link::bonded::BUS_ADDRESS_BITS;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};
use rust_hdl::prelude::*;
use std::array;

/// Two links of one lane, one flit per beat; four virtual lanes.
#[derive(LogicBlock)]
pub struct BondedFabLoop {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub addr: Signal<In, Bits<BUS_ADDRESS_BITS>>,
    pub wdata: Signal<In, Bits<64>>,
    pub we: Signal<In, Bit>,
    pub re: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<64>>,
    pub ack: Signal<Out, Bit>,
    pub interrupt: Signal<Out, Bit>,
    pub header_in: [StreamIn<Bits<REQUEST_BITS>>; 4],
    pub words_in: [StreamIn<Bits<134>>; 4],
    pub refused: [FlowOut<Bits<REFUSAL_BITS>>; 4],
    pub header_out: [StreamOut<Bits<HEADER_BITS>>; 4],
    pub words_out: [StreamOut<Bits<134>>; 4],
    pub end_out: [StreamOut<Bits<END_BITS>>; 4],
    pub restart: Signal<Out, Bit>,
    pub up: Signal<Out, Bit>,
    pub state: [Signal<Out, Bits<3>>; 2],
    pub order_error: Signal<Out, Bit>,
    pub signal_ok: [Signal<In, Bits<4>>; 2],
    pub elastic_error: Signal<In, Bits<2>>,
    /// Words taken in this clock get errors.
    pub error_enable: [Signal<In, Bit>; 2],
    pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 2],
    /// Words on the line.
    pub line: [FlowOut<Bits<LANE_IN_BITS>>; 2],
    port: FabBondedPort1<4, 8, 9, 4, 5, 64, 6, 7>,
    phy: [PhyLoop<1>; 2],
}

impl BondedFabLoop {
    pub fn new() -> Self {
        let config = FabPortConfig::new(PortConfig::short(1, 1, 16), 4, BUFFER).with_mtu(MTU).bonding(2);
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
            state: Default::default(),
            order_error: Default::default(),
            signal_ok: Default::default(),
            elastic_error: Default::default(),
            error_enable: Default::default(),
            error_mask: Default::default(),
            line: array::from_fn(|_| Default::default()),
            port: FabBondedPort1::new(&config).expect("valid"),
            phy: array::from_fn(|_| PhyLoop::new().expect("valid")),
        }
    }
}

impl Logic for BondedFabLoop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, port);
        self.port.addr.next = self.addr.val();
        self.port.wdata.next = self.wdata.val();
        self.port.we.next = self.we.val();
        self.port.re.next = self.re.val();
        self.port.elastic_error.next = self.elastic_error.val();
        self.port.clear.next = self.clear.val();
        self.port.clear_counters.next = false;
        self.port.time_mode.next = false;
        self.rdata.next = self.port.rdata.val();
        self.ack.next = self.port.ack.val();
        self.interrupt.next = self.port.interrupt.val();
        self.restart.next = self.port.restart.val();
        self.up.next = self.port.up.val();
        self.order_error.next = self.port.order_error.val();
        for v in 0..4 {
            StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in[v], &mut self.port.header_in[v]);
            StreamIn::<Bits<134>>::link(&mut self.words_in[v], &mut self.port.words_in[v]);
            FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v], &mut self.port.refused[v]);
            StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out[v], &mut self.port.header_out[v]);
            StreamOut::<Bits<134>>::link(&mut self.words_out[v], &mut self.port.words_out[v]);
            StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v], &mut self.port.end_out[v]);
        }
        for i in 0..2 {
            self.port.signal_ok[i].next = self.signal_ok[i].val();
            self.port.lane_lock[i].next = self.signal_ok[i].val();
            self.port.elastic_fill[i].next = 0.into();
            self.port.time_in[i].valid.next = false;
            self.port.time_in[i].data.next = 0.into();
            self.state[i].next = self.port.state[i].val();
            self.phy[i].clock.next = self.clock.val();
            self.phy[i].clear.next = false;
            self.phy[i].error_enable.next = self.error_enable[i].val();
            self.phy[i].error_lanes.next = 1.into();
            self.phy[i].error_mask.next = self.error_mask[i].val();
            self.phy[i].delay[0].next = 0.into();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.port.tx[i], &mut self.phy[i].tx[0]);
            self.port.rx[i].valid.next = self.phy[i].rx[0].valid.val();
            self.port.rx[i].data.next = self.phy[i].rx[0].data.val();
            self.line[i].valid.next = self.phy[i].rx[0].valid.val();
            self.line[i].data.next = self.phy[i].rx[0].data.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_bonded_loop", &[])
    }
}

drive_ports!(impl[] BondedFabLoop {
    clock, clear, addr, wdata, we, re, rdata, ack, interrupt, header_in, words_in, refused, header_out, words_out, end_out, restart,
    up, state, order_error, signal_ok, elastic_error, error_enable, error_mask, line,
});
