//! A source of AXI-Stream whose frames are now and then wrong, and what of them has to stand on the line.

use super::{find, wrong, Seen};
use flitforge_hdl_sue::mac_axi::{EthMacAxiTx, TRANSMIT_LATENCY};
use flitforge_model::sue::format::frame::FrameState;
use flitforge_model::sue::format::Preamble;
use flitforge_model::sue::link::xgmii::{Column, FrameEnd, XgmiiConfig, XgmiiDecoder, XgmiiItem};
use flitforge_sim::kit::{rng, seed, Agent, ClearDriver, Rng, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use rand::Rng as _;
use std::collections::VecDeque;

/// A word on AXI-Stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxiWord {
    pub data: u64,
    pub keep: u8,
    pub last: bool,
    pub user: bool,
}

impl AxiWord {
    pub fn keeps_wrongly(self) -> bool {
        let from_octet_0 = self.keep & self.keep.wrapping_add(1) == 0 && self.keep != 0;
        if self.last {
            !from_octet_0
        } else {
            self.keep != 0xFF
        }
    }

    pub fn octets(self) -> usize {
        if self.last {
            (8 - self.keep.leading_zeros() as usize).max(1)
        } else {
            8
        }
    }
}

fn words_of(frame: &[u8], user: bool) -> VecDeque<AxiWord> {
    let count = frame.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        let mut eight = [0x5A; 8]; // beyond the end there may be anything
        eight[..octets.len()].copy_from_slice(octets);
        let keep = (0xFF_u16 >> (8 - octets.len())) as u8;
        let last = index + 1 == count;
        AxiWord { data: u64::from_le_bytes(eight), keep, last, user }
    };
    frame.chunks(8).enumerate().map(word).collect()
}

/// Offers frames, and holds the line against them.
struct Sender {
    line: [PortHandle; 2],
    asks: [PortHandle; 5],
    ready: PortHandle,
    tells: [PortHandle; 4],
    settings: [PortHandle; 2],
    clear: PortHandle,
    config: XgmiiConfig,
    random: Rng,
    /// How often a word inside a frame is missing.
    stall: f64,
    words: VecDeque<AxiWord>,
    offered: Option<AxiWord>,
    inside: bool,
    taken: Vec<u8>,
    is_wrong: bool,
    /// Clock of the last word, frame, what is said of it.
    frames: VecDeque<(u64, Vec<u8>, FrameState)>,
    malformed: bool,
    sent: VecDeque<usize>,
    broken: usize,
    decoder: XgmiiDecoder,
    seen: Seen,
}

impl Sender {
    fn next_word(&mut self) -> Option<AxiWord> {
        if self.words.is_empty() {
            if self.random.random_bool(0.1) {
                return None;
            }
            let frame: Vec<u8> =
                (0..self.random.random_range(1..130)).map(|_| self.random.random()).collect();
            self.words = words_of(&frame, self.random.random_bool(0.1));
            if self.random.random_bool(0.1) {
                let at = self.random.random_range(0..self.words.len());
                self.words[at].keep = self.random.random();
            }
        } else if self.inside && self.random.random_bool(self.stall) {
            return None;
        }
        self.words.pop_front()
    }

    fn take(&mut self, clock: u64, word: AxiWord) {
        self.inside = !word.last;
        self.is_wrong |= word.keeps_wrongly();
        self.taken.extend(&word.data.to_le_bytes()[..word.octets()]);
        if word.last {
            let frame = std::mem::take(&mut self.taken);
            self.malformed = std::mem::take(&mut self.is_wrong);
            let bad = word.user || self.malformed;
            self.sent.push_back(frame.len().max(self.config.minimum) + 4);
            self.frames.push_back((clock, frame, if bad { FrameState::Poisoned } else { FrameState::Good }));
        }
    }

    /// A frame on the line. One that broke off may have come before its last word was offered.
    fn check(&mut self, clock: u64, octets: &[u8], end: FrameEnd) -> Result<(), SimError> {
        let preamble = Preamble::Standard;
        if end == FrameEnd::Code {
            self.seen.borrow_mut().hit("broken");
            // Those that broke off before it are there still.
            let begun = self.frames.get(self.broken).map_or(&self.taken, |(_, frame, _)| frame);
            self.broken += 1;
            if !begun.starts_with(octets) || self.stall == 0.0 {
                return Err(wrong(clock, format!("{octets:02X?} breaks off, of {begun:02X?}")));
            }
            return Ok(());
        }
        let (_, frame, state) =
            self.frames.pop_front().ok_or_else(|| wrong(clock, "a frame of nothing".into()))?;
        let expected = self.config.seal(preamble, &frame, state).expect("fits");
        self.seen.borrow_mut().hit(if state == FrameState::Good { "good" } else { "bad" });
        if octets != expected || end != FrameEnd::Clean {
            return Err(wrong(clock, format!("{octets:02X?} {end:?}, expected {expected:02X?}")));
        }
        Ok(())
    }

