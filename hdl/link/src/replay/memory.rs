//! The replay RAM (chapter 10, 4.2).

use super::POINTER_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Ram;
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::ltp::SIDEBAND_BITS;

/// Bits of a flit's low half, and of the rest.
const LOW_HALF_BITS: usize = 33;
const HIGH_HALF_BITS: usize = FLIT_BITS - LOW_HALF_BITS;
const _: () = assert!(LOW_HALF_BITS == 33, "`update` takes the rest from there");

/// R slots of 16/F beats: a word is {sideband, a parity bit for each flit, the flits}.
///
/// Originals are written a clock after `stored`. From 3 clocks after `load` on, `beat` and `side` are the first beat of the slot
/// that was named; each `take` moves on to the next beat, and from slot to slot. A flit and its parity bit have an even
/// number of ones; `corrupt` says that those of the beat taken last had not.
#[block("replay_memory", f = F, r = 1usize << SLOT_W)]
pub struct ReplayMemory<
    const F: usize,
    const FLITS_W: usize,
    const WORD_W: usize,
    const INDEX_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear; the RAM keeps its words.
    clear: In<Bit>,
    /// An original may be opened on this edge.
    original_start: In<Bit>,
    /// Its sequence number.
    original_number: In<Bits<POINTER_BITS>>,
    /// A beat of that original.
    pub stored: FlowIn<Bits<FLITS_W>>,
    /// Its place in its LTP.
    stored_place: In<Bits<INDEX_W>>,
    /// The LTP's sideband.
    stored_side: In<Bits<2>>,
    /// The beat is written with wrong parity.
    damage: In<Bit>,
    /// The beats of another slot are wanted.
    load: In<Bit>,
    /// Sequence number of the first LTP wanted.
    load_number: In<Bits<POINTER_BITS>>,
    /// The beat is taken.
    take: In<Bit>,
    /// Beat to be taken.
    beat: Out<Bits<FLITS_W>>,
    /// Sideband of its LTP.
    side: Out<Bits<2>>,
    /// The beat taken last has a parity error.
    corrupt: Out<Bit>,
    /// Event: the first parity error of an LTP.
    parity_error: Out<Bit>,

    #[wire(write_clock = clock, read_clock = clock)]
    memory: Ram<Bits<WORD_W>, ADDRESS_W>,
    /// The beat to be written: parity takes a clock of its own.
    writes: Reg<Bit>,
    written: Reg<Bits<FLITS_W>>,
    written_address: Reg<Bits<ADDRESS_W>>,
    written_side: Reg<Bits<2>>,
    damaged: Reg<Bit>,
    write_slot: Reg<Bits<SLOT_W>>,
    read_address: Reg<Bits<ADDRESS_W>>,
    /// The array, then the output register, are to be filled.
    fill_array: Reg<Bit>,
    fill_output: Reg<Bit>,
    /// One of the two: a register of its own, so that `take` is one gate from what it moves.
    filling: Reg<Bit>,
    place: Reg<Bits<INDEX_W>>,
    /// Parity of each flit's low half, and of the rest of it: they differ if a bit is wrong.
    low_parity: Reg<Bits<F>>,
    high_parity: Reg<Bits<F>>,
    checked: Reg<Bit>,
    first: Reg<Bit>,
    seen: Reg<Bit>,
    event_error: Reg<Bit>,
    parity: Local<Bits<F>>,
    low_check: Local<Bits<F>>,
    high_check: Local<Bits<F>>,
    is_wrong: Local<Bit>,
    flit: Local<Bits<FLIT_BITS>>,
    low_half: Local<Bits<LOW_HALF_BITS>>,
    high_half: Local<Bits<HIGH_HALF_BITS>>,
    word: Local<Bits<WORD_W>>,
    above_flits: Local<Bits<WORD_W>>,
    above_parity: Local<Bits<WORD_W>>,
    #[init(FLITS_W)]
    parity_shift: Constant<Bits<16>>,
    #[init(WORD_W - SIDEBAND_BITS)]
    side_shift: Constant<Bits<16>>,
    #[init(INDEX_W)]
    slot_shift: Constant<Bits<16>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const WORD_W: usize,
        const INDEX_W: usize,
        const SLOT_W: usize,
        const ADDRESS_W: usize,
    > ReplayMemory<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>
{
    fn update(&mut self) {
        // Originals in.
        if original_start {
            write_slot = original_number.bits::<SLOT_W>(0);
        }
        Out { valid: writes, data: written } = stored;
        written_address = (bit_cast::<ADDRESS_W, SLOT_W>(write_slot) << slot_shift)
            | bit_cast::<ADDRESS_W, INDEX_W>(stored_place);
        written_side = stored_side;
        damaged = damage;
        parity = 0;
        for i in 0..F {
            flit = written.bits::<FLIT_BITS>(i * 65);
            parity = parity.with(i, flit.xor() ^ damaged);
        }
        memory = In { write_enable: writes, write_address: written_address };
        memory.write_data = bit_cast::<WORD_W, FLITS_W>(written)
            | (bit_cast::<WORD_W, F>(parity) << parity_shift)
            | (bit_cast::<WORD_W, 2>(written_side) << side_shift);

        // Slots out: address, array register, output register.
        let moves = filling | take;
        memory = In { read_enable: moves, output_enable: fill_output | take, read_address };
        if moves {
            read_address = read_address + 1;
        }
        fill_array = load;
        fill_output = fill_array;
        filling = load | fill_array;
        if take {
            place = place + 1;
        }
        if load {
            read_address = bit_cast::<ADDRESS_W, SLOT_W>(load_number.bits::<SLOT_W>(0)) << slot_shift;
            place = 0;
        }

        // Parity of the beat that is taken.
        word = memory.read_data;
        above_flits = word >> parity_shift;
        above_parity = word >> side_shift;
        low_check = 0;
        high_check = 0;
        for i in 0..F {
            flit = word.bits::<FLIT_BITS>(i * 65);
            low_half = flit.bits::<LOW_HALF_BITS>(0);
            high_half = flit.bits::<HIGH_HALF_BITS>(33);
            low_check = low_check.with(i, low_half.xor());
            high_check = high_check.with(i, high_half.xor() ^ above_flits[i]);
        }
        is_wrong = (low_parity ^ high_parity).any();
        if take {
            low_parity = low_check;
            high_parity = high_check;
            first = !place.any();
        }
        checked = take;
        event_error = false;
        if checked {
            seen = is_wrong | (seen & !first);
            event_error = is_wrong & (first | !seen) & !clear;
        }
        if clear {
            fill_array = false;
            fill_output = false;
            filling = false;
            checked = false;
        }
        beat = word.bits::<FLITS_W>(0);
        side = above_parity.bits::<2>(0);
        corrupt = is_wrong;
        parity_error = event_error;
    }
}
