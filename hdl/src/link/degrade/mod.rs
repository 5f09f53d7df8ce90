//! `link_degrade`: when a lane is removed (chapter 10, 4.5).
//!
//! Every lane in use has a bucket with a level of 0 to 7. A verdict on the lane (`lane_errors`) raises it; each
//! window of good LTPs without a verdict on the lane lowers it. The good LTP that brought the verdict is in no window of
//! that lane. A window has WIN(`window`) x L/4 LTPs; a new length counts for the window that is running, too. At level
//! `trigger` (0 counts as 1) the bucket is emptied and
//!
//! - with more than `min_lanes` + 1 lanes in use, `remove` names the lane: `link_train` clears its rx_ok bit and goes to
//!   Retraining. The lane is out of use until the next `enter`;
//! - else the removal is `refused`.
//!
//! With `enabled` low, buckets fill and leak all the same and nothing follows.
//!
//! `enter` says that Active is entered, on the lanes of `active`: lanes that were in use keep their bucket, others start
//! empty. An event in that clock is lost.
//!
//! - Latency: `remove` and `refused` (one clock long) and `level` 1 clock behind the verdict.
//! - Throughput: one event in 4 clocks; the LTPs of `link_ltp_rx` are no closer. At most one lane in `lane_errors`.
//! - `clear`: no lane is in use, all buckets are empty.

mod bucket;

pub use bucket::{DegradeBucket, LEVEL_BITS, WINDOW_BITS};

use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::degrade::{WINDOW_LANES, WINDOW_LTPS};
use flitforge_protocol::lane_word::MAX_LANES;

/// Leaky bucket per lane; see the [module](self).
#[derive(LogicBlock)]
pub struct LinkDegrade {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Active is entered.
    pub enter: Signal<In, Bit>,
    /// With `enter`: lanes received on, by the sender's numbers.
    pub active: Signal<In, Bits<4>>,
    /// A good LTP.
    pub good_ltp: Signal<In, Bit>,
    /// Verdict on a lane, one bit at most.
    pub lane_errors: Signal<In, Bits<4>>,
    /// Register DEGRADE, enable.
    pub enabled: Signal<In, Bit>,
    /// Register DEGRADE, MIN_LANES-1.
    pub min_lanes: Signal<In, Bits<2>>,
    /// Register DEGRADE, TRIG.
    pub trigger: Signal<In, Bits<LEVEL_BITS>>,
    /// Register DEGRADE, WIN.
    pub window: Signal<In, Bits<3>>,
    /// Levels of the buckets.
    pub level: [Signal<Out, Bits<LEVEL_BITS>>; MAX_LANES],
    /// Pulse, one bit at most: this lane has to go.
    pub remove: Signal<Out, Bits<4>>,
    /// Pulse: a lane should go, but no lane may. Event `REMOVE_REFUSED`.
    pub refused: Signal<Out, Bit>,

    bucket: [DegradeBucket; MAX_LANES],
    in_use: DFF<Bits<4>>,
    /// Good LTPs of a window.
    length: DFF<Bits<WINDOW_BITS>>,
    out_remove: DFF<Bits<4>>,
    out_refused: DFF<Bit>,

    charged: Signal<Local, Bits<4>>,
    full: Signal<Local, Bits<4>>,
    lanes: Signal<Local, Bits<3>>,
    may_go: Signal<Local, Bit>,
    quarter: Signal<Local, Bits<WINDOW_BITS>>,
    odd_part: Signal<Local, Bits<WINDOW_BITS>>,
    even_part: Signal<Local, Bits<WINDOW_BITS>>,
    window_codes: [Constant<Bits<3>>; 8],
    /// A quarter of WIN: what a window has on one lane.
    quarters: [Constant<Bits<WINDOW_BITS>>; 8],
    one: Constant<Bits<3>>,
}

