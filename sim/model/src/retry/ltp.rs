//! What crosses the link, as the retry protocol sees it.

use crate::control::Control;
use crate::flit::{Flit, FlitError};
use crate::ltp::{Ltp, LtpError, NullLtp};
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::flit::{is_time_subtype, FlitKind, Opcode};
use flitforge_protocol::ltp::FLITS_PER_LTP;

/// Content of a reliable LTP: real flits ([`Ltp`]) or something small that a simulation of many LTPs can follow.
pub trait Payload: Clone {
    /// Beats of F flits that are not all Idle: those that leave the receiver.
    fn beats(&self, flits_per_beat: usize) -> u64;
    /// Turns time flits (SPC subtypes 0x01 to 0x04) into Idle; returns how many there were.
    fn strip_time_flits(&mut self) -> u64;
}

impl Payload for Ltp {
    fn beats(&self, flits_per_beat: usize) -> u64 {
        self.flits.chunks(flits_per_beat).filter(|beat| !beat.iter().all(|flit| flit.is_idle())).count()
            as u64
    }

    fn strip_time_flits(&mut self) -> u64 {
        let time = self.flits.iter_mut().filter(|flit| is_time_flit(**flit));
        time.map(|flit| *flit = Flit::IDLE).count() as u64
    }
}

fn is_time_flit(flit: Flit) -> bool {
    flit.kind() == FlitKind::Control
        && flit.opcode() == Some(Opcode::Spc)
        && matches!(Control::decode(flit), Ok(Control::Spc { subtype, .. }) if is_time_subtype(subtype))
}

/// A numbered stand-in for sixteen flits: what a soak run sends. `index` counts from 0 for each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    /// Number of the LTP among the originals of its direction.
    pub index: u64,
    /// Mixed from index and direction, so that an altered token shows.
    pub check: u32,
    /// Time flits in it.
    pub time_flits: u8,
}

impl Token {
    /// The token with this index in this direction, with this number of time flits.
    #[must_use]
    pub const fn new(direction: usize, index: u64, time_flits: u8) -> Self {
        let mixed = (index ^ (direction as u64) << 63).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Token { index, check: (mixed >> 32) as u32, time_flits }
    }
}

impl Payload for Token {
    fn beats(&self, flits_per_beat: usize) -> u64 {
        beats_per_ltp(flits_per_beat) as u64
    }

    fn strip_time_flits(&mut self) -> u64 {
        std::mem::take(&mut self.time_flits).into()
    }
}

/// An LTP between link layers. The sequence number of a reliable LTP is not on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkLtp<P> {
    /// Sixteen flits that are delivered exactly once.
    Reliable(P),
    /// A Null LTP with this flit 0.
    Null(Control),
}

/// An LTP as it came in: its content can be used only if CRC and PHY say it is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrival<P> {
    /// CRC 0, no code error.
    Good(LinkLtp<P>),
    /// CRC not 0 or a code error in one of its words.
    Bad,
}

impl LinkLtp<Ltp> {
    /// The sixteen flits on the wire.
    pub fn flits(&self) -> Result<[Flit; FLITS_PER_LTP], LtpError> {
        match self {
            LinkLtp::Reliable(ltp) => Ok(ltp.flits),
            LinkLtp::Null(control) => Ok(NullLtp::of(*control)?.ltp().flits),
        }
    }

    /// Reads an LTP with a good CRC: a link-transfer flit 0 makes it a Null.
    pub fn read(ltp: Ltp) -> Result<Self, FlitError> {
        match ltp.null() {
            Some(null) => Ok(LinkLtp::Null(Control::decode(null.flit())?)),
            None => Ok(LinkLtp::Reliable(ltp)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Half;

    #[test]
    fn only_time_flits_are_stripped() {
        let [low, high] = Control::master_time(1).map(|time| time.encode().expect("a flit"));
        let other = Control::Spc { subtype: 0x05, data: 7 }.encode().expect("a flit");
        let mut ltp = Ltp::filled(&[low, high, Flit::body(3), other]);
        assert_eq!(ltp.beats(2), 2);
        assert_eq!(ltp.strip_time_flits(), 2);
        assert_eq!(ltp, Ltp::filled(&[Flit::IDLE, Flit::IDLE, Flit::body(3), other]));
        assert_eq!((ltp.beats(1), ltp.beats(2), ltp.beats(4)), (2, 1, 1));
    }

    #[test]
    fn nulls_come_back_from_flits() {
        let null = LinkLtp::Null(Control::RetryReq { half: Half::Second, next_rx_ltp: 0x2A });
        let flits = null.flits().expect("flits");
        assert_eq!(LinkLtp::read(Ltp::filled(&flits)), Ok(null));
        let data = Ltp::filled(&[Flit::body(1)]);
        assert_eq!(LinkLtp::read(data), Ok(LinkLtp::Reliable(data)));
    }
}
