//! Credit messages in the LTPs of mode 1: two bits in each of four LTPs, by sequence number.

use crate::ltp::Sideband;
use crate::sideband::SidebandMessage;
use flitforge_protocol::link::LTPS_PER_SIDEBAND_MESSAGE;

fn place(sequence: u16) -> usize {
    usize::from(sequence) % LTPS_PER_SIDEBAND_MESSAGE
}

/// Puts messages into original LTPs. A replayed LTP carries the bits it had.
#[derive(Clone, Debug, Default)]
pub struct SidebandSender {
    parts: [Sideband; LTPS_PER_SIDEBAND_MESSAGE],
}

impl SidebandSender {
    /// The bits of the original LTP with this sequence number; the first of four asks for the message.
    pub fn bits(&mut self, sequence: u16, message: impl FnOnce() -> SidebandMessage) -> Sideband {
        if place(sequence) == 0 {
            self.parts = message().split();
        }
        self.parts[place(sequence)]
    }
}

/// Takes messages out of accepted LTPs.
#[derive(Clone, Debug, Default)]
pub struct SidebandReceiver {
    parts: [Sideband; LTPS_PER_SIDEBAND_MESSAGE],
}

impl SidebandReceiver {
    /// The bits of an accepted LTP; with the fourth of a message, the message, unless it says nothing.
    pub fn accept(&mut self, sequence: u16, bits: Sideband) -> Option<SidebandMessage> {
        self.parts[place(sequence)] = bits;
        let complete = place(sequence) + 1 == LTPS_PER_SIDEBAND_MESSAGE;
        complete.then(|| SidebandMessage::join(self.parts)).filter(|message| message.code() != 0)
    }
}
