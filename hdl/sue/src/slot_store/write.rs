//! The way of a body into its slot.

use super::{SlotEntry, SlotWord, StoredBody};
use crate::frame::{BodyHead, FrameWord};
use flitforge_hdl_prim::prelude::*;

/// Writes bodies of at most 2^`W` words into 2^`S` slots; `R` = `S` + `W`, `X` = `W` + 1. See [`super`].
#[block("sue_slot_writer", slots = 1usize << S, words = 1usize << W)]
pub struct SlotWriter<const S: usize, const W: usize, const R: usize, const X: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the body that comes in, and the slot at hand.
    clear: In<Bit>,
    /// Bodies.
    pub body: StreamIn<FrameWord>,
    /// What goes with a body.
    head: In<BodyHead>,
    /// Commands of the body.
    commands: In<Bits<10>>,
    /// The word that comes gets a wrong parity.
    spoils: In<Bit>,
    /// Slots that are free.
    pub slots: StreamIn<Bits<8>>,
    /// Virtual channels that may have a slot.
    obtainable: In<Bits<4>>,
    /// A body of this virtual channel begins.
    pub begins: FlowOut<Bits<2>>,
    /// It got no slot after all.
    pub returns: FlowOut<Bits<2>>,
    /// A body stands in its slot.
    pub stored: FlowOut<StoredBody>,
    /// A body had an error.
    discarded: Out<Bit>,
    /// A body was longer than a slot.
    too_long: Out<Bit>,
    /// A word is written.
    write_enable: Out<Bit>,
    /// Where.
    write_address: Out<Bits<R>>,
    /// The word.
    write_data: Out<SlotWord>,
    /// The last one, and `entry` with it.
    entry_enable: Out<Bit>,
    /// Of this slot.
    entry_slot: Out<Bits<8>>,
    /// What is kept of the body.
    entry: Out<SlotEntry>,

    slot: Reg<Bits<8>>,
    slot_valid: Register<Bit>,
    /// The body has begun.
    granted: Register<Bit>,
    /// Clocks since the last body began: the accounting knows of it at 7.
    #[init(7)]
    settling: Register<Bits<3>>,
    /// Words of the body so far; the top bit: too many.
    index: Register<Bits<X>>,
    vc: Reg<Bits<2>>,
    begins_now: Register<Bit>,
    returns_now: Register<Bit>,
    discarded_now: Register<Bit>,
    too_long_now: Register<Bit>,
    writes: Register<Bits<2>>,
    ends: Register<Bits<2>>,
    #[wire(d = _)]
    spoiled: Reg<Bit>,
    #[wire(d = _)]
    word: Reg<Bits<64>>,
    #[wire(d = _)]
    word_address: Reg<Bits<R>>,
    #[wire(d = _)]
    early: Reg<SlotEntry>,
    #[wire(d = _)]
    early_slot: Reg<Bits<8>>,
    #[wire(d = _)]
    protected: Reg<SlotWord>,
    #[wire(d = _)]
    protected_address: Reg<Bits<R>>,
    #[wire(d = _)]
    late: Reg<SlotEntry>,
    #[wire(d = _)]
    late_slot: Reg<Bits<8>>,
}

#[logic]
impl<const S: usize, const W: usize, const R: usize, const X: usize> SlotWriter<S, W, R, X> {
    fn update(&mut self) {
        let word_in = body.data;
        let taken = body.valid & granted & !clear;
        let ended = taken & word_in.last;
        let fits = !index[W];
        let stores = ended & fits & !word_in.error;
        self.take_slot(stores);
        self.grant(ended);

        // The first clock after the transfer: the word as it came.
        index.clear = clear | ended;
        index.enable = taken & fits;
        index = index + 1;
        writes = cat(taken & fits, writes[0]);
        ends = cat(stores, ends[0]);
        word = word_in.data;
        spoiled = spoils;
        word_address = cat(index.bits::<W>(0), slot.bits::<S>(0));
        early_slot = slot;
        early = SlotEntry {
            destination: head.destination,
            vc: head.vc,
            partition: head.partition,
            commands,
            last_word: bit_cast::<9, X>(index),
            last_bytes: word_in.bytes,
            parity: false,
        };

        // The second one: with its parity.
        let parity = Self::parities(word) ^ bit_cast::<8, 1>(spoiled.into());
        protected = SlotWord { data: word, parity };
        protected_address = word_address;
        let early_bits: Bits<46> = early.into();
        late = SlotEntry { parity: early_bits.xor(), ..early };
        late_slot = early_slot;
        write_enable = writes[1];
        write_address = protected_address;
        write_data = protected;
        entry_enable = ends[1];
        entry_slot = late_slot;
        entry = late;
        self.tell(ended, stores, fits);
    }

    /// The next free slot; a body that was forgotten leaves it.
    fn take_slot(&mut self, stores: Bit) {
        let loads = slots.valid & !slot_valid;
        slots.ready = !slot_valid & !clear;
        if loads {
            slot = slots.data;
        }
        slot_valid = loads | (slot_valid & !stores);
    }

    /// A body that waits may begin.
    fn grant(&mut self, ended: Bit) {
        let head_vc = head.vc;
        let may = match head_vc {
            0 => obtainable[0],
            1 => obtainable[1],
            2 => obtainable[2],
            _ => obtainable[3],
        };
        let settled = settling.all();
        let grants = body.valid & may & slot_valid & settled & !granted;
        body.ready = granted & !clear;
        granted = grants | (granted & !ended);
        settling.enable = grants | !settled;
        settling = settling + 1;
        begins_now = grants;
        if grants {
            vc = head_vc;
        }
        begins = In { data: vc, valid: begins_now };
    }

    /// What became of the body.
    fn tell(&mut self, ended: Bit, stores: Bit, fits: Bit) {
        returns_now = ended & !stores;
        returns = In { data: vc, valid: returns_now };
        discarded_now = ended & fits & !stores;
        discarded = discarded_now;
        too_long_now = ended & !fits;
        too_long = too_long_now;
        let told = StoredBody {
            slot: late_slot,
            destination: late.destination,
            vc: late.vc,
            commands: late.commands,
        };
        stored = In { data: told, valid: ends[1] };
    }

    /// A bit for each octet.
    fn parities(x: Bits<64>) -> Bits<8> {
        let p0 = x[0..8];
        let p1 = x[8..16];
        let p2 = x[16..24];
        let p3 = x[24..32];
        let p4 = x[32..40];
        let p5 = x[40..48];
        let p6 = x[48..56];
        let p7 = x[56..64];
        cat(p0.xor(), p1.xor(), p2.xor(), p3.xor(), p4.xor(), p5.xor(), p6.xor(), p7.xor())
    }
}
