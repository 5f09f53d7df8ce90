//! The ends of packets, one per clock.

use crate::fabric::packet::END_BITS;
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::packet_end;

/// Lets the ends of packets of `N` lanes pass, one of all lanes per clock, and counts them: counters take one event per clock. Of those that
/// wait the lowest lane goes. Latency 1 clock.
#[derive(LogicBlock)]
pub struct FabEnds<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing waits.
    pub clear: Signal<In, Bit>,
    /// Ends by lane.
    pub ends_in: [StreamIn<Bits<END_BITS>>; N],
    /// The same.
    pub ends_out: [StreamOut<Bits<END_BITS>>; N],
    /// Event: a good packet has ended (PKT_GOOD).
    pub good: Signal<Out, Bit>,
    /// Event: a bad packet has ended (PKT_BAD).
    pub bad: Signal<Out, Bit>,

    held: [DFF<Bits<END_BITS>>; N],
    there: DFF<Bits<N>>,
    good_event: DFF<Bit>,
    bad_event: DFF<Bit>,
    next_there: Signal<Local, Bits<N>>,
    taken: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    end: Signal<Local, Bits<END_BITS>>,
}

impl<const N: usize> Default for FabEnds<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            ends_in: defaults(),
            ends_out: defaults(),
            good: Default::default(),
            bad: Default::default(),
            held: defaults(),
            there: Default::default(),
            good_event: Default::default(),
            bad_event: Default::default(),
            next_there: Default::default(),
            taken: Default::default(),
            goes: Default::default(),
            end: Default::default(),
        }
    }
}

impl<const N: usize> Logic for FabEnds<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there, good_event, bad_event);
        self.taken.next = self.clear.val();
        self.next_there.next = self.there.q.val();
        self.good_event.d.next = false;
        self.bad_event.d.next = false;
        for v in 0..N {
            self.held[v].clock.next = self.clock.val();
            self.held[v].d.next = self.held[v].q.val();
            self.goes.next =
                !self.taken.val() & (!self.there.q.val().get_bit(v) | self.ends_out[v].ready.val());
            self.end.next = self.ends_in[v].data.val();
            if self.ends_out[v].ready.val() {
                self.next_there.next = self.next_there.val().replace_bit(v, false);
            }
            self.ends_in[v].ready.next = self.goes.val();
            if self.goes.val() & self.ends_in[v].valid.val() {
                self.held[v].d.next = self.end.val();
                self.next_there.next = self.next_there.val().replace_bit(v, true);
                self.good_event.d.next = self.end.val().get_bit(24);
                self.bad_event.d.next = !self.end.val().get_bit(24);
                self.taken.next = true;
            }
            self.ends_out[v].data.next = self.held[v].q.val();
            self.ends_out[v].valid.next = self.there.q.val().get_bit(v);
        }
        self.there.d.next = self.next_there.val();
        if self.clear.val() {
            self.there.d.next = 0.into();
        }
        self.good.next = self.good_event.q.val();
        self.bad.next = self.bad_event.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_ends", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] FabEnds<N> { clock, clear, ends_in, ends_out, good, bad });

const _: () = assert!(packet_end::good::LOW == 24);
