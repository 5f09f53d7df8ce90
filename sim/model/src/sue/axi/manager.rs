//! The manager's side: commands become requests to the SoC, with local tags; B and R become commands (chapter 50, 4.2).

use super::super::command_port::CommandTarget;
use super::super::format::octets::FieldError;
use super::super::format::{Command, Payload};
use super::{
    beats_of, AxiRefusal, AxiRequest, AxiUser, Direction, ReadBeat, ReadResponse, WriteBeat, WriteResponse,
};
use flitforge_protocol::sue::axi::{request, BUS_BYTES, MAX_TRANSFERS, REQUEST_UNITS, RESPONSE_VC, TAGS};
use flitforge_protocol::sue::command::{CommandType, UNIT_BYTES};
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// AW or AR for the SoC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagerRequest {
    /// Its channels.
    pub direction: Direction,
    /// The request; its ID is the tag.
    pub request: AxiRequest,
    /// USER.
    pub user: AxiUser,
    /// W transfers.
    pub beats: Vec<WriteBeat>,
}

/// A command that goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Where it goes.
    pub target: CommandTarget,
    /// The command.
    pub command: Command,
}

/// Why a tag is not the one to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TagRefusal {
    /// No request waits.
    #[error("tag {0} is used, but no request waits")]
    Nothing(u8),
    /// Another {source, ID} has it, or this one with another partition.
    #[error("tag {0} is in use by another source, ID or partition")]
    Taken(u8),
    /// This {source, ID} has another.
    #[error("tag {given}, but {used} is in use by this source and ID")]
    Other {
        /// The tag given.
        given: u8,
        /// The tag in use.
        used: u8,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    source: u16,
    id: u16,
    partition: u16,
}

#[derive(Debug, Clone)]
struct Tag {
    owner: Owner,
    outstanding: usize,
}

/// The manager's side. See the [module](self).
#[derive(Debug, Default)]
pub struct AxiManager {
    waiting: VecDeque<(Owner, ManagerRequest)>,
    tags: BTreeMap<(Direction, u8), Tag>,
    beats: BTreeMap<u8, Vec<ReadBeat>>,
}

impl AxiManager {
    /// A command comes on the virtual channel of requests.
    pub fn command(&mut self, source: u16, partition: u16, command: &Command) -> Result<(), AxiRefusal> {
        let direction = match command.kind {
            CommandType::Read => Direction::Read,
            CommandType::Write | CommandType::WriteStrobes => Direction::Write,
            kind => return Err(AxiRefusal::Kind(kind)),
        };
        let refusal = AxiRefusal::Control(command.control.len());
        if command.control.len() != REQUEST_UNITS * UNIT_BYTES {
            return Err(refusal);
        }
        let request = AxiRequest::decode(&command.control).map_err(|_| refusal)?;
        let (octets, transfers) = (command.data_bytes(), request.transfers());
        let wanted = if direction == Direction::Write { transfers * BUS_BYTES } else { 0 };
        if octets != wanted || transfers > MAX_TRANSFERS {
            return Err(AxiRefusal::Data { octets, transfers });
        }
        let bytes = octets.saturating_sub(1) as u8;
        let user = AxiUser { xpu: source, kind: command.kind.code(), bytes, partition, flush: false };
        let owner = Owner { source, id: request.id, partition };
        let beats = beats_of(&command.payload);
        self.waiting.push_back((owner, ManagerRequest { direction, request, user, beats }));
        Ok(())
    }

    /// The tag that {source, ID} has to use, if it has one.
    fn used(&self, direction: Direction, owner: Owner) -> Option<(u8, Owner)> {
        let same = |tag: &&(Direction, u8), entry: &Tag| {
            tag.0 == direction && (entry.owner.source, entry.owner.id) == (owner.source, owner.id)
        };
        let mut tags = self.tags.iter().filter(|(tag, entry)| same(tag, entry));
        tags.next().map(|((_, tag), entry)| (*tag, entry.owner))
    }

