//! Beats into packets.

use super::{packet_crc, Header, PacketEnd, PacketRules, RulesError, Word};
use crate::flit::Flit;
use flitforge_protocol::flit::{body_bad, head_bad, tail_bad, BadReason, FlitKind, Opcode};
use flitforge_protocol::packet::{body_flits, head, payload_words, tail};

/// What one beat gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedBeat {
    /// A packet begins: its header and length.
    pub header: Option<(Header, usize)>,
    /// Words of payload, in order.
    pub words: Vec<Word>,
    /// A packet ends.
    pub end: Option<PacketEnd>,
    /// Packet flits that belong to no packet were thrown away.
    pub stray: bool,
}

/// What a flit is to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Begin,
    Middle,
    End,
    None,
}

/// A packet in progress.
#[derive(Clone, Debug)]
struct Open {
    head: Flit,
    /// None where the head says no length that could be: the flits are not counted and no payload is given.
    len: Option<usize>,
    bodies: Vec<Flit>,
    beats: usize,
    given: usize,
    bad: Option<u8>,
}

/// Receive side of `fab_packet` (chapter 10, 4.9) for beats of one virtual lane, or of several one packet at a time.
#[derive(Clone, Debug)]
pub struct PacketReceiver {
    rules: PacketRules,
    open: Option<Open>,
}

impl PacketReceiver {
    /// A receiver; of the rules, F and the MTU count.
    pub fn new(rules: PacketRules) -> Result<Self, RulesError> {
        rules.check()?;
        Ok(PacketReceiver { rules, open: None })
    }

    /// Takes one beat.
    pub fn step(&mut self, beat: &[Flit]) -> Result<ReceivedBeat, RulesError> {
        if beat.len() != self.rules.flits {
            return Err(RulesError::Size { what: "flits", found: beat.len(), expected: self.rules.flits });
        }
        let mut received = ReceivedBeat::default();
        let parts: Vec<Part> = beat.iter().map(|flit| part(*flit)).collect();
        if parts.iter().all(|part| *part == Part::None) {
            return Ok(received);
        }
        let mut packet = match (self.open.take(), parts[0]) {
            (Some(open), _) => open,
            (None, Part::Begin) => {
                let (header, len) = header_of(beat[0]);
                received.header = Some((header, len.unwrap_or(0)));
                Open::new(beat[0], len, self.rules.mtu)
            }
            (None, _) => {
                received.stray = true;
                return Ok(received);
            }
        };
        let ended = packet.beat(beat, &parts, received.header.is_some());
        packet.give(ended.is_some(), &self.rules, &mut received.words);
        packet.beats += 1;
        match ended {
            Some(tag) => received.end = Some(PacketEnd { tag, bad: packet.bad }),
            None => self.open = Some(packet),
        }
        Ok(received)
    }
}

impl Open {
    fn new(head: Flit, len: Option<usize>, mtu: usize) -> Self {
        let too_long = len.is_some_and(|len| len > mtu);
        let bad = too_long.then_some(BadReason::Protocol.code());
        Open { head, len: len.filter(|_| !too_long), bodies: vec![], beats: 0, given: 0, bad }
    }

    /// The flits of one beat; the tag if the packet ends with it.
    fn beat(&mut self, beat: &[Flit], parts: &[Part], first: bool) -> Option<u16> {
        if !composition_is_legal(parts, first) {
            return Some(self.broken());
        }
        for (flit, part) in beat.iter().zip(parts) {
            if let Some(reason) = reason_of(*flit) {
                self.bad.get_or_insert(reason);
            }
            match part {
                Part::Middle => self.bodies.push(*flit),
                Part::End => return Some(self.end(*flit)),
                Part::Begin | Part::None => {}
            }
        }
        // All slots were used: is there a beat to come?
        match self.len {
            Some(len) if 1 + self.bodies.len() >= beat.len() * (1 + (1 + body_flits(len)) / beat.len()) => {
                Some(self.broken())
            }
            _ => None,
        }
    }

    fn broken(&mut self) -> u16 {
        self.bad.get_or_insert(BadReason::Protocol.code());
        0
    }

    /// A Tail or TailBad; the tag.
    fn end(&mut self, flit: Flit) -> u16 {
        if flit.kind() != FlitKind::Tail {
            return 0;
        }
        let trailer = flit.bits();
        if let Some(len) = self.len {
            if self.bodies.len() != body_flits(len) || tail::len2::FIELD.get(trailer) as usize != len {
                self.broken();
            }
        }
        if packet_crc(self.head, &self.bodies) != tail::pcrc::FIELD.get(trailer) as u32 {
            self.bad.get_or_insert(BadReason::PacketCrc.code());
        }
        tail::tag::FIELD.get(trailer) as u16
    }

    /// One word per beat after the first, and one more at the end, until all of the announced length are given.
    fn give(&mut self, ended: bool, rules: &PacketRules, words: &mut Vec<Word>) {
        let Some(len) = self.len else { return };
        let all = payload_words(len, rules.flits);
        let until = all.min(self.beats + usize::from(ended));
        for word in self.given..until {
            let flit =
                |index: usize| self.bodies.get(word * rules.flits + index).map_or(0, |body| body.data());
            let data = (0..rules.flits).flat_map(|index| flit(index).to_le_bytes()).collect();
            let bytes = rules.word_bytes().min(len - word * rules.word_bytes());
            words.push(Word { data, bytes, last: word + 1 == all || ended && word + 1 == until });
        }
        self.given = until;
    }
}

/// A beat with packet flits: they stand together from slot 0, fill the beat or reach to the end of the packet, and a head
/// begins a packet in slot 0 and nowhere else.
fn composition_is_legal(parts: &[Part], first: bool) -> bool {
    let used = match parts.iter().position(|part| *part == Part::End) {
        Some(end) => end + 1,
        None => parts.len(),
    };
    let (packet, behind) = parts.split_at(used);
    (packet[0] == Part::Begin) == first
        && packet[1..].iter().all(|part| matches!(part, Part::Middle | Part::End))
        && matches!(packet[0], Part::Begin | Part::Middle | Part::End)
        && behind.iter().all(|part| *part == Part::None)
}

fn part(flit: Flit) -> Part {
    match (flit.kind(), flit.opcode()) {
        (FlitKind::Head, _) | (_, Some(Opcode::HeadBad)) => Part::Begin,
        (FlitKind::Body, _) | (_, Some(Opcode::BodyBad)) => Part::Middle,
        (FlitKind::Tail, _) | (_, Some(Opcode::TailBad)) => Part::End,
        _ => Part::None,
    }
}

/// The reason a bad-packet flit gives.
fn reason_of(flit: Flit) -> Option<u8> {
    let field = match flit.opcode()? {
        Opcode::HeadBad => head_bad::reason::FIELD,
        Opcode::BodyBad => body_bad::reason::FIELD,
        Opcode::TailBad => tail_bad::reason::FIELD,
        _ => return None,
    };
    Some(field.get(flit.bits()) as u8)
}

/// Header and length; a HeadBad says no length and not all fields.
fn header_of(flit: Flit) -> (Header, Option<usize>) {
    match Header::decode(flit) {
        Ok(header) => (header, Some(head::len::FIELD.get(flit.bits()) as usize)),
        Err(_) => {
            let word = flit.bits();
            let header = Header {
                dst: head_bad::dst::FIELD.get(word) as u16,
                src: head_bad::src::FIELD.get(word) as u16,
                vl: head_bad::vl::FIELD.get(word) as u8,
                ptype: head_bad::ptype::FIELD.get(word) as u8,
                ..Header::default()
            };
            (header, None)
        }
    }
}
