//! Packets into one virtual lane at the far end of a link and out of it.

use crate::fabric::encode::{header_value, request_value, word_value};
use crate::switch_node::star::{MTU, PORTS, VLS};
use flitforge_elaborate::Value;
use flitforge_model::packet::{Header, Request, Word};
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::packet::{head, packet_end, word_bits};
use flitforge_sim::compiled::{Compiled, Handle, Instance};
use flitforge_sim::kit::Rng;
use rand::Rng as _;
use std::collections::{BTreeMap, VecDeque};

/// The low bits of a source address are the packet's number, those above them the port.
const NUMBER_BITS: usize = 13;

/// A packet on its way.
struct Offered {
    header: u64,
    words: Vec<Value>,
    tag: u16,
    may_be_lost: bool,
}

/// All packets on their way, by source, destination and virtual lane, each in its order.
#[derive(Default)]
pub struct Board {
    waiting: BTreeMap<(usize, usize, usize), VecDeque<Offered>>,
    pub good: u64,
    pub lost: u64,
    /// Bad ones, by reason.
    pub bad: [u64; 8],
}

impl Board {
    /// What is on its way to or from this port may be lost.
    pub fn may_lose(&mut self, port: usize) {
        for (_, packets) in self.waiting.iter_mut().filter(|((from, to, _), _)| *from == port || *to == port)
        {
            packets.iter_mut().for_each(|packet| packet.may_be_lost = true);
        }
    }

    /// Packets that have not come, but for those that may be lost.
    pub fn missing(&self) -> usize {
        let packets = self.waiting.values().flatten();
        packets.filter(|packet| !packet.may_be_lost).count()
    }

    /// A packet has come to port `to`.
    fn arrive(&mut self, clock: u64, (to, vl): (usize, usize), header: u64, words: &[Value], end: u64) {
        let from = (header >> (head::src::LOW + NUMBER_BITS) & 7) as usize;
        let place = format!("clock {clock}, from {from} to {to}, lane {vl}");
        let packets = self.waiting.entry((from, to, vl)).or_default();
        let packet = loop {
            let packet =
                packets.pop_front().unwrap_or_else(|| panic!("{place}: {header:x} again or never sent"));
            if packet.header == header {
                break packet;
            }
            assert!(packet.may_be_lost, "{place}: {:x} is lost", packet.header);
            self.lost += 1;
        };
        if end >> packet_end::good::LOW & 1 == 1 {
            assert_eq!(end >> packet_end::tag::LOW & 0xFFFF, u64::from(packet.tag), "{place}");
            assert_eq!(words, packet.words, "{place}");
            self.good += 1;
            return;
        }
        let reason = end >> packet_end::reason::LOW & 0xFF;
        let by_link = reason == u64::from(BadReason::InputLinkDown.code());
        assert!(packet.may_be_lost && by_link, "{place}: bad, reason {reason}");
        self.bad[reason as usize] += 1;
    }
}

fn stream(program: &Compiled, name: &str, port: usize, vl: usize) -> [Handle; 3] {
    let index = port * VLS + vl;
    ["valid", "data", "ready"].map(|part| program.handle(&format!("{name}[{index}].{part}")).expect("a port"))
}

pub struct Source {
    header_in: [Handle; 3],
    words_in: [Handle; 3],
    port: usize,
    vl: usize,
    number: u64,
    request: Option<Value>,
    words: VecDeque<Value>,
    /// Where packets go; none: none begins.
    pub to: Vec<usize>,
    /// Chance of a packet per clock.
    pub pace: f64,
}

impl Source {
    pub fn new(program: &Compiled, port: usize, vl: usize) -> Self {
        Source {
            header_in: stream(program, "header_in", port, vl),
            words_in: stream(program, "words_in", port, vl),
            port,
            vl,
            number: 0,
            request: None,
            words: VecDeque::new(),
            to: (0..PORTS).filter(|to| *to != port).collect(),
            pace: 0.0,
        }
    }

