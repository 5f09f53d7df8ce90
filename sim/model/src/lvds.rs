//! The line of `phy_lvds`, clock by clock: rows to bits and bits to words (chapter 10, 4.7).
//!
//! Bits are counted from the receiver's first clock, two per clock; boundaries are bit numbers. What the hardware does with
//! shift registers and counters is arithmetic on these numbers here.

use flitforge_protocol::lane_word::{FRAMES_TO_LOCK, FRAME_CONTROL, FRAME_DATA};

/// Bits of a word.
const WORD_BITS: usize = 32;
/// Clocks of a word.
const WORD_CLOCKS: usize = WORD_BITS / 2;
/// Quiet bits before the first clock.
const BEFORE: usize = 64;
/// Clocks from the one in which a frame word is complete to the one in which it is judged.
const JUDGED_AFTER: usize = 2;
/// Clocks from there to the one with the words.
const GIVEN_AFTER: usize = 11;
/// Clocks after a slip or an inversion in which a lane's word may be of either kind.
const UNSETTLED: usize = 3 * WORD_CLOCKS;
/// Half clocks after the frame, rounded up to clocks, that a lane's word is waited for.
const LATEST_PLACE: usize = 21;

/// Words of all lanes of one word time; all of them control words or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LvdsRow {
    /// A word per lane.
    pub words: Vec<u32>,
    /// They are control words.
    pub control: bool,
}

impl LvdsRow {
    /// Bit `index` of lane `lane`; bit 0 leaves first.
    pub fn bit(&self, lane: usize, index: usize) -> bool {
        self.words[lane] >> index & 1 == 1
    }

    /// Bit `index` of the frame pair.
    pub fn frame_bit(&self, index: usize) -> bool {
        (if self.control { FRAME_CONTROL } else { FRAME_DATA }) >> index & 1 == 1
    }
}

/// The sender, one step per bit clock.
#[derive(Debug, Clone)]
pub struct LvdsSender {
    lanes: usize,
    clock: usize,
    row: Option<LvdsRow>,
    starved: bool,
}

impl LvdsSender {
    /// Quiet, at the beginning of a word time.
    pub fn new(lanes: usize) -> Self {
        Self { lanes, clock: 0, row: None, starved: false }
    }

    /// A row is taken in this clock, if there is one.
    pub fn takes(&self) -> bool {
        self.clock % WORD_CLOCKS == WORD_CLOCKS - 1
    }

    /// The last row had no successor.
    pub fn starved(&self) -> bool {
        self.starved
    }

    /// What stands on the lanes and on the frame pair in this clock, the first bit in bit 0.
    pub fn pairs(&self) -> (Vec<u8>, u8) {
        let first = self.clock % WORD_CLOCKS * 2;
        let pair = |bit: &dyn Fn(usize) -> bool| u8::from(bit(first)) | u8::from(bit(first + 1)) << 1;
        match &self.row {
            None => (vec![0; self.lanes], 0),
            Some(row) => {
                let lanes = (0..self.lanes).map(|lane| pair(&|index| row.bit(lane, index)));
                (lanes.collect(), pair(&|index| row.frame_bit(index)))
            }
        }
    }

    /// A clock with this row on offer. While cleared none is taken; a word that is leaving leaves whole.
    pub fn step(&mut self, row: Option<LvdsRow>, clear: bool) {
        self.starved = false;
        if self.takes() {
            self.starved = self.row.is_some() && row.is_none() && !clear;
            self.row = row.filter(|_| !clear);
        }
        self.clock += 1;
    }
}

/// A word as it came from the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LvdsWord {
    /// The word.
    pub word: u32,
    /// It is a control word.
    pub control: bool,
    /// The frame word beside it was neither that of data nor that of control words.
    pub code_err: bool,
}

/// What a receiver is told in one clock.
#[derive(Debug, Clone, Default)]
pub struct LvdsInputs {
    /// Two bits per lane, the first in bit 0.
    pub pairs: Vec<u8>,
    /// Two bits of the frame pair.
    pub frame: u8,
    /// Lanes to invert.
    pub invert: u8,
    /// Lanes whose boundary is to be one bit later.
    pub slip: u8,
    /// Search again.
    pub clear: bool,
}

