//! The tracker of `lag_meter` clock by clock (chapter 20, 4.2 rules 2, 3 and 5).

use flitforge_protocol::time_lag::{
    meeting_gap, nominal_rate, BOUND_FRACTION_BITS, COUNT_FRACTION_BITS, EDGE_BOUND, GOOD_TAG, LEAK_LOG2,
    LINE_FRACTION_BITS, LINE_WORD_BITS, RATE_OFFSET_BITS, RATE_TAG, SLIP_BOUND, TAGS_UNTIL_OK,
    TAG_FLUSH_CLOCKS, WINDOW_FIRST_LOG2, WINDOW_LEAST_LOG2,
};

/// Bounds before any sample: half a word to either side, in 2^-13 word.
const WIDEST: (i32, i32) = (-(1 << (BOUND_FRACTION_BITS - 1)), (1 << (BOUND_FRACTION_BITS - 1)) - 1);

/// Bounds of the line's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    low: i32,
    high: i32,
    /// Samples of the window.
    samples: u32,
    leaks: bool,
}

const UNKNOWN: Bounds = Bounds { low: WIDEST.0, high: WIDEST.1, samples: 0, leaks: false };

impl Bounds {
    /// With a sample that says whether the error is at least `bound`.
    fn with(self, bound: i32, at_least: bool, leak_mask: u32) -> Self {
        let low = self.low - i32::from(self.leaks && self.low > WIDEST.0);
        let high = self.high + i32::from(self.leaks && self.high < WIDEST.1);
        Self {
            low: if at_least { low.max(bound) } else { low },
            high: if at_least { high } else { high.min(bound) },
            samples: self.samples + 1,
            leaks: self.samples & leak_mask == leak_mask,
        }
    }
}

/// A tag whose meaning for the rate is being worked out, a place per clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag {
    /// Error of the line, 2^-14 word.
    error: i32,
    samples: u32,
    met: bool,
    timeout: bool,
}

/// What becomes of the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Division {
    samples: u32,
    error: i64,
    magnitude: u32,
    moves: bool,
    sets_leak: bool,
    steps: u32,
    leak_mask: u32,
}

/// Outputs of the tracker before an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LagTrackerOutputs {
    /// Words since power-on, modulo 2^16, with 12 fraction bits.
    pub line: u32,
    /// The phase is valid.
    pub ok: bool,
    /// The phase is static.
    pub fixed: bool,
    /// Event: a slip.
    pub slipped: bool,
}

/// The tracker; see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LagTracker {
    nominal: i64,
    gap: i32,
    edge: i32,
    static_log2: u32,
    phase: u64,
    increment: i64,
    rate: i64,
    offset: i64,
    /// Not the first clock of all, which begins a window.
    awake: bool,
    flip: bool,
    compared: Option<(u32, bool)>,
    bound: Option<(i32, bool)>,
    bounds: Bounds,
    /// The bounds a clock ago, and the length of a window then.
    looked: Option<(Bounds, u32)>,
    flush: u32,
    least_log2: u32,
    leak_mask: u32,
    tagged: bool,
    good: u8,
    fixed: bool,
    slipped: bool,
    tag: Option<Tag>,
    step: i64,
    division: Option<Division>,
    /// The offset to come, before it is clamped.
    moved: Option<i64>,
}

impl LagTracker {
    /// For clocks of these nominal periods in femtoseconds; the phase is static after 2^`static_log2` clocks without a tag.
    #[must_use]
    pub fn new(core_fs: u64, word_fs: u64, static_log2: u32) -> Self {
        Self::with_bounds(core_fs, word_fs, [meeting_gap(core_fs, word_fs), EDGE_BOUND], static_log2)
    }

    /// As [`new`](Self::new), for bounds that meet within the first of `limits`; a line outside by more than the second is a tag, too,
    /// both in 2^-13 word.
    #[must_use]
    pub fn with_bounds(core_fs: u64, word_fs: u64, limits: [u64; 2], static_log2: u32) -> Self {
        let nominal = nominal_rate(core_fs, word_fs) as i64;
        Self {
            nominal,
            gap: limits[0] as i32,
            edge: limits[1] as i32,
            static_log2,
            phase: 0,
            increment: 0,
            rate: 0,
            offset: 0,
            awake: false,
            flip: false,
            compared: None,
            bound: None,
            bounds: UNKNOWN,
            looked: None,
            flush: 0,
            least_log2: WINDOW_FIRST_LOG2,
            leak_mask: (1 << LEAK_LOG2.0) - 1,
            tagged: false,
            good: 0,
            fixed: false,
            slipped: false,
            tag: None,
            step: 0,
            division: None,
            moved: None,
        }
    }

    /// Before an edge.
    #[must_use]
    pub const fn outputs(&self) -> LagTrackerOutputs {
        LagTrackerOutputs {
            line: (self.phase >> (LINE_FRACTION_BITS - COUNT_FRACTION_BITS)) as u32 & ((1 << LINE_BITS) - 1),
            ok: self.good == TAGS_UNTIL_OK,
            fixed: self.fixed,
            slipped: self.slipped,
        }
    }

    /// An edge: `sample` is the halved word clock, two synchronizing clocks ago.
    pub fn clock(&mut self, restart: bool, sample: bool) {
        let before = self.clone();
        self.phase = before.phase.wrapping_add_signed(before.increment) & ((1 << PHASE_BITS) - 1);
        self.increment = before.rate + before.step;
        self.rate = before.nominal + before.offset;
        self.step = 0;
        self.follow(&before, sample);
        self.weigh(&before);
        self.divide(&before);
        self.slipped = before.slips();
        let restart = restart || !before.awake;
        self.awake = true;
        if restart || self.slipped {
            self.begin(self.slipped && !restart);
        } else if let Some(tag) = before.found() {
            self.tag = Some(tag);
            self.flush = TAG_FLUSH_CLOCKS;
        }
        if self.flush > 0 {
            self.bounds = UNKNOWN;
            self.looked = None;
        }
    }

