//! Network headers checked and taken away, against the golden codec, on all simulators.

use super::network::{every_framing, octets_of, random_config, settings_of, value_of, words_of, WordBits};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::decap::{SueDecap, LATENCY};
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::network::NetworkSource;
use flitforge_model::sue::format::network::{
    Framing, Generation, HeaderRefusal, InternetVersion, Marking, Network, NetworkConfig, Received, Route,
    SecondEthertype, Shim, Tagging,
};
use flitforge_model::sue::format::{DropCounter, Fid};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::network::TAG_TPID;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{rng, seed, Agent, Coverage, Pace, Pacer, Rng as KitRng, Testbench};
use flitforge_sim::{open, Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::depth;
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type SourceBits = Bits<{ <NetworkSource as Synth>::BITS }>;

/// A frame without FCS, and whether it is bad already.
type Frame = (Vec<u8>, bool);

/// Frames for one setting; after so many words the block is cleared.
struct Batch {
    config: NetworkConfig,
    frames: VecDeque<Frame>,
    words: usize,
}

/// What has to come of a frame.
#[derive(Debug)]
struct Expected {
    octets: Vec<u8>,
    error: bool,
    pulse: Option<DropCounter>,
    source: Option<NetworkSource>,
    /// There is a mark of the class.
    marked: bool,
    /// Why it is refused; messages of a failure say it.
    #[allow(dead_code)]
    why: String,
    /// Clock of its last word.
    ended: Option<u64>,
}

/// Octets of a frame after its header, as a receiver sees it that knows a tag by its TPID only.
fn behind_header(framing: Framing, frame: &[u8]) -> &[u8] {
    let (untagged, taggable) = match framing {
        Framing::Standard { version, .. } => {
            (Framing::Standard { version, tagging: Tagging::Untagged }, true)
        }
        Framing::AfhGen1 { second, shim, .. } => {
            (Framing::AfhGen1 { second, shim, tagging: Tagging::Untagged }, true)
        }
        other => (other, false),
    };
    let has_tag = taggable && frame.get(12..14) == Some(&(TAG_TPID as u16).to_be_bytes());
    frame.get(untagged.header_bytes() + if has_tag { 4 } else { 0 }..).unwrap_or(&[])
}

fn source_of(received: &Received, config: &NetworkConfig) -> (NetworkSource, bool) {
    let (class, marked) = match received.marking {
        Marking::None => (0, false),
        Marking::TrafficClass(class) | Marking::ClassOfService(class) => (class, true),
    };
    let source = NetworkSource {
        xpu: u64::from(received.source.xpu).into(),
        port: u64::from(received.source.port).into(),
        generation: u64::from(config.generation.octet()).into(),
        class: u64::from(class).into(),
        vc: u64::from(received.lite_vc.unwrap_or(0)).into(),
    };
    (source, marked)
}

/// The golden codec, and what it expects.
struct Reference {
    network: Network,
    expected: VecDeque<Expected>,
    came: Vec<u8>,
    latency: u64,
    seen: Coverage,
}

/// Name of a refusal, without what it found.
fn name_of(refusal: &HeaderRefusal) -> String {
    let text = format!("{refusal:?}");
    text.split(['(', ' ']).next().unwrap_or_default().into()
}

impl Reference {
    fn expect(&mut self, (octets, error): &Frame) {
        let config = self.network.config().clone();
        let pdu = behind_header(config.framing, octets).to_vec();
        let (mut bad, mut pulse, mut source, mut marked) = (*error, None, None, false);
        let mut why = String::new();
        if *error {
            self.seen.hit("bad already");
        } else {
            match self.network.decapsulate(octets) {
                // With IPv4 one word is refused before its checksum is known, whatever else may be said of it.
                Ok(_) | Err(HeaderRefusal::Generation { .. })
                    if has_ipv4(config.framing) && is_one_word(&pdu) =>
                {
                    self.seen.hit("tiny");
                    (bad, pulse) = (true, Some(DropCounter::HeaderBad));
                }
                // A frame that ends with its header has no PDU to be given.
                Ok(received) if received.pdu.is_empty() => {
                    self.seen.hit("empty");
                    pulse = Some(DropCounter::HeaderBad);
                }
                Err(HeaderRefusal::Generation { .. }) if pdu.is_empty() => {
                    self.seen.hit("empty");
                    (bad, pulse) = (true, Some(DropCounter::HeaderBad));
                }
                Ok(received) => {
                    assert_eq!(received.pdu, pdu);
                    let (found, has_mark) = source_of(&received, &config);
                    (source, marked) = (Some(found), has_mark);
                    self.seen.hit(format!("{:?}", config.framing));
                    self.seen.hit(if config.generation == Generation::Off { "GEN_EN 0" } else { "GEN_EN 1" });
                }
                Err(refusal) => {
                    self.seen.hit(name_of(&refusal));
                    (bad, pulse) = (true, Some(refusal.counter()));
                    why = refusal.to_string();
                }
            }
        }
        if !pdu.is_empty() || pulse.is_some() {
            self.expected.push_back(Expected {
                octets: pdu,
                error: bad,
                pulse,
                source,
                marked,
                why,
                ended: None,
            });
        }
    }

    /// A word of a PDU.
    fn word(
        &mut self,
        wrong: impl Fn(String) -> SimError,
        word: FrameWord,
        source: NetworkSource,
    ) -> Result<(), SimError> {
        let framing = self.network.config().framing;
        let expected = self.expected.front().ok_or_else(|| wrong("a word of no frame".into()))?;
        self.came.extend(octets_of(word));
        let is_start = expected.octets.starts_with(&self.came);
        let is_whole = expected.octets.len() == self.came.len();
        if !is_start || is_whole != word.last || (!word.last && octets_of(word).len() != 8) {
            let (came, octets) = (&self.came, &expected.octets);
            return Err(wrong(format!("{framing:?}: {came:02X?} {word:?}, expected {octets:02X?}")));
        }
        if word.error != (word.last && expected.error) {
            return Err(wrong(format!("{framing:?}: error is {}, expected {expected:?}", word.error)));
        }
        if let Some(mut known) = expected.source {
            if !expected.marked {
                known.class = source.class;
            }
            if framing != Framing::Lite {
                known.vc = source.vc;
            }
            if matches!(framing, Framing::Lite | Framing::AfhGen2Compressed) {
                known.generation = source.generation;
            }
            if known != source {
                return Err(wrong(format!("{framing:?}: {source:?}, expected {known:?}")));
            }
        }
        Ok(())
    }

    /// All that leaves the block in one clock.
    fn observe(
        &mut self,
        clock: u64,
        word: Option<FrameWord>,
        source: NetworkSource,
        pulse: Option<DropCounter>,
    ) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        if let Some(word) = word {
            self.word(wrong, word, source)?;
        }
        let ends = word.is_some_and(|word| word.last);
        if !ends && pulse.is_none() {
            return Ok(());
        }
        let expected = self.expected.pop_front().ok_or_else(|| wrong(format!("{pulse:?} of no frame")))?;
        if pulse != expected.pulse || ends == expected.octets.is_empty() {
            let framing = self.network.config().framing;
            return Err(wrong(format!("{framing:?}: {pulse:?}, expected {expected:02X?}")));
        }
        let ended = expected.ended.ok_or_else(|| wrong("told before the frame has ended".into()))?;
        self.latency = self.latency.max(clock - ended);
        self.came.clear();
        Ok(())
    }
}

