//! Sender and receiver of one XPU as one end of its connections (chapter 50, 4.5 and 4.6).

use super::config::{ConfigError, ReceiverConfig, SenderConfig};
use super::pdu::{Acknowledgment, ConnectionKey, Content, Pdu};
use super::receiver::{BodyCheck, Receiver, Room, Verdict};
use super::sender::{Refused, Sender, SenderEvent};
use super::sequence::Psn;
use flitforge_protocol::sue::class::ClassUse;

/// What a PDU does at the end that receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reception<B, const BITS: u32 = 16> {
    /// What its acknowledgment does.
    pub events: Vec<SenderEvent<B, BITS>>,
    /// What becomes of its body; nothing for an ack-only PDU.
    pub verdict: Option<Verdict>,
    /// The body, if it is delivered.
    pub delivered: Option<B>,
}

/// One end: all its connections on all its ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint<B, const BITS: u32 = 16> {
    xpu: u16,
    vc_turn: u8,
    sender: Sender<B, BITS>,
    receiver: Receiver<BITS>,
}

impl<B: Clone, const BITS: u32> Endpoint<B, BITS> {
    /// The end of XPU number `xpu`, without traffic.
    pub fn new(xpu: u16, sender: SenderConfig, receiver: ReceiverConfig) -> Result<Self, ConfigError> {
        Ok(Endpoint { xpu, vc_turn: 0, sender: Sender::new(sender)?, receiver: Receiver::new(receiver)? })
    }

    /// Its sender.
    #[must_use]
    pub const fn sender(&self) -> &Sender<B, BITS> {
        &self.sender
    }

    /// Its receiver.
    #[must_use]
    pub const fn receiver(&self) -> &Receiver<BITS> {
        &self.receiver
    }

    /// Its sender, for failover.
    pub fn sender_mut(&mut self) -> &mut Sender<B, BITS> {
        &mut self.sender
    }

    /// Its receiver, for failover.
    pub fn receiver_mut(&mut self) -> &mut Receiver<BITS> {
        &mut self.receiver
    }

    /// A new body from the packer.
    pub fn accept(&mut self, key: ConnectionKey, body: B, now: u64) -> Result<Psn<BITS>, Refused<B>> {
        self.sender.accept(key, body, now)
    }

    /// The timers of the sender.
    pub fn expire(&mut self, now: u64) -> Vec<SenderEvent<B, BITS>> {
        self.sender.expire(now)
    }

    /// What this port sends at time `now`; its frame has left at time `leaves`. An acknowledgment that is due goes with
    /// a body of its own connection if there is one, else alone and before other bodies. VCs take turns.
    pub fn transmit(&mut self, port: u8, now: u64, leaves: u64) -> Option<Pdu<B, BITS>> {
        self.transmit_open(port, now, leaves, |_| true)
    }

    /// [`Endpoint::transmit`] of the classes that are neither paused nor short of credit at this port. An acknowledgment
    /// that is due and whose class is not open waits.
    pub fn transmit_open(
        &mut self,
        port: u8,
        now: u64,
        leaves: u64,
        is_open: impl Fn(ClassUse) -> bool,
    ) -> Option<Pdu<B, BITS>> {
        let may_send = |vc: u8| ClassUse::of_vc(vc).is_some_and(&is_open);
        if let Some((key, _)) = self.receiver.next_due(port, now) {
            if may_send(key.vc) && self.sender.next_turn(port, key.vc) == Some(key) {
                return self.transmit_body(key, leaves);
            }
            if is_open(ClassUse::Acknowledgments) {
                let acknowledgment = self.receiver.ack_only(key, now)?;
                let npsn = self.sender.connection(key).map_or(Psn::ZERO, |connection| connection.nxt());
                return Some(self.pdu(key, npsn, acknowledgment, Content::Empty));
            }
        }
        let vcs = self.sender.config().vcs;
        let turns = (0..vcs).map(|step| (self.vc_turn + step) % vcs).filter(|vc| may_send(*vc));
        let key = turns.filter_map(|vc| self.sender.next_turn(port, vc)).next()?;
        self.vc_turn = (key.vc + 1) % vcs;
        self.transmit_body(key, leaves)
    }

    fn transmit_body(&mut self, key: ConnectionKey, leaves: u64) -> Option<Pdu<B, BITS>> {
        let turn = self.sender.send(key, leaves)?;
        let acknowledgment = self.receiver.carry(key);
        Some(self.pdu(key, turn.psn, acknowledgment, Content::Body(turn.body)))
    }

    fn pdu(
        &self,
        key: ConnectionKey,
        npsn: Psn<BITS>,
        acknowledgment: Acknowledgment<BITS>,
        content: Content<B>,
    ) -> Pdu<B, BITS> {
        let (port, source, destination, vc) = (key.port, self.xpu, key.peer, key.vc);
        Pdu { port, source, destination, vc, npsn, acknowledgment, content }
    }

    /// A PDU with a good R-CRC. Its acknowledgment counts whatever becomes of its body.
    pub fn receive(
        &mut self,
        pdu: Pdu<B, BITS>,
        room: Room,
        check: BodyCheck,
        now: u64,
    ) -> Reception<B, BITS> {
        let key = pdu.key_at_receiver();
        let events = self.sender.acknowledge(key, pdu.acknowledgment, now);
        match pdu.content {
            Content::Empty => {
                self.receiver.receive_empty(key, pdu.npsn);
                Reception { events, verdict: None, delivered: None }
            }
            Content::Body(body) => {
                let verdict = self.receiver.receive(key, pdu.npsn, room, check, now);
                let delivered = (verdict == Verdict::Accepted).then_some(body);
                Reception { events, verdict: Some(verdict), delivered }
            }
        }
    }

    /// A PDU with a bad R-CRC.
    pub fn receive_corrupted(&mut self) {
        self.receiver.receive_corrupted();
    }
}
