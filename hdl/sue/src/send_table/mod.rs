//! `sue_send_table`: the connections of a go-back-N sender (chapter 50, 4.5).
//!
//! One table of 2^A connections, {port, peer, VC} each, in block RAM, and the links between replay slots. An event reads its entry, changes it and writes it
//! back; the result says what is to be sent or freed. Bodies, timers and the choice of whose turn it is are outside.
//!
//! | event | what it does |
//! |---|---|
//! | `Body` | row "new body": takes the next PSN, appends `slot` |
//! | `Turn` | row "send turn": gives PSN and slot of the body to be sent, if there is one |
//! | `Ack`, `Nack` | their rows: free, go back, or ignore |
//! | `Expire` | row "timer": go back; the connection fails after RETRY_MAX; with `forgiven` (4.8) only the former |
//! | `Freed` | answer to `frees`: the slots that were asked for are free |
//! | `Open`, `Stop` | start empty at `psn`; send nothing more, and be closed if nothing is outstanding |
//!
//! - An event every 4 clocks (`events.ready`), also on one connection; the result follows 8 clocks after its event.
//! - `looks` shows an entry as the events have left it whose results had come before the look was taken; later ones may have changed it already. Events never wait for a look.
//! - Slots are freed along their links, outside and one by one: `frees` gives the first slot and a count, `Freed` the last slot and the same count. More of
//!   the connection's slots are asked for only then. `links` tells the one who does it which slot follows which.
//! - A connection that goes back while slots are to be freed waits for its turn until they are: only then its first slot is known.
//! - At most 256 slots, so at most 256 bodies are outstanding, whatever WIN is. The caller appends no body without `window`.
//! - A stopped connection still takes bodies and acknowledgments; a closed one gives a body back with `diverts`.
//! - `Stop` and `Open` change what the connection does from then on; `Open` is for a connection without bodies and without slots to be freed.
//! - `clear` forgets what is in the pipeline and puts zeros into all entries, one per clock; `events.ready` is low until then.

mod entry;
mod settings;

pub use entry::*;
pub use settings::*;

use crate::connection_memory::ConnectionMemory;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Clocks from an event to its result.
pub const LATENCY: u32 = 8;
/// Replay slots.
const SLOTS: u32 = 256;

/// The connections of a sender, 2^`A` of them. See the [module](self).
#[block("sue_send_table", new, connections = 1usize << A)]
pub struct SueSendTable<const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all connections.
    clear: In<Bit>,
    /// What happens to connections.
    pub events: StreamIn<SendEvent>,
    /// What the registers say; it holds still while there are events.
    pub settings: SendSettings,
    /// What each event did, 8 clocks after it.
    pub results: FlowOut<SendResult>,
    /// Connections that are looked at, one at a time; nothing is changed.
    pub looks: StreamIn<Bits<12>>,
    /// Its entry, 5 clocks later, or up to 5 more while events come.
    pub looked: FlowOut<SendEntry>,

    #[wire(clock, clear)]
    memory: ConnectionMemory<SendEntry, A>,
    /// By slot, the one that follows.
    links: Ram<Bits<8>, 8>,
    /// Where events are: the first clock after the transfer, the second, ...
    stage: Register<Bits<8>>,
    /// The event of stages 0 to 2.
    early: Reg<SendEvent>,
    /// The event of stages 3 to 6.
    late: Reg<SendEvent>,
    /// The PSN that the peer wants next; with `Open` the first one.
    wanted: Reg<Bits<16>>,
    entry: Reg<SendEntry>,
    #[wire(d = _)]
    early_freed: Reg<Bit>,
    /// The slot whose follower is read.
    pointer: Reg<Bits<8>>,
    /// A slot is appended to another one.
    #[wire(d = _)]
    appends: Reg<Bit>,
    #[wire(d = _)]
    appended_after: Reg<Bits<8>>,
    #[wire(d = _)]
    limits: Reg<SendLimits>,
    #[wire(d = _)]
    distances: Reg<SendDistances>,
    #[wire(d = _)]
    compared: Reg<SendCompared>,
    #[wire(d = _)]
    known: Reg<SendKnown>,
    written: Reg<SendEntry>,
    /// What follows the slot that the event is of.
    follower: Reg<Bits<8>>,
    #[wire(d = _)]
    result: Reg<SendResult>,
}

