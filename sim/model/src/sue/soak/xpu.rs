//! One XPU: commands, packer, go-back-N and frames.

use super::super::format::body::{walk, BodyRules};
use super::super::format::command::Command as Octets;
use super::super::format::frame::{open, FcsCover};
use super::super::format::network::{Fid, Network, NetworkConfig, Route};
use super::super::format::reliability::{Pdu as WirePdu, ReliabilityHeader};
use super::super::format::type_table::TypeTable;
use super::super::format::DropCounter;
use super::super::{
    Acknowledgment, BodyCheck, Command, ConnectionKey, Content, Endpoint, Gate, Packer, PackerConfig, Pdu,
    Psn, ReceiverConfig, Refusal, Room, SenderConfig, SenderEvent, Verdict,
};
use super::traffic::{Offered, Traffic};
use super::{SoakError, SoakParameters};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_protocol::sue::MIN_FRAME_BYTES;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Port of all frames.
const PORT: u8 = 0;
/// Commands of one queue that may wait.
const WAITING: usize = 12;

/// Frames by what became of them at their receiver.
pub type Fates = BTreeMap<String, u64>;

/// Packed commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    octets: Vec<u8>,
    partition: u16,
}

/// One XPU with one port.
#[derive(Debug)]
pub struct Xpu {
    number: u16,
    endpoint: Endpoint<Body>,
    packer: Packer,
    network: Network,
    rules: BodyRules,
    types: TypeTable,
    /// Commands in the packer, by number.
    waiting: BTreeMap<u64, Octets>,
    /// Commands in each queue of the packer.
    queued: BTreeMap<(u16, u8), usize>,
    next_id: u64,
    traffic: Traffic,
    /// Bodies of each {destination, VC}.
    bodies: BTreeMap<(u16, u8), u64>,
    /// When the port is free again.
    free_at: u64,
    /// Its receive buffer has no room until then.
    stalled_until: u64,
    /// Bodies that were completed.
    pub completed: u64,
    /// What became of frames that came.
    pub fates: Fates,
    /// Frames sent.
    pub frames: u64,
    random: ChaCha8Rng,
}

impl Xpu {
    /// XPU `number`.
    pub fn new(number: u16, parameters: &SoakParameters, random: ChaCha8Rng) -> Result<Self, SoakError> {
        let (framing, types) = (parameters.framing, TypeTable::default());
        let sender =
            SenderConfig { window: parameters.window, rto: parameters.rto, ..SenderConfig::default() };
        let packer = PackerConfig { peers: parameters.xpus, ..PackerConfig::default() };
        let pack_max = packer.pack_max as usize;
        Ok(Xpu {
            number,
            endpoint: Endpoint::new(number, sender, ReceiverConfig::default())?,
            packer: Packer::new(packer)?,
            network: Network::new(NetworkConfig::new(framing, Fid { xpu: number, port: PORT }))?,
            rules: BodyRules::new(types, pack_max, MIN_FRAME_BYTES, framing)?,
            types,
            waiting: BTreeMap::new(),
            queued: BTreeMap::new(),
            next_id: 0,
            traffic: Traffic::new(number),
            bodies: BTreeMap::new(),
            free_at: 0,
            stalled_until: 0,
            completed: 0,
            fates: Fates::new(),
            frames: 0,
            random,
        })
    }

    /// Its sender and receiver.
    pub const fn endpoint(&self) -> &Endpoint<Body> {
        &self.endpoint
    }

    /// Commands handed over so far.
    pub fn offered(&self) -> u64 {
        self.next_id
    }

    /// Commands delivered.
    pub const fn delivered(&self) -> u64 {
        self.traffic.delivered()
    }

    /// Most bodies that one of its connections took.
    pub fn most_bodies(&self) -> u64 {
        self.bodies.values().copied().max().unwrap_or(0)
    }

    /// No command and no body waits here.
    pub fn is_idle(&self) -> bool {
        self.packer.is_empty() && self.endpoint.sender().next_expiry().is_none()
    }

