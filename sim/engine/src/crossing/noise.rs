//! Chooses between old and new values.

use super::{UncertainDesign, LATE_PORT};
use crate::bench::Bench;
use crate::error::SimError;
use crate::kit::{rng, Agent, Coverage, Rng, Testbench};
use crate::port::PortHandle;
use crate::watch::Watch;
use flitforge_elaborate::Value;
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Drives [`LATE_PORT`] of an [`UncertainDesign`]. It must be added after all agents that drive inputs: it looks
/// at the data as they will be on the edge.
pub struct CrossingNoise {
    state: Rc<RefCell<State>>,
    clocks: Vec<String>,
}

struct State {
    port: PortHandle,
    watch: Watch,
    row: Vec<u64>,
    bits: Vec<Bit>,
    late: Value,
    rng: Rng,
    probability: f64,
    changes: u64,
    delayed: u64,
}

/// One bit of a crossing register.
struct Bit {
    /// Its word and place in the watched row.
    word: usize,
    shift: u32,
    clock: usize,
    now: bool,
    /// It changed since its clock's last edge, so that the old value may be taken.
    fresh: bool,
}

impl CrossingNoise {
    /// Noise for a bench of `uncertain.design`: a fresh bit is delayed with this probability (0.0 to 1.0).
    pub fn new(
        bench: &mut dyn Bench,
        uncertain: &UncertainDesign,
        probability: f64,
        seed: u64,
    ) -> Result<Self, SimError> {
        let port = bench.port(LATE_PORT)?;
        let paths: Vec<&str> = uncertain.registers.iter().map(|register| register.data.as_str()).collect();
        let watch = bench.watch(&paths)?;
        let mut clocks: Vec<String> = vec![];
        let mut bits = vec![];
        for (register, signal) in uncertain.registers.iter().zip(watch.signals()) {
            let clock = clocks.iter().position(|clock| *clock == register.clock).unwrap_or_else(|| {
                clocks.push(register.clock.clone());
                clocks.len() - 1
            });
            bits.extend((0..register.width).map(|bit| Bit {
                word: signal.at + (bit / 64) as usize,
                shift: bit % 64,
                clock,
                now: false,
                fresh: false,
            }));
        }
        let late = Value::zero(bench.width(port));
        let probability = probability.clamp(0.0, 1.0);
        let rng = rng(seed, LATE_PORT);
        let (row, changes, delayed) = (vec![], 0, 0);
        let mut state = State { port, watch, row, bits, late, rng, probability, changes, delayed };
        state.look(bench);
        state.bits.iter_mut().for_each(|bit| bit.fresh = false);
        state.changes = 0;
        Ok(Self { state: Rc::new(RefCell::new(state)), clocks })
    }

    /// Adds the noise to a test bench.
    pub fn add_to(self, testbench: &mut Testbench<'_>) -> Result<(), SimError> {
        testbench.add(Look(self.state.clone()));
        for (clock, path) in self.clocks.iter().enumerate() {
            testbench.add_on(path, Choose { state: self.state.clone(), clock })?;
        }
        Ok(())
    }
}

impl State {
    /// Notes which bits changed since the last look. Of the bits for one clock only those of the last change stay
    /// in doubt: what changed before has been stable for a while, and a Gray code that moved twice is not torn.
    fn look(&mut self, bench: &dyn Bench) {
        bench.read_watch(&self.watch, &mut self.row);
        let row = &self.row;
        let value = |bit: &Bit| row[bit.word] >> bit.shift & 1 == 1;
        let moved: BTreeSet<usize> =
            self.bits.iter().filter(|bit| value(bit) != bit.now).map(|bit| bit.clock).collect();
        for bit in self.bits.iter_mut().filter(|bit| moved.contains(&bit.clock)) {
            bit.fresh = value(bit) != bit.now;
            bit.now = value(bit);
            self.changes += u64::from(bit.fresh);
        }
    }

    /// An edge of a clock comes: its fresh bits are old or new, and settled afterwards.
    fn choose(&mut self, clock: usize) {
        for (index, bit) in (0u32..).zip(&mut self.bits).filter(|(_, bit)| bit.clock == clock) {
            let late = bit.fresh && self.rng.random_bool(self.probability);
            self.late.set_bit(index, late);
            self.delayed += u64::from(late);
            bit.fresh = false;
        }
    }
}

/// Looks at the data before every edge.
struct Look(Rc<RefCell<State>>);

impl Agent for Look {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        bench.settle()?;
        self.0.borrow_mut().look(bench);
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        let state = self.0.borrow();
        into.add("crossings.changes", state.changes);
        into.add("crossings.delayed", state.delayed);
    }
}

/// Chooses on the edges of one clock.
struct Choose {
    state: Rc<RefCell<State>>,
    clock: usize,
}

impl Agent for Choose {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut state = self.state.borrow_mut();
        state.choose(self.clock);
        bench.set(state.port, &state.late);
        Ok(())
    }
}
