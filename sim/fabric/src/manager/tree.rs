//! Building clock trees (chapter 20, 7 rule 1).

use super::tables::LinkTable;
use super::ManagerError;
use crate::topology::{DeviceId, DeviceKind, LinkId, Topology};
use flitforge_model::time::delay::{clocks_to_fine, RingShape};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a tree is made short by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreePolicy {
    /// Least total delay from the master.
    ShortestDelay,
    /// Fewest switches from the master, then least delay.
    FewestHops,
}

/// How a device gets its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upstream {
    /// Its upstream port.
    pub port: u8,
    /// The device above.
    pub from: DeviceId,
    /// That device's downstream port.
    pub from_port: u8,
    /// The link between them.
    pub link: LinkId,
    /// Index of the upper end in the link's `ends`.
    pub end: usize,
}

/// A clock tree: every device it reaches has one upstream port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockTree {
    /// Its master.
    pub master: DeviceId,
    /// By device; `None` for the master and for devices without a path.
    pub upstream: Vec<Option<Upstream>>,
    /// The reached devices, every one after its upstream device.
    pub order: Vec<DeviceId>,
}

impl ClockTree {
    /// The devices from below the master to `device`, itself included; `None` if there is no path.
    #[must_use]
    pub fn path(&self, device: DeviceId) -> Option<Vec<DeviceId>> {
        let mut path = vec![];
        let mut at = device;
        while at != self.master {
            path.push(at);
            at = self.upstream.get(at as usize).copied().flatten()?.from;
        }
        path.reverse();
        Some(path)
    }

    /// The stop at which the time enters a switch: its upstream port, or its clock stop if it is the master.
    #[must_use]
    pub fn source_stop(&self, device: DeviceId, shape: &RingShape) -> u32 {
        let upstream = self.upstream.get(device as usize).copied().flatten();
        upstream.map_or(shape.stops - 1, |upstream| upstream.port.into())
    }
}

/// What is there and alive, with its delays.
#[derive(Debug, Clone, Copy)]
pub struct TreeInput<'a> {
    /// Devices and links.
    pub topology: &'a Topology,
    /// Measured delays.
    pub links: &'a LinkTable,
    /// Increment per clock of each device, 2^-32 ns.
    pub increments: &'a [u64],
    /// By device: false if it is not to be used.
    pub alive: &'a [bool],
}

/// Cost of reaching a device: hops count only under [`TreePolicy::FewestHops`]. Ties go to the lowest device number,
/// then to the lowest upstream device and port.
type Candidate = Reverse<(u32, i64, DeviceId, DeviceId, u8, LinkId, u8, usize)>;

/// The shortest tree of a master (Dijkstra).
pub fn build_tree(
    input: TreeInput<'_>,
    master: DeviceId,
    policy: TreePolicy,
) -> Result<ClockTree, ManagerError> {
    let devices = input.topology.devices().len();
    let refuse = |problem| Err(ManagerError::Master { device: master, problem });
    match input.alive.get(master as usize) {
        None => return refuse("there is no such device"),
        Some(false) => return refuse("it is not alive"),
        Some(true) => {}
    }
    let mut tree = ClockTree { master, upstream: vec![None; devices], order: vec![] };
    let mut reached = vec![false; devices];
    reached[master as usize] = true;
    let mut open = BinaryHeap::new();
    leave(&input, &tree, master, (0, 0), policy, &mut open);
    while let Some(Reverse((hops, cost, device, from, from_port, link, port, end))) = open.pop() {
        if std::mem::replace(&mut reached[device as usize], true) {
            continue;
        }
        tree.upstream[device as usize] = Some(Upstream { port, from, from_port, link, end });
        tree.order.push(device);
        leave(&input, &tree, device, (hops, cost), policy, &mut open);
    }
    Ok(tree)
}

/// Offers every neighbour of a device that was just reached. Time goes through switches only; a master sends its own.
fn leave(
    input: &TreeInput<'_>,
    tree: &ClockTree,
    device: DeviceId,
    (hops, cost): (u32, i64),
    policy: TreePolicy,
    open: &mut BinaryHeap<Candidate>,
) {
    let crossing = match input.topology.devices()[device as usize] {
        DeviceKind::Switch(shape) => Some((shape, tree.source_stop(device, &shape))),
        DeviceKind::Hfi if device == tree.master => None,
        DeviceKind::Hfi => return,
    };
    let came_by = tree.upstream[device as usize].map(|upstream| upstream.port);
    for connection in input.topology.connections(device) {
        let peer = connection.peer;
        let usable = input.alive[peer.device as usize] && Some(connection.port) != came_by;
        let Some(link) = input.links.delay(connection.link, connection.end).filter(|_| usable) else {
            continue;
        };
        let ring = crossing.map_or(0, |(shape, stop)| {
            let clocks = shape.path(stop, connection.port.into()).clocks;
            clocks_to_fine(clocks, input.increments[device as usize])
        });
        let hops = if policy == TreePolicy::FewestHops { hops + 1 } else { 0 };
        let (port, end) = (connection.port, connection.end);
        open.push(Reverse((
            hops,
            cost + link + ring,
            peer.device,
            device,
            port,
            connection.link,
            peer.port,
            end,
        )));
    }
}
