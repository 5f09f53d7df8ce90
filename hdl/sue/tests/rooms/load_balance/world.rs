//! Everything around the load balance: inputs that change at random, and the golden rules.

mod pins;
mod tables;

use super::super::mac_control::wrong;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::load_balance::PORTS;
use flitforge_model::sue::{Balance, BalanceMode, PortView, Route};
use flitforge_sim::kit::{rng, Agent, Coverage, Pace, Pacer, Rng};
use flitforge_sim::{Bench, SimError};
use pins::Pins;
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Peers of the block under test.
pub const PEERS: u16 = 8;
const VCS: usize = 4;
/// Clocks in which a choice is due if it stays the same.
const PATIENCE: u32 = 18;
/// Clocks after which tables are written and read again.
const CALM: u64 = 2 * PEERS as u64 + 10;
const LAST: usize = 68;

/// A word as its port has it.
pub fn word_of(data: u64, bytes: u64, last: bool, error: bool) -> u128 {
    u128::from(data) | u128::from(bytes) << 64 | u128::from(last) << LAST | u128::from(error) << (LAST + 1)
}

fn value_of(word: u128) -> Value {
    Value::from_words(70, &[word as u64, (word >> 64) as u64])
}

pub fn port_of(index: usize, name: &str, part: &str) -> String {
    format!("{name}[{index}]{part}")
}

/// What the inputs said in a clock, and what had come about before it.
#[derive(Clone)]
struct Past {
    up: u64,
    ready: [u64; PORTS],
    credits: [[u64; VCS]; PORTS],
    unordered: bool,
    settling: bool,
    held: bool,
    draining: bool,
    /// A body that moves is offered.
    moves: bool,
    balance: Balance,
    queued: [i64; PORTS],
}

/// Where the body at the input goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Unknown,
    Led(usize),
    Dropped,
}

/// Streams of bodies: that of the packer and that of bodies that move.
const SOURCES: [&str; 2] = ["body", "moved"];
/// Partitions that tell them apart.
const PARTITIONS: [u64; 2] = [5, 6];
const PACKER: usize = 0;
const MOVED: usize = 1;

/// A body at an input.
#[derive(Clone, Default)]
struct Source {
    words: VecDeque<u128>,
    begun: bool,
    offered: bool,
    destination: u16,
    vc: usize,
    commands: u64,
}

/// All around the block.
pub struct World {
    pins: Pins,
    random: Rng,
    pacers: [Pacer; 2],
    inputs: Past,
    asked: usize,
    /// The newest first.
    past: VecDeque<Past>,
    sources: [Source; 2],
    /// Whose body is led, if one is.
    which: usize,
    place: Place,
    /// What `refused` has to say in this clock.
    refused: Option<u64>,
    /// The same of `spoiled`.
    spoiled: Option<u64>,
    /// Clocks in a row in which this route was the right one and nothing happened.
    due: (Route, usize, u32),
    /// STRICT_MAP is looked at: the peer; what it must be 2 clocks later, if nothing was written lately.
    looked: VecDeque<u16>,
    cleared: u64,
    moved: u64,
    /// All ports offer the same: no credits, and nothing waits for long.
    even: bool,
    seen: Rc<RefCell<Coverage>>,
}

impl World {
    pub fn new(bench: &dyn Bench, seed: u64, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let inputs = Past {
            up: 0xF,
            ready: [0xF; PORTS],
            credits: [[0; VCS]; PORTS],
            unordered: true,
            settling: false,
            held: false,
            draining: false,
            moves: false,
            balance: Balance::new(PORTS as u8, PEERS),
            queued: [0; PORTS],
        };
        Ok(Self {
            pins: Pins::new(bench)?,
            random: rng(seed, "world"),
            pacers: [Pacer::new(Pace::mixed()), Pacer::new(Pace::mixed())],
            inputs,
            asked: 0,
            past: VecDeque::new(),
            sources: Default::default(),
            which: PACKER,
            place: Place::Unknown,
            refused: None,
            spoiled: None,
            due: (Route::Waits, PACKER, 0),
            looked: VecDeque::new(),
            cleared: 0,
            moved: 0,
            even: false,
            seen,
        })
    }

    fn hit(&self, name: &str) {
        self.seen.borrow_mut().hit(name);
    }

