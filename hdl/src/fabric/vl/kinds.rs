//! What a received beat is to the stack.

use crate::fabric::packet::PacketPart;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{head_bad, vl_mrkr, Opcode, FLIT_BITS};
use flitforge_protocol::packet::head;

/// Bits of the lane number of a VlMrkr.
const MARKER_BITS: usize = vl_mrkr::vl::WIDTH;
/// Bits of the lane number of a Head.
pub const VL_BITS: usize = head::vl::WIDTH;

/// The flits of a beat of `F` flits (`FLITS_W` = 65 `F` bits), and the lane that the first one names: `N` lanes, and above
/// them one for all that are not built (`M` = `N` + 1). Combinational.
#[derive(LogicBlock)]
pub struct VlKinds<const F: usize, const FLITS_W: usize, const N: usize, const M: usize> {
    /// The beat.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// Slots with an Idle that came as an undefined opcode.
    pub undefined: Signal<In, Bits<F>>,
    /// Slots with packet flits.
    pub packet: Signal<Out, Bits<F>>,
    /// Slots with a Tail or TailBad.
    pub closes: Signal<Out, Bits<F>>,
    /// Slot 0 has a Head or HeadBad.
    pub opens: Signal<Out, Bit>,
    /// Slot 0 has a VlMrkr.
    pub marks: Signal<Out, Bit>,
    /// Slots of `undefined` where a packet's flits stand, if there is a packet.
    pub lost: Signal<Out, Bits<F>>,
    /// A head or VlMrkr is in another slot.
    pub stray: Signal<Out, Bit>,
    /// The lane that slot 0 names; none without `opens` and `marks`.
    pub lane: Signal<Out, Bits<M>>,
    /// Its number.
    pub number: Signal<Out, Bits<VL_BITS>>,

    part: [PacketPart; F],
    flit: Signal<Local, Bits<FLIT_BITS>>,
    mark: Signal<Local, Bit>,
    opening: Signal<Local, Bits<F>>,
    marking: Signal<Local, Bits<F>>,
    together: Signal<Local, Bits<F>>,
    ending: Signal<Local, Bits<F>>,
    going: Signal<Local, Bit>,
    names: Signal<Local, Bit>,
    wide_number: Signal<Local, Bits<MARKER_BITS>>,
    built: Signal<Local, Bits<N>>,
    other: Signal<Local, Bit>,
    marker_code: Constant<Bits<6>>,
    behind: Constant<Bits<F>>,
    lanes: Constant<Bits<MARKER_BITS>>,
    other_shift: Constant<Bits<5>>,
    lane_number: Vec<Constant<Bits<MARKER_BITS>>>,
}

impl<const F: usize, const FLITS_W: usize, const N: usize, const M: usize> Default
    for VlKinds<F, FLITS_W, N, M>
{
    fn default() -> Self {
        let behind = (0..F).fold(Bits::<F>::default(), |bits, slot| bits.replace_bit(slot, slot > 0));
        Self {
            beat: Default::default(),
            undefined: Default::default(),
            packet: Default::default(),
            closes: Default::default(),
            opens: Default::default(),
            marks: Default::default(),
            lost: Default::default(),
            stray: Default::default(),
            lane: Default::default(),
            number: Default::default(),
            part: defaults(),
            flit: Default::default(),
            mark: Default::default(),
            opening: Default::default(),
            marking: Default::default(),
            together: Default::default(),
            ending: Default::default(),
            going: Default::default(),
            names: Default::default(),
            wide_number: Default::default(),
            built: Default::default(),
            other: Default::default(),
            marker_code: Constant::new(u64::from(Opcode::VlMrkr.code()).into()),
            behind: Constant::new(behind),
            lanes: Constant::new((N as u64).into()),
            other_shift: Constant::new((N as u64).into()),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
        }
    }
}

impl<const F: usize, const FLITS_W: usize, const N: usize, const M: usize> Logic
    for VlKinds<F, FLITS_W, N, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        // The kinds of the flits.
        self.opening.next = 0.into();
        self.marking.next = 0.into();
        self.together.next = 0.into();
        self.ending.next = 0.into();
        for i in 0..F {
            self.flit.next = self.beat.val().get_bits::<FLIT_BITS>(i * 65);
            self.part[i].flit.next = self.flit.val();
            self.mark.next = !self.flit.val().get_bits::<3>(62).any()
                & (self.flit.val().get_bits::<6>(56) == self.marker_code.val());
            self.opening.next = self.opening.val().replace_bit(i, self.part[i].opens.val());
            self.marking.next = self.marking.val().replace_bit(i, self.mark.val());
            self.ending.next = self.ending.val().replace_bit(i, self.part[i].closes.val());
            self.together.next = self.together.val().replace_bit(
                i,
                self.part[i].opens.val() | self.part[i].goes_on.val() | self.part[i].closes.val(),
            );
        }
        self.packet.next = self.together.val();
        self.closes.next = self.ending.val();
        self.opens.next = self.opening.val().get_bit(0);
        self.marks.next = self.marking.val().get_bit(0);

        // Up to the end of a packet, with nothing else before them.
        self.going.next = !self.marking.val().get_bit(0);
        self.lost.next = 0.into();
        for i in 0..F {
            self.lost.next =
                self.lost.val().replace_bit(i, self.going.val() & self.undefined.val().get_bit(i));
            self.going.next = self.going.val()
                & (self.together.val().get_bit(i) | self.undefined.val().get_bit(i))
                & !self.ending.val().get_bit(i);
        }
        self.stray.next = ((self.opening.val() | self.marking.val()) & self.behind.val()).any();

        // The lane.
        self.names.next = self.opening.val().get_bit(0) | self.marking.val().get_bit(0);
        self.wide_number.next = self.beat.val().get_bits::<MARKER_BITS>(0);
        if self.opening.val().get_bit(0) {
            self.wide_number.next = bit_cast::<MARKER_BITS, VL_BITS>(self.beat.val().get_bits::<VL_BITS>(32));
        }
        self.built.next = 0.into();
        for v in 0..N {
            self.built.next = self
                .built
                .val()
                .replace_bit(v, self.names.val() & (self.wide_number.val() == self.lane_number[v].val()));
        }
        self.other.next = self.names.val() & (self.wide_number.val() >= self.lanes.val());
        self.lane.next = bit_cast::<M, N>(self.built.val())
            | (bit_cast::<M, 1>(self.other.val().into()) << self.other_shift.val());
        self.number.next = self.wide_number.val().get_bits::<VL_BITS>(0);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_kinds", &[("f", F.to_string()), ("lanes", N.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const N: usize, const M: usize] VlKinds<F, FLITS_W, N, M> {
    beat, undefined, packet, closes, opens, marks, lost, stray, lane, number,
});

const _: () = assert!(head::vl::LOW == 32 && head_bad::vl::LOW == 32 && head_bad::vl::WIDTH == VL_BITS);
const _: () = assert!(vl_mrkr::vl::LOW == 0 && MARKER_BITS == VL_BITS + 1);
