//! What a function has to produce: the next state on an edge of some clocks, outputs, or watched signals.

use super::lower::Lowering;
use super::mutation::Mutation;
use super::wide::Value;
use super::word::Word;
use flitforge_elaborate::flat::node::NodeId;
use flitforge_elaborate::flat::{FlatRead, FlatRegister, FlatWrite};

/// One result of a function.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A word of the state takes this value at the end.
    State { at: u32, value: Word },
    /// A word of the scratch row takes this value.
    Scratch { at: u32, value: Word },
    /// A memory word is written at the end if `enable` is 1; writes happen in the order of the roots.
    Write { memory: u32, address: Word, enable: Word, data: Value },
}

impl Root {
    /// Calls `visit` with every word it uses.
    pub fn for_words(&self, mut visit: impl FnMut(Word)) {
        match self {
            Self::State { value, .. } | Self::Scratch { value, .. } => visit(*value),
            Self::Write { address, enable, data, .. } => {
                visit(*address);
                visit(*enable);
                data.iter().copied().for_each(visit);
            }
        }
    }
}

impl Lowering {
    /// The next state when the clocks of this set (bit `i` is clock `i`) rise together.
    pub fn step_roots(&mut self, clocks: u64) -> Vec<Root> {
        let clocks = match self.words.mutation {
            Some(Mutation::WrongClockSet) => u64::MAX,
            _ => clocks,
        };
        let flat = self.flat.clone();
        let mut roots = vec![];
        for (number, register) in flat.registers.iter().enumerate() {
            if clocks >> register.clock & 1 == 1 {
                self.register(number, register, &mut roots);
            }
        }
        for (memory, item) in (0u32..).zip(&flat.memories) {
            let writes = item.writes.iter().filter(|write| clocks >> write.clock & 1 == 1);
            let writes: Vec<Root> = writes.map(|write| self.write(memory, write)).collect();
            for (port, read) in item.reads.iter().enumerate() {
                if clocks >> read.clock & 1 == 1 {
                    self.clocked_read(memory, port, read, &writes, &mut roots);
                }
            }
            roots.extend(writes);
        }
        roots
    }

    /// Outputs or watched signals: the words of each node, one after the other from `at`.
    pub fn value_roots(&mut self, nodes: &[(NodeId, u32)], root: impl Fn(u32, Word) -> Root) -> Vec<Root> {
        let mut roots = vec![];
        for (node, at) in nodes {
            let words = self.node(*node);
            roots.extend((*at..).zip(words.iter()).map(|(at, word)| root(at, *word)));
        }
        roots
    }

    fn register(&mut self, number: usize, register: &FlatRegister, roots: &mut Vec<Root>) {
        let source = self.layout.registers[number];
        let held = self.source(source);
        let mut next = self.node(register.d).to_vec();
        let mutation = self.words.mutation;
        if let Some(enable) = register.enable.filter(|_| mutation != Some(Mutation::MissingEnable)) {
            let enable = self.bit(enable);
            next = self.words.select_wide(enable, &next, &held);
        }
        if let Some(clear) = register.clear.filter(|_| mutation != Some(Mutation::ClearIgnored)) {
            let clear = self.bit(clear);
            let initial: Value =
                register.initial.words().iter().map(|word| self.words.constant(*word)).collect();
            next = self.words.select_wide(clear, &initial, &next);
        }
        let at = self.layout.sources[source as usize].0;
        store(at, &held, &next, roots);
    }

    fn clocked_read(
        &mut self,
        memory: u32,
        port: usize,
        read: &FlatRead,
        writes: &[Root],
        roots: &mut Vec<Root>,
    ) {
        let source = self.layout.reads[memory as usize][port];
        let data = self.source(source);
        let data_at = self.layout.sources[source as usize].0;
        let address = self.node(read.address);
        let mut word = self.read(memory, &address);
        if self.words.mutation == Some(Mutation::ReadAfterWrite) {
            word = self.forwarded(&address, word, writes);
        }
        let mut behind = (data_at, data.clone());
        if let Some(stage) = self.layout.stages[memory as usize][port] {
            let layout = self.layout.clone();
            let bits = |index| layout.memory_bits(memory, index);
            let held: Value = (0..).zip(&data).map(|(i, _)| self.words.load(stage + i, bits(i))).collect();
            let next = self.enabled(read.output_enable, &held, &data);
            store(data_at, &data, &next, roots);
            behind = (stage, held);
        }
        let (at, held) = behind;
        let next = self.enabled(read.enable, &word, &held);
        store(at, &held, &next, roots);
    }

    /// `next` where `enable`, if there is one, is 1.
    fn enabled(&mut self, enable: Option<NodeId>, next: &[Word], held: &[Word]) -> Value {
        match enable {
            Some(enable) => {
                let enable = self.bit(enable);
                self.words.select_wide(enable, next, held)
            }
            None => next.to_vec(),
        }
    }

    /// The mistake of [`Mutation::ReadAfterWrite`].
    fn forwarded(&mut self, address: &[Word], word: Value, writes: &[Root]) -> Value {
        let from = self.words.address(address);
        writes.iter().fold(word, |word, write| match write {
            Root::Write { address, enable, data, .. } => {
                let same = self.words.equal(from, *address);
                let hit = self.words.and(same, *enable);
                self.words.select_wide(hit, data, &word)
            }
            _ => word,
        })
    }

    fn write(&mut self, memory: u32, write: &FlatWrite) -> Root {
        let address = self.node(write.address);
        let mut address = self.words.address(&address);
        if self.words.mutation == Some(Mutation::WriteOutOfRange) {
            let last = self.layout.memories[memory as usize].depth.saturating_sub(1);
            let last = self.words.constant(u64::from(last));
            let below = self.words.less(address, last);
            address = self.words.select(below, address, last);
        }
        let enable = match write.enable {
            Some(enable) => self.bit(enable),
            None => self.words.constant(1),
        };
        Root::Write { memory, address, enable, data: self.node(write.data).to_vec() }
    }
}

/// Roots for the words that change.
fn store(at: u32, held: &[Word], next: &[Word], roots: &mut Vec<Root>) {
    let words = (at..).zip(held.iter().zip(next));
    roots.extend(
        words
            .filter(|(_, (held, next))| held != next)
            .map(|(at, (_, next))| Root::State { at, value: *next }),
    );
}
