//! What arriving flits cost.

use super::transmit::V_AU_BITS;
use crate::fabric::vl::{FLITS_BITS, LANE_FLITS_BITS, VL_BITS};
use crate::prim::ram::LutRam;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::lane_flits;

/// Bits that count the flits of an AU, and one more.
const PLACE_BITS: usize = 8;

/// Says, three clocks late, of which of `N` lanes an AU is filled by what has arrived, and of which one comes and goes back at once. How far the packet of each
/// lane is in its AU is kept in LUT RAM.
#[derive(LogicBlock)]
pub struct CreditProgress<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No packet has begun.
    pub clear: Signal<In, Bit>,
    /// vAU.
    pub v_au: Signal<In, Bits<V_AU_BITS>>,
    /// Packet flits as they came.
    pub arrived: FlowIn<Bits<LANE_FLITS_BITS>>,
    /// An AU of this lane has been begun.
    pub filled: Signal<Out, Bits<N>>,
    /// An AU of this lane has been begun by flits that are tossed.
    pub tossed: Signal<Out, Bits<N>>,

    memory: LutRam<Bits<PLACE_BITS>, VL_BITS>,
    /// Lanes that are within a packet.
    within: DFF<Bits<N>>,
    // What has arrived; then how far its packet was and is.
    came_there: DFF<Bit>,
    came_data: DFF<Bits<LANE_FLITS_BITS>>,
    cost_lane: DFF<Bits<N>>,
    cost_before: DFF<Bits<PLACE_BITS>>,
    cost_after: DFF<Bits<PLACE_BITS>>,
    cost_fresh: DFF<Bit>,
    cost_begins: DFF<Bit>,
    cost_tossed: DFF<Bit>,
    cost_cut: DFF<Bit>,
    filled_lane: DFF<Bits<N>>,
    tossed_lane: DFF<Bits<N>>,

    came: Signal<Local, Bits<LANE_FLITS_BITS>>,
    lane: Signal<Local, Bits<N>>,
    at_start: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    place: Signal<Local, Bits<PLACE_BITS>>,
    at_boundary: Signal<Local, Bit>,
    sum: Signal<Local, Bits<PLACE_BITS>>,
    mask: Signal<Local, Bits<PLACE_BITS>>,
    rest: Signal<Local, Bits<PLACE_BITS>>,
    costs: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    no_flits: Constant<Bits<PLACE_BITS>>,
    lane_number: Vec<Constant<Bits<VL_BITS>>>,
    bit_number: Vec<Constant<Bits<V_AU_BITS>>>,
}

impl<const N: usize> Default for CreditProgress<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            v_au: Default::default(),
            arrived: Default::default(),
            filled: Default::default(),
            tossed: Default::default(),
            memory: Default::default(),
            within: Default::default(),
            came_there: Default::default(),
            came_data: Default::default(),
            cost_lane: Default::default(),
            cost_before: Default::default(),
            cost_after: Default::default(),
            cost_fresh: Default::default(),
            cost_begins: Default::default(),
            cost_tossed: Default::default(),
            cost_cut: Default::default(),
            filled_lane: Default::default(),
            tossed_lane: Default::default(),
            came: Default::default(),
            lane: Default::default(),
            at_start: Default::default(),
            begins: Default::default(),
            place: Default::default(),
            at_boundary: Default::default(),
            sum: Default::default(),
            mask: Default::default(),
            rest: Default::default(),
            costs: Default::default(),
            keeps: Default::default(),
            no_flits: Constant::new(0.into()),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
            bit_number: (0..7_u64).map(|bit| Constant::new(bit.into())).collect(),
        }
    }
}