    fn new_inputs(&mut self) {
        let random = &mut self.random;
        let inputs = &mut self.inputs;
        if random.random_bool(0.002) {
            self.even = !self.even;
        }
        if self.even {
            inputs.credits = [[0; VCS]; PORTS];
        }
        for port in 0..PORTS {
            let down = inputs.up >> port & 1 == 0;
            if random.random_bool(if down { 0.02 } else { 0.001 }) {
                inputs.up ^= 1 << port;
            }
            for vc in 0..VCS {
                let closed = inputs.ready[port] >> vc & 1 == 0;
                if random.random_bool(if closed { 0.05 } else { 0.01 }) {
                    inputs.ready[port] ^= 1 << vc;
                }
                if !self.even && random.random_bool(0.01) {
                    let some = [0, 4096, 4096, random.random_range(0..1 << 20)];
                    inputs.credits[port][vc] = some[random.random_range(0..4)];
                }
            }
        }
        if random.random_bool(0.003) {
            inputs.unordered = !inputs.unordered;
        }
        if random.random_bool(if inputs.settling { 0.01 } else { 0.002 }) {
            inputs.settling = !inputs.settling;
        }
        if random.random_bool(if inputs.held { 0.01 } else { 0.001 }) {
            inputs.held = !inputs.held;
        }
        if random.random_bool(0.005) {
            inputs.draining = !inputs.draining;
        }
    }

    fn new_body(&mut self, which: usize) {
        let random = &mut self.random;
        let octets: u64 = match random.random_range(0..10) {
            0..3 => random.random_range(1..=8),
            3..9 => random.random_range(9..100),
            _ => random.random_range(100..2048),
        };
        let count = octets.div_ceil(8);
        let error = random.random_bool(0.1);
        let word = |place: u64| {
            let last = place + 1 == count;
            let bytes = if last { octets - 8 * place } else { 8 };
            word_of(random.random(), bytes, last, last && error)
        };
        let words = (0..count).map(word).collect();
        self.sources[which] = Source {
            words,
            begun: false,
            offered: false,
            destination: self.random.random_range(0..PEERS),
            vc: self.random.random_range(0..VCS),
            commands: self.random.random_range(1..1024),
        };
    }

    /// What the golden rules say with what the inputs said so many clocks ago, and whether the rotating pointer decided it.
    fn route(
        &self,
        which: usize,
        ports_ago: usize,
        mode_ago: usize,
        queued_ago: usize,
        table_ago: usize,
        up: &[usize],
    ) -> Option<(Route, bool)> {
        let Source { destination, vc, .. } = self.sources[which];
        let said = self.past.get(ports_ago)?;
        let queued = self.past.get(queued_ago)?.queued;
        let table = self.past.get(table_ago)?;
        let ups: Option<Vec<u64>> = up.iter().map(|ago| Some(self.past.get(*ago)?.up)).collect();
        let ups = ups?.into_iter().fold(0xF, |all, one| all & one);
        let view = |port: usize| PortView {
            up: ups >> port & 1 == 1,
            ready: said.ready[port] >> vc & 1 == 1,
            available: said.credits[port][vc] as i64 - queued[port],
        };
        let mode =
            if self.past.get(mode_ago)?.unordered { BalanceMode::Unordered } else { BalanceMode::Strict };
        let views: Vec<PortView> = (0..PORTS).map(view).collect();
        let route = |balance: &Balance| balance.route(mode, destination, &views);
        let came = route(&table.balance);
        let is_tie = (0..PORTS as u8).any(|last| {
            let mut other = table.balance.clone();
            other.went(last);
            route(&other) != came
        });
        Some((came, is_tie))
    }

    /// The first word of a body is there: where does it go?
    fn begins(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let led: Vec<usize> = (0..PORTS).filter(|port| bench.get_bit(self.pins.bodies[*port][0])).collect();
        let ready = |which: usize| bench.get_bit(self.pins.body[which][1]);
        let partition = bench.get_u64(self.pins.led_head) >> 12;
        let came = match led[..] {
            [port] => Some((usize::from(partition == PARTITIONS[MOVED]), Route::Port(port as u8))),
            [] => (0..2).find(|which| ready(*which)).map(|which| (which, Route::Nowhere)),
            _ => return Err(wrong(clock, format!("a body at the ports {led:?}"))),
        };
        let Some((which, came)) = came else {
            return self.nothing_begins(clock);
        };
        self.due = (Route::Waits, which, 0);
        let Some((wanted, is_tie)) = self.route(which, 4, 3, 5, 6, &[4, 5, 6]) else {
            return Err(wrong(clock, "a choice sooner than one can be made"));
        };
        let destination = self.sources[which].destination;
        if wanted != came {
            return Err(wrong(clock, format!("{came:?} for {destination}, expected {wanted:?}")));
        }
        if self.past[6].moves != (which == MOVED) || which == PACKER && self.past[1].held {
            return Err(wrong(clock, format!("a body of {} begins", SOURCES[which])));
        }
        if which == MOVED {
            let other = &self.sources[PACKER];
            self.hit(if other.offered { "one that moves goes before" } else { "one that moves" });
        }
        self.which = which;
        match came {
            Route::Port(port) => {
                self.hit(&format!("port {port}"));
                self.hit(if self.past[3].unordered { "unordered" } else { "strict" });
                if is_tie {
                    self.hit("a choice among equals");
                }
                self.inputs.balance.went(port);
                self.place = Place::Led(port.into());
            }
            _ => {
                let hurries = which == MOVED && self.past[1].draining;
                if self.past[1].settling && !hurries {
                    return Err(wrong(clock, "a body is refused in a failover"));
                }
                self.hit(if self.past[1].settling {
                    "one that moves must not wait"
                } else {
                    "a body is refused"
                });
                self.place = Place::Dropped;
            }
        }
        Ok(())
    }

