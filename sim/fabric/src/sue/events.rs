//! What happened, one after the other: EVENT and the capture registers (chapter 50, 5 and 6).

use super::{Sue, SueError};
use flitforge_model::sue::format::ReliabilityHeader;
use flitforge_protocol::register::{RegisterAccess, RegisterValue};
use flitforge_protocol::sue_registers::{self as page, captured_connection, Event};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// What.
    pub event: Event,
    /// Where and by which PDU, if it was the one that was captured.
    pub captured: Option<Captured>,
}

/// What the capture registers say of the first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Port.
    pub port: u8,
    /// Peer of the connection.
    pub peer: u16,
    /// Virtual channel of the connection.
    pub vc: u8,
    /// PSN; of CONN_FAIL the oldest one that is not acknowledged.
    pub psn: u16,
    /// The reliability header of the PDU as it stands there, if a PDU was the cause.
    pub word: Option<u64>,
    /// The same by its fields, if its version is known.
    pub header: Option<ReliabilityHeader>,
    /// Clocks with events since that were not captured; it saturates.
    pub missed: u64,
}

/// Events, the captured one first; ends when none is left. Each is cleared as it is given, so one that happens again comes again:
/// bound a loop over a device that is in trouble.
#[derive(Debug)]
pub struct Events<'a, A> {
    sue: &'a Sue,
    access: &'a mut A,
    failed: bool,
}

impl Sue {
    /// Events since the last look.
    pub fn events<'a, A: RegisterAccess>(&'a self, access: &'a mut A) -> Events<'a, A> {
        Events { sue: self, access, failed: false }
    }
}

impl<A: RegisterAccess> Events<'_, A> {
    fn look(&mut self) -> Result<Option<Occurrence>, SueError> {
        let device = self.sue.device;
        let word = self.access.read(device, page::EVENT)?;
        let cause = page::capture_cause::Value::decode(self.access.read(device, page::CAPTURE_CAUSE)?);
        let is_set = |event: &Event| word >> event.code() & 1 == 1;
        let mut found =
            Event::ALL.iter().copied().find(is_set).map(|event| Occurrence { event, captured: None });
        if cause.full == 1 {
            let unknown = SueError::Cause { device, cause: cause.cause };
            let event = Event::from_code(cause.cause as u8).ok_or(unknown)?;
            if is_set(&event) {
                found = Some(Occurrence { event, captured: Some(self.captured(cause.has_header == 1)?) });
            }
        }
        if let Some(occurrence) = &found {
            self.access.write(device, page::EVENT, 1 << occurrence.event.code())?;
        }
        Ok(found)
    }

    fn captured(&mut self, has_header: bool) -> Result<Captured, SueError> {
        let mut read = |offset| self.access.read(self.sue.device, offset);
        let at = page::capture_port::Value::decode(read(page::CAPTURE_PORT)?);
        let word = read(page::CAPTURE_HEADER)?;
        let missed = page::capture_missed::Value::decode(read(page::CAPTURE_MISSED)?).clocks;
        let word = has_header.then_some(word);
        let header = word.and_then(|word| ReliabilityHeader::decode(&word.to_be_bytes()).ok());
        let connection = u128::from(at.connection);
        Ok(Captured {
            port: at.port as u8,
            peer: captured_connection::peer::FIELD.get(connection) as u16,
            vc: captured_connection::vc::FIELD.get(connection) as u8,
            psn: at.psn as u16,
            word,
            header,
            missed,
        })
    }
}

impl<A: RegisterAccess> Iterator for Events<'_, A> {
    type Item = Result<Occurrence, SueError>;

    /// After an error it ends.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let found = self.look();
        self.failed = found.is_err();
        found.transpose()
    }
}
