//! One piece of a plan as a Cranelift function `fn(state, scratch, tables)`: without loops.

use super::layout::{Layout, MemoryPlace};
use super::plan::{Action, Piece};
use super::word::{Word, WordOp, Words};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, types, InstBuilder, MemFlags};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

/// A word in the function: as a word, and for comparisons as the flag they give.
#[derive(Clone, Copy, Default)]
struct Made {
    word: Option<ir::Value>,
    flag: Option<ir::Value>,
    /// Position at which a word of memory was loaded.
    fetched: Option<usize>,
}

/// Writes one piece.
pub(super) struct Emitter<'a, 'f> {
    pub builder: FunctionBuilder<'f>,
    pub words: &'a Words,
    pub layout: &'a Layout,
    piece: &'a Piece,
    state: ir::Value,
    scratch: ir::Value,
    tables: ir::Value,
    made: FxHashMap<Word, Made>,
    /// Actions so far.
    position: usize,
    /// Actions after which a loaded word is loaded again instead of kept in a register or on the stack.
    reload: usize,
    /// Byte offsets of memory words by memory and address.
    addresses: FxHashMap<(u32, Word), ir::Value>,
    /// What was known before the branches that are open, to be known again after them.
    undo: Vec<Undo>,
}

/// An entry as it was before.
enum Undo {
    Made(Word, Option<Made>),
    Address((u32, Word)),
}

impl<'a, 'f> Emitter<'a, 'f> {
    /// Starts the function's only block.
    pub fn new(
        mut builder: FunctionBuilder<'f>,
        words: &'a Words,
        layout: &'a Layout,
        piece: &'a Piece,
        reload: usize,
    ) -> Self {
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let parameters = builder.block_params(block);
        let (state, scratch, tables) = (parameters[0], parameters[1], parameters[2]);
        let (made, addresses) = (FxHashMap::default(), FxHashMap::default());
        let (position, undo) = (0, vec![]);
        Self {
            builder,
            words,
            layout,
            piece,
            state,
            scratch,
            tables,
            made,
            position,
            reload,
            addresses,
            undo,
        }
    }

    /// Writes all actions and ends the function.
    pub fn run(mut self) {
        self.actions(&self.piece.actions);
        self.builder.ins().return_(&[]);
        self.builder.finalize();
    }

    fn actions(&mut self, actions: &[Action]) {
        for action in actions {
            self.position += 1;
            match action {
                Action::Compute(word) => self.compute(*word),
                Action::Store { at, value } => {
                    let value = self.word(*value);
                    self.store(self.state, *at, value);
                }
                Action::Keep { at, value } => {
                    let value = self.word(*value);
                    self.store(self.scratch, *at, value);
                }
                Action::Save { from, to } => {
                    let value = self.load(self.state, *from);
                    self.store(self.scratch, *to, value);
                }
                Action::Copy { from, to } => {
                    let value = self.load(self.scratch, *from);
                    self.store(self.state, *to, value);
                }
                Action::Write { memory, address, enable, data } => {
                    self.write(*memory, *address, *enable, data);
                }
                Action::Branch { condition, then, otherwise } => self.branch(*condition, then, otherwise),
            }
        }
    }