    /// The next request, with the lowest tag that it may use; none if it has to wait.
    #[allow(clippy::should_implement_trait, reason = "not an iterator: what comes next depends on B and R")]
    pub fn next(&mut self) -> Option<ManagerRequest> {
        let (owner, request) = self.waiting.front()?;
        let direction = request.direction;
        let tag = match self.used(direction, *owner) {
            Some((tag, used_by)) if used_by == *owner => tag,
            Some(_) => return None,
            None => (0..TAGS as u8).find(|tag| !self.tags.contains_key(&(direction, *tag)))?,
        };
        self.start(tag).ok()
    }

    /// The next request goes to the SoC with this tag.
    pub fn start(&mut self, tag: u8) -> Result<ManagerRequest, TagRefusal> {
        let (owner, waiting) = self.waiting.front().ok_or(TagRefusal::Nothing(tag))?;
        let (owner, direction) = (*owner, waiting.direction);
        match self.used(direction, owner) {
            Some((used, _)) if used != tag => return Err(TagRefusal::Other { given: tag, used }),
            Some((_, used_by)) if used_by != owner => return Err(TagRefusal::Taken(tag)),
            None if self.tags.contains_key(&(direction, tag)) => return Err(TagRefusal::Taken(tag)),
            _ => {}
        }
        let entry = self.tags.entry((direction, tag)).or_insert(Tag { owner, outstanding: 0 });
        entry.outstanding += 1;
        let (_, mut started) = self.waiting.pop_front().ok_or(TagRefusal::Nothing(tag))?;
        started.request.id = tag.into();
        Ok(started)
    }

    /// Direction of the request that waits first.
    #[must_use]
    pub fn front(&self) -> Option<Direction> {
        self.waiting.front().map(|(_, request)| request.direction)
    }

    /// Requests in use of a tag.
    #[must_use]
    pub fn outstanding(&self, direction: Direction, tag: u8) -> usize {
        self.tags.get(&(direction, tag)).map_or(0, |entry| entry.outstanding)
    }

    /// B comes; none if its tag is not in use.
    pub fn write_response(&mut self, tag: u8, resp: u8) -> Result<Option<Reply>, FieldError> {
        let Some(owner) = self.release(Direction::Write, tag) else { return Ok(None) };
        let control = WriteResponse { id: owner.id, resp, user: 0 }.encode()?;
        let command = Command { kind: CommandType::WriteResponse, control, payload: Payload::None };
        Ok(Some(Reply { target: target_of(owner), command }))
    }

    /// A transfer of R comes; a reply with the last one, none if the tag is not in use.
    pub fn read_beat(&mut self, tag: u8, beat: ReadBeat, last: bool) -> Result<Option<Reply>, FieldError> {
        let beats = self.beats.entry(tag).or_default();
        beats.push(beat);
        if !last {
            return Ok(None);
        }
        let beats = std::mem::take(beats);
        let Some(owner) = self.release(Direction::Read, tag) else { return Ok(None) };
        let mut resps = [0; MAX_TRANSFERS];
        for (resp, beat) in resps.iter_mut().zip(&beats) {
            *resp = beat.resp;
        }
        let control = ReadResponse { id: owner.id, user: 0, resps }.encode()?;
        let data = beats.iter().flat_map(|beat| beat.data).collect();
        let command = Command { kind: CommandType::ReadData, control, payload: Payload::Data(data) };
        Ok(Some(Reply { target: target_of(owner), command }))
    }

    fn release(&mut self, direction: Direction, tag: u8) -> Option<Owner> {
        let entry = self.tags.get_mut(&(direction, tag))?;
        let owner = entry.owner;
        entry.outstanding -= 1;
        if entry.outstanding == 0 {
            self.tags.remove(&(direction, tag));
        }
        Some(owner)
    }
}

fn target_of(owner: Owner) -> CommandTarget {
    CommandTarget { destination: owner.source, vc: RESPONSE_VC, partition: owner.partition }
}

const _: () = assert!(TAGS <= 1 << request::id::WIDTH, "a tag is an ID");
