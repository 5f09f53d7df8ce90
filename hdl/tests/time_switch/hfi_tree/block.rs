//! The small tree with `time_hfi`s as its ends: all that a board has but pads and clocks, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::LANE_BITS;
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{LinkPort1, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::StreamOut;
use flitforge_hdl::time::hfi::{TimeHfi, TimeHfiConfig};
use flitforge_hdl::time::page::PAGE_WORD_BITS;
use flitforge_hdl::time::slave::TIME_WORD_BITS;
use flitforge_hdl::time::switch::{TimeSwitch4, TimeSwitchConfig};
use rust_hdl::prelude::*;

/// Bits of a beat: one flit.
const BEAT: usize = 65;

/// Lines 2 l and 2 l + 1 are those of link l, from its first end and from its second.
#[derive(LogicBlock)]
pub struct HfiTree {
    /// Of everything.
    pub clock: Signal<In, Clock>,
    /// Of everything.
    pub clear: Signal<In, Bit>,
    /// Register of all links that is written with 1.
    pub link_addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// It is.
    pub link_we: Signal<In, Bit>,
    /// Every port sends packet flits as fast as it can.
    pub load: Signal<In, Bit>,
    /// Words of delay of each line.
    pub delay: [Signal<In, Bits<4>>; 8],
    /// Register bus of each device: master, switches, slaves.
    pub addr: [Signal<In, Bits<PAGE_WORD_BITS>>; 5],
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// A write.
    pub we: [Signal<In, Bit>; 5],
    /// A read.
    pub re: [Signal<In, Bit>; 5],
    /// Its value.
    pub rdata: [Signal<Out, Bits<64>>; 5],
    /// It is done.
    pub ack: [Signal<Out, Bit>; 5],
    /// SyncTime of master and slaves.
    pub sync: [Signal<Out, Bits<TIME_WORD_BITS>>; 3],
    /// Their servo is in TRACK.
    pub locked: [Signal<Out, Bit>; 3],
    /// States of the links: ends, then ports of the switches.
    pub states: [Signal<Out, Bits<3>>; 9],
    ends: [TimeHfi<1, BEAT, 0, 0>; 3],
    switches: [TimeSwitch4<3, 1, BEAT, 0, 0>; 2],
    end_ports: [LinkPort1<1, 4, 8>; 3],
    switch_ports: [LinkPort1<1, 4, 8>; 6],
    lines: [PhyLoop<1>; 8],
    counted: DFF<Bits<64>>,
    flit: Signal<Local, Bits<BEAT>>,
    one: Constant<Bits<64>>,
}

impl HfiTree {
    pub fn new(core_fs: u64, inc_nom: u64) -> Self {
        let port = |guid| LinkPort1::new(&PortConfig { guid, ..PortConfig::short(1, 1, 16) }).expect("valid");
        let end = || TimeHfi::new(&TimeHfiConfig::small(core_fs, 1)).expect("valid");
        let config = TimeSwitchConfig::one_clock(3, 4, 1, core_fs, inc_nom);
        let switch = || TimeSwitch4::new(&config).expect("valid");
        Self {
            clock: Default::default(),
            clear: Default::default(),
            link_addr: Default::default(),
            link_we: Default::default(),
            load: Default::default(),
            delay: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            sync: Default::default(),
            locked: Default::default(),
            states: Default::default(),
            ends: [end(), end(), end()],
            switches: [switch(), switch()],
            end_ports: [port(0x10), port(0x11), port(0x12)],
            switch_ports: [port(0x20), port(0x21), port(0x22), port(0x30), port(0x31), port(0x32)],
            lines: std::array::from_fn(|_| PhyLoop::new().expect("valid")),
            counted: Default::default(),
            flit: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for HfiTree {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, counted);
        self.counted.d.next = self.counted.q.val() + self.one.val();
        self.flit.next = bit_cast::<BEAT, 64>(self.counted.q.val()).replace_bit(64, true);
        for i in 0..3 {
            self.ends[i].clock.next = self.clock.val();
            self.ends[i].clear.next = self.clear.val();
            self.end_ports[i].clock.next = self.clock.val();
            self.end_ports[i].clear.next = self.clear.val();
            self.end_ports[i].addr.next = self.link_addr.val();
            self.end_ports[i].wdata.next = 1.into();
            self.end_ports[i].we.next = self.link_we.val();
            self.end_ports[i].re.next = false;
            self.end_ports[i].side_in.valid.next = false;
            self.end_ports[i].side_in.data.next = 0.into();
            self.end_ports[i].renew.next = false;
            self.end_ports[i].fabric_events.next = 0.into();
            self.end_ports[i].credit_word.next = 0.into();
            self.end_ports[i].bond_skew.next = 0.into();
            self.end_ports[i].bist_start.next = false;
            self.end_ports[i].bist_end.next = false;
            self.end_ports[i].test_rows_in.valid.next = false;
            self.end_ports[i].test_rows_in.data.next = 0.into();
            self.end_ports[i].damage.next = false;
            self.end_ports[i].signal_ok.next = 15.into();
            self.end_ports[i].lane_lock.next = 15.into();
            self.end_ports[i].elastic_error.next = false;
            self.end_ports[i].elastic_fill.next = 0.into();
            self.end_ports[i].flits_in.valid.next = self.load.val();
            self.end_ports[i].flits_in.data.next = self.flit.val();
            self.states[i].next = self.end_ports[i].state.val();
            self.sync[i].next = self.ends[i].sync.val();
            self.locked[i].next = self.ends[i].locked.val();
            self.ends[i].wdata.next = self.wdata.val();
            self.ends[i].tx_clock.next = self.clock.val();
            self.ends[i].rx_clock.next = self.clock.val();
            self.ends[i].tx_phase.valid.next = false;
            self.ends[i].tx_phase.data.next = 0.into();
            self.ends[i].rx_phase.valid.next = false;
            self.ends[i].rx_phase.data.next = 0.into();
            self.ends[i].tx_fill.next = 0.into();
            self.ends[i].rx_fill.next = 0.into();
            self.ends[i].link_state.next = self.end_ports[i].state.val();
            self.ends[i].tx_mode.next = self.end_ports[i].tx_mode.val();
            self.ends[i].tx_lanes.next = self.end_ports[i].tx_lanes.val();
            self.ends[i].rx_lanes.next = self.end_ports[i].rx_lanes.val();
            self.ends[i].tx_last_lane.next = self.end_ports[i].tx_last_lane.val();
            self.ends[i].tx_idle.next = self.end_ports[i].tx_idle.val();
            self.ends[i].tx_position.next = self.end_ports[i].tx_position.val();
            self.ends[i].tx_words.next = self.end_ports[i].tx_words.val();
            self.ends[i].rx_position.next = self.end_ports[i].rx_position.val();
            self.ends[i].rx_words.next = self.end_ports[i].rx_words.val();
            self.ends[i].tx_open.next = self.end_ports[i].tx_open.val();
            self.end_ports[i].time_mode.next = self.ends[i].time_mode.val();
            self.ends[i].spc_out.valid.next = self.end_ports[i].spc_out.valid.val();
            self.ends[i].spc_out.data.next = self.end_ports[i].spc_out.data.val();
            StreamOut::<Bits<BEAT>>::join(&mut self.ends[i].time_in, &mut self.end_ports[i].time_in);
        }
        self.ends[0].addr.next = self.addr[0].val();
        self.ends[0].we.next = self.we[0].val();
        self.ends[0].re.next = self.re[0].val();
        self.rdata[0].next = self.ends[0].rdata.val();
        self.ack[0].next = self.ends[0].ack.val();
        self.ends[1].addr.next = self.addr[3].val();
        self.ends[1].we.next = self.we[3].val();
        self.ends[1].re.next = self.re[3].val();
        self.rdata[3].next = self.ends[1].rdata.val();
        self.ack[3].next = self.ends[1].ack.val();
        self.ends[2].addr.next = self.addr[4].val();
        self.ends[2].we.next = self.we[4].val();
        self.ends[2].re.next = self.re[4].val();
        self.rdata[4].next = self.ends[2].rdata.val();
        self.ack[4].next = self.ends[2].ack.val();
        for i in 0..2 {
            self.switches[i].clock.next = self.clock.val();
            self.switches[i].clear.next = self.clear.val();
            self.switches[i].addr.next = self.addr[i + 1].val();
            self.switches[i].wdata.next = self.wdata.val();
            self.switches[i].we.next = self.we[i + 1].val();
            self.switches[i].re.next = self.re[i + 1].val();
            self.rdata[i + 1].next = self.switches[i].rdata.val();
            self.ack[i + 1].next = self.switches[i].ack.val();
        }
        for i in 0..6 {
            self.switch_ports[i].clock.next = self.clock.val();
            self.switch_ports[i].clear.next = self.clear.val();
            self.switch_ports[i].addr.next = self.link_addr.val();
            self.switch_ports[i].wdata.next = 1.into();
            self.switch_ports[i].we.next = self.link_we.val();
            self.switch_ports[i].re.next = false;
            self.switch_ports[i].side_in.valid.next = false;
            self.switch_ports[i].side_in.data.next = 0.into();
            self.switch_ports[i].renew.next = false;
            self.switch_ports[i].fabric_events.next = 0.into();
            self.switch_ports[i].credit_word.next = 0.into();
            self.switch_ports[i].bond_skew.next = 0.into();
            self.switch_ports[i].bist_start.next = false;
            self.switch_ports[i].bist_end.next = false;
            self.switch_ports[i].test_rows_in.valid.next = false;
            self.switch_ports[i].test_rows_in.data.next = 0.into();
            self.switch_ports[i].damage.next = false;
            self.switch_ports[i].signal_ok.next = 15.into();
            self.switch_ports[i].lane_lock.next = 15.into();
            self.switch_ports[i].elastic_error.next = false;
            self.switch_ports[i].elastic_fill.next = 0.into();
            self.switch_ports[i].flits_in.valid.next = self.load.val();
            self.switch_ports[i].flits_in.data.next = self.flit.val();
            self.states[i + 3].next = self.switch_ports[i].state.val();
        }
        for i in 0..3 {
            self.switches[0].tx_clock[i].next = self.clock.val();
            self.switches[0].rx_clock[i].next = self.clock.val();
            self.switches[0].tx_phase[i].valid.next = false;
            self.switches[0].tx_phase[i].data.next = 0.into();
            self.switches[0].rx_phase[i].valid.next = false;
            self.switches[0].rx_phase[i].data.next = 0.into();
            self.switches[0].tx_fill[i].next = 0.into();
            self.switches[0].rx_fill[i].next = 0.into();
            self.switches[0].state[i].next = self.switch_ports[i].state.val();
            self.switches[0].tx_mode[i].next = self.switch_ports[i].tx_mode.val();
            self.switches[0].tx_lanes[i].next = self.switch_ports[i].tx_lanes.val();
            self.switches[0].rx_lanes[i].next = self.switch_ports[i].rx_lanes.val();
            self.switches[0].tx_last_lane[i].next = self.switch_ports[i].tx_last_lane.val();
            self.switches[0].tx_idle[i].next = self.switch_ports[i].tx_idle.val();
            self.switches[0].tx_position[i].next = self.switch_ports[i].tx_position.val();
            self.switches[0].tx_words[i].next = self.switch_ports[i].tx_words.val();
            self.switches[0].rx_position[i].next = self.switch_ports[i].rx_position.val();
            self.switches[0].rx_words[i].next = self.switch_ports[i].rx_words.val();
            self.switches[0].tx_open[i].next = self.switch_ports[i].tx_open.val();
            self.switch_ports[i].time_mode.next = self.switches[0].time_mode[i].val();
            self.switches[0].spc_out[i].valid.next = self.switch_ports[i].spc_out.valid.val();
            self.switches[0].spc_out[i].data.next = self.switch_ports[i].spc_out.data.val();
            StreamOut::<Bits<BEAT>>::join(
                &mut self.switches[0].time_in[i],
                &mut self.switch_ports[i].time_in,
            );
        }
        for i in 0..3 {
            self.switches[1].tx_clock[i].next = self.clock.val();
            self.switches[1].rx_clock[i].next = self.clock.val();
            self.switches[1].tx_phase[i].valid.next = false;
            self.switches[1].tx_phase[i].data.next = 0.into();
            self.switches[1].rx_phase[i].valid.next = false;
            self.switches[1].rx_phase[i].data.next = 0.into();
            self.switches[1].tx_fill[i].next = 0.into();
            self.switches[1].rx_fill[i].next = 0.into();
            self.switches[1].state[i].next = self.switch_ports[i + 3].state.val();
            self.switches[1].tx_mode[i].next = self.switch_ports[i + 3].tx_mode.val();
            self.switches[1].tx_lanes[i].next = self.switch_ports[i + 3].tx_lanes.val();
            self.switches[1].rx_lanes[i].next = self.switch_ports[i + 3].rx_lanes.val();
            self.switches[1].tx_last_lane[i].next = self.switch_ports[i + 3].tx_last_lane.val();
            self.switches[1].tx_idle[i].next = self.switch_ports[i + 3].tx_idle.val();
            self.switches[1].tx_position[i].next = self.switch_ports[i + 3].tx_position.val();
            self.switches[1].tx_words[i].next = self.switch_ports[i + 3].tx_words.val();
            self.switches[1].rx_position[i].next = self.switch_ports[i + 3].rx_position.val();
            self.switches[1].rx_words[i].next = self.switch_ports[i + 3].rx_words.val();
            self.switches[1].tx_open[i].next = self.switch_ports[i + 3].tx_open.val();
            self.switch_ports[i + 3].time_mode.next = self.switches[1].time_mode[i].val();
            self.switches[1].spc_out[i].valid.next = self.switch_ports[i + 3].spc_out.valid.val();
            self.switches[1].spc_out[i].data.next = self.switch_ports[i + 3].spc_out.data.val();
            StreamOut::<Bits<BEAT>>::join(
                &mut self.switches[1].time_in[i],
                &mut self.switch_ports[i + 3].time_in,
            );
        }

        // Lines.
        for i in 0..8 {
            self.lines[i].clock.next = self.clock.val();
            self.lines[i].clear.next = self.clear.val();
            self.lines[i].error_enable.next = false;
            self.lines[i].error_lanes.next = 0.into();
            self.lines[i].error_mask.next = 0.into();
            self.lines[i].delay[0].next = self.delay[i].val();
        }
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.end_ports[0].tx[0], &mut self.lines[0].tx[0]);
        self.switch_ports[0].rx[0].valid.next = self.lines[0].rx[0].valid.val();
        self.switch_ports[0].rx[0].data.next = self.lines[0].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.switch_ports[0].tx[0], &mut self.lines[1].tx[0]);
        self.end_ports[0].rx[0].valid.next = self.lines[1].rx[0].valid.val();
        self.end_ports[0].rx[0].data.next = self.lines[1].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.switch_ports[2].tx[0], &mut self.lines[2].tx[0]);
        self.switch_ports[4].rx[0].valid.next = self.lines[2].rx[0].valid.val();
        self.switch_ports[4].rx[0].data.next = self.lines[2].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.switch_ports[4].tx[0], &mut self.lines[3].tx[0]);
        self.switch_ports[2].rx[0].valid.next = self.lines[3].rx[0].valid.val();
        self.switch_ports[2].rx[0].data.next = self.lines[3].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.switch_ports[3].tx[0], &mut self.lines[4].tx[0]);
        self.end_ports[1].rx[0].valid.next = self.lines[4].rx[0].valid.val();
        self.end_ports[1].rx[0].data.next = self.lines[4].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.end_ports[1].tx[0], &mut self.lines[5].tx[0]);
        self.switch_ports[3].rx[0].valid.next = self.lines[5].rx[0].valid.val();
        self.switch_ports[3].rx[0].data.next = self.lines[5].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.switch_ports[1].tx[0], &mut self.lines[6].tx[0]);
        self.end_ports[2].rx[0].valid.next = self.lines[6].rx[0].valid.val();
        self.end_ports[2].rx[0].data.next = self.lines[6].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.end_ports[2].tx[0], &mut self.lines[7].tx[0]);
        self.switch_ports[1].rx[0].valid.next = self.lines[7].rx[0].valid.val();
        self.switch_ports[1].rx[0].data.next = self.lines[7].rx[0].data.val();
        self.switch_ports[5].tx[0].ready.next = true;
        self.switch_ports[5].rx[0].valid.next = false;
        self.switch_ports[5].rx[0].data.next = 0.into();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("hfi_tree", &[])
    }
}

drive_ports!(impl[] HfiTree {
    clock, clear, link_addr, link_we, load, delay, addr, wdata, we, re, rdata, ack, sync, locked, states,
});
