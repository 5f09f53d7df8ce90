//! The packet in progress at the receiver.

use super::part::REASON_BITS;
use super::shape::{COUNT_BITS, LEN_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::packet::{head, HEADER_BITS};

/// Counts beats and words, ends the packet, and says why it is bad. Inputs are those of the reader. What is said of
/// words and of the CRC goes with the beat, the end comes one clock later.
#[derive(LogicBlock)]
pub struct PacketFollower<const F: usize, const BYTES_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets the packet.
    pub clear: Signal<In, Bit>,
    /// See the reader.
    pub counts: Signal<In, Bit>,
    /// See the reader.
    pub opens: Signal<In, Bit>,
    /// See the reader.
    pub illegal: Signal<In, Bit>,
    /// See the reader.
    pub closes: Signal<In, Bits<F>>,
    /// See the reader.
    pub is_tail: Signal<In, Bit>,
    /// See the reader.
    pub len2: Signal<In, Bits<LEN_BITS>>,
    /// See the reader.
    pub is_bad: Signal<In, Bit>,
    /// See the reader.
    pub reason: Signal<In, Bits<REASON_BITS>>,
    /// See the reader.
    pub header: Signal<In, Bits<HEADER_BITS>>,
    /// See the reader.
    pub without_len: Signal<In, Bit>,
    /// See the reader.
    pub words: Signal<In, Bits<COUNT_BITS>>,
    /// See the reader.
    pub tail_beat: Signal<In, Bits<COUNT_BITS>>,
    /// See the reader.
    pub tail_slot: Signal<In, Bits<F>>,
    /// See the reader.
    pub bytes: Signal<In, Bits<BYTES_W>>,
    /// The beat begins a packet.
    pub starts: Signal<Out, Bit>,
    /// The beat goes on with one.
    pub goes_on: Signal<Out, Bit>,
    /// The beat ends one.
    pub ends: Signal<Out, Bit>,
    /// The beat's flits do not count.
    pub spoils: Signal<Out, Bit>,
    /// A word of payload is complete with slot 0 of this beat, or, `flushes`, without it.
    pub word: Signal<Out, Bit>,
    /// The word is what the beat before left.
    pub flushes: Signal<Out, Bit>,
    /// It is the last.
    pub last_word: Signal<Out, Bit>,
    /// Bytes of it that count.
    pub word_bytes: Signal<Out, Bits<BYTES_W>>,
    /// A packet has ended.
    pub ended: Signal<Out, Bit>,
    /// With `ended`: a Tail ended it.
    pub by_tail: Signal<Out, Bit>,
    /// With `ended`: it is bad, whatever its CRC.
    pub bad: Signal<Out, Bit>,
    /// With `ended`: why it is bad.
    pub bad_reason: Signal<Out, Bits<REASON_BITS>>,
    /// Event: packet flits that belong to no packet.
    pub stray: Signal<Out, Bit>,

    open: DFF<Bit>,
    beats: DFF<Bits<COUNT_BITS>>,
    tail_next: DFF<Bit>,
    slot: DFF<Bits<F>>,
    sized: DFF<Bit>,
    len: DFF<Bits<LEN_BITS>>,
    words_left: DFF<Bits<COUNT_BITS>>,
    more_words: DFF<Bit>,
    one_word: DFF<Bit>,
    last_bytes: DFF<Bits<BYTES_W>>,
    flush: DFF<Bit>,
    is_marked: DFF<Bit>,
    mark: DFF<Bits<REASON_BITS>>,
    // The end, one clock later.
    end_valid: DFF<Bit>,
    end_tail: DFF<Bit>,
    end_sized: DFF<Bit>,
    end_len2: DFF<Bits<LEN_BITS>>,
    end_bad: DFF<Bit>,
    end_reason: DFF<Bits<REASON_BITS>>,
    event_stray: DFF<Bit>,

    begins: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    on_tail: Signal<Local, Bit>,
    sized_now: Signal<Local, Bit>,
    slot_now: Signal<Local, Bits<F>>,
    marked_now: Signal<Local, Bit>,
    closing: Signal<Local, Bit>,
    overlong: Signal<Local, Bit>,
    misplaced: Signal<Local, Bit>,
    faulty: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    next_mark: Signal<Local, Bits<REASON_BITS>>,
    next_marked: Signal<Local, Bit>,
    left_over: Signal<Local, Bit>,
    protocol: Constant<Bits<REASON_BITS>>,
    whole_word: Constant<Bits<BYTES_W>>,
}

