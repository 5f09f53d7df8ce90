//! Nothing lost, nothing invented, nothing altered, nothing overtaken.

use super::testbench::Agent;
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use flitforge_elaborate::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Clocks between an item's way in and its way out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// Items measured.
    pub items: u64,
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// Sum over all items.
    pub total: u64,
}

impl Latency {
    /// Adds one item.
    pub fn add(&mut self, clocks: u64) {
        self.min = if self.items == 0 { clocks } else { self.min.min(clocks) };
        self.max = self.max.max(clocks);
        self.total += clocks;
        self.items += 1;
    }

    /// Mean in clocks; 0 without items.
    pub fn mean(&self) -> f64 {
        if self.items == 0 {
            0.0
        } else {
            self.total as f64 / self.items as f64
        }
    }
}

/// Items that have gone in and must come out, in order.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    name: String,
    waiting: VecDeque<(u64, Value)>,
    pushed: u64,
    checked: u64,
    flushed: u64,
    latency: Latency,
}

impl Scoreboard {
    /// An empty scoreboard; `name` is used in messages.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            waiting: VecDeque::new(),
            pushed: 0,
            checked: 0,
            flushed: 0,
            latency: Latency::default(),
        }
    }

    /// An item that must come out went in on edge `clock`.
    pub fn push(&mut self, clock: u64, value: Value) {
        self.waiting.push_back((clock, value));
        self.pushed += 1;
    }

    /// An item came out on edge `clock`.
    pub fn check(&mut self, clock: u64, value: &Value) -> Result<(), SimError> {
        let problem = match self.waiting.pop_front() {
            Some((entered, expected)) if expected == *value => {
                self.latency.add(clock.saturating_sub(entered));
                self.checked += 1;
                return Ok(());
            }
            Some((entered, expected)) => {
                let later = self.waiting.iter().position(|(_, item)| item == value);
                let hint = match later {
                    Some(position) => format!("; that is the item {} later: lost items", position + 1),
                    None => "; no waiting item is equal: altered or invented".into(),
                };
                format!(
                    "item {} is {value:x}, expected {expected:x} (in at clock {entered}){hint}",
                    self.checked
                )
            }
            None => format!("item {} ({value:x}) came out, but nothing is inside: invented", self.checked),
        };
        Err(SimError::Scoreboard { clock, board: self.name.clone(), problem })
    }

    /// Forgets what is inside: the block was cleared.
    pub fn flush(&mut self) {
        self.flushed += self.waiting.len() as u64;
        self.waiting.clear();
    }

    /// An error if anything has not come out.
    pub fn expect_empty(&self, clock: u64) -> Result<(), SimError> {
        match self.waiting.front() {
            None => Ok(()),
            Some((entered, value)) => Err(SimError::Scoreboard {
                clock,
                board: self.name.clone(),
                problem: format!(
                    "{} items never came out; the first is {value:x}, in at clock {entered}",
                    self.waiting.len()
                ),
            }),
        }
    }

    /// Items inside.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Items that went in.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Items that came out right.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// Items dropped by clears.
    pub fn flushed(&self) -> u64 {
        self.flushed
    }

    /// Clocks from way in to way out.
    pub fn latency(&self) -> Latency {
        self.latency
    }
}

/// A scoreboard shared by the agents that fill it and the agents that check against it. Added to a test
/// bench itself (after sources and sinks), it forgets its items whenever the block is cleared.
#[derive(Clone, Debug)]
pub struct SharedScoreboard {
    board: Rc<RefCell<Scoreboard>>,
    clear: Option<PortHandle>,
}

impl SharedScoreboard {
    /// An empty scoreboard; `name` is used in messages.
    pub fn new(name: &str) -> Self {
        Self { board: Rc::new(RefCell::new(Scoreboard::new(name))), clear: None }
    }

    /// The scoreboard flushes on every edge on which the input `clear` is 1.
    pub fn flushed_by(mut self, bench: &dyn Bench, clear: &str) -> Result<Self, SimError> {
        self.clear = Some(bench.port(clear)?);
        Ok(self)
    }

    /// Works on the scoreboard.
    pub fn with<R>(&self, work: impl FnOnce(&mut Scoreboard) -> R) -> R {
        work(&mut self.board.borrow_mut())
    }
}

impl Agent for SharedScoreboard {
    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.clear.is_some_and(|clear| bench.get_bit(clear)) {
            self.with(Scoreboard::flush);
        }
        Ok(())
    }
    fn coverage(&self, into: &mut super::Coverage) {
        self.with(|board| {
            into.add(format!("{}.items", board.name), board.checked);
            into.add(format!("{}.flushed_by_clear", board.name), board.flushed);
        });
    }
}
