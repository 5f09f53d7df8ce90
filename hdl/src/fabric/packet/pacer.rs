//! The sender's pace: which beat is sent, and when a word of payload is taken.

use super::shape::COUNT_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Counts beats and words of the current packet, and finds sources that do not keep to their header.
///
/// Flags of the counters are registers: a packet is taken over by `take` with all of them.
#[derive(LogicBlock, Default)]
pub struct PacketPacer<const F: usize, const BYTES_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets the packet.
    pub clear: Signal<In, Bit>,
    /// A packet waits at the door: its words, its Tail's beat and slot, whether it is refused.
    pub waiting: Signal<In, Bit>,
    /// See `waiting`.
    pub next_words: Signal<In, Bits<COUNT_BITS>>,
    /// See `waiting`.
    pub next_beat: Signal<In, Bits<COUNT_BITS>>,
    /// See `waiting`.
    pub next_slot: Signal<In, Bits<F>>,
    /// See `waiting`.
    pub next_refused: Signal<In, Bit>,
    /// Takes the packet from the door.
    pub take: Signal<Out, Bit>,
    /// A word of payload is there.
    pub word_valid: Signal<In, Bit>,
    /// It says that it is the last.
    pub word_last: Signal<In, Bit>,
    /// It says how many bytes it has.
    pub word_bytes: Signal<In, Bits<BYTES_W>>,
    /// Bytes the packet's last word has.
    pub last_bytes: Signal<In, Bits<BYTES_W>>,
    /// The word is taken.
    pub word_ready: Signal<Out, Bit>,
    /// There is room for a beat.
    pub room: Signal<In, Bit>,
    /// A beat is made on this edge.
    pub step: Signal<Out, Bit>,
    /// It is the packet's first.
    pub first: Signal<Out, Bit>,
    /// It takes a word.
    pub with_word: Signal<Out, Bit>,
    /// The word is the packet's last.
    pub last_word: Signal<Out, Bit>,
    /// It is the packet's last: the Tail's slot.
    pub tail_slot: Signal<Out, Bits<F>>,
    /// With the Tail: the payload was not what the header said.
    pub wrong: Signal<Out, Bit>,
    /// With the Tail: the source gave the packet up.
    pub aborted: Signal<Out, Bit>,

    running: DFF<Bit>,
    draining: DFF<Bit>,
    is_first: DFF<Bit>,
    words: DFF<Bits<COUNT_BITS>>,
    beats: DFF<Bits<COUNT_BITS>>,
    slot: DFF<Bits<F>>,
    /// There are words to come; the next is the last.
    more_words: DFF<Bit>,
    one_word: DFF<Bit>,
    /// The next beat is the Tail's.
    tail_next: DFF<Bit>,
    was_wrong: DFF<Bit>,
    was_aborted: DFF<Bit>,
    overruns: DFF<Bit>,

    moves: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    early: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    miscounted: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
}

impl<const F: usize, const BYTES_W: usize> Logic for PacketPacer<F, BYTES_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, running, draining, is_first, words, beats, slot);
        dff_setup!(self, clock, more_words, one_word, tail_next, was_wrong, was_aborted, overruns);

        // A beat needs its word, if it has one; a packet that is drained needs words only.
        self.moves.next = self.running.q.val()
            & !self.draining.q.val()
            & self.room.val()
            & (self.word_valid.val() | !self.more_words.q.val());
        self.word_ready.next = self.running.q.val()
            & self.more_words.q.val()
            & (self.draining.q.val() | self.room.val())
            & !self.clear.val();
        self.taken.next = self.moves.val() & self.more_words.q.val();

        // What the source does is not what its header said.
        self.early.next = self.taken.val() & self.word_last.val() & !self.one_word.q.val();
        self.late.next = self.taken.val() & !self.word_last.val() & self.one_word.q.val();
        self.miscounted.next = self.taken.val()
            & self.word_last.val()
            & self.one_word.q.val()
            & (self.word_bytes.val() != self.last_bytes.val());

        // The packet ends, or is drained after its end. A word in the Tail's beat is the last one, or the packet goes on.
        self.closes.next =
            self.draining.q.val() | (self.room.val() & self.tail_next.q.val() & !self.overruns.q.val());
        self.done.next = self.running.q.val()
            & self.closes.val()
            & (!self.more_words.q.val() | (self.word_valid.val() & self.word_last.val()));
        self.loads.next = self.waiting.val() & (!self.running.q.val() | self.done.val());
        self.take.next = self.loads.val();

        if self.taken.val() {
            self.words.d.next = self.words.q.val() - 1;
            self.one_word.d.next = self.words.q.val() == 2;
            self.more_words.d.next = !self.one_word.q.val();
        }
        if self.moves.val() {
            self.is_first.d.next = false;
            self.beats.d.next = self.beats.q.val() - 1;
            self.tail_next.d.next = self.beats.q.val() == 1;
            if self.tail_next.q.val() {
                // It counts only for a packet whose source goes on; the others are done.
                self.draining.d.next = true;
                self.more_words.d.next = true;
            }
        }
        if self.late.val() {
            self.overruns.d.next = true;
        }
        if self.late.val() | self.miscounted.val() {
            self.was_wrong.d.next = true;
        }
        if self.early.val() {
            self.was_aborted.d.next = true;
            self.more_words.d.next = false;
            self.tail_next.d.next = true;
            self.slot.d.next = 1.into();
        }
        if self.done.val() {
            self.running.d.next = false;
        }
        if self.loads.val() {
            self.running.d.next = true;
            self.draining.d.next = self.next_refused.val();
            self.is_first.d.next = true;
            self.words.d.next = self.next_words.val();
            self.more_words.d.next = self.next_words.val().any();
            self.one_word.d.next = self.next_words.val() == 1;
            self.beats.d.next = self.next_beat.val();
            self.tail_next.d.next = !self.next_beat.val().any();
            self.slot.d.next = self.next_slot.val();
            self.was_wrong.d.next = false;
            self.was_aborted.d.next = false;
            self.overruns.d.next = false;
        }
        if self.clear.val() {
            self.running.d.next = false;
        }

        self.step.next = self.moves.val();
        self.first.next = self.is_first.q.val();
        self.with_word.next = self.more_words.q.val();
        self.last_word.next = self.one_word.q.val();
        self.tail_slot.next = 0.into();
        if self.tail_next.q.val() {
            self.tail_slot.next = self.slot.q.val();
        }
        self.wrong.next = self.was_wrong.q.val() | self.late.val() | self.miscounted.val();
        self.aborted.next = self.was_aborted.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_pacer", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const BYTES_W: usize] PacketPacer<F, BYTES_W> {
    clock, clear, waiting, next_words, next_beat, next_slot, next_refused, take, word_valid, word_last, word_bytes, last_bytes,
    word_ready, room, step, first, with_word, last_word, tail_slot, wrong, aborted,
});
