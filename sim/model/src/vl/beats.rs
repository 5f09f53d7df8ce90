//! The receiver beat by beat, as a receiver of one beat per clock decides: a beat concerns one lane.
//!
//! Of beats that a sender makes, and of such beats in any order, it makes what [`VlReceiver`](super::VlReceiver) makes of their
//! flits. Beats of another composition are an error of the lane that is on top with them.

use super::receiver::{fits, tail_of_bad};
use super::{VlError, MAX_VLS};
use crate::flit::Flit;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::flit::{head_bad, vl_mrkr, FlitKind, Opcode};
use flitforge_protocol::packet::head;

/// Flits that go to a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneBeat {
    /// The lane.
    pub vl: usize,
    /// The beat: its packet flits in their slots, or a TailBad in their place; Idle elsewhere.
    pub beat: Vec<Flit>,
    /// How many of its slots have packet flits.
    pub flits: usize,
    /// It begins a packet.
    pub opens: bool,
    /// It ends one.
    pub ends: bool,
}

/// Packet flits of a built lane as they came, whatever became of them: what credits are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CameFlits {
    /// Their lane.
    pub vl: usize,
    /// How many, 1 to F; those with an undefined opcode among them.
    pub flits: usize,
    /// A head is the first of them.
    pub opens: bool,
    /// A tail is among them.
    pub ends: bool,
    /// So many of them are thrown away.
    pub tossed: usize,
    /// A TailBad is delivered in place of the first of them.
    pub cut: bool,
}

/// What one beat gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeatReceived {
    /// For the lane's reader.
    pub delivered: Option<LaneBeat>,
    /// For the lane's credit.
    pub came: Option<CameFlits>,
    /// A stack error.
    pub error: bool,
}

/// A packet that is being delivered: flits so far, and the length its head said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    flits: usize,
    len: Option<usize>,
}

/// A lane in the stack (`None`: one that is not built), and its packet (`None`: thrown away up to its tail).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    vl: Option<usize>,
    packet: Option<Open>,
}

/// The lane of a beat, its packet before the beat, and with it.
struct Turn {
    vl: Option<usize>,
    before: Option<Open>,
    after: Option<Open>,
}

/// What a flit is to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head { vl: usize, len: Option<usize> },
    Middle,
    End,
    Marker { vl: usize },
    Other,
}

impl Part {
    fn of(flit: Flit) -> Self {
        let bits = flit.bits();
        match (flit.kind(), flit.opcode()) {
            (FlitKind::Head, _) => Part::Head {
                vl: head::vl::FIELD.get(bits) as usize,
                len: Some(head::len::FIELD.get(bits) as usize),
            },
            (_, Some(Opcode::HeadBad)) => {
                Part::Head { vl: head_bad::vl::FIELD.get(bits) as usize, len: None }
            }
            (FlitKind::Body, _) | (_, Some(Opcode::BodyBad)) => Part::Middle,
            (FlitKind::Tail, _) | (_, Some(Opcode::TailBad)) => Part::End,
            (_, Some(Opcode::VlMrkr)) => Part::Marker { vl: vl_mrkr::vl::FIELD.get(bits) as usize },
            _ => Part::Other,
        }
    }

    fn is_packet(&self) -> bool {
        !matches!(self, Part::Marker { .. } | Part::Other)
    }

    /// Whether it may stand in slot 0 only.
    fn is_first(&self) -> bool {
        matches!(self, Part::Head { .. } | Part::Marker { .. })
    }
}

/// Whether packet flits fill the beat from slot 0 up to the end of their packet, and heads and markers stand in slot 0.
fn is_legal(parts: &[Part]) -> bool {
    let flits = parts.iter().filter(|part| part.is_packet()).count();
    let together = parts[..flits].iter().all(Part::is_packet);
    let full = match parts.iter().position(|part| *part == Part::End) {
        Some(slot) => slot + 1 == flits,
        None => flits == 0 || flits == parts.len(),
    };
    together && full && !parts[1..].iter().any(Part::is_first)
}

/// Receiving side of the virtual lanes, a beat at a time (chapter 10, 4.9).
#[derive(Clone, Debug)]
pub struct VlBeatReceiver {
    lanes: usize,
    flits: usize,
    stack: Vec<Entry>,
}

impl VlBeatReceiver {
    /// A receiver of NUM_VLS `lanes` and beats of `flits`.
    pub fn new(lanes: usize, flits: usize) -> Result<Self, VlError> {
        if !(1..=MAX_VLS).contains(&lanes) {
            return Err(VlError::Lanes { lanes });
        }
        if !FLITS_PER_BEAT.contains(&flits) {
            return Err(VlError::Group { flits, group: flits });
        }
        Ok(VlBeatReceiver { lanes, flits, stack: vec![] })
    }

    /// Lanes with a packet in progress, the current one last; `None` is a lane that is not built.
    #[must_use]
    pub fn stack(&self) -> Vec<Option<usize>> {
        self.stack.iter().map(|entry| entry.vl).collect()
    }

