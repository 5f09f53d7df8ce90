//! Packets into one virtual lane and out of it.

use crate::fab_port::flow::Expected;
use crate::fab_port::pair::MTU;
use crate::fabric::encode::{request_value, word_value};
use flitforge_elaborate::Value;
use flitforge_model::packet::{Header, Request, Word};
use flitforge_protocol::packet::{head, packet_end, word_bits};
use flitforge_sim::compiled::{Compiled, Handle, Instance};
use flitforge_sim::kit::Rng;
use rand::Rng as _;
use std::collections::VecDeque;

fn port(program: &Compiled, name: &str, end: usize, vl: usize, vls: usize) -> [Handle; 3] {
    let index = end * vls + vl;
    ["valid", "data", "ready"].map(|part| program.handle(&format!("{name}[{index}].{part}")).expect("a port"))
}

/// A packet that was offered.
#[derive(Clone, Debug)]
pub struct Offered {
    pub number: u64,
    header: u64,
    words: Vec<Value>,
    tag: u16,
}

/// Offers packets of random lengths; the number of each stands in its tag and its source address.
pub struct PacketSource {
    header_in: [Handle; 3],
    words_in: [Handle; 3],
    vl: usize,
    flits: usize,
    /// Share of clocks in which the next header or word is offered.
    pub pace: f64,
    /// Packets that have not arrived.
    pub sent: VecDeque<Offered>,
    request: Option<Value>,
    words: VecDeque<Value>,
    header_offered: bool,
    word_offered: bool,
    pub number: u64,
    /// Packets offered before this one may be lost, since the link has started afresh.
    may_lose: u64,
    pub lost: u64,
}

impl PacketSource {
    pub fn new(program: &Compiled, end: usize, vl: usize, vls: usize, flits: usize) -> Self {
        Self {
            header_in: port(program, "header_in", end, vl, vls),
            words_in: port(program, "words_in", end, vl, vls),
            vl,
            flits,
            pace: 0.0,
            sent: VecDeque::new(),
            request: None,
            words: VecDeque::new(),
            header_offered: false,
            word_offered: false,
            number: 0,
            may_lose: 0,
            lost: 0,
        }
    }

    /// A packet from its header on.
    fn make(&mut self, rng: &mut Rng) {
        let len = match rng.random_range(0..8) {
            0 => 0,
            1..4 => rng.random_range(1..32),
            4..7 => rng.random_range(1..=MTU),
            _ => MTU,
        };
        let tag = self.number as u16;
        let header = Header {
            dst: rng.random(),
            src: tag,
            vl: self.vl as u8,
            ptype: rng.random_range(0..16),
            fecn: rng.random(),
            becn: rng.random(),
            sl: rng.random_range(0..16),
        };
        let size = 8 * self.flits;
        let count = len.div_ceil(size);
        let words: Vec<Value> = (0..count)
            .map(|index| {
                let bytes = size.min(len - index * size);
                let data = (0..size).map(|byte| if byte < bytes { rng.random() } else { 0 }).collect();
                word_value(&Word { data, bytes, last: index + 1 == count }, self.flits)
            })
            .collect();
        let request = Request { header, len, tag };
        self.request = Some(request_value(&request));
        self.words.extend(words.iter().cloned());
        let header = crate::fabric::encode::header_value(&header, len);
        self.sent.push_back(Offered { number: self.number, header, words, tag });
        self.number += 1;
    }

    pub fn drive(&mut self, instance: &mut Instance, rng: &mut Rng) {
        if self.pace > 0.0 && self.request.is_none() && self.words.is_empty() {
            self.make(rng);
        }
        // What has begun goes on also without a pace.
        let pace = if self.pace > 0.0 { self.pace } else { 0.9 };
        self.header_offered |= self.request.is_some() && rng.random_bool(pace);
        self.word_offered |= !self.words.is_empty() && rng.random_bool(pace);
        instance.set(self.header_in[0], self.header_offered.into());
        if let (true, Some(request)) = (self.header_offered, &self.request) {
            instance.set_words(self.header_in[1], request.words());
        }
        instance.set(self.words_in[0], self.word_offered.into());
        if let (true, Some(word)) = (self.word_offered, self.words.front()) {
            instance.set_words(self.words_in[1], word.words());
        }
    }

