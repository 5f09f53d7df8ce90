//! Two instances with AXI4 in place of commands, both ways: an AXI manager and a memory at each end, whatever the line does.
//!
//! `sue_axi` stands at the command interface of `sue_top`, which tells it of dispatches and completions. Room for commands belongs to a port;
//! `sue_axi` does not know of ports, so the join here remembers by which port each cell came.

use super::end::{End, Setup, IDLE, PARTITION, VCS};
use super::host::Host;
use super::{DELAY, PLAIN};
use crate::rooms::axi::node::{accept, offer, require_once, value, Node, Way};
use crate::rooms::axi::requester::Ledger;
use crate::rooms::network::value_of;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::axi::INBOX_CELLS;
use flitforge_hdl_sue::command_in::CellCredits;
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion};
use flitforge_hdl_sue::top::{Dispatch, SueTop};
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_protocol::sue::axi::{REQUEST_VC, RESPONSE_VC};
use flitforge_protocol::sue_registers::{self as page, SueCounter, Table};
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{compiled, is_full, Clocked as _, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// The instance of the other tests with four times as many cells, 56 for each virtual channel: several commands are under way, and share a body.
type Roomy = SueTop<2, 4, 3, 5, 6, 4, 5, 6, 10, 7, 8, 11, 11, 9, 7, 8, 11, 12, 1, 2, 2, 7>;
/// The same with two ports.
type RoomyTwo = SueTop<2, 4, 3, 5, 6, 4, 5, 6, 10, 7, 8, 11, 11, 9, 7, 8, 11, 12, 2, 3, 4, 10>;

fn roomy(ports: usize) -> &'static Arc<Compiled> {
    static PROGRAMS: [OnceLock<Arc<Compiled>>; 2] = [OnceLock::new(), OnceLock::new()];
    PROGRAMS[ports - 1].get_or_init(|| match ports {
        1 => compiled("sue_top", &Roomy::new().expect("valid")),
        _ => compiled("sue_top_two", &RoomyTwo::new().expect("valid")),
    })
}

/// Channels that AXI uses.
const USED: [usize; 2] = [REQUEST_VC as usize, RESPONSE_VC as usize];

/// An instance, its adapter, and the join of both.
struct Station {
    end: End,
    node: Node,
    commands: Way,
    arrivals: Way,
    on: Handle,
    credits: [Handle; 2],
    /// Inputs of the adapter and the outputs of the instance that they are.
    told: [(Handle, Handle); 5],
    back: Vec<[Handle; 2]>,
    /// By virtual channel, the port of each cell that is taken.
    owed: [VecDeque<usize>; VCS],
    /// By port: room that the instance is to be told.
    returned: Vec<VecDeque<(usize, u64)>>,
    /// It was on a clock ago.
    was_on: bool,
    /// By port: commands of requests that became PDUs there; PDUs of them, those that moved, and commands with a status.
    dispatched: Vec<u64>,
    bodies: u64,
    moved: u64,
    delivered: u64,
    failed: u64,
}

impl Station {
    /// The adapter before an end.
    fn new(salt: u64, own: u64, setup: Setup, mut end: End, early: bool) -> Self {
        // Off again, so that the adapter sees it come on.
        let control = end.read(page::CTRL);
        end.write(page::CTRL, control & !1);
        end.block.run(10);
        let modes = [setup.ports > 1, early];
        let node = Node::new(salt, own as u16, 1 - own as u16, PARTITION as u16, modes);
        let flow = |block: &CompiledBlock, name: &str| {
            ["valid", "data"].map(|part| block.handle(&format!("{name}.{part}")))
        };
        let told =
            ["dispatches.valid", "dispatches.data", "completions.valid", "completions.data", "completion_of"];
        Self {
            commands: Way::new(&end.block, "commands", "head"),
            arrivals: Way::new(&end.block, "commands_out", "head_out"),
            on: end.block.handle("on"),
            credits: flow(&end.block, "credits"),
            told: told.map(|path| (node.block.handle(path), end.block.handle(path))),
            back: (0..setup.ports).map(|port| flow(&end.block, &format!("out_credits[{port}]"))).collect(),
            owed: std::array::from_fn(|_| (0..INBOX_CELLS).map(|cell| cell % setup.ports).collect()),
            returned: vec![VecDeque::new(); setup.ports],
            was_on: false,
            dispatched: vec![0; setup.ports],
            bodies: 0,
            moved: 0,
            delivered: 0,
            failed: 0,
            end,
            node,
        }
    }

