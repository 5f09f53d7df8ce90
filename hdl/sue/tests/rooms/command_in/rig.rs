//! What the XPU sends, right and wrong, and what has to come of it.

use super::super::body_check::{command, types_value};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::command_in::{CellCredits, CommandWord, PartitionRule, SueCommandIn};
use flitforge_hdl_sue::frame::{CommandHead, FrameWord};
use flitforge_hdl_sue::pack::CellsFreed;
use flitforge_model::sue::format::{Payload, TypeTable};
use flitforge_model::sue::{
    CommandFault, CommandPort, CommandRules, CommandTarget, PassedCommand, PortEvent, PortWord,
};
use flitforge_protocol::sue::command::{COMMAND_CELL_BYTES, HEADER_BYTES, MAX_COMMAND_BYTES};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, FlowMonitor, FlowSource, Pace, Rng, StreamMonitor, StreamSink,
    StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::failed;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

pub type WordBits = Bits<{ <CommandWord as Synth>::BITS }>;
type HeadBits = Bits<{ <CommandHead as Synth>::BITS }>;
type FrameBits = Bits<{ <FrameWord as Synth>::BITS }>;
type CreditBits = Bits<{ <CellCredits as Synth>::BITS }>;
type FreedBits = Bits<{ <CellsFreed as Synth>::BITS }>;
type RuleBits = Bits<{ <PartitionRule as Synth>::BITS }>;

pub const TOP: &str = "sue_command_in";
pub const WORD: usize = 8;
/// Bits of the XPU number of the block under test.
pub const PEER_BITS: usize = 3;
pub const OWN: u16 = 5;
/// Credits of each virtual channel.
pub const INITIAL: u32 = 6;
/// Clocks without anything after which nothing is under way.
const QUIET: u64 = 24;
/// Clocks from a clear until commands are taken.
pub const STARTS: u64 = 32 + 4 + 2;

/// The settings of a run.
#[derive(Clone)]
pub struct Setup {
    pub types: TypeTable,
    pub initial: u32,
    pub partition_check: bool,
}

impl Setup {
    pub fn new(types: TypeTable) -> Self {
        Setup { types, initial: INITIAL, partition_check: true }
    }

    fn rules(&self) -> CommandRules {
        let table = self.partition_check.then(|| BTreeSet::from([0, 1, 2, 513, 1023]));
        CommandRules { types: self.types, own: OWN, peers: 1 << PEER_BITS, partitions: table }
    }
}

fn target_of(head: CommandHead) -> CommandTarget {
    CommandTarget {
        destination: u64::from(head.destination) as u16,
        vc: u64::from(head.vc) as u8,
        partition: u64::from(head.partition) as u16,
    }
}

fn port_word(word: CommandWord) -> PortWord {
    PortWord {
        data: u64::from(word.data).to_le_bytes(),
        bytes: u64::from(word.bytes) as usize,
        first: word.first,
        last: word.last,
        is_data: word.is_data,
    }
}

/// Words of some octets; what they do not need is random.
pub fn words_of(random: &mut Rng, octets: &[u8], is_data: bool) -> Vec<CommandWord> {
    let mut word = |octets: &[u8]| {
        let mut data: [u8; WORD] = random.random();
        data[..octets.len()].copy_from_slice(octets);
        CommandWord {
            data: u64::from_le_bytes(data).into(),
            bytes: (octets.len() as u64).into(),
            first: false,
            last: false,
            is_data,
        }
    };
    octets.chunks(WORD).map(&mut word).collect()
}

/// A command that is right, as the XPU sends it.
fn good_words(random: &mut Rng, types: &TypeTable, most: usize) -> Vec<CommandWord> {
    let command = command(random, types, most);
    let octets = command.encode(types).expect("taken");
    let control = HEADER_BYTES + command.control.len();
    let area = match &command.payload {
        Payload::None => 0,
        Payload::Data(data) => data.len(),
        Payload::Strobed { strobes, data } => strobes.len() + data.len(),
    };
    let mut words = words_of(random, &octets[..control], false);
    words.extend(words_of(random, &octets[control..control + area], true));
    mark_ends(&mut words);
    words
}

pub fn mark_ends(words: &mut [CommandWord]) {
    let last = words.len() - 1;
    for (index, word) in words.iter_mut().enumerate() {
        (word.first, word.last) = (index == 0, index == last);
    }
}

