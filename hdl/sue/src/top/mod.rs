//! `sue_top`: an instance of Scale-Up Ethernet with one port (chapter 50, 2): commands of the XPU become frames, and frames commands.
//!
//! ```text
//! commands > command_in > packer > sender > encap > port > txd
//!                            ^       ^ asks, due, answers     |
//! commands_out < command_out < receiver < decap < - - port < rxd
//! ```
//!
//! | part | does |
//! |---|---|
//! | `registers`, `events`, `tables` | the page of the instance; what is counted; TBL_DATA |
//! | `command_in`, `packer` | commands checked, with credits; packed into bodies |
//! | `sender`, `receiver` | go-back-N |
//! | `encap`, `decap` | network headers |
//! | `port` | the Ethernet port with its own page |
//! | `command_out` | commands for the XPU |
//!
//! - **Registers.** The page of the instance at 0, that of the port at 0x1000. Elsewhere reads give 0 and writes do nothing.
//! - **Start.** After power-on the instance is off. The host writes its settings, the partitions, P_CTRL.enable and CTRL.enable. Off (CTRL.enable = 0), all but
//!   registers, partitions and port is cleared. STATUS.clearing is high until commands are taken.
//! - **Both ends.** An instance that starts anew begins with PSN 0: its peers have to start anew as well, with all that they hold for it.
//! - One clock for all (SAME_CLK = 1): XGMII columns have that of the instance.
//! - A frame is chosen when its class is neither paused nor out of credits. Of one that was chosen meanwhile, up to two follow.
//!
//! Not there yet: failover and connection management (records are ignored; a failed connection stays failed), frames of the management and of events,
//! `q_xoff`, `disp`, tables but that of partitions, credits of CBFC for frames received: with P_CTRL.flow_control = 2 they come back by CC_Update only.
//!
//! | idle, from | to | clocks at most |
//! |---|---|---|
//! | the last word of a command | the start of its frame on `txd` | [`SEND_LATENCY`] and one for each word of the body |
//! | the end of a frame on `rxd` | the first word of its command | [`RECEIVE_LATENCY`] |
//!
//! Throughput: a word per clock. `clear` forgets everything but settings, counters and partitions.

mod events;
mod tables;

pub use events::InstanceEvents;
pub use tables::InstanceTables;

use crate::arbiter::FrameCost;
use crate::command_in::{CellCredits, CommandWord, SueCommandIn};
use crate::command_out::SueCommandOut;
use crate::decap::SueDecap;
use crate::encap::SueEncap;
use crate::frame::{CommandHead, ReceivedHead};
use crate::pack::SuePack;
use crate::port::EthPort;
use crate::receive_path::SueReceivePath;
use crate::registers::{ManagementFrame, SueRegs, SueRegsConfig, COUNTED, WORD_BITS};
use crate::rel_rx::ConnectionChange;
use crate::rel_tx::{ManagementRequest, SueRelTx};
use crate::sender_orders::SenderOrder;
use crate::slot_walker::Completion;
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::sue::class::{ClassUse, CLASSES, VCS};
use flitforge_protocol::sue_registers::{Sizes, MAX_PORTS};

/// Clocks from the last word of a command to the start of its frame, idle, AFH Gen 2 with 12 octets, beside one for each word of the body, which is stored first:
/// `command_in` 6, `packer` 14, `sender` 39 and 9 for what it acknowledges, `encap` 3, `port` 9, and one from the packer to the sender.
pub const SEND_LATENCY: u32 = 81;
/// Clocks from the end of a frame to the first word of its command, idle: MAC 6, link-layer retry 1, demultiplexer 3, `decap` 3, `receiver` 32, `command_out` 2.
pub const RECEIVE_LATENCY: u32 = 47;

/// Bits of a word's address: the page of the instance, then those of up to four ports.
pub const TOP_WORD_BITS: usize = WORD_BITS + 1;
/// Bits of events of a counter per clock, and of their accumulators.
const EVENT_BITS: usize = 2;
const EVENT_SUM_BITS: usize = 7;
/// Classes of data by virtual channel.
const DATA_CLASSES: u64 = {
    let (mut word, mut vc) = (0, 0);
    while vc < VCS {
        word |= (vc as u64) << (3 * vc);
        vc += 1;
    }
    word
};
const ACKNOWLEDGMENTS: usize = ClassUse::Acknowledgments as usize;

