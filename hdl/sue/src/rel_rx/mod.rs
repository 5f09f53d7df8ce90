//! `sue_rel_rx`: the go-back-N receiver of one port (chapter 50, 4.6): PDUs from the network become bodies, and a decision for each of them.
//!
//! | part | does |
//! |---|---|
//! | `pdu_reader` | header, body and R-CRC of PDUs |
//! | `gather` | brings together what is known of a PDU at different times |
//! | `judge` | the checks before the table, the table of partitions, the decision |
//! | `turns` | whose event the table takes |
//! | `receive_table` | the connections: PSNs, gaps, what is to be acknowledged |
//! | `ack_timers`, `due_list` | when an acknowledgment is due, and to whom |
//!
//! Bodies are kept outside: [`sue_receive_bodies`](crate::receive_bodies) takes `body` with `head`, gives `verdicts` and `rooms`, and takes `decisions`.
//!
//! - **Order of checks.** Bad frame; header; R-CRC; table being cleared (`busy`); source other than that of the frame; source without a connection. Then a record
//!   of connection management goes out at `management`, or what the PDU acknowledges at `answers`, also if its body is dropped. A PDU without a
//!   body is done. A body goes to the table of connections: frozen, PSN, room; an accepted one is delivered if its partition is a member and it is well formed.
//! - **Decisions.** One for each PDU, in order: high if its body is to be committed. `decided_header` is the header of its PDU.
//! - **Connections** are {source, VC}, all of the port of `settings`. Numbers are below 2^`A`; `asks` and `changes` of others are not looked at beyond their
//!   lower bits.
//! - **Acknowledgments.** Each connection at `asks` is answered at `acknowledgments`, in order, [`ANSWER_LATENCY`] clocks later if nothing else happens. `due` names each connection
//!   to which an acknowledgment has become due; whoever asks later finds in `was_due` whether it still is.
//! - **Changes.** Each connection at `changes` is answered at `changed`, in order: the PSN expected next. One that is opened before that moves nothing.
//! - The last words of two PDUs are 4 clocks apart at least, as on every line: gap, preamble and headers are more. So the table, with an event every 3 clocks, keeps up, whatever
//!   else waits.
//!
//! | event | reaction |
//! |---|---|
//! | a PDU fails a check | one pulse of `events`, decision low |
//! | nobody takes `answers` | 17 wait, the next is lost: `answer_lost`; the sender's timer repairs it |
//! | more than 496 acknowledgment timers run | the oldest runs out early: `timer_early` |
//!
//! Latency: [`LATENCY`] clocks from `rooms` of a body to its decision; nothing else waiting. Throughput: a word per clock.
//!
//! `clear` forgets everything but the partitions, together with the blocks outside; PDUs that end in the 2^`A` clocks after it are dropped (`busy`).

mod entry;
mod gather;
mod judge;
mod settings;
mod turns;

pub use entry::*;
pub use gather::RelRxGather;
pub use judge::RelRxJudge;
pub use settings::*;
pub use turns::RelRxTurns;

use crate::ack_timers::{AckTimer, SueAckTimers};
use crate::body_check::BodyVerdict;
use crate::due_list::SueDueList;
use crate::frame::{FrameWord, ReceivedHead};
use crate::network::NetworkSource;
use crate::pdu_reader::SuePduReader;
use crate::receive_table::{ReceiveEntry, ReceiveKind, ReceiveResult, SueReceiveTable};
use crate::reliability::{Acknowledgment, ReliabilityHeader};
use crate::sender_core::PeerAnswer;
use flitforge_hdl_prim::prelude::*;

/// Clocks from `rooms` of a body to its decision.
pub const LATENCY: u32 = 16;
/// Clocks from an ask to its acknowledgment.
pub const ANSWER_LATENCY: u32 = 9;
/// Address bits of the acknowledgment timers.
const TIMERS: usize = 9;
const TIMER_COUNT: usize = TIMERS + 1;

/// A receiver of 2^`A` connections; `M` = `A` - 2, `C` = `A` + 1. See the [module](self).
#[block("sue_rel_rx", new, connections = 1usize << A)]
pub struct SueRelRx<const A: usize, const M: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but the partitions.
    clear: In<Bit>,
    /// What the registers say.
    pub settings: RelRxSettings,
    /// Entries of the table of partitions are written.
    pub partitions: FlowIn<PartitionEntry>,
    /// PDUs.
    pub pdu: FlowIn<FrameWord>,
    /// What their frames say, from the first word of the PDU to its last.
    source: In<NetworkSource>,
    /// Words of bodies.
    pub body: FlowOut<FrameWord>,
    /// What goes with the body, from its first word to its last.
    head: Out<ReceivedHead>,
    /// For each body what it is found to be.
    pub verdicts: FlowIn<BodyVerdict>,
    /// For each body whether all of it is stored.
    pub rooms: FlowIn<Bit>,
    /// For each body whether it is committed.
    pub decisions: FlowOut<Bit>,
    /// Header of the PDU of the decision.
    decided_header: Out<ReliabilityHeader>,
    /// What PDUs acknowledge.
    pub answers: StreamOut<PeerAnswer>,
    /// Connections that a PDU is about to be sent on.
    pub asks: StreamIn<Bits<12>>,
    /// What it acknowledges.
    pub acknowledgments: FlowOut<Acknowledgment>,
    /// Connections to which an acknowledgment is due.
    pub due: StreamOut<Bits<12>>,
    /// Connections that change.
    pub changes: StreamIn<ConnectionChange>,
    /// What they expect after it.
    pub changed: FlowOut<ConnectionState>,
    /// Records of connection management.
    pub management: FlowOut<ManagementRecord>,
    /// Connections that the host looks at.
    pub looks: StreamIn<Bits<12>>,
    /// How they are.
    pub looked: FlowOut<ReceiveEntry>,
    /// What happened.
    pub events: RelRxEvents,
    /// An acknowledgment timer has run out before its time.
    timer_early: Out<Bit>,
    /// There was no place for an acknowledgment timer.
    timer_lost: Out<Bit>,

    #[init(true)]
    busy: Register<Bit>,
    walk: Register<Bits<A>>,
    #[wire(clock, clear)]
    reader: SuePduReader,
    #[wire(clock, clear)]
    gather: RelRxGather,
    #[wire(clock, clear, busy, partition_check = settings.partition_check)]
    judge: RelRxJudge<M>,
    #[wire(clock, clear, busy)]
    turns: RelRxTurns,
    #[wire(clock, clear, coalesce = settings.coalesce, renack = settings.renack)]
    table: SueReceiveTable<A>,
    #[wire(clock, clear, duration = settings.ack_timer)]
    timers: SueAckTimers<TIMERS, TIMER_COUNT>,
    #[wire(clock, clear)]
    dues: SueDueList<A, C>,
    #[wire(d = _)]
    result: Reg<ReceiveResult>,
    result_valid: Register<Bit>,
}

