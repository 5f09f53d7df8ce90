//! `sue_rel_tx`: the go-back-N sender of one port with its data (chapter 50, 4.5): bodies of the packer become PDUs, and go again until their peer has them.
//!
//! | part | does |
//! |---|---|
//! | `slot_store` | bodies in replay slots, with parity |
//! | `sender_core` | table of connections, walker, timers, lists: which body goes next, as which PSN |
//! | `windows` | answers to the packer; the next PSN of a connection |
//! | `order` | which PDU goes next |
//! | `finish` | what its header acknowledges; its place in the network |
//! | `mover` | bodies that go to another port |
//! | `pdu_writer` | reliability header, body, padding, R-CRC |
//!
//! - **Order.** Connection management, then a PDU that only acknowledges, then a PDU with a body; after each the next kind that waits has its turn. So each kind waits
//!   for at most one PDU of each other one, whatever comes.
//! - **Acknowledgments.** Before each PDU but those of connection management its connection goes out at `asks`; `acknowledgments` answers in order, a fixed
//!   number of clocks later. At most two PDUs have asked and not begun, so that the next one is known while one is written. A PDU of `due` whose
//!   answer has `was_due` low is not sent (`voided`). The receiver that answers is cleared together with this block: no answer comes to an ask from before.
//! - **PSN** of a PDU that only acknowledges: that of the connection's next new body, as it was when the PDU was chosen.
//! - **Windows.** Each body is answered once when the table has it, and once more if its window was closed and has opened. A body that is dropped is answered with `open`.
//!   `obtainable` says which virtual channels may have one more slot.
//! - **Connections** are {destination, VC}; all leave from the port of `pdus`. Numbers are below 2^`A`: the caller sends nothing to other destinations.
//!
//! - **Orders** are those of [`sue_failover`](crate::failover): `Stop`, `HandOver`, `Abandon`, `Open`, one at a time. Bodies handed over leave at `moved`, in order, with `moved_head` and
//!   `moved_commands`; so do those that came while their connection was closed. One waits in a buffer, the others in their slots; nothing else waits for them. A PDU of a stopped
//!   connection may still be going out when `answered` says so: its body has left its slot.
//! - A port that is down has to take `pdu` all the same, and may drop it.
//!
//! | event | reaction |
//! |---|---|
//! | a body with `error`, or longer than a slot | dropped: `discarded`, `too_long` |
//! | a wrong parity bit in a slot | the PDU has an inverted R-CRC, `parity`; after that one NOP under the same PSN, status `Failed` |
//! | windows closed or slots used up | bodies wait |
//!
//! | | clocks |
//! |---|---|
//! | last word of a body in to the first word of its PDU, nothing waiting | [`LATENCY`] and those of the answer at `acknowledgments` |
//! | from one PDU to the next, bodies of 12 words and more | 0 |
//! | the same, shorter bodies, answers after 10 clocks | 3 on average at most |
//!
//! `clear` forgets everything; no event is taken for 2^A clocks and a few. What was in slots gets no completion.

mod entry;
mod finish;
mod mover;
mod order;
mod settings;
mod windows;

pub use entry::*;
pub use finish::RelTxFinish;
pub use mover::{MoveStep, RelTxMover};
pub use order::{RelTxOrder, AHEAD};
pub use settings::*;
pub use windows::RelTxWindows;

use crate::frame::{BodyHead, FrameWord, PduHead};
use crate::pack::QueueWindow;
use crate::pdu_writer::SuePduWriter;
use crate::reliability::{Acknowledgment, PduOperation};
use crate::send_table::{SendEntry, SendKind, SendResult, SendSettings, SendTimer};
use crate::sender_core::{PeerAnswer, SueSenderCore};
use crate::sender_orders::{SenderAnswer, SenderOrder};
use crate::slot_store::SueSlotStore;
use crate::slot_walker::Completion;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Clocks from the last word of a body to the first word of its PDU, beside those from `asks` to `acknowledgments`.
pub const LATENCY: u32 = 39;
/// Clocks after which nothing moves if `in_transit` was low all the time.
pub const STILL: u32 = 32;

