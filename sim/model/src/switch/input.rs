//! The input side of a port: one buffer for each virtual lane.

use super::{Shape, SwitchError, SwitchRules};
use crate::control::Control;
use crate::credit::{Codes, CreditError, CreditReceiver};
use crate::flit::Flit;
use crate::vl::VlReceiver;
use flitforge_protocol::flit::{head_bad, BadReason, FlitKind, Opcode};
use flitforge_protocol::packet::head;
use std::collections::VecDeque;

/// A beat of one packet, and what stands beside it.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) flits: Vec<Flit>,
    pub(super) shape: Shape,
    /// The output port that the agent gives with a packet of its own.
    pub(super) output: Option<usize>,
    /// Ends a packet whose link died; it came without credit.
    made_here: bool,
}

/// What becomes of the packet at the front of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    /// Not looked at yet, or no packet.
    Unknown,
    /// Waits for a grant.
    Waiting { port: usize, alt: Option<Alt>, units: u32, clocks: u64 },
    /// Granted; clocks since its last beat went.
    Going { output: usize, stalled: u64 },
    /// Is taken off up to its tail.
    Dropped,
}

/// The other way a packet may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alt {
    pub(super) port: usize,
    /// In place of a port that is down.
    pub(super) stands_in: bool,
    /// In place of a port that cannot grant.
    pub(super) adapts: bool,
}

/// The buffer of one virtual lane.
#[derive(Clone, Debug)]
pub(super) struct LaneBuffer {
    beats: VecDeque<Stored>,
    pub(super) front: Front,
    /// A packet is coming in.
    open: bool,
    /// Flits of the packet at the front that were read, and AU of them that were released.
    read: (usize, u32),
    /// Flits of the packet coming in.
    written: usize,
    /// AU held.
    held: u32,
    unit_flits: usize,
}

impl LaneBuffer {
    fn new(unit_flits: usize) -> Self {
        let beats = VecDeque::new();
        LaneBuffer {
            beats,
            front: Front::Unknown,
            open: false,
            read: (0, 0),
            written: 0,
            held: 0,
            unit_flits,
        }
    }

    /// AU held, those of the packet at the front included.
    pub(super) fn held(&self) -> u32 {
        self.held
    }

    pub(super) fn first(&self) -> Option<&Stored> {
        self.beats.front()
    }

    /// Sets fecn in the head at the front; false if it was set, or there is none.
    pub(super) fn mark(&mut self) -> bool {
        let Some(flit) = self.beats.front_mut().and_then(|stored| stored.flits.first_mut()) else {
            return false;
        };
        let fecn = head::fecn::FIELD;
        if flit.kind() != FlitKind::Head || fecn.get(flit.bits()) == 1 {
            return false;
        }
        *flit = Flit::other(fecn.set(flit.bits(), 1) as u64);
        true
    }

    /// AU that these flits begin.
    fn begun(&self, flits: usize) -> u32 {
        ((self.written + flits).div_ceil(self.unit_flits) - self.written.div_ceil(self.unit_flits)) as u32
    }

    fn push(&mut self, stored: Stored) {
        self.open = !stored.shape.tail;
        if !stored.made_here {
            self.held += self.begun(stored.shape.flits);
            self.written += stored.shape.flits;
        }
        if stored.shape.tail {
            self.written = 0;
        }
        self.beats.push_back(stored);
    }

    /// Takes the first beat out, and the AU that are free with it.
    fn pop(&mut self) -> Option<(Stored, u32)> {
        let stored = self.beats.pop_front()?;
        if !stored.made_here {
            self.read.0 += stored.shape.flits;
        }
        let (flits, before) = self.read;
        let released = match stored.shape.tail {
            true => flits.div_ceil(self.unit_flits),
            false => flits / self.unit_flits,
        } as u32;
        self.read = if stored.shape.tail { (0, 0) } else { (flits, released) };
        self.held -= released - before;
        Some((stored, released - before))
    }
}

/// What a beat at an input brought besides packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// CrdtRet: for the output of the same port.
    pub codes: Option<Codes>,
    /// Stack errors.
    pub errors: usize,
    /// AU that the beat used, of what lane.
    pub units: Option<(usize, u32)>,
    /// A packet on a lane that is not built.
    pub(super) no_lane: bool,
}

/// One input.
#[derive(Clone, Debug)]
pub(super) struct Input {
    rules: SwitchRules,
    receiver: VlReceiver,
    /// Credits of the link; none at the internal port.
    pub(super) credit: Option<CreditReceiver>,
    /// Came without credit: nothing more is stored until the link starts afresh, since what is stored would have a hole.
    overrun: Option<CreditError>,
    pub(super) lanes: Vec<LaneBuffer>,
}

