//! The register page clock by clock (chapter 20, 5), from the page's description.
//!
//! It knows nothing of how the hardware keeps its counters: a counter is a number that every event raises at once. That a counter
//! is read when its turn comes is part of the interface, because it says when `ack` comes.
//!
//! | module | is |
//! |---|---|
//! | [`device`] | the register bus and the device's own registers |
//! | [`windows`] | the windows of a tree, of a port, of the rings |

pub mod device;
pub mod windows;

pub use device::{DeviceInputs, DeviceOutputs, DevicePage, SourceLevels};
pub use windows::{PoppedSample, PortPage, PortStatus, RingPage, TreePage, TreeStatus};

use flitforge_protocol::register::{Access, Reset};
use flitforge_protocol::time_registers::{COUNTER_BITS, PAGE};
use std::collections::BTreeMap;

/// Places of a group of counters: each has its turn once in so many clocks.
const PLACES: u32 = 16;
/// Largest value of a counter.
const COUNTER_MAX: u64 = (1 << COUNTER_BITS) - 1;

/// A request as a window sees it, in every clock until its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowInputs {
    /// `clear`.
    pub clear: bool,
    /// It comes in this clock.
    pub request: bool,
    /// Word of the window.
    pub word: u32,
    /// The value of a write.
    pub write: Option<u64>,
}

/// Clocks since a request came.
#[derive(Debug, Clone, Copy, Default)]
struct Pace(Option<u32>);

impl Pace {
    /// The clock of the request that this is: 0 to 2.
    fn clock(&mut self, request: bool, clear: bool) -> Option<u32> {
        let now = if request && !clear { Some(0) } else { self.0 };
        self.0 = now.filter(|age| !clear && *age < 2).map(|age| age + 1);
        now
    }
}

/// Registers that keep what is written.
#[derive(Debug, Clone, Default)]
struct Kept(BTreeMap<u32, u64>);

fn mask_of(offset: u32) -> u64 {
    PAGE.register_at(offset).map_or(0, |(register, _)| register.mask(Access::is_kept))
}

impl Kept {
    /// As the description has them after power-on; `built` says the rest.
    fn new(offsets: &[u32], built: &BTreeMap<u32, u64>) -> Self {
        let reset = |offset: u32| match PAGE.register_at(offset).map(|(register, _)| register.reset) {
            Some(Reset::Value(value)) => value,
            _ => built.get(&offset).copied().unwrap_or(0),
        };
        Kept(offsets.iter().map(|offset| (*offset, reset(*offset) & mask_of(*offset))).collect())
    }

    fn get(&self, offset: u32) -> u64 {
        self.0.get(&offset).copied().unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u64) {
        if let Some(kept) = self.0.get_mut(&offset) {
            *kept = value & mask_of(offset);
        }
    }
}

/// A group of counters and the turn of each.
#[derive(Debug, Clone)]
struct Counters {
    values: Vec<u64>,
    /// Place of the first one.
    first: u32,
    turn: u32,
    /// Place wanted, and whether it becomes 0.
    waits: Option<(u32, bool)>,
    on_way: [Option<u64>; 2],
}

impl Counters {
    /// `None`: there are none; their places read 0.
    fn new(count: usize, first: u32, started: Option<u32>) -> Self {
        let values = started.map_or_else(Vec::new, |started| vec![u64::from(started); count]);
        Counters { values, first, turn: 0, waits: None, on_way: [None; 2] }
    }

    /// A clock: the answer that stands in it, then the edge.
    fn clock(&mut self, clear: bool, request: Option<(u32, bool)>, events: &[u64]) -> Option<u64> {
        let answer = self.on_way[1];
        let hit = self.waits.filter(|(place, _)| *place == self.turn);
        let found = hit.map(|(place, zero)| {
            let index = place.wrapping_sub(self.first) as usize;
            let Some(value) = self.values.get_mut(index) else { return 0 };
            if zero {
                *value = 0;
            }
            *value
        });
        self.waits = self.waits.filter(|_| hit.is_none()).or(request).filter(|_| !clear);
        self.on_way = [found.filter(|_| !clear), self.on_way[0].filter(|_| !clear)];
        for (value, events) in self.values.iter_mut().zip(events) {
            *value = (*value + events).min(COUNTER_MAX);
        }
        self.turn = (self.turn + 1) % PLACES;
        answer
    }
}
