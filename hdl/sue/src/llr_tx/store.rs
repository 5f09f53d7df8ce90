//! The replay buffer: a ring of words in block RAM, and its reader.

use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Words before the end of the buffer at which a frame is cut.
pub const MARGIN_WORDS: usize = 4;

/// A ring of 2^`A` words; `P` = `A` + 1 is the width of a place in it.
///
/// Frames stand one after the other, so a replay needs no more than where the first one begins. The reader runs ahead of the line; what it has
/// read after the last frame is forgotten.
#[block("eth_llr_store", new, words = 1usize << A)]
pub struct LlrStore<const A: usize, const P: usize> {
    clock: In<Clock>,
    clear: In<Bit>,
    /// Starts anew, empty.
    begins: In<Bit>,
    /// A word of a numbered frame is taken.
    takes: In<Bit>,
    /// It is the last one of its frame.
    ends: In<Bit>,
    /// That word, a clock later.
    word: In<FrameWord>,
    /// Where the oldest frame begins.
    oldest_start: In<Bits<P>>,
    /// Most words when one more frame begins.
    room_words: In<Bits<13>>,
    /// Where the frame under way, or the next one, begins.
    frame_start: Out<Bits<P>>,
    /// One more frame may begin: two clocks after the last one's end.
    has_room: Out<Bit>,
    /// Hardly any room: the frame under way has to end.
    nearly_full: Out<Bit>,
    /// The reader goes to the oldest frame.
    rewinds: In<Bit>,
    /// The reader reads on.
    reads: In<Bit>,
    /// `read_word` is taken.
    pops: In<Bit>,
    read_word: Out<FrameWord>,
    read_valid: Out<Bit>,

    memory: Ram<FrameWord, A>,
    #[wire(clear = clear | begins)]
    write_pointer: Register<Bits<P>>,
    #[wire(clear = clear | begins)]
    start: Register<Bits<P>>,
    #[wire(d = _)]
    write_address: Reg<Bits<A>>,
    writes: Register<Bit>,
    #[wire(d = _)]
    used: Reg<Bits<P>>,
    #[wire(d = _)]
    room: Reg<Bit>,
    #[wire(d = _)]
    full: Reg<Bit>,
    read_pointer: Reg<Bits<P>>,
    #[wire(clear = clear | !reads)]
    fetching: Register<Bit>,
    #[wire(clear = clear | rewinds | !reads)]
    array_valid: Register<Bit>,
    #[wire(clear = clear | rewinds | !reads)]
    output_valid: Register<Bit>,
    /// The word after the RAM's own register.
    ready_word: Reg<FrameWord>,
    #[wire(clear = clear | rewinds | !reads)]
    ready_valid: Register<Bit>,
}

#[logic]
impl<const A: usize, const P: usize> LlrStore<A, P> {
    /// An empty buffer.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("eth_llr_tx", "A", A as u64, 4, 12)?;
        check_derived("eth_llr_tx", "P", P as u64, "A + 1", A as u64 + 1)?;
        Ok(Self { memory: Ram::new(RamConfig::block(1 << A))?, .. })
    }

    fn update(&mut self) {
        self.write();
        self.read();
    }

    fn write(&mut self) {
        let pointer_after = write_pointer + 1;
        write_pointer.enable = takes;
        write_pointer = pointer_after;
        start.enable = ends;
        start = pointer_after;
        frame_start = start;
        writes = takes;
        write_address = write_pointer.bits::<A>(0);
        memory = In { write_clock: clock, write_enable: writes, write_address, write_data: word };

        used = write_pointer - oldest_start;
        room = bit_cast::<13, P>(used) <= room_words;
        has_room = room;
        let margin = used + MARGIN_WORDS;
        full = margin[A];
        nearly_full = full;
    }

    /// A stage moves on when it is empty or the one after it moves on.
    fn read(&mut self) {
        let ready_moves = !ready_valid | pops;
        let output_moves = !output_valid | ready_moves;
        let array_moves = !array_valid | output_moves;
        if rewinds {
            read_pointer = oldest_start;
        } else if array_moves {
            read_pointer = read_pointer + 1;
        }
        fetching.enable = rewinds;
        fetching = true;
        memory = In { read_clock: clock, read_enable: array_moves, output_enable: output_moves };
        memory.read_address = read_pointer.bits::<A>(0);
        array_valid.enable = array_moves;
        array_valid = fetching;
        output_valid.enable = output_moves;
        output_valid = array_valid;
        ready_valid.enable = ready_moves;
        ready_valid = output_valid;
        if ready_moves {
            ready_word = memory.read_data;
        }
        read_word = ready_word;
        read_valid = ready_valid;
    }
}
