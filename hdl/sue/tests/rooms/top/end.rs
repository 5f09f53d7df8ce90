//! An instance with its XPU, its host and its side of the line, clocked by hand in native code.

mod host;

use crate::rooms::command_in::{mark_ends, words_of};
use crate::rooms::network::value_of;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::command_in::{CellCredits, CommandWord};
use flitforge_hdl_sue::frame::{CommandHead, ReceivedHead};
use flitforge_hdl_sue::lite::SueLiteTop;
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion};
use flitforge_hdl_sue::top::{Dispatch, SueTop};
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::format::{Command, Payload, TypeTable};
pub use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::{CommandType, COMMAND_CELL_BYTES, HEADER_BYTES};
use flitforge_protocol::sue_port_registers::FlowControl;
use flitforge_protocol::sue_registers as page;
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::kit::Rng;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

/// The instance of the tests: 4 XPUs, 16 slots of 512 octets, 4 KB of receive buffer for each virtual channel.
pub type Small = SueTop<2, 4, 3, 5, 6, 4, 5, 6, 10, 7, 6, 9, 11, 9, 7, 8, 11, 12, 1, 2, 2, 7>;
/// The same with two ports.
pub type SmallTwo = SueTop<2, 4, 3, 5, 6, 4, 5, 6, 10, 7, 6, 9, 11, 9, 7, 8, 11, 12, 2, 3, 4, 10>;
/// The same with four ports.
pub type SmallFour = SueTop<2, 4, 3, 5, 6, 4, 5, 6, 10, 7, 6, 9, 11, 9, 7, 8, 11, 12, 4, 5, 4, 10>;
/// The same of SUE Lite.
pub type SmallLite = SueLiteTop<2, 4, 5, 6, 9, 11, 9, 7, 8, 11, 12>;
/// Clocks that a closed connection rests: more than anything lives on this line.
pub const REST: u64 = 500;

/// Partition of all commands.
pub const PARTITION: u64 = 1;
/// Control octets of a command: source, VC and number.
const CONTROL: usize = 12;
/// A column without a frame.
pub const IDLE: (u64, u64) = (0x0707_0707_0707_0707, 0xFF);
/// Credits that an XPU gives for each virtual channel at the start, cells.
const OUT_CREDITS: u64 = 16;

pub fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_top", &Small::new().expect("valid")))
}

pub fn two_program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_top_two", &SmallTwo::new().expect("valid")))
}

pub fn four_program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_top_four", &SmallFour::new().expect("valid")))
}

pub fn lite_program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_lite_top", &SmallLite::new().expect("valid")))
}

/// What an end is set to.
#[derive(Clone, Copy)]
pub struct Setup {
    pub retry: bool,
    pub flow: FlowControl,
    pub rto: u64,
    /// GEN_EN.
    pub generations: bool,
    pub lite: bool,
    /// 1, or 2 or 4 with MODE unordered, if not `strict`.
    pub ports: usize,
    /// LIMIT of each virtual channel by port, cells of 256 octets.
    pub limits: [u64; 4],
    /// MODE strict, and order is kept over a failover.
    pub strict: bool,
}

/// A command on its way: its words, and cells of 64 octets.
pub type Waiting = (VecDeque<Value>, Value, usize, i64);

/// One end of the line.
pub struct End {
    pub block: CompiledBlock,
    own: u64,
    random: Rng,
    handles: Handles,
    /// Commands that are to be sent.
    pub queue: VecDeque<Waiting>,
    /// Credits that this XPU has, and cells that its peer's XPU may still send it.
    pub credits: [i64; VCS],
    returned: VecDeque<(usize, u64, u64)>,
    /// Numbers of the next commands, to be sent and to come, by virtual channel.
    sent: [u64; VCS],
    came: [u64; VCS],
    command: Vec<u8>,
    data: Vec<u8>,
    /// Chance that the XPU takes a word.
    pub takes: f64,
    /// Chance that it has a word to give.
    pub gives: f64,
    /// Commands delivered, each in its turn and unaltered.
    pub delivered: u64,
    pub completed: u64,
    pub failed: u64,
    /// Commands by status.
    pub by_status: [u64; 4],
    /// Chance that the XPU gives back a command's credits in a clock.
    pub gives_back: f64,
    /// Bodies that became PDUs, by port; commands in them, and in those with a status.
    pub dispatched: Vec<u64>,
    pub commands_sent: u64,
    pub commands_done: u64,
    /// Commands may be missing, how many are; none comes twice or late.
    pub lossy: bool,
    pub missing: u64,
    /// With `strict`: the command that came last after a later one, or twice.
    pub late: Option<String>,
    /// How often this XPU has begun anew; the same of those whose commands came last.
    life: u8,
    peer_life: [u8; VCS],
    setup: Setup,
    /// With two ports: numbers that have come.
    seen: [BTreeSet<u64>; VCS],
}

