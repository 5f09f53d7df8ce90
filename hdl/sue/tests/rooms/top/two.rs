//! Two instances with two ports each, and a line between each pair: ports die and come back, and every command arrives once.

use super::end::{End, Setup, IDLE, VCS};
use super::{DELAY, PLAIN};
use flitforge_protocol::sue_port_registers::PortCounter;
use flitforge_protocol::sue_registers::{self as page, SueCounter};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::is_full;
use rand::Rng as _;
use std::collections::VecDeque;

pub const PORTS: usize = 2;
pub const SETUP: Setup = Setup { ports: PORTS, rto: 800, ..PLAIN };

/// Two ends and their lines.
pub struct Lines {
    pub ends: [End; 2],
    /// By port and by end that sends.
    pub wires: [[VecDeque<(u64, u64)>; 2]; PORTS],
    /// Links, a bit each.
    links: u64,
    random: Rng,
    /// Chance that an end is offered a command in a clock.
    pub load: f64,
}

impl Lines {
    fn new(salt: u64) -> Self {
        Self::with(SETUP, salt)
    }

    /// The same with another setup.
    pub fn with(setup: Setup, salt: u64) -> Self {
        let salt = seed(salt);
        let end = |own: u64| End::new(own, rng(salt, if own == 0 { "first" } else { "second" }), setup);
        let wire = || VecDeque::from(vec![IDLE; DELAY]);
        let mut lines = Self {
            ends: [end(0), end(1)],
            wires: [[wire(), wire()], [wire(), wire()]],
            links: 3,
            random: rng(salt, "lines"),
            load: 0.0,
        };
        lines.connect();
        lines
    }

    pub fn clock(&mut self) {
        for (port, wires) in self.wires.iter_mut().enumerate() {
            let is_up = self.links >> port & 1 == 1;
            for (index, wire) in wires.iter_mut().enumerate() {
                let column = self.ends[index].say_at(port);
                wire.push_back(if is_up { column } else { IDLE });
                let column = wire.pop_front().expect("the wire is as long as it is");
                self.ends[1 - index].hear_at(port, if is_up { column } else { IDLE });
            }
        }
        for end in &mut self.ends {
            if end.waiting() < 8 && self.random.random_bool(self.load) {
                let vc = self.random.random_range(0..VCS);
                end.offer(vc, self.random.random_range(0..=150));
            }
            end.clock();
        }
    }

    pub fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }

    pub fn connect(&mut self) {
        for _ in 0..400 {
            if self.ends.each_mut().map(End::reaches) == [true; 2] {
                return;
            }
            self.run(100);
        }
        panic!("not connected");
    }

    pub fn set_links(&mut self, links: u64) {
        self.links = links;
        self.ends.iter_mut().for_each(|end| end.link(links));
    }

    /// Until all that was offered has come, once, and every body has a status.
    fn settle(&mut self) {
        self.load = 0.0;
        self.run(60_000);
        self.require_all();
    }

    /// All that was offered has come, and every body has arrived.
    pub fn require_all(&self) {
        let offered = self.ends.each_ref().map(End::offered);
        let delivered = self.ends.each_ref().map(|end| end.delivered);
        assert_eq!((delivered[1], delivered[0]), (offered[0], offered[1]));
        for end in &self.ends {
            assert_eq!(end.failed, 0);
        }
    }
}

/// Both ports carry traffic.
#[test]
fn two_ports_share_the_load() {
    let mut lines = Lines::new(0x711);
    lines.load = 0.05;
    lines.run(40_000);
    lines.settle();
    for end in &mut lines.ends {
        assert!(end.delivered > 500, "{}", end.delivered);
        for port in 0..PORTS as u32 {
            assert!(end.port_count_at(port, PortCounter::FramesTx) > 200, "port {port}");
            assert!(end.dispatched[port as usize] > 50, "port {port}: {:?}", end.dispatched);
        }
        assert_eq!(end.count(SueCounter::Replay), 0);
        assert_eq!(end.dispatched.iter().sum::<u64>(), end.completed);
        assert_eq!(end.commands_sent, end.commands_done);
    }
}

/// Point 11 in hardware: a port dies at random moments under load, and comes back later. What it held goes on through the other one.
#[test]
fn ports_that_die_lose_and_double_nothing() {
    let mut lines = Lines::new(0x712);
    let kills = if is_full() { 1_000 } else { 12 };
    for _ in 0..kills {
        lines.load = 0.03;
        let before = lines.random.random_range(500..6_000);
        lines.run(before);
        let port = lines.random.random_range(0..PORTS);
        lines.set_links(3 & !(1 << port));
        let dead = lines.random.random_range(1_000..12_000);
        lines.run(dead);
        lines.set_links(3);
        // Until it is used again, or not: the next one may come in the middle of it.
        let after = lines.random.random_range(0..20_000);
        lines.run(after);
        // Not both at once: the other one has to reach the peer.
        lines.load = 0.0;
        lines.run(3_000);
        lines.connect();
    }
    lines.settle();
    assert_eq!(lines.ends.each_mut().map(loads), [0; 2], "what moved waits nowhere");
    let moved: u64 = lines.ends.iter_mut().map(|end| end.count(SueCounter::Failover)).sum();
    println!("{kills} kills: {moved} connections went on through the other port");
    assert!(moved > 0);
}

/// STATUS.load of both ports.
fn loads(end: &mut End) -> u64 {
    end.read(page::STATUS) >> page::status::load_0::LOW & 0xFFFF
}

/// STATUS.load (point 15): what is done with does not wait at a port, whatever the sizes of its bodies were.
#[test]
fn ports_that_have_sent_all_have_no_load() {
    let mut lines = Lines::new(0x716);
    assert_eq!(lines.ends.each_mut().map(loads), [0; 2], "before anything was sent");
    for round in 0..4 {
        lines.load = 0.05;
        lines.run(3_000);
        lines.load = 0.0;
        lines.run(6_000);
        lines.require_all();
        println!("{:?} bodies", lines.ends[0].dispatched);
        assert_eq!(lines.ends.each_mut().map(loads), [0; 2], "round {round}");
    }
}
