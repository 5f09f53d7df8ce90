//! Devices, ports and links.

use flitforge_model::time::delay::RingShape;
use flitforge_model::time::TimeConfig;
use flitforge_protocol::time_ring::STOPS;
use serde::Serialize;
use thiserror::Error;

pub use flitforge_protocol::register::DeviceId;
/// Number of a link.
pub type LinkId = u32;

/// What a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// An endpoint with one port, 0.
    Hfi,
    /// A switch; port p is stop p, the last stop is the clock stop.
    Switch(RingShape),
}

/// A port of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Port {
    /// Device.
    pub device: DeviceId,
    /// Port, which is the stop of a switch.
    pub port: u8,
}

/// A connection at a port: the link, which of its ends this is, and the port at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// The port on this device.
    pub port: u8,
    /// The link.
    pub link: LinkId,
    /// Index of this end in the link's `ends`.
    pub end: usize,
    /// The other end.
    pub peer: Port,
}

/// A topology that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// No such device.
    #[error("device {device}: there are {devices} devices")]
    NoDevice {
        /// Asked for.
        device: DeviceId,
        /// There are.
        devices: usize,
    },
    /// A port that does not exist or is connected already.
    #[error("device {device}, port {port}: {problem}")]
    Port {
        /// Device.
        device: DeviceId,
        /// Port.
        port: u8,
        /// What is wrong.
        problem: &'static str,
    },
    /// A size that makes no fabric.
    #[error("{parameter} = {value}: expected {expected}")]
    Size {
        /// Parameter.
        parameter: &'static str,
        /// Value.
        value: u32,
        /// What is allowed.
        expected: String,
    },
}

/// Devices and the links between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Topology {
    devices: Vec<DeviceKind>,
    links: Vec<[Port; 2]>,
    connections: Vec<Vec<Connection>>,
}

impl Topology {
    /// No devices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a device and gives its number.
    pub fn add(&mut self, kind: DeviceKind) -> DeviceId {
        self.devices.push(kind);
        self.connections.push(vec![]);
        (self.devices.len() - 1) as DeviceId
    }

    /// Connects two free ports and gives the link's number.
    pub fn connect(&mut self, a: Port, b: Port) -> Result<LinkId, TopologyError> {
        let problem =
            |port: Port, problem| Err(TopologyError::Port { device: port.device, port: port.port, problem });
        for port in [a, b] {
            let ports = match self.kind(port.device)? {
                DeviceKind::Hfi => 1,
                DeviceKind::Switch(shape) => shape.stops - 1,
            };
            if u32::from(port.port) >= ports {
                return problem(port, "no such port; the last stop of a switch is its clock stop");
            }
            if self.connection(port).is_some() {
                return problem(port, "is connected already");
            }
        }
        if a.device == b.device {
            return problem(a, "connected to its own device");
        }
        let link = self.links.len() as LinkId;
        self.links.push([a, b]);
        for (end, (here, peer)) in [(a, b), (b, a)].into_iter().enumerate() {
            self.connections[here.device as usize].push(Connection { port: here.port, link, end, peer });
        }
        Ok(link)
    }

    /// Kinds of all devices.
    #[must_use]
    pub fn devices(&self) -> &[DeviceKind] {
        &self.devices
    }

    /// Ends of all links.
    #[must_use]
    pub fn links(&self) -> &[[Port; 2]] {
        &self.links
    }

    /// Kind of a device.
    pub fn kind(&self, device: DeviceId) -> Result<DeviceKind, TopologyError> {
        let devices = self.devices.len();
        self.devices.get(device as usize).copied().ok_or(TopologyError::NoDevice { device, devices })
    }

    /// Connections of a device; none for a device that is not there.
    #[must_use]
    pub fn connections(&self, device: DeviceId) -> &[Connection] {
        self.connections.get(device as usize).map_or(&[], Vec::as_slice)
    }

    /// What is at the other side of a port.
    #[must_use]
    pub fn connection(&self, port: Port) -> Option<Connection> {
        self.connections(port.device).iter().find(|connection| connection.port == port.port).copied()
    }

    /// A chain: a master, `switches` switches one after the other, and a slave at each switch; a second HFI at the
    /// first switch is the backup master. Returns the topology, the slaves by switches passed, and the backup.
    pub fn chain(switches: u32, config: &TimeConfig) -> Result<Chain, TopologyError> {
        if !(1..=256).contains(&switches) {
            let expected = "1 to 256".into();
            return Err(TopologyError::Size { parameter: "switches", value: switches, expected });
        }
        let shape = shape(config)?;
        let mut topology = Self::new();
        let master = topology.add(DeviceKind::Hfi);
        let (mut slaves, mut switch_ids) = (vec![], vec![]);
        let mut above = Port { device: master, port: 0 };
        for _ in 0..switches {
            let switch = topology.add(DeviceKind::Switch(shape));
            let slave = topology.add(DeviceKind::Hfi);
            let port = |port: u8| Port { device: switch, port };
            topology.connect(above, port(0))?;
            topology.connect(port(1), Port { device: slave, port: 0 })?;
            above = port(2);
            slaves.push(slave);
            switch_ids.push(switch);
        }
        let backup = topology.add(DeviceKind::Hfi);
        let first = switch_ids[0];
        topology.connect(
            Port { device: first, port: 3 % (shape.stops as u8 - 1) },
            Port { device: backup, port: 0 },
        )?;
        Ok(Chain { topology, master, backup, switches: switch_ids, slaves })
    }

