//! Frames that the host injects and extracts (chapter 50, 4.8).

use super::{encode, Sue, SueError};
use flitforge_protocol::register::{RegisterAccess, RegisterValue};
use flitforge_protocol::sue_registers::{self as page, MANAGEMENT_BYTES, MANAGEMENT_BYTES_MIN};
use thiserror::Error;

/// Octets of a word of INJ_DATA and EXT_DATA.
const WORD_BYTES: usize = 8;
/// Looks at INJ_CTL until the frame before has to have left.
const LOOKS: u32 = 1_000;
/// Microseconds between two of them.
const LOOK_US: u64 = 10;

/// A frame that came for the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Port that it came by.
    pub port: u8,
    /// Its octets without FCS.
    pub frame: Vec<u8>,
}

/// Why a frame is not injected or extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameError {
    /// No Ethernet frame, or larger than the FIFO.
    #[error("a frame of {octets} octets without FCS: {MANAGEMENT_BYTES_MIN} to {MANAGEMENT_BYTES} can be injected")]
    Length {
        /// Octets.
        octets: usize,
    },
    /// A port that is not there.
    #[error("port {port}: this instance has {count}")]
    Port {
        /// The port.
        port: u8,
        /// Ports of the instance.
        count: u64,
    },
    /// The frame before stays.
    #[error("the frame before has not left after {} ms; is the port up, and its class not paused?", u64::from(LOOKS) * LOOK_US / 1_000)]
    Busy,
    /// Hardware that says what cannot be.
    #[error("a frame of {octets} octets was extracted; there is no such frame")]
    Extracted {
        /// Octets.
        octets: u64,
    },
}

impl Sue {
    /// Sends a frame without FCS by a port: at most one per INJ_GAP, unreliably. Waits until the frame before has left, not until
    /// this one has.
    pub fn inject(&self, access: &mut impl RegisterAccess, port: u8, frame: &[u8]) -> Result<(), SueError> {
        let fail = |problem| SueError::Frame { device: self.device, problem };
        let (octets, count) = (frame.len(), self.sizes.ports);
        if !(MANAGEMENT_BYTES_MIN..=MANAGEMENT_BYTES).contains(&octets) {
            return Err(fail(FrameError::Length { octets }));
        }
        if u64::from(port) >= count {
            return Err(fail(FrameError::Port { port, count }));
        }
        if !self.await_injection(access)? {
            return Err(fail(FrameError::Busy));
        }
        self.guarded(access, "INJ_CTL", |sue, access| {
            for chunk in frame.chunks(WORD_BYTES) {
                let mut word = [0; WORD_BYTES];
                word[..chunk.len()].copy_from_slice(chunk);
                access.write(sue.device, page::INJ_DATA, u64::from_le_bytes(word))?;
            }
            let control = page::inj_ctl::Value { octets: octets as u64, port: port.into(), go: 1 };
            Ok(access.write(sue.device, page::INJ_CTL, encode(&control))?)
        })
    }

    fn await_injection(&self, access: &mut impl RegisterAccess) -> Result<bool, SueError> {
        for _ in 0..LOOKS {
            if page::inj_ctl::Value::decode(access.read(self.device, page::INJ_CTL)?).go == 0 {
                return Ok(true);
            }
            access.wait_us(LOOK_US);
        }
        Ok(false)
    }

    /// The next frame that came for the host, if there is one.
    pub fn extract(&self, access: &mut impl RegisterAccess) -> Result<Option<Extracted>, SueError> {
        let control = page::ext_ctl::Value::decode(access.read(self.device, page::EXT_CTL)?);
        if control.valid == 0 {
            return Ok(None);
        }
        let octets = control.octets as usize;
        if octets == 0 || octets > MANAGEMENT_BYTES {
            let problem = FrameError::Extracted { octets: control.octets };
            return Err(SueError::Frame { device: self.device, problem });
        }
        let mut frame = Vec::with_capacity(octets);
        for _ in 0..octets.div_ceil(WORD_BYTES) {
            frame.extend(access.read(self.device, page::EXT_DATA)?.to_le_bytes());
        }
        frame.truncate(octets);
        Ok(Some(Extracted { port: control.port as u8, frame }))
    }
}