    /// From a sample to bounds, a clock per stage.
    fn follow(&mut self, before: &Self, sample: bool) {
        self.flush = before.flush.saturating_sub(1);
        let running = before.flush == 0;
        let fraction = (before.phase >> (LINE_FRACTION_BITS - BOUND_FRACTION_BITS)) as u32 & FRACTION_MASK;
        let agrees = (before.phase >> LINE_FRACTION_BITS & 1 == 1) ^ before.flip == sample;
        self.compared = running.then_some((fraction, agrees));
        self.bound = before.compared.filter(|_| running).map(|(fraction, agrees)| {
            let above_half = fraction >> (BOUND_FRACTION_BITS - 1) == 1;
            let next_edge = if above_half { FRACTION_MASK as i32 } else { -1 };
            (next_edge - fraction as i32, agrees ^ above_half)
        });
        if let Some((bound, at_least)) = before.bound.filter(|_| running) {
            self.bounds = before.bounds.with(bound, at_least, before.leak_mask);
        }
        self.looked = running.then_some((before.bounds, before.least_log2));
    }

    fn slips(&self) -> bool {
        self.looked.is_some_and(|(bounds, _)| bounds.high - bounds.low < -(SLIP_BOUND as i32))
            && self.flush == 0
    }

    /// The tag that the bounds a clock ago are.
    fn found(&self) -> Option<Tag> {
        let (bounds, least_log2) = self.looked.filter(|_| self.flush == 0)?;
        let enough = bounds.samples >> least_log2 != 0;
        let met = enough && bounds.high - bounds.low < self.gap;
        let edge = self.edge;
        let beyond = enough && (bounds.low > edge || bounds.high < -edge);
        let timeout = bounds.samples >> self.static_log2 != 0;
        let inside = bounds.low <= 0 && bounds.high >= 0;
        let error = match () {
            () if met => bounds.low + bounds.high,
            () if timeout && self.fixed && inside => 0,
            () if timeout => bounds.low + bounds.high,
            () if bounds.low > edge => 2 * bounds.low,
            () => 2 * bounds.high,
        };
        let timeout = timeout && !met;
        (met || beyond || timeout).then_some(Tag { error, samples: bounds.samples, met, timeout })
    }

    /// What a tag says about phase and rate.
    fn weigh(&mut self, before: &Self) {
        let Some(tag) = before.tag else { return };
        self.tag = None;
        // Of a negative one a unit less.
        let size = (tag.error ^ (tag.error >> 31)).unsigned_abs();
        let (good, full) = (u64::from(size) < GOOD_TAG, before.least_log2 == WINDOW_LEAST_LOG2);
        self.good = match before.good {
            _ if tag.timeout => TAGS_UNTIL_OK,
            before if !full => before,
            before if tag.met && good => (before + 1).min(TAGS_UNTIL_OK),
            before if !tag.met && before == TAGS_UNTIL_OK => before,
            _ => 0,
        };
        self.fixed = tag.timeout;
        self.least_log2 = (before.least_log2 + 1).min(WINDOW_LEAST_LOG2);
        self.tagged = true;
        self.step = i64::from(tag.error) << (LINE_FRACTION_BITS - BOUND_FRACTION_BITS - 1);
        self.division = Some(Division {
            samples: tag.samples,
            error: self.step,
            magnitude: size.max(before.gap as u32),
            moves: before.tagged && !tag.timeout && (tag.met || u64::from(size) < RATE_TAG),
            sets_leak: before.tagged,
            steps: 0,
            leak_mask: (1 << LEAK_LOG2.0) - 1,
        });
    }

    /// The error over the length of its window, as a power of 2; and how well the rate is known now.
    fn divide(&mut self, before: &Self) {
        if let Some(offset) = self.moved.take() {
            let most = 1 << (RATE_OFFSET_BITS - 1);
            self.offset = offset.clamp(-most, most - 1);
        }
        let Some(mut division) = before.division else { return };
        if division.samples != 0 {
            if division.magnitude == 0 {
                if division.steps >= LEAK_LOG2.0 && division.leak_mask >> (LEAK_LOG2.1 - 1) == 0 {
                    division.leak_mask = division.leak_mask << 1 | 1;
                }
                division.steps = (division.steps + 1).min(LEAK_LOG2.0);
            }
            division.samples >>= 1;
            division.error >>= 1;
            division.magnitude >>= 1;
            self.division = Some(division);
            return;
        }
        self.division = None;
        self.moved = division.moves.then_some(before.offset + division.error);
        if division.sets_leak {
            self.leak_mask = division.leak_mask;
        }
    }

    fn begin(&mut self, flips: bool) {
        self.flip ^= flips;
        self.flush = TAG_FLUSH_CLOCKS;
        self.least_log2 = WINDOW_FIRST_LOG2;
        self.leak_mask = (1 << LEAK_LOG2.0) - 1;
        self.offset = 0;
        (self.tagged, self.good, self.fixed) = (false, 0, false);
        (self.tag, self.division, self.moved, self.step) = (None, None, None, 0);
    }
}

const FRACTION_MASK: u32 = (1 << BOUND_FRACTION_BITS) - 1;
/// Bits of the line, words and fraction.
const LINE_BITS: usize = LINE_WORD_BITS + COUNT_FRACTION_BITS;
/// Bits of the phase.
const PHASE_BITS: usize = LINE_WORD_BITS + LINE_FRACTION_BITS;
