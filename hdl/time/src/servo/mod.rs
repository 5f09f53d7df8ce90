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
//! - `settings` holds still while a sample is worked on; its `enable`, `step_enable` and
//!   `freeze` count in the clock of the decision (34 clocks after `sample`). No value of theirs stops the block: NCLK below 10
//!   counts as 10, LOCK_N and OUTLIER_N 0 as 1, HOLD_N 0 leads to HOLDOVER at once.

mod bits;
mod config;
mod fields;
mod gains;
mod magnitude;
mod multiplier;
mod periods;
mod row;
mod walk;

pub use bits::{WordParts, PARTS, PART_BITS};
pub use config::{ServoConfig, ServoRegisters};
pub use fields::{Above, InState, May, Multiplied, Product, ServoEvents, Stage, State, Verdict};
pub use gains::GainBits;
pub use magnitude::Magnitude;
pub use multiplier::SerialMultiplier;
pub use periods::PeriodCounter;
pub use row::SampleRow;
pub use walk::BitWalk;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{
    DIFFERENCE_BITS, ERROR_BITS, GAIN_BITS, SERVO_ADJUST_CLOCKS, SERVO_DECIDE_CLOCKS,
};

/// Bits of a state.
pub const STATE_BITS: usize = 3;
/// Bits of the number of a bit that is compared or multiplied.
const INDEX_BITS: usize = 6;

/// The servo; see the [module](self).
#[block("time_servo")]
pub struct TimeServo {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Registers.
    pub settings: ServoConfig,
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

    #[wire(clock, clear)]
    walk: BitWalk,
    #[wire(clock, part = walk.part, place = walk.place, step_thr = settings.step_thr, outlier_thr = settings.outlier_thr, lock_thr = settings.lock_thr)]
    magnitude: Magnitude,
    #[wire(clock, part = walk.part, place = walk.place, kp = settings.kp, ki = settings.ki, kacq = settings.kacq)]
    gains: GainBits,
    #[wire(clock, factor = error_held)]
    multiplier: SerialMultiplier,
    #[wire(clock, nclk = settings.nclk)]
    periods: PeriodCounter,
    #[wire(clock, clear, lock_n = settings.lock_n, outlier_n = settings.outlier_n)]
    row: SampleRow,

    phase: Register<State>,
    stage: Register<Stage>,
    /// The stage is [`Stage::Decide`], [`Stage::Emit`]: registers of their own, as a decision comes late in its clock.
    deciding: Register<Bit>,
    emitting: Register<Bit>,
    error_held: Register<Bits<ERROR_BITS>>,
    difference_held: Reg<Bits<DIFFERENCE_BITS>>,
    changed: Reg<Bit>,
    in_state: Reg<InState>,
    may: Reg<May>,
    product: Reg<Product>,
    multiplied: Reg<Multiplied>,
    stepping: Register<Bit>,
    events: Register<ServoEvents>,
}

