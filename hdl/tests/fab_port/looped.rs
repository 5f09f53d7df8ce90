//! One port with its fabric sublayer whose lane comes back to itself: half of a pair for simulators that are slow.

use crate::fab_port::pair::{BUFFER, MTU};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::fabric::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl::fabric::port::{FabPort1, FabPortConfig};
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};
use rust_hdl::prelude::*;
use std::array;

/// One lane, one flit per beat, two virtual lanes.
#[derive(LogicBlock)]
pub struct FabLoop {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    pub wdata: Signal<In, Bits<64>>,
    pub we: Signal<In, Bit>,
    pub re: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<64>>,
    pub ack: Signal<Out, Bit>,
    pub interrupt: Signal<Out, Bit>,
    pub header_in: [StreamIn<Bits<REQUEST_BITS>>; 2],
    pub words_in: [StreamIn<Bits<69>>; 2],
    pub refused: [FlowOut<Bits<REFUSAL_BITS>>; 2],
    pub header_out: [StreamOut<Bits<HEADER_BITS>>; 2],
    pub words_out: [StreamOut<Bits<69>>; 2],
    pub end_out: [StreamOut<Bits<END_BITS>>; 2],
    pub restart: Signal<Out, Bit>,
    pub state: Signal<Out, Bits<3>>,
    pub damage: Signal<In, Bit>,
    pub signal_ok: Signal<In, Bits<4>>,
    pub elastic_error: Signal<In, Bit>,
    /// Words taken in this clock get errors.
    pub error_enable: Signal<In, Bit>,
    pub error_mask: Signal<In, Bits<LANE_IN_BITS>>,
    /// Words on the line.
    pub line: FlowOut<Bits<LANE_IN_BITS>>,
    port: FabPort1<1, 4, 8, 2, 3, 32, 7, 8>,
    phy: PhyLoop<1>,
}

impl FabLoop {
    pub fn new() -> Self {
        let config = FabPortConfig::new(PortConfig::short(1, 1, 16), 2, BUFFER).with_mtu(MTU);
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
            error_mask: Default::default(),
            line: Default::default(),
            port: FabPort1::new(&config).expect("valid"),
            phy: PhyLoop::new().expect("valid"),
        }
    }
}

impl Logic for FabLoop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, port, phy);
        self.port.addr.next = self.addr.val();
        self.port.wdata.next = self.wdata.val();
        self.port.we.next = self.we.val();
        self.port.re.next = self.re.val();
        self.port.damage.next = self.damage.val();
        self.port.signal_ok.next = self.signal_ok.val();
        self.port.elastic_error.next = self.elastic_error.val();
        self.port.clear.next = self.clear.val();
        self.rdata.next = self.port.rdata.val();
        self.ack.next = self.port.ack.val();
        self.interrupt.next = self.port.interrupt.val();
        self.restart.next = self.port.restart.val();
        self.state.next = self.port.state.val();
        self.port.lane_lock.next = self.signal_ok.val();
        self.port.time_in.valid.next = false;
        self.port.time_in.data.next = 0.into();
        self.port.time_mode.next = false;
        self.port.bist_start.next = false;
        self.port.bist_end.next = false;
        self.port.test_rows_in.valid.next = false;
        self.port.test_rows_in.data.next = 0.into();
        self.port.elastic_fill.next = 0.into();
        for v in 0..2 {
            StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in[v], &mut self.port.header_in[v]);
            StreamIn::<Bits<69>>::link(&mut self.words_in[v], &mut self.port.words_in[v]);
            FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v], &mut self.port.refused[v]);
            StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out[v], &mut self.port.header_out[v]);
            StreamOut::<Bits<69>>::link(&mut self.words_out[v], &mut self.port.words_out[v]);
            StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v], &mut self.port.end_out[v]);
        }
        self.phy.clear.next = false;
        self.phy.error_enable.next = self.error_enable.val();
        self.phy.error_lanes.next = 1.into();
        self.phy.error_mask.next = self.error_mask.val();
        self.phy.delay[0].next = 0.into();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.port.tx[0], &mut self.phy.tx[0]);
        self.port.rx[0].valid.next = self.phy.rx[0].valid.val();
        self.port.rx[0].data.next = self.phy.rx[0].data.val();
        self.line.valid.next = self.phy.rx[0].valid.val();
        self.line.data.next = self.phy.rx[0].data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_port_loop", &[])
    }
}

drive_ports!(impl[] FabLoop {
    clock, clear, addr, wdata, we, re, rdata, ack, interrupt, header_in, words_in, refused, header_out, words_out, end_out, restart,
    state, damage, signal_ok, elastic_error, error_enable, error_mask, line,
});