impl Input {
    pub(super) fn new(rules: &SwitchRules, internal: bool) -> Result<Self, SwitchError> {
        let flits = rules.packets.flits;
        let credit = (!internal).then(|| CreditReceiver::new(rules.credits(), flits)).transpose()?;
        let lane = LaneBuffer::new(rules.credits().unit_flits());
        let receiver = VlReceiver::new(rules.packets.lanes, flits, flits)?;
        let lanes = vec![lane; rules.packets.lanes];
        Ok(Input { rules: rules.clone(), receiver, credit, overrun: None, lanes })
    }

    /// A beat of the agent, which knows its lane and output port; false: no room, links know that by their credits.
    pub(super) fn inject(&mut self, vl: usize, beat: &[Flit], output: usize) -> bool {
        let (shape, size) = (Shape::of(beat), self.rules.buffer_units());
        let Some(lane) = self.lanes.get_mut(vl).filter(|lane| lane.held + lane.begun(shape.flits) <= size)
        else {
            return false;
        };
        lane.push(Stored { flits: beat.to_vec(), shape, output: Some(output), made_here: false });
        true
    }

    /// A beat comes in. More than the buffer is an error, and so is every beat after it.
    pub(super) fn arrive(&mut self, beat: &[Flit]) -> Result<Arrived, SwitchError> {
        if let Some(overrun) = &self.overrun {
            return Err(overrun.clone().into());
        }
        let received = self.receiver.step(beat)?;
        let mut arrived = Arrived {
            codes: beat.iter().find_map(codes_of),
            errors: received.errors,
            no_lane: lane_of(beat[0]).is_some_and(|vl| vl >= self.lanes.len()),
            units: None,
        };
        if let Some(vl) = received.vl {
            let shape = Shape::of(&received.flits);
            if let Some(credit) = &mut self.credit {
                let units = credit.arrive(vl, shape.flits, shape.tail);
                self.overrun = units.clone().err();
                arrived.units = Some((vl, units?));
            }
            self.lanes[vl].push(Stored { flits: received.flits, shape, output: None, made_here: false });
        }
        for (vl, flits) in received.tossed {
            if let Some(credit) = &mut self.credit {
                let units = credit.arrive(vl, flits, Shape::of(beat).tail)?;
                credit.release(vl, units)?;
            }
        }
        Ok(arrived)
    }

    /// Takes the first beat of a lane out of its buffer.
    pub(super) fn take(&mut self, vl: usize) -> Result<Option<Stored>, SwitchError> {
        let Some((stored, units)) = self.lanes[vl].pop() else { return Ok(None) };
        if let Some(credit) = &mut self.credit {
            credit.release(vl, units)?;
        }
        Ok(Some(stored))
    }

    /// The link has lost its state: packets that were coming in end here, and credits are given anew for what is free.
    pub(super) fn cut(&mut self) -> Result<(), SwitchError> {
        let flits = self.rules.packets.flits;
        self.receiver = VlReceiver::new(self.lanes.len(), flits, flits)?;
        self.overrun = None;
        for (vl, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.open) {
            let flits = bad_end(vl, BadReason::InputLinkDown, flits);
            let shape = Shape { flits: 1, head: false, tail: true };
            lane.push(Stored { flits, shape, output: None, made_here: true });
        }
        if let Some(credit) = &mut self.credit {
            credit.restart();
        }
        Ok(())
    }
}

/// The beat that ends a packet as bad.
pub(super) fn bad_end(vl: usize, reason: BadReason, flits: usize) -> Vec<Flit> {
    let end = Control::TailBad { reason: reason.code(), vl: vl as u8 };
    let mut beat = vec![Flit::IDLE; flits];
    // A lane below 16 and a reason always fit.
    beat[0] = end.encode().unwrap_or(Flit::IDLE);
    beat
}

/// The lane of a flit that begins a packet.
fn lane_of(flit: Flit) -> Option<usize> {
    match (flit.kind(), flit.opcode()) {
        (FlitKind::Head, _) => Some(head::vl::FIELD.get(flit.bits()) as usize),
        (_, Some(Opcode::HeadBad)) => Some(head_bad::vl::FIELD.get(flit.bits()) as usize),
        _ => None,
    }
}

fn codes_of(flit: &Flit) -> Option<Codes> {
    match (flit.opcode()?, Control::decode(*flit)) {
        (Opcode::CrdtRet, Ok(Control::CrdtRet { codes })) => Some(codes),
        _ => None,
    }
}
