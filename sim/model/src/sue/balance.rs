//! Choice of a port and reachability (chapter 50, 4.4 rules 1 and 3).

/// What a port says when a body looks for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortView {
    /// The link is up.
    pub up: bool,
    /// It can send on the body's virtual channel: a slot is free, its class neither paused nor without credit.
    pub ready: bool,
    /// Octets of credit less octets that wait; with PFC the credit is 0.
    pub available: i64,
}

/// Where a body goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To this port.
    Port(u8),
    /// Nowhere now: a port that reaches the peer cannot send.
    Waits,
    /// No port reaches the peer: its commands get status 1.
    Nowhere,
}

/// How a port is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BalanceMode {
    /// MODE = strict: STRICT_MAP.
    Strict,
    /// MODE = unordered: the port with most available octets.
    Unordered,
}

/// STRICT_MAP, reachability and the rotating pointer of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// By peer.
    homes: Vec<u8>,
    /// By peer, by port.
    reach: Vec<Vec<bool>>,
    pointer: u8,
}

impl Balance {
    /// Nothing is reachable; STRICT_MAP is the peer modulo the number of ports.
    pub fn new(ports: u8, peers: u16) -> Self {
        let homes = (0..peers).map(|peer| (peer % u16::from(ports)) as u8).collect();
        Self { homes, reach: vec![vec![false; ports.into()]; peers.into()], pointer: 0 }
    }

    /// Sets the port of a peer in STRICT_MAP.
    pub fn set_home(&mut self, peer: u16, port: u8) {
        if let Some(home) = self.homes.get_mut(usize::from(peer)) {
            *home = port;
        }
    }

    /// The port of a peer in STRICT_MAP.
    pub fn home(&self, peer: u16) -> Option<u8> {
        self.homes.get(usize::from(peer)).copied()
    }

    /// Sets whether a port reaches a peer: by OPEN, RETRY_MAX or the host.
    pub fn set_reach(&mut self, peer: u16, port: u8, reaches: bool) {
        let row = self.reach.get_mut(usize::from(peer));
        if let Some(one) = row.and_then(|row| row.get_mut(usize::from(port))) {
            *one = reaches;
        }
    }

    /// The link of a port is down: it reaches no peer until each is opened again.
    pub fn port_down(&mut self, port: u8) {
        let ones = self.reach.iter_mut().filter_map(|row| row.get_mut(usize::from(port)));
        ones.for_each(|one| *one = false);
    }

    /// Rule 1: where a body for this peer goes; `ports` are those of the instance in order.
    pub fn route(&self, mode: BalanceMode, peer: u16, ports: &[PortView]) -> Route {
        let row = self.reach.get(usize::from(peer)).map_or(&[][..], |row| row);
        let is_home =
            |port: usize| self.homes.get(usize::from(peer)).is_some_and(|home| usize::from(*home) == port);
        let reaching: Vec<usize> = (0..ports.len())
            .filter(|&port| ports[port].up && row.get(port) == Some(&true))
            .filter(|&port| mode == BalanceMode::Unordered || is_home(port))
            .collect();
        let count = ports.len();
        let turn = |port: usize| (port + count - usize::from(self.pointer)) % count;
        let eligible = reaching.iter().copied().filter(|&port| ports[port].ready);
        match eligible.min_by_key(|&port| (-ports[port].available, turn(port))) {
            Some(port) => Route::Port(port as u8),
            None if reaching.is_empty() => Route::Nowhere,
            None => Route::Waits,
        }
    }

    /// A body went to this port: ties go to the next one.
    pub fn went(&mut self, port: u8) {
        let ports = self.reach.first().map_or(1, Vec::len);
        self.pointer = ((usize::from(port) + 1) % ports) as u8;
    }
}
