//! Network headers in front of PDUs against the golden codec, on all simulators.

use super::network::{every_framing, octets_of, random_config, settings_of, value_of, words_of, WordBits};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::encap::{SueEncap, LATENCY, SETUP};
use flitforge_hdl_sue::frame::{FrameWord, PduHead};
use flitforge_model::sue::format::network::{
    Framing, Generation, InternetVersion, Network, NetworkConfig, Route, SecondEthertype, Shim, Tagging,
};
use flitforge_model::sue::format::Fid;
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, Coverage, Pace, Pacer, Rng as KitRng, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{open, Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::depth;
use rand::Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A PDU to be sent.
#[derive(Clone)]
struct Sent {
    head: PduHead,
    octets: Vec<u8>,
    error: bool,
}

/// A frame that has to come.
struct Expected {
    octets: Vec<u8>,
    class: u64,
    error: bool,
}

/// The golden codec, and what it expects.
struct Reference {
    network: Network,
    expected: VecDeque<Expected>,
    came: Vec<u8>,
    seen: Coverage,
}

impl Reference {
    fn expect(&mut self, sent: &Sent) {
        let config = self.network.config().clone();
        // The port of a frame is its head's.
        let own = Fid { port: u64::from(sent.head.port) as u8, ..config.own };
        let network = Network::new(NetworkConfig { own, ..config }).expect("valid");
        let class = ClassUse::ALL[u64::from(sent.head.class) as usize];
        let route =
            Route { peer: u64::from(sent.head.destination) as u16, vc: u64::from(sent.head.vc) as u8, class };
        let octets = network.encapsulate(route, &sent.octets).expect("encodes");
        let (class, error) = (class as u64, sent.error);
        self.expected.push_back(Expected { octets, class, error });
    }

    fn word(&mut self, clock: u64, word: FrameWord) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let expected = self.expected.front().ok_or_else(|| wrong("a word of no frame".into()))?;
        let octets = octets_of(word);
        if !word.last && octets.len() != 8 {
            return Err(wrong(format!("{} octets in a word in the middle", octets.len())));
        }
        self.came.extend(octets);
        let is_start = expected.octets.starts_with(&self.came);
        let is_whole = expected.octets.len() == self.came.len();
        if !is_start || is_whole != word.last || (word.last && word.error != expected.error) {
            let framing = self.network.config().framing;
            let (came, octets) = (&self.came, &expected.octets);
            return Err(wrong(format!("{framing:?}: {came:02X?} {word:?}, expected {octets:02X?}")));
        }
        if word.last {
            self.came.clear();
            self.expected.pop_front();
        }
        Ok(())
    }
}

/// What is sent in which formats.
struct Plan {
    framings: Vec<Framing>,
    /// Clocks between changes of the settings, each by a clear.
    change: u64,
}

/// Sends PDUs; now and then clears the block, mostly in mid-frame, and changes its settings.
struct Sender {
    plan: Plan,
    random: KitRng,
    pacer: Pacer,
    reference: Rc<RefCell<Reference>>,
    words: VecDeque<FrameWord>,
    head: PduHead,
    offers: bool,
    cleared: u64,
    was_cleared: bool,
    starts_clear: bool,
    next_clear: u64,
    ports: [PortHandle; 7],
}

impl Sender {
    fn new(
        bench: &dyn Bench,
        plan: Plan,
        seed: u64,
        reference: Rc<RefCell<Reference>>,
    ) -> Result<Self, SimError> {
        let names = ["clear", "settings", "generation", "pdu.data", "pdu.valid", "head", "pdu.ready"];
        let mut ports = vec![];
        for name in names {
            ports.push(bench.port(name)?);
        }
        Ok(Self {
            plan,
            random: rng(seed, "sender"),
            pacer: Pacer::new(Pace::mixed()),
            reference,
            words: VecDeque::new(),
            head: PduHead::default(),
            offers: false,
            cleared: 0,
            was_cleared: false,
            starts_clear: false,
            next_clear: 0,
            ports: ports.try_into().expect("seven"),
        })
    }

