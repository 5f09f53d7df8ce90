//! `sue_pack`: commands that wait for one {destination, VC} become one body (chapter 50, 4.3).
//!
//! | part | does |
//! |---|---|
//! | `intake` | words into cells of 64 octets with parity; free cells; commands that are dropped |
//! | `queues` | the table of the queues, an event every 3 clocks |
//! | `turns` | arrival lists, weighted round robin |
//! | `builder` | which commands are in a body, which words of which cells |
//! | `levels` | cells of each queue, and its thresholds |
//! | `aligner` | words of the body without gaps of octets; parity |
//!
//! - A command counts once its last word has come. With `error` it is dropped whole, and its cells return; so it is if no cell is free (`overrun`).
//!   One cell of all stays unused.
//! - A body has whole commands of one partition, at most PACK_MAX octets and 1,023 commands; a flush ends it. Commands that come until the
//!   last word of the body is read may join. Nothing waits for a fuller body.
//! - After a body its queue has no turn until `windows` says `open` for it; with `open` low it is parked until an `open` comes later. An answer
//!   comes after the last word of the body, at most one in 4 clocks. Answers that nobody waits for say nothing.
//! - `turns` tells whose body comes next. This may be while the last words of the body before wait at `body`: `vc_ready` has to count a body from its
//!   turn on, and what it says is used up to 4 clocks later.
//! - A flush moves its queue to a list that goes before the other one of its VC, in the order of the flushes. The old place of the queue stays; if the queue is
//!   listed again before that place comes up, it takes it. A flush that joins a body under way moves its queue once if more commands wait.
//! - Latency 14 clocks from the last word of a command to the first word of its body, if nothing else waits; 19 from a VC that gets ready to the first word of a
//!   queue that waits; 11 clocks without a word between bodies.
//! - A word of a cell per clock, a command per 4 clocks: both in and out.
//! - `clear` forgets all commands; `commands.ready` is low until the table and the cells are empty, as many clocks as there are queues and
//!   twice as many as there are cells.
//! - `queue_xoff` says `on` for a queue that has QHI cells or more, and once more without `on` when it has QLO or fewer, and fewer than QHI. Nothing is `on` after a clear.

mod aligner;
mod builder;
mod entry;
mod intake;
mod levels;
mod queues;
mod settings;
mod turns;

pub use aligner::PackAligner;
pub use entry::{CellsFreed, Passage, QueueTurn, QueueWindow, QueueXoff};
pub use levels::{PackLevels, QueueCells};
pub use settings::*;

use crate::frame::{BodyHead, CommandHead, FrameWord};
use builder::PackBuilder;
use entry::Command;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use intake::PackIntake;
use levels::COMMAND_CELLS_BITS;
use queues::PackQueues;
use turns::PackTurns;

/// Clocks from the transfer of the last word of a command to the first word of its body, if nothing else waits.
pub const LATENCY: u32 = 14;

/// Where the cells before the last one of a command stand in its units.
const WHOLE_CELLS: usize = 5;