/// Makes a command wrong in one way, or perhaps not. While one is `open` its beginning is never missing: it would go on with that one, for whose
/// cells nobody looked.
fn damage(random: &mut Rng, words: &mut Vec<CommandWord>, open: bool) -> &'static str {
    let at = random.random_range(0..words.len());
    let way = random.random_range(0..12);
    match way {
        0 => words[at].bytes = random.random_range(0..16u64).into(),
        1 => words[at].is_data = !words[at].is_data,
        2 => {
            let word = words[at];
            words.insert(at, word);
        }
        3 => drop(words.remove(at)),
        4 => words[0].data = random.random::<u64>().into(),
        5 => {
            let octets = random.random_range(1..400);
            words.extend(words_of(random, &[7; 400][..octets], true));
        }
        6 => words[0].data = u64::from(words[0].data).rotate_left(8).into(),
        7 => {
            let more = words_of(random, &[0x77; 40], false);
            words.splice(at..at, more);
        }
        8 => {
            // as many octets, in two words
            let mut rest = words[at];
            let half = u64::from(rest.bytes) / 2;
            words[at].bytes = half.into();
            rest.bytes = (u64::from(rest.bytes) - half).into();
            words.insert(at + 1, rest);
        }
        10 => words[0].data = (u64::from(words[0].data) ^ 1 << 8).into(),
        9 => {
            // the last of the control after the first of the data
            let border = words.windows(2).position(|pair| !pair[0].is_data && pair[1].is_data).unwrap_or(0);
            let other = (border + 1).min(words.len() - 1);
            if border > 0 {
                words.swap(border, other);
            }
        }
        _ => {}
    }
    if words.is_empty() {
        words.extend(words_of(random, &[0x20, 0], false));
    }
    mark_ends(words);
    // the last word is missing, or the first word is
    if random.random_bool(0.1) {
        words.last_mut().expect("a word").last = false;
        return "no end";
    }
    if !open && random.random_bool(0.1) {
        words[0].first = false;
        return "no beginning";
    }
    [
        "bytes", "kind", "twice", "missing", "header", "longer", "turned", "control", "split", "order",
        "dlen", "nothing",
    ][way]
}

/// A command that is sent without credits.
#[derive(Clone, Copy, PartialEq)]
enum Cheat {
    No,
    /// It waits until nothing else is under way, so that nobody has to know when credits come.
    Waits,
    Sends,
}

/// What is sent, and what has to come.
struct Rig {
    setup: Setup,
    random: Rng,
    port: CommandPort,
    clock: u64,
    /// The last clock in which something moved.
    moved: u64,
    left: VecDeque<CommandWord>,
    head: CommandHead,
    cheat: Cheat,
    /// The last command had no end.
    open: bool,
    wanted: VecDeque<PassedCommand>,
    /// How often each fault has to be told, less how often it was; good commands under `None`.
    owed: BTreeMap<Option<CommandFault>, i64>,
    came: Vec<u8>,
    /// Credits since the last clear.
    given: u32,
    /// Cells to be given back, by virtual channel.
    cells: [u32; 4],
    seen: Coverage,
}

impl Rig {
    fn new(setup: Setup, seed: u64) -> Self {
        Rig {
            port: CommandPort::new(setup.rules()),
            setup,
            random: rng(seed, "commands"),
            clock: 0,
            moved: 0,
            left: VecDeque::new(),
            head: any_head(&mut rng(seed, "head")),
            cheat: Cheat::No,
            open: false,
            wanted: VecDeque::new(),
            owed: BTreeMap::new(),
            came: vec![],
            given: 0,
            cells: [0; 4],
            seen: Coverage::default(),
        }
    }

    fn is_quiet(&self) -> bool {
        self.clock > self.moved + QUIET && self.wanted.is_empty()
    }

    /// The next word, if the XPU has one.
    fn word(&mut self) -> Option<Value> {
        let waits = match self.cheat {
            Cheat::No => false,
            Cheat::Waits => !self.is_quiet(),
            Cheat::Sends => self.left.is_empty() && !self.is_quiet(),
        };
        if waits {
            return None;
        }
        self.cheat = match self.cheat {
            Cheat::Waits => Cheat::Sends,
            Cheat::Sends if self.left.is_empty() => Cheat::No,
            cheat => cheat,
        };
        if self.left.is_empty() && self.given >= 4 * self.setup.initial {
            self.begin();
        }
        if self.cheat == Cheat::Waits {
            return None;
        }
        let word = self.left.pop_front()?;
        let bits: WordBits = word.into();
        Some(bits.to_value())
    }

