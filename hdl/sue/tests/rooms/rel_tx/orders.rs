//! What connection management wants of the sender, and what has to become of bodies then.

use super::world::{Body, Connection, World};
use flitforge_hdl_sue::failover::{OrderKind, SenderAnswer};
use flitforge_hdl_sue::frame::BodyHead;
use flitforge_hdl_sue::slot_walker::BodyStatus;
use flitforge_model::sue::{ConnectionState, Psn, SenderEvent, Status};
use rand::Rng;

/// Clocks that a closed connection rests: longer than anything lives.
const REST: u64 = 1_000;

/// How far a connection is, as connection management sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Open,
    Stopping,
    Stopped,
    /// Handed over, or given up.
    Settling(OrderKind),
    /// Since when.
    Closed(u64),
}

/// What the sender is told.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub number: usize,
    pub kind: OrderKind,
    pub psn: u16,
}

impl Connection {
    pub fn is_open(&self) -> bool {
        self.sender.connection(self.key).is_none_or(|one| one.state() == ConnectionState::Open)
    }

    fn stands(&self) -> (u16, u16) {
        self.sender.connection(self.key).map_or((0, 0), |one| (one.una().value(), one.nxt().value()))
    }
}

impl World {
    /// What connection management wants next.
    pub fn choose(&mut self) -> Option<Order> {
        if let Some((number, psn)) = self.to_open.pop_front() {
            return Some(Order { number, kind: OrderKind::Open, psn: psn.value() });
        }
        if self.orders == 0.0 || !self.random.random_bool(self.orders) {
            return None;
        }
        let number = self.random.random_range(0..self.connections.len());
        let connection = &mut self.connections[number];
        let (kind, psn) = match connection.stage {
            Stage::Open => (OrderKind::Stop, 0),
            Stage::Closed(since) if since + REST < self.now => (OrderKind::Open, connection.stands().1),
            Stage::Stopped => {
                // the peer accepts nothing from now on
                connection.frozen = true;
                connection.frames.clear();
                self.returning.retain(|(_, of, _)| *of != number);
                let gives_up = self.random.random_bool(0.4);
                let kind = if gives_up { OrderKind::Abandon } else { OrderKind::HandOver };
                (kind, connection.peer.exp().value())
            }
            _ => return None,
        };
        Some(Order { number, kind, psn })
    }

    /// The sender takes an order.
    pub fn ordered(&mut self, order: Order) -> Result<(), String> {
        let number = order.number;
        let connection = &mut self.connections[number];
        self.order = Some(order);
        match order.kind {
            OrderKind::Stop => connection.stage = Stage::Stopping,
            OrderKind::Open => {}
            OrderKind::HandOver => {
                let answer = connection.sender.freeze_response(connection.key, Psn::new(order.psn));
                let (events, bodies) = answer.map_err(|error| error.to_string())?;
                if bodies.iter().map(|body| body.number).ne(connection.undelivered.iter().copied()) {
                    return Err(format!("{bodies:?} go, not delivered are {:?}", connection.undelivered));
                }
                let late = std::mem::take(&mut connection.late);
                connection.stage = Stage::Settling(order.kind);
                self.completed(number, events);
                bodies.into_iter().chain(late).for_each(|body| self.goes(number, body, true));
            }
            OrderKind::Abandon => {
                // an acknowledgment that was taken before may be first
                connection.races = self.taken.iter().any(|(of, _)| *of == number);
                let events = connection.sender.abandon(connection.key);
                let late = std::mem::take(&mut connection.late);
                connection.stage = Stage::Settling(order.kind);
                self.completed(number, events);
                let failed = late.into_iter().map(|body| (body.number, BodyStatus::Failed));
                self.connections[number].completes.extend(failed);
            }
        }
        Ok(())
    }

    /// What the golden sender has completed.
    pub fn completed(&mut self, number: usize, events: Vec<SenderEvent<Body>>) {
        for event in events {
            if let SenderEvent::Completed { body, status, .. } = event {
                let status = match status {
                    Status::Delivered => BodyStatus::Delivered,
                    Status::Failed => BodyStatus::Failed,
                    Status::Flushed => BodyStatus::Flushed,
                    Status::Unknown => BodyStatus::Unknown,
                };
                self.connections[number].completes.push_back((body.number, status));
            }
        }
    }

