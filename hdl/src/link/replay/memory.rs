//! The replay RAM (chapter 10, 4.2).

use super::POINTER_BITS;
use crate::prim::stream::FlowIn;
use crate::prim::Ram;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::ltp::SIDEBAND_BITS;

/// Bits of a flit's low half, and of the rest.
const LOW_HALF_BITS: usize = 33;
const HIGH_HALF_BITS: usize = FLIT_BITS - LOW_HALF_BITS;
const _: () = assert!(LOW_HALF_BITS == 33, "`update` takes the rest from there");

/// R slots of 16/F beats: a word is {sideband, a parity bit for each flit, the flits}.
///
/// Originals are written a clock behind `stored`. From 3 clocks after `load` on, `beat` and `side` are the first beat of the slot
/// that was named; each `take` moves on to the next beat, and from slot to slot. A flit and its parity bit have an even
/// number of ones; `spoil` says that those of the beat taken last had not.
#[derive(LogicBlock)]
pub struct ReplayMemory<
    const F: usize,
    const FLITS_W: usize,
    const WORD_W: usize,
    const INDEX_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the RAM keeps its words.
    pub clear: Signal<In, Bit>,
    /// An original may be opened on this edge.
    pub original_start: Signal<In, Bit>,
    /// Its sequence number.
    pub original_number: Signal<In, Bits<POINTER_BITS>>,
    /// A beat of that original.
    pub stored: FlowIn<Bits<FLITS_W>>,
    /// Its place in its LTP.
    pub stored_place: Signal<In, Bits<INDEX_W>>,
    /// The LTP's sideband.
    pub stored_side: Signal<In, Bits<2>>,
    /// The beat is written with wrong parity.
    pub damage: Signal<In, Bit>,
    /// The beats of another slot are wanted.
    pub load: Signal<In, Bit>,
    /// Sequence number of the first LTP wanted.
    pub load_number: Signal<In, Bits<POINTER_BITS>>,
    /// The beat is taken.
    pub take: Signal<In, Bit>,
    /// Beat to be taken.
    pub beat: Signal<Out, Bits<FLITS_W>>,
    /// Sideband of its LTP.
    pub side: Signal<Out, Bits<2>>,
    /// The beat taken last has a parity error.
    pub spoil: Signal<Out, Bit>,
    /// Event: the first parity error of an LTP.
    pub parity_error: Signal<Out, Bit>,

    memory: Ram<Bits<WORD_W>, ADDRESS_W>,
    /// The beat to be written: parity takes a clock of its own.
    writes: DFF<Bit>,
    written: DFF<Bits<FLITS_W>>,
    written_address: DFF<Bits<ADDRESS_W>>,
    written_side: DFF<Bits<2>>,
    damaged: DFF<Bit>,
    write_slot: DFF<Bits<SLOT_W>>,
    read_address: DFF<Bits<ADDRESS_W>>,
    /// The array, then the output register, are to be filled.
    fill_array: DFF<Bit>,
    fill_output: DFF<Bit>,
    /// One of the two: a register of its own, so that `take` is one gate from what it moves.
    filling: DFF<Bit>,
    place: DFF<Bits<INDEX_W>>,
    /// Parity of each flit's low half, and of the rest of it: they differ if a bit is wrong.
    low_parity: DFF<Bits<F>>,
    high_parity: DFF<Bits<F>>,
    checked: DFF<Bit>,
    first: DFF<Bit>,
    seen: DFF<Bit>,
    event_error: DFF<Bit>,
    parity: Signal<Local, Bits<F>>,
    low_check: Signal<Local, Bits<F>>,
    high_check: Signal<Local, Bits<F>>,
    is_wrong: Signal<Local, Bit>,
    flit: Signal<Local, Bits<FLIT_BITS>>,
    low_half: Signal<Local, Bits<LOW_HALF_BITS>>,
    high_half: Signal<Local, Bits<HIGH_HALF_BITS>>,
    word: Signal<Local, Bits<WORD_W>>,
    above_flits: Signal<Local, Bits<WORD_W>>,
    above_parity: Signal<Local, Bits<WORD_W>>,
    moves: Signal<Local, Bit>,
    parity_shift: Constant<Bits<16>>,
    side_shift: Constant<Bits<16>>,
    slot_shift: Constant<Bits<16>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WORD_W: usize,
        const INDEX_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
    > Default for ReplayMemory<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>
{
    fn default() -> Self {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            original_start: Default::default(),
            original_number: Default::default(),
            stored: Default::default(),
            stored_place: Default::default(),
            stored_side: Default::default(),
            damage: Default::default(),
            load: Default::default(),
            load_number: Default::default(),
            take: Default::default(),
            beat: Default::default(),
            side: Default::default(),
            spoil: Default::default(),
            parity_error: Default::default(),
            memory: Default::default(),
            writes: Default::default(),
            written: Default::default(),
            written_address: Default::default(),
            written_side: Default::default(),
            damaged: Default::default(),
            write_slot: Default::default(),
            read_address: Default::default(),
            fill_array: Default::default(),
            fill_output: Default::default(),
            filling: Default::default(),
            place: Default::default(),
            low_parity: Default::default(),
            high_parity: Default::default(),
            checked: Default::default(),
            first: Default::default(),
            seen: Default::default(),
            event_error: Default::default(),
            parity: Default::default(),
            low_check: Default::default(),
            high_check: Default::default(),
            is_wrong: Default::default(),
            flit: Default::default(),
            low_half: Default::default(),
            high_half: Default::default(),
            word: Default::default(),
            above_flits: Default::default(),
            above_parity: Default::default(),
            moves: Default::default(),
            parity_shift: shift(FLITS_W),
            side_shift: shift(WORD_W - SIDEBAND_BITS),
            slot_shift: shift(INDEX_W),
        }
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WORD_W: usize,
        const INDEX_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
    > Logic for ReplayMemory<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_slot, read_address, fill_array, fill_output, filling, place);
        dff_setup!(self, clock, low_parity, high_parity);
        dff_setup!(self, clock, checked, first, seen, event_error);
        dff_setup!(self, clock, writes, written, written_address, written_side, damaged);
        self.memory.write_clock.next = self.clock.val();
        self.memory.read_clock.next = self.clock.val();

        // Originals in.
        if self.original_start.val() {
            self.write_slot.d.next = self.original_number.val().get_bits::<SLOT_W>(0);
        }
        self.writes.d.next = self.stored.valid.val();
        self.written.d.next = self.stored.data.val();
        self.written_address.d.next = (bit_cast::<ADDRESS_W, SLOT_W>(self.write_slot.q.val())
            << self.slot_shift.val())
            | bit_cast::<ADDRESS_W, INDEX_W>(self.stored_place.val());
        self.written_side.d.next = self.stored_side.val();
        self.damaged.d.next = self.damage.val();
        self.parity.next = 0.into();
        for i in 0..F {
            self.flit.next = self.written.q.val().get_bits::<FLIT_BITS>(i * 65);
            self.parity.next = self.parity.val().replace_bit(i, self.flit.val().xor() ^ self.damaged.q.val());
        }
        self.memory.write_enable.next = self.writes.q.val();
        self.memory.write_address.next = self.written_address.q.val();
        self.memory.write_data.next = bit_cast::<WORD_W, FLITS_W>(self.written.q.val())
            | (bit_cast::<WORD_W, F>(self.parity.val()) << self.parity_shift.val())
            | (bit_cast::<WORD_W, 2>(self.written_side.q.val()) << self.side_shift.val());

        // Slots out: address, array register, output register.
        self.moves.next = self.filling.q.val() | self.take.val();
        self.memory.read_enable.next = self.moves.val();
        self.memory.output_enable.next = self.fill_output.q.val() | self.take.val();
        self.memory.read_address.next = self.read_address.q.val();
        if self.moves.val() {
            self.read_address.d.next = self.read_address.q.val() + 1;
        }
        self.fill_array.d.next = self.load.val();
        self.fill_output.d.next = self.fill_array.q.val();
        self.filling.d.next = self.load.val() | self.fill_array.q.val();
        if self.take.val() {
            self.place.d.next = self.place.q.val() + 1;
        }
        if self.load.val() {
            self.read_address.d.next =
                bit_cast::<ADDRESS_W, SLOT_W>(self.load_number.val().get_bits::<SLOT_W>(0))
                    << self.slot_shift.val();
            self.place.d.next = 0.into();
        }

        // Parity of the beat that is taken.
        self.word.next = self.memory.read_data.val();
        self.above_flits.next = self.word.val() >> self.parity_shift.val();
        self.above_parity.next = self.word.val() >> self.side_shift.val();
        self.low_check.next = 0.into();
        self.high_check.next = 0.into();
        for i in 0..F {
            self.flit.next = self.word.val().get_bits::<FLIT_BITS>(i * 65);
            self.low_half.next = self.flit.val().get_bits::<LOW_HALF_BITS>(0);
            self.high_half.next = self.flit.val().get_bits::<HIGH_HALF_BITS>(33);
            self.low_check.next = self.low_check.val().replace_bit(i, self.low_half.val().xor());
            self.high_check.next = self
                .high_check
                .val()
                .replace_bit(i, self.high_half.val().xor() ^ self.above_flits.val().get_bit(i));
        }
        self.is_wrong.next = (self.low_parity.q.val() ^ self.high_parity.q.val()).any();
        if self.take.val() {
            self.low_parity.d.next = self.low_check.val();
            self.high_parity.d.next = self.high_check.val();
            self.first.d.next = !self.place.q.val().any();
        }
        self.checked.d.next = self.take.val();
        self.event_error.d.next = false;
        if self.checked.q.val() {
            self.seen.d.next = self.is_wrong.val() | (self.seen.q.val() & !self.first.q.val());
            self.event_error.d.next =
                self.is_wrong.val() & (self.first.q.val() | !self.seen.q.val()) & !self.clear.val();
        }
        if self.clear.val() {
            self.fill_array.d.next = false;
            self.fill_output.d.next = false;
            self.filling.d.next = false;
            self.checked.d.next = false;
        }
        self.beat.next = self.word.val().get_bits::<FLITS_W>(0);
        self.side.next = self.above_parity.val().get_bits::<2>(0);
        self.spoil.next = self.is_wrong.val();
        self.parity_error.next = self.event_error.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_memory", &[("f", F.to_string()), ("r", (1usize << SLOT_W).to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const WORD_W: usize, const INDEX_W: usize, const SLOT_W: usize, const ADDRESS_W: usize] ReplayMemory<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W> {
    clock, clear, original_start, original_number, stored, stored_place, stored_side, damage, load, load_number, take, beat, side, spoil, parity_error,
});
