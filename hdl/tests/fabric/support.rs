//! What the tests of this folder share.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::registry::{find, Settings};
use flitforge_sim::kit::{Agent, Coverage};
use flitforge_sim::{Bench, PortHandle, SimError};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A registered block.
pub fn build(block: &str, settings: &[(&str, u64)]) -> Box<dyn DriveBlock> {
    let entry = find(block).expect("registered");
    let settings: Vec<(String, u64)> =
        settings.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    (entry.build)(&Settings::new(entry, None, &settings).expect("settings")).expect("builds").block
}

/// An error of a test.
pub fn failed(clock: u64, problem: String) -> SimError {
    SimError::Check { clock, problem }
}

/// How often things came about, over all runs of a test.
#[derive(Clone, Default)]
pub struct Seen(Rc<RefCell<BTreeMap<String, u64>>>);

impl Seen {
    pub fn count(&self, what: &str) {
        *self.0.borrow_mut().entry(what.into()).or_default() += 1;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.0.borrow().get(what).copied().unwrap_or(0)
    }

    /// Prints the counts; none of these may be below its number.
    pub fn require(&self, wanted: &[(&str, u64)]) {
        println!("{:?}", self.0.borrow());
        let missing: Vec<_> = wanted.iter().filter(|(what, count)| self.of(what) < *count).collect();
        assert!(missing.is_empty(), "came about too rarely: {missing:?}");
    }
}

/// What must come and what came, whichever is first.
pub struct Compare<T> {
    what: &'static str,
    expected: VecDeque<T>,
    came: VecDeque<T>,
    equal: u64,
}

impl<T: PartialEq + std::fmt::Debug> Compare<T> {
    pub fn new(what: &'static str) -> Self {
        Compare { what, expected: VecDeque::new(), came: VecDeque::new(), equal: 0 }
    }

    pub fn expect(&mut self, item: T) {
        self.expected.push_back(item);
    }

    pub fn came(&mut self, item: T) {
        self.came.push_back(item);
    }

    /// Compares what is known on both sides.
    pub fn check(&mut self, clock: u64) -> Result<(), SimError> {
        while !self.expected.is_empty() && !self.came.is_empty() {
            let (expected, came) = (self.expected.pop_front(), self.came.pop_front());
            if expected != came {
                let problem = format!("{} {}: {came:x?}, expected {expected:x?}", self.what, self.equal);
                return Err(failed(clock, problem));
            }
            self.equal += 1;
        }
        Ok(())
    }

    /// Everything that must come has come, and nothing else.
    pub fn finish(&self) {
        assert!(self.expected.is_empty(), "{}: {} never came", self.what, self.expected.len());
        assert!(self.came.is_empty(), "{}: {} came unasked", self.what, self.came.len());
    }

    pub fn clear(&mut self) {
        (self.expected, self.came) = Default::default();
    }
}

/// Calls an action on every clock on which an output or input of one bit is 1.
pub struct OnBit<A> {
    port: PortHandle,
    action: A,
}

impl<A: FnMut(u64) -> Result<(), SimError>> OnBit<A> {
    pub fn new(bench: &dyn Bench, path: &str, action: A) -> Result<Self, SimError> {
        Ok(OnBit { port: bench.port(path)?, action })
    }
}

impl<A: FnMut(u64) -> Result<(), SimError>> Agent for OnBit<A> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.port) {
            (self.action)(clock)?;
        }
        Ok(())
    }

    fn coverage(&self, _: &mut Coverage) {}
}
