//! Bodies: which commands are in them, and which words of which cells.
//!
//! The command that may follow is looked up while the words of the one before go by: 4 clocks. Whether it is in the body is decided with the
//! last word, so that commands that come until then join.

use super::entry::{Command, Passage};
use flitforge_hdl_prim::prelude::*;

/// Bodies of queues with 2^`Q` numbers, out of 2^`C` cells. See the [module](self).
#[block("sue_pack_builder", queues = 1usize << Q, cells = 1usize << C)]
pub struct PackBuilder<const Q: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the body.
    clear: In<Bit>,
    /// Most units of two octets in a body.
    room_of_body: In<Bits<12>>,
    /// A queue begins.
    begin_valid: In<Bit>,
    /// Which one.
    begin_queue: In<Bits<Q>>,
    /// First cell of its first command.
    begin_cell: In<Bits<C>>,
    /// The command.
    begin_command: In<Command>,
    /// First cell of the last command in the queue.
    tail: In<Bits<C>>,
    /// First cell of the command that was taken last.
    cursor: Out<Bits<C>>,
    /// First cell of the command after it, 2 clocks later.
    link_cell: In<Bits<C>>,
    /// That command.
    link_command: In<Command>,
    /// The cell after `read_cell`, 2 clocks later.
    chain_cell: In<Bits<C>>,
    /// A word can be read.
    run: In<Bit>,
    /// The last word of the body has left the packer.
    gone: In<Bit>,
    /// Cell of the word that is read.
    read_cell: Out<Bits<C>>,
    /// Its place in the cell.
    read_place: Out<Bits<3>>,
    /// The word that is read.
    passage: Out<Passage>,
    /// A cell that was read.
    pub left: FlowOut<Bits<C>>,
    /// A body is complete.
    close_valid: Out<Bit>,
    /// Its end is noted.
    close_taken: In<Bit>,
    /// Queue of the body, up to its last word.
    queue: Out<Bits<Q>>,
    /// Partition of the body, up to its last word.
    partition: Out<Bits<10>>,
    /// Commands in the body, with its last word.
    commands: Out<Bits<10>>,
    /// No body is being read or about to be.
    idle: Out<Bit>,

    /// The command that may come next.
    following_valid: Register<Bit>,
    /// It begins a body.
    following_begins: Register<Bit>,
    #[wire(clear = false)]
    following_queue: Register<Bits<Q>>,
    #[wire(clear = false)]
    following_cell: Register<Bits<C>>,
    #[wire(clear = false)]
    following: Register<Command>,
    /// It is of the partition of the body and fits in.
    #[wire(clear = false)]
    fits: Register<Bit>,

    busy: Register<Bit>,
    #[wire(clear = false)]
    cell: Register<Bits<C>>,
    place: Register<Bits<3>>,
    /// Words after this one.
    #[wire(clear = false)]
    words_after: Register<Bits<6>>,
    #[wire(clear = false)]
    last_units: Register<Bits<2>>,
    #[wire(clear = false)]
    flush: Register<Bit>,
    #[wire(clear = false)]
    first_cell: Register<Bits<C>>,
    /// The command is beyond its first cell, which is kept to its end because of its link.
    beyond_first: Register<Bit>,
    /// The command was taken a clock ago, two clocks ago.
    took: Register<Bits<2>>,
    /// Another command is in the queue.
    #[wire(d = _)]
    more: Reg<Bit>,
    #[wire(clear = false)]
    room: Register<Bits<12>>,
    #[wire(clear = false)]
    body_queue: Register<Bits<Q>>,
    #[wire(clear = false)]
    body_partition: Register<Bits<10>>,
    #[wire(clear = false)]
    count: Register<Bits<10>>,
    #[init(true)]
    drained: Register<Bit>,
    closes: Register<Bit>,
    left_valid: Register<Bit>,
    #[wire(d = _)]
    left_cell: Reg<Bits<C>>,
    owes: Register<Bit>,
    #[wire(clear = false)]
    owed: Register<Bits<C>>,
}

