//! Test traffic: source and checker.

use crate::node_cosim::plan;
use flitforge_elaborate::Value;
use flitforge_hdl::node::pattern::{PatternChecker, PatternSource, BEAT_BITS};
use flitforge_sim::cosim::{standard, StandardInterface};
use flitforge_sim::kit::{ClearDriver, FlowSource, Pace, Rng, Testbench};
use flitforge_sim::{PortValues, SimError};
use rand::Rng as _;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Clocks without a beat after every 64 beats.
const PAUSE: u64 = 12;

/// The beat of a number, from the table of the module `pattern`: 65 bits a flit, the type in its top bits.
fn beat(number: u32) -> Value {
    let body = |upper: u32, lower: u32| 1 << 64 | u128::from(upper) << 32 | u128::from(lower);
    let first = match number % 16 {
        0 => 1 << 63 | u128::from(number),
        15 => 1 << 62 | u128::from(number),
        _ => body(!number, number),
    };
    let second = match number % 16 {
        15 => 0,
        _ => body(number ^ 0xA5C3_F00F, !number ^ 0x5A0F_3C69),
    };
    let low = first | second << 65;
    Value::from_words(BEAT_BITS as u32, &[low as u64, (low >> 64) as u64, (second >> 63) as u64])
}

/// The next beat may be offered when the last is taken, after a 64th `PAUSE` clocks after the clock in which that
/// was first offered.
#[derive(Default)]
struct Source {
    clock: u64,
    next: u32,
    earliest: u64,
    offered: Option<u32>,
}

impl Source {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("beats.valid", self.offered.is_some())?;
        if let Some(number) = self.offered {
            outputs.set("beats.data", beat(number))?;
        }
        self.clock += 1;
        if self.offered.is_none() || inputs.bit("beats.ready")? {
            self.offered = (self.clock >= self.earliest).then_some(self.next);
            if self.offered.is_some() {
                if self.next % 64 == 63 {
                    self.earliest = self.clock + PAUSE + 1;
                }
                self.next = self.next.wrapping_add(1);
            }
        }
        if inputs.bit("clear")? {
            *self = Self { clock: self.clock, ..Self::default() };
        }
        Ok(())
    }
}

#[test]
fn source() {
    let mut model = Source::default();
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        standard(&StandardInterface { clears: vec!["clear".into()], ..Default::default() }, testbench, seed)
    };
    plan("pattern_source", PatternSource::default, stimulus)
        .cover(&["beats.transfers", "beats.held", "clear.pulses"])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .run()
        .expect("equal");
}

/// Mostly the beats the checker waits for; now and then a wrong bit, a gap, a beat twice, anything.
fn arrival(random: &mut Rng, next: &mut u32) -> Value {
    match random.random_range(0..200) {
        0 => *next = random.random(),
        1 => *next = next.wrapping_add(random.random_range(1..1_000)),
        2 => *next = next.wrapping_sub(1),
        3 => *next = 0,
        4 => *next ^= 1 << random.random_range(0..32),
        _ => {}
    }
    let mut value = beat(*next);
    if random.random_ratio(1, 30) {
        let bit = random.random_range(0..BEAT_BITS as u32);
        value.set_bit(bit, !value.bit(bit));
    }
    *next = next.wrapping_add(1);
    value
}

fn arrivals<'a>(testbench: &mut Testbench<'a>, seed: u64) -> Result<(), SimError> {
    let clear = ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.002, 1..=3);
    let mut next = 0;
    let source = FlowSource::new(testbench.bench(), "beats", seed)?
        .pace(Pace::mixed())
        .items(move |random, _| Some(arrival(random, &mut next)));
    testbench.add(clear).add(source);
    Ok(())
}

/// A beat is judged as it arrives; what is found shows three clocks later, unless `clear` comes between.
struct Checker {
    following: u32,
    /// Good, wrong, gap of the beats of the last three clocks.
    pipeline: VecDeque<[bool; 3]>,
    seen: Rc<Cell<[u64; 3]>>,
}

impl Checker {
    fn new(seen: Rc<Cell<[u64; 3]>>) -> Self {
        Self { following: 0, pipeline: VecDeque::from([[false; 3]; 3]), seen }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let shown = self.pipeline.pop_front().unwrap_or_default();
        let mut seen = self.seen.get();
        for ((name, pulse), count) in ["good", "wrong", "gap"].iter().zip(shown).zip(&mut seen) {
            outputs.set_bit(name, pulse)?;
            *count += u64::from(pulse);
        }
        self.seen.set(seen);
        let mut found = [false; 3];
        if inputs.bit("beats.valid")? {
            let arrived = inputs.get("beats.data")?;
            let number = arrived.low_u64() as u32;
            let right = arrived == beat(number);
            found = [right, !right, number != self.following];
            self.following = number.wrapping_add(1);
        }
        self.pipeline.push_back(found);
        if inputs.bit("clear")? {
            *self = Self::new(self.seen.clone());
        }
        Ok(())
    }
}

#[test]
fn checker() {
    let seen = Rc::new(Cell::new([0; 3]));
    let mut model = Checker::new(seen.clone());
    plan("pattern_checker", PatternChecker::default, arrivals)
        .cover(&["beats.items", "clear.pulses"])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .run()
        .expect("equal");
    let [good, wrong, gap] = seen.get();
    assert!(good > 10_000 && wrong > 500 && gap > 200, "{good} good, {wrong} wrong, {gap} gaps: too few");
}
