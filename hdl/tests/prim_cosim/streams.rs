//! FIFOs and the skid buffer, on one clock.

use crate::prim_cosim::random_plan;
use flitforge_elaborate::Value;
use flitforge_hdl::prim::{Fifo, Skid, SmallFifo};
use flitforge_sim::{PortValues, SimError};
use rust_hdl::prelude::Bits;
use std::collections::VecDeque;

/// What every stream test must have met.
const COVER: [&str; 5] =
    ["words_in.held", "words_in.cleared", "words_out.held", "words_out.ready_flipped", "clear.pulses"];

/// Sets the outputs; the payload counts only while it is valid. Returns the word that is taken in, if any.
fn show(
    inputs: &PortValues,
    outputs: &mut PortValues,
    room: bool,
    output: Option<&Value>,
) -> Result<Option<Value>, SimError> {
    let ready = room && !inputs.bit("clear")?;
    outputs.set_bit("words_in.ready", ready)?;
    outputs.set_bit("words_out.valid", output.is_some())?;
    if let Some(word) = output {
        outputs.set("words_out.data", word.clone())?;
    }
    let taken = ready && inputs.bit("words_in.valid")?;
    taken.then(|| inputs.get("words_in.data")).transpose()
}

/// Two words of room, the first of them at the output.
#[test]
fn skid() {
    let mut words: VecDeque<Value> = VecDeque::new();
    random_plan("prim_skid", Skid::<Bits<33>>::default)
        .cover(&COVER)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set_bit("has_room", words.len() < 2)?;
            let taken = show(inputs, outputs, words.len() < 2, words.front())?;
            if inputs.bit("words_out.ready")? {
                words.pop_front();
            }
            words.extend(taken);
            if inputs.bit("clear")? {
                words.clear();
            }
            Ok(())
        })
        .run()
        .expect("equal");
}

/// 2^A words in the RAM, one at the output, none read on the clock on which it is written.
#[test]
fn small_fifo() {
    let (mut ram, mut output): (VecDeque<Value>, Option<Value>) = Default::default();
    random_plan("prim_small_fifo", || SmallFifo::<Bits<33>, 2, 3>::new().expect("valid"))
        .cover(&COVER)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            let taken = show(inputs, outputs, ram.len() < 4, output.as_ref())?;
            if output.is_none() || inputs.bit("words_out.ready")? {
                output = ram.pop_front();
            }
            ram.extend(taken);
            if inputs.bit("clear")? {
                (ram, output) = Default::default();
            }
            Ok(())
        })
        .run()
        .expect("equal");
}

/// Words given and words fetched up to 1, 2 and 3 clocks ago.
#[derive(Default)]
struct Past {
    given: [usize; 3],
    fetched: [usize; 3],
}

/// The FIFO in block RAM: two stages after it, and what its flags know when.
#[derive(Default)]
struct FifoModel {
    ram: VecDeque<Value>,
    array: Option<Value>,
    output: Option<Value>,
    past: Past,
}

impl FifoModel {
    fn step(&mut self, size: usize, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        // Low with two words of room, seen one clock after the count, which is two clocks behind.
        let room = self.past.given[2] - self.past.fetched[2] < size - 2;
        // A word may be fetched 2 clocks after it was given.
        let there = self.past.given[1] > self.past.fetched[0];
        let taken = show(inputs, outputs, room, self.output.as_ref())?;
        if inputs.bit("clear")? {
            *self = Self::default();
            return Ok(());
        }
        let output_moves = self.output.is_none() || inputs.bit("words_out.ready")?;
        let array_moves = self.array.is_none() || output_moves;
        if output_moves {
            self.output = self.array.take();
        }
        let fetches = array_moves && there;
        if fetches {
            self.array = self.ram.pop_front();
        }
        let past = &mut self.past;
        past.given = [past.given[0] + usize::from(taken.is_some()), past.given[0], past.given[1]];
        past.fetched = [past.fetched[0] + usize::from(fetches), past.fetched[0], past.fetched[1]];
        self.ram.extend(taken);
        assert!(self.ram.len() <= size, "more words than the RAM has");
        Ok(())
    }
}

#[test]
fn fifo() {
    let mut model = FifoModel::default();
    random_plan("prim_fifo", || Fifo::<Bits<33>, 4, 5>::new().expect("valid"))
        .cover(&COVER)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(16, inputs, outputs))
        .run()
        .expect("equal");
}
