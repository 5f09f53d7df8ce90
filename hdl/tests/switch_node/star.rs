//! A switch node and a port with its fabric sublayer at every link, a `phy_loop` for each direction between them, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::fabric::packet::{END_BITS, REQUEST_BITS};
use flitforge_hdl::fabric::port::{FabPort1, FabPortConfig};
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::node::switch_node::{SwitchNode1, SwitchNodeConfig, NODE_ADDRESS_BITS};
use flitforge_hdl::prim::stream::{StreamIn, StreamOut};
use flitforge_protocol::packet::HEADER_BITS;
use rust_hdl::prelude::*;
use std::array;

/// Ports, and virtual lanes.
pub const PORTS: usize = 4;
pub const VLS: usize = 2;
/// Bytes of buffer of each virtual lane, at both ends of a link.
pub const BUFFER: usize = 1_024;
/// Largest packet, bytes.
pub const MTU: usize = 256;

type Node = SwitchNode1<4, 8, VLS, 3, 32, PORTS, 5, 6, 7, 8, PORTS>;
type Far = FabPort1<1, 4, 8, VLS, 3, 32, 7, 8>;

/// One lane per link, one flit per beat. Element p belongs to link p; of a line the direction to the node has the first half; what there is of
/// each virtual lane has those of link 0 first.
#[derive(LogicBlock)]
pub struct Star {
    pub clock: Signal<In, Clock>,
    pub addr: Signal<In, Bits<NODE_ADDRESS_BITS>>,
    pub wdata: Signal<In, Bits<64>>,
    pub we: Signal<In, Bit>,
    pub re: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<64>>,
    pub ack: Signal<Out, Bit>,
    pub far_addr: [Signal<In, Bits<WORD_ADDRESS_BITS>>; 4],
    pub far_wdata: [Signal<In, Bits<64>>; 4],
    pub far_we: [Signal<In, Bit>; 4],
    pub far_re: [Signal<In, Bit>; 4],
    pub far_rdata: [Signal<Out, Bits<64>>; 4],
    pub far_ack: [Signal<Out, Bit>; 4],
    pub header_in: [StreamIn<Bits<REQUEST_BITS>>; 8],
    pub words_in: [StreamIn<Bits<69>>; 8],
    pub header_out: [StreamOut<Bits<HEADER_BITS>>; 8],
    pub words_out: [StreamOut<Bits<69>>; 8],
    pub end_out: [StreamOut<Bits<END_BITS>>; 8],
    pub state: [Signal<Out, Bits<3>>; 4],
    pub far_state: [Signal<Out, Bits<3>>; 4],
    /// Words taken in this clock get errors.
    pub error_enable: [Signal<In, Bit>; 8],
    pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 8],
    node: Node,
    far: Vec<Far>,
    to_node: Vec<PhyLoop<1>>,
    from_node: Vec<PhyLoop<1>>,
}

impl Star {
    pub fn new() -> Self {
        let port = FabPortConfig::new(PortConfig::short(1, 1, 16), VLS, BUFFER).with_mtu(MTU);
        let loops = || (0..PORTS).map(|_| PhyLoop::new().expect("valid")).collect();
        Self {
            clock: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            far_addr: array::from_fn(|_| Default::default()),
            far_wdata: array::from_fn(|_| Default::default()),
            far_we: array::from_fn(|_| Default::default()),
            far_re: array::from_fn(|_| Default::default()),
            far_rdata: array::from_fn(|_| Default::default()),
            far_ack: array::from_fn(|_| Default::default()),
            header_in: array::from_fn(|_| Default::default()),
            words_in: array::from_fn(|_| Default::default()),
            header_out: array::from_fn(|_| Default::default()),
            words_out: array::from_fn(|_| Default::default()),
            end_out: array::from_fn(|_| Default::default()),
            state: array::from_fn(|_| Default::default()),
            far_state: array::from_fn(|_| Default::default()),
            error_enable: array::from_fn(|_| Default::default()),
            error_mask: array::from_fn(|_| Default::default()),
            node: Node::new(&SwitchNodeConfig { ports: PORTS, port }).expect("valid"),
            far: (0..PORTS).map(|_| Far::new(&port).expect("valid")).collect(),
            to_node: loops(),
            from_node: loops(),
        }
    }
}