    /// New settings for a new format, the old ones forgotten.
    fn change(&mut self, bench: &mut dyn Bench) {
        let framing = self.plan.framings[self.random.random_range(0..self.plan.framings.len())];
        let on = self.random.random();
        let config = random_config(&mut self.random, framing, on);
        bench.set(self.ports[1], &value_of(settings_of(&config)));
        bench.set_u64(self.ports[2], config.generation.octet().into());
        let mut reference = self.reference.borrow_mut();
        reference.network = Network::new(config).expect("valid");
        reference.seen.hit(format!("{framing:?}"));
        if !reference.expected.is_empty() {
            reference.seen.hit("clear in mid-frame");
        }
        reference.expected.clear();
        reference.came.clear();
        self.words.clear();
        self.offers = false;
    }

    fn next_pdu(&mut self) {
        let length = match self.random.random_range(0..20) {
            0 => self.random.random_range(1..8),
            1 => self.random.random_range(130..400),
            _ => self.random.random_range(8..=130),
        };
        let head = PduHead {
            destination: self.random.random_range(0..1024u64).into(),
            vc: self.random.random_range(0..4u64).into(),
            port: self.random.random_range(0..4u64).into(),
            class: self.random.random_range(0..6u64).into(),
            bytes: length.into(),
        };
        let error = self.random.random_bool(0.1);
        let octets: Vec<u8> = (0..length).map(|_| self.random.random()).collect();
        let sent = Sent { head, octets, error };
        self.reference.borrow_mut().expect(&sent);
        self.words = words_of(&sent.octets, error, self.random.random()).into();
        self.head = head;
    }
}

impl Agent for Sender {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if clock >= self.next_clear && self.cleared == 0 {
            self.cleared = self.random.random_range(2..5);
            self.next_clear = clock + self.random.random_range(1..2 * self.plan.change);
        } else if clock > 0 && self.starts_clear {
            // What was offered may be withdrawn once the block has seen the clear.
            self.change(bench);
        }
        let was_cleared = std::mem::replace(&mut self.was_cleared, self.cleared > 0);
        self.starts_clear = self.cleared > 0 && !was_cleared;
        bench.set_u64(self.ports[0], u64::from(self.cleared > 0));
        if !self.offers && self.cleared == 0 && self.pacer.next(&mut self.random) {
            if self.words.is_empty() {
                self.next_pdu();
            }
            self.offers = true;
        }
        bench.set_u64(self.ports[4], u64::from(self.offers));
        let noise: u64 = self.random.random();
        match self.words.front().filter(|_| self.offers) {
            Some(word) => bench.set(self.ports[3], &value_of(*word)),
            None => bench.set(self.ports[3], &Value::from_words(70, &[noise, noise])),
        }
        if self.words.is_empty() {
            bench.set_u64(self.ports[5], noise);
        } else {
            bench.set(self.ports[5], &value_of(self.head));
        }
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.cleared = self.cleared.saturating_sub(1);
        if self.offers && bench.get_bit(self.ports[6]) {
            self.words.pop_front();
            self.offers = false;
        }
        Ok(())
    }
}

/// Frames of more words than these find their octets undisturbed by the next one.
const OCTETS_FROM_WORDS: usize = 5;

/// The class belongs to the frame whose words come, and the octets to that whose first word does.
struct ClassWatch {
    class: PortHandle,
    octets: PortHandle,
    valid: PortHandle,
    reference: Rc<RefCell<Reference>>,
}

impl Agent for ClassWatch {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.valid) {
            let found = bench.get_u64(self.class);
            let reference = self.reference.borrow();
            let expected = reference.expected.front().map(|frame| frame.class);
            if expected.is_some_and(|expected| expected != found) {
                let problem = format!("class {found}, expected {expected:?}");
                return Err(SimError::Check { clock, problem });
            }
            let first = reference.expected.front().filter(|_| reference.came.is_empty());
            let octets = bench.get_u64(self.octets) as usize;
            let expected = first.map_or(octets, |frame| frame.octets.len());
            if octets != expected && expected.div_ceil(8) >= OCTETS_FROM_WORDS {
                let problem = format!("{octets} octets, expected {expected}");
                return Err(SimError::Check { clock, problem });
            }
        }
        Ok(())
    }
}