/// Sends frames in batches.
struct Line<F> {
    next: F,
    random: KitRng,
    pacer: Pacer,
    reference: Rc<RefCell<Reference>>,
    frames: VecDeque<Frame>,
    words: VecDeque<FrameWord>,
    /// Words until the block is cleared.
    left: usize,
    /// Clocks before the next word.
    wait: u64,
    clears: u64,
    sends: bool,
    batches: u64,
    ports: [PortHandle; 13],
}

const PORTS: [&str; 13] = [
    "clear",
    "settings",
    "port",
    "generation",
    "generation_enable",
    "frame.data",
    "frame.valid",
    "pdu.data",
    "pdu.valid",
    "source",
    "header_bad",
    "afh_bad",
    "generation_drop",
];

impl<F: FnMut(&mut KitRng) -> Batch> Line<F> {
    fn new(
        bench: &dyn Bench,
        next: F,
        seed: u64,
        reference: Rc<RefCell<Reference>>,
    ) -> Result<Self, SimError> {
        let mut ports = vec![];
        for name in PORTS {
            ports.push(bench.port(name)?);
        }
        Ok(Self {
            next,
            random: rng(seed, "line"),
            pacer: Pacer::new(Pace::mixed()),
            reference,
            frames: VecDeque::new(),
            words: VecDeque::new(),
            left: 0,
            wait: 0,
            clears: 0,
            sends: false,
            batches: 0,
            ports: ports.try_into().expect("as many"),
        })
    }