    /// Frames that broke off are never whole: what was offered of them is no longer expected.
    fn drop_broken(&mut self, octets: &[u8]) {
        while self.broken > 0 && self.frames.front().is_some_and(|(_, frame, _)| !octets.starts_with(frame)) {
            self.frames.pop_front();
            self.broken -= 1;
        }
    }

    fn check_pulses(&mut self, clock: u64, bench: &dyn Bench, malformed: bool) -> Result<(), SimError> {
        let [sent, octets, underrun, told] = self.tells;
        if bench.get_bit(told) != malformed {
            return Err(wrong(clock, format!("malformed, expected {malformed}")));
        }
        if malformed {
            self.seen.borrow_mut().hit("malformed");
        }
        if bench.get_bit(underrun) {
            self.seen.borrow_mut().hit("underrun");
            if self.stall == 0.0 {
                return Err(wrong(clock, "underrun, but there was always a word".into()));
            }
        }
        if self.stall == 0.0 && bench.get_bit(sent) {
            let octets = bench.get_u64(octets) as usize;
            match self.sent.pop_front() {
                Some(expected) if expected == octets => {}
                other => return Err(wrong(clock, format!("sent {octets} octets, expected {other:?}"))),
            }
        }
        // Two frames of one word wait before it, each with padding, preamble, FCS and gap.
        let longest = u64::from(TRANSMIT_LATENCY) + 3 * 13;
        let late = self.frames.front().is_some_and(|(since, _, _)| clock > since + longest);
        if late && self.stall == 0.0 {
            return Err(wrong(clock, format!("{:02X?} does not come", self.frames.front())));
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.taken.clear();
        self.frames.clear();
        self.sent.clear();
        (self.is_wrong, self.malformed, self.broken) = (false, false, 0);
        self.decoder = XgmiiDecoder::default();
    }
}

impl Agent for Sender {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.offered.is_none() {
            self.offered = self.next_word();
        }
        let noise =
            AxiWord { data: self.random.random(), keep: self.random.random(), last: true, user: true };
        let word = self.offered.unwrap_or(noise);
        let values =
            [word.data, word.keep.into(), self.offered.is_some().into(), word.last.into(), word.user.into()];
        self.asks.iter().zip(values).for_each(|(port, value)| bench.set_u64(*port, value));
        bench.set_u64(self.settings[0], self.config.minimum as u64);
        bench.set_u64(self.settings[1], self.config.gap as u64);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let octets = bench.get_u64(self.line[0]).to_le_bytes();
        let column = Column { octets, control: bench.get_u64(self.line[1]) as u8 };
        for item in self.decoder.column(column) {
            let XgmiiItem::Frame { preamble: Ok(Preamble::Standard), octets, end } = item else {
                return Err(wrong(clock, format!("{item:02X?} on the line")));
            };
            if end == FrameEnd::Clean {
                self.drop_broken(&octets);
            }
            self.check(clock, &octets, end)?;
        }
        let malformed = std::mem::take(&mut self.malformed);
        self.check_pulses(clock, bench, malformed)?;
        if bench.get_bit(self.ready) {
            if let Some(word) = self.offered.take() {
                self.take(clock, word);
            }
        }
        if bench.get_bit(self.clear) {
            self.forget();
        }
        Ok(())
    }
}

/// The sending MAC with such a source; words are missing inside frames so often.
pub fn transmit_plan(name: &str, config: XgmiiConfig, stall: f64, seen: &Seen) -> CosimPlan<'static> {
    let make = || Box::new(EthMacAxiTx::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xa71), make, move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let asks = ["s_axis_tdata", "s_axis_tkeep", "s_axis_tvalid", "s_axis_tlast", "s_axis_tuser"];
        let sender = Sender {
            line: find(bench, ["txd", "txc"])?,
            asks: find(bench, asks)?,
            ready: bench.port("s_axis_tready")?,
            tells: find(bench, ["sent.valid", "sent.data", "underrun", "malformed"])?,
            settings: find(bench, ["minimum", "gap"])?,
            clear: bench.port("clear")?,
            config,
            random: rng(seed, "frames"),
            stall,
            words: VecDeque::new(),
            offered: None,
            inside: false,
            taken: vec![],
            is_wrong: false,
            frames: VecDeque::new(),
            malformed: false,
            sent: VecDeque::new(),
            broken: 0,
            decoder: XgmiiDecoder::default(),
            seen: seen.clone(),
        };
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(sender);
        Ok(())
    })
}
