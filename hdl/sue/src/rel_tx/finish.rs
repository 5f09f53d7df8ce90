//! A PDU that was chosen, and what its header acknowledges, become a request for the writer.
//!
//! A PDU that would only acknowledge and finds nothing due is not sent.

use super::settings::RelTxSettings;
use super::{PduJob, PduKind};
use crate::receive_table::AcknowledgmentKind;
use crate::reliability::{Acknowledgment, PduContent, PduOperation, PduRequest};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Completes PDUs. See the [module](self).
#[block("sue_rel_tx_finish", new)]
pub struct RelTxFinish {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// What the registers say.
    pub settings: RelTxSettings,
    /// PDUs that were chosen.
    pub jobs: StreamIn<PduJob>,
    /// What those acknowledge that have asked, in their order.
    pub acknowledgments: FlowIn<Acknowledgment>,
    /// What is to be written.
    pub requests: StreamOut<PduRequest>,
    /// A PDU begins.
    begins: Out<Bit>,
    /// What it is.
    kind: Out<PduKind>,
    /// One is not sent.
    voids: Out<Bit>,

    #[wire(clock, clear)]
    answers: SmallFifo<Acknowledgment, 2, 3>,
    request: Reg<PduRequest>,
    request_valid: Register<Bit>,
    request_kind: Reg<PduKind>,
}

#[logic]
impl RelTxFinish {
    /// Nothing waits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { answers: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        // There is a place for the answer of every PDU that is chosen.
        answers.words_in = In { data: acknowledgments.data, valid: acknowledgments.valid };
        let chosen = jobs.data;
        let answer = answers.words_out.data;
        let is_record = chosen.kind == PduKind::Management;
        let is_due = chosen.kind == PduKind::Acknowledgment;
        // A PDU has six words at least, so the clock without a request costs nothing, and what the writer says ends here.
        let moves = !request_valid & !clear;
        let known = is_record | answers.words_out.valid;
        let takes = moves & jobs.valid & known;
        jobs.ready = moves & known;
        answers.words_out.ready = moves & jobs.valid & !is_record;
        let is_void = is_due & !answer.was_due;
        voids = takes & is_void;
        request_valid = (takes & !is_void) | (request_valid & !requests.ready);
        let says = Self::operation(answer);
        let completed = Self::request(chosen, answer, says, is_record, is_due);
        let of_data = Self::class_of(chosen.connection, settings.classes);
        let own_class = if is_due { settings.acknowledgment_class } else { of_data };
        let port = if is_record { chosen.port } else { settings.port };
        let class = if is_record { chosen.class } else { own_class };
        let partition = if is_record { chosen.partition } else { settings.acknowledgment_partition };
        if takes {
            request = PduRequest { port, class, partition, ..completed };
            request_kind = chosen.kind;
        }
        requests = In { data: request, valid: request_valid };
        begins = request_valid & requests.ready;
        kind = request_kind;
    }

    /// The operation of a header that acknowledges.
    fn operation(answer: Acknowledgment) -> PduOperation {
        let says = if answer.kind == AcknowledgmentKind::Ack {
            PduOperation::Ack
        } else if answer.kind == AcknowledgmentKind::Nack {
            PduOperation::Nack
        } else {
            PduOperation::None
        };
        says
    }

    /// The request but for what the registers say.
    fn request(
        chosen: PduJob,
        answer: Acknowledgment,
        says: PduOperation,
        is_record: Bit,
        is_due: Bit,
    ) -> PduRequest {
        let of = chosen.connection;
        let nothing = is_record | (says == PduOperation::None);
        let operation = if is_record { PduOperation::ConnectionManagement } else { says };
        let acknowledged: Bits<16> = if nothing { 0 } else { answer.psn };
        let content = if is_due { PduContent::Empty } else { PduContent::Body };
        PduRequest {
            operation,
            content,
            destination: of[2..12],
            vc: of[0..2],
            port: chosen.port,
            class: chosen.class,
            psn: chosen.psn,
            acknowledged,
            partition: chosen.partition,
            record: chosen.record,
        }
    }

    /// The class of data of a connection.
    fn class_of(connection: Bits<12>, classes: Bits<12>) -> Bits<3> {
        let vc = connection[0..2];
        let class: Bits<3> = match vc {
            0 => classes[0..3],
            1 => classes[3..6],
            2 => classes[6..9],
            _ => classes[9..12],
        };
        class
    }
}