    fn paced(self, pace: Pace) -> Self {
        Self { pacer: Pacer::new(pace), ..self }
    }

    /// New settings and frames; what was under way is forgotten.
    fn change(&mut self, bench: &mut dyn Bench) {
        let batch = (self.next)(&mut self.random);
        let config = &batch.config;
        bench.set(self.ports[1], &value_of(settings_of(config)));
        bench.set_u64(self.ports[2], config.own.port.into());
        bench.set_u64(self.ports[3], config.generation.octet().into());
        bench.set_u64(self.ports[4], (config.generation != Generation::Off).into());
        let mut reference = self.reference.borrow_mut();
        if !self.words.is_empty() {
            reference.seen.hit("clear in mid-frame");
        }
        reference.network = Network::new(batch.config).expect("valid");
        reference.expected.clear();
        reference.came.clear();
        (self.frames, self.left) = (batch.frames, batch.words);
        self.words.clear();
        self.batches += 1;
    }
}

impl<F: FnMut(&mut KitRng) -> Batch> Agent for Line<F> {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.clears = self.clears.saturating_sub(1);
        let is_done = self.words.is_empty() && self.frames.is_empty();
        if self.wait == 0 && (self.left == 0 || is_done) {
            if self.words.is_empty() && !self.reference.borrow().expected.is_empty() {
                let problem = format!("did not come: {:02X?}", self.reference.borrow().expected);
                return Err(SimError::Check { clock, problem });
            }
            self.clears = 2;
            self.change(bench);
            self.wait = 5;
        }
        self.wait = self.wait.saturating_sub(1);
        bench.set_u64(self.ports[0], u64::from(self.clears > 0));
        self.sends = self.wait == 0 && self.pacer.next(&mut self.random) && self.left > 0;
        if self.sends && self.words.is_empty() {
            match self.frames.pop_front() {
                Some(frame) => {
                    self.reference.borrow_mut().expect(&frame);
                    self.words = words_of(&frame.0, frame.1, self.random.random()).into();
                }
                None => self.sends = false,
            }
        }
        bench.set_u64(self.ports[6], u64::from(self.sends));
        let noise: u64 = self.random.random();
        match self.words.front().filter(|_| self.sends) {
            Some(word) => bench.set(self.ports[5], &value_of(*word)),
            None => bench.set(self.ports[5], &Value::from_words(70, &[noise, noise])),
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.sends {
            let word = self.words.pop_front();
            self.left -= 1;
            let mut reference = self.reference.borrow_mut();
            if word.is_some_and(|word| word.last) {
                if let Some(expected) = reference.expected.iter_mut().rev().find(|one| one.ended.is_none()) {
                    expected.ended = Some(clock);
                }
                if self.frames.is_empty() || self.left == 0 {
                    self.wait = 8;
                }
            } else if self.left == 0 {
                self.wait = 0;
            }
        }
        if self.clears > 0 {
            return Ok(());
        }
        let bit = |place: usize| bench.get_bit(self.ports[place]);
        let word = bit(8).then(|| WordBits::from_value(&bench.get(self.ports[7])).into());
        let source = SourceBits::from_value(&bench.get(self.ports[9])).into();
        let pulses =
            [(10, DropCounter::HeaderBad), (11, DropCounter::AfhBad), (12, DropCounter::GenerationDrop)];
        let pulses: Vec<_> = pulses.into_iter().filter(|(place, _)| bit(*place)).collect();
        if pulses.len() > 1 {
            return Err(SimError::Check { clock, problem: format!("two pulses: {pulses:?}") });
        }
        let pulse = pulses.first().map(|(_, counter)| *counter);
        self.reference.borrow_mut().observe(clock, word, source, pulse)
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add("batches", self.batches);
        into.merge(&self.reference.borrow().seen);
    }
}