    pub fn take(&mut self, instance: &mut Instance) {
        if self.header_offered && instance.get(self.header_in[2]) == 1 {
            (self.header_offered, self.request) = (false, None);
        }
        if self.word_offered && instance.get(self.words_in[2]) == 1 {
            self.word_offered = false;
            self.words.pop_front();
        }
    }

    /// The link has started afresh: what was offered up to now may be lost.
    pub fn restarted(&mut self) {
        self.may_lose = self.number;
    }

    /// Nothing is offered any more.
    pub fn clear(&mut self) {
        (self.request, self.header_offered, self.word_offered) = (None, false, false);
        self.words.clear();
        self.restarted();
    }

    /// The packet with this number has arrived; those before it are lost.
    fn arrive(&mut self, clock: u64, number: u64) -> Offered {
        loop {
            let Some(packet) = self.sent.pop_front() else {
                panic!("clock {clock}, lane {}: packet {number} came again or was never sent", self.vl)
            };
            if packet.number == number {
                return packet;
            }
            let (next, may_lose) = (packet.number, self.may_lose);
            assert!(next < may_lose, "clock {clock}, lane {}: packet {next} is lost", self.vl);
            self.lost += 1;
        }
    }

    /// Everything that was offered has been taken, and has arrived or may be lost.
    pub fn is_done(&self) -> bool {
        self.request.is_none()
            && self.words.is_empty()
            && self.sent.iter().all(|packet| packet.number < self.may_lose)
    }

    pub fn waiting(&self) -> (usize, usize, bool) {
        (self.sent.len(), self.words.len(), self.request.is_some())
    }
}

/// Takes packets, in its own time.
pub struct PacketSink {
    header_out: [Handle; 3],
    words_out: [Handle; 3],
    end_out: [Handle; 3],
    flits: usize,
    /// Share of clocks in which something is taken.
    pub pace: f64,
    ready: [bool; 3],
    headers: VecDeque<u64>,
    words: VecDeque<Value>,
    ends: VecDeque<u64>,
    /// What has come and was not held to the models yet.
    new_headers: VecDeque<u64>,
    new_words: VecDeque<Value>,
    new_ends: VecDeque<u64>,
    pub good: u64,
    /// Bad ones, by reason.
    pub bad: [u64; 8],
    /// Bad packets may come: reasons, one bit each.
    pub allowed: u64,
    /// The models do not say what comes.
    pub unchecked: bool,
}

impl PacketSink {
    pub fn new(program: &Compiled, end: usize, vl: usize, vls: usize) -> Self {
        let words_out = port(program, "words_out", end, vl, vls);
        let flits = [1, 2, 4].into_iter().find(|flits| word_bits(*flits) == words_out[1].width() as usize);
        Self {
            header_out: port(program, "header_out", end, vl, vls),
            words_out,
            end_out: port(program, "end_out", end, vl, vls),
            flits: flits.expect("a word"),
            pace: 1.0,
            ready: [false; 3],
            headers: VecDeque::new(),
            words: VecDeque::new(),
            ends: VecDeque::new(),
            new_headers: VecDeque::new(),
            new_words: VecDeque::new(),
            new_ends: VecDeque::new(),
            good: 0,
            bad: [0; 8],
            allowed: 0,
            unchecked: false,
        }
    }

    pub fn drive(&mut self, instance: &mut Instance, rng: &mut Rng) {
        for (ready, port) in self.ready.iter_mut().zip([self.header_out, self.words_out, self.end_out]) {
            *ready = self.pace > 0.0 && rng.random_bool(self.pace);
            instance.set(port[2], (*ready).into());
        }
    }

