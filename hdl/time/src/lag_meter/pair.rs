//! Both lines at an edge of the helper clock: what crosses to the core clock.

use super::{LagTracker, LINE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Synchronizer;
use flitforge_protocol::time_lag::{word_gap, DDMTD_EDGE_PART, DDMTD_GAP};

/// Bits of a pair: core clocks, words, valid, static, a slip of the core clock, a slip of the word clock.
pub const PAIR_BITS: usize = 2 * LINE_BITS + 4;

/// Follows word and core clock with the helper clock, a [`LagTracker`] for each.
#[block("lag_helper", new)]
pub struct LagHelper {
    /// Helper clock.
    clock: In<Clock>,
    /// Half the word clock.
    word_half: In<Bit>,
    /// Half the core clock.
    core_half: In<Bit>,
    /// The pair is taken in this clock; slips count anew.
    take: In<Bit>,
    /// With `take`: rate and tags of the word clock are forgotten, and this pair is not valid.
    restart: In<Bit>,
    /// The pair.
    pair: Out<Bits<PAIR_BITS>>,

    #[wire(clock)]
    word_crossing: Synchronizer<2>,
    #[wire(clock)]
    core_crossing: Synchronizer<2>,
    #[wire(clock)]
    words: LagTracker,
    #[wire(clock)]
    cores: LagTracker,
    word_slip: Reg<Bit>,
    core_slip: Reg<Bit>,
}

#[logic]
impl LagHelper {
    /// For clocks of these nominal periods in femtoseconds that have been checked; static after 2^`static_log2` clocks without a tag.
    pub(super) fn new(
        core_fs: u64,
        word_fs: u64,
        helper_fs: u64,
        static_log2: u32,
    ) -> Result<Self, ConfigError> {
        let tracker = |sampled_fs, gap| {
            LagTracker::with_bounds(helper_fs, sampled_fs, [gap, gap / DDMTD_EDGE_PART], static_log2)
        };
        Ok(Self {
            word_crossing: Synchronizer::new(false)?,
            core_crossing: Synchronizer::new(false)?,
            words: tracker(word_fs, word_gap(core_fs, word_fs)),
            cores: tracker(core_fs, DDMTD_GAP),
            ..
        })
    }

    fn update(&mut self) {
        word_crossing.d = word_half;
        core_crossing.d = core_half;
        words = In { sample: word_crossing.q, restart: take & restart };
        cores = In { sample: core_crossing.q, restart: false };
        let word_slips = word_slip | words.slipped;
        let core_slips = core_slip | cores.slipped;
        word_slip = word_slips & !take;
        core_slip = core_slips & !take;
        let pair_ok = words.ok & cores.ok & !restart;
        let pair_fixed = words.fixed & cores.fixed;
        pair = bit_cast::<PAIR_BITS, LINE_BITS>(cores.line)
            | (bit_cast::<PAIR_BITS, LINE_BITS>(words.line) << 28)
            | (bit_cast::<PAIR_BITS, 1>(pair_ok.into()) << 56)
            | (bit_cast::<PAIR_BITS, 1>(pair_fixed.into()) << 57)
            | (bit_cast::<PAIR_BITS, 1>(core_slips.into()) << 58)
            | (bit_cast::<PAIR_BITS, 1>(word_slips.into()) << 59);
    }
}

const _: () = assert!(LINE_BITS == 28 && PAIR_BITS == 60);
