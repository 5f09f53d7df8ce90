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
    Save {
        from: u32,
        to: u32,
    },
    Copy {
        from: u32,
        to: u32,
    },
    /// Leaves out so many instructions if the condition, where there is one, is 0.
    Skip {
        unless: Option<Operand>,
        count: usize,
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
        let mut translator = Translator { words, places: FxHashMap::default(), next: plan.scratch };
        let mut instructions = vec![];
        plan.pieces.iter().for_each(|piece| translator.actions(&piece.actions, &mut instructions));
        Self { instructions, memories: layout.memories.clone(), scratch: translator.next as usize }
    }

    /// Runs all instructions.
    pub fn run(&self, state: &mut [u64], scratch: &mut [u64], tables: &[u64]) {
        let mut next = 0;
        while let Some(instruction) = self.instructions.get(next) {
            next += 1;
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
                Instruction::Save { from, to } => scratch[*to as usize] = state[*from as usize],
                Instruction::Skip { unless, count } => {
                    if unless.as_ref().is_none_or(|condition| get(condition) == 0) {
                        next += count;
                    }
                }
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

/// Translates actions; every computed word has a word of the scratch row of its own.
struct Translator<'a> {
    words: &'a Words,
    places: FxHashMap<Word, u32>,
    next: u32,
}

impl Translator<'_> {
    fn operand(&self, word: Word) -> Operand {
        match self.words.op(word) {
            WordOp::Const(value) => Operand::Fixed(value),
            WordOp::Load(at) => Operand::State(at),
            _ => Operand::Scratch(self.places[&word]),
        }
    }

    fn actions(&mut self, actions: &[Action], out: &mut Vec<Instruction>) {
        for action in actions {
            out.push(match action {
                Action::Compute(word) => self.compute(*word),
                Action::Store { at, value } => Instruction::Store { at: *at, value: self.operand(*value) },
                Action::Keep { at, value } => Instruction::Keep { at: *at, value: self.operand(*value) },
                Action::Save { from, to } => Instruction::Save { from: *from, to: *to },
                Action::Copy { from, to } => Instruction::Copy { from: *from, to: *to },
                Action::Write { memory, address, enable, data } => Instruction::Write {
                    memory: *memory,
                    address: self.operand(*address),
                    enable: self.operand(*enable),
                    data: data.iter().map(|word| self.operand(*word)).collect(),
                },
                Action::Branch { condition, then, otherwise } => {
                    self.branch(*condition, then, otherwise, out);
                    continue;
                }
            });
        }
    }

    fn compute(&mut self, word: Word) -> Instruction {
        let op = self.words.op(word);
        let operands = op.operands().map(|word| word.map_or(Operand::Fixed(0), |word| self.operand(word)));
        let to = self.next;
        self.places.insert(word, to);
        self.next += 1;
        Instruction::Compute { op, operands, to }
    }

    fn branch(&mut self, condition: Word, then: &[Action], otherwise: &[Action], out: &mut Vec<Instruction>) {
        let condition = self.operand(condition);
        let (mut first, mut second) = (vec![], vec![]);
        self.actions(then, &mut first);
        self.actions(otherwise, &mut second);
        out.push(Instruction::Skip { unless: Some(condition), count: first.len() + 1 });
        out.append(&mut first);
        out.push(Instruction::Skip { unless: None, count: second.len() });
        out.append(&mut second);
    }
}
