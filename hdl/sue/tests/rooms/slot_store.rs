//! Replay slots: what comes in comes out, as often as it is asked for; errors, overlong bodies, parity; on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::{BodyHead, FrameWord};
use flitforge_hdl_sue::slot_store::{SlotHead, StoredBody, SueSlotStore, LATENCY};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    random_value, rng, seed, Agent, ClearDriver, Coverage, Pace, Pacer, Rng as KitRng, StreamMonitor,
    StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, deep, random, Clocked, CompiledBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Address bits of slots and of words in a slot.
const SLOT_BITS: usize = 2;
const SLOTS: usize = 1 << SLOT_BITS;
const WORDS: usize = 64;
/// Clocks from the last word of a body to `stored`, and from one body to the next at least.
const STORED: u64 = 2;
const APART: u64 = 8;

type Store = SueSlotStore<SLOT_BITS, 6, 8, 7>;
type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type HeadBits = Bits<{ <BodyHead as Synth>::BITS }>;
type SlotHeadBits = Bits<{ <SlotHead as Synth>::BITS }>;
type StoredBits = Bits<{ <StoredBody as Synth>::BITS }>;

/// A body with what goes with it.
#[derive(Clone, Debug, Default)]
struct Body {
    octets: Vec<u8>,
    destination: u64,
    vc: u64,
    partition: u64,
    commands: u64,
    error: bool,
    /// This word is stored with a wrong parity.
    spoilt: Option<usize>,
}

impl Body {
    fn any(random: &mut KitRng) -> Self {
        let length = match random.random_range(0..20) {
            0 => 8 * WORDS,
            1 => 8 * WORDS - random.random_range(1..8),
            2 => 8 * WORDS + random.random_range(1..40),
            3..8 => random.random_range(1..=40),
            8..16 => 34,
            _ => random.random_range(41..200),
        };
        let octets: Vec<u8> = (0..length).map(|_| random.random()).collect();
        let words = length.div_ceil(8);
        Self {
            octets,
            destination: random.random_range(0..1024),
            vc: random.random_range(0..4),
            partition: random.random_range(0..1024),
            commands: random.random_range(0..1024),
            error: random.random_bool(0.1),
            spoilt: random.random_bool(0.1).then(|| random.random_range(0..words)),
        }
    }

    fn words(&self) -> usize {
        self.octets.len().div_ceil(8)
    }

    fn fits(&self) -> bool {
        self.words() <= WORDS
    }

    fn word(&self, place: usize, error: bool) -> FrameWord {
        let octets = self.octets.chunks(8).nth(place).expect("a word");
        let mut eight = [0; 8];
        eight[..octets.len()].copy_from_slice(octets);
        let last = place + 1 == self.words();
        FrameWord {
            data: u64::from_le_bytes(eight).into(),
            bytes: (octets.len() as u64).into(),
            last,
            error: last && error,
        }
    }

    fn head(&self) -> BodyHead {
        BodyHead {
            destination: self.destination.into(),
            vc: self.vc.into(),
            partition: self.partition.into(),
        }
    }

    /// What goes out after its parity was found to be wrong: a NOP, and nothing else.
    fn replaced(&self) -> Self {
        let mut octets = vec![0; self.octets.len()];
        octets[0] = 0x20;
        Self { octets, spoilt: None, ..self.clone() }
    }
}

/// Everything that is known of the store.
#[derive(Default)]
struct Reference {
    /// Slots that the store may be given, and the one that it has.
    free: VecDeque<u8>,
    /// The one that is offered, and the one that is asked for.
    offered: Option<u8>,
    asked: Option<u8>,
    given: VecDeque<u8>,
    /// What stands in slots.
    stored: BTreeMap<u8, Body>,
    /// Slots that were asked for, when, and whether nothing was before them.
    reads: VecDeque<(u8, u64, bool)>,
    /// The words of the first that have come.
    came: usize,
    /// The clock.
    now: u64,
    /// Slots with a wrong body, and when it went out.
    damaged: BTreeMap<u8, u64>,
    /// Of these, those that are not told of yet, and those that were before.
    untold: VecDeque<(u8, u64)>,
    told: VecDeque<u8>,
    seen: Coverage,
}

