//! The check of the register line: CRC-16 over the characters of an exchange.
//!
//! | property | value |
//! |---|---|
//! | polynomial | x^16 + x^12 + x^5 + 1, [`POLYNOMIAL`] |
//! | starts at | [`INITIAL`] |
//! | order | the top bit of a character first; neither reflected nor inverted (CRC-16/IBM-3740) |
//! | is written as | four hexadecimal digits |
//!
//! The check of a request goes over all characters in front of it, from the first one of the line. The check of an answer goes over the
//! same characters and, after them, over those of the answer in front of it. Checks and line ends are never part of it.

/// The polynomial without its term x^16.
pub const POLYNOMIAL: u16 = 0x1021;
/// The check of no characters.
pub const INITIAL: u16 = 0xFFFF;
/// Hexadecimal digits of a check.
pub const DIGITS: usize = 4;

/// The check of what `check` went over and, after it, `text`.
#[must_use]
pub fn extend(check: u16, text: &[u8]) -> u16 {
    text.iter().fold(check, |check, letter| {
        (0..8).fold(check ^ (u16::from(*letter) << 8), |check, _| {
            let falls_out = check >> 15;
            (check << 1) ^ (falls_out * POLYNOMIAL)
        })
    })
}

/// A request with its check after it.
#[must_use]
pub fn checked(request: &str) -> String {
    let check = extend(INITIAL, format!("{request} ").as_bytes());
    format!("{request} {check:04x}")
}

/// An answer with its check after it. `front` is what the check of the request went over, with the space after it; if the request has no
/// check, it is the whole line without its end.
#[must_use]
pub fn checked_answer(front: &str, answer: &str) -> String {
    let check = extend(INITIAL, format!("{front}{answer} ").as_bytes());
    format!("{answer} {check:04x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value in the catalogue of parametrised CRC algorithms.
    #[test]
    fn it_is_the_catalogues_crc_16_ibm_3740() {
        assert_eq!(extend(INITIAL, b"123456789"), 0x29B1);
    }

    /// `binascii.crc_hqx(b"w 3 0030 2a ", 0xffff)` of Python says 0x6bf1.
    #[test]
    fn a_request_has_the_check_that_another_library_gives() {
        assert_eq!(checked("w 3 0030 2a"), "w 3 0030 2a 6bf1");
    }

    #[test]
    fn texts_end_with_their_check() {
        assert_eq!(checked("12345678").split_at(9).0, "12345678 ");
        let request = checked("w 3 0030 2a");
        let (front, check) = request.split_at(request.len() - DIGITS);
        assert_eq!(u16::from_str_radix(check, 16), Ok(extend(INITIAL, front.as_bytes())));
        let answer = checked_answer("w 3 0030 2a ", "ok");
        assert_eq!(u16::from_str_radix(&answer[3..], 16), Ok(extend(INITIAL, b"w 3 0030 2a ok ")));
    }
}
