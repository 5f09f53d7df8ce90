//! A master, two switches and two slaves, joined by four links of one lane over `phy_loop`s, as one block.
//!
//! ```text
//!  master ─0─ switch 0 ─1─ switch 1 ─2─ first slave
//!          p0   │   p2  p1    p0
//!               └─3─ second slave (p1); switch 1's p2 has no link
//! ```

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{LinkPort1, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamOut};
use flitforge_hdl::time::page::{PAGE_WORD_BITS, WORD_BITS};
use flitforge_hdl::time::port::TimePortConfig;
use flitforge_hdl::time::ring::{CONTROL_BITS, VALUE_BITS};
use flitforge_hdl::time::switch::{SwitchPort, TimeSwitch4, TimeSwitchConfig, INSERT_BITS};
use rust_hdl::prelude::*;

/// Bits of a beat: one flit.
const BEAT: usize = 65;

/// Lines 2 l and 2 l + 1 are those of link l, from its first end and from its second.
#[derive(LogicBlock)]
pub struct TimeTree {
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
    /// A word of a line is changed.
    pub error_enable: [Signal<In, Bit>; 8],
    /// By these bits.
    pub error_mask: Signal<In, Bits<LANE_IN_BITS>>,
    /// Register bus of a switch.
    pub addr: [Signal<In, Bits<PAGE_WORD_BITS>>; 2],
    /// Of the register buses and windows.
    pub wdata: Signal<In, Bits<64>>,
    /// A write.
    pub we: [Signal<In, Bit>; 2],
    /// A read.
    pub re: [Signal<In, Bit>; 2],
    /// Its value.
    pub rdata: [Signal<Out, Bits<64>>; 2],
    /// It is done.
    pub ack: [Signal<Out, Bit>; 2],
    /// Window of an end's port: master, first and second slave.
    pub request: [Signal<In, Bit>; 3],
    /// Word of the window.
    pub word: Signal<In, Bits<WORD_BITS>>,
    /// It is a write.
    pub write: Signal<In, Bit>,
    /// It is done.
    pub answer: [FlowOut<Bits<64>>; 3],
    /// What the master's generator would offer: a copy for its port.
    pub copy: FlowIn<Bits<VALUE_BITS>>,
    /// Its control bits.
    pub copy_control: Signal<In, Bits<CONTROL_BITS>>,
    /// INC_F of the ends.
    pub increment: Signal<In, Bits<38>>,
    /// RPER and WPER of the ends.
    pub period: Signal<In, Bits<26>>,
    /// A Low has come to a slave: three clocks after plane R.
    pub low: [Signal<Out, Bit>; 2],
    /// It, as an insertion.
    pub payload: [Signal<Out, Bits<INSERT_BITS>>; 2],
    /// States of the ends' links.
    pub end_state: [Signal<Out, Bits<3>>; 3],
    /// States of the switches' links.
    pub switch_state: [Signal<Out, Bits<3>>; 6],
    /// A packet flit has come to a slave.
    pub arrived: [Signal<Out, Bit>; 2],
    ends: [SwitchPort<1, BEAT, 0, 0>; 3],
    switches: [TimeSwitch4<3, 1, BEAT, 0, 0>; 2],
    end_ports: [LinkPort1<1, 4, 8>; 3],
    switch_ports: [LinkPort1<1, 4, 8>; 6],
    lines: [PhyLoop<1>; 8],
    counted: DFF<Bits<64>>,
    flit: Signal<Local, Bits<BEAT>>,
    one: Constant<Bits<64>>,
}

impl TimeTree {
    pub fn new(core_fs: u64, inc_nom: u64) -> Self {
        let port = |guid| LinkPort1::new(&PortConfig { guid, ..PortConfig::short(1, 1, 16) }).expect("valid");
        let end = || SwitchPort::new(&TimePortConfig::one_clock(1, core_fs), Some(0)).expect("valid");
        let config = TimeSwitchConfig::one_clock(3, 4, 1, core_fs, inc_nom);
        let switch = || TimeSwitch4::new(&config).expect("valid");
        Self {
            clock: Default::default(),
            clear: Default::default(),
            link_addr: Default::default(),
            link_we: Default::default(),
            load: Default::default(),
            delay: Default::default(),
            error_enable: Default::default(),
            error_mask: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            request: Default::default(),
            word: Default::default(),
            write: Default::default(),
            answer: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            increment: Default::default(),
            period: Default::default(),
            low: Default::default(),
            payload: Default::default(),
            end_state: Default::default(),
            switch_state: Default::default(),
            arrived: Default::default(),
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

impl Logic for TimeTree {
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
            self.end_state[i].next = self.end_ports[i].state.val();
            self.ends[i].tx_clock.next = self.clock.val();
            self.ends[i].rx_clock.next = self.clock.val();
            self.ends[i].tx_phase.valid.next = false;
            self.ends[i].tx_phase.data.next = 0.into();
            self.ends[i].rx_phase.valid.next = false;
            self.ends[i].rx_phase.data.next = 0.into();
            self.ends[i].tx_fill.next = 0.into();
            self.ends[i].rx_fill.next = 0.into();
            self.ends[i].state.next = self.end_ports[i].state.val();
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
            self.ends[i].request.next = self.request[i].val();
            self.ends[i].word.next = self.word.val();
            self.ends[i].write.next = self.write.val();
            self.ends[i].data.next = self.wdata.val();
            FlowOut::<Bits<64>>::link(&mut self.answer[i], &mut self.ends[i].answer);
            self.ends[i].locked.next = true;
            self.ends[i].inc_f.next = self.increment.val();
            self.ends[i].rper.next = self.period.val();
            self.ends[i].wper.next = self.period.val();
            self.ends[i].insert[0].ready.next = true;
            self.ends[i].insert[1].ready.next = true;
            self.ends[i].copy[1].valid.next = false;
            self.ends[i].copy[1].data.next = 0.into();
            self.ends[i].copy_control[1].next = 0.into();
        }
        FlowIn::<Bits<VALUE_BITS>>::link(&mut self.copy, &mut self.ends[0].copy[0]);
        self.ends[0].copy_control[0].next = self.copy_control.val();
        for i in 0..2 {
            self.ends[i + 1].copy[0].valid.next = false;
            self.ends[i + 1].copy[0].data.next = 0.into();
            self.ends[i + 1].copy_control[0].next = 0.into();
            self.low[i].next = self.ends[i + 1].insert[0].valid.val();
            self.payload[i].next = self.ends[i + 1].insert[0].data.val();
            self.arrived[i].next = self.end_ports[i + 1].flits_out.valid.val();

            self.switches[i].clock.next = self.clock.val();
            self.switches[i].clear.next = self.clear.val();
            self.switches[i].addr.next = self.addr[i].val();
            self.switches[i].wdata.next = self.wdata.val();
            self.switches[i].we.next = self.we[i].val();
            self.switches[i].re.next = self.re[i].val();
            self.rdata[i].next = self.switches[i].rdata.val();
            self.ack[i].next = self.switches[i].ack.val();
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
            self.switch_state[i].next = self.switch_ports[i].state.val();
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
            self.lines[i].error_enable.next = self.error_enable[i].val();
            self.lines[i].error_lanes.next = 1.into();
            self.lines[i].error_mask.next = self.error_mask.val();
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
        block_label("time_tree", &[])
    }
}

drive_ports!(impl[] TimeTree {
    clock, clear, link_addr, link_we, load, delay, error_enable, error_mask, addr, wdata, we, re, rdata, ack, request, word, write, answer, copy, copy_control, increment, period, low, payload, end_state, switch_state, arrived,
});
