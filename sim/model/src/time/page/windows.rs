//! The windows of the page.

use super::{Counters, Kept, Pace, WindowInputs};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers::{
    self as page, epoch, lag, ldm_ctl, ldm_mean, ldm_range, master_full, master_high, master_low, ring_cfg,
    role, smp_err, smp_pop, smp_stat,
};
use flitforge_protocol::Field;
use std::collections::BTreeMap;

fn put(fields: &[(Field, u64)]) -> u64 {
    fields.iter().fold(0, |word, &(field, value)| field.set(word, value)) as u64
}

fn get(value: u64, field: Field) -> u64 {
    field.get(value.into())
}

/// What is the same in every window: when a request is carried out and answered.
#[derive(Debug, Clone)]
struct Window {
    pace: Pace,
    counters: Counters,
    /// Words that are counters.
    places: std::ops::Range<u32>,
    answer: Option<u64>,
}

/// What a window does in this clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Nothing,
    Asked,
    Write(u64),
    /// It looks at its registers; what it finds goes to `Window::end`.
    Look,
}

impl Window {
    fn new(counters: Counters, places: std::ops::Range<u32>) -> Self {
        Window { pace: Pace::default(), counters, places, answer: None }
    }

    /// The answer of this clock, what is done in it, and the answer of a counter.
    fn begin(&mut self, inputs: &WindowInputs, events: &[u64]) -> (Option<u64>, Step, Option<u64>) {
        let age = self.pace.clock(inputs.request, inputs.clear);
        let counter = self.places.contains(&inputs.word);
        let wanted = (age == Some(1) && counter).then_some((inputs.word % 16, inputs.write == Some(0)));
        let counted = self.counters.clock(inputs.clear, wanted, events);
        let step = match (age, inputs.write) {
            (Some(0), None) => Step::Asked,
            (Some(1), Some(value)) => Step::Write(value),
            (Some(2), _) if !counter => Step::Look,
            _ => Step::Nothing,
        };
        (self.answer.take(), step, counted)
    }

    /// What was found is answered in the next clock; a write answers 0.
    fn end(&mut self, inputs: &WindowInputs, found: Option<u64>) {
        let value = |found: u64| if inputs.write.is_some() { 0 } else { found };
        self.answer = found.filter(|_| !inputs.clear).map(value);
    }
}

/// The sample of the last pop, as the slave shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoppedSample {
    /// MASTER_HIGH.
    pub high: u64,
    /// MASTER_LOW without `full`.
    pub low: u64,
    /// Joined with a High.
    pub full: bool,
    /// time\[63:40\] is High's plus one.
    pub carry: bool,
    /// LocalTime, ns and 2^-32 ns.
    pub local: (u64, u32),
    /// Phase error.
    pub error: u32,
}

/// What the slave shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeStatus {
    /// Shadow.
    pub sample: PoppedSample,
    /// The last pop found one.
    pub popped: bool,
    /// Samples in the FIFO.
    pub level: u64,
    /// ERA_CUR, if it is known.
    pub era: (u64, bool),
    /// Events of SMP_OK, SMP_OVER, OVERLAP_BAD, OLD_ERA, BAD_ERA, NO_HIGH.
    pub events: [u64; 6],
}

/// The window of a tree.
#[derive(Debug, Clone)]
pub struct TreePage {
    window: Window,
    kept: Kept,
    overflow: bool,
}

impl TreePage {
    /// With counters at `started`, or without.
    #[must_use]
    pub fn new(started: Option<u32>) -> Self {
        let first = (page::TREE_COUNTERS.offset - page::TREE) / BYTES;
        let counters = Counters::new(page::TREE_COUNTERS.names.len(), first, started);
        let places = first..first + page::TREE_COUNTERS.names.len() as u32;
        let offsets = [page::SMP_STAT, page::CLOCK_OFFSET0, page::CLOCK_OFFSET1];
        let kept = Kept::new(&offsets, &BTreeMap::new());
        TreePage { window: Window::new(counters, places), kept, overflow: false }
    }

