//! Bodies, acknowledgments and records between this end and its peers; ports and peers that come and go.

use super::world::{World, LIFE, PEERS, PORTS};
use flitforge_model::sue::format::CmRecord;
use flitforge_model::sue::{BodyCheck, ConnectionKey, Content, OpenAnswer, Psn, Room, SenderEvent, Status};
use flitforge_protocol::sue::reliability::CmCode;
use rand::Rng as _;

impl World {
    /// A clock: bodies, acknowledgments, records, ports.
    pub fn step(&mut self) {
        self.now += 1;
        self.past_up.push_front(self.up);
        self.past_up.truncate(80);
        for port in 0..PORTS {
            let is_up = self.up >> port & 1 == 1;
            if self.random.random_bool(if is_up { 0.000_5 } else { 0.005 }) {
                self.up ^= 1 << port;
                if is_up {
                    self.fell[port] = Some(self.now);
                    self.hit("a port goes down");
                }
            }
        }
        for peer in 1..PEERS {
            let dead = self.dead[usize::from(peer)];
            if self.random.random_bool(if dead { 0.002 } else { 0.000_2 }) {
                self.dead[usize::from(peer)] = !dead;
            }
        }
        let (peer, vc) = (self.random.random_range(1..PEERS), self.random.random_range(0..4));
        let port = self.random.random_range(0..PORTS as u8);
        let key = ConnectionKey { port, peer, vc };
        if self.is_open(key) && self.random.random_bool(0.2) {
            let body = self.bodies;
            if self.here.accept(key, body, self.now).is_ok() {
                self.bodies += 1;
            }
        }
        if self.random.random_bool(0.2) && self.up >> port & 1 == 1 {
            self.exchange(port);
        }
        self.deliver_records();
    }

    /// A PDU from here, and one from a peer.
    fn exchange(&mut self, port: u8) {
        let now = self.now;
        if let Some(pdu) = self.here.transmit(port, now, now) {
            let to = usize::from(pdu.destination);
            if !self.dead[to] && self.random.random_bool(0.8) {
                let content = pdu.content;
                let reception = self.peers[to].receive(pdu, Room::Free, BodyCheck::Good, now);
                if let (Some(_), Content::Body(body)) = (reception.delivered, content) {
                    assert!(self.delivered.insert(body), "body {body} is delivered twice");
                    assert!(!self.moved.contains(&body), "body {body} is delivered and went elsewhere");
                }
            }
        }
        let peer = self.random.random_range(1..PEERS);
        if self.dead[usize::from(peer)] {
            return;
        }
        if let Some(pdu) = self.peers[usize::from(peer)].transmit(port, now, now) {
            if self.random.random_bool(0.8) {
                let events = self.here.receive(pdu, Room::Free, BodyCheck::Good, now).events;
                self.check_completed(events);
            }
        }
    }

    pub(super) fn check_completed(&self, events: Vec<SenderEvent<u64>>) {
        for event in events {
            if let SenderEvent::Completed { body, status, .. } = event {
                let is_delivered = self.delivered.contains(&body);
                match status {
                    Status::Delivered => {
                        assert!(is_delivered, "body {body} has status 0 and was not delivered")
                    }
                    Status::Failed => assert!(!is_delivered, "body {body} has status 1 and was delivered"),
                    Status::Unknown | Status::Flushed => {}
                }
            }
        }
    }

    /// A record leaves through a port.
    pub fn send(&mut self, through: u8, peer: u16, record: CmRecord) {
        let lives = self.up >> through & 1 == 1 && !self.dead[usize::from(peer)];
        for _ in 0..if self.random.random_bool(0.1) { 2 } else { 1 } {
            if lives && self.random.random_bool(0.8) {
                let at = self.now + self.random.random_range(1..=LIFE / 2);
                self.to_peers.push((at, through, peer, record));
            }
        }
    }

    fn deliver_records(&mut self) {
        let now = self.now;
        let (come, wait) = std::mem::take(&mut self.to_peers).into_iter().partition(|one| one.0 <= now);
        self.to_peers = wait;
        let come: Vec<(u64, u8, u16, CmRecord)> = come;
        for (_, through, peer, record) in come {
            let key = ConnectionKey { port: record.port, peer: 0, vc: record.vc };
            let receiver = self.peers[usize::from(peer)].receiver_mut();
            let answer = match record.code {
                CmCode::FreezeRequest => {
                    let psn = receiver.freeze(key).value();
                    CmRecord { code: CmCode::FreezeResponse, psn, ..record }
                }
                CmCode::OpenRequest => {
                    // as if it had known another start of this end
                    let first = self.reached.insert(ConnectionKey { peer, ..key });
                    if first && self.random.random_bool(0.2) {
                        receiver.open(key, Psn::new(record.psn.wrapping_add(3)));
                    }
                    let (OpenAnswer::Opened(psn) | OpenAnswer::Behind(psn)) =
                        receiver.open(key, Psn::new(record.psn));
                    CmRecord { code: CmCode::OpenResponse, psn: psn.value(), ..record }
                }
                CmCode::FreezeResponse | CmCode::OpenResponse => continue,
            };
            if self.random.random_bool(0.8) {
                let at = now + self.random.random_range(1..=LIFE / 2);
                self.to_here.push((at, through, peer, answer));
            }
        }
    }
}