impl Reference {
    fn clear(&mut self) {
        let (seen, offered, asked) = (std::mem::take(&mut self.seen), self.offered, self.asked);
        // sources may go on to offer and to ask
        let is_free = |slot: &u8| Some(*slot) != offered && Some(*slot) != asked;
        let free = (0..SLOTS as u8).filter(is_free).collect();
        *self = Self { free, offered, asked, seen, ..Self::default() };
        self.seen.hit("cleared");
    }

    /// A word that goes out.
    fn word(&mut self, clock: u64, word: FrameWord, head: SlotHead) -> Result<(), String> {
        let (slot, ..) = *self.reads.front().ok_or("a word of no body")?;
        let Some(body) = self.stored.get(&slot).cloned() else {
            // asked for before a clear
            if word.last {
                self.reads.pop_front();
            }
            return Ok(());
        };
        let error = body.spoilt.is_some();
        let wanted = body.word(self.came, error);
        let bytes = u64::from(wanted.bytes) as usize;
        let mask = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        let same = (u64::from(word.data) ^ u64::from(wanted.data)) & mask == 0;
        if !same || word.bytes != wanted.bytes || word.last != wanted.last {
            return Err(format!("{word:x?} as word {} of slot {slot}, expected {wanted:x?}", self.came));
        }
        if word.last && word.error != error {
            return Err(format!("error {} at the end of slot {slot}", word.error));
        }
        let wanted = SlotHead {
            slot: u64::from(slot).into(),
            destination: body.destination.into(),
            vc: body.vc.into(),
            partition: body.partition.into(),
            bytes: (body.octets.len() as u64).into(),
            commands: body.commands.into(),
        };
        if head != wanted {
            return Err(format!("{head:?}, expected {wanted:?}"));
        }
        self.came += 1;
        if word.last {
            self.seen.hit(if body.words() == WORDS { "full slot" } else { "body" });
            self.came = 0;
            self.reads.pop_front();
            if error {
                self.seen.hit("damaged");
                self.damaged.insert(slot, clock);
                match self.told.iter().position(|told| *told == slot) {
                    Some(place) => drop(self.told.remove(place)),
                    None => self.untold.push_back((slot, clock)),
                }
                self.stored.insert(slot, body.replaced());
            }
        }
        Ok(())
    }
}

/// Gives bodies to the store, and checks what it says of them.
struct Writer {
    random: KitRng,
    pacer: Pacer,
    ports: BTreeMap<&'static str, PortHandle>,
    body: Body,
    /// Words of it that were taken.
    place: usize,
    offers: bool,
    obtainable: u64,
    began: Option<u64>,
    /// Bodies whose last word was taken: when, and whether they are stored.
    ended: VecDeque<(u64, Body, u8)>,
    reference: Rc<RefCell<Reference>>,
}

impl Writer {
    fn new(bench: &dyn Bench, seed: u64, reference: Rc<RefCell<Reference>>) -> Result<Self, SimError> {
        let names = [
            "clear",
            "body.valid",
            "body.ready",
            "body.data",
            "head",
            "commands",
            "spoils",
            "obtainable",
            "begins.valid",
            "begins.data",
            "returns.valid",
            "returns.data",
            "stored.valid",
            "stored.data",
            "discarded",
            "too_long",
            "body_out.valid",
            "body_out.ready",
            "body_out.data",
            "described",
            "left",
            "damaged.valid",
            "damaged.data",
        ];
        let ports: Result<_, SimError> = names.iter().map(|name| Ok((*name, bench.port(name)?))).collect();
        let mut random = rng(seed, "bodies");
        let body = Body::any(&mut random);
        let pacer = Pacer::new(Pace::mixed());
        Ok(Self {
            random,
            pacer,
            ports: ports?,
            body,
            place: 0,
            offers: false,
            obtainable: 0,
            began: None,
            ended: VecDeque::new(),
            reference,
        })
    }

    fn bit(&self, bench: &dyn Bench, name: &str) -> bool {
        bench.get_bit(self.ports[name])
    }

