//! Parameters of a lag meter and what is refused.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_lag::{
    helper_period, helper_without_beat, ratio_without_beat, DDMTD_K as K, STATIC_LOG2, WORDS_PER_CLOCK_MAX,
};

const NAME: &str = "lag_meter";
/// Periods from 1 GHz to 5 MHz.
const PERIODS_FS: (u64, u64) = (1_000_000, 200_000_000);

/// Build-time choice of a `lag_meter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagMeterConfig {
    /// rx, else tx.
    pub receive: bool,
    /// PHASE_SRC.
    pub phase_source: PhaseSource,
    /// Nominal core clock period, fs.
    pub core_fs: u64,
    /// Nominal word clock period of a lane, fs.
    pub word_fs: u64,
    /// DDMTD_K.
    pub ddmtd_k: u32,
    /// NOM, ns.
    pub nominal_ns: u64,
    /// Flits per beat.
    pub flits: usize,
    /// Clocks (DDMTD: helper clocks) without a tag that make the phase static, as a power of 2.
    pub static_log2: u32,
}

impl Default for LagMeterConfig {
    /// rx of 156.25 MHz with BEAT, as the chapter's figures have it.
    fn default() -> Self {
        Self {
            receive: true,
            phase_source: PhaseSource::Beat,
            core_fs: CORE_FS.default,
            word_fs: WORD_FS.default,
            ddmtd_k: K.1,
            nominal_ns: 0,
            flits: 2,
            static_log2: STATIC_LOG2,
        }
    }
}

impl LagMeterConfig {
    /// Refuses what cannot work.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_range(NAME, "core_fs", self.core_fs, PERIODS_FS.0, PERIODS_FS.1)?;
        check_range(NAME, "word_fs", self.word_fs, PERIODS_FS.0, PERIODS_FS.1)?;
        check_range(NAME, "ddmtd_k", self.ddmtd_k.into(), K.0.into(), K.2.into())?;
        check_range(NAME, "nom", self.nominal_ns, 0, 1023)?;
        check_range(NAME, "static_log2", self.static_log2.into(), 12, STATIC_LOG2.into())?;
        check_one_of(NAME, "f", self.flits as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        if self.core_fs >= self.word_fs * WORDS_PER_CLOCK_MAX {
            return Err(ConfigError::new(
                NAME,
                "core_fs",
                self.core_fs,
                format!("less than {WORDS_PER_CLOCK_MAX} words ({} fs) per core clock", self.word_fs),
                "choose a faster core clock",
            ));
        }
        if self.phase_source == PhaseSource::Ddmtd {
            return self.check_helper();
        }
        match ratio_without_beat(self.core_fs, self.word_fs) {
            Some((p, q)) if self.phase_source == PhaseSource::Beat => Err(ConfigError::new(
                NAME,
                "source",
                "BEAT",
                format!(
                    "clocks that are not within 0.1 % of a small ratio: core to word clock period is {p}/{q}"
                ),
                "use DDMTD or PHY, or another core clock",
            )),
            _ => Ok(()),
        }
    }

    /// The helper clock must beat with the core clock; with the word clock it does by what it is.
    fn check_helper(&self) -> Result<(), ConfigError> {
        let helper_fs = helper_period(self.word_fs, self.ddmtd_k);
        if helper_fs >= self.core_fs * WORDS_PER_CLOCK_MAX {
            return Err(ConfigError::new(
                NAME,
                "core_fs",
                self.core_fs,
                format!("less than {WORDS_PER_CLOCK_MAX} core clocks per helper clock ({helper_fs} fs)"),
                "choose a slower core clock",
            ));
        }
        match helper_without_beat(helper_fs, self.core_fs) {
            Some((p, q)) => Err(ConfigError::new(
                NAME,
                "source",
                "DDMTD",
                format!(
                    "a helper clock that is not within 0.05 % of a small ratio to the core clock: helper to core clock period is {p}/{q}"
                ),
                "use another DDMTD_K, or BEAT or PHY",
            )),
            None => Ok(()),
        }
    }
}

/// Parameter.
pub(super) const CORE_FS: ParameterInfo = ParameterInfo::new(
    "core_fs",
    6_400_000,
    Allowed::Range(PERIODS_FS.0, PERIODS_FS.1),
    "nominal core clock period, fs",
);
/// Parameter.
pub(super) const WORD_FS: ParameterInfo = ParameterInfo::new(
    "word_fs",
    6_241_000,
    Allowed::Range(PERIODS_FS.0, PERIODS_FS.1),
    "nominal word clock period of a lane, fs",
);
/// Parameter.
pub const DDMTD_K: ParameterInfo = ParameterInfo::new(
    "ddmtd_k",
    K.1 as u64,
    Allowed::Range(K.0 as u64, K.2 as u64),
    "DDMTD_K: the helper clock has 2^K/(2^K+1) of the word clock's frequency",
);
