//! `sue_pack`: commands that wait for one {destination, VC} become one body (chapter 50, 4.3).

use super::config::ConfigError;
use flitforge_protocol::sue::{self, command};
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// CMD_MAX: bytes of the largest command (chapter 50, 3.1).
pub const CMD_MAX: u32 = command::MAX_COMMAND_BYTES as u32;
/// Largest PACK_MAX, bytes.
pub const PACK_MAX_LIMIT: u32 = sue::MAX_BODY_BYTES as u32;
/// Bins of HIST: commands per body 1 to 32, and more.
pub const HISTOGRAM_BINS: usize = 33;

/// Whether more commands may be packed after a command (rule 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flush {
    /// They may.
    No,
    /// It ends its body, and its queue goes to the head of its VC's list.
    Yes,
}

/// A complete command, without its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Command {
    /// The XPU that it goes to.
    pub destination: u16,
    /// Virtual channel.
    pub vc: u8,
    /// Its partition.
    pub partition: u16,
    /// Length in bytes: even, 2 to [`CMD_MAX`].
    pub bytes: u32,
    /// Whether it ends its body.
    pub flush: Flush,
    /// What the caller knows it by.
    pub id: u64,
}

/// A queue: one {destination, VC}.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueKey {
    /// The XPU.
    pub destination: u16,
    /// Virtual channel.
    pub vc: u8,
}

/// Whether a body of a queue could be sent now (rule 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gate {
    /// Window, slot and class of this port are open.
    Open {
        /// The port that load balance chose.
        port: u8,
    },
    /// The window of its connection is closed: the queue is parked.
    WindowClosed,
    /// No replay slot for its VC: it stays where it is in the list.
    NoSlot,
    /// Its class is paused or short of credit at this port: it stays, and so does every queue after it in the list of
    /// its VC that is for the same port.
    ClassBlocked {
        /// The port.
        port: u8,
    },
}

/// Packed commands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PackedBody {
    /// Where it goes.
    pub queue: QueueKey,
    /// The port that it leaves from.
    pub port: u8,
    /// Partition of all its commands.
    pub partition: u16,
    /// Sum of their bytes, at most PACK_MAX.
    pub bytes: u32,
    /// The commands in order of arrival, at least one.
    pub commands: Vec<Command>,
}

/// Why a command is not taken: CMD_BAD (4.1 rule 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum CommandError {
    /// Length odd, 0 or above CMD_MAX.
    #[error("a command of {bytes} bytes; it must be even, 2 to 320")]
    Length {
        /// Its bytes.
        bytes: u32,
    },
    /// There is no such VC.
    #[error("there is no virtual channel {vc}")]
    Vc {
        /// The channel.
        vc: u8,
    },
    /// There is no such XPU.
    #[error("there is no XPU {destination}")]
    Destination {
        /// The XPU.
        destination: u16,
    },
}

/// Settings of the packer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackerConfig {
    /// PACK_MAX, bytes: CMD_MAX to 4096.
    pub pack_max: u32,
    /// Bodies per round of each VC, 1..255; its length is the number of VCs.
    pub weights: Vec<u8>,
    /// PEERS: XPU numbers are below it.
    pub peers: u16,
}

impl Default for PackerConfig {
    fn default() -> Self {
        PackerConfig { pack_max: 2048, weights: vec![1; 4], peers: 64 }
    }
}

impl PackerConfig {
    /// Checks the ranges.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(CMD_MAX..=PACK_MAX_LIMIT).contains(&self.pack_max) {
            return Err(ConfigError::PackMax { pack_max: self.pack_max, min: CMD_MAX, max: PACK_MAX_LIMIT });
        }
        match self.weights.len() {
            1..=4 if self.weights.iter().all(|&weight| weight > 0) => Ok(()),
            1..=4 => Err(ConfigError::Weight),
            vcs => Err(ConfigError::Vcs { vcs: vcs.min(255) as u8 }),
        }
    }
}

