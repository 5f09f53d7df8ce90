//! The check of bodies against the golden model, on all simulators; and bodies for the blocks that come after it.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::body_check::{
    BodyVerdict, MarkedWord, SueBodyCheck, LATENCY, MARK_BITS, MARK_END, MARK_NONE, MARK_NOP,
};
use flitforge_hdl_sue::frame::{FrameWord, ReceivedHead};
use flitforge_model::sue::format::body::walk;
use flitforge_model::sue::format::{Command, Payload, TypeRule, TypeTable};
use flitforge_protocol::sue::command::{
    header, strobe_bytes, CommandType, COMMAND_CELL_BYTES, MAX_DATA_BYTES, UNIT_BYTES,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, ClearDriver, Coverage, FlowMonitor, FlowSource, Pace, Rng, StimulusFn, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};

use flitforge_testkit::{compiled, deep, failed, random, Clocked, CompiledBlock, OnBit};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type FrameBits = Bits<{ <FrameWord as Synth>::BITS }>;
type MarkedBits = Bits<{ <MarkedWord as Synth>::BITS }>;
type VerdictBits = Bits<{ <BodyVerdict as Synth>::BITS }>;
type HeadBits = Bits<{ <ReceivedHead as Synth>::BITS }>;

/// Octets of a word.
pub const WORD: usize = 8;
/// Octets of a cell.
pub const CELL: usize = COMMAND_CELL_BYTES;
/// Clocks after power-on until all rules are read.
pub const RULES_CLOCKS: u64 = 20;

/// A table in which some types are disabled and some pinned.
pub fn some_types(random: &mut Rng) -> TypeTable {
    CommandType::ALL.iter().filter(|kind| **kind != CommandType::End).fold(
        TypeTable::default(),
        |table, &kind| {
            let rule = match random.random_range(0..8) {
                0 => TypeRule::Disabled,
                1 | 2 => TypeRule::Pinned(random.random_range(0..16)),
                _ => TypeRule::AnyControl,
            };
            table.with(kind, rule).expect("a rule")
        },
    )
}

/// A command that the table takes, of about so many octets at most.
pub fn command(random: &mut Rng, types: &TypeTable, most: usize) -> Command {
    if random.random_bool(0.08) {
        return Command::nop();
    }
    let kind = CommandType::ALL[random.random_range(1..16)];
    let units = match types.rule(kind) {
        TypeRule::Disabled => return Command::nop(),
        TypeRule::Pinned(units) => units,
        TypeRule::AnyControl => random.random_range(0..=(most / 4).min(15)) as u8,
    };
    let mut octets = |count: usize| (0..count).map(|_| random.random()).collect::<Vec<u8>>();
    let control = octets(UNIT_BYTES * usize::from(units));
    if !kind.has_data() {
        return Command { kind, control, payload: Payload::None };
    }
    let count = 1 + usize::from(octets(1)[0]) % most.clamp(1, MAX_DATA_BYTES);
    let data = octets(count);
    let payload = match kind {
        CommandType::WriteStrobes => Payload::Strobed { strobes: octets(strobe_bytes(count)), data },
        _ => Payload::Data(data),
    };
    Command { kind, control, payload }
}

/// A well-formed body of at most so many octets, some with END and zeros.
pub fn good_body(random: &mut Rng, types: &TypeTable, most: usize) -> Vec<u8> {
    let small = random.random_bool(0.4);
    let mut body = vec![];
    for _ in 0..random.random_range(1..40) {
        let limit = if small { random.random_range(1..12) } else { MAX_DATA_BYTES };
        let octets = command(random, types, limit).encode(types).expect("taken");
        if body.len() + octets.len() > most {
            break;
        }
        body.extend(octets);
    }
    if body.is_empty() || random.random_bool(0.3) {
        let zeros = 2 * random.random_range(1..20);
        body.resize((body.len() + zeros).min(most.max(2)), 0);
    }
    body
}

