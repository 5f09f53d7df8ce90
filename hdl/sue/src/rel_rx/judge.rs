//! The checks of a PDU in the order of 4.6, and the decision on its body.
//!
//! | stage | what happens |
//! |---|---|
//! | 0 | the checks before the table; its partition is looked up |
//! | 1 | what it acknowledges, its record and its event for the table go on |
//! | 2 | it waits for the table, if that has a say |

use super::settings::RelRxEvents;
use super::{Arrival, Decided, Judged, ManagementRecord, PartitionEntry, PduEvent, Pending};
use crate::receive_table::{ReceiveKind, ReceiveResult, ReceiveVerdict};
use crate::reliability::{PduOperation, PduVerdict, ReliabilityHeader};
use crate::sender_core::PeerAnswer;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::SmallFifo;

/// Bits of a partition.
const PARTITION_BITS: usize = 10;

/// Judges PDUs of 2^`M` sources. See the [module](self).
#[block("sue_rel_rx_judge", new, sources = 1usize << M)]
pub struct RelRxJudge<const M: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but the partitions.
    clear: In<Bit>,
    /// Bodies of partitions that are not in the table are not delivered.
    partition_check: In<Bit>,
    /// The table of connections is being cleared.
    busy: In<Bit>,
    /// PDUs.
    pub arrivals: FlowIn<Arrival>,
    /// Entries of the table of partitions are written.
    pub partitions: FlowIn<PartitionEntry>,
    /// PDUs with a body, for the table.
    pub pdu_events: FlowOut<PduEvent>,
    /// What the table says.
    pub results: FlowIn<ReceiveResult>,
    /// For each body whether it is committed.
    pub decisions: FlowOut<Bit>,
    /// Header of the PDU of the decision.
    decided_header: Out<ReliabilityHeader>,
    /// What PDUs acknowledge.
    pub answers: StreamOut<PeerAnswer>,
    /// Records of connection management.
    pub management: FlowOut<ManagementRecord>,
    /// What happened.
    pub events: RelRxEvents,

    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    members: Ram<Bits<1>, PARTITION_BITS>,
    /// The stages that have a PDU.
    stage: Register<Bits<2>>,
    #[wire(d = _)]
    judged: Reg<Judged>,
    #[wire(d = _)]
    later: Reg<Judged>,
    #[wire(clock, clear)]
    answer_queue: SmallFifo<PeerAnswer, 4, 5>,
    #[wire(clock, clear)]
    pending: SmallFifo<Pending, 4, 5>,
    #[wire(d = _)]
    decided: Reg<Decided>,
    decided_valid: Register<Bit>,
}

