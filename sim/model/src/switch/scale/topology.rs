//! Sixteen switches and 64 endpoints.

use crate::switch::RouteEntry;
use std::collections::VecDeque;

/// Endpoints.
pub const HOSTS: usize = 64;
/// Switches.
pub const SWITCHES: usize = 16;

/// How the switches are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Eight switches with eight endpoints each, eight above them; every lower one has a link to every upper one.
    FatTree,
    /// Four endpoints at every switch; switch n hangs below switch (n - 1) / 3.
    Tree,
}

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// An endpoint; its address is its number.
    Host(usize),
    /// A port of a switch.
    Port {
        /// Switch.
        switch: usize,
        /// Port.
        port: usize,
    },
}

/// Switches, links and routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Ports of every switch.
    pub ports: usize,
    /// Both ends of every link.
    pub links: Vec<[End; 2]>,
    /// Route entry of every endpoint's address, by switch: a shortest path, and another one if there is.
    pub routes: Vec<Vec<RouteEntry>>,
}

impl Topology {
    /// The plan, with adaptive entries or without.
    #[must_use]
    pub fn new(plan: Plan, adapt: bool) -> Self {
        let mut links = Vec::new();
        let mut used = [0; SWITCHES];
        let mut port = |switch: usize| {
            used[switch] += 1;
            End::Port { switch, port: used[switch] - 1 }
        };
        match plan {
            Plan::FatTree => {
                links.extend((0..HOSTS).map(|host| [End::Host(host), port(host / 8)]));
                for lower in 0..8 {
                    (8..SWITCHES).for_each(|upper| links.push([port(lower), port(upper)]));
                }
            }
            Plan::Tree => {
                links.extend((0..HOSTS).map(|host| [End::Host(host), port(host / 4)]));
                (1..SWITCHES).for_each(|switch| links.push([port((switch - 1) / 3), port(switch)]));
            }
        }
        let ports = used.into_iter().max().unwrap_or(0);
        let routes = (0..SWITCHES)
            .map(|switch| (0..HOSTS).map(|host| route(&links, switch, host, adapt)).collect())
            .collect();
        Topology { ports, links, routes }
    }
}

/// Ports of a switch with the switch or endpoint behind each.
fn neighbours(links: &[[End; 2]], switch: usize) -> Vec<(usize, End)> {
    let both = links.iter().flat_map(|&[one, other]| [(one, other), (other, one)]);
    both.filter_map(|(here, there)| match here {
        End::Port { switch: found, port } if found == switch => Some((port, there)),
        _ => None,
    })
    .collect()
}

/// Switches to pass from each switch to an endpoint, the first included.
fn distances(links: &[[End; 2]], host: usize) -> [usize; SWITCHES] {
    let mut distances = [usize::MAX; SWITCHES];
    let holds = |switch: &usize| neighbours(links, *switch).iter().any(|(_, end)| *end == End::Host(host));
    let mut next: VecDeque<usize> = (0..SWITCHES).filter(holds).collect();
    next.iter().for_each(|switch| distances[*switch] = 1);
    while let Some(switch) = next.pop_front() {
        for (_, end) in neighbours(links, switch) {
            let End::Port { switch: other, .. } = end else { continue };
            if distances[other] == usize::MAX {
                distances[other] = distances[switch] + 1;
                next.push_back(other);
            }
        }
    }
    distances
}

/// A shortest path; of several the endpoint's number chooses, and the one half way round is the other.
fn route(links: &[[End; 2]], switch: usize, host: usize, adapt: bool) -> RouteEntry {
    let distances = distances(links, host);
    let nearer = |(_, end): &(usize, End)| match *end {
        End::Host(other) => other == host,
        End::Port { switch: other, .. } => distances[other] < distances[switch],
    };
    let ports: Vec<usize> =
        neighbours(links, switch).into_iter().filter(nearer).map(|(port, _)| port).collect();
    let Some(port) = ports.get(host % ports.len().max(1)) else { return RouteEntry::default() };
    let alt = ports[(host + ports.len() / 2) % ports.len()];
    RouteEntry { alt: alt as u8, adapt: adapt && alt != *port, ..RouteEntry::to(*port) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every endpoint is reached from every switch, in as many switches as the plan has levels, by either way.
    #[test]
    fn routes_lead_to_every_endpoint() {
        for (plan, most, ports) in [(Plan::FatTree, 3, 16), (Plan::Tree, 6, 8)] {
            let topology = Topology::new(plan, true);
            assert_eq!(topology.ports, ports);
            let mut longest = 0;
            for from in 0..SWITCHES {
                for host in 0..HOSTS {
                    for second in [false, true] {
                        let (mut switch, mut hops) = (from, 1);
                        loop {
                            let entry = topology.routes[switch][host];
                            let port = if second { entry.alt } else { entry.port };
                            let next = neighbours(&topology.links, switch);
                            match next.into_iter().find(|(number, _)| *number == usize::from(port)) {
                                Some((_, End::Port { switch: other, .. })) => switch = other,
                                found => break assert_eq!(found.map(|found| found.1), Some(End::Host(host))),
                            }
                            hops += 1;
                            assert!(hops <= most, "{plan:?}: {from} to {host}");
                        }
                        longest = longest.max(hops);
                    }
                }
            }
            assert_eq!(longest, most, "{plan:?}");
        }
    }

    #[test]
    fn only_the_fat_tree_has_two_ways() {
        let adaptive =
            |plan| Topology::new(plan, true).routes.iter().flatten().filter(|entry| entry.adapt).count();
        // From each lower switch to the 56 endpoints that are not its own.
        assert_eq!((adaptive(Plan::FatTree), adaptive(Plan::Tree)), (8 * 56, 0));
    }
}