    fn branch(&mut self, condition: Word, then: &[Action], otherwise: &[Action]) {
        let condition = self.condition(condition);
        let [first, second, behind] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(condition, first, &[], second, &[]);
        for (block, actions) in [(first, then), (second, otherwise)] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let known = self.undo.len();
            self.actions(actions);
            self.forget(known);
            self.builder.ins().jump(behind, &[]);
        }
        self.builder.switch_to_block(behind);
        self.builder.seal_block(behind);
    }

    /// Takes back what was made since: it is not there on the other side and after the branch.
    fn forget(&mut self, known: usize) {
        for undo in self.undo.drain(known..).rev() {
            match undo {
                Undo::Made(word, Some(made)) => drop(self.made.insert(word, made)),
                Undo::Made(word, None) => drop(self.made.remove(&word)),
                Undo::Address(key) => drop(self.addresses.remove(&key)),
            }
        }
    }

    /// What is known of a word, to be changed.
    fn made(&mut self, word: Word) -> &mut Made {
        self.undo.push(Undo::Made(word, self.made.get(&word).copied()));
        self.made.entry(word).or_default()
    }

    fn load(&mut self, base: ir::Value, at: u32) -> ir::Value {
        self.builder.ins().load(types::I64, MemFlags::trusted(), base, at as i32 * 8)
    }

    fn store(&mut self, base: ir::Value, at: u32, value: ir::Value) {
        self.builder.ins().store(MemFlags::trusted(), value, base, at as i32 * 8);
    }

    fn constant(&mut self, value: u64) -> ir::Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    /// A word that is computed, given, or a leaf.
    fn word(&mut self, word: Word) -> ir::Value {
        if let Some(Made { word: Some(value), fetched, .. }) = self.made.get(&word) {
            if fetched.is_none_or(|at| self.position - at <= self.reload) {
                return *value;
            }
        }
        let value = match (self.words.op(word), self.made.get(&word)) {
            (WordOp::Const(value), _) => return self.constant(value),
            (WordOp::Load(at), _) => self.load(self.state, at),
            (_, Some(Made { flag: Some(flag), .. })) => {
                let flag = *flag;
                self.builder.ins().uextend(types::I64, flag)
            }
            _ => match self.piece.given.get(&word) {
                Some(at) => self.load(self.scratch, *at),
                // the plan gives every operand; a word of zero would only hide a mistake of it
                None => unreachable!("a word is used before it is computed"),
            },
        };
        let fetched = matches!(self.words.op(word), WordOp::Load(_)) || self.piece.given.contains_key(&word);
        let position = self.position;
        let made = self.made(word);
        made.word = Some(value);
        made.fetched = fetched.then_some(position);
        value
    }

    /// A word of one bit as a condition of any integer type.
    fn condition(&mut self, word: Word) -> ir::Value {
        match self.made.get(&word) {
            Some(Made { flag: Some(flag), .. }) => *flag,
            _ => self.word(word),
        }
    }

    fn compute(&mut self, word: Word) {
        use WordOp as Op;
        let value = match self.words.op(word) {
            Op::Const(_) | Op::Load(_) => return,
            Op::Equal(a, b) => return self.compare(word, IntCC::Equal, a, b),
            Op::Less(a, b) => return self.compare(word, IntCC::UnsignedLessThan, a, b),
            Op::Xor(a, _) if self.inverse(word, a) => return,
            Op::And(a, b) => self.binary(a, b, |ins, a, b| ins.band(a, b)),
            // a sum can shift one operand on the way
            Op::Or(a, b) if self.words.bits(a) & self.words.bits(b) == 0 => {
                self.binary(a, b, |ins, a, b| ins.iadd(a, b))
            }
            Op::Or(a, b) => self.binary(a, b, |ins, a, b| ins.bor(a, b)),
            Op::Xor(a, b) => self.binary(a, b, |ins, a, b| ins.bxor(a, b)),
            Op::Add(a, b) => self.binary(a, b, |ins, a, b| ins.iadd(a, b)),
            Op::Sub(a, b) => self.binary(a, b, |ins, a, b| ins.isub(a, b)),
            Op::Multiply(a, b) => self.binary(a, b, |ins, a, b| ins.imul(a, b)),
            Op::MultiplyHigh(a, b) => self.binary(a, b, |ins, a, b| ins.umulhi(a, b)),
            Op::ShiftLeftBy(a, b) => self.binary(a, b, |ins, a, b| ins.ishl(a, b)),
            Op::ShiftRightBy(a, b) => self.binary(a, b, |ins, a, b| ins.ushr(a, b)),
            Op::ShiftSignedBy(a, b) => self.binary(a, b, |ins, a, b| ins.sshr(a, b)),
            Op::ShiftLeft(a, by) => {
                let a = self.word(a);
                self.builder.ins().ishl_imm(a, i64::from(by))
            }
            Op::ShiftRight(a, by) => {
                let a = self.word(a);
                self.builder.ins().ushr_imm(a, i64::from(by))
            }
            Op::ShiftSigned(a, by) => {
                let a = self.word(a);
                self.builder.ins().sshr_imm(a, i64::from(by))
            }
            Op::Select(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let (then, otherwise) = (self.word(then), self.word(otherwise));
                self.builder.ins().select(condition, then, otherwise)
            }
            Op::Parity(a) => {
                let a = self.word(a);
                let count = self.builder.ins().popcnt(a);
                self.builder.ins().band_imm(count, 1)
            }
            Op::Read { memory, address, word } => self.read(memory, address, word),
            Op::Lookup { index, at } => {
                let index = self.word(index);
                let offset = self.builder.ins().ishl_imm(index, 3);
                let pointer = self.builder.ins().iadd(self.tables, offset);
                self.load(pointer, at)
            }
        };
        self.made(word).word = Some(value);
    }

    fn binary(
        &mut self,
        a: Word,
        b: Word,
        write: impl FnOnce(cranelift_frontend::FuncInstBuilder<'_, 'f>, ir::Value, ir::Value) -> ir::Value,
    ) -> ir::Value {
        let (a, b) = (self.word(a), self.word(b));
        write(self.builder.ins(), a, b)
    }

    fn compare(&mut self, word: Word, code: IntCC, a: Word, b: Word) {
        let (a, b) = (self.word(a), self.word(b));
        let flag = self.builder.ins().icmp(code, a, b);
        self.made(word).flag = Some(flag);
    }

    /// The complement of a comparison computed here as the opposite comparison.
    fn inverse(&mut self, word: Word, a: Word) -> bool {
        let here = self.made.get(&a).is_some_and(|made| made.flag.is_some());
        if !here || self.words.complemented(word).is_none() {
            return false;
        }
        match self.words.op(a) {
            WordOp::Equal(x, y) => self.compare(word, IntCC::NotEqual, x, y),
            WordOp::Less(x, y) => self.compare(word, IntCC::UnsignedGreaterThanOrEqual, x, y),
            _ => return false,
        }
        true
    }

    fn read(&mut self, memory: u32, address: Word, word: u32) -> ir::Value {
        let offset = match self.addresses.get(&(memory, address)) {
            Some(offset) => *offset,
            None => {
                let place = self.layout.memories[memory as usize];
                let inside = self.inside(place, address);
                let offset = self.offset(place, address, inside, self.layout.zero);
                self.addresses.insert((memory, address), offset);
                self.undo.push(Undo::Address((memory, address)));
                offset
            }
        };
        let pointer = self.builder.ins().iadd(self.state, offset);
        self.load(pointer, word)
    }

    /// Whether an address is below the depth; `None` if it always is.
    fn inside(&mut self, place: MemoryPlace, address: Word) -> Option<ir::Value> {
        if self.words.bits(address) < u64::from(place.depth) {
            return None;
        }
        let address = self.word(address);
        let depth = self.constant(u64::from(place.depth));
        Some(self.builder.ins().icmp(IntCC::UnsignedLessThan, address, depth))
    }

    /// Byte offset of a memory word, or of the words at `otherwise` if the condition is 0.
    fn offset(
        &mut self,
        place: MemoryPlace,
        address: Word,
        condition: Option<ir::Value>,
        otherwise: u32,
    ) -> ir::Value {
        let address = self.word(address);
        let bytes = self.builder.ins().imul_imm(address, i64::from(place.stride) * 8);
        let offset = self.builder.ins().iadd_imm(bytes, i64::from(place.at) * 8);
        match condition {
            Some(condition) => {
                let otherwise = self.constant(u64::from(otherwise) * 8);
                self.builder.ins().select(condition, offset, otherwise)
            }
            None => offset,
        }
    }

    /// Without a branch: a write that does not happen goes to the lost words.
    fn write(&mut self, memory: u32, address: Word, enable: Word, data: &[Word]) {
        let place = self.layout.memories[memory as usize];
        let inside = self.inside(place, address);
        let inside = inside.map(|flag| self.builder.ins().uextend(types::I64, flag));
        let condition = match (self.words.as_constant(enable), inside) {
            (Some(0), _) => return,
            (Some(_), inside) => inside,
            (None, None) => Some(self.word(enable)),
            (None, Some(inside)) => {
                let enable = self.word(enable);
                Some(self.builder.ins().band(enable, inside))
            }
        };
        let offset = self.offset(place, address, condition, self.layout.lost);
        let pointer = self.builder.ins().iadd(self.state, offset);
        for (index, word) in (0u32..).zip(data) {
            let value = self.word(*word);
            self.store(pointer, index, value);
        }
    }
}
