//! Several ports as one link (chapter 10, 4.8): wide beats to shares, one for each port, and back.

#[cfg(test)]
mod tests;

use crate::flit::Flit;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::link::BOND_LINKS;
use std::collections::VecDeque;
use thiserror::Error;

/// A bond that cannot be, or what it cannot go on from.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BondError {
    /// B out of range.
    #[error("bond: {links} ports; give one of {BOND_LINKS:?}")]
    Links {
        /// Given.
        links: usize,
    },
    /// A wide beat of another size.
    #[error("bond: a wide beat of {found} flits, expected {expected}")]
    Flits {
        /// Given.
        found: usize,
        /// B times F.
        expected: usize,
    },
    /// Two ports with one index, or an index of no port.
    #[error("bond: the ports have the bond indices {indices:?}; each of 0 to B - 1 is expected once")]
    Order {
        /// By port.
        indices: Vec<usize>,
    },
    /// A share found no room.
    #[error("bond: port {port} is {room} shares ahead of another one, and another share has come")]
    Overflow {
        /// Port.
        port: usize,
        /// Shares that it may hold.
        room: usize,
    },
}

/// True if the other end would find this flit among those of its port: it is no Idle, no illegal flit, which is sent as Idle, and no
/// SPC flit, which comes out beside them.
fn arrives(flit: &Flit) -> bool {
    flit.is_reliable() && !flit.is_idle() && flit.opcode() != Some(Opcode::Spc)
}

/// The shares of a wide beat, by port; `None` if nothing of it would arrive. A share of which nothing would arrive becomes one of
/// ForceIdles.
pub fn deal(wide: &[Flit], links: usize, flits: usize) -> Result<Option<Vec<Vec<Flit>>>, BondError> {
    if !BOND_LINKS.contains(&links) {
        return Err(BondError::Links { links });
    }
    if wide.len() != links * flits {
        return Err(BondError::Flits { found: wide.len(), expected: links * flits });
    }
    if !wide.iter().any(arrives) {
        return Ok(None);
    }
    let force = Flit::control(Opcode::ForceIdle, 0);
    let share = |part: &[Flit]| {
        if !part.iter().any(arrives) {
            vec![force; flits]
        } else {
            part.to_vec()
        }
    };
    Ok(Some(wide.chunks(flits).map(share).collect()))
}

/// Shares that wait at a port's ingress at most.
pub const INGRESS_SHARES: usize = 2;

/// The sending end: shares wait at the ingress of their ports.
#[derive(Debug, Clone)]
pub struct BondSender {
    ingresses: Vec<VecDeque<Vec<Flit>>>,
    flits: usize,
}

impl BondSender {
    /// So many ports of `flits` flits per beat; nothing waits.
    pub fn new(links: usize, flits: usize) -> Result<Self, BondError> {
        if !BOND_LINKS.contains(&links) {
            return Err(BondError::Links { links });
        }
        Ok(BondSender { ingresses: vec![VecDeque::new(); links], flits })
    }

    /// A wide beat is taken: there is room at every ingress.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.ingresses.iter().all(|ingress| ingress.len() < INGRESS_SHARES)
    }

    /// Takes a wide beat; false if nothing of it would arrive, and so no share waits.
    pub fn take(&mut self, wide: &[Flit]) -> Result<bool, BondError> {
        let shares = deal(wide, self.ingresses.len(), self.flits)?;
        let is_dealt = shares.is_some();
        let shares = shares.into_iter().flatten();
        self.ingresses.iter_mut().zip(shares).for_each(|(ingress, share)| ingress.push_back(share));
        Ok(is_dealt)
    }

    /// The port takes a share, if one waits.
    pub fn give(&mut self, port: usize) -> Option<Vec<Flit>> {
        self.ingresses[port].pop_front()
    }

    /// The bond falls: what waits is forgotten. True for each port that counts it, as one LTP more in LOST_ON_RESET.
    pub fn fall(&mut self) -> Vec<bool> {
        self.ingresses.iter_mut().map(|ingress| !std::mem::take(ingress).is_empty()).collect()
    }
}

/// The receiving end: shares wait for those of the other ports.
#[derive(Debug, Clone)]
pub struct BondReceiver {
    /// Port that has the shares of each bond index.
    ports: Vec<usize>,
    waiting: Vec<VecDeque<Vec<Flit>>>,
    room: usize,
    largest: usize,
}

impl BondReceiver {
    /// Ports that carry the shares of these bond indices, and may be `room` shares ahead.
    pub fn new(indices: &[usize], room: usize) -> Result<Self, BondError> {
        if !BOND_LINKS.contains(&indices.len()) {
            return Err(BondError::Links { links: indices.len() });
        }
        let port_of = |index| indices.iter().position(|named| *named == index);
        let ports: Option<Vec<usize>> = (0..indices.len()).map(port_of).collect();
        let ports = ports.ok_or_else(|| BondError::Order { indices: indices.to_vec() })?;
        Ok(BondReceiver { waiting: vec![VecDeque::new(); ports.len()], ports, room, largest: 0 })
    }

    /// A share comes over a port.
    pub fn push(&mut self, port: usize, share: &[Flit]) -> Result<(), BondError> {
        if self.waiting[port].len() == self.room {
            return Err(BondError::Overflow { port, room: self.room });
        }
        let forced = share.iter().all(|flit| flit.opcode() == Some(Opcode::ForceIdle));
        self.waiting[port].push_back(if forced { vec![Flit::IDLE; share.len()] } else { share.to_vec() });
        self.largest = self.largest.max(self.waiting[port].len());
        Ok(())
    }

    /// The next wide beat, if every port has its share.
    pub fn pop(&mut self) -> Option<Vec<Flit>> {
        if self.waiting.iter().any(VecDeque::is_empty) {
            return None;
        }
        let shares = self.ports.iter().filter_map(|port| self.waiting[*port].pop_front());
        Some(shares.flatten().collect())
    }

    /// Shares that wait, by port.
    #[must_use]
    pub fn fill(&self) -> Vec<usize> {
        self.waiting.iter().map(VecDeque::len).collect()
    }

    /// The largest number of shares that waited for a port (BOND_SKEW).
    #[must_use]
    pub const fn largest(&self) -> usize {
        self.largest
    }
}
