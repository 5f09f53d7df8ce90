//! Two links' ends with a `time_hfi` beside each and a `phy_loop` for each direction between them, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{LinkPort1, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_hdl::time::hfi::{TimeHfi, TimeHfiConfig};
use flitforge_hdl::time::page::PAGE_WORD_BITS;
use rust_hdl::prelude::*;
use std::array;

/// Bits of a beat: one flit.
const BEAT: usize = 65;

/// End 0 and end 1. Element 0 of an array belongs to end 0, of a channel to the direction from it.
#[derive(LogicBlock)]
pub struct HfiPair {
    pub clock: Signal<In, Clock>,
    /// `clear` of the links and lines.
    pub clear: Signal<In, Bit>,
    /// `clear` of an end's time side.
    pub clear_time: [Signal<In, Bit>; 2],
    pub link_addr: [Signal<In, Bits<WORD_ADDRESS_BITS>>; 2],
    pub link_wdata: [Signal<In, Bits<64>>; 2],
    pub link_we: [Signal<In, Bit>; 2],
    pub flits_in: [StreamIn<Bits<BEAT>>; 2],
    pub flits_out: [FlowOut<Bits<BEAT>>; 2],
    pub link_state: [Signal<Out, Bits<3>>; 2],
    pub tx_open: [Signal<Out, Bit>; 2],
    pub delay: [Signal<In, Bits<4>>; 2],
    pub error_enable: [Signal<In, Bit>; 2],
    pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 2],
    pub addr: [Signal<In, Bits<PAGE_WORD_BITS>>; 2],
    pub wdata: [Signal<In, Bits<64>>; 2],
    pub we: [Signal<In, Bit>; 2],
    pub re: [Signal<In, Bit>; 2],
    pub rdata: [Signal<Out, Bits<64>>; 2],
    pub ack: [Signal<Out, Bit>; 2],
    pub interrupt: [Signal<Out, Bit>; 2],
    pub local: [Signal<Out, Bits<96>>; 2],
    pub sync: [Signal<Out, Bits<96>>; 2],
    pub sync_epoch: [Signal<Out, Bits<8>>; 2],
    pub state: [Signal<Out, Bits<3>>; 2],
    pub locked: [Signal<Out, Bit>; 2],
    pub pps: [Signal<Out, Bit>; 2],
    /// Beats that plane X takes.
    pub taken: [FlowOut<Bits<BEAT>>; 2],
    /// Special flits that come.
    pub came: [FlowOut<Bits<BEAT>>; 2],
    /// A flit that a test puts beside what comes.
    pub forged: [Signal<In, Bits<BEAT>>; 2],
    pub forged_valid: [Signal<In, Bit>; 2],
    port: [LinkPort1<1, 4, 8>; 2],
    time: [TimeHfi<1, BEAT, 0, 0, 1>; 2],
    line: [PhyLoop<1>; 2],
}

impl HfiPair {
    pub fn new(configs: [&TimeHfiConfig; 2]) -> Self {
        let port = |guid| LinkPort1::new(&PortConfig { guid, ..PortConfig::short(1, 1, 16) }).expect("valid");
        Self {
            clock: Default::default(),
            clear: Default::default(),
            clear_time: Default::default(),
            link_addr: Default::default(),
            link_wdata: Default::default(),
            link_we: Default::default(),
            flits_in: Default::default(),
            flits_out: Default::default(),
            link_state: Default::default(),
            tx_open: Default::default(),
            delay: Default::default(),
            error_enable: Default::default(),
            error_mask: Default::default(),
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
            state: Default::default(),
            locked: Default::default(),
            pps: Default::default(),
            taken: Default::default(),
            came: Default::default(),
            forged: Default::default(),
            forged_valid: Default::default(),
            port: [port(0x11), port(0x22)],
            time: configs.map(|config| TimeHfi::new(config).expect("valid")),
            line: array::from_fn(|_| PhyLoop::new().expect("valid")),
        }
    }
}

impl Logic for HfiPair {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.port[i].clock.next = self.clock.val();
            self.time[i].clock.next = self.clock.val();
            self.line[i].clock.next = self.clock.val();
            self.port[i].clear.next = self.clear.val();
            self.time[i].clear.next = self.clear_time[i].val();
            self.line[i].clear.next = self.clear.val();
            self.line[i].error_enable.next = self.error_enable[i].val();
            self.line[i].error_lanes.next = 1.into();
            self.line[i].error_mask.next = self.error_mask[i].val();
            self.line[i].delay[0].next = self.delay[i].val();

