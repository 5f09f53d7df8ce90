//! What arriving flits cost.

use super::transmit::V_AU_BITS;
use crate::vl::{FLITS_BITS, LANE_FLITS_BITS, VL_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_protocol::packet::lane_flits;

/// Bits that count the flits of an AU, and one more.
const PLACE_BITS: usize = 8;

/// Says, three clocks late, of which of `N` lanes an AU is filled by what has arrived, and of which one comes and goes back at once. How far the packet of each
/// lane is in its AU is kept in LUT RAM.
#[block("credit_progress", lanes = N)]
pub struct CreditProgress<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No packet has begun.
    clear: In<Bit>,
    /// vAU.
    v_au: In<Bits<V_AU_BITS>>,
    /// Packet flits as they came.
    pub arrived: FlowIn<Bits<LANE_FLITS_BITS>>,
    /// An AU of this lane has been begun.
    filled: Out<Bits<N>>,
    /// An AU of this lane has been begun by flits that are tossed.
    tossed: Out<Bits<N>>,

    #[wire(clock)]
    memory: LutRam<Bits<PLACE_BITS>, VL_BITS>,
    /// Lanes that are within a packet.
    within: Reg<Bits<N>>,
    // What has arrived; then how far its packet was and is.
    received_there: Reg<Bit>,
    received_data: Reg<Bits<LANE_FLITS_BITS>>,
    cost_lane: Reg<Bits<N>>,
    cost_before: Reg<Bits<PLACE_BITS>>,
    cost_after: Reg<Bits<PLACE_BITS>>,
    cost_fresh: Reg<Bit>,
    cost_begins: Reg<Bit>,
    cost_tossed: Reg<Bit>,
    cost_cut: Reg<Bit>,
    filled_lane: Reg<Bits<N>>,
    tossed_lane: Reg<Bits<N>>,

    received: Local<Bits<LANE_FLITS_BITS>>,
    lane: Local<Bits<N>>,
    at_start: Local<Bit>,
    begins: Local<Bit>,
    place: Local<Bits<PLACE_BITS>>,
    at_boundary: Local<Bit>,
    sum: Local<Bits<PLACE_BITS>>,
    #[init(0)]
    no_flits: Constant<Bits<PLACE_BITS>>,
    #[init((0..N).map(|lane| Constant::new((lane as u64).into())).collect())]
    lane_number: Vec<Constant<Bits<VL_BITS>>>,
    #[init((0..7_u64).map(|bit| Constant::new(bit.into())).collect())]
    bit_number: Vec<Constant<Bits<V_AU_BITS>>>,
}

#[logic]
impl<const N: usize> CreditProgress<N> {
    fn update(&mut self) {
        received_there = arrived.valid & !clear;
        received_data = arrived.data;
        received = received_data;
        lane = 0;
        for v in 0..N {
            lane = lane.with(v, received_there & (received.bits::<VL_BITS>(0) == lane_number[v]));
        }
        let mut mask: Bits<PLACE_BITS> = 0;
        for i in 0..7 {
            mask = mask.with(i, v_au > bit_number[i]);
        }

        // Flits of the AU in work, before these and with them. A head begins a packet, whatever was before.
        memory.read_address = received.bits::<VL_BITS>(0);
        at_start = !(within & lane).any();
        begins = at_start | received[8];
        place = memory.read_data;
        if begins {
            place = no_flits;
        }
        sum = place + bit_cast::<PLACE_BITS, FLITS_BITS>(received.bits::<FLITS_BITS>(4));
        memory = In { write_enable: received_there, write_address: received.bits::<VL_BITS>(0) };
        memory.write_data = sum & mask;
        if received[7] {
            within = within & !lane;
        } else {
            within = within | lane;
        }
        cost_lane = lane;
        cost_before = memory.read_data;
        cost_after = sum;
        cost_fresh = at_start;
        cost_begins = begins;
        cost_tossed = received.bits::<FLITS_BITS>(9).any();
        cost_cut = received[12];

        // An AU is begun by its first flit, wherever that stands in the beat. A TailBad in place of the others fills an AU if it
        // is the first flit of one to its packet.
        at_boundary = !cost_before.any();
        let rest = cost_after & mask;
        let costs = cost_begins | at_boundary | ((cost_after & !mask).any() & rest.any());
        let mut keeps = !cost_tossed;
        if cost_cut {
            keeps = cost_fresh | at_boundary;
        }
        filled_lane = 0;
        tossed_lane = 0;
        if costs {
            if keeps {
                filled_lane = cost_lane;
            } else {
                tossed_lane = cost_lane;
            }
        }
        if clear {
            within = 0;
            cost_lane = 0;
            filled_lane = 0;
            tossed_lane = 0;
        }
        filled = filled_lane;
        tossed = tossed_lane;
    }
}

const _: () = assert!(lane_flits::vl::LOW == 0 && lane_flits::flits::LOW == 4 && lane_flits::ends::LOW == 7);
const _: () =
    assert!(lane_flits::opens::LOW == 8 && lane_flits::tossed::LOW == 9 && lane_flits::cut::LOW == 12);