    /// No body begins: may that be?
    fn nothing_begins(&mut self, clock: u64) -> Result<(), SimError> {
        let which = if self.sources[MOVED].offered { MOVED } else { PACKER };
        let now = self.route(which, 0, 0, 0, 0, &[0]).map_or(Route::Waits, |(route, _)| route);
        let hurries = which == MOVED && self.inputs.draining;
        let settles = now == Route::Nowhere && self.inputs.settling && !hurries;
        if settles {
            self.hit("a body waits for a failover");
        }
        let holds = which == PACKER && self.inputs.held;
        if holds && matches!(now, Route::Port(_)) {
            self.hit("a body is held");
        }
        let now = if settles || holds { Route::Waits } else { now };
        let (before, of, clocks) = self.due;
        let same = matches!(now, Route::Port(_)) && matches!(before, Route::Port(_)) || now == before;
        self.due = (now, which, if same && of == which { clocks + 1 } else { 0 });
        if now != Route::Waits && self.due.2 > PATIENCE {
            return Err(wrong(clock, format!("{now:?} for {PATIENCE} clocks, and nothing happens")));
        }
        if now == Route::Waits {
            self.hit("a body waits for a port");
        }
        Ok(())
    }

    /// The word at the input, if it is taken.
    fn words(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let which = self.which;
        let (offered, other) = (self.sources[which].offered, 1 - which);
        let takes = offered && bench.get_bit(self.pins.body[which][1]);
        if self.sources[other].offered && bench.get_bit(self.pins.body[other][1]) {
            return Err(wrong(clock, format!("a word of {} is taken", SOURCES[other])));
        }
        let leads = matches!(self.place, Place::Led(_));
        let head = self.head(which);
        if leads && bench.get_u64(self.pins.led_head) != head {
            return Err(wrong(clock, "the head of another body"));
        }
        if leads && bench.get_u64(self.pins.led_commands) != self.sources[which].commands {
            return Err(wrong(clock, "the commands of another body"));
        }
        if leads && bench.get_bit(self.pins.led_moved) != (which == MOVED) {
            return Err(wrong(clock, "a body of the packer, or one that moves"));
        }
        if bench.get_bit(self.pins.leads) != (leads && which == PACKER) {
            return Err(wrong(clock, "a body of the packer is led, or not"));
        }
        let word = self.sources[which].words.front().copied().unwrap_or(0);
        for port in 0..PORTS {
            let [valid, ready, data] = self.pins.bodies[port];
            let here = self.place == Place::Led(port);
            if bench.get_bit(valid) != (here && offered) {
                return Err(wrong(clock, format!("a word at port {port}, {:?}", self.place)));
            }
            if here && offered {
                if bench.get(data) != value_of(word) || bench.get_bit(ready) != takes {
                    return Err(wrong(clock, format!("another word at port {port}, or not taken there")));
                }
                if self.inputs.up >> port & 1 == 0 {
                    self.hit("a port goes down in a body");
                }
            }
        }
        if takes && self.place == Place::Unknown {
            return Err(wrong(clock, "a word vanishes"));
        }
        if !takes {
            return Ok(());
        }
        self.sources[which].words.pop_front();
        self.sources[which].offered = false;
        if let Place::Led(port) = self.place {
            self.inputs.queued[port] += (word >> 64 & 0xF) as i64;
        }
        if word >> LAST & 1 == 1 {
            let told = head & 0xFFF | self.sources[which].commands << 12;
            if self.place == Place::Dropped {
                self.refused = Some(told);
            } else if which == PACKER && word >> (LAST + 1) & 1 == 1 {
                self.hit("an error in a body of the packer");
                self.spoiled = Some(told);
            }
            self.place = Place::Unknown;
        }
        Ok(())
    }