    /// CLOCK_OFFSET of both banks, and which are valid.
    #[must_use]
    pub fn offsets(&self) -> ([u64; 2], u64) {
        let valid = get(self.kept.get(page::SMP_STAT), smp_stat::valid::FIELD);
        ([page::CLOCK_OFFSET0, page::CLOCK_OFFSET1].map(|offset| self.kept.get(offset)), valid)
    }

    /// A clock: its answer, and whether it pops.
    pub fn clock(&mut self, inputs: &WindowInputs, status: &TreeStatus) -> (Option<u64>, bool) {
        let offset = page::TREE + inputs.word * BYTES;
        let (answer, step, mut found) = self.window.begin(inputs, &status.events);
        if let Step::Write(value) = step {
            self.kept.write(offset, value);
            self.overflow &= offset != page::SMP_STAT || get(value, smp_stat::overflow::FIELD) == 1;
        }
        if step == Step::Look {
            found = Some(self.read(offset, status));
        }
        self.overflow |= status.events[1] > 0;
        self.window.end(inputs, found);
        (answer, step == Step::Asked && offset == page::SMP_POP)
    }

    fn read(&self, offset: u32, status: &TreeStatus) -> u64 {
        let sample = &status.sample;
        match offset {
            page::SMP_STAT => {
                let own = put(&[
                    (smp_stat::level::FIELD, status.level),
                    (smp_stat::overflow::FIELD, self.overflow.into()),
                    (smp_stat::era::FIELD, status.era.0),
                    (smp_stat::era_known::FIELD, status.era.1.into()),
                ]);
                own | self.kept.get(offset)
            }
            page::SMP_POP => put(&[(smp_pop::valid::FIELD, status.popped.into())]),
            page::MASTER_HIGH => sample.high,
            page::MASTER_LOW => sample.low | put(&[(master_low::full::FIELD, sample.full.into())]),
            page::MASTER_FULL if sample.full => {
                let above = (get(sample.high, master_high::time::FIELD) >> 8) + u64::from(sample.carry);
                let low = get(sample.low, master_low::time::FIELD);
                put(&[(master_full::value::FIELD, above << 40 | low)])
            }
            page::SMP_LOCAL => sample.local.0,
            page::SMP_ERR => put(&[
                (smp_err::frac::FIELD, sample.local.1.into()),
                (smp_err::error::FIELD, sample.error.into()),
            ]),
            _ => self.kept.get(offset),
        }
    }
}

/// What the port's blocks show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortStatus {
    /// The port is an endpoint's.
    pub is_upstream: bool,
    /// LDM_MEAN: mean, done, fail, rounds.
    pub mean: (u64, bool, bool, u64),
    /// LDM_RANGE.
    pub range: (u64, u64),
    /// RX_CORR of the measurement.
    pub rx_corr: Option<u64>,
    /// LINK_EPOCH and MEASURED_EPOCH.
    pub epochs: (u64, u64),
    /// rx lag, tx lag, static phase, phase_ok.
    pub lag: (u64, u64, bool, bool),
    /// Events of the counters.
    pub events: [u64; 11],
}

/// Pulses of a port's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortPulses {
    /// LDM_CTL.start.
    pub start: bool,
    /// EPOCH is written.
    pub epochs: Option<u64>,
    /// ROLE was refused.
    pub refused: bool,
}

/// The window of a port.
#[derive(Debug, Clone)]
pub struct PortPage {
    window: Window,
    kept: Kept,
    rx_corr: u64,
    pulses: PortPulses,
}

impl PortPage {
    /// With counters at `started`, or without.
    #[must_use]
    pub fn new(started: Option<u32>) -> Self {
        let counters = Counters::new(page::PORT_COUNTERS.names.len(), 0, started);
        let offsets = [page::ROLE, page::PATH, page::TX_WAIT, page::LDM_CTL, page::LDM_ASYM, page::LDM_ACK];
        let kept = Kept::new(&offsets, &BTreeMap::new());
        let pulses = PortPulses::default();
        PortPage { window: Window::new(counters, 16..32), kept, rx_corr: 0, pulses }
    }

    /// A register that keeps what was written.
    #[must_use]
    pub fn kept(&self, offset: u32) -> u64 {
        if offset == page::RX_CORR {
            return self.rx_corr;
        }
        self.kept.get(offset)
    }

