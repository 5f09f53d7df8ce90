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
    last_cell: Out<Bits<C>>,
    /// First cell of the command whose link is read.
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

    /// The following command begins a body.
    starts: Register<Bit>,
    /// The following command joins the body.
    follows: Register<Bit>,
    /// It does not: it is too long, of another partition, or after a flush.
    refused: Register<Bit>,
    #[wire(clear = false)]
    following_queue: Register<Bits<Q>>,
    #[wire(clear = false)]
    following_cell: Register<Bits<C>>,
    #[wire(clear = false)]
    following: Register<Command>,
    /// The following command has come and is not taken; whether it joins is known 2 clocks later.
    following_valid: Register<Bit>,
    judges: Register<Bits<2>>,
    #[wire(d = _)]
    fits: Reg<Bit>,
    #[wire(d = _)]
    belongs: Reg<Bit>,
    ended: Register<Bit>,
    /// `following_cell` changed a clock ago, two clocks ago.
    moved: Register<Bits<2>>,

    busy: Register<Bit>,
    /// A word is to be read that is not the last of its command.
    before_last: Register<Bit>,
    /// The last word of a command is to be read.
    at_last: Register<Bit>,
    #[wire(clear = false)]
    cell: Register<Bits<C>>,
    place: Register<Bits<3>>,
    /// `place` is the last one.
    at_end: Register<Bit>,
    /// As `cell` and `place`, for the memory. They are cleared, the others not: so they are not made one.
    read_from: Register<Bits<C>>,
    read_at: Register<Bits<3>>,
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
    /// The command was taken a clock ago.
    took: Register<Bit>,
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
    /// No more commands can be counted.
    #[wire(d = _)]
    full: Reg<Bit>,
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
        let alone = !following_valid & !more;
        let joins = run & at_last & follows;
        let ends = run & at_last & (refused | alone);
        let issues = run & (before_last | (at_last & (follows | refused | alone)));
        // What is drained is not busy.
        let begins = starts & drained;
        let takes = joins | begins;

        self.look_ahead(takes, ends);
        self.step(issues, takes, ends);
        self.keep_body(joins, begins, ends);
        self.leave_cells(issues, takes);

        let units: Bits<2> = if at_last { last_units } else { 3 };
        passage = Passage { valid: issues, units, ends };
        read_cell = read_from;
        read_place = read_at;
        idle = !busy & !starts;
    }

    /// The command after the one that was taken last. Its link comes out of the memory 2 clocks after `following_cell`, which after the end of a
    /// body is the first cell of its last command again.
    fn look_ahead(&mut self, takes: Bit, ends: Bit) {
        more = following_cell != tail;
        let loads = busy & more & !moved[0] & !moved[1] & !following_valid;
        moved = cat(loads | begin_valid | ended, moved[0]);
        ended = ends;
        starts = begin_valid | (starts & !takes);
        following_queue.enable = begin_valid;
        following_queue = begin_queue;
        let changes = loads | begin_valid;
        following_cell.enable = changes | ended;
        following.enable = changes;
        following_cell = if begin_valid {
            begin_cell
        } else if ended {
            first_cell
        } else {
            link_cell
        };
        following = if begin_valid { begin_command } else { link_command };
        let over = takes | ends;
        following_valid = loads | (following_valid & !over);
        judges = cat(loads, judges[0]);
        let units: Bits<12> = bit_cast::<12, 8>(following.units);
        fits = units < room;
        belongs = (following.partition == body_partition) & !flush & !full;
        let joins_later = fits & belongs;
        follows.clear = clear | over;
        follows.enable = judges[1];
        follows = joins_later;
        refused.clear = clear | over;
        refused.enable = judges[1];
        refused = !joins_later;
        cursor = following_cell;
        last_cell = first_cell;
    }

    /// The words of a command.
    fn step(&mut self, issues: Bit, takes: Bit, ends: Bit) {
        busy = takes | (busy & !ends);
        let one_after = words_after == 1;
        let decided = follows | refused | (!following_valid & !more);
        let stays = at_last & !(run & decided);
        let reaches = run & before_last & one_after;
        at_last = (takes & following.short) | (!takes & (reaches | stays));
        before_last = (takes & !following.short) | (!takes & before_last & !(run & one_after));
        let crosses = run & before_last & at_end;
        let next_cell = if before_last { chain_cell } else { following_cell };
        let next_place = place + 1;
        cell.enable = takes | crosses;
        cell = next_cell;
        place.clear = takes;
        place.enable = issues;
        place = next_place;
        at_end.clear = clear | takes;
        at_end.enable = issues;
        at_end = next_place.all();
        // The same once more: the way to all blocks of the memory is long.
        read_from.enable = takes | crosses;
        read_from = next_cell;
        read_at.clear = takes | clear;
        read_at.enable = issues;
        read_at = next_place;
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
        took = joins | begins;
        room.enable = !busy | took;
        let taken_wide: Bits<12> = bit_cast::<12, 8>(taken);
        // The taken units less one, and one more.
        room = if busy { room + !taken_wide } else { room_of_body };
        body_queue.enable = begins;
        body_queue = following_queue;
        body_partition.enable = begins;
        body_partition = following.partition;
        count.enable = begins | joins;
        count = if begins { 1 } else { count + 1 };
        full = count.all();
        drained = (drained | gone) & !begins;
        closes = ends | (closes & !close_taken);
        close_valid = closes;
        queue = body_queue;
        partition = body_partition;
        commands = count;
    }

    /// Cells that are free again. The first one of a command goes last.
    fn leave_cells(&mut self, issues: Bit, takes: Bit) {
        let leaves = issues & (at_last | (at_end & beyond_first));
        beyond_first.clear = takes;
        beyond_first.enable = issues & at_end;
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
