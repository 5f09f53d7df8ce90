//! The way of bodies to another port: out of their slots, one at a time (chapter 50, 4.4 rule 4).
//!
//! A body is read only while the buffer is empty, so it never holds up the PDUs that are read from the same slots; its slot is free as soon as it stands in the buffer.
//! A body with a wrong parity bit goes nowhere: it is told as failed.

use crate::frame::{BodyHead, FrameWord};
use crate::slot_store::SlotHead;
use crate::slot_walker::ReturnedSlot;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Fifo;

/// Where the body is.
#[packed]
pub enum MoveStep {
    /// There is none.
    Empty,
    /// It comes into the buffer.
    Comes,
    /// It goes out.
    Goes,
    /// It is forgotten.
    Drains,
}

/// Moves bodies of at most 2^`W` words; `X` = `W` + 1. See the [module](self).
#[block("sue_rel_tx_mover", new, words = 1usize << W)]
pub struct RelTxMover<const W: usize, const X: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the body.
    clear: In<Bit>,
    /// Slots whose bodies move.
    pub slots: StreamIn<Bits<8>>,
    /// Slots to be read.
    pub reads: StreamOut<Bits<8>>,
    /// Words of the body that was read; they are always taken.
    pub words: FlowIn<FrameWord>,
    /// What goes with it.
    described: In<SlotHead>,
    /// Slots that were read.
    pub returned: StreamOut<ReturnedSlot>,
    /// The body.
    pub moved: StreamOut<FrameWord>,
    /// What goes with it.
    moved_head: Out<BodyHead>,
    /// Commands in it.
    moved_commands: Out<Bits<10>>,
    /// A body is being moved.
    carries: Out<Bit>,

    step: Register<MoveStep>,
    #[wire(clock, clear)]
    buffer: Fifo<FrameWord, W, X>,
    head: Reg<BodyHead>,
    commands: Reg<Bits<10>>,
    back: Reg<ReturnedSlot>,
    back_valid: Register<Bit>,
}

#[logic]
impl<const W: usize, const X: usize> RelTxMover<W, X> {
    /// Nothing moves.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { buffer: Fifo::new()?, .. })
    }

    fn update(&mut self) {
        // The next slot, once all of the last body has gone.
        let free = (step == MoveStep::Empty) & !back_valid;
        reads = In { data: slots.data, valid: slots.valid & free };
        slots.ready = reads.ready & free;
        let begins = slots.valid & free & reads.ready;

        // Its words.
        let word = words.data;
        let whole = words.valid & word.last;
        buffer.words_in = In { data: word, valid: words.valid };
        let of = described;
        if whole {
            head = BodyHead { destination: of.destination, vc: of.vc, partition: of.partition };
            commands = of.commands;
            back = ReturnedSlot {
                slot: of.slot,
                destination: of.destination,
                vc: of.vc,
                commands: of.commands,
                failed: word.error,
            };
        }
        back_valid = whole | (back_valid & !returned.ready);
        returned = In { data: back, valid: back_valid };

        // Out.
        let goes = step == MoveStep::Goes;
        let drains = step == MoveStep::Drains;
        let first = buffer.words_out.data;
        moved = In { data: first, valid: buffer.words_out.valid & goes };
        buffer.words_out.ready = (moved.ready & goes) | drains;
        let gone = buffer.words_out.valid & buffer.words_out.ready & first.last;
        moved_head = head;
        moved_commands = commands;
        carries = (step != MoveStep::Empty) | back_valid;
        let after = if word.error { MoveStep::Drains } else { MoveStep::Goes };
        step = match step {
            MoveStep::Empty => Self::either(begins, MoveStep::Comes, MoveStep::Empty),
            MoveStep::Comes => Self::either(whole, after, MoveStep::Comes),
            MoveStep::Goes => Self::either(gone, MoveStep::Empty, MoveStep::Goes),
            MoveStep::Drains => Self::either(gone, MoveStep::Empty, MoveStep::Drains),
        };
    }

    fn either(first: Bit, then: MoveStep, otherwise: MoveStep) -> MoveStep {
        let chosen = if first { then } else { otherwise };
        chosen
    }
}
