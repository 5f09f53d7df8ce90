//! `sue_port`: a port of an instance (chapter 50, 2): bodies become frames and frames commands, with go-back-N between the two.
//!
//! ```text
//! body > sender > encap > gate > ethernet > txd
//!          ^ asks, due, answers     |
//! commands < receiver < generations < decap < rxd
//! ```
//!
//! | part | does |
//! |---|---|
//! | `sender`, `receiver` | go-back-N |
//! | `encap`, `decap` | network headers |
//! | `generations` | frames of another generation, and clearing between two |
//! | `gate` | frames to the port; those of a port that is down are forgotten |
//! | `ethernet` | the Ethernet port with its own page |
//! | `frame_credits` | for CBFC, of which class a frame was and when it has left the receive buffer |
//! | `shown` | connections as the host sees them |
//! | `watch` | whether the XPU has got what was accepted before a connection was frozen |
//! | `counts` | what is counted |
//!
//! - `off` clears all but the Ethernet port, whose page has a switch of its own; `generations.wipe` the same but for the way of frames that come.
//! - Bodies of a connection that fails wait for orders; `failures` names it once.
//! - `can_send`: virtual channels with a slot whose class is neither paused nor out of credits, if the port is up or not: the load balance knows which ports are up.
//! - While the class of acknowledgments is paused or out of credits, acknowledgments wait, and `records` are taken and forgotten.
//! - While the port is down nothing is sent, and what was chosen is forgotten.
//!
//! Latencies are those of the blocks. `clear` forgets everything but settings, counters and partitions.

mod credits;
mod events;
mod gate;
mod shown;
mod watch;

pub use credits::{CountedFrame, FrameCredits};
pub use events::PortEvents;
pub use gate::PortGate;
pub use shown::ConnectionShown;
pub use watch::DeliveryWatch;

use crate::arbiter::OCTETS_BITS;
use crate::cbfc::CREDIT_OCTETS_BITS;
use crate::decap::SueDecap;
use crate::due_list::SueDueList;
use crate::encap::SueEncap;
use crate::frame::{BodyHead, FrameWord, ReceivedHead};
use crate::generation::{PeerNewer, SueGen};
use crate::network::NetworkSettings;
use crate::pack::QueueWindow;
use crate::port::EthPort;
use crate::receive_path::SueReceivePath;
use crate::registers::{ConnectionLook, EventDetails, InstanceRegistersIn, COUNTED, EVENTS, PORT_WORD_BITS};
use crate::rel_rx::{ConnectionChange, ConnectionState, ManagementRecord, PartitionEntry};
use crate::rel_tx::{ManagementRequest, SueRelTx};
use crate::send_table::{SendKind, SendSettings};
use crate::sender_orders::{SenderAnswer, SenderOrder};
use crate::slot_walker::Completion;
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::sue::class::{ClassUse, CLASSES, VCS};

/// Classes of data by virtual channel.
const DATA_CLASSES: u64 = {
    let (mut word, mut vc) = (0, 0);
    while vc < VCS {
        word |= (vc as u64) << (3 * vc);
        vc += 1;
    }
    word
};
pub(crate) const ACKNOWLEDGMENTS: usize = ClassUse::Acknowledgments as usize;