/// Damages a body, in one of the ways that a body can be wrong, or perhaps not at all.
pub fn damage(random: &mut Rng, body: &mut Vec<u8>) -> &'static str {
    let place = random.random_range(0..body.len());
    match random.random_range(0..6) {
        0 => {
            body.truncate(place.max(1));
            "cut off"
        }
        1 => {
            body[place] = random.random();
            "an octet"
        }
        2 => {
            body.extend([0, 0, 0, 0, random.random(), random.random()]);
            "after END"
        }
        3 => {
            body.extend((0..2 * random.random_range(1..4)).map(|_| random.random::<u8>()));
            "an end of rubbish"
        }
        4 => {
            body.iter_mut().for_each(|octet| *octet = random.random());
            "rubbish"
        }
        _ => {
            body[place & !1] &= 0x0F;
            "a type"
        }
    }
}

/// The words of a body.
pub fn words_of(body: &[u8], error: bool, random: &mut Rng) -> Vec<FrameWord> {
    let words = body.len().div_ceil(WORD);
    let mut word = |(index, octets): (usize, &[u8])| {
        let mut data: [u8; WORD] = random.random();
        data[..octets.len()].copy_from_slice(octets);
        let last = index + 1 == words;
        FrameWord {
            data: u64::from_le_bytes(data).into(),
            bytes: (octets.len() as u64).into(),
            last,
            error: if last { error } else { random.random() },
        }
    };
    body.chunks(WORD).enumerate().map(&mut word).collect()
}

/// The marks of the units of a well-formed body, those of its last word included.
pub fn marks_of(body: &[u8], types: &TypeTable) -> Vec<usize> {
    let mut marks = vec![MARK_NONE; body.len().next_multiple_of(WORD) / UNIT_BYTES];
    let mut at = 0;
    while at < body.len() && body[at..at + UNIT_BYTES] != [0, 0] {
        let (command, bytes) = Command::decode(&body[at..], types).expect("well formed");
        marks[at / UNIT_BYTES] = if command.is_nop() { MARK_NOP } else { bytes.div_ceil(CELL) };
        at += bytes;
    }
    if let Some(mark) = marks.get_mut(at / UNIT_BYTES) {
        *mark = MARK_END;
    }
    marks
}

/// A value of TYPE_CFG.
pub fn types_value(types: &TypeTable) -> Value {
    let octets = types.to_octets().expect("a table");
    Value::from_words(
        128,
        &[0, 8].map(|at| u64::from_le_bytes(octets[at..at + 8].try_into().expect("eight"))),
    )
}

/// Any head.
pub fn any_head(random: &mut Rng) -> ReceivedHead {
    let bits: HeadBits = random.random_range(0..1u64 << 24).into();
    bits.into()
}

/// The value of a head.
pub fn head_value(head: ReceivedHead) -> Value {
    let bits: HeadBits = head.into();
    bits.to_value()
}

/// The value of a word.
pub fn word_value(word: FrameWord) -> Value {
    let bits: FrameBits = word.into();
    bits.to_value()
}

/// What the model says of a body: whether it is well formed, and its commands.
fn expected(body: &[u8], types: &TypeTable) -> Option<usize> {
    let even = body.len() % UNIT_BYTES == 0;
    walk(body, types).ok().filter(|_| even).map(|walked| walked.commands.len())
}

/// What is sent, what of it has come, and what has come out.
struct Rig {
    types: TypeTable,
    left: VecDeque<FrameWord>,
    head: ReceivedHead,
    clock: u64,
    /// Words under way: the clock, the word and its head.
    words: VecDeque<(u64, FrameWord, ReceivedHead)>,
    /// Octets of the body that comes in.
    body: Vec<u8>,
    bodies: VecDeque<Vec<u8>>,
    /// Marks of the body that comes out.
    marks: Vec<usize>,
    seen: Coverage,
}

impl Rig {
    fn new(types: TypeTable) -> Self {
        Self {
            types,
            left: VecDeque::new(),
            head: bits_zero().into(),
            clock: 0,
            words: VecDeque::new(),
            body: vec![],
            bodies: VecDeque::new(),
            marks: vec![],
            seen: Coverage::default(),
        }
    }