    pub fn take(&mut self, instance: &mut Instance) {
        if self.ready[0] && instance.get(self.header_out[0]) == 1 {
            let header = instance.get(self.header_out[1]);
            self.headers.push_back(header);
            self.new_headers.push_back(header);
        }
        if self.ready[1] && instance.get(self.words_out[0]) == 1 {
            let words = instance.words(self.words_out[1]).to_vec();
            let word = Value::from_words(word_bits(self.flits) as u32, &words);
            self.words.push_back(word.clone());
            self.new_words.push_back(word);
        }
        if self.ready[2] && instance.get(self.end_out[0]) == 1 {
            let end = instance.get(self.end_out[1]);
            self.ends.push_back(end);
            self.new_ends.push_back(end);
        }
    }

    /// What came is what the models say.
    pub fn compare(&mut self, clock: u64, expected: &mut Expected) {
        if self.unchecked {
            self.new_headers.clear();
            self.new_words.clear();
            self.new_ends.clear();
            return;
        }
        while let Some(found) = self.new_headers.pop_front() {
            assert_eq!(Some(found), expected.headers.pop_front(), "clock {clock}: header");
        }
        while let Some(found) = self.new_words.pop_front() {
            assert_eq!(Some(found), expected.words.pop_front(), "clock {clock}: word");
        }
        while let Some(found) = self.new_ends.pop_front() {
            assert_eq!(Some(found), expected.ends.pop_front(), "clock {clock}: end");
        }
    }

    /// Packets that are there with header, words and end are those that were sent, each once and in their order.
    pub fn check(&mut self, clock: u64, source: &mut PacketSource) {
        while let (Some(header), Some(end)) = (self.headers.front().copied(), self.ends.front().copied()) {
            let len = header >> head::len::LOW & ((1 << head::len::WIDTH) - 1);
            let is_last = |word: &Value| word.bit(word_bits(self.flits) as u32 - 1);
            let words = match len {
                0 => 0,
                _ => match self.words.iter().position(is_last) {
                    Some(place) => place + 1,
                    None => return,
                },
            };
            self.headers.pop_front();
            self.ends.pop_front();
            let words: Vec<Value> = self.words.drain(..words).collect();
            let tag = end >> packet_end::tag::LOW & 0xFFFF;
            let low = header >> head::src::LOW & 0xFFFF;
            let next = source.sent.front().map_or(source.number, |packet| packet.number);
            let number = next + (low.wrapping_sub(next) & 0xFFFF);
            let packet = source.arrive(clock, number);
            assert_eq!(header, packet.header, "clock {clock}: header of packet {number}");
            if end >> packet_end::good::LOW & 1 == 1 {
                assert_eq!(tag, u64::from(packet.tag), "clock {clock}: tag of packet {number}");
                assert_eq!(words, packet.words, "clock {clock}: words of packet {number}");
                self.good += 1;
                continue;
            }
            let reason = end >> packet_end::reason::LOW & 0xFF;
            assert!(
                self.allowed >> reason & 1 == 1,
                "clock {clock}: packet {number} is bad, reason {reason}"
            );
            self.bad[reason as usize] += 1;
        }
    }

    /// What has begun does not end.
    pub fn clear(&mut self) {
        (self.headers, self.words, self.ends) = Default::default();
        (self.new_headers, self.new_words, self.new_ends) = Default::default();
    }

    /// Nothing has begun that has not ended.
    pub fn is_done(&self) -> bool {
        self.headers.is_empty() && self.words.is_empty() && self.ends.is_empty()
    }

    pub fn finish(&self, expected: &Expected) {
        if !self.unchecked {
            assert_eq!(
                (expected.headers.len(), expected.words.len(), expected.ends.len()),
                (0, 0, 0),
                "did not come"
            );
        }
    }
}
