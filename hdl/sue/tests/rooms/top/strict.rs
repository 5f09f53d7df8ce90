//! Order over a failover (STRICT_FO, chapter 50, 4.4 rule 4): two instances with two or four ports in MODE strict whose ports die and come back under load, with XPUs that take their
//! time. Every command arrives once and in order.

use super::end::{End, Setup, IDLE, VCS};
use super::host::Host;
use super::{DELAY, PLAIN};
use flitforge_protocol::sue_registers::connections::index;
use flitforge_protocol::sue_registers::{self as page, SueCounter, Table};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::is_full;
use rand::Rng as _;
use std::collections::VecDeque;

const SETUP: Setup = Setup { ports: 2, rto: 800, strict: true, ..PLAIN };
/// Clocks in which all comes to an end, and all ports are reached again.
const PATIENCE: u64 = 600_000;

/// Clocks in which a connection that retries has failed or goes on, and what has arrived has come to a fast XPU.
const QUIET: u64 = 20_000;

/// How a port dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Death {
    /// Both ends see it.
    Link,
    /// This end sees it, nothing gets through.
    OneEnd(usize),
    /// Nothing gets through.
    Silence,
}

/// Two ends and their lines.
struct Lines {
    ends: [End; 2],
    /// By port and by end that sends.
    wires: Vec<[VecDeque<(u64, u64)>; 2]>,
    /// Lines that carry nothing.
    silent: u64,
    links: [u64; 2],
    random: Rng,
    load: f64,
    now: u64,
    /// What happened last.
    story: VecDeque<(u64, String)>,
}

impl Host for Lines {
    fn end(&mut self, end: usize) -> &mut End {
        &mut self.ends[end]
    }

    fn one_clock(&mut self) {
        self.clock();
    }
}

impl Lines {
    fn new(setup: Setup, salt: u64) -> Self {
        let salt = seed(salt);
        let end = |own: u64| End::new(own, rng(salt, if own == 0 { "first" } else { "second" }), setup);
        let wire = || VecDeque::from(vec![IDLE; DELAY]);
        let mut lines = Self {
            ends: [end(0), end(1)],
            wires: (0..setup.ports).map(|_| [wire(), wire()]).collect(),
            silent: 0,
            links: [(1 << setup.ports) - 1; 2],
            random: rng(salt, "lines"),
            load: 0.0,
            now: 0,
            story: VecDeque::new(),
        };
        lines.connect();
        lines
    }

    fn ports(&self) -> usize {
        self.wires.len()
    }

    fn clock(&mut self) {
        for (port, wires) in self.wires.iter_mut().enumerate() {
            let carries = (self.links[0] & self.links[1] & !self.silent) >> port & 1 == 1;
            for (index, wire) in wires.iter_mut().enumerate() {
                let column = self.ends[index].say_at(port);
                wire.push_back(if carries { column } else { IDLE });
                let column = wire.pop_front().expect("the wire is as long as it is");
                self.ends[1 - index].hear_at(port, if carries { column } else { IDLE });
            }
        }
        for end in &mut self.ends {
            if end.waiting() < 8 && self.random.random_bool(self.load) {
                let vc = self.random.random_range(0..VCS);
                end.offer(vc, self.random.random_range(0..=150));
            }
            end.clock();
        }
        if let Some(late) = self.ends.iter().find_map(|end| end.late.clone()) {
            panic!("clock {}: {late}; {}; {:?}", self.now, self.standing(), self.story);
        }
        self.now += 1;
    }

    fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }

    /// The entry of the peer.
    fn entry(&mut self, end: usize, table: Table) -> u64 {
        self.request(
            end,
            page::TBL_ADDR,
            Some((table as u64) << page::tbl_addr::table::LOW | (1 - end as u64)),
        );
        self.request(end, page::TBL_DATA, None)
    }

    fn home(&mut self, end: usize) -> u64 {
        self.entry(end, Table::StrictMap)
    }

    fn set_home(&mut self, end: usize, port: u64) {
        self.request(
            end,
            page::TBL_ADDR,
            Some((Table::StrictMap as u64) << page::tbl_addr::table::LOW | (1 - end as u64)),
        );
        self.request(end, page::TBL_DATA, Some(port));
    }

    /// Until all ports are reached by both ends, while everything goes on.
    fn connect(&mut self) {
        let (limit, all) = (self.now + PATIENCE, (1 << self.ports()) - 1);
        while (0..2).any(|end| self.entry(end, Table::Reach) != all) {
            assert!(self.now < limit, "not connected after {PATIENCE} clocks");
            self.run(200);
        }
    }

    fn tell(&mut self, what: String) {
        self.story.push_back((self.now, what));
        while self.story.len() > 8 {
            self.story.pop_front();
        }
    }

    fn kill(&mut self, port: usize, death: Death) {
        self.tell(format!("port {port} dies, {death:?}"));
        match death {
            Death::Link => self.set_links([self.links[0] & !(1 << port), self.links[1] & !(1 << port)]),
            Death::OneEnd(end) => {
                let mut links = self.links;
                links[end] &= !(1 << port);
                self.set_links(links);
            }
            Death::Silence => self.silent |= 1 << port,
        }
    }

    fn set_links(&mut self, links: [u64; 2]) {
        self.links = links;
        for (end, links) in self.ends.iter_mut().zip(links) {
            end.link(links);
        }
    }

    fn revive(&mut self) {
        self.tell("all ports are back".into());
        self.silent = 0;
        self.set_links([(1 << self.ports()) - 1; 2]);
    }

    fn any_death(&mut self) -> Death {
        match self.random.random_range(0..5) {
            0..2 => Death::Link,
            2..4 => Death::OneEnd(self.random.random_range(0..2)),
            _ => Death::Silence,
        }
    }

    /// XPUs that take words and give credits back fast or slowly.
    fn any_pace(&mut self) {
        for end in &mut self.ends {
            end.takes = [1.0, 1.0, 0.5, 0.15][self.random.random_range(0..4)];
            end.gives_back = [1.0, 1.0, 0.1, 0.02][self.random.random_range(0..4)];
        }
        let paces = self.ends.each_ref().map(|end| (end.takes, end.gives_back));
        self.tell(format!("paces {paces:?}"));
    }

    /// Commands that have no status, or have not come.
    fn open(&self) -> u64 {
        let of = |index: usize| {
            let (from, to) = (&self.ends[index], &self.ends[1 - index]);
            let done: u64 = from.by_status.iter().sum();
            let lost = from.by_status[1] + from.by_status[3];
            (from.offered() - done) + (from.offered() - lost).saturating_sub(to.delivered)
        };
        of(0) + of(1)
    }

    /// XPUs take all at once.
    fn quicken(&mut self) {
        self.ends.iter_mut().for_each(|end| (end.takes, end.gives_back) = (1.0, 1.0));
    }

    /// What is known of both ends.
    fn standing(&self) -> String {
        let of = |end: &End| {
            let done: u64 = end.by_status.iter().sum();
            format!(
                "offered {}, by status {:?} = {done}, come {}",
                end.offered(),
                end.by_status,
                end.delivered
            )
        };
        format!("first {}; second {}", of(&self.ends[0]), of(&self.ends[1]))
    }

    /// Until every command has its status and has come.
    fn settle(&mut self) {
        self.load = 0.0;
        let limit = self.now + PATIENCE;
        while self.open() > 0 {
            assert!(self.now < limit, "{} commands are open: {}", self.open(), self.standing());
            self.run(100);
        }
    }

    /// What statuses say is true, and what has status 0 has come.
    fn require_truth(&self) {
        for (index, from) in self.ends.iter().enumerate() {
            let to = &self.ends[1 - index];
            let [delivered, failed, flushed, unknown] = from.by_status;
            assert_eq!(delivered + failed + unknown, from.offered(), "one status each");
            assert_eq!(flushed, 0);
            assert!((delivered..=delivered + unknown).contains(&to.delivered), "{:?}", from.by_status);
            assert!(to.missing <= failed + unknown, "{} are missing", to.missing);
        }
    }

    /// No body has failed so far.
    fn require_no_failure(&self) {
        let failed = self.ends.iter().any(|end| end.by_status[1..] != [0; 3]);
        assert!(!failed, "clock {}: {}; {:?}", self.now, self.standing(), self.story);
    }

    /// All has come.
    fn require_all(&self) {
        self.require_truth();
        for (index, end) in self.ends.iter().enumerate() {
            assert_eq!(end.by_status[1..], [0; 3], "statuses of end {index}");
            assert_eq!(end.missing, 0);
        }
    }

    /// The host has bodies go by the peer's own port again: by a failover, in order and under load; by STRICT_MAP, while nothing is under way; or not at all.
    fn go_home(&mut self, end: usize) -> &'static str {
        let (own, now) = ((1 - end as u64) % self.ports() as u64, self.home(end));
        if own == now {
            return "at home";
        }
        let way = self.random.random_range(0..3);
        self.tell(format!("end {end} goes home, {way}"));
        match way {
            0 => {
                let vc = self.random.random_range(0..VCS as u64);
                let connection =
                    now << index::port::LOW | (1 - end as u64) << index::peer::LOW | vc << index::vc::LOW;
                let sender = (Table::Sender as u64) << page::tbl_addr::table::LOW;
                self.request(end, page::TBL_ADDR, Some(sender | connection));
                self.request(end, page::CMD, Some(1 << page::cmd::fail_over::LOW));
                self.run(200);
                self.connect();
                assert_ne!(self.home(end), now, "it has gone on through another port");
                "by the host's failover"
            }
            1 => {
                let load = self.load;
                self.quicken();
                self.settle();
                self.run(QUIET);
                self.set_home(end, own);
                assert_eq!(self.home(end), own);
                self.load = load;
                "by the host's map"
            }
            _ => "stays",
        }
    }
}

