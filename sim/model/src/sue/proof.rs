//! Every state of a small go-back-N: PSNs of 4 bits, channels that lose and duplicate (chapter 50, stretch of section 9).
//!
//! Timers and coalescing are left open: an acknowledgment may be sent and a timer may run out at any time, which covers
//! every setting of them. Each step that a real system could take is tried in each state, any number of times; from
//! each state the quiet steps, in which nothing goes wrong, must lead to rest with everything delivered and acknowledged.

use super::config::{Mutation, ReceiverConfig, Renack, RetryLimit, SenderConfig, StuckAction};
use super::connection::SenderConnection;
use super::pdu::{Acknowledgment, Content};
use super::receiver::{BodyCheck, ReceiverConnection, Room, Verdict};
use super::sequence::Psn;
use crate::explore::{explore, ExploreError, Explored, System};
use std::collections::VecDeque;
use thiserror::Error;

/// Bits of a PSN here.
const BITS: u32 = 4;
/// Bodies are numbered modulo this: twice the PSNs, so that a body of another wrap is seen.
const NUMBERS: u8 = 32;

/// The size of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProofBounds {
    /// WIN.
    pub window: u16,
    /// PDUs that the forward channel holds.
    pub forward: usize,
    /// Acknowledgments that the backward channel holds; with two or more they overtake each other.
    pub backward: usize,
    /// RENACK.
    pub renack: Renack,
    /// Whether the sending end also sends ack-only PDUs.
    pub empty: EmptyPdus,
    /// A rule left out.
    pub mutation: Option<Mutation>,
    /// Most states.
    pub states: usize,
}

/// Whether ack-only PDUs go among the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmptyPdus {
    /// They do not.
    Absent,
    /// They do.
    Present,
}

/// A broken promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Broken {
    /// A body was delivered that is not the next one.
    #[error("body {delivered} was delivered in place of body {expected} (modulo 32)")]
    Order {
        /// What was delivered.
        delivered: u8,
        /// What was to come.
        expected: u8,
    },
    /// A body was freed at the sender before it was delivered.
    #[error("body {body} (modulo 32) was freed before it was delivered")]
    FreedUndelivered {
        /// The body.
        body: u8,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sent {
    psn: Psn<BITS>,
    content: Content<u8>,
}

#[derive(Clone)]
struct Pair {
    bounds: ProofBounds,
    sender_config: SenderConfig,
    receiver_config: ReceiverConfig,
    sender: SenderConnection<u8, BITS>,
    receiver: ReceiverConnection<BITS>,
    forward: VecDeque<Sent>,
    /// With how often each was overtaken.
    backward: VecDeque<(Acknowledgment<BITS>, u8)>,
    /// Number of the next body to be offered, to be delivered.
    offered: u8,
    delivered: u8,
}

impl std::hash::Hash for Pair {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.sender, &self.receiver, &self.forward, &self.backward).hash(state);
        (self.offered, self.delivered).hash(state);
    }
}

/// What a head of a channel does besides arriving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Copies {
    One,
    /// It arrives and stays: a duplicate.
    Again,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Offer,
    Send,
    SendEmpty,
    Arrive(Copies),
    ArriveFull,
    Lose,
    Acknowledge,
    Return(Copies),
    Overtake,
    LoseBack,
    Expire,
}

/// How often an acknowledgment may be overtaken: more could make it look new, and 4.5 rule 4 forbids that it lives so long.
const OVERTAKEN_MAX: u8 = 2;

const CHOICES: [Choice; 13] = [
    Choice::Offer,
    Choice::Send,
    Choice::SendEmpty,
    Choice::Arrive(Copies::One),
    Choice::Arrive(Copies::Again),
    Choice::ArriveFull,
    Choice::Lose,
    Choice::Acknowledge,
    Choice::Return(Copies::One),
    Choice::Return(Copies::Again),
    Choice::Overtake,
    Choice::LoseBack,
    Choice::Expire,
];

impl Pair {
    fn new(bounds: ProofBounds) -> Self {
        let mutation = bounds.mutation;
        let sender_config = SenderConfig {
            window: bounds.window,
            slots: usize::from(bounds.window),
            slot_min: 1,
            vcs: 1,
            rto: 0,
            backoff: 0,
            retry_limit: RetryLimit::Never,
            nack_max: 0,
            stuck_action: StuckAction::Report,
            mutation,
        };
        let receiver_config =
            ReceiverConfig { ack_coalesce: 1, ack_timer: 0, renack: bounds.renack, mutation };
        Pair {
            bounds,
            sender_config,
            receiver_config,
            sender: SenderConnection::new(Psn::ZERO),
            receiver: ReceiverConnection::new(Psn::ZERO),
            forward: VecDeque::new(),
            backward: VecDeque::new(),
            offered: 0,
            delivered: 0,
        }
    }

    fn send(&mut self) {
        if self.forward.len() < self.bounds.forward {
            if let Some((psn, &body, _)) = self.sender.send(0) {
                self.forward.push_back(Sent { psn, content: Content::Body(body) });
            }
        }
    }

