//! When an ALN row is due.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::ALN_INTERVAL_ROWS;

/// Bits of the row counter; it wraps at [`ALN_INTERVAL_ROWS`].
const COUNT_BITS: usize = 12;
const _: () = assert!(1 << COUNT_BITS == ALN_INTERVAL_ROWS, "the row counter wraps at the ALN interval");

/// Counts data rows from the start row on: after each 4096 an ALN row is `due`, with `number` 1, 2, ....
#[derive(LogicBlock, Default)]
pub struct RowCount {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Starts over; wins.
    pub restart: Signal<In, Bit>,
    /// A row goes by: the ALN row if one is due, else a data row.
    pub row: Signal<In, Bit>,
    /// The next row is an ALN row.
    pub due: Signal<Out, Bit>,
    /// `due` of the next clock.
    pub due_next: Signal<Out, Bit>,
    /// Number of the next ALN row, modulo 65536; means something only with `due`.
    pub number: Signal<Out, Bits<16>>,
    rows: DFF<Bits<COUNT_BITS>>,
    is_due: DFF<Bit>,
    started: DFF<Bits<16>>,
}

impl Logic for RowCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rows, is_due, started);
        if self.row.val() {
            self.is_due.d.next = false;
            if !self.is_due.q.val() {
                self.rows.d.next = self.rows.q.val() + 1;
                // The number moves on with the last data row before the ALN row.
                if self.rows.q.val().all() {
                    self.is_due.d.next = true;
                    self.started.d.next = self.started.q.val() + 1;
                }
            }
        }
        if self.restart.val() {
            self.rows.d.next = 0.into();
            self.is_due.d.next = false;
            self.started.d.next = 0.into();
        }
        self.due.next = self.is_due.q.val();
        self.due_next.next = self.is_due.d.val();
        self.number.next = self.started.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lane_row_count", &[])
    }
}

drive_ports!(impl[] RowCount { clock, restart, row, due, due_next, number });