struct Handles {
    valid: Handle,
    data: Handle,
    ready: Handle,
    head: Handle,
    credit_valid: Handle,
    credit_data: Handle,
    out_valid: Handle,
    out_data: Handle,
    out_ready: Handle,
    head_out: Handle,
    /// By port.
    back: Vec<[Handle; 2]>,
    done_valid: Handle,
    done_data: Handle,
    /// SUE Lite has no PDUs.
    told: Option<[Handle; 2]>,
    on: Handle,
    line: Vec<[Handle; 4]>,
}

impl Handles {
    fn new(block: &CompiledBlock, setup: Setup) -> Self {
        let at = |path: &str| block.handle(path);
        // SUE Lite has one port, others have an array of them.
        let of_port = |name: &str, rest: &str, port: usize| {
            let place = if setup.lite { String::new() } else { format!("[{port}]") };
            block.handle(&format!("{name}{place}{rest}"))
        };
        let back = |port| [".valid", ".data"].map(|rest| of_port("out_credits", rest, port));
        let line = |port| ["rxd", "rxc", "txd", "txc"].map(|name| of_port(name, "", port));
        Self {
            valid: at("commands.valid"),
            data: at("commands.data"),
            ready: at("commands.ready"),
            head: at("head"),
            credit_valid: at("credits.valid"),
            credit_data: at("credits.data"),
            out_valid: at("commands_out.valid"),
            out_data: at("commands_out.data"),
            out_ready: at("commands_out.ready"),
            head_out: at("head_out"),
            back: (0..setup.ports).map(back).collect(),
            done_valid: at("completions.valid"),
            done_data: at("completions.data"),
            told: (!setup.lite).then(|| ["dispatches.valid", "dispatches.data"].map(at)),
            on: at("on"),
            line: (0..setup.ports).map(line).collect(),
        }
    }
}

/// Control octets of a command, so that each is told from all others.
fn control_of(source: u64, vc: usize, life: u8, number: u64) -> Vec<u8> {
    let mut control = vec![source as u8, vc as u8, life, 0];
    control.extend(number.to_le_bytes());
    control
}

fn data_of(source: u64, vc: usize, number: u64, bytes: usize) -> Vec<u8> {
    let octet = |index: usize| (number as usize * 7 + index * 31 + vc * 3 + source as usize) as u8;
    (0..bytes).map(octet).collect()
}

impl End {
    pub fn new(own: u64, random: Rng, setup: Setup) -> Self {
        let program = match setup {
            Setup { lite: true, .. } => lite_program(),
            Setup { ports: 2, .. } => two_program(),
            Setup { ports: 4, .. } => four_program(),
            _ => program(),
        };
        Self::of(program, own, random, setup)
    }

    /// An end with another instance.
    pub fn of(program: &Arc<Compiled>, own: u64, random: Rng, setup: Setup) -> Self {
        let block = CompiledBlock::new(program);
        let handles = Handles::new(&block, setup);
        let mut end = Self {
            block,
            own,
            random,
            handles,
            queue: VecDeque::new(),
            credits: [0; VCS],
            returned: VecDeque::new(),
            sent: [0; VCS],
            came: [0; VCS],
            command: vec![],
            data: vec![],
            takes: 1.0,
            gives: 1.0,
            delivered: 0,
            completed: 0,
            failed: 0,
            by_status: [0; 4],
            gives_back: 1.0,
            dispatched: vec![0; setup.ports],
            commands_sent: 0,
            commands_done: 0,
            life: 0,
            peer_life: [0; VCS],
            setup,
            seen: Default::default(),
            lossy: false,
            missing: 0,
            late: None,
        };
        end.begin_anew();
        end.block.set("pcs_up", (1 << setup.ports) - 1);
        end.hear(IDLE);
        end.configure(setup);
        end
    }

    /// A bit for each port.
    fn all_ports(&self) -> u64 {
        (1 << self.setup.ports) - 1
    }

    /// Off and on again: the XPU begins anew, too.
    pub fn restart(&mut self) {
        self.hear(IDLE);
        self.take_back();
        self.block.set("commands.valid", 0);
        let control = self.read(page::CTRL);
        self.write(page::CTRL, control & !1);
        self.block.run(10);
        self.begin_anew();
        self.life += u8::from(self.lossy);
        self.write(page::CTRL, control);
    }

