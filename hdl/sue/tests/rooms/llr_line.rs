//! Two ports with link-layer retry in native code, and between them what the MAC and a wire with faults do. For `llr` and `llr_faults`.

use crate::rooms::llr_port::Port;

use flitforge_hdl_sue::llr_tx::LlrFlushCause;
use flitforge_model::sue::format::{OrderedSet, Profile};
use flitforge_protocol::sue::class::CLASSES;

/// Words of the replay buffer.
pub const WORDS: u64 = 2048;
/// Octets of a word.
pub const WORD: u64 = 8;
/// Clocks that the MAC needs for preamble, FCS and gap of a frame.
pub const OVERHEAD: u64 = 3;
/// States, in the order of their codes.
pub const INIT: u64 = 1;
pub const ADVANCE: u64 = 2;
pub const REPLAY: u64 = 3;
pub const FLUSH: u64 = 4;
pub const SEND_ACKS: u64 = 1;
pub const NACK_SENT: u64 = 3;

/// What becomes of frames that wait.
pub const BLOCK: u64 = 0;
pub const BEST_EFFORT: u64 = 1;
pub const DISCARD: u64 = 2;

/// What the registers say.
#[derive(Clone, Copy)]
pub struct Setup {
    pub profile: Profile,
    pub first: u64,
    pub replay_timer: u64,
    pub init_interval: u64,
    pub replays_max: u64,
    pub pcs_lost: u64,
    pub age: u64,
    pub frames_max: u64,
    pub room_words: u64,
    pub waiting: u64,
    pub automatic: bool,
    pub eligible: u64,
    pub nack_timer: u64,
    pub twice: bool,
    pub twice_within: u64,
}

impl Setup {
    /// The defaults of the chapter (P_LLR) with timers of hundreds of clocks.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            first: 0,
            replay_timer: 1600,
            init_interval: 400,
            replays_max: 3,
            pcs_lost: 0,
            age: 0,
            frames_max: 64,
            room_words: WORDS - 300,
            waiting: BLOCK,
            automatic: false,
            eligible: 0x3f,
            nack_timer: 3200,
            twice: false,
            twice_within: 200,
        }
    }

    pub fn values(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("settings_tx.first", self.first),
            ("settings_tx.replay_timer", self.replay_timer),
            ("settings_tx.init_interval", self.init_interval),
            ("settings_tx.replays_max", self.replays_max),
            ("settings_tx.pcs_lost", self.pcs_lost),
            ("settings_tx.age", self.age),
            ("settings_tx.frames_max", self.frames_max),
            ("settings_tx.room_words", self.room_words),
            ("settings_tx.waiting", self.waiting),
            ("settings_tx.automatic", self.automatic.into()),
            ("settings_tx.eligible", self.eligible),
            ("settings_tx.twice", self.twice.into()),
            ("settings_rx.nack_timer", self.nack_timer),
            ("settings_rx.accepts_poison", (self.profile == Profile::Ue103).into()),
            ("settings_rx.twice", self.twice.into()),
            ("settings_rx.twice_within", self.twice_within),
        ]
    }
}

/// A frame to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub number: u64,
    pub class: u64,
    pub bypass: bool,
    /// Octets without FCS.
    pub bytes: u64,
    pub poisoned: bool,
}

impl Frame {
    pub fn words(&self) -> u64 {
        self.bytes.div_ceil(WORD)
    }

    /// Data, and {error, last, bytes}.
    pub fn word(&self, place: u64) -> [u64; 2] {
        let last = place + 1 == self.words();
        let bytes = if last { self.bytes - place * WORD } else { WORD };
        let data = self.number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(place as u32 % 64) ^ place;
        let data = if place == 0 { self.number << 8 | self.class } else { data };
        [data, bytes | u64::from(last) << 4 | u64::from(last && self.poisoned) << 5]
    }
}

/// What is on the wire.
#[derive(Clone, Debug)]
pub enum Item {
    Set(u64),
    Frame { head: u64, words: Vec<[u64; 2]>, broken: bool },
}

impl Item {
    pub fn is_frame(&self) -> bool {
        matches!(self, Item::Frame { .. })
    }

    /// Decoded by the golden codec.
    pub fn set(&self) -> Option<OrderedSet> {
        let Item::Set(word) = self else { return None };
        OrderedSet::decode(word.to_le_bytes()).ok()
    }

