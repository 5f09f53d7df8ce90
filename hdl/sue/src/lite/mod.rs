//! `sue_lite_top`: an instance of SUE Lite with one port (chapter 50, 4.8): commands of the XPU become frames, and frames commands, on a link that loses none.
//!
//! ```text
//! commands > command_in > packer > writer > port > txd
//!                                    v begun   v acknowledged, lost
//!                                completions < +
//! commands_out < command_out < receiver < - - - port < rxd
//! ```
//!
//! | part | does |
//! |---|---|
//! | `registers`, `events`, `tables` | the page of the instance; what is counted; TBL_DATA |
//! | `command_in`, `packer` | commands checked, with credits; packed into bodies of at most 1,024 octets |
//! | `writer` | a body becomes a frame: a header of eight octets, no reliability header, no R-CRC |
//! | `port` | the Ethernet port with its own page; its link-layer retry is what makes the link reliable |
//! | `completions` | `cpl`, when link-layer retry has the acknowledgment of the frame |
//! | `receiver` | header, body check, receive buffer, unpacker |
//! | `command_out` | commands for the XPU |
//!
//! What is as in [`sue_top`](crate::top): registers and their pages, start, one clock for all. With CBFC credits of received frames come back by CC_Update only. What is not:
//!
//! - **Link-layer retry is mandatory.** While it does not run (P_CTRL.LLR is 0, or it is in INIT or FLUSH) no frame leaves, and STATUS.blocked is high.
//! - **Loss.** A frame that link-layer retry gives up (FLUSH), discards, or holds when the port is switched off: `completions` with `Failed`, LITE_LOSS. It may have arrived.
//!   A frame that the receiver has no room for is lost there, too: RX_FULL; its sender does not hear of it. So classes have to be lossless.
//! - **Partition**: that of the port's P_CTRL stands for all commands, whatever `head` says. It is checked on both sides, and shown by `head_out`.
//! - **Off** (CTRL.enable = 0): the frame on its way is finished. STATUS.clearing stays high, and no command is taken, until the fate of all frames is known; their
//!   completions are not told. Frames that link-layer retry still holds arrive. To begin anew without them, switch off the port as well, at both ends.
//! - **Parity.** A body with a wrong parity bit in the packer's cells is not sent at all: PARITY, `Failed`. One in the writer's store poisons its frame: the peer refuses it, and
//!   link-layer retry, which repeats it as it is, ends in FLUSH. The replay buffer has no parity, and there is no R-CRC: the FCS alone protects what comes after the store.
//! - Of a class that was paused or is out of credits, up to four frames that were chosen before follow, and others wait after them.
//!
//! | idle, from | to | clocks at most |
//! |---|---|---|
//! | the last word of a command | the start of its frame on `txd` | [`SEND_LATENCY`] and one for each word of the body |
//! | the end of a frame on `rxd` | the first word of its command | [`RECEIVE_LATENCY`] |
//!
//! Throughput: a word per clock. `clear` forgets everything but settings, counters and partitions.

pub mod completions;
mod entry;
mod reader;
pub mod receiver;
pub mod writer;

pub use completions::{SueLiteCompletions, ENTRY as COMPLETIONS_ENTRY, LATENCY as COMPLETIONS_LATENCY};
pub use entry::*;
pub use reader::{LiteFaults, LiteReader};
pub use receiver::{SueLiteReceiver, ENTRY as RECEIVER_ENTRY, LATENCY as RECEIVER_LATENCY};
pub use writer::{SueLiteWriter, ENTRY as WRITER_ENTRY, LATENCY as WRITER_LATENCY};

use crate::arbiter::FrameCost;
use crate::command_in::{CellCredits, CommandWord, SueCommandIn};
use crate::command_out::SueCommandOut;
use crate::frame::{CommandHead, ReceivedHead};
use crate::instance_port::PortEvents;
use crate::load_balance::RouteChange;
use crate::pack::{QueueXoff, SuePack};
use crate::port::EthPort;
use crate::registers::{ManagementFrame, SueRegs, SueRegsConfig, COUNTED, WORD_BITS};
use crate::reliability::{PduOperation, ReliabilityHeader};
use crate::send_table::SendResult;
use crate::slot_walker::Completion;
use crate::top::{InstanceEvents, InstanceTables, TOP_WORD_BITS};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::sue::class::{CLASSES, VCS};
use flitforge_protocol::sue::MAX_LITE_BODY_BYTES;
use flitforge_protocol::sue_registers::{Sizes, MAX_PORTS};

