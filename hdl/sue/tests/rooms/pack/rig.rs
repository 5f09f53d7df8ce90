//! What stands around a packer: the accelerator, the sender, and what is known of the queues.

use super::ledger::{Key, Ledger, Sent};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::{BodyHead, CommandHead, FrameWord};
use flitforge_hdl_sue::pack::{CellsFreed, QueueTurn, QueueWindow, QueueXoff};
use flitforge_sim::kit::{rng, Agent, Pace, Pacer, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;
type HeadBits = Bits<{ <CommandHead as Synth>::BITS }>;
type BodyHeadBits = Bits<{ <BodyHead as Synth>::BITS }>;
type WindowBits = Bits<{ <QueueWindow as Synth>::BITS }>;
type FreedBits = Bits<{ <CellsFreed as Synth>::BITS }>;
type XoffBits = Bits<{ <QueueXoff as Synth>::BITS }>;
type TurnBits = Bits<{ <QueueTurn as Synth>::BITS }>;

/// Clocks between two answers of the sender.
const ANSWER_SPACING: u64 = 4;

/// A command of the accelerator.
#[derive(Clone, Debug)]
pub struct Given {
    pub key: Key,
    pub partition: u64,
    pub flush: bool,
    /// `error` comes with its last word.
    pub wrong: bool,
    pub octets: Vec<u8>,
}

/// What the accelerator and the sender do by themselves.
#[derive(Clone, Debug)]
pub struct Habits {
    /// Commands are made at random.
    pub commands: Pace,
    /// Largest number of destinations and virtual channels used.
    pub destinations: u64,
    pub partitions: u64,
    pub flush: f64,
    pub wrong: f64,
    pub most_octets: usize,
    /// The accelerator respects its credits.
    pub credits: bool,
    /// The sender takes words.
    pub takes: Pace,
    /// The sender answers within so many clocks; 0: not by itself.
    pub answers: u64,
    pub closed: f64,
    /// Virtual channels come and go.
    pub readiness: bool,
    pub clears: f64,
}

impl Habits {
    /// Nothing comes by itself; words are taken, bodies answered after `answers` clocks.
    pub fn quiet(answers: u64) -> Self {
        Habits {
            commands: Pace::Never,
            destinations: 4,
            partitions: 2,
            flush: 0.0,
            wrong: 0.0,
            most_octets: 320,
            credits: true,
            takes: Pace::Always,
            answers,
            closed: 0.0,
            readiness: false,
            clears: 0.0,
        }
    }
}

struct Ports {
    clear: PortHandle,
    commands: [PortHandle; 3],
    head: PortHandle,
    windows: [PortHandle; 2],
    vc_ready: PortHandle,
    body: [PortHandle; 3],
    body_head: PortHandle,
    commands_in_body: PortHandle,
    turns: [PortHandle; 2],
    freed: [PortHandle; 2],
    xoff: [PortHandle; 2],
    overrun: PortHandle,
    settings: Vec<(PortHandle, Value)>,
}

/// Settings of the packer.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    pub pack_max: u64,
    pub weights: [u64; 4],
    pub cells: u64,
    /// QHI and QLO.
    pub thresholds: [u64; 2],
}

/// The state of everything around the packer.
pub struct Rig {
    ports: Ports,
    pub habits: Habits,
    pub ledger: Ledger,
    random: Rng,
    command_pacer: Pacer,
    body_pacer: Pacer,
    /// Commands that wait to be sent.
    pub script: VecDeque<Given>,
    current: Option<(Given, usize)>,
    offered: bool,
    clearing: bool,
    pub ready: u64,
    /// Answers: when, whose, and whether the window is open.
    pub answers: VecDeque<(u64, Key, bool)>,
    last_answer: u64,
    answer_now: Option<(Key, bool)>,
    body: Vec<u8>,
    body_head: Option<(u64, u64)>,
}

/// A rig as an agent.
#[derive(Clone)]
pub struct Shared(pub Rc<RefCell<Rig>>);

impl Agent for Shared {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.0.borrow_mut().drive(clock, bench);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut rig = self.0.borrow_mut();
        rig.observe(clock, bench).map_err(|problem| SimError::Check { clock, problem })
    }
}

fn wide(words: &WordBits) -> Value {
    words.to_value()
}

