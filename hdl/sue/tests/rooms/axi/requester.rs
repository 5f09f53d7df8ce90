//! An AXI manager with random legal traffic, and what it has asked for and got.

use super::channels::{Address, Data, Read, Sample, Written};
use super::transfers::{fields, lanes, legal_burst, place};
use flitforge_model::sue::axi::{AxiRequest, AxiUser, Direction};
use flitforge_protocol::sue::axi::{AxiResponse, BUS_BYTES, MAX_TRANSFERS};
use flitforge_sim::kit::{Pace, Pacer, Rng};
use flitforge_testkit::{Clocked as _, CompiledBlock};
use rand::Rng as _;
use std::collections::{BTreeMap, VecDeque};

/// Octets of a memory: a page for each ID, which alone writes there.
pub const MEMORY: usize = 1 << 16;
const PAGE_BITS: u32 = 12;
const PAGES: usize = 16;
/// The number of a request is in its address from here on.
const NUMBER_BITS: u32 = 32;
/// Requests that wait to be offered.
const WAITING: usize = 3;

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    pub direction: Direction,
    pub address: Address,
    pub beats: Vec<Data>,
    /// More than 32 transfers: answered SLVERR at the source.
    pub long: bool,
    /// Of a read while nothing is written to its page: what the memory has, in the lanes of each transfer.
    exact: Option<Vec<u64>>,
}

/// What a memory has done about a request.
#[derive(Clone, Debug)]
pub struct Landed {
    pub data: Vec<u64>,
    pub resps: Vec<u8>,
}

/// Requests of one requester by number, and those that came to the memory.
#[derive(Default)]
pub struct Ledger {
    pub asked: BTreeMap<u64, Asked>,
    pub landed: BTreeMap<u64, Landed>,
    /// By direction and ID, the request that came last.
    pub latest: BTreeMap<(Direction, u16), u64>,
}

/// The number of a request.
pub fn number_of(address: u64) -> u64 {
    address >> NUMBER_BITS
}

/// Where the word of a transfer is in a memory.
pub fn word_at(request: &AxiRequest, transfer: usize) -> usize {
    place(request, transfer).0 as usize % MEMORY / BUS_BYTES * BUS_BYTES
}

/// The octets that `lanes` has.
fn mask(lanes: u8) -> u64 {
    (0..BUS_BYTES).filter(|lane| lanes >> lane & 1 == 1).fold(0, |all, lane| all | 0xFF << (8 * lane))
}

/// Reads a word.
pub fn load(memory: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(memory[at..at + BUS_BYTES].try_into().expect("a word"))
}

/// Writes the octets that have a strobe.
pub fn store(memory: &mut [u8], at: usize, data: &Data) {
    for (lane, octet) in data.data.to_le_bytes().into_iter().enumerate() {
        if data.strobes >> lane & 1 == 1 {
            memory[at + lane] = octet;
        }
    }
}

/// Sets AW or AR.
pub fn drive_address(block: &mut CompiledBlock, channel: &str, offered: Option<Address>) {
    block.set(&format!("{channel}valid"), offered.is_some().into());
    let Some(Address { request, user }) = offered else { return };
    for (name, value) in fields(&request, user) {
        block.set(&format!("{channel}{name}"), value);
    }
}

/// What is offered, whether its ports are set, and what comes after it.
struct Offers<T> {
    offered: Option<T>,
    is_set: bool,
    after: VecDeque<T>,
    pacer: Pacer,
}

impl<T: Copy> Offers<T> {
    fn new() -> Self {
        Self { offered: None, is_set: false, after: VecDeque::new(), pacer: Pacer::new(Pace::mixed()) }
    }

    /// What the ports are to show, if that is new.
    fn next(&mut self, random: &mut Rng) -> Option<Option<T>> {
        if self.offered.is_none() && self.pacer.next(random) {
            self.offered = self.after.pop_front();
            self.is_set &= self.offered.is_none();
        }
        let is_new = !self.is_set;
        self.is_set = true;
        is_new.then_some(self.offered)
    }

    fn taken(&mut self) {
        self.offered = None;
        self.is_set = false;
    }
}

