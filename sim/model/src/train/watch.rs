//! Noise on single lanes, and the receiver's search for them: isolation and debts (chapter 10, 4.4 and 4.5).

use super::io::Direction;
use crate::degrade::{Degrade, DegradeAction, DegradeConfig, DegradeConfigError};
use crate::isolate::{physical_lanes, Isolate, LaneVerdict};
use crate::pair::BitErrorRate;
use crate::retry::{Fault, LatchAction, LinkLtp, Reception, Token};
use crate::stripe::LaneCountError;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::{group_lane, sequence_state, transfer_group, MAX_LANES};
use flitforge_protocol::ltp::{ltp_words, CrcMode, WORD_BITS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Longest burst of wrong bits on a lane.
const MAX_BURST: usize = 16;
/// Words of the longest LTP.
const MAX_WORDS: usize = ltp_words(CrcMode::PerLane);
/// The residue of a bad LTP in modes 0 and 1, where nothing depends on its value.
const BAD_RESIDUE: [u32; 1] = [1];

/// An LTP on the lanes: its sequence state and, if it was damaged, the words that arrive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct OnLanes {
    pub(crate) state: usize,
    pub(crate) damaged: Option<Vec<u32>>,
    /// Residues of the CRCs of a damaged LTP; empty where nothing depends on them.
    pub(crate) residues: Vec<u32>,
}

/// The noise of one direction, at its sender.
#[derive(Debug, Clone)]
pub(crate) struct LaneNoise {
    rates: [BitErrorRate; MAX_LANES],
    /// Chance of a wrong bit in so many words of a lane, once it was needed.
    chances: [[Option<u64>; MAX_WORDS + 1]; MAX_LANES],
    rng: ChaCha8Rng,
    /// LTPs since the start row.
    ltps: u64,
}

impl LaneNoise {
    pub(crate) fn new(rates: [BitErrorRate; MAX_LANES], seed: u64) -> Self {
        let chances = [[None; MAX_WORDS + 1]; MAX_LANES];
        LaneNoise { rates, chances, rng: ChaCha8Rng::seed_from_u64(seed), ltps: 0 }
    }

    /// A lane has this rate from now on; there is no other lane than those of [`MAX_LANES`].
    pub(crate) fn set_rate(&mut self, lane: usize, rate: BitErrorRate) {
        if let (Some(old), Some(chances)) = (self.rates.get_mut(lane), self.chances.get_mut(lane)) {
            *old = rate;
            *chances = [None; MAX_WORDS + 1];
        }
    }

    pub(crate) fn start_row(&mut self) {
        self.ltps = 0;
    }

    /// Puts the next LTP on the lanes.
    pub(crate) fn send(&mut self, ltp: &LinkLtp<Token>, tx: Direction) -> OnLanes {
        let (lanes, total) = (physical_lanes(tx.lanes), ltp_words(tx.mode));
        let state = sequence_state(total, lanes.len(), self.ltps);
        self.ltps += 1;
        let mut damaged = None;
        for (logical, &physical) in lanes.iter().enumerate() {
            let rate = self.rates[physical];
            if rate == BitErrorRate::default() {
                continue;
            }
            let words: Vec<usize> = (0..total)
                .filter(|&word| group_lane(lanes.len(), transfer_group(lanes.len(), word), state) == logical)
                .collect();
            let chance = &mut self.chances[physical][words.len()];
            let chance = *chance.get_or_insert_with(|| rate.ltp_chance(words.len() * WORD_BITS));
            if chance > 0 && self.rng.random::<u64>() < chance {
                self.burst(damaged.get_or_insert_with(|| words_of(ltp, total)), &words);
            }
        }
        OnLanes { state, damaged, residues: Vec::new() }
    }

    /// Wrong bits, perhaps, in words that a lane carries while it is not used.
    pub(crate) fn disturb(&mut self, lane: usize, words: &mut [u32]) {
        let rate = self.rates[lane];
        if rate == BitErrorRate::default() || words.len() > MAX_WORDS {
            return;
        }
        let chance = &mut self.chances[lane][words.len()];
        let chance = *chance.get_or_insert_with(|| rate.ltp_chance(words.len() * WORD_BITS));
        if chance > 0 && self.rng.random::<u64>() < chance {
            let places: Vec<usize> = (0..words.len()).collect();
            self.burst(words, &places);
        }
    }