/// An instance of 2^`N` XPUs, 2^`S` slots of 2^`W` words, 2^`C` cells, a receive buffer of 2^`B` words and a replay buffer of 2^`Y` words; `A` = `N` + 2, `D` = `N` + 1,
/// `L` = `N` + 3, `T` = `S` + 1, `R` = `S` + `W`, `X` = `W` + 1, `V` = `C` + 3, `E` = `B` - 2, `G` = `B` - 4, `Q` = `B` - 3, `Z` = `Y` + 1. See the [module](self).
#[block("sue_top", new, peers = 1usize << N, slots = 1usize << S, slot_bytes = 8usize << W, cells = 1usize << C, receive_bytes = 8usize << B, replay_words = 1usize << Y)]
pub struct SueTop<
    const N: usize,
    const A: usize,
    const D: usize,
    const L: usize,
    const S: usize,
    const T: usize,
    const W: usize,
    const R: usize,
    const X: usize,
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
    /// gg.
    generation: In<Bits<8>>,
    /// Words of commands of the XPU.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, with its first word.
    head: In<CommandHead>,
    /// Credits for the XPU.
    pub credits: FlowOut<CellCredits>,
    /// What became of bodies.
    pub completions: FlowOut<Completion>,
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

    #[wire(clock, clear, generation)]
    registers: SueRegs<EVENT_BITS, EVENT_SUM_BITS>,
    #[wire(clock)]
    events: InstanceEvents,
    #[wire(clock, clear)]
    tables: InstanceTables,
    #[wire(clock)]
    command_in: SueCommandIn<N>,
    #[wire(clock)]
    packer: SuePack<N, C, A, L, V>,
    #[wire(clock)]
    sender: SueRelTx<A, S, S, T, N, D, L, W, R, X>,
    #[wire(clock)]
    encap: SueEncap,
    #[wire(clock, clear, pcs_up)]
    port: EthPort<Y, Z>,
    #[wire(clock)]
    decap: SueDecap,
    #[wire(clock)]
    receiver: SueReceivePath<A, N, L, B, E, G, Q>,
    #[wire(clock)]
    command_out: SueCommandOut,
    /// A request for a page that is not there.
    nowhere: Register<Bit>,
    /// Tables are being cleared.
    clearing: Reg<Bit>,
    #[init(DATA_CLASSES)]
    data_classes: Constant<Bits<12>>,
}

