//! How full each queue is: its cells, and whether its XPU is to hold back (chapter 50, 4.1 rule 2).
//!
//! A queue with QHI cells or more is told of with `on`, and without it once it has QLO cells or fewer, and fewer than QHI. A command counts once it is in its
//! queue; a cell counts until its last word is read.
//!
//! An event of a queue every 3 clocks. Commands go first. Cells that leave are counted together until there is a clock for them; those of a body that has ended
//! go before everything else, so that two numbers are enough.

use super::entry::QueueXoff;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::SmallFifo;

/// Bits of the cells of a command, less one.
pub(super) const COMMAND_CELLS_BITS: usize = 3;

/// Levels of 2^`Q` queues, the virtual channel in the lowest two bits of a number, the destination (`P` bits) above; 2^`C` cells. See the [module](self).
///
/// - A crossing is told of 7 clocks after its command or cell at the earliest, and within 30.
/// - `clear` forgets all levels, an entry per clock; nothing may come meanwhile. What was `on` is so no more.
#[block("sue_pack_levels", new, queues = 1usize << Q, cells = 1usize << C)]
pub struct PackLevels<const P: usize, const Q: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all levels.
    clear: In<Bit>,
    /// QHI, cells.
    high: In<Bits<16>>,
    /// QLO, cells.
    low: In<Bits<16>>,
    /// A command is in its queue; at most one in 4 clocks on average.
    pub arrivals: FlowIn<QueueCells>,
    /// A cell of this queue was read; those of two queues are at least 9 clocks apart.
    pub left: FlowIn<Bits<12>>,
    /// Queues that have crossed a threshold.
    pub crossings: FlowOut<QueueXoff>,

    #[wire(clock, clear)]
    waiting: SmallFifo<QueueCells, 2, 3>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    memory: Ram<QueueLevel, Q>,
    #[init(true)]
    clears: Register<Bit>,
    walk: Register<Bits<Q>>,
    /// Cells that have left the queue whose body is read, and those of the queue before.
    leaving: Register<Bits<C>>,
    leaving_queue: Reg<Bits<Q>>,
    gone: Register<Bits<C>>,
    gone_queue: Reg<Bits<Q>>,

    /// Where events are: the first clock after they were taken, the second, ...
    stage: Register<Bits<6>>,
    /// The event of stages 0 to 2.
    early_queue: Reg<Bits<Q>>,
    early_change: Reg<Bits<C>>,
    /// The event of stages 3 to 5, and the level before it.
    late_queue: Reg<Bits<Q>>,
    change: Reg<Bits<C>>,
    entry: Reg<QueueLevel>,
    /// `early` is of the queue of `late`, whose level is `level`.
    #[wire(d = _)]
    same: Reg<Bit>,
    began: Register<Bit>,
    level: Reg<Bits<C>>,
    on: Reg<Bit>,
    #[wire(d = _)]
    told: Reg<QueueXoff>,
    tells: Register<Bit>,
}

/// A command that is in its queue now.
#[packed]
pub struct QueueCells {
    /// The queue: the virtual channel in the lowest two bits, the destination above.
    queue: Bits<12>,
    /// Its cells, less one.
    cells_less_one: Bits<COMMAND_CELLS_BITS>,
}

/// What is kept of a queue.
#[packed]
pub struct QueueLevel {
    /// Its cells.
    cells: Bits<12>,
    /// Its XPU is to hold back.
    on: Bit,
}

#[logic]
impl<const P: usize, const Q: usize, const C: usize> PackLevels<P, Q, C> {
    /// Empty queues.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_pack_levels", "C", C as u64, 6, 12)?;
        check_derived("sue_pack_levels", "Q", Q as u64, "P + 2", P as u64 + 2)?;
        Ok(Self { waiting: SmallFifo::new()?, memory: Ram::new(RamConfig::table(1 << Q))?, .. })
    }

    fn update(&mut self) {
        waiting.words_in = In { data: arrivals.data, valid: arrivals.valid };
        let free = !stage[0] & !stage[1] & !clears;
        let owes = gone.any();
        let comes = waiting.words_out.valid & !owes;
        let leaves = leaving.any() & !owes & !comes;
        waiting.words_out.ready = free & !owes;
        stage = cat(free & (owes | comes | leaves), stage[0..5]);
        self.count_left(free, leaves);
        self.take(free, owes, comes);
        self.change_level();
        self.tell();
    }

    /// Cells that leave, until there is a clock for them.
    fn count_left(&mut self, free: Bit, leaves: Bit) {
        let of_left = left.data;
        let left_queue: Bits<Q> = of_left.bits::<Q>(0);
        let other = left.valid & (left_queue != leaving_queue);
        let served = free & leaves;
        let kept = if other | served { 0 } else { leaving };
        let more: Bits<C> = bit_cast::<C, 1>(left.valid.into());
        leaving = kept + more;
        if left.valid {
            leaving_queue = left_queue;
        }
        // Those of a body that has ended move over.
        gone = if other & !served {
            leaving
        } else if free {
            0
        } else {
            gone
        };
        if other {
            gone_queue = leaving_queue;
        }
    }

    /// Stages 0 to 2: an event, and the level of its queue.
    fn take(&mut self, free: Bit, owes: Bit, comes: Bit) {
        let command = waiting.words_out.data;
        let of_command = command.queue;
        let less_one: Bits<C> = bit_cast::<C, COMMAND_CELLS_BITS>(command.cells_less_one);
        let minuend: Bits<C> = 0;
        let number = if owes { gone } else { leaving };
        let removed = minuend - number;
        if free {
            early_queue = if owes {
                gone_queue
            } else if comes {
                of_command.bits::<Q>(0)
            } else {
                leaving_queue
            };
            early_change = if comes { less_one + 1 } else { removed };
        }
        memory.read_address = early_queue;
        same = began & (early_queue == late_queue);
        began = began | stage[2];
        let read = memory.read_data;
        if stage[2] {
            late_queue = early_queue;
            change = early_change;
            entry = if same { QueueLevel { cells: bit_cast::<12, C>(level), on } } else { read };
        }
    }

    /// Stage 3: the sum. Stage 4: the comparison.
    fn change_level(&mut self) {
        let before = entry.cells;
        if stage[3] {
            level = before.bits::<C>(0) + change;
        }
        let wide: Bits<16> = bit_cast::<16, C>(level);
        let reaches = wide >= high;
        let few = wide <= low;
        if stage[4] {
            on = reaches | (entry.on & !few);
        }
    }

    /// Stage 5: the level is written, and told if it has crossed a threshold.
    fn tell(&mut self) {
        clears.clear = false;
        let ends = walk.all();
        clears = clear | (clears & !ends);
        walk.clear = clear;
        walk = walk + 1;
        let zero: Bits<C> = 0;
        let kept_cells = if clears { zero } else { level };
        memory.write_enable = stage[5] | clears;
        memory.write_address = if clears { walk } else { late_queue };
        memory.write_data = QueueLevel { cells: bit_cast::<12, C>(kept_cells), on: on & !clears };
        let destination = late_queue.bits::<P>(2);
        told = QueueXoff { destination: bit_cast::<10, P>(destination), vc: late_queue[0..2], on };
        tells = stage[5] & (on != entry.on);
        crossings = In { data: told, valid: tells };
    }
}
