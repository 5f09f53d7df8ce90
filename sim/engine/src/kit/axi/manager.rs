//! Random reads and writes for a block that is a subordinate, checked against a memory.

use super::memory::{lanes, AxiMemory};
use super::ports::{Address, AxiPorts, Burst, Response};
use crate::bench::Bench;
use crate::error::SimError;
use crate::kit::random::{rng, Rng};
use crate::kit::{Agent, Coverage, Pace, Pacer};
use rand::{Rng as _, RngCore};
use std::collections::{BTreeMap, VecDeque};

/// What a manager does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxiTraffic {
    /// First address.
    pub base: u64,
    /// Bytes per identifier, a power of two and at least 4096 unless the interface is AXI4-Lite; each identifier
    /// has its own, so that no read races a write.
    pub region: u64,
    /// Identifiers in use, from 0.
    pub ids: u64,
    /// Longest burst in beats.
    pub beats: u64,
    /// Transactions to start; then the manager rests.
    pub transactions: u64,
    /// Clocks after which a missing answer is an error.
    pub patience: u64,
}

impl Default for AxiTraffic {
    fn default() -> Self {
        Self { base: 0, region: 4096, ids: 1, beats: 16, transactions: u64::MAX, patience: 10_000 }
    }
}

/// A transaction on the way.
#[derive(Clone, Debug)]
struct Transaction {
    address: Address,
    /// Words and strobes of a write.
    write: Option<Vec<(u64, u64)>>,
    beats: u64,
    since: u64,
}

/// Writes and reads at random: bursts of every kind and size, several identifiers at once, random stalls on all
/// channels. What is read must be what was written.
pub struct AxiManager {
    ports: AxiPorts,
    traffic: AxiTraffic,
    memory: AxiMemory,
    rng: Rng,
    paces: [Pacer; 6],
    running: BTreeMap<u64, Transaction>,
    aw: VecDeque<Address>,
    w: VecDeque<(u64, u64, bool)>,
    ar: VecDeque<Address>,
    /// Offered on `aw`, `w`, `ar`: holds until taken.
    offered: [bool; 3],
    started: u64,
    /// Writes done, reads done, started while another ran.
    counts: [u64; 3],
}

impl AxiManager {
    /// A manager for the subordinate interface `name` of the block; `memory` holds what the block must hold.
    pub fn new(
        bench: &dyn Bench,
        name: &str,
        traffic: AxiTraffic,
        memory: &AxiMemory,
        seed: u64,
    ) -> Result<Self, SimError> {
        let ports = AxiPorts::find(bench, name)?.with_block_as_manager(bench, false)?;
        let ids = if ports.id_width >= 63 { u64::MAX } else { 1 << ports.id_width };
        let fits = traffic.region.is_power_of_two() && traffic.base % traffic.region == 0;
        let small = !ports.lite && traffic.region < 4096 || traffic.region < ports.bytes;
        if traffic.ids == 0 || traffic.ids > ids || !(1..=256).contains(&traffic.beats) || !fits || small {
            let problem = format!(
                "{traffic:?}: up to {ids} identifiers, 1 to 256 beats, and regions of a power of two (4096 or more for \
                 bursts) from a multiple of it are possible"
            );
            return Err(ports.misuse(bench, problem));
        }
        Ok(Self {
            rng: rng(seed, name),
            ports,
            traffic,
            memory: memory.clone(),
            paces: std::array::from_fn(|_| Pacer::new(Pace::mixed())),
            running: BTreeMap::new(),
            aw: VecDeque::new(),
            w: VecDeque::new(),
            ar: VecDeque::new(),
            offered: [false; 3],
            started: 0,
            counts: [0; 3],
        })
    }

