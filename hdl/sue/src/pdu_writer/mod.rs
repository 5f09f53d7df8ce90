//! `sue_pdu_writer`: reliability header, body, padding and R-CRC become a PDU (chapter 50, 3.2 to 3.4).
//!
//! - A request says what the header carries and what comes after it: a body, taken from `body`, a record of connection management, or nothing.
//! - A body, or none, is filled up with END zeros to `least` octets, so that the frame reaches its minimum. The R-CRC comes right after.
//! - A body whose last word has `error` gets an inverted R-CRC: its receiver drops it (section 6, parity).
//! - `head` belongs to the words of `pdu`: it holds from the first word of a PDU to the last.
//! - One word per clock, also from one PDU to the next. A PDU has no gap that its body has not: its words wait in a FIFO until its R-CRC can come
//!   right after them.
//! - Latency 16 clocks from request and first word of the body to the first word of the PDU: 1 to choose, 12 until the R-CRC has come out of its FIFO,
//!   1 to count, 2 to add it.
//! - `clear` forgets everything; requests and body are not taken meanwhile.

mod trailer;

pub use trailer::PduTrailer;

use crate::crc_bytes::CrcBytes;
use crate::frame::{FrameWord, PduHead, WORD_BYTES};
use crate::reliability::{PduContent, PduOperation, PduRequest, ReliabilityHeader};
use flitforge_hdl_prim::fifo::{Fifo, SmallFifo};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};
use flitforge_protocol::sue::command::{self, CommandType};
use flitforge_protocol::sue::crc::{ByteCrc, CRC_BYTES};
use flitforge_protocol::sue::reliability::{cm_record, HEADER_BYTES};

/// Octets of a PDU beside its body.
const OVERHEAD: u64 = (HEADER_BYTES + CRC_BYTES) as u64;
/// Octets of a body that is a record of connection management.
const RECORD_BYTES: u64 = (command::HEADER_BYTES + cm_record::WIDTH / 8) as u64;
/// Header of the command that is a record of connection management.
pub(crate) const RECORD_HEADER: u64 = command::header::clen::FIELD.set(
    command::header::kind::FIELD.set(0, CommandType::Message as u64),
    (cm_record::WIDTH / 8 / command::UNIT_BYTES) as u64,
) as u64;
/// Clocks from a word into the FIFO until the R-CRC of the PDU that it ends is at the trailer: `crc_bytes` and its FIFO.
const R_CRC_CLOCKS: usize = Crc::LATENCY + 2;

type Crc = CrcBytes<64, 8, 4, 3, 240, 128>;

/// Which part of a PDU comes next.
#[packed]
enum Part {
    Header,
    Body,
    Record,
    Padding,
}

/// Reliability header, body, padding, R-CRC. See the [module](self).
#[block("sue_pdu_writer", new)]
pub struct SuePduWriter {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// What is to be sent.
    pub requests: StreamIn<PduRequest>,
    /// Words of the bodies of requests that have one, in the order of the requests.
    pub body: StreamIn<FrameWord>,
    /// Octets of the body, even; holds from its first word to its last.
    body_bytes: In<Bits<13>>,
    /// Partition of its commands; holds likewise.
    body_partition: In<Bits<10>>,
    /// Number of this XPU.
    own: In<Bits<10>>,
    /// Least octets of a body, even, 2 to 62; it holds still while there are requests.
    least: In<Bits<6>>,
    /// The PDUs.
    pub pdu: StreamOut<FrameWord>,
    /// What the PDU is sent with.
    head: Out<PduHead>,

    part: Register<Part>,
    /// The record of the PDU in hand.
    record: Reg<Bits<48>>,
    /// Octets that the body still has to have, this word included.
    owed: Reg<Bits<6>>,
    /// The body had an error, and padding follows.
    failed: Reg<Bit>,
    word: Reg<FrameWord>,
    first: Reg<Bit>,
    word_valid: Register<Bit>,
    /// `clear` a clock later, for the FIFOs: nothing reaches or leaves them in the clock after it.
    #[wire(d = _)]
    late_clear: Reg<Bit>,
    words: Fifo<FrameWord, 4, 5>,
    r_crc: Crc,
    /// The body of the PDU had an error.
    #[wire(clock)]
    failed_at_r_crc: Delay<Bit>,
    r_crcs: SmallFifo<Bits<32>, 4, 5>,
    /// Heads. Two words at least belong to each, so there is always room for one more.
    heads: SmallFifo<PduHead, 4, 5>,
    /// The head of the PDU that began, with the octets of its text, then with the sum.
    #[wire(d = _)]
    head_begun: Reg<PduHead>,
    head_begins: Register<Bit>,
    #[wire(d = _)]
    head_summed: Reg<PduHead>,
    #[wire(d = _)]
    text_is_short: Reg<Bit>,
    head_sums: Register<Bit>,
    /// Octets of a PDU with the least text.
    #[wire(d = _)]
    least_pdu: Reg<Bits<13>>,
    /// A word was stored so long ago that the R-CRC of its PDU would have come.
    #[wire(clock, clear)]
    stored: ClearedDelay<Bit>,
    /// Such words in the FIFO, and 31: the top bit says that there is one.
    #[init(31)]
    ripe: Register<Bits<6>>,
    #[wire(clock, clear)]
    trailer: PduTrailer,
}

