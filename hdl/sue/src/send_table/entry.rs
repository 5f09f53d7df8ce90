//! What is kept of a connection, what happens to it, and what is said of it.

use flitforge_hdl_prim::prelude::*;

/// Bits of an entry.
pub const ENTRY_BITS: usize = 106;

/// What a connection may do (chapter 50, 4.4 and 4.5).
#[packed]
pub enum SendState {
    /// It takes bodies, sends, and waits for acknowledgments.
    Open,
    /// RETRY_MAX or STUCK_FAIL: it sends nothing more; what it holds waits for failover.
    Failed,
    /// It was stopped, and holds bodies; more may come.
    Stopped,
    /// It was stopped, and held nothing: it takes no body.
    Closed,
}

/// State of a connection at its sender (chapter 50, 4.5).
///
/// Bodies stand in replay slots that are linked in the order of their PSNs. `head`, `tail` and `cursor` are the first slot that was not freed, the
/// last one, and that of `send`; they say nothing while there is no such body.
#[packed]
pub struct SendEntry {
    /// PSN of the next new body.
    next_psn: Bits<16>,
    /// Oldest PSN without acknowledgment.
    unacknowledged: Bits<16>,
    /// PSN of the next send turn.
    send: Bits<16>,
    /// Slots of acknowledged bodies, from `head` on, that are not freed yet.
    to_free: Bits<9>,
    /// Bodies from `unacknowledged` on that were sent once.
    covered: Bits<9>,
    /// Slot of the oldest body that was not freed.
    head: Bits<8>,
    /// Slot of the newest body.
    tail: Bits<8>,
    /// Slot of the body of `send`.
    cursor: Bits<8>,
    /// Expiries of the timer since the peer gave a sign of life.
    retry: Bits<4>,
    /// NACKs since the last progress.
    refusals: Bits<8>,
    /// What it may do.
    state: SendState,
    /// Slots are being freed.
    freeing: Bit,
    /// `cursor` is not known before they are.
    rewinds: Bit,
}

/// What happens to a connection.
#[packed]
pub enum SendKind {
    /// A new body stands in `slot`. The caller has asked for the window.
    Body,
    /// It is the connection's turn to send.
    Turn,
    /// The peer has `psn` and all before it.
    Ack,
    /// The peer wants `psn` next.
    Nack,
    /// The retransmission timer has run out.
    Expire,
    /// `count` slots are freed, `slot` the last of them.
    Freed,
    /// The connection starts at `psn`, empty.
    Open,
    /// The connection sends nothing more; if it holds nothing it is closed.
    Stop,
}

/// An event of one of 2^`A` connections.
#[packed]
pub struct SendEvent {
    /// What happens.
    kind: SendKind,
    /// Below 2^`A`.
    connection: Bits<12>,
    /// With `Ack`, `Nack` and `Open`.
    psn: Bits<16>,
    /// With `Body` and `Freed`.
    slot: Bits<8>,
    /// With `Freed`.
    count: Bits<9>,
    /// With `Expire`: it does not count, since the peer is of another generation (4.8).
    forgiven: Bit,
}

/// What the retransmission timer of a connection does.
#[packed]
pub enum SendTimer {
    /// It goes on as it is.
    Keeps,
    /// It starts from 0, for RTO times 2^`backoff`.
    Starts,
    /// It stops.
    Stops,
}

/// What an event did.
#[packed]
pub struct SendResult {
    /// What the event was.
    kind: SendKind,
    /// Its connection.
    connection: Bits<12>,
    /// With `Turn`: a body is to be sent, from `slot`, as `psn`.
    sends: Bit,
    /// With `sends`: the body was sent before.
    replays: Bit,
    /// With `sends` and `Body`: PSN of the body; with other events the oldest PSN without acknowledgment.
    psn: Bits<16>,
    /// With `sends`: slot of the body; with `frees`: the first slot to be freed; with `links`: the slot before that of the event.
    slot: Bits<8>,
    /// With `Body`: its slot follows another one.
    links: Bit,
    /// Slots are to be freed, `count` of them along the links; `Freed` says when they are.
    frees: Bit,
    /// How many; with other events those that are not freed yet.
    count: Bits<9>,
    /// The acknowledgment is from before the window: ignored, ACK_STALE.
    stale: Bit,
    /// The acknowledgment is of what was never sent: ignored, ACK_WILD.
    wild: Bit,
    /// The NACK was number NACK_MAX without progress: STUCK.
    stuck: Bit,
    /// The connection has failed: CONN_FAIL.
    fails: Bit,
    /// A body waits for its turn.
    waits: Bit,
    /// A new body is taken: the connection is open, and its window.
    window: Bit,
    /// What the timer does.
    timer: SendTimer,
    /// Of the timer: min(retry, BACKOFF).
    backoff: Bits<4>,
    /// With `Body`: the connection is closed and has not taken it.
    diverts: Bit,
    /// PSN of the next new body, after the event.
    following: Bits<16>,
    /// Bodies from the oldest one without acknowledgment on that were sent once, after the event.
    covered: Bits<9>,
}

