//! SUE Lite: commands straight in frames, on a link that loses none (chapter 50, 4.8).
//!
//! ```
//! use flitforge_model::sue::format::{Fid, Framing, Network, NetworkConfig, TypeTable};
//! use flitforge_model::sue::lite::{frame_of, LiteFate, LiteReceiver, PartitionState, Refusal};
//!
//! let port = |xpu| Network::new(NetworkConfig::new(Framing::Lite, Fid { xpu, port: 0 })).expect("defaults");
//! let frame = frame_of(&port(5), 7, 2, &[0x21, 0, 0xAB, 0xCD], 60)?;
//! let receiver = LiteReceiver { network: port(7), types: TypeTable::default(), peers: 64, partition: PartitionState::Member };
//! assert!(matches!(receiver.judge(&frame, true), LiteFate::Delivered { source: 5, vc: 2, .. }));
//! assert_eq!(receiver.judge(&frame, false), LiteFate::Refused(Refusal::NoRoom));
//! # Ok::<(), flitforge_model::sue::format::network::EncapsulateError>(())
//! ```

use super::format::body::{minimum_body, walk};
use super::format::network::EncapsulateError;
use super::format::{Command, DropCounter, Framing, Network, Route, TypeTable};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::HEADER_BYTES;
use std::collections::VecDeque;

/// The frame of a body, without FCS: header, body, zeros up to `min_frame` octets (MINF).
pub fn frame_of(
    network: &Network,
    peer: u16,
    vc: u8,
    body: &[u8],
    min_frame: usize,
) -> Result<Vec<u8>, EncapsulateError> {
    let mut padded = body.to_vec();
    padded.resize(body.len().max(minimum_body(min_frame, Framing::Lite)), 0);
    // Virtual channels are two bits: each has a class.
    let class = ClassUse::of_vc(vc).unwrap_or(ClassUse::Requests);
    network.encapsulate(Route { peer, vc, class }, &padded)
}

/// Whether the partition of the port is in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionState {
    /// It is, or nobody looks.
    Member,
    /// It is not.
    Foreign,
}

/// Why the commands of a frame are not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Its header; the counter it shows in.
    Header(DropCounter),
    /// It has no command.
    Empty,
    /// RX_FULL.
    NoRoom,
    /// PART_VIOL.
    Partition,
    /// BODY_BAD.
    Malformed,
}

/// What becomes of a frame that arrived without an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiteFate {
    /// Nothing of it is delivered.
    Refused(Refusal),
    /// Its commands are.
    Delivered {
        /// XPU that it comes from.
        source: u16,
        /// Virtual channel.
        vc: u8,
        /// The commands, in order.
        commands: Vec<Command>,
    },
}

/// The receiver of a port.
#[derive(Debug, Clone)]
pub struct LiteReceiver {
    /// Settings of the port; its framing is [`Framing::Lite`].
    pub network: Network,
    /// TYPE_CFG.
    pub types: TypeTable,
    /// XPUs there are.
    pub peers: u16,
    /// Whether the partition of the port is in the table.
    pub partition: PartitionState,
}

impl LiteReceiver {
    /// What becomes of a frame without FCS; `room`: its body has room in the receive buffer.
    #[must_use]
    pub fn judge(&self, frame: &[u8], room: bool) -> LiteFate {
        match self.refusal(frame, room) {
            Err(refusal) => LiteFate::Refused(refusal),
            Ok((source, vc, commands)) => LiteFate::Delivered { source, vc, commands },
        }
    }

    fn refusal(&self, frame: &[u8], room: bool) -> Result<(u16, u8, Vec<Command>), Refusal> {
        let foreign = Refusal::Header(DropCounter::HeaderBad);
        let received =
            self.network.decapsulate(frame).map_err(|refusal| Refusal::Header(refusal.counter()))?;
        let vc = received.lite_vc.ok_or(foreign)?;
        if received.source.xpu >= self.peers || received.pdu.is_empty() {
            return Err(foreign);
        }
        if received.pdu.get(..HEADER_BYTES).is_some_and(|header| header.iter().all(|octet| *octet == 0)) {
            return Err(Refusal::Empty);
        }
        if !room {
            return Err(Refusal::NoRoom);
        }
        if self.partition == PartitionState::Foreign {
            return Err(Refusal::Partition);
        }
        let walked = walk(received.pdu, &self.types).map_err(|_| Refusal::Malformed)?;
        Ok((received.source.xpu, vc, walked.commands))
    }
}

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The peer has it.
    Delivered,
    /// It was sent and given up.
    Lost,
    /// It was never sent.
    Unsent,
}

/// Frames whose fate is not known, in their order.
#[derive(Debug, Clone)]
pub struct LiteLedger<T> {
    waiting: VecDeque<(T, bool)>,
    told: VecDeque<(usize, Fate)>,
    is_on: bool,
}

impl<T> Default for LiteLedger<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), told: VecDeque::new(), is_on: true }
    }
}

impl<T> LiteLedger<T> {
    /// A frame begins, or a body is not sent.
    pub fn begin(&mut self, frame: T, is_sent: bool) {
        self.waiting.push_back((frame, is_sent));
    }

    /// Link-layer retry has told of so many frames.
    pub fn tell(&mut self, frames: usize, fate: Fate) {
        self.told.push_back((frames, fate));
    }

    /// The port is switched on or off. Off, all frames without a fate are lost.
    pub fn switch(&mut self, is_on: bool) {
        self.is_on = is_on;
    }

    /// Frames that wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The next frame whose fate is known.
    pub fn complete(&mut self) -> Option<(T, Fate)> {
        while self.told.front().is_some_and(|(frames, _)| *frames == 0) {
            self.told.pop_front();
        }
        let is_sent = self.waiting.front()?.1;
        let fate = match self.told.front_mut() {
            _ if !is_sent => Fate::Unsent,
            Some((frames, fate)) => {
                *frames -= 1;
                *fate
            }
            None if !self.is_on => Fate::Lost,
            None => return None,
        };
        self.waiting.pop_front().map(|(frame, _)| (frame, fate))
    }
}
