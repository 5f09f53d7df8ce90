//! What was sent and what has come: every packet once, unaltered, in order.

use crate::flit::Flit;
use crate::packet::{Header, Packet, PacketError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use thiserror::Error;

/// Which packets stay in order: source, destination and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Source.
    pub src: usize,
    /// Destination.
    pub dst: usize,
    /// Virtual lane.
    pub vl: usize,
}

/// A promise of the fabric that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Broken {
    /// No good packet.
    #[error("endpoint {host}: {error}")]
    Packet {
        /// Where it came.
        host: usize,
        /// What is wrong.
        error: PacketError,
    },
    /// A packet of another endpoint.
    #[error("endpoint {host}: a packet for {dst}")]
    Misrouted {
        /// Where it came.
        host: usize,
        /// Where it should have come.
        dst: usize,
    },
    /// Not the packet that was due, or one that was there already, or one that nobody sent.
    #[error("{flow:?}: packet {found} where {due} was due")]
    Order {
        /// Its flow.
        flow: Flow,
        /// Number of the packet that came.
        found: u64,
        /// Number of the packet that was due.
        due: u64,
    },
    /// Other content than was sent.
    #[error("{flow:?}: packet {number} came with other content")]
    Altered {
        /// Its flow.
        flow: Flow,
        /// Its number.
        number: u64,
    },
}

/// Packets of one flow.
#[derive(Clone, Debug, Default)]
struct Numbers {
    sent: u64,
    /// All below have come.
    due: u64,
    /// Others that have come.
    early: BTreeSet<u64>,
}

/// Every flow between endpoints.
#[derive(Clone, Debug)]
pub(in crate::switch) struct Ledger {
    hosts: usize,
    lanes: usize,
    /// Packets of a flow stay in order.
    ordered: bool,
    flows: Vec<Numbers>,
    seed: u64,
    most_bytes: usize,
    pub(in crate::switch) sent: u64,
    pub(in crate::switch) delivered: u64,
    pub(in crate::switch) flits: u64,
    pub(in crate::switch) marked: u64,
}

impl Ledger {
    pub(in crate::switch) fn new(
        hosts: usize,
        lanes: usize,
        ordered: bool,
        most_bytes: usize,
        seed: u64,
    ) -> Self {
        let flows = vec![Numbers::default(); hosts * hosts * lanes];
        Ledger { hosts, lanes, ordered, flows, seed, most_bytes, sent: 0, delivered: 0, flits: 0, marked: 0 }
    }

    fn numbers(&mut self, flow: Flow) -> Option<&mut Numbers> {
        let index = (flow.src * self.hosts + flow.dst) * self.lanes + flow.vl;
        self.flows.get_mut(index).filter(|_| flow.src < self.hosts && flow.vl < self.lanes)
    }

    /// The next packet of a flow.
    pub(in crate::switch) fn send(&mut self, flow: Flow) -> Packet {
        let number = self.numbers(flow).map_or(0, |numbers| {
            numbers.sent += 1;
            numbers.sent - 1
        });
        self.sent += 1;
        self.packet(flow, number)
    }

    /// Everything in a packet follows from its flow and number.
    fn packet(&self, flow: Flow, number: u64) -> Packet {
        let place = ((flow.src * self.hosts + flow.dst) * self.lanes + flow.vl) as u64;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ place << 40 ^ number);
        let mut payload = vec![0; rng.random_range(0..=self.most_bytes)];
        rng.fill(&mut payload[..]);
        let header = Header {
            dst: flow.dst as u16,
            src: flow.src as u16,
            vl: flow.vl as u8,
            sl: rng.random_range(0..16),
            ..Header::default()
        };
        Packet { header, payload, tag: number as u16 }
    }

    /// Flits of a packet came to an endpoint.
    pub(in crate::switch) fn deliver(&mut self, host: usize, flits: &[Flit]) -> Result<(), Broken> {
        let mut packet = Packet::decode(flits).map_err(|error| Broken::Packet { host, error })?;
        let dst = usize::from(packet.header.dst);
        if dst != host {
            return Err(Broken::Misrouted { host, dst });
        }
        self.marked += u64::from(std::mem::take(&mut packet.header.fecn));
        let flow = Flow { src: packet.header.src.into(), dst, vl: packet.header.vl.into() };
        let ordered = self.ordered;
        let tag = packet.tag;
        let Some(numbers) = self.numbers(flow) else {
            return Err(Broken::Order { flow, found: tag.into(), due: 0 });
        };
        let due = numbers.due;
        let number = due + u64::from(tag.wrapping_sub(due as u16));
        let late = number >= numbers.sent || numbers.early.contains(&number);
        if late || (ordered && number != due) {
            return Err(Broken::Order { flow, found: number, due });
        }
        numbers.early.insert(number);
        while numbers.early.remove(&numbers.due) {
            numbers.due += 1;
        }
        if packet != self.packet(flow, number) {
            return Err(Broken::Altered { flow, number });
        }
        self.delivered += 1;
        self.flits += flits.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: Flow = Flow { src: 1, dst: 2, vl: 0 };

    fn flits(packet: &Packet) -> Vec<Flit> {
        packet.encode().expect("a packet")
    }

    #[test]
    fn every_broken_promise_is_seen() {
        let mut ledger = Ledger::new(4, 2, true, 64, 1);
        let [first, second, third] = [0, 1, 2].map(|_| flits(&ledger.send(FLOW)));
        assert_eq!(ledger.deliver(2, &first), Ok(()));
        assert_eq!(ledger.deliver(2, &third), Err(Broken::Order { flow: FLOW, found: 2, due: 1 }), "lost");
        assert_eq!(
            ledger.deliver(2, &first),
            Err(Broken::Order { flow: FLOW, found: 65_536, due: 1 }),
            "again"
        );
        assert_eq!(ledger.deliver(3, &second), Err(Broken::Misrouted { host: 3, dst: 2 }));
        assert!(matches!(ledger.deliver(2, &second[..1]), Err(Broken::Packet { host: 2, .. })));
        let mut other = Packet::decode(&second).expect("a packet");
        other.header.sl ^= 1;
        assert_eq!(ledger.deliver(2, &flits(&other)), Err(Broken::Altered { flow: FLOW, number: 1 }));
        assert_eq!((ledger.sent, ledger.delivered, ledger.flits), (3, 1, first.len() as u64));
    }

    #[test]
    fn without_order_every_packet_comes_once() {
        let mut ledger = Ledger::new(4, 2, false, 64, 1);
        let packets = [0, 1, 2].map(|_| flits(&ledger.send(FLOW)));
        for index in [2, 0] {
            assert_eq!(ledger.deliver(2, &packets[index]), Ok(()));
        }
        assert_eq!(ledger.deliver(2, &packets[2]), Err(Broken::Order { flow: FLOW, found: 2, due: 1 }));
        assert_eq!(ledger.deliver(2, &packets[1]), Ok(()));
        assert_eq!(ledger.delivered, 3);
    }

    #[test]
    fn a_mark_is_counted_and_alters_nothing() {
        let mut ledger = Ledger::new(4, 2, true, 64, 1);
        let mut packet = ledger.send(FLOW);
        packet.header.fecn = true;
        assert_eq!(ledger.deliver(2, &flits(&packet)), Ok(()));
        assert_eq!(ledger.marked, 1);
    }
}
