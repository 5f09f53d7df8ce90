//! Two bonded ports at work: wide beats both ways, checked one by one; noise of its own on each link.

use crate::link_bonded::pair::BondedPair;
use flitforge_elaborate::Value;
use flitforge_model::bond::{deal, BondReceiver};
use flitforge_model::Flit;
use flitforge_protocol::flit::{Opcode, FLIT_BITS};
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_sim::cosim::design_of;
use flitforge_sim::kit::{rng, Rng};
use rand::Rng as _;
use std::sync::{Arc, OnceLock};

/// Clocks in which a pair with short times is up, whatever was before.
pub const LIMIT: u64 = 40_000;
/// Flits of a wide beat.
const WIDE: usize = 2;

fn program() -> Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    let compile = || {
        let design = design_of("link_bonded_pair", &BondedPair::new()).expect("elaborates");
        Compiled::new(&design).expect("compiles")
    };
    PROGRAM.get_or_init(compile).clone()
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

fn value(flits: &[Flit]) -> Value {
    let mut value = Value::zero((FLIT_BITS * flits.len()) as u32);
    for (slot, flit) in flits.iter().enumerate() {
        (0..FLIT_BITS)
            .for_each(|bit| value.set_bit((FLIT_BITS * slot + bit) as u32, flit.bits() >> bit & 1 == 1));
    }
    value
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
    offered: bool,
    /// What each port has given and the bond has not passed on, the largest of it, and what came in the clock before.
    fill: [u64; 2],
    pub most: u64,
    came: [bool; 2],
    /// Messages of the sideband, as they came.
    pub messages: Vec<u64>,
    message: u64,
}

pub struct Rig {
    pub instance: Instance,
    program: Arc<Compiled>,
    clocks: Clocks,
    pub rng: Rng,
    pub ends: [Traffic; 2],
    /// Chance per clock of a wrong bit, by loop.
    pub noise: [f64; 4],
    pub clock: u64,
    /// Message that end 0 sends next.
    pub side: Option<u64>,
    pub side_sent: Vec<u64>,
    side_now: u64,
}

impl Rig {
    pub fn new(seed: u64) -> Self {
        let program = program();
        let mut rig = Self {
            instance: program.instance(),
            clocks: program.all_clocks(),
            program,
            rng: rng(seed, "link_bonded"),
            ends: Default::default(),
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

    pub fn is_up(&mut self) -> bool {
        (0..2).all(|end| self.get(&format!("up[{end}]")) == 1)
    }

    /// One clock of everything.
    pub fn clock(&mut self) {
        for end in 0..2 {
            self.offer(end);
        }
        for way in 0..4 {
            let wrong = self.noise[way] > 0.0 && self.rng.random_bool(self.noise[way]);
            self.set(&format!("error_enable[{way}]"), wrong.into());
            if wrong {
                let bit = self.rng.random_range(0..32);
                self.set(&format!("error_mask[{way}]"), 1 << bit);
            }
        }
        self.sideband();
        for end in 0..2 {
            self.take(end);
        }
        self.instance.step(self.clocks);
        self.clock += 1;
    }

    fn offer(&mut self, end: usize) {
        let traffic = &mut self.ends[end];
        traffic.offered |= traffic.pace > 0.0 && self.rng.random_bool(traffic.pace);
        let (offered, number) = (traffic.offered, traffic.sent);
        self.set(&format!("flits_in[{end}].valid"), offered.into());
        if offered {
            let data = self.handle(&format!("flits_in[{end}].data"));
            self.instance.set_words(data, value(&wide(end, number)).words());
        }
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
        if self.ends[end].offered && self.get(&format!("flits_in[{end}].ready")) == 1 {
            self.ends[end].offered = false;
            self.ends[end].sent += 1;
        }
        let leaves = self.get(&format!("flits_out[{end}].valid")) == 1;
        if leaves {
            let out = self.handle(&format!("flits_out[{end}].data"));
            let found = self.instance.words(out).to_vec();
            self.deliver(end, &found);
        }
        let name = ["near", "far"][end];
        let come = [0, 1].map(|link| self.peek(&format!("{name}.link[{link}].flits_out.valid")) == 1);
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
        let expected = arrived(&wide(1 - end, number)).map(|wide| value(&wide).words().to_vec());
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

    pub fn states(&mut self) -> [u64; 4] {
        [0, 1, 2, 3].map(|link| self.peek(&format!("{}.link[{}].state", ["near", "far"][link / 2], link % 2)))
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
        let done = |rig: &mut Self| (0..2).all(|end| !rig.ends[end].offered && left(rig, end) == 0);
        assert!(self.run_until(LIMIT, done).is_some(), "{what}: not all arrived: {:?}", self.ends);
        (0..2).for_each(|end| self.ends[end].pace = paces[end]);
    }

    fn request(&mut self, end: usize, link: usize, offset: u32, write: Option<u64>) -> u64 {
        self.set(&format!("addr[{end}]"), u64::from((link as u32 * PAGE_BYTES + offset) / 8));
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