    fn make(&mut self, rng: &mut Rng, board: &mut Board) {
        let len = [0, rng.random_range(1..40), rng.random_range(1..=MTU), MTU][rng.random_range(0..4)];
        let to = self.to[rng.random_range(0..self.to.len())];
        let number = self.number % (1 << NUMBER_BITS);
        self.number += 1;
        let src = (self.port << NUMBER_BITS) as u16 | number as u16;
        let header = Header {
            dst: to as u16,
            src,
            vl: self.vl as u8,
            sl: rng.random_range(0..16),
            ..Header::default()
        };
        let request = Request { header, len, tag: rng.random() };
        let words: Vec<Value> = (0..len.div_ceil(8))
            .map(|index| {
                let bytes = 8.min(len - 8 * index);
                let data = (0..8).map(|byte| if byte < bytes { rng.random() } else { 0 }).collect();
                word_value(&Word { data, bytes, last: 8 * index + bytes == len }, 1)
            })
            .collect();
        self.request = Some(request_value(&request));
        self.words.extend(words.iter().cloned());
        let header = header_value(&header, len);
        let offered = Offered { header, words, tag: request.tag, may_be_lost: false };
        board.waiting.entry((self.port, to, self.vl)).or_default().push_back(offered);
    }

    pub fn drive(&mut self, instance: &mut Instance, rng: &mut Rng, board: &mut Board) {
        let free = self.request.is_none() && self.words.is_empty();
        if free && !self.to.is_empty() && self.pace > 0.0 && rng.random_bool(self.pace) {
            self.make(rng, board);
        }
        instance.set(self.header_in[0], self.request.is_some().into());
        if let Some(request) = &self.request {
            instance.set_words(self.header_in[1], request.words());
        }
        instance.set(self.words_in[0], (!self.words.is_empty()).into());
        if let Some(word) = self.words.front() {
            instance.set_words(self.words_in[1], word.words());
        }
    }

    pub fn take(&mut self, instance: &mut Instance) {
        if self.request.is_some() && instance.get(self.header_in[2]) == 1 {
            self.request = None;
        }
        if !self.words.is_empty() && instance.get(self.words_in[2]) == 1 {
            self.words.pop_front();
        }
    }

    pub fn is_idle(&self) -> bool {
        self.request.is_none() && self.words.is_empty()
    }
}

pub struct Sink {
    outs: [[Handle; 3]; 3],
    place: (usize, usize),
    headers: VecDeque<u64>,
    words: Vec<Value>,
    ends: VecDeque<u64>,
    /// Chance per clock of taking something.
    pub pace: f64,
    ready: [bool; 3],
}

impl Sink {
    pub fn new(program: &Compiled, port: usize, vl: usize) -> Self {
        Sink {
            outs: ["header_out", "words_out", "end_out"].map(|name| stream(program, name, port, vl)),
            place: (port, vl),
            headers: VecDeque::new(),
            words: vec![],
            ends: VecDeque::new(),
            pace: 1.0,
            ready: [false; 3],
        }
    }

    pub fn drive(&mut self, instance: &mut Instance, rng: &mut Rng) {
        for (ready, port) in self.ready.iter_mut().zip(self.outs) {
            *ready = rng.random_bool(self.pace);
            instance.set(port[2], (*ready).into());
        }
    }

    pub fn take(&mut self, instance: &mut Instance, clock: u64, board: &mut Board) {
        let came: Vec<bool> = self
            .outs
            .iter()
            .zip(self.ready)
            .map(|(port, ready)| ready && instance.get(port[0]) == 1)
            .collect();
        if came[0] {
            self.headers.push_back(instance.get(self.outs[0][1]));
        }
        if came[1] {
            let words = instance.words(self.outs[1][1]).to_vec();
            self.words.push(Value::from_words(word_bits(1) as u32, &words));
        }
        if came[2] {
            self.ends.push_back(instance.get(self.outs[2][1]));
        }
        while let (Some(header), Some(end)) = (self.headers.front().copied(), self.ends.front().copied()) {
            let len = header >> head::len::LOW & ((1 << head::len::WIDTH) - 1);
            let last = self.words.iter().position(|word| word.bit(word_bits(1) as u32 - 1));
            let words = match (len, last) {
                (0, _) => 0,
                (_, Some(place)) => place + 1,
                (_, None) => return,
            };
            self.headers.pop_front();
            self.ends.pop_front();
            let words: Vec<Value> = self.words.drain(..words).collect();
            board.arrive(clock, self.place, header, &words, end);
        }
    }

    /// Nothing has begun that has not ended.
    pub fn is_done(&self) -> bool {
        self.headers.is_empty() && self.words.is_empty() && self.ends.is_empty()
    }
}