#[logic]
impl<const Q: usize, const C: usize> PackBuilder<Q, C> {
    fn update(&mut self) {
        // What becomes of the word, and of the command that may follow.
        let at_last = busy & !words_after.any();
        let full = flush | count.all();
        let follows = following_valid & fits & !full;
        let ends_here = full | (following_valid & !fits) | (!took[0] & !more);
        let issues = busy & run & (!at_last | follows | ends_here);
        let joins = issues & at_last & follows;
        let ends = issues & at_last & !follows;
        let begins = following_valid & following_begins & !busy & drained;
        let takes = joins | begins;

        self.look_ahead(takes, ends);
        self.step(issues, takes, ends);
        self.keep_body(joins, begins, ends);
        self.leave_cells(issues, at_last, takes);

        let units: Bits<2> = if at_last { last_units } else { 3 };
        passage = Passage { valid: issues, units, ends };
        read_cell = cell;
        read_place = place;
        idle = !busy & !following_valid;
    }

    /// The command after the one that was taken last.
    fn look_ahead(&mut self, takes: Bit, ends: Bit) {
        more = first_cell != tail;
        took = cat(takes, took[0]);
        let loads = busy & more & !took[0] & !took[1] & !following_valid;
        following_valid = begin_valid | (!ends & (loads | (following_valid & !takes)));
        following_begins.enable = loads | begin_valid;
        following_begins = begin_valid;
        following_queue.enable = begin_valid;
        following_queue = begin_queue;
        following_cell.enable = loads | begin_valid;
        following.enable = loads | begin_valid;
        following_cell = if begin_valid { begin_cell } else { link_cell };
        following = if begin_valid { begin_command } else { link_command };
        let units: Bits<12> = bit_cast::<12, 8>(link_command.units);
        fits.enable = loads;
        fits = (units < room) & (link_command.partition == body_partition);
        cursor = first_cell;
    }

    /// The words of a command.
    fn step(&mut self, issues: Bit, takes: Bit, ends: Bit) {
        busy = takes | (busy & !ends);
        let full_cell = place.all();
        cell.enable = takes | (issues & full_cell);
        cell = if takes { following_cell } else { chain_cell };
        place.clear = takes;
        place.enable = issues;
        place = place + 1;
        let units = following.units;
        words_after.enable = takes | issues;
        words_after = if takes { units[2..8] } else { words_after - 1 };
        last_units.enable = takes;
        last_units = units[0..2];
        flush.enable = takes;
        flush = following.flush;
        first_cell.enable = takes;
        first_cell = following_cell;
    }

    /// What the body has, and what still fits in.
    fn keep_body(&mut self, joins: Bit, begins: Bit, ends: Bit) {
        let taken: Bits<8> = cat(last_units, words_after);
        room.enable = !busy | took[0];
        let taken_wide: Bits<12> = bit_cast::<12, 8>(taken);
        // The taken units less one, and one more.
        room = if busy { room + !taken_wide } else { room_of_body };
        body_queue.enable = begins;
        body_queue = following_queue;
        body_partition.enable = begins;
        body_partition = following.partition;
        count.enable = begins | joins;
        count = if begins { 1 } else { count + 1 };
        drained = (drained | gone) & !begins;
        closes = ends | (closes & !close_taken);
        close_valid = closes;
        queue = body_queue;
        partition = body_partition;
        commands = count;
    }

    /// Cells that are free again. The first one of a command goes last.
    fn leave_cells(&mut self, issues: Bit, at_last: Bit, takes: Bit) {
        let full_cell = place.all();
        let leaves = issues & (at_last | (full_cell & beyond_first));
        beyond_first.clear = takes;
        beyond_first.enable = issues & full_cell;
        beyond_first = true;
        let owes_now = issues & at_last & beyond_first;
        owes = owes_now | (owes & leaves);
        owed.enable = owes_now;
        owed = first_cell;
        left_valid = leaves | owes;
        left_cell = if leaves { cell } else { owed };
        left = In { data: left_cell, valid: left_valid };
    }
}