#[derive(Debug, Clone)]
struct Lane {
    bits: Vec<bool>,
    slips: usize,
    inverted: bool,
    changed: usize,
}

/// The receiver, one step per bit clock.
#[derive(Debug, Clone)]
pub struct LvdsReceiver {
    clock: usize,
    frame: Vec<bool>,
    lanes: Vec<Lane>,
    /// First bit of the frame word that is coming or was the last to come.
    start: Option<usize>,
    locked: bool,
    run: u32,
}

impl LvdsReceiver {
    /// Searching, with a line that was quiet so far.
    pub fn new(lanes: usize) -> Self {
        let lane = Lane { bits: vec![false; BEFORE], slips: 0, inverted: false, changed: 0 };
        let frame = vec![false; BEFORE];
        Self { clock: 0, frame, lanes: vec![lane; lanes], start: None, locked: false, run: 0 }
    }

    /// The word boundary is known.
    pub fn locked(&self) -> bool {
        self.locked
    }

    /// The words of this clock, if there are any; `None` for a lane whose boundary or polarity has just been changed.
    pub fn words(&self) -> Option<Vec<Option<LvdsWord>>> {
        let start = self.start.filter(|start| self.locked && self.clock == complete(*start) + GIVEN_AFTER)?;
        let frame = word_at(&self.frame, start);
        let word = |lane: &Lane| {
            (self.clock > lane.changed + UNSETTLED).then(|| {
                let word = word_at(&lane.bits, lane.begin(start));
                let word = if lane.inverted { !word } else { word };
                LvdsWord {
                    word,
                    control: frame == FRAME_CONTROL,
                    code_err: frame != FRAME_CONTROL && frame != FRAME_DATA,
                }
            })
        };
        Some(self.lanes.iter().map(word).collect())
    }

    /// A clock.
    pub fn step(&mut self, inputs: &LvdsInputs) {
        let begins = match self.start {
            None => self.rise(inputs.frame),
            start => start,
        };
        if let Some(start) = self.start {
            self.follow(start);
        } else {
            self.start = begins;
        }
        push(&mut self.frame, inputs.frame);
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            push(&mut lane.bits, inputs.pairs[number]);
            let (slip, invert) = (inputs.slip >> number & 1 == 1, inputs.invert >> number & 1 == 1);
            if slip || invert != lane.inverted || (inputs.clear && lane.slips != 0) {
                lane.changed = self.clock;
            }
            lane.inverted = invert;
            lane.slips = if inputs.clear { 0 } else { (lane.slips + usize::from(slip)) % WORD_BITS };
        }
        if inputs.clear {
            (self.start, self.locked, self.run) = (None, false, 0);
        }
        self.clock += 1;
    }

    /// The number of the first bit of `pair` that rises.
    fn rise(&self, pair: u8) -> Option<usize> {
        let now = self.frame.len();
        let bits = [self.frame[now - 1], pair & 1 == 1, pair >> 1 & 1 == 1];
        (0..2).find(|index| !bits[*index] && bits[index + 1]).map(|index| now + index)
    }

    /// Judges the frame word from `start` on in its time, and goes on to the next.
    fn follow(&mut self, start: usize) {
        let since = self.clock.checked_sub(complete(start));
        if since == Some(WORD_CLOCKS - 1) {
            self.start = Some(start + WORD_BITS);
        }
        if since != Some(JUDGED_AFTER) {
            return;
        }
        let good = [FRAME_DATA, FRAME_CONTROL].contains(&word_at(&self.frame, start));
        self.run = if good != self.locked { self.run + 1 } else { 0 };
        let search = match self.locked {
            true => self.run == FRAMES_TO_LOCK,
            false => !good,
        };
        if self.run == FRAMES_TO_LOCK {
            (self.locked, self.run) = (!self.locked, 0);
        }
        if search {
            self.start = None;
        }
    }
}

