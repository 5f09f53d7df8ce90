//! The size of a phase error against three thresholds, bit by bit.

use super::bits::{WordParts, PARTS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::ERROR_BITS;

/// |error| against STEP_THR, OUTLIER_THR and LOCK_THR.
///
/// Of one bit per clock, from 0 up, `part` names the part 3 clocks before ([`WordParts`]), `run` comes 1 clock before with
/// `place`, its place in the part, and `error_bit` is that bit of the error; `above_*` are right 1 clock after bit 31.
/// `restart` begins a new comparison. A comparison in one clock would cost three carry chains and one to negate.
#[block("magnitude")]
pub struct Magnitude {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the last comparison.
    restart: In<Bit>,
    /// `place` counts in the next clock.
    run: In<Bit>,
    /// Part of the bit that is compared 3 clocks later.
    part: In<Bits<PARTS>>,
    /// Bit of its part that is compared in the next clock.
    place: In<Bits<3>>,
    /// The bit of the phase error, signed, 1/256 ns.
    error_bit: In<Bit>,
    /// The phase error is negative.
    negative: In<Bit>,
    /// STEP_THR, 1/256 ns; stable while it is compared, as the others.
    step_thr: In<Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    outlier_thr: In<Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    lock_thr: In<Bits<16>>,
    /// |error| > STEP_THR.
    above_step: Out<Bit>,
    /// |error| > OUTLIER_THR.
    above_outlier: Out<Bit>,
    /// |error| > LOCK_THR.
    above_lock: Out<Bit>,
    #[wire(clock)]
    step_word: WordParts,
    #[wire(clock)]
    outlier_word: WordParts,
    #[wire(clock)]
    lock_word: WordParts,
    running: Reg<Bit>,
    /// A lower bit of the error is 1: a negative one's higher bits are inverted.
    seen: Reg<Bit>,
    step: Reg<Bit>,
    outlier: Reg<Bit>,
    lock: Reg<Bit>,
    fine_lock_thr: Local<Bits<ERROR_BITS>>,
    bit: Local<Bit>,
    step_bit: Reg<Bit>,
    outlier_bit: Reg<Bit>,
    lock_bit: Reg<Bit>,
}

#[logic]
impl Magnitude {
    fn update(&mut self) {
        fine_lock_thr = bit_cast::<ERROR_BITS, 16>(lock_thr) << 8;
        running = run;

        step_word = In { part, word: step_thr };
        let step_part = step_word.held;
        step_bit = step_part[place];
        outlier_word = In { part, word: outlier_thr };
        let outlier_part = outlier_word.held;
        outlier_bit = outlier_part[place];
        lock_word = In { part, word: fine_lock_thr };
        let lock_part = lock_word.held;
        lock_bit = lock_part[place];

        bit = error_bit ^ (negative & seen);
        if running {
            seen = seen | error_bit;
            // The highest bit that differs decides. Written without a condition, or it would become an enable, which is slow.
            step = (bit & (!step_bit | step)) | (!step_bit & step);
            outlier = (bit & (!outlier_bit | outlier)) | (!outlier_bit & outlier);
            lock = (bit & (!lock_bit | lock)) | (!lock_bit & lock);
        }
        if restart {
            seen = false;
            step = false;
            outlier = false;
            lock = false;
        }
        above_step = step;
        above_outlier = outlier;
        above_lock = lock;
    }
}

const _: () = assert!(ERROR_BITS == 32 && flitforge_protocol::time::FINE_BITS == 8);
