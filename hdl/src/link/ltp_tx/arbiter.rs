//! Who sends the next data beat (chapter 10, 4.1 rules 2 to 5).

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

/// One decision per data beat: a Null LTP or a filler runs, or an original LTP is open for `time_in`, else
/// `flits_in`. `INDEX_W` bits count the 2^`INDEX_W` beats of an LTP. Events come one clock after their edge.
#[derive(LogicBlock, Default)]
pub struct LtpTxArbiter<const INDEX_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Original LTPs may be opened.
    pub active: Signal<In, Bit>,
    /// 0 DROP, 1 HOLD.
    pub time_mode: Signal<In, Bit>,
    /// A data beat is taken on this edge.
    pub step: Signal<In, Bit>,
    /// `time_in.valid`.
    pub time_valid: Signal<In, Bit>,
    /// `null_in.valid`.
    pub null_valid: Signal<In, Bit>,
    /// `flits_in.ready`.
    pub flits_ready: Signal<Out, Bit>,
    /// `time_in.ready`.
    pub time_ready: Signal<Out, Bit>,
    /// `null_in.ready`.
    pub null_ready: Signal<Out, Bit>,
    /// The data beat belongs to an original LTP.
    pub open: Signal<Out, Bit>,
    /// The data beat is the first of its LTP.
    pub boundary: Signal<Out, Bit>,
    /// Place of the data beat in its LTP.
    pub place: Signal<Out, Bits<INDEX_W>>,
    /// An original LTP is opened on this edge.
    pub starts: Signal<Out, Bit>,
    /// Sequence number of the next original LTP.
    pub sequence: Signal<Out, Bits<16>>,
    /// Event: the last beat of an original LTP was taken.
    pub tx_ltp: Signal<Out, Bit>,
    /// Event: the last beat of a Null LTP was taken.
    pub null_tx: Signal<Out, Bit>,
    /// Event: a beat of `time_in` was discarded.
    pub time_dropped: Signal<Out, Bit>,

    index: DFF<Bits<INDEX_W>>,
    /// `index` is not 0.
    inside: DFF<Bit>,
    original: DFF<Bit>,
    next_sequence: DFF<Bits<16>>,
    event_ltp: DFF<Bit>,
    event_null: DFF<Bit>,
    event_dropped: DFF<Bit>,
    moves: Signal<Local, Bit>,
    at_boundary: Signal<Local, Bit>,
    at_last: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    takes_time: Signal<Local, Bit>,
}

impl<const INDEX_W: usize> Logic for LtpTxArbiter<INDEX_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, index, inside, original, next_sequence, event_ltp, event_null, event_dropped);
        self.moves.next = self.step.val() & !self.clear.val();
        self.at_boundary.next = !self.inside.q.val();
        self.at_last.next = self.index.q.val().all();
        self.is_open.next = self.original.q.val();
        if self.at_boundary.val() {
            self.is_open.next = self.active.val() & !self.null_valid.val();
        }
        self.takes_time.next = self.step.val();
        if !self.is_open.val() {
            self.takes_time.next = !self.time_mode.val();
        }
        self.opens.next = self.moves.val() & self.at_boundary.val() & self.is_open.val();

        if self.step.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.inside.d.next = !self.at_last.val();
            if self.at_boundary.val() {
                self.original.d.next = self.is_open.val();
            }
        }
        if self.opens.val() {
            self.next_sequence.d.next = self.next_sequence.q.val() + 1;
        }
        if self.clear.val() {
            self.index.d.next = 0.into();
            self.inside.d.next = false;
            self.original.d.next = false;
            self.next_sequence.d.next = 0.into();
        }
        self.event_ltp.d.next = self.moves.val() & self.at_last.val() & self.is_open.val();
        self.event_null.d.next = self.moves.val() & self.at_last.val() & !self.is_open.val();
        self.event_dropped.d.next =
            self.time_valid.val() & !self.is_open.val() & !self.time_mode.val() & !self.clear.val();

        self.flits_ready.next = self.moves.val() & self.is_open.val() & !self.time_valid.val();
        self.time_ready.next = self.takes_time.val() & !self.clear.val();
        self.null_ready.next = self.moves.val() & self.at_boundary.val();
        self.open.next = self.is_open.val();
        self.boundary.next = self.at_boundary.val();
        self.place.next = self.index.q.val();
        self.starts.next = self.opens.val();
        self.sequence.next = self.next_sequence.q.val();
        self.tx_ltp.next = self.event_ltp.q.val();
        self.null_tx.next = self.event_null.q.val();
        self.time_dropped.next = self.event_dropped.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_tx_arbiter", &[])
    }
}

drive_ports!(impl[const INDEX_W: usize] LtpTxArbiter<INDEX_W> { clock, clear, active, time_mode, step, time_valid, null_valid, flits_ready, time_ready, null_ready, open, boundary, place, starts, sequence, tx_ltp, null_tx, time_dropped });
