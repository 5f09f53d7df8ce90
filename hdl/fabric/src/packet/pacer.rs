//! The sender's pace: which beat is sent, and when a word of payload is taken.

use super::shape::COUNT_BITS;
use flitforge_hdl_prim::prelude::*;

/// Counts beats and words of the current packet, and finds sources that do not keep to their header.
///
/// Flags of the counters are registers: a packet is taken over by `take` with all of them.
#[block("packet_pacer", f = F)]
pub struct PacketPacer<const F: usize, const BYTES_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the packet.
    clear: In<Bit>,
    /// A packet waits at the ingress: its words, its Tail's beat and slot, whether it is refused.
    waiting: In<Bit>,
    /// See `waiting`.
    next_words: In<Bits<COUNT_BITS>>,
    /// See `waiting`.
    next_beat: In<Bits<COUNT_BITS>>,
    /// See `waiting`.
    next_slot: In<Bits<F>>,
    /// See `waiting`.
    next_refused: In<Bit>,
    /// Takes the packet from the ingress.
    take: Out<Bit>,
    /// A word of payload is there.
    word_valid: In<Bit>,
    /// It says that it is the last.
    word_last: In<Bit>,
    /// It says how many bytes it has.
    word_bytes: In<Bits<BYTES_W>>,
    /// Bytes the packet's last word has.
    last_bytes: In<Bits<BYTES_W>>,
    /// The word is taken.
    word_ready: Out<Bit>,
    /// There is room for a beat.
    room: In<Bit>,
    /// A beat is made on this edge.
    step: Out<Bit>,
    /// It is the packet's first.
    first: Out<Bit>,
    /// It takes a word.
    with_word: Out<Bit>,
    /// The word is the packet's last.
    last_word: Out<Bit>,
    /// It is the packet's last: the Tail's slot.
    tail_slot: Out<Bits<F>>,
    /// With the Tail: the payload was not what the header said.
    wrong: Out<Bit>,
    /// With the Tail: the source gave the packet up.
    aborted: Out<Bit>,

    running: Reg<Bit>,
    draining: Reg<Bit>,
    is_first: Reg<Bit>,
    words: Reg<Bits<COUNT_BITS>>,
    beats: Reg<Bits<COUNT_BITS>>,
    slot: Reg<Bits<F>>,
    /// There are words to come; the next is the last.
    more_words: Reg<Bit>,
    one_word: Reg<Bit>,
    /// The next beat is the Tail's.
    tail_next: Reg<Bit>,
    was_wrong: Reg<Bit>,
    was_aborted: Reg<Bit>,
    overruns: Reg<Bit>,
}

#[logic]
impl<const F: usize, const BYTES_W: usize> PacketPacer<F, BYTES_W> {
    fn update(&mut self) {
        // A beat needs its word, if it has one; a packet that is drained needs words only.
        let moves = running & !draining & room & (word_valid | !more_words);
        word_ready = running & more_words & (draining | room) & !clear;
        let taken = moves & more_words;

        // What the source does is not what its header said.
        let early = taken & word_last & !one_word;
        let late = taken & !word_last & one_word;
        let miscounted = taken & word_last & one_word & (word_bytes != last_bytes);

        // The packet ends, or is drained after its end. A word in the Tail's beat is the last one, or the packet goes on.
        let closes = draining | (room & tail_next & !overruns);
        let done = running & closes & (!more_words | (word_valid & word_last));
        let loads = waiting & (!running | done);
        take = loads;

        if taken {
            words = words - 1;
            one_word = words == 2;
            more_words = !one_word;
        }
        if moves {
            is_first = false;
            beats = beats - 1;
            tail_next = beats == 1;
            if tail_next {
                // It counts only for a packet whose source goes on; the others are done.
                draining = true;
                more_words = true;
            }
        }
        if late {
            overruns = true;
        }
        if late | miscounted {
            was_wrong = true;
        }
        if early {
            was_aborted = true;
            more_words = false;
            tail_next = true;
            slot = 1;
        }
        if done {
            running = false;
        }
        if loads {
            running = true;
            draining = next_refused;
            is_first = true;
            words = next_words;
            more_words = next_words.any();
            one_word = next_words == 1;
            beats = next_beat;
            tail_next = !next_beat.any();
            slot = next_slot;
            was_wrong = false;
            was_aborted = false;
            overruns = false;
        }
        if clear {
            running = false;
        }

        step = moves;
        first = is_first;
        with_word = more_words;
        last_word = one_word;
        tail_slot = 0;
        if tail_next {
            tail_slot = slot;
        }
        wrong = was_wrong | late | miscounted;
        aborted = was_aborted;
    }
}
