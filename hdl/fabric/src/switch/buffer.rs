//! The buffer of one virtual lane: a FIFO whose first words pass its RAM when nothing waits in it.

use flitforge_hdl_prim::fifo::Fifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;

/// At least 2^`B` words of `W` bits in block RAM, `C` = `B` + 1. Latency 1 clock when empty; one word per clock on both sides.
#[block("switch_buffer", new, width = W, depth = 1usize << B)]
pub struct SwitchBuffer<const W: usize, const B: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties it.
    clear: In<Bit>,
    /// Words in.
    pub words_in: StreamIn<Bits<W>>,
    /// The first word.
    pub front: StreamOut<Bits<W>>,
    /// No word is in it, and none was in its RAM a clock ago: the next one is at the front a clock later.
    empty: Out<Bit>,

    #[wire(clock, clear)]
    queue: Fifo<Bits<W>, B, C>,
    /// Two words at the front: what is taken there does not reach the RAM in the same clock.
    #[wire(clock, clear)]
    first: Skid<Bits<W>>,
    /// Words after the front, and whether there were any a clock ago.
    count: Reg<Bits<C>>,
    some: Reg<Bit>,
    #[init(1)]
    one: Constant<Bits<C>>,
}

#[logic]
impl<const W: usize, const B: usize, const C: usize> SwitchBuffer<W, B, C> {
    /// An empty buffer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { queue: Fifo::new()?, .. })
    }

    fn update(&mut self) {
        let passes = first.has_room & !some;

        words_in.ready = queue.words_in.ready;
        let taken = words_in.valid & queue.words_in.ready;
        queue.words_in = In { data: words_in.data, valid: words_in.valid & !passes };
        queue.words_out.ready = first.has_room;
        let pushed = taken & !passes;
        let popped = queue.words_out.valid & first.has_room;

        first.words_in = In { data: words_in.data, valid: taken };
        if some {
            first.words_in = In { data: queue.words_out.data, valid: queue.words_out.valid };
        }
        if pushed & !popped {
            count = count + one;
        }
        if popped & !pushed {
            count = count - one;
        }
        some = count.any() | pushed;
        if clear {
            count = 0;
            some = false;
        }
        link(front, first.words_out);
        empty = !first.words_out.valid & !some;
    }
}
