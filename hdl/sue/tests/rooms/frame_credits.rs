//! What CBFC is told of received frames, against a count by hand: each frame comes and is freed once, with its class and octets, whatever becomes of its body.

use crate::rooms::network::value_of;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::arbiter::FrameCost;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::instance_port::FrameCredits;
use flitforge_hdl_sue::reliability::{PduOperation, ReliabilityHeader};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_sim::kit::{rng, seed, Coverage, Rng};
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, VecDeque};

/// Rings of 8 bodies.
type Credits = FrameCredits<5, 3, 4>;
const RING: usize = 8;
/// Clocks from a word of a frame to that of its PDU.
const HEADER_CLOCKS: usize = 4;

/// A frame: class and octets.
type Frame = (u64, u64);

struct Bench {
    block: CompiledBlock,
    random: Rng,
    now: u64,
    /// Words of PDUs on their way through the network header.
    pdus: VecDeque<Option<(u64, u64, bool, bool)>>,
    /// PDUs whose decision is due: when, class, octets, whether it counts.
    undecided: VecDeque<(u64, u64, u64, bool)>,
    /// Bodies in the rings.
    rings: [VecDeque<u64>; 4],
    came: BTreeMap<Frame, i64>,
    freed: BTreeMap<Frame, i64>,
    last: [u64; 2],
    /// When a body has left.
    released: u64,
    seen: Coverage,
}

fn header_word(vc: u64, op: PduOperation) -> u64 {
    let word: Bits<64> = ReliabilityHeader { vc: vc.into(), op, ..ReliabilityHeader::default() }.into();
    u64::from(word).swap_bytes()
}

impl Bench {
    fn new(salt: u64) -> Self {
        let block = CompiledBlock::new(&compiled("frame_credits", &Credits::new().expect("valid")));
        Self {
            block,
            random: rng(seed(salt), "frames"),
            now: 0,
            pdus: VecDeque::from(vec![None; HEADER_CLOCKS]),
            undecided: VecDeque::new(),
            rings: Default::default(),
            came: BTreeMap::new(),
            freed: BTreeMap::new(),
            last: [0; 2],
            released: 0,
            seen: Coverage::default(),
        }
    }

    fn told(&mut self, which: usize, path: &str) {
        if self.block.get(&format!("{path}.valid")) == 0 {
            return;
        }
        assert!(self.last[which] == 0 || self.now >= self.last[which] + 8, "{path}: one every 8 clocks");
        self.last[which] = self.now;
        let cost: FrameCost = Bits::<17>::from_value(&self.block.get_value(&format!("{path}.data"))).into();
        let counts = if which == 0 { &mut self.came } else { &mut self.freed };
        *counts.entry((cost.class.into(), cost.octets.into())).or_default() -= 1;
    }

    /// A clock with a word of a frame, or none.
    fn clock(&mut self, word: Option<(u64, u64, bool, bool)>, managed: bool) {
        let frame = |word: Option<(u64, u64, bool, bool)>| {
            let (data, bytes, last, error) = word.unwrap_or_default();
            value_of::<FrameWord, 70>(FrameWord { data: data.into(), bytes: bytes.into(), last, error })
        };
        let of_data = word.filter(|_| !managed);
        self.block.set("frames.valid", of_data.is_some().into()).set_value("frames.data", &frame(of_data));
        let of_host = word.filter(|_| managed);
        self.block.set("managed.valid", of_host.is_some().into()).set_value("managed.data", &frame(of_host));
        self.pdus.push_back(of_data);
        let pdu = self.pdus.pop_front().flatten();
        self.block.set("pdus.valid", pdu.is_some().into()).set_value("pdus.data", &frame(pdu));

        let due = self.undecided.front().is_some_and(|(clock, ..)| *clock <= self.now);
        self.block.set("committed.valid", due.into());
        if due {
            let (_, class, octets, counts) = self.undecided.pop_front().expect("there is one");
            let commits = counts
                && class < 4
                && self.rings[class as usize].len() < RING - 1
                && self.random.random_bool(0.8);
            self.block.set("committed.data", commits.into());
            if commits {
                self.rings[class as usize].push_back(octets);
                self.seen.hit("committed");
            } else if counts {
                *self.freed.entry((class, octets)).or_default() += 1;
                self.seen.hit("dropped");
            }
        }
        let vc = self.random.random_range(0..4_usize);
        let releases =
            self.now >= self.released + 4 && self.rings[vc].len() > 1 && self.random.random_bool(0.1);
        self.block.set("released.valid", releases.into()).set("released.data", vc as u64);
        if releases {
            self.released = self.now;
            let octets = self.rings[vc].pop_front().expect("there is one");
            *self.freed.entry((vc as u64, octets)).or_default() += 1;
        }
        self.told(0, "came");
        self.told(1, "freed");
        self.block.step();
        self.now += 1;
    }

