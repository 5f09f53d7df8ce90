//! Two bonded ports at work: wide beats both ways, checked one by one; noise of its own on each link.

use crate::link_bonded::pair::BondedPair;
use flitforge_model::bond::{deal, BondReceiver};
use flitforge_model::Flit;
use flitforge_protocol::flit::{Opcode, FLIT_BITS};
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, Rng};
use flitforge_testkit::flits::beat_value;
use flitforge_testkit::{
    compiled, Clocked, CompiledBlock, ErrorPorts, FlowTap, Pins, RegisterBus, StreamDriver, WordError,
};
use rand::Rng as _;
use std::sync::{Arc, OnceLock};

/// Clocks in which a pair with short times is up, whatever was before.
pub const LIMIT: u64 = 40_000;
/// Most clocks of a request: 4 inside a port (chapter overview), and what stands before it.
const BUS_CLOCKS: u64 = 8;
/// Flits of a wide beat.
const WIDE: usize = 2;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("link_bonded_pair", &BondedPair::new()))
}

/// Wide beat `number` of an end: both shares, one of them, or none; some shares have only flits that no port carries.
pub fn wide(end: usize, number: u64) -> Vec<Flit> {
    let mixed = (number ^ (end as u64) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let body = |share: u64| Flit::body((mixed ^ share << 63) & !0xFFFF_FFFF | number);
    let nothing = match mixed >> 40 & 3 {
        0 => Flit::IDLE,
        1 => Flit::control(Opcode::Idle, 5),
        2 => Flit::control(Opcode::Spc, mixed & 0xFFFF),
        _ => Flit::other(0x3F << 56 | mixed & 0xFFFF),
    };
    match mixed >> 50 & 7 {
        0 => vec![nothing, body(1)],
        1 => vec![body(0), nothing],
        2 => vec![nothing, nothing],
        3 => vec![Flit::control(Opcode::ForceIdle, 0), body(1)],
        _ => vec![body(0), body(1)],
    }
}

/// As it comes out at the other end; `None` if nothing of it does.
pub fn arrived(wide: &[Flit]) -> Option<Vec<Flit>> {
    let shares = deal(wide, WIDE, 1).expect("a wide beat")?;
    let mut receiver = BondReceiver::new(&[0, 1], 1).expect("ports");
    shares.iter().enumerate().for_each(|(port, share)| receiver.push(port, share).expect("room"));
    receiver.pop()
}

/// One end: its traffic and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    pub pace: f64,
    /// Number of the next wide beat to send.
    pub sent: u64,
    /// Least number that may come next.
    pub next: u64,
    pub received: u64,
    /// Wide beats that never came, since a start afresh allowed it.
    pub lost: u64,
    /// Starts of the bond seen at this end.
    pub restarts: u64,
    may_lose: bool,
    /// What each port has given and the bond has not passed on, the largest of it, and what came in the clock before.
    fill: [u64; 2],
    pub most: u64,
    came: [bool; 2],
    /// Messages of the sideband, as they came.
    pub messages: Vec<u64>,
    message: u64,
}

pub struct Rig {
    pub block: CompiledBlock,
    pub rng: Rng,
    pub ends: [Traffic; 2],
    flits_in: [StreamDriver; 2],
    flits_out: [FlowTap; 2],
    errors: [ErrorPorts; 4],
    /// Chance per clock of a wrong bit, by loop.
    pub noise: [f64; 4],
    pub clock: u64,
    /// Message that end 0 sends next.
    pub side: Option<u64>,
    pub side_sent: Vec<u64>,
    side_now: u64,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        for end in 0..2 {
            self.offer(end);
        }
        for way in 0..4 {
            let wrong = self.noise[way] > 0.0 && self.rng.random_bool(self.noise[way]);
            let error = wrong.then(|| WordError { lanes: 1, mask: 1 << self.rng.random_range(0..32) });
            self.errors[way].drive(&mut self.block.instance, error.unwrap_or_default());
        }
        self.sideband();
        for end in 0..2 {
            self.take(end);
        }
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    pub fn new(seed: u64) -> Self {
        let mut rig = Self {
            block: CompiledBlock::new(program()),
            rng: rng(seed, "link_bonded"),
            ends: Default::default(),
            flits_in: [0, 1].map(|end| StreamDriver::new(program(), &format!("flits_in[{end}]"))),
            flits_out: [0, 1].map(|end| FlowTap::new(program(), &format!("flits_out[{end}]"))),
            errors: [0, 1, 2, 3].map(|way| ErrorPorts::of(program(), way)),
            noise: [0.0; 4],
            clock: 0,
            side: None,
            side_sent: vec![],
            side_now: 0,
        };
        rig.set("alive", 0xF);
        rig
    }

    /// Both ends enabled, traffic at this pace, up.
    pub fn up(seed: u64, crossed: bool, pace: f64) -> Self {
        let mut rig = Self::new(seed);
        rig.set("crossed", crossed.into());
        rig.ends.iter_mut().for_each(|end| end.pace = pace);
        rig.enable();
        rig.come_up("from reset");
        rig
    }

    pub fn is_up(&mut self) -> bool {
        (0..2).all(|end| self.get(&format!("up[{end}]")) == 1)
    }

    fn offer(&mut self, end: usize) {
        let pace = self.ends[end].pace;
        let new = pace > 0.0 && self.rng.random_bool(pace);
        let beat = |number: u64| beat_value(&wide(end, number)).words().to_vec();
        self.flits_in[end].drive(&mut self.block.instance, new, beat);
    }

