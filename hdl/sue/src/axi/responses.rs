//! Responses of other XPUs, and those of bursts that were not sent, become B and R.

use super::early::EarlyResponse;
use super::ids::IdAnswer;
use super::ports::{AxiAsked, AxiReadResponse, AxiUser, AxiWriteResponse, HeaderFields, ReceivedCommand};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::axi::{AxiResponse, READ_RESPONSE_UNITS, WRITE_RESPONSE_UNITS};
use flitforge_protocol::sue::command::CommandType;

const WRITTEN: usize = CommandType::WriteResponse as usize;
const READ_DATA: usize = CommandType::ReadData as usize;
const SLAVE_ERROR: usize = AxiResponse::SlaveError as usize;
/// SLVERR in all transfers.
const ALL_SLAVE_ERRORS: u64 = u64::MAX / 3 * AxiResponse::SlaveError as u64;

#[packed]
enum AnswerPhase {
    Waits,
    Resps,
    Checks,
    Writes,
    Reads,
    Errors,
    Ends,
    Skips,
}

/// B or R.
#[packed]
pub struct AxiAnswer {
    /// ID.
    id: Bits<16>,
    /// BRESP or RRESP.
    resp: Bits<2>,
    /// USER.
    user: AxiUser,
    /// RDATA.
    data: Bits<64>,
    /// RLAST.
    last: Bit,
}

/// One response after the other; those of bursts that were not sent go first, then those of `early`. A response that nobody waits for is dropped with `refused`.
/// IDs have `I` bits.
#[block("sue_axi_responses", id_bits = I)]
#[derive(Clone, Debug)]
pub struct AxiResponses<const I: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the response under way.
    clear: In<Bit>,
    /// Commands that have come.
    pub commands: StreamIn<ReceivedCommand>,
    /// A request that was not sent.
    pub refusals: StreamIn<AxiAsked>,
    /// It is a write.
    refused_write: In<Bit>,
    /// `BRESP_MODE`: write responses that come are dropped.
    early_responses: In<Bit>,
    /// B of writes whose PDU has ended.
    pub early: StreamIn<EarlyResponse>,
    /// An answer for the table of IDs.
    tell: Out<Bit>,
    /// The answer.
    answer: Out<IdAnswer>,
    /// It is looked at.
    told: In<Bit>,
    /// Its ID is in flight.
    known: In<Bit>,
    /// B.
    pub writes_out: StreamOut<AxiAnswer>,
    /// R.
    pub reads_out: StreamOut<AxiAnswer>,
    /// A command was dropped.
    refused: Out<Bit>,

    phase: Reg<AnswerPhase>,
    writes: Reg<Bit>,
    id: Reg<Bits<16>>,
    user: Reg<AxiUser>,
    resps: Reg<Bits<64>>,
    left: Reg<Bits<8>>,
    refused_now: Register<Bit>,
}

#[logic]
impl<const I: usize> AxiResponses<I> {
    fn update(&mut self) {
        let came = commands.data;
        let word = came.word;
        let waits = phase == AnswerPhase::Waits;
        let reads = phase == AnswerPhase::Reads;
        let errors = phase == AnswerPhase::Errors;
        let skips = phase == AnswerPhase::Skips;
        let in_resps = phase == AnswerPhase::Resps;
        refusals.ready = waits;
        let takes_refusal = waits & refusals.valid;
        early.ready = waits & !refusals.valid;
        let takes_early = early.ready & early.valid;
        let takes = (waits & !refusals.valid & !early.valid) | in_resps | skips;
        commands.ready = takes | (reads & reads_out.ready);
        let enters = commands.valid & takes;
        let begins = waits & enters;

        // What stands first is told apart before it is used.
        let answer_last = if errors { left == 0 } else { word.last };
        let data = if errors { 0 } else { word.data };
        let told_user = user;
        let resp = resps[62..64];
        let shown = AxiAnswer { id, resp, user: told_user, data, last: answer_last };
        writes_out = In { data: shown, valid: phase == AnswerPhase::Writes };
        reads_out = In { data: shown, valid: errors | (reads & commands.valid) };
        let beat_goes = reads_out.ready & (errors | (reads & commands.valid));
        if beat_goes {
            resps = cat(resps[62..64], resps[0..62]);
            left = left - 1;
        }
        if beat_goes & answer_last {
            phase = AnswerPhase::Ends;
        }
        if (phase == AnswerPhase::Writes) & writes_out.ready {
            phase = AnswerPhase::Ends;
        }
        refused_now = false;
        self.begin(begins);
        let turned_low = Self::turned(word.data);
        if in_resps & enters {
            resps = cat(turned_low[16..64], resps[48..64]);
            phase = AnswerPhase::Checks;
        }
        if skips & enters & word.last {
            phase = AnswerPhase::Waits;
        }
        self.ask_ids();
        self.refuse(takes_refusal);
        self.answer_early(takes_early);
        refused = refused_now;
        if clear {
            phase = AnswerPhase::Waits;
        }
    }

