//! One XPU: commands without octets, the packer, and go-back-N.

use super::super::format::network::Framing;
use super::super::format::overhead::{frame_bytes, wire_bytes};
use super::super::{
    BodyCheck, Command, ConnectionKey, Content, Endpoint, Flush, Gate, Packer, PackerConfig, Pdu, QueueKey,
    ReceiverConfig, Refusal, Room, SenderConfig, SenderEvent,
};
use super::traffic::Traffic;
use super::{IncastError, IncastParameters, Pattern, CLOCK_NS};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::MIN_FRAME_BYTES;

/// Header format of all frames.
pub const FRAMING: Framing = Framing::AfhGen2;
/// Header and control octets of a command.
pub const COMMAND_OVERHEAD: u32 = 16;

/// Packed commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body {
    /// Number of the first one for this destination and VC.
    first: u64,
    commands: u32,
    bytes: u32,
}

/// A frame on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    pub pdu: Pdu<Body>,
    pub class: ClassUse,
    /// Octets with FCS.
    pub bytes: usize,
    /// Octets of the line.
    pub wire: u64,
}

impl Frame {
    fn new(pdu: Pdu<Body>) -> Self {
        let (class, body) = match pdu.content {
            Content::Body(body) => (ClassUse::of_vc(pdu.vc).unwrap_or(ClassUse::Requests), body.bytes),
            Content::Empty => (ClassUse::Acknowledgments, 0),
        };
        let (bytes, wire) = octets(body);
        Frame { pdu, class, bytes, wire }
    }
}

/// Octets of a frame with FCS, and of the line.
pub fn octets(body: u32) -> (usize, u64) {
    let body = body as usize;
    let bytes = frame_bytes(FRAMING, body, MIN_FRAME_BYTES) + CRC_BYTES;
    (bytes, wire_bytes(FRAMING, body, MIN_FRAME_BYTES) as u64)
}

/// One XPU.
#[derive(Debug)]
pub struct Xpu {
    number: u16,
    endpoint: Endpoint<Body>,
    packer: Packer,
    traffic: Traffic,
    bytes: u32,
    vcs: u8,
    pool: usize,
    pattern: Pattern,
    waiting: usize,
    /// Next number for each destination and VC, and the one expected of each source and VC.
    sent: Vec<u64>,
    expected: Vec<u64>,
    /// Bodies that have not been sent yet, by port and VC: one at most.
    unsent: Vec<[u32; 4]>,
    /// Commands offered, and those acknowledged.
    pub offered: u64,
    pub completed: u64,
    /// When ACK_TIMER is looked at next.
    pub wakes: Option<u64>,
}

impl Xpu {
    pub fn new(
        number: u16,
        ports: usize,
        parameters: &IncastParameters,
        partner: u16,
        seed: u64,
    ) -> Result<Self, IncastError> {
        let sender = SenderConfig {
            window: parameters.window,
            slots: parameters.slots,
            vcs: parameters.vcs,
            rto: parameters.octets(parameters.rto),
            ..SenderConfig::default()
        };
        let default = ReceiverConfig::default();
        let receiver =
            ReceiverConfig { ack_timer: parameters.octets(default.ack_timer * CLOCK_NS), ..default };
        let packer = PackerConfig {
            pack_max: parameters.pack_max,
            weights: vec![1; parameters.vcs.into()],
            peers: parameters.xpus,
        };
        let flows = usize::from(parameters.xpus) * usize::from(parameters.vcs);
        Ok(Xpu {
            number,
            endpoint: Endpoint::new(number, sender, receiver)?,
            packer: Packer::new(packer)?,
            traffic: Traffic::new(number, parameters, partner, seed),
            bytes: COMMAND_OVERHEAD + parameters.data.next_multiple_of(2),
            vcs: parameters.vcs,
            pool: parameters.pool,
            pattern: parameters.pattern,
            waiting: 0,
            sent: vec![0; flows],
            expected: vec![0; flows],
            unsent: vec![[0; 4]; ports],
            offered: 0,
            completed: 0,
            wakes: None,
        })
    }

    pub const fn endpoint(&self) -> &Endpoint<Body> {
        &self.endpoint
    }

    pub const fn packer(&self) -> &Packer {
        &self.packer
    }

    pub fn sends(&self) -> bool {
        self.traffic.sends()
    }

    fn flow(&self, xpu: u16, vc: u8) -> usize {
        usize::from(xpu) * usize::from(self.vcs) + usize::from(vc)
    }

