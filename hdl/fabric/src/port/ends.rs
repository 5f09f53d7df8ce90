//! The ends of packets, one per clock.

use crate::packet::END_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::packet_end;

/// Lets the ends of packets of `N` lanes pass, one of all lanes per clock, and counts them: counters take one event per clock. Of those that
/// wait the lowest lane goes. Latency 1 clock.
#[block("fab_ends", lanes = N)]
pub struct FabEnds<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing waits.
    clear: In<Bit>,
    /// Ends by lane.
    pub ends_in: [StreamIn<Bits<END_BITS>>; N],
    /// The same.
    pub ends_out: [StreamOut<Bits<END_BITS>>; N],
    /// Event: a good packet has ended (PKT_GOOD).
    good: Out<Bit>,
    /// Event: a bad packet has ended (PKT_BAD).
    bad: Out<Bit>,

    #[wire(d = _)]
    held: [Reg<Bits<END_BITS>>; N],
    there: Reg<Bits<N>>,
    good_event: Reg<Bit>,
    bad_event: Reg<Bit>,
    next_there: Local<Bits<N>>,
    taken: Local<Bit>,
    goes: Local<Bit>,
    end: Local<Bits<END_BITS>>,
}

#[logic]
impl<const N: usize> FabEnds<N> {
    fn update(&mut self) {
        taken = clear;
        next_there = there;
        good_event = false;
        bad_event = false;
        for v in 0..N {
            held[v] = held[v];
            goes = !taken & (!there[v] | ends_out[v].ready);
            end = ends_in[v].data;
            if ends_out[v].ready {
                next_there = next_there.with(v, false);
            }
            ends_in[v].ready = goes;
            if goes & ends_in[v].valid {
                held[v] = end;
                next_there = next_there.with(v, true);
                good_event = end[24];
                bad_event = !end[24];
                taken = true;
            }
            ends_out[v] = In { data: held[v], valid: there[v] };
        }
        there = next_there;
        if clear {
            there = 0;
        }
        good = good_event;
        bad = bad_event;
    }
}

const _: () = assert!(packet_end::good::LOW == 24);