#[logic]
impl<const M: usize> RelRxJudge<M> {
    /// No PDU, and no partition is a member.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_rel_rx_judge", "M", M as u64, 2, 10)?;
        Ok(Self {
            members: Ram::new(RamConfig::block(1 << PARTITION_BITS))?,
            answer_queue: SmallFifo::new()?,
            pending: SmallFifo::new()?,
            ..
        })
    }

    fn update(&mut self) {
        // Stage 0: the checks before the table.
        let received = arrivals.data;
        let received_header = received.header;
        judged = Self::checked(received, busy);
        later = judged;
        stage = cat(arrivals.valid, stage[0]);
        let entry = partitions.data;
        members = In { write_enable: partitions.valid, write_address: entry.partition };
        members.write_data = entry.member.into();
        members.read_address = received_header.partition;

        self.pass_on();

        // Stage 2: it waits for the table.
        let member = members.read_data;
        pending.words_in.valid = stage[1];
        pending.words_in.data = Pending {
            header: later.header,
            asks: later.body,
            well_formed: later.well_formed,
            member: member[0] | !partition_check,
        };
        self.decide();
        self.tell();
    }

    /// The checks before the table: the first that fails decides.
    fn checked(received: Arrival, busy: Bit) -> Judged {
        let head = received.header;
        let good = received.verdict == PduVerdict::Good;
        let xpu = head.xpuid;
        let agrees = bit_cast::<12, 10>(xpu) == received.address;
        let low = xpu.bits::<M>(0);
        let known = bit_cast::<10, M>(low) == xpu;
        let counts = good & !busy & agrees & known;
        let manages = head.op == PduOperation::ConnectionManagement;
        let is_record = received.is_record & received.well_formed & received.single;
        let acknowledges = (head.op == PduOperation::Ack) | (head.op == PduOperation::Nack);
        Judged {
            header: head,
            record: received.record,
            frame_bad: received.verdict == PduVerdict::FrameBad,
            header_bad: received.verdict == PduVerdict::HeaderBad,
            crc_bad: received.verdict == PduVerdict::CrcBad,
            busy: good & busy,
            source_bad: good & !busy & !agrees,
            unknown: good & !busy & agrees & !known,
            management: counts & manages & is_record,
            record_bad: counts & manages & !is_record,
            answers: counts & acknowledges,
            empty: counts & !manages & received.empty,
            body: counts & !manages & !received.empty,
            well_formed: received.well_formed,
            room: received.room,
        }
    }

    /// Stage 1: what goes on before the table has said anything.
    fn pass_on(&mut self) {
        let now = stage[0];
        let head = judged.header;
        let connection: Bits<12> = cat(head.vc, head.xpuid);
        let nack = head.op == PduOperation::Nack;
        answer_queue.words_in.valid = now & judged.answers;
        answer_queue.words_in.data = PeerAnswer { connection, psn: head.apsn, nack };
        let answer = answer_queue.words_out.data;
        answers = In { data: answer, valid: answer_queue.words_out.valid };
        answer_queue.words_out.ready = answers.ready;
        events.answer_lost = now & judged.answers & !answer_queue.words_in.ready;
        pdu_events.valid = now & judged.body;
        pdu_events.data = PduEvent { connection, psn: head.npsn, room: judged.room };
        management.valid = now & judged.management;
        management.data =
            ManagementRecord { source: head.xpuid, vc: head.vc, psn: head.npsn, record: judged.record };
        events = In {
            frame_bad: now & judged.frame_bad,
            header_bad: now & judged.header_bad,
            crc_bad: now & judged.crc_bad,
            busy: now & judged.busy,
            source_bad: now & judged.source_bad,
            unknown: now & judged.unknown,
            management: now & judged.management,
            record_bad: now & judged.record_bad,
            empty: now & judged.empty,
        };
    }

    /// The oldest PDU is decided: at once, or with what the table says of it.
    ///
    /// PDUs before one that waits for the table are decided before the table can speak of it.
    fn decide(&mut self) {
        let front = pending.words_out.data;
        let said = results.data;
        let speaks = results.valid & (said.kind == ReceiveKind::Pdu);
        let done = pending.words_out.valid & (!front.asks | speaks);
        pending.words_out.ready = done;
        let verdict = if front.asks { said.verdict } else { ReceiveVerdict::NoPdu };
        decided = Decided {
            header: front.header,
            verdict,
            well_formed: front.well_formed,
            member: front.member,
            commits: (verdict == ReceiveVerdict::Accept) & front.well_formed & front.member,
        };
        decided_valid = done;
        decisions = In { data: decided.commits, valid: decided_valid };
        decided_header = decided.header;
    }

    /// What is counted of a decision.
    fn tell(&mut self) {
        let accepted = decided_valid & (decided.verdict == ReceiveVerdict::Accept);
        events = In {
            accepted,
            partition_violation: accepted & !decided.member,
            body_bad: accepted & decided.member & !decided.well_formed,
            no_room: decided_valid & (decided.verdict == ReceiveVerdict::NoRoom),
            gap: decided_valid & (decided.verdict == ReceiveVerdict::Gap),
            duplicate: decided_valid & (decided.verdict == ReceiveVerdict::Duplicate),
            frozen: decided_valid & (decided.verdict == ReceiveVerdict::Frozen),
        };
    }
}
