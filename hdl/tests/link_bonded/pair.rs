//! Two bonded ports of two links and a `phy_loop` for each direction of each link between them, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::bonded::{BondedConfig, LinkBondedPort1, BUS_ADDRESS_BITS};
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use rust_hdl::prelude::*;
use std::array;

/// What each end is: two links of one lane, one flit per beat, 16 slots.
pub const SLOTS: usize = 16;

/// End 0 and end 1. Loops 0 and 1 are the links from end 0, loops 2 and 3 those from end 1.
#[derive(LogicBlock)]
pub struct BondedPair {
    pub clock: Signal<In, Clock>,
    pub clear: [Signal<In, Bit>; 2],
    pub phy_clear: Signal<In, Bit>,
    pub addr: [Signal<In, Bits<BUS_ADDRESS_BITS>>; 2],
    pub wdata: [Signal<In, Bits<64>>; 2],
    pub we: [Signal<In, Bit>; 2],
    pub re: [Signal<In, Bit>; 2],
    pub rdata: [Signal<Out, Bits<64>>; 2],
    pub ack: [Signal<Out, Bit>; 2],
    pub flits_in: [StreamIn<Bits<130>>; 2],
    pub flits_out: [FlowOut<Bits<130>>; 2],
    pub spc_out: [FlowOut<Bits<65>>; 4],
    pub side_in: [FlowIn<Bits<2>>; 2],
    pub ltp_start: [Signal<Out, Bit>; 2],
    pub tx_seq: [Signal<Out, Bits<16>>; 2],
    pub side_out: [FlowOut<Bits<2>>; 2],
    pub side_place: [Signal<Out, Bits<2>>; 2],
    pub up: [Signal<Out, Bit>; 2],
    pub restart: [Signal<Out, Bit>; 2],
    pub order_error: [Signal<Out, Bit>; 2],
    pub overflow: [Signal<Out, Bit>; 2],
    /// Cable 0 of an end goes to link 1 of the other, and the other way round.
    pub crossed: Signal<In, Bit>,
    /// Words taken by this loop in this clock get errors.
    pub error_enable: [Signal<In, Bit>; 4],
    pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 4],
    /// Loops that carry words; the PHY after another has no signal.
    pub alive: Signal<In, Bits<4>>,
    /// Words of delay of a loop.
    pub delay: [Signal<In, Bits<4>>; 4],
    near: LinkBondedPort1<4, 8, 9>,
    far: LinkBondedPort1<4, 8, 9>,
    way: [PhyLoop<1>; 4],
    all_lanes: Constant<Bits<4>>,
    lives: Signal<Local, Bit>,
}

impl BondedPair {
    pub fn new() -> Self {
        let config = BondedConfig { links: 2, port: PortConfig::short(1, 1, SLOTS) };
        Self {
            clock: Default::default(),
            clear: Default::default(),
            phy_clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            flits_in: array::from_fn(|_| Default::default()),
            flits_out: array::from_fn(|_| Default::default()),
            spc_out: array::from_fn(|_| Default::default()),
            side_in: array::from_fn(|_| Default::default()),
            ltp_start: Default::default(),
            tx_seq: Default::default(),
            side_out: array::from_fn(|_| Default::default()),
            side_place: Default::default(),
            up: Default::default(),
            restart: Default::default(),
            order_error: Default::default(),
            overflow: Default::default(),
            crossed: Default::default(),
            error_enable: Default::default(),
            error_mask: Default::default(),
            alive: Default::default(),
            delay: Default::default(),
            near: LinkBondedPort1::new(&config).expect("valid"),
            far: LinkBondedPort1::new(&config).expect("valid"),
            way: array::from_fn(|_| PhyLoop::new().expect("valid")),
            all_lanes: Constant::new(0xF.into()),
            lives: Default::default(),
        }
    }
}

