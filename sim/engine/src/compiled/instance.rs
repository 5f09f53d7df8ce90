//! One running instance of a compiled design.

use super::program::{Clocks, Code, Compiled, Handle, HandleKind};
use crate::exercise::{self, Exercise};
use crate::watch::Watch;
use flitforge_elaborate::Value;
use std::sync::Arc;

/// A running design: its state is one row of words, so that a copy of it is everything. `Clone` forks it.
#[derive(Clone)]
pub struct Instance {
    program: Arc<Compiled>,
    state: Vec<u64>,
    scratch: Vec<u64>,
    /// Outputs are up to date.
    settled: bool,
    /// Code for the sets of clocks used so far.
    steps: Vec<(Clocks, Arc<Code>)>,
}

/// The state of an instance at one time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    words: Vec<u64>,
}

impl Compiled {
    /// A new instance at power-on, inputs 0.
    pub fn instance(self: &Arc<Self>) -> Instance {
        let state = self.start.clone();
        Instance { program: self.clone(), state, scratch: vec![], settled: false, steps: vec![] }
    }
}

impl Instance {
    /// What all instances of the design share.
    pub fn program(&self) -> &Arc<Compiled> {
        &self.program
    }

    /// Sets an input; bits above its width are cut off. False if it is no input.
    #[inline]
    pub fn set(&mut self, input: Handle, value: u64) -> bool {
        self.set_words(input, &[value])
    }

    /// Sets an input from words, least significant first; missing words are 0, bits above its width are cut
    /// off. False if it is no input.
    #[inline]
    pub fn set_words(&mut self, input: Handle, words: &[u64]) -> bool {
        if input.kind != HandleKind::Input {
            return false;
        }
        for (index, to) in self.state[input.range()].iter_mut().enumerate() {
            let word = words.get(index).copied().unwrap_or(0);
            *to = word & super::word::word_mask(input.width, index);
        }
        self.settled = false;
        true
    }

    /// Sets an input from as many words as it has; bits above its width are 0 already.
    #[inline]
    pub(super) fn put(&mut self, input: Handle, words: &[u64]) {
        self.state[input.range()].copy_from_slice(words);
        self.settled = false;
    }

    /// The low 64 bits of a settled port.
    #[inline]
    pub fn get(&mut self, port: Handle) -> u64 {
        self.words(port)[0]
    }

    /// The words of a settled port.
    #[inline]
    pub fn words(&mut self, port: Handle) -> &[u64] {
        if port.kind == HandleKind::Computed {
            self.settle();
        }
        &self.state[port.range()]
    }

    /// Brings the outputs up to date. Reading one does it too.
    #[inline]
    pub fn settle(&mut self) {
        if !self.settled {
            self.program.settle_code().run(&mut self.state, &mut self.scratch);
            self.settled = true;
        }
    }

    /// A rising edge of these clocks together, with the inputs as they are.
    #[inline]
    pub fn step(&mut self, clocks: Clocks) {
        self.settled = false;
        let Some((_, code)) = self.steps.iter().find(|(known, _)| *known == clocks) else {
            let code = self.program.step_code(clocks);
            code.run(&mut self.state, &mut self.scratch);
            self.steps.push((clocks, code));
            return;
        };
        code.run(&mut self.state, &mut self.scratch);
    }

    /// [`Exercise::run`] on the state itself: `inputs` and `outputs` are its words, in the exercise's order.
    pub(super) fn exercise(
        &mut self,
        exercise: &mut Exercise,
        (inputs, outputs): (&[usize], &[usize]),
        clocks: u64,
    ) -> u64 {
        let all = self.program.all_clocks();
        let (mut seed, mut hash) = (exercise.seed, 0);
        for _ in 0..clocks {
            exercise.draw(&mut seed);
            for (at, word) in inputs.iter().zip(&exercise.inputs) {
                self.state[*at] = *word;
            }
            self.settled = false;
            self.settle();
            hash = exercise::mix(hash, outputs.iter().map(|at| self.state[*at]));
            self.step(all);
        }
        hash
    }

    /// The state now: inputs, registers, memories.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { words: self.state[..self.program.layout.kept as usize].to_vec() }
    }

    /// Goes back to a snapshot. False, and nothing happens, if it is one of another design.
    pub fn restore(&mut self, snapshot: &Snapshot) -> bool {
        let fits = snapshot.words.len() == self.program.layout.kept as usize;
        if fits {
            self.state[..snapshot.words.len()].copy_from_slice(&snapshot.words);
            self.settled = false;
        }
        fits
    }

    /// An instance of its own with the same state.
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// The settled value of any signal by path, if there is one.
    pub fn peek(&mut self, path: &str) -> Option<Value> {
        let peek = self.program.peek_code(path)?;
        peek.code.run(&mut self.state, &mut self.scratch);
        Some(Value::from_words(peek.width, &self.scratch))
    }

    /// The settled values of watched signals. The watch comes from this design; another one gives zeros.
    pub fn read_watch(&mut self, watch: &Watch, into: &mut Vec<u64>) {
        into.clear();
        if let Some(code) = self.program.watch_code(watch) {
            code.run(&mut self.state, &mut self.scratch);
            into.extend_from_slice(&self.scratch[..watch.words().min(self.scratch.len())]);
        }
        into.resize(watch.words(), 0);
    }

    /// Bytes that this instance needs beyond the shared code.
    pub fn bytes(&self) -> usize {
        8 * (self.state.capacity() + self.scratch.capacity())
    }
}
