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
mod magnitude;
mod multiplier;
mod periods;

pub use bits::{WordParts, PARTS, PART_BITS};
pub use magnitude::Magnitude;
pub use multiplier::SerialMultiplier;
pub use periods::PeriodCounter;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{
    ServoState, DIFFERENCE_BITS, ERROR_BITS, GAIN_BITS, KP_SHIFT, SERVO_ADJUST_CLOCKS, SERVO_DECIDE_CLOCKS,
};

/// Bits of a state.
pub const STATE_BITS: usize = 3;
/// Bits of the number of a bit that is compared or multiplied.
const INDEX_BITS: usize = 6;

/// The code of a state.
fn code(state: ServoState) -> Bits<STATE_BITS> {
    u64::from(state.code()).into()
}

/// The servo; see the [module](self).
#[block("time_servo")]
pub struct TimeServo {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// EN: samples are used.
    enable: In<Bit>,
    /// STEP_EN: SyncTime may be stepped.
    step_enable: In<Bit>,
    /// FREEZE: software is the servo.
    freeze: In<Bit>,
    /// KP.
    kp: In<Bits<GAIN_BITS>>,
    /// KI.
    ki: In<Bits<GAIN_BITS>>,
    /// KACQ.
    kacq: In<Bits<GAIN_BITS>>,
    /// NCLK, core clocks.
    nclk: In<Bits<32>>,
    /// STEP_THR, 1/256 ns.
    step_thr: In<Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    outlier_thr: In<Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    lock_thr: In<Bits<16>>,
    /// LOCK_N.
    lock_n: In<Bits<8>>,
    /// OUTLIER_N.
    outlier_n: In<Bits<8>>,
    /// HOLD_N, periods.
    hold_n: In<Bits<8>>,
    /// HOLD_MAX, periods.
    hold_max: In<Bits<24>>,
    /// Phase error e of a sample of the tree that is followed, signed, 1/256 ns.
    pub sample: FlowIn<Bits<ERROR_BITS>>,
    /// With `sample`: the first after another tree was followed.
    changed_tree: In<Bit>,
    /// With `sample`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    difference: In<Bits<DIFFERENCE_BITS>>,
    /// SyncTime is to be stepped by this, signed, 1/256 ns.
    pub step: FlowOut<Bits<DIFFERENCE_BITS>>,
    /// To be added to F_ACC, signed, 2^-48 ns; with `adjust_slew` SLEW_P for SLEW_N clocks, the lowest 48 bits, 2^-32 ns.
    pub adjust: FlowOut<Bits<64>>,
    /// `adjust` is a slew.
    adjust_slew: Out<Bit>,
    /// State, coded as in SERVO_STAT.
    state: Out<Bits<STATE_BITS>>,
    /// Last phase error, signed, 1/256 ns.
    error: Out<Bits<ERROR_BITS>>,
    /// Event: ACQ to TRACK.
    lock: Out<Bit>,
    /// Event: TRACK to HOLDOVER.
    holdover: Out<Bit>,
    /// Event: HOLDOVER to INVALID.
    invalid: Out<Bit>,
    /// Event: OUTLIER_N outliers of equal sign in a row.
    outlier_run: Out<Bit>,
    /// Event: an outlier was dropped (OUTLIER).
    outlier: Out<Bit>,
    /// Event: a sample came while one was worked on.
    late: Out<Bit>,

    #[wire(clock)]
    magnitude: Magnitude,
    #[wire(clock)]
    multiplier: SerialMultiplier,
    #[wire(clock)]
    periods: PeriodCounter,
    #[wire(clock)]
    kp_word: WordParts,
    #[wire(clock)]
    ki_word: WordParts,
    #[wire(clock)]
    kacq_word: WordParts,

