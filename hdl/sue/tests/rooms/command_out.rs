//! Commands for the XPU, against the golden codec, on all simulators.

use super::body_check::{any_head, command, head_value, word_value};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::command_in::CommandWord;
use flitforge_hdl_sue::command_out::{SueCommandOut, LATENCY};
use flitforge_hdl_sue::frame::{FrameWord, ReceivedHead};
use flitforge_model::sue::format::{Command, Payload, TypeTable};
use flitforge_protocol::sue::command::{CommandType, HEADER_BYTES};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, Pacer, Rng, StimulusFn, StreamMonitor, StreamSink,
    Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, deep, failed, random, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type OutBits = Bits<{ <CommandWord as Synth>::BITS }>;
type HeadBits = Bits<{ <ReceivedHead as Synth>::BITS }>;

const TOP: &str = "sue_command_out";
const WORD: usize = 8;

/// A word as the XPU has to see it: its octets, first, last, data.
type Wanted = (Vec<u8>, bool, bool, bool);

/// The words of a command as the XPU has to see them.
fn wanted_of(command: &Command) -> Vec<Wanted> {
    let octets = command.encode(&TypeTable::default()).expect("taken");
    let border = HEADER_BYTES + command.control.len();
    let area = match &command.payload {
        Payload::None => vec![],
        Payload::Data(data) => data.clone(),
        Payload::Strobed { strobes, data } => [&strobes[..], data].concat(),
    };
    let control = octets[..border].chunks(WORD).map(|octets| (octets.to_vec(), false));
    let words: Vec<_> = control.chain(area.chunks(WORD).map(|octets| (octets.to_vec(), true))).collect();
    let last = words.len() - 1;
    let word = |(index, (octets, is_data))| (octets, index == 0, index == last, is_data);
    words.into_iter().enumerate().map(word).collect()
}

/// The words of a command in a body.
fn words_of(random: &mut Rng, octets: &[u8]) -> Vec<FrameWord> {
    super::body_check::words_of(octets, false, random)
}

/// What is sent, and what has to come.
struct Rig {
    random: Rng,
    left: VecDeque<FrameWord>,
    head: ReceivedHead,
    /// The command whose words are sent; it counts from its first word on.
    next: Option<Command>,
    /// Words that have to come, with their heads.
    wanted: VecDeque<(Wanted, ReceivedHead)>,
    seen: Coverage,
}

impl Rig {
    fn word(&mut self) -> Option<Value> {
        if self.left.is_empty() {
            let random = &mut self.random;
            let most = if random.random_bool(0.2) { 256 } else { 20 };
            let command = command(random, &TypeTable::default(), most);
            self.left = words_of(random, &command.encode(&TypeTable::default()).expect("taken")).into();
            self.head = any_head(random);
            self.next = Some(command);
        }
        self.left.pop_front().map(word_value)
    }

    fn enters(&mut self) {
        let Some(command) = self.next.take() else { return };
        self.seen.hit(command.kind.name());
        let head = self.head;
        let words = wanted_of(&command);
        self.seen.hit(format!("{} octets of data in the last word", words[words.len() - 1].0.len()));
        self.wanted.extend(words.into_iter().map(|word| (word, head)));
    }

    fn leaves(&mut self, clock: u64, word: CommandWord, head: ReceivedHead) -> Result<(), SimError> {
        let bytes = u64::from(word.bytes) as usize;
        let octets = u64::from(word.data).to_le_bytes()[..bytes.min(WORD)].to_vec();
        let (wanted, wanted_head) =
            self.wanted.pop_front().ok_or_else(|| failed(clock, "a word of nothing".into()))?;
        let came = (octets, word.first, word.last, word.is_data);
        if bytes > WORD || came != wanted || head != wanted_head {
            return Err(failed(
                clock,
                format!("{came:02x?} of {head:?}, expected {wanted:02x?} of {wanted_head:?}"),
            ));
        }
        Ok(())
    }