    /// A body that has ended is stored, discarded or too long, in its clock.
    fn outcome(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        let (stored, returns) = (self.bit(bench, "stored.valid"), self.bit(bench, "returns.valid"));
        let (discarded, too_long) = (self.bit(bench, "discarded"), self.bit(bench, "too_long"));
        let (mut wanted, mut forgotten) = ((false, 0), (false, false, false));
        if let Some((at, body, slot)) = self.ended.front() {
            let good = body.fits() && !body.error;
            if good && *at + STORED == clock {
                wanted = (true, u64::from(*slot));
            }
            if !good && *at + 1 == clock {
                forgotten = (true, body.fits(), !body.fits());
            }
        }
        if (returns, discarded, too_long) != forgotten {
            return Err(format!("{returns} {discarded} {too_long}, expected {forgotten:?}"));
        }
        if stored != wanted.0 {
            return Err(format!("stored is {stored}, {:?}", self.ended.front()));
        }
        if stored {
            let (_, body, slot) = self.ended.pop_front().expect("there");
            let bits = StoredBits::from_value(&bench.get(self.ports["stored.data"]));
            let came: StoredBody = bits.into();
            let expected = StoredBody {
                slot: u64::from(slot).into(),
                destination: body.destination.into(),
                vc: body.vc.into(),
                commands: body.commands.into(),
            };
            if came != expected {
                return Err(format!("{came:?} is stored, expected {expected:?}"));
            }
            let mut reference = self.reference.borrow_mut();
            reference.seen.hit("stored");
            reference.stored.insert(slot, body);
        } else if returns {
            let (_, body, _) = self.ended.pop_front().expect("there");
            let word = if body.fits() { "discarded" } else { "too long" };
            self.reference.borrow_mut().seen.hit(word);
            let vc = bench.get_u64(self.ports["returns.data"]);
            if vc != body.vc {
                return Err(format!("{vc} returns, not {}", body.vc));
            }
        }
        Ok(())
    }

    fn begin(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        if !self.bit(bench, "begins.valid") {
            return Ok(());
        }
        let vc = bench.get_u64(self.ports["begins.data"]);
        if vc != self.body.vc || self.obtainable >> vc & 1 == 0 {
            return Err(format!("{vc} begins: {:?}, obtainable {:b}", self.body.vc, self.obtainable));
        }
        if self.began.is_some_and(|before| clock < before + APART) {
            return Err(format!("{vc} begins too soon after {:?}", self.began));
        }
        self.began = Some(clock);
        Ok(())
    }

    fn read(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        let mut reference = self.reference.borrow_mut();
        if self.bit(bench, "body_out.valid") {
            if let Some((_, at, true)) = reference.reads.front().copied() {
                let soonest = at + u64::from(LATENCY);
                if reference.came == 0 && clock < soonest {
                    return Err(format!("a word at {clock}, expected at {soonest}"));
                }
            }
            if self.bit(bench, "body_out.ready") {
                let word = WordBits::from_value(&bench.get(self.ports["body_out.data"]));
                let head = SlotHeadBits::from_value(&bench.get(self.ports["described"]));
                reference.word(clock, word.into(), head.into())?;
            }
        }
        if self.bit(bench, "damaged.valid") {
            // told when the word enters the last register: the reader may still wait for it
            let slot = bench.get_u64(self.ports["damaged.data"]) as u8;
            let spoilt = reference.stored.get(&slot).is_some_and(|body| body.spoilt.is_some());
            match reference.untold.iter().position(|(untold, _)| *untold == slot) {
                Some(place) => drop(reference.untold.remove(place)),
                None if spoilt || !reference.stored.contains_key(&slot) => reference.told.push_back(slot),
                None => return Err(format!("slot {slot} is not damaged")),
            }
            reference.seen.hit("told of damage");
        }
        match reference.untold.front() {
            Some((slot, at)) if clock > at + 2 => return Err(format!("the damage of {slot} is not told")),
            _ => reference.now = clock,
        }
        Ok(())
    }
}

