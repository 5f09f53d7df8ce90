//! The SoC's memory behind the adapter's manager: it takes its time, answers different tags in any order, and interleaves reads.

use super::channels::{Address, Data, Read, Sample, Written};
use super::requester::{load, number_of, store, word_at, Landed, Ledger, MEMORY};
use flitforge_model::sue::axi::{AxiRequest, AxiUser, Direction};
use flitforge_protocol::sue::axi::AxiResponse;
use flitforge_sim::kit::{Pace, Pacer, Rng};
use flitforge_testkit::{Clocked as _, CompiledBlock};
use rand::Rng as _;
use std::collections::{BTreeMap, VecDeque};

/// A memory.
pub struct Memory {
    random: Rng,
    /// The XPU that asks.
    peer: u16,
    pub octets: Vec<u8>,
    addresses: VecDeque<Address>,
    beats: Vec<Data>,
    bursts: VecDeque<Vec<Data>>,
    /// Answers, in the order of their writes; those of a tag keep it.
    written: VecDeque<Written>,
    /// Transfers that are to come, by tag.
    reads: BTreeMap<u16, VecDeque<Read>>,
    b: Option<Written>,
    r: Option<Read>,
    pacers: [Pacer; 5],
    /// Clocks in which more than one tag had transfers to come.
    pub interleaved: u64,
}

impl Memory {
    /// All octets 0.
    pub fn new(random: Rng, peer: u16) -> Self {
        Self {
            random,
            peer,
            octets: vec![0; MEMORY],
            addresses: VecDeque::new(),
            beats: vec![],
            bursts: VecDeque::new(),
            written: VecDeque::new(),
            reads: BTreeMap::new(),
            b: None,
            r: None,
            pacers: std::array::from_fn(|_| Pacer::new(Pace::mixed())),
            interleaved: 0,
        }
    }

    /// Inputs of a clock.
    pub fn drive(&mut self, block: &mut CompiledBlock) {
        let goes: [bool; 5] = std::array::from_fn(|index| self.pacers[index].next(&mut self.random));
        let ready = ["m_axi.awready", "m_axi.wready", "m_axi.arready"];
        for (name, goes) in ready.into_iter().zip(goes) {
            block.set(name, goes.into());
        }
        if self.b.is_none() && goes[3] && !self.written.is_empty() {
            let some = self.random.random_range(0..self.written.len());
            let tag = self.written[some].id;
            let at = self.written.iter().position(|b| b.id == tag).expect("one of them");
            self.b = self.written.remove(at);
        }
        if self.r.is_none() && goes[4] && !self.reads.is_empty() {
            let some = self.random.random_range(0..self.reads.len());
            let tag = *self.reads.keys().nth(some).expect("one of them");
            self.interleaved += u64::from(self.reads.len() > 1);
            let queue = self.reads.get_mut(&tag).expect("it is there");
            self.r = queue.pop_front();
            if queue.is_empty() {
                self.reads.remove(&tag);
            }
        }
        block.set("m_axi.bvalid", self.b.is_some().into()).set("m_axi.rvalid", self.r.is_some().into());
        if let Some(b) = self.b {
            block.set("m_axi.bid", b.id.into()).set("m_axi.bresp", b.resp.into());
        }
        if let Some(r) = self.r {
            block.set("m_axi.rid", r.id.into()).set("m_axi.rdata", r.data);
            block.set("m_axi.rresp", r.resp.into()).set("m_axi.rlast", r.last.into());
        }
    }

    /// What has moved in this clock.
    pub fn observe(&mut self, now: &Sample, ledger: &mut Ledger) {
        if now.b.taken().is_some() {
            self.b = None;
        }
        if now.r.taken().is_some() {
            self.r = None;
        }
        if let Some(address) = now.aw.taken() {
            self.comes(Direction::Write, &address, ledger);
            self.addresses.push_back(address);
        }
        if let Some(address) = now.ar.taken() {
            self.comes(Direction::Read, &address, ledger);
            self.read(&address.request, ledger);
        }
        if let Some(data) = now.w.taken() {
            self.beats.push(data);
            if data.last {
                self.bursts.push_back(std::mem::take(&mut self.beats));
            }
        }
        while !self.addresses.is_empty() {
            let Some(beats) = self.bursts.pop_front() else { return };
            let address = self.addresses.pop_front().expect("one of them");
            self.write(&address.request, beats, ledger);
        }
    }

    /// A request is what was asked, has not come before, and follows those of its ID.
    fn comes(&self, direction: Direction, address: &Address, ledger: &mut Ledger) {
        let number = number_of(address.request.address);
        let asked = ledger.asked.get(&number).unwrap_or_else(|| panic!("{address:x?}: never asked"));
        let wanted = AxiRequest { id: address.request.id, ..asked.address.request };
        assert_eq!((direction, address.request, false), (asked.direction, wanted, asked.long), "{asked:x?}");
        let (user, said) = (AxiUser::decode(address.user), AxiUser::decode(asked.address.user));
        assert_eq!((user.xpu, user.partition), (self.peer, said.partition), "{asked:x?}");
        let id = asked.address.request.id;
        let latest = ledger.latest.insert((direction, id), number);
        assert!(latest < Some(number), "ID {id}: {number} comes after {latest:?}");
    }

    fn resp(&mut self, request: &AxiRequest) -> u8 {
        let resp = match self.random.random_range(0..10) {
            0 => AxiResponse::SlaveError,
            1 => AxiResponse::DecodeError,
            2..6 if request.lock => AxiResponse::ExOkay,
            _ => AxiResponse::Okay,
        };
        resp.code()
    }

    fn write(&mut self, request: &AxiRequest, beats: Vec<Data>, ledger: &mut Ledger) {
        let number = number_of(request.address);
        assert_eq!(beats, ledger.asked[&number].beats, "write {number}");
        for (at, data) in beats.iter().enumerate() {
            store(&mut self.octets, word_at(request, at), data);
        }
        let resp = self.resp(request);
        let before = ledger.landed.insert(number, Landed { data: vec![], resps: vec![resp] });
        assert!(before.is_none(), "write {number} comes twice");
        self.written.push_back(Written { id: request.id, resp, user: 0 });
    }

    fn read(&mut self, request: &AxiRequest, ledger: &mut Ledger) {
        let number = number_of(request.address);
        let transfers = request.transfers();
        let data: Vec<u64> = (0..transfers).map(|at| load(&self.octets, word_at(request, at))).collect();
        let resps: Vec<u8> = (0..transfers).map(|_| self.resp(request)).collect();
        let beats = data.iter().zip(&resps).enumerate().map(|(at, (data, resp))| Read {
            id: request.id,
            data: *data,
            resp: *resp,
            last: at + 1 == transfers,
            user: 0,
        });
        self.reads.entry(request.id).or_default().extend(beats);
        let before = ledger.landed.insert(number, Landed { data, resps });
        assert!(before.is_none(), "read {number} comes twice");
    }
}
