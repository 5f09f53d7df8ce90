//! Who sends the next data beat (chapter 10, 4.1 rules 2 to 5).

use flitforge_hdl_prim::prelude::*;

/// One decision per data beat: a Null LTP or a filler runs, or a replayed LTP, or an original LTP is open for `time_in`,
/// else `flits_in`. `INDEX_W` bits count the 2^`INDEX_W` beats of an LTP. Events come one clock after their edge.
#[block("ltp_tx_arbiter")]
pub struct LtpTxArbiter<const INDEX_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Original LTPs may be opened.
    active: In<Bit>,
    /// 0 DROP, 1 HOLD.
    time_mode: In<Bit>,
    /// A data beat is taken on this edge.
    step: In<Bit>,
    /// `time_in.valid`.
    time_valid: In<Bit>,
    /// `null_in.valid`.
    null_valid: In<Bit>,
    /// The next LTP is a replayed one.
    replay_next: In<Bit>,
    /// No LTP is opened.
    hold: In<Bit>,
    /// An original LTP takes no more beats.
    drain: In<Bit>,
    /// Sequence numbers start at 0.
    restart: In<Bit>,
    /// `flits_in.ready`.
    flits_ready: Out<Bit>,
    /// `time_in.ready`.
    time_ready: Out<Bit>,
    /// `null_in.ready`.
    null_ready: Out<Bit>,
    /// The replayed beat is taken.
    replay_take: Out<Bit>,
    /// The data beat belongs to an original LTP that takes beats.
    open: Out<Bit>,
    /// The data beat belongs to an original LTP.
    original: Out<Bit>,
    /// The data beat belongs to a replayed LTP.
    replay: Out<Bit>,
    /// The data beat is the first of its LTP.
    boundary: Out<Bit>,
    /// Place of the data beat in its LTP.
    place: Out<Bits<INDEX_W>>,
    /// An LTP is opened on this edge.
    opened: Out<Bit>,
    /// An original LTP is opened on this edge.
    starts: Out<Bit>,
    /// Sequence number of the next original LTP.
    sequence: Out<Bits<16>>,
    /// Event: the last beat of an original LTP was taken.
    tx_ltp: Out<Bit>,
    /// Event: the last beat of a Null LTP was taken.
    null_tx: Out<Bit>,
    /// Event: the last beat of a replayed LTP was taken.
    replayed: Out<Bit>,
    /// Event: a beat of `time_in` was discarded.
    time_dropped: Out<Bit>,

    index: Reg<Bits<INDEX_W>>,
    /// `index` is not 0.
    inside: Reg<Bit>,
    is_original: Reg<Bit>,
    is_replayed: Reg<Bit>,
    next_sequence: Reg<Bits<16>>,
    event_ltp: Reg<Bit>,
    event_null: Reg<Bit>,
    event_replayed: Reg<Bit>,
    event_dropped: Reg<Bit>,
    moves: Local<Bit>,
    at_boundary: Local<Bit>,
    at_last: Local<Bit>,
    is_open: Local<Bit>,
    replays: Local<Bit>,
    accepts: Local<Bit>,
    opens: Local<Bit>,
}

#[logic]
impl<const INDEX_W: usize> LtpTxArbiter<INDEX_W> {
    fn update(&mut self) {
        at_boundary = !inside;
        moves = step & !(at_boundary & hold);
        at_last = index.all();
        is_open = is_original;
        replays = is_replayed;
        if at_boundary {
            is_open = active & !null_valid & !replay_next;
            replays = replay_next & !null_valid;
        }
        accepts = is_open & !drain;
        let mut takes_time = moves;
        if !accepts {
            takes_time = !time_mode;
        }
        opens = moves & at_boundary & is_open;

        if moves {
            index = index + 1;
            inside = !at_last;
            if at_boundary {
                is_original = is_open;
                is_replayed = replays;
            }
        }
        if opens {
            next_sequence = next_sequence + 1;
        }
        if clear {
            index = 0;
            inside = false;
            is_original = false;
            is_replayed = false;
        }
        if clear | restart {
            next_sequence = 0;
        }
        event_ltp = moves & at_last & is_open;
        event_null = moves & at_last & !is_open & !replays;
        event_replayed = moves & at_last & replays;
        event_dropped = time_valid & !accepts & !time_mode & !clear;
        if clear {
            event_ltp = false;
            event_null = false;
            event_replayed = false;
        }

        flits_ready = (moves & accepts) & (!time_valid & !clear);
        time_ready = takes_time & !clear;
        null_ready = (moves & at_boundary) & !clear;
        replay_take = (moves & replays) & !clear;
        open = accepts;
        original = is_open;
        replay = replays;
        boundary = at_boundary;
        place = index;
        opened = (moves & at_boundary) & !clear;
        starts = opens & !clear;
        sequence = next_sequence;
        tx_ltp = event_ltp;
        null_tx = event_null;
        replayed = event_replayed;
        time_dropped = event_dropped;
    }
}
