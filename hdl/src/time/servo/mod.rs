//! `time_servo`: the digital phase-locked loop that makes SyncTime follow a master (chapter 20, 4.9).
//!
//! A used sample (phase error e, difference) leads to a step of SyncTime, a move of F_ACC, a slew, or nothing, by the
//! table of 4.9. Samples are a millisecond apart, so all arithmetic is serial: comparisons with the thresholds and
//! products of e and a gain take a clock per bit, and nothing is divided.
//!
//! - Latency from `sample` to `step`: 35 clocks; to the first `adjust`: 69 + log2(n) clocks in ACQ, 85 in TRACK; to the
//!   second one (F_ACC in TRACK): 120. Exact.
//! - Throughput: one sample in 121 clocks at most; one that comes sooner is not used (`late`).
//! - Outputs are registers.
//! - `clear`: FREE, no sample in work. Configuration is not held here.
//! - Gains, thresholds and times are inputs that hold still while a sample is worked on; `enable`, `step_enable` and
//!   `freeze` count in the clock of the decision (34 clocks after `sample`). No value of theirs stops the block: NCLK below 10
//!   counts as 10, LOCK_N and OUTLIER_N 0 as 1, HOLD_N 0 leads to HOLDOVER at once.

mod bits;
mod initial;
mod magnitude;
mod multiplier;
mod periods;

pub use bits::{WordParts, PARTS, PART_BITS};
pub use magnitude::Magnitude;
pub use multiplier::SerialMultiplier;
pub use periods::PeriodCounter;

use crate::prim::stream::{FlowIn, FlowOut};
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{
    DIFFERENCE_BITS, ERROR_BITS, GAIN_BITS, SERVO_ADJUST_CLOCKS, SERVO_DECIDE_CLOCKS,
};

/// Bits of a state.
pub const STATE_BITS: usize = 3;
/// Bits of the number of a bit that is compared or multiplied.
const INDEX_BITS: usize = 6;