    pub fn is_ack(&self) -> bool {
        matches!(self.set(), Some(OrderedSet::LlrAck(_)))
    }

    pub fn sequence(&self) -> Option<u64> {
        match self {
            Item::Frame { head, .. } if head & 1 == 1 => Some(head >> 1),
            _ => None,
        }
    }
}

/// What the wire does to an item.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    Lose,
    Duplicate,
    /// This bit of an ordered set; a frame gets a bad FCS.
    Corrupt(u32),
}

/// Two ports.
pub struct Line {
    pub ports: [Port; 2],
    pub now: u64,
    pub latency: u64,
    /// Items sent, by end.
    pub items: [u64; 2],
    /// The next number, by end and class.
    pub offered: [[u64; CLASSES]; 2],
    /// States that were seen: of the sender, of the receiver.
    pub states: std::collections::BTreeSet<(u64, u64)>,
}

impl Line {
    pub fn new(setup: Setup, latency: u64) -> Self {
        let ports = [Port::new(&setup), Port::new(&setup)];
        let (offered, states) = ([[0; CLASSES]; 2], Default::default());
        let mut line = Self { ports, now: 0, latency, items: [0; 2], offered, states };
        // in OFF, what is offered would go without a number
        line.run(3, quiet, |line| line.ports[0].get("state_tx") == INIT);
        line
    }

    pub fn offer(&mut self, end: usize, class: u64, bytes: u64) {
        self.offer_frame(end, Frame { number: 0, class, bypass: false, bytes, poisoned: false });
    }

    /// Its number is filled in.
    pub fn offer_frame(&mut self, end: usize, frame: Frame) {
        let number = &mut self.offered[end][frame.class as usize];
        self.ports[end].queue.push_back(Frame { number: *number, ..frame });
        *number += 1;
    }

    /// One clock of everything; the wire asks for a fault by end, number of the item, and the item.
    pub fn step(&mut self, fault: &mut dyn FnMut(usize, u64, &Item) -> Fault) {
        for end in 0..2 {
            self.ports[end].drive(self.now);
            let states = (self.ports[end].get("state_tx"), self.ports[end].get("state_rx"));
            self.states.insert(states);
            for item in self.ports[end].observe() {
                let at = self.now + self.latency;
                let found = fault(end, self.items[end], &item);
                self.items[end] += 1;
                let to = &mut self.ports[1 - end].arrivals;
                match found {
                    Fault::None => to.push_back((at, item)),
                    Fault::Lose => {}
                    Fault::Duplicate => to.extend([(at, item.clone()), (at, item)]),
                    Fault::Corrupt(bit) => to.push_back((at, corrupt(item, bit))),
                }
            }
        }
        for port in &mut self.ports {
            port.instance.step(port.clocks);
        }
        self.now += 1;
    }

    /// Steps until `done`, at most `limit` clocks; says whether it came to that.
    pub fn run(
        &mut self,
        limit: u64,
        mut fault: impl FnMut(usize, u64, &Item) -> Fault,
        mut done: impl FnMut(&mut Self) -> bool,
    ) -> bool {
        for _ in 0..limit {
            if done(self) {
                return true;
            }
            self.step(&mut fault);
        }
        done(self)
    }

    pub fn is_complete(&mut self) -> bool {
        (0..2).all(|end| {
            let other = &self.ports[1 - end];
            (0..CLASSES).all(|class| other.delivered[class].len() as u64 == self.offered[end][class])
        })
    }

    /// And everything is acknowledged.
    pub fn is_at_rest(&mut self) -> bool {
        self.is_complete() && self.ports.iter_mut().all(|port| port.get("empty") == 1)
    }

    pub fn flushes(&self) -> usize {
        self.ports.iter().map(|port| port.flushes.len()).sum()
    }
}

fn corrupt(item: Item, bit: u32) -> Item {
    match item {
        Item::Set(word) => Item::Set(word ^ 1 << (bit % 64)),
        Item::Frame { head, words, .. } => Item::Frame { head, words, broken: true },
    }
}

/// No fault.
pub fn quiet(_: usize, _: u64, _: &Item) -> Fault {
    Fault::None
}

/// A cause as it is told.
pub fn cause(cause: LlrFlushCause) -> u64 {
    cause as u64
}