#[logic]
impl SuePduWriter {
    /// A writer without PDUs.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            words: Fifo::new()?,
            r_crc: Crc::new(ByteCrc::Castagnoli)?,
            failed_at_r_crc: Delay::new(Crc::LATENCY)?,
            r_crcs: SmallFifo::new()?,
            heads: SmallFifo::new()?,
            stored: ClearedDelay::new(R_CRC_CLOCKS)?,
            ..
        })
    }

    fn update(&mut self) {
        let moves = !word_valid | words.words_in.ready;
        self.write_words(moves);

        self.sum_heads();

        // Into the FIFO, and into the R-CRC.
        words.words_in = In { data: word, valid: word_valid };
        let stores = word_valid & words.words_in.ready;
        r_crc.word = In { data: word.data, valid: stores };
        r_crc = In { clock, clear, first, last: word.last, bytes: word.bytes };
        failed_at_r_crc.d = word.error;
        let sum = r_crc.crc.data;
        r_crcs.words_in.data = if failed_at_r_crc.q { !sum } else { sum };
        r_crcs.words_in.valid = r_crc.crc.valid;
        late_clear = clear;
        words = In { clock, clear: late_clear };
        r_crcs = In { clock, clear: late_clear };

        // A word leaves once the R-CRC after it would be there.
        let out = words.words_out.data;
        let leaves = ripe[5] & words.words_out.valid & trailer.words.ready;
        trailer.words = In { data: out, valid: ripe[5] & words.words_out.valid };
        words.words_out.ready = ripe[5] & trailer.words.ready;
        stored.d = stores;
        let more = stored.q & !leaves;
        let fewer = leaves & !stored.q;
        let change: Bits<6> = cat(more | fewer, fewer, fewer, fewer, fewer, fewer);
        ripe = ripe + change;
        trailer.r_crc = r_crcs.words_out.data;
        r_crcs.words_out.ready = trailer.r_crc_done;

        // The head stays until the last word of its PDU has left.
        link(pdu, trailer.pdu);
        head = heads.words_out.data;
        heads.words_out.ready = pdu.valid & pdu.ready & trailer.ends;
        heads = In { clock, clear: late_clear };
    }

    /// Header, then body, record or padding, a word at a time.
    fn write_words(&mut self, moves: Bit) {
        let asked = requests.data;
        let wants_body =
            (asked.content == PduContent::Body) & (asked.operation != PduOperation::ConnectionManagement);
        let has_room = moves & !clear;
        let starts = has_room & (part == Part::Header) & requests.valid & (!wants_body | body.valid);
        requests.ready = has_room & (part == Part::Header) & (!wants_body | body.valid);
        body.ready = moves & !clear & (part == Part::Body);
        let header = Self::header(asked, own, body_partition, wants_body);
        head_begun = Self::head(asked, body_bytes, wants_body);
        head_begins = starts;

        // The word of the body that comes next, and what is owed to the least.
        let source = body.data;
        let comes = if part == Part::Body { body.valid } else { part != Part::Header };
        let text = if part == Part::Body {
            source
        } else if part == Part::Record {
            Self::record_word(record)
        } else {
            Self::no_word(failed)
        };
        let owes_more = owed > WORD_BYTES;
        let filled = Self::fill(text, owed, owes_more);
        let steps = moves & comes;
        if moves {
            word = if part == Part::Header { header } else { filled };
            first = part == Part::Header;
        }
        word_valid.enable = moves;
        word_valid = starts | comes;
        if steps {
            owed = if owes_more { owed - WORD_BYTES } else { 0 };
            failed = text.last & text.error;
        }
        if starts {
            owed = least;
            failed = false;
            record = asked.record;
        }
        part.enable = starts | steps;
        part = Self::next_part(part, asked, wants_body, text.last, owes_more);
    }

    /// What comes after this word.
    fn next_part(part: Part, asked: PduRequest, wants_body: Bit, ends: Bit, owes_more: Bit) -> Part {
        let is_record = asked.operation == PduOperation::ConnectionManagement;
        let after_header = if wants_body {
            Part::Body
        } else if is_record {
            Part::Record
        } else {
            Part::Padding
        };
        let after_end = if owes_more { Part::Padding } else { Part::Header };
        let after_word = if ends { after_end } else { part };
        let after = if part == Part::Header { after_header } else { after_word };
        after
    }

    /// The first word: the reliability header.
    fn header(asked: PduRequest, own: Bits<10>, partition: Bits<10>, wants_body: Bit) -> FrameWord {
        let partition_sent = if wants_body { partition } else { asked.partition };
        let header = ReliabilityHeader {
            apsn: asked.acknowledged,
            partition: partition_sent,
            reserved_low: 0,
            vc: asked.vc,
            npsn: asked.psn,
            xpuid: own,
            reserved_high: 0,
            op: asked.operation,
            ver: 0,
        };
        let bits: Bits<64> = header.into();
        FrameWord { data: Self::top_first(bits), bytes: 8, last: false, error: false }
    }

    /// What goes with the PDU; `bytes` are those of the text that is given.
    fn head(asked: PduRequest, body_bytes: Bits<13>, wants_body: Bit) -> PduHead {
        let is_record = asked.operation == PduOperation::ConnectionManagement;
        let record_bytes: Bits<13> = if is_record { RECORD_BYTES } else { 0 };
        let bytes = if wants_body { body_bytes } else { record_bytes };
        PduHead { destination: asked.destination, vc: asked.vc, port: asked.port, class: asked.class, bytes }
    }

    /// The octets of the PDU, in two clocks; its head, into its FIFO.
    fn sum_heads(&mut self) {
        let least_bytes: Bits<13> = bit_cast::<13, 6>(least);
        least_pdu = least_bytes + OVERHEAD;
        text_is_short = head_begun.bytes < least_bytes;
        head_summed = head_begun;
        head_summed.bytes = head_begun.bytes + OVERHEAD;
        head_sums = head_begins;
        let bytes = if text_is_short { least_pdu } else { head_summed.bytes };
        let complete = PduHead { bytes, ..head_summed };
        heads.words_in = In { data: complete, valid: head_sums };
    }

    /// The word of a record of connection management.
    fn record_word(record: Bits<48>) -> FrameWord {
        let bits: Bits<64> = cat(record, bits::<16>(RECORD_HEADER));
        FrameWord { data: Self::top_first(bits), bytes: 8, last: true, error: false }
    }

    /// A word after the end of the body.
    fn no_word(failed: Bit) -> FrameWord {
        FrameWord { data: 0, bytes: 0, last: true, error: failed }
    }

    /// A word with zeros after its octets, up to what is owed.
    fn fill(text: FrameWord, owed: Bits<6>, owes_more: Bit) -> FrameWord {
        let bytes = text.bytes;
        let data = text.data;
        let owed_here = if owes_more { 8 } else { owed[0..4] };
        let more = text.last & (owed_here > bytes);
        let bytes_sent = if more { owed_here } else { bytes };
        FrameWord {
            data: Self::octets_below(data, bytes),
            bytes: bytes_sent,
            last: text.last & !owes_more,
            error: text.error,
        }
    }

    /// The octets below `bytes`, zeros above; `bytes` is even.
    fn octets_below(data: Bits<64>, bytes: Bits<4>) -> Bits<64> {
        let pair_0 = if bytes >= 2 { data[0..16] } else { 0 };
        let pair_1 = if bytes >= 4 { data[16..32] } else { 0 };
        let pair_2 = if bytes >= 6 { data[32..48] } else { 0 };
        let pair_3 = if bytes >= 8 { data[48..64] } else { 0 };
        cat(pair_0, pair_1, pair_2, pair_3)
    }

    /// The octets the other way round: the top one first.
    fn top_first(word: Bits<64>) -> Bits<64> {
        let low: Bits<32> = cat(word[56..64], word[48..56], word[40..48], word[32..40]);
        let high: Bits<32> = cat(word[24..32], word[16..24], word[8..16], word[0..8]);
        cat(low, high)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_pdu_writer",
    chapter: "50-sue",
    summary: "reliability header, body, padding and R-CRC become a PDU",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("requests", StreamSink), ("body", StreamSink), ("pdu", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "request and body to pdu.valid");
    Ok(BuiltBlock::new(SuePduWriter::new()?, interface))
}

/// Clocks from request and body to the first word.
pub const LATENCY: u32 = 16;