    /// A body goes to another port, unless it is known to be wrong, or turns out to be.
    fn goes(&mut self, number: usize, body: Body, walks: bool) {
        let connection = &mut self.connections[number];
        if walks && self.damaged.contains(&body.number) {
            connection.completes.push_back((body.number, BodyStatus::Failed));
        } else if body.spoilt {
            self.failing.push(body);
        } else {
            connection.moving.push_back(body);
        }
    }

    /// A body that the golden sender does not take: the connection is stopped, or closed.
    pub fn comes_late(&mut self, number: usize, body: Body, diverts: bool) -> Result<(), String> {
        let connection = &mut self.connections[number];
        connection.outstanding.push_back((body.clone(), self.now));
        match (connection.stage, diverts) {
            (Stage::Stopping | Stage::Stopped, false) => connection.late.push(body),
            (Stage::Settling(OrderKind::Abandon), false) => {
                connection.completes.push_back((body.number, BodyStatus::Failed));
            }
            (Stage::Settling(_), false) => self.goes(number, body, true),
            (Stage::Settling(_) | Stage::Closed(_) | Stage::Stopping, true) => {
                self.goes(number, body, false);
            }
            (stage, _) => return Err(format!("{body:?} comes, {stage:?}, diverts {diverts}")),
        }
        self.seen.hit(if diverts { "a body of a closed connection" } else { "a late body" });
        Ok(())
    }

    /// The table has stopped a connection, or says where it stands.
    pub fn stops(&mut self, number: usize) -> Result<(), String> {
        self.order.filter(|order| order.number == number).ok_or("nobody stops")?;
        let connection = &mut self.connections[number];
        if connection.stage == Stage::Stopping {
            connection.stood = connection.stands();
            connection.sender.freeze(connection.key);
            if connection.stood.0 == connection.stood.1 {
                connection.sender.abandon(connection.key);
            }
        }
        Ok(())
    }

    /// An order is done.
    pub fn answered(&mut self, answer: SenderAnswer) -> Result<(), String> {
        let order = self.order.take().ok_or("an answer to no order")?;
        let came = (u64::from(answer.oldest) as u16, u64::from(answer.following) as u16);
        let connection = &mut self.connections[order.number];
        let closed = Stage::Closed(self.now);
        let (right, hit, stage) = match order.kind {
            OrderKind::Stop if came.0 == came.1 => (came == connection.stood, "stopped empty", closed),
            OrderKind::Stop => (came == connection.stood, "stopped", Stage::Stopped),
            OrderKind::Open => (came == (order.psn, order.psn), "opened", Stage::Open),
            OrderKind::HandOver => (came.0 == came.1, "handed over", closed),
            OrderKind::Abandon => (came.0 == came.1, "given up", closed),
        };
        let waits = order.kind != OrderKind::Stop && !connection.completes.is_empty();
        if !right || waits {
            return Err(format!("{order:?}: {came:?}, {:?} {:?}", connection.stood, connection.completes));
        }
        connection.frozen |= stage == closed;
        connection.stage = stage;
        self.seen.hit(hit);
        Ok(())
    }

    /// A body that was wrong when it was to go elsewhere.
    pub fn fails(&mut self, commands: u64, destination: u64, vc: u64) -> bool {
        let same = |body: &Body| (body.commands, body.destination, body.vc) == (commands, destination, vc);
        let Some(place) = self.failing.iter().position(same) else { return false };
        let body = self.failing.remove(place);
        self.leaves(&body);
        self.seen.hit("a body that was wrong fails");
        self.released.left(body.octets.len()).is_ok()
    }

    fn leaves(&mut self, body: &Body) {
        let connection = &mut self.connections[(body.destination * 4 + body.vc) as usize];
        connection.outstanding.retain(|(other, _)| other.number != body.number);
    }

    /// A body has left for another port.
    pub fn moved(&mut self, octets: &[u8], head: BodyHead, commands: u64) -> Result<(), String> {
        let number = u64::from(head.destination) * 4 + u64::from(head.vc);
        let body = self.connections[number as usize].moving.pop_front();
        let body = body.ok_or_else(|| format!("nothing moves: {head:?}"))?;
        if body.octets != octets || u64::from(head.partition) != body.partition || commands != body.commands {
            return Err(format!("{octets:02x?} {head:?} {commands} moves, expected {body:?}"));
        }
        self.leaves(&body);
        self.released.left(body.octets.len())?;
        self.seen.hit("moved");
        Ok(())
    }
}