    /// One more command for a random queue with room.
    pub fn offer(&mut self, parameters: &SoakParameters) -> Result<(), SoakError> {
        let queued = |to, vc| self.queued.get(&(to, vc)).copied().unwrap_or(0);
        let has_room = |to, vc| queued(to, vc) < WAITING;
        let Some(offered) = self.traffic.offer(parameters, &mut self.random, has_room) else { return Ok(()) };
        let Offered { destination, vc, flush, command } = offered;
        *self.queued.entry((destination, vc)).or_default() += 1;
        let id = self.next_id;
        self.packer.arrive(Command {
            destination,
            vc,
            partition: 1,
            bytes: command.bytes() as u32,
            flush,
            id,
        })?;
        self.waiting.insert(id, command);
        self.next_id += 1;
        Ok(())
    }

    /// The frame that leaves at `clock`, with its destination and VC, if the port is free and something is to be sent.
    pub fn transmit(&mut self, clock: u64) -> Result<Option<(u16, u8, Vec<u8>)>, SoakError> {
        if clock < self.free_at {
            return Ok(None);
        }
        self.pack(clock)?;
        for event in self.endpoint.expire(clock) {
            self.complete(&event)?;
        }
        let Some(pdu) = self.endpoint.transmit(PORT, clock, clock) else { return Ok(None) };
        let (destination, vc) = (pdu.destination, pdu.vc);
        let class = match pdu.content {
            Content::Body(_) => ClassUse::of_vc(vc).unwrap_or(ClassUse::Requests),
            Content::Empty => ClassUse::Acknowledgments,
        };
        let octets = self.wire_pdu(pdu).encode()?;
        let frame = self.network.encapsulate(Route { peer: destination, vc, class }, &octets)?;
        // preamble, FCS and gap take 24 octets; a word of 8 per clock
        self.free_at = clock + (frame.len() as u64 + 24).div_ceil(8);
        self.frames += 1;
        Ok(Some((destination, vc, frame)))
    }

    /// Bodies from the packer to the sender, as far as windows and slots go.
    fn pack(&mut self, clock: u64) -> Result<(), SoakError> {
        let sender = self.endpoint.sender();
        let gate = |queue: super::super::QueueKey, _| {
            let key = ConnectionKey { port: PORT, peer: queue.destination, vc: queue.vc };
            match sender.may_accept(key, clock) {
                Ok(()) => Gate::Open { port: PORT },
                Err(Refusal::NoSlot) => Gate::NoSlot,
                Err(_) => Gate::WindowClosed,
            }
        };
        let Some(packed) = self.packer.build(gate) else { return Ok(()) };
        let commands: Vec<Octets> =
            packed.commands.iter().filter_map(|command| self.waiting.remove(&command.id)).collect();
        let (peer, vc) = (packed.queue.destination, packed.queue.vc);
        if let Some(queued) = self.queued.get_mut(&(peer, vc)) {
            *queued -= commands.len();
        }
        let body = Body { octets: self.rules.build(&commands)?, partition: packed.partition };
        *self.bodies.entry((peer, vc)).or_default() += 1;
        let key = ConnectionKey { port: PORT, peer, vc };
        self.endpoint
            .accept(key, body, clock)
            .map_err(|refused| SoakError::Refused { reason: refused.reason })?;
        Ok(())
    }

    fn wire_pdu(&self, pdu: Pdu<Body>) -> WirePdu {
        let (operation, acknowledged) = match pdu.acknowledgment {
            Acknowledgment::None => (Operation::None, 0),
            Acknowledgment::Ack(psn) => (Operation::Ack, psn.value()),
            Acknowledgment::Nack(psn) => (Operation::Nack, psn.value()),
        };
        let (body, partition) = match pdu.content {
            Content::Body(body) => (body.octets, body.partition),
            Content::Empty => (self.rules.ack_only(), 1),
        };
        let (source, psn, vc) = (self.number, pdu.npsn.value(), pdu.vc);
        WirePdu { header: ReliabilityHeader { operation, source, psn, vc, partition, acknowledged }, body }
    }