#[logic]
impl<
        const N: usize,
        const A: usize,
        const D: usize,
        const L: usize,
        const S: usize,
        const T: usize,
        const W: usize,
        const R: usize,
        const X: usize,
        const C: usize,
        const V: usize,
        const B: usize,
        const E: usize,
        const G: usize,
        const Q: usize,
        const Y: usize,
        const Z: usize,
    > SueTop<N, A, D, L, S, T, W, R, X, C, V, B, E, G, Q, Y, Z>
{
    /// An instance that is off, or the reason why it cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_top", "slots", 1 << S, 16, 256)?;
        let sizes = Sizes { ports: 1, slots: 1 << S, slot_bytes: 8 << W, cells: 1 << C, lite: false };
        let config = SueRegsConfig { sizes, peer_bits: N as u64, ..SueRegsConfig::default() };
        let least = (VCS * 2 * 8) << W;
        check_range("sue_top", "receive_bytes", 8 << B, least as u64, 1 << 16)?;
        Ok(Self {
            registers: SueRegs::new(&config)?,
            tables: InstanceTables::new()?,
            command_in: SueCommandIn::new()?,
            packer: SuePack::new()?,
            sender: SueRelTx::new()?,
            encap: SueEncap::new()?,
            port: EthPort::new()?,
            decap: SueDecap::new()?,
            receiver: SueReceivePath::new()?,
            ..
        })
    }

    fn update(&mut self) {
        self.lead_requests();
        self.stop();
        self.take_commands();
        self.send();
        self.join_network();
        self.receive();
        self.acknowledge();
        self.look_up();
        self.count();
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

    /// CTRL.enable = 0 clears all but registers, tables and port.
    fn stop(&mut self) {
        let off = clear | !registers.settings.enable;
        on = registers.settings.enable;
        command_in.clear = off;
        packer.clear = off;
        sender.clear = off;
        encap.clear = off;
        decap.clear = off;
        receiver.clear = off;
        command_out.clear = off;
        if off {
            clearing = true;
        } else if packer.commands.ready {
            clearing = false;
        }
    }

    /// From the XPU to bodies.
    fn take_commands(&mut self) {
        link(commands, command_in.commands);
        command_in = In { head, types: registers.settings.types, own: registers.settings.own };
        command_in.partition_check = registers.settings.partition_check;
        command_in.initial = registers.settings.initial;
        link(credits, command_in.credits);
        join(command_in.commands_out, packer.commands);
        packer.head = command_in.command_head;
        join(packer.cells_freed, command_in.cells_freed);
        join(registers.pack, packer.settings);
        let may = port.class_ready;
        let data_may: Bits<VCS> = if port.up { may.bits::<VCS>(0) } else { 0 };
        packer.vc_ready = sender.obtainable & data_may;
        sender.ready = data_may;
    }

    /// From bodies to frames.
    fn send(&mut self) {
        join(packer.body, sender.body);
        sender = In { head: packer.body_head, commands: packer.commands_in_body, spoils: false };
        join(sender.windows, packer.windows);
        join(registers.sender, sender.settings);
        sender.pdus = In { own: registers.settings.own, least: registers.settings.least, port: 0 };
        sender.pdus = In { classes: data_classes, acknowledgment_class: ACKNOWLEDGMENTS };
        sender.pdus.acknowledgment_partition = registers.settings.acknowledgment_partition;
        sender = In { rto: registers.settings.timeout, slot_min: registers.settings.slot_min };
        link(completions, sender.completions);
        join(sender.pdu, encap.pdu);
        encap = In { settings: registers.network, head: sender.pdu_head };
        join(encap.frame, port.data_in);
        port = In { data_class: encap.class, data_octets: encap.octets };
    }

    /// The port, and what the headers have of the generation.
    fn join_network(&mut self) {
        let checks = registers.settings.generation_enable;
        let own_generation: Bits<8> = if checks { generation } else { 0 };
        encap.generation = own_generation;
        decap = In { generation, generation_enable: checks, port: 0, settings: registers.network };
        port =
            In { number: 0, network: registers.network, generation: own_generation, retry_mandatory: false };
        Out { txd, txc, up } = port;
        port = In { rxd, rxc, inject_octets: 0, extracted: false };
        port.aux = In { data: encap.frame.data, valid: false };
        port.inject = In { data: encap.frame.data, valid: false };
        let no_cost: FrameCost = bits::<17>(0).into();
        port.came = In { data: no_cost, valid: false };
        port.freed = In { data: no_cost, valid: false };
        for i in 0..VCS {
            port.fill[i] = receiver.fill[i];
        }
        for i in VCS..CLASSES {
            port.fill[i] = 0;
        }
    }

    /// From frames to commands.
    fn receive(&mut self) {
        join(port.data, decap.frame);
        join(decap.pdu, receiver.pdu);
        receiver = In { source: decap.source, types: registers.settings.types };
        receiver.settings = In { port: 0, coalesce: registers.settings.coalesce };
        receiver.settings = In { renack: registers.settings.renack };
        receiver.settings = In { ack_timer: registers.settings.acknowledgment_timer };
        receiver.settings = In { partition_check: registers.settings.partition_check };
        link(out_credits, receiver.credits);
        join(receiver.commands, command_out.commands);
        command_out.command_head = receiver.command_head;
        link(commands_out, command_out.commands_out);
        head_out = command_out.head;
    }

    /// What receiver and sender tell each other.
    fn acknowledge(&mut self) {
        join(receiver.answers, sender.answers);
        join(receiver.due, sender.due);
        join(sender.asks, receiver.asks);
        join(receiver.acknowledgments, sender.acknowledgments);
        let no_order: SenderOrder = bits::<{ <SenderOrder as Synth>::BITS }>(0).into();
        sender.orders = In { data: no_order, valid: false };
        sender.forgiven = false;
        // Without orders nothing leaves for another port.
        sender.moved.ready = true;
        let no_record: ManagementRequest = bits::<91>(0).into();
        sender.management = In { data: no_record, valid: false };
        let no_opening: ConnectionChange = bits::<29>(0).into();
        receiver.changes = In { data: no_opening, valid: false };
    }

    /// TBL_DATA.
    fn look_up(&mut self) {
        join(registers.table, tables.requests);
        join(tables.answers, registers.table_answer);
        join(tables.rules, command_in.partitions);
        join(tables.members, receiver.partitions);
    }

    /// What the registers show and count.
    fn count(&mut self) {
        Out { interrupt } = registers;
        registers = In { up: bit_cast::<MAX_PORTS, 1>(port.up.into()), clearing, minimum: port.minimum };
        let data_may = port.class_ready;
        let some_wait = !data_may.bits::<VCS>(0);
        let stuck = port.up & some_wait.any();
        registers.blocked = bit_cast::<MAX_PORTS, 1>(stuck.into());
        for i in 0..MAX_PORTS {
            registers.loads[i] = 0;
        }
        join(sender.events, events.sender);
        join(receiver.events, events.receiver);
        events.results = In { data: sender.results.data, valid: sender.results.valid };
        events = In { decided_header: receiver.decided_header, accepted: command_in.accepted };
        events.bad = cat(command_in.bad, command_in.unfinished, command_in.stray);
        events = In { overrun: command_in.overrun, delivered: receiver.delivered, lite_lost: false };
        events.headers = cat(decap.header_bad, decap.afh_bad, decap.generation_drop);
        events.port_events = cat(port.storm, port.flushed);
        for i in 0..COUNTED {
            registers.counted[i] = events.counted[i];
        }
        registers = In { happened: events.happened, details: events.details };
        let body_word = packer.body.data;
        let moves = packer.body.valid & sender.body.ready;
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
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_top",
    chapter: "50-sue",
    summary: "an instance of Scale-Up Ethernet with one port",
    parameters: &[
        ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two"),
        ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(16, 256), "replay slots, a power of two"),
        ParameterInfo::new("slot_bytes", 2048, Allowed::PowerOfTwo(512, 4096), "octets of a slot"),
        ParameterInfo::new("cells", 1024, Allowed::PowerOfTwo(64, 4096), "cells of 64 octets of the packer"),
        ParameterInfo::new("receive_bytes", 32_768, Allowed::PowerOfTwo(4096, 65_536), "receive buffer"),
        ParameterInfo::new(
            "replay_words",
            2048,
            Allowed::PowerOfTwo(64, 4096),
            "link-layer replay buffer, words of 8",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset {
            name: "small",
            values: &[
                ("peers", 4),
                ("slots", 16),
                ("slot_bytes", 512),
                ("cells", 64),
                ("receive_bytes", 4096),
            ],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (n, s) = (log2(settings.size("peers")?), log2(settings.size("slots")?));
    let (w, c) = (log2(settings.size("slot_bytes")? / 8), log2(settings.size("cells")?));
    let (b, y) = (log2(settings.size("receive_bytes")? / 8), log2(settings.size("replay_words")?));
    shapes! {
        settings: (n = n, s = s, w = w, c = c, b = b, y = y) =>
            build_as [n, n + 2, n + 1, n + 3, s, s + 1, w, s + w, w + 1, c, c + 3, b, b - 2, b - 4, b - 3, y, y + 1];
        presets { (6, 5, 8, 10, 12, 11) (2, 4, 6, 6, 9, 11) }
    }
}

/// Builds the block with these const parameters; see [`SueTop`].
pub fn build_as<
    const N: usize,
    const A: usize,
    const D: usize,
    const L: usize,
    const S: usize,
    const T: usize,
    const W: usize,
    const R: usize,
    const X: usize,
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
        ("commands_out", StreamSource),
        ("out_credits", FlowSink),
    ];
    let interface = InterfaceInfo::clocked(&streams, None, "see the blocks it is made of");
    Ok(BuiltBlock::new(SueTop::<N, A, D, L, S, T, W, R, X, C, V, B, E, G, Q, Y, Z>::new()?, interface))
}
