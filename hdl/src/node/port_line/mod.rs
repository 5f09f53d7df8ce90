//! `port_line`: one whole port of the fabric link with test traffic, ready for any lane PHY.
//!
//! ```text
//! PatternSource > Skid > LinkPort > tx[l] > PHY > line > PHY > rx[l] > LinkPort of the peer > PatternChecker
//!                          ^ register bus
//!                     PortDirector
//! ```
//!
//! The peer is another of these, or, over a cable that ends where it began, this one. Two flits per beat, four lanes, 128
//! replay slots.
//!
//! - After `clear`, and after a pulse on `restart`, the director writes the port's registers: Down, `lanes` and `mode`, up;
//!   source and checker start from beat 0. After that nothing may be missing: `beat_gap` stays low whatever happens to
//!   the lanes, as long as one is left.
//! - `kill`: the next lane, from lane 0 on, arrives broken in every word. The last one is spared. Words pass the place where
//!   that is done in 1 clock.
//! - `restore`: the lanes work again, and the port tries those it had removed.
//! - `inject`: one bit of one LTP is flipped on the way to the lanes, by register INJECT.
//! - `status`, `lane_masks`, `ltp_good`, `ltp_bad` and `replayed` are what the director read last of STATUS, LANES, RX_GOOD, RX_BAD
//!   and REPLAYED; each is read every 50 clocks or so.

mod director;
mod operator;
mod panel;

pub use director::{DirectorState, PortDirector, VALUE_BITS};
pub use operator::{PortOperator, PortPanelConfig};
pub use panel::PortLinePanel;

pub(super) use operator::{panel_config, BUTTONS, PANEL_PARAMETERS, PANEL_PRESETS};

use super::pattern::{PatternChecker, PatternSource, BEAT_BITS};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::port::{LinkPort, PortConfig};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::prim::Skid;
use crate::registry::{Allowed, ParameterInfo};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Flits per beat, lanes and replay slots of the port.
const SIZE: (usize, usize, usize) = (2, 4, 128);
/// What a dead lane does to its words: wrong bits, which are not those of an inverted lane, and a code error.
const DEAD: u64 = 1 << 33 | 0x0F0F_3355;

/// See the [module](self).
#[derive(LogicBlock)]
pub struct PortLine {
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
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; 4],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; 4],
    /// Lanes sent on, for the PHY.
    pub tx_lanes: Signal<Out, Bits<4>>,
    /// Lanes the PHY is to invert.
    pub invert: Signal<Out, Bits<4>>,
    /// Pulse per lane: the PHY is to move the word boundary by one bit.
    pub slip: Signal<Out, Bits<4>>,
    /// Lanes on which the PHY has a signal.
    pub signal_ok: Signal<In, Bits<4>>,
    /// Lanes on which the PHY has found the word boundary.
    pub lane_lock: Signal<In, Bits<4>>,
    /// Pulse: a lane FIFO of the PHY ran over or empty.
    pub elastic_error: Signal<In, Bit>,

    source: PatternSource,
    beat_skid: Skid<Bits<BEAT_BITS>>,
    port: LinkPort,
    checker: PatternChecker,
    director: PortDirector,
    cleared: DFF<Bit>,
    /// One clock behind, for the port alone: no register drives everything.
    port_cleared: DFF<Bit>,
    traffic_cleared: DFF<Bit>,
    dead_lanes: DFF<Bits<4>>,
    came: [DFF<Bit>; 4],
    arrived: [DFF<Bits<LANE_IN_BITS>>; 4],
    all_lanes: Constant<Bits<4>>,
    one_lane: Constant<Bits<4>>,
    dead_mask: Constant<Bits<LANE_IN_BITS>>,
    more: Signal<Local, Bits<4>>,
}

impl PortLine {
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
            tx: Default::default(),
            rx: Default::default(),
            tx_lanes: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            elastic_error: Default::default(),
            source: Default::default(),
            beat_skid: Default::default(),
            port: LinkPort::new(config)?,
            checker: Default::default(),
            director: Default::default(),
            cleared: Default::default(),
            port_cleared: Default::default(),
            traffic_cleared: Default::default(),
            dead_lanes: Default::default(),
            came: Default::default(),
            arrived: Default::default(),
            all_lanes: Constant::new(0xF.into()),
            one_lane: Constant::new(1.into()),
            dead_mask: Constant::new(DEAD.into()),
            more: Default::default(),
        })
    }
}

impl Logic for PortLine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cleared, port_cleared, traffic_cleared, dead_lanes);
        clock!(self, clock, source, beat_skid, port, checker, director);
        self.cleared.d.next = self.clear.val();
        self.traffic_cleared.d.next = self.cleared.q.val() | self.director.restarting.val();
        self.source.clear.next = self.traffic_cleared.q.val();
        self.beat_skid.clear.next = self.traffic_cleared.q.val();
        self.checker.clear.next = self.traffic_cleared.q.val();
        self.port_cleared.d.next = self.cleared.q.val();
        self.port.clear.next = self.port_cleared.q.val();
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
        self.port.bond_skew.next = 0.into();
        self.port.bist_start.next = false;
        self.port.bist_end.next = false;
        self.port.test_rows_in.valid.next = false;
        self.port.test_rows_in.data.next = 0.into();
        self.port.damage.next = false;
        self.port.renew.next = false;
        self.port.fabric_events.next = 0.into();
        self.port.credit_word.next = 0.into();
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
        self.port.signal_ok.next = self.signal_ok.val();
        self.port.lane_lock.next = self.lane_lock.val();
        self.port.elastic_error.next = self.elastic_error.val();
        self.port.elastic_fill.next = 0.into();
        self.tx_lanes.next = self.port.tx_lanes.val();
        self.invert.next = self.port.invert.val();
        self.slip.next = self.port.slip.val();
        for i in 0..4 {
            StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.port.tx[i]);
            self.came[i].clock.next = self.clock.val();
            self.came[i].d.next = self.rx[i].valid.val() & !self.cleared.q.val();
            self.arrived[i].clock.next = self.clock.val();
            self.arrived[i].d.next = self.rx[i].data.val();
            if self.dead_lanes.q.val().get_bit(i) {
                self.arrived[i].d.next = self.rx[i].data.val() ^ self.dead_mask.val();
            }
            self.port.rx[i].valid.next = self.came[i].q.val();
            self.port.rx[i].data.next = self.arrived[i].q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_line", &[])
    }
}

drive_ports!(impl[] PortLine {
    clock, clear, restart, lanes, mode, inject, kill, restore, zero, status, lane_masks, ltp_good, ltp_bad, replayed, dead, rx_lanes,
    beat_good, beat_wrong, beat_gap, tx, rx, tx_lanes, invert, slip, signal_ok, lane_lock, elastic_error,
});

/// The port, with short timeouts of training on request.
pub(super) fn port_config(short: u64) -> PortConfig {
    let (flits, lanes, slots) = SIZE;
    match short {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    }
}

/// The parameter of [`port_config`].
pub(super) const SHORT: ParameterInfo = ParameterInfo {
    name: "short",
    default: 0,
    allowed: Allowed::Range(0, 1),
    doc: "1: short timeouts of training, for simulation",
};