/// A sender of 2^`A` connections and 2^`S` slots of 2^`W` words; `P` = `S`, 4 at least, `C` = `P` + 1, `M` = `A` - 2, `D` = `A` - 1, `L` = `A` + 1, `R` = `S` + `W`,
/// `X` = `W` + 1. See the [module](self).
#[block("sue_rel_tx", new, connections = 1usize << A, slots = 1usize << S, slot_bytes = 8usize << W)]
pub struct SueRelTx<
    const A: usize,
    const S: usize,
    const P: usize,
    const C: usize,
    const M: usize,
    const D: usize,
    const L: usize,
    const W: usize,
    const R: usize,
    const X: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// What the registers say of connections.
    pub settings: SendSettings,
    /// What the registers say of PDUs.
    pub pdus: RelTxSettings,
    /// RTO, in clocks.
    rto: In<Bits<24>>,
    /// SLOT_MIN.
    slot_min: In<Bits<8>>,
    /// Virtual channels that may send.
    ready: In<Bits<4>>,
    /// The class of acknowledgments and connection management may not send.
    acknowledgments_held: In<Bit>,
    /// Bodies to be sent.
    pub body: StreamIn<FrameWord>,
    /// What goes with the body.
    head: In<BodyHead>,
    /// Commands of the body, with its last word.
    commands: In<Bits<10>>,
    /// The word that comes is stored with a wrong parity: for tests of what follows.
    spoils: In<Bit>,
    /// Answers to bodies.
    pub windows: FlowOut<QueueWindow>,
    /// Virtual channels that may have one more slot.
    obtainable: Out<Bits<4>>,
    /// Octets of a body that waits no more: it is sent for the first time, or it has left for another port.
    pub released: FlowOut<Bits<13>>,
    /// No body waits, or has one.
    empty: Out<Bit>,
    /// A body comes, or is on its way to another port; low between two steps of that for at most [`STILL`] clocks.
    in_transit: Out<Bit>,
    /// Acknowledgments from peers.
    pub answers: StreamIn<PeerAnswer>,
    /// What connection management wants.
    pub orders: StreamIn<SenderOrder>,
    /// It is done.
    pub answered: FlowOut<SenderAnswer>,
    /// Bodies that leave for another port.
    pub moved: StreamOut<FrameWord>,
    /// What goes with the body.
    moved_head: Out<BodyHead>,
    /// Commands in it.
    moved_commands: Out<Bits<10>>,
    /// Connections to which an acknowledgment is due.
    pub due: StreamIn<Bits<12>>,
    /// Connections that a PDU is about to be sent on.
    pub asks: StreamOut<Bits<12>>,
    /// What it acknowledges.
    pub acknowledgments: FlowIn<Acknowledgment>,
    /// PDUs of connection management.
    pub management: StreamIn<ManagementRequest>,
    /// The PDUs.
    pub pdu: StreamOut<FrameWord>,
    /// What the PDU is sent with; it holds from its first word to its last.
    pdu_head: Out<PduHead>,
    /// What became of bodies.
    pub completions: FlowOut<Completion>,
    /// None is told from the next clock on.
    completions_wait: In<Bit>,
    /// What each event of a connection did.
    pub results: FlowOut<SendResult>,
    /// Connections that the host looks at.
    pub looks: StreamIn<Bits<12>>,
    /// How they are.
    pub looked: FlowOut<SendEntry>,
    /// What else happened.
    pub events: RelTxEvents,
    /// The connection whose timer has run out; it holds until `expires`.
    expiring: Out<Bits<12>>,
    /// Three clocks after `expiring` and until `expires`: this expiry does not count (4.8).
    forgiven: In<Bit>,
    /// Pulse: it is carried out.
    expires: Out<Bit>,

    #[wire(clock, clear, head, commands, spoils)]
    store: SueSlotStore<S, W, R, X>,
    #[wire(clock, clear, rto, slot_min, ready, forgiven, completions_wait)]
    core: SueSenderCore<A, S, P, C, M, D, L>,
    #[wire(clock, clear)]
    answering: RelTxWindows<A>,
    #[wire(clock, clear, acknowledgments_held)]
    order: RelTxOrder,
    #[wire(clock, clear)]
    finish: RelTxFinish,
    #[wire(clock, clear)]
    mover: RelTxMover<W, X>,
    /// Bodies that are being read: whether they move.
    #[wire(clock, clear)]
    tags: SmallFifo<Bit, 2, 3>,
    /// The body that was read last moves.
    was_moved: Reg<Bit>,
    #[wire(d = _)]
    released_bytes: Reg<Bits<13>>,
    #[wire(enable = true)]
    released_valid: Register<Bit>,
    /// Words of bodies came in the last clocks: their slot may not be counted yet.
    #[wire(enable = true)]
    came: Register<Bits<5>>,
    #[wire(d = _)]
    emptied: Reg<Bit>,
    #[wire(d = _)]
    travels: Reg<Bit>,
    #[wire(clock, clear, own = pdus.own, least = pdus.least)]
    writer: SuePduWriter,
    /// The body whose last word came last.
    ended: Reg<BodyHead>,
    #[wire(d = _)]
    result: Reg<SendResult>,
    result_valid: Register<Bit>,
}

