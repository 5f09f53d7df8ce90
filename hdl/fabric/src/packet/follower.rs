//! The packet in progress at the receiver.

use super::part::REASON_BITS;
use super::shape::{COUNT_BITS, LEN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::packet::{head, HEADER_BITS};

/// Counts beats and words, ends the packet, and says why it is bad. Inputs are those of the reader. What is said of
/// words and of the CRC goes with the beat, the end comes one clock later.
#[block("packet_follower", f = F)]
pub struct PacketFollower<const F: usize, const BYTES_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the packet.
    clear: In<Bit>,
    /// See the reader.
    counts: In<Bit>,
    /// See the reader.
    opens: In<Bit>,
    /// See the reader.
    illegal: In<Bit>,
    /// See the reader.
    closes: In<Bits<F>>,
    /// See the reader.
    is_tail: In<Bit>,
    /// See the reader.
    len2: In<Bits<LEN_BITS>>,
    /// See the reader.
    is_bad: In<Bit>,
    /// See the reader.
    reason: In<Bits<REASON_BITS>>,
    /// See the reader.
    header: In<Bits<HEADER_BITS>>,
    /// See the reader.
    without_len: In<Bit>,
    /// See the reader.
    words: In<Bits<COUNT_BITS>>,
    /// See the reader.
    tail_beat: In<Bits<COUNT_BITS>>,
    /// See the reader.
    tail_slot: In<Bits<F>>,
    /// See the reader.
    bytes: In<Bits<BYTES_W>>,
    /// The beat begins a packet.
    starts: Out<Bit>,
    /// The beat goes on with one.
    goes_on: Out<Bit>,
    /// The beat ends one.
    ends: Out<Bit>,
    /// The beat's flits do not count.
    corrupts: Out<Bit>,
    /// A word of payload is complete with slot 0 of this beat, or, `flushes`, without it.
    word: Out<Bit>,
    /// The word is what the beat before left.
    flushes: Out<Bit>,
    /// It is the last.
    last_word: Out<Bit>,
    /// Bytes of it that count.
    word_bytes: Out<Bits<BYTES_W>>,
    /// A packet has ended.
    ended: Out<Bit>,
    /// With `ended`: a Tail ended it.
    by_tail: Out<Bit>,
    /// With `ended`: it is bad, whatever its CRC.
    bad: Out<Bit>,
    /// With `ended`: why it is bad.
    bad_reason: Out<Bits<REASON_BITS>>,
    /// Event: packet flits that belong to no packet.
    stray: Out<Bit>,

    open: Reg<Bit>,
    beats: Reg<Bits<COUNT_BITS>>,
    tail_next: Reg<Bit>,
    slot: Reg<Bits<F>>,
    sized: Reg<Bit>,
    len: Reg<Bits<LEN_BITS>>,
    words_left: Reg<Bits<COUNT_BITS>>,
    more_words: Reg<Bit>,
    one_word: Reg<Bit>,
    last_bytes: Reg<Bits<BYTES_W>>,
    flush: Reg<Bit>,
    is_marked: Reg<Bit>,
    mark: Reg<Bits<REASON_BITS>>,
    // The end, one clock later.
    end_valid: Reg<Bit>,
    end_tail: Reg<Bit>,
    end_sized: Reg<Bit>,
    end_len2: Reg<Bits<LEN_BITS>>,
    end_bad: Reg<Bit>,
    end_reason: Reg<Bits<REASON_BITS>>,
    event_stray: Reg<Bit>,

    begins: Local<Bit>,
    follows: Local<Bit>,
    breaks: Local<Bit>,
    on_tail: Local<Bit>,
    sized_now: Local<Bit>,
    slot_now: Local<Bits<F>>,
    marked_now: Local<Bit>,
    closing: Local<Bit>,
    overlong: Local<Bit>,
    misplaced: Local<Bit>,
    faulty: Local<Bit>,
    stops: Local<Bit>,
    next_mark: Local<Bits<REASON_BITS>>,
    #[init(BadReason::Protocol)]
    protocol: Constant<Bits<REASON_BITS>>,
    #[init(8 * F)]
    whole_word: Constant<Bits<BYTES_W>>,
}

#[logic]
impl<const F: usize, const BYTES_W: usize> PacketFollower<F, BYTES_W> {
    fn update(&mut self) {
        // Whose beat it is, and what is known of that packet.
        begins = counts & opens & !open;
        follows = counts & open;
        breaks = illegal | (opens & open);
        on_tail = tail_next;
        sized_now = sized;
        slot_now = slot;
        marked_now = is_marked;
        if !open {
            on_tail = !tail_beat.any();
            sized_now = !without_len;
            slot_now = tail_slot;
            marked_now = false;
        }

        // Whether it ends here, and what is wrong with it.
        closing = closes.any();
        overlong = sized_now & on_tail & !closing;
        misplaced = sized_now & is_tail & closing & (!on_tail | (closes != slot_now));
        faulty = breaks | overlong | misplaced;
        stops = breaks | overlong | closing;
        let next_marked = marked_now | (is_bad & !breaks) | faulty;
        next_mark = protocol;
        if is_bad & !breaks {
            next_mark = reason;
        }
        if marked_now {
            next_mark = mark;
        }

        self.follow_words(next_marked);

        // The copy of the length, too late for the beat.
        ended = end_valid;
        by_tail = end_tail;
        bad = end_bad;
        bad_reason = end_reason;
        if !end_bad & end_tail & end_sized & (end_len2 != len) {
            bad = true;
            bad_reason = protocol;
        }
        stray = event_stray;
    }

    /// One word per beat after the first; what is left of the last beat follows it.
    fn follow_words(&mut self, next_marked: Bit) {
        let mut left_over = more_words & !one_word;
        if begins {
            left_over = words.any();
        }
        word = (follows & more_words) | flush;
        flushes = flush;
        last_word = flush | one_word;
        word_bytes = whole_word;
        if one_word {
            word_bytes = last_bytes;
        }

        flush = (begins | follows) & stops & left_over;
        end_valid = (begins | follows) & stops;
        end_tail = closing & is_tail & !breaks;
        end_sized = sized_now;
        end_len2 = len2;
        end_bad = next_marked;
        end_reason = next_mark;
        if follows {
            open = !stops;
            beats = beats - 1;
            tail_next = beats == 2;
            words_left = words_left - 1;
            one_word = words_left == 2;
            more_words = left_over;
        }
        if begins {
            open = !stops;
            beats = tail_beat;
            tail_next = tail_beat == 1;
            slot = tail_slot;
            sized = !without_len;
            len = header.bits::<LEN_BITS>(36);
            words_left = words;
            more_words = words.any();
            one_word = words == 1;
            last_bytes = bytes;
        }
        if begins | follows {
            is_marked = next_marked;
            mark = next_mark;
        }
        event_stray = counts & !opens & !open & !clear;
        if clear {
            open = false;
            flush = false;
            end_valid = false;
        }

        starts = begins;
        goes_on = follows;
        ends = stops;
        corrupts = breaks;
    }
}

const _: () = assert!(head::len::LOW == 36);
