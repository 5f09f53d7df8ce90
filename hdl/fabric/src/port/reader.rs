//! What leaves the buffer of a virtual lane.

use crate::credit::PLACE_BITS;
use crate::switch::word::bad_end;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::BadReason;

/// Bits of a buffer's word below its beat: it begins a packet (0), it ends one (1).
pub const MARK_BITS: usize = 2;

/// Reads the buffer of one lane, says when an AU is empty, and ends packets that the link has lost with a TailBad of reason 1. Such a packet
/// is known by the head that follows it, or by an empty buffer after a start: its end takes no room there. Combinational but for
/// `released`, which comes two clocks after its beat. `FLITS_W` = 65 `F`, `W` = `FLITS_W` + 2.
#[block("fab_reader", new, bits = FLITS_W)]
pub struct FabReader<const FLITS_W: usize, const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No packet has begun.
    clear: In<Bit>,
    /// Beats of an AU, less one.
    last_place: In<Bits<PLACE_BITS>>,
    /// A word is stored on this edge.
    stored: In<Bit>,
    /// Its marks.
    stored_marks: In<Bits<MARK_BITS>>,
    /// The link starts afresh: what is stored from now on does not go on with a packet.
    severs: In<Bit>,
    /// Nothing is read.
    stops: In<Bit>,
    /// The buffer is being emptied.
    empties: In<Bit>,
    /// The buffer's first word.
    pub front: StreamIn<Bits<W>>,
    /// There is none, and none on its way to the front.
    empty: In<Bit>,
    /// Beats, packet for packet.
    pub beats_out: StreamOut<Bits<FLITS_W>>,
    /// An AU is empty.
    released: Out<Bit>,

    /// A packet has begun: at the end that is written, at the end that is read.
    writing: Reg<Bit>,
    reading: Reg<Bit>,
    /// The last packet written has been cut by a start, and no other has come.
    severed: Reg<Bit>,
    cutting: Reg<Bit>,
    place: Reg<Bits<PLACE_BITS>>,
    frees: Reg<Bit>,
    freed: Reg<Bit>,

    made: Constant<Bits<FLITS_W>>,
    #[init(1)]
    one: Constant<Bits<PLACE_BITS>>,
}

#[logic]
impl<const FLITS_W: usize, const W: usize> FabReader<FLITS_W, W> {
    /// The reader of lane `vl`.
    pub fn new(vl: usize) -> Self {
        Self { made: Constant::new(bad_end(vl, BadReason::InputLinkDown, 0)), .. }
    }

    fn update(&mut self) {
        let word = front.data;
        let beat = word >> 2;
        let opens = word[0];
        let ends = word[1];

        // A packet whose end does not come.
        let cut_due = reading & !cutting & ((front.valid & opens) | (empty & severed));
        let passes = front.valid & !cutting & !stops & !(reading & opens);
        beats_out = In { valid: cutting | passes, data: bit_cast::<FLITS_W, W>(beat) };
        if cutting {
            beats_out.data = made;
        }
        let moved = passes & beats_out.ready;
        let cut_moved = cutting & beats_out.ready;
        front.ready = moved;

        // How far its packet is, and the AU.
        frees = false;
        if moved {
            reading = !ends;
            place = place + one;
            if ends | (place == last_place) {
                place = 0;
                frees = true;
            }
        }
        if cut_moved {
            reading = false;
            cutting = false;
            place = 0;
            frees = place.any();
        }
        if empties {
            place = 0;
            frees = false;
        }
        // Not before the AU has been counted as filled.
        freed = frees & !empties;
        released = freed;

        // What is cut.
        if cut_due {
            cutting = true;
            severed = false;
        }
        if severs {
            severed = severed | writing;
            writing = false;
        }
        if stored {
            writing = !stored_marks[1];
            if stored_marks[0] {
                severed = false;
            }
        }
        if clear {
            writing = false;
            reading = false;
            severed = false;
            cutting = false;
            place = 0;
            frees = false;
            freed = false;
        }
    }
}

const _: () = assert!(MARK_BITS == 2);
