//! The phase of a clock by samples of it.

use super::bounds::{LagBounds, BOUND_BITS, TAG_BITS};
use super::tag::{LagTag, STEP_BITS};
use super::{LagMeterConfig, LINE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_lag::{
    meeting_gap, nominal_rate, BOUND_FRACTION_BITS, COUNT_FRACTION_BITS, EDGE_BOUND, LINE_FRACTION_BITS,
    LINE_WORD_BITS, RATE_OFFSET_BITS, STATIC_LOG2, TAG_FLUSH_CLOCKS,
};

/// Bits of the phase, words and fraction.
const PHASE_BITS: usize = LINE_WORD_BITS + LINE_FRACTION_BITS;

/// Follows the phase of a word clock, of which `sample` is half the frequency; see the [module](super).
#[block(new)]
pub struct LagTracker {
    /// Sampling clock.
    clock: In<Clock>,
    /// Forgets rate and tags; the line goes on.
    restart: In<Bit>,
    /// The halved word clock, in this clock domain.
    sample: In<Bit>,
    /// Words since power-on with 12 fraction bits, two clocks late as `sample` is.
    line: Out<Bits<LINE_BITS>>,
    /// The phase is valid.
    ok: Out<Bit>,
    /// The phase is static.
    fixed: Out<Bit>,
    /// Event: a slip; the phase is lost.
    slipped: Out<Bit>,

    #[wire(clock)]
    bounds: LagBounds,
    #[wire(clock)]
    rating: LagTag,
    phase: Reg<Bits<PHASE_BITS>>,
    increment: Reg<Bits<STEP_BITS>>,
    rate: Reg<Bits<STEP_BITS>>,
    flip: Reg<Bit>,
    flush: Reg<Bits<4>>,
    slip_late: Reg<Bit>,
    /// Not the first clock of all, which begins a window.
    awake: Reg<Bit>,
    begins: Local<Bit>,
    flushing: Local<Bit>,
    slips: Local<Bit>,
    meets: Local<Bit>,
    above: Local<Bit>,
    timeout: Local<Bit>,
    rests: Local<Bit>,
    found: Local<Bit>,
    error: Local<Bits<TAG_BITS>>,
    nominal: Constant<Bits<STEP_BITS>>,
    clocks: Constant<Bits<4>>,
    #[init(1)]
    one: Constant<Bits<4>>,
    minus: Constant<Bits<PHASE_BITS>>,
    offset_sign: Constant<Bits<STEP_BITS>>,
    #[init(1_u64 << (BOUND_FRACTION_BITS + 1))]
    lifted: Constant<Bits<TAG_BITS>>,
    _rate: u64,
}

#[logic]
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
            bounds: LagBounds::new(limits, static_log2),
            rating: LagTag::new(limits[0]),
            nominal: Constant::new(nominal.into()),
            clocks: Constant::new(u64::from(TAG_FLUSH_CLOCKS).into()),
            minus: Constant::new(minus.into()),
            offset_sign: Constant::new(offset_sign.into()),
            _rate: nominal,
            ..
        }
    }

    fn update(&mut self) {
        // The line.
        let mut sign: Bits<PHASE_BITS> = 0;
        if increment[35] {
            sign = minus;
        }
        phase = phase + (bit_cast::<PHASE_BITS, STEP_BITS>(increment) | sign);
        increment = rate + rating.step;
        let mut wide_offset = bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(rating.offset);
        if rating.offset[22] {
            wide_offset = bit_cast::<STEP_BITS, RATE_OFFSET_BITS>(rating.offset) | offset_sign;
        }
        rate = nominal + wide_offset;
        line = phase.bits::<LINE_BITS>(20);

        // Its bounds.
        flushing = flush.any();
        bounds = In { flush: flushing, fraction: phase.bits::<BOUND_FRACTION_BITS>(19) };
        bounds = In { agrees: !(phase[32] ^ flip ^ sample), leak_mask: rating.leak_mask };
        bounds.least = rating.least;
        Out { slips, meets, above, timeout } = bounds;
        found = !slips & (meets | above | bounds.below | timeout);

        // A tag.
        awake = true;
        begins = restart | !awake;
        rests = rating.fixed & bounds.inside;
        error = (bit_cast::<TAG_BITS, BOUND_BITS>(bounds.high) << 1) ^ lifted;
        if above {
            error = (bit_cast::<TAG_BITS, BOUND_BITS>(bounds.low) << 1) ^ lifted;
        }
        if meets | timeout {
            error = bounds.sum;
        }
        if timeout & !meets & rests {
            error = 0;
        }
        rating = In { restart: begins | slips, tag: found, error, samples: bounds.samples, meets, timeout };
        if flushing {
            flush = flush - one;
        }
        if begins | slips | found {
            flush = clocks;
        }
        if slips & !begins {
            flip = !flip;
        }
        slip_late = slips;
        slipped = slip_late;
        Out { ok, fixed } = rating;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let mut label = vec![("rate", format!("0x{:x}", self._rate))];
        label.extend(self.bounds.label());
        block_label("lag_tracker", &label)
    }
}

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
pub(super) const STATIC: ParameterInfo = ParameterInfo::new(
    "static_log2",
    STATIC_LOG2 as u64,
    Allowed::Range(12, STATIC_LOG2 as u64),
    "clocks without a tag that make a phase static, as a power of 2",
);
