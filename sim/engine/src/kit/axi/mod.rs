//! AXI4 and AXI4-Lite (ARM IHI 0022): manager, subordinate and protocol monitor as agents.
//!
//! Ports are `NAME.awvalid`, `NAME.wdata` and so on, with the standard's names in lower case. An interface
//! without `awlen` is AXI4-Lite: single beats, no identifiers. Data are 8 to 64 bits wide.

mod manager;
mod memory;
mod monitor;
mod ports;
mod subordinate;

pub use manager::{AxiManager, AxiTraffic};
pub use memory::AxiMemory;
pub use monitor::AxiMonitor;
pub use ports::{AxiPorts, Burst, Response};
pub use subordinate::AxiSubordinate;
