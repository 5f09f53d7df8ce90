//! Flits (chapter 10, 3.1): 65 bits, written `0_8000014201020304`.

use flitforge_protocol::flit::{control, is_link_transfer_code, tail, FlitKind, Opcode};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One flit: the type bit and 64 data bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flit {
    is_body: bool,
    data: u64,
}

/// Why a value is not a flit, or a flit not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FlitError {
    /// A text that is not a flit.
    #[error("flit \"{text}\": expected 0 or 1, an underscore and 16 hexadecimal digits, such as 0_8000014201020304")]
    Text {
        /// The text that was given.
        text: String,
    },
    /// A number with bits above bit 64.
    #[error("flit {bits:#x}: has bits above bit 64; give 65 bits")]
    TooWide {
        /// The number that was given.
        bits: u128,
    },
    /// An opcode chapter 10, 3.2 does not define.
    #[error("control flit {flit}: opcode {opcode:#04x} is not defined; see chapter 10, 3.2")]
    Opcode {
        /// The flit.
        flit: Flit,
        /// Its opcode.
        opcode: u8,
    },
    /// Another kind of flit was expected.
    #[error("flit {flit}: is {found:?}, expected {expected:?}")]
    Kind {
        /// The flit.
        flit: Flit,
        /// The kind it has.
        found: FlitKind,
        /// The kind it should have.
        expected: FlitKind,
    },
    /// A field value that does not fit its field.
    #[error("{layout}, field {field}: {value:#x} does not fit, largest value is {largest:#x}")]
    Field {
        /// Name of the word.
        layout: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Value that was given.
        value: u64,
        /// Largest value the field holds.
        largest: u64,
    },
}

impl Flit {
    /// The Idle flit.
    pub const IDLE: Flit = Flit { is_body: false, data: 0 };

    /// A body flit.
    #[must_use]
    pub const fn body(data: u64) -> Self {
        Flit { is_body: true, data }
    }

    /// A flit with type bit 0: head, tail or control by its top data bits.
    #[must_use]
    pub const fn other(data: u64) -> Self {
        Flit { is_body: false, data }
    }

    /// A control flit; payload bits above bit 55 are cut off.
    #[must_use]
    pub const fn control(opcode: Opcode, payload: u64) -> Self {
        let word = control::payload::FIELD.set(0, payload);
        Flit::other(control::opcode::FIELD.set(word, opcode.code() as u64) as u64)
    }

    /// The flit with these 65 bits.
    pub const fn from_bits(bits: u128) -> Result<Self, FlitError> {
        if bits >> 65 != 0 {
            return Err(FlitError::TooWide { bits });
        }
        Ok(Flit { is_body: bits >> 64 == 1, data: bits as u64 })
    }

    /// The 65 bits, bit 64 the type.
    #[must_use]
    pub const fn bits(self) -> u128 {
        (self.is_body as u128) << 64 | self.data as u128
    }

    /// Bits 63 to 0.
    #[must_use]
    pub const fn data(self) -> u64 {
        self.data
    }

    /// Head, body, tail or control.
    #[must_use]
    pub const fn kind(self) -> FlitKind {
        FlitKind::of(self.bits())
    }

    /// The opcode's code of a control flit, defined or not; `None` for other flits.
    #[must_use]
    pub fn opcode_code(self) -> Option<u8> {
        matches!(self.kind(), FlitKind::Control).then(|| control::opcode::FIELD.get(self.bits()) as u8)
    }

    /// The opcode of a control flit; `None` for other flits and undefined opcodes.
    #[must_use]
    pub fn opcode(self) -> Option<Opcode> {
        self.opcode_code().and_then(Opcode::from_code)
    }

    /// True for opcode 0x00, whatever the payload (chapter 10, 4.1 rule 1).
    #[must_use]
    pub fn is_idle(self) -> bool {
        self.opcode() == Some(Opcode::Idle)
    }

    /// True for a link-transfer (LT) control flit, legal only as flit 0 of a Null LTP.
    #[must_use]
    pub fn is_link_transfer(self) -> bool {
        self.opcode_code().is_some_and(is_link_transfer_code)
    }

    /// True if the flit may stand in a reliable LTP: not LT and not an undefined opcode (chapter 10, 4.1 rule 6).
    #[must_use]
    pub fn is_reliable(self) -> bool {
        match self.opcode_code() {
            None => true,
            Some(_) => self.opcode().is_some_and(|opcode| !opcode.is_link_transfer()),
        }
    }

    /// The data of a flit that must have the given kind.
    pub fn expect(self, expected: FlitKind) -> Result<u64, FlitError> {
        let found = self.kind();
        if found == expected {
            Ok(self.data)
        } else {
            Err(FlitError::Kind { flit: self, found, expected })
        }
    }

    /// A tail flit from its 62 trailer bits; higher bits are cut off.
    #[must_use]
    pub const fn tail(trailer: u64) -> Self {
        Flit::other(tail::tail_bit::FIELD.set(tail::trailer::FIELD.set(0, trailer), 1) as u64)
    }
}

impl fmt::Display for Flit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}_{:016X}", u8::from(self.is_body), self.data)
    }
}

impl fmt::Debug for Flit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Flit {
    type Err = FlitError;

    fn from_str(text: &str) -> Result<Self, FlitError> {
        let error = || FlitError::Text { text: text.to_string() };
        let (kind, data) = text.split_once('_').ok_or_else(error)?;
        if data.len() != 16 || !data.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(error());
        }
        let data = u64::from_str_radix(data, 16).map_err(|_| error())?;
        match kind {
            "0" => Ok(Flit::other(data)),
            "1" => Ok(Flit::body(data)),
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_flit_is_refused() {
        for text in [
            "",
            "2_0000000000000000",
            "0_123",
            "0000000000000000",
            "0_+000000000000000",
            "1_0000000000000000_",
        ] {
            assert!(text.parse::<Flit>().is_err(), "{text}");
        }
    }

    #[test]
    fn bits_above_64_are_refused() {
        assert_eq!(Flit::from_bits(1 << 65), Err(FlitError::TooWide { bits: 1 << 65 }));
        assert_eq!(Flit::from_bits((1 << 65) - 1), Ok(Flit::body(u64::MAX)));
    }

    #[test]
    fn kinds_follow_the_top_bits() {
        let kind = |text: &str| text.parse::<Flit>().expect("a flit").kind();
        assert_eq!(kind("1_0000000000000000"), FlitKind::Body);
        assert_eq!(kind("0_8000000000000000"), FlitKind::Head);
        assert_eq!(kind("0_C000000000000000"), FlitKind::Head);
        assert_eq!(kind("0_4000000000000000"), FlitKind::Tail);
        assert_eq!(kind("0_3F00000000000000"), FlitKind::Control);
    }

    #[test]
    fn undefined_and_link_transfer_opcodes_are_not_reliable() {
        let opcode = |code: u64| Flit::other(code << 56);
        assert!(opcode(0x06).is_reliable() && !opcode(0x01).is_reliable() && !opcode(0x22).is_reliable());
        assert!(Flit::body(0x22 << 56).is_reliable() && !Flit::body(0x22 << 56).is_link_transfer());
    }
}
