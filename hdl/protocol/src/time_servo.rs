//! Widths, units and defaults of the time counters and the servo (chapter 20, 4.1 and 4.9).

/// Integer bits of a counter, nanoseconds.
pub const TIME_BITS: usize = 64;
/// Fraction bits of the counters and of INC_NOM, INC_EFF and SLEW_P: 2^-32 ns.
pub const INC_FRAC: usize = 32;
/// Integer bits of an increment, nanoseconds per core clock.
pub const INC_INT: usize = 6;
/// Bits of INC_NOM.
pub const INC_BITS: usize = INC_INT + INC_FRAC;
/// INC_NOM of a core clock of 156.25 MHz, 6.4 ns: what blocks take unless told otherwise.
pub const INC_NOM_DEFAULT: u64 = (64 << INC_FRAC) / 10;

/// INC_NOM of a core clock period: 6.32 ns, rounded to the nearest.
#[must_use]
pub const fn increment(period_fs: u64) -> u64 {
    (((period_fs as u128) << INC_FRAC).wrapping_add(500_000) / 1_000_000) as u64
}

/// Fraction bits of F_ACC: 2^-48 ns per clock.
pub const F_ACC_FRAC: usize = 48;
/// Bits of F_ACC, signed.
pub const F_ACC_BITS: usize = INC_INT + F_ACC_FRAC;
/// Bits of SLEW_P, signed.
pub const SLEW_P_BITS: usize = INC_BITS;
/// Bits of SLEW_CNT and SLEW_N, core clocks.
pub const SLEW_CNT_BITS: usize = 32;
/// Default F_LIMIT and SLEW_LIMIT: INC_NOM shifted right by this, about 488 ppm (chapter 20, 4.1 rule 3).
pub const LIMIT_SHIFT: u32 = 11;
/// Fraction bits of WPER and RPER, the clock periods of waiting corrections: 6.20 ns.
pub const PERIOD_FRAC: usize = 20;
/// Bits of WPER and RPER.
pub const PERIOD_BITS: usize = INC_INT + PERIOD_FRAC;
/// Bits of SYNC_EPOCH.
pub const SYNC_EPOCH_BITS: usize = 8;
/// Bits of a phase error, signed, units of 1/256 ns, saturating (chapter 20, 4.7 rule 4).
pub const ERROR_BITS: usize = 32;
/// Places by which a difference of 1/256 ns is shifted to 2^-32 ns.
pub const FINE_STEP_SHIFT: usize = INC_FRAC - crate::time::FINE_BITS;
/// Bits of a phase difference, signed, units of 1/256 ns: 64-bit time and [`crate::time::FINE_BITS`].
pub const DIFFERENCE_BITS: usize = TIME_BITS + crate::time::FINE_BITS;
/// Bits of the gains KP, KI and KACQ.
pub const GAIN_BITS: usize = 32;
/// Binary places of the gains (chapter 20, 4.9).
pub const GAIN_SHIFT: u32 = 40;
/// Places by which e * KP is shifted to give SLEW_P (chapter 20, 4.9).
pub const KP_SHIFT: u32 = 16;
/// Proportional gain kp as a fraction.
pub const KP: (u64, u64) = (1, 2);
/// Integral gain ki as a fraction.
pub const KI: (u64, u64) = (1, 8);
/// Clocks from a sample to the servo's decision, and from there to the result of a multiplication, to which shifts are
/// added (chapter 20, 4.9).
pub const SERVO_DECIDE_CLOCKS: u64 = 34;
/// See [`SERVO_DECIDE_CLOCKS`].
pub const SERVO_ADJUST_CLOCKS: u64 = 35;
/// Clocks from a Low to its sample and between two Lows that a slave takes (chapter 20, 4.7).
pub const SLAVE_CLOCKS: u64 = 8;
/// Clocks of a change of `time_source`'s registers; one of LIMITS takes three times as long less two.
pub const SOURCE_CHANGE_CLOCKS: u64 = 8;
/// Clocks by which the outputs of `time_source` lag its registers.
pub const SOURCE_CLOCKS: usize = 7;
/// Clocks by which `time_source` shows SyncTime ahead of itself, for what is sampled at plane X.
pub const LOOK_AHEAD_CLOCKS: usize = 2;
/// Clocks by which the tx lag is presented ahead of plane X.
pub const LAG_LOOK_AHEAD_CLOCKS: usize = 3;
/// Clocks from a SyncTime at which a Low is due to the offer.
pub const GEN_CLOCKS: usize = 4;
/// Periods between two samples up to which TRACK moves F_ACC (chapter 20, 4.9).
pub const MAX_INTEGRATED_PERIODS: u64 = 8;
/// The servo takes a smaller NCLK for this one, core clocks: Lows are a million ns apart, and it works on each for 121 clocks.
pub const LEAST_PERIOD_CLOCKS: u64 = 10;

coded_enum! {
    /// States of the servo (chapter 20, 4.9).
    ServoState: u8, {
        Free = 0, "FREE", "no sample used yet";
        Acquire = 1, "ACQ", "the frequency is being found";
        Track = 2, "TRACK", "locked";
        Holdover = 3, "HOLDOVER", "no samples: the frequency is kept";
        Invalid = 4, "INVALID", "in holdover for too long";
    }
}

coded_enum! {
    /// What a write changes in `time_source` (chapter 20, 4.1 and 5).
    SourceWriteCode: u8, {
        IncNom = 1, "INC_NOM", "INC_NOM";
        Limits = 2, "LIMITS", "F_LIMIT and SLEW_LIMIT";
        FAcc = 3, "F_ACC", "F_ACC";
        SlewP = 4, "SLEW_P", "SLEW_P";
        SlewCnt = 5, "SLEW_CNT", "SLEW_CNT, clocks left";
        Set = 6, "SET", "SyncTime becomes a number of ns";
        Add = 7, "ADD", "a signed number of ns is added to SyncTime";
    }
}

/// Reset value of STEP_THR and OUTLIER_THR, units of 1/256 ns: 64 ns.
pub const THRESHOLD_DEFAULT: u32 = 0x4000;
/// Reset value of LOCK_THR in nanoseconds.
pub const LOCK_THR_DEFAULT: u16 = 64;
/// Reset value of LOCK_N: samples below LOCK_THR that lock.
pub const LOCK_N_DEFAULT: u8 = 4;
/// Reset value of OUTLIER_N: outliers of equal sign in a row that end TRACK.
pub const OUTLIER_N_DEFAULT: u8 = 8;
/// Reset value of HOLD_N: periods without a sample that lead to HOLDOVER.
pub const HOLD_N_DEFAULT: u8 = 64;
/// Reset value of HOLD_MAX: periods of HOLDOVER that lead to INVALID.
pub const HOLD_MAX_DEFAULT: u32 = 600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_registers() {
        assert_eq!((INC_BITS, F_ACC_BITS, SLEW_P_BITS, PERIOD_BITS), (38, 54, 38, 26));
        assert_eq!(ServoState::ALL.len(), 5);
    }
}