/// A port of an instance of 2^`N` XPUs, with 2^`S` slots of 2^`W` words, a receive buffer of 2^`B` words and a replay buffer of 2^`Y` words; `A` = `N` + 2,
/// `D` = `N` + 1, `L` = `N` + 3, `T` = `S` + 1, `R` = `S` + `W`, `X` = `W` + 1, `E` = `B` - 2, `G` = `B` - 4, `Q` = `B` - 3, `Z` = `Y` + 1. See the
/// [module](self).
#[block("sue_port", new, peers = 1usize << N, slots = 1usize << S, slot_bytes = 8usize << W, receive_bytes = 8usize << B, replay_words = 1usize << Y)]
pub struct SuePort<
    const N: usize,
    const A: usize,
    const D: usize,
    const L: usize,
    const S: usize,
    const T: usize,
    const W: usize,
    const R: usize,
    const X: usize,
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
    /// Forgets all but the Ethernet port and partitions.
    off: In<Bit>,
    /// Its number.
    number: In<Bits<2>>,
    /// Register bus of its page.
    pub bus: RegisterBus<PORT_WORD_BITS>,
    /// Pulse: a write of a register was refused.
    refused: Out<Bit>,
    /// What the registers of the instance say.
    pub settings: InstanceRegistersIn,
    /// The same of network headers.
    network: In<NetworkSettings>,
    /// The same of connections.
    pub connections: SendSettings,
    /// gg.
    generation: In<Bits<8>>,
    /// MINF.
    minimum: Out<Bits<6>>,
    /// Bodies to be sent.
    pub body: StreamIn<FrameWord>,
    /// What goes with the body.
    head: In<BodyHead>,
    /// Commands of the body, with its last word.
    commands_in_body: In<Bits<10>>,
    /// Answers to bodies.
    pub windows: FlowOut<QueueWindow>,
    /// Virtual channels that can send.
    can_send: Out<Bits<VCS>>,
    /// A virtual channel.
    asked_vc: In<Bits<2>>,
    /// Octets that the credits of its class are worth, a clock later; at most one less than 1 MiB, and 0 without CBFC.
    credit_octets: Out<Bits<CREDIT_OCTETS_BITS>>,
    /// Octets of a body that waits no more.
    pub sent: FlowOut<Bits<13>>,
    /// No body is in a slot.
    empty: Out<Bit>,
    /// A body comes, or is on its way to another port; see the sender.
    in_transit: Out<Bit>,
    /// What became of bodies.
    pub completions: FlowOut<Completion>,
    /// None is told from the next clock on.
    completions_wait: In<Bit>,
    /// Answers to the packer wait: acknowledgments of peers do so, too.
    windows_wait: In<Bit>,
    /// Connections that have failed.
    pub failures: StreamOut<Bits<12>>,
    /// What connection management wants of the sender.
    pub orders: StreamIn<SenderOrder>,
    /// It is done.
    pub answered: FlowOut<SenderAnswer>,
    /// Bodies that leave for another port.
    pub moved: StreamOut<FrameWord>,
    /// What goes with the body.
    moved_head: Out<BodyHead>,
    /// Commands in it.
    moved_commands: Out<Bits<10>>,
    /// Records to be sent.
    pub records: StreamIn<ManagementRequest>,
    /// Records that came.
    pub records_in: FlowOut<ManagementRecord>,
    /// What is to change at the receiver.
    pub changes: StreamIn<ConnectionChange>,
    /// It has changed.
    pub changed: FlowOut<ConnectionState>,
    /// Virtual channels whose bodies are marked.
    pub marks: FlowIn<Bits<2>>,
    /// By virtual channel: the XPU has got what was accepted before its mark.
    passed: Out<Bits<VCS>>,
    /// Connections that the host looks at.
    pub looks: StreamIn<ConnectionLook>,
    /// How they are, as TBL_DATA shows it.
    pub looked: FlowOut<Bits<64>>,
    /// Partitions of bodies that come.
    pub members: FlowIn<PartitionEntry>,
    /// Frames of the management to be sent.
    pub inject: StreamIn<FrameWord>,
    /// Octets of the frame of `inject` without FCS.
    inject_octets: In<Bits<OCTETS_BITS>>,
    /// Frames with a network header that came.
    pub frames: FlowOut<FrameWord>,
    /// Frames for the management that came.
    pub management: FlowOut<FrameWord>,
    /// Pulse: the management has taken one.
    extracted: In<Bit>,
    /// Pulse: it had no room for one.
    extract_dropped: In<Bit>,
    /// Step WIPE of chapter 40; until `cleared`.
    conn_clr: In<Bit>,
    /// Some port of the instance has a frame on its way to the wire.
    some_sending: In<Bit>,
    /// This one has.
    sending: Out<Bit>,
    /// Tables of the instance are being cleared.
    clearing: In<Bit>,
    /// Packer, senders and receivers forget everything.
    wipe: Out<Bit>,
    /// All of it is done.
    cleared: Out<Bit>,
    /// What is known of the generation of peers.
    pub newer: StreamIn<PeerNewer>,
    /// Room at the XPU for commands that came by this port.
    pub out_credits: FlowIn<OutCredit>,
    /// Commands for the XPU, word by word.
    pub commands: StreamOut<FrameWord>,
    /// What goes with the command.
    command_head: Out<ReceivedHead>,
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
    /// Events of each counter.
    counted: [Out<Bits<2>>; COUNTED],
    /// Bits of EVENT but CFG_BAD.
    happened: Out<Bits<{ EVENTS - 1 }>>,
    /// What there is to say of them.
    details: Out<EventDetails>,

    #[wire(clock)]
    counts: PortEvents,
    #[wire(clock, completions_wait)]
    sender: SueRelTx<A, S, S, T, N, D, L, W, R, X>,
    #[wire(clock)]
    failed: SueDueList<A, L>,
    #[wire(clock)]
    encap: SueEncap,
    #[wire(clock)]
    gate: PortGate,
    #[wire(clock, clear, pcs_up)]
    ethernet: EthPort<Y, Z>,
    #[wire(clock)]
    decap: SueDecap,
    #[wire(clock, clear = off)]
    generations: SueGen<N>,
    #[wire(clock)]
    receiver: SueReceivePath<A, N, L, B, E, G, Q>,
    shown: ConnectionShown,
    #[wire(clock)]
    frame_credits: FrameCredits<E, G, Q>,
    #[wire(clock)]
    watch: DeliveryWatch<Q>,
    #[init(DATA_CLASSES)]
    data_classes: Constant<Bits<12>>,
    /// Sender and receiver forget all.
    forgets: Local<Bit>,
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
        const B: usize,
        const E: usize,
        const G: usize,
        const Q: usize,
        const Y: usize,
        const Z: usize,
    > SuePort<N, A, D, L, S, T, W, R, X, B, E, G, Q, Y, Z>
{
    /// A port that is off, or the reason why it cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            sender: SueRelTx::new()?,
            failed: SueDueList::new()?,
            encap: SueEncap::new()?,
            ethernet: EthPort::new()?,
            decap: SueDecap::new()?,
            generations: SueGen::new()?,
            receiver: SueReceivePath::new()?,
            frame_credits: FrameCredits::new()?,
            ..
        })
    }

    fn update(&mut self) {
        forgets = off | generations.wipe;
        self.send();
        self.frame();
        self.join_ethernet();
        self.receive();
        self.acknowledge();
        self.obey();
        self.look();
        self.clear_generation();
        self.tell_credits();
        self.watch_deliveries();
        self.count();
    }

    /// What the XPU has got.
    fn watch_deliveries(&mut self) {
        let of = receiver.decided_header;
        watch = In { clear: forgets, committed_vc: of.vc, waits: commands.valid & !commands.ready };
        watch.committed = In { data: receiver.committed.data, valid: receiver.committed.valid };
        watch.released = In { data: receiver.released.data, valid: receiver.released.valid };
        link(marks, watch.marks);
        passed = watch.passed;
    }

    /// From bodies to PDUs.
    fn send(&mut self) {
        sender.clear = forgets;
        link(body, sender.body);
        sender = In { head, commands: commands_in_body, spoils: false };
        link(windows, sender.windows);
        link(connections, sender.settings);
        sender.pdus = In { own: settings.own, least: settings.least, port: number };
        sender.pdus = In { classes: data_classes, acknowledgment_class: ACKNOWLEDGMENTS };
        sender.pdus.acknowledgment_partition = settings.acknowledgment_partition;
        sender = In { rto: settings.timeout, slot_min: settings.slot_min };
        let may = ethernet.class_ready;
        let data_may: Bits<VCS> = may.bits::<VCS>(0);
        sender.ready = if ethernet.up { data_may } else { 0 };
        can_send = sender.obtainable & data_may;
        ethernet.asked_class = asked_vc;
        Out { credit_octets } = ethernet;
        // What a port that is down takes is forgotten.
        sender.acknowledgments_held = ethernet.up & !may[ACKNOWLEDGMENTS];
        link(completions, sender.completions);
        link(sent, sender.released);
        Out { empty, in_transit } = sender;
    }

    /// From PDUs to frames.
    fn frame(&mut self) {
        encap.clear = forgets;
        join(sender.pdu, encap.pdu);
        encap = In { settings: network, head: sender.pdu_head };
        let checks = settings.generation_enable;
        let own_generation: Bits<8> = if checks { generation } else { 0 };
        encap.generation = own_generation;
        gate = In { clear: forgets, up: ethernet.up, stop: generations.stop };
        join(encap.frame, gate.frame);
        join(gate.passed, ethernet.data_in);
        ethernet = In { data_class: encap.class, data_octets: encap.octets, generation: own_generation };
        sending = gate.sending;
    }

    fn join_ethernet(&mut self) {
        link(bus, ethernet.bus);
        ethernet = In { number: bit_cast::<4, 2>(number), network, retry_mandatory: false };
        Out { refused, minimum, txd, txc, up } = ethernet;
        ethernet = In { rxd, rxc, inject_octets, extracted };
        ethernet.aux = In { data: encap.frame.data, valid: false };
        link(inject, ethernet.inject);
        for i in 0..VCS {
            ethernet.fill[i] = receiver.fill[i];
        }
        for i in VCS..CLASSES {
            ethernet.fill[i] = 0;
        }
        frames = In { data: ethernet.data.data, valid: ethernet.data.valid };
        management = In { data: ethernet.management.data, valid: ethernet.management.valid };
    }

    /// From frames to commands.
    fn receive(&mut self) {
        decap = In { clear: off, generation, generation_enable: settings.generation_enable };
        decap = In { port: bit_cast::<4, 2>(number), settings: network };
        decap.frame = In { data: ethernet.data.data, valid: ethernet.data.valid };
        generations.pdus = In { data: decap.pdu.data, valid: decap.pdu.valid };
        generations.source = decap.source;
        join(generations.passed, receiver.pdu);
        receiver = In { clear: forgets, source: generations.passed_source, types: settings.types };
        receiver.settings = In { port: number, coalesce: settings.coalesce, renack: settings.renack };
        receiver.settings.ack_timer = settings.acknowledgment_timer;
        receiver.settings.partition_check = settings.partition_check;
        link(members, receiver.partitions);
        link(out_credits, receiver.credits);
        link(commands, receiver.commands);
        Out { command_head } = receiver;
    }

    /// What receiver and sender tell each other.
    fn acknowledge(&mut self) {
        let may_come = !windows_wait;
        sender.answers = In { data: receiver.answers.data, valid: receiver.answers.valid & may_come };
        receiver.answers.ready = sender.answers.ready & may_come;
        join(receiver.due, sender.due);
        join(sender.asks, receiver.asks);
        join(receiver.acknowledgments, sender.acknowledgments);
    }

    /// Connection management.
    fn obey(&mut self) {
        link(orders, sender.orders);
        link(answered, sender.answered);
        link(moved, sender.moved);
        Out { moved_head, moved_commands } = sender;
        link(records, sender.management);
        link(records_in, receiver.management);
        link(changes, receiver.changes);
        link(changed, receiver.changed);
        let said = sender.results.data;
        failed.clear = forgets;
        failed.becomes_due = In { data: said.connection, valid: sender.results.valid & said.fails };
        link(failures, failed.due);
    }

    /// Connections for the host.
    fn look(&mut self) {
        let asked = looks.data;
        let of_receiver = asked.receiver;
        sender.looks = In { data: asked.connection, valid: looks.valid & !of_receiver };
        receiver.looks = In { data: asked.connection, valid: looks.valid & of_receiver };
        looks.ready = if of_receiver { receiver.looks.ready } else { sender.looks.ready };
        shown.sender = In { data: sender.looked.data, valid: sender.looked.valid };
        shown.receiver = In { data: receiver.looked.data, valid: receiver.looked.valid };
        link(looked, shown.looked);
    }

    /// What lies between two generations.
    fn clear_generation(&mut self) {
        generations.enable = settings.generation_enable;
        generations = In { conn_clr, sending: some_sending, clearing };
        Out { wipe, cleared } = generations;
        link(newer, generations.newer);
        let origin = decap.source;
        let peer = origin.xpu;
        generations.dropped = In { data: peer.bits::<10>(0), valid: decap.generation_drop };
        // Bodies that were acknowledged are freed.
        let said = sender.results.data;
        let answers = (said.kind == SendKind::Ack) | (said.kind == SendKind::Nack);
        generations.progress =
            In { data: said.connection, valid: sender.results.valid & answers & said.frees };
        generations = In { expiring: sender.expiring, expires: sender.expires };
        sender.forgiven = generations.forgiven;
    }

    /// What CBFC has to know of frames that came.
    fn tell_credits(&mut self) {
        frame_credits = In { clear: clear | !ethernet.on, forgets };
        frame_credits.frames = In { data: ethernet.data.data, valid: ethernet.data.valid };
        frame_credits.managed = In { data: ethernet.management.data, valid: ethernet.management.valid };
        frame_credits.pdus = In { data: generations.passed.data, valid: generations.passed.valid };
        frame_credits.committed = In { data: receiver.committed.data, valid: receiver.committed.valid };
        frame_credits.released = In { data: receiver.released.data, valid: receiver.released.valid };
        join(frame_credits.came, ethernet.came);
        join(frame_credits.freed, ethernet.freed);
    }

    /// What the registers of the instance count.
    fn count(&mut self) {
        join(sender.events, counts.sender);
        join(receiver.events, counts.receiver);
        counts.results = In { data: sender.results.data, valid: sender.results.valid };
        counts = In { decided_header: receiver.decided_header, delivered: receiver.delivered };
        counts.headers = cat(decap.header_bad, decap.afh_bad, decap.generation_drop);
        counts.skew = In { data: generations.skew.data, valid: generations.skew.valid };
        counts = In { busy: generations.busy, extract_dropped, number, lite_lost: false };
        counts.port_events = cat(ethernet.storm, ethernet.flushed);
        Out { happened, details } = counts;
        for i in 0..COUNTED {
            counted[i] = counts.counted[i];
        }
    }
}
