//! When an ALN row is due.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::ALN_INTERVAL_ROWS;

/// Bits of the row counter; it wraps at [`ALN_INTERVAL_ROWS`].
const COUNT_BITS: usize = 12;
const _: () = assert!(1 << COUNT_BITS == ALN_INTERVAL_ROWS, "the row counter wraps at the ALN interval");

/// Counts data rows from the start row on: after each 4096 an ALN row is `due`, with `number` 1, 2, ....
#[block("lane_row_count")]
pub struct RowCount {
    /// Clock.
    clock: In<Clock>,
    /// Starts over; wins.
    restart: In<Bit>,
    /// A row goes by: the ALN row if one is due, else a data row.
    row: In<Bit>,
    /// The next row is an ALN row.
    due: Out<Bit>,
    /// `due` of the next clock.
    due_next: Out<Bit>,
    /// Number of the next ALN row, modulo 65536; means something only with `due`.
    number: Out<Bits<16>>,
    rows: Reg<Bits<COUNT_BITS>>,
    is_due: Reg<Bit>,
    started: Reg<Bits<16>>,
}

#[logic]
impl RowCount {
    fn update(&mut self) {
        if row {
            is_due = false;
            if !is_due {
                rows = rows + 1;
                // The number moves on with the last data row before the ALN row.
                if rows.all() {
                    is_due = true;
                    started = started + 1;
                }
            }
        }
        if restart {
            rows = 0;
            is_due = false;
            started = 0;
        }
        due = is_due;
        due_next = is_due.d;
        number = started;
    }
}
