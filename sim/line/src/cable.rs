//! The cells and the cable of one direction: bits or words of each lane from the sender's clock to the receiver's.

use crate::phy::Phy;
use crate::wires::Wires;
use flitforge_sim::kit::line::{BitLine, BitNoise, WordLine};
use flitforge_sim::kit::Rng;
use rand::{Rng as _, RngCore};

/// Core clocks without a word after which a lane of `phy_loop` counts as silent.
const SILENT_CLOCKS: u32 = 64;
/// A word of a lane that is marked as wrong (`code_err`).
const MARKED: u64 = 1 << 33;

/// What is wrong with a lane of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneFault {
    /// Nothing.
    Whole,
    /// No signal, which the receiving cell notices.
    Quiet,
    /// One level for ever, which nothing but the code and the CRC notices.
    Level,
    /// Bits at random, likewise.
    Junk,
}

/// One lane.
#[derive(Clone, Debug)]
pub struct CableLane {
    bits: BitLine,
    words: WordLine,
    /// Wrong bits.
    pub noise: BitNoise,
    /// What is wrong with it.
    pub fault: LaneFault,
    /// Femtoseconds from the sender's edge to the receiver's.
    pub phase: u64,
    /// Words by which it is late, without what all lanes are.
    pub late: i64,
    /// The receiving cell says that there is a signal.
    ok: bool,
    /// When it will say otherwise.
    changes: Option<u64>,
    silent: u32,
    /// Bits are on their way to the receiver's next clock.
    due: bool,
    /// `phy_loop`: the word on its last way to the receiver.
    came: Option<u64>,
}

/// One direction of a cable.
#[derive(Clone, Debug)]
pub struct Cable {
    phy: Phy,
    /// Its lanes, by the sender's numbers.
    pub lanes: Vec<CableLane>,
    /// Where they come in.
    pub wires: Wires,
    frame: BitLine,
    /// Femtoseconds in which a cell notices that a signal comes or goes.
    notice: u64,
    /// The cable is plugged in.
    pub plugged: bool,
    /// The sender has power.
    pub powered: bool,
}

impl Cable {
    /// A whole cable; `late` in bits, or in words with `phy_loop`, of every lane.
    pub fn new(phy: Phy, lanes: usize, wires: Wires, late: u64, notice: u64) -> Self {
        let lane = CableLane {
            bits: BitLine::new(late),
            words: WordLine::new(late as usize),
            noise: BitNoise::default(),
            fault: LaneFault::Whole,
            phase: 0,
            late: 0,
            ok: phy == Phy::Lvds,
            changes: None,
            silent: SILENT_CLOCKS,
            due: false,
            came: None,
        };
        let frame = BitLine::new(late);
        Self { phy, lanes: vec![lane; lanes], wires, frame, notice, plugged: true, powered: true }
    }

    /// A signal comes through.
    pub fn carries(&self) -> bool {
        self.plugged && self.powered
    }

    /// The receiving cell of a lane of the sender's follows the sender's clock.
    #[inline]
    pub fn follows(&self, lane: usize) -> bool {
        self.carries() && self.lanes[lane].fault != LaneFault::Quiet
    }

    /// Moves a lane against the others by words.
    pub fn skew(&mut self, lane: usize, words: i64) {
        let lane = &mut self.lanes[lane];
        let bits = (words - lane.late) * self.phy.bits_per_word();
        match self.phy {
            Phy::Loop => lane.words.set_late((lane.words.late() as i64 + words - lane.late).max(0) as usize),
            _ => lane.bits.shift(bits),
        }
        lane.late = words;
    }

    /// What leaves a lane's sending cell in one clock.
    #[inline]
    pub fn push(&mut self, lane: usize, bits: u64) {
        self.lanes[lane].bits.push(bits, self.phy.bits_per_clock());
    }

    /// What comes to the cell of a lane of the receiver's in one clock.
    #[inline]
    pub fn pop(&mut self, lane: usize, random: &mut Rng) -> u64 {
        let count = self.phy.bits_per_clock();
        let carries = self.plugged && self.powered;
        let from = self.wires.from(lane);
        let is_turned = self.wires.is_turned(from);
        let lane = &mut self.lanes[from];
        let bits = if std::mem::take(&mut lane.due) { lane.bits.pop(count) } else { 0 };
        let ones = (1 << count) - 1;
        let bits = match lane.fault {
            LaneFault::Whole if carries => bits ^ lane.noise.mask(count, random),
            LaneFault::Junk if carries => u64::from(random.next_u32()) & ones,
            _ => 0,
        };
        bits ^ if is_turned { ones } else { 0 }
    }

    /// The same of the frame pair.
    pub fn frame(&mut self, bits: u64) {
        self.frame.push(bits, self.phy.bits_per_clock());
    }

    /// The same of the frame pair.
    pub fn pop_frame(&mut self) -> u64 {
        let bits = self.frame.pop(self.phy.bits_per_clock());
        if self.carries() {
            bits
        } else {
            0
        }
    }

    /// The bits of one clock go to the receiver's next clock.
    #[inline]
    pub fn expect(&mut self, lane: usize) {
        if std::mem::replace(&mut self.lanes[lane].due, true) {
            self.drop_bits(lane);
        }
    }

    /// Bits that nobody receives.
    pub fn drop_bits(&mut self, lane: usize) {
        self.lanes[lane].bits.pop(self.phy.bits_per_clock());
    }

    /// `phy_loop`: the word that came to a lane of the receiver's last.
    #[inline]
    pub fn take_word(&mut self, lane: usize) -> Option<u64> {
        self.lanes[self.wires.from(lane)].came.take()
    }

    /// `phy_loop`: the word of a lane in one core clock.
    pub fn word(&mut self, lane: usize, word: Option<u64>, random: &mut Rng) {
        let carries = self.plugged && self.powered;
        // A line that falls silent on all lanes at once is a matter of the signal (chapter 10, 4.13, 10).
        let is_only = self.lanes.len() == 1;
        let lane = &mut self.lanes[lane];
        let word = lane.words.clock(word).filter(|_| carries);
        let word = match lane.fault {
            LaneFault::Whole => word.map(|word| word ^ lane.noise.mask(32, random)),
            LaneFault::Level if is_only => word.map(|_| MARKED),
            LaneFault::Junk => word.map(|_| MARKED | u64::from(random.next_u32())),
            LaneFault::Quiet | LaneFault::Level => None,
        };
        lane.silent = if word.is_some() || lane.fault == LaneFault::Level { 0 } else { lane.silent + 1 };
        lane.came = word;
    }

    /// Lanes of the receiver's of which the cells say that there is a signal, at this time.
    pub fn signals(&mut self, now: u64, random: &mut Rng) -> u64 {
        let mut mask = 0;
        for at in 0..self.lanes.len() {
            let follows = self.follows(at);
            let is_loop = self.phy == Phy::Loop;
            let lane = &mut self.lanes[at];
            let there = follows && !(is_loop && lane.silent >= SILENT_CLOCKS);
            if there == lane.ok {
                lane.changes = None;
            } else {
                let notice = self.notice;
                let due = *lane.changes.get_or_insert_with(|| now + random.random_range(0..=notice));
                if now >= due {
                    lane.ok = there;
                    lane.changes = None;
                }
            }
            mask |= u64::from(lane.ok) << self.wires.to(at);
        }
        mask
    }
}