    /// A ladder: two rows of switches, `rungs` each, every switch connected to its neighbours in its row, to the one
    /// opposite, and to a slave. The master is at the start of the first row, the backup at the start of the second; so
    /// any one link or inner switch may be lost.
    pub fn ladder(rungs: u32, config: &TimeConfig) -> Result<Chain, TopologyError> {
        if !(2..=128).contains(&rungs) {
            return Err(TopologyError::Size {
                parameter: "rungs",
                value: rungs,
                expected: "2 to 128".into(),
            });
        }
        let shape = shape(config)?;
        let mut topology = Self::new();
        let (master, backup) = (topology.add(DeviceKind::Hfi), topology.add(DeviceKind::Hfi));
        let (mut slaves, mut switches) = (vec![], vec![]);
        let mut ends = [master, backup].map(|device| Port { device, port: 0 });
        for _ in 0..rungs {
            let pair = [(); 2].map(|()| topology.add(DeviceKind::Switch(shape)));
            for (end, device) in ends.iter_mut().zip(pair) {
                topology.connect(*end, Port { device, port: 0 })?;
                let slave = topology.add(DeviceKind::Hfi);
                topology.connect(Port { device, port: 1 }, Port { device: slave, port: 0 })?;
                *end = Port { device, port: 2 };
                slaves.push(slave);
                switches.push(device);
            }
            let [first, second] = pair.map(|device| Port { device, port: 4 });
            topology.connect(first, second)?;
        }
        Ok(Chain { topology, master, backup, switches, slaves })
    }

    /// A tree of switches: a master at the root, `levels` levels of switches, every one with `fan_out` links downwards;
    /// the lowest level carries slaves, fan_out^levels of them.
    pub fn tree(levels: u32, fan_out: u32, config: &TimeConfig) -> Result<FanOut, TopologyError> {
        if !(1..=6).contains(&levels) || u64::from(fan_out).pow(levels) > 2_000_000 {
            let expected = "1 to 6, with at most 2,000,000 slaves".into();
            return Err(TopologyError::Size { parameter: "levels", value: levels, expected });
        }
        let stops = fan_out + 2;
        if !(STOPS.0..=STOPS.1).contains(&stops) {
            let expected =
                format!("{} to {}: a port up and the clock stop are needed too", STOPS.0 - 2, STOPS.1 - 2);
            return Err(TopologyError::Size { parameter: "fan_out", value: fan_out, expected });
        }
        let shape = RingShape { stops, ..shape(config)? };
        let mut topology = Self::new();
        let master = topology.add(DeviceKind::Hfi);
        let mut open = vec![Port { device: master, port: 0 }];
        for _ in 0..levels {
            let mut below = vec![];
            for above in open {
                let switch = topology.add(DeviceKind::Switch(shape));
                topology.connect(above, Port { device: switch, port: 0 })?;
                below.extend((1..=fan_out).map(|port| Port { device: switch, port: port as u8 }));
            }
            open = below;
        }
        let mut slaves = vec![];
        for above in open {
            let slave = topology.add(DeviceKind::Hfi);
            topology.connect(above, Port { device: slave, port: 0 })?;
            slaves.push(slave);
        }
        Ok(FanOut { topology, master, slaves })
    }
}

/// The rings of a configuration; one that cannot be built counts as a wrong number of stops.
fn shape(config: &TimeConfig) -> Result<RingShape, TopologyError> {
    let refused = |error: flitforge_model::time::TimeConfigError| TopologyError::Size {
        parameter: error.parameter,
        value: config.stops,
        expected: error.to_string(),
    };
    RingShape::new(config).map_err(refused)
}

/// A chain of switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The fabric.
    pub topology: Topology,
    /// Master.
    pub master: DeviceId,
    /// Backup master, at the first switch.
    pub backup: DeviceId,
    /// Switches from the master on.
    pub switches: Vec<DeviceId>,
    /// The slave at each switch.
    pub slaves: Vec<DeviceId>,
}

/// A tree of switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FanOut {
    /// The fabric.
    pub topology: Topology,
    /// Master, at the root.
    pub master: DeviceId,
    /// Slaves at the lowest level.
    pub slaves: Vec<DeviceId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_connections_and_sizes_are_refused() {
        let config = TimeConfig::default();
        assert!(Topology::chain(0, &config).is_err() && Topology::tree(3, 63, &config).is_err());
        assert!(Topology::tree(0, 10, &config).is_err() && Topology::tree(6, 47, &config).is_err());
        assert!(Topology::chain(2, &TimeConfig { stops: 3, ..config.clone() }).is_err());
        let mut chain = Topology::chain(2, &config).expect("a chain");
        let port = |device, port| Port { device, port };
        let topology = &mut chain.topology;
        assert!(topology.connect(port(0, 0), port(1, 5)).is_err(), "in use");
        assert!(topology.connect(port(1, 11), port(3, 5)).is_err(), "the clock stop");
        assert!(topology.connect(port(99, 0), port(1, 5)).is_err());
        assert!(topology.connect(port(1, 5), port(1, 6)).is_err());
    }

    #[test]
    fn the_fabrics_of_the_chapter_have_their_sizes() {
        let config = TimeConfig::default();
        let tree = |levels, fan_out| Topology::tree(levels, fan_out, &config).expect("a tree").slaves.len();
        assert_eq!((tree(4, 10), tree(3, 47)), (10_000, 103_823));
        let chain = Topology::chain(16, &config).expect("a chain");
        assert_eq!((chain.slaves.len(), chain.topology.links().len()), (16, 33));
    }
}
