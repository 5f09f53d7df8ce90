//! What can go wrong in a case.

use std::fmt;

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// A beat was delivered that was never sent so.
    Altered,
    /// A beat was delivered again, or after a later one.
    Twice,
    /// More beats are lost than LOST_ON_RESET of the sender says.
    Lost,
    /// The link does not come up.
    NotUp,
    /// It does not stay up.
    Flaps,
    /// It is up at another width than the lanes allow.
    Width,
    /// A lane comes in elsewhere than registers LANES says, or is inverted otherwise than its wires.
    Wires,
    /// It went Down though lanes were left in both directions.
    WentDown,
    /// A state was not left within its documented time.
    State,
    /// It is up and carries too little.
    Stopped,
    /// The register bus does not answer.
    Bus,
    /// The bench itself: a block is refused, or does not simulate.
    Bench,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Altered,
        Self::Twice,
        Self::Lost,
        Self::NotUp,
        Self::Flaps,
        Self::Width,
        Self::Wires,
        Self::WentDown,
        Self::State,
        Self::Stopped,
        Self::Bus,
        Self::Bench,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Altered => "altered",
            Self::Twice => "twice",
            Self::Lost => "lost",
            Self::NotUp => "not_up",
            Self::Flaps => "flaps",
            Self::Width => "width",
            Self::Wires => "wires",
            Self::WentDown => "went_down",
            Self::State => "state",
            Self::Stopped => "stopped",
            Self::Bus => "bus",
            Self::Bench => "bench",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Kind.
    pub kind: FailureKind,
    /// What was seen and what was expected.
    pub text: String,
}

impl Failure {
    /// A failure.
    pub fn new(kind: FailureKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.text)
    }
}

impl From<flitforge_sim::SimError> for Failure {
    fn from(error: flitforge_sim::SimError) -> Self {
        Self::new(FailureKind::Bench, error.to_string())
    }
}