/// The servo; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeServo {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// EN: samples are used.
    pub enable: Signal<In, Bit>,
    /// STEP_EN: SyncTime may be stepped.
    pub step_enable: Signal<In, Bit>,
    /// FREEZE: software is the servo.
    pub freeze: Signal<In, Bit>,
    /// KP.
    pub kp: Signal<In, Bits<GAIN_BITS>>,
    /// KI.
    pub ki: Signal<In, Bits<GAIN_BITS>>,
    /// KACQ.
    pub kacq: Signal<In, Bits<GAIN_BITS>>,
    /// NCLK, core clocks.
    pub nclk: Signal<In, Bits<32>>,
    /// STEP_THR, 1/256 ns.
    pub step_thr: Signal<In, Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    pub outlier_thr: Signal<In, Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    pub lock_thr: Signal<In, Bits<16>>,
    /// LOCK_N.
    pub lock_n: Signal<In, Bits<8>>,
    /// OUTLIER_N.
    pub outlier_n: Signal<In, Bits<8>>,
    /// HOLD_N, periods.
    pub hold_n: Signal<In, Bits<8>>,
    /// HOLD_MAX, periods.
    pub hold_max: Signal<In, Bits<24>>,
    /// Phase error e of a sample of the tree that is followed, signed, 1/256 ns.
    pub sample: FlowIn<Bits<ERROR_BITS>>,
    /// With `sample`: the first after another tree was followed.
    pub changed_tree: Signal<In, Bit>,
    /// With `sample`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    pub difference: Signal<In, Bits<DIFFERENCE_BITS>>,
    /// SyncTime is to be stepped by this, signed, 1/256 ns.
    pub step: FlowOut<Bits<DIFFERENCE_BITS>>,
    /// To be added to F_ACC, signed, 2^-48 ns; with `adjust_slew` SLEW_P for SLEW_N clocks, the lowest 48 bits, 2^-32 ns.
    pub adjust: FlowOut<Bits<64>>,
    /// `adjust` is a slew.
    pub adjust_slew: Signal<Out, Bit>,
    /// State, coded as in SERVO_STAT.
    pub state: Signal<Out, Bits<STATE_BITS>>,
    /// Last phase error, signed, 1/256 ns.
    pub error: Signal<Out, Bits<ERROR_BITS>>,
    /// Event: ACQ to TRACK.
    pub lock: Signal<Out, Bit>,
    /// Event: TRACK to HOLDOVER.
    pub holdover: Signal<Out, Bit>,
    /// Event: HOLDOVER to INVALID.
    pub invalid: Signal<Out, Bit>,
    /// Event: OUTLIER_N outliers of equal sign in a row.
    pub outlier_run: Signal<Out, Bit>,
    /// Event: an outlier was dropped (OUTLIER).
    pub outlier: Signal<Out, Bit>,
    /// Event: a sample came while one was worked on.
    pub late: Signal<Out, Bit>,

    magnitude: Magnitude,
    multiplier: SerialMultiplier,
    periods: PeriodCounter,
    kp_word: WordParts,
    ki_word: WordParts,
    kacq_word: WordParts,

    phase: DFF<Bits<STATE_BITS>>,
    error_held: DFF<Bits<ERROR_BITS>>,
    difference_held: DFF<Bits<DIFFERENCE_BITS>>,
    changed: DFF<Bit>,
    // Where a sample is: compared, the last bit of it, decided, multiplied, the last bits of it, emitted.
    busy: DFF<Bit>,
    comparing: DFF<Bit>,
    settling: DFF<Bit>,
    deciding: DFF<Bit>,
    multiplying: DFF<Bit>,
    flushing: DFF<Bit>,
    draining: DFF<Bit>,
    emitting: DFF<Bit>,
    index: DFF<Bits<INDEX_BITS>>,
    /// Part of a word with the bit that `index` has 2 clocks later, one bit per part.
    part: DFF<Bits<PARTS>>,
    // The bit of a gain; 0 of the others.
    kp_bit: DFF<Bit>,
    ki_bit: DFF<Bit>,
    kacq_bit: DFF<Bit>,
    /// The last bit but one, and whether this is the last.
    last: DFF<Bits<INDEX_BITS>>,
    ending: DFF<Bit>,
    begun: DFF<Bit>,
    choosing: DFF<Bit>,
    running: DFF<Bit>,
    started: DFF<Bit>,
    slewing: DFF<Bit>,
    acquiring: DFF<Bit>,
    more: DFF<Bit>,
    /// Samples in a row: near enough ones in ACQ, outliers of equal sign behind it; the next value and whether it is enough.
    row: DFF<Bits<8>>,
    row_negative: DFF<Bit>,
    row_next: DFF<Bits<8>>,
    row_enough: DFF<Bit>,
    /// LOCK_N or OUTLIER_N.
    row_wanted: DFF<Bits<8>>,
    /// The decision was that the row goes on, or ends.
    row_goes_on: DFF<Bit>,
    row_ends: DFF<Bit>,
    /// What the state is, a clock behind it: no decision comes in that clock.
    is_acquire: DFF<Bit>,
    is_locked: DFF<Bit>,
    is_track: DFF<Bit>,
    is_holdover: DFF<Bit>,
    // What a decision takes from the state, the sample and the row.
    may_jump: DFF<Bit>,
    may_lock: DFF<Bit>,
    may_run: DFF<Bit>,
    stepping: DFF<Bit>,
    lock_now: DFF<Bit>,
    holdover_now: DFF<Bit>,
    invalid_now: DFF<Bit>,
    run_now: DFF<Bit>,
    outlier_now: DFF<Bit>,
    late_now: DFF<Bit>,

    accept: Signal<Local, Bit>,
    kp_part: Signal<Local, Bits<PART_BITS>>,
    ki_part: Signal<Local, Bits<PART_BITS>>,
    kacq_part: Signal<Local, Bits<PART_BITS>>,
    place: Signal<Local, Bits<3>>,
    going_on: Signal<Local, Bit>,
    keeps_row: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
    jumps: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    used: Signal<Local, Bit>,
    begin_acquire: Signal<Local, Bit>,
    begin_track: Signal<Local, Bit>,
    begin: Signal<Local, Bit>,
    enter_holdover: Signal<Local, Bit>,
    enter_invalid: Signal<Local, Bit>,
    negative: Signal<Local, Bit>,
    free: Constant<Bits<STATE_BITS>>,
    acquire: Constant<Bits<STATE_BITS>>,
    track: Constant<Bits<STATE_BITS>>,
    hold: Constant<Bits<STATE_BITS>>,
    gone: Constant<Bits<STATE_BITS>>,
    first_part: Constant<Bits<PARTS>>,
    part_ends: Constant<Bits<3>>,
    one: Constant<Bits<8>>,
    last_bit: Constant<Bits<INDEX_BITS>>,
    last_beyond: Constant<Bits<INDEX_BITS>>,
    last_slew: Constant<Bits<INDEX_BITS>>,
}