impl Logic for BondedPair {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, near, far);

        // End 0.
        self.near.clear.next = self.clear[0].val();
        self.near.clear_counters.next = false;
        self.near.addr.next = self.addr[0].val();
        self.near.wdata.next = self.wdata[0].val();
        self.near.we.next = self.we[0].val();
        self.near.re.next = self.re[0].val();
        self.rdata[0].next = self.near.rdata.val();
        self.ack[0].next = self.near.ack.val();
        StreamIn::<Bits<130>>::link(&mut self.flits_in[0], &mut self.near.flits_in);
        FlowOut::<Bits<130>>::link(&mut self.flits_out[0], &mut self.near.flits_out);
        FlowIn::<Bits<2>>::link(&mut self.side_in[0], &mut self.near.side_in);
        FlowOut::<Bits<2>>::link(&mut self.side_out[0], &mut self.near.side_out);
        self.side_place[0].next = self.near.side_place.val();
        self.ltp_start[0].next = self.near.ltp_start.val();
        self.tx_seq[0].next = self.near.tx_seq.val();
        self.up[0].next = self.near.up.val();
        self.restart[0].next = self.near.restart.val();
        self.order_error[0].next = self.near.order_error.val();
        self.overflow[0].next = self.near.overflow.val();
        self.near.time_mode.next = false;
        self.near.renew.next = false;
        self.near.fabric_events.next = 0.into();
        self.near.credit_word.next = 0.into();
        self.near.elastic_error.next = 0.into();
        for i in 0..2 {
            self.near.time_in[i].valid.next = false;
            self.near.time_in[i].data.next = 0.into();
            self.near.elastic_fill[i].next = 0.into();
            FlowOut::<Bits<65>>::link(&mut self.spc_out[i], &mut self.near.spc_out[i]);
        }

        // End 1.
        self.far.clear.next = self.clear[1].val();
        self.far.clear_counters.next = false;
        self.far.addr.next = self.addr[1].val();
        self.far.wdata.next = self.wdata[1].val();
        self.far.we.next = self.we[1].val();
        self.far.re.next = self.re[1].val();
        self.rdata[1].next = self.far.rdata.val();
        self.ack[1].next = self.far.ack.val();
        StreamIn::<Bits<130>>::link(&mut self.flits_in[1], &mut self.far.flits_in);
        FlowOut::<Bits<130>>::link(&mut self.flits_out[1], &mut self.far.flits_out);
        FlowIn::<Bits<2>>::link(&mut self.side_in[1], &mut self.far.side_in);
        FlowOut::<Bits<2>>::link(&mut self.side_out[1], &mut self.far.side_out);
        self.side_place[1].next = self.far.side_place.val();
        self.ltp_start[1].next = self.far.ltp_start.val();
        self.tx_seq[1].next = self.far.tx_seq.val();
        self.up[1].next = self.far.up.val();
        self.restart[1].next = self.far.restart.val();
        self.order_error[1].next = self.far.order_error.val();
        self.overflow[1].next = self.far.overflow.val();
        self.far.time_mode.next = false;
        self.far.renew.next = false;
        self.far.fabric_events.next = 0.into();
        self.far.credit_word.next = 0.into();
        self.far.elastic_error.next = 0.into();
        for i in 0..2 {
            self.far.time_in[i].valid.next = false;
            self.far.time_in[i].data.next = 0.into();
            self.far.elastic_fill[i].next = 0.into();
            FlowOut::<Bits<65>>::link(&mut self.spc_out[i + 2], &mut self.far.spc_out[i]);
        }

        // Lanes.
        for i in 0..4 {
            self.way[i].clock.next = self.clock.val();
            self.way[i].clear.next = self.phy_clear.val();
            self.way[i].error_enable.next = self.error_enable[i].val();
            self.way[i].error_lanes.next = self.all_lanes.val();
            self.way[i].error_mask.next = self.error_mask[i].val();
            self.way[i].delay[0].next = self.delay[i].val();
        }
        for i in 0..2 {
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.near.tx[i], &mut self.way[i].tx[0]);
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.far.tx[i], &mut self.way[i + 2].tx[0]);
            self.lives.next = self.alive.val().get_bit(i);
            if self.crossed.val() {
                self.lives.next = self.alive.val().get_bit(1 - i);
            }
            self.far.rx[i].valid.next = self.way[i].rx[0].valid.val() & self.lives.val();
            self.far.rx[i].data.next = self.way[i].rx[0].data.val();
            if self.crossed.val() {
                self.far.rx[i].valid.next = self.way[1 - i].rx[0].valid.val() & self.lives.val();
                self.far.rx[i].data.next = self.way[1 - i].rx[0].data.val();
            }
            self.far.signal_ok[i].next = 0.into();
            self.far.lane_lock[i].next = 0.into();
            if self.lives.val() {
                self.far.signal_ok[i].next = self.all_lanes.val();
                self.far.lane_lock[i].next = self.all_lanes.val();
            }
            self.lives.next = self.alive.val().get_bit(i + 2);
            if self.crossed.val() {
                self.lives.next = self.alive.val().get_bit(3 - i);
            }
            self.near.rx[i].valid.next = self.way[i + 2].rx[0].valid.val() & self.lives.val();
            self.near.rx[i].data.next = self.way[i + 2].rx[0].data.val();
            if self.crossed.val() {
                self.near.rx[i].valid.next = self.way[3 - i].rx[0].valid.val() & self.lives.val();
                self.near.rx[i].data.next = self.way[3 - i].rx[0].data.val();
            }
            self.near.signal_ok[i].next = 0.into();
            self.near.lane_lock[i].next = 0.into();
            if self.lives.val() {
                self.near.signal_ok[i].next = self.all_lanes.val();
                self.near.lane_lock[i].next = self.all_lanes.val();
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_bonded_pair", &[])
    }
}

drive_ports!(impl[] BondedPair {
    clock, clear, phy_clear, addr, wdata, we, re, rdata, ack, flits_in, flits_out, spc_out, side_in, ltp_start, tx_seq, side_out,
    side_place, up, restart, order_error, overflow, crossed, error_enable, error_mask, alive, delay,
});