impl Agent for Writer {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let p = &self.ports;
        // a body that has begun to be offered holds
        self.offers = self.offers || self.pacer.next(&mut self.random);
        bench.set_u64(p["body.valid"], self.offers.into());
        let word = self.body.word(self.place, self.body.error);
        let bits: WordBits = word.into();
        bench.set(p["body.data"], &bits.to_value());
        let head: HeadBits = self.body.head().into();
        bench.set(p["head"], &head.to_value());
        let last = self.place + 1 == self.body.words();
        let noise = random_value(&mut self.random, 10).low_u64();
        bench.set_u64(p["commands"], if last { self.body.commands } else { noise });
        bench.set_u64(p["spoils"], (self.body.spoilt == Some(self.place)).into());
        self.obtainable = self.random.random_range(0..16);
        bench.set_u64(p["obtainable"], self.obtainable);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        self.outcome(clock, bench).map_err(wrong)?;
        self.read(clock, bench).map_err(wrong)?;
        if self.offers && self.bit(bench, "body.ready") {
            self.place += 1;
            self.offers = false;
            if self.place == self.body.words() {
                let body = std::mem::replace(&mut self.body, Body::any(&mut self.random));
                let good = body.fits() && !body.error;
                let mut reference = self.reference.borrow_mut();
                let slot = *reference.given.front().ok_or_else(|| wrong("no slot was given".into()))?;
                if good {
                    reference.given.pop_front();
                }
                self.ended.push_back((clock, body, slot));
                self.place = 0;
            }
        }
        if self.bit(bench, "clear") {
            (self.place, self.began) = (0, None);
            self.ended.clear();
            self.reference.borrow_mut().clear();
        }
        Ok(())
    }
}

/// Looks whether a body begins in the right clock: it is granted a clock before it is told.
struct Begins {
    obtainable: [u64; 2],
    writer: Writer,
}

impl Agent for Begins {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.writer.drive(clock, bench)?;
        self.obtainable = [self.obtainable[1], self.writer.obtainable];
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.writer.obtainable = self.obtainable[0];
        self.writer.begin(clock, bench).map_err(|problem| SimError::Check { clock, problem })?;
        self.writer.obtainable = self.obtainable[1];
        self.writer.observe(clock, bench)
    }
}