    /// Takes one beat.
    pub fn step(&mut self, beat: &[Flit]) -> Result<BeatReceived, VlError> {
        self.step_with(beat, &vec![false; beat.len()])
    }

    /// Takes one beat, in whose slots `undefined` a flit came that the link has made Idle.
    pub fn step_with(&mut self, beat: &[Flit], undefined: &[bool]) -> Result<BeatReceived, VlError> {
        for len in [beat.len(), undefined.len()] {
            if len != self.flits {
                return Err(VlError::Group { flits: len, group: self.flits });
            }
        }
        let parts: Vec<Part> = beat.iter().map(|flit| Part::of(*flit)).collect();
        let lost = self.lost(&parts, undefined);
        let flits = lost + parts.iter().filter(|part| part.is_packet()).count();
        let legal = lost == 0 && is_legal(&parts);
        let mut received = BeatReceived { error: !legal, ..BeatReceived::default() };
        if flits == 0 && !matches!(parts[0], Part::Marker { .. }) {
            return Ok(received);
        }
        let Some(Turn { vl, before, after }) = self.take(parts[0], flits == 0 || legal, &mut received.error)
        else {
            return Ok(received);
        };
        let ends = parts.contains(&Part::End);
        let after = after.map(|open| Open { flits: open.flits + flits, ..open });
        if let Some(vl) = vl.filter(|_| flits > 0) {
            let opens = matches!(parts[0], Part::Head { .. });
            let cut = after.is_none() && before.is_some();
            let tossed = if after.is_some() { 0 } else { flits - usize::from(cut) };
            received.came = Some(CameFlits { vl, flits, opens, ends, tossed, cut });
            received.delivered = match after {
                Some(open) => Some(deliver(vl, beat, &parts, open, &mut received.error)),
                None => cut.then(|| self.end_of(vl)),
            };
        }
        if !ends {
            self.stack.push(Entry { vl, packet: after });
        }
        Ok(received)
    }

    /// Flits with an undefined opcode that stand where a packet's flits stand: the packet that begins in the beat or is on top of the stack,
    /// with nothing else before them.
    fn lost(&self, parts: &[Part], undefined: &[bool]) -> usize {
        let begins = matches!(parts[0], Part::Head { .. });
        if matches!(parts[0], Part::Marker { .. }) || (self.stack.is_empty() && !begins) {
            return 0;
        }
        let before_end = parts.iter().position(|part| *part == Part::End).unwrap_or(parts.len());
        let together = (0..before_end).take_while(|slot| parts[*slot].is_packet() || undefined[*slot]);
        together.filter(|slot| undefined[*slot]).count()
    }

    /// A beat that ends a packet badly.
    fn end_of(&self, vl: usize) -> LaneBeat {
        let mut beat = vec![Flit::IDLE; self.flits];
        beat[0] = tail_of_bad(vl);
        LaneBeat { vl, beat, flits: 1, opens: false, ends: true }
    }

    /// Takes the lane of a beat off the stack, by the beat's first flit; `None`: there is none. `intact`: what the beat has
    /// may belong to a packet.
    fn take(&mut self, first: Part, intact: bool, error: &mut bool) -> Option<Turn> {
        let (Part::Head { vl, .. } | Part::Marker { vl }) = first else {
            let top = self.stack.pop();
            *error |= top.is_none();
            return top.map(|top| Turn {
                vl: top.vl,
                before: top.packet,
                after: top.packet.filter(|_| intact),
            });
        };
        let vl = (vl < self.lanes).then_some(vl);
        let known = self.stack.iter().position(|entry| entry.vl == vl).map(|at| self.stack.remove(at));
        let before = known.and_then(|entry| entry.packet);
        let after = match first {
            Part::Head { len, .. } => {
                let fresh = known.is_none() && vl.is_some();
                *error |= !fresh;
                (fresh && intact).then_some(Open { flits: 0, len })
            }
            _ => {
                *error |= known.is_none();
                before.filter(|_| intact)
            }
        };
        Some(Turn { vl, before, after })
    }
}

/// The beat for its lane; a tail that does not fit its packet is a TailBad.
fn deliver(vl: usize, beat: &[Flit], parts: &[Part], open: Open, error: &mut bool) -> LaneBeat {
    let part_of = |(flit, part): (&Flit, &Part)| match part {
        Part::Other => Flit::IDLE,
        Part::End if !fits(*flit, open.flits, open.len) => {
            *error = true;
            tail_of_bad(vl)
        }
        _ => *flit,
    };
    LaneBeat {
        vl,
        beat: beat.iter().zip(parts).map(part_of).collect(),
        flits: parts.iter().filter(|part| part.is_packet()).count(),
        opens: matches!(parts[0], Part::Head { .. }),
        ends: parts.contains(&Part::End),
    }
}
