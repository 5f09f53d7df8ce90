//! What fields of registers may hold.

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldRange {
    /// Byte offset of the register.
    pub offset: u32,
    /// Name of the field.
    pub field: &'static str,
    /// Least value.
    pub least: u64,
    /// Largest value.
    pub most: u64,
}

impl FieldRange {
    /// A field of the register at `offset`.
    #[must_use]
    pub const fn new(offset: u32, field: &'static str, least: u64, most: u64) -> Self {
        Self { offset, field, least, most }
    }
}
