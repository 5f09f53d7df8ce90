//! Events of counters, and what they come to.

use super::golden::{GoldenCounter, Kind};
use flitforge_hdl_sue::registers::{
    counted_place, port_counted_place, AMOUNTS, COUNTED, PORT_AMOUNTS, PORT_COUNTED,
};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::sue_port_registers::{self as port, PortCounter};
use flitforge_protocol::sue_registers::{self as instance, SueCounter, HISTOGRAM_BINS};
use flitforge_sim::kit::Rng;
use flitforge_sim::{Bench, PortHandle};
use rand::Rng as _;
use std::collections::BTreeMap;

/// Clocks after which an event shows at the answer of its counter, less one.
pub const EVENT_CLOCKS: usize = 4;
/// The same of a bin.
pub const BIN_CLOCKS: usize = 6;
/// Clocks between two bodies at least.
pub const BODY_CLOCKS: u64 = 8;

/// A port whose number counts.
pub struct Source {
    pub path: String,
    /// The counter that it belongs to.
    pub counter: usize,
    pub most: u64,
}

/// See the [module](self).
pub struct Load {
    kind: Kind,
    pub sources: Vec<Source>,
    started: u64,
    now: Vec<u64>,
    /// Of several clocks: nothing, some, everything.
    mode: u32,
    bin: Option<u64>,
    bin_rests: u64,
}

impl Load {
    /// `event_bits` of each counter.
    pub fn new(kind: Kind, event_bits: u32, started: u64) -> Self {
        let most = (1 << event_bits) - 1;
        let source = |path: String, counter: usize, most: u64| Source { path, counter, most };
        let mut sources = vec![];
        match kind {
            Kind::Instance => {
                for counter in SueCounter::ALL.iter().filter(|c| !AMOUNTS.contains(&usize::from(c.code()))) {
                    sources.push(source(
                        format!("counted[{}]", counted_place(*counter)),
                        counter.code().into(),
                        most,
                    ));
                }
                sources.push(source("octets_sent".into(), SueCounter::BytesTx.code().into(), 127));
                sources.push(source("octets_received".into(), SueCounter::BytesRx.code().into(), 127));
                assert_eq!(sources.len(), COUNTED + AMOUNTS.len());
            }
            Kind::Port => {
                for counter in
                    PortCounter::ALL.iter().filter(|c| !PORT_AMOUNTS.contains(&usize::from(c.code())))
                {
                    let path = format!("counted[{}]", port_counted_place(*counter));
                    sources.push(source(path, counter.code().into(), most));
                }
                for (path, counter) in [
                    ("octets_sent", PortCounter::BytesTx),
                    ("octets_received", PortCounter::BytesRx),
                    ("flushed", PortCounter::RetryFlush),
                    ("healed", PortCounter::ConsumedHeal),
                ] {
                    sources.push(source(path.into(), counter.code().into(), 0x7FFF));
                }
                assert_eq!(sources.len(), PORT_COUNTED + PORT_AMOUNTS.len());
            }
        }
        let now = vec![0; sources.len()];
        Self { kind, sources, started, now, mode: 0, bin: None, bin_rests: 0 }
    }

    /// Counters, and bins after them.
    pub fn counters(&self) -> Vec<GoldenCounter> {
        let counter = GoldenCounter::new(self.started, EVENT_CLOCKS);
        let bin = GoldenCounter::new(self.started, BIN_CLOCKS);
        let bins = if self.kind == Kind::Instance { HISTOGRAM_BINS } else { 0 };
        let counters = std::iter::repeat_n(counter, self.sources.len());
        counters.chain(std::iter::repeat_n(bin, bins)).collect()
    }

    /// The counter or bin of an offset.
    pub fn place_of(&self, offset: u32) -> Option<usize> {
        let inside = |first: u32, count: usize| {
            let word = offset.checked_sub(first)? / BYTES;
            ((word as usize) < count).then_some(word as usize)
        };
        match self.kind {
            Kind::Port => inside(port::P_COUNT.offset, self.sources.len()),
            Kind::Instance => inside(instance::COUNT.offset, self.sources.len())
                .or_else(|| Some(self.sources.len() + inside(instance::HIST, HISTOGRAM_BINS)?)),
        }
    }

    pub fn any_offset(&self, random: &mut Rng) -> u32 {
        match self.kind {
            Kind::Port => port::P_COUNT.offset + random.random_range(0..self.sources.len() as u32) * BYTES,
            Kind::Instance if random.random_bool(0.5) => {
                instance::HIST + random.random_range(0..HISTOGRAM_BINS as u32) * BYTES
            }
            Kind::Instance => {
                instance::COUNT.offset + random.random_range(0..self.sources.len() as u32) * BYTES
            }
        }
    }

    /// Events of a clock. Each mode lasts some clocks; the last has all counters at their most.
    pub fn drive(&mut self, random: &mut Rng, bench: &mut dyn Bench, ports: &BTreeMap<String, PortHandle>) {
        if random.random_bool(0.01) {
            self.mode = random.random_range(0..4);
        }
        for (source, now) in self.sources.iter().zip(&mut self.now) {
            let value = match self.mode {
                0 => 0,
                1 if random.random_bool(0.9) => *now,
                3 => source.most,
                _ => random.random_range(0..=source.most),
            };
            if value != *now {
                *now = value;
                bench.set_u64(ports[&source.path], value);
            }
        }
        if self.kind == Kind::Port {
            return;
        }
        self.bin_rests = self.bin_rests.saturating_sub(1);
        self.bin = None;
        if self.bin_rests == 0 {
            self.bin = Some(if random.random_bool(0.1) {
                random.random_range(1..1024)
            } else {
                random.random_range(1..36)
            });
            self.bin_rests =
                BODY_CLOCKS + if random.random_bool(0.5) { random.random_range(3..12) } else { 3 };
        }
        bench.set_u64(ports["body_commands.valid"], self.bin.is_some().into());
        if let Some(commands) = self.bin {
            bench.set_u64(ports["body_commands.data"], commands);
        }
    }

    /// What the clock has come to.
    pub fn count(&self, counters: &mut [GoldenCounter]) {
        for (source, now) in self.sources.iter().zip(&self.now) {
            counters[source.counter].clock(*now);
        }
        let bin = self.bin.map(|commands| (commands as usize).min(HISTOGRAM_BINS) - 1);
        for (place, counter) in counters[self.sources.len()..].iter_mut().enumerate() {
            counter.clock(u64::from(bin == Some(place)));
        }
    }
}
