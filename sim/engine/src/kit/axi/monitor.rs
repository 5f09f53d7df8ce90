//! The rules of the protocol, watched on either side.

use super::memory::lanes;
use super::ports::{payload, Address, AddressPorts, AxiPorts, Burst, Handshake};
use crate::bench::Bench;
use crate::error::SimError;
use crate::kit::{Agent, Coverage};
use crate::port::PortHandle;
use flitforge_elaborate::Value;
use std::collections::{BTreeMap, VecDeque};

/// No burst crosses a boundary of this many bytes.
const PAGE: u64 = 4096;

/// Checks the rules of AXI4 (ARM IHI 0022, chapters A3 to A5): `valid` and payload hold, bursts are legal, `last`
/// stands on the last beat, strobes stay in their lanes, every response has its transaction.
pub struct AxiMonitor {
    ports: AxiPorts,
    channels: [Channel; 5],
    /// Write addresses whose data are not complete, and data whose address has not come.
    addressed: VecDeque<Address>,
    /// Beats of the burst in progress: strobes and `last`.
    beats: Vec<(u64, bool)>,
    /// Data bursts that are complete before their address.
    early: VecDeque<Vec<(u64, bool)>>,
    /// Writes that wait for a response, per identifier.
    unanswered: BTreeMap<u64, u64>,
    /// Reads in progress, per identifier: the address and the beats so far.
    reading: BTreeMap<u64, VecDeque<(Address, u64)>>,
    counts: BTreeMap<&'static str, u64>,
}

/// What one channel showed on the edge before, if it waits.
struct Channel {
    name: &'static str,
    handshake: Handshake,
    payload: Vec<Option<PortHandle>>,
    waits: Option<Vec<Value>>,
}

impl AxiMonitor {
    /// A monitor of the interface called `name`.
    pub fn new(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let ports = AxiPorts::find(bench, name)?;
        let address = |name, ports: &AddressPorts| Channel {
            name,
            handshake: ports.handshake,
            payload: vec![ports.id, Some(ports.address), ports.length, ports.size, ports.burst],
            waits: None,
        };
        let (w, r, b) = (&ports.w, &ports.r, &ports.b);
        let data = |name, handshake, payload| Channel { name, handshake, payload, waits: None };
        let channels = [
            address("aw", &ports.aw),
            data("w", w.handshake, vec![Some(w.data), w.strobe, w.last]),
            data("b", b.handshake, vec![b.id, Some(b.response)]),
            address("ar", &ports.ar),
            data("r", r.handshake, vec![r.id, Some(r.data), r.response, r.last]),
        ];
        Ok(Self {
            ports,
            channels,
            addressed: VecDeque::new(),
            beats: vec![],
            early: VecDeque::new(),
            unanswered: BTreeMap::new(),
            reading: BTreeMap::new(),
            counts: BTreeMap::new(),
        })
    }

    /// Transactions that have no complete answer yet.
    pub fn outstanding(&self) -> u64 {
        let reads: usize = self.reading.values().map(VecDeque::len).sum();
        self.unanswered.values().sum::<u64>() + (reads + self.addressed.len()) as u64
    }

