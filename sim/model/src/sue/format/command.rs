//! Commands (chapter 50, 3.1): header, control octets, data area, padded to an even length.

use super::octets::{CutOff, FieldError, Reader, Word, Writer};
use super::type_table::{TypeRule, TypeTable};
use flitforge_protocol::sue::command::{
    header, strobe_bytes, CommandType, HEADER_BYTES, MAX_CONTROL_BYTES, MAX_DATA_BYTES, UNIT_BYTES,
};
use thiserror::Error;

/// The data area of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Payload {
    /// None: the types 0 to 7.
    #[default]
    None,
    /// 1 to 256 octets: the types 8 to F but WRITE_S.
    Data(Vec<u8>),
    /// WRITE_S: the strobe of data octet 8j + i is bit i of strobe octet j. Bits past the data are not looked at.
    Strobed {
        /// One octet for every eight of the data.
        strobes: Vec<u8>,
        /// 1 to 256 octets.
        data: Vec<u8>,
    },
}

/// A command. Control and data are opaque here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The type, not END.
    pub kind: CommandType,
    /// Control octets, 0 to 30, an even number.
    pub control: Vec<u8>,
    /// The data area.
    pub payload: Payload,
}

/// Why octets are no command, or a command cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// END is no command.
    #[error("END is no command: it ends a body, and its whole header is 0; found {header:#06x}")]
    End {
        /// The header.
        header: u16,
    },
    /// TYPE_CFG does not have the type.
    #[error("command type {}: disabled in TYPE_CFG; enable it at both ends or do not send it", kind.name())]
    Disabled {
        /// The type.
        kind: CommandType,
    },
    /// TYPE_CFG wants another control length.
    #[error("command {}: {found} control units, but TYPE_CFG pins {pinned}", kind.name())]
    Pinned {
        /// The type.
        kind: CommandType,
        /// Units of two octets that are allowed.
        pinned: u8,
        /// Units given.
        found: u8,
    },
    /// A data length in a command without data.
    #[error("command {} has no data, so dlen has to be 0; found {dlen}", kind.name())]
    DataLength {
        /// The type.
        kind: CommandType,
        /// The field.
        dlen: u8,
    },
    /// The lengths of the header go past the end of the body.
    #[error(transparent)]
    CutOff(#[from] CutOff),
    /// The octet after a data area of odd length is not 0.
    #[error("command {}: the padding octet has to be 0; found {found:#04x}", kind.name())]
    Padding {
        /// The type.
        kind: CommandType,
        /// The octet.
        found: u8,
    },
    /// Too much control, or an odd number of octets.
    #[error("command {}: {bytes} control octets; an even number up to {MAX_CONTROL_BYTES} fits", kind.name())]
    ControlBytes {
        /// The type.
        kind: CommandType,
        /// Octets given.
        bytes: usize,
    },
    /// The data area is not the one of the type.
    #[error("command {}: the data area has to be {expected}", kind.name())]
    WrongPayload {
        /// The type.
        kind: CommandType,
        /// What the type has.
        expected: &'static str,
    },
    /// No data, or too much.
    #[error("command {}: {bytes} data octets; 1 to {MAX_DATA_BYTES} fit", kind.name())]
    DataBytes {
        /// The type.
        kind: CommandType,
        /// Octets given.
        bytes: usize,
    },
    /// Strobes that do not go with the data.
    #[error("WRITE_S: {found} strobe octets, but {expected} go with the data, one for every eight octets")]
    StrobeBytes {
        /// Octets given.
        found: usize,
        /// Octets that the data need.
        expected: usize,
    },
    /// A field out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
}

impl Command {
    /// The command that `sue_unpack` takes for itself: 0x2000.
    #[must_use]
    pub const fn nop() -> Self {
        Command { kind: CommandType::Message, control: Vec::new(), payload: Payload::None }
    }

    /// True for NOP.
    #[must_use]
    pub fn is_nop(&self) -> bool {
        self.kind == CommandType::Message && self.control.is_empty()
    }

    /// Data octets, without strobes.
    #[must_use]
    pub fn data_bytes(&self) -> usize {
        match &self.payload {
            Payload::None => 0,
            Payload::Data(data) | Payload::Strobed { data, .. } => data.len(),
        }
    }