impl Logic for TimeServo {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, choosing, started, part, kp_bit, ki_bit, kacq_bit, draining, ending, begun);
        dff_setup!(
            self,
            clock,
            phase,
            error_held,
            difference_held,
            changed,
            busy,
            comparing,
            settling,
            deciding
        );
        dff_setup!(self, clock, multiplying, flushing, emitting, index, last, running, slewing, acquiring);
        dff_setup!(self, clock, more, row, row_negative, row_next, row_enough);
        dff_setup!(self, clock, row_wanted, row_goes_on, row_ends, is_acquire, is_locked);
        dff_setup!(self, clock, is_track, is_holdover, may_jump, may_lock, may_run);
        dff_setup!(
            self,
            clock,
            stepping,
            lock_now,
            holdover_now,
            invalid_now,
            run_now,
            outlier_now,
            late_now
        );
        clock!(self, clock, magnitude, multiplier, periods, kp_word, ki_word, kacq_word);

        // A sample.
        self.accept.next = self.sample.valid.val() & !self.busy.q.val();
        self.late_now.d.next = self.sample.valid.val() & self.busy.q.val();
        if self.accept.val() {
            self.error_held.d.next = self.sample.data.val();
            self.difference_held.d.next = self.difference.val();
            self.changed.d.next = self.changed_tree.val();
        }
        self.negative.next = self.error_held.q.val().get_bit(31);

        // The parts that work a clock per bit.
        self.place.next = self.index.q.val().get_bits::<3>(0);
        self.magnitude.restart.next = self.started.q.val();
        self.magnitude.run.next = self.comparing.q.val();
        self.magnitude.part.next = self.part.q.val();
        self.magnitude.place.next = self.place.val();
        // The error comes bit by bit as its product with 1.
        self.started.d.next = self.accept.val();
        self.magnitude.error_bit.next = self.multiplier.shifted.val();
        self.magnitude.negative.next = self.negative.val();
        self.magnitude.step_thr.next = self.step_thr.val();
        self.magnitude.outlier_thr.next = self.outlier_thr.val();
        self.magnitude.lock_thr.next = self.lock_thr.val();
        self.kp_word.part.next = self.part.q.val();
        self.kp_word.word.next = self.kp.val();
        self.ki_word.part.next = self.part.q.val();
        self.ki_word.word.next = self.ki.val();
        self.kacq_word.part.next = self.part.q.val();
        self.kacq_word.word.next = self.kacq.val();
        self.kp_part.next = self.kp_word.held.val();
        self.ki_part.next = self.ki_word.held.val();
        self.kacq_part.next = self.kacq_word.held.val();
        self.kp_bit.d.next = self.kp_part.val().get_bit(self.place.val().index());
        if !self.multiplying.q.val() | !self.slewing.q.val() {
            self.kp_bit.d.next = false;
        }
        self.ki_bit.d.next = self.ki_part.val().get_bit(self.place.val().index());
        if !self.multiplying.q.val() | self.slewing.q.val() | self.acquiring.q.val() {
            self.ki_bit.d.next = false;
        }
        self.kacq_bit.d.next = self.kacq_part.val().get_bit(self.place.val().index());
        if !self.multiplying.q.val() | !self.acquiring.q.val() {
            self.kacq_bit.d.next = false;
        }
        self.choosing.d.next = self.multiplying.q.val();
        self.running.d.next = self.choosing.q.val() | self.comparing.q.val();
        self.multiplier.run.next = self.running.q.val();
        self.multiplier.gain_bit.next =
            self.kp_bit.q.val() | self.ki_bit.q.val() | self.kacq_bit.q.val() | self.started.q.val();
        self.multiplier.factor.next = self.error_held.q.val();

        // The table of 4.9.
        self.active.next = self.enable.val() & !self.freeze.val();
        self.is_acquire.d.next = self.phase.q.val() == self.acquire.val();
        self.is_locked.d.next =
            (self.phase.q.val() != self.acquire.val()) & (self.phase.q.val() != self.free.val());
        self.is_free.next = !self.is_acquire.q.val() & !self.is_locked.q.val();
        self.is_track.d.next = self.phase.q.val() == self.track.val();
        self.is_holdover.d.next = self.phase.q.val() == self.hold.val();
        self.may_jump.d.next = self.is_locked.q.val() & self.changed.q.val();
        self.may_lock.d.next = self.is_acquire.q.val() & self.row_enough.q.val();
        self.may_run.d.next = self.is_locked.q.val() & self.row_enough.q.val();
        self.jumps.next = self.may_jump.q.val() & self.step_enable.val() & self.magnitude.above_step.val();
        self.drops.next = self.is_locked.q.val() & !self.jumps.val() & self.magnitude.above_outlier.val();
        self.good.next = self.is_locked.q.val() & !self.jumps.val() & !self.magnitude.above_outlier.val();
        self.runs.next = self.may_run.q.val() & !self.jumps.val() & self.magnitude.above_outlier.val();
        self.begins.next = self.is_free.val() | self.jumps.val();
        self.begin_acquire.next =
            self.deciding.q.val() & self.active.val() & self.is_acquire.q.val() & self.periods.power.val();
        self.begin_track.next = self.deciding.q.val() & self.active.val() & self.good.val();
        self.begin.next =
            self.begin_acquire.val() | self.begin_track.val() | (self.emitting.q.val() & self.more.q.val());
        self.used.next = self.deciding.q.val() & self.active.val() & !self.drops.val();

        // Holdover.
        self.enter_holdover.next = self.periods.due.val() & !self.deciding.q.val() & self.is_track.q.val();
        self.enter_invalid.next = self.periods.due.val() & !self.deciding.q.val() & self.is_holdover.q.val();
        self.holdover_now.d.next = self.enter_holdover.val();
        self.invalid_now.d.next = self.enter_invalid.val();
        if self.enter_holdover.val() {
            self.phase.d.next = self.hold.val();
        }
        if self.enter_invalid.val() {
            self.phase.d.next = self.gone.val();
        }
        self.periods.nclk.next = self.nclk.val();
        self.periods.limit.next = bit_cast::<24, 8>(self.hold_n.val());
        if self.phase.q.val() == self.hold.val() {
            self.periods.limit.next = self.hold_max.val();
        }
        self.periods.restart.next = self.used.val() | self.clear.val();
        self.periods.enter.next = self.enter_holdover.val();
        self.periods.mask.next = self.deciding.q.val() | self.enter_invalid.val() | self.clear.val();

        // The decision.
        self.row_wanted.d.next = self.outlier_n.val();
        if self.is_acquire.q.val() {
            self.row_wanted.d.next = self.lock_n.val();
        }
        self.row_next.d.next = self.row.q.val() + self.one.val();
        if !self.is_acquire.q.val() & (self.row_negative.q.val() != self.negative.val()) {
            self.row_next.d.next = self.one.val();
        }
        self.row_enough.d.next = self.row_next.q.val() >= self.row_wanted.q.val();
        self.stepping.d.next = false;
        self.lock_now.d.next = false;
        self.run_now.d.next = false;
        self.outlier_now.d.next = false;
        if self.deciding.q.val() & self.active.val() {
            self.stepping.d.next = (self.begins.val() | self.is_acquire.q.val()) & self.step_enable.val();
            self.outlier_now.d.next = self.drops.val();
            self.run_now.d.next = self.runs.val();
            if self.begins.val()
                | (self.may_run.q.val() & self.magnitude.above_outlier.val() & self.step_enable.val())
            {
                self.phase.d.next = self.acquire.val();
            }
            if self.good.val() {
                self.phase.d.next = self.track.val();
            }
            if self.may_lock.q.val() & !self.magnitude.above_lock.val() {
                self.lock_now.d.next = true;
                self.phase.d.next = self.track.val();
            }
            self.row_negative.d.next = self.negative.val();
        }

        // The row follows a clock later: the next sample is far.
        self.keeps_row.next = !self.row_enough.q.val()
            & (self.drops.val() | (self.is_acquire.q.val() & !self.magnitude.above_lock.val()));
        self.row_goes_on.d.next = self.deciding.q.val() & self.active.val() & self.keeps_row.val();
        self.row_ends.d.next = self.deciding.q.val() & self.active.val() & !self.keeps_row.val();
        if self.row_goes_on.q.val() {
            self.row.d.next = self.row_next.q.val();
        }
        if self.row_ends.q.val() {
            self.row.d.next = 0.into();
        }

        // Where the sample is.
        self.ending.d.next =
            (self.comparing.q.val() | self.multiplying.q.val()) & (self.index.q.val() == self.last.q.val());
        self.begun.d.next = self.begin.val();
        self.comparing.d.next = self.accept.val() | (self.comparing.q.val() & !self.ending.q.val());
        self.settling.d.next = self.comparing.q.val() & self.ending.q.val();
        self.deciding.d.next = self.settling.q.val();
        self.multiplying.d.next = self.begin.val() | (self.multiplying.q.val() & !self.ending.q.val());
        self.flushing.d.next = self.multiplying.q.val() & self.ending.q.val();
        self.draining.d.next = self.flushing.q.val();
        self.emitting.d.next = self.draining.q.val();
        self.busy.d.next = self.accept.val()
            | (self.busy.q.val() & ((!self.deciding.q.val() & !self.emitting.q.val()) | self.begin.val()));
        self.multiplier.restart.next = self.begun.q.val() | self.started.q.val();
        self.index.d.next = 0.into();
        self.part.d.next = self.first_part.val();
        self.going_on.next = (self.comparing.q.val() | self.multiplying.q.val()) & !self.ending.q.val();
        if self.going_on.val() {
            self.index.d.next = self.index.q.val() + 1;
            // Behind the last part comes none: a gain has no further bits.
            self.part.d.next = self.part.q.val();
            if self.place.val() == self.part_ends.val() {
                self.part.d.next = self.part.q.val() << 1;
            }
        }
        if self.emitting.q.val() {
            self.slewing.d.next = false;
            self.more.d.next = false;
        }
        if self.deciding.q.val() {
            self.slewing.d.next = self.begin_track.val();
            self.acquiring.d.next = self.begin_acquire.val();
            self.more.d.next = self.begin_track.val() & self.periods.small.val();
        }
        if self.begin_track.val() {
            self.last.d.next = self.last_slew.val();
        } else if self.begin_acquire.val() {
            // The last bit plus the shift, without an adder: 30 to 33.
            self.last.d.next = self.last_bit.val().replace_bit(0, self.periods.shift.val().get_bit(0));
            if self.periods.shift.val().get_bit(1) {
                self.last.d.next = self.last_beyond.val().replace_bit(0, self.periods.shift.val().get_bit(0));
            }
        } else if self.emitting.q.val() | !self.busy.q.val() {
            self.last.d.next = self.last_bit.val();
        }

        if self.clear.val() {
            self.phase.d.next = self.free.val();
            self.part.d.next = self.first_part.val();
            self.error_held.d.next = 0.into();
            self.busy.d.next = false;
            self.comparing.d.next = false;
            self.settling.d.next = false;
            self.deciding.d.next = false;
            self.multiplying.d.next = false;
            self.flushing.d.next = false;
            self.draining.d.next = false;
            self.emitting.d.next = false;
            self.row.d.next = 0.into();
            self.row_goes_on.d.next = false;
            self.stepping.d.next = false;
            self.lock_now.d.next = false;
            self.holdover_now.d.next = false;
            self.invalid_now.d.next = false;
            self.run_now.d.next = false;
            self.outlier_now.d.next = false;
            self.late_now.d.next = false;
        }

        self.step.valid.next = self.stepping.q.val();
        self.step.data.next = self.difference_held.q.val();
        self.adjust.valid.next = self.emitting.q.val();
        self.adjust.data.next = self.multiplier.product.val();
        self.adjust_slew.next = self.slewing.q.val();
        self.state.next = self.phase.q.val();
        self.error.next = self.error_held.q.val();
        self.lock.next = self.lock_now.q.val();
        self.holdover.next = self.holdover_now.q.val();
        self.invalid.next = self.invalid_now.q.val();
        self.outlier_run.next = self.run_now.q.val();
        self.outlier.next = self.outlier_now.q.val();
        self.late.next = self.late_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_servo", &[])
    }
}

drive_ports!(impl[] TimeServo {
    clock, clear, enable, step_enable, freeze, kp, ki, kacq, nclk, step_thr, outlier_thr, lock_thr, lock_n, outlier_n,
    hold_n, hold_max, sample, changed_tree, difference, step, adjust, adjust_slew, state, error, lock, holdover,
    invalid, outlier_run, outlier, late,
});

const _: () =
    assert!(SERVO_DECIDE_CLOCKS == ERROR_BITS as u64 + 2 && SERVO_ADJUST_CLOCKS == GAIN_BITS as u64 + 3);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_servo",
    chapter: "20-time",
    summary: "digital phase-locked loop that makes SyncTime follow a master",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let streams = [("sample", FlowSink), ("step", FlowSource), ("adjust", FlowSource)];
        let interface = InterfaceInfo::clocked(&streams, Some(35), "sample to step");
        Ok(BuiltBlock::new(TimeServo::default(), interface))
    },
};
