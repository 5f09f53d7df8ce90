//! Packets of all lanes off the sorted beats of one link. One type per beat width.

use super::ends::FabEnds;
use super::lane::{FabLane1, FabLane2, FabLane4};
use super::reader::MARK_BITS;
use super::FabPortConfig;
use crate::config::ConfigError;
use crate::fabric::credit::{PLACE_BITS, V_AU_BITS};
use crate::fabric::packet::END_BITS;
use crate::fabric::vl::{LANE_BEAT_BITS, VL_BITS};
use crate::prim::stream::{FlowIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::credit;
use flitforge_protocol::packet::{lane_beat, HEADER_BITS};

/// Bits that count the AU of a buffer.
pub const ACCOUNT_BITS: usize = 12;

macro_rules! fab_receive {
    ($name:ident, $lane:ident, $flits:literal, $bits:literal, $marked:literal, $said:literal, $word:literal) => {
        /// A [lane](super::FabLane2) for each of `N` lanes, 2^`B` beats of buffer each. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<
            const N: usize,
            const B: usize,
            const C: usize,
        > {
            /// Rising edge counts.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear.
            pub clear: Signal<In, Bit>,
            /// The link starts afresh.
            pub starts: Signal<In, Bit>,
            /// With its last clock: credits begin anew.
            pub begins: Signal<In, Bit>,
            /// Register CREDIT.
            pub credit_cfg: Signal<In, Bits<16>>,
            /// Beats with packet flits that came, and above each what it is (`lane_beat`).
            pub beats_in: FlowIn<Bits<$said>>,
            /// Lanes for which more came than was granted.
            pub overrun: Signal<In, Bits<N>>,
            /// Lanes of which an AU is empty.
            pub released: Signal<Out, Bits<N>>,
            /// Lanes that have stopped, and are emptied by the start.
            pub stopped: Signal<Out, Bits<N>>,
            /// Packets that begin, by lane.
            pub header_out: [StreamOut<Bits<HEADER_BITS>>; N],
            /// Their payload.
            pub words_out: [StreamOut<Bits<$word>>; N],
            /// Packets that have ended.
            pub end_out: [StreamOut<Bits<END_BITS>>; N],
            /// Event PKT_GOOD.
            pub good: Signal<Out, Bit>,
            /// Event PKT_BAD.
            pub bad: Signal<Out, Bit>,

            lanes: Vec<$lane<B, C>>,
            ends: FabEnds<N>,
            last_place: DFF<Bits<PLACE_BITS>>,

            places: Signal<Local, Bits<PLACE_BITS>>,
            v_au: Signal<Local, Bits<V_AU_BITS>>,
            said: Signal<Local, Bits<$said>>,
            above: Signal<Local, Bits<$said>>,
            marks: Signal<Local, Bits<LANE_BEAT_BITS>>,
            marked: Signal<Local, Bits<$marked>>,
            released_lanes: Signal<Local, Bits<N>>,
            stopped_lanes: Signal<Local, Bits<N>>,
            said_shift: Constant<Bits<9>>,
            lane_number: Vec<Constant<Bits<VL_BITS>>>,
            place_from: Vec<Constant<Bits<V_AU_BITS>>>,
        }

        impl<const N: usize, const B: usize, const C: usize>
            $name<N, B, C>
        {
            /// The receiving half of a port, or the reason why not.
            pub fn new(config: &FabPortConfig) -> Result<Self, ConfigError> {
                let packets = config.packets();
                // AU of 2^vAU flits, of F in a beat.
                let from = |bit: usize| bit as u64 + u64::from(($flits as u32).ilog2());
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    starts: Default::default(),
                    begins: Default::default(),
                    credit_cfg: Default::default(),
                    beats_in: Default::default(),
                    overrun: Default::default(),
                    released: Default::default(),
                    stopped: Default::default(),
                    header_out: defaults(),
                    words_out: defaults(),
                    end_out: defaults(),
                    good: Default::default(),
                    bad: Default::default(),
                    lanes: (0..N).map(|vl| $lane::new(vl, &packets)).collect::<Result<_, _>>()?,
                    ends: Default::default(),
                    last_place: Default::default(),
                    places: Default::default(),
                    v_au: Default::default(),
                    said: Default::default(),
                    above: Default::default(),
                    marks: Default::default(),
                    marked: Default::default(),
                    released_lanes: Default::default(),
                    stopped_lanes: Default::default(),
                    said_shift: Constant::new(($bits as u64).into()),
                    lane_number: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
                    place_from: (0..PLACE_BITS).map(|bit| Constant::new(from(bit).min(7).into())).collect(),
                })
            }
        }

        impl<const N: usize, const B: usize, const C: usize> Logic
            for $name<N, B, C>
        {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, last_place);
                clock!(self, clock, ends);
                self.v_au.next = self.credit_cfg.val().get_bits::<V_AU_BITS>(0);
                self.places.next = 0.into();
                for i in 0..PLACE_BITS {
                    self.places.next =
                        self.places.val().replace_bit(i, self.v_au.val() > self.place_from[i].val());
                }
                self.last_place.d.next = self.places.val();

                // Beats by lane, the marks below them.
                self.said.next = self.beats_in.data.val();
                self.above.next = self.said.val() >> self.said_shift.val();
                self.marks.next = self.above.val().get_bits::<LANE_BEAT_BITS>(0);
                self.marked.next = bit_cast::<$marked, 1>(self.marks.val().get_bit(8).into())
                    | (bit_cast::<$marked, 1>(self.marks.val().get_bit(7).into()) << 1)
                    | (bit_cast::<$marked, $bits>(self.said.val().get_bits::<$bits>(0)) << 2);
                self.released_lanes.next = 0.into();
                self.stopped_lanes.next = 0.into();
                self.ends.clear.next = self.clear.val();
                for v in 0..N {
                    self.lanes[v].clock.next = self.clock.val();
                    self.lanes[v].clear.next = self.clear.val();
                    self.lanes[v].starts.next = self.starts.val();
                    self.lanes[v].begins.next = self.begins.val();
                    self.lanes[v].last_place.next = self.last_place.q.val();
                    self.lanes[v].there.next = self.beats_in.valid.val()
                        & (self.marks.val().get_bits::<VL_BITS>(0) == self.lane_number[v].val());
                    self.lanes[v].beat.next = self.marked.val();
                    self.lanes[v].overrun.next = self.overrun.val().get_bit(v);
                    self.released_lanes.next = self.released_lanes.val().replace_bit(v, self.lanes[v].released.val());
                    self.stopped_lanes.next = self.stopped_lanes.val().replace_bit(v, self.lanes[v].stopped.val());
                    StreamOut::<Bits<HEADER_BITS>>::link(
                        &mut self.header_out[v],
                        &mut self.lanes[v].header_out,
                    );
                    StreamOut::<Bits<$word>>::link(&mut self.words_out[v], &mut self.lanes[v].words_out);
                    StreamOut::<Bits<END_BITS>>::join(
                        &mut self.lanes[v].end_out,
                        &mut self.ends.ends_in[v],
                    );
                    StreamOut::<Bits<END_BITS>>::link(&mut self.end_out[v], &mut self.ends.ends_out[v]);
                }
                self.good.next = self.ends.good.val();
                self.bad.next = self.ends.bad.val();
                self.released.next = self.released_lanes.val();
                self.stopped.next = self.stopped_lanes.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("fab_receive", &[("f", $flits.to_string()), ("lanes", N.to_string())])
            }
        }

        drive_ports!(impl[const N: usize, const B: usize, const C: usize] $name<N, B, C> {
            clock, clear, starts, begins, credit_cfg, beats_in, overrun, released, stopped, header_out, words_out, end_out, good, bad,
        });
    };
}

fab_receive!(FabReceive1, FabLane1, 1, 65, 67, 74, 69);
fab_receive!(FabReceive2, FabLane2, 2, 130, 132, 139, 134);
fab_receive!(FabReceive4, FabLane4, 4, 260, 262, 269, 263);

const _: () = assert!(lane_beat::vl::LOW == 0 && lane_beat::ends::LOW == 7 && lane_beat::opens::LOW == 8);
const _: () = assert!(credit::v_au::LOW == 0 && credit::delay::LOW == 8 && MARK_BITS == 2);
