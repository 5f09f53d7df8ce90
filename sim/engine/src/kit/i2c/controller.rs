//! Starts transfers and gives the clock.

use super::{I2cDevice, I2cLevels, I2cPulls};
use crate::kit::Coverage;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum I2cTransfer {
    /// Octets to a target with a 7-bit address.
    Write(u8, Vec<u8>),
    /// So many octets from a target.
    Read(u8, usize),
    /// Octets to a target, then, after a repeated start, so many from it.
    WriteRead(u8, Vec<u8>, usize),
}

/// What became of a transfer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct I2cOutcome {
    /// The target acknowledged its address and every octet.
    pub acknowledged: bool,
    /// What was read.
    pub octets: Vec<u8>,
}

/// What the controller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start,
    Send(bool),
    /// The target must pull, else the transfer ends.
    Acknowledged,
    Receive,
    Stop,
}

/// A controller that runs transfers one after the other and waits for targets that stretch the clock.
pub struct I2cController {
    quarter: u32,
    transfers: VecDeque<I2cTransfer>,
    steps: VecDeque<Step>,
    phase: u32,
    timer: u32,
    pulls: I2cPulls,
    outcome: I2cOutcome,
    bits: Vec<bool>,
    outcomes: Rc<RefCell<Vec<I2cOutcome>>>,
    waited: u64,
}

impl I2cController {
    /// A controller whose bit takes four times `quarter` clocks of the bench (at least 2 each).
    pub fn new(quarter: u32, transfers: Vec<I2cTransfer>) -> Self {
        Self {
            quarter: quarter.max(2),
            transfers: transfers.into(),
            steps: VecDeque::new(),
            phase: 0,
            timer: 0,
            pulls: I2cPulls::default(),
            outcome: I2cOutcome::default(),
            bits: vec![],
            outcomes: Rc::default(),
            waited: 0,
        }
    }

    /// The outcomes so far; readable while the simulation runs.
    pub fn outcomes(&self) -> Rc<RefCell<Vec<I2cOutcome>>> {
        self.outcomes.clone()
    }

    fn begin(&mut self) {
        let Some(transfer) = self.transfers.pop_front() else { return };
        self.outcome = I2cOutcome { acknowledged: true, octets: vec![] };
        match transfer {
            I2cTransfer::Write(address, octets) => self.write(address, &octets),
            I2cTransfer::Read(address, count) => self.read(address, count),
            I2cTransfer::WriteRead(address, octets, count) => {
                self.write(address, &octets);
                self.read(address, count);
            }
        }
        self.steps.push_back(Step::Stop);
    }

    fn octet(&mut self, octet: u8) {
        self.steps.extend((0..8).rev().map(|bit| Step::Send(octet >> bit & 1 == 1)));
        self.steps.push_back(Step::Acknowledged);
    }

    fn write(&mut self, address: u8, octets: &[u8]) {
        self.steps.push_back(Step::Start);
        self.octet(address << 1);
        octets.iter().for_each(|octet| self.octet(*octet));
    }

    fn read(&mut self, address: u8, count: usize) {
        self.steps.push_back(Step::Start);
        self.octet(address << 1 | 1);
        for left in (0..count).rev() {
            self.steps.extend([Step::Receive; 8]);
            // The last octet is not acknowledged, so that the target lets go.
            self.steps.push_back(Step::Send(left == 0));
        }
    }

    /// Pulls of a phase of a step: four phases each.
    fn plan(step: Step, phase: u32, before: I2cPulls) -> I2cPulls {
        let pulls = |scl, sda| I2cPulls { scl, sda };
        match (step, phase) {
            (Step::Start, 0) => pulls(before.scl, false),
            (Step::Start, 1) => pulls(false, false),
            (Step::Start, 2) => pulls(false, true),
            (Step::Start, _) => pulls(true, true),
            (Step::Stop, 0) => pulls(true, true),
            (Step::Stop, 1) => pulls(false, true),
            (Step::Stop, _) => pulls(false, false),
            (Step::Send(bit), 0 | 3) => pulls(true, !bit),
            (Step::Send(bit), _) => pulls(false, !bit),
            (Step::Acknowledged | Step::Receive, 0 | 3) => pulls(true, false),
            (Step::Acknowledged | Step::Receive, _) => pulls(false, false),
        }
    }

    /// The middle of the high phase: the bit counts.
    fn sample(&mut self, step: Step, sda: bool) {
        match step {
            Step::Receive => {
                self.bits.push(sda);
                if self.bits.len() == 8 {
                    let octet = self.bits.drain(..).fold(0, |octet, bit| octet << 1 | u8::from(bit));
                    self.outcome.octets.push(octet);
                }
            }
            Step::Acknowledged if sda => {
                self.outcome.acknowledged = false;
                self.steps = VecDeque::from([step, Step::Stop]);
            }
            _ => {}
        }
    }
}

impl I2cDevice for I2cController {
    fn tick(&mut self, levels: I2cLevels) -> I2cPulls {
        if self.steps.is_empty() {
            self.begin();
        }
        let Some(step) = self.steps.front().copied() else { return I2cPulls::default() };
        let pulls = Self::plan(step, self.phase, self.pulls);
        let released = self.pulls.scl && !pulls.scl;
        self.pulls = pulls;
        // The high phases begin when the wire is high: a target may stretch the low one.
        if !pulls.scl && !levels.scl {
            self.waited += u64::from(!released);
            return pulls;
        }
        self.timer += 1;
        if self.timer < self.quarter {
            return pulls;
        }
        self.timer = 0;
        if self.phase == 1 {
            self.sample(step, levels.sda);
        }
        self.phase += 1;
        if self.phase == 4 {
            self.phase = 0;
            self.steps.pop_front();
            if self.steps.is_empty() {
                self.outcomes.borrow_mut().push(std::mem::take(&mut self.outcome));
            }
        }
        pulls
    }

    fn coverage(&self, name: &str, into: &mut Coverage) {
        into.add(format!("{name}.transfers"), self.outcomes.borrow().len() as u64);
        into.add(format!("{name}.clocks_waited"), self.waited);
    }
}
