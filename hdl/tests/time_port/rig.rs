//! A pair at work: numbered flits both ways, Lows from the rings' copy registers, what becomes of them at the other end.

use crate::time_port::pair::TimePair;
use flitforge_model::time::{RingContent, RingSlot, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::time::master_time_low;
use flitforge_protocol::time_registers::PORT_COUNTERS;
use flitforge_protocol::time_ring::Embed;
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, seed, Rng as KitRng};
use flitforge_testkit::{compiled, Clocked, CompiledBlock, ErrorPorts, FlitWay, Pins, WordError};
use rand::Rng;
use std::sync::{Arc, OnceLock};

/// Core and word clock: 6.25 ns, a whole number of 1/16 ns.
pub const CORE_FS: u64 = 6_250_000;
/// A clock in 1/16 ns.
pub const CLOCK_SIXTEENTHS: i64 = 100;
/// INC_F, 6.32 ns, and WPER, 6.20 ns.
const INC: u64 = 0x6_4000_0000;
const PERIOD: u64 = 0x64_0000;
/// Clocks in which both ends are up, or measured.
const LIMIT: u64 = 400_000;
/// Stop that the tree's copies come from.
const SOURCE: u8 = 1;
/// Clocks from a copy to the plane X that its value is for: one to the core register, those of `time_inject`, whose end is the edge.
const COPY_TO_X: i64 = 2;
/// Clocks from plane R to `low`: those of `time_extract`.
const R_TO_LOW: i64 = 3;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let mut pair = TimePair::new(CORE_FS);
        rust_hdl::prelude::Block::connect_all(&mut pair);
        compiled("time_pair", &pair)
    })
}

/// One direction's traffic and time flits, by the end they start from.
#[derive(Default)]
pub struct Way {
    /// Chance per clock that a flit is offered.
    pub pace: f64,
    /// Chance per clock of a Low, from 300 clocks after the one before.
    pub lows: f64,
    /// Chance per clock of a wrong bit.
    pub errors: f64,
    next_copy: u64,
    /// Of each Low that came: true time less value, R less X, 1/16 ns.
    pub passed: Vec<i64>,
    pub copies: u64,
    pub highs: u64,
}

pub struct Rig {
    pub block: CompiledBlock,
    pub clock: u64,
    pub random: KitRng,
    pub ways: [Way; 2],
    pub flits: [FlitWay; 2],
    errors: [ErrorPorts; 2],
    /// By end: the port's counters.
    pub counters: [[u64; PORT_COUNTERS.names.len()]; 2],
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        for end in 0..2 {
            let pace = self.ways[end].pace;
            let new = !self.flits[end].is_offering() && pace > 0.0 && self.random.random_bool(pace);
            self.flits[end].drive(&mut self.block.instance, new);
            self.copy(end);
            let errors = self.ways[end].errors;
            let wrong = errors > 0.0 && self.random.random_bool(errors);
            let bit = self.random.random_range(0..32);
            let error = WordError { lanes: wrong.into(), mask: 1 << bit };
            self.errors[end].drive(&mut self.block.instance, error);
        }
        for end in 0..2 {
            self.take(end);
        }
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    pub fn new(name: &str, delays: [u64; 2]) -> Self {
        let mut rig = Self {
            block: CompiledBlock::new(program()),
            clock: 0,
            random: rng(seed(0x7153), name),
            ways: Default::default(),
            flits: FlitWay::both(program()),
            errors: [0, 1].map(|end| ErrorPorts::of(program(), end)),
            counters: Default::default(),
        };
        for (end, delay) in delays.into_iter().enumerate() {
            rig.set(&format!("delay[{end}]"), delay);
            rig.set(&format!("hold_on_epoch[{end}]"), 1);
            rig.set(&format!("ldm_auto[{end}]"), 1);
        }
        rig.set("sources", u64::from(SOURCE));
        rig.set("inc_f", INC);
        rig.set("period", PERIOD);
        rig.pulse("clear");
        rig.run(40);
        rig
    }

    /// A signed output of 32 bits.
    pub fn signed(&mut self, name: &str) -> i64 {
        i64::from(self.get(name) as u32 as i32)
    }

    pub fn enable(&mut self, end: usize) {
        self.set(&format!("addr[{end}]"), u64::from(CTRL / 8));
        self.set(&format!("wdata[{end}]"), 1 << ctrl::enable::LOW);
        self.pulse(&format!("we[{end}]"));
        self.run(8);
    }