#[logic]
impl<const A: usize, const M: usize, const C: usize> SueRelRx<A, M, C> {
    /// A receiver without PDUs.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_rel_rx", "A", A as u64, 4, 12)?;
        check_derived("sue_rel_rx", "M", M as u64, "A - 2", A as u64 - 2)?;
        Ok(Self {
            reader: SuePduReader::new()?,
            gather: RelRxGather::new()?,
            judge: RelRxJudge::new()?,
            turns: RelRxTurns::new()?,
            table: SueReceiveTable::new()?,
            timers: SueAckTimers::new()?,
            dues: SueDueList::new()?,
            ..
        })
    }

    fn update(&mut self) {
        // The table is cleared, an entry per clock.
        walk.clear = clear;
        walk = walk + 1;
        busy.clear = false;
        busy = clear | (busy & !walk.all());

        self.take_pdus();

        // The connections.
        join(judge.pdu_events, turns.pdus);
        link(asks, turns.asks);
        link(changes, turns.changes);
        join(timers.expired, turns.expired);
        join(turns.events, table.events);
        link(looks, table.looks);
        link(looked, table.looked);
        result = table.results.data;
        result_valid = table.results.valid;
        judge.results = In { data: result, valid: result_valid };
        self.tell_results();

        // What becomes of a PDU.
        link(partitions, judge.partitions);
        link(decisions, judge.decisions);
        decided_header = judge.decided_header;
        link(answers, judge.answers);
        link(management, judge.management);
        link(events, judge.events);
        link(due, dues.due);
        Out { early: timer_early, lost: timer_lost } = timers;
    }

    /// A PDU becomes header and body; what is known of it is gathered.
    fn take_pdus(&mut self) {
        let word = pdu.data;
        let said = source;
        link(pdu, reader.pdu);
        gather.addresses = In { data: said.xpu, valid: pdu.valid & word.last };
        gather.pdus = In { data: reader.pdus.data, valid: reader.pdus.valid };
        gather.body = In { data: reader.body.data, valid: reader.body.valid };
        link(verdicts, gather.verdicts);
        link(rooms, gather.rooms);
        join(gather.arrivals, judge.arrivals);
        let of = reader.header;
        body = In { data: reader.body.data, valid: reader.body.valid };
        head = ReceivedHead { source: of.xpuid, vc: of.vc, port: settings.port, partition: of.partition };
    }

    /// What follows from an event of a connection.
    fn tell_results(&mut self) {
        acknowledgments.valid = result_valid & (result.kind == ReceiveKind::Take);
        acknowledgments.data =
            Acknowledgment { kind: result.acknowledgment, psn: result.psn, was_due: result.was_due };
        changed.valid = result_valid & (result.kind == ReceiveKind::Change);
        changed.data =
            ConnectionState { connection: result.connection, psn: result.psn, was_frozen: result.was_frozen };
        timers.arms.valid = result_valid & result.arm;
        timers.arms.data = AckTimer { connection: result.connection, timer: result.timer };
        dues.becomes_due.valid = result_valid & result.becomes_due;
        dues.becomes_due.data = result.connection;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_rel_rx",
    chapter: "50-sue",
    summary: "go-back-N receiver of a port",
    parameters: &[ParameterInfo::new(
        "connections",
        256,
        Allowed::PowerOfTwo(16, 4096),
        "{source, VC}, a power of two",
    )],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096)] },
        Preset { name: "small", values: &[("connections", 16)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (connections) => build_as [log2(connections), log2(connections) - 2, log2(connections) + 1];
        presets { (256) (4096) (16) }
    }
}

/// Builds the block with these const parameters; see [`SueRelRx`].
pub fn build_as<const A: usize, const M: usize, const C: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("partitions", FlowSink),
        ("pdu", FlowSink),
        ("body", FlowSource),
        ("verdicts", FlowSink),
        ("rooms", FlowSink),
        ("decisions", FlowSource),
        ("answers", StreamSource),
        ("asks", StreamSink),
        ("acknowledgments", FlowSource),
        ("due", StreamSource),
        ("changes", StreamSink),
        ("changed", FlowSource),
        ("management", FlowSource),
        ("looks", StreamSink),
        ("looked", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "rooms to decisions.valid");
    Ok(BuiltBlock::new(SueRelRx::<A, M, C>::new()?, interface))
}
