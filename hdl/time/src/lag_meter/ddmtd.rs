//! PHASE_SRC DDMTD.

use super::config::{CORE_FS, DDMTD_K, WORD_FS};
use super::line::LagLine;
use super::pair::{LagHelper, PAIR_BITS};
use super::tracker::STATIC;
use super::{LagMeterConfig, LINE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::WordCrossing;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_lag::helper_period;

/// Follows a word clock by a helper clock that samples word and core clock: for core clocks near a ratio of small numbers to it.
///
/// The helper clock follows both ([`LagHelper`]); every 64 core clocks both lines of one helper edge cross over to the core clock, where
/// [`LagLine`] counts words by them. Valid 31 pairs after both phases are.
#[block("lag_ddmtd", new)]
pub struct LagDdmtd {
    /// Core clock.
    clock: In<Clock>,
    /// Word clock of the lane.
    word_clock: In<Clock>,
    /// Helper clock, 2^K/(2^K+1) of the word clock's frequency.
    helper_clock: In<Clock>,
    /// Rate and tags of the word clock are forgotten.
    restart: In<Bit>,
    /// Words since power-on with 12 fraction bits.
    line: Out<Bits<LINE_BITS>>,
    /// The phase is valid.
    ok: Out<Bit>,
    /// The phases of both clocks are static.
    fixed: Out<Bit>,
    /// Event: a slip of any of the three clocks.
    slipped: Out<Bit>,

    #[wire(clock = word_clock)]
    word_half: Reg<Bit>,
    core_half: Reg<Bit>,
    #[wire(clock = helper_clock)]
    helper: LagHelper,
    request: WordCrossing<1>,
    answer: WordCrossing<PAIR_BITS>,
    #[wire(clock)]
    follower: LagLine,
}

#[logic]
impl LagDdmtd {
    /// With clocks, DDMTD_K and `static_log2` (helper clocks) of `config`.
    pub fn new(config: &LagMeterConfig) -> Result<Self, ConfigError> {
        LagMeterConfig { phase_source: PhaseSource::Ddmtd, ..*config }.check()?;
        let (core_fs, word_fs) = (config.core_fs, config.word_fs);
        let helper_fs = helper_period(word_fs, config.ddmtd_k);
        Ok(Self {
            helper: LagHelper::new(core_fs, word_fs, helper_fs, config.static_log2)?,
            request: WordCrossing::new()?,
            answer: WordCrossing::new()?,
            follower: LagLine::new(core_fs, word_fs),
            ..
        })
    }

    fn update(&mut self) {
        word_half = !word_half;
        core_half = !core_half;
        helper = In { word_half, core_half };

        request = In { clock_in: clock, send: follower.ask, data: follower.ask_restart.into() };
        request.clock_out = helper_clock;
        follower.ready = request.ready;
        helper = In { take: request.valid, restart: request.word.any() };

        answer = In { clock_in: helper_clock, send: request.valid, data: helper.pair, clock_out: clock };
        follower = In { arrived: answer.valid, pair: answer.word };

        follower.restart = restart;
        Out { line, ok, fixed, slipped } = follower;
    }
}

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
