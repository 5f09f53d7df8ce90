//! Platform primitives: what a node needs from the part it runs on.

pub mod ecp5_pll;

pub use ecp5_pll::{Ecp5Pll, Ecp5PllConfig};
