//! What of a lane the sender has taken.

use flitforge_hdl_prim::prelude::*;

/// Two beats of a lane, taken with their credit; what the choice looks at are registers. They lie in two places in turn, so that the choice, which is
/// known late, decides one bit and not where a whole beat goes.
#[block("vl_ingress", width = FLITS_W)]
pub struct VlIngress<const FLITS_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is held.
    clear: In<Bit>,
    /// Beats of packets.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// The beat that is offered ends a packet.
    ends: In<Bit>,
    /// There is credit for the next beat.
    credit: In<Bit>,
    /// A beat is taken on this edge.
    takes: Out<Bit>,
    /// It ends a packet.
    takes_end: Out<Bit>,
    /// The first beat is there.
    offers: Out<Bit>,
    /// The first beat.
    beat: Out<Bits<FLITS_W>>,
    /// It ends a packet.
    closes: Out<Bit>,
    /// It goes on this edge.
    goes: In<Bit>,

    places: [Register<Bits<FLITS_W>>; 2],
    /// The next beat comes to place 1; the first beat lies there.
    comes_to: Reg<Bit>,
    lies_at: Reg<Bit>,
    #[wire(clear = false)]
    first_closes: Register<Bit>,
    #[wire(clear = false)]
    spare_closes: Register<Bit>,
    there: Reg<Bit>,
    spare_there: Reg<Bit>,
    /// A place is free.
    #[init(true)]
    room: Register<Bit>,
}

#[logic]
impl<const FLITS_W: usize> VlIngress<FLITS_W> {
    fn update(&mut self) {
        let ready = room & credit & !clear;
        let transfer = beats_in.valid & ready;
        let moves = !there | goes;
        let keeps = !moves & (transfer | spare_there);

        // A free place may take what does not come.
        for i in 0..2 {
            places[i].clear = false;
            places[i] = beats_in.data;
        }
        places[0].enable = room & !comes_to;
        places[1].enable = room & comes_to;
        comes_to = comes_to ^ transfer;
        lies_at = lies_at ^ goes;
        first_closes.enable = moves;
        first_closes = ends;
        if spare_there {
            first_closes = spare_closes;
        }
        spare_closes.enable = room;
        spare_closes = ends;
        if moves {
            there = transfer | spare_there;
        }
        spare_there = keeps;
        room = !keeps;
        if clear {
            there = false;
            spare_there = false;
            comes_to = false;
            lies_at = false;
        }

        beats_in.ready = ready;
        takes = transfer;
        takes_end = transfer & ends;
        offers = there;
        beat = places[0];
        if lies_at {
            beat = places[1];
        }
        closes = first_closes;
    }
}
