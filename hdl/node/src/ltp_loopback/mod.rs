//! `ltp_loopback`: a whole link on one device: test traffic through LTPs, gearbox, lanes and back.
//!
//! ```text
//! PatternSource > Skid > LtpTx2 > LinkGearboxTx > LinkLaneTx > PhyLoop > LinkLaneRx > LinkGearboxRx > LtpRx2 > PatternChecker
//! ```
//!
//! The skid buffer keeps the source's logic out of the path of the sender's `ready`. Two flits per beat, one to
//! four lanes, CRC mode 0 or 1; no training and no retry (they are in [`port_loopback`](super::port_loopback)), so an LTP hit by an error is counted bad and its beats
//! are missing at the checker, which counts one gap (none if the LTP held only Idle).
//!
//! - After `clear`, and after a pulse on `restart`, everything is cleared for [`CLEAR_CLOCKS`] clocks; `lanes` and
//!   `mode` are taken meanwhile; then the start row goes out and traffic begins.
//! - A receiver that loses its lanes restarts the link by itself.
//! - `inject` asks for one error: the next word on lane 0 arrives with one bit flipped. Requests that come before
//!   that count as one. If that word is one of the rare alignment words, no LTP is hit.
//! - All outputs are pulses of one clock.

use super::pattern::{PatternChecker, PatternSource, BEAT_BITS};
use flitforge_hdl_link::gearbox::{LinkGearboxRx, LinkGearboxTx};
use flitforge_hdl_link::lane::{LinkLaneRx, LinkLaneTx, LANE_IN_BITS};
use flitforge_hdl_link::ltp_rx::LtpRx2;
use flitforge_hdl_link::ltp_tx::LtpTx2;
use flitforge_hdl_link::phy_loop::PhyLoop;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;

/// Clocks that everything stays cleared.
pub const CLEAR_CLOCKS: u64 = 32;
/// The bit of a lane word that an injected error flips.
const ERROR_BIT: usize = 9;

/// See the [module](self).
#[block("ltp_loopback", new)]
pub struct LtpLoopback {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Start again with new `lanes` and `mode`.
    restart: In<Bit>,
    /// Lanes in use minus one.
    lanes: In<Bits<2>>,
    /// CRC mode, 0 or 1.
    mode: In<Bits<2>>,
    /// Ask for one error on lane 0.
    inject: In<Bit>,
    /// A good LTP arrived.
    ltp_good: Out<Bit>,
    /// A bad LTP arrived.
    ltp_bad: Out<Bit>,
    /// The checker's beat has the right content.
    beat_good: Out<Bit>,
    /// The checker's beat has another content.
    beat_wrong: Out<Bit>,
    /// The checker missed beats.
    beat_gap: Out<Bit>,
    /// The link restarts.
    restarted: Out<Bit>,
    /// Lanes in use minus one, as taken.
    lanes_now: Out<Bits<2>>,
    /// CRC mode, as taken.
    mode_now: Out<Bits<2>>,

    #[wire(clock)]
    source: PatternSource,
    #[wire(clock)]
    beat_skid: Skid<Bits<BEAT_BITS>>,
    #[wire(clock)]
    ltp_tx: LtpTx2,
    #[wire(clock)]
    gearbox_tx: LinkGearboxTx,
    #[wire(clock)]
    lane_tx: LinkLaneTx<4>,
    #[wire(clock)]
    phy: PhyLoop<4>,
    #[wire(clock)]
    lane_rx: LinkLaneRx<4>,
    #[wire(clock)]
    gearbox_rx: LinkGearboxRx,
    #[wire(clock)]
    ltp_rx: LtpRx2,
    #[wire(clock)]
    checker: PatternChecker,

    hold: Reg<Bits<6>>,
    /// Stages of the pipeline are cleared one clock after the other: no register drives them all.
    cleared: Reg<Bit>,
    lanes_cleared: Reg<Bit>,
    arrivals_cleared: Reg<Bit>,
    delivery_cleared: Reg<Bit>,
    begin: Reg<Bit>,
    lanes_taken: Reg<Bits<2>>,
    mode_taken: Reg<Bits<2>>,
    active: Reg<Bits<4>>,
    inject_waiting: Reg<Bit>,
    #[init(CLEAR_CLOCKS)]
    full_hold: Constant<Bits<6>>,
    error_mask: Constant<Bits<LANE_IN_BITS>>,
    #[init(|lane| lane)]
    lane_numbers: [Constant<Bits<2>>; 4],
}

