//! A whole port that hears itself: frames of the sources come back as they were sent, with and without link-layer retry; off it does nothing.

use super::network::{value_of, words_of};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::port::{EthPort, LATENCY};
use flitforge_protocol::sue_port_registers::{self as page, p_ctrl, PortCounter};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_sim::Compiled;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

const IDLE: u64 = 0x0707_0707_0707_0707;
/// An Ethertype of nobody's: the frame is one of `data`.
const OTHER: [u8; 2] = [0x12, 0x34];
/// LLDP to an address that no bridge forwards, which goes to the management.
const LLDP: [u8; 2] = [0x88, 0xCC];
const LLDP_ADDRESS: [u8; 6] = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E];

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("eth_port", &EthPort::<11, 12>::new().expect("valid")))
}

struct Port {
    block: CompiledBlock,
    random: Rng,
    /// Words to be sent, and frames that came, by `data_in` and `inject`, by `data` and `management`.
    queues: [VecDeque<FrameWord>; 2],
    octets: [VecDeque<u64>; 2],
    coming: [Vec<u8>; 2],
    came: [VecDeque<(Vec<u8>, bool)>; 2],
}

const SOURCES: [&str; 2] = ["data_in", "inject"];
const KINDS: [&str; 2] = ["data", "management"];

impl Port {
    fn new(seed: u64) -> Self {
        let mut block = CompiledBlock::new(program());
        block.set("rxd", IDLE).set("rxc", 0xFF).set("data_class", 0);
        let random = rng(seed, "port");
        let (queues, octets, coming, came) = Default::default();
        Self { block, random, queues, octets, coming, came }
    }

    fn request(&mut self, offset: u32, write: Option<u64>) -> u64 {
        self.block.set("bus.address", u64::from(offset / 8)).set("bus.wdata", write.unwrap_or(0));
        self.block.set("bus.write", write.is_some().into()).set("bus.request", 1);
        for _ in 0..200 {
            self.block.step();
            self.block.set("bus.request", 0);
            if self.block.get("bus.ack") == 1 {
                let value = self.block.get("bus.rdata");
                self.block.step();
                return value;
            }
        }
        panic!("{offset:#x}: no answer");
    }

    /// On, hearing itself.
    fn start(&mut self, retry: bool) {
        let reset = self.request(page::P_CTRL, None);
        let bits = 1 << p_ctrl::loopback::LOW | u64::from(retry) << p_ctrl::retry::LOW;
        self.request(page::P_CTRL, Some(reset | bits));
        self.request(page::P_CTRL, Some(reset | bits | 1));
        let up = (0..20_000).position(|_| {
            self.block.step();
            self.block.get("up") == 1
        });
        up.expect("the port is up");
    }

    fn count(&mut self, counter: PortCounter) -> u64 {
        self.request(page::counter_offset(counter), None)
    }

    /// A frame of a source.
    fn offer(&mut self, source: usize, bytes: usize) -> Vec<u8> {
        let mut frame: Vec<u8> = (0..bytes).map(|_| self.random.random()).collect();
        frame[0] &= 0xFE;
        frame[12..14].copy_from_slice(if source == 0 { &OTHER } else { &LLDP });
        if source == 1 {
            frame[..6].copy_from_slice(&LLDP_ADDRESS);
        }
        self.queues[source].extend(words_of(&frame, false, self.random.random()));
        self.octets[source].push_back(bytes as u64);
        frame
    }

    fn clock(&mut self) {
        for (source, name) in SOURCES.iter().enumerate() {
            let word = self.queues[source].front().copied();
            self.block.set(&format!("{name}.valid"), word.is_some().into());
            let Some(word) = word else { continue };
            self.block.set_value(&format!("{name}.data"), &value_of::<FrameWord, 70>(word));
            let octets = if source == 0 { "data_octets" } else { "inject_octets" };
            self.block.set(octets, self.octets[source][0]);
            if self.block.get(&format!("{name}.ready")) == 1 {
                self.queues[source].pop_front();
                if word.last {
                    self.octets[source].pop_front();
                }
            }
        }
        for (kind, name) in KINDS.iter().enumerate() {
            if self.block.get(&format!("{name}.valid")) == 0 {
                continue;
            }
            let word: FrameWord =
                Bits::<70>::from_value(&self.block.get_value(&format!("{name}.data"))).into();
            let octets = u64::from(word.data).to_le_bytes();
            self.coming[kind].extend(&octets[..u64::from(word.bytes) as usize]);
            if word.last {
                let frame = std::mem::take(&mut self.coming[kind]);
                self.came[kind].push_back((frame, word.error));
            }
        }
        self.block.step();
    }
}