    /// Messages from end 0: two bits with each LTP of link 0.
    fn sideband(&mut self) {
        let place = self.get("tx_seq[0]") & 3;
        if place == 0 {
            self.side_now = self.side.unwrap_or(0);
        }
        self.set("side_in[0].valid", 1);
        self.set("side_in[0].data", self.side_now >> (2 * place) & 3);
        if self.get("ltp_start[0]") == 1 && place == 0 {
            self.side_sent.extend(self.side.take().filter(|message| *message != 0));
        }
    }

    fn take(&mut self, end: usize) {
        let instance = &mut self.block.instance;
        self.flits_in[end].taken(instance);
        self.ends[end].sent = self.flits_in[end].sent();
        let found = self.flits_out[end].came(instance);
        let leaves = found.is_some();
        if let Some(found) = found {
            self.deliver(end, &found);
        }
        let name = ["near", "far"][end];
        let come = [0, 1].map(|link| self.block.peek(&format!("{name}.link[{link}].flits_out.valid")) == 1);
        let restart = self.get(&format!("restart[{end}]")) == 1;
        let traffic = &mut self.ends[end];
        for link in 0..2 {
            traffic.fill[link] =
                (traffic.fill[link] + u64::from(traffic.came[link])).saturating_sub(leaves.into());
            traffic.most = traffic.most.max(traffic.fill[link]);
        }
        traffic.came = come;
        if restart {
            (traffic.fill, traffic.came) = ([0; 2], [false; 2]);
            traffic.restarts += 1;
            self.ends.iter_mut().for_each(|end| end.may_lose = true);
        }
        self.message(end);
        assert_eq!(self.get(&format!("overflow[{end}]")), 0, "clock {}: end {end}", self.clock);
    }

    fn message(&mut self, end: usize) {
        if self.get(&format!("side_out[{end}].valid")) == 1 {
            let place = self.get(&format!("side_place[{end}]"));
            let two = self.get(&format!("side_out[{end}].data"));
            let traffic = &mut self.ends[end];
            traffic.message = if place == 0 { two } else { traffic.message | two << (2 * place) };
            if place == 3 {
                traffic.messages.push(traffic.message);
            }
        }
    }

    fn deliver(&mut self, end: usize, found: &[u64]) {
        // The number stands in the low bits of either Body.
        let low = |bit: usize| {
            (0..32).fold(0u64, |number, place| {
                let at = bit + place;
                number | (found[at / 64] >> (at % 64) & 1) << place
            })
        };
        let is_body =
            |share: usize| found[(FLIT_BITS * share + 64) / 64] >> ((FLIT_BITS * share + 64) % 64) & 1 == 1;
        let number = if is_body(0) { low(0) } else { low(FLIT_BITS) };
        let clock = self.clock;
        let expected = arrived(&wide(1 - end, number)).map(|wide| beat_value(&wide).words().to_vec());
        assert_eq!(
            Some(found),
            expected.as_deref(),
            "clock {clock}: a wide beat that end {} never sent",
            1 - end
        );
        let sent = self.ends[1 - end].sent;
        let traffic = &mut self.ends[end];
        assert!(
            number >= traffic.next && number < sent,
            "clock {clock}: {number} came to end {end}: {traffic:?}"
        );
        let missed =
            (traffic.next..number).filter(|number| arrived(&wide(1 - end, *number)).is_some()).count();
        assert!(missed == 0 || traffic.may_lose, "clock {clock}: end {end} misses {missed} before {number}");
        traffic.lost += missed as u64;
        traffic.may_lose = false;
        traffic.received += 1;
        traffic.next = number + 1;
    }

    pub fn states(&mut self) -> [u64; 4] {
        [0, 1, 2, 3]
            .map(|link| self.block.peek(&format!("{}.link[{}].state", ["near", "far"][link / 2], link % 2)))
    }

    pub fn come_up(&mut self, what: &str) -> u64 {
        let clocks = self.run_until(LIMIT, Self::is_up);
        let states = self.states();
        clocks.unwrap_or_else(|| panic!("{what}: not up after {LIMIT} clocks, states {states:?}"))
    }

    /// Stops offering; everything that was taken has to arrive.
    pub fn drain(&mut self, what: &str) {
        let paces = [0, 1].map(|end| std::mem::take(&mut self.ends[end].pace));
        let left = |rig: &mut Self, end: usize| {
            let (next, sent) = (rig.ends[1 - end].next, rig.ends[end].sent);
            (next..sent).filter(|number| arrived(&wide(end, *number)).is_some()).count()
        };
        let done = |rig: &mut Self| (0..2).all(|end| !rig.flits_in[end].is_offering() && left(rig, end) == 0);
        assert!(self.run_until(LIMIT, done).is_some(), "{what}: not all arrived: {:?}", self.ends);
        (0..2).for_each(|end| self.ends[end].pace = paces[end]);
    }

    fn request(&mut self, end: usize, link: usize, offset: u32, write: Option<u64>) -> u64 {
        let offset = link as u32 * PAGE_BYTES + offset;
        RegisterBus::of(end).within(BUS_CLOCKS).ask(self, offset, write).value
    }

    pub fn read(&mut self, end: usize, link: usize, offset: u32) -> u64 {
        self.request(end, link, offset, None)
    }

    pub fn write(&mut self, end: usize, link: usize, offset: u32, value: u64) {
        self.request(end, link, offset, Some(value));
    }

    /// CTRL.enable of all links of both ends.
    pub fn enable(&mut self) {
        (0..4).for_each(|link| self.write(link / 2, link % 2, CTRL, 1 << ctrl::enable::LOW));
    }
}
