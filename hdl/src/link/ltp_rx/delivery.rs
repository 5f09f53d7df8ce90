//! The two LTP buffers and what leaves them.

use crate::prim::ram::{LutRam, Ram};
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::flit::FLIT_BITS;

/// Keeps the data beats of two LTPs; `start` gives one of them, sorted into flits and SPC flits, from the next
/// clock on and one beat per clock. There must be at least an LTP's beats of clocks between two `start`s. `BLOCK` 1 keeps them in block
/// RAM without output register, for ports that have to be small at a slow clock; beat 0 is to be there two clocks before `start`.
#[derive(LogicBlock)]
pub struct LtpRxDelivery<
    const F: usize,
    const FLITS_W: usize,
    const INDEX_W: usize,
    const ADDR_W: usize,
    const FLAGS_W: usize,
    const BLOCK: usize = 0,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Data beats to keep.
    pub beat: FlowIn<Bits<FLITS_W>>,
    /// With `beat`: its place in the LTP.
    pub beat_place: Signal<In, Bits<INDEX_W>>,
    /// With `beat`: its buffer.
    pub beat_bank: Signal<In, Bit>,
    /// With `beat`: kinds of its flits (see `flit_codec`).
    pub carried: Signal<In, Bits<F>>,
    /// See `carried`.
    pub illegal: Signal<In, Bits<F>>,
    /// See `carried`.
    pub special: Signal<In, Bits<F>>,
    /// See `carried`.
    pub time_flits: Signal<In, Bits<F>>,
    /// Gives the LTP in buffer `bank`, from this clock on.
    pub start: Signal<In, Bit>,
    /// Holds from `start` until the LTP is given.
    pub bank: Signal<In, Bit>,
    /// Holds from `start` until the LTP is given: it is a replayed one.
    pub late: Signal<In, Bit>,
    /// Holds from `start` until the LTP is given: its sequence state.
    pub state: Signal<In, Bits<2>>,
    /// Beats without SPC flits.
    pub flits_out: FlowOut<Bits<FLITS_W>>,
    /// Beats of SPC flits.
    pub spc_out: FlowOut<Bits<FLITS_W>>,
    /// With `flits_out` and `spc_out`.
    pub out_late: Signal<Out, Bit>,
    /// With `flits_out` and `spc_out`.
    pub out_index: Signal<Out, Bits<4>>,
    /// With `flits_out` and `spc_out`.
    pub out_state: Signal<Out, Bits<2>>,
    /// Illegal flits that became Idle.
    pub illegal_flit: Signal<Out, Bits<F>>,
    /// A beat of a late LTP.
    pub late_beats: Signal<Out, Bit>,
    /// Time flits that became Idle.
    pub time_stale: Signal<Out, Bits<F>>,

    /// Both buffers in LUT RAM; with `BLOCK` none.
    buffer: Vec<LutRam<Bits<FLITS_W>, ADDR_W>>,
    /// With `BLOCK`, each buffer in block RAM.
    banks: Vec<Ram<Bits<FLITS_W>, INDEX_W>>,
    stored: Signal<Local, Bits<FLITS_W>>,
    next_place: Signal<Local, Bits<INDEX_W>>,
    first_written: Signal<Local, Bit>,
    second_written: Signal<Local, Bit>,
    kinds: LutRam<Bits<FLAGS_W>, ADDR_W>,
    going_on: DFF<Bit>,
    place: DFF<Bits<INDEX_W>>,
    flit: [DFF<Bits<FLIT_BITS>>; F],
    spc: [DFF<Bits<FLIT_BITS>>; F],
    flits_valid: DFF<Bit>,
    spc_valid: DFF<Bit>,
    late_out: DFF<Bit>,
    index_out: DFF<Bits<4>>,
    state_out: DFF<Bits<2>>,
    event_illegal: DFF<Bits<F>>,
    event_late: DFF<Bit>,
    event_stale: DFF<Bits<F>>,

    kinds_word: Signal<Local, Bits<FLAGS_W>>,
    write_address: Signal<Local, Bits<ADDR_W>>,
    read_address: Signal<Local, Bits<ADDR_W>>,
    reading: Signal<Local, Bit>,
    keep_flit: Signal<Local, Bits<F>>,
    keep_spc: Signal<Local, Bits<F>>,
    stale: Signal<Local, Bits<F>>,
    some_flit: Signal<Local, Bit>,
    bad_flit: Signal<Local, Bits<F>>,
    one: Signal<Local, Bits<4>>,
    slot: Signal<Local, Bits<FLIT_BITS>>,
    flits_word: Signal<Local, Bits<FLITS_W>>,
    spc_word: Signal<Local, Bits<FLITS_W>>,
    last_place: Constant<Bits<INDEX_W>>,
    second_bank: Constant<Bits<ADDR_W>>,
    slot_shift: Vec<Constant<Bits<16>>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const INDEX_W: usize,
        const ADDR_W: usize,
        const FLAGS_W: usize,
        const BLOCK: usize,
    > Default for LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W, BLOCK>
{
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            beat: Default::default(),
            beat_place: Default::default(),
            beat_bank: Default::default(),
            carried: Default::default(),
            illegal: Default::default(),
            special: Default::default(),
            time_flits: Default::default(),
            start: Default::default(),
            bank: Default::default(),
            late: Default::default(),
            state: Default::default(),
            flits_out: Default::default(),
            spc_out: Default::default(),
            out_late: Default::default(),
            out_index: Default::default(),
            out_state: Default::default(),
            illegal_flit: Default::default(),
            late_beats: Default::default(),
            time_stale: Default::default(),
            buffer: (BLOCK..1).map(|_| LutRam::default()).collect(),
            banks: (0..2 * BLOCK).map(|_| Ram::direct()).collect(),
            stored: Default::default(),
            next_place: Default::default(),
            first_written: Default::default(),
            second_written: Default::default(),
            kinds: Default::default(),
            going_on: Default::default(),
            place: Default::default(),
            flit: defaults(),
            spc: defaults(),
            flits_valid: Default::default(),
            spc_valid: Default::default(),
            late_out: Default::default(),
            index_out: Default::default(),
            state_out: Default::default(),
            event_illegal: Default::default(),
            event_late: Default::default(),
            event_stale: Default::default(),
            kinds_word: Default::default(),
            write_address: Default::default(),
            read_address: Default::default(),
            reading: Default::default(),
            keep_flit: Default::default(),
            keep_spc: Default::default(),
            stale: Default::default(),
            some_flit: Default::default(),
            bad_flit: Default::default(),
            one: Default::default(),
            slot: Default::default(),
            flits_word: Default::default(),
            spc_word: Default::default(),
            last_place: Constant::new((beats_per_ltp(F) as u64 - 1).into()),
            second_bank: Constant::new((beats_per_ltp(F) as u64).into()),
            slot_shift: (0..F).map(|slot| Constant::new(((FLIT_BITS * slot) as u64).into())).collect(),
        }
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const INDEX_W: usize,
        const ADDR_W: usize,
        const FLAGS_W: usize,
        const BLOCK: usize,
    > Logic for LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W, BLOCK>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            going_on,
            place,
            flits_valid,
            spc_valid,
            late_out,
            index_out,
            state_out,
            event_illegal,
            event_late,
            event_stale
        );
        clock!(self, clock, kinds);

        // Into the buffer, with the kinds of the flits.
        self.kinds_word.next = 0.into();
        for i in 0..F {
            self.kinds_word.next = self
                .kinds_word
                .val()
                .replace_bit(i * 4, self.carried.val().get_bit(i) & !self.special.val().get_bit(i))
                .replace_bit(i * 4 + 1, self.special.val().get_bit(i))
                .replace_bit(i * 4 + 2, self.time_flits.val().get_bit(i))
                .replace_bit(i * 4 + 3, self.illegal.val().get_bit(i));
        }
        self.write_address.next = bit_cast::<ADDR_W, INDEX_W>(self.beat_place.val());
        if self.beat_bank.val() {
            self.write_address.next = self.write_address.val() | self.second_bank.val();
        }
        self.kinds.write_enable.next = self.beat.valid.val();
        self.kinds.write_address.next = self.write_address.val();
        self.kinds.write_data.next = self.kinds_word.val();

        // Out of it, one beat per clock.
        self.reading.next = self.start.val() | self.going_on.q.val();
        if self.reading.val() {
            self.place.d.next = self.place.q.val() + 1;
            self.going_on.d.next = self.place.q.val() != self.last_place.val();
        }
        self.read_address.next = bit_cast::<ADDR_W, INDEX_W>(self.place.q.val());
        if self.bank.val() {
            self.read_address.next = self.read_address.val() | self.second_bank.val();
        }
        self.stored.next = 0.into();
        for _i in BLOCK..1 {
            self.buffer[0].clock.next = self.clock.val();
            self.buffer[0].write_enable.next = self.beat.valid.val();
            self.buffer[0].write_address.next = self.write_address.val();
            self.buffer[0].write_data.next = self.beat.data.val();
            self.buffer[0].read_address.next = self.read_address.val();
            self.stored.next = self.buffer[0].read_data.val();
        }
        for _i in 0..BLOCK {
            self.stored.next = self.banks[0].read_data.val();
            if self.bank.val() {
                self.stored.next = self.banks[1].read_data.val();
            }
        }
        self.kinds.read_address.next = self.read_address.val();
        self.keep_flit.next = 0.into();
        self.keep_spc.next = 0.into();
        self.stale.next = 0.into();
        self.bad_flit.next = 0.into();
        self.some_flit.next = false;
        for i in 0..F {
            self.one.next = self.kinds.read_data.val().get_bits::<4>(i * 4);
            self.keep_flit.next = self.keep_flit.val().replace_bit(i, self.one.val().get_bit(0));
            self.some_flit.next = self.some_flit.val() | self.one.val().get_bits::<3>(0).any();
            self.stale.next = self.stale.val().replace_bit(i, self.one.val().get_bit(2) & self.late.val());
            self.keep_spc.next = self
                .keep_spc
                .val()
                .replace_bit(i, self.one.val().get_bit(1) & !(self.one.val().get_bit(2) & self.late.val()));
            self.bad_flit.next = self.bad_flit.val().replace_bit(i, self.one.val().get_bit(3));
            self.flit[i].clock.next = self.clock.val();
            self.spc[i].clock.next = self.clock.val();
            self.slot.next = self.stored.val().get_bits::<FLIT_BITS>(i * 65);
            self.flit[i].d.next = 0.into();
            if self.keep_flit.val().get_bit(i) {
                self.flit[i].d.next = self.slot.val();
            }
            self.spc[i].d.next = 0.into();
            if self.keep_spc.val().get_bit(i) {
                self.spc[i].d.next = self.slot.val();
            }
        }
        self.flits_valid.d.next = self.reading.val() & self.keep_flit.val().any();
        self.spc_valid.d.next = self.reading.val() & self.keep_spc.val().any();
        self.late_out.d.next = self.late.val();
        self.index_out.d.next = bit_cast::<4, INDEX_W>(self.place.q.val());
        self.state_out.d.next = self.state.val();
        self.event_late.d.next = self.reading.val() & self.late.val() & self.some_flit.val();
        self.event_illegal.d.next = 0.into();
        self.event_stale.d.next = 0.into();
        if self.reading.val() {
            self.event_illegal.d.next = self.bad_flit.val();
            self.event_stale.d.next = self.stale.val();
        }
        if self.clear.val() {
            self.going_on.d.next = false;
            self.place.d.next = 0.into();
            self.flits_valid.d.next = false;
            self.spc_valid.d.next = false;
            self.event_illegal.d.next = 0.into();
            self.event_late.d.next = false;
            self.event_stale.d.next = 0.into();
        }
        // A block RAM is read a clock before, in both buffers: which one `start` will give is not known before it comes. Its beat 0 is
        // there long before.
        self.next_place.next = self.place.d.val();
        self.first_written.next = self.beat.valid.val() & !self.beat_bank.val();
        self.second_written.next = self.beat.valid.val() & self.beat_bank.val();
        for _i in 0..BLOCK {
            self.banks[0].write_clock.next = self.clock.val();
            self.banks[0].write_enable.next = self.first_written.val();
            self.banks[0].write_address.next = self.beat_place.val();
            self.banks[0].write_data.next = self.beat.data.val();
            self.banks[0].read_clock.next = self.clock.val();
            self.banks[0].read_enable.next = true;
            self.banks[0].read_address.next = self.next_place.val();
            self.banks[0].output_enable.next = true;
            self.banks[1].write_clock.next = self.clock.val();
            self.banks[1].write_enable.next = self.second_written.val();
            self.banks[1].write_address.next = self.beat_place.val();
            self.banks[1].write_data.next = self.beat.data.val();
            self.banks[1].read_clock.next = self.clock.val();
            self.banks[1].read_enable.next = true;
            self.banks[1].read_address.next = self.next_place.val();
            self.banks[1].output_enable.next = true;
        }

        self.flits_word.next = 0.into();
        self.spc_word.next = 0.into();
        for i in 0..F {
            self.slot.next = self.flit[i].q.val();
            self.flits_word.next = self.flits_word.val()
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.slot.val()) << self.slot_shift[i].val());
            self.slot.next = self.spc[i].q.val();
            self.spc_word.next = self.spc_word.val()
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.slot.val()) << self.slot_shift[i].val());
        }
        self.flits_out.data.next = self.flits_word.val();
        self.flits_out.valid.next = self.flits_valid.q.val();
        self.spc_out.data.next = self.spc_word.val();
        self.spc_out.valid.next = self.spc_valid.q.val();
        self.out_late.next = self.late_out.q.val();
        self.out_index.next = self.index_out.q.val();
        self.out_state.next = self.state_out.q.val();
        self.illegal_flit.next = self.event_illegal.q.val();
        self.late_beats.next = self.event_late.q.val();
        self.time_stale.next = self.event_stale.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match BLOCK {
            0 => block_label("ltp_rx_delivery", &[("f", F.to_string())]),
            _ => block_label("ltp_rx_delivery", &[("f", F.to_string()), ("block", "1".to_string())]),
        }
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const INDEX_W: usize, const ADDR_W: usize, const FLAGS_W: usize, const BLOCK: usize] LtpRxDelivery<F, FLITS_W, INDEX_W, ADDR_W, FLAGS_W, BLOCK> { clock, clear, beat, beat_place, beat_bank, carried, illegal, special, time_flits, start, bank, late, state, flits_out, spc_out, out_late, out_index, out_state, illegal_flit, late_beats, time_stale });