/// Clocks from the last word of a command to the start of its frame, idle, beside one for each word of the body, which is stored first: as measured, of which
/// `command_in` has 6, `packer` 14, `writer` 5, and the port the rest.
pub const SEND_LATENCY: u32 = 33;
/// Clocks from the end of a frame to the first word of its command, idle: MAC 6, link-layer retry 1, demultiplexer 3, `receiver` 28, `command_out` 2.
pub const RECEIVE_LATENCY: u32 = 40;

/// Bits of events of a counter per clock, and of their accumulators.
const EVENT_BITS: usize = 2;
const EVENT_SUM_BITS: usize = 7;
/// Slots that the registers show: there are none.
const SLOTS: u64 = 4;

/// An instance of 2^`N` XPUs, 2^`C` cells, a receive buffer of 2^`B` words and a replay buffer of 2^`Y` words; `A` = `N` + 2, `L` = `N` + 3, `V` = `C` + 3, `E` = `B` - 2,
/// `G` = `B` - 4, `Q` = `B` - 3, `Z` = `Y` + 1. See the [module](self).
#[block("sue_lite_top", new, peers = 1usize << N, cells = 1usize << C, receive_bytes = 8usize << B, replay_words = 1usize << Y)]
pub struct SueLiteTop<
    const N: usize,
    const A: usize,
    const L: usize,
    const C: usize,
    const V: usize,
    const B: usize,
    const E: usize,
    const G: usize,
    const Q: usize,
    const Y: usize,
    const Z: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but settings, counters and partitions.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<TOP_WORD_BITS>,
    /// An event of EVENT_EN has happened.
    interrupt: Out<Bit>,
    /// Words of commands of the XPU.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, with its first word; `partition` is not looked at.
    head: In<CommandHead>,
    /// Credits for the XPU.
    pub credits: FlowOut<CellCredits>,
    /// What became of bodies.
    pub completions: FlowOut<Completion>,
    /// Queues of the packer that have crossed QHI or QLO.
    pub queue_xoff: FlowOut<QueueXoff>,
    /// Words of commands for the XPU.
    pub commands_out: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    head_out: Out<ReceivedHead>,
    /// Credits of the XPU.
    pub out_credits: FlowIn<OutCredit>,
    /// The PCS has its link.
    pcs_up: In<Bit>,
    /// Octets of a column to the PCS, octet 0 in bits 7:0.
    txd: Out<Bits<64>>,
    /// Which of them are control characters.
    txc: Out<Bits<8>>,
    /// Octets of a column from the PCS.
    rxd: In<Bits<64>>,
    /// Which of them are control characters.
    rxc: In<Bits<8>>,
    /// The port is up.
    up: Out<Bit>,
    /// CTRL.enable: commands and credits count.
    on: Out<Bit>,

    #[wire(clock, clear, generation = 0)]
    registers: SueRegs<EVENT_BITS, EVENT_SUM_BITS>,
    #[wire(clock)]
    events: PortEvents,
    #[wire(clock)]
    command_events: InstanceEvents,
    #[wire(clock, clear, forgets = false, shown = 0)]
    tables: InstanceTables<N, 1>,
    #[wire(clock)]
    command_in: SueCommandIn<N>,
    #[wire(clock)]
    packer: SuePack<N, C, A, L, V>,
    #[wire(clock, clear, port = 0)]
    writer: SueLiteWriter,
    #[wire(clock, clear)]
    fates: SueLiteCompletions,
    #[wire(clock, clear, pcs_up)]
    port: EthPort<Y, Z>,
    #[wire(clock, clear, port = 0)]
    receiver: SueLiteReceiver<N, B, E, G, Q>,
    #[wire(clock)]
    command_out: SueCommandOut,
    /// A request for a page that is not there.
    nowhere: Register<Bit>,
    /// Frames of before the instance was switched off are not done with.
    #[init(true)]
    draining: Register<Bit>,
    /// Tables are being cleared.
    clearing: Reg<Bit>,
}