    /// Octets of the whole command, its padding included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let strobes = match &self.payload {
            Payload::Strobed { strobes, .. } => strobes.len(),
            _ => 0,
        };
        (HEADER_BYTES + self.control.len() + strobes + self.data_bytes()).next_multiple_of(UNIT_BYTES)
    }

    /// The octets of the command.
    pub fn encode(&self, types: &TypeTable) -> Result<Vec<u8>, CommandError> {
        let clen = self.control_units()?;
        check_type(self.kind, clen, types)?;
        self.check_payload()?;
        let mut octets = Writer::default();
        let fields = [
            (header::kind::FIELD, self.kind.code().into()),
            (header::clen::FIELD, clen.into()),
            (header::dlen::FIELD, self.data_bytes().saturating_sub(1) as u64),
        ];
        octets.word(&header::LAYOUT, &fields)?;
        octets.octets(&self.control);
        match &self.payload {
            Payload::None => {}
            Payload::Data(data) => octets.octets(data),
            Payload::Strobed { strobes, data } => {
                octets.octets(strobes);
                octets.octets(data);
            }
        }
        octets.pad_to(self.bytes());
        Ok(octets.finish())
    }

    /// The command at the start of `octets`, and how many of them it takes.
    pub fn decode(octets: &[u8], types: &TypeTable) -> Result<(Self, usize), CommandError> {
        let mut reader = Reader(octets);
        let word = reader.word(&header::LAYOUT)?;
        let kind = kind_of(word)?;
        let (clen, dlen) = (word.get_u8(header::clen::FIELD), word.get_u8(header::dlen::FIELD));
        check_type(kind, clen, types)?;
        if !kind.has_data() && dlen != 0 {
            return Err(CommandError::DataLength { kind, dlen });
        }
        let control = reader.octets(UNIT_BYTES * usize::from(clen), "Control of a command")?.to_vec();
        let payload = payload(&mut reader, kind, usize::from(dlen) + 1)?;
        let command = Command { kind, control, payload };
        if (octets.len() - reader.0.len()) % UNIT_BYTES != 0 {
            let found = reader.octets(1, "Padding of a command")?[0];
            if found != 0 {
                return Err(CommandError::Padding { kind, found });
            }
        }
        Ok((command, octets.len() - reader.0.len()))
    }

    /// `clen`.
    fn control_units(&self) -> Result<u8, CommandError> {
        let bytes = self.control.len();
        if bytes > MAX_CONTROL_BYTES || bytes % UNIT_BYTES != 0 {
            return Err(CommandError::ControlBytes { kind: self.kind, bytes });
        }
        Ok((bytes / UNIT_BYTES) as u8)
    }

    fn check_payload(&self) -> Result<(), CommandError> {
        let (kind, bytes) = (self.kind, self.data_bytes());
        match (&self.payload, kind.has_data(), kind == CommandType::WriteStrobes) {
            (Payload::None, false, _) => return Ok(()),
            (Payload::Data(_), true, false) => {}
            (Payload::Strobed { strobes, data }, _, true) => {
                let (found, expected) = (strobes.len(), strobe_bytes(data.len()));
                if found != expected {
                    return Err(CommandError::StrobeBytes { found, expected });
                }
            }
            (_, false, _) => return Err(CommandError::WrongPayload { kind, expected: "empty" }),
            (_, _, false) => {
                return Err(CommandError::WrongPayload { kind, expected: "data without strobes" })
            }
            (_, _, true) => return Err(CommandError::WrongPayload { kind, expected: "strobes and data" }),
        }
        if bytes == 0 || bytes > MAX_DATA_BYTES {
            return Err(CommandError::DataBytes { kind, bytes });
        }
        Ok(())
    }
}

/// The type in a header; END is none.
fn kind_of(word: Word) -> Result<CommandType, CommandError> {
    match CommandType::from_code(word.get_u8(header::kind::FIELD)) {
        Some(CommandType::End) | None => Err(CommandError::End { header: word.value() as u16 }),
        Some(kind) => Ok(kind),
    }
}

/// What TYPE_CFG says. NOP is taken always: it is the transport's own, and stands for a slot with a parity error.
fn check_type(kind: CommandType, clen: u8, types: &TypeTable) -> Result<(), CommandError> {
    match types.rule(kind) {
        _ if kind == CommandType::End => Err(CommandError::End { header: 0 }),
        _ if kind == CommandType::Message && clen == 0 => Ok(()),
        TypeRule::Disabled => Err(CommandError::Disabled { kind }),
        TypeRule::Pinned(pinned) if pinned != clen => Err(CommandError::Pinned { kind, pinned, found: clen }),
        TypeRule::AnyControl | TypeRule::Pinned(_) => Ok(()),
    }
}

/// The data area of a type with `data_bytes` octets of data.
fn payload(reader: &mut Reader, kind: CommandType, data_bytes: usize) -> Result<Payload, CutOff> {
    if !kind.has_data() {
        return Ok(Payload::None);
    }
    if kind != CommandType::WriteStrobes {
        return Ok(Payload::Data(reader.octets(data_bytes, "Data of a command")?.to_vec()));
    }
    let strobes = reader.octets(strobe_bytes(data_bytes), "Strobes of a command")?.to_vec();
    Ok(Payload::Strobed { strobes, data: reader.octets(data_bytes, "Data of a command")?.to_vec() })
}
