//! A pair of ports at work: traffic both ways, checked beat by beat; the register bus; faults on the lines.

use crate::link_port::cables::Cable;
use crate::link_port::relay::{Relay, Words};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{counter_offset, ctrl, status, CTRL, STATUS};
use flitforge_protocol::ltp::{BITS_1056, WORD_BITS};
use flitforge_protocol::retry::ROUND_TRIP_TIMEOUT_LTPS;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_sim::cosim::design_of;
use flitforge_sim::kit::{rng, Rng};
use rand::Rng as _;
use std::sync::Arc;

/// Clocks in which a pair with short times is up, whatever was before; at worst a RndTripMrkr is lost in Init and is sent
/// again when its time is over, on one lane.
pub const LIMIT: u64 = 20_000 + ROUND_TRIP_TIMEOUT_LTPS as u64 * (BITS_1056 / WORD_BITS) as u64;
/// Clocks in which everything sent has arrived, replays included, on one lane.
const DRAIN: u64 = 40_000;

/// A compiled pair and its ports.
pub struct Program {
    program: Arc<Compiled>,
    flits: u32,
    pub lanes: usize,
}

impl Program {
    pub fn new(name: &str, block: &dyn DriveBlock, flits: u32, lanes: usize) -> Self {
        let design = design_of(name, block).expect("elaborates");
        Self { program: Compiled::new(&design).expect("compiles"), flits, lanes }
    }
}

/// The ports of one end that are used in every clock.
#[derive(Clone, Copy)]
struct EndPorts {
    flits_in: [Handle; 3],
    flits_out: [Handle; 2],
    state: Handle,
    restart: Handle,
    error: [Handle; 3],
    invert: Handle,
    /// Words off the line from this end, and where the relay puts them.
    line: [[Handle; 2]; 4],
    relay: [[Handle; 2]; 4],
}

/// What a direction does to the words, in every clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    /// Chance per clock of one wrong bit on one lane.
    pub bit: f64,
    /// Chance per clock of a burst of up to 32 bits of one word.
    pub burst: f64,
    /// Chance per clock that the PHY marks the words of all lanes as wrong.
    pub code: f64,
    /// Lanes that bits and bursts hit.
    pub lanes: u64,
}

/// One end: its traffic and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Chance per clock that a beat is offered.
    pub pace: f64,
    /// Beats taken from this end.
    pub sent: u64,
    /// Beats delivered to this end; the number of the next one.
    pub next: u64,
    /// Beats delivered to this end.
    pub received: u64,
    /// Beats of the other end that never came, since a start afresh allowed it.
    pub lost: u64,
    /// Starts at number 0.
    pub restarts: u64,
    /// The next beat may have a later number than `next`.
    may_lose: bool,
    offered: bool,
}

pub struct Rig {
    pub program: Arc<Compiled>,
    pub instance: Instance,
    clocks: Clocks,
    ports: [EndPorts; 2],
    /// With one flit per beat on more than two lanes: their words take two clocks, by the clock rule.
    hold: Option<Handle>,
    flits: u32,
    pub lanes: usize,
    pub rng: Rng,
    pub ends: [Traffic; 2],
    pub noise: [Noise; 2],
    pub clock: u64,
    /// Who stands in the line from each end.
    pub relays: [Option<Relay>; 2],
    /// What the lanes behind the relay go through.
    pub cables: [Option<Cable>; 2],
    /// Beats whose second flit came as Idle; an error unless `allows_idle`.
    pub idle_flits: u64,
    pub allows_idle: bool,
}

/// Valid and data of every lane; those of lane 0 for lanes that were not built.
fn lanes_of(program: &Program, get: &impl Fn(String) -> Handle, name: &str) -> [[Handle; 2]; 4] {
    std::array::from_fn(|lane| {
        let lane = if lane < program.lanes { lane } else { 0 };
        ["valid", "data"].map(|part| get(format!("{name}[{lane}].{part}")))
    })
}

