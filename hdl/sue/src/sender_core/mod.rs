//! `sue_sender_core`: a go-back-N sender but for its data: table of connections, slot walker, timers and lists (chapter 50, 4.5).
//!
//! Whatever happens becomes an event of the table, one every 4 clocks. What waits is served in this order:
//!
//! | event | from |
//! |---|---|
//! | `Freed` | the walker; first, so that a slot is not used again before the table knows |
//! | `Ack`, `Nack` | `answers` of peers |
//! | `Expire` | the timers |
//! | `Open`, `Stop`, own `Ack` | `orders` ([`SendOrders`]) |
//! | `Body` | `stored`, from the slot store |
//! | `Turn` | the lists |
//!
//! - Results go to the walker (links, slots to be freed), the timers and the lists, and outside: `results` has what is counted, and `window` for the packer.
//! - A body's connection is {destination, VC}, VC in the lowest two bits. The caller gives no body to a connection without `window`.
//! - `orders` are those of [`sue_failover`](crate::failover), one at a time, whatever their port says; `answered` says that all is done. Bodies that are handed over go out at `moves`, slot by
//!   slot, and so does a body that comes while its connection is closed. Those that have left come back at `returned`; nothing waits for them but their slots.
//! - A stopped connection still takes bodies that were on their way. While a connection is handed over or given up, `answers` waits.
//! - At most four bodies are asked for at `reads` and not `left`. `reads` waits, nothing else does.
//! - No event is taken while the timers have no `room`, and no virtual channel is `obtainable` while two bodies wait to be known.
//! - An expiry waits 3 clocks, so that `forgiven` can say whether it counts; `sue_gen` knows.
//! - `stored` to `reads.valid`: 17 clocks, nothing waiting.
//! - `clear` forgets everything; 2^A clocks and a few until events are taken.

mod entry;
mod orders;

pub use entry::*;
pub use orders::{OrderStep, SendOrders};

use crate::send_lists::SueSendLists;
use crate::send_table::{SendEntry, SendEvent, SendKind, SendResult, SendSettings, SendTimer, SueSendTable};
use crate::sender_orders::{SenderAnswer, SenderOrder};
use crate::slot_store::StoredBody;
use crate::slot_walker::{BodyStatus, Completion, FreeRequest, ReturnedSlot, SlotLink, SueSlotWalker};
use crate::timers::{SueTimers, TimerCommand};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Clocks from `stored` to `reads.valid`.
pub const LATENCY: u32 = 17;