    /// 1 to 16 bits in a row on one lane, the first and the last wrong.
    fn burst(&mut self, ltp: &mut [u32], words: &[usize]) {
        let length = self.rng.random_range(1..=MAX_BURST);
        let start = self.rng.random_range(0..=words.len() * WORD_BITS - length);
        for bit in start..start + length {
            if bit == start || bit + 1 == start + length || self.rng.random() {
                ltp[words[bit / WORD_BITS]] ^= 1 << (bit % WORD_BITS);
            }
        }
    }
}

/// Stand-in for the encoded LTP: flit 0 of a Null, else words that follow from the token.
pub(crate) fn words_of(ltp: &LinkLtp<Token>, total: usize) -> Vec<u32> {
    let mut words = vec![0; total];
    match ltp {
        LinkLtp::Null(null) => {
            let flit = null.encode().map_or(0, |flit| flit.bits());
            words
                .iter_mut()
                .take(3)
                .enumerate()
                .for_each(|(index, word)| *word = (flit >> (32 * index)) as u32);
            words[total - 1] = words[0] ^ words[1]; // in place of the CRC
        }
        LinkLtp::Reliable(token) => {
            let mut rng = ChaCha8Rng::seed_from_u64(token.index << 32 | u64::from(token.check));
            words.iter_mut().for_each(|word| *word = rng.random());
        }
    }
    words
}

/// Isolation and debts of one receiver.
#[derive(Debug, Clone)]
pub struct LaneWatch {
    isolate: Isolate,
    degrade: Degrade,
    direction: Option<Direction>,
}

impl LaneWatch {
    pub(crate) fn new(config: DegradeConfig) -> Result<Self, DegradeConfigError> {
        let isolate = Isolate::new(CrcMode::Standard, 0xF).map_err(|_: LaneCountError| {
            DegradeConfigError { field: "lanes", value: 0xF, expected: "1 to 4 lanes" }
        })?;
        Ok(LaneWatch { isolate, degrade: Degrade::new(config, 0)?, direction: None })
    }

    /// Verdicts charged to each lane, and the counters of the other verdicts.
    #[must_use]
    pub const fn isolate(&self) -> &Isolate {
        &self.isolate
    }

    /// The debts.
    #[must_use]
    pub const fn degrade(&self) -> &Degrade {
        &self.degrade
    }

    /// The direction starts, on these lanes in this mode.
    pub(crate) fn start(&mut self, direction: Direction) {
        if self.isolate.restart(direction.mode, direction.lanes).is_ok() {
            self.degrade.set_lanes(direction.lanes);
            self.direction = Some(direction);
        }
    }

    /// An LTP was received, in TOSS if `tossed`; the lane to be removed.
    pub(crate) fn receive(
        &mut self,
        lanes: &OnLanes,
        reception: &Reception<Token>,
        tossed: bool,
    ) -> Option<u8> {
        let total = ltp_words(self.direction?.mode);
        let verdict = match (&lanes.damaged, reception.latch, &reception.delivered) {
            (Some(words), latch, _) => {
                let latch = latch == Some(LatchAction::Latch);
                let residues = if lanes.residues.is_empty() { &BAD_RESIDUE[..] } else { &lanes.residues };
                self.isolate.bad(words, residues, lanes.state, latch)
            }
            (None, Some(LatchAction::Compare), Some(delivered)) => {
                let token = Token { time_flits: 0, ..delivered.payload };
                self.isolate.replayed(&words_of(&LinkLtp::Reliable(token), total), lanes.state)
            }
            (None, Some(LatchAction::Unknown), _) => {
                self.isolate.give_up();
                None
            }
            _ => None,
        };
        removed(self.degrade.ltp(tossed, verdict.and_then(charged)))
    }

    /// A RetryReq pair goes out.
    pub(crate) fn request(&mut self) {
        self.degrade.request();
    }

    /// Retry asks for Retraining; the lane to be removed with it.
    pub(crate) fn fault(&mut self, fault: Fault) -> Option<u8> {
        match fault {
            Fault::RequestLimit | Fault::BadRun => removed(self.degrade.fault()),
            _ => None,
        }
    }

    /// Down.
    pub(crate) fn forget(&mut self) {
        self.degrade.forget();
    }

    /// Removals refused at MIN_LANES.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.degrade.counters().get(LinkCounter::RemoveRefused)
    }
}

fn charged(verdict: LaneVerdict) -> Option<usize> {
    match verdict {
        LaneVerdict::Lane(lane) => Some(lane),
        _ => None,
    }
}

fn removed(action: Option<DegradeAction>) -> Option<u8> {
    match action {
        Some(DegradeAction::Remove(lane)) => u8::try_from(lane).ok(),
        _ => None,
    }
}