    pub fn retrain(&mut self, end: usize) {
        self.set(&format!("wdata[{end}]"), 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW);
        self.pulse(&format!("we[{end}]"));
        self.run(20);
    }

    pub fn is_up(&mut self, end: usize) -> bool {
        self.get(&format!("state[{end}]")) == u64::from(LinkState::Active.code())
    }

    /// Both ends Active and measured.
    pub fn come_up(&mut self) {
        self.until("Active", LIMIT, |rig| rig.is_up(0) && rig.is_up(1));
        self.measured();
    }

    pub fn measured(&mut self) {
        self.until("measured", LIMIT, |rig| {
            (0..2).all(|end| {
                let epochs = ["link_epoch", "measured_epoch"].map(|name| rig.get(&format!("{name}[{end}]")));
                epochs[0] == epochs[1] && rig.get(&format!("done[{end}]")) == 1
            })
        });
    }

    /// A Low, or a High after it, in the copy register of the clockwise ring.
    fn copy(&mut self, end: usize) {
        let way = &mut self.ways[end];
        let low = way.lows > 0.0 && self.clock >= way.next_copy && self.random.random_bool(way.lows);
        let mut content = None;
        if low {
            let sixteenths = self.clock.wrapping_mul(CLOCK_SIXTEENTHS as u64);
            let value = TimeValue::from_sixteenths(sixteenths);
            content = Some(RingContent::Low(TimeLow { value, tree: 0, era: 1 }));
            way.next_copy = self.clock + 300;
            way.copies += 1;
        } else if self.clock + 299 == way.next_copy && way.copies % 3 == 0 {
            let time = (way.copies & 0xFFFF_FFFF) as u32;
            content = Some(RingContent::High(TimeHigh { time, index: 7, tree: 0, era: 1, quality: 1 }));
        }
        self.set(&format!("copy[{end}].valid"), content.is_some().into());
        let Some(content) = content else { return };
        let bits = RingSlot::new(content, SOURCE, 0).encode(Embed::Value).expect("fits");
        let data = bits & ((1 << Embed::Value.data_bits()) - 1);
        self.set(&format!("copy[{end}].data"), data as u64);
        self.set(&format!("copy_control[{end}]"), (bits >> Embed::Value.data_bits()) as u64);
    }

    /// What comes to `end` in this clock.
    fn take(&mut self, end: usize) {
        let far = 1 - end;
        self.flits[end].take(&mut self.block.instance);
        self.flits[far].receive(&mut self.block.instance);
        if self.get(&format!("low[{end}].valid")) == 1 {
            let payload = u128::from(self.get(&format!("low[{end}].data")));
            let value = (master_time_low::time::FIELD.get(payload) as i64) << 4
                | master_time_low::frac::FIELD.get(payload) as i64;
            // A copy's value is the clock that it is made in, and what it waits for is added to it: whichever Low this is, its
            // value is the time at X.
            let at_receiver = (self.clock as i64 - R_TO_LOW - COPY_TO_X) * CLOCK_SIXTEENTHS;
            let way = &mut self.ways[far];
            way.passed.push(at_receiver - value);
            assert!(way.passed.len() as u64 <= way.copies, "more Lows than were copied");
        }
        if self.get(&format!("high[{end}].valid")) == 1 {
            self.ways[far].highs += 1;
        }
        for counter in 0..PORT_COUNTERS.names.len() {
            let events = self.get(&format!("events_of_{end}[{counter}]"));
            self.counters[end][counter] += u64::from(events.count_ones());
        }
    }

    pub fn counter(&self, end: usize, name: &str) -> u64 {
        let place = PORT_COUNTERS.names.iter().position(|counter| *counter == name).expect("a counter");
        self.counters[end][place]
    }

    /// Everything sent has come.
    pub fn drain(&mut self) {
        for way in &mut self.ways {
            (way.pace, way.lows, way.errors) = (0.0, 0.0, 0.0);
        }
        self.run(20_000);
        self.flits.iter().for_each(FlitWay::check_done);
    }
}

/// A value as the wave viewer and messages show it.
pub fn spread(passed: &[i64]) -> (i64, i64) {
    (*passed.iter().min().expect("some"), *passed.iter().max().expect("some"))
}
