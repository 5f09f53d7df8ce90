//! Commands in: words into cells, and what becomes of a command.
//!
//! Free cells are a ring of cell numbers. A command takes them from its front one by one; if it is dropped the front goes back to
//! where the command began, and none of its cells was ever gone. One cell less than there are is in the ring, so that a full ring is not an empty one.

use super::entry::{Arrival, CellsFreed, Command};
use crate::frame::{CommandHead, FrameWord};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Words of commands into cells of eight words; 2^`C` cells, `W` = `C` + 3. See the [module](self).
#[block("sue_pack_intake", new, cells = 1usize << C)]
pub struct PackIntake<const C: usize, const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the command and frees all cells.
    clear: In<Bit>,
    /// The tables are ready.
    runs: In<Bit>,
    /// Words of commands.
    pub words: StreamIn<FrameWord>,
    /// Of the command of the word.
    head: In<CommandHead>,
    /// A cell that was read.
    pub left: FlowIn<Bits<C>>,
    /// Virtual channel of the command that was in it.
    left_vc: In<Bits<2>>,
    /// A command has come completely.
    arrival_valid: Out<Bit>,
    /// It is taken.
    arrival_taken: In<Bit>,
    /// The command.
    arrival: Out<Arrival>,
    /// Its first cell.
    arrival_cell: Out<Bits<C>>,
    /// A word goes into a cell.
    write_enable: Out<Bit>,
    /// Place in bits 2:0, cell above.
    write_address: Out<Bits<W>>,
    /// Octets, and a bit of even parity of each above them.
    write_data: Out<Bits<72>>,
    /// A command goes on in another cell.
    chain_enable: Out<Bit>,
    /// The cell before.
    chain_address: Out<Bits<C>>,
    /// The cell after.
    chain_data: Out<Bits<C>>,
    /// Cells that can be used again.
    pub cells_freed: FlowOut<CellsFreed>,
    /// A command was dropped because there was no cell.
    overrun: Out<Bit>,

    #[wire(clear = false)]
    word: Register<FrameWord>,
    #[wire(clear = false)]
    word_head: Register<CommandHead>,
    word_valid: Register<Bit>,
    /// The word is the last of a command that is to be dropped.
    #[wire(clear = false)]
    word_bad: Register<Bit>,
    /// The word is the first of its command.
    #[init(true)]
    first: Register<Bit>,
    /// The word is the first of a cell.
    #[init(true)]
    boundary: Register<Bit>,
    /// Words of the command before this one.
    position: Register<Bits<6>>,
    /// The rest of the command has no cell.
    drops: Register<Bit>,

    free: Ram<Bits<C>, C>,
    read_pointer: Register<Bits<C>>,
    write_pointer: Register<Bits<C>>,
    /// Where the command began.
    #[wire(clear = false)]
    start_pointer: Register<Bits<C>>,
    /// A cell is put into the ring after a clear.
    fills: Register<Bit>,
    /// All cells were put into the ring.
    filled: Register<Bit>,
    /// The ring is empty.
    no_cell: Register<Bit>,
    /// Clocks since `read_pointer` changed: what it points to comes out of the ring.
    fresh: Register<Bits<2>>,
    /// Whether there is a next cell is known, and as `lacking` says.
    known: Register<Bit>,
    /// There is none.
    #[wire(d = _)]
    lacking: Reg<Bit>,
    /// Words may come.
    on: Register<Bit>,
    #[wire(d = _)]
    next_cell: Reg<Bits<C>>,
    #[wire(clear = false)]
    cell: Register<Bits<C>>,
    #[wire(clear = false)]
    first_cell: Register<Bits<C>>,

    stores: Register<Bit>,
    #[wire(d = _)]
    place: Reg<Bits<3>>,
    #[wire(d = _)]
    stored: Reg<Bits<72>>,
    writes: Register<Bit>,
    #[wire(d = _)]
    written_at: Reg<Bits<W>>,
    #[wire(d = _)]
    written: Reg<Bits<72>>,
    chains: Register<Bit>,
    #[wire(d = _)]
    cell_before: Reg<Bits<C>>,
    waits: Register<Bit>,
    #[wire(clear = false)]
    waiting: Register<Arrival>,
    #[wire(clear = false)]
    waiting_cell: Register<Bits<C>>,

    /// What became of a command may not be told yet: the last word of the next one waits.
    held: Register<Bit>,
    /// Cells of a dropped command have not been told of.
    returns: Register<Bit>,
    #[wire(clear = false)]
    returned: Register<CellsFreed>,
    freed_valid: Register<Bit>,
    #[wire(d = _)]
    freed: Reg<CellsFreed>,
    overran: Register<Bit>,
}

