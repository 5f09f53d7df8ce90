//! `port_loopback`: one whole port of the fabric link looped onto itself, with test traffic.
//!
//! It is a [`port_line`](super::port_line) with [`phy_loop`](flitforge_hdl_link::phy_loop) as its PHY.
//!
//! Its own transmit side is the port's peer: it trains with itself, agrees with itself on lanes and CRC mode, asks itself for
//! what arrived broken and sends it again, and takes a bad lane out of both directions of the one link there is. Two flits
//! per beat, four lanes, 128 replay slots.
//!
//! - After `clear`, and after a pulse on `restart`, the sequencer writes the port's registers: Down, `lanes` and `mode`, up;
//!   source and checker start from beat 0. After that nothing may be missing: `beat_gap` stays low whatever happens to
//!   the lanes, as long as one is left.
//! - `kill`: the next lane, from lane 0 on, arrives broken in every word. The last one is spared.
//! - `restore`: the lanes work again, and the port tries those it had removed.
//! - `inject`: one bit of one LTP is flipped on the way to the lanes, by register INJECT.
//! - `status`, `lane_masks`, `ltp_good`, `ltp_bad` and `replayed` are what the sequencer read last of STATUS, LANES, RX_GOOD, RX_BAD
//!   and REPLAYED; each is read every 50 clocks or so.

mod panel;

pub use super::port_line::PortPanelConfig;
pub use panel::{PortLoopbackPanel, ENTRY as PANEL_ENTRY};

use super::port_line::{port_config, PortLine, SHORT, VALUE_BITS};
use flitforge_hdl_link::phy_loop::PhyLoop;
use flitforge_hdl_link::port::PortConfig;
use flitforge_hdl_prim::prelude::*;

/// See the [module](self).
#[block("port_loopback", new)]
pub struct PortLoopback {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Pulse: Down, and up again with `lanes` and `mode`.
    restart: In<Bit>,
    /// Lanes that may be used, minus one.
    lanes: In<Bits<2>>,
    /// Preferred CRC mode, 0 or 1.
    mode: In<Bits<2>>,
    /// Pulse: one wrong bit in one LTP.
    inject: In<Bit>,
    /// Pulse: the next lane dies.
    kill: In<Bit>,
    /// Pulse: all lanes live again.
    restore: In<Bit>,
    /// Pulse: the port's counters become 0.
    zero: In<Bit>,
    /// STATUS.
    status: Out<Bits<16>>,
    /// LANES.
    lane_masks: Out<Bits<16>>,
    /// Good LTPs.
    ltp_good: Out<Bits<VALUE_BITS>>,
    /// Bad LTPs.
    ltp_bad: Out<Bits<VALUE_BITS>>,
    /// LTPs sent again.
    replayed: Out<Bits<VALUE_BITS>>,
    /// Lanes that are dead.
    dead: Out<Bits<4>>,
    /// Lanes received on, now.
    rx_lanes: Out<Bits<4>>,
    /// The checker's beat has the right content.
    beat_good: Out<Bit>,
    /// The checker's beat has another content.
    beat_wrong: Out<Bit>,
    /// The checker missed beats.
    beat_gap: Out<Bit>,

    #[wire(clock, clear)]
    line: PortLine,
    #[wire(clock)]
    phy: PhyLoop<4>,
    cleared: Reg<Bit>,
    // Behind `cleared`, for the PHY alone: no register drives everything, and no other comes with it.
    phy_waits: Reg<Bit>,
    phy_cleared: Reg<Bit>,
    #[init(0xF)]
    all_lanes: Constant<Bits<4>>,
}

#[logic]
impl PortLoopback {
    /// A port that comes up by itself, or the reason why a block of it cannot be built.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        Ok(Self { line: PortLine::new(config)?, phy: PhyLoop::new()?, .. })
    }

    fn update(&mut self) {
        cleared = clear;
        phy_waits = cleared;
        phy_cleared = phy_waits;
        phy.clear = phy_cleared;
        line = In { restart, lanes, mode, inject, kill, restore, zero };
        Out { status, lane_masks, ltp_good, ltp_bad, replayed, dead, rx_lanes, beat_good, beat_wrong } = line;
        beat_gap = line.beat_gap;
        line = In { signal_ok: all_lanes, lane_lock: all_lanes, elastic_error: false };
        phy = In { error_enable: false, error_lanes: 0, error_mask: 0 };
        for i in 0..4 {
            phy.delay[i] = 0;
            join(line.tx[i], phy.tx[i]);
            join(phy.rx[i], line.rx[i]);
        }
    }
}

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