#[logic]
impl TimeServo {
    fn update(&mut self) {
        // A sample.
        let accept = sample.valid & (stage == Stage::Idle);
        error_held.enable = accept;
        error_held = sample.data;
        if accept {
            difference_held = difference;
            changed = changed_tree;
        }
        let negative = error_held[ERROR_BITS - 1];

        // The table of 4.9.
        let above = Above {
            step: magnitude.above_step,
            outlier: magnitude.above_outlier,
            lock: magnitude.above_lock,
        };
        let verdict = Self::judge(in_state, may, above, settings.step_enable);
        let decided = deciding & settings.enable & !settings.freeze;
        let slews = decided & verdict.follows;
        let acquires = decided & in_state.acquire & periods.power;
        let begins_product = slews | acquires | (emitting & product.more);
        let holds = periods.due & !deciding & in_state.track;
        let expires = periods.due & !deciding & in_state.holdover;
        phase = Self::next_state(phase, verdict, decided, settings.step_enable, holds, expires);
        stage = Self::next_stage(stage, sample.valid, walk.ending, begins_product);
        deciding = stage == Stage::Settle;
        emitting = stage == Stage::Drain;

        // What the next decision takes from the state.
        in_state = Self::flags(phase);
        may = May {
            jump: in_state.locked & changed,
            lock: in_state.acquire & row.enough,
            run: in_state.locked & row.enough,
        };
        row = In { acquiring: in_state.acquire, negative, decided, counts: verdict.counts };
        periods = In { restart: (decided & !verdict.drops) | clear, enter: holds };
        periods.mask = deciding | expires | clear;
        periods.limit =
            if phase == State::Holdover { settings.hold_max } else { bit_cast::<24, 8>(settings.hold_n) };

        // The parts that work a clock per bit. The error comes bit by bit as its product with 1.
        let comparing = stage == Stage::Compare;
        let multiplying = stage == Stage::Multiply;
        product = Self::next_product(product, slews, acquires, periods.small, deciding, emitting);
        multiplied = Multiplied {
            begun: begins_product,
            started: accept,
            choosing: multiplying,
            running: multiplied.choosing | comparing,
        };
        walk = In { run: comparing | multiplying, slews, acquires, shift: periods.shift };
        walk.rests = emitting | (stage == Stage::Idle);
        gains = In { multiplying, slews: product.slews, acquires: product.acquires };
        multiplier = In { restart: multiplied.begun | multiplied.started, run: multiplied.running };
        multiplier.gain_bit = gains.gain_bit | multiplied.started;
        magnitude =
            In { restart: multiplied.started, run: comparing, negative, error_bit: multiplier.shifted };
        stepping = decided & settings.step_enable & (verdict.begins | in_state.acquire);
        events = ServoEvents {
            lock: decided & verdict.locks,
            holdover: holds,
            invalid: expires,
            outlier_run: decided & verdict.runs,
            outlier: decided & verdict.drops,
            late: sample.valid & (stage != Stage::Idle),
        };
        step = In { valid: stepping, data: difference_held };
        adjust = In { valid: emitting, data: multiplier.product };
        adjust_slew = product.slews;
        state = phase.into();
        error = error_held;
        lock = events.lock;
        holdover = events.holdover;
        invalid = events.invalid;
        outlier_run = events.outlier_run;
        outlier = events.outlier;
        late = events.late;
    }

    /// What the table says of a sample, by the state and by how far off it is.
    fn judge(in_state: InState, may: May, above: Above, step_enable: Bit) -> Verdict {
        let jumps = may.jump & step_enable & above.step;
        let stays = in_state.locked & !jumps;
        let drops = stays & above.outlier;
        let is_free = !in_state.acquire & !in_state.locked;
        Verdict {
            begins: is_free | jumps,
            locks: may.lock & !above.lock,
            follows: stays & !above.outlier,
            drops,
            runs: may.run & !jumps & above.outlier,
            counts: drops | (in_state.acquire & !above.lock),
        }
    }

    /// The state after a decision, or after periods without a sample.
    fn next_state(
        now: State,
        verdict: Verdict,
        decided: Bit,
        step_enable: Bit,
        holds: Bit,
        expires: Bit,
    ) -> State {
        if decided & (verdict.locks | verdict.follows) {
            State::Track
        } else if decided & (verdict.begins | (verdict.runs & step_enable)) {
            State::Acquire
        } else if holds {
            State::Holdover
        } else if expires {
            State::Invalid
        } else {
            now
        }
    }

    /// Where the sample goes.
    fn next_stage(now: Stage, comes: Bit, ending: Bit, multiplies: Bit) -> Stage {
        match now {
            Stage::Idle => {
                if comes {
                    Stage::Compare
                } else {
                    Stage::Idle
                }
            }
            Stage::Compare => {
                if ending {
                    Stage::Settle
                } else {
                    Stage::Compare
                }
            }
            Stage::Settle => Stage::Decide,
            Stage::Decide | Stage::Emit => {
                if multiplies {
                    Stage::Multiply
                } else {
                    Stage::Idle
                }
            }
            Stage::Multiply => {
                if ending {
                    Stage::Flush
                } else {
                    Stage::Multiply
                }
            }
            Stage::Flush => Stage::Drain,
            Stage::Drain => Stage::Emit,
        }
    }

    /// What the state is.
    fn flags(state: State) -> InState {
        InState {
            acquire: state == State::Acquire,
            locked: (state != State::Acquire) & (state != State::Free),
            track: state == State::Track,
            holdover: state == State::Holdover,
        }
    }

    /// The product that a decision begins, or that follows a slew.
    fn next_product(
        now: Product,
        slews: Bit,
        acquires: Bit,
        small: Bit,
        deciding: Bit,
        emitting: Bit,
    ) -> Product {
        if deciding {
            Product { slews, acquires, more: slews & small }
        } else if emitting {
            Product { slews: false, more: false, ..now }
        } else {
            now
        }
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
