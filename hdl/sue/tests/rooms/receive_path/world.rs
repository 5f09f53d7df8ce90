//! The network, the XPU and the golden connections: what was sent, and what is expected of it.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::rel_rx::{ConnectionChange, ManagementRecord};
use flitforge_model::sue::format::{CmRecord, ReliabilityHeader, TypeTable};
use flitforge_model::sue::{Due, Psn, ReceiverConfig, ReceiverConnection, Renack};
use flitforge_protocol::sue::reliability::CmCode;
use flitforge_sim::kit::Rng as KitRng;
use rand::Rng;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Connections with traffic, and those of the table.
pub const CONNECTIONS: usize = 16;
pub const TABLE: u64 = 32;
pub const VCS: usize = 4;
pub const CELL: usize = 64;
pub const XPU_CELLS: usize = 12;
/// Octets of a ring of the buffer.
pub const RING: usize = 1024;
/// Partitions from this one on are no members.
pub const MEMBERS: u64 = 6;
pub const PARTITIONS: u64 = 8;
/// Clocks after a clear before PDUs acknowledge: the table is cleared.
pub const QUIET: u64 = 60;
/// Clocks by which a timer may be late, and an entry of the list.
pub const LATE: u64 = 40;
pub const PATIENCE: u64 = 3_000;

pub fn bits_of<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

pub fn config(renack: Renack) -> ReceiverConfig {
    ReceiverConfig { ack_coalesce: 3, ack_timer: 150, renack, ..Default::default() }
}

/// A body with one message.
pub fn message(random: &mut KitRng) -> Vec<u8> {
    let record = CmRecord { code: CmCode::OpenRequest, port: 0, vc: random.random_range(0..4), psn: 0x1234 };
    record.command().expect("in range").encode(&TypeTable::default()).expect("taken")
}

/// The words of a PDU; octets after its end are noise.
pub fn words(octets: &[u8], error: bool) -> VecDeque<FrameWord> {
    let count = octets.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        let mut eight = [0x5A; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = index + 1 == count;
        let (data, bytes) = (u64::from_le_bytes(eight).into(), (octets.len() as u64).into());
        FrameWord { data, bytes, last, error: last && error }
    };
    octets.chunks(8).enumerate().map(word).collect()
}

/// What the checks before the table have to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    Pulse(&'static str),
    Body,
}

#[derive(Clone, Debug)]
pub struct Sent {
    pub class: Class,
    pub header: ReliabilityHeader,
    pub body: Vec<u8>,
}

impl Sent {
    pub fn connection(&self) -> usize {
        usize::from(self.header.source) * VCS + usize::from(self.header.vc)
    }
}

/// A connection of the model, and what its acknowledgments wait for.
pub struct Connection {
    pub model: ReceiverConnection,
    pub accepted: bool,
    pub waiting: u8,
    /// Clock in which the first of those that wait was accepted.
    pub armed: Option<u64>,
    pub ack_due: bool,
    /// When it became due and is not yet named; by a timer that may have run out.
    pub listed: Option<u64>,
    pub may_be_listed: bool,
    /// What the network sends next.
    pub next: u16,
}

impl Connection {
    pub fn new() -> Self {
        Self {
            model: ReceiverConnection::new(Psn::ZERO),
            accepted: false,
            waiting: 0,
            armed: None,
            ack_due: false,
            listed: None,
            may_be_listed: false,
            next: 0,
        }
    }

    pub fn due(&self, config: &ReceiverConfig) -> bool {
        self.ack_due || self.model.due(config, 0) == Some(Due::Nack)
    }
}

pub struct State {
    pub connections: Vec<Connection>,
    pub sent: VecDeque<Sent>,
    pub pulses: VecDeque<(&'static str, u64)>,
    pub answers: VecDeque<(u64, u64, bool)>,
    pub records: VecDeque<ManagementRecord>,
    pub asked: VecDeque<u64>,
    pub changing: VecDeque<ConnectionChange>,
    pub wanted: [VecDeque<(Vec<u8>, ReliabilityHeader)>; VCS],
    pub credits: [usize; VCS],
    pub freed: [usize; VCS],
    pub came: Vec<u8>,
    pub words: VecDeque<FrameWord>,
    pub coming: Option<Sent>,
    pub pause: u64,
    pub ask: Option<u64>,
    pub change: Option<ConnectionChange>,
    pub credit: Option<(usize, usize)>,
    pub cleared: u64,
    pub valid: bool,
}

impl State {
    pub fn new(cleared: u64) -> Self {
        Self {
            connections: (0..CONNECTIONS).map(|_| Connection::new()).collect(),
            sent: VecDeque::new(),
            pulses: VecDeque::new(),
            answers: VecDeque::new(),
            records: VecDeque::new(),
            asked: VecDeque::new(),
            changing: VecDeque::new(),
            wanted: Default::default(),
            credits: [0; VCS],
            freed: [XPU_CELLS; VCS],
            came: vec![],
            words: VecDeque::new(),
            coming: None,
            pause: 0,
            ask: None,
            change: None,
            credit: None,
            cleared,
            valid: false,
        }
    }
}

pub const EARLY: [&str; 9] = [
    "frame_bad",
    "header_bad",
    "crc_bad",
    "busy",
    "source_bad",
    "unknown",
    "management",
    "record_bad",
    "empty",
];
pub const LATER: [&str; 7] =
    ["accepted", "partition_violation", "body_bad", "no_room", "gap", "duplicate", "frozen"];