    fn word(&mut self, random: &mut Rng) -> Option<Value> {
        if self.clock < RULES_CLOCKS {
            return None;
        }
        if self.left.is_empty() {
            let most = if random.random_bool(0.1) { 2000 } else { 200 };
            let mut body = good_body(random, &self.types, most);
            if random.random_bool(0.5) {
                let way = damage(random, &mut body);
                let wrong = expected(&body, &self.types).is_none();
                self.seen.hit(if wrong {
                    format!("{way}: malformed")
                } else {
                    "damaged, but well formed".into()
                });
            }
            let error = random.random_bool(0.1);
            self.left = words_of(&body, error, random).into();
            self.head = any_head(random);
        }
        self.left.pop_front().map(word_value)
    }

    fn enters(&mut self, clock: u64, word: FrameWord) {
        self.words.push_back((clock, word, self.head));
        let octets = u64::from(word.data).to_le_bytes();
        self.body.extend(&octets[..u64::from(word.bytes) as usize]);
        if word.last {
            self.bodies.push_back(std::mem::take(&mut self.body));
        }
    }

    fn leaves(&mut self, clock: u64, word: MarkedWord, head: ReceivedHead) -> Result<(), SimError> {
        let (entered, sent, sent_head) =
            self.words.pop_front().ok_or_else(|| failed(clock, "a word of nothing".into()))?;
        let same = word.data == sent.data && word.last == sent.last && head == sent_head;
        if clock != entered + u64::from(LATENCY) || !same || (sent.last && word.error != sent.error) {
            return Err(failed(
                clock,
                format!("{word:?} of {head:?}, expected {sent:?} of {sent_head:?}, {entered}"),
            ));
        }
        let marks = u64::from(word.marks);
        self.marks.extend((0..4).map(|unit| (marks >> (MARK_BITS * unit) & 7) as usize));
        Ok(())
    }

    fn judged(&mut self, clock: u64, verdict: BodyVerdict) -> Result<(), SimError> {
        let body = self.bodies.pop_front().ok_or_else(|| failed(clock, "a verdict of nothing".into()))?;
        let marks = std::mem::take(&mut self.marks);
        let wanted = expected(&body, &self.types);
        let empty = body.len() > 1 && body[..2] == [0, 0];
        let mut good = verdict.well_formed == wanted.is_some();
        good &= body.len() == 1 || verdict.empty == empty;
        if let Some(commands) = wanted {
            let wanted_marks = marks_of(&body, &self.types);
            let count = wanted_marks.iter().position(|mark| *mark == MARK_END).unwrap_or(marks.len() - 1) + 1;
            good &= u64::from(verdict.commands) == commands as u64 && marks[..count] == wanted_marks[..count];
            self.seen.hit("well formed");
            self.seen.hit(format!("{} octets in the last word", (body.len() - 1) % WORD + 1));
        }
        self.seen.hit(if empty { "empty" } else { "not empty" });
        let problem = || format!("{verdict:?} with {marks:?}, expected {wanted:?} of {body:02x?}");
        good.then_some(()).ok_or_else(|| failed(clock, problem()))
    }

    fn clear(&mut self) {
        if !self.body.is_empty() {
            self.seen.hit("a clear in a body");
        }
        (self.words, self.bodies) = Default::default();
        (self.body, self.marks) = Default::default();
        // sometimes the rest of the body comes as a body of its own
        if self.clock % 2 == 0 {
            self.left.clear();
        }
    }
}

fn bits_zero() -> HeadBits {
    0u64.into()
}