    /// Another command, if there are credits for it; now and then one for which there are none.
    fn begin(&mut self) {
        let random = &mut self.random;
        let most = if random.random_bool(0.3) { 256 } else { 24 };
        let mut words = good_words(random, &self.setup.types, most);
        let open = self.open;
        let damaged = random.random_bool(0.4).then(|| damage(random, &mut words, open));
        self.head = any_head(random);
        let vc = u64::from(self.head.vc) as u8;
        let pairs: usize =
            words.iter().map(|word| (u64::from(word.bytes) as usize).clamp(1, 8).div_ceil(2)).sum();
        let cells = (2 * pairs).min(MAX_COMMAND_BYTES).div_ceil(COMMAND_CELL_BYTES) as u32;
        if self.port.credits(vc) < cells {
            if !self.random.random_bool(0.3) {
                return;
            }
            self.cheat = Cheat::Waits;
        }
        if let Some(way) = damaged {
            self.seen.hit(way);
        }
        self.open = !words[words.len() - 1].last;
        self.left = words.into();
    }

    fn enters(&mut self, word: CommandWord) {
        self.moved = self.clock;
        let events = self.port.word(target_of(self.head), port_word(word));
        for event in events {
            match event {
                PortEvent::Passed(command) => {
                    let good = command.good.then(|| *self.owed.entry(None).or_default() += 1);
                    self.seen.hit(if good.is_some() { "good" } else { "dropped" });
                    self.wanted.push_back(command);
                }
                PortEvent::Fault(fault) => {
                    *self.owed.entry(Some(fault)).or_default() += 1;
                    self.seen.hit(format!("{fault:?}"));
                }
            }
        }
    }

    fn leaves(&mut self, clock: u64, word: FrameWord, head: CommandHead) -> Result<(), SimError> {
        self.moved = self.clock;
        let bytes = u64::from(word.bytes) as usize;
        self.came.extend(&u64::from(word.data).to_le_bytes()[..bytes]);
        let full = bytes == WORD || (word.last && bytes > 0 && bytes % 2 == 0);
        if !full {
            return Err(failed(clock, format!("{word:?} has {bytes} octets")));
        }
        if !word.last {
            return Ok(());
        }
        let came = std::mem::take(&mut self.came);
        let wanted = self.wanted.pop_front().ok_or_else(|| failed(clock, "a command of nothing".into()))?;
        let same = if wanted.good { came == wanted.octets } else { came.len() == wanted.octets.len() };
        if !same || word.error == wanted.good || target_of(head) != wanted.target {
            let problem = format!("{came:02x?}, error {}, of {head:?}; expected {wanted:02x?}", word.error);
            return Err(failed(clock, problem));
        }
        self.cells[usize::from(wanted.target.vc)] += wanted.cells();
        self.seen.hit(format!("{} octets in the last word", bytes));
        Ok(())
    }

    /// Cells that the packer gives back.
    fn freed(&mut self, random: &mut Rng) -> Option<Value> {
        let vc = random.random_range(0..4usize);
        let most = self.cells[vc].min(5);
        if most == 0 || self.cheat != Cheat::No || random.random_bool(0.8) {
            return None;
        }
        let count = random.random_range(1..=most);
        self.cells[vc] -= count;
        self.moved = self.clock;
        let bits: FreedBits = CellsFreed { vc: (vc as u64).into(), count: u64::from(count).into() }.into();
        Some(bits.to_value())
    }

    fn told(&mut self, clock: u64, what: Option<CommandFault>) -> Result<(), SimError> {
        self.moved = self.clock;
        let owed = self.owed.entry(what).or_default();
        *owed -= 1;
        (*owed >= 0).then_some(()).ok_or_else(|| failed(clock, format!("{what:?} is told and was not")))
    }

    /// What is at the end of a clock.
    fn ends(&mut self, clock: u64, cleared: bool) -> Result<(), SimError> {
        if cleared {
            if !self.came.is_empty() {
                self.seen.hit("a clear in a command");
            }
            self.port = CommandPort::new(self.setup.rules());
            (self.wanted, self.owed, self.came) = Default::default();
            (self.cells, self.given) = ([0; 4], 0);
            self.cheat = Cheat::No;
            if clock % 2 == 0 {
                self.left.clear();
            }
            self.moved = self.clock;
        }
        if self.is_quiet() && self.owed.values().any(|owed| *owed != 0) {
            return Err(failed(clock, format!("not told: {:?}", self.owed)));
        }
        Ok(())
    }
}

fn any_head(random: &mut Rng) -> CommandHead {
    let known = [0, 1, 2, 513, 1023][random.random_range(0..5)];
    let partition: u64 = if random.random_bool(0.9) { known } else { random.random_range(0..1024) };
    let far: u64 =
        if random.random_bool(0.9) { random.random_range(0..8) } else { random.random_range(0..1024) };
    CommandHead {
        destination: far.into(),
        vc: random.random_range(0..4u64).into(),
        partition: partition.into(),
        flush: random.random(),
    }
}

