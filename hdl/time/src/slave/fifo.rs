//! Samples until software reads them.

use super::SAMPLE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::time::FIFO_DEPTH;

/// Bits of an address: twice the largest depth, so that a read never meets the write of its word.
const ADDRESS_BITS: usize = FIFO_DEPTH.2.trailing_zeros() as usize + 1;
/// Bits of a level.
pub const LEVEL_BITS: usize = 8;

/// The sample FIFO of a tree (chapter 20, 4.7 rule 5), in block RAM.
///
/// A sample can be popped from the clock after `sample` on. A full FIFO discards its oldest sample (`over`). `shadow` and
/// `popped` follow 2 clocks after `pop` and hold until the next one; a pop of the empty FIFO leaves `shadow` as it is. A pop
/// goes before a sample of the same clock. `clear` empties the FIFO; `shadow` stays.
#[block(new)]
pub struct SampleFifo {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A sample to be stored.
    pub sample: FlowIn<Bits<SAMPLE_BITS>>,
    /// SMP_POP is read.
    pop: In<Bit>,
    /// Sample of the last pop that found one.
    shadow: Out<Bits<SAMPLE_BITS>>,
    /// The last pop found one.
    popped: Out<Bit>,
    /// Samples stored.
    level: Out<Bits<LEVEL_BITS>>,
    /// Event: a sample was discarded (SMP_OVER).
    over: Out<Bit>,
    #[wire(write_clock = clock, read_clock = clock)]
    memory: Ram<Bits<SAMPLE_BITS>, ADDRESS_BITS>,
    write_address: Reg<Bits<ADDRESS_BITS>>,
    read_address: Reg<Bits<ADDRESS_BITS>>,
    count: Reg<Bits<LEVEL_BITS>>,
    /// The count is not 0.
    some: Reg<Bit>,
    fetched: Reg<Bit>,
    popping: Reg<Bit>,
    found: Reg<Bit>,
    over_now: Reg<Bit>,
    depth: Constant<Bits<LEVEL_BITS>>,
    #[init(1)]
    one: Constant<Bits<LEVEL_BITS>>,
    #[init((1_u64 << LEVEL_BITS) - 1)]
    minus_one: Constant<Bits<LEVEL_BITS>>,
    #[init(1)]
    step: Constant<Bits<ADDRESS_BITS>>,
}

#[logic]
impl SampleFifo {
    /// An empty FIFO of 4 to 64 samples.
    pub fn new(depth: usize) -> Result<Self, ConfigError> {
        let (least, _, most) = FIFO_DEPTH;
        check_range("time_slave", "fifo_depth", depth as u64, least as u64, most as u64)?;
        Ok(Self {
            memory: Ram::new(RamConfig::block(1 << ADDRESS_BITS))?,
            depth: Constant::new((depth as u64).into()),
            ..
        })
    }

    /// Samples it holds.
    pub fn depth(&self) -> usize {
        self.depth.val().index()
    }

    fn update(&mut self) {
        let fetch = pop & some;
        some = sample.valid | (some & !(pop & !count.bits::<7>(1).any()));
        // The count is never beyond the depth: the bits of the depth alone say that it is reached.
        let full = (count & depth) == depth;
        let discard = sample.valid & !pop & full;
        memory = In { write_enable: sample.valid, write_address, write_data: sample.data };
        memory = In { read_enable: fetch, read_address, output_enable: fetched };
        if sample.valid {
            write_address = write_address + step;
        }
        if fetch | discard {
            read_address = read_address + step;
        }
        let mut change: Bits<LEVEL_BITS> = 0;
        if sample.valid & !fetch & !discard {
            change = one;
        }
        if fetch & !sample.valid {
            change = minus_one;
        }
        count = count + change;
        fetched = fetch;
        popping = pop;
        if popping {
            found = fetched;
        }
        over_now = discard;

        if clear {
            write_address = 0;
            read_address = 0;
            count = 0;
            some = false;
            fetched = false;
            popping = false;
            found = false;
            over_now = false;
        }
        shadow = memory.read_data;
        popped = found;
        level = count;
        over = over_now;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("sample_fifo", &[("depth", self.depth().to_string())])
    }
}
