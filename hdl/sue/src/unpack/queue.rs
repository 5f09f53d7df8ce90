//! Words that were read and not taken.

use crate::receive_buffer::StoredWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Bits of a place in the queue.
pub(super) const QUEUE_BITS: usize = 4;

/// A queue of 16 words that does not ask for room: who pushes has counted. Whether there is a word after the one that is shown is a register, so that
/// `wants_late` may come late in the clock. Latency 2 clocks.
#[block("sue_word_queue", new)]
#[derive(Clone, Debug)]
pub struct WordQueue {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the queue.
    clear: In<Bit>,
    /// A word comes.
    push: In<Bit>,
    /// The word that comes.
    word_in: In<StoredWord>,
    /// There is a word.
    valid: Out<Bit>,
    /// The word.
    word: Out<StoredWord>,
    /// A word that is there is taken.
    wants: In<Bit>,
    /// The same, late in the clock.
    wants_late: In<Bit>,

    #[wire(write_clock = clock, read_clock = clock, output_enable = true)]
    memory: Ram<StoredWord, QUEUE_BITS>,
    write_place: Register<Bits<QUEUE_BITS>>,
    read_place: Register<Bits<QUEUE_BITS>>,
    #[init(1)]
    after_write: Register<Bits<QUEUE_BITS>>,
    #[init(1)]
    after_read: Register<Bits<QUEUE_BITS>>,
    /// The memory has a word.
    more: Register<Bit>,
    shown: Register<Bit>,
}

#[logic]
impl WordQueue {
    pub(super) fn new() -> Result<Self, ConfigError> {
        Ok(Self { memory: Ram::new(RamConfig::distributed(1 << QUEUE_BITS))?, .. })
    }

    fn update(&mut self) {
        // All that depends on `wants_late` is chosen by it in the end.
        let moves_early = !shown | wants;
        let moves = moves_early | wants_late;
        let fetches = more & moves;
        memory = In { write_enable: push, write_address: write_place, write_data: word_in };
        memory = In { read_enable: moves, read_address: read_place };
        write_place.enable = push;
        write_place = after_write;
        after_write.enable = push;
        after_write = after_write + 1;
        read_place.enable = fetches;
        read_place = after_read;
        after_read.enable = fetches;
        after_read = after_read + 1;
        let end = if push { after_write } else { write_place };
        let more_here = read_place != end;
        let more_there = after_read != end;
        let more_late = if more { more_there } else { more_here };
        let more_early = if more & moves_early { more_there } else { more_here };
        more = if wants_late { more_late } else { more_early };
        shown.enable = moves;
        shown = more;
        valid = shown;
        word = memory.read_data;
    }
}