impl Logic for Star {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, node);
        self.node.clear.next = false;
        self.node.addr.next = self.addr.val();
        self.node.wdata.next = self.wdata.val();
        self.node.we.next = self.we.val();
        self.node.re.next = self.re.val();
        self.rdata.next = self.node.rdata.val();
        self.ack.next = self.node.ack.val();
        self.node.agent_in.valid.next = false;
        self.node.agent_in.data.next = 0.into();
        for v in 0..2 {
            self.node.agent_out[v].ready.next = true;
        }
        for p in 0..4 {
            self.node.time_in[p].valid.next = false;
            self.node.time_in[p].data.next = 0.into();
            self.node.time_mode[p].next = false;
            self.node.bist_start[p].next = false;
            self.node.bist_end[p].next = false;
            self.node.test_rows_in[p].valid.next = false;
            self.node.test_rows_in[p].data.next = 0.into();
            self.node.damage[p].next = false;
            self.node.signal_ok[p].next = 15.into();
            self.node.lane_lock[p].next = 15.into();
            self.node.elastic_error[p].next = false;
            self.node.elastic_fill[p].next = 0.into();
            self.state[p].next = self.node.state[p].val();

            self.far[p].clock.next = self.clock.val();
            self.far[p].clear.next = false;
            self.far[p].addr.next = self.far_addr[p].val();
            self.far[p].wdata.next = self.far_wdata[p].val();
            self.far[p].we.next = self.far_we[p].val();
            self.far[p].re.next = self.far_re[p].val();
            self.far_rdata[p].next = self.far[p].rdata.val();
            self.far_ack[p].next = self.far[p].ack.val();
            self.far[p].time_in.valid.next = false;
            self.far[p].time_in.data.next = 0.into();
            self.far[p].time_mode.next = false;
            self.far[p].bist_start.next = false;
            self.far[p].bist_end.next = false;
            self.far[p].test_rows_in.valid.next = false;
            self.far[p].test_rows_in.data.next = 0.into();
            self.far[p].damage.next = false;
            self.far[p].signal_ok.next = 15.into();
            self.far[p].lane_lock.next = 15.into();
            self.far[p].elastic_error.next = false;
            self.far[p].elastic_fill.next = 0.into();
            self.far_state[p].next = self.far[p].state.val();
            for v in 0..2 {
                StreamIn::<Bits<REQUEST_BITS>>::link(
                    &mut self.header_in[p * 2 + v],
                    &mut self.far[p].header_in[v],
                );
                StreamIn::<Bits<69>>::link(&mut self.words_in[p * 2 + v], &mut self.far[p].words_in[v]);
                StreamOut::<Bits<HEADER_BITS>>::link(
                    &mut self.header_out[p * 2 + v],
                    &mut self.far[p].header_out[v],
                );
                StreamOut::<Bits<69>>::link(&mut self.words_out[p * 2 + v], &mut self.far[p].words_out[v]);
                StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[p * 2 + v], &mut self.far[p].end_out[v]);
            }

            self.to_node[p].clock.next = self.clock.val();
            self.to_node[p].clear.next = false;
            self.to_node[p].delay[0].next = 0.into();
            self.to_node[p].error_lanes.next = 1.into();
            self.to_node[p].error_enable.next = self.error_enable[p].val();
            self.to_node[p].error_mask.next = self.error_mask[p].val();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.far[p].tx[0], &mut self.to_node[p].tx[0]);
            self.node.rx[p].valid.next = self.to_node[p].rx[0].valid.val();
            self.node.rx[p].data.next = self.to_node[p].rx[0].data.val();
            self.from_node[p].clock.next = self.clock.val();
            self.from_node[p].clear.next = false;
            self.from_node[p].delay[0].next = 0.into();
            self.from_node[p].error_lanes.next = 1.into();
            self.from_node[p].error_enable.next = self.error_enable[p + 4].val();
            self.from_node[p].error_mask.next = self.error_mask[p + 4].val();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.node.tx[p], &mut self.from_node[p].tx[0]);
            self.far[p].rx[0].valid.next = self.from_node[p].rx[0].valid.val();
            self.far[p].rx[0].data.next = self.from_node[p].rx[0].data.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_star", &[])
    }
}

drive_ports!(impl[] Star {
    clock, addr, wdata, we, re, rdata, ack, far_addr, far_wdata, far_we, far_re, far_rdata, far_ack, header_in, words_in,
    header_out, words_out, end_out, state, far_state, error_enable, error_mask,
});
