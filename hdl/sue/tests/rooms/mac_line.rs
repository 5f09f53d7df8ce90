//! What stands on a line of XGMII, now and then wrong, and what a receiver has to find of it.

use flitforge_hdl_sue::frame::FrameVerdict;
use flitforge_model::sue::format::frame::{open, FcsError, FrameState};
use flitforge_model::sue::format::{Preamble, Sequence};
use flitforge_model::sue::link::xgmii::{Column, FrameEnd, XgmiiConfig};
use flitforge_protocol::sue::link_control::{ERROR, FRAME_END, FRAME_START, IDLE, ORDERED_SET_START};
use flitforge_sim::kit::Rng;
use rand::Rng as _;
use std::collections::VecDeque;

/// Four octets and which of them are control characters.
pub type Transfer = ([u8; 4], u8);

/// Four idle characters.
pub const IDLES: Transfer = ([IDLE as u8; 4], 0xF);
/// A frame as it has to come.
#[derive(Debug)]
pub struct Expected {
    pub clock: u64,
    pub preamble: Option<Preamble>,
    pub wire: Vec<u8>,
    pub end: FrameEnd,
}

impl Expected {
    /// Octets that go out, if any do.
    pub fn octets(&self) -> usize {
        match self.end {
            FrameEnd::Clean => self.wire.len().saturating_sub(4),
            FrameEnd::Code | FrameEnd::Long => self.wire.len() / 8 * 8,
        }
    }

    pub fn is_good(&self) -> bool {
        self.end == FrameEnd::Clean && self.preamble.is_some()
    }

    pub fn verdict(&self, config: &XgmiiConfig) -> FrameVerdict {
        let mut verdict = FrameVerdict::default();
        match (self.end, self.preamble) {
            (FrameEnd::Long, _) => verdict.long = true,
            (FrameEnd::Code, _) | (_, None) => verdict.code = true,
            (FrameEnd::Clean, Some(preamble)) => {
                verdict.runt = self.wire.len() < config.minimum + 4;
                match open(&self.wire, config.cover(preamble)) {
                    Ok(_) => verdict.good = !verdict.runt,
                    Err(FcsError::Poisoned { .. }) => verdict.poisoned = true,
                    Err(_) => verdict.fcs = true,
                }
            }
        }
        verdict
    }
}

/// What is sent: transfers of four octets, now and then wrong.
pub struct Line {
    random: Rng,
    pub config: XgmiiConfig,
    transfers: VecDeque<Transfer>,
    faults: f64,
    long: f64,
}

impl Line {
    /// A line on which so many frames are wrong.
    pub fn new(random: Rng, config: XgmiiConfig, faults: f64) -> Self {
        Line { random, config, transfers: VecDeque::new(), faults, long: 0.05 }
    }

    pub fn column(&mut self) -> Column {
        while self.transfers.len() < 2 {
            self.more();
        }
        let [low, high] = [0, 1].map(|_| self.transfers.pop_front().unwrap_or(IDLES));
        let mut octets = [0; 8];
        octets[..4].copy_from_slice(&low.0);
        octets[4..].copy_from_slice(&high.0);
        Column { octets, control: low.1 | high.1 << 4 }
    }

    fn set(&mut self) -> [Transfer; 2] {
        let mut octets: [u8; 8] = self.random.random();
        octets[0] = ORDERED_SET_START as u8;
        let [a, b, c, d, e, f, g, h] = octets;
        [([a, b, c, d], 1), ([e, f, g, h], 0)]
    }

