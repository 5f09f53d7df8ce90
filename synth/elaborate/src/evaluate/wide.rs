//! Operations on values of any width; simple rather than fast.

use super::program::{Slot, WideInstruction};
use crate::flat::node::Op;
use crate::graph::{BinaryOp, CompareOp, ReduceOp, ShiftOp};
use crate::value::words_for;
use std::cmp::Ordering;

/// Contents of a memory: `stride` words per memory word.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub words: Vec<u64>,
    pub depth: u64,
    pub stride: usize,
}

impl Store {
    /// The word at `address`, or `None` beyond the depth.
    pub fn word(&self, address: u64) -> Option<&[u64]> {
        let at = usize::try_from(address).ok()?.checked_mul(self.stride)?;
        (address < self.depth).then(|| self.words.get(at..at + self.stride)).flatten()
    }
}

/// Runs one instruction; operands lie below the result in `words`.
pub(super) fn run(instruction: &WideInstruction, words: &mut [u64], memories: &[Store]) {
    let to = instruction.to;
    let (below, above) = words.split_at_mut(to.at as usize);
    let out = &mut above[..to.words()];
    let word = |slot: Slot| &below[slot.range()];
    let operand = |index: usize| instruction.operands[index];
    match &instruction.op {
        Op::Not(_) => zip(out, word(operand(0)), |a| !a),
        Op::Negate(_) => negate(out, word(operand(0))),
        Op::Reduce(op, _) => out[0] = u64::from(reduce(*op, word(operand(0)), operand(0).width)),
        Op::Binary(op, ..) => binary(*op, out, word(operand(0)), word(operand(1))),
        Op::Compare(op, signed, ..) => {
            let width = operand(0).width;
            out[0] = u64::from(compare(*op, *signed, word(operand(0)), word(operand(1)), width));
        }
        Op::Shift(op, ..) => {
            let amount = clamped(word(operand(1)), to.width);
            shift(*op, out, word(operand(0)), amount, to.width);
        }
        Op::Extend(signed, _) => extend(*signed, out, word(operand(0)), operand(0).width),
        Op::Slice(_, offset) => slice(out, word(operand(0)), *offset),
        Op::Select(..) => {
            let width = operand(0).width;
            slice(out, word(operand(0)), clamped(word(operand(1)), width));
        }
        Op::ReplaceBit(..) => {
            out.copy_from_slice(word(operand(0)));
            let index = clamped(word(operand(1)), to.width);
            if index < to.width {
                let (at, bit) = ((index / 64) as usize, index % 64);
                out[at] = out[at] & !(1 << bit) | (word(operand(2))[0] & 1) << bit;
            }
        }
        Op::Concat(_) => concat(out, &instruction.operands, below),
        Op::MemoryRead(memory, _) => {
            let address = to_u64(word(operand(0)));
            match address.and_then(|address| memories[*memory as usize].word(address)) {
                Some(value) => out.copy_from_slice(value),
                None => out.fill(0),
            }
        }
        // constants, sources and multiplexers are no wide instructions
        Op::Const(_) | Op::Source(_) | Op::Mux(..) => {}
    }
    if let (Some(last), used @ 1..) = (out.last_mut(), to.width % 64) {
        *last &= (1u64 << used) - 1;
    }
}

fn zip(out: &mut [u64], a: &[u64], op: impl Fn(u64) -> u64) {
    out.iter_mut().zip(a).for_each(|(out, a)| *out = op(*a));
}

/// `out = -a`; bits above the width are left to the caller.
pub(crate) fn negate(out: &mut [u64], a: &[u64]) {
    let mut carry = true;
    for (out, a) in out.iter_mut().zip(a) {
        (*out, carry) = (!a).overflowing_add(u64::from(carry));
    }
}

/// All bits of `a` reduced to one.
pub(crate) fn reduce(op: ReduceOp, a: &[u64], width: u32) -> bool {
    match op {
        ReduceOp::Or => a.iter().any(|word| *word != 0),
        ReduceOp::Xor => a.iter().map(|word| word.count_ones()).sum::<u32>() % 2 == 1,
        ReduceOp::And => a.iter().map(|word| word.count_ones()).sum::<u32>() == width,
    }
}

