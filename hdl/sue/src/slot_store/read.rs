//! The way of a body out of its slot.

use super::{SlotEntry, SlotHead, SlotWord};
use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;
use flitforge_protocol::sue::command::{header, CommandType};

/// A NOP at the beginning of a word: octet 0 is the first in the frame.
const NOP: u64 = ((CommandType::Message.code() as u16) << header::kind::LOW).swap_bytes() as u64;

/// A word on its way out, and what goes with it.
#[packed]
pub struct ReadWord {
    word: FrameWord,
    head: SlotHead,
}

/// Reads bodies of at most 2^`W` words out of 2^`S` slots; `R` = `S` + `W`. See [`super`].
///
/// At least five words of each slot are read: then the length of the body is known. What is beyond its last word goes nowhere.
#[block("sue_slot_reader", slots = 1usize << S, words = 1usize << W)]
pub struct SlotReader<const S: usize, const W: usize, const R: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets bodies that are on their way.
    clear: In<Bit>,
    /// Slots to be read.
    pub reads: StreamIn<Bits<8>>,
    /// Their bodies.
    pub body_out: StreamOut<FrameWord>,
    /// What goes with the body.
    described: Out<SlotHead>,
    /// The last word of a body has gone.
    left: Out<Bit>,
    /// The body of this slot is wrong.
    pub damaged: FlowOut<Bits<8>>,
    /// All stages move on.
    moves: Out<Bit>,
    /// Word to be read.
    address: Out<Bits<R>>,
    /// The word, 2 clocks later.
    data: In<SlotWord>,
    /// Its slot.
    entry_slot: Out<Bits<8>>,
    /// What is kept of its body, 2 clocks later.
    entry: In<SlotEntry>,
    /// It was wrong before, 2 clocks later.
    was_damaged: In<Bits<1>>,

    busy: Register<Bit>,
    #[wire(clear = false)]
    slot: Register<Bits<8>>,
    #[wire(clear = false)]
    index: Register<Bits<W>>,
    /// One more.
    #[wire(clear = false)]
    index_after: Register<Bits<W>>,
    /// `index` is that of the last word that is read.
    ends: Register<Bit>,
    /// Where words are: in the RAM's array, after it, in `held`.
    stage: Register<Bits<3>>,
    first: Register<Bits<4>>,
    #[wire(clear = false)]
    held: Register<SlotWord>,
    #[wire(clear = false)]
    held_entry: Register<SlotEntry>,
    #[wire(clear = false)]
    held_damage: Register<Bit>,
    #[wire(clear = false)]
    held_slot: Register<Bits<8>>,
    /// The word after it is the last of its body.
    #[wire(clear = false)]
    last_follows: Register<Bit>,
    /// Its place.
    #[wire(clear = false)]
    place_after: Register<Bits<9>>,
    /// The last word of the body has gone by.
    over: Register<Bit>,
    checked_valid: Register<Bit>,
    #[wire(clear = false)]
    checked: Register<ReadWord>,
    /// Halves of octets that are odd; an octet whose halves differ is wrong.
    #[wire(clear = false)]
    odd: Register<Bits<16>>,
    #[wire(clear = false)]
    wrong_entry: Register<Bit>,
    /// A word before was wrong.
    #[wire(clear = false)]
    wrong_before: Register<Bit>,
    #[wire(clock, clear)]
    out_skid: Skid<ReadWord>,
    left_now: Register<Bit>,
    damaged_now: Register<Bit>,
    #[wire(d = _)]
    damaged_slot: Reg<Bits<8>>,
}

#[logic]
impl<const S: usize, const W: usize, const R: usize> SlotReader<S, W, R> {
    fn update(&mut self) {
        let go = out_skid.has_room;
        moves = go;
        self.fetch(go);
        let (emits, is_last) = self.hold(go);
        self.check(go, emits, is_last);

        // Out.
        let wrong = odd[0..8] ^ odd[8..16];
        let wrong_now = wrong.any() | wrong_entry;
        let error = wrong_now | wrong_before;
        let checked_word = checked.word;
        let last = checked_word.last;
        wrong_before.enable = go & checked_valid;
        wrong_before = error & !last;
        let out_word = FrameWord { error: error & last, ..checked_word };
        out_skid.words_in.data = ReadWord { word: out_word, ..checked };
        out_skid.words_in.valid = checked_valid;
        let head = checked.head;
        damaged_now = go & checked_valid & last & error;
        damaged_slot = head.slot;
        damaged = In { data: damaged_slot, valid: damaged_now };

        let gone = out_skid.words_out.data;
        let gone_word = gone.word;
        body_out = In { data: gone_word, valid: out_skid.words_out.valid };
        described = gone.head;
        out_skid.words_out.ready = body_out.ready;
        left_now = out_skid.words_out.valid & body_out.ready & gone_word.last;
        left = left_now;
    }