/// A packer for 2^`P` destinations with four virtual channels each, and 2^`C` cells; `Q` = `P` + 2, `R` = `P` + 3, `W` = `C` + 3. See the
/// [module](self).
#[block("sue_pack", new, peers = 1usize << P, cells = 1usize << C)]
pub struct SuePack<const P: usize, const C: usize, const Q: usize, const R: usize, const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all commands.
    clear: In<Bit>,
    /// What the registers say; it holds still while there are commands.
    pub settings: PackSettings,
    /// QHI, cells.
    queue_high: In<Bits<16>>,
    /// QLO, cells; at most QHI.
    queue_low: In<Bits<16>>,
    /// Words of commands, checked; `error` with the last one drops the command.
    pub commands: StreamIn<FrameWord>,
    /// Of the command of the word.
    head: In<CommandHead>,
    /// Answers of the sender.
    pub windows: FlowIn<QueueWindow>,
    /// Virtual channels that can send: a replay slot is obtainable, the class neither paused nor out of credit.
    vc_ready: In<Bits<4>>,
    /// Words of bodies; `error` with the last one: a cell had a parity error.
    pub body: StreamOut<FrameWord>,
    /// Of the body, from its first word to its last.
    body_head: Out<BodyHead>,
    /// Commands in the body, with its last word.
    commands_in_body: Out<Bits<10>>,
    /// A body of this queue will come.
    pub turns: FlowOut<QueueTurn>,
    /// Credits for cells.
    pub cells_freed: FlowOut<CellsFreed>,
    /// Queues that have crossed a threshold.
    pub queue_xoff: FlowOut<QueueXoff>,
    /// A command was dropped because no cell was free.
    overrun: Out<Bit>,

    #[wire(clock, clear)]
    intake: PackIntake<C, W>,
    #[wire(clock, clear)]
    queues: PackQueues<P, Q, C>,
    #[wire(clock, clear)]
    lists: PackTurns<P, R>,
    #[wire(clock, clear)]
    builder: PackBuilder<Q, C>,
    #[wire(clock, clear)]
    levels: PackLevels<P, Q, C>,
    #[wire(clock, clear)]
    aligner: PackAligner,
    /// The octets of the commands, with parity.
    #[wire(write_clock = clock, read_clock = clock)]
    cells: Ram<Bits<72>, W>,
    /// By cell, the one in which the command goes on.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    chain: Ram<Bits<C>, C>,
    /// By the first cell of a command, the first cell of the command after it.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    link_cells: Ram<Bits<C>, C>,
    /// By the first cell of a command, the command after it.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    link_commands: Ram<Command, C>,
    #[wire(d = _)]
    turn_told: Reg<QueueTurn>,
    turn_valid: Register<Bit>,
}