    /// A frame of one of all kinds, and a gap.
    fn frame(&mut self) {
        let bytes = self.random.random_range(26..90_u64) * 2;
        let error = self.random.random_bool(0.1);
        let managed = self.random.random_bool(0.15);
        let vc = self.random.random_range(0..4);
        let record = self.random.random_bool(0.1);
        let empty = self.random.random_bool(0.3);
        let operation = if record { PduOperation::ConnectionManagement } else { PduOperation::Ack };
        let class = match (managed, record || empty) {
            (true, _) => ClassUse::Management as u64,
            (_, true) => ClassUse::Acknowledgments as u64,
            _ => vc,
        };
        let words = bytes.div_ceil(8);
        for place in 0..words {
            let data = match place {
                0 => header_word(vc, operation),
                1 if empty => 0,
                _ => 0x0102_0304_0506_0708,
            };
            let last = place + 1 == words;
            self.clock(Some((data, if last { bytes - 8 * place } else { 8 }, last, last && error)), managed);
        }
        if !error {
            *self.came.entry((class, bytes)).or_default() += 1;
        }
        if managed && !error {
            *self.freed.entry((class, bytes)).or_default() += 1;
        }
        if !managed {
            self.undecided.push_back((self.now + 12, class, bytes, !error));
        }
        for _ in 0..self.random.random_range(5..12) {
            self.clock(None, false);
        }
    }

    fn settled(&mut self) {
        (0..3_000).for_each(|_| self.clock(None, false));
        for (name, counts) in [("came", &self.came), ("freed", &self.freed)] {
            let wrong: Vec<_> = counts.iter().filter(|(_, count)| **count != 0).collect();
            assert!(wrong.is_empty(), "{name}: class and octets, how many are missing: {wrong:?}");
        }
    }
}

#[test]
fn every_frame_comes_and_leaves_once() {
    let mut bench = Bench::new(0xFC1);
    for _ in 0..20 {
        (0..100).for_each(|_| bench.frame());
        bench.settled();
    }
    bench.seen.require("frame_credits", &["committed", "dropped"]).expect("all was seen");
}

/// Receiver and receive buffer are cleared at any moment: what was in them is freed, nothing twice.
#[test]
fn what_was_forgotten_is_freed() {
    let mut bench = Bench::new(0xFC2);
    for _ in 0..40 {
        let frames = bench.random.random_range(1..30);
        (0..frames).for_each(|_| bench.frame());
        bench.block.set("forgets", 1);
        for (_, class, octets, counts) in std::mem::take(&mut bench.undecided) {
            if counts {
                *bench.freed.entry((class, octets)).or_default() += 1;
            }
        }
        for (vc, ring) in std::mem::take(&mut bench.rings).into_iter().enumerate() {
            for octets in ring {
                *bench.freed.entry((vc as u64, octets)).or_default() += 1;
                bench.seen.hit("in a ring");
            }
        }
        let clocks = bench.random.random_range(1..20);
        (0..clocks).for_each(|_| bench.clock(None, false));
        bench.block.set("forgets", 0);
        bench.settled();
    }
    bench.seen.require("frame_credits", &["in a ring"]).expect("all was seen");
}
