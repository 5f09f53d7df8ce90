//! The output that rises with every second.

use crate::config::{check_range, ConfigError};
use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{INC_FRAC, SYNC_EPOCH_BITS};

/// Most core clocks of a pulse.
pub const MAX_PULSE_CLOCKS: u64 = 1 << WIDTH_BITS;
/// Bits of a pulse's count of clocks.
const WIDTH_BITS: usize = 16;
/// Whole nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// Bits of a nanosecond count that tells which of two times within 2 s of each other is later.
const NEAR: usize = 32;
/// Bits of SyncTime's whole nanoseconds.
const WHOLE: usize = TIME_WORD_BITS - INC_FRAC;
/// Bits of the count of a division's steps.
const STEP_BITS: usize = WHOLE.trailing_zeros() as usize;

/// A pulse behind every second of SyncTime (chapter 20, 4.11 rule 7).
///
/// The next second is found by a division, one bit per clock, behind `clear` and every step; from then on it is the last one and
/// 10^9 ns. Times are compared modulo 2^32 ns.
///
/// - `pps` rises 2 clocks behind the first `sync` at or past a second and is high for the number of clocks it was built with. Exact.
/// - A step is a change of `epoch` without `clear`. One of the first 69 clocks of a new time, behind `clear` or a step, may begin a second without a pulse.
/// - A second that begins within a pulse begins it anew. `pps` is a register; `clear` ends it in the next clock.
#[derive(LogicBlock)]
pub struct PulsePerSecond {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// SyncTime, 64.32 ns.
    pub sync: Signal<In, Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH of the same clock.
    pub epoch: Signal<In, Bits<SYNC_EPOCH_BITS>>,
    /// The pulse.
    pub pps: Signal<Out, Bit>,
    started: DFF<Bit>,
    epoch_before: DFF<Bits<SYNC_EPOCH_BITS>>,
    begin: DFF<Bit>,
    // The division: SyncTime moves through, the rest stays.
    divides: DFF<Bit>,
    steps: DFF<Bits<STEP_BITS>>,
    dividend: DFF<Bits<WHOLE>>,
    rest: DFF<Bits<NEAR>>,
    divided: DFF<Bit>,
    adds: DFF<Bit>,
    settles: DFF<Bit>,
    /// The comparison is the first one with the second that was found.
    first: DFF<Bit>,
    known: DFF<Bit>,
    target: DFF<Bits<NEAR>>,
    past: DFF<Bit>,
    fired: DFF<Bit>,
    pulse: DFF<Bit>,
    left: DFF<Bits<WIDTH_BITS>>,
    fires: Signal<Local, Bit>,
    whole: Signal<Local, Bits<WHOLE>>,
    doubled: Signal<Local, Bits<NEAR>>,
    less: Signal<Local, Bits<NEAR>>,
    distance: Signal<Local, Bits<NEAR>>,
    one_second: Constant<Bits<NEAR>>,
    last_step: Constant<Bits<STEP_BITS>>,
    one_step: Constant<Bits<STEP_BITS>>,
    length: Constant<Bits<WIDTH_BITS>>,
    one: Constant<Bits<WIDTH_BITS>>,
}

impl PulsePerSecond {
    /// With pulses of so many core clocks, 1 to [`MAX_PULSE_CLOCKS`].
    pub fn new(clocks: u64) -> Result<Self, ConfigError> {
        check_range("time_hfi", "pps", clocks, 1, MAX_PULSE_CLOCKS)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            sync: Default::default(),
            epoch: Default::default(),
            pps: Default::default(),
            started: Default::default(),
            epoch_before: Default::default(),
            begin: Default::default(),
            divides: Default::default(),
            steps: Default::default(),
            dividend: Default::default(),
            rest: Default::default(),
            divided: Default::default(),
            adds: Default::default(),
            settles: Default::default(),
            first: Default::default(),
            known: Default::default(),
            target: Default::default(),
            past: Default::default(),
            fired: Default::default(),
            pulse: Default::default(),
            left: Default::default(),
            fires: Default::default(),
            whole: Default::default(),
            doubled: Default::default(),
            less: Default::default(),
            distance: Default::default(),
            one_second: Constant::new(SECOND.into()),
            last_step: Constant::new((WHOLE as u64 - 1).into()),
            one_step: Constant::new(1.into()),
            length: Constant::new((clocks - 1).into()),
            one: Constant::new(1.into()),
        })
    }
}

impl Logic for PulsePerSecond {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, started, epoch_before, begin, divides, steps, dividend, rest, divided, adds);
        dff_setup!(self, clock, settles, first, known, target, past, fired, pulse, left);
        self.whole.next = self.sync.val().get_bits::<WHOLE>(32);

        // SyncTime modulo a second.
        self.epoch_before.d.next = self.epoch.val();
        self.started.d.next = true;
        self.begin.d.next =
            self.clear.val() | !self.started.q.val() | (self.epoch.val() != self.epoch_before.q.val());
        self.doubled.next = (self.rest.q.val() << 1).replace_bit(0, self.dividend.q.val().get_bit(63));
        self.less.next = self.doubled.val() - self.one_second.val();
        self.divided.d.next = false;
        if self.divides.q.val() {
            self.dividend.d.next =
                (self.dividend.q.val() << 1).replace_bit(0, self.dividend.q.val().get_bit(63));
            self.rest.d.next = self.less.val();
            if self.less.val().get_bit(31) {
                self.rest.d.next = self.doubled.val();
            }
            self.steps.d.next = self.steps.q.val() + self.one_step.val();
            if self.steps.q.val() == self.last_step.val() {
                self.divides.d.next = false;
                self.divided.d.next = true;
            }
        }

        // The next second.
        self.adds.d.next = self.divided.q.val();
        self.settles.d.next = self.adds.q.val();
        self.first.d.next = self.settles.q.val();
        if self.settles.q.val() {
            self.known.d.next = true;
        }
        self.distance.next = self.whole.val().get_bits::<NEAR>(0) - self.target.q.val();
        self.past.d.next = !self.distance.val().get_bit(31);
        self.fires.next = self.known.q.val() & self.past.q.val() & !self.fired.q.val() & !self.begin.q.val();
        self.fired.d.next = self.fires.val();
        if self.adds.q.val() | self.fires.val() {
            self.target.d.next = self.target.q.val() + self.one_second.val();
        }
        if self.divided.q.val() {
            self.target.d.next = self.dividend.q.val().get_bits::<NEAR>(0) - self.rest.q.val();
        }

        // The pulse.
        self.left.d.next = self.left.q.val() - self.one.val();
        if !self.left.q.val().any() {
            self.pulse.d.next = false;
        }
        if self.fires.val() & !self.first.q.val() {
            self.pulse.d.next = true;
            self.left.d.next = self.length.val();
        }

        if self.begin.q.val() {
            self.dividend.d.next = self.whole.val();
            self.rest.d.next = 0.into();
            self.steps.d.next = 0.into();
            self.divides.d.next = true;
            self.divided.d.next = false;
            self.adds.d.next = false;
            self.settles.d.next = false;
            self.first.d.next = false;
            self.known.d.next = false;
        }
        if self.clear.val() {
            self.pulse.d.next = false;
        }
        self.pps.next = self.pulse.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pulse_per_second", &[("clocks", (self.length.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] PulsePerSecond { clock, clear, sync, epoch, pps });

const _: () = assert!(WHOLE == 64 && INC_FRAC == 32 && STEP_BITS == 6);
const _: () = assert!(SECOND < 1 << (NEAR - 2));