fn stimulus(
    testbench: &mut Testbench<'_>,
    seed: u64,
    plan: Plan,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    let config = NetworkConfig::new(Framing::AfhGen2, Fid { xpu: 0, port: 0 });
    let reference = Rc::new(RefCell::new(Reference {
        network: Network::new(config).expect("valid"),
        expected: VecDeque::new(),
        came: vec![],
        seen: Coverage::default(),
    }));
    let sender = Sender::new(testbench.bench(), plan, seed, reference.clone())?;
    testbench.add(sender);
    let ports = testbench.bench();
    let watch = ClassWatch {
        class: ports.port("class")?,
        octets: ports.port("octets")?,
        valid: ports.port("frame.valid")?,
        reference: reference.clone(),
    };
    testbench.add(watch);
    let clear = testbench.bench().port("clear")?;
    let is_cleared = Rc::new(RefCell::new(false));
    let (watched, told, seen) = (is_cleared.clone(), reference.clone(), seen.clone());
    testbench.add(CopyBit { port: clear, to: watched });
    testbench.add(StreamSink::new(testbench.bench(), "frame", seed)?.on_transfer(move |clock, value| {
        if *is_cleared.borrow() {
            return Ok(());
        }
        let result = told.borrow_mut().word(clock, WordBits::from_value(value).into());
        *seen.borrow_mut() = told.borrow().seen.clone();
        result
    }));
    testbench.add(StreamMonitor::new(testbench.bench(), "pdu")?);
    testbench.add(StreamMonitor::new(testbench.bench(), "frame")?);
    Ok(())
}

/// Remembers a bit for agents that see no ports.
struct CopyBit {
    port: PortHandle,
    to: Rc<RefCell<bool>>,
}

impl Agent for CopyBit {
    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        *self.to.borrow_mut() = bench.get_bit(self.port);
        Ok(())
    }
}

fn plan(name: &str, framings: Vec<Framing>, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueEncap::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x5ec), make, move |testbench: &mut Testbench<'_>, seed| {
        let plan = Plan { framings: framings.clone(), change: 400 };
        stimulus(testbench, seed, plan, &seen)
    })
}