#[logic]
impl<
        const A: usize,
        const S: usize,
        const P: usize,
        const C: usize,
        const M: usize,
        const D: usize,
        const L: usize,
        const W: usize,
        const R: usize,
        const X: usize,
    > SueRelTx<A, S, P, C, M, D, L, W, R, X>
{
    /// A sender without traffic.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            store: SueSlotStore::new()?,
            core: SueSenderCore::new()?,
            answering: RelTxWindows::new()?,
            order: RelTxOrder::new()?,
            finish: RelTxFinish::new()?,
            mover: RelTxMover::new()?,
            tags: SmallFifo::new()?,
            writer: SuePduWriter::new()?,
            ..
        })
    }

    fn update(&mut self) {
        self.take_bodies();

        // What the table says.
        let said = core.results.data;
        result = said;
        result_valid = core.results.valid;
        results = In { data: result, valid: result_valid };
        answering.results = In { data: said, valid: core.results.valid };
        link(settings, core.settings);
        link(looks, core.looks);
        link(looked, core.looked);
        Out { expiring, expires } = core;
        link(answers, core.answers);
        link(orders, core.orders);
        link(answered, core.answered);
        link(completions, core.completions);
        link(windows, answering.windows);

        // What comes next.
        link(management, order.management);
        link(due, order.due);
        link(asks, order.asks);
        join(core.reads, order.reads);
        answering.connection = order.due_connection;
        order = In { next_psn: answering.next_psn, runs: answering.runs };

        // The PDU.
        link(pdus, finish.settings);
        join(order.jobs, finish.jobs);
        link(acknowledgments, finish.acknowledgments);
        join(finish.requests, writer.requests);
        order = In { begun: finish.begins, voided: finish.voids };
        let leaves = self.read_bodies();
        let described = store.described;
        let sends_first = finish.begins & (finish.kind == PduKind::New);
        released_bytes = described.bytes;
        released_valid = sends_first | leaves;
        released = In { data: released_bytes, valid: released_valid };
        writer = In { body_bytes: described.bytes, body_partition: described.partition };
        link(pdu, writer.pdu);
        pdu_head = writer.head;
        self.tell();
    }

    /// Bodies go into slots; none ends while the answer to one that was dropped waits.
    fn take_bodies(&mut self) {
        let goes = !answering.waits;
        store.body = In { data: body.data, valid: body.valid & goes };
        body.ready = store.body.ready & goes;
        let word = body.data;
        if body.valid & body.ready & word.last {
            ended = head;
        }
        answering.returned = In { data: ended, valid: store.returns.valid };
        obtainable = core.obtainable;
        came = cat(body.valid, came[0..4]);
        emptied = core.empty & !body.valid & !came.any();
        empty = emptied;
        travels = core.in_transit | body.valid | came.any() | mover.carries;
        in_transit = travels;
        store.obtainable = core.obtainable;
        join(core.slots, store.slots);
        join(store.begins, core.begins);
        core.returns = In { data: store.returns.data, valid: store.returns.valid };
        join(store.stored, core.stored);
        core.damaged = In { data: store.damaged.data, valid: store.damaged.valid };
    }

    /// Bodies leave their slots: those that move first, into a buffer that has a place for them; those of PDUs.
    fn read_bodies(&mut self) -> Bit {
        let moves = mover.reads.valid;
        let some = moves | order.slots.valid;
        store.reads.data = if moves { mover.reads.data } else { order.slots.data };
        store.reads.valid = some & tags.words_in.ready;
        let reads = store.reads.ready & tags.words_in.ready;
        mover.reads.ready = reads;
        order.slots.ready = reads & !moves;
        tags.words_in = In { data: moves, valid: some & store.reads.ready };

        let tag = tags.words_out.data;
        let read_word = store.body_out.data;
        writer.body = In { data: read_word, valid: store.body_out.valid & !tag };
        mover.words = In { data: read_word, valid: store.body_out.valid & tag };
        mover.described = store.described;
        store.body_out.ready = tag | writer.body.ready;
        let ends = store.body_out.valid & (tag | writer.body.ready) & read_word.last;
        tags.words_out.ready = ends;
        if ends {
            was_moved = tag;
        }
        core.left = store.left & !was_moved;
        join(core.moves, mover.slots);
        join(mover.returned, core.returned);
        link(moved, mover.moved);
        moved_head = mover.moved_head;
        moved_commands = mover.moved_commands;
        let leaves = ends & tag;
        leaves
    }

    /// What is counted.
    fn tell(&mut self) {
        let begins = finish.begins;
        let kind = finish.kind;
        let asked = finish.requests.data;
        events = In {
            sent: begins & (kind == PduKind::New),
            sent_again: begins & (kind == PduKind::Replay),
            acknowledgment_only: begins & (kind == PduKind::Acknowledgment),
            voided: finish.voids,
            management_sent: begins & (kind == PduKind::Management),
            ack_sent: begins & (asked.operation == PduOperation::Ack),
            nack_sent: begins & (asked.operation == PduOperation::Nack),
        };
        let expired =
            (result.kind == SendKind::Expire) & ((result.timer == SendTimer::Starts) | result.fails);
        events = In {
            ack_received: result_valid & (result.kind == SendKind::Ack),
            nack_received: result_valid & (result.kind == SendKind::Nack),
            timed_out: result_valid & expired,
            stale: result_valid & result.stale,
            wild: result_valid & result.wild,
            stuck: result_valid & result.stuck,
            failed: result_valid & result.fails,
        };
        events = In { parity: store.damaged.valid, discarded: store.discarded, too_long: store.too_long };
        events.no_timer = core.no_timer;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_rel_tx",
    chapter: "50-sue",
    summary: "go-back-N sender of a port",
    parameters: &[
        ParameterInfo::new(
            "connections",
            256,
            Allowed::PowerOfTwo(16, 4096),
            "{destination, VC}, a power of two, at least as many as slots",
        ),
        ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(4, 256), "a power of two"),
        ParameterInfo::new(
            "slot_bytes",
            2048,
            Allowed::PowerOfTwo(512, 4096),
            "octets of a slot; all slots together 256 KB at most",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096), ("slots", 256), ("slot_bytes", 512)] },
        Preset { name: "small", values: &[("connections", 16), ("slots", 16), ("slot_bytes", 512)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (a, s) = (log2(settings.size("connections")?), log2(settings.size("slots")?));
    let w = log2(settings.size("slot_bytes")? / 8);
    shapes! {
        settings: (a = a, s = s, p = s.max(4), w = w) => build_as [a, s, p, p + 1, a - 2, a - 1, a + 1, w, s + w, w + 1];
        presets { (8, 5, 5, 8) (12, 8, 8, 6) (4, 4, 4, 6) }
    }
}

/// Builds the block with these const parameters; see [`SueRelTx`].
pub fn build_as<
    const A: usize,
    const S: usize,
    const P: usize,
    const C: usize,
    const M: usize,
    const D: usize,
    const L: usize,
    const W: usize,
    const R: usize,
    const X: usize,
>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("body", StreamSink),
        ("windows", FlowSource),
        ("answers", StreamSink),
        ("orders", StreamSink),
        ("answered", FlowSource),
        ("moved", StreamSource),
        ("due", StreamSink),
        ("asks", StreamSource),
        ("acknowledgments", FlowSink),
        ("management", StreamSink),
        ("pdu", StreamSource),
        ("released", FlowSource),
        ("completions", FlowSource),
        ("results", FlowSource),
        ("looks", StreamSink),
        ("looked", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "last word of a body to pdu.valid");
    Ok(BuiltBlock::new(SueRelTx::<A, S, P, C, M, D, L, W, R, X>::new()?, interface))
}
