//! Instructions for a flat design: every node has a place in one array of words.

use crate::flat::node::{Node, NodeId, Op};
use crate::flat::Flat;
use crate::graph::{BinaryOp, CompareOp, ReduceOp, ShiftOp};
use crate::value::{words_for, Value};

/// Where a node's words lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub at: u32,
    pub width: u32,
}

impl Slot {
    pub fn words(self) -> usize {
        words_for(self.width)
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.at as usize..self.at as usize + self.words()
    }
}

/// One instruction. The named ones are for operands and results of one word, with the word's address;
/// [`Instruction::Wide`] is for the rest.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    Not { to: u32, a: u32, mask: u64 },
    Negate { to: u32, a: u32, mask: u64 },
    All { to: u32, a: u32, mask: u64 },
    Any { to: u32, a: u32 },
    Parity { to: u32, a: u32 },
    Add { to: u32, a: u32, b: u32, mask: u64 },
    Sub { to: u32, a: u32, b: u32, mask: u64 },
    Mul { to: u32, a: u32, b: u32, mask: u64 },
    And { to: u32, a: u32, b: u32 },
    Or { to: u32, a: u32, b: u32 },
    Xor { to: u32, a: u32, b: u32 },
    Equal { to: u32, a: u32, b: u32 },
    NotEqual { to: u32, a: u32, b: u32 },
    Less { to: u32, a: u32, b: u32 },
    LessEqual { to: u32, a: u32, b: u32 },
    Left { to: u32, a: u32, b: u32, width: u32 },
    Right { to: u32, a: u32, b: u32, width: u32 },
    Slice { to: u32, a: u32, shift: u32, mask: u64 },
    Join { to: u32, a: u32, b: u32, shift: u32 },
    Mux { to: u32, c: u32, a: u32, b: u32 },
    MuxWide { to: u32, c: u32, a: u32, b: u32, words: u32 },
    Wide(Box<WideInstruction>),
}

/// An instruction on several words.
#[derive(Clone, Debug)]
pub(super) struct WideInstruction {
    pub op: Op,
    pub to: Slot,
    pub operands: Vec<Slot>,
}

/// The instructions of a design and the places of its nodes.
#[derive(Debug)]
pub(super) struct Program {
    pub slots: Vec<Slot>,
    /// Instructions of the live nodes first, `live` of them.
    pub instructions: Vec<Instruction>,
    pub live: usize,
    /// Words needed.
    pub size: usize,
    pub constants: Vec<(Slot, Value)>,
}

impl Program {
    pub fn new(flat: &Flat) -> Self {
        let mut program = Self { slots: vec![], instructions: vec![], live: 0, size: 0, constants: vec![] };
        for (index, node) in flat.nodes.as_slice().iter().enumerate() {
            if index == flat.live {
                program.live = program.instructions.len();
            }
            program.add(node);
        }
        if flat.live == flat.nodes.len() {
            program.live = program.instructions.len();
        }
        program
    }

    fn add(&mut self, node: &Node) {
        // an extension with zeros inside a word is the same word
        if let Op::Extend(false, a) = node.op {
            if node.width <= 64 {
                let at = self.slots[a.0 as usize].at;
                self.slots.push(Slot { at, width: node.width });
                return;
            }
        }
        let to = Slot { at: self.size as u32, width: node.width };
        self.size += to.words();
        self.slots.push(to);
        match &node.op {
            Op::Const(value) => self.constants.push((to, value.clone())),
            Op::Source(_) => {}
            op => {
                let instruction = self.instruction(op, to);
                self.instructions.push(instruction);
            }
        }
    }

    fn slot(&self, id: NodeId) -> Slot {
        self.slots[id.0 as usize]
    }

    fn instruction(&self, op: &Op, slot: Slot) -> Instruction {
        let operands: Vec<Slot> =
            crate::flat::operands(op).into_iter().map(|operand| self.slot(operand)).collect();
        if let Op::Mux(..) = op {
            let (to, c, a, b) = (slot.at, operands[0].at, operands[1].at, operands[2].at);
            return match slot.words() {
                1 => Instruction::Mux { to, c, a, b },
                words => Instruction::MuxWide { to, c, a, b, words: words as u32 },
            };
        }
        let narrow = slot.width <= 64 && operands.iter().all(|operand| operand.width <= 64);
        narrow.then(|| narrow_instruction(op, slot, &operands)).flatten().unwrap_or_else(|| {
            Instruction::Wide(Box::new(WideInstruction { op: op.clone(), to: slot, operands }))
        })
    }
}

fn mask_of(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

fn narrow_instruction(op: &Op, slot: Slot, operands: &[Slot]) -> Option<Instruction> {
    let to = slot.at;
    let mask = mask_of(slot.width);
    let at = |index: usize| operands.get(index).map_or(0, |operand| operand.at);
    let (a, b) = (at(0), at(1));
    Some(match op {
        Op::Not(_) => Instruction::Not { to, a, mask },
        Op::Negate(_) => Instruction::Negate { to, a, mask },
        Op::Reduce(ReduceOp::And, _) => Instruction::All { to, a, mask: mask_of(operands[0].width) },
        Op::Reduce(ReduceOp::Or, _) => Instruction::Any { to, a },
        Op::Reduce(ReduceOp::Xor, _) => Instruction::Parity { to, a },
        Op::Binary(BinaryOp::Add, ..) => Instruction::Add { to, a, b, mask },
        Op::Binary(BinaryOp::Sub, ..) => Instruction::Sub { to, a, b, mask },
        Op::Binary(BinaryOp::Mul, ..) => Instruction::Mul { to, a, b, mask },
        Op::Binary(BinaryOp::And, ..) => Instruction::And { to, a, b },
        Op::Binary(BinaryOp::Or, ..) => Instruction::Or { to, a, b },
        Op::Binary(BinaryOp::Xor, ..) => Instruction::Xor { to, a, b },
        Op::Compare(CompareOp::Equal, ..) => Instruction::Equal { to, a, b },
        Op::Compare(CompareOp::NotEqual, ..) => Instruction::NotEqual { to, a, b },
        Op::Compare(CompareOp::Less, false, ..) => Instruction::Less { to, a, b },
        Op::Compare(CompareOp::LessEqual, false, ..) => Instruction::LessEqual { to, a, b },
        Op::Compare(CompareOp::Greater, false, ..) => Instruction::Less { to, a: b, b: a },
        Op::Compare(CompareOp::GreaterEqual, false, ..) => Instruction::LessEqual { to, a: b, b: a },
        Op::Shift(ShiftOp::Left, ..) => Instruction::Left { to, a, b, width: slot.width },
        Op::Shift(ShiftOp::Right, ..) => Instruction::Right { to, a, b, width: slot.width },
        Op::Slice(_, shift) => Instruction::Slice { to, a, shift: *shift, mask },
        Op::Concat(parts) if parts.len() == 2 => Instruction::Join { to, a, b, shift: operands[0].width },
        _ => return None,
    })
}