/// Watches what is told and what comes out, and drives head and settings.
struct Watcher {
    rig: Rc<RefCell<Rig>>,
    settings: [PortHandle; 5],
    /// clear, accepted, bad, unfinished, stray, overrun
    bits: [PortHandle; 6],
    /// valid, ready, data, head
    out: [PortHandle; 4],
}

impl Watcher {
    fn new(bench: &dyn Bench, rig: Rc<RefCell<Rig>>) -> Result<Self, SimError> {
        let all = |names: &[&str]| names.iter().map(|name| bench.port(name)).collect::<Result<Vec<_>, _>>();
        let settings = all(&["head", "types", "own", "partition_check", "initial"])?;
        let bits = all(&["clear", "accepted", "bad", "unfinished", "stray", "overrun"])?;
        let out = all(&["commands_out.valid", "commands_out.ready", "commands_out.data", "command_head"])?;
        Ok(Watcher {
            rig,
            settings: settings.try_into().expect("five"),
            bits: bits.try_into().expect("six"),
            out: out.try_into().expect("four"),
        })
    }
}

impl Agent for Watcher {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut rig = self.rig.borrow_mut();
        rig.clock = clock;
        let head: HeadBits = rig.head.into();
        let [head_port, types, own, check, initial] = self.settings;
        bench.set(head_port, &head.to_value());
        bench.set(types, &types_value(&rig.setup.types));
        bench.set_u64(own, OWN.into());
        bench.set_u64(check, rig.setup.partition_check.into());
        bench.set_u64(initial, rig.setup.initial.into());
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        use CommandFault::{Bad, Overrun, Stray, Unfinished};
        let mut rig = self.rig.borrow_mut();
        let told = [None, Some(Bad), Some(Unfinished), Some(Stray), Some(Overrun)];
        for (port, what) in self.bits[1..].iter().zip(told) {
            if bench.get_bit(*port) {
                rig.told(clock, what)?;
            }
        }
        let [valid, ready, data, head] = self.out;
        let cleared = bench.get_bit(self.bits[0]);
        if bench.get_bit(valid) && bench.get_bit(ready) {
            let word: FrameWord = FrameBits::from_value(&bench.get(data)).into();
            rig.leaves(clock, word, HeadBits::from_value(&bench.get(head)).into())?;
        }
        rig.ends(clock, cleared)
    }
}

fn stimulus(rig: &Rc<RefCell<Rig>>, testbench: &mut Testbench<'static>, seed: u64) -> Result<(), SimError> {
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.0005, 1..=3));
    // before the words: credits that are told in the clock of a word count for it
    let given = rig.clone();
    testbench.add(FlowMonitor::new(testbench.bench(), "credits")?.on_transfer(move |_, value| {
        let credits: CellCredits = CreditBits::from_value(value).into();
        let count = u64::from(credits.count) as u32;
        let mut rig = given.borrow_mut();
        rig.port.give(u64::from(credits.vc) as u8, count);
        rig.given += count;
        rig.moved = rig.clock;
        Ok(())
    }));
    let (asked, told) = (rig.clone(), rig.clone());
    testbench.add(
        StreamSource::new(testbench.bench(), "commands", seed)?
            .pace(Pace::mixed())
            .items(move |_, _| asked.borrow_mut().word())
            .on_transfer(move |_, value| {
                told.borrow_mut().enters(WordBits::from_value(value).into());
                Ok(())
            }),
    );
    testbench.add(StreamMonitor::new(testbench.bench(), "commands_out")?);
    testbench.add(StreamSink::new(testbench.bench(), "commands_out", seed)?);
    let gives = rig.clone();
    testbench.add(
        FlowSource::new(testbench.bench(), "cells_freed", seed)?
            .items(move |random, _| gives.borrow_mut().freed(random)),
    );
    testbench.add(FlowSource::new(testbench.bench(), "partitions", seed)?.pace(Pace::Always).items(
        |_, number| {
            let partition: u64 = *[0, 1, 2, 513, 1023].get(number as usize)?;
            let bits: RuleBits = PartitionRule { partition: partition.into(), allowed: true }.into();
            Some(bits.to_value())
        },
    ));
    testbench.add(Watcher::new(testbench.bench(), rig.clone())?);
    Ok(())
}

pub fn plan(name: &str, setup: Setup, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueCommandIn::<PEER_BITS>::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xc0d), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rc::new(RefCell::new(Rig::new(setup.clone(), seed)));
        stimulus(&rig, testbench, seed)?;
        let seen = seen.clone();
        testbench.add(flitforge_sim::kit::StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = rig.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}
