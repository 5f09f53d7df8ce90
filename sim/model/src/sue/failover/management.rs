//! Connection management of one end: FREEZE when a connection fails, OPEN when its port is back (chapter 50, 3.4 and 4.4).

use super::super::ConnectionKey;

/// CM_RTO, slots: more than there and back.
pub const CM_RTO: u64 = 40;
/// CM_TRIES.
pub const CM_TRIES: u8 = 4;

/// What is done about a connection that is not in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// FREEZE_REQ goes out through other ports, one after the other.
    Freezing {
        /// Ports asked so far, the last one at present.
        asked: Vec<u8>,
        /// Requests through the last one.
        tries: u8,
    },
    /// Closed; nothing is sent.
    Resting,
    /// OPEN_REQ goes out through its own port.
    Opening {
        /// Requests so far.
        tries: u8,
    },
}

/// A connection that is not in use, and when something has to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Managed {
    /// What is done.
    pub phase: Phase,
    /// When something has to be done next, slots.
    pub at: u64,
}

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    Wait,
    /// FREEZE_REQ through this port.
    Freeze(u8),
    /// No port is left to ask.
    GiveUp,
    /// OPEN_REQ through the connection's own port.
    Open,
}

impl Managed {
    /// A connection that fails now.
    #[must_use]
    pub const fn freezing(now: u64) -> Self {
        Managed { phase: Phase::Freezing { asked: vec![], tries: 0 }, at: now }
    }

    /// Closed, and to be opened after this time.
    #[must_use]
    pub const fn resting(until: u64) -> Self {
        Managed { phase: Phase::Resting, at: until }
    }

    /// The step of this slot. `up` has the ports that are up here, `quiet` the rest after OPEN_REQ without an answer.
    pub fn step(&mut self, key: ConnectionKey, up: &[bool], quiet: u64, now: u64) -> Step {
        let is_up = |port: u8| up.get(usize::from(port)).copied().unwrap_or(false);
        match &mut self.phase {
            Phase::Freezing { asked, tries } => {
                let current = asked.last().copied().filter(|port| is_up(*port));
                if current.is_some() && now < self.at {
                    return Step::Wait;
                }
                self.at = now + CM_RTO;
                if let Some(port) = current.filter(|_| *tries < CM_TRIES) {
                    *tries += 1;
                    return Step::Freeze(port);
                }
                let ports = 0..up.len() as u8;
                let next =
                    ports.into_iter().find(|port| is_up(*port) && *port != key.port && !asked.contains(port));
                match next {
                    Some(port) => {
                        asked.push(port);
                        *tries = 1;
                        Step::Freeze(port)
                    }
                    None => Step::GiveUp,
                }
            }
            _ if !is_up(key.port) || now < self.at => Step::Wait,
            Phase::Opening { tries } if *tries >= CM_TRIES => {
                *self = Managed::resting(now + quiet);
                Step::Wait
            }
            Phase::Opening { tries } => {
                *tries += 1;
                self.at = now + CM_RTO;
                Step::Open
            }
            Phase::Resting => {
                *self = Managed { phase: Phase::Opening { tries: 1 }, at: now + CM_RTO };
                Step::Open
            }
        }
    }
}
