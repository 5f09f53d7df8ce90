//! `port_loopback`: one whole port of the fabric link looped onto itself, with test traffic.
//!
//! It is a [`port_line`](super::port_line) with [`phy_loop`](crate::link::phy_loop) as its PHY.
//!
//! Its own transmit side is the port's peer: it trains with itself, agrees with itself on lanes and CRC mode, asks itself for
//! what arrived broken and sends it again, and takes a bad lane out of both directions of the one link there is. Two flits
//! per beat, four lanes, 128 replay slots.
//!
//! - After `clear`, and after a pulse on `restart`, the director writes the port's registers: Down, `lanes` and `mode`, up;
//!   source and checker start from beat 0. After that nothing may be missing: `beat_gap` stays low whatever happens to
//!   the lanes, as long as one is left.
//! - `kill`: the next lane, from lane 0 on, arrives broken in every word. The last one is spared.
//! - `restore`: the lanes work again, and the port tries those it had removed.
//! - `inject`: one bit of one LTP is flipped on the way to the lanes, by register INJECT.
//! - `status`, `lane_masks`, `ltp_good`, `ltp_bad` and `replayed` are what the director read last of STATUS, LANES, RX_GOOD, RX_BAD
//!   and REPLAYED; each is read every 50 clocks or so.

mod panel;

pub use super::port_line::PortPanelConfig;
pub use panel::{PortLoopbackPanel, ENTRY as PANEL_ENTRY};

use super::port_line::{port_config, PortLine, SHORT, VALUE_BITS};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::phy_loop::PhyLoop;
use crate::link::port::PortConfig;
use crate::prim::stream::{FlowOut, StreamOut};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// See the [module](self).
#[derive(LogicBlock)]
pub struct PortLoopback {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Pulse: Down, and up again with `lanes` and `mode`.
    pub restart: Signal<In, Bit>,
    /// Lanes that may be used, minus one.
    pub lanes: Signal<In, Bits<2>>,
    /// Preferred CRC mode, 0 or 1.
    pub mode: Signal<In, Bits<2>>,
    /// Pulse: one wrong bit in one LTP.
    pub inject: Signal<In, Bit>,
    /// Pulse: the next lane dies.
    pub kill: Signal<In, Bit>,
    /// Pulse: all lanes live again.
    pub restore: Signal<In, Bit>,
    /// Pulse: the port's counters become 0.
    pub zero: Signal<In, Bit>,
    /// STATUS.
    pub status: Signal<Out, Bits<16>>,
    /// LANES.
    pub lane_masks: Signal<Out, Bits<16>>,
    /// Good LTPs.
    pub ltp_good: Signal<Out, Bits<VALUE_BITS>>,
    /// Bad LTPs.
    pub ltp_bad: Signal<Out, Bits<VALUE_BITS>>,
    /// LTPs sent again.
    pub replayed: Signal<Out, Bits<VALUE_BITS>>,
    /// Lanes that are dead.
    pub dead: Signal<Out, Bits<4>>,
    /// Lanes received on, now.
    pub rx_lanes: Signal<Out, Bits<4>>,
    /// The checker's beat has the right content.
    pub beat_good: Signal<Out, Bit>,
    /// The checker's beat has another content.
    pub beat_wrong: Signal<Out, Bit>,
    /// The checker missed beats.
    pub beat_gap: Signal<Out, Bit>,

    line: PortLine,
    phy: PhyLoop<4>,
    cleared: DFF<Bit>,
    // Behind `cleared`, for the PHY alone: no register drives everything, and no other comes with it.
    phy_waits: DFF<Bit>,
    phy_cleared: DFF<Bit>,
    all_lanes: Constant<Bits<4>>,
}

impl PortLoopback {
    /// A port that comes up by itself, or the reason why a block of it cannot be built.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            restart: Default::default(),
            lanes: Default::default(),
            mode: Default::default(),
            inject: Default::default(),
            kill: Default::default(),
            restore: Default::default(),
            zero: Default::default(),
            status: Default::default(),
            lane_masks: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            replayed: Default::default(),
            dead: Default::default(),
            rx_lanes: Default::default(),
            beat_good: Default::default(),
            beat_wrong: Default::default(),
            beat_gap: Default::default(),
            line: PortLine::new(config)?,
            phy: PhyLoop::new()?,
            cleared: Default::default(),
            phy_waits: Default::default(),
            phy_cleared: Default::default(),
            all_lanes: Constant::new(0xF.into()),
        })
    }
}

impl Logic for PortLoopback {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cleared, phy_waits, phy_cleared);
        clock!(self, clock, line, phy);
        self.cleared.d.next = self.clear.val();
        self.phy_waits.d.next = self.cleared.q.val();
        self.phy_cleared.d.next = self.phy_waits.q.val();
        self.phy.clear.next = self.phy_cleared.q.val();
        self.line.clear.next = self.clear.val();
        self.line.restart.next = self.restart.val();
        self.line.lanes.next = self.lanes.val();
        self.line.mode.next = self.mode.val();
        self.line.inject.next = self.inject.val();
        self.line.kill.next = self.kill.val();
        self.line.restore.next = self.restore.val();
        self.line.zero.next = self.zero.val();
        self.status.next = self.line.status.val();
        self.lane_masks.next = self.line.lane_masks.val();
        self.ltp_good.next = self.line.ltp_good.val();
        self.ltp_bad.next = self.line.ltp_bad.val();
        self.replayed.next = self.line.replayed.val();
        self.dead.next = self.line.dead.val();
        self.rx_lanes.next = self.line.rx_lanes.val();
        self.beat_good.next = self.line.beat_good.val();
        self.beat_wrong.next = self.line.beat_wrong.val();
        self.beat_gap.next = self.line.beat_gap.val();
        self.line.signal_ok.next = self.all_lanes.val();
        self.line.lane_lock.next = self.all_lanes.val();
        self.line.elastic_error.next = false;
        self.phy.error_enable.next = false;
        self.phy.error_lanes.next = 0.into();
        self.phy.error_mask.next = 0.into();
        for i in 0..4 {
            self.phy.delay[i].next = 0.into();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.line.tx[i], &mut self.phy.tx[i]);
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.line.rx[i]);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_loopback", &[])
    }
}

drive_ports!(impl[] PortLoopback {
    clock, clear, restart, lanes, mode, inject, kill, restore, zero, status, lane_masks, ltp_good, ltp_bad, replayed, dead, rx_lanes,
    beat_good, beat_wrong, beat_gap,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "port_loopback",
    chapter: "10-link",
    summary: "one whole port looped onto itself, with test traffic and lanes that can be killed",
    parameters: &[SHORT],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "fast", values: &[("short", 1)] }],
    build: |settings| {
        let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
        Ok(BuiltBlock::new(PortLoopback::new(&port_config(settings.get("short")?))?, interface))
    },
};
