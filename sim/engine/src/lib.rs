//! Simulation back ends and the test-bench kit.
