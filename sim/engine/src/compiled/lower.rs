//! The operations of a flat design as operations on words.

use super::layout::Layout;
use super::mutation::Mutation;
use super::wide::Value;
use super::word::{word_mask, Word, Words};
use flitforge_elaborate::flat::node::{NodeId, Op};
use flitforge_elaborate::flat::Flat;
use flitforge_elaborate::graph::{BinaryOp, CompareOp, ReduceOp, ShiftOp};
use std::sync::Arc;

/// Lowers nodes on demand and remembers them.
#[derive(Debug)]
pub(super) struct Lowering {
    pub flat: Arc<Flat>,
    pub layout: Arc<Layout>,
    pub words: Words,
    done: Vec<Option<Arc<[Word]>>>,
}

impl Lowering {
    pub fn new(flat: Arc<Flat>, layout: Arc<Layout>, mutation: Option<Mutation>) -> Self {
        let done = vec![None; flat.nodes.len()];
        Self { flat, layout, words: Words::new(mutation), done }
    }

    /// The words of a node; operands stand before their users, so that a stack of open nodes is enough.
    pub fn node(&mut self, id: NodeId) -> Arc<[Word]> {
        let mut open = vec![id];
        while let Some(top) = open.last().copied() {
            if self.done[top.0 as usize].is_some() {
                open.pop();
                continue;
            }
            let flat = self.flat.clone();
            let node = flat.nodes.node(top);
            let before = open.len();
            for_operands(&node.op, |operand| {
                if self.done[operand.0 as usize].is_none() {
                    open.push(operand);
                }
            });
            if open.len() == before {
                let value = self.lower(&node.op, node.width);
                self.done[top.0 as usize] = Some(value.into());
                open.pop();
            }
        }
        self.get(id)
    }

    /// The only word of a node of one bit.
    pub fn bit(&mut self, id: NodeId) -> Word {
        self.node(id)[0]
    }

    fn get(&self, id: NodeId) -> Arc<[Word]> {
        self.done[id.0 as usize].clone().unwrap_or_default()
    }

    fn width(&self, id: NodeId) -> u32 {
        self.flat.nodes.width(id)
    }

    /// The words of a source: places in the state.
    pub fn source(&mut self, number: u32) -> Value {
        let (at, width) = self.layout.sources[number as usize];
        (0..width.div_ceil(64)).map(|i| self.words.load(at + i, word_mask(width, i as usize))).collect()
    }

    fn lower(&mut self, op: &Op, width: u32) -> Value {
        match op {
            Op::Const(value) => value.words().iter().map(|word| self.words.constant(*word)).collect(),
            Op::Source(number) => self.source(*number),
            Op::Not(a) => {
                let a = self.get(*a);
                self.not(&a, width)
            }
            Op::Negate(a) => {
                let zero = vec![self.words.zero(); width.div_ceil(64) as usize];
                let a = self.get(*a);
                let out = self.words.sub_wide(&zero, &a);
                self.words.cut(&out, width)
            }
            Op::Reduce(op, a) => {
                let (a, width) = (self.get(*a), self.width(*a));
                vec![self.reduce(*op, &a, width)]
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                self.binary(*op, &a, &b, width)
            }
            Op::Compare(op, signed, a, b) => {
                let width = self.width(*a);
                let (a, b) = (self.get(*a), self.get(*b));
                vec![self.compare(*op, *signed, &a, &b, width)]
            }
            Op::Shift(op, a, amount) => {
                let (a, amount) = (self.get(*a), self.get(*amount));
                self.shift(*op, &a, &amount, width)
            }
            Op::Extend(signed, a) => {
                let (a, own) = (self.get(*a), self.width(*a));
                self.extend(*signed, &a, own, width)
            }
            Op::Slice(a, offset) => {
                let a = self.get(*a);
                self.words.slice(&a, *offset, width)
            }
            Op::Select(a, offset) => {
                let (a, offset) = (self.get(*a), self.get(*offset));
                let zero = self.words.zero();
                let moved = self.words.shift_right_wide(&a, &offset, zero, false);
                self.resized(&moved, width)
            }
            Op::ReplaceBit(a, index, bit) => {
                let (a, index, bit) = (self.get(*a), self.get(*index), self.get(*bit)[0]);
                self.words.replace_bit(&a, &index, bit, width)
            }
            Op::Concat(parts) => self.concat(parts, width),
            Op::Mux(condition, then, otherwise) => {
                let (condition, then, otherwise) =
                    (self.get(*condition)[0], self.get(*then), self.get(*otherwise));
                match self.words.mutation {
                    Some(Mutation::SwappedMux) => self.words.select_wide(condition, &otherwise, &then),
                    _ => self.words.select_wide(condition, &then, &otherwise),
                }
            }
            Op::MemoryRead(memory, address) => {
                let address = self.get(*address);
                self.read(*memory, &address)
            }
        }
    }

    fn concat(&mut self, parts: &[NodeId], width: u32) -> Value {
        let count = width.div_ceil(64) as usize;
        let mut out = vec![self.words.zero(); count];
        let mut linear: Vec<Vec<(u32, Word)>> = vec![vec![]; count];
        let mut offset = 0;
        for part in parts {
            let words = self.get(*part);
            let own = self.width(*part);
            if own == 1 && self.words.parities.contains_key(&words[0]) {
                linear[(offset / 64) as usize].push((offset % 64, words[0]));
            } else {
                self.words.place(&mut out, &words, offset);
            }
            offset += own;
        }
        for (word, bits) in out.iter_mut().zip(&linear) {
            let sums = self.words.linear_word(bits);
            *word = self.words.or(*word, sums);
        }
        out
    }

