//! The phase of a clock by samples of it.

use super::bounds::{LagBounds, BOUND_BITS, TAG_BITS};
use super::tag::{LagTag, STEP_BITS};
use super::{LagMeterConfig, LINE_BITS};
use crate::config::ConfigError;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_lag::{
    meeting_gap, nominal_rate, BOUND_FRACTION_BITS, COUNT_FRACTION_BITS, EDGE_BOUND, LINE_FRACTION_BITS,
    LINE_WORD_BITS, RATE_OFFSET_BITS, STATIC_LOG2, TAG_FLUSH_CLOCKS,
};

/// Bits of the phase, words and fraction.
const PHASE_BITS: usize = LINE_WORD_BITS + LINE_FRACTION_BITS;

/// Follows the phase of a word clock, of which `sample` is half the frequency; see the [module](super).
#[derive(LogicBlock)]
pub struct LagTracker {
    /// Sampling clock.
    pub clock: Signal<In, Clock>,
    /// Forgets rate and tags; the line goes on.
    pub restart: Signal<In, Bit>,
    /// The halved word clock, in this clock domain.
    pub sample: Signal<In, Bit>,
    /// Words since power-on with 12 fraction bits, two clocks late as `sample` is.
    pub line: Signal<Out, Bits<LINE_BITS>>,
    /// The phase is valid.
    pub ok: Signal<Out, Bit>,
    /// The phase is static.
    pub fixed: Signal<Out, Bit>,
    /// Event: a slip; the phase is lost.
    pub slipped: Signal<Out, Bit>,

    bounds: LagBounds,
    rating: LagTag,
    phase: DFF<Bits<PHASE_BITS>>,
    increment: DFF<Bits<STEP_BITS>>,
    rate: DFF<Bits<STEP_BITS>>,
    flip: DFF<Bit>,
    flush: DFF<Bits<4>>,
    slip_late: DFF<Bit>,
    /// Not the first clock of all, which begins a window.
    awake: DFF<Bit>,
    begins: Signal<Local, Bit>,
    flushing: Signal<Local, Bit>,
    slips: Signal<Local, Bit>,
    meets: Signal<Local, Bit>,
    above: Signal<Local, Bit>,
    timeout: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    error: Signal<Local, Bits<TAG_BITS>>,
    sign: Signal<Local, Bits<PHASE_BITS>>,
    wide_offset: Signal<Local, Bits<STEP_BITS>>,
    nominal: Constant<Bits<STEP_BITS>>,
    clocks: Constant<Bits<4>>,
    one: Constant<Bits<4>>,
    minus: Constant<Bits<PHASE_BITS>>,
    offset_sign: Constant<Bits<STEP_BITS>>,
    lifted: Constant<Bits<TAG_BITS>>,
    _rate: u64,
}

impl LagTracker {
    /// For a sampling and a word clock of these nominal periods in femtoseconds; a phase is static after 2^`static_log2` clocks
    /// without a tag.
    pub fn new(core_fs: u64, word_fs: u64, static_log2: u32) -> Result<Self, ConfigError> {
        LagMeterConfig {
            core_fs,
            word_fs,
            static_log2,
            phase_source: PhaseSource::Beat,
            ..Default::default()
        }
        .check()?;
        let limits = [meeting_gap(core_fs, word_fs), EDGE_BOUND];
        Ok(Self::with_bounds(core_fs, word_fs, limits, static_log2))
    }

    /// As [`new`](Self::new), for clocks that have been checked, and for bounds that meet within the first of `limits`; a line outside
    /// by more than the second is a tag, too, both in 2^-13 word.
    pub(super) fn with_bounds(core_fs: u64, word_fs: u64, limits: [u64; 2], static_log2: u32) -> Self {
        let nominal = nominal_rate(core_fs, word_fs);
        let minus = !0_u64 << STEP_BITS & ((1 << PHASE_BITS) - 1);
        let offset_sign = !0_u64 << RATE_OFFSET_BITS & ((1 << STEP_BITS) - 1);
        Self {
            clock: Default::default(),
            restart: Default::default(),
            sample: Default::default(),
            line: Default::default(),
            ok: Default::default(),
            fixed: Default::default(),
            slipped: Default::default(),
            bounds: LagBounds::new(limits, static_log2),
            rating: LagTag::new(limits[0]),
            phase: Default::default(),
            increment: Default::default(),
            rate: Default::default(),
            flip: Default::default(),
            flush: Default::default(),
            slip_late: Default::default(),
            awake: Default::default(),
            begins: Default::default(),
            flushing: Default::default(),
            slips: Default::default(),
            meets: Default::default(),
            above: Default::default(),
            timeout: Default::default(),
            rests: Default::default(),
            found: Default::default(),
            error: Default::default(),
            sign: Default::default(),
            wide_offset: Default::default(),
            nominal: Constant::new(nominal.into()),
            clocks: Constant::new(u64::from(TAG_FLUSH_CLOCKS).into()),
            one: Constant::new(1.into()),
            minus: Constant::new(minus.into()),
            offset_sign: Constant::new(offset_sign.into()),
            lifted: Constant::new((1_u64 << (BOUND_FRACTION_BITS + 1)).into()),
            _rate: nominal,
        }
    }
}

