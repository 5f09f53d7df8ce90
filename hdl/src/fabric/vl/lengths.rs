//! Whether a packet is as long as its head said.

use super::kinds::VL_BITS;
use crate::fabric::packet::{COUNT_BITS, LEN_BITS};
use crate::prim::ram::LutRam;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of what is kept of a packet: length, beats to its Tail, sized, slot of the Tail.
const RECORD_BITS: usize = 31;
const LEFT_LOW: usize = LEN_BITS;
const SIZED_LOW: usize = LEFT_LOW + COUNT_BITS;
const SLOT_LOW: usize = SIZED_LOW + 1;

/// The length of the packet in progress of each lane, in LUT RAM. What is said of a beat is said in its own clock, and counts for a Tail.
#[derive(LogicBlock)]
pub struct VlLengths<const F: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The beat counts on this edge.
    pub step: Signal<In, Bit>,
    /// Its lane.
    pub number: Signal<In, Bits<VL_BITS>>,
    /// It begins a packet.
    pub opens: Signal<In, Bit>,
    /// With `opens`: the length.
    pub len: Signal<In, Bits<LEN_BITS>>,
    /// With `opens`: beats from here to the Tail's.
    pub tail_beat: Signal<In, Bits<COUNT_BITS>>,
    /// With `opens`: slot of the Tail.
    pub tail_slot: Signal<In, Bits<F>>,
    /// With `opens`: the length counts.
    pub sized: Signal<In, Bit>,
    /// Slots with a Tail or TailBad.
    pub closes: Signal<In, Bits<F>>,
    /// A Tail's copy of the length.
    pub len2: Signal<In, Bits<LEN_BITS>>,
    /// The Tail's copy is not the length of its packet.
    pub len_wrong: Signal<Out, Bit>,
    /// The Tail is not where the packet's length says.
    pub place_wrong: Signal<Out, Bit>,

    memory: LutRam<Bits<RECORD_BITS>, VL_BITS>,
    record: Signal<Local, Bits<RECORD_BITS>>,
    len_now: Signal<Local, Bits<LEN_BITS>>,
    left: Signal<Local, Bits<COUNT_BITS>>,
    sized_now: Signal<Local, Bit>,
    slot: Signal<Local, Bits<F>>,
    on_tail: Signal<Local, Bit>,
    next_left: Signal<Local, Bits<COUNT_BITS>>,
    next_slot: Signal<Local, Bits<F>>,
    one: Constant<Bits<COUNT_BITS>>,
    no_slot: Constant<Bits<F>>,
}

impl<const F: usize> Default for VlLengths<F> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            step: Default::default(),
            number: Default::default(),
            opens: Default::default(),
            len: Default::default(),
            tail_beat: Default::default(),
            tail_slot: Default::default(),
            sized: Default::default(),
            closes: Default::default(),
            len2: Default::default(),
            len_wrong: Default::default(),
            place_wrong: Default::default(),
            memory: Default::default(),
            record: Default::default(),
            len_now: Default::default(),
            left: Default::default(),
            sized_now: Default::default(),
            slot: Default::default(),
            on_tail: Default::default(),
            next_left: Default::default(),
            next_slot: Default::default(),
            one: Constant::new(1.into()),
            no_slot: Constant::new(Bits::default()),
        }
    }
}

impl<const F: usize> Logic for VlLengths<F> {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.clock.next = self.clock.val();
        self.memory.read_address.next = self.number.val();
        self.record.next = self.memory.read_data.val();

        // What is known of the packet: from its head in this beat, or kept.
        self.len_now.next = self.record.val().get_bits::<LEN_BITS>(0);
        self.left.next = self.record.val().get_bits::<COUNT_BITS>(14);
        self.sized_now.next = self.record.val().get_bit(26);
        self.slot.next = self.record.val().get_bits::<F>(27);
        if self.opens.val() {
            self.len_now.next = self.len.val();
            self.left.next = self.tail_beat.val();
            self.sized_now.next = self.sized.val();
            self.slot.next = self.tail_slot.val();
        }
        self.on_tail.next = !self.left.val().any();
        self.len_wrong.next = self.sized_now.val() & (self.len_now.val() != self.len2.val());
        self.place_wrong.next =
            self.sized_now.val() & (!self.on_tail.val() | (self.slot.val() != self.closes.val()));

        // What is kept of it. Behind the place of its Tail there is no slot where a Tail would be right.
        self.next_left.next = self.left.val() - self.one.val();
        self.next_slot.next = self.slot.val();
        if self.on_tail.val() {
            self.next_slot.next = self.no_slot.val();
        }
        self.memory.write_enable.next = self.step.val();
        self.memory.write_address.next = self.number.val();
        self.memory.write_data.next = bit_cast::<RECORD_BITS, LEN_BITS>(self.len_now.val())
            | (bit_cast::<RECORD_BITS, COUNT_BITS>(self.next_left.val()) << 14)
            | (bit_cast::<RECORD_BITS, 1>(self.sized_now.val().into()) << 26)
            | (bit_cast::<RECORD_BITS, F>(self.next_slot.val()) << 27);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_lengths", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize] VlLengths<F> {
    clock, step, number, opens, len, tail_beat, tail_slot, sized, closes, len2, len_wrong, place_wrong,
});

const _: () = assert!(LEFT_LOW == 14 && SIZED_LOW == 26 && SLOT_LOW == 27 && RECORD_BITS == SLOT_LOW + 4);
