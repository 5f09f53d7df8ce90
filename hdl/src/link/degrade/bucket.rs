//! The bucket of one lane.

use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::degrade::BUCKET_MAX;
use flitforge_protocol::link_registers::lane;

/// Bits of a bucket's level.
pub const LEVEL_BITS: usize = lane::level::WIDTH;
/// Bits that count the good LTPs of a window.
pub const WINDOW_BITS: usize = 24;

/// Level and good LTPs of one lane. At least 2 clocks lie between two events.
#[derive(LogicBlock)]
pub struct DegradeBucket {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Empties the bucket.
    pub clear: Signal<In, Bit>,
    /// A good LTP.
    pub good: Signal<In, Bit>,
    /// A verdict on the lane; a `good` with it does not count.
    pub error: Signal<In, Bit>,
    /// Good LTPs of a window, from 2 clocks before an event on.
    pub window: Signal<In, Bits<WINDOW_BITS>>,
    /// Lanes are removed at all.
    pub enabled: Signal<In, Bit>,
    /// Level that removes the lane.
    pub trigger: Signal<In, Bits<LEVEL_BITS>>,
    /// The level.
    pub level: Signal<Out, Bits<LEVEL_BITS>>,
    /// With `error`, combinational: the level reaches `trigger`; the bucket is emptied.
    pub full: Signal<Out, Bit>,

    level_now: Register<Bits<LEVEL_BITS>>,
    /// The good LTP that comes next, from 1 on.
    next_good: Register<Bits<WINDOW_BITS>>,
    /// That one ends the window.
    ends: DFF<Bit>,
    raised: Signal<Local, Bits<LEVEL_BITS>>,
    fills: Signal<Local, Bit>,
    first: Constant<Bits<WINDOW_BITS>>,
    one: Constant<Bits<LEVEL_BITS>>,
    most: Constant<Bits<LEVEL_BITS>>,
}

impl Default for DegradeBucket {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            good: Default::default(),
            error: Default::default(),
            window: Default::default(),
            enabled: Default::default(),
            trigger: Default::default(),
            level: Default::default(),
            full: Default::default(),
            level_now: Default::default(),
            next_good: Register::new(1.into()),
            ends: Default::default(),
            raised: Default::default(),
            fills: Default::default(),
            first: Constant::new(1.into()),
            one: Constant::new(1.into()),
            most: Constant::new(u64::from(BUCKET_MAX).into()),
        }
    }
}

impl Logic for DegradeBucket {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ends);
        clock!(self, clock, level_now, next_good);
        self.ends.d.next = self.next_good.q.val() >= self.window.val();
        self.raised.next = self.level_now.q.val();
        if self.level_now.q.val() != self.most.val() {
            self.raised.next = self.level_now.q.val() + self.one.val();
        }
        self.fills.next = self.error.val() & self.enabled.val() & (self.raised.val() >= self.trigger.val());
        self.full.next = self.fills.val();

        self.level_now.clear.next = self.clear.val() | self.fills.val();
        self.level_now.enable.next = false;
        self.level_now.d.next = self.raised.val();
        self.next_good.clear.next =
            self.clear.val() | self.error.val() | (self.good.val() & self.ends.q.val());
        self.next_good.enable.next = self.good.val();
        self.next_good.d.next = self.next_good.q.val() + self.first.val();
        if self.error.val() {
            self.level_now.enable.next = true;
        } else if self.good.val() & self.ends.q.val() {
            self.level_now.enable.next = self.level_now.q.val().any();
            self.level_now.d.next = self.level_now.q.val() - self.one.val();
        }
        self.level.next = self.level_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("degrade_bucket", &[])
    }
}

drive_ports!(impl[] DegradeBucket { clock, clear, good, error, window, enabled, trigger, level, full });
