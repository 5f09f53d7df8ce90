//! `sue_axi` that asks itself: random bursts and strobes against a memory, every rule of AXI4 at all ten channels.

use super::channels::Sample;
use super::node::{require_once, Node};
use super::requester::Ledger;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::axi::INBOX_CELLS;
use flitforge_hdl_sue::frame::{CommandHead, ReceivedHead};
use flitforge_protocol::sue::axi::{REQUEST_VC, RESPONSE_VC};
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, Clocked as _};
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;

/// An XPU that is its own peer, and its partition.
const XPU: u16 = 5;
const PARTITION: u16 = 3;
/// Clocks that a credit is on its way.
const WAY: usize = 9;
/// Clocks for what is under way.
pub const REST: u64 = 6_000;
type HeadBits = Bits<{ <CommandHead as Synth>::BITS }>;
type ReceivedBits = Bits<{ <ReceivedHead as Synth>::BITS }>;

/// One adapter whose commands come back to it.
struct Loop {
    node: Node,
    ledger: RefCell<Ledger>,
    /// What is announced may be used a while later.
    room: VecDeque<Option<(usize, u64)>>,
}

impl Loop {
    fn new(salt: u64, unordered: bool) -> Self {
        let mut node = Node::new(seed(salt), XPU, XPU, PARTITION, [unordered, false]);
        node.block.run(2);
        node.block.set("clear", 0);
        node.block.step();
        Self { node, ledger: RefCell::default(), room: VecDeque::from(vec![None; WAY]) }
    }

    fn clock(&mut self) {
        let Self { node, ledger, room } = self;
        node.drive(ledger);
        node.credit(room.pop_front().flatten());
        let valid = node.block.get("commands_out.valid");
        let word = node.block.get_value("commands_out.data");
        let head: CommandHead = HeadBits::from_value(&node.block.get_value("command_head")).into();
        let (source, vc, partition) = (head.destination, head.vc, head.partition);
        let came: ReceivedBits = ReceivedHead { source, vc, port: 0u64.into(), partition }.into();
        node.block.set_value("commands.data", &word).set_value("head", &came.to_value());
        node.block.set("commands.valid", valid);
        let ready = node.block.get("commands.ready");
        node.block.set("commands_out.ready", ready);
        let moved = node.observe(ledger, ledger);
        room.push_back(moved.room);
        node.block.step();
    }

    /// Requests for so many clocks, then none, until all is answered and every cell is back.
    fn run(&mut self, load: f64, clocks: u64) {
        self.node.requester.load = load;
        (0..clocks).for_each(|_| self.clock());
        self.node.requester.load = 0.0;
        (0..REST).for_each(|_| self.clock());
        self.node.finish();
        require_once(&self.ledger.borrow());
        let node = &self.node;
        assert_eq!(node.memory.octets, node.requester.golden);
        for vc in [REQUEST_VC, RESPONSE_VC].map(usize::from) {
            let cells = INBOX_CELLS as i64;
            let left = [node.credited[vc] - node.used[vc], node.announced[vc] - node.come[vc]];
            assert_eq!(left, [cells; 2], "VC {vc}: cells that may be used, and that may come");
        }
    }
}

/// A recording of both sides: every request is answered in it.
pub fn recorded() -> [Vec<Sample>; 2] {
    let mut rig = Loop::new(0xA43, false);
    rig.node.record = Some(Default::default());
    rig.run(0.1, 6_000);
    rig.node.record.take().expect("it was kept")
}

#[test]
fn reads_give_what_writes_left() {
    for (salt, unordered) in [(0xA44, false), (0xA45, true)] {
        let mut rig = Loop::new(salt, unordered);
        for round in 0..if is_full() { 100 } else { 4 } {
            rig.run([0.1, 0.02][round % 2], 10_000);
        }
        let node = &rig.node;
        println!("{:?}, {} interleaved", node.requester.seen, node.memory.interleaved);
        for what in ["a write", "a read", "a long write", "a long read", "a read of what is written"] {
            assert!(node.requester.seen.get(what).is_some_and(|count| *count > 3), "{what}");
        }
        assert!(node.memory.interleaved > 100);
    }
}
