//! Answers a block that is a manager, from a memory.

use super::memory::AxiMemory;
use super::ports::{Address, AxiPorts, Response};
use crate::bench::Bench;
use crate::error::SimError;
use crate::kit::random::{rng, Rng};
use crate::kit::{Agent, Coverage, Pace, Pacer};
use rand::{Rng as _, RngCore};
use std::collections::VecDeque;

/// A memory with random stalls on every channel. Answers of one identifier keep their order; those of
/// different ones overtake each other, and the beats of reads interleave.
pub struct AxiSubordinate {
    ports: AxiPorts,
    memory: AxiMemory,
    rng: Rng,
    paces: [Pacer; 5],
    /// Bytes that exist; beyond them is a decode error.
    limit: u64,
    addressed: VecDeque<Address>,
    data: VecDeque<(u64, u64, bool)>,
    beat: u64,
    failed: bool,
    /// Responses to give: identifier and code.
    responses: Vec<(u64, Response)>,
    offered_b: Option<(u64, Response)>,
    /// Reads to answer, with the beats given.
    reads: Vec<(Address, u64)>,
    /// Which read the offered beat belongs to.
    offered_r: Option<usize>,
    errors: u64,
    overtaken: u64,
}

impl AxiSubordinate {
    /// A subordinate for the manager interface `name` of the block, at a mixed pace.
    pub fn new(bench: &dyn Bench, name: &str, memory: &AxiMemory, seed: u64) -> Result<Self, SimError> {
        let ports = AxiPorts::find(bench, name)?.with_block_as_manager(bench, true)?;
        Ok(Self {
            rng: rng(seed, name),
            ports,
            memory: memory.clone(),
            paces: std::array::from_fn(|_| Pacer::new(Pace::mixed())),
            limit: u64::MAX,
            addressed: VecDeque::new(),
            data: VecDeque::new(),
            beat: 0,
            failed: false,
            responses: vec![],
            offered_b: None,
            reads: vec![],
            offered_r: None,
            errors: 0,
            overtaken: 0,
        })
    }

    /// Sets the pace of all channels.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.paces = std::array::from_fn(|_| Pacer::new(pace.clone()));
        self
    }

    /// Answers addresses from `limit` on with a decode error.
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    fn absorb(&mut self) {
        while let (Some(address), Some((word, strobes, last))) =
            (self.addressed.front().copied(), self.data.front().copied())
        {
            self.data.pop_front();
            let at = address.beat(self.beat);
            if at < self.limit {
                self.memory.set_word(at, self.ports.bytes, word, strobes);
            } else {
                self.failed = true;
            }
            self.beat += 1;
            if last || self.beat == address.beats {
                let response = if self.failed { Response::DecodeError } else { Response::Okay };
                self.errors += u64::from(self.failed);
                self.responses.push((address.id, response));
                self.addressed.pop_front();
                (self.beat, self.failed) = (0, false);
            }
        }
    }

    /// A random one of those that are the first of their identifier.
    fn choose(rng: &mut Rng, ids: &[u64]) -> usize {
        let first: Vec<usize> =
            (0..ids.len()).filter(|index| !ids[..*index].contains(&ids[*index])).collect();
        first[rng.random_range(0..first.len())]
    }

    fn drive_response(&mut self, bench: &mut dyn Bench) {
        if self.offered_b.is_none() && !self.responses.is_empty() && self.paces[2].next(&mut self.rng) {
            let ids: Vec<u64> = self.responses.iter().map(|(id, _)| *id).collect();
            let chosen = Self::choose(&mut self.rng, &ids);
            self.overtaken += u64::from(chosen > 0);
            self.offered_b = Some(self.responses.remove(chosen));
        }
        let noise = self.rng.next_u64();
        let b = self.ports.b;
        if let Some(id) = b.id {
            bench.set_u64(id, self.offered_b.map_or(noise, |(id, _)| id));
        }
        bench.set_u64(b.response, self.offered_b.map_or(noise, |(_, response)| response.code()));
        bench.set_u64(b.handshake.valid, u64::from(self.offered_b.is_some()));
    }

    fn drive_read(&mut self, bench: &mut dyn Bench) {
        if self.offered_r.is_none() && !self.reads.is_empty() && self.paces[4].next(&mut self.rng) {
            let ids: Vec<u64> = self.reads.iter().map(|(address, _)| address.id).collect();
            let chosen = Self::choose(&mut self.rng, &ids);
            self.overtaken += u64::from(chosen > 0);
            self.offered_r = Some(chosen);
        }
        let noise = self.rng.next_u64();
        let r = self.ports.r;
        let offered = self.offered_r.map(|index| self.reads[index]);
        let at = offered.map(|(address, beat)| address.beat(beat));
        let exists = at.is_some_and(|at| at < self.limit);
        let word = at.filter(|_| exists).map(|at| self.memory.word(at, self.ports.bytes));
        let response = if exists { Response::Okay } else { Response::DecodeError };
        let last = offered.is_some_and(|(address, beat)| beat + 1 == address.beats);
        let id = offered.map(|(address, _)| address.id);
        let put = [(r.id, id.unwrap_or(noise)), (r.response, response.code()), (r.last, u64::from(last))];
        for (port, value) in put.into_iter().filter_map(|(port, value)| Some((port?, value))) {
            bench.set_u64(port, if offered.is_some() { value } else { noise });
        }
        bench.set_u64(r.data, word.unwrap_or(noise));
        bench.set_u64(r.handshake.valid, u64::from(offered.is_some()));
    }
}

impl Agent for AxiSubordinate {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.drive_response(bench);
        self.drive_read(bench);
        for (index, handshake) in
            [(0, self.ports.aw.handshake), (1, self.ports.w.handshake), (3, self.ports.ar.handshake)]
        {
            let ready = self.paces[index].next(&mut self.rng);
            bench.set_u64(handshake.ready, u64::from(ready));
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let ports = &self.ports;
        let reserved = |code: u64| SimError::Protocol {
            clock,
            interface: ports.name.clone(),
            rule: "burst types are 0, 1 and 2",
            detail: format!("burst type {code}"),
        };
        if ports.b.handshake.transfers(bench) {
            self.offered_b = None;
        }
        if let (true, Some(index)) = (ports.r.handshake.transfers(bench), self.offered_r) {
            self.reads[index].1 += 1;
            if self.reads[index].1 == self.reads[index].0.beats {
                self.reads.remove(index);
            }
            self.offered_r = None;
        }
        if ports.aw.handshake.transfers(bench) {
            self.addressed.push_back(ports.address(bench, &ports.aw).map_err(reserved)?);
        }
        if ports.w.handshake.transfers(bench) {
            let strobes = ports.w.strobe.map_or(0, |strobe| bench.get_u64(strobe));
            let last = ports.w.last.is_none_or(|last| bench.get_bit(last));
            self.data.push_back((bench.get_u64(ports.w.data), strobes, last));
        }
        if ports.ar.handshake.transfers(bench) {
            self.reads.push((ports.address(bench, &ports.ar).map_err(reserved)?, 0));
        }
        self.absorb();
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.decode_errors", self.ports.name), self.errors);
        into.add(format!("{}.overtaken", self.ports.name), self.overtaken);
    }
}
