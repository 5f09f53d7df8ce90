//! Numbered packets on virtual lanes, for ports that take packets instead of beats.

use crate::content::{mixed, BEAT_WORDS, NUMBER_BITS};
use crate::failure::{Failure, FailureKind};
use flitforge_protocol::packet::{head, packet_end, request, word_count_bits, word_data_bits};
use flitforge_sim::compiled::{Handle, Instance};
use flitforge_sim::kit::Rng;
use rand::Rng as _;
use std::collections::VecDeque;

/// Words of the widest payload word: its data are those of a beat, and it says how many bytes there are.
const WORD_WORDS: usize = BEAT_WORDS;
/// Most payload of a packet, in units of 8 bytes.
const MOST_UNITS: u64 = 24;
/// A packet that LTPs are lost of has this many flits at least: so many packets stand in an LTP at most.
const PACKETS_PER_LTP: u64 = 6;

type Word = [u64; WORD_WORDS];

/// Handles of one virtual lane: valid, data, ready.
#[derive(Clone, Copy, Debug)]
pub struct PacketPorts {
    /// `header_in`, `words_in`.
    pub inputs: [[Handle; 3]; 2],
    /// `header_out`, `words_out`, `end_out`.
    pub outputs: [[Handle; 3]; 3],
}

/// One virtual lane of one direction.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Number of the packet that is being offered, or will be.
    number: u64,
    header: Option<[u64; 2]>,
    words: VecDeque<Word>,
    /// Words of the packet that is coming, whole packets, and ends: these come in their own time.
    came: Vec<Word>,
    whole: VecDeque<Vec<Word>>,
    ends: VecDeque<u64>,
    /// Number that is to come next.
    next: u64,
}

/// Packets of one direction.
#[derive(Clone, Debug)]
pub struct Packets {
    end: usize,
    links: usize,
    flits: usize,
    lanes: Vec<Lane>,
    /// Packets whose header was taken.
    pub sent: u64,
    /// Good packets that came.
    pub received: u64,
}

impl Packets {
    /// Packets of `end` for ports of so many links, flits per beat and virtual lanes.
    pub fn new(end: usize, links: usize, flits: usize, vls: usize) -> Self {
        Self { end, links, flits, lanes: vec![Lane::default(); vls], sent: 0, received: 0 }
    }

    /// Packets that may be lost when LOST_ON_RESET says so many LTPs and links went Down so many times: what had begun is
    /// thrown away up to its end, at either end. With an LTP of a bond's link go the shares of the others.
    pub fn most_lost(&self, ltps: u64, downs: u64) -> u64 {
        ltps * PACKETS_PER_LTP * self.links as u64 + downs * 2 * self.lanes.len() as u64
    }