    /// The first word of a command.
    fn begin(&mut self, begins: Bit) {
        let first_came = commands.data;
        let first_word = first_came.word;
        let owner = first_came.head;
        let octets = Self::turned(first_word.data);
        let fields: HeaderFields = octets[48..64].into();
        let write_said: AxiWriteResponse = octets[0..48].into();
        let padded: Bits<96> = cat(bits::<48>(0), octets[0..48]);
        let read_said: AxiReadResponse = padded.into();
        let dlen = fields.dlen;
        let whole = dlen[0..3];
        let is_write = (fields.kind == WRITTEN) & (fields.clen == WRITE_RESPONSE_UNITS);
        let is_read = (fields.kind == READ_DATA) & (fields.clen == READ_RESPONSE_UNITS) & whole.all();
        let own_id = if is_write { write_said.id } else { read_said.id };
        let beyond = own_id >> I;
        let good = (is_write | is_read) & !beyond.any() & first_word.first;
        let no_resps: Bits<64> = cat(bits::<62>(0), write_said.resp);
        let sender = AxiUser {
            xpu_id: owner.source,
            kind: fields.kind,
            bytes: dlen,
            partition: owner.partition,
            flush: false,
            above: 0,
        };
        let read_phase = if is_write { AnswerPhase::Checks } else { AnswerPhase::Resps };
        let bad_phase = if first_word.last { AnswerPhase::Waits } else { AnswerPhase::Skips };
        let consumes = is_write & first_word.first & early_responses;
        if begins {
            writes = is_write;
            id = own_id;
            resps = if is_write { no_resps } else { read_said.resps };
            user = sender;
            phase = if good & !consumes { read_phase } else { bad_phase };
            refused_now = !good & !consumes;
        }
    }

    /// Whether it is in flight, and at its end that it is no more.
    fn ask_ids(&mut self) {
        let checks = phase == AnswerPhase::Checks;
        let ends = phase == AnswerPhase::Ends;
        tell = checks | ends;
        answer = IdAnswer { writes, id, xpu: user.xpu_id, ends };
        let known_phase = if writes { AnswerPhase::Writes } else { AnswerPhase::Reads };
        let unknown_phase = if writes { AnswerPhase::Waits } else { AnswerPhase::Skips };
        if checks & told {
            phase = if known { known_phase } else { unknown_phase };
            refused_now = !known;
        }
        if ends & told {
            phase = AnswerPhase::Waits;
        }
    }

    /// A request that was not sent is answered.
    fn refuse(&mut self, takes_refusal: Bit) {
        let told_back = refusals.data;
        let request = told_back.request;
        let asker = told_back.user;
        let answer_kind: Bits<4> = if refused_write { WRITTEN } else { READ_DATA };
        let told_to = AxiUser {
            xpu_id: asker.xpu_id,
            kind: answer_kind,
            bytes: 0,
            partition: asker.partition,
            flush: false,
            above: 0,
        };
        if takes_refusal {
            writes = refused_write;
            id = request.id;
            left = request.len;
            resps = ALL_SLAVE_ERRORS;
            user = told_to;
            phase = if refused_write { AnswerPhase::Writes } else { AnswerPhase::Errors };
        }
    }

    /// A write is answered whose PDU has ended.
    fn answer_early(&mut self, takes_early: Bit) {
        let ended = early.data;
        let early_resps: Bits<64> = cat(bits::<62>(0), ended.resp);
        let answered_to = AxiUser {
            xpu_id: ended.xpu,
            kind: WRITTEN,
            bytes: 0,
            partition: ended.partition,
            flush: false,
            above: 0,
        };
        if takes_early {
            writes = true;
            id = ended.id;
            resps = early_resps;
            user = answered_to;
            phase = AnswerPhase::Writes;
        }
    }

    /// The octets in the other order.
    fn turned(x: Bits<64>) -> Bits<64> {
        let high: Bits<32> = cat(x[24..32], x[16..24], x[8..16], x[0..8]);
        let low: Bits<32> = cat(x[56..64], x[48..56], x[40..48], x[32..40]);
        cat(low, high)
    }
}

const _: () = assert!(SLAVE_ERROR == 2, "two bits of it, repeated, are `ALL_SLAVE_ERRORS`");