impl<const F: usize, const BYTES_W: usize> Default for PacketFollower<F, BYTES_W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            counts: Default::default(),
            opens: Default::default(),
            illegal: Default::default(),
            closes: Default::default(),
            is_tail: Default::default(),
            len2: Default::default(),
            is_bad: Default::default(),
            reason: Default::default(),
            header: Default::default(),
            without_len: Default::default(),
            words: Default::default(),
            tail_beat: Default::default(),
            tail_slot: Default::default(),
            bytes: Default::default(),
            starts: Default::default(),
            goes_on: Default::default(),
            ends: Default::default(),
            spoils: Default::default(),
            word: Default::default(),
            flushes: Default::default(),
            last_word: Default::default(),
            word_bytes: Default::default(),
            ended: Default::default(),
            by_tail: Default::default(),
            bad: Default::default(),
            bad_reason: Default::default(),
            stray: Default::default(),
            open: Default::default(),
            beats: Default::default(),
            tail_next: Default::default(),
            slot: Default::default(),
            sized: Default::default(),
            len: Default::default(),
            words_left: Default::default(),
            more_words: Default::default(),
            one_word: Default::default(),
            last_bytes: Default::default(),
            flush: Default::default(),
            is_marked: Default::default(),
            mark: Default::default(),
            end_valid: Default::default(),
            end_tail: Default::default(),
            end_sized: Default::default(),
            end_len2: Default::default(),
            end_bad: Default::default(),
            end_reason: Default::default(),
            event_stray: Default::default(),
            begins: Default::default(),
            follows: Default::default(),
            breaks: Default::default(),
            on_tail: Default::default(),
            sized_now: Default::default(),
            slot_now: Default::default(),
            marked_now: Default::default(),
            closing: Default::default(),
            overlong: Default::default(),
            misplaced: Default::default(),
            faulty: Default::default(),
            stops: Default::default(),
            next_mark: Default::default(),
            next_marked: Default::default(),
            left_over: Default::default(),
            protocol: Constant::new(u64::from(BadReason::Protocol.code()).into()),
            whole_word: Constant::new((8 * F as u64).into()),
        }
    }
}