/// A sender of 2^`A` connections and 2^`S` slots; `P` = `S`, 4 at least, `C` = `P` + 1, `M` = `A` - 2, `D` = `A` - 1, `L` = `A` + 1. See the [module](self).
#[block("sue_sender_core", new, connections = 1usize << A, slots = 1usize << S)]
pub struct SueSenderCore<
    const A: usize,
    const S: usize,
    const P: usize,
    const C: usize,
    const M: usize,
    const D: usize,
    const L: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// What the registers say of connections.
    pub settings: SendSettings,
    /// RTO, in clocks.
    rto: In<Bits<24>>,
    /// SLOT_MIN.
    slot_min: In<Bits<8>>,
    /// Virtual channels that may send.
    ready: In<Bits<4>>,
    /// Virtual channels that may have one more slot.
    obtainable: Out<Bits<4>>,
    /// All slots are free, as of 5 clocks before.
    empty: Out<Bit>,
    /// Bodies move, or it is not known yet whether they do; low between two steps of that for a few clocks.
    in_transit: Out<Bit>,
    /// Slots that are free.
    pub slots: StreamOut<Bits<8>>,
    /// A body of this virtual channel begins.
    pub begins: FlowIn<Bits<2>>,
    /// It is forgotten.
    pub returns: FlowIn<Bits<2>>,
    /// A body stands in its slot.
    pub stored: FlowIn<StoredBody>,
    /// The body of this slot is wrong.
    pub damaged: FlowIn<Bits<8>>,
    /// Acknowledgments from peers.
    pub answers: StreamIn<PeerAnswer>,
    /// What connection management wants.
    pub orders: StreamIn<SenderOrder>,
    /// It is done.
    pub answered: FlowOut<SenderAnswer>,
    /// Slots whose bodies leave for another port.
    pub moves: StreamOut<Bits<8>>,
    /// They have left.
    pub returned: StreamIn<ReturnedSlot>,
    /// Bodies to be read and sent.
    pub reads: StreamOut<SendRead>,
    /// One of them has been read, the oldest.
    left: In<Bit>,
    /// What became of bodies.
    pub completions: FlowOut<Completion>,
    /// None is told from the next clock on.
    completions_wait: In<Bit>,
    /// What each event did.
    pub results: FlowOut<SendResult>,
    /// Connections that the host looks at.
    pub looks: StreamIn<Bits<12>>,
    /// How they are.
    pub looked: FlowOut<SendEntry>,
    /// A connection waits without a timer: there are too few.
    no_timer: Out<Bit>,
    /// The connection whose timer has run out; it holds until `expires`.
    expiring: Out<Bits<12>>,
    /// Three clocks after `expiring` and until `expires`: this expiry does not count (4.8).
    forgiven: In<Bit>,
    /// Pulse: the table has it.
    expires: Out<Bit>,

    #[wire(clock, clear)]
    table: SueSendTable<A>,
    #[wire(clock, clear, slot_min, completions_wait)]
    walker: SueSlotWalker<S, P, C>,
    #[wire(clock, clear, rto)]
    timers: SueTimers<A, P, C>,
    #[wire(clock, clear, ready)]
    lists: SueSendLists<A, M, D, L>,
    #[wire(clock, clear, left)]
    obeying: SendOrders,
    #[wire(clock, clear)]
    bodies: SmallFifo<PendingBody, 2, 3>,
    /// Bodies in `bodies`.
    waiting: Register<Bits<3>>,
    /// Slots of bodies whose result has not come.
    #[wire(clock, clear)]
    appended: SmallFifo<Bits<8>, 2, 3>,
    #[wire(clock, clear)]
    to_read: SmallFifo<SendRead, 2, 3>,
    /// Turns that may be given.
    #[init(4)]
    turns: Register<Bits<3>>,
    /// Clocks that an expiry waits, at most 3: then it is known whether it counts.
    aged: Register<Bits<2>>,
    event: Reg<SendEvent>,
    event_valid: Register<Bit>,
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
    > SueSenderCore<A, S, P, C, M, D, L>
{
    /// A sender without traffic.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_sender_core", "A", A as u64, 4, 12)?;
        Ok(Self {
            table: SueSendTable::new()?,
            walker: SueSlotWalker::new()?,
            timers: SueTimers::new()?,
            lists: SueSendLists::new()?,
            bodies: SmallFifo::new()?,
            appended: SmallFifo::new()?,
            to_read: SmallFifo::new()?,
            ..
        })
    }

    fn update(&mut self) {
        link(settings, table.settings);
        link(looks, table.looks);
        link(looked, table.looked);
        link(slots, walker.slots);
        link(begins, walker.begins);
        link(returns, walker.returns);
        link(stored, walker.stored);
        link(damaged, walker.damaged);
        link(completions, walker.completions);
        link(reads, to_read.words_out);
        link(moves, walker.moves);
        link(returned, walker.returned);
        link(orders, obeying.orders);
        link(answered, obeying.answered);
        walker.left = left;
        no_timer = timers.lost;

        let (takes_body, takes_turn) = self.choose();
        self.take_bodies(takes_body);
        self.spread();

        // A turn is over when its frame has left, or when there was none.
        let result = table.results.data;
        let idle = table.results.valid & (result.kind == SendKind::Turn) & !result.sends;
        let more: Bits<3> = bit_cast::<3, 1>(left.into()) + bit_cast::<3, 1>(idle.into());
        let fewer: Bits<3> = bit_cast::<3, 1>(takes_turn.into());
        turns = turns + more - fewer;
    }

    /// The next event.
    fn choose(&mut self) -> (Bit, Bit) {
        let free = !event_valid | table.events.ready;
        let go = free & timers.room & !clear;
        let has_freed = walker.freed.valid;
        let answer_waits = answers.valid & !obeying.holds;
        let has_answer = answer_waits & !has_freed;
        let over_answer = has_freed | answer_waits;
        let is_judged = timers.expired.valid & aged.all();
        let has_expired = is_judged & !over_answer;
        let over_expired = over_answer | is_judged;
        let has_change = obeying.events.valid & !over_expired;
        let over_change = over_expired | obeying.events.valid;
        let has_body = bodies.words_out.valid & !over_change;
        let over_body = over_change | bodies.words_out.valid;
        let has_turn = lists.turn.valid & turns.any() & !over_body;
        walker.freed.ready = go;
        answers.ready = go & !has_freed & !obeying.holds;
        timers.expired.ready = go & !over_answer & aged.all();
        let takes_expired = go & has_expired;
        aged.enable = true;
        aged = if takes_expired | !timers.expired.valid {
            0
        } else if aged.all() {
            aged
        } else {
            aged + 1
        };
        expiring = timers.expired.data;
        expires = takes_expired;
        obeying.events.ready = go & !over_expired;
        bodies.words_out.ready = go & !over_change;
        lists.turn.ready = go & turns.any() & !over_body;
        let comes = go & (over_body | has_turn);

        let freed = walker.freed.data;
        let answer = answers.data;
        let change = obeying.events.data;
        let body = bodies.words_out.data;
        let turn = lists.turn.data;
        let kind = if has_freed {
            SendKind::Freed
        } else if has_answer {
            if answer.nack {
                SendKind::Nack
            } else {
                SendKind::Ack
            }
        } else if has_expired {
            SendKind::Expire
        } else if has_change {
            change.kind
        } else if has_body {
            SendKind::Body
        } else {
            SendKind::Turn
        };
        let connection = if has_freed {
            freed.connection
        } else if has_answer {
            answer.connection
        } else if has_expired {
            timers.expired.data
        } else if has_change {
            change.connection
        } else if has_body {
            body.connection
        } else {
            turn.connection
        };
        let psn = if has_answer { answer.psn } else { change.psn };
        let slot = if has_freed { freed.slot } else { body.slot };
        if comes {
            let forgives = has_expired & forgiven;
            event = SendEvent { kind, connection, psn, slot, count: freed.count, forgiven: forgives };
        }
        event_valid = comes | (event_valid & !table.events.ready);
        table.events = In { data: event, valid: event_valid };
        let takes_body = go & has_body;
        let takes_turn = go & has_turn;
        (takes_body, takes_turn)
    }

    /// Bodies that the table does not know yet.
    fn take_bodies(&mut self, takes_body: Bit) {
        let new_body = stored.data;
        let destination = new_body.destination;
        let of: Bits<12> = cat(new_body.vc, destination);
        bodies.words_in.data = PendingBody { slot: new_body.slot, connection: of };
        bodies.words_in.valid = stored.valid;
        waiting.enable = stored.valid ^ takes_body;
        waiting = if stored.valid { waiting + 1 } else { waiting - 1 };
        let crowded = waiting[1] | waiting[2];
        obtainable = if crowded { 0 } else { walker.obtainable };
        empty = walker.empty;
        in_transit = waiting.any() | appended.words_out.valid | walker.moves.valid;
        let known = bodies.words_out.data;
        lists.body = In { data: known.connection, valid: takes_body };
        appended.words_in = In { data: known.slot, valid: takes_body };
    }

    /// What the table says, to everybody.
    fn spread(&mut self) {
        let said = table.results.data;
        let says = table.results.valid;
        let is_own = obeying.acts & (said.kind == SendKind::Ack);
        results = In { data: said, valid: says & !is_own };
        let heard = table.results.valid;
        obeying.results = In { data: said, valid: heard };
        lists.results = In { data: said, valid: says };

        let is_body = says & (said.kind == SendKind::Body);
        appended.words_out.ready = is_body;
        walker.links.data = SlotLink { before: said.slot, slot: appended.words_out.data };
        walker.links.valid = is_body & said.links;
        walker.diverts = In { data: appended.words_out.data, valid: is_body & said.diverts };
        let is_ordered = obeying.acts & (said.connection == obeying.connection);
        let status = if is_ordered { obeying.status } else { BodyStatus::Delivered };
        walker.frees.data = FreeRequest {
            connection: said.connection,
            slot: said.slot,
            count: said.count,
            status,
            moves: is_ordered & obeying.moves,
        };
        walker.frees.valid = says & said.frees;

        let starts = said.timer == SendTimer::Starts;
        timers.commands.data = TimerCommand { connection: said.connection, starts, backoff: said.backoff };
        timers.commands.valid = says & (said.timer != SendTimer::Keeps);

        let sends = says & said.sends;
        to_read.words_in.data =
            SendRead { slot: said.slot, psn: said.psn, connection: said.connection, replay: said.replays };
        to_read.words_in.valid = sends;
        walker.reading = In { data: said.slot, valid: sends };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_sender_core",
    chapter: "50-sue",
    summary: "go-back-N sender but for its data",
    parameters: &[
        ParameterInfo::new(
            "connections",
            256,
            Allowed::PowerOfTwo(16, 4096),
            "{destination, VC}, a power of two, at least as many as slots",
        ),
        ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(4, 256), "a power of two"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096), ("slots", 256)] },
        Preset { name: "small", values: &[("connections", 16), ("slots", 16)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (a, s) = (log2(settings.size("connections")?), log2(settings.size("slots")?));
    shapes! {
        settings: (a = a, s = s, p = s.max(4)) => build_as [a, s, p, p + 1, a - 2, a - 1, a + 1];
        presets { (8, 5, 5) (12, 8, 8) (4, 4, 4) }
    }
}

/// Builds the block with these const parameters; see [`SueSenderCore`].
pub fn build_as<
    const A: usize,
    const S: usize,
    const P: usize,
    const C: usize,
    const M: usize,
    const D: usize,
    const L: usize,
>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("slots", StreamSource),
        ("begins", FlowSink),
        ("returns", FlowSink),
        ("stored", FlowSink),
        ("damaged", FlowSink),
        ("answers", StreamSink),
        ("orders", StreamSink),
        ("answered", FlowSource),
        ("moves", StreamSource),
        ("returned", StreamSink),
        ("reads", StreamSource),
        ("completions", FlowSource),
        ("results", FlowSource),
        ("looks", StreamSink),
        ("looked", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "stored to reads.valid");
    Ok(BuiltBlock::new(SueSenderCore::<A, S, P, C, M, D, L>::new()?, interface))
}
