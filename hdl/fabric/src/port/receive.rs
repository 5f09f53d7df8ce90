//! Packets of all lanes off the sorted beats of one link. One type per beat width.

use super::ends::FabEnds;
use super::lane::{FabLane1, FabLane2, FabLane4};
use super::reader::MARK_BITS;
use super::FabPortConfig;
use crate::credit::{PLACE_BITS, V_AU_BITS};
use crate::packet::END_BITS;
use crate::vl::{LANE_BEAT_BITS, VL_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::credit;
use flitforge_protocol::packet::{lane_beat, HEADER_BITS};

/// Bits that count the AU of a buffer.
pub const CREDIT_RX_BITS: usize = 12;

macro_rules! fab_receive {
    ($name:ident, $lane:ident, $flits:literal, $bits:literal, $marked:literal, $descriptor:literal, $word:literal) => {
        /// A [lane](super::FabLane2) for each of `N` lanes, 2^`B` beats of buffer each. See the [module](super).
        #[block("fab_receive", new, f = $flits, lanes = N)]
        pub struct $name<const N: usize, const B: usize, const C: usize> {
            /// Rising edge counts.
            clock: In<Clock>,
            /// Synchronous clear.
            clear: In<Bit>,
            /// The link starts afresh.
            starts: In<Bit>,
            /// With its last clock: credits begin anew.
            begins: In<Bit>,
            /// Register CREDIT.
            credit_cfg: In<Bits<16>>,
            /// Beats with packet flits that came, and above each what it is (`lane_beat`).
            pub beats_in: FlowIn<Bits<$descriptor>>,
            /// Lanes for which more came than was granted.
            overrun: In<Bits<N>>,
            /// Lanes of which an AU is empty.
            released: Out<Bits<N>>,
            /// Lanes that have stopped, and are emptied by the start.
            stopped: Out<Bits<N>>,
            /// Packets that begin, by lane.
            pub header_out: [StreamOut<Bits<HEADER_BITS>>; N],
            /// Their payload.
            pub words_out: [StreamOut<Bits<$word>>; N],
            /// Packets that have ended.
            pub end_out: [StreamOut<Bits<END_BITS>>; N],
            /// Event PKT_GOOD.
            good: Out<Bit>,
            /// Event PKT_BAD.
            bad: Out<Bit>,

            #[wire(clock, clear)]
            lanes: Vec<$lane<B, C>>,
            #[wire(clock, clear)]
            ends: FabEnds<N>,
            last_place: Reg<Bits<PLACE_BITS>>,

            places: Local<Bits<PLACE_BITS>>,
            v_au: Local<Bits<V_AU_BITS>>,
            descriptor: Local<Bits<$descriptor>>,
            above: Local<Bits<$descriptor>>,
            marks: Local<Bits<LANE_BEAT_BITS>>,
            marked: Local<Bits<$marked>>,
            #[init($bits)]
            descriptor_shift: Constant<Bits<9>>,
            lane_number: Vec<Constant<Bits<VL_BITS>>>,
            place_from: Vec<Constant<Bits<V_AU_BITS>>>,
        }

        #[logic]
        impl<const N: usize, const B: usize, const C: usize> $name<N, B, C> {
            /// The receiving half of a port, or the reason why not.
            pub fn new(config: &FabPortConfig) -> Result<Self, ConfigError> {
                let packets = config.packets();
                // AU of 2^vAU flits, of F in a beat.
                let from = |bit: usize| bit as u64 + u64::from(($flits as u32).ilog2());
                Ok(Self {
                    lanes: (0..N).map(|vl| $lane::new(vl, &packets)).collect::<Result<_, _>>()?,
                    lane_number: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
                    place_from: (0..PLACE_BITS).map(|bit| Constant::new(from(bit).min(7).into())).collect(),
                    ..
                })
            }

            fn update(&mut self) {
                v_au = credit_cfg.bits::<V_AU_BITS>(0);
                places = 0;
                for i in 0..PLACE_BITS {
                    places = places.with(i, v_au > place_from[i]);
                }
                last_place = places;

                // Beats by lane, the marks below them.
                descriptor = beats_in.data;
                above = descriptor >> descriptor_shift;
                marks = above.bits::<LANE_BEAT_BITS>(0);
                marked = bit_cast::<$marked, 1>(marks[8].into())
                    | (bit_cast::<$marked, 1>(marks[7].into()) << 1)
                    | (bit_cast::<$marked, $bits>(descriptor.bits::<$bits>(0)) << 2);
                let mut released_lanes: Bits<N> = 0;
                let mut stopped_lanes: Bits<N> = 0;
                for v in 0..N {
                    lanes[v] = In { starts, begins, last_place };
                    lanes[v].there = beats_in.valid & (marks.bits::<VL_BITS>(0) == lane_number[v]);
                    lanes[v] = In { beat: marked, overrun: overrun[v] };
                    released_lanes = released_lanes.with(v, lanes[v].released);
                    stopped_lanes = stopped_lanes.with(v, lanes[v].stopped);
                    link(header_out[v], lanes[v].header_out);
                    link(words_out[v], lanes[v].words_out);
                    join(lanes[v].end_out, ends.ends_in[v]);
                    link(end_out[v], ends.ends_out[v]);
                }
                Out { good, bad } = ends;
                released = released_lanes;
                stopped = stopped_lanes;
            }
        }
    };
}

fab_receive!(FabReceive1, FabLane1, 1, 65, 67, 74, 69);
fab_receive!(FabReceive2, FabLane2, 2, 130, 132, 139, 134);
fab_receive!(FabReceive4, FabLane4, 4, 260, 262, 269, 263);

const _: () = assert!(lane_beat::vl::LOW == 0 && lane_beat::ends::LOW == 7 && lane_beat::opens::LOW == 8);
const _: () = assert!(credit::v_au::LOW == 0 && credit::delay::LOW == 8 && MARK_BITS == 2);