fn stimulus(
    testbench: &mut Testbench<'static>,
    seed: u64,
    reference: &Rc<RefCell<Reference>>,
) -> Result<(), SimError> {
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
    let (frees, given) = (reference.clone(), reference.clone());
    let mut chance = rng(seed, "frees");
    testbench.add(
        StreamSource::new(testbench.bench(), "slots", seed)?
            .items(move |_, _| {
                let mut reference = frees.borrow_mut();
                // a slot that nobody reads any more is free again
                let idle = |slot: &u8| {
                    Some(*slot) != reference.asked && !reference.reads.iter().any(|(read, ..)| read == slot)
                };
                let done: Vec<u8> = reference.stored.keys().filter(|slot| idle(slot)).copied().collect();
                if reference.free.is_empty() && !done.is_empty() && chance.random_bool(0.05) {
                    let slot = done[chance.random_range(0..done.len())];
                    reference.stored.remove(&slot);
                    reference.free.push_back(slot);
                }
                reference.offered = reference.free.pop_front();
                reference.offered.map(|slot| Value::from_u64(8, slot.into()))
            })
            .on_transfer(move |_, value| {
                let mut reference = given.borrow_mut();
                reference.offered = None;
                reference.given.push_back(value.low_u64() as u8);
                Ok(())
            }),
    );
    let (asked, told) = (reference.clone(), reference.clone());
    let mut choice = rng(seed, "choice");
    testbench.add(
        StreamSource::new(testbench.bench(), "reads", seed)?
            .items(move |_, _| {
                let mut reference = asked.borrow_mut();
                let slots: Vec<u8> = reference.stored.keys().copied().collect();
                // a damaged body is asked for again only when its NOP stands there
                let slots: Vec<u8> = slots
                    .into_iter()
                    .filter(|slot| {
                        let again = reference.reads.iter().any(|(read, ..)| read == slot);
                        let fresh = reference.damaged.get(slot).is_some_and(|at| reference.now < at + 4);
                        !again && !fresh
                    })
                    .collect();
                reference.asked = (!slots.is_empty()).then(|| slots[choice.random_range(0..slots.len())]);
                reference.asked.map(|slot| Value::from_u64(8, slot.into()))
            })
            .on_transfer(move |clock, value| {
                let mut reference = told.borrow_mut();
                // a request may have outlived a clear: what the slot holds is not looked at
                reference.asked = None;
                let alone = reference.reads.is_empty();
                reference.reads.push_back((value.low_u64() as u8, clock, alone));
                Ok(())
            }),
    );
    let writer = Writer::new(testbench.bench(), seed, reference.clone())?;
    testbench.add(Begins { obtainable: [0; 2], writer });
    testbench.add(StreamSink::new(testbench.bench(), "body_out", seed)?);
    for stream in ["body", "slots", "reads", "body_out"] {
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
    }
    Ok(())
}

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Store::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x570), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference = Rc::new(RefCell::new(Reference::default()));
        reference.borrow_mut().clear();
        stimulus(testbench, seed, &reference)?;
        let seen = seen.clone();
        testbench.add(flitforge_sim::kit::StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = reference.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn bodies_come_out_as_they_went_in() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    deep(plan("sue_slot_store", &seen), 40_000, 1_500).run().expect("equal");
    let all =
        ["stored", "discarded", "too long", "body", "full slot", "damaged", "told of damage", "cleared"];
    seen.borrow().require("sue_slot_store", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_slot_store";
    let faults = [
        Fault::replace(
            "a damaged slot is not marked",
            TOP,
            "damages_write_enable = ",
            "damages_write_enable = 1'b0 & ",
        ),
        Fault::replace(
            "parity is not looked at",
            "sue_slot_reader_slots4_words64",
            "wrong_now = (|wrong) |",
            "wrong_now = 1'b0 |",
        ),
        Fault::replace(
            "a body's end is not known",
            "sue_slot_reader_slots4_words64",
            "over_d = is_last |",
            "over_d = 1'b0 |",
        ),
        Fault::replace(
            "an overlong body is stored",
            "sue_slot_writer_slots4_words64",
            "stores = ended & fits",
            "stores = ended",
        ),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// A store with bodies of these lengths, from slot 0 on.
fn filled(lengths: &[usize]) -> CompiledBlock {
    let block = Store::new().expect("valid");
    let mut bench = CompiledBlock::new(&compiled("filled", &block));
    let mut random = random();
    bench.set("obtainable", 15).set("body_out.ready", 1);
    for (slot, length) in lengths.iter().enumerate() {
        bench.set("slots.data", slot as u64).set("slots.valid", 1);
        bench.until("the slot is taken", 3, |bench| bench.get("slots.ready") == 1);
        bench.clock();
        bench.set("slots.valid", 0);
        let body = Body { octets: (0..*length).map(|_| random.random()).collect(), ..Body::default() };
        for place in 0..body.words() {
            let bits: WordBits = body.word(place, false).into();
            bench.set_value("body.data", &bits.to_value()).set("body.valid", 1);
            bench.until("the word is taken", 20, |bench| bench.get("body.ready") == 1);
            bench.clock();
        }
        bench.set("body.valid", 0);
        bench.until("the body is stored", 3, |bench| bench.get("stored.valid") == 1);
    }
    bench.run(2);
    bench
}

#[test]
fn the_first_word_comes_six_clocks_after_its_request() {
    let mut bench = filled(&[100]);
    bench.set("reads.data", 0).pulse("reads.valid");
    let more = bench.until("a word", 20, |bench| bench.get("body_out.valid") == 1);
    assert_eq!(more + 1, u64::from(LATENCY));
}

/// Bodies of five words and more have no gap between them.
#[test]
fn bodies_follow_each_other_without_a_gap() {
    let mut bench = filled(&[34, 40, 41, 512]);
    let words: usize = [34usize, 40, 41, 512].iter().map(|length| length.div_ceil(8)).sum();
    bench.set("reads.valid", 1);
    let (mut slot, mut came, mut first, mut last) = (0u64, 0, None, 0);
    for clock in 0..words as u64 + 20 {
        bench.set("reads.data", slot.min(3)).set("reads.valid", u64::from(slot < 4));
        if bench.get("body_out.valid") == 1 {
            first = first.or(Some(clock));
            (came, last) = (came + 1, clock);
        }
        slot += u64::from(slot < 4 && bench.get("reads.ready") == 1);
        bench.clock();
    }
    assert_eq!(came, words);
    assert_eq!(last + 1 - first.expect("a word"), words as u64, "one word per clock");
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let error = SueSlotStore::<8, 9, 17, 10>::new().err().expect("R").to_string();
    assert!(error.contains("sue_slot_store") && error.contains("15"), "{error}");
    let error = SueSlotStore::<9, 6, 15, 7>::new().err().expect("S").to_string();
    assert!(error.contains("sue_slot_store") && error.contains('8'), "{error}");
}
