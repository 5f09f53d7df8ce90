//! A switch of the tree.

use super::{ClockTreeConfig, Switch, TreePort, BEAT};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::prim::stream::{FlowIn, StreamOut};
use crate::time::page::PAGE_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A `time_switch` of `P` ports with their links. It carries time only: packets end at its ports.
#[derive(LogicBlock)]
pub struct TreeSwitch<const P: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The links come up; 0: they go Down.
    pub enable: Signal<In, Bit>,
    /// Packet flits are sent as fast as the links take them.
    pub load: Signal<In, Bit>,
    /// Register bus.
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// A write.
    pub we: Signal<In, Bit>,
    /// A read.
    pub re: Signal<In, Bit>,
    /// Its value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// States of the links.
    pub state: [Signal<Out, Bits<3>>; P],
    /// To the lines.
    pub tx: [StreamOut<Bits<LANE_BITS>>; P],
    /// From the lines.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; P],

    switch: Switch<P>,
    port: Vec<TreePort>,
}

impl<const P: usize> TreeSwitch<P> {
    /// A switch whose ports have GUIDs from `guid` on, or the reason why it cannot be built.
    pub fn new(config: &ClockTreeConfig, guid: u64) -> Result<Self, ConfigError> {
        let ports: Vec<_> =
            (0..P as u64).map(|port| TreePort::new(config, guid + port)).collect::<Result<_, _>>()?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            load: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            state: defaults(),
            tx: defaults(),
            rx: defaults(),
            switch: config.switch()?,
            port: ports,
        })
    }
}

impl<const P: usize> Logic for TreeSwitch<P> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, switch);
        self.switch.clear.next = self.clear.val();
        self.switch.addr.next = self.addr.val();
        self.switch.wdata.next = self.wdata.val();
        self.switch.we.next = self.we.val();
        self.switch.re.next = self.re.val();
        self.rdata.next = self.switch.rdata.val();
        self.ack.next = self.switch.ack.val();

        // One clock, and no phase source.
        for i in 0..P {
            self.switch.tx_clock[i].next = self.clock.val();
            self.switch.rx_clock[i].next = self.clock.val();
            self.switch.tx_phase[i].valid.next = false;
            self.switch.tx_phase[i].data.next = 0.into();
            self.switch.rx_phase[i].valid.next = false;
            self.switch.rx_phase[i].data.next = 0.into();
            self.switch.tx_fill[i].next = 0.into();
            self.switch.rx_fill[i].next = 0.into();
            self.port[i].clock.next = self.clock.val();
            self.port[i].clear.next = self.clear.val();
            self.port[i].enable.next = self.enable.val();
            self.port[i].load.next = self.load.val();
            self.state[i].next = self.port[i].state.val();
            self.switch.state[i].next = self.port[i].state.val();
            self.switch.tx_mode[i].next = self.port[i].tx_mode.val();
            self.switch.tx_lanes[i].next = self.port[i].tx_lanes.val();
            self.switch.rx_lanes[i].next = self.port[i].rx_lanes.val();
            self.switch.tx_last_lane[i].next = self.port[i].tx_last_lane.val();
            self.switch.tx_idle[i].next = self.port[i].tx_idle.val();
            self.switch.tx_position[i].next = self.port[i].tx_position.val();
            self.switch.tx_words[i].next = self.port[i].tx_words.val();
            self.switch.rx_position[i].next = self.port[i].rx_position.val();
            self.switch.rx_words[i].next = self.port[i].rx_words.val();
            self.switch.tx_open[i].next = self.port[i].tx_open.val();
            self.port[i].time_mode.next = self.switch.time_mode[i].val();
            self.switch.spc_out[i].valid.next = self.port[i].spc_out.valid.val();
            self.switch.spc_out[i].data.next = self.port[i].spc_out.data.val();
            StreamOut::<Bits<BEAT>>::join(&mut self.switch.time_in[i], &mut self.port[i].time_in);
            StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.port[i].tx);
            FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.port[i].rx);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("tree_switch", &[("ports", P.to_string())])
    }
}

drive_ports!(impl[const P: usize] TreeSwitch<P> {
    clock, clear, enable, load, addr, wdata, we, re, rdata, ack, state, tx, rx,
});