/// An entry and an event, subtracted.
#[packed]
pub struct SendDistances {
    /// PSNs from `unacknowledged` to the one that the peer wants next.
    acknowledged: Bits<16>,
    /// Bodies from `unacknowledged` to `next_psn`: no more than there are slots.
    outstanding: Bits<9>,
    /// Of these, those before `send`.
    sent: Bits<9>,
    /// Bits in which `send` and `next_psn` are not alike, of the lowest 9: none if all bodies are sent.
    not_sent: Bits<9>,
    /// PSNs from the one that the peer wants next to `next_psn`.
    remaining: Bits<16>,
    /// One after `next_psn`.
    next_after: Bits<16>,
    /// One after `send`.
    send_after: Bits<16>,
}

/// Distances and states, compared.
#[packed]
pub struct SendCompared {
    /// A new body that is taken.
    body: Bit,
    /// Bodies outstanding below which there is room for one more after the event.
    limit: Bits<9>,
    /// A new body of a closed connection.
    diverts: Bit,
    /// A turn, and the connection may send.
    turn: Bit,
    /// An ACK or NACK inside the window.
    acknowledges: Bit,
    /// It acknowledges bodies.
    progresses: Bit,
    /// It is a NACK of a body that was sent.
    refuses: Bit,
    /// A timer that counts.
    expires: Bit,
    /// It does not count.
    forgiven: Bit,
    /// Slots are free.
    freed: Bit,
    /// The connection starts.
    opens: Bit,
    /// It stops.
    stops: Bit,
    /// The PSN of an ACK or NACK is before the window.
    stale: Bit,
    /// It is after the window.
    wild: Bit,
    /// It acknowledges everything.
    all: Bit,
    /// It acknowledges more than was sent again.
    behind: Bit,
    /// `send` is `next_psn`.
    all_sent: Bit,
    /// Nothing is outstanding.
    empty: Bit,
    /// Nothing is to be freed.
    clean: Bit,
    /// After `Freed` nothing more is to be freed.
    all_freed: Bit,
    /// The body of `send` was sent before.
    replays: Bit,
    /// One more expiry is too many.
    last_retry: Bit,
    /// One more NACK is too many.
    last_refusal: Bit,
    /// One more NACK counts.
    counts_refusal: Bit,
    /// Bodies outstanding after the acknowledgment.
    left: Bits<9>,
    /// `covered` after the acknowledgment.
    covered_left: Bits<9>,
    /// More is acknowledged than was ever sent.
    over: Bit,
    /// `covered` after a body was sent for the first time.
    covered_more: Bits<9>,
    /// `to_free` after the acknowledgment.
    to_free_more: Bits<9>,
    /// `to_free` after `Freed`.
    to_free_left: Bits<9>,
}

/// What is said of an event and known a clock before its result.
#[packed]
pub struct SendKnown {
    /// The window has room for one more body.
    room: Bit,
    /// Bodies are acknowledged.
    progresses: Bit,
    /// The timer starts, if the connection is open.
    starts: Bit,
    /// It stops.
    halts: Bit,
    /// A NACK is number NACK_MAX without progress.
    stuck: Bit,
}

/// What an event amounts to.
#[packed]
pub struct SendJudgement {
    /// Bodies are acknowledged.
    progress: Bit,
    /// A NACK: what it names is sent again.
    nack_back: Bit,
    /// What was to be sent again is acknowledged.
    jump: Bit,
    /// `send` moves to a body that was sent before.
    back: Bit,
    /// The slot of the first body is known: none is to be freed before it.
    first_known: Bit,
    /// A NACK without progress that counts.
    refused: Bit,
    /// The connection fails.
    fails: Bit,
    /// The slots that a connection going back has waited for are free.
    after_freed: Bit,
}
