//! The receiver: beats sorted by virtual lane, and what no sender makes.

use super::{VlError, MAX_VLS};
use crate::flit::Flit;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::flit::{head_bad, tail_bad, vl_mrkr, BadReason, FlitKind, Opcode};
use flitforge_protocol::packet::{head, packet_flits, tail};

/// What one beat gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// The lane the packet flits are for; none if there are none.
    pub vl: Option<usize>,
    /// The beat: its packet flits in their slots, Idle elsewhere. A TailBad may stand where an illegal Head came.
    pub flits: Vec<Flit>,
    /// Packet flits tossed, for their lane's credit: (lane, flits).
    pub tossed: Vec<(usize, usize)>,
    /// Stack errors.
    pub errors: usize,
}

/// How far a lane's packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packet {
    /// Flits so far, and the length the head said.
    Open { flits: usize, len: Option<usize> },
    /// Flits are thrown away up to the tail.
    Tossed,
}

/// A lane in the stack; `None` is a lane that is not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    vl: Option<usize>,
    packet: Packet,
}

/// Receiving side of the virtual lanes (chapter 10, 4.9).
#[derive(Clone, Debug)]
pub struct VlReceiver {
    lanes: usize,
    flits: usize,
    group: usize,
    /// First slot of the next beat within its group.
    slot: usize,
    /// The group's packet flits have ended: only Idle and CrdtRet may follow.
    ended: bool,
    stack: Vec<Entry>,
}

impl VlReceiver {
    /// A receiver of NUM_VLS `lanes`, `flits` per beat (F) and `group` per group (AL).
    pub fn new(lanes: usize, flits: usize, group: usize) -> Result<Self, VlError> {
        if !(1..=MAX_VLS).contains(&lanes) {
            return Err(VlError::Lanes { lanes });
        }
        if !FLITS_PER_BEAT.contains(&flits) || !FLITS_PER_BEAT.contains(&group) || flits > group {
            return Err(VlError::Group { flits, group });
        }
        Ok(VlReceiver { lanes, flits, group, slot: 0, ended: false, stack: vec![] })
    }

    /// Lanes with a packet in progress, the current one last; `None` is a lane that is not built.
    #[must_use]
    pub fn stack(&self) -> Vec<Option<usize>> {
        self.stack.iter().map(|entry| entry.vl).collect()
    }

    /// Takes one beat.
    pub fn step(&mut self, beat: &[Flit]) -> Result<Received, VlError> {
        if beat.len() != self.flits {
            return Err(VlError::Group { flits: beat.len(), group: self.group });
        }
        let mut received = Received { flits: vec![Flit::IDLE; self.flits], ..Received::default() };
        for (index, flit) in beat.iter().enumerate() {
            if self.slot == 0 {
                self.ended = false;
            }
            self.flit(*flit, index, &mut received);
            self.slot = (self.slot + 1) % self.group;
        }
        Ok(received)
    }

    fn flit(&mut self, flit: Flit, index: usize, received: &mut Received) {
        match (flit.kind(), flit.opcode()) {
            (FlitKind::Head, _) => {
                let vl = head::vl::FIELD.get(flit.bits()) as usize;
                let len = head::len::FIELD.get(flit.bits()) as usize;
                self.begin(vl, Some(len), flit, index, received);
            }
            (_, Some(Opcode::HeadBad)) => {
                let vl = head_bad::vl::FIELD.get(flit.bits()) as usize;
                self.begin(vl, None, flit, index, received);
            }
            (FlitKind::Body, _) | (_, Some(Opcode::BodyBad)) => self.middle(flit, index, received),
            (FlitKind::Tail, _) | (_, Some(Opcode::TailBad)) => self.end(flit, index, received),
            (_, Some(Opcode::VlMrkr)) => self.marker(flit, received),
            _ => {}
        }
    }

    /// The lane, if it is built.
    fn built(&self, vl: usize) -> Option<usize> {
        (vl < self.lanes).then_some(vl)
    }