    /// Sets the pace of all channels.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.paces = std::array::from_fn(|_| Pacer::new(pace.clone()));
        self
    }

    fn address(&mut self, id: u64) -> Address {
        let region = self.traffic.base + id * self.traffic.region;
        if self.ports.lite {
            let words = self.traffic.region / self.ports.bytes;
            let address = region + self.rng.random_range(0..words) * self.ports.bytes;
            return Address { id, address, beats: 1, size: self.ports.bytes, burst: Burst::Incrementing };
        }
        let size = 1 << self.rng.random_range(0..=self.ports.bytes.trailing_zeros());
        let burst = [Burst::Fixed, Burst::Incrementing, Burst::Wrapping][self.rng.random_range(0..3)];
        let longest = self.traffic.beats;
        let (beats, burst) = match burst {
            Burst::Wrapping if longest >= 2 => {
                (2 << self.rng.random_range(0..longest.min(16).ilog2()), Burst::Wrapping)
            }
            Burst::Fixed => (self.rng.random_range(1..=longest.min(16)), Burst::Fixed),
            _ => (self.rng.random_range(1..=longest), Burst::Incrementing),
        };
        // Within the region, which is a whole number of pages.
        let room = self.traffic.region.min(4096) - beats * size + 1;
        let page = self.rng.random_range(0..self.traffic.region / 4096) * 4096;
        let mut address = region + page + self.rng.random_range(0..room);
        if burst == Burst::Wrapping {
            address -= address % size;
        }
        Address { id, address, beats, size, burst }
    }

    fn start(&mut self, clock: u64) {
        let free: Vec<u64> = (0..self.traffic.ids).filter(|id| !self.running.contains_key(id)).collect();
        if free.is_empty() || self.started == self.traffic.transactions || !self.paces[5].next(&mut self.rng)
        {
            return;
        }
        let id = free[self.rng.random_range(0..free.len())];
        let address = self.address(id);
        self.started += 1;
        self.counts[2] += u64::from(!self.running.is_empty());
        let write = self.rng.random_bool(0.5).then(|| self.beats(&address));
        match &write {
            Some(beats) => {
                self.aw.push_back(address);
                let all = beats.len();
                let beats = beats.iter().enumerate();
                self.w.extend(beats.map(|(number, (word, strobes))| (*word, *strobes, number + 1 == all)));
            }
            None => self.ar.push_back(address),
        }
        self.running.insert(id, Transaction { address, write, beats: 0, since: clock });
    }

    fn beats(&mut self, address: &Address) -> Vec<(u64, u64)> {
        let beat = |number| {
            let allowed = lanes(address.beat(number), address.size, self.ports.bytes);
            let strobes = if self.rng.random_bool(0.7) { allowed } else { self.rng.next_u64() & allowed };
            (self.rng.next_u64() & self.ports.data_mask(), strobes)
        };
        (0..address.beats).map(beat).collect()
    }

    fn offer(&mut self, channel: usize, any: bool) -> bool {
        self.offered[channel] = self.offered[channel] || (any && self.paces[channel].next(&mut self.rng));
        self.offered[channel]
    }

    fn broken(&self, clock: u64, rule: &'static str, detail: String) -> SimError {
        SimError::Protocol { clock, interface: self.ports.name.clone(), rule, detail }
    }

    fn written(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let id = self.ports.b.id.map_or(0, |id| bench.get_u64(id));
        let response = bench.get_u64(self.ports.b.response);
        let done = self.running.remove(&id);
        let Some((address, beats)) = done.and_then(|done| Some((done.address, done.write?))) else {
            return Err(self.broken(clock, "a response follows its write", format!("bid {id}")));
        };
        if response != Response::Okay.code() {
            let detail = format!("bresp {response} for a write to {:#x}", address.address);
            return Err(self.broken(clock, "a write succeeds", detail));
        }
        for (number, (word, strobes)) in (0u64..).zip(beats) {
            self.memory.set_word(address.beat(number), self.ports.bytes, word, strobes);
        }
        self.counts[0] += 1;
        Ok(())
    }

    fn read(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let id = self.ports.r.id.map_or(0, |id| bench.get_u64(id));
        let response = self.ports.r.response.map_or(0, |response| bench.get_u64(response));
        let word = bench.get_u64(self.ports.r.data);
        let bytes = self.ports.bytes;
        let running = self.running.get_mut(&id).filter(|running| running.write.is_none());
        let Some(running) = running else {
            return Err(self.broken(clock, "a response follows its read", format!("rid {id}")));
        };
        let address = running.address;
        let at = address.beat(running.beats);
        running.beats += 1;
        let all = running.beats == address.beats;
        let used = lanes(at, address.size, bytes);
        let mask =
            (0..bytes).filter(|lane| used >> lane & 1 == 1).fold(0, |mask, lane| mask | 0xff << (8 * lane));
        let expected = self.memory.word(at, bytes) & mask;
        if response != Response::Okay.code() || word & mask != expected {
            let detail = format!(
                "{:x} (rresp {response}) from {at:#x}, expected {expected:x} in the bytes of mask {mask:x}",
                word & mask
            );
            return Err(self.broken(clock, "a read gives what was written", detail));
        }
        if all {
            self.running.remove(&id);
            self.counts[1] += 1;
        }
        Ok(())
    }
}

impl Agent for AxiManager {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.start(clock);
        let noise = self.rng.next_u64();
        let (aw, any) = (self.aw.front().copied(), !self.aw.is_empty());
        let offered = self.offer(0, any);
        self.ports.drive_address(bench, &self.ports.aw, aw.as_ref().filter(|_| offered), noise);
        let (ar, any) = (self.ar.front().copied(), !self.ar.is_empty());
        let offered = self.offer(2, any);
        self.ports.drive_address(bench, &self.ports.ar, ar.as_ref().filter(|_| offered), noise);
        let beat = self.w.front().copied();
        let offered = self.offer(1, beat.is_some());
        let (word, strobes, last) = beat.filter(|_| offered).unwrap_or((noise, noise, noise & 1 == 1));
        let w = self.ports.w;
        bench.set_u64(w.data, word);
        for (port, value) in [(w.strobe, strobes), (w.last, u64::from(last))] {
            if let Some(port) = port {
                bench.set_u64(port, value);
            }
        }
        bench.set_u64(w.handshake.valid, u64::from(offered));
        for (channel, handshake) in [(3, self.ports.b.handshake), (4, self.ports.r.handshake)] {
            let ready = self.paces[channel].next(&mut self.rng);
            bench.set_u64(handshake.ready, u64::from(ready));
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.ports.b.handshake.transfers(bench) {
            self.written(clock, bench)?;
        }
        if self.ports.r.handshake.transfers(bench) {
            self.read(clock, bench)?;
        }
        let channels = [self.ports.aw.handshake, self.ports.w.handshake, self.ports.ar.handshake];
        for (channel, handshake) in channels.into_iter().enumerate() {
            if self.offered[channel] && handshake.transfers(bench) {
                self.offered[channel] = false;
                match channel {
                    0 => drop(self.aw.pop_front()),
                    1 => drop(self.w.pop_front()),
                    _ => drop(self.ar.pop_front()),
                }
            }
        }
        let late = self.running.values().find(|running| clock - running.since > self.traffic.patience);
        if let Some(late) = late {
            let kind = if late.write.is_some() { "write to" } else { "read from" };
            let detail = format!("{kind} {:#x}, begun on clock {}", late.address.address, late.since);
            return Err(self.broken(clock, "every transaction is answered", detail));
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        let [writes, reads, overlapping] = self.counts;
        for (what, count) in [("writes_done", writes), ("reads_done", reads), ("overlapping", overlapping)] {
            into.add(format!("{}.{what}", self.ports.name), count);
        }
    }
}