    /// A clock of all; requests of its own are in `asked`, those of its peer in `come`.
    fn clock(&mut self, asked: &RefCell<Ledger>, come: &RefCell<Ledger>) {
        let on = self.end.block.instance.get(self.on) == 1;
        self.node.block.set("clear", u64::from(!on));
        if on && self.was_on {
            self.node.drive(asked);
        }
        self.was_on = on;
        self.tell(on);
        let Self { end, node, commands, arrivals, .. } = self;
        offer(&mut node.block, node.out, &mut end.block, *commands, on);
        offer(&mut end.block, *arrivals, &mut node.block, node.back, on);
        accept(&mut node.block, node.out, &mut end.block, *commands, on);
        accept(&mut end.block, *arrivals, &mut node.block, node.back, on);
        let moved = node.observe(asked, come);
        if let Some((vc, port)) = moved.cell {
            self.owed[vc].push_back(port);
        }
        if let Some((vc, count)) = moved.room {
            for _ in 0..count {
                let port = self.owed[vc].pop_front().expect("no more room than cells");
                self.returned[port].push_back((vc, 1));
            }
        }
        self.node.block.step();
        self.end.block.step();
    }

    /// Credits and what is told of bodies.
    fn tell(&mut self, on: bool) {
        let block = &mut self.end.block;
        for (returned, [valid, data]) in self.returned.iter_mut().zip(&self.back) {
            let room = if on { returned.pop_front() } else { None };
            block.instance.set(*valid, room.is_some().into());
            if let Some((vc, count)) = room {
                let credit = OutCredit { vc: (vc as u64).into(), count: count.into() };
                block.instance.set_words(*data, value_of::<OutCredit, 10>(credit).words());
            }
        }
        let credit = (on && block.instance.get(self.credits[0]) == 1).then(|| {
            let credit: CellCredits = Bits::<10>::from_value(&value(block, self.credits[1])).into();
            (u64::from(credit.vc) as usize, u64::from(credit.count))
        });
        self.node.credit(credit);
        for (into, from) in self.told {
            self.node.block.instance.set_words(into, block.instance.words(from));
        }
        let [dispatch, completion] = [0, 2].map(|at| block.instance.get(self.told[at].1) == 1);
        if dispatch {
            let told: Dispatch = Bits::<27>::from_value(&value(block, self.told[1].1)).into();
            if u64::from(told.vc) == u64::from(REQUEST_VC) {
                self.dispatched[u64::from(told.port) as usize] += u64::from(told.commands);
                self.bodies += 1;
                self.moved += u64::from(told.moved);
            }
        }
        if completion {
            let done: Completion = Bits::<36>::from_value(&value(block, self.told[3].1)).into();
            match done.status {
                BodyStatus::Delivered => self.delivered += u64::from(done.commands),
                _ => self.failed += u64::from(done.commands),
            }
        }
    }

    /// Cells of the channels of AXI: those that commands may use, and those that may come.
    fn left(&self) -> [[i64; 2]; 2] {
        let node = &self.node;
        USED.map(|vc| [node.credited[vc] - node.used[vc], node.announced[vc] - node.come[vc]])
    }
}

/// Two of them and their lines.
struct Pair {
    stations: [Station; 2],
    ledgers: [RefCell<Ledger>; 2],
    /// By port and by end that sends.
    wires: Vec<[VecDeque<(u64, u64)>; 2]>,
    links: u64,
    faults: f64,
    damaged: u64,
    random: Rng,
    /// Cells at the start.
    left: [[[i64; 2]; 2]; 2],
}

impl Host for Pair {
    fn end(&mut self, end: usize) -> &mut End {
        &mut self.stations[end].end
    }

    fn one_clock(&mut self) {
        self.clock();
    }
}

