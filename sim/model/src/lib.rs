//! Golden models of the flitforge fabric in plain Rust.
//!
//! Everything here works on whole flits, packets, LTPs and rows of words, without a clock: it says *which bits*
//! go where, and is the source of expected values for tests of the hardware blocks. All field positions, opcodes
//! and polynomials come from `flitforge-protocol`.
//!
//! ```
//! use flitforge_model::{Flit, Ltp, LtpFormat};
//! use flitforge_protocol::ltp::CrcMode;
//!
//! let format = LtpFormat::new(CrcMode::Standard, 4)?;
//! let mut ltp = Ltp::idle();
//! ltp.flits[0] = "0_8000014201020304".parse()?;
//! let mut wire = format.encode(&ltp);
//! assert!(format.decode(&wire)?.is_good());
//! wire.flip(17);
//! assert!(!format.decode(&wire)?.is_good());
//! # let _ = Flit::IDLE;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod assemble;
pub mod bit_isolation;
pub mod bond;
pub mod code_8b10b;
pub mod control;
pub mod counters;
pub mod crc;
pub mod credit;
pub mod degrade;
pub mod explore;
pub mod flit;
pub mod goodput;
pub mod isolate;
pub mod isolation;
pub mod lanes;
pub mod line_position;
pub mod line_rate;
pub mod link_config;
pub mod link_registers;
pub mod ltp;
pub mod lvds;
pub mod packet;
pub mod pair;
pub mod prbs;
pub mod probation;
pub mod retry;
pub mod ring_stop;
pub mod ring_token;
pub mod scrambler;
pub mod search;
pub mod sideband;
pub mod stripe;
pub mod sue;
pub mod switch;
pub mod time;
pub mod train;
pub mod training;
pub mod vl;
pub mod wire;

pub use assemble::LtpAssembler;
pub use control::Control;
pub use counters::Counters;
pub use crc::Crc;
pub use flit::Flit;
pub use isolation::{Isolation, Verdict};
pub use lanes::{LaneCollector, LaneDistributor, LaneWord};
pub use ltp::{Ltp, LtpFormat, NullLtp};
pub use packet::Packet;
pub use pair::LinkPair;
pub use retry::{RetryConfig, RetryPort, RetryRx, RetryTx};
pub use scrambler::Scrambler;
pub use search::CrcSearch;
pub use sideband::SidebandMessage;
pub use stripe::Stripe;
pub use training::{AlignmentWord, StartWord, TrainingSet};
pub use wire::LtpBits;