    /// Takes a lane out of the stack.
    fn remove(&mut self, vl: Option<usize>) -> Option<Entry> {
        let at = self.stack.iter().position(|entry| entry.vl == vl)?;
        Some(self.stack.remove(at))
    }

    fn begin(&mut self, vl: usize, len: Option<usize>, flit: Flit, index: usize, received: &mut Received) {
        let vl = self.built(vl);
        let before = self.remove(vl);
        let legal = vl.is_some() && before.is_none() && self.slot == 0;
        let packet = if legal { Packet::Open { flits: 1, len } } else { Packet::Tossed };
        self.stack.push(Entry { vl, packet });
        if legal {
            return received.deliver(vl, flit, index);
        }
        received.errors += 1;
        match before {
            // Its slot ends the packet that was open.
            Some(Entry { vl: Some(vl), packet: Packet::Open { .. } }) => {
                received.deliver(Some(vl), tail_of_bad(vl), index);
            }
            _ => received.toss(vl),
        }
    }

    fn middle(&mut self, flit: Flit, index: usize, received: &mut Received) {
        let behind_tail = self.ended;
        match self.stack.last_mut() {
            Some(Entry { vl, packet: Packet::Open { flits, .. } }) if !behind_tail => {
                *flits += 1;
                received.deliver(*vl, flit, index);
            }
            Some(Entry { vl, packet: Packet::Tossed }) if !behind_tail => received.toss(*vl),
            _ => received.errors += 1,
        }
    }

    fn end(&mut self, flit: Flit, index: usize, received: &mut Received) {
        if self.ended {
            received.errors += 1;
            return;
        }
        self.ended = true;
        match self.stack.pop() {
            None => received.errors += 1,
            Some(Entry { vl, packet: Packet::Tossed }) => received.toss(vl),
            Some(Entry { vl: Some(vl), packet: Packet::Open { flits, len } })
                if !fits(flit, flits + 1, len) =>
            {
                received.errors += 1;
                received.deliver(Some(vl), tail_of_bad(vl), index);
            }
            Some(Entry { vl, .. }) => received.deliver(vl, flit, index),
        }
    }

    fn marker(&mut self, flit: Flit, received: &mut Received) {
        let vl = self.built(vl_mrkr::vl::FIELD.get(flit.bits()) as usize);
        let known = self.remove(vl);
        if self.slot != 0 || known.is_none() {
            received.errors += 1;
        }
        self.stack.push(known.unwrap_or(Entry { vl, packet: Packet::Tossed }));
    }
}

/// Whether a tail's length copy and the flits of the packet, the tail included, agree with its head. A bad tail ends any
/// packet; a bad head says no length.
pub(super) fn fits(flit: Flit, flits: usize, len: Option<usize>) -> bool {
    match (flit.kind(), len) {
        (FlitKind::Tail, Some(len)) => {
            tail::len2::FIELD.get(flit.bits()) as usize == len && flits == packet_flits(len)
        }
        _ => true,
    }
}

/// Ends a packet of this lane as bad.
pub(super) fn tail_of_bad(vl: usize) -> Flit {
    let payload = tail_bad::reason::FIELD.set(0, BadReason::Protocol.code().into());
    Flit::control(Opcode::TailBad, tail_bad::vl::FIELD.set(payload, vl as u64) as u64)
}

impl Received {
    fn deliver(&mut self, vl: Option<usize>, flit: Flit, index: usize) {
        self.vl = vl;
        self.flits[index] = flit;
    }

    /// A flit of an unbuilt lane has no credit.
    fn toss(&mut self, vl: Option<usize>) {
        let Some(vl) = vl else { return };
        match self.tossed.iter_mut().find(|(lane, _)| *lane == vl) {
            Some((_, flits)) => *flits += 1,
            None => self.tossed.push((vl, 1)),
        }
    }
}