#[logic]
impl LtpLoopback {
    /// A link, or the reason why a block of it cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            ltp_tx: LtpTx2::new()?,
            lane_tx: LinkLaneTx::new()?,
            phy: PhyLoop::new()?,
            lane_rx: LinkLaneRx::new()?,
            ltp_rx: LtpRx2::new()?,
            error_mask: Constant::new(Bits::<LANE_IN_BITS>::default().replace_bit(ERROR_BIT, true)),
            ..
        })
    }

    fn update(&mut self) {
        // Start and restart.
        let again = clear | restart | lane_rx.deskew_lost;
        cleared = again | hold.any();
        lanes_cleared = cleared;
        arrivals_cleared = lanes_cleared;
        delivery_cleared = arrivals_cleared;
        begin = lanes_cleared & !cleared;
        if hold.any() {
            hold = hold - 1;
            lanes_taken = lanes;
            mode_taken = mode;
        }
        if again {
            hold = full_hold;
        }
        source.clear = cleared;
        beat_skid.clear = cleared;
        ltp_tx.clear = cleared;
        gearbox_tx.clear = lanes_cleared;
        lane_tx.clear = lanes_cleared;
        phy.clear = arrivals_cleared;
        lane_rx.clear = arrivals_cleared;
        gearbox_rx.clear = arrivals_cleared;
        ltp_rx.clear = delivery_cleared;
        checker.clear = delivery_cleared;

        // Configuration.
        active = 1;
        match lanes_taken {
            1 => active = 3,
            2 => active = 7,
            3 => active = 15,
            _ => active = 1,
        }
        ltp_tx = In { mode: mode_taken, active: true, time_mode: false };
        gearbox_tx = In { wide: false, last_lane: lane_tx.last_lane };
        lane_tx = In { start: begin, active, crc_mode: mode_taken, bond_index: 0 };
        lane_rx = In { active, crc_mode: mode_taken };
        gearbox_rx = In { wide: false, last_lane: lane_rx.last_lane };
        ltp_rx = In { mode: mode_taken, lanes: lanes_taken };

        // Sender.
        join(source.beats, beat_skid.words_in);
        join(beat_skid.words_out, ltp_tx.flits_in);
        ltp_tx.time_in = In { valid: false, data: 0 };
        ltp_tx.null_in = In { valid: false, data: 0 };
        ltp_tx.side_in = In { valid: false, data: 0 };
        ltp_tx =
            In { replay_next: false, replay_beat: 0, replay_side: 0, replay_corrupt: false, hold: false };
        ltp_tx = In { drain: false, restart: false };
        join(ltp_tx.wire_out, gearbox_tx.wire_in);
        join(gearbox_tx.rows, lane_tx.rows);

        self.wire_lanes();

        // Receiver.
        join(lane_rx.rows, gearbox_rx.rows);
        gearbox_rx = In { row_error: lane_rx.row_error, row_start: lane_rx.row_start };
        join(gearbox_rx.wire_out, ltp_rx.wire_in);
        ltp_rx = In { code_err: gearbox_rx.code_err, frame_start: gearbox_rx.frame_start, retry: false };
        ltp_rx = In { reset_exchange: false, fresh: false, activate: false, ltp_time: false, toss_ltps: 0 };
        ltp_rx = In { retry_limit: 0, bad_run: 0 };
        ltp_rx.retry_req.ready = false;
        join(ltp_rx.flits_out, checker.beats);

        Out { rx_good: ltp_good, rx_bad: ltp_bad } = ltp_rx;
        Out { good: beat_good, wrong: beat_wrong, gap: beat_gap } = checker;
        restarted = begin;
        lanes_now = lanes_taken;
        mode_now = mode_taken;
    }

    /// Lanes and errors.
    fn wire_lanes(&mut self) {
        for i in 0..4 {
            lane_tx.training[i] = In { valid: false, data: 0 };
            join(lane_tx.lanes[i], phy.tx[i]);
            phy.delay[i] = 0;
            lane_rx.source[i] = lane_numbers[i];
            join(phy.rx[i], lane_rx.lanes[i]);
        }
        phy = In { error_lanes: 1, error_mask, error_enable: inject_waiting };
        if lane_tx.lanes[0].valid {
            inject_waiting = false;
        }
        if inject {
            inject_waiting = true;
        }
        if clear {
            inject_waiting = false;
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "ltp_loopback",
    chapter: "10-link",
    summary: "a whole link on one device with test traffic, one to four lanes",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
        Ok(BuiltBlock::new(LtpLoopback::new()?, interface))
    },
};
