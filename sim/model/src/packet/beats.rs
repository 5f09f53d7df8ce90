//! What packets are to a port that sends and receives them on beats.

use super::Header;
use flitforge_protocol::beat::is_flits_per_beat;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{PacketType, Refusal, BYTES_PER_BODY, MAX_PAYLOAD_BYTES, MIN_MTU};
use thiserror::Error;

/// How a port is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRules {
    /// Flits per beat, F.
    pub flits: usize,
    /// MTU in bytes.
    pub mtu: usize,
    /// NUM_VLS.
    pub lanes: usize,
    /// Management is built in: the highest lane is its own.
    pub management: bool,
}

/// A port nobody builds, or input that does not belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    /// A parameter out of range.
    #[error("packets: {parameter} = {value}; give {expected}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// Given.
        value: usize,
        /// What is allowed.
        expected: &'static str,
    },
    /// A beat of another number of flits, or a word of another number of bytes.
    #[error("packets: {found} {what}, expected {expected}")]
    Size {
        /// Flits or bytes.
        what: &'static str,
        /// Given.
        found: usize,
        /// Expected.
        expected: usize,
    },
    /// A header field out of range.
    #[error(transparent)]
    Flit(#[from] crate::flit::FlitError),
}

impl PacketRules {
    /// Refuses what no hardware is built for.
    pub fn check(&self) -> Result<(), RulesError> {
        let least = if self.management { 2 } else { 1 };
        let wrong = |parameter, value, expected| Err(RulesError::Parameter { parameter, value, expected });
        if !is_flits_per_beat(self.flits) {
            return wrong("flits", self.flits, "1, 2 or 4");
        }
        if !(MIN_MTU..=MAX_PAYLOAD_BYTES).contains(&self.mtu) {
            return wrong("mtu", self.mtu, "256 to 10240");
        }
        if !(least..=MAX_VLS).contains(&self.lanes) {
            return wrong("lanes", self.lanes, "1 to 16, with management 2 to 16");
        }
        Ok(())
    }

    /// Payload bytes of a word.
    #[must_use]
    pub fn word_bytes(&self) -> usize {
        BYTES_PER_BODY * self.flits
    }

    /// Why a packet is refused at the ingress; the first reason counts.
    #[must_use]
    pub fn refusal(&self, header: &Header, len: usize) -> Option<Refusal> {
        let management_lane = self.management && usize::from(header.vl) + 1 == self.lanes;
        if len > self.mtu {
            Some(Refusal::TooLong)
        } else if usize::from(header.vl) >= self.lanes {
            Some(Refusal::NoSuchLane)
        } else if management_lane && header.ptype != PacketType::ManagementSourceRouted.code() {
            Some(Refusal::NotManagement)
        } else {
            None
        }
    }
}

/// A packet to send, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Request {
    /// Header fields.
    pub header: Header,
    /// Payload bytes announced, 14 bits.
    pub len: usize,
    /// Tag of the Tail.
    pub tag: u16,
}

/// Payload of up to 8 F bytes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Word {
    /// 8 F bytes; those after `bytes` do not count.
    pub data: Vec<u8>,
    /// Bytes that count. Looked at only with `last`.
    pub bytes: usize,
    /// The packet's last word.
    pub last: bool,
}

/// How a received packet ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketEnd {
    /// Tag of the Tail; 0 if no Tail ended it.
    pub tag: u16,
    /// Why the packet is bad; `None`: it is good.
    pub bad: Option<u8>,
}
