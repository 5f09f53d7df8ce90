//! Both lines at an edge of the helper clock: what crosses to the core clock.

use super::{LagTracker, LINE_BITS};
use crate::config::ConfigError;
use crate::prim::Synchronizer;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_lag::{word_gap, DDMTD_EDGE_PART, DDMTD_GAP};

/// Bits of a pair: core clocks, words, valid, static, a slip of the core clock, a slip of the word clock.
pub const PAIR_BITS: usize = 2 * LINE_BITS + 4;

/// Follows word and core clock with the helper clock, a [`LagTracker`] for each.
#[derive(LogicBlock)]
pub struct LagHelper {
    /// Helper clock.
    pub clock: Signal<In, Clock>,
    /// Half the word clock.
    pub word_half: Signal<In, Bit>,
    /// Half the core clock.
    pub core_half: Signal<In, Bit>,
    /// The pair is taken in this clock; slips count anew.
    pub take: Signal<In, Bit>,
    /// With `take`: rate and tags of the word clock are forgotten, and this pair is not valid.
    pub restart: Signal<In, Bit>,
    /// The pair.
    pub pair: Signal<Out, Bits<PAIR_BITS>>,

    word_crossing: Synchronizer<2>,
    core_crossing: Synchronizer<2>,
    words: LagTracker,
    cores: LagTracker,
    word_slip: DFF<Bit>,
    core_slip: DFF<Bit>,
    word_slips: Signal<Local, Bit>,
    core_slips: Signal<Local, Bit>,
    pair_ok: Signal<Local, Bit>,
    pair_fixed: Signal<Local, Bit>,
}

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
            clock: Default::default(),
            word_half: Default::default(),
            core_half: Default::default(),
            take: Default::default(),
            restart: Default::default(),
            pair: Default::default(),
            word_crossing: Synchronizer::new(false)?,
            core_crossing: Synchronizer::new(false)?,
            words: tracker(word_fs, word_gap(core_fs, word_fs)),
            cores: tracker(core_fs, DDMTD_GAP),
            word_slip: Default::default(),
            core_slip: Default::default(),
            word_slips: Default::default(),
            core_slips: Default::default(),
            pair_ok: Default::default(),
            pair_fixed: Default::default(),
        })
    }
}

impl Logic for LagHelper {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, word_slip, core_slip);
        clock!(self, clock, word_crossing, core_crossing, words, cores);
        self.word_crossing.d.next = self.word_half.val();
        self.core_crossing.d.next = self.core_half.val();
        self.words.sample.next = self.word_crossing.q.val();
        self.words.restart.next = self.take.val() & self.restart.val();
        self.cores.sample.next = self.core_crossing.q.val();
        self.cores.restart.next = false;
        self.word_slips.next = self.word_slip.q.val() | self.words.slipped.val();
        self.core_slips.next = self.core_slip.q.val() | self.cores.slipped.val();
        self.word_slip.d.next = self.word_slips.val() & !self.take.val();
        self.core_slip.d.next = self.core_slips.val() & !self.take.val();
        self.pair_ok.next = self.words.ok.val() & self.cores.ok.val() & !self.restart.val();
        self.pair_fixed.next = self.words.fixed.val() & self.cores.fixed.val();
        self.pair.next = bit_cast::<PAIR_BITS, LINE_BITS>(self.cores.line.val())
            | (bit_cast::<PAIR_BITS, LINE_BITS>(self.words.line.val()) << 28)
            | (bit_cast::<PAIR_BITS, 1>(self.pair_ok.val().into()) << 56)
            | (bit_cast::<PAIR_BITS, 1>(self.pair_fixed.val().into()) << 57)
            | (bit_cast::<PAIR_BITS, 1>(self.core_slips.val().into()) << 58)
            | (bit_cast::<PAIR_BITS, 1>(self.word_slips.val().into()) << 59);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_helper", &[])
    }
}

drive_ports!(impl[] LagHelper { clock, word_half, core_half, take, restart, pair });

const _: () = assert!(LINE_BITS == 28 && PAIR_BITS == 60);
