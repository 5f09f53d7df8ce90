//! What a received beat is to the stack.

use crate::packet::PacketPart;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{head_bad, vl_mrkr, Opcode, FLIT_BITS};
use flitforge_protocol::packet::head;

/// Bits of the lane number of a VlMrkr.
const MARKER_BITS: usize = vl_mrkr::vl::WIDTH;
/// Bits of the lane number of a Head.
pub const VL_BITS: usize = head::vl::WIDTH;

/// The flits of a beat of `F` flits (`FLITS_W` = 65 `F` bits), and the lane that the first one names: `N` lanes, and above
/// them one for all that are not built (`M` = `N` + 1). Combinational.
#[block("vl_kinds", f = F, lanes = N)]
pub struct VlKinds<const F: usize, const FLITS_W: usize, const N: usize, const M: usize> {
    /// The beat.
    beat: In<Bits<FLITS_W>>,
    /// Slots with an Idle that came as an undefined opcode.
    undefined: In<Bits<F>>,
    /// Slots with packet flits.
    packet: Out<Bits<F>>,
    /// Slots with a Tail or TailBad.
    closes: Out<Bits<F>>,
    /// Slot 0 has a Head or HeadBad.
    opens: Out<Bit>,
    /// Slot 0 has a VlMrkr.
    marks: Out<Bit>,
    /// Slots of `undefined` where a packet's flits stand, if there is a packet.
    lost: Out<Bits<F>>,
    /// A head or VlMrkr is in another slot.
    stray: Out<Bit>,
    /// The lane that slot 0 names; none without `opens` and `marks`.
    lane: Out<Bits<M>>,
    /// Its number.
    number: Out<Bits<VL_BITS>>,

    part: [PacketPart; F],
    flit: Local<Bits<FLIT_BITS>>,
    mark: Local<Bit>,
    #[init(Opcode::VlMrkr)]
    marker_code: Constant<Bits<6>>,
    #[init(bits_where(|slot| slot > 0))]
    after_first: Constant<Bits<F>>,
    #[init(N)]
    lanes: Constant<Bits<MARKER_BITS>>,
    #[init(N)]
    other_shift: Constant<Bits<5>>,
    #[init((0..N).map(|lane| Constant::new((lane as u64).into())).collect())]
    lane_number: Vec<Constant<Bits<MARKER_BITS>>>,
}

#[logic]
impl<const F: usize, const FLITS_W: usize, const N: usize, const M: usize> VlKinds<F, FLITS_W, N, M> {
    fn update(&mut self) {
        // The kinds of the flits.
        let mut opening: Bits<F> = 0;
        let mut marking: Bits<F> = 0;
        let mut together: Bits<F> = 0;
        let mut ending: Bits<F> = 0;
        for i in 0..F {
            flit = beat.bits::<FLIT_BITS>(i * 65);
            part[i].flit = flit;
            mark = !flit.bits::<3>(62).any() & (flit.bits::<6>(56) == marker_code);
            opening = opening.with(i, part[i].opens);
            marking = marking.with(i, mark);
            ending = ending.with(i, part[i].closes);
            together = together.with(i, part[i].opens | part[i].goes_on | part[i].closes);
        }
        packet = together;
        closes = ending;
        opens = opening[0];
        marks = marking[0];

        // Up to the end of a packet, with nothing else before them.
        let mut going = !marking[0];
        lost = 0;
        for i in 0..F {
            lost = lost.with(i, going & undefined[i]);
            going = going & (together[i] | undefined[i]) & !ending[i];
        }
        stray = ((opening | marking) & after_first).any();

        // The lane.
        let names = opening[0] | marking[0];
        let mut wide_number = beat.bits::<MARKER_BITS>(0);
        if opening[0] {
            wide_number = bit_cast::<MARKER_BITS, VL_BITS>(beat.bits::<VL_BITS>(32));
        }
        let mut built: Bits<N> = 0;
        for v in 0..N {
            built = built.with(v, names & (wide_number == lane_number[v]));
        }
        let other = names & (wide_number >= lanes);
        lane = bit_cast::<M, N>(built) | (bit_cast::<M, 1>(other.into()) << other_shift);
        number = wide_number.bits::<VL_BITS>(0);
    }
}

const _: () = assert!(head::vl::LOW == 32 && head_bad::vl::LOW == 32 && head_bad::vl::WIDTH == VL_BITS);
const _: () = assert!(vl_mrkr::vl::LOW == 0 && MARKER_BITS == VL_BITS + 1);
