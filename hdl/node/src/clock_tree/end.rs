//! An end of the tree.

use super::{ClockTreeConfig, Hfi, TreePort};
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_time::hfi::TimeRole;
use flitforge_hdl_time::page::PAGE_WORD_BITS;
use flitforge_hdl_time::slave::TIME_WORD_BITS;

/// A `time_hfi` beside its port, built as a master or as a slave.
#[block("tree_end", new)]
pub struct TreeEnd {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link comes up; 0: it goes Down.
    enable: In<Bit>,
    /// Packet flits are sent as fast as the link takes them.
    load: In<Bit>,
    /// Register bus.
    addr: In<Bits<PAGE_WORD_BITS>>,
    /// Value of a write.
    wdata: In<Bits<64>>,
    /// A write.
    we: In<Bit>,
    /// A read.
    re: In<Bit>,
    /// Its value.
    rdata: Out<Bits<64>>,
    /// The request is done.
    ack: Out<Bit>,
    /// SyncTime.
    sync: Out<Bits<TIME_WORD_BITS>>,
    /// The servo is in TRACK.
    locked: Out<Bit>,
    /// Pulse per second.
    pps: Out<Bit>,
    /// State of the link.
    state: Out<Bits<3>>,
    /// To the line.
    pub tx: StreamOut<Bits<LANE_BITS>>,
    /// From the line.
    pub rx: FlowIn<Bits<LANE_IN_BITS>>,

    #[wire(clock, clear)]
    hfi: Hfi,
    #[wire(clock, clear, enable)]
    port: TreePort,
}

#[logic]
impl TreeEnd {
    /// An end of this role whose port has this GUID, or the reason why it cannot be built.
    pub fn new(config: &ClockTreeConfig, guid: u64, role: TimeRole) -> Result<Self, ConfigError> {
        Ok(Self { hfi: config.hfi(role)?, port: TreePort::new(config, guid)?, .. })
    }

    fn update(&mut self) {
        port.load = load;

        hfi = In { addr, wdata, we, re };
        Out { rdata, ack, sync, locked, pps } = hfi;
        state = port.state;

        // One clock, and no phase source.
        hfi = In { tx_clock: clock, rx_clock: clock };
        hfi.tx_phase = In { valid: false, data: 0 };
        hfi.rx_phase = In { valid: false, data: 0 };
        hfi = In { tx_fill: 0, rx_fill: 0 };

        hfi = In { link_state: port.state, tx_mode: port.tx_mode, tx_lanes: port.tx_lanes };
        hfi = In { rx_lanes: port.rx_lanes, tx_last_lane: port.tx_last_lane, tx_idle: port.tx_idle };
        hfi = In { tx_position: port.tx_position, tx_words: port.tx_words, rx_position: port.rx_position };
        hfi = In { rx_words: port.rx_words, tx_open: port.tx_open };
        port.time_mode = hfi.time_mode;
        hfi.spc_out = In { valid: port.spc_out.valid, data: port.spc_out.data };
        join(hfi.time_in, port.time_in);

        link(tx, port.tx);
        link(rx, port.rx);
    }
}
