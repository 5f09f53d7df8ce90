//! What leaves the buffer of a virtual lane.

use crate::fabric::credit::PLACE_BITS;
use crate::fabric::switch::word::bad_end;
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::BadReason;

/// Bits of a buffer's word below its beat: it begins a packet (0), it ends one (1).
pub const MARK_BITS: usize = 2;

/// Reads the buffer of one lane, says when an AU is empty, and ends packets that the link has lost with a TailBad of reason 1. Such a packet
/// is known by the head that follows it, or by an empty buffer behind a start: its end takes no room there. Combinational but for
/// `released`, which comes two clocks behind its beat. `FLITS_W` = 65 `F`, `W` = `FLITS_W` + 2.
#[derive(LogicBlock)]
pub struct FabReader<const FLITS_W: usize, const W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No packet has begun.
    pub clear: Signal<In, Bit>,
    /// Beats of an AU, less one.
    pub last_place: Signal<In, Bits<PLACE_BITS>>,
    /// A word is stored on this edge.
    pub stored: Signal<In, Bit>,
    /// Its marks.
    pub stored_marks: Signal<In, Bits<MARK_BITS>>,
    /// The link starts afresh: what is stored from now on does not go on with a packet.
    pub severs: Signal<In, Bit>,
    /// Nothing is read.
    pub stops: Signal<In, Bit>,
    /// The buffer is being emptied.
    pub empties: Signal<In, Bit>,
    /// The buffer's first word.
    pub front: StreamIn<Bits<W>>,
    /// There is none, and none on its way to the front.
    pub empty: Signal<In, Bit>,
    /// Beats, packet for packet.
    pub beats_out: StreamOut<Bits<FLITS_W>>,
    /// An AU is empty.
    pub released: Signal<Out, Bit>,

    /// A packet has begun: at the end that is written, at the end that is read.
    writing: DFF<Bit>,
    reading: DFF<Bit>,
    /// The last packet written has been cut by a start, and no other has come.
    severed: DFF<Bit>,
    cutting: DFF<Bit>,
    place: DFF<Bits<PLACE_BITS>>,
    frees: DFF<Bit>,
    freed: DFF<Bit>,

    word: Signal<Local, Bits<W>>,
    beat: Signal<Local, Bits<W>>,
    opens: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    cut_due: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
    cut_moved: Signal<Local, Bit>,
    made: Constant<Bits<FLITS_W>>,
    one: Constant<Bits<PLACE_BITS>>,
}

impl<const FLITS_W: usize, const W: usize> FabReader<FLITS_W, W> {
    /// The reader of lane `vl`.
    pub fn new(vl: usize) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            last_place: Default::default(),
            stored: Default::default(),
            stored_marks: Default::default(),
            severs: Default::default(),
            stops: Default::default(),
            empties: Default::default(),
            front: Default::default(),
            empty: Default::default(),
            beats_out: Default::default(),
            released: Default::default(),
            writing: Default::default(),
            reading: Default::default(),
            severed: Default::default(),
            cutting: Default::default(),
            place: Default::default(),
            frees: Default::default(),
            freed: Default::default(),
            word: Default::default(),
            beat: Default::default(),
            opens: Default::default(),
            ends: Default::default(),
            cut_due: Default::default(),
            passes: Default::default(),
            moved: Default::default(),
            cut_moved: Default::default(),
            made: Constant::new(bad_end(vl, BadReason::InputLinkDown, 0)),
            one: Constant::new(1.into()),
        }
    }
}

impl<const FLITS_W: usize, const W: usize> Logic for FabReader<FLITS_W, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, writing, reading, severed, cutting, place, frees, freed);
        self.word.next = self.front.data.val();
        self.beat.next = self.word.val() >> 2;
        self.opens.next = self.word.val().get_bit(0);
        self.ends.next = self.word.val().get_bit(1);

        // A packet whose end does not come.
        self.cut_due.next = self.reading.q.val()
            & !self.cutting.q.val()
            & ((self.front.valid.val() & self.opens.val()) | (self.empty.val() & self.severed.q.val()));
        self.passes.next = self.front.valid.val()
            & !self.cutting.q.val()
            & !self.stops.val()
            & !(self.reading.q.val() & self.opens.val());
        self.beats_out.valid.next = self.cutting.q.val() | self.passes.val();
        self.beats_out.data.next = bit_cast::<FLITS_W, W>(self.beat.val());
        if self.cutting.q.val() {
            self.beats_out.data.next = self.made.val();
        }
        self.moved.next = self.passes.val() & self.beats_out.ready.val();
        self.cut_moved.next = self.cutting.q.val() & self.beats_out.ready.val();
        self.front.ready.next = self.moved.val();

        // How far its packet is, and the AU.
        self.frees.d.next = false;
        if self.moved.val() {
            self.reading.d.next = !self.ends.val();
            self.place.d.next = self.place.q.val() + self.one.val();
            if self.ends.val() | (self.place.q.val() == self.last_place.val()) {
                self.place.d.next = 0.into();
                self.frees.d.next = true;
            }
        }
        if self.cut_moved.val() {
            self.reading.d.next = false;
            self.cutting.d.next = false;
            self.place.d.next = 0.into();
            self.frees.d.next = self.place.q.val().any();
        }
        if self.empties.val() {
            self.place.d.next = 0.into();
            self.frees.d.next = false;
        }
        // Not before the AU has been counted as filled.
        self.freed.d.next = self.frees.q.val() & !self.empties.val();
        self.released.next = self.freed.q.val();

        // What is cut.
        if self.cut_due.val() {
            self.cutting.d.next = true;
            self.severed.d.next = false;
        }
        if self.severs.val() {
            self.severed.d.next = self.severed.q.val() | self.writing.q.val();
            self.writing.d.next = false;
        }
        if self.stored.val() {
            self.writing.d.next = !self.stored_marks.val().get_bit(1);
            if self.stored_marks.val().get_bit(0) {
                self.severed.d.next = false;
            }
        }
        if self.clear.val() {
            self.writing.d.next = false;
            self.reading.d.next = false;
            self.severed.d.next = false;
            self.cutting.d.next = false;
            self.place.d.next = 0.into();
            self.frees.d.next = false;
            self.freed.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_reader", &[("bits", FLITS_W.to_string())])
    }
}

drive_ports!(impl[const FLITS_W: usize, const W: usize] FabReader<FLITS_W, W> {
    clock, clear, last_place, stored, stored_marks, severs, stops, empties, front, empty, beats_out, released,
});

const _: () = assert!(MARK_BITS == 2);