    /// A frame and the gap after it; or an ordered set.
    fn more(&mut self) {
        if self.random.random_bool(0.15) {
            let set = self.set();
            self.transfers.extend(set);
            return;
        }
        let preamble = if self.random.random() {
            Preamble::Llr {
                sequence: Sequence::new(self.random.random_range(0..1 << 20)).expect("20 bits"),
                flags: if self.random.random_bool(0.1) { self.random.random() } else { 0 },
            }
        } else {
            Preamble::Standard
        };
        let length = match self.random.random_range(0..10) {
            0 => self.random.random_range(0..20),
            1 if self.random.random_bool(self.long) => self.random.random_range(9205..9240),
            _ => self.random.random_range(1..150),
        };
        let frame: Vec<u8> = (0..length).map(|_| self.random.random()).collect();
        let poisoned = self.random.random_bool(0.1);
        let state = if poisoned { FrameState::Poisoned } else { FrameState::Good };
        let config = XgmiiConfig { minimum: if self.random.random() { 0 } else { 60 }, ..self.config };
        let mut wire = config.seal(preamble, &frame, state).expect("fits");
        if self.random.random_bool(0.1) {
            let bit = self.random.random_range(0..8 * wire.len());
            wire[bit / 8] ^= 1 << (bit % 8);
        }
        if self.random.random_bool(0.05) {
            wire.truncate(self.random.random_range(0..=wire.len().min(9)));
        }
        self.put(&preamble.encode().expect("fits"), &wire);
    }

    fn put(&mut self, preamble: &[u8; 8], wire: &[u8]) {
        let (start, second) = preamble.split_at(4);
        let mut transfers: Vec<Transfer> =
            vec![(start.try_into().expect("four"), 1), (second.try_into().expect("four"), 0)];
        transfers.extend(transfers_of(wire));
        if self.random.random_bool(self.faults) {
            let at = self.random.random_range(0..transfers.len());
            self.spoil(&mut transfers, at);
        }
        while self.random.random_bool(0.3) {
            let at = self.random.random_range(2..=transfers.len().max(2));
            let set = self.set();
            let at = at.min(transfers.len());
            transfers.splice(at..at, set);
        }
        let idles = match self.random.random_range(0..4) {
            0 => 1,
            1 => self.random.random_range(0..3),
            _ => self.random.random_range(0..8),
        };
        transfers.extend(std::iter::repeat_n(IDLES, idles));
        self.transfers.extend(transfers);
    }

    fn spoil(&mut self, transfers: &mut Vec<Transfer>, at: usize) {
        let octet = self.random.random_range(0..4);
        match self.random.random_range(0..9) {
            0 => {
                transfers[at].0[octet] = ERROR as u8;
                transfers[at].1 |= 1 << octet;
            }
            1 => transfers[at] = IDLES,
            2 => {
                transfers[at].0[0] = FRAME_START as u8;
                transfers[at].1 = 1;
            }
            3 => {
                transfers[at].0[0] = ORDERED_SET_START as u8;
                transfers[at].1 = 1;
            }
            4 => {
                transfers[at].0[octet] = FRAME_END as u8;
                transfers[at].1 |= 1 << octet;
            }
            5 => transfers.truncate(at),
            6 => transfers[at].1 = self.random.random(),
            7 => {
                let bit = self.random.random_range(0..32);
                transfers[at].0[bit / 8] ^= 1 << (bit % 8);
            }
            _ => {
                transfers.pop();
            }
        }
    }
}

/// A frame with FCS as transfers, with its end.
fn transfers_of(wire: &[u8]) -> Vec<Transfer> {
    let mut transfers: Vec<Transfer> = vec![];
    for four in wire.chunks(4) {
        let mut octets = IDLES.0;
        octets[..four.len()].copy_from_slice(four);
        transfers.push((octets, 0xF << four.len() & 0xF));
    }
    if wire.len() % 4 == 0 {
        transfers.push(IDLES);
    }
    if let Some(last) = transfers.last_mut() {
        last.0[wire.len() % 4] = FRAME_END as u8;
    }
    transfers
}

/// A frame with its preamble as transfers.
pub fn frame_transfers(preamble: Preamble, wire: &[u8]) -> Vec<Transfer> {
    let octets = preamble.encode().expect("fits");
    let (start, second) = octets.split_at(4);
    let mut transfers: Vec<Transfer> =
        vec![(start.try_into().expect("four"), 1), (second.try_into().expect("four"), 0)];
    transfers.extend(transfers_of(wire));
    transfers
}
