//! Samples of a kind in a row.

use flitforge_hdl_prim::prelude::*;

/// Bits of LOCK_N and OUTLIER_N.
const ROW_BITS: usize = 8;

/// Counts samples in a row: near enough ones in ACQ, outliers of equal sign after it.
///
/// `enough` is of the sample that is worked on: right 2 clocks after `acquiring`, `negative` and the limits stand, and 4
/// clocks after the decision on the sample before. A row that is long enough begins anew. `clear` ends a row.
#[block("sample_row")]
pub struct SampleRow {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Near enough samples are counted.
    acquiring: In<Bit>,
    /// The sample's error is negative.
    negative: In<Bit>,
    /// LOCK_N.
    lock_n: In<Bits<ROW_BITS>>,
    /// OUTLIER_N.
    outlier_n: In<Bits<ROW_BITS>>,
    /// The sample is decided on.
    decided: In<Bit>,
    /// With `decided`: the sample is of the kind that is counted.
    counts: In<Bit>,
    /// With this sample the row is as long as LOCK_N or OUTLIER_N.
    enough: Out<Bit>,
    row: Reg<Bits<ROW_BITS>>,
    row_negative: Reg<Bit>,
    row_next: Reg<Bits<ROW_BITS>>,
    row_wanted: Reg<Bits<ROW_BITS>>,
    row_enough: Reg<Bit>,
    row_goes_on: Register<Bit>,
    row_ends: Reg<Bit>,
}

#[logic]
impl SampleRow {
    fn update(&mut self) {
        row_wanted = if acquiring { lock_n } else { outlier_n };
        row_next = if !acquiring & (row_negative != negative) { 1 } else { row + 1 };
        row_enough = row_next >= row_wanted;
        enough = row_enough;

        // The row follows a clock later: the next sample is far.
        let keeps = counts & !row_enough;
        row_goes_on = decided & keeps;
        row_ends = decided & !keeps;
        if decided {
            row_negative = negative;
        }
        if row_goes_on {
            row = row_next;
        }
        if row_ends | clear {
            row = 0;
        }
    }
}