    fn broken(&self, clock: u64, rule: &'static str, detail: String) -> SimError {
        SimError::Protocol { clock, interface: self.ports.name.clone(), rule, detail }
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn holds(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        for index in 0..self.channels.len() {
            let channel = &mut self.channels[index];
            let (valid, ready) =
                (bench.get_bit(channel.handshake.valid), bench.get_bit(channel.handshake.ready));
            let now = payload(bench, &channel.payload);
            let (name, before) = (channel.name, channel.waits.take());
            channel.waits = (valid && !ready).then(|| now.clone());
            let Some(before) = before else { continue };
            if !valid {
                return Err(self.broken(clock, "valid holds until ready", format!("{name}valid fell")));
            }
            if before != now {
                return Err(self.broken(
                    clock,
                    "the payload holds until ready",
                    format!("{name}: it changed"),
                ));
            }
            self.count("held");
        }
        Ok(())
    }

    fn address(&mut self, clock: u64, bench: &dyn Bench, write: bool) -> Result<Address, SimError> {
        let (channel, ports) = if write { ("aw", self.ports.aw) } else { ("ar", self.ports.ar) };
        let found = self.ports.address(bench, &ports).map_err(|code| {
            self.broken(clock, "burst types are 0, 1 and 2", format!("{channel}burst is {code}"))
        })?;
        let Address { address, beats, size, burst, .. } = found;
        if size > self.ports.bytes {
            let detail = format!("{channel}size says {size} bytes on a bus of {}", self.ports.bytes);
            return Err(self.broken(clock, "a beat is not wider than the bus", detail));
        }
        if burst == Burst::Incrementing && address / PAGE != (found.beat(beats - 1) + size - 1) / PAGE {
            let detail = format!("{beats} beats of {size} bytes from {address:#x}");
            return Err(self.broken(clock, "a burst stays within 4096 bytes", detail));
        }
        if burst == Burst::Wrapping && (![2, 4, 8, 16].contains(&beats) || address % size != 0) {
            let detail = format!("{beats} beats of {size} bytes from {address:#x}");
            return Err(self.broken(clock, "a wrapping burst is aligned, of 2, 4, 8 or 16 beats", detail));
        }
        if burst == Burst::Fixed && beats > 16 {
            return Err(self.broken(clock, "a fixed burst has up to 16 beats", format!("{beats} beats")));
        }
        Ok(found)
    }

    /// Compares a complete burst of data with its address.
    fn write_burst(&mut self, clock: u64, address: Address, beats: &[(u64, bool)]) -> Result<(), SimError> {
        for (number, (strobes, last)) in (0u64..).zip(beats) {
            if *last != (number + 1 == address.beats) {
                let detail = format!("wlast is {last} on beat {} of {}", number + 1, address.beats);
                return Err(self.broken(clock, "last stands on the last beat", detail));
            }
            let allowed = lanes(address.beat(number), address.size, self.ports.bytes);
            if !self.ports.lite && strobes & !allowed != 0 {
                let detail = format!("strobes {strobes:b}, lanes {allowed:b} on beat {}", number + 1);
                return Err(self.broken(clock, "strobes stay in the lanes of their beat", detail));
            }
        }
        *self.unanswered.entry(address.id).or_default() += 1;
        self.count("writes");
        Ok(())
    }

    fn write_data(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let strobes = self.ports.w.strobe.map_or(0, |strobe| bench.get_u64(strobe));
        let last = self.ports.w.last.is_none_or(|last| bench.get_bit(last));
        self.beats.push((strobes, last));
        // With the address known the end is known, whatever `last` says.
        let done = self.addressed.front().map_or(last, |address| self.beats.len() as u64 == address.beats);
        if !done && !last {
            return Ok(());
        }
        let beats = std::mem::take(&mut self.beats);
        match self.addressed.pop_front() {
            Some(address) => self.write_burst(clock, address, &beats),
            None => {
                self.early.push_back(beats);
                Ok(())
            }
        }
    }

    fn write_address(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let address = self.address(clock, bench, true)?;
        let Some(beats) = self.early.pop_front() else {
            self.addressed.push_back(address);
            return Ok(());
        };
        self.count("data_before_address");
        if beats.len() as u64 != address.beats {
            let detail = format!("wlast on beat {} of {}", beats.len(), address.beats);
            return Err(self.broken(clock, "last stands on the last beat", detail));
        }
        self.write_burst(clock, address, &beats)
    }

    fn write_response(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let id = self.ports.b.id.map_or(0, |id| bench.get_u64(id));
        match self.unanswered.get_mut(&id) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Ok(())
            }
            _ => {
                let detail = format!("bid {id} has no write with complete data");
                Err(self.broken(clock, "a response follows its write", detail))
            }
        }
    }

    fn read_data(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let id = self.ports.r.id.map_or(0, |id| bench.get_u64(id));
        let last = self.ports.r.last.map(|last| bench.get_bit(last));
        let waiting = self.reading.entry(id).or_default();
        let Some((address, beats)) = waiting.front_mut() else {
            let detail = format!("rid {id} has no read");
            return Err(self.broken(clock, "a response follows its read", detail));
        };
        *beats += 1;
        let (number, all) = (*beats, address.beats);
        if number == all {
            waiting.pop_front();
            self.count("reads");
        }
        if last.is_some_and(|last| last != (number == all)) {
            let detail = format!("rlast is {} on beat {number} of {all}", number != all);
            return Err(self.broken(clock, "last stands on the last beat", detail));
        }
        Ok(())
    }
}

impl Agent for AxiMonitor {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.holds(clock, bench)?;
        let moves = |channel: usize| self.channels[channel].handshake.transfers(bench);
        let [aw, w, b, ar, r] = [0, 1, 2, 3, 4].map(moves);
        // Responses first: one on the edge of its own request would come too early.
        if b {
            self.write_response(clock, bench)?;
        }
        if r {
            self.read_data(clock, bench)?;
        }
        if aw {
            self.write_address(clock, bench)?;
        }
        if w {
            self.write_data(clock, bench)?;
        }
        if ar {
            let address = self.address(clock, bench, false)?;
            self.reading.entry(address.id).or_default().push_back((address, 0));
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        for what in ["writes", "reads", "held", "data_before_address"] {
            into.add(format!("{}.{what}", self.ports.name), self.counts.get(what).copied().unwrap_or(0));
        }
    }
}