    phase: Reg<Bits<STATE_BITS>>,
    error_held: Reg<Bits<ERROR_BITS>>,
    difference_held: Reg<Bits<DIFFERENCE_BITS>>,
    changed: Reg<Bit>,
    // Where a sample is: compared, the last bit of it, decided, multiplied, the last bits of it, emitted.
    busy: Reg<Bit>,
    comparing: Reg<Bit>,
    settling: Reg<Bit>,
    deciding: Reg<Bit>,
    multiplying: Reg<Bit>,
    flushing: Reg<Bit>,
    draining: Reg<Bit>,
    emitting: Reg<Bit>,
    index: Reg<Bits<INDEX_BITS>>,
    /// Part of a word with the bit that `index` has 2 clocks later, one bit per part.
    part: Reg<Bits<PARTS>>,
    // The bit of a gain; 0 of the others.
    kp_bit: Reg<Bit>,
    ki_bit: Reg<Bit>,
    kacq_bit: Reg<Bit>,
    /// The last bit but one, and whether this is the last.
    last: Reg<Bits<INDEX_BITS>>,
    ending: Reg<Bit>,
    begun: Reg<Bit>,
    choosing: Reg<Bit>,
    running: Reg<Bit>,
    started: Reg<Bit>,
    slewing: Reg<Bit>,
    acquiring: Reg<Bit>,
    more: Reg<Bit>,
    /// Samples in a row: near enough ones in ACQ, outliers of equal sign after it; the next value and whether it is enough.
    row: Reg<Bits<8>>,
    row_negative: Reg<Bit>,
    row_next: Reg<Bits<8>>,
    row_enough: Reg<Bit>,
    /// LOCK_N or OUTLIER_N.
    row_wanted: Reg<Bits<8>>,
    /// The decision was that the row goes on, or ends.
    row_goes_on: Reg<Bit>,
    row_ends: Reg<Bit>,
    /// What the state is, a clock after it: no decision comes in that clock.
    is_acquire: Reg<Bit>,
    is_locked: Reg<Bit>,
    is_track: Reg<Bit>,
    is_holdover: Reg<Bit>,
    // What a decision takes from the state, the sample and the row.
    may_jump: Reg<Bit>,
    may_lock: Reg<Bit>,
    may_run: Reg<Bit>,
    stepping: Reg<Bit>,
    lock_now: Reg<Bit>,
    holdover_now: Reg<Bit>,
    invalid_now: Reg<Bit>,
    run_now: Reg<Bit>,
    outlier_now: Reg<Bit>,
    late_now: Reg<Bit>,

    accept: Local<Bit>,
    kp_part: Local<Bits<PART_BITS>>,
    ki_part: Local<Bits<PART_BITS>>,
    kacq_part: Local<Bits<PART_BITS>>,
    place: Local<Bits<3>>,
    going_on: Local<Bit>,
    keeps_row: Local<Bit>,
    active: Local<Bit>,
    is_free: Local<Bit>,
    jumps: Local<Bit>,
    good: Local<Bit>,
    drops: Local<Bit>,
    runs: Local<Bit>,
    begins: Local<Bit>,
    used: Local<Bit>,
    begin_acquire: Local<Bit>,
    begin_track: Local<Bit>,
    begin: Local<Bit>,
    enter_holdover: Local<Bit>,
    enter_invalid: Local<Bit>,
    #[init(code(ServoState::Free))]
    free: Constant<Bits<STATE_BITS>>,
    #[init(code(ServoState::Acquire))]
    acquire: Constant<Bits<STATE_BITS>>,
    #[init(code(ServoState::Track))]
    track: Constant<Bits<STATE_BITS>>,
    #[init(code(ServoState::Holdover))]
    hold: Constant<Bits<STATE_BITS>>,
    #[init(code(ServoState::Invalid))]
    gone: Constant<Bits<STATE_BITS>>,
    #[init(1)]
    first_part: Constant<Bits<PARTS>>,
    #[init(5)]
    part_ends: Constant<Bits<3>>,
    #[init(1)]
    one: Constant<Bits<8>>,
    #[init(GAIN_BITS - 2)]
    last_bit: Constant<Bits<INDEX_BITS>>,
    #[init(GAIN_BITS)]
    last_beyond: Constant<Bits<INDEX_BITS>>,
    #[init((GAIN_BITS as u64 + u64::from(KP_SHIFT) - 2).into())]
    last_slew: Constant<Bits<INDEX_BITS>>,
}

