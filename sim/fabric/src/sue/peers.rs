//! Static connections: what an instance is told of its peers (chapter 50, 4.4 and 7).

use super::{encode, Sue, SueError};
use flitforge_protocol::register::{RegisterAccess, RegisterValue};
use flitforge_protocol::sue::network::mac;
use flitforge_protocol::sue::reliability::header;
use flitforge_protocol::sue_registers::{self as page, connection_index, Table};
use std::collections::BTreeSet;
use thiserror::Error;

/// Partitions of the table.
const PARTITIONS: u16 = 1 << header::partition::WIDTH;
/// A MAC address with this bit is that of a group.
const GROUP: u64 = 1 << 40;

/// A peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its number.
    pub xpu: u16,
    /// Ports that reach it, a bit each; at least one.
    pub ports: u8,
    /// Its port in strict mode, one of `ports`; none leaves the map as it is: XPU modulo ports after power-on.
    pub home: Option<u8>,
    /// Its MAC address, for instances with a table of them (PEER_TBL).
    pub mac: Option<u64>,
    /// Its IPv4 address, or the end of its IPv6 address, for the same.
    pub ip: Option<u32>,
}

impl Peer {
    /// A peer that port 0 reaches, with the addresses that its number gives.
    #[must_use]
    pub const fn new(xpu: u16) -> Self {
        Peer { xpu, ports: 1, home: None, mac: None, ip: None }
    }
}

/// A connection: of a sender to a peer, by port and virtual channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// Port.
    pub port: u8,
    /// The other XPU.
    pub peer: u16,
    /// Virtual channel.
    pub vc: u8,
}

/// Peers that cannot be. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PeerError {
    /// An XPU that the instance has no connection for.
    #[error("peer {xpu}: this instance was built for XPUs 0 to {most}")]
    Number {
        /// The XPU.
        xpu: u16,
        /// Largest one.
        most: u64,
    },
    /// The instance itself.
    #[error("peer {xpu}: that is this instance itself")]
    Own {
        /// The XPU.
        xpu: u16,
    },
    /// A peer that stands there twice.
    #[error("peer {xpu} stands there twice")]
    Twice {
        /// The XPU.
        xpu: u16,
    },
    /// Ports that are not there, or none.
    #[error("peer {xpu}: ports {ports:#b}: give at least one of the {count} that this instance has")]
    Ports {
        /// The XPU.
        xpu: u16,
        /// Bit map.
        ports: u8,
        /// Ports of the instance.
        count: u64,
    },
    /// A port in strict mode that does not reach the peer.
    #[error("peer {xpu}: port {home} in strict mode, but only ports {ports:#b} reach it")]
    Home {
        /// The XPU.
        xpu: u16,
        /// Port in strict mode.
        home: u8,
        /// Ports that reach it.
        ports: u8,
    },
    /// No address of one port.
    #[error("peer {xpu}: MAC address {mac:#x} is none of a single port of {} bits", mac::WIDTH)]
    Mac {
        /// The XPU.
        xpu: u16,
        /// The address.
        mac: u64,
    },
    /// Two peers with one address.
    #[error("peer {xpu}: its {kind} address is that of another one, too")]
    Shared {
        /// The XPU.
        xpu: u16,
        /// MAC or IP.
        kind: &'static str,
    },
    /// A partition that the table has not.
    #[error("partition {partition}: 0 to {} can be", PARTITIONS - 1)]
    Partition {
        /// The partition.
        partition: u16,
    },
    /// A port that is not there.
    #[error("port {port}: this instance has {count}")]
    Port {
        /// The port.
        port: u8,
        /// Ports of the instance.
        count: u64,
    },
    /// A virtual channel that is not there.
    #[error("virtual channel {vc}: this instance has {count}")]
    Channel {
        /// The virtual channel.
        vc: u8,
        /// Virtual channels of the instance.
        count: u64,
    },
}