impl<const N: usize> Logic for CreditProgress<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, within, came_there, came_data, cost_lane, cost_before, cost_after);
        dff_setup!(self, clock, cost_fresh, cost_begins, cost_tossed, cost_cut, filled_lane, tossed_lane);
        clock!(self, clock, memory);
        self.came_there.d.next = self.arrived.valid.val() & !self.clear.val();
        self.came_data.d.next = self.arrived.data.val();
        self.came.next = self.came_data.q.val();
        self.lane.next = 0.into();
        for v in 0..N {
            self.lane.next = self.lane.val().replace_bit(
                v,
                self.came_there.q.val()
                    & (self.came.val().get_bits::<VL_BITS>(0) == self.lane_number[v].val()),
            );
        }
        self.mask.next = 0.into();
        for i in 0..7 {
            self.mask.next = self.mask.val().replace_bit(i, self.v_au.val() > self.bit_number[i].val());
        }

        // Flits of the AU in work, before these and with them. A head begins a packet, whatever was before.
        self.memory.read_address.next = self.came.val().get_bits::<VL_BITS>(0);
        self.at_start.next = !(self.within.q.val() & self.lane.val()).any();
        self.begins.next = self.at_start.val() | self.came.val().get_bit(8);
        self.place.next = self.memory.read_data.val();
        if self.begins.val() {
            self.place.next = self.no_flits.val();
        }
        self.sum.next =
            self.place.val() + bit_cast::<PLACE_BITS, FLITS_BITS>(self.came.val().get_bits::<FLITS_BITS>(4));
        self.memory.write_enable.next = self.came_there.q.val();
        self.memory.write_address.next = self.came.val().get_bits::<VL_BITS>(0);
        self.memory.write_data.next = self.sum.val() & self.mask.val();
        if self.came.val().get_bit(7) {
            self.within.d.next = self.within.q.val() & !self.lane.val();
        } else {
            self.within.d.next = self.within.q.val() | self.lane.val();
        }
        self.cost_lane.d.next = self.lane.val();
        self.cost_before.d.next = self.memory.read_data.val();
        self.cost_after.d.next = self.sum.val();
        self.cost_fresh.d.next = self.at_start.val();
        self.cost_begins.d.next = self.begins.val();
        self.cost_tossed.d.next = self.came.val().get_bits::<FLITS_BITS>(9).any();
        self.cost_cut.d.next = self.came.val().get_bit(12);

        // An AU is begun by its first flit, wherever that stands in the beat. A TailBad in place of the others fills an AU if it
        // is the first flit of one to its packet.
        self.at_boundary.next = !self.cost_before.q.val().any();
        self.rest.next = self.cost_after.q.val() & self.mask.val();
        self.costs.next = self.cost_begins.q.val()
            | self.at_boundary.val()
            | ((self.cost_after.q.val() & !self.mask.val()).any() & self.rest.val().any());
        self.keeps.next = !self.cost_tossed.q.val();
        if self.cost_cut.q.val() {
            self.keeps.next = self.cost_fresh.q.val() | self.at_boundary.val();
        }
        self.filled_lane.d.next = 0.into();
        self.tossed_lane.d.next = 0.into();
        if self.costs.val() {
            if self.keeps.val() {
                self.filled_lane.d.next = self.cost_lane.q.val();
            } else {
                self.tossed_lane.d.next = self.cost_lane.q.val();
            }
        }
        if self.clear.val() {
            self.within.d.next = 0.into();
            self.cost_lane.d.next = 0.into();
            self.filled_lane.d.next = 0.into();
            self.tossed_lane.d.next = 0.into();
        }
        self.filled.next = self.filled_lane.q.val();
        self.tossed.next = self.tossed_lane.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("credit_progress", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] CreditProgress<N> { clock, clear, v_au, arrived, filled, tossed });

const _: () = assert!(lane_flits::vl::LOW == 0 && lane_flits::flits::LOW == 4 && lane_flits::ends::LOW == 7);
const _: () =
    assert!(lane_flits::opens::LOW == 8 && lane_flits::tossed::LOW == 9 && lane_flits::cut::LOW == 12);