impl Lane {
    /// The first bit of the lane's word that belongs to the frame word from `start` on. A lane may be ahead of the frame.
    fn begin(&self, start: usize) -> usize {
        let place = self.slips + usize::from(start % 2 == 0);
        start + self.slips - if place <= LATEST_PLACE { 0 } else { WORD_BITS }
    }
}

/// The clock in which the word from bit `start` on has come.
fn complete(start: usize) -> usize {
    (start + WORD_BITS - 1 - BEFORE) / 2 + 1
}

fn word_at(bits: &[bool], start: usize) -> u32 {
    (0..WORD_BITS).fold(0, |word, index| word | u32::from(bits[start + index]) << index)
}

fn push(bits: &mut Vec<bool>, pair: u8) {
    bits.extend([pair & 1 == 1, pair >> 1 & 1 == 1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `rows` through a line that delays by `bits` and gives what arrives.
    fn through(rows: &[LvdsRow], bits: usize) -> Vec<LvdsRow> {
        let lanes = rows[0].words.len();
        let mut sender = LvdsSender::new(lanes);
        let mut receiver = LvdsReceiver::new(lanes);
        let mut line = vec![vec![false; bits]; lanes + 1];
        let mut waiting = rows.iter().cloned();
        let mut arrived = vec![];
        for clock in 0..(rows.len() + 4) * WORD_CLOCKS {
            let (pairs, frame) = sender.pairs();
            for (number, pair) in pairs.iter().chain([&frame]).enumerate() {
                push(&mut line[number], *pair);
            }
            let pair = |line: &Vec<bool>| u8::from(line[2 * clock]) | u8::from(line[2 * clock + 1]) << 1;
            let pairs: Vec<u8> = line.iter().map(pair).collect();
            let words = receiver.words();
            let frame = pairs[lanes];
            receiver.step(&LvdsInputs { pairs: pairs[..lanes].to_vec(), frame, ..Default::default() });
            let row = if sender.takes() { waiting.next() } else { None };
            sender.step(row, false);
            if let Some(words) = words {
                let words: Vec<LvdsWord> = words.into_iter().map(|word| word.expect("settled")).collect();
                if words[0].code_err {
                    // The line is quiet after the last row.
                    assert!(words[1].code_err && arrived.len() == rows.len() - 3);
                    continue;
                }
                let control = words[0].control;
                arrived.push(LvdsRow { words: words.iter().map(|word| word.word).collect(), control });
            }
        }
        arrived
    }

    fn rows(count: u32) -> Vec<LvdsRow> {
        let row = |n: u32| LvdsRow { words: vec![n * 0x0101_1357, !n], control: n % 5 == 0 };
        (1..=count).map(row).collect()
    }

    #[test]
    fn the_line_is_what_the_chapter_says() {
        let row = LvdsRow { words: vec![0x8000_0001], control: false };
        let frame: Vec<bool> = (0..32).map(|index| row.frame_bit(index)).collect();
        assert!(frame[..16].iter().all(|bit| *bit) && frame[16..].iter().all(|bit| !bit));
        assert!(row.bit(0, 0) && !row.bit(0, 1) && row.bit(0, 31), "bit 0 first");
        let control = LvdsRow { control: true, ..row };
        let ones = (0..32).filter(|index| control.frame_bit(*index)).collect::<Vec<_>>();
        assert_eq!(ones, (0..24).collect::<Vec<_>>());
    }

    #[test]
    fn rows_arrive_at_every_bit_offset_once_the_frame_is_locked() {
        let sent = rows(20);
        for bits in 0..64 {
            assert_eq!(through(&sent, bits), sent[3..], "{bits} bits late");
        }
    }

    #[test]
    fn a_slipped_lane_is_read_so_many_bits_later() {
        for slips in [0usize, 1, 2, 17, 20, 22, 31] {
            let lane = Lane { bits: vec![], slips, inverted: false, changed: 0 };
            let behind = if slips < 21 { slips as i64 } else { slips as i64 - 32 };
            for start in [100, 101] {
                assert_eq!(lane.begin(start) as i64 - start as i64, behind, "{slips} slips");
            }
        }
    }
}
