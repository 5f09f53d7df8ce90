//! Deliberate mistakes of the compiler, to show that the comparison with the evaluator finds each.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Results keep bits above their width.
    WrongMask,
    /// Wide sums lose the carry between words.
    LostCarry,
    /// Multiplexers choose the other value.
    SwappedMux,
    /// A read that meets a write returns the new word.
    ReadAfterWrite,
    /// Signed comparisons compare unsigned.
    UnsignedCompare,
    /// Shift amounts count modulo 64.
    ShiftNotSaturated,
    /// Registers load without looking at their enable.
    MissingEnable,
    /// Registers ignore their clear.
    ClearIgnored,
    /// A register is stored although its old value is still needed.
    EarlyStore,
    /// A register is stored although the opposite of a comparison, written later, reads its old value again.
    /// Only native code writes opposite comparisons.
    EarlyStoreBeforeOpposite,
    /// Branches are taken the wrong way round.
    SwappedBranch,
    /// A register in a branch that is not taken gets what it got when the branch was last taken.
    StaleShadow,
    /// Every register follows every clock.
    WrongClockSet,
    /// Writes beyond a memory's depth land in its last word.
    WriteOutOfRange,
    /// Parities forget their last masked word.
    ParityLosesWord,
    /// Tables of sums of bits have a wrong entry.
    WrongTable,
}

impl Mutation {
    /// All.
    pub const ALL: [Self; 16] = [
        Self::WrongMask,
        Self::LostCarry,
        Self::SwappedMux,
        Self::ReadAfterWrite,
        Self::UnsignedCompare,
        Self::ShiftNotSaturated,
        Self::MissingEnable,
        Self::ClearIgnored,
        Self::EarlyStore,
        Self::EarlyStoreBeforeOpposite,
        Self::SwappedBranch,
        Self::StaleShadow,
        Self::WrongClockSet,
        Self::WriteOutOfRange,
        Self::ParityLosesWord,
        Self::WrongTable,
    ];
}