/// The sender of a good frame to a port of this configuration.
fn sender(random: &mut impl Rng, config: &NetworkConfig) -> Network {
    let framing = match config.framing {
        Framing::Standard { version, .. } => Framing::Standard { version, tagging: tagging(random) },
        Framing::AfhGen1 { second, shim, .. } => Framing::AfhGen1 { second, shim, tagging: tagging(random) },
        other => other,
    };
    let own = Fid { xpu: random.random_range(0..1024), ..config.own };
    Network::new(NetworkConfig { framing, own, ..config.clone() }).expect("valid")
}

fn tagging(random: &mut impl Rng) -> Tagging {
    if random.random() {
        Tagging::Tagged
    } else {
        Tagging::Untagged
    }
}

fn frame_of(random: &mut impl Rng, sender: &Network, to: &NetworkConfig, length: usize) -> Vec<u8> {
    let classes = if to.framing == Framing::Lite { 4 } else { 6 };
    let route = Route {
        peer: to.own.xpu,
        vc: random.random_range(0..4),
        class: ClassUse::ALL[random.random_range(0..classes)],
    };
    let pdu: Vec<u8> = (0..length).map(|_| random.random()).collect();
    sender.encapsulate(route, &pdu).expect("encodes")
}

/// Puts the checksum of an IPv4 header right again, if there is one at this place.
fn repair(frame: &mut [u8], start: usize) {
    let Some(header) = frame.get_mut(start..start + 20) else { return };
    header[10..12].fill(0);
    let sum: u32 = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    let folded = (folded & 0xFFFF) + (folded >> 16);
    header[10..12].copy_from_slice(&(!folded as u16).to_be_bytes());
}

fn has_ipv4(framing: Framing) -> bool {
    matches!(
        framing,
        Framing::Standard { version: InternetVersion::V4, .. } | Framing::Esun { payload: EsunPayload::Ipv4 }
    )
}

/// A PDU that there is, but that cannot hold a reliability header and R-CRC.
fn is_one_word(pdu: &[u8]) -> bool {
    (1..=8).contains(&pdu.len())
}

/// Where the IPv4 header of a sender's frames begins.
fn ipv4_start(sender: &Network) -> Option<usize> {
    let framing = sender.config().framing;
    has_ipv4(framing).then(|| framing.header_bytes() - 28)
}

fn random_length(random: &mut impl Rng) -> usize {
    match random.random_range(0..20) {
        0 => random.random_range(0..8),
        1 => random.random_range(130..300),
        _ => random.random_range(8..=130),
    }
}

