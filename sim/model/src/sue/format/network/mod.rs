//! Network headers (chapter 50, 3.5, and ESUN of 0): encapsulation, decapsulation and every check of the receiver.

mod config;
mod decapsulate;
mod encapsulate;
mod internet;
mod refusal;

pub use config::{
    ConfigError, Ethertypes, Fid, Framing, Generation, InternetBase, InternetVersion, Network, NetworkConfig,
    SecondEthertype, Shim, Tagging, Transport,
};
pub use decapsulate::{Marking, Received};
pub use encapsulate::{EncapsulateError, Route};
pub use refusal::HeaderRefusal;