/// `out = a op b`; bits above the width are left to the caller.
pub(crate) fn binary(op: BinaryOp, out: &mut [u64], a: &[u64], b: &[u64]) {
    let pairs = a.iter().zip(b);
    match op {
        BinaryOp::And => out.iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a & b),
        BinaryOp::Or => out.iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a | b),
        BinaryOp::Xor => out.iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a ^ b),
        BinaryOp::Add | BinaryOp::Sub => {
            let subtract = op == BinaryOp::Sub;
            let mut carry = subtract;
            for (out, (a, b)) in out.iter_mut().zip(pairs) {
                let b = if subtract { !b } else { *b };
                let (sum, first) = a.overflowing_add(b);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                (*out, carry) = (sum, first || second);
            }
        }
        BinaryOp::Mul => {
            out.fill(0);
            for (i, a) in a.iter().enumerate() {
                let mut carry = 0u128;
                for (j, b) in b.iter().enumerate().take(out.len() - i) {
                    let sum = u128::from(*a) * u128::from(*b) + u128::from(out[i + j]) + carry;
                    out[i + j] = sum as u64;
                    carry = sum >> 64;
                }
            }
        }
    }
}

/// `a op b` for operands of `width` bits.
pub(crate) fn compare(op: CompareOp, signed: bool, a: &[u64], b: &[u64], width: u32) -> bool {
    let negative = |words: &[u64]| words[((width - 1) / 64) as usize] >> ((width - 1) % 64) & 1 == 1;
    let order = match (signed && negative(a), signed && negative(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => a.iter().rev().cmp(b.iter().rev()),
    };
    match op {
        CompareOp::Equal => order.is_eq(),
        CompareOp::NotEqual => order.is_ne(),
        CompareOp::Less => order.is_lt(),
        CompareOp::LessEqual => order.is_le(),
        CompareOp::Greater => order.is_gt(),
        CompareOp::GreaterEqual => order.is_ge(),
    }
}

pub(super) fn to_u64(words: &[u64]) -> Option<u64> {
    words[1..].iter().all(|word| *word == 0).then(|| words[0])
}

/// The value, or `limit` if it is larger.
fn clamped(words: &[u64], limit: u32) -> u32 {
    to_u64(words).map_or(limit, |value| value.min(u64::from(limit)) as u32)
}

/// `out` from bit `offset` of `a` up, zero beyond its end.
fn slice(out: &mut [u64], a: &[u64], offset: u32) {
    let (skip, shift) = ((offset / 64) as usize, offset % 64);
    let word = |index: usize| a.get(index).copied().unwrap_or(0);
    for (index, out) in out.iter_mut().enumerate() {
        *out = word(skip + index) >> shift;
        if shift > 0 {
            *out |= word(skip + index + 1) << (64 - shift);
        }
    }
}

/// `a` shifted by `amount`, at most `width`; bits above the width are left to the caller.
pub(crate) fn shift(op: ShiftOp, out: &mut [u64], a: &[u64], amount: u32, width: u32) {
    match op {
        ShiftOp::Left => {
            out.fill(0);
            place(out, a, amount);
        }
        ShiftOp::Right => slice(out, a, amount),
        ShiftOp::ArithmeticRight => {
            slice(out, a, amount);
            if a[((width - 1) / 64) as usize] >> ((width - 1) % 64) & 1 == 1 {
                fill_ones(out, width - amount);
            }
        }
    }
}

/// Sets all bits from `from` up.
fn fill_ones(out: &mut [u64], from: u32) {
    for (index, out) in (0u32..).zip(out.iter_mut()) {
        let start = from.saturating_sub(64 * index).min(64);
        *out |= u64::MAX.checked_shl(start).unwrap_or(0);
    }
}

fn extend(signed: bool, out: &mut [u64], a: &[u64], width: u32) {
    out.fill(0);
    let used = words_for(width).min(out.len());
    out[..used].copy_from_slice(&a[..used]);
    if signed && a[((width - 1) / 64) as usize] >> ((width - 1) % 64) & 1 == 1 {
        fill_ones(out, width);
    }
}

/// Ors `a` into `out` from bit `offset` up.
fn place(out: &mut [u64], a: &[u64], offset: u32) {
    let (skip, shift) = ((offset / 64) as usize, offset % 64);
    for (index, a) in a.iter().enumerate() {
        if let Some(out) = out.get_mut(skip + index) {
            *out |= a << shift;
        }
        if let (Some(out), 1..) = (out.get_mut(skip + index + 1), shift) {
            *out |= a >> (64 - shift);
        }
    }
}

fn concat(out: &mut [u64], parts: &[Slot], below: &[u64]) {
    out.fill(0);
    let mut offset = 0;
    for part in parts {
        place(out, &below[part.range()], offset);
        offset += part.width;
    }
}
