//! The two LTP buffers and what leaves them.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, Ram};
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::flit::FLIT_BITS;

/// Keeps the data beats of two LTPs; `start` gives one of them, sorted into flits and SPC flits, from the next
/// clock on and one beat per clock. There must be at least an LTP's beats of clocks between two `start`s. `BLOCK` 1 keeps them in block
/// RAM without output register, for ports that have to be small at a slow clock; beat 0 is to be there two clocks before `start`.
#[block]
pub struct LtpRxDelivery<
    const F: usize,
    const FLITS_W: usize,
    const INDEX_W: usize,
    const ADDR_W: usize,
    const FLAGS_W: usize,
    const BLOCK: usize = 0,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Data beats to keep.
    pub beat: FlowIn<Bits<FLITS_W>>,
    /// With `beat`: its place in the LTP.
    beat_place: In<Bits<INDEX_W>>,
    /// With `beat`: its buffer.
    beat_bank: In<Bit>,
    /// With `beat`: kinds of its flits (see `flit_codec`).
    carried: In<Bits<F>>,
    /// See `carried`.
    illegal: In<Bits<F>>,
    /// See `carried`.
    special: In<Bits<F>>,
    /// See `carried`.
    time_flits: In<Bits<F>>,
    /// Gives the LTP in buffer `bank`, from this clock on.
    start: In<Bit>,
    /// Holds from `start` until the LTP is given.
    bank: In<Bit>,
    /// Holds from `start` until the LTP is given: it is a replayed one.
    late: In<Bit>,
    /// Holds from `start` until the LTP is given: its sequence state.
    state: In<Bits<2>>,
    /// Beats without SPC flits.
    pub flits_out: FlowOut<Bits<FLITS_W>>,
    /// Beats of SPC flits.
    pub spc_out: FlowOut<Bits<FLITS_W>>,
    /// With `flits_out` and `spc_out`.
    out_late: Out<Bit>,
    /// With `flits_out` and `spc_out`.
    out_index: Out<Bits<4>>,
    /// With `flits_out` and `spc_out`.
    out_state: Out<Bits<2>>,
    /// Illegal flits that became Idle.
    illegal_flit: Out<Bits<F>>,
    /// A beat of a late LTP.
    late_beats: Out<Bit>,
    /// Time flits that became Idle.
    time_stale: Out<Bits<F>>,

    /// Both buffers in LUT RAM; with `BLOCK` none.
    #[init((BLOCK..1).map(|_| LutRam::default()).collect())]
    buffer: Vec<LutRam<Bits<FLITS_W>, ADDR_W>>,
    /// With `BLOCK`, each buffer in block RAM.
    #[init((0..2 * BLOCK).map(|_| Ram::direct()).collect())]
    banks: Vec<Ram<Bits<FLITS_W>, INDEX_W>>,
    stored: Local<Bits<FLITS_W>>,
    next_place: Local<Bits<INDEX_W>>,
    first_written: Local<Bit>,
    second_written: Local<Bit>,
    #[wire(clock)]
    kinds: LutRam<Bits<FLAGS_W>, ADDR_W>,
    going_on: Reg<Bit>,
    place: Reg<Bits<INDEX_W>>,
    #[wire(d = _)]
    flit: [Reg<Bits<FLIT_BITS>>; F],
    #[wire(d = _)]
    spc: [Reg<Bits<FLIT_BITS>>; F],
    flits_valid: Reg<Bit>,
    spc_valid: Reg<Bit>,
    late_out: Reg<Bit>,
    index_out: Reg<Bits<4>>,
    state_out: Reg<Bits<2>>,
    event_illegal: Reg<Bits<F>>,
    event_late: Reg<Bit>,
    event_stale: Reg<Bits<F>>,

    kinds_word: Local<Bits<FLAGS_W>>,
    write_address: Local<Bits<ADDR_W>>,
    read_address: Local<Bits<ADDR_W>>,
    reading: Local<Bit>,
    keep_flit: Local<Bits<F>>,
    keep_spc: Local<Bits<F>>,
    stale: Local<Bits<F>>,
    some_flit: Local<Bit>,
    bad_flit: Local<Bits<F>>,
    one: Local<Bits<4>>,
    slot: Local<Bits<FLIT_BITS>>,
    #[init((beats_per_ltp(F) as u64 - 1).into())]
    last_place: Constant<Bits<INDEX_W>>,
    #[init((beats_per_ltp(F) as u64).into())]
    second_bank: Constant<Bits<ADDR_W>>,
    #[init((0..F).map(|slot| Constant::new(((FLIT_BITS * slot) as u64).into())).collect())]
    slot_shift: Vec<Constant<Bits<16>>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const INDEX_W: usize,
        const ADDR_W: usize,
        const FLAGS_W: usize,
        const BLOCK: usize,
    > LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W, BLOCK>
{
    fn update(&mut self) {
        self.store();
        self.read();
        if clear {
            going_on = false;
            place = 0;
            flits_valid = false;
            spc_valid = false;
            event_illegal = 0;
            event_late = false;
            event_stale = 0;
        }
        // A block RAM is read a clock before, in both buffers: which one `start` will give is not known before it comes. Its beat 0 is
        // there long before.
        next_place = place.d;
        first_written = beat.valid & !beat_bank;
        second_written = beat.valid & beat_bank;
        for _i in 0..BLOCK {
            banks[0] = In { write_clock: clock, write_enable: first_written, write_address: beat_place };
            banks[0] = In { write_data: beat.data, read_clock: clock, read_enable: true };
            banks[0] = In { read_address: next_place, output_enable: true };
            banks[1] = In { write_clock: clock, write_enable: second_written, write_address: beat_place };
            banks[1] = In { write_data: beat.data, read_clock: clock, read_enable: true };
            banks[1] = In { read_address: next_place, output_enable: true };
        }

        let mut flits_word: Bits<FLITS_W> = 0;
        let mut spc_word: Bits<FLITS_W> = 0;
        for i in 0..F {
            slot = flit[i];
            flits_word = flits_word | (bit_cast::<FLITS_W, FLIT_BITS>(slot) << slot_shift[i]);
            slot = spc[i];
            spc_word = spc_word | (bit_cast::<FLITS_W, FLIT_BITS>(slot) << slot_shift[i]);
        }
        flits_out = In { data: flits_word, valid: flits_valid };
        spc_out = In { data: spc_word, valid: spc_valid };
        out_late = late_out;
        out_index = index_out;
        out_state = state_out;
        illegal_flit = event_illegal;
        late_beats = event_late;
        time_stale = event_stale;
    }

    /// Into the buffer, with the kinds of the flits.
    fn store(&mut self) {
        kinds_word = 0;
        for i in 0..F {
            kinds_word = kinds_word
                .with(i * 4, carried[i] & !special[i])
                .with(i * 4 + 1, special[i])
                .with(i * 4 + 2, time_flits[i])
                .with(i * 4 + 3, illegal[i]);
        }
        write_address = bit_cast::<ADDR_W, INDEX_W>(beat_place);
        if beat_bank {
            write_address = write_address | second_bank;
        }
        kinds = In { write_enable: beat.valid, write_address, write_data: kinds_word };
    }

    /// Out of it, one beat per clock.
    fn read(&mut self) {
        reading = start | going_on;
        if reading {
            place = place + 1;
            going_on = place != last_place;
        }
        read_address = bit_cast::<ADDR_W, INDEX_W>(place);
        if bank {
            read_address = read_address | second_bank;
        }
        stored = 0;
        for _i in BLOCK..1 {
            buffer[0] = In { clock, write_enable: beat.valid, write_address, write_data: beat.data };
            buffer[0].read_address = read_address;
            stored = buffer[0].read_data;
        }
        for _i in 0..BLOCK {
            stored = banks[0].read_data;
            if bank {
                stored = banks[1].read_data;
            }
        }
        kinds.read_address = read_address;
        keep_flit = 0;
        keep_spc = 0;
        stale = 0;
        bad_flit = 0;
        some_flit = false;
        for i in 0..F {
            one = kinds.read_data.bits::<4>(i * 4);
            keep_flit = keep_flit.with(i, one[0]);
            some_flit = some_flit | one.bits::<3>(0).any();
            stale = stale.with(i, one[2] & late);
            keep_spc = keep_spc.with(i, one[1] & !(one[2] & late));
            bad_flit = bad_flit.with(i, one[3]);
            slot = stored.bits::<FLIT_BITS>(i * 65);
            flit[i] = 0;
            if keep_flit[i] {
                flit[i] = slot;
            }
            spc[i] = 0;
            if keep_spc[i] {
                spc[i] = slot;
            }
        }
        flits_valid = reading & keep_flit.any();
        spc_valid = reading & keep_spc.any();
        late_out = late;
        index_out = bit_cast::<4, INDEX_W>(place);
        state_out = state;
        event_late = reading & late & some_flit;
        event_illegal = 0;
        event_stale = 0;
        if reading {
            event_illegal = bad_flit;
            event_stale = stale;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match BLOCK {
            0 => block_label("ltp_rx_delivery", &[("f", F.to_string())]),
            _ => block_label("ltp_rx_delivery", &[("f", F.to_string()), ("block", "1".to_string())]),
        }
    }
}
