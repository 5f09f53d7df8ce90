//! Everything around the load balance: inputs that change at random, and the golden rules.

use super::super::mac_control::wrong;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::load_balance::PORTS;
use flitforge_model::sue::{Balance, BalanceMode, PortView, Route};
use flitforge_sim::kit::{rng, Agent, Coverage, Pace, Pacer, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
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

/// The pins.
struct Pins {
    clear: PortHandle,
    unordered: PortHandle,
    settling: PortHandle,
    up: PortHandle,
    ready: Vec<PortHandle>,
    asked: PortHandle,
    credits: Vec<PortHandle>,
    /// valid, data
    sent: Vec<[PortHandle; 2]>,
    empty: PortHandle,
    /// valid, ready, data
    changes: [PortHandle; 3],
    body: [PortHandle; 3],
    bodies: Vec<[PortHandle; 3]>,
    head: PortHandle,
    commands: PortHandle,
    /// valid, data
    refused: [PortHandle; 2],
    vc_ready: PortHandle,
    load: Vec<PortHandle>,
    blocked: Vec<PortHandle>,
}

impl Pins {
    fn new(bench: &dyn Bench) -> Result<Self, SimError> {
        let port = |path: &str| bench.port(path);
        let stream = |name: String| -> Result<[PortHandle; 3], SimError> {
            Ok([
                port(&format!("{name}.valid"))?,
                port(&format!("{name}.ready"))?,
                port(&format!("{name}.data"))?,
            ])
        };
        let flow = |name: String| -> Result<[PortHandle; 2], SimError> {
            Ok([port(&format!("{name}.valid"))?, port(&format!("{name}.data"))?])
        };
        let each = |name: &str| {
            (0..PORTS).map(|index| port(&port_of(index, name, ""))).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            clear: port("clear")?,
            unordered: port("unordered")?,
            settling: port("settling")?,
            up: port("up")?,
            ready: each("ready")?,
            asked: port("asked_vc")?,
            credits: each("credits")?,
            empty: port("empty")?,
            sent: (0..PORTS).map(|index| flow(port_of(index, "sent", ""))).collect::<Result<_, _>>()?,
            changes: stream("changes".into())?,
            body: stream("body".into())?,
            bodies: (0..PORTS).map(|index| stream(port_of(index, "bodies", ""))).collect::<Result<_, _>>()?,
            head: port("head")?,
            commands: port("commands")?,
            refused: flow("refused".into())?,
            vc_ready: port("vc_ready")?,
            load: each("load")?,
            blocked: each("blocked")?,
        })
    }
}

