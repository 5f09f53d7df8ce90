//! The fabric manager's library for fabric time (chapter 20, section 7). It reaches devices through
//! [`RegisterAccess`] only, so the same code runs on a simulation and on boards.
//!
//! | module | rules of section 7 |
//! |---|---|
//! | [`tree`] | 1: the shortest tree |
//! | [`tables`] | 2, 3: ring table, link table |
//! | [`offsets`] | 4: equation (1) |
//! | [`program`] | 5 to 8: programming order, fail-over, reconfiguration, loss of a switch |
//! | [`software_servo`] | 9: the servo in software |
//! | [`bound`] | 10: error bound of a slave |

pub mod bound;
pub mod offsets;
pub mod program;
pub mod software_servo;
pub mod tables;
pub mod tree;

use crate::topology::{DeviceId, LinkId};
use thiserror::Error;

pub use flitforge_protocol::register::{AccessError, RegisterAccess};

/// Why the manager could not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ManagerError {
    /// A register could not be reached.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A register kept its old value.
    #[error("device {device}, register {offset:#05x}: {written:#x} was written, {read:#x} is there; the device refused it")]
    Refused {
        /// Device.
        device: DeviceId,
        /// Byte offset.
        offset: u32,
        /// Written.
        written: u64,
        /// Found.
        read: u64,
    },
    /// A link could not be measured.
    #[error("link {link}: the delay measurement failed; check the link, then measure again")]
    Measurement {
        /// Link.
        link: LinkId,
    },
    /// The two directions of a link differ.
    #[error(
        "link {link}: {forward} and {backward} (1/256 ns) differ by more than {tolerance}; set its asymmetry"
    )]
    Asymmetry {
        /// Link.
        link: LinkId,
        /// From end 0 to end 1.
        forward: i64,
        /// From end 1 to end 0.
        backward: i64,
        /// LDM_TOL.
        tolerance: i64,
    },
    /// A device that cannot be a master.
    #[error("device {device} cannot be master: {problem}")]
    Master {
        /// Device.
        device: DeviceId,
        /// Why.
        problem: &'static str,
    },
    /// An offset that does not fit the register.
    #[error("device {device}: an offset of {offset} (1/256 ns) does not fit CLOCK_OFFSET's 48 bits")]
    Offset {
        /// Device.
        device: DeviceId,
        /// Offset.
        offset: i64,
    },
}