    /// CMD.flush_all, until commands are forgotten. The XPU begins anew.
    pub fn flush(&mut self) {
        self.hear(IDLE);
        self.take_back();
        self.block.set("commands.valid", 0).set("commands_out.ready", 0);
        self.write(page::CMD, 1 << page::cmd::flush_all::LOW);
        for _ in 0..2_000 {
            self.clock();
            if self.block.get("on") == 0 {
                self.life += 1;
                return;
            }
        }
        panic!("nothing is flushed");
    }

    /// No credits in this clock.
    fn take_back(&mut self) {
        for [valid, _] in &self.handles.back {
            self.block.instance.set(*valid, 0);
        }
    }

    /// The XPU knows nothing of what was before.
    pub fn begin_anew(&mut self) {
        self.queue.clear();
        (self.credits, self.sent, self.came) = Default::default();
        let each = |port| (0..VCS as u64).map(move |vc| (port, vc, OUT_CREDITS));
        self.returned = (0..self.setup.ports).flat_map(each).collect();
        self.command.clear();
        self.data.clear();
    }

    /// Links by port, a bit each.
    pub fn link(&mut self, ports: u64) {
        self.block.set("pcs_up", ports);
    }

    /// Commands that were offered.
    pub fn offered(&self) -> u64 {
        self.sent.iter().sum()
    }

    /// One more command to the other end.
    pub fn offer(&mut self, vc: usize, bytes: usize) {
        let number = self.sent[vc];
        self.sent[vc] += 1;
        let control = control_of(self.own, vc, self.life, number);
        let data = data_of(self.own, vc, number, bytes);
        let (kind, payload) = match bytes {
            0 => (CommandType::Message, Payload::None),
            _ => (CommandType::Write, Payload::Data(data.clone())),
        };
        let octets = Command { kind, control, payload }.encode(&TypeTable::default()).expect("a command");
        let border = HEADER_BYTES + CONTROL;
        let mut words: Vec<CommandWord> = words_of(&mut self.random, &octets[..border], false);
        words.extend(words_of(&mut self.random, &octets[border..border + bytes], true));
        mark_ends(&mut words);
        let head = CommandHead {
            destination: (1 - self.own).into(),
            vc: (vc as u64).into(),
            partition: PARTITION.into(),
            flush: false,
        };
        let cells = octets.len().div_ceil(COMMAND_CELL_BYTES) as i64;
        self.queue.push_back((words.into_iter().map(value_of).collect(), value_of(head), vc, cells));
    }

    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// The same column at all ports.
    pub fn hear(&mut self, column: (u64, u64)) {
        (0..self.setup.ports).for_each(|port| self.hear_at(port, column));
    }

    pub fn hear_at(&mut self, port: usize, (data, control): (u64, u64)) {
        let [rxd, rxc, ..] = self.handles.line[port];
        self.block.instance.set(rxd, data);
        self.block.instance.set(rxc, control);
    }

    pub fn say(&mut self) -> (u64, u64) {
        self.say_at(0)
    }

    pub fn say_at(&mut self, port: usize) -> (u64, u64) {
        let [.., txd, txc] = self.handles.line[port];
        (self.block.instance.get(txd), self.block.instance.get(txc))
    }

    fn value(&mut self, handle: Handle) -> Value {
        Value::from_words(handle.width(), self.block.instance.words(handle))
    }

    /// A clock of the XPU: a word, credits, and what came. True if a command's last word was taken.
    pub fn clock(&mut self) -> bool {
        if self.block.instance.get(self.handles.on) == 0 {
            self.begin_anew();
            for handle in [self.handles.valid, self.handles.out_ready] {
                self.block.instance.set(handle, 0);
            }
            self.take_back();
            self.block.step();
            return false;
        }
        let ended = self.give();
        self.take();
        self.take_back();
        let gives_back = self.gives_back >= 1.0 || self.random.random_bool(self.gives_back);
        let back = if gives_back { self.returned.pop_front() } else { None };
        if let Some((port, vc, count)) = back {
            let [valid, data] = self.handles.back[port];
            self.block.instance.set(valid, 1);
            let credit = OutCredit { vc: vc.into(), count: count.into() };
            let bits = value_of::<OutCredit, 10>(credit);
            self.block.instance.set_words(data, bits.words());
        }
        if self.block.instance.get(self.handles.credit_valid) == 1 {
            let credit: CellCredits = Bits::<10>::from_value(&self.value(self.handles.credit_data)).into();
            self.credits[u64::from(credit.vc) as usize] += u64::from(credit.count) as i64;
        }
        if self.block.instance.get(self.handles.done_valid) == 1 {
            let done: Completion = Bits::<36>::from_value(&self.value(self.handles.done_data)).into();
            self.commands_done += u64::from(done.commands);
            let status = match done.status {
                BodyStatus::Delivered => 0,
                BodyStatus::Failed => 1,
                BodyStatus::Flushed => 2,
                BodyStatus::Unknown => 3,
            };
            self.by_status[status] += u64::from(done.commands);
            match done.status {
                BodyStatus::Delivered => self.completed += 1,
                _ => self.failed += 1,
            }
        }
        if let Some([valid, data]) = self.handles.told {
            if self.block.instance.get(valid) == 1 {
                let told: Dispatch = Bits::<27>::from_value(&self.value(data)).into();
                assert_eq!(u64::from(told.destination), 1 - self.own);
                self.dispatched[u64::from(told.port) as usize] += 1;
                self.commands_sent += u64::from(told.commands);
            }
        }
        self.block.step();
        ended
    }