    fn arrive(&mut self, copies: Copies, room: Room) -> Result<(), Broken> {
        let head = match copies {
            Copies::One => self.forward.pop_front(),
            Copies::Again => self.forward.front().copied(),
        };
        let Some(Sent { psn, content }) = head else { return Ok(()) };
        let Content::Body(body) = content else {
            self.receiver.receive_empty(&self.receiver_config, psn);
            return Ok(());
        };
        let verdict = self.receiver.receive(&self.receiver_config, psn, room, BodyCheck::Good, 0);
        if verdict != Verdict::Accepted {
            return Ok(());
        }
        if body != self.delivered {
            return Err(Broken::Order { delivered: body, expected: self.delivered });
        }
        self.delivered = (self.delivered + 1) % NUMBERS;
        Ok(())
    }

    fn acknowledge(&mut self) {
        let due = self.receiver.due(&self.receiver_config, 0).is_some();
        if due && self.backward.len() < self.bounds.backward {
            self.backward.push_back((self.receiver.carry(&self.receiver_config), 0));
        }
    }

    fn come_back(&mut self, copies: Copies) -> Result<(), Broken> {
        let head = match copies {
            Copies::One => self.backward.pop_front(),
            Copies::Again => self.backward.front().copied(),
        };
        head.map_or(Ok(()), |(acknowledgment, _)| self.take(acknowledgment))
    }

    /// The second of the backward channel arrives before the first: ack-only PDUs have a class of their own.
    fn overtake(&mut self) -> Result<(), Broken> {
        if self.backward.front().is_none_or(|&(_, overtaken)| overtaken >= OVERTAKEN_MAX) {
            return Ok(());
        }
        let Some((acknowledgment, _)) = self.backward.remove(1) else { return Ok(()) };
        self.backward.iter_mut().for_each(|(_, overtaken)| *overtaken += 1);
        self.take(acknowledgment)
    }

    fn take(&mut self, acknowledgment: Acknowledgment<BITS>) -> Result<(), Broken> {
        let freed = self.sender.acknowledge(&self.sender_config, acknowledgment, 0).freed;
        // delivered and not freed before: the last so many numbers before `delivered`
        for (_, slot) in freed {
            let behind = (self.delivered + NUMBERS - slot.body) % NUMBERS;
            if behind == 0 || behind > NUMBERS / 2 {
                return Err(Broken::FreedUndelivered { body: slot.body });
            }
        }
        Ok(())
    }

    fn choose(&mut self, choice: Choice) -> Result<(), Broken> {
        match choice {
            Choice::Offer if self.sender.has_window(&self.sender_config) => {
                self.sender.push(self.offered, 0);
                self.offered = (self.offered + 1) % NUMBERS;
            }
            Choice::Send => self.send(),
            Choice::SendEmpty
                if self.bounds.empty == EmptyPdus::Present && self.forward.len() < self.bounds.forward =>
            {
                self.forward.push_back(Sent { psn: self.sender.nxt(), content: Content::Empty });
            }
            Choice::Offer | Choice::SendEmpty => {}
            Choice::Arrive(copies) => self.arrive(copies, Room::Free)?,
            Choice::ArriveFull => self.arrive(Copies::One, Room::Full)?,
            Choice::Lose => drop(self.forward.pop_front()),
            Choice::Acknowledge => self.acknowledge(),
            Choice::Return(copies) => self.come_back(copies)?,
            Choice::Overtake => self.overtake()?,
            Choice::LoseBack => drop(self.backward.pop_front()),
            Choice::Expire => drop(self.sender.expire(&self.sender_config, 0)),
        }
        Ok(())
    }

    /// The step of a system in which nothing goes wrong and no new body comes.
    fn quiet(&self) -> Choice {
        if !self.backward.is_empty() {
            Choice::Return(Copies::One)
        } else if !self.forward.is_empty() {
            Choice::Arrive(Copies::One)
        } else if self.receiver.due(&self.receiver_config, 0).is_some() {
            Choice::Acknowledge
        } else if self.sender.ready().is_some() {
            Choice::Send
        } else {
            Choice::Expire
        }
    }
}

impl System for Pair {
    type Violation = Broken;

    fn troubles(&self) -> usize {
        CHOICES.len()
    }

    fn weight(&self, _: usize) -> usize {
        0 // any number of times
    }

    fn step(&mut self, trouble: Option<usize>) -> Result<(), Broken> {
        let choice = trouble.and_then(|trouble| CHOICES.get(trouble)).copied();
        let choice = choice.unwrap_or_else(|| self.quiet());
        self.choose(choice)
    }

    fn is_at_rest(&self) -> bool {
        self.is_good()
    }

    fn is_good(&self) -> bool {
        self.sender.outstanding() == 0
            && self.forward.is_empty()
            && self.backward.is_empty()
            && self.delivered == self.offered
    }
}

/// Searches every state for a body that is lost, doubled or out of order, or freed too early, and for a state from which
/// the quiet steps do not lead to rest.
pub fn prove_go_back_n(bounds: ProofBounds) -> Result<Explored, ExploreError<Broken>> {
    explore(Pair::new(bounds), 0, bounds.states, |_| ())
}
