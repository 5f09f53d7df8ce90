//! A block at work, with what stands around it.

use crate::pins::Pins;
use crate::wide::wide;
use flitforge_elaborate::Value;

/// A block and its surroundings: sources, sinks, lines, a model beside it. A rig says what one clock of everything is; setting
/// and reading ports by path, and waiting, come with that.
pub trait Clocked {
    /// The block's ports.
    fn pins(&mut self) -> &mut dyn Pins;

    /// One clock of everything.
    fn clock(&mut self);

    /// Sets an input; bits above its width are cut off.
    #[track_caller]
    fn set(&mut self, path: &str, value: u64) -> &mut Self {
        self.pins().drive(path, &[value]);
        self
    }

    /// Sets an input of any width.
    #[track_caller]
    fn set_value(&mut self, path: &str, value: &Value) -> &mut Self {
        self.pins().drive(path, value.words());
        self
    }

    /// Sets an input of up to 128 bits; bits above its width are cut off.
    #[track_caller]
    fn set_wide(&mut self, path: &str, value: u128) -> &mut Self {
        self.pins().drive(path, &[value as u64, (value >> 64) as u64]);
        self
    }

    /// Sets inputs.
    #[track_caller]
    fn set_all(&mut self, values: &[(&str, u64)]) -> &mut Self {
        values.iter().for_each(|(path, value)| self.pins().drive(path, &[*value]));
        self
    }

    /// The low 64 bits of a port, settled.
    #[track_caller]
    fn get(&mut self, path: &str) -> u64 {
        self.pins().word(path)
    }

    /// A port, settled.
    #[track_caller]
    fn get_value(&mut self, path: &str) -> Value {
        self.pins().sample(path)
    }

    /// A port of up to 128 bits, settled.
    #[track_caller]
    fn get_wide(&mut self, path: &str) -> u128 {
        wide(&self.pins().sample(path))
    }

    /// Sets an input for one clock.
    #[track_caller]
    fn pulse(&mut self, path: &str) {
        self.set(path, 1);
        self.clock();
        self.set(path, 0);
    }

    /// Lets clocks pass.
    fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }

    /// Runs until `done`; the clocks it took, `None` if it took `limit`.
    fn run_until(&mut self, limit: u64, mut done: impl FnMut(&mut Self) -> bool) -> Option<u64>
    where
        Self: Sized,
    {
        for clocks in 0..limit {
            if done(self) {
                return Some(clocks);
            }
            self.clock();
        }
        None
    }

    /// Runs until `done`, which must come within `limit` clocks; the clocks it took.
    #[track_caller]
    fn until(&mut self, what: &str, limit: u64, done: impl FnMut(&mut Self) -> bool) -> u64
    where
        Self: Sized,
    {
        match self.run_until(limit, done) {
            Some(clocks) => clocks,
            None => panic!("not within {limit} clocks: {what}"),
        }
    }

    /// Runs until the port at `path` is 1, which must come within `limit` clocks; the clocks it took.
    #[track_caller]
    fn until_high(&mut self, path: &str, limit: u64) -> u64
    where
        Self: Sized,
    {
        self.until(path, limit, |rig| rig.get(path) == 1)
    }
}

/// Several blocks, each with a clock of its own.
pub trait Several: Sized {
    /// The ports of a block.
    fn pins_of(&mut self, index: usize) -> &mut dyn Pins;

    /// The edge that comes first; says whose clock it was, `None` for another one.
    fn edge(&mut self) -> Option<usize>;

    /// One of the blocks as a rig: its clock passes when its edge comes, and the others go on meanwhile.
    fn one(&mut self, index: usize) -> OneOf<'_, Self> {
        OneOf { all: self, index }
    }
}

/// One of several blocks.
pub struct OneOf<'a, S> {
    all: &'a mut S,
    index: usize,
}

impl<S: Several> Clocked for OneOf<'_, S> {
    fn pins(&mut self) -> &mut dyn Pins {
        self.all.pins_of(self.index)
    }

    fn clock(&mut self) {
        while self.all.edge() != Some(self.index) {}
    }
}