/// The AXI manager of one XPU.
pub struct Requester {
    random: Rng,
    user: AxiUser,
    /// B comes when the PDU has arrived.
    early: bool,
    /// Chance of another request in a clock.
    pub load: f64,
    next: u64,
    aw: Offers<Address>,
    w: Offers<Data>,
    ar: Offers<Address>,
    ready: [Pacer; 2],
    /// Requests without an answer, the oldest first.
    open: BTreeMap<(Direction, u16), VecDeque<u64>>,
    reading: BTreeMap<u16, Vec<Read>>,
    /// What the memory has when nothing is under way; writes and exact reads of each page that are.
    pub golden: Vec<u8>,
    writing: [u32; PAGES],
    exact: [u32; PAGES],
    /// Chance that a request has one of three IDs.
    pub favours: f64,
    /// Chance that a request is a write.
    pub writes: f64,
    /// With B that comes early: commands may get lost, and their writes SLVERR.
    pub lossy: bool,
    /// Writes whose early B said that they have arrived, and those that are lost, or may be.
    pub arrived: Vec<u64>,
    pub lost: Vec<u64>,
    /// What happened, by name.
    pub seen: BTreeMap<&'static str, u64>,
}

impl Requester {
    /// Asks the XPU of `user`.
    pub fn new(random: Rng, user: AxiUser, early: bool) -> Self {
        Self {
            random,
            user,
            early,
            load: 0.0,
            next: 1,
            aw: Offers::new(),
            w: Offers::new(),
            ar: Offers::new(),
            ready: std::array::from_fn(|_| Pacer::new(Pace::mixed())),
            open: BTreeMap::new(),
            reading: BTreeMap::new(),
            golden: vec![0; MEMORY],
            writing: [0; PAGES],
            exact: [0; PAGES],
            favours: 0.7,
            writes: 0.5,
            lossy: false,
            arrived: vec![],
            lost: vec![],
            seen: BTreeMap::new(),
        }
    }

