//! `sue_axi` with both of its neighbours at the SoC, the rules of AXI4 at all ten channels, and its credits counted.

use super::channels::{Sample, MANAGER, SUBORDINATE};
use super::memory::Memory;
use super::protocol::Watch;
use super::requester::{Ledger, Requester};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::axi::SueAxi;
use flitforge_hdl_sue::command_in::{CellCredits, CommandWord};
use flitforge_hdl_sue::frame::{CommandHead, ReceivedHead};
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::axi::AxiUser;
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::kit::rng;
use flitforge_testkit::{compiled, Clocked as _, CompiledBlock};
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

type WordBits = Bits<{ <CommandWord as Synth>::BITS }>;
type HeadBits = Bits<{ <CommandHead as Synth>::BITS }>;
type ReceivedBits = Bits<{ <ReceivedHead as Synth>::BITS }>;
type CreditBits = Bits<{ <CellCredits as Synth>::BITS }>;
type RoomBits = Bits<{ <OutCredit as Synth>::BITS }>;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_axi", &SueAxi::<4, 5>::new().expect("valid")))
}

/// A stream of command words at a block: valid, data, ready and head.
#[derive(Clone, Copy)]
pub struct Way {
    valid: Handle,
    data: Handle,
    ready: Handle,
    head: Handle,
}

impl Way {
    pub fn new(block: &CompiledBlock, stream: &str, head: &str) -> Self {
        let at = |name: &str| block.handle(&format!("{stream}.{name}"));
        Self { valid: at("valid"), data: at("data"), ready: at("ready"), head: block.handle(head) }
    }
}

/// The value of a port.
pub fn value(block: &mut CompiledBlock, port: Handle) -> Value {
    Value::from_words(port.width(), block.instance.words(port))
}

/// What a block offers is given to another one, but nothing if not `open`.
pub fn offer(from: &mut CompiledBlock, way: Way, to: &mut CompiledBlock, into: Way, open: bool) {
    let valid = open && from.instance.get(way.valid) == 1;
    to.instance.set(into.valid, valid.into());
    if valid {
        to.instance.set_words(into.data, from.instance.words(way.data));
        to.instance.set_words(into.head, from.instance.words(way.head));
    }
}

/// The way back of the same.
pub fn accept(from: &mut CompiledBlock, way: Way, to: &mut CompiledBlock, into: Way, open: bool) {
    let ready = open && to.instance.get(into.ready) == 1;
    from.instance.set(way.ready, ready.into());
}

/// Cells of commands, word by word.
#[derive(Default)]
struct Cells {
    octets: usize,
}

impl Cells {
    /// Whether a cell begins with this word.
    fn word(&mut self, word: &CommandWord) -> bool {
        let before = if word.first { 0 } else { self.octets.div_ceil(COMMAND_CELL_BYTES) };
        let octets = if word.first { 0 } else { self.octets };
        self.octets = octets + u64::from(word.bytes) as usize;
        self.octets.div_ceil(COMMAND_CELL_BYTES) > before
    }
}

/// What has moved at the command interface in a clock.
#[derive(Default)]
pub struct Moved {
    /// A cell of this virtual channel and port has come.
    pub cell: Option<(usize, usize)>,
    /// Room for commands is told.
    pub room: Option<(usize, u64)>,
}

/// The adapter between an AXI manager and a memory.
pub struct Node {
    pub block: CompiledBlock,
    pub requester: Requester,
    pub memory: Memory,
    pub watches: [Watch; 2],
    /// What was seen at both sides, if it is kept.
    pub record: Option<[Vec<Sample>; 2]>,
    pub out: Way,
    pub back: Way,
    credits: [Handle; 2],
    room: [Handle; 2],
    cells: [Cells; 2],
    /// By virtual channel: cells that commands may use, and those that they have used; cells announced, and those that have come.
    pub credited: [i64; VCS],
    pub used: [i64; VCS],
    pub announced: [i64; VCS],
    pub come: [i64; VCS],
}

