//! Connection management (CM) records (chapter 50, 3.4): one MSG command with six control octets.

use super::body::{walk, BodyError};
use super::command::{Command, Payload};
use super::octets::{CutOff, FieldError, Reader, Writer};
use super::type_table::TypeTable;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::reliability::{cm_record, CmCode};
use thiserror::Error;

/// A CM record. FREEZE_REQ has PSN 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CmRecord {
    /// What is asked or answered.
    pub code: CmCode,
    /// Port of the connection.
    pub port: u8,
    /// Virtual channel of the connection.
    pub vc: u8,
    /// PSN, by code.
    pub psn: u16,
}

/// Why a body is no CM record.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CmRecordError {
    /// The body is malformed.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// Not one command.
    #[error("CM record: the body has to be one command; found {found}")]
    Commands {
        /// Commands in the body, NOPs included.
        found: usize,
    },
    /// Another command than MSG with six control octets.
    #[error("CM record: expected MSG with {} control octets; found {} with {control_bytes}", cm_record::WIDTH / 8, kind.name())]
    Shape {
        /// Type of the command.
        kind: CommandType,
        /// Its control octets.
        control_bytes: usize,
    },
    /// An unknown code.
    #[error("CM record: code {found} is not defined; 1 to {} are", CmCode::ALL.len())]
    Code {
        /// The code.
        found: u8,
    },
    /// The control octets end too early.
    #[error(transparent)]
    CutOff(#[from] CutOff),
}

impl CmRecord {
    /// The record as a command.
    pub fn command(&self) -> Result<Command, FieldError> {
        let mut control = Writer::default();
        let fields = [
            (cm_record::code::FIELD, self.code.code().into()),
            (cm_record::port::FIELD, self.port.into()),
            (cm_record::vc::FIELD, self.vc.into()),
            (cm_record::psn::FIELD, self.psn.into()),
        ];
        control.word(&cm_record::LAYOUT, &fields)?;
        Ok(Command { kind: CommandType::Message, control: control.finish(), payload: Payload::None })
    }

    /// The record in the body of a PDU with operation CM. TYPE_CFG does not matter: the record is the transport's own.
    pub fn from_body(body: &[u8]) -> Result<Self, CmRecordError> {
        let walked = walk(body, &TypeTable::default())?;
        match walked.commands.as_slice() {
            [command] if walked.nops == 0 => CmRecord::from_command(command),
            commands => Err(CmRecordError::Commands { found: commands.len() + walked.nops }),
        }
    }

    /// The record in a command.
    pub fn from_command(command: &Command) -> Result<Self, CmRecordError> {
        let (kind, control_bytes) = (command.kind, command.control.len());
        if kind != CommandType::Message || control_bytes != cm_record::WIDTH / 8 {
            return Err(CmRecordError::Shape { kind, control_bytes });
        }
        let word = Reader(&command.control).word(&cm_record::LAYOUT)?;
        let found = word.get_u8(cm_record::code::FIELD);
        Ok(CmRecord {
            code: CmCode::from_code(found).ok_or(CmRecordError::Code { found })?,
            port: word.get_u8(cm_record::port::FIELD),
            vc: word.get_u8(cm_record::vc::FIELD),
            psn: word.get_u16(cm_record::psn::FIELD),
        })
    }
}
