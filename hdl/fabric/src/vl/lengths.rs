//! Whether a packet is as long as its head said.

use super::kinds::VL_BITS;
use crate::packet::{COUNT_BITS, LEN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;

/// Bits of what is kept of a packet: length, beats to its Tail, sized, slot of the Tail.
const RECORD_BITS: usize = 31;
const LEFT_LOW: usize = LEN_BITS;
const SIZED_LOW: usize = LEFT_LOW + COUNT_BITS;
const SLOT_LOW: usize = SIZED_LOW + 1;

/// The length of the packet in progress of each lane, in LUT RAM. What is said of a beat is said in its own clock, and counts for a Tail.
#[block("vl_lengths", f = F)]
pub struct VlLengths<const F: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The beat counts on this edge.
    step: In<Bit>,
    /// Its lane.
    number: In<Bits<VL_BITS>>,
    /// It begins a packet.
    opens: In<Bit>,
    /// With `opens`: the length.
    len: In<Bits<LEN_BITS>>,
    /// With `opens`: beats from here to the Tail's.
    tail_beat: In<Bits<COUNT_BITS>>,
    /// With `opens`: slot of the Tail.
    tail_slot: In<Bits<F>>,
    /// With `opens`: the length counts.
    sized: In<Bit>,
    /// Slots with a Tail or TailBad.
    closes: In<Bits<F>>,
    /// A Tail's copy of the length.
    len2: In<Bits<LEN_BITS>>,
    /// The Tail's copy is not the length of its packet.
    len_wrong: Out<Bit>,
    /// The Tail is not where the packet's length says.
    place_wrong: Out<Bit>,

    #[wire(clock, write_enable = step)]
    memory: LutRam<Bits<RECORD_BITS>, VL_BITS>,
    #[init(1)]
    one: Constant<Bits<COUNT_BITS>>,
    #[init(0)]
    no_slot: Constant<Bits<F>>,
}

#[logic]
impl<const F: usize> VlLengths<F> {
    fn update(&mut self) {
        memory.read_address = number;
        let record = memory.read_data;

        // What is known of the packet: from its head in this beat, or kept.
        let mut len_now = record.bits::<LEN_BITS>(0);
        let mut left = record.bits::<COUNT_BITS>(14);
        let mut sized_now = record[26];
        let mut slot = record.bits::<F>(27);
        if opens {
            len_now = len;
            left = tail_beat;
            sized_now = sized;
            slot = tail_slot;
        }
        let on_tail = !left.any();
        len_wrong = sized_now & (len_now != len2);
        place_wrong = sized_now & (!on_tail | (slot != closes));

        // What is kept of it. Behind the place of its Tail there is no slot where a Tail would be right.
        let next_left = left - one;
        let mut next_slot = slot;
        if on_tail {
            next_slot = no_slot;
        }
        memory.write_address = number;
        memory.write_data = bit_cast::<RECORD_BITS, LEN_BITS>(len_now)
            | (bit_cast::<RECORD_BITS, COUNT_BITS>(next_left) << 14)
            | (bit_cast::<RECORD_BITS, 1>(sized_now.into()) << 26)
            | (bit_cast::<RECORD_BITS, F>(next_slot) << 27);
    }
}

const _: () = assert!(LEFT_LOW == 14 && SIZED_LOW == 26 && SLOT_LOW == 27 && RECORD_BITS == SLOT_LOW + 4);
