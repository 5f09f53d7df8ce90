//! A switch of the tree.

use super::{ClockTreeConfig, Switch, TreePort};
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_time::page::PAGE_WORD_BITS;

/// A `time_switch` of `P` ports with their links. It carries time only: packets end at its ports.
#[block("tree_switch", new, ports = P)]
pub struct TreeSwitch<const P: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The links come up; 0: they go Down.
    enable: In<Bit>,
    /// Packet flits are sent as fast as the links take them.
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
    /// States of the links.
    state: [Out<Bits<3>>; P],
    /// To the lines.
    pub tx: [StreamOut<Bits<LANE_BITS>>; P],
    /// From the lines.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; P],

    #[wire(clock, clear)]
    switch: Switch<P>,
    port: Vec<TreePort>,
}

#[logic]
impl<const P: usize> TreeSwitch<P> {
    /// A switch whose ports have GUIDs from `guid` on, or the reason why it cannot be built.
    pub fn new(config: &ClockTreeConfig, guid: u64) -> Result<Self, ConfigError> {
        let ports: Vec<_> =
            (0..P as u64).map(|port| TreePort::new(config, guid + port)).collect::<Result<_, _>>()?;
        Ok(Self { switch: config.switch()?, port: ports, .. })
    }

    fn update(&mut self) {
        switch = In { addr, wdata, we, re };
        Out { rdata, ack } = switch;

        // One clock, and no phase source.
        for i in 0..P {
            switch.tx_clock[i] = clock;
            switch.rx_clock[i] = clock;
            switch.tx_phase[i] = In { valid: false, data: 0 };
            switch.rx_phase[i] = In { valid: false, data: 0 };
            switch.tx_fill[i] = 0;
            switch.rx_fill[i] = 0;
            port[i] = In { clock, clear, enable, load };
            state[i] = port[i].state;
            switch.state[i] = port[i].state;
            switch.tx_mode[i] = port[i].tx_mode;
            switch.tx_lanes[i] = port[i].tx_lanes;
            switch.rx_lanes[i] = port[i].rx_lanes;
            switch.tx_last_lane[i] = port[i].tx_last_lane;
            switch.tx_idle[i] = port[i].tx_idle;
            switch.tx_position[i] = port[i].tx_position;
            switch.tx_words[i] = port[i].tx_words;
            switch.rx_position[i] = port[i].rx_position;
            switch.rx_words[i] = port[i].rx_words;
            switch.tx_open[i] = port[i].tx_open;
            port[i].time_mode = switch.time_mode[i];
            switch.spc_out[i] = In { valid: port[i].spc_out.valid, data: port[i].spc_out.data };
            join(switch.time_in[i], port[i].time_in);
            link(tx[i], port[i].tx);
            link(rx[i], port[i].rx);
        }
    }
}
