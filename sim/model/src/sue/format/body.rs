//! Bodies (chapter 50, 3.1, 3.3 and 4.6 rule 5): whole commands one after the other, then END and zeros.

use super::command::{Command, CommandError};
use super::network::{Framing, Transport};
use super::type_table::TypeTable;
use super::DropCounter;
use flitforge_protocol::sue::command::{HEADER_BYTES, MAX_COMMAND_BYTES, UNIT_BYTES};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::{reliability, MAX_BODY_BYTES, MAX_LITE_BODY_BYTES, MIN_FRAME_RANGE};
use thiserror::Error;

/// Why a body is malformed, or cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BodyError {
    /// A command is wrong; nothing of the body is delivered.
    #[error("body, octet {at}: {source}")]
    Command {
        /// Octet at which the command starts.
        at: usize,
        /// What is wrong.
        source: CommandError,
    },
    /// Commands and END have even lengths.
    #[error("body of {bytes} octets: commands and END have even lengths")]
    Odd {
        /// Octets of the body.
        bytes: usize,
    },
    /// Something follows END.
    #[error("body, octet {at}: only zeros may follow END; found {found:#04x}")]
    AfterEnd {
        /// The octet's place.
        at: usize,
        /// The octet.
        found: u8,
    },
    /// More commands than a body takes.
    #[error("body of {bytes} octets: at most {limit} (PACK_MAX) fit; pack fewer commands")]
    TooLong {
        /// Octets of all commands.
        bytes: usize,
        /// PACK_MAX.
        limit: usize,
    },
    /// No commands: the packer never builds an empty body.
    #[error("body without commands: an empty body is an acknowledgment; build that as such")]
    Empty,
    /// A PACK_MAX out of range.
    #[error("PACK_MAX of {limit}: has to be {MAX_COMMAND_BYTES} (CMD_MAX) to {largest}")]
    Limit {
        /// Value given.
        limit: usize,
        /// Largest value of the transport.
        largest: usize,
    },
    /// A MINF out of range.
    #[error("MINF of {bytes}: has to be {} to {} octets without FCS", MIN_FRAME_RANGE.0, MIN_FRAME_RANGE.1)]
    MinFrame {
        /// Value given.
        bytes: usize,
    },
}

impl BodyError {
    /// The counter of a malformed body.
    #[must_use]
    pub const fn counter(&self) -> DropCounter {
        DropCounter::BodyBad
    }
}

/// What a well-formed body holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walked {
    /// The commands to be delivered, in order.
    pub commands: Vec<Command>,
    /// NOPs, which are not delivered.
    pub nops: usize,
    /// Octets of the commands, without END and what follows.
    pub used: usize,
}

/// Takes a whole body apart. An error means that nothing of it is delivered.
pub fn walk(body: &[u8], types: &TypeTable) -> Result<Walked, BodyError> {
    if body.len() % UNIT_BYTES != 0 {
        return Err(BodyError::Odd { bytes: body.len() });
    }
    let mut walked = Walked::default();
    while let Some(rest) = body.get(walked.used..).filter(|rest| !rest.is_empty()) {
        if rest.get(..HEADER_BYTES).is_some_and(|header| header.iter().all(|octet| *octet == 0)) {
            return match rest.iter().position(|octet| *octet != 0) {
                Some(place) => Err(BodyError::AfterEnd { at: walked.used + place, found: rest[place] }),
                None => Ok(walked),
            };
        }
        let at = walked.used;
        let (command, bytes) =
            Command::decode(rest, types).map_err(|source| BodyError::Command { at, source })?;
        walked.used += bytes;
        if command.is_nop() {
            walked.nops += 1;
        } else {
            walked.commands.push(command);
        }
    }
    Ok(walked)
}

/// What a sender keeps to when it builds bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyRules {
    types: TypeTable,
    limit: usize,
    minimum: usize,
}

impl BodyRules {
    /// Rules for bodies in this framing: at most `limit` octets (PACK_MAX), and zeros up to a frame of `min_frame` octets
    /// without FCS (MINF).
    pub fn new(
        types: TypeTable,
        limit: usize,
        min_frame: usize,
        framing: Framing,
    ) -> Result<Self, BodyError> {
        let largest = match framing.transport() {
            Transport::Reliable => MAX_BODY_BYTES,
            Transport::Lite => MAX_LITE_BODY_BYTES,
        };
        if !(MAX_COMMAND_BYTES..=largest).contains(&limit) {
            return Err(BodyError::Limit { limit, largest });
        }
        if !(MIN_FRAME_RANGE.0..=MIN_FRAME_RANGE.1).contains(&min_frame) {
            return Err(BodyError::MinFrame { bytes: min_frame });
        }
        Ok(BodyRules { types, limit, minimum: minimum_body(min_frame, framing) })
    }

    /// A body of these commands.
    pub fn build(&self, commands: &[Command]) -> Result<Vec<u8>, BodyError> {
        let mut body = Vec::new();
        for command in commands {
            let at = body.len();
            body.extend(command.encode(&self.types).map_err(|source| BodyError::Command { at, source })?);
        }
        match body.len() {
            0 => return Err(BodyError::Empty),
            bytes if bytes > self.limit => return Err(BodyError::TooLong { bytes, limit: self.limit }),
            bytes => body.resize(bytes.max(self.minimum), 0),
        }
        Ok(body)
    }

    /// The body of an ack-only PDU: zeros, at least one END.
    #[must_use]
    pub fn ack_only(&self) -> Vec<u8> {
        vec![0; self.minimum.max(HEADER_BYTES)]
    }
}

/// Least octets of a body in a frame of at least `min_frame` octets without FCS; even, since END is a header.
#[must_use]
pub fn minimum_body(min_frame: usize, framing: Framing) -> usize {
    let around = framing.header_bytes() + transport_bytes(framing.transport());
    min_frame.saturating_sub(around).next_multiple_of(UNIT_BYTES)
}

/// Octets around the body: reliability header and R-CRC, or none.
#[must_use]
pub const fn transport_bytes(transport: Transport) -> usize {
    match transport {
        Transport::Reliable => reliability::HEADER_BYTES + CRC_BYTES,
        Transport::Lite => 0,
    }
}
