//! Credit messages of mode 1's sideband (chapter 10, 4.10).

use crate::ltp::Sideband;
use flitforge_protocol::link::{sideband_message, LTPS_PER_SIDEBAND_MESSAGE};

/// A message: credit code for a virtual lane; the byte 0x00 means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SidebandMessage(u8);

impl SidebandMessage {
    /// The message that returns nothing.
    pub const NOTHING: SidebandMessage = SidebandMessage(0);

    /// A message; `None` if vl is above 31 or the code above 7.
    #[must_use]
    pub fn new(vl: u8, code: u8) -> Option<Self> {
        let (lane, credit) = (sideband_message::vl::FIELD, sideband_message::code::FIELD);
        let fits = u64::from(vl) <= lane.ones() && u64::from(code) <= credit.ones();
        fits.then(|| SidebandMessage(lane.set(credit.set(0, code.into()), vl.into()) as u8))
    }

    /// The message as a byte.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// The virtual lane.
    #[must_use]
    pub const fn vl(self) -> u8 {
        sideband_message::vl::FIELD.get(self.0 as u128) as u8
    }

    /// The credit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        sideband_message::code::FIELD.get(self.0 as u128) as u8
    }

    /// The sideband bits of the LTPs with sequence mod 4 = 0, 1, 2, 3.
    #[must_use]
    pub fn split(self) -> [Sideband; LTPS_PER_SIDEBAND_MESSAGE] {
        std::array::from_fn(|k| Sideband {
            c0: self.0 >> (2 * k) & 1 == 1,
            c1: self.0 >> (2 * k + 1) & 1 == 1,
        })
    }

    /// The message of four LTPs' sideband bits.
    #[must_use]
    pub fn join(parts: [Sideband; LTPS_PER_SIDEBAND_MESSAGE]) -> Self {
        SidebandMessage(parts.iter().enumerate().fold(0, |byte, (k, part)| {
            byte | u8::from(part.c0) << (2 * k) | u8::from(part.c1) << (2 * k + 1)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_split_and_join() {
        for byte in 0..=255 {
            let message = SidebandMessage(byte);
            assert_eq!(SidebandMessage::join(message.split()), message);
            assert_eq!(SidebandMessage::new(message.vl(), message.code()), Some(message));
        }
    }

    #[test]
    fn too_large_fields_are_refused() {
        assert_eq!(SidebandMessage::new(32, 0), None);
        assert_eq!(SidebandMessage::new(0, 8), None);
    }
}