    /// What goes with a body.
    fn head(&self, which: usize) -> u64 {
        let Source { destination, vc, .. } = self.sources[which];
        u64::from(destination) | (vc as u64) << 10 | PARTITIONS[which] << 12
    }

    fn clear(&mut self) {
        if self.place != Place::Unknown {
            self.hit("a clear in a body");
        }
        self.inputs.balance = Balance::new(PORTS as u8, PEERS);
        self.inputs.queued = [0; PORTS];
        self.sources = Default::default();
        self.looked.clear();
        self.place = Place::Unknown;
        (self.refused, self.spoiled) = (None, None);
        self.cleared = 0;
    }
}

impl Agent for World {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.new_inputs();
        bench.set_u64(self.pins.up, self.inputs.up);
        bench.set_u64(self.pins.unordered, self.inputs.unordered.into());
        bench.set_u64(self.pins.settling, self.inputs.settling.into());
        bench.set_u64(self.pins.held, self.inputs.held.into());
        bench.set_u64(self.pins.draining, self.inputs.draining.into());
        let peer = self.random.random_range(0..PEERS);
        bench.set_u64(self.pins.home_peer, peer.into());
        self.looked.push_front(peer);
        self.looked.truncate(4);
        for port in 0..PORTS {
            bench.set_u64(self.pins.ready[port], self.inputs.ready[port]);
            bench.set_u64(self.pins.credits[port], self.inputs.credits[port][self.asked]);
            let waits = self.inputs.queued[port];
            let often = if self.even || waits > 70_000 { 0.1 } else { 0.01 };
            let sends = (waits > 0 || !self.even) && self.random.random_bool(often);
            let least = if self.even { waits.min(4096) } else { 1 };
            // Now and then more than there is: of a body that was counted as sent before, for instance.
            let more = if !self.even && self.random.random_bool(0.1) { 500 } else { 0 };
            let octets =
                if sends { self.random.random_range(least..=(waits + more).clamp(1, 4096)) } else { 0 };
            bench.set_u64(self.pins.sent[port][0], sends.into());
            bench.set_u64(self.pins.sent[port][1], octets as u64);
        }
        let empty = if self.even {
            0
        } else {
            (0..PORTS).map(|port| u64::from(self.random.random_bool(0.000_5)) << port).sum()
        };
        bench.set_u64(self.pins.empty, empty);
        for which in [PACKER, MOVED] {
            if self.sources[which].words.is_empty() {
                self.new_body(which);
            }
            let source = &mut self.sources[which];
            source.begun |= which == PACKER || self.random.random_bool(0.01);
            source.offered |= source.begun && self.pacers[which].next(&mut self.random);
            bench.set_u64(self.pins.body[which][0], source.offered.into());
            bench.set(self.pins.body[which][2], &value_of(source.words[0]));
            bench.set_u64(self.pins.commands[which], source.commands);
            bench.set_u64(self.pins.head[which], self.head(which));
        }
        self.inputs.moves = self.sources[MOVED].offered;
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.past.push_front(self.inputs.clone());
        self.past.truncate(10);
        self.asked = bench.get_u64(self.pins.asked) as usize;
        (self.cleared, self.moved) = (self.cleared + 1, self.moved + 1);
        let [valid, data] = self.pins.refused;
        let told = bench.get_bit(valid).then(|| bench.get(data).low_u64());
        if told != self.refused.take() {
            return Err(wrong(clock, format!("{told:x?} is refused")));
        }
        let [valid, data] = self.pins.spoiled;
        let told = bench.get_bit(valid).then(|| bench.get(data).low_u64());
        if told != self.spoiled.take() {
            return Err(wrong(clock, format!("{told:x?} is spoiled")));
        }
        self.tables(bench);
        self.reports(clock, bench)?;
        let sent = self.pins.sent.clone();
        for (port, [valid, data]) in sent.into_iter().enumerate() {
            if bench.get_bit(valid) {
                self.inputs.queued[port] -= bench.get_u64(data) as i64;
            }
        }
        if bench.get_bit(self.pins.clear) {
            self.clear();
            return Ok(());
        }
        self.homes(clock, bench)?;
        if self.place == Place::Unknown && self.sources.iter().any(|source| source.offered) {
            self.begins(clock, bench)?;
        }
        self.words(clock, bench)?;
        let empty = bench.get_u64(self.pins.empty);
        for port in 0..PORTS {
            let queued = self.inputs.queued[port];
            if queued < 0 {
                self.hit("more is given back than waits");
            }
            if empty >> port & 1 == 1 && queued > 0 {
                self.hit("an empty port");
            }
            self.inputs.queued[port] = if empty >> port & 1 == 1 { 0 } else { queued.max(0) };
        }
        Ok(())
    }
}
