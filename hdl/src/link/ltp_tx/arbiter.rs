//! Who sends the next data beat (chapter 10, 4.1 rules 2 to 5).

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// One decision per data beat: a Null LTP or a filler runs, or a replayed LTP, or an original LTP is open for `time_in`,
/// else `flits_in`. `INDEX_W` bits count the 2^`INDEX_W` beats of an LTP. Events come one clock after their edge.
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
    /// The next LTP is a replayed one.
    pub replay_next: Signal<In, Bit>,
    /// No LTP is opened.
    pub hold: Signal<In, Bit>,
    /// An original LTP takes no more beats.
    pub drain: Signal<In, Bit>,
    /// Sequence numbers start at 0.
    pub restart: Signal<In, Bit>,
    /// `flits_in.ready`.
    pub flits_ready: Signal<Out, Bit>,
    /// `time_in.ready`.
    pub time_ready: Signal<Out, Bit>,
    /// `null_in.ready`.
    pub null_ready: Signal<Out, Bit>,
    /// The replayed beat is taken.
    pub replay_take: Signal<Out, Bit>,
    /// The data beat belongs to an original LTP that takes beats.
    pub open: Signal<Out, Bit>,
    /// The data beat belongs to an original LTP.
    pub original: Signal<Out, Bit>,
    /// The data beat belongs to a replayed LTP.
    pub replay: Signal<Out, Bit>,
    /// The data beat is the first of its LTP.
    pub boundary: Signal<Out, Bit>,
    /// Place of the data beat in its LTP.
    pub place: Signal<Out, Bits<INDEX_W>>,
    /// An LTP is opened on this edge.
    pub opened: Signal<Out, Bit>,
    /// An original LTP is opened on this edge.
    pub starts: Signal<Out, Bit>,
    /// Sequence number of the next original LTP.
    pub sequence: Signal<Out, Bits<16>>,
    /// Event: the last beat of an original LTP was taken.
    pub tx_ltp: Signal<Out, Bit>,
    /// Event: the last beat of a Null LTP was taken.
    pub null_tx: Signal<Out, Bit>,
    /// Event: the last beat of a replayed LTP was taken.
    pub replayed: Signal<Out, Bit>,
    /// Event: a beat of `time_in` was discarded.
    pub time_dropped: Signal<Out, Bit>,

    index: DFF<Bits<INDEX_W>>,
    /// `index` is not 0.
    inside: DFF<Bit>,
    is_original: DFF<Bit>,
    is_replayed: DFF<Bit>,
    next_sequence: DFF<Bits<16>>,
    event_ltp: DFF<Bit>,
    event_null: DFF<Bit>,
    event_replayed: DFF<Bit>,
    event_dropped: DFF<Bit>,
    moves: Signal<Local, Bit>,
    at_boundary: Signal<Local, Bit>,
    at_last: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
    replays: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    takes_time: Signal<Local, Bit>,
}

impl<const INDEX_W: usize> Logic for LtpTxArbiter<INDEX_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, index, inside, is_original, is_replayed, next_sequence);
        dff_setup!(self, clock, event_ltp, event_null, event_replayed, event_dropped);
        self.at_boundary.next = !self.inside.q.val();
        self.moves.next = self.step.val() & !(self.at_boundary.val() & self.hold.val());
        self.at_last.next = self.index.q.val().all();
        self.is_open.next = self.is_original.q.val();
        self.replays.next = self.is_replayed.q.val();
        if self.at_boundary.val() {
            self.is_open.next = self.active.val() & !self.null_valid.val() & !self.replay_next.val();
            self.replays.next = self.replay_next.val() & !self.null_valid.val();
        }
        self.accepts.next = self.is_open.val() & !self.drain.val();
        self.takes_time.next = self.moves.val();
        if !self.accepts.val() {
            self.takes_time.next = !self.time_mode.val();
        }
        self.opens.next = self.moves.val() & self.at_boundary.val() & self.is_open.val();

        if self.moves.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.inside.d.next = !self.at_last.val();
            if self.at_boundary.val() {
                self.is_original.d.next = self.is_open.val();
                self.is_replayed.d.next = self.replays.val();
            }
        }
        if self.opens.val() {
            self.next_sequence.d.next = self.next_sequence.q.val() + 1;
        }
        if self.clear.val() {
            self.index.d.next = 0.into();
            self.inside.d.next = false;
            self.is_original.d.next = false;
            self.is_replayed.d.next = false;
        }
        if self.clear.val() | self.restart.val() {
            self.next_sequence.d.next = 0.into();
        }
        self.event_ltp.d.next = self.moves.val() & self.at_last.val() & self.is_open.val();
        self.event_null.d.next =
            self.moves.val() & self.at_last.val() & !self.is_open.val() & !self.replays.val();
        self.event_replayed.d.next = self.moves.val() & self.at_last.val() & self.replays.val();
        self.event_dropped.d.next =
            self.time_valid.val() & !self.accepts.val() & !self.time_mode.val() & !self.clear.val();
        if self.clear.val() {
            self.event_ltp.d.next = false;
            self.event_null.d.next = false;
            self.event_replayed.d.next = false;
        }

        self.flits_ready.next =
            (self.moves.val() & self.accepts.val()) & (!self.time_valid.val() & !self.clear.val());
        self.time_ready.next = self.takes_time.val() & !self.clear.val();
        self.null_ready.next = (self.moves.val() & self.at_boundary.val()) & !self.clear.val();
        self.replay_take.next = (self.moves.val() & self.replays.val()) & !self.clear.val();
        self.open.next = self.accepts.val();
        self.original.next = self.is_open.val();
        self.replay.next = self.replays.val();
        self.boundary.next = self.at_boundary.val();
        self.place.next = self.index.q.val();
        self.opened.next = (self.moves.val() & self.at_boundary.val()) & !self.clear.val();
        self.starts.next = self.opens.val() & !self.clear.val();
        self.sequence.next = self.next_sequence.q.val();
        self.tx_ltp.next = self.event_ltp.q.val();
        self.null_tx.next = self.event_null.q.val();
        self.replayed.next = self.event_replayed.q.val();
        self.time_dropped.next = self.event_dropped.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_tx_arbiter", &[])
    }
}

drive_ports!(impl[const INDEX_W: usize] LtpTxArbiter<INDEX_W> { clock, clear, active, time_mode, step, time_valid, null_valid, replay_next, hold, drain, restart, flits_ready, time_ready, null_ready, replay_take, open, original, replay, boundary, place, opened, starts, sequence, tx_ltp, null_tx, replayed, time_dropped });
