//! `sue_timers`: the retransmission timers of a go-back-N sender (chapter 50, 4.5 rule 3).
//!
//! A connection gets one of 2^T timers when it starts its own, and gives it back when it stops or has run out. So there are as many timers as
//! replay slots, not as connections: what waits for an acknowledgment stands in a slot.
//!
//! - `commands`: a connection's timer starts from 0, for `rto` times 2^`backoff` clocks, or stops. Starting one that runs starts it again.
//! - `expired` gives each connection whose timer has run out, once; it has no timer then.
//! - A timer never runs out before its time. It is told within 4 2^T clocks, if no other runs out at the same time and `commands` does not wait: all timers are
//!   looked at in turn, one per clock; each further one costs 10 clocks.
//! - One command every 7 clocks, and one more for each step of its `backoff`; 13 commands wait. `room` says that the next 4 will be taken.
//! - Whoever takes `expired` and gives a command to the same connection at the same time gets both. The table of connections bears that.
//! - A start without a free timer does nothing but `lost`: there are fewer timers than connections that wait.
//! - `clear` stops all timers and walks through the memories, 2^A clocks; commands are not taken until then.
//!
//! The map from connections to timers says which timer a connection has, if any. A timer that seems to have run out is looked at once more between
//! two commands, so that nothing changes it meanwhile.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::{Fifo, SmallFifo};

/// What a connection's timer is to do.
#[packed]
pub struct TimerCommand {
    /// The connection.
    connection: Bits<12>,
    /// It starts from 0; else it stops.
    starts: Bit,
    /// With `starts`: for RTO times 2^`backoff`.
    backoff: Bits<4>,
}

/// The timer of a connection.
#[packed]
struct MappedTimer {
    timer: Bits<8>,
    runs: Bit,
}

/// What is kept of a timer.
#[packed]
struct TimerRecord {
    /// When it runs out.
    deadline: Bits<40>,
    connection: Bits<12>,
    runs: Bit,
}

/// What is written into both memories.
#[packed]
struct TimerChange {
    connection: Bits<12>,
    timer: Bits<8>,
    deadline: Bits<40>,
    runs: Bit,
}

/// What the block does.
#[packed]
enum Mode {
    Clears,
    Runs,
}

/// 2^`T` timers for 2^`A` connections; `C` = `T` + 1. See the [module](self).
#[block("sue_timers", new, connections = 1usize << A, timers = 1usize << T)]
pub struct SueTimers<const A: usize, const T: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Stops all timers.
    clear: In<Bit>,
    /// RTO, in clocks.
    rto: In<Bits<24>>,
    /// What timers are to do.
    pub commands: StreamIn<TimerCommand>,
    /// The next four commands will be taken.
    room: Out<Bit>,
    /// Connections whose timer has run out.
    pub expired: StreamOut<Bits<12>>,
    /// A timer was to be started, and there was none.
    lost: Out<Bit>,

    #[init(Mode::Clears)]
    #[wire(clear = false)]
    mode: Register<Mode>,
    walk: Register<Bits<A>>,
    /// Free timers not given to `pool` yet; the top bit: none.
    fill: Register<Bits<C>>,
    now: Reg<Bits<40>>,

    #[wire(clock, clear)]
    queue: SmallFifo<TimerCommand, 4, 5>,
    came: Register<Bit>,
    #[wire(d = _)]
    received_command: Reg<TimerCommand>,
    /// Commands that wait.
    waiting: Register<Bits<5>>,
    takes: Register<Bit>,
    has_room: Register<Bit>,
    #[wire(clock, clear)]
    pool: Fifo<Bits<T>, T, C>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    map: Ram<MappedTimer, A>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    records: Ram<TimerRecord, T>,

    /// Where the command is: its connection's timer is read; it waits at 3 for its deadline; at 4 it is written.
    work: Register<Bits<5>>,
    command: Reg<TimerCommand>,
    command_waits: Register<Bit>,
    #[wire(d = _)]
    mapped: Reg<MappedTimer>,
    /// RTO, shifted so far.
    span: Reg<Bits<39>>,
    /// Steps to be shifted.
    shifts: Reg<Bits<4>>,
    /// `deadline` is that of `span`.
    #[wire(d = _)]
    shifted: Reg<Bit>,
    #[wire(d = _)]
    deadline: Reg<Bits<40>>,
    /// The last turn was a command's.
    worked: Register<Bit>,

    /// Where the second look is: at the address, in the array, after it, in `seen`, in `overdue`.
    check: Register<Bits<5>>,
    turn: Reg<Bits<T>>,
    #[wire(d = _)]
    look: Reg<Bits<T>>,
    #[wire(d = _)]
    looked: [Reg<Bits<T>>; 4],
    #[wire(d = _)]
    seen: Reg<TimerRecord>,
    #[wire(d = _)]
    seen_connection: Reg<Bits<12>>,
    #[wire(d = _)]
    overdue: Reg<Bit>,
    /// A timer that seems to have run out.
    suspect: Reg<Bits<T>>,
    suspected: Register<Bit>,

    changes: Register<Bit>,
    #[wire(d = _)]
    change: Reg<TimerChange>,
    told_valid: Register<Bit>,
    told: Reg<Bits<12>>,
    lost_now: Register<Bit>,
    /// The first free timer is taken.
    pops: Register<Bit>,
}

