//! The R-CRC after the last word of a PDU.

use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;

/// Whether the rest of an R-CRC is still to come.
#[packed]
enum Place {
    Words,
    Rest,
}

/// `pdu_trailer`: puts the R-CRC after the octets of each last word; even numbers of octets only.
///
/// A last word of up to 4 octets has room for it; else the rest is one word more. An `error` inverts it and goes no further. Latency 1 clock, one word
/// per clock. `clear` forgets the word.
#[block("pdu_trailer")]
pub struct PduTrailer {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the word.
    clear: In<Bit>,
    /// Words in.
    pub words: StreamIn<FrameWord>,
    /// With a last word: the R-CRC, octet 0 in bits 7:0.
    r_crc: In<Bits<32>>,
    /// Words out.
    pub pdu: StreamOut<FrameWord>,
    /// The word out is the last: `pdu.data.last`, for whom the word is opaque.
    ends: Out<Bit>,

    place: Register<Place>,
    /// What is left of the R-CRC, and how many octets.
    rest: Reg<Bits<32>>,
    rest_bytes: Reg<Bits<4>>,
    word: Reg<FrameWord>,
    word_valid: Register<Bit>,
}

#[logic]
impl PduTrailer {
    fn update(&mut self) {
        let moves = !word_valid | pdu.ready;
        let text = words.data;
        words.ready = moves & (place == Place::Words) & !clear;
        let taken = moves & (place == Place::Words) & words.valid;
        let sum = if text.error { !r_crc } else { r_crc };
        let bytes = text.bytes;
        let splits = text.last & (bytes > 4);
        if taken {
            rest = if bytes == 8 { sum } else { cat(sum[16..32], bits::<16>(0)) };
            rest_bytes = bytes - 4;
        }
        place.enable = moves & (words.valid | (place == Place::Rest));
        place = if (place == Place::Words) & splits { Place::Rest } else { Place::Words };

        if moves {
            word = if place == Place::Rest {
                Self::rest_word(rest, rest_bytes)
            } else {
                Self::joined(text, sum)
            };
        }
        word_valid.enable = moves;
        word_valid = taken | (place == Place::Rest);
        pdu = In { data: word, valid: word_valid };
        ends = word.last;
    }

    /// The word with as much of the R-CRC as has room.
    fn joined(text: FrameWord, sum: Bits<32>) -> FrameWord {
        let bytes = text.bytes;
        let data = text.data;
        let with_sum = if bytes == 2 {
            cat(data[0..16], sum, bits::<16>(0))
        } else if bytes == 4 {
            cat(data[0..32], sum)
        } else if bytes == 6 {
            cat(data[0..48], sum[0..16])
        } else {
            data
        };
        let fits = text.last & (bytes <= 4);
        let data_sent = if text.last { with_sum } else { data };
        let bytes_sent = if fits { bytes + 4 } else { 8 };
        FrameWord { data: data_sent, bytes: bytes_sent, last: fits, error: false }
    }

    /// The rest of the R-CRC.
    fn rest_word(rest: Bits<32>, bytes: Bits<4>) -> FrameWord {
        FrameWord { data: cat(rest, bits::<32>(0)), bytes, last: true, error: false }
    }
}
