//! Which PDU comes next.
//!
//! Three kinds wait: connection management, PDUs that only acknowledge, PDUs with bodies. They take turns in this order, and who has nothing is passed over: each
//! waits for one PDU of each other kind at most. A PDU that is chosen asks at once for what its header acknowledges, and its slot is read.
//! While `acknowledgments_held` is high only PDUs with bodies are chosen: acknowledgments wait, and records of connection management are taken and forgotten.

use super::{ManagementRequest, PduJob, PduKind};
use crate::sender_core::SendRead;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Most PDUs that are chosen and not yet begun.
pub const AHEAD: u64 = 2;

/// Whose turn it was.
#[packed]
pub enum LastTurn {
    /// A body.
    Body,
    /// Connection management.
    Management,
    /// An acknowledgment.
    Acknowledgment,
    /// As `Body`.
    Reserved,
}

/// Chooses PDUs. See the [module](self).
#[block("sue_rel_tx_order", new)]
pub struct RelTxOrder {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// PDUs of connection management.
    pub management: StreamIn<ManagementRequest>,
    /// Connections to which an acknowledgment is due.
    pub due: StreamIn<Bits<12>>,
    /// Bodies to be sent.
    pub reads: StreamIn<SendRead>,
    /// The connection to which an acknowledgment is due.
    due_connection: Out<Bits<12>>,
    /// PSN of its next new body, 2 clocks later.
    next_psn: In<Bits<16>>,
    /// PSNs say something.
    runs: In<Bit>,
    /// The class of acknowledgments and connection management may not send.
    acknowledgments_held: In<Bit>,
    /// Connections that a PDU is about to be sent on.
    pub asks: StreamOut<Bits<12>>,
    /// Slots to be read.
    pub slots: StreamOut<Bits<8>>,
    /// The PDUs.
    pub jobs: StreamOut<PduJob>,
    /// A PDU has begun.
    begun: In<Bit>,
    /// A PDU is not to be sent after all.
    voided: In<Bit>,

    connection: Reg<Bits<12>>,
    /// The connection is known, and for so many clocks.
    stage: Register<Bits<3>>,
    due_valid: Register<Bit>,
    /// Its PSN is there.
    due_ripe: Register<Bit>,
    turn: Register<LastTurn>,
    /// PDUs that are chosen and have not begun.
    unfinished: Register<Bits<2>>,
    job: Reg<PduJob>,
    job_valid: Register<Bit>,
    ask_valid: Register<Bit>,
    #[wire(clock, clear)]
    chosen: SmallFifo<PduJob, 2, 3>,
    #[wire(clock, clear)]
    to_read: SmallFifo<Bits<8>, 2, 3>,
}

#[logic]
impl RelTxOrder {
    /// Nothing is chosen.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { chosen: SmallFifo::new()?, to_read: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        // Whatever is chosen has a place in both FIFOs: there are two such PDUs at most.
        let asked = !ask_valid | asks.ready;
        let has_place = unfinished < AHEAD;
        let free = asked & has_place & !clear;
        let takes_due = self.choose(free);
        self.wait_for_psn(takes_due);

        asks = In { data: job.connection, valid: ask_valid };
        chosen.words_in = In { data: job, valid: job_valid };
        let is_body = (job.kind == PduKind::New) | (job.kind == PduKind::Replay);
        to_read.words_in = In { data: job.slot, valid: job_valid & is_body };
        link(jobs, chosen.words_out);
        link(slots, to_read.words_out);
    }

    /// A PDU of the kind whose turn it is.
    fn choose(&mut self, free: Bit) -> Bit {
        let after_management = turn == LastTurn::Management;
        let after_acknowledgment = turn == LastTurn::Acknowledgment;
        let after_body = !after_management & !after_acknowledgment;
        let has_record = management.valid & !acknowledgments_held;
        let has_due = due_ripe & !acknowledgments_held;
        let no_record = !has_record;
        let no_due = !has_due;
        let no_body = !reads.valid;
        let picks_record =
            after_body | (after_acknowledgment & no_body) | (after_management & no_due & no_body);
        let picks_due =
            after_management | (after_body & no_record) | (after_acknowledgment & no_body & no_record);
        let picks_body =
            after_acknowledgment | (after_management & no_due) | (after_body & no_record & no_due);
        // All of connection management waits for a record: its sender asks again.
        management.ready = (free & picks_record) | (acknowledgments_held & !clear);
        reads.ready = free & picks_body;
        let takes_record = free & picks_record & has_record;
        let takes_due = free & picks_due & has_due;
        let takes_body = free & picks_body & reads.valid;
        let takes = takes_record | takes_due | takes_body;

        let record = management.data;
        let read = reads.data;
        let body_kind = if read.replay { PduKind::Replay } else { PduKind::New };
        let other_kind = if takes_due { PduKind::Acknowledgment } else { body_kind };
        let kind = if takes_record { PduKind::Management } else { other_kind };
        let record_connection: Bits<12> = cat(record.vc, record.destination);
        let other_connection = if takes_due { connection } else { read.connection };
        let other_psn = if takes_due { next_psn } else { read.psn };
        let of = if takes_record { record_connection } else { other_connection };
        let psn = if takes_record { record.psn } else { other_psn };
        if takes {
            job = PduJob {
                kind,
                connection: of,
                slot: read.slot,
                psn,
                port: record.port,
                class: record.class,
                partition: record.partition,
                record: record.record,
            };
        }
        job_valid = takes;
        ask_valid = takes_due | takes_body | (ask_valid & !asks.ready);
        turn.enable = takes;
        turn = if takes_record {
            LastTurn::Management
        } else if takes_due {
            LastTurn::Acknowledgment
        } else {
            LastTurn::Body
        };
        let ended: Bits<2> = bit_cast::<2, 1>(begun.into()) + bit_cast::<2, 1>(voided.into());
        unfinished = unfinished + bit_cast::<2, 1>(takes.into()) - ended;
        takes_due
    }

    /// A connection to which an acknowledgment is due, until the PSN of its next body is there.
    fn wait_for_psn(&mut self, takes_due: Bit) {
        let loads = due.valid & !due_valid & runs & !clear;
        due.ready = !due_valid & runs & !clear;
        if loads {
            connection = due.data;
        }
        due_connection = connection;
        due_valid = loads | (due_valid & !takes_due);
        stage = cat(loads, stage[0..2]);
        due_ripe = stage[2] | (due_ripe & !takes_due);
    }
}