/// A frame, good or spoilt in one of many ways.
fn random_frame(random: &mut impl Rng, config: &NetworkConfig) -> Frame {
    let mut sender = sender(random, config);
    let kind = random.random_range(0..100);
    let other = sender.config().clone();
    match kind {
        // Another generation, port, destination or class.
        0..4 if config.generation != Generation::Off => {
            let generation = Generation::On(random.random());
            sender = Network::new(NetworkConfig { generation, ..other }).expect("valid");
        }
        4..8 => {
            let own = Fid { port: random.random_range(0..16), ..other.own };
            sender = Network::new(NetworkConfig { own, ..other }).expect("valid");
        }
        _ => {}
    }
    let length = random_length(random);
    let mut frame = frame_of(random, &sender, config, length);
    let header = sender.config().framing.header_bytes();
    match kind {
        // A port of the sender alone is wrong: its peer's is put right.
        4..8 => {
            let right = self::sender(random, config);
            let good = frame_of(random, &right, config, length);
            let compressed = matches!(config.framing, Framing::AfhGen2Compressed | Framing::Lite);
            let place = if compressed { 3 } else { 5 };
            frame[place] = good[place];
        }
        8..40 => {
            for _ in 0..random.random_range(1..3) {
                let place = random.random_range(0..header.min(frame.len()));
                frame[place] ^= 1 << random.random_range(0..8);
            }
        }
        40..46 => {
            let place = random.random_range(0..header.min(frame.len()));
            frame[place] = random.random();
        }
        // Where AFH Gen 2 has the key of the source.
        60..64 => frame[6] ^= 1 << random.random_range(0..8),
        // Where ESUN has its revision.
        64..68 if frame.len() >= header => frame[header - 1] ^= 1 << random.random_range(0..8),
        46..54 => frame.truncate(random.random_range(1..=frame.len())),
        54..57 => frame.extend((0..random.random_range(1..20)).map(|_| 0)),
        57..60 => frame = (0..random.random_range(1..100)).map(|_| random.random()).collect(),
        _ => {}
    }
    if let Some(start) = ipv4_start(&sender).filter(|_| random.random_bool(0.6)) {
        repair(&mut frame, start);
    }
    if frame.is_empty() {
        frame.push(random.random());
    }
    (frame, random.random_bool(0.06))
}

fn random_batch(random: &mut KitRng, framings: &[Framing]) -> Batch {
    let framing = framings[random.random_range(0..framings.len())];
    let on = random.random();
    let config = random_config(random, framing, on);
    let frames: VecDeque<Frame> =
        (0..random.random_range(5..30)).map(|_| random_frame(random, &config)).collect();
    let all: usize = frames.iter().map(|frame| frame.0.len().div_ceil(8)).sum();
    let words = if random.random_bool(0.3) { random.random_range(1..=all) } else { usize::MAX };
    Batch { config, frames, words }
}

fn reference() -> Rc<RefCell<Reference>> {
    let config = NetworkConfig::new(Framing::AfhGen2, Fid { xpu: 0, port: 0 });
    Rc::new(RefCell::new(Reference {
        network: Network::new(config).expect("valid"),
        expected: VecDeque::new(),
        came: vec![],
        latency: 0,
        seen: Coverage::default(),
    }))
}

fn plan(name: &str, framings: Vec<Framing>, kept: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueDecap::new().expect("valid")) as _;
    let kept = kept.clone();
    CosimPlan::new(name, seed(0xdeca), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference = reference();
        let framings = framings.clone();
        let next = move |random: &mut KitRng| random_batch(random, &framings);
        testbench.add(Line::new(testbench.bench(), next, seed, reference.clone())?);
        testbench.add(Keep { reference, kept: kept.clone() });
        Ok(())
    })
}

/// Hands out what was seen.
struct Keep {
    reference: Rc<RefCell<Reference>>,
    kept: Rc<RefCell<Coverage>>,
}

impl Agent for Keep {
    fn observe(&mut self, clock: u64, _: &mut dyn Bench) -> Result<(), SimError> {
        if clock % 64 == 0 {
            *self.kept.borrow_mut() = self.reference.borrow().seen.clone();
        }
        Ok(())
    }
}

/// Every refusal of the codec, beside those of later checks.
const REFUSALS: &[&str] = &[
    "CutOff",
    "Destination",
    "SourcePort",
    "Vid",
    "Ethertype",
    "InternetVersion",
    "InternetChecksum",
    "InternetLength",
    "Fragment",
    "Protocol",
    "InternetDestination",
    "UdpPort",
    "UdpLength",
    "Class",
    "EsunRevision",
    "Key",
    "Multicast",
    "SourceKey",
    "Reserved",
    "Shim",
    "Generation",
];

