//! Wires between the ports of the same number. They lose PDUs, and a port that dies takes what is on its way or holds it back.

use super::super::format::CmRecord;
use super::super::Pdu;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Numbers of commands.
pub type Body = Vec<u64>;

/// Slots from port to port.
const DELAY: u64 = 10;

/// From which XPU to which, through which port of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    pub from: u16,
    pub to: u16,
    pub port: u8,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A PDU.
    Pdu(Pdu<Body>),
    /// A PDU with a CM record.
    Record(CmRecord),
}

/// What arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    pub from: u16,
    pub to: u16,
    pub port: u8,
    pub item: Item,
}

#[derive(Debug)]
pub struct Wires {
    loss: u32,
    most_late: u64,
    /// By time of arrival and number.
    under_way: BTreeMap<(u64, u64), (Way, Item)>,
    count: u64,
    late: u64,
    random: ChaCha8Rng,
}

impl Wires {
    pub fn new(loss: u32, most_late: u64, random: ChaCha8Rng) -> Self {
        Wires { loss, most_late, under_way: BTreeMap::new(), count: 0, late: 0, random }
    }

    pub fn send(&mut self, way: Way, item: Item, now: u64) {
        if self.random.random_range(0..1_000_000) >= self.loss {
            self.under_way.insert((now + DELAY, self.count), (way, item));
            self.count += 1;
        }
    }

    /// Half of what is on its way from this port or to it is lost, the rest comes late if the port it goes to lives then.
    pub fn port_down(&mut self, xpu: u16, port: u8) {
        let touched = |way: &Way| way.port == port && (way.from == xpu || way.to == xpu);
        let keys: Vec<(u64, u64)> =
            self.under_way.iter().filter(|(_, (way, _))| touched(way)).map(|(key, _)| *key).collect();
        for (at, number) in keys {
            let Some(item) = self.under_way.remove(&(at, number)) else { continue };
            if self.random.random_bool(0.5) {
                let later = self.random.random_range(0..=self.most_late);
                self.late += 1;
                self.under_way.insert((at + later, number), item);
            }
        }
    }

    pub fn arrival(&mut self, now: u64) -> Option<Arrival> {
        let first = self.under_way.first_entry().filter(|entry| entry.key().0 <= now)?;
        let (Way { from, to, port }, item) = first.remove();
        Some(Arrival { from, to, port, item })
    }

    pub const fn late(&self) -> u64 {
        self.late
    }
}
