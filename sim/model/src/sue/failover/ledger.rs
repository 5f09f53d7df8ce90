//! What became of every command: as its sender was told, and as its receiver saw it.

use super::super::Status;
use super::FailoverError;
use serde::Serialize;
use std::collections::BTreeMap;

/// Source, destination and VC.
pub type Flow = (u16, u16, u8);

/// Commands by status of `cpl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Statuses {
    /// Status 0; each of them was delivered.
    pub delivered: u64,
    /// Status 1; none of them was delivered.
    pub failed: u64,
    /// Status 3.
    pub unknown: u64,
    /// Those of status 3 that were delivered.
    pub unknown_delivered: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    flow: Flow,
    is_delivered: bool,
    status: Option<Status>,
}

/// All commands, by number.
#[derive(Debug)]
pub struct Ledger {
    /// The slot.
    pub now: u64,
    keeps_order: bool,
    entries: Vec<Entry>,
    /// The last command that each flow delivered.
    last: BTreeMap<Flow, u64>,
    open: u64,
    delivered: u64,
    statuses: Statuses,
}

impl Ledger {
    pub fn new(keeps_order: bool) -> Self {
        let (entries, last, statuses) = (vec![], BTreeMap::new(), Statuses::default());
        Ledger { now: 0, keeps_order, entries, last, open: 0, delivered: 0, statuses }
    }

    /// A new command: its number.
    pub fn offer(&mut self, flow: Flow) -> u64 {
        self.entries.push(Entry { flow, is_delivered: false, status: None });
        self.open += 1;
        self.entries.len() as u64 - 1
    }

    fn entry(&mut self, command: u64) -> Option<&mut Entry> {
        self.entries.get_mut(command as usize)
    }

    fn broken(&self, command: u64, (source_xpu, destination, vc): Flow, what: &'static str) -> FailoverError {
        FailoverError::Broken { slot: self.now, command, source_xpu, destination, vc, broken: what }
    }

    /// It has arrived.
    pub fn deliver(&mut self, command: u64, flow: Flow) -> Result<(), FailoverError> {
        let keeps_order = self.keeps_order;
        let last = self.last.insert(flow, command);
        let Some(entry) = self.entry(command) else {
            return Err(self.broken(command, flow, "was never sent and was delivered"));
        };
        let before = std::mem::replace(&mut entry.is_delivered, true);
        let (sent, status) = (entry.flow, entry.status);
        let broken = if sent != flow {
            "was delivered elsewhere"
        } else if before {
            "was delivered twice"
        } else if status == Some(Status::Failed) {
            "was delivered after status 1"
        } else if keeps_order && last.is_some_and(|last| last > command) {
            "was delivered after a later one"
        } else {
            self.delivered += 1;
            self.statuses.unknown_delivered += u64::from(status == Some(Status::Unknown));
            return Ok(());
        };
        Err(self.broken(command, flow, broken))
    }

    /// `cpl` of it.
    pub fn complete(&mut self, command: u64, status: Status) -> Result<(), FailoverError> {
        let Some(entry) = self.entry(command) else { return Ok(()) };
        let (flow, before, is_delivered) = (entry.flow, entry.status.replace(status), entry.is_delivered);
        let broken = match (status, is_delivered) {
            _ if before.is_some() => "has two statuses",
            (Status::Delivered, false) => "has status 0 and was not delivered",
            (Status::Failed, true) => "has status 1 and was delivered",
            (Status::Flushed, _) => "has status 2 without a generation step",
            _ => {
                self.open -= 1;
                match status {
                    Status::Delivered => self.statuses.delivered += 1,
                    Status::Unknown => {
                        self.statuses.unknown += 1;
                        self.statuses.unknown_delivered += u64::from(is_delivered);
                    }
                    Status::Failed | Status::Flushed => self.statuses.failed += 1,
                }
                return Ok(());
            }
        };
        Err(self.broken(command, flow, broken))
    }

    /// Every command has its status.
    pub const fn is_done(&self) -> bool {
        self.open == 0
    }

    pub fn commands(&self) -> u64 {
        self.entries.len() as u64
    }

    pub const fn delivered(&self) -> u64 {
        self.delivered
    }

    pub const fn statuses(&self) -> &Statuses {
        &self.statuses
    }

    pub fn no_status(&self, slots: u64) -> FailoverError {
        let first = self.entries.iter().position(|entry| entry.status.is_none()).unwrap_or(0) as u64;
        FailoverError::NoStatus { count: self.open, first, slots }
    }
}