#[logic]
impl<const A: usize, const T: usize, const C: usize> SueTimers<A, T, C> {
    /// Timers that do not run.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_timers", "A", A as u64, 4, 12)?;
        check_range("sue_timers", "T", T as u64, 4, 8.min(A as u64))?;
        check_derived("sue_timers", "C", C as u64, "T + 1", T as u64 + 1)?;
        Ok(Self {
            queue: SmallFifo::new()?,
            pool: Fifo::new()?,
            map: Ram::new(RamConfig::table(1 << A))?,
            records: Ram::new(RamConfig::block(1 << T))?,
            ..
        })
    }

    fn update(&mut self) {
        now = now + 1;
        let runs = mode == Mode::Runs;
        let (begins_check, begins_work) = self.choose(runs);
        self.take_commands();
        let (acts, drops) = self.work_on(begins_work);
        let finds = self.look_round(begins_check, runs);

        // What is decided is written a clock later.
        changes = acts | finds;
        let keeps = acts & command.starts;
        let new_timer = if mapped.runs { mapped.timer } else { bit_cast::<8, T>(pool.words_out.data) };
        let connection = if finds { seen_connection } else { command.connection };
        let timer = if finds { bit_cast::<8, T>(suspect) } else { new_timer };
        change = TimerChange { connection, timer, deadline, runs: keeps };
        lost_now = drops;
        lost = lost_now;
        if finds {
            told = seen_connection;
        }
        told_valid = finds | (told_valid & !expired.ready);
        expired = In { data: told, valid: told_valid };
        self.write(runs);
    }

    /// Whose turn it is: a command's, or that of a second look.
    fn choose(&mut self, runs: Bit) -> (Bit, Bit) {
        let idle = runs & !work.any() & !check.any();
        let may_check = suspected & !told_valid;
        let prefers_check = may_check & (worked | !command_waits);
        let begins_check = idle & prefers_check;
        let begins_work = idle & command_waits & !prefers_check;
        worked = begins_work | (worked & !begins_check);
        (begins_check, begins_work)
    }

    /// Commands, and how many wait; the next one is in `command`.
    fn take_commands(&mut self) {
        commands.ready = takes & !clear;
        let comes = commands.valid & takes & !clear;
        came = comes;
        received_command = commands.data;
        queue.words_in = In { data: received_command, valid: came };
        let moves = queue.words_out.valid & !command_waits;
        queue.words_out.ready = !command_waits;
        if moves {
            command = queue.words_out.data;
        }
        command_waits = moves | (command_waits & !work[3]) | (work[3] & !shifted);
        waiting.enable = comes ^ moves;
        waiting = if comes { waiting + 1 } else { waiting - 1 };
        // as many may be on their way as `queue` has places beyond this
        let open = mode == Mode::Runs;
        let many = waiting[3] & waiting[2];
        takes = open & !many & !waiting[4];
        has_room = open & !waiting[3] & !waiting[4];
        room = has_room;
    }

    /// A command: which timer the connection has; its deadline meanwhile.
    fn work_on(&mut self, begins_work: Bit) -> (Bit, Bit) {
        let more = shifts.any();
        if work[0] {
            span = bit_cast::<39, 24>(rto);
            shifts = if command.starts { command.backoff } else { 0 };
        } else if more {
            span = span << 1;
            shifts = shifts - 1;
        }
        shifted = !more;
        deadline = now + bit_cast::<40, 39>(span);

        let address = command.connection;
        map.read_address = address.bits::<A>(0);
        mapped = map.read_data;
        let decides = work[3] & shifted;
        let stays = work[3] & !decides;
        work = cat(begins_work, work[0..2], work[2] | stays, decides);
        let allocates = decides & command.starts & !mapped.runs;
        let free = pool.words_out.valid;
        pops = allocates & free;
        pool.words_out.ready = pops;
        let acts = decides & (mapped.runs | (allocates & free));
        let drops = allocates & !free;
        (acts, drops)
    }

    /// One timer after the other, and a second look at one that seems to have run out.
    fn look_round(&mut self, begins_check: Bit, runs: Bit) -> Bit {
        if !begins_check {
            turn = turn + 1;
        }
        look = if begins_check { suspect } else { turn };
        check = cat(begins_check, check[0..4]);
        records.read_address = look;
        looked[0] = look;
        for i in 0..3 {
            looked[i + 1] = looked[i];
        }
        seen = records.read_data;
        let left = seen.deadline - now;
        seen_connection = seen.connection;
        overdue = seen.runs & left[39];
        let finds = check[4] & overdue;
        if overdue & !suspected {
            suspect = looked[3];
        }
        suspected = runs & !check[4] & (suspected | overdue);
        finds
    }

    /// Writing, and zeros into all of it after a clear.
    fn write(&mut self, runs: Bit) {
        let clears = !runs;
        walk.clear = clear;
        walk = walk + 1;
        let ends = walk.all() & fill[T];
        mode = if clear {
            Mode::Clears
        } else if ends {
            Mode::Runs
        } else {
            mode
        };
        let of = change.connection;
        let written = change.timer;
        let starts = change.runs;
        map.write_enable = changes | clears;
        map.write_address = if clears { walk } else { of.bits::<A>(0) };
        map.write_data = MappedTimer { timer: written, runs: starts & !clears };
        records.write_enable = changes | clears;
        records.write_address = if clears { walk.bits::<T>(0) } else { written.bits::<T>(0) };
        records.write_data =
            TimerRecord { deadline: change.deadline, connection: of, runs: starts & !clears };

        // Timers that are free: all of them after a clear, then each that stops.
        let fills = clears & !fill[T];
        let stops = changes & !starts;
        pool.words_in.valid = fills | stops;
        pool.words_in.data = if clears { fill.bits::<T>(0) } else { written.bits::<T>(0) };
        fill.clear = clear;
        fill.enable = fills & pool.words_in.ready;
        fill = fill + 1;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_timers",
    chapter: "50-sue",
    summary: "retransmission timers of a go-back-N sender",
    parameters: &[
        ParameterInfo::new(
            "connections",
            256,
            Allowed::PowerOfTwo(16, 4096),
            "{port, peer, VC}, a power of two",
        ),
        ParameterInfo::new(
            "timers",
            32,
            Allowed::PowerOfTwo(16, 256),
            "that run, a power of two, at most as many as connections",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096), ("timers", 256)] },
        Preset { name: "small", values: &[("connections", 16), ("timers", 16)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let timers = log2(settings.size("timers")?);
    shapes! {
        settings: (connections, timers = timers) => build_as [log2(connections), timers, timers + 1];
        presets { (256, 5) (4096, 8) (16, 4) }
    }
}

/// Builds the block with these const parameters; see [`SueTimers`].
pub fn build_as<const A: usize, const T: usize, const C: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("commands", StreamSink), ("expired", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, None, "a timer runs out when its time has come");
    Ok(BuiltBlock::new(SueTimers::<A, T, C>::new()?, interface))
}
