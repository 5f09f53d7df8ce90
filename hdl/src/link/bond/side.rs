//! Sideband messages of several ports as those of one.

use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link::{sideband_message, SIDEBAND_PLACE_BITS};

const MESSAGE_BITS: usize = sideband_message::WIDTH;

/// Collects the messages of `B` ports, 2 bits per LTP, and gives them on as four clocks each; see the [module](super).
///
/// A port's messages are at least 16 clocks apart (four LTPs of 16 / F beats), four clocks for each of up to four ports: a message
/// that waits is gone before the next one of its port is complete.
#[derive(LogicBlock)]
pub struct BondSide<const B: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Drops what is collected and what waits.
    pub clear: Signal<In, Bit>,
    /// Sideband of an accepted LTP of each port.
    pub side_in: [FlowIn<Bits<2>>; B],
    /// With it: the LTP's sequence number mod 4.
    pub side_in_place: [Signal<In, Bits<SIDEBAND_PLACE_BITS>>; B],
    /// Messages, 2 bits per clock.
    pub side_out: FlowOut<Bits<2>>,
    /// With them: place in the message.
    pub side_place: Signal<Out, Bits<SIDEBAND_PLACE_BITS>>,
    collected: [DFF<Bits<MESSAGE_BITS>>; B],
    waiting: [DFF<Bits<MESSAGE_BITS>>; B],
    waits: [DFF<Bit>; B],
    current: DFF<Bits<MESSAGE_BITS>>,
    busy: DFF<Bit>,
    place: DFF<Bits<SIDEBAND_PLACE_BITS>>,
    two: Signal<Local, Bits<2>>,
    shifted: Signal<Local, Bits<MESSAGE_BITS>>,
    message: Signal<Local, Bits<MESSAGE_BITS>>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl<const B: usize> Default for BondSide<B> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            side_in: defaults(),
            side_in_place: defaults(),
            side_out: Default::default(),
            side_place: Default::default(),
            collected: defaults(),
            waiting: defaults(),
            waits: defaults(),
            current: Default::default(),
            busy: Default::default(),
            place: Default::default(),
            two: Default::default(),
            shifted: Default::default(),
            message: Default::default(),
            free: Default::default(),
            takes: Default::default(),
        }
    }
}

impl<const B: usize> Logic for BondSide<B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, current, busy, place);
        // The message that goes out.
        self.free.next = !self.busy.q.val() | self.place.q.val().all();
        if self.busy.q.val() {
            self.place.d.next = self.place.q.val() + 1;
            self.current.d.next = self.current.q.val() >> 2;
        }
        if self.free.val() {
            self.busy.d.next = false;
        }
        self.takes.next = self.free.val();
        for i in 0..B {
            self.collected[i].clock.next = self.clock.val();
            self.waiting[i].clock.next = self.clock.val();
            self.waits[i].clock.next = self.clock.val();
            self.collected[i].d.next = self.collected[i].q.val();
            self.waiting[i].d.next = self.waiting[i].q.val();
            self.waits[i].d.next = self.waits[i].q.val();
            // The lowest port first.
            if self.takes.val() & self.waits[i].q.val() {
                self.current.d.next = self.waiting[i].q.val();
                self.busy.d.next = true;
                self.waits[i].d.next = false;
            }
            self.takes.next = self.takes.val() & !self.waits[i].q.val();

            // LTPs come in order: four of them shift a message in.
            self.two.next = self.side_in[i].data.val();
            self.shifted.next = self.collected[i].q.val() >> 2;
            self.message.next = (bit_cast::<MESSAGE_BITS, 2>(self.two.val()) << 6) | self.shifted.val();
            if self.side_in[i].valid.val() {
                self.collected[i].d.next = self.message.val();
                if self.side_in_place[i].val().all() & self.message.val().any() {
                    self.waiting[i].d.next = self.message.val();
                    self.waits[i].d.next = true;
                }
            }
            if self.clear.val() {
                self.collected[i].d.next = 0.into();
                self.waits[i].d.next = false;
            }
        }
        if self.clear.val() {
            self.busy.d.next = false;
            self.place.d.next = 0.into();
        }
        self.side_out.valid.next = self.busy.q.val();
        self.side_out.data.next = self.current.q.val().get_bits::<2>(0);
        self.side_place.next = self.place.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bond_side", &[("links", B.to_string())])
    }
}

drive_ports!(impl[const B: usize] BondSide<B> { clock, clear, side_in, side_in_place, side_out, side_place });
