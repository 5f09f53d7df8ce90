//! Packets into beats.

use super::{packet_crc, PacketRules, Request, RulesError, Word};
use crate::flit::Flit;
use flitforge_protocol::flit::{tail_bad, BadReason, Opcode};
use flitforge_protocol::packet::{body_flits, payload_words, tail, Refusal, BYTES_PER_BODY};

/// What became of a packet offered for sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Refused at the ingress: its words are taken and thrown away.
    Refused(Refusal),
    /// Its beats.
    Beats(Vec<Vec<Flit>>),
}

/// Transmit side of `fab_packet` (chapter 10, 4.9): refusal, composition of beats, packet CRC.
#[derive(Clone, Debug)]
pub struct PacketSender {
    rules: PacketRules,
}

impl PacketSender {
    /// A sender, or the reason why not.
    pub fn new(rules: PacketRules) -> Result<Self, RulesError> {
        rules.check()?;
        Ok(PacketSender { rules })
    }

    /// Words of payload that the source gives with this request: all up to the `last`, but none if it announces no bytes.
    pub fn send(&self, request: &Request, words: &[Word]) -> Result<Sent, RulesError> {
        let size = self.rules.word_bytes();
        if let Some(word) = words.iter().find(|word| word.data.len() != size) {
            return Err(RulesError::Size { what: "bytes", found: word.data.len(), expected: size });
        }
        let head = request.header.encode(request.len)?;
        if let Some(refusal) = self.rules.refusal(&request.header, request.len) {
            return Ok(Sent::Refused(refusal));
        }
        let wanted = payload_words(request.len, self.rules.flits);
        let given = words.iter().position(|word| word.last).map_or(words.len(), |last| last + 1);
        if wanted > 0 && !words.iter().any(|word| word.last) {
            return Err(RulesError::Size {
                what: "words, none of them the last",
                found: given,
                expected: wanted,
            });
        }
        if given < wanted {
            return Ok(Sent::Beats(self.aborted(request, head, &words[..given])));
        }
        let bodies = &self.bodies(&words[..wanted])[..body_flits(request.len)];
        let bodies = padded(bodies, request.len);
        // The last byte announced is the last byte given.
        let expected = request.len - wanted.saturating_sub(1) * size;
        let fits = wanted == 0 || words[wanted - 1].last && words[wanted - 1].bytes == expected;
        let end = if fits {
            good_tail(request, packet_crc(head, &bodies))
        } else {
            bad_tail(request, BadReason::Protocol)
        };
        Ok(Sent::Beats(self.beats([&[head], &bodies[..], &[end]].concat())))
    }

    /// The source gave the packet up: its last flit that no beat was full with is dropped, and the next beat says so.
    fn aborted(&self, request: &Request, head: Flit, words: &[Word]) -> Vec<Vec<Flit>> {
        let mut flits = vec![head];
        flits.extend(self.bodies(words));
        flits.pop();
        flits.push(bad_tail(request, BadReason::Aborted));
        self.beats(flits)
    }

    fn bodies(&self, words: &[Word]) -> Vec<Flit> {
        let flit =
            |bytes: &[u8]| Flit::body(bytes.iter().rev().fold(0, |data, byte| data << 8 | u64::from(*byte)));
        words.iter().flat_map(|word| word.data.chunks(BYTES_PER_BODY).map(flit)).collect()
    }

    fn beats(&self, mut flits: Vec<Flit>) -> Vec<Vec<Flit>> {
        flits.resize(flits.len().next_multiple_of(self.rules.flits), Flit::IDLE);
        flits.chunks(self.rules.flits).map(<[Flit]>::to_vec).collect()
    }
}

/// Bytes after the payload become 0.
fn padded(bodies: &[Flit], len: usize) -> Vec<Flit> {
    let mut bodies = bodies.to_vec();
    if let (Some(last), unused @ 1..) = (bodies.last_mut(), len.next_multiple_of(BYTES_PER_BODY) - len) {
        *last = Flit::body(last.data() & (u64::MAX >> (8 * unused)));
    }
    bodies
}

fn good_tail(request: &Request, pcrc: u32) -> Flit {
    let trailer = tail::tag::FIELD.set(tail::pcrc::FIELD.set(0, pcrc.into()), request.tag.into());
    Flit::tail(tail::len2::FIELD.set(trailer, request.len as u64) as u64)
}

fn bad_tail(request: &Request, reason: BadReason) -> Flit {
    let payload = tail_bad::reason::FIELD.set(0, reason.code().into());
    Flit::control(Opcode::TailBad, tail_bad::vl::FIELD.set(payload, request.header.vl.into()) as u64)
}