#[logic]
impl<const P: usize, const C: usize, const Q: usize, const R: usize, const W: usize> SuePack<P, C, Q, R, W> {
    /// An empty packer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            intake: PackIntake::new()?,
            queues: PackQueues::new()?,
            lists: PackTurns::new()?,
            levels: PackLevels::new()?,
            cells: Ram::new(RamConfig::block(1 << W))?,
            chain: Ram::new(RamConfig::block(1 << C))?,
            link_cells: Ram::new(RamConfig::block(1 << C))?,
            link_commands: Ram::new(RamConfig::block(1 << C))?,
            ..
        })
    }

    fn update(&mut self) {
        self.take_commands();
        self.order_queues();
        self.build_bodies();
        self.watch_levels();
    }

    /// Cells of queues against their thresholds.
    fn watch_levels(&mut self) {
        levels = In { high: queue_high, low: queue_low };
        let arrival = intake.arrival;
        let command = arrival.command;
        let units = command.units;
        let cells_less_one = units.bits::<COMMAND_CELLS_BITS>(WHOLE_CELLS);
        levels.arrivals.data = QueueCells { queue: cat(arrival.vc, arrival.destination), cells_less_one };
        levels.arrivals.valid = intake.arrival_valid & queues.arrival_taken;
        let of_body = builder.queue;
        levels.left = In { data: bit_cast::<12, Q>(of_body), valid: builder.left.valid };
        link(queue_xoff, levels.crossings);
    }

    /// Commands into cells, and their arrival at the table.
    fn take_commands(&mut self) {
        link(commands, intake.words);
        link(cells_freed, intake.cells_freed);
        intake = In { head, runs: queues.runs };
        join(builder.left, intake.left);
        let body_queue = builder.queue;
        intake.left_vc = body_queue[0..2];
        overrun = intake.overrun;
        cells = In { write_enable: intake.write_enable, write_address: intake.write_address };
        cells.write_data = intake.write_data;
        chain = In { write_enable: intake.chain_enable, write_address: intake.chain_address };
        chain.write_data = intake.chain_data;
        queues = In {
            arrival_valid: intake.arrival_valid,
            arrival: intake.arrival,
            arrival_cell: intake.arrival_cell,
        };
        intake.arrival_taken = queues.arrival_taken;
    }

    /// The table and the lists.
    fn order_queues(&mut self) {
        link(windows, queues.windows);
        link_cells = In { write_enable: queues.link_enable, write_address: queues.link_address };
        link_cells.write_data = queues.link_data_cell;
        link_commands = In { write_enable: queues.link_enable, write_address: queues.link_address };
        link_commands.write_data = queues.link_data_command;

        let queue = queues.queue;
        let vc = queue[0..2];
        let destination = queue.bits::<P>(2);
        lists = In { push: queues.push_valid, push_urgent: queues.push_urgent, vc, destination };
        lists = In { begins: queues.begin_valid, idle: builder.idle, closing: builder.close_valid, vc_ready };
        lists = In { weight_0: settings.weight_0, weight_1: settings.weight_1 };
        lists = In { weight_2: settings.weight_2, weight_3: settings.weight_3 };
        queues.start_valid = lists.start_valid;
        queues.start_queue = cat(lists.start_vc, lists.start_destination);
        queues.start_urgent = lists.start_urgent;
        queues = In { quiet: lists.quiet, ready: lists.ready };
        lists.start_taken = queues.start_taken;
        lists.start_done = queues.start_done;
        lists.start_again = queues.start_again;
        turn_told = QueueTurn { destination: bit_cast::<10, P>(destination), vc };
        turn_valid = queues.begin_valid;
        turns = In { data: turn_told, valid: turn_valid };
    }

    /// Commands of a queue into a body.
    fn build_bodies(&mut self) {
        let pack_max = settings.pack_max;
        builder.room_of_body = pack_max[1..13];
        builder =
            In { begin_valid: queues.begin_valid, begin_queue: queues.queue, begin_cell: queues.begin_cell };
        builder = In { begin_command: queues.begin_command, tail: queues.tail };
        queues.close_valid = builder.close_valid;
        queues.close_queue = builder.queue;
        queues.close_cell = builder.last_cell;
        builder.close_taken = queues.close_taken;
        link_cells.read_address = builder.cursor;
        link_commands.read_address = builder.cursor;
        queues = In { link_cell: link_cells.read_data, link_command: link_commands.read_data };
        builder = In { link_cell: link_cells.read_data, link_command: link_commands.read_data };
        chain.read_address = builder.read_cell;
        builder.chain_cell = chain.read_data;

        cells.read_address = cat(builder.read_place, builder.read_cell);
        cells.read_enable = aligner.run;
        cells.output_enable = aligner.run;
        aligner = In { passage: builder.passage, octets: cells.read_data };
        builder.run = aligner.run;
        link(body, aligner.body);
        let word = aligner.body.data;
        builder.gone = aligner.body.valid & body.ready & word.last;
        let body_queue = builder.queue;
        let destination = body_queue.bits::<P>(2);
        let vc = body_queue[0..2];
        body_head =
            BodyHead { destination: bit_cast::<10, P>(destination), vc, partition: builder.partition };
        commands_in_body = builder.commands;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_pack",
    chapter: "50-sue",
    summary: "commands of one destination and virtual channel into one body",
    parameters: &[
        ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two"),
        ParameterInfo::new(
            "cells",
            1024,
            Allowed::PowerOfTwo(64, 4096),
            "cells of 64 octets, a power of two",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("peers", 1024)] },
        Preset { name: "small", values: &[("peers", 4), ("cells", 64)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (peers, cells) =>
            build_as [log2(peers), log2(cells), log2(peers) + 2, log2(peers) + 3, log2(cells) + 3];
        presets { (64, 1024) (1024, 1024) (4, 64) }
    }
}

/// Builds the block with these const parameters; see [`SuePack`].
pub fn build_as<const P: usize, const C: usize, const Q: usize, const R: usize, const W: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("commands", StreamSink),
        ("windows", FlowSink),
        ("body", StreamSource),
        ("turns", FlowSource),
        ("cells_freed", FlowSource),
        ("queue_xoff", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "last word of a command to body.valid");
    Ok(BuiltBlock::new(SuePack::<P, C, Q, R, W>::new()?, interface))
}
