//! The commands of one XPU, and what is expected of the others.

use super::super::format::command::{Command as Octets, Payload};
use super::super::Flush;
use super::{SoakError, SoakParameters};
use flitforge_protocol::sue::command::CommandType;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Control octets of a command: source, VC and number.
const CONTROL: usize = 12;

/// A command and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// XPU that it goes to.
    pub destination: u16,
    /// Virtual channel.
    pub vc: u8,
    /// Whether it ends its body.
    pub flush: Flush,
    /// The command.
    pub command: Octets,
}

/// Makes the commands of an XPU, by chance, and checks those that come: each once, in order and unaltered.
#[derive(Debug, Clone)]
pub struct Traffic {
    number: u16,
    /// Next number for each {destination, VC}, and the one expected of each {source, VC}.
    sent: BTreeMap<(u16, u8), u64>,
    expected: BTreeMap<(u16, u8), u64>,
    offered: u64,
    delivered: u64,
}

impl Traffic {
    /// That of XPU `number`.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Traffic { number, sent: BTreeMap::new(), expected: BTreeMap::new(), offered: 0, delivered: 0 }
    }

    /// Commands made.
    #[must_use]
    pub const fn offered(&self) -> u64 {
        self.offered
    }

    /// Commands that came.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// One more command for a random {destination, VC}, if `has_room` says that there is room for it.
    pub fn offer(
        &mut self,
        parameters: &SoakParameters,
        random: &mut ChaCha8Rng,
        has_room: impl FnOnce(u16, u8) -> bool,
    ) -> Option<Offered> {
        let step = random.random_range(1..parameters.xpus);
        let destination = (self.number + step) % parameters.xpus;
        let vc = random.random_range(0..parameters.vcs);
        if !has_room(destination, vc) {
            return None;
        }
        let number = self.sent.entry((destination, vc)).or_default();
        let control = control_of(self.number, vc, *number);
        *number += 1;
        let bytes = random.random_range(0..=parameters.data_bytes);
        let data: Vec<u8> = (0..bytes).map(|octet| octet_of(octet, *number as u8)).collect();
        let (kind, payload) = match data.len() {
            0 => (CommandType::Message, Payload::None),
            _ => (CommandType::Write, Payload::Data(data)),
        };
        let ends = random.random_range(0..1_000_000) < parameters.flush;
        let flush = if ends { Flush::Yes } else { Flush::No };
        self.offered += 1;
        Some(Offered { destination, vc, flush, command: Octets { kind, control, payload } })
    }

    /// A command has come: it has to be the next one of its source and VC.
    pub fn deliver(&mut self, source: u16, vc: u8, command: Octets) -> Result<(), SoakError> {
        let number = self.expected.entry((source, vc)).or_default();
        if command.control != control_of(source, vc, *number) {
            return Err(SoakError::Order {
                source_xpu: source,
                destination: self.number,
                vc,
                expected: *number,
                found: command.control,
            });
        }
        *number += 1;
        let key = *number as u8;
        if let Payload::Data(data) = &command.payload {
            let right = |(octet, found): (usize, &u8)| *found == octet_of(octet as u16, key);
            if !data.iter().enumerate().all(right) {
                return Err(SoakError::Altered { source_xpu: source, destination: self.number, vc });
            }
        }
        self.delivered += 1;
        Ok(())
    }
}

/// What tells a command from all others.
fn control_of(source: u16, vc: u8, number: u64) -> Vec<u8> {
    let mut control = source.to_be_bytes().to_vec();
    control.extend([vc, 0]);
    control.extend(number.to_be_bytes());
    debug_assert_eq!(control.len(), CONTROL);
    control
}

/// An octet of data; `key` is the low octet of the number after the command's.
fn octet_of(octet: u16, key: u8) -> u8 {
    octet.wrapping_mul(31) as u8 ^ key
}