impl Node {
    /// The XPU `own`, which asks `peer` and is asked by it.
    pub fn new(seed: u64, own: u16, peer: u16, partition: u16, modes: [bool; 2]) -> Self {
        let mut block = CompiledBlock::new(program());
        let [unordered, early] = modes;
        block.set("clear", 1).set("unordered", unordered.into()).set("early_responses", early.into());
        let user = AxiUser { xpu: peer, partition, ..Default::default() };
        let watches = [SUBORDINATE, MANAGER].map(|side| Watch::new(side, &block));
        let flow = |block: &CompiledBlock, name: &str| {
            ["valid", "data"].map(|part| block.handle(&format!("{name}.{part}")))
        };
        Self {
            requester: Requester::new(rng(seed, &format!("requester {own}")), user, early),
            memory: Memory::new(rng(seed, &format!("memory {own}")), peer),
            watches,
            record: None,
            out: Way::new(&block, "commands_out", "command_head"),
            back: Way::new(&block, "commands", "head"),
            credits: flow(&block, "credits"),
            room: flow(&block, "out_credits"),
            cells: Default::default(),
            credited: [0; VCS],
            used: [0; VCS],
            announced: [0; VCS],
            come: [0; VCS],
            block,
        }
    }

    /// What the SoC gives. Not in a clear, nor in the clock after it.
    pub fn drive(&mut self, asked: &RefCell<Ledger>) {
        self.requester.drive(&mut self.block, &mut asked.borrow_mut());
        self.memory.drive(&mut self.block);
    }

    /// Cells that commands may use.
    pub fn credit(&mut self, told: Option<(usize, u64)>) {
        self.block.instance.set(self.credits[0], told.is_some().into());
        if let Some((vc, count)) = told {
            let credit = CellCredits { vc: (vc as u64).into(), count: count.into() };
            let bits: CreditBits = credit.into();
            self.block.instance.set_words(self.credits[1], bits.to_value().words());
            self.credited[vc] += count as i64;
        }
    }

    /// Looks at the clock that is to end: requests of its own are in `asked`, those of its peer in `come`.
    pub fn observe(&mut self, asked: &RefCell<Ledger>, come: &RefCell<Ledger>) -> Moved {
        let samples = self.watches.each_mut().map(|watch| watch.clock(&mut self.block));
        if let Some(record) = &mut self.record {
            record.iter_mut().zip(samples).for_each(|(record, sample)| record.push(sample));
        }
        self.requester.observe(&samples[0], &asked.borrow());
        self.memory.observe(&samples[1], &mut come.borrow_mut());
        for name in ["stray", "misplaced", "refused_request"] {
            assert_eq!(self.block.get(name), 0, "{name}");
        }
        let mut moved = Moved::default();
        if let Some((word, head)) = self.word(self.out) {
            let head: CommandHead = HeadBits::from_value(&head).into();
            let vc = u64::from(head.vc) as usize;
            self.used[vc] += i64::from(self.cells[0].word(&word));
            assert!(self.used[vc] <= self.credited[vc], "VC {vc}: more cells than credits");
        }
        if let Some((word, head)) = self.word(self.back) {
            let head: ReceivedHead = ReceivedBits::from_value(&head).into();
            let (vc, port) = (u64::from(head.vc) as usize, u64::from(head.port) as usize);
            moved.cell = self.cells[1].word(&word).then_some((vc, port));
            self.come[vc] += i64::from(moved.cell.is_some());
            assert!(self.come[vc] <= self.announced[vc], "VC {vc}: more cells than were announced");
        }
        if self.block.instance.get(self.room[0]) == 1 && self.block.get("clear") == 0 {
            let room: OutCredit = RoomBits::from_value(&value(&mut self.block, self.room[1])).into();
            let (vc, count) = (u64::from(room.vc) as usize, u64::from(room.count));
            self.announced[vc] += count as i64;
            moved.room = Some((vc, count));
        }
        moved
    }

    /// A word that moves, and its head.
    fn word(&mut self, way: Way) -> Option<(CommandWord, Value)> {
        let block = &mut self.block;
        if block.instance.get(way.valid) == 0 || block.instance.get(way.ready) == 0 {
            return None;
        }
        let word: CommandWord = WordBits::from_value(&value(block, way.data)).into();
        Some((word, value(block, way.head)))
    }

    /// Nothing is under way: all is answered.
    pub fn finish(&mut self) {
        assert_eq!(self.requester.waiting(), 0, "requests without an answer");
        for watch in &mut self.watches {
            watch.checker.finish().unwrap_or_else(|(_, what)| panic!("{what}"));
        }
    }
}

/// Each request came once, those that are too long never.
pub fn require_once(ledger: &Ledger) {
    for (number, asked) in &ledger.asked {
        let came = ledger.landed.contains_key(number);
        assert_eq!(came, !asked.long, "{number}: {asked:x?}");
    }
}