fn stimulus(rig: &Rc<RefCell<Rig>>, testbench: &mut Testbench<'static>, seed: u64) -> Result<(), SimError> {
    let ports = testbench.bench();
    let (types, head) = (ports.port("types")?, ports.port("head")?);
    let head_out = ports.port("marked_head")?;
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
    let (asked, told) = (rig.clone(), rig.clone());
    let mut random = rng(seed, "bodies");
    testbench.add(
        FlowSource::new(testbench.bench(), "body", seed)?
            .pace(Pace::mixed())
            .items(move |_, _| asked.borrow_mut().word(&mut random))
            .on_transfer(move |clock, value| {
                told.borrow_mut().enters(clock, FrameBits::from_value(value).into());
                Ok(())
            }),
    );
    let settings = rig.clone();
    testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| {
        let mut rig = settings.borrow_mut();
        rig.clock = clock + 1;
        bench.set(types, &types_value(&rig.types));
        bench.set(head, &head_value(rig.head));
        Ok(())
    }));
    let came = rig.clone();
    let heads: Rc<RefCell<ReceivedHead>> = Rc::new(RefCell::new(bits_zero().into()));
    let shown = heads.clone();
    testbench.add(HeadMonitor { port: head_out, shown: heads });
    testbench.add(FlowMonitor::new(testbench.bench(), "marked")?.on_transfer(move |clock, value| {
        came.borrow_mut().leaves(clock, MarkedBits::from_value(value).into(), *shown.borrow())
    }));
    let judged = rig.clone();
    testbench.add(FlowMonitor::new(testbench.bench(), "verdicts")?.on_transfer(move |clock, value| {
        judged.borrow_mut().judged(clock, VerdictBits::from_value(value).into())
    }));
    let cleared = rig.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        cleared.borrow_mut().clear();
        Ok(())
    })?);
    Ok(())
}

/// Keeps the head that is shown with a word.
struct HeadMonitor {
    port: flitforge_sim::PortHandle,
    shown: Rc<RefCell<ReceivedHead>>,
}

impl flitforge_sim::kit::Agent for HeadMonitor {
    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        *self.shown.borrow_mut() = HeadBits::from_value(&bench.get(self.port)).into();
        Ok(())
    }
}