impl Logic for LagTracker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, increment, rate, flip, flush, slip_late, awake);
        clock!(self, clock, bounds, rating);

        // The line.
        self.sign.next = 0.into();
        if self.increment.q.val().get_bit(35) {
            self.sign.next = self.minus.val();
        }
        self.phase.d.next = self.phase.q.val()
            + (bit_cast::<PHASE_BITS, STEP_BITS>(self.increment.q.val()) | self.sign.val());
        self.increment.d.next = self.rate.q.val() + self.rating.step.val();
        self.wide_offset.next = bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(self.rating.offset.val());
        if self.rating.offset.val().get_bit(22) {
            self.wide_offset.next =
                bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(self.rating.offset.val()) | self.offset_sign.val();
        }
        self.rate.d.next = self.nominal.val() + self.wide_offset.val();
        self.line.next = self.phase.q.val().get_bits::<LINE_BITS>(20);

        // Its bounds.
        self.flushing.next = self.flush.q.val().any();
        self.bounds.flush.next = self.flushing.val();
        self.bounds.fraction.next = self.phase.q.val().get_bits::<BOUND_FRACTION_BITS>(19);
        self.bounds.agrees.next = !(self.phase.q.val().get_bit(32) ^ self.flip.q.val() ^ self.sample.val());
        self.bounds.leak_mask.next = self.rating.leak_mask.val();
        self.bounds.least.next = self.rating.least.val();
        self.slips.next = self.bounds.slips.val();
        self.meets.next = self.bounds.meets.val();
        self.above.next = self.bounds.above.val();
        self.timeout.next = self.bounds.timeout.val();
        self.found.next = !self.slips.val()
            & (self.meets.val() | self.above.val() | self.bounds.below.val() | self.timeout.val());

        // A tag.
        self.awake.d.next = true;
        self.begins.next = self.restart.val() | !self.awake.q.val();
        self.rests.next = self.rating.fixed.val() & self.bounds.inside.val();
        self.error.next = (bit_cast::<TAG_BITS, BOUND_BITS>(self.bounds.high.val()) << 1) ^ self.lifted.val();
        if self.above.val() {
            self.error.next =
                (bit_cast::<TAG_BITS, BOUND_BITS>(self.bounds.low.val()) << 1) ^ self.lifted.val();
        }
        if self.meets.val() | self.timeout.val() {
            self.error.next = self.bounds.sum.val();
        }
        if self.timeout.val() & !self.meets.val() & self.rests.val() {
            self.error.next = 0.into();
        }
        self.rating.restart.next = self.begins.val() | self.slips.val();
        self.rating.tag.next = self.found.val();
        self.rating.error.next = self.error.val();
        self.rating.samples.next = self.bounds.samples.val();
        self.rating.meets.next = self.meets.val();
        self.rating.timeout.next = self.timeout.val();
        if self.flushing.val() {
            self.flush.d.next = self.flush.q.val() - self.one.val();
        }
        if self.begins.val() | self.slips.val() | self.found.val() {
            self.flush.d.next = self.clocks.val();
        }
        if self.slips.val() & !self.begins.val() {
            self.flip.d.next = !self.flip.q.val();
        }
        self.slip_late.d.next = self.slips.val();
        self.slipped.next = self.slip_late.q.val();
        self.ok.next = self.rating.ok.val();
        self.fixed.next = self.rating.fixed.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let mut label = vec![("rate", format!("0x{:x}", self._rate))];
        label.extend(self.bounds.label());
        block_label("lag_tracker", &label)
    }
}

drive_ports!(impl[] LagTracker { clock, restart, sample, line, ok, fixed, slipped });

const _: () = assert!(LINE_FRACTION_BITS - COUNT_FRACTION_BITS == 20);
const _: () = assert!(LINE_FRACTION_BITS - BOUND_FRACTION_BITS == 19);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "lag_tracker",
    chapter: "20-time",
    summary: "phase of a word clock by samples of it, for `lag_meter`",
    parameters: &[super::config::CORE_FS, super::config::WORD_FS, STATIC],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "slow_word", values: &[("word_fs", 21_000_000), ("static_log2", 14)] },
    ],
    build: |settings| {
        let log2 = settings.get("static_log2")? as u32;
        let tracker = LagTracker::new(settings.get("core_fs")?, settings.get("word_fs")?, log2)?;
        let mut interface = InterfaceInfo::clocked(&[], None, "valid after two good tags");
        interface.clears = vec!["restart".into()];
        Ok(BuiltBlock::new(tracker, interface))
    },
};

/// Parameter.
pub(super) const STATIC: ParameterInfo = ParameterInfo {
    name: "static_log2",
    default: STATIC_LOG2 as u64,
    allowed: Allowed::Range(12, STATIC_LOG2 as u64),
    doc: "clocks without a tag that make a phase static, as a power of 2",
};