/// A port dies while nothing is under way, and while much is: bodies go on by the other one, STRICT_MAP says so, and it stays when the port is back.
#[test]
fn the_map_follows_the_bodies() {
    let mut lines = Lines::new(SETUP, 0x5F1);
    for (round, load) in [0.0, 0.05].into_iter().enumerate() {
        lines.load = load;
        lines.run(5_000);
        let homes = [0, 1].map(|end| lines.home(end));
        let port = homes[0] as usize;
        lines.kill(port, Death::Link);
        lines.run(40_000);
        assert_eq!(lines.home(0), 1 - homes[0], "round {round}");
        assert_eq!(lines.home(1), 1 - homes[0], "round {round}");
        lines.revive();
        lines.connect();
        assert_eq!(lines.home(0), 1 - homes[0]);
    }
    lines.settle();
    lines.require_all();
    assert!(lines.ends.iter_mut().all(|end| end.count(SueCounter::Failover) > 0));
}

/// Point 11: a port of two dies at random moments under load and comes back.
#[test]
fn two_ports_that_die_keep_the_order() {
    let mut lines = Lines::new(SETUP, 0x5F2);
    let kills = if is_full() { 1_000 } else { 16 };
    let mut ways = std::collections::BTreeMap::<&str, u64>::new();
    for _ in 0..kills {
        lines.any_pace();
        lines.load = 0.04;
        let before = lines.random.random_range(500..6_000);
        lines.run(before);
        let (port, death) = (lines.random.random_range(0..2), lines.any_death());
        lines.kill(port, death);
        let dead = lines.random.random_range(500..40_000);
        lines.run(dead);
        lines.revive();
        // Not both at once: whoever has seen nothing of it goes on, or fails over.
        lines.run(QUIET);
        lines.connect();
        lines.require_no_failure();
        let end = lines.random.random_range(0..2);
        *ways.entry(lines.go_home(end)).or_default() += 1;
    }
    lines.any_pace();
    lines.settle();
    lines.require_all();
    let moved: u64 = lines.ends.iter_mut().map(|end| end.count(SueCounter::Failover)).sum();
    println!("{kills} kills in {} clocks: {moved} connections went on, {ways:?}", lines.now);
    assert!(moved > 0);
}

/// The same with four ports, where a second one may die before the first is back, or while its bodies still move: then commands may fail, but none comes late or twice.
#[test]
fn four_ports_that_die_keep_the_order() {
    let mut lines = Lines::new(Setup { ports: 4, ..SETUP }, 0x5F4);
    let kills = if is_full() { 1_000 } else { 16 };
    for _ in 0..kills {
        lines.any_pace();
        lines.load = 0.04;
        for _ in 0..lines.random.random_range(1..=3) {
            let (port, death) = (lines.random.random_range(0..4), lines.any_death());
            lines.kill(port, death);
            let longer = lines.random.random_range(20..3_000);
            lines.run(longer);
        }
        let dead = lines.random.random_range(500..20_000);
        lines.run(dead);
        lines.revive();
        if lines.random.random_bool(0.7) {
            lines.connect();
            lines.go_home(0);
        }
    }
    lines.any_pace();
    lines.settle();
    lines.require_truth();
    let moved: u64 = lines.ends.iter_mut().map(|end| end.count(SueCounter::Failover)).sum();
    let statuses = lines.ends.each_ref().map(|end| end.by_status);
    println!("{kills} times: {moved} connections went on, commands by status {statuses:?}");
    assert!(moved > 0);
}

/// All ports die at once: every command gets its status, and what comes later is in order again.
#[test]
fn both_ports_dead_leave_no_command_open() {
    let mut lines = Lines::new(SETUP, 0x5F3);
    for _ in 0..4 {
        lines.load = 0.05;
        lines.run(4_000);
        lines.kill(0, Death::Link);
        lines.kill(1, Death::Link);
        lines.run(5_000);
        lines.revive();
        lines.connect();
    }
    lines.settle();
    lines.require_truth();
    let statuses = lines.ends.each_ref().map(|end| end.by_status);
    println!("commands by status {statuses:?}");
    assert!(statuses.iter().all(|by| by[0] > 0 && by[3] > 0));
}
