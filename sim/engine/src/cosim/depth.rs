//! How far co-simulations go: one setting for all of them.

use crate::error::SimError;

/// Clocks of a full run, on every description of a block.
pub const FULL_CLOCKS: u64 = 100_000;
/// Clocks of a campaign, on every description of a block.
pub const CAMPAIGN_CLOCKS: u64 = 1_000_000;

/// Most clocks of the emitted Verilog in a quick run: an interpreter is the slowest of the descriptions.
pub const QUICK_VERILOG_CLOCKS: u64 = 2_000;

/// How far a co-simulation goes. The test says what a quick run is; the others are the same for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// What the test says: a run of minutes for all blocks, with fewer clocks on slow descriptions.
    #[default]
    Quick,
    /// At least [`FULL_CLOCKS`] on every description of every block and preset, rust-hdl itself included.
    Full,
    /// At least [`CAMPAIGN_CLOCKS`] on every description.
    Campaign,
}

impl Depth {
    /// Environment variable that chooses the depth.
    pub const VARIABLE: &'static str = "FLITFORGE_COSIM";

    /// All, the shortest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Full, Self::Campaign];

    /// Name, as used in `FLITFORGE_COSIM`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
            Self::Campaign => "campaign",
        }
    }

    /// The depth called `name`.
    pub fn parse(name: &str) -> Result<Self, SimError> {
        Self::ALL.into_iter().find(|depth| depth.name() == name).ok_or_else(|| SimError::Unknown {
            kind: "depth of co-simulation",
            name: name.into(),
            available: Self::ALL.iter().map(|depth| depth.name().to_string()).collect(),
        })
    }

    /// What `FLITFORGE_COSIM` says; quick without it.
    pub fn from_environment() -> Result<Self, SimError> {
        match std::env::var(Self::VARIABLE) {
            Ok(name) => Self::parse(&name),
            Err(_) => Ok(Self::default()),
        }
    }

    /// Clocks of a run that has `quick` clocks when it is quick.
    pub fn clocks(self, quick: u64) -> u64 {
        match self {
            Self::Quick => quick,
            Self::Full => quick.max(FULL_CLOCKS),
            Self::Campaign => quick.max(CAMPAIGN_CLOCKS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_depth_is_refused_with_the_list() {
        let error = Depth::parse("deep").unwrap_err().to_string();
        assert!(error.contains("`deep`") && error.contains("quick, full, campaign"), "{error}");
    }

    #[test]
    fn a_deeper_run_is_never_shorter() {
        for quick in [1, 1_500, FULL_CLOCKS, 2 * CAMPAIGN_CLOCKS] {
            let clocks = Depth::ALL.map(|depth| depth.clocks(quick));
            assert!(clocks.is_sorted() && clocks[0] == quick, "{clocks:?}");
        }
        assert_eq!(Depth::ALL.map(|depth| depth.clocks(2_000)), [2_000, FULL_CLOCKS, CAMPAIGN_CLOCKS]);
    }
}
