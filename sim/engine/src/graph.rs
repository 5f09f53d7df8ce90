//! The elaborated graph behind [`Bench`](crate::Bench).

/// A block simulated from its elaborated graph.
pub struct GraphBench {}