fn plan(name: &str, types: TypeTable, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueBodyCheck::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xb0d), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rc::new(RefCell::new(Rig::new(types)));
        stimulus(&rig, testbench, seed)?;
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = rig.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn bodies_are_judged_as_the_model_does() {
    let mut random = random();
    for (name, types) in
        [("sue_body_check", TypeTable::default()), ("sue_body_check_types", some_types(&mut random))]
    {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, types, &seen), FULL_CLOCKS / 4, 3_000).cover(&["clear.pulses"]).run().expect("equal");
        let all = [
            "cut off: malformed",
            "an octet: malformed",
            "after END: malformed",
            "an end of rubbish: malformed",
            "rubbish: malformed",
            "a type: malformed",
            "damaged, but well formed",
            "well formed",
            "empty",
            "a clear in a body",
            "2 octets in the last word",
            "4 octets in the last word",
            "6 octets in the last word",
            "8 octets in the last word",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

/// Bodies one after the other without a gap, in native code.
struct Fast {
    block: CompiledBlock,
    random: Rng,
    wanted: VecDeque<(Vec<u8>, Option<usize>)>,
    types: TypeTable,
}

impl Fast {
    fn new(types: TypeTable) -> Self {
        let mut block = CompiledBlock::new(&compiled("sue_body_check", &connected()));
        block.set_value("types", &types_value(&types));
        block.run(RULES_CLOCKS);
        Self { block, random: random(), wanted: VecDeque::new(), types }
    }

    fn body(&mut self, body: Vec<u8>) {
        let words = words_of(&body, false, &mut self.random);
        self.wanted.push_back((body.clone(), expected(&body, &self.types)));
        words.into_iter().for_each(|word| self.clock(Some(word)));
    }

    fn clock(&mut self, word: Option<FrameWord>) {
        let [data, valid] = ["body.data", "body.valid"].map(|path| self.block.handle(path));
        let [verdict, judged] = ["verdicts.data", "verdicts.valid"].map(|path| self.block.handle(path));
        self.block.instance.set_words(valid, &[u64::from(word.is_some())]);
        if let Some(word) = word {
            self.block.instance.set_words(data, word_value(word).words());
        }
        self.block.step();
        if self.block.instance.get(judged) == 1 {
            let bits: VerdictBits = self.block.instance.get(verdict).into();
            let verdict: BodyVerdict = bits.into();
            let (body, wanted) = self.wanted.pop_front().expect("a verdict of a body");
            let said = verdict.well_formed.then_some(u64::from(verdict.commands) as usize);
            assert_eq!(said, wanted.map(|commands| commands.min(1023)), "{body:02x?}");
        }
    }

    fn finish(mut self) {
        (0..LATENCY).for_each(|_| self.clock(None));
        assert!(self.wanted.is_empty(), "{} bodies without a verdict", self.wanted.len());
    }
}

fn connected() -> SueBodyCheck {
    let mut block = SueBodyCheck::new().expect("valid");
    block.connect_all();
    block
}

/// The header alone, and as many octets after it as it asks for; NOPs before it.
fn body_with(value: u16, nops: usize) -> Vec<u8> {
    let word = u128::from(value);
    let kind = CommandType::from_code(header::kind::FIELD.get(word) as u8).expect("a type");
    let data = header::dlen::FIELD.get(word) as usize + 1;
    let strobes = if kind == CommandType::WriteStrobes { strobe_bytes(data) } else { 0 };
    let area = if kind.has_data() { data + strobes } else { 0 };
    let control = UNIT_BYTES * header::clen::FIELD.get(word) as usize;
    let mut body = [0x20, 0x00].repeat(nops);
    body.extend(value.to_be_bytes());
    body.resize((body.len() + control + area).next_multiple_of(UNIT_BYTES), 0);
    body
}

#[test]
fn every_header_is_taken_or_refused() {
    let mut random = random();
    let mut fast = Fast::new(some_types(&mut random));
    for value in 0..=u16::MAX {
        // all in the first place, a part of them in the others; whole, cut off, and with something after it
        let places = if value % 16 == 0 || value < 64 { 0..4 } else { 0..1 };
        for nops in places {
            let body = body_with(value, nops);
            let mut short = body.clone();
            short.truncate((body.len() - UNIT_BYTES).max(UNIT_BYTES));
            fast.body(short);
            let mut long = body.clone();
            long.extend([0x30, 0x00]);
            fast.body(long);
            fast.body(body);
        }
    }
    fast.finish();
}

#[test]
fn a_body_cut_off_anywhere_is_malformed_or_ends_with_a_command() {
    let mut random = random();
    let types = TypeTable::default();
    let mut fast = Fast::new(types);
    for _ in 0..12 {
        let body = good_body(&mut random, &types, 400);
        for bytes in 1..=body.len() {
            fast.body(body[..bytes].to_vec());
        }
    }
    // the longest ones, and more commands than are counted
    for bytes in [4090, 4096] {
        let body = good_body(&mut random, &types, bytes);
        fast.body(body);
        fast.body([0x30, 0x00].repeat(bytes / 2));
        fast.body([0x20, 0x00].repeat(bytes / 2));
        fast.body(vec![0; bytes]);
    }
    // every octet of padding and every octet after END counts
    for data in 1..40 {
        let kind = if data % 2 == 0 { CommandType::WriteStrobes } else { CommandType::Write };
        let area = vec![0x55; data];
        let payload = match kind {
            CommandType::Write => Payload::Data(area),
            _ => Payload::Strobed { strobes: vec![0x55; strobe_bytes(data)], data: area },
        };
        let mut body = Command { kind, control: vec![0; 4], payload }.encode(&types).expect("taken");
        let end = body.len();
        body.extend([0; 20]);
        for place in end - 1..body.len() {
            let mut wrong = body.clone();
            wrong[place] = 1;
            fast.body(wrong);
        }
        fast.body(body);
    }
    fast.finish();
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_body_check";
    let faults = [
        Fault::replace("padding is not looked at", TOP, "pads_q & (|bad_octet)", "1'b0"),
        Fault::replace("what follows END is not looked at", TOP, "ended_q & ~(&all_end)", "1'b0"),
        Fault::replace(
            "a body may end in a command",
            TOP,
            "assign well_formed_d = word_judged_q[1] & ~wrong_now;",
            "assign well_formed_d = ~wrong_now;",
        ),
    ];
    let plan = || {
        plan(TOP, TypeTable::default(), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