impl Default for LinkDegrade {
    fn default() -> Self {
        let quarter = |code: usize| Constant::new(u64::from(WINDOW_LTPS[code] / WINDOW_LANES).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            enter: Default::default(),
            active: Default::default(),
            good_ltp: Default::default(),
            lane_errors: Default::default(),
            enabled: Default::default(),
            min_lanes: Default::default(),
            trigger: Default::default(),
            window: Default::default(),
            level: Default::default(),
            remove: Default::default(),
            refused: Default::default(),
            bucket: Default::default(),
            in_use: Default::default(),
            length: Default::default(),
            out_remove: Default::default(),
            out_refused: Default::default(),
            charged: Default::default(),
            full: Default::default(),
            lanes: Default::default(),
            may_go: Default::default(),
            quarter: Default::default(),
            odd_part: Default::default(),
            even_part: Default::default(),
            window_codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            quarters: std::array::from_fn(quarter),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for LinkDegrade {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, in_use, length, out_remove, out_refused);
        self.lanes.next = bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(0))
            + bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(1))
            + bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(2))
            + bit_cast::<3, 1>(self.in_use.q.val().get_bits::<1>(3));

        // A quarter of WIN times L.
        self.quarter.next = 0.into();
        for i in 0..8 {
            if self.window.val() == self.window_codes[i].val() {
                self.quarter.next = self.quarters[i].val();
            }
        }
        self.odd_part.next = 0.into();
        if self.lanes.val().get_bit(0) {
            self.odd_part.next = self.quarter.val();
        }
        self.even_part.next = 0.into();
        if self.lanes.val().get_bit(1) {
            self.even_part.next = self.quarter.val() << 1;
        }
        if self.lanes.val().get_bit(2) {
            self.even_part.next = self.quarter.val() << 2;
        }
        self.length.d.next = self.odd_part.val() + self.even_part.val();

        // A bucket per lane.
        self.charged.next = self.lane_errors.val() & self.in_use.q.val();
        if self.enter.val() | self.clear.val() {
            self.charged.next = 0.into();
        }
        self.full.next = 0.into();
        for i in 0..4 {
            self.bucket[i].clock.next = self.clock.val();
            self.bucket[i].clear.next = self.clear.val()
                | !self.in_use.q.val().get_bit(i)
                | (self.enter.val() & !self.active.val().get_bit(i));
            self.bucket[i].good.next = self.good_ltp.val() & !self.enter.val();
            self.bucket[i].error.next = self.charged.val().get_bit(i);
            self.bucket[i].window.next = self.length.q.val();
            self.bucket[i].enabled.next = self.enabled.val();
            self.bucket[i].trigger.next = self.trigger.val();
            self.level[i].next = self.bucket[i].level.val();
            self.full.next = self.full.val().replace_bit(i, self.bucket[i].full.val());
        }

        // What follows from a full one.
        self.may_go.next = self.lanes.val() > (bit_cast::<3, 2>(self.min_lanes.val()) + self.one.val());
        self.out_remove.d.next = 0.into();
        if self.may_go.val() {
            self.out_remove.d.next = self.full.val();
            self.in_use.d.next = self.in_use.q.val() & !self.full.val();
        }
        self.out_refused.d.next = self.full.val().any() & !self.may_go.val();
        if self.enter.val() {
            self.in_use.d.next = self.active.val();
        }
        if self.clear.val() {
            self.in_use.d.next = 0.into();
        }
        self.remove.next = self.out_remove.q.val();
        self.refused.next = self.out_refused.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_degrade", &[])
    }
}

drive_ports!(impl[] LinkDegrade { clock, clear, enter, active, good_ltp, lane_errors, enabled, min_lanes, trigger, window, level, remove, refused });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_degrade",
    chapter: "10-link",
    summary: "leaky bucket per lane, asks for the removal of a lane",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(&[], Some(1), "verdict to removal");
    Ok(BuiltBlock::new(LinkDegrade::default(), interface))
}
