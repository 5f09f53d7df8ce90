//! What a length says about the packet that has it.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::{head, BYTES_PER_BODY};

/// Bits of a `len`.
pub const LEN_BITS: usize = head::len::WIDTH;
/// Bits that count beats, words and flits of the longest `len` there is room for.
pub const COUNT_BITS: usize = 12;

/// Beats and words of a packet of `len` bytes at `F` flits per beat; `BYTES_W` bits count a word's bytes. Combinational.
#[derive(LogicBlock)]
pub struct PacketShape<const F: usize, const BYTES_W: usize> {
    /// Payload bytes.
    pub len: Signal<In, Bits<LEN_BITS>>,
    /// Words of payload.
    pub words: Signal<Out, Bits<COUNT_BITS>>,
    /// Number of the Tail's beat, from 0.
    pub tail_beat: Signal<Out, Bits<COUNT_BITS>>,
    /// The Tail's slot, one bit per slot.
    pub tail_slot: Signal<Out, Bits<F>>,
    /// Bytes of the last word.
    pub bytes: Signal<Out, Bits<BYTES_W>>,
    ahead: Signal<Local, Bits<COUNT_BITS>>,
    tail_place: Signal<Local, Bits<COUNT_BITS>>,
    tail_rest: Signal<Local, Bits<COUNT_BITS>>,
    whole: Signal<Local, Bits<LEN_BITS>>,
    rest: Signal<Local, Bits<LEN_BITS>>,
    whole_words: Signal<Local, Bits<COUNT_BITS>>,
    slots: Signal<Local, Bits<F>>,
    none: Constant<Bits<F>>,
    one: Constant<Bits<COUNT_BITS>>,
    two: Constant<Bits<COUNT_BITS>>,
    word_bytes: Constant<Bits<BYTES_W>>,
    byte_mask: Constant<Bits<LEN_BITS>>,
    word_shift: Constant<Bits<4>>,
    slot_mask: Constant<Bits<COUNT_BITS>>,
    slot_shift: Constant<Bits<4>>,
    slot_number: Vec<Constant<Bits<COUNT_BITS>>>,
}

impl<const F: usize, const BYTES_W: usize> Default for PacketShape<F, BYTES_W> {
    fn default() -> Self {
        let bytes = BYTES_PER_BODY * F;
        Self {
            len: Default::default(),
            words: Default::default(),
            tail_beat: Default::default(),
            tail_slot: Default::default(),
            bytes: Default::default(),
            ahead: Default::default(),
            tail_place: Default::default(),
            tail_rest: Default::default(),
            whole: Default::default(),
            rest: Default::default(),
            whole_words: Default::default(),
            slots: Default::default(),
            none: Constant::new(Bits::default()),
            one: Constant::new(1.into()),
            two: Constant::new(2.into()),
            word_bytes: Constant::new((bytes as u64).into()),
            byte_mask: Constant::new((bytes as u64 - 1).into()),
            word_shift: Constant::new(u64::from(bytes.ilog2()).into()),
            slot_mask: Constant::new((F as u64 - 1).into()),
            slot_shift: Constant::new(u64::from(F.ilog2()).into()),
            slot_number: (0..F).map(|slot| Constant::new((slot as u64).into())).collect(),
        }
    }
}

impl<const F: usize, const BYTES_W: usize> Logic for PacketShape<F, BYTES_W> {
    #[hdl_gen]
    fn update(&mut self) {
        // Flits ahead of the Tail: the Head, the whole Body flits, and one that is not full.
        self.ahead.next = self.one.val();
        if self.len.val().get_bits::<3>(0).any() {
            self.ahead.next = self.two.val();
        }
        self.tail_place.next =
            bit_cast::<COUNT_BITS, 11>(self.len.val().get_bits::<11>(3)) + self.ahead.val();
        self.tail_beat.next = self.tail_place.val() >> self.slot_shift.val();
        self.tail_rest.next = self.tail_place.val() & self.slot_mask.val();
        self.slots.next = self.none.val();
        for i in 0..F {
            self.slots.next =
                self.slots.val().replace_bit(i, self.tail_rest.val() == self.slot_number[i].val());
        }
        self.tail_slot.next = self.slots.val();

        self.whole.next = self.len.val() >> self.word_shift.val();
        self.rest.next = self.len.val() & self.byte_mask.val();
        self.whole_words.next = self.whole.val().get_bits::<COUNT_BITS>(0);
        self.words.next = self.whole_words.val();
        self.bytes.next = self.word_bytes.val();
        if self.rest.val().any() {
            self.words.next = self.whole_words.val() + self.one.val();
            self.bytes.next = self.rest.val().get_bits::<BYTES_W>(0);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_shape", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const BYTES_W: usize] PacketShape<F, BYTES_W> {
    len, words, tail_beat, tail_slot, bytes,
});

const _: () = assert!(BYTES_PER_BODY == 8 && LEN_BITS == 14);
