//! A connection of the sender under test: its golden ends, and what is on its way.

use super::*;

/// How far a connection is, as connection management sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Open,
    Stopping,
    Stopped,
    /// Handed over, or given up.
    Settling(OrderKind),
    Closed,
}

/// What the sender is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) number: usize,
    pub(super) kind: OrderKind,
    pub(super) psn: u16,
}

/// A connection: its golden ends, and what is on its way.
pub(super) struct Connection {
    pub(super) key: ConnectionKey,
    pub(super) sender: Sender<u64>,
    pub(super) peer: ReceiverConnection,
    /// Bodies that the peer has not accepted, the oldest first.
    pub(super) undelivered: VecDeque<u64>,
    /// Bodies that are acknowledged and not completed, and those that are not acknowledged, with their time.
    pub(super) completes: VecDeque<(u64, BodyStatus)>,
    pub(super) outstanding: VecDeque<(u64, u64)>,
    /// Frames on their way: when they arrive.
    pub(super) frames: VecDeque<(u64, Psn, u64)>,
    pub(super) window: bool,
    /// When its timer started last, and how far its golden sender's time is ahead.
    pub(super) restarted: Option<u64>,
    pub(super) ahead: u64,
    /// A body is being stored, or its result has not come.
    pub(super) pending: bool,
    pub(super) stage: Stage,
    /// It was given up while an acknowledgment was on its way.
    pub(super) races: bool,
    /// Where it stood when it stopped.
    pub(super) stood: (u16, u16),
    /// Bodies that came when it was stopped; bodies that go elsewhere.
    pub(super) late: Vec<u64>,
    pub(super) moving: VecDeque<u64>,
}

impl Connection {
    pub(super) fn new(config: SenderConfig, number: usize) -> Self {
        let key = ConnectionKey { port: 0, peer: (number / 4) as u16, vc: (number % 4) as u8 };
        Self {
            key,
            sender: Sender::new(config).expect("valid"),
            peer: ReceiverConnection::new(Psn::ZERO),
            undelivered: VecDeque::new(),
            completes: VecDeque::new(),
            outstanding: VecDeque::new(),
            frames: VecDeque::new(),
            window: true,
            restarted: None,
            ahead: 0,
            pending: false,
            stage: Stage::Open,
            races: false,
            stood: (0, 0),
            late: vec![],
            moving: VecDeque::new(),
        }
    }

    pub(super) fn open(&mut self, psn: Psn) {
        self.sender.reconnect(self.key, psn);
        self.sender.open_response(self.key, psn).expect("it was closed");
        self.peer = ReceiverConnection::new(psn);
        self.undelivered.clear();
    }

    pub(super) fn nxt(&self) -> u16 {
        self.sender.connection(self.key).map_or(0, |one| one.nxt().value())
    }

    /// A body that the golden sender does not take: the connection is stopped, or closed.
    pub(super) fn late(&mut self, body: u64, diverts: bool) -> Result<&'static str, String> {
        match (self.stage, diverts) {
            (Stage::Stopping | Stage::Stopped, false) => {
                self.late.push(body);
                Ok("a late body")
            }
            (Stage::Settling(OrderKind::Abandon), false) => {
                self.completes.push_back((body, BodyStatus::Failed));
                Ok("a late body")
            }
            (Stage::Settling(OrderKind::HandOver), false) => {
                self.moving.push_back(body);
                Ok("a late body")
            }
            (Stage::Settling(_) | Stage::Closed | Stage::Stopping, true) => {
                self.moving.push_back(body);
                Ok("a body of a closed connection")
            }
            (stage, _) => Err(format!("{body} comes, {stage:?}, diverts {diverts}")),
        }
    }

    /// The sender takes an order: what becomes of bodies.
    pub(super) fn ordered(&mut self, order: Order) -> Result<(), String> {
        let late = std::mem::take(&mut self.late);
        let events = match order.kind {
            OrderKind::Stop => {
                self.stage = Stage::Stopping;
                return Ok(());
            }
            OrderKind::Open => return Ok(()),
            OrderKind::HandOver => {
                let (events, bodies) = self
                    .sender
                    .freeze_response(self.key, Psn::new(order.psn))
                    .map_err(|error| error.to_string())?;
                if bodies.iter().ne(&self.undelivered) {
                    return Err(format!("{bodies:?} go elsewhere, not delivered are {:?}", self.undelivered));
                }
                self.moving.extend(bodies);
                self.moving.extend(late);
                events
            }
            OrderKind::Abandon => {
                let mut events = self.sender.abandon(self.key);
                let psn = Psn::ZERO;
                let failed =
                    |body| SenderEvent::Completed { key: self.key, psn, body, status: Status::Failed };
                events.extend(late.into_iter().map(failed));
                events
            }
        };
        self.complete(events);
        self.stage = Stage::Settling(order.kind);
        Ok(())
    }

    /// What the golden sender has completed.
    pub(super) fn complete(&mut self, events: Vec<SenderEvent<u64>>) {
        for event in events {
            if let SenderEvent::Completed { body, status, .. } = event {
                let status = match status {
                    Status::Delivered => BodyStatus::Delivered,
                    Status::Failed => BodyStatus::Failed,
                    Status::Flushed => BodyStatus::Flushed,
                    Status::Unknown => BodyStatus::Unknown,
                };
                self.completes.push_back((body, status));
            }
        }
    }
}
