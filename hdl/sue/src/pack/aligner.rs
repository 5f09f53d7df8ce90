//! Words of a body: the octets of its commands one after the other, without gaps.
//!
//! A command may end within a word. What the next word of the body lacks comes out of the next command's first one, so words are turned by 0 to 3
//! units of two octets, and what is too much for a word waits for the next one.

use super::entry::Passage;
use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::skid::Skid;

/// Bits of a unit.
const UNIT: usize = 16;

/// Words from cells in, words of bodies out. See the [module](self).
///
/// `octets` is there 2 clocks with `run` after its `passage`. After a passage that ends a body there is a clock with `run` without one.
#[block("sue_pack_aligner")]
pub struct PackAligner {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the body.
    clear: In<Bit>,
    /// A word that is read.
    passage: In<Passage>,
    /// Octets of the word read 2 clocks before, and a bit of even parity of each above them.
    octets: In<Bits<72>>,
    /// Everything moves on.
    run: Out<Bit>,
    /// Words of bodies; `error` with the last one: the parity of an octet was wrong.
    pub body: StreamOut<FrameWord>,

    first: Register<Passage>,
    second: Register<Passage>,
    third: Register<Passage>,
    /// What came out of the memory, once more: the way from its blocks is long.
    #[wire(clear = false)]
    held: Register<Bits<72>>,
    /// Units that wait when the word of `third` comes.
    offset: Register<Bits<2>>,
    #[wire(clear = false)]
    turned: Register<Bits<64>>,
    /// Units of the word that waited.
    #[wire(clear = false)]
    keep: Register<Bits<3>>,
    /// A word of the body is full, or its last one.
    emits: Register<Bit>,
    /// It is the last one.
    #[wire(clear = false)]
    last: Register<Bit>,
    /// Units of the last word, and of the one after it.
    #[wire(clear = false)]
    units: Register<Bits<2>>,
    /// The body goes on in one more word.
    overflows: Register<Bit>,
    wrong_octets: Register<Bits<8>>,
    spoiled: Register<Bit>,
    /// The rest of the body is the next word.
    rest: Register<Bit>,
    #[wire(clear = false)]
    rest_units: Register<Bits<2>>,
    #[wire(clear = false)]
    waiting: [Register<Bits<UNIT>>; 3],
    #[wire(clock, clear)]
    skid: Skid<FrameWord>,
}

#[logic]
impl PackAligner {
    fn update(&mut self) {
        let moves = skid.has_room;
        run = moves;
        self.turn(moves);
        self.merge(moves);
        link(body, skid.words_out);
    }

    /// The word turned to where it belongs, and what becomes of it.
    fn turn(&mut self, moves: Bit) {
        first.enable = moves;
        first = passage;
        second.enable = moves;
        second = first;
        third.enable = moves;
        third = second;
        held.enable = moves;
        held = octets;

        let offset_after = offset + third.units + 1;
        let ends_now = third.valid & third.ends;
        offset.clear = clear | (ends_now & moves);
        offset.enable = moves & third.valid;
        offset = offset_after;
        // Units that are there with this word: more than four, four, or fewer.
        let sum: Bits<3> = bit_cast::<3, 2>(offset) + bit_cast::<3, 2>(third.units);
        let three: Bits<3> = 3;
        let fills = sum >= three;
        let more = sum > three;
        emits.enable = moves;
        emits = third.valid & (fills | third.ends);
        last.enable = moves;
        last = third.ends & !more;
        units.enable = moves;
        units = offset_after;
        overflows.enable = moves;
        overflows = ends_now & more;

        let word = held[0..64];
        turned.enable = moves;
        turned = match offset {
            0 => word,
            1 => cat(word[48..64], word[0..48]),
            2 => cat(word[32..64], word[0..32]),
            _ => cat(word[16..64], word[0..16]),
        };
        keep.enable = moves;
        let waits_0 = !third.valid | offset.any();
        let waits_1 = !third.valid | offset[1];
        let waits_2 = !third.valid | offset.all();
        keep = cat(waits_0, waits_1, waits_2);
        let mut wrong: Bits<8> = 0;
        for i in 0..8 {
            let octet = held.bits::<8>(8 * i);
            let parity = octet.xor() ^ held[64 + i];
            wrong = wrong.with(i, parity);
        }
        wrong_octets.enable = moves;
        wrong_octets = if third.valid { wrong } else { 0 };
    }

    /// The word of the body out of what waited and what came.
    fn merge(&mut self, moves: Bit) {
        for i in 0..3 {
            waiting[i].enable = moves & (emits | !keep[i]);
            waiting[i] = turned.bits::<UNIT>(UNIT * i);
        }
        let unit_0 = if keep[0] { waiting[0] } else { turned[0..16] };
        let unit_1 = if keep[1] { waiting[1] } else { turned[16..32] };
        let unit_2 = if keep[2] { waiting[2] } else { turned[32..48] };
        let out: Bits<64> = cat(unit_0, unit_1, unit_2, turned[48..64]);
        rest.enable = moves;
        rest = overflows;
        rest_units.enable = moves;
        rest_units = units;
        let is_last = (emits & last) | rest;
        let last_units = if rest { rest_units } else { units };
        let partial = is_last & last_units.any();
        let whole: Bits<4> = 8;
        let part: Bits<4> = cat(false, last_units, false);
        let octets_of_word = if partial { part } else { whole };
        let spoils = spoiled | wrong_octets.any();
        spoiled.enable = moves;
        spoiled = spoils & !is_last;
        let word = FrameWord { data: out, bytes: octets_of_word, last: is_last, error: is_last & spoils };
        skid.words_in = In { data: word, valid: emits | rest };
    }
}