/// Where a queue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// Empty, and in no list.
    Idle,
    /// In the list of its VC.
    Listed,
    /// Blocked by its window alone: in no list.
    Parked,
    /// A body of it is being built.
    Building,
}

/// A command in its queue, and whether the queue was in a list when it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Waiting {
    command: Command,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Queue {
    commands: VecDeque<Waiting>,
    bytes: u32,
    place: Place,
}

/// The packer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packer {
    config: PackerConfig,
    queues: BTreeMap<QueueKey, Queue>,
    /// One arrival list for each VC.
    lists: Vec<VecDeque<QueueKey>>,
    /// The VC of the round, and the bodies it may still build.
    turn: usize,
    allowance: u8,
    building: Option<(QueueKey, u8)>,
    histogram: [u64; HISTOGRAM_BINS],
}

impl Packer {
    /// A packer with empty queues.
    pub fn new(config: PackerConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Packer {
            queues: BTreeMap::new(),
            lists: vec![VecDeque::new(); config.weights.len()],
            turn: 0,
            allowance: config.weights.first().copied().unwrap_or(1),
            building: None,
            histogram: [0; HISTOGRAM_BINS],
            config,
        })
    }

    /// HIST: bodies of 1, 2, ..., 32 and more commands.
    #[must_use]
    pub const fn histogram(&self) -> &[u64; HISTOGRAM_BINS] {
        &self.histogram
    }

    /// Bytes that wait in a queue.
    #[must_use]
    pub fn queue_bytes(&self, key: QueueKey) -> u32 {
        self.queues.get(&key).map_or(0, |queue| queue.bytes)
    }

    /// The arrival list of a VC, head first.
    pub fn list(&self, vc: u8) -> impl Iterator<Item = QueueKey> + '_ {
        self.lists.get(usize::from(vc)).into_iter().flatten().copied()
    }

    /// True if no command waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queues.values().all(|queue| queue.commands.is_empty())
    }

    /// A command has arrived completely (rules 1 and 5).
    pub fn arrive(&mut self, command: Command) -> Result<(), CommandError> {
        let Command { destination, vc, bytes, .. } = command;
        if bytes == 0 || bytes > CMD_MAX || bytes % 2 == 1 {
            return Err(CommandError::Length { bytes });
        }
        if destination >= self.config.peers {
            return Err(CommandError::Destination { destination });
        }
        let list = self.lists.get_mut(usize::from(vc)).ok_or(CommandError::Vc { vc })?;
        let key = QueueKey { destination, vc };
        let queue = self.queues.entry(key).or_insert(Queue {
            commands: VecDeque::new(),
            bytes: 0,
            place: Place::Idle,
        });
        if queue.place == Place::Idle {
            queue.place = Place::Listed;
            list.push_back(key);
        }
        if (queue.place, command.flush) == (Place::Listed, Flush::Yes) {
            list.retain(|&other| other != key);
            list.push_front(key);
        }
        queue.commands.push_back(Waiting { command, place: queue.place });
        queue.bytes += bytes;
        Ok(())
    }

    /// The window of a connection has opened: its queue returns from parking.
    pub fn window_opened(&mut self, key: QueueKey) {
        if self.queues.get(&key).is_some_and(|queue| queue.place == Place::Parked) {
            self.enter(key);
        }
    }

    /// The queue enters its list again at the tail, or at the head if a flush came to it while it was in no list and
    /// waits in it still: rule 5 had no list to move it in.
    fn enter(&mut self, key: QueueKey) {
        let Some(queue) = self.queues.get_mut(&key) else { return };
        let Some(list) = self.lists.get_mut(usize::from(key.vc)) else { return };
        let missed = |one: &Waiting| one.command.flush == Flush::Yes && one.place != Place::Listed;
        let to_head = queue.commands.iter().any(missed);
        queue.commands.iter_mut().for_each(|one| one.place = Place::Listed);
        queue.place = if queue.commands.is_empty() { Place::Idle } else { Place::Listed };
        match (queue.place, to_head) {
            (Place::Listed, true) => list.push_front(key),
            (Place::Listed, false) => list.push_back(key),
            _ => {}
        }
    }

    /// Rules 2 and 3: starts a body, if any queue is eligible and none is being built. `gate` gets a queue and
    /// min(its bytes, PACK_MAX).
    pub fn start(&mut self, mut gate: impl FnMut(QueueKey, u32) -> Gate) -> Option<QueueKey> {
        if self.building.is_some() {
            return None;
        }
        let vcs = self.lists.len();
        for step in 0..=vcs {
            if step > 0 || self.allowance == 0 {
                self.turn = (self.turn + 1) % vcs;
                self.allowance = self.config.weights.get(self.turn).copied().unwrap_or(1);
            }
            if let Some((key, port)) = self.first_eligible(self.turn, &mut gate) {
                self.allowance -= 1;
                self.lists[self.turn].retain(|&other| other != key);
                if let Some(queue) = self.queues.get_mut(&key) {
                    queue.place = Place::Building;
                }
                self.building = Some((key, port));
                return Some(key);
            }
        }
        None
    }

    fn first_eligible(
        &mut self,
        vc: usize,
        gate: &mut impl FnMut(QueueKey, u32) -> Gate,
    ) -> Option<(QueueKey, u8)> {
        let mut blocked = Vec::new();
        for key in self.lists.get(vc)?.clone() {
            match gate(key, self.queue_bytes(key).min(self.config.pack_max)) {
                Gate::Open { port } if !blocked.contains(&port) => return Some((key, port)),
                Gate::Open { .. } | Gate::NoSlot => {}
                Gate::ClassBlocked { port } => blocked.push(port),
                Gate::WindowClosed => self.park(key),
            }
        }
        None
    }

    fn park(&mut self, key: QueueKey) {
        if let (Some(list), Some(queue)) =
            (self.lists.get_mut(usize::from(key.vc)), self.queues.get_mut(&key))
        {
            list.retain(|&other| other != key);
            queue.place = Place::Parked;
        }
    }

    /// Rules 4 and 6: closes the body that was started; commands that came meanwhile are in it as far as they fit.
    pub fn close(&mut self) -> Option<PackedBody> {
        let body = self.take()?;
        self.enter(body.queue);
        Some(body)
    }

    /// As [`Packer::close`], but the queue is parked until [`Packer::window_opened`]: so does a packer that is told of
    /// windows only after each body.
    pub fn close_and_park(&mut self) -> Option<PackedBody> {
        let body = self.take()?;
        if let Some(queue) = self.queues.get_mut(&body.queue) {
            queue.place = Place::Parked;
        }
        Some(body)
    }

    /// The commands of the body that was started.
    fn take(&mut self) -> Option<PackedBody> {
        let (key, port) = self.building.take()?;
        let pack_max = self.config.pack_max;
        let queue = self.queues.get_mut(&key)?;
        let partition = queue.commands.front()?.command.partition;
        let mut body = PackedBody { queue: key, port, partition, bytes: 0, commands: Vec::new() };
        while let Some(Waiting { command, .. }) = queue.commands.front().copied() {
            let ended = body.commands.last().is_some_and(|last| last.flush == Flush::Yes);
            if ended || command.partition != partition || body.bytes + command.bytes > pack_max {
                break;
            }
            body.bytes += command.bytes;
            body.commands.push(command);
            queue.commands.pop_front();
        }
        queue.bytes -= body.bytes;
        self.histogram[(body.commands.len() - 1).min(HISTOGRAM_BINS - 1)] += 1;
        Some(body)
    }

    /// A whole body at once: [`Packer::start`] and [`Packer::close`] with nothing in between.
    pub fn build(&mut self, gate: impl FnMut(QueueKey, u32) -> Gate) -> Option<PackedBody> {
        self.start(gate)?;
        self.close()
    }
}
