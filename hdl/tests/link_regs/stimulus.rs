//! Requests, events and status for `link_regs`.

use flitforge_protocol::link_registers::{COUNTERS, CTRL, EVENT, LANE, PAGE};
use flitforge_protocol::register::BYTES;
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_sim::{Bench, SimError};
use flitforge_testkit::drive_all;
use rand::seq::IndexedRandom;
use rand::Rng as _;

/// How busy the page is.
#[derive(Clone, Copy, PartialEq)]
pub enum Load {
    /// Now quiet, now busy, with clears and commands.
    Mixed,
    /// As many events and requests as there can be; counters are read, seldom cleared.
    Full,
}

/// Random inputs of all ports.
pub struct Stimulus {
    random: Rng,
    load: Load,
    offsets: Vec<u32>,
    /// Clocks in which the request stands, clocks until the next.
    held: u32,
    wait: u32,
    request: (u32, Option<u64>),
    density: f64,
}

/// Most of what a port may count in a clock.
const SEVERAL: [&str; 4] = ["illegal_flits", "tx_illegal", "time_stale", "time_dropped"];
/// Ports that only show up in reads: path and bits.
const STATUS: [(&str, u32); 13] = [
    ("status", 32),
    ("lanes", 24),
    ("rtt", 64),
    ("seq", 48),
    ("peer_guid", 64),
    ("lat", 40),
    ("bond_skew", 16),
    ("debt[0]", 8),
    ("debt[1]", 8),
    ("debt[2]", 8),
    ("debt[3]", 8),
    ("credit_word", 48),
    ("happened", 11),
];

impl Stimulus {
    pub fn new(name: &str, load: Load) -> Self {
        let offsets = PAGE.registers.iter().map(|register| register.offset).collect();
        Stimulus {
            random: rng(seed(0x4e65), name),
            load,
            offsets,
            held: 0,
            wait: 0,
            request: (0, None),
            density: 0.1,
        }
    }

    fn next_request(&mut self) {
        let random = &mut self.random;
        let mut offset = match random.random_range(0..12) {
            0 => BYTES * random.random_range(0..128),
            1 => LANE + BYTES * random.random_range(0..4),
            2..6 => COUNTERS.offset + BYTES * random.random_range(0..COUNTERS.names.len() as u32),
            10 | 11 => EVENT,
            _ => *self.offsets.choose(random).expect("not empty"),
        };
        let value = *[0, 0, u64::MAX, random.random(), random.random(), 1 << random.random_range(0..64)]
            .choose(random)
            .expect("not empty");
        let mut write = random.random_bool(0.4).then_some(value);
        if self.load == Load::Full {
            write = write.filter(|value| *value == 0 && random.random_bool(0.02));
        } else if random.random_bool(0.01) {
            (offset, write) = (CTRL, Some(1 << 5));
        }
        self.request = (offset, write);
        self.held = if random.random_bool(0.5) { 5 } else { 1 };
        self.wait = match self.load {
            Load::Full => 0,
            Load::Mixed => *[0, 0, 0, 0, 0, 0, 0, 3, 40].choose(random).expect("not empty"),
        };
    }

    pub fn clock(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if clock % 400 == 0 {
            self.density = *[0.0, 0.01, 0.3, 1.0].choose(&mut self.random).expect("not empty");
        }
        // A request is given for one clock or held up to its ack, 4 clocks later; the next comes after that.
        let phase = clock % 5;
        if phase == 0 && self.wait == 0 {
            self.next_request();
        } else if phase == 0 {
            self.wait -= 1;
        }
        let asks = self.held > 0;
        self.held = self.held.saturating_sub(1);
        let clear = self.load == Load::Mixed && self.random.random_bool(0.002);
        let (offset, write) = self.request;
        let inputs = [
            ("clear", clear.into()),
            ("addr", (offset / BYTES).into()),
            ("wdata", write.unwrap_or_default()),
            ("we", u64::from(asks && write.is_some())),
            ("re", u64::from(asks && write.is_none())),
        ];
        drive_all(bench, &inputs)?;

        let full = self.load == Load::Full;
        let density = self.density;
        let bits = |random: &mut Rng, count: u32| {
            (0..count).fold(0u64, |word, bit| word | u64::from(full || random.random_bool(density)) << bit)
        };
        let events = bits(&mut self.random, 39);
        let lane_errors = bits(&mut self.random, 4);
        let code_errors = bits(&mut self.random, 4);
        let several = SEVERAL.map(|_| bits(&mut self.random, 4).count_ones());
        let happened = bits(&mut self.random, 11);
        drive_all(bench, &[("events", events), ("lane_errors", lane_errors), ("code_errors", code_errors)])?;
        for (path, count) in SEVERAL.into_iter().zip(several) {
            drive_all(bench, &[(path, count.into())])?;
        }
        let lost = if full { 257 } else { self.random.random_range(0..=257) * u64::from(density > 0.2) };
        drive_all(bench, &[("lost_on_reset", lost)])?;
        for (path, _) in STATUS {
            let value = self.random.random();
            drive_all(bench, &[(path, value)])?;
        }
        let rare = (0..3).fold(happened, |bits, _| bits & self.random.random::<u64>());
        // A write of EVENT is carried out 4 clocks after its request: half of the events come with it, however rare they are.
        if phase != 4 || offset != EVENT || write.is_none() {
            drive_all(bench, &[("happened", rare)])?;
        }
        if self.random.random_bool(0.5) {
            let down = self.random.random::<u64>() & !7;
            drive_all(bench, &[("status", down)])?;
        }
        Ok(())
    }
}