    /// A word of a memory; addresses beyond its depth give 0.
    pub fn read(&mut self, memory: u32, address: &[Word]) -> Value {
        let address = self.words.address(address);
        let stride = self.layout.memories[memory as usize].stride;
        let layout = self.layout.clone();
        let word = |index| self.words.read(memory, address, index, layout.memory_bits(memory, index));
        (0..stride).map(word).collect()
    }

    fn not(&mut self, a: &[Word], width: u32) -> Value {
        let flip = |(index, word): (usize, &Word)| {
            let ones = self.words.constant(word_mask(width, index));
            self.words.xor(*word, ones)
        };
        a.iter().enumerate().map(flip).collect()
    }

    /// `a` with words of zero added, or cut to `width`.
    fn resized(&mut self, a: &[Word], width: u32) -> Value {
        let zero = self.words.zero();
        let words = (0..width.div_ceil(64) as usize).map(|index| a.get(index).copied().unwrap_or(zero));
        let words: Value = words.collect();
        (0..).zip(words).map(|(index, word)| self.words.and_constant(word, word_mask(width, index))).collect()
    }

    fn reduce(&mut self, op: ReduceOp, a: &[Word], width: u32) -> Word {
        match op {
            ReduceOp::Xor => self.words.parity(a),
            ReduceOp::Or => {
                let zero = self.words.is_zero(a);
                self.words.not_bit(zero)
            }
            ReduceOp::And => {
                let inverse = self.not(a, width);
                self.words.is_zero(&inverse)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &[Word], b: &[Word], width: u32) -> Value {
        let words = &mut self.words;
        let pairs = a.iter().copied().zip(b.iter().copied());
        match op {
            BinaryOp::And => pairs.map(|(a, b)| words.and(a, b)).collect(),
            BinaryOp::Or => pairs.map(|(a, b)| words.or(a, b)).collect(),
            BinaryOp::Xor => pairs.map(|(a, b)| words.xor(a, b)).collect(),
            BinaryOp::Add => {
                let sum = words.add_wide(a, b);
                words.cut(&sum, width)
            }
            BinaryOp::Sub => {
                let difference = words.sub_wide(a, b);
                words.cut(&difference, width)
            }
            BinaryOp::Mul => {
                let product = words.multiply_wide(a, b);
                words.cut(&product, width)
            }
        }
    }

    fn compare(&mut self, op: CompareOp, signed: bool, a: &[Word], b: &[Word], width: u32) -> Word {
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            let equal = self.words.equal_wide(a, b);
            return if op == CompareOp::Equal { equal } else { self.words.not_bit(equal) };
        }
        let signed = signed && self.words.mutation != Some(Mutation::UnsignedCompare);
        let (a, b) = match signed {
            true => (self.sign_flipped(a, width), self.sign_flipped(b, width)),
            false => (a.to_vec(), b.to_vec()),
        };
        match op {
            CompareOp::Less => self.words.less_wide(&a, &b),
            CompareOp::Greater => self.words.less_wide(&b, &a),
            CompareOp::LessEqual => {
                let greater = self.words.less_wide(&b, &a);
                self.words.not_bit(greater)
            }
            _ => {
                let less = self.words.less_wide(&a, &b);
                self.words.not_bit(less)
            }
        }
    }

    /// With the sign bit inverted, two's complement numbers compare as unsigned ones.
    fn sign_flipped(&mut self, a: &[Word], width: u32) -> Value {
        let mut out = a.to_vec();
        if let Some(last) = out.last_mut() {
            let sign = self.words.constant(1 << ((width - 1) % 64));
            *last = self.words.xor(*last, sign);
        }
        out
    }

    fn shift(&mut self, op: ShiftOp, a: &[Word], amount: &[Word], width: u32) -> Value {
        let zero = self.words.zero();
        let out = match op {
            ShiftOp::Left => self.words.shift_left_wide(a, amount),
            ShiftOp::Right => self.words.shift_right_wide(a, amount, zero, false),
            ShiftOp::ArithmeticRight => {
                let (a, sign) = self.words.sign_extended(a, width);
                self.words.shift_right_wide(&a, amount, sign, true)
            }
        };
        self.words.cut(&out, width)
    }

    fn extend(&mut self, signed: bool, a: &[Word], own: u32, width: u32) -> Value {
        if !signed {
            return self.resized(a, width);
        }
        let (mut out, sign) = self.words.sign_extended(a, own);
        out.resize(width.div_ceil(64) as usize, sign);
        self.words.cut(&out, width)
    }
}

/// Calls `visit` with every node that an operation reads.
fn for_operands(op: &Op, mut visit: impl FnMut(NodeId)) {
    match op {
        Op::Const(_) | Op::Source(_) => {}
        Op::Not(a) | Op::Negate(a) | Op::Reduce(_, a) | Op::Extend(_, a) | Op::Slice(a, _) => visit(*a),
        Op::MemoryRead(_, a) => visit(*a),
        Op::Binary(_, a, b) | Op::Compare(_, _, a, b) | Op::Shift(_, a, b) | Op::Select(a, b) => {
            [*a, *b].into_iter().for_each(visit);
        }
        Op::ReplaceBit(a, b, c) | Op::Mux(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
        Op::Concat(parts) => parts.iter().copied().for_each(visit),
    }
}
