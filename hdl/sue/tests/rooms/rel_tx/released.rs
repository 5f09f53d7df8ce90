//! Octets that bodies give back when they wait no more.

use std::collections::VecDeque;

/// What was given back and not yet seen in a PDU or elsewhere.
#[derive(Default)]
pub struct Released {
    /// A body was sent for the first time in the clock before.
    pub begins: bool,
    /// Octets of bodies that were sent for the first time, in order.
    sent: VecDeque<usize>,
    /// Octets of bodies that left for another port.
    left: Vec<usize>,
    /// Clocks since there has been a body.
    held: u64,
}

/// Clocks after which a body is counted.
const COUNTED: u64 = 16;

impl Released {
    /// What comes in a clock.
    pub fn comes(&mut self, octets: Option<u64>) -> Result<(), String> {
        match (octets, std::mem::take(&mut self.begins)) {
            (Some(octets), true) => self.sent.push_back(octets as usize),
            (Some(octets), false) => self.left.push(octets as usize),
            (None, true) => return Err("a body that is sent gives nothing back".into()),
            (None, false) => {}
        }
        Ok(())
    }

    /// Whether there is a body, and whether the sender says that there is none.
    pub fn holds(&mut self, waits: bool, empty: bool) -> Result<(), String> {
        self.held = if waits { self.held + 1 } else { 0 };
        match empty && self.held > COUNTED {
            true => Err(format!("empty, with a body for {} clocks", self.held)),
            false => Ok(()),
        }
    }

    /// A body of so many octets was in a PDU, for the first time.
    pub fn sent(&mut self, octets: usize) -> Result<(), String> {
        match self.sent.pop_front() {
            Some(given) if given == octets => Ok(()),
            given => Err(format!("a body of {octets} octets gives back {given:?}")),
        }
    }

    /// A body of so many octets has left.
    pub fn left(&mut self, octets: usize) -> Result<(), String> {
        let place = self.left.iter().position(|given| *given == octets);
        let place = place.ok_or_else(|| format!("a body of {octets} octets has left: {:?}", self.left))?;
        self.left.remove(place);
        Ok(())
    }
}
