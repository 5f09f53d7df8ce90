//! An end of the tree.

use super::{ClockTreeConfig, Hfi, TreePort, BEAT};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::prim::stream::{FlowIn, StreamOut};
use crate::time::hfi::TimeRole;
use crate::time::page::PAGE_WORD_BITS;
use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A `time_hfi` beside its port, built as a master or as a slave.
#[derive(LogicBlock)]
pub struct TreeEnd {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link comes up; 0: it goes Down.
    pub enable: Signal<In, Bit>,
    /// Packet flits are sent as fast as the link takes them.
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
    /// SyncTime.
    pub sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// The servo is in TRACK.
    pub locked: Signal<Out, Bit>,
    /// Pulse per second.
    pub pps: Signal<Out, Bit>,
    /// State of the link.
    pub state: Signal<Out, Bits<3>>,
    /// To the line.
    pub tx: StreamOut<Bits<LANE_BITS>>,
    /// From the line.
    pub rx: FlowIn<Bits<LANE_IN_BITS>>,

    hfi: Hfi,
    port: TreePort,
}

impl TreeEnd {
    /// An end of this role whose port has this GUID, or the reason why it cannot be built.
    pub fn new(config: &ClockTreeConfig, guid: u64, role: TimeRole) -> Result<Self, ConfigError> {
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
            sync: Default::default(),
            locked: Default::default(),
            pps: Default::default(),
            state: Default::default(),
            tx: Default::default(),
            rx: Default::default(),
            hfi: config.hfi(role)?,
            port: TreePort::new(config, guid)?,
        })
    }
}

impl Logic for TreeEnd {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, hfi, port);
        self.hfi.clear.next = self.clear.val();
        self.port.clear.next = self.clear.val();
        self.port.enable.next = self.enable.val();
        self.port.load.next = self.load.val();

        self.hfi.addr.next = self.addr.val();
        self.hfi.wdata.next = self.wdata.val();
        self.hfi.we.next = self.we.val();
        self.hfi.re.next = self.re.val();
        self.rdata.next = self.hfi.rdata.val();
        self.ack.next = self.hfi.ack.val();
        self.sync.next = self.hfi.sync.val();
        self.locked.next = self.hfi.locked.val();
        self.pps.next = self.hfi.pps.val();
        self.state.next = self.port.state.val();

        // One clock, and no phase source.
        self.hfi.tx_clock.next = self.clock.val();
        self.hfi.rx_clock.next = self.clock.val();
        self.hfi.tx_phase.valid.next = false;
        self.hfi.tx_phase.data.next = 0.into();
        self.hfi.rx_phase.valid.next = false;
        self.hfi.rx_phase.data.next = 0.into();
        self.hfi.tx_fill.next = 0.into();
        self.hfi.rx_fill.next = 0.into();

        self.hfi.link_state.next = self.port.state.val();
        self.hfi.tx_mode.next = self.port.tx_mode.val();
        self.hfi.tx_lanes.next = self.port.tx_lanes.val();
        self.hfi.rx_lanes.next = self.port.rx_lanes.val();
        self.hfi.tx_last_lane.next = self.port.tx_last_lane.val();
        self.hfi.tx_idle.next = self.port.tx_idle.val();
        self.hfi.tx_position.next = self.port.tx_position.val();
        self.hfi.tx_words.next = self.port.tx_words.val();
        self.hfi.rx_position.next = self.port.rx_position.val();
        self.hfi.rx_words.next = self.port.rx_words.val();
        self.hfi.tx_open.next = self.port.tx_open.val();
        self.port.time_mode.next = self.hfi.time_mode.val();
        self.hfi.spc_out.valid.next = self.port.spc_out.valid.val();
        self.hfi.spc_out.data.next = self.port.spc_out.data.val();
        StreamOut::<Bits<BEAT>>::join(&mut self.hfi.time_in, &mut self.port.time_in);

        StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx, &mut self.port.tx);
        FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx, &mut self.port.rx);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("tree_end", &[])
    }
}

drive_ports!(impl[] TreeEnd {
    clock, clear, enable, load, addr, wdata, we, re, rdata, ack, sync, locked, pps, state, tx, rx,
});