#[logic]
impl TimeServo {
    fn update(&mut self) {
        // A sample.
        accept = sample.valid & !busy;
        late_now = sample.valid & busy;
        if accept {
            error_held = sample.data;
            difference_held = difference;
            changed = changed_tree;
        }
        let negative = error_held[31];

        // The parts that work a clock per bit.
        place = index.bits::<3>(0);
        magnitude = In { restart: started, run: comparing, part, place };
        // The error comes bit by bit as its product with 1.
        started = accept;
        magnitude = In { error_bit: multiplier.shifted, negative, step_thr, outlier_thr, lock_thr };
        kp_word = In { part, word: kp };
        ki_word = In { part, word: ki };
        kacq_word = In { part, word: kacq };
        kp_part = kp_word.held;
        ki_part = ki_word.held;
        kacq_part = kacq_word.held;
        kp_bit = kp_part[place];
        if !multiplying | !slewing {
            kp_bit = false;
        }
        ki_bit = ki_part[place];
        if !multiplying | slewing | acquiring {
            ki_bit = false;
        }
        kacq_bit = kacq_part[place];
        if !multiplying | !acquiring {
            kacq_bit = false;
        }
        choosing = multiplying;
        running = choosing | comparing;
        multiplier = In { run: running, gain_bit: kp_bit | ki_bit | kacq_bit | started, factor: error_held };

        // The table of 4.9.
        active = enable & !freeze;
        is_acquire = phase == acquire;
        is_locked = (phase != acquire) & (phase != free);
        is_free = !is_acquire & !is_locked;
        is_track = phase == track;
        is_holdover = phase == hold;
        may_jump = is_locked & changed;
        may_lock = is_acquire & row_enough;
        may_run = is_locked & row_enough;
        jumps = may_jump & step_enable & magnitude.above_step;
        drops = is_locked & !jumps & magnitude.above_outlier;
        good = is_locked & !jumps & !magnitude.above_outlier;
        runs = may_run & !jumps & magnitude.above_outlier;
        begins = is_free | jumps;
        begin_acquire = deciding & active & is_acquire & periods.power;
        begin_track = deciding & active & good;
        begin = begin_acquire | begin_track | (emitting & more);
        used = deciding & active & !drops;

        // Holdover.
        enter_holdover = periods.due & !deciding & is_track;
        enter_invalid = periods.due & !deciding & is_holdover;
        holdover_now = enter_holdover;
        invalid_now = enter_invalid;
        if enter_holdover {
            phase = hold;
        }
        if enter_invalid {
            phase = gone;
        }
        periods = In { nclk, limit: bit_cast::<24, 8>(hold_n) };
        if phase == hold {
            periods.limit = hold_max;
        }
        periods = In { restart: used | clear, enter: enter_holdover, mask: deciding | enter_invalid | clear };

        // The decision.
        row_wanted = outlier_n;
        if is_acquire {
            row_wanted = lock_n;
        }
        row_next = row + one;
        if !is_acquire & (row_negative != negative) {
            row_next = one;
        }
        row_enough = row_next >= row_wanted;
        stepping = false;
        lock_now = false;
        run_now = false;
        outlier_now = false;
        if deciding & active {
            stepping = (begins | is_acquire) & step_enable;
            outlier_now = drops;
            run_now = runs;
            if begins | (may_run & magnitude.above_outlier & step_enable) {
                phase = acquire;
            }
            if good {
                phase = track;
            }
            if may_lock & !magnitude.above_lock {
                lock_now = true;
                phase = track;
            }
            row_negative = negative;
        }

        // The row follows a clock later: the next sample is far.
        keeps_row = !row_enough & (drops | (is_acquire & !magnitude.above_lock));
        row_goes_on = deciding & active & keeps_row;
        row_ends = deciding & active & !keeps_row;
        if row_goes_on {
            row = row_next;
        }
        if row_ends {
            row = 0;
        }

        // Where the sample is.
        ending = (comparing | multiplying) & (index == last);
        begun = begin;
        comparing = accept | (comparing & !ending);
        settling = comparing & ending;
        deciding = settling;
        multiplying = begin | (multiplying & !ending);
        flushing = multiplying & ending;
        draining = flushing;
        emitting = draining;
        busy = accept | (busy & ((!deciding & !emitting) | begin));
        multiplier.restart = begun | started;
        index = 0;
        part = first_part;
        going_on = (comparing | multiplying) & !ending;
        if going_on {
            index = index + 1;
            // Behind the last part comes none: a gain has no further bits.
            part = part;
            if place == part_ends {
                part = part << 1;
            }
        }
        if emitting {
            slewing = false;
            more = false;
        }
        if deciding {
            slewing = begin_track;
            acquiring = begin_acquire;
            more = begin_track & periods.small;
        }
        if begin_track {
            last = last_slew;
        } else if begin_acquire {
            // The last bit plus the shift, without an adder: 30 to 33.
            last = last_bit.with(0, periods.shift[0]);
            if periods.shift[1] {
                last = last_beyond.with(0, periods.shift[0]);
            }
        } else if emitting | !busy {
            last = last_bit;
        }

        if clear {
            phase = free;
            part = first_part;
            error_held = 0;
            busy = false;
            comparing = false;
            settling = false;
            deciding = false;
            multiplying = false;
            flushing = false;
            draining = false;
            emitting = false;
            row = 0;
            row_goes_on = false;
            stepping = false;
            lock_now = false;
            holdover_now = false;
            invalid_now = false;
            run_now = false;
            outlier_now = false;
            late_now = false;
        }

        step = In { valid: stepping, data: difference_held };
        adjust = In { valid: emitting, data: multiplier.product };
        adjust_slew = slewing;
        state = phase;
        error = error_held;
        lock = lock_now;
        holdover = holdover_now;
        invalid = invalid_now;
        outlier_run = run_now;
        outlier = outlier_now;
        late = late_now;
    }
}

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