    /// A clock: its answer and its pulses.
    pub fn clock(&mut self, inputs: &WindowInputs, status: &PortStatus) -> (Option<u64>, PortPulses) {
        let offset = page::PORT + inputs.word * BYTES;
        let (answer, step, mut found) = self.window.begin(inputs, &status.events);
        let pulses = std::mem::take(&mut self.pulses);
        if step == Step::Look {
            found = Some(self.read(offset, status));
        }
        if let Step::Write(value) = step {
            self.write(offset, value);
        }
        self.rx_corr = status.rx_corr.unwrap_or(self.rx_corr);
        self.window.end(inputs, found);
        (answer, pulses)
    }

    fn write(&mut self, offset: u32, value: u64) {
        match offset {
            page::ROLE if get(value, role::up_en::FIELD) & get(value, role::dn_en::FIELD) != 0 => {
                self.pulses.refused = true;
            }
            page::RX_CORR => self.rx_corr = value & u64::from(u32::MAX),
            page::EPOCH => self.pulses.epochs = Some(value & u64::from(u32::MAX)),
            page::LDM_CTL => {
                self.pulses.start = get(value, ldm_ctl::start::FIELD) == 1;
                self.kept.write(offset, value);
            }
            _ => self.kept.write(offset, value),
        }
    }

    fn read(&self, offset: u32, status: &PortStatus) -> u64 {
        match offset {
            page::LDM_MEAN => put(&[
                (ldm_mean::mean::FIELD, status.mean.0),
                (ldm_mean::done::FIELD, status.mean.1.into()),
                (ldm_mean::fail::FIELD, status.mean.2.into()),
                (ldm_mean::rounds::FIELD, status.mean.3),
            ]),
            page::LDM_RANGE => {
                put(&[(ldm_range::min::FIELD, status.range.0), (ldm_range::max::FIELD, status.range.1)])
            }
            page::EPOCH => {
                put(&[(epoch::link::FIELD, status.epochs.0), (epoch::measured::FIELD, status.epochs.1)])
            }
            page::LAG => put(&[
                (lag::rx::FIELD, status.lag.0),
                (lag::tx::FIELD, status.lag.1),
                (lag::fixed::FIELD, status.lag.2.into()),
                (lag::phase_ok::FIELD, status.lag.3.into()),
            ]),
            _ => self.kept(offset),
        }
    }
}

/// The window of the rings.
#[derive(Debug, Clone)]
pub struct RingPage {
    window: Window,
    kept: Kept,
    sends: bool,
}

impl RingPage {
    /// With RPER and own stop of power-on, and counters at `started`.
    #[must_use]
    pub fn new(rper: u64, own_stop: u64, started: Option<u32>) -> Self {
        let counters = Counters::new(page::RING_COUNTERS.names.len(), 0, started);
        let built = put(&[(ring_cfg::stop::FIELD, own_stop), (ring_cfg::rper::FIELD, rper)]);
        let kept = Kept::new(&[page::RING_CFG, page::TOKEN_CMD], &BTreeMap::from([(page::RING_CFG, built)]));
        RingPage { window: Window::new(counters, 16..32), kept, sends: false }
    }

    /// RING_CFG or TOKEN_CMD.
    #[must_use]
    pub fn kept(&self, offset: u32) -> u64 {
        self.kept.get(offset)
    }

    /// A clock: its answer, and whether a token is to be sent. `result` is TOKEN_RES.
    pub fn clock(&mut self, inputs: &WindowInputs, result: u64, events: &[u64; 5]) -> (Option<u64>, bool) {
        let offset = page::RING_CFG + inputs.word * BYTES;
        let (answer, step, mut found) = self.window.begin(inputs, events);
        let sends = std::mem::take(&mut self.sends);
        if step == Step::Look {
            found = Some(if offset == page::TOKEN_RES { result } else { self.kept.get(offset) });
        }
        if let Step::Write(value) = step {
            self.kept.write(offset, value);
            self.sends = offset == page::TOKEN_CMD && get(value, page::token_cmd::go::FIELD) == 1;
        }
        self.window.end(inputs, found);
        (answer, sends)
    }
}