    /// Addresses, one per clock: all words of a slot, and five at least.
    fn fetch(&mut self, go: Bit) {
        let last_word = held_entry.last_word;
        let short = !last_word[2..9].any();
        let last_fetch = if short { 4 } else { last_word };
        let after = bit_cast::<9, W>(index_after);
        let known = after[2..9].any();
        let free = !busy | ends;
        ends.enable = go;
        ends = busy & !ends & known & (after == last_fetch);
        let begins = free & reads.valid;
        reads.ready = free & go & !clear;
        busy.enable = go;
        busy = begins | (busy & !free);
        slot.enable = go & free;
        slot = reads.data;
        index.enable = go;
        index = if free { 0 } else { index_after };
        index_after.enable = go;
        index_after = if free { 1 } else { index_after + 1 };
        stage.enable = go;
        stage = cat(busy, stage[0..2]);
        first.enable = go;
        first = cat(begins, first[0..3]);
        address = cat(index, slot.bits::<S>(0));
        entry_slot = slot;
    }

    /// What comes out of the RAMs, in plain flip-flops.
    fn hold(&mut self, go: Bit) -> (Bit, Bit) {
        held.enable = go;
        held = data;
        held_entry.enable = go;
        held_entry = entry;
        held_damage.enable = go;
        held_damage = was_damaged[0];
        held_slot.enable = go & first[2];
        held_slot = slot;
        place_after.enable = go;
        place_after = if first[2] { 1 } else { place_after + 1 };
        last_follows.enable = go;
        last_follows = place_after == held_entry.last_word;

        let begins = first[3];
        let emits = stage[2] & (begins | !over);
        let last_place = held_entry.last_word;
        let ends_here = if begins { !last_place.any() } else { last_follows };
        let is_last = emits & ends_here;
        over.enable = go & stage[2];
        over = is_last | (over & !begins);
        (emits, is_last)
    }

    /// Whether it is as it was written.
    fn check(&mut self, go: Bit, emits: Bit, is_last: Bit) {
        let kept = held_entry.last_bytes;
        let last_bytes = if is_last { kept } else { 8 };
        let whole = kept[3];
        let eights = bit_cast::<10, 9>(held_entry.last_word) + bit_cast::<10, 1>(whole.into());
        let nothing: Bits<64> = if first[3] { NOP } else { 0 };
        let octets = if held_damage { nothing } else { held.data };
        let word = FrameWord { data: octets, bytes: last_bytes, last: is_last, error: false };
        let head = SlotHead {
            slot: held_slot,
            destination: held_entry.destination,
            vc: held_entry.vc,
            partition: held_entry.partition,
            bytes: cat(kept[0..3], eights),
            commands: held_entry.commands,
        };
        checked_valid.enable = go;
        checked_valid = emits;
        checked.enable = go;
        checked = ReadWord { word, head };
        let entry_bits: Bits<46> = held_entry.into();
        odd.enable = go;
        odd = if held_damage { 0 } else { Self::halves(held.data, held.parity) };
        wrong_entry.enable = go;
        wrong_entry = entry_bits.xor();
    }

    /// The lower and the upper halves of octets, with their parity, that have an odd number of ones.
    fn halves(x: Bits<64>, parity: Bits<8>) -> Bits<16> {
        let lower: Bits<8> = cat(
            Self::half(x[0..4]),
            Self::half(x[8..12]),
            Self::half(x[16..20]),
            Self::half(x[24..28]),
            Self::half(x[32..36]),
            Self::half(x[40..44]),
            Self::half(x[48..52]),
            Self::half(x[56..60]),
        );
        let high: Bits<8> = cat(
            Self::half(x[4..8]),
            Self::half(x[12..16]),
            Self::half(x[20..24]),
            Self::half(x[28..32]),
            Self::half(x[36..40]),
            Self::half(x[44..48]),
            Self::half(x[52..56]),
            Self::half(x[60..64]),
        );
        let upper = high ^ parity;
        cat(lower, upper)
    }

    fn half(x: Bits<4>) -> Bit {
        x.xor()
    }
}
