//! The receiver.

use super::kinds::VL_BITS;
use super::lengths::VlLengths;
use super::sorter::{VlSorter, FLITS_BITS};
use crate::config::{check_derived, check_one_of, check_range, ConfigError};
use crate::fabric::packet::LEN_BITS;
use crate::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, tail_bad, BadReason, Opcode, FLIT_BITS};
use flitforge_protocol::link_registers::MAX_VLS;
use flitforge_protocol::packet::{head, lane_beat, lane_flits, word_count_bits};

/// Bits of what is said of flits that came.
pub const LANE_FLITS_BITS: usize = lane_flits::WIDTH;
/// Bits that stand above a beat.
pub const LANE_BEAT_BITS: usize = lane_beat::WIDTH;

/// `fab_vl_rx`: the beats of one link sorted by virtual lane; see the [module](super). `N` lanes, `M` = `N` + 1, `F` flits per beat,
/// `FLITS_W` = 65 `F`, `OUT_W` = 65 `F` + 9, `BYTES_W` bits that count a word's bytes.
#[derive(LogicBlock)]
pub struct VlRx<
    const F: usize,
    const FLITS_W: usize,
    const OUT_W: usize,
    const BYTES_W: usize,
    const N: usize,
    const M: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats of the link.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// With `beats_in`: slots with an Idle that came as an undefined opcode.
    pub undefined: Signal<In, Bits<F>>,
    /// Beats with packet flits, and above each what it is (`lane_beat`).
    pub beats_out: StreamOut<Bits<OUT_W>>,
    /// Event: packet flits of a lane have come (`lane_flits`), delivered or not.
    pub arrived: FlowOut<Bits<LANE_FLITS_BITS>>,
    /// Event: a beat that no sender makes here (STACK_ERR).
    pub stack_error: Signal<Out, Bit>,

    sorter: VlSorter<F, FLITS_W, BYTES_W, N, M>,
    lengths: VlLengths<F>,
    /// Lanes whose packet in progress is delivered.
    delivering: DFF<Bits<N>>,
    // What goes out.
    out_there: DFF<Bit>,
    out_beat: DFF<Bits<FLITS_W>>,
    out_packet: DFF<Bits<F>>,
    out_closes: DFF<Bits<F>>,
    /// The packet is cut; it ends with a Tail that has to fit.
    out_cut: DFF<Bit>,
    out_checks: DFF<Bit>,
    out_len_wrong: DFF<Bit>,
    out_place_wrong: DFF<Bit>,
    out_number: DFF<Bits<VL_BITS>>,
    out_flits: DFF<Bits<FLITS_BITS>>,
    out_opens: DFF<Bit>,
    out_ends: DFF<Bit>,
    event_error: DFF<Bit>,
    event_checks: DFF<Bit>,
    event_arrived: DFF<Bit>,
    event_flits: DFF<Bits<LANE_FLITS_BITS>>,

    moves: Signal<Local, Bit>,
    flits: Signal<Local, Bits<FLITS_BITS>>,
    delivers: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    cuts: Signal<Local, Bit>,
    checks: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    ended: Signal<Local, Bits<F>>,
    last: Signal<Local, Bit>,
    tossed: Signal<Local, Bits<FLITS_BITS>>,
    ending: Signal<Local, Bits<FLIT_BITS>>,
    flit: Signal<Local, Bits<FLIT_BITS>>,
    joined: Signal<Local, Bits<FLITS_W>>,
    said: Signal<Local, Bits<LANE_BEAT_BITS>>,
    one: Constant<Bits<FLITS_BITS>>,
    slot_0: Constant<Bits<F>>,
    tail_flit: Constant<Bits<FLIT_BITS>>,
    said_shift: Constant<Bits<9>>,
    flit_shift: Vec<Constant<Bits<9>>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const OUT_W: usize,
        const BYTES_W: usize,
        const N: usize,
        const M: usize,
    > VlRx<F, FLITS_W, OUT_W, BYTES_W, N, M>
{
    /// A receiver, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let name = "fab_vl_rx";
        check_one_of(name, "flits", F as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_range(name, "lanes", N as u64, 1, MAX_VLS as u64)?;
        check_derived(name, "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        let out = flit_beat_bits(F) + LANE_BEAT_BITS;
        check_derived(name, "OUT_W", OUT_W as u64, "65 F + 9", out as u64)?;
        check_derived(name, "BYTES_W", BYTES_W as u64, "log2(8 F) + 1", word_count_bits(F) as u64)?;
        check_derived(name, "M", M as u64, "lanes + 1", N as u64 + 1)?;
        let payload = tail_bad::reason::FIELD.set(0, BadReason::Protocol.code().into());
        let word = control::opcode::FIELD.set(payload, Opcode::TailBad.code().into()) as u64;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            beats_in: Default::default(),
            undefined: Default::default(),
            beats_out: Default::default(),
            arrived: Default::default(),
            stack_error: Default::default(),
            sorter: Default::default(),
            lengths: Default::default(),
            delivering: Default::default(),
            out_there: Default::default(),
            out_beat: Default::default(),
            out_packet: Default::default(),
            out_closes: Default::default(),
            out_cut: Default::default(),
            out_checks: Default::default(),
            out_len_wrong: Default::default(),
            out_place_wrong: Default::default(),
            out_number: Default::default(),
            out_flits: Default::default(),
            out_opens: Default::default(),
            out_ends: Default::default(),
            event_error: Default::default(),
            event_checks: Default::default(),
            event_arrived: Default::default(),
            event_flits: Default::default(),
            moves: Default::default(),
            flits: Default::default(),
            delivers: Default::default(),
            stays: Default::default(),
            cuts: Default::default(),
            checks: Default::default(),
            wrong: Default::default(),
            ended: Default::default(),
            last: Default::default(),
            tossed: Default::default(),
            ending: Default::default(),
            flit: Default::default(),
            joined: Default::default(),
            said: Default::default(),
            one: Constant::new(1.into()),
            slot_0: Constant::new(Bits::<F>::default().replace_bit(0, true)),
            tail_flit: Constant::new(word.into()),
            said_shift: Constant::new((FLITS_W as u64).into()),
            flit_shift: (0..F).map(|slot| Constant::new(((FLIT_BITS * slot) as u64).into())).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const OUT_W: usize,
        const BYTES_W: usize,
        const N: usize,
        const M: usize,
    > Logic for VlRx<F, FLITS_W, OUT_W, BYTES_W, N, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, delivering, out_there, out_beat, out_packet, out_closes, out_cut, out_checks);
        dff_setup!(self, clock, out_len_wrong, out_place_wrong, out_number, event_checks);
        dff_setup!(self, clock, out_flits, out_opens, out_ends, event_error, event_arrived, event_flits);
        clock!(self, clock, sorter, lengths);
        self.moves.next = !self.out_there.q.val() | self.beats_out.ready.val();
        self.beats_in.ready.next = self.moves.val() & !self.clear.val();
        self.sorter.clear.next = self.clear.val();
        self.sorter.moves.next = self.moves.val();
        self.sorter.valid.next = self.beats_in.valid.val();
        self.sorter.beat.next = self.beats_in.data.val();
        self.sorter.undefined.next = self.undefined.val();

        // Delivered, tossed, or the end of the packet that was there.
        self.delivers.next = (self.delivering.q.val() & self.sorter.lane.val()).any();
        self.stays.next = self.delivers.val() & !self.sorter.spoils.val();
        if self.sorter.opens.val() {
            self.stays.next = self.sorter.fresh.val();
        }
        self.cuts.next = self.delivers.val() & (self.sorter.spoils.val() | self.sorter.opens.val());
        self.last.next = self.sorter.closes.val().any();
        self.lengths.step.next = self.moves.val() & self.sorter.there.val() & self.stays.val();
        self.lengths.number.next = self.sorter.number.val();
        self.lengths.opens.next = self.sorter.opens.val();
        self.lengths.len.next = self.sorter.flits.val().get_bits::<LEN_BITS>(36);
        self.lengths.tail_beat.next = self.sorter.tail_beat.val();
        self.lengths.tail_slot.next = self.sorter.tail_slot.val();
        self.lengths.sized.next = self.sorter.sized.val();
        self.lengths.closes.next = self.sorter.closes.val();
        self.lengths.len2.next = self.sorter.len2.val();
        self.checks.next = self.stays.val() & self.sorter.is_tail.val();
        self.flits.next = self.sorter.count.val();
        self.tossed.next = self.sorter.count.val();
        if self.cuts.val() {
            self.flits.next = self.one.val();
            self.tossed.next = self.sorter.count.val() - self.one.val();
        }
        if self.stays.val() {
            self.tossed.next = 0.into();
        }
        if self.moves.val() {
            if self.sorter.there.val() {
                self.delivering.d.next = self.delivering.q.val() & !self.sorter.lane.val();
                if self.stays.val() & !self.last.val() {
                    self.delivering.d.next = self.delivering.q.val() | self.sorter.lane.val();
                }
            }
            self.out_there.d.next = self.sorter.there.val() & (self.stays.val() | self.cuts.val());
            self.out_beat.d.next = self.sorter.flits.val();
            self.out_packet.d.next = 0.into();
            if self.stays.val() {
                self.out_packet.d.next = self.sorter.packet.val();
            }
            self.out_closes.d.next = self.sorter.closes.val();
            self.out_cut.d.next = self.cuts.val();
            self.out_checks.d.next = self.checks.val();
            self.out_len_wrong.d.next = self.lengths.len_wrong.val();
            self.out_place_wrong.d.next = self.lengths.place_wrong.val();
            self.out_number.d.next = self.sorter.number.val();
            self.out_flits.d.next = self.flits.val();
            self.out_opens.d.next = self.sorter.opens.val() & self.stays.val();
            self.out_ends.d.next = self.last.val() | self.cuts.val();
        }
        if self.clear.val() {
            self.delivering.d.next = 0.into();
            self.out_there.d.next = false;
        }

        // Events, once per beat.
        self.event_error.d.next = self.moves.val() & !self.clear.val() & self.sorter.wrong.val();
        self.event_checks.d.next =
            self.moves.val() & !self.clear.val() & self.sorter.there.val() & self.checks.val();
        self.event_arrived.d.next =
            self.moves.val() & !self.clear.val() & self.sorter.there.val() & self.sorter.lane.val().any();
        self.event_flits.d.next = bit_cast::<LANE_FLITS_BITS, VL_BITS>(self.sorter.number.val())
            | (bit_cast::<LANE_FLITS_BITS, FLITS_BITS>(self.sorter.count.val()) << 4)
            | (bit_cast::<LANE_FLITS_BITS, 1>(self.last.val().into()) << 7)
            | (bit_cast::<LANE_FLITS_BITS, 1>(self.sorter.opens.val().into()) << 8)
            | (bit_cast::<LANE_FLITS_BITS, FLITS_BITS>(self.tossed.val()) << 9)
            | (bit_cast::<LANE_FLITS_BITS, 1>(self.cuts.val().into()) << 12);
        self.arrived.valid.next = self.event_arrived.q.val();
        self.arrived.data.next = self.event_flits.q.val();
        self.wrong.next = self.out_len_wrong.q.val() | self.out_place_wrong.q.val();
        self.stack_error.next = self.event_error.q.val() | (self.event_checks.q.val() & self.wrong.val());

        // Idle where no packet flits are, TailBad where a packet ends badly.
        self.ending.next =
            self.tail_flit.val() | (bit_cast::<FLIT_BITS, VL_BITS>(self.out_number.q.val()) << 8);
        self.ended.next = 0.into();
        if self.out_checks.q.val() & self.wrong.val() {
            self.ended.next = self.out_closes.q.val();
        }
        if self.out_cut.q.val() {
            self.ended.next = self.slot_0.val();
        }
        self.joined.next = 0.into();
        for i in 0..F {
            self.flit.next = 0.into();
            if self.out_packet.q.val().get_bit(i) {
                self.flit.next = self.out_beat.q.val().get_bits::<FLIT_BITS>(i * 65);
            }
            if self.ended.val().get_bit(i) {
                self.flit.next = self.ending.val();
            }
            self.joined.next = self.joined.val()
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.flit.val()) << self.flit_shift[i].val());
        }
        self.said.next = bit_cast::<LANE_BEAT_BITS, VL_BITS>(self.out_number.q.val())
            | (bit_cast::<LANE_BEAT_BITS, FLITS_BITS>(self.out_flits.q.val()) << 4)
            | (bit_cast::<LANE_BEAT_BITS, 1>(self.out_ends.q.val().into()) << 7)
            | (bit_cast::<LANE_BEAT_BITS, 1>(self.out_opens.q.val().into()) << 8);
        self.beats_out.data.next = bit_cast::<OUT_W, FLITS_W>(self.joined.val())
            | (bit_cast::<OUT_W, LANE_BEAT_BITS>(self.said.val()) << self.said_shift.val());
        self.beats_out.valid.next = self.out_there.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_vl_rx", &[("f", F.to_string()), ("lanes", N.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const OUT_W: usize, const BYTES_W: usize, const N: usize, const M: usize] VlRx<F, FLITS_W, OUT_W, BYTES_W, N, M> {
    clock, clear, beats_in, undefined, beats_out, arrived, stack_error,
});

const _: () = assert!(head::len::LOW == 36 && tail_bad::vl::LOW == 8 && tail_bad::vl::WIDTH == VL_BITS);
const _: () = assert!(lane_beat::vl::LOW == 0 && lane_beat::flits::LOW == 4 && lane_beat::ends::LOW == 7);
const _: () = assert!(lane_flits::vl::LOW == 0 && lane_flits::flits::LOW == 4 && lane_flits::ends::LOW == 7);
const _: () = assert!(lane_beat::opens::LOW == 8 && lane_flits::opens::LOW == 8);
const _: () = assert!(lane_flits::tossed::LOW == 9 && lane_flits::cut::LOW == 12);
