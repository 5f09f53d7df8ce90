//! The table of the queues: an event every 3 clocks, also on one queue.
//!
//! | event | does |
//! |---|---|
//! | `Arrive` | the command becomes the last of its queue; a queue that was out enters a list, or begins at once if nothing else waits |
//! | `Start` | the queue that a list has reached begins, unless it is not there any more |
//! | `Close` | what is left of the queue after its body waits for the answer |
//! | `Answer` | an open queue enters a list again, or is out if it is empty |
//!
//! A flush moves its queue to the list of flushed queues. Its old place in the other list goes stale; there the queue is passed over, or it takes
//! that place again when it is listed before. So no list has a queue twice.

use super::entry::{Arrival, Command, Place, QueueEvent, QueueState, QueueWindow, COMMAND_BITS, STATE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// What the table does.
#[packed]
enum Mode {
    Clears,
    Runs,
}

/// 2^`Q` queues, the virtual channel in the lowest two bits of a number, the destination (`P` bits) above; 2^`C` cells. See the
/// [module](self).
#[block("sue_pack_queues", new, queues = 1usize << Q, cells = 1usize << C)]
pub struct PackQueues<const P: usize, const Q: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all queues.
    clear: In<Bit>,
    /// The table is ready.
    runs: Out<Bit>,
    /// A command has come.
    arrival_valid: In<Bit>,
    /// It is taken.
    arrival_taken: Out<Bit>,
    /// The command.
    arrival: In<Arrival>,
    /// Its first cell.
    arrival_cell: In<Bits<C>>,
    /// Answers of the sender.
    pub windows: FlowIn<QueueWindow>,
    /// A list has reached a queue.
    start_valid: In<Bit>,
    /// Which one.
    start_queue: In<Bits<Q>>,
    /// It is the list of flushed queues.
    start_urgent: In<Bit>,
    /// It is being looked at.
    start_taken: Out<Bit>,
    /// It begins, or was not there any more.
    start_done: Out<Bit>,
    /// It was changed just before: ask again.
    start_again: Out<Bit>,
    /// A body is complete.
    close_valid: In<Bit>,
    /// Its queue.
    close_queue: In<Bits<Q>>,
    /// First cell of its last command.
    close_cell: In<Bits<C>>,
    /// It is taken.
    close_taken: Out<Bit>,
    /// First cell of the command after `close_cell`, as the links have it.
    link_cell: In<Bits<C>>,
    /// That command.
    link_command: In<Command>,
    /// A clock ago no queue waited for its turn.
    quiet: In<Bit>,
    /// Virtual channels that can send.
    ready: In<Bits<4>>,
    /// A command follows another one in its queue.
    link_enable: Out<Bit>,
    /// First cell of the other one.
    link_address: Out<Bits<C>>,
    /// First cell of the command.
    link_data_cell: Out<Bits<C>>,
    /// The command.
    link_data_command: Out<Command>,
    /// A queue enters a list.
    push_valid: Out<Bit>,
    /// It is the list of flushed queues.
    push_urgent: Out<Bit>,
    /// A body begins.
    begin_valid: Out<Bit>,
    /// The queue of `push_valid` and `begin_valid`.
    queue: Out<Bits<Q>>,
    /// First cell of the body.
    begin_cell: Out<Bits<C>>,
    /// Its first command.
    begin_command: Out<Command>,
    /// First cell of the last command in the queue that is built.
    tail: Out<Bits<C>>,

    mode: Register<Mode>,
    walk: Register<Bits<Q>>,
    states: Ram<QueueState, Q>,
    tails: Ram<Bits<C>, Q>,
    /// First cells of queues that are not being built.
    head_cells: Ram<Bits<C>, Q>,
    /// Their first commands.
    head_commands: Ram<Command, Q>,

    window: Reg<QueueWindow>,
    window_valid: Register<Bit>,
    later_window: Reg<QueueWindow>,
    later_window_valid: Register<Bit>,

    /// Where events are: the first clock after they were taken, the second, ...
    stage: Register<Bits<8>>,
    early: Reg<QueueEvent>,
    early_queue: Reg<Bits<Q>>,
    /// With `Answer`: open. With `Start`: from the list of flushed queues.
    early_flag: Reg<Bit>,
    early_cell: Register<Bits<C>>,
    early_command: Register<Command>,
    /// The event of stage 3.
    arrives: Register<Bit>,
    starts: Register<Bit>,
    closes: Register<Bit>,
    /// The sender opens the window of a queue.
    opens: Register<Bit>,
    /// A queue is to be asked for again: it was changed just before.
    again: Register<Bit>,
    /// The event before was a command.
    arrived: Reg<Bit>,
    /// A body was closed in stage 3.
    closed: Register<Bit>,
    /// Its last command is the last one of the queue.
    #[wire(d = _)]
    is_last: Reg<Bit>,
    late_queue: Reg<Bits<Q>>,
    late_flag: Reg<Bit>,
    late_cell: Reg<Bits<C>>,
    late_command: Reg<Command>,
    /// `early` is of the queue of `late`, whose entry is `written`.
    #[wire(d = _)]
    same: Reg<Bit>,
    began: Register<Bit>,
    /// The virtual channel can send.
    #[wire(d = _)]
    can_send: Reg<Bit>,
    state: Reg<QueueState>,
    last_cell: Reg<Bits<C>>,
    start_cell: Register<Bits<C>>,
    start_command: Register<Command>,
    written: Reg<QueueState>,
    written_cell: Reg<Bits<C>>,
    #[wire(d = _)]
    write_address: Reg<Bits<Q>>,
    #[wire(d = _)]
    write_enable: Reg<Bit>,
    pushes: Register<Bit>,
    begins: Register<Bit>,
    done: Register<Bit>,
    asks_again: Register<Bit>,
    /// A command came into an empty queue.
    heads: Register<Bit>,
    saves_head: Register<Bit>,
    lengthens: Register<Bit>,
    told_cell: Reg<Bits<C>>,
    told_command: Reg<Command>,
    tail_now: Reg<Bits<C>>,
}