#[test]
fn frames_come_back_as_they_were_sent() {
    for retry in [false, true] {
        let mut port = Port::new(seed(0x9071));
        port.start(retry);
        let mut expected: [Vec<Vec<u8>>; 2] = Default::default();
        for _ in 0..60 {
            let source = port.random.random_range(0..2);
            let bytes = port.random.random_range(60..600);
            expected[source].push(port.offer(source, bytes));
        }
        (0..20_000).for_each(|_| port.clock());
        for (kind, expected) in expected.into_iter().enumerate() {
            let came: Vec<_> = port.came[kind].drain(..).collect();
            assert_eq!(came.len(), expected.len(), "{}", KINDS[kind]);
            for ((frame, error), wanted) in came.into_iter().zip(expected) {
                assert!(!error && frame == wanted);
            }
        }
        let counts = [PortCounter::FramesTx, PortCounter::FramesRx, PortCounter::Fcs]
            .map(|counter| port.count(counter));
        assert_eq!(counts, [60, 60, 0]);
        assert_eq!(port.count(PortCounter::BytesTx), port.count(PortCounter::BytesRx));
        assert!(port.count(PortCounter::Inject) > 10);
        let acknowledged = port.count(PortCounter::RetryAckRx) > 0;
        assert_eq!(acknowledged, retry, "acknowledgments of link-layer retry");
    }
}

#[test]
fn a_word_takes_as_long_as_it_says() {
    let mut port = Port::new(seed(0x9072));
    port.start(false);
    (0..100).for_each(|_| port.clock());
    port.offer(0, 64);
    let mut taken = None;
    for clock in 0..100_u64 {
        let waiting = port.queues[0].len();
        // The preamble is the column before that of the first word.
        if port.block.get("txd") & 0xFF == 0xFB && port.block.get("txc") & 1 == 1 {
            let taken: u64 = taken.expect("a word was taken before");
            assert_eq!(clock + 1 - taken, u64::from(LATENCY));
            return;
        }
        port.clock();
        if port.queues[0].len() < waiting {
            taken.get_or_insert(clock);
        }
    }
    panic!("no frame");
}

/// Off, it is silent and takes nothing; switched off in the middle of a frame it is silent at once, and then begins anew.
#[test]
fn off_in_the_middle_of_a_frame() {
    let mut port = Port::new(seed(0x9073));
    port.start(true);
    port.offer(0, 500);
    (0..30).for_each(|_| port.clock());
    let control = port.request(page::P_CTRL, None);
    port.block.set("data_in.valid", 0);
    port.request(page::P_CTRL, Some(control & !1));
    port.queues[0].clear();
    port.octets[0].clear();
    port.coming[0].clear();
    for _ in 0..200 {
        port.clock();
        assert_eq!((port.block.get("txd"), port.block.get("txc"), port.block.get("up")), (IDLE, 0xFF, 0));
        assert_eq!(port.block.get("data_in.ready"), 0);
    }
    // Settings change now, and are refused while it is on.
    let pause = port.request(page::P_PFC0, None);
    port.request(page::P_PFC0, Some(pause - 1));
    assert_eq!(port.request(page::P_PFC0, None), pause - 1);
    port.start(true);
    port.request(page::P_PFC0, Some(pause));
    assert_eq!(port.request(page::P_PFC0, None), pause - 1);
    let frame = port.offer(0, 100);
    (0..400).for_each(|_| port.clock());
    assert_eq!(port.came[0].pop_back().expect("a frame"), (frame, false));
}
