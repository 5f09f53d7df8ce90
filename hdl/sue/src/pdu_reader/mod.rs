//! `sue_pdu_reader`: a PDU becomes its reliability header, its body, and whether it counts (chapter 50, 3.2, 3.3 and the order of checks of 4.6).
//!
//! - Words of PDUs come as a flow; `error` with the last one says that the frame is bad.
//! - `body` are the octets between header and R-CRC, one body for each PDU, whatever is wrong with it. Where there are none, it is a word of END zeros, which
//!   means the same.
//! - `pdus` tells of each PDU once, in their order, after the last word of its body: header and verdict. The first that applies counts: the frame is bad, the
//!   PDU is too short or of another version, its R-CRC is wrong.
//! - Latency: a word of a body 2 clocks; what is told of a PDU, 10 clocks after its last word. One word per clock, PDUs may follow each other at once.
//! - `clear` forgets everything.

use crate::crc_bytes::CrcBytesCheck;
use crate::frame::FrameWord;
use crate::reliability::{PduVerdict, ReceivedPdu, ReliabilityHeader};
use flitforge_hdl_prim::fifo::SmallFifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::crc::ByteCrc;
use flitforge_protocol::sue::reliability::VERSION;

type Check = CrcBytesCheck<64, 8, 4, 3, 240, 128>;

/// Clocks from the last word to what is told of its PDU: the check, its FIFO's output, the verdict.
pub const LATENCY: u32 = Check::LATENCY as u32 + 2;

/// Which word of a PDU comes next.
#[packed]
enum Place {
    Header,
    First,
    Later,
}

/// What is known of a PDU before its R-CRC is.
#[packed]
struct Begun {
    header: ReliabilityHeader,
    bad_frame: Bit,
    short: Bit,
}

/// Header, body and verdict of PDUs. See the [module](self).
#[block("sue_pdu_reader", new)]
pub struct SuePduReader {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Words of PDUs.
    pub pdu: FlowIn<FrameWord>,
    /// Header of the PDU whose body's words come.
    header: Out<ReliabilityHeader>,
    /// Words of bodies.
    pub body: FlowOut<FrameWord>,
    /// The PDUs.
    pub pdus: FlowOut<ReceivedPdu>,

    place: Register<Place>,
    read: Reg<ReliabilityHeader>,
    /// The word before, which may be the last of the body.
    held: Reg<FrameWord>,
    /// It is one of the body.
    held_valid: Register<Bit>,
    /// It ends the body.
    held_ends: Register<Bit>,
    #[wire(d = _)]
    header_of_body: Reg<ReliabilityHeader>,
    #[wire(d = _)]
    word: Reg<FrameWord>,
    word_valid: Register<Bit>,
    #[wire(d = _)]
    begun: Reg<Begun>,
    begun_valid: Register<Bit>,
    /// At most four PDUs wait for their R-CRC: each has two words, or is too short.
    waiting: SmallFifo<Begun, 4, 5>,
    check: Check,
    good: Reg<Bit>,
    done: Register<Bit>,
    #[wire(d = _)]
    told: Reg<ReceivedPdu>,
    told_valid: Register<Bit>,
}

#[logic]
impl SuePduReader {
    /// A reader without PDUs.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { waiting: SmallFifo::new()?, check: Check::new(ByteCrc::Castagnoli)?, .. })
    }

    fn update(&mut self) {
        let arrives = pdu.data;
        let is_header = place == Place::Header;
        self.take_words(arrives, is_header);

        // The R-CRC, and what waits for it.
        check.word = In { data: arrives.data, valid: pdu.valid };
        check = In { clock, clear, first: is_header, last: arrives.last, bytes: arrives.bytes };
        begun_valid = pdu.valid & arrives.last;
        let top: Bits<64> = Self::top_first(arrives.data);
        let own: ReliabilityHeader = top.into();
        let header_now = if is_header { own } else { read };
        let short = is_header | ((place == Place::First) & (arrives.bytes < 4));
        begun = Begun { header: header_now, bad_frame: arrives.error, short };
        waiting.words_in = In { data: begun, valid: begun_valid };
        waiting = In { clock, clear };
        good = check.good;
        done = check.done;
        waiting.words_out.ready = done;
        told = Self::tell(waiting.words_out.data, good);
        told_valid = done;
        pdus = In { data: told, valid: told_valid };
    }

    /// Words of the body, one clock after they could be its last.
    fn take_words(&mut self, arrives: FrameWord, is_header: Bit) {
        place.enable = pdu.valid;
        place = if arrives.last {
            Place::Header
        } else if is_header {
            Place::First
        } else {
            Place::Later
        };
        let top: Bits<64> = Self::top_first(arrives.data);
        if pdu.valid & is_header {
            read = top.into();
        }

        // A word of up to 4 octets at the end is R-CRC only: the body ends with the word before.
        let is_rest = arrives.last & (arrives.bytes <= 4);
        let no_body = arrives.last & (is_header | ((place == Place::First) & is_rest));
        let cuts = pdu.valid & !is_header & is_rest & held_valid;
        let waits = pdu.valid & (no_body | (!is_header & !is_rest));
        held_valid.enable = pdu.valid | held_ends;
        held_valid = waits;
        held_ends.enable = pdu.valid | held_ends;
        held_ends = waits & arrives.last;
        if pdu.valid {
            held = if no_body { Self::end_word(arrives.error) } else { Self::without_r_crc(arrives) };
        }
        header_of_body = read;
        word = if cuts { Self::cut(held, arrives) } else { held };
        word_valid = held_valid & (pdu.valid | held_ends);
        header = header_of_body;
        body = In { data: word, valid: word_valid };
    }

    /// The word, which ends the body if it ends the PDU.
    fn without_r_crc(arrives: FrameWord) -> FrameWord {
        let bytes = if arrives.last { arrives.bytes - 4 } else { arrives.bytes };
        FrameWord { data: arrives.data, bytes, last: arrives.last, error: arrives.error }
    }

    /// The last word of the body, when the word after it has the rest of the R-CRC.
    fn cut(held: FrameWord, arrives: FrameWord) -> FrameWord {
        FrameWord { data: held.data, bytes: arrives.bytes + 4, last: true, error: arrives.error }
    }

    /// A body that is not there.
    fn end_word(error: Bit) -> FrameWord {
        FrameWord { data: 0, bytes: 2, last: true, error }
    }

    /// What becomes of the PDU: the first that applies.
    fn tell(begun: Begun, good: Bit) -> ReceivedPdu {
        let read_header = begun.header;
        let of_text = if begun.short | (read_header.ver != VERSION) {
            PduVerdict::HeaderBad
        } else if !good {
            PduVerdict::CrcBad
        } else {
            PduVerdict::Good
        };
        let verdict = if begun.bad_frame { PduVerdict::FrameBad } else { of_text };
        ReceivedPdu { header: read_header, verdict }
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
    name: "sue_pdu_reader",
    chapter: "50-sue",
    summary: "a PDU becomes its reliability header, its body, and whether it counts",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("pdu", FlowSink), ("body", FlowSource), ("pdus", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "last word of a PDU to pdus.valid");
    Ok(BuiltBlock::new(SuePduReader::new()?, interface))
}