#[logic]
impl<const C: usize, const W: usize> PackIntake<C, W> {
    /// All cells free.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_pack", "C", C as u64, 6, 12)?;
        check_derived("sue_pack", "W", W as u64, "C + 3", C as u64 + 3)?;
        Ok(Self { free: Ram::new(RamConfig::block(1 << C))?, .. })
    }

    fn update(&mut self) {
        // What becomes of the word.
        let last = word.last;
        let moves = word_valid & (known | !boundary) & !(last & held);
        let lacks = boundary & lacking & !drops;
        let keeps = moves & !drops & !lacks & !word_bad;
        let takes = keeps & boundary;
        let back = moves & !drops & !first & (lacks | word_bad);

        // Words in.
        let room = on & (!word_valid | moves);
        on = filled & runs;
        words.ready = room & !clear;
        word.enable = room;
        word = words.data;
        word_head.enable = room;
        word_head = head;
        word_valid.enable = room;
        word_valid = words.valid;
        let next_word = words.data;
        word_bad.enable = room;
        word_bad = next_word.last & next_word.error;
        position.clear = clear | (moves & last);
        position.enable = moves;
        position = position + 1;
        first.enable = moves;
        first = last;
        let place_now = position[0..3];
        boundary.enable = moves;
        boundary = last | place_now.all();
        drops.enable = moves;
        drops = (drops | lacks) & !last;
        overran = moves & lacks;
        overrun = overran;

        self.free_cells(takes, back);
        self.store(keeps, takes);
        self.tell(keeps, moves, last);
    }

    /// The ring of free cells, and which one comes next.
    fn free_cells(&mut self, takes: Bit, back: Bit) {
        // Every other clock, so that the end is known in time.
        let full = write_pointer.all();
        fills = !filled & !fills & !full;
        filled = filled | full;
        let push = left.valid | fills;
        free = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        free.write_enable = push;
        free.write_address = write_pointer;
        free.write_data = if fills { write_pointer } else { left.data };
        write_pointer.enable = push;
        write_pointer = write_pointer + 1;

        free.read_address = read_pointer;
        read_pointer.enable = takes | back;
        read_pointer = if back { start_pointer } else { read_pointer + 1 };
        start_pointer.enable = first;
        start_pointer = read_pointer;
        no_cell = (read_pointer == write_pointer) & !back;
        let changes = takes | back;
        fresh.clear = clear | changes | no_cell;
        fresh = cat(true, fresh[0]);
        known.clear = clear | changes;
        known = fresh[1] | no_cell;
        lacking = no_cell;
        next_cell = free.read_data;
    }

    /// The word goes into its cell, a clock later.
    fn store(&mut self, keeps: Bit, takes: Bit) {
        cell.enable = takes;
        cell = next_cell;
        first_cell.enable = takes & first;
        first_cell = next_cell;
        chains = takes & !first;
        cell_before = cell;
        chain_enable = chains;
        chain_address = cell_before;
        chain_data = cell;

        let octets = word.data;
        let mut parity: Bits<8> = 0;
        for i in 0..8 {
            let octet = octets.bits::<8>(8 * i);
            parity = parity.with(i, octet.xor());
        }
        stores = keeps;
        place = position[0..3];
        stored = cat(octets, parity);
        // Once more: the way to all blocks of the memory is long.
        writes = stores;
        written_at = cat(place, cell);
        written = stored;
        write_enable = writes;
        write_address = written_at;
        write_data = written;
    }

    /// A whole command for its queue, or its cells back.
    fn tell(&mut self, keeps: Bit, moves: Bit, last: Bit) {
        let comes = keeps & last;
        let dropped = moves & last & !keeps;
        waits = comes | (waits & !arrival_taken);
        held = comes | dropped | waits | returns;
        let octets = word.bytes;
        let last_units = octets[1..3] - 1;
        waiting.enable = comes;
        let command = Command {
            units: cat(last_units, position),
            partition: word_head.partition,
            flush: word_head.flush,
            short: first,
        };
        waiting = Arrival { destination: word_head.destination, vc: word_head.vc, command };
        waiting_cell.enable = comes;
        waiting_cell = if first { next_cell } else { first_cell };
        arrival_valid = waits;
        arrival = waiting;
        arrival_cell = waiting_cell;

        returns = dropped | (returns & left.valid);
        returned.enable = dropped;
        let cells_before = position[3..6];
        returned = CellsFreed { vc: word_head.vc, count: cells_before + 1 };
        freed_valid = left.valid | returns;
        let of_body = CellsFreed { vc: left_vc, count: 1 };
        freed = if left.valid { of_body } else { returned };
        cells_freed = In { data: freed, valid: freed_valid };
    }
}