impl Sue {
    /// Static connections (chapter 50, 7): writes partitions, addresses, STRICT_MAP and reachability, in this order, so that nothing is
    /// sent to a peer that is told in part only. Peers that are not named stay as they are. Partitions replace those before.
    ///
    /// What cannot be is refused before the first write; a table that was not built, by CFG_BAD.
    pub fn connect(
        &self,
        access: &mut impl RegisterAccess,
        peers: &[Peer],
        partitions: &[u16],
    ) -> Result<(), SueError> {
        let own = page::local::Value::decode(access.read(self.device, page::LOCAL)?).xpu as u16;
        self.check_peers(own, peers, partitions).map_err(|problem| self.peer_error(problem))?;
        let allowed: BTreeSet<u16> = partitions.iter().copied().collect();
        let rows = (0..PARTITIONS).map(|partition| (partition, allowed.contains(&partition).into()));
        self.fill(access, Table::Partitions, rows)?;
        let mac = peers.iter().filter_map(|peer| Some((peer.xpu, peer.mac?)));
        self.fill(access, Table::PeerMac, mac)?;
        let ip = peers.iter().filter_map(|peer| Some((peer.xpu, peer.ip?.into())));
        self.fill(access, Table::PeerIp, ip)?;
        let homes = peers.iter().filter_map(|peer| Some((peer.xpu, peer.home?.into())));
        self.fill(access, Table::StrictMap, homes)?;
        self.fill(access, Table::Reach, peers.iter().map(|peer| (peer.xpu, peer.ports.into())))
    }

    /// Lets ports, a bit each, reach a peer; they do once they are up and their connections are open ([`Sue::reached`]).
    pub fn reach(&self, access: &mut impl RegisterAccess, xpu: u16, ports: u8) -> Result<(), SueError> {
        let own = page::local::Value::decode(access.read(self.device, page::LOCAL)?).xpu as u16;
        let peer = Peer { ports, ..Peer::new(xpu) };
        self.check_peer(own, &peer).map_err(|problem| self.peer_error(problem))?;
        self.fill(access, Table::Reach, [(xpu, ports.into())])
    }

    /// Ports, a bit each, that reach a peer now.
    pub fn reached(&self, access: &mut impl RegisterAccess, xpu: u16) -> Result<u8, SueError> {
        let address = page::tbl_addr::Value { index: xpu.into(), table: Table::Reach as u64 };
        access.write(self.device, page::TBL_ADDR, encode(&address))?;
        Ok(access.read(self.device, page::TBL_DATA)? as u8)
    }

    /// Takes a peer away: no port reaches it any more.
    pub fn disconnect(&self, access: &mut impl RegisterAccess, xpu: u16) -> Result<(), SueError> {
        let most = self.peers - 1;
        if u64::from(xpu) > most {
            return Err(self.peer_error(PeerError::Number { xpu, most }));
        }
        self.fill(access, Table::Reach, [(xpu, 0)])
    }

    /// Fails a connection over to another port (chapter 50, 4.4 rule 4).
    pub fn failover(&self, access: &mut impl RegisterAccess, of: Connection) -> Result<(), SueError> {
        self.order(access, of, page::cmd::Value { fail_over: 1, open: 0, flush_all: 0 })
    }

    /// Opens a connection again (rule 5).
    pub fn reopen(&self, access: &mut impl RegisterAccess, of: Connection) -> Result<(), SueError> {
        self.order(access, of, page::cmd::Value { fail_over: 0, open: 1, flush_all: 0 })
    }

    /// Forgets all commands that wait or are on their way.
    pub fn flush(&self, access: &mut impl RegisterAccess) -> Result<(), SueError> {
        let command = page::cmd::Value { fail_over: 0, open: 0, flush_all: 1 };
        self.guarded(access, "CMD.flush_all", |sue, access| {
            Ok(access.write(sue.device, page::CMD, encode(&command))?)
        })
    }

