//! PHASE_SRC DDMTD.

use super::config::{CORE_FS, DDMTD_K, WORD_FS};
use super::line::LagLine;
use super::pair::{LagHelper, PAIR_BITS};
use super::tracker::STATIC;
use super::{LagMeterConfig, LINE_BITS};
use crate::config::ConfigError;
use crate::prim::WordCrossing;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_lag::helper_period;

/// Follows a word clock by a helper clock that samples word and core clock: for core clocks near a ratio of small numbers to it.
///
/// The helper clock follows both ([`LagHelper`]); every 64 core clocks both lines of one helper edge cross over to the core clock, where
/// [`LagLine`] counts words by them. Valid 31 pairs after both phases are.
#[derive(LogicBlock)]
pub struct LagDdmtd {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Word clock of the lane.
    pub word_clock: Signal<In, Clock>,
    /// Helper clock, 2^K/(2^K+1) of the word clock's frequency.
    pub helper_clock: Signal<In, Clock>,
    /// Rate and tags of the word clock are forgotten.
    pub restart: Signal<In, Bit>,
    /// Words since power-on with 12 fraction bits.
    pub line: Signal<Out, Bits<LINE_BITS>>,
    /// The phase is valid.
    pub ok: Signal<Out, Bit>,
    /// The phases of both clocks are static.
    pub fixed: Signal<Out, Bit>,
    /// Event: a slip of any of the three clocks.
    pub slipped: Signal<Out, Bit>,

    word_half: DFF<Bit>,
    core_half: DFF<Bit>,
    helper: LagHelper,
    request: WordCrossing<1>,
    answer: WordCrossing<PAIR_BITS>,
    follower: LagLine,
}

impl LagDdmtd {
    /// With clocks, DDMTD_K and `static_log2` (helper clocks) of `config`.
    pub fn new(config: &LagMeterConfig) -> Result<Self, ConfigError> {
        LagMeterConfig { phase_source: PhaseSource::Ddmtd, ..*config }.check()?;
        let (core_fs, word_fs) = (config.core_fs, config.word_fs);
        let helper_fs = helper_period(word_fs, config.ddmtd_k);
        Ok(Self {
            clock: Default::default(),
            word_clock: Default::default(),
            helper_clock: Default::default(),
            restart: Default::default(),
            line: Default::default(),
            ok: Default::default(),
            fixed: Default::default(),
            slipped: Default::default(),
            word_half: Default::default(),
            core_half: Default::default(),
            helper: LagHelper::new(core_fs, word_fs, helper_fs, config.static_log2)?,
            request: WordCrossing::new()?,
            answer: WordCrossing::new()?,
            follower: LagLine::new(core_fs, word_fs),
        })
    }
}

impl Logic for LagDdmtd {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_half.clock.next = self.word_clock.val();
        self.core_half.clock.next = self.clock.val();
        self.helper.clock.next = self.helper_clock.val();
        self.follower.clock.next = self.clock.val();
        self.word_half.d.next = !self.word_half.q.val();
        self.core_half.d.next = !self.core_half.q.val();
        self.helper.word_half.next = self.word_half.q.val();
        self.helper.core_half.next = self.core_half.q.val();

        self.request.clock_in.next = self.clock.val();
        self.request.send.next = self.follower.ask.val();
        self.request.data.next = self.follower.ask_restart.val().into();
        self.request.clock_out.next = self.helper_clock.val();
        self.follower.ready.next = self.request.ready.val();
        self.helper.take.next = self.request.valid.val();
        self.helper.restart.next = self.request.word.val().any();

        self.answer.clock_in.next = self.helper_clock.val();
        self.answer.send.next = self.request.valid.val();
        self.answer.data.next = self.helper.pair.val();
        self.answer.clock_out.next = self.clock.val();
        self.follower.arrived.next = self.answer.valid.val();
        self.follower.pair.next = self.answer.word.val();

        self.follower.restart.next = self.restart.val();
        self.line.next = self.follower.line.val();
        self.ok.next = self.follower.ok.val();
        self.fixed.next = self.follower.fixed.val();
        self.slipped.next = self.follower.slipped.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_ddmtd", &[])
    }
}

drive_ports!(impl[] LagDdmtd { clock, word_clock, helper_clock, restart, line, ok, fixed, slipped });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "lag_ddmtd",
    chapter: "20-time",
    summary: "phase of a word clock by a helper clock, for `lag_meter`",
    parameters: &[CORE_FS, WORD_FS, DDMTD_K, STATIC],
    presets: &[
        Preset { name: "default", values: &[("word_fs", 6_400_000)] },
        Preset {
            name: "fast_core",
            values: &[("core_fs", 3_200_000), ("word_fs", 6_400_000), ("ddmtd_k", 8), ("static_log2", 14)],
        },
    ],
    build: |settings| {
        let config = LagMeterConfig {
            core_fs: settings.get("core_fs")?,
            word_fs: settings.get("word_fs")?,
            ddmtd_k: settings.get("ddmtd_k")? as u32,
            static_log2: settings.get("static_log2")? as u32,
            ..Default::default()
        };
        let mut interface = InterfaceInfo::clocked(&[], None, "valid after two good tags and 31 pairs");
        interface.clears = vec!["restart".into()];
        interface.clocks.extend(["word_clock".into(), "helper_clock".into()]);
        Ok(BuiltBlock::new(LagDdmtd::new(&config)?, interface))
    },
};