    /// What is left of a command is sent no more.
    fn clear(&mut self) {
        if self.next.is_none() && !self.left.is_empty() {
            self.seen.hit("a clear in a command");
        }
        self.left.clear();
        self.next = None;
        self.wanted.clear();
    }
}

/// Offers words; a clear withdraws what is offered, since what is left of a command would be read as a header.
struct Source {
    rig: Rc<RefCell<Rig>>,
    random: Rng,
    pacer: Pacer,
    offered: Option<Value>,
    /// clear, valid, ready, data
    ports: [PortHandle; 4],
}

impl Source {
    fn new(bench: &dyn Bench, seed: u64, rig: Rc<RefCell<Rig>>) -> Result<Self, SimError> {
        let names = ["clear", "commands.valid", "commands.ready", "commands.data"];
        let ports: Result<Vec<_>, _> = names.iter().map(|name| bench.port(name)).collect();
        let pacer = Pacer::new(Pace::mixed());
        let ports = ports?.try_into().expect("four");
        Ok(Source { rig, random: rng(seed, "source"), pacer, offered: None, ports })
    }
}

impl Agent for Source {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.offered.is_none() && self.pacer.next(&mut self.random) {
            self.offered = self.rig.borrow_mut().word();
        }
        let [_, valid, _, data] = self.ports;
        bench.set_u64(valid, self.offered.is_some().into());
        if let Some(word) = &self.offered {
            bench.set(data, word);
        }
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [clear, _, ready, _] = self.ports;
        if self.offered.is_some() && bench.get_bit(ready) {
            self.offered = None;
            self.rig.borrow_mut().enters();
        }
        if bench.get_bit(clear) {
            self.offered = None;
        }
        Ok(())
    }
}

/// Watches words out and clears, and drives the head.
struct Watcher {
    rig: Rc<RefCell<Rig>>,
    head: PortHandle,
    /// clear, valid, ready, data, head
    ports: [PortHandle; 5],
}

impl Agent for Watcher {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        bench.set(self.head, &head_value(self.rig.borrow().head));
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [clear, valid, ready, data, head] = self.ports;
        let mut rig = self.rig.borrow_mut();
        if bench.get_bit(valid) && bench.get_bit(ready) {
            let word: CommandWord = OutBits::from_value(&bench.get(data)).into();
            rig.leaves(clock, word, HeadBits::from_value(&bench.get(head)).into())?;
        }
        if bench.get_bit(clear) {
            rig.clear();
        }
        Ok(())
    }
}

fn plan(seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueCommandOut::default()) as _;
    let seen = seen.clone();
    CosimPlan::new(TOP, seed(0xc00), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rc::new(RefCell::new(Rig {
            random: rng(seed, "commands"),
            left: VecDeque::new(),
            head: any_head(&mut rng(seed, "head")),
            next: None,
            wanted: VecDeque::new(),
            seen: Coverage::default(),
        }));
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
        testbench.add(Source::new(testbench.bench(), seed, rig.clone())?);
        testbench.add(StreamMonitor::new(testbench.bench(), "commands_out")?);
        testbench.add(StreamSink::new(testbench.bench(), "commands_out", seed)?);
        let names = ["clear", "commands_out.valid", "commands_out.ready", "commands_out.data", "head"];
        let ports: Result<Vec<_>, _> = names.iter().map(|name| testbench.bench().port(name)).collect();
        let head = testbench.bench().port("command_head")?;
        testbench.add(Watcher { rig: rig.clone(), head, ports: ports?.try_into().expect("five") });
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = rig.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn commands_come_out_as_the_codec_says() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    deep(plan(&seen), FULL_CLOCKS / 4, 3_000).cover(&["clear.pulses"]).run().expect("equal");
    let mut all: Vec<String> = CommandType::ALL.iter().skip(1).map(|kind| kind.name().to_string()).collect();
    all.extend((1..=WORD).map(|octets| format!("{octets} octets of data in the last word")));
    all.push("a clear in a command".into());
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    seen.borrow().require(TOP, &all).expect("everything happened");
}