#[logic]
impl<const P: usize, const Q: usize, const C: usize> PackQueues<P, Q, C> {
    /// Empty queues.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_pack", "P", P as u64, 1, 10)?;
        check_derived("sue_pack", "Q", Q as u64, "P + 2", P as u64 + 2)?;
        Ok(Self {
            states: Ram::new(RamConfig::table(1 << Q))?,
            tails: Ram::new(RamConfig::table(1 << Q))?,
            head_cells: Ram::new(RamConfig::table(1 << Q))?,
            head_commands: Ram::new(RamConfig::table(1 << Q))?,
            ..
        })
    }

    fn update(&mut self) {
        self.keep_windows();
        self.take();
        self.read();
        self.decide();
        self.write();
    }

    /// The sender answers at most once in 4 clocks: two registers are enough.
    fn keep_windows(&mut self) {
        let answers = self.answer_taken();
        if !window_valid | answers {
            window = if later_window_valid { later_window } else { windows.data };
        }
        let keeps = window_valid & !answers;
        window_valid = keeps | later_window_valid | windows.valid;
        if !later_window_valid | !keeps {
            later_window = windows.data;
        }
        later_window_valid = (later_window_valid & (keeps | windows.valid)) | (keeps & windows.valid);
    }

    /// An answer goes into the pipeline in this clock.
    fn answer_taken(&mut self) -> Bit {
        let takes = (mode == Mode::Runs) & !stage[0] & !stage[1];
        let answers = takes & window_valid & !close_valid;
        start_taken = takes & start_valid & !close_valid & !window_valid;
        arrival_taken = takes & !close_valid & !window_valid & !start_valid;
        close_taken = takes & close_valid;
        answers
    }

    /// One of the events goes into the pipeline: a body that closes first, commands last.
    fn take(&mut self) {
        let free = !stage[0] & !stage[1];
        let some = close_valid | window_valid | start_valid | arrival_valid;
        let taken = (mode == Mode::Runs) & free & some;
        let lower = close_valid | window_valid | start_valid;
        stage = cat(taken, stage[0..7]);
        let answer_queue: Bits<Q> = cat(window.vc, Self::low(window.destination));
        let arrival_queue: Bits<Q> = cat(arrival.vc, Self::low(arrival.destination));
        if free {
            early = if close_valid {
                QueueEvent::Close
            } else if window_valid {
                QueueEvent::Answer
            } else if start_valid {
                QueueEvent::Start
            } else {
                QueueEvent::Arrive
            };
            early_queue = if close_valid {
                close_queue
            } else if window_valid {
                answer_queue
            } else if start_valid {
                start_queue
            } else {
                arrival_queue
            };
            early_flag = if window_valid { window.open } else { start_urgent };
        }
        early_cell.clear = free & lower;
        early_cell.enable = free;
        early_cell = arrival_cell;
        early_command.clear = free & lower;
        early_command.enable = free;
        early_command = arrival.command;
    }

    /// Stages 0 to 2: the entry, or what the event before made of it.
    fn read(&mut self) {
        states = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        tails = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        head_cells = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        head_commands = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        states.read_address = early_queue;
        tails.read_address = early_queue;
        head_cells.read_address = early_queue;
        head_commands.read_address = early_queue;

        same = began & (early_queue == late_queue);
        began = began | stage[2];
        // The first command of a queue is written too late for a start that follows at once.
        let soon = stage[5] | stage[6] | stage[7];
        let too_soon = same & soon & arrived;
        let now = stage[2];
        let is_arrive = early == QueueEvent::Arrive;
        let is_start = early == QueueEvent::Start;
        arrives = now & is_arrive;
        starts = now & is_start & !too_soon;
        again = now & is_start & too_soon;
        closes = now & (early == QueueEvent::Close);
        opens = now & (early == QueueEvent::Answer) & early_flag;
        if now {
            arrived = is_arrive;
            late_queue = early_queue;
            late_flag = early_flag;
            late_cell = early_cell;
            late_command = early_command;
            state = if same { written } else { states.read_data };
            last_cell = if same { written_cell } else { tails.read_data };
        }
        let vc = early_queue[0..2];
        can_send = match vc {
            0 => ready[0],
            1 => ready[1],
            2 => ready[2],
            _ => ready[3],
        };
        start_cell.clear = !is_start;
        start_cell = head_cells.read_data;
        start_command.clear = !is_start;
        start_command = head_commands.read_data;
    }

    /// Stage 3: what the event does.
    fn decide(&mut self) {
        let now = stage[3];
        let is_out = state.place == Place::Out;
        let is_listed = state.place == Place::Listed;
        let is_open = opens & (state.place == Place::Waits);
        // A command that meets nothing else begins a body at once.
        let at_once = can_send & quiet;
        let found = starts & is_listed & (state.urgent == late_flag);
        let enters = (arrives & is_out & !at_once) | (is_open & state.some);
        let flush = arrives & late_command.flush;
        let moves = flush & is_listed & !state.urgent;
        let urgent = state.urgent | flush;
        let begins_now = found | (arrives & is_out & at_once);
        if now {
            let place = if begins_now {
                Place::Builds
            } else if enters {
                Place::Listed
            } else if closes {
                Place::Waits
            } else if is_open {
                Place::Out
            } else {
                state.place
            };
            written = QueueState {
                place,
                some: arrives | state.some,
                urgent: urgent & !begins_now,
                stale: (state.stale | moves) & !(starts & !late_flag & !found) & !(enters & !urgent),
            };
            written_cell = if arrives { late_cell } else { last_cell };
        }
        pushes = moves | (enters & (urgent | !state.stale));
        begins = begins_now;
        done = starts;
        asks_again = again;
        lengthens = begins_now | (arrives & (state.place == Place::Builds));
        heads = arrives & !state.some;
        closed = closes;
        is_last = last_cell == close_cell;
        link_enable = arrives & state.some;
        link_address = last_cell;
        link_data_cell = late_cell;
        link_data_command = late_command;
        self.keep_head(now);
    }

    /// The command that begins a queue or a body: of the event, of the table, or the one after the last of a body. Those that do not
    /// count are 0.
    fn keep_head(&mut self, now: Bit) {
        let late_bits: Bits<COMMAND_BITS> = late_command.into();
        let start_bits: Bits<COMMAND_BITS> = start_command.into();
        let link_bits: Bits<COMMAND_BITS> = link_command.into();
        let from_link = if closes { link_bits } else { bits::<COMMAND_BITS>(0) };
        let from_link_cell = if closes { link_cell } else { bits::<C>(0) };
        if now {
            told_cell = late_cell | start_cell | from_link_cell;
            let told_bits = late_bits | start_bits | from_link;
            told_command = told_bits.into();
        }
        saves_head = heads | (closed & !is_last);
    }

    /// Stage 4: what it did is told. Stage 5: the entry is written, and the head of the queue.
    fn write(&mut self) {
        push_valid = pushes;
        push_urgent = written.urgent;
        begin_valid = begins;
        queue = late_queue;
        begin_cell = told_cell;
        begin_command = told_command;
        start_done = done;
        start_again = asks_again;
        head_cells = In { write_enable: saves_head, write_address: late_queue, write_data: told_cell };
        head_commands = In { write_enable: saves_head, write_address: late_queue, write_data: told_command };
        if lengthens {
            tail_now = written_cell;
        }
        tail = tail_now;

        walk.clear = clear;
        walk = walk + 1;
        let clears = mode == Mode::Clears;
        let ends = walk.all();
        mode = if clears & !ends { Mode::Clears } else { Mode::Runs };
        runs = !clears;
        // Nothing is left after a body.
        if closed & is_last {
            written.some = false;
            written.urgent = false;
        }
        if clears {
            written = bits::<STATE_BITS>(0).into();
        }
        write_enable = stage[4] | clears;
        write_address = if clears { walk } else { late_queue };
        states = In { write_enable, write_address, write_data: written };
        tails = In { write_enable, write_address, write_data: written_cell };
    }

    /// The bits of an XPU number that choose a queue.
    fn low(destination: Bits<10>) -> Bits<P> {
        destination.bits::<P>(0)
    }
}
