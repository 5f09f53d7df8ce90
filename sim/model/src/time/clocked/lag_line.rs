//! The line of DDMTD in the core clock (chapter 20, 4.2 rules 2, 3 and 5), by pairs of lines that the helper clock has seen.

use super::LagTrackerOutputs;
use flitforge_protocol::time_lag::{
    nominal_rate, pair_rate, COUNT_FRACTION_BITS, LINE_FRACTION_BITS, LINE_WORD_BITS, PAIRS_UNTIL_OK,
    PAIR_CLOCKS_LOG2, PAIR_DELAY, PAIR_DELAY_BITS, PAIR_GOOD_BOUND, PAIR_RATE_BOUND, PAIR_RATE_FRACTION_BITS,
    PAIR_RATE_LOG2, RATE_OFFSET_BITS,
};

/// Bits of a line, words and fraction.
const LINE_BITS: usize = LINE_WORD_BITS + COUNT_FRACTION_BITS;
const LINE_MASK: u32 = (1 << LINE_BITS) - 1;

/// Both lines at an edge of the helper clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LagPair {
    /// Core clocks since power-on, modulo 2^16, with 12 fraction bits.
    pub core: u32,
    /// Words since power-on, modulo 2^16, with 12 fraction bits.
    pub words: u32,
    /// Both phases are valid.
    pub ok: bool,
    /// Both are static.
    pub fixed: bool,
    /// A slip of the core clock since the pair before.
    pub core_slip: bool,
    /// A slip of the word clock since the pair before.
    pub word_slip: bool,
}

/// A pair whose error is being worked out, a bit of the product per clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Work {
    delay: u32,
    addend: i64,
    product: i64,
    /// Words of the pair less the line at the request, 2^-12 word.
    apart: u32,
    left: usize,
    pair: LagPair,
    usable: bool,
}

/// The line; `ask` and `clock` are an edge of the core clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LagLine {
    nominal: u64,
    pair_rate: i64,
    phase: u64,
    increment: u64,
    rate: u64,
    offset: i64,
    now: u16,
    restarting: bool,
    waiting: bool,
    /// Clock of the request, and the line then.
    asked: (u16, u32),
    anchor: Option<u16>,
    work: Option<Work>,
    /// Error of the line by the pair that has been worked out, 2^-12 word.
    found: Option<(i32, Work)>,
    settled: u8,
    fixed: bool,
    slipped: bool,
}

impl LagLine {
    /// For clocks of these nominal periods in femtoseconds.
    #[must_use]
    pub fn new(core_fs: u64, word_fs: u64) -> Self {
        Self {
            nominal: nominal_rate(core_fs, word_fs),
            pair_rate: pair_rate(core_fs, word_fs) as i64,
            phase: 0,
            increment: 0,
            rate: 0,
            offset: 0,
            now: 0,
            restarting: false,
            waiting: false,
            asked: (0, 0),
            anchor: None,
            work: None,
            found: None,
            settled: 0,
            fixed: false,
            slipped: false,
        }
    }

    /// Before an edge.
    #[must_use]
    pub const fn outputs(&self) -> LagTrackerOutputs {
        let ok = self.settled == PAIRS_UNTIL_OK;
        LagTrackerOutputs { line: self.line(), ok, fixed: self.fixed && ok, slipped: self.slipped }
    }

    const fn line(&self) -> u32 {
        (self.phase >> (LINE_FRACTION_BITS - COUNT_FRACTION_BITS)) as u32 & LINE_MASK
    }

    const fn is_due(&self) -> bool {
        self.now % (1 << PAIR_CLOCKS_LOG2) == 0
    }

    /// Whether a pair is asked for in this clock, if the crossing is `ready`: with or without a restart of the word clock's tracker.
    #[must_use]
    pub const fn asks(&self, restart: bool, ready: bool) -> Option<bool> {
        if self.is_due() && ready && !self.waiting && self.work.is_none() {
            Some(restart || self.restarting)
        } else {
            None
        }
    }

