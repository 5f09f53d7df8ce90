//! What is kept of a connection, what happens to it, and what is said of it.

use flitforge_hdl_prim::prelude::*;

/// Bits of an entry.
pub const ENTRY_BITS: usize = 53;

/// State of a connection at its receiver (chapter 50, 4.6).
#[packed]
pub struct ReceiveEntry {
    /// PSN expected next.
    expected: Bits<16>,
    /// PSN of the last PDU that was dropped after a gap.
    last: Bits<16>,
    /// PDUs accepted since an acknowledgment was taken; it stays at 255.
    unacknowledged: Bits<8>,
    /// Which arming of the acknowledgment timer counts.
    timer: Bits<8>,
    /// A PDU is missing.
    gap: Bit,
    /// Nothing is accepted until the connection is opened.
    frozen: Bit,
    /// A PDU was accepted once.
    accepted: Bit,
    /// An ACK is to be sent.
    ack_due: Bit,
    /// A NACK is to be sent.
    nack_due: Bit,
}

/// What happens to a connection.
#[packed]
pub enum ReceiveKind {
    /// A PDU with a body has come.
    Pdu,
    /// A PDU is about to be sent on the connection and takes the acknowledgment with it.
    Take,
    /// The acknowledgment timer has run out.
    Expire,
    /// The connection is opened or frozen.
    Change,
}

/// With [`ReceiveKind::Change`]: to what.
#[packed]
pub enum ReceiveChange {
    /// The connection starts at `psn`.
    Open,
    /// The connection accepts nothing more.
    Freeze,
}

/// An event of one of 2^`A` connections.
#[packed]
pub struct ReceiveEvent {
    /// What happens.
    kind: ReceiveKind,
    /// With `Change`: to what.
    change: ReceiveChange,
    /// Below 2^`A`.
    connection: Bits<12>,
    /// PSN of the PDU, or to start from.
    psn: Bits<16>,
    /// Which arming of the timer has run out.
    timer: Bits<8>,
    /// The receive buffer has room for the PDU.
    room: Bit,
}

/// What becomes of a PDU.
#[packed]
pub enum ReceiveVerdict {
    /// The event was no PDU.
    NoPdu,
    /// Its body is to be committed.
    Accept,
    /// It was expected and had no room: dropped.
    NoRoom,
    /// One before it is missing: dropped.
    Gap,
    /// It was accepted before: dropped.
    Duplicate,
    /// The connection is frozen: dropped.
    Frozen,
}

/// What a PDU to the peer carries.
#[packed]
pub enum AcknowledgmentKind {
    /// Nothing was accepted yet.
    None,
    /// The last PSN in order.
    Ack,
    /// The PSN expected next.
    Nack,
}

/// What an event did.
#[packed]
pub struct ReceiveResult {
    /// What the event was.
    kind: ReceiveKind,
    /// Below 2^`A`.
    connection: Bits<12>,
    /// What becomes of the PDU.
    verdict: ReceiveVerdict,
    /// With `Take`: what to send.
    acknowledgment: AcknowledgmentKind,
    /// An acknowledgment was due before the event.
    was_due: Bit,
    /// PSN of what is sent; with other events the PSN expected next, after the event.
    psn: Bits<16>,
    /// An acknowledgment is due that was not before.
    becomes_due: Bit,
    /// The acknowledgment timer is to be armed, as `timer`.
    arm: Bit,
    /// The number of the arming.
    timer: Bits<8>,
    /// The connection was frozen before the event.
    was_frozen: Bit,
}

/// Bits in which the PSN of an event and those of its entry are not alike.
#[packed]
pub struct Apart {
    /// Of the PSN expected.
    expected: Bits<16>,
    /// Of the last one dropped in a gap.
    last: Bits<16>,
}

/// An entry and an event, compared.
#[packed]
pub struct Compared {
    /// The event is a PDU, and the connection is not frozen.
    drops: Bit,
    /// The same, and there is room.
    accepts: Bit,
    /// An acknowledgment is taken.
    takes: Bit,
    /// The timer that counts has run out, and something waits.
    expires: Bit,
    /// The connection is to be opened.
    opens: Bit,
    /// The connection is to be frozen.
    freezes: Bit,
    /// The PSN is the one expected.
    at_expected: Bit,
    /// The PSN is the one expected or after it.
    ahead: Bit,
    /// The PSN is after the last one dropped.
    after_last: Bit,
    /// Nothing waits for an acknowledgment.
    all_acknowledged: Bit,
    /// One PDU more makes an acknowledgment due.
    reached: Bit,
    /// What is expected if the PDU is accepted, or the connection opened.
    expected_next: Bits<16>,
    /// One before what is expected.
    expected_before: Bits<16>,
    /// One more PDU waits, at most 255.
    unacknowledged_next: Bits<8>,
    /// The number of the next arming.
    timer_next: Bits<8>,
}