/// Sends the words of commands without gaps; gives the clocks of transfers in, and what comes out with its clocks.
fn pass(commands: &[Command], random: &mut Rng) -> (Vec<u64>, Vec<(u64, CommandWord)>) {
    let mut made = SueCommandOut::default();
    made.connect_all();
    let mut block = CompiledBlock::new(&compiled(TOP, &made));
    block.set("commands_out.ready", 1);
    let octets = commands.iter().map(|command| command.encode(&TypeTable::default()).expect("taken"));
    let words: Vec<FrameWord> = octets.flat_map(|octets| words_of(random, &octets)).collect();
    let (mut taken, mut came, mut left) = (vec![], vec![], words.iter());
    let mut word = left.next();
    let mut clock = 0;
    while word.is_some() || clock < taken.last().unwrap_or(&0) + 60 {
        block.set("commands.valid", u64::from(word.is_some()));
        if let Some(word) = word {
            block.set_value("commands.data", &word_value(*word));
        }
        if word.is_some() && block.get("commands.ready") == 1 {
            taken.push(clock);
            word = left.next();
        }
        if block.get("commands_out.valid") == 1 {
            came.push((clock, OutBits::from_value(&block.get_value("commands_out.data")).into()));
        }
        block.step();
        clock += 1;
    }
    (taken, came)
}

fn write(control: usize, data: usize) -> Command {
    Command {
        kind: CommandType::Write,
        control: vec![0xC0; control],
        payload: Payload::Data(vec![0xDA; data]),
    }
}

#[test]
fn latency_and_throughput_are_as_stated() {
    let mut random = random();
    // every length of control and of data, alone: the first word after `LATENCY`, then one per clock
    for control in (0..=30).step_by(2) {
        for data in (1..=20).chain([255, 256]) {
            let (taken, came) = pass(&[write(control, data)], &mut random);
            let words = (HEADER_BYTES + control).div_ceil(WORD) + data.div_ceil(WORD);
            let first = taken[0] + u64::from(LATENCY);
            let clocks: Vec<u64> = came.iter().map(|(clock, _)| *clock).collect();
            assert_eq!(
                clocks,
                (first..first + words as u64).collect::<Vec<_>>(),
                "{control} and {data} octets"
            );
        }
    }
    // many, one after the other: a word out per clock
    let commands: Vec<Command> = (0..50).map(|number| write(number % 16 * 2, 1 + number * 5)).collect();
    let (_, came) = pass(&commands, &mut random);
    let first = came[0].0;
    assert!(came.iter().zip(first..).all(|((clock, _), wanted)| *clock == wanted));
    let nops = vec![Command::nop(); 40];
    let (taken, came) = pass(&nops, &mut random);
    assert_eq!((taken.len(), came.len()), (40, 40));
    assert_eq!(came[39].0, taken[0] + u64::from(LATENCY) + 39);
}

/// Faults as they might be made by hand, in the Verilog.
#[test]
fn faults_are_found() {
    let faults = [
        Fault::replace(
            "the last word of control ends a command with data",
            TOP,
            "control_word_ends & ~has_area_q",
            "control_word_ends",
        ),
        Fault::replace("data begins with the word", TOP, "skipped_d = pairs[1:0];", "skipped_d = 2'h0;"),
        Fault::replace("an octet of strobes is missing", TOP, "more = 9'h002;", "more = 9'h001;"),
        Fault::replace(
            "the head is that of the command before",
            TOP,
            "own = came_head_q;",
            "own = own_head_q;",
        ),
        Fault::replace(
            "after a clear the command goes on",
            TOP,
            "if (clear) begins_q <= 1'b1;",
            "if (1'b0) begins_q <= 1'b1;",
        ),
    ];
    let plan = || plan(&Rc::default()).clocks(12_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
