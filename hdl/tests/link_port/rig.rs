//! A pair of ports at work: traffic both ways, checked beat by beat; the register bus; faults on the lines.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{counter_offset, ctrl, status, CTRL, STATUS};
use flitforge_protocol::ltp::{BITS_1056, WORD_BITS};
use flitforge_protocol::retry::ROUND_TRIP_TIMEOUT_LTPS;
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::kit::{rng, Rng};
use flitforge_testkit::relay::Relay;
use flitforge_testkit::{
    compiled, handle, Cable, Clocked, CompiledBlock, ErrorPorts, FlowTap, LinePorts, Noise, Pins,
    RegisterBus, StreamDriver,
};
use rand::Rng as _;
use std::sync::Arc;

/// Clocks in which a pair with short times is up, whatever was before; at worst a RndTripMrkr is lost in Init and is sent
/// again when its time is over, on one lane.
pub const LIMIT: u64 = 20_000 + ROUND_TRIP_TIMEOUT_LTPS as u64 * (BITS_1056 / WORD_BITS) as u64;
/// Most clocks of a request: 4 inside a port (chapter overview), and what stands before it.
const BUS_CLOCKS: u64 = 8;
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
        Self { program: compiled(name, block), flits, lanes }
    }
}

/// The ports of one end that are used in every clock.
struct EndPorts {
    flits_in: StreamDriver,
    flits_out: FlowTap,
    state: Handle,
    restart: Handle,
    errors: ErrorPorts,
    invert: Handle,
    /// Of the direction from this end.
    line: LinePorts,
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
}

pub struct Rig {
    pub block: CompiledBlock,
    ports: [EndPorts; 2],
    /// With one flit per beat on more than two lanes: their words take two clocks, by the clock rule.
    hold: Option<Handle>,
    flits: u32,
    pub rng: Rng,
    pub ends: [Traffic; 2],
    pub noise: [Noise; 2],
    pub clock: u64,
    /// Who stands in the line from each end.
    pub relays: [Option<Relay>; 2],
    /// What the lanes go through after the relay.
    pub cables: [Option<Cable>; 2],
    /// Beats whose second flit came as Idle; an error unless `allows_idle`.
    pub idle_flits: u64,
    pub allows_idle: bool,
}

fn mixed(end: usize, number: u64, flit: u32) -> u64 {
    let mut value = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (u64::from(flit) << 57) ^ end as u64;
    for _ in 0..2 {
        value = (value ^ value >> 31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    value ^ value >> 32
}

/// The beat with this number of `end`: flit 0 carries the number, all flits are Body.
fn beat(flits: u32, end: usize, number: u64) -> Vec<u64> {
    let bits = 65 * flits as usize;
    let mut words = vec![0u64; bits.div_ceil(64)];
    for flit in 0..flits {
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

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        if let Some(hold) = self.hold {
            self.block.instance.set(hold, self.clock & 1);
        }
        for end in 0..2 {
            self.offer(end);
            self.disturb(end);
            self.pass(end);
        }
        for end in 0..2 {
            self.take(end);
        }
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    pub fn new(program: &Program, seed: u64) -> Self {
        let compiled = &program.program;
        let ports = [0, 1].map(|end| EndPorts {
            flits_in: StreamDriver::new(compiled, &format!("flits_in[{end}]")),
            flits_out: FlowTap::new(compiled, &format!("flits_out[{end}]")),
            state: handle(compiled, &format!("state[{end}]")),
            restart: handle(compiled, &format!("restart[{end}]")),
            errors: ErrorPorts::of(compiled, end),
            invert: handle(compiled, &format!("invert[{end}]")),
            line: LinePorts::new(compiled, end, 0..program.lanes),
        });
        let mut rig = Self {
            block: CompiledBlock::new(compiled),
            hold: (program.flits == 1 && program.lanes > 2).then(|| handle(compiled, "hold")),
            ports,
            flits: program.flits,
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

    pub fn state(&mut self, end: usize) -> LinkState {
        LinkState::from_code(self.block.instance.get(self.ports[end].state) as u8).expect("a state")
    }

    pub fn is_up(&mut self, end: usize) -> bool {
        matches!(self.state(end), LinkState::Active | LinkState::Degraded)
    }

    fn offer(&mut self, end: usize) {
        let (pace, waits) = (self.ends[end].pace, self.ports[end].flits_in.is_offering());
        let new = !waits && pace > 0.0 && self.rng.random_bool(pace);
        let flits = self.flits;
        self.ports[end].flits_in.drive(&mut self.block.instance, new, |number| beat(flits, end, number));
    }

    fn disturb(&mut self, end: usize) {
        let error = self.noise[end].draw(&mut self.rng);
        self.ports[end].errors.drive(&mut self.block.instance, error);
    }

    /// The words from this end, through the relay if there is one.
    fn pass(&mut self, end: usize) {
        let Some(relay) = &mut self.relays[end] else { return };
        let (line, instance) = (&self.ports[end].line, &mut self.block.instance);
        let mut words = relay.clock(line.words(instance));
        if let Some(cable) = &mut self.cables[end] {
            words = cable.clock(words, instance.get(self.ports[1 - end].invert));
        }
        line.pass_on(instance, words);
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
        let instance = &mut self.block.instance;
        self.ports[end].flits_in.taken(instance);
        self.ends[end].sent = self.ports[end].flits_in.sent();
        let found = self.ports[end].flits_out.came(instance);
        let restarts = instance.get(self.ports[end].restart) == 1;
        if let Some(found) = found {
            self.deliver(end, &found);
        }
        if restarts {
            self.ends[end].restarts += 1;
            self.ends[0].may_lose = true;
            self.ends[1].may_lose = true;
        }
    }

    fn deliver(&mut self, end: usize, found: &[u64]) {
        let number = found[0] & ((1 << 48) - 1);
        let mut expected = beat(self.flits, 1 - end, number);
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
            (0..2).all(|end| {
                !rig.ports[end].flits_in.is_offering() && rig.ends[1 - end].next == rig.ends[end].sent
            })
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
        RegisterBus::of(end).within(BUS_CLOCKS).ask(self, offset, write).value
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
}
