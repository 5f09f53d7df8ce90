//! PHASE_SRC DDMTD of `lag_meter` edge by edge (chapter 20, 4.2 rules 2, 3 and 5).

use super::{LagLine, LagPair, LagTracker, LagTrackerOutputs};
use flitforge_protocol::time_lag::{helper_period, word_gap, DDMTD_EDGE_PART, DDMTD_GAP};

/// Which clocks rise together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LagEdges {
    /// Core clock.
    pub core: bool,
    /// Word clock.
    pub word: bool,
    /// Helper clock.
    pub helper: bool,
}

/// A bit through two flip-flops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Synchronized(bool, bool);

impl Synchronized {
    fn clock(&mut self, d: bool) {
        *self = Self(d, self.0);
    }
}

/// A word that holds still until it has been taken (`word_crossing`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Crossing<T> {
    held: T,
    level: bool,
    acknowledged: Synchronized,
    coming: Synchronized,
    seen: bool,
    word: Option<T>,
}

impl<T: Copy> Crossing<T> {
    fn is_ready(&self) -> bool {
        self.level == self.acknowledged.1
    }

    fn clock_in(&mut self, before: &Self, sent: Option<T>) {
        self.acknowledged.clock(before.seen);
        if let Some(word) = sent.filter(|_| before.is_ready()) {
            (self.held, self.level) = (word, !before.level);
        }
    }

    fn clock_out(&mut self, before: &Self) {
        self.coming.clock(before.level);
        self.seen = before.coming.1;
        self.word = (before.seen != before.coming.1).then_some(before.held);
    }
}

/// The whole of it; see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LagDdmtd {
    /// Word and core clock, halved.
    halves: [bool; 2],
    /// The same in the helper clock.
    samples: [Synchronized; 2],
    words: LagTracker,
    cores: LagTracker,
    /// Slips of words and cores since the last pair.
    slips: [bool; 2],
    request: Crossing<bool>,
    answer: Crossing<LagPair>,
    line: LagLine,
}

impl LagDdmtd {
    /// For clocks of these nominal periods in femtoseconds, and DDMTD_K; a phase is static after 2^`static_log2` helper clocks without
    /// a tag.
    #[must_use]
    pub fn new(core_fs: u64, word_fs: u64, ddmtd_k: u32, static_log2: u32) -> Self {
        let helper = helper_period(word_fs, ddmtd_k);
        let tracker = |sampled_fs, gap| {
            LagTracker::with_bounds(helper, sampled_fs, [gap, gap / DDMTD_EDGE_PART], static_log2)
        };
        Self {
            halves: [false; 2],
            samples: Default::default(),
            words: tracker(word_fs, word_gap(core_fs, word_fs)),
            cores: tracker(core_fs, DDMTD_GAP),
            slips: [false; 2],
            request: Default::default(),
            answer: Default::default(),
            line: LagLine::new(core_fs, word_fs),
        }
    }

    /// Before an edge.
    #[must_use]
    pub const fn outputs(&self) -> LagTrackerOutputs {
        self.line.outputs()
    }

    /// Clocks rise; `restart` is of the core clock.
    pub fn clock(&mut self, edges: LagEdges, restart: bool) {
        let (halves, request, answer) = (self.halves, self.request, self.answer);
        if edges.word {
            self.halves[0] = !halves[0];
        }
        if edges.helper {
            self.clock_helper(halves, &request, &answer);
        }
        if edges.core {
            self.halves[1] = !halves[1];
            let ready = request.is_ready();
            let asks = self.line.asks(restart, ready);
            self.request.clock_in(&request, asks);
            self.answer.clock_out(&answer);
            self.line.clock(restart, ready, answer.word);
        }
    }

    fn clock_helper(&mut self, halves: [bool; 2], request: &Crossing<bool>, answer: &Crossing<LagPair>) {
        let [words, cores] = [self.words.outputs(), self.cores.outputs()];
        let slips = [self.slips[0] || words.slipped, self.slips[1] || cores.slipped];
        let restart = request.word == Some(true);
        let pair = request.word.map(|restart| LagPair {
            core: cores.line,
            words: words.line,
            ok: words.ok && cores.ok && !restart,
            fixed: words.fixed && cores.fixed,
            word_slip: slips[0],
            core_slip: slips[1],
        });
        self.slips = slips.map(|slip| slip && pair.is_none());
        self.words.clock(restart, self.samples[0].1);
        self.cores.clock(false, self.samples[1].1);
        for (sample, half) in self.samples.iter_mut().zip(halves) {
            sample.clock(half);
        }
        self.request.clock_out(request);
        self.answer.clock_in(answer, pair);
    }
}