#[logic]
impl<const A: usize> SueSendTable<A> {
    /// An empty table.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_send_table", "A", A as u64, 1, 12)?;
        Ok(Self { memory: ConnectionMemory::new()?, links: Ram::new(RamConfig::block(SLOTS))?, .. })
    }

    fn update(&mut self) {
        // Where events are, and whether one more is taken.
        let busy = stage[0] | stage[1] | stage[2];
        let takes = memory.runs & !busy & !clear;
        events.ready = takes;
        let taken = takes & events.valid;
        stage = cat(taken, stage[0..7]);
        if taken {
            early = events.data;
        }
        let event = events.data;
        // By `valid` alone, for `ready` comes late. An event that waits has the address but in the clock after the event before it; then a look has it.
        let event_reads = events.valid & !stage[0];
        let early_psn = early.psn;
        if stage[2] {
            late = early;
            wanted = if early.kind == SendKind::Ack { early_psn + 1 } else { early_psn };
        }
        memory =
            In { event_reads, event_connection: event.connection, late_comes: stage[2], writes: stage[6] };
        memory = In {
            early_connection: early.connection,
            late_connection: late.connection,
            entry_written: written,
        };
        link(looks, memory.looks);
        link(looked, memory.looked);

        let read = memory.entry_read;
        let follows = self.follow_links(read);

        // Stage 2: the entry, or what the event before made of it.
        if stage[2] {
            entry = if memory.same { written } else { read };
        }

        // Stages 3 and 4: distances, comparisons. Stage 5: the decision. Stage 6: it is written and told.
        self.prepare_limits();
        distances = Self::subtract(entry, wanted);
        compared = Self::compare(entry, late, distances, limits);
        let judged = Self::judge(entry, compared, limits.stuck_fail);
        let decided = Self::decide(entry, late, compared, distances, wanted, follows, judged);
        let left_fits = compared.left < limits.window;
        let held_fits = distances.outstanding < compared.limit;
        let fits = if compared.acknowledges { left_fits } else { held_fits };
        known = SendKnown {
            room: limits.wide | fits,
            progresses: judged.progress,
            starts: (compared.body & compared.empty) | judged.progress | judged.nack_back | compared.expires,
            halts: (compared.acknowledges & compared.all) | compared.opens,
            stuck: judged.refused & compared.last_refusal,
        };
        if stage[5] {
            written = decided;
            follower = follows;
        }
        if !memory.runs {
            written = bits::<ENTRY_BITS>(0).into();
        }
        result = Self::tell(entry, written, late, compared, known, follower, limits);
        results = In { data: result, valid: stage[7] };
    }

    /// The settings, and what one less is.
    fn prepare_limits(&mut self) {
        let window = settings.window;
        let high = window[9..15];
        let low = window[0..9];
        let nack_max = settings.nack_max;
        limits = SendLimits {
            wide: high.any(),
            window: low,
            window_before: low - 1,
            retry_max: settings.retry_max,
            backoff: settings.backoff,
            nack_max,
            nack_before: nack_max - 1,
            stuck_fail: settings.stuck_fail,
        };
    }

    /// What follows the slot of the event in stage 5, and where a body is appended. Both addresses are registers.
    fn follow_links(&mut self, read: SendEntry) -> Bits<8> {
        early_freed = early.kind == SendKind::Freed;
        if stage[2] {
            pointer = if early_freed {
                early.slot
            } else if memory.same {
                written.cursor
            } else {
                read.cursor
            };
        }
        links = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        links.read_address = pointer;
        appends = stage[5] & compared.body & !(compared.empty & compared.clean);
        appended_after = entry.tail;
        links.write_enable = appends;
        links.write_address = appended_after;
        links.write_data = late.slot;
        let follows = links.read_data;
        follows
    }

    /// An entry and an event, subtracted: one carry chain each.
    fn subtract(entry: SendEntry, wanted: Bits<16>) -> SendDistances {
        let first = entry.unacknowledged;
        let last = entry.next_psn;
        let turn = entry.send;
        let first_low = first[0..9];
        let last_low = last[0..9];
        let turn_low = turn[0..9];
        SendDistances {
            acknowledged: wanted - first,
            outstanding: last_low - first_low,
            sent: turn_low - first_low,
            not_sent: turn_low ^ last_low,
            remaining: last - wanted,
            next_after: last + 1,
            send_after: turn + 1,
        }
    }

    /// Distances and states, compared.
    fn compare(
        entry: SendEntry,
        event: SendEvent,
        distances: SendDistances,
        limits: SendLimits,
    ) -> SendCompared {
        let is_open = entry.state == SendState::Open;
        let is_nack = event.kind == SendKind::Nack;
        let is_acknowledgment = (event.kind == SendKind::Ack) | is_nack;
        let is_body = event.kind == SendKind::Body;
        let is_closed = entry.state == SendState::Closed;
        let distance = distances.acknowledged;
        let count = distance[0..9];
        let remaining = distances.remaining;
        let left = remaining[0..9];
        // At most 256 bodies are outstanding: the PSN wanted is among them if it is near both ends, since the distances add up to their number.
        let beyond_first = distance[9..16];
        let beyond_last = remaining[9..16];
        let in_window = !beyond_first.any() & !beyond_last.any();
        let outstanding = distances.outstanding;
        let empty = !outstanding.any();
        let not_sent = distances.not_sent;
        let all_sent = !not_sent.any();
        let covered = entry.covered;
        // The body of the PSN acknowledged may never have been sent: the peer lies.
        let covered_wide = bit_cast::<10, 9>(covered) - bit_cast::<10, 9>(count);
        let covered_left = covered_wide[0..9];
        let over = covered_wide[9];
        let to_free_left = entry.to_free - event.count;
        let body = is_body & !is_closed;
        let limit = if body { limits.window_before } else { limits.window };
        SendCompared {
            body,
            limit,
            diverts: is_body & is_closed,
            turn: (event.kind == SendKind::Turn) & is_open & !entry.rewinds & !all_sent,
            acknowledges: is_acknowledgment & in_window,
            progresses: is_acknowledgment & in_window & count.any(),
            refuses: is_nack & in_window & left.any(),
            expires: (event.kind == SendKind::Expire) & is_open & !empty,
            forgiven: event.forgiven,
            freed: event.kind == SendKind::Freed,
            opens: event.kind == SendKind::Open,
            stops: event.kind == SendKind::Stop,
            stale: is_acknowledgment & !in_window & distance[15],
            wild: is_acknowledgment & !in_window & !distance[15],
            all: !left.any(),
            behind: distances.sent < count,
            all_sent,
            empty,
            clean: !entry.to_free.any(),
            all_freed: entry.to_free == event.count,
            replays: distances.sent < covered,
            last_retry: entry.retry >= limits.retry_max,
            last_refusal: entry.refusals >= limits.nack_before,
            counts_refusal: is_open & (entry.refusals < limits.nack_max),
            left,
            covered_left,
            over,
            covered_more: covered + 1,
            to_free_more: entry.to_free + count,
            to_free_left,
        }
    }

    /// What the event amounts to: the rows of 4.5.
    fn judge(entry: SendEntry, compared: SendCompared, stuck_fail: Bit) -> SendJudgement {
        let progress = compared.progresses;
        let nack_back = compared.refuses;
        let jump = progress & compared.behind;
        let back = nack_back | compared.expires | (jump & !compared.all);
        let refused = nack_back & !progress & compared.counts_refusal;
        let stuck = refused & compared.last_refusal & stuck_fail;
        let after_freed = compared.freed & entry.rewinds & compared.all_freed;
        SendJudgement {
            progress,
            nack_back,
            jump,
            back,
            first_known: compared.clean & !progress,
            refused,
            fails: (compared.expires & compared.last_retry & !compared.forgiven) | stuck,
            after_freed,
        }
    }

    /// The entry after the event.
    fn decide(
        entry: SendEntry,
        event: SendEvent,
        compared: SendCompared,
        distances: SendDistances,
        wanted: Bits<16>,
        follows: Bits<8>,
        judged: SendJudgement,
    ) -> SendEntry {
        let numbered = Self::numbers_after(entry, compared, distances, wanted, judged);
        let placed = Self::slots_after(numbered, event, compared, follows, judged);
        Self::patience_after(placed, compared, judged)
    }

    /// PSNs and counts after the event.
    fn numbers_after(
        entry: SendEntry,
        compared: SendCompared,
        distances: SendDistances,
        wanted: Bits<16>,
        judged: SendJudgement,
    ) -> SendEntry {
        let next_psn = if compared.body {
            distances.next_after
        } else if compared.opens {
            wanted
        } else {
            entry.next_psn
        };
        let moves = compared.acknowledges | compared.opens;
        let unacknowledged = if moves { wanted } else { entry.unacknowledged };
        let send = if compared.opens | judged.nack_back | judged.jump {
            wanted
        } else if compared.expires {
            entry.unacknowledged
        } else if compared.turn {
            distances.send_after
        } else {
            entry.send
        };
        let first_time = compared.turn & !compared.replays;
        let none_covered = compared.opens | (compared.acknowledges & compared.over);
        let covered = if none_covered {
            0
        } else if compared.acknowledges {
            compared.covered_left
        } else if first_time {
            compared.covered_more
        } else {
            entry.covered
        };
        let to_free = if compared.acknowledges {
            compared.to_free_more
        } else if compared.freed {
            compared.to_free_left
        } else {
            entry.to_free
        };
        SendEntry { next_psn, unacknowledged, send, covered, to_free, ..entry }
    }

    /// Slots after the event.
    fn slots_after(
        entry: SendEntry,
        event: SendEvent,
        compared: SendCompared,
        follows: Bits<8>,
        judged: SendJudgement,
    ) -> SendEntry {
        let alone = compared.empty & compared.clean;
        // One event is of one kind; `follows` comes late and is chosen last.
        let head = if compared.freed {
            follows
        } else if compared.body & alone {
            event.slot
        } else {
            entry.head
        };
        let tail = if compared.body { event.slot } else { entry.tail };
        let cursor = if compared.turn | judged.after_freed {
            follows
        } else if compared.body & compared.all_sent {
            event.slot
        } else if judged.back & judged.first_known {
            entry.head
        } else {
            entry.cursor
        };
        let ends = judged.after_freed | compared.opens | (compared.acknowledges & compared.all);
        let rewinds = if judged.back { !judged.first_known } else { entry.rewinds & !ends };
        let freeing = if compared.freed { !compared.all_freed } else { entry.freeing | judged.progress };
        SendEntry { head, tail, cursor, rewinds, freeing, ..entry }
    }

    /// Expiries, refusals and state after the event.
    fn patience_after(entry: SendEntry, compared: SendCompared, judged: SendJudgement) -> SendEntry {
        let retry = if judged.progress | judged.nack_back | compared.opens {
            0
        } else if compared.expires & !compared.last_retry & !compared.forgiven {
            entry.retry + 1
        } else {
            entry.retry
        };
        let refusals = if judged.progress | compared.opens {
            0
        } else if judged.refused {
            entry.refusals + 1
        } else {
            entry.refusals
        };
        let state = if compared.opens {
            SendState::Open
        } else if compared.stops & compared.empty {
            SendState::Closed
        } else if compared.stops {
            SendState::Stopped
        } else if judged.fails {
            SendState::Failed
        } else {
            entry.state
        };
        SendEntry { retry, refusals, state, ..entry }
    }

    /// What is said of the event.
    fn tell(
        entry: SendEntry,
        after: SendEntry,
        event: SendEvent,
        compared: SendCompared,
        known: SendKnown,
        follower: Bits<8>,
        limits: SendLimits,
    ) -> SendResult {
        let frees_first = known.progresses & !entry.freeing;
        let frees_more = compared.freed & !compared.all_freed;
        let is_open = after.state == SendState::Open;
        // At most 256 bodies are apart.
        let after_send = after.send;
        let after_next = after.next_psn;
        let psn = if compared.turn {
            entry.send
        } else if compared.body {
            entry.next_psn
        } else {
            after.unacknowledged
        };
        let slot = if compared.turn {
            entry.cursor
        } else if compared.body {
            entry.tail
        } else if frees_more {
            follower
        } else {
            entry.head
        };
        let timer = if !is_open | known.halts {
            SendTimer::Stops
        } else if known.starts {
            SendTimer::Starts
        } else {
            SendTimer::Keeps
        };
        let exponent = if after.retry < limits.backoff { after.retry } else { limits.backoff };
        SendResult {
            kind: event.kind,
            connection: event.connection,
            sends: compared.turn,
            replays: compared.turn & compared.replays,
            psn,
            slot,
            links: compared.body & !(compared.empty & compared.clean),
            frees: frees_first | frees_more,
            count: after.to_free,
            stale: compared.stale,
            wild: compared.wild,
            stuck: known.stuck,
            fails: (after.state == SendState::Failed) & (entry.state != SendState::Failed),
            waits: is_open & !after.rewinds & (after_send[0..9] != after_next[0..9]),
            window: is_open & known.room,
            timer,
            backoff: exponent,
            diverts: compared.diverts,
            following: after.next_psn,
            covered: after.covered,
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_send_table",
    chapter: "50-sue",
    summary: "connections of a go-back-N sender",
    parameters: &[ParameterInfo::new(
        "connections",
        256,
        Allowed::PowerOfTwo(2, 4096),
        "{port, peer, VC}, a power of two",
    )],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096)] },
        Preset { name: "small", values: &[("connections", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (connections) => build_as [log2(connections)];
        presets { (256) (4096) (4) }
    }
}

/// Builds the block with these const parameters; see [`SueSendTable`].
pub fn build_as<const A: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams =
        [("events", StreamSink), ("results", FlowSource), ("looks", StreamSink), ("looked", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "event to results.valid");
    Ok(BuiltBlock::new(SueSendTable::<A>::new()?, interface))
}
