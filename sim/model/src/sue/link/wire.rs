//! Two ports and the wire between them, clock by clock.

use super::llr_config::Pcs;
use super::llr_rx::FrameCheck;
use super::port::Port;
use super::port_config::{PortEvent, WireItem};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::PREAMBLE_BYTES;
use flitforge_protocol::sue::INTER_PACKET_GAP;
use std::collections::VecDeque;

/// Octets that the line carries in a clock.
pub const LINE_OCTETS_PER_CLOCK: usize = 8;

/// What the wire does to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing.
    None,
    /// It never arrives.
    Lose,
    /// It arrives twice.
    Duplicate,
    /// A bit is wrong: a frame has a bad FCS, an ordered set has this bit inverted (modulo 64, octet D0 first).
    Corrupt {
        /// The bit.
        bit: u8,
    },
}

/// Octets of an item on the line, with preamble, FCS and gap.
#[must_use]
pub fn line_octets(item: &WireItem) -> usize {
    match item {
        WireItem::Set(octets) => octets.len(),
        WireItem::Control(frame, _) => PREAMBLE_BYTES + frame.len() + CRC_BYTES + INTER_PACKET_GAP,
        WireItem::Data(_, frame) => PREAMBLE_BYTES + frame.bytes + INTER_PACKET_GAP,
    }
}

fn corrupt(item: WireItem, bit: u8) -> WireItem {
    match item {
        WireItem::Set(octets) => {
            let flipped = u64::from_be_bytes(octets) ^ (1 << (63 - bit % 64));
            WireItem::Set(flipped.to_be_bytes())
        }
        WireItem::Control(frame, _) => WireItem::Control(frame, FrameCheck::Bad),
        WireItem::Data(preamble, mut frame) => {
            frame.check = FrameCheck::Bad;
            WireItem::Data(preamble, frame)
        }
    }
}

/// One direction.
#[derive(Debug, Clone, Default)]
struct Direction {
    /// When the line is free, in eighths of a clock (octets).
    free: u64,
    /// With the clock at which each has come whole.
    flying: VecDeque<(u64, WireItem)>,
    /// Items sent.
    sent: u64,
}

/// Two ports joined by a wire.
#[derive(Debug, Clone)]
pub struct Link {
    /// The ports.
    pub ports: [Port; 2],
    /// By sending port.
    directions: [Direction; 2],
    /// Clocks from one end to the other, by sending port.
    latency: [u64; 2],
    now: u64,
    pcs: Pcs,
}

impl Link {
    /// A link; `latency` is the clocks from port 0 to port 1 and back.
    #[must_use]
    pub fn new(ports: [Port; 2], latency: [u64; 2]) -> Self {
        Link { ports, directions: Default::default(), latency, now: 0, pcs: Pcs::Up }
    }

    /// The clock.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Cuts the wire: what is on it is lost, and what is sent.
    pub fn cut(&mut self) {
        self.set_pcs(Pcs::Down { since: self.now });
        for direction in &mut self.directions {
            direction.flying.clear();
        }
    }

    /// Joins the wire again.
    pub fn join(&mut self) {
        self.set_pcs(Pcs::Up);
    }

    fn set_pcs(&mut self, pcs: Pcs) {
        self.pcs = pcs;
        for port in &mut self.ports {
            port.set_pcs(pcs);
        }
    }

    /// Whether nothing is on the wire.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.directions.iter().all(|direction| direction.flying.is_empty())
    }

    /// One clock: arrivals, timers, then what each port sends. `fault` is asked for each item with the sending port and
    /// the count of items it has sent before. Events have the number of their port.
    pub fn step(&mut self, mut fault: impl FnMut(usize, u64, &WireItem) -> Fault) -> Vec<(usize, PortEvent)> {
        let mut events = Vec::new();
        for end in 0..2 {
            let port = &mut self.ports[end];
            let flying = &mut self.directions[1 - end].flying;
            while flying.front().is_some_and(|(at, _)| *at <= self.now) {
                let Some((_, item)) = flying.pop_front() else { break };
                events.extend(port.receive(&item, self.now).into_iter().map(|event| (end, event)));
            }
            events.extend(port.expire(self.now).into_iter().map(|event| (end, event)));
        }
        for end in 0..2 {
            self.transmit(end, &mut fault, &mut events);
        }
        self.now += 1;
        events
    }

    fn transmit(
        &mut self,
        end: usize,
        fault: &mut impl FnMut(usize, u64, &WireItem) -> Fault,
        events: &mut Vec<(usize, PortEvent)>,
    ) {
        let direction = &mut self.directions[end];
        let per_clock = LINE_OCTETS_PER_CLOCK as u64;
        while direction.free < (self.now + 1) * per_clock {
            let mut news = Vec::new();
            let item = self.ports[end].transmit(self.now, &mut news);
            events.extend(news.into_iter().map(|event| (end, event)));
            let Some(item) = item else { return };
            direction.free = direction.free.max(self.now * per_clock) + line_octets(&item) as u64;
            let at = direction.free.div_ceil(per_clock) + self.latency[end];
            let found = if self.pcs == Pcs::Up { fault(end, direction.sent, &item) } else { Fault::Lose };
            direction.sent += 1;
            match found {
                Fault::None => direction.flying.push_back((at, item)),
                Fault::Lose => {}
                Fault::Duplicate => direction.flying.extend([(at, item.clone()), (at, item)]),
                Fault::Corrupt { bit } => direction.flying.push_back((at, corrupt(item, bit))),
            }
        }
    }
}