    fn hit(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    /// Requests without an answer.
    pub fn waiting(&self) -> usize {
        self.open.values().map(VecDeque::len).sum()
    }

    /// One more request.
    fn ask(&mut self, ledger: &mut Ledger) {
        let random = &mut self.random;
        let direction = if random.random_bool(self.writes) { Direction::Write } else { Direction::Read };
        let id = if random.random_bool(self.favours) {
            random.random_range(0..3)
        } else {
            random.random_range(0..16)
        };
        let page = match direction {
            Direction::Write => usize::from(id),
            Direction::Read => random.random_range(0..PAGES),
        };
        if direction == Direction::Write && self.exact[page] > 0 {
            return;
        }
        let transfers = match random.random_range(0..40) {
            0 => random.random_range(MAX_TRANSFERS + 1..=64),
            1..=3 => MAX_TRANSFERS,
            4..=12 => random.random_range(1..=MAX_TRANSFERS),
            13..=16 => 1 << random.random_range(1..=4),
            _ => random.random_range(1..=8),
        };
        let whole = random.random_bool(0.4);
        let mut request = legal_burst(random, transfers, whole);
        request.id = id;
        request.address |= self.next << NUMBER_BITS | (page as u64) << PAGE_BITS;
        let user = AxiUser { flush: random.random_bool(0.1), kind: 0, bytes: 0, ..self.user };
        let address = Address { request, user: user.encode().expect("fits") };
        let long = transfers > MAX_TRANSFERS;
        let mut asked = Asked { direction, address, beats: vec![], long, exact: None };
        match direction {
            Direction::Write => self.write(&mut asked, page, whole),
            Direction::Read => self.read(&mut asked, page),
        }
        self.open.entry((direction, id)).or_default().push_back(self.next);
        ledger.asked.insert(self.next, asked);
        self.next += 1;
    }

    fn write(&mut self, asked: &mut Asked, page: usize, whole: bool) {
        let request = asked.address.request;
        for at in 0..request.transfers() {
            let strobes = if whole { u8::MAX } else { self.random.random() };
            let data = Data {
                data: self.random.random(),
                strobes: strobes & lanes(&request, at),
                last: at + 1 == request.transfers(),
            };
            asked.beats.push(data);
            self.w.after.push_back(data);
            if !asked.long {
                store(&mut self.golden, word_at(&request, at), &data);
            }
        }
        self.aw.after.push_back(asked.address);
        self.writing[page] += 1;
    }

    fn read(&mut self, asked: &mut Asked, page: usize) {
        let request = asked.address.request;
        if !self.early && !asked.long && self.writing[page] == 0 {
            let word = |at| load(&self.golden, word_at(&request, at)) & mask(lanes(&request, at));
            asked.exact = Some((0..request.transfers()).map(word).collect());
            self.exact[page] += 1;
        }
        self.ar.after.push_back(asked.address);
    }

    /// Inputs of a clock.
    pub fn drive(&mut self, block: &mut CompiledBlock, ledger: &mut Ledger) {
        let short = self.aw.after.len().max(self.ar.after.len()) < WAITING;
        if short && self.random.random_bool(self.load) {
            self.ask(ledger);
        }
        if let Some(offered) = self.aw.next(&mut self.random) {
            drive_address(block, "s_axi.aw", offered);
        }
        if let Some(offered) = self.ar.next(&mut self.random) {
            drive_address(block, "s_axi.ar", offered);
        }
        if let Some(offered) = self.w.next(&mut self.random) {
            block.set("s_axi.wvalid", offered.is_some().into());
            if let Some(data) = offered {
                block.set("s_axi.wdata", data.data).set("s_axi.wstrb", data.strobes.into());
                block.set("s_axi.wlast", data.last.into());
            }
        }
        let [b, r] = [0, 1].map(|index: usize| self.ready[index].next(&mut self.random));
        block.set("s_axi.bready", b.into()).set("s_axi.rready", r.into());
    }

    /// What has moved in this clock.
    pub fn observe(&mut self, now: &Sample, ledger: &Ledger) {
        if now.aw.taken().is_some() {
            self.aw.taken();
        }
        if now.w.taken().is_some() {
            self.w.taken();
        }
        if now.ar.taken().is_some() {
            self.ar.taken();
        }
        if let Some(b) = now.b.taken() {
            self.written(&b, ledger);
        }
        if let Some(r) = now.r.taken() {
            let reading = self.reading.entry(r.id).or_default();
            reading.push(r);
            if r.last {
                let all = std::mem::take(reading);
                self.answered(r.id, &all, ledger);
            }
        }
    }

    /// The oldest request with this ID.
    fn oldest(&mut self, direction: Direction, id: u16) -> u64 {
        let open = self.open.get_mut(&(direction, id)).and_then(VecDeque::pop_front);
        open.unwrap_or_else(|| panic!("{direction:?} of ID {id} is answered, and not asked"))
    }

    fn written(&mut self, b: &Written, ledger: &Ledger) {
        let number = self.oldest(Direction::Write, b.id);
        let asked = &ledger.asked[&number];
        self.writing[usize::from(b.id)] -= 1;
        let landed = ledger.landed.get(&number);
        let expected = match (asked.long, self.early) {
            (true, _) => AxiResponse::SlaveError.code(),
            (false, true) => AxiResponse::Okay.code(),
            (false, false) => {
                landed.unwrap_or_else(|| panic!("B of {asked:x?}, which has not come")).resps[0]
            }
        };
        if self.lossy && self.early && !asked.long && b.resp == AxiResponse::SlaveError.code() {
            self.lost.push(number);
            return self.hit("a lost write");
        }
        assert_eq!(b.resp, expected, "{asked:x?}");
        if self.early && !asked.long {
            self.arrived.push(number);
        }
        self.hit(if asked.long { "a long write" } else { "a write" });
        if self.early && !asked.long && landed.is_none() {
            self.hit("B before the write has come");
        }
    }

    fn answered(&mut self, id: u16, beats: &[Read], ledger: &Ledger) {
        let number = self.oldest(Direction::Read, id);
        let asked = &ledger.asked[&number];
        let request = asked.address.request;
        let page = (place(&request, 0).0 as usize % MEMORY) >> PAGE_BITS;
        assert_eq!(beats.len(), request.transfers(), "{asked:x?}");
        if asked.long {
            assert!(beats.iter().all(|beat| beat.resp == AxiResponse::SlaveError.code()), "{beats:x?}");
            return self.hit("a long read");
        }
        let landed = ledger.landed.get(&number);
        let landed = landed.unwrap_or_else(|| panic!("R of {asked:x?}, which has not come"));
        for (at, beat) in beats.iter().enumerate() {
            let expected = (landed.data[at], landed.resps[at]);
            assert_eq!((beat.data, beat.resp), expected, "transfer {at} of {asked:x?}");
        }
        if let Some(exact) = &asked.exact {
            self.exact[page] -= 1;
            for (at, (beat, exact)) in beats.iter().zip(exact).enumerate() {
                assert_eq!(beat.data & mask(lanes(&request, at)), *exact, "transfer {at} of {asked:x?}");
            }
            self.hit("a read of what is written");
        }
        self.hit("a read");
    }
}