impl Pair {
    /// With few cells or many, and B of the memory or, if `early`, of the instance.
    fn new(salt: u64, setup: Setup, is_roomy: bool, early: bool) -> Self {
        let salt = seed(salt);
        let wire = || VecDeque::from(vec![IDLE; DELAY]);
        let mut pair = Self {
            stations: [0, 1].map(|own| {
                let random = rng(salt, if own == 0 { "first" } else { "second" });
                let end = match is_roomy {
                    true => End::of(roomy(setup.ports), own, random, setup),
                    false => End::new(own, random, setup),
                };
                Station::new(salt, own, setup, end, early)
            }),
            ledgers: Default::default(),
            wires: (0..setup.ports).map(|_| [wire(), wire()]).collect(),
            links: (1 << setup.ports) - 1,
            faults: 0.0,
            damaged: 0,
            random: rng(salt, "pair"),
            left: Default::default(),
        };
        for index in [0, 1] {
            let control = pair.request(index, page::CTRL, None);
            pair.request(index, page::CTRL, Some(control | 1));
        }
        pair.connect();
        pair.left = pair.stations.each_ref().map(Station::left);
        let is_full = |[credits, room]: &[i64; 2]| *credits >= 8 && *room == INBOX_CELLS as i64;
        assert!(pair.left.iter().flatten().all(is_full), "{:?}", pair.left);
        pair
    }

    fn clock(&mut self) {
        for (port, wires) in self.wires.iter_mut().enumerate() {
            let is_up = self.links >> port & 1 == 1;
            for (index, wire) in wires.iter_mut().enumerate() {
                let mut column = self.stations[index].end.say_at(port);
                if self.faults > 0.0 && self.random.random_bool(self.faults) {
                    self.damaged += 1;
                    column.0 ^= 1 << self.random.random_range(0..64);
                }
                wire.push_back(if is_up { column } else { IDLE });
                let column = wire.pop_front().expect("the wire is as long as it is");
                self.stations[1 - index].end.hear_at(port, if is_up { column } else { IDLE });
            }
        }
        for (index, station) in self.stations.iter_mut().enumerate() {
            station.clock(&self.ledgers[index], &self.ledgers[1 - index]);
        }
    }

    fn run(&mut self, load: f64, clocks: u64) {
        self.stations.iter_mut().for_each(|station| station.node.requester.load = load);
        (0..clocks).for_each(|_| self.clock());
    }

    fn count(&mut self, index: usize, counter: SueCounter) -> u64 {
        self.request(index, page::counter_offset(counter), None)
    }

    /// Until each end reaches the other one by all ports.
    fn connect(&mut self) {
        let all = (1 << self.wires.len()) - 1;
        for _ in 0..400 {
            let reaches = [0, 1].map(|index| {
                self.request(
                    index,
                    page::TBL_ADDR,
                    Some((Table::Reach as u64) << page::tbl_addr::table::LOW | (1 - index as u64)),
                );
                self.request(index, page::TBL_DATA, None)
            });
            if reaches == [all; 2] {
                return;
            }
            self.run(0.0, 100);
        }
        panic!("not connected");
    }

    fn set_links(&mut self, links: u64) {
        self.links = links;
        self.stations.iter_mut().for_each(|station| station.end.link(links));
    }

    /// No more requests, until all is answered and nothing is on its way.
    fn settle(&mut self, limit: u64) {
        self.faults = 0.0;
        self.run(0.0, 3_000);
        let mut clocks = 0;
        while self.stations.iter().any(|station| station.node.requester.waiting() > 0) {
            self.run(0.0, 100);
            clocks += 100;
            let waiting = self.stations.each_ref().map(|station| station.node.requester.waiting());
            assert!(clocks < limit, "{waiting:?} requests are never answered");
        }
        self.run(0.0, 8_000);
    }

    /// All requests came once and were answered; each cell is back, and each body has a status.
    fn require_all(&mut self) {
        for (index, station) in self.stations.iter_mut().enumerate() {
            station.node.finish();
            require_once(&self.ledgers[index].borrow());
            assert_eq!(station.left(), self.left[index], "cells that may be used, and that may come");
            assert_eq!(station.failed, 0, "commands that have not arrived");
        }
        let [first, second] = &self.stations;
        assert_eq!(first.node.memory.octets, second.node.requester.golden);
        assert_eq!(second.node.memory.octets, first.node.requester.golden);
        for station in &self.stations {
            println!(
                "{:?}; dispatched {:?} in {} bodies, {} moved, {} commands delivered",
                station.node.requester.seen,
                station.dispatched,
                station.bodies,
                station.moved,
                station.delivered
            );
        }
    }

    fn seen(&self, what: &str) -> u64 {
        self.stations.iter().map(|station| station.node.requester.seen.get(what).copied().unwrap_or(0)).sum()
    }
}

/// How much is done: a hundred times as much in a full run.
fn times(quick: u64) -> u64 {
    if is_full() {
        100 * quick
    } else {
        quick
    }
}

