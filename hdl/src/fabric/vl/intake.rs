//! What of a lane the sender has taken.

use crate::prim::stream::StreamIn;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Two beats of a lane, taken with their credit; what the choice looks at are registers. They lie in two places in turn, so that the choice, which is
/// known late, decides one bit and not where a whole beat goes.
#[derive(LogicBlock)]
pub struct VlIntake<const FLITS_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is held.
    pub clear: Signal<In, Bit>,
    /// Beats of packets.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// The beat that is offered ends a packet.
    pub ends: Signal<In, Bit>,
    /// There is credit for the next beat.
    pub credit: Signal<In, Bit>,
    /// A beat is taken on this edge.
    pub takes: Signal<Out, Bit>,
    /// It ends a packet.
    pub takes_end: Signal<Out, Bit>,
    /// The first beat is there.
    pub offers: Signal<Out, Bit>,
    /// The first beat.
    pub beat: Signal<Out, Bits<FLITS_W>>,
    /// It ends a packet.
    pub closes: Signal<Out, Bit>,
    /// It goes on this edge.
    pub goes: Signal<In, Bit>,

    places: [Register<Bits<FLITS_W>>; 2],
    /// The next beat comes to place 1; the first beat lies there.
    comes_to: DFF<Bit>,
    lies_at: DFF<Bit>,
    first_closes: Register<Bit>,
    spare_closes: Register<Bit>,
    there: DFF<Bit>,
    spare_there: DFF<Bit>,
    /// A place is free.
    room: Register<Bit>,
    ready: Signal<Local, Bit>,
    transfer: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
}

impl<const FLITS_W: usize> Default for VlIntake<FLITS_W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            beats_in: Default::default(),
            ends: Default::default(),
            credit: Default::default(),
            takes: Default::default(),
            takes_end: Default::default(),
            offers: Default::default(),
            beat: Default::default(),
            closes: Default::default(),
            goes: Default::default(),
            places: defaults(),
            comes_to: Default::default(),
            lies_at: Default::default(),
            first_closes: Default::default(),
            spare_closes: Default::default(),
            there: Default::default(),
            spare_there: Default::default(),
            room: Register::new(true),
            ready: Default::default(),
            transfer: Default::default(),
            moves: Default::default(),
            keeps: Default::default(),
        }
    }
}

impl<const FLITS_W: usize> Logic for VlIntake<FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there, spare_there, comes_to, lies_at);
        clock!(self, clock, first_closes, spare_closes, room);
        self.ready.next = self.room.q.val() & self.credit.val() & !self.clear.val();
        self.transfer.next = self.beats_in.valid.val() & self.ready.val();
        self.moves.next = !self.there.q.val() | self.goes.val();
        self.keeps.next = !self.moves.val() & (self.transfer.val() | self.spare_there.q.val());

        // A free place may take what does not come.
        for i in 0..2 {
            self.places[i].clock.next = self.clock.val();
            self.places[i].clear.next = false;
            self.places[i].d.next = self.beats_in.data.val();
        }
        self.places[0].enable.next = self.room.q.val() & !self.comes_to.q.val();
        self.places[1].enable.next = self.room.q.val() & self.comes_to.q.val();
        self.comes_to.d.next = self.comes_to.q.val() ^ self.transfer.val();
        self.lies_at.d.next = self.lies_at.q.val() ^ self.goes.val();
        self.first_closes.clear.next = false;
        self.first_closes.enable.next = self.moves.val();
        self.first_closes.d.next = self.ends.val();
        if self.spare_there.q.val() {
            self.first_closes.d.next = self.spare_closes.q.val();
        }
        self.spare_closes.clear.next = false;
        self.spare_closes.enable.next = self.room.q.val();
        self.spare_closes.d.next = self.ends.val();
        if self.moves.val() {
            self.there.d.next = self.transfer.val() | self.spare_there.q.val();
        }
        self.spare_there.d.next = self.keeps.val();
        self.room.clear.next = self.clear.val();
        self.room.enable.next = true;
        self.room.d.next = !self.keeps.val();
        if self.clear.val() {
            self.there.d.next = false;
            self.spare_there.d.next = false;
            self.comes_to.d.next = false;
            self.lies_at.d.next = false;
        }

        self.beats_in.ready.next = self.ready.val();
        self.takes.next = self.transfer.val();
        self.takes_end.next = self.transfer.val() & self.ends.val();
        self.offers.next = self.there.q.val();
        self.beat.next = self.places[0].q.val();
        if self.lies_at.q.val() {
            self.beat.next = self.places[1].q.val();
        }
        self.closes.next = self.first_closes.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_intake", &[("width", FLITS_W.to_string())])
    }
}

drive_ports!(impl[const FLITS_W: usize] VlIntake<FLITS_W> {
    clock, clear, beats_in, ends, credit, takes, takes_end, offers, beat, closes, goes,
});
