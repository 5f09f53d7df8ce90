//! `port_line`: one whole port of the fabric link with test traffic, ready for any lane PHY.
//!
//! ```text
//! PatternSource > Skid > LinkPort > tx[l] > PHY > line > PHY > rx[l] > LinkPort of the peer > PatternChecker
//!                          ^ register bus
//!                     PortSequencer
//! ```
//!
//! The peer is another of these, or, over a cable that ends where it began, this one. Two flits per beat, four lanes, 128
//! replay slots.
//!
//! - After `clear`, and after a pulse on `restart`, the sequencer writes the port's registers: Down, `lanes` and `mode`, up;
//!   source and checker start from beat 0. After that nothing may be missing: `beat_gap` stays low whatever happens to
//!   the lanes, as long as one is left.
//! - `kill`: the next lane, from lane 0 on, arrives broken in every word. The last one is spared. Words pass the place where
//!   that is done in 1 clock.
//! - `restore`: the lanes work again, and the port tries those it had removed.
//! - `inject`: one bit of one LTP is flipped on the way to the lanes, by register INJECT.
//! - `status`, `lane_masks`, `ltp_good`, `ltp_bad` and `replayed` are what the sequencer read last of STATUS, LANES, RX_GOOD, RX_BAD
//!   and REPLAYED; each is read every 50 clocks or so.

mod operator;
mod panel;
mod sequencer;

pub use operator::{PortOperator, PortPanelConfig};
pub use panel::PortLinePanel;
pub use sequencer::{PortSequencer, SequencerState, VALUE_BITS};

use flitforge_hdl_prim::prelude::*;

pub(super) use operator::{panel_config, BUTTONS, PANEL_PARAMETERS, PANEL_PRESETS};

use super::pattern::{PatternChecker, PatternSource, BEAT_BITS};
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_link::port::{LinkPort, PortConfig};
use flitforge_hdl_prim::Skid;

/// Flits per beat, lanes and replay slots of the port.
const SIZE: (usize, usize, usize) = (2, 4, 128);
/// What a dead lane does to its words: wrong bits, which are not those of an inverted lane, and a code error.
const DEAD: u64 = 1 << 33 | 0x0F0F_3355;

/// See the [module](self).
#[block("port_line", new)]
pub struct PortLine {
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
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; 4],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; 4],
    /// Lanes sent on, for the PHY.
    tx_lanes: Out<Bits<4>>,
    /// Lanes the PHY is to invert.
    invert: Out<Bits<4>>,
    /// Pulse per lane: the PHY is to move the word boundary by one bit.
    slip: Out<Bits<4>>,
    /// Lanes on which the PHY has a signal.
    signal_ok: In<Bits<4>>,
    /// Lanes on which the PHY has found the word boundary.
    lane_lock: In<Bits<4>>,
    /// Pulse: a lane FIFO of the PHY ran over or empty.
    elastic_error: In<Bit>,

    #[wire(clock)]
    source: PatternSource,
    #[wire(clock)]
    beat_skid: Skid<Bits<BEAT_BITS>>,
    #[wire(clock)]
    port: LinkPort,
    #[wire(clock)]
    checker: PatternChecker,
    #[wire(clock)]
    sequencer: PortSequencer,
    cleared: Reg<Bit>,
    /// One clock later, for the port alone: no register drives everything.
    port_cleared: Reg<Bit>,
    traffic_cleared: Reg<Bit>,
    dead_lanes: Reg<Bits<4>>,
    #[wire(d = _)]
    received: [Reg<Bit>; 4],
    #[wire(d = _)]
    arrived: [Reg<Bits<LANE_IN_BITS>>; 4],
    #[init(0xF)]
    all_lanes: Constant<Bits<4>>,
    #[init(1)]
    one_lane: Constant<Bits<4>>,
    #[init(DEAD)]
    dead_mask: Constant<Bits<LANE_IN_BITS>>,
}

#[logic]
impl PortLine {
    /// A port that comes up by itself, or the reason why a block of it cannot be built.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        Ok(Self { port: LinkPort::new(config)?, .. })
    }

    fn update(&mut self) {
        cleared = clear;
        traffic_cleared = cleared | sequencer.restarting;
        source.clear = traffic_cleared;
        beat_skid.clear = traffic_cleared;
        checker.clear = traffic_cleared;
        port_cleared = cleared;
        port.clear = port_cleared;
        sequencer.clear = cleared;

        // Registers.
        sequencer = In { restart, zero, restore, inject, lanes, mode, state: port.state, rdata: port.rdata };
        sequencer.ack = port.ack;
        port = In { addr: sequencer.addr, wdata: sequencer.wdata, we: sequencer.we, re: sequencer.re };
        status = sequencer.values[0].bits::<16>(0);
        lane_masks = sequencer.values[1].bits::<16>(0);
        ltp_good = sequencer.values[2];
        ltp_bad = sequencer.values[3];
        replayed = sequencer.values[4];

        // Traffic.
        join(source.beats, beat_skid.words_in);
        join(beat_skid.words_out, port.flits_in);
        join(port.flits_out, checker.beats);
        port.time_in = In { valid: false, data: 0 };
        port.time_mode = false;
        port.side_in = In { valid: false, data: 0 };
        port = In { bond_skew: 0, bist_start: false, bist_end: false };
        port.test_rows_in = In { valid: false, data: 0 };
        port = In { damage: false, renew: false, fabric_events: 0, credit_word: 0 };
        Out { good: beat_good, wrong: beat_wrong, gap: beat_gap } = checker;

        // Lanes, and what kills them.
        let more = (dead_lanes << 1) | one_lane;
        if kill & (more != all_lanes) {
            dead_lanes = more;
        }
        if cleared | restore {
            dead_lanes = 0;
        }
        dead = dead_lanes;
        rx_lanes = port.rx_lanes;
        port = In { signal_ok, lane_lock, elastic_error, elastic_fill: 0 };
        Out { tx_lanes, invert, slip } = port;
        for i in 0..4 {
            link(tx[i], port.tx[i]);
            received[i] = rx[i].valid & !cleared;
            arrived[i] = rx[i].data;
            if dead_lanes[i] {
                arrived[i] = rx[i].data ^ dead_mask;
            }
            port.rx[i] = In { valid: received[i], data: arrived[i] };
        }
    }
}

/// The port, with short timeouts of training on request.
pub(super) fn port_config(short: u64) -> PortConfig {
    let (flits, lanes, slots) = SIZE;
    match short {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    }
}

/// The parameter of [`port_config`].
pub(super) const SHORT: ParameterInfo =
    ParameterInfo::new("short", 0, Allowed::Range(0, 1), "1: short timeouts of training, for simulation");
