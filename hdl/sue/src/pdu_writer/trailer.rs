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
/// A last word of up to 4 octets has room for it; else the rest is one word more. `error` goes no further. Latency 2 clocks, one word per clock. `clear`
/// forgets the words.
#[block("pdu_trailer")]
pub struct PduTrailer {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the words.
    clear: In<Bit>,
    /// Words in.
    pub words: StreamIn<FrameWord>,
    /// The R-CRC of the PDU, octet 0 in bits 7:0, there from a clock after its last word on.
    r_crc: In<Bits<32>>,
    /// The R-CRC was used for the last time, a clock before. The next one is needed two clocks after the use: a PDU has two words at least.
    r_crc_done: Out<Bit>,
    /// Words out.
    pub pdu: StreamOut<FrameWord>,
    /// The word out is the last.
    ends: Out<Bit>,

    /// The word that came, out of the memory: what it needs is decided a clock later.
    text: Reg<FrameWord>,
    text_valid: Register<Bit>,
    /// The R-CRC goes after so many pairs of octets: bit n is for n.
    pairs: Reg<Bits<5>>,
    /// The word is the last, and has no room for all of the R-CRC.
    splits: Reg<Bit>,
    done: Register<Bit>,
    place: Register<Place>,
    word: Reg<FrameWord>,
    word_valid: Register<Bit>,
}

#[logic]
impl PduTrailer {
    fn update(&mut self) {
        // The last word stays one clock longer if the rest comes after it.
        let moves = !word_valid | pdu.ready;
        let in_words = place == Place::Words;
        let leaves = moves & !(text_valid & splits & in_words);
        let takes = !text_valid | leaves;
        words.ready = takes & !clear;
        let arrives = words.data;
        let pairs_after = Self::pairs_of(arrives);
        if takes {
            text = arrives;
            splits = arrives.last & (arrives.bytes > 4);
            pairs = pairs_after;
        }
        done = leaves & text_valid & text.last;
        r_crc_done = done;
        text_valid.enable = takes;
        text_valid = words.valid;
        place.enable = moves;
        place = if text_valid & splits & in_words { Place::Rest } else { Place::Words };

        let with_sum = Self::joined(text, r_crc, pairs, splits);
        let rest = Self::rest_of(r_crc, pairs);
        if moves {
            word = if in_words { with_sum } else { rest };
        }
        word_valid.enable = moves;
        word_valid = text_valid;
        pdu = In { data: word, valid: word_valid };
        ends = word.last;
    }

    /// Where the R-CRC starts in a last word, in pairs of octets; no bit in other words.
    fn pairs_of(text: FrameWord) -> Bits<5> {
        let bytes = text.bytes;
        let all: Bits<5> = cat(false, bytes == 2, bytes == 4, bytes == 6, bytes == 8);
        let here = if text.last { all } else { 0 };
        here
    }

    /// The word with as much of the R-CRC as has room.
    fn joined(text: FrameWord, sum: Bits<32>, pairs: Bits<5>, splits: Bit) -> FrameWord {
        let data = text.data;
        let second = if pairs[1] { sum[0..16] } else { data[16..32] };
        let low = if pairs[2] { sum[0..16] } else { data[32..48] };
        let third = if pairs[1] { sum[16..32] } else { low };
        let lower = if pairs[3] { sum[0..16] } else { data[48..64] };
        let fourth = if pairs[2] { sum[16..32] } else { lower };
        let fits = text.last & !splits;
        let bytes = text.bytes;
        let six_or_eight: Bits<4> = cat(false, pairs[1], pairs[1], pairs[2]);
        let bytes_sent = if fits { six_or_eight } else { bits::<4>(8) };
        let sent = if text.last { bytes_sent } else { bytes };
        FrameWord { data: cat(data[0..16], second, third, fourth), bytes: sent, last: fits, error: false }
    }

    /// What had no room.
    fn rest_of(sum: Bits<32>, pairs: Bits<5>) -> FrameWord {
        let first = if pairs[3] { sum[16..32] } else { sum[0..16] };
        let bytes = if pairs[3] { bits::<4>(2) } else { bits::<4>(4) };
        FrameWord { data: cat(first, sum[16..32], bits::<32>(0)), bytes, last: true, error: false }
    }
}