fn mixed(end: usize, number: u64, flit: u32) -> u64 {
    let mut value = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (u64::from(flit) << 57) ^ end as u64;
    for _ in 0..2 {
        value = (value ^ value >> 31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    value ^ value >> 32
}

impl Rig {
    pub fn new(program: &Program, seed: u64) -> Self {
        let compiled = &program.program;
        let get = |name: String| compiled.handle(&name).expect("a port");
        let ports = [0, 1].map(|end| EndPorts {
            flits_in: ["valid", "data", "ready"].map(|part| get(format!("flits_in[{end}].{part}"))),
            flits_out: ["valid", "data"].map(|part| get(format!("flits_out[{end}].{part}"))),
            state: get(format!("state[{end}]")),
            restart: get(format!("restart[{end}]")),
            error: ["error_enable", "error_lanes", "error_mask"].map(|part| get(format!("{part}[{end}]"))),
            invert: get(format!("invert[{end}]")),
            line: lanes_of(program, &get, ["line_there", "line_back"][end]),
            relay: lanes_of(program, &get, ["relay_there", "relay_back"][end]),
        });
        let mut rig = Self {
            program: compiled.clone(),
            instance: compiled.instance(),
            clocks: compiled.all_clocks(),
            hold: (program.flits == 1 && program.lanes > 2).then(|| get("hold".to_string())),
            ports,
            flits: program.flits,
            lanes: program.lanes,
            rng: rng(seed, "link_port"),
            ends: Default::default(),
            noise: Default::default(),
            clock: 0,
            relays: [None, None],
            cables: [None, None],
            idle_flits: 0,
            allows_idle: false,
        };
        for end in 0..2 {
            rig.set(&format!("signal_ok[{end}]"), 0xF);
            rig.set(&format!("alive[{end}]"), 0xF);
            rig.ends[end].may_lose = false;
        }
        rig
    }

    /// As [`up`](Self::up), with somebody in both lines.
    pub fn up_relayed(program: &Program, seed: u64, pace: f64) -> Self {
        let mut rig = Self::new(program, seed);
        rig.relayed();
        rig.start(pace);
        rig
    }

    /// Both ends enabled, traffic at this pace, up.
    pub fn up(program: &Program, seed: u64, pace: f64) -> Self {
        let mut rig = Self::new(program, seed);
        rig.start(pace);
        rig
    }

    fn start(&mut self, pace: f64) {
        self.pace(pace);
        self.enable(0);
        self.enable(1);
        self.come_up("from reset");
    }

    pub fn pace(&mut self, pace: f64) {
        self.ends.iter_mut().for_each(|end| end.pace = pace);
    }

    pub fn handle(&self, name: &str) -> Handle {
        self.program.handle(name).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let handle = self.handle(name);
        assert!(self.instance.set(handle, value), "{name} is an input");
    }

    pub fn get(&mut self, name: &str) -> u64 {
        let handle = self.handle(name);
        self.instance.get(handle)
    }

    /// A signal inside the pair.
    pub fn peek(&mut self, path: &str) -> u64 {
        self.instance.peek(path).unwrap_or_else(|| panic!("no signal {path}")).low_u64()
    }

    pub fn state(&mut self, end: usize) -> LinkState {
        LinkState::from_code(self.instance.get(self.ports[end].state) as u8).expect("a state")
    }

    pub fn is_up(&mut self, end: usize) -> bool {
        matches!(self.state(end), LinkState::Active | LinkState::Degraded)
    }

    /// The beat with this number of `end`: flit 0 carries the number, all flits are Body.
    fn beat(&self, end: usize, number: u64) -> Vec<u64> {
        let bits = 65 * self.flits as usize;
        let mut words = vec![0u64; bits.div_ceil(64)];
        for flit in 0..self.flits {
            let mut data = mixed(end, number, flit);
            if flit == 0 {
                data = data << 48 | number;
            }
            let value = 1u128 << 64 | u128::from(data);
            let (low, place) = (65 * flit as usize % 64, 65 * flit as usize / 64);
            words[place] |= (value << low) as u64;
            words[place + 1] |= (value << low >> 64) as u64;
        }
        words
    }

    /// One clock of everything.
    pub fn clock(&mut self) {
        if let Some(hold) = self.hold {
            self.instance.set(hold, self.clock & 1);
        }
        for end in 0..2 {
            self.offer(end);
            self.disturb(end);
            self.pass(end);
        }
        for end in 0..2 {
            self.take(end);
        }
        self.instance.step(self.clocks);
        self.clock += 1;
    }

    fn offer(&mut self, end: usize) {
        let traffic = &mut self.ends[end];
        traffic.offered = traffic.offered || (traffic.pace > 0.0 && self.rng.random_bool(traffic.pace));
        let (offered, number) = (traffic.offered, traffic.sent);
        self.instance.set(self.ports[end].flits_in[0], u64::from(offered));
        if offered {
            let beat = self.beat(end, number);
            self.instance.set_words(self.ports[end].flits_in[1], &beat);
        }
    }

    fn disturb(&mut self, end: usize) {
        let noise = self.noise[end];
        let mut error = (0, 0);
        if noise.lanes != 0 {
            let lanes: Vec<u64> = (0..4).filter(|lane| noise.lanes >> lane & 1 == 1).collect();
            let lane = 1 << lanes[self.rng.random_range(0..lanes.len())];
            if noise.bit > 0.0 && self.rng.random_bool(noise.bit) {
                error = (lane, 1 << self.rng.random_range(0..32));
            }
            if noise.burst > 0.0 && self.rng.random_bool(noise.burst) {
                error = (lane, u64::from(self.rng.random::<u32>()));
            }
        }
        if noise.code > 0.0 && self.rng.random_bool(noise.code) {
            error = (0xF, 1 << 33);
        }
        let enable = u64::from(error.0 != 0);
        for (port, value) in self.ports[end].error.into_iter().zip([enable, error.0, error.1]) {
            self.instance.set(port, value);
        }
    }

    /// The words from this end, through the relay if there is one.
    fn pass(&mut self, end: usize) {
        let Some(relay) = &mut self.relays[end] else { return };
        let (ports, lanes) = (&self.ports[end], self.lanes);
        let words: Words = std::array::from_fn(|lane| {
            let [valid, data] = ports.line[lane];
            (lane < lanes && self.instance.get(valid) == 1).then(|| self.instance.get(data))
        });
        let mut words = relay.clock(words);
        if let Some(cable) = &mut self.cables[end] {
            words = cable.clock(words, self.instance.get(self.ports[1 - end].invert));
        }
        for (port, word) in ports.relay.iter().take(lanes).zip(words) {
            self.instance.set(port[0], u64::from(word.is_some()));
            self.instance.set(port[1], word.unwrap_or(0));
        }
    }

    /// Puts somebody into both lines.
    pub fn relayed(&mut self) {
        for end in 0..2 {
            self.relays[end] = Some(Relay::new());
            self.set(&format!("relay[{end}]"), 1);
        }
    }

    /// The relay in the line from this end.
    pub fn relay(&mut self, end: usize) -> &mut Relay {
        self.relays[end].as_mut().expect("a relay")
    }

    /// What moves in this clock.
    fn take(&mut self, end: usize) {
        let ports = self.ports[end];
        if self.ends[end].offered && self.instance.get(ports.flits_in[2]) == 1 {
            self.ends[end].offered = false;
            self.ends[end].sent += 1;
        }
        if self.instance.get(ports.flits_out[0]) == 1 {
            let found = self.instance.words(ports.flits_out[1]).to_vec();
            self.deliver(end, &found);
        }
        if self.instance.get(ports.restart) == 1 {
            self.ends[end].restarts += 1;
            self.ends[0].may_lose = true;
            self.ends[1].may_lose = true;
        }
    }

    fn deliver(&mut self, end: usize, found: &[u64]) {
        let number = found[0] & ((1 << 48) - 1);
        let mut expected = self.beat(1 - end, number);
        if self.allows_idle && found != expected {
            // flit 1 is Idle
            (expected[1], expected[2]) = (expected[1] & 1, 0);
            self.idle_flits += 1;
        }
        assert_eq!(found, expected, "clock {}: a beat that end {} never sent", self.clock, 1 - end);
        let traffic = &mut self.ends[end];
        let late = number.wrapping_sub(traffic.next);
        assert!(number >= traffic.next, "clock {}: beat {number} came again to end {end}", self.clock);
        assert!(
            late == 0 || traffic.may_lose,
            "clock {}: end {end} misses {late} beats from {}",
            self.clock,
            traffic.next
        );
        traffic.lost += late;
        traffic.may_lose = false;
        traffic.received += 1;
        traffic.next = number + 1;
    }

    pub fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }

    /// Runs until `done`; the clocks it took, `None` if that is `limit`.
    pub fn run_until(&mut self, limit: u64, mut done: impl FnMut(&mut Self) -> bool) -> Option<u64> {
        let start = self.clock;
        while self.clock - start < limit {
            if done(self) {
                return Some(self.clock - start);
            }
            self.clock();
        }
        None
    }

    /// Runs until both ends are Active or Degraded.
    pub fn come_up(&mut self, what: &str) -> u64 {
        let clocks = self.run_until(LIMIT, |rig| rig.is_up(0) && rig.is_up(1));
        let states = [self.state(0), self.state(1)];
        clocks.unwrap_or_else(|| panic!("{what}: not up after {LIMIT} clocks, states {states:?}"))
    }

    /// Stops offering; everything that was taken has to arrive.
    pub fn drain(&mut self, what: &str) {
        let paces = [self.ends[0].pace, self.ends[1].pace];
        self.pace(0.0);
        let done = |rig: &mut Self| {
            (0..2).all(|end| !rig.ends[end].offered && rig.ends[1 - end].next == rig.ends[end].sent)
        };
        if self.run_until(DRAIN, done).is_none() {
            let ends = self.ends.clone();
            let states = [self.state(0), self.state(1)];
            panic!("{what}: not all arrived, states {states:?}: {ends:?}");
        }
        self.run(200);
        for (end, pace) in paces.into_iter().enumerate() {
            self.ends[end].pace = pace;
        }
    }

    fn request(&mut self, end: usize, offset: u32, write: Option<u64>) -> u64 {
        self.set(&format!("addr[{end}]"), u64::from(offset / 8));
        self.set(&format!("wdata[{end}]"), write.unwrap_or(0));
        let strobe = format!("{}[{end}]", if write.is_some() { "we" } else { "re" });
        self.set(&strobe, 1);
        self.clock();
        self.set(&strobe, 0);
        for _ in 0..8 {
            if self.get(&format!("ack[{end}]")) == 1 {
                let value = self.get(&format!("rdata[{end}]"));
                self.clock();
                return value;
            }
            self.clock();
        }
        panic!("no ack")
    }

    pub fn read(&mut self, end: usize, offset: u32) -> u64 {
        self.request(end, offset, None)
    }

    pub fn write(&mut self, end: usize, offset: u32, value: u64) {
        self.request(end, offset, Some(value));
    }

    pub fn count(&mut self, end: usize, counter: LinkCounter) -> u64 {
        self.read(end, counter_offset(counter))
    }

    pub fn enable(&mut self, end: usize) {
        self.write(end, CTRL, 1 << ctrl::enable::LOW);
    }

    /// Numbers of lanes sent and received on, as STATUS has them.
    pub fn widths(&mut self, end: usize) -> (u64, u64) {
        let value = self.read(end, STATUS);
        (value >> status::tx_lanes::LOW & 7, value >> status::rx_lanes::LOW & 7)
    }

    /// Sets an input for one clock.
    pub fn pulse(&mut self, name: &str) {
        self.set(name, 1);
        self.clock();
        self.set(name, 0);
    }
}