    fn order(
        &self,
        access: &mut impl RegisterAccess,
        of: Connection,
        command: page::cmd::Value,
    ) -> Result<(), SueError> {
        let index = self.index(of).map_err(|problem| self.peer_error(problem))?;
        self.guarded(access, "CMD", |sue, access| {
            let address = page::tbl_addr::Value { index, table: Table::Sender as u64 };
            access.write(sue.device, page::TBL_ADDR, encode(&address))?;
            Ok(access.write(sue.device, page::CMD, encode(&command))?)
        })
    }

    /// The index of a connection in TBL_ADDR.
    fn index(&self, of: Connection) -> Result<u64, PeerError> {
        let Connection { port, peer, vc } = of;
        let (ports, count) = (self.sizes.ports, self.channels);
        match of {
            _ if u64::from(port) >= ports => Err(PeerError::Port { port, count: ports }),
            _ if u64::from(peer) >= self.peers => Err(PeerError::Number { xpu: peer, most: self.peers - 1 }),
            _ if u64::from(vc) >= count => Err(PeerError::Channel { vc, count }),
            _ => {
                let index = connection_index::vc::FIELD.set(0, vc.into());
                let index = connection_index::peer::FIELD.set(index, peer.into());
                Ok(connection_index::port::FIELD.set(index, port.into()) as u64)
            }
        }
    }

    /// Writes entries of a table.
    fn fill(
        &self,
        access: &mut impl RegisterAccess,
        table: Table,
        rows: impl IntoIterator<Item = (u16, u64)>,
    ) -> Result<(), SueError> {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return Ok(());
        }
        self.guarded(access, table.name(), |sue, access| {
            for (index, entry) in rows {
                let address = page::tbl_addr::Value { index: index.into(), table: table as u64 };
                access.write(sue.device, page::TBL_ADDR, encode(&address))?;
                access.write(sue.device, page::TBL_DATA, entry)?;
            }
            Ok(())
        })
    }

    fn peer_error(&self, problem: PeerError) -> SueError {
        SueError::Peer { device: self.device, problem }
    }

    fn check_peers(&self, own: u16, peers: &[Peer], partitions: &[u16]) -> Result<(), PeerError> {
        let (mut seen, mut macs, mut ips) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for peer in peers {
            self.check_peer(own, peer)?;
            let xpu = peer.xpu;
            if !seen.insert(xpu) {
                return Err(PeerError::Twice { xpu });
            }
            if peer.mac.is_some_and(|mac| !macs.insert(mac)) {
                return Err(PeerError::Shared { xpu, kind: "MAC" });
            }
            if peer.ip.is_some_and(|ip| !ips.insert(ip)) {
                return Err(PeerError::Shared { xpu, kind: "IP" });
            }
        }
        if let Some(&partition) = partitions.iter().find(|partition| **partition >= PARTITIONS) {
            return Err(PeerError::Partition { partition });
        }
        Ok(())
    }

    fn check_peer(&self, own: u16, peer: &Peer) -> Result<(), PeerError> {
        let &Peer { xpu, ports, home, mac, .. } = peer;
        let (most, count) = (self.peers - 1, self.sizes.ports);
        if u64::from(xpu) > most {
            return Err(PeerError::Number { xpu, most });
        }
        if xpu == own {
            return Err(PeerError::Own { xpu });
        }
        if ports == 0 || u64::from(ports) >> count != 0 {
            return Err(PeerError::Ports { xpu, ports, count });
        }
        if let Some(home) = home.filter(|home| *home >= 8 || ports >> home & 1 == 0) {
            return Err(PeerError::Home { xpu, home, ports });
        }
        match mac {
            Some(mac) if mac == 0 || mac >> mac::WIDTH != 0 || mac & GROUP != 0 => {
                Err(PeerError::Mac { xpu, mac })
            }
            _ => Ok(()),
        }
    }
}
