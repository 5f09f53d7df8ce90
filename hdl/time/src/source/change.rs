//! What changes the registers of `time_source`, one change after the other.

use super::clamp::{Clamp, SUM_BITS};
use super::queue::{Change, ChangeQueue};
use super::{TIME_WORD_BITS, WRITE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{
    DIFFERENCE_BITS, F_ACC_BITS, INC_BITS, LIMIT_SHIFT, SLEW_CNT_BITS, SLEW_P_BITS, SOURCE_CHANGE_CLOCKS,
};

/// Bits of F_LIMIT and of SLEW_LIMIT.
const LIMIT_BITS: usize = 32;
/// Bits of the sum of two limits.
const LIMITS_SUM_BITS: usize = LIMIT_BITS + 1;
/// SLEW_P counts 2^16 of what F_ACC counts.
const SLEW_SHIFT: usize = F_ACC_BITS - SLEW_P_BITS;
/// Bits of a sum above F_ACC.
const SIGN_BITS: usize = SUM_BITS - F_ACC_BITS;
/// Bits of the rate in a slew of the servo.
const SERVO_SLEW_BITS: usize = 48;
/// Clock of a change in which registers are set.
const SET_CLOCK: u64 = SOURCE_CHANGE_CLOCKS - 2;

/// INC_NOM, LIMITS, F_ACC, SLEW_P and SLEW_CNT, and steps of SyncTime (chapter 20, 4.1 rules 2 and 3).
///
/// A change takes 8 clocks, LIMITS 22: it clamps F_ACC and SLEW_P, too. A step of the servo goes before its `adjust`, and
/// that before a write. Registers show a change 7 clocks after it began (a write begins with its transfer, a change of
/// the servo a clock later), `jump_now` 2 clocks after. One step and one adjust wait; another of the kind
/// replaces what waits. `clear` drops what is in work or waits, and sets F_ACC, SLEW_P and SLEW_CNT to 0.
#[block(new)]
pub struct SourceChange {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A register write, see [`WRITE_BITS`].
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// The servo steps SyncTime, signed, 1/256 ns.
    pub step: FlowIn<Bits<DIFFERENCE_BITS>>,
    /// The servo's change of the rate, as `time_servo` gives it.
    pub adjust: FlowIn<Bits<64>>,
    /// `adjust` is a slew.
    adjust_slew: In<Bit>,
    /// SLEW_N.
    slew_n: In<Bits<SLEW_CNT_BITS>>,
    /// INC_NOM.
    inc_nom: Out<Bits<INC_BITS>>,
    /// F_LIMIT and SLEW_LIMIT.
    limits: Out<Bits<64>>,
    /// F_ACC.
    f_acc: Out<Bits<F_ACC_BITS>>,
    /// SLEW_P.
    slew_p: Out<Bits<SLEW_P_BITS>>,
    /// SLEW_CNT.
    slew_left: Out<Bits<SLEW_CNT_BITS>>,
    /// SyncTime jumps.
    jump_now: Out<Bit>,
    /// `jump` replaces SyncTime.
    jump_zero: Out<Bit>,
    /// By how much, 2^-32 ns; holds for 3 clocks.
    jump: Out<Bits<TIME_WORD_BITS>>,
    /// Event: a value was clamped (CLAMPS).
    clamped: Out<Bit>,
    /// Event: a write was refused (REFUSED).
    refused: Out<Bit>,
    #[wire(clock, clear, adjust_slew)]
    queue: ChangeQueue,
    #[wire(clock)]
    clamp: Clamp,
    #[wire(clear = false)]
    increment: Register<Bits<INC_BITS>>,
    #[wire(clear = false)]
    f_limit: Register<Bits<LIMIT_BITS>>,
    #[wire(clear = false)]
    slew_limit: Register<Bits<LIMIT_BITS>>,
    frequency: Register<Bits<F_ACC_BITS>>,
    slew: Register<Bits<SLEW_P_BITS>>,
    left: Register<Bits<SLEW_CNT_BITS>>,
    // The change in work, and the clocks since it began.
    code: Reg<Change>,
    data: Reg<Bits<DIFFERENCE_BITS>>,
    age: Register<Bits<3>>,
    jumps: Register<Bit>,
    zeroes: Register<Bit>,
    distance: Reg<Bits<TIME_WORD_BITS>>,
    base: Reg<Bits<SUM_BITS>>,
    term: Reg<Bits<SUM_BITS>>,
    limit: Reg<Bits<LIMIT_BITS>>,
    asked_increment: Reg<Bits<INC_BITS>>,
    asked_sum: Reg<Bits<LIMITS_SUM_BITS>>,
    too_wide: Reg<Bit>,
    allowed: Reg<Bit>,
    clamped_now: Register<Bit>,
    refused_now: Register<Bit>,
    _power_on: u64,
}

#[logic]
impl SourceChange {
    /// With this INC_NOM and the default limits at power-on.
    pub fn new(inc_nom: u64) -> Self {
        let limit = inc_nom >> LIMIT_SHIFT;
        Self {
            increment: Register::new(inc_nom.into()),
            f_limit: Register::new(limit.into()),
            slew_limit: Register::new(limit.into()),
            _power_on: inc_nom,
            ..
        }
    }

    fn update(&mut self) {
        // What begins.
        let idle = !age.any();
        link(write, queue.write);
        link(step, queue.step);
        link(adjust, queue.adjust);
        queue.idle = idle;
        if queue.begins {
            Out { code, data } = queue;
        }
        age = if queue.begins | !idle { age + 1 } else { age };

        let (word, is_f, is_slew) = self.clamp_value();

        // Clocks 1 and 2: may it be?
        let sets_increment = code == Change::IncNom;
        let sets_limits = code == Change::Limits;
        asked_increment = if sets_increment { word[0..INC_BITS] } else { increment };
        too_wide = sets_increment & word[INC_BITS..64].any();
        let asked_f = if sets_limits { word[0..LIMIT_BITS] } else { f_limit };
        let asked_slew = if sets_limits { word[LIMIT_BITS..64] } else { slew_limit };
        asked_sum = bit_cast::<LIMITS_SUM_BITS, LIMIT_BITS>(asked_f)
            + bit_cast::<LIMITS_SUM_BITS, LIMIT_BITS>(asked_slew);
        allowed = !too_wide & (bit_cast::<INC_BITS, LIMITS_SUM_BITS>(asked_sum) < asked_increment);

        // Clock 6: the registers.
        let now = age == SET_CLOCK;
        increment = word[0..INC_BITS];
        f_limit = word[0..LIMIT_BITS];
        slew_limit = word[LIMIT_BITS..64];
        increment.enable = now & sets_increment & allowed;
        f_limit.enable = now & sets_limits & allowed;
        slew_limit.enable = now & sets_limits & allowed;
        refused_now = now & (sets_increment | sets_limits) & !allowed;
        clamped_now = now & (is_f | is_slew) & clamp.clamped;
        left = if left.any() { left - 1 } else { left };
        let value = clamp.value;
        frequency = value;
        frequency.enable = now & is_f;
        slew = value[SLEW_SHIFT..F_ACC_BITS];
        slew.enable = now & is_slew;
        if now & (code == Change::Slew) {
            left = slew_n;
        }
        if now & (code == Change::SlewCnt) {
            left = word[0..SLEW_CNT_BITS];
        }

        // Clock 7: new limits clamp what is there.
        if age.all() & sets_limits & allowed {
            age = 1;
            code = Change::ClampF;
        }
        if age.all() & (code == Change::ClampF) {
            age = 1;
            code = Change::ClampSlew;
        }

        inc_nom = increment;
        limits = cat(f_limit, slew_limit);
        f_acc = frequency;
        slew_p = slew;
        slew_left = left;
        jump_now = jumps;
        jump_zero = zeroes;
        jump = distance;
        clamped = clamped_now;
        refused = refused_now;
    }

    /// Clock 1: how far SyncTime jumps, or what is added and clamped.
    fn clamp_value(&mut self) -> (Bits<64>, Bit, Bit) {
        let first_clock = age == 1;
        let word = data[0..64];
        let is_jump = (code == Change::Step) | (code == Change::Set) | (code == Change::Add);
        jumps = first_clock & is_jump;
        zeroes = first_clock & (code == Change::Set);
        if first_clock {
            distance = if code == Change::Step {
                bit_cast::<TIME_WORD_BITS, DIFFERENCE_BITS>(data) << 24
            } else {
                bit_cast::<TIME_WORD_BITS, 64>(word) << 32
            };
        }
        base = Self::base_of(code, frequency);
        term = Self::term_of(code, word, slew);
        let is_f = (code == Change::Move) | (code == Change::FAcc) | (code == Change::ClampF);
        let is_slew = (code == Change::Slew) | (code == Change::SlewP) | (code == Change::ClampSlew);
        limit = if is_slew { slew_limit } else { f_limit };
        clamp = In { base, term, limit };
        (word, is_f, is_slew)
    }

    /// What the sum begins with.
    fn base_of(code: Change, frequency: Bits<F_ACC_BITS>) -> Bits<SUM_BITS> {
        match code {
            Change::Move | Change::ClampF => Self::of_f_acc(frequency),
            _ => 0,
        }
    }

    /// What is added, of the data and of SLEW_P.
    fn term_of(code: Change, word: Bits<64>, slew: Bits<SLEW_P_BITS>) -> Bits<SUM_BITS> {
        let below: Bits<SLEW_SHIFT> = 0;
        match code {
            Change::Move => cat(word, word[63]),
            Change::Slew => cat(below, word[0..SERVO_SLEW_BITS], word[SERVO_SLEW_BITS - 1]),
            Change::FAcc => Self::of_f_acc(word[0..F_ACC_BITS]),
            Change::SlewP => Self::of_slew_p(word[0..SLEW_P_BITS]),
            Change::ClampSlew => Self::of_slew_p(slew),
            _ => 0,
        }
    }

    /// F_ACC as a summand.
    fn of_f_acc(rate: Bits<F_ACC_BITS>) -> Bits<SUM_BITS> {
        let sign: Bits<SIGN_BITS> = if rate[F_ACC_BITS - 1] { (1 << SIGN_BITS) - 1 } else { 0 };
        cat(rate, sign)
    }

    /// SLEW_P as a summand.
    fn of_slew_p(rate: Bits<SLEW_P_BITS>) -> Bits<SUM_BITS> {
        let below: Bits<SLEW_SHIFT> = 0;
        let sign: Bits<SIGN_BITS> = if rate[SLEW_P_BITS - 1] { (1 << SIGN_BITS) - 1 } else { 0 };
        cat(below, rate, sign)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("source_change", &[("inc_nom", format!("0x{:x}", self._power_on))])
    }
}

const _: () = assert!(SOURCE_CHANGE_CLOCKS == 8, "the clocks are counted in three bits");
