//! Platform primitives: what a node needs from the part it runs on.

pub mod ecp5_dcu;
pub mod ecp5_ddr;
pub mod ecp5_pll;
pub mod ecp5_quarter_pll;

pub use ecp5_dcu::Ecp5Dcu;
pub use ecp5_ddr::{Ecp5DdrIn, Ecp5DdrOut};
pub use ecp5_pll::{Ecp5Pll, Ecp5PllConfig};
pub use ecp5_quarter_pll::{Ecp5QuarterPll, QuarterConfig};