impl<const F: usize, const BYTES_W: usize> Logic for PacketFollower<F, BYTES_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, beats, tail_next, slot, sized, len, words_left, more_words, one_word);
        dff_setup!(self, clock, last_bytes, flush, is_marked, mark, end_valid, end_tail, end_sized, end_len2);
        dff_setup!(self, clock, end_bad, end_reason, event_stray);

        // Whose beat it is, and what is known of that packet.
        self.begins.next = self.counts.val() & self.opens.val() & !self.open.q.val();
        self.follows.next = self.counts.val() & self.open.q.val();
        self.breaks.next = self.illegal.val() | (self.opens.val() & self.open.q.val());
        self.on_tail.next = self.tail_next.q.val();
        self.sized_now.next = self.sized.q.val();
        self.slot_now.next = self.slot.q.val();
        self.marked_now.next = self.is_marked.q.val();
        if !self.open.q.val() {
            self.on_tail.next = !self.tail_beat.val().any();
            self.sized_now.next = !self.without_len.val();
            self.slot_now.next = self.tail_slot.val();
            self.marked_now.next = false;
        }

        // Whether it ends here, and what is wrong with it.
        self.closing.next = self.closes.val().any();
        self.overlong.next = self.sized_now.val() & self.on_tail.val() & !self.closing.val();
        self.misplaced.next = self.sized_now.val()
            & self.is_tail.val()
            & self.closing.val()
            & (!self.on_tail.val() | (self.closes.val() != self.slot_now.val()));
        self.faulty.next = self.breaks.val() | self.overlong.val() | self.misplaced.val();
        self.stops.next = self.breaks.val() | self.overlong.val() | self.closing.val();
        self.next_marked.next =
            self.marked_now.val() | (self.is_bad.val() & !self.breaks.val()) | self.faulty.val();
        self.next_mark.next = self.protocol.val();
        if self.is_bad.val() & !self.breaks.val() {
            self.next_mark.next = self.reason.val();
        }
        if self.marked_now.val() {
            self.next_mark.next = self.mark.q.val();
        }

        // One word per beat behind the first; what is left of the last beat follows it.
        self.left_over.next = self.more_words.q.val() & !self.one_word.q.val();
        if self.begins.val() {
            self.left_over.next = self.words.val().any();
        }
        self.word.next = (self.follows.val() & self.more_words.q.val()) | self.flush.q.val();
        self.flushes.next = self.flush.q.val();
        self.last_word.next = self.flush.q.val() | self.one_word.q.val();
        self.word_bytes.next = self.whole_word.val();
        if self.one_word.q.val() {
            self.word_bytes.next = self.last_bytes.q.val();
        }

        self.flush.d.next =
            (self.begins.val() | self.follows.val()) & self.stops.val() & self.left_over.val();
        self.end_valid.d.next = (self.begins.val() | self.follows.val()) & self.stops.val();
        self.end_tail.d.next = self.closing.val() & self.is_tail.val() & !self.breaks.val();
        self.end_sized.d.next = self.sized_now.val();
        self.end_len2.d.next = self.len2.val();
        self.end_bad.d.next = self.next_marked.val();
        self.end_reason.d.next = self.next_mark.val();
        if self.follows.val() {
            self.open.d.next = !self.stops.val();
            self.beats.d.next = self.beats.q.val() - 1;
            self.tail_next.d.next = self.beats.q.val() == 2;
            self.words_left.d.next = self.words_left.q.val() - 1;
            self.one_word.d.next = self.words_left.q.val() == 2;
            self.more_words.d.next = self.left_over.val();
        }
        if self.begins.val() {
            self.open.d.next = !self.stops.val();
            self.beats.d.next = self.tail_beat.val();
            self.tail_next.d.next = self.tail_beat.val() == 1;
            self.slot.d.next = self.tail_slot.val();
            self.sized.d.next = !self.without_len.val();
            self.len.d.next = self.header.val().get_bits::<LEN_BITS>(36);
            self.words_left.d.next = self.words.val();
            self.more_words.d.next = self.words.val().any();
            self.one_word.d.next = self.words.val() == 1;
            self.last_bytes.d.next = self.bytes.val();
        }
        if self.begins.val() | self.follows.val() {
            self.is_marked.d.next = self.next_marked.val();
            self.mark.d.next = self.next_mark.val();
        }
        self.event_stray.d.next =
            self.counts.val() & !self.opens.val() & !self.open.q.val() & !self.clear.val();
        if self.clear.val() {
            self.open.d.next = false;
            self.flush.d.next = false;
            self.end_valid.d.next = false;
        }

        self.starts.next = self.begins.val();
        self.goes_on.next = self.follows.val();
        self.ends.next = self.stops.val();
        self.spoils.next = self.breaks.val();

        // The copy of the length, too late for the beat.
        self.ended.next = self.end_valid.q.val();
        self.by_tail.next = self.end_tail.q.val();
        self.bad.next = self.end_bad.q.val();
        self.bad_reason.next = self.end_reason.q.val();
        if !self.end_bad.q.val()
            & self.end_tail.q.val()
            & self.end_sized.q.val()
            & (self.end_len2.q.val() != self.len.q.val())
        {
            self.bad.next = true;
            self.bad_reason.next = self.protocol.val();
        }
        self.stray.next = self.event_stray.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_follower", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const BYTES_W: usize] PacketFollower<F, BYTES_W> {
    clock, clear, counts, opens, illegal, closes, is_tail, len2, is_bad, reason, header, without_len, words, tail_beat,
    tail_slot, bytes, starts, goes_on, ends, spoils, word, flushes, last_word, word_bytes, ended, by_tail, bad, bad_reason, stray,
});

const _: () = assert!(head::len::LOW == 36);
