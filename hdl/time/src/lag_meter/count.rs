//! The number of words of a line whose phase is known.

use super::{LINE_BITS, TX_LOOK_AHEAD};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_lag::{COUNT_FRACTION_BITS, COUNT_MEAN_LOG2};

/// Bits of how far a reading may be from the first one, signed: up to two words.
const NEAR_BITS: usize = COUNT_FRACTION_BITS + 2;
/// Bits of the sum of all readings.
const SUM_BITS: usize = NEAR_BITS + COUNT_MEAN_LOG2 as usize;
/// Bits of a number of readings.
const READINGS_BITS: usize = COUNT_MEAN_LOG2 as usize + 1;

/// What the port counts more than the line, as the mean of 2^[`COUNT_MEAN_LOG2`] clocks.
///
/// The port's count is of whole words: against the line it goes up and down by a word, and where between these it is read first is
/// chance. The mean is not: a meter has the same constant part with every start, and so have two meters of the same build.
///
/// - `found` 2^16 + 4 clocks after `enable` rises and `done` [`TX_LOOK_AHEAD`] + 1 clocks later, if no reading is two words or more away from the first one; then it begins anew.
/// - `enable` low forgets all.
#[block("lag_count")]
pub struct LagCount {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The phase of the line is known.
    enable: In<Bit>,
    /// What the port counts, 2^-12 word.
    counted: In<Bits<LINE_BITS>>,
    /// The line, 2^-12 word.
    line: In<Bits<LINE_BITS>>,
    /// The mean, 2^-12 word; with `found`.
    base: Out<Bits<LINE_BITS>>,
    /// It is known.
    found: Out<Bit>,
    /// A lag that was given [`TX_LOOK_AHEAD`] clocks before has it in it.
    done: Out<Bit>,

    since: Reg<Bits<4>>,
    enabled: Reg<Bit>,
    apart: Reg<Bits<LINE_BITS>>,
    first: Reg<Bits<LINE_BITS>>,
    near: Reg<Bits<NEAR_BITS>>,
    is_near: Reg<Bit>,
    /// Readings summed; the first of all stands in `first`.
    readings: Reg<Bits<READINGS_BITS>>,
    /// `first` stands, and a clock later readings count.
    began: Reg<Bit>,
    counts: Reg<Bit>,
    sum: Reg<Bits<SUM_BITS>>,
    away: Local<Bits<LINE_BITS>>,
    high: Local<Bits<15>>,
    wide_near: Local<Bits<SUM_BITS>>,
    mean: Local<Bits<LINE_BITS>>,
    /// Half a unit of the mean.
    #[init(1_u64 << (COUNT_MEAN_LOG2 - 1))]
    half: Constant<Bits<SUM_BITS>>,
    #[init(bits_where(|bit| bit >= NEAR_BITS))]
    near_sign: Constant<Bits<SUM_BITS>>,
    #[init(bits_where(|bit| bit >= NEAR_BITS))]
    mean_sign: Constant<Bits<LINE_BITS>>,
    #[init(1)]
    one: Constant<Bits<READINGS_BITS>>,
}

#[logic]
impl LagCount {
    fn update(&mut self) {
        // A reading, and how far it is from the first one.
        enabled = enable;
        apart = counted - line;
        away = apart - first;
        near = away.bits::<NEAR_BITS>(0);
        high = away.bits::<15>(13);
        is_near = high.all() | !high.any();

        // Their sum.
        wide_near = bit_cast::<SUM_BITS, NEAR_BITS>(near);
        if near[13] {
            wide_near = bit_cast::<SUM_BITS, NEAR_BITS>(near) | near_sign;
        }
        let finished = readings[16];
        began = enabled;
        counts = began;
        if began {
            if counts & !finished {
                sum = sum + wide_near;
                readings = readings + one;
                if !is_near {
                    began = false;
                    counts = false;
                }
            }
        } else {
            first = apart;
            sum = half;
            readings = 0;
        }
        if !enable {
            enabled = false;
            began = false;
            counts = false;
        }
        mean = bit_cast::<LINE_BITS, NEAR_BITS>(sum.bits::<NEAR_BITS>(16));
        if sum[29] {
            mean = bit_cast::<LINE_BITS, NEAR_BITS>(sum.bits::<NEAR_BITS>(16)) | mean_sign;
        }
        base = first + mean;
        found = finished & counts & enable;
        since = 0;
        if found {
            since = (since << 1).with(0, true);
        }
        done = found & since[3];
    }
}

// The positions written as numbers in `update`.
const _: () = assert!(LINE_BITS == 28 && NEAR_BITS == 14 && COUNT_MEAN_LOG2 == 16 && SUM_BITS == 30);
const _: () = assert!(TX_LOOK_AHEAD == 3);