    /// Commands until the packer holds as many as it may.
    fn refill(&mut self) -> Result<(), IncastError> {
        while self.waiting < self.pool && self.traffic.sends() {
            let (destination, vc) = self.traffic.next();
            let flow = self.flow(destination, vc);
            let id = self.sent[flow];
            self.sent[flow] += 1;
            let bytes = self.bytes;
            self.packer.arrive(Command { destination, vc, partition: 1, bytes, flush: Flush::No, id })?;
            self.waiting += 1;
            self.offered += 1;
        }
        Ok(())
    }

    /// One body for the sender, if a queue is eligible at this port.
    fn pack(&mut self, port: u8, now: u64, is_open: impl Fn(ClassUse) -> bool) {
        let (sender, own, pattern) = (self.endpoint.sender(), self.number, self.pattern);
        let unsent = self.unsent[usize::from(port)];
        let gate = |queue: QueueKey, _| {
            let other = strict_map(pattern, own, queue.destination);
            if other != port {
                return Gate::ClassBlocked { port: other };
            }
            let is_open = ClassUse::of_vc(queue.vc).is_some_and(&is_open);
            if !is_open || unsent[usize::from(queue.vc)] > 0 {
                return Gate::ClassBlocked { port };
            }
            match sender.may_accept(ConnectionKey { port, peer: queue.destination, vc: queue.vc }, now) {
                Ok(()) => Gate::Open { port },
                Err(Refusal::NoSlot) => Gate::NoSlot,
                Err(_) => Gate::WindowClosed,
            }
        };
        let Some(packed) = self.packer.build(gate) else { return };
        let commands = packed.commands.len();
        self.waiting -= commands;
        let first = packed.commands.first().map_or(0, |command| command.id);
        let key = ConnectionKey { port, peer: packed.queue.destination, vc: packed.queue.vc };
        let body = Body { first, commands: commands as u32, bytes: packed.bytes };
        // the gate has asked: it is taken
        let taken = self.endpoint.accept(key, body, now).is_ok();
        debug_assert!(taken);
        self.unsent[usize::from(port)][usize::from(key.vc)] += 1;
    }

    /// The frame that leaves a free port now.
    pub fn transmit(
        &mut self,
        port: u8,
        now: u64,
        offers: bool,
        is_open: impl Fn(ClassUse) -> bool,
    ) -> Result<Option<Frame>, IncastError> {
        if offers {
            self.refill()?;
        }
        self.pack(port, now, &is_open);
        let before = self.endpoint.sender().counters().body_tx;
        let Some(pdu) = self.endpoint.transmit_open(port, now, now, is_open) else { return Ok(None) };
        let is_first = self.endpoint.sender().counters().body_tx > before;
        self.unsent[usize::from(port)][usize::from(pdu.vc)] -= u32::from(is_first);
        Ok(Some(Frame::new(pdu)))
    }

    /// A frame is there: how many commands it delivers.
    pub fn receive(&mut self, pdu: Pdu<Body>, now: u64) -> Result<u32, IncastError> {
        let reception = self.endpoint.receive(pdu, Room::Free, BodyCheck::Good, now);
        self.take(reception.events)?;
        let Some(body) = reception.delivered else { return Ok(0) };
        let flow = self.flow(pdu.source, pdu.vc);
        let expected = self.expected[flow];
        if body.first != expected {
            let (source_xpu, destination, vc, found) = (pdu.source, self.number, pdu.vc, body.first);
            return Err(IncastError::Order { source_xpu, destination, vc, expected, found });
        }
        self.expected[flow] += u64::from(body.commands);
        Ok(body.commands)
    }

    /// The timers of the sender.
    pub fn expire(&mut self, now: u64) -> Result<(), IncastError> {
        let events = self.endpoint.expire(now);
        self.take(events)
    }

    fn take(&mut self, events: Vec<SenderEvent<Body>>) -> Result<(), IncastError> {
        for event in events {
            match event {
                SenderEvent::Completed { key, body, .. } => {
                    self.completed += u64::from(body.commands);
                    self.packer.window_opened(QueueKey { destination: key.peer, vc: key.vc });
                }
                SenderEvent::ConnectionFailed { key, .. } => {
                    return Err(IncastError::Failed { source_xpu: self.number, peer: key.peer, vc: key.vc })
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// STRICT_MAP: in the mesh, port p joins XPU x to x ^ (p + 1), so that a link has one number at both ends.
pub const fn strict_map(pattern: Pattern, own: u16, destination: u16) -> u8 {
    match pattern {
        Pattern::Mesh => ((own ^ destination) - 1) as u8,
        _ => 0,
    }
}
