//! `time_servo` clock by clock.

use crate::time::servo::{ServoActions, ServoEvents};
use crate::time::{Servo, ServoConfig};
use flitforge_protocol::time_servo::{
    ServoState, GAIN_BITS, KP_SHIFT, MAX_INTEGRATED_PERIODS, SERVO_ADJUST_CLOCKS, SERVO_DECIDE_CLOCKS,
};

/// A full sample of the tree that is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServoSample {
    /// Phase error, 1/256 ns.
    pub error: i32,
    /// First sample after another tree was followed.
    pub changed_tree: bool,
    /// V + ClockOffset - SyncTime, 1/256 ns, whole.
    pub difference: i128,
}

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServoInputs {
    /// `clear`.
    pub clear: bool,
    /// A sample.
    pub sample: Option<ServoSample>,
}

/// A change of the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjust {
    /// Added to F_ACC.
    Frequency(i64),
    /// SLEW_P for SLEW_N clocks.
    Slew(i64),
}

/// Outputs before an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServoOutputs {
    /// SyncTime is to be stepped by this, 1/256 ns.
    pub step: Option<i128>,
    /// Change of the rate.
    pub adjust: Option<Adjust>,
    /// State.
    pub state: ServoState,
    /// Last phase error.
    pub error: i32,
    /// Events.
    pub events: ServoEvents,
    /// An outlier was dropped.
    pub outlier: bool,
    /// A sample came while one was worked on, and was not used.
    pub late: bool,
}

#[derive(Debug, Clone, Copy)]
struct Job {
    sample: ServoSample,
    age: u64,
    periods: u64,
    actions: ServoActions,
    /// Clock at which the next result of the multiplier is there, and the clock after the last one.
    adjust_at: u64,
    end: u64,
}

/// The block.
#[derive(Debug, Clone)]
pub struct ClockedServo {
    servo: Servo,
    job: Option<Job>,
    due: bool,
    /// The state may have changed at the edge before.
    quiet: bool,
    outputs: ServoOutputs,
}

impl ClockedServo {
    /// In FREE.
    #[must_use]
    pub const fn new(config: ServoConfig) -> Self {
        let outputs = ServoOutputs {
            step: None,
            adjust: None,
            state: ServoState::Free,
            error: 0,
            events: ServoEvents { lock: false, holdover: false, invalid: false, outlier_run: false },
            outlier: false,
            late: false,
        };
        Self { servo: Servo::new(config), job: None, due: false, quiet: false, outputs }
    }

    /// Configuration. Gains, thresholds and times may only change together with `clear`.
    pub fn config_mut(&mut self) -> &mut ServoConfig {
        self.servo.config_mut()
    }

    /// The registers.
    #[must_use]
    pub const fn outputs(&self) -> ServoOutputs {
        self.outputs
    }

    /// An edge.
    pub fn clock(&mut self, inputs: ServoInputs) {
        let error = self.outputs.error;
        self.outputs = ServoOutputs { step: None, adjust: None, late: false, outlier: false, ..self.outputs };
        self.outputs.events = ServoEvents::default();
        let periods = self.servo.periods();
        let age = self.job.as_ref().map(|job| job.age);
        let deciding = age == Some(SERVO_DECIDE_CLOCKS);
        let used = deciding && self.decide();
        let expired = !deciding && self.due && self.expire();
        let quiet = deciding || expired;
        self.due = !quiet && !self.quiet && self.servo.expired();
        self.quiet = quiet;
        if !used {
            self.servo.wait(1);
        }
        self.outputs.error = error;
        self.work(inputs.sample, periods);
        self.outputs.state = self.servo.state();
        if inputs.clear {
            self.servo.clear();
            *self = Self { servo: self.servo.clone(), ..Self::new(*self.servo.config()) };
        }
    }

    /// The multiplier goes on; a sample is taken or comes too soon.
    fn work(&mut self, sample: Option<ServoSample>, periods: u64) {
        if let Some(job) = &mut self.job {
            job.age += 1;
            if job.age == SERVO_DECIDE_CLOCKS {
                // Counted one clock before it is used.
                job.periods = periods;
            }
            if job.age == job.adjust_at {
                self.outputs.adjust = job.next_adjust();
            }
            self.outputs.late = sample.is_some();
            if job.age == job.end {
                self.job = None;
            }
        } else if let Some(sample) = sample {
            self.outputs.error = sample.error;
            let end = SERVO_DECIDE_CLOCKS + 1;
            let actions = ServoActions::default();
            self.job = Some(Job { sample, age: 1, periods: 0, actions, adjust_at: u64::MAX, end });
        }
    }

    fn expire(&mut self) -> bool {
        self.outputs.events = self.servo.expire();
        self.outputs.events != ServoEvents::default()
    }

    /// True if the sample was used.
    fn decide(&mut self) -> bool {
        let Some(job) = &mut self.job else { return false };
        let outliers = self.servo.outliers();
        let silent = self.servo.silent_clocks();
        (job.actions, self.outputs.events) =
            self.servo.decide(job.sample.error, job.sample.changed_tree, job.periods);
        self.outputs.outlier = self.servo.outliers() != outliers;
        self.outputs.step = job.actions.step.then_some(job.sample.difference);
        let shift = match job.actions {
            ServoActions { slew: Some(_), .. } => u64::from(KP_SHIFT),
            // ACQ divides by 1, 2, 4 or 8 periods.
            ServoActions { f_move: Some(_), .. } => u64::from(job.periods.trailing_zeros()),
            _ => return silent != self.servo.silent_clocks(),
        };
        job.adjust_at = job.age + SERVO_ADJUST_CLOCKS + shift;
        job.end = job.adjust_at + 1;
        if job.actions.slew.is_some() && job.actions.f_move.is_some() {
            debug_assert!(job.periods <= MAX_INTEGRATED_PERIODS);
            job.end += SERVO_ADJUST_CLOCKS;
        }
        silent != self.servo.silent_clocks()
    }
}

impl Job {
    /// The result that is there now, and when the next will be.
    fn next_adjust(&mut self) -> Option<Adjust> {
        self.adjust_at += SERVO_ADJUST_CLOCKS;
        if let Some(slew) = self.actions.slew.take() {
            return Some(Adjust::Slew(slew));
        }
        self.actions.f_move.take().map(Adjust::Frequency)
    }
}

const _: () = assert!(SERVO_ADJUST_CLOCKS == GAIN_BITS as u64 + 3);