/// B of the memory, or of the instance; a line with wrong bits, which go-back-N repairs.
#[test]
fn axi_passes_a_bad_line() {
    let all = [(0x721, false, false), (0x722, false, true), (0x726, true, false), (0x727, true, true)];
    for (salt, is_roomy, early) in all {
        let mut pair = Pair::new(salt, PLAIN, is_roomy, early);
        for round in 0..times(2) {
            pair.faults = 1e-3;
            pair.run([0.05, 0.01][round as usize % 2], 12_000);
            pair.settle(200_000);
            pair.require_all();
        }
        let replays: u64 = (0..2).map(|index| pair.count(index, SueCounter::Replay)).sum();
        println!("{} columns damaged, {replays} replays", pair.damaged);
        assert!(pair.damaged > 10 && replays > 0);
        for what in ["a write", "a read"] {
            assert!(pair.seen(what) > 50, "{what}");
        }
        assert!(pair.seen("a long write") + pair.seen("a long read") > 2);
        assert_eq!(pair.seen("B before the write has come") > 0, early);
        assert!(early || pair.seen("a read of what is written") > 20);
    }
}

/// Two ports in MODE unordered; one dies under load and comes back, so that bodies move. No request is lost or comes twice.
#[test]
fn axi_passes_ports_that_die() {
    for (salt, early) in [(0x723, false), (0x724, true)] {
        let mut pair = Pair::new(salt, Setup { ports: 2, rto: 800, ..PLAIN }, true, early);
        for station in &mut pair.stations {
            station.node.requester.favours = 0.1;
        }
        for round in 0..times(4) {
            let before = pair.random.random_range(1_000..4_000);
            pair.run(0.08, before);
            pair.set_links(3 & !(1 << (round % 2)));
            let dead = pair.random.random_range(2_000..6_000);
            pair.run(0.08, dead);
            pair.set_links(3);
            pair.run(0.02, 2_000);
            pair.settle(200_000);
            pair.connect();
        }
        pair.require_all();
        let moved: u64 = pair.stations.iter().map(|station| station.moved).sum();
        assert!(moved > 0, "bodies have moved");
        for station in &pair.stations {
            assert!(station.dispatched.iter().all(|commands| *commands > 20), "{:?}", station.dispatched);
        }
        assert!(pair.seen("a write") > 50 && pair.seen("a read") > 50);
    }
}

/// BRESP_MODE 1 on a line that is dead, for so many clocks each time.
fn writes_while_dead(salt: u64, rto: u64, dead: &[u64]) {
    let mut pair = Pair::new(salt, Setup { rto, ..PLAIN }, true, true);
    for station in &mut pair.stations {
        station.node.requester.writes = 1.0;
        station.node.requester.lossy = true;
    }
    for clocks in dead {
        pair.run(0.03, 2_500);
        pair.set_links(0);
        pair.run(0.03, *clocks);
        pair.set_links(1);
        pair.run(0.03, 2_500);
        pair.settle(200_000);
        pair.connect();
    }
    for (index, station) in pair.stations.iter_mut().enumerate() {
        station.node.finish();
        let requester = &station.node.requester;
        let ledger = pair.ledgers[index].borrow();
        let lost = requester.lost.iter().filter(|number| !ledger.landed.contains_key(number)).count();
        let false_ones: Vec<_> =
            requester.arrived.iter().filter(|number| !ledger.landed.contains_key(number)).collect();
        println!(
            "{} arrived, {} SLVERR, {lost} of them never came",
            requester.arrived.len(),
            requester.lost.len()
        );
        assert!(false_ones.is_empty(), "B of {false_ones:?} said OKAY, and they never came");
        assert!(requester.arrived.len() > 20 && lost > 5, "{} and {lost}", requester.arrived.len());
        assert_eq!(station.left(), pair.left[index], "cells that may be used, and that may come");
    }
}

/// Each write is answered, those that are said to have arrived come once, also when the connection fails.
#[test]
fn writes_on_a_dead_line_are_answered() {
    writes_while_dead(0x725, 400, &vec![12_000; times(2) as usize]);
}

/// The line comes back before the connection fails: what was under way arrives, what came meanwhile does not, in the order of each ID.
#[test]
fn writes_on_a_line_that_flickers_are_answered() {
    writes_while_dead(0x728, 1_500, &[100, 200, 300, 400, 600, 800].repeat(times(2) as usize));
}
