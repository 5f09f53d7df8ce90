//! `sue_traffic`: an XPU for tests on boards: sends numbered commands, checks those that come, and damages the line to its instance.
//!
//! | part | does |
//! |---|---|
//! | `sender` | commands with number, source and virtual channel in their control, as the credits allow |
//! | `checker` | whether a command is the next of its virtual channel, with the right data |
//! | `line` | wrong bits in columns |
//! | `registers` | the page `sue_traffic` |
//!
//! - **Commands.** A WRITE of 1 to 256 octets, or a message without data; lengths are random up to TRAFFIC.most, or all that with `fixed`. Word i of the data is
//!   the number, then the inverted number plus i, four octets each. Virtual channels of `channels` take turns; one without credits for a largest command is passed over.
//! - **Check.** A command that is not the next one counts as WRONG, and the one after it is then the next; so does one with other data or control.
//! - **Start.** All counts and numbers are 0 while `on` is low: the instance is off. Then `OUT_CREDITS` credits are given for each virtual channel.
//! - **Line.** A column goes through in a clock, with one of its 72 bits wrong as often as LOSS says, at random.
//!
//! Throughput: a word of a command per clock, 2 clocks between commands; what comes is taken at once unless `stall`.
//! `clear` is as `on` low; settings stay.

mod checker;
mod line;
mod sender;

pub use checker::TrafficChecker;
pub use line::{DamagedLine, RandomWord};
pub use sender::TrafficSender;

use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, ReceivedHead};
use crate::slot_walker::{BodyStatus, Completion};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::{Described, RegisterBus, RegisterPort};

/// Bits of a word's address.
pub const TRAFFIC_WORD_BITS: usize = 4;
/// Bits of a count.
pub const COUNT_BITS: usize = 48;
/// Partition of all commands.
pub const PARTITION: u64 = 1;

/// The registers of the traffic.
#[register_page(
    flitforge_protocol::sue_traffic_registers,
    "sue_traffic_registers",
    address = 4,
    only(ID, TRAFFIC, LIMIT, LOSS, SENT, RECEIVED, WRONG, DAMAGED, DELIVERED, FAILED),
    constant(ID)
)]
pub struct SueTrafficRegisters;

/// Traffic of an end; see the [module](self).
#[block("sue_traffic", new)]
pub struct SueTraffic {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all but settings.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<TRAFFIC_WORD_BITS>,
    /// The instance is on.
    on: In<Bit>,
    /// Number of this XPU.
    own: In<Bits<8>>,
    /// Commands for the instance.
    pub commands: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    head: Out<CommandHead>,
    /// Its credits.
    pub credits: FlowIn<CellCredits>,
    /// What became of bodies.
    pub completions: FlowIn<Completion>,
    /// Commands from the instance.
    pub arrivals: StreamIn<CommandWord>,
    /// Of the command, from its first word to its last.
    arrived_head: In<ReceivedHead>,
    /// Credits for it.
    pub out_credits: FlowOut<OutCredit>,
    /// Octets of a column of the line.
    line_data: In<Bits<64>>,
    /// Which of them are control characters.
    line_control: In<Bits<8>>,
    /// The column for the instance.
    rxd: Out<Bits<64>>,
    /// Which of its octets are control characters.
    rxc: Out<Bits<8>>,
    /// Pulse: a command has come in its turn, unaltered.
    good: Out<Bit>,
    /// Pulse: a command has come out of turn or altered.
    wrong: Out<Bit>,

    #[wire(clock, clear)]
    port: RegisterPort<TRAFFIC_WORD_BITS>,
    #[wire(clock, clear)]
    registers: SueTrafficRegisters,
    #[wire(clock, own)]
    sender: TrafficSender,
    #[wire(clock)]
    checker: TrafficChecker,
    #[wire(clock, line_data, line_control)]
    line: DamagedLine,
    sent: Register<Bits<COUNT_BITS>>,
    received: Register<Bits<COUNT_BITS>>,
    altered: Register<Bits<COUNT_BITS>>,
    damaged: Register<Bits<COUNT_BITS>>,
    delivered: Register<Bits<COUNT_BITS>>,
    failed: Register<Bits<COUNT_BITS>>,
}

#[logic]
impl SueTraffic {
    /// Traffic that has not begun.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { registers: SueTrafficRegisters::new(&Described)?, .. })
    }

    fn update(&mut self) {
        link(bus, port.bus);
        registers.bus = In { request: port.page.request, write: port.page.write };
        registers.bus = In { address: port.page.address, wdata: port.page.wdata };
        port.page = In { ack: registers.bus.ack, rdata: registers.bus.rdata };
        let off = clear | !on;
        sender.clear = off;
        checker.clear = off;

        sender = In { run: registers.traffic_run, fixed: registers.traffic_fixed };
        sender = In { channels: registers.traffic_channels, peer: registers.traffic_peer };
        sender = In { most: registers.traffic_most, limit: registers.limit_commands };
        link(commands, sender.commands);
        head = sender.head;
        link(credits, sender.credits);

        checker = In { stall: registers.traffic_stall, peer: registers.traffic_peer };
        link(arrivals, checker.arrivals);
        checker.head = arrived_head;
        link(out_credits, checker.out_credits);
        Out { good, wrong } = checker;

        line.chance = registers.loss_chance;
        Out { rxd, rxc } = line;
        self.count(off);
    }

    /// Counts since the instance is on.
    fn count(&mut self, off: Bit) {
        let done = completions.data;
        let arrives = done.status == BodyStatus::Delivered;
        sent = In { clear: off, enable: sender.begins };
        sent = sent + 1;
        received = In { clear: off, enable: checker.good };
        received = received + 1;
        altered = In { clear: off, enable: checker.wrong };
        altered = altered + 1;
        damaged = In { clear: off, enable: line.damages };
        damaged = damaged + 1;
        delivered = In { clear: off, enable: completions.valid & arrives };
        delivered = delivered + 1;
        failed = In { clear: off, enable: completions.valid & !arrives };
        failed = failed + 1;
        registers = In { sent_commands: sent, received_commands: received, wrong_commands: altered };
        registers = In { damaged_columns: damaged, delivered_bodies: delivered, failed_bodies: failed };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_traffic",
    chapter: "50-sue",
    summary: "commands for tests on boards: sender, checker, and a line with wrong bits",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let streams = [
            ("commands", StreamSource),
            ("credits", FlowSink),
            ("completions", FlowSink),
            ("arrivals", StreamSink),
            ("out_credits", FlowSource),
        ];
        let interface = InterfaceInfo::clocked(&streams, Some(1), "line_data to rxd");
        Ok(BuiltBlock::new(SueTraffic::new()?, interface))
    },
};