#[logic]
impl<
        const N: usize,
        const A: usize,
        const L: usize,
        const C: usize,
        const V: usize,
        const B: usize,
        const E: usize,
        const G: usize,
        const Q: usize,
        const Y: usize,
        const Z: usize,
    > SueLiteTop<N, A, L, C, V, B, E, G, Q, Y, Z>
{
    /// An instance that is off, or the reason why it cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        let slot_bytes = MAX_LITE_BODY_BYTES as u64;
        let sizes = Sizes { ports: 1, slots: SLOTS, slot_bytes, cells: 1 << C, lite: true };
        let config =
            SueRegsConfig { sizes, peer_bits: N as u64, psn_per_vc: false, ..SueRegsConfig::default() };
        check_range("sue_lite_top", "receive_bytes", 8 << B, VCS as u64 * 2 * slot_bytes, 1 << 16)?;
        Ok(Self {
            registers: SueRegs::new(&config)?,
            tables: InstanceTables::new()?,
            command_in: SueCommandIn::new()?,
            packer: SuePack::new()?,
            writer: SueLiteWriter::new()?,
            fates: SueLiteCompletions::new()?,
            port: EthPort::new()?,
            receiver: SueLiteReceiver::new()?,
            ..
        })
    }

    fn update(&mut self) {
        self.lead_requests();
        let stopped = self.stop();
        self.take_commands(stopped);
        self.send(stopped);
        self.join_port();
        self.receive();
        self.count();
        self.count_sender();
        self.count_receiver();
    }

    /// Which page a request is for.
    fn lead_requests(&mut self) {
        let word = bus.address;
        let of_port = word[WORD_BITS];
        let others = of_port & (word[7] | word[8]);
        registers.bus = In { request: bus.request & !of_port, write: bus.write, wdata: bus.wdata };
        registers.bus.address = word.bits::<WORD_BITS>(0);
        port.bus = In { request: bus.request & of_port & !others, write: bus.write, wdata: bus.wdata };
        port.bus.address = word.bits::<7>(0);
        nowhere = bus.request & others & !nowhere;
        bus.ack = registers.bus.ack | port.bus.ack | nowhere;
        bus.rdata = registers.bus.rdata | port.bus.rdata;
    }

    /// CTRL.enable = 0 clears all but registers, tables and port; what has become a frame is brought to its end first.
    fn stop(&mut self) -> Bit {
        let off = clear | !registers.settings.enable;
        on = registers.settings.enable;
        draining.clear = false;
        draining = off | (draining & !(writer.idle & fates.idle));
        let stopped = off | draining;
        command_in.clear = stopped;
        packer.clear = stopped;
        writer.stops = stopped;
        receiver = In { off, port_off: !port.on };
        command_out.clear = off;
        if stopped {
            clearing = true;
        } else if packer.commands.ready {
            clearing = false;
        }
        stopped
    }

    /// From the XPU to bodies.
    fn take_commands(&mut self, stopped: Bit) {
        link(commands, command_in.commands);
        let asked = head;
        command_in.head = CommandHead { partition: port.lite_partition, ..asked };
        command_in = In { types: registers.settings.types, own: registers.settings.own };
        command_in.partition_check = registers.settings.partition_check;
        command_in.initial = registers.settings.initial;
        link(credits, command_in.credits);
        join(command_in.commands_out, packer.commands);
        packer.head = command_in.command_head;
        join(packer.cells_freed, command_in.cells_freed);
        join(registers.pack, packer.settings);
        let may = port.class_ready;
        let runs = port.up & port.retry_runs & writer.more & !stopped;
        packer = In { queue_high: registers.settings.queue_high, queue_low: registers.settings.queue_low };
        link(queue_xoff, packer.queue_xoff);
        packer.vc_ready = if runs { may.bits::<VCS>(0) } else { 0 };
    }

    /// From bodies to frames, and what becomes of them.
    fn send(&mut self, stopped: Bit) {
        join(packer.body, writer.body);
        join(packer.turns, writer.turns);
        join(writer.windows, packer.windows);
        writer = In { head: packer.body_head, commands: packer.commands_in_body, spoils: false };
        writer = In { settings: registers.network, minimum: port.minimum };
        writer = In { drops: stopped | !port.on, port_off: !port.on };
        join(writer.frame, port.data_in);
        port = In { data_class: writer.class, data_octets: writer.octets };
        join(writer.begun, fates.begun);
        join(port.acknowledged, fates.acknowledged);
        join(port.lost, fates.lost);
        fates.port_on = port.on;
        completions = In { data: fates.completions.data, valid: fates.completions.valid & !stopped };
    }

    /// The port.
    fn join_port(&mut self) {
        port = In { number: 0, network: registers.network, generation: 0, retry_mandatory: true };
        Out { txd, txc, up } = port;
        port = In { rxd, rxc, inject_octets: 0, extracted: false };
        port.aux = In { data: writer.frame.data, valid: false };
        port.inject = In { data: writer.frame.data, valid: false };
        let no_cost: FrameCost = bits::<{ <FrameCost as Synth>::BITS }>(0).into();
        port.asked_class = 0;
        port.came = In { data: no_cost, valid: false };
        port.freed = In { data: no_cost, valid: false };
        for i in 0..VCS {
            port.fill[i] = receiver.fill[i];
        }
        for i in VCS..CLASSES {
            port.fill[i] = 0;
        }
    }

    /// From frames to commands, and TBL_DATA.
    fn receive(&mut self) {
        join(port.data, receiver.frame);
        receiver = In { settings: registers.network, partition: port.lite_partition };
        receiver = In { types: registers.settings.types };
        receiver.partition_check = registers.settings.partition_check;
        link(out_credits, receiver.credits);
        join(receiver.commands, command_out.commands);
        command_out.command_head = receiver.command_head;
        link(commands_out, command_out.commands_out);
        head_out = command_out.head;
        join(registers.table, tables.requests);
        join(tables.answers, registers.table_answer);
        // There are no routes: their tables are refused.
        tables.jobs.ready = false;
        let no_home: RouteChange = bits::<{ <RouteChange as Synth>::BITS }>(0).into();
        tables.moved_homes = In { data: no_home, valid: false };
        // Nor are there connections.
        tables = In { connections: false, gone: false };
        tables.looks.ready = false;
        tables.looked = In { data: 0, valid: false };
        join(tables.rules, command_in.partitions);
        join(tables.members, receiver.partitions);
    }

    /// What the registers show and count.
    fn count(&mut self) {
        Out { interrupt } = registers;
        registers = In { up: bit_cast::<MAX_PORTS, 1>(port.up.into()), clearing, minimum: port.minimum };
        let may_send = port.class_ready;
        let some_wait = !may_send.bits::<VCS>(0);
        let stuck = port.up & (some_wait.any() | !port.retry_runs);
        registers.blocked = bit_cast::<MAX_PORTS, 1>(stuck.into());
        for i in 0..MAX_PORTS {
            registers.loads[i] = 0;
        }
        command_events = In { accepted: command_in.accepted, overrun: command_in.overrun };
        command_events.bad = cat(command_in.bad, command_in.unfinished, command_in.stray);
        command_events.management = In { failed_over: false, peer_lost: false, opened: false };
        command_events.management = In { record_bad: false, record_lost: false };
        events = In { delivered: receiver.delivered, lite_lost: fates.lost_frame };
        events = In { busy: false, extract_dropped: false, number: 0 };
        events.skew = In { data: 0, valid: false };
        events.headers = cat(receiver.header_bad, receiver.afh_bad, bits::<1>(0));
        events.port_events = cat(port.storm, port.flushed);
        for i in 0..COUNTED {
            registers.counted[i] = events.counted[i] + command_events.counted[i];
        }
        registers = In { happened: events.happened | command_events.happened, details: events.details };
        let body_word = packer.body.data;
        let moves = packer.body.valid & writer.body.ready;
        let sent_octets: Bits<7> = bit_cast::<7, 4>(body_word.bytes);
        registers.octets_sent = if moves { sent_octets } else { 0 };
        registers.body_commands = In { data: packer.commands_in_body, valid: moves & body_word.last };
        let command_word = receiver.commands.data;
        let given = receiver.commands.valid & command_out.commands.ready;
        let given_octets: Bits<7> = bit_cast::<7, 4>(command_word.bytes);
        registers.octets_received = if given { given_octets } else { 0 };
        let no_frame: ManagementFrame = bits::<16>(0).into();
        for i in 1..MAX_PORTS {
            registers.refused[i] = false;
        }
        registers.refused[0] = port.refused;
        registers = In { injecting: false, extract_word: 0, extracted: no_frame, extract_valid: false };
    }

    /// What counts of a sender without go-back-N.
    fn count_sender(&mut self) {
        let frame_begun = fates.begun.data;
        let sent = writer.begun.valid & fates.begun.ready & !frame_begun.failed;
        events.sender = In { sent, sent_again: false, acknowledgment_only: false, voided: false };
        events.sender = In { management_sent: false, ack_sent: false, nack_sent: false };
        events.sender = In { ack_received: false, nack_received: false, timed_out: false };
        events.sender = In { stale: false, wild: false, stuck: false, failed: false };
        events.sender = In { parity: writer.parity, discarded: writer.discarded };
        events.sender = In { too_long: false, no_timer: false };
        let no_result: SendResult = bits::<{ <SendResult as Synth>::BITS }>(0).into();
        events.results = In { data: no_result, valid: false };
    }

    /// What counts of a receiver without PSN. The header that is captured says where the body came from.
    fn count_receiver(&mut self) {
        events.receiver = In { frame_bad: false, header_bad: false, crc_bad: false, busy: false };
        events.receiver = In { source_bad: false, unknown: false, management: false };
        events.receiver = In { record_bad: false, empty: false, answer_lost: false };
        events.receiver = In { accepted: receiver.accepted, no_room: receiver.no_room };
        events.receiver.partition_violation = receiver.partition_violation;
        events.receiver.body_bad = receiver.body_bad;
        events.receiver = In { gap: false, duplicate: false, frozen: false };
        let decided = receiver.decided_head;
        events.decided_header = ReliabilityHeader {
            apsn: 0,
            partition: decided.partition,
            reserved_low: 0,
            vc: decided.vc,
            npsn: 0,
            xpuid: decided.source,
            reserved_high: 0,
            op: PduOperation::None,
            ver: 0,
        };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_lite_top",
    chapter: "50-sue",
    summary: "an instance of SUE Lite with one port",
    parameters: &[
        ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two"),
        ParameterInfo::new("cells", 1024, Allowed::PowerOfTwo(64, 4096), "cells of 64 octets of the packer"),
        ParameterInfo::new("receive_bytes", 32_768, Allowed::PowerOfTwo(8192, 65_536), "receive buffer"),
        ParameterInfo::new(
            "replay_words",
            2048,
            Allowed::PowerOfTwo(64, 4096),
            "link-layer replay buffer, words of 8",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("peers", 4), ("cells", 64), ("receive_bytes", 8192)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (n, c) = (log2(settings.size("peers")?), log2(settings.size("cells")?));
    let (b, y) = (log2(settings.size("receive_bytes")? / 8), log2(settings.size("replay_words")?));
    shapes! {
        settings: (n = n, c = c, b = b, y = y) =>
            build_as [n, n + 2, n + 3, c, c + 3, b, b - 2, b - 4, b - 3, y, y + 1];
        presets { (6, 10, 12, 11) (2, 6, 10, 11) }
    }
}

/// Builds the block with these const parameters; see [`SueLiteTop`].
pub fn build_as<
    const N: usize,
    const A: usize,
    const L: usize,
    const C: usize,
    const V: usize,
    const B: usize,
    const E: usize,
    const G: usize,
    const Q: usize,
    const Y: usize,
    const Z: usize,
>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("commands", StreamSink),
        ("credits", FlowSource),
        ("completions", FlowSource),
        ("queue_xoff", FlowSource),
        ("commands_out", StreamSource),
        ("out_credits", FlowSink),
    ];
    let interface = InterfaceInfo::clocked(&streams, None, "see the blocks it is made of");
    Ok(BuiltBlock::new(SueLiteTop::<N, A, L, C, V, B, E, G, Q, Y, Z>::new()?, interface))
}