            // The link.
            self.port[i].addr.next = self.link_addr[i].val();
            self.port[i].wdata.next = self.link_wdata[i].val();
            self.port[i].we.next = self.link_we[i].val();
            self.port[i].re.next = false;
            self.port[i].side_in.valid.next = false;
            self.port[i].side_in.data.next = 0.into();
            self.port[i].renew.next = false;
            self.port[i].fabric_events.next = 0.into();
            self.port[i].credit_word.next = 0.into();
            self.port[i].bond_skew.next = 0.into();
            self.port[i].bist_start.next = false;
            self.port[i].bist_end.next = false;
            self.port[i].test_rows_in.valid.next = false;
            self.port[i].test_rows_in.data.next = 0.into();
            self.port[i].damage.next = false;
            self.port[i].signal_ok.next = 15.into();
            self.port[i].lane_lock.next = 15.into();
            self.port[i].elastic_error.next = false;
            self.port[i].elastic_fill.next = 0.into();
            StreamIn::<Bits<BEAT>>::link(&mut self.flits_in[i], &mut self.port[i].flits_in);
            FlowOut::<Bits<BEAT>>::link(&mut self.flits_out[i], &mut self.port[i].flits_out);
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.port[i].tx[0], &mut self.line[i].tx[0]);
            self.port[i].rx[0].valid.next = self.line[(i + 1) % 2].rx[0].valid.val();
            self.port[i].rx[0].data.next = self.line[(i + 1) % 2].rx[0].data.val();
            self.link_state[i].next = self.port[i].state.val();
            self.tx_open[i].next = self.port[i].tx_open.val();

            // Its time side.
            self.time[i].tx_clock.next = self.clock.val();
            self.time[i].rx_clock.next = self.clock.val();
            self.time[i].tx_phase.valid.next = false;
            self.time[i].tx_phase.data.next = 0.into();
            self.time[i].rx_phase.valid.next = false;
            self.time[i].rx_phase.data.next = 0.into();
            self.time[i].tx_fill.next = 0.into();
            self.time[i].rx_fill.next = 0.into();
            self.time[i].link_state.next = self.port[i].state.val();
            self.time[i].tx_mode.next = self.port[i].tx_mode.val();
            self.time[i].tx_lanes.next = self.port[i].tx_lanes.val();
            self.time[i].rx_lanes.next = self.port[i].rx_lanes.val();
            self.time[i].tx_last_lane.next = self.port[i].tx_last_lane.val();
            self.time[i].tx_idle.next = self.port[i].tx_idle.val();
            self.time[i].tx_position.next = self.port[i].tx_position.val();
            self.time[i].tx_words.next = self.port[i].tx_words.val();
            self.time[i].rx_position.next = self.port[i].rx_position.val();
            self.time[i].rx_words.next = self.port[i].rx_words.val();
            self.time[i].tx_open.next = self.port[i].tx_open.val();
            self.port[i].time_mode.next = self.time[i].time_mode.val();
            self.time[i].spc_out.valid.next = self.port[i].spc_out.valid.val() | self.forged_valid[i].val();
            self.time[i].spc_out.data.next = self.port[i].spc_out.data.val();
            if self.forged_valid[i].val() {
                self.time[i].spc_out.data.next = self.forged[i].val();
            }
            self.came[i].valid.next = self.port[i].spc_out.valid.val();
            self.came[i].data.next = self.port[i].spc_out.data.val();
            self.port[i].time_in.valid.next = self.time[i].time_in.valid.val();
            self.port[i].time_in.data.next = self.time[i].time_in.data.val();
            self.time[i].time_in.ready.next = self.port[i].time_in.ready.val();
            self.taken[i].valid.next = self.time[i].time_in.valid.val() & self.port[i].time_in.ready.val();
            self.taken[i].data.next = self.time[i].time_in.data.val();

            // Registers and times.
            self.time[i].addr.next = self.addr[i].val();
            self.time[i].wdata.next = self.wdata[i].val();
            self.time[i].we.next = self.we[i].val();
            self.time[i].re.next = self.re[i].val();
            self.rdata[i].next = self.time[i].rdata.val();
            self.ack[i].next = self.time[i].ack.val();
            self.interrupt[i].next = self.time[i].interrupt.val();
            self.local[i].next = self.time[i].local.val();
            self.sync[i].next = self.time[i].sync.val();
            self.sync_epoch[i].next = self.time[i].sync_epoch.val();
            self.state[i].next = self.time[i].state.val();
            self.locked[i].next = self.time[i].locked.val();
            self.pps[i].next = self.time[i].pps.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("hfi_pair", &[])
    }
}

drive_ports!(impl[] HfiPair {
    clock, clear, clear_time, link_addr, link_wdata, link_we, flits_in, flits_out, link_state, tx_open, delay, error_enable, error_mask, addr, wdata, we, re, rdata, ack, interrupt, local, sync, sync_epoch, state, locked, pps, taken, came, forged, forged_valid,
});
