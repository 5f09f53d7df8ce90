//! `sue_receive_table`: the connections of a go-back-N receiver (chapter 50, 4.6).
//!
//! One table of 2^A connections, {port, source, VC} each, in block RAM. An event reads its entry, changes it and writes it back; the result says what
//! becomes of a PDU, and when an acknowledgment is due. Buffers, CRCs and timers are outside.
//!
//! | event | what it does |
//! |---|---|
//! | `Pdu` | the table of 4.6: accept, gap, duplicate; `room` says whether the receive buffer has room |
//! | `Take` | gives NACK(expected) if one is due, else ACK(expected - 1) if anything was accepted, and clears what is due (rule 3) |
//! | `Expire` | an ACK is due, if the timer was armed as `timer` says and PDUs wait for it (rule 2) |
//! | `Change` to `Open` | expect `psn`, unless something was accepted and `psn` is before what is expected: nothing comes in again (3.4) |
//! | `Change` to `Freeze` | accept nothing until opened (3.4) |
//!
//! - An event every 3 clocks (`events.ready`), also on one connection; the result follows 7 clocks after its event.
//! - `looks` shows an entry as the events have left it whose results had come before the look was taken; later ones may have changed it already. Events never wait for a look.
//! - Each time that the expected PDU has no room is an attempt of its own, and answered.
//! - An accepted PDU takes back a NACK that is due and not sent: what it asks for has come.
//! - `was_due` says whether an acknowledgment was due before the event: a PDU that would only acknowledge and finds none is not to be sent.
//! - `becomes_due` is high for the first of several events that make an acknowledgment due, so that a list of connections has each once.
//! - `arm` comes with the first PDU that waits for an acknowledgment. A timer that runs out later names its arming, by a number of 8 bits; an old one
//!   of the same number makes an ACK early, which does no harm.
//! - `clear` forgets what is in the pipeline and puts zeros into all entries, one per clock; `events.ready` is low until then.

mod entry;

pub use entry::*;

use crate::connection_memory::ConnectionMemory;
use flitforge_hdl_prim::prelude::*;

/// Clocks from an event to its result.
pub const LATENCY: u32 = 7;

/// The connections of a receiver, 2^`A` of them. See the [module](self).
#[block("sue_receive_table", new, connections = 1usize << A)]
pub struct SueReceiveTable<const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all connections.
    clear: In<Bit>,
    /// What happens to connections.
    pub events: StreamIn<ReceiveEvent>,
    /// PDUs after which an ACK is due (ACK_COALESCE), 1 to 255; 0 is as 256.
    coalesce: In<Bits<8>>,
    /// A replay that lost its first PDU is answered by a NACK (RENACK).
    renack: In<Bit>,
    /// What each event did, 7 clocks after it.
    pub results: FlowOut<ReceiveResult>,
    /// Connections that are looked at, one at a time; nothing is changed.
    pub looks: StreamIn<Bits<12>>,
    /// Its entry, 5 clocks later, or up to 5 more while events come.
    pub looked: FlowOut<ReceiveEntry>,

    #[wire(clock, clear)]
    memory: ConnectionMemory<ReceiveEntry, A>,
    /// Where events are: the first clock after the transfer, the second, ...
    stage: Register<Bits<7>>,
    /// The event of stages 0 to 2.
    early: Reg<ReceiveEvent>,
    /// The event of stages 3 to 5.
    late: Reg<ReceiveEvent>,
    entry: Reg<ReceiveEntry>,
    apart: Reg<Apart>,
    /// PDUs that wait when one more makes an ACK due.
    #[wire(d = _)]
    coalesce_limit: Reg<Bits<8>>,
    #[wire(d = _)]
    compared: Reg<Compared>,
    written: Reg<ReceiveEntry>,
    #[wire(d = _)]
    result: Reg<ReceiveResult>,
}

