//! The pad of rule 1 and the timer of FREEZE (chapter 10, 4.2).

use super::POINTER_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of the timer: 2 RTT_LTP + 16.
const TIMER_BITS: usize = 18;
/// Bits of RTT_LTP + `GUARD_LTPS`.
const SUM_BITS: usize = 17;

/// Counts down the fillers of a pad and the LTP times of FREEZE.
///
/// A pad is RTT_LTP + GUARD_LTPS - R fillers, if that is more than 0; the timer is FREEZE_LTPS, or 2 RTT_LTP + 16 if
/// that is 0. `pads` and `timer_over` follow their counts by one clock.
#[derive(LogicBlock)]
pub struct ReplayTimers {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// RTT_LTP.
    pub round_trip: Signal<In, Bits<16>>,
    /// FREEZE_LTPS; 0 = by formula.
    pub freeze_ltps: Signal<In, Bits<16>>,
    /// Strobe: an LTP time goes by.
    pub decide: Signal<In, Bit>,
    /// FREEZE, its pair on the way: the timer runs.
    pub is_waiting: Signal<In, Bit>,
    /// With `decide`: an LTP of slot R-1 is sent.
    pub pad_start: Signal<In, Bit>,
    /// With `decide`: a filler of the pad is sent.
    pub pad_step: Signal<In, Bit>,
    /// The rest of the pad is void.
    pub pad_cancel: Signal<In, Bit>,
    /// Fillers of a whole pad.
    pub pad: Signal<Out, Bits<POINTER_BITS>>,
    /// A filler of the pad is due.
    pub pads: Signal<Out, Bit>,
    /// With the next `decide` the timer has run out.
    pub timer_over: Signal<Out, Bit>,

    pad_ltps: DFF<Bits<16>>,
    timer_ltps: DFF<Bits<TIMER_BITS>>,
    pad_left: DFF<Bits<16>>,
    pad_due: DFF<Bit>,
    left: DFF<Bits<TIMER_BITS>>,
    last: DFF<Bit>,
    over: Signal<Local, Bit>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    excess: Signal<Local, Bits<SUM_BITS>>,
    guard: Constant<Bits<SUM_BITS>>,
    slots: Constant<Bits<SUM_BITS>>,
    freeze_extra: Constant<Bits<TIMER_BITS>>,
    one_filler: Constant<Bits<16>>,
    one_ltp: Constant<Bits<TIMER_BITS>>,
}

impl ReplayTimers {
    /// Timers of a buffer of `slots` LTPs with `guard` LTPs beyond the round trip.
    pub fn new(slots: usize, guard: u32) -> Self {
        Self {
            clock: Default::default(),
            round_trip: Default::default(),
            freeze_ltps: Default::default(),
            decide: Default::default(),
            is_waiting: Default::default(),
            pad_start: Default::default(),
            pad_step: Default::default(),
            pad_cancel: Default::default(),
            pad: Default::default(),
            pads: Default::default(),
            timer_over: Default::default(),
            pad_ltps: Default::default(),
            timer_ltps: Default::default(),
            pad_left: Default::default(),
            pad_due: Default::default(),
            left: Default::default(),
            last: Default::default(),
            over: Default::default(),
            sum: Default::default(),
            excess: Default::default(),
            guard: Constant::new(u64::from(guard).into()),
            slots: Constant::new((slots as u64).into()),
            freeze_extra: Constant::new(u64::from(flitforge_protocol::retry::freeze_ltps(0)).into()),
            one_filler: Constant::new(1u64.into()),
            one_ltp: Constant::new(1u64.into()),
        }
    }

    /// LTPs beyond the round trip before a slot is reused, GUARD_LTPS.
    pub fn guard_ltps(&self) -> usize {
        self.guard.val().index()
    }
}

impl Logic for ReplayTimers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pad_ltps, timer_ltps, pad_left, pad_due, left, last);
        self.sum.next = bit_cast::<SUM_BITS, 16>(self.round_trip.val()) + self.guard.val();
        self.excess.next = self.sum.val() - self.slots.val();
        self.pad_ltps.d.next = 0.into();
        if self.sum.val() > self.slots.val() {
            self.pad_ltps.d.next = self.excess.val().get_bits::<16>(0);
        }
        self.timer_ltps.d.next = bit_cast::<TIMER_BITS, 16>(self.freeze_ltps.val());
        if !self.freeze_ltps.val().any() {
            self.timer_ltps.d.next =
                (bit_cast::<TIMER_BITS, 16>(self.round_trip.val()) << 1) + self.freeze_extra.val();
        }

        self.over.next = self.is_waiting.val() & self.last.q.val();
        if self.decide.val() {
            self.left.d.next = self.timer_ltps.q.val();
            if self.is_waiting.val() & !self.over.val() {
                self.left.d.next = self.left.q.val() - self.one_ltp.val();
            }
            if self.pad_start.val() {
                self.pad_left.d.next = self.pad_ltps.q.val();
            }
            if self.pad_step.val() {
                self.pad_left.d.next = self.pad_left.q.val() - self.one_filler.val();
            }
        }
        if self.pad_cancel.val() {
            self.pad_left.d.next = 0.into();
        }
        self.last.d.next = self.left.q.val() == self.one_ltp.val();
        self.pad_due.d.next = self.pad_left.q.val().any();

        self.pad.next = self.pad_ltps.q.val();
        self.pads.next = self.pad_due.q.val();
        self.timer_over.next = self.over.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let slots = self.slots.val().index().to_string();
        block_label("replay_timers", &[("r", slots), ("guard", self.guard_ltps().to_string())])
    }
}

drive_ports!(impl[] ReplayTimers { clock, round_trip, freeze_ltps, decide, is_waiting, pad_start, pad_step, pad_cancel, pad, pads, timer_over });
