//! The blocks of rust-hdl's own crates.

mod late_clock;
mod table;