/// All around the block.
pub struct World {
    pins: Pins,
    random: Rng,
    pacer: Pacer,
    inputs: Past,
    asked: usize,
    /// The newest first.
    past: VecDeque<Past>,
    words: VecDeque<u128>,
    offered: bool,
    destination: u16,
    vc: usize,
    commands: u64,
    place: Place,
    /// What `refused` has to say in this clock.
    refused: Option<u64>,
    /// Clocks in a row in which this route was the right one and nothing happened.
    due: (Route, u32),
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
            balance: Balance::new(PORTS as u8, PEERS),
            queued: [0; PORTS],
        };
        Ok(Self {
            pins: Pins::new(bench)?,
            random: rng(seed, "world"),
            pacer: Pacer::new(Pace::mixed()),
            inputs,
            asked: 0,
            past: VecDeque::new(),
            words: VecDeque::new(),
            offered: false,
            destination: 0,
            vc: 0,
            commands: 0,
            place: Place::Unknown,
            refused: None,
            due: (Route::Waits, 0),
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
    }

    fn new_body(&mut self) {
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
        self.words = (0..count).map(word).collect();
        self.destination = self.random.random_range(0..PEERS);
        self.vc = self.random.random_range(0..VCS);
        self.commands = self.random.random_range(1..1024);
    }

    /// What the golden rules say with what the inputs said so many clocks ago, and whether the rotating pointer decided it.
    fn route(
        &self,
        ports_ago: usize,
        mode_ago: usize,
        queued_ago: usize,
        table_ago: usize,
        up: &[usize],
    ) -> Option<(Route, bool)> {
        let said = self.past.get(ports_ago)?;
        let queued = self.past.get(queued_ago)?.queued;
        let table = self.past.get(table_ago)?;
        let ups: Option<Vec<u64>> = up.iter().map(|ago| Some(self.past.get(*ago)?.up)).collect();
        let ups = ups?.into_iter().fold(0xF, |all, one| all & one);
        let view = |port: usize| PortView {
            up: ups >> port & 1 == 1,
            ready: said.ready[port] >> self.vc & 1 == 1,
            available: said.credits[port][self.vc] as i64 - queued[port],
        };
        let mode =
            if self.past.get(mode_ago)?.unordered { BalanceMode::Unordered } else { BalanceMode::Strict };
        let views: Vec<PortView> = (0..PORTS).map(view).collect();
        let route = |balance: &Balance| balance.route(mode, self.destination, &views);
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
        let came = match led[..] {
            [port] => Some(Route::Port(port as u8)),
            [] if bench.get_bit(self.pins.body[1]) => Some(Route::Nowhere),
            [] => None,
            _ => return Err(wrong(clock, format!("a body at the ports {led:?}"))),
        };
        let Some(came) = came else {
            let now = self.route(0, 0, 0, 0, &[0]).map_or(Route::Waits, |(route, _)| route);
            let settles = now == Route::Nowhere && self.inputs.settling;
            if settles {
                self.hit("a body waits for a failover");
            }
            let now = if settles { Route::Waits } else { now };
            let same =
                matches!(now, Route::Port(_)) && matches!(self.due.0, Route::Port(_)) || now == self.due.0;
            self.due = (now, if same { self.due.1 + 1 } else { 0 });
            if now != Route::Waits && self.due.1 > PATIENCE {
                return Err(wrong(clock, format!("{now:?} for {PATIENCE} clocks, and nothing happens")));
            }
            if now == Route::Waits {
                self.hit("a body waits for a port");
            }
            return Ok(());
        };
        self.due = (Route::Waits, 0);
        let Some((wanted, is_tie)) = self.route(4, 3, 5, 6, &[4, 5, 6]) else {
            return Err(wrong(clock, "a choice sooner than one can be made"));
        };
        if wanted != came {
            return Err(wrong(clock, format!("{came:?} for {}, expected {wanted:?}", self.destination)));
        }
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
                if self.past[1].settling {
                    return Err(wrong(clock, "a body is refused in a failover"));
                }
                self.hit("a body is refused");
                self.place = Place::Dropped;
            }
        }
        Ok(())
    }

    /// The word at the input, if it is taken.
    fn words(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let takes = self.offered && bench.get_bit(self.pins.body[1]);
        let word = self.words.front().copied().unwrap_or(0);
        for port in 0..PORTS {
            let [valid, ready, data] = self.pins.bodies[port];
            let here = self.place == Place::Led(port);
            if bench.get_bit(valid) != (here && self.offered) {
                return Err(wrong(clock, format!("a word at port {port}, {:?}", self.place)));
            }
            if here && self.offered {
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
        self.words.pop_front();
        self.offered = false;
        if let Place::Led(port) = self.place {
            self.inputs.queued[port] += (word >> 64 & 0xF) as i64;
        }
        if word >> LAST & 1 == 1 {
            if self.place == Place::Dropped {
                let head = u64::from(self.destination) | (self.vc as u64) << 10;
                self.refused = Some(head | self.commands << 12);
            }
            self.place = Place::Unknown;
        }
        Ok(())
    }

    /// Changes of the tables.
    fn tables(&mut self, bench: &dyn Bench) {
        let up = self.inputs.up;
        let before = self.past.get(1).map_or(0, |past| past.up);
        for port in 0..PORTS {
            if before >> port & 1 == 1 && up >> port & 1 == 0 {
                self.inputs.balance.port_down(port as u8);
                self.hit("a port goes down");
                self.moved = 0;
            }
        }
        let [valid, ready, data] = self.pins.changes;
        if !(bench.get_bit(valid) && bench.get_bit(ready)) {
            return;
        }
        let change = bench.get(data).low_u64();
        let (peer, kind, port) = ((change & 0x3FF) as u16, change >> 10 & 3, (change >> 12) as usize);
        let is_up = up >> port & 1 == 1;
        match kind {
            0 if is_up => self.inputs.balance.set_reach(peer, port as u8, true),
            0 => self.hit("a port that is down is not opened"),
            1 => self.inputs.balance.set_reach(peer, port as u8, false),
            2 => self.inputs.balance.set_home(peer, port as u8),
            _ => {}
        }
    }

    /// Load, blocked channels, channels that can send.
    fn reports(&self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if self.past.len() < 4 || self.cleared < 4 {
            return Ok(());
        }
        let mut any = 0;
        for port in 0..PORTS {
            let load = (self.past[2].queued[port] / 256).min(255) as u64;
            if bench.get_u64(self.pins.load[port]) != load {
                return Err(wrong(clock, format!("load of port {port}, expected {load}")));
            }
            let [now, before] = [1, 2].map(|ago| self.past[ago].up >> port & 1 == 1);
            let blocked = if now { !self.past[1].ready[port] & 0xF } else { 0 };
            if bench.get_u64(self.pins.blocked[port]) != blocked {
                return Err(wrong(clock, format!("blocked channels of port {port}, expected {blocked}")));
            }
            any |= if before { self.past[1].ready[port] } else { 0 };
        }
        let vc_ready = bench.get_u64(self.pins.vc_ready);
        let calm = self.moved > CALM && self.cleared > CALM;
        if vc_ready & !any != 0 || calm && vc_ready != any {
            return Err(wrong(clock, format!("channels {vc_ready} can send, expected {any}")));
        }
        Ok(())
    }

    fn clear(&mut self) {
        if self.place != Place::Unknown {
            self.hit("a clear in a body");
        }
        self.inputs.balance = Balance::new(PORTS as u8, PEERS);
        self.inputs.queued = [0; PORTS];
        self.words.clear();
        self.offered = false;
        self.place = Place::Unknown;
        self.refused = None;
        self.cleared = 0;
    }
}

impl Agent for World {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.new_inputs();
        bench.set_u64(self.pins.up, self.inputs.up);
        bench.set_u64(self.pins.unordered, self.inputs.unordered.into());
        bench.set_u64(self.pins.settling, self.inputs.settling.into());
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
        if self.words.is_empty() {
            self.new_body();
        }
        self.offered = self.offered || self.pacer.next(&mut self.random);
        bench.set_u64(self.pins.body[0], self.offered.into());
        bench.set(self.pins.body[2], &value_of(self.words[0]));
        bench.set_u64(self.pins.head, u64::from(self.destination) | (self.vc as u64) << 10 | 5 << 12);
        bench.set_u64(self.pins.commands, self.commands);
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
        if self.place == Place::Unknown && self.offered {
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