#[logic]
impl<const A: usize> SueReceiveTable<A> {
    /// An empty table.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_receive_table", "A", A as u64, 1, 12)?;
        Ok(Self { memory: ConnectionMemory::new()?, .. })
    }

    fn update(&mut self) {
        // Where events are, and whether one more is taken.
        let takes = memory.runs & !stage[0] & !stage[1] & !clear;
        events.ready = takes;
        let taken = takes & events.valid;
        stage = cat(taken, stage[0..6]);
        if taken {
            early = events.data;
        }
        let event = events.data;
        // By `valid` alone, for `ready` comes late. An event that waits has the address but in the clock after the event before it; then a look has it.
        let event_reads = events.valid & !stage[0];
        if stage[2] {
            late = early;
        }
        memory =
            In { event_reads, event_connection: event.connection, late_comes: stage[2], writes: stage[4] };
        memory = In {
            early_connection: early.connection,
            late_connection: late.connection,
            entry_written: written,
        };
        link(looks, memory.looks);
        link(looked, memory.looked);

        // Stage 2: the entry, or what the event before made of it.
        let read = memory.entry_read;
        let at_hand = if memory.same { written } else { read };
        let early_psn = early.psn;
        if stage[2] {
            entry = at_hand;
            apart = Apart { expected: at_hand.expected ^ early_psn, last: at_hand.last ^ early_psn };
        }

        // Stage 3: comparisons. Stage 4: the decision. Stage 5: it is written and told.
        coalesce_limit = coalesce - 1;
        compared = Self::compare(entry, late, apart, coalesce_limit);
        let decided = Self::decide(entry, late, compared, renack);
        if stage[4] {
            written = decided;
        }
        if !memory.runs {
            written = bits::<ENTRY_BITS>(0).into();
        }
        result = Self::tell(entry, written, late, compared);
        results = In { data: result, valid: stage[6] };
    }

    /// An entry and an event, compared: one carry chain each.
    fn compare(entry: ReceiveEntry, event: ReceiveEvent, apart: Apart, coalesce_limit: Bits<8>) -> Compared {
        let is_pdu = (event.kind == ReceiveKind::Pdu) & !entry.frozen;
        let is_change = event.kind == ReceiveKind::Change;
        let waits = entry.unacknowledged.any();
        let distance = event.psn - entry.expected;
        let from_expected = apart.expected;
        let off_last = apart.last;
        let from_last = event.psn - entry.last;
        let full = entry.unacknowledged.all();
        let unacknowledged_next = if full { entry.unacknowledged } else { entry.unacknowledged + 1 };
        let expected_next = if is_change { event.psn } else { entry.expected + 1 };
        Compared {
            drops: is_pdu,
            accepts: is_pdu & event.room,
            takes: event.kind == ReceiveKind::Take,
            expires: (event.kind == ReceiveKind::Expire) & waits & (event.timer == entry.timer),
            opens: is_change & (event.change == ReceiveChange::Open),
            freezes: is_change & (event.change == ReceiveChange::Freeze),
            at_expected: !from_expected.any(),
            ahead: !distance[15],
            after_last: !from_last[15] & off_last.any(),
            all_acknowledged: !waits,
            reached: entry.unacknowledged >= coalesce_limit,
            expected_next,
            expected_before: entry.expected - 1,
            unacknowledged_next,
            timer_next: entry.timer + 1,
        }
    }

    /// The entry after the event: the table of 4.6.
    fn decide(entry: ReceiveEntry, event: ReceiveEvent, compared: Compared, renack: Bit) -> ReceiveEntry {
        let accept = compared.accepts & compared.at_expected;
        let gap = compared.drops & compared.ahead & !accept;
        let duplicate = compared.drops & !compared.ahead;
        let open = compared.opens & (compared.ahead | !entry.accepted);
        let moves = accept | open;
        // The one expected, without room, begins an attempt that is always answered.
        let attempt = !entry.gap | compared.at_expected | (renack & !compared.after_last);
        let owes =
            entry.ack_due | (accept & compared.reached) | (duplicate & entry.accepted) | compared.expires;
        let expected = if moves { compared.expected_next } else { entry.expected };
        let last = if gap { event.psn } else { entry.last };
        let unacknowledged = if compared.takes {
            0
        } else if accept {
            compared.unacknowledged_next
        } else {
            entry.unacknowledged
        };
        let timer = if accept & compared.all_acknowledged { compared.timer_next } else { entry.timer };
        ReceiveEntry {
            expected,
            last,
            unacknowledged,
            timer,
            gap: gap | (entry.gap & !moves),
            frozen: compared.freezes | (entry.frozen & !open),
            accepted: entry.accepted | accept,
            ack_due: owes & !compared.takes,
            nack_due: (entry.nack_due | (gap & attempt)) & !(moves | compared.takes | compared.freezes),
        }
    }

    /// What is said of the event.
    fn tell(
        entry: ReceiveEntry,
        after: ReceiveEntry,
        event: ReceiveEvent,
        compared: Compared,
    ) -> ReceiveResult {
        let accept = compared.accepts & compared.at_expected;
        let verdict = if event.kind != ReceiveKind::Pdu {
            ReceiveVerdict::NoPdu
        } else if accept {
            ReceiveVerdict::Accept
        } else if !compared.drops {
            ReceiveVerdict::Frozen
        } else if compared.at_expected {
            ReceiveVerdict::NoRoom
        } else if compared.ahead {
            ReceiveVerdict::Gap
        } else {
            ReceiveVerdict::Duplicate
        };
        let acknowledgment = if entry.nack_due {
            AcknowledgmentKind::Nack
        } else if entry.accepted {
            AcknowledgmentKind::Ack
        } else {
            AcknowledgmentKind::None
        };
        let names_last = compared.takes & !entry.nack_due;
        let psn = if names_last { compared.expected_before } else { after.expected };
        let was_due = entry.ack_due | entry.nack_due;
        ReceiveResult {
            kind: event.kind,
            connection: event.connection,
            verdict,
            acknowledgment,
            was_due,
            psn,
            becomes_due: (after.ack_due | after.nack_due) & !was_due,
            arm: accept & compared.all_acknowledged,
            timer: after.timer,
            was_frozen: entry.frozen,
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_receive_table",
    chapter: "50-sue",
    summary: "connections of a go-back-N receiver",
    parameters: &[ParameterInfo::new(
        "connections",
        256,
        Allowed::PowerOfTwo(2, 4096),
        "{port, source, VC}, a power of two",
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

/// Builds the block with these const parameters; see [`SueReceiveTable`].
pub fn build_as<const A: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams =
        [("events", StreamSink), ("results", FlowSource), ("looks", StreamSink), ("looked", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "event to results.valid");
    Ok(BuiltBlock::new(SueReceiveTable::<A>::new()?, interface))
}
