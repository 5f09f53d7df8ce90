//! Golden models of the flitforge fabric in plain Rust.