    /// A frame has come; false if it was dropped before its PDU was known.
    pub fn receive(
        &mut self,
        octets: &[u8],
        clock: u64,
        parameters: &SoakParameters,
    ) -> Result<bool, SoakError> {
        let pdu = match self.unwrap(octets) {
            Ok(pdu) => pdu,
            Err(fate) => {
                *self.fates.entry(fate.into()).or_default() += 1;
                return Ok(false);
            }
        };
        let header = pdu.header;
        let acknowledgment = match header.operation {
            Operation::Ack => Acknowledgment::Ack(Psn::new(header.acknowledged)),
            Operation::Nack => Acknowledgment::Nack(Psn::new(header.acknowledged)),
            _ => Acknowledgment::None,
        };
        let content = if pdu.is_ack_only() {
            Content::Empty
        } else {
            Content::Body(Body { octets: pdu.body, partition: header.partition })
        };
        let room = self.room(clock, parameters);
        let (npsn, source, vc) = (Psn::new(header.psn), header.source, header.vc);
        let pdu = Pdu { port: PORT, source, destination: self.number, vc, npsn, acknowledgment, content };
        let reception = self.endpoint.receive(pdu, room, BodyCheck::Good, clock);
        let fate = match reception.verdict {
            None => "ack-only",
            Some(Verdict::Accepted) => "accepted",
            Some(Verdict::RxFull) => "RX_FULL",
            Some(Verdict::Gap(_)) => "GAP",
            Some(Verdict::Duplicate) => "DUP",
            Some(_) => "other",
        };
        *self.fates.entry(fate.into()).or_default() += 1;
        for event in reception.events {
            self.complete(&event)?;
        }
        if let Some(body) = reception.delivered {
            self.deliver(&body, source, vc)?;
        }
        Ok(true)
    }

    /// FCS, network header, R-CRC and their agreement; the counter of what is dropped.
    fn unwrap(&self, octets: &[u8]) -> Result<WirePdu, &'static str> {
        let frame = open(octets, FcsCover::Frame).map_err(|_| "FCS")?;
        let name = DropCounter::name;
        let received = self.network.decapsulate(frame).map_err(|refusal| name(refusal.counter()))?;
        let pdu = WirePdu::decode(received.pdu).map_err(|error| name(error.counter()))?;
        received.check_source(&pdu.header).map_err(|refusal| name(refusal.counter()))?;
        Ok(pdu)
    }

    /// The receive buffer stalls now and then, for as long as some frames take.
    fn room(&mut self, clock: u64, parameters: &SoakParameters) -> Room {
        if parameters.stalls > 0 && self.random.random_range(0..1_000_000) < parameters.stalls {
            self.stalled_until = clock + self.random.random_range(1..1_000);
        }
        if clock < self.stalled_until {
            Room::Full
        } else {
            Room::Free
        }
    }

    fn complete(&mut self, event: &SenderEvent<Body>) -> Result<(), SoakError> {
        match event {
            SenderEvent::Completed { key, .. } => {
                self.completed += 1;
                let queue = super::super::QueueKey { destination: key.peer, vc: key.vc };
                self.packer.window_opened(queue);
                Ok(())
            }
            SenderEvent::ConnectionFailed { key, .. } => {
                Err(SoakError::Failed { source_xpu: self.number, peer: key.peer, vc: key.vc })
            }
            _ => Ok(()),
        }
    }

    /// Every command of the body is the next one of its source and VC.
    fn deliver(&mut self, body: &Body, source: u16, vc: u8) -> Result<(), SoakError> {
        let walked = walk(&body.octets, &self.types)?;
        walked.commands.into_iter().try_for_each(|command| self.traffic.deliver(source, vc, command))
    }
}
