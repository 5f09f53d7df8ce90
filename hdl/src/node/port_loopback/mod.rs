//! `port_loopback`: one whole port of the fabric link looped onto itself, with test traffic.
//!
//! ```text
//! PatternSource > Skid > LinkPort > PhyLoop > the same LinkPort > PatternChecker
//!                          ^ register bus
//!                     PortDirector
//! ```
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

mod director;
mod panel;

pub use director::{DirectorState, PortDirector, VALUE_BITS};
pub use panel::{PortLoopbackPanel, PortPanelConfig, ENTRY as PANEL_ENTRY};

use super::pattern::{PatternChecker, PatternSource, BEAT_BITS};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::phy_loop::PhyLoop;
use crate::link::port::{LinkPort, PortConfig};
use crate::prim::stream::{FlowOut, StreamOut};
use crate::prim::Skid;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

/// Flits per beat, lanes and replay slots of the port.
const SIZE: (usize, usize, usize) = (2, 4, 128);
/// What a dead lane does to its words: wrong bits, which are not those of an inverted lane, and a code error.
const DEAD: u64 = 1 << 33 | 0x0F0F_3355;

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

    source: PatternSource,
    beat_skid: Skid<Bits<BEAT_BITS>>,
    port: LinkPort,
    phy: PhyLoop<4>,
    checker: PatternChecker,
    director: PortDirector,
    cleared: DFF<Bit>,
    /// One clock behind, for the port alone: no register drives everything.
    port_cleared: DFF<Bit>,
    traffic_cleared: DFF<Bit>,
    dead_lanes: DFF<Bits<4>>,
    all_lanes: Constant<Bits<4>>,
    one_lane: Constant<Bits<4>>,
    dead_mask: Constant<Bits<LANE_IN_BITS>>,
    more: Signal<Local, Bits<4>>,
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
            source: Default::default(),
            beat_skid: Default::default(),
            port: LinkPort::new(config)?,
            phy: PhyLoop::new()?,
            checker: Default::default(),
            director: Default::default(),
            cleared: Default::default(),
            port_cleared: Default::default(),
            traffic_cleared: Default::default(),
            dead_lanes: Default::default(),
            all_lanes: Constant::new(0xF.into()),
            one_lane: Constant::new(1.into()),
            dead_mask: Constant::new(DEAD.into()),
            more: Default::default(),
        })
    }
}

impl Logic for PortLoopback {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cleared, port_cleared, traffic_cleared, dead_lanes);
        clock!(self, clock, source, beat_skid, port, phy, checker, director);
        self.cleared.d.next = self.clear.val();
        self.traffic_cleared.d.next = self.cleared.q.val() | self.director.restarting.val();
        self.source.clear.next = self.traffic_cleared.q.val();
        self.beat_skid.clear.next = self.traffic_cleared.q.val();
        self.checker.clear.next = self.traffic_cleared.q.val();
        self.port_cleared.d.next = self.cleared.q.val();
        self.port.clear.next = self.port_cleared.q.val();
        self.phy.clear.next = self.cleared.q.val();
        self.director.clear.next = self.cleared.q.val();

        // Registers.
        self.director.restart.next = self.restart.val();
        self.director.zero.next = self.zero.val();
        self.director.restore.next = self.restore.val();
        self.director.inject.next = self.inject.val();
        self.director.lanes.next = self.lanes.val();
        self.director.mode.next = self.mode.val();
        self.director.state.next = self.port.state.val();
        self.director.rdata.next = self.port.rdata.val();
        self.director.ack.next = self.port.ack.val();
        self.port.addr.next = self.director.addr.val();
        self.port.wdata.next = self.director.wdata.val();
        self.port.we.next = self.director.we.val();
        self.port.re.next = self.director.re.val();
        self.status.next = self.director.values[0].val().get_bits::<16>(0);
        self.lane_masks.next = self.director.values[1].val().get_bits::<16>(0);
        self.ltp_good.next = self.director.values[2].val();
        self.ltp_bad.next = self.director.values[3].val();
        self.replayed.next = self.director.values[4].val();

        // Traffic.
        StreamOut::<Bits<BEAT_BITS>>::join(&mut self.source.beats, &mut self.beat_skid.words_in);
        StreamOut::<Bits<BEAT_BITS>>::join(&mut self.beat_skid.words_out, &mut self.port.flits_in);
        FlowOut::<Bits<BEAT_BITS>>::join(&mut self.port.flits_out, &mut self.checker.beats);
        self.port.time_in.valid.next = false;
        self.port.time_in.data.next = 0.into();
        self.port.time_mode.next = false;
        self.port.side_in.valid.next = false;
        self.port.side_in.data.next = 0.into();
        self.port.bist_start.next = false;
        self.port.bist_end.next = false;
        self.port.test_rows_in.valid.next = false;
        self.port.test_rows_in.data.next = 0.into();
        self.port.damage.next = false;
        self.beat_good.next = self.checker.good.val();
        self.beat_wrong.next = self.checker.wrong.val();
        self.beat_gap.next = self.checker.gap.val();

        // Lanes, and what kills them.
        self.more.next = (self.dead_lanes.q.val() << 1) | self.one_lane.val();
        if self.kill.val() & (self.more.val() != self.all_lanes.val()) {
            self.dead_lanes.d.next = self.more.val();
        }
        if self.cleared.q.val() | self.restore.val() {
            self.dead_lanes.d.next = 0.into();
        }
        self.dead.next = self.dead_lanes.q.val();
        self.rx_lanes.next = self.port.rx_lanes.val();
        self.port.signal_ok.next = self.all_lanes.val();
        self.port.lane_lock.next = self.all_lanes.val();
        self.port.elastic_error.next = false;
        self.port.elastic_fill.next = 0.into();
        self.phy.error_enable.next = true;
        self.phy.error_lanes.next = self.dead_lanes.q.val();
        self.phy.error_mask.next = self.dead_mask.val();
        for i in 0..4 {
            self.phy.delay[i].next = 0.into();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.port.tx[i], &mut self.phy.tx[i]);
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.port.rx[i]);
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

/// The port of a loopback, with short timeouts of training on request.
fn port_config(short: u64) -> PortConfig {
    let (flits, lanes, slots) = SIZE;
    match short {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    }
}

/// The parameter of [`port_config`].
const SHORT: ParameterInfo = ParameterInfo {
    name: "short",
    default: 0,
    allowed: Allowed::Range(0, 1),
    doc: "1: short timeouts of training, for simulation",
};

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