impl Rig {
    pub fn shared(
        bench: &dyn Bench,
        registers: Registers,
        habits: Habits,
        seed: u64,
    ) -> Result<Shared, SimError> {
        let port = |path: &str| bench.port(path);
        let stream = |name: &str| -> Result<[PortHandle; 3], SimError> {
            Ok([
                port(&format!("{name}.data"))?,
                port(&format!("{name}.valid"))?,
                port(&format!("{name}.ready"))?,
            ])
        };
        let flow = |name: &str| -> Result<[PortHandle; 2], SimError> {
            Ok([port(&format!("{name}.data"))?, port(&format!("{name}.valid"))?])
        };
        let mut settings = vec![(port("settings.pack_max")?, Value::from_u64(13, registers.pack_max))];
        for (vc, weight) in registers.weights.iter().enumerate() {
            settings.push((port(&format!("settings.weight_{vc}"))?, Value::from_u64(8, *weight)));
        }
        for (name, threshold) in ["queue_high", "queue_low"].iter().zip(registers.thresholds) {
            settings.push((port(name)?, Value::from_u64(16, threshold)));
        }
        let ports = Ports {
            clear: port("clear")?,
            commands: stream("commands")?,
            head: port("head")?,
            windows: flow("windows")?,
            vc_ready: port("vc_ready")?,
            body: stream("body")?,
            body_head: port("body_head")?,
            commands_in_body: port("commands_in_body")?,
            turns: flow("turns")?,
            freed: flow("cells_freed")?,
            xoff: flow("queue_xoff")?,
            overrun: port("overrun")?,
            settings,
        };
        Ok(Shared(Rc::new(RefCell::new(Rig {
            ports,
            ledger: Ledger::new(registers),
            random: rng(seed, "rig"),
            command_pacer: Pacer::new(habits.commands.clone()),
            body_pacer: Pacer::new(habits.takes.clone()),
            habits,
            script: VecDeque::new(),
            current: None,
            offered: false,
            clearing: false,
            ready: 15,
            answers: VecDeque::new(),
            last_answer: 0,
            answer_now: None,
            body: vec![],
            body_head: None,
        }))))
    }

    /// A random command.
    pub fn random_command(&mut self) -> Given {
        let habits = self.habits.clone();
        let random = &mut self.random;
        let key = (random.random_range(0..habits.destinations), random.random_range(0..4));
        let most = habits.most_octets / 2;
        let units = match random.random_range(0..10) {
            0..4 => random.random_range(1..=most.min(16)),
            4 => most.min(32 * random.random_range(1..=5)),
            5 => most,
            _ => random.random_range(1..=most),
        };
        Given {
            key,
            partition: random.random_range(0..habits.partitions) * 341,
            flush: random.random_bool(habits.flush),
            wrong: random.random_bool(habits.wrong),
            octets: (0..2 * units).map(|_| random.random()).collect(),
        }
    }

