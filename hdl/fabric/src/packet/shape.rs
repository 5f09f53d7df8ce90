//! What a length says about the packet that has it.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::{head, BYTES_PER_BODY};

/// Bits of a `len`.
pub const LEN_BITS: usize = head::len::WIDTH;
/// Bits that count beats, words and flits of the longest `len` there is room for.
pub const COUNT_BITS: usize = 12;

/// Beats and words of a packet of `len` bytes at `F` flits per beat; `BYTES_W` bits count a word's bytes. Combinational.
#[block("packet_shape", f = F)]
pub struct PacketShape<const F: usize, const BYTES_W: usize> {
    /// Payload bytes.
    len: In<Bits<LEN_BITS>>,
    /// Words of payload.
    words: Out<Bits<COUNT_BITS>>,
    /// Number of the Tail's beat, from 0.
    tail_beat: Out<Bits<COUNT_BITS>>,
    /// The Tail's slot, one bit per slot.
    tail_slot: Out<Bits<F>>,
    /// Bytes of the last word.
    bytes: Out<Bits<BYTES_W>>,
    ahead: Local<Bits<COUNT_BITS>>,
    tail_place: Local<Bits<COUNT_BITS>>,
    tail_rest: Local<Bits<COUNT_BITS>>,
    whole: Local<Bits<LEN_BITS>>,
    rest: Local<Bits<LEN_BITS>>,
    whole_words: Local<Bits<COUNT_BITS>>,
    #[init(0)]
    none: Constant<Bits<F>>,
    #[init(1)]
    one: Constant<Bits<COUNT_BITS>>,
    #[init(2)]
    two: Constant<Bits<COUNT_BITS>>,
    #[init(BYTES_PER_BODY * F)]
    word_bytes: Constant<Bits<BYTES_W>>,
    #[init(BYTES_PER_BODY * F - 1)]
    byte_mask: Constant<Bits<LEN_BITS>>,
    #[init(u64::from((BYTES_PER_BODY * F).ilog2()).into())]
    word_shift: Constant<Bits<4>>,
    #[init(F - 1)]
    slot_mask: Constant<Bits<COUNT_BITS>>,
    #[init(u64::from(F.ilog2()).into())]
    slot_shift: Constant<Bits<4>>,
    #[init((0..F).map(|slot| Constant::new((slot as u64).into())).collect())]
    slot_number: Vec<Constant<Bits<COUNT_BITS>>>,
}

#[logic]
impl<const F: usize, const BYTES_W: usize> PacketShape<F, BYTES_W> {
    fn update(&mut self) {
        // Flits ahead of the Tail: the Head, the whole Body flits, and one that is not full.
        ahead = one;
        if len.bits::<3>(0).any() {
            ahead = two;
        }
        tail_place = bit_cast::<COUNT_BITS, 11>(len.bits::<11>(3)) + ahead;
        tail_beat = tail_place >> slot_shift;
        tail_rest = tail_place & slot_mask;
        let mut slots = none;
        for i in 0..F {
            slots = slots.with(i, tail_rest == slot_number[i]);
        }
        tail_slot = slots;

        whole = len >> word_shift;
        rest = len & byte_mask;
        whole_words = whole.bits::<COUNT_BITS>(0);
        words = whole_words;
        bytes = word_bytes;
        if rest.any() {
            words = whole_words + one;
            bytes = rest.bits::<BYTES_W>(0);
        }
    }
}

const _: () = assert!(BYTES_PER_BODY == 8 && LEN_BITS == 14);