#[test]
fn frames_are_those_of_the_codec() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    plan("sue_encap", every_framing(), &seen)
        .clocks(FULL_CLOCKS)
        .stock_limit(1_500, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .cover(&["frame.held", "frame.stalls", "pdu.cleared"])
        .run()
        .expect("equal");
    let mut all: Vec<String> = every_framing().iter().map(|framing| format!("{framing:?}")).collect();
    all.push("clear in mid-frame".into());
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    seen.borrow().require("sue_encap", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_encap";
    let faults = [
        Fault::replace(
            "the rest of a frame is lost",
            TOP,
            "assign rest_d = word_valid_q &",
            "assign rest_d = 1'b0 & word_valid_q &",
        ),
        Fault::replace(
            "words are not shifted by two units",
            "sue_word_shift",
            "if (by[1]) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "no end-around carry in a checksum",
            "sue_header_values",
            "~(total_q[15:0] + end_around)",
            "~total_q[15:0]",
        ),
        Fault::replace(
            "the peer's address is the own one",
            "sue_header_values",
            "if (runs) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "all frames are of class 0",
            TOP,
            "word_class_q <= header_values_class;",
            "word_class_q <= 3'h0;",
        ),
    ];
    let plan = || {
        plan(TOP, every_framing(), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// Sends PDUs without gaps to a sink that is always ready.
struct Straight {
    pdus: VecDeque<Sent>,
    words: VecDeque<FrameWord>,
    head: PduHead,
    /// Clock in which the first word of each PDU was offered, and in which its last was taken.
    offered: Vec<u64>,
    taken: Vec<u64>,
    /// Clock, octets and `last` of each word that came.
    came: Vec<(u64, Vec<u8>, bool)>,
}

/// What came of these PDUs in this configuration, without any gap at either end.
fn straight(config: &NetworkConfig, pdus: &[Sent]) -> Straight {
    let mut bench = open("sue_encap", Box::new(SueEncap::new().expect("valid"))).expect("opens");
    let mut run = Straight {
        pdus: pdus.to_vec().into(),
        words: VecDeque::new(),
        head: PduHead::default(),
        offered: vec![],
        taken: vec![],
        came: vec![],
    };
    let names = ["clear", "settings", "generation", "head", "pdu.data", "pdu.valid", "frame.ready"];
    let [clear, settings, generation, head, data, valid, ready] =
        names.map(|name| bench.port(name).expect("there"));
    let names = ["pdu.ready", "frame.valid", "frame.data"];
    let [taken, comes, frame] = names.map(|name| bench.port(name).expect("there"));
    bench.set(settings, &value_of(settings_of(config)));
    bench.set_u64(generation, config.generation.octet().into());
    bench.set_u64(ready, 1);
    let words: usize = pdus.iter().map(|pdu| pdu.octets.len().div_ceil(8) + 20).sum();
    for clock in 0..words as u64 + 60 {
        let is_cleared = clock < 2;
        // The set-up is not measured.
        let is_set_up = clock > 2 + u64::from(SETUP);
        if run.words.is_empty() && is_set_up {
            if let Some(pdu) = run.pdus.pop_front() {
                run.words = words_of(&pdu.octets, pdu.error, 0xEE).into();
                run.head = pdu.head;
                run.offered.push(clock);
            }
        }
        bench.set_u64(clear, is_cleared.into());
        bench.set_u64(valid, u64::from(!run.words.is_empty()));
        bench.set(head, &value_of(run.head));
        let word = run.words.front().copied().unwrap_or_default();
        bench.set(data, &value_of(word));
        bench.settle().expect("settles");
        if bench.get_bit(comes) {
            let word: FrameWord = WordBits::from_value(&bench.get(frame)).into();
            run.came.push((clock, octets_of(word), word.last));
        }
        if bench.get_bit(taken) && !run.words.is_empty() {
            if word.last {
                run.taken.push(clock);
            }
            run.words.pop_front();
        }
        bench.step().expect("steps");
    }
    run
}

fn sent(config: &NetworkConfig, length: usize, seed: u64) -> Sent {
    let mut random = rng(seed, "pdu");
    let head = PduHead {
        destination: random.random_range(0..1024u64).into(),
        vc: random.random_range(0..4u64).into(),
        port: u64::from(config.own.port).into(),
        class: random.random_range(0..6u64).into(),
        bytes: (length as u64).into(),
    };
    Sent { head, octets: (0..length).map(|_| random.random()).collect(), error: false }
}

fn encoded(config: &NetworkConfig, sent: &Sent) -> Vec<u8> {
    let network = Network::new(config.clone()).expect("valid");
    let route = Route {
        peer: u64::from(sent.head.destination) as u16,
        vc: u64::from(sent.head.vc) as u8,
        class: ClassUse::ALL[u64::from(sent.head.class) as usize],
    };
    network.encapsulate(route, &sent.octets).expect("encodes")
}

/// Every length of 8 to 130 octets and some long ones in every format, with and without a generation: PDUs follow each other
/// without a gap, frames have none inside and one clock between them at most, and the latency is the one that is promised.
#[test]
fn every_length_in_every_format_without_a_gap() {
    for (number, framing) in every_framing().into_iter().enumerate() {
        for generation in [false, true] {
            let config = random_config(&mut rng(number as u64, "config"), framing, generation);
            let lengths = (8..=130).chain([256, 1023, 1514, 2060, 4108]);
            let pdus: Vec<Sent> =
                lengths.map(|length| sent(&config, length, (number * 10_000 + length) as u64)).collect();
            let run = straight(&config, &pdus);
            let header_words = framing.header_bytes().div_ceil(8) as u64;
            let mut words = run.came.into_iter();
            let mut end_before: Option<u64> = None;
            for (place, pdu) in pdus.iter().enumerate() {
                let expected = encoded(&config, pdu);
                let frame: Vec<_> = words.by_ref().take(expected.len().div_ceil(8)).collect();
                let octets: Vec<u8> = frame.iter().flat_map(|word| word.1.clone()).collect();
                assert_eq!(octets, expected, "{framing:?} {}", pdu.octets.len());
                let (first, last) = (frame[0].0, frame[frame.len() - 1].0);
                assert_eq!(frame.iter().filter(|word| word.2).count(), 1, "{framing:?}: one last word");
                assert!(frame[frame.len() - 1].2, "{framing:?}: the last word is the last");
                assert_eq!(last - first + 1, frame.len() as u64, "{framing:?}: no gap inside");
                let start = frame[framing.header_bytes() / 8].0;
                let latency = start - run.offered[place];
                assert!(latency <= header_words + u64::from(LATENCY), "{framing:?}: {latency} clocks");
                let behind = last - run.taken[place];
                assert!((3..=4).contains(&behind), "{framing:?}: {behind} clocks after the last word");
                if let Some(before) = end_before.replace(last) {
                    assert!(first - before <= 2, "{framing:?}: {} clocks between frames", first - before - 1);
                }
                let clocks = run.taken[place] - run.offered[place] + 1;
                assert_eq!(clocks, header_words + pdu.octets.len().div_ceil(8) as u64, "{framing:?}");
            }
            assert!(words.next().is_none(), "{framing:?}: no more words");
        }
    }
}

/// Chapter 50, 8: a frame of the examples with its header in hexadecimal.
fn example(framing: Framing, generation: Generation, header: &str) {
    let config = NetworkConfig { generation, ..NetworkConfig::new(framing, Fid { xpu: 5, port: 0 }) };
    let head = PduHead { destination: 7u64.into(), bytes: 60u64.into(), ..Default::default() };
    let pdu = Sent { head, octets: (0..60).collect(), error: false };
    let run = straight(&config, std::slice::from_ref(&pdu));
    let came: Vec<u8> = run.came.into_iter().flat_map(|word| word.1).collect();
    let header: Vec<u8> =
        header.split(' ').map(|octet| u8::from_str_radix(octet, 16).expect("hexadecimal")).collect();
    assert_eq!(came, [header, pdu.octets].concat(), "{framing:?}");
}

#[test]
fn examples_of_the_chapter() {
    // E3, a PDU of 60 octets like that of E2 and E1.
    example(Framing::AfhGen2, Generation::Off, "02 68 00 00 00 70 42 07 00 00 00 50 88 B6");
    let third = Generation::new(3, 5).expect("fits");
    example(Framing::AfhGen2, third, "02 68 18 00 00 70 42 07 18 00 00 50 88 B6");
    // E4
    example(Framing::AfhGen2Compressed, Generation::Off, "82 68 00 70 00 50 88 B6");
    // E7
    let standard = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Tagged };
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 08 00 45 68 00 58 00 00 40 00 40 11 26 22 \
                  0A 00 00 05 0A 00 00 07 C0 07 0D 05 00 44 00 00";
    example(standard, Generation::Off, header);
    // E8, with a shim, and bare with a tag.
    let gen1 = |tagging, shim| Framing::AfhGen1 { tagging, second: SecondEthertype::Absent, shim };
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 88 B6 92 68 00 07 04 01 00 3C";
    example(gen1(Tagging::Untagged, Shim::Present), Generation::Off, header);
    let header = "02 00 00 00 00 70 02 00 00 00 00 50 81 00 60 00 88 B6";
    example(gen1(Tagging::Tagged, Shim::Absent), Generation::Off, header);
    // ESUN as section 0 and its table have it: ECN 0, CoS 3, F 0, flow label 7, TTL 4, UD 0, Rev 0.
    let esun = Framing::Esun { payload: EsunPayload::ReliabilityHeader };
    example(esun, Generation::Off, "02 00 00 00 00 70 02 00 00 00 00 50 88 B6 18 00 1D 00");
}