    /// An edge: `ready` is that of the crossing, `answer` a pair that has arrived.
    pub fn clock(&mut self, restart: bool, ready: bool, answer: Option<LagPair>) {
        let before = self.clone();
        let asks = before.asks(restart, ready).is_some();
        let late = before.is_due() && !asks;
        self.phase = before.phase.wrapping_add(before.increment) & PHASE_MASK;
        self.increment = before.rate;
        self.rate = before.nominal.wrapping_add_signed(before.offset);
        self.now = before.now.wrapping_add(1);
        self.slipped = late && before.outputs().ok;
        self.restarting = (restart || before.restarting) && !asks;
        if asks {
            self.asked = (before.now, before.line());
        }
        self.waiting = asks || before.waiting && answer.is_none();
        self.multiply();
        if let Some(pair) = answer {
            self.begin(&before, pair);
        }
        self.found = None;
        if let Some(work) = before.work.filter(|work| work.left == 0) {
            let delay = (work.product >> PAIR_RATE_FRACTION_BITS) as u32;
            let unused = 32 - LINE_BITS as u32;
            let error = (work.apart.wrapping_sub(delay) << unused) as i32 >> unused;
            self.found = Some((error, work));
            self.work = None;
        }
        if let Some((error, work)) = before.found {
            self.correct(error, &work);
        }
        if restart || late {
            self.settled = 0;
        }
    }

    /// A pair arrives: how long after its request it comes tells at which core clock its words were counted.
    fn begin(&mut self, before: &Self, pair: LagPair) {
        let (asked, line) = before.asked;
        let place = u32::from(asked.wrapping_add(before.anchor.unwrap_or(0))) << COUNT_FRACTION_BITS;
        let delay = pair.core.wrapping_sub(place) & LINE_MASK;
        let usable = before.anchor.is_some() && delay >> PAIR_DELAY_BITS == 0 && !pair.core_slip;
        if !usable {
            let clocks = (pair.core >> COUNT_FRACTION_BITS) as u16;
            self.anchor = Some(clocks.wrapping_sub(asked).wrapping_sub(PAIR_DELAY as u16));
        }
        self.work = Some(Work {
            delay: delay & ((1 << PAIR_DELAY_BITS) - 1),
            addend: self.pair_rate,
            product: -self.pair_rate * ((PAIR_DELAY as i64) << COUNT_FRACTION_BITS),
            apart: pair.words.wrapping_sub(line) & LINE_MASK,
            left: PAIR_DELAY_BITS,
            pair,
            usable,
        });
    }

    fn multiply(&mut self) {
        let Some(work) = self.work.as_mut().filter(|work| work.left > 0) else { return };
        if work.delay & 1 == 1 {
            work.product += work.addend;
        }
        work.delay >>= 1;
        work.addend <<= 1;
        work.left -= 1;
    }

    /// Line and rate by a pair's error, and what the line is worth.
    fn correct(&mut self, error: i32, work: &Work) {
        let size = u64::from(error.unsigned_abs());
        self.slipped |= work.pair.core_slip || work.pair.word_slip;
        self.fixed = work.pair.fixed;
        if work.usable {
            let step = i64::from(error) << (LINE_FRACTION_BITS - COUNT_FRACTION_BITS);
            self.increment = self.increment.wrapping_add_signed(step) & PHASE_MASK;
            if size < PAIR_RATE_BOUND {
                let most = 1 << (RATE_OFFSET_BITS - 1);
                let moved = self.offset + (step >> (PAIR_CLOCKS_LOG2 + PAIR_RATE_LOG2));
                self.offset = moved.clamp(-most, most - 1);
            }
        }
        let slips = work.pair.core_slip || work.pair.word_slip;
        self.settled = match size < PAIR_GOOD_BOUND && work.usable && work.pair.ok && !slips {
            true => (self.settled + 1).min(PAIRS_UNTIL_OK),
            false => 0,
        };
    }
}

const PHASE_MASK: u64 = (1 << (LINE_WORD_BITS + LINE_FRACTION_BITS)) - 1;
