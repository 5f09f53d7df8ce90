//! Beats into LTPs (chapter 10, 4.1 rules 1, 2, 3, 5 and 6) without a clock.

use crate::flit::Flit;
use crate::ltp::Ltp;
use crate::wire::WireError;
use flitforge_protocol::beat::is_flits_per_beat;
use flitforge_protocol::ltp::FLITS_PER_LTP;

/// Collects kept beats into reliable LTPs, as `link_ltp_tx` does with original LTPs.
#[derive(Debug, Clone)]
pub struct LtpAssembler {
    flits_per_beat: usize,
    open: Vec<Flit>,
    illegal: u64,
}

impl LtpAssembler {
    /// An assembler for beats of F flits, F = 1, 2 or 4.
    pub fn new(flits_per_beat: usize) -> Result<Self, WireError> {
        if !is_flits_per_beat(flits_per_beat) {
            return Err(WireError::FlitsPerBeat { f: flits_per_beat });
        }
        Ok(LtpAssembler { flits_per_beat, open: Vec::with_capacity(FLITS_PER_LTP), illegal: 0 })
    }

    /// Takes a beat from `flits_in`. Gives an LTP when this beat fills it.
    ///
    /// A beat of Idles only is dropped (rule 1). LT and undefined opcodes become Idle and are counted (rule 6);
    /// a beat that has become all Idle by that is dropped too. An Idle with a payload becomes [`Flit::IDLE`],
    /// uncounted. A beat of another width is refused.
    pub fn push(&mut self, beat: &[Flit]) -> Result<Option<Ltp>, WireError> {
        if beat.len() != self.flits_per_beat {
            return Err(WireError::FlitsPerBeat { f: beat.len() });
        }
        let carried = |flit: Flit| flit.is_reliable() && !flit.is_idle();
        let legal: Vec<Flit> =
            beat.iter().map(|&flit| if carried(flit) { flit } else { Flit::IDLE }).collect();
        self.illegal += beat.iter().filter(|flit| !flit.is_reliable()).count() as u64;
        if legal.iter().all(|flit| flit.is_idle()) {
            return Ok(None);
        }
        Ok(self.take(&legal))
    }

    /// A beat time without anything to send: an all-Idle beat enters the LTP, opening one if needed (rules 2, 3).
    pub fn idle_beat(&mut self) -> Option<Ltp> {
        let idle = vec![Flit::IDLE; self.flits_per_beat];
        self.take(&idle)
    }

    /// True if an LTP is open: some of its beats are out and the rest is to follow.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Illegal flits turned into Idle, `TX_ILLEGAL`.
    #[must_use]
    pub const fn illegal(&self) -> u64 {
        self.illegal
    }

    fn take(&mut self, beat: &[Flit]) -> Option<Ltp> {
        self.open.extend_from_slice(beat);
        (self.open.len() == FLITS_PER_LTP).then(|| {
            let ltp = Ltp::filled(&self.open);
            self.open.clear();
            ltp
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_protocol::flit::Opcode;

    const WORK: Flit = Flit::body(7);

    #[test]
    fn idle_beats_vanish_and_mixed_beats_stay_whole() {
        let mut assembler = LtpAssembler::new(2).expect("F = 2");
        assert_eq!(assembler.push(&[Flit::IDLE, Flit::IDLE]), Ok(None));
        assert!(!assembler.is_open());
        assert_eq!(assembler.push(&[Flit::IDLE, WORK]), Ok(None));
        assert!(assembler.is_open());
        let ltp = (0..7).find_map(|_| assembler.idle_beat()).expect("filled after seven more beats");
        assert_eq!(ltp, Ltp::filled(&[Flit::IDLE, WORK]));
        assert!(!assembler.is_open());
    }

    #[test]
    fn an_idle_with_a_payload_is_an_idle() {
        let mut assembler = LtpAssembler::new(2).expect("F = 2");
        let loaded = Flit::control(Opcode::Idle, 0x00C0_FFEE);
        assert_eq!(assembler.push(&[loaded, loaded]), Ok(None));
        assert!(!assembler.is_open(), "a beat of Idles only is dropped, payload or not");
        let ltps: Vec<Ltp> =
            (0..8).filter_map(|_| assembler.push(&[WORK, loaded]).expect("a beat")).collect();
        assert_eq!(ltps, [Ltp::filled(&[WORK, Flit::IDLE].repeat(8))]);
        assert_eq!(assembler.illegal(), 0, "not an illegal flit");
    }

    #[test]
    fn force_idle_survives() {
        let mut assembler = LtpAssembler::new(1).expect("F = 1");
        let force = Flit::control(Opcode::ForceIdle, 0);
        let ltps: Vec<Ltp> = (0..16).filter_map(|_| assembler.push(&[force]).expect("a beat")).collect();
        assert_eq!(ltps, [Ltp::filled(&[force; 16])]);
    }

    #[test]
    fn illegal_flits_become_idle_and_are_counted() {
        let mut assembler = LtpAssembler::new(4).expect("F = 4");
        let retry = Flit::control(Opcode::RetryReq0, 0);
        assert_eq!(assembler.push(&[retry, Flit::other(0x01 << 56), Flit::IDLE, Flit::IDLE]), Ok(None));
        assert_eq!((assembler.illegal(), assembler.is_open()), (2, false));
        assert!(assembler.push(&[WORK]).is_err(), "a beat of another width");
    }
}
