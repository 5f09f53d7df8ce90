//! What the ends of a connection exchange, and what they count (chapter 50, 3.2, 4.1 rule 4 and 5).

use super::sequence::Psn;

/// One PSN space, as one of its ends sees it (chapter 50, 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionKey {
    /// The port of the SUE instance, 0..3.
    pub port: u8,
    /// The other XPU.
    pub peer: u16,
    /// Virtual channel, 0..3.
    pub vc: u8,
}

/// Fields op and apsn of the reliability header (chapter 50, 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Acknowledgment<const BITS: u32 = 16> {
    /// Nothing was accepted so far.
    None,
    /// The last PSN received in order.
    Ack(Psn<BITS>),
    /// The next PSN expected; everything before it is received.
    Nack(Psn<BITS>),
}

/// What follows the reliability header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content<B> {
    /// An ack-only PDU: consumes no PSN and is never acknowledged.
    Empty,
    /// Packed commands.
    Body(B),
}

/// A PDU without its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pdu<B, const BITS: u32 = 16> {
    /// The port, the same at both ends (chapter 50, 3.5).
    pub port: u8,
    /// The XPU that sends it.
    pub source: u16,
    /// The XPU that it goes to.
    pub destination: u16,
    /// Virtual channel of both PSNs.
    pub vc: u8,
    /// PSN of this PDU; with empty content the next PSN to be used, which is not checked.
    pub npsn: Psn<BITS>,
    /// What it acknowledges.
    pub acknowledgment: Acknowledgment<BITS>,
    /// Its body, or nothing.
    pub content: Content<B>,
}

impl<B, const BITS: u32> Pdu<B, BITS> {
    /// The connection at the end that receives it.
    #[must_use]
    pub const fn key_at_receiver(&self) -> ConnectionKey {
        ConnectionKey { port: self.port, peer: self.source, vc: self.vc }
    }
}

/// What became of a body: status of `cpl` (chapter 50, 4.1 rule 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It arrived at the peer.
    Delivered = 0,
    /// It was not delivered.
    Failed = 1,
    /// A generation step flushed it.
    Flushed = 2,
    /// It was sent, and the peer could not be asked.
    Unknown = 3,
}

/// The counters of go-back-N by their names of chapter 50, 5, in PDUs or events, and after them some of the model's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// BODY_TX: bodies sent for the first time.
    pub body_tx: u64,
    /// BODY_RX: bodies that consumed a PSN, those of PART_VIOL and BODY_BAD included.
    pub body_rx: u64,
    /// REPLAY: bodies sent again.
    pub replay: u64,
    /// RTO_CNT: timers that ran out.
    pub rto_cnt: u64,
    /// ACK_TX: PDUs sent that carry an ACK.
    pub ack_tx: u64,
    /// NACK_TX: PDUs sent that carry a NACK.
    pub nack_tx: u64,
    /// ACK_RX: PDUs received that carry an ACK.
    pub ack_rx: u64,
    /// NACK_RX: PDUs received that carry a NACK.
    pub nack_rx: u64,
    /// ACK_STALE: acknowledgments from before the window.
    pub ack_stale: u64,
    /// ACK_WILD: acknowledgments of what was never sent.
    pub ack_wild: u64,
    /// DUP: bodies received before.
    pub dup: u64,
    /// GAP: bodies dropped because an earlier one is missing, each of them.
    pub gap: u64,
    /// RX_FULL: bodies in order that found no room.
    pub rx_full: u64,
    /// RCRC: PDUs with a bad R-CRC.
    pub rcrc: u64,
    /// PART_VIOL: bodies of a partition that is not in the table.
    pub part_viol: u64,
    /// BODY_BAD: malformed bodies.
    pub body_bad: u64,
    /// FAILOVER: connections whose bodies were handed over after FREEZE_RSP.
    pub failover: u64,
    /// Model only: ack-only PDUs sent.
    pub ack_only_tx: u64,
    /// Model only: ack-only PDUs sent because ACK_TIMER ran out.
    pub ack_only_timer: u64,
    /// Model only: ack-only PDUs received.
    pub ack_only_rx: u64,
    /// Model only: PDUs sent that acknowledge nothing.
    pub none_tx: u64,
    /// Model only: PDUs received that acknowledge nothing.
    pub none_rx: u64,
    /// Model only: bodies dropped by a frozen connection.
    pub frozen: u64,
}

impl Counters {
    /// Counts a PDU received with this acknowledgment.
    pub fn count_received<const BITS: u32>(&mut self, acknowledgment: Acknowledgment<BITS>) {
        *match acknowledgment {
            Acknowledgment::None => &mut self.none_rx,
            Acknowledgment::Ack(_) => &mut self.ack_rx,
            Acknowledgment::Nack(_) => &mut self.nack_rx,
        } += 1;
    }

    /// Counts a PDU sent with this acknowledgment.
    pub fn count_sent<const BITS: u32>(&mut self, acknowledgment: Acknowledgment<BITS>) {
        *match acknowledgment {
            Acknowledgment::None => &mut self.none_tx,
            Acknowledgment::Ack(_) => &mut self.ack_tx,
            Acknowledgment::Nack(_) => &mut self.nack_tx,
        } += 1;
    }
}