    /// A word of a command, if the XPU has the credits for all of it.
    fn give(&mut self) -> bool {
        let first = self.queue.front().is_some_and(|(_, _, vc, cells)| *cells <= self.credits[*vc]);
        let begun = self.queue.front().is_some_and(|(.., cells)| *cells == 0);
        let gives = begun || first && self.random.random_bool(self.gives);
        self.block.instance.set(self.handles.valid, gives.into());
        if !gives {
            return false;
        }
        let (words, head, vc, cells) = self.queue.front_mut().expect("a command");
        self.block.instance.set_words(self.handles.data, words[0].words());
        self.block.instance.set_words(self.handles.head, head.words());
        if self.block.instance.get(self.handles.ready) == 0 {
            // An offer stands.
            (self.credits[*vc], *cells) = (self.credits[*vc] - *cells, 0);
            return false;
        }
        (self.credits[*vc], *cells) = (self.credits[*vc] - *cells, 0);
        words.pop_front();
        let ended = words.is_empty();
        if ended {
            self.queue.pop_front();
        }
        ended
    }

    /// A word of a command that came.
    fn take(&mut self) {
        let takes = self.random.random_bool(self.takes);
        self.block.instance.set(self.handles.out_ready, takes.into());
        if !takes || self.block.instance.get(self.handles.out_valid) == 0 {
            return;
        }
        let word: CommandWord = Bits::<71>::from_value(&self.value(self.handles.out_data)).into();
        let head: ReceivedHead = Bits::<24>::from_value(&self.value(self.handles.head_out)).into();
        let bytes = u64::from(word.bytes) as usize;
        let octets = u64::from(word.data).to_le_bytes();
        assert_eq!(word.first, self.command.is_empty(), "first word of a command");
        let part = if word.is_data { &mut self.data } else { &mut self.command };
        part.extend(&octets[..bytes]);
        if word.last {
            self.judge(head);
        }
    }

    fn judge(&mut self, head: ReceivedHead) {
        let vc = u64::from(head.vc) as usize;
        let source = 1 - self.own;
        if self.setup.strict {
            let octets = self.command[HEADER_BYTES + 4..][..8].try_into().expect("a number");
            let number = u64::from_le_bytes(octets);
            match number.checked_sub(self.came[vc]) {
                Some(missing) => self.missing += missing,
                None => self.late = Some(format!("VC {vc}: {number} after {}", self.came[vc] - 1)),
            }
            self.came[vc] = number;
        }
        if self.lossy {
            let life = self.command[HEADER_BYTES + 2];
            if life > self.peer_life[vc] {
                (self.peer_life[vc], self.came[vc]) = (life, 0);
            }
            let octets = self.command[HEADER_BYTES + 4..][..8].try_into().expect("a number");
            let number = u64::from_le_bytes(octets);
            let missing = number.checked_sub(self.came[vc]).expect("in order, and once");
            (self.missing, self.came[vc]) = (self.missing + missing, number);
        }
        let mut number = self.came[vc];
        if self.setup.ports > 1 && !self.setup.strict {
            // Two ports keep no order.
            number =
                u64::from_le_bytes(self.command[HEADER_BYTES + 4..][..8].try_into().expect("eight octets"));
            assert!(self.seen[vc].insert(number), "VC {vc}: {number} comes twice");
        }
        assert_eq!((u64::from(head.source), u64::from(head.partition)), (source, PARTITION));
        assert_eq!(
            self.command[HEADER_BYTES..],
            control_of(source, vc, self.peer_life[vc], number),
            "VC {vc}, {number} expected"
        );
        let data = std::mem::take(&mut self.data);
        assert_eq!(data, data_of(source, vc, number, data.len()), "VC {vc}, {number}: altered");
        let octets = self.command.len() + data.len().next_multiple_of(2);
        self.command.clear();
        self.came[vc] += 1;
        self.delivered += 1;
        let port = u64::from(head.port) as usize;
        self.returned.push_back((port, vc as u64, octets.div_ceil(COMMAND_CELL_BYTES) as u64));
    }
}