    /// Packets on their way, or lost at the end.
    pub fn outstanding(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.number - lane.next).sum()
    }

    /// A packet is offered, or has words left.
    pub fn is_offering(&self) -> bool {
        self.lanes.iter().any(|lane| lane.header.is_some() || !lane.words.is_empty())
    }

    /// The sender is cleared: it knows nothing of what has begun.
    pub fn forget_sender(&mut self) {
        for lane in &mut self.lanes {
            lane.header = None;
            lane.words.clear();
        }
    }

    /// The receiver is cleared.
    pub fn forget_receiver(&mut self) {
        for lane in &mut self.lanes {
            lane.came.clear();
            lane.whole.clear();
            lane.ends.clear();
        }
    }

    fn words_of(&self, vl: usize, number: u64) -> VecDeque<Word> {
        let source = self.end * 16 + vl;
        let units = 1 + mixed(source, number, 127) % MOST_UNITS;
        let count = units.div_ceil(self.flits as u64);
        let (data, bits) = (word_data_bits(self.flits), word_count_bits(self.flits));
        (0..count)
            .map(|at| {
                let first = at * self.flits as u64;
                let here = (units - first).min(self.flits as u64);
                let mut word = [0; WORD_WORDS];
                for unit in 0..here {
                    let value = mixed(source, number, (first + unit) as usize);
                    word[unit as usize] =
                        if first + unit == 0 { value << NUMBER_BITS | number } else { value };
                }
                let last = u64::from(at + 1 == count) << bits;
                word[data / 64] |= last | (8 * here);
                word
            })
            .collect()
    }

    /// What is offered in this clock.
    pub fn offer(&mut self, port: &mut Instance, ports: &[PacketPorts], pace: f64, random: &mut Rng) {
        for (vl, at) in ports.iter().enumerate() {
            let idle = self.lanes[vl].header.is_none() && self.lanes[vl].words.is_empty();
            if idle && pace > 0.0 && (pace >= 1.0 || random.random_bool(pace)) {
                let number = self.lanes[vl].number;
                let words = self.words_of(vl, number);
                let units: u64 = words.iter().map(|word| self.bytes(word)).sum();
                let header = head::len::FIELD.set(0, units) | (vl as u128) << head::vl::LOW;
                let asked = request::tag::FIELD.set(header, number & 0xFFFF);
                self.lanes[vl].header = Some([asked as u64, (asked >> 64) as u64]);
                self.lanes[vl].words = words;
            }
            let lane = &self.lanes[vl];
            port.set(at.inputs[0][0], lane.header.is_some().into());
            if let Some(header) = &lane.header {
                port.set_words(at.inputs[0][1], header);
            }
            port.set(at.inputs[1][0], u64::from(!lane.words.is_empty()));
            if let Some(word) = lane.words.front() {
                port.set_words(at.inputs[1][1], word);
            }
        }
    }

    fn bytes(&self, word: &Word) -> u64 {
        word[word_data_bits(self.flits) / 64] & ((1 << word_count_bits(self.flits)) - 1)
    }

    /// What is taken in this clock.
    pub fn taken(&mut self, port: &mut Instance, ports: &[PacketPorts]) {
        for (lane, at) in self.lanes.iter_mut().zip(ports) {
            if lane.header.is_some() && port.get(at.inputs[0][2]) == 1 {
                lane.header = None;
                lane.number += 1;
                self.sent += 1;
            }
            if !lane.words.is_empty() && port.get(at.inputs[1][2]) == 1 {
                lane.words.pop_front();
            }
        }
    }

    /// The receiver takes everything.
    pub fn ready(port: &mut Instance, ports: &[PacketPorts]) {
        for output in ports.iter().flat_map(|at| at.outputs) {
            port.set(output[2], 1);
        }
    }

    /// What comes in this clock.
    pub fn delivered(&mut self, port: &mut Instance, ports: &[PacketPorts]) -> Result<(), Failure> {
        let (data, bits) = (word_data_bits(self.flits), word_count_bits(self.flits));
        for (vl, at) in ports.iter().enumerate() {
            let [_, words, end] = at.outputs;
            if port.get(words[0]) == 1 {
                let mut word = [0; WORD_WORDS];
                word.iter_mut().zip(port.words(words[1])).for_each(|(to, from)| *to = *from);
                let lane = &mut self.lanes[vl];
                lane.came.push(word);
                if word[data / 64] >> bits & 1 == 1 {
                    lane.whole.push_back(std::mem::take(&mut lane.came));
                }
            }
            if port.get(end[0]) == 1 {
                self.lanes[vl].ends.push_back(port.get(end[1]));
            }
            while !self.lanes[vl].whole.is_empty() && !self.lanes[vl].ends.is_empty() {
                let end = self.lanes[vl].ends.pop_front().unwrap_or_default();
                self.ended(vl, end)?;
            }
        }
        Ok(())
    }

    /// A packet has come, good or bad.
    fn ended(&mut self, vl: usize, end: u64) -> Result<(), Failure> {
        let came = self.lanes[vl].whole.pop_front().unwrap_or_default();
        if packet_end::good::FIELD.get(end.into()) == 0 {
            return Ok(());
        }
        let number = came.first().map_or(0, |word| word[0] & ((1 << NUMBER_BITS) - 1));
        let expected = self.words_of(vl, number);
        let (from, next, sent) = (self.end, self.lanes[vl].next, self.lanes[vl].number);
        let tag = packet_end::tag::FIELD.get(end.into());
        if number >= sent || expected != came || tag != number & 0xFFFF {
            let text = format!(
                "a packet came on lane {vl} that end {from} never sent: {came:x?}; expected were packets {next} to {sent}"
            );
            return Err(Failure::new(FailureKind::Altered, text));
        }
        if number < next {
            let text = format!("packet {number} of end {from}, lane {vl}, came again; expected was {next}");
            return Err(Failure::new(FailureKind::Twice, text));
        }
        self.lanes[vl].next = number + 1;
        self.received += 1;
        Ok(())
    }
}