#[test]
fn frames_are_taken_and_refused_as_by_the_codec() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    plan("sue_decap", every_framing(), &seen)
        .clocks(FULL_CLOCKS)
        .stock_limit(1_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .run()
        .expect("equal");
    let mut all: Vec<String> = every_framing().iter().map(|framing| format!("{framing:?}")).collect();
    all.extend(
        ["clear in mid-frame", "bad already", "empty", "tiny", "GEN_EN 0", "GEN_EN 1"].map(str::to_string),
    );
    all.extend(REFUSALS.iter().map(|name| (*name).to_string()));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    seen.borrow().require("sue_decap", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_decap";
    let faults = [
        Fault::replace("tags are not seen", TOP, "(unit == 16'h0081)", "1'b0"),
        Fault::replace(
            "faults of the frame before stay",
            "sue_header_checks",
            "assign before_signal = ~wrong_opens_q;",
            "assign before_signal = 1'b1;",
        ),
        Fault::replace(
            "carries of the IPv4 sum are lost",
            "sue_internet_sum",
            "{1'b0, early_sum_q[18:16]} + {1'b0, late_sum_q[18:16]}",
            "4'h0",
        ),
        Fault::replace("the length of UDP is not compared", TOP, "(inner_end_q != frame_octets_q)", "1'b0"),
        Fault::replace(
            "another generation is a foreign header",
            TOP,
            "(faults[4] & ~generation_enable)",
            "faults[4]",
        ),
        Fault::replace("a rest of a word is lost", TOP, "spilled_q <= has_rest;", "spilled_q <= 1'b0;"),
    ];
    let plan = || {
        plan(TOP, every_framing(), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// Runs batches one after the other; gives what was seen, and the longest latency.
fn run_all(batches: Vec<Batch>, pace: Pace) -> (Coverage, u64) {
    let block = Box::new(SueDecap::new().expect("valid"));
    let mut testbench = Testbench::new(open("sue_decap", block).expect("opens"));
    let reference = reference();
    let left = Rc::new(RefCell::new(VecDeque::from(batches)));
    let (given, fallback) = (left.clone(), NetworkConfig::new(Framing::AfhGen2, Fid { xpu: 0, port: 0 }));
    let is_over = Rc::new(RefCell::new(false));
    let over = is_over.clone();
    let next = move |_: &mut KitRng| {
        given.borrow_mut().pop_front().unwrap_or_else(|| {
            *over.borrow_mut() = true;
            Batch { config: fallback.clone(), frames: VecDeque::new(), words: usize::MAX }
        })
    };
    let line = Line::new(testbench.bench(), next, seed(0xa11), reference.clone()).expect("ports").paced(pace);
    testbench.add(line);
    testbench.run_until(4_000_000, "the last batch", |_| *is_over.borrow()).expect("as the codec");
    let reference = reference.borrow();
    (reference.seen.clone(), reference.latency)
}

/// Frames of a configuration: cut off after every octet, every bit of the header turned, every length.
fn every_frame(config: &NetworkConfig, random: &mut KitRng) -> VecDeque<Frame> {
    let mut frames = VecDeque::new();
    let taggable = matches!(config.framing, Framing::Standard { .. } | Framing::AfhGen1 { .. });
    for tagging in if taggable { vec![Tagging::Untagged, Tagging::Tagged] } else { vec![Tagging::Untagged] } {
        let framing = match config.framing {
            Framing::Standard { version, .. } => Framing::Standard { version, tagging },
            Framing::AfhGen1 { second, shim, .. } => Framing::AfhGen1 { second, shim, tagging },
            other => other,
        };
        let own = Fid { xpu: random.random_range(0..1024), ..config.own };
        let sender = Network::new(NetworkConfig { framing, own, ..config.clone() }).expect("valid");
        let good = frame_of(random, &sender, config, 20);
        frames.extend((1..=good.len()).map(|length| (good[..length].to_vec(), false)));
        for bit in 0..8 * framing.header_bytes() {
            let mut frame = good.clone();
            frame[bit / 8] ^= 1 << (bit % 8);
            frames.push_back((frame.clone(), false));
            // So that what is after the checksum shows.
            if let Some(start) = ipv4_start(&sender) {
                repair(&mut frame, start);
                frames.push_back((frame, false));
            }
        }
        for length in (8..=130).chain([256, 1514, 4108]) {
            frames.push_back((frame_of(random, &sender, config, length), false));
        }
    }
    frames
}

/// Without a gap between words and frames, with and without a generation.
#[test]
fn every_cut_every_bit_and_every_length() {
    let mut batches = vec![];
    for (number, framing) in every_framing().into_iter().enumerate() {
        for generation in [false, true] {
            let mut random = rng(number as u64, "every");
            let config = random_config(&mut random, framing, generation);
            let frames = every_frame(&config, &mut random);
            batches.push(Batch { config, frames, words: usize::MAX });
        }
    }
    let (seen, latency) = run_all(batches, Pace::Always);
    seen.require("every frame", REFUSALS).expect("every refusal");
    assert_eq!(latency, u64::from(LATENCY), "clocks from the last word to the last word");
}

/// Frames of chapter 50, 8, headers in hexadecimal, from XPU 5 to XPU 7; and each of them for another generation.
#[test]
fn examples_of_the_chapter() {
    let standard = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged };
    let gen1 = |shim| Framing::AfhGen1 { tagging: Tagging::Untagged, second: SecondEthertype::Absent, shim };
    let third = Generation::new(3, 5).expect("fits");
    let examples = [
        // E3
        (Framing::AfhGen2, Generation::Off, "02 68 00 00 00 70 42 07 00 00 00 50 88 B6"),
        (Framing::AfhGen2, third, "02 68 18 00 00 70 42 07 18 00 00 50 88 B6"),
        // E4
        (Framing::AfhGen2Compressed, Generation::Off, "82 68 00 70 00 50 88 B6"),
        // E7
        (
            standard,
            Generation::Off,
            "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 08 00 45 68 00 58 00 00 40 00 40 11 26 22 \
             0A 00 00 05 0A 00 00 07 C0 07 0D 05 00 44 00 00",
        ),
        // E8
        (
            gen1(Shim::Present),
            Generation::Off,
            "02 00 00 00 00 70 02 00 00 00 00 50 88 B6 92 68 00 07 04 01 00 3C",
        ),
        (gen1(Shim::Absent), Generation::Off, "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 88 B6"),
        // ESUN, section 0
        (
            Framing::Esun { payload: EsunPayload::ReliabilityHeader },
            Generation::Off,
            "02 00 00 00 00 70 02 00 00 00 00 50 88 B6 18 00 1D 00",
        ),
    ];
    let mut batches = vec![];
    for (framing, generation, header) in examples {
        let config = NetworkConfig { generation, ..NetworkConfig::new(framing, Fid { xpu: 7, port: 0 }) };
        let header = header.split(' ').map(|octet| u8::from_str_radix(octet, 16).expect("hexadecimal"));
        let frame: Vec<u8> = header.chain(0..60).collect();
        let words = usize::MAX;
        batches.push(Batch { config: config.clone(), frames: [(frame.clone(), false)].into(), words });
        if generation != Generation::Off {
            let next = Generation::new(4, 5).expect("fits");
            let config = NetworkConfig { generation: next, ..config };
            batches.push(Batch { config, frames: [(frame, false)].into(), words });
        }
    }
    let (seen, _) = run_all(batches, Pace::Always);
    let good: u64 = every_framing().iter().map(|framing| seen.count(&format!("{framing:?}"))).sum();
    assert_eq!((good, seen.count("Generation")), (7, 1), "all are taken but the one of another generation");
}
