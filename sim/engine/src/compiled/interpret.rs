//! A plan interpreted: the fallback where no native code can be made, and a second opinion on it.

use super::layout::{Layout, MemoryPlace};
use super::plan::{Action, Plan};
use super::word::{Word, WordOp, Words};
use rustc_hash::FxHashMap;

/// Where an operand comes from.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Fixed(u64),
    State(u32),
    Scratch(u32),
}

/// One instruction.
#[derive(Clone, Debug)]
enum Instruction {
    /// The operation with its operands, into a word of the scratch row.
    Compute {
        op: WordOp,
        operands: [Operand; 3],
        to: u32,
    },
    Store {
        at: u32,
        value: Operand,
    },
    Keep {
        at: u32,
        value: Operand,
    },
    Copy {
        from: u32,
        to: u32,
    },
    Write {
        memory: u32,
        address: Operand,
        enable: Operand,
        data: Vec<Operand>,
    },
}

/// A plan made ready.
#[derive(Clone, Debug)]
pub(super) struct Interpreted {
    instructions: Vec<Instruction>,
    memories: Vec<MemoryPlace>,
    /// Words of the scratch row: those of the plan, then one for every computed word.
    pub scratch: usize,
}

impl Interpreted {
    /// Translates a plan.
    pub fn new(words: &Words, layout: &Layout, plan: &Plan) -> Self {
        let mut places: FxHashMap<Word, u32> = FxHashMap::default();
        let mut next = plan.scratch;
        let mut instructions = vec![];
        for action in plan.pieces.iter().flat_map(|piece| &piece.actions) {
            let operand = |word: Word| match words.op(word) {
                WordOp::Const(value) => Operand::Fixed(value),
                WordOp::Load(at) => Operand::State(at),
                _ => Operand::Scratch(places[&word]),
            };
            instructions.push(match action {
                Action::Compute(word) => {
                    let op = words.op(*word);
                    let operands = op.operands().map(|word| word.map_or(Operand::Fixed(0), operand));
                    places.insert(*word, next);
                    next += 1;
                    Instruction::Compute { op, operands, to: next - 1 }
                }
                Action::Store { at, value } => Instruction::Store { at: *at, value: operand(*value) },
                Action::Keep { at, value } => Instruction::Keep { at: *at, value: operand(*value) },
                Action::Copy { from, to } => Instruction::Copy { from: *from, to: *to },
                Action::Write { memory, address, enable, data } => Instruction::Write {
                    memory: *memory,
                    address: operand(*address),
                    enable: operand(*enable),
                    data: data.iter().map(|word| operand(*word)).collect(),
                },
            });
        }
        Self { instructions, memories: layout.memories.clone(), scratch: next as usize }
    }

    /// Runs all instructions.
    pub fn run(&self, state: &mut [u64], scratch: &mut [u64], tables: &[u64]) {
        for instruction in &self.instructions {
            let get = |operand: &Operand| match operand {
                Operand::Fixed(value) => *value,
                Operand::State(at) => state[*at as usize],
                Operand::Scratch(at) => scratch[*at as usize],
            };
            match instruction {
                Instruction::Compute { op, operands, to } => {
                    let [a, b, c] = [get(&operands[0]), get(&operands[1]), get(&operands[2])];
                    scratch[*to as usize] = self.compute(*op, [a, b, c], state, tables);
                }
                Instruction::Store { at, value } => state[*at as usize] = get(value),
                Instruction::Keep { at, value } => scratch[*at as usize] = get(value),
                Instruction::Copy { from, to } => state[*to as usize] = scratch[*from as usize],
                Instruction::Write { memory, address, enable, data } => {
                    let place = self.memories[*memory as usize];
                    let address = get(address);
                    if get(enable) == 1 && address < u64::from(place.depth) {
                        let at = place.at as usize + address as usize * place.stride as usize;
                        let data: Vec<u64> = data.iter().map(get).collect();
                        state[at..at + data.len()].copy_from_slice(&data);
                    }
                }
            }
        }
    }

    fn compute(&self, op: WordOp, [a, b, c]: [u64; 3], state: &[u64], tables: &[u64]) -> u64 {
        use WordOp as Op;
        match op {
            Op::Const(value) => value,
            Op::Load(at) => state[at as usize],
            Op::And(..) => a & b,
            Op::Or(..) => a | b,
            Op::Xor(..) => a ^ b,
            Op::Add(..) => a.wrapping_add(b),
            Op::Sub(..) => a.wrapping_sub(b),
            Op::Multiply(..) => a.wrapping_mul(b),
            Op::MultiplyHigh(..) => ((u128::from(a) * u128::from(b)) >> 64) as u64,
            Op::ShiftLeft(_, by) => a << by,
            Op::ShiftRight(_, by) => a >> by,
            Op::ShiftSigned(_, by) => ((a as i64) >> by) as u64,
            Op::ShiftLeftBy(..) => a << (b & 63),
            Op::ShiftRightBy(..) => a >> (b & 63),
            Op::ShiftSignedBy(..) => ((a as i64) >> (b & 63)) as u64,
            Op::Equal(..) => u64::from(a == b),
            Op::Less(..) => u64::from(a < b),
            Op::Select(..) => [c, b][a as usize & 1],
            Op::Lookup { at, .. } => tables[at as usize + a as usize],
            Op::Parity(_) => u64::from(a.count_ones() & 1),
            Op::Read { memory, word, .. } => {
                let place = self.memories[memory as usize];
                match a < u64::from(place.depth) {
                    true => state[place.at as usize + a as usize * place.stride as usize + word as usize],
                    false => 0,
                }
            }
        }
    }
}