    /// No command is under way or waits to be sent.
    pub fn has_sent(&self) -> bool {
        self.script.is_empty() && self.current.is_none()
    }

    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) {
        self.clearing = clock < 2 || self.random.random_bool(self.habits.clears);
        bench.set_u64(self.ports.clear, self.clearing.into());
        self.ports.settings.iter().for_each(|(port, value)| bench.set(*port, value));
        self.offer(bench);
        if self.habits.readiness && self.random.random_bool(0.02) {
            self.ready = self.random.random_range(0..16) | self.random.random_range(0..16);
        }
        bench.set_u64(self.ports.vc_ready, self.ready);
        let takes = self.body_pacer.next(&mut self.random);
        bench.set_u64(self.ports.body[2], takes.into());

        self.answer_now = None;
        let due = self.answers.iter().position(|(when, ..)| *when <= clock);
        if let Some(index) = due.filter(|_| clock >= self.last_answer + ANSWER_SPACING) {
            let (_, key, open) = self.answers.remove(index).expect("found");
            self.answer_now = Some((key, open));
            self.last_answer = clock;
            let window = QueueWindow { destination: key.0.into(), vc: key.1.into(), open };
            let bits: WindowBits = window.into();
            bench.set(self.ports.windows[0], &bits.to_value());
        }
        bench.set_u64(self.ports.windows[1], self.answer_now.is_some().into());
    }

    /// The next word of a command, or nothing.
    fn offer(&mut self, bench: &mut dyn Bench) {
        if !self.offered {
            let paced = self.command_pacer.next(&mut self.random);
            if self.current.is_none() {
                let credits = self.habits.credits;
                if let Some(given) = self.script.front() {
                    if !credits || self.ledger.has_credits(given.key.1, given.octets.len()) {
                        self.current = self.script.pop_front().map(|given| (given, 0));
                    }
                } else if paced {
                    let given = self.random_command();
                    if !credits || self.ledger.has_credits(given.key.1, given.octets.len()) {
                        self.current = Some((given, 0));
                    }
                }
                if let Some((given, _)) = &self.current {
                    self.ledger.spends(given.key.1, given.octets.len());
                }
            }
            let scripted = self.habits.commands == Pace::Never;
            self.offered = self.current.is_some() && (paced || scripted);
            if self.offered {
                self.make_word(bench);
            }
        }
        bench.set_u64(self.ports.commands[1], self.offered.into());
    }

    /// The next word of the command, and its head.
    fn make_word(&mut self, bench: &mut dyn Bench) {
        let Some((given, from)) = self.current.as_ref() else {
            return;
        };
        let octets = &given.octets[*from..given.octets.len().min(from + 8)];
        let last = from + 8 >= given.octets.len();
        let mut data = [0u8; 8];
        self.random.fill(&mut data);
        data[..octets.len()].copy_from_slice(octets);
        // What a word says besides its octets counts with the last one only.
        let error = if last { given.wrong } else { self.random.random() };
        let word = FrameWord {
            data: u64::from_le_bytes(data).into(),
            bytes: (octets.len() as u64).into(),
            last,
            error,
        };
        bench.set(self.ports.commands[0], &wide(&word.into()));
        let head = CommandHead {
            destination: given.key.0.into(),
            vc: given.key.1.into(),
            partition: given.partition.into(),
            flush: given.flush,
        };
        let bits: HeadBits = head.into();
        bench.set(self.ports.head, &bits.to_value());
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), String> {
        if self.clearing {
            self.ledger.clear();
            self.answers.clear();
            (self.current, self.offered, self.body_head) = (None, false, None);
            self.body.clear();
            return (!bench.get_bit(self.ports.commands[2]))
                .then_some(())
                .ok_or("ready while cleared".into());
        }
        self.ledger.tick(clock, self.ready, bench.get_bit(self.ports.overrun))?;
        if bench.get_bit(self.ports.freed[1]) {
            let freed: CellsFreed = FreedBits::from_value(&bench.get(self.ports.freed[0])).into();
            self.ledger.frees(freed.vc.into(), freed.count.into())?;
        }
        if bench.get_bit(self.ports.xoff[1]) {
            let xoff: QueueXoff = XoffBits::from_value(&bench.get(self.ports.xoff[0])).into();
            self.ledger.crosses((xoff.destination.into(), xoff.vc.into()), xoff.on)?;
        }
        if bench.get_bit(self.ports.turns[1]) {
            let turn: QueueTurn = TurnBits::from_value(&bench.get(self.ports.turns[0])).into();
            self.ledger.turn(clock, (turn.destination.into(), turn.vc.into()))?;
        }
        self.observe_body(clock, bench)?;
        if let Some((key, open)) = self.answer_now {
            self.ledger.answer(clock, key, open);
            if !open && self.habits.answers > 0 {
                let later = clock + self.random.random_range(1..10 * self.habits.answers);
                self.answers.push_back((later, key, true));
            }
        }
        if self.offered && bench.get_bit(self.ports.commands[2]) {
            self.offered = false;
            let (given, from) = self.current.take().expect("offered");
            let last = from + 8 >= given.octets.len();
            self.ledger.word(clock, from == 0, last.then(|| Sent::new(&given)));
            if !last {
                self.current = Some((given, from + 8));
            }
        }
        Ok(())
    }

    fn observe_body(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), String> {
        let [data, valid, ready] = self.ports.body;
        if !bench.get_bit(valid) {
            return Ok(());
        }
        let bits = BodyHeadBits::from_value(&bench.get(self.ports.body_head));
        let head: BodyHead = bits.into();
        let number = bench.get_u64(self.ports.body_head);
        if self.body_head.is_some_and(|(before, _)| before != number) {
            return Err("the head of a body changes".into());
        }
        let first = self.body_head.map_or(clock, |(_, first)| first);
        self.body_head = Some((number, first));
        if !bench.get_bit(ready) {
            return Ok(());
        }
        let word: FrameWord = WordBits::from_value(&bench.get(data)).into();
        let count = u64::from(word.bytes) as usize;
        if count == 0 || count > 8 || (count < 8 && !word.last) || (word.error && !word.last) {
            return Err(format!("a word of {count} octets, last {}, error {}", word.last, word.error));
        }
        self.body.extend_from_slice(&u64::from(word.data).to_le_bytes()[..count]);
        self.ledger.word_out(clock);
        if word.last {
            let key = (head.destination.into(), head.vc.into());
            let body = std::mem::take(&mut self.body);
            let commands = bench.get_u64(self.ports.commands_in_body) as usize;
            if word.error {
                return Err("parity".into());
            }
            self.ledger.body(key, head.partition.into(), &body, commands, [first, clock])?;
            self.body_head = None;
            if self.habits.answers > 0 {
                let when = clock + self.random.random_range(1..=self.habits.answers);
                self.answers.push_back((when, key, !self.random.random_bool(self.habits.closed)));
            }
        }
        Ok(())
    }
}
